// Paths: points and surfaces of bodies become those of links; senses of wrapping, lengths of
// tendons and masses that are taken from bodies go by the start.
#include <math.h>
#include <string.h>

#include "geom/path/wrap_network.h"
#include "math/curve/time_profile.h"
#include "model/build/build.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

// What a path is of, for messages.
typedef struct owner {
  const char *word, *name;
  lb_place place;
} owner;

static lb_status refuse(lb_build* b, const owner* of, const char* why) {
  return lb_error_add(b->err, LB_INVALID, of->place, "%s '%s' %s", of->word, of->name, why);
}

// --- items ---

static lb_profile* function_of(lb_build* b, const lb_function_definition* f) {
  static const lb_profile_kind kind[LB_FUNCTION_COUNT] = {
      [LB_FUNCTION_CONSTANT] = LB_PROFILE_POLYNOMIAL,
      [LB_FUNCTION_SPLINE] = LB_PROFILE_NATURAL,
      [LB_FUNCTION_LINEAR] = LB_PROFILE_LINEAR,
      [LB_FUNCTION_POLYNOMIAL] = LB_PROFILE_POLYNOMIAL};
  const bool constant = f->kind == LB_FUNCTION_CONSTANT;
  double value = f->value;
  const lb_profile_definition definition = {.kind = kind[f->kind],
                                            .count = constant ? 1 : f->count,
                                            .time = (double*)f->x,
                                            .value = constant ? &value : (double*)f->y,
                                            .beyond = LB_BEYOND_LINE};
  return lb_build_profile(b, &definition);
}

static void find_coordinate(const lb_build* b, int joint, int coordinate, int* q, int* v) {
  const int link = b->joint_link[b->scene->joint[joint].child];
  *q = b->m->link.q[link] + coordinate;
  *v = b->m->link.v[link] + coordinate;
}

// Where functions put a moving point at the start of a joint that closes a loop. Such a joint has
// no coordinate: this model has only poses, and the loop is still to be split. The point is fixed
// there, and a conditional one counts.
static lb_vec3 fixed_place(lb_build* b, const lb_scene_path_point* from) {
  const double q = b->scene->joint[from->follows].q[from->coordinate];
  double at[3][3] = {0};
  for (int k = 0; k < 3; k++) {
    const lb_profile* along = function_of(b, &from->along[k]);
    if (along) {
      lb_profile_evaluate(along, q, at[k]);
    }
  }
  return lb_vec3_make(at[0][0], at[1][0], at[2][0]);
}

// A network of the model's own.
static const lb_wrap_network* keep_network(lb_build* b, const lb_wrap_network* from) {
  lb_wrap_network* own = LB_COPY(b->arena, from, 1);
  if (own) {
    own->net.weight = LB_COPY(b->arena, from->net.weight, lb_network_count(&from->net));
  }
  return own && own->net.weight ? own : NULL;
}

static lb_status build_item(lb_build* b, lb_path_item* to, const lb_scene_path_point* from) {
  const lb_scene_joint* joint = b->scene->joint;
  const bool loop = from->follows >= 0 && joint[from->follows].loop,
             moves = from->follows >= 0 && !loop;
  *to = (lb_path_item){.q = -1, .v = -1, .condition = -1, .condition_v = -1};
  if (from->wrap >= 0) {
    const lb_scene_wrap* w = &b->scene->wrap[from->wrap];
    to->wraps = true;
    to->at = lb_model_anchor(b->m, w->body, -1, w->pose);
    to->body = w->body;
    to->in_body = w->pose;
    const struct lb_wrap_network* network = NULL;
    if (w->network && !(network = keep_network(b, w->network))) {
      return LB_NO_MEMORY;
    }
    to->wrap = (lb_wrap){
        .kind = w->kind, .size = w->size, .band = w->smooth, .side = w->side, .network = network};
    return LB_OK;
  }
  to->body = from->body;
  to->in_body = (lb_transform){lb_quat_identity(), moves  ? lb_vec3_make(0, 0, 0)
                                                   : loop ? fixed_place(b, from)
                                                          : from->at};
  to->at = lb_model_anchor(b->m, from->body, -1, to->in_body);
  if (moves) {
    find_coordinate(b, from->follows, from->coordinate, &to->q, &to->v);
    for (int k = 0; k < 3; k++) {
      to->along[k] = function_of(b, &from->along[k]);
    }
  }
  if (from->condition >= 0 && !joint[from->condition].loop) {
    to->range = (lb_node_range){from->at_least, from->at_most, from->over};
    find_coordinate(b, from->condition, from->condition_coordinate, &to->condition,
                    &to->condition_v);
  }
  return LB_OK;
}

