// A model with other numbers: a thin copy of the arrays that differ, everything else shared.
#include <math.h>
#include <string.h>

#include "elastic/fem/fem.h"
#include "elastic/reduced/varied_force.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"

// What changes of one elastic body.
typedef struct other {
  double stiffness, mass;
} other;

static double or_old(double new, double old) {
  return isnan(new) ? old : new;
}

static double* copied(lb_arena* arena, const double* from, int count) {
  double* to = LB_TAKE(arena, double, count);
  if (to && count) {
    memcpy(to, from, (size_t)count * sizeof *to);
  }
  return to;
}

// Own copies of what a variation writes; false when there is no memory.
static bool copy_arrays(lb_model* m, lb_arena* arena) {
  const lb_model from = *m;
  const struct {
    void** to;
    int count;
    size_t size;
  } array[] = {{(void**)&m->material, m->nmaterial, sizeof *m->material},
               {(void**)&m->body_mass, m->nbody, sizeof *m->body_mass},
               {(void**)&m->link_mass, m->nlink, sizeof *m->link_mass},
               {(void**)&m->link, m->nlink, sizeof *m->link},
               {(void**)&m->elastic, m->nelastic, sizeof *m->elastic},
               {(void**)&m->particle, m->nparticle, sizeof *m->particle},
               {(void**)&m->deformable, m->ndeformable, sizeof *m->deformable}};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    const size_t size = (size_t)array[i].count * array[i].size;
    void* to = lb_arena_take(arena, size, LB_ALIGN);
    if (!to) {
      return false;
    }
    if (size) {
      memcpy(to, *array[i].to, size);
    }
    *array[i].to = to;
  }
  for (int i = 0; i < m->nelastic; i++) {
    m->elastic[i].frequency =
        copied(arena, from.elastic[i].frequency, from.elastic[i].frequency ? from.elastic[i].r : 0);
    if (!m->elastic[i].frequency) {
      return false;
    }
  }
  return true;
}

static void change_materials(lb_model* m, const lb_variation* v) {
  for (int i = 0; i < v->nmaterial; i++) {
    const lb_material_change* c = &v->material[i];
    lb_scene_material* to = &m->material[c->material];
    to->young = or_old(c->young, to->young);
    to->damping_mass = or_old(c->damping_mass, to->damping_mass);
    to->damping_stiffness = or_old(c->damping_stiffness, to->damping_stiffness);
  }
}

static double mass_factor(const lb_variation* v, int body) {
  double factor = 1;
  for (int i = 0; i < v->nmass; i++) {
    factor = v->mass[i].body == body ? v->mass[i].factor : factor;
  }
  return factor;
}

static void change_body_masses(lb_model* m, const lb_variation* v) {
  for (int i = 0; i < m->nbody && v->nmass > 0; i++) {
    const double f = mass_factor(v, i);
    lb_mass* mass = &m->body_mass[i];
    const lb_sym3 I = mass->inertia;
    mass->mass *= f;
    mass->inertia = (lb_sym3){f * I.xx, f * I.yy, f * I.zz, f * I.xy, f * I.xz, f * I.yz};
  }
}

static bool is_elastic(const lb_model* m, int body) {
  for (int e = 0; e < m->nelastic; e++) {
    if (m->elastic[e].body == body) {
      return true;
    }
  }
  return false;
}

// The rigid bodies of the links that carry a changed one, added up again, and the nodes that are
// fastened to them.
static void change_links(lb_model* m, const lb_variation* v) {
  for (int k = 0; k < v->nmass; k++) {
    const int link = m->body_link[v->mass[k].body];
    if (link == LB_WORLD || is_elastic(m, v->mass[k].body)) {
      continue;
    }
    lb_mass sum = {0};
    for (int i = 0; i < m->nbody; i++) {
      if (m->body_link[i] == link && !is_elastic(m, i)) {
        sum = lb_mass_add(sum, lb_mass_transform(m->body_in_link[i], m->body_mass[i]));
      }
    }
    for (int i = 0; i < m->nparticle; i++) {
      if (m->particle[i].link == link) {
        sum = lb_mass_add(sum, (lb_mass){.mass = m->particle[i].mass, .com = m->particle[i].at});
      }
    }
    m->link_mass[link] = sum;
    lb_link_set_mass(&m->link[link], sum);
  }
}

// Bodies made alike may share what they are made of, and part here: each gets its own.
static lb_status change_elastic(lb_model* m, int e, other by, lb_arena* arena) {
  lb_model_elastic* body = &m->elastic[e];
  const int link = m->body_link[body->body];
  lb_reduced* made = LB_TAKE(arena, lb_reduced, 1);
  if (!made) {
    return LB_NO_MEMORY;
  }
  const lb_status status =
      lb_reduced_scale(m->link[link].reduced, by.stiffness, by.mass, arena, made);
  if (status != LB_OK) {
    return status;
  }
  if (body->material >= 0 && body->nregion == 0) {
    made->alpha = m->material[body->material].damping_mass;
    made->beta = m->material[body->material].damping_stiffness;
  }
  for (int f = -1; f < made->nface; f++) {
    m->link[link + 1 + f].reduced = made;
  }
  for (int k = 0; k < body->r && body->nnode > 0; k++) {
    body->frequency[k] *= sqrt(by.stiffness / by.mass);
  }
  return LB_OK;
}

