// The gradient by the discrete adjoint: the derivative of every stage taken, transposed, from the
// last to the first. What a number of the model itself does to a stage is one dot product with the
// stage's multiplier: an objective changes by -mu'dr with a change dr of the stage's equations.
#include <string.h>

#include "design/optimize_back.h"
#include "dynamics/force_point.h"
#include "dynamics/joint.h"
#include "dynamics/loop.h"
#include "math/dense.h"
#include "math/se3.h"
#include "model/motor.h"

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
  lb_step_effects to = {by_q, by_v, w->a, w->lambda};
  lb_step_add_torque(w->S, &to, motor, scale);
  if (lb_motor_leads(w->m, motor)) {
    w->mu[w->m->motor_v[motor]] -= scale;
  }
}

static bool counts(const lb_way_back* w, const lb_aimed* a, const lb_stage* s) {
  const int step = lb_aimed_exerts(a, w->m) ? s->effort : s->step;
  return step > 0 && step >= a->first && step <= a->last;
}

static void add_goals(lb_way_back* w, const lb_stage* s, double* by_q, double* by_v) {
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
      lb_loops_motor_direction(w->D, w->at, i, w->by_q);
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
    if (tree->motor_v[i] >= 0 && !lb_motor_pushes(tree, i)) {
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
      to[k] = lb_block_is_led(w->o, b, k) ? 0 : to[k];
    }
  }
}

// --- the way ---

static void go_to(lb_way_back* w, int record) {
  lb_optimizing_go_to(w->o, w->m, w->d, record);
}

// Of explicit steps: what touched there, and the rows of a step.
static void load_touching(lb_way_back* w, int record, int step) {
  const lb_optimizing* o = w->o;
  const size_t rows = (size_t)o->rows, at = (size_t)record * rows, by = (size_t)step * rows;
  for (size_t k = 0; k < rows; k++) {
    o->r[k] = (o->lands[at + k] ? LB_LOOPS_TOUCHES : 0) + (o->left_out[by + k] ? LB_LOOPS_OUT : 0);
  }
  lb_loops_load(w->d, o->r);
}

static void go_to_touching(lb_way_back* w, int record, int step) {
  go_to(w, record);
  load_touching(w, record, step);
}

// What numbers do to a part of an explicit step.
static void pull_part(lb_way_back* w, int i) {
  const lb_explicit_part part = lb_explicit_pose(w->X, w->d, i);
  if (part.mu) {
    w->D = part.D;
    w->parted = true;
    memcpy(w->mu, part.mu, (size_t)w->m->nv * sizeof(double));
    lb_numbers_pull(w, part.impact);
    w->parted = false;
  }
}

static bool go_back(lb_way_back* w, int record) {
  const lb_optimizing* o = w->o;
  const lb_stage* s = &o->stage[record];
  const size_t nv = (size_t)w->m->nv;
  const int now = record % RING, one = s->before[0] % RING, two = s->before[1] % RING;
  lb_step_past past = lb_optimizing_past(o, record);
  past.lands = w->X ? NULL : past.lands;
  go_to(w, record);
  if (o->rows > 0 && lb_loops_one_way(w->m) < 0 && !w->m->shell) {
    past.lambda = o->r + nv;
    lb_step_balance(w->d, &past, o->r, o->r + nv);
  }
  lb_optimizing_exert(o, w->m, w->d, record, o->r);
  if (!lb_step_differentiate(w->S, w->d, &past)) {
    return false;
  }
  w->D = lb_step_dynamics(w->S);
  w->at = lb_step_data(w->S, w->d);
  memset(w->a, 0, nv * sizeof(double));
  memset(w->mu, 0, nv * sizeof(double));
  memset(w->lambda, 0, (size_t)o->rows * sizeof(double));
  memset(w->motor, 0, 3 * (size_t)w->m->nmotor * sizeof *w->motor);
  add_goals(w, s, w->q[now], w->v[now]);
  lb_step_causes out = {{w->q[one], w->q[two]}, {w->v[one], w->v[two]}, w->motor};
  lb_step_back(w->S, &out, &(lb_step_effects){w->q[now], w->v[now], w->a, w->lambda});
  memset(w->q[now], 0, nv * sizeof(double));
  memset(w->v[now], 0, nv * sizeof(double));
  pull_pushes(w);
  lb_add(w->m->nv, w->mu, 1, lb_step_multiplier(w->S));
  pull_motors(w, s->time);
  if (s->impact) {
    lb_step_pose_impact(w->S, w->d);
  }
  lb_numbers_pull(w, s->impact);
  return true;
}

