#include "math/contact/contact_sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear/dense.h"
#include "math/space/wide.h"

enum { GROUPS_MOST = 4096, WIDE = 8 }; // adjacency has a bit for each pair; width of free bodies

void lb_contact_sparse_carve(lb_contact_sparse* s, lb_carver* c, int rows, int groups,
                             int velocities, size_t values) {
  const size_t g = (size_t)groups, v = (size_t)velocities;
  s->most_groups = groups < GROUPS_MOST ? groups : GROUPS_MOST;
  s->most_values = values;
  s->most_couplings = (int)(values / (2 * 16)); // of blocks four wide
  const size_t most = (size_t)s->most_groups;
  lb_contact_scaled_carve(&s->system, c, rows);
  s->group = lb_carve(c, most, sizeof(int));
  s->place = lb_carve(c, g, sizeof(int));
  s->width = lb_carve(c, most, sizeof(int));
  s->offset = lb_carve(c, most + 1, sizeof(int));
  s->diagonal = lb_carve(c, most, sizeof(int));
  s->first = lb_carve(c, most + 1, sizeof(int));
  s->coupling = lb_carve(c, (size_t)s->most_couplings, sizeof *s->coupling);
  s->value = lb_carve(c, values, sizeof(double));
  s->pivot = lb_carve(c, v, sizeof(int));
  s->du = lb_carve(c, v, sizeof(double));
  s->right = lb_carve(c, v, sizeof(double));
  s->f = lb_carve(c, (size_t)rows, sizeof(double));
  s->K = lb_carve(c, (size_t)rows * LB_CONTACT_BLOCK_MOST, sizeof(double));
  s->bits = lb_carve(c, most * ((most + 63) / 64), sizeof(uint64_t));
  s->degree = lb_carve(c, most, sizeof(int));
}

// --- order of elimination ---

static size_t words(const lb_contact_sparse* s) {
  return ((size_t)s->ngroup + 63) / 64;
}

static uint64_t* neighbours(const lb_contact_sparse* s, int i) {
  return s->bits + (size_t)i * words(s);
}

static void set_bit(uint64_t* row, int j) {
  row[j / 64] |= (uint64_t)1 << (j % 64);
}
static void clear_bit(uint64_t* row, int j) {
  row[j / 64] &= ~((uint64_t)1 << (j % 64));
}

static int count_bits(const uint64_t* row, size_t n) {
  int count = 0;
  for (size_t k = 0; k < n; k++) {
    count += __builtin_popcountll(row[k]);
  }
  return count;
}

// Pairs of groups that share a block; `place` has their numbers in the island meanwhile.
static void find_neighbours(lb_contact_sparse* s, const lb_contact_islands* g, int island) {
  const lb_contact_problem* p = s->problem;
  memset(s->bits, 0, (size_t)s->ngroup * words(s) * sizeof *s->bits);
  for (int k = g->first[island]; k < g->first[island + 1]; k++) {
    const int* of = p->row[p->block[g->block[k]]].group;
    if (of[0] >= 0 && of[1] >= 0) {
      const int a = s->place[of[0]], b = s->place[of[1]];
      set_bit(neighbours(s, a), b);
      set_bit(neighbours(s, b), a);
    }
  }
  for (int i = 0; i < s->ngroup; i++) {
    s->degree[i] = count_bits(neighbours(s, i), words(s));
  }
}

// The group that is left with fewest neighbours; the first of several.
static int next_group(const lb_contact_sparse* s) {
  int best = -1;
  for (int i = 0; i < s->ngroup; i++) {
    if (s->degree[i] >= 0 && (best < 0 || s->degree[i] < s->degree[best])) {
      best = i;
    }
  }
  return best;
}

// Elimination of group v joins all its neighbours.
static void eliminate(lb_contact_sparse* s, int v) {
  const size_t n = words(s);
  const uint64_t* row = neighbours(s, v);
  for (size_t k = 0; k < n; k++) {
    for (uint64_t left = row[k]; left; left &= left - 1) {
      const int i = (int)(64 * k) + __builtin_ctzll(left);
      uint64_t* other = neighbours(s, i);
      for (size_t m = 0; m < n; m++) {
        other[m] |= row[m];
      }
      clear_bit(other, i);
      clear_bit(other, v);
      s->degree[i] = count_bits(other, n);
    }
  }
  s->degree[v] = -1;
}

