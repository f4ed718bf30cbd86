// One island of the fast solver at work: sweeps with conjugate directions, by one thread or by a
// team that takes the same decisions. Results do not depend on the number of threads. Nothing here
// allocates.
#pragma once
#include "base/parallel.h"
#include "math/contact/contact_fast.h"
#include "math/contact/contact_newton.h"
#include "math/contact/contact_sweep.h"

enum { LB_CREW_MOST = 64 }; // threads

// What threads of a team tell each other.
typedef struct lb_contact_shared {
  lb_barrier barrier;
  double change[LB_CREW_MOST]; // largest of each thread's share
  lb_contact_measure measure[LB_CREW_MOST];
  lb_contact_try newton;
} lb_contact_shared;

// Conjugate directions of rows and velocities, in the order of the sweeper.
typedef struct lb_contact_directions {
  double *before, *toward;     // [nrow] lambda before a sweep; direction
  double *u_before, *u_toward; // [nvelocity]
  double* part;                // [nrow / 512 + 1] sums of terms
} lb_contact_directions;

typedef struct lb_contact_crew {
  lb_contact_sweeper* sweeper;
  const lb_contact_islands* islands;
  lb_contact_directions* directions;
  lb_contact_shared* shared;
  int island, rank, size;
  int begin, end; // blocks of the island in the order
  int rows;       // of the island
  double target;  // residual to reach
  double close;   // to which roots of friction are found, over their bounds
  double last;    // squared length of the change of the sweep before
  int nsweep;     // so far
} lb_contact_crew;

void lb_contact_directions_carve(lb_contact_directions* d, lb_carver* c, int rows, int velocities);

// All threads of the crew meet.
static inline void lb_crew_meet(const lb_contact_crew* c) {
  lb_barrier_wait(&c->shared->barrier, c->size);
}
// Velocities from impulses: without the rounding of many sweeps.
void lb_crew_refresh(const lb_contact_crew* c);
lb_contact_measure lb_crew_measure(const lb_contact_crew* c);
// The largest of `of` over all of the island's blocks.
double lb_crew_largest(const lb_contact_crew* c,
                       double (*of)(const lb_contact_sweeper* s, int begin, int end));

// Sweeps from here on have no direction yet.
void lb_crew_begin(lb_contact_crew* c);
// One sweep; the largest change of a row's own velocity.
double lb_crew_sweep(lb_contact_crew* c);
// The step along the conjugate direction, after a sweep.
void lb_crew_accelerate(lb_contact_crew* c);
