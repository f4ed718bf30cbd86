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
// inverse masses up along the chain instead of (3), and inverts C by a truncated SVD instead of (2).
// A base that floats is one more master: six shapes in which the whole follows it, so that rigid
// motions are exact.
#include <math.h>
#include <string.h>

#include "dynamics/tree/kinematics.h"
#include "fork/fork_inside.h"
#include "limber/simulate.h"
#include "math/linear/blas_thread.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"

static const double STILL = 1e-9; // part of the largest motion below which there is none

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a reduced mechanism");
}

// --- the base ---

static int root_of(const lb_model* m, int link) {
  while (link != LB_WORLD && m->link.parent[link] != LB_WORLD) {
    link = m->link.parent[link];
  }
  return link;
}

// The link of the body that floats, and carries all effectors.
static lb_status find_floating(const lb_model* m, const lb_scene_fork* what, int* link,
                               lb_error* err) {
  *link = root_of(m, m->body.link[what->effector[0].body]);
  for (int e = 0; e < what->neffector; e++) {
    const int root = root_of(m, m->body.link[what->effector[e].body]);
    if (root == LB_WORLD || root != *link || m->link.kind[root] != LB_JOINT_FREE) {
      return lb_error_add(err, LB_INVALID, what->effector[e].place,
                          "fork '%s': effector '%s' does not hang on the one body that floats, as "
                          "'base: free' asks (take 'base' away, or let that body have no joint)",
                          what->name, what->effector[e].name);
    }
  }
  return LB_OK;
}

// A model in which nothing between the world and the base moves.
static lb_status hold_base(lb_fork_work* w, lb_error* err) {
  const lb_scene_fork* what = w->what;
  int link = LB_WORLD;
  lb_status status = LB_OK;
  w->held = w->m;
  w->base_link = LB_WORLD;
  if (what->free) {
    status = find_floating(w->m, what, &link, err);
    w->base_link = link;
  } else if (what->base != LB_WORLD) {
    link = w->m->body.link[what->base];
  }
  if (status != LB_OK || link == LB_WORLD) {
    return status;
  }
  lb_model* held = lb_model_derive(w->m, &w->scratch);
  if (!held || !lb_model_own_links(held, &w->scratch)) {
    return no_memory(err);
  }
  const lb_model_array own[] = {LB_MODEL_ARRAY(held->link.driven, held->nlink),
                                LB_MODEL_ARRAY(held->dof.driven, held->nv)};
  if (!LB_MODEL_OWN(&w->scratch, own)) {
    return no_memory(err);
  }
  for (; link != LB_WORLD; link = held->link.parent[link]) {
    held->link.driven[link] = held->link.packed[link].driven = true;
    for (int k = 0; k < held->link.nv[link]; k++) {
      held->dof.driven[held->link.v[link] + k] = true;
    }
  }
  w->held = held;
  return LB_OK;
}

// --- equilibrium ---

static lb_status apply_loads(lb_fork_work* w, int pose) {
  const lb_scene_fork_model* of = w->what->nmodel ? &w->what->model[pose] : NULL;
  lb_external_force* load = LB_TAKE(&w->scratch, lb_external_force, of ? of->nload : 0);
  for (int i = 0; load && of && i < of->nload; i++) {
    load[i] = (lb_external_force){.at = w->fork->at[of->load[i].effector],
                                  .force = of->load[i].force};
  }
  w->d->external = load;
  w->d->nexternal = of ? of->nload : 0;
  return load ? LB_OK : LB_NO_MEMORY;
}

static lb_status find_equilibrium(lb_fork_work* w, int pose, lb_error* err) {
  lb_data* start = NULL;
  lb_status status = lb_data_create(w->m, w->allocator, &start, err);
  status = status == LB_OK ? lb_assemble(w->m, start, err) : status;
  status = status == LB_OK ? lb_data_create(w->held, w->allocator, &w->d, err) : status;
  if (status == LB_OK) {
    memcpy(w->d->q, start->q, (size_t)w->m->nq * sizeof *start->q);
    status = apply_loads(w, pose) == LB_OK
                 ? lb_equilibrium_solver_create(w->held, w->allocator, &w->R, err)
                 : no_memory(err);
  }
  lb_data_release(start);
  if (status == LB_OK) {
    status = lb_equilibrium_solver_solve(w->R, w->d, err);
    w->fork->fell = w->R->nudges > 0;
  }
  return status;
}

// --- what the linearisation must be ---

// Rows of J_e dq of an effector over those of all links: does it move?
static bool moves(const lb_fork_work* w, int effector, const double* dq) {
  const int nv = w->m->nv;
  double most = 0;
  for (int r = 0; r < 6; r++) {
    const double* row = w->J_e + (size_t)(6 * effector + r) * (size_t)nv;
    const double scale = r < 3 ? 1 : 1 / w->fork->radius;
    most = fmax(most, fabs(scale * lb_dot(nv, row, dq)));
  }
  return most > STILL * sqrt(lb_dot(nv, dq, dq));
}

