// Rods and ropes of fixed length: the distance of two points of two bodies. With d the way from the
// one to the other as seen from the first body, l its length and u = d / l,
//
//   c = l - L,   e = u,   de = (x - u u.x) / l
//
// for a motion x of the second point. A rope is unilateral, c = L - l >= 0, and all signs change.
#include <math.h>

#include "dynamics/constraint/constraint_rows.h"

typedef struct span {
  double length;
  lb_v4 u;
} span;

static span find_span(const lb_pair* P) {
  const lb_v4 d = P->b.p - P->a.p;
  const double length = sqrt(lb_v4_dot(d, d));
  return (span){length, length > 0 ? d * (1 / length) : P->a.R.x};
}

// e = u, or -u of a rope.
static double sense(const span* s, const lb_constraint_row* r) {
  return lb_v4_dot(s->u, r->e) > 0 ? 1 : -1;
}

static lb_v4 turn(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  const span s = find_span(P);
  return (x.v - s.u * lb_v4_dot(s.u, x.v)) * (sense(&s, r) / s.length);
}

// With w = du for x: -(w u.y + u w.y) / l, and what l does.
static lb_v4 turn_again(const lb_pair* P, const lb_constraint_row* r, lb_motion x, lb_motion y) {
  const span s = find_span(P);
  const lb_v4 w = (x.v - s.u * lb_v4_dot(s.u, x.v)) * (1 / s.length);
  const lb_v4 bend = w * lb_v4_dot(s.u, y.v) + s.u * lb_v4_dot(w, y.v);
  return bend * (-sense(&s, r) / s.length) - turn(P, r, y) * (lb_v4_dot(s.u, x.v) / s.length);
}

static const lb_gap_type DISTANCE = {.turn = turn, .turn_again = turn_again};

static void add(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_pair P;
  lb_constraint_pair(&P, d, (int)(c - m->constraint.item));
  const span s = find_span(&P);
  const double sign = c->unilateral ? -1 : 1;
  lb_constraint_row row = lb_pair_row(&P, &DISTANCE, s.u * sign, sign * (s.length - c->value));
  row.unilateral = c->unilateral;
  lb_constraint_add(d->work->constraints, &row);
}

const lb_constraint_type lb_constraint_type_distance = {lb_constraint_one_row, add};
