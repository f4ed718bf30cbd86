#include "fork/fork_statics.h"

#include <string.h>

#include "dynamics/joint/joint.h"
#include "fork/fork_inside.h"
#include "math/linear/blas_thread.h"
#include "math/linear/dense.h"

const double LB_FORK_BESIDE_AT[LB_FORK_BESIDE] = {-2, -1, 1, 2};
static const double WEIGHT[LB_FORK_BESIDE] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};

struct lb_fork_statics {
  lb_arena arena; // of the result
  int pose;
  lb_fork_work w;
};

// --- life ---

static void close(lb_fork_statics* s) {
  lb_fork_work_close(&s->w);
  lb_arena_release(&s->arena);
}

static lb_status find_compliance(lb_fork_statics* s, lb_error* err) {
  lb_fork* f = s->w.fork;
  const size_t n = 6 * (size_t)f->neffector;
  const double* C = lb_fork_respond(&s->w);
  f->C = C ? LB_COPY(&s->arena, C, n * n) : NULL;
  return f->C ? LB_OK : lb_fork_no_memory(err);
}

lb_status lb_fork_statics_create(const lb_model* model, const lb_scene_fork* what, int pose,
                                 const lb_allocator* allocator, lb_fork_statics** statics,
                                 lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_fork_statics* s = lb_allocate(allocator, sizeof *s);
  if (!s) {
    return lb_fork_no_memory(err);
  }
  memset(s, 0, sizeof *s);
  s->pose = pose;
  lb_arena_init(&s->arena, allocator);
  lb_status status = lb_fork_work_open(&s->w, model, what, pose, NULL, &s->arena, err);
  status = status == LB_OK ? lb_fork_work_linearise(&s->w, err) : status;
  status = status == LB_OK ? find_compliance(s, err) : status;
  if (status != LB_OK) {
    lb_fork_statics_release(s);
    return status;
  }
  *statics = s;
  return LB_OK;
}

void lb_fork_statics_release(lb_fork_statics* s) {
  if (s) {
    const lb_allocator* allocator = s->arena.allocator;
    close(s);
    lb_release(allocator, s);
  }
}

const lb_fork* lb_fork_statics_at(const lb_fork_statics* s) {
  return s->w.fork;
}

// --- a model beside it ---

// Coordinates that something holds, and no motor drives: they start where the model has them.
static void hold(const lb_fork_work* w, const lb_fork_work* of) {
  const lb_model* m = w->held;
  for (int i = 0; i < m->njoint; i++) {
    const int q = m->joint.q[i], v = m->joint.v[i];
    for (int k = 0; k < m->joint.nv[i] && m->joint.nq[i] == m->joint.nv[i]; k++) {
      if (m->dof.driven[v + k]) {
        w->d->q[q + k] += m->start.q[q + k] - of->held->start.q[q + k];
      }
    }
  }
}

// The state h along the tangent, in another model.
static void go(const lb_fork_work* w, const lb_fork_work* of, double h, const double* dq,
               const double* dlambda) {
  const int rows = of->R->at.rows;
  memcpy(w->d->q, of->d->q, (size_t)w->m->nq * sizeof *w->d->q);
  lb_advance(w->held, w->d->q, dq, h);
  lb_normalise(w->held, w->d->q);
  hold(w, of);
  for (int i = 0; i < rows; i++) {
    w->R->at.lambda[i] = of->R->at.lambda[i] + h * dlambda[i];
  }
}

static lb_status open_beside(const lb_fork_statics* s, lb_fork_statics* to,
                             const lb_fork_beside* at, lb_error* err) {
  *to = (lb_fork_statics){.pose = s->pose};
  lb_arena_init(&to->arena, s->w.allocator);
  lb_status status = lb_fork_work_open(&to->w, at->model, at->what, s->pose, NULL, &to->arena, err);
  if (status == LB_OK && (to->w.m->nv != s->w.m->nv || to->w.m->nq != s->w.m->nq)) {
    return lb_error_add(err, LB_FAILED, (lb_place){0},
                        "fork '%s' has other coordinates with another number", s->w.what->name);
  }
  return status == LB_OK ? lb_fork_work_prepare(&to->w, err) : status;
}

