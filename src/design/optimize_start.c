// Starts of scenes with loops. As many coordinates as there are conditions follow from the others:
// which, is chosen once, so that the start is a smooth function of the numbers,
//
//   gap(q_dependent, q_others) = 0,   rate(q, v_dependent, v_others) = 0
//
// and how an objective changes with the dependent ones is passed on to the others by the transposed
// derivatives of both.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "dynamics/derivative.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "math/dense.h"

enum { NEWTON_STEPS = 50 };

static const double CLOSED = 1e-13;   // [m or rad]
static const double REDUNDANT = 1e-9; // pivots below this part of the largest say nothing new

static bool moves_start(lb_parameter_kind kind) {
  return kind <= LB_PARAMETER_SPIN || kind == LB_PARAMETER_LENGTH;
}

bool lb_start_moves(const lb_optimizing* o) {
  for (int i = 0; i < o->nblock; i++) {
    if (moves_start(o->block[i].p->kind)) {
      return o->model->nloop > 0 || o->model->nrelation > 0;
    }
  }
  return false;
}

// --- which coordinates follow ---

typedef struct choice {
  int rows, nv;
  double* J;      // [rows][nv] what is left of it
  bool* row_used; // [rows]
  bool* wanted;   // [nv] coordinates that numbers say
} choice;

static double largest(const choice* c, bool wanted, int* row, int* column) {
  double most = 0;
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < c->nv && !c->row_used[i]; k++) {
      const double x = fabs(c->J[i * c->nv + k]);
      if (c->wanted[k] == wanted && x > most) {
        most = x;
        *row = i;
        *column = k;
      }
    }
  }
  return most;
}

static void eliminate(choice* c, int row, int column) {
  const double* from = c->J + (size_t)row * (size_t)c->nv;
  c->row_used[row] = true;
  for (int i = 0; i < c->rows; i++) {
    double* to = c->J + (size_t)i * (size_t)c->nv;
    if (!c->row_used[i]) {
      lb_add(c->nv, to, -to[column] / from[column], from);
    }
  }
}

// The coordinates that a block says, of free bodies all.
static void want(const lb_block* b, bool* wanted) {
  const bool start = b->p->kind <= LB_PARAMETER_SPIN;
  const int n = b->p->owner == LB_OWNER_BODY ? LB_JOINT_MOST_V : b->count;
  for (int k = 0; k < n && start; k++) {
    wanted[b->v + k] = true;
  }
}

static lb_status complain(const lb_optimizing* o, int column, lb_error* err) {
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    if (b->p->kind <= LB_PARAMETER_SPIN && column >= b->v && column < b->v + LB_JOINT_MOST_V) {
      return lb_error_add(err, LB_INVALID, b->p->place,
                          "parameter '%s': loops and constraints already say how it starts, given "
                          "the other parameters (take one away)",
                          b->p->name);
    }
  }
  return LB_FAILED;
}

static lb_status choose(lb_optimizing* o, choice* c, lb_error* err) {
  int row = 0, column = 0;
  double first = 0;
  for (;;) {
    const double x = largest(c, false, &row, &column);
    first = fmax(first, x);
    if (!(x > REDUNDANT * first)) {
      break;
    }
    o->closing[o->nclosing] = row;
    o->dependent[o->nclosing++] = column;
    eliminate(c, row, column);
  }
  return largest(c, true, &row, &column) > REDUNDANT * fmax(first, 1) ? complain(o, column, err)
                                                                      : LB_OK;
}

lb_status lb_start_choose(lb_optimizing* o, lb_data* d, lb_error* err) {
  const lb_model* m = o->model;
  if (!lb_start_moves(o)) {
    return LB_OK;
  }
  lb_kinematics(m, d, d->q, d->qd);
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  const size_t size = (size_t)rows.count * (size_t)m->nv;
  choice c = {.rows = rows.count,
              .nv = m->nv,
              .J = LB_TAKE(&o->arena, double, size),
              .row_used = LB_TAKE(&o->arena, bool, rows.count),
              .wanted = LB_TAKE(&o->arena, bool, m->nv)};
  o->closing = LB_TAKE(&o->arena, int, rows.count);
  o->dependent = LB_TAKE(&o->arena, int, rows.count);
  if (!c.J || !c.row_used || !c.wanted || !o->closing || !o->dependent) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  memcpy(c.J, rows.J, size * sizeof *c.J);
  for (int i = 0; i < o->nblock; i++) {
    want(&o->block[i], c.wanted);
  }
  return choose(o, &c, err);
}

// --- closing ---

// Rows and columns of the choice, factored; false: singular.
static bool factor(const lb_optimizing* o, const double* J, int nv, double* A, int* order) {
  const int n = o->nclosing;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      A[i + k * n] = J[(size_t)o->closing[i] * (size_t)nv + (size_t)o->dependent[k]];
    }
  }
  return lb_lu(n, A, n, order) == LB_OK;
}

// The change of the dependent coordinates that makes up for `off`, one a row.
static bool correct(const lb_optimizing* o, const lb_loop_rows* rows, const double* off, double* A,
                    int* order, double* step) {
  double* x = A + (size_t)o->nclosing * (size_t)o->nclosing;
  for (int i = 0; i < o->nclosing; i++) {
    x[i] = -off[o->closing[i]];
  }
  if (!factor(o, rows->J, o->model->nv, A, order)) {
    return false;
  }
  lb_lu_solve(o->nclosing, A, o->nclosing, order, 1, x, o->nclosing);
  memset(step, 0, (size_t)o->model->nv * sizeof *step);
  for (int i = 0; i < o->nclosing; i++) {
    step[o->dependent[i]] = x[i];
  }
  return true;
}

