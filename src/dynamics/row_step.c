// Rows of constraints as implicit steps see them: measured and linearised, with what touches told
// by the multipliers of steps.
#include <string.h>

#include "dynamics/kinematics.h"
#include "dynamics/row.h"

static lb_loop_rows measure(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  lb_rows_fill(m, d);
  lb_rows_keep_acting(L);
  lb_fill_columns(m, d->work);
  bool one_way = false;
  for (int i = 0; i < L->nrow; i++) {
    one_way |= L->row[i].one_way;
    L->x[i] = L->row[i].c;
    L->work[i] = L->row[i].cd;
    L->pushes[i] = L->row[i].one_way;
    L->paced[i] = L->row[i].rate_only;
    L->lands[i] = L->row[i].one_way && !L->touching[L->row[i].contact];
  }
  return (lb_loop_rows){.count = L->nrow,
                        .gap = L->x,
                        .rate = L->work,
                        .pushes = one_way ? L->pushes : NULL,
                        .lands = L->lands,
                        .paced = L->paced};
}

void lb_loops_keep_all(lb_data* d) {
  if (d->work->loops) {
    d->work->loops->all = true;
  }
}

void lb_loops_keep_touching(const lb_model* m, lb_data* d, const double* lambda) {
  lb_loops* L = d->work->loops;
  if (!L) {
    return;
  }
  if (lambda && L->ncontact > 0) {
    lb_kinematics(m, d, d->q, d->qd);
    lb_rows_fill(m, d);
    for (int i = 0; i < L->nrow; i++) {
      const lb_row* r = &L->row[i];
      if (r->one_way) {
        L->touching[r->contact] = lambda[i] > 0 || r->c <= LB_ROW_TOUCH;
      }
    }
  }
  L->all = false;
}

void lb_loops_judge_touching(const lb_model* m, lb_data* d, lb_touch most) {
  lb_loops* L = d->work->loops;
  lb_rows_fill(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
    if (r->one_way) {
      L->touching[r->contact] =
          r->c <= most.gap && r->cd <= most.rate && r->cdd <= most.acceleration;
    }
  }
}

bool lb_loops_hit(const lb_data* d, const double* lambda) {
  const lb_loops* L = d->work->loops;
  for (int i = 0; L && L->ncontact > 0 && i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
    if (r->one_way && lambda[i] > 0 && !L->touching[r->contact]) {
      return true;
    }
  }
  return false;
}

const bool* lb_loops_landing(const lb_data* d) {
  return d->work->loops ? d->work->loops->lands : NULL;
}

void lb_loops_save(const lb_data* d, double* place) {
  const lb_loops* L = d->work->loops;
  for (int i = 0; L && i < lb_loops_most_rows(d->model); i++) {
    place[i] = (L->touching[i] ? LB_LOOPS_TOUCHES : 0) + (L->left_out[i] ? LB_LOOPS_OUT : 0);
  }
}

void lb_loops_load(lb_data* d, const double* place) {
  lb_loops* L = d->work->loops;
  for (int i = 0; L && i < lb_loops_most_rows(d->model); i++) {
    L->touching[i] = (int)place[i] & LB_LOOPS_TOUCHES;
    L->left_out[i] = (int)place[i] & LB_LOOPS_OUT;
  }
}

// The active set, and which constraints are redundant: found once, where a state started.
enum { SET_NUMBERS = 2 };

size_t lb_loops_set_size(const lb_model* m) {
  return SET_NUMBERS + 2 * (size_t)lb_loops_most_rows(m);
}

void lb_loops_set_save(const lb_data* d, double* set) {
  const lb_loops* L = d->work->loops;
  const int n = lb_loops_most_rows(d->model);
  if (L) {
    set[0] = L->own;
    set[1] = L->moves;
    lb_loops_save(d, set + SET_NUMBERS);
    memcpy(set + SET_NUMBERS + n, L->length, (size_t)n * sizeof *set);
  }
}

void lb_loops_set_load(lb_data* d, const double* set) {
  lb_loops* L = d->work->loops;
  const int n = lb_loops_most_rows(d->model);
  if (L) {
    L->own = (int)set[0];
    L->moves = set[1] != 0;
    lb_loops_load(d, set + SET_NUMBERS);
    memcpy(L->length, set + SET_NUMBERS + n, (size_t)n * sizeof *set);
    L->choices++;
  }
}

void lb_loops_leave_out_one_way(lb_data* d, bool out) {
  if (d->work->loops) {
    d->work->loops->both_ways = out;
  }
}

lb_loop_rows lb_loops_measure(const lb_model* m, lb_data* d) {
  return d->work->loops ? measure(m, d) : (lb_loop_rows){0};
}

lb_loop_rows lb_loops_linearise(const lb_model* m, lb_data* d) {
  if (!d->work->loops) {
    return (lb_loop_rows){0};
  }
  lb_loop_rows rows = measure(m, d);
  lb_rows_fill_jacobian(m, d);
  rows.J = d->work->loops->Jt;
  return rows;
}

const double* lb_loops_jacobian(const lb_model* m, lb_data* d) {
  lb_fill_columns(m, d->work);
  lb_rows_fill_jacobian(m, d);
  return d->work->loops->Jt;
}

static void pull_link(const lb_loops* L, const lb_state* state, int link, const lb_row* r,
                      double lambda) {
  if (link != LB_WORLD) {
    const lb_v4 push = r->e * lambda;
    L->pull[link].w += r->turns ? push : lb_v4_cross(r->at - state[link].p, push);
    L->pull[link].v += r->turns ? lb_v4_zero() : push;
  }
}

// On the way in, every link's directions take their part of what acts on it and beyond.
void lb_loops_add_forces(const lb_model* m, lb_data* d, const double* lambda, double scale,
                         double* out) {
  const lb_loops* L = d->work->loops;
  const lb_state* state = d->work->state;
  if (!L) {
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    L->pull[i] = (lb_motion){lb_v4_zero(), lb_v4_zero()};
  }
  for (int i = 0; i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
    const double push = scale * lambda[i];
    if (r->relation >= 0) {
      lb_relation_row(m, r->relation, r->sign * push, false, out);
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
