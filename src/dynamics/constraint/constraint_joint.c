// Coordinates of joints that close loops, as joints of the tree have them: what a recording or a
// goal asks for that has to be measured.
#include "dynamics/constraint/constraint_rows.h"

// Directions of the velocities, in the world, and whether each turns with b; else with a.
int lb_loop_axes(const lb_model* m, const lb_data* d, int i, lb_loop_axis axis[3]) {
  const lb_m3 Ra = lb_loop_end_of(d, i, 0).R, Rb = lb_loop_end_of(d, i, 1).R;
  switch (m->loop[i].kind) {
  case LB_JOINT_REVOLUTE:
  case LB_JOINT_PRISMATIC:
    axis[0] = (lb_loop_axis){Ra.z, false, m->loop[i].kind == LB_JOINT_PRISMATIC};
    return 1;
  case LB_JOINT_UNIVERSAL:
    axis[0] = (lb_loop_axis){Ra.z, false, false};
    axis[1] = (lb_loop_axis){Rb.x, true, false};
    return 2;
  case LB_JOINT_SPHERICAL:
    axis[0] = (lb_loop_axis){Rb.x, true, false};
    axis[1] = (lb_loop_axis){Rb.y, true, false};
    axis[2] = (lb_loop_axis){Rb.z, true, false};
    return 3;
  default:
    return 0;
  }
}

static void find_place(lb_joint_kind kind, const lb_frame_motion* a, const lb_frame_motion* b,
                       double* q) {
  if (kind == LB_JOINT_REVOLUTE) {
    q[0] = lb_hinge_angle(a, b);
  } else if (kind == LB_JOINT_PRISMATIC) {
    q[0] = lb_v4_dot(a->R.z, b->p - a->p);
  } else if (kind == LB_JOINT_UNIVERSAL) {
    lb_cross_angles(a, b, q);
  } else if (kind == LB_JOINT_SPHERICAL) {
    const lb_m3 R = lb_m3_mul(lb_m3_transpose(a->R), b->R);
    const lb_quat r = lb_quat_from_matrix(lb_m3_mat3(R));
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
}

int lb_loop_coordinates(const lb_model* m, const lb_data* d, int i, double* q, double* qd) {
  const lb_frame* frame = d->work->constraints->frame + 2 * (size_t)i;
  const lb_frame_motion a = lb_frame_move(d->work, &frame[0]);
  const lb_frame_motion b = lb_frame_move(d->work, &frame[1]);
  const lb_v4 slip = b.v - a.v - lb_v4_cross(a.w, b.p - a.p);
  lb_loop_axis axis[3];
  const int n = lb_loop_axes(m, d, i, axis);
  find_place(m->loop[i].kind, &a, &b, q);
  for (int k = 0; k < n; k++) {
    qd[k] = lb_v4_dot(axis[k].e, axis[k].slides ? slip : b.w - a.w);
  }
  return n;
}
