// From a scene's `optimize` to numbers with bounds, and what they are in the model.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "dynamics/loop.h"
#include "limber/simulate.h"
#include "math/profile.h"
#include "model/pose.h"
#include "model/split.h"
#include "solve/frames.h"

typedef struct maker {
  lb_optimizing* o;
  const lb_scene* s;
  lb_error* err;
} maker;

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// --- blocks: what can be said of them before there is a model ---

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
  b->count = p->count;
  return p->time != NULL;
}

static int count_numbers(const lb_scene* s, const lb_scene_parameter* p) {
  const bool joint = p->owner == LB_OWNER_JOINT;
  switch (p->kind) {
  case LB_PARAMETER_POSITION:
  case LB_PARAMETER_VELOCITY:
    return joint ? lb_joint_count_v(&s->joint[p->index]) : 3;
  case LB_PARAMETER_SPIN:
    return 3;
  case LB_PARAMETER_REST:
    return joint ? lb_joint_count_v(&s->joint[p->index]) : 1;
  default:
    return 1;
  }
}

static lb_status make_blocks(maker* k) {
  lb_optimizing* o = k->o;
  const lb_scene_optimize* what = &k->s->optimize;
  o->nblock = what->nparameter;
  o->block = LB_TAKE(&o->arena, lb_block, o->nblock);
  o->public.first = LB_TAKE(&o->arena, int, o->nblock + 1);
  o->growth = LB_TAKE(&o->arena, lb_growth, o->nblock);
  if (!o->block || !o->public.first || !o->growth) {
    return no_memory(k->err);
  }
  for (int i = 0; i < o->nblock; i++) {
    lb_block* b = &o->block[i];
    b->p = &what->parameter[i];
    b->count = count_numbers(k->s, b->p);
    if (b->p->kind == LB_PARAMETER_MOTOR && !spread_knots(o, b, &k->s->motor[b->p->index])) {
      return no_memory(k->err);
    }
    b->first = o->public.first[i];
    o->public.first[i + 1] = b->first + b->count;
  }
  o->public.nvalue = o->public.first[o->nblock];
  return LB_OK;
}

static lb_status make_goals(maker* k) {
  lb_optimizing* o = k->o;
  o->ngoal = k->s->optimize.ngoal;
  o->goal = LB_TAKE(&o->arena, lb_aimed, o->ngoal);
  o->public.goal = LB_TAKE(&o->arena, double, o->ngoal);
  if (!o->goal || !o->public.goal) {
    return no_memory(k->err);
  }
  for (int i = 0; i < o->ngoal; i++) {
    const lb_scene_goal* g = &k->s->optimize.goal[i];
    o->goal[i] = (lb_aimed){.g = g, .body = g->index, .at = g->at, .weight = g->weight};
  }
  return LB_OK;
}

// --- blocks in the model ---

static lb_status find_joint(maker* k, lb_place place, const char* name, int* joint) {
  *joint = lb_model_joint(k->o->model, name);
  return *joint >= 0 ? LB_OK
                     : lb_error_add(k->err, LB_INVALID, place,
                                    "optimize: joint '%s' has no coordinates of its own in maximal "
                                    "coordinates (choose 'coordinates: reduced')",
                                    name);
}

// Those that share the joint's stiffness and damping: where a joint both slides and turns, its
// distances.
static lb_status find_coordinates(maker* k, lb_block* b, const lb_scene_joint* j) {
  const bool mixed =
      j->kind == LB_JOINT_FREE || j->kind == LB_JOINT_FREE_2D || j->kind == LB_JOINT_FREE_3D;
  if (j->kind == LB_JOINT_COMPOSITE) {
    return lb_error_add(k->err, LB_INVALID, b->p->place,
                        "parameter '%s': joint '%s' is composite, and its parts have stiffness and "
                        "damping of their own",
                        b->p->name, j->name);
  }
  b->coordinate = LB_TAKE(&k->o->arena, int, lb_joint_count_v(j));
  for (int i = 0; b->coordinate && i < lb_joint_count_v(j); i++) {
    if (!mixed || lb_joint_counts(j, i) == LB_COORDINATE_LENGTH) {
      b->coordinate[b->ncoordinate++] = b->v + i;
    }
  }
  return b->coordinate ? LB_OK : no_memory(k->err);
}

