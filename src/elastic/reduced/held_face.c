// Solving under the held face's conditions needs no multipliers in the matrix. The six conditions G
// u = 0 do no more than stop rigid motion, so their reactions follow from equilibrium alone:
//
//   f_eq = f - G' (R'G')^-1 R'f      R: the six rigid motions, so that R'f_eq = 0            (1)
//   K u = f_eq with six unknowns of three nodes held, where nothing then pulls                  (2)
//   u -= R (G R)^-1 G u                                                                      (3)
//
// This is the map S: f -> u used throughout; S is symmetric, and zero on reactions.
#include "elastic/reduced/held_face.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Vectors that are this small, in the norm of M, after the others are taken out say nothing new.
static const double DEPENDENT = 1e-7;

// --- the map S ---

static lb_v4 rest(const lb_held* h, int node) {
  return lb_v4_from(h->fem->node[node]);
}

// Mean displacement and mean rotation of the held face: (G R)^-1 G u.
static void face_motion(const lb_held* h, const double* u, lb_v4* shift, lb_v4* angle) {
  lb_v4 sum = lb_v4_zero(), moment = lb_v4_zero();
  for (int i = 0; i < h->face->count; i++) {
    const int node = h->face->node[i];
    const lb_v4 v = lb_v4_load(u + 3 * (size_t)node) * h->face->weight[i];
    sum += v;
    moment += lb_v4_cross(rest(h, node) - h->centre, v);
  }
  *shift = sum / h->total;
  *angle = lb_m3_apply(h->turn, moment);
}

// (3)
void lb_held_project(const lb_held* h, double* u) {
  lb_v4 shift, angle;
  face_motion(h, u, &shift, &angle);
  for (int i = 0; i < h->fem->nnode; i++) {
    const lb_v4 v =
        lb_v4_load(u + 3 * (size_t)i) - shift - lb_v4_cross(angle, rest(h, i) - h->centre);
    lb_v4_store(u + 3 * (size_t)i, v);
  }
}

// f -= forces on the held face that balance it                                                (1)
static void balance(const lb_held* h, double* f) {
  lb_v4 force = lb_v4_zero(), moment = lb_v4_zero();
  for (int i = 0; i < h->fem->nnode; i++) {
    const lb_v4 v = lb_v4_load(f + 3 * (size_t)i);
    force += v;
    moment += lb_v4_cross(rest(h, i) - h->centre, v);
  }
  const lb_v4 angle = lb_m3_apply(h->turn, moment);
  for (int i = 0; i < h->face->count; i++) {
    const int node = h->face->node[i];
    const lb_v4 D = rest(h, node) - h->centre;
    const lb_v4 back = (force / h->total + lb_v4_cross(angle, D)) * h->face->weight[i];
    lb_v4_store(f + 3 * (size_t)node, lb_v4_load(f + 3 * (size_t)node) - back);
  }
}

// u = A^-1 f over the free unknowns, of n of them; u and f may be one.
static lb_status solve_free(lb_held* h, int n, double* u, const double* f) {
  const int ndof = h->fem->ndof;
  const size_t all = (size_t)ndof, some = (size_t)h->A.n;
  for (int i = 0; i < n * ndof; i++) {
    const int at = h->index[i % ndof];
    if (at >= 0) {
      h->x[(size_t)(i / ndof) * some + (size_t)at] = f[i];
    }
  }
  const lb_status status = lb_direct_solve(h->direct, n, h->x);
  for (size_t i = 0; i < (size_t)n * all; i++) {
    const int at = h->index[i % all];
    u[i] = at >= 0 ? h->x[i / all * some + (size_t)at] : 0;
  }
  return status;
}

// Iterative refinement: the matrix of a slender body, rounded, bends otherwise in the sixth digit,
// for it is 1e10 times as stiff against stretching. Its elements know to twelve digits what is
// left, so one correction makes the shapes alike on every processor.
static lb_status refine(lb_held* h, int n, double* f) {
  const size_t ndof = (size_t)h->fem->ndof;
  for (size_t i = 0; i < (size_t)n; i++) {
    double* left = h->left + i * ndof;
    lb_fem_apply(h->fem, left, h->still, f + i * ndof);
    for (size_t k = 0; k < ndof; k++) {
      left[k] = h->load[i * ndof + k] - left[k];
    }
  }
  const lb_status status = solve_free(h, n, h->left, h->left);
  lb_add(n * h->fem->ndof, f, 1, h->left);
  return status;
}

