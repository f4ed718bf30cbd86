// Processor time that a run of an engine may take. One that will not be done in it is stopped
// after a quarter.
#pragma once
#include <stdbool.h>
#include <time.h>

typedef struct bench_budget {
  double most;  ///< [s]
  int steps;    ///< of the whole run
  double spent; ///< so far [s]
  int made;     ///< steps so far
} bench_budget;

/// Processor time of the process [s].
static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Libraries' threads spin for a while when they begin, which counts as processor time: wait until
/// they sleep, as all of the process does then.
static inline void bench_settle(void) {
  const struct timespec nap = {0, 20000000};
  for (double before = -1; bench_now() - before > 1e-3;) {
    before = bench_now();
    nanosleep(&nap, NULL);
  }
}

static inline bool bench_budget_left(const bench_budget* b) {
  const bool slow = b->spent * b->steps > b->most * b->made;
  return b->spent < (slow ? b->most / 4 : b->most);
}
