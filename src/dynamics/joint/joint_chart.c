// Links that move by a chart, with up to six coordinates. S, T and the rest are those of
// math/curve/chart.h, seen from the link; with R from the link to the world and V = (w_j, v_j) = R
// S qd,
//
//   al = al_p + w_p x w_j + R (Sdot qd + S qdd).w
//   a  = a_p + al_p x r + w_p x (w_p x r + v_j) + w x v_j + R (Sdot qd + S qdd).v
#include "dynamics/joint/joint_chart.h"

#include <string.h>

#include "dynamics/joint/joint.h"
#include "math/linear/ldl.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  lb_general* g = s->general;
  memcpy(g->q, q, (size_t)g->chart->n * sizeof *q);
  lb_chart_evaluate(g->chart, &g->at, q, NULL, LB_CHART_PLACE);
  s->r += lb_m3_apply(s->R, g->at.p);
  s->R = lb_m3_mul(s->R, g->at.R);
  for (int i = 0; i < g->chart->n; i++) {
    g->S[i] = lb_motion_turn(s->R, g->at.S[i]);
  }
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  lb_general* g = s->general;
  lb_chart_evaluate(g->chart, &g->at, g->q, qd, LB_CHART_MOVE);
  const lb_motion V = lb_motion_turn(s->R, g->at.V);
  const lb_motion b = lb_motion_turn(s->R, g->at.b);
  s->w = p->w + V.w;
  s->c_al = lb_v4_cross(p->w, V.w) + b.w;
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r) + V.v) + lb_v4_cross(s->w, V.v) + b.v;
}

static lb_motion combine(const lb_general* g, const double* x) {
  lb_motion sum = lb_motion_zero();
  for (int i = 0; i < g->chart->n; i++) {
    sum = lb_motion_add(sum, lb_motion_scale(x[i], g->S[i]));
  }
  return sum;
}

static void move_origin(lb_state* s, const lb_state* p, const double* qd) {
  s->v = p->v + lb_v4_cross(p->w, s->r) + combine(s->general, qd).v;
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  const lb_motion own = combine(s->general, qdd);
  *al += own.w;
  *a += own.v;
}

static lb_motion push(const lb_articulated* I, lb_motion a) { // I a
  return (lb_motion){lb_m3_apply(I->A, a.w) + lb_m3_apply_transposed(I->G, a.v),
                     lb_m3_apply(I->G, a.w) + lb_m3_apply(I->C, a.v)};
}

// Ia = IA - U D^-1 U', as one product of rank one for each column of Y = U L'^-1.
static void take_projection(lb_articulated* out, const lb_general* g) {
  const int n = g->chart->n;
  lb_motion Y[LB_CHART_MOST];
  for (int i = 0; i < n; i++) {
    Y[i] = g->U[i];
    for (int k = 0; k < i; k++) {
      Y[i] = lb_motion_add(Y[i], lb_motion_scale(-g->D[LB_CHART_MOST * i + k], Y[k]));
    }
    const double d = -1 / g->D[(LB_CHART_MOST + 1) * i];
    lb_m3_add_outer(&out->A, d, Y[i].w, Y[i].w);
    lb_m3_add_outer(&out->G, d, Y[i].v, Y[i].w);
    lb_m3_add_outer(&out->C, d, Y[i].v, Y[i].v);
  }
}

static void articulate(lb_articulated* out, lb_state* s, const double* tau,
                       const double* armature) {
  lb_general* g = s->general;
  const int n = g->chart->n;
  const lb_motion bias = {s->IA.n, s->IA.f};
  const lb_motion moved = push(&s->IA, (lb_motion){s->c_al, s->c_a});
  double x[LB_CHART_MOST];
  for (int i = 0; i < n; i++) {
    g->U[i] = push(&s->IA, g->S[i]);
    for (int k = 0; k <= i; k++) {
      g->D[LB_CHART_MOST * i + k] = lb_motion_dot(g->U[i], g->S[k]);
    }
    g->D[(LB_CHART_MOST + 1) * i] += armature[i];
    g->u[i] = tau[i] - lb_motion_dot(g->S[i], bias);
    x[i] = g->u[i] - lb_motion_dot(g->S[i], moved);
  }
  lb_ldl_factor(n, g->D, LB_CHART_MOST);
  lb_ldl_solve(n, g->D, LB_CHART_MOST, x);
  *out = s->IA;
  take_projection(out, g);
  out->n += moved.w;
  out->f += moved.v;
  for (int i = 0; i < n; i++) {
    out->n += g->U[i].w * x[i];
    out->f += g->U[i].v * x[i];
  }
}

static void solve(lb_state* s, double* qdd) {
  const lb_general* g = s->general;
  const lb_motion without = {s->al, s->a};
  for (int i = 0; i < g->chart->n; i++) {
    qdd[i] = g->u[i] - lb_motion_dot(g->U[i], without);
  }
  lb_ldl_solve(g->chart->n, g->D, LB_CHART_MOST, qdd);
  accelerate(&s->al, &s->a, s, qdd);
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  const lb_general* g = s->general;
  for (int i = 0; i < g->chart->n; i++) {
    tau[i] += lb_motion_dot(g->S[i], (lb_motion){n, f});
  }
}

static void columns(lb_v4* S, const lb_state* s) {
  const lb_general* g = s->general;
  for (int i = 0; i < g->chart->n; i++) {
    S[2 * i] = g->S[i].w;
    S[2 * i + 1] = g->S[i].v;
  }
}

// T is kept for bend_force.
static void bend(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
                 const double* qdd) {
  lb_general* g = s->general;
  const int n = g->chart->n;
  lb_chart_evaluate(g->chart, &g->at, g->q, qd, LB_CHART_BEND);
  for (int k = 0; k < n; k++) {
    lb_motion sum = g->at.curve[k];
    for (int i = 0; i < n; i++) {
      sum = lb_motion_add(sum, lb_motion_scale(qdd[i], g->at.T[i][k]));
    }
    rate[k] = lb_motion_turn(s->R, g->at.rate[k]);
    curve[k] = lb_motion_turn(s->R, sum);
  }
}

static void bend_force(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f) {
  const lb_general* g = s->general;
  const lb_motion F = lb_motion_turn(lb_m3_transpose(s->R), (lb_motion){n, f});
  for (int i = 0; i < g->chart->n; i++) {
    for (int k = 0; k < g->chart->n; k++) {
      K[i * stride + k] += lb_motion_dot(g->at.T[i][k], F);
    }
  }
}

const lb_joint lb_joint_general = {
    .place = place,
    .move = move,
    .move_origin = move_origin,
    .accelerate = accelerate,
    .articulate = articulate,
    .solve = solve,
    .project = project,
    .columns = columns,
    .integrable = true,
    .bend = bend,
    .bend_force = bend_force,
};

void lb_general_lay_out(lb_carver* c, const lb_model* m, lb_work* w) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.packed[i].chart) {
      lb_general* g = lb_carve(c, 1, sizeof *g);
      if (g) {
        g->chart = m->link.packed[i].chart;
        w->state[i].general = g;
      }
    }
  }
}

int lb_general_switching(const lb_model* m, const lb_data* d, lb_switching* out) {
  int n = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_chart* c = m->link.packed[i].chart;
    for (int k = 0; c && k < c->n; k++) {
      if (lb_chart_has_knots(c, k)) {
        if (out) {
          out[n] = lb_switching_smooth(d->q[m->link.packed[i].q + k]);
          lb_chart_span(c, k, out[n].x, &out[n].lower, &out[n].upper);
        }
        n++;
      }
    }
  }
  return n;
}