static double widest(const lb_optimizing* o, const double* gap) {
  double most = 0;
  for (int i = 0; i < o->nclosing; i++) {
    most = fmax(most, fabs(gap[o->closing[i]]));
  }
  return most;
}

static lb_status close_start(const lb_optimizing* o, const lb_model* m, lb_data* d, double* A,
                             int* order, double* step, lb_error* err) {
  bool ok = true;
  double before = (double)INFINITY;
  for (int i = 0; i < NEWTON_STEPS && ok; i++) {
    lb_kinematics(m, d, d->q, d->qd);
    const lb_loop_rows rows = lb_loops_linearise(m, d);
    const double gap = widest(o, rows.gap);
    if (gap < CLOSED || (gap < 1e3 * CLOSED && gap > 0.5 * before)) {
      ok = correct(o, &rows, rows.rate, A, order, step);
      lb_add(m->nv, d->qd, 1, step);
      return ok ? LB_OK : LB_FAILED;
    }
    before = gap;
    ok = isfinite(gap) && correct(o, &rows, rows.gap, A, order, step);
    lb_advance(m, d->q, step, 1);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "loops cannot be closed at the start with these numbers");
}

lb_status lb_start_close(const lb_optimizing* o, const lb_model* m, lb_data* d, lb_error* err) {
  const size_t n = (size_t)o->nclosing;
  if (n == 0) {
    return LB_OK;
  }
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  double* A = LB_TAKE(&arena, double, n* n + n);
  double* step = LB_TAKE(&arena, double, m->nv);
  int* order = LB_TAKE(&arena, int, n);
  lb_loops_leave_out_one_way(d, true);
  const lb_status status = A && step && order ? close_start(o, m, d, A, order, step, err)
                                              : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                                             "out of memory for a start");
  lb_loops_leave_out_one_way(d, false);
  lb_arena_release(&arena);
  return status;
}

void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene) {
  for (int i = 0; i < scene->njoint; i++) {
    lb_scene_joint* to = &scene->joint[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0) { // of those that close loops, the ones at which a body is split
      memcpy(to->q, d->q + m->joint_q[j], (size_t)m->joint_nq[j] * sizeof *d->q);
      memcpy(to->qd, d->qd + m->joint_v[j], (size_t)m->joint_nv[j] * sizeof *d->qd);
    }
  }
  for (int i = 0; i < scene->nbody; i++) {
    lb_scene_body* to = &scene->body[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0 && m->joint_kind[j] == LB_JOINT_FREE) {
      const double *q = d->q + m->joint_q[j], *v = d->qd + m->joint_v[j];
      const lb_quat r = {q[3], q[4], q[5], q[6]};
      to->pose = (lb_transform){r, {q[0], q[1], q[2]}};
      to->spin = lb_vec3_make(v[0], v[1], v[2]);
      to->velocity = lb_quat_rotate(r, lb_vec3_make(v[3], v[4], v[5]));
    }
  }
}

// --- the way back ---

// by -= B' lambda, where A' lambda = by[dependent] and A is the chosen part of C, both with nv
// columns.
static bool pass_on(const lb_optimizing* o, int nv, const double* C, const double* B, double* from,
                    double* to, double* A, int* order) {
  const int n = o->nclosing;
  double* x = A + (size_t)n * (size_t)n;
  if (!factor(o, C, nv, A, order)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    x[i] = from[o->dependent[i]];
  }
  lb_lu_solve_transposed(n, A, n, order, 1, x, n);
  for (int i = 0; i < n; i++) {
    lb_add(nv, to, -x[i], B + (size_t)o->closing[i] * (size_t)nv);
  }
  return true;
}

static lb_status pull(const lb_optimizing* o, lb_derivatives* D, lb_data* d, lb_arena* arena,
                      double* by_q, double* by_v) {
  const lb_model* m = D->model;
  const size_t size = (size_t)o->rows * (size_t)m->nv, n = (size_t)o->nclosing;
  double* gap_q = LB_TAKE(arena, double, size);
  double* rate_q = LB_TAKE(arena, double, size);
  double* J = LB_TAKE(arena, double, size);
  double* A = LB_TAKE(arena, double, n* n + n);
  int* order = LB_TAKE(arena, int, n);
  if (!gap_q || !rate_q || !J || !A || !order) {
    return LB_NO_MEMORY;
  }
  lb_loops_leave_out_one_way(d, true);
  lb_kinematics(m, d, d->q, d->qd);
  lb_loops_linearise(m, d);
  lb_derive(D, d, d->q, d->qd, d->qdd, false);
  lb_loops_differentiate_rows(D, d, gap_q, rate_q, J);
  lb_loops_leave_out_one_way(d, false);
  // velocities follow from coordinates, too
  const bool ok = pass_on(o, m->nv, J, rate_q, by_v, by_q, A, order) &&
                  pass_on(o, m->nv, J, J, by_v, by_v, A, order) &&
                  pass_on(o, m->nv, gap_q, gap_q, by_q, by_q, A, order);
  return ok ? LB_OK : LB_FAILED;
}

lb_status lb_start_pull(const lb_optimizing* o, const lb_model* m, lb_data* d, double* by_q,
                        double* by_v, lb_error* err) {
  if (o->nclosing == 0) {
    return LB_OK;
  }
  lb_arena arena;
  lb_derivatives* D = NULL;
  lb_arena_init(&arena, o->allocator);
  // loops join links, whatever else there is
  lb_status status = lb_derivatives_create(m->tree ? m->tree : m, o->allocator, &D, err);
  if (status == LB_OK) {
    status = pull(o, D, d, &arena, by_q, by_v);
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0},
                   status == LB_NO_MEMORY
                       ? "out of memory for a start"
                       : "the start has no derivative: loops are singular there");
    }
  }
  lb_derivatives_release(D);
  lb_arena_release(&arena);
  return status;
}
