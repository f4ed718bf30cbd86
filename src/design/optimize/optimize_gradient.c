// The gradient by the discrete adjoint: the derivative of every stage taken, transposed, from the
// last to the first. What a number of the model itself does to a stage is one dot product with the
// stage's multiplier: an objective changes by -mu'dr with a change dr of the stage's equations.
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"

// --- motors ---

// The multiplier as D sees it.
static const double* seen_mu(const lb_way_back* w) {
  return w->at != w->d ? lb_step_see(w->S, w->mu) : w->mu;
}

// Gradient by motors at a moment, and by lengths through those that hold slides.
static void pull_motors(lb_way_back* w, double time) {
  lb_motors_pull(w, time);
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    for (int k = 0; k < b->nslide; k++) {
      w->gradient[b->first] += b->slide[k].reach * w->motor[3 * b->slide[k].motor];
    }
  }
}

// Gradient by numbers of a stage: of all numbers masses and lengths alone change an impact.
static void pull_numbers(lb_way_back* w, bool impact) {
  const double* mu = seen_mu(w);
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->type->pull && (!impact || b->type->impacts)) {
      b->type->pull(w, b, impact, mu);
    }
  }
}

// --- the start ---

// Motors say how their joints start.
static void pull_first(lb_way_back* w, const lb_model* tree, const lb_start_slopes* by) {
  for (int i = 0; i < tree->nmotor; i++) {
    double asked[] = {by->motor[3 * i], by->motor[3 * i + 1], 0};
    if (tree->motor.v[i] >= 0 && !lb_motor_applies_force(tree, i)) {
      asked[0] += by->tree_q[tree->motor.v[i]];
      asked[1] += by->tree_v[tree->motor.v[i]];
    }
    lb_motor_pull(w, i, 0, asked);
  }
}

static void pull_start(lb_way_back* w, const lb_played* m, const lb_start_slopes* by) {
  pull_first(w, m->tree, by);
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->type->pull_start) {
      b->type->pull_start(w, b, m, by);
    }
  }
}

// --- the way ---

// State of a stage; of all fields that the tangent has.
static void stand_at(lb_way_back* w, lb_tangent* t) {
  w->t = t;
  w->d = t->d;
  w->at = t->at;
  w->S = t->S;
  w->D = t->D;
  w->motor = t->motor;
}

// Multipliers as exact as velocities are, and what motors exert where goals ask for it.
static lb_step_past balance(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  const lb_optimizing* o = w->o;
  lb_step_past past = lb_tape_past(&o->tape, t->record);
  w->past = past;
  if (o->tape.type->derivative->restarts) {
    return past;
  }
  if (o->tape.rows > 0 && lb_constraints_unilateral(w->m) < 0 && !lb_model_interface(w->m)) {
    past.lambda = o->r + w->m->nv;
    lb_step_balance(t->d, &past, o->r, o->r + w->m->nv);
  }
  lb_optimizing_exert(o, w->m, t->d, t->record, o->r);
  w->past = past;
  return past;
}

static bool look(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  stand_at(w, t);
  if (lb_goals_exert(w->o, t->record) && !lb_step_look_at_motors(w->S, w->d)) {
    return false;
  }
  lb_goals_pull(w, lb_tape_record(&w->o->tape, t->record), t->by_q, t->by_v);
  return true;
}

// Gradient of a step by motors and numbers.
static void go_back(void* context, lb_tangent* t) {
  lb_way_back* w = context;
  const bool recharts = lb_tape_record(&w->o->tape, t->record)->recharts;
  if (!recharts) {
    lb_text_pull_step(w, t);
  }
  lb_walk_back(&w->walk, t);
  if (recharts) {
    return;
  }
  lb_excitations_pull(w, lb_step_moment(w->S, lb_step_moments(w->S) - 1), t->excitation);
  for (int i = 0; i < lb_step_moments(w->S); i++) {
    w->motor = t->motor + 3 * (size_t)i * (size_t)w->m->nmotor;
    pull_motors(w, lb_step_moment(w->S, i));
  }
  for (int i = 0; i < lb_step_parts(w->S) && w->numbers; i++) {
    const lb_step_part part = lb_step_pose(w->S, w->d, i);
    if (part.mu) {
      w->D = part.D;
      w->mu = part.mu;
      pull_numbers(w, part.impact);
      lb_text_pull(w, &part);
    }
  }
  lb_text_pull_goals(w);
}

