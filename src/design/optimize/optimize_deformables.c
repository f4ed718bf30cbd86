// Ropes and deformables in an optimisation: their own numbers. Where they start is the affair of
// optimize_made.c, what they do on bodies that get longer that of optimize_stretch.c.
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/force/particles.h"
#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"
#include "model/build/build_deformables.h"

// --- numbers ---

bool lb_fabric_owns(const lb_block* b) {
  return b->p->owner == LB_OWNER_ROPE || b->p->owner == LB_OWNER_MATERIAL;
}

// Where a scene has it.
static double* in_scene(const lb_scene* s, const lb_block* b) {
  if (b->p->owner == LB_OWNER_MATERIAL) {
    return &s->material[b->p->index].young;
  }
  lb_scene_rope* rope = &s->rope[b->p->index];
  return b->p->kind == LB_PARAMETER_STIFFNESS ? &rope->stiffness
         : b->p->kind == LB_PARAMETER_DAMPING ? &rope->damping
                                              : &rope->slack;
}

double lb_fabric_given(const lb_scene* s, const lb_block* b) {
  return *in_scene(s, b);
}

void lb_fabric_write(lb_scene* s, const lb_block* b, double x) {
  *in_scene(s, b) = x;
}

static void put_rope(const lb_model* m, const lb_block* b, double x, double given) {
  const lb_model_rope* rope = &m->rope[b->p->index];
  for (int k = 0; k < rope->nparticle - 1; k++) {
    lb_model_segment* s = &m->segment[rope->first_segment + k];
    if (b->p->kind == LB_PARAMETER_STIFFNESS) {
      s->stiffness = x;
    } else if (b->p->kind == LB_PARAMETER_DAMPING) {
      s->damping = x;
    } else {
      s->length *= x / given;
    }
  }
}

lb_status lb_fabric_put(lb_model* m, lb_arena* arena, const lb_block* b, double x, double given) {
  lb_status status = LB_OK;
  if (b->p->owner == LB_OWNER_ROPE) {
    put_rope(m, b, x, given);
    return LB_OK;
  }
  for (int i = 0; i < m->ndeformable && status == LB_OK; i++) {
    const lb_deformable_factor inside = {x / given, x / given}, outside = {1, 1};
    status = lb_deformable_scale(&m->deformable[i], arena, b->p->index, inside, outside);
  }
  return status == LB_OK ? lb_modulus_put(m, arena, b, x / given) : status;
}

// --- the gradient ---

lb_status lb_fabric_prepare(const lb_optimizing* o, const lb_block* b, lb_arena* arena,
                            lb_model_deformable** part) {
  const lb_model* m = o->model;
  *part = NULL;
  if (b->p->owner != LB_OWNER_MATERIAL) {
    return LB_OK;
  }
  *part = LB_TAKE(arena, lb_model_deformable, m->ndeformable);
  lb_status status = *part ? LB_OK : LB_NO_MEMORY;
  const double each = 1 / lb_fabric_given(&o->slid, b);
  for (int i = 0; i < m->ndeformable && status == LB_OK; i++) {
    (*part)[i] = m->deformable[i];
    status = lb_deformable_scale(&(*part)[i], arena, b->p->index,
                                 (lb_deformable_factor){each, each}, (lb_deformable_factor){0, 0});
  }
  return status;
}

static double rope_power(const lb_optimizing* o, const lb_model* m, const lb_particles* particles,
                         const lb_block* b, const double* z) {
  const lb_model_rope* rope = &m->rope[b->p->index];
  double sum = 0;
  for (int k = rope->first_segment; k < rope->first_segment + rope->nparticle - 1; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_segment_state now = lb_segment_look(s, particles->x, particles->xd);
    const lb_v4 way = lb_v4_load(z + 3 * s->particle[1]) - lb_v4_load(z + 3 * s->particle[0]);
    const double length = o->model->segment[k].length / o->slid.rope[b->p->index].slack;
    const lb_spring_number number = lb_number_of_spring[b->p->kind];
    const double tension = lb_segment_by_number(s, particles->x, particles->xd, number);
    sum -= (b->p->kind == LB_PARAMETER_REST ? length : 1) * tension * lb_v4_dot(now.n, way);
  }
  return sum;
}

static double deformable_power(const lb_model* m, const lb_particles* particles,
                               const lb_model_deformable* part, const double* z) {
  double sum = 0;
  memset(particles->f, 0, 3 * (size_t)m->nparticle * sizeof *particles->f);
  for (int i = 0; i < m->ndeformable; i++) {
    lb_particles_pull_deformable(particles, &part[i]);
  }
  for (int k = 0; k < 3 * m->nparticle; k++) {
    sum += z[k] * particles->f[k];
  }
  return sum;
}

double lb_fabric_power(const lb_optimizing* o, const lb_model* m, const lb_data* d,
                       const lb_block* b, const lb_model_deformable* part, const double* z) {
  const lb_particles* particles = d->work->particles;
  return part ? deformable_power(m, particles, part, z) : rope_power(o, m, particles, b, z);
}