static bool take_values(lb_contact_sparse* s, int rows, int columns, int* at) {
  *at = (int)s->nvalue;
  s->nvalue += (size_t)rows * (size_t)columns;
  return s->nvalue <= s->most_values;
}

// Blocks of the pattern: `order` has the numbers of groups in the island by place, and `number` the
// places by number.
static bool lay_blocks(lb_contact_sparse* s, const int* order, const int* number) {
  int count = 0;
  s->nvalue = 0;
  for (int k = 0; k < s->ngroup; k++) {
    const uint64_t* row = neighbours(s, order[k]); // before its place takes the block's
    s->first[k] = count;
    if (!take_values(s, s->width[k], s->width[k], &s->diagonal[k])) {
      return false;
    }
    for (size_t m = 0; m < words(s); m++) {
      for (uint64_t left = row[m]; left; left &= left - 1) {
        const int to = number[(int)(64 * m) + __builtin_ctzll(left)];
        if (count == s->most_couplings) {
          return false;
        }
        lb_contact_coupling_block* b = &s->coupling[count++];
        b->to = to;
        if (!take_values(s, s->width[to], s->width[k], &b->lower) ||
            !take_values(s, s->width[k], s->width[to], &b->upper)) {
          return false;
        }
      }
    }
  }
  s->first[s->ngroup] = count;
  return true;
}

static void apply(void* matrix, const lb_contact_scaled* s, const double* x, double* y);
static bool step(void* matrix, lb_contact_scaled* s);

static const lb_contact_operator SPARSE = {apply, step};

bool lb_contact_sparse_lay(lb_contact_sparse* s, const lb_contact_problem* p,
                           const lb_contact_islands* islands, int island) {
  const int begin = islands->first_group[island];
  const int first = islands->first[island], nblock = islands->first[island + 1] - first;
  const int* group = islands->group + begin;
  s->ngroup = islands->first_group[island + 1] - begin;
  if (s->ngroup > s->most_groups) {
    return false;
  }
  s->problem = p;
  for (int i = 0; i < s->ngroup; i++) {
    s->place[group[i]] = i;
  }
  find_neighbours(s, islands, island);
  int* order = s->diagonal; // which has room and is not used yet
  for (int k = 0, at = 0; k < s->ngroup; k++) {
    const int v = next_group(s);
    order[k] = v;
    s->group[k] = group[v];
    s->width[k] = lb_contact_width(p, group[v]);
    s->offset[k] = at;
    at += s->width[k];
    s->offset[k + 1] = at;
    eliminate(s, v);
  }
  for (int k = 0; k < s->ngroup; k++) {
    s->place[s->group[k]] = k;
    s->degree[order[k]] = k; // place by number, from here on
  }
  lb_contact_scaled_take(&s->system, p, nblock, islands->block + first);
  s->system.op = &SPARSE;
  s->system.matrix = s;
  return lay_blocks(s, order, s->degree);
}

// --- products ---

// v += Z D x, in the order of elimination.
static void add_velocities(const lb_contact_sparse* s, const lb_contact_scaled* sys,
                           const double* x, double* v) {
  const lb_contact_problem* p = s->problem;
  for (int i = 0; i < sys->n; i++) {
    const lb_contact_row* r = &p->row[sys->row[i]];
    for (int k = 0; k < 2 && x[i] != 0; k++) {
      if (r->group[k] >= 0) {
        const int at = s->place[r->group[k]];
        lb_add(s->width[at], v + s->offset[at], sys->D[i] * x[i], p->Z + r->entry[k]);
      }
    }
  }
}

// D J v
static double row_product(const lb_contact_sparse* s, const lb_contact_scaled* sys, int i,
                          const double* v) {
  const lb_contact_row* r = &s->problem->row[sys->row[i]];
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    if (r->group[k] >= 0) {
      const int at = s->place[r->group[k]];
      sum += lb_dot(s->width[at], v + s->offset[at], s->problem->J + r->entry[k]);
    }
  }
  return sys->D[i] * sum;
}

static double scaled_compliance(const lb_contact_sparse* s, const lb_contact_scaled* sys, int i) {
  return sys->D[i] * sys->D[i] * s->problem->row[sys->row[i]].c;
}

// A_s x into y, with velocities in v.
static void product(const lb_contact_sparse* s, const lb_contact_scaled* sys, const double* x,
                    double* v, double* y) {
  memset(v, 0, (size_t)s->offset[s->ngroup] * sizeof *v);
  add_velocities(s, sys, x, v);
  for (int i = 0; i < sys->n; i++) {
    y[i] = row_product(s, sys, i, v) + scaled_compliance(s, sys, i) * x[i];
  }
}

