// Loop constraints that are redundant: a door on two hinges has five of them.
//
// Where all loops are closed such rows of J are combinations of others, and a factorisation with
// pivots leaves them out. Within a step nothing is closed to the last digit: at gaps of size g
// constraints that are copies differ by g, their pivots are g^2 instead of zero, and look like
// those of a light body with constraints of its own. So which constraints are redundant is found
// beforehand, and steps, their derivatives and the closing of gaps have no such constraints.
//
// Let V be the poses in which all loops are closed. Where J has the same rank r everywhere near a
// pose of V, any r constraints that are independent there define V by themselves, and the others
// are functions of them (the theorem of constant rank). That is so but in special poses: a four-bar
// with all bars in a line has a constraint too many there, and nowhere else. So r is taken from a
// pose that nothing makes special: everything is put aside a little, at random, and loops are
// closed again; what motors drive, too, unless loops can be closed nowhere else. As a check loops
// are then closed from elsewhere by the r constraints alone: the others have to be closed, too.
//
// Of constraints that no coordinate moves there, such as those across the plane of a planar loop,
// it does not matter where they are left out. Which of the others are depends on the pose: of a
// third crank beside two parallel ones it is the constraint along the crank. These are chosen
// before every step, r in the order of pivots, so that what is kept is far from singular;
// constraints that are kept already stay unless others are much better.
#include <cblas.h>
#undef I // complex.h comes along
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/joint/joint.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

// Perturbations of the pose: the first after which loops can be closed.
typedef struct aside {
  double far;  // [m or rad]
  bool driven; // driven coordinates, too
} aside;
static const aside ASIDE[] = {{1e-2, true}, {1e-4, true}, {1e-2, false}, {1e-4, false}};
enum { NASIDE = sizeof ASIDE / sizeof *ASIDE };

// The part of that which gaps may be.
static const double CLOSED = 1e-8;

// Constraints that are kept count for so many times their length, and the last for so much less
// than the first: copies are equally good, and rounding is not to choose.
static const double STAY = 2, LATER = 0.5;

// All constraints of joints at d's q, redundant ones, too.
static void fill_joints(const lb_model* m, lb_data* d) {
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, LB_SET_JOINTS | LB_SET_REDUNDANT);
}

// Their J.
static void fill_jacobian(const lb_model* m, lb_data* d) {
  fill_joints(m, d);
  lb_fill_columns(m, d->work);
  lb_constraint_rows_fill_jacobian(m, d, NULL);
}

static double length_of(const lb_model* m, const lb_constraints* L, int i) {
  const double* J = L->dense.Jt + (size_t)i * (size_t)m->nv;
  return sqrt(lb_dot(m->nv, J, J));
}

// Norms of constraints at d, in a generic pose.
static void measure_rows(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  if (L->kkt) {
    return;
  }
  fill_jacobian(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const double length = length_of(m, L, i);
    L->state.length[L->row[i].number] = length > 0 ? length : 1;
  }
}

// Constraints that the elimination of all of them finds independent, in `pivot`.
static int find_own_by_kkt(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  fill_joints(m, d);
  if (!lb_kkt_factor(L->kkt, d, (lb_kkt_terms){0})) {
    return 0;
  }
  const int own = lb_kkt_redundant(L->kkt, L->closing.near);
  int first = 0, last = own;
  for (int i = 0; i < L->nrow; i++) {
    L->pivot[L->closing.near[L->row[i].number] ? last++ : first++] = i;
  }
  return own;
}

