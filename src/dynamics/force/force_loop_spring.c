// Springs, dampers and force motors on joints that close loops.
#include <math.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"

// Loops that something acts on beside their constraints.
static int loop_count(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nloop; i++) {
    count += m->loop[i].stiffness != 0 || m->loop[i].damping != 0;
  }
  for (int i = 0; i < m->nmotor; i++) {
    count += m->motor_loop[i] >= 0;
  }
  return count;
}

static void cross_stretch(const lb_scene_joint* j, const lb_frame_motion* a,
                          const lb_frame_motion* b, double stretch[2]) {
  lb_cross_angles(a, b, stretch);
  for (int k = 0; k < 2; k++) {
    stretch[k] = remainder(stretch[k] - j->rest[k], 2 * M_PI);
  }
}

// A ball's spring pulls along the rotation vector, the others' along their coordinates.
static lb_motion spring_force(const lb_data* d, const lb_scene_joint* j, int i) {
  const lb_constraints* L = d->work->constraints;
  const lb_frame *fa = &L->frame[2 * i], *fb = &L->frame[2 * i + 1];
  const lb_frame_motion a = lb_frame_move(d->work, fa);
  const lb_frame_motion b = lb_frame_move(d->work, fb);
  lb_v4 n = lb_v4_zero(), f = lb_v4_zero();
  if (j->kind == LB_JOINT_SPHERICAL) {
    n = -(lb_rotation_between(&a, &b, false) * j->stiffness + (b.w - a.w) * j->damping);
  } else if (j->kind == LB_JOINT_UNIVERSAL) {
    double stretch[2];
    cross_stretch(j, &a, &b, stretch);
    const lb_v4 axis[2] = {a.R.z, b.R.x};
    for (int k = 0; k < 2; k++) {
      n -= axis[k] * (j->stiffness * stretch[k] + j->damping * lb_v4_dot(axis[k], b.w - a.w));
    }
  } else if (j->kind == LB_JOINT_REVOLUTE) {
    const double angle = remainder(lb_hinge_angle(&a, &b) - j->rest[0], 2 * M_PI);
    n = a.R.z * -(j->stiffness * angle + j->damping * lb_v4_dot(a.R.z, b.w - a.w));
  } else if (j->kind == LB_JOINT_PRISMATIC) {
    const lb_v4 apart = b.p - a.p;
    const double rate = lb_v4_dot(a.R.z, b.v - a.v - lb_v4_cross(a.w, apart));
    f = a.R.z * -(j->stiffness * (lb_v4_dot(a.R.z, apart) - j->rest[0]) + j->damping * rate);
  }
  return (lb_motion){n, f};
}

// What pulls along each of a joint's freedoms: how far and how fast b moves along them seen from a.
int lb_constraints_spring_rows(const lb_model* m, const lb_data* d, int i, lb_constraint row[3]) {
  const lb_scene_joint* j = &m->loop[i];
  if (j->stiffness == 0 && j->damping == 0) {
    return 0;
  }
  const lb_constraints* L = d->work->constraints;
  const lb_frame *fa = &L->frame[2 * i], *fb = &L->frame[2 * i + 1];
  const lb_frame_motion a = lb_frame_move(d->work, fa), b = lb_frame_move(d->work, fb);
  const bool ball = j->kind == LB_JOINT_SPHERICAL, cross = j->kind == LB_JOINT_UNIVERSAL;
  const lb_v4 axis[3] = {ball ? a.R.x : a.R.z, ball ? a.R.y : b.R.x, a.R.z};
  const int count = ball ? 3 : cross ? 2 : j->kind == LB_JOINT_FIXED ? 0 : 1;
  const bool turns = j->kind != LB_JOINT_PRISMATIC;
  const lb_v4 rate = turns ? b.w - a.w : b.v - a.v - lb_v4_cross(a.w, b.p - a.p);
  for (int k = 0; k < count; k++) {
    row[k] = (lb_constraint){.a = fa,
                             .b = fb,
                             .coupling = -1,
                             .turns = turns,
                             .e = axis[k],
                             .at = b.p,
                             .cd = lb_v4_dot(axis[k], rate)};
  }
  return count;
}

lb_motion lb_loop_spring(const lb_model* m, const lb_data* d, int i) {
  return spring_force(d, &m->loop[i], i);
}

