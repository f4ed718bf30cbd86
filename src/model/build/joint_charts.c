// Charts from joints: each kind is a few factors in a row.
#include "model/build/joint_charts.h"

#include <math.h>

#include "math/curve/time_profile.h"
#include "math/space/se3.h"

// A chart under construction, its factors in an array that grows.
typedef struct builder {
  lb_arena* arena;
  lb_chart chart;
  lb_factor* factor;
  int capacity;
  lb_factor refused; // written to without memory
} builder;

static lb_factor* add_factor(builder* b, const lb_factor_type* type) {
  lb_factor* grown = LB_GROW(b->arena, b->factor, b->chart.nfactor, &b->capacity);
  b->factor = grown ? grown : b->factor;
  lb_factor* f = grown ? &grown[b->chart.nfactor++] : &b->refused;
  *f = (lb_factor){.type = type, .first = b->chart.n};
  return f;
}

static void add_screw(builder* b, lb_vec3 turn, lb_vec3 shift) {
  add_factor(b, &lb_factor_screw)->screw = (lb_motion){lb_v4_from(turn), lb_v4_from(shift)};
  b->chart.n++;
}

static void add_turn(builder* b, lb_vec3 axis) {
  add_screw(b, axis, lb_vec3_make(0, 0, 0));
}

static void add_shift(builder* b, lb_vec3 axis) {
  add_screw(b, lb_vec3_make(0, 0, 0), axis);
}

static lb_vec3 unit(int axis) {
  return lb_vec3_make(axis == 0, axis == 1, axis == 2);
}

static void add_rotation(builder* b, lb_turn_order order) {
  static const int AXES[LB_TURN_COUNT][3] = {
#define AXES_OF(code, name, i, j, k) [code] = {i, j, k},
      LB_TURN_LIST(AXES_OF)};
  if (order == LB_TURN_EXPONENTIAL) {
    add_factor(b, &lb_factor_exponential);
    b->chart.n += 3;
    return;
  }
  for (int i = 0; i < 3; i++) {
    add_turn(b, unit(AXES[order][i]));
  }
}

static void revolute(builder* b, const lb_scene_joint* j) {
  add_turn(b, j->axis);
}

static void prismatic(builder* b, const lb_scene_joint* j) {
  add_shift(b, j->axis);
}

static void universal(builder* b, const lb_scene_joint* j) {
  add_turn(b, j->axis);
  add_turn(b, j->axis2);
}

static void planar(builder* b, const lb_scene_joint* j) {
  add_shift(b, j->axis);
  add_shift(b, j->axis2);
}

static void translational(builder* b, const lb_scene_joint* j) {
  (void)j;
  for (int i = 0; i < 3; i++) {
    add_shift(b, unit(i));
  }
}

static void helical(builder* b, const lb_scene_joint* j) {
  add_screw(b, j->axis, lb_vec3_scale(j->pitch / (2 * M_PI), j->axis));
}

static void euler(builder* b, const lb_scene_joint* j) {
  add_rotation(b, j->order);
}

static void exponential(builder* b, const lb_scene_joint* j) {
  (void)j;
  add_rotation(b, LB_TURN_EXPONENTIAL);
}

static void free_2d(builder* b, const lb_scene_joint* j) {
  planar(b, j);
  add_turn(b, lb_vec3_cross(j->axis, j->axis2));
}

static void free_3d(builder* b, const lb_scene_joint* j) {
  if (j->rotation_first) {
    add_rotation(b, j->order);
  }
  translational(b, j);
  if (!j->rotation_first) {
    add_rotation(b, j->order);
  }
}

static void curve(builder* b, const lb_scene_joint* j) {
  lb_factor* f = add_factor(b, &lb_factor_curve);
  b->chart.n++;
  lb_m3* R = LB_TAKE(b->arena, lb_m3, j->spline.nframe);
  lb_v4* p = LB_TAKE(b->arena, lb_v4, j->spline.nframe);
  lb_motion* way = LB_TAKE(b->arena, lb_motion, j->spline.nframe);
  if (lb_arena_status(b->arena) != LB_OK) {
    return;
  }
  for (int i = 0; i < j->spline.nframe; i++) {
    const lb_transform X = j->spline.frame[i], next = j->spline.frame[(i + 1) % j->spline.nframe];
    const lb_twist x = lb_se3_log(lb_transform_mul(lb_transform_inverse(X), next));
    R[i] = lb_m3_rotation(X.q);
    p[i] = lb_v4_from(X.p);
    way[i] = (lb_motion){lb_v4_from(x.w), lb_v4_from(x.v)};
  }
  f->count = j->spline.nframe;
  f->cyclic = j->spline.cyclic;
  f->frame_R = R;
  f->frame_p = p;
  f->way = way;
}

static void surface(builder* b, const lb_scene_joint* j) {
  lb_factor* f = add_factor(b, &lb_factor_surface);
  b->chart.n += 2;
  f->rows = j->spline.rows;
  f->columns = j->spline.columns;
  for (int k = 0; k < 6; k++) {
    const double* control = j->spline.control[k];
    f->control[k] = control ? LB_COPY(b->arena, control, f->rows * f->columns) : NULL;
  }
}

