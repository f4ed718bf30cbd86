// Phases of a simulation in which a mechanism is reduced, whole, and reduced again with one more
// model ([fork] section 8.1). Every phase has a model of its own; the state is handed over.
//
// A model that is added is about the equilibrium under forces F on the effectors that would hold
// the mechanism where it is: with r(q) all other static forces and J the constraints,
//
//   (1)  J_e'F + J'lambda = r(q),   by least squares
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/rnea.h"
#include "dynamics/tree/state.h"
#include "fork/fork_inside.h"
#include "limber/derivative.h"
#include "math/linear/blas_thread.h"
#include "math/linear/dense.h"
#include "solve/run/frames.h"

typedef struct run {
  const lb_scene* scene;
  int fork;
  const lb_allocator* allocator;
  lb_arena arena;
  lb_scene_fork_model* model; // those of the scene, and those that were added
  int nmodel;
  const lb_model* shown;
  lb_data* show; // of `shown`
  lb_model* m;   // of the phase
  lb_data* d;
  lb_stepper* st;
  long steps; // of earlier phases
  lb_error* err;
} run;

int lb_fork_with_phases(const lb_scene* scene) {
  for (int i = 0; i < scene->nfork; i++) {
    if (scene->fork[i].nphase > 0) {
      return i;
    }
  }
  return -1;
}

// --- (1) ---

typedef struct holding {
  lb_model* m; // of the mechanism by itself
  lb_scene_fork what;
  lb_data* d;
  lb_derivatives* D;
} holding;

// Columns J_e' of forces on effector e at its point, along the world's axes: [nv] each.
static void find_columns(const holding* h, int e, const double* J, double* A) {
  const lb_model* m = h->m;
  const size_t nv = (size_t)m->nv;
  const lb_scene_effector* of = &h->what.effector[e];
  const lb_anchor at = lb_model_anchor_of(m, of->body, of->at);
  const lb_state* s = &h->d->work->state[at.link];
  for (size_t k = 0; k < nv; k++) {
    const double* c = J + 6 * (size_t)at.link * nv + k;
    const lb_v4 w = lb_v4_make(c[0], c[nv], c[2 * nv]);
    const lb_v4 v = lb_v4_make(c[3 * nv], c[4 * nv], c[5 * nv]);
    const lb_v4 moved = lb_m3_apply(s->R, v + lb_v4_cross(w, lb_v4_from(at.X.p)));
    for (size_t a = 0; a < 3; a++) {
      A[a * nv + k] = moved[a];
    }
  }
}

static lb_status find_forces(run* u, holding* h, lb_scene_fork_model* to) {
  const lb_model* m = h->m;
  const int nv = m->nv, ne = h->what.neffector;
  memset(h->d->qd, 0, (size_t)nv * sizeof *h->d->qd);
  memset(h->d->qdd, 0, (size_t)nv * sizeof *h->d->qdd);
  const lb_constraint_rows rows = lb_constraints_linearise(m, h->d, LB_SET_STEP);
  const int columns = 3 * ne + rows.count, most = nv > columns ? nv : columns;
  double* A = LB_TAKE(&u->arena, double, (size_t)nv*(size_t)columns);
  double *r = LB_TAKE(&u->arena, double, most), *tau = LB_TAKE(&u->arena, double, nv);
  double* J = LB_TAKE(&u->arena, double, 12 * (size_t)m->nlink * (size_t)nv);
  if (!A || !r || !tau || !J) {
    return lb_fork_no_memory(u->err);
  }
  if (rows.count > 0) {
    memcpy(A + 3 * ne * nv, lb_constraints_jacobian(m, h->d),
           (size_t)(rows.count * nv) * sizeof *A);
  }
  lb_jacobians(h->D, h->d, J, J + 6 * (size_t)m->nlink * (size_t)nv, h->d->q, h->d->qd);
  lb_update(m, h->d, LB_ORIGINS | LB_FORCED);
  memcpy(tau, h->d->work->tau, (size_t)nv * sizeof *tau);
  lb_rnea_forced(m, h->d, r, h->d->q, h->d->qd, h->d->qdd);
  lb_add(nv, r, -1, tau);
  for (int e = 0; e < ne; e++) {
    find_columns(h, e, J, A + 3 * e * nv);
  }
  int rank = 0;
  const lb_status status = lb_least_squares(&u->arena, nv, columns, A, nv, 1, r, most, 1e-9, &rank);
  for (int e = 0; e < ne && status == LB_OK; e++) {
    to->load[e] = (lb_scene_effector_load){
        .effector = e, .force = lb_vec3_make(r[3 * e], r[3 * e + 1], r[3 * e + 2])};
  }
  return status == LB_NO_MEMORY ? lb_fork_no_memory(u->err) : status;
}

