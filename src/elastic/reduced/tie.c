#include "elastic/reduced/tie.h"

#include <math.h>
#include <string.h>

#include "math/space/simd.h"

// Stiffness over that of the elements around: strains at a tied node are off by the inverse of it.
// Clamps add to the diagonal alone and cost no digits. Planes cost as many of what is left of the
// stiffness of bending when nodes are eliminated, and slender bodies have few to spare.
static const double CLAMP = 1e4, PLANE = 1e3;

// A face has no arms in a direction in which they are shorter than this part of the longest.
static const double FLAT = 1e-6;

size_t lb_tie_most_pairs(const lb_tie* t) {
  return t->clamped ? 0 : (size_t)t->count * (size_t)(t->count - 1) / 2;
}

int lb_tie_pairs(const lb_tie* t, lb_sparse_pair* pair) {
  int n = 0;
  for (int i = 1; i < t->count && !t->clamped; i++) {
    for (int j = 0; j < i; j++) {
      pair[n++] = (lb_sparse_pair){t->node[i], t->node[j]};
    }
  }
  return n;
}

// --- making one ---

static double diagonal(const lb_sparse* K, int node) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    sum += K->value[K->row[3 * node + c + 1] - 1] / 3;
  }
  return sum;
}

static double dot(const lb_tie* t, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < t->count; i++) {
    sum += t->stiffness[i] * a[i] * b[i];
  }
  return sum;
}

// The next field, orthonormal to those before it, if more than `least` of it is left.
static void keep_field(lb_tie* t, double least) {
  double* f = t->field + (size_t)t->nfield * (size_t)t->count;
  for (int a = 0; a < 2 * t->nfield; a++) { // twice, against rounding
    const double* other = t->field + (size_t)(a % t->nfield) * (size_t)t->count;
    const double s = dot(t, f, other);
    for (int i = 0; i < t->count; i++) {
      f[i] -= s * other[i];
    }
  }
  const double norm = sqrt(dot(t, f, f));
  for (int i = 0; i < t->count; i++) {
    f[i] /= norm > least ? norm : 1;
  }
  t->nfield += norm > least;
}

// One, and the arms along each axis.
static void find_fields(lb_tie* t, const lb_vec3* x) {
  const lb_vec3 first = x[t->node[0]];
  double far = 0, total = 0;
  for (int i = 0; i < t->count; i++) {
    far = fmax(far, lb_vec3_norm(lb_vec3_sub(x[t->node[i]], first)));
    total += t->stiffness[i];
  }
  for (int axis = -1; axis < 3; axis++) {
    double* f = t->field + (size_t)t->nfield * (size_t)t->count;
    for (int i = 0; i < t->count; i++) {
      const lb_v4 arm = lb_v4_from(lb_vec3_sub(x[t->node[i]], first));
      f[i] = axis < 0 ? far : arm[axis];
    }
    keep_field(t, FLAT * far * sqrt(total));
  }
}

lb_status lb_tie_make(lb_tie* t, const lb_tie* from, const lb_vec3* x, const lb_sparse* K,
                      lb_arena* arena) {
  int* node = LB_TAKE(arena, int, from->count);
  lb_tie made = {.clamped = from->clamped,
                 .count = from->count,
                 .node = node,
                 .field = LB_TAKE(arena, double, LB_TIE_FIELDS * from->count),
                 .stiffness = LB_TAKE(arena, double, from->count)};
  if (!node || !made.field || !made.stiffness) {
    return LB_NO_MEMORY;
  }
  memcpy(node, from->node, (size_t)from->count * sizeof *node);
  for (int i = 0; i < made.count; i++) {
    made.stiffness[i] = (made.clamped ? CLAMP : PLANE) * diagonal(K, node[i]);
  }
  if (!made.clamped) {
    find_fields(&made, x);
  }
  *t = made;
  return LB_OK;
}

// --- what it does ---

void lb_tie_add_stiffness(const lb_tie* t, lb_sparse* T) {
  for (int i = 0; i < t->count; i++) {
    T->value[lb_sparse_find(T, t->node[i], t->node[i])] += t->stiffness[i];
    for (int j = 0; j <= i && t->nfield; j++) {
      double sum = 0;
      for (int a = 0; a < t->nfield; a++) {
        sum += t->field[a * t->count + i] * t->field[a * t->count + j];
      }
      T->value[lb_sparse_find(T, t->node[i], t->node[j])] -=
          t->stiffness[i] * t->stiffness[j] * sum;
    }
  }
}

// Residual of u at a node after fields with the coefficients z.
static lb_v4 left(const lb_tie* t, int i, const lb_v4 z[LB_TIE_FIELDS], const double* u) {
  lb_v4 d = lb_v4_load(u + 3 * (size_t)t->node[i]);
  for (int a = 0; a < t->nfield; a++) {
    d -= z[a] * t->field[a * t->count + i];
  }
  return d;
}

// z_a, and then what rounding left of it: large displacements must not push the face as a whole.
static void find_means(const lb_tie* t, lb_v4 z[2][LB_TIE_FIELDS], const double* u) {
  memset(z, 0, 2 * sizeof *z);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < t->count && t->nfield; i++) {
      const lb_v4 d = left(t, i, z[0], u) * t->stiffness[i];
      for (int a = 0; a < t->nfield; a++) {
        z[1][a] += d * t->field[a * t->count + i];
      }
    }
    if (pass == 0) {
      memcpy(z[0], z[1], sizeof *z);
      memset(z[1], 0, sizeof *z);
    }
  }
}

static lb_v4 gap(const lb_tie* t, int i, const lb_v4 z[2][LB_TIE_FIELDS], const double* u) {
  lb_v4 d = left(t, i, z[0], u);
  for (int a = 0; a < t->nfield; a++) {
    d -= z[1][a] * t->field[a * t->count + i];
  }
  return d;
}

void lb_tie_add_force(const lb_tie* t, double factor, double* y, const double* u) {
  lb_v4 z[2][LB_TIE_FIELDS];
  find_means(t, z, u);
  for (int i = 0; i < t->count; i++) {
    lb_v4_add_to(y + 3 * (size_t)t->node[i], gap(t, i, z, u) * (factor * t->stiffness[i]));
  }
}

double lb_tie_energy(const lb_tie* t, const double* u) {
  lb_v4 z[2][LB_TIE_FIELDS];
  double sum = 0;
  find_means(t, z, u);
  for (int i = 0; i < t->count; i++) {
    const lb_v4 d = gap(t, i, z, u);
    sum += t->stiffness[i] * lb_v4_dot(d, d) / 2;
  }
  return sum;
}
