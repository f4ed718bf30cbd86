// The modulus of elastic bodies in a basis. Shapes stay those of the scene: of one material they do
// not depend on it, and of several, or from a file, they are a choice of where a body can go, and
// the scene's is kept. Internal forces and the damping in proportion to stiffness of the regions
// that are made of the material, f_E and K'_E, are linear in it,
//
//   dr/dE = (f_E + beta K'_E etad) / E
#include <string.h>

#include "design/optimize/optimization.h"
#include "elastic/reduced/reduced_derivative.h"
#include "elastic/reduced/varied_force.h"
#include "math/linear/dense.h"
#include "scene/part/elastic_form.h"

// The link of an elastic body that is made of a block's material, among others perhaps; or -1.
static int link_of(const lb_model* m, const lb_block* b, int elastic) {
  const lb_model_elastic* e = &m->elastic.body[elastic];
  bool made = e->nregion == 0 && e->material == b->p->index;
  for (int i = 0; i < e->nregion; i++) {
    made |= e->region_material[i] == b->p->index;
  }
  return made ? m->body.link[e->body] : -1;
}

// A body with what is made of the block's material `inside` times, and what is not `outside` times
// as stiff.
static lb_status scale(const lb_model* m, const lb_block* b, int elastic, double inside,
                       double outside, lb_arena* arena, lb_reduced* made) {
  const lb_model_elastic* e = &m->elastic.body[elastic];
  const int n = e->nregion ? e->nregion : 1;
  double* factor = LB_TAKE(arena, double, n);
  if (!factor) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    factor[i] = e->nregion == 0 || e->region_material[i] == b->p->index ? inside : outside;
  }
  return lb_reduced_scale_regions(m->link.packed[m->body.link[e->body]].reduced, n, factor, arena,
                                  made);
}

lb_status lb_modulus_put(lb_model* m, lb_arena* arena, const lb_block* b, double factor) {
  for (int i = 0; i < m->elastic.count; i++) {
    const int link = link_of(m, b, i);
    lb_reduced* made = link >= 0 ? LB_TAKE(arena, lb_reduced, 1) : NULL;
    if (link < 0) {
      continue;
    }
    if (!made || scale(m, b, i, factor, 1, arena, made) != LB_OK) {
      return LB_NO_MEMORY;
    }
    for (int f = -1; f < made->nface; f++) { // faces follow the body's link
      m->link.packed[link + 1 + f].reduced = made;
    }
  }
  return LB_OK;
}

lb_status lb_modulus_find(lb_optimizing* o, lb_block* b) {
  const lb_model* m = o->model; // as the scene has it
  lb_status status = LB_OK;
  b->reduced = LB_TAKE(&o->arena, lb_reduced, m->elastic.count);
  for (int i = 0; i < m->elastic.count && b->reduced && status == LB_OK; i++) {
    if (link_of(m, b, i) >= 0) {
      const double each = 1 / o->given.material[b->p->index].young;
      status = scale(m, b, i, each, 0, &o->arena, &b->reduced[i]);
      b->reduced[i].alpha = 0; // which has nothing to do with it
    }
  }
  return b->reduced ? status : LB_NO_MEMORY;
}

double lb_modulus_power(const lb_optimizing* o, const lb_data* d, const lb_reduced* part,
                        double* scratch, const double* mu) {
  const lb_model* m = o->model;
  double sum = 0;
  for (int i = 0; i < m->elastic.count; i++) {
    if (part[i].r == 0) { // of other materials
      continue;
    }
    const lb_link* l = &m->link.packed[m->body.link[m->elastic.body[i].body]];
    double *f = scratch, *room = d->work->scratch;
    memset(f, 0, (size_t)l->nv * sizeof *f);
    lb_reduced_add_forces(&part[i], f, d->q + l->q, d->qd + l->v, room);
    sum += lb_dot(l->nv, f, mu + l->v);
  }
  return sum;
}

// A body whose shapes do not follow from its materials alone as they are now.
static bool keeps_shapes(const lb_scene_elastic* e) {
  return e && (e->nregion > 0 || e->stored);
}

bool lb_modulus_write(lb_optimizing* o, lb_scene* s) {
  bool any = false, ok = true;
  for (int i = 0; i < o->nblock; i++) {
    any |= o->block[i].type == &lb_parameter_material;
  }
  for (int i = 0; i < s->nbody && any && ok; i++) {
    const lb_scene_elastic* from = o->given.body[i].elastic;
    if (!keeps_shapes(from)) {
      continue;
    }
    const int n = from->nregion ? from->nregion : 1;
    lb_scene_elastic* to = LB_TAKE(&o->arena, lb_scene_elastic, 1);
    double* young = LB_TAKE(&o->arena, double, n);
    ok = to && young;
    for (int k = 0; k < n && ok; k++) {
      young[k] = lb_elastic_young(&o->given, from, k);
    }
    if (ok) {
      *to = *s->body[i].elastic;
      to->basis_young = young;
      s->body[i].elastic = to;
    }
  }
  return ok;
}