// One more model about where `show` has the mechanism.
static lb_status add_model(run* u, lb_place place) {
  holding h = {0};
  lb_fork_gap gap;
  lb_status status = lb_fork_alone_create(u->scene, u->fork, u->allocator, &h.m, &h.what, u->err);
  status = status == LB_OK ? lb_data_create(h.m, u->allocator, &h.d, u->err) : status;
  status = status == LB_OK ? lb_derivatives_create(h.m, u->allocator, &h.D, u->err) : status;
  lb_scene_fork_model* to = &u->model[u->nmodel];
  *to = (lb_scene_fork_model){.place = place, .nload = h.what.neffector};
  to->load = LB_TAKE(&u->arena, lb_scene_effector_load, h.what.neffector);
  status = status == LB_OK && !to->load ? lb_fork_no_memory(u->err) : status;
  status = status == LB_OK
               ? lb_fork_hand_over(h.m, h.d, u->shown, u->show, u->allocator, &gap, u->err)
               : status;
  status = status == LB_OK ? find_forces(u, &h, to) : status;
  u->nmodel += status == LB_OK;
  lb_derivatives_release(h.D);
  lb_data_release(h.d);
  lb_model_release(h.m);
  return status;
}

// --- phases ---

static void leave(run* u) {
  u->steps += u->st ? lb_stepper_count(u->st) : 0;
  lb_stepper_release(u->st);
  lb_data_release(u->d);
  lb_model_release(u->m);
  u->st = NULL;
  u->d = NULL;
  u->m = NULL;
}

// The scene as this phase has it.
static lb_status make_model(run* u, const lb_scene_fork_phase* phase, lb_model** m) {
  lb_scene scene = *u->scene;
  scene.fork = LB_COPY(&u->arena, u->scene->fork, u->scene->nfork);
  if (!scene.fork) {
    return lb_fork_no_memory(u->err);
  }
  lb_scene_fork* what = &scene.fork[u->fork];
  what->simulated = phase->simulated;
  what->model = u->model;
  what->nmodel = u->nmodel;
  what->nphase = 0;
  return lb_fork_model_create(&scene, u->allocator, m, u->err);
}

static lb_status enter(run* u, const lb_scene_fork_phase* phase, int threads, lb_fork_gap* gap) {
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_status status = make_model(u, phase, &m);
  status = status == LB_OK ? lb_data_create(m, u->allocator, &d, u->err) : status;
  if (status == LB_OK) {
    d->threads = threads;
    status = u->m ? lb_fork_hand_over(m, d, u->m, u->d, u->allocator, gap, u->err)
                  : lb_run_begin(m, d, u->err);
  }
  leave(u);
  u->m = m;
  u->d = d;
  return status == LB_OK ? lb_stepper_create(m, NULL, u->allocator, &u->st, u->err) : status;
}

static lb_status put_frame(run* u, lb_recording* r) {
  lb_fork_gap gap;
  const lb_status status =
      lb_fork_hand_over(u->shown, u->show, u->m, u->d, u->allocator, &gap, u->err);
  if (status != LB_OK) {
    return status;
  }
  lb_forward(u->shown, u->show);
  return lb_frame_put(r, u->show, u->err);
}

