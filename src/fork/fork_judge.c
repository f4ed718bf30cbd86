// What a reduced mechanism is off by: estimates from the whole.
//
// Let the joints be at q as the reduced mechanism has them, under wrenches w that hold its
// effectors at X by its own account. The whole is out of balance there by r(q), and its effectors
// are at X(q). One step of Newton's method with the stiffness of the nearest model brings them to
//
//   (1)  X(q) exp(Q dy),   dy = -K^-1 A'r
//
// where the whole would hold w, but for terms of higher order. The way there from X is the
// estimate. Loops are closed first, and the least r that their forces leave is taken. (A'J' = 0
// holds at the model's own q alone, and forces of loops are large.)
#include <math.h>
#include <string.h>

#include "fork/fork_chart.h"
#include "fork/fork_inside.h"
#include "math/linear/dense.h"

static const double SAME = 3e-6; // sine of the angle below which a constraint repeats others

struct lb_fork_judge {
  lb_fork_work w;
  lb_fork of;              // what the work needs of a model: its effectors
  lb_external_force* load; // [neffector]
  double* q;               // [nq]
  double* wrench;          // [neffector][6]
};

// --- life ---

lb_status lb_fork_judge_create(const lb_fork* f, const lb_allocator* allocator,
                               lb_fork_judge** judge, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork_judge* j = LB_TAKE(&arena, lb_fork_judge, 1);
  if (!j) {
    lb_arena_release(&arena);
    return lb_fork_no_memory(err);
  }
  j->of = *f;
  j->w = (lb_fork_work){.m = f->model, .what = f->what, .fork = &j->of, .allocator = allocator};
  j->load = LB_TAKE(&arena, lb_external_force, f->neffector);
  j->q = LB_TAKE(&arena, double, f->model->nq);
  j->wrench = LB_TAKE(&arena, double, 6 * (size_t)f->neffector);
  j->w.scratch = arena;
  lb_status status =
      lb_arena_status(&arena) == LB_OK ? lb_fork_hold_base(&j->w, err) : lb_fork_no_memory(err);
  status = status == LB_OK ? lb_data_create(j->w.held, allocator, &j->w.d, err) : status;
  status =
      status == LB_OK ? lb_equilibrium_solver_create(j->w.held, allocator, &j->w.R, err) : status;
  if (status != LB_OK) {
    lb_fork_judge_release(j);
    return status;
  }
  j->w.d->external = j->load;
  j->w.d->nexternal = f->neffector;
  *judge = j;
  return LB_OK;
}

void lb_fork_judge_release(lb_fork_judge* j) {
  if (j) {
    lb_arena arena = j->w.scratch;
    lb_equilibrium_solver_release(j->w.R);
    lb_data_release(j->w.d);
    lb_arena_release(&arena);
  }
}

// --- estimates ---

// r under the wrenches that hold the effectors.
static void look(lb_fork_judge* j, const lb_transform* pose) {
  lb_data* d = j->w.d;
  for (int e = 0; e < j->of.neffector; e++) {
    const lb_twist w = lb_fork_twist(j->wrench + 6 * (size_t)e);
    j->load[e] = (lb_external_force){.at = j->of.at[e],
                                     .force = lb_quat_rotate(pose[e].q, lb_vec3_scale(-1, w.v)),
                                     .torque = lb_quat_rotate(pose[e].q, lb_vec3_scale(-1, w.w))};
  }
  memcpy(d->q, j->q, (size_t)j->w.m->nq * sizeof *d->q);
  if (j->w.held->constraint.count > 0) {
    lb_project(j->w.held, d);
  }
  lb_equilibrium_solver_look(j->w.R, d);
}

