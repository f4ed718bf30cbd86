// Goals: what is compared at the ends of steps, and how that changes with the motion.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "dynamics/force/muscle.h"
#include "math/curve/time_profile.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/motor_use.h"

// Derivatives of a goal on bodies; D may be of another model: by its coordinates, then by the
// model's.
typedef void seen(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                  double* by_v);
static void pull_seen(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                      double* by_v, seen* pull) {
  if (w->at == w->d) {
    pull(w, a, slope, by_q, by_v);
    return;
  }
  const size_t size = (size_t)w->D->model->nv * sizeof(double);
  memset(w->by_q, 0, size);
  memset(w->by_v, 0, size);
  pull(w, a, slope, w->by_q, w->by_v);
  lb_step_gather(w->S, by_q, 1, w->by_q);
  lb_step_gather(w->S, by_v, 1, w->by_v);
}

// --- points ---

static lb_force_point find_point(const lb_aimed* a, const lb_model* m, lb_data* d) {
  const lb_anchor at = lb_model_anchor(m, a->body, -1, (lb_transform){lb_quat_identity(), a->at});
  return lb_force_point_find(d->work, &at);
}

static void measure_point(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                          double* value) {
  (void)step;
  const lb_force_point p = find_point(a, m, d);
  lb_v4_store(value, a->g->rate ? p.velocity : p.at);
}

// A point's place and velocity change along the coordinates with S and with psi + turning along.
static void see_point_by(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                         double* by_v, bool rate) {
  const lb_force_point p = find_point(a, w->m, w->at);
  const lb_v4 off = lb_v4_load(slope);
  lb_derive_point(w->D, w->move, w->gain, p.index, p.arm);
  for (int k = 0; k < w->D->model->nv; k++) {
    const lb_motion S = w->move[k];
    if (rate) {
      by_q[k] += lb_v4_dot(lb_force_point_gain(S, w->gain[k], p.velocity), off);
      by_v[k] += lb_v4_dot(S.v, off);
    } else {
      by_q[k] += lb_v4_dot(S.v, off);
    }
  }
}

static void see_point(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                      double* by_v) {
  see_point_by(w, a, slope, by_q, by_v, a->g->rate);
}

static void pull_point(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                       double* by_q, double* by_v) {
  (void)time;
  pull_seen(w, a, slope, by_q, by_v, see_point);
}

static const lb_goal_type POINT = {.measure = measure_point, .pull = pull_point};

// --- means of points ---

// A mean velocity is the way from the first place to the last over the time between: it is looked
// at with the last one, and changes with both.
static void keep_place(const lb_aimed* a, const lb_model* m, lb_data* d, int step) {
  lb_v4_store(a->followed + 3 * (size_t)step, find_point(a, m, d).at);
}

static void measure_mean(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                         double* value) {
  (void)m, (void)d, (void)step;
  const double *x = a->followed + 3 * (size_t)a->first, *y = a->followed + 3 * (size_t)a->last;
  for (int k = 0; k < 3; k++) {
    value[k] = (y[k] - x[k]) / a->time;
  }
}

static void see_place(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                      double* by_v) {
  see_point_by(w, a, slope, by_q, by_v, false);
}

static void pull_mean(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                      double* by_q, double* by_v) {
  const bool last = time > (a->first + 0.5) * w->o->h;
  double by[3];
  for (int k = 0; k < 3; k++) {
    by[k] = (last ? slope[k] : -slope[k]) / a->time;
  }
  pull_seen(w, a, by, by_q, by_v, see_place);
}

static const lb_goal_type MEAN = {
    .measure = measure_mean, .pull = pull_mean, .follow = keep_place, .mean = true};

// --- joints ---

static void measure_joint(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                          double* value) {
  (void)m, (void)step;
  memcpy(value, a->g->rate ? d->qd + a->v : d->q + a->q, (size_t)a->g->count * sizeof *value);
}

