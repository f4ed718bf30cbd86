#include "fork/fork_family.h"

#include <math.h>
#include <string.h>

#include "fork/fork_jet.h"
#include "math/linear/dense.h"

// --- weights ---

static size_t jet_size(const lb_jet_at* at) {
  return lb_fork_jet_size(at->kind, at->r);
}

// Jets of the weights into out [count]: the product of the others' |d|^4 over the sum of such
// products, which is a rational function. `room` has 2 + count jets.
static void weigh(const lb_fork_family* g, const lb_jet_at* at, double* out, double* room) {
  const size_t size = jet_size(at), bytes = size * sizeof *out;
  double *run = room, *next = room + size, *u = room + 2 * size;
  lb_fork_jet_constant(at, run, 1);
  for (int i = 0; i < g->count; i++) {
    double* own = u + (size_t)i * size;
    lb_fork_jet_distance(at, own, g->y + i * g->r);
    const double unit = g->unit, x = unit * own[0];
    const double f[4] = {x * x, 2 * unit * x, 2 * unit * unit, 0};
    lb_fork_jet_compose(at, own, f, own);
    memcpy(out + (size_t)i * size, run, bytes);
    lb_fork_jet_multiply(at, next, run, own);
    memcpy(run, next, bytes);
  }
  lb_fork_jet_constant(at, run, 1);
  for (int i = g->count - 1; i >= 0; i--) {
    double* to = out + (size_t)i * size;
    lb_fork_jet_multiply(at, next, to, run);
    memcpy(to, next, bytes);
    lb_fork_jet_multiply(at, next, run, u + (size_t)i * size);
    memcpy(run, next, bytes);
  }
  memset(run, 0, bytes);
  for (int i = 0; i < g->count; i++) {
    lb_fork_jet_add(at, run, 1, out + (size_t)i * size);
  }
  const double x = 1 / run[0], f[4] = {x, -x * x, 2 * x * x * x, -6 * x * x * x * x};
  lb_fork_jet_compose(at, run, f, run);
  for (int i = 0; i < g->count; i++) {
    double* to = out + (size_t)i * size;
    lb_fork_jet_multiply(at, next, to, run);
    memcpy(to, next, bytes);
  }
}

// --- expansions about a model ---

// c bounded, of a jet, in place: from 0 to 1 it stays, and beyond by x it goes x (1 + w)^-1/4,
// w = (x/0.3)^4.
static void bound(const lb_jet_at* at, double* c) {
  static const double FAR = 0.3;
  const double edge = c[0] > 1 ? 1 : 0, beyond = c[0] > 0 && c[0] < 1 ? 0 : c[0] - edge;
  const double x = beyond / FAR, x2 = x * x, w = 1 + x2 * x2;
  const double once = pow(w, -1.25), twice = once / w, thrice = twice / w;
  const double f[4] = {c[0] - beyond + beyond * once * w, once, -5 * x2 * x / FAR * twice,
                       (-15 * x2 * twice + 45 * x2 * x2 * x2 * thrice) / (FAR * FAR)};
  lb_fork_jet_compose(at, c, f, c);
}

// Jets about model i.
typedef struct about {
  int i;
  size_t size;
  double* d; // [r]
  double* c; // [count]
  double* p; // [r]
} about;

static int about_jets(const lb_fork_family* g) {
  return 2 * g->r + g->count;
}

// `room` has about_jets().
static about look_about(const lb_fork_family* g, const lb_jet_at* at, int i, double* room) {
  const int r = g->r;
  const size_t size = jet_size(at), n = (size_t)r;
  const about o = {i, size, room, room + n * size, room + (n + (size_t)g->count) * size};
  memset(o.c, 0, (n + (size_t)g->count) * size * sizeof *o.c);
  for (int a = 0; a < r; a++) {
    double* d = o.d + (size_t)a * size;
    lb_fork_jet_coordinate(at, d, a, 1);
    d[0] -= g->y[i * r + a];
  }
  for (int k = 0; k < g->count; k++) {
    double* c = o.c + (size_t)k * size;
    const double* slope = g->slope + (i * g->count + k) * r;
    for (int a = 0; a < r && k != i; a++) {
      lb_fork_jet_add(at, c, slope[a], o.d + (size_t)a * size);
    }
    bound(at, c);
    for (int a = 0; a < r; a++) {
      lb_fork_jet_add(at, o.p + (size_t)a * size, g->y[k * r + a] - g->y[i * r + a], c);
    }
  }
  return o;
}