// It is linear in stiffness and damping, and a rest pulls along its axis with the stiffness.
lb_motion lb_loop_spring_slope(const lb_model* m, const lb_data* d, int i, lb_spring_number number,
                               int k) {
  lb_scene_joint unit = m->loop[i];
  const lb_m3 Ra = lb_loop_end_of(d, i, 0).R, Rb = lb_loop_end_of(d, i, 1).R;
  const double pull = number == LB_SPRING_REST ? unit.stiffness : 0;
  unit.stiffness = number == LB_SPRING_STIFFNESS;
  unit.damping = number == LB_SPRING_DAMPING;
  if (number != LB_SPRING_REST) {
    return spring_force(d, &unit, i);
  }
  const bool slides = unit.kind == LB_JOINT_PRISMATIC;
  const lb_v4 along = (k == 0 ? Ra.z : Rb.x) * pull;
  return (lb_motion){slides ? lb_v4_zero() : along, slides ? along : lb_v4_zero()};
}

lb_motion lb_loop_motor(const lb_model* m, const lb_data* d, int i) {
  const lb_frame_motion a =
      lb_frame_move(d->work, &d->work->constraints->frame[2 * m->motor_loop[i]]);
  const bool turns = m->loop[m->motor_loop[i]].kind == LB_JOINT_REVOLUTE;
  return (lb_motion){turns ? a.R.z : lb_v4_zero(), turns ? lb_v4_zero() : a.R.z};
}

// A force at b's origin on b's link, and its opposite on a's.
static void push_pair(lb_data* d, int loop, lb_motion F) {
  const lb_loop_end a = lb_loop_end_of(d, loop, 0), b = lb_loop_end_of(d, loop, 1);
  lb_link_add_wrench(d->work, b.link, b.p, F.w, F.v);
  lb_link_add_wrench(d->work, a.link, b.p, -F.w, -F.v);
}

void lb_loop_apply_motor(const lb_model* m, lb_data* d, int i, double force) {
  const lb_motion unit = lb_loop_motor(m, d, i);
  push_pair(d, m->motor_loop[i], (lb_motion){unit.w * force, unit.v * force});
}

lb_motion lb_loop_wrench(const lb_model* m, const lb_data* d, int i) {
  const lb_constraints* L = d->work->constraints;
  lb_motion F = lb_loop_spring(m, d, i);
  for (int k = 0; k < L->nrow; k++) {
    const lb_constraint* r = &L->row[k];
    if (r->a == &L->frame[2 * i]) {
      *(r->turns ? &F.w : &F.v) += r->e * L->x[k];
    }
  }
  for (int k = 0; k < m->nmotor; k++) {
    if (m->motor_loop[k] == i && m->motor_drive[k] == LB_DRIVE_FORCE) {
      const lb_motion unit = lb_loop_motor(m, d, k);
      F.w += unit.w * d->motor_force[k];
      F.v += unit.v * d->motor_force[k];
    }
  }
  return F;
}

static void loop_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].stiffness > 0 || m->loop[i].damping > 0) {
      push_pair(d, i, lb_loop_spring(m, d, i));
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_loop[i] >= 0 && m->motor_drive[i] == LB_DRIVE_FORCE) {
      double value[3];
      lb_motor_evaluate(m, d, i, value);
      d->motor_force[i] = value[0];
      lb_loop_apply_motor(m, d, i, value[0]);
    }
  }
}

static double loop_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nloop; i++) {
    const lb_scene_joint* j = &m->loop[i];
    const lb_frame_motion a = lb_frame_move(d->work, &d->work->constraints->frame[2 * i]);
    const lb_frame_motion b = lb_frame_move(d->work, &d->work->constraints->frame[2 * i + 1]);
    double x = 0;
    if (j->kind == LB_JOINT_SPHERICAL) {
      const lb_v4 v = lb_rotation_between(&a, &b, false);
      x = sqrt(lb_v4_dot(v, v));
    } else if (j->kind == LB_JOINT_UNIVERSAL) {
      double stretch[2];
      cross_stretch(j, &a, &b, stretch);
      x = hypot(stretch[0], stretch[1]);
    } else if (j->kind == LB_JOINT_REVOLUTE) {
      x = remainder(lb_hinge_angle(&a, &b) - j->rest[0], 2 * M_PI);
    } else if (j->kind == LB_JOINT_PRISMATIC) {
      x = lb_v4_dot(a.R.z, b.p - a.p) - j->rest[0];
    }
    sum += 0.5 * j->stiffness * x * x;
  }
  return sum;
}

const lb_force lb_force_loop = {.name = "loop joint",
                                .count = loop_count,
                                .apply = loop_apply,
                                .energy = loop_energy,
                                .differentiate = lb_loop_differentiate_springs,
                                .on_links = true,
                                .stiffen = lb_loop_stiffen_springs};
