// State of a stepper and its lb_data between two steps, as numbers.
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "solve/step/stepper.h"

// A part of a state: numbers of d, or of the stepper.
typedef struct part {
  double* at;
  int count;
} part;

enum { NPART = 7, NUMBERS = 3 }; // the time, and how the stepper counts

static void find_parts(const lb_model* m, const lb_data* d, part parts[NPART]) {
  const part all[NPART] = {{d->q, m->nq},
                           {d->qd, m->nv},
                           {d->tau, m->nv},
                           {d->qdd, m->nv},
                           {d->motor_force, m->nmotor},
                           {d->coupling_force, m->constraint.ncoupling},
                           {d->x, m->nx}};
  memcpy(parts, all, sizeof all);
}

static size_t own_size(const lb_model* m) {
  return NUMBERS + (size_t)m->nq + 3 * (size_t)m->nv + (size_t)m->nmotor +
         (size_t)m->constraint.ncoupling + (size_t)m->nx;
}

static size_t past_size(const lb_stepper* st) {
  return st->type->past_size ? st->type->past_size(st->m) : 0;
}

size_t lb_stepper_state_size(const lb_stepper* st) {
  return own_size(st->m) + lb_constraints_state_size(st->m) + past_size(st) +
         lb_contacts_state_size(st->m);
}

void lb_stepper_renew(lb_stepper* st, const lb_data* d) {
  lb_constraints_renew(d);
  if (st->type->renew) {
    st->type->renew(st);
  }
}

void lb_stepper_save(lb_stepper* st, const lb_data* d, double* state) {
  part parts[NPART];
  double* to = state + NUMBERS;
  state[0] = d->time;
  state[1] = st->runaway;
  state[2] = st->ran_from;
  find_parts(st->m, d, parts);
  for (int i = 0; i < NPART; to += parts[i++].count) {
    memcpy(to, parts[i].at, (size_t)parts[i].count * sizeof *to);
  }
  lb_constraints_save(d, to);
  to += lb_constraints_state_size(st->m);
  if (st->type->save_past) {
    st->type->save_past(st, d, to);
  }
  if (d->work->contacts) {
    lb_contacts_save(d->work->contacts, to + past_size(st));
  }
  lb_stepper_renew(st, d);
}

void lb_stepper_load(lb_stepper* st, lb_data* d, const double* state) {
  part parts[NPART];
  const double* from = state + NUMBERS;
  d->time = state[0];
  st->runaway = (int)state[1];
  st->ran_from = state[2];
  find_parts(st->m, d, parts);
  for (int i = 0; i < NPART; from += parts[i++].count) {
    memcpy(parts[i].at, from, (size_t)parts[i].count * sizeof *from);
  }
  lb_constraints_load(d, from);
  from += lb_constraints_state_size(st->m);
  if (st->type->load_past) {
    st->type->load_past(st, d, from);
  }
  if (d->work->contacts) {
    lb_contacts_load(d->work->contacts, from + past_size(st));
  }
  lb_stepper_renew(st, d);
}