static lb_status solve_block(lb_held* h, int n, double* f, bool refined) {
  const size_t ndof = (size_t)h->fem->ndof;
  for (size_t i = 0; i < (size_t)n; i++) {
    balance(h, f + i * ndof);
  }
  memcpy(h->load, f, (size_t)n * ndof * sizeof *f);
  lb_status status = solve_free(h, n, f, h->load);
  status = status == LB_OK && refined ? refine(h, n, f) : status;
  for (size_t i = 0; i < (size_t)n; i++) {
    lb_held_project(h, f + i * ndof);
  }
  return status;
}

lb_status lb_held_solve_all(lb_held* h, int n, double* f, bool refined) {
  lb_status status = LB_OK;
  for (int i = 0; i < n && status == LB_OK; i += LB_HELD_BLOCK) {
    const int some = n - i < LB_HELD_BLOCK ? n - i : LB_HELD_BLOCK;
    status = solve_block(h, some, f + (size_t)i * (size_t)h->fem->ndof, refined);
  }
  return status;
}

lb_status lb_held_solve(lb_held* h, double* f) {
  return lb_held_solve_all(h, 1, f, true);
}

static void measure_face(lb_held* h) {
  h->centre = lb_face_centroid(h->face, &h->fem->node[0].x, &h->total);
  lb_m3 E = {0};
  for (int i = 0; i < h->face->count; i++) {
    const lb_v4 D = rest(h, h->face->node[i]) - h->centre;
    lb_m3_add_outer(&E, h->face->weight[i], D, D);
  }
  h->turn = lb_m3_inverse_symmetric(lb_m3_complement(E));
}

