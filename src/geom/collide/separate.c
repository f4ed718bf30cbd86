// Distances of any two colliders, overlap, rays and times of impact.
#include "geom/collide/bounds.h"
#include "geom/collide/gjk.h"
#include "geom/collide/inside.h"
#include "math/space/se3.h"

static lb_separation refused(void) {
  return (lb_separation){.distance = NAN, .outcome = LB_COLLIDE_REFUSED};
}

static lb_separation turned(lb_separation s) {
  const lb_separation t = s;
  s.normal = lb_vec3_neg(t.normal);
  s.point_a = t.point_b, s.point_b = t.point_a;
  s.piece_a = t.piece_b, s.piece_b = t.piece_a;
  return s;
}

// From the cores in the frame of a to the surfaces in the world.
static lb_separation outside_of(const lb_couple* c, const lb_core_gap* g, const lb_placed* a) {
  const double ra = c->a->radius, rb = c->b->radius;
  return (lb_separation){.distance = g->distance - ra - rb,
                         .normal = lb_mat3_apply(a->R, g->normal),
                         .point_a = lb_placed_point(a, lb_vec3_along(g->point_a, -ra, g->normal)),
                         .point_b = lb_placed_point(a, lb_vec3_along(g->point_b, rb, g->normal)),
                         .outcome = g->bounded ? LB_COLLIDE_BOUNDED : LB_COLLIDE_DONE};
}

static lb_separation by_support(const lb_placed* a, const lb_placed* b) {
  const lb_couple c = lb_couple_make(a, b);
  lb_core_gap g;
  lb_core_separate(&c, (lb_vec3){0, 0, 0}, INFINITY, &g);
  return outside_of(&c, &g, a);
}

// A sphere a and anything.
static lb_separation by_point(const lb_placed* a, const lb_placed* b) {
  lb_vec3 gradient;
  const double r = a->c->radius;
  const double d = lb_collider_point(b->c, lb_placed_inverse(b, a->p), &gradient);
  const lb_vec3 n = lb_mat3_apply(b->R, gradient);
  return (lb_separation){.distance = d - r,
                         .normal = n,
                         .point_a = lb_vec3_along(a->p, -r, n),
                         .point_b = lb_vec3_along(a->p, -d, n)};
}

static lb_separation by_plane_point(const lb_placed* b, lb_vec3 x, double r, int piece) {
  const lb_vec3 n = b->R.z;
  const double d = lb_vec3_dot(n, lb_vec3_sub(x, b->p));
  return (lb_separation){.distance = d - r,
                         .normal = n,
                         .point_a = lb_vec3_along(x, -r, n),
                         .point_b = lb_vec3_along(x, -d, n),
                         .piece_a = piece};
}

// --- triangles ---

typedef struct search {
  const lb_placed *a, *b; // b has the triangles of the moment, a is convex
  lb_separation best;
  lb_bounds around, box; // of a in b's frame, and within the best distance
  int piece_a;
} search;

static lb_placed relative(const lb_placed* a, const lb_placed* b) {
  return (lb_placed){a->c, lb_mat3_mul(lb_mat3_transpose(b->R), a->R), lb_placed_inverse(b, a->p)};
}

static bool nearer(void* context, const lb_piece* p) {
  search* s = context;
  lb_collider piece = {.type = LB_COLLIDER_TRIANGLE, .corner = p->v};
  piece.box = lb_bounds_add(lb_bounds_add((lb_bounds){p->v[0], p->v[0]}, p->v[1]), p->v[2]);
  const lb_placed b = {&piece, s->b->R, s->b->p};
  lb_separation x = by_support(s->a, &b);
  x.piece_a = s->piece_a;
  x.piece_b = p->id;
  if (x.distance < s->best.distance) {
    s->best = x;
    s->box = lb_bounds_grow(s->around, fmax(0, x.distance));
  }
  return true;
}

static void search_pieces(search* s) {
  const lb_placed x = relative(s->a, s->b);
  s->around = lb_placed_bounds(&x);
  s->box = lb_bounds_grow(s->around, fmax(0, s->best.distance));
  lb_collider_kind_of(s->b->c)->pieces(s->b->c, &s->box, nearer, s);
}

static lb_separation by_pieces(const lb_placed* a, const lb_placed* b) {
  search s = {.a = a, .b = b, .best = {.distance = INFINITY}};
  search_pieces(&s);
  if (s.best.distance > 0) {
    lb_inside(a, b, &s.best);
  }
  return s.best;
}

typedef struct outer {
  const lb_placed *a, *b;
  lb_separation best;
  lb_bounds around, box;
} outer;

static bool nearer_outer(void* context, const lb_piece* p) {
  outer* o = context;
  lb_collider own = {.type = LB_COLLIDER_TRIANGLE, .corner = p->v};
  own.box = lb_bounds_add(lb_bounds_add((lb_bounds){p->v[0], p->v[0]}, p->v[1]), p->v[2]);
  const lb_placed a = {&own, o->a->R, o->a->p};
  search s = {.a = &a, .b = o->b, .best = o->best, .piece_a = p->id};
  search_pieces(&s);
  o->best = s.best;
  o->box = lb_bounds_grow(o->around, fmax(0, s.best.distance));
  return true;
}

static lb_separation by_both_pieces(const lb_placed* a, const lb_placed* b) {
  outer o = {.a = a, .b = b, .best = {.distance = INFINITY}};
  const lb_placed x = relative(b, a);
  o.around = lb_placed_bounds(&x);
  o.box = lb_bounds_grow(o.around, INFINITY);
  lb_collider_kind_of(a->c)->pieces(a->c, &o.box, nearer_outer, &o);
  return o.best;
}

// --- planes ---

