// Starts. What the scene names stays as it is written, and the other coordinates go to where loops
// are closed: places first, then velocities. So a crank starts at the angle that it was given, and
// what hangs on it follows.
//
// Not everything that is named can always stay: a linkage with one freedom may have three angles
// written down, rounded or guessed. Then all coordinates move at first, the named ones as if they
// were heavy, to a pose in which loops are closed. There, in the order of the file, a coordinate
// can stay if the columns of J of those that are left to move still have the rank of all columns:
// loops can follow whatever it does. These then go back to where they are written, and the others
// follow. Where even that does not work, as of a crank that cannot get to where it is wanted, all
// have moved. For velocities the same is linear, and exact.
//
// Elastic bodies keep their shape, and with it their energy, as long as the others can close the
// loops. Only where these cannot do the bodies bend.
//
// A linkage can be put together in several ways, with its elbow up or down. Where it does not
// fit together as written but as drawn, with every coordinate zero, it is moved from there to where
// it starts, as by a hand on what is named, and so comes there in the way in which it was drawn.
// Else it is closed from where it is written. While coordinates are kept, steps then turn nothing
// by more than half a radian (constraint_projection.c). That follows dq/ds = -J^+ c, along which c
// shrinks in proportion, and which does not get past poses in which J of the moving coordinates is
// singular.
#include <cblas.h>
#undef I // complex.h comes along
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/semidefinite.h"

static const double CLOSED = 1e-9; // [m or rad], and [1/s] beside the fastest velocity
static const double FITS = 1e-2;   // [m or rad]: open by less, a pose is meant to be closed

// --- who stays ---

static bool keep_all(const lb_model* m, const lb_constraints* L, const int* named) {
  bool any = false;
  for (int k = 0; k < m->nv; k++) {
    L->closing.kept[k] = named[k] > 0;
    any |= L->closing.kept[k];
  }
  return any;
}

// The coordinates of elastic bodies in a basis stay, too. (Their nodes do so anyway.)
static bool keep_elastic(const lb_model* m, const lb_constraints* L) {
  bool any = false;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link.nv[i] && m->link.kind[i] == LB_LINK_ELASTIC; k++) {
      any = L->closing.kept[m->link.v[i] + k] = true;
    }
  }
  return any;
}

// Rank of the constraints there are, by the coordinates that are not kept.
static int find_rank(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  const int n = L->nrow, nv = m->nv;
  lb_constraint_rows_fill_jacobian(m, d, L->closing.kept);
  if (n == 0) {
    return 0;
  }
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, nv, 1, L->dense.Jt, nv, 0, L->dense.A, n);
  return lb_semidefinite_rows(n, L->dense.A, n, LB_REDUNDANT, L->work, L->pivot);
}

// All constraints that are bilateral, where d is.
static void fill_rows(const lb_model* m, lb_data* d) {
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, LB_SET_BILATERAL | LB_SET_COMPLIANT);
}

static bool keep_first(const lb_model* m, lb_data* d, const int* named) {
  const lb_constraints* L = d->work->constraints;
  int last = 0;
  bool any = false;
  fill_rows(m, d);
  lb_fill_columns(m, d->work);
  memset(L->closing.kept, 0, (size_t)m->nv * sizeof *L->closing.kept);
  const int all = find_rank(m, d);
  for (int k = 0; k < m->nv; k++) {
    last = named[k] > last ? named[k] : last;
  }
  for (int number = 1; number <= last; number++) {
    for (int k = 0; k < m->nv; k++) {
      if (named[k] == number) {
        L->closing.kept[k] = true;
        L->closing.kept[k] = find_rank(m, d) == all;
        any |= L->closing.kept[k];
      }
    }
  }
  return any;
}

// --- closing ---

// Assembly with kept coordinates: they stay, and the others close the loops. Where they are not
// asked to bend, kept ones are heavy instead.
typedef struct closer {
  const lb_model* m;
  lb_data* d;
  lb_constraints* L;
  lb_closing by;
} closer;

static bool close_places_by_others(const closer* c) {
  const bool closed = lb_constraint_rows_project_near(c->m, c->d, c->by) ||
                      lb_constraint_rows_project(c->m, c->d, c->by) < CLOSED;
  if (closed) { // a nanometre may be left; from there on, nothing is
    lb_constraint_rows_project_near(c->m, c->d, c->by);
  }
  return closed;
}

