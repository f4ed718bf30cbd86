// Parallel loops whose results do not depend on the number of threads.
#pragma once

// Call work(context, i) for i in [0, count), on up to `threads` threads. Iterations must be
// independent.
void lb_parallel_for(int threads, int count, void (*work)(void* context, int i), void* context);

// The sum of term(context, i) over i in [0, count). Terms are added in blocks of fixed size and the
// blocks in their order, so the rounding is the same for any number of threads. Allocates nothing.
double lb_parallel_sum(int threads, int count, double (*term)(void* context, int i), void* context);
