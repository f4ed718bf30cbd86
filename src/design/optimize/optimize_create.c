// From a scene's `optimize` to a problem: its models, its goals, and where its runs start.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "limber/simulate.h"
#include "math/curve/time_profile.h"
#include "model/use/initial_pose.h"
#include "solve/run/frames.h"

typedef struct maker {
  lb_optimizing* o;
  const lb_scene* s;
  lb_error* err;
} maker;

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// --- goals ---

static lb_status make_goals(maker* k) {
  lb_optimizing* o = k->o;
  o->ngoal = k->s->optimize.ngoal;
  o->goal = LB_TAKE(&o->arena, lb_aimed, o->ngoal);
  o->public.goal = LB_TAKE(&o->arena, double, o->ngoal);
  if (!o->goal || !o->public.goal) {
    return no_memory(k->err);
  }
  for (int i = 0; i < o->ngoal; i++) {
    const lb_scene_goal* g = &k->s->optimize.goal[i];
    o->goal[i] = (lb_aimed){.g = g, .body = g->index, .at = g->at, .weight = g->weight, .loop = -1};
  }
  return LB_OK;
}

// --- goals in the model ---

static lb_status find_goals(maker* k) {
  lb_optimizing* o = k->o;
  for (int i = 0; i < o->ngoal; i++) {
    lb_aimed* a = &o->goal[i];
    const lb_scene_goal* g = a->g;
    if (g->kind == LB_GOAL_JOINT) {
      const lb_status status = lb_aimed_find(o, a, k->s->joint[g->index].name);
      if (status != LB_OK) {
        return no_memory(k->err);
      }
    }
    // the steps that end within, or the one that ends nearest
    const bool moment = g->from == g->to;
    a->last = (int)floor(g->to / o->h * (1 + 1e-12) + (moment ? 0.5 : 1e-9));
    a->last = a->last > o->public.steps ? o->public.steps : a->last < 1 && moment ? 1 : a->last;
    a->first = moment ? a->last : (int)floor(g->from / o->h * (1 + 1e-12) + 1e-9) + 1;
    a->weight = moment ? g->weight : g->weight * o->h;
    if (a->first > a->last) {
      return lb_error_add(k->err, LB_INVALID, g->place,
                          "goal '%s': no step ends from %g s to %g s, so that it would count for "
                          "nothing (name a moment, or a time longer than a step of %g s)",
                          g->name, g->from, g->to, o->h);
    }
  }
  return LB_OK;
}

// Numbers that goals are about, or that springs may come to act on, would jump where charts change.
static lb_status keep_charts(maker* k) {
  lb_optimizing* o = k->o;
  o->keeps = LB_TAKE(&o->arena, bool, o->model->nv);
  if (!o->keeps) {
    return no_memory(k->err);
  }
  for (int i = 0; i < o->ngoal; i++) {
    const lb_aimed* a = &o->goal[i];
    for (int n = 0; a->g->kind == LB_GOAL_JOINT && a->loop < 0 && n < a->g->count; n++) {
      o->keeps[a->v + n] = true;
    }
  }
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    const bool stiff = lb_number_of_spring[b->p->kind] == LB_SPRING_STIFFNESS;
    for (int n = 0; stiff && n < b->ncoordinate; n++) {
      o->keeps[b->coordinate[n]] = true;
    }
  }
  return LB_OK;
}

// --- the whole ---

// What can be simulated, but not optimised.
static lb_status check_scene(maker* k) {
  const lb_scene* s = k->s;
  if (s->optimize.nparameter == 0 || s->optimize.ngoal == 0) {
    return lb_error_add(k->err, LB_INVALID, (lb_place){s->file, 0, 0},
                        "'%s' does not say what to optimise (give it 'optimize' with "
                        "'parameters' and 'goals')",
                        s->name);
  }
  if (s->solver.integrator == LB_INTEGRATOR_LINEAR_EULER) {
    return lb_error_add(k->err, LB_INVALID, s->solver.place,
                        "integrator 'linear-euler' has no exact gradients (optimise with bdf1, the "
                        "nearest to it, or with bdf2, the default)");
  }
  return LB_OK;
}

// Starts are made in trees: in maximal coordinates bodies start where joints have them.
static lb_status find_models(maker* k) {
  lb_optimizing* o = k->o;
  const bool apart = k->s->solver.coordinates == LB_COORDINATES_MAXIMAL;
  lb_scene tree = o->slid;
  tree.solver.coordinates = LB_COORDINATES_REDUCED;
  const lb_status status = lb_model_create(&o->slid, o->allocator, &o->shown, k->err);
  o->tree = o->shown;
  o->model = status == LB_OK && o->shown->full ? o->shown->full : o->shown;
  return status == LB_OK && apart ? lb_model_create(&tree, o->allocator, &o->tree, k->err) : status;
}

static lb_status find_model(maker* k) {
  lb_optimizing* o = k->o;
  lb_status status = lb_slides_add(o, k->s, k->err);
  if (status == LB_OK) {
    status = find_models(k);
  }
  if (status != LB_OK) {
    return status;
  }
  const lb_simulate_options options = lb_simulate_default();
  status = lb_plan_check(o->model, &options, k->err);
  const lb_plan plan = lb_plan_make(o->model, &options);
  o->h = plan.step;
  o->public.steps = (int)plan.steps;
  return status != LB_OK ? status
                         : lb_tape_open(&o->tape, o->model, o->model->solver.integrator, o->h,
                                        o->public.steps, 0, o->allocator, k->err);
}

