// Starts of scenes with loops. As many coordinates as there are constraints follow from the others:
// which, is chosen once (optimize_choice.c), so that the start is a smooth function of the numbers,
//
//   gap(q_dependent, q_others) = 0,   rate(q, v_dependent, v_others) = 0
//
// Coordinates that follow go along a way x from where they were put, q = (q put) moved along x. Of
// balls and free bodies x then says where they end, however Newton's method came there.
//
// Constraints that give a rate have no gap: with them more velocities follow than coordinates.
// Where gaps close over time nothing follows, and joints start as numbers and the scene put them.
// The way back is in optimize_start_back.c.
//
// Starts are made in trees. In maximal coordinates bodies begin where the tree has them.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/run/maximal_start.h"

enum { NEWTON_STEPS = 50 };

static const double CLOSED = 1e-13;  // [m or rad]
static const double OPEN = 1e-6;     // [m or rad] as in a simulation
static const double MOST_TURN = 0.5; // [rad]

// --- closing ---

typedef struct closer {
  const lb_optimizing* o;
  const lb_model* m; // the tree
  lb_data* d;
  lb_constraint_rows of;
  double* J; // [rows][nv] of it, by the way
  double* A; // [n][n] rows and columns of the choice, then [n]
  int* order;
  double* step; // [nv]
  double* from; // [nq] start of the way
  double* row;  // [2 * nv] scratch
} closer;

bool lb_start_factor(const lb_following* f, const double* J, int nv, double* A, int* order) {
  const int n = f->count;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      A[i + k * n] = J[(size_t)f->row[i] * (size_t)nv + (size_t)f->column[k]];
    }
  }
  return lb_lu(n, A, n, order) == LB_OK;
}

// The change of the coordinates or velocities that follow which makes up for `off`, one a
// constraint.
static bool correct(closer* c, const lb_following* f, const double* J, const double* off) {
  const int n = f->count;
  double* x = c->A + (size_t)n * (size_t)n;
  for (int i = 0; i < n; i++) {
    x[i] = -off[f->row[i]];
  }
  memset(c->step, 0, (size_t)c->m->nv * sizeof *c->step);
  if (n > 0 && !lb_start_factor(f, J, c->m->nv, c->A, c->order)) {
    return false;
  }
  lb_lu_solve(n, c->A, n, c->order, n > 0, x, n);
  for (int i = 0; i < n; i++) {
    c->step[f->column[i]] = x[i];
  }
  return true;
}

static double widest(const lb_optimizing* o, const double* gap) {
  double most = 0;
  for (int i = 0; i < o->places.count; i++) {
    most = fmax(most, fabs(gap[o->places.row[i]]));
  }
  return most;
}

// Redundant constraints at the start as the scene has it need not do so elsewhere.
static bool all_hold(const lb_constraint_rows* of) {
  for (int i = 0; i < of->count; i++) {
    const bool rate = of->velocity_level && of->velocity_level[i];
    if (!rate && !(fabs(of->gap[i]) < OPEN)) {
      return false;
    }
  }
  return true;
}

// Angles change by half a radian at a time at most: constraints say little of what is further away,
// and whole turns may be taken, which springs and limits would notice.
static void shorten(closer* c) {
  const lb_model* m = c->m;
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, m->dof.counts[k] == LB_COORDINATE_ANGLE ? fabs(c->step[k]) : 0);
  }
  for (int k = 0; k < m->nv && most > MOST_TURN; k++) {
    c->step[k] *= MOST_TURN / most;
  }
}

// Constraints by the way, in place of turns and moves of where it ends.
void lb_start_along(const lb_optimizing* o, const lb_model* m, int n, double* rows,
                    double* scratch) {
  for (int i = 0; i < n; i++) {
    double* row = rows + (size_t)i * (size_t)m->nv;
    memset(scratch, 0, 2 * (size_t)m->nv * sizeof *scratch);
    lb_change_return(LB_CHANGE_ADVANCE, m, (lb_change_at){.v = o->way, .h = 1}, scratch,
                     scratch + m->nv, row);
    memcpy(row, scratch + m->nv, (size_t)m->nv * sizeof *row);
  }
}

static void follow(closer* c) {
  lb_add(c->m->nv, c->o->way, 1, c->step);
  memcpy(c->d->q, c->from, (size_t)c->m->nq * sizeof *c->from);
  lb_advance(c->m, c->d->q, c->o->way, 1);
}

static void linearise(closer* c) {
  const lb_model* m = c->m;
  lb_kinematics(m, c->d, c->d->q, c->d->qd);
  lb_move_origins(m, c->d->work, c->d->qd);
  c->of = lb_constraints_linearise(m, c->d, LB_SET_BILATERAL | LB_SET_COMPLIANT);
  memcpy(c->J, c->of.J, (size_t)c->of.count * (size_t)m->nv * sizeof *c->J);
}

