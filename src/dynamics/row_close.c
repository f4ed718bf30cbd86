// Closing gaps: what steps and starts leave open. From near, as a step of the motion ends, along
// directions that stay,
//
//   q = q* moved along w,   M(q*) w = J(q*)'lambda,   c(q) = 0                             (1)
//
// (rows that ask for a rate alone have no gap: J w = 0), found by Newton's method with the matrix
// A = J Minv J' of q*, whose errors shrink in proportion to the gap. These are equations that q
// solves, however it was found: solve/explicit_close.c differentiates them. Then the velocities,
//
//   v = v* + Minv J'x,   x >= 0, rate >= 0, x rate = 0,   or rate = 0                      (2)
//
// of rows that push only, an impact without bounce, or of others. So there is no drift and no
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

#include "dynamics/gear.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/row.h"
#include "math/dense.h"

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
static double open_by(const lb_row* r) {
  return r->one_way ? fmax(0, -r->c) : fabs(r->c);
}

// The rows at d's q: the worst gap and whose it is, and the sum of the squares of all.
typedef struct opening {
  double worst, squares;
  int which;
} opening;

static int number_of(const lb_model* m, const lb_loops* L, const lb_row* r) {
  return r->relation >= 0 ? m->nloop + r->relation : (int)(r->a - L->frame) / 2;
}

static opening measure_opening(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  opening all = {0, 0, -1};
  lb_kinematics(m, d, d->q, d->qd);
  lb_rows_fill(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
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
  lb_loops* L = d->work->loops;
  const bool every = L->every;
  L->every = true;
  opening all = measure_opening(m, d);
  L->every = every;
  if (!rates) {
    return all;
  }
  all = (opening){0, 0, -1};
  for (int i = 0; i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
    if (r->rate_only && !(fabs(r->cd) <= all.worst)) {
      all.worst = fabs(r->cd);
      all.which = number_of(m, L, r);
    }
  }
  return all;
}

double lb_loops_gap_of(const lb_model* m, lb_data* d, bool rates, int* which) {
  if (!d->work->loops) {
    return 0;
  }
  const opening all = measure_every(m, d, rates);
  if (which && all.which >= 0) {
    *which = all.which;
  }
  return all.worst;
}

double lb_loop_gap(const lb_model* m, lb_data* d, int* which) {
  const double gap = lb_loops_gap_of(m, d, false, which);
  int pace = -1;
  const double off = lb_loops_paced(m) >= 0 ? lb_loops_gap_of(m, d, true, &pace) : 0;
  if (off <= gap) {
    return gap;
  }
  if (which) {
    *which = pace;
  }
  return off;
}

// What pushes one way counts as near once it touches or is through, and stays near while things are
// closed: where a body turns, Newton's method ends a little beyond, and what then looked free would
// keep the velocity it came with. What touched before and hardly moved since is near, too; what
// came apart in a step of h has a rate of the order of h times an acceleration.
static void note_near(lb_loops* L) {
  static const double HARDLY = 1e-6, SLOWLY = 1e-4; // [m or rad], [1/s]
  for (int i = 0; i < L->nrow; i++) {
    const lb_row* r = &L->row[i];
    if (r->one_way) {
      L->near[r->contact] |=
          r->c <= LB_ROW_TOUCH || (L->touching[r->contact] && r->c <= HARDLY && r->cd <= SLOWLY);
    }
  }
}

// Keep two-way rows, and of the others those that are near.
static void keep_near(lb_loops* L) {
  int n = 0;
  note_near(L);
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].one_way || L->near[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

static void forget_near(const lb_model* m, lb_loops* L) {
  memset(L->near, 0, (size_t)lb_loops_most_rows(m) * sizeof *L->near);
}

// From a start in which coordinates are kept (row_start.c).
static void shorten(const lb_model* m, const lb_loops* L) {
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
  lb_loops* L = d->work->loops;
  keep_near(L);
  // what is near is to touch, neither more nor less
  if (!lb_rows_factor(m, d, (lb_rows_how){damping, true})) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].c;
  }
  lb_rows_solve(m, d);
  if (L->keeps) {
    shorten(m, L);
  }
  lb_advance(m, d->q, L->dq, 1);
}

// (1) by `total`; q* is in L->q.
static void move_straight(const lb_model* m, lb_data* d) {
  const lb_loops* L = d->work->loops;
  memcpy(d->q, L->q, (size_t)m->nq * sizeof *d->q);
  lb_advance(m, d->q, L->total, 1);
}

typedef enum way { WAY_CLOSED, WAY_ASTRAY, WAY_MORE_ROWS } way;

