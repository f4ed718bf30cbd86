// A corner from P0 to P5, whose tangents meet in C, has the control points
//
//   (1)  P1 = P2 = P0 + c (C - P0),  P3 = P4 = P5 + c (C - P5),  c = 0.1 + 0.8 curviness
//
// so that the second derivative d2y/dx2 is zero at both ends: at u = 0 both (x', y') = 5 (P1 - P0)
// and (x'', y'') = -20 (P1 - P0) lie along the tangent. Curves are therefore smooth to the second
// derivative where pieces meet, and where they go on straight.
#include "math/muscle/corner_curve.h"

#include <math.h>

static double polynomial(const double* c, double u) {
  return c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
}

static double first(const double* c, double u) {
  return c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5])));
}

static double second(const double* c, double u) {
  return 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5]));
}

// --- making ---

// Coefficients by powers of u of the Bezier curve with the control points P [6]: the k-th is
// binomial(5, k) times the k-th difference of the first point.
static void expand(double* c, double* P) {
  static const double BINOMIAL[] = {1, 5, 10, 10, 5, 1};
  for (int k = 0; k < LB_CORNER_COEFFICIENTS; k++) {
    c[k] = BINOMIAL[k] * P[0];
    for (int i = 0; i + 1 < LB_CORNER_COEFFICIENTS - k; i++) {
      P[i] = P[i + 1] - P[i];
    }
  }
}

// u in [0, 1] at which the polynomial c, which rises, has the value `wanted`: Newton's method,
// which bisects where it would leave the bracket. It has the last bit after a step below 1e-8.
static double find(const double* c, double wanted, double u) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    const double off = polynomial(c, u) - wanted, slope = first(c, u);
    low = off < 0 ? u : low;
    high = off > 0 ? u : high;
    const double next = u - off / slope;
    const bool inside = next >= low && next <= high; // false where the slope is zero
    const double step = (inside ? next : (low + high) / 2) - u;
    u += step;
    if (fabs(step) < 1e-8 && inside) {
      break;
    }
  }
  return u;
}

// (1)
static bool make_corner(lb_corner* k, lb_corner_point a, lb_corner_point b, double curviness) {
  const double c = 0.1 + 0.8 * curviness, bend = a.slope - b.slope;
  const bool straight = fabs(bend) <= 1e-12 * (fabs(a.slope) + fabs(b.slope));
  const double x = straight ? (a.x + b.x) / 2 : (b.y - a.y - b.x * b.slope + a.x * a.slope) / bend;
  const double y = (x - b.x) * b.slope + b.y;
  if (!(x > a.x && x < b.x)) {
    return false;
  }
  double X[] = {a.x, a.x + c * (x - a.x), 0, b.x + c * (x - b.x), 0, b.x};
  double Y[] = {a.y, a.y + c * (y - a.y), 0, b.y + c * (y - b.y), 0, b.y};
  X[2] = X[1], X[4] = X[3], Y[2] = Y[1], Y[4] = Y[3];
  k->from = a;
  k->to = b;
  expand(k->x, X);
  expand(k->y, Y);
  for (int i = 0; i <= LB_CORNER_CELLS; i++) {
    const double s = (double)i / LB_CORNER_CELLS;
    k->u[i] = find(k->x, a.x + s * (b.x - a.x), s);
    k->rise[i] = (b.x - a.x) / LB_CORNER_CELLS / first(k->x, k->u[i]);
  }
  return true;
}

bool lb_corner_curve_make(lb_corner_curve* curve, int count, const lb_corner_point* point,
                          const double* curviness) {
  curve->count = count;
  bool made = true;
  for (int i = 0; i < count && made; i++) {
    made = make_corner(&curve->piece[i], point[i], point[i + 1], curviness[i]);
  }
  return made;
}

// --- evaluation ---

static double find_parameter(const lb_corner* k, double x) {
  const double s = (x - k->from.x) / (k->to.x - k->from.x) * LB_CORNER_CELLS;
  const int i = s < 0 ? 0 : s >= LB_CORNER_CELLS ? LB_CORNER_CELLS - 1 : (int)s;
  // cubic Hermite spline
  const double t = s - i, change = k->u[i + 1] - k->u[i], from = k->rise[i], to = k->rise[i + 1];
  double u = k->u[i] + t * (from + t * (3 * change - 2 * from - to + t * (from + to - 2 * change)));
  // one step as a rule: after one below 1e-8 rounding is left
  double step;
  do {
    step = (polynomial(k->x, u) - x) / first(k->x, u);
    u -= step;
  } while (fabs(step) > 1e-8);
  return u;
}

static lb_curve_value line(lb_corner_point p, double x) {
  return (lb_curve_value){p.y + p.slope * (x - p.x), p.slope, 0};
}

lb_curve_value lb_corner_curve_at(const lb_corner_curve* curve, double x) {
  const lb_corner* k = curve->piece;
  const lb_corner* last = k + curve->count - 1;
  if (!(x > k->from.x)) {
    return line(k->from, x);
  }
  if (x >= last->to.x) {
    return line(last->to, x);
  }
  while (x >= k->to.x) {
    k++;
  }
  const double u = find_parameter(k, x), dx = first(k->x, u), dy = first(k->y, u);
  return (lb_curve_value){polynomial(k->y, u), dy / dx,
                          (second(k->y, u) * dx - dy * second(k->x, u)) / (dx * dx * dx)};
}

static double line_inverse(lb_corner_point p, double y) {
  return p.slope > 0 ? p.x + (y - p.y) / p.slope : p.x;
}

double lb_corner_curve_inverse(const lb_corner_curve* curve, double y) {
  const lb_corner* k = curve->piece;
  const lb_corner* last = k + curve->count - 1;
  if (!(y > k->from.y)) {
    return line_inverse(k->from, y);
  }
  if (y >= last->to.y) {
    return line_inverse(last->to, y);
  }
  while (y >= k->to.y) {
    k++;
  }
  return polynomial(k->x, find(k->y, y, (y - k->from.y) / (k->to.y - k->from.y)));
}
