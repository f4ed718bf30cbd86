#include "dynamics/contact/contact_surface.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/constraint_rows.h"
#include "geom/collide/bounds.h"
#include "geom/collide/trimesh.h"
#include "math/linear/dense.h"

// Ropes have no triangles.
static bool take_mesh(lb_contacts* C, lb_surface_state* t) {
  const lb_collider_def def = {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &t->of->mesh};
  if (t->of->mesh.nface == 0) {
    return true;
  }
  t->mesh = LB_TAKE(&C->arena, lb_collider, 1);
  return t->mesh && lb_collider_make(&def, &C->arena, t->mesh, NULL) == LB_OK;
}

bool lb_surface_take(lb_contacts* C, int i) {
  const lb_model* m = C->m;
  const lb_model_surface* s = m->contact.collider[i].soft;
  const int drawn = s->elastic >= 0 ? 3 * m->elastic.body[s->elastic].surface.nvertex : 0;
  lb_surface_state* t = LB_TAKE(&C->arena, lb_surface_state, 1);
  if (!t) {
    return false;
  }
  *t = (lb_surface_state){.of = s,
                          .x = LB_TAKE(&C->arena, lb_vec3, s->mesh.nvertex),
                          .v = LB_TAKE(&C->arena, lb_vec3, s->mesh.nvertex),
                          .moved = LB_TAKE(&C->arena, double, drawn),
                          .speed = LB_TAKE(&C->arena, double, drawn),
                          .tried = LB_TAKE(&C->arena, lb_vec3, s->ntried),
                          .radius = LB_TAKE(&C->arena, double, s->ntried),
                          .found = LB_TAKE(&C->arena, lb_point_contact, s->ntried)};
  for (int k = 0; t->radius && k < s->ntried; k++) {
    t->radius[k] = s->radius;
  }
  C->collider[i].surface = t;
  const bool ok = take_mesh(C, t) && lb_arena_status(&C->arena) == LB_OK;
  C->collider[i].at = lb_placed_make(t->mesh, lb_transform_identity());
  return ok;
}

// --- places ---

// out = sum_k Phi_k eta_k over all vertices.
static void displace(const lb_model_elastic* e, const double* eta, double* out) {
  const int n = 3 * e->surface.nvertex;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < e->r; k++) {
    lb_add(n, out, eta[k], e->Phi + (size_t)k * (size_t)n);
  }
}

static lb_v4 load(const double* x) {
  return (lb_v4){x[0], x[1], x[2], 0};
}

static void place_elastic(const lb_model* m, const lb_data* d, lb_surface_state* t) {
  const lb_model_elastic* e = &m->elastic.body[t->of->elastic];
  const int link = m->body.link[e->body];
  const lb_state* s = &d->work->state[link];
  displace(e, d->q + m->link.q[link], t->moved);
  displace(e, d->qd + m->link.v[link], t->speed);
  for (int i = 0; i < t->of->mesh.nvertex; i++) {
    const int vertex = t->of->vertex[i];
    const lb_v4 rest = lb_v4_from(e->surface.vertex[vertex]);
    const lb_v4 arm = lb_m3_apply(s->R, rest + load(t->moved + 3 * (size_t)vertex));
    const lb_v4 own = lb_m3_apply(s->R, load(t->speed + 3 * (size_t)vertex));
    t->x[i] = lb_v4_vec3(s->p + arm);
    t->v[i] = lb_v4_vec3(s->v + lb_v4_cross(s->w, arm) + own);
  }
}

// Place and velocity of a particle.
static lb_motion find_particle(const lb_model* m, const lb_data* d, int i) {
  const lb_model_particle* p = &m->particles.particle[i];
  if (p->link == LB_PARTICLE_FREE) {
    return (lb_motion){load(d->q + p->q), load(d->qd + p->v)};
  }
  const lb_state* s = &d->work->state[p->link];
  const lb_v4 arm = lb_m3_apply(s->R, lb_v4_from(p->at));
  return (lb_motion){s->p + arm, s->v + lb_v4_cross(s->w, arm)};
}

static void place_particles(const lb_model* m, const lb_data* d, lb_surface_state* t) {
  for (int i = 0; i < t->of->mesh.nvertex; i++) {
    lb_motion sum = lb_motion_zero();
    for (int k = 0; k < 4; k++) {
      const double by = t->of->weight[i][k];
      if (by != 0) {
        sum = lb_motion_add(sum, lb_motion_scale(by, find_particle(m, d, t->of->carrier[i][k])));
      }
    }
    t->x[i] = lb_v4_vec3(sum.w);
    t->v[i] = lb_v4_vec3(sum.v);
  }
}

