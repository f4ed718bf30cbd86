// From a scene's `optimize` to a problem: its models, its goals, and where its runs start.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "limber/simulate.h"
#include "math/curve/time_profile.h"
#include "model/use/colliding.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "solve/implicit/linear_euler.h"
#include "solve/run/frames.h"

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// Numbers that goals are about, or that springs may come to act on, would jump where charts change.
static lb_status keep_charts(lb_optimizing* o, lb_error* err) {
  o->keeps = LB_TAKE(&o->arena, bool, o->model->nv);
  if (!o->keeps) {
    return no_memory(err);
  }
  for (int i = 0; i < o->ngoal; i++) {
    const lb_aimed* a = &o->goal[i];
    for (int n = 0; a->type->coordinates && n < a->g->count; n++) {
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

// Scenes that can be simulated, but not optimised.
static lb_status check_scene(lb_optimizing* o, lb_error* err) {
  const lb_scene* s = o->public.scene;
  if (s->optimize.nparameter == 0 || s->optimize.ngoal == 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){s->file, 0, 0},
                        "'%s' does not say what to optimise (give it 'optimize' with "
                        "'parameters' and 'goals')",
                        s->name);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* c = &s->constraint[i];
    if (c->ratchet && c->pitch == 0) {
      return lb_error_add(
          err, LB_INVALID, c->place,
          "constraint '%s' is a ratchet without teeth, which has no exact gradients "
          "(give it a small pitch)",
          c->name);
    }
  }
  return LB_OK;
}

// A mass of a free body that is one of several: their centre of mass is what turns exactly.
static bool shifts_centre(const lb_optimizing* o, const lb_block* b) {
  const lb_model* m = o->model;
  const int link = b->type == &lb_parameter_mass ? o->growth[b->growth].link : LB_WORLD;
  int bodies = 0;
  for (int i = 0; i < m->nbody && link != LB_WORLD; i++) {
    bodies += m->body.link[i] == link;
  }
  return bodies > 1 && m->contact.set.on && lb_link_turns_free(m, link);
}

// Parameters that stiffness at the end of linearly implicit steps depends on, or shapes that touch.
static const char* missing_gradient(const lb_optimizing* o, const lb_block* b, bool stiff) {
  const lb_parameter_type* type = b->type;
  const bool spring = type == &lb_parameter_spring || type == &lb_parameter_joint_rest ||
                      type == &lb_parameter_force;
  return spring && stiff ? "stiffness, damping and rests have no gradients in linearly implicit "
                           "steps (choose 'integrator: euler')"
         : type == &lb_parameter_length && o->model->contact.set.on
             ? "shapes that collide do not get longer beside 'contacts'"
         : shifts_centre(o, b) ? "a free body of several has no gradient by the mass of one beside "
                                 "'contacts' (name a body by itself)"
                               : NULL;
}

// What linearly implicit steps, which are those of contacts, have no gradients for.
static lb_status check_linear(lb_optimizing* o, lb_error* err) {
  const lb_model* m = o->model;
  const lb_integrator by = m->solver.integrator;
  if (lb_stepper_type_for(m, by)->derivative != &lb_derivative_linear || !lb_goals_move(o)) {
    return LB_OK;
  }
  lb_status status =
      lb_linear_euler_check(m, by == LB_INTEGRATOR_EULER, o->public.scene->solver.place, err);
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    const char* why = missing_gradient(o, &o->block[i], by != LB_INTEGRATOR_EULER);
    status = why ? lb_error_add(err, LB_INVALID, o->block[i].p->place, "parameter '%s': %s",
                                o->block[i].p->name, why)
                 : LB_OK;
  }
  for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
    status = o->goal[i].type->effort
                 ? lb_error_add(err, LB_INVALID, o->goal[i].g->place,
                                "goal '%s': what a motor exerts has no gradient in steps of %s "
                                "(take this away)",
                                o->goal[i].g->name, lb_integrator_name(by))
                 : LB_OK;
  }
  return status;
}

// Lengths of bodies and numbers of the text change what muscles are, which no derivative knows.
static lb_status check_muscles(const lb_optimizing* o, lb_error* err) {
  const lb_model* m = o->model;
  const lb_integrator by = m->solver.integrator;
  for (int i = 0; i < o->nblock && m->muscle.count > 0; i++) {
    const lb_scene_parameter* p = o->block[i].p;
    if (p->kind == LB_PARAMETER_LENGTH || p->owner == LB_OWNER_TEXT) {
      return lb_error_add(err, LB_INVALID, p->place,
                          "parameter '%s' cannot change beside muscles (take it away)", p->name);
    }
    if (p->owner == LB_OWNER_MUSCLE && lb_integrator_method(by) != LB_METHOD_IMPLICIT) {
      return lb_error_add(err, LB_INVALID, p->place,
                          "parameter '%s': gradients by excitations need implicit steps (choose "
                          "bdf1, bdf2 or sdirk2)",
                          p->name);
    }
  }
  return lb_tape_check_muscles(m, by, true, err);
}

static lb_status find_model(lb_optimizing* o, lb_error* err) {
  lb_status status = lb_slides_add(o, o->public.scene, err);
  if (status == LB_OK) {
    status = lb_models_make(&o->slid, o->allocator, &o->shown, &o->tree, err);
  }
  if (status != LB_OK) {
    return status;
  }
  o->model = lb_model_simulated(o->shown);
  o->public.model = o->shown;
  const lb_simulate_options options = lb_simulate_default();
  status = lb_plan_check(o->model, &options, err);
  const lb_plan plan = lb_plan_make(o->model, &options);
  o->h = plan.step;
  o->public.steps = (int)plan.steps;
  status = status == LB_OK ? check_muscles(o, err) : status;
  return status != LB_OK ? status
                         : lb_tape_open(&o->tape, o->model, o->model->solver.integrator, o->h,
                                        o->public.steps, 0, o->allocator, err);
}

