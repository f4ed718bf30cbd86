// Constraints of the KKT system (kkt_front.c) from d's, and its factorisation.
#include <math.h>
#include <string.h>

#include "dynamics/system/kkt_inside.h"
#include "dynamics/tree/kinematics.h"

static double size_of(lb_motion a) {
  return fabs(a.w[0]) + fabs(a.w[1]) + fabs(a.w[2]) + fabs(a.v[0]) + fabs(a.v[1]) + fabs(a.v[2]);
}

static void push_on(lb_kkt_row* to, int side, const lb_state* state, int link,
                    const lb_constraint_row* r, double sign) {
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
    if (i != LB_WORLD && K->m->link.packed[i].m > 0) {
      const lb_state* s = &d->work->state[i];
      const double m = K->m->link.packed[i].m;
      const lb_v4 c = s->h / m, n = r->force[side].w - lb_v4_cross(c, r->force[side].v);
      const double I = (s->IA.A.x[0] + s->IA.A.y[1] + s->IA.A.z[2]) / 2 - m * lb_v4_dot(c, c);
      sum += lb_v4_dot(r->force[side].v, r->force[side].v) / m + (I > 0 ? lb_v4_dot(n, n) / I : 0);
    }
  }
  return sum;
}

static void read_row(lb_kkt_row* to, const lb_data* d, const lb_constraint_row* from) {
  to->link[0] = to->link[1] = LB_WORLD;
  to->sign = from->sign;
  to->coupling = from->coupling;
  to->compliance = 0;
  to->velocity_level = from->velocity_level;
  if (from->coupling < 0) {
    push_on(to, 0, d->work->state, from->b->link, from, 1);
    push_on(to, 1, d->work->state, from->a->link, from, -1);
  }
  to->size = (to->link[0] != LB_WORLD ? size_of(to->force[0]) : 0) +
             (to->link[1] != LB_WORLD ? size_of(to->force[1]) : 0);
}

// With mu = dt (C + dt K) J x, a spring is a constraint of compliance. Linear steps have a force of
// their start, and so dt K J v + C (cdot - cdot0) beside it, cdot0 the rate of that force and J v
// that of the start with driven velocities of the end. False: the order lacks it.
// Those of joints that hold a link are part of its D instead.
static bool read_spring(lb_kkt* K, const lb_data* d, lb_kkt_row* to, const lb_constraint_row* row,
                        lb_compliance by, double rate0) {
  const double dt = K->terms.dt, stiff = dt * (by.damping + dt * by.stiffness);
  read_row(to, d, row);
  to->present = to->velocity_level = true;
  if (to->span < 0) {
    K->listed[K->nlisted++] = (int)(to - K->row);
  }
  to->place = -1;
  to->compliance = 1 / stiff;
  to->wish =
      K->terms.linear
          ? dt / stiff *
                (dt * by.stiffness * (row->rate + row->asked) + by.damping * (row->rate - rate0))
          : 0;
  return to->scheduled || to->void_row || to->span >= 0;
}

static bool read_springs(lb_kkt* K, const lb_data* d) {
  bool known = true;
  for (int i = 0; i < K->m->constraint.nloop && K->terms.dt > 0; i++) {
    lb_constraint_row row[3];
    const lb_scene_joint* j = &K->m->constraint.loop[i];
    const lb_compliance by = {j->resistance.stiffness, j->resistance.damping};
    lb_pair P;
    lb_constraint_pair(&P, d, i);
    const int count = by.stiffness > 0 || by.damping > 0 ? lb_loop_free_rows(K->m, &P, i, row) : 0;
    for (int k = 0; k < count; k++) {
      lb_kkt_row* to = &K->row[K->nconstraint + 3 * i + k];
      to->span = K->span.count > 0 ? K->span.link[i] : -1;
      known = read_spring(K, d, to, &row[k], by, row[k].rate) && known;
    }
  }
  return known;
}

