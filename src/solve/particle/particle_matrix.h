// The matrix of an implicit step for ropes and deformables beside a tree. With x the velocities of
// the free particles and t those of the tree,
//
//   ( A  B ) (x)   (r_x)      A = m M + c C + s K over free particles, sparse, blocks of 3 x 3
//   ( B' W ) (t) = (r_t)      B = (c C + s K) J between free particles and the tree
//
// where J moves the fastened nodes, xd = J t, and W has J'(c C + s K) J of them on top of the
// tree's own matrix. With A = L L' and Y = L^-1 B, which are eliminated first,
//
//   (W - Y'Y) t = r_t - Y'L^-1 r_x,   x = L^-T (L^-1 r_x - Y t)
//
// so that what is left is a dense system as large as that of the tree alone.
#pragma once
#include "limber/dynamics.h"
#include "math/linear/blocks_general.h"

// Chain of a fastened node: the coordinates between its link and the world, each once.
typedef struct lb_particle_chain {
  int count;
  int* v; // [count]
} lb_particle_chain;

typedef struct lb_particle_matrix {
  const lb_model* m;
  int nd;             // velocities of the tree
  lb_blocks A;        // of free particles
  int* free;          // [nnode] number among the free, or -1
  lb_block_place* at; // places of pairs of free particles, in the order in which they are added
  lb_particle_chain* chain; // [nlink]
  double** J;               // [nnode] of fastened ones: [3][count of the chain]
  lb_sparse* K;             // [nsoft]
  double* B;                // [3 * nfree][nd] in the order of elimination, then Y
  double* x;                // [3 * nfree] a right-hand side in that order
  double* held;             // [nd][nd] the tree's matrix without the nodes
  double *z, *y;            // [3 * nnode]
} lb_particle_matrix;

lb_status lb_particle_matrix_create(lb_particle_matrix* N, const lb_model* m, lb_arena* arena);

// Matrix at d's state, whose nodes lb_forces_apply has moved, with m, c, s as above; what goes on
// top of the tree's matrix is added to W [nd][nd]. Rows of driven coordinates stay as they are.
typedef struct lb_particle_share {
  double mass, damping, stiffness;
} lb_particle_share;
void lb_particle_matrix_fill(lb_particle_matrix* N, lb_data* d, lb_particle_share share, double* W);

// Eliminate the nodes: W -= Y'Y. false: A is not positive definite, and has to be filled again.
bool lb_particle_matrix_eliminate(lb_particle_matrix* N, double* W);

// Both for a step of dt, with m = 1/dt, c = 1, s = dt. Where a deformable is squeezed, its
// stiffness may not be positive; then the nodes count as heavier until A is: Newton's method goes
// slower, and a step that is linear moves them less. d's links are in place. false: nothing helps.
bool lb_particle_matrix_reduce(lb_particle_matrix* N, lb_data* d, double dt, double* W);

// Before and after the tree's part of b [nv] is solved for.
void lb_particle_matrix_before(lb_particle_matrix* N, double* b);
void lb_particle_matrix_after(lb_particle_matrix* N, double* b);

// r += (c C + s K) J v, by all coordinates, driven ones as well: J' of it for the tree.
void lb_particle_matrix_add_product(lb_particle_matrix* N, lb_data* d, lb_particle_share share,
                                    const double* v, double* r);

// --- what others make of it (particle_derivative.h) ---

// Terms of a matrix, symmetric or not. Fastened particles move by P for places and by R for
// velocities, as J is, times p and r.
typedef struct lb_particle_filling {
  lb_particle_share share; // of free particles
  const struct lb_particles* at;
  double *const *P, *const *R; // [nnode]
  double p, r;
  lb_blocks_general*
      A;     // of free particles, where damping changes with places; NULL: symmetric, N's
  double* Z; // [3 * nfree][nd] then: the tree's rows by free particles, transposed
  double* W; // [nd][nd]
} lb_particle_filling;
// A and Z are zero, and J, P and R in place.
void lb_particle_matrix_fill_by(lb_particle_matrix* N, const lb_particle_filling* f);
// Before and after, with factors A (NULL: N's own) and a border [3 * nfree][nd] of a matrix that is
// not symmetric, or of its transpose.
void lb_particle_matrix_before_by(lb_particle_matrix* N, const lb_blocks_general* A,
                                  bool transposed, const double* border, double* b);
void lb_particle_matrix_after_by(lb_particle_matrix* N, const lb_blocks_general* A, bool transposed,
                                 const double* border, double* b);
// Velocities of the nodes, z = J v, of all coordinates, with J [nnode] of the fastened ones; and
// the transpose, r += s J'y.
void lb_particle_matrix_spread(const lb_particle_matrix* N, double* const* J, double* z,
                               const double* v);
void lb_particle_matrix_gather(const lb_particle_matrix* N, double* const* J, double* r, double s,
                               const double* y);
// Velocities of fastened nodes alone; z += J v.
void lb_particle_matrix_spread_fastened(const lb_particle_matrix* N, double* const* J, double* z,
                                        const double* v);
void lb_particle_matrix_gather_fastened(const lb_particle_matrix* N, double* const* J, double* r,
                                        double s, const double* y);
