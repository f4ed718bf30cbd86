// Lines that pull at points: springs between two, and cables that run through several on any
// bodies. With the lengths l_s and directions e_s of the pieces, from each point to the next,
//
//   l = sum l_s,   F = f(l - l0) + d dl/dt,   f_i = F (e_i - e_(i-1)) on point i
//
// One tension over the whole length: points guide the cable without friction. A line that goes
// slack pulls or does nothing.
//
// A spring along a direction e that is fixed in the axes of its first end measures and pulls along
// that alone. Its energy is that of f(e.(x_b - x_a) - l0); turning a by w changes that by w x
// e.(x_b - x_a), so the force on a acts where b is.
#include <math.h>
#include <string.h>

#include "dynamics/force/force_tension.h"
#include "dynamics/force/force_tension_inside.h"
#include "dynamics/tree/kinematics.h"

lb_line lb_spring_line(const lb_model* m, int i) {
  const lb_scene_spring* s = &m->spring[i];
  return (lb_line){2, &m->spring_end[2 * i], &s->force_curve, s->stiffness, s->damping, s->length};
}

lb_line lb_cable_line(const lb_model* m, int i) {
  const lb_scene_cable* c = &m->cable[i];
  return (lb_line){c->npoint,       &m->cable_point[m->cable_first[i]],
                   &c->force_curve, c->stiffness,
                   c->damping,      c->length};
}

static void find_points(lb_line_pull* p, const lb_line* c, lb_work* w) {
  double length = 0;
  for (int i = 0; i < c->count; i++) {
    p->p[i] = lb_force_point_find(w, &c->at[i]);
  }
  for (int s = 0; s + 1 < c->count; s++) {
    const lb_v4 along = p->p[s + 1].at - p->p[s].at;
    p->l[s] = sqrt(lb_v4_dot(along, along));
    p->e[s] = p->l[s] > 0 ? along / p->l[s] : lb_v4_zero();
    length += p->l[s];
  }
  p->stretch = length - c->length;
}

// How fast it gets longer.
static double line_rate(const lb_line_pull* p, const lb_line* c) {
  double rate = 0;
  for (int s = 0; s + 1 < c->count; s++) {
    rate += lb_v4_dot(p->e[s], p->p[s + 1].velocity - p->p[s].velocity);
  }
  return rate;
}

void lb_line_find(lb_line_pull* p, const lb_line* c, lb_work* w) {
  find_points(p, c, w);
  const lb_pull force_curve = lb_force_curve_pull(c->force_curve, c->stiffness, p->stretch);
  const double rate = line_rate(p, c);
  const bool taut = !c->force_curve->slack || p->stretch > 0;
  p->F = force_curve.force + (taut ? c->damping * rate : 0);
  const bool pulls = taut && (!c->force_curve->slack || p->F > 0);
  p->F = pulls ? p->F : 0;
  p->slope = pulls ? force_curve.slope : 0;
  p->damping = pulls ? c->damping : 0;
}

// Where the pull on point i goes: e_i - e_(i-1).
lb_v4 lb_line_direction(const lb_line* c, const lb_v4* e, int i) {
  return (i + 1 < c->count ? e[i] : lb_v4_zero()) - (i > 0 ? e[i - 1] : lb_v4_zero());
}

static void apply_line(const lb_line* c, lb_work* w) {
  lb_line_pull p;
  lb_line_find(&p, c, w);
  for (int i = 0; i < c->count; i++) {
    lb_force_point_apply(&p.p[i], lb_line_direction(c, p.e, i) * p.F);
  }
}

// --- derivatives ---

lb_line_motions lb_line_take_motions(const lb_derivatives* D, int count) {
  lb_line_motions m = {0};
  const size_t nv = (size_t)D->model->nv;
  for (int i = 0; i < count; i++) {
    m.S[i] = D->work->points + (size_t)(3 * i) * nv;
    m.psi[i] = m.S[i] + nv;
    m.change[i] = m.psi[i] + nv;
  }
  return m;
}

