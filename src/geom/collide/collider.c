// The table of colliders; making and placing them.
#include "base/assert.h"
#include "geom/collide/collider_kind.h"
#include "geom/collide/trimesh.h"

#define ENTRY(type, name) [type] = &lb_collider_##name,
static const lb_collider_kind* const TABLE[LB_COLLIDER_COUNT] = {LB_COLLIDER_LIST(ENTRY)};

const lb_collider_kind* lb_collider_kind_of(const lb_collider* c) {
  LB_ASSERT(c->type < LB_COLLIDER_COUNT);
  return TABLE[c->type];
}

lb_collider_type lb_collider_type_of(const lb_collider* c) {
  return c->type;
}

lb_collider_def lb_collider_def_of(const lb_shape* shape) {
  static const lb_collider_type type[LB_SHAPE_COUNT] = {[LB_SHAPE_BOX] = LB_COLLIDER_BOX,
                                                        [LB_SHAPE_SPHERE] = LB_COLLIDER_SPHERE,
                                                        [LB_SHAPE_CAPSULE] = LB_COLLIDER_CAPSULE,
                                                        [LB_SHAPE_CYLINDER] = LB_COLLIDER_CYLINDER,
                                                        [LB_SHAPE_ELLIPSOID] =
                                                            LB_COLLIDER_ELLIPSOID,
                                                        [LB_SHAPE_MESH] = LB_COLLIDER_MESH,
                                                        [LB_SHAPE_HEIGHTS] = LB_COLLIDER_HEIGHTS,
                                                        [LB_SHAPE_PLANE] = LB_COLLIDER_PLANE};
  return (lb_collider_def){.type = type[shape->type],
                           .size = shape->size,
                           .mesh = shape->mesh,
                           .grid = shape->grid ? *shape->grid : (lb_height_grid){0}};
}

static lb_status refuse(lb_error* err, const char* kind, const char* why) {
  return lb_error_add(err, LB_INVALID, (lb_place){0}, "a %s collider's %s", kind, why);
}

static lb_status check(const lb_collider_def* def, const lb_collider_kind* kind, lb_error* err) {
  const double size[3] = {def->size.x, def->size.y, def->size.z};
  const bool scale = def->type == LB_COLLIDER_MESH || def->type == LB_COLLIDER_CONVEX;
  for (int i = 0; i < kind->nsize; i++) {
    const bool fits = scale ? size[i] != 0 : size[i] > 0 || (i == 1 && kind->zero && size[i] == 0);
    if (!isfinite(size[i]) || !fits) {
      return refuse(err, kind->name,
                    scale ? "scale must be finite and not zero"
                          : "sizes must be finite and positive");
    }
  }
  return scale && !def->mesh ? refuse(err, kind->name, "mesh is missing") : LB_OK;
}

lb_status lb_collider_make(const lb_collider_def* def, lb_arena* arena, lb_collider* out,
                           lb_error* err) {
  if (def->type >= LB_COLLIDER_COUNT || !TABLE[def->type]->make) {
    return refuse(err, "new", "kind is not one that can be made");
  }
  const lb_collider_kind* kind = TABLE[def->type];
  lb_collider c = {.type = def->type};
  lb_status status = check(def, kind, err);
  status = status == LB_OK ? kind->make(def, arena, &c, err) : status;
  if (status == LB_OK) {
    *out = c;
  }
  return status;
}

lb_status lb_collider_create(const lb_collider_def* def, const lb_allocator* allocator,
                             lb_collider** out, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_collider* c = LB_TAKE(&arena, lb_collider, 1);
  lb_status status = lb_arena_check(&arena, "a collider", err);
  status = status == LB_OK ? lb_collider_make(def, &arena, c, err) : status;
  if (status == LB_OK && !(c->kept = lb_arena_keep(&arena))) {
    status = lb_arena_check(&arena, "a collider", err);
  }
  if (status == LB_OK) {
    *out = c;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

void lb_collider_release(lb_collider* c) {
  if (c) {
    lb_arena_release_kept(c->kept);
  }
}

void lb_collider_move(lb_collider* c, const lb_vec3* vertex) {
  LB_ASSERT(c->type == LB_COLLIDER_MESH);
  lb_trimesh_move(c->mesh, vertex);
  c->box = lb_trimesh_bounds(c->mesh);
}

lb_placed lb_placed_make(const lb_collider* c, lb_transform X_wc) {
  return (lb_placed){c, lb_quat_matrix(X_wc.q), X_wc.p};
}

// Around a rotated box: |R| times its half lengths about its centre.
static lb_bounds turned(const lb_placed* x, lb_bounds box) {
  const lb_vec3 centre = lb_placed_point(x, lb_vec3_scale(0.5, lb_vec3_add(box.low, box.high)));
  const lb_vec3 h = lb_vec3_scale(0.5, lb_vec3_sub(box.high, box.low));
  const lb_mat3 R = x->R;
  const lb_vec3 e = {fabs(R.x.x) * h.x + fabs(R.y.x) * h.y + fabs(R.z.x) * h.z,
                     fabs(R.x.y) * h.x + fabs(R.y.y) * h.y + fabs(R.z.y) * h.z,
                     fabs(R.x.z) * h.x + fabs(R.y.z) * h.y + fabs(R.z.z) * h.z};
  return (lb_bounds){lb_vec3_sub(centre, e), lb_vec3_add(centre, e)};
}

lb_bounds lb_placed_bounds(const lb_placed* x) {
  const lb_collider* c = x->c;
  lb_vec3 (*support)(const lb_collider*, lb_vec3) = TABLE[c->type]->support;
  if (c->type == LB_COLLIDER_PLANE) {
    const lb_vec3 far = {LB_COLLIDE_FAR, LB_COLLIDE_FAR, LB_COLLIDE_FAR};
    return (lb_bounds){lb_vec3_neg(far), far};
  }
  if (!support || c->type == LB_COLLIDER_BOX) {
    return turned(x, c->box);
  }
  // rows of R: the world's axes in the collider's frame
  const lb_mat3 T = lb_mat3_transpose(x->R);
  const lb_vec3 r = {c->radius, c->radius, c->radius};
  const lb_vec3 high = {lb_vec3_dot(T.x, support(c, T.x)), lb_vec3_dot(T.y, support(c, T.y)),
                        lb_vec3_dot(T.z, support(c, T.z))};
  const lb_vec3 low = {lb_vec3_dot(T.x, support(c, lb_vec3_neg(T.x))),
                       lb_vec3_dot(T.y, support(c, lb_vec3_neg(T.y))),
                       lb_vec3_dot(T.z, support(c, lb_vec3_neg(T.z)))};
  return (lb_bounds){lb_vec3_sub(lb_vec3_add(x->p, low), r),
                     lb_vec3_add(lb_vec3_add(x->p, high), r)};
}

double lb_collider_point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  return TABLE[c->type]->point(c, x, gradient);
}

bool lb_collider_ray(const lb_collider* c, const lb_ray* ray, lb_ray_hit* hit) {
  return TABLE[c->type]->ray(c, ray, hit);
}

bool lb_collider_is_convex(const lb_collider* c) {
  return lb_collider_kind_of(c)->support;
}
