#include "elastic/full/full_body.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

static lb_v4 rest(const lb_full* b, int node) {
  return lb_v4_from(b->fem->node[node]);
}

// --- making one ---

static lb_basis_face copy_face(const lb_basis_face* from, lb_arena* arena) {
  return (lb_basis_face){from->count, LB_COPY(arena, from->node, from->count),
                         LB_COPY(arena, from->weight, from->count), from->rigid};
}

// A direction in which arms have less than this of the largest second moment is none.
static const double FLAT = 1e-12;

// s_a = sqrt(l) e for eigenvalues l and eigenvectors e of A0, so that traces measure displacements.
static lb_status find_span(lb_full_face* face, lb_arena* arena) {
  const lb_m3 A0 = face->A0;
  double A[9], l[3];
  lb_v4_store(A, A0.x);
  lb_v4_store(A + 3, A0.y);
  lb_v4_store(A + 6, A0.z);
  const lb_status status = lb_eigen_symmetric(arena, 3, A, 3, l);
  face->share = LB_TAKE(arena, double, 3 * face->count);
  if (status != LB_OK || !face->share) {
    return status != LB_OK ? status : LB_NO_MEMORY;
  }
  for (int a = 0; a < 3; a++) {
    if (l[a] > FLAT * l[2]) {
      const lb_v4 e = lb_v4_load(A + 3 * a);
      double* share = face->share + (size_t)face->nspan * (size_t)face->count;
      for (int i = 0; i < face->count; i++) {
        share[i] = face->weight[i] * lb_v4_dot(e, face->arm[i]) / sqrt(l[a]);
      }
      face->span[face->nspan++] = e * sqrt(l[a]);
    }
  }
  return LB_OK;
}

static lb_status make_face(const lb_full* b, const lb_basis_face* from, lb_arena* arena,
                           lb_full_face* face) {
  double total;
  const lb_basis_face own = copy_face(from, arena);
  *face = (lb_full_face){.count = own.count,
                         .node = own.node,
                         .weight = own.weight,
                         .rigid = own.rigid,
                         .x0 = lb_face_centroid(from, &b->fem->node[0].x, &total),
                         .arm = LB_TAKE(arena, lb_v4, own.count)};
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < face->count; i++) {
    face->weight[i] /= total;
    face->arm[i] = rest(b, face->node[i]) - face->x0;
    lb_m3_add_outer(&face->A0, face->weight[i], face->arm[i], face->arm[i]);
  }
  return find_span(face, arena);
}

lb_status lb_full_create(lb_full* b, const lb_fem* fem, const lb_basis_face* held, int nface,
                         const lb_basis_face* face, const lb_basis* basis, lb_arena* arena) {
  const size_t n = (size_t)fem->ndof;
  lb_full made = {
      .fem = fem, .nface = nface, .alpha = fem->alpha, .beta = fem->beta, .shown = basis->r};
  made.face = LB_TAKE(arena, lb_full_face, nface);
  made.MPhi = LB_TAKE(arena, double, (size_t)basis->r* n);
  made.held = copy_face(held, arena);
  lb_status status = lb_arena_status(arena);
  for (int f = 0; f < nface && status == LB_OK; f++) {
    status = make_face(&made, &face[f], arena, &made.face[f]);
  }
  if (status == LB_OK) {
    for (int k = 0; k < basis->r; k++) {
      lb_fem_mass_apply(fem, made.MPhi + (size_t)k * n, basis->Phi + (size_t)k * n);
    }
    *b = made;
  }
  return status;
}

lb_status lb_full_outline(const lb_full* b, lb_arena* arena, lb_reduced* outline) {
  const lb_mass mass = lb_fem_rigid(b->fem);
  const lb_vec3 c = mass.com;
  const lb_sym3 J = mass.inertia;
  lb_reduced made = {.r = b->fem->ndof,
                     .m = mass.mass,
                     .h0 = lb_v4_from(lb_vec3_scale(mass.mass, c)),
                     .nface = b->nface,
                     .face = LB_TAKE(arena, lb_face, b->nface),
                     .alpha = b->alpha,
                     .beta = b->beta,
                     .full = b};
  if (!made.face) {
    return LB_NO_MEMORY;
  }
  // second moments from the inertia: E = tr(J)/2 - J about the centre
  const double half = (J.xx + J.yy + J.zz) / 2;
  made.E0 = (lb_m3){lb_v4_make(half - J.xx, -J.xy, -J.xz), lb_v4_make(-J.xy, half - J.yy, -J.yz),
                    lb_v4_make(-J.xz, -J.yz, half - J.zz)};
  lb_m3_add_outer(&made.E0, mass.mass, lb_v4_from(c), lb_v4_from(c));
  for (int f = 0; f < b->nface; f++) {
    made.face[f].x0 = b->face[f].x0;
    made.face[f].A0 = b->face[f].A0;
  }
  *outline = made;
  return LB_OK;
}