// With the changes x of the way along a piece and xd of its rate y, coordinate k changes
//
//   de = (x - e e.x)/l,   dF = sum (slope e.x + d (de.y + e.xd)),   df_i = dF (e_i - e_(i-1)) + F
//   (de_i - de_(i-1))
//
// less the turning along of the force. Two points at the same place whose spring rests there are
// pulled together with slope x, whatever the direction.
static void change_by_position(const lb_line_pull* p, const lb_line* c, lb_line_motions* m, int k) {
  lb_v4 de[LB_LINE_MOST];
  double dF = 0;
  for (int s = 0; s + 1 < c->count; s++) {
    const lb_force_point *a = &p->p[s], *b = &p->p[s + 1];
    const lb_v4 x = m->S[s + 1][k].v - m->S[s][k].v;
    const lb_v4 xd = lb_force_point_gain(m->S[s + 1][k], m->psi[s + 1][k], b->velocity) -
                     lb_force_point_gain(m->S[s][k], m->psi[s][k], a->velocity);
    const double stretch = lb_v4_dot(p->e[s], x);
    de[s] = p->l[s] > 0 ? (x - p->e[s] * stretch) / p->l[s] : lb_v4_zero();
    dF += p->slope * stretch +
          p->damping * (lb_v4_dot(de[s], b->velocity - a->velocity) + lb_v4_dot(p->e[s], xd));
  }
  for (int i = 0; i < c->count; i++) {
    const lb_v4 u = lb_line_direction(c, p->e, i);
    m->change[i][k] = (lb_motion){
        lb_v4_zero(), u * dF + (lb_line_direction(c, de, i) - lb_v4_cross(m->S[i][k].w, u)) * p->F};
  }
  if (c->count == 2 && !(p->l[0] > 0) && !(c->length > 0)) {
    m->change[0][k].v = (m->S[1][k].v - m->S[0][k].v) * p->slope;
    m->change[1][k].v = -m->change[0][k].v;
  }
}

static void change_by_velocity(const lb_line_pull* p, const lb_line* c, lb_line_motions* m, int k) {
  double dF = 0;
  for (int s = 0; s + 1 < c->count; s++) {
    dF += p->damping * lb_v4_dot(p->e[s], m->S[s + 1][k].v - m->S[s][k].v);
  }
  for (int i = 0; i < c->count; i++) {
    m->change[i][k] = (lb_motion){lb_v4_zero(), lb_line_direction(c, p->e, i) * dF};
  }
}

void lb_line_apply(lb_derivatives* D, double* K, const lb_line_motions* m, int count) {
  for (int i = 0; i < count; i++) {
    lb_derive_force(D, K, m->S[i], m->change[i]);
  }
}

static void differentiate_line(lb_derivatives* D, lb_data* d, const lb_line* c) {
  lb_line_pull p;
  lb_line_find(&p, c, d->work);
  if (p.F == 0 && p.slope == 0 && p.damping == 0) {
    return;
  }
  lb_line_motions m = lb_line_take_motions(D, c->count);
  for (int i = 0; i < c->count; i++) {
    lb_derive_point(D, m.S[i], m.psi[i], p.p[i].index, p.p[i].arm);
  }
  for (int k = 0; k < D->model->nv; k++) {
    change_by_position(&p, c, &m, k);
  }
  lb_line_apply(D, D->tau_q, &m, c->count);
  for (int k = 0; k < D->model->nv && p.damping > 0; k++) {
    change_by_velocity(&p, c, &m, k);
  }
  if (p.damping > 0) {
    lb_line_apply(D, D->tau_qd, &m, c->count);
  }
}

// --- springs along a direction ---

bool lb_spring_is_directed(const lb_scene_spring* s) {
  return lb_vec3_norm(s->along) > 0;
}

lb_directed_spring lb_directed_spring_find(const lb_model* m, lb_work* w, int i) {
  const lb_scene_spring* s = &m->spring[i];
  const lb_anchor* end = &m->spring_end[2 * i];
  lb_directed_spring g = {.a = lb_force_point_find(w, &end[0]),
                          .b = lb_force_point_find(w, &end[1])};
  g.e = lb_v4_from(lb_quat_rotate(end[0].X.q, s->along));
  g.e = g.a.link ? lb_m3_apply(g.a.link->R, g.e) : g.e;
  g.stretch = lb_v4_dot(g.e, g.b.at - g.a.at) - s->length;
  if (g.a.link) {
    g.a.arm = g.b.at - g.a.link->p;
    g.a.velocity = g.a.link->v + lb_v4_cross(g.a.link->w, g.a.arm);
  }
  g.y = g.b.velocity - g.a.velocity;
  const lb_pull force_curve = lb_force_curve_pull(&s->force_curve, s->stiffness, g.stretch);
  g.F = force_curve.force + s->damping * lb_v4_dot(g.e, g.y);
  g.slope = force_curve.slope;
  return g;
}

