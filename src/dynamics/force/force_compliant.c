// Compliant constraints: each row is a spring and damper along its gap c,
//
//   lambda = -(kp c + kd cdot)                                          [auto] eq. 1 to 3
//
// with kp and kd of the constraint. On two frames it acts at one point, b's origin, on both links,
// so that forces a gap apart make no moment. Implicit steps take it at the end of a stage. Linearly
// implicit ones take it there to first order, which for the impulse h lambda is
//
//   J v1 + a lambda = -a kp c - a kd (cdot - J v0),   a = 1 / (h kp + kd)
//
// c and cdot with targets of the step's end: a on the diagonal of J Minv J', as in [auto] eq. 4
// and 5.
//
// A unilateral one, c >= 0, has max(0, lambda) where c < 0, and nothing where c > 0: its damper
// never pulls, and is not felt before something is met. Steps that can solve for it
// (contact_constraints.c).
#include <math.h>

#include "dynamics/constraint/constraint_derivative.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/motor_use.h"

static int count(const lb_model* m) {
  return m->constraint.ncompliant;
}

// Stiffness and damping of a row as they act: those of a unilateral one while something is pressed
// in, and while that does not pull. Where steps solve for it, it is not here that it acts.
static lb_compliance acting(const lb_model* m, const lb_constraint_row* row) {
  const lb_compliance by = *lb_row_compliance(m, row);
  const bool pushes = row->gap < 0 && by.stiffness * row->gap + by.damping * row->rate < 0;
  return !row->unilateral || (pushes && !m->solves_bounds) ? by : (lb_compliance){0};
}

static double multiplier(const lb_model* m, const lb_constraint_row* row) {
  const lb_compliance by = acting(m, row);
  return -(by.stiffness * row->gap + by.damping * row->rate);
}

// Multipliers, and those of the last step where that solved for them.
static void fill_multipliers(const lb_model* m, const lb_data* d, const lb_compliant_rows* C) {
  for (int i = 0, n = lb_servos_as_rows(m); i < C->count; i++) {
    if (C->row[i].unilateral && m->solves_bounds) {
      C->force[i] = lb_contacts_bounded_force(d->work->contacts, n++);
    } else if (!C->given) {
      C->force[i] = multiplier(m, &C->row[i]);
    }
  }
}

static void apply(const lb_model* m, lb_data* d) {
  lb_compliant_rows* C = &d->work->constraints->compliant;
  lb_constraint_rows_fill_compliant(m, d);
  fill_multipliers(m, d, C);
  for (int i = 0; i < C->count; i++) {
    const lb_constraint_row* r = &C->row[i];
    C->rate[i] = r->rate;
    if (r->coupling >= 0) {
      d->coupling_force[r->coupling] = r->sign * C->force[i];
    }
    lb_constraint_row_push(m, d, r, C->force[i]);
  }
}

// The gap at the end is c + h J v1, but for what is of second order: with a large stiffness the
// force is that of this gap and not of the one that is there.
void lb_compliant_hold(const lb_model* m, lb_data* d, const double* q0, const double* v1,
                       double h) {
  lb_compliant_rows* C = &d->work->constraints->compliant;
  double *q = d->q, *qd = d->qd;
  d->q = (double*)q0;
  d->qd = (double*)v1;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill_compliant(m, d);
  d->q = q;
  d->qd = qd;
  for (int i = 0; i < C->count; i++) {
    lb_constraint_row end = C->row[i];
    end.gap += h * (end.rate + end.asked);
    C->force[i] = multiplier(m, &end);
  }
  C->given = true;
}

void lb_compliant_free(lb_data* d) {
  d->work->constraints->compliant.given = false;
}

double lb_compliant_gap(const lb_model* m, lb_data* d) {
  double widest = 0;
  if (m->constraint.ncompliant > 0) {
    const lb_compliant_rows* C = &d->work->constraints->compliant;
    lb_kinematics(m, d, d->q, d->qd);
    lb_constraint_rows_fill_compliant(m, d);
    for (int i = 0; i < C->count; i++) {
      const double gap = C->row[i].gap;
      widest = fmax(widest, C->row[i].unilateral ? -gap : fabs(gap));
    }
  }
  return widest;
}

static double energy(const lb_model* m, lb_data* d) {
  const lb_compliant_rows* C = &d->work->constraints->compliant;
  double sum = 0;
  lb_constraint_rows_fill_compliant(m, d);
  for (int i = 0; i < C->count; i++) {
    const bool open = C->row[i].unilateral && C->row[i].gap > 0;
    sum += open ? 0
                : 0.5 * lb_row_compliance(m, &C->row[i])->stiffness * C->row[i].gap * C->row[i].gap;
  }
  return sum;
}

