// The derivative of a step: what of it a model and an integrator need, made and released, and its
// functions by their table.
#include "dynamics/constraint/constraint_loop.h"
#include "elastic/reduced/reduced.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/step/step_inside.h"
#include "solve/step/stepper.h"

// Internal forces of elastic bodies in a basis.
static lb_internal_forces take_internal(lb_arena* arena, const lb_model* m) {
  int most = 0, scratch = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_reduced* b = lb_model_interface(m) ? NULL : m->link.packed[i].reduced;
    most = b && b->r > most ? b->r : most;
    scratch = b && lb_reduced_scratch(b) > scratch ? lb_reduced_scratch(b) : scratch;
  }
  return (lb_internal_forces){.q = LB_TAKE(arena, double, m->nq),
                              .v = LB_TAKE(arena, double, m->nv),
                              .block = LB_TAKE(arena, double, most* most),
                              .scratch = LB_TAKE(arena, double, scratch)};
}

static void take(lb_step_derivative* S, lb_arena* arena) {
  const lb_model* m = S->m;
  const size_t nv = (size_t)lb_step_most_v(m), rows = (size_t)lb_constraints_most(m);
  const size_t nd = (size_t)(lb_model_interface(m) ? lb_model_interface(m)->nv : m->ndense);
  const size_t blocks = (size_t)m->nlink * LB_STEP_BLOCK;
  S->sys = lb_stage_system_take(arena, m, (int)nd);
  S->internal = take_internal(arena, m);
  S->of = (lb_step_rows){.set = lb_active_set_take(arena, nd, rows),
                         .inactive = LB_TAKE(arena, bool, rows),
                         .s_q = LB_TAKE(arena, double, rows* nd),
                         .s_v = LB_TAKE(arena, double, rows* nd),
                         .J = LB_TAKE(arena, double, rows* nd),
                         .gap_q = LB_TAKE(arena, double, rows* nd)};
  S->reach = (lb_step_reach){.Q = LB_TAKE(arena, double, blocks),
                             .H = {LB_TAKE(arena, double, blocks), LB_TAKE(arena, double, blocks)}};
  S->still_K = LB_TAKE(arena, double, nd* nd);
  S->still_M = LB_TAKE(arena, double, nd* nd);
  S->q = LB_TAKE(arena, double, nv);
  S->v = LB_TAKE(arena, double, nv);
  S->a = LB_TAKE(arena, double, nv);
  S->sys.G = S->of.s_q;
  S->sys.H = S->of.s_v;
  S->sys.J = S->of.J;
}

// Inner models behind a model's layers; dynamics are differentiated in the innermost.
static lb_status make_layers(lb_step_derivative* S) {
  const lb_model* m = S->m;
  lb_operator* s = &S->sys.op;
  lb_status status = lb_arena_status(&S->arena);
  if (status == LB_OK && m->particles.nparticle > 0) {
    s->particles = LB_TAKE(&S->arena, lb_particle_derivative, 1);
    status =
        s->particles ? lb_particle_derivative_create(s->particles, m, &S->arena) : LB_NO_MEMORY;
  }
  if (status == LB_OK && lb_model_interface(m)) {
    s->full = LB_TAKE(&S->arena, lb_full_step, 1);
    status = s->full ? lb_full_step_create(s->full, m, &S->arena) : LB_NO_MEMORY;
  }
  if (status == LB_OK && lb_tree_slopes_serve(m)) {
    S->tree = lb_tree_slopes_create(m, &S->arena);
    status = S->tree ? LB_OK : LB_NO_MEMORY;
  }
  s->small = s->full ? s->full->model : lb_model_without_particles(m, &S->arena);
  status = status == LB_OK && !s->small ? LB_NO_MEMORY : status;
  return status == LB_OK ? lb_derivatives_create(s->small, S->allocator, &S->D, NULL) : status;
}

// Impacts are stages, too.
static lb_status create(lb_step_derivative* S, lb_integrator by, lb_error* err) {
  const lb_model* m = S->m;
  lb_status status = S->steps->create ? S->steps->create(S, by, err) : LB_OK;
  if (status == LB_OK && (!S->steps->restarts || lb_constraints_unilateral(m) >= 0)) {
    take(S, &S->arena);
    status = lb_step_muscles_create(S) ? make_layers(S) : LB_NO_MEMORY;
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0}, "out of memory for derivatives of '%s'", m->name);
    }
  }
  return status;
}

lb_status lb_step_derivative_create_for(const lb_model* m, lb_integrator by,
                                        const lb_allocator* allocator, lb_step_derivative** out,
                                        lb_error* err) {
  const lb_derivative_type* type = lb_stepper_type_for(m, by)->derivative;
  lb_status status = lb_constraints_check_dense(m, "gradients of its steps", err);
  if (status != LB_OK) {
    return status;
  }
  lb_step_derivative* S = lb_allocate(allocator, sizeof *S);
  if (!S) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                        m->name);
  }
  *S = (lb_step_derivative){.m = m, .allocator = allocator, .steps = type, .type = type};
  lb_arena_init(&S->arena, allocator);
  status = create(S, by, err);
  if (status != LB_OK) {
    lb_step_derivative_release(S);
    return status;
  }
  *out = S;
  return LB_OK;
}

lb_status lb_step_derivative_create(const lb_model* m, const lb_allocator* allocator,
                                    lb_step_derivative** out, lb_error* err) {
  return lb_step_derivative_create_for(m, LB_INTEGRATOR_BDF2, allocator, out, err);
}

void lb_step_take_matrices(lb_step_derivative* S) {
  S->tree = NULL; // its memory goes with S
}

void lb_step_derivative_release(lb_step_derivative* S) {
  if (S) {
    if (S->steps->release) {
      S->steps->release(S);
    }
    if (S->sys.op.full) {
      lb_full_step_release(S->sys.op.full);
    }
    lb_derivatives_release(S->D);
    lb_arena_release(&S->arena);
    lb_release(S->allocator, S);
  }
}

// --- by the table ---

bool lb_step_differentiate(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  S->type = past->impact ? &lb_derivative_stages : S->steps;
  return S->type->differentiate(S, d, past);
}

const lb_derivatives* lb_step_dynamics(const lb_step_derivative* S) {
  return S->dynamics;
}

void lb_step_forward(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in,
                     const double* force) {
  S->type->forward(S, out, in, force);
}

void lb_step_back(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in) {
  S->type->back(S, out, in);
}

int lb_step_moments(const lb_step_derivative* S) {
  return S->type->moments(S);
}

double lb_step_moment(const lb_step_derivative* S, int i) {
  return S->type->moment(S, i);
}

int lb_step_parts(const lb_step_derivative* S) {
  return S->type->parts(S);
}

lb_step_part lb_step_pose(lb_step_derivative* S, lb_data* d, int i) {
  return S->type->pose(S, d, i);
}

bool lb_step_look_at_motors(lb_step_derivative* S, lb_data* d) {
  return S->type->look_at_motors(S, d);
}

void lb_step_add_torque(lb_step_derivative* S, lb_step_effects* to, int motor, double scale) {
  S->type->add_torque(S, to, motor, scale);
}

const double* lb_step_move_particles(lb_step_derivative* S, const double* v) {
  return S->type->move_particles(S, v);
}
