#include "solve/diagnose/diagnose_conflict.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"

// A party has at least this part of the widest gap; and one that is named in place of another, that
// part.
static const double PARTY = 0.05, AS_GOOD = 0.3;

// --- parties ---

static int motor_party(const lb_model* m, int motor) {
  return m->constraint.count + motor;
}

// The first of the three motors that prescribe a rotation stands for all.
static int said_by(const lb_model* m, int motor) {
  return m->motor.prescribed[motor] < 0
             ? motor
             : m->constraint.prescribed[m->motor.prescribed[motor]].motor[0];
}

static int party_of(const lb_model* m, const lb_constraint_row* r) {
  return r->motor >= 0 ? motor_party(m, said_by(m, r->motor)) : r->constraint;
}

lb_party_rank lb_conflict_rank(const lb_conflict* C, int party) {
  const lb_model* m = C->m;
  return party >= m->constraint.count                ? LB_PARTY_MOTOR
         : party >= m->constraint.nloop              ? LB_PARTY_CONSTRAINT
         : m->constraint.loop[party].cut.taken_apart ? LB_PARTY_JOINT
                                                     : LB_PARTY_LOOP;
}

lb_constraint_title lb_conflict_title(const lb_conflict* C, int party) {
  const lb_model* m = C->m;
  const int motor = party - motor_party(m, 0),
            prescribed = motor < 0 ? -1 : m->motor.prescribed[motor];
  if (motor >= 0 && prescribed < 0) {
    return (lb_constraint_title){m->motor.name[motor], "motor", m->motor.place[motor]};
  }
  const lb_model_constraint* c =
      &m->constraint.item[motor < 0 ? party : m->constraint.prescribed[prescribed].constraint];
  return (lb_constraint_title){c->name, c->title, c->place};
}

bool lb_conflict_prescribes(const lb_conflict* C, int party) {
  const lb_party_rank rank = lb_conflict_rank(C, party);
  return rank == LB_PARTY_MOTOR || rank == LB_PARTY_CONSTRAINT;
}

// The coordinate and the velocity of a tree that a motor prescribes; false: it does not.
static bool find_driven(const lb_model* m, int motor, int* q, int* v) {
  const int joint = m->motor.joint[motor];
  if (!lb_motor_prescribes(m, motor)) {
    return false;
  }
  *q = m->joint.q[joint];
  *v = m->joint.v[joint];
  return true;
}

// --- shares ---

// Gaps, and at velocity level errors of rates, of every constraint at d's state: how many.
static int measure(const lb_model* m, lb_data* d, double* off) {
  lb_kinematics(m, d, d->q, d->qd);
  const int count = lb_constraints_measure(m, d, LB_SET_INACTIVE).count;
  for (int i = 0; i < count; i++) {
    const lb_constraint_row* r = lb_constraints_row(d, i);
    off[i] = r->velocity_level ? r->rate : r->unilateral ? fmin(0, r->gap) : r->gap;
  }
  return count;
}

// Pull on a driven coordinate: the cosine between the gaps and their change with it.
static double pull_of(const lb_model* m, lb_data* d, int q, int v, const double* off,
                      double* side[2]) {
  static const double LITTLE = 1e-6;
  const double at = d->q[q], rate = d->qd[v];
  int n = 0;
  for (int i = 0; i < 2; i++) {
    d->q[q] = at + (i ? -LITTLE : LITTLE);
    d->qd[v] = rate + (i ? -LITTLE : LITTLE);
    n = measure(m, d, side[i]);
  }
  d->q[q] = at;
  d->qd[v] = rate;
  lb_add(n, side[0], -1, side[1]);
  const double size = lb_dot(n, off, off) * lb_dot(n, side[0], side[0]);
  return size > 0 ? fabs(lb_dot(n, off, side[0])) / sqrt(size) : 0;
}

