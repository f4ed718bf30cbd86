// Linear relations of coordinates, sum of factor times coordinate: gears, couplings, limits, and
// motors on one coordinate of several.
#include "dynamics/command.h"
#include "dynamics/row.h"

static int most(const lb_model* m) {
  return m->nrelation;
}

static double sum(const lb_model* m, const lb_model_relation* r, const double* x, bool rates) {
  double value = 0;
  for (int i = r->first; i < r->first + r->count; i++) {
    value += m->term[i].factor * x[rates ? m->term[i].v : m->term[i].q];
  }
  return value;
}

static void add(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nrelation; i++) {
    const lb_model_relation* r = &m->relation[i];
    double value[3] = {r->value, 0, 0};
    if (r->geared && d->work->loops->geared) {
      d->work->loops->ncontact += r->one_way; // others keep their numbers
      continue;
    }
    if (r->motor >= 0) {
      lb_motor_evaluate(m, d, r->motor, value);
    } else {
      lb_path_wish(r->path, r->rates, d->time, value);
    }
    const double gap = r->rates ? 0 : sum(m, r, d->q, false) - value[0];
    lb_row_add(d->work->loops, (lb_row){.relation = i,
                                        .sign = r->sign,
                                        .motor = r->motor,
                                        .one_way = r->one_way,
                                        .rate_only = r->rates,
                                        .kind = LB_GAP_RELATION,
                                        .c = r->sign * gap,
                                        .cd = r->sign * (sum(m, r, d->qd, true) - value[1]),
                                        .cdd = r->sign * (sum(m, r, d->qdd, true) - value[2])});
  }
}

void lb_relation_row(const lb_model* m, int relation, double scale, bool all, double* out) {
  const lb_model_relation* r = &m->relation[relation];
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->term[i];
    if (all || !m->v_driven[t->v]) {
      out[t->v] += scale * t->factor;
    }
  }
}

const lb_row_kind lb_rows_relation = {most, add};