static void pull_joint(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                       double* by_q, double* by_v) {
  (void)w, (void)time;
  lb_add(a->g->count, (a->g->rate ? by_v : by_q) + a->v, 1, slope);
}

static const lb_goal_type JOINT = {
    .measure = measure_joint, .pull = pull_joint, .coordinates = true};

// --- joints that the model has no coordinates for ---

// Joints that close loops, in maximal coordinates most. Their coordinates are measured between the
// two bodies. Angles are known but for whole turns: they begin as the tree has them and go on from
// step to step.
static void follow(const lb_optimizing* o, const lb_aimed* a, const lb_model* m, const lb_data* d,
                   int step) {
  double q[4], qd[3];
  if (a->loop < 0 || a->g->rate) {
    return;
  }
  const lb_scene_joint* joint = &m->constraint.loop[a->loop];
  lb_loop_coordinates(m, d, a->loop, q, qd);
  for (int k = 0; k < a->g->count; k++) {
    double* now = a->followed + (size_t)step * (size_t)a->g->count + k;
    const double near = step > 0       ? now[-a->g->count] + o->h * qd[k]
                        : a->begin < 0 ? 0
                                       : o->q1[a->begin + k];
    const bool slides = lb_joint_counts(joint, k) == LB_COORDINATE_LENGTH;
    *now = slides ? q[k] : near + remainder(q[k] - near, 2 * M_PI);
  }
}

static void measure_loop(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                         double* value) {
  double q[4], qd[3];
  if (a->g->rate) {
    lb_loop_coordinates(m, d, a->loop, q, qd);
  }
  for (int k = 0; k < a->g->count; k++) {
    value[k] = a->g->rate ? qd[k] : a->followed[(size_t)step * (size_t)a->g->count + (size_t)k];
  }
}

// In another model, where angles are not followed from step to step: near what they were.
static void measure_near(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                         double* value) {
  double near[LB_GOAL_MOST], qd[3];
  measure_loop(a, m, d, step, near);
  if (a->g->rate) {
    memcpy(value, near, (size_t)a->g->count * sizeof *value);
    return;
  }
  lb_loop_coordinates(m, d, a->loop, value, qd);
  for (int k = 0; k < a->g->count; k++) {
    const bool slides = lb_joint_counts(&m->constraint.loop[a->loop], k) == LB_COORDINATE_LENGTH;
    value[k] = slides ? value[k] : near[k] + remainder(value[k] - near[k], 2 * M_PI);
  }
}

static void see_loop(lb_way_back* w, const lb_aimed* a, const double* slope, double* by_q,
                     double* by_v) {
  const int nv = w->D->model->nv;
  double *q_q = w->measured, *qd_q = q_q + 3 * (size_t)nv, *qd_qd = qd_q + 3 * (size_t)nv;
  const int n = lb_loop_differentiate_coordinates(w->D, w->at, a->loop, q_q, qd_q, qd_qd);
  for (int k = 0; k < n; k++) {
    const size_t at = (size_t)k * (size_t)nv;
    lb_add(nv, by_q, slope[k], (a->g->rate ? qd_q : q_q) + at);
    lb_add(a->g->rate ? nv : 0, by_v, slope[k], qd_qd + at);
  }
}

static void pull_loop(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                      double* by_q, double* by_v) {
  (void)time;
  pull_seen(w, a, slope, by_q, by_v, see_loop);
}

static const lb_goal_type LOOP = {
    .measure = measure_loop, .measure_in = measure_near, .pull = pull_loop};

// --- motors ---

static void measure_push(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                         double* value) {
  double now[3];
  (void)step;
  lb_profile_evaluate(m->motor.profile[a->g->index], d->time, now);
  *value = now[0];
}

static void pull_push(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                      double* by_q, double* by_v) {
  (void)by_q, (void)by_v;
  lb_motor_pull(w, a->g->index, time, (double[]){slope[0], 0, 0});
}

static const lb_goal_type PUSH = {.measure = measure_push, .pull = pull_push};

