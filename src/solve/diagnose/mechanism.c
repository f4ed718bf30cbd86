// Mobility. With J [rows][coordinates] the Jacobian of all constraints at a pose where they hold,
// velocities that they allow are J v = 0, so there are
//
//   freedoms = coordinates - rank J
//
// of them. Rows are taken in order, each less its part along those before: what is left of a
// redundant one is rounding. The independent ones are then solved for as many coordinates as their
// rank, those of cranks and motors last, so that these are what can be chosen.
#include "limber/mechanism.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
#include "limber/dynamics.h"
#include "limber/simulate.h"
#include "math/linear/dense.h"
#include "solve/diagnose/mechanism_inside.h"

static const double NOTHING = 1e-9; // part of the longest row that is rounding

// A scene's world without motors, in reduced coordinates and with loops closed.
typedef struct world {
  lb_model* m;
  lb_data* d;
} world;

static void release_world(world* w) {
  lb_data_release(w->d);
  lb_model_release(w->m);
}

static lb_status make_world(const lb_scene* scene, bool motors, const lb_allocator* allocator,
                            world* w, lb_error* err) {
  lb_scene s = *scene;
  s.nmotor = motors ? s.nmotor : 0;
  s.retarget = (lb_scene_retarget){0};
  s.optimize = (lb_scene_optimize){0};
  s.solver.coordinates = LB_COORDINATES_REDUCED;
  s.making.outline = true;
  lb_status status = lb_model_create(&s, allocator, &w->m, err);
  status = status == LB_OK ? lb_data_create(w->m, allocator, &w->d, err) : status;
  return status == LB_OK && motors ? lb_assemble(w->m, w->d, err) : status;
}

// The pose that motors start with, without the motors.
static lb_status make_pose(const lb_scene* scene, const lb_allocator* allocator, world* w,
                           lb_error* err) {
  world driven = {NULL, NULL};
  lb_status status = make_world(scene, true, allocator, &driven, err);
  status = status == LB_OK ? make_world(scene, false, allocator, w, err) : status;
  if (status == LB_OK && driven.m->nq == w->m->nq) {
    memcpy(w->d->q, driven.d->q, sizeof(double) * (size_t)w->m->nq);
  }
  release_world(&driven);
  return status;
}

// --- rows ---

typedef struct rows {
  int count, nv;
  double* J;       // [count][nv]
  int* constraint; // [count]
  bool* redundant; // [count]
} rows;

static lb_status take_rows(const world* w, lb_arena* arena, rows* r) {
  const lb_model* m = w->m;
  *r = (rows){.nv = m->nv};
  if (m->constraint.count == 0) {
    return LB_OK;
  }
  lb_kinematics(m, w->d, w->d->q, w->d->qd);
  r->count = lb_constraints_measure(m, w->d, LB_SET_BILATERAL | LB_SET_REDUNDANT).count;
  const size_t n = (size_t)r->count, nv = (size_t)m->nv;
  double* lambda = LB_TAKE(arena, double, n + 1);
  r->J = LB_TAKE(arena, double, n* nv + 1);
  r->constraint = LB_TAKE(arena, int, n + 1);
  r->redundant = LB_TAKE(arena, bool, n + 1);
  if (!lambda || !r->J || !r->constraint || !r->redundant) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < r->count; i++) {
    lambda[i] = 1;
    lb_constraints_add_forces(m, w->d, lambda, 1, r->J + (size_t)i * nv);
    lambda[i] = 0;
    r->constraint[i] = lb_constraints_row(w->d, i)->constraint;
  }
  return LB_OK;
}

// Independent rows, made of length one and at right angles to each other; twice, for rounding.
static int find_rank(rows* r) {
  int rank = 0;
  double longest = 0;
  for (int i = 0; i < r->count; i++) {
    const double* x = r->J + (size_t)i * (size_t)r->nv;
    longest = fmax(longest, sqrt(lb_dot(r->nv, x, x)));
  }
  for (int i = 0; i < r->count; i++) {
    double* x = r->J + (size_t)i * (size_t)r->nv;
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < i; j++) {
        const double* y = r->J + (size_t)j * (size_t)r->nv;
        if (!r->redundant[j]) {
          lb_add(r->nv, x, -lb_dot(r->nv, x, y), y);
        }
      }
    }
    const double after = sqrt(lb_dot(r->nv, x, x));
    r->redundant[i] = !(after > NOTHING * longest);
    for (int k = 0; k < r->nv && !r->redundant[i]; k++) {
      x[k] /= after;
    }
    rank += !r->redundant[i];
  }
  return rank;
}

static lb_status name_redundant(const world* w, const rows* r, lb_arena* arena, lb_mechanism* M) {
  M->redundancy = LB_TAKE(arena, lb_redundancy, w->m->constraint.count + 1);
  if (!M->redundancy) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < r->count;) {
    const lb_model_constraint* c = &w->m->constraint.item[r->constraint[i]];
    lb_redundancy of = {.kind = c->title, .name = lb_arena_text(arena, c->name, strlen(c->name))};
    const int own = r->constraint[i];
    for (; i < r->count && r->constraint[i] == own; i++) {
      of.rows++;
      of.redundant += r->redundant[i];
    }
    if (of.redundant > 0) {
      M->redundancy[M->nredundancy++] = of;
    }
  }
  return lb_arena_status(arena);
}

// --- freedoms ---