void lb_full_conditions(const lb_full* b, double* G) {
  const lb_basis_face* held = &b->held;
  const size_t n = (size_t)b->fem->ndof;
  double total;
  const lb_v4 centre = lb_face_centroid(held, &b->fem->node[0].x, &total);
  for (int i = 0; i < held->count; i++) {
    const double w = held->weight[i] / total;
    const lb_v4 D = rest(b, held->node[i]) - centre;
    for (int a = 0; a < 3; a++) {
      double* at = G + (size_t)a * n + 3 * (size_t)held->node[i];
      lb_v4_store(at, lb_v4_unit(a) * w);
      lb_v4_store(at + 3 * n, lb_v4_cross(lb_v4_unit(a), D) * w);
    }
  }
}

double lb_full_shown(const lb_full* b, int k, const double* u) {
  return lb_dot(b->fem->ndof, b->MPhi + (size_t)k * (size_t)b->fem->ndof, u);
}

// --- inertia ---

void lb_full_inertia(const lb_full* b, lb_reduced_motion motion, const double* u, const double* v,
                     const double* vd, lb_v4* n, lb_v4* f, double* Q, double* field) {
  const lb_v4 w = motion.w;
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 x = rest(b, i) + lb_v4_at(u, i);
    lb_v4_store(field + 3 * (size_t)i, motion.a + lb_v4_cross(motion.al, x) +
                                           lb_v4_cross(w, lb_v4_cross(w, x) + 2 * lb_v4_at(v, i)) +
                                           lb_v4_at(vd, i));
  }
  lb_fem_mass_apply(b->fem, Q, field);
  *n = *f = lb_v4_zero();
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 q = lb_v4_at(Q, i);
    *f += q;
    *n += lb_v4_cross(rest(b, i) + lb_v4_at(u, i), q);
  }
}

void lb_full_places(const lb_full* b, double* x, const double* u) {
  for (int i = 0; i < b->fem->nnode; i++) {
    lb_v4_store(x + 3 * (size_t)i, rest(b, i) + lb_v4_at(u, i));
  }
}

void lb_full_moments(const lb_full* b, lb_v4* H, lb_m3* B, const double* f, const double* x,
                     double* product) {
  lb_fem_mass_apply(b->fem, product, f);
  *H = lb_v4_zero();
  *B = (lb_m3){0};
  for (int i = 0; i < b->fem->nnode; i++) {
    *H += lb_v4_at(product, i);
    lb_m3_add_outer(B, 1, lb_v4_at(product, i), lb_v4_at(x, i));
  }
}

void lb_full_weigh(const lb_full* b, lb_v4* h, lb_m3* I, const double* u, double* field,
                   double* product) {
  lb_m3 E;
  lb_full_places(b, field, u);
  lb_full_moments(b, h, &E, field, field, product);
  *I = lb_m3_complement(E);
}

// The nodes' velocities in `field`, times the mass matrix in `product`.
static void weigh_velocities(const lb_full* b, lb_v4 a, lb_v4 w, const double* u, const double* v,
                             double* field, double* product) {
  for (int i = 0; i < b->fem->nnode; i++) {
    lb_v4_store(field + 3 * (size_t)i,
                a + lb_v4_cross(w, rest(b, i) + lb_v4_at(u, i)) + lb_v4_at(v, i));
  }
  lb_fem_mass_apply(b->fem, product, field);
}

void lb_full_momentum(const lb_full* b, lb_v4 a, lb_v4 w, const double* u, const double* v,
                      lb_v4* linear, lb_v4* angular, double* field, double* product) {
  weigh_velocities(b, a, w, u, v, field, product);
  *linear = *angular = lb_v4_zero();
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 p = lb_v4_at(product, i);
    *linear += p;
    *angular += lb_v4_cross(rest(b, i) + lb_v4_at(u, i), p);
  }
}

