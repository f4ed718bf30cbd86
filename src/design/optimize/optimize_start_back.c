// The way back through a start: how an objective changes with the coordinates and velocities that
// follow is passed on to the others by the transposed derivatives of gaps and rates
// (optimize_start.c). In maximal coordinates, how it changes with poses and velocities of bodies is
// passed on to the tree's coordinates before.
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"
#include "solve/run/maximal_start.h"

typedef struct way_back {
  const lb_optimizing* o;
  const lb_played* m;
  lb_data* d;
  lb_derivatives* D; // of the tree, without particles, at the start
  int rows;          // of constraints there
  lb_arena arena;
  lb_motion *S, *psi; // [nv] of a body
} way_back;

// From poses and velocities of the model's bodies to coordinates and velocities of the tree. Along
// the body's axes a body moves with R'S, and its velocity gains R'psi.
static void gather_loose(way_back* w, int body, const double* by_q, const double* by_v,
                         lb_start_slopes* to) {
  const lb_model* tree = w->m->tree;
  const lb_force_point p = lb_maximal_start_body(tree, w->d, body);
  if (!p.link) {
    return;
  }
  const lb_m3 R = lb_m3_mul(p.link->R, lb_m3_rotation(tree->body.in_link[body].q));
  const lb_motion q = {lb_m3_apply(R, lb_v4_load(by_q)), lb_m3_apply(R, lb_v4_load(by_q + 3))};
  const lb_motion v = {lb_m3_apply(R, lb_v4_load(by_v)), lb_m3_apply(R, lb_v4_load(by_v + 3))};
  lb_derive_point(w->D, w->S, w->psi, p.index, p.arm);
  for (int k = 0; k < w->D->model->nv; k++) {
    to->tree_q[k] += lb_motion_dot(w->S[k], q) + lb_motion_dot(w->psi[k], v);
    to->tree_v[k] += lb_motion_dot(w->S[k], v);
  }
}

static void gather(way_back* w, lb_start_slopes* by) {
  const lb_model *tree = w->m->tree, *m = w->m->model;
  memset(by->tree_q, 0, (size_t)tree->nv * sizeof *by->tree_q);
  memset(by->tree_v, 0, (size_t)tree->nv * sizeof *by->tree_v);
  for (int i = 0; i < m->njoint; i++) {
    const int j = lb_maximal_start_joint(tree, m, i), v = m->joint.v[i];
    if (m->joint.kind[i] == LB_LINK_FULL) { // it starts straight
      continue;
    }
    if (j < 0) {
      gather_loose(w, m->joint.body[i], by->q + v, by->v + v, by);
    } else {
      lb_add(m->joint.nv[i], by->tree_q + tree->joint.v[j], 1, by->q + v);
      lb_add(m->joint.nv[i], by->tree_v + tree->joint.v[j], 1, by->v + v);
    }
  }
  const int particles = 3 * m->particles.nfree; // they come last
  lb_add(particles, by->tree_q + tree->nv - particles, 1, by->q + m->nv - particles);
  lb_add(particles, by->tree_v + tree->nv - particles, 1, by->v + m->nv - particles);
}

// A chosen part of a matrix of rows, and what is done with it on the way back.
typedef struct passing {
  double* A; // [n][n], then [n], of what follows
  int* order;
} passing;

// Gradient by a constraint's target, its multiplier: motors prescribe gaps or rates of joints that
// close loops. `motor` [nmotor][3] from the one that is asked for on; NULL: nobody is asked.
static void ask(way_back* w, double* motor, int row, double lambda) {
  if (motor && lb_constraints_row(w->d, row)->motor >= 0) {
    motor[3 * lb_constraints_row(w->d, row)->motor] += lambda;
  }
}

// to -= B' lambda, where A' lambda = from[what follows] and A is the chosen part of C.
// The multipliers are added to `lambda` [rows] (NULL: not wanted).
static bool pass_on(way_back* w, passing* p, const lb_following* f, const double* C,
                    const double* B, const double* from, double* to, double* motor,
                    double* lambda) {
  const int n = f->count;
  const int nv = w->D->model->nv; // loops join links, whatever else there is
  double* x = p->A + (size_t)n * (size_t)n;
  if (n == 0) {
    return true;
  }
  if (!lb_start_factor(f, C, nv, p->A, p->order)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    x[i] = from[f->column[i]];
  }
  lb_lu_solve_transposed(n, p->A, n, p->order, 1, x, n);
  for (int i = 0; i < n; i++) {
    lb_add(nv, to, -x[i], B + (size_t)f->row[i] * (size_t)nv);
    ask(w, motor, f->row[i], x[i]);
    if (lambda) {
      lambda[f->row[i]] += x[i];
    }
  }
  return true;
}

