// Eigenvectors of models' compliances that belong together, for [fork] algorithm 3 as it should be.
//
// The document takes for each eigenvector of the first model the most similar one of another, as it
// comes. Three things are mended here: each is taken once (the assignment with the greatest sum of
// |cosines|), signs are made to agree, and vectors of equal eigenvalues, which are any basis of
// their space, are turned towards those they belong to.
#include <math.h>
#include <string.h>

#include "fork/fork_blend.h"
#include "math/linear/dense.h"

static const double RIGID = 1e-12; // part of the largest eigenvalue below which there is none
static const double EQUAL = 1e-7;  // part of the largest by which eigenvalues differ that do not

// One model's eigenvectors, rows of ld + 1 numbers, the last of which is the eigenvalue.
static double* vector_of(const lb_fork_blending* o, int model, int j) {
  return o->eigen + ((size_t)model * (size_t)o->n + (size_t)j) * (size_t)(o->ld + 1);
}

static double value_of(const lb_fork_blending* o, int model, int j) {
  return vector_of(o, model, j)[o->ld];
}

static bool decompose(const lb_fork_blend* b, int i, lb_arena* scratch) {
  const lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n, ld = (size_t)o->ld;
  const double* C = lb_fork_pair_at(o, i, i) + ld;
  double *V = LB_TAKE(scratch, double, n*n), *w = LB_TAKE(scratch, double, n);
  for (size_t k = 0; V && k < n * n; k++) {
    V[k] = C[k / n * ld + k % n];
  }
  if (!V || !w || lb_eigen_symmetric(scratch, o->n, V, o->n, w) != LB_OK) {
    return false;
  }
  for (int j = 0; j < o->n; j++) { // the largest first
    const size_t from = n - 1 - (size_t)j;
    memcpy(vector_of(o, i, j), V + from * n, n * sizeof *V);
    vector_of(o, i, j)[ld] = fmax(0, w[from]);
  }
  return true;
}

