// Implicit steps for stiff systems, in the coordinates of the tree: no constraint, no multiplier. A
// step has one or two stages, each of which ends at a state (q, v) with
//
//   (q - qh)/dt = T(q) v,   a = (v - vh)/dt,   xh = w_1 x_1 + w_2 x_2
//
// where x_1 is the state at the step's start and x_2 another one before. What dt, the weights and
// x_2 are makes the scheme: see below. Rotations R with angular velocities w in their own axes have
//
//   R = Rh exp(dt w),   Rh = R_1 exp(w_2 log(R_1'R_2))
//
// About an axis that stays that is the angle's own equation. So hinges of maximal coordinates turn
// as those of trees, and a motor's angle and speed can hold at once.
//
// q follows from v in closed form (lb_reach), so the unknown is v alone, with the residual of
// inverse dynamics
//
//   r(v) = rnea(q, v, a) - forces(q, v) = 0
//
// solved by Newton's method with a matrix that is made anew only when convergence slows down. How
// it is made and solved with is the affair of an algebra (implicit.h).
#include "solve/implicit/implicit.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "solve/implicit/free_axes.h"

enum { MOST_PARTS = 64 }; // into which a step that fails is divided

// --- schemes ---

typedef struct stage {
  double dt;        // over the step h
  double end;       // when it ends, in steps from the step's start
  double weight[2]; // of x_1 and of x_2 in the history
  double over;      // dt and the weights are over this, so that thirds are rounded once
  bool within;      // x_2 ended the stage before; else it began the step before
} stage;

struct lb_scheme {
  int stages;
  stage stage[LB_IMPLICIT_STAGES];
  const lb_scheme* first; // for a step without one before it; NULL: the same
};

// Backward differences of order 1: x' at the end from the step's two ends.
static const lb_scheme BDF1 = {1, {{.dt = 1, .end = 1, .weight = {1}, .over = 1}}, NULL};

// BDF2, order 2: from the parabola through the last three states, here of steps that are equal. The
// first step has order 1, which costs nothing of the order of the whole: a single error of h^2.
static const lb_scheme BDF2 = {1, {{.dt = 2, .end = 1, .weight = {4, -1}, .over = 3}}, &BDF1};

// Alexander's diagonally implicit Runge-Kutta method, [red] 4.3: with g = (2 - sqrt 2)/2
//
//   x_a = x_1 + g h f_a,   x_2 = x_1 + (1 - g) h f_a + g h f_2
//
// and h f_a = (x_a - x_1)/g, the history of the second stage is x_1 (2 g - 1)/g + x_a (1 - g)/g =
// (1 + sqrt 2) x_a - sqrt 2 x_1. Stages and steps of stiff parts decay alike (L-stable).
#define ROOT2 1.4142135623730950488
#define G (1 - ROOT2 / 2)
static const lb_scheme SDIRK2 = {
    2,
    {{.dt = G, .end = G, .weight = {1}, .over = 1},
     {.dt = G, .end = 1, .weight = {-ROOT2, 1 + ROOT2}, .over = 1, .within = true}},
    NULL};

const lb_scheme lb_scheme_bdf2_after_sdirk2 = {
    1, {{.dt = 2, .end = 1, .weight = {4, -1}, .over = 3}}, &SDIRK2};

// A step may be so many times as long as the one before it; beyond that errors could grow from step
// to step, and it begins anew.
static const double MOST_GROWTH = 1 + ROOT2;

// The stage of BDF2 in a step that is w times as long as the one before:
//
//   dt = (1 + w)/(1 + 2 w) h,   xh = ((1 + w)^2 x_1 - w^2 x_2)/(1 + 2 w)
static stage stage_after(double w) {
  return (stage){.dt = 1 + w, .end = 1, .weight = {(1 + w) * (1 + w), -w * w}, .over = 1 + 2 * w};
}

// --- making ---