// --- the start ---

static lb_transform frame_at(const lb_anchor* at, const lb_transform* pose) {
  return at->link == LB_WORLD ? at->X : lb_transform_mul(pose[at->link], at->X);
}

static void places_at(const lb_model_path* path, const lb_transform* pose, const double* q,
                      lb_vec3* out) {
  lb_transform frame[LB_PATH_MOST_POINTS];
  for (int i = 0; i < path->count; i++) {
    frame[i] = frame_at(&path->item[i].at, pose);
  }
  lb_path_places(path, frame, q, out);
}

// Walk along a path at the start: calls for each span, with its ends in the surface's frame.
typedef void span_visitor(void* context, lb_path_item* surface, lb_transform X, lb_vec3 p,
                          lb_vec3 q);

static void walk(const lb_model_path* path, const lb_transform* pose, const double* q,
                 span_visitor* visit, void* context) {
  lb_path_item* surface[LB_ROW_MOST];
  int n = 0;
  bool any = false;
  lb_vec3 last = {0}, place[LB_PATH_MOST_POINTS];
  places_at(path, pose, q, place);
  for (int i = 0; i < path->count; i++) {
    lb_path_item* item = &path->item[i];
    if (item->wraps) {
      surface[n++] = item;
    } else if (lb_path_item_counts(item, q)) {
      const lb_vec3 x = place[i];
      for (int k = 0; any && k < (n > 0 ? n : 1); k++) { // surfaces in a row have the same ends
        const lb_transform X = n > 0 ? frame_at(&surface[k]->at, pose) : lb_transform_identity();
        visit(context, n > 0 ? surface[k] : NULL, X, lb_path_into(X, last), lb_path_into(X, x));
      }
      n = 0;
      last = x;
      any = true;
    }
  }
}

// Sense of turning about an axis: a cylinder's own, or the normal of the plane that a mechanism
// keeps the path over a sphere or an ellipsoid in.
typedef struct sensing {
  const lb_build* b;
  const lb_model_path* path;
  const lb_transform* pose;
} sensing;

static const double ON_PLANE = 1e-9; // angle

// All bodies that a path runs over have to keep the plane.
static bool keeps_plane(const sensing* c, lb_vec3 n) {
  int body[LB_PATH_MOST_POINTS];
  for (int i = 0; i < c->path->count; i++) {
    body[i] = c->path->item[i].body;
  }
  return lb_build_keeps_plane(c->b, c->pose, n, c->path->count, body);
}

static bool is_constant(const lb_profile* f) {
  bool same = f->npiece == 1;
  for (int j = 1; j < LB_PROFILE_COEFFICIENTS; j++) {
    same = same && f->piece[0][j] == 0;
  }
  return same;
}

// Whether a point that moves does so along a plane with normal n.
static bool moves_along(const sensing* c, const lb_path_item* item, lb_vec3 n) {
  const lb_vec3 own = lb_quat_rotate(lb_quat_conjugate(frame_at(&item->at, c->pose).q), n);
  bool along = true;
  for (int k = 0; k < 3 && item->v >= 0; k++) {
    along = along && (fabs((&own.x)[k]) < ON_PLANE || is_constant(item->along[k]));
  }
  return along;
}

// Points that come and go, or move, may be ends of a span later: they and, where any come and go,
// all others lie in the plane through o.
static bool points_keep_plane(const sensing* c, lb_vec3 o, lb_vec3 n) {
  lb_vec3 place[LB_PATH_MOST_POINTS];
  bool keep = true, changes = false;
  places_at(c->path, c->pose, c->b->m->start.q, place);
  for (int i = 0; i < c->path->count; i++) {
    changes = changes || c->path->item[i].condition >= 0;
  }
  for (int i = 0; i < c->path->count; i++) {
    const lb_path_item* item = &c->path->item[i];
    const lb_vec3 r = lb_vec3_sub(place[i], o);
    if (!item->wraps && (changes || item->v >= 0)) {
      keep =
          keep && fabs(lb_vec3_dot(n, r)) <= ON_PLANE * lb_vec3_norm(r) && moves_along(c, item, n);
    }
  }
  return keep;
}

