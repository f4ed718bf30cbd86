// Linear couplings of coordinates, sum of factor times coordinate: gears, couplings, limits, and
// motors on one coordinate of several.
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"

static int most(const lb_model* m) {
  return m->ncoupling;
}

static double sum(const lb_model* m, const lb_model_coupling* r, const double* x,
                  bool velocity_level) {
  double value = 0;
  for (int i = r->first; i < r->first + r->count; i++) {
    value += m->term[i].factor * x[velocity_level ? m->term[i].v : m->term[i].q];
  }
  return value;
}

static void add(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->ncoupling; i++) {
    const lb_model_coupling* r = &m->coupling[i];
    double value[3] = {r->value, 0, 0};
    if (r->eliminated && d->work->constraints->eliminated) {
      d->work->constraints->ncontact += r->unilateral; // others keep their numbers
      continue;
    }
    if (r->motor >= 0) {
      lb_motor_evaluate(m, d, r->motor, value);
    } else {
      lb_path_target(r->path, r->velocity_level, d->time, value);
    }
    const double gap = r->velocity_level ? 0 : sum(m, r, d->q, false) - value[0];
    lb_constraint_add(d->work->constraints,
                      (lb_constraint){.coupling = i,
                                      .sign = r->sign,
                                      .motor = r->motor,
                                      .unilateral = r->unilateral,
                                      .rate_only = r->velocity_level,
                                      .kind = LB_GAP_COUPLING,
                                      .c = r->sign * gap,
                                      .cd = r->sign * (sum(m, r, d->qd, true) - value[1]),
                                      .cdd = r->sign * (sum(m, r, d->qdd, true) - value[2])});
  }
}

void lb_coupling_row(const lb_model* m, int coupling, double scale, bool all, double* out) {
  const lb_model_coupling* r = &m->coupling[coupling];
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->term[i];
    if (all || !m->v_driven[t->v]) {
      out[t->v] += scale * t->factor;
    }
  }
}

const lb_constraint_type lb_constraint_type_coupling = {most, add};
