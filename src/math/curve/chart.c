// Products of motions and their derivatives.
//
// For Q = Q1 Q2 let A take a motion seen from the first frame to the second, A x = Q2^-1 x Q2, so
// that dA/dq_k x = [A x, S2_k], with the commutator [x, y] of motions. Then
//
//   (1)  S_i  = A S1_i + S2_i
//   (2)  T_ik = A T1_ik + [A S1_i, S2_k] + T2_ik
//   (3)  b    = A b1 + [A V1, V2] + b2
//   (4)  dV/dq_k = A dV1/dq_k + [A V1, S2_k] + dV2/dq_k
//   (5)  db/dq_k = A db1/dq_k + [A b1, S2_k] + [A dV1/dq_k + [A V1, S2_k], V2] + [A V1, dV2/dq_k]
//                + db2/dq_k
//
// (2) is line 10 of [red] algorithm 3 and line 14 of algorithm 4, with the correction that the
// first of them needs.
#include "math/curve/chart.h"

#include <math.h>
#include <string.h>

#include "math/space/se3.h"

// From the first frame to the second.
static lb_motion seen(lb_motion a, lb_m3 Rt, lb_v4 p) {
  return (lb_motion){lb_m3_apply(Rt, a.w), lb_m3_apply(Rt, a.v + lb_v4_cross(a.w, p))};
}

static void add(lb_motion* to, lb_motion a) {
  to->w += a.w;
  to->v += a.v;
}

// (2), (4) and (5); S, V and b are those of the first motion, seen from the second frame.
static void multiply_bend(lb_chart_at* at, const lb_chart_at* E, lb_m3 Rt, int n, int first,
                          int count) {
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      at->T[i][k] = seen(at->T[i][k], Rt, E->p);
    }
    at->rate[k] = seen(at->rate[k], Rt, E->p);
    at->curve[k] = seen(at->curve[k], Rt, E->p);
  }
  for (int k = first; k < first + count; k++) {
    const lb_motion S2 = E->S[k - first];
    for (int i = 0; i < n; i++) {
      add(&at->T[i][k], lb_motion_cross(at->S[i], S2));
    }
    for (int i = first; i < first + count; i++) {
      add(&at->T[i][k], E->T[i - first][k - first]);
    }
    add(&at->rate[k], lb_motion_cross(at->V, S2));
    add(&at->curve[k], lb_motion_cross(at->b, S2));
    add(&at->curve[k], lb_motion_cross(at->V, E->rate[k - first]));
    add(&at->curve[k], E->curve[k - first]);
  }
  for (int k = 0; k < n; k++) {
    add(&at->curve[k], lb_motion_cross(at->rate[k], E->V));
  }
  for (int k = first; k < first + count; k++) {
    add(&at->rate[k], E->rate[k - first]);
  }
}

void lb_chart_multiply(lb_chart_at* at, const lb_chart_at* E, int n, int first, int count,
                       lb_chart_order order) {
  // factors fill as much as the order asks for
  const lb_m3 Rt = lb_m3_transpose(E->R); // cppcheck-suppress ctuuninitvar
  at->p += lb_m3_apply(at->R, E->p);
  at->R = lb_m3_mul(at->R, E->R);
  for (int i = 0; i < n; i++) {
    at->S[i] = seen(at->S[i], Rt, E->p);
  }
  if (order >= LB_CHART_MOVE) {
    at->V = seen(at->V, Rt, E->p);
    at->b = seen(at->b, Rt, E->p);
  }
  if (order >= LB_CHART_BEND) {
    multiply_bend(at, E, Rt, n, first, count);
  }
  if (order >= LB_CHART_MOVE) {
    add(&at->b, lb_motion_cross(at->V, E->V));
    add(&at->b, E->b);
    add(&at->V, E->V);
  }
  for (int i = 0; i < count; i++) {
    add(&at->S[first + i], E->S[i]);
  }
}

