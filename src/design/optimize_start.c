// Starts of scenes with loops. As many coordinates as there are conditions follow from the others:
// which, is chosen once, so that the start is a smooth function of the numbers,
//
//   gap(q_dependent, q_others) = 0,   rate(q, v_dependent, v_others) = 0
//
// Coordinates that follow go along a way x from where they were put, q = (q put) moved along x. Of
// balls and free bodies x then says where they end, however Newton's method came there.
//
// Constraints that give a rate have no gap: with them more velocities follow than coordinates. The
// way back is in optimize_start_back.c.
//
// Starts are made in trees. In maximal coordinates bodies begin where the tree has them.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "dynamics/derivative.h"
#include "dynamics/force_point.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "math/dense.h"
#include "solve/explicit_changes.h"

enum { NEWTON_STEPS = 50 };

static const double CLOSED = 1e-13;   // [m or rad]
static const double OPEN = 1e-6;      // [m or rad] as in a simulation
static const double MOST_TURN = 0.5;  // [rad]
static const double REDUNDANT = 1e-9; // pivots below this part of the largest say nothing new
static const double FEELS = 1e-6;     // and below this, bodies rather bend

// Does it change how a scene with loops starts?
static bool moves_start(const lb_optimizing* o, const lb_scene_parameter* p) {
  return p->kind <= LB_PARAMETER_SPIN || p->kind == LB_PARAMETER_LENGTH ||
         (p->kind == LB_PARAMETER_MOTOR && o->given.motor[p->index].drive == LB_DRIVE_POSITION);
}

static bool any_moves_start(const lb_optimizing* o) {
  for (int i = 0; i < o->nblock; i++) {
    if (moves_start(o, o->block[i].p)) {
      return o->tree->nloop > 0 || o->tree->nrelation > 0;
    }
  }
  return false;
}

// --- which coordinates follow ---

typedef struct choice {
  int rows, nv;
  double* J;      // [rows][nv] what is left of it
  bool* row_used; // [rows]
  bool* wanted;   // [nv] coordinates that numbers say
  bool* bends;    // [nv] those of elastic bodies, which follow where no others can: a scene has
                  // them start straight
  bool straight;  // no body bends
} choice;

static double largest(const choice* c, bool wanted, int* row, int* column) {
  double most = 0;
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < c->nv && !c->row_used[i]; k++) {
      const double x = fabs(c->J[i * c->nv + k]);
      if (c->wanted[k] == wanted && !(c->straight && c->bends[k]) && x > most) {
        most = x;
        *row = i;
        *column = k;
      }
    }
  }
  return most;
}

static void eliminate(choice* c, int row, int column) {
  const double* from = c->J + (size_t)row * (size_t)c->nv;
  for (int i = 0; i < c->rows; i++) {
    double* to = c->J + (size_t)i * (size_t)c->nv;
    if (i != row) {
      lb_add(c->nv, to, -to[column] / from[column], from);
    }
  }
}

// The coordinates that a block says, of free bodies all, or its velocities alone.
static void want(const lb_block* b, bool velocities, bool* wanted) {
  const lb_parameter_kind kind = b->p->kind;
  const bool moves = kind == LB_PARAMETER_VELOCITY || kind == LB_PARAMETER_SPIN;
  const bool body = b->p->owner == LB_OWNER_BODY;
  const int n = body && !velocities ? LB_JOINT_MOST_V : b->count;
  const int first = body && velocities && kind == LB_PARAMETER_VELOCITY ? b->v + 3 : b->v;
  const bool says = b->said < 0 && (velocities ? moves : kind <= LB_PARAMETER_SPIN);
  for (int k = 0; k < n && says; k++) {
    wanted[first + k] = true;
  }
}

static lb_status complain_of(const lb_block* b, lb_error* err) {
  return lb_error_add(
      err, LB_INVALID, b->p->place,
      "parameter '%s': loops and constraints already say how it starts, given "
      "the other parameters (take one away, or name place and velocity of one joint)",
      b->p->name);
}

static lb_status complain(const lb_optimizing* o, int column, bool velocities, lb_error* err) {
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    const bool moves =
        b->p->kind == LB_PARAMETER_VELOCITY || b->p->kind == LB_PARAMETER_SPIN || !velocities;
    if (b->p->kind <= LB_PARAMETER_SPIN && b->said < 0 && moves && column >= b->v &&
        column < b->v + LB_JOINT_MOST_V) {
      return complain_of(b, err);
    }
  }
  return LB_FAILED;
}