static lb_status pull_loops(way_back* w, lb_start_slopes* by) {
  const lb_optimizing* o = w->o;
  const size_t n = (size_t)(o->places.count > o->rates.count ? o->places.count : o->rates.count);
  const size_t size = (size_t)lb_constraints_most(w->m->tree) * (size_t)w->m->tree->nv;
  double* gap_q = LB_TAKE(&w->arena, double, size);
  double* rate_q = LB_TAKE(&w->arena, double, size);
  double* J = LB_TAKE(&w->arena, double, size);
  double* scratch = LB_TAKE(&w->arena, double, 2 * w->m->tree->nv);
  passing p = {LB_TAKE(&w->arena, double, n* n + n), LB_TAKE(&w->arena, int, n)};
  if (lb_arena_status(&w->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_constraints_differentiate_rows(w->D, w->d, gap_q, rate_q, J);
  // velocities follow from coordinates, too
  if (!pass_on(w, &p, &o->rates, J, rate_q, by->tree_v, by->tree_q, by->motor + 1, by->rate) ||
      !pass_on(w, &p, &o->rates, J, J, by->tree_v, by->tree_v, NULL, NULL)) {
    return LB_FAILED;
  }
  lb_start_along(o, w->D->model, w->rows, gap_q, scratch);
  lb_start_along(o, w->D->model, 1, by->tree_q, scratch);
  return pass_on(w, &p, &o->places, gap_q, gap_q, by->tree_q, by->tree_q, by->motor, by->gap)
             ? LB_OK
             : LB_FAILED;
}

// Everything that is needed of the tree at the start of the last run.
static void differentiate(way_back* w) {
  const lb_optimizing* o = w->o;
  const lb_model* tree = w->m->tree;
  memcpy(w->d->q, o->q1, (size_t)tree->nq * sizeof *o->q1);
  memcpy(w->d->qd, o->v1, (size_t)tree->nv * sizeof *o->v1);
  lb_kinematics(tree, w->d, w->d->q, w->d->qd);
  lb_move_origins(tree, w->d->work, w->d->qd);
  w->rows = w->d->work->constraints
                ? lb_constraints_linearise(tree, w->d, LB_SET_BILATERAL | LB_SET_COMPLIANT).count
                : 0;
  lb_derive(w->D, w->d, w->d->q, w->d->qd, w->d->qdd, false);
}

static lb_status pull(way_back* w, bool separate, lb_start_slopes* by, lb_error* err) {
  w->S = LB_TAKE(&w->arena, lb_motion, 2 * w->m->tree->nv);
  lb_status status = w->S ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    w->psi = w->S + w->m->tree->nv;
    differentiate(w);
    if (separate) {
      gather(w, by);
    }
    lb_made_pull(w->o, w->D, w->d, w->S, by);
    status = w->o->places.count + w->o->rates.count > 0 ? pull_loops(w, by) : LB_OK;
  }
  return status == LB_OK ? LB_OK
                         : lb_error_add(err, status, (lb_place){0},
                                        status == LB_NO_MEMORY
                                            ? "out of memory for a start"
                                            : "the start has no derivative: loops are singular "
                                              "there");
}

lb_status lb_start_pull(const lb_optimizing* o, const lb_played* m, lb_start_slopes* by,
                        lb_error* err) {
  const bool separate = m->tree != m->model;
  if (!separate) {
    memcpy(by->tree_q, by->q, (size_t)m->tree->nv * sizeof *by->q);
    memcpy(by->tree_v, by->v, (size_t)m->tree->nv * sizeof *by->v);
  }
  if (!separate && o->places.count + o->rates.count == 0 && o->ncarrying == 0) {
    return LB_OK;
  }
  way_back w = {.o = o, .m = m};
  lb_status status = lb_data_create(m->tree, o->allocator, &w.d, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena_init(&w.arena, o->allocator);
  const lb_model* links = lb_model_without_particles(m->tree, &w.arena);
  status = links ? lb_derivatives_create(links, o->allocator, &w.D, err) : LB_NO_MEMORY;
  if (status == LB_OK) {
    status = pull(&w, separate, by, err);
  }
  lb_derivatives_release(w.D);
  lb_arena_release(&w.arena);
  lb_data_release(w.d);
  return status;
}
