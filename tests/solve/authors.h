// Implicit steps as the authors of [red] take them, to tell apart what their numbers come from: the
// schemes, which are Limber's; where their Newton method stops; the order of Euler's angles, which
// they change on the way; and dampers at limits that come in with a jump.
//
// A stage ends with q = qh + dt v, a = (v - vh)/dt. They solve g(q) = dt^2 r = 0, r the residual of
// inverse dynamics, with exact derivatives, and stop when |g| < 1e-9 after an iteration: where
// masses are small that leaves an error in v.
#pragma once
#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/rnea.h"
#include "math/chart.h"
#include "math/dense.h"
#include "model/charts.h"
#include "redmax.h"
#include "solve/step_matrix.h"

enum { AUTHORS_MOST = 16 };

typedef struct authors {
  redmax* from; // the orders of its joints' angles change
  lb_model* m;
  lb_data* d;
  lb_derivatives* D;
  double stop;    // of |g|
  bool recharts;  // as they do
  bool dampers;   // at limits
  int changes;    // of charts
  int iterations; // of Newton's method
  long steps;
  double q[2][AUTHORS_MOST], v[2][AUTHORS_MOST]; // now, and a step ago
} authors;

// A stage's history.
typedef struct authors_stage {
  double dt, qh[AUTHORS_MOST], vh[AUTHORS_MOST];
} authors_stage;