// Rows and coordinates in pairs, the largest first, added to those there are.
static lb_status choose(lb_optimizing* o, choice* c, bool velocities, int* count, lb_error* err) {
  int row = 0, column = 0;
  double first = 0;
  c->straight = true;
  for (;;) {
    const double x = largest(c, false, &row, &column);
    first = fmax(first, x);
    if (!(x > (c->straight ? FEELS : REDUNDANT) * first)) {
      if (!c->straight) {
        break;
      }
      c->straight = false;
      continue;
    }
    o->closing[*count] = row;
    o->dependent[(*count)++] = column;
    eliminate(c, row, column);
    c->row_used[row] = true;
  }
  return largest(c, true, &row, &column) > REDUNDANT * fmax(first, 1)
             ? complain(o, column, velocities, err)
             : LB_OK;
}

// A joint that closes a loop starts as it is said, or its conditions say nothing new.
static lb_status check_said(const lb_optimizing* o, const lb_conditions* of, const choice* c,
                            lb_error* err) {
  for (int i = of->loops; i < of->count; i++) {
    int k = 0;
    const lb_said* s = &o->said[lb_conditions_said(of, i, &k)];
    if (!c->row_used[i]) {
      return complain_of(s->place ? s->place : s->speed, err);
    }
  }
  return LB_OK;
}

// Coordinates follow from rows that have a gap, velocities from these and those without one.
static lb_status choose_both(lb_optimizing* o, const lb_conditions* of, choice* c, lb_error* err) {
  memcpy(c->J, of->J, (size_t)of->count * (size_t)c->nv * sizeof *c->J);
  memcpy(c->row_used, of->paced, (size_t)of->count * sizeof *c->row_used);
  for (int i = 0; i < o->nblock; i++) {
    want(&o->block[i], false, c->wanted);
  }
  lb_status status = choose(o, c, false, &o->nclosing, err);
  if (status == LB_OK) {
    status = check_said(o, of, c, err);
  }
  memset(c->wanted, 0, (size_t)c->nv * sizeof *c->wanted);
  for (int i = 0; i < of->count; i++) {
    c->row_used[i] = !of->paced[i];
  }
  for (int i = 0; i < o->nblock; i++) {
    want(&o->block[i], true, c->wanted);
  }
  o->nmoving = o->nclosing;
  return status == LB_OK ? choose(o, c, true, &o->nmoving, err) : status;
}

static void find_bending(const lb_model* m, bool* bends) {
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; m->link_kind[i] == LB_LINK_ELASTIC && k < m->link_nv[i]; k++) {
      bends[m->link_v[i] + k] = true;
    }
  }
}

static lb_status choose_from(lb_optimizing* o, lb_conditions* of, lb_error* err) {
  lb_conditions_look(of, NULL);
  choice c = {.rows = of->count,
              .nv = of->tree->nv,
              .J = LB_TAKE(&of->arena, double, of->count * of->tree->nv),
              .row_used = LB_TAKE(&of->arena, bool, of->count),
              .wanted = LB_TAKE(&of->arena, bool, of->tree->nv),
              .bends = LB_TAKE(&of->arena, bool, of->tree->nv)};
  o->closing = LB_TAKE(&o->arena, int, of->count);
  o->dependent = LB_TAKE(&o->arena, int, of->count);
  if (!c.J || !c.row_used || !c.wanted || !c.bends || !o->closing || !o->dependent) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  find_bending(of->tree, c.bends);
  return choose_both(o, of, &c, err);
}

lb_status lb_start_choose(lb_optimizing* o, lb_error* err) {
  if (!any_moves_start(o)) {
    return LB_OK;
  }
  lb_conditions of;
  lb_status status = lb_conditions_begin(&of, o, o->tree, o->rest, false, err);
  if (status == LB_OK) {
    status = choose_from(o, &of, err);
  }
  lb_conditions_end(&of);
  return status;
}

// --- closing ---

typedef struct closer {
  lb_conditions of;
  double* A; // [n][n] rows and columns of the choice, then [n]
  int* order;
  double* step; // [nv]
  double* from; // [nq] where the way begins
  double* row;  // [2 * nv] scratch
} closer;

bool lb_start_factor(const lb_optimizing* o, int n, const double* J, int nv, double* A,
                     int* order) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      A[i + k * n] = J[(size_t)o->closing[i] * (size_t)nv + (size_t)o->dependent[k]];
    }
  }
  return lb_lu(n, A, n, order) == LB_OK;
}

