// The modulus of elastic bodies in a basis, of one material each: shapes stay what they are, and
// internal forces and the damping in proportion to stiffness are linear in it,
//
//   dr/dE = (f + beta K' etad) / E
//
// and so is what they answer in linearly implicit steps.
#include <string.h>

#include "design/optimize.h"
#include "dynamics/probe.h"
#include "elastic/reduced_derivative.h"
#include "elastic/scaled.h"
#include "math/dense.h"

// The link of an elastic body that a block is the modulus of, or -1.
static int link_of(const lb_model* m, const lb_block* b, int elastic) {
  const lb_model_elastic* e = &m->elastic[elastic];
  return b->p->owner == LB_OWNER_MATERIAL && e->material == b->p->index && e->nregion == 0
             ? m->body_link[e->body]
             : -1;
}

lb_status lb_modulus_put(lb_model* m, lb_arena* arena, const lb_block* b, double factor) {
  for (int i = 0; i < m->nelastic; i++) {
    const int link = link_of(m, b, i);
    lb_reduced* made = link >= 0 ? LB_TAKE(arena, lb_reduced, 1) : NULL;
    if (link < 0) {
      continue;
    }
    if (!made || lb_reduced_scale(m->link[link].reduced, factor, 1, arena, made) != LB_OK) {
      return LB_NO_MEMORY;
    }
    for (int f = -1; f < made->nface; f++) { // faces follow the body's link
      m->link[link + 1 + f].reduced = made;
    }
  }
  return LB_OK;
}

double lb_modulus_power(const lb_optimizing* o, const lb_data* d, const lb_block* b,
                        const lb_step_answers* answers, double* scratch, const double* mu) {
  const lb_model* m = o->model; // as the scene has it
  const lb_probe* probe = answers->probe;
  double sum = 0;
  for (int i = 0; i < m->nelastic; i++) {
    const int link = link_of(m, b, i);
    if (link < 0) {
      continue;
    }
    const lb_link* l = &m->link[link];
    lb_reduced part = *l->reduced;
    part.alpha = 0; // which has nothing to do with it
    double *f = scratch, *room = d->work->scratch;
    memset(f, 0, (size_t)l->nv * sizeof *f);
    lb_reduced_add_forces(&part, f, d->q + l->q, d->qd + l->v, room);
    if (probe) {
      lb_reduced_answer(&part, f, d->q + l->q, probe->x + l->v, probe->u + l->v, scratch + l->nv,
                        room);
    }
    sum += lb_dot(l->nv, f, mu + l->v);
  }
  return sum / o->given.material[b->p->index].young;
}
