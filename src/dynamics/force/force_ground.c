// Compliant grounds: planes with a normal force where a point is below them, and friction. With the
// depth s > 0 of a point, its velocity v and the plane's normal n,
//
//   N = F(s) (1 - c n.v), if positive,   F = k s^e        [Hunt and Crossley 1975]
//   f = N n - mu N v_t / sqrt(v_t.v_t + slip^2),   v_t = v - n n.v
//
// The damping grows with the depth, so the force is continuous when a point comes and when it goes.
// Friction is that of a fluid below the slip speed: nothing sticks for ever, it creeps.
//
// Smooth ones push a little before a point touches, and have all derivatives (ground_smooth.h).
//
// A point with a radius is the middle of a ball: what touches is at a = -radius n from there. That
// place does not turn with the link. So, with a turn w_k of coordinate k, the velocity there
// changes by w x (w_k x a) less than that of a point of the link, and the force acts w_k x a
// farther back.
//
// Stiffness and damping of linearly implicit steps are symmetric: how friction grows with pressure,
// and how the way it slides changes with the place, is left out.
#include <math.h>

#include "dynamics/force/force_kind.h"
#include "dynamics/force/ground_smooth.h"

typedef struct contact {
  lb_force_point p;
  lb_v4 n;
  lb_v4 a;     // from the point to where it touches
  lb_v4 slide; // v_t over its regularised size
  lb_v4 f;
  double depth, left, N;     // left: 1 - c n.v, smooth or not
  double left_slope;         // by n.v
  double by_depth, by_speed; // of N, by s and by n.v
  double inverse;            // of the regularised size
} contact;

static contact look(const lb_model_force* f, lb_work* w, int point) {
  contact t = {.p = lb_force_point_find(w, &f->at[point]), .n = lb_v4_from(f->set.along)};
  t.a = t.n * -f->set.point[point].radius;
  t.p.at += t.a;
  t.p.arm += t.a;
  t.p.velocity += t.p.link ? lb_v4_cross(t.p.link->w, t.a) : lb_v4_zero();
  t.depth = lb_v4_dot(t.n, lb_v4_from(f->set.at) - t.p.at);
  const double rise = lb_v4_dot(t.n, t.p.velocity);
  if (f->set.smooth > 0) {
    const lb_pull left = lb_ground_smooth_damping(&f->set, -rise);
    t.left = left.force;
    t.left_slope = -left.slope;
  } else {
    t.left = 1 - f->set.dissipation * rise;
    t.left_slope = -f->set.dissipation;
  }
  return t;
}

static bool is_apart(const contact* t, const lb_model_force* f) {
  return f->set.smooth > 0 ? t->depth < lb_ground_smooth_far(&f->set)
                           : !(t->depth > 0) || !(t->N > 0);
}

// false: the point is not in contact.
static bool find_contact(contact* t, const lb_model_force* f, lb_work* w, int point) {
  *t = look(f, w, point);
  const lb_pull F = f->set.smooth > 0
                        ? lb_ground_smooth_pull(&f->set, t->depth)
                        : lb_force_curve_pull(&f->set.force_curve, f->set.stiffness, t->depth);
  t->by_depth = F.slope * t->left;
  t->by_speed = F.force * t->left_slope;
  t->N = F.force * t->left;
  if (is_apart(t, f)) {
    return false;
  }
  const lb_v4 v_t = t->p.velocity - t->n * lb_v4_dot(t->n, t->p.velocity);
  t->inverse = 1 / sqrt(lb_v4_dot(v_t, v_t) + f->set.slip * f->set.slip);
  t->slide = v_t * t->inverse;
  t->f = (t->n - t->slide * f->set.friction) * t->N;
  return true;
}

static void apply(const lb_model_force* f, lb_work* w) {
  for (int k = 0; k < f->set.npoint; k++) {
    contact t;
    if (find_contact(&t, f, w, k)) {
      lb_force_point_apply(&t.p, t.f);
    }
  }
}

static double energy(const lb_model_force* f, lb_work* w) {
  double sum = 0;
  for (int k = 0; k < f->set.npoint; k++) {
    const double depth = look(f, w, k).depth;
    sum += f->set.smooth > 0 ? lb_ground_smooth_energy(&f->set, depth)
                             : lb_force_curve_energy(&f->set.force_curve, f->set.stiffness, depth);
  }
  return sum;
}

