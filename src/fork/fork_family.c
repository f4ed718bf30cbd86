#include "fork/fork_family.h"

#include <math.h>
#include <string.h>

#include "fork/fork_jet.h"
#include "math/linear/dense.h"

// --- weights ---

// Power of 1/distance: of poses and joints, for which weights are rational functions; and of
// energies.
typedef enum power { INVERSE_SQUARE = 2, INVERSE_CUBE = 3 } power;

static size_t jet_size(const lb_jet_at* at) {
  return lb_fork_jet_size(at->kind, at->r);
}

// d^power from the jet of unit d^2, in place.
static void raise(const lb_jet_at* at, double* u, power p) {
  if (p == INVERSE_CUBE) {
    const double root = sqrt(u[0]), turn = root > 0 ? 0.75 / root : 0; // times zero, where it is 0
    const double f[4] = {u[0] * root, 1.5 * root, turn, 0};
    lb_fork_jet_compose(at, u, f, u);
  }
}

// Jets of the weights into out [count]: the product of the others' distances over the sum of such
// products. `room` has 2 + count jets.
static void weigh(const lb_fork_family* g, const lb_jet_at* at, power p, double* out,
                  double* room) {
  const size_t size = jet_size(at), bytes = size * sizeof *out;
  double *run = room, *next = room + size, *u = room + 2 * size;
  lb_fork_jet_constant(at, run, 1);
  for (int i = 0; i < g->count; i++) {
    double* own = u + (size_t)i * size;
    lb_fork_jet_distance(at, own, g->y + i * g->r);
    for (size_t k = 0; k < size; k++) {
      own[k] *= g->unit;
    }
    raise(at, own, p);
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

// --- amplitudes ---

// (1) as jets, one after another into `put`. `room` has 4 + 2 count jets.
typedef void (*put_jet)(void* context, int number, const double* jet);

static void find_amplitudes(const lb_fork_family* g, const lb_jet_at* at, double* room,
                            put_jet put, void* context) {
  const size_t size = jet_size(at);
  const int r = g->r;
  double *alpha = room, *way = alpha + (size_t)g->count * size, *product = way + size;
  weigh(g, at, INVERSE_SQUARE, alpha, product + size);
  for (int i = 0; i < g->count; i++) {
    put(context, i * (1 + r), alpha + (size_t)i * size);
  }
  for (int k = 0; k < r; k++) {
    for (int i = 0; i < g->count; i++) {
      lb_fork_jet_coordinate(at, way, k, 1); // y - (y_i + ybar) / 2
      way[0] -= 0.5 * g->y[i * r + k];
      for (int j = 0; j < g->count; j++) {
        lb_fork_jet_add(at, way, -0.5 * g->y[j * r + k], alpha + (size_t)j * size);
      }
      lb_fork_jet_multiply(at, product, alpha + (size_t)i * size, way);
      put(context, i * (1 + r) + 1 + k, product);
    }
  }
}

typedef struct second {
  int r;
  double *z, *J, *H;
} second;

static void put_second(void* context, int number, const double* jet) {
  const second* to = context;
  const size_t r = (size_t)to->r, at = (size_t)number;
  to->z[at] = jet[0];
  memcpy(to->J + at * r, jet + 1, r * sizeof *jet);
  memcpy(to->H + at * r * r, jet + 1 + r, r * r * sizeof *jet);
}

static void evaluate(const void* context, double* z, double* J, double* H, const double* eta,
                     double* scratch) {
  const lb_fork_family* g = context;
  const lb_jet_at at = {LB_JET_SECOND, g->r, eta, NULL};
  find_amplitudes(g, &at, scratch, put_second, &(second){g->r, z, J, H});
}

typedef struct third {
  int r;
  double* third;
} third;

static void put_third(void* context, int number, const double* jet) {
  const third* to = context;
  memcpy(to->third + number * to->r, jet + 3 + 2 * to->r, (size_t)to->r * sizeof *jet);
}

static void evaluate_third(const void* context, double* out, const double* eta, const double* etad,
                           double* scratch) {
  const lb_fork_family* g = context;
  const lb_jet_at at = {LB_JET_PATH, g->r, eta, etad};
  find_amplitudes(g, &at, scratch, put_third, &(third){g->r, out});
}

// Both kinds of jets have room in it.
static int scratch_of(const lb_fork_family* g) {
  const size_t a = lb_fork_jet_size(LB_JET_SECOND, g->r), b = lb_fork_jet_size(LB_JET_PATH, g->r);
  return (4 + 2 * g->count) * (int)(a > b ? a : b);
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

// Jet of V_i.
static void find_energy(const lb_fork_family* g, const lb_jet_at* at, int i, double* out) {
  const int r = g->r;
  const double *f = g->f + i * r, *K = g->K + i * r * r;
  lb_fork_jet_constant(at, out, g->v[i]);
  memcpy(out + 1 + r, K, (size_t)(r * r) * sizeof *out);
  for (int k = 0; k < r; k++) {
    const double d = at->y[k] - g->y[i * r + k];
    double pull = 0;
    for (int l = 0; l < r; l++) {
      pull += K[k * r + l] * (at->y[l] - g->y[i * r + l]);
    }
    out[1 + k] = f[k] + pull;
    out[0] += d * (f[k] + 0.5 * pull);
  }
}

// Jets of the weights into scratch, and of (2) behind them, which is returned.
static double* blend_energies(const lb_fork_family* g, const double* eta, double* scratch) {
  const lb_jet_at at = {LB_JET_SECOND, g->r, eta, NULL};
  const size_t size = jet_size(&at);
  double *sum = scratch + (size_t)g->count * size, *own = sum + size, *product = own + size;
  weigh(g, &at, INVERSE_CUBE, scratch, own);
  memset(sum, 0, size * sizeof *sum);
  for (int i = 0; i < g->count; i++) {
    find_energy(g, &at, i, own);
    lb_fork_jet_multiply(&at, product, scratch + (size_t)i * size, own);
    lb_fork_jet_add(&at, sum, 1, product);
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
                          .f = LB_TAKE(arena, double, m* n),
                          .K = LB_TAKE(arena, double, m* n* n),
                          .D = LB_TAKE(arena, double, m* n* n),
                          .unit = 1};
  }
  return lb_arena_status(arena) == LB_OK ? g : NULL;
}

void lb_fork_family_measure(lb_fork_family* g) {
  double sum = 0;
  int pairs = 0;
  for (int i = 0; i < g->count; i++) {
    for (int k = 0; k < i; k++, pairs++) {
      for (int c = 0; c < g->r; c++) {
        const double d = g->y[i * g->r + c] - g->y[k * g->r + c];
        sum += d * d;
      }
    }
  }
  g->unit = sum > 0 ? pairs / sum : 1;
}

// (3)
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

void lb_fork_family_level(lb_fork_family* g) {
  for (int i = 0; i < g->count; i++) {
    g->v[i] = 0;
    for (int k = 0; k < g->count; k++) {
      g->v[i] += climb(g, k, i) / g->count;
    }
  }
}
