// Motors inside reduced mechanisms, by how far their targets have moved since the equilibrium:
//
//   (1)  tau_y = A'(kp (f(t) - f(0)) + kd f'(t))
//
// where q = q_e + A y. Springs and dampers to the first target are part of the mechanism. They act
// along y alone, as forces between the parts of a body do: they move nothing as a whole. Of several
// models, q = q_e + A z and tau_y = J'A'(...) with amplitudes z (elastic/reduced/curved.h).
#include "dynamics/force/channel.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/mechanism_pose.h"
#include "limber/profile.h"
#include "math/linear/dense.h"

static int count(const lb_model* m) {
  return m->mechanism.nmotor;
}

// Force (1) along the coordinate of a motor, which counts as number `number`.
static double effort(const lb_model* m, const lb_data* d, const lb_model_inner_motor* motor,
                     int number) {
  double start[3], now[3];
  lb_profile_evaluate(motor->profile, 0, start);
  lb_motor_evaluate(m, d, number, now);
  return motor->stiffness * (now[0] - start[0]) + motor->damping * now[1];
}

// Torque of a servo by where its joint is, kp (f - q_e - A y) + kd (f' - A y'); or the force.
static double torque(const lb_model* m, const lb_data* d, int mechanism,
                     const lb_model_inner_motor* motor, int number) {
  const lb_mechanism_state at = lb_mechanism_amplitudes(m, d, mechanism);
  const int count = m->mechanism.item[mechanism].count;
  double f[3];
  lb_motor_evaluate(m, d, number, f);
  const double moved = lb_dot(count, motor->along, at.y);
  const double rate = lb_dot(count, motor->along, at.rate);
  return motor->servo
             ? motor->stiffness * (f[0] - motor->q - moved) + motor->damping * (f[1] - rate)
             : f[0];
}

// State of the body that stands for a mechanism where it has several models, else NULL.
static const lb_curved_state* curved_of(const lb_model* m, const lb_data* d,
                                        const lb_model_mechanism* of) {
  return d->work->state[m->body.link[of->body]].elastic->curved;
}

static void apply(const lb_model* m, lb_data* d) {
  int number = m->nmotor;
  for (int i = 0; i < m->mechanism.count; i++) {
    const lb_model_mechanism* of = &m->mechanism.item[i];
    const lb_curved_state* curved = curved_of(m, d, of);
    double* tau = d->work->tau + m->link.v[m->body.link[of->body]];
    for (int k = 0; k < of->nmotor; k++, number++) {
      const double pull = effort(m, d, &of->motor[k], number), *along = of->motor[k].along;
      for (int z = 0; curved && z < of->count; z++) {
        lb_add(curved->r, tau, pull * along[z], curved->J + z * curved->r);
      }
      if (!curved) {
        lb_add(of->count, tau, pull, along);
      }
      d->motor_force[number] = torque(m, d, i, &of->motor[k], number);
    }
  }
}

// J changes with y.
static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  int number = m->nmotor;
  (void)symmetric;
  for (int i = 0; i < m->mechanism.count; i++) {
    const lb_model_mechanism* of = &m->mechanism.item[i];
    const lb_curved_state* curved = curved_of(m, d, of);
    double* K = D->tau_q + (size_t)m->link.v[m->body.link[of->body]] * ((size_t)m->nv + 1);
    for (int k = 0; k < of->nmotor; k++, number++) {
      const double pull = effort(m, d, &of->motor[k], number);
      for (int z = 0; curved && z < of->count; z++) {
        curved->Q[z] = -pull * of->motor[k].along[z];
      }
      if (curved) {
        lb_curved_bend_force(curved, curved->Q, K, m->nv);
      }
    }
  }
}

static void measure(lb_channel_walk* w) {
  int number = w->m->nmotor;
  for (int i = 0; i < w->m->mechanism.count; i++) {
    const lb_model_mechanism* of = &w->m->mechanism.item[i];
    for (int k = 0; k < of->nmotor; k++, number++) {
      const lb_model_inner_motor* motor = &of->motor[k];
      lb_channel_put(w, motor->name,
                     motor->slides ? LB_CHANNEL_MOTOR_FORCE : LB_CHANNEL_MOTOR_TORQUE,
                     w->d ? torque(w->m, w->d, i, motor, number) : 0, "force");
    }
  }
}

const lb_force lb_force_inner_motor = {.name = "motor inside a mechanism",
                                       .count = count,
                                       .apply = apply,
                                       .differentiate = differentiate,
                                       .measure = measure};
