// Derivatives of loops: of their forces beyond turning along with links, and of their rows.
//
// A loop's force (n, f) acts at b's origin P on b's link and, opposite, on a's link at the same
// point. When coordinate k moves, let a turn by t_a and b by t_b, let b's P move by s more than the
// point of a's link there. On b the force changes by (dn, df) - t_b x (n, f) beyond turning along;
// on a by the opposite of (dn, df) - t_a x (n, f), and its point of action moves by s, which adds a
// moment -s x f. A force of given components in a's axes has (dn, df) = t_a x (n, f).
//
// Rates are taken in a's axes: beyond turning with them,
//   b's velocity seen from a at P changes by  psi_b - psi_a + (t_b - t_a) x v_b - w_a x s
//   b's angular velocity seen from a by       psi_b - psi_a + (t_b - t_a) x w_b
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_derivative_inside.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "math/space/se3.h"

static lb_motion turned(lb_v4 t, lb_motion F) {
  return (lb_motion){lb_v4_cross(t, F.w), lb_v4_cross(t, F.v)};
}

// The force F, changing by `change` beyond turning with a, of which on_b has a copy.
static void push_pair(lb_derivatives* D, const loop* L, lb_motion F, const lb_motion* change) {
  for (int k = L->begin[0]; k < L->end[1]; k = next(L, k)) {
    const lb_motion x = apart(L, k);
    const lb_motion c = change[k], t = turned(x.w, F);
    L->on_a[k] = (lb_motion){-c.w - lb_v4_cross(x.v, F.v), -c.v};
    L->on_b[k] = (lb_motion){c.w - t.w, c.v - t.v};
  }
  lb_derive_force(D, D->tau_q, L->Sa, L->on_a);
  lb_derive_force(D, D->tau_q, L->Sb, L->on_b);
}

// By velocities nothing turns.
static void push_pair_rate(lb_derivatives* D, const loop* L, const lb_motion* change) {
  for (int k = L->begin[0]; k < L->end[1]; k = next(L, k)) {
    L->on_a[k] = (lb_motion){-change[k].w, -change[k].v};
    L->on_b[k] = change[k];
  }
  lb_derive_force(D, D->tau_qd, L->Sa, L->on_a);
  lb_derive_force(D, D->tau_qd, L->Sb, L->on_b);
}

// The direction e of a row that keeps axes square, x_b x z_a, changes beyond turning with a when b
// turns by t as seen from a; the others are fixed in a.
static lb_v4 direction_change(const loop* L, lb_gap_kind kind, lb_v4 t) {
  return kind == LB_GAP_SQUARE ? lb_v4_cross(lb_v4_cross(t, L->b.R.x), L->a.R.z) : lb_v4_zero();
}

void lb_constraints_differentiate(lb_derivatives* D, lb_data* d, const double* lambda) {
  const lb_model* m = D->model;
  const int count = lb_constraints_count(d);
  for (int i = 0; i < m->nloop; i++) {
    const loop L = open_loop(D, d, i);
    lb_motion F = {lb_v4_zero(), lb_v4_zero()};
    for (int r = 0; r < count; r++) {
      const lb_constraint_row row = lb_constraints_row(d, r);
      if (row.loop != i) {
        continue;
      }
      *(row.kind == LB_GAP_SHIFT ? &F.v : &F.w) += row.e * lambda[r];
      for (int k = L.begin[0]; row.kind == LB_GAP_SQUARE && k < L.end[1]; k = next(&L, k)) {
        L.on_b[k].w += direction_change(&L, row.kind, apart(&L, k).w) * lambda[r];
      }
    }
    push_pair(D, &L, F, L.on_b);
  }
}

// --- springs, dampers and force motors ---

// The angle from a to b about a's z axis, when b turns by t as seen from a.
static double angle_change(const loop* L, lb_v4 t) {
  const lb_v4 x = L->b.R.x, dx = lb_v4_cross(t, x);
  const double X = lb_v4_dot(x, L->a.R.x), Y = lb_v4_dot(x, L->a.R.y);
  return (X * lb_v4_dot(dx, L->a.R.y) - Y * lb_v4_dot(dx, L->a.R.x)) / (X * X + Y * Y);
}

// How the rotation vector from a to b, in the world's axes, changes beyond turning with a when b
// turns by t as seen from a: log(exp(t) R) = log R + Jl^-1 t.
static lb_m3 turn_matrix(const loop* L) {
  const lb_m3 Rt = lb_m3_transpose(L->a.R);
  const lb_vec3 v = lb_quat_log(lb_quat_from_matrix(lb_m3_mat3(lb_m3_mul(Rt, L->b.R))));
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_LEFT_INVERSE, v));
  return lb_m3_mul(lb_m3_mul(L->a.R, J), Rt);
}

