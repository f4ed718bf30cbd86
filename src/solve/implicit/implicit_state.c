// State of an implicit stepper between two steps as numbers: where the step before began and ended,
// what its stages changed, multipliers and the active set. Newton's matrix is not among them.
#include "dynamics/constraint/constraint_loop.h"
#include "solve/implicit/implicit.h"

// History of a step: q2 and v2 are shifted out when it begins.
enum { PLACE_NUMBERS = 4, CHANGES = LB_IMPLICIT_STAGES * LB_IMPLICIT_CHANGES };

size_t lb_implicit_place_size(const lb_model* m) {
  return PLACE_NUMBERS + 2 * (size_t)m->nq + (2 + CHANGES) * (size_t)m->nv + 2 * (size_t)m->nx +
         (1 + CHANGES) * (size_t)lb_constraints_most(m) + lb_constraints_state_size(m);
}

// Copy the stepper's arrays to a place, or back.
static void move_place(const lb_stepper* st, double* place, bool back) {
  const lb_model* m = st->m;
  const lb_implicit* own = st->own;
  double* const part[] = {own->q1, own->qe, own->v1,     own->ve,
                          own->x1, own->xe, own->change, own->lambda};
  const int size[] = {
      m->nq, m->nq, m->nv, m->nv, m->nx, m->nx, CHANGES * lb_implicit_count_changes(st), own->rows};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    for (int k = 0; k < size[i]; k++, place++) {
      *(back ? &part[i][k] : place) = back ? *place : part[i][k];
    }
  }
}

// The active set comes last.
static size_t active_at(const lb_model* m) {
  return lb_implicit_place_size(m) - lb_constraints_state_size(m);
}

void lb_implicit_save(lb_stepper* st, const lb_data* d, double* place) {
  const lb_implicit* own = st->own;
  place[0] = own->time;
  place[1] = own->h;
  place[2] = own->known;
  place[3] = own->stages;
  move_place(st, place + PLACE_NUMBERS, false);
  lb_constraints_save(d, place + active_at(st->m));
  lb_implicit_forget(st);
}

void lb_implicit_load(lb_stepper* st, lb_data* d, const double* place) {
  lb_implicit* own = st->own;
  own->time = place[0];
  own->h = place[1];
  own->known = (int)place[2];
  own->stages = (int)place[3];
  move_place(st, (double*)place + PLACE_NUMBERS, true);
  lb_constraints_load(d, place + active_at(st->m));
  own->choice = lb_constraints_count_choices(d);
  lb_implicit_forget(st);
}
