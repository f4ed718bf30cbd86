// What is done for one island of the fast solver until it is solved or its share is spent: sweeps
// (contact_crew.h), Newton's method where they are slow, other starts. Nothing here allocates.
#pragma once
#include <pthread.h>

#include "math/contact/contact_crew.h"
#include "math/contact/contact_dense.h"
#include "math/contact/contact_sparse.h"

enum { LB_ISLAND_SMALL = 96 }; // rows up to which an island is for one thread, and dense

// Outcome of one island.
typedef struct lb_contact_outcome {
  lb_contact_measure measure;
  int iterations;
  bool solved;
  bool exact; // by Newton's method, to much less than the tolerance: it may come to rest
} lb_contact_outcome;

// Matrices of Newton's method and room for its impulses.
typedef struct lb_contact_matrices {
  lb_contact_dense* dense;
  int most;                  // rows of it
  lb_contact_sparse* sparse; // of islands that are not small
  double* x;                 // [rows]
  double* best;              // [rows] impulses of the least residual, in the order of the sweeper
  pthread_mutex_t* lock;     // for all but `best`, where islands share them; or NULL
} lb_contact_matrices;

// The island of the crew, with its own scale and that of all islands.
lb_contact_outcome lb_contact_solve_island(lb_contact_crew* c, const lb_contact_matrices* matrices,
                                           const lb_contact_options* options, double own,
                                           double scale);
