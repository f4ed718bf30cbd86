// Sharper normals. GJK and EPA meet distances to rounding but normals only to its square root where
// surfaces are curved. Here g(n), equation (1) of gjk.h, is brought to its maximum on the sphere.
//
// Where a flat feature takes part, n is a normal of it: its edges e (differences of the
// polyhedron's points in the simplex) are constraints n.e = 0. In the tangents t that are left,
//
//   (2)  gradient  t.w,  w = x - y the two support points
//   (3)  Hessian   -t'(Ha + Hb) t - g t.t
//
// with H the Hessians of the support functions.
#include "geom/collide/gjk.h"

enum { STEPS = 20 };
static const double SETTLED = 1e-14; // last step [rad]
static const double SLACK = 2e-14;   // of the scale: as good as before

// Free directions about a normal.
typedef struct frame {
  lb_vec3 n;
  lb_vec3 t[2];
  int free;
} frame;

// Normal with up to two constraints, and the tangents that they leave. False: nothing is left of n.
static bool constrain(lb_vec3 n, int count, const lb_vec3* e, frame* f) {
  lb_vec3 q[3];
  int nq = 0;
  for (int k = 0; k < count && nq < 2; k++) {
    lb_vec3 r = e[k];
    const double size = lb_vec3_norm(r);
    for (int i = 0; i < nq; i++) {
      r = lb_vec3_along(r, -lb_vec3_dot(r, q[i]), q[i]);
    }
    if (lb_vec3_norm(r) > 1e-9 * size) {
      q[nq++] = lb_vec3_unit_or(r, r);
    }
  }
  lb_vec3 m = nq == 2 ? lb_vec3_cross(q[0], q[1]) : n;
  m = nq == 2 && lb_vec3_dot(m, n) < 0 ? lb_vec3_neg(m) : m;
  m = nq == 1 ? lb_vec3_along(n, -lb_vec3_dot(n, q[0]), q[0]) : m;
  if (!(lb_vec3_norm(m) > 1e-3)) {
    return false;
  }
  f->n = lb_vec3_unit_or(m, n);
  f->free = 2 - nq;
  const lb_vec3 a = fabs(f->n.x) < 0.6 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
  f->t[0] = lb_vec3_cross(f->n, nq == 1 ? q[0] : a);
  f->t[0] = lb_vec3_unit_or(f->t[0], a);
  f->t[1] = lb_vec3_cross(f->n, f->t[0]);
  return true;
}

static double quadratic(lb_sym3 H, lb_vec3 u, lb_vec3 v) {
  return lb_vec3_dot(u, lb_sym3_apply(H, v));
}

// u'(Ha + Hb) v at the frame's normal
static void bend(const lb_couple* c, const frame* f, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  if (c->ka->curvature) {
    const lb_sym3 H = c->ka->curvature(c->a, lb_vec3_neg(f->n));
    out[0] += quadratic(H, f->t[0], f->t[0]);
    out[1] += quadratic(H, f->t[1], f->t[1]);
    out[2] += quadratic(H, f->t[0], f->t[1]);
  }
  if (c->kb->curvature) {
    const lb_sym3 H = c->kb->curvature(c->b, lb_mat3_apply_transposed(c->R, f->n));
    const lb_vec3 u = lb_mat3_apply_transposed(c->R, f->t[0]);
    const lb_vec3 v = lb_mat3_apply_transposed(c->R, f->t[1]);
    out[0] += quadratic(H, u, u);
    out[1] += quadratic(H, v, v);
    out[2] += quadratic(H, u, v);
  }
}

// One step of Newton's method; returns its length, or -1 where there is no maximum.
static double newton(const lb_couple* c, int count, const lb_vec3* e, frame* f) {
  const lb_vec3 w = lb_couple_support(c, lb_vec3_neg(f->n)).w;
  const double g = lb_vec3_dot(f->n, w);
  const double r0 = lb_vec3_dot(f->t[0], w), r1 = lb_vec3_dot(f->t[1], w);
  double H[3];
  bend(c, f, H);
  const double a = H[0] + g, b = H[1] + g, o = H[2]; // minus the Hessian
  double d0, d1 = 0;
  if (f->free == 1) {
    if (!(a > 0)) {
      return -1;
    }
    d0 = r0 / a;
  } else {
    const double det = a * b - o * o;
    if (!(det > 0 && a > 0)) {
      return -1;
    }
    d0 = (b * r0 - o * r1) / det;
    d1 = (a * r1 - o * r0) / det;
  }
  const double length = sqrt(d0 * d0 + d1 * d1), s = fmin(1, 0.3 / length);
  lb_vec3 n = lb_vec3_along(f->n, length > 0 ? s * d0 : 0, f->t[0]);
  n = lb_vec3_along(n, length > 0 ? s * d1 : 0, f->t[1]);
  return constrain(lb_vec3_unit_or(n, f->n), count, e, f) ? length : -1;
}

// A better normal; the points keep their middle.
static void move_to(lb_core_gap* io, lb_vec3 n, double g) {
  const lb_vec3 middle = lb_vec3_scale(0.5, lb_vec3_add(io->point_a, io->point_b));
  io->normal = n;
  io->distance = g;
  io->point_a = lb_vec3_along(middle, g / 2, n);
  io->point_b = lb_vec3_along(middle, -g / 2, n);
}

