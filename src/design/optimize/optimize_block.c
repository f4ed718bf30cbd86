// Parameters as blocks of numbers: what they are in the model, and their values and bounds.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "math/curve/time_profile.h"
#include "model/build/joint_charts.h"
#include "model/build/split_bodies.h"
#include "model/use/motor_use.h"

typedef struct maker {
  lb_optimizing* o;
  const lb_scene* s;
  lb_error* err;
} maker;

const lb_spring_number lb_number_of_spring[LB_PARAMETER_COUNT] = {
    [LB_PARAMETER_STIFFNESS] = LB_SPRING_STIFFNESS,
    [LB_PARAMETER_DAMPING] = LB_SPRING_DAMPING,
    [LB_PARAMETER_TURN_STIFFNESS] = LB_SPRING_STIFFNESS,
    [LB_PARAMETER_TURN_DAMPING] = LB_SPRING_DAMPING,
    [LB_PARAMETER_REST] = LB_SPRING_REST};

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// --- what can be said before there is a model ---

// Is the last key of a curve that repeats the first one again? Then they stay the same.
static bool comes_round(const lb_profile_definition* p) {
  const int last = p->count - 1;
  return p->period > 0 && p->kind != LB_PROFILE_BSPLINE && last > 0 &&
         p->time[last] == p->time[0] + p->period && p->value[last] == p->value[0];
}

// A few values matter at a time.
static bool is_local(const lb_profile_definition* p) {
  return p->kind != LB_PROFILE_CUBIC && !(p->period > 0);
}

// Curves are linear in their values.
static bool find_units(lb_optimizing* o, lb_block* b) {
  b->unit = LB_TAKE(&o->arena, lb_profile*, b->count);
  double* x = LB_TAKE(&o->arena, double, b->count);
  bool ok = b->unit && x;
  for (int i = 0; i < b->count && ok; i++) {
    x[i] = 1;
    const lb_profile_definition p = lb_curve_make(&o->arena, b, x);
    ok = p.value && lb_profile_create(&o->arena, &p, &b->unit[i]) == LB_OK;
    x[i] = 0;
  }
  return ok;
}

static bool spread_knots(lb_optimizing* o, lb_block* b, const lb_scene_motor* motor) {
  lb_profile_definition* p = &b->profile;
  *p = motor->profile;
  if (b->p->knots > 0) {
    *p = (lb_profile_definition){.kind = LB_PROFILE_LINEAR, .count = b->p->knots};
    p->time = LB_TAKE(&o->arena, double, p->count);
    for (int i = 0; p->time && i < p->count; i++) {
      p->time[i] = o->public.scene->duration * i / (p->count - 1);
    }
  }
  b->count = p->count - comes_round(p);
  return p->time != NULL && (is_local(p) || find_units(o, b));
}

bool lb_block_turns(const lb_block* b) {
  return b->p->kind == LB_PARAMETER_TURN_STIFFNESS || b->p->kind == LB_PARAMETER_TURN_DAMPING;
}

bool lb_joint_has_quaternion(const lb_scene_joint* joint) {
  return lb_joint_count_q(joint) != lb_joint_count_v(joint);
}

static int count_numbers(const lb_scene* s, const lb_scene_parameter* p) {
  int first = 0;
  const int joint =
      p->owner == LB_OWNER_JOINT ? lb_joint_count_v(lb_parameter_joint(s, p, &first)) : 0;
  switch (p->kind) {
  case LB_PARAMETER_POSITION:
  case LB_PARAMETER_VELOCITY:
    return joint ? joint : 3;
  case LB_PARAMETER_ROTATION:
  case LB_PARAMETER_SPIN:
    return 3;
  case LB_PARAMETER_REST:
    return joint ? joint : 1;
  default:
    return 1;
  }
}