// The motor whose force is number k of the goal: one that prescribes a rotation is three.
static int motor_of(const lb_aimed* a, const lb_model* m, int k) {
  const int prescribed = m->motor.prescribed[a->g->index];
  return prescribed < 0 ? a->g->index : m->constraint.prescribed[prescribed].motor[k];
}

static void measure_effort(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                           double* value) {
  (void)step;
  for (int k = 0; k < a->g->count; k++) {
    value[k] = d->motor_force[motor_of(a, m, k)];
  }
}

static void pull_effort(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                        double* by_q, double* by_v) {
  (void)time;
  for (int k = 0; k < a->g->count; k++) {
    const int motor = motor_of(a, w->m, k);
    lb_step_effects to = {.q = by_q, .v = by_v, .a = w->t->by_a, .lambda = w->t->by_lambda};
    lb_step_add_torque(w->S, &to, motor, slope[k]);
  }
}

static const lb_goal_type EFFORT = {.measure = measure_effort, .pull = pull_effort, .effort = true};

// --- muscles ---

static void measure_muscle(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                           double* value) {
  const lb_model_muscle* mu = &m->muscle.item[a->g->index];
  (void)step;
  *value = mu->hill ? d->x[mu->x] : lb_muscle_excitation(m, d, a->g->index);
}

static void pull_muscle(lb_way_back* w, const lb_aimed* a, double time, const double* slope,
                        double* by_q, double* by_v) {
  const lb_model_muscle* mu = &w->m->muscle.item[a->g->index];
  (void)time;
  if (mu->hill) {
    w->t->by_x[mu->x] += slope[0];
    return;
  }
  w->t->excitation[a->g->index] += slope[0];
  if (mu->v >= 0) {
    by_q[mu->v] -= mu->gain * slope[0];
    by_v[mu->v] -= mu->rate_gain * slope[0];
  }
}

static const lb_goal_type MUSCLE = {.measure = measure_muscle, .pull = pull_muscle};

// --- all of them ---

static bool counts(const lb_aimed* a, int step) {
  const bool within = !a->type->still && step > 0 && step >= a->first && step <= a->last;
  return a->type->mean ? step == a->last : within && (!a->moment || a->moment[step] >= 0);
}

// Whether something that counts changes with the end of a step.
static bool matters(const lb_aimed* a, int step) {
  return counts(a, step) || (a->type->mean && step == a->first);
}

// Number k of what is measured, as it should be.
static double target(const lb_aimed* a, int step, int k) {
  return a->moment ? (&a->g->path[a->moment[step]].x)[k] : a->g->value[k];
}

static void find_miss(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                      double miss[LB_GOAL_MOST]) {
  const lb_scene_goal* g = a->g;
  a->type->measure(a, m, d, step, miss);
  for (int k = 0; k < g->count; k++) {
    miss[k] = g->counts[k] ? miss[k] - target(a, step, k) : 0;
  }
}

void lb_goals_look(lb_optimizing* o, const lb_model* m, lb_data* d, int step, double* goal) {
  for (int i = 0; i < o->ngoal; i++) {
    const lb_aimed* a = &o->goal[i];
    follow(o, a, m, d, step);
    if (a->type->follow) {
      a->type->follow(a, m, d, step);
    }
    if (counts(a, step)) {
      double miss[LB_GOAL_MOST];
      find_miss(a, m, d, step, miss);
      for (int k = 0; k < a->g->count; k++) {
        goal[i] += a->weight * miss[k] * miss[k];
      }
    }
  }
}

void lb_goals_pull(lb_way_back* w, const lb_record* s, double* by_q, double* by_v) {
  for (int i = 0; i < w->o->ngoal; i++) {
    const lb_aimed* a = &w->o->goal[i];
    const int step = a->type->effort ? s->effort : s->step;
    double* slope = w->slope + (size_t)i * LB_GOAL_MOST;
    if (matters(a, step)) {
      find_miss(a, w->m, w->d, step, slope);
      for (int k = 0; k < a->g->count; k++) {
        slope[k] *= 2 * a->weight;
      }
      a->type->pull(w, a, s->time, slope, by_q, by_v);
    }
  }
}