static lb_status find_block(maker* k, lb_block* b) {
  const lb_model* m = k->o->model;
  const lb_scene_parameter* p = b->p;
  const bool joint = p->owner == LB_OWNER_JOINT;
  const bool start = p->kind <= LB_PARAMETER_SPIN;
  if (joint || start) {
    int j = 0;
    const char* name = joint ? k->s->joint[p->index].name : k->s->body[p->index].name;
    const lb_status status = find_joint(k, p->place, name, &j);
    if (status != LB_OK) {
      return status;
    }
    b->q = m->joint_q[j];
    b->v = m->joint_v[j];
  }
  const bool resists = p->kind == LB_PARAMETER_STIFFNESS || p->kind == LB_PARAMETER_DAMPING;
  return joint && resists ? find_coordinates(k, b, &k->s->joint[p->index]) : LB_OK;
}

// One growth a body, whatever of it may change.
static lb_status find_growth(maker* k, lb_block* b) {
  lb_optimizing* o = k->o;
  const bool length = b->p->kind == LB_PARAMETER_LENGTH;
  int i = 0;
  while (i < o->ngrowth && o->growth[i].body != b->p->index) {
    i++;
  }
  if (i == o->ngrowth) {
    o->growth[o->ngrowth++] =
        lb_growth_make(o->model, b->p->index, lb_body_root(k->s, b->p->index), b->p->along);
  }
  if (length) {
    o->growth[i].along = b->p->along;
  }
  b->growth = i;
  return length || o->growth[i].base.m > 0
             ? LB_OK
             : lb_error_add(k->err, LB_INVALID, b->p->place,
                            "parameter '%s': body '%s' has no mass that could grow (give it one)",
                            b->p->name, k->s->body[b->p->index].name);
}

static lb_status refuse(maker* k, const lb_block* b, const char* why) {
  return lb_error_add(k->err, LB_INVALID, b->p->place, "parameter '%s': %s", b->p->name, why);
}

// A part of a body that a loop's joint splits is a body of its own, which would have to change,
// too.
static lb_status check_split(maker* k, const lb_block* b) {
  for (int i = 0; i < k->s->njoint; i++) {
    const lb_scene_joint* j = &k->s->joint[i];
    if (j->loop && j->child == b->p->index && lb_joint_needs_coordinates(k->s, i)) {
      return lb_error_add(
          k->err, LB_INVALID, b->p->place,
          "parameter '%s': joint '%s' closes a loop at body '%s' and does more than "
          "hold it, so its %s cannot change (make it the joint's parent)",
          b->p->name, j->name, k->s->body[j->child].name, lb_parameter_kind_name(b->p->kind));
    }
  }
  return LB_OK;
}

// Floors count where points on them would have to move along a body.
static bool leads_points(const lb_model* m, bool floors) {
  for (int i = 0; i < m->nguide; i++) {
    if (floors || !m->guide[i].one_way) {
      return true;
    }
  }
  return false;
}

static lb_status check_block(maker* k, const lb_block* b) {
  const lb_model* m = k->o->model;
  const lb_parameter_kind kind = b->p->kind;
  if (kind == LB_PARAMETER_LENGTH && k->s->solver.coordinates == LB_COORDINATES_MAXIMAL) {
    return refuse(k, b,
                  "lengths cannot change in maximal coordinates (choose 'coordinates: "
                  "reduced')");
  }
  if (leads_points(m, kind == LB_PARAMETER_LENGTH) &&
      (kind <= LB_PARAMETER_SPIN || kind == LB_PARAMETER_LENGTH)) {
    return refuse(k, b,
                  "points of the scene are led, and stay where they start (change motors, masses "
                  "or springs instead)");
  }
  // of what moves at a rate the start is a matter of its own, which starts with loops do not know
  if (lb_loops_paced(m) >= 0 && (kind <= LB_PARAMETER_SPIN || kind == LB_PARAMETER_LENGTH)) {
    return refuse(k, b,
                  "a constraint of the scene gives a rate, and starts with it (change motors, "
                  "masses or springs instead)");
  }
  for (int i = 0; i < k->o->nblock; i++) {
    const lb_scene_parameter* other = k->o->block[i].p;
    if (other != b->p && other->kind == kind && other->owner == b->p->owner &&
        other->index == b->p->index) {
      return refuse(k, b, "another parameter changes the same already (keep one)");
    }
  }
  const lb_status status = lb_fabric_check(k->s, b, k->err);
  if (status != LB_OK) {
    return status;
  }
  return kind == LB_PARAMETER_MASS || kind == LB_PARAMETER_LENGTH ? check_split(k, b) : LB_OK;
}