// The change of the n dependent coordinates or velocities that makes up for `off`, one a row.
static bool correct(closer* c, int n, const double* off) {
  const lb_optimizing* o = c->of.o;
  double* x = c->A + (size_t)n * (size_t)n;
  for (int i = 0; i < n; i++) {
    x[i] = -off[o->closing[i]];
  }
  if (!lb_start_factor(o, n, c->of.J, c->of.tree->nv, c->A, c->order)) {
    return false;
  }
  lb_lu_solve(n, c->A, n, c->order, 1, x, n);
  memset(c->step, 0, (size_t)c->of.tree->nv * sizeof *c->step);
  for (int i = 0; i < n; i++) {
    c->step[o->dependent[i]] = x[i];
  }
  return true;
}

static double widest(const lb_optimizing* o, const double* gap) {
  double most = 0;
  for (int i = 0; i < o->nclosing; i++) {
    most = fmax(most, fabs(gap[o->closing[i]]));
  }
  return most;
}

// Rows that repeat others at the start as the scene has it need not do so elsewhere.
static bool all_hold(const lb_conditions* of) {
  for (int i = 0; i < of->count; i++) {
    if (!of->paced[i] && !(fabs(of->gap[i]) < OPEN)) {
      return false;
    }
  }
  return true;
}

// Angles change by half a radian at a time at most: rows say little of what is further away, and
// whole turns may be taken, which springs and limits would notice.
static void shorten(closer* c) {
  const lb_model* m = c->of.tree;
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, m->counts[k] == LB_COORDINATE_ANGLE ? fabs(c->step[k]) : 0);
  }
  for (int k = 0; k < m->nv && most > MOST_TURN; k++) {
    c->step[k] *= MOST_TURN / most;
  }
}

// Rows by the way, in place of turns and moves of where it ends.
void lb_start_along(const lb_optimizing* o, const lb_model* m, int n, double* rows,
                    double* scratch) {
  for (int i = 0; i < n; i++) {
    double* row = rows + (size_t)i * (size_t)m->nv;
    memset(scratch, 0, 2 * (size_t)m->nv * sizeof *scratch);
    lb_changes_advance_back(m, o->way, 1, scratch, scratch + m->nv, row);
    memcpy(row, scratch + m->nv, (size_t)m->nv * sizeof *row);
  }
}

static void follow(closer* c) {
  const lb_model* m = c->of.tree;
  lb_data* d = c->of.d;
  lb_add(m->nv, c->of.o->way, 1, c->step);
  memcpy(d->q, c->from, (size_t)m->nq * sizeof *d->q);
  lb_advance(m, d->q, c->of.o->way, 1);
}

static lb_status close_start(closer* c, const double* x, lb_error* err) {
  const lb_optimizing* o = c->of.o;
  lb_data* d = c->of.d;
  bool ok = true;
  double before = (double)INFINITY;
  memcpy(c->from, d->q, (size_t)c->of.tree->nq * sizeof *d->q);
  for (int i = 0; i < NEWTON_STEPS && ok; i++) {
    lb_conditions_look(&c->of, x);
    const double gap = widest(o, c->of.gap);
    if (gap < CLOSED || (gap < 1e3 * CLOSED && gap > 0.5 * before)) {
      if (!all_hold(&c->of)) {
        break;
      }
      ok = correct(c, o->nmoving, c->of.rate);
      lb_add(c->of.tree->nv, d->qd, 1, c->step);
      return ok ? LB_OK : LB_FAILED;
    }
    before = gap;
    lb_start_along(o, c->of.tree, c->of.count, c->of.J, c->row);
    ok = isfinite(gap) && correct(c, o->nclosing, c->of.gap);
    shorten(c);
    follow(c);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "loops cannot be closed at the start with these numbers");
}

lb_status lb_start_close(const lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err) {
  const size_t n = (size_t)o->nmoving;
  lb_drive(m->tree, d);
  memset(o->way, 0, (size_t)m->tree->nv * sizeof *o->way);
  if (n == 0) {
    return LB_OK;
  }
  closer c;
  lb_status status = lb_conditions_begin(&c.of, o, m->tree, d, false, err);
  if (status == LB_OK) {
    c.A = LB_TAKE(&c.of.arena, double, n* n + n);
    c.step = LB_TAKE(&c.of.arena, double, m->tree->nv);
    c.from = LB_TAKE(&c.of.arena, double, m->tree->nq);
    c.row = LB_TAKE(&c.of.arena, double, 2 * m->tree->nv);
    c.order = LB_TAKE(&c.of.arena, int, n);
    lb_loops_leave_out_one_way(d, true);
    status = c.A && c.step && c.from && c.row && c.order
                 ? close_start(&c, m->x, err)
                 : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a start");
    lb_loops_leave_out_one_way(d, false);
  }
  lb_conditions_end(&c.of);
  return status;
}