static void release(lb_stepper* st) {
  const lb_implicit* own = st->own;
  lb_step_derivative_release(own->exact);
  lb_stepper_release(own->bounces);
  own->algebra->release(st);
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  lb_implicit* own = st->own = LB_TAKE(&st->arena, lb_implicit, 1);
  const int most = lb_constraints_most(m);
  const int many =
      5 * m->nq + 8 * m->nv + 4 * m->nx + LB_IMPLICIT_STAGES * LB_IMPLICIT_CHANGES * (m->nv + most);
  double* block = own ? LB_TAKE(&st->arena, double, many) : NULL;
  const size_t state = lb_constraints_state_size(m);
  double* rows = own ? LB_TAKE(&st->arena, double, state + 3 * (size_t)most) : NULL;
  if (!block || !rows) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  double** const part[] = {&own->q1,   &own->q2, &own->qe, &own->qh, &own->qs, &own->v1,
                           &own->v2,   &own->ve, &own->vh, &own->vs, &own->r,  &own->dv,
                           &own->move, &own->x1, &own->x2, &own->xe, &own->xs};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = block;
    block += i < 5 ? m->nq : i < 13 ? m->nv : m->nx;
  }
  own->rows = most;
  own->change = block;
  own->was = rows;
  own->impulse = rows + state;
  own->lambda = own->impulse + most;
  own->held = own->lambda + most;
  own->scheme = st->type->scheme;
  if (st->solver.sdirk2_first && own->scheme == &BDF2) {
    own->scheme = &lb_scheme_bdf2_after_sdirk2;
  }
  own->algebra = m->nv - 3 * m->particles.nfree > m->ndense ? &lb_implicit_full
                 : lb_implicit_kkt_fits(m)                  ? &lb_implicit_kkt
                 : lb_forces_are_diagonal(m)                ? &lb_implicit_tree
                                                            : &lb_implicit_dense;
  own->newton.tolerance = st->solver.tolerance > 0 ? st->solver.tolerance : own->algebra->tolerance;
  lb_status status = own->algebra->create(st, err);
  status = status == LB_OK ? lb_implicit_check_contacts(st, err) : status;
  status = status == LB_OK ? lb_implicit_create_bounces(st, err) : status;
  if (status != LB_OK) {
    release(st);
  }
  return status;
}

// --- one step ---

static void hold(double* to_q, double* to_v, const lb_model* m, const double* q, const double* v) {
  memcpy(to_q, q, (size_t)m->nq * sizeof *q);
  memcpy(to_v, v, (size_t)m->nv * sizeof *v);
}

static void hold_muscles(double* to, const lb_model* m, const double* x) {
  memcpy(to, x, (size_t)m->nx * sizeof *x);
}

// True where d is at the last step's end, but for rounding.
static bool continues(const lb_model* m, const lb_implicit* own, const lb_data* d, double h) {
  if (!(own->h > 0 && h <= MOST_GROWTH * own->h) || fabs(own->time - d->time) > 1e-9 * h) {
    return false;
  }
  for (int i = 0; i < m->nq; i++) {
    if (!(fabs(d->q[i] - own->qe[i]) <= 1e-6 * (1 + fabs(own->qe[i])))) {
      return false;
    }
  }
  for (int i = 0; i < m->nv; i++) {
    if (!(fabs(d->qd[i] - own->ve[i]) <= 1e-6 * (1 + fabs(own->ve[i])))) {
      return false;
    }
  }
  for (int i = 0; i < m->nx; i++) {
    if (!(fabs(d->x[i] - own->xe[i]) <= 1e-6)) {
      return false;
    }
  }
  return true;
}

// Take over what was the last step's end; does this one go on from there?
static bool start(const lb_model* m, lb_implicit* own, const lb_data* d, double h) {
  const bool goes_on = continues(m, own, d, h);
  own->known = goes_on && own->h == h ? own->known : 0;
  if (goes_on) {
    own->ratio = h / own->h;
    hold(own->q2, own->v2, m, own->q1, own->v1);
    hold_muscles(own->x2, m, own->x1);
  }
  hold(own->q1, own->v1, m, d->q, d->qd);
  hold_muscles(own->x1, m, d->x);
  return goes_on;
}

