// The gradient by the discrete adjoint: the derivative of every stage taken, transposed, from the
// last to the first. What a number of the model itself does to a stage is one dot product with the
// stage's multiplier: an objective changes by -mu'dr with a change dr of the stage's equations.
#include <string.h>

#include "design/optimize/optimize_back.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force_point.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"
#include "model/use/motor_use.h"

// --- goals ---

// A point's place and velocity change along the coordinates with S and with psi + turning along.
static void add_point(lb_way_back* w, const lb_aimed* a, const double* miss, double* by_q,
                      double* by_v) {
  const lb_anchor at = lb_aimed_anchor(a, w->m);
  const lb_force_point p = lb_force_point_find(w->at->work, &at);
  const lb_v4 off = lb_v4_load(miss) * (2 * a->weight);
  lb_derive_point(w->D, w->move, w->gain, p.index, p.arm);
  for (int k = 0; k < w->D->model->nv; k++) {
    const lb_motion S = w->move[k];
    if (a->g->rate) {
      by_q[k] += lb_v4_dot(lb_force_point_gain(S, w->gain[k], p.velocity), off);
      by_v[k] += lb_v4_dot(S.v, off);
    } else {
      by_q[k] += lb_v4_dot(S.v, off);
    }
  }
}

// What a motor does at a moment, to the numbers of a block that are its curve.
static void spread_to(lb_way_back* w, const lb_block* b, double time, const double by[3]) {
  double weight[6][3];
  int first = 0;
  const int n = b->unit ? b->count : lb_profile_weights(&b->profile, time, &first, weight);
  for (int k = 0; k < n; k++) {
    double* of = weight[b->unit ? 0 : k];
    if (b->unit) {
      lb_profile_evaluate(b->unit[k], time, of);
    }
    w->gradient[b->first + first + k] += by[0] * of[0] + by[1] * of[1] + by[2] * of[2];
  }
}

static void spread(lb_way_back* w, int motor, double time, const double by[3]) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->p->kind == LB_PARAMETER_MOTOR && b->p->index == motor) {
      spread_to(w, b, time, by);
    }
  }
}

// Of a point or a joint that is measured: by the coordinates that D is of, then by the model's.
static void add_seen(lb_way_back* w, const lb_aimed* a, const double* miss, double* by_q,
                     double* by_v) {
  const size_t size = (size_t)w->D->model->nv * sizeof(double);
  const bool apart = w->at != w->d;
  double *q = apart ? memset(w->by_q, 0, size) : by_q, *v = apart ? memset(w->by_v, 0, size) : by_v;
  if (a->g->kind == LB_GOAL_POINT) {
    add_point(w, a, miss, q, v);
  } else {
    lb_aimed_add_measured(a, w->D, w->at, miss, w->measured, q, v);
  }
  if (apart) {
    lb_step_gather(w->S, by_q, 1, q);
    lb_step_gather(w->S, by_v, 1, v);
  }
}

// What a motor exerts that drives coordinate k is r_k itself: it changes with numbers as that does.
static void add_effort(lb_way_back* w, int motor, double scale, double* by_q, double* by_v) {
  if (w->X) {
    lb_explicit_add_torque(w->X, by_q, by_v, motor, scale);
    return;
  }
  lb_step_effects to = {by_q, by_v, w->t->by_a, w->t->by_lambda};
  lb_step_add_torque(w->S, &to, motor, scale);
  if (lb_motor_prescribes(w->m, motor)) {
    w->mu[w->m->motor_v[motor]] -= scale;
  }
}

static bool counts(const lb_way_back* w, const lb_aimed* a, const lb_record* s) {
  const int step = lb_aimed_exerts(a, w->m) ? s->effort : s->step;
  return step > 0 && step >= a->first && step <= a->last;
}

