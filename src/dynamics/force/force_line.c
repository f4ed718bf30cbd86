// Lines through points on any bodies. With the lengths l_s and directions e_s of the pieces, from
// each point to the next,
//
//   l = sum l_s,   F = f(l) + d dl/dt,   f_i = F (e_i - e_(i-1)) on point i
//
// One tension over the whole length: the line runs through its points without friction. A line that
// goes slack pulls or does nothing.
//
// Derivatives. With the changes x of the way along a piece and xd of its rate y, coordinate k
// changes
//
//   de = (x - e e.x)/l,   dF = sum (f' e.x + d (de.y + e.xd))
//   df_i = dF (e_i - e_(i-1)) + F (de_i - de_(i-1)) - w x f_i
//
// the last term being the turning along of the force. Linearly implicit steps take the symmetric
// part: without the change of the rate, and of the last term half as force and half as moment,
// (-f_i x v / 2, -w x f_i / 2).
#include "dynamics/force/force_line.h"

#include <math.h>

#include "dynamics/muscle/path.h"

enum { MOST = LB_CABLE_MOST_POINTS };

lb_pull lb_stretch_pull(const lb_scene_force* set, double stiffness, double length) {
  return lb_force_curve_pull(&set->force_curve, stiffness, length - set->length);
}

double lb_stretch_energy(const lb_scene_force* set, double length) {
  return lb_force_curve_energy(&set->force_curve, set->stiffness, length - set->length);
}

static const lb_line_curve* curve_of(const lb_model_force* f) {
  return LB_FORCE_TYPE[f->set.kind]->curve;
}

void lb_line_find(lb_line* p, int count, const lb_anchor* at, lb_work* w) {
  p->count = count;
  p->length = p->rate = p->F = p->slope = p->damping = 0;
  for (int i = 0; i < p->count; i++) {
    p->p[i] = lb_force_point_find(w, &at[i]);
  }
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_v4 along = p->p[s + 1].at - p->p[s].at;
    p->l[s] = sqrt(lb_v4_dot(along, along));
    p->e[s] = p->l[s] > 0 ? along / p->l[s] : lb_v4_zero();
    p->length += p->l[s];
    p->rate += lb_v4_dot(p->e[s], p->p[s + 1].velocity - p->p[s].velocity);
  }
}

static void find_points(lb_line* p, const lb_model_force* f, lb_work* w) {
  lb_line_find(p, f->set.npoint, f->at, w);
}

// Tension over a length and its rate: F = f (1 + dissipation rate) + damping rate, f that of the
// force curve.
typedef struct pull_at {
  double F, slope, damping;
} pull_at;

static pull_at tension_at(const lb_model_force* f, double length, double rate) {
  const bool slack = f->set.force_curve.slack, taut = !slack || length > f->set.length;
  const lb_pull own = curve_of(f)->pull(&f->set, f->set.stiffness, length);
  const double more = 1 + f->set.dissipation * rate;
  const double F = own.force * more + (taut ? f->set.damping * rate : 0);
  const bool pulls = taut && (!slack || F > 0);
  return pulls ? (pull_at){F, own.slope * more, f->set.damping + f->set.dissipation * own.force}
               : (pull_at){0};
}

static void find_line(lb_line* p, const lb_model_force* f, lb_work* w) {
  find_points(p, f, w);
  const pull_at T = tension_at(f, p->length, p->rate);
  p->F = T.F;
  p->slope = T.slope;
  p->damping = T.damping;
}

// Path of a cable over surfaces.
static void find_path(lb_path* p, const lb_model_force* f, lb_work* w) {
  lb_path_find(p, f->path, w, w->data->q, w->data->qd);
  const pull_at T = tension_at(f, p->length, p->rate);
  p->F = T.F;
  p->slope = T.slope;
  p->damping = T.damping;
}

// Length and rate of either.
static void measure_line(const lb_model_force* f, lb_work* w, double* length, double* rate) {
  if (f->path) {
    lb_path p;
    lb_path_find(&p, f->path, w, w->data->q, w->data->qd);
    *length = p.length;
    *rate = p.rate;
  } else {
    lb_line p;
    find_points(&p, f, w);
    *length = p.length;
    *rate = p.rate;
  }
}

