// Maps of errors: how far a reduced mechanism at rest is off the whole, over forces on one
// effector.
//
// Forces are along two of the world's axes, those along which the effector gives way most. At each
// of them the equilibrium of the whole is found by Newton's method, and that of the reduced
// mechanism by steps of backward Euler from rest, each of which solves
//
//   (M / h^2 + D / h + K) dy = Q g - f0
//
// for the forces g where it is. With long steps that is Newton's method but for how g turns; where
// these do not come to rest, shorter ones do, with masses that hold each of them back.
#include <math.h>
#include <string.h>

#include "fork/fork_inside.h"
#include "limber/simulate.h"
#include "math/linear/blas_thread.h"

enum { MOST_STEPS = 400, RAMP = 4 };
enum { TRIES = 3 };
static const double STEP[TRIES] = {1e4, 0.2, 0.05}; // over the period of the first vibration
static const double ENOUGH = 1e-9; // radii of the mechanism that a step moves at the end
static const double WIDER = 1.25;  // range over the largest load that is known
static const double PART = 0.15;   // radii that the effector goes where none is known

typedef struct making {
  lb_fork_map* map;
  lb_fork_work w;
  lb_fork_blend* blend[2]; // of the first model alone, and of all; or NULL
  double* wrench;          // [neffector][6]
  double period;           // of the first vibration [s]
  double* q;               // [nq] where the search for equilibria begins
  lb_external_force* load; // [neffector] on the whole
  bool lacks;              // memory, while equilibria were looked for
} making;

// --- what is looked at ---

// The two of the world's axes with the largest compliance, in their order.
static void choose_axes(lb_fork_map* map) {
  double C[36];
  int least = 0;
  lb_fork_compliance(map->fork, map->effector, map->effector, C);
  for (int i = 1; i < 3; i++) { // of equals the last goes
    least = C[7 * (3 + i)] <= C[7 * (3 + least)] ? i : least;
  }
  map->axis[0] = least == 0 ? 1 : 0;
  map->axis[1] = least == 2 ? 1 : 2;
}

// Force of a model on the effector, along the world's axes.
lb_vec3 lb_fork_load(const lb_fork* f, int effector) {
  const double* w = f->wrench + 6 * (size_t)effector;
  return lb_quat_rotate(f->pose[effector].q, lb_vec3_make(w[3], w[4], w[5]));
}

// The largest force of the scene's loads on the effector's link over the run.
static double largest_load(const lb_fork* f, int effector) {
  enum { TIMES = 32 };
  const lb_model* m = f->model;
  double most = 0;
  for (int i = 0; i < m->force.nload; i++) {
    double value[3] = {1, 0, 0};
    for (int k = 0; k <= TIMES && m->force.load_at[i].link == f->at[effector].link; k++) {
      if (m->force.load_profile[i]) {
        lb_profile_evaluate(m->force.load_profile[i], m->duration * k / TIMES, value);
      }
      most = fmax(most, fabs(value[0]) * lb_vec3_norm(m->force.load[i].force));
    }
  }
  return most;
}

static void choose_range(lb_fork_map* map, lb_fork* const* fork, int count) {
  double most = largest_load(map->fork, map->effector);
  for (int i = 0; i < count; i++) {
    most = fmax(most, lb_vec3_norm(lb_fork_load(fork[i], map->effector)));
  }
  const double softest = lb_fork_principal(map->fork, map->effector, false).compliance[0];
  map->force = most > 0 ? WIDER * most : softest > 0 ? PART * map->fork->radius / softest : 0;
}

// --- equilibria ---

static double component(const lb_fork_map* map, int i) {
  return map->force * (2.0 * i / (map->side - 1) - 1);
}

static void set_force(making* k, int row, int column, double part) {
  const lb_fork_map* map = k->map;
  double* w = k->wrench + 6 * (size_t)map->effector + 3;
  memset(w, 0, 3 * sizeof *w);
  w[map->axis[0]] = part * component(map, column);
  w[map->axis[1]] = part * component(map, row);
}

// Place of the effector in the whole; false: there is no equilibrium.
static bool equilibrium_of_whole(making* k, lb_vec3* at) {
  const lb_scene_effector* of = &k->map->fork->what->effector[k->map->effector];
  lb_error ignored = lb_error_make(k->w.allocator);
  for (int e = 0; e < k->map->fork->neffector; e++) {
    const double* w = k->wrench + 6 * (size_t)e;
    k->load[e].force = lb_vec3_make(w[3], w[4], w[5]);
  }
  memcpy(k->w.d->q, k->q, (size_t)k->w.m->nq * sizeof *k->q);
  memset(k->w.R->at.lambda, 0, (size_t)k->w.R->at.rows * sizeof *k->w.R->at.lambda);
  const lb_status status = lb_equilibrium_solver_solve(k->w.R, k->w.d, &ignored);
  lb_error_clear(&ignored);
  k->lacks |= status == LB_NO_MEMORY;
  lb_poses(k->w.held, k->w.d);
  *at = lb_transform_point(k->w.d->pose[of->body], of->at);
  return status == LB_OK;
}

// The largest way of an effector by a step.
static double step(lb_fork_blend* b, const double* wrench, lb_transform* before) {
  const int n = b->fork[0]->neffector;
  double most = 0;
  memcpy(before, b->pose, (size_t)n * sizeof *before);
  memset(b->rate, 0, 6 * (size_t)n * sizeof *b->rate);
  lb_fork_blend_step(b, wrench);
  for (int e = 0; e < n; e++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(b->pose[e].p, before[e].p)));
  }
  return most;
}

