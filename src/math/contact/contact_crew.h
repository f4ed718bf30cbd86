// One island of the fast solver at work: sweeps with conjugate directions, by one thread or by a
// team that takes the same decisions. Results do not depend on the number of threads. Nothing here
// allocates.
#pragma once
#include "base/parallel.h"
#include "math/contact/contact_fast.h"
#include "math/contact/contact_newton.h"
#include "math/contact/contact_sweep.h"

enum { LB_CREW_MOST = 64 }; // threads

// What a thread says of its share.
typedef struct lb_contact_told {
  double change; // the largest
  lb_contact_measure measure;
} lb_contact_told;

// What threads of a team tell each other.
typedef struct lb_contact_shared {
  lb_barrier barrier;
  lb_contact_told told[2][LB_CREW_MOST]; // by turns
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
  double *given, *u; // lambda and velocities of the problem
  int begin, end;    // blocks of the island in the order
  int rows;          // of the island
  double target;     // residual to reach
  double close;      // to which roots of friction are found, over their bounds
  double last;       // squared length of the change of the sweep before
  int nsweep;        // so far
  bool turn;         // place of what was told last, of whichever island
} lb_contact_crew;

void lb_contact_directions_carve(lb_contact_directions* d, lb_carver* c, int rows, int velocities);

// All threads of the crew meet.
static inline void lb_crew_meet(const lb_contact_crew* c) {
  lb_barrier_wait(&c->shared->barrier, c->size);
}
// Velocities from impulses: without the rounding of many sweeps.
void lb_crew_refresh(lb_contact_crew* c);
lb_contact_measure lb_crew_measure(lb_contact_crew* c);
// Something done with blocks [begin, end) of the order, and its largest number.
typedef double lb_crew_pass(const lb_contact_crew* c, int begin, int end);
// A pass over this thread's blocks of the island, the same ones in all passes: its processor has
// their memory at hand.
double lb_crew_share(const lb_contact_crew* c, lb_crew_pass* pass);
// The same by all threads, who meet and know the largest.
double lb_crew_largest(lb_contact_crew* c, lb_crew_pass* pass);
// Velocities of this thread's groups to the problem's.
void lb_crew_give_velocities(const lb_contact_crew* c);

// Sweeps from here on have no direction yet.
void lb_crew_begin(lb_contact_crew* c);
// One sweep; the largest change of a row's own velocity.
double lb_crew_sweep(lb_contact_crew* c);
// The step along the conjugate direction, after a sweep.
void lb_crew_accelerate(lb_contact_crew* c);
