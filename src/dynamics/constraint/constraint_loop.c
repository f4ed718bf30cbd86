// Joints that close loops. One joins frame a on one link to frame b on another and forbids some of
// their relative motion, each direction a scalar equation:
//
//   translation along axis e of a:  c = e.(p_b - p_a)
//   rotation about axis e of a:     c = e.(rotation vector from a to b)
//   axes of a universal joint:      c = z_a.x_b
//
// The motion it leaves has coordinates, as a joint of the tree has them: for motors, springs,
// recordings and goals.
#include <math.h>

#include "dynamics/constraint/constraint_derivative.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"

typedef struct joint_type {
  bool forbidden[6]; // x, y, z of translation, then of rotation, z along the joint's axis
  bool square;       // its two axes stay at right angles
  bool rests;        // each coordinate has a rest of its own
  int nfree;
  void (*free)(const lb_pair* P, lb_constraint_row row[3]); // rows of its coordinates
} joint_type;

static void free_of_hinge(const lb_pair* P, lb_constraint_row row[3]) {
  row[0] = lb_pair_row(P, &lb_gap_angle, P->a.R.z, lb_pair_angle(P));
}

static void free_of_slide(const lb_pair* P, lb_constraint_row row[3]) {
  const lb_v4 z = P->a.R.z;
  row[0] = lb_pair_row(P, &lb_gap_shift, z, lb_v4_dot(z, P->b.p - P->a.p));
}

static void free_of_universal(const lb_pair* P, lb_constraint_row row[3]) {
  free_of_hinge(P, row);
  row[1] = lb_pair_row(P, &lb_gap_second_angle, P->b.R.x, lb_pair_second_angle(P));
}

static void free_of_ball(const lb_pair* P, lb_constraint_row row[3]) {
  const lb_v4 turn = lb_pair_rotation(P), axis[3] = {P->a.R.x, P->a.R.y, P->a.R.z};
  for (int k = 0; k < 3; k++) {
    row[k] = lb_pair_row(P, &lb_gap_turn, axis[k], lb_v4_dot(axis[k], turn));
  }
}

static const joint_type JOINTS[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = {{true, true, true, true, true, true}, false, false, 0, NULL},
    [LB_JOINT_REVOLUTE] = {{true, true, true, true, true, false}, false, true, 1, free_of_hinge},
    [LB_JOINT_PRISMATIC] = {{true, true, false, true, true, true}, false, true, 1, free_of_slide},
    [LB_JOINT_UNIVERSAL] = {{true, true, true}, true, true, 2, free_of_universal},
    [LB_JOINT_SPHERICAL] = {{true, true, true}, false, false, 3, free_of_ball},
};

// --- constraints ---

void lb_constraint_ask(lb_constraint_row* row, const double want[3]) {
  row->gap -= want[0];
  row->gap = row->type && row->type->periodic ? remainder(row->gap, 2 * M_PI) : row->gap;
  row->rate -= want[1];
  row->asked = want[1];
  row->acceleration -= want[2];
}

// Constraint of the motor on the one coordinate there is.
static void add_driven(const lb_model* m, lb_data* d, const lb_pair* P, int loop) {
  const int motor = m->constraint.loop_motor[loop];
  lb_constraint_row row[3];
  double want[3];
  if (motor >= 0) {
    lb_motor_evaluate(m, d, motor, want);
    JOINTS[m->constraint.loop[loop].kind].free(P, row);
    row->motor = motor;
    lb_constraint_ask(row, want);
    lb_constraint_add(d->work->constraints, row);
  }
}

