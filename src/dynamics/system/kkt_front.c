// A tree's KKT system by elimination of links from the leaves on, as in the articulated-body
// algorithm, with constraints among what is eliminated.
//
// Unknowns are the velocities V_i of links as six numbers, those x_i of joints with V_i = X V_p +
// S x_i, p the parent, and the multipliers mu. In these the system's matrix has blocks: Q_ii is the
// inertia of link i, Q_ir the force that a unit multiplier of constraint r exerts on it, -C on the
// diagonal of constraints. Eliminating the joint of a link whose children are gone, with V_i
// replaced by X V_p + S x_i everywhere, leaves for all n, l that Q_i. couples, and the parent,
//
//   Q_pn += X'Q_in,   Q_pp += X'Q_ii X + X'Q_ip + Q_pi X                              (2)
//   D = S'Q_ii S + block,   s_n = S'Q_in,   s_p = S'(Q_ii X + Q_ip)                   (3)
//   Q_nl -= s_n'D^-1 s_l                                                              (4)
//
// and a constraint leaves (4) with s_n = Q_rn and D = Q_rr. Without constraints that is the
// articulated-body algorithm. With them, neighbours of what is eliminated come to be neighbours of
// each other: in a ladder these are the two rails and the rungs next to them, however long it is.
//
// What is coupled with what is not yet eliminated stands in a front, a small dense table of blocks:
// links and constraints enter it when they are first needed and leave it when they are eliminated.
// The order, and with it all indices, is found once (kkt_order.c) and kept until a pivot says that
// another is needed.
#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/system/kkt_inside.h"
#include "math/linear/dense.h"

enum { MOST = LB_JOINT_MOST_V };

// Over what links gave it, a constraint's pivot below this is too small for the order at hand.
static const double SMALL_PIVOT = 1e-9;

// Below this others may be better to keep.
static const double WEAK_PIVOT = 0.05;

// Rounding: a constraint's derivative by a coordinate below this, over the sizes of both, is zero;
// else rounding would hold a free coordinate.
static const double ROUNDING = 1e-13;

static double size_of(lb_motion a) {
  return fabs(a.w[0]) + fabs(a.w[1]) + fabs(a.w[2]) + fabs(a.v[0]) + fabs(a.v[1]) + fabs(a.v[2]);
}

// --- blocks ---

// Q_kl of slots k <= l: Q_lk is its transpose.
static lb_block6* block_of(const lb_kkt* K, int k, int l) {
  return &K->F.LL[(size_t)k * (size_t)K->F.links + (size_t)l];
}

static lb_block6 transposed(const lb_block6* Q) {
  lb_block6 out;
  for (int c = 0; c < 6; c++) {
    for (int k = 0; k < 3; k++) {
      out.a[k].w[3] = out.a[k].v[3] = out.a[3 + k].w[3] = out.a[3 + k].v[3] = 0;
      (c < 3 ? &out.a[k].w : &out.a[k].v)[0][c % 3] = Q->a[c].w[k];
      (c < 3 ? &out.a[3 + k].w : &out.a[3 + k].v)[0][c % 3] = Q->a[c].v[k];
    }
  }
  return out;
}

// Q_kl of any two slots; it may be in `room`.
static const lb_block6* view_block(const lb_kkt* K, int k, int l, lb_block6* room) {
  if (k <= l) {
    return block_of(K, k, l);
  }
  *room = transposed(block_of(K, l, k));
  return room;
}

// Q_kl'S: the force on l for a motion S of k.
static lb_motion apply_block(const lb_kkt* K, int k, int l, lb_motion S) {
  if (k <= l) {
    return lb_block_apply(block_of(K, k, l), S);
  }
  const lb_motion* a = block_of(K, l, k)->a;
  return (lb_motion){{lb_motion_dot(a[0], S), lb_motion_dot(a[1], S), lb_motion_dot(a[2], S), 0},
                     {lb_motion_dot(a[3], S), lb_motion_dot(a[4], S), lb_motion_dot(a[5], S), 0}};
}

static lb_motion* couple_of(const lb_kkt* K, int k, int r) {
  return &K->F.LR[(size_t)r * (size_t)K->F.links + (size_t)k];
}

static double* number_of(const lb_kkt* K, int r, int s) {
  return &K->F.RR[(size_t)r * (size_t)K->F.rows + (size_t)s];
}

