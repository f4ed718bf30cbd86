// Activations and fibres in the derivative of an implicit stage. They are eliminated from it
// (dynamics/force/muscle.h): the stage's own matrices have the slopes of tensions with them, and
// what is left are sums. With x0 = (a0, l0) before, u the excitation and L the path's length, each
// muscle has
//
//   (1)  a = A(a0, u),   l = l(L, a, l0),   F = F(L, Ldot, a, l0),   dL = -g'dq
//
// where g is the generalised force of a tension of one. Back from how an objective changes with the
// end, by_a and by_l, and with the multiplier mu of the stage's equations, for which one more of F
// is worth g'mu:
//
//   (2)  by_a += by_l dl/da,    by_q -= by_l dl/dL g
//   (3)  by_a0 = dA/da0 (by_a + g'mu dF/da),   by_l0 = by_l dl/dl0 + g'mu dF/dl0,
//        by_u  = dA/du (by_a + g'mu dF/da)
//
// (2) comes before the stage's transpose and (3) after it. Feedback makes u of q and v of the end:
// in (2) of by_a; the stage's matrices have the rest.
#include <math.h>
#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "math/linear/dense.h"
#include "model/use/model_path.h"
#include "solve/step/step_inside.h"

bool lb_step_muscles_create(lb_step_derivative* S) {
  const size_t n = (size_t)S->m->muscle.count;
  S->muscles.g = LB_TAKE(&S->arena, double, n*(size_t)S->m->nv);
  S->muscles.now = LB_TAKE(&S->arena, lb_muscle_now, n);
  return S->muscles.g && S->muscles.now;
}

void lb_step_muscles_begin(lb_data* d, const lb_step_past* past) {
  if (!past->impact && d->model->nx > 0) {
    lb_muscles_begin_after(d, past->dt, past->count, past->weight, past->x);
  }
}

void lb_step_muscles_take(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  lb_step_muscles* M = &S->muscles;
  M->still = past->impact;
  for (int i = 0; i < d->model->muscle.count && !M->still; i++) {
    lb_muscle_direction(S->D, d, i, M->g + (size_t)i * (size_t)d->model->nv);
    M->now[i] = d->work->muscles->now[i];
  }
  if (d->work->muscles) {
    d->work->muscles->dt = 0;
  }
}

// By an excitation, passed on to the coordinate whose feedback it is.
static void feed_back(const lb_model_muscle* mu, double by_u, double* q, double* v) {
  if (mu->v >= 0) {
    q[mu->v] -= mu->gain * by_u;
    v[mu->v] -= mu->rate_gain * by_u;
  }
}

static double* direction_of(const lb_step_derivative* S, int i) {
  return S->muscles.g + (size_t)i * (size_t)S->m->nv;
}

// (2)
void lb_step_muscles_before(lb_step_derivative* S, const lb_step_effects* in) {
  for (int i = 0; i < S->m->muscle.count && in->x && !S->muscles.still; i++) {
    const lb_model_muscle* mu = &S->m->muscle.item[i];
    const lb_muscle_now* now = &S->muscles.now[i];
    if (mu->hill) {
      double* x = in->x + mu->x;
      x[0] += x[1] * now->hill.fiber_by_a;
      lb_add(S->m->nv, in->q, -x[1] * now->hill.fiber_by_length, direction_of(S, i));
      feed_back(mu, x[0] * now->activation.by_u, in->q, in->v);
    }
  }
}

static void pass_on(const lb_step_derivative* S, const lb_step_causes* out, int at, double by) {
  for (int p = 0; p < S->reach.count; p++) {
    out->x[p][at] += S->reach.weight[p] * by;
  }
}

// (3)
void lb_step_muscles_after(lb_step_derivative* S, const lb_step_causes* out,
                           const lb_step_effects* in, const double* mu) {
  for (int i = 0; i < S->m->nx && S->muscles.still && in->x; i++) {
    pass_on(S, out, i, in->x[i]);
  }
  for (int i = 0; i < S->m->muscle.count && out->excitation && !S->muscles.still; i++) {
    const lb_model_muscle* of = &S->m->muscle.item[i];
    const lb_muscle_now* now = &S->muscles.now[i];
    const double power = lb_dot(S->m->nv, direction_of(S, i), mu);
    out->excitation[i] += power * now->tension.by_excitation;
    if (of->hill && in->x) {
      const double *x = in->x + of->x, by_a = x[0] + power * now->hill.by_a;
      out->excitation[i] += x[0] * now->activation.by_u;
      pass_on(S, out, of->x, by_a * now->activation.by_a);
      pass_on(S, out, of->x + 1, x[1] * now->hill.fiber_by_l + power * now->hill.by_l);
    }
  }
}

// Stretches of tendons at the start, u = p (L - slack - X(l)) with the fibre l that is given or in
// equilibrium: what changes with them changes with the path and, returned, with the activation.
static double back_tendons(const lb_model_muscle* mu, const lb_muscle_now* now, double* q,
                           const double* g, int nv) {
  const lb_path_tendon* t = mu->path->tendon;
  const double a = now->activation.rate, L = now->length;
  const bool given = !isnan(mu->start[1]);
  const lb_hill_force f =
      lb_hill_force_ahead(mu->series, a, mu->hill->fiber, 0, L, 0, now->hill.fiber);
  const double slope = lb_hill_stretch(mu->series, L, f.fiber).slope;
  double by = 0;
  for (int i = 0; i < mu->path->ntendon; i++) {
    by += t[i].part * q[t[i].v];
  }
  lb_add(nv, q, -by * (given ? 1 : 1 + slope * f.fiber_by_length), g);
  for (int i = 0; i < mu->path->ntendon; i++) {
    q[t[i].v] = 0; // they are where the path has them
  }
  return given ? 0 : by * slope * f.fiber_by_a;
}

// A start is the end of a stage that took for ever, from anywhere. What is given does not change.
void lb_step_back_start(lb_step_derivative* S, lb_data* d, double* q, double* v, double* excitation,
                        const double* x) {
  const lb_model* m = S->m;
  if (m->nx == 0) {
    return;
  }
  lb_muscles_rest(d, true);
  lb_update(m, d, LB_ORIGINS | LB_FORCED);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, true);
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    double* g = direction_of(S, i);
    lb_muscle_direction(S->D, d, i, g);
    if (mu->hill) {
      const lb_muscle_now* now = &d->work->muscles->now[i];
      const double by_l = isnan(mu->start[1]) || mu->series ? x[mu->x + 1] : 0;
      double by_a = x[mu->x] + by_l * now->hill.fiber_by_a;
      lb_add(m->nv, q, -by_l * now->hill.fiber_by_length, g);
      by_a += mu->series ? back_tendons(mu, now, q, g, m->nv) : 0;
      excitation[i] += by_a * now->activation.by_u;
      feed_back(mu, by_a * now->activation.by_u, q, v);
    }
  }
  d->work->muscles->dt = 0;
}
