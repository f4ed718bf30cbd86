// Text of numbers: reads back exactly, as short as can be.
#include "output/file/number_text.h"

#include "comma.h"
#include "output/report/report_text.h"

static void number_reads_back(double x) {
  char text[LB_NUMBER_SIZE];
  const int length = lb_number_format(text, x);
  assert_int_equal(length, strlen(text));
  const double back = strtod(text, NULL);
  if (back != x) {
    fail_msg("%.17g was written as %s, which reads as %.17g", x, text, back);
  }
}

static int digits_of(const char* text) {
  int n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text >= '1' && *text <= '9') {
      n += 1 + (n ? zeros : 0);
      zeros = 0;
    } else if (*text == '0') {
      zeros++;
    }
  }
  return n;
}

static void every_number_reads_back_exactly(void** state) {
  (void)state;
  lb_random random = {20240601};
  for (int i = 0; i < 300000; i++) {
    // half of any size a double can have, half of the size trajectories have
    uint64_t bits = (uint64_t)(lb_random_unit(&random) * 0x1p53) << 11;
    lb_random_unit(&random);
    bits ^= random.state;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (i % 2) {
      x = ldexp(lb_random_between(&random, -1, 1), (int)lb_random_between(&random, -60, 50));
    }
    if (isfinite(x)) {
      number_reads_back(x);
    }
  }
  for (int e = -1074; e < 1024; e++) {
    for (int side = -1; side <= 1; side++) {
      const double x = ldexp(1, e);
      number_reads_back(side < 0 ? nextafter(x, 0) : side > 0 ? nextafter(x, INFINITY) : x);
    }
  }
  for (int e = -30; e < 30; e++) {
    const double x = pow(10, e);
    number_reads_back(x);
    number_reads_back(nextafter(x, 0));
    number_reads_back(-nextafter(x, 1e300));
  }
}

static void numbers_are_written_alike_in_every_locale(void** state) {
  (void)state;
  static const double some[] = {0.1, 1.5, -2.25e-9, 1.7976931348623157e308, 4.9e-324, 123456.789};
  char plain[6][LB_NUMBER_SIZE], comma[6][LB_NUMBER_SIZE];
  for (int i = 0; i < 6; i++) {
    lb_number_format(plain[i], some[i]);
  }
  enter_comma();
  for (int i = 0; i < 6; i++) {
    lb_number_format(comma[i], some[i]);
  }
  leave_comma();
  for (int i = 0; i < 6; i++) {
    assert_string_equal(comma[i], plain[i]);
  }
}

static void no_number_with_fewer_digits_would_do(void** state) {
  (void)state;
  lb_random random = {7};
  for (int i = 0; i < 50000; i++) {
    double x = ldexp(lb_random_between(&random, 0, 1), (int)lb_random_between(&random, -60, 50));
    if (i % 4 == 0) {
      x = round(x * 1e6) / 1e6; // numbers that people write
    }
    if (x == 0) {
      continue;
    }
    char text[LB_NUMBER_SIZE], shorter[40];
    lb_number_format(text, x);
    const int digits = digits_of(text);
    snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, x);
    if (digits > 1 && strtod(shorter, NULL) == x) {
      fail_msg("%s would do as %s", text, shorter);
    }
  }
}

static void numbers_look_as_people_write_them(void** state) {
  (void)state;
  static const struct {
    double value;
    const char* text;
  } known[] = {{0, "0"},
               {-0.0, "0"},
               {1, "1"},
               {-1, "-1"},
               {0.1, "0.1"},
               {-0.3, "-0.3"},
               {1.0 / 3, "0.3333333333333333"},
               {100, "100"},
               {123456.789, "123456.789"},
               {1e15, "1000000000000000"},
               {0.001, "0.001"},
               {0.00002, "0.00002"},
               {0.000002, "2e-6"},
               {1.5e-12, "1.5e-12"},
               {9.81, "9.81"},
               {0.1 + 0.2, "0.30000000000000004"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1e300, "1e+300"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[LB_NUMBER_SIZE];
    lb_number_format(text, known[i].value);
    assert_string_equal(text, known[i].text);
  }
}

static void times_of_an_axis_have_one_unit(void** state) {
  (void)state;
  const struct {
    double t, last;
    const char* text;
  } mark[] = {{0.41, 2.01, "0.41 s"}, {2.01, 2.01, "2.01 s"}, {0, 2.01, "0 s"},
              {0.02, 0.41, "20 ms"},  {0, 0.41, "0 ms"},      {5e-4, 0.02, "0.5 ms"}};
  for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
    char text[LB_REPORT_WORD];
    assert_string_equal(lb_report_seconds_to(mark[i].t, mark[i].last, text), mark[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_of_an_axis_have_one_unit),
      cmocka_unit_test(every_number_reads_back_exactly),
      cmocka_unit_test(numbers_are_written_alike_in_every_locale),
      cmocka_unit_test(no_number_with_fewer_digits_would_do),
      cmocka_unit_test(numbers_look_as_people_write_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
