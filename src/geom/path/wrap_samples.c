// Samples that networks are trained with: points of the sharp path over a cylinder of sense 1.
#include "base/random.h"
#include "geom/path/wrap_network.h"

// Point of a path at alpha, a series of order 0, and the length of its arc over that of the path.
static lb_taylor3 exact(double r, const lb_taylor3* p, const lb_taylor3* q, const lb_taylor* alpha,
                        double* wrapped) {
  const lb_wrap wrap = {.kind = LB_WRAP_CYLINDER, .size = {r, 0, 0}, .sense = 1};
  lb_wrap_path path;
  lb_wrap_type_cylinder.find(0, &wrap, &path, p, q);
  const lb_taylor sigma = lb_taylor_mul(0, *alpha, *lb_wrap_length(&path));
  int i = 0;
  while (i + 1 < path.count && lb_taylor_value(&sigma) > lb_taylor_value(&path.piece[i].end)) {
    i++;
  }
  *wrapped = path.count < 3
                 ? 0
                 : (lb_taylor_value(&path.piece[1].end) - lb_taylor_value(&path.piece[0].end)) /
                       lb_taylor_value(lb_wrap_length(&path));
  return lb_wrap_point(0, &path.piece[i], &sigma);
}

static double between(uint64_t seed, uint64_t* index, double low, double high) {
  return low + (high - low) * lb_random_fraction(seed, (*index)++);
}

// --- [red]'s eight inputs ---

static lb_taylor3 fixed(const double* x) {
  return lb_taylor3_constant(lb_vec3_make(x[0], x[1], x[2]));
}

// Whether it is kept, by [red] 5.3.3.1; no end may be inside the surface.
static bool draw_points(double threshold, uint64_t seed, uint64_t* index, double* x, double* out) {
  for (int k = 0; k < 6; k++) {
    x[k] = between(seed, index, -1, 1);
  }
  x[6] = between(seed, index, 0, 1);
  x[7] = between(seed, index, 0.01, 0.2);
  if (!(hypot(x[0], x[1]) > x[7]) || !(hypot(x[3], x[4]) > x[7])) {
    return false;
  }
  const lb_taylor3 p = fixed(x), q = fixed(x + 3);
  const lb_taylor alpha = lb_taylor_constant(x[6]);
  double wrapped;
  const lb_taylor3 at = exact(x[7], &p, &q, &alpha, &wrapped);
  out[0] = lb_taylor_value(&at.x);
  out[1] = lb_taylor_value(&at.y);
  out[2] = lb_taylor_value(&at.z);
  return wrapped == 0 || wrapped >= threshold;
}

// --- the scaled form ---

enum { BETA = 1, GAMMA, DPHI, ALPHA, INPUTS = 4 }; // lanes

static lb_taylor input(int lane, double middle, double half, double x) {
  return lb_taylor_set_slope(lb_taylor_constant(middle + half * x), lane, half); // by the input
}

static lb_taylor tangent_of(lb_taylor angle) {
  lb_taylor s, c;
  lb_taylor_sincos(0, angle, &s, &c);
  return lb_taylor_div(0, s, c);
}

static lb_taylor distance_of(lb_taylor tangent) {
  return lb_taylor_sqrt(0, lb_taylor_shift(lb_taylor_mul(0, tangent, tangent), 1));
}

// Sample with all derivatives: (x - p - alpha (q - p))/s along both vectors of the halved angle.
static void solve_scaled(const double* x, double* gain, double* target) {
  const lb_taylor beta = input(BETA, M_PI / 4, M_PI / 4, x[0]),
                  gamma = input(GAMMA, M_PI / 4, M_PI / 4, x[1]),
                  dphi = input(DPHI, M_PI / 2, M_PI, x[2]), alpha = input(ALPHA, 0.5, 0.5, x[3]);
  const lb_taylor none = lb_taylor_constant(0), a = tangent_of(beta), b = tangent_of(gamma);
  lb_taylor s, c;
  lb_taylor_sincos(0, dphi, &s, &c);
  const lb_taylor rho = distance_of(b);
  const lb_taylor3 p = {distance_of(a), none, none};
  const lb_taylor3 q = {lb_taylor_mul(0, rho, c), lb_taylor_mul(0, rho, s), none};
  double wrapped;
  const lb_taylor3 at = exact(1, &p, &q, &alpha, &wrapped);
  const lb_taylor3 line = lb_taylor3_add(0, p, lb_taylor3_scale(0, alpha, lb_taylor3_sub(0, q, p)));
  const lb_taylor3 off = lb_taylor3_sub(0, at, line);
  const lb_taylor size = lb_taylor_shift(lb_taylor_scale(0, 0.5, lb_taylor_add(0, a, b)), 1);
  lb_taylor_sincos(0, lb_taylor_scale(0, 0.5, dphi), &s, &c);
  const lb_taylor t[] = {
      lb_taylor_div(0, lb_taylor_add(0, lb_taylor_mul(0, off.x, c), lb_taylor_mul(0, off.y, s)),
                    size),
      lb_taylor_div(0, lb_taylor_sub(0, lb_taylor_mul(0, off.y, c), lb_taylor_mul(0, off.x, s)),
                    size)};
  const lb_taylor g = lb_taylor_sub(0, alpha, lb_taylor_mul(0, alpha, alpha));
  for (int d = 0; d <= INPUTS; d++) {
    gain[d] = lb_taylor_lane(&g, 0, d);
    target[d] = lb_taylor_lane(&t[0], 0, d);
    target[1 + INPUTS + d] = lb_taylor_lane(&t[1], 0, d);
  }
}

// A half of the samples lies near lift-off, where dphi = beta + gamma.
static void draw_scaled(uint64_t seed, uint64_t* index, double* x, double* gain, double* target) {
  static const double NEAR = 0.3, INSIDE = 0.999;
  for (int k = 0; k < INPUTS; k++) {
    x[k] = between(seed, index, -INSIDE, INSIDE);
  }
  const double off = between(seed, index, -2, 2);
  if (fabs(off) < 1) {
    const double lift = M_PI / 4 * (2 + x[0] + x[1]);
    x[2] = (lift + NEAR * off - M_PI / 2) / M_PI;
  }
  solve_scaled(x, gain, target);
}

void lb_wrap_network_samples(lb_network_form form, double threshold, uint64_t seed,
                             lb_train_data* data) {
  const int along = 1 + data->ndir;
  uint64_t index = 0;
  for (int i = 0; i < data->count; i++) {
    double* x = data->x + (size_t)i * (size_t)data->ninput;
    double* gain = data->gain + (size_t)i * (size_t)along;
    double* target = data->target + (size_t)i * (size_t)(data->noutput * along);
    if (form == LB_FORM_SCALED) {
      draw_scaled(seed, &index, x, gain, target);
    } else {
      gain[0] = 1;
      while (!draw_points(threshold, seed, &index, x, target)) {
      }
    }
  }
}
