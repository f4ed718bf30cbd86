// A run with its stages kept for the way back, and what it is worth.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "limber/simulate.h"
#include "model/pose.h"

// Of Newton's method, over the motion's energy: gradients are those of steps that are solved.
static const double TOLERANCE = 1e-12;
// Where loops are closed, bodies are elastic or it counts what motors exert, errors of velocities
// over the step come in, too. Beside flesh elastic bodies do without, and all do where they have
// all their nodes: rounding of forces may not let steps come so far, and those that fail for it are
// divided. With exact matrices, as the latter have, they come further by themselves.
static const double FINER = 1e-13;

// How far a start may be through a limit or a floor: less is rounding [m or rad].
static const double BEYOND = 1e-6;

// --- the log ---

// Room for `capacity` records of `size` bytes each, what there is kept.
static bool grow(lb_optimizing* o, void* array, size_t size, int capacity) {
  void** from = array;
  void* larger = lb_allocate(o->allocator, (size_t)capacity * size + 1);
  if (larger && o->count > 0) {
    memcpy(larger, *from, (size_t)o->count * size);
  }
  if (larger) {
    lb_release(o->allocator, *from);
    *from = larger;
  }
  return larger != NULL;
}

static bool make_room(lb_optimizing* o) {
  if (o->count < o->capacity) {
    return true;
  }
  const int capacity = o->capacity ? 2 * o->capacity : 2 * o->public.steps + 2;
  const size_t number = sizeof(double), rows = (size_t)o->rows;
  if (!grow(o, &o->stage, sizeof *o->stage, capacity) ||
      !grow(o, &o->q, (size_t)o->model->nq * number, capacity) ||
      !grow(o, &o->v, (size_t)o->model->nv * number, capacity) ||
      !grow(o, &o->lambda, rows * number, capacity) ||
      !grow(o, &o->lands, rows * sizeof *o->lands, capacity) ||
      !grow(o, &o->left_out, rows * sizeof *o->left_out, capacity)) {
    return false;
  }
  o->capacity = capacity;
  return true;
}

// A state came from the one told last and, where there are two, from the step's end before that.
static void find_causes(const lb_optimizing* o, int record, int before[2]) {
  before[0] = record - 1;
  before[1] = record > 1 ? record - 2 : 0;
  while (before[1] > 0 && o->stage[before[1]].inner) {
    before[1]--;
  }
}

static void note(void* context, const lb_data* d, const lb_step_past* past) {
  lb_optimizing* o = context;
  const lb_model* m = d->model;
  o->count -= past ? past->taken_back : 0;
  if (o->no_memory || !make_room(o)) {
    o->no_memory = true;
    return;
  }
  const size_t i = (size_t)o->count++;
  o->stage[i] = (lb_stage){.time = d->time};
  memcpy(o->q + i * (size_t)m->nq, d->q, (size_t)m->nq * sizeof *o->q);
  memcpy(o->v + i * (size_t)m->nv, d->qd, (size_t)m->nv * sizeof *o->v);
  if (past) {
    o->stage[i] = (lb_stage){.time = d->time,
                             .dt = past->dt,
                             .weight = {past->weight[0], past->weight[1]},
                             .count = past->count,
                             .inner = past->inner,
                             .impact = past->impact,
                             .recharts = past->recharts};
    find_causes(o, (int)i, o->stage[i].before);
    if (past->lambda) {
      memcpy(o->lambda + i * (size_t)o->rows, past->lambda, (size_t)o->rows * sizeof *o->lambda);
    }
  }
  const bool* left_out = lb_loops_left_out(d);
  for (size_t k = 0; k < (size_t)o->rows; k++) {
    o->lands[i * (size_t)o->rows + k] = past && past->lands && past->lands[k];
    o->left_out[i * (size_t)o->rows + k] = left_out[k];
  }
}

// Of such steps, what touches in place of what landed.
static void note_touching(lb_optimizing* o, const lb_data* d) {
  if (!o->no_memory) {
    const size_t rows = (size_t)o->rows, first = ((size_t)o->count - 1) * rows;
    lb_loops_save(d, o->r);
    for (size_t k = 0; k < rows; k++) {
      o->lands[first + k] = (int)o->r[k] & LB_LOOPS_TOUCHES;
    }
  }
}

static void note_with_touching(void* context, const lb_data* d, const lb_step_past* past) {
  note(context, d, past);
  note_touching(context, d);
}

// The last of an adaptive method's steps ends at the moment that is asked for, to the last digit.
static void note_end(lb_optimizing* o, const lb_data* d) {
  const size_t i = (size_t)o->count - 1, nq = (size_t)o->model->nq, nv = (size_t)o->model->nv;
  o->stage[i].time = d->time;
  memcpy(o->q + i * nq, d->q, nq * sizeof *o->q);
  memcpy(o->v + i * nv, d->qd, nv * sizeof *o->v);
}