static lb_status advance(run* u, const lb_plan* p, long from, long to, lb_recording* r,
                         const lb_simulate_options* o) {
  lb_status status = from == 0 ? put_frame(u, r) : LB_OK;
  for (long i = from; i < to && status == LB_OK; i++) {
    status = lb_stepper_step(u->st, u->d, p->step, u->err);
    const bool frame = (i + 1) % p->stride == 0 || i + 1 == p->steps;
    if (status == LB_OK && frame) {
      status = put_frame(u, r);
      if (status == LB_OK &&
          !lb_progress_report(&o->progress, (double)(i + 1) / (double)p->steps, "phases")) {
        status = lb_error_add(u->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
      }
    }
  }
  return status;
}

static long last_step(const lb_plan* p, double until) {
  const double last = until / p->step;
  return last < (double)p->steps ? lround(last) : p->steps;
}

static lb_status run_phases(run* u, const lb_plan* p, const lb_simulate_options* o, lb_recording* r,
                            lb_fork_switch* changes, int* count) {
  const lb_scene_fork* what = &u->scene->fork[u->fork];
  lb_status status = LB_OK;
  long from = 0;
  *count = 0;
  for (int i = 0; i < what->nphase && from < p->steps && status == LB_OK; i++) {
    const lb_scene_fork_phase* phase = &what->phase[i];
    const long to = i + 1 < what->nphase ? last_step(p, phase->until) : p->steps;
    lb_fork_gap gap = {0};
    if (phase->add) { // where it is now
      status = lb_fork_hand_over(u->shown, u->show, u->m, u->d, u->allocator, &gap, u->err);
      status = status == LB_OK ? add_model(u, phase->place) : status;
    }
    status = status == LB_OK ? enter(u, phase, o->threads, &gap) : status;
    if (i > 0 && status == LB_OK) {
      changes[(*count)++] =
          (lb_fork_switch){u->d->time, phase->simulated == LB_FORK_WHOLE,
                           phase->simulated == LB_FORK_WHOLE ? 0 : u->nmodel, gap};
    }
    status = status == LB_OK ? advance(u, p, from, to, r, o) : status;
    from = to;
  }
  return status;
}

static bool take_models(run* u) {
  const lb_scene_fork* what = &u->scene->fork[u->fork];
  u->nmodel = what->nmodel > 0 ? what->nmodel : 1;
  u->model = LB_TAKE(&u->arena, lb_scene_fork_model, u->nmodel + what->nphase);
  for (int i = 0; u->model && i < what->nmodel; i++) {
    u->model[i] = what->model[i];
  }
  return u->model;
}

static lb_status check(const lb_scene* scene, lb_error* err) {
  const lb_scene_fork* what = &scene->fork[lb_fork_with_phases(scene)];
  if (scene->nrope + scene->ndeformable + scene->nmuscle > 0) {
    return lb_error_add(err, LB_INVALID, what->place,
                        "fork '%s' has phases, and the scene has ropes, deformables or muscles, "
                        "whose state is not handed over (take 'phases' away)",
                        what->name);
  }
  for (int i = 0; i < scene->nfork; i++) {
    if (&scene->fork[i] != what && scene->fork[i].nphase > 0) {
      return lb_error_add(err, LB_INVALID, scene->fork[i].place,
                          "forks '%s' and '%s' both have phases (leave those of one)", what->name,
                          scene->fork[i].name);
    }
  }
  return LB_OK;
}

lb_status lb_fork_simulate_phases(const lb_scene* scene, const lb_simulate_options* options,
                                  lb_recording* r, lb_summary* summary, lb_fork_switch* changes,
                                  int* count, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_status status = check(scene, err);
  status = status == LB_OK ? lb_plan_check(r->model, options, err) : status;
  if (status != LB_OK) {
    return status;
  }
  const lb_plan p = lb_plan_make(r->model, options);
  const double start = lb_clock();
  run u = {.scene = scene,
           .fork = lb_fork_with_phases(scene),
           .allocator = r->allocator,
           .shown = r->model,
           .err = err};
  lb_arena_init(&u.arena, r->allocator);
  status = take_models(&u) ? lb_data_create(u.shown, r->allocator, &u.show, err)
                           : lb_fork_no_memory(err);
  status = status == LB_OK ? run_phases(&u, &p, options, r, changes, count) : status;
  leave(&u);
  *summary = (lb_summary){.job = "simulate",
                          .steps = u.steps,
                          .step = p.step,
                          .threads = options->threads,
                          .interrupted = status == LB_INTERRUPTED,
                          .range_left = NAN,
                          .wall_seconds = lb_clock() - start};
  if (r->nframe > 0) {
    summary->energy_start = r->kinetic[0] + r->potential[0];
    summary->energy_end = r->kinetic[r->nframe - 1] + r->potential[r->nframe - 1];
  }
  lb_data_release(u.show);
  lb_arena_release(&u.arena);
  return status;
}
