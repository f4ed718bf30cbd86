// The gradient by the discrete adjoint: the derivative of every stage taken, transposed, from the
// last to the first. What a number of the model itself does to a stage is one dot product with the
// stage's multiplier: an objective changes by -mu'dr with a change dr of the stage's equations.
#include <string.h>

#include "base/arena.h"
#include "design/optimize.h"
#include "dynamics/force_line.h"
#include "dynamics/force_point.h"
#include "math/dense.h"

// Records that a stage and those before it can come from.
enum { RING = 4 };

typedef struct way_back {
  lb_optimizing* o;
  const lb_model* m;
  lb_data* d;
  lb_step_derivative* S;
  lb_explicit_derivative* X; // of explicit steps, in its place
  const lb_derivatives* D;   // of the dynamics where d is
  const double* mu;          // [nv] the stage's multiplier
  lb_arena arena;
  double *q[RING], *v[RING]; // [nv] by the last states
  double* a;                 // [nv] zero
  double* motor;             // [nmotor][3] of a moment ...
  double* motors;            // [moments][nmotor][3] ... and of all of an explicit step
  lb_motion *move, *gain;    // [nv]
  lb_model_soft** part;      // [nblock] of moduli
  double* gradient;          // [nvalue]
} way_back;

// --- goals ---

// A point's place and velocity change along the coordinates with S and with psi + turning along.
static void add_point(way_back* w, const lb_aimed* a, const double* miss, double* by_q,
                      double* by_v) {
  const lb_anchor at = lb_aimed_anchor(a, w->m);
  const lb_force_point p = lb_force_point_find(w->d->work, &at);
  const lb_v4 off = lb_v4_load(miss) * (2 * a->weight);
  lb_derive_point(w->D, w->move, w->gain, p.index, p.arm);
  for (int k = 0; k < w->m->nv; k++) {
    const lb_motion S = w->move[k];
    if (a->g->rate) {
      by_q[k] += lb_v4_dot(lb_force_point_gain(S, w->gain[k], p.velocity), off);
      by_v[k] += lb_v4_dot(S.v, off);
    } else {
      by_q[k] += lb_v4_dot(S.v, off);
    }
  }
}

static void spread(way_back* w, int motor, double time, const double by[3]) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->p->kind == LB_PARAMETER_MOTOR && b->p->index == motor) {
      double weight[6][3];
      int first;
      const int n = lb_profile_weights(&b->profile, time, &first, weight);
      for (int k = 0; k < n; k++) {
        w->gradient[b->first + first + k] +=
            by[0] * weight[k][0] + by[1] * weight[k][1] + by[2] * weight[k][2];
      }
    }
  }
}

static void add_goals(way_back* w, const lb_stage* s, double* by_q, double* by_v) {
  for (int i = 0; i < w->o->ngoal; i++) {
    const lb_aimed* a = &w->o->goal[i];
    double miss[LB_GOAL_MOST];
    if (s->step == 0 || s->step < a->first || s->step > a->last) {
      continue;
    }
    lb_aimed_miss(a, w->m, w->d, miss);
    if (a->g->kind == LB_GOAL_POINT) {
      add_point(w, a, miss, by_q, by_v);
    } else if (a->g->kind == LB_GOAL_JOINT) {
      for (int k = 0; k < a->g->count; k++) {
        (a->g->rate ? by_v : by_q)[a->v + k] += 2 * a->weight * miss[k];
      }
    } else {
      spread(w, a->g->index, s->time, (double[]){2 * a->weight * miss[0], 0, 0});
    }
  }
}

// --- numbers of the model ---

// mu'dr by a joint's stiffness, damping or rest: r has k (q - rest) + d qd.
static void pull_joint(way_back* w, const lb_block* b, const double* mu) {
  const lb_model* m = w->m;
  double* to = w->gradient + b->first;
  if (b->p->kind == LB_PARAMETER_REST) {
    for (int k = 0; k < b->count; k++) {
      to[k] += mu[b->v + k] * m->stiffness[b->v + k];
    }
    return;
  }
  for (int i = 0; i < b->ncoordinate; i++) {
    const int v = b->coordinate[i], q = b->q + v - b->v;
    *to -= mu[v] * (b->p->kind == LB_PARAMETER_DAMPING ? w->d->qd[v] : w->d->q[q] - m->rest[q]);
  }
}

static void pull_line(way_back* w, const lb_block* b, const double* mu) {
  static const lb_line_number number[LB_PARAMETER_COUNT] = {
      [LB_PARAMETER_STIFFNESS] = LB_LINE_STIFFNESS,
      [LB_PARAMETER_DAMPING] = LB_LINE_DAMPING,
      [LB_PARAMETER_REST] = LB_LINE_LENGTH};
  const lb_derivatives* D = w->D;
  w->gradient[b->first] += b->p->owner == LB_OWNER_SPRING
                               ? lb_spring_by_number(D, w->d, b->p->index, number[b->p->kind], mu)
                               : lb_cable_by_number(D, w->d, b->p->index, number[b->p->kind], mu);
}

