// Starts of scenes with loops. As many coordinates as there are conditions follow from the others:
// which, is chosen once, so that the start is a smooth function of the numbers,
//
//   gap(q_dependent, q_others) = 0,   rate(q, v_dependent, v_others) = 0
//
// and how an objective changes with the dependent ones is passed on to the others by the transposed
// derivatives of both.
//
// Starts are made in trees. In maximal coordinates bodies begin where the tree has them: how an
// objective changes with poses and velocities of bodies is passed on to the tree's coordinates.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "dynamics/derivative.h"
#include "dynamics/force_point.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "math/dense.h"

enum { NEWTON_STEPS = 50 };

static const double CLOSED = 1e-13;   // [m or rad]
static const double REDUNDANT = 1e-9; // pivots below this part of the largest say nothing new

// Does it change how a scene with loops starts?
static bool moves_start(const lb_optimizing* o, const lb_scene_parameter* p) {
  return p->kind <= LB_PARAMETER_SPIN || p->kind == LB_PARAMETER_LENGTH ||
         (p->kind == LB_PARAMETER_MOTOR && o->given.motor[p->index].drive == LB_DRIVE_POSITION);
}

static bool any_moves_start(const lb_optimizing* o) {
  if (lb_loops_paced(o->tree) >= 0) { // what moves at a rate starts as the scene has it
    return false;
  }
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
} choice;

static double largest(const choice* c, bool wanted, int* row, int* column) {
  double most = 0;
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < c->nv && !c->row_used[i]; k++) {
      const double x = fabs(c->J[i * c->nv + k]);
      if (c->wanted[k] == wanted && x > most) {
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
  c->row_used[row] = true;
  for (int i = 0; i < c->rows; i++) {
    double* to = c->J + (size_t)i * (size_t)c->nv;
    if (!c->row_used[i]) {
      lb_add(c->nv, to, -to[column] / from[column], from);
    }
  }
}

// The coordinates that a block says, of free bodies all.
static void want(const lb_block* b, bool* wanted) {
  const bool start = b->p->kind <= LB_PARAMETER_SPIN;
  const int n = b->p->owner == LB_OWNER_BODY ? LB_JOINT_MOST_V : b->count;
  for (int k = 0; k < n && start; k++) {
    wanted[b->v + k] = true;
  }
}

static lb_status complain(const lb_optimizing* o, int column, lb_error* err) {
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    if (b->p->kind <= LB_PARAMETER_SPIN && column >= b->v && column < b->v + LB_JOINT_MOST_V) {
      return lb_error_add(err, LB_INVALID, b->p->place,
                          "parameter '%s': loops and constraints already say how it starts, given "
                          "the other parameters (take one away)",
                          b->p->name);
    }
  }
  return LB_FAILED;
}

static lb_status choose(lb_optimizing* o, choice* c, lb_error* err) {
  int row = 0, column = 0;
  double first = 0;
  for (;;) {
    const double x = largest(c, false, &row, &column);
    first = fmax(first, x);
    if (!(x > REDUNDANT * first)) {
      break;
    }
    o->closing[o->nclosing] = row;
    o->dependent[o->nclosing++] = column;
    eliminate(c, row, column);
  }
  return largest(c, true, &row, &column) > REDUNDANT * fmax(first, 1) ? complain(o, column, err)
                                                                      : LB_OK;
}

lb_status lb_start_choose(lb_optimizing* o, lb_data* d, lb_error* err) {
  const lb_model* m = o->tree;
  if (!any_moves_start(o)) {
    return LB_OK;
  }
  lb_kinematics(m, d, d->q, d->qd);
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  const size_t size = (size_t)rows.count * (size_t)m->nv;
  choice c = {.rows = rows.count,
              .nv = m->nv,
              .J = LB_TAKE(&o->arena, double, size),
              .row_used = LB_TAKE(&o->arena, bool, rows.count),
              .wanted = LB_TAKE(&o->arena, bool, m->nv)};
  o->closing = LB_TAKE(&o->arena, int, rows.count);
  o->dependent = LB_TAKE(&o->arena, int, rows.count);
  if (!c.J || !c.row_used || !c.wanted || !o->closing || !o->dependent) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  memcpy(c.J, rows.J, size * sizeof *c.J);
  for (int i = 0; i < o->nblock; i++) {
    want(&o->block[i], c.wanted);
  }
  return choose(o, &c, err);
}