lb_status lb_parameters_make(lb_optimizing* o, lb_error* err) {
  const lb_scene* s = o->public.scene;
  const lb_scene_optimize* what = &s->optimize;
  o->nblock = what->nparameter;
  o->block = LB_TAKE(&o->arena, lb_block, o->nblock);
  o->public.first = LB_TAKE(&o->arena, int, o->nblock + 1);
  o->growth = LB_TAKE(&o->arena, lb_growth, o->nblock + s->njoint); // one may be of parts
  o->said = LB_TAKE(&o->arena, lb_said, o->nblock);
  if (!o->block || !o->public.first || !o->growth || !o->said) {
    return no_memory(err);
  }
  for (int i = 0; i < o->nblock; i++) {
    lb_block* b = &o->block[i];
    b->p = &what->parameter[i];
    b->loop = b->said = -1;
    b->count = count_numbers(s, b->p);
    if (b->p->owner == LB_OWNER_JOINT) {
      lb_parameter_joint(s, b->p, &b->part);
    }
    if (b->p->kind == LB_PARAMETER_MOTOR && !spread_knots(o, b, &s->motor[b->p->index])) {
      return no_memory(err);
    }
    b->first = o->public.first[i];
    o->public.first[i + 1] = b->first + b->count;
  }
  o->public.nvalue = o->public.first[o->nblock];
  return LB_OK;
}

// --- joints and free bodies in the model ---

static int find_free(const lb_model* m, int body) {
  int j = 0;
  while (j < m->njoint && !(m->joint_kind[j] == LB_JOINT_FREE && m->joint_body[j] == body)) {
    j++;
  }
  return j;
}

int lb_optimizing_loop(const lb_model* m, const char* name) {
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].kind != LB_JOINT_FREE && strcmp(m->loop[i].name, name) == 0) {
      return i; // free ones are points that are prescribed
    }
  }
  return -1;
}

// Those that share the joint's stiffness and damping: where a joint both slides and turns, its
// distances or its angles.
static lb_status find_coordinates(maker* k, lb_block* b, const lb_scene_joint* j) {
  const bool mixed = lb_joint_slides_and_turns(j);
  const lb_coordinate wanted = lb_block_turns(b) ? LB_COORDINATE_ANGLE : LB_COORDINATE_LENGTH;
  b->coordinate = LB_TAKE(&k->o->arena, int, lb_joint_count_v(j));
  for (int i = 0; b->coordinate && i < lb_joint_count_v(j); i++) {
    if (!mixed || lb_joint_counts(j, i) == wanted) {
      b->coordinate[b->ncoordinate++] = b->own_v + i;
    }
  }
  return b->coordinate ? LB_OK : no_memory(k->err);
}

// Joints have numbers in the model as one of its joints or of its loops.
static lb_status find_resistance(maker* k, lb_block* b) {
  const lb_model* m = k->o->model;
  const char* name = k->s->joint[b->p->index].name;
  const int own = lb_model_joint(m, name);
  int first = 0;
  if (own < 0) {
    b->loop = lb_optimizing_loop(m, name);
    return LB_OK;
  }
  b->own_q = m->joint_q[own] + b->part;
  b->own_v = m->joint_v[own] + b->part;
  return b->p->kind == LB_PARAMETER_REST
             ? LB_OK
             : find_coordinates(k, b, lb_parameter_joint(k->s, b->p, &first));
}

static lb_status find_block(maker* k, lb_block* b) {
  const lb_model* tree = k->o->tree;
  const lb_scene_parameter* p = b->p;
  const bool joint = p->owner == LB_OWNER_JOINT;
  if (p->kind <= LB_PARAMETER_SPIN) {
    const int j =
        joint ? lb_model_joint(tree, k->s->joint[p->index].name) : find_free(tree, p->index);
    if (j < 0) {
      lb_said_find(k->o, b, k->s->joint[p->index].name);
      return LB_OK;
    }
    b->q = tree->joint_q[j] + b->part;
    b->v = tree->joint_v[j] + b->part;
    return LB_OK;
  }
  return joint ? find_resistance(k, b) : LB_OK;
}

// --- masses and lengths ---

// `origin`: where in the body the part's frame is, which moves along; NULL: it is the body's.
static void add_growth(maker* k, const lb_block* b, int part, const lb_vec3* origin) {
  lb_optimizing* o = k->o;
  const lb_vec3 root = lb_body_root(k->s, b->p->index), none = {0};
  const lb_vec3 x0 = origin ? lb_vec3_sub(root, *origin) : root;
  o->growth[o->ngrowth++] = lb_growth_make(o->model, b->p->index, part, x0, b->p->along,
                                           origin ? lb_vec3_sub(*origin, root) : none);
}

