// Non-negative least squares on a growing set of columns: few columns of A, with positive weights,
// whose sum is nearly b. A and b are seen only through their products N = A'A, A'b and b'b. Weights
// are found by the inner loop of [Lawson, Hanson 1974].
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct lb_cubature_fit {
  int ncolumn;   // candidates
  int most, n;   // weights that are not held at zero: room, and how many there are
  double* N;     // [ncolumn][ncolumn] A'A
  double* Ab;    // [ncolumn] A'b
  double bb;     // b'b
  double* w;     // [ncolumn] weights
  double* rest;  // [ncolumn] A'(b - A w)
  bool* tried;   // [ncolumn] was a column already: some lost their weight again
  int* passive;  // [most] columns with a weight
  double* L;     // [most][most] Cholesky factor of N over them, by rows
  double *y, *z; // [most]
} lb_cubature_fit;

// Room for `ncolumn` candidates and `most` weights, which are set; all of it is zero. false: there
// is no memory.
bool lb_cubature_fit_take(lb_cubature_fit* s, lb_arena* arena);

// Columns and weights, from none and with N, Ab and bb given, until what is missing is small;
// returns its size over that of b.
double lb_cubature_fit_choose(lb_cubature_fit* s, double tolerance);