static inline void authors_open(authors* a) {
  assert_int_equal(lb_model_create(&a->from->scene, NULL, &a->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(a->m, NULL, &a->D, NULL), LB_OK);
  assert_true(a->m->nv <= AUTHORS_MOST && a->m->nq == a->m->nv);
}

static inline void authors_close(authors* a) {
  lb_derivatives_release(a->D);
  lb_data_release(a->d);
  lb_model_release(a->m);
}

static inline void authors_start(authors* a, redmax* from) {
  *a = (authors){.from = from, .stop = 1e-9, .recharts = true, .dampers = true};
  authors_open(a);
  memcpy(a->q[0], a->m->q0, (size_t)a->m->nv * sizeof(double));
  memcpy(a->v[0], a->m->qd0, (size_t)a->m->nv * sizeof(double));
}

// --- dampers at limits: -D v beyond them ---

static inline double authors_damper(const authors* a, int v) {
  const cJSON* joints = red_get(red_get(a->from->json, "scene"), "joints");
  for (int j = 0; a->dampers && j < a->m->njoint; j++) {
    const int k = v - a->m->joint_v[j];
    if (k >= 0 && k < a->m->joint_nv[j]) {
      const double q = a->d->q[a->m->joint_q[j] + k];
      const lb_scene_joint* joint = &a->from->joint[j];
      return q < joint->lower[k] || q > joint->upper[k]
                 ? red_number(cJSON_GetArrayItem(joints, j), "qLimD")
                 : 0;
    }
  }
  return 0;
}

// --- Newton's method ---

// r at v, in r; |g|.
static inline double authors_residual(authors* a, const authors_stage* s, const double* v,
                                      double* r) {
  const lb_model* m = a->m;
  lb_data* d = a->d;
  double sum = 0;
  for (int k = 0; k < m->nv; k++) {
    d->q[k] = s->qh[k] + s->dt * v[k];
    d->qd[k] = v[k];
    d->qdd[k] = (v[k] - s->vh[k]) / s->dt;
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_rnea_moved(m, d, r, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    r[k] += authors_damper(a, k) * v[k] - d->work->tau[k];
    sum += r[k] * r[k];
  }
  return s->dt * s->dt * sqrt(sum);
}

// One iteration: halve the way while |g| does not fall.
static inline double authors_iterate(authors* a, const authors_stage* s, double* v) {
  const int n = a->m->nv;
  double r[AUTHORS_MOST], W[AUTHORS_MOST * AUTHORS_MOST], from[AUTHORS_MOST];
  int pivot[AUTHORS_MOST];
  const double before = authors_residual(a, s, v, r);
  lb_derive_forced(a->D, a->d);
  lb_step_matrix(W, a->D, a->d, s->dt);
  for (int k = 0; k < n; k++) {
    W[k * n + k] += authors_damper(a, k);
  }
  assert_int_equal(lb_lu(n, W, n, pivot), LB_OK);
  authors_residual(a, s, v, r); // r was scratch of the derivatives
  lb_lu_solve_transposed(n, W, n, pivot, 1, r, n);
  double dv[AUTHORS_MOST], g = 0, way = 1;
  memcpy(dv, r, sizeof dv);
  memcpy(from, v, (size_t)n * sizeof *v);
  for (int i = 0; i < 10; i++, way /= 2) {
    memcpy(v, from, (size_t)n * sizeof *v);
    lb_add(n, v, -way, dv);
    g = authors_residual(a, s, v, r);
    if (g < before) {
      break;
    }
  }
  a->iterations++;
  return g;
}

static inline void authors_solve(authors* a, const authors_stage* s, double* v) {
  for (int i = 0; i < 5 * a->m->nv; i++) {
    if (authors_iterate(a, s, v) < a->stop) {
      return;
    }
  }
}

// --- charts ---

static const char* const AUTHORS_CHARTS[] = {"",    "XYX", "XZX", "YZY", "YXY", "ZXZ", "ZYZ",
                                             "XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"};

// R of angles in the order.
static inline lb_mat3 authors_rotation(lb_turn_order order, const double* q) {
  static const int AXES[][3] = {
#define AUTHORS_AXES(code, name, i, j, k) {i, j, k},
      LB_TURN_LIST(AUTHORS_AXES)};
  lb_quat R = {1, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const int axis = AXES[order][k];
    const double s = sin(q[k] / 2);
    R = lb_quat_mul(R, (lb_quat){cos(q[k] / 2), s * (axis == 0), s * (axis == 1), s * (axis == 2)});
  }
  return lb_quat_matrix(R);
}

// The angles of R = R_i(q0) R_j(q1) R_k(q2), and |det S|. With l the third axis and e the sign of
// (i, j, l):  i = k:  R_ii = cos q1;  else  R_ik = e sin q1 with k = l.
static inline double authors_angles(lb_turn_order order, lb_mat3 R, double* q) {
  static const int AXES[][3] = {LB_TURN_LIST(AUTHORS_AXES)};
  const double M[3][3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
  const int i = AXES[order][0], j = AXES[order][1], k = AXES[order][2], l = 3 - i - j;
  const double e = (j - i + 3) % 3 == 1 ? 1 : -1;
  if (i == k) {
    q[1] = acos(fmax(-1, fmin(1, M[i][i])));
    q[0] = atan2(M[j][i], -e * M[l][i]);
    q[2] = atan2(M[i][j], e * M[i][l]);
    return fabs(sin(q[1]));
  }
  q[1] = asin(fmax(-1, fmin(1, e * M[i][k])));
  q[0] = atan2(-e * M[j][k], M[k][k]);
  q[2] = atan2(-e * M[i][j], M[i][i]);
  return fabs(cos(q[1]));
}

// Rates of angles `to` in place of those of the same motion by `from`.
static inline void authors_rates(lb_turn_order from, const double* q, lb_turn_order to,
                                 const double* q_to, double* v) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_scene_joint j = lb_scene_joint_default();
  const lb_chart* chart;
  lb_chart_at at;
  double S[9];
  int pivot[3];
  j.kind = LB_JOINT_EULER;
  j.order = from;
  assert_int_equal(lb_joint_chart(&j, &arena, &chart), LB_OK);
  lb_chart_evaluate(chart, &at, q, v, LB_CHART_MOVE);
  const lb_v4 w = at.V.w;
  j.order = to;
  assert_int_equal(lb_joint_chart(&j, &arena, &chart), LB_OK);
  lb_chart_evaluate(chart, &at, q_to, v, LB_CHART_PLACE);
  for (int k = 0; k < 9; k++) {
    S[k] = at.S[k / 3].w[k % 3];
  }
  lb_arena_release(&arena);
  assert_int_equal(lb_lu(3, S, 3, pivot), LB_OK);
  for (int k = 0; k < 3; k++) {
    v[k] = w[k];
  }
  lb_lu_solve(3, S, 3, pivot, 1, v, 3);
}

// Where |det S| has fallen to a half, the order for which it is largest now and a step ago; both
// states are counted by it from then on.
static inline bool authors_rechart(authors* a, int j) {
  lb_scene_joint* joint = &a->from->joint[j];
  const lb_turn_order old = joint->order;
  const int at = a->m->joint_q[j] + a->m->joint_nv[j] - 3;
  lb_mat3 R[2];
  double q[3], best = 0;
  for (int p = 0; p < 2; p++) {
    R[p] = authors_rotation(old, &a->q[p][at]);
  }
  if (authors_angles(old, R[0], q) > 0.5) {
    return false;
  }
  for (int c = 1; c <= 12; c++) {
    const lb_turn_order order = red_order(AUTHORS_CHARTS[c]);
    const double least = fmin(authors_angles(order, R[0], q), authors_angles(order, R[1], q));
    if (least > best) {
      best = least;
      joint->order = order;
    }
  }
  for (int p = 0; p < 2; p++) {
    authors_angles(joint->order, R[p], q);
    authors_rates(old, &a->q[p][at], joint->order, q, &a->v[p][at]);
    memcpy(&a->q[p][at], q, sizeof q);
  }
  return true;
}

static inline void authors_rechart_all(authors* a) {
  bool changed = false;
  for (int j = 0; a->recharts && j < a->m->njoint; j++) {
    const lb_joint_kind kind = a->from->joint[j].kind;
    const bool turns = kind == LB_JOINT_EULER || kind == LB_JOINT_FREE_3D;
    changed |= turns && authors_rechart(a, j);
  }
  for (int j = 0; changed && j < a->m->njoint; j++) { // where it starts must not be singular
    memcpy(a->from->joint[j].q, &a->q[0][a->m->joint_q[j]],
           (size_t)a->m->joint_nv[j] * sizeof(double));
  }
  if (changed) {
    a->changes++;
    authors_close(a);
    authors_open(a);
  }
}

// --- schemes ---

static inline void authors_finish(authors* a, const authors_stage* s, const double* v) {
  const size_t size = (size_t)a->m->nv * sizeof *v;
  memcpy(a->q[1], a->q[0], size);
  memcpy(a->v[1], a->v[0], size);
  for (int k = 0; k < a->m->nv; k++) {
    a->q[0][k] = s->qh[k] + s->dt * v[k];
    a->v[0][k] = v[k];
  }
  a->steps++;
  authors_rechart_all(a);
  memcpy(a->d->q, a->q[0], size);
  memcpy(a->d->qd, a->v[0], size);
}

static inline void authors_bdf1(authors* a, double h) {
  authors_stage s = {.dt = h};
  double v[AUTHORS_MOST];
  memcpy(s.qh, a->q[0], sizeof s.qh);
  memcpy(s.vh, a->v[0], sizeof s.vh);
  memcpy(v, a->v[0], sizeof v);
  authors_solve(a, &s, v);
  authors_finish(a, &s, v);
}

// Two stages, each with the velocity of the one before as its guess.
static inline void authors_sdirk2(authors* a, double h) {
  const double c = 1 - sqrt(0.5);
  authors_stage s = {.dt = c * h}, t = {.dt = c * h};
  double v[AUTHORS_MOST];
  memcpy(s.qh, a->q[0], sizeof s.qh);
  memcpy(s.vh, a->v[0], sizeof s.vh);
  memcpy(v, a->v[0], sizeof v);
  authors_solve(a, &s, v);
  for (int k = 0; k < a->m->nv; k++) {
    t.qh[k] = a->q[0][k] + (1 - c) * h * v[k];
    t.vh[k] = ((1 - c) * v[k] + (2 * c - 1) * a->v[0][k]) / c;
  }
  authors_solve(a, &t, v);
  authors_finish(a, &t, v);
}

static inline void authors_bdf2(authors* a, double h) {
  authors_stage s = {.dt = 2 * h / 3};
  double v[AUTHORS_MOST];
  if (a->steps == 0) {
    authors_sdirk2(a, h);
    return;
  }
  for (int k = 0; k < a->m->nv; k++) {
    s.qh[k] = (4 * a->q[0][k] - a->q[1][k]) / 3;
    s.vh[k] = (4 * a->v[0][k] - a->v[1][k]) / 3;
    v[k] = (a->q[0][k] + h * a->v[0][k] - s.qh[k]) / s.dt;
  }
  authors_solve(a, &s, v);
  authors_finish(a, &s, v);
}
