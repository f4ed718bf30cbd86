// Equilibrium by Newton's method on forces, with descent of the energy: the way down, step by step
// (equilibrium_step.c), what is told where it fails, and the life of the work space.
//
// The search ends with a step as short as rounding lets it be. What it then stands on may be
// unstable, as a pendulum on its head is: it goes off that and on, a few times.
#include "solve/equilibrium/equilibrium.h"

#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "limber/simulate.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/equilibrium/equilibrium_step.h"

enum { MOST_ITERATIONS = 200, MOST_NUDGES = 3 };

static const double ENOUGH = 1e-10; // [m] the last step's size
static const double ROUGH = 1e-9;   // [m] tolerance where steps shrink no more: rounding
static const double CLOSED = 1e-6;  // widest gap in equilibrium
static const double PUSHED = 1e-6;  // [m/s^2] least that counts

// --- the way down ---

static bool descend(lb_equilibrium_solver* R, lb_data* d) {
  double before = INFINITY;
  R->sys.penalty = 0;
  R->nudges = 0;
  R->shortest = INFINITY;
  bool ok = lb_equilibrium_step_find(R, d);
  for (R->iterations = 1; ok && R->iterations <= MOST_ITERATIONS; R->iterations++) {
    const bool last =
        R->step.size <= ENOUGH ||
        (R->step.size <= ROUGH && R->step.size > LB_EQUILIBRIUM_MUCH_SHORTER * before);
    before = R->step.size;
    R->shortest = fmin(R->shortest, R->step.size);
    if (last && lb_equilibrium_step_unstable(R) && R->nudges++ < MOST_NUDGES) {
      ok = lb_equilibrium_step_nudge(R, d);
    } else if (last) { // rounding decides about its slope
      return lb_equilibrium_step_take_whole(R, d);
    } else {
      ok = lb_equilibrium_step_take(R, d);
    }
  }
  return false;
}

// Largest gap; of unilateral constraints, violation.
static double widest_gap(const lb_equilibrium_solver* R) {
  double most = 0;
  for (int i = 0; i < R->at.rows; i++) {
    most = fmax(most, R->at.unilateral[i] ? -R->at.gap[i] : fabs(R->at.gap[i]));
  }
  return most;
}

// Forces of motors in equilibrium.
static void read_motors(const lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      d->motor_force[i] = R->at.r[m->motor.v[i]];
    }
  }
  for (int i = 0; i < R->at.rows; i++) { // all constraints, as they were last measured
    const int motor = lb_constraints_row(d, i)->motor;
    if (motor >= 0) {
      d->motor_force[motor] = R->at.lambda[i];
    }
  }
}

// The joint with the largest residual, over what it weighs: bodies that bend only come to that when
// no joint has any.
static const char* restless_joint(const lb_equilibrium_solver* R) {
  const lb_model* m = R->sys.W.small;
  const char* name = m->njoint ? m->joint.name[0] : "?";
  double most = 0;
  for (int elastic = 0; elastic < 2 && most < PUSHED; elastic++) {
    for (int j = 0; j < m->njoint; j++) {
      const bool counts = lb_link_is_elastic(m->joint.kind[j]) == (elastic == 1);
      for (int k = 0; counts && k < m->joint.nv[j]; k++) {
        const int v = m->joint.v[j] + k;
        const double rush = fabs(R->sys.rs[v]) / R->D->M[v * m->nv + v];
        if (rush > most) {
          most = rush;
          name = m->joint.name[j];
        }
      }
    }
  }
  return name;
}

static lb_status no_memory(const lb_model* m, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the equilibrium of '%s'",
                      m->name);
}

// Multipliers of the pose before are a start, where they are those of the same constraints.
static void begin_rows(lb_equilibrium_solver* R, lb_data* d) {
  lb_constraints_find_redundant(R->m, d);
  if (R->at.choice != lb_constraints_count_choices(d)) {
    memset(R->at.lambda, 0, (size_t)lb_constraints_most(R->m) * sizeof *R->at.lambda);
  }
  R->at.choice = lb_constraints_count_choices(d);
}

lb_status lb_equilibrium_solver_solve(lb_equilibrium_solver* R, lb_data* d, lb_error* err) {
  const lb_model* m = R->m;
  memcpy(R->kept.start, d->q, (size_t)m->nq * sizeof *d->q);
  begin_rows(R, d);
  if (descend(R, d) && widest_gap(R) <= CLOSED) {
    read_motors(R, d);
    lb_constraints_keep_active(m, d, LB_SET_INACTIVE, R->at.lambda);
    lb_muscles_end(m, d);
    return LB_OK;
  }
  int loop = 0;
  const double gap = lb_constraint_gap(m, d, &loop);
  memcpy(d->q, R->kept.start, (size_t)m->nq * sizeof *d->q);
  lb_muscles_end(m, d);
  memset(R->at.lambda, 0, (size_t)lb_constraints_most(m) * sizeof *R->at.lambda);
  if (lb_arena_status(&R->scratch) != LB_OK) {
    return no_memory(m, err);
  }
  if (gap > CLOSED) {
    const lb_model_constraint* constraint = &m->constraint.item[loop];
    return lb_error_add(err, LB_FAILED, constraint->place,
                        "no equilibrium at t = %g s: %s '%s' stays open by %.3g (metres or "
                        "radians); the motors ask for a pose that cannot be reached",
                        d->time, constraint->title, constraint->name, gap);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "no equilibrium was found at t = %g s: joint '%s' is not in balance; "
                      "is there something that holds it against gravity?",
                      d->time, restless_joint(R));
}

// --- life ---

