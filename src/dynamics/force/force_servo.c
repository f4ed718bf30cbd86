// Servos as forces: a spring and a damper to the target f(t) of the motor's profile, within a
// limit,
//
//   (1)  tau = clamp(kp (f - q) + kd (f' - qd), -limit, limit)
//
// Its slopes, -kp and -kd, vanish at the limit. That is how explicit steps and equilibria see
// servos. Other steps solve for them with the impulses of contacts instead (contact_constraints.c).
#include <math.h>

#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"
#include "model/use/motor_use.h"

// A servo at a state.
typedef struct servo {
  int v;                     // its velocity
  double wanted;             // (1) without the limit
  double force;              // tau
  double stiffness, damping; // slopes, as they act
} servo;

static servo find(const lb_model* m, const lb_data* d, int i) {
  const lb_model_servo* s = &m->motor.servo[i];
  double f[3];
  lb_motor_evaluate(m, d, s->motor, f);
  const double wanted = s->stiffness * (f[0] - d->q[lb_servo_q(m, i)]) +
                        s->damping * (f[1] - d->qd[lb_servo_v(m, i)]);
  const bool bound = s->limit > 0 && fabs(wanted) > s->limit;
  return (servo){.v = lb_servo_v(m, i),
                 .wanted = wanted,
                 .force = bound ? copysign(s->limit, wanted) : wanted,
                 .stiffness = bound ? 0 : s->stiffness,
                 .damping = bound ? 0 : s->damping};
}

static int count(const lb_model* m) {
  return lb_servos_as_forces(m);
}

static void apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->motor.nservo; i++) {
    const servo s = find(m, d, i);
    d->motor_force[m->motor.servo[i].motor] = s.force;
    d->work->tau[s.v] += s.force;
  }
}

static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
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

static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const size_t nv = (size_t)D->model->nv;
  (void)symmetric;
  for (int i = 0; i < D->model->motor.nservo; i++) {
    const servo s = find(D->model, d, i);
    D->tau_q[(size_t)s.v * (nv + 1)] += s.stiffness;
    D->tau_qd[(size_t)s.v * (nv + 1)] += s.damping;
  }
}

void lb_servos_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  for (int i = 0; i < count(m); i++) {
    const servo s = find(m, d, i);
    W[(size_t)s.v * ((size_t)m->nv + 1)] += s.damping + dt * s.stiffness;
  }
}

void lb_servos_diagonals(const lb_model* m, const lb_data* d, double* K, double* C) {
  for (int i = 0; i < count(m); i++) {
    const servo s = find(m, d, i);
    K[s.v] += s.stiffness;
    C[s.v] += s.damping;
  }
}

const lb_force lb_force_servo = {.name = "servo",
                                 .count = count,
                                 .apply = apply,
                                 .differentiate = differentiate,
                                 .switching = switching,
                                 .stiff = true,
                                 .on_joints = true};
