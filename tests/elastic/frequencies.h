// Frequencies of bodies and how fast they converge.
#pragma once
#include "elastic_body.h"

static const double TWO_PI = 6.283185307179586;

// In Hz, of a cantilever, or of a free body beyond its rigid modes; `tip` is a mass spread over the
// end.
static inline void frequencies(lb_tetmesh_def d, lb_material m, bool clamped, double tip, int count,
                               double* hz) {
  body b = body_make(d, m);
  const int rigid = clamped ? 0 : 6;
  double omega[32];
  double* x = LB_TAKE(&b.arena, double, (count + rigid) * b.fem->ndof);
  double* added = LB_TAKE(&b.arena, double, b.mesh.nnode);
  double area = 0;
  lb_tetmesh_surface_load(&b.mesh, lb_tetmesh_find_surface(&b.mesh, "end"), added);
  for (int i = 0; i < b.mesh.nnode; i++) {
    area += added[i];
  }
  for (int i = 0; i < b.mesh.nnode; i++) {
    added[i] *= tip / area;
  }
  const char* held = clamped ? body_held(&b, "start") : NULL;
  assert_int_equal(lb_fem_modes(b.fem, count + rigid, omega, x, NULL, held, added, &b.err), LB_OK);
  for (int k = 0; k < count; k++) {
    hz[k] = omega[k + rigid] / TWO_PI;
  }
  body_release(&b);
}

// A square beam 1 cm thick.
typedef struct order_case {
  double length;
  int along;
  bool clamped;
  double poisson, tip;
} order_case;

// Halve all edges twice, starting with `coarse` elements across. The free beam has no singular
// edge; a cantilever without transverse contraction has none either. Bending comes in pairs, of
// which we take the mean: pair 0 or 1.
static inline double frequency_order(order_case c, int coarse, int pair) {
  lb_material m = lb_material_default();
  m.poisson = c.poisson;
  double mean[3];
  for (int k = 0; k < 3; k++) {
    const int n = coarse << k;
    double hz[4];
    frequencies(beam_def(c.length, 0.01, 0.01, c.along * n, n, n, 2), m, c.clamped, c.tip, 4, hz);
    mean[k] = (hz[2 * pair] + hz[2 * pair + 1]) / 2;
  }
  const double order = log2((mean[0] - mean[1]) / (mean[1] - mean[2]));
  print_message("%g Hz, order %.2f\n", mean[2], order);
  return order;
}
