// A model with other numbers: a thin copy of the arrays that differ, everything else shared.
#include <math.h>

#include "elastic/fem/fem.h"
#include "elastic/reduced/stress.h"
#include "elastic/reduced/varied_force.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"

// Factors on the stiffness and mass of an elastic body.
typedef struct other {
  double stiffness, mass;
} other;

static double or_old(double new, double old) {
  return isnan(new) ? old : new;
}

// Own copies of what a variation writes.
static bool copy_arrays(lb_model* m, lb_arena* arena) {
  const lb_model_array array[] = {LB_MODEL_ARRAY(m->look.material, m->look.nmaterial),
                                  LB_MODEL_ARRAY(m->body.mass, m->nbody),
                                  LB_MODEL_ARRAY(m->link.mass, m->nlink),
                                  LB_MODEL_ARRAY(m->link.packed, m->nlink),
                                  LB_MODEL_ARRAY(m->elastic.body, m->elastic.count),
                                  LB_MODEL_ARRAY(m->particles.particle, m->particles.nparticle)};
  bool ok = LB_MODEL_OWN(arena, array);
  for (int i = 0; i < m->elastic.count && ok; i++) {
    const lb_model_array own[] = {
        LB_MODEL_ARRAY(m->elastic.body[i].frequency, m->elastic.body[i].r)};
    ok = !m->elastic.body[i].frequency || LB_MODEL_OWN(arena, own);
  }
  return ok;
}

static void change_materials(lb_model* m, const lb_variation* v) {
  for (int i = 0; i < v->nmaterial; i++) {
    const lb_material_change* c = &v->material[i];
    lb_scene_material* to = &m->look.material[c->material];
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
    lb_mass* mass = &m->body.mass[i];
    const lb_sym3 I = mass->inertia;
    mass->mass *= f;
    mass->inertia = (lb_sym3){f * I.xx, f * I.yy, f * I.zz, f * I.xy, f * I.xz, f * I.yz};
  }
}

static bool is_elastic(const lb_model* m, int body) {
  for (int e = 0; e < m->elastic.count; e++) {
    if (m->elastic.body[e].body == body) {
      return true;
    }
  }
  return false;
}

// The rigid bodies of the links that carry a changed one, added up again, and the nodes that are
// fastened to them.
static void change_links(lb_model* m, const lb_variation* v) {
  for (int k = 0; k < v->nmass; k++) {
    const int link = m->body.link[v->mass[k].body];
    if (link == LB_WORLD || is_elastic(m, v->mass[k].body)) {
      continue;
    }
    lb_mass sum = {0};
    for (int i = 0; i < m->nbody; i++) {
      if (m->body.link[i] == link && !is_elastic(m, i)) {
        sum = lb_mass_add(sum, lb_mass_transform(m->body.in_link[i], m->body.mass[i]));
      }
    }
    for (int i = 0; i < m->particles.nparticle; i++) {
      if (m->particles.particle[i].link == link) {
        sum = lb_mass_add(sum, (lb_mass){.mass = m->particles.particle[i].mass,
                                         .com = m->particles.particle[i].at});
      }
    }
    m->link.mass[link] = sum;
    lb_link_set_mass(&m->link.packed[link], sum);
  }
}

// Bodies made alike may share what they are made of, and part here: each gets its own.
static lb_status change_elastic(lb_model* m, int e, other by, lb_arena* arena) {
  lb_model_elastic* body = &m->elastic.body[e];
  const int link = m->body.link[body->body];
  lb_reduced* made = LB_TAKE(arena, lb_reduced, 1);
  if (!made) {
    return LB_NO_MEMORY;
  }
  const lb_status status =
      lb_reduced_scale(m->link.packed[link].reduced, by.stiffness, by.mass, arena, made);
  if (status != LB_OK) {
    return status;
  }
  if (body->material >= 0 && body->nregion == 0) {
    made->alpha = m->look.material[body->material].damping_mass;
    made->beta = m->look.material[body->material].damping_stiffness;
  }
  for (int f = -1; f < made->nface; f++) {
    m->link.packed[link + 1 + f].reduced = made;
  }
  for (int k = 0; k < body->r && body->nnode > 0; k++) {
    body->frequency[k] *= sqrt(by.stiffness / by.mass);
  }
  if (body->stress) {
    body->stress = lb_stress_scaled(body->stress, by.stiffness, arena);
    return body->stress ? LB_OK : LB_NO_MEMORY;
  }
  return LB_OK;
}