// `off` has room for three numbers a constraint there can be.
static void find_shares(lb_conflict* C, lb_data* d, double* off) {
  const lb_model* m = C->m;
  double* side[] = {off + lb_constraints_most(m), off + 2 * (size_t)lb_constraints_most(m)};
  const int rows = measure(m, d, off);
  double worst = 0;
  for (int i = 0; i < rows; i++) {
    const lb_constraint_row* r = lb_constraints_row(d, i);
    const int party = party_of(m, r);
    const double gap = isfinite(off[i]) ? fabs(off[i]) : HUGE_VAL;
    C->share[party] = fmax(C->share[party], gap);
    C->velocity_level = gap > worst ? r->velocity_level : C->velocity_level;
    worst = fmax(worst, gap);
  }
  for (int i = 0; i < C->count; i++) {
    C->share[i] = C->share[i] > PARTY * worst ? C->share[i] : 0;
  }
  for (int i = 0; i < m->nmotor; i++) {
    int q = 0, v = 0;
    if (find_driven(m, i, &q, &v)) {
      const double pull = pull_of(m, d, q, v, off, side);
      C->share[motor_party(m, i)] = pull > PARTY ? pull * worst : 0;
    }
  }
}

static void choose_main(lb_conflict* C) {
  double worst = 0;
  C->main = 0;
  for (int i = 0; i < C->count; i++) {
    if (C->share[i] > worst) {
      worst = C->share[i];
      C->main = i;
    }
  }
  const double enough = AS_GOOD * worst;
  for (int i = 0; i < C->count; i++) {
    const int more = (int)lb_conflict_rank(C, i) - (int)lb_conflict_rank(C, C->main);
    if (C->share[i] >= enough && (more > 0 || (more == 0 && C->share[i] > C->share[C->main]))) {
      C->main = i;
    }
  }
}

// --- more than is free ---

// The model with every motor let go; with joints alone, without what is prescribed on top of them.
static lb_model* let_go(const lb_model* m, bool joints_alone, lb_arena* arena) {
  lb_model* out = lb_model_derive(m, arena);
  if (!out) {
    return NULL;
  }
  const lb_model_array own[] = {LB_MODEL_ARRAY(out->link.packed, m->nlink),
                                LB_MODEL_ARRAY(out->link.driven, m->nlink),
                                LB_MODEL_ARRAY(out->dof.driven, m->nv),
                                LB_MODEL_ARRAY(out->constraint.loop_motor, m->constraint.nloop)};
  if (!LB_MODEL_OWN(arena, own)) {
    return NULL;
  }
  out->nmotor = 0;
  memset(out->dof.driven, 0, (size_t)m->nv * sizeof *out->dof.driven);
  for (int i = 0; i < m->nlink; i++) {
    out->link.packed[i].driven = out->link.driven[i] = false;
  }
  if (joints_alone) {
    out->constraint.count = out->constraint.npair = m->constraint.nloop;
    out->constraint.nprescribed = out->constraint.ncoupling = 0;
    out->constraint.elimination = (lb_elimination){0};
    for (int i = 0; i < m->constraint.nloop; i++) {
      out->constraint.loop_motor[i] = -1;
    }
  }
  return out;
}

// Numbers between -1 and 1 without a pattern, and the same ones for everybody.
static double next_number(unsigned* seed) {
  *seed = *seed * 1664525U + 1013904223U;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

// A pose near q that nothing makes special, in which the joints hold.
static bool find_common_pose(const lb_model* joints, lb_data* t, const double* q, double* move) {
  static const double FAR = 0.02, CLOSED = 1e-9;
  unsigned seed = 1;
  memcpy(t->q, q, (size_t)joints->nq * sizeof *q);
  memset(t->qd, 0, (size_t)joints->nv * sizeof *t->qd);
  for (int k = 0; k < joints->ndense; k++) {
    move[k] = FAR * next_number(&seed);
  }
  lb_advance(joints, t->q, move, 1);
  return lb_project(joints, t) < CLOSED;
}

// Rows of J, each of length one.
typedef struct rows {
  int count, nv;
  double *J, *A, *work;
  int* pivot;
} rows;

static void add_row(rows* R, const double* J) {
  const double length = sqrt(lb_dot(R->nv, J, J));
  double* to = R->J + (size_t)R->count * (size_t)R->nv;
  if (length > 1e-9) {
    for (int k = 0; k < R->nv; k++) {
      to[k] = J[k] / length;
    }
    R->count++;
  }
}

static int find_rank(rows* R) {
  const int n = R->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      R->A[i * n + j] =
          lb_dot(R->nv, R->J + (size_t)i * (size_t)R->nv, R->J + (size_t)j * (size_t)R->nv);
    }
  }
  return n > 0 ? lb_semidefinite_rows(n, R->A, n, LB_REDUNDANT, R->work, R->pivot) : 0;
}

