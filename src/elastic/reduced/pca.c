// Principal components by the method of snapshots: with W the snapshots as rows,
//
//   W M W' = Q diag(s^2) Q',   v_i = W' q_i / s_i
//
// are mass-orthonormal and fall in energy s_i^2. Squaring loses what is smaller than 1e-8 of the
// largest, so vectors are taken while s is above 1e-4 of it, what they span is taken out of the
// snapshots, and the rest goes the same way again: every pass gains four digits.
#include "elastic/reduced/pca.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "elastic/reduced/held_face.h"
#include "math/linear/dense.h"

static const double PASS = 1e-8;     // of the largest s^2 in a pass
static const double NOTHING = 1e-13; // of the snapshots: rounding

lb_pca_options lb_pca_default(void) {
  return (lb_pca_options){.modes = 11};
}

typedef struct components {
  lb_shapes c;
  int count;
  double* W;  // [count][ndof] remainders of the snapshots
  double* MW; // [count][ndof]
  double* G;  // [count][count]
  double* s;  // [count]
} components;

static double* row(const components* p, double* set, int i) {
  return set + (size_t)i * (size_t)p->c.h->fem->ndof;
}

// Take the vectors [first, n) out of what is left; twice, for what rounding leaves the first time.
static void deflate(components* p, int first) {
  const int ndof = p->c.h->fem->ndof;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < p->count; i++) {
      double* w = row(p, p->W, i);
      for (int k = first; k < p->c.n; k++) {
        const double along = cblas_ddot(ndof, w, 1, lb_shapes_mass_vector(&p->c, k), 1);
        cblas_daxpy(ndof, -along, lb_shapes_vector(&p->c, k), 1, w, 1);
      }
    }
  }
}

// Twice-summed energy of what is left, and its Gram matrix.
static double gram(components* p) {
  const int ndof = p->c.h->fem->ndof, n = p->count;
  for (int i = 0; i < n; i++) {
    lb_fem_mass_apply(p->c.h->fem, row(p, p->MW, i), row(p, p->W, i));
  }
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, ndof, 1, p->W, ndof, p->MW, ndof, 0,
              p->G, n);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += p->G[(size_t)i * ((size_t)n + 1)];
  }
  return fmax(sum, 0);
}

// The strongest components of what is left, up to `most` vectors in all, or until no more than
// `enough` of its energy is left.
static lb_status take_pass(components* p, int most, double left, double enough) {
  const int ndof = p->c.h->fem->ndof, n = p->count;
  lb_status status = lb_eigen_symmetric(&p->c.h->arena, n, p->G, n, p->s);
  for (int i = n - 1; i >= 0 && status == LB_OK && p->c.n < most; i--) {
    if (!(p->s[i] > PASS * p->s[n - 1]) || left <= enough) {
      break;
    }
    left -= p->s[i];
    double* v = lb_shapes_vector(&p->c, p->c.n);
    cblas_dgemv(CblasColMajor, CblasNoTrans, ndof, n, 1 / sqrt(p->s[i]), p->W, ndof,
                p->G + (size_t)i * (size_t)n, 1, 0, v, 1);
    lb_held_project(p->c.h, v);
    lb_shapes_keep(&p->c);
  }
  return status;
}

static lb_status take_components(components* p, int most, double wanted, double* missed) {
  const double all = gram(p);
  const double enough = fmax(wanted * wanted, NOTHING * NOTHING) * all;
  if (!(all > 0)) {
    return LB_INVALID;
  }
  deflate(p, 0);
  double left = p->c.n ? gram(p) : all;
  lb_status status = LB_OK;
  while (status == LB_OK && p->c.n < most && left > enough) {
    const int before = p->c.n;
    status = take_pass(p, most, left, enough);
    if (p->c.n == before) {
      break;
    }
    deflate(p, before);
    left = gram(p);
  }
  *missed = sqrt(left / all);
  return status;
}