static void choose_sense(void* context, lb_path_item* surface, lb_transform X, lb_vec3 p,
                         lb_vec3 q) {
  if (!surface) {
    return;
  }
  lb_wrap* w = &surface->wrap;
  w->sense = lb_wrap_sense(w->side, p, q);
  if (w->kind == LB_WRAP_SPHERE || w->kind == LB_WRAP_ELLIPSOID) {
    const lb_vec3 axis = lb_wrap_axis(w->side, p, q);
    const lb_vec3 n = lb_quat_rotate(X.q, axis);
    const bool keeps = keeps_plane(context, n) && points_keep_plane(context, X.p, n);
    w->axis = keeps ? axis : lb_vec3_make(0, 0, 0);
  }
}

// Length over surfaces in a row, or one, or none.
static double row_length(int n, lb_path_item* const* surface, const lb_transform* pose, lb_vec3 a,
                         lb_vec3 b) {
  lb_path_item* row[LB_ROW_MOST];
  lb_chain_link link[LB_ROW_MOST];
  lb_vec3 m[LB_ROW_MOST];
  int count = 0;
  for (int i = 0; i < n; i++) {
    const lb_transform X = frame_at(&surface[i]->at, pose);
    link[count] = (lb_chain_link){&surface[i]->wrap, lb_quat_matrix(X.q), X.p};
    row[count] = surface[i];
    count += lb_chain_goes_around(&link[count], a, b);
  }
  n = count;
  surface = row;
  if (n > 1) {
    lb_wrap_chain(n, link, a, b, m);
  }
  double sum = n == 0 ? lb_vec3_norm(lb_vec3_sub(b, a)) : 0;
  for (int i = 0; i < n; i++) {
    const lb_transform X = frame_at(&surface[i]->at, pose);
    const lb_path_end p = {.x = lb_path_into(X, i > 0 ? m[i - 1] : a)};
    const lb_path_end q = {.x = lb_path_into(X, i + 1 < n ? m[i] : b)};
    lb_wrap_path path;
    lb_wrap_find(0, &surface[i]->wrap, &path, &p, &q);
    sum += lb_taylor_value(lb_wrap_length(&path));
  }
  return sum;
}

double lb_build_path_length(const lb_model_path* path, const lb_transform* pose, const double* q) {
  lb_path_item* surface[LB_ROW_MOST];
  lb_vec3 last = {0}, place[LB_PATH_MOST_POINTS];
  double sum = 0;
  int n = 0;
  bool any = false;
  places_at(path, pose, q, place);
  for (int i = 0; i < path->count; i++) {
    lb_path_item* item = &path->item[i];
    if (item->wraps) {
      surface[n++] = item;
    } else if (lb_path_item_counts(item, q)) {
      const lb_vec3 x = place[i];
      sum += any ? row_length(n, surface, pose, last, x) : 0;
      any = true;
      last = x;
      n = 0;
    }
  }
  return sum;
}

// --- mass ---

static void spread_mass(lb_path_mass* to, const lb_scene_muscle_mass* from, double length) {
  const double first = from->belly[0], part = from->belly[1] - from->belly[0];
  const double p = first * length, d = (1 - from->belly[1]) * length;
  *to = from->tendon == LB_TENDON_EVEN ? (lb_path_mass){.B0 = first, .B1 = part}
                                       : (lb_path_mass){.A0 = p, .A1 = -(p + d), .B1 = 1};
  to->mass = from->amount;
  to->points = from->points;
}

// Elastic tendons share the slack length as the parts of the path beside the belly. The belly's
// beginning is at p + u, its end at L - d - u', with the stretches u and u' of both.
static void hang_tendons(const lb_build* b, lb_model_path* path, const lb_scene_muscle* from,
                         int first) {
  const double beside[] = {from->mass.belly[0], 1 - from->mass.belly[1]};
  const double all = beside[0] + beside[1];
  for (int e = 0; e < 2 && first >= 0; e++) {
    if (beside[e] > 0) {
      const int link = first + path->ntendon;
      path->tendon[path->ntendon++] = (lb_path_tendon){.q = b->m->link.q[link],
                                                       .v = b->m->link.v[link],
                                                       .slack = from->hill.slack * beside[e] / all,
                                                       .part = beside[e] / all,
                                                       .C0 = e == 0 ? 1 : 0,
                                                       .C1 = -1};
    }
  }
}

