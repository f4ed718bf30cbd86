// Steps of several models, blended.
//
// Effectors are at centre exp(xi), in a chart that does not change, so that nothing has to be
// turned from one model's axes to another's while it runs. Weights are Shepard's of second order
// over the distances from the models' own xi_i, angles over pi and lengths over the radius:
//
//   (1)  alpha_i = d_i^-2 / sum of d_k^-2
//
// A model knows xi_i under wrenches F_i that keep their direction in the world, and how it gives
// way to more of them, D_i. From these the mechanism is at
//
//   (2)  xi = sum alpha_i (xi_i + 1/2 D_i (F - F_i)) + 1/2 D (F - Fm),   D = sum alpha_i D_i
//
// with Fm = sum alpha_i F_i. Tangents err to one side of a bent curve and chords to the other: (2)
// is half way. If xi(F) is a quadratic function, with second derivative X, then xi_i and D_i
// are known and (2) errs by X (Fm - F)^2 / 2 alone, which is zero half way between two models and
// at each. [fork] has chords (eq. 24) whose frames depend on the order of the models (eq. 28).
// With C = D along g = J_r'R'F, the mechanism pulls back by
//
//   (3)  g = J_r'R'Fm + C^-1 rho,   rho = xi - xim + s,   s = 1/2 sum alpha_i D_i (F_i - Fm)
//
// and rho is zero at every model. C is that of the joints' columns, which belong together without
// any matching, over roots of stiffness, and never negative:
//
//   (4)  C = (sum alpha_i B_i)(sum alpha_i B_i)' = sum alpha_i alpha_k B_i B_k'
//
// of which the products are made beforehand. It is factored as L diag(d) L', with as many columns
// as it has rank (in an order of coordinates that is right for all models together). Rates are L v,
// so that nothing inadmissible can happen, and backward Euler is
//
//   (5)  (L'(M + h D)L + h^2 / d) v = L'(M xi' + h J_r'R'(F - Fm)) - h rho_L / d
//
// where rho_L is rho along L. What is left of rho is inadmissible, and xi goes back by it.
#include <math.h>
#include <string.h>

#include "fork/fork_blend.h"
#include "fork/fork_six.h"

static const double AT = 1e-12; // distance, in radii, at which a model counts alone

#define LB_FORK_INLINE static inline __attribute__((always_inline))

LB_FORK_INLINE lb_fork_lanes* lanes(double* x) {
  return (lb_fork_lanes*)x;
}
LB_FORK_INLINE const lb_fork_lanes* lanes_of(const double* x) {
  return (const lb_fork_lanes*)x;
}

// y += a x
LB_FORK_INLINE void add(int ld, double* y, double a, const double* x) {
  for (int k = 0; k < ld / LB_FORK_LANES; k++) {
    lanes(y)[k] += a * lanes_of(x)[k];
  }
}

// y = A x of a symmetric A: sum of its rows.
LB_FORK_INLINE void multiply(int n, int ld, double* y, const double* A, const double* x) {
  for (int k = 0; k < ld / LB_FORK_LANES; k++) {
    lb_fork_lanes sum = lanes_of(A)[k] * x[0];
    for (int i = 1; i < n; i++) {
      sum += lanes_of(A + (size_t)i * (size_t)ld)[k] * x[i];
    }
    lanes(y)[k] = sum;
  }
}

// --- weights ---

// Squared distance of twists with lengths in radii.
LB_FORK_INLINE double squared(const double* a, const double* b) {
  static const double TURN = 1 / (M_PI * M_PI);
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  const double u = a[3] - b[3], v = a[4] - b[4], w = a[5] - b[5];
  return (x * x + y * y + z * z) * TURN + (u * u + v * v + w * w);
}

// Squared distance from model i, where effectors are at xi with lengths in radii.
LB_FORK_INLINE double distance(const lb_fork_blending* o, int i, int ne, const double* xi) {
  const double* at = o->at + (size_t)i * (size_t)o->n;
  if (ne == 1) {
    return squared(at, xi);
  }
  double sum = 0;
  for (int e = 0; e < ne; e++) {
    sum += sqrt(squared(at + 6 * (size_t)e, xi + 6 * (size_t)e));
  }
  return sum * sum;
}

LB_FORK_INLINE void weigh(lb_fork_blend* b, int ne, const double* xi) {
  double least = INFINITY, all = 0;
  int nearest = 0;
  for (int i = 0; i < b->count; i++) {
    b->weight[i] = distance(b->own, i, ne, xi);
    nearest = b->weight[i] < least ? i : nearest;
    least = fmin(least, b->weight[i]);
  }
  for (int i = 0; i < b->count; i++) { // over the nearest, so that nothing overflows
    b->weight[i] = least <= AT * AT ? i == nearest : least / b->weight[i];
    all += b->weight[i];
  }
  all = 1 / all;
  for (int i = 0; i < b->count; i++) {
    b->weight[i] *= all;
  }
}

