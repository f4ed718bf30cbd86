// Modes of a whole model: K v = w^2 M v along the directions that loops and motors leave free, with
// stiffness and masses at a equilibrium.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/muscle.h"
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

static double form(int nv, const double* x, const double* A) { // x'A x
  double sum = 0;
  for (int i = 0; i < nv; i++) {
    sum += x[i] * lb_dot(nv, A + (size_t)i * (size_t)nv, x);
  }
  return sum;
}

// out = P A P', by way of z [nv] = A p
static void project(const space* s, int nv, const double* A, double* z, double* out) {
  for (int j = 0; j < s->n; j++) {
    const double* p = s->P + (size_t)j * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      z[k] = lb_dot(nv, A + (size_t)k * (size_t)nv, p);
    }
    for (int i = 0; i < s->n; i++) {
      out[i + j * s->n] = lb_dot(nv, s->P + (size_t)i * (size_t)nv, z);
    }
  }
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
      for (int k = 0; k < R->at.rows; k++) {
        s->P[i + j * nv] += R->at.acts[k] ? R->at.J[k * nv + i] * R->at.J[k * nv + j] : 0;
      }
    }
    most = fmax(most, s->P[i + i * nv]);
  }
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i]) {
      s->P[m->link.v[i] * (nv + 1)] += most;
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
    if (m->link.driven[i]) {
      double sum = 0;
      for (int k = 0; k < m->nv; k++) {
        sum += v[k] * R->D->M[k * m->nv + m->link.v[i]];
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
    lb_add(nv, v, x[i], s->P + (size_t)i * (size_t)nv);
  }
  return (lb_vibration){.frequency = w / (2 * M_PI),
                        .damping = form(nv, v, R->D->tau_qd) / (2 * w),
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
  project(&s, nv, R->D->tau_q, v, s.K);
  project(&s, nv, R->D->M, v, s.M);
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
  if (m->ndense < m->nv - 3 * m->particles.nfree) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "modes are found for elastic bodies in a basis: leave 'elastic: full' out "
                        "of the scene's solver");
  }
  if (m->particles.nparticle > 0) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){m->file, 0, 0},
        "'%s' has ropes or deformables, beside which modes are not looked for (take "
        "them out)",
        m->name);
  }
  lb_status status = lb_equilibrium_solver_create(m, d->work->allocator, &R, err);
  if (status != LB_OK) {
    return status;
  }
  // the loops' forces, which stiffen too
  status = m->constraint.count > 0 ? lb_equilibrium_solver_solve(R, d, err) : LB_OK;
  if (status == LB_OK) {
    lb_arena arena;
    lb_arena_init(&arena, d->work->allocator);
    lb_equilibrium_solver_look(R, d);
    status = find_modes(R, &arena, most, mode, count);
    lb_muscles_end(m, d);
    lb_arena_release(&arena);
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0}, "no modes of '%s' were found", m->name);
    }
  }
  lb_equilibrium_solver_release(R);
  return status;
}