static void add(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_constraints* L = d->work->constraints;
  const joint_type* J = &JOINTS[m->constraint.loop[c->part].kind];
  lb_pair P;
  lb_constraint_pair(&P, d, (int)(c - m->constraint.item));
  const lb_v4 axis[3] = {P.a.R.x, P.a.R.y, P.a.R.z};
  const bool tilts = J->forbidden[3] && !J->forbidden[5];
  const lb_gap_type* type[2] = {&lb_gap_shift, tilts ? &lb_gap_tilt : &lb_gap_turn};
  const lb_v4 gap[2] = {P.b.p - P.a.p, tilts             ? lb_pair_tilt(&P)
                                       : J->forbidden[3] ? lb_pair_rotation(&P)
                                                         : lb_v4_zero()};
  add_driven(m, d, &P, c->part);
  for (int k = 0; k < 6; k++) {
    if (J->forbidden[k]) {
      const lb_v4 e = axis[k % 3];
      lb_constraint_row* row = lb_constraint_next(L, k < 3 ? 0 : LB_ROW_TURNS);
      if (row) {
        lb_pair_fill_row(row, &P, type[k / 3], e, lb_v4_dot(e, gap[k / 3]));
      }
    }
  }
  if (J->square) {
    const lb_constraint_row row =
        lb_pair_row(&P, &lb_gap_square, lb_v4_cross(P.b.R.x, P.a.R.z), lb_v4_dot(P.a.R.z, P.b.R.x));
    lb_constraint_add(L, &row);
  }
}

static int rows_of(const lb_model* m, const lb_model_constraint* c) {
  const joint_type* J = &JOINTS[m->constraint.loop[c->part].kind];
  int count = (m->constraint.loop_motor[c->part] >= 0) + J->square;
  for (int k = 0; k < 6; k++) {
    count += J->forbidden[k];
  }
  return count;
}

const lb_constraint_type lb_constraint_type_joint = {rows_of, add};

// --- coordinates ---

int lb_loop_free_rows(const lb_model* m, const lb_pair* P, int i, lb_constraint_row row[3]) {
  const joint_type* J = &JOINTS[m->constraint.loop[i].kind];
  if (J->free) {
    J->free(P, row);
  }
  return J->nfree;
}

double lb_loop_stretch(const lb_scene_joint* j, const lb_constraint_row* row, int k) {
  const double from = JOINTS[j->kind].rests ? row->gap - j->rest[k] : row->gap;
  return row->type->periodic ? remainder(from, 2 * M_PI) : from;
}

// Velocities of a ball are along the axes of b.
static int coordinate_rows(const lb_model* m, const lb_pair* P, int i, lb_constraint_row row[3]) {
  const int n = lb_loop_free_rows(m, P, i, row);
  const lb_v4 axis[3] = {P->b.R.x, P->b.R.y, P->b.R.z};
  for (int k = 0; k < n && n == 3; k++) {
    row[k] = lb_pair_row(P, &lb_gap_body_axis, axis[k], 0);
  }
  return n;
}

int lb_loop_coordinates(const lb_model* m, const lb_data* d, int i, double* q, double* qd) {
  lb_pair P;
  lb_constraint_pair(&P, d, i);
  lb_constraint_row row[3];
  const int n = coordinate_rows(m, &P, i, row);
  for (int k = 0; k < n; k++) {
    q[k] = row[k].gap;
    qd[k] = row[k].rate;
  }
  if (n == 3) {
    const lb_m3 R = lb_m3_mul(lb_m3_transpose(P.a.R), P.b.R);
    const lb_quat r = lb_quat_from_matrix(lb_m3_mat3(R));
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
  return n;
}

int lb_loop_differentiate_coordinates(const lb_derivatives* D, const lb_data* d, int i, double* q_q,
                                      double* qd_q, double* qd_qd) {
  const int nv = D->model->nv;
  const lb_pair_derivative L = lb_pair_differentiate(D, d, i);
  lb_constraint_row row[3];
  const int n = coordinate_rows(D->model, &L.P, i, row);
  for (int k = 0; k < n * nv; k++) {
    q_q[k] = qd_q[k] = qd_qd[k] = 0;
  }
  for (int j = 0; j < n; j++) {
    lb_gap_differentiate(&L, &row[j], q_q + j * nv, qd_q + j * nv, qd_qd + j * nv);
  }
  return n;
}