static void take(lb_equilibrium_solver* R, lb_arena* arena) {
  const lb_model* m = R->m;
  const size_t nv = (size_t)m->nv, rows = (size_t)lb_constraints_most(m);
  const lb_model* condensed = lb_model_condensed(m);
  const size_t n = condensed ? (size_t)condensed->nv : nv - 3 * (size_t)m->particles.nfree;
  R->at = (lb_equilibrium_point){.r = LB_TAKE(arena, double, nv),
                                 .J = LB_TAKE(arena, double, rows* nv),
                                 .gap = LB_TAKE(arena, double, rows),
                                 .lambda = LB_TAKE(arena, double, rows),
                                 .unilateral = LB_TAKE(arena, bool, rows),
                                 .acts = LB_TAKE(arena, bool, rows)};
  R->step =
      (lb_equilibrium_step){.dq = LB_TAKE(arena, double, nv), .mu = LB_TAKE(arena, double, rows)};
  R->kept = (lb_equilibrium_kept){.q = LB_TAKE(arena, double, m->nq),
                                  .start = LB_TAKE(arena, double, m->nq),
                                  .dq = LB_TAKE(arena, double, nv),
                                  .lambda = LB_TAKE(arena, double, rows),
                                  .mu = LB_TAKE(arena, double, rows)};
  R->sys = (lb_equilibrium_system){.n = (int)n,
                                   .schur = lb_schur_take(arena, (int)rows, (int)n),
                                   .rs = LB_TAKE(arena, double, n),
                                   .Js = LB_TAKE(arena, double, rows* n),
                                   .B = LB_TAKE(arena, double, n* n),
                                   .V = LB_TAKE(arena, double, n* n),
                                   .w = LB_TAKE(arena, double, n),
                                   .z = LB_TAKE(arena, double, n),
                                   .row = LB_TAKE(arena, double, nv)};
}

// A servo with a limit alone holds what nobody knows.
static lb_status check_servos(const lb_model* m, lb_error* err) {
  for (int i = 0; i < m->motor.nservo; i++) {
    const lb_model_servo* s = &m->motor.servo[i];
    if (s->stiffness == 0 && s->damping == 0) {
      return lb_error_add(err, LB_INVALID, m->motor.place[s->motor],
                          "motor '%s' is a servo without a stiffness; equilibria with such are not "
                          "looked for (give it one)",
                          m->motor.name[s->motor]);
    }
  }
  return LB_OK;
}

static lb_status check_constraints(const lb_model* m, lb_error* err) {
  const int velocity_level = lb_constraints_velocity_level(m);
  if (velocity_level < 0) {
    return LB_OK;
  }
  const lb_model_constraint* constraint = &m->constraint.item[velocity_level];
  return lb_error_add(err, LB_INVALID, constraint->place,
                      "constraint '%s' gives a rate and not a place; equilibria with such are "
                      "not looked for (take it away)",
                      constraint->name);
}

lb_status lb_equilibrium_solver_create(const lb_model* m, const lb_allocator* allocator,
                                       lb_equilibrium_solver** out, lb_error* err) {
  if (lb_model_simulated(m) != m) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){0},
        "with 'elastic: full' the model that moves is another one, with all nodes: "
        "ask for the equilibrium of that, or leave 'elastic: full' out of the scene's "
        "solver");
  }
  lb_status fit = check_constraints(m, err);
  fit = fit == LB_OK ? check_servos(m, err) : fit;
  fit = fit == LB_OK ? lb_constraints_check_dense(m, "a search for its equilibrium", err) : fit;
  if (fit != LB_OK) {
    return fit;
  }
  lb_equilibrium_solver* R = lb_allocate(allocator, sizeof *R);
  if (!R) {
    return no_memory(m, err);
  }
  *R = (lb_equilibrium_solver){.m = m, .allocator = allocator};
  if (lb_bounded_rows(m) > 0) {
    R->forces = *m;
    R->forces.solves_bounds = false;
    R->m = m = &R->forces;
  }
  lb_arena_init(&R->arena, allocator);
  lb_arena_init(&R->scratch, allocator);
  take(R, &R->arena);
  R->space =
      m->ndense < m->nv - 3 * m->particles.nfree ? &lb_equilibrium_full : &lb_equilibrium_tree;
  for (int i = 0; i < m->nbody; i++) {
    R->mass += m->body.link[i] == LB_WORLD ? 0 : m->body.mass[i].mass;
  }
  for (int i = 0; i < m->particles.nparticle; i++) {
    R->mass += m->particles.particle[i].link == LB_WORLD ? 0 : m->particles.particle[i].mass;
  }
  lb_status status = lb_arena_status(&R->arena);
  if (status == LB_OK) {
    status = R->space->create(R, &R->arena);
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(R->sys.W.small, allocator, &R->D, NULL);
  }
  if (status != LB_OK) {
    lb_equilibrium_solver_release(R);
    return no_memory(m, err);
  }
  *out = R;
  return LB_OK;
}

void lb_equilibrium_solver_release(lb_equilibrium_solver* R) {
  if (R) {
    lb_derivatives_release(R->D);
    if (R->own && R->space->release) {
      R->space->release(R);
    }
    lb_arena_release(&R->scratch);
    lb_arena_release(&R->arena);
    lb_release(R->allocator, R);
  }
}

lb_status lb_equilibrium(const lb_model* m, lb_data* d, lb_error* err) {
  lb_equilibrium_solver* R = NULL;
  lb_status status = lb_equilibrium_solver_create(m, d->work->allocator, &R, err);
  if (status == LB_OK) {
    status = lb_equilibrium_solver_solve(R, d, err);
  }
  lb_equilibrium_solver_release(R);
  return status;
}
