// Compliant grounds: planes with a normal force where a point is below them, and friction. With the
// depth s > 0 of a point, its velocity v and the plane's normal n,
//
//   N = F(s) (1 - c n.v), if positive,   F = k s^e        [Hunt and Crossley 1975]
//   f = N n - mu N v_t / sqrt(v_t.v_t + slip^2),   v_t = v - n n.v
//
// The damping grows with the depth, so the force is continuous when a point comes and when it goes.
// Friction is that of a fluid below the slip speed: nothing sticks for ever, it creeps.
#include <math.h>

#include "dynamics/force/force.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/force/force_ground.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"

typedef struct contact {
  lb_force_point p;
  lb_v4 n;
  lb_v4 slide; // v_t over its regularised size
  lb_v4 f;
  double depth, N;
  double by_depth, by_speed; // of N, by s and by n.v
  double inverse;            // of the regularised size
  double mu;
} contact;

// false: the point does not touch.
static bool find_contact(contact* t, const lb_scene_ground* g, lb_work* w, const lb_anchor* at) {
  t->p = lb_force_point_find(w, at);
  t->n = lb_v4_from(g->normal);
  t->depth = lb_v4_dot(t->n, lb_v4_from(g->at) - t->p.at);
  if (!(t->depth > 0)) {
    return false;
  }
  const double speed = lb_v4_dot(t->n, t->p.velocity);
  const double left = 1 - g->dissipation * speed; // of F
  const lb_pull F =
      lb_force_curve_pull(&(lb_force_curve){.exponent = g->exponent}, g->stiffness, t->depth);
  t->by_depth = F.slope * left;
  t->by_speed = -F.force * g->dissipation;
  t->N = F.force * left;
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
      contact t;
      if (find_contact(&t, &m->ground[i], d->work, &m->ground_point[k])) {
        lb_force_point_apply(&t.p, t.f);
      }
    }
  }
}

// The change of f when the point moves by x and its velocity changes by v. With u = v_t/|v_t|_slip,
//   du = (dv_t - u u.dv_t) / |v_t|_slip
static lb_v4 change(const contact* t, lb_v4 x, lb_v4 v) {
  const double speed = lb_v4_dot(t->n, v);
  const double dN = t->by_speed * speed - t->by_depth * lb_v4_dot(t->n, x);
  const lb_v4 dv_t = v - t->n * speed;
  const lb_v4 du = (dv_t - t->slide * lb_v4_dot(t->slide, dv_t)) * t->inverse;
  return (t->n - t->slide * t->mu) * dN - du * (t->mu * t->N);
}

static void differentiate_contact(lb_derivatives* D, const contact* t) {
  const lb_derivation* W = D->work;
  lb_motion *S = W->lever[0], *psi = W->lever[1], *by_q = W->lever[2], *by_qd = W->lever[3];
  lb_derive_point(D, S, psi, t->p.index, t->p.arm);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 gain = lb_force_point_gain(S[k], psi[k], t->p.velocity);
    by_q[k] = (lb_motion){lb_v4_zero(), change(t, S[k].v, gain) - lb_v4_cross(S[k].w, t->f)};
    by_qd[k] = (lb_motion){lb_v4_zero(), change(t, lb_v4_zero(), S[k].v)};
  }
  lb_derive_force(D, D->tau_q, S, by_q);
  lb_derive_force(D, D->tau_qd, S, by_qd);
}

static void ground_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nground; i++) {
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      contact t;
      if (find_contact(&t, &m->ground[i], d->work, &m->ground_point[k])) {
        differentiate_contact(D, &t);
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
      const lb_force_curve law = {.exponent = g->exponent, .slack = true};
      sum += lb_force_curve_energy(&law, g->stiffness, depth);
    }
  }
  return sum;
}

// The depth of each point, and of those below, what is left of the push when it lifts off.
static int ground_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  if (out) {
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; i < m->nground && out; i++) {
    const lb_scene_ground* g = &m->ground[i];
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      const lb_force_point p = lb_force_point_find(d->work, &m->ground_point[k]);
      const lb_v4 n = lb_v4_from(g->normal);
      const double left = 1 - g->dissipation * lb_v4_dot(n, p.velocity);
      const lb_force_curve curve = {.exponent = g->exponent, .slack = true};
      out[2 * k] = lb_force_curve_switching(&curve, lb_v4_dot(n, lb_v4_from(g->at) - p.at));
      out[2 * k + 1] = out[2 * k].x > 0 ? lb_switching_sign(left) : lb_switching_smooth(0);
    }
  }
  return 2 * m->ground_first[m->nground];
}

// --- stiffness and damping of linearly implicit steps ---
//
// Stiffness is that of the depth along the normal; damping is the part of n.v and, of friction,
// that of the way it slides at the pressure there is:
//
//   df = -(dN/ds n n.X) + (dN/d(n.v) n n.U) - mu N (U_t - u u.U_t) / |v_t|_slip
//
// How friction grows with pressure is left out: it has no symmetric matrix.

// U_t - u u.U_t
static lb_v4 across(const contact* t, lb_v4 U) {
  const lb_v4 along = U - t->n * lb_v4_dot(t->n, U);
  return along - t->slide * lb_v4_dot(t->slide, along);
}

static lb_v4 stiff_change(const contact* t, lb_v4 X, lb_v4 U) {
  return t->n * (t->by_speed * lb_v4_dot(t->n, U) - t->by_depth * lb_v4_dot(t->n, X)) -
         across(t, U) * (t->mu * t->N * t->inverse);
}

static void stiffen_contact(lb_derivatives* D, const contact* t) {
  lb_motion *S = D->work->lever[0], *by_q = D->work->lever[1], *by_qd = D->work->lever[2];
  lb_derive_point(D, S, NULL, t->p.index, t->p.arm);
  for (int k = 0; k < D->model->nv; k++) {
    by_q[k] = (lb_motion){lb_v4_zero(), stiff_change(t, S[k].v, lb_v4_zero())};
    by_qd[k] = (lb_motion){lb_v4_zero(), stiff_change(t, lb_v4_zero(), S[k].v)};
  }
  lb_derive_force(D, D->tau_q, S, by_q);
  lb_derive_force(D, D->tau_qd, S, by_qd);
}

static void ground_stiffen(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nground; i++) {
    for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
      contact t;
      if (find_contact(&t, &m->ground[i], d->work, &m->ground_point[k])) {
        stiffen_contact(D, &t);
      }
    }
  }
}

// --- by its stiffness ---

// Forces are in proportion to it.
double lb_ground_by_stiffness(const lb_derivatives* D, lb_data* d, int i, const double* mu) {
  const lb_model* m = D->model;
  double power = 0;
  for (int k = m->ground_first[i]; k < m->ground_first[i + 1]; k++) {
    contact t;
    if (find_contact(&t, &m->ground[i], d->work, &m->ground_point[k])) {
      power += lb_v4_dot(t.f, lb_derive_motion(D, &t.p, mu).v);
    }
  }
  return power / m->ground[i].stiffness;
}

const lb_force lb_force_ground = {.name = "ground",
                                  .count = ground_count,
                                  .apply = ground_apply,
                                  .energy = ground_energy,
                                  .differentiate = ground_differentiate,
                                  .switching = ground_switching,
                                  .on_links = true,
                                  .stiffen = ground_stiffen};
