// The system's accelerations under everything that acts on it.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/force/particles.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/mechanism_pose.h"
#include "dynamics/tree/aba.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "model/use/motor_use.h"

void lb_drive(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int j = m->motor.joint[i];
      double value[3];
      lb_motor_evaluate(m, d, i, value);
      d->q[m->joint.q[j]] = value[0];
      d->qd[m->joint.v[j]] = value[1];
      d->qdd[m->joint.v[j]] = value[2];
    }
  }
}

// Prescribed accelerations become part of what velocities bring.
static void accelerate_driven(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int link = m->joint.link[m->motor.joint[i]];
      lb_state* s = &d->work->state[link];
      LB_JOINT[m->link.kind[link]]->accelerate(&s->c_al, &s->c_a, s, d->qdd + m->link.v[link]);
    }
  }
}

// Motor forces where there are elastic bodies: inverse dynamics gives those of all coordinates.
static void read_motors_elastic(const lb_model* m, lb_data* d) {
  lb_work* w = d->work;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int v = m->motor.v[i];
      d->motor_force[i] = w->bias[v] - w->tau[v];
    }
  }
}

// Forces of position motors: the force through the joint along its axis, less that of springs and
// dampers on the coordinate.
static void read_motors(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int link = m->joint.link[m->motor.joint[i]];
      const int v = m->link.v[link];
      const lb_state* s = &d->work->state[link];
      const lb_v4 n = lb_m3_apply(s->IA.A, s->al) + lb_m3_apply_transposed(s->IA.G, s->a) + s->IA.n;
      const lb_v4 f = lb_m3_apply(s->IA.G, s->al) + lb_m3_apply(s->IA.C, s->a) + s->IA.f;
      double through = 0;
      LB_JOINT[m->link.kind[link]]->project(&through, s, n, f);
      d->motor_force[i] = through + m->dof.armature[v] * d->qdd[v] - d->work->tau[v];
    }
  }
}

// Accelerations under the forces in the work space: linear in the links where all are rigid.
static void solve(const lb_model* m, lb_data* d) {
  if (m->elastic.count > 0) {
    lb_elastic_solve(m, d, d->qdd, d->work->tau);
  } else {
    lb_aba_solve(m, d, d->qdd, d->work->tau, true);
  }
  lb_particles_accelerate(m, d->qdd, d->work->tau);
}

void lb_forward(const lb_model* m, lb_data* d) {
  lb_drive(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  accelerate_driven(m, d);
  lb_forces_apply(m, d);
  solve(m, d);
  if (d->work->constraints) {
    lb_constraints_apply(m, d);
    solve(m, d);
    lb_constraints_accelerate(m, d);
  }
  if (m->elastic.count > 0) {
    read_motors_elastic(m, d);
  } else {
    read_motors(m, d);
  }
}

void lb_react(const lb_model* m, lb_data* d, const double* lambda) {
  lb_update(m, d, LB_FORCED);
  if (d->work->constraints) {
    lb_constraints_apply_multipliers(m, d, LB_SET_ACTIVE, lambda);
  }
  lb_rnea_forced(m, d, d->work->bias, d->q, d->qd, d->qdd);
  read_motors_elastic(m, d);
}

double lb_project_set(const lb_model* m, lb_data* d, lb_constraint_set set) {
  lb_drive(m, d);
  lb_normalise(m, d->q);
  return lb_constraints_project(m, d, set, NULL);
}

double lb_project(const lb_model* m, lb_data* d) {
  return lb_project_set(m, d, LB_SET_ACTIVE);
}

void lb_poses(const lb_model* m, lb_data* d) {
  lb_work* w = d->work;
  lb_place_hinges(m, w, d->q);
  for (int i = 0; i < m->nlink; i++) {
    lb_link_place(m, w, i, d->q);
  }
  for (int i = 0; i < m->nbody; i++) {
    d->pose[i] = m->body.in_link[i];
    if (m->body.link[i] != LB_WORLD) {
      const lb_state* s = &w->state[m->body.link[i]];
      const lb_transform X = {lb_quat_from_matrix(lb_m3_mat3(s->R)), lb_v4_vec3(s->p)};
      d->pose[i] = lb_transform_mul(X, m->body.in_link[i]);
    }
  }
  lb_mechanisms_pose(m, d);
}
