// Poses that cubature is trained on: equilibria under random forces and moments on the carrying
// faces, the later ones bent further. Newton's method finds them with the exact forces, after a
// start with those of a few points.
#include <math.h>
#include <string.h>

#include "elastic/reduced/cubature.h"
#include "elastic/reduced/cubature_inside.h"
#include "math/linear/dense.h"

typedef struct poser {
  const lb_reduced* b;
  lb_reduced_force exact;
  double size;
  double *K, *f, *x, *load, *scratch;
  double* omega; // [r] at rest
} poser;

// Generalised force of a random force and moment on every face, at rest.
static void random_load(const poser* p, uint64_t* seed) {
  const lb_reduced* b = p->b;
  memset(p->load, 0, (size_t)b->r * sizeof *p->load);
  for (int f = 0; f < b->nface; f++) {
    lb_v4 force = lb_v4_zero(), moment = lb_v4_zero();
    for (int i = 0; i < 3; i++) {
      force[i] = lb_cubature_random(seed) - 0.5;
      moment[i] = (lb_cubature_random(seed) - 0.5) * p->size;
    }
    for (int k = 0; k < b->r; k++) {
      const lb_v4 turn = // mean rotation
          lb_m3_axial(b->face[f].A[k]) / lb_m3_trace(b->face[f].A0);
      p->load[k] += lb_v4_dot(force, b->face[f].W[k]) + lb_v4_dot(moment, turn);
    }
  }
}

static double face_travel(const lb_reduced* b, const double* eta) {
  double most = 0;
  for (int f = 0; f < b->nface; f++) {
    lb_v4 sum = lb_v4_zero();
    for (int k = 0; k < b->r; k++) {
      sum += b->face[f].W[k] * eta[k];
    }
    most = fmax(most, sqrt(lb_v4_dot(sum, sum)));
  }
  return most;
}

// The load that would move the faces by `travel` if everything were linear.
static bool scale_load(const poser* p, double travel) {
  const int r = p->b->r;
  for (int k = 0; k < r; k++) {
    p->x[k] = p->load[k] / (p->omega[k] * p->omega[k]);
  }
  const double linear = face_travel(p->b, p->x);
  for (int k = 0; k < r; k++) {
    p->load[k] *= linear > 0 ? travel / linear : 0;
  }
  return linear > 0;
}

// x = K^-1 f in place of f's copy; the matrix is made anew first when asked. Returns f'x, or -1.
static double find_step(const poser* p, const lb_reduced_force* force, const double* eta,
                        bool anew) {
  const int r = p->b->r;
  if (anew) {
    lb_reduced_tangent(force, p->K, eta, p->scratch);
    if (lb_cholesky(r, p->K, r) != LB_OK) {
      return -1;
    }
  }
  memcpy(p->x, p->f, (size_t)r * sizeof *p->x);
  lb_cholesky_solve(r, p->K, r, 1, p->x, r);
  return lb_dot(r, p->f, p->x);
}

// Equilibrium by Newton's method, f(eta) = load. A slender body that turns far is stretched by the
// first step, which the second takes back: so steps are never cut. The matrix is kept as long as
// steps become ten times shorter, in the norm of the energy. The first one is that of `near`,
// forces of fewer points.
static bool find_equilibrium(const poser* p, const lb_reduced_force* force,
                             const lb_reduced_force* near, double* eta, double enough) {
  static const double FAST = 1e-2; // of squares
  const int r = p->b->r;
  double last = 0;
  for (int i = 0; i < 40; i++) {
    force->force(force->context, p->f, NULL, eta, NULL, p->scratch);
    for (int k = 0; k < r; k++) {
      p->f[k] = p->load[k] - p->f[k];
    }
    double square = find_step(p, near, eta, i == 0);
    if (!(square >= 0) || (i > 0 && !(square < FAST * last))) {
      square = find_step(p, force, eta, true);
    }
    if (!(square >= 0)) {
      return false;
    }
    lb_add(r, eta, 1, p->x);
    last = square;
    if (square <= enough * fabs(lb_dot(r, p->load, eta))) {
      return true;
    }
  }
  return false;
}

void lb_cubature_rest(const lb_reduced* reduced, double size, double* eta) {
  static const double SMALL = 1e-6;
  const int r = reduced->r;
  memset(eta, 0, (size_t)(r * r) * sizeof *eta);
  for (int k = 0; k < r; k++) {
    double* pose = eta + k * r;
    pose[k] = 1;
    pose[k] = SMALL * size / fmax(face_travel(reduced, pose), 1e-3);
  }
}

static bool take_poser(poser* p, const lb_reduced* reduced, const lb_points* all, double size,
                       lb_arena* arena) {
  const size_t r = (size_t)reduced->r;
  *p = (poser){.b = reduced, .exact = lb_points_force(all), .size = size};
  p->K = LB_TAKE(arena, double, r* r);
  p->f = LB_TAKE(arena, double, r);
  p->x = LB_TAKE(arena, double, r);
  p->load = LB_TAKE(arena, double, r);
  p->omega = LB_TAKE(arena, double, r);
  p->scratch = LB_TAKE(arena, double, p->exact.scratch);
  return lb_arena_status(arena) == LB_OK;
}

// Points that have the stiffness at rest: equilibria of these are near those of all, and found
// sooner.
static lb_status choose_rough(poser* p, const lb_points* all, const double* poses, lb_arena* arena,
                              lb_points* rough) {
  const int r = p->b->r;
  lb_cubature_options options = lb_cubature_default();
  lb_cubature_report report;
  int nregion = 1;
  for (int b = 0; b < all->nbatch; b++) {
    nregion = all->region[b] >= nregion ? all->region[b] + 1 : nregion;
  }
  memset(p->x, 0, (size_t)r * sizeof *p->x);
  lb_reduced_tangent(&p->exact, p->K, p->x, p->scratch);
  for (int k = 0; k < r; k++) {
    p->omega[k] = sqrt(p->K[k * (r + 1)]);
  }
  return lb_cubature_train(all, nregion, p->omega, poses, r, &options, arena, rough, &report);
}

// Poses end at rounding, so that they are the same on every processor.
lb_status lb_cubature_poses(const lb_points* all, const lb_reduced* reduced, double size,
                            const lb_cubature_options* options, lb_arena* arena, double** eta,
                            int* count) {
  static const double NEAR = 1e-6, EXACT = 1e-18; // of squares
  const int r = reduced->r;
  poser p;
  lb_points rough;
  double* poses = LB_TAKE(arena, double, (options->poses + r) * r);
  lb_status status = poses && take_poser(&p, reduced, all, size, arena) ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) { // each basis vector alone, small: together they are the stiffness at rest
    lb_cubature_rest(reduced, size, poses);
    status = choose_rough(&p, all, poses, arena, &rough);
  }
  if (status != LB_OK) {
    return status;
  }
  const lb_reduced_force few = lb_points_force(&rough);
  uint64_t seed = 0x9e3779b97f4a7c15u;
  *count = r;
  for (int i = 0; i < options->poses; i++) {
    double* pose = poses + *count * r;
    const double travel = options->range * size * (i + 1) / options->poses;
    random_load(&p, &seed);
    memset(pose, 0, (size_t)r * sizeof *pose);
    *count += scale_load(&p, travel) && find_equilibrium(&p, &few, &few, pose, NEAR) &&
              find_equilibrium(&p, &p.exact, &few, pose, EXACT);
  }
  *eta = poses;
  return LB_OK;
}