// Other numbers for the state before.
static bool go_back_charts(lb_way_back* w, int record) {
  const size_t nv = (size_t)w->m->nv;
  const int now = record % RING, before = (record - 1) % RING;
  go_to(w, record - 1);
  lb_rechart_back(w->m, w->o->keeps, w->d->q, w->d->qd, w->q[now], w->v[now]);
  lb_add((int)nv, w->q[before], 1, w->q[now]);
  lb_add((int)nv, w->v[before], 1, w->v[now]);
  memset(w->q[now], 0, nv * sizeof(double));
  memset(w->v[now], 0, nv * sizeof(double));
  return true;
}

// An explicit step comes from the record before alone; its stages are found again.
static bool go_back_explicit(lb_way_back* w, int record) {
  const size_t nv = (size_t)w->m->nv, motors = 3 * (size_t)w->m->nmotor;
  const int now = record % RING, before = (record - 1) % RING;
  const int moments = lb_explicit_moments(w->X);
  double* at_end = w->motors + (size_t)(moments - 1) * motors;
  memset(w->motors, 0, (size_t)moments * motors * sizeof *w->motors);
  go_to_touching(w, record, record);
  const bool seen = lb_optimizing_exerts(w->o, w->m, record);
  w->D = lb_explicit_look(w->X, w->d);
  if (seen && !lb_explicit_see(w->X, w->d)) {
    return false;
  }
  add_goals(w, &w->o->stage[record], w->q[now], w->v[now]);
  if (seen) {
    lb_explicit_see_back(w->X, w->q[now], w->v[now], at_end);
  }
  go_to_touching(w, record - 1, record);
  if (!lb_explicit_differentiate(w->X, w->d, w->o->stage[record].dt)) {
    return false;
  }
  lb_explicit_back(w->X, w->q[now], w->v[now], w->motors);
  lb_add((int)nv, w->q[before], 1, w->q[now]);
  lb_add((int)nv, w->v[before], 1, w->v[now]);
  memset(w->q[now], 0, nv * sizeof(double));
  memset(w->v[now], 0, nv * sizeof(double));
  for (int i = 0; i < moments; i++) {
    w->motor = w->motors + (size_t)i * motors;
    pull_motors(w, lb_explicit_moment(w->X, i));
  }
  for (int i = 0; i < lb_explicit_parts(w->X) && w->numbers; i++) {
    pull_part(w, i);
  }
  return true;
}

// Of `measured` and `nodes`.
static size_t scratch_size(const lb_way_back* w) {
  const size_t nv = (size_t)lb_step_most_v(w->m);
  const size_t dense = w->m->nelastic > 0 ? (size_t)w->m->ndense : 0;
  return 9 * nv + dense * dense + 12 * (size_t)w->m->nnode;
}

