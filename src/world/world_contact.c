// Contacts of a world, and queries on its solid shapes.
#include <math.h>

#include "geom/collide/collide.h"
#include "world/world_inside.h"

int lb_world_contacts(lb_world* w, lb_body_contact* out, int room) {
  return lb_body_contacts(w->d, out, room);
}

static lb_transform pose_of(lb_world* w, const lb_model_collider* c) {
  return c->body == LB_WORLD
             ? c->X
             : lb_transform_mul(lb_world_pose(w, c->body), w->m->look.shape[c->shape].pose);
}

bool lb_world_ray(lb_world* w, const lb_ray* ray, lb_world_hit* hit) {
  const lb_model_contacts* all = &w->m->contact;
  lb_ray left = *ray;
  bool any = false;
  for (int i = 0; i < all->nshape; i++) {
    const lb_model_collider* c = &all->collider[i];
    lb_ray_hit found;
    if (lb_collide_ray(c->geometry, pose_of(w, c), &left, &found)) {
      const lb_vec3 at = lb_vec3_add(ray->origin, lb_vec3_scale(found.t, ray->direction));
      *hit = (lb_world_hit){c->body, found.t, at, found.normal};
      left.most = found.t; // only nearer ones count from here
      any = true;
    }
  }
  return any;
}

// Something done with every pair of shapes of two bodies, until it returns false.
typedef bool pair_query(void* context, const lb_collider* a, lb_transform X_wa,
                        const lb_collider* b, lb_transform X_wb);

static void for_pairs(lb_world* w, int body_a, int body_b, pair_query* ask, void* context) {
  const lb_model_contacts* all = &w->m->contact;
  bool more = body_a != body_b;
  for (int i = 0; i < all->nshape && more; i++) {
    const lb_model_collider* a = &all->collider[i];
    for (int k = 0; k < all->nshape && more && a->body == body_a; k++) {
      const lb_model_collider* b = &all->collider[k];
      more =
          b->body != body_b || ask(context, a->geometry, pose_of(w, a), b->geometry, pose_of(w, b));
    }
  }
}

static bool keep_nearest(void* context, const lb_collider* a, lb_transform X_wa,
                         const lb_collider* b, lb_transform X_wb) {
  lb_separation* nearest = context;
  const lb_separation s = lb_collide_distance(a, X_wa, b, X_wb);
  *nearest = s.outcome != LB_COLLIDE_REFUSED && s.distance < nearest->distance ? s : *nearest;
  return true;
}

lb_separation lb_world_distance(lb_world* w, int body_a, int body_b) {
  lb_separation nearest = {.distance = INFINITY, .outcome = LB_COLLIDE_REFUSED};
  for_pairs(w, body_a, body_b, keep_nearest, &nearest);
  return nearest;
}

static bool look_for_overlap(void* context, const lb_collider* a, lb_transform X_wa,
                             const lb_collider* b, lb_transform X_wb) {
  bool* overlap = context;
  *overlap = lb_collide_overlap(a, X_wa, b, X_wb);
  return !*overlap;
}

bool lb_world_overlap(lb_world* w, int body_a, int body_b) {
  bool overlap = false;
  for_pairs(w, body_a, body_b, look_for_overlap, &overlap);
  return overlap;
}
