// With J_i = J_r(xi_i) and shapes B_i of model i along its effectors' axes, its tangent in the
// chart is E_i = J_i^-1 B_i by its own coordinates. Let U be the basis of directions that is
// nearest to all tangents, with turns over pi and lengths over the radius, S. Coordinates of all
// models are
//
//   (1)  y = U'S (xi - xi_1)
//
// and a model's own follow as under static forces along y,
//
//   (2)  N_i = K_i^-1 A_i'(A_i K_i^-1 A_i')^-1,   A_i = U'S E_i,   T_i = E_i N_i
//
// so that its stiffness, damping, mass and joints are N'K N, N'D N, N'M N and dq N. Directions that
// are nearly rigid, as the length of a chain that is nearly straight, are left out of y, and
// follow.
//
// Displacements are those of points x of the first model's pose: of body b with rotations R_i and
// centres c_i,
//
//   (3)  alpha_i: (R_i R_1' - 1)(x - c_1) + c_i - c_1,   of a tangent: u + [w] R_i R_1'(x - c_1)
//
// so that at each model masses are where it has them, and move as they do there.
#include "fork/fork_members.h"

#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "fork/fork_blend.h"
#include "fork/fork_body.h"
#include "math/linear/dense.h"

static const double FAR = 5;      // of the tangents' length by unit y: 78 degrees from U
static const double APART = 1e-6; // of y, below which two models are one
static const double RANK = 1e-10; // part of the longest tangent below which there is none
static const double RIGID = 1e-3; // part of the largest compliance below which a direction follows
static const double LEFT = 0.02;  // part of a model's compliance that coordinates may leave out

typedef struct making {
  lb_fork* const* fork;
  int count, r, ne;
  double radius;
  lb_arena* arena;   // of the result
  lb_arena* scratch; // of this room
  lb_fork_members* to;
  double* U; // [6 ne] columns of it
  lb_error* err;
} making;

static int rank_of(const lb_fork* f) {
  return f->count - f->modes;
}

static double scale_of(const making* k, int row) {
  return row % 6 < 3 ? 1 / M_PI : 1 / k->radius;
}

// --- the chart ---

static bool find_centres(const making* k) {
  double* weight = LB_TAKE(k->scratch, double, k->count);
  lb_transform* X = LB_TAKE(k->scratch, lb_transform, k->count);
  for (int e = 0; weight && X && e < k->ne; e++) {
    for (int i = 0; i < k->count; i++) {
      weight[i] = 1. / k->count;
      X[i] = k->fork[i]->pose[e];
    }
    k->to->centre[e] = lb_fork_mean(k->count, X, weight);
  }
  return weight && X;
}

// xi_i and E_i.
static bool take_tangent(const making* k, int i) {
  const lb_fork* f = k->fork[i];
  lb_fork_member* to = &k->to->item[i];
  const int n = 6 * k->ne, r = rank_of(f);
  for (int e = 0; e < k->ne; e++) {
    double inverse[36];
    const lb_twist xi =
        lb_se3_log(lb_transform_mul(lb_transform_inverse(k->to->centre[e]), f->pose[e]));
    const lb_fork_chart chart = lb_fork_chart_at(xi);
    lb_fork_put(to->xi + 6 * e, xi);
    if (!lb_fork_invert_jacobian(&chart, 1, inverse)) {
      return false;
    }
    for (int c = 0; c < r; c++) {
      const double* shape = f->shape + c * n + 6 * e;
      for (int a = 0; a < 6; a++) {
        to->E[(6 * e + a) * r + c] = lb_dot(6, inverse + 6 * a, shape);
      }
    }
  }
  return true;
}

