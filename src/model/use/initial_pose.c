#include "model/use/initial_pose.h"

#include "math/curve/chart.h"
#include "model/use/link.h"

lb_transform lb_joint_turn(const lb_scene_joint* joint) {
  lb_transform X = lb_transform_identity();
  if (joint->kind == LB_JOINT_UNIVERSAL) {
    const lb_vec3 y = lb_vec3_cross(joint->axis, joint->axis2);
    X.q = lb_quat_from_matrix((lb_mat3){joint->axis2, y, joint->axis});
  } else if (joint->kind == LB_JOINT_REVOLUTE || joint->kind == LB_JOINT_PRISMATIC) {
    X.q = lb_quat_from_z(joint->axis);
  }
  return X;
}

lb_transform lb_joint_pose(int kind, const lb_chart* chart, const double* q) {
  lb_transform X = lb_transform_identity();
  if (chart) {
    lb_chart_at at;
    lb_chart_evaluate(chart, &at, q, NULL, LB_CHART_PLACE);
    return (lb_transform){lb_quat_from_matrix(lb_m3_mat3(at.R)), lb_v4_vec3(at.p)};
  }
  switch (kind) {
  case LB_JOINT_REVOLUTE:
    X.q = (lb_quat){cos(0.5 * q[0]), 0, 0, sin(0.5 * q[0])};
    break;
  case LB_JOINT_PRISMATIC:
    X.p.z = q[0];
    break;
  case LB_JOINT_UNIVERSAL:
    X.q = lb_quat_mul((lb_quat){cos(0.5 * q[0]), 0, 0, sin(0.5 * q[0])},
                      (lb_quat){cos(0.5 * q[1]), sin(0.5 * q[1]), 0, 0});
    break;
  case LB_JOINT_SPHERICAL:
    X.q = lb_quat_normalise((lb_quat){q[0], q[1], q[2], q[3]});
    break;
  case LB_JOINT_FREE:
    X.p = lb_vec3_make(q[0], q[1], q[2]);
    X.q = lb_quat_normalise((lb_quat){q[3], q[4], q[5], q[6]});
    break;
  default: // a face is undeformed
    break;
  }
  return X;
}

void lb_link_poses(const lb_model* m, lb_transform* pose, const double* q) {
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link.parent[i];
    const lb_transform X = lb_transform_mul(
        m->link.in_parent[i], lb_joint_pose(m->link.kind[i], m->link.chart[i], q + m->link.q[i]));
    pose[i] = p == LB_WORLD ? X : lb_transform_mul(pose[p], X);
  }
}

lb_transform lb_body_pose(const lb_model* m, int body, const lb_transform* link_pose) {
  const int link = m->body.link[body];
  return link == LB_WORLD ? m->body.in_link[body]
                          : lb_transform_mul(link_pose[link], m->body.in_link[body]);
}

// Elastic bodies start without any.
lb_velocity lb_joint_velocity(int kind, const lb_chart* chart, const double* q, const double* qd) {
  if (chart) {
    lb_chart_at at;
    lb_chart_evaluate(chart, &at, q, qd, LB_CHART_MOVE);
    return (lb_velocity){lb_v4_vec3(at.V.w), lb_v4_vec3(at.V.v)};
  }
  switch (kind) {
  case LB_JOINT_REVOLUTE:
    return (lb_velocity){{0, 0, qd[0]}, {0, 0, 0}};
  case LB_JOINT_PRISMATIC:
    return (lb_velocity){{0, 0, 0}, {0, 0, qd[0]}};
  case LB_JOINT_UNIVERSAL: // the first axis, z, is seen turned back by q1 about x
    return (lb_velocity){{qd[1], qd[0] * sin(q[1]), qd[0] * cos(q[1])}, {0, 0, 0}};
  case LB_JOINT_SPHERICAL:
    return (lb_velocity){{qd[0], qd[1], qd[2]}, {0, 0, 0}};
  case LB_JOINT_FREE:
    return (lb_velocity){{qd[0], qd[1], qd[2]}, {qd[3], qd[4], qd[5]}};
  default:
    return (lb_velocity){{0, 0, 0}, {0, 0, 0}};
  }
}

void lb_link_velocities(const lb_model* m, lb_velocity* velocity, const lb_transform* pose,
                        const double* q, const double* qd) {
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link.parent[i];
    const lb_velocity own =
        lb_joint_velocity(m->link.kind[i], m->link.chart[i], q + m->link.q[i], qd + m->link.v[i]);
    velocity[i].w = lb_quat_rotate(pose[i].q, own.w);
    velocity[i].v = lb_quat_rotate(pose[i].q, own.v);
    if (p != LB_WORLD) {
      const lb_velocity carried = lb_velocity_at(velocity[p], pose[p].p, pose[i].p);
      velocity[i].w = lb_vec3_add(velocity[i].w, carried.w);
      velocity[i].v = lb_vec3_add(velocity[i].v, carried.v);
    }
  }
}

lb_anchor lb_model_anchor(const lb_model* m, int body, int face, lb_transform in_body) {
  if (body == LB_WORLD) {
    return (lb_anchor){LB_WORLD, in_body};
  }
  const int link = m->body.link[body];
  if (link == LB_WORLD || !lb_link_is_elastic(m->link.kind[link]) || face < 0) {
    return (lb_anchor){link, lb_transform_mul(m->body.in_link[body], in_body)};
  }
  // the faces' links follow the body's; undeformed, a face's frame sits at its centroid in the
  // body's axes, and an effector's where the mechanism is in equilibrium
  const lb_transform rest = m->link.in_parent[link + 1 + face];
  return (lb_anchor){link + 1 + face, lb_transform_mul(lb_transform_inverse(rest), in_body)};
}