bool lb_goals_count_at(const lb_optimizing* o, const lb_record* s) {
  bool any = false;
  for (int i = 0; i < o->ngoal; i++) {
    any |= !o->goal[i].type->effort && counts(&o->goal[i], s->step);
  }
  return any;
}

double lb_goals_see(const lb_way_back* w, const lb_record* s, const lb_played* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < w->o->ngoal; i++) {
    lb_aimed a = w->o->goal[i];
    double value[LB_GOAL_MOST];
    if (a.type->effort || !counts(&a, s->step)) {
      continue;
    }
    a.at = m->remade.scene.optimize.goal[i].at;
    (a.type->measure_in ? a.type->measure_in : a.type->measure)(&a, m->model, d, s->step, value);
    sum += lb_dot(a.g->count, w->slope + (size_t)i * LB_GOAL_MOST, value);
  }
  return sum;
}

static int count_still(const lb_optimizing* o) {
  int count = 0;
  for (int i = 0; i < o->ngoal; i++) {
    count += o->goal[i].type->still;
  }
  return count;
}

bool lb_goals_still(const lb_optimizing* o) {
  return count_still(o) > 0;
}

bool lb_goals_move(const lb_optimizing* o) {
  return count_still(o) < o->ngoal;
}

void lb_goals_place(lb_optimizing* o, const lb_played* m) {
  for (int i = 0; i < o->ngoal && m->remade.shown; i++) {
    o->goal[i].at = m->remade.scene.optimize.goal[i].at;
  }
}

bool lb_goals_exert(const lb_optimizing* o, int record) {
  const int step = record < 0 ? 0 : lb_tape_record(&o->tape, record)->effort;
  bool any = false;
  for (int i = 0; i < o->ngoal; i++) {
    any |= o->goal[i].type->effort && (record < 0 || counts(&o->goal[i], step));
  }
  return any;
}

int lb_goal_body(const lb_scene_goal* g) {
  return g->kind == LB_GOAL_POINT ? g->index : LB_WORLD;
}

lb_status lb_goals_make(lb_optimizing* o, lb_error* err) {
  const lb_scene_optimize* what = &o->public.scene->optimize;
  o->ngoal = what->ngoal;
  o->goal = LB_TAKE(&o->arena, lb_aimed, o->ngoal);
  o->public.goal = LB_TAKE(&o->arena, double, o->ngoal);
  if (lb_arena_check(&o->arena, "an optimisation", err) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < o->ngoal; i++) {
    const lb_scene_goal* g = &what->goal[i];
    o->goal[i] =
        (lb_aimed){.g = g, .body = lb_goal_body(g), .at = g->at, .weight = g->weight, .loop = -1};
  }
  return LB_OK;
}

// --- in the model ---

static lb_status find_point_type(lb_optimizing* o, lb_aimed* a) {
  a->type = a->g->mean ? &MEAN : &POINT;
  a->followed = a->g->mean ? LB_TAKE(&o->arena, double, 3 * (size_t)(o->public.steps + 1)) : NULL;
  return a->g->mean && !a->followed ? LB_NO_MEMORY : LB_OK;
}

static lb_status find_joint_type(lb_optimizing* o, lb_aimed* a) {
  const char* joint = o->given.joint[a->g->index].name;
  const int own = lb_model_joint(o->model, joint);
  if (own >= 0) {
    a->type = &JOINT;
    a->q = o->model->joint.q[own];
    a->v = o->model->joint.v[own];
    return LB_OK;
  }
  const int in_tree = lb_model_joint(o->tree, joint);
  a->type = &LOOP;
  a->loop = lb_optimizing_loop(o->model, joint);
  a->begin = in_tree < 0 ? -1 : o->tree->joint.q[in_tree];
  a->followed = LB_TAKE(&o->arena, double, (size_t)a->g->count*(size_t)(o->public.steps + 1));
  return a->followed ? LB_OK : LB_NO_MEMORY;
}