// --- the blend ---

// out = sum of weights times blocks of `size` numbers, `stride` apart.
LB_FORK_INLINE void mix(double* out, size_t size, const double* blocks, size_t stride, int count,
                        const double* weight) {
  for (size_t k = 0; k < size; k += LB_FORK_LANES) {
    lb_fork_lanes sum = weight[0] * *lanes_of(blocks + k);
    for (int i = 1; i < count; i++) {
      sum += weight[i] * *lanes_of(blocks + (size_t)i * stride + k);
    }
    *lanes(out + k) = sum;
  }
}

// (4), and what models give way to each other's wrenches.
LB_FORK_INLINE void mix_pairs(const lb_fork_blend* b, int n, int ld) {
  lb_fork_blending* o = b->own;
  const size_t size = (size_t)(1 + n) * (size_t)ld;
  double* weight = o->pair_weight;
  int count = 0;
  for (int i = 0; i < b->count; i++) {
    for (int k = 0; k <= i; k++) {
      weight[count++] = b->weight[i] * b->weight[k];
    }
  }
  mix(o->pair, o->eigen ? (size_t)ld : size, o->pairs, size, count, weight);
}

// [fork] algorithm 3, of eigenvectors that belong together.
static void mix_eigenvectors(const lb_fork_blend* b) {
  lb_fork_blending* o = b->own;
  const int n = o->n, ld = o->ld;
  double* C = o->pair + ld;
  memset(C, 0, (size_t)n * (size_t)ld * sizeof *C);
  for (int j = 0; j < n; j++) {
    double* q = o->g;
    double value = 0, length = 0;
    memset(q, 0, (size_t)ld * sizeof *q);
    for (int i = 0; i < b->count; i++) {
      const double* of = o->eigen + ((size_t)i * (size_t)n + (size_t)j) * (size_t)(ld + 1);
      value += b->weight[i] * of[ld];
      add(ld, q, b->weight[i], of);
    }
    for (int k = 0; k < n; k++) {
      length += q[k] * q[k];
    }
    for (int i = 0; i < n && length > 0; i++) {
      add(ld, C + (size_t)i * (size_t)ld, value * q[i] / length, q);
    }
  }
}

// C = L diag(d) L' by outer products, in the order of `order`; rho along the columns. C is used up.
// What earlier pivots leave of a rigid direction is rounding: its column is zero.
LB_FORK_INLINE void factor(lb_fork_blending* o, int n, int ld) {
  double* C = o->pair + ld;
  for (int p = 0; p < n; p++) {
    const double *row = C + (size_t)p * (size_t)ld, d = row[p];
    double* l = o->L + (size_t)p * (size_t)ld;
    const double inverse = d > o->least ? 1 / d : 0;
    for (int k = 0; k < ld / LB_FORK_LANES; k++) {
      lanes(l)[k] = lanes_of(row)[k] * inverse;
    }
    for (int k = 0; k < p; k++) {
      l[k] = 0;
    }
    const double along = inverse > 0 ? o->rho[p] : 0;
    add(ld, o->rho, -along, l);
    o->along_rho[p] = along;
    o->d[p] = inverse;
    for (int i = p + 1; i < n; i++) {
      add(ld, C + (size_t)i * (size_t)ld, -row[i], l);
    }
  }
}

// Weights, parts of the blend, and rho.
LB_FORK_INLINE void gather(lb_fork_blend* b, int n, int ld, int ne) {
  lb_fork_blending* o = b->own;
  for (int k = 0; k < n; k++) {
    o->y[k] = k % 6 < 3 ? b->xi[k] : o->shrink * b->xi[k];
  }
  for (int k = 0; k < n; k++) {
    o->t[k] = o->y[o->order[k]];
  }
  weigh(b, ne, o->y);
  mix(o->now, o->size, o->models, o->size, b->count, b->weight);
  mix_pairs(b, n, ld);
  const lb_fork_part now = lb_fork_part_at(o, o->now);
  for (int k = 0; k < ld / LB_FORK_LANES; k++) { // (3)
    lanes(o->rho)[k] =
        lanes(o->t)[k] - lanes(now.xi)[k] + 0.5 * (lanes(now.give)[k] - lanes(o->pair)[k]);
  }
  if (o->eigen) {
    mix_eigenvectors(b);
  }
}

void lb_fork_blend_look(lb_fork_blend* b) {
  gather(b, b->own->n, b->own->ld, b->own->ne);
  factor(b->own, b->own->n, b->own->ld);
}

// --- a step ---

