// base: messages, arenas, loops.
#include "base/arena.h"
#include "base/carve.h"
#include "base/parallel.h"
#include "counting.h"
#include "limber/status.h"
#include "test.h"

static void message_names_file_line_and_column(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_error_add(&err, LB_INVALID, (lb_place){"arm.yaml", 14, 9}, "no body '%s'", "foream");
  char text[100];
  lb_error_format(&err, 0, text, sizeof text);
  assert_string_equal(text, "arm.yaml:14:9: no body 'foream'");
  assert_int_equal(err.status, LB_INVALID);
  lb_error_clear(&err);
  assert_int_equal(err.count, 0);
}

static void messages_beyond_the_most_are_counted(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < LB_ERROR_MOST + 7; i++) {
    lb_error_add(&err, LB_INVALID, (lb_place){0}, "%d", i);
  }
  assert_int_equal(err.count, LB_ERROR_MOST);
  assert_int_equal(err.lost, 7);
  lb_error_clear(&err);
}

static void arena_pieces_are_aligned_zeroed_and_apart(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char* before = NULL;
  for (size_t size = 1; size < 100000; size = size * 3 + 1) {
    char* piece = lb_arena_take(&arena, size, 64);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % 64, 0);
    for (size_t i = 0; i < size; i++) {
      assert_int_equal(piece[i], 0);
    }
    memset(piece, 7, size);
    assert_ptr_not_equal(piece, before);
    before = piece;
  }
  lb_arena_release(&arena);
}

static void arena_reset_gives_the_same_memory_again(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_arena_take(&arena, 10, 8);
  const lb_arena_mark mark = lb_arena_here(&arena);
  void* first = lb_arena_take(&arena, 100, 8);
  lb_arena_take(&arena, 1000000, 8);
  lb_arena_reset(&arena, mark);
  assert_ptr_equal(lb_arena_take(&arena, 100, 8), first);
  lb_arena_release(&arena);
}

static void an_arena_that_ran_out_says_so_and_gives_nothing_until_it_is_released(void** state) {
  (void)state;
  lb_counting counting = {.refuse = 2};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  lb_arena arena;
  lb_arena_init(&arena, &allocator);
  assert_non_null(lb_arena_take(&arena, 10, 8));
  const lb_arena_mark before = lb_arena_here(&arena);
  assert_null(lb_arena_take(&arena, 1000000, 8));
  assert_null(lb_arena_take(&arena, 10, 8)); // though there is room
  assert_int_equal(lb_arena_status(&arena), LB_NO_MEMORY);
  lb_arena_reset(&arena, before);
  assert_int_equal(lb_arena_status(&arena), LB_NO_MEMORY);
  lb_arena_release(&arena);
  assert_int_equal(lb_arena_status(&arena), LB_OK);
  assert_non_null(lb_arena_take(&arena, 10, 8));
  assert_null(LB_TAKE(&arena, double, SIZE_MAX / 4));
  assert_int_equal(lb_arena_status(&arena), LB_NO_MEMORY);
  lb_arena_release(&arena);
  assert_int_equal(lb_arena_status(&arena), LB_OK);
  assert_int_equal(counting.live, 0);
}

static void pieces_beyond_all_memory_measure_as_a_block_that_nobody_has(void** state) {
  (void)state;
  static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8 + 2, SIZE_MAX / 8, SIZE_MAX / 8 - 1};
  for (int i = 0; i < 4; i++) {
    lb_carver c = {NULL, 0};
    lb_carve(&c, 3, 8);
    lb_carve(&c, counts[i], 8);
    lb_carve(&c, 3, 8);
    assert_null(lb_allocate(NULL, c.used));
  }
  lb_carver c = {NULL, 0};
  lb_carve(&c, 3, 8);
  lb_carve(&c, 9, 8);
  assert_int_equal(c.used, 3 * LB_ALIGN);
}

static double term(void* context, int i) {
  (void)context;
  return 1.0 / (1.0 + i);
}

static void parallel_sum_is_the_same_for_any_number_of_threads(void** state) {
  (void)state;
  for (int count = 0; count < 200000; count = 3 * count + 1) {
    const double one = lb_parallel_sum(1, count, term, NULL);
    for (int threads = 2; threads <= 5; threads++) {
      const double many = lb_parallel_sum(threads, count, term, NULL);
      assert_memory_equal(&one, &many, sizeof one);
    }
  }
}

static void mark_done(void* context, int i) {
  ((int*)context)[i] += i;
}

static void parallel_for_visits_each_index_once(void** state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    int seen[1000] = {0};
    lb_parallel_for(threads, 1000, mark_done, seen);
    for (int i = 0; i < 1000; i++) {
      assert_int_equal(seen[i], i);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(message_names_file_line_and_column),
      cmocka_unit_test(messages_beyond_the_most_are_counted),
      cmocka_unit_test(arena_pieces_are_aligned_zeroed_and_apart),
      cmocka_unit_test(arena_reset_gives_the_same_memory_again),
      cmocka_unit_test(an_arena_that_ran_out_says_so_and_gives_nothing_until_it_is_released),
      cmocka_unit_test(pieces_beyond_all_memory_measure_as_a_block_that_nobody_has),
      cmocka_unit_test(parallel_sum_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(parallel_for_visits_each_index_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
