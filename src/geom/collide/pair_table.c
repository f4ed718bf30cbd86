// The table of pairs. Only a type before or equal to the other has an entry; the rest are the same
// pairs turned round.
#include "geom/collide/pair.h"

#include "base/assert.h"

#define N LB_COLLIDER_COUNT
static const lb_pair TABLE[N][N] = {
    [LB_COLLIDER_SPHERE] = {[LB_COLLIDER_SPHERE] = lb_pair_sphere,
                            [LB_COLLIDER_CAPSULE] = lb_pair_sphere,
                            [LB_COLLIDER_BOX] = lb_pair_sphere,
                            [LB_COLLIDER_CYLINDER] = lb_pair_sphere,
                            [LB_COLLIDER_ELLIPSOID] = lb_pair_sphere,
                            [LB_COLLIDER_CONVEX] = lb_pair_sphere,
                            [LB_COLLIDER_MESH] = lb_pair_pieces,
                            [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                            [LB_COLLIDER_PLANE] = lb_pair_sphere},
    [LB_COLLIDER_CAPSULE] = {[LB_COLLIDER_CAPSULE] = lb_pair_capsule_capsule,
                             [LB_COLLIDER_BOX] = lb_pair_convex,
                             [LB_COLLIDER_CYLINDER] = lb_pair_convex,
                             [LB_COLLIDER_ELLIPSOID] = lb_pair_convex,
                             [LB_COLLIDER_CONVEX] = lb_pair_convex,
                             [LB_COLLIDER_MESH] = lb_pair_pieces,
                             [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                             [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_BOX] = {[LB_COLLIDER_BOX] = lb_pair_box_box,
                         [LB_COLLIDER_CYLINDER] = lb_pair_convex,
                         [LB_COLLIDER_ELLIPSOID] = lb_pair_convex,
                         [LB_COLLIDER_CONVEX] = lb_pair_convex,
                         [LB_COLLIDER_MESH] = lb_pair_pieces,
                         [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                         [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_CYLINDER] = {[LB_COLLIDER_CYLINDER] = lb_pair_convex,
                              [LB_COLLIDER_ELLIPSOID] = lb_pair_convex,
                              [LB_COLLIDER_CONVEX] = lb_pair_convex,
                              [LB_COLLIDER_MESH] = lb_pair_pieces,
                              [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                              [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_ELLIPSOID] = {[LB_COLLIDER_ELLIPSOID] = lb_pair_convex,
                               [LB_COLLIDER_CONVEX] = lb_pair_convex,
                               [LB_COLLIDER_MESH] = lb_pair_pieces,
                               [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                               [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_CONVEX] = {[LB_COLLIDER_CONVEX] = lb_pair_convex,
                            [LB_COLLIDER_MESH] = lb_pair_pieces,
                            [LB_COLLIDER_HEIGHTS] = lb_pair_pieces,
                            [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_MESH] = {[LB_COLLIDER_MESH] = lb_pair_pieces_pieces,
                          [LB_COLLIDER_HEIGHTS] = lb_pair_pieces_pieces,
                          [LB_COLLIDER_PLANE] = lb_pair_plane},
    [LB_COLLIDER_HEIGHTS] =
        {[LB_COLLIDER_HEIGHTS] = lb_pair_none, [LB_COLLIDER_PLANE] = lb_pair_none},
    [LB_COLLIDER_PLANE] = {[LB_COLLIDER_PLANE] = lb_pair_none},
};

int lb_pair_none(lb_pair_query* q) {
  q->outcome = LB_COLLIDE_REFUSED;
  return 0;
}

int lb_pair_put(lb_pair_query* q, const lb_manifold* m) {
  if (m->npoint == 0) {
    return 0;
  }
  if (q->room > 0) {
    q->out[0] = *m;
  }
  return 1;
}

static bool is_finite(const lb_placed* x) {
  // a sum is finite only where each of its terms is
  const lb_mat3 R = x->R;
  return isfinite(x->p.x + x->p.y + x->p.z + R.x.x + R.x.y + R.x.z + R.y.x + R.y.y + R.y.z + R.z.x +
                  R.z.y + R.z.z);
}

lb_collide_report lb_collide(const lb_placed* a, const lb_placed* b, double margin,
                             lb_pair_cache* cache, lb_manifold* out, int room) {
  LB_ASSERT(margin >= 0 && room >= 0);
  if (!is_finite(a) || !is_finite(b)) {
    return (lb_collide_report){.outcome = LB_COLLIDE_REFUSED};
  }
  lb_pair_cache none = {0};
  const bool turned = a->c->type > b->c->type;
  lb_pair_query q = {.a = turned ? b : a,
                     .b = turned ? a : b,
                     .margin = margin,
                     .cache = cache ? cache : &none,
                     .out = out,
                     .room = room};
  const lb_pair pair = TABLE[q.a->c->type][q.b->c->type];
  const int n = (pair ? pair : lb_pair_none)(&q);
  for (int k = 0; turned && k < n && k < room; k++) {
    out[k].normal = lb_vec3_neg(out[k].normal);
    out[k].face = out[k].face > 0 ? 3 - out[k].face : 0;
  }
  return (lb_collide_report){n, q.outcome};
}

int lb_collide_contacts(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                        lb_transform X_wb, double margin, lb_manifold* out, int room) {
  const lb_placed x = lb_placed_make(a, X_wa), y = lb_placed_make(b, X_wb);
  const lb_collide_report r = lb_collide(&x, &y, margin, NULL, out, room);
  return r.outcome == LB_COLLIDE_REFUSED ? -1 : r.nmanifold;
}