// --- derivatives ---

// Rows from i on of the same constraint: the first after them.
static int end_of(const lb_compliant_rows* C, int i) {
  int end = i + 1;
  while (end < C->count && C->row[end].constraint == C->row[i].constraint) {
    end++;
  }
  return end;
}

static void differentiate_pair(lb_derivatives* D, lb_data* d, const lb_compliant_rows* C, int first,
                               int end) {
  for (int by_rate = 0; by_rate < 2; by_rate++) {
    lb_motion F = lb_motion_zero();
    lb_pair_derivative L = lb_pair_differentiate(D, d, C->row[first].constraint);
    lb_pair_fill_turn(&L.P);
    for (int k = first; k < end; k++) {
      const lb_constraint_row* row = &C->row[k];
      const lb_compliance by = acting(D->model, row);
      const double lambda = multiplier(D->model, row);
      *(row->turns ? &F.w : &F.v) += row->e * lambda;
      lb_row_spring_differentiate(&L, row, (lb_row_spring){by.stiffness, by.damping, -lambda},
                                  by_rate);
    }
    lb_pair_push(D, by_rate ? D->tau_qd : D->tau_q, &L, by_rate ? lb_motion_zero() : F);
  }
}

static void stiffen_pair(lb_derivatives* D, lb_data* d, const lb_compliant_rows* C, int first,
                         int end) {
  for (int side = 0; side < 2; side++) {
    const lb_pair_derivative L = lb_pair_differentiate(D, d, C->row[first].constraint);
    for (int k = first; k < end; k++) {
      const lb_compliance by = acting(D->model, &C->row[k]);
      lb_row_spring_stiffen(&L, &C->row[k], side ? by.damping : by.stiffness);
    }
    lb_pair_push(D, side ? D->tau_qd : D->tau_q, &L, lb_motion_zero());
  }
}

// J'J of a coupling, with its stiffness and damping; and how its slopes change, unless `symmetric`.
static void differentiate_coupling(lb_derivatives* D, lb_data* d, const lb_constraint_row* row,
                                   bool symmetric) {
  const lb_model* m = D->model;
  const lb_model_coupling* r = &m->constraint.coupling[row->coupling];
  const lb_compliance by = acting(m, row);
  const double* slope = d->work->constraints->slope;
  for (int i = r->first; i < r->first + r->count; i++) {
    const size_t at = (size_t)m->constraint.term[i].v * (size_t)m->nv;
    lb_coupling_row(m, d, row->coupling, slope[i] * by.stiffness, true, D->tau_q + at);
    lb_coupling_row(m, d, row->coupling, slope[i] * by.damping, true, D->tau_qd + at);
    if (!symmetric) {
      lb_coupling_bend(m, d, row->coupling,
                       &(lb_term_bend){.scale = slope[i] * by.damping, .rate_q = D->tau_q + at});
    }
  }
  if (!symmetric) {
    lb_coupling_bend(m, d, row->coupling,
                     &(lb_term_bend){.scale = -multiplier(m, row), .force_q = D->tau_q});
  }
}

static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_compliant_rows* C = &d->work->constraints->compliant;
  lb_constraint_rows_fill_compliant(d->model, d);
  for (int i = 0, end = 0; i < C->count; i = end) {
    end = end_of(C, i);
    if (!C->row[i].type) {
      differentiate_coupling(D, d, &C->row[i], symmetric);
    } else {
      (symmetric ? stiffen_pair : differentiate_pair)(D, d, C, i, end);
    }
  }
}

// The gap of a unilateral one, and its force while something is pressed in.
static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
  const lb_compliant_rows* C = out ? &d->work->constraints->compliant : NULL;
  if (C) {
    lb_constraint_rows_fill_compliant(m, d);
  }
  for (int i = 0, n = 0; C && i < C->count; i++) {
    const lb_constraint_row* r = &C->row[i];
    const lb_compliance* by = lb_row_compliance(m, r);
    if (r->unilateral) {
      out[n++] = lb_switching_sign(r->gap);
      out[n++] = r->gap < 0 ? lb_switching_sign(by->stiffness * r->gap + by->damping * r->rate)
                            : lb_switching_smooth(0);
    }
  }
  return 2 * m->constraint.nbound;
}

const lb_force lb_force_compliant = {.name = "compliant constraint",
                                     .count = count,
                                     .apply = apply,
                                     .energy = energy,
                                     .differentiate = differentiate,
                                     .switching = switching,
                                     .on_links = true,
                                     .stiff = true,
                                     .on_joints = true};
