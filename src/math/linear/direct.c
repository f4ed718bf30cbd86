// MUMPS, sequential, silent.
#include "math/linear/direct.h"

#include <dmumps_c.h>
#include <pthread.h>

#include "math/linear/mumps_lock.h"

enum { // MUMPS's jobs
  JOB_START = -1,
  JOB_END = -2,
  JOB_ANALYSE = 1,
  JOB_FACTOR = 2,
  JOB_SOLVE = 3
};
enum { MUMPS_DEFINITE = 1, MUMPS_SYMMETRIC = 2 };
enum { USE_WORLD = -987654 }; // the communicator that the sequential library expects

// Positions in its arrays, counted from 1 as its manual does.
#define CONTROL(id, k) ((id)->icntl[(k)-1])
#define INFO(id, k) ((id)->infog[(k)-1])

enum { MOST_ROOM = 1600 }; // percent of working memory beyond what the analysis expected

struct lb_direct {
  const lb_allocator* allocator;
  DMUMPS_STRUC_C id;
  bool analysed, factored;
};

static pthread_mutex_t mumps = PTHREAD_MUTEX_INITIALIZER;

void lb_mumps_lock(void) {
  pthread_mutex_lock(&mumps);
}

void lb_mumps_unlock(void) {
  pthread_mutex_unlock(&mumps);
}

static void call(DMUMPS_STRUC_C* id, int job) {
  id->job = job;
  lb_mumps_lock();
  dmumps_c(id);
  lb_mumps_unlock();
}

// Its negative codes, sorted into ours.
static lb_status outcome(const DMUMPS_STRUC_C* id) {
  const int code = INFO(id, 1);
  if (code >= 0) {
    return LB_OK;
  }
  const bool memory = code == -5 || code == -7 || code == -8 || code == -9 || code == -11 ||
                      code == -13 || code == -14 || code == -15 || code == -19 || code == -20;
  return memory ? LB_NO_MEMORY : LB_FAILED;
}

static void configure(DMUMPS_STRUC_C* id) {
  enum { NO_OUTPUT = 0, MINIMUM_DEGREE = 0, COUNT_NEGATIVE = 1, ROOM = 30 };
  for (int k = 1; k <= 3; k++) {
    CONTROL(id, k) = -1; // no streams
  }
  CONTROL(id, 4) = NO_OUTPUT;
  // Minimum degree is best for slender bodies, draws no random numbers (same matrix, same factors)
  // and, unlike the library's own dissection, never ends the program.
  CONTROL(id, 7) = MINIMUM_DEGREE;
  CONTROL(id, 13) = COUNT_NEGATIVE;
  CONTROL(id, 14) = ROOM;
}

// Triplets counted from 1; MUMPS reads them at every factorisation.
static void fill_pattern(DMUMPS_STRUC_C* id, const lb_sparse* A) {
  for (int i = 0; i < A->n; i++) {
    for (int k = A->row[i]; k < A->row[i + 1]; k++) {
      id->irn[k] = i + 1;
      id->jcn[k] = A->col[k] + 1;
    }
  }
  id->n = A->n;
  id->nnz = A->row[A->n];
}

lb_status lb_direct_create(const lb_allocator* allocator, const lb_sparse* A, bool definite,
                           lb_direct** direct) {
  const size_t count = (size_t)A->row[A->n];
  lb_direct* d = lb_allocate(allocator, sizeof *d);
  int* irn = lb_allocate(allocator, count * sizeof *irn);
  int* jcn = lb_allocate(allocator, count * sizeof *jcn);
  lb_status status = LB_NO_MEMORY;
  if (d && irn && jcn) {
    *d = (lb_direct){.allocator = allocator};
    d->id.comm_fortran = USE_WORLD;
    d->id.par = 1;
    d->id.sym = definite ? MUMPS_DEFINITE : MUMPS_SYMMETRIC;
    call(&d->id, JOB_START);
    status = outcome(&d->id);
  }
  if (status != LB_OK) {
    lb_release(allocator, jcn);
    lb_release(allocator, irn);
    lb_release(allocator, d);
    return status;
  }
  configure(&d->id);
  d->id.irn = irn;
  d->id.jcn = jcn;
  fill_pattern(&d->id, A);
  *direct = d;
  return LB_OK;
}

void lb_direct_release(lb_direct* direct) {
  if (direct) {
    lb_release(direct->allocator, direct->id.irn);
    lb_release(direct->allocator, direct->id.jcn);
    direct->id.irn = direct->id.jcn = NULL;
    direct->id.a = direct->id.rhs = NULL;
    call(&direct->id, JOB_END);
    lb_release(direct->allocator, direct);
  }
}

lb_status lb_direct_factor(lb_direct* direct, const lb_sparse* A) {
  DMUMPS_STRUC_C* id = &direct->id;
  id->a = A->value;
  direct->factored = false;
  if (!direct->analysed) {
    call(id, JOB_ANALYSE);
    const lb_status status = outcome(id);
    if (status != LB_OK) {
      return status;
    }
    direct->analysed = true;
  }
  // Pivoting may need more room than was foreseen: ask for more, then give up.
  lb_status status;
  do {
    call(id, JOB_FACTOR);
    status = outcome(id);
    const bool small =
        INFO(id, 1) == -8 || INFO(id, 1) == -9 || INFO(id, 1) == -14 || INFO(id, 1) == -15;
    if (!small || CONTROL(id, 14) >= MOST_ROOM) {
      break;
    }
    CONTROL(id, 14) *= 2;
  } while (status != LB_OK);
  direct->factored = status == LB_OK;
  return status;
}

lb_status lb_direct_solve(lb_direct* direct, int nrhs, double* B) {
  DMUMPS_STRUC_C* id = &direct->id;
  if (!direct->factored) {
    return LB_FAILED;
  }
  id->rhs = B;
  id->nrhs = nrhs;
  id->lrhs = id->n;
  call(id, JOB_SOLVE);
  id->rhs = NULL;
  return outcome(id);
}

int lb_direct_negative(const lb_direct* direct) {
  return INFO(&direct->id, 12);
}