// Have what is kept go so far from the base to where it starts; and what is driven, which is there
// already unless the base is the pose as drawn.
static void put_on_way(const closer* c, double part) {
  const lb_model* m = c->m;
  lb_data* d = c->d;
  const lb_constraints* L = c->L;
  for (int j = 0; j < m->njoint; j++) {
    const int at = m->joint.q[j], v = m->joint.v[j], nq = m->joint.nq[j], nv = m->joint.nv[j];
    const double *from = L->closing.base + at, *to = L->closing.given + at;
    const int turns = nq == nv ? 0 : 3, places = nv - turns;
    for (int k = 0; k < places; k++) {
      if (L->closing.kept[v + turns + k] || m->dof.driven[v + turns + k]) {
        d->q[at + k] = part < 1 ? from[k] + part * (to[k] - from[k]) : to[k];
      }
    }
    if (turns && L->closing.kept[v]) {
      const double *a = from + places, *b = to + places;
      const lb_quat start = {a[0], a[1], a[2], a[3]}, end = {b[0], b[1], b[2], b[3]};
      const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(start), end));
      const lb_quat q = lb_quat_mul(start, lb_quat_exp(lb_vec3_scale(part, turn)));
      memcpy(d->q + at + places, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof q.w);
    }
  }
}

// Steps of a tenth of a radian.
static double measure_way(const lb_model* m, const lb_constraints* L) {
  static const double TURN = 0.1, FEWEST = 8;
  double most = 0;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j] && m->joint.nq[j] == m->joint.nv[j]; k++) {
      const int v = m->joint.v[j] + k, q = m->joint.q[j] + k;
      const bool turns =
          m->dof.counts[v] == LB_COORDINATE_ANGLE && (L->closing.kept[v] || m->dof.driven[v]);
      most = turns ? fmax(most, fabs(L->closing.given[q] - L->closing.base[q])) : most;
    }
  }
  return fmax(FEWEST, ceil(most / TURN));
}

// From a base, which d is at and where loops are closed, or nearly so; false: it gets stuck. At a
// dead point others may be in a line, and have to be put aside to give way.
static bool walk_from_base(const closer* c) {
  static const double SHORTEST = 1. / 16, FAR = 0.02; // FAR in [m or rad]
  const size_t nq = (size_t)c->m->nq * sizeof *c->d->q;
  const double steps = measure_way(c->m, c->L);
  double part = 0, step = 1;
  bool nudged = false;
  while (part < steps && step >= SHORTEST) {
    const double next = fmin(steps, part + step);
    memcpy(c->L->closing.aside, c->d->q, nq);
    put_on_way(c, next / steps);
    if (close_places_by_others(c)) {
      part = next;
    } else {
      memcpy(c->d->q, c->L->closing.aside, nq);
      step = nudged ? step / 2 : step;
      lb_constraint_rows_displace(
          c->m, c->d,
          (lb_displacement){.far = nudged ? 0 : FAR, .seed = 1, .kept = c->L->closing.kept});
      nudged = true;
    }
  }
  return part >= steps;
}

// The pose as drawn, with zero for what is kept or driven. What counts no length or angle, and free
// bodies, are drawn where they start.
static bool go_to_drawn(const closer* c) {
  const lb_model* m = c->m;
  lb_data* d = c->d;
  const lb_constraints* L = c->L;
  memcpy(L->closing.base, L->closing.given, (size_t)m->nq * sizeof *d->q);
  for (int j = 0; j < m->njoint; j++) {
    const int v = m->joint.v[j], nv = m->joint.nv[j];
    double* q = L->closing.base + m->joint.q[j];
    for (int k = 0; k < nv && m->joint.nq[j] == nv; k++) {
      const bool goes = L->closing.kept[v + k] || m->dof.driven[v + k];
      q[k] *= !(goes && m->dof.counts[v + k] != LB_COORDINATE_NUMBER);
    }
    if (m->joint.kind[j] == LB_JOINT_SPHERICAL && L->closing.kept[v]) {
      memcpy(q, (double[]){1, 0, 0, 0}, 4 * sizeof *q);
    }
  }
  memcpy(d->q, L->closing.base, (size_t)m->nq * sizeof *d->q);
  return lb_constraints_gap_in(m, d, c->by.set) < FITS && close_places_by_others(c);
}

