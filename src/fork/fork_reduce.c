// Reduction of a mechanism to its effectors, about an equilibrium under forces on them.
//
// With the static solution S of fork_linear.h and the effectors' Jacobian J_e,
//
//   (1)  C = J_e G,   G = S J_e'
//
// Lengths are measured in radii of the mechanism, so that turns and displacements compare. Let the
// columns of Q be an orthonormal basis of all twists J_e P that effectors can have; then
//
//   (2)  xi = Q y,   w = Q K y,   K = (Q'C Q)^-1,   dq = A y,   A = G Q K
//
// and J_e A = Q: y are as many coordinates as there are ways to move, whatever the rank of C is,
// and nothing inadmissible can happen. Mass and damping are those of the static shapes,
//
//   (3)  M = A'M_q A,   D = A'D_q A
//
// or, against impulses, M = (Q'J_e P (P'M_q P)^-1 P'J_e'Q)^-1 (operational space). [fork] adds
// inverse masses up along the chain instead of (3), and inverts C by a truncated SVD instead of
// (2). With vibrations of the mechanism whose effectors are held as further shapes (Craig and
// Bampton) frequencies are right, too. A base that floats is one more master: six shapes in which
// the whole follows it, so that rigid motions are exact.
#include <math.h>
#include <string.h>

#include "fork/fork_inside.h"
#include "math/linear/blas_thread.h"
#include "math/linear/dense.h"

static const double STILL = 1e-9; // twist, in radii, below which a direction moves nothing

// --- the reduced matrices ---

// B [A->n][6 neffector] = (J_e P)', with lengths in radii.
static double* twists_along_free(lb_fork_work* w) {
  const lb_fork_linear* A = &w->A;
  const size_t n = 6 * (size_t)w->what->neffector, nfree = (size_t)A->nfree;
  double* B = LB_TAKE(&w->scratch, double, n*(size_t)A->n);
  double* row = LB_TAKE(&w->scratch, double, 2 * nfree);
  for (size_t r = 0; B && row && r < n; r++) {
    for (size_t k = 0; k < nfree; k++) {
      row[k] = w->J_e[r * (size_t)w->m->nv + (size_t)A->free[k]] * w->scale[r];
    }
    if (A->P) {
      lb_columns_multiply_transposed(A->n, 1, A->nfree, row + nfree, A->P, row);
    }
    for (size_t k = 0; k < (size_t)A->n; k++) {
      B[k * n + r] = row[A->P ? nfree + k : k];
    }
  }
  return row ? B : NULL;
}

// The largest of numbers of an effector e: [count][n].
static double largest_of(const double* x, int count, int n, int e) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    for (int r = 6 * e; r < 6 * e + 6; r++) {
      most = fmax(most, fabs(x[(size_t)k * (size_t)n + (size_t)r]));
    }
  }
  return most;
}

// The motor that prescribes a joint between an effector and the world; NULL: none does.
static const char* find_holder(const lb_fork_work* w, int effector) {
  const lb_model* m = w->m;
  const char* name = NULL;
  for (int link = w->fork->at[effector].link; link != LB_WORLD; link = m->link.parent[link]) {
    for (int i = 0; i < m->nmotor; i++) {
      const int v = m->motor.v[i];
      const bool here = v >= m->link.v[link] && v < m->link.v[link] + m->link.nv[link];
      name = here && m->dof.driven[v] ? m->motor.name[i] : name;
    }
  }
  return name;
}

static lb_status complain_still(const lb_fork_work* w, int effector, lb_error* err) {
  const lb_scene_effector* of = &w->what->effector[effector];
  const char* holder = find_holder(w, effector);
  if (holder) {
    return lb_error_add(err, LB_INVALID, of->place,
                        "fork '%s': effector '%s' cannot move: motor '%s' holds it (take the "
                        "effector away, or let the motor be a servo with a stiffness)",
                        w->what->name, of->name, holder);
  }
  return lb_error_add(err, LB_INVALID, of->place,
                      "fork '%s': effector '%s' cannot move%s (take it away, or give it a joint "
                      "that is free)",
                      w->what->name, of->name,
                      w->what->free || w->what->base != LB_WORLD ? " while its base is held" : "");
}