// --- amplitudes ---

// Jets of factors of T_k, [count][1 + r]; those of x_k are between them.
static double* factor_of(const lb_fork_family* g, double* z, int k, int a, size_t size) {
  return z + (size_t)(k * (1 + g->r) + 1 + a) * size;
}

// The share of third derivatives along e = y_k - y_i,
//
//   w (6 (T_k + T_i) e - 12 (x_k - x_i)),   w = alpha c (e.(p / 4 - d / 2 + c d / 2) / e.e - c^2 /
//   3)
//
// `room` has 4 jets.
static void expand_third(const lb_fork_family* g, const lb_jet_at* at, const about* o, int k,
                         const double* alpha, double* z, double* room) {
  const int r = g->r;
  const size_t size = o->size, bytes = size * sizeof *room;
  const double *c = o->c + (size_t)k * size, *from = g->y + o->i * r, *to = g->y + k * r;
  double *sum = room, *along = sum + size, *product = along + size, length = 0;
  memset(sum, 0, bytes);
  memset(along, 0, bytes);
  for (int a = 0; a < r; a++) {
    length += (to[a] - from[a]) * (to[a] - from[a]);
  }
  for (int a = 0; a < r; a++) {
    const double e = (to[a] - from[a]) / length;
    lb_fork_jet_add(at, along, 0.5 * e, o->d + (size_t)a * size);
    lb_fork_jet_add(at, sum, 0.25 * e, o->p + (size_t)a * size);
  }
  lb_fork_jet_add(at, sum, -1, along);
  lb_fork_jet_multiply(at, product, c, along);
  lb_fork_jet_add(at, sum, 1, product);
  lb_fork_jet_multiply(at, product, c, c);
  lb_fork_jet_add(at, sum, -1. / 3, product);
  lb_fork_jet_multiply(at, product, c, sum);
  lb_fork_jet_multiply(at, sum, alpha, product);
  lb_fork_jet_add(at, z + (size_t)(k * (1 + r)) * size, -12, sum);
  lb_fork_jet_add(at, z + (size_t)(o->i * (1 + r)) * size, 12, sum);
  for (int a = 0; a < r; a++) {
    const double e = 6 * (to[a] - from[a]);
    lb_fork_jet_add(at, factor_of(g, z, k, a, size), e, sum);
    lb_fork_jet_add(at, factor_of(g, z, o->i, a, size), e, sum);
  }
}

// alpha_i times the expansion about model i, in factors of the tangents. `room` has 3 jets.
static void expand(const lb_fork_family* g, const lb_jet_at* at, const about* o,
                   const double* alpha, double* z, double* room) {
  const size_t size = o->size;
  double *part = room, *way = part + size, *product = way + size;
  for (int a = 0; a < g->r; a++) {
    const double* d = o->d + (size_t)a * size;
    lb_fork_jet_multiply(at, product, alpha, d);
    lb_fork_jet_add(at, factor_of(g, z, o->i, a, size), 1, product);
    memcpy(way, d, size * sizeof *way);
    lb_fork_jet_add(at, way, -0.5, o->p + (size_t)a * size);
    lb_fork_jet_multiply(at, part, alpha, way);
    for (int k = 0; k < g->count; k++) {
      if (k != o->i) {
        lb_fork_jet_multiply(at, product, part, o->c + (size_t)k * size);
        lb_fork_jet_add(at, factor_of(g, z, k, a, size), 1, product);
        lb_fork_jet_add(at, factor_of(g, z, o->i, a, size), -1, product);
      }
    }
  }
}

