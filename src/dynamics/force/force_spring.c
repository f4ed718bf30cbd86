// Springs between two points: lines, or along a direction e that is fixed in the axes of the first
// end. The latter measure and pull along that alone. Their energy is that of f(e.(x_b - x_a) - l0);
// turning a by w changes that by w x e.(x_b - x_a), so the force on a acts where b is.
#include "dynamics/force/force_line.h"

static const lb_line_curve line_curve = {lb_stretch_pull, lb_stretch_energy};

static bool is_directed(const lb_model_force* f) {
  return lb_vec3_norm(f->set.along) > 0;
}

typedef struct directed {
  lb_force_point p[2]; // both where b is
  lb_v4 e;             // in the world
  lb_v4 y;             // velocity of b seen from a's point there
  double length, F, slope;
} directed;

static directed find_directed(const lb_model_force* f, lb_work* w) {
  directed g = {.p = {lb_force_point_find(w, &f->at[0]), lb_force_point_find(w, &f->at[1])}};
  lb_force_point *a = &g.p[0], *b = &g.p[1];
  g.e = lb_v4_from(lb_quat_rotate(f->at[0].X.q, f->set.along));
  g.e = a->link ? lb_m3_apply(a->link->R, g.e) : g.e;
  g.length = lb_v4_dot(g.e, b->at - a->at);
  if (a->link) {
    a->arm = b->at - a->link->p;
    a->velocity = a->link->v + lb_v4_cross(a->link->w, a->arm);
  }
  g.y = b->velocity - a->velocity;
  const lb_pull own = lb_stretch_pull(&f->set, f->set.stiffness, g.length);
  g.F = own.force + f->set.damping * lb_v4_dot(g.e, g.y);
  g.slope = own.slope;
  return g;
}

static void apply(const lb_model_force* f, lb_work* w) {
  if (!is_directed(f)) {
    lb_line_apply(f, w);
    return;
  }
  const directed g = find_directed(f, w);
  lb_force_point_apply(&g.p[0], g.e * g.F);
  lb_force_point_apply(&g.p[1], -(g.e * g.F));
}

static double energy(const lb_model_force* f, lb_work* w) {
  return is_directed(f) ? lb_stretch_energy(&f->set, find_directed(f, w).length)
                        : lb_line_energy(f, w);
}

static int switching(const lb_model_force* f, lb_work* w, lb_switching* out) {
  const lb_force_curve* curve = &f->set.force_curve;
  if (!is_directed(f)) {
    return lb_line_switching(f, w, out);
  }
  if (out && lb_force_curve_has_kinks(curve)) {
    out[0] = lb_force_curve_switching(curve, find_directed(f, w).length - f->set.length);
  }
  return lb_force_curve_has_kinks(curve);
}

static void measure(const lb_model_force* f, lb_channel_walk* w) {
  if (!is_directed(f)) {
    lb_line_measure(f, w);
    return;
  }
  const directed g = w->value ? find_directed(f, w->d->work) : (directed){.F = 0};
  lb_line_put(w, f, g.F, g.length);
}

// Derivatives by position seen from a, where e stays: b moves by x, and its rate seen from there
// changes by
//   xd = (gain of b) - (gain of a's point) - w_a x x,   d(e.y) = e.xd + (turn_a x e).y
// Linearly implicit steps take what is along e alone.
static void change_by_position(const directed* g, double damping, lb_line_motions* m, int k,
                               bool symmetric) {
  const lb_motion a = m->S[0][k], b = m->S[1][k];
  const lb_v4 x = b.v - a.v, f = symmetric ? lb_v4_zero() : g->e * g->F;
  double dF = g->slope * lb_v4_dot(g->e, x);
  if (!symmetric) {
    const lb_v4 w = g->p[0].link ? g->p[0].link->w : lb_v4_zero();
    const lb_v4 xd = lb_force_point_gain(b, m->psi[1][k], g->p[1].velocity) -
                     lb_force_point_gain(a, m->psi[0][k], g->p[0].velocity) - lb_v4_cross(w, x);
    dF += damping * (lb_v4_dot(g->e, xd) + lb_v4_dot(lb_v4_cross(a.w, g->e), g->y));
  }
  m->change[0][k] = (lb_motion){lb_v4_cross(x, f), g->e * dF};
  m->change[1][k] = (lb_motion){lb_v4_zero(), lb_v4_cross(b.w - a.w, f) - g->e * dF};
}

static void differentiate(lb_derivatives* D, lb_work* w, const lb_model_force* f, bool symmetric) {
  if (!is_directed(f)) {
    lb_line_differentiate(D, w, f, symmetric);
    return;
  }
  const directed g = find_directed(f, w);
  lb_line_motions m = lb_line_move(D, 2, g.p);
  for (int k = 0; k < D->model->nv; k++) {
    change_by_position(&g, f->set.damping, &m, k, symmetric);
  }
  lb_line_add(D, D->tau_q, &m, 2);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 df = g.e * (f->set.damping * lb_v4_dot(g.e, m.S[1][k].v - m.S[0][k].v));
    m.change[0][k] = (lb_motion){lb_v4_zero(), df};
    m.change[1][k] = (lb_motion){lb_v4_zero(), -df};
  }
  lb_line_add(D, D->tau_qd, &m, 2);
}

static double by_number(const lb_derivatives* D, lb_work* w, const lb_model_force* f,
                        lb_spring_number number, const double* mu) {
  if (!is_directed(f)) {
    return lb_line_by_number(D, w, f, number, mu);
  }
  const directed g = find_directed(f, w);
  const double F = lb_tension_by(number, f, g.length, lb_v4_dot(g.e, g.y), g.slope);
  return F *
         lb_v4_dot(g.e, lb_derive_motion(D, &g.p[0], mu).v - lb_derive_motion(D, &g.p[1], mu).v);
}

const lb_force_type lb_spring_force = {.apply = apply,
                                       .energy = energy,
                                       .differentiate = differentiate,
                                       .switching = switching,
                                       .by_number = by_number,
                                       .measure = measure,
                                       .curve = &line_curve};
