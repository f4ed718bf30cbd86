// The inverse of how joints move: in closed form of hinges, slides, cardans and balls, of others
// that of their charts. The rates are those of least squares, S qd = V.
#include "model/use/joint_start.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"
#include "model/build/joint_charts.h"

static void revolute(double* q, lb_mat3 R, const lb_transform* X) {
  (void)X;
  q[0] = atan2(R.x.y, R.x.x);
}

static void prismatic(double* q, lb_mat3 R, const lb_transform* X) {
  (void)R;
  q[0] = X->p.z;
}

static void universal(double* q, lb_mat3 R, const lb_transform* X) {
  (void)X;
  q[0] = atan2(R.x.y, R.x.x);
  q[1] = atan2(R.y.z, R.z.z);
}

static void spherical(double* q, lb_mat3 R, const lb_transform* X) {
  (void)R;
  memcpy(q, (double[]){X->q.w, X->q.x, X->q.y, X->q.z}, 4 * sizeof *q);
}

static const struct {
  void (*find)(double* q, lb_mat3 R, const lb_transform* X);
  int turns; // coordinates that are angles
} CLOSED_FORM[LB_JOINT_COUNT] = {
    [LB_JOINT_REVOLUTE] = {revolute, 1},
    [LB_JOINT_PRISMATIC] = {prismatic, 0},
    [LB_JOINT_UNIVERSAL] = {universal, 2},
    [LB_JOINT_SPHERICAL] = {spherical, 0},
};

static void find_place(const lb_scene_joint* j, const lb_chart* chart, const lb_transform* X,
                       const lb_chart_target* wish, double* q) {
  const lb_mat3 R = lb_quat_matrix(X->q);
  if (chart) {
    lb_chart_find(chart, q, lb_m3_from(R), lb_v4_from(X->p), wish);
  } else if (CLOSED_FORM[j->kind].find) {
    CLOSED_FORM[j->kind].find(q, R, X);
    for (int k = 0; k < CLOSED_FORM[j->kind].turns; k++) {
      q[k] = lb_chart_unwind(wish, k, q[k], 2 * M_PI);
    }
  }
}

// Coordinates that do the same share the rate.
static lb_status find_rates(const lb_scene_joint* j, const lb_chart* chart, const lb_velocity* V,
                            lb_arena* scratch, const double* q, double* qd) {
  enum { N = LB_JOINT_MOST_V };
  const int n = lb_joint_count_v(j);
  double S[N * N], b[N] = {V->w.x, V->w.y, V->w.z, V->v.x, V->v.y, V->v.z};
  int rank = 0;
  for (int k = 0; k < n; k++) {
    double rate[N] = {0};
    rate[k] = 1;
    const lb_velocity s = lb_joint_velocity((int)j->kind, chart, q, rate);
    memcpy(S + N * k, (double[]){s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z}, N * sizeof *S);
  }
  const lb_status status = lb_least_squares(scratch, N, n, S, N, 1, b, N, 1e-10, &rank);
  if (status == LB_OK) {
    memcpy(qd, b, (size_t)n * sizeof *qd);
  }
  return status == LB_NO_MEMORY ? status : LB_OK;
}

static double measure_gap(const lb_scene_joint* j, const lb_chart* chart, const lb_transform* X,
                          const double* q) {
  const lb_transform at = lb_joint_pose((int)j->kind, chart, q);
  const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(at.q), X->q));
  return hypot(lb_vec3_norm(turn), lb_vec3_norm(lb_vec3_sub(X->p, at.p)));
}

lb_status lb_joint_find_start(lb_scene_joint* j, const lb_transform* X, const lb_velocity* V,
                              const lb_chart_target* wish, lb_arena* scratch, double* gap) {
  const lb_chart* chart = NULL;
  double q[LB_JOINT_MOST_Q] = {0}, qd[LB_JOINT_MOST_V] = {0};
  const lb_arena_mark mark = lb_arena_here(scratch);
  lb_status status = lb_joint_has_chart(j) ? lb_joint_chart(j, scratch, &chart) : LB_OK;
  if (status == LB_OK) {
    find_place(j, chart, X, wish, q);
    status = find_rates(j, chart, V, scratch, q, qd);
  }
  if (status == LB_OK) {
    *gap = measure_gap(j, chart, X, q);
    memcpy(j->q, q, sizeof q);
    memcpy(j->qd, qd, sizeof qd);
  }
  lb_arena_reset(scratch, mark);
  return status;
}
