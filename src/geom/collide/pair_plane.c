// Anything above a half space: of convex colliders the corners of the feature that faces it, of
// meshes all vertices.
#include "geom/collide/pair.h"
#include "geom/collide/trimesh.h"

typedef struct above {
  const lb_placed* a;
  lb_vec3 up;    // the plane's normal in the frame of a
  double height; // of a's origin
  double margin;
  lb_patch patch;
} above;

// Point x of the core, in the frame of a. A full patch makes room by choosing few.
static void offer(above* s, lb_vec3 x, uint64_t id) {
  const double r = s->a->c->radius, d = lb_vec3_dot(s->up, x) + s->height - r;
  if (!(d <= s->margin)) {
    return;
  }
  if (s->patch.n == LB_PATCH_MOST) {
    lb_manifold few;
    lb_patch_reduce(&s->patch, s->up, LB_MANIFOLD_MOST, &few);
    s->patch.n = few.npoint;
    for (int k = 0; k < few.npoint; k++) {
      s->patch.point[k] = few.point[k];
    }
  }
  s->patch.point[s->patch.n++] = (lb_contact_point){lb_vec3_along(x, -(r + d / 2), s->up), d, id};
}

static void offer_all(above* s, int n, const lb_vec3* x) {
  for (int i = 0; i < n; i++) {
    offer(s, x[i], (uint64_t)i + 1);
  }
}

static void offer_feature(above* s) {
  const lb_collider_kind* kind = lb_collider_kind_of(s->a->c);
  const lb_vec3 down = lb_vec3_neg(s->up);
  if (!kind->feature) {
    offer(s, kind->support(s->a->c, down), 1);
    return;
  }
  lb_feature f;
  kind->feature(s->a->c, down, &f);
  for (int k = 0; k < f.n; k++) {
    offer(s, f.v[k], (uint64_t)f.vid[k] + 1);
  }
}

int lb_pair_plane(lb_pair_query* q) {
  const lb_collider* c = q->a->c;
  const lb_vec3 n = q->b->R.z;
  above s = {.a = q->a,
             .up = lb_mat3_apply_transposed(q->a->R, n),
             .height = lb_vec3_dot(n, lb_vec3_sub(q->a->p, q->b->p)),
             .margin = q->margin,
             .patch = {.n = 0}};
  const lb_bounds box = c->box;
  const lb_vec3 u = s.up,
                lowest = {u.x > 0 ? box.low.x : box.high.x, u.y > 0 ? box.low.y : box.high.y,
                          u.z > 0 ? box.low.z : box.high.z};
  if (lb_vec3_dot(u, lowest) + s.height > q->margin) {
    return 0;
  }
  if (c->mesh) {
    offer_all(&s, c->mesh->nvertex, c->mesh->vertex);
  } else {
    offer_feature(&s);
  }
  const bool few = lb_collider_kind_of(c)->polygons;
  lb_manifold m;
  lb_patch_reduce(&s.patch, s.up, few ? LB_PATCH_FEW : LB_MANIFOLD_MOST, &m);
  m.normal = s.up;
  m.face = 2;
  m.distance = INFINITY;
  for (int k = 0; k < m.npoint; k++) {
    m.distance = fmin(m.distance, m.point[k].distance);
  }
  lb_manifold_to_world(q->a, &m);
  return lb_pair_put(q, &m);
}
