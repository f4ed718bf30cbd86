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
#include "geom/collide/closest.h"
#include "geom/collide/gjk.h"

enum { STEPS = 20 };
static const double SETTLED = 1e-14; // last step [rad]
static const double SHARP = 1e-12;   // of the scale: points on surfaces before anything was done
static const double FAIR = 1e-8;     // and after it
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

// Maximum of g among the normals that the constraints allow, from a start; taken where it is as
// good as before.
static bool climb(const lb_couple* c, lb_vec3 start, int count, const lb_vec3* e, lb_core_gap* io) {
  frame f;
  if (!constrain(start, count, e, &f)) {
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

static void feature_of(const lb_collider* c, const lb_collider_kind* kind, lb_vec3 d,
                       lb_feature* f) {
  if (kind->feature) {
    kind->feature(c, d, f);
  } else {
    f->n = 1;
    f->id = 0;
    f->v[0] = kind->support(c, d);
    f->vid[0] = 0;
  }
}

void lb_couple_features(const lb_couple* c, lb_vec3 n, lb_feature* fa, lb_feature* fb) {
  feature_of(c->a, c->ka, lb_vec3_neg(n), fa);
  feature_of(c->b, c->kb, lb_mat3_apply_transposed(c->R, n), fb);
  for (int k = 0; k < fb->n; k++) {
    fb->v[k] = lb_vec3_add(c->p, lb_mat3_apply(c->R, fb->v[k]));
  }
  fb->normal = lb_mat3_apply(c->R, fb->normal);
}

void lb_feature_edge(lb_feature* f, lb_vec3 n) {
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < f->n && f->n > 2; k++) {
    const lb_vec3 a = f->v[k], b = f->v[(k + 1) % f->n];
    // both ends near the contact: low in sum, and level
    const double low = fmin(lb_vec3_dot(a, n), lb_vec3_dot(b, n));
    best = -low < least ? k : best;
    least = fmin(-low, least);
  }
  if (f->n > 2) {
    const int next = (best + 1) % f->n;
    const lb_vec3 a = f->v[best], b = f->v[next];
    const uint16_t va = f->vid[best], vb = f->vid[next];
    f->v[0] = a, f->v[1] = b;
    f->vid[0] = va, f->vid[1] = vb;
    f->n = 2;
  }
}

// Where it slopes against n, a segment touches with the end that is farther along it.
static void segment_end(lb_feature* f, lb_vec3 n) {
  const lb_vec3 e = f->n == 2 ? lb_vec3_sub(f->v[1], f->v[0]) : (lb_vec3){0, 0, 0};
  const double slope = lb_vec3_dot(e, n);
  if (f->n == 1 || fabs(slope) > 1e-6 * lb_vec3_norm(e)) {
    f->v[0] = f->v[1] = f->v[f->n == 2 && slope > 0];
  }
}

// Points of a line of a cylinder's side and what it touches: lines that cross have one place where
// they are nearest. False: they are not found.
static bool sharpen_lines(const lb_couple* c, lb_core_gap* io) {
  lb_feature fa, fb;
  const lb_vec3 n = io->normal;
  lb_couple_features(c, n, &fa, &fb);
  if ((fa.n > 2 && lb_vec3_dot(fa.normal, n) < -1 + 1e-9) ||
      (fb.n > 2 && lb_vec3_dot(fb.normal, n) > 1 - 1e-9)) {
    return true; // a face: any point of the patch will do
  }
  lb_feature_edge(&fa, lb_vec3_neg(n));
  lb_feature_edge(&fb, n);
  segment_end(&fa, lb_vec3_neg(n));
  segment_end(&fb, n);
  const lb_feet t = lb_closest_on_segments(fa.v[0], fa.v[1], fb.v[0], fb.v[1]);
  const lb_vec3 x = lb_vec3_along(fa.v[0], t.s, lb_vec3_sub(fa.v[1], fa.v[0]));
  const lb_vec3 y = lb_vec3_along(fb.v[0], t.t, lb_vec3_sub(fb.v[1], fb.v[0]));
  const lb_vec3 left = lb_vec3_along(lb_vec3_sub(x, y), -io->distance, n);
  if (lb_vec3_norm(left) > 1e-6 * c->scale) {
    return false; // other lines than those that touch
  }
  io->point_a = x;
  io->point_b = y;
  move_to(io, n, io->distance);
  return true;
}

// Whether a curved surface has one point alone that faces d, up to a hair.
static bool is_unique(const lb_collider* c, lb_vec3 d) {
  static const double HAIR = 1e-7;
  const bool rim = fabs(d.z) > HAIR && fabs(d.z) < 1 - HAIR;
  return c->type == LB_COLLIDER_ELLIPSOID || (c->type == LB_COLLIDER_CYLINDER && rim);
}

// A curved surface's own support point is sharper than the simplex's mean. False: nothing better is
// known than that mean.
static bool sharpen_points(const lb_couple* c, lb_core_gap* io) {
  const lb_corner s = lb_couple_support(c, lb_vec3_neg(io->normal));
  if (is_unique(c->a, io->normal)) {
    io->point_a = s.a;
    io->point_b = lb_vec3_along(s.a, -io->distance, io->normal);
  } else if (is_unique(c->b, lb_mat3_apply_transposed(c->R, io->normal))) {
    io->point_b = s.b;
    io->point_a = lb_vec3_along(s.b, io->distance, io->normal);
  } else if (!c->ka->polygons || !c->kb->polygons) {
    return sharpen_lines(c, io);
  }
  return true;
}

// Where the points of the largest g are not on both surfaces it was not the largest.
static bool are_on_surfaces(const lb_couple* c, const lb_core_gap* io, double near) {
  lb_vec3 gradient;
  const lb_vec3 y = lb_mat3_apply_transposed(c->R, lb_vec3_sub(io->point_b, c->p));
  return c->ka->point(c->a, io->point_a, &gradient) + c->a->radius < near &&
         c->kb->point(c->b, y, &gradient) + c->b->radius < near;
}

// Whether the points show that the normal is the best one around.
static bool certify(const lb_couple* c, lb_core_gap* io, double near) {
  io->blunt = !sharpen_points(c, io) || !are_on_surfaces(c, io, near * c->scale);
  return !io->blunt;
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
  if (flat || certify(c, io, SHARP)) {
    return true;
  }
  const lb_vec3 start = io->normal;
  for (int k = -1; k <= n; k++) { // all edges, each alone, none
    climb(c, start, k < 0 ? n : k < n, &e[k > 0 && k < n ? k : 0], io);
  }
  return certify(c, io, FAIR);
}

// Whether a point lies over the polygon f, seen along its normal.
static bool is_over(const lb_feature* f, lb_vec3 x) {
  bool inside = true;
  for (int k = 0; k < f->n && inside; k++) {
    const lb_vec3 o = f->v[k], e = lb_vec3_sub(f->v[(k + 1) % f->n], o);
    inside = lb_vec3_dot(lb_vec3_cross(f->normal, e), lb_vec3_sub(x, o)) >= 0;
  }
  return inside;
}

// Lowest place of the feature `low` above the face `f`, where it lies over that face: one of its
// corners, or their mean. With n.x and n.y the same, the normal cannot be turned to separate more.
static bool finds_place(const lb_feature* f, const lb_feature* low, double hair, lb_vec3* place) {
  double least = INFINITY;
  lb_vec3 mean = {0, 0, 0};
  int count = 0;
  for (int k = 0; k < low->n; k++) {
    least = fmin(least, lb_vec3_dot(f->normal, low->v[k]));
  }
  for (int k = 0; k < low->n; k++) {
    if (lb_vec3_dot(f->normal, low->v[k]) <= least + hair) {
      mean = lb_vec3_add(mean, low->v[k]);
      count++;
      if (is_over(f, low->v[k])) {
        *place = low->v[k];
        return true;
      }
    }
  }
  *place = lb_vec3_scale(1.0 / count, mean);
  return is_over(f, *place);
}

// A face that looks along the normal with the deepest place of the other over it: the points are
// found, and the normal is the best one around.
static bool is_at_face(const lb_couple* c, lb_core_gap* io) {
  static const double FLUSH = 1 - 1e-12;
  const double hair = 1e-12 * c->scale;
  const lb_vec3 n = io->normal;
  lb_feature fa, fb;
  lb_couple_features(c, n, &fa, &fb);
  if (fb.n > 2 && lb_vec3_dot(fb.normal, n) > FLUSH && finds_place(&fb, &fa, hair, &io->point_a)) {
    io->point_b = lb_vec3_along(io->point_a, -io->distance, n);
    return true;
  }
  if (fa.n > 2 && lb_vec3_dot(fa.normal, n) < -FLUSH && finds_place(&fa, &fb, hair, &io->point_b)) {
    io->point_a = lb_vec3_along(io->point_b, io->distance, n);
    return true;
  }
  return false;
}

// The maximum of g next to the normal of the last step. It need not be the largest one of all, so
// overlaps count that are so shallow that no other can be better by more.
static bool is_still_there(const lb_couple* c, lb_vec3 n, lb_core_gap* out) {
  static const double SHALLOW = 1e-3; // of the smaller size
  const lb_corner s = lb_couple_support(c, lb_vec3_neg(n));
  const double g = lb_vec3_dot(n, s.w), size = fmin(c->a->size, c->b->size);
  if (!(g < 0 && g > -SHALLOW * size)) {
    return false;
  }
  *out = (lb_core_gap){.distance = g, .normal = n, .point_a = s.a, .point_b = s.b};
  try_features(c, out);
  const bool flat = c->ka->polygons && c->kb->polygons;
  if (is_at_face(c, out) || (!flat && certify(c, out, SHARP))) {
    return true;
  }
  return !flat && climb(c, out->normal, 0, NULL, out) && certify(c, out, FAIR);
}

bool lb_core_separate(const lb_couple* c, lb_vec3 start, double most, lb_core_gap* out) {
  static const double MEET = 1e-11; // of the scale
  if (lb_vec3_dot(start, start) > 0 && is_still_there(c, start, out)) {
    return true;
  }
  if (lb_gjk(c, start, most, out)) {
    if (out->distance > most) {
      return false;
    }
  } else {
    lb_epa(c, MEET, out);
  }
  const bool certain = lb_refine(c, out);
  out->bounded = out->bounded && (!certain || (c->ka->polygons && c->kb->polygons));
  return true;
}
