#include "geom/collide/collide_derivative.h"

#include <math.h>
#include <string.h>

#include "geom/collide/bounds.h"
#include "geom/collide/closest.h"
#include "geom/collide/collider_kind.h"
#include "math/linear/dense.h"

static const double NEAR = 1e-7;      // of the size: a point is on a corner or edge
static const double ALONG = 1 - 1e-9; // cosine between normals that are the same
static const double FLAT = 1 - 1e-15; // likewise, to rounding
enum { MOST_SLIDES = 2, MOST = 2 + MOST_SLIDES };

// --- features ---

// What a collider touches with, in the world: so many directions in which it is flat.
typedef struct touching {
  lb_vec3 at;      // on the surface
  lb_vec3 core;    // on the core
  lb_mat3 H;       // Hessian of the support function
  lb_vec3 edge[2]; // [flat] directions
  int flat;        // 0 a corner or curved surface, 1 an edge, 2 a face
  lb_feature face; // that faces the other one, in the world
  int corner;      // of it, or where the edge begins
  bool round;      // its edges are none of the body's
} touching;

static lb_vec3 across(lb_vec3 n) {
  const lb_vec3 a = fabs(n.x) < 0.6 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
  return lb_vec3_unit_or(lb_vec3_cross(n, a), a);
}

static void be_face(touching* t, lb_vec3 normal) {
  t->flat = 2;
  t->edge[0] = across(normal);
  t->edge[1] = lb_vec3_cross(normal, t->edge[0]);
}

static double off_segment(lb_vec3 x, lb_vec3 p, lb_vec3 q) {
  const lb_vec3 e = lb_vec3_sub(q, p);
  const double t = lb_clamp(lb_vec3_dot(e, lb_vec3_sub(x, p)) / lb_vec3_dot(e, e), 0, 1);
  return lb_vec3_norm(lb_vec3_sub(x, lb_vec3_along(p, t, e)));
}

// The corner of a polygon that a point is on; -1: none.
static int corner_at(const lb_feature* f, lb_vec3 x, double near) {
  int at = -1;
  for (int k = 0; k < f->n && at < 0; k++) {
    at = lb_vec3_norm(lb_vec3_sub(x, f->v[k])) < near ? k : -1;
  }
  return at;
}

// The edge of a polygon that is nearest to a point: its direction, and how far away it is.
static double nearest_edge(const lb_feature* f, lb_vec3 x, lb_vec3* direction, int* which) {
  double least = INFINITY;
  for (int k = 0; k < f->n - (f->n == 2); k++) {
    const lb_vec3 p = f->v[k], q = f->v[(k + 1) % f->n];
    const double off = off_segment(x, p, q);
    if (off < least) {
      least = off;
      *direction = lb_vec3_unit_or(lb_vec3_sub(q, p), p);
      *which = k;
    }
  }
  return least;
}

// Corner, edge or face of a polygon that the core's point is on; false: it is beside a line.
static bool be_polygon(touching* t, double near) {
  lb_vec3 e = {0, 0, 0};
  t->flat = 0;
  t->corner = t->face.n == 1 ? 0 : corner_at(&t->face, t->core, near);
  if (t->corner >= 0) {
    return true;
  }
  const double off = nearest_edge(&t->face, t->core, &e, &t->corner);
  if (off < near || t->face.n == 2) {
    t->flat = 1;
    t->edge[0] = e;
  } else {
    be_face(t, t->face.normal);
  }
  return off < near || t->face.n > 2;
}

static void to_world(const lb_placed* x, lb_feature* f) {
  f->normal = lb_mat3_apply(x->R, f->normal);
  for (int k = 0; k < f->n; k++) {
    f->v[k] = lb_placed_point(x, f->v[k]);
  }
}

// --- triangles ---

typedef struct lookup {
  lb_vec3 x, out; // a point and the way out of the surface, in its frame
  double near;
  lb_feature* f;
  bool found;
} lookup;