// Points of one body follow each other.
static void measure(const lb_model_force* f, lb_channel_walk* w) {
  const int n = f->set.npoint;
  const lb_scene_point* p = f->set.point;
  const bool several = p[0].body != p[n - 1].body;
  lb_v4 sum = lb_v4_zero();
  for (int k = 0; k < n; k++) {
    contact t;
    sum += w->value && find_contact(&t, f, w->d->work, k) ? t.f : lb_v4_zero();
    if (k + 1 == n || p[k + 1].body != p[k].body) {
      lb_channel_put_vector(w, f->set.name, p[k].body, several ? w->m->body.name[p[k].body] : NULL,
                            sum);
      sum = lb_v4_zero();
    }
  }
}

// Depth of each point, and of those below, the force left when it lifts off.
static int switching(const lb_model_force* f, lb_work* w, lb_switching* out) {
  if (f->set.smooth > 0) {
    return 0;
  }
  for (int k = 0; k < f->set.npoint && out; k++) {
    const contact t = look(f, w, k);
    out[2 * k] = lb_force_curve_switching(&f->set.force_curve, t.depth);
    out[2 * k + 1] = t.depth > 0 ? lb_switching_sign(t.left) : lb_switching_smooth(0);
  }
  return 2 * f->set.npoint;
}

// --- derivatives ---

// The change of f when the point moves by x and its velocity changes by v. With u = v_t/|v_t|_slip,
//   du = (dv_t - u u.dv_t) / |v_t|_slip
static lb_v4 change(const contact* t, double mu, lb_v4 x, lb_v4 v, bool symmetric) {
  const double speed = lb_v4_dot(t->n, v);
  const double dN = t->by_speed * speed - t->by_depth * lb_v4_dot(t->n, x);
  const lb_v4 dv_t = v - t->n * speed;
  const lb_v4 du = (dv_t - t->slide * lb_v4_dot(t->slide, dv_t)) * t->inverse;
  return (symmetric ? t->n : t->n - t->slide * mu) * dN - du * (mu * t->N);
}

static void differentiate_contact(lb_derivatives* D, const contact* t, double mu, bool symmetric) {
  const lb_derivation* W = D->work;
  lb_motion *S = W->lever[0], *psi = W->lever[1], *by_q = W->lever[2], *by_qd = W->lever[3];
  const lb_v4 still = lb_v4_zero(), f = symmetric ? still : t->f;
  lb_derive_point(D, S, psi, t->p.index, t->p.arm);
  const lb_v4 w = t->p.link ? t->p.link->w : still;
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 behind = lb_v4_cross(S[k].w, t->a);
    const lb_v4 gain =
        symmetric ? still
                  : lb_force_point_gain(S[k], psi[k], t->p.velocity) - lb_v4_cross(w, behind);
    by_q[k] = (lb_motion){lb_v4_cross(f, behind),
                          change(t, mu, S[k].v, gain, symmetric) - lb_v4_cross(S[k].w, f)};
    by_qd[k] = (lb_motion){still, change(t, mu, still, S[k].v, symmetric)};
  }
  lb_derive_force(D, D->tau_q, S, by_q);
  lb_derive_force(D, D->tau_qd, S, by_qd);
}

static void differentiate(lb_derivatives* D, lb_work* w, const lb_model_force* f, bool symmetric) {
  for (int k = 0; k < f->set.npoint; k++) {
    contact t;
    if (find_contact(&t, f, w, k)) {
      differentiate_contact(D, &t, f->set.friction, symmetric);
    }
  }
}

// Forces are in proportion to the stiffness, the only number there is.
static double by_number(const lb_derivatives* D, lb_work* w, const lb_model_force* f,
                        lb_spring_number number, const double* mu) {
  (void)number;
  double power = 0;
  for (int k = 0; k < f->set.npoint; k++) {
    contact t;
    if (find_contact(&t, f, w, k)) {
      power += lb_v4_dot(t.f, lb_derive_motion(D, &t.p, mu).v);
    }
  }
  return power / f->set.stiffness;
}

const lb_force_type lb_ground_force = {.apply = apply,
                                       .energy = energy,
                                       .differentiate = differentiate,
                                       .switching = switching,
                                       .by_number = by_number,
                                       .measure = measure};
