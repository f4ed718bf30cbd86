// Newton's method of an implicit stage (implicit.c): corrections with a matrix that is kept as long
// as these fall, and an estimate of what is still to come, by which it stops.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_set.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "solve/implicit/implicit.h"

enum {
  SLOW_ITERATIONS = 8, // more than this ask for a new matrix,
  MOST_ITERATIONS = 12 // more with that for exact ones
};

// Rounding of very stiff forces puts a floor under the corrections: with a matrix of this stage,
// one that no longer falls is as good as converged at this many times the tolerance.
static const double ROUGH = 100;

// Rates of what is new in corrections differ by about this from one stage to the next.
static const double UNSTEADY = 5;

// Corrections that fall by more than this do so once, by luck.
static const double LEAST = 1e-3;

// A matrix for where the step is thought to end, rather than for its start: forces of slender
// bodies change much faster than the bodies move.
static bool renew(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* own = st->own;
  own->newton.rate = INFINITY;
  own->newton.age = 0;
  lb_reach(st->m, d->q, own->qh, d->qd, dt);
  lb_drive(st->m, d);
  st->matrices++;
  return own->algebra->make(st, d, dt);
}

// Rounding of the constraints' targets gap / dt, that of places x over dt: in the measure of
// corrections a few times sqrt(sum of m x^2) eps / dt. Steps that are very short get no further.
static double rounding_of(const lb_model* m, const lb_data* d, double dt) {
  static const double FEW = 16;
  double sum = 0;
  for (int i = 0; i < m->nlink && d->work->constraints; i++) {
    const lb_v4 p = d->work->state[i].p;
    const lb_m3 I0 = m->link.packed[i].I0;
    sum += m->link.packed[i].m * lb_v4_dot(p, p) + I0.x[0] + I0.y[1] + I0.z[2];
  }
  return FEW * DBL_EPSILON * sqrt(sum) / dt;
}

// Convergence rate: the next correction over this one, which is `fall` of the one before (0: there
// was none). What earlier ones predict of it (anderson.h) is taken away but for how matrices
// change, which is at most twice `fall`; of what is new in it the next one is about
// own->newton.rate. The ratio of whole corrections alone would say little: guesses err alike from
// step to step, so that most of the first is predicted and not much of the second. Where nothing
// is, the rate is the matrix's and steady.
static double shrinking(const lb_implicit* own, double fall) {
  const double predicted = fall > 0 ? fmax(LEAST, 2 * fall) : 0;
  const double new = (own->newton.news < 1 ? UNSTEADY * own->newton.news : 1) * own->newton.rate;
  return fmin(0.99, fmax(predicted, new));
}

// See what `change` is of the news in the one before. By itself the first such pair of a new matrix
// shows too good a rate.
static void see_rate(lb_implicit* own, double change, double news_before) {
  const double seen = change / news_before, first = own->newton.news < 1 ? seen : 2 * seen;
  const double rate = isfinite(own->newton.rate) ? fmax(0.3 * own->newton.rate, seen) : first;
  own->newton.rate = fmin(1, fmax(DBL_EPSILON, rate)); // not 0, which would not age
}

// Convergence: corrections still to come after `change` add up to about change * r / (1 - r).
static bool is_done(const lb_implicit* own, double change, double before) {
  const double enough = own->newton.tolerance * fmax(LB_IMPLICIT_STILL, own->newton.speed);
  const double r = shrinking(own, change / before);
  return change <= enough || change * r <= (1 - r) * enough ||
         (change <= own->newton.rounding && change > 0.5 * before) ||
         (own->newton.fresh && change <= ROUGH * enough && change > 0.9 * before);
}

// Convergence by the residual, in the authors' measure (lb_implicit_stop_at).
static bool is_left_alone(const lb_stepper* st, lb_data* d, double dt) {
  const lb_implicit* own = st->own;
  lb_implicit_residual(st, d, dt);
  return dt * dt * sqrt(lb_dot(st->m->nv, own->r, own->r)) < own->newton.residual;
}

// Convergence rate of a new matrix says nothing of the predictor's later, and that of exact ones
// nothing of the last once it is kept.
static void forget_rate(lb_implicit* own, bool exact) {
  own->newton.rate = exact                                       ? INFINITY
                     : own->newton.fresh && own->newton.news < 1 ? 1
                                                                 : own->newton.rate;
}

