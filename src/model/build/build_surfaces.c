// Surfaces of elastic bodies, ropes and deformables that collide: points of them, welded where
// what is drawn has several vertices at a place, and triangles over these.
#include "model/build/build_surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/build.h"
#include "model/use/link.h"

// Points of a surface that are held against shapes: of particles nearly all, and of an elastic body
// so many for each of its freedoms, since more would say the same again.
enum { MOST_TRIED = 2000, TRIED_EACH = 6, RIGID = 6 };

// --- welding ---

typedef struct corner {
  lb_vec3 x;
  int vertex;
} corner;

static int compare(double a, double b) {
  return (a > b) - (a < b);
}

static int compare_places(const corner* a, const corner* b) {
  const int by_x = compare(a->x.x, b->x.x), by_y = compare(a->x.y, b->x.y);
  return by_x ? by_x : by_y ? by_y : compare(a->x.z, b->x.z);
}

static int compare_corners(const void* a, const void* b) {
  const int by_place = compare_places(a, b);
  return by_place ? by_place : ((const corner*)a)->vertex - ((const corner*)b)->vertex;
}

// Vertices of a mesh that stand for all at their places: the first of each, in the mesh's order.
// `point` [nvertex] becomes the number of each vertex's own; returns how many there are.
static int weld(const lb_mesh* mesh, corner* all, int* point) {
  const int n = mesh->nvertex;
  for (int i = 0; i < n; i++) {
    all[i] = (corner){mesh->vertex[i], i};
  }
  qsort(all, (size_t)n, sizeof *all, compare_corners);
  for (int i = 0, first = 0; i < n; i++) {
    first = i > 0 && compare_places(&all[i], &all[first]) == 0 ? first : i;
    point[all[i].vertex] = all[first].vertex;
  }
  int count = 0;
  for (int i = 0; i < n; i++) { // those that stand for others come before them
    point[i] = point[i] == i ? count++ : point[point[i]];
  }
  return count;
}

// Points of a drawn mesh and triangles over them; `vertex` [points] are their vertices.
static bool make_points(const lb_mesh* drawn, lb_arena* arena, lb_arena* scratch,
                        lb_model_surface* s) {
  corner* all = LB_TAKE(scratch, corner, drawn->nvertex);
  int* point = LB_TAKE(scratch, int, drawn->nvertex);
  if (!all || !point) {
    return false;
  }
  const int n = weld(drawn, all, point);
  s->mesh = (lb_mesh){n, 0, LB_TAKE(arena, lb_vec3, n), LB_TAKE(arena, int, 3 * drawn->nface)};
  s->vertex = LB_TAKE(arena, int, n);
  if (!s->mesh.vertex || !s->mesh.face || !s->vertex) {
    return false;
  }
  for (int i = drawn->nvertex - 1; i >= 0; i--) {
    s->mesh.vertex[point[i]] = drawn->vertex[i];
    s->vertex[point[i]] = i;
  }
  for (int i = 0; i < drawn->nface; i++) {
    const int* from = drawn->face + 3 * (size_t)i;
    int* to = s->mesh.face + 3 * (size_t)s->mesh.nface;
    for (int k = 0; k < 3; k++) {
      to[k] = point[from[k]];
    }
    s->mesh.nface += to[0] != to[1] && to[1] != to[2] && to[2] != to[0];
  }
  return true;
}

// --- points that are tried ---

// Farthest-point sampling: each is the one farthest from those before.
static bool spread_points(lb_arena* scratch, lb_model_surface* s, int most, bool* taken) {
  const int n = s->mesh.nvertex;
  double* least = LB_TAKE(scratch, double, n);
  for (int i = 0; least && i < n; i++) {
    least[i] = INFINITY;
  }
  for (int count = 0, last = 0; least && count < most; count++) {
    int next = last;
    taken[last] = true;
    for (int i = 0; i < n; i++) {
      const lb_vec3 way = lb_vec3_sub(s->mesh.vertex[i], s->mesh.vertex[last]);
      least[i] = fmin(least[i], lb_vec3_dot(way, way));
      next = least[i] > least[next] ? i : next;
    }
    last = next;
  }
  return least;
}

static bool choose_points(lb_arena* arena, lb_arena* scratch, int most, lb_model_surface* s) {
  const int n = s->mesh.nvertex;
  bool* taken = LB_TAKE(scratch, bool, n);
  s->tried = LB_TAKE(arena, int, n);
  if (!taken || !s->tried || (n > most && !spread_points(scratch, s, most, taken))) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (n <= most || taken[i]) {
      s->tried[s->ntried++] = i;
    }
  }
  return true;
}