// An orthonormal basis Q [n][n] of the twists that effectors can have, the first `rank` columns.
// LB_INVALID: one has none.
static lb_status find_admissible(lb_fork_work* w, double* Q, int* rank, lb_error* err) {
  const int n = 6 * w->what->neffector;
  double* B = twists_along_free(w);
  if (!B) {
    return lb_fork_no_memory(err);
  }
  for (int e = 0; e < w->what->neffector; e++) {
    if (largest_of(B, w->A.n, n, e) <= STILL) {
      return complain_still(w, e, err);
    }
  }
  return lb_range(&w->scratch, n, w->A.n, B, n, STILL, Q, rank);
}

// out = A'B A for the shapes A [count][nv].
static bool project(lb_fork_work* w, const double* B, double* out) {
  const lb_fork* f = w->fork;
  double* half = LB_TAKE(&w->scratch, double, (size_t)f->count*(size_t)f->nv);
  if (half) {
    lb_columns_multiply_transposed(f->nv, f->count, f->nv, half, B, f->dq);
    lb_columns_multiply_transposed(f->count, f->count, f->nv, out, f->dq, half);
  }
  for (int i = 0; half && i < f->count; i++) {
    for (int j = 0; j < i; j++) {
      double *a = out + (size_t)i * (size_t)f->count + j,
             *b = out + (size_t)j * (size_t)f->count + i;
      *a = *b = 0.5 * (*a + *b);
    }
  }
  return half;
}

// X = (Q'B Q)^-1 of a symmetric B [n][n] in scaled lengths, rank x rank.
static bool invert(lb_fork_work* w, const double* B, const double* Q, int rank, double* X) {
  const int n = 6 * w->what->neffector;
  double* half = LB_TAKE(&w->scratch, double, (size_t)n*(size_t)rank);
  double* L = LB_TAKE(&w->scratch, double, (size_t)rank*(size_t)rank);
  if (!half || !L) {
    return false;
  }
  lb_columns_multiply(n, rank, n, half, B, Q);
  lb_columns_multiply_transposed(rank, rank, n, L, Q, half);
  memset(X, 0, (size_t)rank * (size_t)rank * sizeof *X);
  for (int i = 0; i < rank; i++) {
    X[i * (rank + 1)] = 1;
  }
  const bool ok = lb_cholesky(rank, L, rank) == LB_OK;
  if (ok) {
    lb_cholesky_solve(rank, L, rank, rank, X, rank);
  }
  return ok;
}

// B [n][n] = J_e X, X [n][nv] by rows, with lengths of both sides scaled.
static double* respond(lb_fork_work* w, const double* X, bool scaled) {
  const int n = 6 * w->what->neffector, nv = w->m->nv;
  double* B = LB_TAKE(&w->scratch, double, (size_t)n*(size_t)n);
  for (int i = 0; B && i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double* x = X + (size_t)j * (size_t)nv;
      B[i * n + j] =
          lb_dot(nv, w->J_e + (size_t)i * (size_t)nv, x) * (scaled ? w->scale[i] * w->scale[j] : 1);
    }
  }
  for (int i = 0; B && i < n; i++) {
    for (int j = 0; j < i; j++) {
      B[i * n + j] = B[j * n + i] = 0.5 * (B[i * n + j] + B[j * n + i]);
    }
  }
  return B;
}

static bool take_results(lb_fork* f, lb_arena* a) {
  const size_t n = 6 * (size_t)f->neffector, count = (size_t)f->count, nlink = (size_t)f->nlink;
  f->shape = LB_TAKE(a, double, count* n);
  f->dq = LB_TAKE(a, double, count*(size_t)f->nv);
  f->joint = LB_TAKE(a, double, n*(size_t)f->nv);
  f->follow = LB_TAKE(a, double, nlink * 6 * count);
  f->K = LB_TAKE(a, double, count* count);
  f->D = LB_TAKE(a, double, count* count);
  f->M = LB_TAKE(a, double, count* count);
  f->T = LB_TAKE(a, double, nlink * 6 * n);
  f->W = f->model->elastic.count ? NULL : LB_TAKE(a, double, nlink * 6 * n);
  return lb_arena_status(a) == LB_OK;
}

