// Tendons are stiff, as OpenSim has them, or elastic. Then the fibre's length l follows from the
// moment before by an implicit step: tension T(a) is in equilibrium with the fibre at the speed
// (l - l_before) / dt (math/muscle/curved_share.h). The search begins at activations at which no
// tendon is slack: those have no slope at all.
#include "design/inverse/muscle_static.h"

#include <math.h>
#include <string.h>

#include "design/inverse/coupled_forces.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "math/muscle/curved_share.h"
#include "math/muscle/hill.h"

lb_muscle_static_options lb_muscle_static_default(void) {
  return (lb_muscle_static_options){.power = 2, .least = 0, .price = 1e4, .rounds = 60};
}

struct lb_static {
  const lb_model* m;
  lb_muscle_static_options how;
  double *B, *cost;      // [nv][n], [nv]
  double *most, *rest;   // [n] tension by activation, and at none, of stiff tendons
  double *lower, *upper; // [n] bounds of activations
  double* fiber;         // [n] of elastic tendons: the fibre's length before
  double* last;          // [n] activations of the iteration before
  double* scratch;
  int unsettled; // moments
};

lb_static* lb_static_create(lb_arena* arena, const lb_model* m,
                            const lb_muscle_static_options* how) {
  const size_t nv = (size_t)m->nv, n = (size_t)m->muscle.count;
  lb_static* s = LB_TAKE(arena, lb_static, 1);
  if (!s) {
    return NULL;
  }
  *s = (lb_static){.m = m,
                   .how = *how,
                   .B = LB_TAKE(arena, double, nv* n),
                   .cost = LB_TAKE(arena, double, nv),
                   .most = LB_TAKE(arena, double, n),
                   .rest = LB_TAKE(arena, double, n),
                   .fiber = LB_TAKE(arena, double, n),
                   .last = LB_TAKE(arena, double, n),
                   .lower = LB_TAKE(arena, double, n),
                   .upper = LB_TAKE(arena, double, n),
                   .scratch = LB_TAKE(arena, double, lb_curved_share_scratch((int)n, (int)nv))};
  if (lb_arena_status(arena) != LB_OK) {
    return NULL;
  }
  for (size_t k = 0; k < nv; k++) {
    s->cost[k] = how->price;
  }
  for (size_t i = 0; i < n; i++) {
    s->fiber[i] = m->muscle.item[i].hill ? m->muscle.item[i].hill->fiber : 0;
  }
  return s;
}

static bool stretches(const lb_static* s, int i) {
  const lb_hill* h = s->m->muscle.item[i].hill;
  return s->how.elastic && h && lb_hill_has_fiber(h);
}

// Tension of an elastic tendon at an activation.
static lb_hill_force pull_at(const lb_static* s, const lb_static_moment* at, int i, double a) {
  const lb_hill* h = s->m->muscle.item[i].hill;
  const bool starts = !(at->dt > 0);
  return lb_hill_force_ahead(h, a, s->fiber[i], starts ? 0 : 1 / at->dt, at->length[i], at->rate[i],
                             starts ? h->fiber : s->fiber[i]);
}

// Tension of a stiff tendon as most a + rest.
static void find_parts(lb_static* s, const lb_static_moment* at, int i) {
  const lb_model_muscle* mu = &s->m->muscle.item[i];
  const lb_hill_parts f = mu->hill ? lb_hill_parts_at(mu->hill, at->length[i], at->rate[i])
                                   : (lb_hill_parts){.active = mu->tension};
  s->most[i] = f.active;
  s->rest[i] = s->how.passive || s->how.elastic ? f.passive : 0;
}

typedef struct moment {
  const lb_static* s;
  const lb_static_moment* at;
} moment;

static lb_share_tension pull(const void* context, int i, double a) {
  const moment* m = context;
  if (!stretches(m->s, i)) {
    return (lb_share_tension){m->s->rest[i] + m->s->most[i] * a, m->s->most[i]};
  }
  const lb_hill_force f = pull_at(m->s, m->at, i, a);
  return (lb_share_tension){f.force, f.by_a};
}

// What muscles exert at these activations, and where their fibres are.
static void settle(lb_static* s, const lb_static_moment* at, const double* a, double* tension) {
  for (int i = 0; i < s->m->muscle.count; i++) {
    if (stretches(s, i)) {
      const lb_hill_force f = pull_at(s, at, i, a[i]);
      tension[i] = f.force;
      s->fiber[i] = f.fiber;
    } else {
      tension[i] = fmax(0, a[i] * s->most[i] + s->rest[i]);
    }
  }
}

