// Stiffness and damping of springs and cables for linearly implicit steps.
//
// A point that moves with X = (w, v) and is pulled by f is pulled otherwise by
//
//   change of f - w x f            seen from its link
//
// of which K takes the symmetric part: of the last term force -w x f / 2 and moment -f x v / 2.
// Damping counts by velocities alone. With the ways y = X_(i+1).v - X_i.v and z of U likewise,
//
//   T = slope sum e.y + d sum e.z,   E = (y - e e.y)/l
//   df_i = (-f_i x X.v / 2, T (e_i - e_(i-1)) + F (E_i - E_(i-1)) - X.w x f_i / 2)
#include "dynamics/force/force_tension_inside.h"

// Two points at one place whose spring rests there have no direction, and the same slope along all.
static bool is_ball(const lb_line_pull* p, const lb_line* c) {
  return c->count == 2 && !(p->l[0] > 0) && !(c->length > 0);
}

typedef struct change {
  lb_v4 E[LB_LINE_MOST];
  double T;
} change;

static change find_change(const lb_line_pull* p, const lb_line* c, const lb_motion* X,
                          const lb_motion* U) {
  change a = {0};
  for (int s = 0; s + 1 < c->count; s++) {
    const lb_v4 y = X[s + 1].v - X[s].v;
    const double along = lb_v4_dot(p->e[s], y);
    a.E[s] = p->l[s] > 0 ? (y - p->e[s] * along) / p->l[s] : lb_v4_zero();
    a.T += p->slope * along + p->damping * lb_v4_dot(p->e[s], U[s + 1].v - U[s].v);
  }
  return a;
}

static lb_motion change_at(const lb_line_pull* p, const lb_line* c, const change* a,
                           const lb_motion* X, int i) {
  if (is_ball(p, c)) {
    return (lb_motion){lb_v4_zero(), (X[1 - i].v - X[i].v) * p->slope};
  }
  const lb_v4 u = lb_line_direction(c, p->e, i), f = u * p->F;
  return (lb_motion){lb_v4_cross(f, X[i].v) * -0.5, u * a->T +
                                                        lb_line_direction(c, a->E, i) * p->F -
                                                        lb_v4_cross(X[i].w, f) * 0.5};
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
      const change a = find_change(&p, c, by[0], by[1]);
      for (int i = 0; i < c->count; i++) {
        m.change[i][k] = change_at(&p, c, &a, by[0], i);
      }
    }
    lb_line_apply(D, to[side], &m, c->count);
  }
}

// --- those of springs along a direction: along it alone ---

static double directed_change(const lb_directed_spring* g, const lb_scene_spring* s, lb_motion a[2],
                              lb_motion b[2]) {
  return g->slope * lb_v4_dot(g->e, b[0].v - a[0].v) +
         s->damping * lb_v4_dot(g->e, b[1].v - a[1].v);
}

static void stiffen_directed(lb_derivatives* D, lb_data* d, int i) {
  const lb_scene_spring* s = &D->model->spring[i];
  const lb_directed_spring g = lb_directed_spring_find(D->model, d->work, i);
  lb_line_motions m = lb_line_take_motions(D, 2);
  lb_derive_point(D, m.S[0], m.psi[0], g.a.index, g.a.arm);
  lb_derive_point(D, m.S[1], m.psi[1], g.b.index, g.b.arm);
  double* const to[] = {D->tau_q, D->tau_qd};
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < D->model->nv; k++) {
      lb_motion a[2] = {0}, b[2] = {0};
      a[side] = m.S[0][k];
      b[side] = m.S[1][k];
      const lb_v4 f = g.e * directed_change(&g, s, a, b);
      m.change[0][k] = (lb_motion){lb_v4_zero(), f};
      m.change[1][k] = (lb_motion){lb_v4_zero(), -f};
    }
    lb_line_apply(D, to[side], &m, 2);
  }
}

// --- the tables ---

void lb_springs_stiffen(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->nspring; i++) {
    if (lb_spring_is_directed(&D->model->spring[i])) {
      stiffen_directed(D, d, i);
    } else {
      const lb_line c = lb_spring_line(D->model, i);
      stiffen_line(D, d, &c);
    }
  }
}

void lb_cables_stiffen(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ncable; i++) {
    const lb_line c = lb_cable_line(D->model, i);
    stiffen_line(D, d, &c);
  }
}