// History terms of a stage. Rotations are added up along the turn from one to the other: with sums
// of quaternions a body that turns evenly would not be where its speed says.
static void remember(const lb_model* m, lb_implicit* own, const stage* s) {
  const double *q2 = s->within ? own->qs : own->q2, *v2 = s->within ? own->vs : own->v2;
  const double w1 = s->weight[0], w2 = s->weight[1];
  for (int i = 0; i < m->nq; i++) {
    own->qh[i] = w2 != 0 ? (w1 * own->q1[i] + w2 * q2[i]) / s->over : own->q1[i];
  }
  if (w2 != 0) {
    lb_turn_between(m, own->qh, own->q1, q2, w2 / s->over);
  }
  for (int i = 0; i < m->nv; i++) {
    own->vh[i] = w2 != 0 ? (w1 * own->v1[i] + w2 * v2[i]) / s->over : own->v1[i];
  }
}

// Muscles find their states within the stage, from theirs in the history.
static void begin_muscles(const lb_implicit* own, lb_data* d, const stage* s, double dt) {
  const double weight[] = {s->weight[0] / s->over, s->weight[1] / s->over};
  const double* const x[] = {own->x1, s->within ? own->xs : own->x2};
  lb_muscles_begin_after(d, dt, s->weight[1] != 0 ? 2 : 1, weight, x);
}

void lb_implicit_residual(const lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* own = st->own;
  lb_reach(m, d->q, own->qh, d->qd, dt);
  if (own->touches) {
    memcpy(own->vh, own->v1, (size_t)m->nv * sizeof *own->vh);
    lb_free_axes_turn(m, own->q1, d->q, own->vh);
  }
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] = (d->qd[k] - own->vh[k]) / dt;
  }
  lb_drive(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_rnea_moved(m, d, own->r, d->qdd);
  if (own->touches) {
    lb_free_axes_remove(m, d, own->r);
  }
  for (int k = 0; k < m->nv; k++) {
    own->r[k] -= d->work->tau[k];
  }
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i]) {
      own->r[m->link.v[i]] = 0;
    }
  }
}

// Numbers that a stage keeps: what it changed of the velocities, then its multipliers.
int lb_implicit_count_changes(const lb_stepper* st) {
  return st->m->nv + ((const lb_implicit*)st->own)->rows;
}

// Change of so many steps ago.
static double* change_of(const lb_stepper* st, int ago) {
  const lb_implicit* own = st->own;
  return own->change + (own->stage * LB_IMPLICIT_CHANGES + ago) * lb_implicit_count_changes(st);
}

// A stage changes velocities by about as much as the parabola through what it changed in the last
// steps says. A curve through the states themselves would be worse: the first stage of SDIRK2
// ends h^2 beside the motion, and much the same way in every step.
// Multipliers of constraints that are bilateral are guessed alike: with those of the step before,
// what the matrix lacks of their directions would stand in the way of the second correction.
static void guess(const lb_stepper* st, const double* from, double* v) {
  static const double weight[LB_IMPLICIT_CHANGES + 1][LB_IMPLICIT_CHANGES] = {
      {0}, {1}, {2, -1}, {3, -3, 1}};
  const lb_implicit* own = st->own;
  const int nv = st->m->nv, rows = own->rows;
  memcpy(v, from, (size_t)nv * sizeof *v);
  for (int i = 0; i < own->known; i++) {
    lb_add(nv, v, weight[own->known][i], change_of(st, i));
  }
  if (own->known > 0 && lb_constraints_unilateral(st->m) < 0) {
    memset(own->lambda, 0, (size_t)rows * sizeof *own->lambda);
    for (int i = 0; i < own->known; i++) {
      lb_add(rows, own->lambda, weight[own->known][i], change_of(st, i) + nv);
    }
  }
}