// Outcome of Newton's method.
typedef enum outcome { CONVERGED, SLOW, ASTRAY } outcome;

// Correct the velocities, at most so many times; with exact matrices, a new one for every second
// correction, or for every one where the scene wants that.
static outcome iterate(lb_stepper* st, lb_data* d, double dt, int most, bool exact) {
  lb_implicit* own = st->own;
  const int age = st->solver.newton == LB_NEWTON_EXACT ? 1 : 2;
  // seen again by the next second iteration; of exact matrices nothing is known before
  own->newton.rate = exact ? INFINITY : own->algebra->ageing * own->newton.rate;
  double before = INFINITY, news_before = INFINITY;
  for (int i = 1; i <= most; i++) {
    if (exact && (i - 1) % age == 0 && !lb_implicit_make_exact(st, d, dt)) {
      return ASTRAY;
    }
    lb_implicit_residual(st, d, dt);
    lb_implicit_look(st, d, dt);
    st->iterations++;
    double change = lb_implicit_correct(st, d, dt);
    if (own->meets) {
      change = fmax(change, lb_implicit_meet(st, d, dt));
    }
    if (!isfinite(change) || (change > 2 * before && change > own->newton.rounding)) {
      return ASTRAY;
    }
    if (i > 1) {
      see_rate(own, change, news_before);
    }
    if (own->newton.residual > 0 ? is_left_alone(st, d, dt) : is_done(own, change, before)) {
      own->newton.slow = i > own->algebra->patience;
      forget_rate(own, exact);
      return CONVERGED;
    }
    before = change;
    news_before = own->newton.news * change;
  }
  return SLOW;
}

// Remember the multipliers, or go back to those remembered.
static void hold_multipliers(const lb_stepper* st, lb_data* d, bool back) {
  lb_implicit* own = st->own;
  const size_t size = (size_t)own->rows * sizeof *own->lambda;
  if (back && d->work->contacts) {
    lb_contacts_restart_bounded(d->work->contacts, d);
  }
  memcpy(back ? own->lambda : own->held, back ? own->held : own->lambda, size);
  lb_anderson_restart(&own->anderson);
}

// A matrix that is factored in an order of another pose may lose digits, and corrections then stop
// falling far above rounding. True where the next one has an order of its own.
static bool reorder(lb_stepper* st, bool* reordered) {
  const lb_implicit* own = st->own;
  const bool can = own->algebra->renew && !*reordered;
  if (can) {
    own->algebra->renew(st);
    *reordered = true;
  }
  return can;
}

// The velocities of the step's end: from the guess with the matrix at hand, with a new one, that
// one in another order, and with exact ones. Where iterations were merely slow the next try goes on
// from there; where they went astray it starts again from the velocities that the step began with:
// where all of them are exact, once more.
bool lb_implicit_newton(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* own = st->own;
  own->newton.rounding = rounding_of(st->m, d, dt);
  hold_multipliers(st, d, false);
  outcome found = SLOW;
  const bool exact = st->solver.newton == LB_NEWTON_EXACT && !own->touches;
  const int first =
      exact ? 2
            : own->newton.dt != dt || own->newton.slow || ++own->newton.age > own->algebra->lasts;
  const int last = own->touches ? 2 : 3; // contacts are solved with the algebra's matrix
  bool reordered = false;
  for (int attempt = first; attempt < last + (exact && found == ASTRAY) && found != CONVERGED;
       attempt++) {
    if (found == ASTRAY) {
      memcpy(d->qd, own->v1, (size_t)st->m->nv * sizeof *d->qd);
      hold_multipliers(st, d, true);
    }
    const bool made = attempt != 1 || renew(st, d, dt);
    own->newton.fresh = attempt > 0;
    found = made ? iterate(st, d, dt, attempt ? MOST_ITERATIONS : SLOW_ITERATIONS, attempt >= 2)
                 : ASTRAY;
    attempt -= found != CONVERGED && attempt == 1 && reorder(st, &reordered);
  }
  return found == CONVERGED;
}
