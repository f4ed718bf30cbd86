// Activation dynamics: the activation a follows the excitation u,
//
//   (1)  da/dt = (u - a)/tau,  tau = rise (1/2 + 3/2 a) where u > a, fall/(1/2 + 3/2 a) else
//
// An implicit step from a0 has a quadratic equation for its end, of which one root is positive:
//
//   (2)  rise (a - a0) (1/2 + 3/2 a) = dt (u - a),   or   fall (a - a0) = dt (u - a) (1/2 + 3/2 a)
//
// a - a0 and u - a have one sign, so that u > a0 tells which of them it is.
#include <math.h>

#include "math/muscle/hill.h"

static double share(double a) {
  return 0.5 + 1.5 * a;
}

// Excitations beyond their range count as its ends; the slope of that.
static double within(const lb_hill* h, double* u) {
  const double given = *u;
  *u = fmin(fmax(given, h->least), 1);
  return given == *u ? 1 : 0;
}

lb_activation_rate lb_activation_rate_at(const lb_hill* h, double a, double u) {
  const double slope = within(h, &u), s = share(a);
  if (u > a) {
    const double tau = h->rise * s, rate = (u - a) / tau;
    return (lb_activation_rate){rate, -1 / tau - rate * 1.5 / s, slope / tau};
  }
  const double pace = s / h->fall;
  return (lb_activation_rate){(u - a) * pace, -pace + (u - a) * 1.5 / h->fall, slope * pace};
}

// Positive root of A x^2 + B x = C with A, C >= 0.
static double positive_root(double A, double B, double C) {
  const double root = sqrt(B * B + 4 * A * C);
  return B > 0 ? 2 * C / (B + root) : (root - B) / (2 * A);
}

// a' = (u - a) (F + x^2 (R - F)) with R = 1/(rise (1/2 + 3/2 a)), F = (1/2 + 3/2 a)/fall and x from
// 0 where u = a to 1 where u is `most`. Where activations fall it is (1), and at its upper end.
lb_activation_rate lb_activation_drive(const lb_hill* h, double a, double u, double most) {
  static const double LEAST = 1e-6; // room above a
  const double e = u - a, b = share(a), R = 1 / (h->rise * b), F = b / h->fall;
  const double room = fmax(most - a, LEAST), x = fmin(fmax(e / room, 0), 1), S = x * x;
  const double by_x = x < 1 ? 2 * x * e * (R - F) / room : 0; // times room
  const double pace = F + S * (R - F), by_b = e * 1.5 * ((1 - S) / h->fall - S * R / b);
  return (lb_activation_rate){e * pace, by_b - pace - by_x * (1 - x), pace + by_x};
}

double lb_activation_excitation(const lb_hill* h, double a, double rate) {
  return a + rate * (rate > 0 ? h->rise * share(a) : h->fall / share(a));
}

lb_activation_rate lb_activation_step(const lb_hill* h, double a, double u, double dt) {
  const double slope = within(h, &u), from = fmax(a, 0);
  if (u > from) {
    const double tau = h->rise;
    const double x =
        positive_root(1.5 * tau, tau * (0.5 - 1.5 * from) + dt, 0.5 * tau * from + dt * u);
    const double G = tau * (share(x) + 1.5 * (x - from)) + dt;
    return (lb_activation_rate){x, tau * share(x) / G, slope * dt / G};
  }
  const double tau = h->fall;
  const double x = positive_root(1.5 * dt, tau + dt * (0.5 - 1.5 * u), tau * from + 0.5 * dt * u);
  const double G = tau + dt * (share(x) - 1.5 * (u - x));
  return (lb_activation_rate){x, tau / G, slope * dt * share(x) / G};
}

// (2), solved for u.
double lb_activation_needed(const lb_hill* h, double a, double to, double dt) {
  const double from = fmax(a, 0);
  const double pace = to > from ? h->rise * share(to) : h->fall / share(to);
  return fmin(fmax(to + (to - from) * pace / dt, h->least), 1);
}