static void apply(void* matrix, const lb_contact_scaled* sys, const double* x, double* y) {
  lb_contact_sparse* s = matrix;
  product(s, sys, x, s->right, y);
  for (int i = 0; i < sys->n; i++) {
    y[i] += sys->q[i];
  }
}

// --- elimination of rows ---

// f and K of the block at rows [at, at + m).                             (1)
static bool block_relation(lb_contact_sparse* s, const lb_contact_scaled* sys, int at, int m) {
  double N[LB_CONTACT_BLOCK_MOST * LB_CONTACT_BLOCK_MOST] = {0};
  int pivot[LB_CONTACT_BLOCK_MOST];
  double *K = s->K + at * LB_CONTACT_BLOCK_MOST, *f = s->f + at;
  memset(K, 0, (size_t)(m * m) * sizeof *K);
  for (int i = 0; i < m; i++) {
    const int r = at + i;
    K[i + i * m] = sys->P[r];
    if (sys->kind[r] == LB_CONTACT_SET_2) {
      K[i + (i + 1) * m] = K[i + 1 + i * m] = sys->Q[r];
    }
    f[i] = -sys->F[r];
  }
  for (int j = 0; j < m; j++) {
    const double c = scaled_compliance(s, sys, at + j) + sys->eps;
    for (int i = 0; i < m; i++) {
      N[i + j * m] = (i == j) - K[i + j * m] * (1 - c);
    }
  }
  for (int i = 0; i < m; i++) {
    const int first = sys->kind[at + i] == LB_CONTACT_SECOND ? at + i - 1 : at + i;
    if (sys->normal[first] >= 0) {
      N[i + (sys->normal[first] - at) * m] -= sys->N[at + i];
    }
  }
  if (lb_lu(m, N, m, pivot) != LB_OK) {
    return false;
  }
  lb_lu_solve(m, N, m, pivot, m, K, m);
  lb_lu_solve(m, N, m, pivot, 1, f, m);
  return true;
}

// Block (to, from) of the matrix of groups.
static double* find_block(const lb_contact_sparse* s, int to, int from) {
  if (to == from) {
    return s->value + s->diagonal[to];
  }
  const int early = to < from ? to : from, late = to < from ? from : to;
  for (int k = s->first[early]; k < s->first[early + 1]; k++) {
    if (s->coupling[k].to == late) {
      return s->value + (to > from ? s->coupling[k].lower : s->coupling[k].upper);
    }
  }
  return NULL;
}

// The same of a point between free bodies.
static void add_wide_block(const lb_contact_sparse* s, const lb_contact_scaled* sys, int at, int a,
                           int b, double* B) {
  enum { M = 3 };
  const lb_contact_problem* p = s->problem;
  const lb_contact_row* rows = &p->row[sys->row[at]];
  const double* K = s->K + at * LB_CONTACT_BLOCK_MOST;
  lb_v8 J[M], Z[M], t[M];
  for (int i = 0; i < M; i++) {
    J[i] = lb_v8_scale(sys->D[at + i], lb_v8_load(p->J + rows[i].entry[b]));
    Z[i] = lb_v8_scale(sys->D[at + i], lb_v8_load(p->Z + rows[i].entry[a]));
  }
  for (int i = 0; i < M; i++) {
    t[i] = lb_v8_scale(K[i], J[0]);
    t[i] = lb_v8_add(lb_v8_add(t[i], K[i + M], J[1]), K[i + 2 * M], J[2]);
  }
  for (int c = 0; c < WIDE; c++) {
    lb_v8 sum = lb_v8_load(B + c * WIDE);
    for (int i = 0; i < M; i++) {
      sum = lb_v8_add(sum, lb_v8_lane(t[i], c), Z[i]);
    }
    lb_v8_store(B + c * WIDE, sum);
  }
}