static lb_status complain_unheld(const lb_fork_work* w, const lb_fork_stability* found, int i,
                                 int effector, lb_error* err) {
  const lb_scene_effector* e = &w->what->effector[effector];
  (void)i;
  return lb_error_add(err, LB_FAILED, e->place,
                      "fork '%s': effector '%s' has no stiffness in a direction in which joint "
                      "'%s' moves (give that joint a 'stiffness', or hold it)",
                      w->what->name, e->name, w->m->joint.name[found->joint]);
}

static lb_status judge(lb_fork_work* w, lb_fork_stability* found, lb_error* err) {
  const size_t nv = (size_t)w->m->nv;
  if (found->unstable) {
    return lb_error_add(err, LB_FAILED, w->what->place,
                        "fork '%s': its equilibrium is unstable: joint '%s' buckles under what "
                        "acts on it (lessen the load, or stiffen the joint)",
                        w->what->name, w->m->joint.name[found->joint]);
  }
  for (int i = 0; i < found->nneutral; i++) {
    for (int e = 0; e < w->what->neffector; e++) {
      if (moves(w, e, found->neutral + (size_t)i * nv)) {
        return complain_unheld(w, found, i, e, err);
      }
    }
  }
  return LB_OK;
}

static lb_status judge_pose(lb_fork_work* w, lb_error* err) {
  int here = 0, beside = 0;
  const lb_status status = lb_fork_ranks(&w->A, w->d, &here, &beside);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY ? no_memory(err) : status;
  }
  return beside == here
             ? LB_OK
             : lb_error_add(err, LB_FAILED, w->what->place,
                            "fork '%s': its loops are in a singular pose, where they hold %d "
                            "directions and %d beside it: nothing is linear there (start or load "
                            "it off that pose)",
                            w->what->name, here, beside);
}

static lb_status linearise(lb_fork_work* w, lb_error* err) {
  lb_fork_stability found = {0};
  lb_equilibrium_solver_look(w->R, w->d);
  lb_status status = lb_fork_linearise(&w->A, w->R, &w->scratch, &found);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY
               ? no_memory(err)
               : lb_error_add(err, status, w->what->place, "fork '%s' cannot be linearised",
                              w->what->name);
  }
  status = judge_pose(w, err);
  status = status == LB_OK ? judge(w, &found, err) : status;
  if (status == LB_OK && found.nneutral > 0) {
    status = lb_fork_leave_neutral(&w->A, &found);
    status = status == LB_NO_MEMORY ? no_memory(err) : status;
    status = status == LB_OK && (found.unstable || found.nneutral)
                 ? lb_error_add(err, LB_FAILED, w->what->place,
                                "fork '%s': joint '%s' has hardly any stiffness", w->what->name,
                                w->m->joint.name[found.joint])
                 : status;
  }
  return status;
}

// --- effectors ---

// Their Jacobians, from those of their links: w' = R'w, v' = R'(v + w x p).
static void fill_effectors(lb_fork_work* w) {
  const size_t nv = (size_t)w->m->nv;
  for (int e = 0; e < w->what->neffector; e++) {
    const lb_anchor* at = &w->fork->at[e];
    const lb_mat3 Rt = lb_mat3_transpose(lb_quat_matrix(at->X.q));
    const double* from = w->J + (size_t)at->link * 6 * nv;
    double* to = w->J_e + (size_t)e * 6 * nv;
    for (size_t k = 0; k < nv; k++) {
      const lb_vec3 turn = lb_vec3_make(from[k], from[nv + k], from[2 * nv + k]);
      const lb_vec3 origin = lb_vec3_make(from[3 * nv + k], from[4 * nv + k], from[5 * nv + k]);
      const lb_vec3 rate = lb_mat3_apply(Rt, turn);
      const lb_vec3 move =
          lb_mat3_apply(Rt, lb_vec3_add(origin, lb_vec3_cross(turn, at->X.p)));
      const double column[6] = {rate.x, rate.y, rate.z, move.x, move.y, move.z};
      for (size_t r = 0; r < 6; r++) {
        to[r * nv + k] = column[r];
      }
    }
  }
}

static lb_vec3 from_v4(lb_v4 v) {
  return lb_vec3_make(v[0], v[1], v[2]);
}

static lb_transform link_pose(const lb_data* d, int link) {
  const lb_state* s = &d->work->state[link];
  const lb_mat3 R = {from_v4(s->R.x), from_v4(s->R.y), from_v4(s->R.z)};
  return (lb_transform){lb_quat_from_matrix(R), from_v4(s->p)};
}