// Adds the constraints of joints, or of the parties that prescribe.
static void add_rows(const lb_conflict* C, const lb_data* d, const lb_constraint_rows* found,
                     bool prescribing, rows* R) {
  for (int i = 0; i < found->count; i++) {
    const lb_constraint_row* r = lb_constraints_row(d, i);
    const int party = party_of(C->m, r);
    if (lb_conflict_prescribes(C, party) == prescribing && (!prescribing || C->share[party] > 0)) {
      add_row(R, found->J + (size_t)i * (size_t)R->nv);
    }
  }
}

// Motors on coordinates, which are no constraints.
static void add_driven(const lb_conflict* C, double* one, rows* R) {
  memset(one, 0, (size_t)R->nv * sizeof *one);
  for (int i = 0; i < C->m->nmotor; i++) {
    int q = 0, v = 0;
    if (C->share[motor_party(C->m, i)] > 0 && find_driven(C->m, i, &q, &v)) {
      one[v] = 1;
      add_row(R, one);
      one[v] = 0;
    }
  }
}

// At d's pose: with J of the joints and P of the parties that prescribe, rank (J, P) < rank J + the
// number of P. Constraints that feel nothing, such as those across a plane, do not count.
static bool are_too_many(const lb_conflict* C, const lb_model* all, lb_data* d, double* one,
                         rows* R) {
  lb_kinematics(all, d, d->q, d->qd);
  const lb_constraint_rows found = lb_constraints_linearise(all, d, LB_SET_INACTIVE);
  add_rows(C, d, &found, false, R);
  const int joints = R->count, rank = find_rank(R);
  add_rows(C, d, &found, true, R);
  add_driven(C, one, R);
  return find_rank(R) < rank + R->count - joints;
}

static bool take_rows(rows* R, const lb_model* m, lb_arena* arena) {
  const size_t most = (size_t)lb_constraints_most(m) + (size_t)m->nmotor, nv = (size_t)m->nv;
  *R = (rows){.nv = m->nv,
              .J = LB_TAKE(arena, double, most* nv),
              .A = LB_TAKE(arena, double, most* most),
              .work = LB_TAKE(arena, double, 2 * most),
              .pivot = LB_TAKE(arena, int, most)};
  return R->J && R->A && R->work && R->pivot;
}

// The model without its motors, at a pose that nothing makes special, and room for constraints.
typedef struct bench {
  lb_model *joints, *all;
  lb_data *t, *u; // of these
  rows R;
  double* move; // [nv]
} bench;

// LB_NO_MEMORY; LB_FAILED where no such pose is found. To be cleared in any case.
static lb_status set_up(bench* B, const lb_model* m, const lb_data* d, lb_arena* arena) {
  *B = (bench){.joints = let_go(m, true, arena),
               .all = let_go(m, false, arena),
               .move = LB_TAKE(arena, double, m->nv)};
  if (!B->move || !take_rows(&B->R, m, arena) || !B->joints || !B->all ||
      lb_data_create(B->joints, arena->allocator, &B->t, NULL) != LB_OK ||
      lb_data_create(B->all, arena->allocator, &B->u, NULL) != LB_OK) {
    return LB_NO_MEMORY;
  }
  B->t->time = B->u->time = d->time;
  B->t->command = B->u->command = d->command;
  if (!find_common_pose(B->joints, B->t, d->q, B->move)) {
    return LB_FAILED;
  }
  memcpy(B->u->q, B->t->q, (size_t)m->nq * sizeof *B->u->q);
  return LB_OK;
}

static void clear(bench* B) {
  lb_data_release(B->t);
  lb_data_release(B->u);
}

