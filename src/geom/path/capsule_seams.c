// Seams of a capsule. A path over the seam that goes more than half around slips off the end, where
// that is shorter. With a `side` it is held: the seams lie further out. From half a turn on f(pi/2)
// of (3) in wrap_capsule.c is not negative, and there is a path, if the seam lies at the height
//
//   (5)  c = (z_p rho_q + z_q Lambda_p)/(rho_q + Lambda_p),   Lambda_p = a + r (dphi - pi/2 -
//   alpha)
//
// or above, for a path that rises from p to q; of one that falls q is p. They come out from a third
// of a turn on, and stay where they are for ends beyond them that are near to the axis, about which
// nothing turns.
#include "geom/path/wrap_path.h"

// Angles from which on a path is held, and from which on fully.
static const double HELD_FROM = 2 * M_PI / 3, HELD_AT = M_PI;
static const double SOFT = 0.25;   // of the bend of a seam that moves, in radii
static const double ABOVE = 0.1;   // of (5), in radii
static const double BESIDE = 0.25; // of ends beyond a seam, in radii, from which on they count

static bool is_held(const lb_wrap* wrap) {
  return wrap->side.x != 0 || wrap->side.y != 0;
}

// From 0 to 1 as x goes from -1 to 1.
LB_TAYLOR_INLINE lb_taylor rise(int N, lb_taylor x) {
  double h[5];
  lb_wrap_swelling(lb_taylor_value(&x), h);
  return lb_taylor_apply(N, x, h + 1);
}

LB_TAYLOR_INLINE lb_taylor soften(int N, lb_taylor x) {
  double h[5];
  lb_wrap_swelling(lb_taylor_value(&x), h);
  return lb_taylor_apply(N, x, h);
}

// (5), from an end at z beside the axis by rho, and another one.
LB_TAYLOR_INLINE lb_taylor quarter_height(int N, double r, lb_taylor dphi, lb_taylor z,
                                          lb_taylor rho, lb_taylor z_q, lb_taylor rho_q) {
  const lb_taylor a = lb_taylor_sqrt(N, lb_taylor_shift(lb_taylor_mul(N, rho, rho), -r * r));
  const lb_taylor alpha = lb_taylor_angle(N, a, lb_taylor_constant(r));
  const lb_taylor turn = lb_taylor_shift(lb_taylor_sub(N, dphi, alpha), -M_PI / 2);
  const lb_taylor way = lb_taylor_add(N, a, lb_taylor_scale(N, r, turn));
  return lb_taylor_div(N, lb_taylor_add(N, lb_taylor_mul(N, z, rho_q), lb_taylor_mul(N, z_q, way)),
                       lb_taylor_add(N, rho_q, way));
}

// Whether an end is beside the capsule: below the seam, or beyond it far enough from the axis.
LB_TAYLOR_INLINE lb_taylor besides(int N, double r, double half, lb_taylor z, lb_taylor rho) {
  const double unit = 1 / (BESIDE * r);
  const lb_taylor in = soften(N, lb_taylor_shift(lb_taylor_scale(N, -unit, z), unit * half));
  const lb_taylor s = lb_taylor_add(N, in, lb_taylor_scale(N, unit, lb_taylor_shift(rho, -r)));
  return rise(N, lb_taylor_shift(lb_taylor_scale(N, 2, s), -1));
}

LB_TAYLOR_INLINE void move_seams(int N, lb_taylor seam[2], double r, double half, lb_taylor dphi,
                                 const lb_taylor3* p, const lb_taylor3* q) {
  const lb_taylor rho_p = lb_wrap_basis_of(N, p, 1).rho, rho_q = lb_wrap_basis_of(N, q, 1).rho;
  const double unit = 1 / (SOFT * r);
  const lb_taylor part =
      rise(N, lb_taylor_scale(N, 2 / (HELD_AT - HELD_FROM),
                              lb_taylor_shift(dphi, -0.5 * (HELD_FROM + HELD_AT))));
  const lb_taylor one = quarter_height(N, r, dphi, p->z, rho_p, q->z, rho_q),
                  two = quarter_height(N, r, dphi, q->z, rho_q, p->z, rho_p);
  const lb_taylor mean = lb_taylor_scale(N, 0.5, lb_taylor_add(N, one, two)),
                  off = lb_taylor_scale(N, 0.5, lb_taylor_sub(N, one, two));
  const lb_taylor spread =
      lb_taylor_sqrt(N, lb_taylor_shift(lb_taylor_mul(N, off, off), ABOVE * ABOVE * r * r));
  for (int end = 0; end < 2; end++) { // as if all were above
    const double up = end ? 1 : -1;
    const lb_taylor top = lb_taylor_add(N, lb_taylor_scale(N, up, mean), spread);
    const lb_taylor x = lb_taylor_scale(N, unit, lb_taylor_shift(top, -half));
    if (!(lb_taylor_value(&x) > -1)) {
      continue;
    }
    const lb_taylor hold =
        lb_taylor_mul(N, part,
                      lb_taylor_mul(N, besides(N, r, half, lb_taylor_scale(N, up, p->z), rho_p),
                                    besides(N, r, half, lb_taylor_scale(N, up, q->z), rho_q)));
    seam[end] = lb_taylor_add(
        N, seam[end], lb_taylor_scale(N, up * SOFT * r, lb_taylor_mul(N, hold, soften(N, x))));
  }
}

void lb_capsule_seams(int N, const lb_wrap* wrap, lb_taylor seam[2], const lb_taylor* dphi,
                      const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x, half = wrap->size.y / 2;
  const lb_vec3 a = lb_taylor3_lane(p, 0, 0), b = lb_taylor3_lane(q, 0, 0);
  seam[0] = lb_taylor_constant(-half);
  seam[1] = lb_taylor_constant(half);
  if (is_held(wrap) && lb_taylor_value(dphi) > HELD_FROM && hypot(a.x, a.y) > r &&
      hypot(b.x, b.y) > r) {
#define SEAMS(N) move_seams(N, seam, r, half, *dphi, p, q)
    LB_TAYLOR_ORDERS(SEAMS)
  }
}
