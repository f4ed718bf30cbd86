// Closing gaps: what steps and starts leave open. From near, as a step of the motion ends, along
// directions that stay,
//
//   q = q* moved along w,   M(q*) w = J(q*)'lambda,   c(q) = 0                             (1)
//
// (constraints that ask for a rate alone have no gap: J w = 0), found by Newton's method with the
// matrix A = J Minv J' of q*, whose errors shrink in proportion to the gap. These are equations
// that q solves, however it was found: solve/explicit/explicit_close.c differentiates them. Then
// the velocities,
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

// Couplings of fixed ratio that are open by less [m or rad] need no constraints to be closed.
static const double NEARLY = 1e-9;

// Gaps below this [m or rad] are closed, and below the second it may be rounding that keeps them.
static const double CLOSED = 1e-14, SMALL = 1e-9;

// Convergence of (1): every correction leaves this part of the gap or less.
static const double NEAR = 0.25;

enum { CLOSING_STEPS = 200 }; // a few, from where a step of the motion ends

// Damping of (3): the first, and the largest, beyond which there is nothing nearer.
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e6;

// A gap, or how far what is unilateral is through.
static double open_by(const lb_constraint_row* r) {
  return r->unilateral ? fmax(0, -r->gap) : fabs(r->gap);
}

// Gaps of constraints: the worst, whose it is, and the sum of the squares of all.
typedef struct opening {
  double worst, squares;
  int which;
} opening;

static void note_gap(opening* all, const lb_constraint_row* r, double gap) {
  all->squares += gap * gap;
  if (!(gap <= all->worst)) {
    all->worst = gap;
    all->which = r->constraint;
  }
}

// The constraints at d's q.
static opening measure_opening(const lb_model* m, lb_data* d, lb_constraint_set set) {
  const lb_constraints* L = d->work->constraints;
  opening all = {0, 0, -1};
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, set | LB_SET_INACTIVE);
  for (int i = 0; i < L->nrow; i++) {
    note_gap(&all, &L->row[i], open_by(&L->row[i]));
  }
  return all;
}

double lb_constraints_gap_of(const lb_model* m, lb_data* d, bool rates, int* which) {
  const lb_constraints* L = d->work->constraints;
  if (!L) {
    return 0;
  }
  opening all = measure_opening(m, d, LB_SET_REDUNDANT), off = {0, 0, -1};
  for (int i = 0; i < L->nrow && rates; i++) {
    note_gap(&off, &L->row[i], L->row[i].velocity_level ? fabs(L->row[i].rate) : 0);
  }
  all = rates ? off : all;
  if (which && all.which >= 0) {
    *which = all.which;
  }
  return all.worst;
}

double lb_constraints_gap_in(const lb_model* m, lb_data* d, lb_constraint_set set) {
  return d->work->constraints ? measure_opening(m, d, set | LB_SET_REDUNDANT).worst : 0;
}

static bool is_length(const lb_model* m, const lb_constraint_row* r) {
  return r->coupling >= 0
             ? m->dof.counts[m->constraint.term[m->constraint.coupling[r->coupling].first].v] ==
                   LB_COORDINATE_LENGTH
             : !r->turns;
}

double lb_constraints_relative_gap(const lb_model* m, lb_data* d, double size) {
  const lb_constraints* L = d->work->constraints;
  double worst = 0;
  if (L) {
    measure_opening(m, d, LB_SET_REDUNDANT);
  }
  for (int i = 0; L && i < L->nrow; i++) {
    const double gap = open_by(&L->row[i]) / (is_length(m, &L->row[i]) ? size : 1);
    worst = gap <= worst ? worst : gap;
  }
  return worst;
}

double lb_constraint_gap(const lb_model* m, lb_data* d, int* which) {
  const double gap = lb_constraints_gap_of(m, d, false, which);
  int at_velocity = -1;
  const double off =
      lb_constraints_velocity_level(m) >= 0 ? lb_constraints_gap_of(m, d, true, &at_velocity) : 0;
  if (which && off > gap) {
    *which = at_velocity;
  }
  return fmax(gap, off);
}

// A unilateral constraint is near once it is active or violated, and stays near while gaps are
// closed: where a body turns, Newton's method ends a little beyond, and one that then looked free
// would keep the velocity it came with. One that was active before and hardly moved since is near,
// too; one that came apart in a step of h has a rate of the order of h times an acceleration.
static void note_near(lb_constraints* L) {
  static const double HARDLY = 1e-6, SLOWLY = 1e-4; // [m or rad], [1/s]
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint_row* r = &L->row[i];
    if (r->unilateral) {
      L->closing.near[r->contact] |=
          r->gap <= LB_ACTIVE_GAP ||
          (L->state.active[r->contact] && r->gap <= HARDLY && r->rate <= SLOWLY);
    }
  }
}

