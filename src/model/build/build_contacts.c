// Colliders of bodies and of solid scenery, and which of them meet.
#include <stdlib.h>
#include <string.h>

#include "geom/collide/collide.h"
#include "model/build/build.h"
#include "model/build/build_surfaces.h"
#include "model/use/link.h"

// --- families ---
//
// The names in the scene's pairs sort what collides into families: those that fit the same names.
// Bodies come first, then the world, ropes and deformables.

typedef struct families {
  const lb_scene* s;
  int nname;         // two for each pair
  int nmember;       // of all families
  bool* fits;        // [nmember][nname]
  int* family;       // [nmember]
  int count, *first; // [count] a member of each
} families;

static const char* name_of(const families* f, int i) {
  return f->s->contacts.pair[i / 2].between[i % 2];
}

static bool fits(const families* f, int i, const char* name) {
  const lb_scene* s = f->s;
  const int part = i - s->nbody - 1;
  if (part < 0) {
    return i == s->nbody ? strcmp(name, "world") == 0 : lb_scene_contact_fits(&s->body[i], name);
  }
  const char* own = part < s->nrope ? s->rope[part].name : s->deformable[part - s->nrope].name;
  return strcmp(name, "all") == 0 || strcmp(name, own) == 0;
}

static int find_family(families* f, int member) {
  const size_t n = (size_t)f->nname;
  const bool* own = f->fits + (size_t)member * n;
  for (int i = 0; i < f->count; i++) {
    if (memcmp(own, f->fits + (size_t)f->first[i] * n, n * sizeof *own) == 0) {
      return i;
    }
  }
  f->first[f->count] = member;
  return f->count++;
}

static bool find_families(families* f, lb_arena* scratch) {
  f->nmember = f->s->nbody + 1 + f->s->nrope + f->s->ndeformable;
  f->nname = 2 * f->s->contacts.npair;
  f->fits = LB_TAKE(scratch, bool, f->nmember * f->nname);
  f->family = LB_TAKE(scratch, int, f->nmember);
  f->first = LB_TAKE(scratch, int, f->nmember);
  if (lb_arena_status(scratch) != LB_OK) {
    return false;
  }
  for (int i = 0; i < f->nmember; i++) {
    for (int k = 0; k < f->nname; k++) {
      f->fits[i * f->nname + k] = fits(f, i, name_of(f, k));
    }
    f->family[i] = find_family(f, i);
  }
  return true;
}

// --- meetings ---

static void except(lb_model_meeting* meeting, const lb_scene_contact_pair* pair) {
  const lb_contact_surface* s = &pair->surface;
  lb_contact_surface* to = &meeting->surface;
  meeting->collide = pair->collide;
  to->friction = s->friction >= 0 ? s->friction : to->friction;
  to->restitution = s->restitution >= 0 ? s->restitution : to->restitution;
  to->rolling = s->rolling >= 0 ? s->rolling : to->rolling;
  to->spinning = s->spinning >= 0 ? s->spinning : to->spinning;
}

static lb_model_meeting meet(const families* f, int i, int j) {
  lb_model_meeting meeting = {true, {-1, -1, -1, -1}};
  const bool *a = f->fits + f->first[i] * f->nname, *b = f->fits + f->first[j] * f->nname;
  for (int k = 0; k < f->nname; k += 2) {
    if ((a[k] && b[k + 1]) || (a[k + 1] && b[k])) {
      except(&meeting, &f->s->contacts.pair[k / 2]);
    }
  }
  return meeting;
}

static void fill_meetings(const families* f, lb_model_contacts* c, lb_arena* arena) {
  c->nfamily = f->count;
  c->meeting = LB_TAKE(arena, lb_model_meeting, f->count * f->count);
  for (int i = 0; c->meeting && i < f->count * f->count; i++) {
    c->meeting[i] = meet(f, i / f->count, i % f->count);
  }
}

// --- links that joints hold together ---

// The link that collides for another: of a face, its elastic body's. Effectors do so themselves.
static int collider_link(const lb_model* m, int link) {
  link = lb_link_mover(m, link);
  const bool face = link != LB_WORLD && lb_link_is_face(m->link.kind[link]);
  return face && m->link.kind[link] != LB_LINK_EFFECTOR ? m->link.parent[link] : link;
}

static void add_joined(lb_model_contacts* c, int a, int b) {
  if (a != LB_WORLD && b != LB_WORLD && a != b) {
    c->joined[c->njoined][0] = a < b ? a : b;
    c->joined[c->njoined++][1] = a < b ? b : a;
  }
}

// What is fixed to a face collides by the face's link, and its elastic body by its own.
static void join(lb_model_contacts* c, const lb_model* m, int a, int b) {
  const int of_a[2] = {a, collider_link(m, a)}, of_b[2] = {b, collider_link(m, b)};
  for (int i = 0; i < 4; i++) {
    add_joined(c, of_a[i / 2], of_b[i % 2]);
  }
}