lb_step_past lb_optimizing_past(const lb_optimizing* o, int record) {
  const lb_stage* s = &o->stage[record];
  const size_t nq = (size_t)o->model->nq, nv = (size_t)o->model->nv;
  const size_t one = (size_t)s->before[0], two = (size_t)s->before[1];
  lb_step_past past = {.dt = s->dt,
                       .count = s->count,
                       .weight = {s->weight[0], s->weight[1]},
                       .q = {o->q + one * nq, NULL},
                       .v = {o->v + one * nv, NULL},
                       .lambda = o->rows ? o->lambda + (size_t)record * (size_t)o->rows : NULL,
                       .lands = o->rows ? o->lands + (size_t)record * (size_t)o->rows : NULL,
                       .left_out = o->rows ? o->left_out + (size_t)record * (size_t)o->rows : NULL,
                       .inner = s->inner,
                       .impact = s->impact};
  if (s->count == 2) {
    past.q[1] = o->q + two * nq;
    past.v[1] = o->v + two * nv;
  }
  return past;
}

// --- goals ---

lb_anchor lb_aimed_anchor(const lb_aimed* a, const lb_model* m) {
  return lb_model_anchor(m, a->body, -1, (lb_transform){lb_quat_identity(), a->at});
}

static void point_miss(const lb_aimed* a, const lb_model* m, lb_data* d, double* miss) {
  const lb_anchor at = lb_aimed_anchor(a, m);
  const lb_force_point p = lb_force_point_find(d->work, &at);
  lb_v4_store(miss, a->g->rate ? p.velocity : p.at);
}

bool lb_aimed_exerts(const lb_aimed* a, const lb_model* m) {
  return a->g->kind == LB_GOAL_MOTOR && m->motor_drive[a->g->index] == LB_DRIVE_POSITION;
}

int lb_aimed_motor(const lb_aimed* a, const lb_model* m, int k) {
  const int guide = m->motor_guide[a->g->index];
  return guide < 0 ? a->g->index : m->guide[guide].motor[k];
}

static double motor_force(const lb_aimed* a, const lb_model* m, const lb_data* d, int k) {
  double value[3];
  if (lb_aimed_exerts(a, m)) {
    return d->motor_force[lb_aimed_motor(a, m, k)];
  }
  lb_profile_evaluate(m->motor_profile[a->g->index], d->time, value);
  return value[0];
}

void lb_aimed_miss(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                   double miss[LB_GOAL_MOST]) {
  const lb_scene_goal* g = a->g;
  if (g->kind == LB_GOAL_POINT) {
    point_miss(a, m, d, miss);
  } else if (g->kind == LB_GOAL_JOINT && a->loop >= 0) {
    lb_aimed_measure(a, m, d, step, miss);
  } else if (g->kind == LB_GOAL_JOINT) {
    memcpy(miss, g->rate ? d->qd + a->v : d->q + a->q, (size_t)g->count * sizeof *miss);
  } else {
    for (int k = 0; k < g->count; k++) {
      miss[k] = motor_force(a, m, d, k);
    }
  }
  for (int k = 0; k < g->count; k++) {
    miss[k] = g->counts[k] ? miss[k] - g->value[k] : 0;
  }
}

bool lb_optimizing_exerts(const lb_optimizing* o, const lb_model* m, int record) {
  const int step = o->stage[record].effort;
  for (int i = 0; i < o->ngoal; i++) {
    const lb_aimed* a = &o->goal[i];
    if (lb_aimed_exerts(a, m) && step > 0 && step >= a->first && step <= a->last) {
      return true;
    }
  }
  return false;
}

void lb_optimizing_exert(const lb_optimizing* o, const lb_model* m, lb_data* d, int record,
                         double* r) {
  if (!lb_optimizing_exerts(o, m, record)) {
    return;
  }
  if (lb_integrator_is_explicit(m->solver.integrator)) { // as recordings tell it
    lb_forward(m, d);
    return;
  }
  const lb_step_past past = lb_optimizing_past(o, record);
  lb_step_exert(d, &past, r, r + m->nv);
}

void lb_optimizing_go_to(const lb_optimizing* o, const lb_model* m, lb_data* d, int record) {
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  memcpy(d->q, o->q + (size_t)record * nq, nq * sizeof *d->q);
  memcpy(d->qd, o->v + (size_t)record * nv, nv * sizeof *d->qd);
  d->time = o->stage[record].time;
}

static void look_at_motors(const lb_optimizing* o, const lb_model* m, lb_data* d) {
  const int last = o->count - 1;
  const bool impact = o->stage[last].impact;
  if (impact) {
    lb_optimizing_go_to(o, m, d, last - 1);
  }
  lb_optimizing_exert(o, m, d, last - impact, o->r);
  if (impact) {
    lb_optimizing_go_to(o, m, d, last);
  }
}

