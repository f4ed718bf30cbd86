// Equations of a node, (1) and (2) of collocation.h, and their derivatives.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/rnea.h"

// --- into the data ---

double lb_excitation_of(const lb_collocating* C, const double* z, int i) {
  const lb_control* c = &C->out->control[i];
  const int k = lb_driven(C, i);
  return k < 0 ? z[C->at.u + i]
               : fmin(fmax(lb_activation_excitation(C->m->muscle.item[c->index].hill,
                                                    z[C->at.x + k], z[C->at.xd + k]),
                           c->least),
                      c->most);
}

static void put_controls(lb_collocating* C, int node, const double* z) {
  const lb_model* m = C->m;
  lb_data* d = C->d[node];
  memset(d->tau, 0, (size_t)m->nv * sizeof *d->tau);
  for (int i = 0; i < C->at.nu; i++) {
    const lb_control* c = &C->out->control[i];
    const double u = z[C->at.u + i];
    if (c->kind == LB_CONTROL_MOTOR) {
      C->command[node * m->nmotor + c->index].to[0] = u;
    } else if (c->kind == LB_CONTROL_MUSCLE) {
      C->excitation[node * m->muscle.count + c->index] = lb_excitation_of(C, z, i);
    } else {
      d->tau[c->index] += u;
    }
  }
}

static void put_muscles(lb_collocating* C, int node, const double* z) {
  const lb_model* m = C->m;
  double* x = C->d[node]->x;
  for (int i = 0; i < m->muscle.count && !C->set->idle; i++) {
    const int at = m->muscle.item[i].x;
    if (at >= 0) {
      x[at] = z[C->activation[i]];
      x[at + 1] = C->fiber[i] >= 0 ? z[C->fiber[i]] : m->muscle.item[i].hill->fiber;
    }
  }
}

// All of it, with forces on links and coordinates in the work space.
static void pose(lb_collocating* C, int node, const double* z, double time) {
  const lb_node_layout* L = &C->at;
  const size_t size = (size_t)L->nv * sizeof(double);
  lb_data* d = C->d[node];
  d->time = time;
  memcpy(d->q, z + L->q, size);
  memcpy(d->qd, z + L->v, size);
  memcpy(d->qdd, z + L->a, size);
  put_controls(C, node, z);
  put_muscles(C, node, z);
  lb_update(C->m, d, LB_FORCED);
  if (L->nl > 0) {
    lb_constraints_apply_multipliers(C->m, d, LB_SET_BILATERAL, z + L->l);
  }
}

// --- (1), (2) and constraints ---

static void state_rows(const lb_collocating* C, int node, const double* z, double* r) {
  const lb_node_layout* L = &C->at;
  const lb_data* d = C->d[node];
  for (int k = 0; k < L->nx; k++) {
    const lb_muscle_state* s = &C->state[k];
    const lb_hill* h = C->m->muscle.item[s->muscle].hill;
    const double a = z[C->activation[s->muscle]], length = d->work->muscles->now[s->muscle].length;
    const int u = C->driver[s->muscle];
    r[L->state + k] =
        s->fiber
            ? lb_hill_balance(h, a, z[L->x + k], z[L->xd + k], length).residual
            : z[L->xd + k] - lb_activation_drive(h, a, z[L->u + u], C->out->control[u].most).rate;
  }
}

static void constraint_rows(const lb_collocating* C, int node, double* r) {
  const lb_node_layout* L = &C->at;
  lb_data* d = C->d[node];
  const lb_constraint_rows rows = lb_constraints_measure(C->m, d, LB_SET_BILATERAL);
  for (int i = 0; i < L->nl; i++) {
    r[L->second + i] = lb_constraints_row(d, i)->acceleration;
    if (C->mesh[node]) {
      r[L->gap + i] = rows.gap[i];
      r[L->rate + i] = rows.rate[i];
    }
  }
}

void lb_node_residual(lb_collocating* C, int node, const double* z, double time, double* r) {
  lb_data* d = C->d[node];
  const lb_work* w = d->work;
  pose(C, node, z, time);
  lb_rnea_forced(C->m, d, w->bias, d->q, d->qd, d->qdd);
  for (int k = 0; k < C->at.nv; k++) {
    r[C->at.force + k] = w->bias[k] - w->tau[k];
  }
  state_rows(C, node, z, r);
  if (C->at.nl > 0) {
    constraint_rows(C, node, r);
  }
}

// --- derivatives ---

static void put_block(const lb_collocating* C, double* J, int row, int column, double scale,
                      const double* from, int rows) {
  const size_t nv = (size_t)C->at.nv, width = (size_t)C->at.count;
  for (size_t i = 0; i < (size_t)rows; i++) {
    for (size_t k = 0; k < nv; k++) {
      J[((size_t)row + i) * width + (size_t)column + k] = scale * from[i * nv + k];
    }
  }
}

static void put_column(const lb_collocating* C, double* J, int column, double scale,
                       const double* from) {
  for (int k = 0; k < C->at.nv; k++) {
    J[(size_t)(C->at.force + k) * (size_t)C->at.count + (size_t)column] = scale * from[k];
  }
}