static void pull_mass(way_back* w, const lb_block* b, const double* mu) {
  const lb_growth* g = &w->o->growth[b->growth];
  const bool length = b->p->kind == LB_PARAMETER_LENGTH;
  if (g->link == LB_WORLD) {
    return;
  }
  lb_motion by = lb_motion_zero();
  lb_derive_point(w->D, w->move, NULL, g->link, lb_v4_zero());
  for (int k = 0; k < w->m->nv; k++) {
    by = lb_motion_add(by, lb_motion_scale(mu[k], w->move[k]));
  }
  const lb_bulk change = length ? lb_growth_by_length(g) : lb_growth_by_density(g);
  const double power = lb_bulk_power(&change, &w->d->work->state[g->link], by);
  w->gradient[b->first] -= length ? power : power / g->base.m;
}

// Of all numbers of a model these alone change an impact, and where motors are.
static bool moves_mass(const lb_block* b) {
  return b->p->kind == LB_PARAMETER_MASS || b->p->kind == LB_PARAMETER_LENGTH;
}

// What motors do at a moment, and lengths by those that hold slides.
static void pull_motors(way_back* w, double time) {
  for (int i = 0; i < w->m->nmotor; i++) {
    spread(w, i, time, w->motor + 3 * (size_t)i);
  }
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    for (int k = 0; k < b->nslide; k++) {
      w->gradient[b->first] += b->slide[k].reach * w->motor[3 * b->slide[k].motor];
    }
  }
}

// What numbers do to a stage; `impact`: to such a one.
static void pull_numbers(way_back* w, bool impact) {
  const double* mu = w->mu;
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (impact && !moves_mass(b)) {
      continue;
    }
    if (lb_fabric_owns(b)) {
      w->gradient[b->first] +=
          lb_fabric_power(w->o, w->m, w->d, b, w->part[i], lb_step_move_nodes(w->S, mu));
      continue;
    }
    switch (b->p->kind) {
    case LB_PARAMETER_STIFFNESS:
    case LB_PARAMETER_DAMPING:
    case LB_PARAMETER_REST:
      (b->p->owner == LB_OWNER_JOINT ? pull_joint : pull_line)(w, b, mu);
      break;
    case LB_PARAMETER_LENGTH:
    case LB_PARAMETER_MASS:
      pull_mass(w, b, mu);
      break;
    default:
      break;
    }
  }
}

// --- the start ---

static void pull_start(way_back* w, const double* by_q, const double* by_v) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    double* to = w->gradient + b->first;
    const bool body = b->p->owner == LB_OWNER_BODY;
    const double* r = w->m->q0 + b->q + 3; // of free bodies
    switch (b->p->kind) {
    case LB_PARAMETER_POSITION:
    case LB_PARAMETER_VELOCITY: {
      const double* by = b->p->kind == LB_PARAMETER_POSITION ? by_q : by_v;
      if (body) { // along the world's axes; coordinates count along the body's
        const lb_mat3 R = lb_quat_matrix((lb_quat){r[0], r[1], r[2], r[3]});
        lb_v4_add_to(to, lb_m3_apply(lb_m3_from(R), lb_v4_load(by + b->v + 3)));
      } else {
        for (int k = 0; k < b->count; k++) {
          to[k] += by[b->v + k];
        }
      }
      break;
    }
    case LB_PARAMETER_SPIN:
      lb_v4_add_to(to, lb_v4_load(by_v + b->v));
      break;
    case LB_PARAMETER_LENGTH:
      for (int k = 0; k < b->nslide; k++) {
        const int joint = w->m->motor_joint[b->slide[k].motor];
        *to += b->slide[k].reach * by_q[w->m->joint_v[joint]];
      }
      break;
    default:
      break;
    }
  }
}

// --- the way ---

static void go_to(way_back* w, int record) {
  const size_t nv = (size_t)w->m->nv, nq = (size_t)w->m->nq;
  memcpy(w->d->q, w->o->q + (size_t)record * nq, nq * sizeof(double));
  memcpy(w->d->qd, w->o->v + (size_t)record * nv, nv * sizeof(double));
  w->d->time = w->o->stage[record].time;
}