static void find_joined(lb_model* m, lb_arena* arena) {
  lb_model_contacts* c = &m->contact;
  c->joined = lb_arena_take_array(arena, 4 * ((size_t)m->nlink + (size_t)m->constraint.nloop),
                                  sizeof *c->joined, _Alignof(int));
  for (int i = 0; c->joined && i < m->nlink; i++) {
    join(c, m, i, m->link.parent[i]);
  }
  for (int i = 0; c->joined && i < m->constraint.nloop; i++) {
    const int* body = m->constraint.item[i].body;
    join(c, m, body[0] == LB_WORLD ? LB_WORLD : m->body.link[body[0]],
         body[1] == LB_WORLD ? LB_WORLD : m->body.link[body[1]]);
  }
  if (c->joined) {
    qsort(c->joined, (size_t)c->njoined, sizeof *c->joined, lb_links_compare);
  }
}

// --- colliders ---

static lb_transform place_of(const lb_model* m, const lb_model_shape* shape) {
  return shape->body == LB_WORLD ? shape->pose
                                 : lb_transform_mul(m->body.in_link[shape->body], shape->pose);
}

static lb_vec3 turn_belt(const lb_model* m, int body, lb_vec3 belt) {
  return body == LB_WORLD ? belt : lb_quat_rotate(m->body.in_link[body].q, belt);
}

static lb_collider_def collider_of(const lb_shape* shape, bool convex) {
  lb_collider_def def = lb_collider_def_of(shape);
  def.type = def.type == LB_COLLIDER_MESH && convex ? LB_COLLIDER_CONVEX : def.type;
  return def;
}

// A shape that is not fit to collide, such as a flat mesh without a hull, is named with its place.
static lb_status make_geometry(lb_build* b, int shape, lb_collider* out) {
  const lb_scene_shape* s = &b->scene->shape[shape];
  const lb_collider_def def = collider_of(&b->m->look.shape[shape].shape, s->convex);
  lb_error own = lb_error_make(b->err ? b->err->allocator : NULL);
  const lb_status status = out ? lb_collider_make(&def, b->arena, out, &own) : LB_NO_MEMORY;
  if (status == LB_INVALID) {
    const bool hull = def.type == LB_COLLIDER_CONVEX;
    lb_error_add(b->err, status, s->place, "%s of %s%s%s cannot collide: %s (write '%s')",
                 hull ? "a mesh" : "a shape", s->body == LB_WORLD ? "the scenery" : "body '",
                 s->body == LB_WORLD ? "" : b->scene->body[s->body].name,
                 s->body == LB_WORLD ? "" : "'",
                 own.count > 0 ? own.message[0].text : "it is not fit",
                 hull ? "convex: false" : "solid: false");
  } else if (status != LB_OK) {
    lb_error_append(b->err, &own);
  }
  lb_error_clear(&own);
  return status;
}

static lb_status add_collider(lb_build* b, int shape, int family) {
  lb_model* m = b->m;
  const lb_model_shape* look = &m->look.shape[shape];
  lb_collider* geometry = LB_TAKE(b->arena, lb_collider, 1);
  const lb_status status = make_geometry(b, shape, geometry);
  const lb_transform X = place_of(m, look);
  m->contact.collider[m->contact.ncollider++] =
      (lb_model_collider){.shape = shape,
                          .place = lb_build_place(b, b->scene->shape[shape].place),
                          .body = look->body,
                          .link = look->body == LB_WORLD ? LB_WORLD : m->body.link[look->body],
                          .geometry = geometry,
                          .size = geometry ? geometry->size : 0,
                          .X = X,
                          .surface = m->look.material[look->material].surface,
                          .belt = turn_belt(m, look->body, b->scene->shape[shape].belt),
                          .family = family};
  return status;
}

lb_status lb_build_contacts(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model_contacts* c = &b->m->contact;
  families f = {.s = s};
  lb_status status = LB_OK;
  c->set = s->contacts; // servos are solved by the same rules
  c->set.place = lb_build_place(b, s->contacts.place);
  c->set.pair = NULL;
  if (!s->contacts.on) {
    return LB_OK;
  }
  lb_arena scratch;
  lb_arena_init(&scratch, b->arena->allocator);
  c->collider =
      LB_TAKE(b->arena, lb_model_collider, s->nshape + s->nbody + s->nrope + s->ndeformable);
  find_joined(b->m, b->arena);
  if (find_families(&f, &scratch)) {
    fill_meetings(&f, c, b->arena);
  }
  status = lb_arena_status(&scratch) == LB_OK ? lb_arena_status(b->arena) : LB_NO_MEMORY;
  for (int i = 0; i < s->nshape && status == LB_OK; i++) {
    const int body = s->shape[i].body;
    if (s->shape[i].solid) {
      status = add_collider(b, i, f.family[body == LB_WORLD ? s->nbody : body]);
    }
  }
  c->nshape = c->ncollider;
  status = status == LB_OK ? lb_build_surfaces(b, f.family) : status;
  lb_arena_release(&scratch);
  return status;
}