void lb_chart_multiply_frame(lb_chart_at* at, int n, lb_m3 R, lb_v4 p, lb_chart_order order) {
  lb_chart_at E;
  E.R = R;
  E.p = p;
  E.V = E.b = lb_motion_zero();
  lb_chart_multiply(at, &E, n, 0, 0, order);
}

void lb_chart_evaluate(const lb_chart* c, lb_chart_at* at, const double* q, const double* qd,
                       lb_chart_order order) {
  at->R = lb_m3_identity();
  at->p = lb_v4_zero();
  memset(at->S, 0, sizeof at->S);
  if (order >= LB_CHART_MOVE) {
    at->V = at->b = lb_motion_zero();
  }
  if (order >= LB_CHART_BEND) {
    memset(at->T, 0, sizeof at->T);
    memset(at->rate, 0, sizeof at->rate);
    memset(at->curve, 0, sizeof at->curve);
  }
  for (int i = 0; i < c->nfactor; i++) {
    c->factor[i].type->multiply(at, &c->factor[i], c->n, q, qd, order);
  }
}

static bool is_among(const lb_factor* f, const bool* of) {
  bool any = false;
  for (int k = f->first; k < f->first + f->type->count; k++) {
    any = any || of[k];
  }
  return any;
}

// The last factor that begins with or before a number is the one it belongs to.
static const lb_factor* factor_of(const lb_chart* c, int k) {
  const lb_factor* of = NULL;
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    of = f->first <= k && f->type != &lb_factor_frame ? f : of;
  }
  return of;
}

bool lb_chart_has_knots(const lb_chart* c, int k) {
  const lb_factor* of = factor_of(c, k);
  return of && of->type->end;
}

double lb_chart_end(const lb_chart* c, int k) {
  const lb_factor* of = factor_of(c, k);
  return of && of->type->end ? of->type->end(of, k - of->first) : INFINITY;
}

void lb_chart_span(const lb_chart* c, int k, double x, double* lower, double* upper) {
  const double end = lb_chart_end(c, k), knot = floor(x);
  *lower = isinf(end) || knot >= 1 ? fmin(knot, end - 1) : -INFINITY;
  *upper = isinf(end) || knot + 1 < end ? fmax(knot + 1, isinf(end) ? -INFINITY : 1) : INFINITY;
}

double lb_chart_strain(const lb_chart* c, const double* q) {
  double most = 0;
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    most = f->type->strain ? fmax(most, f->type->strain(f, q)) : most;
  }
  return most;
}

bool lb_chart_is_singular(const lb_chart* c, const double* from, const double* q, const bool* of,
                          double near) {
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    if (f->type->strain && is_among(f, of)) {
      const double before = f->type->strain(f, from), now = f->type->strain(f, q);
      const double off = fabs(now - fmax(1, round(now)));
      if (off < near || floor(before) != floor(now)) {
        return true;
      }
    }
  }
  return false;
}

static bool changes(const lb_factor* f, const double* q, const bool* keeps) {
  return f->type->strain && !is_among(f, keeps) && f->type->strain(f, q) > LB_CHART_STRAINED;
}

bool lb_chart_rechart(const lb_chart* c, double* q, double* qd, const bool* keeps) {
  bool changed = false;
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    if (changes(f, q, keeps)) {
      f->type->rechart(f, q, qd);
      changed = true;
    }
  }
  return changed;
}

void lb_chart_rechart_back(const lb_chart* c, const double* q, const double* qd, const bool* keeps,
                           double* by_q, double* by_qd) {
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    if (changes(f, q, keeps)) {
      f->type->rechart_back(f, q, qd, by_q, by_qd);
    }
  }
}

static void multiply_constant(lb_chart_at* at, const lb_factor* f, int n, const double* q,
                              const double* qd, lb_chart_order order) {
  (void)q, (void)qd;
  lb_chart_multiply_frame(at, n, f->R, f->p, order);
}

const lb_factor_type lb_factor_frame = {.multiply = multiply_constant};
