// Strands and flesh in an optimisation: their own numbers. Where they start is the affair of
// optimize_made.c, what they do on bodies that get longer that of optimize_stretch.c.
#include <string.h>

#include "design/optimize.h"
#include "dynamics/nodes.h"
#include "elastic/fem.h"
#include "elastic/viscous.h"
#include "model/soft.h"

// --- numbers ---

bool lb_fabric_owns(const lb_block* b) {
  return b->p->owner == LB_OWNER_STRAND || b->p->owner == LB_OWNER_MATERIAL;
}

// Where a scene has it.
static double* in_scene(const lb_scene* s, const lb_block* b) {
  if (b->p->owner == LB_OWNER_MATERIAL) {
    return &s->material[b->p->index].young;
  }
  lb_scene_strand* strand = &s->strand[b->p->index];
  return b->p->kind == LB_PARAMETER_STIFFNESS ? &strand->stiffness
         : b->p->kind == LB_PARAMETER_DAMPING ? &strand->damping
                                              : &strand->slack;
}

double lb_fabric_given(const lb_scene* s, const lb_block* b) {
  return *in_scene(s, b);
}

void lb_fabric_write(lb_scene* s, const lb_block* b, double x) {
  *in_scene(s, b) = x;
}

static void put_strand(const lb_model* m, const lb_block* b, double x, double given) {
  const lb_model_strand* strand = &m->strand[b->p->index];
  for (int k = 0; k < strand->nnode - 1; k++) {
    lb_model_segment* s = &m->segment[strand->first_segment + k];
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
  if (b->p->owner == LB_OWNER_STRAND) {
    put_strand(m, b, x, given);
    return LB_OK;
  }
  for (int i = 0; i < m->nsoft && status == LB_OK; i++) {
    const lb_soft_factor inside = {x / given, x / given}, outside = {1, 1};
    status = lb_soft_scale(&m->soft[i], arena, b->p->index, inside, outside);
  }
  return status == LB_OK ? lb_modulus_put(m, arena, b, x / given) : status;
}

// --- the gradient ---

lb_status lb_fabric_prepare(const lb_optimizing* o, const lb_block* b, lb_arena* arena,
                            lb_model_soft** part) {
  const lb_model* m = o->model;
  *part = NULL;
  if (b->p->owner != LB_OWNER_MATERIAL) {
    return LB_OK;
  }
  *part = LB_TAKE(arena, lb_model_soft, m->nsoft);
  lb_status status = *part ? LB_OK : LB_NO_MEMORY;
  const double each = 1 / lb_fabric_given(&o->slid, b);
  for (int i = 0; i < m->nsoft && status == LB_OK; i++) {
    (*part)[i] = m->soft[i];
    status = lb_soft_scale(&(*part)[i], arena, b->p->index, (lb_soft_factor){each, each},
                           (lb_soft_factor){0, 0});
  }
  return status;
}

static double strand_power(const lb_optimizing* o, const lb_model* m, const lb_nodes* nodes,
                           const lb_block* b, const double* z) {
  const lb_model_strand* strand = &m->strand[b->p->index];
  double sum = 0;
  for (int k = strand->first_segment; k < strand->first_segment + strand->nnode - 1; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_segment_state now = lb_segment_look(s, nodes->x, nodes->xd);
    const lb_v4 way = lb_v4_load(z + 3 * s->node[1]) - lb_v4_load(z + 3 * s->node[0]);
    const double length = o->model->segment[k].length / o->slid.strand[b->p->index].slack;
    const lb_spring_number number = lb_number_of_spring[b->p->kind];
    const double tension = lb_segment_by_number(s, nodes->x, nodes->xd, number);
    sum -= (b->p->kind == LB_PARAMETER_REST ? length : 1) * tension * lb_v4_dot(now.n, way);
  }
  return sum;
}

static double flesh_power(const lb_model* m, const lb_nodes* nodes, const lb_model_soft* part,
                          const double* z) {
  double sum = 0;
  memset(nodes->f, 0, 3 * (size_t)m->nnode * sizeof *nodes->f);
  for (int i = 0; i < m->nsoft; i++) {
    lb_nodes_pull_soft(nodes, &part[i]);
  }
  for (int k = 0; k < 3 * m->nnode; k++) {
    sum += z[k] * nodes->f[k];
  }
  return sum;
}

double lb_fabric_power(const lb_optimizing* o, const lb_model* m, const lb_data* d,
                       const lb_block* b, const lb_model_soft* part, const double* z) {
  const lb_nodes* nodes = d->work->nodes;
  return part ? flesh_power(m, nodes, part, z) : strand_power(o, m, nodes, b, z);
}
