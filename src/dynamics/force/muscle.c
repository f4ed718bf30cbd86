#include "dynamics/force/muscle.h"

#include <math.h>
#include <string.h>

#include "dynamics/muscle/muscle_inertia.h"

lb_muscles* lb_muscles_lay_out(lb_carver* c, const lb_model* m) {
  if (m->muscle.count == 0) {
    return NULL;
  }
  lb_muscles* muscles = lb_carve(c, 1, sizeof *muscles);
  lb_muscles made = {0};
  made.from = lb_carve(c, (size_t)m->nx, sizeof *made.from);
  made.now = lb_carve(c, (size_t)m->muscle.count, sizeof *made.now);
  made.inertia = lb_inertia_lay_out(c, m);
  if (muscles) {
    *muscles = made;
  }
  return muscles;
}

double lb_muscle_excitation(const lb_model* m, const lb_data* d, int i) {
  const lb_model_muscle* mu = &m->muscle.item[i];
  double value[3] = {mu->constant, 0, 0};
  if (d->work->muscles->given) {
    value[0] = d->work->muscles->given[i];
  } else if (mu->excitation) {
    lb_profile_evaluate(mu->excitation, d->time, value);
  } else if (mu->q >= 0) {
    value[0] = mu->gain * (mu->to - d->q[mu->q]) - mu->rate_gain * d->qd[mu->v];
  }
  return value[0];
}

// --- tension ---

static lb_tension pull(const lb_hill_force* f) {
  return (lb_tension){.force = f->force, .by_length = f->by_length, .by_rate = f->by_rate};
}

// Activation that is the excitation, unless it is given.
static lb_activation_rate activation_at_rest(const lb_hill* h, double u, double given) {
  const double within = fmin(fmax(u, h->least), 1);
  return isnan(given) ? (lb_activation_rate){within, 0, u == within}
                      : (lb_activation_rate){given, 0, 0};
}

// Length that fibre and tendon share: all of the path, or what tendons with coordinates of their
// own leave of it.
typedef struct span_left {
  double length, rate;
} span_left;

static span_left what_is_left(const lb_model_muscle* mu, const lb_data* d,
                              const lb_muscle_now* now) {
  return (span_left){now->length - lb_path_stretch(mu->path, d->q),
                     now->rate - lb_path_stretch_rate(mu->path, d->qd)};
}

// (1), where dt may be infinite: a start.
static lb_tension end_of_step(const lb_model_muscle* mu, lb_muscle_now* now, span_left L,
                              const double* x0, double dt, double* x) {
  const lb_hill* h = mu->hill;
  const bool rests = !isfinite(dt);
  const double u = now->excitation;
  now->activation = rests ? activation_at_rest(h, u, x0[0]) : lb_activation_step(h, x0[0], u, dt);
  now->hill = lb_hill_force_ahead(h, now->activation.rate, x0[1], rests ? 0 : 1 / dt, L.length,
                                  L.rate, x[1]);
  x[0] = now->activation.rate;
  x[1] = now->hill.fiber;
  lb_tension T = pull(&now->hill);
  T.by_excitation = now->hill.by_a * now->activation.by_u;
  return T;
}

// An activation that is not known is the excitation; a fibre that is not known is in equilibrium.
static void settle(const lb_hill* h, double excitation, double length, double* x) {
  x[0] = activation_at_rest(h, excitation, x[0]).rate;
  x[1] = isnan(x[1]) ? lb_hill_force_ahead(h, x[0], h->fiber, 0, length, 0, h->fiber).fiber : x[1];
}

static lb_tension as_it_is(const lb_hill* h, lb_muscle_now* now, span_left L, double soft,
                           double* x) {
  settle(h, now->excitation, L.length, x);
  now->hill = lb_hill_force_soft(h, x[0], x[1], L.length, L.rate, soft);
  if (!lb_hill_has_fiber(h)) {
    x[1] = now->hill.fiber;
  }
  return pull(&now->hill);
}

// Tendons with coordinates of their own begin stretched as equilibrium, or the fibre of the start,
// leaves them. Nothing else moves with them.
static void hang(const lb_model_muscle* mu, const lb_muscle_now* now, lb_data* d) {
  double x[] = {d->x[mu->x], mu->start[1]};
  settle(mu->series, now->excitation, now->length, x);
  const double u = lb_hill_stretch(mu->series, now->length, x[1]).y;
  for (int i = 0; i < mu->path->ntendon; i++) {
    d->q[mu->path->tendon[i].q] = mu->path->tendon[i].part * u;
  }
}