static lb_status make_blocks(maker* k) {
  return lb_parameters_make(k->o, k->err);
}
static lb_status find_blocks(maker* k) {
  return lb_parameters_find(k->o, k->err);
}

// Joints of one model as another one has them; elastic bodies, which come after them, stay
// straight.
static void copy_joints(const lb_model* m, lb_data* to, const lb_model* of, const lb_data* from) {
  for (int i = 0; i < m->njoint; i++) {
    const size_t nq = (size_t)m->joint_nq[i], nv = (size_t)m->joint_nv[i];
    if (m->joint_kind[i] != LB_LINK_ELASTIC && m->joint_kind[i] != LB_LINK_FULL) {
      memcpy(to->q + m->joint_q[i], from->q + of->joint_q[i], nq * sizeof(double));
      memcpy(to->qd + m->joint_v[i], from->qd + of->joint_v[i], nv * sizeof(double));
    }
  }
}

// With all closed, as a simulation begins: with all their nodes elastic bodies do not bend for it.
static lb_status assemble(maker* k) {
  lb_optimizing* o = k->o;
  const lb_model* full = o->tree->full;
  if (!full) {
    return lb_assemble(o->tree, o->rest, k->err);
  }
  lb_data* d = NULL;
  lb_status status = lb_data_create(full, o->allocator, &d, k->err);
  if (status == LB_OK) {
    copy_joints(full, d, o->tree, o->rest);
    status = lb_assemble(full, d, k->err);
    copy_joints(o->tree, o->rest, full, d);
  }
  lb_data_release(d);
  return status;
}

// With everything closed.
static lb_status put_together(maker* k) {
  const lb_model* m = k->o->tree;
  lb_data* d = k->o->rest;
  lb_status status = assemble(k); // what closes loops does not go through floors
  if (status != LB_OK) {
    return status;
  }
  lb_constraints_leave_out_unilateral(d, true); // what they do to velocities, a run does
  memcpy(d->qd, m->qd0, (size_t)m->nv * sizeof *d->qd);
  return assemble(k);
}

// Where every run starts, before numbers change it.
static lb_status find_rest(maker* k) {
  lb_optimizing* o = k->o;
  double** const part[] = {&o->q0, &o->q1, &o->v0, &o->v1, &o->way, &o->r};
  for (int i = 0; i < 6; i++) {
    *part[i] = LB_TAKE(&o->arena, double,
                       i < 2   ? o->tree->nq
                       : i < 5 ? o->tree->nv
                               : o->model->nv + o->tape.rows);
    if (!*part[i]) {
      return no_memory(k->err);
    }
  }
  lb_status status = lb_data_create(o->tree, o->allocator, &o->rest, k->err);
  if (status == LB_OK) {
    status = put_together(k);
  }
  if (status == LB_OK) {
    memcpy(o->q0, o->rest->q, (size_t)o->tree->nq * sizeof *o->q0);
    memcpy(o->v0, o->rest->qd, (size_t)o->tree->nv * sizeof *o->v0);
    status = lb_made_find(o) == LB_OK ? LB_OK : no_memory(k->err);
  }
  return status;
}

static lb_status choose_start(maker* k) {
  return lb_start_choose(k->o, k->err);
}

lb_status lb_optimization_create(const lb_scene* scene, const lb_allocator* allocator,
                                 lb_optimization** optimization, lb_error* err) {
  lb_optimizing* o = lb_allocate(allocator, sizeof *o);
  if (!o) {
    return no_memory(err);
  }
  memset(o, 0, sizeof *o);
  o->allocator = allocator;
  o->public.scene = scene;
  o->public.work = o;
  lb_arena_init(&o->arena, allocator);
  maker k = {o, scene, err};
  lb_status status = LB_OK;
  lb_status (*const step[])(maker*) = {check_scene, make_blocks, make_goals,
                                       find_model,  find_rest,   find_blocks,
                                       find_goals,  keep_charts, choose_start};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&k);
  }
  if (status != LB_OK) {
    lb_optimization_release(&o->public);
    return status;
  }
  *optimization = &o->public;
  return LB_OK;
}

void lb_optimization_release(lb_optimization* optimization) {
  if (optimization) {
    lb_optimizing* o = optimization->work;
    const lb_allocator* allocator = o->allocator;
    lb_tape_close(&o->tape);
    lb_data_release(o->rest);
    if (o->tree != o->shown) {
      lb_model_release(o->tree);
    }
    lb_model_release(o->shown);
    lb_arena_release(&o->arena);
    lb_release(allocator, o);
  }
}

lb_status lb_optimization_evaluate(lb_optimization* optimization, const double* x,
                                   double* objective, double* gradient, lb_error* err) {
  lb_optimizing* o = optimization->work;
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  lb_played m;
  lb_data* d = NULL;
  double value = 0;
  lb_status status = lb_optimizing_play(o, x, &arena, &m) == LB_OK ? LB_OK : no_memory(err);
  if (status == LB_OK) {
    status = lb_data_create(&m.model, o->allocator, &d, err);
  }
  if (status == LB_OK) {
    optimization->runs++;
    status = lb_optimizing_run(o, &m, d, &value, optimization->goal, err);
  }
  if (status == LB_OK && gradient) {
    optimization->gradients++;
    status = lb_optimizing_gradient(o, &m, gradient, err);
  }
  if (status == LB_OK) {
    *objective = value;
  }
  lb_data_release(d);
  lb_arena_release(&arena);
  return status;
}