static double* entry(const lb_collocating* C, double* J, int row, int column) {
  return J + (size_t)row * (size_t)C->at.count + (size_t)column;
}

// Row of a muscle's state.
static void differentiate_state(const lb_collocating* C, double* J, int k, const double* z,
                                double length, const double* arm) {
  const lb_node_layout* L = &C->at;
  const lb_muscle_state* s = &C->state[k];
  const lb_hill* h = C->m->muscle.item[s->muscle].hill;
  const int row = L->state + k, a = C->activation[s->muscle];
  if (s->fiber) {
    const lb_fiber_balance f = lb_hill_balance(h, z[a], z[L->x + k], z[L->xd + k], length);
    *entry(C, J, row, L->xd + k) = f.by_speed;
    *entry(C, J, row, a) = f.by_a;
    *entry(C, J, row, L->x + k) = f.by_l;
    for (int i = 0; i < L->nv; i++) {
      *entry(C, J, row, L->q + i) = -f.by_length * arm[i];
    }
  } else {
    *entry(C, J, row, L->xd + k) = 1;
    const int i = C->driver[s->muscle], u = L->u + i;
    const lb_activation_rate f = lb_activation_drive(h, z[a], z[u], C->out->control[i].most);
    *entry(C, J, row, a) = -f.by_a;
    *entry(C, J, row, u) = -f.by_u;
  }
}

static void differentiate_muscles(lb_collocating* C, lb_collocation_worker* w, int node,
                                  const double* z) {
  const lb_model* m = C->m;
  lb_data* d = C->d[node];
  const bool* left_out = m->muscle.count > 0 ? d->work->muscles->left_out : NULL;
  for (int i = 0; i < m->muscle.count && !C->set->idle; i++) {
    if (left_out && left_out[i]) {
      continue;
    }
    lb_muscle_direction(w->D, d, i, w->arm);
    const lb_muscle_now* now = &d->work->muscles->now[i];
    if (!m->muscle.item[i].hill) {
      put_column(C, w->J, C->at.u + C->driver[i], -now->tension.by_excitation, w->arm);
      continue;
    }
    put_column(C, w->J, C->activation[i], -now->hill.by_a, w->arm);
    if (C->fiber[i] >= 0) {
      put_column(C, w->J, C->fiber[i], -now->hill.by_l, w->arm);
    }
    for (int k = 0; k < C->at.nx; k++) {
      if (C->state[k].muscle == i) {
        differentiate_state(C, w->J, k, z, now->length, w->arm);
      }
    }
  }
}

static void differentiate_controls(const lb_collocating* C, double* J) {
  for (int i = 0; i < C->at.nu; i++) {
    const lb_control* c = &C->out->control[i];
    if (c->kind != LB_CONTROL_MUSCLE) {
      const int v = c->kind == LB_CONTROL_MOTOR ? C->m->motor.v[c->index] : c->index;
      *entry(C, J, C->at.force + v, C->at.u + i) = -1;
    }
  }
}

static void differentiate_constraints(lb_collocating* C, lb_collocation_worker* w, int node) {
  const lb_node_layout* L = &C->at;
  const size_t size = (size_t)L->nl * (size_t)L->nv;
  double *one = w->rows, *two = one + size, *three = two + size;
  lb_data* d = C->d[node];
  lb_constraints_linearise(C->m, d, LB_SET_BILATERAL);
  lb_constraints_differentiate_accelerations(w->D, d, one, two, three);
  put_block(C, w->J, L->second, L->q, 1, one, L->nl);
  put_block(C, w->J, L->second, L->v, 1, two, L->nl);
  put_block(C, w->J, L->second, L->a, 1, three, L->nl);
  lb_constraints_differentiate_rows(w->D, d, one, two, three);
  for (int i = 0; i < L->nl; i++) {
    put_column(C, w->J, L->l + i, -1, three + (size_t)i * (size_t)L->nv);
  }
  if (C->mesh[node]) {
    put_block(C, w->J, L->gap, L->q, 1, one, L->nl);
    put_block(C, w->J, L->rate, L->q, 1, two, L->nl);
    put_block(C, w->J, L->rate, L->v, 1, three, L->nl);
  }
}

void lb_node_jacobian(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                      double time) {
  const lb_node_layout* L = &C->at;
  lb_derivatives* D = w->D;
  lb_data* d = C->d[node];
  memset(w->J, 0, (size_t)L->all * (size_t)L->count * sizeof *w->J);
  pose(C, node, z, time);
  lb_derive_forced(D, d);
  if (L->nl > 0) {
    lb_constraints_differentiate(D, d, z + L->l);
  }
  put_block(C, w->J, L->force, L->q, 1, D->tau_q, L->nv);
  put_block(C, w->J, L->force, L->v, 1, D->tau_qd, L->nv);
  put_block(C, w->J, L->force, L->a, 1, D->M, L->nv);
  differentiate_muscles(C, w, node, z);
  differentiate_controls(C, w->J);
  if (L->nl > 0) {
    differentiate_constraints(C, w, node);
  }
}
