// Several models of a mechanism in one chart, as the files of blending share them.
#pragma once
#include "fork/fork_chart.h"
#include "fork/fork_inside.h"

// A few numbers at a time, wherever they lie.
#ifdef __AVX512F__
enum { LB_FORK_LANES = 8 };
#else
enum { LB_FORK_LANES = 4 };
#endif
typedef double lb_fork_lanes
    __attribute__((vector_size(LB_FORK_LANES * sizeof(double)), aligned(sizeof(double))));

// Parts of a model, or of the blend, all linear in the weights, each row of ld numbers. Coordinates
// stand in the order of `order`, but for those of wrenches.
typedef struct lb_fork_part {
  double* xi;    // pose of the effectors in the chart, lengths in radii
  double* force; // their wrenches in equilibrium along the world's axes, unscaled
  double* give;  // what the model gives way under its own wrenches
  double *M, *D; // [n] rows of mass and damping among rates of xi
} lb_fork_part;

typedef struct lb_fork_blending {
  lb_arena arena;
  int n, ld, ne;
  double radius;           // unit of lengths
  double shrink;           // over it
  int* order;              // [n] pivots of the compliance: which coordinate stands where
  double *unit, *size_of;  // [ld] of coordinates in that order: 1 or 1 / radius; its inverse
  int rank;                // of all models together
  double least;            // compliance below which a direction is rigid
  int* kept;               // [n] scratch
  double* at;              // [count][n] the models' xi, in their own order
  lb_transform* centre;    // [ne] origin of the chart
  lb_fork_chart* chart;    // [ne] where the effectors are
  size_t size;             // numbers of an lb_fork_part
  double* models;          // [count][size]
  double* now;             // [size] of the blend
  double* pairs;           // [count (count + 1) / 2][1 + n][ld] give and compliance of two models
  double* pair;            // [1 + n][ld] of the blend
  double* pair_weight;     // [count (count + 1) / 2]
  double* eigen;           // [count][n][ld + 1] eigenvectors and their values; NULL: by joints
  double** along;          // [count][f->count][n] the model's own coordinates from xi
  double *L, *Lt;          // [n][ld] basis of the blend's motions, each with 1 at its pivot, and L'
  double* d;               // [n] compliance along each
  double *rho, *along_rho; // [ld] way from the blend's pose that its stiffness resists, and by L
  double *W, *Ws;          // [n][ld] M + h D; matrix of a step
  double *r, *g, *t, *y, *left; // [ld] scratch
  double *q, *dq, *sum;         // [nq], [nv] of one model; [nv] from the first model to the blend
  lb_fork_tangent tangent;
} lb_fork_blending;

static inline lb_fork_part lb_fork_part_at(const lb_fork_blending* o, double* at) {
  const size_t ld = (size_t)o->ld, n = (size_t)o->n;
  return (lb_fork_part){at, at + ld, at + 2 * ld, at + 3 * ld, at + (3 + n) * ld};
}

// Order of pairs: (0, 0), (1, 0), (1, 1), (2, 0), ...
static inline double* lb_fork_pair_at(const lb_fork_blending* o, int i, int k) {
  return o->pairs +
         ((size_t)i * ((size_t)i + 1) / 2 + (size_t)k) * (size_t)(1 + o->n) * (size_t)o->ld;
}

// Columns of [fork] algorithm 3, repaired: fills eigen from the compliances of all models.
bool lb_fork_match_eigenvectors(lb_fork_blend* b, lb_arena* scratch);

// J_r^-1 [6][6], rows of lengths over the radius; false: it is singular.
bool lb_fork_invert_jacobian(const lb_fork_chart* chart, double radius, double* inverse);
// dq += weight (to - from), rotations as vectors in the link's axes.
void lb_fork_add_difference(const lb_model* m, double* dq, double weight, const double* from,
                            const double* to);