// Direction of the pull on point i: e_i - e_(i-1).
static lb_v4 direction(int count, const lb_v4* e, int i) {
  return (i + 1 < count ? e[i] : lb_v4_zero()) - (i > 0 ? e[i - 1] : lb_v4_zero());
}

void lb_line_pull(const lb_line* p) {
  for (int i = 0; i < p->count; i++) {
    lb_force_point_apply(&p->p[i], direction(p->count, p->e, i) * p->F);
  }
}

void lb_line_apply(const lb_model_force* f, lb_work* w) {
  if (f->path) {
    lb_path p;
    find_path(&p, f, w);
    lb_path_pull(&p, w);
    return;
  }
  lb_line p;
  find_line(&p, f, w);
  lb_line_pull(&p);
}

double lb_line_energy(const lb_model_force* f, lb_work* w) {
  double length, rate;
  measure_line(f, w, &length, &rate);
  return curve_of(f)->energy(&f->set, length);
}

void lb_line_put(lb_channel_walk* w, const lb_model_force* f, double tension, double length) {
  lb_channel_put(w, f->set.name, LB_CHANNEL_TENSION, tension, "force");
  lb_channel_put(w, f->set.name, LB_CHANNEL_LENGTH, length, "length");
}

void lb_line_measure(const lb_model_force* f, lb_channel_walk* w) {
  double length = 0, rate = 0;
  pull_at T = {0};
  if (w->value) {
    measure_line(f, w->d->work, &length, &rate);
    T = tension_at(f, length, rate);
  }
  lb_line_put(w, f, T.F, length);
}

// The stretch, and the tension of one that may go slack while it is longer than its length.
int lb_line_switching(const lb_model_force* f, lb_work* w, lb_switching* out) {
  const lb_force_curve* curve = &f->set.force_curve;
  if (!lb_force_curve_has_kinks(curve)) {
    return 0;
  }
  if (out) {
    double length, rate;
    measure_line(f, w, &length, &rate);
    const double stretch = length - f->set.length;
    const double F = lb_stretch_pull(&f->set, f->set.stiffness, length).force;
    const bool taut = curve->slack && stretch > 0;
    out[0] = lb_force_curve_switching(curve, stretch);
    out[1] = taut ? lb_switching_sign(F * (1 + f->set.dissipation * rate) + f->set.damping * rate)
                  : lb_switching_smooth(0);
  }
  return 2;
}

// --- derivatives ---

lb_line_motions lb_line_move(const lb_derivatives* D, int count, const lb_force_point* p) {
  lb_line_motions m = {0};
  const size_t nv = (size_t)D->model->nv;
  for (int i = 0; i < count; i++) {
    m.S[i] = D->work->points + (size_t)(3 * i) * nv;
    m.psi[i] = m.S[i] + nv;
    m.change[i] = m.psi[i] + nv;
    lb_derive_point(D, m.S[i], m.psi[i], p[i].index, p[i].arm);
  }
  return m;
}

void lb_line_add(lb_derivatives* D, double* K, const lb_line_motions* m, int count) {
  for (int i = 0; i < count; i++) {
    lb_derive_force(D, K, m->S[i], m->change[i]);
  }
}

// de, and dF beyond that by the length: d (de.y + e.xd).
static double change_of_rate(const lb_line* p, const lb_line_motions* m, int s, int k, lb_v4 de) {
  const lb_v4 a = p->p[s].velocity, b = p->p[s + 1].velocity;
  const lb_v4 xd = lb_force_point_gain(m->S[s + 1][k], m->psi[s + 1][k], b) -
                   lb_force_point_gain(m->S[s][k], m->psi[s][k], a);
  return p->damping * (lb_v4_dot(de, b - a) + lb_v4_dot(p->e[s], xd));
}

