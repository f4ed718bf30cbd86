// Grounds that yield: planes that push back where a point is below them, and rub. With the depth
// s > 0 of a point, its velocity v and the plane's normal n,
//
//   N = k s (1 - c n.v), if positive                      [Hunt and Crossley 1975]
//   f = N n - mu N v_t / sqrt(v_t.v_t + slip^2),   v_t = v - n n.v
//
// The damping grows with the depth, so the force is continuous when a point comes and when it goes.
// Friction is that of a fluid below the slip speed: nothing sticks for ever, it creeps.
#include <math.h>

#include "dynamics/force.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"

typedef struct touch {
  lb_force_point p;
  lb_v4 n;
  lb_v4 slide; // v_t over its regularised size
  lb_v4 f;
  double depth, N;
  double by_depth, by_speed; // of N, by s and by n.v
  double inverse;            // of the regularised size
  double mu;
} touch;

// false: the point does not touch.
static bool find_touch(touch* t, const lb_scene_ground* g, lb_work* w, const lb_anchor* at) {
  t->p = lb_force_point_find(w, at);
  t->n = lb_v4_from(g->normal);
  t->depth = lb_v4_dot(t->n, lb_v4_from(g->at) - t->p.at);
  if (!(t->depth > 0)) {
    return false;
  }
  const double speed = lb_v4_dot(t->n, t->p.velocity);
  t->by_depth = g->stiffness * (1 - g->dissipation * speed);
  t->by_speed = -g->stiffness * t->depth * g->dissipation;
  t->N = t->by_depth * t->depth;
  if (!(t->N > 0)) {
    return false;
  }
  const lb_v4 v_t = t->p.velocity - t->n * speed;
  t->inverse = 1 / sqrt(lb_v4_dot(v_t, v_t) + g->slip * g->slip);
  t->slide = v_t * t->inverse;
  t->mu = g->friction;
  t->f = (t->n - t->slide * t->mu) * t->N;
  return true;
}

static int ground_count(const lb_model* m) {
  return m->nground;
}

static void ground_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nground; i++) {
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      touch t;
      if (find_touch(&t, &m->ground[i], d->work, &m->ground_point[k])) {
        lb_force_point_push(&t.p, t.f);
      }
    }
  }
}

// The change of f when the point moves by x and its velocity changes by v. With u = v_t/|v_t|_slip,
//   du = (dv_t - u u.dv_t) / |v_t|_slip
static lb_v4 change(const touch* t, lb_v4 x, lb_v4 v) {
  const double speed = lb_v4_dot(t->n, v);
  const double dN = t->by_speed * speed - t->by_depth * lb_v4_dot(t->n, x);
  const lb_v4 dv_t = v - t->n * speed;
  const lb_v4 du = (dv_t - t->slide * lb_v4_dot(t->slide, dv_t)) * t->inverse;
  return (t->n - t->slide * t->mu) * dN - du * (t->mu * t->N);
}

static void differentiate_touch(lb_derivatives* D, const touch* t) {
  const lb_derivation* W = D->work;
  lb_motion *S = W->lever[0], *psi = W->lever[1], *by_q = W->lever[2], *by_qd = W->lever[3];
  lb_derive_point(D, S, psi, t->p.index, t->p.arm);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 gain = lb_force_point_gain(S[k], psi[k], t->p.velocity);
    by_q[k] = (lb_motion){lb_v4_zero(), change(t, S[k].v, gain) - lb_v4_cross(S[k].w, t->f)};
    by_qd[k] = (lb_motion){lb_v4_zero(), change(t, lb_v4_zero(), S[k].v)};
  }
  lb_derive_push(D, D->tau_q, S, by_q);
  lb_derive_push(D, D->tau_qd, S, by_qd);
}

static void ground_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nground; i++) {
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      touch t;
      if (find_touch(&t, &m->ground[i], d->work, &m->ground_point[k])) {
        differentiate_touch(D, &t);
      }
    }
  }
}

static double ground_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nground; i++) {
    const lb_scene_ground* g = &m->ground[i];
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      const lb_force_point p = lb_force_point_find(d->work, &m->ground_point[k]);
      const double depth = lb_v4_dot(lb_v4_from(g->normal), lb_v4_from(g->at) - p.at);
      sum += depth > 0 ? 0.5 * g->stiffness * depth * depth : 0;
    }
  }
  return sum;
}

const lb_force lb_force_ground = {
    "ground", ground_count, ground_apply, ground_energy, ground_differentiate, true, LB_STIFF};