// Constraints of the joints that are independent of each other, in `pivot`: how many. With `stay`,
// those that are not left out come first unless others are much better. A constraint that all but
// vanishes in this pose is worth little: constraints count by the length they have elsewhere.
static int find_own(const lb_model* m, lb_data* d, bool stay) {
  const lb_constraints* L = d->work->constraints;
  if (L->kkt) {
    return find_own_by_kkt(m, d);
  }
  fill_jacobian(m, d);
  const int nv = m->nv, n = L->nrow;
  for (int i = 0; i < n; i++) {
    const int number = L->row[i].number;
    const double early = (1 - LATER * i / n) / L->state.length[number];
    const double to = stay && !L->state.redundant[number] ? STAY * early : early;
    for (int k = 0; k < nv; k++) {
      L->dense.Jt[(size_t)i * (size_t)nv + (size_t)k] *= to;
    }
  }
  if (n == 0) {
    return 0;
  }
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, nv, 1, L->dense.Jt, nv, 0, L->dense.A, n);
  return lb_semidefinite_rows(n, L->dense.A, n, LB_REDUNDANT, L->work, L->pivot);
}

// Leave out all constraints of joints but the first so many in `pivot`.
static void leave_out_others(lb_constraints* L, int own) {
  bool changed = false;
  for (int i = 0; i < L->nrow; i++) {
    bool* out = &L->state.redundant[L->row[L->pivot[i]].number];
    changed |= *out != (i >= own);
    *out = i >= own;
  }
  L->state.choices += changed;
}

static void keep_every(const lb_model* m, lb_constraints* L) {
  memset(L->state.redundant, 0, (size_t)lb_constraints_most(m) * sizeof *L->state.redundant);
}

// --- finding them ---

