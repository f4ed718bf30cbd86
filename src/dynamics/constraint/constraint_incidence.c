// Points on lines and planes of another body. Frame a sits on the line or plane with its z axis
// along the line, or at right angles to the plane; frame b sits at the point. With d = p_b - p_a
// and the axes x, y, z of a,
//
//   line:   x.d = 0, y.d = 0
//   plane:  z.d = 0
//
// Where an axis of the point's body is to stay along z, too, tilt(z_a, z_b) has no part along x and
// y: then a line is a cylindrical joint, and a plane one in which bodies slide and turn.
#include "dynamics/constraint/constraint_rows.h"

typedef struct incidence {
  int first, end; // axes of a along which the point does not move
} incidence;

static const incidence LINE = {0, 2}, PLANE = {2, 3};
enum { TILTS = 2 };

static const incidence* incidence_of(const lb_model_constraint* c) {
  return c->kind == LB_CONSTRAINT_LINE ? &LINE : &PLANE;
}

static void add(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_constraints* L = d->work->constraints;
  const incidence* on = incidence_of(c);
  lb_pair P;
  lb_constraint_pair(&P, d, (int)(c - m->constraint.item));
  const lb_v4 axis[3] = {P.a.R.x, P.a.R.y, P.a.R.z}, apart = P.b.p - P.a.p;
  for (int k = on->first; k < on->end; k++) {
    const lb_constraint_row row =
        lb_pair_row(&P, &lb_gap_shift, axis[k], lb_v4_dot(axis[k], apart));
    lb_constraint_add(L, &row);
  }
  for (int k = 0; k < TILTS && c->aligned; k++) {
    const double gap = lb_v4_dot(axis[k], lb_pair_tilt(&P));
    const lb_constraint_row row = lb_pair_row(&P, &lb_gap_tilt, axis[k], gap);
    lb_constraint_add(L, &row);
  }
}

static int rows_of(const lb_model* m, const lb_model_constraint* c) {
  const incidence* on = incidence_of(c);
  (void)m;
  return on->end - on->first + (c->aligned ? TILTS : 0);
}

const lb_constraint_type lb_constraint_type_line = {rows_of, add};
const lb_constraint_type lb_constraint_type_plane = {rows_of, add};