// The belly as points of the world, at the start.
typedef struct resting {
  const lb_path_mass* mass;
  double length, at; // of all, of the spans before
  lb_transform body; // in whose frame it is summed up
  lb_mass sum;
} resting;

enum { SAMPLES = 400 };

static void add_resting(void* context, lb_path_item* surface, lb_transform X, lb_vec3 p,
                        lb_vec3 q) {
  resting* r = context;
  const lb_path_mass* m = r->mass;
  lb_wrap_path path;
  const lb_path_end P = {.x = p}, Q = {.x = q};
  lb_wrap_find(0, surface ? &surface->wrap : NULL, &path, &P, &Q);
  const double l = lb_taylor_value(lb_wrap_length(&path));
  for (int i = 0; i < SAMPLES; i++) {
    const double k = (i + 0.5) / SAMPLES;
    const double sigma = m->A0 + k * m->A1 + (m->B0 + k * m->B1) * r->length - r->at;
    if (sigma >= 0 && sigma < l) {
      int piece = 0;
      while (piece + 1 < path.count && sigma > lb_taylor_value(&path.piece[piece].end)) {
        piece++;
      }
      const lb_taylor s = lb_taylor_constant(sigma);
      const lb_taylor3 x = lb_wrap_point(0, &path.piece[piece], &s);
      const lb_vec3 at = lb_transform_point(X, lb_taylor3_lane(&x, 0, 0));
      r->sum = lb_mass_add(r->sum,
                           (lb_mass){.mass = m->mass / SAMPLES, .com = lb_path_into(r->body, at)});
    }
  }
  r->at += l;
}