// r less what forces of loops balance, by least squares.
static bool balance(lb_fork_judge* j) {
  const lb_equilibrium_point* at = &j->w.R->at;
  const size_t nv = (size_t)j->w.m->nv, rows = (size_t)at->rows, longer = nv > rows ? nv : rows;
  if (rows == 0) {
    return true;
  }
  double* J = LB_COPY(&j->w.scratch, at->J, rows * nv);
  double* x = LB_TAKE(&j->w.scratch, double, longer);
  int rank = 0;
  if (!J || !x) {
    return false;
  }
  memcpy(x, at->r, nv * sizeof *x);
  if (lb_least_squares(&j->w.scratch, (int)nv, at->rows, J, (int)nv, 1, x, (int)longer, SAME,
                       &rank) != LB_OK) {
    return false;
  }
  for (size_t i = 0; i < rows; i++) {
    lb_add((int)nv, at->r, -x[i], at->J + i * nv);
  }
  return true;
}

// dy of (1) in a model's coordinates.
static bool correct(lb_fork_judge* j, const lb_fork* f, double* dy, double* K) {
  const size_t count = (size_t)f->count;
  for (size_t k = 0; k < count; k++) {
    dy[k] = -lb_dot(f->nv, f->dq + k * (size_t)f->nv, j->w.R->at.r);
  }
  memcpy(K, f->K, count * count * sizeof *K);
  const bool ok = lb_cholesky(f->count, K, f->count) == LB_OK;
  if (ok) {
    lb_cholesky_solve(f->count, K, f->count, 1, dy, f->count);
  }
  return ok;
}

static double way(lb_fork_judge* j, const lb_fork* f, int e, lb_transform pose, const double* dy) {
  const lb_scene_effector* of = &f->what->effector[e];
  const lb_transform body = j->w.d->pose[of->body];
  const lb_transform at = {body.q, lb_transform_point(body, of->at)};
  lb_twist x = lb_se3_log(lb_transform_mul(lb_transform_inverse(pose), at));
  for (int k = 0; k < f->count; k++) {
    const size_t row = (size_t)k * 6 * (size_t)f->neffector + 6 * (size_t)e;
    const lb_twist s = lb_fork_twist(f->shape + row);
    x.w = lb_vec3_add(x.w, lb_vec3_scale(dy[k], s.w));
    x.v = lb_vec3_add(x.v, lb_vec3_scale(dy[k], s.v));
  }
  return sqrt(lb_vec3_dot(x.w, x.w) + lb_vec3_dot(x.v, x.v) / (f->radius * f->radius));
}

// Nearest model f; q and wrench are in place. NAN: no memory.
static double estimate(lb_fork_judge* j, const lb_fork* f, const lb_transform* pose) {
  const lb_arena_mark mark = lb_arena_here(&j->w.scratch);
  const size_t count = (size_t)f->count;
  double* dy = LB_TAKE(&j->w.scratch, double, count);
  double* K = LB_TAKE(&j->w.scratch, double, count* count);
  double most = NAN;
  if (dy && K && f->base == 0) {
    look(j, pose);
    lb_poses(j->w.held, j->w.d);
    most = balance(j) && correct(j, f, dy, K) ? 0 : NAN;
    for (int e = 0; e < f->neffector && !isnan(most); e++) {
      most = fmax(most, way(j, f, e, pose[e], dy));
    }
  }
  lb_arena_reset(&j->w.scratch, mark);
  return most;
}

double lb_fork_judge_stepper(lb_fork_judge* j, const lb_fork_stepper* s) {
  lb_fork_coordinates(s, j->q);
  lb_fork_wrench(s, j->wrench);
  return estimate(j, s->fork, s->pose);
}

double lb_fork_judge_blend(lb_fork_judge* j, lb_fork_blend* b) {
  int nearest = 0;
  lb_fork_blend_look(b);
  for (int i = 1; i < b->count; i++) {
    nearest = b->weight[i] > b->weight[nearest] ? i : nearest;
  }
  lb_fork_blend_coordinates(b, j->q);
  lb_fork_blend_wrench(b, j->wrench);
  return estimate(j, b->fork[nearest], b->pose);
}