// Factors of (1) as jets, at the beginning of `room`.
static void find_amplitudes(const lb_fork_family* g, const lb_jet_at* at, double* room) {
  const size_t size = jet_size(at), n = (size_t)lb_fork_family_amplitudes(g);
  double *z = room, *alpha = z + n * size, *more = alpha + (size_t)g->count * size;
  memset(z, 0, n * size * sizeof *z);
  weigh(g, at, alpha, more);
  for (int i = 0; i < g->count; i++) {
    const double* own = alpha + (size_t)i * size;
    const about o = look_about(g, at, i, more);
    lb_fork_jet_add(at, z + (size_t)(i * (1 + g->r)) * size, 1, own);
    expand(g, at, &o, own, z, more + (size_t)about_jets(g) * size);
    for (int k = 0; k < g->count; k++) {
      if (k != i) {
        expand_third(g, at, &o, k, own, z, more + (size_t)about_jets(g) * size);
      }
    }
  }
}

static void evaluate(const void* context, double* z, double* J, double* H, const double* eta,
                     double* scratch) {
  const lb_fork_family* g = context;
  const lb_jet_at at = {LB_JET_SECOND, g->r, eta, NULL};
  const size_t r = (size_t)g->r, size = jet_size(&at);
  find_amplitudes(g, &at, scratch);
  for (size_t i = 0; i < (size_t)lb_fork_family_amplitudes(g); i++) {
    const double* jet = scratch + i * size;
    z[i] = jet[0];
    memcpy(J + i * r, jet + 1, r * sizeof *jet);
    memcpy(H + i * r * r, jet + 1 + r, r * r * sizeof *jet);
  }
}

static void evaluate_third(const void* context, double* third, const double* eta,
                           const double* etad, double* scratch) {
  const lb_fork_family* g = context;
  const lb_jet_at at = {LB_JET_PATH, g->r, eta, etad};
  const size_t r = (size_t)g->r, size = jet_size(&at);
  find_amplitudes(g, &at, scratch);
  for (size_t i = 0; i < (size_t)lb_fork_family_amplitudes(g); i++) {
    memcpy(third + i * r, scratch + i * size + 3 + 2 * r, r * sizeof *third);
  }
}

// Amplitudes, weights, and what these and expansions need beside them; of both kinds of jets.
static int scratch_of(const lb_fork_family* g) {
  const size_t a = lb_fork_jet_size(LB_JET_SECOND, g->r), b = lb_fork_jet_size(LB_JET_PATH, g->r);
  const int jets = lb_fork_family_amplitudes(g) + 2 * g->count + about_jets(g) + 9;
  return jets * (int)(a > b ? a : b);
}

lb_curved lb_fork_family_curve(const lb_fork_family* g, const lb_reduced* flat) {
  return (lb_curved){.n = lb_fork_family_amplitudes(g),
                     .evaluate = evaluate,
                     .evaluate_third = evaluate_third,
                     .scratch = scratch_of(g),
                     .context = g,
                     .flat = flat};
}

// --- energy ---

// Jet of v + f.d + d'K d / 2 about y_i.
static void find_quadratic(const lb_fork_family* g, const lb_jet_at* at, int i, double* out,
                           double v, const double* f, const double* K) {
  const int r = g->r;
  lb_fork_jet_constant(at, out, v);
  memcpy(out + 1 + r, K, (size_t)(r * r) * sizeof *out);
  for (int k = 0; k < r; k++) {
    const double d = at->y[k] - g->y[i * r + k];
    double pull = 0;
    for (int l = 0; l < r; l++) {
      pull += K[k * r + l] * (at->y[l] - g->y[i * r + l]);
    }
    out[1 + k] = (f ? f[k] : 0) + pull;
    out[0] += d * ((f ? f[k] : 0) + 0.5 * pull);
  }
}