// Velocities that authors drive: of motors, and of the cranks of linkages.
static void mark_driven(const lb_scene* s, const lb_model* m, bool* driven) {
  for (int j = 0; j < m->njoint; j++) {
    const char* name = m->joint.name[j];
    for (int i = 0; i < s->nmotor; i++) {
      driven[m->joint.v[j]] |= strcmp(s->joint[s->motor[i].joint].name, name) == 0;
    }
    for (int i = 0; i < s->nlinkage; i++) {
      const lb_scene_linkage* k = &s->linkage[i];
      for (int c = 0; c < k->ncopy; c++) {
        driven[m->joint.v[j]] |= strcmp(s->joint[k->copy[c].joint[0]].name, name) == 0;
      }
    }
  }
}

// Largest entry of a row among columns that are free still, those that are not driven first; -1:
// there is none.
static int find_pivot(const double* x, int nv, const bool* taken, const bool* driven) {
  int best = -1;
  for (int pass = 0; pass < 2 && best < 0; pass++) {
    for (int k = 0; k < nv; k++) {
      const bool open = !taken[k] && driven[k] == (pass == 1) && fabs(x[k]) > 1e-7;
      best = open && (best < 0 || fabs(x[k]) > fabs(x[best])) ? k : best;
    }
  }
  return best;
}

// Rows solved for a coordinate each [Gauss and Jordan].
static void solve_rows(rows* r, bool* taken, const bool* driven) {
  const size_t nv = (size_t)r->nv;
  for (int i = 0; i < r->count; i++) {
    double* x = r->J + (size_t)i * nv;
    const int pivot = r->redundant[i] ? -1 : find_pivot(x, r->nv, taken, driven);
    if (pivot < 0) {
      continue;
    }
    taken[pivot] = true;
    const double scale = 1 / x[pivot];
    for (int k = 0; k < r->nv; k++) {
      x[k] *= scale;
    }
    for (int j = 0; j < r->count; j++) {
      double* y = r->J + (size_t)j * nv;
      if (j != i && !r->redundant[j] && y[pivot] != 0) {
        lb_add(r->nv, y, -y[pivot], x);
        y[pivot] = 0;
      }
    }
  }
}

static lb_status name_freedoms(const lb_scene* scene, const world* w, rows* r, lb_arena* arena,
                               lb_mechanism* M) {
  const lb_model* m = w->m;
  bool* taken = LB_TAKE(arena, bool, m->nv + 1);
  bool* driven = LB_TAKE(arena, bool, m->nv + 1);
  M->freedom = LB_TAKE(arena, lb_freedom, M->nfreedom + 1);
  if (!taken || !driven || !M->freedom) {
    return LB_NO_MEMORY;
  }
  mark_driven(scene, m, driven);
  solve_rows(r, taken, driven);
  int n = 0;
  for (int i = 0; i < 2 * m->njoint; i++) { // what is driven comes first
    const int j = i % m->njoint;
    const int first = m->joint.v[j], last = first + m->link.nv[m->joint.link[j]];
    for (int k = first; k < last && n < M->nfreedom; k++) {
      if (taken[k] || driven[k] != (i < m->njoint)) {
        continue;
      }
      lb_freedom* f = &M->freedom[n++];
      f->joint = lb_arena_text(arena, m->joint.name[j], strlen(m->joint.name[j]));
      f->coordinate = k - first;
      for (int row = 0; row < r->count; row++) {
        f->moves +=
            !r->redundant[row] && fabs(r->J[(size_t)row * (size_t)m->nv + (size_t)k]) > 1e-7;
      }
    }
  }
  M->nfreedom = n;
  return lb_arena_status(arena);
}

// --- all of it ---

static lb_status find_mobility(const lb_scene* scene, const world* w, lb_arena* arena,
                               lb_mechanism* M) {
  rows r;
  lb_status status = take_rows(w, arena, &r);
  if (status != LB_OK) {
    return status;
  }
  M->coordinates = w->m->ndense; // those of ropes and deformables are free
  M->rows = r.count;
  M->rank = find_rank(&r);
  M->nfreedom = M->coordinates - M->rank;
  status = name_redundant(w, &r, arena, M);
  return status == LB_OK ? name_freedoms(scene, w, &r, arena, M) : status;
}

lb_status lb_mechanism_create(const lb_scene* scene, const lb_allocator* allocator,
                              lb_mechanism** mechanism, lb_error* err) {
  lb_arena* arena = lb_allocate(allocator, sizeof *arena);
  if (!arena) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a mechanism");
  }
  lb_arena_init(arena, allocator);
  world w = {NULL, NULL};
  lb_mechanism* M = LB_TAKE(arena, lb_mechanism, 1);
  lb_status status = M ? make_pose(scene, allocator, &w, err) : LB_NO_MEMORY;
  if (status == LB_OK) {
    status = find_mobility(scene, &w, arena, M);
    status = status == LB_OK ? lb_mechanism_curves(scene, arena, M) : status;
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0}, "out of memory for a mechanism");
    }
  }
  release_world(&w);
  if (status != LB_OK) {
    lb_arena_release(arena);
    lb_release(allocator, arena);
    return status;
  }
  M->storage = arena;
  *mechanism = M;
  return LB_OK;
}

void lb_mechanism_release(lb_mechanism* mechanism) {
  lb_arena* arena = mechanism ? mechanism->storage : NULL;
  if (arena) {
    const lb_allocator* allocator = arena->allocator;
    lb_arena_release(arena);
    lb_release(allocator, arena);
  }
}
