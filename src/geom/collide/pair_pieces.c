// A convex collider, or the triangles of another mesh, with the triangles of a mesh or height
// field.
//
// Each triangle is a convex piece. A triangle alone would push things off its edges, also where the
// surface goes on beyond them: a normal at an edge or corner counts only where it leaves the whole
// surface. Else, at edges that are flat or bend inwards, the face's own normal is taken instead.
// Points with the same normal become one manifold.
#include "geom/collide/bounds.h"
#include "geom/collide/closest.h"
#include "geom/collide/inside.h"
#include "geom/collide/pair.h"

static const double SAME = 1 - 1e-6; // cosine between normals of one manifold
static const double FACE = 1 - 1e-9; // cosine up to which a normal is that of the face
static const double ON_EDGE = 1e-6;  // weight of a corner that counts as none
static const double OFF = 3;         // of the least depth: how deep a face may be at its outer edge
static const double LEAN = 1e-6;     // sine by which a normal may leave its range

typedef struct gather {
  lb_pair_query* q;
  lb_couple couple;  // a convex one and the triangle of the moment
  lb_collider piece; // that triangle
  lb_vec3 facing;    // outward normal of a's own triangle, or zero
  uint64_t salt;     // number of a's own triangle
  lb_bounds box;     // of a in b's frame, for the walk over b
  int count;         // manifolds so far
  // of two meshes
  const lb_placed *a, *b;
} gather;

// --- manifolds by normals ---

static bool is_known(const lb_manifold* m, lb_vec3 x, double near) {
  bool known = false;
  for (int k = 0; k < m->npoint; k++) {
    known = known || lb_vec3_norm(lb_vec3_sub(m->point[k].position, x)) < near;
  }
  return known;
}

static void add_points(lb_manifold* to, const lb_manifold* from, double near) {
  lb_patch all = {.n = 0};
  for (int k = 0; k < to->npoint; k++) {
    all.point[all.n++] = to->point[k];
  }
  for (int k = 0; k < from->npoint; k++) {
    if (!is_known(to, from->point[k].position, near)) {
      all.point[all.n++] = from->point[k];
    }
  }
  to->distance = fmin(to->distance, from->distance);
  lb_patch_reduce(&all, to->normal, LB_MANIFOLD_MOST, to);
}

static double deepest_of(const lb_manifold* m) {
  double least = INFINITY;
  for (int k = 0; k < m->npoint; k++) {
    least = fmin(least, m->point[k].distance);
  }
  return least;
}

static void add_manifold(gather* s, lb_manifold* m, int piece) {
  lb_pair_query* q = s->q;
  const double near = 1e-6 * s->couple.a->size;
  m->distance = deepest_of(m);
  for (int k = 0; k < m->npoint; k++) {
    m->point[k].id = lb_feature_mix(lb_feature_mix(m->point[k].id, (uint64_t)piece), s->salt);
  }
  lb_manifold_to_world(s->a, m);
  for (int k = 0; k < s->count && k < q->room; k++) {
    if (lb_vec3_dot(q->out[k].normal, m->normal) > SAME) {
      add_points(&q->out[k], m, near);
      return;
    }
  }
  if (s->count < q->room) {
    q->out[s->count] = *m;
  }
  s->count++;
}

// --- one triangle ---

// Whether a normal leaves the surface at a point of it: a little way along it, that point is still
// the nearest one of the whole surface.
static bool leaves(const lb_collider* surface, const lb_piece* p, lb_vec3 n, lb_vec3 at) {
  const double way = 1e-4 * lb_vec3_norm(lb_vec3_sub(p->v[1], p->v[0]));
  lb_vec3 gradient;
  const double d =
      lb_collider_kind_of(surface)->point(surface, lb_vec3_along(at, way, n), &gradient);
  return d >= way * (1 - 1e-9);
}

typedef enum verdict { AS_IT_IS, BY_FACE, NOT_AT_ALL } verdict;

// What to make of a normal n (in b's frame, from b to a) at a point of the triangle.
static verdict judge(const lb_collider* surface, const lb_piece* p, lb_vec3 n, lb_vec3 at) {
  const double along = lb_vec3_dot(n, p->normal);
  if (along > FACE) {
    return BY_FACE;
  }
  if (along < -LEAN) {
    return p->solid ? BY_FACE : NOT_AT_ALL;
  }
  const lb_foot foot = lb_closest_on_triangle(at, p->v);
  if (leaves(surface, p, n, foot.point)) {
    return AS_IT_IS;
  }
  for (int k = 0; k < 3; k++) {
    const bool outer = p->convex[k] && lb_vec3_dot(p->across[k], p->normal) < SAME;
    if (foot.weight[(k + 2) % 3] < ON_EDGE && !outer) {
      return BY_FACE; // the surface goes on here
    }
  }
  return NOT_AT_ALL; // a neighbour's contact
}

