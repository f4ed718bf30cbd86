// Muscles as forces: one tension along a path.
#include <math.h>

#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"

static int count(const lb_model* m) {
  return m->muscle.count;
}

// Path and tension of a muscle, velocities of origins in place.
static void find(const lb_model* m, lb_data* d, int i, lb_path* p) {
  const lb_model_muscle* mu = &m->muscle.item[i];
  lb_path_find(p, mu->path, d->work, d->q, d->qd);
  const lb_tension T = lb_muscle_tension(m, d, i, p->length, p->rate);
  p->F = T.force;
  p->slope = T.by_length;
  p->damping = T.by_rate;
}

// Length alone, of a muscle that exerts nothing.
static void find_length(const lb_model* m, lb_data* d, int i) {
  lb_path p;
  lb_path_find(&p, m->muscle.item[i].path, d->work, d->q, d->qd);
  d->work->muscles->now[i] = (lb_muscle_now){.length = p.length, .rate = p.rate};
}

// Tendons with coordinates of their own are springs along them.
static void pull_tendons(const lb_model_muscle* mu, const lb_data* d, double* tau) {
  for (int i = 0; i < mu->path->ntendon; i++) {
    const lb_path_tendon* t = &mu->path->tendon[i];
    tau[t->v] -= lb_hill_tendon_at(mu->series, t->slack, d->q[t->q]).y;
  }
}

static void differentiate_tendons(lb_derivatives* D, const lb_model_muscle* mu, const double* q) {
  for (int i = 0; i < mu->path->ntendon; i++) {
    const lb_path_tendon* t = &mu->path->tendon[i];
    D->tau_q[(size_t)t->v * ((size_t)D->model->nv + 1)] +=
        lb_hill_tendon_at(mu->series, t->slack, q[t->q]).slope;
  }
}

static bool is_left_out(const lb_data* d, int i) {
  return d->work->muscles->left_out && d->work->muscles->left_out[i];
}

// Tension that was found elsewhere.
static void pull_as_told(const lb_model* m, lb_data* d, int i, lb_path* p) {
  const lb_muscles* all = d->work->muscles;
  const lb_model_muscle* mu = &m->muscle.item[i];
  lb_path_find(p, mu->path, d->work, d->q, d->qd);
  p->F = all->tension[i];
  all->now[i] = (lb_muscle_now){.length = p->length,
                                .rate = p->rate,
                                .excitation = all->activation[i],
                                .tension = {.force = p->F}};
  if (mu->hill) {
    d->x[mu->x] = all->activation[i];
  }
  lb_path_pull(p, d->work);
}

static void apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->muscle.count && !d->work->muscles->unmeasured; i++) {
    lb_path p;
    if (is_left_out(d, i)) {
      continue;
    }
    if (d->work->muscles->tension) {
      pull_as_told(m, d, i, &p);
    } else if (d->work->muscles->idle) {
      find_length(m, d, i);
    } else {
      find(m, d, i, &p);
      lb_path_pull(&p, d->work);
      pull_tendons(&m->muscle.item[i], d, d->work->tau);
    }
  }
}

void lb_muscles_update(const lb_model* m, lb_data* d) {
  lb_update(m, d, LB_ORIGINS);
  for (int i = 0; i < m->muscle.count; i++) {
    lb_path p;
    find(m, d, i, &p);
  }
}

void lb_muscle_direction(const lb_derivatives* D, lb_data* d, int i, double* g) {
  lb_path p;
  find(D->model, d, i, &p);
  lb_fill_columns(D->model, d->work);
  lb_path_arms(D->model, d->work, &p, g);
}

// Feedback changes the tension with its own coordinate.
static void differentiate_feedback(lb_derivatives* D, lb_data* d, int i, lb_path* p) {
  const lb_model_muscle* mu = &D->model->muscle.item[i];
  const double by_u = d->work->muscles->now[i].tension.by_excitation;
  if (mu->v >= 0 && by_u != 0 && !d->work->muscles->given) {
    lb_path_derive_tension(D, D->tau_q, p, mu->v, -by_u * mu->gain);
    lb_path_derive_tension(D, D->tau_qd, p, mu->v, -by_u * mu->rate_gain);
  }
}

// Linearly implicit steps take slopes that resist.
static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->muscle.count && !d->work->muscles->idle; i++) {
    lb_path p;
    if (is_left_out(d, i)) {
      continue;
    }
    find(m, d, i, &p);
    if (symmetric) {
      p.slope = fmax(p.slope, 0);
      p.damping = fmax(p.damping, 0);
    }
    lb_path_derive(D, &p, d->qd, symmetric);
    differentiate_tendons(D, &m->muscle.item[i], d->q);
    if (!symmetric) {
      differentiate_feedback(D, d, i, &p);
    }
  }
}

static void measure(lb_channel_walk* w) {
  for (int i = 0; i < w->m->muscle.count; i++) {
    const lb_model_muscle* mu = &w->m->muscle.item[i];
    const lb_muscle_now* now = w->value ? &w->d->work->muscles->now[i] : NULL;
    lb_channel_put(w, mu->name, LB_CHANNEL_TENSION, now ? now->tension.force : 0, "force");
    lb_channel_put(w, mu->name, LB_CHANNEL_LENGTH, now ? now->length : 0, "length");
    lb_channel_put(w, mu->name, LB_CHANNEL_ACTIVATION, now ? now->excitation : 0, "excitation");
    if (mu->hill) {
      const double* x = now ? w->d->x + mu->x : NULL;
      lb_channel_put(w, mu->name, LB_CHANNEL_ACTIVATION, x ? x[0] : 0, "activation");
      lb_channel_put(w, mu->name, LB_CHANNEL_LENGTH, x ? x[1] : 0, "fiber");
    }
  }
}

const lb_force lb_force_muscle = {.name = "muscle",
                                  .count = count,
                                  .apply = apply,
                                  .differentiate = differentiate,
                                  .measure = measure,
                                  .on_links = true,
                                  .stiff = true};