// Joints of one model as another one has them; elastic bodies, which come after them, stay
// straight.
static void copy_joints(const lb_model* m, lb_data* to, const lb_model* of, const lb_data* from) {
  for (int i = 0; i < m->njoint; i++) {
    const size_t nq = (size_t)m->joint.nq[i], nv = (size_t)m->joint.nv[i];
    if (m->joint.kind[i] != LB_LINK_ELASTIC && m->joint.kind[i] != LB_LINK_FULL) {
      memcpy(to->q + m->joint.q[i], from->q + of->joint.q[i], nq * sizeof(double));
      memcpy(to->qd + m->joint.v[i], from->qd + of->joint.v[i], nv * sizeof(double));
    }
  }
}

// With all closed, as a simulation begins: with all their nodes elastic bodies do not bend for it.
static lb_status assemble(lb_optimizing* o, lb_constraint_set set, lb_error* err) {
  const lb_model* full = lb_model_simulated(o->tree);
  if (full == o->tree) {
    return lb_assemble_set(o->tree, o->rest, set, err);
  }
  lb_data* d = NULL;
  lb_status status = lb_data_create(full, o->allocator, &d, err);
  if (status == LB_OK) {
    copy_joints(full, d, o->tree, o->rest);
    status = lb_assemble_set(full, d, set, err);
    copy_joints(o->tree, o->rest, full, d);
  }
  lb_data_release(d);
  return status;
}

// With everything closed.
static lb_status put_together(lb_optimizing* o, lb_error* err) {
  const lb_model* m = o->tree;
  lb_data* d = o->rest;
  lb_status status =
      assemble(o, LB_SET_COMPLIANT, err); // what closes loops does not go through floors
  if (status != LB_OK) {
    return status;
  }
  memcpy(d->qd, m->start.qd, (size_t)m->nv * sizeof *d->qd);
  return assemble(o, LB_SET_BILATERAL | LB_SET_COMPLIANT,
                  err); // what unilateral ones do to velocities, a run does
}

static lb_status check_text(lb_optimizing* o, lb_error* err) {
  return lb_text_changes(o) ? lb_text_check(o, err) : LB_OK;
}

// Start of every run, before numbers change it.
static lb_status find_rest(lb_optimizing* o, lb_error* err) {
  double** const part[] = {&o->q0, &o->q1, &o->v0, &o->v1, &o->way, &o->r};
  for (int i = 0; i < 6; i++) {
    *part[i] = LB_TAKE(&o->arena, double,
                       i < 2   ? o->tree->nq
                       : i < 5 ? o->tree->nv
                               : o->model->nv + o->tape.rows);
    if (!*part[i]) {
      return no_memory(err);
    }
  }
  lb_status status = lb_data_create(o->tree, o->allocator, &o->rest, err);
  if (status == LB_OK) {
    status = put_together(o, err);
  }
  if (status == LB_OK) {
    memcpy(o->q0, o->rest->q, (size_t)o->tree->nq * sizeof *o->q0);
    memcpy(o->v0, o->rest->qd, (size_t)o->tree->nv * sizeof *o->v0);
    lb_made_find(o);
    status = lb_arena_check(&o->arena, "an optimisation", err);
  }
  return status;
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
  lb_status status = LB_OK;
  lb_status (*const step[])(lb_optimizing*, lb_error*) = {
      check_scene,        lb_parameters_make, lb_goals_make, find_model,
      lb_stiffness_check, check_text,         find_rest,     lb_parameters_find,
      lb_goals_find,      check_linear,       keep_charts,   lb_start_choose};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](o, err);
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
    for (int i = 0; i < o->nremade; i++) {
      lb_remade_release(&o->remade[i]);
    }
    lb_arena_release(&o->arena);
    lb_release(allocator, o);
  }
}

// --- evaluation ---

void lb_evaluation_end(lb_evaluation* e) {
  lb_data_release(e->d);
  lb_played_end(&e->m);
  lb_arena_release(&e->arena);
  e->d = NULL;
}

lb_status lb_evaluation_run(lb_evaluation* e, lb_optimizing* o, const double* x, double* objective,
                            lb_error* err) {
  lb_arena_init(&e->arena, o->allocator);
  e->d = NULL;
  lb_status status = lb_optimizing_play(o, x, &e->arena, &e->m, err);
  if (status == LB_OK) {
    lb_goals_place(o, &e->m);
    status = lb_data_create(e->m.model, o->allocator, &e->d, err);
  }
  if (status == LB_OK) {
    o->public.runs++;
    status = lb_optimizing_run(o, &e->m, e->d, objective, o->public.goal, err);
  }
  return status;
}

lb_status lb_evaluation_gradient(lb_evaluation* e, lb_optimizing* o, double* gradient,
                                 lb_error* err) {
  o->public.gradients++;
  return lb_optimizing_gradient(o, &e->m, gradient, err);
}

lb_status lb_optimization_evaluate(lb_optimization* optimization, const double* x,
                                   double* objective, double* gradient, lb_error* err) {
  lb_optimizing* o = optimization->work;
  lb_evaluation e;
  double value = 0;
  lb_status status = lb_evaluation_run(&e, o, x, &value, err);
  if (status == LB_OK && gradient) {
    status = lb_evaluation_gradient(&e, o, gradient, err);
  }
  if (status == LB_OK) {
    *objective = value;
  }
  lb_evaluation_end(&e);
  return status;
}
