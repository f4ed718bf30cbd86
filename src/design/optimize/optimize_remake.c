// Scenes read again with other numbers in their text: bars of a linkage with other lengths, joints
// elsewhere. Whatever the reader makes of a number follows: bodies, masses, pins, shapes, starts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "model/use/model_derive.h"

// Starts are made in trees: in maximal coordinates bodies start where joints have them.
lb_status lb_models_make(const lb_scene* s, const lb_allocator* allocator, lb_model** shown,
                         lb_model** tree, lb_error* err) {
  const bool maximal = s->solver.coordinates == LB_COORDINATES_MAXIMAL;
  lb_scene reduced = *s;
  reduced.solver.coordinates = LB_COORDINATES_REDUCED;
  const lb_status status = lb_model_create(s, allocator, shown, err);
  *tree = *shown;
  return status == LB_OK && maximal ? lb_model_create(&reduced, allocator, tree, err) : status;
}

bool lb_text_changes(const lb_optimizing* o) {
  bool any = false;
  for (int i = 0; i < o->nblock; i++) {
    any |= o->block[i].type == &lb_parameter_text;
  }
  return any;
}

// --- reading again ---

// "PATH=VALUE" of all numbers of the text, behind those that the scene was read with.
static const char** make_sets(const lb_optimizing* o, const double* x, lb_arena* arena,
                              int* count) {
  const lb_scene_origin* from = o->given.origin;
  const char** set = LB_TAKE(arena, const char*, from->nset + o->nblock);
  *count = 0;
  for (int i = 0; set && i < from->nset; i++) {
    set[(*count)++] = from->set[i];
  }
  for (int i = 0; set && i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    if (b->type == &lb_parameter_text) {
      const size_t size = strlen(b->p->path) + strlen(b->p->unit) + 32;
      char* text = LB_TAKE(arena, char, size);
      if (text) {
        snprintf(text, size, "%s=%.17g %s", b->p->path, x[b->first], b->p->unit);
      }
      set[(*count)++] = text;
    }
  }
  return lb_arena_status(arena) == LB_OK ? set : NULL;
}

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// What a scene is run with is that of the optimisation, whatever was changed since it was read.
static lb_status read_again(const lb_optimizing* o, const double* x, lb_scene* s, lb_error* err) {
  const lb_scene* given = &o->given;
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  lb_scene_origin from = *given->origin;
  from.set = make_sets(o, x, &arena, &from.nset);
  lb_status status = from.set ? lb_scene_open(&from, o->allocator, s, err) : no_memory(err);
  lb_arena_release(&arena);
  if (status == LB_OK) {
    s->duration = given->duration;
    s->solver = given->solver;
    s->record = given->record;
    s->making = given->making;
  }
  return status == LB_INVALID ? LB_FAILED : status; // with these numbers
}

// --- the same parts ---

static bool same_factors(const lb_elimination* a, const lb_elimination* b) {
  bool same = a->count == b->count;
  for (int e = 0; same && e < a->count; e++) {
    same = a->first[e + 1] == b->first[e + 1] && a->offset[e] == b->offset[e];
  }
  for (int i = 0; same && a->count > 0 && i < a->first[a->count]; i++) {
    same = a->factor[i] == b->factor[i];
  }
  return same;
}

static bool same_parts(const lb_model* a, const lb_model* b) {
  return a->nq == b->nq && a->nv == b->nv && a->nlink == b->nlink && a->njoint == b->njoint &&
         a->nmotor == b->nmotor && a->constraint.count == b->constraint.count &&
         a->constraint.nloop == b->constraint.nloop && a->force.count == b->force.count &&
         a->force.ndrag == b->force.ndrag && lb_constraints_most(a) == lb_constraints_most(b);
}

static lb_status check_parts(const lb_optimizing* o, const lb_remade* r, lb_error* err) {
  const lb_model* m = lb_model_simulated(r->shown);
  if (!same_parts(o->model, m) || !same_parts(o->tree, r->tree)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "with other numbers the scene has other parts");
  }
  return same_factors(&o->model->constraint.elimination, &m->constraint.elimination)
             ? LB_OK
             : lb_error_add(err, LB_INVALID, (lb_place){0},
                            "the ratio of a coupling cannot be a parameter");
}

// --- the whole ---

void lb_remade_release(lb_remade* r) {
  if (r->tree != r->shown) {
    lb_model_release(r->tree);
  }
  lb_model_release(r->shown);
  lb_scene_release(&r->scene);
  *r = (lb_remade){0};
}

