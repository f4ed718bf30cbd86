// BLAS on one thread while the library computes. With more, its sums would depend on how many a
// host has given it. Our own loops are the parallel ones, and their sums keep their order.
#pragma once

// From here to the end of the scope. The last to leave brings back the host's number of threads,
// whatever the threads that compute at the same time.
#define LB_ONE_BLAS_THREAD                                                                         \
  __attribute__((cleanup(lb_blas_leave), unused)) const int one_blas_thread = lb_blas_enter()

int lb_blas_enter(void);
void lb_blas_leave(const int* entered);
