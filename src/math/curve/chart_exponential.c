// A rotation by its rotation vector, Q = exp([q]): the angle |q| about the axis q/|q|.
//
// S is the right Jacobian of the exponential ([red] eq. 4.43, with series near zero), and its
// derivatives are those of that matrix. It is singular at |q| = 2 pi, where all axes mean no
// rotation at all. Long before, at 1.5 pi, the vector the other way round the same axis is taken:
//
//   q <- (1 - 2 pi/|q|) q,   qd <- S(q_new)^-1 S(q_old) qd
//
// which is the same rotation and the same angular velocity. What acts on the numbers themselves, as
// a spring on one of them, would see them jump: who has such numbers keeps them.
#include <math.h>

#include "math/curve/chart.h"
#include "math/space/se3.h"

static void fill_column(lb_motion* S, lb_mat3 A, int i) {
  const lb_vec3 column[] = {A.x, A.y, A.z};
  S[i] = (lb_motion){lb_v4_from(column[i]), lb_v4_zero()};
}

static lb_motion turn(lb_mat3 A, lb_vec3 x) {
  return (lb_motion){lb_v4_from(lb_mat3_apply(A, x)), lb_v4_zero()};
}

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  lb_chart_at E;
  const lb_vec3 r = lb_vec3_make(q[f->first], q[f->first + 1], q[f->first + 2]);
  const lb_mat3 J = lb_so3_jacobian(LB_RIGHT, r);
  E.R = lb_m3_from(lb_so3_exp(r));
  E.p = lb_v4_zero();
  for (int i = 0; i < 3; i++) {
    fill_column(E.S, J, i);
  }
  if (order >= LB_CHART_MOVE) {
    const lb_vec3 rd = lb_vec3_make(qd[f->first], qd[f->first + 1], qd[f->first + 2]);
    E.V = turn(J, rd);
    E.b = turn(lb_so3_jacobian_dot(LB_RIGHT, r, rd), rd);
    for (int k = 0; k < 3 && order >= LB_CHART_BEND; k++) {
      const lb_vec3 e = lb_vec3_make(k == 0, k == 1, k == 2);
      const lb_mat3 Jk = lb_so3_jacobian_dot(LB_RIGHT, r, e);
      for (int i = 0; i < 3; i++) {
        E.T[i][k] = turn(Jk, lb_vec3_make(i == 0, i == 1, i == 2));
      }
      E.rate[k] = turn(Jk, rd);
      E.curve[k] = turn(lb_so3_jacobian_ddot(LB_RIGHT, r, rd, e), rd);
    }
  }
  lb_chart_multiply(at, &E, n, f->first, 3, order);
}

static double angle_of(const lb_factor* f, const double* q) {
  return lb_vec3_norm(lb_vec3_make(q[f->first], q[f->first + 1], q[f->first + 2]));
}

static double strain(const lb_factor* f, const double* q) {
  return angle_of(f, q) / (2 * M_PI);
}

// Part by which a vector of that length gets shorter: the nearest whole number of turns back, one
// unless a step went far.
static double part_taken(double angle) {
  return 2 * M_PI * round(angle / (2 * M_PI)) / angle;
}

static void rechart(const lb_factor* f, double* q, double* qd) {
  double* x = q + f->first;
  double* xd = qd + f->first;
  const lb_vec3 old = lb_vec3_make(x[0], x[1], x[2]);
  const lb_vec3 new = lb_vec3_scale(1 - part_taken(angle_of(f, q)), old);
  const lb_vec3 w =
      lb_mat3_apply(lb_so3_jacobian(LB_RIGHT, old), lb_vec3_make(xd[0], xd[1], xd[2]));
  const lb_vec3 rate = lb_mat3_apply(lb_so3_jacobian(LB_RIGHT_INVERSE, new), w);
  const double to[] = {new.x, new.y, new.z}, rates[] = {rate.x, rate.y, rate.z};
  for (int i = 0; i < 3; i++) {
    x[i] = to[i];
    xd[i] = rates[i];
  }
}

// With the angle a, the axis u = q/a, the part c = 2 pi n/a that is taken, dc = -c/a u.dq, and
// du = P dq/a, where P = 1 - u u' leaves what is across:
//
//   q_new = q - c q            dq_new = dq - c P dq
//   qd_new = qd - c P qd       (the same rotation at all times)
//   d(qd_new) = dqd - c P dqd + c/a (P qd u' + (u.qd) P + u (P qd)') dq
//
// All these matrices are symmetric.
static void rechart_back(const lb_factor* f, const double* q, const double* qd, double* by_q,
                         double* by_qd) {
  const double a = angle_of(f, q), c = part_taken(a);
  const lb_v4 u = lb_v4_load(q + f->first) / a, v = lb_v4_load(qd + f->first);
  const lb_v4 y = lb_v4_load(by_q + f->first), z = lb_v4_load(by_qd + f->first);
  const lb_v4 y_across = y - u * lb_v4_dot(u, y), z_across = z - u * lb_v4_dot(u, z);
  const lb_v4 v_across = v - u * lb_v4_dot(u, v);
  const lb_v4 bent =
      v_across * lb_v4_dot(u, z) + z_across * lb_v4_dot(u, v) + u * lb_v4_dot(v_across, z);
  lb_v4_store(by_q + f->first, y - y_across * c + bent * (c / a));
  lb_v4_store(by_qd + f->first, z - z_across * c);
}

static void grid(const lb_factor* f, lb_chart_grid* grid) {
  for (int k = f->first; k < f->first + 3; k++) {
    lb_chart_grid_set(grid, k, 3, -2, 2, 0);
  }
}

const lb_factor_type lb_factor_exponential = {.multiply = multiply,
                                              .grid = grid,
                                              .count = 3,
                                              .strain = strain,
                                              .rechart = rechart,
                                              .rechart_back = rechart_back};
