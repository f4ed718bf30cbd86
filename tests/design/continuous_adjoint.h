// The gradient by the continuous adjoint, as the document has it ([flex] section 6.1, eq. 26 and
// 27), for comparison: derived before time is divided into steps, it agrees with the gradient of
// the steps to second order in their length, and no better.
//
// Let q and v be the coordinates that no motor drives. In the notation of
// solve/step/step_derivative.h, with f by a motor's angle, rate and acceleration u and loops kept
// by s(q, v) = rate + gap/dt = 0 (their gaps are zero, whatever the factor), small changes of a
// motion obey
//
//   dq' = dv,   K dq + C dv + M dv' - J'dlambda + f du = 0,   s_q dq + J dv + s_u du = 0     (1)
//
// Add to dF = int g.dq + g_u.du, g the derivative of the integrand, these equations times p, mu and
// nu, which changes nothing; bring the dots over by parts; and choose p, mu and nu so that dq, dv
// and dlambda no longer matter:
//
//   p' = g + K'mu + s_q'nu,   (M mu)' = C'mu + J'nu - p,   J mu = 0                          (2)
//   p = M mu = 0 at the end
//
// This is eq. 26, with (M mu)' for what is there M'mu' and the term in M_U. What remains is eq. 27,
//
//   dF = int (g_u + f'mu + s_u'nu).du dt                                                     (3)
//
// (2) goes backwards by BDF2 at the same steps, dt = 2/3 h (h for the first), and with P = M mu,
// ph = 4/3 p_n+1 - 1/3 p_n+2 and Ph likewise:
//
//   p_n = ph - dt (g + K'mu + s_q'nu),   M mu = Ph + dt (p_n - C'mu - J'nu)
//   W'mu + E'nu = Ph/dt + ph - dt g,     J mu = 0                                            (4)
//
// The matrix of (4) is that of an implicit Euler step of length dt that ends here, transposed. So
// lb_step_back does it all: given (g - ph/dt, 0, -Ph) as what an objective changes by q, v and a,
// it says -p_n/dt of the q before, (Ph - P_n)/dt of the v before, and (3) of the motors. It is all
// linear in g, and g times h, which tangents have, makes (3) a sum: the trapezoidal rule, because
// the motors' changes vanish at both ends.
//
// Where coordinates are not numbers (ball and free joints), dq' is not dv: left out.
#pragma once
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "dynamics/joint/joint.h"

typedef struct continuous_adjoint {
  lb_tangents tangents; // first: it is the walk's context, too
  double *p[3], *P[3];  // [nv] at the last three steps, a ring
  double *ph, *Ph;      // [nv]
  double* zero;         // [nv]
  double *by_q, *by_v;  // [nv] what lb_step_back says
  double* motor;        // [nmotor][3]
  double* gradient;     // [nmotor][ncontrol]
} continuous_adjoint;

static lb_status check_joints(const lb_retargeting* r) {
  const lb_model* m = r->model;
  if (r->limited || r->next) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){0},
                        "the continuous adjoint knows neither limits of torques nor copies that "
                        "differ: leave 'torque' and 'robust' out");
  }
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint.nq[i] != m->joint.nv[i]) {
      return lb_error_add(r->err, LB_INVALID, (lb_place){0},
                          "the continuous adjoint is for joints whose coordinates are angles and "
                          "distances: '%s' is a ball or free joint",
                          m->joint.name[i]);
    }
  }
  return LB_OK;
}

// The backward step to record n is the (nstep - n)-th.
static double step_back_size(const lb_retargeting* r, int record) {
  return record == r->nstep - 1 ? r->h : 2 * r->h / 3;
}

// An Euler step of that length that ends at the record, with the acceleration that was stepped
// with.
static lb_step_past as_euler(void* context, lb_tangent* t) {
  const lb_retargeting* r = ((lb_tangents*)context)->r;
  const size_t nv = (size_t)r->model->nv;
  const lb_step_past was = lb_tape_past(&r->tape, t->record);
  const double dt = step_back_size(r, t->record);
  const double* v = lb_tape_v(&r->tape, t->record);
  for (size_t k = 0; k < nv; k++) {
    double a = v[k];
    for (int p = 0; p < was.count; p++) {
      a -= was.weight[p] * was.v[p][k];
    }
    t->before[k] = v[k] - dt / was.dt * a;
  }
  return (lb_step_past){.dt = dt,
                        .count = 1,
                        .weight = {1, 0},
                        .q = {lb_tape_q(&r->tape, t->record)},
                        .v = {t->before},
                        .lambda = was.lambda,
                        .redundant = was.redundant};
}

