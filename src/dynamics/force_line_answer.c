// Answers of springs and cables (probe.h).
//
// A point that moves with X = (w, v) and is pulled by f is pulled otherwise by
//
//   change of f - w x f            seen from its link
//
// of which K takes the symmetric part: of the last term force -w x f / 2 and moment -f x v / 2.
// Damping counts by velocities alone. With the ways y = X_(i+1).v - X_i.v and z of U likewise,
//
//   T = slope sum e.y + d sum e.z,   E = (y - e e.y)/l
//   A_i = (-f_i x X.v / 2, T (e_i - e_(i-1)) + F (E_i - E_(i-1)) - X.w x f_i / 2)
#include "dynamics/force_line_inside.h"

// Two points at one place whose spring rests there have no direction, and the same slope along all.
static bool is_ball(const lb_line_pull* p, const lb_line* c) {
  return c->count == 2 && !(p->l[0] > 0) && !(c->length > 0);
}

typedef struct answer {
  lb_v4 E[LB_LINE_MOST];
  double along, T; // sum of e.y
} answer;

static answer find_answer(const lb_line_pull* p, const lb_line* c, const lb_motion* X,
                          const lb_motion* U) {
  answer a = {0};
  for (int s = 0; s + 1 < c->count; s++) {
    const lb_v4 y = X[s + 1].v - X[s].v;
    const double along = lb_v4_dot(p->e[s], y);
    a.along += along;
    a.E[s] = p->l[s] > 0 ? (y - p->e[s] * along) / p->l[s] : lb_v4_zero();
    a.T += p->slope * along + p->damping * lb_v4_dot(p->e[s], U[s + 1].v - U[s].v);
  }
  return a;
}

static lb_motion answer_at(const lb_line_pull* p, const lb_line* c, const answer* a,
                           const lb_motion* X, int i) {
  if (is_ball(p, c)) {
    return (lb_motion){lb_v4_zero(), (X[1 - i].v - X[i].v) * p->slope};
  }
  const lb_v4 u = lb_line_direction(c, p->e, i), f = u * p->F;
  return (lb_motion){lb_v4_cross(f, X[i].v) * -0.5, u * a->T +
                                                        lb_line_direction(c, a->E, i) * p->F -
                                                        lb_v4_cross(X[i].w, f) * 0.5};
}

// Changes of e, l, F, E and T when the points are nudged.
typedef struct shift {
  lb_v4 e[LB_LINE_MOST], E[LB_LINE_MOST];
  double F, T;
} shift;

static shift find_shift(const lb_line_pull* p, const lb_line* c, const answer* a,
                        const lb_probed* at, const lb_nudge* to) {
  shift d = {0};
  double longer = 0, dalong = 0;
  for (int s = 0; s + 1 < c->count; s++) {
    const lb_v4 e = p->e[s], x = to[s + 1].x - to[s].x;
    const lb_v4 y = at[s + 1].X.v - at[s].X.v, dy = to[s + 1].X.v - to[s].X.v;
    const lb_v4 z = at[s + 1].U.v - at[s].U.v, dz = to[s + 1].U.v - to[s].U.v;
    const lb_v4 rate = p->p[s + 1].velocity - p->p[s].velocity;
    const double dl = lb_v4_dot(e, x), per = p->l[s] > 0 ? 1 / p->l[s] : 0;
    const lb_v4 de = (x - e * dl) * per;
    const double dey = lb_v4_dot(de, y) + lb_v4_dot(e, dy);
    d.e[s] = de;
    d.E[s] = (dy - de * lb_v4_dot(e, y) - e * dey - a->E[s] * dl) * per;
    d.F +=
        p->slope * dl + p->damping * (lb_v4_dot(de, rate) + lb_v4_dot(e, to[s + 1].xd - to[s].xd));
    d.T += p->damping * (lb_v4_dot(de, z) + lb_v4_dot(e, dz));
    longer += dl;
    dalong += dey;
  }
  d.T += p->slope * dalong + p->curve * longer * a->along;
  return d;
}

static lb_motion shift_at(const lb_line_pull* p, const lb_line* c, const answer* a, const shift* d,
                          const lb_probed* at, const lb_nudge* to, int i) {
  if (is_ball(p, c)) {
    return (lb_motion){lb_v4_zero(), (to[1 - i].X.v - to[i].X.v) * p->slope};
  }
  const lb_motion X = at[i].X, dX = to[i].X;
  const lb_v4 u = lb_line_direction(c, p->e, i), du = lb_line_direction(c, d->e, i);
  const lb_v4 f = u * p->F, df = du * p->F + u * d->F;
  const lb_v4 n = lb_v4_cross(df, X.v) + lb_v4_cross(f, dX.v);
  const lb_v4 turn = lb_v4_cross(dX.w, f) + lb_v4_cross(X.w, df);
  return (lb_motion){n * -0.5, du * a->T + u * d->T + lb_line_direction(c, a->E, i) * d->F +
                                   lb_line_direction(c, d->E, i) * p->F - turn * 0.5};
}

static bool is_slack(const lb_line_pull* p) {
  return p->F == 0 && p->slope == 0 && p->damping == 0;
}

