// The order in which links and constraints are eliminated (kkt.c), found by doing it.
//
// A link can go when its children are gone. Of those that can, the one goes that makes the front
// grow least: what is in the front is finished before anything new is begun, and mechanisms that do
// not act on each other come one after the other.
//
// A constraint r goes as soon as its pivot is far from zero. What is left of it on links k that are
// still there could make it larger by at most the sum of Q_kr'Q_kk^-1 Q_kr, as if they were free;
// gone when it has a good part of that, numbers grow by no more than the inverse of that part. What
// has no pivot when nothing is left that could move it, says what others say: it is redundant.
#include <math.h>

#include "dynamics/system/kkt_inside.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

// The part of what a pivot could become that is enough.
static const double ENOUGH = 1e-2;

// Number of waiting constraints above which those go that have at least this part.
enum { CROWD = 24 };
static const double HARDLY_ENOUGH = 1e-6;

// Remainder of a force, over its size, that counts as zero.
static const double VANISHED = 1e-9;

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
    O->factored[slot] = LB_KKT_STALE;
    K->slot[link] = slot;
    for (int i = K->on.act_first[link]; i < K->on.act_first[link + 1]; i++) {
      make_stale(K, K->on.act[i]);
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
    K->order->factored[link[a]] = LB_KKT_STALE;
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
  const int above = K->link[link].parent;
  const int slot = enter_link(K, d, link), parent = enter_link(K, d, above);
  for (int i = K->on.act_first[link]; i < K->on.act_first[link + 1]; i++) {
    enter_row(K, d, K->on.act[i]);
    if (!K->overflow) {
      *link_row(K, slot, O->row_slot[K->on.act[i]]) = true;
    }
  }
  lb_kkt_op op = {.kind = LB_KKT_LINK, .id = link, .slot = slot};
  K->overflow = K->overflow || !list_near(K, &op, parent, true, K->link[link].nv);
  if (K->overflow || !take_op(K, d, op)) {
    return false;
  }
  join_near(K, &op);
  leave_link(K, slot);
  for (int i = K->on.term_first[link]; i < K->on.term_first[link + 1]; i++) {
    O->pending[K->on.term[i].row]--;
  }
  if (above != LB_WORLD) {
    O->children[above]--;
  }
  return true;
}

// Growth of the front by the constraints that enter with a link, in numbers.
static int rows_growth(const lb_kkt* K, int link) {
  const lb_kkt_order* O = K->order;
  int sum = 0;
  for (int i = K->on.act_first[link]; i < K->on.act_first[link + 1]; i++) {
    const lb_kkt_row* r = &K->row[K->on.act[i]];
    for (int side = 0; side < 2 && O->row_slot[K->on.act[i]] < 0; side++) {
      const int other = r->link[side];
      sum += side == 0;
      sum += other != LB_WORLD && other != link && K->slot[other] < 0 ? 2 : 0;
    }
  }
  return sum;
}

// Growth of the front if a link went; constraints are counted anew where something came or went.
static int growth(const lb_kkt* K, int link) {
  const lb_kkt_order* O = K->order;
  const int parent = K->link[link].parent;
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

// --- constraints ---

static double* pivot_of(const lb_kkt* K, int slot) {
  return &K->F.RR[(size_t)slot * (size_t)K->F.rows + (size_t)slot];
}

// The Cholesky factor of a link's block, by its slot, made anew where that changed; NULL: it is not
// positive definite.
static const double* factor_of(const lb_kkt* K, int slot) {
  static const double LITTLE = 1e-12;
  const lb_kkt_order* O = K->order;
  const lb_block6* Q = &K->F.LL[(size_t)slot * (size_t)(K->F.links + 1)];
  double *A = O->factor + 36 * (size_t)slot, most = 0;
  if (O->factored[slot] == LB_KKT_STALE) {
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        A[i + 6 * j] = lb_motion_part(&Q->a[j], i);
      }
      most = fmax(most, A[7 * i]);
    }
    for (int i = 0; i < 6; i++) {
      A[7 * i] += LITTLE * most;
    }
    O->factored[slot] = lb_cholesky(6, A, 6) == LB_OK ? LB_KKT_MADE : LB_KKT_FAILED;
  }
  return O->factored[slot] == LB_KKT_MADE ? A : NULL;
}

// B'Q^-1 B = |L^-1 B|^2, as if the link were free.
static double free_mobility(const lb_kkt* K, int slot, const lb_motion* B) {
  const double* L = factor_of(K, slot);
  double x[6], sum = 0;
  for (int i = 0; i < 6 && L; i++) {
    x[i] = lb_motion_part(B, i);
    for (int j = 0; j < i; j++) {
      x[i] -= L[i + 6 * j] * x[j];
    }
    x[i] /= L[7 * i];
    sum += x[i] * x[i];
  }
  return L ? sum : INFINITY;
}

// Growth of a constraint's pivot that links still there could add, and the square of its forces on
// them.
typedef struct more {
  double pivot, size;
} more;

static more find_more(const lb_kkt* K, int slot) {
  more sum = {0, 0};
  for (int k = 0; k < K->F.links; k++) {
    if (K->order->link_in[k] >= 0 && *link_row(K, k, slot)) {
      const lb_motion* B = &K->F.LR[(size_t)slot * (size_t)K->F.links + (size_t)k];
      sum.pivot += free_mobility(K, k, B);
      sum.size += lb_motion_dot(*B, *B);
    }
  }
  return sum;
}

// A constraint's pivot, over what it could become; 0: there is none yet, or terms are to come.
// Negative: it is redundant.
static double ripeness(const lb_kkt* K, int slot) {
  const lb_kkt_order* O = K->order;
  const int row = O->row_in[slot];
  const double pivot = -*pivot_of(K, slot);
  if (O->pending[row] > 0) {
    return 0;
  }
  const bool zero = !(pivot > LB_REDUNDANT * K->F.gross[slot]);
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

// Many waiting constraints: the ripest are eliminated.
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

// Constraints that are left when all links are gone, the best first.
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
    if (!eliminate_row(K, d, best, !(most > LB_REDUNDANT))) {
      return false;
    }
  }
}

// --- what callers use ---

// Redundant constraints that are not so wherever things are: an order without them is for this pose
// alone.
static bool is_general(const lb_kkt* K) {
  bool any = false;
  for (int i = 0; i < K->nrow; i++) {
    any |= K->row[i].present && K->row[i].redundant && !K->row[i].void_row;
  }
  return !any;
}

bool lb_kkt_order_find(lb_kkt* K, lb_data* d) {
  lb_kkt_order_begin(K, d);
  K->ordered = false;
  for (int i = choose_link(K); i >= 0; i = choose_link(K)) {
    if (!eliminate_link(K, d, i) || !eliminate_rows(K, d) || !thin_out(K, d)) {
      return false;
    }
  }
  K->ordered = eliminate_last(K, d) && is_general(K);
  return !K->overflow;
}