static bool go_back(way_back* w, int record) {
  const lb_optimizing* o = w->o;
  const lb_stage* s = &o->stage[record];
  const size_t nv = (size_t)w->m->nv;
  const int now = record % RING, one = s->before[0] % RING, two = s->before[1] % RING;
  const lb_step_past past = lb_optimizing_past(o, record);
  go_to(w, record);
  if (!lb_step_differentiate(w->S, w->d, &past)) {
    return false;
  }
  w->D = lb_step_dynamics(w->S);
  add_goals(w, s, w->q[now], w->v[now]);
  memset(w->motor, 0, 3 * (size_t)w->m->nmotor * sizeof *w->motor);
  lb_step_causes out = {{w->q[one], w->q[two]}, {w->v[one], w->v[two]}, w->motor};
  lb_step_back(w->S, &out, &(lb_step_effects){w->q[now], w->v[now], w->a, NULL});
  memset(w->q[now], 0, nv * sizeof(double));
  memset(w->v[now], 0, nv * sizeof(double));
  w->mu = lb_step_multiplier(w->S);
  pull_motors(w, s->time);
  if (s->impact) {
    lb_step_pose_impact(w->S, w->d);
  }
  pull_numbers(w, s->impact);
  return true;
}

// An explicit step comes from the record before alone; its stages are found again.
static bool go_back_explicit(way_back* w, int record) {
  const size_t nv = (size_t)w->m->nv, motors = 3 * (size_t)w->m->nmotor;
  const int now = record % RING, before = (record - 1) % RING;
  const int moments = lb_explicit_moments(w->X);
  go_to(w, record);
  w->D = lb_explicit_look(w->X, w->d);
  add_goals(w, &w->o->stage[record], w->q[now], w->v[now]);
  go_to(w, record - 1);
  if (!lb_explicit_differentiate(w->X, w->d, w->o->h)) {
    return false;
  }
  memset(w->motors, 0, (size_t)moments * motors * sizeof *w->motors);
  lb_explicit_back(w->X, w->q[now], w->v[now], w->motors);
  lb_add((int)nv, w->q[before], 1, w->q[now]);
  lb_add((int)nv, w->v[before], 1, w->v[now]);
  memset(w->q[now], 0, nv * sizeof(double));
  memset(w->v[now], 0, nv * sizeof(double));
  for (int i = 0; i < moments; i++) {
    w->motor = w->motors + (size_t)i * motors;
    pull_motors(w, lb_explicit_moment(w->X, i));
    if (i < moments - 1) {
      w->D = lb_explicit_pose(w->X, w->d, i);
      w->mu = lb_explicit_multiplier(w->X, i);
      pull_numbers(w, false);
    }
  }
  return true;
}

static bool take_vectors(way_back* w) {
  const size_t nv = (size_t)w->m->nv, moments = w->X ? (size_t)lb_explicit_moments(w->X) : 1;
  double* block = LB_TAKE(&w->arena, double,
                          (2 * RING + 1) * nv + moments * 3 * (size_t)w->m->nmotor +
                              (size_t)w->o->public.nvalue);
  w->move = LB_TAKE(&w->arena, lb_motion, 2 * nv);
  w->part = LB_TAKE(&w->arena, lb_model_soft*, w->o->nblock);
  if (!block || !w->move) {
    return false;
  }
  w->gain = w->move + nv;
  for (size_t i = 0; i < RING; i++) {
    w->q[i] = block + 2 * i * nv;
    w->v[i] = w->q[i] + nv;
  }
  w->a = block + 2 * RING * nv;
  w->motor = w->motors = w->a + nv;
  w->gradient = w->motors + moments * 3 * (size_t)w->m->nmotor;
  bool ok = w->part != NULL;
  for (int i = 0; i < w->o->nblock && ok; i++) {
    ok = lb_fabric_prepare(w->o, &w->o->block[i], &w->arena, &w->part[i]) == LB_OK;
  }
  return ok;
}

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_model* m, lb_data* d, double* gradient,
                                 lb_error* err) {
  way_back w = {.o = o, .m = m, .d = d};
  lb_arena_init(&w.arena, o->allocator);
  const lb_integrator by = m->solver.integrator;
  lb_status status = lb_integrator_is_explicit(by)
                         ? lb_explicit_derivative_create(m, by, o->allocator, &w.X, err)
                         : lb_step_derivative_create(m, o->allocator, &w.S, err);
  if (status == LB_OK && !take_vectors(&w)) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  for (int i = o->count - 1; i > 0 && status == LB_OK; i--) {
    if (!(w.X ? go_back_explicit : go_back)(&w, i)) {
      status = lb_error_add(err, LB_FAILED, (lb_place){0},
                            "the step that ends at t = %g s has no derivative: its equations are "
                            "singular",
                            o->stage[i].time);
    }
  }
  if (status == LB_OK) {
    memcpy(d->q, o->q, (size_t)m->nq * sizeof *d->q);
    memcpy(d->qd, o->v, (size_t)m->nv * sizeof *d->qd);
    d->time = 0;
    status = lb_start_pull(o, m, d, w.q[0], w.v[0], err);
  }
  if (status == LB_OK) {
    pull_start(&w, w.q[0], w.v[0]);
    memcpy(gradient, w.gradient, (size_t)o->public.nvalue * sizeof *gradient);
  }
  lb_step_derivative_release(w.S);
  lb_explicit_derivative_release(w.X);
  lb_arena_release(&w.arena);
  return status;
}