static void keep_change(const lb_stepper* st, const double* from, const double* v) {
  const lb_implicit* own = st->own;
  const int n = lb_implicit_count_changes(st), nv = st->m->nv;
  double* last = change_of(st, 0);
  memmove(last + n, last, (size_t)((LB_IMPLICIT_CHANGES - 1) * n) * sizeof *last);
  for (int k = 0; k < nv; k++) {
    last[k] = v[k] - from[k];
  }
  memcpy(last + nv, own->lambda, (size_t)own->rows * sizeof *last);
}

// Velocities that take coordinates, which are numbers, to where the last ones known would.
static void guess_straight(const lb_implicit* own, const stage* s, double h, int nv, double* v) {
  const double* last = s->within ? own->vs : own->v1;
  const double dt = s->dt * h / s->over;
  for (int k = 0; k < nv; k++) {
    v[k] = (own->q1[k] + s->end * h * last[k] - own->qh[k]) / dt;
  }
}

void lb_implicit_stop_at(lb_stepper* st, double residual) {
  LB_ASSERT(st->m->nq == st->m->nv);
  ((lb_implicit*)st->own)->newton.residual = residual;
}

void lb_implicit_forget(lb_stepper* st) {
  ((lb_implicit*)st->own)->newton.dt = 0;
}

static void report(lb_stepper* st, const lb_data* d, lb_step_past past) {
  lb_implicit* own = st->own;
  if (st->watcher) {
    past.taken_back = own->taken_back;
    past.redundant = lb_constraints_redundant(d);
    own->taken_back = 0;
    own->reported++;
    st->watcher(st->watching, d, &past);
  }
}

// Takes back the stages reported in this step, all but the first so many.
static void take_back(lb_implicit* own, int kept) {
  own->taken_back += own->reported - kept;
  own->reported = kept;
}

// The state reported last comes first: the stage before where there is one, else the step's start.
static void report_stage(lb_stepper* st, const lb_data* d, const stage* s, double dt) {
  lb_implicit* own = st->own;
  const double *q[] = {own->q1, s->within ? own->qs : own->q2},
               *v[] = {own->v1, s->within ? own->vs : own->v2},
               *x[] = {own->x1, s->within ? own->xs : own->x2};
  const int first = s->within, second = !s->within;
  report(st, d,
         (lb_step_past){.dt = dt,
                        .count = s->weight[1] != 0 ? 2 : 1,
                        .inner = own->inner,
                        .weight = {s->weight[first] / s->over, s->weight[second] / s->over},
                        .q = {q[first], q[second]},
                        .v = {v[first], v[second]},
                        .x = {x[first], x[second]},
                        .lambda = own->lambda,
                        .inactive = lb_constraints_inactive(d)});
}

void lb_implicit_impact(lb_stepper* st, lb_data* d) {
  lb_implicit* own = st->own;
  hold(own->qs, own->vs, st->m, d->q, d->qd);
  lb_constraints_impact(st->m, d, LB_SET_ACTIVE, own->impulse);
  report(st, d,
         (lb_step_past){.dt = 1,
                        .count = 1,
                        .weight = {1},
                        .q = {own->qs},
                        .v = {own->vs},
                        .lambda = own->impulse,
                        .impact = true});
}

