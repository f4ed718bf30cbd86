// Servos as forces: a spring and a damper to the target f(t) of the motor's profile, within a
// limit,
//
//   (1)  tau = clamp(kp (f - q) + kd (f' - qd), -limit, limit)
//
// on coordinates of the tree, or on those of joints that close loops. Its slopes, -kp and -kd,
// vanish at the limit. That is how explicit steps and equilibria see servos. Other steps solve for
// them with the impulses of contacts instead (contact_constraints.c).
#include <math.h>

#include "dynamics/constraint/constraint_derivative.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"
#include "dynamics/force/servo.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/motor_use.h"

// A servo at a state.
typedef struct servo {
  int v;                     // its velocity, or -1: it is on a loop
  double wanted;             // (1) without the limit
  double force;              // tau
  double stiffness, damping; // slopes, as they act
} servo;

static servo find(const lb_model* m, const lb_data* d, int i) {
  const lb_model_servo* s = &m->motor.servo[i];
  const lb_servo_place at = lb_servo_find(m, d, i);
  double f[3];
  lb_motor_evaluate(m, d, s->motor, f);
  const double wanted = s->stiffness * (f[0] - at.q) + s->damping * (f[1] - at.qd);
  const bool bound = s->limit > 0 && fabs(wanted) > s->limit;
  return (servo){.v = m->motor.v[s->motor],
                 .wanted = wanted,
                 .force = bound ? copysign(s->limit, wanted) : wanted,
                 .stiffness = bound ? 0 : s->stiffness,
                 .damping = bound ? 0 : s->damping};
}

static int count(const lb_model* m) {
  return lb_servos_as_forces(m);
}

static void apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->motor.nservo; i++) {
    const double force = find(m, d, i).force;
    d->motor_force[m->motor.servo[i].motor] = force;
    lb_servo_push(m, d, i, force);
  }
}

static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
  if (out) {
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; out && i < m->motor.nservo; i++) {
    const double limit = m->motor.servo[i].limit;
    out[i] = lb_switching_smooth(find(m, d, i).wanted);
    if (limit > 0) {
      lb_switching_kink(&out[i], -limit);
      lb_switching_kink(&out[i], limit);
    }
  }
  return m->motor.nservo;
}

// A spring and damper along the angle of a loop.
static void differentiate_on_loop(lb_derivatives* D, lb_data* d, int i, servo s, bool symmetric) {
  const lb_constraint_row row = lb_servo_row_of(D->model, d, i);
  const int loop = D->model->motor.loop[D->model->motor.servo[i].motor];
  const lb_row_spring by = {s.stiffness, s.damping, -s.force};
  lb_motion F = lb_motion_zero();
  *(row.turns ? &F.w : &F.v) = row.e * s.force;
  for (int by_rate = 0; by_rate < 2; by_rate++) {
    lb_pair_derivative L = lb_pair_differentiate(D, d, loop);
    lb_pair_fill_turn(&L.P);
    if (symmetric) {
      lb_row_spring_stiffen(&L, &row, by_rate ? s.damping : s.stiffness);
    } else {
      lb_row_spring_differentiate(&L, &row, by, by_rate);
    }
    lb_pair_push(D, by_rate ? D->tau_qd : D->tau_q, &L,
                 by_rate || symmetric ? lb_motion_zero() : F);
  }
}

static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const size_t nv = (size_t)D->model->nv;
  lb_move_origins(D->model, d->work, d->qd);
  for (int i = 0; i < D->model->motor.nservo; i++) {
    const servo s = find(D->model, d, i);
    if (s.v < 0) {
      differentiate_on_loop(D, d, i, s, symmetric);
    } else {
      D->tau_q[(size_t)s.v * (nv + 1)] += s.stiffness;
      D->tau_qd[(size_t)s.v * (nv + 1)] += s.damping;
    }
  }
}

void lb_servos_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  for (int i = 0; i < count(m); i++) {
    const servo s = find(m, d, i);
    if (s.v >= 0) {
      W[(size_t)s.v * ((size_t)m->nv + 1)] += s.damping + dt * s.stiffness;
    }
  }
}

void lb_servos_diagonals(const lb_model* m, const lb_data* d, double* K, double* C) {
  for (int i = 0; i < count(m); i++) {
    const servo s = find(m, d, i);
    if (s.v >= 0) {
      K[s.v] += s.stiffness;
      C[s.v] += s.damping;
    }
  }
}

const lb_force lb_force_servo = {.name = "servo",
                                 .count = count,
                                 .apply = apply,
                                 .differentiate = differentiate,
                                 .switching = switching,
                                 .on_links = true,
                                 .stiff = true,
                                 .on_joints = true};
