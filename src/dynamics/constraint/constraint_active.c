// Constraints as implicit steps see them: measured and linearised, with the active set
// by the multipliers of steps.
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/joint/joint.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"

static lb_constraint_rows measure(const lb_model* m, lb_data* d, lb_constraint_set set) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d, set);
  bool unilateral = false;
  for (int i = 0; i < L->nrow; i++) {
    unilateral |= L->row[i].unilateral;
    L->x[i] = L->row[i].gap;
    L->work[i] = L->row[i].rate;
    L->unilateral[i] = L->row[i].unilateral;
    L->velocity_level[i] = L->row[i].velocity_level;
    L->inactive[i] = L->row[i].unilateral && !L->state.active[L->row[i].contact];
  }
  return (lb_constraint_rows){.count = L->nrow,
                              .gap = L->x,
                              .rate = L->work,
                              .unilateral = unilateral ? L->unilateral : NULL,
                              .inactive = L->inactive,
                              .velocity_level = L->velocity_level};
}

void lb_constraints_keep_active(const lb_model* m, lb_data* d, lb_constraint_set set,
                                const double* lambda) {
  lb_constraints* L = d->work->constraints;
  if (!L || L->ncontact == 0) {
    return;
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, set);
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint_row* r = &L->row[i];
    if (r->unilateral) {
      L->state.active[r->contact] = lambda[i] > 0 || r->gap <= LB_ACTIVE_GAP;
    }
  }
}

void lb_constraints_judge_active(const lb_model* m, lb_data* d, lb_active_tolerance most) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d, LB_SET_INACTIVE);
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint_row* r = &L->row[i];
    if (r->unilateral) {
      L->state.active[r->contact] =
          r->gap <= most.gap && r->rate <= most.rate && r->acceleration <= most.acceleration;
    }
  }
}

bool lb_constraints_hit(const lb_data* d, const double* lambda) {
  const lb_constraints* L = d->work->constraints;
  for (int i = 0; L && L->ncontact > 0 && i < L->nrow; i++) {
    const lb_constraint_row* r = &L->row[i];
    if (r->unilateral && lambda[i] > 0 && !L->state.active[r->contact]) {
      return true;
    }
  }
  return false;
}

const bool* lb_constraints_inactive(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->inactive : NULL;
}

enum { STATE_NUMBERS = 2, ACTIVE = 1, REDUNDANT = 2 };

size_t lb_constraints_state_size(const lb_model* m) {
  return STATE_NUMBERS + 2 * (size_t)lb_constraints_most(m) + (size_t)m->constraint.ncoupling;
}

void lb_constraints_save(const lb_data* d, double* state) {
  const lb_constraints* L = d->work->constraints;
  const int n = lb_constraints_most(d->model);
  if (!L) {
    return;
  }
  state[0] = L->state.own;
  state[1] = L->state.moves;
  double *flags = state + STATE_NUMBERS, *length = flags + n;
  for (int i = 0; i < n; i++) {
    flags[i] = (L->state.active[i] ? ACTIVE : 0) + (L->state.redundant[i] ? REDUNDANT : 0);
    length[i] = L->state.length[i];
  }
  double* latch = length + n;
  memcpy(latch, L->state.latch, (size_t)d->model->constraint.ncoupling * sizeof *latch);
}

void lb_constraints_load(lb_data* d, const double* state) {
  lb_constraints* L = d->work->constraints;
  const int n = lb_constraints_most(d->model);
  bool changed = false;
  if (!L) {
    return;
  }
  L->state.own = (int)state[0];
  L->state.moves = state[1] != 0;
  const double *flags = state + STATE_NUMBERS, *length = flags + n;
  for (int i = 0; i < n; i++) {
    L->state.active[i] = (int)flags[i] & ACTIVE;
    const bool redundant = (int)flags[i] & REDUNDANT;
    changed |= redundant != L->state.redundant[i];
    L->state.redundant[i] = redundant;
    L->state.length[i] = length[i];
  }
  const double* latch = length + n;
  memcpy(L->state.latch, latch, (size_t)d->model->constraint.ncoupling * sizeof *latch);
  L->state.choices += changed;
}

