// The camera is chosen so that what moves fills the picture and is seen from its broad side: it
// looks along the horizontal direction in which the motion spreads least, then turned a little, so
// that depth shows.
#include "output/report/view.h"

#include <math.h>

#include "base/arena.h"
#include "math/space/box.h"
#include "model/use/link.h"
#include "model/use/model_extent.h"
#include "output/file/writers.h"
#include "output/report/deformed.h"

static const double PI = 3.14159265358979323846;
static const double TURN = 0.42;      // from the broad side [rad]
static const double ELEVATION = 0.30; // [rad]
static const double LOST = 8;         // sizes of all at the start, beyond which a part is lost
static const double DOT = 60; // a body this much smaller than its fall is not seen beside it
static const double FAR = 4;  // followed when the motion is this many times the bodies' size

enum { SAMPLES = 200 }; // frames looked at

static const lb_transform* poses(const lb_recording* r, int frame) {
  return r->pose + (size_t)frame * (size_t)r->model->nbody;
}

lb_vec3 lb_view_middle(const lb_recording* r, int frame) {
  const lb_model* m = r->model;
  lb_vec3 sum = {0, 0, 0};
  int n = 0;
  for (int b = 0; b < m->nbody; b++) {
    if (lb_body_moves(m, b)) {
      sum = lb_vec3_add(sum, poses(r, frame)[b].p);
      n++;
    }
  }
  return n ? lb_vec3_scale(1.0 / n, sum) : sum;
}

lb_vec3 lb_view_trace(const lb_recording* r, int frame, int body) {
  return lb_transform_point(poses(r, frame)[body], r->model->body.mass[body].com);
}

// Things that must be in sight: balls at the ends and points at the corners of shapes, in the frame
// of their body. Bodies without shapes are points.
typedef struct subject {
  int body; // or LB_WORLD
  lb_ball ball;
  double size; // radius of a ball around the whole shape
  bool left_out;
  bool lost;           // it leaves what stays
  bool bends;          // a vertex of an elastic body:
  int elastic, vertex; // which
  bool loose;          // a particle of a rope or of a deformable
  int node;            // which particle
} subject;

typedef struct scan {
  const lb_recording* r;
  int nframe; // looked at
  int nsubject;
  subject* subject;
  lb_vec3 centre; // of all at the start
  double sight;   // places of what gets lost are left out beyond this, since others stay
  bool* carries;  // [nlink] another link hangs on it
} scan;

static lb_vec3 place(const scan* s, int sample, const subject* what) {
  const int frame = lb_frame_shown(s->r->nframe, s->nframe, sample);
  if (what->loose) {
    return lb_bent_particle(s->r, frame, what->node);
  }
  if (what->body == LB_WORLD) {
    return what->ball.centre;
  }
  const lb_vec3 p =
      what->bends ? lb_bent_vertex(s->r, frame, what->elastic, what->vertex) : what->ball.centre;
  return lb_transform_point(poses(s->r, frame)[what->body], p);
}

static bool is_moving(const scan* s, const subject* what) {
  return what->loose || lb_body_moves(s->r->model, what->body);
}

enum { CORNERS = 8 };

// The vertices of an elastic body that lie farthest out, seen from the corners of a cube.
static void collect_elastic(scan* s, int e) {
  const lb_model_elastic* b = &s->r->model->elastic.body[e];
  const lb_shape whole = {.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = &b->surface};
  const double size = lb_shape_ball(&whole).radius;
  for (int c = 0; c < CORNERS && b->surface.nvertex > 0; c++) {
    const lb_vec3 way = {c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1};
    int best = 0;
    for (int i = 1; i < b->surface.nvertex; i++) {
      const lb_vec3 d = lb_vec3_sub(b->surface.vertex[i], b->surface.vertex[best]);
      best = lb_vec3_dot(d, way) > 0 ? i : best;
    }
    s->subject[s->nsubject++] =
        (subject){.body = b->body, .size = size, .bends = true, .elastic = e, .vertex = best};
  }
}