// --- values ---

static void start_joint(const lb_scene* s, const lb_block* b, double* x) {
  const lb_scene_joint* j = &s->joint[b->p->index];
  const double* from = b->p->kind == LB_PARAMETER_POSITION   ? j->q
                       : b->p->kind == LB_PARAMETER_VELOCITY ? j->qd
                                                             : j->rest;
  if (b->p->kind == LB_PARAMETER_STIFFNESS || b->p->kind == LB_PARAMETER_DAMPING) {
    *x = b->p->kind == LB_PARAMETER_STIFFNESS ? j->stiffness : j->damping;
  } else {
    memcpy(x, from, (size_t)b->count * sizeof *x);
  }
}

static void start_body(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_scene_body* body = &o->public.scene->body[b->p->index];
  const lb_vec3 v = b->p->kind == LB_PARAMETER_SPIN       ? body->spin
                    : b->p->kind == LB_PARAMETER_VELOCITY ? body->velocity
                                                          : body->pose.p;
  if (b->p->kind == LB_PARAMETER_MASS) {
    *x = o->growth[b->growth].base.m;
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
    return p->owner == LB_OWNER_STRAND ? 1e-3 * start : -(double)INFINITY;
  case LB_PARAMETER_STIFFNESS:
  case LB_PARAMETER_DAMPING:
    return 0;
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

static lb_status find_start(maker* k, const lb_block* b) {
  lb_optimizing* o = k->o;
  double* x = o->public.given + b->first;
  switch (b->p->owner) {
  case LB_OWNER_JOINT:
    start_joint(o->public.scene, b, x);
    break;
  case LB_OWNER_BODY:
    start_body(o, b, x);
    break;
  case LB_OWNER_MOTOR:
    start_motor(o, b, x);
    break;
  case LB_OWNER_STRAND:
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
                        "parameter '%s': 'at_most' must not be below %g, a thousandth of what the "
                        "scene has",
                        b->p->name, floor);
  }
  for (int i = b->first; i < b->first + b->count; i++) {
    lb_optimization* p = &o->public;
    p->least[i] = fmax(b->p->least, floor);
    p->most[i] = b->p->most;
    p->start[i] = fmin(fmax(p->given[i], p->least[i]), p->most[i]);
    const double range = p->most[i] - p->least[i];
    p->scale[i] = isfinite(range) && range > 0 ? range / 2 : size_of(b->count, x);
  }
  lb_fabric_hold(o, b);
  return LB_OK;
}

static lb_status find_values(maker* k) {
  lb_optimization* p = &k->o->public;
  double** const part[] = {&p->given, &p->start, &p->least, &p->most, &p->scale};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = LB_TAKE(&k->o->arena, double, p->nvalue);
    if (!*part[i]) {
      return no_memory(k->err);
    }
  }
  lb_status status = LB_OK;
  for (int i = 0; i < k->o->nblock && status == LB_OK; i++) {
    lb_block* b = &k->o->block[i];
    status = check_block(k, b);
    if (status == LB_OK) {
      status = find_block(k, b);
    }
    if (status == LB_OK && (b->p->kind == LB_PARAMETER_MASS || b->p->kind == LB_PARAMETER_LENGTH)) {
      status = find_growth(k, b);
    }
    if (status == LB_OK) {
      status = find_start(k, b);
    }
  }
  return status;
}