// A v = r in r, A positive definite [n][ld], used up. r is a column more of A while rows go.
LB_FORK_INLINE void solve(int n, int ld, double* A, double* r, double* inverse) {
  for (int k = 0; k < n; k++) {
    const double* row = A + (size_t)k * (size_t)ld;
    inverse[k] = 1 / row[k];
    const double x = r[k] * inverse[k];
    add(ld, r, -x, row);
    r[k] = x;
    for (int i = k + 1; i < n; i++) {
      add(ld, A + (size_t)i * (size_t)ld, -row[i] * inverse[k], row);
    }
  }
  for (int k = n - 1; k > 0; k--) { // rows above, by columns
    for (int i = 0; i < k; i++) {
      r[i] -= A[(size_t)i * (size_t)ld + (size_t)k] * inverse[i] * r[k];
    }
  }
}

// g = h J_r'R'(F - Fm), along xi with lengths in radii.
LB_FORK_INLINE void find_forces(lb_fork_blend* b, const double* wrench, int ne) {
  lb_fork_blending* o = b->own;
  const double* held = lb_fork_part_at(o, o->now).force;
  for (int e = 0; e < ne; e++) {
    double net[6];
    for (int k = 0; k < 6; k++) {
      net[k] = b->step * ((wrench ? wrench[6 * e + k] : 0) - held[6 * e + k]);
    }
    const lb_quat back = lb_quat_conjugate(b->pose[e].q);
    const lb_twist w = lb_fork_twist(net);
    lb_twist g = lb_fork_chart_force(
        &o->chart[e], (lb_twist){lb_quat_rotate(back, w.w), lb_quat_rotate(back, w.v)});
    g.v = lb_vec3_scale(o->radius, g.v);
    lb_fork_put(o->y + 6 * (size_t)e, g);
  }
  for (int k = 0; k < 6 * ne; k++) {
    o->g[k] = o->y[o->order[k]];
  }
}

// W = L'A L of a symmetric A.
LB_FORK_INLINE void project(lb_fork_blending* o, const double* A, double* out, int n, int ld) {
  double* Lt = o->Lt;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      Lt[i * ld + k] = o->L[k * ld + i];
    }
  }
  for (int k = 0; k < n; k++) {
    double* y = o->y;
    multiply(n, ld, y, A, o->L + (size_t)k * (size_t)ld);
    multiply(n, ld, out + (size_t)k * (size_t)ld, Lt, y);
  }
}

LB_FORK_INLINE void place(lb_fork_blend* b, int ne) {
  for (int e = 0; e < ne; e++) {
    b->own->chart[e] = lb_fork_chart_at(lb_fork_twist(b->xi + 6 * (size_t)e));
    b->pose[e] = lb_transform_mul(b->own->centre[e], lb_fork_chart_pose(&b->own->chart[e]));
  }
}

// Rates and way of xi, in its own units and order.
LB_FORK_INLINE void go(lb_fork_blend* b, int n, const double* rate, const double* left) {
  const lb_fork_blending* o = b->own;
  for (int k = 0; k < n; k++) {
    const double way = b->step * rate[k] - left[k], unit = o->size_of[k];
    b->rate[o->order[k]] = unit * rate[k];
    b->xi[o->order[k]] += unit * way;
  }
}

static void step_many(lb_fork_blend* b, const double* wrench) {
  lb_fork_blending* o = b->own;
  const int n = o->n, ld = o->ld;
  const double h = b->step;
  const lb_fork_part now = lb_fork_part_at(o, o->now);
  lb_fork_blend_look(b);
  find_forces(b, wrench, o->ne);
  for (int k = 0; k < n; k++) {
    o->t[k] = b->rate[o->order[k]] * o->unit[k];
  }
  multiply(n, ld, o->r, now.M, o->t);
  add(ld, o->g, 1, o->r);
  for (int k = 0; k < n * ld / LB_FORK_LANES; k++) {
    lanes(o->W)[k] = lanes(now.M)[k] + h * lanes(now.D)[k];
  }
  project(o, o->W, o->Ws, n, ld);
  multiply(n, ld, o->r, o->Lt, o->g);
  for (int k = 0; k < n; k++) { // of a rigid direction nothing is asked
    o->Ws[(size_t)k * (size_t)(ld + 1)] += o->d[k] > 0 ? h * h * o->d[k] : 1;
    o->r[k] -= h * o->d[k] * o->along_rho[k];
  }
  solve(n, ld, o->Ws, o->r, o->left);
  multiply(n, ld, o->t, o->L, o->r);
  go(b, n, o->t, o->rho);
  place(b, o->ne);
}