// Poses of links and effectors, and the mechanism's size.
static void measure(lb_fork_work* w) {
  lb_fork* f = w->fork;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < f->nlink + f->neffector; i++) {
    const lb_anchor* at = i < f->nlink ? NULL : &f->at[i - f->nlink];
    const lb_transform X = at ? lb_transform_mul(f->link[at->link], at->X) : link_pose(w->d, i);
    const double p[3] = {X.p.x, X.p.y, X.p.z};
    *(at ? &f->pose[i - f->nlink] : &f->link[i]) = X;
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], p[c]);
      high[c] = fmax(high[c], p[c]);
    }
  }
  const lb_vec3 size = lb_vec3_make(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  f->radius = lb_vec3_norm(size) > 0 ? lb_vec3_norm(size) / 2 : 1;
  memcpy(f->q, w->d->q, (size_t)w->m->nq * sizeof *f->q);
  for (int i = 0; i < w->d->nexternal; i++) { // along the effectors' own axes
    const int e = w->what->model[w->pose].load[i].effector;
    const lb_vec3 own =
        lb_quat_rotate(lb_quat_conjugate(f->pose[e].q), w->d->external[i].force);
    f->wrench[6 * e + 3] += own.x;
    f->wrench[6 * e + 4] += own.y;
    f->wrench[6 * e + 5] += own.z;
  }
}

static lb_status find_jacobians(lb_fork_work* w, lb_error* err) {
  const size_t nv = (size_t)w->m->nv, n = 6 * (size_t)w->what->neffector;
  double* rate = LB_TAKE(&w->scratch, double, (size_t)w->m->nlink * 6 * nv);
  w->J = LB_TAKE(&w->scratch, double, (size_t)w->m->nlink * 6 * nv);
  w->J_e = LB_TAKE(&w->scratch, double, n* nv);
  if (!rate || !w->J || !w->J_e) {
    return no_memory(err);
  }
  lb_jacobians(w->R->D, w->d, w->J, rate, w->d->q, w->d->qd);
  measure(w);
  fill_effectors(w);
  return LB_OK;
}

// --- the reduced matrices ---

// Twists that effectors can have, J_e P, with lengths in radii: an orthonormal basis Q [n][n], the
// first `rank` columns. LB_INVALID: an effector has none.
static lb_status find_admissible(lb_fork_work* w, double* Q, int* rank, lb_error* err) {
  const lb_fork_linear* A = &w->A;
  const int n = 6 * w->what->neffector;
  double* B = LB_TAKE(&w->scratch, double, (size_t)n * (size_t)A->n);
  double* row = LB_TAKE(&w->scratch, double, (size_t)A->nfree + (size_t)A->n);
  if (!B || !row) {
    return no_memory(err);
  }
  double largest = 0;
  for (int r = 0; r < n; r++) {
    double* along = row + A->nfree;
    for (int k = 0; k < A->nfree; k++) {
      row[k] = w->J_e[(size_t)r * (size_t)w->m->nv + (size_t)A->free[k]];
    }
    if (A->P) {
      lb_columns_multiply_transposed(A->n, 1, A->nfree, along, A->P, row);
    }
    for (int k = 0; k < A->n; k++) {
      B[(size_t)k * (size_t)n + (size_t)r] = (A->P ? along : row)[k] * w->scale[r];
      largest = fmax(largest, fabs(B[(size_t)k * (size_t)n + (size_t)r]));
    }
  }
  for (int e = 0; e < w->what->neffector; e++) {
    double most = 0;
    for (int k = 0; k < A->n; k++) {
      for (int r = 6 * e; r < 6 * e + 6; r++) {
        most = fmax(most, fabs(B[(size_t)k * (size_t)n + (size_t)r]));
      }
    }
    if (most <= STILL * largest) {
      return lb_error_add(err, LB_INVALID, w->what->effector[e].place,
                          "fork '%s': effector '%s' cannot move%s (take it away, or give it a "
                          "joint that is free)",
                          w->what->name, w->what->effector[e].name,
                          w->what->free || w->what->base != LB_WORLD ? " while its base is held"
                                                                     : "");
    }
  }
  return lb_range(&w->scratch, n, A->n, B, n, STILL, Q, rank);
}

// out = A'B A for the shapes A [count][nv].
static bool project(lb_fork_work* w, const double* B, double* out) {
  const lb_fork* f = w->fork;
  double* half = LB_TAKE(&w->scratch, double, (size_t)f->count * (size_t)f->nv);
  if (half) {
    lb_columns_multiply_transposed(f->nv, f->count, f->nv, half, B, f->dq);
    lb_columns_multiply_transposed(f->count, f->count, f->nv, out, f->dq, half);
  }
  for (int i = 0; half && i < f->count; i++) {
    for (int j = 0; j < i; j++) {
      double *a = out + (size_t)i * (size_t)f->count + j, *b = out + (size_t)j * (size_t)f->count + i;
      *a = *b = 0.5 * (*a + *b);
    }
  }
  return half;
}