static void add_goals(lb_way_back* w, const lb_record* s, double* by_q, double* by_v) {
  for (int i = 0; i < w->o->ngoal; i++) {
    const lb_aimed* a = &w->o->goal[i];
    double miss[LB_GOAL_MOST];
    if (!counts(w, a, s)) {
      continue;
    }
    lb_aimed_miss(a, w->m, w->d, lb_aimed_exerts(a, w->m) ? s->effort : s->step, miss);
    if (a->g->kind == LB_GOAL_POINT || (a->g->kind == LB_GOAL_JOINT && a->loop >= 0)) {
      add_seen(w, a, miss, by_q, by_v);
    } else if (a->g->kind == LB_GOAL_JOINT) {
      for (int k = 0; k < a->g->count; k++) {
        (a->g->rate ? by_v : by_q)[a->v + k] += 2 * a->weight * miss[k];
      }
    } else if (lb_aimed_exerts(a, w->m)) {
      for (int k = 0; k < a->g->count; k++) {
        add_effort(w, lb_aimed_motor(a, w->m, k), 2 * a->weight * miss[k], by_q, by_v);
      }
    } else {
      spread(w, a->g->index, s->time, (double[]){2 * a->weight * miss[0], 0, 0});
    }
  }
}

// --- motors ---

// The multiplier as D sees it.
static const double* seen_mu(const lb_way_back* w) {
  return w->at != w->d ? lb_step_see(w->S, w->mu) : w->mu;
}

// Motors that push at loops change what others exert, too.
static void pull_pushes(lb_way_back* w) {
  const lb_model* m = w->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_loop[i] >= 0 && m->motor_drive[i] == LB_DRIVE_FORCE) {
      lb_loop_motor_direction(w->D, w->at, i, w->by_q);
      w->motor[3 * i] += lb_dot(w->D->model->nv, w->by_q, seen_mu(w));
    }
  }
}

// What motors do at a moment, and lengths by those that hold slides.
static void pull_motors(lb_way_back* w, double time) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->p->kind == LB_PARAMETER_MOTOR) {
      spread_to(w, b, time, w->motor + 3 * (size_t)b->p->index);
    }
    for (int k = 0; k < b->nslide; k++) {
      w->gradient[b->first] += b->slide[k].reach * w->motor[3 * b->slide[k].motor];
    }
  }
}

// --- the start ---

static lb_m3 free_rotation(const double* q) {
  return lb_m3_from(lb_quat_matrix((lb_quat){q[3], q[4], q[5], q[6]}));
}

// Along the world's axes; coordinates count along the body's.
static void pull_free(double* to, const lb_block* b, const double* x, const double* q,
                      const double* v, const lb_start_slopes* by) {
  const double *by_q = by->tree_q + b->v, *by_v = by->tree_v + b->v;
  const lb_m3 R = free_rotation(q);
  switch (b->p->kind) {
  case LB_PARAMETER_POSITION:
    lb_v4_add_to(to, lb_m3_apply(R, lb_v4_load(by_q + 3)));
    break;
  case LB_PARAMETER_VELOCITY:
    lb_v4_add_to(to, lb_m3_apply(R, lb_v4_load(by_v + 3)));
    break;
  case LB_PARAMETER_SPIN:
    lb_v4_add_to(to, lb_v4_load(by_v));
    break;
  default: // the velocity stays as it is in the world: R'v changes by R'v x turn
    lb_turned_pull(to, x, lb_v4_load(by_q) + lb_v4_cross(lb_v4_load(by_v + 3), lb_v4_load(v + 3)));
    break;
  }
}

static void pull_place(double* to, const lb_block* b, const double* x, int kind, const double* q,
                       const double* by_q) {
  const bool ball = kind == LB_JOINT_SPHERICAL, free = kind == LB_JOINT_FREE;
  if (ball || free) {
    lb_turned_pull(to, x, lb_v4_load(by_q));
  }
  if (free) {
    lb_v4_add_to(to + 3, lb_m3_apply(free_rotation(q), lb_v4_load(by_q + 3)));
  }
  for (int k = 0; k < b->count && !ball && !free; k++) {
    to[k] += by_q[k];
  }
}

// Motors say how their joints start.
static void pull_first(lb_way_back* w, const lb_model* tree, const lb_start_slopes* by) {
  for (int i = 0; i < tree->nmotor; i++) {
    double asked[] = {by->motor[3 * i], by->motor[3 * i + 1], 0};
    if (tree->motor_v[i] >= 0 && !lb_motor_applies_force(tree, i)) {
      asked[0] += by->tree_q[tree->motor_v[i]];
      asked[1] += by->tree_v[tree->motor_v[i]];
    }
    spread(w, i, 0, asked);
  }
}