static lb_status close_start(closer* c, lb_error* err) {
  const lb_optimizing* o = c->o;
  bool ok = true;
  double before = (double)INFINITY;
  memcpy(c->from, c->d->q, (size_t)c->m->nq * sizeof *c->from);
  for (int i = 0; i < NEWTON_STEPS && ok; i++) {
    linearise(c);
    const double gap = widest(o, c->of.gap);
    if (gap < CLOSED || (gap < 1e3 * CLOSED && gap > 0.5 * before)) {
      if (!all_hold(&c->of)) {
        break;
      }
      ok = correct(c, &o->rates, c->J, c->of.rate);
      lb_add(c->m->nv, c->d->qd, 1, c->step);
      return ok ? LB_OK : LB_FAILED;
    }
    before = gap;
    lb_start_along(o, c->m, c->of.count, c->J, c->row);
    ok = isfinite(gap) && correct(c, &o->places, c->J, c->of.gap);
    shorten(c);
    follow(c);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "loops cannot be closed at the start with these numbers");
}

lb_status lb_start_close(const lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err) {
  const lb_model* tree = m->tree;
  const size_t n = (size_t)(o->places.count > o->rates.count ? o->places.count : o->rates.count);
  const size_t rows = (size_t)lb_constraints_most(tree), nv = (size_t)tree->nv;
  lb_arena arena;
  lb_drive(tree, d);
  memset(o->way, 0, nv * sizeof *o->way);
  if (n == 0) {
    return LB_OK;
  }
  lb_arena_init(&arena, o->allocator);
  closer c = {.o = o,
              .m = tree,
              .d = d,
              .J = LB_TAKE(&arena, double, rows* nv),
              .A = LB_TAKE(&arena, double, n* n + n),
              .order = LB_TAKE(&arena, int, n),
              .step = LB_TAKE(&arena, double, nv),
              .from = LB_TAKE(&arena, double, tree->nq),
              .row = LB_TAKE(&arena, double, 2 * nv)};
  const lb_status status =
      lb_arena_status(&arena) == LB_OK
          ? close_start(&c, err)
          : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a start");
  lb_arena_release(&arena);
  return status;
}

lb_status lb_start_make(lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err) {
  const lb_model* tree = m->tree;
  const bool separate = tree != m->model;
  lb_data* t = separate ? NULL : d;
  lb_status status = separate ? lb_data_create(tree, o->allocator, &t, err) : LB_OK;
  if (status == LB_OK) {
    status = lb_start_close(o, m, t, err);
  }
  if (status == LB_OK) {
    lb_made_start(o, m, t);
    memcpy(o->q1, t->q, (size_t)tree->nq * sizeof *t->q);
    memcpy(o->v1, t->qd, (size_t)tree->nv * sizeof *t->qd);
  }
  if (status == LB_OK && separate) {
    lb_maximal_start_lay_out(tree, t, m->model, d);
  }
  if (separate) {
    lb_data_release(t);
  }
  return status;
}

// Servos stay where loops were closed, and do not begin at their targets again.
static void name_servos(lb_scene* scene) {
  for (int i = 0; i < scene->nmotor; i++) {
    const lb_scene_motor* motor = &scene->motor[i];
    if (motor->drive == LB_DRIVE_SERVO) {
      lb_scene_named* named = &scene->joint[motor->joint].named;
      named->q[motor->coordinate] = named->v[motor->coordinate] = 1;
    }
  }
}

void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene) {
  name_servos(scene);
  for (int i = 0; i < scene->njoint; i++) {
    lb_scene_joint* to = &scene->joint[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0) { // of those that close loops, the ones at which a body is split
      memcpy(to->q, d->q + m->joint.q[j], (size_t)m->joint.nq[j] * sizeof *d->q);
      memcpy(to->qd, d->qd + m->joint.v[j], (size_t)m->joint.nv[j] * sizeof *d->qd);
      to->cut.starts_itself = to->loop; // gaps that close over time begin as they did here
    }
  }
  for (int i = 0; i < scene->nbody; i++) {
    lb_scene_body* to = &scene->body[i];
    const int j = lb_model_joint(m, to->name);
    if (j >= 0 && m->joint.kind[j] == LB_JOINT_FREE) {
      const double *q = d->q + m->joint.q[j], *v = d->qd + m->joint.v[j];
      const lb_quat r = {q[3], q[4], q[5], q[6]};
      to->pose = (lb_transform){r, {q[0], q[1], q[2]}};
      to->spin = lb_vec3_make(v[0], v[1], v[2]);
      to->velocity = lb_quat_rotate(r, lb_vec3_make(v[3], v[4], v[5]));
    }
  }
}
