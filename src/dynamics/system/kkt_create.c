// Memory of the KKT system (kkt_front.c), and what acts on what, from which its order is found
// (kkt_order.c).
#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/system/kkt_inside.h"
#include "dynamics/tree/kinematics.h"

// Rounding: a constraint's derivative by a coordinate below this, over its size, is zero.
static const double ROUNDING = 1e-13;
// --- room ---

static bool take_slots(lb_kkt* K, lb_kkt_order* O) {
  const size_t links = (size_t)K->F.links, rows = (size_t)K->F.rows;
  K->F.LL = LB_TAKE(&K->arena, lb_block6, links * links);
  K->F.LR = LB_TAKE(&K->arena, lb_motion, links * rows);
  K->F.RR = LB_TAKE(&K->arena, double, rows* rows);
  K->F.gross = LB_TAKE(&K->arena, double, rows);
  K->F.y = LB_TAKE(&K->arena, lb_motion, links);
  K->F.later = (lb_kkt_deferred){.list = LB_TAKE(&K->arena, int, links),
                                 .at = LB_TAKE(&K->arena, int, links),
                                 .s = LB_TAKE(&K->arena, lb_motion, links * LB_KKT_DEFERRED),
                                 .y = LB_TAKE(&K->arena, lb_motion, links * LB_KKT_DEFERRED)};
  O->link_in = LB_TAKE(&K->arena, int, links);
  O->row_in = LB_TAKE(&K->arena, int, rows);
  O->LL = LB_TAKE(&K->arena, bool, links* links);
  O->LR = LB_TAKE(&K->arena, bool, links* rows);
  O->RR = LB_TAKE(&K->arena, bool, rows* rows);
  O->was_active = LB_TAKE(&K->arena, bool, rows);
  O->factor = LB_TAKE(&K->arena, double, 36 * links);
  O->factored = LB_TAKE(&K->arena, lb_kkt_kept, links);
  K->near_slot = LB_TAKE(&K->arena, int, K->most_near);
  K->near_id = LB_TAKE(&K->arena, int, K->most_near);
  K->panel = lb_arena_take(&K->arena, K->most_panel * sizeof *K->panel, LB_ALIGN);
  return lb_arena_status(&K->arena) == LB_OK;
}

static bool take_rows(lb_kkt* K, lb_kkt_order* O) {
  const lb_model* m = K->m;
  const size_t nlink = (size_t)m->nlink, nrow = (size_t)K->nrow;
  K->row = LB_TAKE(&K->arena, lb_kkt_row, nrow);
  K->listed = LB_TAKE(&K->arena, int, nrow);
  K->number = LB_TAKE(&K->arena, int, nrow);
  K->on.term_first = LB_TAKE(&K->arena, int, nlink + 1);
  K->on.term = LB_TAKE(&K->arena, lb_kkt_term, m->constraint.nterm);
  K->slope = LB_TAKE(&K->arena, double, m->constraint.nterm);
  K->on.act_first = LB_TAKE(&K->arena, int, nlink + 1);
  K->on.act = LB_TAKE(&K->arena, int, 2 * nrow + (size_t)m->constraint.nterm);
  K->link = LB_TAKE(&K->arena, lb_kkt_link, nlink);
  K->sequence = LB_TAKE(&K->arena, int, nlink);
  K->slot = LB_TAKE(&K->arena, int, nlink);
  K->op = LB_TAKE(&K->arena, lb_kkt_op, K->most_op);
  K->S = LB_TAKE(&K->arena, lb_motion, m->link.ncolumn);
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
  return K->row && K->listed && K->number && K->on.term_first && K->on.term && K->slope &&
         K->on.act_first && K->on.act && K->link && K->sequence && K->slot && K->op && K->S &&
         K->inverse && K->pivot && K->P && K->z && O->children && O->gone && O->growth &&
         O->stale && O->row_slot && O->pending && O->size;
}

// Unilateral constraints that there can be.
static int count_unilateral(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->constraint.count; i++) {
    const lb_model_constraint* c = &m->constraint.item[i];
    count += c->unilateral ? lb_constraint_types[c->kind]->rows(m, c) : 0;
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
  return r->present && !r->redundant && r->span < 0;
}