// to += X'Q for k's motion (w, v + w x r) as the parent's.
static void add_rows_shifted(lb_block6* to, const lb_block6* Q, lb_v4 r) {
  const double e[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
  for (int c = 0; c < 3; c++) {
    lb_motion a = Q->a[c];
    for (int d = 0; d < 3; d++) {
      lb_add_scaled(&a, e[c][d], Q->a[3 + d]);
    }
    lb_add_scaled(&to->a[c], 1, a);
    lb_add_scaled(&to->a[3 + c], 1, Q->a[3 + c]);
  }
}

// to += Q X for l's motion as the parent's.
static void add_columns_shifted(lb_block6* to, const lb_block6* Q, lb_v4 r) {
  for (int c = 0; c < 6; c++) {
    lb_add_scaled(&to->a[c], 1, lb_force_shift(Q->a[c], r));
  }
}

// --- entering ---

// The rigid inertia: n = I al + h x a, f = m a + al x h.
static void enter_link(lb_kkt* K, const lb_data* d, const lb_kkt_op* op) {
  const lb_state* s = &d->work->state[op->id];
  const lb_m3 I = s->IA.A;
  const lb_v4 h = s->h, column[3] = {I.x, I.y, I.z};
  const double m = K->m->link.packed[op->id].m;
  const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lb_block6* Q = block_of(K, op->slot, op->slot);
  for (int c = 0; c < 3; c++) {
    const lb_v4 e = lb_v4_load(unit[c]);
    Q->a[c] = (lb_motion){column[c], lb_v4_cross(e, h)};
    Q->a[3 + c] = (lb_motion){lb_v4_cross(h, e), e * m};
  }
  if (K->span.count > 0) {
    K->span.I[op->id] = (lb_kkt_inertia){I, h, m};
  }
}

static void enter_row(lb_kkt* K, const lb_kkt_op* op) {
  const lb_kkt_row* r = &K->row[op->id];
  *number_of(K, op->slot, op->slot) = -(r->compliance + (r->velocity_level ? 0 : K->compliance));
  K->F.gross[op->slot] = 0;
  for (int side = 0; side < 2 && r->present; side++) {
    if (op->ends[side] >= 0) {
      lb_add_scaled(couple_of(K, op->ends[side], op->slot), 1, r->force[side]);
    }
  }
}

// --- elimination ---

// Neighbours of what is eliminated: slots of links and constraints, and their s of (3).
typedef struct near {
  int nv, nlink, nrow;
  const int *link, *row;
  lb_motion* s; // [nlink][nv]
  double* t;    // [nrow][nv]
} near;

static near near_of(const lb_kkt* K, const lb_kkt_op* op, int nv) {
  const int* slot = K->near_slot + op->first;
  double* s = K->panel + op->panel;
  return (near){nv,
                op->nlink,
                op->nrow,
                slot,
                slot + op->nlink,
                (lb_motion*)s,
                s + (size_t)(8 * op->nlink * nv)};
}

// --- downdates of links' blocks ---

// Q += sum of s y'.
static inline void add_products(lb_block6* Q, const lb_motion* s, const lb_motion* y, int count) {
  lb_block6 sum = *Q;
  for (int i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) {
      lb_add_scaled(&sum.a[c], s[i].w[c], y[i]);
      lb_add_scaled(&sum.a[3 + c], s[i].v[c], y[i]);
    }
  }
  *Q = sum;
}

static void take_deferred(lb_kkt* K, int k, int l) {
  const lb_kkt_deferred* L = &K->F.later;
  const int first = k < l ? k : l, second = k < l ? l : k;
  add_products(block_of(K, first, second), L->s + (size_t)first * LB_KKT_DEFERRED,
               L->y + (size_t)second * LB_KKT_DEFERRED, L->count);
}

static void forget_deferred(lb_kkt_deferred* L, int at) {
  const size_t slot = (size_t)L->list[at];
  memset(L->s + slot * LB_KKT_DEFERRED, 0, LB_KKT_DEFERRED * sizeof *L->s);
  memset(L->y + slot * LB_KKT_DEFERRED, 0, LB_KKT_DEFERRED * sizeof *L->y);
  L->at[slot] = -1;
  L->list[at] = L->list[--L->listed];
  if (at < L->listed) {
    L->at[L->list[at]] = at;
  }
}