// Size of `measured`.
static size_t scratch_size(const lb_way_back* w) {
  const size_t nv = (size_t)lb_step_most_v(w->m);
  const size_t dense = w->m->elastic.count > 0 ? (size_t)w->m->ndense : 0;
  return 9 * nv + dense * dense;
}

static lb_status take_vectors(lb_way_back* w) {
  const size_t most = (size_t)lb_step_most_v(w->m);
  lb_arena* arena = &w->walk.arena;
  w->gradient = LB_TAKE(arena, double, w->o->public.nvalue);
  w->measured = LB_TAKE(arena, double, scratch_size(w));
  w->move = LB_TAKE(arena, lb_motion, most);
  w->gain = LB_TAKE(arena, lb_motion, most);
  w->by_q = LB_TAKE(arena, double, most);
  w->by_v = LB_TAKE(arena, double, most);
  w->slope = LB_TAKE(arena, double, LB_GOAL_MOST * w->o->ngoal);
  for (int i = 0; i < w->o->nblock; i++) {
    w->numbers |= w->o->block[i].type->pull || w->o->block[i].type == &lb_parameter_text;
  }
  return lb_arena_check(arena, "a gradient", w->walk.err);
}

static lb_status go_to_start(lb_way_back* w, const lb_played* m, lb_error* err) {
  lb_arena* arena = &w->walk.arena;
  lb_excitations_pull(w, 0, lb_walk_back_start(&w->walk));
  lb_start_slopes by = {w->walk.by.q[0],
                        w->walk.by.v[0],
                        LB_TAKE(arena, double, m->tree->nv),
                        LB_TAKE(arena, double, m->tree->nv),
                        LB_TAKE(arena, double, 3 * w->m->nmotor),
                        LB_TAKE(arena, double, lb_constraints_most(m->tree)),
                        LB_TAKE(arena, double, lb_constraints_most(m->tree))};
  if (lb_arena_check(arena, "a gradient", err) != LB_OK) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_start_pull(w->o, m, &by, err);
  if (status == LB_OK) {
    pull_start(w, m, &by);
    lb_text_pull_start(w, m, &by);
  }
  return status;
}

static lb_status make_stepper(void* context, const lb_model* m, lb_stepper** st) {
  const lb_way_back* w = context;
  return lb_optimizing_stepper(w->o, m, st, w->walk.err);
}

static lb_status go_back_all(lb_optimizing* o, const lb_played* m, double* gradient,
                             lb_error* err) {
  lb_way_back w = {.o = o, .m = m->model, .x = m->x};
  w.walk = (lb_walk){.tape = &o->tape,
                     .m = m->model,
                     .allocator = o->allocator,
                     .err = err,
                     .threads = 1,
                     .keeps = o->keeps,
                     .context = &w,
                     .stepper = make_stepper,
                     .past = balance,
                     .look = look};
  lb_status status = lb_walk_open(&w.walk);
  status = status == LB_OK ? take_vectors(&w) : status;
  status = status == LB_OK ? lb_tangent_models_open(&w, err) : status;
  if (status == LB_OK) {
    status = lb_walk_along(&w.walk, true, go_back);
    status = status == LB_OK ? lb_text_status(&w) : status;
  }
  if (status == LB_OK) {
    status = go_to_start(&w, m, err);
  }
  if (status == LB_OK) {
    memcpy(gradient, w.gradient, (size_t)o->public.nvalue * sizeof *gradient);
  }
  lb_tangent_models_close(&w);
  lb_walk_close(&w.walk);
  return status;
}

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_played* m, double* gradient,
                                 lb_error* err) {
  memset(gradient, 0, (size_t)o->public.nvalue * sizeof *gradient);
  const lb_status status = lb_goals_move(o) ? go_back_all(o, m, gradient, err) : LB_OK;
  return status == LB_OK ? lb_stiffness_pull(o, m, gradient, err) : status;
}
