#include "design/inverse/muscle_static.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "math/muscle/hill.h"
#include "math/muscle/muscle_share.h"

lb_static_options lb_static_default(void) {
  return (lb_static_options){.power = 2, .least = 0, .price = 1e4, .passive = false};
}

typedef struct job {
  const lb_model* m;
  lb_data* d;
  const lb_static_options* o;
  double *B, *arm;       // [nv][n], [nv]
  double *wanted, *cost; // [nv]
  double *most, *rest;   // [n] active tension at an activation of 1, and passive
  double* scratch;
} job;

// Joint forces of all muscles at d's state, one activation each, and what passive ones leave.
static void find_arms(job* J, const double* torque) {
  const lb_model* m = J->m;
  const size_t n = (size_t)m->muscle.count;
  memcpy(J->wanted, torque, (size_t)m->nv * sizeof *torque);
  lb_update(m, J->d, LB_ORIGINS);
  lb_fill_columns(m, J->d->work);
  for (size_t i = 0; i < n; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    lb_path p;
    lb_path_find(&p, mu->path, J->d->work, J->d->q, J->d->qd);
    lb_path_arms(m, J->d->work, &p, J->arm);
    const lb_hill_parts f = mu->hill ? lb_hill_parts_at(mu->hill, p.length, p.rate)
                                     : (lb_hill_parts){.active = mu->tension};
    J->most[i] = f.active;
    J->rest[i] = J->o->passive ? f.passive : 0;
    for (int k = 0; k < m->nv; k++) {
      J->B[(size_t)k * n + i] = J->arm[k] * J->most[i];
      J->wanted[k] -= J->arm[k] * J->rest[i];
    }
  }
}

static bool take(job* J, lb_arena* arena) {
  const size_t nv = (size_t)J->m->nv, n = (size_t)J->m->muscle.count;
  J->B = LB_TAKE(arena, double, nv* n);
  J->arm = LB_TAKE(arena, double, nv);
  J->wanted = LB_TAKE(arena, double, nv);
  J->cost = LB_TAKE(arena, double, nv);
  J->most = LB_TAKE(arena, double, n);
  J->rest = LB_TAKE(arena, double, n);
  J->scratch = LB_TAKE(arena, double, lb_muscle_share_scratch((int)n, (int)nv));
  return lb_arena_status(arena) == LB_OK;
}

static void share(job* J, const lb_recording* r, int frame, double* a, double* F, double* reserve,
                  double* residual) {
  const lb_model* m = J->m;
  const int n = m->muscle.count;
  J->d->time = r->time[frame];
  memcpy(J->d->q, r->q + (size_t)frame * (size_t)m->nq, (size_t)m->nq * sizeof *J->d->q);
  memcpy(J->d->qd, r->qd + (size_t)frame * (size_t)m->nv, (size_t)m->nv * sizeof *J->d->qd);
  find_arms(J, r->torque + (size_t)frame * (size_t)m->nv);
  const lb_muscle_share s = {n, m->nv, J->B, J->wanted, J->cost, J->o->power, J->o->least};
  *residual = fmax(*residual, lb_muscle_share_solve(&s, a, reserve, J->scratch).residual);
  for (int i = 0; i < n; i++) {
    F[i] = a[i] * J->most[i] + J->rest[i];
  }
}

lb_status lb_muscle_static(const lb_recording* inverse, const lb_static_options* options,
                           double* activation, double* tension, double* reserve, double* residual,
                           lb_error* err) {
  const lb_model* m = inverse->model;
  const size_t n = (size_t)m->muscle.count;
  lb_arena arena;
  lb_arena_init(&arena, inverse->allocator);
  job J = {.m = m, .o = options};
  lb_status status = take(&J, &arena) ? LB_OK : lb_arena_check(&arena, "static optimisation", err);
  status = status == LB_OK ? lb_data_create(m, inverse->allocator, &J.d, err) : status;
  *residual = 0;
  for (int k = 0; k < m->nv && status == LB_OK; k++) {
    J.cost[k] = options->price;
  }
  for (size_t f = 0; f < (size_t)inverse->nframe && status == LB_OK; f++) {
    share(&J, inverse, (int)f, activation + f * n, tension + f * n, reserve + f * (size_t)m->nv,
          residual);
  }
  lb_data_release(J.d);
  lb_arena_release(&arena);
  return status;
}