// Compliant constraints are springs by their own numbers, but for unilateral ones: steps solve for
// these with contacts.
static bool read_compliant(lb_kkt* K, lb_data* d) {
  const lb_compliant_rows* C = &d->work->constraints->compliant;
  bool known = true;
  lb_constraint_rows_fill_compliant(K->m, d);
  for (int i = 0; i < C->count; i++) {
    const lb_constraint_row* row = &C->row[i];
    const lb_compliance by = *lb_row_compliance(K->m, row);
    if (!row->unilateral) {
      known = read_spring(K, d, &K->row[row->number], row, by, C->rate[i]) && known;
    }
  }
  return known;
}

// Positions of the links, from known roots and parents.
static void place_links(lb_kkt* K, const lb_data* d) {
  const lb_state* state = d->work->state;
  for (int i = 0; i < K->m->nlink; i++) {
    lb_kkt_link* l = &K->link[i];
    l->at = state[i].p - state[l->root].p;
    l->r = l->loop < 0 ? state[i].r : state[i].p - state[l->parent].p;
    l->R = state[i].R;
    l->rows = 0;
  }
}

// d's constraints; false: the order lacks some of them.
bool lb_kkt_read(lb_kkt* K, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  bool known = true;
  double mobility = 0;
  place_links(K, d);
  for (int i = 0; i < K->nrow; i++) {
    K->row[i].present = K->row[i].unilateral = false;
    K->row[i].span = -1;
  }
  K->count = L->nrow;
  K->nlisted = 0;
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint_row* from = &L->row[i];
    lb_kkt_row* to = &K->row[from->number];
    read_row(to, d, from);
    to->present = !from->unilateral || K->terms.bilateral;
    to->unilateral = !to->present;
    to->place = i;
    K->number[i] = from->number;
    to->span = from->unilateral ? -1 : lb_kkt_span_list(K, from);
    if (to->present && to->span < 0) {
      K->listed[K->nlisted++] = from->number;
    }
    mobility += K->terms.damping > 0 ? mobility_on(K, d, to) : 0;
    known &= !to->present || to->scheduled || to->void_row || to->span >= 0;
  }
  K->compliance = K->terms.damping > 0 ? K->terms.damping * mobility / L->nrow : 0;
  known = (K->nrow == K->nconstraint || read_springs(K, d)) && known;
  known = (K->m->constraint.ncompliant == 0 || K->terms.dt == 0 || read_compliant(K, d)) && known;
  memcpy(K->slope, L->slope, (size_t)K->m->constraint.nterm * sizeof *K->slope);
  return lb_kkt_span_read(K, d) && known;
}

// The constraints' forces as solving needs them: at the origins of the trees' roots.
static void move_forces(lb_kkt* K) {
  for (int i = 0; i < K->nrow; i++) {
    lb_kkt_row* r = &K->row[i];
    for (int side = 0; side < 2 && (r->present || r->unilateral); side++) {
      if (r->link[side] != LB_WORLD) {
        r->force[side] = lb_force_shift(r->force[side], K->link[r->link[side]].at);
      }
    }
  }
}

static bool retake(lb_kkt* K, lb_data* d) {
  bool fine = true;
  K->F.later.allowed = true;
  for (int i = 0; i < K->nop && fine; i++) {
    fine = lb_kkt_take(K, d, &K->op[i]);
  }
  K->F.later.allowed = false;
  return fine;
}

static void clear_front(lb_kkt* K) {
  const size_t links = (size_t)K->F.links, rows = (size_t)K->F.rows;
  memset(K->F.LL, 0, links * links * sizeof *K->F.LL);
  memset(K->F.LR, 0, links * rows * sizeof *K->F.LR);
  memset(K->F.RR, 0, rows * rows * sizeof *K->F.RR);
  memset(K->F.later.at, -1, links * sizeof *K->F.later.at);
  memset(K->F.later.s, 0, links * LB_KKT_DEFERRED * sizeof *K->F.later.s);
  memset(K->F.later.y, 0, links * LB_KKT_DEFERRED * sizeof *K->F.later.y);
  K->F.later.count = K->F.later.listed = 0;
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
  move_forces(K);
  return made;
}

void lb_kkt_forget(lb_kkt* K) {
  if (K) {
    K->ordered = false;
  }
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
