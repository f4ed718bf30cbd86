// Unilateral constraints and servos beside contacts: rows of the same problem, so that floors,
// ropes, couplings with a bound and motors act together with what collides. An exact constraint
// c >= 0 with the rate r at velocities without contact asks for
//
//   w = r + J (u - u0) + c/h >= 0                                                         (1)
//
// A servo on a coordinate q with the target f and its rate f' at the end of the step is a friction
// set of constant radius, h times its limit, with the compliance of its spring and damper:
//
//   w = J u + a/h lambda + a (kp g - kd f'),   a = 1/(h kp + kd)                          (2)
//   g = q - f - h J u0                                                                    (3)
//
// with g = q - f of the start where the step is linear. In Newton's method q and u0 are those of
// the last iterate, at the end of a stage of h. (2) is lambda/h = -(kp (g + h J u) + kd (J u -
// f')), clamped to the limit. Without kp and kd w = J u + g/h; in Newton's method w = J u - f'
// within a step, and half of J u - f' + J u + g/h at its end, as schur.h has it.
//
// A constraint c >= 0 that yields is (2) with w >= 0, lambda >= 0 and c in place of q - f. Its
// damper acts where c < 0 when the step begins, so that nothing is felt before it is met; and
// lambda >= 0 never pulls.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/force/command.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/compliance.h"
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

// J of a row into `full`; `all`: of driven coordinates, too.
static void fill_row(lb_contacts* C, const lb_data* d, const lb_constraint_row* r, int group,
                     bool all) {
  const lb_contact_group* g = &C->group[group];
  for (int k = 0; k < g->nv; k++) {
    C->full[g->v[k]] = 0;
  }
  if (r->coupling >= 0) {
    lb_coupling_row(C->m, d, r->coupling, r->sign, all, C->full);
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
  fill_row(C, d, r, group, false);
  for (int k = 0; k < g->nv; k++) {
    C->J[at + k] = C->full[g->v[k]];
    C->row[row].b -= C->J[at + k] * d->qd[g->v[k]];
  }
  lb_contacts_list_entry(C, group, at);
}

// --- servos, and constraints that yield ---

static const lb_compliant_rows* fill_bounds(const lb_contacts* C, lb_data* d) {
  if (lb_bounds_as_rows(C->m) > 0) {
    lb_constraint_rows_fill_compliant(C->m, d);
  }
  return lb_bounds_as_rows(C->m) > 0 ? &d->work->constraints->compliant : NULL;
}

// The next unilateral row from i on; -1: there is none.
static int next_bound(const lb_compliant_rows* rows, int i) {
  while (rows && i < rows->count && !rows->row[i].unilateral) {
    i++;
  }
  return rows && i < rows->count ? i : -1;
}

static lb_bounded_row* first_bound(const lb_contacts* C) {
  return C->beside.bounded + lb_servos_as_rows(C->m);
}

void lb_contacts_begin_bounded(lb_contacts* C, lb_data* d) {
  const lb_compliant_rows* rows = fill_bounds(C, d);
  lb_bounded_row* to = first_bound(C);
  for (int i = next_bound(rows, 0); i >= 0; i = next_bound(rows, i + 1), to++) {
    to->damped = C->sets.kept ? C->sets.of->beside.bounded[to - C->beside.bounded].damped
                              : rows->row[i].gap < 0;
  }
}

// (3), `ahead` the h there.
static void look(lb_contacts* C, lb_data* d, double ahead) {
  const lb_model* m = C->m;
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < lb_servos_as_rows(m); i++) {
    lb_bounded_row* to = &C->beside.bounded[i];
    const double rate = d->qd[lb_servo_v(m, i)];
    double target[3];
    lb_motor_evaluate(m, d, m->motor.servo[i].motor, target);
    to->gap = d->q[lb_servo_q(m, i)] - target[0] - ahead * rate;
    to->asked = target[1];
    to->damped = true;
  }
  const lb_compliant_rows* rows = fill_bounds(C, d);
  lb_bounded_row* to = first_bound(C);
  for (int i = next_bound(rows, 0); i >= 0; i = next_bound(rows, i + 1), to++) {
    const lb_constraint_row* r = &rows->row[i];
    to->gap = r->gap - ahead * (r->rate + r->asked);
    to->asked = r->asked;
  }
}

void lb_contacts_look(lb_contacts* C, lb_data* d, double dt, bool inner) {
  C->beside.inner = inner;
  look(C, d, dt);
}