static bool look_at_piece(void* context, const lb_piece* p) {
  lookup* s = context;
  const lb_foot foot = lb_closest_on_triangle(s->x, p->v);
  if (lb_vec3_dot(p->normal, s->out) > ALONG &&
      lb_vec3_norm(lb_vec3_sub(foot.point, s->x)) < s->near) {
    s->found = true;
    s->f->n = 3;
    s->f->normal = p->normal;
    for (int k = 0; k < 3; k++) {
      s->f->v[k] = p->v[k];
    }
  }
  return !s->found;
}

// The triangle that has the point and the normal; false: the point is on an edge or corner.
static bool find_piece(const lb_placed* x, lb_vec3 at, lb_vec3 out, double near, lb_feature* f) {
  lookup s = {.x = lb_placed_inverse(x, at),
              .out = lb_mat3_apply_transposed(x->R, out),
              .near = near,
              .f = f};
  const lb_bounds box = lb_bounds_grow((lb_bounds){s.x, s.x}, near);
  lb_collider_kind_of(x->c)->pieces(x->c, &box, look_at_piece, &s);
  return s.found;
}

// --- what touches ---

static lb_mat3 hessian(const lb_placed* x, lb_vec3 out) {
  const lb_collider_kind* kind = lb_collider_kind_of(x->c);
  lb_mat3 H = {{x->c->radius, 0, 0}, {0, x->c->radius, 0}, {0, 0, x->c->radius}};
  if (kind->curvature) {
    const lb_sym3 C =
        lb_sym3_rotate(x->R, kind->curvature(x->c, lb_mat3_apply_transposed(x->R, out)));
    H.x = lb_vec3_add(H.x, lb_sym3_apply(C, lb_vec3_make(1, 0, 0)));
    H.y = lb_vec3_add(H.y, lb_sym3_apply(C, lb_vec3_make(0, 1, 0)));
    H.z = lb_vec3_add(H.z, lb_sym3_apply(C, lb_vec3_make(0, 0, 1)));
  }
  return H;
}

// Corners and edges of caps move on them; false: it is not known how.
static bool add_slides(const lb_placed* x, lb_vec3 out, touching* t) {
  const lb_collider_kind* kind = lb_collider_kind_of(x->c);
  lb_mat3 D = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  t->round = kind->slides;
  if (!kind->slides || t->flat == 2) {
    return true;
  }
  if (!kind->slides(x->c, lb_mat3_apply_transposed(x->R, out), t->corner, t->flat == 1, &D)) {
    return false;
  }
  t->H = lb_mat3_mul(x->R, lb_mat3_mul(D, lb_mat3_transpose(x->R)));
  return true;
}

// Whether the core's point is the one place of a rim that faces out. Points that are not cut from
// caps are on the rim itself, while corners of caps come onto it only as these tilt.
static bool is_on_rim(const lb_placed* x, lb_vec3 out, lb_vec3 core, double near) {
  const lb_collider_kind* kind = lb_collider_kind_of(x->c);
  const lb_vec3 d = lb_mat3_apply_transposed(x->R, out);
  const lb_vec3 lowest = lb_placed_point(x, kind->support(x->c, d));
  return lb_vec3_norm(lb_vec3_sub(lowest, core)) < near;
}

static bool find_touching(const lb_placed* x, lb_vec3 at, lb_vec3 out, int face, double near,
                          touching* t) {
  const lb_collider_kind* kind = lb_collider_kind_of(x->c);
  *t = (touching){.at = at, .core = lb_vec3_along(at, -x->c->radius, out)};
  if (kind->pieces) {
    const bool found = find_piece(x, at, out, near, &t->face);
    to_world(x, &t->face);
    be_face(t, t->face.normal);
    return found;
  }
  if (!kind->support) { // a plane
    be_face(t, out);
    return true;
  }
  const bool rim = kind->slides && face == 0 && is_on_rim(x, out, t->core, near);
  t->H = kind->slides && !rim ? (lb_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}} : hessian(x, out);
  t->face.n = 1;
  if (rim) {
    return true;
  }
  if (kind->feature) {
    kind->feature(x->c, lb_mat3_apply_transposed(x->R, out), &t->face);
    to_world(x, &t->face);
    if (!be_polygon(t, near) && kind->slides) { // it is the line that faces another way
      return false;
    }
  }
  return add_slides(x, out, t);
}