// --- closing ---

// Rows and columns of the choice, factored; false: singular.
static bool factor(const lb_optimizing* o, const double* J, int nv, double* A, int* order) {
  const int n = o->nclosing;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      A[i + k * n] = J[(size_t)o->closing[i] * (size_t)nv + (size_t)o->dependent[k]];
    }
  }
  return lb_lu(n, A, n, order) == LB_OK;
}

// The change of the dependent coordinates that makes up for `off`, one a row.
static bool correct(const lb_optimizing* o, const lb_loop_rows* rows, const double* off, double* A,
                    int* order, double* step) {
  double* x = A + (size_t)o->nclosing * (size_t)o->nclosing;
  for (int i = 0; i < o->nclosing; i++) {
    x[i] = -off[o->closing[i]];
  }
  if (!factor(o, rows->J, o->tree->nv, A, order)) {
    return false;
  }
  lb_lu_solve(o->nclosing, A, o->nclosing, order, 1, x, o->nclosing);
  memset(step, 0, (size_t)o->tree->nv * sizeof *step);
  for (int i = 0; i < o->nclosing; i++) {
    step[o->dependent[i]] = x[i];
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

static lb_status close_start(const lb_optimizing* o, const lb_model* m, lb_data* d, double* A,
                             int* order, double* step, lb_error* err) {
  bool ok = true;
  double before = (double)INFINITY;
  for (int i = 0; i < NEWTON_STEPS && ok; i++) {
    lb_kinematics(m, d, d->q, d->qd);
    const lb_loop_rows rows = lb_loops_linearise(m, d);
    const double gap = widest(o, rows.gap);
    if (gap < CLOSED || (gap < 1e3 * CLOSED && gap > 0.5 * before)) {
      ok = correct(o, &rows, rows.rate, A, order, step);
      lb_add(m->nv, d->qd, 1, step);
      return ok ? LB_OK : LB_FAILED;
    }
    before = gap;
    ok = isfinite(gap) && correct(o, &rows, rows.gap, A, order, step);
    lb_advance(m, d->q, step, 1);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "loops cannot be closed at the start with these numbers");
}

lb_status lb_start_close(const lb_optimizing* o, const lb_model* tree, lb_data* d, lb_error* err) {
  const size_t n = (size_t)o->nclosing;
  lb_drive(tree, d);
  if (n == 0) {
    return LB_OK;
  }
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  double* A = LB_TAKE(&arena, double, n* n + n);
  double* step = LB_TAKE(&arena, double, tree->nv);
  int* order = LB_TAKE(&arena, int, n);
  lb_loops_leave_out_one_way(d, true);
  const lb_status status = A && step && order ? close_start(o, tree, d, A, order, step, err)
                                              : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                                             "out of memory for a start");
  lb_loops_leave_out_one_way(d, false);
  lb_arena_release(&arena);
  return status;
}

// --- bodies where joints have them ---

// The tree's joint that a joint of the model is, which has stayed there; -1: the model's is that of
// a body that was taken off its joint.
static int joint_in_tree(const lb_model* tree, const lb_model* m, int joint) {
  for (int j = 0; j < tree->njoint; j++) {
    if (tree->joint_body[j] == m->joint_body[joint] &&
        tree->joint_kind[j] == m->joint_kind[joint]) {
      return j;
    }
  }
  return -1;
}

// A body's frame in the tree, whose kinematics are in place.
static lb_force_point body_in_tree(const lb_model* tree, lb_data* d, int body) {
  const lb_anchor at = {tree->body_link[body], tree->body_in_link[body]};
  return lb_force_point_find(d->work, &at);
}

// Of a free joint: position, quaternion; spin and velocity along the body's axes.
static void lay_loose(const lb_model* tree, lb_data* from, int body, double* q, double* v) {
  const lb_force_point p = body_in_tree(tree, from, body);
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
    const int j = joint_in_tree(tree, m, i);
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
  lb_data* t = d;
  lb_status status = apart ? lb_data_create(tree, o->allocator, &t, err) : LB_OK;
  if (status == LB_OK) {
    status = lb_start_close(o, tree, t, err);
  }
  if (status == LB_OK) {
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

// --- the way back ---

typedef struct way_back {
  const lb_optimizing* o;
  const lb_played* m;
  lb_arena arena;
  lb_derivatives* D; // of the tree, at the start
  lb_data* d;
  lb_motion *S, *psi; // [nv] of a body
} way_back;

// From poses and velocities of the model's bodies to coordinates and velocities of the tree. Along
// the body's axes a body moves with R'S, and its velocity gains R'psi.
static void gather_loose(way_back* w, int body, const double* by_q, const double* by_v,
                         lb_start_slopes* to) {
  const lb_model* tree = w->m->tree;
  const lb_force_point p = body_in_tree(tree, w->d, body);
  if (!p.link) {
    return;
  }
  const lb_m3 R = lb_m3_mul(p.link->R, lb_m3_from(lb_quat_matrix(tree->body_in_link[body].q)));
  const lb_motion q = {lb_m3_apply(R, lb_v4_load(by_q)), lb_m3_apply(R, lb_v4_load(by_q + 3))};
  const lb_motion v = {lb_m3_apply(R, lb_v4_load(by_v)), lb_m3_apply(R, lb_v4_load(by_v + 3))};
  lb_derive_point(w->D, w->S, w->psi, p.index, p.arm);
  for (int k = 0; k < w->D->model->nv; k++) {
    to->tree_q[k] += lb_motion_dot(w->S[k], q) + lb_motion_dot(w->psi[k], v);
    to->tree_v[k] += lb_motion_dot(w->S[k], v);
  }
}

static lb_status gather(way_back* w, lb_start_slopes* by) {
  const lb_model *tree = w->m->tree, *m = &w->m->model;
  w->S = LB_TAKE(&w->arena, lb_motion, 2 * tree->nv);
  if (!w->S) {
    return LB_NO_MEMORY;
  }
  w->psi = w->S + tree->nv;
  memset(by->tree_q, 0, (size_t)tree->nv * sizeof *by->tree_q);
  memset(by->tree_v, 0, (size_t)tree->nv * sizeof *by->tree_v);
  for (int i = 0; i < m->njoint; i++) {
    const int j = joint_in_tree(tree, m, i), v = m->joint_v[i];
    if (j < 0) {
      gather_loose(w, m->joint_body[i], by->q + v, by->v + v, by);
    } else {
      lb_add(m->joint_nv[i], by->tree_q + tree->joint_v[j], 1, by->q + v);
      lb_add(m->joint_nv[i], by->tree_v + tree->joint_v[j], 1, by->v + v);
    }
  }
  const int nodes = 3 * m->nfree; // they come last
  lb_add(nodes, by->tree_q + tree->nv - nodes, 1, by->q + m->nv - nodes);
  lb_add(nodes, by->tree_v + tree->nv - nodes, 1, by->v + m->nv - nodes);
  return LB_OK;
}

// A chosen part of a matrix of rows, and what is done with it on the way back.
typedef struct passing {
  double* A; // [nclosing][nclosing], then [nclosing]
  int* order;
} passing;

// to -= B' lambda, where A' lambda = from[dependent] and A is the chosen part of C. What motors ask
// rows for changes the objective by lambda: it is added to their `asked`-th number.
static bool pass_on(way_back* w, passing* p, const double* C, const double* B, const double* from,
                    double* to, double* motor, int asked) {
  const lb_optimizing* o = w->o;
  const int n = o->nclosing, nv = w->D->model->nv; // loops join links, whatever else there is
  double* x = p->A + (size_t)n * (size_t)n;
  if (!factor(o, C, nv, p->A, p->order)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    x[i] = from[o->dependent[i]];
  }
  lb_lu_solve_transposed(n, p->A, n, p->order, 1, x, n);
  for (int i = 0; i < n; i++) {
    const int of = lb_loops_row(w->d, o->closing[i]).motor;
    lb_add(nv, to, -x[i], B + (size_t)o->closing[i] * (size_t)nv);
    if (motor && of >= 0) {
      motor[3 * of + asked] += x[i];
    }
  }
  return true;
}

static lb_status pull_loops(way_back* w, lb_start_slopes* by) {
  const lb_model* tree = w->m->tree;
  const size_t rows = (size_t)lb_loops_most_rows(tree), n = (size_t)w->o->nclosing;
  const size_t size = rows * (size_t)tree->nv;
  double* gap_q = LB_TAKE(&w->arena, double, size);
  double* rate_q = LB_TAKE(&w->arena, double, size);
  double* J = LB_TAKE(&w->arena, double, size);
  passing p = {LB_TAKE(&w->arena, double, n* n + n), LB_TAKE(&w->arena, int, n)};
  if (!gap_q || !rate_q || !J || !p.A || !p.order) {
    return LB_NO_MEMORY;
  }
  lb_loops_differentiate_rows(w->D, w->d, gap_q, rate_q, J);
  // velocities follow from coordinates, too
  const bool ok = pass_on(w, &p, J, rate_q, by->tree_v, by->tree_q, by->motor, 1) &&
                  pass_on(w, &p, J, J, by->tree_v, by->tree_v, NULL, 0) &&
                  pass_on(w, &p, gap_q, gap_q, by->tree_q, by->tree_q, by->motor, 0);
  return ok ? LB_OK : LB_FAILED;
}

// Everything that is needed of the tree at the start of the last run.
static void differentiate(way_back* w) {
  const lb_optimizing* o = w->o;
  const lb_model* tree = w->m->tree;
  memcpy(w->d->q, o->q1, (size_t)tree->nq * sizeof *o->q1);
  memcpy(w->d->qd, o->v1, (size_t)tree->nv * sizeof *o->v1);
  lb_kinematics(tree, w->d, w->d->q, w->d->qd);
  lb_move_origins(tree, w->d->work, w->d->qd);
  if (o->nclosing > 0) {
    lb_loops_leave_out_one_way(w->d, true);
    lb_loops_linearise(tree, w->d);
  }
  lb_derive(w->D, w->d, w->d->q, w->d->qd, w->d->qdd, false);
}

lb_status lb_start_pull(const lb_optimizing* o, const lb_played* m, lb_start_slopes* by,
                        lb_error* err) {
  const bool apart = m->tree != &m->model;
  if (!apart) {
    memcpy(by->tree_q, by->q, (size_t)m->tree->nv * sizeof *by->q);
    memcpy(by->tree_v, by->v, (size_t)m->tree->nv * sizeof *by->v);
  }
  if (!apart && o->nclosing == 0) {
    return LB_OK;
  }
  way_back w = {.o = o, .m = m};
  lb_arena_init(&w.arena, o->allocator);
  const lb_model* links = m->tree->tree ? m->tree->tree : m->tree; // without nodes
  lb_status status = lb_derivatives_create(links, o->allocator, &w.D, err);
  if (status == LB_OK) {
    status = lb_data_create(m->tree, o->allocator, &w.d, err);
  }
  if (status == LB_OK) {
    differentiate(&w);
    status = apart ? gather(&w, by) : LB_OK;
    status = status == LB_OK && o->nclosing > 0 ? pull_loops(&w, by) : status;
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0},
                   status == LB_NO_MEMORY
                       ? "out of memory for a start"
                       : "the start has no derivative: loops are singular there");
    }
  }
  lb_data_release(w.d);
  lb_derivatives_release(w.D);
  lb_arena_release(&w.arena);
  return status;
}