// Rows to columns with the least sum of cost [n][n], by augmenting paths with potentials (the
// Hungarian algorithm). `match` [n]: column of each row. Scratch: 4 (n + 1) numbers.
static void assign(int n, const double* cost, int* match, double* work, int* way) {
  double *u = work, *v = u + n + 1, *least = v + n + 1;
  int *row = way + n + 1, *seen = row + n + 1; // columns are counted from 1, 0 is none
  memset(work, 0, 3 * ((size_t)n + 1) * sizeof *work);
  memset(way, 0, 3 * ((size_t)n + 1) * sizeof *way);
  for (int i = 1; i <= n; i++) {
    int j0 = 0;
    row[0] = i;
    for (int j = 0; j <= n; j++) {
      least[j] = INFINITY;
      seen[j] = 0;
    }
    while (row[j0] != 0) { // to a column that is free
      const int i0 = row[j0];
      int j1 = 0;
      double delta = INFINITY;
      seen[j0] = 1;
      for (int j = 1; j <= n; j++) {
        const double x = cost[(i0 - 1) * n + j - 1] - u[i0] - v[j];
        if (!seen[j] && x < least[j]) {
          least[j] = x;
          way[j] = j0;
        }
        if (!seen[j] && least[j] < delta) {
          delta = least[j];
          j1 = j;
        }
      }
      for (int j = 0; j <= n; j++) {
        if (seen[j]) {
          u[row[j]] += delta;
          v[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      j0 = j1;
    }
    for (; j0 != 0; j0 = way[j0]) {
      row[j0] = row[way[j0]];
    }
  }
  for (int j = 1; j <= n; j++) {
    match[row[j] - 1] = j - 1;
  }
}

// End of the cluster of equal eigenvalues that begins at j.
static int cluster_end(const lb_fork_blending* o, int model, int j) {
  const double most = value_of(o, model, 0);
  int end = j + 1;
  while (end < o->n && value_of(o, model, end - 1) - value_of(o, model, end) <= EQUAL * most) {
    end++;
  }
  return end;
}

// Vectors j to end of a model become a basis of their space that is nearest to `toward` [end -
// j][n] one by one.
static void turn_cluster(const lb_fork_blending* o, int model, int j, int end, const double* toward,
                         double* basis) {
  const size_t n = (size_t)o->n;
  for (int k = j; k < end; k++) {
    double* to = basis + (size_t)(k - j) * n;
    memset(to, 0, n * sizeof *to);
    for (int c = j; c < end; c++) { // its projection into the space
      const double* v = vector_of(o, model, c);
      lb_add(o->n, to, lb_dot(o->n, v, toward + (size_t)(k - j) * n), v);
    }
    for (int c = j; c < k; c++) {
      const double* v = basis + (size_t)(c - j) * n;
      lb_add(o->n, to, -lb_dot(o->n, v, to), v);
    }
    const double length = sqrt(lb_dot(o->n, to, to));
    if (length < 0.1) { // nothing to go by: as it is
      return;
    }
    for (size_t i = 0; i < n; i++) {
      to[i] /= length;
    }
  }
  for (int k = j; k < end; k++) {
    memcpy(vector_of(o, model, k), basis + (size_t)(k - j) * n, n * sizeof *basis);
  }
}

typedef struct matching {
  double *cost, *work, *toward, *basis, *sorted;
  int *match, *way;
} matching;

static bool is_rigid(const lb_fork_blending* o, int model, int j) {
  return value_of(o, model, j) <= RIGID * value_of(o, model, 0);
}

// match[j]: the vector of the model that belongs to the first model's j. One that gives way belongs
// to one that is rigid only where the ranks of the models differ.
static void match_model(const lb_fork_blending* o, int model, matching* s) {
  const int n = o->n;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < n; k++) {
      const bool same = is_rigid(o, 0, j) == is_rigid(o, model, k);
      s->cost[j * n + k] = same ? -fabs(lb_dot(n, vector_of(o, 0, j), vector_of(o, model, k))) : 1;
    }
  }
  assign(n, s->cost, s->match, s->work, s->way);
}

// Clusters of `model` towards those of `other`; `of` [n]: which one of the other belongs to each.
static void turn_clusters(const lb_fork_blending* o, int model, int other, const int* of,
                          matching* s) {
  const size_t n = (size_t)o->n;
  for (int j = 0; j < o->n;) {
    const int end = cluster_end(o, model, j);
    for (int k = j; k < end && end > j + 1; k++) {
      memcpy(s->toward + (size_t)(k - j) * n, vector_of(o, other, of[k]), n * sizeof *s->toward);
    }
    if (end > j + 1) {
      turn_cluster(o, model, j, end, s->toward, s->basis);
    }
    j = end;
  }
}

// In the order of the first model, with its signs.
static void sort_model(const lb_fork_blending* o, int model, matching* s) {
  const size_t n = (size_t)o->n, stride = (size_t)o->ld + 1;
  memcpy(s->sorted, vector_of(o, model, 0), n * stride * sizeof *s->sorted);
  for (int j = 0; j < o->n; j++) {
    double* to = vector_of(o, model, j);
    memcpy(to, s->sorted + (size_t)s->match[j] * stride, stride * sizeof *to);
    const double sign = lb_dot(o->n, to, vector_of(o, 0, j)) < 0 ? -1 : 1;
    for (size_t k = 0; k < n; k++) {
      to[k] *= sign;
    }
  }
}

bool lb_fork_match_eigenvectors(lb_fork_blend* b, lb_arena* a) {
  const lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n;
  matching s = {.cost = LB_TAKE(a, double, n* n),
                .work = LB_TAKE(a, double, 3 * (n + 1)),
                .toward = LB_TAKE(a, double, n* n),
                .basis = LB_TAKE(a, double, n* n),
                .sorted = LB_TAKE(a, double, n*((size_t)o->ld + 1)),
                .match = LB_TAKE(a, int, 2 * n),
                .way = LB_TAKE(a, int, 3 * (n + 1))};
  bool ok = lb_arena_status(a) == LB_OK;
  for (int i = 0; i < b->count && ok; i++) {
    ok = decompose(b, i, a);
  }
  int* back = s.match ? s.match + n : NULL;      // the first model's vector of each
  for (int i = b->count - 1; i > 0 && ok; i--) { // the first model's own clusters
    match_model(o, i, &s);
    turn_clusters(o, 0, i, s.match, &s);
  }
  for (int i = 1; i < b->count && ok; i++) {
    match_model(o, i, &s);
    for (int j = 0; j < o->n; j++) {
      back[s.match[j]] = j;
    }
    turn_clusters(o, i, 0, back, &s);
    sort_model(o, i, &s);
  }
  return ok;
}
