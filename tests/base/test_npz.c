// base: arrays in .npz files. That NumPy reads them, and writes what we read, is in
// test_npz_numpy.sh.
#include "base/npz.h"
#include "counting.h"
#include "test.h"

static const double numbers[] = {1, -2.5, 3e300, 0, 5e-324, 6};
static const int ints[] = {7, -8, 2147483647};
static const char* const texts[] = {"leg", "b\xc3\xa4r \xe2\x82\xac", ""};

static const lb_npz_array SOME[] = {
    {"numbers", LB_NPZ_NUMBER, 2, {2, 3}, numbers, NULL},
    {"ints", LB_NPZ_INT, 1, {3}, ints, NULL},
    {"texts", LB_NPZ_TEXT, 1, {3}, texts, NULL},
    {"scalar", LB_NPZ_NUMBER, 0, {0}, numbers + 1, NULL},
    {"empty", LB_NPZ_NUMBER, 3, {2, 0, 3}, numbers, NULL},
};
enum { NSOME = sizeof SOME / sizeof *SOME };

static void arrays_come_back_as_they_were(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char* bytes;
  size_t size;
  lb_npz npz;
  assert_int_equal(lb_npz_pack(SOME, NSOME, &arena, &bytes, &size), LB_OK);
  assert_int_equal(lb_npz_parse(bytes, size, "some.npz", &arena, &npz, NULL), LB_OK);
  assert_int_equal(npz.count, NSOME);
  for (int i = 0; i < NSOME; i++) {
    const lb_npz_array* a = lb_npz_find(&npz, SOME[i].name);
    assert_non_null(a);
    assert_int_equal(a->type, SOME[i].type);
    assert_int_equal(a->ndim, SOME[i].ndim);
    assert_memory_equal(a->shape, SOME[i].shape, (size_t)a->ndim * sizeof(int));
    const size_t count = lb_npz_count(a);
    if (a->type == LB_NPZ_TEXT) {
      for (size_t k = 0; k < count; k++) {
        assert_string_equal(((const char* const*)a->data)[k], texts[k]);
      }
    } else if (count) {
      assert_memory_equal(a->data, SOME[i].data, count * (a->type == LB_NPZ_INT ? 4 : 8));
    }
  }
  assert_null(lb_npz_find(&npz, "number"));
  lb_arena_release(&arena);
}

static void the_same_arrays_give_the_same_bytes(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char *a, *b;
  size_t na, nb;
  assert_int_equal(lb_npz_pack(SOME, NSOME, &arena, &a, &na), LB_OK);
  assert_int_equal(lb_npz_pack(SOME, NSOME, &arena, &b, &nb), LB_OK);
  assert_int_equal(na, nb);
  assert_memory_equal(a, b, na);
  lb_arena_release(&arena);
}

static void expect(const lb_npz* npz, const char* name, lb_npz_type type, int ndim, int a, int b,
                   const char* text) {
  lb_error err = lb_error_make(NULL);
  int shape[2] = {a, b};
  const void* data = lb_npz_get(npz, name, type, ndim, shape, &err);
  if (text) {
    char message[300];
    assert_null(data);
    assert_int_equal(err.count, 1);
    lb_error_format(&err, 0, message, sizeof message);
    assert_string_equal(message, text);
  } else {
    assert_non_null(data);
  }
  lb_error_clear(&err);
}

static void a_wrong_array_is_reported_with_what_was_wanted(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char* bytes;
  size_t size;
  lb_npz npz;
  lb_npz_pack(SOME, NSOME, &arena, &bytes, &size);
  lb_npz_parse(bytes, size, "f.npz", &arena, &npz, NULL);
  expect(&npz, "numbers", LB_NPZ_NUMBER, 2, -1, 3, NULL);
  expect(&npz, "numbers", LB_NPZ_NUMBER, 2, 2, 4,
         "f.npz: array 'numbers' must be float64 of shape (2, 4), not float64 of shape (2, 3)");
  expect(&npz, "ints", LB_NPZ_NUMBER, 1, -1, 0,
         "f.npz: array 'ints' must be float64 of shape (any,), not integers of shape (3,)");
  expect(&npz, "Phi", LB_NPZ_NUMBER, 2, -1, 3,
         "f.npz: array 'Phi' (float64 of shape (any, 3)) is missing");
  lb_arena_release(&arena);
}

// Whatever byte is wrong, or wherever it ends: reported, and nothing else. Bytes that say nothing
// (dates, flags, the number of disks) may change.
static void a_damaged_file_is_refused_or_reads_the_same(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char* bytes;
  size_t size;
  int refused = 0;
  lb_npz_pack(SOME, NSOME, &arena, &bytes, &size);
  for (size_t i = 0; i < 2 * size; i++) {
    lb_arena own;
    lb_arena_init(&own, NULL);
    lb_error err = lb_error_make(NULL);
    lb_npz npz;
    const size_t kept = i < size ? size : i - size;
    char* damaged = malloc(kept + 1); // so that a sanitizer sees a step too far
    memcpy(damaged, bytes, kept);
    if (i < size) {
      damaged[i] ^= 0x55;
    }
    const lb_status status = lb_npz_parse(damaged, kept, "d.npz", &own, &npz, &err);
    assert_true(status == LB_OK ? err.count == 0 : err.count == 1);
    if (i >= size) {
      assert_int_equal(status, LB_INVALID);
    }
    refused += status != LB_OK;
    free(damaged);
    lb_error_clear(&err);
    lb_arena_release(&own);
  }
  assert_above(refused, (int)(3 * size / 2));
  lb_arena_release(&arena);
}

static void reading_survives_every_refused_allocation(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  char* bytes;
  size_t size;
  lb_npz_pack(SOME, NSOME, &arena, &bytes, &size);
  for (long refuse = 1;; refuse++) {
    lb_counting count = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&count);
    lb_arena own;
    lb_arena_init(&own, &allocator);
    lb_npz npz;
    const lb_status status = lb_npz_parse(bytes, size, "m.npz", &own, &npz, NULL);
    lb_arena_release(&own);
    assert_int_equal(count.live, 0);
    if (count.requests < refuse) {
      assert_int_equal(status, LB_OK);
      break;
    }
    assert_int_equal(status, LB_NO_MEMORY);
  }
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_come_back_as_they_were),
      cmocka_unit_test(the_same_arrays_give_the_same_bytes),
      cmocka_unit_test(a_wrong_array_is_reported_with_what_was_wanted),
      cmocka_unit_test(a_damaged_file_is_refused_or_reads_the_same),
      cmocka_unit_test(reading_survives_every_refused_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
