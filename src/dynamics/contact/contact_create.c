// Memory of contacts, and the groups of links that a step's linear system couples.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/contact/contact_surface.h"
#include "geom/mesh/disjoint_sets.h"
#include "math/contact/contact_fast.h"
#include "model/use/compliance.h"
#include "model/use/motor_use.h"

// --- groups ---

static int link_of_body(const lb_model* m, int body) {
  return body == LB_WORLD ? LB_WORLD : m->body.link[body];
}

static void join(int* set, int a, int b) {
  if (a != LB_WORLD && b != LB_WORLD) {
    lb_sets_join(set, a, b);
  }
}

int lb_contacts_link_of(const lb_model* m, int v) {
  int i = 0;
  while (i < m->nlink - 1 && !(v >= m->link.v[i] && v < m->link.v[i] + m->link.nv[i])) {
    i++;
  }
  return i;
}

static void join_constraints(const lb_model* m, int* set) {
  for (int i = 0; i < m->constraint.npair; i++) {
    const int* body = m->constraint.item[i].body;
    join(set, link_of_body(m, body[0]), link_of_body(m, body[1]));
  }
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    const lb_model_coupling* c = &m->constraint.coupling[i];
    for (int k = 1; k < c->count; k++) {
      join(set, lb_contacts_link_of(m, m->constraint.term[c->first].v),
           lb_contacts_link_of(m, m->constraint.term[c->first + k].v));
    }
  }
}

static void join_forces(const lb_model* m, int* set) {
  for (int i = 0; i < m->force.count; i++) {
    const lb_model_force* f = &m->force.item[i];
    for (int k = 1; k < f->set.npoint; k++) {
      join(set, f->at[0].link, f->at[k].link);
    }
  }
}

// Particles of ropes, then of deformables: a run of the model's.
typedef struct run {
  int first, count;
} run;

static int parts_of(const lb_model* m) {
  return m->particles.nrope + m->particles.ndeformable;
}

static run particles_of(const lb_model* m, int part) {
  const int i = part - m->particles.nrope;
  return i < 0 ? (run){m->particles.rope[part].first_particle, m->particles.rope[part].nparticle}
               : (run){m->particles.deformable[i].first_particle,
                       m->particles.deformable[i].nparticle};
}

static void join_particles(const lb_model* m, int* set) {
  for (int part = 0; part < parts_of(m); part++) {
    const run of = particles_of(m, part);
    for (int i = of.first; i < of.first + of.count; i++) {
      const int link = m->particles.particle[i].link;
      join(set, link == LB_PARTICLE_FREE ? LB_WORLD : link, m->nlink + part);
    }
  }
}

// What W couples: trees, constraints, forces between bodies, ropes and deformables. These come
// after the links.
static void join_links(const lb_model* m, int* set) {
  lb_sets_begin(m->nlink + parts_of(m), set);
  for (int i = 0; i < m->nlink; i++) {
    join(set, i, m->link.parent[i]);
  }
  join_constraints(m, set);
  join_forces(m, set);
  join_particles(m, set);
}

static bool is_pulled(const lb_model* m, int link) {
  bool pulled = false;
  for (int i = 0; i < m->force.count; i++) {
    for (int k = 0; k < m->force.item[i].set.npoint; k++) {
      pulled |= m->force.item[i].at[k].link == link;
    }
  }
  for (int i = 0; i < m->force.ndrag; i++) {
    pulled |= m->force.drag[i].at.link == link;
  }
  return pulled;
}

static bool is_constrained(const lb_model* m, int link) {
  const int v = m->link.v[link];
  bool held = false;
  for (int i = 0; i < m->constraint.npair; i++) {
    const int* body = m->constraint.item[i].body;
    held |= link_of_body(m, body[0]) == link || link_of_body(m, body[1]) == link;
  }
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    const lb_model_coupling* c = &m->constraint.coupling[i];
    for (int k = c->first; k < c->first + c->count; k++) {
      held |= m->constraint.term[k].v >= v && m->constraint.term[k].v < v + m->link.nv[link];
    }
  }
  return held;
}