void lb_surface_place(lb_contacts* C, const lb_data* d, int i) {
  lb_collider_state* to = &C->collider[i];
  lb_surface_state* t = to->surface;
  (t->of->elastic >= 0 ? place_elastic : place_particles)(C->m, d, t);
  to->origin = d->work->state[to->link].p;
  to->bounds = (lb_bounds){t->x[0], t->x[0]};
  to->speed = 0;
  for (int k = 0; k < t->of->mesh.nvertex; k++) {
    to->bounds = lb_bounds_add(to->bounds, t->x[k]);
    to->speed = fmax(to->speed, lb_vec3_norm(t->v[k]));
  }
  to->bounds = lb_bounds_grow(to->bounds, t->of->radius);
  t->current = false;
  for (int k = 0; k < t->of->ntried; k++) {
    t->tried[k] = t->x[t->of->tried[k]];
  }
}

// --- points ---

bool lb_surface_may_meet(const lb_contacts* C, int i, int shape) {
  const lb_model_surface* s = C->collider[i].surface->of;
  const int link = C->collider[shape].link;
  bool meets = !C->collider[shape].surface && (link == LB_WORLD || link != C->collider[i].link);
  for (int k = 0; k < s->nfastened && meets; k++) {
    meets = s->fastened[k] != link;
  }
  return meets;
}

// Velocity of a shape at a point.
static lb_v4 shape_velocity(const lb_collider_state* a, lb_v4 at) {
  return a->v + lb_v4_cross(a->w, at - lb_v4_from(a->at.p));
}

// Velocity of the surface at a point.
static lb_v4 surface_velocity(const lb_surface_state* s, const lb_touch* t) {
  lb_v4 v = lb_v4_zero();
  for (int k = 0; k < 3; k++) {
    v += lb_v4_from(s->v[t->point[k]]) * t->share[k];
  }
  return v;
}

// A new point of a pair; NULL: there is no room.
static lb_touch* begin_touch(lb_contacts* C, const lb_collider_pair* p, lb_contact_surface s) {
  if (!lb_contacts_reserve_touches(C, 1)) {
    return NULL;
  }
  lb_touch* t = &C->touch[C->ntouch];
  memset(t, 0, sizeof *t); // states are compared byte for byte
  t->collider[0] = p->a;
  t->collider[1] = p->b;
  t->surface.friction = s.friction; // points have no turning: they neither roll nor spin
  t->surface.restitution = s.restitution;
  return t;
}

// Its place, and the normal from the surface to the shape.
static void end_touch(lb_contacts* C, lb_touch* t, lb_vec3 at, double gap, lb_v4 normal) {
  const lb_collider_state *a = &C->collider[t->collider[0]], *b = &C->collider[t->collider[1]];
  t->at = lb_v4_from(at);
  t->gap = gap;
  lb_touch_set_axes(t, normal);
  t->arm[0] = t->at - a->origin;
  t->arm[1] = t->at - b->origin;
  t->closing = -lb_v4_dot(t->axis[0], shape_velocity(a, t->at) - surface_velocity(b->surface, t));
  C->ntouch++;
}

static bool add_points(lb_contacts* C, const lb_collider_pair* p, lb_contact_surface surface,
                       double margin) {
  const lb_surface_state* s = C->collider[p->b].surface;
  const int n = lb_collide_points(&C->collider[p->a].at, s->of->ntried, s->tried, s->radius, margin,
                                  s->found, s->of->ntried);
  for (int i = 0; i < n; i++) {
    const lb_point_contact* f = &s->found[i];
    const int point = s->of->tried[f->point];
    lb_touch* t = begin_touch(C, p, surface);
    if (!t) {
      return false;
    }
    t->id = (uint64_t)point;
    t->point[0] = t->point[1] = t->point[2] = point;
    t->share[0] = 1;
    end_touch(C, t, f->position, f->distance, -lb_v4_from(f->normal));
  }
  return true;
}

// Shares of a triangle's points at the place of a point of contact; false: it is one of them, which
// is there already, or none is near.
static bool find_shares(const lb_surface_state* s, lb_vec3 at, double reach, lb_touch* t) {
  static const double ALL = 1 - 1e-4;
  lb_mesh_foot foot;
  if (!lb_trimesh_nearest(s->mesh->mesh, at, reach, &foot)) {
    return false;
  }
  memcpy(t->point, s->of->mesh.face + 3 * (size_t)foot.face, sizeof t->point);
  memcpy(t->share, foot.weight, sizeof t->share);
  return fmax(t->share[0], fmax(t->share[1], t->share[2])) < ALL;
}