// The second angle of a universal joint, when b turns by t as seen from a: that of z from a to b
// about b's x.
static double second_angle_change(const loop* L, lb_v4 t) {
  const lb_v4 za = L->a.R.z, zb = L->b.R.z, xb = L->b.R.x;
  const lb_v4 dz = lb_v4_cross(t, zb), dx = lb_v4_cross(t, xb);
  const double S = lb_v4_dot(lb_v4_cross(za, zb), xb), C = lb_v4_dot(za, zb);
  const double dS = lb_v4_dot(lb_v4_cross(za, dz), xb) + lb_v4_dot(lb_v4_cross(za, zb), dx);
  return (C * dS - S * lb_v4_dot(za, dz)) / (S * S + C * C);
}

// The same of a universal joint's springs, one for each angle: n = -sum axis (stiffness angle +
// damping rate) with the axes z of a and x of b.
static lb_v4 cross_change(const lb_scene_joint* j, const loop* L, lb_motion x, lb_motion y) {
  const lb_v4 za = L->a.R.z, zb = L->b.R.z, xb = L->b.R.x, wr = L->b.w - L->a.w;
  const lb_v4 dx = lb_v4_cross(x.w, xb);
  const double S = lb_v4_dot(lb_v4_cross(za, zb), xb), C = lb_v4_dot(za, zb);
  const double dangle = second_angle_change(L, x.w);
  const double pull =
      j->stiffness * remainder(atan2(S, C) - j->rest[1], 2 * M_PI) + j->damping * lb_v4_dot(xb, wr);
  const double first = j->stiffness * angle_change(L, x.w) + j->damping * lb_v4_dot(za, y.w);
  const double second =
      j->stiffness * dangle + j->damping * (lb_v4_dot(dx, wr) + lb_v4_dot(xb, y.w));
  return -(za * first + dx * pull + xb * second);
}

// The force of a spring on a loop changes with b's place x and velocity y as seen from a; only the
// part beyond turning with a is asked for.
static lb_motion spring_change(const lb_scene_joint* j, const loop* L, const lb_m3* turn,
                               lb_motion x, lb_motion y) {
  const lb_v4 z = L->a.R.z;
  lb_motion F = {lb_v4_zero(), lb_v4_zero()};
  if (j->kind == LB_JOINT_SPHERICAL) {
    F.w = -(lb_m3_apply(*turn, x.w) * j->stiffness + y.w * j->damping);
  } else if (j->kind == LB_JOINT_UNIVERSAL) {
    F.w = cross_change(j, L, x, y);
  } else if (j->kind == LB_JOINT_REVOLUTE) {
    F.w = z * -(j->stiffness * angle_change(L, x.w) + j->damping * lb_v4_dot(z, y.w));
  } else if (j->kind == LB_JOINT_PRISMATIC) {
    F.v = z * -(j->stiffness * lb_v4_dot(z, x.v) + j->damping * lb_v4_dot(z, y.v));
  }
  return F;
}

static void differentiate_spring(lb_derivatives* D, lb_data* d, int i) {
  const lb_scene_joint* j = &D->model->loop[i];
  const loop L = open_loop(D, d, i);
  const lb_m3 turn = turn_matrix(&L);
  for (int k = L.begin[0]; k < L.end[1]; k = next(&L, k)) {
    L.on_b[k] = spring_change(j, &L, &turn, apart(&L, k), rate_apart(&L, k));
  }
  push_pair(D, &L, lb_loop_spring(D->model, d, i), L.on_b);
  const lb_motion still = {lb_v4_zero(), lb_v4_zero()};
  for (int k = L.begin[0]; k < L.end[1]; k = next(&L, k)) {
    L.on_b[k] = spring_change(j, &L, &turn, still, apart(&L, k));
  }
  push_pair_rate(D, &L, L.on_b);
}

static bool is_sprung(const lb_scene_joint* j) {
  return j->stiffness > 0 || j->damping > 0;
}

void lb_loop_differentiate_springs(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nloop; i++) {
    if (is_sprung(&m->loop[i])) {
      differentiate_spring(D, d, i);
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_loop[i] >= 0 && m->motor_drive[i] == LB_DRIVE_FORCE) {
      const loop L = open_loop(D, d, m->motor_loop[i]);
      const lb_motion unit = lb_loop_motor(m, d, i);
      const double push = d->motor_force[i]; // by lb_forces_apply
      push_pair(D, &L, (lb_motion){unit.w * push, unit.v * push}, L.on_b);
    }
  }
}

// --- stiffness and damping of linearly implicit steps ---
//
// Springs and dampers along the axes that a joint leaves free, z of a and, of a universal joint, x
// of b; of a ball joint about all of them:
//
//   dF = -sum axis (stiffness axis.x + damping axis.u)   on b, its opposite on a
//
// with x and u how b moves as seen from a at P. How forces turn with the bodies is left out.