// Keep bilateral constraints, and unilateral ones that are near.
static void keep_near(lb_constraints* L) {
  int n = 0;
  note_near(L);
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].unilateral || L->closing.near[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

static void forget_near(const lb_model* m, lb_constraints* L) {
  memset(L->closing.near, 0, (size_t)lb_constraints_most(m) * sizeof *L->closing.near);
}

// From a start in which coordinates are kept (constraint_assembly.c).
static void shorten(const lb_model* m, const lb_constraints* L) {
  static const double MOST_TURN = 0.5; // [rad]
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, m->dof.counts[k] == LB_COORDINATE_ANGLE ? fabs(L->dq[k]) : 0);
  }
  for (int k = 0; k < m->nv && most > MOST_TURN; k++) {
    L->dq[k] *= MOST_TURN / most;
  }
}

// A step (3) on the positions from the constraints that were last measured; without damping
// Newton's. The damping is in parts of A's mean diagonal.
static void close_once(const lb_model* m, lb_data* d, lb_closing by, double damping) {
  lb_constraints* L = d->work->constraints;
  keep_near(L);
  // unilateral ones that are near get a gap of zero
  if (!lb_constraint_rows_factor(m, d, (lb_row_terms){damping, true, by.kept, by.heavy})) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].gap;
  }
  lb_constraint_rows_solve(m, d);
  if (by.kept) {
    shorten(m, L);
  }
  lb_advance(m, d->q, L->dq, 1);
}

// (1) by `total`; q* is in `q`.
static void move_straight(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  memcpy(d->q, L->closing.q, (size_t)m->nq * sizeof *d->q);
  lb_advance(m, d->q, L->closing.total, 1);
}

typedef enum way { WAY_CLOSED, WAY_ASTRAY, WAY_MORE_ROWS } way;

// Largest gap of the constraints that are near, unilateral ones of either sign.
static opening measure_near(const lb_model* m, lb_data* d, lb_constraint_set set) {
  lb_constraints* L = d->work->constraints;
  opening all = {0, 0, -1};
  measure_opening(m, d, set);
  keep_near(L);
  for (int i = 0; i < L->nrow; i++) {
    note_gap(&all, &L->row[i], fabs(L->row[i].gap));
  }
  return all;
}