// One stage of a step that began at time `begin`.
static bool advance_stage(lb_stepper* st, lb_data* d, const stage* s, double begin, double h) {
  const lb_model* m = st->m;
  lb_implicit* own = st->own;
  const double dt = s->dt * h / s->over, *from = s->within ? own->vs : own->v1;
  d->time = begin + s->end * h;
  own->inner = s->end < 1;
  remember(m, own, s);
  if (own->newton.residual > 0) {
    guess_straight(own, s, h, m->nv, d->qd);
  } else {
    guess(st, from, d->qd);
  }
  lb_drive(m, d);
  begin_muscles(own, d, s, dt);
  if (!lb_implicit_newton(st, d, dt)) {
    return false;
  }
  own->hit |= lb_constraints_hit(d, own->lambda);
  if (own->touches) {
    lb_contacts_place(d->work->contacts, d, dt, own->move);
  }
  lb_reach(m, d->q, own->qh, own->touches ? own->move : d->qd, dt);
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_muscles_end(m, d);
  report_stage(st, d, s, dt);
  keep_change(st, from, d->qd);
  hold(own->qs, own->vs, m, d->q, d->qd);
  hold_muscles(own->xs, m, d->x);
  return true;
}

// The stages of a step that begins at d.
static bool advance_stages(lb_stepper* st, lb_data* d, const lb_scheme* scheme, double h) {
  lb_implicit* own = st->own;
  const double begin = d->time;
  bool done = true;
  own->hit = false;
  own->known = own->stages == scheme->stages ? own->known : 0;
  own->stages = scheme->stages;
  for (own->stage = 0; own->stage < scheme->stages && done; own->stage++) {
    const stage* s = &scheme->stage[own->stage];
    const stage after = stage_after(own->ratio);
    done = advance_stage(st, d, s->weight[1] != 0 && !s->within ? &after : s, begin, h);
  }
  own->known += own->known < LB_IMPLICIT_CHANGES;
  if (done && !own->hit) {
    lb_constraints_keep_active(st->m, d, LB_SET_STEP, own->lambda);
  }
  return done;
}

// With other constraints the multipliers and the matrix are void.
static void begin_rows(lb_stepper* st, const lb_data* d) {
  lb_implicit* own = st->own;
  if (own->choice != lb_constraints_count_choices(d)) {
    memset(own->lambda, 0, (size_t)own->rows * sizeof *own->lambda);
    own->known = 0;
    lb_implicit_forget(st);
  }
  own->choice = lb_constraints_count_choices(d);
}

// A redundant constraint is open: the step is to be taken again with all of them.
static bool came_open(lb_stepper* st, lb_data* d) {
  const lb_implicit* own = st->own;
  if (!lb_constraints_redundant_open(st->m, d)) {
    return false;
  }
  lb_constraints_load(d, own->was);
  lb_constraints_forget_redundant(d);
  lb_constraints_save(d, own->was);
  begin_rows(st, d);
  return true;
}

// A step of h that has been taken, again from its start by BDF1.
static bool advance_again(lb_stepper* st, lb_data* d, double h) {
  lb_implicit* own = st->own;
  hold(d->q, d->qd, st->m, own->q1, own->v1);
  hold_muscles(d->x, st->m, own->x1);
  d->time -= h;
  own->known = 0;
  return advance_stages(st, d, &BDF1, h);
}

// Bodies that were struck meet others: the step is taken again with these, for as long as that
// happens.
static bool meet_struck(lb_stepper* st, lb_data* d, double h, int reported) {
  enum { ROUNDS = 8 };
  bool done = true;
  for (int i = 1; done && lb_implicit_struck(st, d, h, i == ROUNDS) && i < ROUNDS; i++) {
    take_back(st->own, reported);
    done = lb_implicit_detect_again(st, d, h) && advance_again(st, d, h) && !came_open(st, d);
  }
  return done;
}

// A step in which something hits: what goes on from before would bounce, so it is done again by
// BDF1, which ends where gaps close, and the velocity into them is taken away. Stops that yield do
// that themselves.
static bool stop_short(lb_stepper* st, lb_data* d, double h, bool impact) {
  if (!advance_again(st, d, h)) {
    return false;
  }
  if (impact) {
    lb_implicit_impact(st, d);
  }
  return true;
}

