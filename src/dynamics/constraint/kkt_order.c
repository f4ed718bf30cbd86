// The order in which links and constraints are eliminated (kkt.c), found by doing it.
//
// A link can go when its children are gone. Of those that can, the one goes that makes the front
// grow least: what is in the front is finished before anything new is begun, and mechanisms that do
// not touch each other come one after the other.
//
// A constraint r goes as soon as its pivot is far from zero. What is left of it on links k that are
// still there could make it larger by at most the sum of Q_kr'Q_kk^-1 Q_kr, as if they were free;
// gone when it has a good part of that, numbers grow by no more than the inverse of that part. What
// has no pivot when nothing is left that could move it, says what others say: it is redundant.
#include <math.h>
#include <string.h>

#include "dynamics/constraint/kkt_inside.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"

// The part of what a pivot could become that is enough.
static const double ENOUGH = 1e-2;

// Of more rows than this that wait, those go that have at least this part.
enum { CROWD = 24 };
static const double HARDLY_ENOUGH = 1e-6;

// Over all that links gave a pivot, it is zero below this; and what is left of a force, over what
// it was.
static const double REDUNDANT = 1e-11, VANISHED = 1e-9;

// What a constraint feels of a coordinate, over what it could, is rounding below this.
static const double ROUNDING = 1e-13;

typedef struct lb_kkt_order {
  int* children;      // [nlink] not yet eliminated
  int* growth;        // [nlink] rows_growth ...
  bool* stale;        // [nlink] ... unless it changed
  bool* gone;         // [nlink]
  int* link_in;       // [F.links] link in each slot, or -1
  int* row_in;        // [F.rows]
  int* row_slot;      // [nrow] or -1
  int* pending;       // [nrow] its terms on links that are still there
  double* size;       // [nrow] square of its forces at first
  bool *LL, *LR, *RR; // which blocks of the front there are
  bool* was_active;   // [F.rows] its pivot changed
} lb_kkt_order;

// --- room ---

static bool take_slots(lb_kkt* K, lb_kkt_order* O) {
  const size_t links = (size_t)K->F.links, rows = (size_t)K->F.rows;
  K->F.LL = LB_TAKE(&K->arena, lb_block6, links * links);
  K->F.LR = LB_TAKE(&K->arena, lb_motion, links * rows);
  K->F.RR = LB_TAKE(&K->arena, double, rows* rows);
  K->F.gross = LB_TAKE(&K->arena, double, rows);
  O->link_in = LB_TAKE(&K->arena, int, links);
  O->row_in = LB_TAKE(&K->arena, int, rows);
  O->LL = LB_TAKE(&K->arena, bool, links* links);
  O->LR = LB_TAKE(&K->arena, bool, links* rows);
  O->RR = LB_TAKE(&K->arena, bool, rows* rows);
  O->was_active = LB_TAKE(&K->arena, bool, rows);
  K->near_slot = LB_TAKE(&K->arena, int, K->most_near);
  K->near_id = LB_TAKE(&K->arena, int, K->most_near);
  K->panel = lb_arena_take(&K->arena, K->most_panel * sizeof *K->panel, LB_ALIGN);
  return K->F.LL && K->F.LR && K->F.RR && K->F.gross && O->link_in && O->row_in && O->LL && O->LR &&
         O->RR && O->was_active && K->near_slot && K->near_id && K->panel;
}

