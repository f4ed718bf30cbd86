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

static const double CLOSED = 1e-9;     // [m or rad], and [1/s] beside the fastest velocity
static const double FITS = 1e-2;       // [m or rad]: open by less, a pose is meant to be closed
static const double REDUNDANT = 1e-11; // squares of sines: below it a row combines others

// --- who stays ---

static bool keep_all(const lb_model* m, const lb_constraints* L, const int* named) {
  bool any = false;
  for (int k = 0; k < m->nv; k++) {
    L->kept[k] = named[k] > 0;
    any |= L->kept[k];
  }
  return any;
}

// The coordinates of elastic bodies in a basis stay, too. (Their nodes do so anyway.)
static bool keep_elastic(const lb_model* m, const lb_constraints* L) {
  bool any = false;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i] && m->link_kind[i] == LB_LINK_ELASTIC; k++) {
      any = L->kept[m->link_v[i] + k] = true;
    }
  }
  return any;
}

// Of the rows there are, by the coordinates that are not kept.
static int find_rank(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const int n = L->nrow, nv = m->nv;
  L->keeps = true;
  lb_constraint_rows_fill_jacobian(m, d);
  L->keeps = false;
  if (n == 0) {
    return 0;
  }
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, nv, 1, L->Jt, nv, 0, L->A, n);
  return lb_semidefinite_rows(n, L->A, n, REDUNDANT, L->work, L->pivot);
}

// All rows that hold both ways, where d is.
static void fill_rows(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const bool was = L->both_ways;
  L->both_ways = true;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d);
  L->both_ways = was;
}

static bool keep_first(const lb_model* m, lb_data* d, const int* named) {
  const lb_constraints* L = d->work->constraints;
  int last = 0;
  bool any = false;
  fill_rows(m, d);
  lb_fill_columns(m, d->work);
  memset(L->kept, 0, (size_t)m->nv * sizeof *L->kept);
  const int all = find_rank(m, d);
  for (int k = 0; k < m->nv; k++) {
    last = named[k] > last ? named[k] : last;
  }
  for (int number = 1; number <= last; number++) {
    for (int k = 0; k < m->nv; k++) {
      if (named[k] == number) {
        L->kept[k] = true;
        L->kept[k] = find_rank(m, d) == all;
        any |= L->kept[k];
      }
    }
  }
  return any;
}

// --- closing ---

// Put what is not kept aside a little.
static void nudge(const lb_model* m, lb_data* d, bool wanted) {
  static const double FAR = 0.02; // [m or rad]
  lb_constraints* L = d->work->constraints;
  L->keeps = true;
  lb_constraint_rows_put_aside(m, d, wanted ? FAR : 0, false, 1);
  L->keeps = false;
}

static bool close_places_by_others(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  L->keeps = true;
  const bool closed =
      lb_constraint_rows_project_near(m, d) || lb_constraint_rows_project(m, d) < CLOSED;
  if (closed) {
    lb_constraint_rows_project_near(m, d); // a nanometre may be left; from there on, nothing is
  }
  L->keeps = false;
  return closed;
}