// All blocks of a slot, before it is eliminated: of the others none is needed for that.
static void finish_slot(lb_kkt* K, int slot) {
  lb_kkt_deferred* L = &K->F.later;
  if (L->at[slot] >= 0) {
    for (int i = 0; i < L->listed; i++) {
      take_deferred(K, slot, L->list[i]);
    }
    forget_deferred(L, L->at[slot]);
  }
}

static void finish_all(lb_kkt* K) {
  while (K->F.later.listed > 0) {
    finish_slot(K, K->F.later.list[K->F.later.listed - 1]);
  }
  K->F.later.count = 0;
}

// One of nv downdates of links' blocks, for later.
static void defer(lb_kkt* K, const near* n, int j, const lb_motion* y) {
  lb_kkt_deferred* L = &K->F.later;
  if (L->count == LB_KKT_DEFERRED) {
    finish_all(K);
  }
  for (int k = 0; k < n->nlink; k++) {
    const int slot = n->link[k];
    const size_t at = (size_t)slot * LB_KKT_DEFERRED + (size_t)L->count;
    if (L->at[slot] < 0) {
      L->at[slot] = L->listed;
      L->list[L->listed++] = slot;
    }
    L->s[at] = n->s[k * n->nv + j];
    L->y[at] = y[k];
  }
  L->count++;
}

static void downdate_links(lb_kkt* K, const near* n, int j, const lb_motion* y) {
  for (int l = 0; l < n->nlink; l++) {
    for (int k = 0; k < n->nlink; k++) {
      if (n->link[k] <= n->link[l]) {
        add_products(block_of(K, n->link[k], n->link[l]), &n->s[k * n->nv + j], &y[l], 1);
      }
    }
  }
}

// Neighbours from which on it pays to defer.
enum { MANY = 8 };

// (4) with D^-1, [nv][MOST].
static void downdate(lb_kkt* K, const near* n, const double* inverse) {
  const int nv = n->nv;
  lb_motion* y_link = K->F.y;
  for (int j = 0; j < nv; j++) {
    for (int l = 0; l < n->nlink; l++) { // y = -D^-1 s
      y_link[l] = lb_motion_zero();
      for (int i = 0; i < nv; i++) {
        lb_add_scaled(&y_link[l], -inverse[j * MOST + i], n->s[l * nv + i]);
      }
    }
    (K->F.later.allowed && n->nlink >= MANY ? defer : downdate_links)(K, n, j, y_link);
    for (int r = 0; r < n->nrow; r++) {
      double y = 0;
      for (int i = 0; i < nv; i++) {
        y += inverse[j * MOST + i] * n->t[r * nv + i];
      }
      for (int k = 0; k < n->nlink && y != 0; k++) {
        lb_add_scaled(couple_of(K, n->link[k], n->row[r]), -y, n->s[k * nv + j]);
      }
      for (int k = 0; k < n->nrow && y != 0; k++) {
        *number_of(K, n->row[r], n->row[k]) -= y * n->t[k * nv + j];
      }
    }
  }
}

// Diagonal of a constraint from links, before other constraints are taken away.
static void note_gross(lb_kkt* K, const near* n, const double* inverse) {
  for (int r = 0; r < n->nrow; r++) {
    for (int j = 0; j < n->nv; j++) {
      for (int i = 0; i < n->nv; i++) {
        K->F.gross[n->row[r]] += inverse[j * MOST + i] * n->t[r * n->nv + i] * n->t[r * n->nv + j];
      }
    }
  }
}

// (2) of a link and its parent, the first of its neighbours.
static void merge(lb_kkt* K, int slot, const near* n, lb_v4 r) {
  const int p = n->link[0];
  lb_block6 moved = {0}, room;
  add_columns_shifted(&moved, block_of(K, slot, slot), r);
  add_rows_shifted(block_of(K, p, p), &moved, r);
  add_rows_shifted(block_of(K, p, p), view_block(K, slot, p, &room), r);
  add_columns_shifted(block_of(K, p, p), view_block(K, p, slot, &room), r);
  for (int k = 1; k < n->nlink; k++) {
    const int to = n->link[k];
    if (p <= to) {
      add_rows_shifted(block_of(K, p, to), view_block(K, slot, to, &room), r);
    } else {
      add_columns_shifted(block_of(K, to, p), view_block(K, to, slot, &room), r);
    }
  }
  for (int k = 0; k < n->nrow; k++) {
    lb_add_scaled(couple_of(K, p, n->row[k]), 1, lb_force_shift(*couple_of(K, slot, n->row[k]), r));
  }
}

