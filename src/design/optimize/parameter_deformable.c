// Numbers of ropes, and moduli of materials that deformables and elastic bodies are made of. Where
// ropes and deformables start is the affair of optimize_made.c.
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/force/particles.h"
#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"
#include "math/linear/dense.h"
#include "model/build/build_deformables.h"

// Velocities of the particles of ropes and deformables by velocities mu.
static const double* move_particles(lb_way_back* w, const double* mu) {
  return lb_step_move_particles(w->S, mu);
}

// --- ropes ---

static double* in_rope(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  lb_scene_rope* rope = &s->rope[b->p->index];
  double* const number[] = {[LB_SPRING_STIFFNESS] = &rope->stiffness,
                            [LB_SPRING_DAMPING] = &rope->damping,
                            [LB_SPRING_REST] = &rope->slack};
  (void)o;
  return number[lb_number_of_spring[b->p->kind]];
}

static lb_status put_rope(lb_player* w, const lb_block* b, const double* x) {
  const lb_model_rope* rope = &w->m->particles.rope[b->p->index];
  for (int k = 0; k < rope->nparticle - 1; k++) {
    lb_model_segment* s = &w->m->particles.segment[rope->first_segment + k];
    double* const number[] = {&s->stiffness, &s->damping};
    *number[lb_number_of_spring[b->p->kind]] = *x;
  }
  return LB_OK;
}

// The slack is a factor on all lengths.
static lb_status put_slack(lb_player* w, const lb_block* b, const double* x) {
  const lb_model_rope* rope = &w->m->particles.rope[b->p->index];
  for (int k = 0; k < rope->nparticle - 1; k++) {
    w->m->particles.segment[rope->first_segment + k].length *=
        *x / w->o->given.rope[b->p->index].slack;
  }
  return LB_OK;
}

static void pull_rope(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  const lb_particles* particles = w->d->work->particles;
  const lb_model_rope* rope = &w->m->particles.rope[b->p->index];
  const lb_spring_number which = lb_number_of_spring[b->p->kind];
  const double slack = w->o->given.rope[b->p->index].slack;
  const double* z = move_particles(w, mu);
  (void)impact;
  for (int k = rope->first_segment; k < rope->first_segment + rope->nparticle - 1; k++) {
    const lb_model_segment* s = &w->m->particles.segment[k];
    const lb_segment_state now = lb_segment_look(s, particles->x, particles->xd);
    const lb_v4 way = lb_v4_load(z + 3 * s->particle[1]) - lb_v4_load(z + 3 * s->particle[0]);
    const double length = w->o->model->particles.segment[k].length / slack;
    const double tension = lb_segment_by_number(s, particles->x, particles->xd, which);
    w->gradient[b->first] -=
        (which == LB_SPRING_REST ? length : 1) * tension * lb_v4_dot(now.n, way);
  }
}

const lb_parameter_type lb_parameter_rope = {
    .in_scene = in_rope, .floor = LB_FLOOR_ZERO, .put = put_rope, .pull = pull_rope};
const lb_parameter_type lb_parameter_rope_slack = {
    .in_scene = in_rope, .floor = LB_FLOOR_PART, .put = put_slack, .pull = pull_rope};

// --- moduli ---

// Deformables as stiff as one more of the modulus makes them.
static lb_status find_material(lb_optimizing* o, lb_block* b, lb_error* err) {
  const lb_model* m = o->model;
  const double each = 1 / o->given.material[b->p->index].young;
  const lb_deformable_factor inside = {each, each}, outside = {0, 0};
  b->deformable = LB_TAKE(&o->arena, lb_model_deformable, m->particles.ndeformable);
  lb_status status = b->deformable ? lb_modulus_find(o, b) : LB_NO_MEMORY;
  for (int i = 0; i < m->particles.ndeformable && status == LB_OK; i++) {
    b->deformable[i] = m->particles.deformable[i];
    status = lb_deformable_scale(&b->deformable[i], &o->arena, b->p->index, inside, outside);
  }
  return status == LB_OK
             ? LB_OK
             : lb_error_add(err, status, (lb_place){0}, "out of memory for an optimisation");
}

static double* in_material(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return &s->material[b->p->index].young;
}

static lb_status put_material(lb_player* w, const lb_block* b, const double* x) {
  const double factor = *x / w->o->given.material[b->p->index].young;
  const lb_deformable_factor inside = {factor, factor}, outside = {1, 1};
  lb_status status = LB_OK;
  for (int i = 0; i < w->m->particles.ndeformable && status == LB_OK; i++) {
    status =
        lb_deformable_scale(&w->m->particles.deformable[i], w->arena, b->p->index, inside, outside);
  }
  return status == LB_OK ? lb_modulus_put(w->m, w->arena, b, factor) : status;
}

// Writes over forces on particles.
static void pull_material(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  const lb_particles* particles = w->d->work->particles;
  const int n = 3 * w->m->particles.nparticle;
  double* to = &w->gradient[b->first];
  (void)impact;
  *to += lb_modulus_power(w->o, w->d, b->reduced, w->measured, w->mu);
  if (n > 0) {
    const double* z = move_particles(w, mu);
    memset(particles->f, 0, (size_t)n * sizeof *particles->f);
    for (int i = 0; i < w->m->particles.ndeformable; i++) {
      lb_particles_pull_deformable(particles, &b->deformable[i]);
    }
    *to += lb_dot(n, z, particles->f);
  }
}

const lb_parameter_type lb_parameter_material = {.find = find_material,
                                                 .in_scene = in_material,
                                                 .floor = LB_FLOOR_PART,
                                                 .put = put_material,
                                                 .pull = pull_material};