static int largest(lb_v4 a) {
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

void lb_basis_support(const lb_fem* fem, const lb_basis_face* f, int support[6]) {
  int n[3] = {f->node[0], f->node[0], f->node[0]};
  const lb_v4 first = lb_v4_from(fem->node[n[0]]);
  double far = 0;
  for (int i = 0; i < f->count; i++) { // farthest from the first
    const lb_v4 d = lb_v4_from(fem->node[f->node[i]]) - first;
    if (lb_v4_dot(d, d) > far) {
      far = lb_v4_dot(d, d);
      n[1] = f->node[i];
    }
  }
  const lb_v4 d = lb_v4_from(fem->node[n[1]]) - first;
  lb_v4 normal = lb_v4_zero();
  for (int i = 0; i < f->count; i++) { // farthest from their line
    const lb_v4 c = lb_v4_cross(d, lb_v4_from(fem->node[f->node[i]]) - first);
    if (lb_v4_dot(c, c) > lb_v4_dot(normal, normal)) {
      normal = c;
      n[2] = f->node[i];
    }
  }
  const int along = largest(d);
  for (int a = 0; a < 3; a++) {
    support[a] = 3 * n[0] + a;
  }
  support[3] = 3 * n[1] + (along + 1) % 3;
  support[4] = 3 * n[1] + (along + 2) % 3;
  support[5] = 3 * n[2] + largest(normal);
}

lb_status lb_held_open(lb_held* h, const lb_fem* fem, const lb_basis_face* face) {
  *h = (lb_held){.fem = fem, .face = face};
  lb_arena_init(&h->arena, fem->arena.allocator);
  measure_face(h);
  char* held = LB_TAKE(&h->arena, char, fem->ndof);
  h->still = LB_TAKE(&h->arena, double, fem->ndof);
  h->index = LB_TAKE(&h->arena, int, fem->ndof);
  double** const block[] = {&h->x, &h->load, &h->left};
  for (int i = 0; i < 3; i++) {
    *block[i] = LB_TAKE(&h->arena, double, (size_t)LB_HELD_BLOCK*(size_t)fem->ndof);
  }
  if (lb_arena_status(&h->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int support[LB_HELD_RIGID];
  lb_basis_support(fem, face, support);
  for (int a = 0; a < LB_HELD_RIGID; a++) {
    held[support[a]] = 1;
  }
  int count = 0;
  for (int i = 0; i < fem->ndof; i++) {
    h->index[i] = held[i] ? -1 : count++;
  }
  lb_status status = lb_fem_matrix(fem, &h->arena, &h->K);
  if (status == LB_OK) {
    lb_fem_tangent(fem, &h->K, h->still);
    status = lb_sparse_restrict(&h->arena, &h->K, h->index, &h->A, &h->from);
  }
  if (status == LB_OK) {
    lb_sparse_gather(&h->A, &h->K, h->from);
    status = lb_direct_create(fem->arena.allocator, &h->A, true, &h->direct);
  }
  return status == LB_OK ? lb_direct_factor(h->direct, &h->A) : status;
}

void lb_held_close(lb_held* h) {
  lb_direct_release(h->direct);
  lb_arena_release(&h->arena);
}

// --- vectors ---

lb_status lb_shapes_open(lb_shapes* c, lb_held* h, int most, lb_arena* arena) {
  const size_t ndof = (size_t)h->fem->ndof;
  *c = (lb_shapes){.h = h, .most = most};
  c->V = LB_TAKE(arena, double, (size_t)most* ndof);
  c->MV = LB_TAKE(&h->arena, double, (size_t)most* ndof);
  c->small = LB_TAKE(&h->arena, double, most* most + 2 * most);
  c->turned = LB_TAKE(&h->arena, double, most* most);
  const lb_status status = lb_arena_status(arena);
  return status == LB_OK ? lb_arena_status(&h->arena) : status;
}

lb_status lb_shapes_failed(lb_status status, lb_error* err) {
  return lb_error_add(err, status, (lb_place){0},
                      status == LB_NO_MEMORY ? "no memory for the basis of an elastic body"
                                             : "the basis of an elastic body could not be found: "
                                               "its stiffness matrix is not definite");
}

void lb_shapes_keep(lb_shapes* c) {
  const int ndof = c->h->fem->ndof;
  double* v = lb_shapes_vector(c, c->n);
  double* mv = lb_shapes_mass_vector(c, c->n);
  lb_fem_mass_apply(c->h->fem, mv, v);
  const double before = sqrt(lb_dot(ndof, v, mv));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->n; i++) {
      const double s = lb_dot(ndof, v, lb_shapes_mass_vector(c, i));
      lb_add(ndof, v, -s, lb_shapes_vector(c, i));
    }
  }
  lb_fem_mass_apply(c->h->fem, mv, v);
  const double after = sqrt(lb_dot(ndof, v, mv));
  if (after > DEPENDENT * before) {
    for (int k = 0; k < ndof; k++) {
      v[k] /= after;
      mv[k] /= after;
    }
    c->n++;
  }
}

lb_status lb_shapes_attach(lb_shapes* c, const lb_basis_face* face) {
  const lb_held* h = c->h;
  double total;
  const lb_v4 centre = lb_face_centroid(face, &h->fem->node[0].x, &total);
  lb_status status = LB_OK;
  for (int k = 0; k < LB_HELD_RIGID && status == LB_OK; k++) {
    double* f = lb_shapes_vector(c, c->n);
    memset(f, 0, (size_t)h->fem->ndof * sizeof *f);
    const lb_v4 e = lb_v4_unit(k % 3);
    for (int i = 0; i < face->count; i++) {
      const lb_v4 D = rest(h, face->node[i]) - centre;
      lb_v4_store(f + 3 * (size_t)face->node[i],
                  (k < 3 ? e : lb_v4_cross(e, D)) * (face->weight[i] / total));
    }
    status = lb_held_solve(c->h, f);
    lb_shapes_keep(c);
  }
  return status;
}

// Vectors [first, first + n) times Q, whose columns say what of each goes into the new ones.
static void mix(lb_shapes* c, int first, int n, const double* Q, double* mixed) {
  const size_t ndof = (size_t)c->h->fem->ndof;
  for (size_t k = 0; k < ndof; k++) { // one node's numbers at a time
    for (int pass = 0; pass < 2; pass++) {
      double* at = (pass ? c->MV : c->V) + (size_t)first * ndof + k;
      for (int i = 0; i < n; i++) {
        mixed[i] = 0;
        for (int j = 0; j < n; j++) {
          mixed[i] += Q[i * n + j] * at[(size_t)j * ndof];
        }
      }
      for (int i = 0; i < n; i++) {
        at[(size_t)i * ndof] = mixed[i];
      }
    }
  }
}

// Weight of a component of a displacement: no axis and no place is like another.
static double mark(const lb_held* h, int k) {
  static const double AXIS[3] = {1, 1.3, 2.1};
  const lb_vec3 X = h->fem->node[k / 3];
  const double s = 1 / h->fem->size;
  const double x = s * (X.x - h->centre[0]), y = s * (X.y - h->centre[1]),
               z = s * (X.z - h->centre[2]);
  return AXIS[k % 3] * (1 + 0.1 * x * x + 0.15 * y * y + 0.2 * z * z + 0.01 * (x + 2 * y + 3 * z));
}

// Vectors of one frequency (bending of round and square rods) are any mixture of each other. Those
// are taken that make sum mark u^2 stationary, the smallest first.
static void turn_cluster(lb_shapes* c, int first, int n) {
  const int ndof = c->h->fem->ndof;
  double *B = c->small, *w = B + n * n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const double *u = lb_shapes_vector(c, first + i), *v = lb_shapes_vector(c, first + j);
      double sum = 0;
      for (int k = 0; k < ndof; k++) {
        sum += mark(c->h, k) * u[k] * v[k];
      }
      B[i * n + j] = B[j * n + i] = sum;
    }
  }
  lb_eigen_graded(n, B, c->turned, w);
  mix(c, first, n, c->turned, w);
}