// A rigid body that W couples with nothing, and whose part of W is its mass matrix.
static bool is_free(const lb_model* m, int link) {
  const int v = m->link.v[link];
  bool bare = m->link.kind[link] == LB_JOINT_FREE && !m->link.driven[link] && !is_pulled(m, link) &&
              !is_constrained(m, link);
  for (int k = 0; k < 6 && bare; k++) {
    bare =
        m->dof.damping[v + k] == 0 && m->dof.stiffness[v + k] == 0 && m->dof.armature[v + k] == 0;
  }
  return bare;
}

static bool is_alike(const lb_link* a, const lb_link* b) {
  return a->m == b->m && memcmp(&a->h, &b->h, sizeof a->h) == 0 &&
         memcmp(&a->I0, &b->I0, sizeof a->I0) == 0;
}

// Scales of a free body: those of the free body before it where they are alike. Sweeps through many
// bodies so read little. NULL: there is no memory, or it has none.
static lb_free_scale* take_scale(lb_contacts* C, const lb_contact_group* g, int link) {
  const lb_link* l = C->m->link.packed;
  const lb_contact_group* last = g > C->group ? g - 1 : NULL;
  if (last && last->link >= 0 && is_alike(&l[link], &l[last->link])) {
    return last->scale;
  }
  lb_free_scale* s = lb_arena_take_array(&C->arena, 1, sizeof *s, LB_ALIGN);
  return s && lb_free_scale_make(&l[link], s) ? s : NULL;
}

static bool take_group(lb_contacts* C, lb_contact_group* g, const int* set, int root, int nlink) {
  const lb_model* m = C->m;
  int* v = LB_TAKE(&C->arena, int, g->most);
  g->v = v;
  g->nlinked = g->nv;
  g->width = (g->nv + 3) / 4 * 4;
  g->number = g->first = g->link = -1;
  for (int i = 0, n = 0; v && i < m->nlink; i++) {
    const bool own = set[i] == root && !lb_link_is_face(m->link.kind[i]);
    for (int k = 0; own && k < m->link.nv[i]; k++) {
      v[n++] = m->link.v[i] + k;
    }
  }
  if (v && nlink == 1 && root < m->nlink && is_free(m, root)) {
    g->scale = take_scale(C, g, root);
    g->link = g->scale ? root : -1;
    g->start = v[0];
  }
  return v;
}

static int free_velocities(const lb_model* m, int part) {
  const run of = particles_of(m, part);
  int n = 0;
  for (int i = of.first; i < of.first + of.count; i++) {
    n += m->particles.particle[i].link == LB_PARTICLE_FREE ? 3 : 0;
  }
  return n;
}

static bool find_groups(lb_contacts* C) {
  const lb_model* m = C->m;
  const int n = m->nlink + parts_of(m);
  int* set = LB_TAKE(&C->scratch, int, n);
  int* count = LB_TAKE(&C->scratch, int, n);
  C->group = LB_TAKE(&C->arena, lb_contact_group, n);
  C->group_of = LB_TAKE(&C->arena, int, n);
  C->column = LB_TAKE(&C->arena, int, m->particles.nfree);
  if (!set || !count || !C->group || !C->group_of) {
    return false;
  }
  join_links(m, set);
  for (int i = 0; i < n; i++) {
    set[i] = lb_sets_root(set, i);
  }
  for (int i = 0; i < n; i++) {
    if (set[i] == i) {
      C->group_of[i] = C->ngroup++;
    }
  }
  for (int i = 0; i < n; i++) {
    lb_contact_group* g = &C->group[C->group_of[set[i]]];
    C->group_of[i] = C->group_of[set[i]];
    const int own = i < m->nlink && !lb_link_is_face(m->link.kind[i]) ? m->link.nv[i] : 0;
    g->nv += own;
    g->most += own + (i < m->nlink ? 0 : free_velocities(m, i - m->nlink));
    count[set[i]]++;
  }
  bool ok = true;
  for (int i = 0; i < n && ok; i++) {
    ok = set[i] != i || take_group(C, &C->group[C->group_of[i]], set, i, count[i]);
  }
  return ok;
}

