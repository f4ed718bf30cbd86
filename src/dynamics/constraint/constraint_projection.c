// Closing gaps: what steps and starts leave open. From near, as a step of the motion ends, along
// directions that stay,
//
//   q = q* moved along w,   M(q*) w = J(q*)'lambda,   c(q) = 0                             (1)
//
// (rows that ask for a rate alone have no gap: J w = 0), found by Newton's method with the matrix
// A = J Minv J' of q*, whose errors shrink in proportion to the gap. These are equations that q
// solves, however it was found: solve/explicit/explicit_close.c differentiates them. Then the
// velocities,
//
//   v = v* + Minv J'x,   x >= 0, rate >= 0, x rate = 0,   or rate = 0                      (2)
//
// of unilateral constraints, an impact without bounce, or of others. So there is no drift and no
// penalty. From far away, where (1) may go astray, q goes step by step with matrices of where it
// is, and steps that do not bring the gaps down are taken again with damping (Levenberg and
// Marquardt):
//
//   (A + damping I) lambda = -c,   dq = Minv J' lambda                                     (3)
//
// which with much damping is -Minv J'c, downhill for |c|^2: J has the velocities of turns, not the
// rates of rotation vectors, but c'J is the same for both.
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"

// Couplings of fixed ratio that are open by less [m or rad] need no rows to be closed.
static const double NEARLY = 1e-9;

// Gaps below this [m or rad] are closed, and below the second it may be rounding that keeps them.
static const double CLOSED = 1e-14, SMALL = 1e-9;

// Of (1): it is near when every correction leaves this part of the gap or less.
static const double NEAR = 0.25;

enum { CLOSING_STEPS = 200 }; // a few, from where a step of the motion ends

// Of (3): where it starts, and beyond which there is nothing nearer.
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e6;

// A gap, or how far what pushes only is through.
static double open_by(const lb_constraint* r) {
  return r->unilateral ? fmax(0, -r->c) : fabs(r->c);
}

// The rows at d's q: the worst gap and whose it is, and the sum of the squares of all.
typedef struct opening {
  double worst, squares;
  int which;
} opening;

static int number_of(const lb_model* m, const lb_constraints* L, const lb_constraint* r) {
  return r->coupling >= 0 ? m->nloop + r->coupling : (int)(r->a - L->frame) / 2;
}

static opening measure_opening(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  opening all = {0, 0, -1};
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    const double gap = open_by(r);
    all.squares += gap * gap;
    if (!(gap <= all.worst)) {
      all.worst = gap;
      all.which = number_of(m, L, r);
    }
  }
  return all;
}

// The worst of the gaps of places, or of rates, with every row.
static opening measure_every(const lb_model* m, lb_data* d, bool rates) {
  lb_constraints* L = d->work->constraints;
  const bool every = L->every;
  L->every = true;
  opening all = measure_opening(m, d);
  L->every = every;
  if (!rates) {
    return all;
  }
  all = (opening){0, 0, -1};
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    if (r->rate_only && !(fabs(r->cd) <= all.worst)) {
      all.worst = fabs(r->cd);
      all.which = number_of(m, L, r);
    }
  }
  return all;
}

double lb_constraints_gap_of(const lb_model* m, lb_data* d, bool rates, int* which) {
  if (!d->work->constraints) {
    return 0;
  }
  const opening all = measure_every(m, d, rates);
  if (which && all.which >= 0) {
    *which = all.which;
  }
  return all.worst;
}

double lb_constraint_gap(const lb_model* m, lb_data* d, int* which) {
  const double gap = lb_constraints_gap_of(m, d, false, which);
  int at_velocity = -1;
  const double off =
      lb_constraints_velocity_level(m) >= 0 ? lb_constraints_gap_of(m, d, true, &at_velocity) : 0;
  if (off <= gap) {
    return gap;
  }
  if (which) {
    *which = at_velocity;
  }
  return off;
}

// What is unilateral counts as near once it touches or is through, and stays near while things are
// closed: where a body turns, Newton's method ends a little beyond, and what then looked free would
// keep the velocity it came with. What touched before and hardly moved since is near, too; what
// came apart in a step of h has a rate of the order of h times an acceleration.
static void note_near(lb_constraints* L) {
  static const double HARDLY = 1e-6, SLOWLY = 1e-4; // [m or rad], [1/s]
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint* r = &L->row[i];
    if (r->unilateral) {
      L->near[r->contact] |=
          r->c <= LB_ACTIVE_GAP || (L->active[r->contact] && r->c <= HARDLY && r->cd <= SLOWLY);
    }
  }
}