static lb_status find(components* p, int nface, const lb_basis_face* face, const lb_snapshots* u,
                      const lb_pca_options* o, lb_arena* arena, double* omega, double* missed) {
  lb_held* h = p->c.h;
  const size_t size = (size_t)u->count * (size_t)u->ndof;
  const int fixed = o->attachments ? LB_HELD_RIGID * nface : 0;
  const int most = o->modes > fixed ? o->modes : fixed;
  lb_status status = lb_shapes_open(&p->c, h, most + 1, arena);
  p->W = LB_TAKE(&h->arena, double, size);
  p->MW = LB_TAKE(&h->arena, double, size);
  p->G = LB_TAKE(&h->arena, double, (size_t)u->count*(size_t)u->count);
  p->s = LB_TAKE(&h->arena, double, u->count);
  if (status != LB_OK || !p->W || !p->MW || !p->G || !p->s) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < u->count; i++) {
    memcpy(row(p, p->W, i), u->u[i], (size_t)u->ndof * sizeof(double));
    lb_held_project(h, row(p, p->W, i));
  }
  for (int f = 0; f < nface && o->attachments && status == LB_OK; f++) {
    status = lb_shapes_attach(&p->c, &face[f]);
  }
  if (status == LB_OK) {
    status = take_components(p, most, o->missed, missed);
  }
  return status == LB_OK ? lb_shapes_diagonalise(&p->c, 0, omega) : status;
}

lb_status lb_pca_create(const lb_fem* fem, const lb_basis_face* held, int nface,
                        const lb_basis_face* face, const lb_snapshots* snapshots,
                        const lb_pca_options* options, lb_arena* arena, lb_basis* basis,
                        lb_pca_report* report, lb_error* err) {
  lb_held h;
  components p = {.c = {.h = &h}, .count = snapshots->count};
  double* omega = LB_TAKE(arena, double, options->modes + LB_HELD_RIGID * nface + 1);
  double missed = 0;
  lb_status status = lb_held_open(&h, fem, held);
  if (status == LB_OK) {
    status =
        omega ? find(&p, nface, face, snapshots, options, arena, omega, &missed) : LB_NO_MEMORY;
  }
  lb_held_close(&h);
  if (status == LB_INVALID) {
    return lb_error_add(err, status, (lb_place){0},
                        "none of the %d snapshots moves: there is nothing to make a basis of",
                        snapshots->count);
  }
  if (status != LB_OK) {
    return lb_shapes_failed(status, err);
  }
  *basis = (lb_basis){p.c.n, p.c.V, omega};
  report->missed = missed;
  return LB_OK;
}

lb_status lb_pca_coordinates(const lb_fem* fem, const lb_basis* basis,
                             const lb_snapshots* snapshots, lb_arena* arena, double** eta,
                             double* missed) {
  const size_t ndof = (size_t)fem->ndof, r = (size_t)basis->r;
  double* out = LB_TAKE(arena, double, (size_t)snapshots->count* r);
  const lb_arena_mark mark = lb_arena_here(arena);
  double* left = LB_TAKE(arena, double, ndof);
  double* Mu = LB_TAKE(arena, double, ndof);
  if (!out || !left || !Mu) {
    return LB_NO_MEMORY;
  }
  double all = 0, lacking = 0;
  for (int i = 0; i < snapshots->count; i++) {
    const double* u = snapshots->u[i];
    lb_fem_mass_apply(fem, Mu, u);
    all += lb_dot(fem->ndof, u, Mu);
    memcpy(left, u, ndof * sizeof *left);
    for (size_t k = 0; k < r; k++) {
      const double* phi = basis->Phi + k * ndof;
      out[(size_t)i * r + k] = lb_dot(fem->ndof, phi, Mu);
      cblas_daxpy(fem->ndof, -out[(size_t)i * r + k], phi, 1, left, 1);
    }
    lb_fem_mass_apply(fem, Mu, left);
    lacking += fmax(0, lb_dot(fem->ndof, left, Mu));
  }
  lb_arena_reset(arena, mark);
  *eta = out;
  *missed = all > 0 ? sqrt(lacking / all) : 0;
  return LB_OK;
}