lb_status lb_remake(const lb_optimizing* o, const double* x, lb_remade* to, lb_error* err) {
  *to = (lb_remade){0};
  lb_status status = read_again(o, x, &to->scene, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_models_make(&to->scene, o->allocator, &to->shown, &to->tree, err);
  status = status == LB_INVALID ? LB_FAILED : status; // with these numbers
  status = status == LB_OK ? check_parts(o, to, err) : status;
  if (status != LB_OK) {
    lb_remade_release(to);
  }
  return status;
}

// Numbers written, for a scene that is read again from this one.
static const lb_scene_origin* make_origin(lb_optimizing* o, const double* x) {
  lb_scene_origin* to = LB_TAKE(&o->arena, lb_scene_origin, 1);
  if (to) {
    *to = *o->given.origin;
    to->set = make_sets(o, x, &o->arena, &to->nset);
  }
  return to && to->set ? to : NULL;
}

lb_status lb_remake_into(lb_optimizing* o, const double* x, lb_scene* s, lb_error* err) {
  lb_remade* all = LB_TAKE(&o->arena, lb_remade, o->nremade + 1);
  const lb_scene_origin* origin = make_origin(o, x);
  if (!all || !origin) {
    return no_memory(err);
  }
  const lb_status status = lb_remake(o, x, &all[o->nremade], err);
  if (status != LB_OK) {
    return status;
  }
  if (o->nremade > 0) {
    memcpy(all, o->remade, (size_t)o->nremade * sizeof *all);
  }
  o->remade = all;
  const lb_remade* made = &all[o->nremade++];
  const lb_scene was = *s;
  *s = made->scene;
  s->origin = origin;
  s->storage = was.storage;
  s->making = was.making;
  s->optimize = was.optimize;
  for (int i = 0; i < s->optimize.ngoal; i++) {
    s->optimize.goal[i].at = made->scene.optimize.goal[i].at;
  }
  lb_growths_renew(o, s, lb_model_simulated(made->shown));
  return LB_OK;
}

// --- what can be differentiated ---

static const lb_block* find_block(const lb_optimizing* o, const lb_parameter_type* type) {
  for (int i = 0; i < o->nblock; i++) {
    if (o->block[i].type == type) {
      return &o->block[i];
    }
  }
  return NULL;
}

// Models with each number a little elsewhere must have the same parts.
static lb_status check_numbers(const lb_optimizing* o, double* x, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    const lb_block* b = &o->block[i];
    x[b->first] = b->p->value;
  }
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    const lb_block* b = &o->block[i];
    lb_error why = lb_error_make(o->allocator);
    lb_remade made = {0};
    if (b->type == &lb_parameter_text) {
      x[b->first] += 1e-5 * fmax(fabs(b->p->value), 1e-3);
      status = lb_remake(o, x, &made, &why);
      x[b->first] = b->p->value;
      lb_remade_release(&made);
    }
    if (status == LB_INVALID) {
      lb_error_add(err, status, b->p->place, "parameter '%s': %s", b->p->name, why.message[0].text);
    }
    status = status == LB_FAILED ? LB_OK : status; // it may go the other way
    lb_error_clear(&why);
  }
  return status == LB_NO_MEMORY ? no_memory(err) : status;
}

// A goal on the force of a motor that prescribes a position.
static bool any_effort(const lb_optimizing* o) {
  bool any = false;
  for (int i = 0; i < o->ngoal; i++) {
    const lb_scene_goal* g = o->goal[i].g;
    any |= g->kind == LB_GOAL_MOTOR && o->given.motor[g->index].drive == LB_DRIVE_POSITION;
  }
  return any;
}

lb_status lb_text_check(lb_optimizing* o, lb_error* err) {
  const lb_block *text = find_block(o, &lb_parameter_text),
                 *length = find_block(o, &lb_parameter_length);
  const lb_scene* s = &o->given;
  const bool whole = o->tape.type->derivative->restarts;
  const char* why = NULL;
  if (!s->origin) {
    why = "the scene has no text (read it from a file)";
  } else if (lb_integrator_method(o->model->solver.integrator) == LB_METHOD_ADAPTIVE) {
    why = "adaptive steps have no derivatives by it (choose bdf1, bdf2, sdirk2 or rk4)";
  } else if (whole && (lb_constraints_unilateral(o->model) >= 0 || any_effort(o))) {
    why = "beside hard stops, floors and goals on forces of motors that prescribe positions it "
          "needs an implicit integrator (choose bdf1, bdf2 or sdirk2)";
  } else if (o->model->elastic.count + s->nrope + s->ndeformable > 0) {
    why = "it cannot be one beside elastic bodies, ropes and deformables, which are made anew for "
          "every run";
  } else if (length) {
    why = "it cannot be one beside a 'length' (give that as 'bar' or 'number', too)";
  }
  if (why) {
    return lb_error_add(err, LB_INVALID, text->p->place, "parameter '%s': %s", text->p->name, why);
  }
  double* x = LB_TAKE(&o->arena, double, o->public.nvalue);
  return x ? check_numbers(o, x, err) : no_memory(err);
}