static bool take_rows(lb_kkt* K, lb_kkt_order* O) {
  const lb_model* m = K->m;
  const size_t nlink = (size_t)m->nlink, nrow = (size_t)K->nrow;
  K->row = LB_TAKE(&K->arena, lb_kkt_row, nrow);
  K->term_first = LB_TAKE(&K->arena, int, nlink + 1);
  K->term = LB_TAKE(&K->arena, lb_kkt_term, m->nterm);
  K->act_first = LB_TAKE(&K->arena, int, nlink + 1);
  K->act = LB_TAKE(&K->arena, int, 2 * nrow + (size_t)m->nterm);
  K->root = LB_TAKE(&K->arena, int, nlink);
  K->slot = LB_TAKE(&K->arena, int, nlink);
  K->op = LB_TAKE(&K->arena, lb_kkt_op, K->most_op);
  K->S = LB_TAKE(&K->arena, lb_motion, m->ncolumn);
  K->inverse = LB_TAKE(&K->arena, double, (size_t)m->nv* LB_JOINT_MOST_V);
  K->pivot = LB_TAKE(&K->arena, double, nrow);
  K->P = LB_TAKE(&K->arena, lb_motion, nlink + 1);
  K->z = LB_TAKE(&K->arena, double, nrow);
  O->children = LB_TAKE(&K->arena, int, nlink);
  O->gone = LB_TAKE(&K->arena, bool, nlink);
  O->growth = LB_TAKE(&K->arena, int, nlink);
  O->stale = LB_TAKE(&K->arena, bool, nlink);
  O->row_slot = LB_TAKE(&K->arena, int, nrow);
  O->pending = LB_TAKE(&K->arena, int, nrow);
  O->size = LB_TAKE(&K->arena, double, nrow);
  return K->row && K->term_first && K->term && K->act_first && K->act && K->root && K->slot &&
         K->op && K->S && K->inverse && K->pivot && K->P && K->z && O->children && O->gone &&
         O->growth && O->stale && O->row_slot && O->pending && O->size;
}

// Unilateral constraints that there can be.
static int count_unilateral(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nprescribed; i++) {
    count += m->prescribed[i].unilateral;
  }
  for (int i = 0; i < m->ncoupling; i++) {
    count += m->coupling[i].unilateral;
  }
  return count;
}

static bool take_unilateral(lb_kkt* K) {
  const size_t n = (size_t)count_unilateral(K->m);
  lb_kkt_unilateral* U = &K->uni;
  *U = (lb_kkt_unilateral){.most = (int)n,
                           .row = LB_TAKE(&K->arena, int, n),
                           .S = LB_TAKE(&K->arena, double, n* n),
                           .part = LB_TAKE(&K->arena, double, n* n),
                           .b = LB_TAKE(&K->arena, double, n),
                           .mu = LB_TAKE(&K->arena, double, n),
                           .work = LB_TAKE(&K->arena, double, 4 * n),
                           .pivot = LB_TAKE(&K->arena, int, 2 * n),
                           .always = LB_TAKE(&K->arena, bool, n),
                           .y = LB_TAKE(&K->arena, double, K->m->nv)};
  return U->row && U->S && U->part && U->b && U->mu && U->work && U->pivot && U->always && U->y;
}

// --- what acts on what ---

static bool acts(const lb_kkt_row* r) {
  return r->present && !r->redundant;
}

static int link_of_term(const lb_model* m, int term) {
  const int v = m->term[term].v;
  int i = 0, last = m->nlink - 1;
  while (i < last) { // links' velocities rise with their index
    const int middle = (i + last + 1) / 2;
    if (m->link_v[middle] <= v) {
      i = middle;
    } else {
      last = middle - 1;
    }
  }
  return i;
}