static void change_by_position(const lb_line* p, lb_line_motions* m, int k, bool symmetric) {
  lb_v4 de[MOST];
  double dF = 0;
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_v4 x = m->S[s + 1][k].v - m->S[s][k].v;
    const double stretch = lb_v4_dot(p->e[s], x);
    de[s] = p->l[s] > 0 ? (x - p->e[s] * stretch) / p->l[s] : lb_v4_zero();
    dF += p->slope * stretch + (symmetric ? 0 : change_of_rate(p, m, s, k, de[s]));
  }
  for (int i = 0; i < p->count; i++) {
    const lb_motion X = m->S[i][k];
    const lb_v4 u = direction(p->count, p->e, i), f = u * p->F;
    const lb_v4 df = u * dF + direction(p->count, de, i) * p->F, turned = lb_v4_cross(X.w, f);
    m->change[i][k] = symmetric ? (lb_motion){lb_v4_cross(f, X.v) * -0.5, df - turned * 0.5}
                                : (lb_motion){lb_v4_zero(), df - turned};
  }
}

// Two points at the same place that nothing pulls there are pulled together with slope x, whatever
// the direction.
static void change_at_one_place(const lb_line* p, lb_line_motions* m, int k) {
  const lb_v4 f = (m->S[1][k].v - m->S[0][k].v) * p->slope;
  m->change[0][k] = (lb_motion){lb_v4_zero(), f};
  m->change[1][k] = (lb_motion){lb_v4_zero(), -f};
}

static void change_by_velocity(const lb_line* p, lb_line_motions* m, int k) {
  double dF = 0;
  for (int s = 0; s + 1 < p->count; s++) {
    dF += p->damping * lb_v4_dot(p->e[s], m->S[s + 1][k].v - m->S[s][k].v);
  }
  for (int i = 0; i < p->count; i++) {
    m->change[i][k] = (lb_motion){lb_v4_zero(), direction(p->count, p->e, i) * dF};
  }
}

void lb_line_derive(lb_derivatives* D, const lb_line* p, bool symmetric) {
  if (p->F == 0 && p->slope == 0 && p->damping == 0) {
    return;
  }
  const bool one_place = p->count == 2 && !(p->l[0] > 0) && p->F == 0;
  lb_line_motions m = lb_line_move(D, p->count, p->p);
  for (int k = 0; k < D->model->nv; k++) {
    if (one_place) {
      change_at_one_place(p, &m, k);
    } else {
      change_by_position(p, &m, k, symmetric);
    }
  }
  lb_line_add(D, D->tau_q, &m, p->count);
  for (int k = 0; k < D->model->nv && p->damping > 0; k++) {
    change_by_velocity(p, &m, k);
  }
  if (p->damping > 0) {
    lb_line_add(D, D->tau_qd, &m, p->count);
  }
}

void lb_line_differentiate(lb_derivatives* D, lb_work* w, const lb_model_force* f, bool symmetric) {
  if (f->path) {
    lb_path path;
    find_path(&path, f, w);
    lb_path_derive(D, &path, w->data->qd, symmetric);
    return;
  }
  lb_line p;
  find_line(&p, f, w);
  lb_line_derive(D, &p, symmetric);
}

double lb_line_power(const lb_derivatives* D, const lb_line* p, const double* mu) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    sum += lb_v4_dot(lb_derive_motion(D, &p->p[i], mu).v, direction(p->count, p->e, i));
  }
  return sum;
}

double lb_tension_by(lb_spring_number number, const lb_model_force* f, double length, double rate,
                     double slope) {
  return number == LB_SPRING_STIFFNESS
             ? curve_of(f)->pull(&f->set, 1, length).force * (1 + f->set.dissipation * rate)
         : number == LB_SPRING_DAMPING ? rate
                                       : -slope;
}

double lb_line_by_number(const lb_derivatives* D, lb_work* w, const lb_model_force* f,
                         lb_spring_number number, const double* mu) {
  if (f->path) {
    lb_path path;
    find_path(&path, f, w);
    const bool slack = f->set.force_curve.slack && !(path.F > 0);
    return slack ? 0
                 : lb_tension_by(number, f, path.length, path.rate, path.slope) *
                       lb_path_power(D, &path, mu);
  }
  lb_line p;
  find_line(&p, f, w);
  if (f->set.force_curve.slack && !(p.F > 0)) {
    return 0;
  }
  return lb_tension_by(number, f, p.length, p.rate, p.slope) * lb_line_power(D, &p, mu);
}