// The part of a body that a joint carries which splits it. Where that moves along a body that may
// get longer, its frame is where the joint holds it.
static void add_split(maker* k, const lb_block* b, int joint) {
  const lb_optimizing* o = k->o;
  const bool carried = o->slid.joint[joint].child != b->p->index;
  const int part = o->model->joint_body[lb_model_joint(o->model, k->s->joint[joint].name)];
  add_growth(k, b, part, carried ? &k->s->joint[joint].in_child.p : NULL);
}

// The model has drags in the order of the bodies that have one and move.
static int find_drag(const maker* k, int body) {
  int n = 0;
  for (int i = 0; i <= body; i++) {
    const lb_scene_body* b = &k->s->body[i];
    const bool dragged = (b->drag > 0 || b->turn_drag > 0 || b->air_drag > 0) &&
                         k->o->model->body_link[i] != LB_WORLD;
    if (i == body) {
      return dragged ? n : -1;
    }
    n += dragged;
  }
  return -1;
}

// Does the joint split its child, part of which it carries?
static bool splits(const lb_scene* s, int joint, int body) {
  return s->joint[joint].loop && s->joint[joint].child == body &&
         lb_joint_needs_coordinates(s, joint);
}

// One group of growths a body, whatever of it may change: one for each part.
static lb_status find_growth(maker* k, lb_block* b) {
  lb_optimizing* o = k->o;
  const int body = b->p->index;
  const bool length = b->p->kind == LB_PARAMETER_LENGTH;
  int first = 0;
  while (first < o->ngrowth && o->growth[first].body != body) {
    first++;
  }
  if (first == o->ngrowth) {
    add_growth(k, b, body, NULL);
    o->growth[first].drag = find_drag(k, body);
    for (int i = 0; i < k->s->njoint; i++) {
      if (splits(k->s, i, body)) {
        add_split(k, b, i);
      }
    }
  }
  b->growth = first;
  while (first + b->ngrowth < o->ngrowth && o->growth[first + b->ngrowth].body == body) {
    b->ngrowth++;
  }
  double whole = 0;
  for (int i = first; i < first + b->ngrowth; i++) {
    whole += o->growth[i].base.m;
  }
  for (int i = first; i < first + b->ngrowth; i++) {
    o->growth[i].parts = whole > 0 ? whole / o->growth[i].base.m : 1;
    o->growth[i].along = length ? b->p->along : o->growth[i].along;
  }
  return length || o->growth[first].base.m > 0
             ? LB_OK
             : lb_error_add(k->err, LB_INVALID, b->p->place,
                            "parameter '%s': body '%s' has no mass that could grow (give it one)",
                            b->p->name, k->s->body[body].name);
}

// --- what is refused ---

static lb_status check_block(maker* k, const lb_block* b) {
  for (const lb_block* before = k->o->block; before < b; before++) {
    const lb_scene_parameter* other = before->p;
    const bool same = other->part == b->p->part || other->part == 0 || b->p->part == 0;
    if (same && other->kind == b->p->kind && other->owner == b->p->owner &&
        other->index == b->p->index) {
      return lb_error_add(k->err, LB_INVALID, b->p->place,
                          "parameter '%s' changes what '%s' changes (keep one)", b->p->name,
                          other->name);
    }
  }
  return LB_OK;
}

// --- values ---

// One that closes a loop starts as the others have it.
static void start_closing(const lb_optimizing* o, const lb_scene_joint* j, const lb_block* b,
                          double* x) {
  const bool rate = b->p->kind == LB_PARAMETER_VELOCITY;
  const lb_said* s = b->said >= 0 ? &o->said[b->said] : NULL;
  const double* from = rate ? (s ? s->qd : o->v0 + b->v) : s ? s->q : o->q0 + b->q;
  const bool rotation = !rate && j->kind == LB_JOINT_SPHERICAL;
  for (int k = 0; k < b->count; k++) {
    x[k] = rotation ? 0 : from[k];
  }
}