// sum Z K J of a block between two of its groups, added.
static void add_block(lb_contact_sparse* s, const lb_contact_scaled* sys, int at, int m, int a,
                      int b) {
  const lb_contact_problem* p = s->problem;
  const lb_contact_row* rows = &p->row[sys->row[at]];
  const int to = s->place[rows->group[a]], from = s->place[rows->group[b]];
  const int height = s->width[to], width = s->width[from];
  const double* K = s->K + at * LB_CONTACT_BLOCK_MOST;
  double* B = find_block(s, to, from);
  if (m == 3 && height == WIDE && width == WIDE) {
    add_wide_block(s, sys, at, a, b, B);
    return;
  }
  for (int c = 0; c < width; c++) {
    double t[LB_CONTACT_BLOCK_MOST] = {0};
    for (int j = 0; j < m; j++) {
      const double Jc = sys->D[at + j] * p->J[rows[j].entry[b] + c];
      for (int i = 0; i < m && Jc != 0; i++) {
        t[i] += K[i + j * m] * Jc;
      }
    }
    for (int i = 0; i < m; i++) {
      if (t[i] != 0) {
        lb_add(height, B + (size_t)c * (size_t)height, sys->D[at + i] * t[i],
               p->Z + rows[i].entry[a]);
      }
    }
  }
}

static bool assemble(lb_contact_sparse* s, const lb_contact_scaled* sys) {
  memset(s->value, 0, s->nvalue * sizeof *s->value);
  for (int k = 0; k < s->ngroup; k++) {
    for (int i = 0; i < s->width[k]; i++) {
      s->value[s->diagonal[k] + i * (s->width[k] + 1)] = 1;
    }
  }
  for (int at = 0; at < sys->n; at = sys->end[at]) {
    const int m = sys->end[at] - at;
    if (!block_relation(s, sys, at, m)) {
      return false;
    }
    const int* g = s->problem->row[sys->row[at]].group;
    for (int a = 0; a < 2; a++) {
      for (int b = 0; b < 2; b++) {
        if (g[a] >= 0 && g[b] >= 0) {
          add_block(s, sys, at, m, a, b);
        }
      }
    }
  }
  return true;
}

// --- factors ---

// C -= A B, of blocks that are 8 wide: what free bodies have.
static void subtract_eight(double* C, const double* A, const double* B) {
  lb_v8 a[WIDE];
  for (int k = 0; k < WIDE; k++) {
    a[k] = lb_v8_load(A + k * WIDE);
  }
  for (int j = 0; j < WIDE; j++) {
    lb_v8 c = lb_v8_load(C + j * WIDE);
    for (int k = 0; k < WIDE; k++) {
      c = lb_v8_add(c, -B[j * WIDE + k], a[k]);
    }
    lb_v8_store(C + j * WIDE, c);
  }
}

static void subtract_product(double* C, const double* A, const double* B, int rows, int inner,
                             int columns) {
  if (rows == WIDE && inner == WIDE && columns == WIDE) {
    subtract_eight(C, A, B);
    return;
  }
  for (int j = 0; j < columns; j++) {
    for (int k = 0; k < inner; k++) {
      lb_add(rows, C + (size_t)j * (size_t)rows, -B[(size_t)j * (size_t)inner + (size_t)k],
             A + (size_t)k * (size_t)rows);
    }
  }
}

// Inverse in place of a block that is eight wide, by Gauss and Jordan's steps on columns: they
// bring A to the identity, and the identity to A^-1. False: it is singular.
static bool invert_eight(double* A) {
  lb_v8 a[WIDE], b[WIDE];
  for (int k = 0; k < WIDE; k++) {
    a[k] = lb_v8_load(A + k * WIDE);
    b[k] = lb_v8_set_lane(lb_v8_zero(), k, 1);
  }
  for (int k = 0; k < WIDE; k++) {
    int best = k;
    for (int j = k + 1; j < WIDE; j++) {
      best = fabs(lb_v8_lane(a[j], k)) > fabs(lb_v8_lane(a[best], k)) ? j : best;
    }
    const lb_v8 x = a[best], y = b[best];
    const double pivot = lb_v8_lane(x, k), over = 1 / pivot;
    a[best] = a[k], b[best] = b[k];
    if (!(fabs(pivot) > DBL_MIN)) {
      return false;
    }
    a[k] = lb_v8_scale(over, x), b[k] = lb_v8_scale(over, y);
    for (int j = 0; j < WIDE; j++) {
      if (j != k) {
        const double f = -lb_v8_lane(a[j], k);
        a[j] = lb_v8_add(a[j], f, a[k]);
        b[j] = lb_v8_add(b[j], f, b[k]);
      }
    }
  }
  for (int k = 0; k < WIDE; k++) {
    lb_v8_store(A + k * WIDE, b[k]);
  }
  return true;
}

