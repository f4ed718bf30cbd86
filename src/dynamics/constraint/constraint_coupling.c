// Couplings of coordinates, c = sum of factor times f(q) less a value: gears, racks, limits, motors
// on one coordinate of several. f is the coordinate itself, or the profile of a cam; then
//
//   cdot = sum of s qd,   cddot = sum of s qdd + b qd^2,   s = factor f',   b = factor f\'\'
//
// A ratchet is unilateral, c >= 0 with the last tooth that was passed for its value: that is kept
// from step to step.
#include <math.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"
#include "math/curve/time_profile.h"

// A term's value and its first two derivatives by its coordinate.
static void evaluate_term(const lb_model_term* t, const double* q, double f[3]) {
  f[0] = q[t->q];
  f[1] = 1;
  f[2] = 0;
  if (t->curve) {
    lb_profile_evaluate(t->curve, q[t->q], f);
  }
  for (int k = 0; k < 3; k++) {
    f[k] *= t->factor;
  }
}

// Sum, its rate and acceleration; the terms' slopes.
static void evaluate(const lb_model* m, const lb_model_coupling* r, const lb_data* d, double* slope,
                     double sum[3]) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->constraint.term[i];
    const double rate = d->qd[t->v];
    double f[3];
    evaluate_term(t, d->q, f);
    slope[i] = f[1];
    sum[0] += f[0];
    sum[1] += f[1] * rate;
    sum[2] += f[1] * d->qdd[t->v] + f[2] * rate * rate;
  }
}

// --- ratchets ---

// The tooth at or below a sum.
static double tooth_of(const lb_model_coupling* r, double sum) {
  static const double NEAR = 1e-9; // of the pitch: on a tooth but for rounding
  return r->pitch > 0 ? floor(sum / r->pitch + NEAR) * r->pitch : sum;
}

void lb_constraints_latch(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->constraint.ncoupling && m->constraint.nratchet > 0; i++) {
    const lb_model_coupling* r = &m->constraint.coupling[i];
    lb_constraints* L = d->work->constraints;
    double sum[3];
    if (r->ratchet) {
      evaluate(m, r, d, L->slope, sum);
      const double tooth = tooth_of(r, sum[0]);
      L->state.latch[i] = L->state.latch[i] >= tooth ? L->state.latch[i] : tooth;
    }
  }
}

void lb_constraints_relatch(const lb_model* m, lb_data* d) {
  if (m->constraint.nratchet > 0) {
    lb_constraints_unlatch(m, d->work->constraints);
    lb_constraints_latch(m, d);
  }
}

// --- rows ---

static void find_target(const lb_model* m, const lb_data* d, const lb_model_coupling* r, double sum,
                        double want[3]) {
  const double latch = d->work->constraints->state.latch[r - m->constraint.coupling];
  if (r->motor >= 0) {
    lb_motor_evaluate(m, d, r->motor, want);
  } else if (r->ratchet) {
    want[0] = isnan(latch) ? tooth_of(r, sum) : latch;
  } else {
    lb_path_target(r->path, r->velocity_level, d->time, want);
  }
}

static void add(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_constraints* L = d->work->constraints;
  const lb_model_coupling* r = &m->constraint.coupling[c->part];
  double want[3] = {r->value, 0, 0}, sum[3];
  if (r->eliminated && L->set & LB_SET_REDUCED) {
    L->ncontact += r->unilateral; // others keep their numbers
    return;
  }
  evaluate(m, r, d, L->slope, sum);
  find_target(m, d, r, sum[0], want);
  lb_constraint_add(
      L, &(lb_constraint_row){.coupling = c->part,
                              .sign = r->sign,
                              .motor = r->motor,
                              .unilateral = r->unilateral,
                              .velocity_level = r->velocity_level,
                              .gap = r->velocity_level ? 0 : r->sign * (sum[0] - want[0]),
                              .asked = r->sign * want[1],
                              .rate = r->sign * (sum[1] - want[1]),
                              .acceleration = r->sign * (sum[2] - want[2])});
}

void lb_coupling_row(const lb_model* m, const lb_data* d, int coupling, double scale, bool all,
                     double* out) {
  const lb_model_coupling* r = &m->constraint.coupling[coupling];
  const double* slope = d->work->constraints->slope;
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->constraint.term[i];
    if (all || !m->dof.driven[t->v]) {
      out[t->v] += scale * slope[i];
    }
  }
}

void lb_coupling_bend(const lb_model* m, const lb_data* d, int coupling, const lb_term_bend* by) {
  const lb_model_coupling* r = &m->constraint.coupling[coupling];
  for (int i = r->first; i < r->first + r->count && r->bends; i++) {
    const lb_model_term* t = &m->constraint.term[i];
    const double rate = d->qd[t->v];
    double f[3];
    evaluate_term(t, d->q, f);
    const double third = t->curve ? t->factor * lb_profile_third(t->curve, d->q[t->q]) : 0;
    if (by->force_q) {
      by->force_q[(size_t)t->v * ((size_t)m->nv + 1)] += by->scale * f[2];
    }
    if (by->rate_q) {
      by->rate_q[t->v] += by->scale * f[2] * rate;
    }
    if (by->acceleration_q) {
      by->acceleration_q[t->v] += by->scale * (f[2] * d->qdd[t->v] + third * rate * rate);
      by->acceleration_v[t->v] += by->scale * 2 * f[2] * rate;
    }
  }
}

const lb_constraint_type lb_constraint_type_couple = {lb_constraint_one_row, add};