// out += c_k (3 d'A d - 3 p'A d + p'A p) / 6. `room` has 4 jets.
static void add_third(const lb_fork_family* g, const lb_jet_at* at, const about* o, int k,
                      double* out, double* room) {
  const int r = g->r;
  const size_t size = o->size, bytes = size * sizeof *room;
  const double* A = g->third + (size_t)((o->i * g->count + k) * r * r);
  double *sum = room, *of = sum + size, *way = of + size, *product = way + size;
  memset(sum, 0, bytes);
  for (int a = 0; a < r; a++) { // (A d)_a (d - p)_a / 2 + (A p)_a p_a / 6
    const double *d = o->d + (size_t)a * size, *p = o->p + (size_t)a * size;
    for (int n = 0; n < 2; n++) {
      memset(of, 0, bytes);
      for (int b = 0; b < r; b++) {
        lb_fork_jet_add(at, of, A[a * r + b], (n ? o->p : o->d) + (size_t)b * size);
      }
      memcpy(way, n ? p : d, bytes);
      lb_fork_jet_add(at, way, n ? 0 : -1, p);
      lb_fork_jet_multiply(at, product, of, way);
      lb_fork_jet_add(at, sum, n ? 1. / 6 : 0.5, product);
    }
  }
  lb_fork_jet_multiply(at, product, o->c + (size_t)k * size, sum);
  lb_fork_jet_add(at, out, 1, product);
}

// out += c^2 (6 d'B d - 8 c e'B d + 3 c^2 e'B e) / 24, e = y_k - y_i. `room` has 4 jets.
static void add_fourth(const lb_fork_family* g, const lb_jet_at* at, const about* o, int k,
                       double* out, double* room) {
  const int r = g->r;
  const size_t size = o->size;
  const double *B = g->fourth + (size_t)((o->i * g->count + k) * r * r),
               *c = o->c + (size_t)k * size;
  double *sum = room, *square = sum + size, *line = square + size, *product = line + size;
  double eBe = 0;
  find_quadratic(g, at, o->i, line, 0, NULL, B);
  memset(sum, 0, size * sizeof *sum);
  lb_fork_jet_add(at, sum, 12, line);
  memset(line, 0, size * sizeof *line);
  for (int a = 0; a < r; a++) {
    double Be = 0;
    for (int b = 0; b < r; b++) {
      Be += B[a * r + b] * (g->y[k * r + b] - g->y[o->i * r + b]);
    }
    eBe += Be * (g->y[k * r + a] - g->y[o->i * r + a]);
    lb_fork_jet_add(at, line, Be, o->d + (size_t)a * size);
  }
  lb_fork_jet_multiply(at, product, c, line);
  lb_fork_jet_add(at, sum, -8, product);
  lb_fork_jet_multiply(at, square, c, c);
  lb_fork_jet_add(at, sum, 3 * eBe, square);
  lb_fork_jet_multiply(at, product, square, sum);
  lb_fork_jet_add(at, out, 1. / 24, product);
}

// 1 / (1 + (|d|^2 / 3 |e|^2)^4), which leaves plain quadratics far away.
static void find_fade(const lb_fork_family* g, const lb_jet_at* at, const about* o, int k,
                      double* out) {
  const double *from = g->y + o->i * g->r, *to = g->y + k * g->r;
  double length = 0;
  for (int a = 0; a < g->r; a++) {
    length += (to[a] - from[a]) * (to[a] - from[a]);
  }
  lb_fork_jet_distance(at, out, from);
  const double unit = 1 / (3 * length), x = unit * out[0], x3 = x * x * x, v = 1 / (1 + x3 * x);
  const double f[4] = {v, -4 * x3 * v * v * unit,
                       (32 * x3 * x3 * v - 12 * x * x) * v * v * unit * unit, 0};
  lb_fork_jet_compose(at, out, f, out);
}