static double ratio(double new, double old) {
  return old > 0 ? new / old : 1;
}

// Forces of deformables are linear in its moduli, and its drag in the damping by mass.
static lb_status change_deformable(lb_model* m, const lb_model* from, const lb_variation* v, int i,
                                   lb_arena* arena) {
  lb_model_deformable* deformable = &m->particles.deformable[i];
  lb_status status = LB_OK;
  for (int k = 0; k < v->nmaterial && status == LB_OK; k++) {
    const int material = v->material[k].material;
    const lb_scene_material *now = &m->look.material[material],
                            *was = &from->look.material[material];
    const double stiffness = ratio(now->young, was->young);
    const lb_deformable_factor inside = {
        stiffness, stiffness * ratio(now->damping_stiffness, was->damping_stiffness)};
    status = lb_deformable_scale(deformable, arena, material, inside, (lb_deformable_factor){1, 1});
    for (int n = 0; n < deformable->nparticle && deformable->region_material[0] == material; n++) {
      m->particles.particle[deformable->first_particle + n].drag *=
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
  for (int e = 0; e < m->elastic.count && status == LB_OK; e++) {
    const int material = m->elastic.body[e].material;
    const other by = {
        material < 0 ? 1 : m->look.material[material].young / from->look.material[material].young,
        mass_factor(v, m->elastic.body[e].body)};
    status = change_elastic(m, e, by, arena);
  }
  for (int i = 0; i < m->particles.ndeformable && status == LB_OK; i++) {
    status = change_deformable(m, from, v, i, arena);
  }
  return status;
}

// Damping that is nothing has no factor, and drag is that of all of a mesh.
static lb_status check_deformable(const lb_model* m, const lb_model_deformable* deformable,
                                  const lb_material_change* c, lb_error* err) {
  const lb_scene_material* was = &m->look.material[c->material];
  const bool from_nothing = (c->damping_mass > 0 && !(was->damping_mass > 0)) ||
                            (c->damping_stiffness > 0 && !(was->damping_stiffness > 0));
  const bool mixed = deformable->fem->nregion > 1 && !isnan(c->damping_mass) &&
                     c->damping_mass != was->damping_mass;
  for (int r = 0; r < deformable->fem->nregion; r++) {
    if (deformable->region_material[r] == c->material && (from_nothing || mixed)) {
      return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                          "damping of material '%s' cannot be varied: deformable '%s' %s",
                          was->name, deformable->name,
                          mixed ? "is made of several" : "has none of it");
    }
  }
  return LB_OK;
}

// Shapes stay when all of a body changes alike, and only then.
static lb_status check(const lb_model* m, const lb_variation* v, lb_error* err) {
  const lb_place place = {m->file, 0, 0};
  if (lb_model_simulated(m) != m) {
    return lb_error_add(err, LB_INVALID, place,
                        "'%s' has elastic bodies with all their nodes, which cannot be varied "
                        "(simulate it in a basis, 'elastic: reduced')",
                        m->name);
  }
  for (int k = 0; k < v->nmaterial * m->particles.ndeformable; k++) {
    const lb_status good = check_deformable(m, &m->particles.deformable[k / v->nmaterial],
                                            &v->material[k % v->nmaterial], err);
    if (good != LB_OK) {
      return good;
    }
  }
  for (int e = 0; e < m->elastic.count; e++) {
    for (int i = 0; i < v->nmaterial; i++) {
      for (int r = 0; r < m->elastic.body[e].nregion; r++) {
        if (m->elastic.body[e].region_material[r] == v->material[i].material) {
          return lb_error_add(err, LB_INVALID, place,
                              "material '%s' is one of several of body '%s', and cannot be varied",
                              m->look.material[v->material[i].material].name,
                              m->body.name[m->elastic.body[e].body]);
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
  lb_model* m = lb_model_derive_apart(model, allocator);
  lb_status status = m ? vary(m, model, variation, m->storage) : LB_NO_MEMORY;
  if (status == LB_OK && lb_model_assembly(model)) {
    lb_variants* v = m->variants;
    status = lb_model_vary(v->assembly, variation, allocator, &v->assembly, NULL);
    v->owned[0] = v->assembly;
    v->nowned = status == LB_OK;
  }
  if (status != LB_OK) {
    lb_model_release(m);
    return lb_error_add(err, status, (lb_place){0}, "out of memory for a variation of '%s'",
                        model->name);
  }
  *varied = m;
  return LB_OK;
}