static int link_of_term(const lb_model* m, int term) {
  const int v = m->constraint.term[term].v;
  int i = 0, last = m->nlink - 1;
  while (i < last) { // links' velocities rise with their index
    const int middle = (i + last + 1) / 2;
    if (m->link.v[middle] <= v) {
      i = middle;
    } else {
      last = middle - 1;
    }
  }
  return i;
}

// Visit every link that a constraint acts on: count, or note it in the lists.
static void list_row(lb_kkt* K, int row, int* act, int* term) {
  const lb_kkt_row* r = &K->row[row];
  for (int side = 0; side < 2; side++) {
    const int i = r->link[side];
    if (i != LB_WORLD && (side == 0 || i != r->link[0])) {
      K->on.act[act[i]] = row;
      act[i]++;
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->constraint.coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const int i = link_of_term(K->m, t);
    K->on.term[term[i]] = (lb_kkt_term){row, t};
    K->on.act[act[i]] = row;
    term[i]++;
    act[i]++;
  }
}

static void count_row(lb_kkt* K, lb_kkt_order* O, int row) {
  const lb_kkt_row* r = &K->row[row];
  for (int side = 0; side < 2; side++) {
    const int i = r->link[side];
    if (i != LB_WORLD && (side == 0 || i != r->link[0])) {
      K->on.act_first[i + 1]++;
    }
  }
  const lb_model_coupling* c = r->coupling >= 0 ? &K->m->constraint.coupling[r->coupling] : NULL;
  for (int t = c ? c->first : 0; c && t < c->first + c->count; t++) {
    const int i = link_of_term(K->m, t);
    K->on.act_first[i + 1]++;
    K->on.term_first[i + 1]++;
    O->pending[row]++;
  }
}

static void list_rows(lb_kkt* K, lb_kkt_order* O) {
  const int n = K->m->nlink;
  memset(K->on.act_first, 0, (size_t)(n + 1) * sizeof *K->on.act_first);
  memset(K->on.term_first, 0, (size_t)(n + 1) * sizeof *K->on.term_first);
  memset(O->pending, 0, (size_t)K->nrow * sizeof *O->pending);
  for (int i = 0; i < K->nrow; i++) {
    if (acts(&K->row[i])) {
      count_row(K, O, i);
    }
  }
  for (int i = 0; i < n; i++) {
    K->on.act_first[i + 1] += K->on.act_first[i];
    K->on.term_first[i + 1] += K->on.term_first[i];
  }
  int* next = K->slot; // of acts, and of terms in `children`: both are set later
  memcpy(next, K->on.act_first, (size_t)n * sizeof *next);
  memcpy(O->children, K->on.term_first, (size_t)n * sizeof *next);
  for (int i = 0; i < K->nrow; i++) {
    if (acts(&K->row[i])) {
      list_row(K, i, next, O->children);
    }
  }
}

static double size_of(lb_v4 x) {
  return fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
}

// True where a coordinate that carries a link feels a force on it.
static bool is_felt(const lb_kkt* K, const lb_data* d, int link, lb_motion force) {
  for (int i = link; i != LB_WORLD; i = K->link[i].parent) {
    const lb_link* l = &K->m->link.packed[i];
    lb_motion own[LB_JOINT_MOST_V], *S = own;
    if (K->link[i].loop >= 0) {
      S = K->span.S + l->column;
    } else {
      LB_JOINT[l->kind]->columns((lb_v4*)S, &d->work->state[i]);
    }
    for (int k = 0; k < K->link[i].nv; k++) {
      const double could =
          size_of(S[k].w) * (size_of(force.w) + size_of(d->work->state[i].p) * size_of(force.v)) +
          size_of(S[k].v) * size_of(force.v);
      if (fabs(lb_motion_dot(S[k], force)) > ROUNDING * could) {
        return true;
      }
    }
    force = lb_force_shift(force, K->link[i].r);
  }
  return false;
}

// Constraints that no coordinate feels here are redundant.
static void find_void(lb_kkt* K, const lb_data* d) {
  for (int i = 0; i < K->nrow; i++) {
    lb_kkt_row* r = &K->row[i];
    r->scheduled = false;
    r->redundant = r->present && r->coupling < 0 && r->span < 0 &&
                   !(r->link[0] != LB_WORLD && is_felt(K, d, r->link[0], r->force[0])) &&
                   !(r->link[1] != LB_WORLD && is_felt(K, d, r->link[1], r->force[1]));
  }
}

void lb_kkt_order_begin(lb_kkt* K, const lb_data* d) {
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
    if (K->link[i].parent != LB_WORLD) {
      O->children[K->link[i].parent]++;
    }
  }
  for (int i = 0; i < K->nrow; i++) {
    O->row_slot[i] = -1;
    K->pivot[i] = K->row[i].span >= 0; // those go with their links
  }
  memset(O->link_in, -1, links * sizeof *O->link_in);
  memset(O->row_in, -1, rows * sizeof *O->row_in);
  memset(O->LL, 0, links * links);
  memset(O->LR, 0, links * rows);
  memset(O->RR, 0, rows * rows);
  memset(O->was_active, 0, rows);
}

