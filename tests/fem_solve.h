// One elastic body alone: where it rests under a load, and how it vibrates. What is held is said
// by `held`, [ndof], nonzero for the components of u that keep their value; NULL holds nothing.
// Static equilibrium and modes of one body. Held unknowns are left out of the systems.
#pragma once
#include <string.h>

#include "elastic/fem/fem.h"
#include "math/linear/direct.h"
#include "modes.h"

/// How lb_fem_solve_static() goes about it. Start from lb_static_default().
typedef struct lb_static_options {
  double tolerance; ///< residual over the sum of loads and reactions
  int iterations;   ///< of Newton's method, for one step of load
  double first;     ///< fraction of the load in the first step, in (0, 1]
  double least;     ///< fraction of a step below which the solver gives up
} lb_static_options;

typedef struct lb_static_report {
  int steps;       ///< of load
  int iterations;  ///< in all
  double fraction; ///< of the load that was reached: 1 when done
  double residual; ///< relative, as the tolerance
} lb_static_report;

/// Mark all three components of some nodes.
static inline void lb_fem_hold(char* held, int count, const int* node) {
  for (int i = 0; i < count; i++) {
    memset(&held[3 * node[i]], 1, 3);
  }
}

// Systems of the unknowns that are free.
typedef struct system_of_free {
  const lb_fem* fem;
  lb_arena arena;
  lb_direct* direct;
  lb_sparse K, A; // of all, and of the free
  int* from;      // A's values in K
  int* index;     // [ndof] number among the free, or -1
  double* force;  // [ndof]
  double* step;   // [ndof]
  double* trial;  // [ndof]
  double* x;      // [A.n]
} system_of_free;

static inline lb_status take_system(system_of_free* s, const char* held) {
  const int n = s->fem->ndof;
  s->index = LB_TAKE(&s->arena, int, n);
  s->force = LB_TAKE(&s->arena, double, n);
  s->step = LB_TAKE(&s->arena, double, n);
  s->trial = LB_TAKE(&s->arena, double, n);
  s->x = LB_TAKE(&s->arena, double, n);
  if (!s->index || !s->force || !s->step || !s->trial || !s->x) {
    return LB_NO_MEMORY;
  }
  int count = 0;
  for (int i = 0; i < n; i++) {
    s->index[i] = held && held[i] ? -1 : count++;
  }
  const lb_status status = lb_fem_matrix(s->fem, &s->arena, &s->K);
  return status == LB_OK ? lb_sparse_restrict(&s->arena, &s->K, s->index, &s->A, &s->from) : status;
}

static inline lb_status open_system(system_of_free* s, const lb_fem* fem, const char* held,
                                    bool factored) {
  *s = (system_of_free){.fem = fem};
  lb_arena_init(&s->arena, fem->arena.allocator);
  lb_status status = take_system(s, held);
  if (status == LB_OK && factored && s->A.n) {
    status = lb_direct_create(fem->arena.allocator, &s->A, false, &s->direct);
  }
  return status;
}

static inline void close_system(system_of_free* s) {
  lb_direct_release(s->direct);
  lb_arena_release(&s->arena);
}

// step = K(u)^-1 r on the free unknowns; it stays as it is where held.
static inline lb_status newton_step(system_of_free* s, const double* u, const double* r) {
  const int n = s->fem->ndof;
  lb_fem_tangent(s->fem, &s->K, u);
  lb_sparse_gather(&s->A, &s->K, s->from);
  // what the held unknowns move by pulls on the others
  lb_sparse_apply(&s->K, 1, s->trial, s->step);
  for (int i = 0; i < n; i++) {
    if (s->index[i] >= 0) {
      s->x[s->index[i]] = r[i] - s->trial[i];
    }
  }
  lb_status status = s->A.n ? lb_direct_factor(s->direct, &s->A) : LB_OK;
  if (status == LB_OK && s->A.n) {
    status = lb_direct_solve(s->direct, 1, s->x);
  }
  for (int i = 0; status == LB_OK && i < n; i++) {
    if (s->index[i] >= 0) {
      s->step[i] = s->x[s->index[i]];
    }
  }
  return status;
}

// Pivots next to nothing: rounding, not stiffness, decides.
static inline bool is_free(const system_of_free* s, const double* x, double scale) {
  for (int i = 0; i < s->fem->ndof; i++) {
    if (!(fabs(x[i]) <= scale)) {
      return true;
    }
  }
  return false;
}

static inline lb_status outcome(lb_status status, lb_error* err, const char* what) {
  if (status == LB_NO_MEMORY) {
    return lb_error_add(err, status, (lb_place){0}, "no memory for the stiffness matrix");
  }
  return status == LB_OK ? LB_OK : lb_error_add(err, status, (lb_place){0}, "%s", what);
}