// Visit every link that a row acts on: count, or note it in the lists.
static void list_row(lb_kkt* K, int row, int* act, int* term) {
  const lb_kkt_row* r = &K->row[row];
  for (int side = 0; side < 2; side++) {
    const int i = r->link[side];
    if (i != LB_WORLD && (side == 0 || i != r->link[0])) {
      K->act[act[i]] = row;
      act[i]++;
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const int i = link_of_term(K->m, t);
    K->term[term[i]] = (lb_kkt_term){row, t};
    K->act[act[i]] = row;
    term[i]++;
    act[i]++;
  }
}

static void count_row(lb_kkt* K, lb_kkt_order* O, int row) {
  const lb_kkt_row* r = &K->row[row];
  for (int side = 0; side < 2; side++) {
    const int i = r->link[side];
    if (i != LB_WORLD && (side == 0 || i != r->link[0])) {
      K->act_first[i + 1]++;
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const int i = link_of_term(K->m, t);
    K->act_first[i + 1]++;
    K->term_first[i + 1]++;
    O->pending[row]++;
  }
}

static void list_rows(lb_kkt* K, lb_kkt_order* O) {
  const int n = K->m->nlink;
  memset(K->act_first, 0, (size_t)(n + 1) * sizeof *K->act_first);
  memset(K->term_first, 0, (size_t)(n + 1) * sizeof *K->term_first);
  memset(O->pending, 0, (size_t)K->nrow * sizeof *O->pending);
  for (int i = 0; i < K->nrow; i++) {
    if (acts(&K->row[i])) {
      count_row(K, O, i);
    }
  }
  for (int i = 0; i < n; i++) {
    K->act_first[i + 1] += K->act_first[i];
    K->term_first[i + 1] += K->term_first[i];
  }
  int* next = K->slot; // of acts, and of terms in `children`: both are set later
  memcpy(next, K->act_first, (size_t)n * sizeof *next);
  memcpy(O->children, K->term_first, (size_t)n * sizeof *next);
  for (int i = 0; i < K->nrow; i++) {
    if (acts(&K->row[i])) {
      list_row(K, i, next, O->children);
    }
  }
}

static double size_of(lb_v4 x) {
  return fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
}

// Whether a force on a link is felt by a coordinate that carries it.
static bool is_felt(const lb_kkt* K, const lb_data* d, int link, lb_motion force) {
  for (int i = link; i != LB_WORLD; i = K->m->link_parent[i]) {
    const lb_link* l = &K->m->link[i];
    lb_motion S[LB_JOINT_MOST_V];
    LB_JOINT[l->kind]->columns((lb_v4*)S, &d->work->state[i]);
    for (int k = 0; k < l->nv && !l->driven; k++) {
      const double could =
          size_of(S[k].w) * (size_of(force.w) + size_of(d->work->state[i].p) * size_of(force.v)) +
          size_of(S[k].v) * size_of(force.v);
      if (fabs(lb_motion_dot(S[k], force)) > ROUNDING * could) {
        return true;
      }
    }
    force = lb_force_shift(force, d->work->state[i].r);
  }
  return false;
}

// Rows that no coordinate feels here are redundant.
static void find_void(lb_kkt* K, const lb_data* d) {
  for (int i = 0; i < K->nrow; i++) {
    lb_kkt_row* r = &K->row[i];
    r->scheduled = false;
    r->redundant = r->present && r->coupling < 0 &&
                   !(r->link[0] != LB_WORLD && is_felt(K, d, r->link[0], r->force[0])) &&
                   !(r->link[1] != LB_WORLD && is_felt(K, d, r->link[1], r->force[1]));
  }
}

static void begin(lb_kkt* K, const lb_data* d) {
  lb_kkt_order* O = K->order;
  const lb_model* m = K->m;
  const size_t links = (size_t)K->F.links, rows = (size_t)K->F.rows;
  K->nop = K->nnear = 0;
  K->npanel = 0;
  K->overflow = false;
  find_void(K, d);
  list_rows(K, O);
  memset(O->children, 0, (size_t)m->nlink * sizeof *O->children);
  for (int i = 0; i < m->nlink; i++) {
    K->slot[i] = -1;
    O->gone[i] = false;
    O->stale[i] = true;
    if (m->link_parent[i] != LB_WORLD) {
      O->children[m->link_parent[i]]++;
    }
    K->root[i] = m->link_parent[i] == LB_WORLD ? i : K->root[m->link_parent[i]];
  }
  for (int i = 0; i < K->nrow; i++) {
    O->row_slot[i] = -1;
    K->pivot[i] = 0;
  }
  memset(O->link_in, -1, links * sizeof *O->link_in);
  memset(O->row_in, -1, rows * sizeof *O->row_in);
  memset(O->LL, 0, links * links);
  memset(O->LR, 0, links * rows);
  memset(O->RR, 0, rows * rows);
  memset(O->was_active, 0, rows);
}

// --- the front ---

static bool* link_link(const lb_kkt* K, int k, int l) {
  return &K->order->LL[(size_t)k * (size_t)K->F.links + (size_t)l];
}
static bool* link_row(const lb_kkt* K, int k, int r) {
  return &K->order->LR[(size_t)k * (size_t)K->F.rows + (size_t)r];
}
static bool* row_row(const lb_kkt* K, int r, int s) {
  return &K->order->RR[(size_t)r * (size_t)K->F.rows + (size_t)s];
}

static int find_slot(const int* in, int count) {
  int i = 0;
  while (i < count && in[i] >= 0) {
    i++;
  }
  return i < count ? i : -1;
}

static bool take_op(lb_kkt* K, lb_data* d, lb_kkt_op op) {
  K->op[K->nop++] = op;
  return lb_kkt_take(K, d, &K->op[K->nop - 1]);
}

static void make_stale(lb_kkt* K, int row) {
  for (int side = 0; side < 2; side++) {
    const int link = K->row[row].link[side];
    if (link != LB_WORLD) {
      K->order->stale[link] = true;
    }
  }
}

static int enter_link(lb_kkt* K, lb_data* d, int link) {
  lb_kkt_order* O = K->order;
  if (link == LB_WORLD || K->slot[link] >= 0 || K->overflow) {
    return link == LB_WORLD ? -1 : K->slot[link];
  }
  const int slot = find_slot(O->link_in, K->F.links);
  K->overflow = slot < 0;
  if (!K->overflow) {
    O->link_in[slot] = link;
    K->slot[link] = slot;
    for (int i = K->act_first[link]; i < K->act_first[link + 1]; i++) {
      make_stale(K, K->act[i]);
    }
    take_op(K, d, (lb_kkt_op){.kind = LB_KKT_ENTER_LINK, .id = link, .slot = slot});
  }
  return slot;
}

static void enter_row(lb_kkt* K, lb_data* d, int row) {
  lb_kkt_order* O = K->order;
  lb_kkt_row* r = &K->row[row];
  if (O->row_slot[row] >= 0 || K->overflow) {
    return;
  }
  const int slot = find_slot(O->row_in, K->F.rows);
  lb_kkt_op op = {.kind = LB_KKT_ENTER_ROW, .id = row, .slot = slot, .ends = {-1, -1}};
  K->overflow = slot < 0;
  O->size[row] = 0;
  for (int side = 0; side < 2; side++) {
    op.ends[side] = enter_link(K, d, r->link[side]);
    if (op.ends[side] >= 0 && !K->overflow) {
      *link_row(K, op.ends[side], slot) = true;
      O->size[row] += lb_motion_dot(r->force[side], r->force[side]);
    }
  }
  if (!K->overflow) {
    O->row_in[slot] = row;
    O->row_slot[row] = slot;
    r->scheduled = true;
    make_stale(K, row);
    take_op(K, d, op);
  }
}

// Note the neighbours of a slot in the lists, `before` first; nv of what is eliminated.
static bool list_near(lb_kkt* K, lb_kkt_op* op, int before, bool is_link, int nv) {
  const lb_kkt_order* O = K->order;
  op->first = K->nnear;
  op->panel = K->npanel;
  if (K->nnear + K->F.links + K->F.rows > K->most_near) {
    return false;
  }
  if (before >= 0) {
    K->near_slot[K->nnear++] = before;
  }
  for (int k = 0; k < K->F.links; k++) {
    const bool meets = is_link ? *link_link(K, op->slot, k) : *link_row(K, k, op->slot);
    if (O->link_in[k] >= 0 && k != before && !(is_link && k == op->slot) && meets) {
      K->near_slot[K->nnear++] = k;
    }
  }
  op->nlink = K->nnear - op->first;
  for (int r = 0; r < K->F.rows; r++) {
    const bool meets = is_link ? *link_row(K, op->slot, r) : *row_row(K, op->slot, r);
    if (O->row_in[r] >= 0 && !(!is_link && r == op->slot) && meets) {
      K->near_slot[K->nnear++] = r;
    }
  }
  op->nrow = K->nnear - op->first - op->nlink;
  for (int k = op->first; k < K->nnear; k++) {
    K->near_id[k] =
        k < op->first + op->nlink ? O->link_in[K->near_slot[k]] : O->row_in[K->near_slot[k]];
  }
  K->npanel += (size_t)(8 * op->nlink * nv + (op->nrow * nv + 7) / 8 * 8); // keeps motions aligned
  return K->npanel <= K->most_panel;
}

// Neighbours of what goes are neighbours of each other.
static void join_near(lb_kkt* K, const lb_kkt_op* op) {
  const int *link = K->near_slot + op->first, *row = link + op->nlink;
  for (int a = 0; a < op->nlink; a++) {
    for (int b = 0; b < op->nlink; b++) {
      *link_link(K, link[a], link[b]) = true;
    }
    for (int b = 0; b < op->nrow; b++) {
      *link_row(K, link[a], row[b]) = true;
    }
  }
  for (int a = 0; a < op->nrow; a++) {
    K->order->was_active[row[a]] = true;
    for (int b = 0; b < op->nrow; b++) {
      *row_row(K, row[a], row[b]) = true;
    }
  }
}

static void leave_link(lb_kkt* K, int slot) {
  lb_kkt_order* O = K->order;
  for (int k = 0; k < K->F.links; k++) {
    *link_link(K, slot, k) = *link_link(K, k, slot) = false;
  }
  for (int r = 0; r < K->F.rows; r++) {
    *link_row(K, slot, r) = false;
  }
  O->gone[O->link_in[slot]] = true;
  O->link_in[slot] = -1;
}

static void leave_row(lb_kkt* K, int slot) {
  for (int k = 0; k < K->F.links; k++) {
    *link_row(K, k, slot) = false;
  }
  for (int r = 0; r < K->F.rows; r++) {
    *row_row(K, slot, r) = *row_row(K, r, slot) = false;
  }
  K->order->row_in[slot] = -1;
  K->order->was_active[slot] = false;
}

// --- links ---

static bool eliminate_link(lb_kkt* K, lb_data* d, int link) {
  lb_kkt_order* O = K->order;
  const lb_link* l = &K->m->link[link];
  const int slot = enter_link(K, d, link), parent = enter_link(K, d, l->parent);
  for (int i = K->act_first[link]; i < K->act_first[link + 1]; i++) {
    enter_row(K, d, K->act[i]);
    if (!K->overflow) {
      *link_row(K, slot, O->row_slot[K->act[i]]) = true;
    }
  }
  lb_kkt_op op = {.kind = LB_KKT_LINK, .id = link, .slot = slot};
  K->overflow = K->overflow || !list_near(K, &op, parent, true, l->driven ? 0 : l->nv);
  if (K->overflow || !take_op(K, d, op)) {
    return false;
  }
  join_near(K, &op);
  leave_link(K, slot);
  for (int i = K->term_first[link]; i < K->term_first[link + 1]; i++) {
    O->pending[K->term[i].row]--;
  }
  if (l->parent != LB_WORLD) {
    O->children[l->parent]--;
  }
  return true;
}

// By how much the rows that enter with a link make the front grow, in numbers.
static int rows_growth(const lb_kkt* K, int link) {
  const lb_kkt_order* O = K->order;
  int sum = 0;
  for (int i = K->act_first[link]; i < K->act_first[link + 1]; i++) {
    const lb_kkt_row* r = &K->row[K->act[i]];
    for (int side = 0; side < 2 && O->row_slot[K->act[i]] < 0; side++) {
      const int other = r->link[side];
      sum += side == 0;
      sum += other != LB_WORLD && other != link && K->slot[other] < 0 ? 2 : 0;
    }
  }
  return sum;
}

// By how much it would grow if a link went; rows are counted anew where something came or went.
static int growth(const lb_kkt* K, int link) {
  const lb_kkt_order* O = K->order;
  const int parent = K->m->link_parent[link];
  if (O->stale[link]) {
    O->growth[link] = rows_growth(K, link);
    O->stale[link] = false;
  }
  return O->growth[link] + (K->slot[link] < 0 ? 6 : 0) - 6 +
         (parent != LB_WORLD && K->slot[parent] < 0 ? 6 : 0);
}

static int choose_link(const lb_kkt* K) {
  const lb_kkt_order* O = K->order;
  int best = -1, least = 0;
  for (int i = K->m->nlink - 1; i >= 0; i--) {
    if (!O->gone[i] && O->children[i] == 0) {
      const int by = 2 * growth(K, i) - (K->slot[i] >= 0);
      if (best < 0 || by < least) {
        best = i;
        least = by;
      }
    }
  }
  return best;
}

// --- rows ---

static double* pivot_of(const lb_kkt* K, int slot) {
  return &K->F.RR[(size_t)slot * (size_t)K->F.rows + (size_t)slot];
}

// B'Q^-1 B, as if the link were free.
static double free_mobility(const lb_block6* Q, const lb_motion* B) {
  static const double LITTLE = 1e-12;
  double A[36], b[6], x[6];
  double most = 0;
  for (int i = 0; i < 6; i++) {
    b[i] = x[i] = lb_motion_part(B, i);
    for (int j = 0; j < 6; j++) {
      A[i + 6 * j] = lb_motion_part(&Q->a[j], i);
    }
    most = fmax(most, A[7 * i]);
  }
  for (int i = 0; i < 6; i++) {
    A[7 * i] += LITTLE * most;
  }
  if (lb_cholesky(6, A, 6) != LB_OK) {
    return INFINITY;
  }
  lb_cholesky_solve(6, A, 6, 1, x, 6);
  return lb_dot(6, b, x);
}

// What links that are still there could add to a row's pivot, and the square of its forces on them.
typedef struct more {
  double pivot, size;
} more;

static more find_more(const lb_kkt* K, int slot) {
  more sum = {0, 0};
  for (int k = 0; k < K->F.links; k++) {
    if (K->order->link_in[k] >= 0 && *link_row(K, k, slot)) {
      const size_t at = (size_t)k;
      const lb_motion* B = &K->F.LR[at * (size_t)K->F.rows + (size_t)slot];
      sum.pivot += free_mobility(&K->F.LL[at * (size_t)(K->F.links + 1)], B);
      sum.size += lb_motion_dot(*B, *B);
    }
  }
  return sum;
}

// A row's pivot, over what it could become; 0: there is none yet, or terms are to come. Negative:
// it is redundant.
static double ripeness(const lb_kkt* K, int slot) {
  const lb_kkt_order* O = K->order;
  const int row = O->row_in[slot];
  const double pivot = -*pivot_of(K, slot);
  if (O->pending[row] > 0) {
    return 0;
  }
  const bool zero = !(pivot > REDUNDANT * K->F.gross[slot]);
  const more left = find_more(K, slot);
  if (zero) {
    return left.size > VANISHED * VANISHED * O->size[row] ? 0 : -1;
  }
  return left.pivot > 0 ? pivot / left.pivot : INFINITY;
}

static bool eliminate_row(lb_kkt* K, lb_data* d, int slot, bool redundant) {
  const int row = K->order->row_in[slot];
  lb_kkt_op op = {.kind = LB_KKT_ROW, .id = row, .slot = slot};
  K->overflow = K->overflow || !list_near(K, &op, -1, false, 1);
  if (K->overflow) {
    return false;
  }
  K->row[row].redundant = redundant;
  take_op(K, d, op);
  if (!redundant) {
    join_near(K, &op);
  }
  leave_row(K, slot);
  return true;
}

static bool eliminate_rows(lb_kkt* K, lb_data* d) {
  for (int r = 0; r < K->F.rows; r++) {
    const double part = K->order->row_in[r] >= 0 && K->order->was_active[r] ? ripeness(K, r) : 0;
    K->order->was_active[r] = false;
    if (part < 0 || part >= ENOUGH) {
      if (!eliminate_row(K, d, r, part < 0)) {
        return false;
      }
      r = -1; // others may go now
    }
  }
  return true;
}

// Where many wait, the ripest go.
static bool thin_out(lb_kkt* K, lb_data* d) {
  for (;;) {
    int best = -1, waiting = 0;
    double most = HARDLY_ENOUGH;
    for (int r = 0; r < K->F.rows; r++) {
      waiting += K->order->row_in[r] >= 0;
    }
    for (int r = 0; r < K->F.rows && waiting > CROWD; r++) {
      const double part = K->order->row_in[r] >= 0 ? ripeness(K, r) : 0;
      best = part > most ? r : best;
      most = fmax(most, part);
    }
    if (best < 0) {
      return true;
    }
    if (!eliminate_row(K, d, best, false)) {
      return false;
    }
  }
}

// Rows that are left when all links are gone, the best first.
static bool eliminate_last(lb_kkt* K, lb_data* d) {
  for (;;) {
    int best = -1;
    double most = -1;
    for (int r = 0; r < K->F.rows; r++) {
      const double gross = K->F.gross[r];
      const double part = gross > 0 ? -*pivot_of(K, r) / gross : 0;
      if (K->order->row_in[r] >= 0 && part > most) {
        best = r;
        most = part;
      }
    }
    if (best < 0) {
      return true;
    }
    if (!eliminate_row(K, d, best, !(most > REDUNDANT))) {
      return false;
    }
  }
}

// --- what callers use ---

// Redundant rows that are not so wherever things are: an order without them is for this pose alone.
static bool is_general(const lb_kkt* K) {
  bool any = false;
  for (int i = 0; i < K->nrow; i++) {
    any |= K->row[i].present && K->row[i].redundant && !K->row[i].void_row;
  }
  return !any;
}

bool lb_kkt_order_find(lb_kkt* K, lb_data* d) {
  begin(K, d);
  K->ordered = false;
  for (int i = choose_link(K); i >= 0; i = choose_link(K)) {
    if (!eliminate_link(K, d, i) || !eliminate_rows(K, d) || !thin_out(K, d)) {
      return false;
    }
  }
  K->ordered = eliminate_last(K, d) && is_general(K);
  return !K->overflow;
}

bool lb_kkt_fits(const lb_model* m) {
  enum { LARGE = 24 }; // velocities: smaller systems are sooner solved as dense ones
  return m->nelastic == 0 && m->nfem == 0 && m->nparticle == 0 && m->elimination.count == 0 &&
         lb_constraints_most(m) > 0 && m->nv >= LARGE;
}

// All rows at d's pose, those that are left out, too.
static void fill_all(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const bool every = L->every;
  L->every = true;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d);
  L->every = every;
}

// Room for twice what an order takes at d's pose.
static bool make_room(lb_kkt* K, lb_data* d) {
  const int rows = K->nrow > 0 ? K->nrow : 1;
  const lb_arena_mark mark = lb_arena_here(&K->arena);
  for (bool last = false, enough = false; !last; enough = !K->overflow) {
    last = enough;
    lb_arena_reset(&K->arena, mark);
    if (!take_slots(K, K->order)) {
      return false;
    }
    K->ordered = false;
    fill_all(K->m, d);
    lb_kkt_factor(K, d, (lb_kkt_terms){.dt = 1e-3});
    if (!last) {
      K->F.links = 2 * K->F.links < K->m->nlink ? 2 * K->F.links : K->m->nlink;
      K->F.rows = 2 * K->F.rows < rows ? 2 * K->F.rows : rows;
      K->most_near *= 2;
      K->most_panel *= 2;
    }
  }
  K->ordered = false;
  return true;
}

// Rows that are void in a pose that nothing makes special.
static void find_always_void(lb_kkt* K, lb_data* d) {
  lb_constraint_rows_put_aside(K->m, d, 1e-2, true, 1);
  fill_all(K->m, d);
  K->terms = (lb_kkt_terms){.dt = 1e-3};
  lb_kkt_read(K, d);
  find_void(K, d);
  for (int i = 0; i < K->nrow; i++) {
    K->row[i].void_row = K->row[i].redundant;
  }
  memcpy(d->q, K->m->q0, (size_t)K->m->nq * sizeof *d->q);
}

// Rows of springs and dampers on joints that close loops; 0: there are none.
static int most_springs(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nloop; i++) {
    any |= m->loop[i].stiffness > 0 || m->loop[i].damping > 0;
  }
  return any ? 3 * m->nloop : 0;
}