typedef struct lowest {
  const lb_placed *a, *b;
  lb_bounds box;
  lb_separation best;
} lowest;

static bool lower(void* context, const lb_piece* p) {
  lowest* s = context;
  for (int k = 0; k < 3; k++) {
    const lb_separation x = by_plane_point(s->b, lb_placed_point(s->a, p->v[k]), 0, p->id);
    s->best = x.distance < s->best.distance ? x : s->best;
  }
  return true;
}

static lb_separation by_plane(const lb_placed* a, const lb_placed* b) {
  const lb_collider_kind* kind = lb_collider_kind_of(a->c);
  const lb_vec3 down = lb_vec3_neg(lb_mat3_apply_transposed(a->R, b->R.z));
  if (kind->support) {
    return by_plane_point(b, lb_placed_point(a, kind->support(a->c, down)), a->c->radius, 0);
  }
  lowest s = {.a = a, .b = b, .box = a->c->box, .best = {.distance = INFINITY}};
  kind->pieces(a->c, &s.box, lower, &s);
  return s.best;
}

// --- any two ---

static bool is_finite(const lb_placed* x) {
  return lb_vec3_finite(x->p) && lb_vec3_finite(x->R.x) && lb_vec3_finite(x->R.y) &&
         lb_vec3_finite(x->R.z);
}

lb_separation lb_separate(const lb_placed* a, const lb_placed* b) {
  if (!is_finite(a) || !is_finite(b)) {
    return refused();
  }
  if (a->c->type > b->c->type) {
    return turned(lb_separate(b, a));
  }
  const lb_collider_kind *ka = lb_collider_kind_of(a->c), *kb = lb_collider_kind_of(b->c);
  if (a->c->type == LB_COLLIDER_PLANE ||
      (b->c->type == LB_COLLIDER_PLANE && !ka->support && !ka->pieces)) {
    return refused();
  }
  return b->c->type == LB_COLLIDER_PLANE ? by_plane(a, b)
         : ka->support && kb->support
             ? (a->c->type == LB_COLLIDER_SPHERE ? by_point(a, b) : by_support(a, b))
         : ka->support ? by_pieces(a, b)
                       : by_both_pieces(a, b);
}

lb_separation lb_collide_distance(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                                  lb_transform X_wb) {
  const lb_placed x = lb_placed_make(a, X_wa), y = lb_placed_make(b, X_wb);
  return lb_separate(&x, &y);
}

bool lb_collide_overlap(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                        lb_transform X_wb) {
  return lb_collide_distance(a, X_wa, b, X_wb).distance <= 0;
}

bool lb_collide_ray(const lb_collider* c, lb_transform X_wc, const lb_ray* ray, lb_ray_hit* hit) {
  const lb_placed x = lb_placed_make(c, X_wc);
  const lb_ray own = {lb_placed_inverse(&x, ray->origin),
                      lb_mat3_apply_transposed(x.R, ray->direction), ray->most};
  lb_ray_hit h;
  if (!lb_vec3_finite(own.origin) || !lb_vec3_finite(own.direction) ||
      !lb_collider_ray(c, &own, &h)) {
    return false;
  }
  h.normal = lb_mat3_apply(x.R, h.normal);
  *hit = h;
  return true;
}

// --- time of impact ---

static lb_transform moved(const lb_collide_motion* m, double t) {
  return (lb_transform){lb_quat_mul(lb_quat_exp(lb_vec3_scale(t, m->w)), m->X.q),
                        lb_vec3_along(m->X.p, t, m->v)};
}

// Farthest point from the origin of the frame.
static double reach(const lb_collider* c) {
  const lb_bounds b = c->box;
  const lb_vec3 far = {fmax(fabs(b.low.x), fabs(b.high.x)), fmax(fabs(b.low.y), fabs(b.high.y)),
                       fmax(fabs(b.low.z), fabs(b.high.z))};
  return c->type == LB_COLLIDER_PLANE ? 0 : lb_vec3_norm(far);
}

// Conservative advancement: no point of a comes nearer to b along the normal at more than
//
//   n.(vb - va) + |wa| reach_a + |wb| reach_b
//
// so the time of a distance over that speed is safe. Of surfaces that are not convex the normal may
// change at once, and the whole speed counts.
lb_impact lb_collide_impact(const lb_collider* a, const lb_collide_motion* ma, const lb_collider* b,
                            const lb_collide_motion* mb, double duration, double tolerance) {
  enum { MOST = 1000 };
  const bool convex = lb_collider_kind_of(a)->support && lb_collider_kind_of(b)->support;
  const bool plane = a->type == LB_COLLIDER_PLANE || b->type == LB_COLLIDER_PLANE;
  const double spin = lb_vec3_norm(ma->w) * reach(a) + lb_vec3_norm(mb->w) * reach(b);
  const lb_vec3 v = lb_vec3_sub(mb->v, ma->v);
  lb_impact out = {.time = 0};
  for (int k = 0; k < MOST; k++) {
    out.at = lb_collide_distance(a, moved(ma, out.time), b, moved(mb, out.time));
    if (out.at.outcome == LB_COLLIDE_REFUSED || out.at.distance <= tolerance) {
      out.hit = out.at.distance <= tolerance;
      return out;
    }
    const double along = convex || plane ? lb_vec3_dot(v, out.at.normal) : lb_vec3_norm(v);
    const double speed = along + spin;
    const double step = (out.at.distance - tolerance / 2) / speed;
    if (!(speed > 0) || out.time + step >= duration) {
      out.time = duration;
      out.at = lb_collide_distance(a, moved(ma, duration), b, moved(mb, duration));
      return out;
    }
    out.time += step;
  }
  out.at.outcome = LB_COLLIDE_BOUNDED; // up to here it is safe
  return out;
}