// Rotations are vectors from the scene's own, and before a place.
static void start_turned(const lb_scene_joint* j, const double* place, double* x) {
  memset(x, 0, 3 * sizeof *x);
  memcpy(x + 3, place, j->kind == LB_JOINT_FREE ? 3 * sizeof *x : 0);
}

static void start_place(const lb_scene_joint* j, const lb_block* b, double* x) {
  if (lb_joint_has_quaternion(j)) {
    start_turned(j, j->q, x);
  } else {
    memcpy(x, j->q + b->part, (size_t)b->count * sizeof *x);
  }
}

static void start_rest(const lb_scene_joint* j, const lb_block* b, double* x) {
  const bool turned = lb_joint_has_quaternion(j);
  if (turned) {
    start_turned(j, j->rest, x);
  }
  for (int k = 0; k < b->count && !turned; k++) {
    x[k] = lb_joint_coordinate(j, b->part + k).rest;
  }
}

bool lb_block_is_prescribed(const lb_optimizing* o, const lb_block* b, int number) {
  const lb_model* m = o->tree;
  bool any = false;
  for (int i = 0; i < m->nmotor; i++) {
    any |= !lb_motor_applies_force(m, i) && m->motor_v[i] == b->v + number;
  }
  return any && b->p->owner == LB_OWNER_JOINT && b->p->kind <= LB_PARAMETER_SPIN && b->said < 0;
}

// What motors say is as they have it.
static void start_prescribed(const lb_optimizing* o, const lb_block* b, double* x) {
  const bool rate = b->p->kind == LB_PARAMETER_VELOCITY;
  for (int k = 0; k < b->count; k++) {
    if (lb_block_is_prescribed(o, b, k)) {
      x[k] = rate ? o->v0[b->v + k] : o->q0[b->q + k];
    }
  }
}

static void start_joint(const lb_optimizing* o, const lb_block* b, double* x) {
  int first = 0;
  const lb_scene_joint* j = &o->public.scene->joint[b->p->index];
  const lb_scene_joint* of = lb_parameter_joint(o->public.scene, b->p, &first);
  if (j->loop && b->p->kind <= LB_PARAMETER_SPIN) {
    start_closing(o, j, b, x);
    return;
  }
  switch (b->p->kind) {
  case LB_PARAMETER_POSITION:
    start_place(j, b, x);
    break;
  case LB_PARAMETER_STIFFNESS:
    *x = of->stiffness;
    break;
  case LB_PARAMETER_DAMPING:
    *x = of->damping;
    break;
  case LB_PARAMETER_TURN_STIFFNESS:
    *x = of->turn.stiffness;
    break;
  case LB_PARAMETER_TURN_DAMPING:
    *x = of->turn.damping;
    break;
  case LB_PARAMETER_REST:
    start_rest(j, b, x);
    break;
  default:
    memcpy(x, j->qd + b->part, (size_t)b->count * sizeof *x);
    break;
  }
}

static void start_body(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_scene_body* body = &o->public.scene->body[b->p->index];
  const lb_vec3 none = {0};
  const lb_vec3 v = b->p->kind == LB_PARAMETER_SPIN       ? body->spin
                    : b->p->kind == LB_PARAMETER_VELOCITY ? body->velocity
                    : b->p->kind == LB_PARAMETER_ROTATION ? none
                                                          : body->pose.p;
  if (b->p->kind == LB_PARAMETER_MASS) {
    *x = o->growth[b->growth].base.m * o->growth[b->growth].parts;
  } else if (b->p->kind == LB_PARAMETER_LENGTH) {
    *x = 1;
  } else {
    lb_v4_store(x, lb_v4_from(v));
  }
}

static void start_line(const lb_model* m, const lb_block* b, double* x) {
  const bool spring = b->p->owner == LB_OWNER_SPRING;
  const lb_scene_spring* s = &m->spring[spring ? b->p->index : 0];
  const lb_scene_cable* c = &m->cable[spring ? 0 : b->p->index];
  *x = b->p->kind == LB_PARAMETER_STIFFNESS ? (spring ? s->stiffness : c->stiffness)
       : b->p->kind == LB_PARAMETER_DAMPING ? (spring ? s->damping : c->damping)
                                            : (spring ? s->length : c->length);
}