// Jets of the weights into scratch, and of (2) behind them, which is returned.
static double* blend_energies(const lb_fork_family* g, const double* eta, double* scratch) {
  const lb_jet_at at = {LB_JET_SECOND, g->r, eta, NULL};
  const size_t size = jet_size(&at);
  double *sum = scratch + (size_t)g->count * size, *own = sum + size, *more = own + size;
  weigh(g, &at, scratch, own);
  memset(sum, 0, size * sizeof *sum);
  for (int i = 0; i < g->count; i++) {
    const about o = look_about(g, &at, i, more);
    double* room = more + (size_t)about_jets(g) * size;
    find_quadratic(g, &at, i, own, g->v[i], g->f + i * g->r, g->K + i * g->r * g->r);
    for (int k = 0; k < g->count; k++) {
      if (k != i) {
        double *fade = room + 4 * size, *part = fade + size;
        memset(part, 0, size * sizeof *part);
        add_third(g, &at, &o, k, part, room);
        add_fourth(g, &at, &o, k, part, room);
        find_fade(g, &at, &o, k, fade);
        lb_fork_jet_multiply(&at, room, fade, part);
        lb_fork_jet_add(&at, own, 1, room);
      }
    }
    lb_fork_jet_multiply(&at, room, scratch + (size_t)i * size, own);
    lb_fork_jet_add(&at, sum, 1, room);
  }
  return sum;
}

// x'D_i [r]
static double resist(const lb_fork_family* g, int i, int row, const double* v) {
  return lb_dot(g->r, g->D + (i * g->r + row) * g->r, v);
}

static void force(const void* context, double* f, double* Kv, const double* eta, const double* v,
                  double* scratch) {
  const lb_fork_family* g = context;
  const double* V = blend_energies(g, eta, scratch);
  const size_t size = lb_fork_jet_size(LB_JET_SECOND, g->r);
  memcpy(f, V + 1, (size_t)g->r * sizeof *f);
  for (int k = 0; Kv && k < g->r; k++) {
    Kv[k] = 0;
    for (int i = 0; i < g->count; i++) {
      Kv[k] += scratch[(size_t)i * size] * resist(g, i, k, v);
    }
  }
}

static double energy(const void* context, const double* eta, double* scratch) {
  return blend_energies(context, eta, scratch)[0];
}

// of.K K + of.D D + of.N d(D v)/dy; the last one is not symmetric.
static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const lb_fork_family* g = context;
  const int r = g->r;
  const double* V = blend_energies(g, eta, scratch);
  const size_t size = lb_fork_jet_size(LB_JET_SECOND, r);
  for (int m = 0; m < r * r; m++) {
    A[m] = of.K * V[1 + r + m];
    for (int i = 0; i < g->count; i++) {
      const double* a = scratch + (size_t)i * size;
      A[m] += of.D * a[0] * g->D[i * r * r + m];
      A[m] += of.N != 0 ? of.N * a[1 + m % r] * resist(g, i, m / r, v) : 0;
    }
  }
}

static void blend_product(const void* context, double* y, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const lb_fork_family* g = context;
  double* A = scratch + scratch_of(g);
  blend(context, A, of, eta, v, scratch);
  for (int k = 0; k < g->r; k++) {
    y[k] = lb_dot(g->r, A + k * g->r, x);
  }
}

lb_reduced_force lb_fork_family_force(const lb_fork_family* g) {
  return (lb_reduced_force){.force = force,
                            .energy = energy,
                            .scratch = scratch_of(g) + g->r * g->r,
                            .context = g,
                            .viscous = true,
                            .blend = blend,
                            .blend_product = blend_product};
}

// --- life ---

lb_fork_family* lb_fork_family_take(int count, int r, lb_arena* arena) {
  const size_t m = (size_t)count, n = (size_t)r;
  lb_fork_family* g = LB_TAKE(arena, lb_fork_family, 1);
  if (g) {
    *g = (lb_fork_family){.count = count,
                          .r = r,
                          .y = LB_TAKE(arena, double, m* n),
                          .v = LB_TAKE(arena, double, m),
                          .slope = LB_TAKE(arena, double, m* m* n),
                          .f = LB_TAKE(arena, double, m* n),
                          .K = LB_TAKE(arena, double, m* n* n),
                          .D = LB_TAKE(arena, double, m* n* n),
                          .third = LB_TAKE(arena, double, m* m* n* n),
                          .fourth = LB_TAKE(arena, double, m* m* n* n),
                          .unit = 1};
  }
  return lb_arena_status(arena) == LB_OK ? g : NULL;
}

