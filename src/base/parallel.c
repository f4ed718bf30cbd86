// OpenMP loops with fixed-order sums.
#include "base/parallel.h"

#include <omp.h>
#include <sched.h>

enum {
  BLOCK = 256, // terms added in one go
  WAVE = 256   // blocks whose sums are held at once; bounds the stack
};

// Threads beyond the processors would only wait for each other; results do not depend on it.
static int useful(int threads) {
  const int most = omp_get_num_procs();
  return threads < most ? threads : most;
}

void lb_parallel_for(int threads, int count, void (*work)(void* context, int i), void* context) {
  const int n = useful(threads);
  if (n <= 1 || count <= 1) {
    for (int i = 0; i < count; i++) {
      work(context, i);
    }
    return;
  }
#pragma omp parallel for num_threads(n) schedule(dynamic, 1)
  for (int i = 0; i < count; i++) {
    work(context, i);
  }
}

// Sum of one block of terms, left to right.
static double block_sum(int block, int count, double (*term)(void*, int), void* context) {
  const int first = block * BLOCK;
  const int last = count - first < BLOCK ? count : first + BLOCK;
  double sum = 0;
  for (int i = first; i < last; i++) {
    sum += term(context, i);
  }
  return sum;
}

double lb_parallel_sum(int threads, int count, double (*term)(void* context, int i),
                       void* context) {
  double total = 0;
  const int n = useful(threads);
  const int nblock = count / BLOCK + (count % BLOCK != 0);
  for (int first = 0; first < nblock; first += WAVE) {
    double sum[WAVE];
    const int held = nblock - first < WAVE ? nblock - first : WAVE;
#pragma omp parallel for num_threads(n) if (n > 1 && held > 1)
    for (int b = 0; b < held; b++) {
      sum[b] = block_sum(first + b, count, term, context);
    }
    for (int b = 0; b < held; b++) {
      total += sum[b];
    }
  }
  return total;
}

void lb_parallel_team(int threads, void (*work)(void* context, int rank, int size), void* context) {
  const int n = useful(threads);
  if (n <= 1) {
    work(context, 0, 1);
    return;
  }
#pragma omp parallel num_threads(n)
  work(context, omp_get_thread_num(), omp_get_num_threads());
}

// A hint to the processor that this is a loop that waits.
static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void lb_barrier_wait(lb_barrier* b, int size) {
  enum { SPINS = 4000 };
  if (size <= 1) {
    return;
  }
  const int round = atomic_load_explicit(&b->round, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == size - 1) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&b->round, round + 1, memory_order_release);
    return;
  }
  for (int i = 0; atomic_load_explicit(&b->round, memory_order_acquire) == round; i++) {
    if (i < SPINS) {
      pause_briefly();
    } else {
      sched_yield();
    }
  }
}