lb_kkt* lb_kkt_create(const lb_model* m, lb_data* d, const lb_allocator* allocator) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_kkt* K = LB_TAKE(&arena, lb_kkt, 1);
  lb_kkt_order* O = LB_TAKE(&arena, lb_kkt_order, 1);
  if (!K || !O) {
    lb_arena_release(&arena);
    return NULL;
  }
  K->m = m;
  K->arena = arena;
  K->order = O;
  K->nconstraint = lb_constraints_most(m);
  K->nrow = K->nconstraint + most_springs(m);
  K->F =
      (lb_kkt_front){.links = m->nlink < 16 ? m->nlink : 16, .rows = K->nrow < 32 ? K->nrow : 32};
  K->most_op = 2 * (m->nlink + K->nrow);
  K->most_near = 16 * (m->nlink + K->nrow) + K->F.links + K->F.rows;
  K->most_panel = 32 * (size_t)(m->nv + K->nrow);
  if (!take_rows(K, O) || !take_unilateral(K)) {
    lb_kkt_release(K);
    return NULL;
  }
  K->P += 1;
  find_always_void(K, d);
  if (!make_room(K, d)) {
    lb_kkt_release(K);
    return NULL;
  }
  return K;
}

lb_status lb_kkt_create_alone(const lb_model* m, const lb_allocator* allocator, lb_kkt** K,
                              lb_error* err) {
  lb_data* d = NULL;
  const lb_status status = lb_data_create(m, allocator, &d, err);
  if (status != LB_OK) {
    return status;
  }
  *K = lb_kkt_create(m, d, allocator);
  lb_data_release(d);
  return *K ? LB_OK
            : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
}

void lb_kkt_release(lb_kkt* K) {
  if (K) {
    lb_arena arena = K->arena;
    lb_arena_release(&arena);
  }
}