bool lb_kkt_fits(const lb_model* m) {
  enum { LARGE = 24 }; // velocities: smaller systems are sooner solved as dense ones,
  const bool yields = m->constraint.ncompliant > m->constraint.nbound;
  const bool pays = m->nv >= LARGE || yields; // dense ones lack compliance
  return !lb_model_has_dense_mass(m) && m->elastic.nfem == 0 && m->particles.nparticle == 0 &&
         m->constraint.elimination.count == 0 && lb_constraints_most(m) > 0 && pays;
}

// All constraints at d's pose, those that are left out, too.
static void fill_all(const lb_model* m, lb_data* d) {
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, LB_SET_REDUNDANT | LB_SET_INACTIVE);
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
      K->F.links = 2 * K->F.links < K->m->nlink ? 2 * K->F.links + 1 : K->m->nlink;
      K->F.rows = 2 * K->F.rows < rows ? 2 * K->F.rows + 1 : rows;
      K->most_near *= 2;
      K->most_panel *= 2;
    }
  }
  K->ordered = false;
  return true;
}

// Constraints that are void in a pose that nothing makes special.
static void find_always_void(lb_kkt* K, lb_data* d) {
  lb_constraint_rows_displace(K->m, d, (lb_displacement){1e-2, true, 1, NULL});
  fill_all(K->m, d);
  K->terms = (lb_kkt_terms){.dt = 1e-3};
  lb_kkt_read(K, d);
  find_void(K, d);
  for (int i = 0; i < K->nrow; i++) {
    K->row[i].void_row = K->row[i].redundant;
  }
  memcpy(d->q, K->m->start.q, (size_t)K->m->nq * sizeof *d->q);
}

// Constraints of springs and dampers on joints that close loops; 0: there are none.
static int most_springs(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->constraint.nloop; i++) {
    any |= m->constraint.loop[i].resistance.stiffness > 0 ||
           m->constraint.loop[i].resistance.damping > 0;
  }
  return any ? 3 * m->constraint.nloop : 0;
}

static lb_kkt* create(const lb_model* m, lb_data* d, const lb_allocator* allocator, bool spans) {
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
  // odd counts: columns then do not share places in caches
  K->F =
      (lb_kkt_front){.links = m->nlink < 15 ? m->nlink : 15, .rows = K->nrow < 31 ? K->nrow : 31};
  K->most_op = 2 * (m->nlink + K->nrow);
  K->most_near = 16 * (m->nlink + K->nrow) + K->F.links + K->F.rows;
  K->most_panel = 32 * (size_t)(m->nv + K->nrow);
  if (!take_rows(K, O) || !take_unilateral(K) || !lb_kkt_span_create(K, d, spans)) {
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

lb_kkt* lb_kkt_create(const lb_model* m, lb_data* d, const lb_allocator* allocator) {
  return create(m, d, allocator, false);
}

lb_status lb_kkt_create_alone(const lb_model* m, const lb_allocator* allocator, lb_kkt** K,
                              lb_error* err) {
  lb_data* d = NULL;
  const lb_status status = lb_data_create(m, allocator, &d, err);
  if (status != LB_OK) {
    return status;
  }
  *K = create(m, d, allocator, true);
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