/// K(0) u = f, u [ndof] holding the given values where held. LB_FAILED: it can still move freely.
static inline lb_status lb_fem_solve_linear(const lb_fem* fem, double* u, const double* f,
                                            const char* held, lb_error* err) {
  static const double FAR = 1e6; // sizes of the body
  system_of_free s;
  lb_status status = open_system(&s, fem, held, true);
  if (status == LB_OK) {
    for (int i = 0; i < fem->ndof; i++) {
      s.step[i] = s.index[i] < 0 ? u[i] : 0;
    }
    double* rest = LB_TAKE(&s.arena, double, fem->ndof);
    status = rest ? newton_step(&s, rest, f) : LB_NO_MEMORY;
  }
  if (status == LB_OK && is_free(&s, s.step, FAR * fem->size)) {
    status = LB_FAILED;
  }
  if (status == LB_OK) {
    memcpy(u, s.step, (size_t)fem->ndof * sizeof *u);
  }
  close_system(&s);
  return outcome(status, err, "the elastic body is not held: it can move without being strained");
}

// --- nonlinear ---

static inline lb_static_options lb_static_default(void) {
  return (lb_static_options){.tolerance = 1e-9, .iterations = 25, .first = 1, .least = 1e-4};
}

// r = f - force(u) on the free unknowns; returns its size over that of loads and reactions.
static inline double residual(system_of_free* s, double* r, const double* u, const double* f,
                              double fraction) {
  double unbalanced = 0, all = 0;
  lb_fem_force(s->fem, s->force, u);
  for (int i = 0; i < s->fem->ndof; i++) {
    const double load = fraction * f[i];
    r[i] = s->index[i] < 0 ? 0 : load - s->force[i];
    unbalanced += r[i] * r[i];
    all += load * load + s->force[i] * s->force[i];
  }
  return all > 0 ? sqrt(unbalanced / all) : 0;
}

// u + a step, as far along as leaves every element with a tenth of its volume.
static inline bool advance(system_of_free* s, double* u) {
  enum { MOST_CUTS = 12 };
  static const double ROOM = 0.1;
  double a = 1;
  for (int k = 0; k < MOST_CUTS; k++, a /= 2) {
    int elem;
    for (int i = 0; i < s->fem->ndof; i++) {
      s->trial[i] = u[i] + a * s->step[i];
    }
    if (lb_fem_least_volume(s->fem, s->trial, &elem) > ROOM) {
      memcpy(u, s->trial, (size_t)s->fem->ndof * sizeof *u);
      return true;
    }
  }
  return false;
}

// Newton's method at one load. Slender bodies turn far more readily than they stretch: a full step
// that turns them also stretches them, and the next takes that back. So steps are not shortened
// when the residual grows, only when elements would turn inside out.
static inline lb_status equilibrate(system_of_free* s, double* u, double* r, const double* f,
                                    double fraction, const lb_static_options* o,
                                    lb_static_report* report) {
  residual(s, r, u, f, fraction);
  for (int k = 0; k < o->iterations; k++) {
    const lb_status status = newton_step(s, u, r);
    if (status != LB_OK) {
      return status;
    }
    if (!advance(s, u)) {
      return LB_FAILED;
    }
    memset(s->step, 0, (size_t)s->fem->ndof * sizeof *s->step);
    report->residual = residual(s, r, u, f, fraction);
    report->iterations++;
    if (report->residual <= o->tolerance) {
      return LB_OK;
    }
    if (!isfinite(report->residual)) {
      return LB_FAILED;
    }
  }
  return LB_FAILED;
}

typedef struct static_load {
  const double* f;
  const double* goal;
  double* start; // [ndof] where held unknowns began
  double* found; // [ndof] the last equilibrium
  double* r;
} static_load;

// From the last equilibrium to one with `next` of the load.
static inline lb_status load_step(system_of_free* s, double* u, const static_load* l, double next,
                                  const lb_static_options* o, lb_static_report* report) {
  for (int i = 0; i < s->fem->ndof; i++) {
    const bool moves = l->goal && s->index[i] < 0;
    const double there = moves ? l->start[i] + next * (l->goal[i] - l->start[i]) : 0;
    s->step[i] = moves ? there - u[i] : 0;
  }
  return equilibrate(s, u, l->r, l->f, next, o, report);
}

static inline lb_status load_up(system_of_free* s, double* u, const static_load* l,
                                const lb_static_options* o, lb_static_report* report) {
  const size_t bytes = (size_t)s->fem->ndof * sizeof *u;
  double size = o->first;
  lb_status status = LB_OK;
  while (report->fraction < 1) {
    const double next = fmin(1, report->fraction + size);
    status = load_step(s, u, l, next, o, report);
    if (status == LB_OK) {
      memcpy(l->found, u, bytes);
      report->fraction = next;
      report->steps++;
      size *= 1.5;
      continue;
    }
    memcpy(u, l->found, bytes);
    size /= 2;
    if (status == LB_NO_MEMORY || size < o->least) {
      break;
    }
  }
  return status;
}