// --- bodies where joints have them ---

int lb_start_joint_in_tree(const lb_model* tree, const lb_model* m, int joint) {
  for (int j = 0; j < tree->njoint; j++) {
    if (tree->joint_body[j] == m->joint_body[joint] &&
        tree->joint_kind[j] == m->joint_kind[joint]) {
      return j;
    }
  }
  return -1;
}

lb_force_point lb_start_body_in_tree(const lb_model* tree, lb_data* d, int body) {
  const lb_anchor at = {tree->body_link[body], tree->body_in_link[body]};
  return lb_force_point_find(d->work, &at);
}

// Of a free joint: position, quaternion; spin and velocity along the body's axes.
static void lay_loose(const lb_model* tree, lb_data* from, int body, double* q, double* v) {
  const lb_force_point p = lb_start_body_in_tree(tree, from, body);
  const lb_m3 in_link = lb_m3_from(lb_quat_matrix(tree->body_in_link[body].q));
  const lb_m3 R = p.link ? lb_m3_mul(p.link->R, in_link) : in_link;
  const lb_quat r = lb_quat_from_matrix(lb_m3_mat3(R));
  lb_v4_store(q, p.at);
  memcpy(q + 3, (double[]){r.w, r.x, r.y, r.z}, 4 * sizeof *q);
  lb_v4_store(v, p.link ? lb_m3_apply_transposed(R, p.link->w) : lb_v4_zero());
  lb_v4_store(v + 3, p.link ? lb_m3_apply_transposed(R, p.velocity) : lb_v4_zero());
}

static void lay_out(const lb_model* tree, lb_data* from, const lb_model* m, lb_data* to) {
  lb_kinematics(tree, from, from->q, from->qd);
  lb_move_origins(tree, from->work, from->qd);
  for (int i = 0; i < m->njoint; i++) {
    double *q = to->q + m->joint_q[i], *v = to->qd + m->joint_v[i];
    const int j = lb_start_joint_in_tree(tree, m, i);
    if (j >= 0) {
      memcpy(q, from->q + tree->joint_q[j], (size_t)m->joint_nq[i] * sizeof *q);
      memcpy(v, from->qd + tree->joint_v[j], (size_t)m->joint_nv[i] * sizeof *v);
    } else {
      lay_loose(tree, from, m->joint_body[i], q, v);
    }
  }
  const int nodes = 3 * m->nfree; // they come last
  memcpy(to->q + m->nq - nodes, from->q + tree->nq - nodes, (size_t)nodes * sizeof *to->q);
  memcpy(to->qd + m->nv - nodes, from->qd + tree->nv - nodes, (size_t)nodes * sizeof *to->qd);
}

lb_status lb_start_make(lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err) {
  const lb_model* tree = m->tree;
  const bool apart = tree != &m->model;
  lb_data* t = apart ? NULL : d;
  lb_status status = apart ? lb_data_create(tree, o->allocator, &t, err) : LB_OK;
  if (status == LB_OK) {
    status = lb_start_close(o, m, t, err);
  }
  if (status == LB_OK) {
    lb_made_start(o, m, t);
    memcpy(o->q1, t->q, (size_t)tree->nq * sizeof *t->q);
    memcpy(o->v1, t->qd, (size_t)tree->nv * sizeof *t->qd);
  }
  if (status == LB_OK && apart) {
    lay_out(tree, t, &m->model, d);
  }
  if (apart) {
    lb_data_release(t);
  }
  return status;
}

void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene) {
  for (int i = 0; i < scene->njoint; i++) {
    lb_scene_joint* to = &scene->joint[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0) { // of those that close loops, the ones at which a body is split
      memcpy(to->q, d->q + m->joint_q[j], (size_t)m->joint_nq[j] * sizeof *d->q);
      memcpy(to->qd, d->qd + m->joint_v[j], (size_t)m->joint_nv[j] * sizeof *d->qd);
    }
  }
  for (int i = 0; i < scene->nbody; i++) {
    lb_scene_body* to = &scene->body[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0 && m->joint_kind[j] == LB_JOINT_FREE) {
      const double *q = d->q + m->joint_q[j], *v = d->qd + m->joint_v[j];
      const lb_quat r = {q[3], q[4], q[5], q[6]};
      to->pose = (lb_transform){r, {q[0], q[1], q[2]}};
      to->spin = lb_vec3_make(v[0], v[1], v[2]);
      to->velocity = lb_quat_rotate(r, lb_vec3_make(v[3], v[4], v[5]));
    }
  }
}