// Keep two-way rows, and of the others those that are near.
static void keep_near(lb_constraints* L) {
  int n = 0;
  note_near(L);
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].unilateral || L->near[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

static void forget_near(const lb_model* m, lb_constraints* L) {
  memset(L->near, 0, (size_t)lb_constraints_most(m) * sizeof *L->near);
}

// From a start in which coordinates are kept (constraint_assembly.c).
static void shorten(const lb_model* m, const lb_constraints* L) {
  static const double MOST_TURN = 0.5; // [rad]
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, m->counts[k] == LB_COORDINATE_ANGLE ? fabs(L->dq[k]) : 0);
  }
  for (int k = 0; k < m->nv && most > MOST_TURN; k++) {
    L->dq[k] *= MOST_TURN / most;
  }
}

// A step (3) on the positions from the rows that were last measured; without damping Newton's. The
// damping is in parts of A's mean diagonal.
static void close_once(const lb_model* m, lb_data* d, double damping) {
  lb_constraints* L = d->work->constraints;
  keep_near(L);
  // what is near is to touch, neither more nor less
  if (!lb_constraint_rows_factor(m, d, (lb_constraint_rows_how){damping, true})) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].c;
  }
  lb_constraint_rows_solve(m, d);
  if (L->keeps) {
    shorten(m, L);
  }
  lb_advance(m, d->q, L->dq, 1);
}

// (1) by `total`; q* is in L->q.
static void move_straight(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  memcpy(d->q, L->q, (size_t)m->nq * sizeof *d->q);
  lb_advance(m, d->q, L->total, 1);
}

typedef enum way { WAY_CLOSED, WAY_ASTRAY, WAY_MORE_ROWS } way;

// How far the rows that are near are from touching: those that are unilateral from above, too.
static opening measure_near(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  opening all = measure_opening(m, d);
  keep_near(L);
  all.worst = all.squares = 0;
  for (int i = 0; i < L->nrow; i++) {
    const double gap = fabs(L->row[i].c);
    all.worst = gap <= all.worst ? all.worst : gap;
    all.squares += gap * gap;
  }
  return all;
}

// (1) with the rows that are near at q*, which d is at, or that were found to come near.
static way go_straight(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  opening here = measure_near(m, d);
  const int rows = L->nrow;
  memset(L->sum, 0, (size_t)rows * sizeof *L->sum);
  memset(L->total, 0, (size_t)m->nv * sizeof *L->total);
  if (here.worst < CLOSED) {
    return WAY_CLOSED;
  }
  if (!lb_constraint_rows_factor(m, d, (lb_constraint_rows_how){.bilateral = true})) {
    return WAY_ASTRAY;
  }
  for (int i = 0; i < CLOSING_STEPS && here.worst >= CLOSED; i++) {
    for (int k = 0; k < rows; k++) {
      L->x[k] = -L->row[k].c;
    }
    lb_constraint_rows_solve(m, d);
    lb_add(rows, L->sum, 1, L->x);
    lb_add(m->nv, L->total, 1, L->dq);
    move_straight(m, d);
    const opening next = measure_near(m, d);
    if (L->nrow != rows) {
      return WAY_MORE_ROWS;
    }
    if (next.worst < SMALL && !(next.worst < 0.1 * here.worst)) { // at rounding
      if (next.squares >= here.squares) {
        lb_add(rows, L->sum, -1, L->x);
        lb_add(m->nv, L->total, -1, L->dq);
        move_straight(m, d);
      }
      return WAY_CLOSED;
    }
    if (!(next.worst <= NEAR * here.worst)) {
      return WAY_ASTRAY;
    }
    here = next;
  }
  return WAY_CLOSED;
}

// Where (1) led, by all rows that there can be.
static void tell_straight(const lb_model* m, const lb_constraints* L, lb_projection* told) {
  memcpy(told->move, L->total, (size_t)m->nv * sizeof *L->total);
  for (int i = 0; i < L->nrow; i++) {
    told->lambda[L->row[i].place] = L->sum[i];
    told->near[L->row[i].place] = true;
  }
}

// What lies in the way once others are closed is closed with them, from q* on.
static bool close_straight(const lb_model* m, lb_data* d, lb_projection* told) {
  lb_constraints* L = d->work->constraints;
  const size_t size = (size_t)m->nq * sizeof *d->q;
  memcpy(L->q, d->q, size);
  forget_near(m, L);
  way by = go_straight(m, d);
  while (by == WAY_MORE_ROWS) {
    memcpy(d->q, L->q, size);
    by = go_straight(m, d);
  }
  if (by == WAY_CLOSED && told) {
    tell_straight(m, L, told);
  } else if (by == WAY_ASTRAY) {
    memcpy(d->q, L->q, size);
  }
  return by == WAY_CLOSED;
}