static double ratio(double new, double old) {
  return old > 0 ? new / old : 1;
}

// Forces of deformables are linear in its moduli, and its drag in the damping by mass.
static lb_status change_deformable(lb_model* m, const lb_model* from, const lb_variation* v, int i,
                                   lb_arena* arena) {
  lb_model_deformable* deformable = &m->deformable[i];
  deformable->shared = true;
  lb_status status = LB_OK;
  for (int k = 0; k < v->nmaterial && status == LB_OK; k++) {
    const int material = v->material[k].material;
    const lb_scene_material *now = &m->material[material], *was = &from->material[material];
    const double stiffness = ratio(now->young, was->young);
    const lb_deformable_factor inside = {
        stiffness, stiffness * ratio(now->damping_stiffness, was->damping_stiffness)};
    status = lb_deformable_scale(deformable, arena, material, inside, (lb_deformable_factor){1, 1});
    for (int n = 0; n < deformable->nparticle && deformable->region_material[0] == material; n++) {
      m->particle[deformable->first_particle + n].drag *=
          ratio(now->damping_mass, was->damping_mass);
    }
  }
  return status;
}

static lb_status vary(lb_model* m, const lb_model* from, const lb_variation* v, lb_arena* arena) {
  if (!copy_arrays(m, arena)) {
    return LB_NO_MEMORY;
  }
  change_materials(m, v);
  change_body_masses(m, v);
  change_links(m, v);
  lb_status status = LB_OK;
  for (int e = 0; e < m->nelastic && status == LB_OK; e++) {
    const int material = m->elastic[e].material;
    const other by = {material < 0 ? 1
                                   : m->material[material].young / from->material[material].young,
                      mass_factor(v, m->elastic[e].body)};
    status = change_elastic(m, e, by, arena);
  }
  for (int i = 0; i < m->ndeformable && status == LB_OK; i++) {
    status = change_deformable(m, from, v, i, arena);
  }
  return status == LB_OK ? lb_model_renew_tree(m, arena) : status;
}

// Damping that is nothing has no factor, and drag is that of all of a mesh.
static lb_status check_deformable(const lb_model* m, const lb_model_deformable* deformable,
                                  const lb_material_change* c, lb_error* err) {
  const lb_scene_material* was = &m->material[c->material];
  const bool from_nothing = (c->damping_mass > 0 && !(was->damping_mass > 0)) ||
                            (c->damping_stiffness > 0 && !(was->damping_stiffness > 0));
  const bool mixed = deformable->fem->nregion > 1 && !isnan(c->damping_mass) &&
                     c->damping_mass != was->damping_mass;
  for (int r = 0; r < deformable->fem->nregion; r++) {
    if (deformable->region_material[r] == c->material && (from_nothing || mixed)) {
      return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                          "damping of material '%s' cannot be varied: flesh '%s' %s", was->name,
                          deformable->name, mixed ? "is made of several" : "has none of it");
    }
  }
  return LB_OK;
}

// Shapes stay when all of a body changes alike, and only then.
static lb_status check(const lb_model* m, const lb_variation* v, lb_error* err) {
  const lb_place place = {m->file, 0, 0};
  if (m->full) {
    return lb_error_add(err, LB_INVALID, place,
                        "'%s' has elastic bodies with all their nodes, which cannot be varied "
                        "(simulate it in a basis, 'elastic: reduced')",
                        m->name);
  }
  for (int k = 0; k < v->nmaterial * m->ndeformable; k++) {
    const lb_status good =
        check_deformable(m, &m->deformable[k / v->nmaterial], &v->material[k % v->nmaterial], err);
    if (good != LB_OK) {
      return good;
    }
  }
  for (int e = 0; e < m->nelastic; e++) {
    for (int i = 0; i < v->nmaterial; i++) {
      for (int r = 0; r < m->elastic[e].nregion; r++) {
        if (m->elastic[e].region_material[r] == v->material[i].material) {
          return lb_error_add(err, LB_INVALID, place,
                              "material '%s' is one of several of body '%s', and cannot be varied",
                              m->material[v->material[i].material].name,
                              m->body_name[m->elastic[e].body]);
        }
      }
    }
  }
  return LB_OK;
}

lb_status lb_model_vary(const lb_model* model, const lb_variation* variation,
                        const lb_allocator* allocator, lb_model** varied, lb_error* err) {
  const lb_status good = check(model, variation, err);
  if (good != LB_OK) {
    return good;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_model* m = LB_TAKE(&arena, lb_model, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  lb_status status = m && kept ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    *m = *model;
    m->assembly = NULL;
    status = vary(m, model, variation, &arena);
  }
  if (status == LB_OK && model->assembly) {
    status = lb_model_vary(model->assembly, variation, allocator, &m->assembly, NULL);
  }
  if (status != LB_OK) {
    lb_arena_release(&arena);
    return lb_error_add(err, status, (lb_place){0}, "out of memory for a variation of '%s'",
                        model->name);
  }
  *kept = arena;
  m->storage = kept;
  *varied = m;
  return LB_OK;
}
