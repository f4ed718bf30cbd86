// Springs, dampers and force motors on joints that close loops.
#include "dynamics/constraint/constraint_derivative.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"

// Loops that something acts on beside their constraints.
static int loop_count(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->constraint.nloop; i++) {
    count += m->constraint.loop[i].resistance.stiffness != 0 ||
             m->constraint.loop[i].resistance.damping != 0;
  }
  for (int i = 0; i < m->nmotor; i++) {
    count += m->motor.loop[i] >= 0;
  }
  return count;
}

static bool is_sprung(const lb_scene_joint* j) {
  return j->resistance.stiffness > 0 || j->resistance.damping > 0;
}

static void add_along(lb_motion* F, const lb_constraint_row* row, double force) {
  *(row->turns ? &F->w : &F->v) += row->e * force;
}

// -sum e (stiffness stretch + damping rate) over the joint's coordinates.
static lb_motion spring_force(const lb_model* m, const lb_pair* P, int i, double stiffness,
                              double damping) {
  lb_motion F = lb_motion_zero();
  lb_constraint_row row[3];
  const int n = lb_loop_free_rows(m, P, i, row);
  for (int k = 0; k < n; k++) {
    const double stretch = lb_loop_stretch(&m->constraint.loop[i], &row[k], k);
    add_along(&F, &row[k], -(stiffness * stretch + damping * row[k].rate));
  }
  return F;
}

// Channels of a sprung loop joint's coordinates.
static void put_loop(lb_channel_walk* w, int i) {
  const lb_scene_joint* j = &w->m->constraint.loop[i];
  lb_constraint_row row[3] = {0};
  lb_pair P;
  const int n = lb_joint_count_v(j);
  if (w->value) {
    lb_constraint_pair(&P, w->d, i);
    lb_loop_free_rows(w->m, &P, i, row);
  }
  for (int k = 0; k < n; k++) {
    const double pull = w->value ? -(j->resistance.stiffness * lb_loop_stretch(j, &row[k], k) +
                                     j->resistance.damping * row[k].rate)
                                 : 0;
    const lb_channel_kind kind = lb_joint_counts(j, k) == LB_COORDINATE_ANGLE
                                     ? LB_CHANNEL_JOINT_TORQUE
                                     : LB_CHANNEL_JOINT_FORCE;
    if (n > 1) {
      lb_channel_put(w, j->name, kind, pull, "spring%d", k);
    } else {
      lb_channel_put(w, j->name, kind, pull, "spring");
    }
  }
}

static void loop_measure(lb_channel_walk* w) {
  for (int i = 0; i < w->m->constraint.nloop; i++) {
    if (is_sprung(&w->m->constraint.loop[i])) {
      put_loop(w, i);
    }
  }
}

static lb_motion spring_of(const lb_model* m, const lb_pair* P, int i) {
  return spring_force(m, P, i, m->constraint.loop[i].resistance.stiffness,
                      m->constraint.loop[i].resistance.damping);
}

// Derivative by a number: the wrench is linear in stiffness and damping; a rest acts along its axis
// with the stiffness.
static lb_motion spring_slope(const lb_model* m, const lb_pair* P, int i, lb_spring_number number,
                              int k) {
  if (number != LB_SPRING_REST) {
    return spring_force(m, P, i, number == LB_SPRING_STIFFNESS, number == LB_SPRING_DAMPING);
  }
  lb_motion F = lb_motion_zero();
  lb_constraint_row row[3];
  lb_loop_free_rows(m, P, i, row);
  add_along(&F, &row[k], m->constraint.loop[i].resistance.stiffness);
  return F;
}

static lb_motion motor_unit(const lb_model* m, const lb_pair* P, int motor) {
  lb_motion F = lb_motion_zero();
  lb_constraint_row row[3];
  lb_loop_free_rows(m, P, m->motor.loop[motor], row);
  add_along(&F, row, 1);
  return F;
}

// A force at b's origin on b's link, and its opposite on a's.
static void push_pair(lb_data* d, const lb_pair* P, lb_motion F) {
  lb_link_add_wrench(d->work, P->b.link, P->b.p, F.w, F.v);
  lb_link_add_wrench(d->work, P->a.link, P->b.p, -F.w, -F.v);
}

void lb_loop_apply_motor(const lb_model* m, lb_data* d, int i, double force) {
  lb_pair P;
  lb_constraint_pair(&P, d, m->motor.loop[i]);
  push_pair(d, &P, lb_motion_scale(force, motor_unit(m, &P, i)));
}

static bool pushes(const lb_model* m, int motor) {
  return m->motor.loop[motor] >= 0 && m->motor.drive[motor] == LB_DRIVE_FORCE;
}

// A servo pushes, too, but elsewhere (servo.h).
static bool acts(const lb_model* m, int motor) {
  return pushes(m, motor) || (m->motor.loop[motor] >= 0 && m->motor.drive[motor] == LB_DRIVE_SERVO);
}