bool lb_constraint_rows_project_near(const lb_model* m, lb_data* d) {
  return close_straight(m, d, NULL);
}

double lb_constraint_rows_project(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const size_t size = (size_t)m->nq * sizeof *d->q;
  opening here = measure_opening(m, d);
  forget_near(m, L);
  double damping = 0;
  for (int i = 0; i < CLOSING_STEPS && here.worst >= CLOSED && damping < MOST_DAMPING; i++) {
    memcpy(L->q, d->q, size);
    close_once(m, d, damping);
    const opening next = measure_opening(m, d);
    const bool small = here.worst < SMALL;
    if (next.squares < here.squares) {
      // stop at rounding: small, and no longer falling fast
      if (next.worst < SMALL && next.worst > 0.1 * here.worst) {
        return next.worst;
      }
      damping = damping > FIRST_DAMPING ? damping / 10 : 0;
      here = next;
    } else {
      memcpy(d->q, L->q, size);
      if (small) {
        return here.worst;
      }
      damping = fmax(10 * damping, FIRST_DAMPING);
      here = measure_opening(m, d);
    }
  }
  return here.worst;
}

// What pushes only goes on touching where it does not come apart at once.
static void note_active(lb_constraints* L) {
  for (int i = 0; i < L->nrow; i++) {
    if (L->row[i].unilateral) {
      L->active[L->row[i].contact] = L->b[i] <= LB_ACTIVE_GAP;
    }
  }
}

// What (2) did, by all rows that there can be.
static void tell_velocities(const lb_constraints* L, bool moved, lb_projection* told) {
  for (int i = 0; i < L->nrow && moved; i++) {
    const lb_constraint* r = &L->row[i];
    told->impulse[r->place] = L->x[i];
    told->closed[r->place] = !r->unilateral || L->b[i] <= LB_ACTIVE_GAP;
  }
}

// false: there was nothing to do, or no way.
static bool close_velocities(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d);
  keep_near(L);
  memset(L->active, 0, (size_t)L->ncontact * sizeof *L->active);
  if (L->nrow == 0 || !lb_constraint_rows_factor(m, d, (lb_constraint_rows_how){0})) {
    return false;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].cd;
  }
  lb_constraint_rows_solve(m, d);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] += L->dq[k];
  }
  note_active(L);
  return true;
}

static void begin_telling(const lb_model* m, lb_projection* told) {
  const size_t rows = (size_t)lb_constraints_most(m);
  memset(told->move, 0, (size_t)m->nv * sizeof *told->move);
  memset(told->lambda, 0, rows * sizeof *told->lambda);
  memset(told->impulse, 0, rows * sizeof *told->impulse);
  memset(told->near, 0, rows * sizeof *told->near);
  memset(told->closed, 0, rows * sizeof *told->closed);
  told->straight = true;
}

// The widest gap of the rows there are, which were measured where d is.
static double widest_left(const lb_constraints* L) {
  double worst = 0;
  for (int i = 0; i < L->nrow; i++) {
    const double gap = open_by(&L->row[i]);
    worst = gap <= worst ? worst : gap;
  }
  return worst;
}

double lb_constraints_project(const lb_model* m, lb_data* d, lb_projection* told) {
  lb_constraints* L = d->work->constraints;
  if (told) {
    begin_telling(m, told);
  }
  if (!L) {
    return 0;
  }
  // couplings of fixed ratio that are as good as closed go along; open ones, as at the start, are
  // closed by rows, which weigh the ways to do it by masses
  const bool eliminated = lb_elimination_gap(m, d) < NEARLY,
             was = lb_constraints_eliminate(d, eliminated);
  if (eliminated) {
    lb_elimination_hold(m, d);
  }
  bool straight = close_straight(m, d, told);
  if (!straight) {
    lb_constraint_rows_project(m, d);
  }
  if (lb_constraints_redundant_open(m, d)) { // by rows that are not redundant after all
    straight = false;
    lb_constraint_rows_project(m, d);
  }
  const bool moved = close_velocities(m, d);
  if (told) {
    told->straight = straight && eliminated;
    tell_velocities(L, moved, told);
  }
  lb_constraints_eliminate(d, was);
  return widest_left(L);
}

void lb_constraints_impact(const lb_model* m, lb_data* d, double* impulse) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  forget_near(m, L);
  const bool stopped = close_velocities(m, d);
  if (impulse) {
    memset(impulse, 0, (size_t)lb_constraints_most(m) * sizeof *impulse);
    for (int i = 0; i < L->nrow && stopped; i++) {
      impulse[L->row[i].place] = L->x[i];
    }
  }
}