double lb_full_kinetic(const lb_full* b, lb_v4 a, lb_v4 w, const double* u, const double* v,
                       double* field, double* product) {
  weigh_velocities(b, a, w, u, v, field, product);
  return 0.5 * lb_dot(b->fem->ndof, field, product);
}

// --- forces ---

void lb_full_add_forces(const lb_full* b, double* tau, const double* u, const double* v,
                        double* scratch) {
  const int n = b->fem->ndof;
  double* f = scratch;
  double* Cv = scratch + n;
  lb_fem_damped_force(b->fem, f, b->beta, u, v);
  if (b->alpha > 0) {
    lb_fem_damping_apply(b->fem, Cv, v);
  }
  for (int i = 0; i < n; i++) {
    tau[i] -= f[i] + (b->alpha > 0 ? b->alpha * Cv[i] : 0);
  }
}

// --- faces ---

// sum w_i v_i D_i'
static lb_m3 spread_over(const lb_full_face* face, const double* v) {
  lb_m3 A = {0};
  for (int i = 0; i < face->count; i++) {
    lb_m3_add_outer(&A, face->weight[i], lb_v4_at(v, face->node[i]), face->arm[i]);
  }
  return A;
}

void lb_full_face_place(const lb_full_face* face, lb_face_state* s, const double* u) {
  lb_m3 A = spread_over(face, u);
  lb_m3_add(&A, face->A0);
  s->x = face->x0;
  for (int i = 0; i < face->count; i++) {
    s->x += lb_v4_at(u, face->node[i]) * face->weight[i];
  }
  lb_face_turn(s, A);
}

void lb_full_face_move(const lb_full_face* face, lb_face_state* s, const double* v) {
  lb_full_face_rates(face, s, v, &s->w, &s->xd);
  lb_face_bias(s, spread_over(face, v));
}

void lb_full_face_rates(const lb_full_face* face, const lb_face_state* s, const double* v, lb_v4* w,
                        lb_v4* xd) {
  lb_v4 turn = lb_v4_zero(), shift = lb_v4_zero();
  for (int i = 0; i < face->count; i++) {
    const lb_v4 vi = lb_v4_at(v, face->node[i]) * face->weight[i];
    shift += vi;
    turn += lb_v4_cross(face->arm[i], lb_m3_apply_transposed(s->R, vi));
  }
  *w = lb_m3_apply(s->Yinv, turn);
  *xd = shift;
}

void lb_full_face_spread(const lb_full_face* face, const lb_face_state* s, double* f, lb_v4 turn,
                         lb_v4 push) {
  const lb_v4 t = lb_m3_apply(s->Yinv, turn); // Y is symmetric
  for (int i = 0; i < face->count; i++) {
    double* at = f + 3 * (size_t)face->node[i];
    const lb_v4 force = lb_m3_apply(s->R, lb_v4_cross(t, face->arm[i])) + push;
    lb_v4_store(at, lb_v4_load(at) + force * face->weight[i]);
  }
}

// --- traces ---

int lb_full_traces(const lb_full* b) {
  int count = 0;
  for (int f = 0; f < b->nface; f++) {
    count += 3 * (1 + b->face[f].nspan);
  }
  return count;
}

// Weights of the nodes in trace a of a face, the first of which is the mean.
static const double* trace_weights(const lb_full_face* face, int a) {
  return a == 0 ? face->weight : face->share + (size_t)(a - 1) * (size_t)face->count;
}

void lb_full_trace(const lb_full* b, double* z, const double* u) {
  for (int f = 0; f < b->nface; f++) {
    const lb_full_face* face = &b->face[f];
    for (int a = 0; a <= face->nspan; a++, z += 3) {
      const double* weight = trace_weights(face, a);
      lb_v4 sum = lb_v4_zero();
      for (int i = 0; i < face->count; i++) {
        sum += lb_v4_at(u, face->node[i]) * weight[i];
      }
      lb_v4_store(z, sum);
    }
  }
}

void lb_full_trace_back(const lb_full* b, double* u, double s, const double* z) {
  for (int f = 0; f < b->nface; f++) {
    const lb_full_face* face = &b->face[f];
    for (int a = 0; a <= face->nspan; a++, z += 3) {
      const double* weight = trace_weights(face, a);
      const lb_v4 by = lb_v4_load(z) * s;
      for (int i = 0; i < face->count; i++) {
        lb_v4_add_to(u + 3 * (size_t)face->node[i], by * weight[i]);
      }
    }
  }
}