static bool equilibrium_by(making* k, lb_fork_blend* b, int row, int column, lb_transform* before) {
  const lb_fork* f = b->fork[0];
  double way = INFINITY;
  lb_fork_blend_set(b, f->pose, NULL);
  lb_fork_blend_place(b);
  for (int part = 1; part <= RAMP; part++) {
    set_force(k, row, column, (double)part / RAMP);
    way = INFINITY;
    for (int i = 0; i < MOST_STEPS && way > ENOUGH * f->radius; i++) {
      way = step(b, k->wrench, before);
    }
  }
  return way <= ENOUGH * f->radius;
}

static bool equilibrium_of_reduced(making* k, lb_fork_blend* b, int row, int column,
                                   lb_transform* before, lb_vec3* at) {
  bool found = false;
  for (int i = 0; i < TRIES && !found; i++) {
    b->step = STEP[i] * k->period;
    found = equilibrium_by(k, b, row, column, before);
  }
  *at = b->pose[k->map->effector].p;
  return found;
}

static void look(making* k, int row, int column, lb_transform* before) {
  lb_fork_map* map = k->map;
  const int cell = row * map->side + column;
  lb_vec3 whole, reduced;
  set_force(k, row, column, 1);
  const bool found_whole = equilibrium_of_whole(k, &whole);
  const lb_vec3 way = lb_vec3_sub(whole, map->fork->pose[map->effector].p);
  map->moved[cell] = found_whole ? lb_vec3_norm(way) : NAN;
  for (int i = 0; i < 2; i++) {
    if (map->off[i]) {
      const bool found =
          found_whole && equilibrium_of_reduced(k, k->blend[i], row, column, before, &reduced);
      map->off[i][cell] = found ? lb_vec3_norm(lb_vec3_sub(reduced, whole)) : NAN;
    }
  }
}

// --- the whole ---

static lb_status open(making* k, lb_fork* const* fork, int count, lb_arena* arena, lb_error* err) {
  const lb_fork* f = k->map->fork;
  lb_status status = lb_fork_work_open(&k->w, f->model, f->what, f->number, k->wrench, arena, err);
  status = status == LB_OK ? lb_fork_work_prepare(&k->w, err) : status;
  status = status == LB_OK ? lb_assemble(k->w.held, k->w.d, err) : status;
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    status = k->map->off[i] ? lb_fork_blend_create(fork, i ? count : 1, k->period, arena->allocator,
                                                   &k->blend[i], err)
                            : LB_OK;
  }
  if (status != LB_OK) {
    return status;
  }
  k->q = LB_COPY(&k->w.scratch, k->w.d->q, f->model->nq);
  k->load = LB_TAKE(&k->w.scratch, lb_external_force, f->neffector);
  for (int e = 0; k->load && e < f->neffector; e++) {
    k->load[e].at = f->at[e];
  }
  k->w.d->external = k->load;
  return k->q && k->load ? LB_OK : lb_fork_no_memory(err);
}

static lb_status find_period(making* k, lb_arena* arena, lb_error* err) {
  double* frequency = LB_TAKE(arena, double, k->map->fork->count);
  lb_status status = frequency ? lb_fork_frequencies(k->map->fork, frequency, err) : LB_NO_MEMORY;
  k->period = status == LB_OK && frequency[0] > 0 ? 1 / frequency[0] : 1;
  return status == LB_NO_MEMORY ? lb_fork_no_memory(err) : status;
}

static lb_status fill(lb_fork_map* map, lb_fork* const* fork, int count, lb_arena* arena,
                      lb_error* err) {
  const int n = map->fork->neffector;
  making k = {.map = map, .wrench = LB_TAKE(arena, double, 6 * (size_t)n)};
  lb_transform* before = LB_TAKE(arena, lb_transform, n);
  lb_status status = k.wrench && before ? LB_OK : lb_fork_no_memory(err);
  if (status != LB_OK) {
    return status;
  }
  status = find_period(&k, arena, err);
  status = status == LB_OK ? open(&k, fork, count, arena, err) : status;
  for (int cell = 0; cell < map->side * map->side && status == LB_OK; cell++) {
    look(&k, cell / map->side, cell % map->side, before);
    status = k.lacks ? lb_fork_no_memory(err) : LB_OK;
  }
  for (int i = 0; i < 2; i++) {
    lb_fork_blend_release(k.blend[i]);
  }
  lb_fork_work_close(&k.w);
  return status;
}

lb_status lb_fork_map_create(lb_fork* const* fork, int count, int effector, int side,
                             const lb_allocator* allocator, lb_fork_map** out, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  const size_t cells = (size_t)side * (size_t)side;
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork_map* map = LB_TAKE(&arena, lb_fork_map, 1);
  if (map) {
    *map = (lb_fork_map){
        .fork = fork[0],
        .effector = effector,
        .side = side,
        .moved = LB_TAKE(&arena, double, cells),
        .off = {LB_TAKE(&arena, double, cells), count > 1 ? LB_TAKE(&arena, double, cells) : NULL}};
  }
  lb_status status = lb_arena_status(&arena) == LB_OK ? LB_OK : lb_fork_no_memory(err);
  if (status == LB_OK) {
    choose_axes(map);
    choose_range(map, fork, count);
    status = fill(map, fork, count, &arena, err);
  }
  if (status == LB_OK) {
    map->storage = lb_arena_keep(&arena);
    status = map->storage ? LB_OK : lb_fork_no_memory(err);
  }
  if (status != LB_OK) {
    lb_arena_release(&arena);
    return status;
  }
  *out = map;
  return LB_OK;
}

void lb_fork_map_release(lb_fork_map* map) {
  if (map) {
    lb_arena_release_kept(map->storage);
  }
}
