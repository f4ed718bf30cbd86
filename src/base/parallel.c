// Threads that help when they have a processor, and are never waited for before they do. The caller
// of a loop publishes a job, and takes iterations itself. Helpers enter while the job is open and
// take iterations, too; at the end the caller closes it, and waits for those inside alone. So a
// busy machine, on which helpers come late or not at all, costs hardly more than one thread. Loops
// follow each other closely, and waking takes long: helpers stay awake for a while after each.
#define _GNU_SOURCE
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum {
  BLOCK = 256,    // terms added in one go
  WAVE = 256,     // blocks whose sums are held at once; bounds the stack
  MOST = 63,      // helpers
  SPINS = 4000,   // of a wait, before others get the processor
  COME = 1000,    // of the wait for a team's helpers: those awake come sooner
  OPEN = 1 << 16, // of `inside`: helpers may enter
  LINE = 64       // bytes that go from one processor to another at a time
};

// Iterations that one thread begins with. Those of the same numbers in the next loop are the same
// thread's then, whose processor has their memory at hand.
typedef struct portion {
  _Alignas(LINE) atomic_int next;
  int end;
} portion;

typedef struct job {
  void (*work)(void* context, int i);              // of a loop, or
  void (*team)(void* context, int rank, int size); // of a team
  void* context;
  int helpers;               // that are wanted
  portion portion[MOST + 1]; // of a loop, one for each thread
  atomic_int next;           // rank of who enters a team
  atomic_int size;           // of a team, once it is known
} job;

// One for the process: who finds it taken works alone.
static struct {
  pthread_mutex_t taken, asleep;
  pthread_cond_t wake;
  int nthread;         // helpers that exist
  int processors;      // that the process may use; 0: not counted yet
  atomic_int inside;   // helpers inside the job, and OPEN
  atomic_int round;    // number of jobs so far
  atomic_int sleeping; // helpers that must be woken
  job job;
} pool = {.taken = PTHREAD_MUTEX_INITIALIZER,
          .asleep = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

// --- waiting ---

// A hint to the processor that this is a loop that waits; after a while others get it.
static void pause_briefly(int spins) {
  if (spins > SPINS) {
    sched_yield();
    return;
  }
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void lb_barrier_wait(lb_barrier* b, int size) {
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
    pause_briefly(i);
  }
}

// --- helpers ---

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Awake, while others may have the processor; whether there is another job than `round`.
static bool watch_for_job(int round) {
  static const double AWAKE = 1e-3; // [s]: what a step of a large scene does alone is shorter
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load(&pool.round) != round) {
      return true;
    }
    pause_briefly(i);
  }
  for (const double end = now() + AWAKE; now() < end; sched_yield()) {
    if (atomic_load(&pool.round) != round) {
      return true;
    }
  }
  return false;
}

// Wait until there is another job than `round`. Who opens a job counts it first and then looks for
// sleepers, who count themselves first and then look for a job: one sees the other.
static int await_job(int round) {
  if (!watch_for_job(round)) {
    pthread_mutex_lock(&pool.asleep);
    atomic_fetch_add(&pool.sleeping, 1);
    while (atomic_load(&pool.round) == round) {
      pthread_cond_wait(&pool.wake, &pool.asleep);
    }
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.asleep);
  }
  return atomic_load(&pool.round);
}

// Those of a thread, and then what others have left.
static void take_iterations(job* j, int rank) {
  for (int k = 0; k <= j->helpers; k++) {
    portion* p = &j->portion[(rank + k) % (j->helpers + 1)];
    for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->end;) {
      j->work(j->context, i);
    }
  }
}

// The caller has rank 0, and says how many came in time.
static void join_team(job* j) {
  const int rank = atomic_fetch_add(&j->next, 1) + 1;
  int size = 0;
  for (int i = 0; (size = atomic_load(&j->size)) == 0; i++) {
    pause_briefly(i);
  }
  if (rank < size) {
    j->team(j->context, rank, size);
  }
}

static void* help(void* number) {
  const int rank = (int)(ptrdiff_t)number;
  for (int round = 0;;) {
    round = await_job(round);
    if (atomic_fetch_add(&pool.inside, 1) & OPEN) { // else the job may be changing
      job* j = &pool.job;
      if (rank < j->helpers && j->work) {
        take_iterations(j, rank + 1);
      } else if (rank < j->helpers) {
        join_team(j);
      }
    }
    atomic_fetch_sub(&pool.inside, 1);
  }
  return NULL;
}

// A forked process has none of its parent's helpers.
static void forget_helpers(void) {
  pool.nthread = 0;
  atomic_store(&pool.inside, 0);
  atomic_store(&pool.sleeping, 0);
  pthread_mutex_init(&pool.taken, NULL);
  pthread_mutex_init(&pool.asleep, NULL);
  pthread_cond_init(&pool.wake, NULL);
}

