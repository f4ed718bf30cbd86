// Internal forces in a basis as a sum over points of the body:
//
//   V(eta) = sum_p w_p psi(F_p),   F_p = 1 + sum_k eta_k G_pk,   f_k = sum_p w_p P(F_p) : G_pk
//
// with G_pk the gradient of basis vector k at point p. Over all quadrature points of the mesh this
// is the exact projection of the mesh's forces; over a few points with other weights it is
// cubature. Eight points at a time.
#pragma once
#include "elastic/reduced/basis.h"
#include "elastic/reduced/reduced.h"

typedef struct lb_points {
  int r;
  int nbatch;
  lb_lanes* G;                  // [nbatch][r][9]
  lb_lanes* weight;             // [nbatch]
  lb_lanes* x;                  // [nbatch][3] where they are at rest; NULL: not known
  int* region;                  // [nbatch]
  int* element;                 // [nbatch][8] of the mesh; -1: nothing in this lane
  lb_region_material* material; // [nregion]
  bool viscous;                 // regions have different shares of the damping
} lb_points;

// All quadrature points of a mesh in a basis.
lb_status lb_points_create(const lb_fem* fem, const lb_basis* basis, lb_arena* arena,
                           lb_points* points);

// Internal force over a point set, which must outlive it.
lb_reduced_force lb_points_force(const lb_points* points);

// All forces `factor` times as large.
void lb_points_scale(lb_points* points, double factor);

// What each point alone, with weight one, contributes to the force: g [8][r] of one batch.
void lb_points_contribution(const lb_points* points, int batch, double* g, const double* eta);

// A set of `count` points, each yet to be filled in: `slot` [count] gives its place, 8 * batch +
// lane. Batches are of one region each, regions rising, points in their order.
lb_status lb_points_empty(int r, int count, const int* region, int nregion,
                          const lb_region_material* material, lb_arena* arena, lb_points* points,
                          int* slot);

// The chosen points with new weights. `chosen` holds 8 * batch + lane.
lb_status lb_points_pick(const lb_points* all, int count, const int* chosen, const double* weight,
                         int nregion, lb_arena* arena, lb_points* picked);