// How far the rows that are near are from touching: those that push one way from above, too.
static opening measure_near(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
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
  lb_loops* L = d->work->loops;
  opening here = measure_near(m, d);
  const int rows = L->nrow;
  memset(L->sum, 0, (size_t)rows * sizeof *L->sum);
  memset(L->total, 0, (size_t)m->nv * sizeof *L->total);
  if (here.worst < CLOSED) {
    return WAY_CLOSED;
  }
  if (!lb_rows_factor(m, d, (lb_rows_how){.bilateral = true})) {
    return WAY_ASTRAY;
  }
  for (int i = 0; i < CLOSING_STEPS && here.worst >= CLOSED; i++) {
    for (int k = 0; k < rows; k++) {
      L->x[k] = -L->row[k].c;
    }
    lb_rows_solve(m, d);
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
static void tell_straight(const lb_model* m, const lb_loops* L, lb_closing* told) {
  memcpy(told->move, L->total, (size_t)m->nv * sizeof *L->total);
  for (int i = 0; i < L->nrow; i++) {
    told->lambda[L->row[i].place] = L->sum[i];
    told->near[L->row[i].place] = true;
  }
}

// What lies in the way once others are closed is closed with them, from q* on.
static bool close_straight(const lb_model* m, lb_data* d, lb_closing* told) {
  lb_loops* L = d->work->loops;
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

bool lb_rows_close_near(const lb_model* m, lb_data* d) {
  return close_straight(m, d, NULL);
}

double lb_rows_close(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
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
static void note_touching(lb_loops* L) {
  for (int i = 0; i < L->nrow; i++) {
    if (L->row[i].one_way) {
      L->touching[L->row[i].contact] = L->b[i] <= LB_ROW_TOUCH;
    }
  }
}

// What (2) did, by all rows that there can be.
static void tell_velocities(const lb_loops* L, bool moved, lb_closing* told) {
  for (int i = 0; i < L->nrow && moved; i++) {
    const lb_row* r = &L->row[i];
    told->impulse[r->place] = L->x[i];
    told->closed[r->place] = !r->one_way || L->b[i] <= LB_ROW_TOUCH;
  }
}

// false: there was nothing to do, or no way.
static bool close_velocities(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  lb_kinematics(m, d, d->q, d->qd);
  lb_rows_fill(m, d);
  keep_near(L);
  memset(L->touching, 0, (size_t)L->ncontact * sizeof *L->touching);
  if (L->nrow == 0 || !lb_rows_factor(m, d, (lb_rows_how){0})) {
    return false;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].cd;
  }
  lb_rows_solve(m, d);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] += L->dq[k];
  }
  note_touching(L);
  return true;
}

static void begin_telling(const lb_model* m, lb_closing* told) {
  const size_t rows = (size_t)lb_loops_most_rows(m);
  memset(told->move, 0, (size_t)m->nv * sizeof *told->move);
  memset(told->lambda, 0, rows * sizeof *told->lambda);
  memset(told->impulse, 0, rows * sizeof *told->impulse);
  memset(told->near, 0, rows * sizeof *told->near);
  memset(told->closed, 0, rows * sizeof *told->closed);
  told->straight = true;
}

// The widest gap of the rows there are, which were measured where d is.
static double widest_left(const lb_loops* L) {
  double worst = 0;
  for (int i = 0; i < L->nrow; i++) {
    const double gap = open_by(&L->row[i]);
    worst = gap <= worst ? worst : gap;
  }
  return worst;
}

double lb_loops_close(const lb_model* m, lb_data* d, lb_closing* told) {
  lb_loops* L = d->work->loops;
  if (told) {
    begin_telling(m, told);
  }
  if (!L) {
    return 0;
  }
  // couplings of fixed ratio that are as good as closed go along; open ones, as at the start, are
  // closed by rows, which weigh the ways to do it by masses
  const bool geared = lb_gears_gap(m, d) < NEARLY, was = lb_loops_gear(d, geared);
  if (geared) {
    lb_gears_hold(m, d);
  }
  bool straight = close_straight(m, d, told);
  if (!straight) {
    lb_rows_close(m, d);
  }
  if (lb_loops_opened(m, d)) { // by rows that do not repeat others after all
    straight = false;
    lb_rows_close(m, d);
  }
  const bool moved = close_velocities(m, d);
  if (told) {
    told->straight = straight && geared;
    tell_velocities(L, moved, told);
  }
  lb_loops_gear(d, was);
  return widest_left(L);
}

void lb_loops_stop(const lb_model* m, lb_data* d, double* impulse) {
  lb_loops* L = d->work->loops;
  if (!L) {
    return;
  }
  forget_near(m, L);
  const bool stopped = close_velocities(m, d);
  if (impulse) {
    memset(impulse, 0, (size_t)lb_loops_most_rows(m) * sizeof *impulse);
    for (int i = 0; i < L->nrow && stopped; i++) {
      impulse[L->row[i].place] = L->x[i];
    }
  }
}