// --- particles ---

static bool take_carriers(lb_arena* arena, int n, lb_model_surface* s) {
  s->carrier = lb_arena_take_array(arena, (size_t)n, sizeof *s->carrier, LB_ALIGN);
  s->weight = lb_arena_take_array(arena, (size_t)n, sizeof *s->weight, LB_ALIGN);
  return s->carrier && s->weight;
}

static void carry_by(lb_model_surface* s, int point, int particle) {
  for (int k = 0; k < 4; k++) {
    s->carrier[point][k] = particle;
  }
  s->weight[point][0] = 1;
}

static bool carry_points(const lb_model_deformable* d, lb_arena* arena, lb_model_surface* s) {
  static const double NOTHING = 1e-9;
  const size_t n = (size_t)s->mesh.nvertex;
  if (!take_carriers(arena, s->mesh.nvertex, s)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      const double by = d->weight[s->vertex[i]][k];
      s->carrier[i][k] = d->first_particle + d->carrier[s->vertex[i]][k];
      s->weight[i][k] = fabs(by) > NOTHING ? by : 0; // as of the others where it is a node
    }
  }
  return true;
}

// Points of a rope are its particles, but for those that are fastened.
static bool list_particles(const lb_model* m, const lb_model_rope* r, lb_arena* arena,
                           lb_model_surface* s) {
  s->mesh.vertex = LB_TAKE(arena, lb_vec3, r->nparticle);
  if (!s->mesh.vertex || !take_carriers(arena, r->nparticle, s)) {
    return false;
  }
  for (int i = r->first_particle; i < r->first_particle + r->nparticle; i++) {
    if (m->particles.particle[i].link == LB_PARTICLE_FREE) {
      s->mesh.vertex[s->mesh.nvertex] = m->particles.particle[i].at;
      carry_by(s, s->mesh.nvertex++, i);
    }
  }
  return true;
}

static bool list_fastened(const lb_model* m, int first, int count, lb_arena* arena,
                          lb_model_surface* s) {
  s->fastened = LB_TAKE(arena, int, m->nlink);
  for (int i = first; s->fastened && i < first + count; i++) {
    const int link = m->particles.particle[i].link;
    const int mover = link == LB_PARTICLE_FREE ? LB_WORLD : lb_link_mover(m, link);
    bool known = mover == LB_WORLD;
    for (int k = 0; k < s->nfastened && !known; k++) {
      known = s->fastened[k] == mover;
    }
    if (!known) {
      s->fastened[s->nfastened++] = mover;
    }
  }
  return s->fastened;
}

// --- surfaces ---