lb_motion lb_loop_wrench(const lb_model* m, const lb_data* d, int i) {
  const lb_constraints* L = d->work->constraints;
  lb_pair P;
  lb_constraint_pair(&P, d, i);
  lb_motion F = i < m->constraint.nloop ? spring_of(m, &P, i) : lb_motion_zero();
  for (int k = 0; k < L->nrow; k++) {
    if (L->row[k].constraint == i) {
      add_along(&F, &L->row[k], L->x[k]);
    }
  }
  for (int k = 0; k < L->compliant.count; k++) {
    if (L->compliant.row[k].constraint == i) {
      add_along(&F, &L->compliant.row[k], L->compliant.force[k]);
    }
  }
  for (int k = 0; k < m->nmotor; k++) {
    if (acts(m, k) && m->motor.loop[k] == i) {
      const lb_motion unit = motor_unit(m, &P, k);
      F.w += unit.w * d->motor_force[k];
      F.v += unit.v * d->motor_force[k];
    }
  }
  return F;
}

static void loop_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->constraint.nloop; i++) {
    if (is_sprung(&m->constraint.loop[i])) {
      lb_pair P;
      lb_constraint_pair(&P, d, i);
      push_pair(d, &P, spring_of(m, &P, i));
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      double value[3];
      lb_motor_evaluate(m, d, i, value);
      d->motor_force[i] = value[0];
      lb_loop_apply_motor(m, d, i, value[0]);
    }
  }
}

static double loop_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->constraint.nloop; i++) {
    lb_constraint_row row[3];
    lb_pair P;
    lb_constraint_pair(&P, d, i);
    const int n =
        m->constraint.loop[i].resistance.stiffness > 0 ? lb_loop_free_rows(m, &P, i, row) : 0;
    for (int k = 0; k < n; k++) {
      const double stretch = lb_loop_stretch(&m->constraint.loop[i], &row[k], k);
      sum += 0.5 * m->constraint.loop[i].resistance.stiffness * stretch * stretch;
    }
  }
  return sum;
}

// --- derivatives ---

static void differentiate_spring(lb_derivatives* D, lb_data* d, int i) {
  const lb_scene_joint* j = &D->model->constraint.loop[i];
  lb_constraint_row row[3];
  lb_pair P;
  lb_constraint_pair(&P, d, i);
  const int n = lb_loop_free_rows(D->model, &P, i, row);
  for (int by_rate = 0; by_rate < 2; by_rate++) {
    lb_pair_derivative L = lb_pair_differentiate(D, d, i);
    lb_pair_fill_turn(&L.P);
    for (int k = 0; k < n; k++) {
      const double stiffness = j->resistance.stiffness, damping = j->resistance.damping;
      const double pull = stiffness * lb_loop_stretch(j, &row[k], k) + damping * row[k].rate;
      lb_row_spring_differentiate(&L, &row[k], (lb_row_spring){stiffness, damping, pull}, by_rate);
    }
    if (by_rate) {
      lb_pair_push(D, D->tau_qd, &L, lb_motion_zero());
    } else {
      lb_pair_push(D, D->tau_q, &L, spring_of(D->model, &P, i));
    }
  }
}

static void differentiate_springs(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->constraint.nloop; i++) {
    if (is_sprung(&m->constraint.loop[i])) {
      differentiate_spring(D, d, i);
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      const lb_pair_derivative L = lb_pair_differentiate(D, d, m->motor.loop[i]);
      lb_pair_push(
          D, D->tau_q, &L,
          lb_motion_scale(d->motor_force[i], motor_unit(m, &L.P, i))); // by lb_forces_apply
    }
  }
}

// Stiffness and damping of linearly implicit steps, with x how b moves as seen from a:
//
//   dF = -sum e (stiffness e.x + damping e.xd)   on b, its opposite on a
//
// How forces turn with the bodies is left out.
static void stiffen_springs(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->constraint.nloop; i++) {
    lb_constraint_row row[3];
    const double by[2] = {m->constraint.loop[i].resistance.stiffness,
                          m->constraint.loop[i].resistance.damping};
    lb_pair P;
    lb_constraint_pair(&P, d, i);
    const int n = is_sprung(&m->constraint.loop[i]) ? lb_loop_free_rows(m, &P, i, row) : 0;
    for (int side = 0; side < 2 && n > 0; side++) {
      const lb_pair_derivative L = lb_pair_differentiate(D, d, i);
      for (int k = 0; k < n; k++) {
        lb_row_spring_stiffen(&L, &row[k], by[side]);
      }
      lb_pair_push(D, side ? D->tau_qd : D->tau_q, &L, lb_motion_zero());
    }
  }
}

double lb_loop_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                                int k, const double* mu) {
  const lb_pair_derivative L = lb_pair_differentiate(D, d, i);
  const lb_motion F = spring_slope(D->model, &L.P, i, number, k);
  double sum = 0;
  for (int v = L.begin[0]; v < L.end[1]; v = lb_pair_next(&L, v)) {
    sum += mu[v] * lb_motion_dot(F, lb_pair_apart(&L, v));
  }
  return sum;
}

void lb_loop_motor_direction(const lb_derivatives* D, const lb_data* d, int motor, double* out) {
  const lb_pair_derivative L = lb_pair_differentiate(D, d, D->model->motor.loop[motor]);
  const lb_motion unit = motor_unit(D->model, &L.P, motor);
  for (int k = 0; k < D->model->nv; k++) {
    out[k] = lb_motion_dot(unit, lb_pair_apart(&L, k));
  }
}

static void loop_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  (symmetric ? stiffen_springs : differentiate_springs)(D, d);
}

const lb_force lb_force_loop = {.name = "loop joint",
                                .count = loop_count,
                                .apply = loop_apply,
                                .energy = loop_energy,
                                .differentiate = loop_differentiate,
                                .measure = loop_measure,
                                .on_links = true,
                                .stiff = true,
                                .on_joints = true};
