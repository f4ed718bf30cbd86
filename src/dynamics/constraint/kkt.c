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
#include "dynamics/constraint/kkt.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/kkt_inside.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/complementary.h"
#include "math/linear/dense.h"

enum { MOST = LB_JOINT_MOST_V };

// Over what links gave it, a constraint's pivot below this is too small for the order at hand.
static const double SMALL_PIVOT = 1e-9;

// Below this others may be better to keep.
static const double WEAK_PIVOT = 0.05;

// Unilateral constraints whose pivot is below this fraction of the largest are redundant.
static const double REDUNDANT = 1e-11;

// What a coordinate feels of a constraint, over the sizes of both, is rounding below this and
// counts as nothing: else rounding would hold what nothing holds.
static const double ROUNDING = 1e-13;

static double size_of(lb_motion a) {
  return fabs(a.w[0]) + fabs(a.w[1]) + fabs(a.w[2]) + fabs(a.v[0]) + fabs(a.v[1]) + fabs(a.v[2]);
}

// --- blocks ---

static lb_block6* block_of(const lb_kkt* K, int k, int l) {
  return &K->F.LL[(size_t)k * (size_t)K->F.links + (size_t)l];
}

static lb_motion* couple_of(const lb_kkt* K, int k, int r) {
  return &K->F.LR[(size_t)k * (size_t)K->F.rows + (size_t)r];
}

static double* number_of(const lb_kkt* K, int r, int s) {
  return &K->F.RR[(size_t)r * (size_t)K->F.rows + (size_t)s];
}

static void add_scaled(lb_motion* to, double s, lb_motion a) {
  to->w += a.w * s;
  to->v += a.v * s;
}

// Q'S: the force on l for a motion S of k.
static lb_motion block_apply(const lb_block6* Q, lb_motion S) {
  lb_motion out = lb_motion_zero();
  for (int c = 0; c < 3; c++) {
    add_scaled(&out, S.w[c], Q->a[c]);
    add_scaled(&out, S.v[c], Q->a[3 + c]);
  }
  return out;
}

// to += X'Q for k's motion (w, v + w x r) as the parent's.
static void add_rows_shifted(lb_block6* to, const lb_block6* Q, lb_v4 r) {
  const double e[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
  for (int c = 0; c < 3; c++) {
    lb_motion a = Q->a[c];
    for (int d = 0; d < 3; d++) {
      add_scaled(&a, e[c][d], Q->a[3 + d]);
    }
    add_scaled(&to->a[c], 1, a);
    add_scaled(&to->a[3 + c], 1, Q->a[3 + c]);
  }
}

// to += Q X for l's motion as the parent's.
static void add_columns_shifted(lb_block6* to, const lb_block6* Q, lb_v4 r) {
  for (int c = 0; c < 6; c++) {
    add_scaled(&to->a[c], 1, lb_force_shift(Q->a[c], r));
  }
}

// --- entering ---

// The rigid inertia: n = I al + h x a, f = m a + al x h.
static void enter_link(lb_kkt* K, const lb_data* d, const lb_kkt_op* op) {
  const lb_state* s = &d->work->state[op->id];
  const lb_m3 I = s->IA.A;
  const lb_v4 h = s->h, column[3] = {I.x, I.y, I.z};
  const double m = K->m->link[op->id].m;
  const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lb_block6* Q = block_of(K, op->slot, op->slot);
  for (int c = 0; c < 3; c++) {
    const lb_v4 e = lb_v4_load(unit[c]);
    Q->a[c] = (lb_motion){column[c], lb_v4_cross(e, h)};
    Q->a[3 + c] = (lb_motion){lb_v4_cross(h, e), e * m};
  }
}

static void enter_row(lb_kkt* K, const lb_kkt_op* op) {
  const lb_kkt_row* r = &K->row[op->id];
  *number_of(K, op->slot, op->slot) = -(r->compliance + (r->velocity_level ? 0 : K->compliance));
  K->F.gross[op->slot] = 0;
  for (int side = 0; side < 2 && r->present; side++) {
    if (op->ends[side] >= 0) {
      add_scaled(couple_of(K, op->ends[side], op->slot), 1, r->force[side]);
    }
  }
}

// --- elimination ---

// Neighbours of what is eliminated: slots of links and rows, and their s of (3).
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

// (4) with D^-1, [nv][MOST].
static void downdate(lb_kkt* K, const near* n, const double* inverse) {
  const int nv = n->nv;
  for (int j = 0; j < nv; j++) {
    for (int l = 0; l < n->nlink; l++) { // y = D^-1 s
      lb_motion y = lb_motion_zero();
      for (int i = 0; i < nv; i++) {
        add_scaled(&y, -inverse[j * MOST + i], n->s[l * nv + i]);
      }
      for (int k = 0; k < n->nlink; k++) {
        const lb_motion* s = &n->s[k * nv + j];
        lb_block6* Q = block_of(K, n->link[k], n->link[l]);
        for (int c = 0; c < 6; c++) {
          add_scaled(&Q->a[c], lb_motion_part(s, c), y);
        }
      }
    }
    for (int r = 0; r < n->nrow; r++) {
      double y = 0;
      for (int i = 0; i < nv; i++) {
        y += inverse[j * MOST + i] * n->t[r * nv + i];
      }
      for (int k = 0; k < n->nlink && y != 0; k++) {
        add_scaled(couple_of(K, n->link[k], n->row[r]), -y, n->s[k * nv + j]);
      }
      for (int k = 0; k < n->nrow && y != 0; k++) {
        *number_of(K, n->row[k], n->row[r]) -= y * n->t[k * nv + j];
      }
    }
  }
}

// What links give a row, whatever is taken away later.
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
  lb_block6 moved = {0};
  add_columns_shifted(&moved, block_of(K, slot, slot), r);
  add_rows_shifted(block_of(K, p, p), &moved, r);
  add_rows_shifted(block_of(K, p, p), block_of(K, slot, p), r);
  add_columns_shifted(block_of(K, p, p), block_of(K, p, slot), r);
  for (int k = 1; k < n->nlink; k++) {
    add_rows_shifted(block_of(K, p, n->link[k]), block_of(K, slot, n->link[k]), r);
    add_columns_shifted(block_of(K, n->link[k], p), block_of(K, n->link[k], slot), r);
  }
  for (int k = 0; k < n->nrow; k++) {
    add_scaled(couple_of(K, p, n->row[k]), 1, lb_force_shift(*couple_of(K, slot, n->row[k]), r));
  }
}