// Smallest half width of the box around a surface's points; of ropes their radius.
static double size_of(const lb_model_surface* s) {
  lb_vec3 low = s->mesh.vertex[0], high = low;
  for (int i = 1; i < s->mesh.nvertex; i++) {
    const lb_vec3 x = s->mesh.vertex[i];
    low = lb_vec3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = lb_vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  const lb_vec3 d = lb_vec3_sub(high, low);
  const double most = fmax(d.x, fmax(d.y, d.z));
  const double least = s->mesh.nface > 0 ? fmin(d.x, fmin(d.y, d.z)) : 2 * s->radius;
  return 0.5 * (least > 1e-3 * most ? least : 1e-3 * most);
}

typedef struct maker {
  lb_build* b;
  lb_arena scratch;
  const int* family;
} maker;

static lb_status add_surface(maker* k, lb_model_surface* s, int body, int link, int material,
                             int family) {
  lb_model* m = k->b->m;
  if (s->mesh.nvertex == 0) {
    return LB_OK;
  }
  const int freedoms = s->elastic >= 0 ? RIGID + m->elastic.body[s->elastic].r : MOST_TRIED;
  const int most = TRIED_EACH * freedoms < MOST_TRIED ? TRIED_EACH * freedoms : MOST_TRIED;
  if (!choose_points(k->b->arena, &k->scratch, most, s)) {
    return LB_NO_MEMORY;
  }
  m->contact.collider[m->contact.ncollider++] =
      (lb_model_collider){.shape = -1,
                          .body = body,
                          .link = link,
                          .soft = s,
                          .size = size_of(s),
                          .X = lb_transform_identity(),
                          .surface = material >= 0 ? m->look.material[material].surface
                                                   : (lb_contact_surface){.friction = 0.5},
                          .family = family};
  return LB_OK;
}

static lb_status add_elastic(maker* k, int i) {
  lb_build* b = k->b;
  const lb_model_elastic* e = &b->m->elastic.body[i];
  const lb_scene_elastic* form = b->scene->body[e->body].elastic;
  const int link = b->m->body.link[e->body];
  if (!form || !form->solid || e->surface.nvertex == 0) {
    return LB_OK;
  }
  if (b->full && b->full[e->body]) {
    return lb_error_add(b->err, LB_INVALID, b->m->contact.set.place,
                        "contacts: not with all nodes of elastic bodies (take 'elastic: reduced')");
  }
  lb_model_surface* s = LB_TAKE(b->arena, lb_model_surface, 1);
  if (!s || !make_points(&e->surface, b->arena, &k->scratch, s)) {
    return LB_NO_MEMORY;
  }
  s->elastic = i;
  const int material = e->material >= 0 ? e->material : form->material;
  return add_surface(k, s, e->body, link, material, k->family[e->body]);
}

static lb_status add_rope(maker* k, int i) {
  lb_build* b = k->b;
  const lb_model_rope* r = &b->m->particles.rope[i];
  lb_model_surface* s = b->scene->rope[i].solid ? LB_TAKE(b->arena, lb_model_surface, 1) : NULL;
  if (!b->scene->rope[i].solid) {
    return LB_OK;
  }
  if (!s || !list_particles(b->m, r, b->arena, s) ||
      !list_fastened(b->m, r->first_particle, r->nparticle, b->arena, s)) {
    return LB_NO_MEMORY;
  }
  s->elastic = -1;
  s->part = i;
  s->radius = r->radius;
  return add_surface(k, s, b->m->nbody + i, LB_WORLD, r->material, k->family[b->m->nbody + 1 + i]);
}

static lb_status add_deformable(maker* k, int i) {
  lb_build* b = k->b;
  const lb_model_deformable* d = &b->m->particles.deformable[i];
  const int part = b->m->particles.nrope + i;
  if (!b->scene->deformable[i].form->solid) {
    return LB_OK;
  }
  lb_model_surface* s = LB_TAKE(b->arena, lb_model_surface, 1);
  if (!s || !make_points(&d->surface, b->arena, &k->scratch, s) || !carry_points(d, b->arena, s) ||
      !list_fastened(b->m, d->first_particle, d->nparticle, b->arena, s)) {
    return LB_NO_MEMORY;
  }
  s->elastic = -1;
  s->part = part;
  return add_surface(k, s, b->m->nbody + part, LB_WORLD, d->material,
                     k->family[b->m->nbody + 1 + part]);
}

// Two surfaces with triangles that the scene lets meet are refused: neither would notice.
static lb_status refuse_meetings(const lb_build* b) {
  const lb_model* m = b->m;
  const lb_model_contacts* c = &m->contact;
  for (int i = c->nshape; i < c->ncollider; i++) {
    for (int k = c->nshape; k < i; k++) {
      const lb_model_collider *x = &c->collider[k], *y = &c->collider[i];
      const bool surfaces = x->soft->mesh.nface > 0 && y->soft->mesh.nface > 0;
      if (surfaces && c->meeting[x->family * c->nfamily + y->family].collide &&
          !lb_links_joined(c, x->link, y->link)) {
        return lb_error_add(
            b->err, LB_INVALID, c->set.place,
            "contacts: '%.64s' and '%.64s' both bend, and such surfaces meet rigid shapes only "
            "(let them pass through each other: 'pairs: [{between: [%.64s, %.64s], collide: "
            "false}]')",
            lb_model_toucher(m, x->body), lb_model_toucher(m, y->body),
            lb_model_toucher(m, x->body), lb_model_toucher(m, y->body));
      }
    }
  }
  return LB_OK;
}

lb_status lb_build_surfaces(lb_build* b, const int* family) {
  const lb_model* m = b->m;
  maker k = {.b = b, .family = family};
  lb_status status = LB_OK;
  lb_arena_init(&k.scratch, b->arena->allocator);
  for (int i = 0; i < m->elastic.count && status == LB_OK; i++) {
    status = add_elastic(&k, i);
  }
  for (int i = 0; i < m->particles.nrope && status == LB_OK; i++) {
    status = add_rope(&k, i);
  }
  for (int i = 0; i < m->particles.ndeformable && status == LB_OK; i++) {
    status = add_deformable(&k, i);
  }
  lb_arena_release(&k.scratch);
  return status == LB_OK ? refuse_meetings(b) : status;
}
