// Modes of a whole model: K v = w^2 M v along the directions that loops and motors leave free, with
// stiffness and masses at a equilibrium.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/state.h"
#include "limber/shaping.h"
#include "math/linear/dense.h"
#include "solve/equilibrium/equilibrium.h"

static const double FREE =
    1e-9; // of the largest eigenvalue of J'J: a direction that closes nothing
static const double HELD = 1e-2; // least frequency of a vibration [Hz]

typedef struct space {
  int n;         // free directions
  double* P;     // [n][nv] an orthonormal basis of them
  double *K, *M; // [n][n]
  double* w;     // [nv]
} space;

static bool take_space(space* s, lb_arena* a, size_t nv) {
  *s = (space){.P = LB_TAKE(a, double, nv* nv),
               .K = LB_TAKE(a, double, nv* nv),
               .M = LB_TAKE(a, double, nv* nv),
               .w = LB_TAKE(a, double, nv)};
  return s->P && s->K && s->M && s->w;
}

static double form(int nv, const double* x, const double* A, const double* y) {
  double sum = 0;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      sum += x[i] * A[i * nv + j] * y[j];
    }
  }
  return sum;
}

// Directions in which no motor's coordinate and no loop's gap changes: the null space of J'J and of
// the driven coordinates.
static lb_status find_free(space* s, const lb_equilibrium_solver* R, lb_arena* scratch) {
  const lb_model* m = R->m;
  const int nv = m->nv;
  memset(s->P, 0, (size_t)nv * (size_t)nv * sizeof *s->P);
  double most = 1;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      for (int k = 0; k < R->rows; k++) {
        s->P[i + j * nv] += R->acts[k] ? R->J[k * nv + i] * R->J[k * nv + j] : 0;
      }
    }
    most = fmax(most, s->P[i + i * nv]);
  }
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      s->P[m->link_v[i] * (nv + 1)] += most;
    }
  }
  const lb_status status = lb_eigen_symmetric(scratch, nv, s->P, nv, s->w);
  while (s->n < nv && s->w[s->n] <= FREE * most) {
    s->n++;
  }
  return status;
}

// The motors' pull on a mode: the most of v'M e over the motors' coordinates e.
static double pull(const lb_equilibrium_solver* R, const double* v) {
  const lb_model* m = R->m;
  double most = 0;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      double sum = 0;
      for (int k = 0; k < m->nv; k++) {
        sum += v[k] * R->D->M[k * m->nv + m->link_v[i]];
      }
      most = fmax(most, fabs(sum));
    }
  }
  return most;
}

// The mode with coefficients x, w^2 its eigenvalue: v'M v = 1.
static lb_vibration describe(const space* s, const lb_equilibrium_solver* R, double* v,
                             const double* x, double square) {
  const int nv = R->m->nv;
  const double w = sqrt(square);
  memset(v, 0, (size_t)nv * sizeof *v);
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < nv; k++) {
      v[k] += x[i] * s->P[i * nv + k];
    }
  }
  return (lb_vibration){.frequency = w / (2 * M_PI),
                        .damping = form(nv, v, R->D->tau_qd, v) / (2 * w),
                        .excitation = pull(R, v) / (square * sqrt(R->mass))};
}

static lb_status find_modes(lb_equilibrium_solver* R, lb_arena* arena, int most, lb_vibration* mode,
                            int* count) {
  const int nv = R->m->nv;
  space s;
  double* v = LB_TAKE(arena, double, nv);
  if (!v || !take_space(&s, arena, (size_t)nv)) {
    return LB_NO_MEMORY;
  }
  lb_status status = find_free(&s, R, arena);
  for (int i = 0; i < s.n; i++) {
    for (int j = 0; j < s.n; j++) {
      s.K[i + j * s.n] = form(nv, s.P + i * nv, R->D->tau_q, s.P + j * nv);
      s.M[i + j * s.n] = form(nv, s.P + i * nv, R->D->M, s.P + j * nv);
    }
  }
  *count = 0;
  if (status == LB_OK && s.n > 0) {
    status = lb_eigen_generalised(arena, s.n, s.K, s.n, s.M, s.n, s.w);
  }
  for (int i = 0; i < s.n && status == LB_OK; i++) {
    if (s.w[i] > 4 * M_PI * M_PI * HELD * HELD) {
      if (*count < most) {
        mode[*count] = describe(&s, R, v, s.K + i * s.n, s.w[i]);
      }
      ++*count;
    }
  }
  return status;
}

lb_status lb_modes_of_model(const lb_model* m, lb_data* d, int most, lb_vibration* mode, int* count,
                            lb_error* err) {
  lb_equilibrium_solver* R = NULL;
  if (m->ndense < m->nv - 3 * m->nfree) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "modes are found for elastic bodies in a basis: leave 'elastic: full' out "
                        "of the scene's solver");
  }
  if (m->nparticle > 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                        "'%s' has strands or flesh, beside which modes are not looked for (take "
                        "them out)",
                        m->name);
  }
  lb_status status = lb_equilibrium_solver_create(m, d->work->allocator, &R, err);
  if (status != LB_OK) {
    return status;
  }
  // the loops' forces, which stiffen too
  status = m->nloop > 0 || m->ncoupling > 0 ? lb_equilibrium_solver_solve(R, d, err) : LB_OK;
  if (status == LB_OK) {
    lb_arena arena;
    lb_arena_init(&arena, d->work->allocator);
    lb_equilibrium_solver_look(R, d);
    status = find_modes(R, &arena, most, mode, count);
    lb_arena_release(&arena);
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0}, "no modes of '%s' were found", m->name);
    }
  }
  lb_equilibrium_solver_release(R);
  return status;
}