// The least c with sum_k c_k (y_k - y_i) = d, for unit d: rows of a pseudo-inverse.
static lb_status find_slopes(lb_fork_family* g, int i, lb_arena* scratch) {
  const int r = g->r, m = g->count, most = r > m ? r : m;
  static const double RANK = 1e-6; // of distances, below which models are in one line
  double *A = LB_TAKE(scratch, double, r*m), *X = LB_TAKE(scratch, double, most*r);
  int rank = 0;
  if (!A || !X) {
    return LB_NO_MEMORY;
  }
  for (int e = 0; e < r * m; e++) {
    A[e] = g->y[e] - g->y[i * r + e % r];
  }
  for (int a = 0; a < r; a++) {
    X[a * most + a] = 1;
  }
  const lb_status status = lb_least_squares(scratch, r, m, A, r, r, X, most, RANK, &rank);
  for (int e = 0; e < m * r; e++) {
    g->slope[i * m * r + e] = X[e % r * most + e / r];
  }
  return status;
}

lb_status lb_fork_family_measure(lb_fork_family* g, lb_arena* scratch) {
  double sum = 0;
  int pairs = 0;
  lb_status status = LB_OK;
  for (int i = 0; i < g->count && status == LB_OK; i++) {
    for (int k = 0; k < i; k++, pairs++) {
      for (int c = 0; c < g->r; c++) {
        const double d = g->y[i * g->r + c] - g->y[k * g->r + c];
        sum += d * d;
      }
    }
    status = find_slopes(g, i, scratch);
  }
  g->unit = sum > 0 ? pairs / sum : 1;
  return status;
}

// (4)
static double climb(const lb_fork_family* g, int i, int k) {
  const int r = g->r;
  double sum = 0;
  for (int a = 0; a < r; a++) {
    const double d = g->y[k * r + a] - g->y[i * r + a];
    sum += 0.5 * d * (g->f[i * r + a] + g->f[k * r + a]);
    for (int b = 0; b < r; b++) {
      const double e = g->y[k * r + b] - g->y[i * r + b];
      sum += d * e * (g->K[(i * r + a) * r + b] - g->K[(k * r + a) * r + b]) / 12;
    }
  }
  return sum;
}

// (3) of models i and k: A and B, the least change of the latter.
static void find_changes(lb_fork_family* g, int i, int k) {
  const int r = g->r;
  const double *Ki = g->K + i * r * r, *Kk = g->K + k * r * r;
  double *A = g->third + (size_t)((i * g->count + k) * r * r),
         *B = g->fourth + (size_t)((i * g->count + k) * r * r);
  double length = 0, along = 0;
  for (int a = 0; a < r; a++) { // w in the first row of A
    const double e = g->y[k * r + a] - g->y[i * r + a];
    A[a] = -12 * (g->f[k * r + a] - g->f[i * r + a]);
    for (int b = 0; b < r; b++) {
      const double way = g->y[k * r + b] - g->y[i * r + b];
      A[a] += way * (6 * (Kk[a * r + b] - Ki[a * r + b]) + 12 * Ki[a * r + b]);
    }
    length += e * e;
    along += e * A[a];
  }
  for (int m = 0; m < r * r; m++) {
    const double ea = g->y[k * r + m / r] - g->y[i * r + m / r];
    const double eb = g->y[k * r + m % r] - g->y[i * r + m % r];
    B[m] = (A[m / r] * eb + A[m % r] * ea - along * ea * eb / length) / length;
  }
  for (int m = 0; m < r * r; m++) {
    A[m] = Kk[m] - Ki[m] - 0.5 * B[m];
  }
}

void lb_fork_family_level(lb_fork_family* g) {
  for (int m = 0; m < g->count * g->count; m++) {
    if (m / g->count != m % g->count) {
      find_changes(g, m / g->count, m % g->count);
    }
  }
  for (int i = 0; i < g->count; i++) {
    g->v[i] = 0;
    for (int k = 0; k < g->count; k++) {
      g->v[i] += climb(g, k, i) / g->count;
    }
  }
}
