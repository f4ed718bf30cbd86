// Parallel loops whose results do not depend on the number of threads. A loop within a loop, or
// beside one of another thread, runs on its caller's alone.
#pragma once
#include <stdatomic.h>

// Call work(context, i) for i in [0, count), on up to `threads` threads. Iterations must be
// independent.
void lb_parallel_for(int threads, int count, void (*work)(void* context, int i), void* context);

// The sum of term(context, i) over i in [0, count). Terms are added in blocks of fixed size and the
// blocks in their order, so the rounding is the same for any number of threads. Allocates nothing.
double lb_parallel_sum(int threads, int count, double (*term)(void* context, int i), void* context);

// Call work(context, rank, size) once on each of `size` threads, as many as come within some
// microseconds and at most `threads`, rank in [0, size).
void lb_parallel_team(int threads, void (*work)(void* context, int rank, int size), void* context);

// Barrier of a team: all of its threads must call lb_barrier_wait equally often. Starts as zeros.
// Threads spin for some microseconds, and then let others have the processor: a meeting takes a
// fraction of a microsecond where each has its own.
typedef struct lb_barrier {
  atomic_int arrived, round;
} lb_barrier;
void lb_barrier_wait(lb_barrier* b, int size);
