// Solving with the factors of the KKT system (kkt_front.c): inwards along the order of elimination
// and back, then unilateral constraints on top.
#include <string.h>

#include "dynamics/system/kkt_inside.h"
#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

enum { MOST = LB_JOINT_MOST_V };

// z = D^-1 (b + S'P), and what neighbours feel of it.
static void push_link(lb_kkt* K, const lb_kkt_op* op, double* b) {
  const lb_link* l = &K->m->link.packed[op->id];
  const int nv = K->link[op->id].nv, *id = K->near_id + op->first;
  const lb_motion P = K->P[op->id], *S = K->S + l->column;
  const double* inverse = K->inverse + (size_t)l->v * MOST;
  double z[MOST], y[MOST];
  for (int k = 0; k < nv; k++) {
    y[k] = b[l->v + k] + lb_motion_dot(S[k], P);
  }
  for (int k = 0; k < nv; k++) {
    z[k] = lb_dot(nv, inverse + k * MOST, y);
    b[l->v + k] = z[k];
  }
  const int parent = K->link[op->id].parent;
  if (parent != LB_WORLD) {
    lb_add_scaled(&K->P[parent], 1, P);
  }
  const lb_motion* s = (const lb_motion*)(K->panel + op->panel);
  for (int k = 0; k < op->nlink; k++) {
    for (int j = 0; j < nv; j++, s++) {
      lb_add_scaled(&K->P[id[k]], -z[j], *s);
    }
  }
  const double* t = (const double*)s;
  for (int k = 0; k < op->nrow; k++) {
    for (int j = 0; j < nv; j++, t++) {
      K->z[id[op->nlink + k]] -= *t * z[j];
    }
  }
}

static void push_row(lb_kkt* K, const lb_kkt_op* op) {
  const int* id = K->near_id + op->first;
  const double D = K->pivot[op->id];
  if (D == 0) {
    K->z[op->id] = 0;
    return;
  }
  const double z = K->z[op->id] /= D;
  const lb_motion* s = (const lb_motion*)(K->panel + op->panel);
  for (int k = 0; k < op->nlink; k++) {
    lb_add_scaled(&K->P[id[k]], -z, s[k]);
  }
  const double* t = (const double*)(s + op->nlink);
  for (int k = 0; k < op->nrow; k++) {
    K->z[id[op->nlink + k]] -= t[k] * z;
  }
}

// x = z - D^-1 (sum of s x_n), and the link's velocity.
static void move_link(lb_kkt* K, const lb_kkt_op* op, double* b) {
  const lb_link* l = &K->m->link.packed[op->id];
  const int nv = K->link[op->id].nv, *id = K->near_id + op->first;
  const lb_motion* S = K->S + l->column;
  const double* inverse = K->inverse + (size_t)l->v * MOST;
  double y[MOST] = {0};
  const lb_motion* s = (const lb_motion*)(K->panel + op->panel);
  for (int k = 0; k < op->nlink; k++) {
    for (int j = 0; j < nv; j++, s++) {
      y[j] += lb_motion_dot(*s, K->P[id[k]]);
    }
  }
  const double* t = (const double*)s;
  for (int k = 0; k < op->nrow; k++) {
    for (int j = 0; j < nv; j++, t++) {
      y[j] += *t * K->z[id[op->nlink + k]];
    }
  }
  lb_motion V = K->P[K->link[op->id].parent];
  for (int k = 0; k < nv; k++) {
    b[l->v + k] -= lb_dot(nv, inverse + k * MOST, y);
    lb_add_scaled(&V, b[l->v + k], S[k]);
  }
  for (int k = 0; k < l->nv && l->driven; k++) {
    b[l->v + k] = 0;
  }
  K->P[op->id] = V;
}

static void move_row(lb_kkt* K, const lb_kkt_op* op) {
  const int* id = K->near_id + op->first;
  const double D = K->pivot[op->id];
  double sum = 0;
  const lb_motion* s = (const lb_motion*)(K->panel + op->panel);
  for (int k = 0; k < op->nlink && D != 0; k++) {
    sum += lb_motion_dot(s[k], K->P[id[k]]);
  }
  const double* t = (const double*)(s + op->nlink);
  for (int k = 0; k < op->nrow && D != 0; k++) {
    sum += t[k] * K->z[id[op->nlink + k]];
  }
  K->z[op->id] -= D != 0 ? sum / D : 0;
}

// Solve with right-hand sides b and z, and have x and mu there.
static void solve(lb_kkt* K, double* b) {
  memset(K->P - 1, 0, (size_t)(K->m->nlink + 1) * sizeof *K->P);
  const bool spans = K->span.count > 0;
  if (spans) {
    lb_kkt_span_begin(K, b);
  }
  for (int i = 0; i < K->nop; i++) {
    const lb_kkt_op* op = &K->op[i];
    if (op->kind == LB_KKT_LINK) {
      push_link(K, op, b);
    } else if (op->kind == LB_KKT_ROW) {
      push_row(K, op);
    }
  }
  K->P[-1] = lb_motion_zero();
  for (int i = K->nop - 1; i >= 0; i--) {
    const lb_kkt_op* op = &K->op[i];
    if (op->kind == LB_KKT_LINK) {
      move_link(K, op, b);
    } else if (op->kind == LB_KKT_ROW) {
      move_row(K, op);
    }
  }
  if (spans) {
    lb_kkt_span_end(K, b);
  }
}

