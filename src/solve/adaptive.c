// Steps chosen from an error estimate, by ARKODE: Fehlberg's pair of orders 8 and 7.
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

#include "dynamics/loop.h"
#include "math/turning.h"
#include "solve/stepper.h"
#include "solve/trouble.h"

typedef struct adaptive {
  SUNContext context;
  N_Vector y;
  void* ark;
  const lb_model* m;
  lb_data* d; // the one being stepped
  lb_stepper* st;
  double* reached; // [nq + nv] where the last step ended
  double time;
  double told; // when the last inner step ended
  bool started;
} adaptive;

static void load(const adaptive* own, double t, N_Vector y) {
  const double* from = N_VGetArrayPointer(y);
  memcpy(own->d->q, from, (size_t)own->m->nq * sizeof *from);
  memcpy(own->d->qd, from + own->m->nq, (size_t)own->m->nv * sizeof *from);
  own->d->time = t;
}

static void store(const adaptive* own, N_Vector y) {
  double* to = N_VGetArrayPointer(y);
  memcpy(to, own->d->q, (size_t)own->m->nq * sizeof *to);
  memcpy(to + own->m->nq, own->d->qd, (size_t)own->m->nv * sizeof *to);
}

static int slopes(double t, N_Vector y, N_Vector ydot, void* user) {
  adaptive* own = user;
  const lb_model* m = own->m;
  double* to = N_VGetArrayPointer(ydot);
  load(own, t, y);
  lb_slopes(m, own->d, to, to + m->nq);
  for (int i = 0; i < m->nq + m->nv; i++) {
    if (!isfinite(to[i])) {
      return 1; // ARKODE tries a smaller step
    }
  }
  return 0;
}

// A valid state after every inner step.
static int settle(double t, N_Vector y, void* user) {
  adaptive* own = user;
  load(own, t, y);
  if (!(lb_settle(own->m, own->d) <= LB_CLOSED)) {
    return -1; // no smaller step would help
  }
  store(own, y);
  if (own->st->watcher) {
    const lb_step_past past = {.dt = t - own->told, .count = 1, .weight = {1}};
    own->st->watcher(own->st->told, own->d, &past);
  }
  own->told = t;
  lb_loops_choose(own->m, own->d); // for the next
  return 0;
}

// ARKODE would print; its trouble reaches the caller as a failed step.
static void quiet(int code, const char* module, const char* function, char* text, void* user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

static void release(lb_stepper* st) {
  adaptive* own = st->own;
  if (own->ark) {
    ERKStepFree(&own->ark);
  }
  if (own->y) {
    N_VDestroy(own->y);
  }
  if (own->context) {
    SUNContext_Free(&own->context);
  }
}

// Inner steps in one go before the problem counts as too stiff for an explicit method.
enum { MOST_INNER_STEPS = 100000 };

// The shortest, as a part of the whole. Speeds grow without end as something is led to where it is
// out of reach, and steps would shrink for ever.
static const double LEAST_INNER_STEP = 1e-9;

// The interpolant is never used but must stay: without it ARKODE 6.4 starts steps from stale
// slopes.
static bool configure(adaptive* own, const lb_scene_solver* solver) {
  const double tolerance = lb_adaptive_tolerance(solver);
  return ERKStepSetErrHandlerFn(own->ark, quiet, NULL) == 0 &&
         ERKStepSetTableNum(own->ark, ARKODE_FEHLBERG_13_7_8) == 0 &&
         ERKStepSStolerances(own->ark, tolerance, tolerance) == 0 &&
         ERKStepSetUserData(own->ark, own) == 0 &&
         ERKStepSetPostprocessStepFn(own->ark, settle) == 0 &&
         ERKStepSetMaxNumSteps(own->ark, MOST_INNER_STEPS) == 0;
}

// ARKODE takes its memory in its first step: take one here, on a state of its own, so that no later
// one allocates.
static bool warm_up(lb_stepper* st) {
  adaptive* own = st->own;
  double reached;
  if (lb_data_create(st->m, st->arena.allocator, &own->d, NULL) != LB_OK) {
    return false;
  }
  // whether the step itself succeeds is for later ones to tell
  const int flag = ERKStepEvolve(own->ark, st->solver.step, own->y, &reached, ARK_ONE_STEP);
  lb_data_release(own->d);
  own->d = NULL;
  return flag != ARK_MEM_FAIL && flag != ARK_MEM_NULL;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  const int n = m->nq + m->nv;
  adaptive* own = st->own = LB_TAKE(&st->arena, adaptive, 1);
  if (!own || !(own->reached = LB_TAKE(&st->arena, double, n))) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  own->m = m;
  own->st = st;
  if (m->nv == 0) {
    return LB_OK; // there is nothing for ARKODE to do
  }
  bool ok = SUNContext_Create(NULL, &own->context) == 0;
  ok = ok && (own->y = N_VNew_Serial(n, own->context)) != NULL;
  if (ok) {
    memcpy(N_VGetArrayPointer(own->y), m->q0, (size_t)m->nq * sizeof(double));
    memcpy(N_VGetArrayPointer(own->y) + m->nq, m->qd0, (size_t)m->nv * sizeof(double));
  }
  ok = ok && (own->ark = ERKStepCreate(slopes, 0, own->y, own->context)) != NULL;
  ok = ok && configure(own, &st->solver) && warm_up(st);
  if (!ok) {
    release(st);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "ARKODE could not be set up");
  }
  return LB_OK;
}