static bool come_from_drawn(const closer* c) {
  return go_to_drawn(c) && walk_from_base(c);
}

static void go_back(const closer* c) {
  memcpy(c->d->q, c->L->closing.given, (size_t)c->m->nq * sizeof *c->d->q);
}

static bool close_as_written(const closer* c) {
  go_back(c);
  return close_places_by_others(c);
}

// Assembly by the coordinates that are not kept; false: they cannot.
static bool close_with_kept(const closer* c) {
  const double gap = lb_constraints_gap_in(c->m, c->d, c->by.set);
  const bool closed = gap < CLOSED || (gap < FITS ? close_as_written(c) || come_from_drawn(c)
                                                  : come_from_drawn(c) || close_as_written(c));
  if (!closed) {
    go_back(c);
  }
  return closed;
}

static void close_places(closer* c, const int* named) {
  const size_t nq = (size_t)c->m->nq * sizeof *c->d->q;
  keep_all(c->m, c->L, named);
  if (keep_elastic(c->m, c->L) && close_with_kept(c)) {
    return;
  }
  if (!keep_all(c->m, c->L, named) || close_with_kept(c)) {
    return;
  }
  c->by.heavy = true;
  const bool closed = close_with_kept(c);
  c->by.heavy = false;
  memcpy(c->L->closing.base, c->d->q, nq);
  if (closed && keep_first(c->m, c->d, named) && !walk_from_base(c)) {
    memcpy(c->d->q, c->L->closing.base, nq);
  }
}

// Rates of bilateral constraints; running into a unilateral one is an impact, in which all take
// part.
static bool close_rates_by_others(const closer* c) {
  const lb_closing by = {.set = LB_SET_BILATERAL | LB_SET_COMPLIANT, .kept = c->by.kept};
  double fastest = 1, worst = 0;
  lb_constraint_rows_impact(c->m, c->d, by);
  fill_rows(c->m, c->d);
  for (int k = 0; k < c->m->nv; k++) {
    fastest = fmax(fastest, fabs(c->d->qd[k]));
  }
  for (int i = 0; i < c->L->nrow; i++) {
    worst = fmax(worst, fabs(c->L->row[i].rate));
  }
  return worst < CLOSED * fastest;
}

static void close_rates(const closer* c, const int* named) {
  const lb_model* m = c->m;
  const double* given = c->L->closing.given + m->nq;
  const size_t nv = (size_t)m->nv * sizeof *given;
  keep_all(m, c->L, named);
  if (keep_elastic(m, c->L) && close_rates_by_others(c)) {
    return;
  }
  memcpy(c->d->qd, given, nv);
  if (!keep_all(m, c->L, named) || close_rates_by_others(c)) {
    return;
  }
  memcpy(c->d->qd, given, nv);
  if (!keep_first(m, c->d, named) || !close_rates_by_others(c)) {
    memcpy(c->d->qd, given, nv);
  }
}

void lb_constraints_assemble(const lb_model* m, lb_data* d, lb_constraint_set set,
                             const int* q_named, const int* v_named) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  closer c = {m, d, L, {.set = set, .kept = L->closing.kept}}; // couplings may be open
  memcpy(L->closing.given, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(L->closing.given + m->nq, d->qd, (size_t)m->nv * sizeof *d->qd);
  if (q_named) {
    close_places(&c, q_named);
  }
  if (v_named) {
    close_rates(&c, v_named);
  }
}

// In steps that are not long, though nothing is kept: what moves gaps by little moves far.
void lb_constraints_assemble_aside(const lb_model* m, lb_data* d, lb_constraint_set set, double far,
                                   unsigned seed) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  memcpy(d->q, L->closing.given, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, L->closing.given + m->nq, (size_t)m->nv * sizeof *d->qd);
  lb_constraint_rows_displace(m, d, (lb_displacement){.far = far, .seed = seed});
  memset(L->closing.kept, 0, (size_t)m->nv * sizeof *L->closing.kept);
  lb_constraint_rows_project(m, d, (lb_closing){.set = set, .kept = L->closing.kept});
}