// The same with one effector, in registers.
static void step_one(lb_fork_blend* b, const double* wrench) {
  lb_fork_blending* o = b->own;
  const double h = b->step;
  const lb_fork_part now = lb_fork_part_at(o, o->now);
  lb_six_factor F;
  lb_six M[6], W[6], rate = {0};
  gather(b, 6, 8, 1);
  lb_six_factorise(&F, o->pair + 8, o->least, o->rank);
  find_forces(b, wrench, 1);
  LB_SIX_LOOP for (int k = 0; k < 6; k++) {
    rate += (b->rate[o->order[k]] * o->unit[k]) * lb_six_unit(k);
    M[k] = lb_six_load(now.M + 8 * k);
    W[k] = M[k] + h * lb_six_load(now.D + 8 * k);
  }
  const lb_six g = lb_six_load(o->g) + lb_six_combine(M, rate);
  lb_six left = lb_six_load(o->rho);
  const lb_six along = lb_six_along(&F, &left);
  const lb_six r = lb_six_combine(F.row, g) - h * F.d * along;
  LB_SIX_LOOP for (int k = 0; k < 6; k++) {
    if (k >= o->rank) {
      break;
    }
    // of a rigid direction nothing is asked
    const double resist = F.d[k] > 0 ? h * h * F.d[k] : 1;
    M[k] = lb_six_combine(F.row, lb_six_combine(W, F.column[k])) + resist * lb_six_unit(k);
  }
  rate = lb_six_combine(F.column, lb_six_solve(M, r, o->rank));
  lb_six_store(o->t, rate);
  lb_six_store(o->rho, left);
  go(b, 6, o->t, o->rho);
  place(b, 1);
}

void lb_fork_blend_step(lb_fork_blend* b, const double* wrench) {
  if (b->own->ne == 1) {
    step_one(b, wrench);
  } else {
    step_many(b, wrench);
  }
}

void lb_fork_blend_place(lb_fork_blend* b) {
  place(b, b->own->ne);
}

// --- the linear model ---

const lb_fork_tangent* lb_fork_blend_tangent(lb_fork_blend* b) {
  lb_fork_blending* o = b->own;
  lb_fork_tangent* t = &o->tangent;
  const size_t n = (size_t)o->n, ld = (size_t)o->ld;
  const lb_fork_part now = lb_fork_part_at(o, o->now);
  double* const to[] = {t->M, t->D};
  double* const from[] = {now.M, now.D};
  size_t rank = 0;
  for (size_t k = 0; k < n; k++) {
    o->kept[rank] = (int)k;
    rank += o->d[k] > 0;
  }
  t->count = (int)rank;
  for (int x = 0; x < 2; x++) {
    project(o, from[x], o->Ws, o->n, o->ld);
    for (size_t i = 0; i < rank * rank; i++) {
      to[x][i] = o->Ws[(size_t)o->kept[i / rank] * ld + (size_t)o->kept[i % rank]];
    }
  }
  for (size_t i = 0; i < n; i++) {
    o->t[i] = b->rate[o->order[i]] * o->unit[i];
  }
  multiply(o->n, o->ld, o->y, now.M, o->t);
  multiply(o->n, o->ld, o->r, o->Lt, o->y);
  for (size_t k = 0; k < rank; k++) {
    t->p[k] = o->r[o->kept[k]];
  }
  const double h = b->step; // g of the mechanism's own pull
  b->step = -1;
  find_forces(b, NULL, o->ne);
  b->step = h;
  multiply(o->n, o->ld, o->r, o->Lt, o->g);
  for (size_t k = 0; k < rank; k++) {
    const int l = o->kept[k];
    for (size_t i = 0; i < n; i++) {
      t->Q[k * n + (size_t)o->order[i]] = o->L[(size_t)l * ld + i] * o->size_of[i];
    }
    for (size_t i = 0; i < rank; i++) {
      t->K[k * rank + i] = i == k ? o->d[l] : 0;
    }
    t->f0[k] = o->r[l] + o->d[l] * o->along_rho[l];
  }
  for (size_t i = 0; i < n; i++) {
    t->aside[o->order[i]] = -o->rho[i] * o->size_of[i];
  }
  return t;
}

// J_r L diag(d) L'J_r'
void lb_fork_blend_compliance(const lb_fork_blend* b, double* C) {
  const lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n, ld = (size_t)o->ld;
  double *xi = o->g, *twist = o->y;
  memset(C, 0, n * n * sizeof *C);
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < n; i++) {
      xi[o->order[i]] = o->L[k * ld + i] * o->size_of[i];
    }
    for (size_t e = 0; e < n / 6; e++) {
      lb_fork_put(twist + 6 * e, lb_fork_chart_rate(&o->chart[e], lb_fork_twist(xi + 6 * e)));
    }
    for (size_t i = 0; i < n * n && o->d[k] > 0; i++) {
      C[i] += twist[i / n] * twist[i % n] / o->d[k];
    }
  }
}