// Tell ARKODE where d is, unless it left it there.
static bool meet(adaptive* own, const lb_data* d) {
  const size_t nq = (size_t)own->m->nq * sizeof(double);
  const size_t nv = (size_t)own->m->nv * sizeof(double);
  if (own->started && own->time == d->time && memcmp(own->reached, d->q, nq) == 0 &&
      memcmp(own->reached + own->m->nq, d->qd, nv) == 0) {
    return true;
  }
  store(own, own->y);
  own->started = true;
  return ERKStepReset(own->ark, d->time, own->y) == 0;
}

// Where there is nothing to move, ARKODE has no error to look at; watchers are told all the same.
static bool step_nothing(lb_stepper* st, lb_data* d, double h) {
  st->count++;
  if (st->watcher) {
    st->watcher(st->told, d, &(lb_step_past){.dt = h, .count = 1, .weight = {1}});
  }
  return true;
}

static double next_of(const lb_profile* p, double t, double before) {
  return p ? fmin(before, lb_profile_next(p, t)) : before;
}

// The first time after t, at most `stop`, at which a piece of what is a function of time ends. The
// error estimate is zero for forces of time alone, so steps across such a place may miss all that
// comes after it; within a piece these are polynomials, for which steps are exact.
static double next_end(const lb_model* m, double t, double stop) {
  for (int i = 0; i < m->nmotor; i++) {
    stop = next_of(m->motor_profile[i], t, stop);
    stop = next_of(m->motor_turning[i] ? m->motor_turning[i]->clock : NULL, t, stop);
  }
  for (int i = 0; i < m->nload; i++) {
    stop = next_of(m->load_profile[i], t, stop);
  }
  for (int i = 0; i < m->nrelation; i++) {
    stop = next_of(m->relation[i].path, t, stop);
  }
  for (int i = 0; i < m->nguide; i++) {
    const lb_model_guide* g = &m->guide[i];
    for (int k = 0; k < 3; k++) {
      stop = next_of(g->path[k], t, stop);
    }
    stop = next_of(g->angle, t, stop);
  }
  return stop;
}

// To `stop`, piece by piece. The stop time ends the last inner step of each; ARK_NORMAL with an
// earlier target would interpolate.
static bool evolve(adaptive* own, double begin, double stop) {
  const double h = stop - begin, least = LEAST_INNER_STEP * h;
  bool ok = ERKStepSetMinStep(own->ark, least) == 0;
  for (double t = begin, reached = begin; ok && t < stop;) {
    double end = next_end(own->m, t + 10 * least, stop);
    end = stop - end > 10 * least ? end : stop;
    ok = ERKStepSetStopTime(own->ark, end) == 0 &&
         ERKStepEvolve(own->ark, end, own->y, &reached, ARK_NORMAL) >= 0;
    t = end;
  }
  return ok;
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  adaptive* own = st->own;
  const lb_model* m = own->m;
  const double stop = d->time + h;
  if (m->nv == 0) {
    return step_nothing(st, d, h);
  }
  own->told = d->time;
  long before = 0, after = 0;
  own->d = d;
  ERKStepGetNumSteps(own->ark, &before);
  const bool ok = meet(own, d) && evolve(own, d->time, stop);
  ERKStepGetNumSteps(own->ark, &after);
  st->count += after - before;
  if (!ok) {
    own->started = false;
    return false;
  }
  load(own, stop, own->y);
  memcpy(own->reached, N_VGetArrayPointer(own->y), (size_t)(m->nq + m->nv) * sizeof(double));
  own->time = stop;
  return true;
}

const lb_stepper_type lb_stepper_adaptive = {.create = create, .release = release, .step = step};