static void apply_directed(const lb_model* m, lb_work* w, int i) {
  const lb_directed_spring g = lb_directed_spring_find(m, w, i);
  lb_force_point_apply(&g.a, g.e * g.F);
  lb_force_point_apply(&g.b, -(g.e * g.F));
}

// As seen from a, where e stays: b moves by x, and its rate seen from there changes by
//   xd = (gain of b) - (gain of a's point) - w_a x x,   d(e.y) = e.xd + (turn_a x e).y
static void differentiate_directed(lb_derivatives* D, lb_data* d, int i) {
  const lb_scene_spring* s = &D->model->spring[i];
  const lb_directed_spring g = lb_directed_spring_find(D->model, d->work, i);
  lb_line_motions m = lb_line_take_motions(D, 2);
  const lb_v4 f = g.e * g.F, w = g.a.link ? g.a.link->w : lb_v4_zero();
  lb_derive_point(D, m.S[0], m.psi[0], g.a.index, g.a.arm);
  lb_derive_point(D, m.S[1], m.psi[1], g.b.index, g.b.arm);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_motion a = m.S[0][k], b = m.S[1][k];
    const lb_v4 x = b.v - a.v;
    const lb_v4 xd = lb_force_point_gain(b, m.psi[1][k], g.b.velocity) -
                     lb_force_point_gain(a, m.psi[0][k], g.a.velocity) - lb_v4_cross(w, x);
    const double dF = g.slope * lb_v4_dot(g.e, x) +
                      s->damping * (lb_v4_dot(g.e, xd) + lb_v4_dot(lb_v4_cross(a.w, g.e), g.y));
    m.change[0][k] = (lb_motion){lb_v4_cross(x, f), g.e * dF};
    m.change[1][k] = (lb_motion){lb_v4_zero(), lb_v4_cross(b.w - a.w, f) - g.e * dF};
  }
  lb_line_apply(D, D->tau_q, &m, 2);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 df = g.e * (s->damping * lb_v4_dot(g.e, m.S[1][k].v - m.S[0][k].v));
    m.change[0][k] = (lb_motion){lb_v4_zero(), df};
    m.change[1][k] = (lb_motion){lb_v4_zero(), -df};
  }
  lb_line_apply(D, D->tau_qd, &m, 2);
}

// --- numbers of lines ---

// What a number changes the tension by: it is linear in stiffness and damping, and a longer line at
// rest is stretched less.
static double tension_by(lb_spring_number number, const lb_force_curve* force_curve, double stretch,
                         double rate, double slope) {
  return number == LB_SPRING_STIFFNESS ? lb_force_curve_pull(force_curve, 1, stretch).force
         : number == LB_SPRING_DAMPING ? rate
                                       : -slope;
}

static double line_by_number(const lb_derivatives* D, lb_data* d, const lb_line* c,
                             lb_spring_number number, const double* mu) {
  lb_line_pull p;
  double sum = 0;
  lb_line_find(&p, c, d->work);
  if (c->force_curve->slack && !(p.F > 0)) {
    return 0;
  }
  const double F = tension_by(number, c->force_curve, p.stretch, line_rate(&p, c), p.slope);
  for (int i = 0; i < c->count; i++) {
    const lb_v4 u = lb_line_direction(c, p.e, i);
    sum += lb_v4_dot(lb_derive_motion(D, &p.p[i], mu).v, u) * F;
  }
  return sum;
}

double lb_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                           const double* mu) {
  const lb_scene_spring* s = &D->model->spring[i];
  if (!lb_spring_is_directed(s)) {
    const lb_line c = lb_spring_line(D->model, i);
    return line_by_number(D, d, &c, number, mu);
  }
  const lb_directed_spring g = lb_directed_spring_find(D->model, d->work, i);
  const double F = tension_by(number, &s->force_curve, g.stretch, lb_v4_dot(g.e, g.y), g.slope);
  return F * lb_v4_dot(g.e, lb_derive_motion(D, &g.a, mu).v - lb_derive_motion(D, &g.b, mu).v);
}