// Sum of weights times (r, gap) [nv + rows] at the equilibrium: dr/dx and dgap/dx times h.
static void difference_residuals(const lb_fork_work* of, lb_fork_statics* to, const double* still,
                                 double* out) {
  const int nv = of->m->nv, rows = of->R->at.rows;
  for (int i = 0; i < LB_FORK_BESIDE; i++) {
    lb_fork_work* w = &to[i].w;
    go(w, of, 0, still, still);
    lb_equilibrium_solver_look(w->R, w->d);
    lb_add(nv, out, WEIGHT[i], w->R->at.r);
    lb_add(rows, out + nv, WEIGHT[i], w->R->at.gap);
  }
}

// (1), for h in the place of 1. f [nv + rows]
static lb_status find_tangent(const lb_fork_work* w, double* f, double* dq, double* dlambda) {
  const int nv = w->m->nv;
  double* x = LB_TAKE(w->A.arena, double, nv);
  lb_status status = x ? lb_fork_close_gaps(&w->A, f + nv, dq) : LB_NO_MEMORY;
  if (status != LB_OK) {
    return status;
  }
  for (int k = 0; k < nv; k++) {
    f[k] = -f[k];
    x[k] = f[k] - lb_dot(nv, w->R->D->tau_q + (size_t)k * (size_t)nv, dq);
  }
  status = lb_fork_solve(&w->A, 1, x);
  lb_add(nv, dq, 1, x);
  return status == LB_OK ? lb_fork_multipliers(&w->A, dq, f, dlambda) : status;
}

// C along the tangent.
static lb_status look_beside(const lb_fork_work* of, lb_fork_statics* to, double h,
                             const double* dq, const double* dlambda, lb_error* err) {
  lb_fork_stability found;
  go(&to->w, of, h, dq, dlambda);
  lb_status status = lb_fork_measure(&to->w, err);
  status = status == LB_OK ? lb_fork_linearise(&to->w.A, to->w.R, &to->w.scratch, &found) : status;
  if (status == LB_OK && found.nneutral > 0) {
    status = lb_fork_leave_neutral(&to->w.A, &found);
  }
  if (status == LB_NO_MEMORY) {
    return lb_fork_no_memory(err);
  }
  if (status != LB_OK || found.unstable || found.nneutral > 0) {
    return lb_error_add(err, LB_FAILED, of->what->place,
                        "fork '%s' is at the end of what is stable, where its stiffness has no "
                        "derivative",
                        of->what->name);
  }
  return find_compliance(to, err);
}

static void add_compliance(double* dC, double weight, const lb_fork* f) {
  for (int e = 0; e < f->neffector; e++) {
    double C[36];
    lb_fork_compliance(f, e, e, C);
    lb_add(36, dC + 36 * (size_t)e, weight, C);
  }
}

static lb_status differentiate(lb_fork_statics* s, lb_fork_statics to[LB_FORK_BESIDE], double h,
                               double* dC, lb_error* err) {
  const lb_fork_work* w = &s->w;
  const size_t nv = (size_t)w->m->nv, rows = (size_t)w->R->at.rows, n = nv + rows;
  double *f = LB_TAKE(w->A.arena, double, n), *still = LB_TAKE(w->A.arena, double, n);
  double *dq = LB_TAKE(w->A.arena, double, nv), *dlambda = LB_TAKE(w->A.arena, double, rows);
  if (!f || !still || !dq || !dlambda) {
    return lb_fork_no_memory(err);
  }
  difference_residuals(w, to, still, f);
  if (find_tangent(w, f, dq, dlambda) != LB_OK) {
    return lb_fork_no_memory(err);
  }
  lb_status status = LB_OK;
  memset(dC, 0, 36 * (size_t)w->fork->neffector * sizeof *dC);
  for (int i = 0; i < LB_FORK_BESIDE && status == LB_OK; i++) {
    status = look_beside(w, &to[i], LB_FORK_BESIDE_AT[i], dq, dlambda, err);
    if (status == LB_OK) {
      add_compliance(dC, WEIGHT[i] / h, to[i].w.fork);
    }
  }
  return status;
}

lb_status lb_fork_statics_differentiate(lb_fork_statics* s, const lb_fork_beside at[LB_FORK_BESIDE],
                                        double h, double* dC, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  const lb_arena_mark mark = lb_arena_here(&s->w.scratch);
  lb_fork_statics to[LB_FORK_BESIDE] = {0};
  lb_status status = LB_OK;
  int open = 0;
  for (; open < LB_FORK_BESIDE && status == LB_OK; open++) {
    status = open_beside(s, &to[open], &at[open], err);
  }
  status = status == LB_OK ? differentiate(s, to, h, dC, err) : status;
  for (int i = 0; i < open; i++) {
    close(&to[i]);
  }
  lb_arena_reset(&s->w.scratch, mark);
  return status;
}