static bool collect(scan* s, lb_arena* arena) {
  const lb_model* m = s->r->model;
  s->subject = LB_TAKE(arena, subject,
                       LB_CONTACTS_MOST * m->look.nshape + CORNERS * m->elastic.count + m->nbody +
                           m->particles.nparticle);
  if (!s->subject) {
    return false;
  }
  for (int i = 0; i < m->look.nshape; i++) {
    const lb_model_shape* shape = &m->look.shape[i];
    const double size = lb_shape_ball(&shape->shape).radius;
    lb_ball ball[LB_CONTACTS_MOST];
    const int n = lb_shape_contacts(&shape->shape, arena, ball);
    for (int k = 0; k < n; k++) {
      ball[k].centre = lb_transform_point(shape->pose, ball[k].centre);
      s->subject[s->nsubject++] = (subject){.body = shape->body, .ball = ball[k], .size = size};
    }
  }
  for (int e = 0; e < m->elastic.count; e++) {
    collect_elastic(s, e);
  }
  for (int i = 0; i < m->particles.nparticle; i++) {
    if (m->particles.particle[i].link == LB_PARTICLE_FREE) {
      s->subject[s->nsubject++] = (subject){.body = LB_WORLD, .loose = true, .node = i};
    }
  }
  for (int b = 0; b < m->nbody; b++) {
    s->subject[s->nsubject++] = (subject){.body = b};
  }
  return true;
}

static bool mark_carriers(scan* s, lb_arena* arena) {
  const lb_model* m = s->r->model;
  s->carries = LB_TAKE(arena, bool, m->nlink);
  for (int i = 0; i < m->nlink && s->carries; i++) {
    if (m->link.parent[i] != LB_WORLD) {
      s->carries[m->link.parent[i]] = true;
    }
  }
  return s->carries;
}

static bool in_sight(const scan* s, const subject* what, lb_vec3 p) {
  return !what->lost || lb_vec3_norm(lb_vec3_sub(p, s->centre)) <= s->sight;
}

// Does it stay within so many times the size of all at the start?
static bool stays(const scan* s, const subject* what, double reach) {
  for (int f = 0; f < s->nframe; f++) {
    if (!(lb_vec3_norm(lb_vec3_sub(place(s, f, what), s->centre)) <= reach)) {
      return false;
    }
  }
  return true;
}

// A part that gets lost does not make a dot of what stays.
static void limit_sight(scan* s) {
  const lb_recording* r = s->r;
  const lb_extent start = r->nframe > 0 ? lb_model_extent(r->model, r->pose, r->q) : (lb_extent){0};
  s->centre = start.centre;
  s->sight = isfinite(start.size) ? start.size : 0;
  bool any = false;
  for (int i = 0; i < s->nsubject && s->sight > 0; i++) {
    subject* what = &s->subject[i];
    what->lost = is_moving(s, what) && !stays(s, what, LOST * s->sight);
    any = any || (is_moving(s, what) && !what->lost);
  }
  for (int i = 0; i < s->nsubject && !any; i++) {
    s->subject[i].lost = false;
  }
}

// All that moves, all the time; where nothing does, all there is.
static lb_box moving_box(const scan* s) {
  lb_box b = lb_box_empty();
  for (int i = 0; i < s->nsubject; i++) {
    for (int f = 0; f < s->nframe && is_moving(s, &s->subject[i]); f++) {
      const lb_vec3 p = place(s, f, &s->subject[i]);
      if (in_sight(s, &s->subject[i], p)) {
        lb_box_include(&b, p, s->subject[i].ball.radius);
      }
    }
  }
  for (int i = 0; i < s->nsubject && lb_box_is_empty(&b); i++) {
    if (s->nframe || s->subject[i].body == LB_WORLD) {
      lb_box_include(&b, place(s, 0, &s->subject[i]), s->subject[i].ball.radius);
    }
  }
  return b;
}

// Things that stand still belong in the picture when they are near and not much larger than what
// moves: a stand, but not the ground.
static lb_box with_stands(scan* s, lb_box moving) {
  const lb_vec3 centre = lb_box_centre(&moving);
  const double size = lb_box_radius(&moving);
  lb_box b = moving;
  for (int i = 0; i < s->nsubject; i++) {
    subject* what = &s->subject[i];
    if (!is_moving(s, what) && (s->nframe || what->body == LB_WORLD)) {
      const lb_vec3 p = place(s, 0, what);
      const double away = lb_vec3_norm(lb_vec3_sub(p, centre));
      what->left_out = what->size > 0.75 * size || away > 2 * size;
      if (!what->left_out) {
        lb_box_include(&b, p, what->ball.radius);
      }
    }
  }
  return b;
}