// --- colliders ---

static double radius_about_origin(const lb_collider* c) {
  const lb_vec3 far = lb_vec3_make(fmax(fabs(c->box.low.x), fabs(c->box.high.x)),
                                   fmax(fabs(c->box.low.y), fabs(c->box.high.y)),
                                   fmax(fabs(c->box.low.z), fabs(c->box.high.z)));
  return lb_vec3_norm(far);
}

// Growth of bounds in the broad phase, over the smallest collider's size.
static const double FAT = 0.1;

static bool take_colliders(lb_contacts* C) {
  const lb_model_contacts* c = &C->m->contact;
  C->collider = lb_arena_take_array(&C->arena, (size_t)c->ncollider, sizeof *C->collider, LB_ALIGN);
  C->lay.group = LB_TAKE(&C->arena, int, c->ncollider);
  double size = INFINITY;
  bool ok = C->collider && C->lay.group;
  for (int i = 0; ok && i < c->ncollider; i++) {
    const lb_model_collider* from = &c->collider[i];
    lb_collider_state* to = &C->collider[i];
    size = fmin(size, from->size);
    to->link = lb_link_mover(C->m, from->link);
    to->group = from->soft && from->soft->elastic < 0
                    ? C->group_of[lb_surface_member(C->m, from->soft)]
                : to->link == LB_WORLD ? -1
                                       : C->group_of[to->link];
    to->radius = from->soft ? 0 : radius_about_origin(from->geometry);
    to->size = from->size;
    to->family = from->family;
    to->material = from->surface;
    C->belts |= lb_vec3_norm(from->belt) > 0;
    C->lay.group[i] = to->group;
    to->convex = !from->soft && lb_collider_is_convex(from->geometry);
    ok = !from->soft || lb_surface_take(C, i);
  }
  size = c->ncollider > 0 ? size : 0;
  C->near.left = LB_TAKE(&C->arena, bool, c->ncollider);
  return ok && C->near.left &&
         lb_broad_create(FAT * size, C->arena.allocator, &C->near.broad) == LB_OK;
}

// Pairs whose bounds are near are more than those that may meet.
static const int NEAR = 4;

// --- growth ---

// More room for `n` elements of an array whose first `used` stay; false: there is no memory.
static bool grow(lb_contacts* C, void* array, size_t used, size_t n, size_t size) {
  void** at = array;
  void* more = lb_arena_take_array(&C->arena, n, size, LB_ALIGN);
  if (more && used > 0) {
    memcpy(more, *at, used * size);
  }
  *at = more ? more : *at;
  return more;
}

#define GROW(array, used, n) grow(C, &(C->array), (size_t)(used), (size_t)(n), sizeof *C->array)

static int larger(int room, int needed) {
  return needed > 2 * room ? needed : 2 * room;
}

// Pairs and points that there may be.
static int most(const lb_contacts* C) {
  const lb_model_contacts* c = &C->m->contact;
  int usual = 1000 + 64 * c->ncollider;
  for (int i = c->nshape; i < c->ncollider; i++) {
    usual += 2 * c->collider[i].soft->ntried; // on two shapes at once
  }
  return c->set.most > 0 ? c->set.most : usual;
}

bool lb_contacts_overflow(const lb_contacts* C) {
  return C->near.crowded;
}

lb_status lb_contacts_complain(const lb_contacts* C, double time, lb_error* err) {
  return lb_contacts_overflow(C)
             ? lb_error_add(err, LB_FAILED, C->m->contact.set.place,
                            "more than %d points or pairs touch after t = %g s: many bodies lie "
                            "within each other (move them apart, or raise 'most' of contacts)",
                            most(C), time)
             : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for contacts");
}