// Shapes of (2): xi and dq of each coordinate, after those of the base. Ky [rank][rank] = K.
static void fill_shapes(lb_fork_work* w, const double* Q, const double* Ky, int rank) {
  lb_fork* f = w->fork;
  const int n = 6 * f->neffector;
  for (int k = 0; k < rank; k++) {
    double* shape = f->shape + (size_t)(f->base + k) * (size_t)n;
    double* dq = f->dq + (size_t)(f->base + k) * (size_t)f->nv;
    for (int r = 0; r < n; r++) {
      double force = 0; // of Q K y
      for (int j = 0; j < rank; j++) {
        force += Q[(size_t)j * (size_t)n + (size_t)r] * Ky[j + k * rank];
      }
      shape[r] = Q[(size_t)k * (size_t)n + (size_t)r] / w->scale[r];
      lb_add(f->nv, dq, force * w->scale[r], w->G + (size_t)r * (size_t)f->nv);
    }
    for (int j = 0; j < rank; j++) {
      f->K[(size_t)(f->base + k) * (size_t)f->count + (size_t)(f->base + j)] = Ky[j + k * rank];
    }
  }
}

// Six shapes of a base that floats: the whole goes along, dq = dq0 - S K dq0, where dq0 moves the
// base's own joint alone.
static lb_status fill_base_shapes(lb_fork_work* w) {
  lb_fork* f = w->fork;
  const int nv = f->nv, v = w->base_link == LB_WORLD ? 0 : w->m->link.v[w->base_link];
  double block[36], unit[36] = {0};
  int pivot[6];
  double* f0 = LB_TAKE(&w->scratch, double, 6 * (size_t)nv);
  double* J = LB_TAKE(&w->scratch, double, 6 * (size_t)nv);
  if (f->base == 0 || !f0 || !J) {
    return f0 && J ? LB_OK : LB_NO_MEMORY;
  }
  lb_fork_jacobian(w, w->base_link, lb_transform_identity(), J);
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k < 6; k++) {
      block[r + 6 * k] = J[(size_t)r * (size_t)nv + (size_t)(v + k)];
    }
    unit[7 * r] = 1;
  }
  lb_lu(6, block, 6, pivot);
  lb_lu_solve(6, block, 6, pivot, 6, unit, 6);
  for (int i = 0; i < 6; i++) {
    double* dq = f->dq + (size_t)i * (size_t)nv;
    memcpy(dq + v, unit + 6 * (size_t)i, 6 * sizeof *dq);
    for (int k = 0; k < nv; k++) {
      f0[i * nv + k] = -lb_dot(nv, w->R->D->tau_q + (size_t)k * (size_t)nv, dq);
    }
  }
  const lb_status status = lb_fork_solve(&w->A, 6, f0);
  for (int i = 0; i < 6 * nv; i++) {
    f->dq[i] += f0[i];
  }
  return status;
}

// Modes with effectors held, whose shapes are those of the last coordinates. They are at right
// angles to the static shapes over the stiffness.
static void fill_modes(lb_fork* f, const double* dq, const double* stiffness) {
  const size_t first = (size_t)(f->count - f->modes), nv = (size_t)f->nv;
  for (size_t i = 0; i < (size_t)f->modes; i++) {
    memcpy(f->dq + (first + i) * nv, dq + i * nv, nv * sizeof *dq);
    f->K[(first + i) * (size_t)(f->count + 1)] = stiffness[i];
  }
}