static double near_radius(const scan* s) {
  double radius = 0;
  for (int f = 0; f < s->nframe; f++) {
    const lb_vec3 middle = lb_view_middle(s->r, lb_frame_shown(s->r->nframe, s->nframe, f));
    for (int i = 0; i < s->nsubject; i++) {
      if (is_moving(s, &s->subject[i])) {
        const lb_vec3 p = place(s, f, &s->subject[i]);
        const double reach = lb_vec3_norm(lb_vec3_sub(p, middle)) + s->subject[i].ball.radius;
        radius = isfinite(reach) && in_sight(s, &s->subject[i], p) ? fmax(radius, reach) : radius;
      }
    }
  }
  return radius;
}

// Direction of least spread in the ground plane, from the second moments of all the places.
static double best_azimuth(const scan* s, lb_vec3 centre) {
  double xx = 0, xy = 0, yy = 0;
  for (int i = 0; i < s->nsubject; i++) {
    for (int f = 0; f < s->nframe && is_moving(s, &s->subject[i]); f++) {
      const lb_vec3 d = lb_vec3_sub(place(s, f, &s->subject[i]), centre);
      if (isfinite(d.x + d.y) && in_sight(s, &s->subject[i], place(s, f, &s->subject[i]))) {
        xx += d.x * d.x;
        xy += d.x * d.y;
        yy += d.y * d.y;
      }
    }
  }
  const double mean = (xx + yy) / 2, apart = hypot((xx - yy) / 2, xy);
  const bool one_sided = apart > 0.25 * mean && mean > 0;
  // The axis of most spread is known up to its sign: point it to the right, x before y.
  double along = one_sided ? atan2(2 * xy, xx - yy) / 2 : 0;
  along = along < -PI / 4 ? along + PI : along;
  return along - PI / 2 + TURN;
}

// True when no tree is held by the world.
static bool all_free(const lb_model* m) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.parent[i] == LB_WORLD && m->link.kind[i] != LB_LINK_TENDON &&
        m->joint.kind[m->link.joint[i]] != LB_JOINT_FREE) {
      return false;
    }
  }
  return m->nlink > 0;
}

// A motion that goes mostly down or up is seen as a whole: followed, it would not be seen at all.
static bool falls(lb_box moving) {
  const lb_vec3 wide = lb_vec3_sub(moving.high, moving.low);
  return wide.z > hypot(wide.x, wide.y);
}

static double path_length(const scan* s, int body) {
  double length = 0;
  const subject what = {.body = body, .ball = {.centre = s->r->model->body.mass[body].com}};
  for (int f = 1; f < s->nframe; f++) {
    length += lb_vec3_norm(lb_vec3_sub(place(s, f, &what), place(s, f - 1, &what)));
  }
  return isfinite(length) ? length : 0;
}

// The ends of the trees that travel farthest, longest path first.
static void choose_traces(lb_view* view, const scan* s) {
  const lb_model* m = s->r->model;
  double length[LB_TRACE_MOST];
  for (int b = 0; b < m->nbody; b++) {
    const bool candidate = lb_body_moves(m, b) && !s->carries[m->body.link[b]];
    const double l = candidate ? path_length(s, b) : 0;
    // Insert, pushing shorter ones towards the end and out.
    int i = view->ntrace;
    for (; i > 0 && length[i - 1] < l; i--) {
      if (i < LB_TRACE_MOST) {
        length[i] = length[i - 1];
        view->trace[i] = view->trace[i - 1];
      }
    }
    if (l > 0 && i < LB_TRACE_MOST) {
      length[i] = l;
      view->trace[i] = b;
      view->ntrace += view->ntrace < LB_TRACE_MOST;
    }
  }
}

lb_axes lb_view_axes(const lb_view* view) {
  const double ca = cos(view->azimuth), sa = sin(view->azimuth);
  const double ce = cos(view->elevation), se = sin(view->elevation);
  return (lb_axes){
      .right = {-sa, ca, 0}, .up = {-se * ca, -se * sa, ce}, .eye = {ce * ca, ce * sa, se}};
}