static lb_status find_motor_type(lb_optimizing* o, lb_aimed* a) {
  a->type = o->model->motor.drive[a->g->index] == LB_DRIVE_POSITION ? &EFFORT : &PUSH;
  return LB_OK;
}

static lb_status find_muscle_type(lb_optimizing* o, lb_aimed* a) {
  (void)o;
  a->type = &MUSCLE;
  return LB_OK;
}

static lb_status find_stiffness_type(lb_optimizing* o, lb_aimed* a) {
  static const lb_goal_type STIFFNESS = {.still = true};
  (void)o;
  a->type = &STIFFNESS;
  return LB_OK;
}

static lb_status (*const FIND[LB_GOAL_COUNT])(lb_optimizing*, lb_aimed*) = {
    [LB_GOAL_POINT] = find_point_type,
    [LB_GOAL_JOINT] = find_joint_type,
    [LB_GOAL_MOTOR] = find_motor_type,
    [LB_GOAL_MUSCLE] = find_muscle_type,
    [LB_GOAL_EFFECTOR] = find_stiffness_type};

// The steps that end nearest to the moments of a path.
static lb_status find_moments(lb_optimizing* o, lb_aimed* a, lb_error* err) {
  const lb_scene_goal* g = a->g;
  const int n = o->public.steps;
  a->moment = LB_TAKE(&o->arena, int, n + 1);
  if (!a->moment) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  for (int i = 0; i <= n; i++) {
    a->moment[i] = -1;
  }
  for (int k = 0; k < g->npath; k++) {
    const int near = (int)floor(g->when[k] / o->h * (1 + 1e-12) + 0.5);
    const int step = near < 1 ? 1 : near > n ? n : near;
    if (a->moment[step] >= 0) {
      return lb_error_add(err, LB_INVALID, g->place,
                          "goal '%s': %g s and %g s of its path are nearest to the end of the same "
                          "step (let them be a step of %g s apart)",
                          g->name, g->when[k - 1], g->when[k], o->h);
    }
    a->moment[step] = k;
  }
  a->first = 1;
  a->last = n;
  return LB_OK;
}

// The steps that end within, or the one that ends nearest.
static lb_status find_steps(lb_optimizing* o, lb_aimed* a, lb_error* err) {
  const lb_scene_goal* g = a->g;
  if (g->mean) {
    a->first = (int)fmax(1, floor(g->from / o->h + 0.5));
    a->last = (int)fmin(o->public.steps, floor(g->to / o->h + 0.5));
    a->time = (a->last - a->first) * o->h;
    return a->first < a->last
               ? LB_OK
               : lb_error_add(err, LB_INVALID, g->place,
                              "goal '%s': there are no two steps between %g s and %g s for a mean",
                              g->name, g->from, g->to);
  }
  const bool moment = g->from == g->to;
  a->last = (int)floor(g->to / o->h * (1 + 1e-12) + (moment ? 0.5 : 1e-9));
  a->last = a->last > o->public.steps ? o->public.steps : a->last < 1 && moment ? 1 : a->last;
  a->first = moment ? a->last : (int)floor(g->from / o->h * (1 + 1e-12) + 1e-9) + 1;
  a->weight = moment ? g->weight : g->weight * o->h;
  return a->first <= a->last
             ? LB_OK
             : lb_error_add(err, LB_INVALID, g->place,
                            "goal '%s': no step ends from %g s to %g s, so that it would count for "
                            "nothing (name a moment, or a time longer than a step of %g s)",
                            g->name, g->from, g->to, o->h);
}

lb_status lb_goals_find(lb_optimizing* o, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
    lb_aimed* a = &o->goal[i];
    status =
        FIND[a->g->kind](o, a) == LB_OK
            ? (a->g->npath > 0 ? find_moments : find_steps)(o, a, err)
            : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  return status;
}
