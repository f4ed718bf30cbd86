// Unilateral constraints and servos beside contacts: rows of the same problem, so that floors,
// ropes and couplings with a bound act together with what collides. A constraint c >= 0 with the
// rate r at velocities without contact asks for
//
//   w = r + J (u - u0) + c/h >= 0                                                         (1)
//
// A servo on the coordinate q with the target f and its rate f' at the end of the step is a
// friction set of constant radius, h times its limit, with the compliance of its spring and damper:
//
//   w = u + a/h lambda + a (kp (q - f) - kd f'),   a = 1/(h kp + kd)                      (2)
//
// which is lambda/h = -(kp (q + h u - f) + kd (u - f')); without both, w = u + (q - f)/h.
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/force/command.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/motor_use.h"

static int group_of_row(const lb_contacts* C, const lb_constraint_row* r) {
  const lb_model* m = C->m;
  int link = r->coupling < 0 ? r->b->link : LB_WORLD;
  link = r->coupling < 0 && link == LB_WORLD ? r->a->link : link;
  if (r->coupling >= 0) {
    const int v = m->constraint.term[m->constraint.coupling[r->coupling].first].v;
    link = lb_contacts_link_of(m, v);
  }
  return link == LB_WORLD ? -1 : C->group_of[link];
}

static void fill_row(lb_contacts* C, const lb_data* d, const lb_constraint_row* r, int group) {
  const lb_contact_group* g = &C->group[group];
  for (int k = 0; k < g->nv; k++) {
    C->full[g->v[k]] = 0;
  }
  if (r->coupling >= 0) {
    lb_coupling_row(C->m, d, r->coupling, r->sign, false, C->full);
  } else {
    lb_constraint_rows_add_link(C->m, d->work, r, 1, C->full, r->b->link, 1);
    lb_constraint_rows_add_link(C->m, d->work, r, 1, C->full, r->a->link, -1);
  }
}

static void add_row(lb_contacts* C, const lb_data* d, const lb_constraint_row* r, int group,
                    double h) {
  const lb_contact_group* g = &C->group[group];
  const int row = C->problem.nrow++;
  C->block[C->problem.nblock++] = row;
  C->row[row] = (lb_contact_row){
      .kind = LB_CONTACT_UNILATERAL, .group = {-1, -1}, .normal = -1, .b = r->rate + r->gap / h};
  C->lambda[row] = 0;
  const int at = lb_contacts_take_entry(C, row, 0, group);
  fill_row(C, d, r, group);
  for (int k = 0; k < g->nv; k++) {
    C->J[at + k] = C->full[g->v[k]];
    C->row[row].b -= C->J[at + k] * d->qd[g->v[k]];
  }
  lb_contacts_list_entry(C, group, at);
}

// --- servos ---

static void add_servo(lb_contacts* C, const lb_data* d, lb_servo_row* s, double h) {
  const lb_model* m = C->m;
  const lb_model_servo* by = s->servo;
  const int v = m->motor.v[by->motor], q = m->joint.q[m->motor.joint[by->motor]];
  const int row = C->problem.nrow++, group = C->group_of[m->joint.link[m->motor.joint[by->motor]]];
  const bool exact = by->stiffness == 0 && by->damping == 0;
  const double a = exact ? 0 : 1 / (h * by->stiffness + by->damping);
  double target[3];
  lb_motor_evaluate(m, d, by->motor, target);
  C->block[C->problem.nblock++] = row;
  C->row[row] = (lb_contact_row){
      .kind = by->limit > 0 ? LB_CONTACT_SET_1 : LB_CONTACT_EQUALITY,
      .group = {-1, -1},
      .normal = -1,
      .mu = h * by->limit,
      .c = a / h,
      .b = exact ? (d->q[q] - target[0]) / h
                 : a * (by->stiffness * (d->q[q] - target[0]) - by->damping * target[1])};
  C->lambda[row] = h * s->force;
  s->row = row;
  const int at = lb_contacts_take_entry(C, row, 0, group);
  for (int k = 0; k < C->group[group].nv; k++) {
    C->J[at + k] = C->group[group].v[k] == v;
  }
  lb_contacts_list_entry(C, group, at);
}

void lb_contacts_add_servos(lb_contacts* C, lb_data* d, double h) {
  for (int i = 0; i < lb_servos_as_rows(C->m); i++) {
    add_servo(C, d, &C->beside.servo[i], h);
  }
}

void lb_contacts_keep_servos(lb_contacts* C, lb_data* d) {
  for (int i = 0; i < lb_servos_as_rows(C->m); i++) {
    C->beside.servo[i].force = C->lambda[C->beside.servo[i].row] / C->duration;
    d->motor_force[C->beside.servo[i].servo->motor] = C->beside.servo[i].force;
  }
}

// --- unilateral constraints ---

void lb_contacts_add_constraints(lb_contacts* C, lb_data* d, double h) {
  lb_constraints* L = d->work->constraints;
  C->beside.nbound = 0;
  if (!L || C->beside.most == lb_servos_as_rows(C->m)) {
    return;
  }
  lb_kinematics(C->m, d, d->q, d->qd);
  lb_constraints_measure(C->m, d, LB_SET_STEP);
  for (int i = 0; i < L->nrow; i++) {
    const int group = L->row[i].unilateral ? group_of_row(C, &L->row[i]) : -1;
    C->beside.bound[i] = group >= 0 ? C->problem.nrow : -1;
    C->beside.nbound = i + 1;
    if (group >= 0) {
      add_row(C, d, &L->row[i], group, h);
    }
  }
}

void lb_contacts_multipliers(const lb_contacts* C, double* lambda) {
  for (int i = 0; i < C->beside.nbound; i++) {
    lambda[i] = C->beside.bound[i] >= 0 ? C->before[C->beside.bound[i]] : 0;
  }
}