static void stiffen_line(lb_derivatives* D, lb_data* d, const lb_line* c) {
  lb_line_pull p;
  lb_line_find(&p, c, d->work);
  lb_line_motions m = lb_line_take_motions(D, c->count);
  for (int i = 0; i < c->count && !is_slack(&p); i++) {
    lb_derive_point(D, m.S[i], m.psi[i], p.p[i].index, p.p[i].arm);
  }
  double* const to[] = {D->tau_q, D->tau_qd};
  for (int side = 0; side < (is_slack(&p) ? 0 : 2); side++) {
    for (int k = 0; k < D->model->nv; k++) {
      lb_motion by[2][LB_LINE_MOST] = {0};
      for (int i = 0; i < c->count; i++) {
        by[side][i] = m.S[i][k];
      }
      const answer a = find_answer(&p, c, by[0], by[1]);
      for (int i = 0; i < c->count; i++) {
        m.change[i][k] = answer_at(&p, c, &a, by[0], i);
      }
    }
    lb_line_push(D, to[side], &m, c->count);
  }
}

// Points with what moves them; `room` NULL: no more than how they move.
static answer probe_line(const lb_probe* probe, const lb_derivatives* D, const lb_line_pull* p,
                         const lb_line* c, lb_probed* at, lb_motion* room) {
  lb_motion X[LB_LINE_MOST], U[LB_LINE_MOST];
  for (int i = 0; i < c->count; i++) {
    const size_t own = (size_t)(LB_POINT_ARRAYS * i) * (size_t)D->model->nv;
    at[i] = lb_probe_point(probe, D, p->p[i], room ? room + own : NULL);
    X[i] = at[i].X;
    U[i] = at[i].U;
  }
  return find_answer(p, c, X, U);
}

static lb_motion answer_of(const lb_line_pull* p, const lb_line* c, const answer* a,
                           const lb_probed* at, int i) {
  lb_motion X[LB_LINE_MOST];
  for (int k = 0; k < c->count; k++) {
    X[k] = at[k].X;
  }
  return answer_at(p, c, a, X, i);
}

static void answer_line(const lb_probe* probe, const lb_derivatives* D, lb_data* d,
                        const lb_line* c) {
  lb_line_pull p;
  lb_probed at[LB_LINE_MOST];
  lb_line_find(&p, c, d->work);
  const answer a = probe_line(probe, D, &p, c, at, NULL);
  for (int i = 0; i < c->count && !is_slack(&p); i++) {
    lb_force_point_wrench(&p.p[i], answer_of(&p, c, &a, at, i));
  }
}

static void change_answer(const lb_line_pull* p, const lb_line* c, const answer* a,
                          const lb_probed* at, bool by_velocity, int k) {
  lb_nudge to[LB_LINE_MOST];
  for (int i = 0; i < c->count; i++) {
    to[i] = by_velocity ? lb_nudge_velocity(&at[i], k) : lb_nudge_place(&at[i], k);
  }
  const shift s = find_shift(p, c, a, at, to);
  for (int i = 0; i < c->count; i++) {
    const lb_motion change = shift_at(p, c, a, &s, at, to, i);
    at[i].change[k] =
        by_velocity ? change : lb_beyond_turning(change, at[i].S[k], answer_of(p, c, a, at, i));
  }
}

static void differentiate_line_answer(const lb_probe* probe, lb_derivatives* D, lb_data* d,
                                      const lb_line* c) {
  lb_line_pull p;
  lb_probed at[LB_LINE_MOST];
  lb_line_find(&p, c, d->work);
  if (is_slack(&p)) {
    return;
  }
  const answer a = probe_line(probe, D, &p, c, at, D->work->points);
  double* const to[] = {D->tau_q, D->tau_qd};
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < D->model->nv; k++) {
      change_answer(&p, c, &a, at, side == 1, k);
    }
    for (int i = 0; i < c->count; i++) {
      lb_derive_push(D, to[side], at[i].S, at[i].change);
    }
  }
}

double lb_line_answer_power(const lb_probe* probe, const lb_derivatives* D, const lb_line_pull* p,
                            const lb_line* c, const double* mu) {
  lb_probed at[LB_LINE_MOST];
  const answer a = probe_line(probe, D, p, c, at, NULL);
  double sum = 0;
  for (int i = 0; i < c->count; i++) {
    sum += lb_motion_dot(lb_derive_motion(D, &p->p[i], mu), answer_of(p, c, &a, at, i));
  }
  return sum;
}

// --- those of springs along a direction: along it alone ---

static double guided_answer(const lb_guided* g, const lb_scene_spring* s, lb_motion a[2],
                            lb_motion b[2]) {
  return g->slope * lb_v4_dot(g->e, b[0].v - a[0].v) +
         s->damping * lb_v4_dot(g->e, b[1].v - a[1].v);
}

