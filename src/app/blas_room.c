// OpenBLAS maps a buffer for each thread that calls it, and tries again without end when that
// fails; its own threads, of which none is used, do so too. So the mappings are tried before.
#include "app/blas_room.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/terminal.h"

enum { BUFFER = 129 << 20 }; // bytes; what it takes on x86-64, and a little

static bool is_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void blas_begin(char** argv) {
  if (is_limited() && setenv("OPENBLAS_NUM_THREADS", "1", 0) == 0 && !getenv("LIMBER_BEGUN") &&
      setenv("LIMBER_BEGUN", "1", 1) == 0) {
    execv("/proc/self/exe", argv);
  }
  // our own loops are the parallel ones, and their sums keep their order; BLAS's would not
  openblas_set_num_threads(1);
}

// A call that takes the buffer of this thread, while there is room for it.
static void take_buffer(void) {
  const double one = 1;
  double x = 1;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, 1, 1, 1, &one, 1,
              &x, 1);
}

bool blas_has_room(int threads) {
  const size_t size = (size_t)threads * BUFFER;
  void* room = is_limited() ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                            : NULL;
  if (room == MAP_FAILED) {
    tell_error("there is not enough memory: linear algebra needs %zu MB of address space (see "
               "'ulimit -v')",
               size >> 20);
    return false;
  }
  if (room) {
    munmap(room, size);
    take_buffer();
  }
  return true;
}

_Noreturn void blas_leave(int code) {
  if (is_limited()) {
    fflush(NULL);
    _exit(code);
  }
  exit(code);
}
