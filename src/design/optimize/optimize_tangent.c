// Derivatives by numbers of the scene's text. Such a number p may change all of a model: frames of
// joints, anchors, masses, shapes. What it does to a stage is
//
//   dP/dp = -mu'(dr/dp) - nu'(ds/dp)
//
// with the multipliers mu and nu that the adjoint has already, r and s at the state, accelerations
// and Lagrange multipliers of the run. dr/dp and ds/dp are differences of models with p a little
// larger and smaller, of second order: two residuals a stage and number, and no special cases. The
// same holds for gaps and rates at the start, for places of goals, and for curves of motors. As
// nothing is iterated, a difference is exact to some ten digits.
//
// Steps that are found again from their start, as explicit ones, come as a whole: with lambda how
// the objective changes with the step's end x1 = F(x0; p),
//
//   dP/dp = lambda'(dF/dp)
//
// is the difference of two steps of such models from one start. Contacts have the active sets of
// the run's step there: at rest they are at the edge of opening.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/curve/time_profile.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/motor_use.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/run/maximal_start.h"

// A model with one number a little elsewhere, and the weight of what it says in a difference.
typedef struct nudged {
  lb_arena arena;
  double* x; // [nvalue]
  lb_played m;
  lb_data *d, *start; // of the model, and of its tree
  lb_stepper* st;     // of steps that are found again, else NULL
  double weight;
} nudged;

// A rule of differences: part of a number by which it is changed, where, and weights.
enum { MOST_NUDGES = 4 };
typedef struct rule {
  double nudge;
  double small; // a smaller number is changed by as much, but at most by ten times its share
  int count;
  double at[MOST_NUDGES], weight[MOST_NUDGES];
} rule;

// What contacts ask for is a gap over the step: its rounding is less of a wider difference.
static const rule RULES[] = {
    {3e-5, 1e-2, 4, {1, -1, 2, -2}, {8. / 12, -8. / 12, -1. / 12, 1. / 12}},
    {1e-5, 0, 2, {1, -1}, {0.5, -0.5}},
    {1e-5, 0, 3, {0, 1, 2}, {-1.5, 2, -0.5}}, // at the end of what can be
    {1e-5, 0, 3, {0, -1, -2}, {1.5, -2, 0.5}}};
enum { OF_CONTACTS = 0, OF_OTHERS = 1, NRULE = sizeof RULES / sizeof *RULES };

typedef struct number {
  int at; // in x
  int count;
  nudged by[MOST_NUDGES];
} number;

struct lb_tangent_models {
  int count;
  number* number;
  double* r;        // [2 * nv] scratch
  double *dq, *dv;  // [nq], [nv] difference of states
  double* xi;       // [nv] dq along velocities
  lb_status status; // of differences of steps
};

// --- models ---

static void release(nudged* n) {
  lb_stepper_release(n->st);
  lb_data_release(n->d);
  if (n->start != n->d) {
    lb_data_release(n->start);
  }
  lb_played_end(&n->m);
  lb_arena_release(&n->arena);
  *n = (nudged){0};
}

static void ignore(void* context, const lb_data* d, const lb_step_past* past) {
  (void)context, (void)d, (void)past;
}

// Steps that are watched, as those of the run are.
static lb_status make_stepper(lb_optimizing* o, nudged* n, lb_error* err) {
  const lb_status status = lb_optimizing_stepper(o, n->m.model, &n->st, err);
  if (status == LB_OK) {
    lb_stepper_watch(n->st, ignore, NULL);
  }
  return status;
}

static lb_status make_data(lb_optimizing* o, nudged* n, lb_error* err) {
  lb_status status = lb_data_create(n->m.model, o->allocator, &n->d, err);
  n->start = n->d;
  if (status == LB_OK && o->tape.type->derivative->restarts) {
    status = make_stepper(o, n, err);
  }
  return status == LB_OK && n->m.tree != n->m.model
             ? lb_data_create(n->m.tree, o->allocator, &n->start, err)
             : status;
}

static lb_status make_one(lb_way_back* w, int at, double by, double weight, nudged* n,
                          lb_error* err) {
  lb_optimizing* o = w->o;
  const int count = o->public.nvalue;
  *n = (nudged){.weight = weight};
  lb_arena_init(&n->arena, o->allocator);
  n->x = LB_TAKE(&n->arena, double, count);
  if (!n->x) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  memcpy(n->x, w->x, (size_t)count * sizeof *n->x);
  n->x[at] += by;
  const lb_status status = lb_optimizing_play(o, n->x, &n->arena, &n->m, err);
  return status == LB_OK ? make_data(o, n, err) : status;
}