// (2)
static void ask(const lb_contacts* C, const lb_bounded_row* s, lb_compliance by, double h) {
  const double damping = s->damped ? by.damping : 0;
  lb_contact_row* row = &C->row[s->row];
  if (by.stiffness > 0 || by.damping > 0) {
    const double a = 1 / (h * by.stiffness + damping);
    row->c = a / h;
    row->b = a * (by.stiffness * s->gap - damping * s->asked);
  } else if (!C->system.at_end) {
    row->b = s->gap / h;
  } else {
    row->b = C->beside.inner ? -s->asked : 0.5 * (s->gap / h - s->asked);
  }
}

static lb_compliance compliance_of(const lb_model* m, const lb_bounded_row* s) {
  return s->constraint >= 0 ? m->constraint.item[s->constraint].compliance[LB_COMPLIANCE_SHIFT]
                            : (lb_compliance){m->motor.servo[s->servo].stiffness,
                                              m->motor.servo[s->servo].damping};
}

void lb_contacts_ask_bounded(lb_contacts* C, double h) {
  for (int i = 0; i < lb_bounded_rows(C->m); i++) {
    const lb_bounded_row* s = &C->beside.bounded[i];
    if (s->row >= 0) {
      ask(C, s, compliance_of(C->m, s), h);
    }
  }
}

// Room for a row of the problem, and its J: those of a group, from `full`.
static void add_bounded(lb_contacts* C, lb_bounded_row* to, lb_contact_row made, int group,
                        double h) {
  to->row = group >= 0 ? C->problem.nrow++ : -1;
  if (group < 0) {
    return;
  }
  const lb_contact_group* g = &C->group[group];
  C->block[C->problem.nblock++] = to->row;
  made.group[0] = made.group[1] = made.normal = -1;
  C->row[to->row] = made;
  C->lambda[to->row] = h * to->force;
  const int at = lb_contacts_take_entry(C, to->row, 0, group);
  for (int k = 0; k < g->nv; k++) {
    C->J[at + k] = C->full[g->v[k]];
  }
  lb_contacts_list_entry(C, group, at);
}

static void add_servo(lb_contacts* C, int i, double h) {
  const lb_model* m = C->m;
  const lb_model_servo* by = &m->motor.servo[i];
  const int group = C->group_of[m->joint.link[m->motor.joint[by->motor]]];
  for (int k = 0; k < C->group[group].nv; k++) {
    C->full[C->group[group].v[k]] = C->group[group].v[k] == lb_servo_v(m, i);
  }
  add_bounded(C, &C->beside.bounded[i],
              (lb_contact_row){.kind = by->limit > 0 ? LB_CONTACT_SET_1 : LB_CONTACT_EQUALITY,
                               .mu = h * by->limit},
              group, h);
}

void lb_contacts_add_bounded(lb_contacts* C, lb_data* d, double h) {
  if (lb_bounded_rows(C->m) == 0) {
    return;
  }
  if (!C->system.at_end) {
    lb_contacts_begin_bounded(C, d);
    look(C, d, 0);
  }
  for (int i = 0; i < lb_servos_as_rows(C->m); i++) {
    add_servo(C, i, h);
  }
  const lb_compliant_rows* rows = fill_bounds(C, d);
  lb_bounded_row* to = first_bound(C);
  for (int i = next_bound(rows, 0); i >= 0; i = next_bound(rows, i + 1), to++) {
    const int group = group_of_row(C, &rows->row[i]);
    if (group >= 0) {
      fill_row(C, d, &rows->row[i], group, true);
    }
    add_bounded(C, to, (lb_contact_row){.kind = LB_CONTACT_UNILATERAL}, group, h);
  }
  lb_contacts_ask_bounded(C, h);
}

// A servo at its limit has that to the last digit.
static double force_of(const lb_contacts* C, const lb_bounded_row* s) {
  static const double NEAR = 1 - 4 * DBL_EPSILON;
  const double lambda = s->row >= 0 ? C->lambda[s->row] : 0;
  const double limit = s->servo >= 0 ? C->m->motor.servo[s->servo].limit : 0;
  return limit > 0 && fabs(lambda) >= NEAR * C->duration * limit ? copysign(limit, lambda)
                                                                 : lambda / C->duration;
}

void lb_contacts_keep_bounded(lb_contacts* C, lb_data* d) {
  for (int i = 0; i < lb_bounded_rows(C->m); i++) {
    lb_bounded_row* s = &C->beside.bounded[i];
    s->force = force_of(C, s);
    if (i < lb_servos_as_rows(C->m)) {
      d->motor_force[C->m->motor.servo[i].motor] = s->force;
    }
  }
}

void lb_contacts_drop_bounded(lb_contacts* C) {
  for (int i = 0; i < lb_bounded_rows(C->m); i++) {
    C->beside.bounded[i].force = 0;
  }
}