// Numbers between -1 and 1 without a pattern, and the same ones for everybody.
static double next_number(unsigned* seed) {
  *seed = *seed * 1664525U + 1013904223U;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

void lb_constraint_rows_displace(const lb_model* m, lb_data* d, lb_displacement by) {
  lb_constraints* L = d->work->constraints;
  memset(L->dq, 0, (size_t)m->nv * sizeof *L->dq);
  for (int k = 0; k < m->ndense; k++) {
    const double to = by.far * next_number(&by.seed);
    const bool stays = (m->dof.driven[k] && !by.driven) || (by.kept && by.kept[k]);
    L->dq[k] = stays ? 0 : to;
  }
  lb_advance(m, d->q, L->dq, 1);
}

// Perturbed q, projected onto the constraints of joints that are not left out.
static bool go_aside(const lb_model* m, lb_data* d, const double* q, aside by, unsigned seed) {
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  lb_constraint_rows_displace(m, d,
                              (lb_displacement){.far = by.far, .driven = by.driven, .seed = seed});
  return lb_constraint_rows_project(m, d, (lb_closing){.set = LB_SET_JOINTS}) < CLOSED * by.far;
}

static bool are_closed(const lb_model* m, lb_data* d, double gap) {
  const lb_constraints* L = d->work->constraints;
  double worst = 0;
  fill_joints(m, d);
  for (int i = 0; i < L->nrow; i++) {
    worst = fmax(worst, fabs(L->row[i].gap));
  }
  return worst < gap;
}

// Constraints that are left out feel something at d.
static bool feel_something(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  if (L->kkt) {
    return lb_kkt_feels(L->kkt, L->state.redundant);
  }
  fill_jacobian(m, d);
  for (int i = 0; i < L->nrow; i++) {
    if (L->state.redundant[L->row[i].number] && length_of(m, L, i) > 0) {
      return true;
    }
  }
  return false;
}

// Leave out what is redundant in poses near q; false: nothing does, or no pose was found.
static bool find_near(const lb_model* m, lb_data* d, const double* q, aside by) {
  lb_constraints* L = d->work->constraints;
  if (!go_aside(m, d, q, by, 1)) {
    return false;
  }
  measure_rows(m, d);
  L->state.own = find_own(m, d, false);
  leave_out_others(L, L->state.own);
  L->state.moves = feel_something(m, d);
  if (go_aside(m, d, q, by, 2) && are_closed(m, d, CLOSED * by.far)) {
    L->state.moves |= feel_something(m, d);
    return true;
  }
  keep_every(m, L);
  return false;
}

// With driven coordinates held, constraints that feel nothing may do so in this pose alone.
static void find(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  double* q = L->closing.aside;
  measure_rows(m, d);
  L->state.own = find_own(m, d, false);
  L->state.moves = false;
  const int rows = L->nrow;
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  bool found = L->state.own == rows && are_closed(m, d, CLOSED);
  for (int i = 0; i < NASIDE && !found; i++) {
    found = find_near(m, d, q, ASIDE[i]);
    L->state.moves |= found && !ASIDE[i].driven;
  }
  L->state.own = found ? L->state.own : rows;
  L->state.moves = L->state.moves && L->state.own < rows;
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  lb_kinematics(m, d, d->q, d->qd);
}

// --- what callers use ---

// Fewer independent constraints mean a singular pose; the redundant ones stay left out.
static void choose_again(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  if (find_own(m, d, true) >= L->state.own) {
    leave_out_others(L, L->state.own);
  }
}

// True where elimination finds the kept constraints hardly independent here.
static bool is_doubtful(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraint_rows_fill(m, d, LB_SET_JOINTS);
  lb_kkt_factor(L->kkt, d, (lb_kkt_terms){0});
  return lb_kkt_is_weak(L->kkt);
}

void lb_constraints_find_redundant(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  if (L && L->state.own < 0) {
    find(m, d);
  }
  if (L && L->state.moves && (!L->kkt || is_doubtful(m, d))) {
    choose_again(m, d);
  }
}

// Constraints of loop i, that of its motor included.
static int rows_of(const lb_model* m, int i) {
  return lb_constraint_types[LB_CONSTRAINT_JOINT]->rows(m, &m->constraint.item[i]);
}

void lb_constraints_adopt_choice(const lb_model* m, lb_data* d, const lb_model* tree,
                                 const lb_data* from) {
  lb_constraints* L = d->work->constraints;
  const lb_constraints* T = from->work->constraints;
  if (!L || !T || !L->kkt || T->state.own < 0) {
    return;
  }
  int rows = 0, out = 0;
  for (int i = 0, at = 0; i < m->constraint.nloop; i++) {
    const int n = rows_of(m, i);
    for (int k = 0, there = 0; k < tree->constraint.nloop; there += rows_of(tree, k), k++) {
      if (strcmp(m->constraint.loop[i].name, tree->constraint.loop[k].name) == 0 &&
          n == rows_of(tree, k)) {
        memcpy(L->state.redundant + at, T->state.redundant + there,
               (size_t)n * sizeof *L->state.redundant);
      }
    }
    for (int r = at; r < at + n; r++) {
      out += L->state.redundant[r];
    }
    rows += n - (m->constraint.loop_motor[i] >= 0);
    at += n;
  }
  L->state.own = rows - out;
  L->state.moves = T->state.moves;
  L->state.choices++;
}

void lb_constraints_forget_redundant(lb_data* d) {
  lb_constraints* L = d->work->constraints;
  if (L) {
    keep_every(d->model, L);
    lb_constraints_unlatch(d->model, L);
    L->state.own = -1;
    L->state.moves = false;
    L->state.choices++;
  }
}

int lb_constraints_count_choices(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->state.choices : 0;
}

const bool* lb_constraints_redundant(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->state.redundant : NULL;
}

void lb_constraints_set_redundant(lb_data* d, const bool* redundant) {
  lb_constraints* L = d->work->constraints;
  if (L && redundant) {
    memcpy(L->state.redundant, redundant,
           (size_t)lb_constraints_most(d->model) * sizeof *redundant);
  }
}

bool lb_constraints_redundant_open(const lb_model* m, lb_data* d) {
  static const double OPEN = 1e-9, MORE = 1e3; // [m or rad], and than what is kept
  lb_constraints* L = d->work->constraints;
  double out = 0, kept = 0;
  if (!L || !L->state.moves) {
    return false;
  }
  fill_joints(m, d);
  for (int i = 0; i < L->nrow; i++) {
    double* worst = L->state.redundant[L->row[i].number] ? &out : &kept;
    *worst = fmax(*worst, fabs(L->row[i].gap));
  }
  const bool opened = out > OPEN + MORE * kept;
  if (opened) {
    lb_constraints_forget_redundant(d);
  }
  return opened;
}