static lb_status make_by_rule(lb_way_back* w, number* to, const rule* by, lb_error* err) {
  const lb_optimization* p = &w->o->public;
  const double x = fabs(w->x[to->at]), size = fmax(x, 0.1 * fmin(p->scale[to->at], 1));
  const double h = by->nudge * fmax(size, fmin(by->small, 10 * x));
  lb_status status = LB_OK;
  to->count = 0;
  for (int i = 0; i < by->count && status == LB_OK; i++) {
    status = make_one(w, to->at, by->at[i] * h, by->weight[i] / h, &to->by[to->count++], err);
  }
  for (int i = 0; i < to->count && status != LB_OK; i++) {
    release(&to->by[i]);
  }
  to->count = status == LB_OK ? to->count : 0;
  return status;
}

// A number at a bound is differenced away from it.
static lb_status make_number(lb_way_back* w, number* to, lb_error* err) {
  lb_status status = LB_FAILED;
  const int first = w->m->contact.set.on ? OF_CONTACTS : OF_OTHERS;
  for (int i = first; i < NRULE && status == LB_FAILED; i++) {
    lb_error quiet = lb_error_make(w->o->allocator);
    status = make_by_rule(w, to, &RULES[i], i == NRULE - 1 ? err : &quiet);
    lb_error_clear(&quiet);
  }
  return status;
}

static lb_status make_numbers(lb_way_back* w, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 0; i < w->o->nblock && status == LB_OK; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->type == &lb_parameter_text) {
      number* to = &w->text->number[w->text->count++];
      to->at = b->first;
      status = make_number(w, to, err);
    }
  }
  return status;
}

lb_status lb_tangent_models_open(lb_way_back* w, lb_error* err) {
  lb_optimizing* o = w->o;
  lb_arena* arena = &w->walk.arena;
  if (!lb_text_changes(o)) {
    return LB_OK;
  }
  lb_growth* growth = LB_TAKE(arena, lb_growth, o->ngrowth + 1);
  lb_tangent_models* text = LB_TAKE(arena, lb_tangent_models, 1);
  if (text) {
    *text = (lb_tangent_models){.number = LB_TAKE(arena, number, o->nblock),
                                .r = LB_TAKE(arena, double, 2 * w->m->nv),
                                .dq = LB_TAKE(arena, double, w->m->nq),
                                .dv = LB_TAKE(arena, double, w->m->nv),
                                .xi = LB_TAKE(arena, double, w->m->nv)};
  }
  if (lb_arena_check(arena, "a gradient", err) != LB_OK) {
    return LB_NO_MEMORY;
  }
  w->text = text;
  memcpy(growth, o->growth, (size_t)o->ngrowth * sizeof *growth); // those of the run
  const lb_status status = make_numbers(w, err);
  memcpy(o->growth, growth, (size_t)o->ngrowth * sizeof *growth);
  return status;
}

void lb_tangent_models_close(lb_way_back* w) {
  for (int i = 0; w->text && i < w->text->count; i++) {
    for (int k = 0; k < w->text->number[i].count; k++) {
      release(&w->text->number[i].by[k]);
    }
  }
}

// --- differences of states ---

static bool restarts(const lb_way_back* w) {
  return w->o->tape.type->derivative->restarts;
}

static void begin_difference(const lb_way_back* w) {
  memset(w->text->dq, 0, (size_t)w->m->nq * sizeof(double));
  memset(w->text->dv, 0, (size_t)w->m->nv * sizeof(double));
}

static void add_state(const lb_way_back* w, const nudged* n) {
  lb_add(w->m->nq, w->text->dq, n->weight, n->d->q);
  lb_add(w->m->nv, w->text->dv, n->weight, n->d->qd);
}

// The objective's change by that difference about the coordinates q.
static double difference_power(const lb_way_back* w, const double* q, const double* by_q,
                               const double* by_v) {
  const lb_tangent_models* T = w->text;
  lb_change_pass(LB_CHANGE_PROJECT, w->m, (lb_change_at){.q = q}, T->xi, T->dq, NULL);
  return lb_dot(w->m->nv, by_q, T->xi) + lb_dot(w->m->nv, by_v, T->dv);
}

