// Commands: numbers that a caller gives motors from step to step.
#include "dynamics/force/command.h"

#include <math.h>

#include "model/use/motor_use.h"

// Cubic Hermite spline from x0, v0 to x1, v1 over h, with s = (t - start)/h and D = x1 - x0:
//
//   x = x0 + h v0 s + (3 D - h (2 v0 + v1)) s^2 + (h (v0 + v1) - 2 D) s^3
//
// Its acceleration is given by the mean (v1 - v0)/h. Integrators of low order ask for it once in a
// step, and a spline's own is far from the mean at the step's ends.
static void evaluate_motion(const lb_command* c, double t, double value[3]) {
  const double h = c->end - c->start, s = (t - c->start) / h;
  const double change = c->to[0] - c->from[0];
  const double a = h * c->from[1], b = 3 * change - h * (2 * c->from[1] + c->to[1]);
  const double k = h * (c->from[1] + c->to[1]) - 2 * change;
  value[0] = c->from[0] + s * (a + s * (b + s * k));
  value[1] = (a + s * (2 * b + s * 3 * k)) / h;
  value[2] = (c->to[1] - c->from[1]) / h;
}

// At the ends of its step and beyond: exactly what was asked for.
static void hold_motion(const double at[2], double mean, double value[3]) {
  value[0] = at[0];
  value[1] = at[1];
  value[2] = mean;
}

void lb_motor_evaluate(const lb_model* m, const lb_data* d, int motor, double value[3]) {
  const lb_command* c = d->command ? &d->command[motor] : NULL;
  if (!c || !c->set) {
    const lb_model_inner_motor* inner = lb_motor_inside(m, motor);
    lb_profile_evaluate(inner ? inner->profile : m->motor.profile[motor], d->time, value);
  } else if (lb_motor_applies_force(m, motor)) {
    value[0] = c->to[0];
    value[1] = value[2] = 0;
  } else if (d->time > c->start && d->time < c->end) {
    evaluate_motion(c, d->time, value);
  } else {
    const double mean = (c->to[1] - c->from[1]) / (c->end - c->start);
    hold_motion(d->time <= c->start ? c->from : c->to, mean, value);
  }
}