// C = K^-1 of a model, [own][own]
static bool find_compliance(const making* k, int i, double* C) {
  const lb_fork* f = k->fork[i];
  const int own = rank_of(f);
  double* K = LB_TAKE(k->scratch, double, own* own);
  for (int m = 0; K && m < own * own; m++) {
    K[m] = f->K[m / own * f->count + m % own];
    C[m] = m % (own + 1) == 0;
  }
  if (!K || lb_cholesky(own, K, own) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(own, K, own, own, C, own);
  return true;
}

// P += Q Q', orthonormal columns Q that span S E_i.
static lb_status add_span(const making* k, int i, double* P) {
  const int n = 6 * k->ne, own = rank_of(k->fork[i]);
  double *A = LB_TAKE(k->scratch, double, n*own), *Q = LB_TAKE(k->scratch, double, n*n);
  int rank = 0;
  if (!A || !Q) {
    return LB_NO_MEMORY;
  }
  for (int m = 0; m < n * own; m++) {
    A[m % own * n + m / own] = scale_of(k, m / own) * k->to->item[i].E[m];
  }
  const lb_status status = lb_range(k->scratch, n, own, A, n, RANK, Q, &rank);
  for (int c = 0; c < own; c++) {
    for (int m = 0; m < n * n; m++) {
      P[m] += Q[c * n + m / n] * Q[c * n + m % n];
    }
  }
  return status;
}

// G += V'S E C E'S V over its trace, V [6 ne] columns of k->U.
static bool add_compliance(const making* k, int i, double* G) {
  const int n = 6 * k->ne, r = k->r, own = rank_of(k->fork[i]);
  const lb_fork_member* of = &k->to->item[i];
  double* VE = LB_TAKE(k->scratch, double, r* own);
  double *VEC = LB_TAKE(k->scratch, double, r*own), trace = 0;
  if (!VE || !VEC) {
    return false;
  }
  for (int m = 0; m < r * n; m++) {
    lb_add(own, VE + m / n * own, k->U[m] * scale_of(k, m % n), of->E + m % n * own);
  }
  for (int m = 0; m < r * own; m++) {
    VEC[m] = lb_dot(own, VE + m / own * own, of->C + m % own * own);
  }
  for (int a = 0; a < r; a++) {
    trace += lb_dot(own, VEC + a * own, VE + a * own);
  }
  for (int m = 0; m < r * r; m++) {
    G[m] += lb_dot(own, VEC + m / r * own, VE + m % r * own) / trace;
  }
  return true;
}

// U = V X with the last eigenvectors X of the mean compliance, those that are not rigid.
static lb_status leave_rigid(making* k) {
  const int n = 6 * k->ne, most = k->r;
  double *G = LB_TAKE(k->scratch, double, most*most), *w = LB_TAKE(k->scratch, double, most);
  double* U = LB_TAKE(k->scratch, double, n* most);
  bool ok = G && w && U;
  for (int i = 0; i < k->count && ok; i++) {
    ok = add_compliance(k, i, G);
  }
  const lb_status status = ok ? lb_eigen_symmetric(k->scratch, most, G, most, w) : LB_NO_MEMORY;
  for (k->r = 0; status == LB_OK && k->r < most; k->r++) {
    const double* x = G + (most - 1 - k->r) * most;
    if (w[most - 1 - k->r] < RIGID * w[most - 1]) {
      break;
    }
    for (int a = 0; a < most; a++) {
      lb_add(n, U + k->r * n, x[a], k->U + a * n);
    }
  }
  k->U = U;
  return status;
}

// V: directions that all models have, the last eigenvectors of the sum of Q Q'. Then U.
static lb_status find_basis(making* k) {
  const int n = 6 * k->ne;
  double *P = LB_TAKE(k->scratch, double, n*n), *w = LB_TAKE(k->scratch, double, n);
  lb_status status = P && w ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < k->count && status == LB_OK; i++) {
    status = add_span(k, i, P);
  }
  status = status == LB_OK ? lb_eigen_symmetric(k->scratch, n, P, n, w) : status;
  k->U = P ? P + (n - k->r) * n : NULL;
  return status == LB_OK ? leave_rigid(k) : status;
}