double lb_static_solve(lb_static* s, const lb_static_moment* at, double* a, double* tension,
                       double* reserve) {
  static const double TAUT = 0.2; // activation at which no tendon is slack
  const int n = s->m->muscle.count, nv = s->m->nv;
  for (int i = 0; i < n; i++) {
    find_parts(s, at, i);
    s->lower[i] = s->how.least;
    s->upper[i] = 1;
    a[i] = !s->how.elastic ? s->how.least : at->dt > 0 ? fmax(s->last[i], TAUT) : 1;
    for (int k = 0; k < nv; k++) {
      s->B[(size_t)k * (size_t)n + (size_t)i] = at->arm[(size_t)i * (size_t)nv + (size_t)k];
    }
  }
  const lb_curved_share share = {.muscles = n,
                                 .joints = nv,
                                 .arm = s->B,
                                 .wanted = at->wanted,
                                 .price = s->cost,
                                 .power = s->how.power,
                                 .lower = s->lower,
                                 .upper = s->upper,
                                 .pull = pull,
                                 .context = &(moment){s, at},
                                 .rounds = s->how.rounds};
  const lb_curved_result out = lb_curved_share_solve(&share, a, reserve, s->scratch);
  s->unsettled += !out.settled;
  memcpy(s->last, a, (size_t)n * sizeof *a);
  settle(s, at, a, tension);
  return out.residual;
}

int lb_static_unsettled(const lb_static* s) {
  return s->unsettled;
}

// --- recordings ---

void lb_muscle_paths(const lb_model* m, lb_data* d, double* length, double* rate, double* arm) {
  lb_update(m, d, LB_ORIGINS);
  lb_fill_columns(m, d->work);
  for (int i = 0; i < m->muscle.count; i++) {
    lb_path p;
    lb_path_find(&p, m->muscle.item[i].path, d->work, d->q, d->qd);
    lb_path_arms(m, d->work, &p, arm + (size_t)i * (size_t)m->nv);
    length[i] = p.length;
    rate[i] = p.rate;
  }
}

typedef struct job {
  lb_static* s;
  lb_data* d;
  lb_coupled coupled;
  double *length, *rate, *arm, *wanted;
} job;

static void share(job* J, const lb_recording* r, size_t f, double* a, double* F, double* reserve,
                  double* residual) {
  const lb_model* m = r->model;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  J->d->time = r->time[f];
  memcpy(J->d->q, r->q + f * nq, nq * sizeof *J->d->q);
  memcpy(J->d->qd, r->qd + f * nv, nv * sizeof *J->d->qd);
  lb_muscle_paths(m, J->d, J->length, J->rate, J->arm);
  memcpy(J->wanted, r->torque + f * nv, nv * sizeof *J->wanted);
  lb_coupled_find(&J->coupled, J->d);
  lb_coupled_move(&J->coupled, J->wanted);
  for (int i = 0; i < m->muscle.count; i++) {
    lb_coupled_move(&J->coupled, J->arm + (size_t)i * nv);
  }
  const lb_static_moment at = {J->length, J->rate, J->arm, J->wanted,
                               f ? r->time[f] - r->time[f - 1] : 0};
  *residual = fmax(*residual, lb_static_solve(J->s, &at, a, F, reserve));
}

lb_status lb_muscle_static(const lb_recording* inverse, const lb_muscle_static_options* options,
                           double* activation, double* tension, double* reserve, double* residual,
                           lb_error* err) {
  const lb_model* m = inverse->model;
  const size_t n = (size_t)m->muscle.count, nv = (size_t)m->nv;
  lb_arena arena;
  lb_arena_init(&arena, inverse->allocator);
  job J = {.s = lb_static_create(&arena, m, options),
           .coupled = lb_coupled_create(&arena, m),
           .length = LB_TAKE(&arena, double, n),
           .rate = LB_TAKE(&arena, double, n),
           .arm = LB_TAKE(&arena, double, n* nv),
           .wanted = LB_TAKE(&arena, double, nv)};
  lb_status status = lb_arena_check(&arena, "static optimisation", err);
  status = status == LB_OK ? lb_data_create(m, inverse->allocator, &J.d, err) : status;
  *residual = 0;
  for (size_t f = 0; f < (size_t)inverse->nframe && status == LB_OK; f++) {
    share(&J, inverse, f, activation + f * n, tension + f * n, reserve + f * nv, residual);
  }
  lb_data_release(J.d);
  lb_arena_release(&arena);
  return status;
}