bool lb_contacts_reserve_pairs(lb_contacts* C, int more) {
  const int needed = C->pairs.count + more;
  if (needed <= C->room.pairs || needed > most(C)) {
    C->near.crowded |= needed > most(C);
    return needed <= most(C);
  }
  const int n = larger(C->room.pairs, needed > 64 ? needed : 64);
  const bool ok = GROW(pairs.item, C->pairs.count, n) && GROW(pairs.last, C->pairs.nlast, n) &&
                  GROW(pairs.npoint, 0, n) && GROW(pairs.first, 0, n) && GROW(pairs.found, 0, n);
  C->room.pairs = ok ? n : C->room.pairs;
  return ok;
}

bool lb_contacts_reserve_touches(lb_contacts* C, int more) {
  const int needed = C->ntouch + more;
  if (needed <= C->room.touches || needed > most(C)) {
    C->near.crowded |= needed > most(C);
    return needed <= most(C);
  }
  const int n = larger(C->room.touches, needed > 64 ? needed : 64);
  const bool ok = GROW(touch, C->ntouch, n) && GROW(last, C->nlast, n) &&
                  GROW(block, 0, n + C->beside.most + 1) && GROW(marks, 0, n + C->beside.most) &&
                  GROW(places.deep, 0, n) && GROW(places.sunk, 0, n) && GROW(impacts.point, 0, n) &&
                  GROW(impacts.work, 0, n + C->beside.most) && GROW(sets.same, 0, n) &&
                  GROW(lay.sides, 0, n) && GROW(lay.at, 0, n) &&
                  GROW(lay.count, 0, n / LB_TOUCH_CHUNK + 2);
  C->room.touches = ok ? n : C->room.touches;
  return ok;
}

bool lb_contacts_reserve_rows(lb_contacts* C, int rows, int numbers) {
  bool ok = true;
  if (rows > C->room.rows) {
    const int n = larger(C->room.rows, rows);
    ok = GROW(row, 0, n) && GROW(direction, 0, n) && GROW(lambda, 0, n) && GROW(before, 0, n) &&
         GROW(places.asked, 0, n) && GROW(impacts.lambda, 0, n) && GROW(entries.item, 0, 2 * n);
    C->room.rows = ok ? n : 0;
  }
  if (ok && numbers > C->room.numbers) {
    const int n = larger(C->room.numbers, numbers);
    ok = GROW(J, 0, n) && GROW(Z, 0, n);
    C->room.numbers = ok ? n : 0;
  }
  return ok;
}

bool lb_contacts_reserve_solver(lb_contacts* C, int threads) {
  lb_contact_sizes sizes = lb_contact_sizes_of(&C->problem);
  sizes.groups = C->ngroup;
  sizes.velocities = C->nvelocity;
  sizes.rows = C->room.rows;
  sizes.blocks = C->room.touches + C->beside.most;
  sizes.threads = threads;
  return lb_contact_solver_reserve(C->solver, &sizes) == LB_OK;
}

// --- contacts ---

// Servos, then constraints that yield.
static bool take_bounded(lb_contacts* C) {
  const lb_model* m = C->m;
  const int servos = lb_servos_as_rows(m), all = lb_bounded_rows(m);
  lb_bounded_row* to = C->beside.bounded = LB_TAKE(&C->arena, lb_bounded_row, all);
  for (int i = 0; to && i < servos; i++) {
    *to++ = (lb_bounded_row){.servo = i, .constraint = -1, .row = -1};
  }
  for (int i = 0; to && all > servos && i < m->constraint.count; i++) {
    const lb_model_constraint* c = &m->constraint.item[i];
    if (c->unilateral && lb_constraint_yields(c)) {
      *to++ = (lb_bounded_row){.servo = -1, .constraint = i, .row = -1};
    }
  }
  return C->beside.bounded;
}