// What b does as seen from a, along displacements and changes of velocities.
typedef struct parting {
  lb_motion x, u;
} parting;

static lb_v4 resist_along(const lb_scene_joint* j, lb_v4 axis, lb_v4 x, lb_v4 u) {
  return axis * -(j->stiffness * lb_v4_dot(axis, x) + j->damping * lb_v4_dot(axis, u));
}

static lb_motion resistance(const lb_scene_joint* j, const loop* L, parting p) {
  const lb_v4 z = L->a.R.z;
  lb_motion F = lb_motion_zero();
  if (j->kind == LB_JOINT_SPHERICAL) {
    F.w = -(p.x.w * j->stiffness + p.u.w * j->damping);
  } else if (j->kind == LB_JOINT_PRISMATIC) {
    F.v = resist_along(j, z, p.x.v, p.u.v);
  } else {
    F.w = resist_along(j, z, p.x.w, p.u.w);
  }
  if (j->kind == LB_JOINT_UNIVERSAL) {
    F.w += resist_along(j, L->b.R.x, p.x.w, p.u.w);
  }
  return F;
}

void lb_loop_stiffen_springs(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  double* const to[] = {D->tau_q, D->tau_qd};
  for (int i = 0; i < m->nloop; i++) {
    if (!is_sprung(&m->loop[i])) {
      continue;
    }
    const loop L = open_loop(D, d, i);
    for (int side = 0; side < 2; side++) {
      for (int k = L.begin[0]; k < L.end[1]; k = next(&L, k)) {
        const parting p = {side ? lb_motion_zero() : apart(&L, k),
                           side ? apart(&L, k) : lb_motion_zero()};
        L.on_b[k] = resistance(&m->loop[i], &L, p);
        L.on_a[k] = lb_motion_scale(-1, L.on_b[k]);
      }
      lb_derive_force(D, to[side], L.Sa, L.on_a);
      lb_derive_force(D, to[side], L.Sb, L.on_b);
    }
  }
}

double lb_loop_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                                int k, const double* mu) {
  const loop L = open_loop(D, d, i);
  const lb_motion F = lb_loop_spring_slope(D->model, d, i, number, k);
  double sum = 0;
  for (int v = L.begin[0]; v < L.end[1]; v = next(&L, v)) {
    sum += mu[v] * lb_motion_dot(F, apart(&L, v));
  }
  return sum;
}

void lb_loop_motor_direction(const lb_derivatives* D, const lb_data* d, int motor, double* out) {
  const loop L = open_loop(D, d, D->model->motor_loop[motor]);
  const lb_motion unit = lb_loop_motor(D->model, d, motor);
  for (int k = 0; k < D->model->nv; k++) {
    out[k] = lb_motion_dot(unit, apart(&L, k));
  }
}

// --- coordinates of joints ---

// Of one coordinate, when b moves by x as seen from a. That of a ball is counted along its
// velocity.
static double coordinate_change(const loop* L, const lb_loop_axis* axis, lb_joint_kind kind, int k,
                                lb_motion x) {
  return axis->slides                 ? lb_v4_dot(axis->e, x.v)
         : kind == LB_JOINT_SPHERICAL ? lb_v4_dot(axis->e, x.w)
         : k == 0                     ? angle_change(L, x.w)
                                      : second_angle_change(L, x.w);
}

int lb_loop_differentiate_coordinates(const lb_derivatives* D, const lb_data* d, int i, double* q_q,
                                      double* qd_q, double* qd_qd) {
  const int nv = D->model->nv;
  const loop L = open_loop(D, d, i);
  lb_loop_axis axis[3];
  const int n = lb_loop_axes(D->model, d, i, axis);
  for (int k = 0; k < n * nv; k++) {
    q_q[k] = qd_q[k] = qd_qd[k] = 0;
  }
  for (int j = 0; j < n; j++) {
    const lb_v4 e = axis[j].e;
    for (int k = L.begin[0]; k < L.end[1]; k = next(&L, k)) {
      const lb_motion x = apart(&L, k), y = rate_apart(&L, k);
      const lb_v4 turn = axis[j].with_b ? lb_v4_cross(x.w, e) : lb_v4_zero();
      q_q[j * nv + k] = coordinate_change(&L, &axis[j], D->model->loop[i].kind, j, x);
      qd_q[j * nv + k] = lb_v4_dot(e, axis[j].slides ? y.v : y.w) + lb_v4_dot(turn, L.b.w - L.a.w);
      qd_qd[j * nv + k] = lb_v4_dot(e, axis[j].slides ? x.v : x.w);
    }
  }
  return n;
}