void lb_contacts_restart_bounded(lb_contacts* C, lb_data* d) {
  lb_contacts_drop_bounded(C);
  for (int i = 0; i < lb_bounded_rows(C->m) && C->problem.nrow > 0; i++) {
    if (C->beside.bounded[i].row >= 0) {
      C->lambda[C->beside.bounded[i].row] = 0;
    }
  }
  for (int i = 0; i < lb_servos_as_rows(C->m); i++) {
    d->motor_force[C->m->motor.servo[i].motor] = 0;
  }
}

bool lb_contacts_press_anew(const lb_contacts* C) {
  bool any = false;
  for (int i = lb_servos_as_rows(C->m); i < lb_bounded_rows(C->m); i++) {
    any |= C->beside.bounded[i].force > 0 && !C->beside.bounded[i].damped;
  }
  return any;
}

double lb_contacts_bounded_force(const lb_contacts* C, int i) {
  return C->duration > 0 ? C->beside.bounded[i].force : 0;
}

// --- rows that are out of reach ---

static double free_velocity(const lb_contacts* C, int row) {
  return lb_contact_row_velocity(&C->problem, row, C->u0);
}

// Most by which a row with a bound changes its own velocity.
static double strength(const lb_contacts* C, int row) {
  const lb_contact_row* r = &C->row[row];
  return r->kind == LB_CONTACT_SET_1 ? 2 * r->mu / lb_contact_step(&C->problem, row) : 0;
}

// Largest velocity of what is near: of points, and of the other rows without what they ask for.
static double find_reach(const lb_contacts* C, int first) {
  double most = 0;
  for (int i = 0; i < C->problem.nrow; i++) {
    const double w = free_velocity(C, i) + (i < first ? C->row[i].b : 0);
    most = fmax(most, fabs(w) + (i < first ? 0 : strength(C, i)));
  }
  return most;
}

void lb_contacts_cut_far(lb_contacts* C) {
  static const double FAR = 16; // times the reach
  const int first = C->block[C->ntouch];
  const double most = FAR * find_reach(C, first);
  for (int i = first; i < C->problem.nrow; i++) {
    lb_contact_row* r = &C->row[i];
    const double w = free_velocity(C, i) + r->b;
    const bool far = most > 0 && ((r->kind == LB_CONTACT_UNILATERAL && w > most) ||
                                  (r->kind == LB_CONTACT_SET_1 && fabs(w) > most));
    C->beside.far[i - first] = far ? r->b : NAN;
    r->b = far ? r->b - w + copysign(most, w) : r->b;
  }
}

// True where a row that was cut is as it would be otherwise: open, or at the limit.
static bool stays_far(const lb_contact_row* r, double b, double lambda) {
  return r->kind == LB_CONTACT_UNILATERAL
             ? lambda == 0
             : fabs(lambda) >= (1 - 4 * DBL_EPSILON) * r->mu && (lambda < 0) == (b > 0);
}

bool lb_contacts_cut_too_much(lb_contacts* C) {
  const int first = C->block[C->ntouch];
  bool all = true;
  for (int i = first; i < C->problem.nrow; i++) {
    const double b = C->beside.far[i - first];
    all &= isnan(b) || stays_far(&C->row[i], b, C->lambda[i]);
  }
  for (int i = first; i < C->problem.nrow && !all; i++) {
    C->row[i].b = isnan(C->beside.far[i - first]) ? C->row[i].b : C->beside.far[i - first];
  }
  return !all;
}

// --- exact unilateral constraints ---

void lb_contacts_add_constraints(lb_contacts* C, lb_data* d, double h) {
  lb_constraints* L = d->work->constraints;
  C->beside.nexact = 0;
  if (!L || C->beside.most == lb_bounded_rows(C->m)) {
    return;
  }
  lb_kinematics(C->m, d, d->q, d->qd);
  lb_constraints_measure(C->m, d, LB_SET_STEP);
  for (int i = 0; i < L->nrow; i++) {
    const int group = L->row[i].unilateral ? group_of_row(C, &L->row[i]) : -1;
    C->beside.exact[i] = group >= 0 ? C->problem.nrow : -1;
    C->beside.nexact = i + 1;
    if (group >= 0) {
      add_row(C, d, &L->row[i], group, h);
    }
  }
}

void lb_contacts_multipliers(const lb_contacts* C, double* lambda) {
  for (int i = 0; i < C->beside.nexact; i++) {
    lambda[i] = C->beside.exact[i] >= 0 ? C->before[C->beside.exact[i]] : 0;
  }
}