static void start_motor(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_profile_definition* own = &o->public.scene->motor[b->p->index].profile;
  for (int i = 0; i < b->count; i++) {
    double value[3] = {0};
    if (b->p->knots > 0) {
      lb_profile_evaluate(o->model->motor_profile[b->p->index], b->profile.time[i], value);
    }
    x[i] = b->p->knots > 0 ? value[0] : own->value[i];
  }
}

// What must stay positive, or not fall below zero, does, whatever the author allows.
static double least_of(const lb_scene_parameter* p, double start) {
  switch (p->kind) {
  case LB_PARAMETER_MASS:
  case LB_PARAMETER_LENGTH:
  case LB_PARAMETER_YOUNG:
    return 1e-3 * start;
  case LB_PARAMETER_REST:
    return p->owner == LB_OWNER_ROPE ? 1e-3 * start : -(double)INFINITY;
  case LB_PARAMETER_STIFFNESS:
  case LB_PARAMETER_DAMPING:
  case LB_PARAMETER_TURN_STIFFNESS:
  case LB_PARAMETER_TURN_DAMPING:
    return p->owner == LB_OWNER_GROUND ? 1e-3 * start : 0;
  default:
    return -(double)INFINITY;
  }
}

// By how much numbers without a range may be expected to change: the size of the largest. What is
// nothing but rounding says nothing.
static double size_of(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most > 1e-12 ? most : 1;
}

static void bound(lb_optimizing* o, const lb_block* b, double floor) {
  lb_optimization* p = &o->public;
  for (int i = b->first; i < b->first + b->count; i++) {
    const bool prescribed = lb_block_is_prescribed(o, b, i - b->first);
    p->least[i] = prescribed ? p->given[i] : fmax(b->p->least, floor);
    p->most[i] = prescribed ? p->given[i] : b->p->most;
    p->start[i] = fmin(fmax(p->given[i], p->least[i]), p->most[i]);
    const double range = p->most[i] - p->least[i];
    p->scale[i] = isfinite(range) && range > 0 ? range / 2 : size_of(b->count, p->given + b->first);
  }
}

static lb_status find_start(maker* k, const lb_block* b) {
  lb_optimizing* o = k->o;
  double* x = o->public.given + b->first;
  switch (b->p->owner) {
  case LB_OWNER_JOINT:
    start_joint(o, b, x);
    start_prescribed(o, b, x);
    break;
  case LB_OWNER_BODY:
    start_body(o, b, x);
    break;
  case LB_OWNER_MOTOR:
    start_motor(o, b, x);
    break;
  case LB_OWNER_GROUND:
    *x = o->public.scene->ground[b->p->index].stiffness;
    break;
  case LB_OWNER_ROPE:
  case LB_OWNER_MATERIAL:
    *x = lb_fabric_given(o->public.scene, b);
    break;
  default:
    start_line(o->model, b, x);
    break;
  }
  const double floor = least_of(b->p, *x);
  if (b->p->most < floor) {
    return lb_error_add(k->err, LB_INVALID, b->p->place,
                        "parameter '%s': 'at_most' must not be below %g%s", b->p->name, floor,
                        floor > 0 ? ", a thousandth of what the scene has" : "");
  }
  bound(o, b, floor);
  return LB_OK;
}

lb_status lb_parameters_find(lb_optimizing* o, lb_error* err) {
  maker k = {o, o->public.scene, err};
  lb_optimization* p = &o->public;
  double** const part[] = {&p->given, &p->start, &p->least, &p->most, &p->scale};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = LB_TAKE(&o->arena, double, p->nvalue);
    if (!*part[i]) {
      return no_memory(err);
    }
  }
  lb_status status = LB_OK;
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    lb_block* b = &o->block[i];
    status = check_block(&k, b);
    if (status == LB_OK) {
      status = find_block(&k, b);
    }
    if (status == LB_OK && (b->p->kind == LB_PARAMETER_MASS || b->p->kind == LB_PARAMETER_LENGTH)) {
      status = find_growth(&k, b);
    }
    if (status == LB_OK) {
      status = find_start(&k, b);
    }
  }
  return status;
}