// X = (Q'B Q)^-1 of a symmetric B [n][n] in scaled lengths, rank x rank.
static bool invert(lb_fork_work* w, const double* B, const double* Q, int rank, double* X) {
  const int n = 6 * w->what->neffector;
  double* half = LB_TAKE(&w->scratch, double, (size_t)n * (size_t)rank);
  double* L = LB_TAKE(&w->scratch, double, (size_t)rank * (size_t)rank);
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
  double* B = LB_TAKE(&w->scratch, double, (size_t)n * (size_t)n);
  for (int i = 0; B && i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double* x = X + (size_t)j * (size_t)nv;
      B[i * n + j] = lb_dot(nv, w->J_e + (size_t)i * (size_t)nv, x) *
                     (scaled ? w->scale[i] * w->scale[j] : 1);
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
  if (f->base == 0 || !f0) {
    return f0 ? LB_OK : LB_NO_MEMORY;
  }
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k < 6; k++) {
      block[r + 6 * k] = w->J[((size_t)w->base_link * 6 + (size_t)r) * (size_t)nv + (size_t)(v + k)];
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

// Mass against impulses, in the place of that of the static shapes. The base keeps its own.
static lb_status fill_impulse_mass(lb_fork_work* w, const double* Q, int rank) {
  lb_fork* f = w->fork;
  const int n = 6 * f->neffector;
  double* X = LB_COPY(&w->scratch, w->J_e, (size_t)n * (size_t)f->nv);
  double* My = LB_TAKE(&w->scratch, double, (size_t)rank * (size_t)rank);
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
    return no_memory(err);
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
  f->base = w->base_link == LB_WORLD ? 0 : 6;
  f->count = f->base + rank;
  double *C = respond(w, w->G, false), *scaled = respond(w, w->G, true);
  double* Ky = LB_TAKE(&w->scratch, double, (size_t)rank * (size_t)rank);
  f->C = C ? LB_COPY(arena, C, n * n) : NULL;
  if (!f->C || !scaled || !Ky || !take_results(f, arena) || !invert(w, scaled, Q, rank, Ky)) {
    return no_memory(err);
  }
  fill_shapes(w, Q, Ky, rank);
  status = fill_base_shapes(w);
  const bool ok = status == LB_OK && project(w, w->R->D->M, f->M) && project(w, w->R->D->tau_qd, f->D);
  status = ok && w->what->mass == LB_FORK_IMPULSE ? fill_impulse_mass(w, Q, rank) : status;
  status = ok && status == LB_OK ? lb_fork_fill_maps(w) : status;
  return ok && status == LB_OK ? LB_OK : no_memory(err);
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

static lb_status make(lb_fork_work* w, lb_arena* arena, lb_error* err) {
  lb_status status = hold_base(w, err);
  status = status == LB_OK ? find_equilibrium(w, w->pose, err) : status;
  if (status == LB_OK) {
    lb_equilibrium_solver_look(w->R, w->d);
    status = find_jacobians(w, err);
  }
  status = status == LB_OK ? linearise(w, err) : status;
  w->fork->base_link = w->base_link;
  return status == LB_OK ? reduce(w, arena, err) : status;
}

lb_status lb_fork_create(const lb_model* model, const lb_scene_fork* what, int pose,
                         const lb_allocator* allocator, lb_fork** fork, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_status status = check(model, what, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork* f = LB_TAKE(&arena, lb_fork, 1);
  const int n = what->neffector;
  lb_fork_work w = {.m = model, .what = what, .fork = f, .pose = pose, .allocator = allocator};
  lb_arena_init(&w.scratch, allocator);
  if (f) {
    *f = (lb_fork){.model = model,
                   .what = what,
                   .neffector = n,
                   .nv = model->nv,
                   .nlink = model->nlink,
                   .at = LB_TAKE(&arena, lb_anchor, n),
                   .q = LB_TAKE(&arena, double, model->nq),
                   .pose = LB_TAKE(&arena, lb_transform, n),
                   .link = LB_TAKE(&arena, lb_transform, model->nlink),
                   .wrench = LB_TAKE(&arena, double, 6 * (size_t)n)};
  }
  status = lb_arena_status(&arena) == LB_OK ? LB_OK : no_memory(err);
  for (int e = 0; status == LB_OK && e < n; e++) {
    f->at[e] = lb_model_anchor_of(model, what->effector[e].body, what->effector[e].at);
  }
  status = status == LB_OK ? make(&w, &arena, err) : status;
  lb_equilibrium_solver_release(w.R);
  lb_data_release(w.d);
  lb_arena_release(&w.scratch);
  if (status == LB_OK) {
    f->storage = lb_arena_keep(&arena);
    status = f->storage ? LB_OK : no_memory(err);
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
