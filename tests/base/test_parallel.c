// Loops on several threads: each iteration once, whoever does it; teams; loops within and beside
// others; processes that were forked.
#include "base/parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { COUNT = 1000, THREADS = 4, ROUNDS = 2000 };

static void count_one(void* context, int i) {
  atomic_fetch_add(&((atomic_int*)context)[i], 1);
}

static bool each_once(int threads) {
  static atomic_int seen[COUNT];
  bool ok = true;
  for (int i = 0; i < COUNT; i++) {
    atomic_store(&seen[i], 0);
  }
  lb_parallel_for(threads, COUNT, count_one, seen);
  for (int i = 0; i < COUNT; i++) {
    ok = ok && atomic_load(&seen[i]) == 1;
  }
  return ok;
}

static void each_iteration_is_done_once(void** state) {
  (void)state;
  for (int i = 0; i < ROUNDS; i++) {
    assert_true(each_once(1 + i % THREADS));
  }
}

static void within(void* context, int i) {
  atomic_int* seen = context;
  lb_parallel_for(THREADS, 10, count_one, seen + 10 * i);
}

static void a_loop_within_a_loop_is_done_by_its_caller(void** state) {
  (void)state;
  atomic_int seen[COUNT] = {0};
  lb_parallel_for(THREADS, COUNT / 10, within, seen);
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(atomic_load(&seen[i]), 1);
  }
}

// Ranks and meetings of a team.
typedef struct team {
  lb_barrier barrier;
  atomic_int ranks, sizes, met, early;
} team;

static void take_part(void* context, int rank, int size) {
  team* t = context;
  atomic_fetch_add(&t->ranks, 1 << rank);
  atomic_fetch_or(&t->sizes, 1 << size);
  for (int i = 1; i <= 10; i++) {
    atomic_fetch_add(&t->met, 1);
    lb_barrier_wait(&t->barrier, size);
    atomic_fetch_add(&t->early, atomic_load(&t->met) < i * size);
    lb_barrier_wait(&t->barrier, size);
  }
}

static void teams_have_one_of_each_rank(void** state) {
  (void)state;
  for (int i = 0; i < ROUNDS; i++) {
    team t = {0};
    lb_parallel_team(THREADS, take_part, &t);
    const int ranks = atomic_load(&t.ranks);
    assert_int_equal(ranks & (ranks + 1), 0);                   // 0 to size - 1
    assert_int_equal(1 << atomic_load(&t.met) / 10, ranks + 1); // as many as came
    assert_int_equal(atomic_load(&t.sizes), 1 << atomic_load(&t.met) / 10);
    assert_int_equal(atomic_load(&t.early), 0);
  }
}

static double third(void* context, int i) {
  (void)context;
  return 1.0 / (3 + i);
}

static void sums_are_the_same_bytes(void** state) {
  (void)state;
  const double alone = lb_parallel_sum(1, 200000, third, NULL);
  for (int threads = 2; threads <= THREADS; threads++) {
    const double sum = lb_parallel_sum(threads, 200000, third, NULL);
    assert_memory_equal(&sum, &alone, sizeof sum);
  }
}

static void* loops(void* ok) {
  for (int i = 0; i < ROUNDS; i++) {
    atomic_int seen[16] = {0};
    lb_parallel_for(2, 16, count_one, seen);
    for (int k = 0; k < 16; k++) {
      *(bool*)ok = *(bool*)ok && atomic_load(&seen[k]) == 1;
    }
  }
  return NULL;
}

static void callers_do_not_disturb_each_other(void** state) {
  (void)state;
  pthread_t caller[THREADS];
  bool ok[THREADS];
  for (int i = 0; i < THREADS; i++) {
    ok[i] = true;
    assert_int_equal(pthread_create(&caller[i], NULL, loops, &ok[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(caller[i], NULL);
    assert_true(ok[i]);
  }
}

static void a_forked_process_goes_on(void** state) {
  (void)state;
  const char* sanitizer = getenv("LIMBER_SANITIZE");
  if (sanitizer && strstr(sanitizer, "thread")) {
    skip(); // which lets no forked process have threads
  }
  assert_true(each_once(2));
  const pid_t child = fork();
  if (child == 0) {
    _exit(each_once(2) ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_iteration_is_done_once),
      cmocka_unit_test(a_loop_within_a_loop_is_done_by_its_caller),
      cmocka_unit_test(teams_have_one_of_each_rank),
      cmocka_unit_test(sums_are_the_same_bytes),
      cmocka_unit_test(callers_do_not_disturb_each_other),
      cmocka_unit_test(a_forked_process_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
