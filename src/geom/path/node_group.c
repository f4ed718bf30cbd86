#include "geom/path/node_group.h"

#include <string.h>

#include "math/linear/dense.h"

enum { MOST_STEPS = 60 };
static const double DONE = 1e-13, ENOUGH = 1e-9; // of unit vectors, or of metres

void lb_group_slopes_clear(int N, const lb_node_group* g, bool by_z, lb_group_slopes* out) {
  const size_t size = 3 * (size_t)g->n, numbers = (size_t)lb_group_numbers(g);
  for (int n = 0; n <= N; n++) {
    memset(out->by_x[n], 0, size * size * sizeof(double));
    memset(out->by_z[n], 0, (by_z ? size * numbers : 0) * sizeof(double));
  }
}

// --- Newton's method ---

// Residual and, factored, its derivatives at x.
typedef struct newton {
  double r[LB_GROUP_UNKNOWNS], LU[LB_GROUP_UNKNOWNS * LB_GROUP_UNKNOWNS];
  int pivot[LB_GROUP_UNKNOWNS];
  lb_group_motion at;
  lb_group_slopes slopes;
} newton;

static void evaluate(const lb_node_group* g, lb_group_solution* s, newton* w) {
  const int size = 3 * g->n;
  for (int k = 0; k < g->n; k++) {
    w->at.x[k].x = s->x[k];
  }
  g->type->linearise(0, g, &w->at, false, &w->slopes);
  s->residual = 0;
  for (int i = 0; i < size; i++) {
    const double r = w->r[i] = w->slopes.G[0][i];
    s->residual = fmax(s->residual, isfinite(r) ? fabs(r) : (double)INFINITY);
  }
}

static bool factor(const lb_node_group* g, lb_group_solution* s, newton* w) {
  const int size = 3 * g->n;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      w->LU[j * size + i] = w->slopes.by_x[0][i * size + j];
    }
  }
  s->regular = isfinite(s->residual) && lb_lu(size, w->LU, size, w->pivot) == LB_OK;
  return s->regular;
}

// A step that is halved until the residual falls. False: it does not.
static bool descend(const lb_node_group* g, lb_group_solution* s, newton* w) {
  const int size = 3 * g->n;
  lb_vec3 from[LB_GROUP_NODES];
  double step[LB_GROUP_UNKNOWNS];
  const double residual = s->residual;
  memcpy(from, s->x, sizeof from);
  memcpy(step, w->r, (size_t)size * sizeof *step);
  lb_lu_solve(size, w->LU, size, w->pivot, 1, step, size);
  for (double part = 1; part > 1e-4; part *= 0.5) {
    for (int k = 0; k < g->n; k++) {
      const lb_vec3 d = {step[3 * k], step[3 * k + 1], step[3 * k + 2]};
      s->x[k] = lb_vec3_add(from[k], lb_vec3_scale(-part, d));
    }
    evaluate(g, s, w);
    if (s->residual < residual) {
      return true;
    }
  }
  memcpy(s->x, from, sizeof from);
  evaluate(g, s, w);
  return false;
}

static void invert(const lb_node_group* g, lb_group_solution* s, const newton* w) {
  const int size = 3 * g->n;
  memset(s->inverse, 0, (size_t)(size * size) * sizeof *s->inverse);
  for (int i = 0; i < size; i++) {
    s->inverse[i * size + i] = 1;
  }
  // rows of the inverse are columns of that of the transpose
  lb_lu_solve_transposed(size, w->LU, size, w->pivot, size, s->inverse, size);
}

// A last step, which needs no evaluation: rates of places that are off by what Newton's method
// leaves would be off by far more.
static void refine(const lb_node_group* g, lb_group_solution* s, const newton* w) {
  const int size = 3 * g->n;
  for (int i = 0; i < size && s->residual < ENOUGH; i++) {
    double step = 0;
    for (int j = 0; j < size; j++) {
      step += s->inverse[i * size + j] * w->r[j];
    }
    (&s->x[i / 3].x)[i % 3] -= step;
  }
}

bool lb_group_solve(const lb_node_group* g, lb_group_solution* s, const lb_vec3* place,
                    const double* coordinate) {
  newton w;
  for (int i = 0; i < g->nplace; i++) {
    w.at.place[i] = (lb_path_end){.x = place[i]};
  }
  for (int i = 0; i < g->ncoordinate; i++) {
    memcpy(w.at.coordinate[i], (double[]){coordinate[i], 0, 0}, sizeof w.at.coordinate[i]);
  }
  for (int k = 0; k < g->n; k++) {
    w.at.x[k] = (lb_path_end){.x = s->x[k]};
  }
  evaluate(g, s, &w);
  bool found = factor(g, s, &w), goes = found;
  for (int k = 0; k < MOST_STEPS && goes && s->residual > DONE; k++) {
    goes = descend(g, s, &w);
    found = factor(g, s, &w);
    goes = goes && found;
  }
  if (found) {
    invert(g, s, &w);
    refine(g, s, &w);
  }
  return found && s->residual < ENOUGH;
}

// --- rates and derivatives ---

// out += A B, by rows: A [m][k], B [k][n].
static void add_product(int m, int k, int n, const double* A, const double* B, double* out) {
  for (int i = 0; i < m; i++) {
    for (int l = 0; l < k; l++) {
      const double a = A[i * k + l];
      for (int j = 0; j < n; j++) {
        out[i * n + j] += a * B[l * n + j];
      }
    }
  }
}