// Move the centre to the middle of what the camera sees, and measure that.
static void fit(lb_view* view, const scan* s) {
  const lb_axes a = lb_view_axes(view);
  lb_box b = lb_box_empty();
  for (int i = 0; i < s->nsubject; i++) {
    const subject* what = &s->subject[i];
    const int n = is_moving(s, what) ? s->nframe : s->nframe > 0 || what->body == LB_WORLD;
    for (int f = 0; f < n && !what->left_out; f++) {
      const lb_vec3 p = place(s, f, what);
      if (!is_moving(s, what) || in_sight(s, what, p)) {
        lb_box_include(
            &b, lb_vec3_make(lb_vec3_dot(a.right, p), lb_vec3_dot(a.up, p), lb_vec3_dot(a.eye, p)),
            what->ball.radius);
      }
    }
  }
  if (lb_box_is_empty(&b)) {
    b = (lb_box){{0, 0, 0}, {0, 0, 0}};
  }
  const lb_vec3 c = lb_box_centre(&b);
  const lb_vec3 half = lb_vec3_scale(0.5, lb_vec3_sub(b.high, b.low));
  view->centre = lb_vec3_add(lb_vec3_add(lb_vec3_scale(c.x, a.right), lb_vec3_scale(c.y, a.up)),
                             lb_vec3_scale(c.z, a.eye));
  const double size = lb_vec3_norm(half);
  view->radius = size > 0 ? size : 1;
  view->wide = size > 0 ? half.x : 1;
  view->tall = size > 0 ? half.y : 1;
  view->deep = size > 0 ? half.z : 1;
}

// Below everything, large scenery included, so that a grid never shows on top of a floor; a little
// more, since planes have no thickness.
static double ground(const scan* s, double floor, double size) {
  static const double BELOW = 0.01;
  double low = floor;
  for (int i = 0; i < s->nsubject; i++) {
    const subject* what = &s->subject[i];
    if (what->left_out && what->body == LB_WORLD && isfinite(what->ball.centre.z)) {
      low = fmin(low, what->ball.centre.z - what->ball.radius - BELOW * size);
    }
  }
  return low;
}

// Level grounds and floors are where shadows fall, however deep things sank into them.
static double level_ground(const lb_model* m, double floor, double below) {
  static const double LEVEL = 0.999;
  for (int i = 0; i < m->force.count; i++) {
    const lb_scene_force* f = &m->force.item[i].set;
    const bool level = f->kind == LB_FORCE_GROUND && f->along.z > LEVEL;
    floor = level && f->at.z < below ? fmax(floor, f->at.z) : floor;
  }
  return floor;
}

bool lb_view_make(lb_view* view, const lb_recording* recording) {
  lb_arena arena;
  lb_arena_init(&arena, recording->allocator);
  scan s = {.r = recording, .nframe = lb_frames_shown(recording->nframe, SAMPLES)};
  if (!collect(&s, &arena) || !mark_carriers(&s, &arena)) {
    lb_arena_release(&arena);
    return false;
  }
  limit_sight(&s);
  const lb_box moving = moving_box(&s);
  const bool empty = lb_box_is_empty(&moving);
  const lb_box b = empty ? (lb_box){{0, 0, 0}, {0, 0, 0}} : with_stands(&s, moving);
  *view = (lb_view){.elevation = ELEVATION,
                    .floor = b.low.z,
                    .ground = ground(&s, b.low.z, empty ? 0 : lb_box_radius(&moving))};
  view->azimuth = best_azimuth(&s, lb_vec3_scale(0.5, lb_vec3_add(b.low, b.high)));
  fit(view, &s);
  view->near = fmin(view->radius, near_radius(&s));
  view->near = view->near > 0 ? view->near : view->radius;
  const bool far = all_free(recording->model) && view->radius > FAR * view->near;
  view->whole = !far || falls(moving);
  view->follow = far && (!view->whole || view->radius > DOT * view->near);
  view->floor = level_ground(recording->model, view->floor, view->centre.z);
  choose_traces(view, &s);
  lb_arena_release(&arena);
  return true;
}