// Maximum of g among the normals that the constraints allow; taken where it is as good as before.
static bool climb(const lb_couple* c, int count, const lb_vec3* e, lb_core_gap* io) {
  frame f;
  if (!constrain(io->normal, count, e, &f)) {
    return false;
  }
  double last = INFINITY;
  bool settled = f.free == 0;
  for (int k = 0; k < STEPS && !settled; k++) {
    const double length = newton(c, count, e, &f);
    if (length < 0) {
      return false;
    }
    settled = length < SETTLED || (length < 1e-10 && length >= last);
    last = length;
  }
  const double g = lb_couple_gap(c, f.n);
  if (!settled || !(g >= io->distance - SLACK * c->scale)) {
    return false;
  }
  move_to(io, f.n, g);
  return true;
}

static void try_normal(const lb_couple* c, lb_vec3 n, lb_core_gap* io) {
  const double aligned = lb_vec3_dot(n, io->normal);
  if (aligned > 0.9) {
    const double g = lb_couple_gap(c, n);
    if (g >= io->distance - SLACK * c->scale) {
      move_to(io, n, g);
    }
  }
}

// Normals of the faces that look at each other, and of the simplex.
static void try_features(const lb_couple* c, lb_core_gap* io) {
  lb_feature f;
  if (c->ka->feature) {
    c->ka->feature(c->a, lb_vec3_neg(io->normal), &f);
    if (f.n > 2) {
      try_normal(c, lb_vec3_neg(f.normal), io);
    }
  }
  if (c->kb->feature) {
    c->kb->feature(c->b, lb_mat3_apply_transposed(c->R, io->normal), &f);
    if (f.n > 2) {
      try_normal(c, lb_mat3_apply(c->R, f.normal), io);
    }
  }
  const lb_simplex* s = &io->simplex;
  if (s->n == 3 && c->ka->polygons && c->kb->polygons) {
    const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(s->corner[1].w, s->corner[0].w),
                                    lb_vec3_sub(s->corner[2].w, s->corner[0].w));
    const lb_vec3 u = lb_vec3_unit_or(n, io->normal);
    try_normal(c, lb_vec3_dot(u, io->normal) < 0 ? lb_vec3_neg(u) : u, io);
  }
}

// Edges of flat features among the simplex's points: those of polyhedra, and a cylinder's axis
// where both of its ends take part.
static int find_edges(const lb_couple* c, const lb_simplex* s, lb_vec3* e) {
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    for (int j = i + 1; j < s->n && j < 3; j++) {
      const lb_vec3 a = lb_vec3_sub(s->corner[j].a, s->corner[i].a);
      const lb_vec3 b = lb_vec3_sub(s->corner[j].b, s->corner[i].b);
      const double az = fabs(a.z), bz = fabs(lb_vec3_dot(c->R.z, b));
      if (c->ka->polygons && lb_vec3_dot(a, a) > 0) {
        e[n++] = a;
      } else if (c->a->type == LB_COLLIDER_CYLINDER && az > c->a->half.z) {
        e[n++] = lb_vec3_make(0, 0, 1);
      }
      if (c->kb->polygons && lb_vec3_dot(b, b) > 0) {
        e[n++] = b;
      } else if (c->b->type == LB_COLLIDER_CYLINDER && bz > c->b->half.z) {
        e[n++] = c->R.z;
      }
    }
  }
  return n;
}

// A smooth surface's own support point is sharper than the simplex's mean.
static void sharpen_points(const lb_couple* c, lb_core_gap* io) {
  const lb_corner s = lb_couple_support(c, lb_vec3_neg(io->normal));
  if (c->a->type == LB_COLLIDER_ELLIPSOID) {
    io->point_a = s.a;
    io->point_b = lb_vec3_along(s.a, -io->distance, io->normal);
  } else if (c->b->type == LB_COLLIDER_ELLIPSOID) {
    io->point_b = s.b;
    io->point_a = lb_vec3_along(s.b, io->distance, io->normal);
  }
}

bool lb_refine(const lb_couple* c, lb_core_gap* io) {
  const bool flat = c->ka->polygons && c->kb->polygons;
  if (flat && fabs(io->distance) > 1e-3 * c->scale) {
    return true;
  }
  lb_vec3 e[12];
  const int n = flat ? 0 : find_edges(c, &io->simplex, e);
  io->distance = lb_couple_gap(c, io->normal); // of this very normal
  try_features(c, io);
  bool better = flat;
  for (int k = -1; k <= n && !flat; k++) { // all edges, each alone, none
    better |= k < 0 ? climb(c, n, e, io) : climb(c, k < n, &e[k < n ? k : 0], io);
  }
  sharpen_points(c, io);
  return better;
}

bool lb_core_separate(const lb_couple* c, lb_vec3 start, double most, lb_core_gap* out) {
  const bool flat = c->ka->polygons && c->kb->polygons;
  const double coarse = flat ? 1e-13 : 1e-4, fine = 1e-12;
  if (lb_gjk(c, start, most, out)) {
    if (out->distance > most) {
      return false;
    }
    lb_refine(c, out);
    return true;
  }
  const lb_core_gap touching = *out;
  lb_epa(c, coarse, out);
  if (!lb_refine(c, out) && !flat) {
    const int spent = out->iterations;
    *out = touching;
    lb_epa(c, fine, out);
    out->iterations += spent;
    lb_refine(c, out);
  }
  return true;
}
