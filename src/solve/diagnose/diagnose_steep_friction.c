// Joint friction too steep for explicit steps. Around v = 0 it is -C v with C = F/s, its size over
// its speed, so that velocities follow v' = -Minv C v. A step multiplies what decays at the rate r
// by R(-h r) for the method's polynomial R, and where that is more than one, v grows until friction
// has its full size: a joint that should stick chatters and creeps, and nothing blows up to show
// it. The largest r is found by the power method; Minv C v is how accelerations change by the
// torques C v, which knows of loops, couplings and motors.
#include <math.h>
#include <string.h>

#include "limber/simulate.h"
#include "math/linear/dense.h"
#include "model/use/coordinate_name.h"
#include "solve/diagnose/diagnose.h"
#include "solve/step/stepper.h"

typedef struct power {
  const lb_model* m;
  lb_data* d;
  double* slope; // [nv] C
  double* free;  // [nv] accelerations without torques
  double* v;     // [nv]
  double* a;     // [nv] Minv C v
} power;

// |R(-z)| <= 1 up to here. R(z) = 1 + z sum b_i k_i with k_i = 1 + z sum a_ij k_j.
static double reach(const lb_tableau* t, double* k) {
  static const double LOOK = 1e-3;
  double z = 0, R = 1;
  for (; fabs(R) <= 1; z += LOOK) {
    R = 1;
    for (int i = 0; i < t->stages; i++) {
      k[i] = 1 - (z + LOOK) * lb_dot(i, t->a + i * t->stages, k);
      R -= (z + LOOK) * t->b[i] * k[i];
    }
  }
  return z - LOOK;
}

// Stability limit of the model's integrator; infinite for implicit and adaptive ones. -1: no
// memory.
static double reach_of(lb_integrator integrator, lb_arena* arena) {
  lb_tableau t;
  if (lb_integrator_method(integrator) != LB_METHOD_EXPLICIT) {
    return INFINITY;
  }
  if (!lb_stepper_type_of(integrator)->tableau(arena, &t)) {
    return -1;
  }
  double* k = LB_TAKE(arena, double, t.stages);
  return k ? reach(&t, k) : -1;
}

static void accelerate(const power* p, double* qdd) {
  lb_forward(p->m, p->d);
  memcpy(qdd, p->d->qdd, (size_t)p->m->nv * sizeof *qdd);
}

// a from v; the rate that v decays at: v'C a / v'C v.
static double look(const power* p) {
  const int nv = p->m->nv;
  double* tau = p->d->tau;
  double above = 0, below = 0;
  for (int k = 0; k < nv; k++) {
    tau[k] += p->slope[k] * p->v[k];
  }
  accelerate(p, p->a);
  for (int k = 0; k < nv; k++) {
    tau[k] -= p->slope[k] * p->v[k];
    p->a[k] -= p->free[k];
    above += p->v[k] * p->slope[k] * p->a[k];
    below += p->v[k] * p->slope[k] * p->v[k];
  }
  return below > 0 ? above / below : 0;
}

// The largest rate; v is then what decays at it.
static double fastest(const power* p) {
  enum { MOST = 100 };
  static const double CONVERGED = 1e-4;
  const int nv = p->m->nv;
  accelerate(p, p->free);
  for (int k = 0; k < nv; k++) { // along no direction in particular
    p->v[k] = p->slope[k] > 0 ? 1 + 0.5 * sin(k) : 0;
  }
  double rate = look(p), before = 0;
  for (int i = 0; i < MOST && rate > 0 && fabs(rate - before) > CONVERGED * rate; i++) {
    double size = 0;
    for (int k = 0; k < nv; k++) {
      size += p->slope[k] * p->a[k] * p->a[k];
    }
    for (int k = 0; k < nv; k++) {
      p->v[k] = p->slope[k] > 0 ? p->a[k] / sqrt(size) : 0;
    }
    before = rate;
    rate = look(p);
  }
  return rate;
}

// Who has most of what decays fastest.
static int steepest(const power* p) {
  int most = 0;
  for (int k = 0; k < p->m->nv; k++) {
    const double one = p->slope[k] * p->v[k] * p->v[k];
    most = one > p->slope[most] * p->v[most] * p->v[most] ? k : most;
  }
  return lb_joint_of(p->m, most);
}

static lb_status find(const lb_model* m, lb_data* d, double step, lb_arena* arena,
                      lb_steep_friction* out) {
  const double most = reach_of(m->solver.integrator, arena);
  power p = {.m = m,
             .d = d,
             .slope = LB_TAKE(arena, double, m->nv),
             .free = LB_TAKE(arena, double, m->nv),
             .v = LB_TAKE(arena, double, m->nv),
             .a = LB_TAKE(arena, double, m->nv)};
  if (most < 0 || !p.slope || !p.free || !p.v || !p.a) {
    return LB_NO_MEMORY;
  }
  if (isinf(most)) {
    return LB_OK;
  }
  for (int k = 0; k < m->nv; k++) {
    p.slope[k] = m->dof.friction[k] > 0 ? m->dof.friction[k] / m->dof.friction_speed[k] : 0;
  }
  const double rate = fastest(&p);
  if (rate * step > most) {
    *out = (lb_steep_friction){steepest(&p), most / rate};
  }
  return LB_OK;
}

lb_status lb_find_steep_friction(const lb_model* model, lb_data* data, double step,
                                 const lb_allocator* allocator, lb_steep_friction* steep,
                                 lb_error* err) {
  lb_steep_friction found = {-1, 0};
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  const lb_status status =
      model->dof.nfriction > 0 ? find(model, data, step, &arena, &found) : LB_OK;
  lb_arena_release(&arena);
  if (status != LB_OK) {
    return lb_error_add(err, status, (lb_place){0}, "there is not enough memory");
  }
  *steep = found;
  return LB_OK;
}