// --- slides and conditions ---

typedef struct sliding {
  int count;
  lb_vec3 way[MOST_SLIDES];  // slides
  int side[MOST_SLIDES];     // 0 of a, 1 of b
  lb_vec3 held[MOST_SLIDES]; // e of the conditions on the normal
  int holder[MOST_SLIDES];
} sliding;

static bool add_flat(sliding* s, const touching* t, int side) {
  for (int k = 0; k < t->flat; k++) {
    if (s->count == MOST_SLIDES) {
      return false;
    }
    s->way[s->count] = s->held[s->count] = t->edge[k];
    s->side[s->count] = s->holder[s->count] = side;
    s->count++;
  }
  return true;
}

static void slide(sliding* s, int k, lb_vec3 way, int side) {
  s->way[k] = way;
  s->side[k] = side;
}

// The normal is that of a face. A corner of the other one moves over it; an edge of the other one
// crosses one of the face's; or a corner of the face is within a face of the other one.
static bool cut_to_face(sliding* s, const touching t[2], int ref, lb_vec3 n, double near) {
  const touching *r = &t[ref], *o = &t[1 - ref];
  lb_vec3 e = {0, 0, 0};
  touching plane = *r;
  be_face(&plane, n);
  add_flat(s, &plane, ref);
  if (o->flat == 0) {
    return true;
  }
  const bool own = corner_at(&r->face, r->core, 10 * near) >= 0;
  if (o->flat == 1 && r->face.n > 2) {
    if (r->round) {
      return false;
    }
    int which;
    nearest_edge(&r->face, r->core, &e, &which);
    slide(s, 0, e, ref);
    slide(s, 1, o->edge[0], 1 - ref);
    return true;
  }
  slide(s, 0, o->edge[0], 1 - ref);
  slide(s, 1, o->edge[1], 1 - ref);
  return o->flat == 2 && own;
}

static double width_of(const lb_feature* f) {
  double most = 0;
  for (int k = 1; k < f->n; k++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(f->v[k], f->v[0])));
  }
  return most;
}

// Whose face gives the normal. Of two that lie flat on each other it is the wider one as soon as
// they tilt: its plane then separates them better.
static int reference(const touching t[2], int face) {
  const lb_feature *a = &t[0].face, *b = &t[1].face;
  const bool flat = a->n > 2 && b->n > 2 && lb_vec3_dot(a->normal, b->normal) < -FLAT;
  return !flat ? face - 1 : width_of(b) > width_of(a) ? 1 : 0;
}

static bool find_slides(sliding* s, const touching t[2], int face, lb_vec3 n, double near) {
  *s = (sliding){0};
  return face > 0 ? cut_to_face(s, t, reference(t, face), n, near)
                  : add_flat(s, &t[0], 0) && add_flat(s, &t[1], 1);
}

// --- equations ---

// The two colliders' motion by one of the twelve.
typedef struct moving {
  lb_vec3 w[2], v[2]; // turning, and velocity of the material points that touch
} moving;

static moving move_by(int i, const lb_vec3 offset[2]) {
  moving x = {0};
  const int side = i / 6, k = i % 3;
  const lb_vec3 unit = {k == 0, k == 1, k == 2};
  if (i % 6 < 3) {
    x.w[side] = unit;
    x.v[side] = lb_vec3_cross(unit, offset[side]);
  } else {
    x.v[side] = unit;
  }
  return x;
}

typedef struct system {
  lb_vec3 n, t[2];
  double g;
  touching of[2];
  sliding s;
  double A[MOST * MOST]; // by columns
  int pivot[MOST];
} system;

static double sign_of(int side) {
  return side == 0 ? 1 : -1;
}

