// Closest points of segments and triangles. Those without length or area are met with finite
// answers.
#include "geom/collide/closest.h"

#include "geom/collide/collider_kind.h"

static lb_foot foot(const lb_vec3 v[3], double w0, double w1, double w2) {
  const lb_vec3 p = lb_vec3_along(lb_vec3_along(lb_vec3_scale(w0, v[0]), w1, v[1]), w2, v[2]);
  return (lb_foot){p, {w0, w1, w2}};
}

// Foot on the edge from v[i] to v[j].
static lb_foot on_edge(lb_vec3 x, const lb_vec3 v[3], int i, int j) {
  const lb_vec3 e = lb_vec3_sub(v[j], v[i]);
  const double length = lb_vec3_dot(e, e);
  const double t = length > 0 ? lb_clamp(lb_vec3_dot(lb_vec3_sub(x, v[i]), e) / length, 0, 1) : 0;
  double w[3] = {0};
  w[i] = 1 - t;
  w[j] += t;
  lb_foot f = foot(v, w[0], w[1], w[2]);
  f.point = lb_vec3_along(v[i], t, e);
  return f;
}

// Inside the three edges' planes: the foot in the triangle's plane. Else on the nearest edge.
lb_foot lb_closest_on_triangle(lb_vec3 x, const lb_vec3 v[3]) {
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0]));
  const double area = lb_vec3_dot(n, n);
  double w[3];
  bool inside = area > 0;
  for (int k = 0; k < 3; k++) { // the part of the area opposite to each corner
    const lb_vec3 a = v[(k + 1) % 3], b = v[(k + 2) % 3];
    const lb_vec3 part = lb_vec3_cross(lb_vec3_sub(b, a), lb_vec3_sub(x, a));
    w[k] = lb_vec3_dot(n, part) / (area > 0 ? area : 1);
    inside = inside && w[k] >= 0;
  }
  if (inside) {
    lb_foot f = foot(v, w[0], w[1], w[2]);
    f.point = lb_vec3_along(x, -lb_vec3_dot(n, lb_vec3_sub(x, v[0])) / area, n);
    return f;
  }
  lb_foot best = {0};
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const lb_foot f = on_edge(x, v, k, (k + 1) % 3);
    const lb_vec3 d = lb_vec3_sub(x, f.point);
    const double d2 = lb_vec3_dot(d, d);
    best = d2 < least ? f : best;
    least = fmin(d2, least);
  }
  return best;
}

lb_feet lb_closest_on_segments(lb_vec3 a0, lb_vec3 a1, lb_vec3 b0, lb_vec3 b1) {
  const lb_vec3 u = lb_vec3_sub(a1, a0), v = lb_vec3_sub(b1, b0), r = lb_vec3_sub(a0, b0);
  const double a = lb_vec3_dot(u, u), e = lb_vec3_dot(v, v);
  const double c = lb_vec3_dot(u, r), f = lb_vec3_dot(v, r), b = lb_vec3_dot(u, v);
  if (a <= 0 || e <= 0) {
    return (lb_feet){a > 0 ? lb_clamp(-c / a, 0, 1) : 0, e > 0 ? lb_clamp(f / e, 0, 1) : 0};
  }
  const lb_vec3 n = lb_vec3_cross(u, v);
  const double det = lb_vec3_dot(n, n); // a e - b b, without its cancellation
  double s = det > 1e-30 * a * e ? lb_clamp((b * f - c * e) / det, 0, 1) : 0;
  double t = (b * s + f) / e;
  if (t < 0 || t > 1) {
    t = lb_clamp(t, 0, 1);
    s = lb_clamp((b * t - c) / a, 0, 1);
  }
  return (lb_feet){s, t};
}