// --- goals in the model ---

static lb_status find_goals(maker* k) {
  lb_optimizing* o = k->o;
  for (int i = 0; i < o->ngoal; i++) {
    lb_aimed* a = &o->goal[i];
    const lb_scene_goal* g = a->g;
    if (g->kind == LB_GOAL_JOINT) {
      int j = 0;
      const lb_status status = find_joint(k, g->place, k->s->joint[g->index].name, &j);
      if (status != LB_OK) {
        return status;
      }
      a->q = o->model->joint_q[j];
      a->v = o->model->joint_v[j];
    }
    // the steps that end within, or the one that ends nearest
    const bool moment = g->from == g->to;
    a->last = (int)floor(g->to / o->h * (1 + 1e-12) + (moment ? 0.5 : 1e-9));
    a->last = a->last > o->public.steps ? o->public.steps : a->last < 1 && moment ? 1 : a->last;
    a->first = moment ? a->last : (int)floor(g->from / o->h * (1 + 1e-12) + 1e-9) + 1;
    a->weight = moment ? g->weight : g->weight * o->h;
    if (a->first > a->last) {
      return lb_error_add(k->err, LB_INVALID, g->place,
                          "goal '%s': no step ends from %g s to %g s, so that it would count for "
                          "nothing (name a moment, or a time longer than a step of %g s)",
                          g->name, g->from, g->to, o->h);
    }
  }
  return LB_OK;
}

// --- the whole ---

static bool can_be_differentiated(lb_integrator i) {
  return i == LB_INTEGRATOR_BDF1 || i == LB_INTEGRATOR_BDF2 || i == LB_INTEGRATOR_SDIRK2 ||
         lb_integrator_is_explicit(i);
}

// What can be simulated, but has no derivatives.
static lb_status check_scene(maker* k) {
  const lb_scene* s = k->s;
  if (s->optimize.nparameter == 0 || s->optimize.ngoal == 0) {
    return lb_error_add(k->err, LB_INVALID, (lb_place){s->file, 0, 0},
                        "'%s' does not say what to optimise (give it 'optimize' with "
                        "'parameters' and 'goals')",
                        s->name);
  }
  if (!can_be_differentiated(s->solver.integrator)) {
    return lb_error_add(k->err, LB_INVALID, s->solver.place,
                        "optimize: steps of '%s' have no derivatives (choose integrator bdf1, bdf2 "
                        "or sdirk2; euler, rk4 and rk8 have them, too, for trees)",
                        lb_integrator_name(s->solver.integrator));
  }
  return s->solver.elastic != LB_SPACE_FULL
             ? LB_OK
             : lb_error_add(k->err, LB_INVALID, s->solver.place,
                            "optimize: elastic bodies with all their nodes have no derivatives "
                            "(choose 'elastic: reduced')");
}

static bool has_loops(const lb_scene* s) {
  bool any = s->nconstraint > 0;
  for (int i = 0; i < s->njoint; i++) {
    any |= s->joint[i].loop;
  }
  return any;
}

// Loops are closed in the tree before it is taken apart: how its joints start can then be written
// into a scene.
static lb_status close_tree(maker* k) {
  lb_optimizing* o = k->o;
  lb_scene tree = o->slid;
  lb_model* m = NULL;
  lb_data* d = NULL;
  tree.solver.coordinates = LB_COORDINATES_REDUCED;
  lb_status status = lb_model_create(&tree, o->allocator, &m, k->err);
  if (status == LB_OK) {
    status = lb_data_create(m, o->allocator, &d, k->err);
  }
  if (status == LB_OK) {
    lb_loops_leave_out_one_way(d, true);
    status = lb_assemble(m, d, k->err);
  }
  if (status == LB_OK) {
    lb_start_write(m, d, &o->slid);
  }
  lb_data_release(d);
  lb_model_release(m);
  return status;
}