// How much of the compliance along S E is left out, 1 - tr(S E N (C A')'E'S) / tr(S E C E'S).
static double left_out(const making* k, int i, const double* CA) {
  const int n = 6 * k->ne, r = k->r, own = rank_of(k->fork[i]);
  const lb_fork_member* of = &k->to->item[i];
  double all = 0, left = 0;
  for (int row = 0; row < n; row++) {
    const double *e = of->E + row * own, s = scale_of(k, row);
    for (int m = 0; m < own * own; m++) {
      const double gone = lb_dot(r, of->N + m / own * r, CA + m % own * r);
      all += s * s * e[m / own] * e[m % own] * of->C[m];
      left += s * s * e[m / own] * e[m % own] * (of->C[m] - gone);
    }
  }
  return left / all;
}

// (2): C A', then N. False: U has a direction that the model has not.
static bool follow(const making* k, int i, const double* A, double* left) {
  const int r = k->r, own = rank_of(k->fork[i]);
  const lb_fork_member* of = &k->to->item[i];
  double *CA = LB_TAKE(k->scratch, double, own*r), *small = LB_TAKE(k->scratch, double, r*r);
  if (!CA || !small) {
    return false;
  }
  for (int m = 0; m < own * r; m++) {
    CA[m] = lb_dot(own, of->C + m / r * own, A + m % r * own);
  }
  for (int m = 0; m < r * r; m++) {
    for (int l = 0; l < own; l++) {
      small[m] += A[m / r * own + l] * CA[l * r + m % r];
    }
  }
  if (lb_cholesky(r, small, r) != LB_OK) {
    return false;
  }
  memcpy(of->N, CA, (size_t)(own * r) * sizeof *CA); // rows, as right-hand sides
  lb_cholesky_solve(r, small, r, own, of->N, r);
  *left = left_out(k, i, CA);
  return true;
}

// (1) and (2)
static bool take_coordinates(const making* k, int i, double* left) {
  const int n = 6 * k->ne, r = k->r, own = rank_of(k->fork[i]);
  lb_fork_member* to = &k->to->item[i];
  double* A = LB_TAKE(k->scratch, double, r* own);
  for (int a = 0; A && a < r; a++) {
    double* y = &k->to->family->y[i * r + a];
    for (int row = 0; row < n; row++) {
      const double u = k->U[a * n + row] * scale_of(k, row);
      *y += u * (to->xi[row] - k->to->item[0].xi[row]);
      lb_add(own, A + a * own, u, to->E + row * own);
    }
  }
  if (!A || !follow(k, i, A, left)) {
    return false;
  }
  for (int m = 0; m < n * own; m++) {
    lb_add(r, to->T + m / own * r, to->E[m], to->N + m % own * r);
  }
  return true;
}

static lb_place place_of(const making* k, int i) {
  const lb_scene_fork* what = k->fork[i]->what;
  return i < what->nmodel ? what->model[i].place : what->place;
}

static lb_status refuse(const making* k, int i, const char* why) {
  return lb_error_add(k->err, LB_INVALID, place_of(k, i), "fork '%s': model %d %s",
                      k->fork[i]->what->name, i + 1, why);
}

// Length of its own coordinates for unit y: directions far from U need much of them.
static double stretch(const making* k, int i) {
  const int n = 6 * k->ne, r = k->r;
  double sum = 0;
  for (int m = 0; m < n * r; m++) {
    const double x = scale_of(k, m / r) * k->to->item[i].T[m];
    sum += x * x;
  }
  return sqrt(sum / r);
}