static void put_wishes(lb_kkt* K, const double* c) {
  K->homogeneous = !c;
  for (int i = 0; i < K->count; i++) {
    K->z[K->number[i]] = c ? c[i] : 0;
  }
  const bool springs = K->nrow > K->nconstraint || K->m->constraint.ncompliant > 0;
  for (int i = springs ? 0 : K->nlisted; i < K->nlisted; i++) {
    const lb_kkt_row* r = &K->row[K->listed[i]];
    K->z[K->listed[i]] = r->place >= 0 ? K->z[K->listed[i]] : c ? r->wish : 0;
  }
}

// --- unilateral constraints ---
//
// With y_o the solution for b = J_o' and c = 0, and y that without them, x = y - sum of y_o mu_o
// and
//
//   w = c_o - J_o y + S mu,   S_op = J_o y_p,   mu >= 0, w >= 0, mu w = 0

// J of one constraint times x, of which the links' velocities are in P.
static double row_dot(const lb_kkt* K, const lb_kkt_row* r, const double* x) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    sum += r->link[side] != LB_WORLD ? lb_motion_dot(r->force[side], K->P[r->link[side]]) : 0;
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->constraint.coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const lb_model_term* term = &K->m->constraint.term[t];
    sum += K->m->dof.driven[term->v] ? 0 : r->sign * K->slope[t] * x[term->v];
  }
  return sum;
}

static void push_force(lb_kkt* K, const lb_kkt_row* r, double by, double* out) {
  for (int side = 0; side < 2; side++) {
    if (r->link[side] != LB_WORLD) {
      lb_add_scaled(&K->P[r->link[side]], by, r->force[side]);
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->constraint.coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const lb_model_term* term = &K->m->constraint.term[t];
    out[term->v] += K->m->dof.driven[term->v] ? 0 : by * r->sign * K->slope[t];
  }
}

static void gather_forces(lb_kkt* K, double* out) {
  for (int i = K->m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &K->m->link.packed[i];
    if (K->link[i].loop >= 0) {
      lb_kkt_span_gather(K, i, out);
      continue;
    }
    for (int k = 0; k < l->nv && !l->driven; k++) {
      out[l->v + k] += lb_motion_dot(K->S[l->column + k], K->P[i]);
    }
    if (l->parent != LB_WORLD) {
      lb_add_scaled(&K->P[l->parent], 1, K->P[i]);
    }
  }
}

static int list_unilateral(lb_kkt* K) {
  int count = 0;
  for (int i = 0; i < K->nrow && K->uni.most > 0; i++) {
    if (K->row[i].unilateral) {
      K->uni.row[count++] = i;
    }
  }
  return count;
}

void lb_kkt_add_forces(lb_kkt* K, const double* mu, double scale, double* out) {
  memset(K->P - 1, 0, (size_t)(K->m->nlink + 1) * sizeof *K->P);
  for (int i = 0, count = list_unilateral(K); i < K->nlisted + count; i++) {
    const lb_kkt_row* r = &K->row[i < count ? K->uni.row[i] : K->listed[i - count]];
    if (r->place >= 0 && mu[r->place] != 0) {
      push_force(K, r, scale * mu[r->place], out);
    }
  }
  if (K->span.count > 0) {
    lb_kkt_span_push(K, mu, scale);
  }
  gather_forces(K, out);
}

// S, b = c_o - J_o y of the unilateral constraints, from right-hand sides that stay.
static void find_schur(lb_kkt* K, int count, const double* b, const double* c) {
  lb_kkt_unilateral* U = &K->uni;
  const size_t nv = (size_t)K->m->nv * sizeof *b;
  memcpy(U->y, b, nv);
  put_wishes(K, c);
  solve(K, U->y);
  for (int i = 0; i < count; i++) {
    const lb_kkt_row* r = &K->row[U->row[i]];
    U->b[i] = c[r->place] - row_dot(K, r, U->y);
  }
  for (int j = 0; j < count; j++) {
    memset(U->y, 0, nv);
    memset(K->P - 1, 0, (size_t)(K->m->nlink + 1) * sizeof *K->P);
    push_force(K, &K->row[U->row[j]], 1, U->y);
    gather_forces(K, U->y);
    put_wishes(K, NULL);
    solve(K, U->y);
    for (int i = 0; i < count; i++) {
      U->S[i + j * count] = row_dot(K, &K->row[U->row[i]], U->y);
    }
  }
}

// Their mu; b then lacks what they exert.
static void solve_unilateral(lb_kkt* K, int count, double* b, const double* c) {
  lb_kkt_unilateral* U = &K->uni;
  find_schur(K, count, b, c);
  for (int i = 0; i < count; i++) {
    U->always[i] = true;
  }
  lb_complementary_solve(count, U->S, U->b, U->always, LB_REDUNDANT, U->mu, U->part, U->work,
                         U->pivot);
  memset(K->P - 1, 0, (size_t)(K->m->nlink + 1) * sizeof *K->P);
  for (int i = 0; i < count; i++) {
    push_force(K, &K->row[U->row[i]], -U->mu[i], b);
  }
  gather_forces(K, b);
}

void lb_kkt_solve(lb_kkt* K, double* b, double* c, double* gap) {
  const int count = list_unilateral(K);
  if (count > 0) {
    solve_unilateral(K, count, b, c);
  }
  put_wishes(K, c);
  solve(K, b);
  for (int i = 0; i < K->count; i++) {
    c[i] = K->pivot[K->number[i]] != 0 ? K->z[K->number[i]] : 0;
  }
  for (int i = 0; i < K->count && gap; i++) {
    gap[i] = 0;
  }
  for (int i = 0; i < count; i++) {
    const int place = K->row[K->uni.row[i]].place;
    c[place] = K->uni.mu[i];
    if (gap) {
      gap[place] = K->uni.b[i];
    }
  }
}

void lb_kkt_solve_homogeneous(lb_kkt* K, double* b) {
  put_wishes(K, NULL);
  solve(K, b);
}