// --- whole steps ---

// The step that `run` was differentiated for, of another model.
static lb_status step_again(const lb_way_back* w, nudged* n, const lb_data* run,
                            const lb_step_past* past) {
  const lb_model* m = n->m.model;
  lb_data* d = n->d;
  d->time = past->from;
  memcpy(d->q, past->q[0], (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, past->v[0], (size_t)m->nv * sizeof *d->qd);
  if (d->work->constraints) {
    lb_constraints_set_active(d, past->active[0]);
    lb_constraints_set_redundant(d, past->redundant);
  }
  if (d->work->contacts) {
    lb_contacts_keep_sets(d->work->contacts, run->work->contacts);
  }
  lb_kinematics(m, d, d->q, d->qd); // steps look at poses that others left
  return lb_stepper_step(n->st, d, past->dt, w->walk.err);
}

void lb_text_pull_step(lb_way_back* w, const lb_tangent* t) {
  const int record = t->record, now = record % LB_TAPE_RING;
  if (!w->text || !restarts(w)) {
    return;
  }
  const lb_step_past past = lb_tape_past(&w->o->tape, record);
  const double* q = lb_tape_q(&w->o->tape, record);
  for (int i = 0; i < w->text->count && w->text->status == LB_OK; i++) {
    number* p = &w->text->number[i];
    begin_difference(w);
    for (int k = 0; k < p->count && w->text->status == LB_OK; k++) {
      w->text->status = step_again(w, &p->by[k], t->d, &past);
      add_state(w, &p->by[k]);
    }
    w->gradient[p->at] += difference_power(w, q, w->walk.by.q[now], w->walk.by.v[now]) +
                          difference_power(w, q, t->by_q, t->by_v);
  }
}

lb_status lb_text_status(const lb_way_back* w) {
  return w->text ? w->text->status : LB_OK;
}

// --- stages ---

// nu's: (3) and (6) of step_derivative.h.
static double constraint_power(const lb_way_back* w, const lb_step_part* part,
                               const lb_constraint_rows* of) {
  const lb_step_past* past = &w->past;
  const double closing = past->inner || past->impact ? 0 : 1 / past->dt;
  double sum = 0;
  for (int i = 0; i < part->rows; i++) {
    const int row = part->row[i];
    const bool landed = past->inactive && past->inactive[row];
    const double s = landed ? of->gap[row] / past->dt : of->rate[row] + closing * of->gap[row];
    sum += part->nu[i] * s;
  }
  return sum;
}

// mu'r + nu's of a part of a step for another model. Of an impact r is M(q) a - J'lambda: inverse
// dynamics with and without a, all else alike.
static double stage_power(lb_way_back* w, const lb_step_part* part, nudged* n) {
  const lb_model* m = n->m.model;
  lb_data* d = n->d;
  const size_t nv = (size_t)m->nv;
  const lb_constraint_set set = part->impact ? LB_SET_INACTIVE : LB_SET_STEP;
  double *r = w->text->r, *still = r + nv, sum = 0;
  lb_tape_go_to(&w->o->tape, d, w->t->record);
  lb_constraints_set_redundant(d, w->past.redundant);
  lb_update(m, d, LB_ORIGINS | LB_FORCED);
  if (part->impact) {
    memset(d->qdd, 0, nv * sizeof *d->qdd);
    lb_rnea_moved(m, d, still, d->qdd);
  }
  memcpy(d->qdd, w->d->qdd, nv * sizeof *d->qdd);
  if (d->work->constraints) {
    const lb_constraint_rows of = lb_constraints_measure(m, d, set);
    sum = constraint_power(w, part, &of);
    lb_constraints_apply_multipliers(m, d, set, w->past.lambda);
  }
  lb_rnea_moved(m, d, r, d->qdd);
  lb_add(m->nv, r, -1, part->impact ? still : d->work->tau);
  return sum + lb_dot(m->nv, part->mu, r);
}

void lb_text_pull(lb_way_back* w, const lb_step_part* part) {
  for (int i = 0; w->text && !restarts(w) && i < w->text->count; i++) {
    number* p = &w->text->number[i];
    for (int k = 0; k < p->count; k++) {
      w->gradient[p->at] -= p->by[k].weight * stage_power(w, part, &p->by[k]);
    }
  }
}

void lb_text_pull_goals(lb_way_back* w) {
  const lb_record* s = lb_tape_record(&w->o->tape, w->t->record);
  for (int i = 0; w->text && lb_goals_count_at(w->o, s) && i < w->text->count; i++) {
    number* p = &w->text->number[i];
    for (int k = 0; k < p->count; k++) {
      nudged* n = &p->by[k];
      lb_tape_go_to(&w->o->tape, n->d, w->t->record);
      lb_update(n->m.model, n->d, LB_ORIGINS);
      w->gradient[p->at] += n->weight * lb_goals_see(w, s, &n->m, n->d);
    }
  }
}

// Motors that prescribe a coordinate: those of others are in r and s.
void lb_text_pull_motor(lb_way_back* w, int motor, double time, const double by[3]) {
  for (int i = 0; w->text && !restarts(w) && lb_motor_prescribes(w->m, motor) && i < w->text->count;
       i++) {
    number* p = &w->text->number[i];
    for (int k = 0; k < p->count; k++) {
      double value[3];
      lb_profile_evaluate(p->by[k].m.model->motor.profile[motor], time, value);
      w->gradient[p->at] += p->by[k].weight * lb_dot(3, by, value);
    }
  }
}

// --- the start ---

// By gaps and rates of constraints, which others follow from.
static double start_power(const lb_way_back* w, const lb_start_slopes* by, nudged* n) {
  const lb_model* tree = n->m.tree;
  lb_data* d = n->start;
  double sum = 0;
  memcpy(d->q, w->o->q1, (size_t)tree->nq * sizeof *d->q);
  memcpy(d->qd, w->o->v1, (size_t)tree->nv * sizeof *d->qd);
  d->time = 0;
  lb_update(tree, d, LB_ORIGINS);
  if (!d->work->constraints) {
    return 0;
  }
  lb_constraints_forget_redundant(d);
  const lb_constraint_rows of =
      lb_constraints_linearise(tree, d, LB_SET_BILATERAL | LB_SET_COMPLIANT);
  for (int i = 0; i < of.count; i++) {
    sum -= by->gap[i] * of.gap[i] + by->rate[i] * of.rate[i];
  }
  return sum;
}

// By the coordinates that follow from nothing: as motors prescribe them, or as the scene has them.
static double named_power(const lb_model* tree, const lb_start_slopes* by) {
  double sum = 0;
  for (int i = 0; i < tree->nmotor; i++) {
    double value[3];
    if (lb_motor_prescribes(tree, i)) {
      lb_profile_evaluate(tree->motor.profile[i], 0, value);
      sum += by->tree_q[tree->motor.v[i]] * value[0] + by->tree_v[tree->motor.v[i]] * value[1];
    }
  }
  for (int i = 0; i < tree->njoint; i++) {
    const int q = tree->joint.q[i], v = tree->joint.v[i], n = tree->joint.nv[i];
    if (tree->joint.nq[i] == n && !tree->dof.driven[v]) {
      sum += lb_dot(n, by->tree_q + v, tree->start.q + q) +
             lb_dot(n, by->tree_v + v, tree->start.qd + v);
    }
  }
  return sum;
}

// In maximal coordinates, by the poses and velocities of bodies with the tree as it is.
static double loose_power(const lb_way_back* w, number* p, const lb_start_slopes* by) {
  begin_difference(w);
  for (int k = 0; k < p->count; k++) {
    nudged* n = &p->by[k];
    lb_maximal_start_lay_out(n->m.tree, n->start, n->m.model, n->d);
    add_state(w, n);
  }
  return difference_power(w, lb_tape_q(&w->o->tape, 0), by->q, by->v);
}

void lb_text_pull_start(lb_way_back* w, const lb_played* m, const lb_start_slopes* by) {
  for (int i = 0; w->text && i < w->text->count; i++) {
    number* p = &w->text->number[i];
    for (int k = 0; k < p->count; k++) {
      nudged* n = &p->by[k];
      w->gradient[p->at] += n->weight * (start_power(w, by, n) + named_power(n->m.tree, by));
    }
    w->gradient[p->at] += m->tree != m->model ? loose_power(w, p, by) : 0;
  }
}