void lb_constraints_renew(const lb_data* d) {
  if (d->work->constraints) {
    lb_kkt_forget(d->work->constraints->kkt);
  }
}

void lb_constraints_swap_observer(lb_data* d) {
  lb_constraints* L = d->work->constraints;
  if (L) {
    struct lb_kkt* kkt = L->kkt;
    L->kkt = L->observer;
    L->observer = kkt;
  }
}

const bool* lb_constraints_active(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->state.active : NULL;
}

void lb_constraints_set_active(lb_data* d, const bool* active) {
  lb_constraints* L = d->work->constraints;
  if (L) {
    memcpy(L->state.active, active, (size_t)lb_constraints_most(d->model) * sizeof *active);
  }
}

lb_constraint_rows lb_constraints_measure(const lb_model* m, lb_data* d, lb_constraint_set set) {
  return d->work->constraints ? measure(m, d, set) : (lb_constraint_rows){0};
}

lb_constraint_rows lb_constraints_linearise(const lb_model* m, lb_data* d, lb_constraint_set set) {
  if (!d->work->constraints) {
    return (lb_constraint_rows){0};
  }
  lb_constraint_rows rows = measure(m, d, set);
  rows.J = lb_constraints_jacobian(m, d);
  return rows;
}

const double* lb_constraints_jacobian(const lb_model* m, lb_data* d) {
  lb_fill_columns(m, d->work);
  lb_constraint_rows_fill_jacobian(m, d, NULL);
  return d->work->constraints->dense.Jt;
}

// A force at a point, about a link's origin.
static void pull_link(const lb_constraints* L, const lb_state* state, int link, lb_v4 at, double by,
                      lb_motion F) {
  if (link != LB_WORLD) {
    L->pull[link].w += by * (F.w + lb_v4_cross(at - state[link].p, F.v));
    L->pull[link].v += by * F.v;
  }
}

// Wrench of so many constraints between the same frames, at b's origin.
static lb_motion sum_rows(const lb_constraint_row* r, int count, const double* lambda) {
  lb_motion F = lb_motion_zero();
  for (int i = 0; i < count; i++) {
    *(r[i].turns ? &F.w : &F.v) += r[i].e * lambda[i];
  }
  return F;
}

// On the way in, every joint takes its part of what acts on its link and beyond.
void lb_constraints_add_forces(const lb_model* m, lb_data* d, const double* lambda, double scale,
                               double* out) {
  const lb_constraints* L = d->work->constraints;
  const lb_state* state = d->work->state;
  if (!L) {
    return;
  }
  memset(L->pull, 0, (size_t)m->nlink * sizeof *L->pull);
  for (int i = 0, count = 1; i < L->nrow; i += count) {
    const lb_constraint_row* r = &L->row[i];
    count = lb_constraint_group(L, i);
    if (r->coupling >= 0) {
      lb_coupling_row(m, d, r->coupling, r->sign * scale * lambda[i], false, out);
    } else {
      const lb_motion F = sum_rows(r, count, lambda + i);
      pull_link(L, state, r->b->link, r->at, scale, F);
      pull_link(L, state, r->a->link, r->at, -scale, F);
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    const lb_motion F = L->pull[i];
    if (!l->driven && !LB_JOINT[l->kind]->inertia) { // what bends carries what hangs on its faces
      LB_JOINT[l->kind]->project(out + l->v, &state[i], F.w, F.v);
    }
    if (l->parent != LB_WORLD) {
      lb_motion* to = &L->pull[l->parent];
      to->w += F.w + lb_v4_cross(state[i].p - state[l->parent].p, F.v);
      to->v += F.v;
    }
  }
}