// --- rows ---

// The rotation vector that takes a's z axis to b's is z_a x z_b times g = angle / sine; its
// component along e when b turns by t as seen from a.
static double tilt_change(const loop* L, lb_v4 e, lb_v4 t) {
  const lb_v4 za = L->a.R.z, zb = L->b.R.z;
  const lb_v4 across = lb_v4_cross(za, zb), dacross = lb_v4_cross(za, lb_v4_cross(t, zb));
  const double sine = sqrt(lb_v4_dot(across, across)), cosine = lb_v4_dot(za, zb);
  if (!(sine > 1e-7)) { // g = 1 + sine^2 / 6
    return lb_v4_dot(e, dacross);
  }
  const double g = atan2(sine, cosine) / sine;
  const double dcosine = lb_v4_dot(za, lb_v4_cross(t, zb));
  const double dsine = lb_v4_dot(across, dacross) / sine;
  const double dangle = cosine * dsine - sine * dcosine;
  return lb_v4_dot(e, dacross) * g + lb_v4_dot(e, across) * (dangle - g * dsine) / sine;
}

// How a gap changes when b moves by x as seen from a.
static double gap_change(const loop* L, const lb_m3* turn, const lb_constraint_row* row,
                         lb_motion x) {
  switch (row->kind) {
  case LB_GAP_SHIFT:
    return lb_v4_dot(row->e, x.v);
  case LB_GAP_TURN:
    return lb_v4_dot(row->e, lb_m3_apply(*turn, x.w));
  case LB_GAP_TILT:
    return tilt_change(L, row->e, x.w);
  case LB_GAP_SQUARE:
    return lb_v4_dot(row->e, x.w);
  case LB_GAP_ANGLE:
  case LB_GAP_COUPLING:
    break;
  }
  return angle_change(L, x.w);
}

static void differentiate_row(const loop* L, const lb_m3* turn, const lb_constraint_row* row,
                              double* gap_q, double* rate_q, double* J) {
  const bool shift = row->kind == LB_GAP_SHIFT;
  for (int k = L->begin[0]; k < L->end[1]; k = next(L, k)) {
    const lb_motion x = apart(L, k), y = rate_apart(L, k);
    gap_q[k] = row->velocity_level ? 0 : gap_change(L, turn, row, x);
    rate_q[k] = lb_v4_dot(row->e, shift ? y.v : y.w) +
                lb_v4_dot(direction_change(L, row->kind, x.w), L->b.w - L->a.w);
    J[k] = lb_v4_dot(row->e, shift ? x.v : x.w);
  }
}

// Couplings are linear: their factors are all there is.
static void differentiate_couplings(const lb_model* m, const lb_data* d, double* gap_q, double* J) {
  const size_t nv = (size_t)m->nv;
  for (int r = 0; r < lb_constraints_count(d); r++) {
    const lb_constraint_row row = lb_constraints_row(d, r);
    const size_t at = (size_t)r * nv;
    if (row.coupling >= 0) {
      lb_coupling_row(m, row.coupling, row.velocity_level ? 0 : row.sign, true, gap_q + at);
      lb_coupling_row(m, row.coupling, row.sign, true, J + at);
    }
  }
}

void lb_constraints_drop_rounding(const lb_derivatives* D, lb_data* d, double* J) {
  const lb_model *m = d->model, *links = D->model;
  const int count = lb_constraints_count(d);
  const double* from = count > 0 ? lb_constraints_jacobian(m, d) : NULL;
  for (int r = 0; r < count; r++) {
    for (int k = 0; k < links->nv; k++) {
      if (from[r * m->nv + k] == 0 && !links->v_driven[k]) {
        J[r * links->nv + k] = 0;
      }
    }
  }
}

void lb_constraints_differentiate_rows(lb_derivatives* D, lb_data* d, double* gap_q, double* rate_q,
                                       double* J) {
  const int nv = D->model->nv, count = lb_constraints_count(d);
  const size_t size = (size_t)count * (size_t)nv * sizeof(double);
  memset(gap_q, 0, size);
  memset(rate_q, 0, size);
  memset(J, 0, size);
  differentiate_couplings(D->model, d, gap_q, J);
  for (int i = 0; i < D->model->nloop; i++) {
    const loop L = open_loop(D, d, i);
    const lb_m3 turn = turn_matrix(&L);
    for (int r = 0; r < count; r++) {
      const lb_constraint_row row = lb_constraints_row(d, r);
      const size_t at = (size_t)r * (size_t)nv;
      if (row.loop == i) {
        differentiate_row(&L, &turn, &row, gap_q + at, rate_q + at, J + at);
      }
    }
  }
  lb_constraints_drop_rounding(D, d, J);
}