// The largest component is positive; of those that are equal but for rounding, the first.
static void orient(lb_shapes* c, int i) {
  static const double HAIR = 1e-6;
  const int ndof = c->h->fem->ndof;
  double *v = lb_shapes_vector(c, i), *mv = lb_shapes_mass_vector(c, i);
  int top = 0;
  for (int k = 1; k < ndof; k++) {
    top = fabs(v[k]) > (1 + HAIR) * fabs(v[top]) ? k : top;
  }
  if (v[top] < 0) {
    for (int k = 0; k < ndof; k++) {
      v[k] = -v[k];
      mv[k] = -mv[k];
    }
  }
}

int lb_shapes_cluster(int n, const double* omega, int first, double apart) {
  int end = first + 1;
  while (end < n && omega[end] <= (1 + apart) * omega[end - 1]) {
    end++;
  }
  return end - first;
}

lb_status lb_shapes_diagonalise(lb_shapes* c, int first, double* omega) {
  static const double EQUAL = 1e-6; // frequencies, relative: below, rounding mixes the vectors
  const lb_held* h = c->h;
  const int n = c->n - first;
  double* Kr = c->small;
  for (int i = 0; i < n; i++) {
    lb_fem_apply(h->fem, h->left, h->still, lb_shapes_vector(c, first + i));
    for (int j = 0; j <= i; j++) {
      Kr[i * n + j] = Kr[j * n + i] = lb_dot(h->fem->ndof, h->left, lb_shapes_vector(c, first + j));
    }
  }
  lb_eigen_graded(n, Kr, c->turned, omega + first);
  mix(c, first, n, c->turned, Kr);
  for (int i = first; i < c->n; i++) {
    omega[i] = sqrt(fmax(0, omega[i]));
  }
  for (int i = first, size; i < c->n; i += size) {
    size = lb_shapes_cluster(c->n, omega, i, EQUAL);
    if (size > 1) {
      turn_cluster(c, i, size);
    }
  }
  for (int i = first; i < c->n; i++) {
    orient(c, i);
  }
  return LB_OK;
}