static bool visit(void* context, const lb_piece* p) {
  gather* s = context;
  lb_couple* c = &s->couple;
  if (lb_vec3_dot(p->normal, p->normal) == 0) {
    return true;
  }
  s->piece = (lb_collider){.type = LB_COLLIDER_TRIANGLE, .corner = p->v};
  s->piece.size = c->a->size;
  lb_core_gap gap;
  const double radii = c->a->radius, most = s->q->margin + radii;
  if (!lb_core_separate(c, (lb_vec3){0, 0, 0}, most, &gap) || !(gap.distance <= most)) {
    return true;
  }
  s->q->outcome = gap.bounded ? LB_COLLIDE_BOUNDED : s->q->outcome;
  const lb_vec3 n = lb_mat3_apply_transposed(c->R, gap.normal);
  const lb_vec3 at = lb_mat3_apply_transposed(c->R, lb_vec3_sub(gap.point_b, c->p));
  verdict v = judge(s->q->b->c, p, n, at);
  const bool corner = v == NOT_AT_ALL && gap.distance < 0;
  v = corner ? BY_FACE : v;
  const lb_vec3 face = lb_mat3_apply(c->R, p->normal);
  const lb_vec3 used = v == BY_FACE ? face : gap.normal;
  if (v == NOT_AT_ALL || lb_vec3_dot(used, s->facing) > LEAN) {
    return true;
  }
  lb_manifold m;
  lb_patch_convex(c, &gap, v == BY_FACE ? &face : NULL, s->q->margin, NULL, &m);
  // an overlap at an outer edge whose own normal was of no use: by the face, unless that is far off
  if (m.npoint > 0 && !(corner && deepest_of(&m) < OFF * (gap.distance - radii))) {
    add_manifold(s, &m, p->id);
  }
  return true;
}

static lb_placed relative(const lb_placed* a, const lb_placed* b) {
  return (lb_placed){a->c, lb_mat3_mul(lb_mat3_transpose(b->R), a->R), lb_placed_inverse(b, a->p)};
}

static void finish(gather* s) {
  for (int k = 0; k < s->count && k < s->q->room; k++) {
    lb_manifold* m = &s->q->out[k];
    lb_patch all = {.n = m->npoint};
    for (int i = 0; i < m->npoint; i++) {
      all.point[i] = m->point[i];
    }
    const bool round = s->q->a->c->type == LB_COLLIDER_CYLINDER;
    lb_patch_reduce(&all, m->normal, round ? LB_MANIFOLD_MOST : LB_PATCH_FEW, m);
  }
}

static void begin(gather* s, const lb_placed* a, const lb_placed* b) {
  const lb_placed x = relative(a, b);
  s->couple = lb_couple_make(a, b);
  s->couple.b = &s->piece;
  s->couple.kb = &lb_collider_triangle;
  s->box = lb_bounds_grow(lb_placed_bounds(&x), s->q->margin);
}

static int put_inside(lb_pair_query* q) {
  lb_separation s;
  if (!lb_inside(q->a, q->b, &s)) {
    return 0;
  }
  const lb_vec3 middle = lb_vec3_scale(0.5, lb_vec3_add(s.point_a, s.point_b));
  const lb_manifold m = {
      .normal = s.normal, .distance = s.distance, .npoint = 1, .point = {{middle, s.distance, 1}}};
  return lb_pair_put(q, &m);
}

int lb_pair_pieces(lb_pair_query* q) {
  gather s = {.q = q, .a = q->a, .b = q->b};
  begin(&s, q->a, q->b);
  lb_collider_kind_of(q->b->c)->pieces(q->b->c, &s.box, visit, &s);
  finish(&s);
  return s.count > 0 ? s.count : put_inside(q);
}

// --- triangles with triangles ---

static bool visit_outer(void* context, const lb_piece* p) {
  gather* s = context;
  lb_collider own = {.type = LB_COLLIDER_TRIANGLE, .corner = p->v, .size = s->q->a->c->size};
  own.box = lb_bounds_add(lb_bounds_add((lb_bounds){p->v[0], p->v[0]}, p->v[1]), p->v[2]);
  const lb_placed a = {&own, s->q->a->R, s->q->a->p};
  s->a = &a;
  s->facing = p->normal;
  s->salt = (uint64_t)p->id + 1;
  begin(s, &a, s->q->b);
  lb_collider_kind_of(s->q->b->c)->pieces(s->q->b->c, &s->box, visit, s);
  s->a = s->q->a;
  return true;
}

int lb_pair_pieces_pieces(lb_pair_query* q) {
  gather s = {.q = q, .a = q->a, .b = q->b};
  const lb_placed b_in_a = relative(q->b, q->a);
  const lb_bounds box = lb_bounds_grow(lb_placed_bounds(&b_in_a), q->margin);
  lb_collider_kind_of(q->a->c)->pieces(q->a->c, &box, visit_outer, &s);
  finish(&s);
  return s.count;
}
