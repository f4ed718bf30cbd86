// What beam theory says about cantilevers: deflections and frequencies after Timoshenko, large
// deflections after Euler.
#pragma once
#include <math.h>

typedef struct beam_theory {
  double E, G, kappa, rho; // kappa: shear coefficient
  double A, I, L;
  double tip; // mass at the free end
} beam_theory;

static inline beam_theory beam_of_box(double L, double w, double h, double E, double nu,
                                      double rho) {
  return (beam_theory){.E = E,
                       .G = E / (2 * (1 + nu)),
                       .kappa = 10 * (1 + nu) / (12 + 11 * nu),
                       .rho = rho,
                       .A = w * h,
                       .I = w * h * h * h / 12,
                       .L = L};
}

static inline beam_theory beam_of_rod(double L, double r, double E, double nu, double rho) {
  const double pi = 3.14159265358979323846;
  return (beam_theory){.E = E,
                       .G = E / (2 * (1 + nu)),
                       .kappa = 6 * (1 + nu) / (7 + 6 * nu),
                       .rho = rho,
                       .A = pi * r * r,
                       .I = pi * r * r * r * r / 4,
                       .L = L};
}

// Under a force of 1 N at the tip.
static inline double beam_tip(const beam_theory* b) {
  return b->L * b->L * b->L / (3 * b->E * b->I) + b->L / (b->kappa * b->G * b->A);
}

// Its zeros are the circular frequencies of the cantilever. Solutions e^(k x) of
//   rho A w^2 v + kGA (v'' - p') = 0,   rho I w^2 p + EI p'' + kGA (v' - p) = 0
// have p = (s + k^2) / k v with s = rho w^2 / kG, and
//   EI k^4 + (rho I w^2 + EI s) k^2 + s (rho I w^2 - kGA) = 0.
// v = p = 0 at the clamp leaves two combinations; at the tip p' = 0 and kGA (v' - p) = m w^2 v.
static inline double beam_determinant(const beam_theory* b, double w) {
  const double s = b->rho * w * w / (b->kappa * b->G), EI = b->E * b->I;
  const double kGA = b->kappa * b->G * b->A, rI = b->rho * b->I * w * w;
  const double half = (rI + EI * s) / (2 * EI), q = s * (rI - kGA) / EI;
  const double root = sqrt(half * half - q);
  const double a = sqrt(root - half), c = sqrt(root + half); // below the cut-off frequency
  const double ga = (s + a * a) / a, gc = (s - c * c) / c, r = ga / gc;
  const double ch = cosh(a * b->L), sh = sinh(a * b->L), co = cos(c * b->L), si = sin(c * b->L);
  // v, v', p, p' of cosh - cos and of sinh + r sin
  const double v[2] = {ch - co, sh + r * si};
  const double dv[2] = {a * sh + c * si, a * ch + r * c * co};
  const double p[2] = {ga * sh - gc * si, ga * ch - r * gc * co};
  const double dp[2] = {ga * a * ch - gc * c * co, ga * a * sh + r * gc * c * si};
  double shear[2];
  for (int k = 0; k < 2; k++) {
    shear[k] = kGA * (dv[k] - p[k]) - b->tip * w * w * v[k];
  }
  return (dp[0] * shear[1] - dp[1] * shear[0]) / (ch * ch);
}

// The first `count` circular frequencies.
static inline void beam_frequencies(const beam_theory* b, int count, double* omega) {
  const double first = 3.516 / (b->L * b->L) * sqrt(b->E * b->I / (b->rho * b->A));
  const double step = first / 50;
  double low = step / 10;
  for (int k = 0; k < count;) {
    const double high = low + step;
    if (beam_determinant(b, low) * beam_determinant(b, high) < 0) {
      double l = low, h = high;
      for (int i = 0; i < 60; i++) {
        const double m = (l + h) / 2;
        if (beam_determinant(b, l) * beam_determinant(b, m) <= 0) {
          h = m;
        } else {
          l = m;
        }
      }
      omega[k++] = (l + h) / 2;
    }
    low = high;
  }
}

// Euler's elastica: angle t(s) with t'' = -load cos t, t(0) = 0, t'(1) = 0, load = P L^2 / EI.
// Returns t'(1) for the curvature t'(0), and where the tip is, by Runge and Kutta.
static inline double elastica_end(double load, double curvature, double* x, double* y) {
  enum { STEPS = 2000 };
  const double h = 1.0 / STEPS;
  double t = 0, k = curvature;
  *x = *y = 0;
  for (int i = 0; i < STEPS; i++) {
    const double k1 = -load * cos(t), t1 = k;
    const double k2 = -load * cos(t + h / 2 * t1), t2 = k + h / 2 * k1;
    const double k3 = -load * cos(t + h / 2 * t2), t3 = k + h / 2 * k2;
    const double k4 = -load * cos(t + h * t3), t4 = k + h * k3;
    const double middle = t + h / 2 * t2, end = t + h / 6 * (t1 + 2 * t2 + 2 * t3 + t4);
    *x += h / 6 * (cos(t) + 4 * cos(middle) + cos(end));
    *y += h / 6 * (sin(t) + 4 * sin(middle) + sin(end));
    t = end;
    k += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return k;
}

// Tip of a cantilever of length 1 under a dead load across it.
static inline void elastica_tip(double load, double* x, double* y) {
  double low = 0, high = load; // the moment at the clamp is less than load times length
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    if (elastica_end(load, middle, x, y) < 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
}
