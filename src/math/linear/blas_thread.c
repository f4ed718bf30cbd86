// OpenBLAS has one number of threads for the whole process, so who computes is counted for all of
// it: the only state of the library at file scope.
#include "math/linear/blas_thread.h"

#include <cblas.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;   // threads inside
static int threads; // of the host
static _Thread_local int depth;

int lb_blas_enter(void) {
  if (depth++ == 0) {
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
      threads = openblas_get_num_threads();
      openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
  }
  return depth;
}

void lb_blas_leave(const int* entered) {
  (void)entered;
  if (--depth == 0) {
    pthread_mutex_lock(&lock);
    if (--users == 0) {
      openblas_set_num_threads(threads);
    }
    pthread_mutex_unlock(&lock);
  }
}