// x = -A^-1 b for n columns.
static void solve_for(const lb_group_solution* s, int size, int n, const double* b, double* x) {
  memset(x, 0, (size_t)(size * n) * sizeof *x);
  add_product(size, size, n, s->inverse, b, x);
  for (int i = 0; i < size * n; i++) {
    x[i] = -x[i];
  }
}

// c_n, those of lower orders being there.
static void find_slope(const lb_node_group* g, const lb_group_solution* s, int order,
                       lb_group_slopes* G, double* c) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g), step = size * numbers;
  for (int k = 1; k <= order; k++) {
    add_product(size, size, numbers, G->by_x[k], c + (order - k) * step, G->by_z[order]);
  }
  solve_for(s, size, numbers, G->by_z[order], c + order * step);
}

// Numbers of z, of their rates (1) or of the rates of these (2).
static void gather(const lb_node_group* g, const lb_group_motion* m, int rate, double* out) {
  for (int i = 0; i < g->nplace; i++) {
    memcpy(out + 3 * i, rate == 1 ? &m->place[i].xd : &m->place[i].xdd, sizeof(lb_vec3));
  }
  for (int i = 0; i < g->ncoordinate; i++) {
    out[3 * g->nplace + i] = m->coordinate[i][rate];
  }
}

static void set_rates(const lb_node_group* g, lb_group_motion* m, int rate, const double* v) {
  for (int k = 0; k < g->n; k++) {
    *(rate == 1 ? &m->x[k].xd : &m->x[k].xdd) = lb_vec3_make(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
  }
}

// xdd, where G is there to order 1 along the velocities.
static void accelerate(const lb_node_group* g, const lb_group_solution* s, lb_group_motion* m,
                       const lb_group_slopes* G, const double* c, const double* zd,
                       const double* xd) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g);
  double b[LB_GROUP_UNKNOWNS] = {0}, xdd[LB_GROUP_UNKNOWNS], zdd[LB_GROUP_NUMBERS];
  add_product(size, size, 1, G->by_x[1], xd, b);
  add_product(size, numbers, 1, G->by_z[1], zd, b);
  solve_for(s, size, 1, b, xdd);
  gather(g, m, 2, zdd);
  add_product(size, numbers, 1, c, zdd, xdd);
  set_rates(g, m, 2, xdd);
}

void lb_group_follow(int N, int M, const lb_node_group* g, const lb_group_solution* s,
                     lb_group_motion* m, double* c) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g);
  for (int k = 0; k < g->n; k++) {
    m->x[k] = (lb_path_end){.x = s->x[k]};
  }
  if (!s->regular) {
    memset(c, 0, (size_t)((M + 1) * size * numbers) * sizeof *c);
    return;
  }
  lb_group_slopes G;
  double zd[LB_GROUP_NUMBERS], xd[LB_GROUP_UNKNOWNS] = {0};
  g->type->linearise(0, g, m, true, &G);
  find_slope(g, s, 0, &G, c);
  if (N > 0) {
    gather(g, m, 1, zd);
    add_product(size, numbers, 1, c, zd, xd);
    set_rates(g, m, 1, xd);
  }
  if (N > 1 || M == 1) {
    g->type->linearise(1, g, m, true, &G);
  }
  if (N > 1) {
    accelerate(g, s, m, &G, c, zd, xd);
  }
  if (M > 1) {
    g->type->linearise(2, g, m, true, &G);
  }
  for (int n = 1; n <= M; n++) {
    find_slope(g, s, n, &G, c);
  }
}

// With lambda = -A^-T f: f.d2x/dz2 dz = (B_1 + A_1 c)'lambda, along z + t dz and x + t c dz.
void lb_group_curve(const lb_node_group* g, const lb_group_solution* s, const lb_group_motion* m,
                    const double* c, const double* f, const double* dz, double* out) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g);
  double dx[LB_GROUP_UNKNOWNS] = {0}, lambda[LB_GROUP_UNKNOWNS] = {0};
  lb_group_motion along;
  lb_group_slopes G;
  memset(out, 0, (size_t)numbers * sizeof *out);
  if (!s->regular) {
    return;
  }
  for (int i = 0; i < g->nplace; i++) {
    along.place[i] =
        (lb_path_end){.x = m->place[i].x, .xd = {dz[3 * i], dz[3 * i + 1], dz[3 * i + 2]}};
  }
  for (int i = 0; i < g->ncoordinate; i++) {
    along.coordinate[i][0] = m->coordinate[i][0];
    along.coordinate[i][1] = dz[3 * g->nplace + i];
    along.coordinate[i][2] = 0;
  }
  add_product(size, numbers, 1, c, dz, dx);
  for (int k = 0; k < g->n; k++) {
    along.x[k] = (lb_path_end){.x = s->x[k]};
  }
  set_rates(g, &along, 1, dx);
  g->type->linearise(1, g, &along, true, &G);
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      lambda[j] -= s->inverse[i * size + j] * f[i];
    }
  }
  add_product(size, size, numbers, G.by_x[1], c, G.by_z[1]);
  add_product(1, size, numbers, lambda, G.by_z[1], out);
}
