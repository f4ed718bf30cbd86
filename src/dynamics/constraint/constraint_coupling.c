// Linear couplings of coordinates, sum of factor times coordinate: gears, couplings, limits, and
// motors on one coordinate of several.
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"

static double sum(const lb_model* m, const lb_model_coupling* r, const double* x,
                  bool velocity_level) {
  double value = 0;
  for (int i = r->first; i < r->first + r->count; i++) {
    value += m->constraint.term[i].factor *
             x[velocity_level ? m->constraint.term[i].v : m->constraint.term[i].q];
  }
  return value;
}

static void add(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_constraints* L = d->work->constraints;
  const lb_model_coupling* r = &m->constraint.coupling[c->part];
  double want[3] = {r->value, 0, 0};
  if (r->eliminated && L->set & LB_SET_REDUCED) {
    L->ncontact += r->unilateral; // others keep their numbers
    return;
  }
  if (r->motor >= 0) {
    lb_motor_evaluate(m, d, r->motor, want);
  } else {
    lb_path_target(r->path, r->velocity_level, d->time, want);
  }
  lb_constraint_add(L,
                    &(lb_constraint_row){
                        .coupling = c->part,
                        .sign = r->sign,
                        .motor = r->motor,
                        .unilateral = r->unilateral,
                        .velocity_level = r->velocity_level,
                        .gap = r->velocity_level ? 0 : r->sign * (sum(m, r, d->q, false) - want[0]),
                        .asked = r->sign * want[1],
                        .rate = r->sign * (sum(m, r, d->qd, true) - want[1]),
                        .acceleration = r->sign * (sum(m, r, d->qdd, true) - want[2])});
}

void lb_coupling_row(const lb_model* m, int coupling, double scale, bool all, double* out) {
  const lb_model_coupling* r = &m->constraint.coupling[coupling];
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->constraint.term[i];
    if (all || !m->dof.driven[t->v]) {
      out[t->v] += scale * t->factor;
    }
  }
}

const lb_constraint_type lb_constraint_type_couple = {lb_constraint_one_row, add};
