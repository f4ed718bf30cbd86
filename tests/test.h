// What every test program includes: cmocka, and checks of doubles that print both values.
#pragma once
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The larger and the smaller of two, of which one that is not a number stays: the library's drop
// it, and a worst difference would then be that of what is left.
static inline double lb_test_max(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}
static inline double lb_test_min(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}
#define fmax lb_test_max
#define fmin lb_test_min

// |a - b| <= tolerance * max(1, |a|, |b|)
#define assert_near(a, b, tolerance) lb_test_near((a), (b), (tolerance), #a, #b, __FILE__, __LINE__)

// |a - b| <= tolerance
#define assert_within(a, b, tolerance)                                                             \
  lb_test_off((a), (b), (tolerance), 1, #a, #b, __FILE__, __LINE__)

static inline void lb_test_off(double a, double b, double tolerance, double scale,
                               const char* a_text, const char* b_text, const char* file, int line) {
  if (!(fabs(a - b) <= tolerance * scale)) {
    print_error("%s = %.17g\n%s = %.17g\ndiffer by %.3g, allowed %.3g\n", a_text, a, b_text, b,
                fabs(a - b), tolerance * scale);
    _fail(file, line);
  }
}

static inline void lb_test_near(double a, double b, double tolerance, const char* a_text,
                                const char* b_text, const char* file, int line) {
  lb_test_off(a, b, tolerance, fmax(1, fmax(fabs(a), fabs(b))), a_text, b_text, file, line);
}

// Comparisons that print both values. What is not a number is neither below nor above anything.
#define assert_below(a, b) LB_TEST_COMPARE(a, "<", b)
#define assert_above(a, b) LB_TEST_COMPARE(a, ">", b)
#define assert_at_most(a, b) LB_TEST_COMPARE(a, "<=", b)
#define assert_at_least(a, b) LB_TEST_COMPARE(a, ">=", b)
#define LB_TEST_COMPARE(a, is, b)                                                                  \
  lb_test_compare((double)(a), is, (double)(b), #a, #b, __FILE__, __LINE__)

static inline void lb_test_compare(double a, const char* is, double b, const char* a_text,
                                   const char* b_text, const char* file, int line) {
  const bool equal = is[1] && a == b;
  if (!(equal || (is[0] == '<' ? a < b : a > b))) {
    print_error("%s = %.17g\nis not %s\n%s = %.17g\n", a_text, a, is, b_text, b);
    _fail(file, line);
  }
}

// Leave a test out under the sanitizers, where it would take many minutes and runs no line that
// quicker tests do not run.
#define lb_test_needs_speed()                                                                      \
  do {                                                                                             \
    if (getenv("LIMBER_SANITIZED")) {                                                              \
      skip();                                                                                      \
    }                                                                                              \
  } while (0)

// A small generator (xorshift64*), the same everywhere, so a printed seed repeats a failure.
typedef struct lb_random {
  uint64_t state;
} lb_random;

static inline double lb_random_unit(lb_random* r) { // in [0, 1)
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return (double)((r->state * 2685821657736338717ull) >> 11) * 0x1p-53;
}
static inline double lb_random_between(lb_random* r, double low, double high) {
  return low + (high - low) * lb_random_unit(r);
}