static void go_back(void* context, lb_tangent* t) {
  continuous_adjoint* w = context;
  const lb_retargeting* r = w->tangents.r;
  const int nv = r->model->nv, n = t->record;
  const double dt = step_back_size(r, n);
  const bool second = n < r->nstep - 1;
  if (n == r->nstep) {
    return; // p = P = 0, and there is nothing to change
  }
  double *p = w->p[n % 3], *P = w->P[n % 3];
  const double *p1 = w->p[(n + 1) % 3], *P1 = w->P[(n + 1) % 3];
  const double *p2 = w->p[(n + 2) % 3], *P2 = w->P[(n + 2) % 3];
  for (int k = 0; k < nv; k++) {
    const double ph = second ? (4 * p1[k] - p2[k]) / 3 : p1[k];
    const double Ph = second ? (4 * P1[k] - P2[k]) / 3 : P1[k];
    w->ph[k] = t->by_q[k] - ph / dt;
    w->Ph[k] = -Ph;
    w->by_q[k] = w->by_v[k] = 0;
  }
  memset(w->motor, 0, 3 * (size_t)r->model->nmotor * sizeof *w->motor);
  lb_step_causes out = {.q = {w->by_q, NULL}, .v = {w->by_v, NULL}, .motor = w->motor};
  lb_step_back(t->S, &out,
               &(lb_step_effects){.q = w->ph, .v = w->zero, .a = w->Ph, .lambda = NULL});
  for (int k = 0; k < nv; k++) {
    p[k] = -dt * w->by_q[k];
    P[k] = -w->Ph[k] - dt * w->by_v[k];
  }
  lb_tangents_spread(&w->tangents, lb_tape_record(&r->tape, n)->time, w->motor, w->gradient);
}

static lb_status take_vectors(continuous_adjoint* w, size_t controls) {
  const lb_retargeting* r = w->tangents.r;
  const size_t nv = (size_t)r->model->nv, motors = 3 * (size_t)r->model->nmotor;
  double* block = LB_TAKE(&w->tangents.walk.arena, double, 11 * nv + motors + controls);
  if (!block) {
    return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  double** const vector[] = {&w->p[0], &w->p[1], &w->p[2], &w->P[0], &w->P[1], &w->P[2],
                             &w->ph,   &w->Ph,   &w->zero, &w->by_q, &w->by_v};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = block + i * nv;
  }
  w->motor = block + 11 * nv;
  w->gradient = w->motor + motors;
  return LB_OK;
}

static lb_status check_steps(const lb_retargeting* r) {
  return r->tape.count == r->nstep + 1
             ? LB_OK
             : lb_error_add(r->err, LB_FAILED, (lb_place){0},
                            "the continuous adjoint wants equal steps, and some had to be divided "
                            "(take a smaller step), or something hit");
}

static lb_status find(lb_retargeting* r, const lb_curves* curves, double* gradient) {
  const size_t n = (size_t)curves->nmotor * (size_t)curves->ncontrol;
  lb_retarget_value value;
  continuous_adjoint w = {.zero = NULL};
  lb_status status = check_joints(r);
  if (status == LB_OK) {
    status = lb_motion_run(r, curves, &value);
  }
  if (status == LB_OK) {
    status = check_steps(r);
  }
  if (status != LB_OK) {
    return status;
  }
  status = lb_tangents_open(&w.tangents, r, curves, NULL);
  w.tangents.walk.past = as_euler;
  if (status == LB_OK) {
    status = take_vectors(&w, n);
  }
  if (status == LB_OK) {
    status = lb_walk_along(&w.tangents.walk, true, go_back);
  }
  if (status == LB_OK) {
    lb_regular_add(r, curves, &value, w.gradient);
    memcpy(gradient, w.gradient, n * sizeof *gradient);
  }
  lb_tangents_close(&w.tangents);
  return status;
}

// LB_INVALID with limits of torques, `robust`, or ball or free joints that no loop closes,
// LB_FAILED when a step had to be divided.
static lb_status gradient_continuous(const lb_model* model, const lb_retarget* retarget,
                                     const lb_curves* input, const lb_targets* targets,
                                     const lb_curves* curves, const lb_retarget_options* options,
                                     double* gradient, lb_error* err) {
  lb_retargeting r;
  lb_status status =
      lb_retargeting_open(&r, model, retarget, input, targets, options, curves->allocator, err);
  if (status == LB_OK) {
    status = find(&r, curves, gradient);
    lb_retargeting_close(&r);
  }
  return status;
}
