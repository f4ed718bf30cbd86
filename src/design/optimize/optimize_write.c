// Numbers into a scene, for what comes after a search. Everything is written from the scene as it
// was when the optimisation was made, so that other numbers can follow, into the same scene.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "model/use/motor_use.h"

// Models of the scene as it is written: the optimisation's, or with other numbers in its text.
static const lb_model* written_model(const lb_optimizing* o) {
  return o->nremade > 0 ? lb_model_simulated(o->remade[o->nremade - 1].shown) : o->model;
}
static const lb_model* written_tree(const lb_optimizing* o) {
  return o->nremade > 0 ? o->remade[o->nremade - 1].tree : o->tree;
}

// Masses as the growths have them; lengths that lines took from the start stay.
static void write_rest(const lb_optimizing* o, lb_scene* s) {
  const lb_model* m = written_model(o);
  for (int i = 0; i < o->ngrowth; i++) {
    const lb_growth* g = &o->growth[i];
    lb_scene_body* body = &s->body[g->body];
    if (g->part == g->body && g->base.m > 0) { // a massless body stays one
      body->mass = lb_growth_mass(g);
      body->has_mass = body->has_com = body->has_inertia = true;
    }
  }
  for (int i = 0; i < s->nforce; i++) {
    double* length = &s->force[i].length;
    *length = isnan(*length) ? m->force.item[i].set.length : *length;
  }
}

// Reference rotation of a prescribed frame: that of the scene's own start, whatever it starts with
// now.
static void write_prescribed(lb_optimizing* o, lb_scene* s) {
  const lb_model* m = written_tree(o);
  for (int i = 0; i < m->constraint.nprescribed - lb_motors_count_turns(m); i++) {
    const lb_model_constraint* prescribed =
        &m->constraint.item[m->constraint.prescribed[i].constraint];
    for (int k = 0; k < s->nconstraint; k++) {
      lb_scene_constraint* c = &s->constraint[k];
      if (m->constraint.prescribed[i].turn && strcmp(c->name, prescribed->name) == 0) {
        c->has_from = true;
        c->from = lb_quat_conjugate(prescribed->frame[1].q);
      }
    }
  }
}

// --- the whole ---

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the numbers of a scene");
}

// Coordinates of a scene with loops, all of them as they follow, so that assembly, which weighs by
// masses that have changed, has nothing to do. And starts of nodes.
static lb_status write_closed(lb_optimizing* o, const double* x, lb_scene* s, lb_error* err) {
  lb_arena arena;
  lb_played m;
  lb_data* d = NULL;
  lb_arena_init(&arena, o->allocator);
  lb_status status = lb_optimizing_play(o, x, &arena, &m, err);
  if (status == LB_OK) {
    status = lb_data_create(m.tree, o->allocator, &d, err);
  }
  if (status == LB_OK) {
    status = lb_start_close(o, &m, d, err);
  }
  if (status == LB_OK && m.tree->constraint.count > 0) {
    lb_start_write(m.tree, d, s);
  }
  if (status == LB_OK && m.tree->particles.nparticle > 0) {
    lb_made_start(o, &m, d);
    status = lb_made_write(o, m.tree, d, s) ? LB_OK : no_memory(err);
  }
  lb_data_release(d);
  lb_played_end(&m);
  lb_arena_release(&arena);
  return status;
}

static bool write_block(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  if (b->type->write) {
    return b->type->write(o, s, b, x);
  }
  double* to = b->type->in_scene(o, s, b);
  if (to) {
    memcpy(to, x, (size_t)b->count * sizeof *x);
  }
  return to != NULL;
}

lb_status lb_optimization_apply(lb_optimization* optimization, const double* x, lb_scene* scene,
                                lb_error* err) {
  lb_optimizing* o = optimization->work;
  const lb_status status = lb_text_changes(o) ? lb_remake_into(o, x, scene, err) : LB_OK;
  if (status != LB_OK) {
    return status;
  }
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    if (!write_block(o, scene, b, x + b->first)) {
      return no_memory(err);
    }
  }
  write_rest(o, scene);
  write_prescribed(o, scene);
  if (!lb_modulus_write(o, scene)) {
    return no_memory(err);
  }
  return o->tree->constraint.count + o->tree->particles.nparticle > 0
             ? write_closed(o, x, scene, err)
             : LB_OK;
}