// Points of manifolds, but for those that are points of the surface.
static bool add_manifold(lb_contacts* C, const lb_collider_pair* p, lb_contact_surface surface,
                         double margin, const lb_manifold* f) {
  static const uint64_t FACES = (uint64_t)1 << 32; // ids of points are smaller
  for (int i = 0; i < f->npoint; i++) {
    const lb_contact_point* x = &f->point[i];
    lb_touch* t = begin_touch(C, p, surface);
    if (!t) {
      return false;
    }
    if (find_shares(C->collider[p->b].surface, x->position, margin + fabs(x->distance), t)) {
      t->id = FACES | x->id;
      end_touch(C, t, x->position, x->distance, lb_v4_from(f->normal));
    }
  }
  return true;
}

// Faces, edges and corners of shapes against triangles.
static bool add_triangles(lb_contacts* C, lb_collider_pair* p, lb_contact_surface surface,
                          double margin) {
  lb_surface_state* s = C->collider[p->b].surface;
  if (!s->mesh) {
    return true;
  }
  if (!s->current) {
    lb_collider_move(s->mesh, s->x);
    s->current = true;
  }
  const int found = lb_collide(&C->collider[p->a].at, &C->collider[p->b].at, margin, &p->cache,
                               C->manifold, LB_TOUCH_MANIFOLDS)
                        .nmanifold;
  bool ok = true;
  for (int i = 0; i < found && i < LB_TOUCH_MANIFOLDS && ok; i++) {
    ok = add_manifold(C, p, surface, margin, &C->manifold[i]);
  }
  return ok;
}

// Impulses of the step before.
static void warm(lb_contacts* C, int first, int* from) {
  const int end = lb_contacts_last_of(C, &C->touch[first], from);
  for (int i = first, next = *from; i < C->ntouch; i++) {
    lb_touch* t = &C->touch[i];
    int k = next;
    while (k < end && C->last[k].id != t->id) {
      k++;
    }
    t->impulse = k < end ? C->last[k].impulse : t->impulse;
    next = k < end ? k + 1 : next; // most often in the same order
  }
}

bool lb_surface_meet(lb_contacts* C, lb_collider_pair* p, lb_contact_surface surface, double margin,
                     int* from) {
  const int first = C->ntouch;
  if (!add_points(C, p, surface, margin) || !add_triangles(C, p, surface, margin)) {
    return false;
  }
  if (C->ntouch > first) {
    warm(C, first, from);
  }
  return true;
}

// --- the problem ---

static void enter_particle(lb_contacts* C, lb_contact_group* g, int particle) {
  const lb_model* m = C->m;
  const lb_model_particle* p = &m->particles.particle[particle];
  if (p->link != LB_PARTICLE_FREE) {
    return;
  }
  int* column = &C->column[(p->v - m->ndense) / 3];
  if (*column < 0) {
    *column = g->nv;
    for (int k = 0; k < 3; k++) {
      g->v[g->nv++] = p->v + k;
    }
  }
}

static void enter_touch(lb_contacts* C, const lb_touch* t) {
  const lb_collider_state* b = &C->collider[t->collider[1]];
  const lb_model_surface* s = b->surface ? b->surface->of : NULL;
  for (int i = 0; s && s->elastic < 0 && i < 12; i++) {
    const int point = t->point[i / 4];
    if (t->share[i / 4] != 0 && s->weight[point][i % 4] != 0) {
      enter_particle(C, &C->group[b->group], s->carrier[point][i % 4]);
    }
  }
}

void lb_surface_enter(lb_contacts* C) {
  if (C->m->particles.nfree == 0) {
    return;
  }
  for (int i = 0; i < C->m->particles.nfree; i++) {
    C->column[i] = -1;
  }
  for (int i = 0; i < C->ngroup; i++) {
    C->group[i].nv = C->group[i].nlinked;
  }
  for (int i = 0; i < C->ntouch; i++) {
    enter_touch(C, &C->touch[i]);
  }
  C->widest = 0;
  for (int i = 0; i < C->ngroup; i++) {
    C->group[i].width = (C->group[i].nv + 3) / 4 * 4;
    C->widest = C->group[i].width > C->widest ? C->group[i].width : C->widest;
  }
}

// e.(R Phi_k) of a point.
static lb_v4 shape_at(const lb_model_elastic* e, const lb_model_surface* s, int point, int k) {
  const size_t n = (size_t)e->surface.nvertex;
  return load(e->Phi + 3 * ((size_t)k * n + (size_t)s->vertex[point]));
}