static lb_sym3 less(lb_sym3 a, lb_sym3 b) {
  return (lb_sym3){a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}

// A body without a part of it: mass, centre, and inertia about the new centre.
static lb_mass without(lb_mass whole, lb_mass part) {
  const double rest = whole.mass - part.mass;
  const lb_vec3 moment =
      lb_vec3_sub(lb_vec3_scale(whole.mass, whole.com), lb_vec3_scale(part.mass, part.com));
  lb_mass left = {.mass = rest, .com = lb_vec3_scale(1 / rest, moment)};
  const lb_mass together = lb_mass_add(left, part); // with no inertia of its own
  left.inertia = less(whole.inertia, together.inertia);
  return left;
}

// No principal moment may be more than the sum of the others: tr/2 - I is positive.
static bool is_solid(lb_mass mass) {
  const lb_sym3 I = mass.inertia;
  const double half = 0.5 * (I.xx + I.yy + I.zz), a = half - I.xx, b = half - I.yy, c = half - I.zz;
  const double det = a * (b * c - I.yz * I.yz) + I.xy * (-I.xy * c - I.yz * I.xz) -
                     I.xz * (I.xy * I.yz + b * I.xz);
  return mass.mass > 0 && a > 0 && b > 0 && c > 0 && a * b > I.xy * I.xy && det > 0;
}

static void sum_link(lb_model* m, int link) {
  lb_mass sum = {0};
  for (int i = 0; i < m->nbody; i++) {
    if (m->body.link[i] == link) {
      sum = lb_mass_add(sum, lb_mass_transform(m->body.in_link[i], m->body.mass[i]));
    }
  }
  m->link.mass[link] = sum;
  lb_link_set_mass(&m->link.packed[link], sum);
}

static lb_status take_mass(lb_build* b, const owner* of, const lb_scene_muscle_mass* from,
                           const lb_model_path* path, double length, const lb_transform* pose) {
  lb_model* m = b->m;
  lb_mass* mass = &m->body.mass[from->from];
  const double f = 1 - from->amount / mass->mass;
  if (!(f > 0)) {
    return lb_error_add(b->err, LB_INVALID, of->place,
                        "%s '%s' takes %g kg from body '%s', which has %g kg", of->word, of->name,
                        from->amount, m->body.name[from->from], mass->mass);
  }
  if (from->rule == LB_TAKE_SCALE) {
    const lb_sym3 I = mass->inertia;
    mass->mass *= f;
    mass->inertia = (lb_sym3){f * I.xx, f * I.yy, f * I.zz, f * I.xy, f * I.xz, f * I.yz};
  } else {
    resting r = {.mass = &path->mass,
                 .length = length,
                 .body = lb_body_pose(m, from->from, pose),
                 .sum = {.mass = 0}};
    walk(path, pose, m->start.q, add_resting, &r);
    const lb_mass left = without(*mass, r.sum);
    if (!is_solid(left)) {
      return lb_error_add(b->err, LB_INVALID, of->place,
                          "%s '%s', as it lies at the start, is no part of body '%s': no solid has "
                          "the inertia that would be left (take less, or choose 'rule: scale')",
                          of->word, of->name, m->body.name[from->from]);
    }
    *mass = left;
  }
  if (m->body.link[from->from] != LB_WORLD) {
    sum_link(m, m->body.link[from->from]);
  }
  return LB_OK;
}

// Least distance from a point to the next.
static void see_distance(void* context, lb_path_item* surface, lb_transform X, lb_vec3 p,
                         lb_vec3 q) {
  (void)surface, (void)X;
  double* least = context;
  *least = fmin(*least, lb_vec3_norm(lb_vec3_sub(q, p)));
}

static lb_status build_mass(lb_build* b, const owner* of, lb_model_path* path,
                            const lb_scene_muscle_mass* from, const lb_transform* pose) {
  for (int i = 0; i < path->count; i++) {
    if (path->item[i].condition >= 0 && !lb_path_item_blends(&path->item[i])) {
      return refuse(b, of,
                    "has mass and a point with 'while', at which its mass would jump (say 'over' "
                    "what part of the coordinate it comes in, such as 'over: 2 deg')");
    }
    if (path->item[i].wraps && path->item[i].wrap.network && from->points == 0) {
      return refuse(b, of,
                    "has mass and runs over a wrap with a 'network', which places mass points "
                    "alone (give 'mass' its 'points', such as 'points: 20')");
    }
  }
  static const double ROUNDING = 1e-9; // of the length
  const double length = lb_build_path_length(path, pose, b->m->start.q);
  double least = INFINITY;
  walk(path, pose, b->m->start.q, see_distance, &least);
  if (!(least > ROUNDING * length)) {
    return refuse(
        b, of,
        "has mass and, at the start, two points in a row at the same place, between which "
        "it has no direction (leave one out, or move it)");
  }
  spread_mass(&path->mass, from, length);
  return from->from >= 0 ? take_mass(b, of, from, path, length, pose) : LB_OK;
}

// --- all of it ---

static bool is_known(const int* v, int n, int which) {
  bool known = false;
  for (int i = 0; i < n; i++) {
    known = known || v[i] == which;
  }
  return known;
}

// Velocities that move its links, and its moving and conditional points.
static bool find_velocities(lb_build* b, lb_model_path* path) {
  const lb_model* m = b->m;
  int* v = path->v = LB_TAKE(b->arena, int, m->nv);
  if (!v) {
    return false;
  }
  for (int i = 0; i < path->count; i++) {
    for (int l = path->item[i].at.link; l != LB_WORLD; l = m->link.parent[l]) {
      for (int k = m->link.v[l]; k < m->link.v[l] + m->link.nv[l]; k++) {
        if (!is_known(v, path->nv, k)) {
          v[path->nv++] = k;
        }
      }
    }
    const lb_path_item* item = &path->item[i];
    const int own[] = {item->v, lb_path_item_blends(item) ? item->condition_v : -1};
    for (int k = 0; k < 2; k++) {
      if (own[k] >= 0 && !is_known(v, path->nv, own[k])) {
        v[path->nv++] = own[k];
      }
    }
  }
  for (int i = 0; i < path->ntendon; i++) {
    v[path->nv++] = path->tendon[i].v;
  }
  return true;
}

// Room that a group of dependent nodes takes; false: there is none.
typedef struct group_room {
  int groups, slopes;
} group_room;

static bool take_room(lb_model_path* path, group_room* room, int nodes, int numbers, int hidden) {
  path->nhidden += hidden;
  room->groups++;
  room->slopes += 3 * 3 * nodes * numbers;
  return path->nhidden <= LB_PATH_HIDDEN && room->groups <= LB_PATH_GROUPS &&
         room->slopes <= LB_PATH_SLOPES;
}

// Surfaces in a row, with those that points which count at times may leave in one.
static lb_status check_rows(lb_build* b, const owner* of, lb_model_path* path, group_room* room) {
  int row = 0;
  bool ok = true;
  for (int i = 0; i < path->count && ok; i++) {
    const lb_path_item* item = &path->item[i];
    if (item->wraps) {
      row++;
    } else if (item->condition < 0) {
      if (row > LB_ROW_MOST) {
        return refuse(b, of,
                      "runs over more than six surfaces in a row (put a point between them)");
      }
      ok = row < 2 || take_room(path, room, row - 1, 3 * (2 + 3 * row), 3 * row);
      row = 0;
    }
  }
  return ok ? LB_OK : refuse(b, of, "runs over too many surfaces in a row (put points between)");
}

// Points that come in over a part of a coordinate lie between points that always count.
static lb_status check_blends(lb_build* b, const owner* of, lb_model_path* path, group_room* room) {
  int n = 0;
  bool ok = true;
  for (int i = 1; i < path->count && ok; i++) {
    const lb_path_item *item = &path->item[i], *last = item - 1;
    const bool blends = lb_path_item_blends(item), blended = lb_path_item_blends(last);
    const lb_path_item* other = blends ? last : item;
    if ((blends || blended) &&
        (other->wraps || (other->condition >= 0 && !lb_path_item_blends(other)))) {
      return refuse(b, of,
                    "has a point that comes in 'over' a part of a coordinate next to a surface or "
                    "to a point that comes in at once (put a point that always counts between "
                    "them)");
    }
    n = blends ? n + 1 : 0;
    if (n > LB_GROUP_NODES) {
      return refuse(b, of, "has more than five points with 'over' in a row");
    }
    const bool ends = blends && (i + 1 == path->count || !lb_path_item_blends(item + 1));
    ok = !ends || take_room(path, room, n, 3 * (2 + n) + n, n);
  }
  return ok ? LB_OK : refuse(b, of, "has too many points with 'over'");
}

lb_status lb_build_path(lb_build* b, const char* word, const lb_scene_muscle* from, int straight,
                        int tendon, const lb_model_path** out) {
  const owner of = {word, from->name, from->place};
  lb_model_path* path = LB_TAKE(b->arena, lb_model_path, 1);
  lb_path_item* item = LB_TAKE(b->arena, lb_path_item, from->npoint);
  lb_status status = path && item ? LB_OK : LB_NO_MEMORY;
  if (status != LB_OK) {
    return status;
  }
  *path = (lb_model_path){.name = lb_build_text(b, from->name),
                          .count = from->npoint,
                          .straight = straight,
                          .item = item};
  for (int i = 0; i < from->npoint && status == LB_OK; i++) {
    status = build_item(b, &item[i], &from->point[i]);
    path->nline += item[i].wraps ? LB_WRAP_LINES : i > 0 ? straight : 1;
  }
  group_room room = {0};
  status = status == LB_OK ? check_rows(b, &of, path, &room) : status;
  status = status == LB_OK ? check_blends(b, &of, path, &room) : status;
  hang_tendons(b, path, from, tendon);
  status = status == LB_OK && !find_velocities(b, path) ? LB_NO_MEMORY : status;
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, b->m->nlink);
  status = status == LB_OK && (!pose || lb_arena_status(b->arena) != LB_OK) ? LB_NO_MEMORY : status;
  if (status == LB_OK) {
    lb_link_poses(b->m, pose, b->m->start.q);
    walk(path, pose, b->m->start.q, choose_sense, &(sensing){b, path, pose});
    *out = path;
    status = from->mass.amount > 0 ? build_mass(b, &of, path, &from->mass, pose) : LB_OK;
  }
  return status;
}

lb_status lb_build_cable_path(lb_build* b, const lb_scene_force* from, const lb_model_path** out) {
  lb_scene_path_point* point = LB_TAKE(b->arena, lb_scene_path_point, from->npoint);
  if (!point) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < from->npoint; i++) {
    point[i] = from->point[i].path ? *from->point[i].path : lb_scene_path_point_default();
    point[i].wrap = from->point[i].wrap - 1;
    point[i].body = from->point[i].body;
    point[i].at = from->point[i].at;
  }
  const lb_scene_muscle like = {
      .name = from->name, .place = from->place, .npoint = from->npoint, .point = point};
  return lb_build_path(b, "cable", &like, 1, -1, out);
}

void lb_build_tube(lb_model* m, const lb_model_path* path, double radius, int material) {
  m->look.tube[m->look.ntube++] = (lb_model_tube){path->name, path, radius, material, -1, {0, 1}};
  m->look.ntube_line += path->nline;
}
