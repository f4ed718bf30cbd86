// Tangents of a contact. Some direction has none that are continuous (a sphere cannot be combed),
// so a rare one is chosen, -e3 = (2, 2, -1)/3. Elsewhere a fixed frame e1, e2, e3 is turned the
// short way, such that e3 becomes the normal:
//
//   t_i = e_i - (n.e_i) (n + e3) / (1 + n.e3),    1 + n.e3 = |n + e3|^2 / 2                (1)
//
// The frame is such that tangents lie along x and y where the normal is z or -z: those of a pyramid
// do so on a floor.
#include "dynamics/contact/contact_inside.h"

static const lb_v4 E1 = {2.0 / 3, -1.0 / 3, 2.0 / 3, 0}, E2 = {-1.0 / 3, 2.0 / 3, 2.0 / 3, 0},
                   E3 = {-2.0 / 3, -2.0 / 3, 1.0 / 3, 0};
static const double OPPOSITE = 1e-14; // 1 + n.e3 below which the normal counts as -e3

void lb_touch_set_axes(lb_touch* t, lb_v4 n) {
  const lb_v4 s = n + E3;
  const double c = 0.5 * lb_v4_dot(s, s);
  t->axis[0] = n;
  t->axis[1] = c > OPPOSITE ? E1 - s * (lb_v4_dot(n, E1) / c) : E1;
  t->axis[2] = c > OPPOSITE ? E2 - s * (lb_v4_dot(n, E2) / c) : -E2;
}

// (1) differentiated.
static lb_v4 slope_of(lb_v4 e, lb_v4 n, lb_v4 dn) {
  const lb_v4 s = n + E3;
  const double c = 0.5 * lb_v4_dot(s, s), x = lb_v4_dot(n, e) / c;
  const double dx = (lb_v4_dot(dn, e) - x * lb_v4_dot(dn, E3)) / c;
  return c > OPPOSITE ? s * -dx - dn * x : lb_v4_zero();
}

void lb_touch_axes_slopes(lb_v4 n, lb_v4 dn, lb_v4* t1, lb_v4* t2) {
  *t1 = slope_of(E1, n, dn);
  *t2 = slope_of(E2, n, dn);
}