static lb_status find_model(maker* k) {
  lb_optimizing* o = k->o;
  lb_status status = lb_slides_add(o, k->s, k->err);
  if (status == LB_OK && k->s->solver.coordinates == LB_COORDINATES_MAXIMAL && has_loops(k->s)) {
    status = close_tree(k);
  }
  if (status == LB_OK) {
    status = lb_model_create(&o->slid, o->allocator, &o->model, k->err);
  }
  if (status != LB_OK) {
    return status;
  }
  const lb_simulate_options options = lb_simulate_default();
  status = lb_plan_check(o->model, &options, k->err);
  if (status == LB_OK && lb_integrator_is_explicit(k->s->solver.integrator)) {
    status = lb_explicit_check(o->model, k->s->solver.integrator, k->s->solver.place, k->err);
  }
  const lb_plan plan = lb_plan_make(o->model, &options);
  o->h = plan.step;
  o->public.steps = (int)plan.steps;
  o->rows = lb_loops_most_rows(o->model);
  return status;
}

// Where every run starts, before numbers change it.
static lb_status find_rest(maker* k) {
  lb_optimizing* o = k->o;
  lb_data* d = NULL;
  o->q0 = LB_TAKE(&o->arena, double, o->model->nq);
  o->v0 = LB_TAKE(&o->arena, double, o->model->nv);
  if (!o->q0 || !o->v0) {
    return no_memory(k->err);
  }
  lb_status status = lb_data_create(o->model, o->allocator, &d, k->err);
  if (status == LB_OK) {
    lb_loops_leave_out_one_way(d, true); // what they do to a start, a run does
    status = lb_assemble(o->model, d, k->err);
  }
  if (status == LB_OK) {
    status = lb_start_choose(o, d, k->err);
  }
  if (status == LB_OK) {
    memcpy(o->q0, d->q, (size_t)o->model->nq * sizeof *d->q);
    memcpy(o->v0, d->qd, (size_t)o->model->nv * sizeof *d->qd);
  }
  lb_data_release(d);
  return status;
}

lb_status lb_optimization_create(const lb_scene* scene, const lb_allocator* allocator,
                                 lb_optimization** optimization, lb_error* err) {
  lb_optimizing* o = lb_allocate(allocator, sizeof *o);
  if (!o) {
    return no_memory(err);
  }
  memset(o, 0, sizeof *o);
  o->allocator = allocator;
  o->public.scene = scene;
  o->public.work = o;
  lb_arena_init(&o->arena, allocator);
  maker k = {o, scene, err};
  lb_status status = LB_OK;
  lb_status (*const step[])(maker*) = {check_scene, make_blocks, make_goals, find_model,
                                       find_values, find_goals,  find_rest};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&k);
  }
  if (status != LB_OK) {
    lb_optimization_release(&o->public);
    return status;
  }
  *optimization = &o->public;
  return LB_OK;
}

void lb_optimization_release(lb_optimization* optimization) {
  if (optimization) {
    lb_optimizing* o = optimization->work;
    const lb_allocator* allocator = o->allocator;
    lb_release(allocator, o->stage);
    lb_release(allocator, o->q);
    lb_release(allocator, o->v);
    lb_release(allocator, o->lambda);
    lb_release(allocator, o->lands);
    lb_model_release(o->model);
    lb_arena_release(&o->arena);
    lb_release(allocator, o);
  }
}

lb_status lb_optimization_evaluate(lb_optimization* optimization, const double* x,
                                   double* objective, double* gradient, lb_error* err) {
  lb_optimizing* o = optimization->work;
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  lb_model m;
  lb_data* d = NULL;
  double value = 0;
  lb_status status = lb_optimizing_play(o, x, &arena, &m) == LB_OK ? LB_OK : no_memory(err);
  if (status == LB_OK) {
    status = lb_data_create(&m, o->allocator, &d, err);
  }
  if (status == LB_OK) {
    optimization->runs++;
    status = lb_optimizing_run(o, &m, d, &value, optimization->goal, err);
  }
  if (status == LB_OK && gradient) {
    optimization->gradients++;
    status = lb_optimizing_gradient(o, &m, d, gradient, err);
  }
  if (status == LB_OK) {
    *objective = value;
  }
  lb_data_release(d);
  lb_arena_release(&arena);
  return status;
}