// (1) with the constraints that are near at q*, which d is at, or that were found to come near.
static way go_straight(const lb_model* m, lb_data* d, lb_closing by) {
  lb_constraints* L = d->work->constraints;
  opening here = measure_near(m, d, by.set);
  const int rows = L->nrow;
  double *sum = L->closing.sum, *total = L->closing.total;
  memset(sum, 0, (size_t)rows * sizeof *sum);
  memset(total, 0, (size_t)m->nv * sizeof *total);
  if (here.worst < CLOSED) {
    return WAY_CLOSED;
  }
  if (!lb_constraint_rows_factor(m, d, (lb_row_terms){0, true, by.kept, by.heavy})) {
    return WAY_ASTRAY;
  }
  for (int i = 0; i < CLOSING_STEPS && here.worst >= CLOSED; i++) {
    for (int k = 0; k < rows; k++) {
      L->x[k] = -L->row[k].gap;
    }
    lb_constraint_rows_solve(m, d);
    lb_add(rows, sum, 1, L->x);
    lb_add(m->nv, total, 1, L->dq);
    move_straight(m, d);
    const opening next = measure_near(m, d, by.set);
    if (L->nrow != rows) {
      return WAY_MORE_ROWS;
    }
    if (next.worst < SMALL && !(next.worst < 0.1 * here.worst)) { // at rounding
      if (next.squares >= here.squares) {
        lb_add(rows, sum, -1, L->x);
        lb_add(m->nv, total, -1, L->dq);
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

// Result of (1), by all constraints that there can be.
static void report_positions(const lb_model* m, const lb_constraints* L, lb_projection* report) {
  memcpy(report->move, L->closing.total, (size_t)m->nv * sizeof *report->move);
  for (int i = 0; i < L->nrow; i++) {
    report->lambda[L->row[i].place] = L->closing.sum[i];
    report->near[L->row[i].place] = true;
  }
}

// Unilateral constraints that come near once others are closed are closed with them, from q* on.
bool lb_constraint_rows_project_near(const lb_model* m, lb_data* d, lb_closing by) {
  lb_constraints* L = d->work->constraints;
  const size_t size = (size_t)m->nq * sizeof *d->q;
  memcpy(L->closing.q, d->q, size);
  forget_near(m, L);
  way went = go_straight(m, d, by);
  while (went == WAY_MORE_ROWS) {
    memcpy(d->q, L->closing.q, size);
    went = go_straight(m, d, by);
  }
  if (went == WAY_ASTRAY) {
    memcpy(d->q, L->closing.q, size);
  }
  return went == WAY_CLOSED;
}

double lb_constraint_rows_project(const lb_model* m, lb_data* d, lb_closing by) {
  lb_constraints* L = d->work->constraints;
  const size_t size = (size_t)m->nq * sizeof *d->q;
  opening here = measure_opening(m, d, by.set);
  forget_near(m, L);
  double damping = 0;
  for (int i = 0; i < CLOSING_STEPS && here.worst >= CLOSED && damping < MOST_DAMPING; i++) {
    memcpy(L->closing.q, d->q, size);
    close_once(m, d, by, damping);
    const opening next = measure_opening(m, d, by.set);
    const bool small = here.worst < SMALL;
    if (next.squares < here.squares) {
      // stop at rounding: small, and no longer falling fast
      if (next.worst < SMALL && next.worst > 0.1 * here.worst) {
        return next.worst;
      }
      damping = damping > FIRST_DAMPING ? damping / 10 : 0;
      here = next;
    } else {
      memcpy(d->q, L->closing.q, size);
      if (small) {
        return here.worst;
      }
      damping = fmax(10 * damping, FIRST_DAMPING);
      here = measure_opening(m, d, by.set);
    }
  }
  return here.worst;
}

// A unilateral constraint stays active where it does not separate at once.
static void note_active(lb_constraints* L) {
  for (int i = 0; i < L->nrow; i++) {
    if (L->row[i].unilateral) {
      L->state.active[L->row[i].contact] = L->b[i] <= LB_ACTIVE_GAP;
    }
  }
}

// Result of (2), by all constraints that there can be.
static void report_velocities(const lb_constraints* L, bool moved, lb_projection* report) {
  for (int i = 0; i < L->nrow && moved; i++) {
    const lb_constraint_row* r = &L->row[i];
    report->impulse[r->place] = L->x[i];
    report->closed[r->place] = !r->unilateral || L->b[i] <= LB_ACTIVE_GAP;
  }
}

static bool close_velocities(const lb_model* m, lb_data* d, lb_closing by) {
  lb_constraints* L = d->work->constraints;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, by.set | LB_SET_INACTIVE);
  keep_near(L);
  memset(L->state.active, 0, (size_t)L->ncontact * sizeof *L->state.active);
  if (L->nrow == 0 || !lb_constraint_rows_factor(m, d, (lb_row_terms){0, false, by.kept, false})) {
    return false;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].rate;
  }
  lb_constraint_rows_solve(m, d);
  lb_add(m->nv, d->qd, 1, L->dq);
  note_active(L);
  return true;
}

bool lb_constraint_rows_impact(const lb_model* m, lb_data* d, lb_closing by) {
  forget_near(m, d->work->constraints);
  return close_velocities(m, d, by);
}

static void clear_report(const lb_model* m, lb_projection* report) {
  const size_t rows = (size_t)lb_constraints_most(m);
  memset(report->move, 0, (size_t)m->nv * sizeof *report->move);
  memset(report->lambda, 0, rows * sizeof *report->lambda);
  memset(report->impulse, 0, rows * sizeof *report->impulse);
  memset(report->near, 0, rows * sizeof *report->near);
  memset(report->closed, 0, rows * sizeof *report->closed);
  report->straight = true;
}

// The widest gap of the constraints there are, which were measured where d is.
static double widest_left(const lb_constraints* L) {
  double worst = 0;
  for (int i = 0; i < L->nrow; i++) {
    const double gap = open_by(&L->row[i]);
    worst = gap <= worst ? worst : gap;
  }
  return worst;
}

double lb_constraints_project(const lb_model* m, lb_data* d, lb_constraint_set set,
                              lb_projection* report) {
  const lb_constraints* L = d->work->constraints;
  if (report) {
    clear_report(m, report);
  }
  if (!L) {
    return 0;
  }
  // couplings of fixed ratio that are as good as closed go along; open ones, as at the start, are
  // closed by rows, which weigh the ways to do it by masses
  const bool eliminated = lb_elimination_gap(m, d) < NEARLY;
  const lb_closing by = {.set = set | (eliminated ? LB_SET_REDUCED : 0)};
  if (eliminated) {
    lb_elimination_hold(m, d);
  }
  bool straight = lb_constraint_rows_project_near(m, d, by);
  if (straight && report) {
    report_positions(m, L, report);
  } else if (!straight) {
    lb_constraint_rows_project(m, d, by);
  }
  if (lb_constraints_redundant_open(m, d)) { // by rows that are not redundant after all
    straight = false;
    lb_constraint_rows_project(m, d, by);
  }
  const bool moved = close_velocities(m, d, by);
  if (report) {
    report->straight = straight && eliminated;
    report_velocities(L, moved, report);
  }
  return widest_left(L);
}

void lb_constraints_impact(const lb_model* m, lb_data* d, lb_constraint_set set, double* impulse) {
  const lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  const bool stopped = lb_constraint_rows_impact(m, d, (lb_closing){.set = set});
  if (impulse) {
    memset(impulse, 0, (size_t)lb_constraints_most(m) * sizeof *impulse);
    for (int i = 0; i < L->nrow && stopped; i++) {
      impulse[L->row[i].place] = L->x[i];
    }
  }
}