double lb_cable_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                          const double* mu) {
  const lb_line c = lb_cable_line(D->model, i);
  return line_by_number(D, d, &c, number, mu);
}

// --- switching functions ---

// The stretch, and the tension of one that may go slack while it is longer than its length.
static int line_switching(const lb_line* c, lb_data* d, lb_switching* out) {
  if (!lb_force_curve_has_kinks(c->force_curve)) {
    return 0;
  }
  if (out) {
    lb_line_pull p;
    find_points(&p, c, d->work);
    const double F = lb_force_curve_pull(c->force_curve, c->stiffness, p.stretch).force;
    const bool taut = c->force_curve->slack && p.stretch > 0;
    out[0] = lb_force_curve_switching(c->force_curve, p.stretch);
    out[1] = taut ? lb_switching_sign(F + c->damping * line_rate(&p, c)) : lb_switching_smooth(0);
  }
  return 2;
}

static int directed_switching(const lb_model* m, lb_data* d, int i, lb_switching* out) {
  const lb_force_curve* force_curve = &m->spring[i].force_curve;
  if (out && lb_force_curve_has_kinks(force_curve)) {
    out[0] = lb_force_curve_switching(force_curve, lb_directed_spring_find(m, d->work, i).stretch);
  }
  return lb_force_curve_has_kinks(force_curve);
}

static int spring_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  if (out) {
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; i < m->nspring; i++) {
    const lb_line c = lb_spring_line(m, i);
    lb_switching* to = out ? out + n : NULL;
    n += lb_spring_is_directed(&m->spring[i]) ? directed_switching(m, d, i, to)
                                              : line_switching(&c, d, to);
  }
  return n;
}

static int cable_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  if (out) {
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; i < m->ncable; i++) {
    const lb_line c = lb_cable_line(m, i);
    n += line_switching(&c, d, out ? out + n : NULL);
  }
  return n;
}

// --- the tables ---

static int spring_count(const lb_model* m) {
  return m->nspring;
}

static void spring_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nspring; i++) {
    if (lb_spring_is_directed(&m->spring[i])) {
      apply_directed(m, d->work, i);
    } else {
      const lb_line c = lb_spring_line(m, i);
      apply_line(&c, d->work);
    }
  }
}

static void spring_differentiate(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->nspring; i++) {
    if (lb_spring_is_directed(&D->model->spring[i])) {
      differentiate_directed(D, d, i);
    } else {
      const lb_line c = lb_spring_line(D->model, i);
      differentiate_line(D, d, &c);
    }
  }
}

static double line_energy(const lb_line* c, lb_data* d) {
  lb_line_pull p;
  find_points(&p, c, d->work);
  return lb_force_curve_energy(c->force_curve, c->stiffness, p.stretch);
}

static double spring_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nspring; i++) {
    const lb_scene_spring* s = &m->spring[i];
    const lb_line c = lb_spring_line(m, i);
    sum += lb_spring_is_directed(s)
               ? lb_force_curve_energy(&s->force_curve, s->stiffness,
                                       lb_directed_spring_find(m, d->work, i).stretch)
               : line_energy(&c, d);
  }
  return sum;
}

const lb_force lb_force_spring = {.name = "spring",
                                  .count = spring_count,
                                  .apply = spring_apply,
                                  .energy = spring_energy,
                                  .differentiate = spring_differentiate,
                                  .switching = spring_switching,
                                  .on_links = true,
                                  .stiffen = lb_springs_stiffen};

static int cable_count(const lb_model* m) {
  return m->ncable;
}

static void cable_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->ncable; i++) {
    const lb_line c = lb_cable_line(m, i);
    apply_line(&c, d->work);
  }
}

static void cable_differentiate(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ncable; i++) {
    const lb_line c = lb_cable_line(D->model, i);
    differentiate_line(D, d, &c);
  }
}

static double cable_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->ncable; i++) {
    const lb_line c = lb_cable_line(m, i);
    sum += line_energy(&c, d);
  }
  return sum;
}

const lb_force lb_force_cable = {.name = "cable",
                                 .count = cable_count,
                                 .apply = cable_apply,
                                 .energy = cable_energy,
                                 .differentiate = cable_differentiate,
                                 .switching = cable_switching,
                                 .on_links = true,
                                 .stiffen = lb_cables_stiffen};