static void watch_forks(void) {
  pthread_atfork(NULL, NULL, forget_helpers);
}

// As many helpers as can be had.
static void make_helpers(int wanted) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_attr_t detached;
  pthread_once(&once, watch_forks);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (pthread_t t; pool.nthread < wanted; pool.nthread++) {
    if (pthread_create(&t, &detached, help, (void*)(ptrdiff_t)pool.nthread) != 0) {
      break;
    }
  }
  pthread_attr_destroy(&detached);
}

// --- jobs ---

// Threads beyond the processors would only wait for each other; results do not depend on it.
static int useful(int threads) {
  cpu_set_t mine;
  if (pool.processors == 0) {
    pool.processors = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
  }
  return threads < pool.processors ? threads : pool.processors;
}

static void wake_helpers(void) {
  if (atomic_load(&pool.sleeping) > 0) {
    pthread_mutex_lock(&pool.asleep);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.asleep);
  }
}

static void share_out(job* j, int count) {
  const long threads = j->helpers + 1;
  for (int k = 0; k < threads; k++) {
    atomic_store_explicit(&j->portion[k].next, (int)(count * k / threads), memory_order_relaxed);
    j->portion[k].end = (int)(count * (k + 1L) / threads);
  }
}

// A loop or a team.
typedef struct call {
  void (*work)(void* context, int i);
  void (*team)(void* context, int rank, int size);
  void* context;
  int count; // of iterations
} call;

// Threads of a job whose helpers were called; 1: the caller is alone.
static int open_job(int threads, const call* what) {
  if (threads <= 1 || pthread_mutex_trylock(&pool.taken) != 0) {
    return 1;
  }
  const int most = useful(threads), helpers = (most <= MOST ? most : MOST + 1) - 1;
  if (helpers <= 0) {
    pthread_mutex_unlock(&pool.taken);
    return 1;
  }
  make_helpers(helpers);
  pool.job.work = what->work;
  pool.job.team = what->team;
  pool.job.context = what->context;
  pool.job.helpers = helpers;
  share_out(&pool.job, what->count);
  atomic_store(&pool.job.next, 0);
  atomic_store(&pool.job.size, 0);
  atomic_fetch_or(&pool.inside, OPEN);
  atomic_fetch_add(&pool.round, 1);
  wake_helpers();
  return helpers + 1;
}

static void close_job(void) {
  atomic_fetch_and(&pool.inside, ~OPEN);
  for (int i = 0; atomic_load(&pool.inside) != 0; i++) {
    pause_briefly(i);
  }
  pthread_mutex_unlock(&pool.taken);
}

void lb_parallel_for(int threads, int count, void (*work)(void* context, int i), void* context) {
  const call what = {.work = work, .context = context, .count = count};
  if (open_job(threads < count ? threads : count, &what) > 1) {
    take_iterations(&pool.job, 0);
    close_job();
    return;
  }
  for (int i = 0; i < count; i++) {
    work(context, i);
  }
}

void lb_parallel_team(int threads, void (*work)(void* context, int rank, int size), void* context) {
  const call what = {.team = work, .context = context};
  const int n = open_job(threads, &what);
  if (n == 1) {
    work(context, 0, 1);
    return;
  }
  for (int i = 0; i < COME && atomic_load(&pool.job.next) < n - 1; i++) {
    pause_briefly(i);
  }
  const int size = 1 + atomic_load(&pool.job.next);
  atomic_store(&pool.job.size, size < n ? size : n);
  work(context, 0, size < n ? size : n);
  close_job();
}

// --- sums ---

typedef struct sum {
  double (*term)(void* context, int i);
  void* context;
  int first, count; // block, and all terms
  double of[WAVE];
} sum;

// One block of terms, left to right.
static void add_block(void* context, int b) {
  sum* s = context;
  const int first = (s->first + b) * BLOCK;
  const int last = s->count - first < BLOCK ? s->count : first + BLOCK;
  s->of[b] = 0;
  for (int i = first; i < last; i++) {
    s->of[b] += s->term(s->context, i);
  }
}

double lb_parallel_sum(int threads, int count, double (*term)(void* context, int i),
                       void* context) {
  sum s = {.term = term, .context = context, .count = count};
  const int nblock = count / BLOCK + (count % BLOCK != 0);
  double total = 0;
  for (; s.first < nblock; s.first += WAVE) {
    const int held = nblock - s.first < WAVE ? nblock - s.first : WAVE;
    lb_parallel_for(threads, held, add_block, &s);
    for (int b = 0; b < held; b++) {
      total += s.of[b];
    }
  }
  return total;
}
