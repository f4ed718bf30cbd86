// Numbers into models, for runs.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/joint/joint.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"

// Models with own copies of what numbers are put into.
static bool own_tree(const lb_optimizing* o, lb_arena* arena, lb_model* tree) {
  tree->start.q = o->q0;
  tree->start.qd = o->v0;
  const lb_model_array part[] = {
      LB_MODEL_ARRAY(tree->start.q, tree->nq), LB_MODEL_ARRAY(tree->start.qd, tree->nv),
      LB_MODEL_ARRAY(tree->particles.particle, tree->particles.nparticle),
      LB_MODEL_ARRAY(tree->link.packed, tree->nlink),
      LB_MODEL_ARRAY(tree->motor.profile, tree->nmotor)};
  return LB_MODEL_OWN(arena, part);
}

static bool own_model(lb_arena* arena, lb_model* m) {
  const lb_model_array part[] = {LB_MODEL_ARRAY(m->dof.stiffness, m->nv),
                                 LB_MODEL_ARRAY(m->dof.damping, m->nv),
                                 LB_MODEL_ARRAY(m->dof.rest, m->nq),
                                 LB_MODEL_ARRAY(m->force.item, m->force.count),
                                 LB_MODEL_ARRAY(m->constraint.loop, m->constraint.nloop),
                                 LB_MODEL_ARRAY(m->force.drag, m->force.ndrag),
                                 LB_MODEL_ARRAY(m->link.packed, m->nlink),
                                 LB_MODEL_ARRAY(m->particles.particle, m->particles.nparticle),
                                 LB_MODEL_ARRAY(m->particles.segment, m->particles.nsegment),
                                 LB_MODEL_ARRAY(m->particles.deformable, m->particles.ndeformable),
                                 LB_MODEL_ARRAY(m->muscle.item, m->muscle.count),
                                 LB_MODEL_ARRAY(m->motor.profile, m->nmotor)};
  return LB_MODEL_OWN(arena, part);
}

static void grow(const lb_growth* g, lb_model* m) {
  lb_growth was = *g;
  was.density = was.length = 1;
  const lb_bulk before = lb_growth_bulk(&was), now = lb_growth_bulk(g);
  if (g->link != LB_WORLD) {
    lb_link_add_bulk(&m->link.packed[g->link], -1, &before);
    lb_link_add_bulk(&m->link.packed[g->link], 1, &now);
  }
  if (g->drag >= 0) {
    m->force.drag[g->drag].at.X.p = lb_growth_centre(g);
  }
}

// Rotations come first: velocities along the world's axes are seen from them.
static lb_status put_all(lb_player* w, const double* x) {
  lb_status status = LB_OK;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < w->o->nblock && status == LB_OK; i++) {
      const lb_block* b = &w->o->block[i];
      if ((b->type == &lb_parameter_body_turn) == (pass == 0)) {
        status = b->type->put(w, b, x + b->first);
      }
    }
  }
  return status;
}

// Motors say how one coordinate of several starts, and servos how theirs does, as where a scene is
// compiled; where gaps close over time nothing else would put it there.
static void put_prescribed(lb_model* tree) {
  for (int i = 0; i < tree->nmotor; i++) {
    const int j = tree->motor.joint[i], v = tree->motor.v[i];
    const bool servo = tree->motor.drive[i] == LB_DRIVE_SERVO;
    if ((tree->motor.coupling[i] >= 0 || servo) && j >= 0) {
      lb_motor_start(tree, i, tree->joint.q[j] + v - tree->joint.v[j]);
    }
  }
}

// Start of a scene whose text has other numbers: it moves from that of the optimisation by as much
// as the scene's own coordinates do. Rotations that are no numbers stay.
static void move_start(const lb_optimizing* o, const lb_model* from, lb_model* tree) {
  const lb_model* was = o->tree;
  for (int i = 0; i < tree->njoint; i++) {
    const int q = tree->joint.q[i], v = tree->joint.v[i], n = tree->joint.nv[i];
    for (int k = 0; k < n && tree->joint.nq[i] == n; k++) {
      tree->start.q[q + k] += from->start.q[q + k] - was->start.q[q + k];
      tree->start.qd[v + k] += from->start.qd[v + k] - was->start.qd[v + k];
    }
  }
}

// Models that numbers are put into: those of the optimisation, or of the text with x in it.
static lb_status find_models(lb_optimizing* o, const double* x, lb_played* to,
                             const lb_model** model, const lb_model** tree, lb_error* err) {
  *model = o->model;
  *tree = o->tree;
  if (!lb_text_changes(o)) {
    return LB_OK;
  }
  const lb_status status = lb_remake(o, x, &to->remade, err);
  if (status == LB_OK) {
    *model = lb_model_simulated(to->remade.shown);
    *tree = to->remade.tree;
    lb_growths_renew(o, &to->remade.scene, *model);
  }
  return status;
}

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

void lb_played_end(lb_played* m) {
  lb_remade_release(&m->remade);
}

lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_played* to,
                             lb_error* err) {
  const lb_model *model, *of;
  *to = (lb_played){.x = x};
  const lb_status status = find_models(o, x, to, &model, &of, err);
  if (status != LB_OK) {
    return status;
  }
  lb_model* m = lb_model_derive(model, arena);
  lb_model* tree = of != model ? lb_model_derive(of, arena) : m;
  to->model = m;
  to->tree = tree;
  lb_player w = {o, m, tree, arena};
  if (!m || !tree || !own_model(arena, m) || !own_tree(o, arena, tree)) {
    return no_memory(err);
  }
  if (to->remade.shown) {
    move_start(o, of, tree);
  }
  if (put_all(&w, x) != LB_OK) {
    return no_memory(err);
  }
  put_prescribed(tree);
  for (int i = 0; i < o->ngrowth; i++) {
    grow(&o->growth[i], m);
  }
  m->dof.nstiff = 0;
  for (int k = 0; k < m->nv; k++) {
    m->dof.nstiff += lb_spring_acts(m, k);
  }
  if (lb_model_interface(m)) { // others leave steps less exact than their derivatives are
    m->solver.newton = LB_NEWTON_EXACT;
  }
  return lb_model_renew_full(m, arena) == LB_OK ? LB_OK : no_memory(err);
}