static lb_status place_model(const making* k, int i) {
  double left = 0;
  const bool found = take_coordinates(k, i, &left);
  if (lb_arena_status(k->scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  return !found || stretch(k, i) > FAR
             ? refuse(k, i,
                      "lets its effectors move in directions that have little in common with "
                      "those of the others (leave it out, or take models that are nearer)")
         : left > LEFT ? refuse(k, i,
                                "lets its effectors give way in directions that another model has "
                                "not at all, as in a singular pose (leave that one out, or give "
                                "it another load)")
                       : LB_OK;
}

static lb_status find_chart(making* k) {
  lb_status status = find_centres(k) ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < k->count && status == LB_OK; i++) {
    status = take_tangent(k, i) && find_compliance(k, i, k->to->item[i].C) ? LB_OK : LB_NO_MEMORY;
  }
  return status == LB_OK ? find_basis(k) : status;
}

// Is a model where one before it is?
static bool is_double(const making* k, int i) {
  const double* y = k->to->family->y;
  bool any = false;
  for (int j = 0; j < i; j++) {
    double most = 0;
    for (int a = 0; a < k->r; a++) {
      most = fmax(most, fabs(y[i * k->r + a] - y[j * k->r + a]));
    }
    any |= most < APART;
  }
  return any;
}

static lb_status place_models(making* k) {
  lb_status status = LB_OK;
  for (int i = 0; i < k->count && status == LB_OK; i++) {
    status = place_model(k, i);
    if (status == LB_OK && is_double(k, i)) {
      status = refuse(k, i, "is at the place of one before it (leave one of them out)");
    }
  }
  return status == LB_OK ? lb_fork_family_measure(k->to->family, k->scratch) : status;
}

// --- joints ---

// Change dq of joints at q, along rotation vectors from `from`, as those of lb_fork_add_difference.
static void transport(const lb_model* m, double* dq, const double* from, const double* q) {
  for (int j = 0; j < m->njoint; j++) {
    const int turn = lb_quaternion_at(m->joint.nq[j], m->joint.nv[j]);
    if (turn >= 0) {
      double X[9], *x = dq + m->joint.v[j];
      const int at = m->joint.q[j] + turn;
      lb_quat_stretch_by(X, 3, q + at, from + at);
      const double y[3] = {lb_dot(3, X, x), lb_dot(3, X + 3, x), lb_dot(3, X + 6, x)};
      memcpy(x, y, sizeof y);
    }
  }
}

static void take_joints(const making* k) {
  const lb_model* m = k->fork[0]->model;
  const int r = k->r;
  for (int i = 0; i < k->count; i++) {
    const lb_fork* f = k->fork[i];
    double* row = k->to->dq + (size_t)(i * (1 + r)) * (size_t)m->nv;
    lb_fork_add_difference(m, row, 1, k->fork[0]->q, f->q);
    for (int c = 0; c < r; c++) {
      row += m->nv;
      for (int l = 0; l < rank_of(f); l++) {
        lb_add(m->nv, row, k->to->item[i].N[l * r + c], f->dq + (size_t)l * (size_t)m->nv);
      }
      transport(m, row, k->fork[0]->q, f->q);
    }
  }
}

// --- masses ---

// Poses of bodies, and velocities by own coordinates, of one model.
typedef struct pose {
  lb_transform* X;
  lb_motion* move; // [nbody][f->count]
} pose;

static bool take_pose(const making* k, int i, lb_data* d, lb_transform to_base, pose* to) {
  const lb_fork* f = k->fork[i];
  const lb_model* m = f->model;
  to->X = LB_TAKE(k->scratch, lb_transform, m->nbody);
  to->move = LB_TAKE(k->scratch, lb_motion, m->nbody * f->count);
  if (!to->X || !to->move) {
    return false;
  }
  memcpy(d->q, f->q, (size_t)m->nq * sizeof *d->q);
  lb_fork_body_velocities(f, d, to_base.q, to->move);
  lb_poses(m, d);
  for (int b = 0; b < m->nbody; b++) {
    to->X[b] = lb_transform_mul(to_base, d->pose[b]);
  }
  return true;
}

// (3) of body b
static void find_fields(const making* k, int b, const pose* all, lb_fork_field* field) {
  const lb_vec3 com = k->fork[0]->model->body.mass[b].com;
  const lb_v4 c = lb_v4_from(lb_transform_point(all[0].X[b], com));
  for (int i = 0; i < k->count; i++) {
    const int own = k->fork[i]->count;
    const lb_quat turn = lb_quat_mul(all[i].X[b].q, lb_quat_conjugate(all[0].X[b].q));
    const lb_m3 R = lb_m3_rotation(turn);
    lb_fork_field* to = field + i * (1 + k->r);
    *to = (lb_fork_field){lb_v4_from(lb_transform_point(all[i].X[b], com)) - c, R};
    lb_m3_add_scaled(&to->W, -1, lb_m3_identity());
    for (int a = 0; a < k->r; a++) {
      lb_motion sum = lb_motion_zero();
      for (int l = 0; l < rank_of(k->fork[i]); l++) {
        sum = lb_motion_add(
            sum, lb_motion_scale(k->to->item[i].N[l * k->r + a], all[i].move[b * own + l]));
      }
      to[1 + a] = (lb_fork_field){sum.v, lb_m3_cross_mul(sum.w, R)};
    }
  }
}

// Masses of fields and rotors.
static void take_mass(const making* k, lb_reduced* flat) {
  const lb_model* m = k->fork[0]->model;
  const int n = flat->r;
  for (int i = 0; i < n * n; i++) {
    const double *a = k->to->dq + (size_t)(i / n) * (size_t)m->nv,
                 *b = k->to->dq + (size_t)(i % n) * (size_t)m->nv;
    flat->M[i] = lb_m3_trace(flat->B1[i]);
    for (int v = 0; v < m->nv; v++) {
      flat->M[i] += m->dof.armature[v] * a[v] * b[v];
    }
  }
}

static bool weigh(const making* k, lb_data* d, const bool* has, lb_transform to_base,
                  lb_reduced* flat) {
  const lb_model* m = k->fork[0]->model;
  pose* all = LB_TAKE(k->scratch, pose, k->count);
  lb_fork_field* field = LB_TAKE(k->scratch, lb_fork_field, flat->r);
  bool ok = all && field;
  for (int i = 0; i < k->count && ok; i++) {
    ok = take_pose(k, i, d, to_base, &all[i]);
  }
  for (int b = 0; b < m->nbody && ok; b++) {
    if (has[b]) {
      lb_fork_mover v = lb_fork_mover_of(m, b, all[0].X[b]);
      find_fields(k, b, all, field);
      v.field = field;
      lb_fork_body_add(flat, &v);
    }
  }
  return ok;
}

// --- the body ---

static bool take_faces(const making* k, lb_transform to_base, lb_reduced* flat) {
  const int r = k->r;
  for (int e = 0; e < k->ne; e++) {
    lb_face* face = &flat->face[e];
    face->rest = lb_transform_mul(to_base, k->to->centre[e]);
    face->x0 = lb_v4_from(face->rest.p);
    face->twist = LB_TAKE(k->arena, lb_motion, flat->r);
    for (int i = 0; face->twist && i < k->count; i++) {
      const lb_fork_member* of = &k->to->item[i];
      lb_motion* to = face->twist + i * (1 + r);
      to[0] = (lb_motion){lb_v4_load(of->xi + 6 * e), lb_v4_load(of->xi + 6 * e + 3)};
      for (int a = 0; a < r; a++) {
        const double* T = of->T + 6 * e * r + a;
        to[1 + a] =
            (lb_motion){lb_v4_make(T[0], T[r], T[2 * r]), lb_v4_make(T[3 * r], T[4 * r], T[5 * r])};
      }
    }
  }
  return lb_arena_status(k->arena) == LB_OK;
}

static bool take_body(const making* k, lb_data* d, const bool* has, lb_transform to_base,
                      lb_reduced* b) {
  lb_reduced* flat = LB_TAKE(k->arena, lb_reduced, 1);
  lb_curved* curved = LB_TAKE(k->arena, lb_curved, 1);
  const int n = lb_fork_family_amplitudes(k->to->family);
  if (!flat || !curved || lb_reduced_take(flat, n, k->ne, k->arena) != LB_OK ||
      lb_reduced_take(b, k->r, 0, k->arena) != LB_OK || !take_faces(k, to_base, flat) ||
      !weigh(k, d, has, to_base, flat)) {
    return false;
  }
  take_mass(k, flat);
  *curved = lb_fork_family_curve(k->to->family, flat);
  b->m = flat->m;
  b->nface = flat->nface;
  b->face = flat->face;
  b->curved = curved;
  b->internal = lb_fork_family_force(k->to->family);
  b->beta = 1; // dampers stand in for K'
  return true;
}

static bool take_items(making* k) {
  const int n = 6 * k->ne;
  lb_fork_members* to = k->to;
  to->item = LB_TAKE(k->scratch, lb_fork_member, k->count);
  to->centre = LB_TAKE(k->arena, lb_transform, k->ne);
  for (int i = 0; to->item && i < k->count; i++) {
    const int own = rank_of(k->fork[i]);
    to->item[i] = (lb_fork_member){.f = k->fork[i],
                                   .xi = LB_TAKE(k->scratch, double, n),
                                   .E = LB_TAKE(k->scratch, double, n* own),
                                   .C = LB_TAKE(k->scratch, double, own* own),
                                   .T = LB_TAKE(k->scratch, double, n * k->r),
                                   .N = LB_TAKE(k->scratch, double, own * k->r)};
  }
  return lb_arena_status(k->scratch) == LB_OK && lb_arena_status(k->arena) == LB_OK;
}

static bool take_family(making* k) {
  lb_fork_members* to = k->to;
  to->family = lb_fork_family_take(k->count, k->r, k->arena);
  to->dq = to->family
               ? LB_TAKE(k->arena, double,
                         (size_t)lb_fork_family_amplitudes(to->family) * (size_t)k->fork[0]->nv)
               : NULL;
  return to->dq;
}

lb_status lb_fork_members_create(lb_fork* const* fork, int count, lb_data* d, const bool* has,
                                 lb_transform to_base, lb_arena* arena, lb_arena* scratch,
                                 lb_fork_members* members, lb_reduced** body, lb_error* err) {
  making k = {.fork = fork,
              .count = count,
              .r = rank_of(fork[0]),
              .ne = fork[0]->neffector,
              .arena = arena,
              .scratch = scratch,
              .to = members,
              .err = err};
  lb_reduced* b = LB_TAKE(arena, lb_reduced, 1);
  for (int i = 0; i < count; i++) {
    k.radius += fork[i]->radius / count;
    k.r = rank_of(fork[i]) < k.r ? rank_of(fork[i]) : k.r;
  }
  lb_status status = b && take_items(&k) ? LB_OK : LB_NO_MEMORY;
  status = status == LB_OK ? find_chart(&k) : status;
  status = status == LB_OK && !take_family(&k) ? LB_NO_MEMORY : status;
  status = status == LB_OK ? place_models(&k) : status;
  if (status == LB_OK) {
    take_joints(&k);
    status = take_body(&k, d, has, to_base, b) ? LB_OK : LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    *body = b;
  }
  return status == LB_NO_MEMORY ? lb_fork_no_memory(err) : status;
}

// --- springs ---

// to = N'A N - less
static void turn(const lb_fork_member* of, int r, const double* A, const double* less, double* to) {
  const int stride = of->f->count, own = rank_of(of->f);
  for (int m = 0; m < r * r; m++) {
    double sum = 0;
    for (int k = 0; k < own * own; k++) {
      sum +=
          of->N[k / own * r + m / r] * A[k / own * stride + k % own] * of->N[k % own * r + m % r];
    }
    to[m] = sum - less[m];
  }
}

void lb_fork_members_balance(const lb_fork_members* members, int i, lb_fork_balance of) {
  const lb_fork_member* m = &members->item[i];
  const int r = members->family->r;
  for (int k = 0; k < r; k++) {
    members->family->f[i * r + k] = -of.f[k];
  }
  turn(m, r, m->f->K, of.K, members->family->K + i * r * r);
  turn(m, r, m->f->D, of.D, members->family->D + i * r * r);
}

void lb_fork_members_finish(const lb_fork_members* members) {
  lb_fork_family_level(members->family);
}