/// Equilibrium lb_fem_force(u) = f under the dead load f, reached by growing the load from u as it
/// is (an equilibrium without load, such as 0); where held, from u to `goal` (NULL: stays).
/// Newton's method with steps of load that shrink when it fails, and a line search that keeps
/// elements from turning inside out. LB_FAILED: not all of the load was reached; u is then the last
/// equilibrium found, and the report says which. `report` may be NULL.
static inline lb_status lb_fem_solve_static(const lb_fem* fem, double* u, const double* f,
                                            const char* held, const double* goal,
                                            const lb_static_options* options,
                                            lb_static_report* report, lb_error* err) {
  const lb_static_options o = options ? *options : lb_static_default();
  const size_t bytes = (size_t)fem->ndof * sizeof *u;
  lb_static_report done = {0};
  system_of_free s;
  lb_status status = open_system(&s, fem, held, true);
  if (status == LB_OK) {
    const static_load l = {f, goal, LB_TAKE(&s.arena, double, fem->ndof),
                           LB_TAKE(&s.arena, double, fem->ndof),
                           LB_TAKE(&s.arena, double, fem->ndof)};
    status = LB_NO_MEMORY;
    if (l.start && l.found && l.r) {
      memcpy(l.start, u, bytes);
      memcpy(l.found, u, bytes);
      status = load_up(&s, u, &l, &o, &done);
    }
  }
  close_system(&s);
  if (report) {
    *report = done;
  }
  return outcome(status, err,
                 "no equilibrium found: the load is too large, or the elastic body is not held");
}

// --- modes ---

// M of the free unknowns with the added masses, in A's pattern.
static inline lb_status gather_mass(system_of_free* s, const double* added, lb_sparse* M) {
  *M = s->A;
  M->value = LB_TAKE(&s->arena, double, s->A.row[s->A.n]);
  if (!M->value) {
    return LB_NO_MEMORY;
  }
  lb_sparse_zero(&s->K);
  lb_fem_add_mass(s->fem, &s->K, 1);
  for (int i = 0; added && i < s->fem->ndof; i++) {
    s->K.value[s->K.row[i + 1] - 1] += added[i / 3];
  }
  lb_sparse_gather(M, &s->K, s->from);
  return LB_OK;
}

// Omega^2 of a free beam of the body's length and thickness, about: (22 thin / (sqrt 12 L^2))^2
// E/rho.
static inline double shift_of(const lb_fem* fem) {
  const double slope = 6.4 * fem->thin / (fem->size * fem->size);
  return slope * slope * fem->young / fem->density;
}

static inline lb_status find_modes(system_of_free* s, int count, double* omega, double* x,
                                   const double* u, const double* added) {
  const lb_fem* fem = s->fem;
  const int n = s->A.n;
  lb_sparse M;
  double* found = LB_TAKE(&s->arena, double, (size_t)count*(size_t)n);
  double* w = LB_TAKE(&s->arena, double, count);
  lb_status status = found && w ? gather_mass(s, added, &M) : LB_NO_MEMORY;
  if (status != LB_OK) {
    return status;
  }
  lb_fem_tangent(fem, &s->K, u ? u : s->step); // which is 0
  lb_sparse_gather(&s->A, &s->K, s->from);
  status = lb_modes(fem->arena.allocator, &s->A, &M, shift_of(fem), count, w, found);
  for (int k = 0; status == LB_OK && k < count; k++) {
    omega[k] = sqrt(fmax(w[k], 0));
    for (int i = 0; i < fem->ndof; i++) {
      x[(size_t)k * (size_t)fem->ndof + (size_t)i] =
          s->index[i] < 0 ? 0 : found[(size_t)k * (size_t)n + (size_t)s->index[i]];
    }
  }
  return status;
}

/// The `count` lowest modes about u (NULL: at rest), rising: circular frequencies omega [count] in
/// rad/s, and modes x [count * ndof], one after the other, x' M x = 1, zero where held. A free
/// body's first six are rigid, with omega 0 up to rounding. added[i] is a mass at node i [kg], or
/// NULL.
static inline lb_status lb_fem_modes(const lb_fem* fem, int count, double* omega, double* x,
                                     const double* u, const char* held, const double* added,
                                     lb_error* err) {
  system_of_free s;
  lb_status status = open_system(&s, fem, held, false);
  if (status == LB_OK) {
    status = count < s.A.n ? find_modes(&s, count, omega, x, u, added) : LB_INVALID;
  }
  close_system(&s);
  return outcome(status, err,
                 status == LB_INVALID ? "more modes are asked for than the body has"
                                      : "the modes of the elastic body could not be computed");
}