// Mass against impulses, in the place of that of the static shapes. The base keeps its own.
static lb_status fill_impulse_mass(lb_fork_work* w, const double* Q, int rank) {
  lb_fork* f = w->fork;
  const int n = 6 * f->neffector;
  double* X = LB_COPY(&w->scratch, w->J_e, (size_t)n * (size_t)f->nv);
  double* My = LB_TAKE(&w->scratch, double, (size_t)rank*(size_t)rank);
  if (!X || !My) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_fork_solve_mass(&w->A, n, X);
  const double* B = status == LB_OK ? respond(w, X, true) : NULL;
  if (status != LB_OK || !B || !invert(w, B, Q, rank, My)) {
    return status == LB_OK ? LB_NO_MEMORY : status;
  }
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < rank; j++) {
      f->M[(size_t)(f->base + i) * (size_t)f->count + (size_t)(f->base + j)] = My[i + j * rank];
    }
  }
  return LB_OK;
}

static lb_status reduce(lb_fork_work* w, lb_arena* arena, lb_error* err) {
  lb_fork* f = w->fork;
  const size_t n = 6 * (size_t)f->neffector;
  double* Q = LB_TAKE(&w->scratch, double, n* n);
  w->scale = LB_TAKE(&w->scratch, double, n);
  w->G = LB_COPY(&w->scratch, w->J_e, n * (size_t)f->nv);
  if (!Q || !w->scale || !w->G) {
    return lb_fork_no_memory(err);
  }
  for (size_t r = 0; r < n; r++) {
    w->scale[r] = r % 6 < 3 ? 1 : 1 / f->radius;
  }
  int rank = 0;
  lb_status status = find_admissible(w, Q, &rank, err);
  status = status == LB_OK ? lb_fork_solve(&w->A, (int)n, w->G) : status;
  if (status != LB_OK) {
    return status;
  }
  double* mode = LB_TAKE(&w->scratch, double, (size_t)w->what->modes*(size_t)f->nv);
  double* stiffness = LB_TAKE(&w->scratch, double, w->what->modes);
  status = mode && stiffness ? LB_OK : LB_NO_MEMORY;
  if (w->what->modes > 0 && status == LB_OK) {
    status = lb_fork_held_modes(&w->A, (int)n, w->J_e, w->what->modes, mode, stiffness, &f->modes);
  }
  if (status != LB_OK) {
    return lb_fork_no_memory(err);
  }
  f->base_link = w->base_link;
  f->base = w->base_link == LB_WORLD ? 0 : 6;
  f->count = f->base + rank + f->modes;
  double *C = respond(w, w->G, false), *scaled = respond(w, w->G, true);
  double* Ky = LB_TAKE(&w->scratch, double, (size_t)rank*(size_t)rank);
  f->C = C ? LB_COPY(arena, C, n * n) : NULL;
  if (!f->C || !scaled || !Ky || !take_results(f, arena) || !invert(w, scaled, Q, rank, Ky)) {
    return lb_fork_no_memory(err);
  }
  fill_shapes(w, Q, Ky, rank);
  fill_modes(f, mode, stiffness);
  memcpy(f->joint, w->J_e, n * (size_t)f->nv * sizeof *f->joint);
  status = lb_fork_solve_half(&w->A, (int)n, f->joint);
  status = status == LB_OK ? fill_base_shapes(w) : status;
  const bool ok =
      status == LB_OK && project(w, w->R->D->M, f->M) && project(w, w->R->D->tau_qd, f->D);
  status = ok && w->what->mass == LB_FORK_IMPULSE ? fill_impulse_mass(w, Q, rank) : status;
  status = ok && status == LB_OK ? lb_fork_fill_maps(w) : status;
  return ok && status == LB_OK ? LB_OK : lb_fork_no_memory(err);
}

// --- the whole ---

static lb_status check(const lb_model* m, const lb_scene_fork* what, lb_error* err) {
  if (m->particles.nparticle > 0 || m->ndense < m->nv) {
    return lb_error_add(err, LB_INVALID, what->place,
                        "fork '%s': ropes, deformables and 'elastic: full' are not reduced (take "
                        "them out, or give elastic bodies a basis)",
                        what->name);
  }
  for (int e = 0; e < what->neffector; e++) {
    if (m->body.link[what->effector[e].body] == LB_WORLD) {
      return lb_error_add(err, LB_INVALID, what->effector[e].place,
                          "fork '%s': effector '%s' cannot move: it is fixed to the world (take it "
                          "away, or give it a joint that is free)",
                          what->name, what->effector[e].name);
    }
  }
  return LB_OK;
}

