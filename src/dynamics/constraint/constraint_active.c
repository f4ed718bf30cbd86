// Constraints as implicit steps see them: measured and linearised, with what touches told
// by the multipliers of steps.
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/tree/kinematics.h"

static lb_constraint_rows measure(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d);
  lb_constraint_rows_keep_active(L);
  lb_fill_columns(m, d->work);
  bool unilateral = false;
  for (int i = 0; i < L->nrow; i++) {
    unilateral |= L->row[i].unilateral;
    L->x[i] = L->row[i].c;
    L->work[i] = L->row[i].cd;
    L->unilateral[i] = L->row[i].unilateral;
    L->velocity_level[i] = L->row[i].rate_only;
    L->inactive[i] = L->row[i].unilateral && !L->active[L->row[i].contact];
  }
  return (lb_constraint_rows){.count = L->nrow,
                              .gap = L->x,
                              .rate = L->work,
                              .unilateral = unilateral ? L->unilateral : NULL,
                              .inactive = L->inactive,
                              .velocity_level = L->velocity_level};
}

void lb_constraints_activate_all(lb_data* d) {
  if (d->work->constraints) {
    d->work->constraints->all = true;
  }
}

void lb_constraints_keep_active(const lb_model* m, lb_data* d, const double* lambda) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  if (lambda && L->ncontact > 0) {
    lb_kinematics(m, d, d->q, d->qd);
    lb_constraint_rows_fill(m, d);
    for (int i = 0; i < L->nrow; i++) {
      const lb_constraint* r = &L->row[i];
      if (r->unilateral) {
        L->active[r->contact] = lambda[i] > 0 || r->c <= LB_ACTIVE_GAP;
      }
    }
  }
  L->all = false;
}

void lb_constraints_judge_active(const lb_model* m, lb_data* d, lb_active_tolerance most) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    if (r->unilateral) {
      L->active[r->contact] = r->c <= most.gap && r->cd <= most.rate && r->cdd <= most.acceleration;
    }
  }
}

bool lb_constraints_hit(const lb_data* d, const double* lambda) {
  const lb_constraints* L = d->work->constraints;
  for (int i = 0; L && L->ncontact > 0 && i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    if (r->unilateral && lambda[i] > 0 && !L->active[r->contact]) {
      return true;
    }
  }
  return false;
}

const bool* lb_constraints_inactive(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->inactive : NULL;
}

void lb_constraints_save(const lb_data* d, double* place) {
  const lb_constraints* L = d->work->constraints;
  for (int i = 0; L && i < lb_constraints_most(d->model); i++) {
    place[i] =
        (L->active[i] ? LB_CONSTRAINT_ACTIVE : 0) + (L->redundant[i] ? LB_CONSTRAINT_REDUNDANT : 0);
  }
}

void lb_constraints_load(lb_data* d, const double* place) {
  lb_constraints* L = d->work->constraints;
  for (int i = 0; L && i < lb_constraints_most(d->model); i++) {
    L->active[i] = (int)place[i] & LB_CONSTRAINT_ACTIVE;
    L->redundant[i] = (int)place[i] & LB_CONSTRAINT_REDUNDANT;
  }
}

// The active set, and which constraints are redundant: found once, where a state started.
enum { SET_NUMBERS = 2 };

size_t lb_constraints_set_size(const lb_model* m) {
  return SET_NUMBERS + 2 * (size_t)lb_constraints_most(m);
}

void lb_constraints_set_save(const lb_data* d, double* set) {
  const lb_constraints* L = d->work->constraints;
  const int n = lb_constraints_most(d->model);
  if (L) {
    set[0] = L->own;
    set[1] = L->moves;
    lb_constraints_save(d, set + SET_NUMBERS);
    memcpy(set + SET_NUMBERS + n, L->length, (size_t)n * sizeof *set);
  }
}

void lb_constraints_set_load(lb_data* d, const double* set) {
  lb_constraints* L = d->work->constraints;
  const int n = lb_constraints_most(d->model);
  if (L) {
    L->own = (int)set[0];
    L->moves = set[1] != 0;
    lb_constraints_load(d, set + SET_NUMBERS);
    memcpy(L->length, set + SET_NUMBERS + n, (size_t)n * sizeof *set);
    L->choices++;
  }
}

void lb_constraints_leave_out_unilateral(lb_data* d, bool out) {
  if (d->work->constraints) {
    d->work->constraints->both_ways = out;
  }
}

lb_constraint_rows lb_constraints_measure(const lb_model* m, lb_data* d) {
  return d->work->constraints ? measure(m, d) : (lb_constraint_rows){0};
}

lb_constraint_rows lb_constraints_linearise(const lb_model* m, lb_data* d) {
  if (!d->work->constraints) {
    return (lb_constraint_rows){0};
  }
  lb_constraint_rows rows = measure(m, d);
  lb_constraint_rows_fill_jacobian(m, d);
  rows.J = d->work->constraints->Jt;
  return rows;
}

const double* lb_constraints_jacobian(const lb_model* m, lb_data* d) {
  lb_fill_columns(m, d->work);
  lb_constraint_rows_fill_jacobian(m, d);
  return d->work->constraints->Jt;
}

static void pull_link(const lb_constraints* L, const lb_state* state, int link,
                      const lb_constraint* r, double lambda) {
  if (link != LB_WORLD) {
    const lb_v4 push = r->e * lambda;
    L->pull[link].w += r->turns ? push : lb_v4_cross(r->at - state[link].p, push);
    L->pull[link].v += r->turns ? lb_v4_zero() : push;
  }
}

// On the way in, every link's directions take their part of what acts on it and beyond.
void lb_constraints_add_forces(const lb_model* m, lb_data* d, const double* lambda, double scale,
                               double* out) {
  const lb_constraints* L = d->work->constraints;
  const lb_state* state = d->work->state;
  if (!L) {
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    L->pull[i] = (lb_motion){lb_v4_zero(), lb_v4_zero()};
  }
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    const double push = scale * lambda[i];
    if (r->coupling >= 0) {
      lb_coupling_row(m, r->coupling, r->sign * push, false, out);
    } else {
      pull_link(L, state, r->b->link, r, push);
      pull_link(L, state, r->a->link, r, -push);
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link[i];
    const lb_motion F = L->pull[i];
    for (int k = 0; k < l->nv && !l->driven; k++) {
      const lb_v4* S = d->work->S + 2 * (l->column + k);
      out[l->v + k] += lb_v4_sum(S[0] * F.w + S[1] * F.v);
    }
    if (l->parent != LB_WORLD) {
      lb_motion* to = &L->pull[l->parent];
      to->w += F.w + lb_v4_cross(state[i].p - state[l->parent].p, F.v);
      to->v += F.v;
    }
  }
}