static void add_elastic(const lb_contacts* C, const lb_work* w, const lb_touch* t,
                        lb_constraint_row* row, int count, double* J, double sign) {
  const lb_model* m = C->m;
  const lb_model_surface* s = C->collider[t->collider[1]].surface->of;
  const lb_model_elastic* e = &m->elastic.body[s->elastic];
  const int link = m->body.link[e->body], v = m->link.v[link];
  for (int i = 0; i < count; i++) {
    row[i].at = w->state[link].p + t->arm[1];
  }
  lb_constraint_rows_add_link(m, w, row, count, J, link, sign);
  for (int i = 0; i < count; i++) {
    const lb_v4 along = lb_m3_apply_transposed(w->state[link].R, row[i].e) * sign;
    for (int p = 0; p < 3; p++) {
      for (int k = 0; t->share[p] != 0 && k < e->r; k++) {
        J[(size_t)i * (size_t)m->nv + (size_t)(v + k)] +=
            t->share[p] * lb_v4_dot(along, shape_at(e, s, t->point[p], k));
      }
    }
  }
}

static void add_particle(const lb_model* m, const lb_work* w, lb_constraint_row* row, int count,
                         double* J, int particle, double by) {
  const lb_model_particle* p = &m->particles.particle[particle];
  const bool free = p->link == LB_PARTICLE_FREE;
  for (int i = 0; i < count && free; i++) {
    double* to = J + (size_t)i * (size_t)m->nv + (size_t)p->v;
    for (int k = 0; k < 3; k++) {
      to[k] += by * row[i].e[k];
    }
  }
  if (!free && p->link != LB_WORLD) {
    const lb_state* s = &w->state[p->link];
    for (int i = 0; i < count; i++) {
      row[i].at = s->p + lb_m3_apply(s->R, lb_v4_from(p->at));
    }
    lb_constraint_rows_add_link(m, w, row, count, J, p->link, by);
  }
}

void lb_surface_add_rows(const lb_contacts* C, const lb_work* w, const lb_touch* t,
                         lb_constraint_row* row, int count, double* J, double sign) {
  const lb_model_surface* s = C->collider[t->collider[1]].surface->of;
  if (s->elastic >= 0) {
    add_elastic(C, w, t, row, count, J, sign);
    return;
  }
  for (int i = 0; i < 12; i++) {
    const int point = t->point[i / 4];
    const double by = t->share[i / 4] * s->weight[point][i % 4];
    if (by != 0) {
      add_particle(C->m, w, row, count, J, s->carrier[point][i % 4], sign * by);
    }
  }
}

// --- forces ---

static void push_elastic(const lb_model* m, lb_data* d, const lb_model_surface* s,
                         const lb_touch* t, lb_v4 force) {
  const lb_model_elastic* e = &m->elastic.body[s->elastic];
  const int link = m->body.link[e->body];
  const lb_state* state = &d->work->state[link];
  const lb_v4 f = lb_m3_apply_transposed(state->R, force);
  lb_link_add_wrench(d->work, link, state->p + t->arm[1], lb_v4_zero(), force);
  for (int p = 0; p < 3; p++) {
    for (int k = 0; t->share[p] != 0 && k < e->r; k++) {
      d->work->tau[m->link.v[link] + k] +=
          t->share[p] * lb_v4_dot(f, shape_at(e, s, t->point[p], k));
    }
  }
}

static void push_particle(const lb_model* m, lb_data* d, int particle, lb_v4 force) {
  const lb_model_particle* p = &m->particles.particle[particle];
  if (p->link == LB_PARTICLE_FREE) {
    for (int k = 0; k < 3; k++) {
      d->work->tau[p->v + k] += force[k];
    }
  } else if (p->link != LB_WORLD) {
    const lb_state* s = &d->work->state[p->link];
    lb_link_add_wrench(d->work, p->link, s->p + lb_m3_apply(s->R, lb_v4_from(p->at)), lb_v4_zero(),
                       force);
  }
}

void lb_surface_push(const lb_model* m, lb_data* d, const lb_touch* t, lb_v4 force) {
  const lb_model_surface* s = m->contact.collider[t->collider[1]].soft;
  if (s->elastic >= 0) {
    push_elastic(m, d, s, t, force);
    return;
  }
  for (int i = 0; i < 12; i++) {
    const int point = t->point[i / 4];
    const double by = t->share[i / 4] * s->weight[point][i % 4];
    if (by != 0) {
      push_particle(m, d, s->carrier[point][i % 4], force * by);
    }
  }
}