// The angles are those of turns about x, y and z; the first two put it on the surface.
static void ellipsoid(builder* b, const lb_scene_joint* j) {
  add_factor(b, &lb_factor_ellipsoid)->p = lb_v4_from(j->radii);
  add_rotation(b, LB_TURN_XYZ);
}

static void nothing(builder* b, const lb_scene_joint* j) {
  (void)b, (void)j;
}

static void composite(builder* b, const lb_scene_joint* j);

static void (*const BUILD[LB_JOINT_COUNT])(builder* b, const lb_scene_joint* j) = {
    [LB_JOINT_FIXED] = nothing,           [LB_JOINT_REVOLUTE] = revolute,
    [LB_JOINT_PRISMATIC] = prismatic,     [LB_JOINT_UNIVERSAL] = universal,
    [LB_JOINT_PLANAR] = planar,           [LB_JOINT_TRANSLATIONAL] = translational,
    [LB_JOINT_HELICAL] = helical,         [LB_JOINT_EULER] = euler,
    [LB_JOINT_EXPONENTIAL] = exponential, [LB_JOINT_FREE_2D] = free_2d,
    [LB_JOINT_FREE_3D] = free_3d,         [LB_JOINT_CURVE] = curve,
    [LB_JOINT_SURFACE] = surface,         [LB_JOINT_COMPOSITE] = composite,
    [LB_JOINT_ELLIPSOID] = ellipsoid,
};

// Is there a part that moves by coordinate k of the joint, which belongs to another?
static bool is_followed(const lb_scene_joint* j, int k) {
  bool any = false;
  for (int i = 0; i < j->npart; i++) {
    any |= j->part[i].follows && j->part[i].leader == k;
  }
  return any;
}

// A hinge or slide by a function of its own coordinate, or of another part's; `first` is that of
// the whole joint.
static void add_function(builder* b, const lb_scene_joint* part, int first) {
  const lb_vec3 none = {0, 0, 0};
  const bool turns = part->kind == LB_JOINT_REVOLUTE;
  lb_profile* profile = NULL;
  if (part->profile.count > 0) {
    lb_profile_create(b->arena, &part->profile, &profile); // else the arena has failed
  }
  lb_factor* f = add_factor(b, &lb_factor_function);
  f->screw =
      (lb_motion){lb_v4_from(turns ? part->axis : none), lb_v4_from(turns ? none : part->axis)};
  f->profile = profile;
  f->follows = part->follows;
  f->first = part->follows ? first + part->leader : f->first;
  b->chart.n += !part->follows;
}

static void composite(builder* b, const lb_scene_joint* j) {
  const int first = b->chart.n;
  for (int i = 0; i < j->npart; i++) {
    const lb_scene_joint* part = &j->part[i];
    lb_factor* f = add_factor(b, &lb_factor_frame);
    f->R = lb_m3_rotation(part->in_parent.q);
    f->p = lb_v4_from(part->in_parent.p);
    const bool leads = (part->kind == LB_JOINT_REVOLUTE || part->kind == LB_JOINT_PRISMATIC) &&
                       is_followed(j, b->chart.n - first);
    if (part->follows || part->profile.count > 0 || leads) {
      add_function(b, part, first);
    } else {
      BUILD[part->kind](b, part);
    }
  }
}

bool lb_joint_has_chart(const lb_scene_joint* j) {
  return j->kind > LB_JOINT_FREE || j->kind == LB_JOINT_FIXED;
}

lb_status lb_joint_chart(const lb_scene_joint* j, lb_arena* arena, const lb_chart** chart) {
  builder b = {.arena = arena};
  BUILD[j->kind](&b, j);
  lb_chart* made = LB_TAKE(arena, lb_chart, 1);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  *made = b.chart;
  made->factor = b.factor;
  *chart = made;
  return LB_OK;
}

// --- settings ---

lb_coordinate_settings lb_joint_coordinate(const lb_scene_joint* j, int k) {
  const double lower = j->lower[k], upper = j->upper[k]; // of a composite joint: its ranges
  for (int i = 0; i < j->npart; i++) {
    const int n = lb_joint_count_v(&j->part[i]);
    if (k < n) {
      lb_coordinate_settings own = lb_joint_coordinate(&j->part[i], k);
      own.lower = own.resistance.limit_stiffness > 0 ? own.lower : fmax(own.lower, lower);
      own.upper = own.resistance.limit_stiffness > 0 ? own.upper : fmin(own.upper, upper);
      return own;
    }
    k -= n;
  }
  const bool turns = lb_joint_slides_and_turns(j) && lb_joint_counts(j, k) == LB_COORDINATE_ANGLE;
  return (lb_coordinate_settings){.resistance = turns ? j->turn : j->resistance,
                                  .rest = j->rest[k],
                                  .lower = j->lower[k],
                                  .upper = j->upper[k]};
}