// X = A X, of blocks eight wide.
static void multiply_eight(const double* A, double* X, int columns) {
  for (int j = 0; j < columns; j++) {
    lb_v8 sum = lb_v8_zero();
    for (int k = 0; k < WIDE; k++) {
      sum = lb_v8_add(sum, X[j * WIDE + k], lb_v8_load(A + k * WIDE));
    }
    lb_v8_store(X + j * WIDE, sum);
  }
}

// Diagonal blocks become their inverse where they are eight wide, else LU.
static bool factor_diagonal(const lb_contact_sparse* s, int k) {
  const int w = s->width[k];
  double* D = s->value + s->diagonal[k];
  return w == WIDE ? invert_eight(D) : lb_lu(w, D, w, s->pivot + s->offset[k]) == LB_OK;
}

// X = D^-1 X for so many columns.
static void solve_diagonal(const lb_contact_sparse* s, int k, double* X, int columns) {
  const int w = s->width[k];
  const double* D = s->value + s->diagonal[k];
  if (w == WIDE) {
    multiply_eight(D, X, columns);
  } else {
    lb_lu_solve(w, D, w, s->pivot + s->offset[k], columns, X, w);
  }
}

// Factors in place: diagonal blocks, lower blocks as they are, upper ones D^-1 times them.
static bool factor(lb_contact_sparse* s) {
  for (int k = 0; k < s->ngroup; k++) {
    const int w = s->width[k];
    if (!factor_diagonal(s, k)) {
      return false;
    }
    for (int a = s->first[k]; a < s->first[k + 1]; a++) {
      const lb_contact_coupling_block* c = &s->coupling[a];
      solve_diagonal(s, k, s->value + c->upper, s->width[c->to]);
    }
    for (int a = s->first[k]; a < s->first[k + 1]; a++) {
      for (int b = s->first[k]; b < s->first[k + 1]; b++) {
        const int i = s->coupling[a].to, j = s->coupling[b].to;
        subtract_product(find_block(s, i, j), s->value + s->coupling[a].lower,
                         s->value + s->coupling[b].upper, s->width[i], w, s->width[j]);
      }
    }
  }
  return true;
}

static void solve_groups(const lb_contact_sparse* s, double* x) {
  for (int k = 0; k < s->ngroup; k++) {
    double* own = x + s->offset[k];
    const int w = s->width[k];
    solve_diagonal(s, k, own, 1);
    for (int a = s->first[k]; a < s->first[k + 1]; a++) {
      const int i = s->coupling[a].to;
      for (int c = 0; c < w; c++) {
        lb_add(s->width[i], x + s->offset[i], -own[c],
               s->value + s->coupling[a].lower + c * s->width[i]);
      }
    }
  }
  for (int k = s->ngroup; k-- > 0;) {
    double* own = x + s->offset[k];
    for (int a = s->first[k]; a < s->first[k + 1]; a++) {
      const int i = s->coupling[a].to;
      for (int c = 0; c < s->width[i]; c++) {
        lb_add(s->width[k], own, -x[s->offset[i] + c],
               s->value + s->coupling[a].upper + c * s->width[k]);
      }
    }
  }
}

static bool step(void* matrix, lb_contact_scaled* sys) {
  lb_contact_sparse* s = matrix;
  if (!assemble(s, sys) || !factor(s)) {
    return false;
  }
  memset(s->du, 0, (size_t)s->offset[s->ngroup] * sizeof *s->du);
  add_velocities(s, sys, s->f, s->du);
  solve_groups(s, s->du);
  for (int at = 0; at < sys->n; at = sys->end[at]) {
    const int m = sys->end[at] - at;
    const double* K = s->K + at * LB_CONTACT_BLOCK_MOST;
    double Jdu[LB_CONTACT_BLOCK_MOST];
    for (int j = 0; j < m; j++) {
      Jdu[j] = row_product(s, sys, at + j, s->du);
    }
    for (int i = 0; i < m; i++) {
      double sum = s->f[at + i];
      for (int j = 0; j < m; j++) {
        sum -= K[i + j * m] * Jdu[j];
      }
      sys->dx[at + i] = sum;
    }
  }
  for (int i = 0; i < sys->n; i++) {
    if (!isfinite(sys->dx[i])) {
      return false;
    }
  }
  product(s, sys, sys->dx, s->right, sys->dy);
  return true;
}