// Terms of couplings on the joint's own coordinates: added to s.
static void add_terms(lb_kkt* K, const lb_kkt_op* op, const near* n, const lb_link* l) {
  const int* id = K->near_id + op->first + op->nlink;
  for (int i = K->on.term_first[op->id]; i < K->on.term_first[op->id + 1]; i++) {
    const lb_kkt_row* r = &K->row[K->on.term[i].row];
    const lb_model_term* t = &K->m->constraint.term[K->on.term[i].term];
    const double slope = K->slope[K->on.term[i].term];
    for (int k = 0; k < n->nrow && r->present; k++) {
      n->t[k * n->nv + t->v - l->v] += id[k] == K->on.term[i].row ? r->sign * slope : 0;
    }
  }
}

// (3)
static void find_panel(lb_kkt* K, const lb_kkt_op* op, const near* n, const lb_link* l,
                       const lb_motion* S, const lb_motion* U, lb_v4 r) {
  const bool parent = K->link[op->id].parent != LB_WORLD;
  const int* row = K->near_id + op->first + op->nlink;
  for (int j = 0; j < n->nv; j++) {
    for (int k = 0; k < n->nlink; k++) {
      n->s[k * n->nv + j] = apply_block(K, op->slot, n->link[k], S[j]);
    }
    if (parent) {
      lb_add_scaled(&n->s[j], 1, lb_force_shift(U[j], r));
    }
    const double felt = size_of(S[j]);
    for (int k = 0; k < n->nrow; k++) {
      const double t = lb_motion_dot(S[j], *couple_of(K, op->slot, n->row[k]));
      n->t[k * n->nv + j] = fabs(t) > ROUNDING * felt * K->row[row[k]].size ? t : 0;
    }
  }
  add_terms(K, op, n, l);
}

static bool is_held(const lb_kkt* K, int v) {
  return K->terms.held && K->terms.held[v];
}

// D^-1, with zeros for velocities v and on that are held; -1: they are no coordinates.
static bool invert(const lb_kkt* K, double* inverse, double* D, int v, int n) {
  for (int k = 0; k < n && v >= 0; k++) {
    if (is_held(K, v + k) && K->terms.heavier > 0) {
      D[k * MOST + k] *= K->terms.heavier;
    } else if (is_held(K, v + k)) {
      for (int j = 0; j < n; j++) {
        D[k * MOST + j] = D[j * MOST + k] = j == k;
      }
    }
  }
  if (lb_cholesky(n, D, MOST) != LB_OK) {
    return false;
  }
  memset(inverse, 0, (size_t)(n * MOST) * sizeof *inverse);
  for (int k = 0; k < n; k++) {
    if (v < 0 || !is_held(K, v + k) || K->terms.heavier > 0) {
      inverse[k * MOST + k] = 1;
      lb_cholesky_solve(n, D, MOST, 1, inverse + (size_t)k * MOST, MOST);
    }
  }
  return true;
}

static bool factor_joint(const lb_kkt* K, int link, const lb_motion* S, const lb_motion* U) {
  double D[MOST * MOST] = {0};
  const lb_link* l = &K->m->link.packed[link];
  const bool own = K->link[link].loop < 0;
  const double* more = K->terms.diagonal;
  const int nv = K->link[link].nv;
  for (int k = 0; k < nv; k++) {
    for (int j = 0; j < nv; j++) {
      D[k * MOST + j] = lb_motion_dot(S[k], U[j]);
    }
    D[k * MOST + k] += own ? K->m->dof.armature[l->v + k] + (more ? more[l->v + k] : 0) : 0;
  }
  if (!own) {
    lb_kkt_span_stiffen(K, link, D);
  }
  double* inverse = K->inverse + (size_t)l->v * MOST;
  if (nv == 1 && !(own && is_held(K, l->v))) { // nearly always
    inverse[0] = 1 / D[0];
    return D[0] > 0;
  }
  return invert(K, inverse, D, own ? l->v : -1, nv);
}