static bool take_problem(lb_contacts* C) {
  for (int i = 0; i < C->ngroup; i++) {
    C->nvelocity += (C->group[i].most + 3) / 4 * 4;
    C->widest = C->group[i].width > C->widest ? C->group[i].width : C->widest;
  }
  for (int i = 0; i < C->m->constraint.count; i++) {
    const lb_model_constraint* c = &C->m->constraint.item[i];
    C->beside.most += c->unilateral ? lb_constraint_types[c->kind]->rows(C->m, c) : 0;
  }
  C->beside.most += lb_servos_as_rows(C->m); // bounds that yield are among the constraints
  C->beside.exact = LB_TAKE(&C->arena, int, lb_constraints_most(C->m));
  C->beside.far = LB_TAKE(&C->arena, double, C->beside.most);
  C->block = LB_TAKE(&C->arena, int, C->beside.most + 1);
  C->marks = LB_TAKE(&C->arena, unsigned char, C->beside.most + 1);
  const size_t width = (size_t)C->nvelocity;
  C->velocity = LB_TAKE(&C->arena, int, C->ngroup + 1);
  C->used = LB_TAKE(&C->arena, int, C->ngroup);
  C->entries.next = LB_TAKE(&C->arena, int, C->ngroup);
  C->u0 = lb_arena_take_array(&C->arena, width, sizeof(double), LB_ALIGN);
  C->u = lb_arena_take_array(&C->arena, width, sizeof(double), LB_ALIGN);
  C->impacts.u = LB_TAKE(&C->arena, double, C->nvelocity);
  C->impacts.share = LB_TAKE(&C->arena, double, C->ngroup);
  C->full = LB_TAKE(&C->arena, double, LB_TOUCH_ROWS * C->m->nv);
  C->right = LB_TAKE(&C->arena, double, C->m->nv);
  C->bias = lb_arena_take_array(&C->arena, (size_t)C->m->nlink + 1, sizeof *C->bias, LB_ALIGN);
  C->bias += C->bias ? 1 : 0;
  return take_bounded(C) && lb_contacts_take_lags(C) && lb_arena_status(&C->arena) == LB_OK;
}

lb_contacts* lb_contacts_create(const lb_model* m, const lb_allocator* allocator) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_contacts* C = lb_arena_take(&arena, sizeof *C, LB_ALIGN);
  if (!C) {
    return NULL;
  }
  C->m = m;
  C->arena = arena;
  lb_arena_init(&C->scratch, allocator);
  if (find_groups(C) && take_colliders(C) && take_problem(C) &&
      lb_contact_solver_create(allocator, &C->solver) == LB_OK) {
    lb_arena_release(&C->scratch);
    const int limit = most(C);
    lb_broad_limit(C->near.broad, limit < INT_MAX / NEAR ? NEAR * limit : INT_MAX);
    lb_broad_filter(C->near.broad, lb_contacts_may_meet, C);
    return C;
  }
  lb_contacts_release(C);
  return NULL;
}

void lb_contacts_release(lb_contacts* C) {
  if (C) {
    lb_arena arena = C->arena;
    lb_contact_solver_release(C->solver);
    lb_broad_release(C->near.broad);
    lb_arena_release(&C->scratch);
    lb_arena_release(&arena);
  }
}

void lb_contacts_forget_places(lb_contacts* C) {
  C->lags.h = 0;
}

void lb_contacts_forget(lb_contacts* C) {
  C->ntouch = C->pairs.count = 0;
  C->duration = 0;
  lb_contacts_forget_places(C);
  C->near.crowded = false;
  lb_contacts_drop_bounded(C);
}

void lb_contacts_follow_ways(lb_contacts* C, bool on) {
  C->near.follows = on;
}

void lb_contacts_isolate(lb_contacts* C, bool on) {
  C->isolated = on;
}

void lb_contacts_begin(lb_contacts* C) {
  if (C->isolated) {
    lb_contacts_forget(C);
  }
  C->duration = 0;
}

void lb_contacts_hold(lb_contacts* C, double h) {
  C->duration = h;
}

double lb_contacts_duration(const lb_contacts* C) {
  return C->duration;
}

int lb_contacts_points(const lb_contacts* C, const lb_touch** touch) {
  *touch = C->touch;
  return C->ntouch;
}

lb_contact_report lb_contacts_report(const lb_contacts* C) {
  return C->report;
}
