// Conditions on a start: the constraints, then one for each velocity of a joint
// that closes a loop and whose start parameters say,
//
//   gap = its coordinate - what is said,   rate = its velocity - what is said
//
// Of a ball joint the gap is the rotation vector from what is said, along the child's axes. Where
// parameters say one of both, the other is as the scene has it, if it can be (optimize_choice.c).
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/kinematics.h"

void lb_said_find(lb_optimizing* o, lb_block* b, const char* joint) {
  const int loop = lb_optimizing_loop(o->tree, joint);
  int i = 0;
  while (i < o->nsaid && o->said[i].loop != loop) {
    i++;
  }
  lb_said* s = &o->said[i];
  if (i == o->nsaid) {
    o->nsaid++;
    lb_kinematics(o->tree, o->rest, o->rest->q, o->rest->qd);
    lb_move_origins(o->tree, o->rest->work, o->rest->qd);
    *s = (lb_said){.loop = loop};
    s->n = lb_loop_coordinates(o->tree, o->rest, loop, s->q, s->qd);
  }
  *(b->p->kind == LB_PARAMETER_POSITION ? &s->place : &s->speed) = b;
  b->said = i;
}

// --- what is open ---

static void open_place(const lb_said* s, lb_joint_kind kind, const double* x, const double* q,
                       double* gap) {
  if (kind == LB_JOINT_SPHERICAL) {
    const double none[3] = {0};
    const lb_quat want = lb_turned(s->q, x ? x : none), is = {q[0], q[1], q[2], q[3]};
    lb_v4_store(gap, lb_v4_from(lb_quat_log(lb_quat_mul(lb_quat_conjugate(want), is))));
    return;
  }
  for (int k = 0; k < s->n; k++) {
    const double off = q[k] - (x ? x : s->q)[k];
    gap[k] = kind == LB_JOINT_PRISMATIC ? off : remainder(off, 2 * M_PI);
  }
}

// A said joint's gaps and rates, with the numbers x; NULL: as the scene has it.
static void open_said(const lb_conditions* c, const lb_said* s, const double* x, double* gap,
                      double* rate) {
  double q[4] = {0}, qd[3] = {0};
  const lb_joint_kind kind = c->tree->loop[s->loop].kind;
  lb_loop_coordinates(c->tree, c->d, s->loop, q, qd);
  open_place(s, kind, x && s->place ? x + s->place->first : NULL, q, gap);
  for (int k = 0; k < s->n; k++) {
    rate[k] = qd[k] - (x && s->speed ? x[s->speed->first + k] : s->qd[k]);
  }
}

// --- all of them ---

lb_status lb_conditions_begin(lb_conditions* c, const lb_optimizing* o, const lb_model* tree,
                              lb_data* d, bool derive, lb_error* err) {
  *c = (lb_conditions){.o = o, .tree = tree, .d = d};
  const size_t most = (size_t)lb_constraints_most(tree) + 3 * (size_t)o->nsaid;
  const size_t nv = (size_t)tree->nv;
  lb_arena_init(&c->arena, o->allocator);
  c->most = (int)most;
  c->gap = LB_TAKE(&c->arena, double, 2 * most + (most + 9) * nv);
  c->velocity_level = LB_TAKE(&c->arena, bool, most);
  if (!c->gap || !c->velocity_level) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a start");
  }
  c->rate = c->gap + most;
  c->J = c->rate + most;
  c->scratch = c->J + most * nv;
  const lb_model* links = tree->tree ? tree->tree : tree; // without nodes
  return derive || o->nsaid > 0 ? lb_derivatives_create(links, o->allocator, &c->D, err) : LB_OK;
}

void lb_conditions_end(lb_conditions* c) {
  lb_derivatives_release(c->D);
  lb_arena_release(&c->arena);
}

// Derivatives of a said joint, [n][nv of D] each, in the scratch.
typedef struct slopes {
  double *q_q, *qd_q, *qd_qd;
} slopes;

static slopes differentiate_said(const lb_conditions* c, const lb_said* s) {
  const size_t n = 3 * (size_t)c->D->model->nv;
  const slopes by = {c->scratch, c->scratch + n, c->scratch + 2 * n};
  lb_loop_differentiate_coordinates(c->D, c->d, s->loop, by.q_q, by.qd_q, by.qd_qd);
  return by;
}

void lb_conditions_look(lb_conditions* c, const double* x) {
  const lb_model* m = c->tree;
  const size_t nv = (size_t)m->nv;
  lb_kinematics(m, c->d, c->d->q, c->d->qd);
  lb_move_origins(m, c->d->work, c->d->qd);
  c->loops = c->count = 0;
  if (c->d->work->constraints) {
    const lb_constraint_rows rows = lb_constraints_linearise(m, c->d);
    c->loops = c->count = rows.count;
    memcpy(c->gap, rows.gap, (size_t)rows.count * sizeof *c->gap);
    memcpy(c->rate, rows.rate, (size_t)rows.count * sizeof *c->rate);
    memcpy(c->J, rows.J, (size_t)rows.count * nv * sizeof *c->J);
    for (int i = 0; i < rows.count; i++) {
      c->velocity_level[i] = rows.velocity_level && rows.velocity_level[i];
    }
  }
  if (c->D) {
    lb_derive(c->D, c->d, c->d->q, c->d->qd, c->d->qdd, false);
  }
  for (int i = 0; i < c->o->nsaid; i++) {
    const lb_said* s = &c->o->said[i];
    const slopes by = differentiate_said(c, s);
    open_said(c, s, x, c->gap + c->count, c->rate + c->count);
    for (int k = 0; k < s->n; k++, c->count++) {
      double* to = c->J + (size_t)c->count * nv;
      c->velocity_level[c->count] = s->dropped[k];
      memset(to, 0, nv * sizeof *to);
      for (int v = 0; v < c->D->model->nv; v++) {
        to[v] = m->v_driven[v] ? 0 : by.qd_qd[k * c->D->model->nv + v];
      }
    }
  }
}

void lb_conditions_differentiate(const lb_conditions* c, double* gap_q, double* rate_q, double* J) {
  const size_t nv = (size_t)c->D->model->nv;
  if (c->d->work->constraints) {
    lb_constraints_differentiate_rows(c->D, c->d, gap_q, rate_q, J);
  }
  size_t at = (size_t)c->loops * nv;
  for (int i = 0; i < c->o->nsaid; i++) {
    const lb_said* s = &c->o->said[i];
    const slopes by = differentiate_said(c, s);
    const size_t size = (size_t)s->n * nv;
    memcpy(gap_q + at, by.q_q, size * sizeof *gap_q);
    memcpy(rate_q + at, by.qd_q, size * sizeof *rate_q);
    memcpy(J + at, by.qd_qd, size * sizeof *J);
    at += size;
  }
}

int lb_conditions_said(const lb_conditions* c, int row, int* k) {
  *k = row - c->loops;
  for (int i = 0; i < c->o->nsaid && *k >= 0; i++) {
    if (*k < c->o->said[i].n) {
      return i;
    }
    *k -= c->o->said[i].n;
  }
  return -1;
}