// An eliminated link or constraint leaves zeros in the front.
static void clear_link(lb_kkt* K, int slot, const near* n) {
  *block_of(K, slot, slot) = (lb_block6){0};
  for (int k = 0; k < n->nlink; k++) {
    const int to = n->link[k];
    *block_of(K, slot < to ? slot : to, slot < to ? to : slot) = (lb_block6){0};
  }
  for (int k = 0; k < n->nrow; k++) {
    *couple_of(K, slot, n->row[k]) = lb_motion_zero();
  }
}

static void clear_row(lb_kkt* K, int slot, const near* n) {
  *number_of(K, slot, slot) = 0;
  for (int k = 0; k < n->nlink; k++) {
    *couple_of(K, n->link[k], slot) = lb_motion_zero();
  }
  for (int k = 0; k < n->nrow; k++) {
    *number_of(K, slot, n->row[k]) = *number_of(K, n->row[k], slot) = 0;
  }
}

// For solving, all motions and forces are those at the origin of a tree's root.
static void move_panel(lb_kkt* K, const lb_kkt_op* op, const near* n) {
  for (int k = 0; k < n->nlink; k++) {
    const lb_v4 at = K->link[K->near_id[op->first + k]].at;
    for (int j = 0; j < n->nv; j++) {
      n->s[k * n->nv + j] = lb_force_shift(n->s[k * n->nv + j], at);
    }
  }
}

static bool eliminate_link(lb_kkt* K, const lb_data* d, const lb_kkt_op* op) {
  const lb_link* l = &K->m->link.packed[op->id];
  const lb_kkt_link* own = &K->link[op->id];
  lb_motion *S = K->S + l->column, U[MOST];
  const near n = near_of(K, op, own->nv);
  finish_slot(K, op->slot);
  if (own->loop >= 0) {
    memcpy(S, K->span.S + l->column, (size_t)n.nv * sizeof *S);
  } else {
    LB_JOINT[l->kind]->columns((lb_v4*)S, &d->work->state[op->id]);
  }
  for (int k = 0; k < n.nv; k++) {
    U[k] = lb_block_apply(block_of(K, op->slot, op->slot), S[k]);
  }
  const double* inverse = K->inverse + (size_t)l->v * MOST;
  if (n.nv > 0 && !factor_joint(K, op->id, S, U)) {
    return false;
  }
  find_panel(K, op, &n, l, S, U, own->r);
  if (own->parent != LB_WORLD) {
    merge(K, op->slot, &n, own->r);
  }
  downdate(K, &n, inverse);
  note_gross(K, &n, inverse);
  clear_link(K, op->slot, &n);
  move_panel(K, op, &n);
  for (int k = 0; k < n.nv; k++) {
    S[k] = lb_motion_shift(S[k], own->at);
  }
  return true;
}

// A constraint that is not there, or says nothing, has a pivot of zero and goes without a trace.
static bool eliminate_row(lb_kkt* K, const lb_kkt_op* op) {
  const near n = near_of(K, op, 1);
  const double D = *number_of(K, op->slot, op->slot), size = -D;
  const bool out = !K->row[op->id].present || K->row[op->id].redundant;
  const double inverse = 1 / D;
  const bool fine = out || size > SMALL_PIVOT * K->F.gross[op->slot];
  K->weak |= !out && !(size > WEAK_PIVOT * K->F.gross[op->slot]);
  K->pivot[op->id] = out || !fine ? 0 : D;
  for (int k = 0; k < n.nlink; k++) {
    n.s[k] = *couple_of(K, n.link[k], op->slot);
  }
  for (int k = 0; k < n.nrow; k++) {
    n.t[k] = *number_of(K, op->slot, n.row[k]);
  }
  clear_row(K, op->slot, &n);
  if (K->pivot[op->id] != 0) {
    downdate(K, &n, &inverse);
    move_panel(K, op, &n);
  }
  return fine;
}

bool lb_kkt_take(lb_kkt* K, lb_data* d, const lb_kkt_op* op) {
  switch (op->kind) {
  case LB_KKT_ENTER_LINK:
    enter_link(K, d, op);
    return true;
  case LB_KKT_ENTER_ROW:
    enter_row(K, op);
    return true;
  case LB_KKT_LINK:
    return eliminate_link(K, d, op);
  default:
    return eliminate_row(K, op);
  }
}