static void pull_start(lb_way_back* w, const lb_model* tree, const double* x,
                       const lb_start_slopes* by) {
  pull_first(w, tree, by);
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    const double *q = w->o->q1 + b->q, *v = tree->qd0 + b->v; // before others follow
    double* to = w->gradient + b->first;
    if (b->p->kind == LB_PARAMETER_LENGTH) {
      *to += by->length[i];
      for (int k = 0; k < b->nslide; k++) {
        *to += b->slide[k].reach * by->tree_q[tree->motor_v[b->slide[k].motor]];
      }
    } else if (b->p->kind <= LB_PARAMETER_SPIN && b->p->owner == LB_OWNER_BODY) {
      pull_free(to, b, x + b->first, q, v, by);
    } else if (b->p->kind == LB_PARAMETER_POSITION) {
      const int kind = (int)w->o->given.joint[b->p->index].kind;
      pull_place(to, b, x + b->first, kind, q,
                 b->said < 0 ? by->tree_q + b->v : by->said_q + 3 * (size_t)b->said);
    } else if (b->p->kind == LB_PARAMETER_VELOCITY) {
      lb_add(b->count, to, 1, b->said < 0 ? by->tree_v + b->v : by->said_v + 3 * (size_t)b->said);
    }
    for (int k = 0; k < b->count; k++) {
      to[k] = lb_block_is_prescribed(w->o, b, k) ? 0 : to[k];
    }
  }
}

// --- the way ---

// Where a stage is looked at; of all fields that the tangent has.
static void stand_at(lb_way_back* w, lb_tangent* t) {
  w->t = t;
  w->d = t->d;
  w->at = t->at;
  w->S = t->S;
  w->X = lb_tape_record(&w->o->tape, t->record)->impact ? NULL : t->X;
  w->D = t->D;
  w->motor = t->motor;
}

// Multipliers as exact as velocities are, and what motors exert where goals ask for it.
static lb_step_past balance(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  const lb_optimizing* o = w->o;
  lb_step_past past = lb_tape_past(&o->tape, t->record);
  if (o->tape.rows > 0 && lb_constraints_unilateral(w->m) < 0 && !w->m->interface) {
    past.lambda = o->r + w->m->nv;
    lb_step_balance(t->d, &past, o->r, o->r + w->m->nv);
  }
  lb_optimizing_exert(o, w->m, t->d, t->record, o->r);
  return past;
}

static bool look(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  stand_at(w, t);
  const bool seen = w->X && lb_optimizing_exerts(w->o, w->m, t->record);
  memset(w->mu, 0, (size_t)w->m->nv * sizeof(double));
  if (seen && !lb_explicit_see(w->X, w->d)) {
    return false;
  }
  add_goals(w, lb_tape_record(&w->o->tape, t->record), t->by_q, t->by_v);
  if (seen) {
    const size_t last = (size_t)lb_explicit_moments(w->X) - 1;
    lb_explicit_see_back(w->X, t->by_q, t->by_v, t->motors + 3 * last * (size_t)w->m->nmotor);
  }
  return true;
}

static void visit_stage(lb_way_back* w, const lb_record* s) {
  pull_pushes(w);
  lb_add(w->m->nv, w->mu, 1, lb_step_multiplier(w->S));
  pull_motors(w, s->time);
  if (s->impact) {
    lb_step_pose_impact(w->S, w->d);
  }
  lb_numbers_pull(w, s->impact);
}

// What numbers do to a part of an explicit step.
static void pull_part(lb_way_back* w, int i) {
  const lb_explicit_part part = lb_explicit_pose(w->X, w->d, i);
  if (part.mu) {
    w->D = part.D;
    memcpy(w->mu, part.mu, (size_t)w->m->nv * sizeof(double));
    lb_numbers_pull(w, part.impact);
  }
}

static void visit_explicit(lb_way_back* w) {
  for (int i = 0; i < lb_explicit_moments(w->X); i++) {
    w->motor = w->t->motors + 3 * (size_t)i * (size_t)w->m->nmotor;
    pull_motors(w, lb_explicit_moment(w->X, i));
  }
  for (int i = 0; i < lb_explicit_parts(w->X) && w->numbers; i++) {
    pull_part(w, i);
  }
}