// Terms of couplings on the joint's own coordinates: added to s.
static void add_terms(lb_kkt* K, const lb_kkt_op* op, const near* n, const lb_link* l) {
  const int* id = K->near_id + op->first + op->nlink;
  for (int i = K->term_first[op->id]; i < K->term_first[op->id + 1]; i++) {
    const lb_kkt_row* r = &K->row[K->term[i].row];
    const lb_model_term* t = &K->m->term[K->term[i].term];
    for (int k = 0; k < n->nrow && r->present; k++) {
      n->t[k * n->nv + t->v - l->v] += id[k] == K->term[i].row ? r->sign * t->factor : 0;
    }
  }
}

// (3)
static void find_panel(lb_kkt* K, const lb_kkt_op* op, const near* n, const lb_link* l,
                       const lb_motion* S, const lb_motion* U, lb_v4 r) {
  const bool parent = l->parent != LB_WORLD;
  const int* row = K->near_id + op->first + op->nlink;
  for (int j = 0; j < n->nv; j++) {
    for (int k = 0; k < n->nlink; k++) {
      n->s[k * n->nv + j] = block_apply(block_of(K, op->slot, n->link[k]), S[j]);
    }
    if (parent) {
      add_scaled(&n->s[j], 1, lb_force_shift(U[j], r));
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

// D^-1, with zeros for velocities that are held.
static bool invert(const lb_kkt* K, double* inverse, double* D, int v, int n) {
  for (int k = 0; k < n; k++) {
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
    if (!is_held(K, v + k) || K->terms.heavier > 0) {
      inverse[k * MOST + k] = 1;
      lb_cholesky_solve(n, D, MOST, 1, inverse + (size_t)k * MOST, MOST);
    }
  }
  return true;
}

static bool factor_joint(const lb_kkt* K, const lb_link* l, const lb_motion* S,
                         const lb_motion* U) {
  double D[MOST * MOST] = {0};
  const double* more = K->terms.diagonal;
  for (int k = 0; k < l->nv; k++) {
    for (int j = 0; j < l->nv; j++) {
      D[k * MOST + j] = lb_motion_dot(S[k], U[j]);
    }
    D[k * MOST + k] += K->m->armature[l->v + k] + (more ? more[l->v + k] : 0);
  }
  double* inverse = K->inverse + (size_t)l->v * MOST;
  if (l->nv == 1 && !is_held(K, l->v)) { // nearly always
    inverse[0] = 1 / D[0];
    return D[0] > 0;
  }
  return invert(K, inverse, D, l->v, l->nv);
}

// What is left of an eliminated link or row in the front: nothing.
static void clear_link(lb_kkt* K, int slot, const near* n) {
  *block_of(K, slot, slot) = (lb_block6){0};
  for (int k = 0; k < n->nlink; k++) {
    *block_of(K, slot, n->link[k]) = *block_of(K, n->link[k], slot) = (lb_block6){0};
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

// For solving, all motions and forces are those at the first origin of a tree.
static lb_v4 behind(const lb_kkt* K, const lb_data* d, int link) {
  return d->work->state[link].p - d->work->state[K->root[link]].p;
}

static void move_panel(lb_kkt* K, const lb_data* d, const lb_kkt_op* op, const near* n) {
  for (int k = 0; k < n->nlink; k++) {
    const lb_v4 at = behind(K, d, K->near_id[op->first + k]);
    for (int j = 0; j < n->nv; j++) {
      n->s[k * n->nv + j] = lb_force_shift(n->s[k * n->nv + j], at);
    }
  }
}

static bool eliminate_link(lb_kkt* K, const lb_data* d, const lb_kkt_op* op) {
  const lb_link* l = &K->m->link[op->id];
  const lb_state* state = &d->work->state[op->id];
  lb_motion *S = K->S + l->column, U[MOST];
  const near n = near_of(K, op, l->driven ? 0 : l->nv);
  LB_JOINT[l->kind]->columns((lb_v4*)S, state);
  for (int k = 0; k < n.nv; k++) {
    U[k] = block_apply(block_of(K, op->slot, op->slot), S[k]);
  }
  const double* inverse = K->inverse + (size_t)l->v * MOST;
  if (!l->driven && !factor_joint(K, l, S, U)) {
    return false;
  }
  find_panel(K, op, &n, l, S, U, state->r);
  if (l->parent != LB_WORLD) {
    merge(K, op->slot, &n, state->r);
  }
  downdate(K, &n, inverse);
  note_gross(K, &n, inverse);
  clear_link(K, op->slot, &n);
  move_panel(K, d, op, &n);
  const lb_v4 at = behind(K, d, op->id);
  for (int k = 0; k < l->nv; k++) {
    S[k] = lb_motion_shift(S[k], at);
  }
  return true;
}

// A row that is not there, or says nothing, has a pivot of zero and goes without a trace.
static bool eliminate_row(lb_kkt* K, const lb_data* d, const lb_kkt_op* op) {
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
    move_panel(K, d, op, &n);
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
    return eliminate_row(K, d, op);
  }
}

// --- rows ---

static void push_on(lb_kkt_row* to, int side, const lb_state* state, int link,
                    const lb_constraint* r, double sign) {
  const lb_v4 e = r->e * sign;
  to->link[side] = link;
  if (link != LB_WORLD) {
    to->force[side] = r->turns ? (lb_motion){e, lb_v4_zero()}
                               : (lb_motion){lb_v4_cross(r->at - state[link].p, e), e};
  }
}

// A free link under a unit multiplier: f.f/m + n.n/I about its centre of mass, roughly.
static double mobility_on(const lb_kkt* K, const lb_data* d, const lb_kkt_row* r) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int i = r->link[side];
    if (i != LB_WORLD && K->m->link[i].m > 0) {
      const lb_state* s = &d->work->state[i];
      const double m = K->m->link[i].m;
      const lb_v4 c = s->h / m, n = r->force[side].w - lb_v4_cross(c, r->force[side].v);
      const double I = (s->IA.A.x[0] + s->IA.A.y[1] + s->IA.A.z[2]) / 2 - m * lb_v4_dot(c, c);
      sum += lb_v4_dot(r->force[side].v, r->force[side].v) / m + (I > 0 ? lb_v4_dot(n, n) / I : 0);
    }
  }
  return sum;
}

static void read_row(lb_kkt_row* to, const lb_data* d, const lb_constraint* from) {
  to->link[0] = to->link[1] = LB_WORLD;
  to->sign = from->sign;
  to->coupling = from->coupling;
  to->compliance = 0;
  to->velocity_level = from->rate_only;
  if (from->coupling < 0) {
    push_on(to, 0, d->work->state, from->b->link, from, 1);
    push_on(to, 1, d->work->state, from->a->link, from, -1);
  }
  to->size = (to->link[0] != LB_WORLD ? size_of(to->force[0]) : 0) +
             (to->link[1] != LB_WORLD ? size_of(to->force[1]) : 0);
}

// With mu = dt (C + dt K) J x, a spring is a row of compliance.
static bool read_springs(lb_kkt* K, const lb_data* d) {
  bool known = true;
  for (int i = 0; i < K->m->nloop; i++) {
    lb_constraint row[3];
    const lb_scene_joint* j = &K->m->loop[i];
    const double stiff = K->terms.dt * (j->damping + K->terms.dt * j->stiffness);
    const int count = stiff > 0 ? lb_constraints_spring_rows(K->m, d, i, row) : 0;
    for (int k = 0; k < count; k++) {
      lb_kkt_row* to = &K->row[K->nconstraint + 3 * i + k];
      read_row(to, d, &row[k]);
      to->present = to->velocity_level = true;
      to->place = -1;
      to->compliance = 1 / stiff;
      to->wish = K->terms.linear ? K->terms.dt * K->terms.dt * j->stiffness / stiff * row[k].cd : 0;
      known &= to->scheduled || to->void_row;
    }
  }
  return known;
}

// Rows of d's constraints; false: the order lacks some of them.
bool lb_kkt_read(lb_kkt* K, const lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  bool known = true;
  double mobility = 0;
  for (int i = 0; i < K->nrow; i++) {
    K->row[i].present = K->row[i].unilateral = false;
  }
  K->count = L->nrow;
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* from = &L->row[i];
    lb_kkt_row* to = &K->row[from->number];
    read_row(to, d, from);
    to->present = !from->unilateral || K->terms.bilateral;
    to->unilateral = !to->present;
    to->place = i;
    mobility += K->terms.damping > 0 ? mobility_on(K, d, to) : 0;
    known &= !to->present || to->scheduled || to->void_row;
  }
  K->compliance = K->terms.damping > 0 ? K->terms.damping * mobility / L->nrow : 0;
  return (K->nrow == K->nconstraint || read_springs(K, d)) && known;
}

// The rows' forces as solving needs them: at the first origins of trees.
static void move_forces(lb_kkt* K, const lb_data* d) {
  for (int i = 0; i < K->nrow; i++) {
    lb_kkt_row* r = &K->row[i];
    for (int side = 0; side < 2 && (r->present || r->unilateral); side++) {
      if (r->link[side] != LB_WORLD) {
        r->moved[side] = lb_force_shift(r->force[side], behind(K, d, r->link[side]));
      }
    }
  }
}

static bool retake(lb_kkt* K, lb_data* d) {
  bool fine = true;
  for (int i = 0; i < K->nop && fine; i++) {
    fine = lb_kkt_take(K, d, &K->op[i]);
  }
  return fine;
}

static void clear_front(lb_kkt* K) {
  const size_t links = (size_t)K->F.links, rows = (size_t)K->F.rows;
  memset(K->F.LL, 0, links * links * sizeof *K->F.LL);
  memset(K->F.LR, 0, links * rows * sizeof *K->F.LR);
  memset(K->F.RR, 0, rows * rows * sizeof *K->F.RR);
}

bool lb_kkt_factor(lb_kkt* K, lb_data* d, lb_kkt_terms terms) {
  K->terms = terms;
  K->weak = false;
  for (int i = 0; i < K->m->nlink; i++) {
    lb_link_weigh(K->m, d->work, i);
  }
  bool made = lb_kkt_read(K, d) && K->ordered && retake(K, d);
  if (!made) {
    clear_front(K);
    made = lb_kkt_order_find(K, d);
  }
  move_forces(K, d);
  return made;
}

int lb_kkt_redundant(const lb_kkt* K, bool* redundant) {
  int own = 0;
  for (int i = 0; i < K->nconstraint; i++) {
    redundant[i] = K->row[i].present && K->pivot[i] == 0;
    own += K->row[i].present && K->pivot[i] != 0;
  }
  return own;
}

bool lb_kkt_feels(const lb_kkt* K, const bool* rows) {
  bool any = false;
  for (int i = 0; i < K->nconstraint; i++) {
    any |= rows[i] && !K->row[i].void_row;
  }
  return any;
}

bool lb_kkt_is_weak(const lb_kkt* K) {
  return K->weak || !K->ordered;
}

// --- solving ---

// z = D^-1 (b + S'P), and what neighbours feel of it.
static void push_link(lb_kkt* K, const lb_kkt_op* op, double* b) {
  const lb_link* l = &K->m->link[op->id];
  const int nv = l->driven ? 0 : l->nv, *id = K->near_id + op->first;
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
  if (l->parent != LB_WORLD) {
    add_scaled(&K->P[l->parent], 1, P);
  }
  const lb_motion* s = (const lb_motion*)(K->panel + op->panel);
  for (int k = 0; k < op->nlink; k++) {
    for (int j = 0; j < nv; j++, s++) {
      add_scaled(&K->P[id[k]], -z[j], *s);
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
    add_scaled(&K->P[id[k]], -z, s[k]);
  }
  const double* t = (const double*)(s + op->nlink);
  for (int k = 0; k < op->nrow; k++) {
    K->z[id[op->nlink + k]] -= t[k] * z;
  }
}

// x = z - D^-1 (sum of s x_n), and the link's velocity.
static void move_link(lb_kkt* K, const lb_kkt_op* op, double* b) {
  const lb_link* l = &K->m->link[op->id];
  const int nv = l->driven ? 0 : l->nv, *id = K->near_id + op->first;
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
  lb_motion V = K->P[l->parent];
  for (int k = 0; k < nv; k++) {
    b[l->v + k] -= lb_dot(nv, inverse + k * MOST, y);
    add_scaled(&V, b[l->v + k], S[k]);
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
}

static void put_wishes(lb_kkt* K, const double* c) {
  for (int i = 0; i < K->nrow; i++) {
    const lb_kkt_row* r = &K->row[i];
    K->z[i] = !r->present || !c ? 0 : r->place >= 0 ? c[r->place] : r->wish;
  }
}

// --- unilateral constraints ---
//
// With y_o the solution for b = J_o' and c = 0, and y that without them, x = y - sum of y_o mu_o
// and
//
//   w = c_o - J_o y + S mu,   S_op = J_o y_p,   mu >= 0, w >= 0, mu w = 0

// J of one row times x, of which the links' velocities are in P.
static double row_dot(const lb_kkt* K, const lb_kkt_row* r, const double* x) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    sum += r->link[side] != LB_WORLD ? lb_motion_dot(r->moved[side], K->P[r->link[side]]) : 0;
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const lb_model_term* term = &K->m->term[t];
    sum += K->m->v_driven[term->v] ? 0 : r->sign * term->factor * x[term->v];
  }
  return sum;
}

static void push_force(lb_kkt* K, const lb_kkt_row* r, double by, double* out) {
  for (int side = 0; side < 2; side++) {
    if (r->link[side] != LB_WORLD) {
      add_scaled(&K->P[r->link[side]], by, r->moved[side]);
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const lb_model_term* term = &K->m->term[t];
    out[term->v] += K->m->v_driven[term->v] ? 0 : by * r->sign * term->factor;
  }
}

static void gather_forces(lb_kkt* K, double* out) {
  for (int i = K->m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &K->m->link[i];
    for (int k = 0; k < l->nv && !l->driven; k++) {
      out[l->v + k] += lb_motion_dot(K->S[l->column + k], K->P[i]);
    }
    if (l->parent != LB_WORLD) {
      add_scaled(&K->P[l->parent], 1, K->P[i]);
    }
  }
}

void lb_kkt_add_forces(lb_kkt* K, const double* mu, double scale, double* out) {
  memset(K->P - 1, 0, (size_t)(K->m->nlink + 1) * sizeof *K->P);
  for (int i = 0; i < K->nrow; i++) {
    const lb_kkt_row* r = &K->row[i];
    if ((r->present || r->unilateral) && r->place >= 0 && mu[r->place] != 0) {
      push_force(K, r, scale * mu[r->place], out);
    }
  }
  gather_forces(K, out);
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

// S, b = c_o - J_o y of the unilateral rows, from right-hand sides that stay.
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
  lb_complementary_solve(count, U->S, U->b, U->always, REDUNDANT, U->mu, U->part, U->work,
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
  for (int i = 0; i < K->nrow; i++) {
    if (K->row[i].present && K->row[i].place >= 0) {
      c[K->row[i].place] = K->z[i];
    }
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
