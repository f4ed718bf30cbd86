// Implicit steps as the authors of [red] take them. The steps are Limber's, with Newton's method
// stopped as theirs is (lb_implicit_stop_at). One thing is theirs alone and done here: the order of
// Euler's angles, which they change on the way, with the last two states counted anew.
#pragma once
#include "math/curve/chart.h"
#include "math/linear/dense.h"
#include "model/build/joint_charts.h"
#include "redmax.h"
#include "solve/implicit/implicit.h"

enum { AUTHORS_MOST = 16 };

typedef struct authors {
  redmax* from; // the orders of its joints' angles change
  lb_integrator integrator;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  double h;
  int changes; // of orders
} authors;

static inline void authors_compile(authors* a, const lb_scene_solver* solver) {
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&a->from->scene, NULL, &a->m, &err) != LB_OK) {
    fail_msg("the scene does not compile: %s", err.message[0].text);
  }
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(a->m, solver, NULL, &a->st, NULL), LB_OK);
}

// Their BDF2 takes its first step by SDIRK2, Limber's by BDF1.
static inline void authors_begin(lb_implicit* own, lb_integrator integrator) {
  own->scheme = integrator == LB_INTEGRATOR_BDF2 ? &lb_scheme_bdf2_after_sdirk2 : own->scheme;
}

static inline void authors_open(authors* a) {
  authors_compile(a, &(lb_scene_solver){.integrator = a->integrator, .newton = LB_NEWTON_EXACT});
  assert_at_most(a->m->nv, AUTHORS_MOST);
  assert_true(a->m->nq == a->m->nv);
  authors_begin(a->st->own, a->integrator);
  lb_implicit_stop_at(a->st, red_number(red_get(a->from->json, "integrator"), "newton_tol_norm_g"));
}

static inline void authors_close(authors* a) {
  lb_stepper_release(a->st);
  lb_data_release(a->d);
  lb_model_release(a->m);
}

static inline void authors_start(authors* a, redmax* from, lb_integrator integrator) {
  *a = (authors){.from = from,
                 .integrator = integrator,
                 .h = red_number(red_get(from->json, "integrator"), "h")};
  authors_open(a);
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
static inline bool authors_rechart(authors* a, int j, double* q[2], double* v[2]) {
  lb_scene_joint* joint = &a->from->joint[red_joint_of(a->m, j)];
  const lb_turn_order old = joint->order;
  const int at = a->m->joint.q[j] + a->m->joint.nv[j] - 3;
  lb_mat3 R[2];
  double angle[3], best = 0;
  for (int p = 0; p < 2; p++) {
    R[p] = authors_rotation(old, &q[p][at]);
  }
  if (authors_angles(old, R[0], angle) > 0.5) {
    return false;
  }
  for (int c = 1; c <= 12; c++) {
    const lb_turn_order order = red_order(AUTHORS_CHARTS[c]);
    const double least =
        fmin(authors_angles(order, R[0], angle), authors_angles(order, R[1], angle));
    if (least > best) {
      best = least;
      joint->order = order;
    }
  }
  for (int p = 0; p < 2; p++) {
    authors_angles(joint->order, R[p], angle);
    authors_rates(old, &q[p][at], joint->order, angle, &v[p][at]);
    memcpy(&q[p][at], angle, sizeof angle);
  }
  return true;
}

// Go on with other coordinates, from these states now and a step ago.
static inline void authors_reopen(authors* a, double* const q[2], double* const v[2]) {
  const double time = a->d->time;
  for (int j = 0; j < a->m->njoint; j++) { // where it starts must not be singular
    memcpy(a->from->joint[red_joint_of(a->m, j)].q, &q[0][a->m->joint.q[j]],
           (size_t)a->m->joint.nv[j] * sizeof(double));
  }
  authors_close(a);
  authors_open(a);
  const size_t size = (size_t)a->m->nv * sizeof(double);
  lb_implicit* own = a->st->own;
  own->time = a->d->time = time;
  own->h = a->h;
  double *const to_q[] = {own->qe, own->q1}, *const to_v[] = {own->ve, own->v1};
  for (int p = 0; p < 2; p++) {
    memcpy(to_q[p], q[p], size);
    memcpy(to_v[p], v[p], size);
  }
  memcpy(a->d->q, q[0], size);
  memcpy(a->d->qd, v[0], size);
  a->changes++;
}

static inline void authors_rechart_all(authors* a) {
  const lb_implicit* own = a->st->own;
  const size_t size = (size_t)a->m->nv * sizeof(double);
  double place[2][AUTHORS_MOST], rate[2][AUTHORS_MOST];
  double *q[] = {place[0], place[1]}, *v[] = {rate[0], rate[1]};
  memcpy(q[0], a->d->q, size);
  memcpy(v[0], a->d->qd, size);
  memcpy(q[1], own->q1, size);
  memcpy(v[1], own->v1, size);
  bool changed = false;
  for (int j = 0; j < a->m->njoint; j++) {
    const lb_joint_kind kind = a->from->joint[red_joint_of(a->m, j)].kind;
    const bool turns = kind == LB_JOINT_EULER || kind == LB_JOINT_FREE_3D;
    changed |= turns && authors_rechart(a, j, q, v);
  }
  if (changed) {
    authors_reopen(a, q, v);
  }
}

// --- steps ---

static inline void authors_step(authors* a) {
  assert_int_equal(lb_stepper_step(a->st, a->d, a->h, NULL), LB_OK);
  authors_rechart_all(a);
}