static void go_back(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  const lb_record* s = lb_tape_record(&w->o->tape, t->record);
  lb_walk_back(&w->walk, t);
  if (s->recharts) {
    return;
  }
  if (w->X) {
    visit_explicit(w);
  } else {
    visit_stage(w, s);
  }
}

// Of `measured` and `nodes`.
static size_t scratch_size(const lb_way_back* w) {
  const size_t nv = (size_t)lb_step_most_v(w->m);
  const size_t dense = w->m->nelastic > 0 ? (size_t)w->m->ndense : 0;
  return 9 * nv + dense * dense + 12 * (size_t)w->m->nparticle;
}

static bool take_vectors(lb_way_back* w) {
  const size_t nv = (size_t)w->m->nv, most = (size_t)lb_step_most_v(w->m);
  lb_arena* arena = &w->walk.arena;
  double* block = LB_TAKE(arena, double, nv + (size_t)w->o->public.nvalue + scratch_size(w));
  w->move = LB_TAKE(arena, lb_motion, 2 * most);
  w->by_q = LB_TAKE(arena, double, 2 * most);
  w->part = LB_TAKE(arena, lb_model_deformable*, w->o->nblock);
  w->stiff = LB_TAKE(arena, lb_reduced*, w->o->nblock);
  if (!block || !w->move || !w->by_q) {
    return false;
  }
  w->gain = w->move + most;
  w->by_v = w->by_q + most;
  w->mu = block;
  w->gradient = block + nv;
  for (int i = 0; i < w->o->nblock; i++) {
    w->numbers |= w->o->block[i].p->kind > LB_PARAMETER_MOTOR;
  }
  w->measured = w->gradient + w->o->public.nvalue;
  w->particles = w->measured + scratch_size(w) - 12 * (size_t)w->m->nparticle;
  bool ok = w->part && w->stiff;
  for (int i = 0; i < w->o->nblock && ok; i++) {
    const lb_block* b = &w->o->block[i];
    ok = lb_fabric_prepare(w->o, b, arena, &w->part[i]) == LB_OK &&
         lb_modulus_prepare(w->o, b, arena, &w->stiff[i]) == LB_OK;
  }
  return ok;
}

static lb_status go_to_start(lb_way_back* w, const lb_played* m, lb_error* err) {
  const size_t nv = (size_t)m->tree->nv, motors = 3 * (size_t)w->m->nmotor;
  const size_t said = 3 * (size_t)w->o->nsaid;
  double* tree = LB_TAKE(&w->walk.arena, double, 2 * (nv + said) + (size_t)w->o->nblock + motors);
  if (!tree) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  double *of = tree + 2 * nv, *length = of + 2 * said;
  lb_start_slopes by = {w->walk.q[0],          w->walk.v[0], tree,      tree + nv,
                        length + w->o->nblock, of,           of + said, length};
  const lb_status status = lb_start_pull(w->o, m, &by, err);
  if (status == LB_OK) {
    pull_start(w, m->tree, m->x, &by);
  }
  return status;
}

static lb_status make_stepper(void* context, const lb_model* m, lb_stepper** st) {
  const lb_way_back* w = context;
  return lb_optimizing_stepper(w->o, m, st, w->walk.err);
}

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_played* m, double* gradient,
                                 lb_error* err) {
  lb_way_back w = {.o = o, .m = &m->model, .x = m->x};
  w.walk = (lb_walk){.tape = &o->tape,
                     .m = &m->model,
                     .allocator = o->allocator,
                     .err = err,
                     .threads = 1,
                     .keeps = o->keeps,
                     .context = &w,
                     .stepper = make_stepper,
                     .past = balance,
                     .look = look};
  lb_status status = lb_walk_open(&w.walk);
  if (status == LB_OK && !take_vectors(&w)) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  if (status == LB_OK) {
    status = lb_walk_along(&w.walk, true, go_back);
  }
  if (status == LB_OK) {
    status = go_to_start(&w, m, err);
  }
  if (status == LB_OK) {
    memcpy(gradient, w.gradient, (size_t)o->public.nvalue * sizeof *gradient);
  }
  lb_walk_close(&w.walk);
  return status;
}
