// Sweeps of block Gauss-Seidel over a contact problem without its matrix: pieces in the order of
// islands and colours, on the problem's own J and Z. A row costs a dot product and an update, each
// as wide as its groups. Nothing here allocates.
#pragma once
#include "base/carve.h"
#include "math/contact/contact_islands.h"
#include "math/contact/contact_local.h"

// A piece and where its numbers are.
typedef struct lb_contact_packed {
  lb_contact_piece_kind kind;
  int row, nrow;      // in the order of the sweeps
  int origin;         // its first row in the problem
  int normal;         // of sets: row whose lambda the radius grows with, or -1
  int u[2], width[2]; // groups' velocities and their number, 0 without a group
  int sides;          // of a point with two tangents: free bodies that it acts on; else 0
  int entry[2];       // of these, in J and Z: the numbers of its three rows, one after the other
  int local;          // of its constants, or of its factor (equality)
} lb_contact_packed;

typedef struct lb_contact_sweeper {
  const lb_contact_problem* problem;
  double* u; // [nvelocity]
  // --- rows in the order of the sweeps
  double* lambda; // [nrow]
  double* own;    // [nrow] A_rr, in the mean over a set: 1 over lb_contact_step
  double *b, *c;  // [nrow]
  double* w0;     // [nrow] J u0 + b
  // --- places in the order of blocks
  unsigned char* npiece; // [nblock] pieces of the problem's blocks, in the order of these
  int* first;            // [nblock + 1] first piece of each
  int* first_row;        // [nblock + 1] first row of each
  // --- pieces
  lb_contact_packed* piece; // [pieces <= nrow]
  lb_contact_local* local;  // [pieces]
  double* factor;           // [6 rows] Cholesky factors of equality pieces, 6 numbers a row
} lb_contact_sweeper;

void lb_contact_sweeper_carve(lb_contact_sweeper* s, lb_carver* c, int nrow, int nblock);
// Places of everything in the order of the islands, in three calls: the first for some blocks of
// the problem at a time, the second once, the third for some again. From then on blocks are those
// at [begin, end) of the order.
void lb_contact_sweeper_count(lb_contact_sweeper* s, int begin, int end);
void lb_contact_sweeper_add_up(lb_contact_sweeper* s, const lb_contact_islands* order);
// With the constants; the scale of these blocks as below, infinite where numbers of theirs are not
// finite.
double lb_contact_sweeper_pack(lb_contact_sweeper* s, const lb_contact_islands* order, int begin,
                               int end);

// b of the problem for these blocks; whether one has changed.
bool lb_contact_sweeper_take_b(lb_contact_sweeper* s, int begin, int end);
// lambda of the problem to the order of the sweeps, zero where it is not a number; and back.
void lb_contact_sweeper_take(lb_contact_sweeper* s, int begin, int end, const double* lambda);
void lb_contact_sweeper_give(const lb_contact_sweeper* s, int begin, int end, double* lambda);

// Z lambda of these blocks, added to u.
void lb_contact_sweeper_add(lb_contact_sweeper* s, int begin, int end);
// One pass over these blocks, with roots of friction to `close` of their bounds; the largest change
// of a row's own velocity, A_rr |dlambda_r|.
double lb_contact_sweep(lb_contact_sweeper* s, int begin, int end, double close);
// Largest |w| of these blocks without impulses: what residuals are small against.
double lb_contact_sweeper_scale(const lb_contact_sweeper* s, int begin, int end);
// The same without unilateral rows that open, such as points whose gaps do not close in a step.
double lb_contact_sweeper_speed(const lb_contact_sweeper* s, int begin, int end);
// Largest ratio of A_rr's shares of the two groups of a row: of the masses that it meets.
double lb_contact_sweeper_unevenness(const lb_contact_sweeper* s, int begin, int end);
// Natural map of these blocks as it is now, as in contact_problem.h.
lb_contact_measure lb_contact_sweeper_measure(const lb_contact_sweeper* s, int begin, int end);