static void stiffen_guided(lb_derivatives* D, lb_data* d, int i) {
  const lb_scene_spring* s = &D->model->spring[i];
  const lb_guided g = lb_guided_find(D->model, d->work, i);
  lb_line_motions m = lb_line_take_motions(D, 2);
  lb_derive_point(D, m.S[0], m.psi[0], g.a.index, g.a.arm);
  lb_derive_point(D, m.S[1], m.psi[1], g.b.index, g.b.arm);
  double* const to[] = {D->tau_q, D->tau_qd};
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < D->model->nv; k++) {
      lb_motion a[2] = {0}, b[2] = {0};
      a[side] = m.S[0][k];
      b[side] = m.S[1][k];
      const lb_v4 f = g.e * guided_answer(&g, s, a, b);
      m.change[0][k] = (lb_motion){lb_v4_zero(), f};
      m.change[1][k] = (lb_motion){lb_v4_zero(), -f};
    }
    lb_line_push(D, to[side], &m, 2);
  }
}

static void answer_guided(const lb_probe* probe, const lb_derivatives* D, lb_data* d, int i) {
  const lb_guided g = lb_guided_find(D->model, d->work, i);
  const lb_probed a = lb_probe_point(probe, D, g.a, NULL), b = lb_probe_point(probe, D, g.b, NULL);
  const double T =
      guided_answer(&g, &D->model->spring[i], (lb_motion[]){a.X, a.U}, (lb_motion[]){b.X, b.U});
  lb_force_point_push(&g.a, g.e * T);
  lb_force_point_push(&g.b, g.e * -T);
}

// The point of a's link goes along with b, s further than the link does: what moves it changes by
// w x s, and the force's moment on a by s x force.
static void differentiate_guided_answer(const lb_probe* probe, lb_derivatives* D, lb_data* d,
                                        int i) {
  const lb_scene_spring* spring = &D->model->spring[i];
  const lb_guided g = lb_guided_find(D->model, d->work, i);
  const size_t own = LB_POINT_ARRAYS * (size_t)D->model->nv;
  const lb_probed a = lb_probe_point(probe, D, g.a, D->work->points);
  const lb_probed b = lb_probe_point(probe, D, g.b, D->work->points + own);
  const double T = guided_answer(&g, spring, (lb_motion[]){a.X, a.U}, (lb_motion[]){b.X, b.U});
  const lb_v4 x = b.X.v - a.X.v, u = b.U.v - a.U.v;
  for (int k = 0; k < D->model->nv; k++) {
    lb_nudge na = lb_nudge_place(&a, k);
    const lb_nudge nb = lb_nudge_place(&b, k);
    const lb_v4 s = nb.x - na.x, de = lb_v4_cross(a.S[k].w, g.e);
    na.X.v += lb_v4_cross(a.X.w, s);
    na.U.v += lb_v4_cross(a.U.w, s);
    const double dT =
        guided_answer(&g, spring, (lb_motion[]){na.X, na.U}, (lb_motion[]){nb.X, nb.U}) +
        g.slope * lb_v4_dot(de, x) + spring->damping * lb_v4_dot(de, u) +
        g.curve * lb_v4_dot(g.e, s) * lb_v4_dot(g.e, x);
    const lb_v4 f = g.e * T, df = de * T + g.e * dT;
    a.change[k] =
        lb_beyond_turning((lb_motion){lb_v4_cross(s, f), df}, a.S[k], (lb_motion){lb_v4_zero(), f});
    b.change[k] =
        lb_beyond_turning((lb_motion){lb_v4_zero(), -df}, b.S[k], (lb_motion){lb_v4_zero(), -f});
  }
  lb_derive_push(D, D->tau_q, a.S, a.change);
  lb_derive_push(D, D->tau_q, b.S, b.change);
}

// --- the tables ---

void lb_springs_stiffen(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->nspring; i++) {
    if (lb_spring_is_guided(&D->model->spring[i])) {
      stiffen_guided(D, d, i);
    } else {
      const lb_line c = lb_spring_line(D->model, i);
      stiffen_line(D, d, &c);
    }
  }
}

void lb_springs_answer(const lb_probe* p, const lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->nspring; i++) {
    if (lb_spring_is_guided(&D->model->spring[i])) {
      answer_guided(p, D, d, i);
    } else {
      const lb_line c = lb_spring_line(D->model, i);
      answer_line(p, D, d, &c);
    }
  }
}

void lb_springs_differentiate_answer(const lb_probe* p, lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->nspring; i++) {
    if (lb_spring_is_guided(&D->model->spring[i])) {
      differentiate_guided_answer(p, D, d, i);
    } else {
      const lb_line c = lb_spring_line(D->model, i);
      differentiate_line_answer(p, D, d, &c);
    }
  }
}

void lb_cables_stiffen(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ncable; i++) {
    const lb_line c = lb_cable_line(D->model, i);
    stiffen_line(D, d, &c);
  }
}

void lb_cables_answer(const lb_probe* p, const lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ncable; i++) {
    const lb_line c = lb_cable_line(D->model, i);
    answer_line(p, D, d, &c);
  }
}

void lb_cables_differentiate_answer(const lb_probe* p, lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ncable; i++) {
    const lb_line c = lb_cable_line(D->model, i);
    differentiate_line_answer(p, D, d, &c);
  }
}
