// Making and releasing the derivative of a step: what of it a model needs.
#include <string.h>

#include "base/carve.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "elastic/reduced/reduced.h"
#include "model/use/link.h"
#include "solve/step/step_inside.h"

static lb_status no_memory(const lb_model* m, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                      m->name);
}

static lb_step_derivative* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)lb_step_most_v(m), rows = (size_t)lb_constraints_most(m);
  const size_t nd = (size_t)(m->interface ? m->interface->nv : m->ndense);
  lb_step_derivative* S = lb_carve(c, 1, sizeof *S);
  lb_step_derivative made = {.m = m, .nd = (int)nd};
  double** const blocks[] = {&made.Q, &made.H[0], &made.H[1]};
  for (int i = 0; i < 3; i++) {
    *blocks[i] = lb_carve(c, (size_t)m->nlink * LB_STEP_BLOCK, sizeof(double));
  }
  double** const of_rows[] = {&made.s_q, &made.s_v, &made.J, &made.gap_q, &made.E, &made.F};
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
    *of_rows[i] = lb_carve(c, rows * nd, sizeof(double));
  }
  double** const vectors[] = {&made.q, &made.v, &made.a, &made.mu};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, nv, sizeof(double));
  }
  made.active_set = lb_active_set_lay_out(c, nd, rows);
  made.row = made.active_set.row;
  made.state = made.active_set.state;
  made.Z = made.active_set.force;
  made.A = made.active_set.A;
  made.pivot = made.active_set.pivot;
  made.row_motor = lb_carve(c, rows, sizeof(int));
  made.inactive = lb_carve(c, rows, sizeof *made.inactive);
  double** const still[] = {&made.still_K, &made.still_M};
  for (int i = 0; i < 2; i++) {
    *still[i] = lb_carve(c, nd * nd, sizeof(double));
  }
  made.W = lb_carve(c, nd * nd, sizeof(double));
  made.order = lb_carve(c, nd, sizeof(int));
  made.nu = lb_carve(c, rows, sizeof(double));
  made.from = lb_carve(c, (size_t)m->nq, sizeof(double));
  made.eta = lb_carve(c, (size_t)m->nq, sizeof(double));
  made.etad = lb_carve(c, nv, sizeof(double));
  int most = 0, scratch = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_reduced* b = m->interface ? NULL : m->link[i].reduced;
    most = b && b->r > most ? b->r : most;
    scratch = b && lb_reduced_scratch(b) > scratch ? lb_reduced_scratch(b) : scratch;
  }
  made.block = lb_carve(c, (size_t)most * (size_t)most, sizeof(double));
  made.scratch = lb_carve(c, (size_t)scratch, sizeof(double));
  made.push = lb_carve(c, (size_t)m->nmotor * nd, sizeof(double));
  if (S) {
    *S = made;
  }
  return S;
}

static lb_status make_nodes(lb_step_derivative* S, lb_error* err) {
  const bool any = S->m->nparticle > 0;
  S->particles = any ? LB_TAKE(&S->arena, lb_particle_derivative, 1) : NULL;
  bool made = !any || (S->particles &&
                       lb_particle_derivative_create(S->particles, S->m, &S->arena) == LB_OK);
  S->full = made && S->m->interface ? LB_TAKE(&S->arena, lb_full_step, 1) : NULL;
  if (S->m->interface) {
    made &= S->full && lb_full_step_create(S->full, S->m, &S->arena) == LB_OK;
  }
  return made ? LB_OK : no_memory(S->m, err);
}

static lb_status make_tree(lb_step_derivative* S, lb_error* err) {
  const bool serves = lb_tree_slopes_serve(S->m);
  S->tree = serves ? lb_tree_slopes_create(S->m, &S->arena) : NULL;
  return serves && !S->tree ? no_memory(S->m, err) : LB_OK;
}

// The model whose dynamics are differentiated.
static const lb_model* derived(const lb_step_derivative* S) {
  return S->full ? &S->full->model : S->m->tree ? S->m->tree : S->m;
}

lb_status lb_step_derivative_create(const lb_model* m, const lb_allocator* allocator,
                                    lb_step_derivative** out, lb_error* err) {
  const lb_status fits = lb_constraints_check_dense(m, "gradients of its steps", err);
  if (fits != LB_OK) {
    return fits;
  }
  lb_carver c = {0};
  lay_out(&c, m);
  c.base = lb_allocate(allocator, c.used);
  if (!c.base) {
    return no_memory(m, err);
  }
  memset(c.base, 0, c.used);
  c.used = 0;
  lb_step_derivative* S = lay_out(&c, m);
  S->allocator = allocator;
  lb_arena_init(&S->arena, allocator);
  lb_status status = make_nodes(S, err);
  if (status == LB_OK) {
    status = make_tree(S, err);
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(derived(S), allocator, &S->D, err);
  }
  if (status != LB_OK) {
    lb_step_derivative_release(S);
    return status;
  }
  *out = S;
  return LB_OK;
}

void lb_step_take_matrices(lb_step_derivative* S) {
  S->tree = NULL; // its memory goes with S
}

void lb_step_derivative_release(lb_step_derivative* S) {
  if (S) {
    if (S->full) {
      lb_full_step_release(S->full);
    }
    lb_derivatives_release(S->D);
    lb_arena_release(&S->arena);
    lb_release(S->allocator, S);
  }
}