lb_status lb_fork_work_linearise(lb_fork_work* w, lb_error* err) {
  lb_status status = lb_fork_find_equilibrium(w, err);
  status = status == LB_OK ? lb_fork_measure(w, err) : status;
  return status == LB_OK ? lb_fork_find_linear(w, err) : status;
}

const double* lb_fork_respond(lb_fork_work* w) {
  const int n = 6 * w->what->neffector;
  w->G = LB_COPY(&w->scratch, w->J_e, (size_t)n * (size_t)w->m->nv);
  return w->G && lb_fork_solve(&w->A, n, w->G) == LB_OK ? respond(w, w->G, false) : NULL;
}

// The result without its matrices; NULL: no memory.
static lb_fork* begin(const lb_model* model, const lb_scene_fork* what, int pose, lb_arena* arena) {
  const int n = what->neffector;
  lb_fork* f = LB_TAKE(arena, lb_fork, 1);
  if (!f) {
    return NULL;
  }
  *f = (lb_fork){.model = model,
                 .what = what,
                 .number = pose,
                 .neffector = n,
                 .nv = model->nv,
                 .nlink = model->nlink,
                 .at = LB_TAKE(arena, lb_anchor, n),
                 .q = LB_TAKE(arena, double, model->nq),
                 .pose = LB_TAKE(arena, lb_transform, n),
                 .link = LB_TAKE(arena, lb_transform, model->nlink),
                 .wrench = LB_TAKE(arena, double, 6 * (size_t)n)};
  for (int e = 0; f->at && e < n; e++) {
    f->at[e] = lb_model_anchor_of(model, what->effector[e].body, what->effector[e].at);
  }
  return lb_arena_status(arena) == LB_OK ? f : NULL;
}

lb_status lb_fork_create(const lb_model* model, const lb_scene_fork* what, int pose,
                         const lb_allocator* allocator, lb_fork** fork, lb_error* err) {
  return lb_fork_create_under(model, what, pose, NULL, allocator, fork, err);
}

lb_status lb_fork_work_open(lb_fork_work* w, const lb_model* model, const lb_scene_fork* what,
                            int pose, const double* wrench, lb_arena* arena, lb_error* err) {
  const lb_status status = check(model, what, err);
  *w = (lb_fork_work){.m = model,
                      .what = what,
                      .fork = status == LB_OK ? begin(model, what, pose, arena) : NULL,
                      .pose = pose,
                      .wrench = wrench,
                      .allocator = arena->allocator};
  lb_arena_init(&w->scratch, arena->allocator);
  if (status != LB_OK || !w->fork) {
    return status == LB_OK ? lb_fork_no_memory(err) : status;
  }
  return lb_fork_hold_base(w, err);
}

void lb_fork_work_close(lb_fork_work* w) {
  lb_equilibrium_solver_release(w->R);
  lb_data_release(w->d);
  lb_arena_release(&w->scratch);
}

lb_status lb_fork_create_under(const lb_model* model, const lb_scene_fork* what, int pose,
                               const double* wrench, const lb_allocator* allocator, lb_fork** fork,
                               lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_arena arena;
  lb_fork_work w;
  lb_arena_init(&arena, allocator);
  lb_status status = lb_fork_work_open(&w, model, what, pose, wrench, &arena, err);
  status = status == LB_OK ? lb_fork_work_linearise(&w, err) : status;
  status = status == LB_OK ? reduce(&w, &arena, err) : status;
  lb_fork* f = w.fork;
  lb_fork_work_close(&w);
  if (status == LB_OK) {
    f->storage = lb_arena_keep(&arena);
    status = f->storage ? LB_OK : lb_fork_no_memory(err);
  }
  if (status != LB_OK) {
    lb_arena_release(&arena);
    return status;
  }
  *fork = f;
  return LB_OK;
}

void lb_fork_release(lb_fork* fork) {
  if (fork) {
    lb_arena_release_kept(fork->storage);
  }
}