// True where the parties prescribe more than is free in every pose; false without memory or a pose.
static bool is_excess(const lb_conflict* C, const lb_data* d, lb_arena* arena) {
  bench B;
  const bool excess =
      set_up(&B, C->m, d, arena) == LB_OK && are_too_many(C, B.all, B.u, B.move, &B.R);
  clear(&B);
  return excess;
}

// --- what cannot move ---

// True where a constraint prescribes a motion over time.
static bool prescribes(const lb_model* m) {
  bool some = false;
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    some = some || m->constraint.coupling[i].path;
  }
  for (int i = 0; i < m->constraint.nprescribed; i++) {
    const lb_model_prescribed* g = &m->constraint.prescribed[i];
    some = some || g->angle || g->path[0] || g->path[1] || g->path[2];
  }
  return some;
}

// Marks the constraints that prescribe what the joints never let change: with J of the joints,
// those in the span of J, along which every velocity with J v = 0 is zero.
static int mark_held(const lb_conflict* C, bench* B, bool* held) {
  rows* R = &B->R;
  lb_kinematics(B->all, B->u, B->u->q, B->u->qd);
  const lb_constraint_rows found = lb_constraints_linearise(B->all, B->u, LB_SET_INACTIVE);
  add_rows(C, B->u, &found, false, R);
  const int joints = R->count, rank = find_rank(R);
  for (int i = 0; i < found.count; i++) {
    const lb_constraint_row* r = lb_constraints_row(B->u, i);
    R->count = joints;
    held[i] = lb_conflict_prescribes(C, party_of(C->m, r)) && !r->unilateral;
    if (held[i]) {
      add_row(R, found.J + (size_t)i * (size_t)R->nv);
      held[i] = R->count == joints || find_rank(R) == rank;
    }
  }
  return found.count;
}

// The first such constraint that asks for a change: whose gap at one pose is another at another
// time, or whose rate is not zero.
static int find_moving(const bench* B, double until, int count, const bool* held, double* first,
                       double* off) {
  enum { LOOKS = 64 };
  static const double MOVES = 1e-9;
  for (int k = 0; k <= LOOKS; k++) {
    B->u->time = until * k / LOOKS;
    measure(B->all, B->u, k == 0 ? first : off);
    for (int i = 0; i < count; i++) {
      const lb_constraint_row* r = lb_constraints_row(B->u, i);
      const double change = r->velocity_level ? r->rate : k == 0 ? 0 : off[i] - first[i];
      if (held[i] && fabs(change) > MOVES) {
        return party_of(B->u->model, r);
      }
    }
  }
  return -1;
}

lb_status lb_conflict_foresee(const lb_model* m, const lb_data* d, double until, int* which) {
  *which = -1;
  if (!prescribes(m) || !lb_constraints_are_dense(m)) {
    return LB_OK;
  }
  lb_arena arena;
  lb_arena_init(&arena, d->work->allocator);
  const lb_conflict C = {.m = m};
  const int most = lb_constraints_most(m);
  bool* held = LB_TAKE(&arena, bool, most);
  double* off = LB_TAKE(&arena, double, 2 * (size_t)most);
  bench B = {0};
  const lb_status status = held && off ? set_up(&B, m, d, &arena) : LB_NO_MEMORY;
  if (status == LB_OK) {
    const int count = mark_held(&C, &B, held);
    *which = find_moving(&B, until, count, held, off, off + most);
  }
  clear(&B);
  lb_arena_release(&arena);
  return status == LB_NO_MEMORY ? status : LB_OK;
}

// --- all of it ---

lb_status lb_conflict_find(const lb_model* m, lb_data* d, lb_arena* arena, lb_conflict* C) {
  double* off = LB_TAKE(arena, double, 3 * lb_constraints_most(m));
  *C = (lb_conflict){.m = m, .count = motor_party(m, m->nmotor)};
  C->share = LB_TAKE(arena, double, C->count);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_constraints_forget_redundant(d);
  find_shares(C, d, off);
  choose_main(C);
  C->excess = lb_constraints_are_dense(m) && is_excess(C, d, arena);
  return LB_OK;
}