// Unknowns are dn along t, then the slides; equations (2) along t, then the conditions.
static bool factor(system* y) {
  const int n = 2 + y->s.count;
  memset(y->A, 0, sizeof y->A);
  for (int k = 0; k < 2; k++) {
    const lb_vec3 bent =
        lb_vec3_add(lb_mat3_apply(y->of[0].H, y->t[k]), lb_mat3_apply(y->of[1].H, y->t[k]));
    for (int i = 0; i < 2; i++) {
      y->A[i + k * n] = (i == k) * y->g + lb_vec3_dot(y->t[i], bent);
    }
    for (int j = 0; j < y->s.count; j++) {
      y->A[2 + j + k * n] = lb_vec3_dot(y->s.held[j], y->t[k]);
      y->A[k + (2 + j) * n] = -sign_of(y->s.side[j]) * lb_vec3_dot(y->s.way[j], y->t[k]);
    }
  }
  return lb_lu(n, y->A, n, y->pivot) == LB_OK;
}

static lb_point_change solve(const system* y, const moving* x) {
  const int n = 2 + y->s.count;
  const lb_vec3 wn[2] = {lb_vec3_cross(x->w[0], y->n), lb_vec3_cross(x->w[1], y->n)};
  double z[MOST];
  for (int i = 0; i < 2; i++) {
    const lb_vec3 apart =
        lb_vec3_add(lb_vec3_sub(x->v[0], x->v[1]), lb_vec3_add(lb_mat3_apply(y->of[0].H, wn[0]),
                                                               lb_mat3_apply(y->of[1].H, wn[1])));
    z[i] = lb_vec3_dot(y->t[i], apart);
  }
  for (int j = 0; j < y->s.count; j++) {
    z[2 + j] = lb_vec3_dot(y->s.held[j], wn[y->s.holder[j]]);
  }
  lb_lu_solve(n, y->A, n, y->pivot, 1, z, n);
  const lb_vec3 dn = lb_vec3_add(lb_vec3_scale(z[0], y->t[0]), lb_vec3_scale(z[1], y->t[1]));
  lb_vec3 at[2];
  for (int side = 0; side < 2; side++) { // (1)
    const lb_vec3 turned = lb_mat3_apply(y->of[side].H, lb_vec3_sub(dn, wn[side]));
    at[side] = lb_vec3_along(x->v[side], -sign_of(side), turned);
  }
  for (int j = 0; j < y->s.count; j++) {
    at[y->s.side[j]] = lb_vec3_along(at[y->s.side[j]], z[2 + j], y->s.way[j]);
  }
  return (lb_point_change){lb_vec3_scale(0.5, lb_vec3_add(at[0], at[1])), dn,
                           lb_vec3_dot(y->n, lb_vec3_sub(at[0], at[1]))};
}

bool lb_collide_differentiate(const lb_placed* a, const lb_placed* b, const lb_manifold* m, int k,
                              lb_point_change by[LB_POINT_MOTIONS]) {
  const lb_contact_point* p = &m->point[k];
  const double near = NEAR * fmin(a->c->size, b->c->size);
  if (m->face == 0 &&
      p->id >> 60 == 3) { // lines side by side: their normal is that of other points
    return false;
  }
  system y = {.n = m->normal, .t = {across(m->normal)}, .g = p->distance};
  y.t[1] = lb_vec3_cross(y.n, y.t[0]);
  const lb_vec3 offset[2] = {lb_vec3_scale(y.g / 2, y.n), lb_vec3_scale(-y.g / 2, y.n)};
  if (!find_touching(a, lb_vec3_add(p->position, offset[0]), lb_vec3_neg(y.n), m->face, near,
                     &y.of[0]) ||
      !find_touching(b, lb_vec3_add(p->position, offset[1]), y.n, m->face, near, &y.of[1]) ||
      !find_slides(&y.s, y.of, m->face, y.n, near) || !factor(&y)) {
    return false;
  }
  for (int i = 0; i < LB_POINT_MOTIONS; i++) {
    const moving x = move_by(i, offset);
    by[i] = solve(&y, &x);
  }
  return true;
}