lb_tension lb_muscle_tension(const lb_model* m, lb_data* d, int i, double length, double rate) {
  const lb_model_muscle* mu = &m->muscle.item[i];
  lb_muscles* all = d->work->muscles;
  lb_muscle_now* now = &all->now[i];
  now->length = length;
  now->rate = rate;
  now->excitation = lb_muscle_excitation(m, d, i);
  if (mu->series && isnan(d->x[mu->x + 1])) {
    hang(mu, now, d);
  }
  if (!mu->hill) {
    const double u = fmin(fmax(now->excitation, 0), 1);
    now->tension = (lb_tension){.force = mu->tension * u,
                                .by_excitation = u == now->excitation ? mu->tension : 0};
  } else if (all->dt > 0) {
    now->tension =
        end_of_step(mu, now, what_is_left(mu, d, now), all->from + mu->x, all->dt, d->x + mu->x);
  } else {
    now->tension = as_it_is(mu->hill, now, what_is_left(mu, d, now), all->soft, d->x + mu->x);
  }
  return now->tension;
}

lb_status lb_muscles_check_tendons(const lb_model* m, const char* what, lb_error* err) {
  for (int i = 0; i < m->muscle.count; i++) {
    if (m->muscle.item[i].series) {
      return lb_error_add(err, LB_INVALID, m->muscle.item[i].place,
                          "muscle '%s' has mass between elastic tendons, whose stretches %s cannot "
                          "know (choose 'tendon: stiff')",
                          m->muscle.item[i].name, what);
    }
  }
  return LB_OK;
}

// --- states ---

void lb_muscles_start(lb_data* d) {
  const lb_model* m = d->model;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    if (mu->hill) {
      memcpy(d->x + mu->x, mu->start, sizeof mu->start);
      d->x[mu->x + 1] = mu->series ? (double)NAN : mu->start[1]; // tendons are to be stretched yet
    }
  }
}

void lb_muscles_settle(const lb_model* m, lb_data* d) {
  bool unknown = false;
  for (int i = 0; i < m->nx; i++) {
    unknown = unknown || isnan(d->x[i]);
  }
  if (unknown) {
    lb_muscles_update(m, d);
  }
}

void lb_muscles_begin(lb_data* d, double dt, const double* x0) {
  lb_muscles* all = d->work->muscles;
  if (all) {
    all->dt = dt;
    memcpy(all->from, x0, (size_t)d->model->nx * sizeof *x0);
  }
}

void lb_muscles_rest(lb_data* d, bool given) {
  const lb_model* m = d->model;
  lb_muscles* all = d->work->muscles;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    all->dt = INFINITY;
    if (mu->hill) {
      all->from[mu->x] = given ? mu->start[0] : NAN;
      all->from[mu->x + 1] = mu->hill->fiber; // of no account: fibres at rest have no speed
    }
  }
}

void lb_muscles_begin_after(lb_data* d, double dt, int count, const double* weight,
                            const double* const* x) {
  lb_muscles* all = d->work->muscles;
  if (!all) {
    return;
  }
  all->dt = dt;
  for (int i = 0; i < d->model->nx; i++) {
    all->from[i] = 0;
    for (int p = 0; p < count; p++) {
      all->from[i] += weight[p] * x[p][i];
    }
  }
}

void lb_muscles_end(const lb_model* m, lb_data* d) {
  if (d->work->muscles) {
    lb_muscles_update(m, d);
    d->work->muscles->dt = 0;
  }
}

void lb_muscles_slopes(const lb_model* m, const lb_data* d, double* dx) {
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    const lb_muscle_now* now = &d->work->muscles->now[i];
    if (mu->hill) {
      const double *x = d->x + mu->x, L = now->length;
      dx[mu->x] = lb_activation_rate_at(mu->hill, x[0], now->excitation).rate;
      dx[mu->x + 1] =
          lb_hill_has_fiber(mu->hill) ? lb_hill_fiber_speed(mu->hill, x[0], x[1], L).speed : 0;
    }
  }
}

void lb_muscles_keep(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    if (mu->hill) {
      double* x = d->x + mu->x;
      x[0] = fmin(fmax(x[0], mu->hill->least), 1);
      x[1] = fmax(x[1], lb_hill_shortest(mu->hill));
    }
  }
}