// One step of size h from d, without a past when `fresh`; false leaves d somewhere on the way.
static bool advance(lb_stepper* st, lb_data* d, double h, bool fresh) {
  const lb_model* m = st->m;
  lb_implicit* own = st->own;
  own->h = fresh ? 0 : own->h;
  const int reported = own->reported;
  if (!lb_implicit_detect(st, d, h)) {
    return false;
  }
  const bool goes_on = start(m, own, d, h) && !own->touches;
  const lb_scheme* scheme = own->touches                     ? &BDF1
                            : goes_on || !own->scheme->first ? own->scheme
                                                             : own->scheme->first;
  own->bounced = lb_implicit_bounces(st, d, h) ? h : 0;
  if (own->bounced > 0) {
    own->h = own->newton.dt = own->known = 0; // the next step has no past
    st->count++;
    return lb_implicit_bounce(st, d, h);
  }
  bool done =
      advance_stages(st, d, scheme, h) && !came_open(st, d) && meet_struck(st, d, h, reported);
  const bool impact = done && own->hit;
  const bool hit = impact || (done && own->meets && scheme != &BDF1 &&
                              lb_contacts_press_anew(d->work->contacts));
  if (hit) {
    take_back(own, reported);
    done = stop_short(st, d, h, impact);
  }
  if (!done) {
    own->h = own->newton.dt = 0;
    return false;
  }
  hold(own->qe, own->ve, m, d->q, d->qd);
  hold_muscles(own->xe, m, d->x);
  own->time = d->time;
  own->h = hit || own->touches ? 0 : h; // the next step has no past
  st->count++;
  return true;
}

// When Newton's method fails, the same way again in smaller steps, the first of them
// without a past.
static bool step(lb_stepper* st, lb_data* d, double h) {
  const double begin = d->time;
  lb_implicit* own = st->own;
  own->reported = 0;
  begin_rows(st, d);
  lb_constraints_save(d, own->was);
  if (advance(st, d, h, false)) {
    return true;
  }
  for (int parts = 4; parts <= MOST_PARTS; parts *= 4) {
    take_back(own, 0);
    lb_stepper_restart(st, d);
    lb_constraints_load(d, own->was);
    d->time = begin;
    bool ok = true;
    for (int i = 0; i < parts && ok; i++) {
      ok = advance(st, d, h / parts, i == 0);
    }
    if (ok) {
      return true;
    }
  }
  take_back(own, 0);
  return false;
}

// With all nodes there is no solving for accelerations at one moment; those of the last step are
// as good. At the start nothing is accelerated yet. A step with a bounce is another stepper's.
static void observe(lb_stepper* st, lb_data* d) {
  const lb_implicit* own = st->own;
  if (own->bounced > 0) {
    own->bounces->type->observe(own->bounces, d);
  } else if (own->algebra->observe) {
    own->algebra->observe(st, d);
  } else {
    lb_forward(st->m, d);
  }
}

static void renew(lb_stepper* st) {
  const lb_implicit* own = st->own;
  lb_implicit_forget(st);
  if (own->algebra->renew) {
    own->algebra->renew(st);
  }
  if (own->bounces) {
    own->bounces->type->renew(own->bounces);
  }
}

#define IMPLICIT(by, stages, far)                                                                  \
  {                                                                                                \
    .create = create, .release = release, .step = step, .observe = observe, .closes_loops = true,  \
    .finish = lb_implicit_finish, .scheme = &by, .derivative = &lb_derivative_stages,              \
    .records = stages, .reach = far, .renew = renew, .past_size = lb_implicit_place_size,          \
    .save_past = lb_implicit_save, .load_past = lb_implicit_load                                   \
  }
const lb_stepper_type lb_stepper_bdf1 = IMPLICIT(BDF1, 1, 15);
const lb_stepper_type lb_stepper_bdf2 = IMPLICIT(BDF2, 1, 8);
const lb_stepper_type lb_stepper_sdirk2 = IMPLICIT(SDIRK2, 2, 3);