static void look(lb_optimizing* o, const lb_model* m, lb_data* d, int step, double* goal) {
  look_at_motors(o, m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < o->ngoal; i++) {
    lb_aimed* a = &o->goal[i];
    lb_aimed_follow(o, a, m, d, step);
    if (step > 0 && step >= a->first && step <= a->last) {
      double miss[LB_GOAL_MOST];
      lb_aimed_miss(a, m, d, step, miss);
      for (int k = 0; k < a->g->count; k++) {
        goal[i] += a->weight * miss[k] * miss[k];
      }
    }
  }
}

// --- the run ---

static bool exerts(const lb_optimizing* o, const lb_model* m) {
  for (int i = 0; i < o->ngoal; i++) {
    if (lb_aimed_exerts(&o->goal[i], m)) {
      return true;
    }
  }
  return false;
}

// An impact before the first step, as implicit steps tell of it.
static void stop_explicit(lb_optimizing* o, const lb_model* m, lb_data* d) {
  double* impulse = o->r + m->nv;
  lb_loops_stop(m, d, impulse);
  note(o, d,
       &(lb_step_past){.dt = 1, .count = 1, .weight = {1}, .lambda = impulse, .impact = true});
  note_touching(o, d);
}

// As simulations do: what starts in touch does not run into it. What starts beyond a limit or a
// floor would be put back there, which says nothing of how it depends on the numbers.
static lb_status stop_at_start(lb_optimizing* o, const lb_model* m, lb_stepper* st, lb_data* d,
                               lb_error* err) {
  int which = 0;
  if (lb_loops_one_way(m) < 0) {
    return LB_OK;
  }
  const double gap = lb_loop_gap(m, d, &which);
  if (gap > BEYOND) {
    const lb_constraint_title told = lb_model_constraint(m, which);
    return lb_error_add(err, LB_FAILED, told.place,
                        "constraint '%s' does not hold at the start with these numbers: it is open "
                        "by %.3g (metres or radians)",
                        told.name, gap);
  }
  if (lb_integrator_is_explicit(m->solver.integrator)) {
    stop_explicit(o, m, d);
  } else {
    lb_bdf2_stop(st, d);
  }
  return LB_OK;
}

static lb_status step_all(lb_optimizing* o, const lb_model* m, lb_stepper* st, lb_data* d,
                          double* goal, lb_error* err) {
  for (int i = 1; i <= o->public.steps; i++) {
    const lb_status status = lb_stepper_step(st, d, o->h, err);
    if (status != LB_OK) {
      return status;
    }
    d->time = i * o->h;
    if (o->no_memory) {
      return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the steps of a run");
    }
    if (lb_integrator_is_explicit(m->solver.integrator)) {
      note_end(o, d);
    }
    o->stage[o->count - 1].step = i;
    o->stage[o->count - 1 - o->stage[o->count - 1].impact].effort = i;
    look(o, m, d, i, goal);
  }
  return LB_OK;
}

static void watch_stages(lb_optimizing* o, lb_stepper* st) {
  lb_stepper_watch(st, note, o);
  lb_bdf2* own = st->own;
  const bool loops = o->rows > 0 && lb_loops_one_way(st->m) < 0;
  const bool bends = st->m->nelastic > 0 && st->m->nnode == 0;
  const bool finer = !st->m->shell && (loops || bends || exerts(o, st->m));
  own->tolerance = fmin(own->tolerance, finer ? FINER : TOLERANCE);
  if (o->begins_as_sdirk2) {
    own->scheme = &lb_scheme_bdf2_after_sdirk2;
  }
}

lb_status lb_optimizing_run(lb_optimizing* o, const lb_played* m, lb_data* d, double* objective,
                            double* goal, lb_error* err) {
  lb_stepper* st = NULL;
  lb_status status = lb_stepper_create(&m->model, NULL, o->allocator, &st, err);
  if (status != LB_OK) {
    return status;
  }
  if (lb_integrator_is_explicit(st->solver.integrator)) {
    lb_stepper_watch(st, note_with_touching, o);
  } else {
    watch_stages(o, st);
  }
  lb_stepper_watch_charts(st, o->keeps);
  o->count = 0;
  o->no_memory = false;
  memset(goal, 0, (size_t)o->ngoal * sizeof *goal);
  lb_loops_forget_choice(d);
  status = lb_start_make(o, m, d, err);
  if (status == LB_OK) {
    note(o, d, NULL);
  }
  if (status == LB_OK) {
    status = stop_at_start(o, &m->model, st, d, err);
  }
  if (status == LB_OK && !o->no_memory) {
    look(o, &m->model, d, 0, goal);
  }
  if (status == LB_OK) {
    status = step_all(o, &m->model, st, d, goal, err);
  }
  lb_stepper_release(st);
  *objective = 0;
  for (int i = 0; i < o->ngoal; i++) {
    *objective += goal[i];
  }
  return status;
}