static bool take_vectors(lb_way_back* w) {
  const size_t nv = (size_t)w->m->nv, moments = w->X ? (size_t)lb_explicit_moments(w->X) : 1;
  const size_t most = (size_t)lb_step_most_v(w->m);
  double* block =
      LB_TAKE(&w->arena, double,
              (2 * RING + 2) * nv + (size_t)w->o->rows + moments * 3 * (size_t)w->m->nmotor +
                  (size_t)w->o->public.nvalue + scratch_size(w));
  w->move = LB_TAKE(&w->arena, lb_motion, 2 * most);
  w->by_q = LB_TAKE(&w->arena, double, 2 * most);
  w->part = LB_TAKE(&w->arena, lb_model_soft*, w->o->nblock);
  w->stiff = LB_TAKE(&w->arena, lb_reduced*, w->o->nblock);
  if (!block || !w->move || !w->by_q) {
    return false;
  }
  w->gain = w->move + most;
  w->by_v = w->by_q + most;
  for (size_t i = 0; i < RING; i++) {
    w->q[i] = block + 2 * i * nv;
    w->v[i] = w->q[i] + nv;
  }
  w->a = block + 2 * RING * nv;
  w->mu = w->a + nv;
  w->lambda = w->mu + nv;
  w->motor = w->motors = w->lambda + w->o->rows;
  w->gradient = w->motors + moments * 3 * (size_t)w->m->nmotor;
  for (int i = 0; i < w->o->nblock; i++) {
    w->numbers |= w->o->block[i].p->kind > LB_PARAMETER_MOTOR;
  }
  w->measured = w->gradient + w->o->public.nvalue;
  w->nodes = w->measured + scratch_size(w) - 12 * (size_t)w->m->nnode;
  bool ok = w->part && w->stiff;
  for (int i = 0; i < w->o->nblock && ok; i++) {
    const lb_block* b = &w->o->block[i];
    ok = lb_fabric_prepare(w->o, b, &w->arena, &w->part[i]) == LB_OK &&
         lb_modulus_prepare(w->o, b, &w->arena, &w->stiff[i]) == LB_OK;
  }
  return ok;
}

static lb_status go_to_start(lb_way_back* w, const lb_played* m, lb_error* err) {
  const size_t nv = (size_t)m->tree->nv;
  const size_t said = 3 * (size_t)w->o->nsaid;
  double* tree = LB_TAKE(&w->arena, double, 2 * (nv + said) + (size_t)w->o->nblock);
  if (!tree) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  memset(w->motor, 0, 3 * (size_t)w->m->nmotor * sizeof *w->motor);
  double* of = tree + 2 * nv;
  lb_start_slopes by = {w->q[0], w->v[0], tree, tree + nv, w->motor, of, of + said, of + 2 * said};
  const lb_status status = lb_start_pull(w->o, m, &by, err);
  if (status == LB_OK) {
    pull_start(w, m->tree, m->x, &by);
  }
  return status;
}

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_played* m, lb_data* d, double* gradient,
                                 lb_error* err) {
  lb_way_back w = {.o = o, .m = &m->model, .x = m->x, .d = d, .at = d};
  lb_arena_init(&w.arena, o->allocator);
  const lb_integrator by = w.m->solver.integrator;
  const bool explicit = lb_integrator_is_explicit(by);
  lb_status status = LB_OK;
  if (explicit) {
    status = lb_explicit_derivative_create(w.m, by, o->allocator, &w.X, err);
  }
  if (status == LB_OK && (!explicit || lb_loops_one_way(w.m) >= 0)) { // a start may be an impact
    status = lb_step_derivative_create(w.m, o->allocator, &w.S, err);
  }
  if (status == LB_OK && !take_vectors(&w)) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  for (int i = o->count - 1; i > 0 && status == LB_OK; i--) {
    const lb_stage* s = &o->stage[i];
    bool (*const go)(lb_way_back*, int) = s->recharts              ? go_back_charts
                                          : explicit && !s->impact ? go_back_explicit
                                                                   : go_back;
    if (!go(&w, i)) {
      status =
          lb_error_add(err, LB_FAILED, (lb_place){0},
                       "the step that ends at t = %g s has no derivative: its equations are "
                       "singular%s",
                       o->stage[i].time,
                       explicit ? ", or it left gaps too wide to be closed straight (take smaller "
                                  "steps)"
                                : "");
    }
  }
  if (status == LB_OK) {
    status = go_to_start(&w, m, err);
  }
  if (status == LB_OK) {
    memcpy(gradient, w.gradient, (size_t)o->public.nvalue * sizeof *gradient);
  }
  lb_step_derivative_release(w.S);
  lb_explicit_derivative_release(w.X);
  lb_arena_release(&w.arena);
  return status;
}