// Have what is kept go so far from the base to where it starts; and what is driven, which is there
// already unless the base is the pose as drawn.
static void put_on_way(const lb_model* m, lb_data* d, double part) {
  const lb_constraints* L = d->work->constraints;
  for (int j = 0; j < m->njoint; j++) {
    const int at = m->joint_q[j], v = m->joint_v[j], nq = m->joint_nq[j], nv = m->joint_nv[j];
    const double *from = L->base + at, *to = L->given + at;
    const int turns = nq == nv ? 0 : 3, places = nv - turns;
    for (int k = 0; k < places; k++) {
      if (L->kept[v + turns + k] || m->v_driven[v + turns + k]) {
        d->q[at + k] = part < 1 ? from[k] + part * (to[k] - from[k]) : to[k];
      }
    }
    if (turns && L->kept[v]) {
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
    for (int k = 0; k < m->joint_nv[j] && m->joint_nq[j] == m->joint_nv[j]; k++) {
      const int v = m->joint_v[j] + k, q = m->joint_q[j] + k;
      const bool turns = m->counts[v] == LB_COORDINATE_ANGLE && (L->kept[v] || m->v_driven[v]);
      most = turns ? fmax(most, fabs(L->given[q] - L->base[q])) : most;
    }
  }
  return fmax(FEWEST, ceil(most / TURN));
}

// From a base, which d is at and where loops are closed, or nearly so; false: it gets stuck. At a
// dead point others may be in a line, and have to be put aside to give way.
static bool walk_from_base(const lb_model* m, lb_data* d) {
  static const double SHORTEST = 1. / 16;
  const lb_constraints* L = d->work->constraints;
  const size_t nq = (size_t)m->nq * sizeof *d->q;
  const double steps = measure_way(m, L);
  double part = 0, step = 1;
  bool nudged = false;
  while (part < steps && step >= SHORTEST) {
    const double next = fmin(steps, part + step);
    memcpy(L->aside, d->q, nq);
    put_on_way(m, d, next / steps);
    if (close_places_by_others(m, d)) {
      part = next;
    } else {
      memcpy(d->q, L->aside, nq);
      step = nudged ? step / 2 : step;
      nudge(m, d, !nudged);
      nudged = true;
    }
  }
  return part >= steps;
}

// The pose as drawn, with zero for what is kept or driven. What counts no length or angle, and free
// bodies, are drawn where they start.
static bool go_to_drawn(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  memcpy(L->base, L->given, (size_t)m->nq * sizeof *d->q);
  for (int j = 0; j < m->njoint; j++) {
    const int v = m->joint_v[j], nv = m->joint_nv[j];
    double* q = L->base + m->joint_q[j];
    for (int k = 0; k < nv && m->joint_nq[j] == nv; k++) {
      const bool goes = L->kept[v + k] || m->v_driven[v + k];
      q[k] *= !(goes && m->counts[v + k] != LB_COORDINATE_NUMBER);
    }
    if (m->joint_kind[j] == LB_JOINT_SPHERICAL && L->kept[v]) {
      memcpy(q, (double[]){1, 0, 0, 0}, 4 * sizeof *q);
    }
  }
  memcpy(d->q, L->base, (size_t)m->nq * sizeof *d->q);
  return lb_constraints_gap_of(m, d, false, NULL) < FITS && close_places_by_others(m, d);
}

static bool come_from_drawn(const lb_model* m, lb_data* d) {
  return go_to_drawn(m, d) && walk_from_base(m, d);
}

static bool close_as_written(const lb_model* m, lb_data* d) {
  memcpy(d->q, d->work->constraints->given, (size_t)m->nq * sizeof *d->q);
  return close_places_by_others(m, d);
}

// What is kept stays and others close the loops; false: they cannot.
static bool close_with_kept(const lb_model* m, lb_data* d) {
  const double gap = lb_constraints_gap_of(m, d, false, NULL);
  const bool closed =
      gap < CLOSED || (gap < FITS ? close_as_written(m, d) || come_from_drawn(m, d)
                                  : come_from_drawn(m, d) || close_as_written(m, d));
  if (!closed) {
    memcpy(d->q, d->work->constraints->given, (size_t)m->nq * sizeof *d->q);
  }
  return closed;
}

static void close_places(const lb_model* m, lb_data* d, const int* named) {
  lb_constraints* L = d->work->constraints;
  const size_t nq = (size_t)m->nq * sizeof *d->q;
  keep_all(m, L, named);
  if (keep_elastic(m, L) && close_with_kept(m, d)) {
    return;
  }
  if (!keep_all(m, L, named) || close_with_kept(m, d)) {
    return;
  }
  L->loath = true;
  const bool closed = close_with_kept(m, d);
  L->loath = false;
  memcpy(L->base, d->q, nq);
  if (closed && keep_first(m, d, named) && !walk_from_base(m, d)) {
    memcpy(d->q, L->base, nq);
  }
}

// What is unilateral is not asked: what runs into it is an impact, in which all take part.
static bool close_rates_by_others(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const bool was = L->both_ways;
  double fastest = 1, worst = 0;
  L->keeps = L->both_ways = true;
  lb_constraints_impact(m, d, NULL);
  L->keeps = false;
  L->both_ways = was;
  fill_rows(m, d);
  for (int k = 0; k < m->nv; k++) {
    fastest = fmax(fastest, fabs(d->qd[k]));
  }
  for (int i = 0; i < L->nrow; i++) {
    worst = fmax(worst, fabs(L->row[i].cd));
  }
  return worst < CLOSED * fastest;
}

static void close_rates(const lb_model* m, lb_data* d, const int* named) {
  const lb_constraints* L = d->work->constraints;
  const size_t nv = (size_t)m->nv * sizeof *d->qd;
  keep_all(m, L, named);
  if (keep_elastic(m, L) && close_rates_by_others(m, d)) {
    return;
  }
  memcpy(d->qd, L->given + m->nq, nv);
  if (!keep_all(m, L, named) || close_rates_by_others(m, d)) {
    return;
  }
  memcpy(d->qd, L->given + m->nq, nv);
  if (!keep_first(m, d, named) || !close_rates_by_others(m, d)) {
    memcpy(d->qd, L->given + m->nq, nv);
  }
}

void lb_constraints_assemble(const lb_model* m, lb_data* d, const int* q_named,
                             const int* v_named) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  const bool eliminated = lb_constraints_eliminate(d, false); // couplings may be open
  memcpy(L->given, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(L->given + m->nq, d->qd, (size_t)m->nv * sizeof *d->qd);
  if (q_named) {
    close_places(m, d, q_named);
  }
  if (v_named) {
    close_rates(m, d, v_named);
  }
  lb_constraints_eliminate(d, eliminated);
}

// In steps that are not long, though nothing is kept: what moves gaps by little moves far.
void lb_constraints_assemble_aside(const lb_model* m, lb_data* d, double far, unsigned seed) {
  lb_constraints* L = d->work->constraints;
  if (!L) {
    return;
  }
  memcpy(d->q, L->given, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, L->given + m->nq, (size_t)m->nv * sizeof *d->qd);
  lb_constraint_rows_put_aside(m, d, far, false, seed);
  const bool eliminated = lb_constraints_eliminate(d, false);
  memset(L->kept, 0, (size_t)m->nv * sizeof *L->kept);
  L->keeps = true;
  lb_constraint_rows_project(m, d);
  L->keeps = false;
  lb_constraints_eliminate(d, eliminated);
}
