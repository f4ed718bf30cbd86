// The C library's strtod reads the digits, in the "C" locale whatever the program's is, after the
// text was found to be a decimal number: strtod alone would take hexadecimal, "infinity" and more.
#define _GNU_SOURCE // strtod_l
#include "scene/yaml/yaml_number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PI 3.14159265358979323846

const char* lb_dimension_words(lb_dimension dimension) {
  static const char* const words[] = {
#define WORDS(code, words, example) words,
      LB_DIMENSION_LIST(WORDS)
#undef WORDS
  };
  return words[dimension];
}

const char* lb_dimension_example(lb_dimension dimension) {
  static const char* const examples[] = {
#define EXAMPLE(code, words, example) example,
      LB_DIMENSION_LIST(EXAMPLE)
#undef EXAMPLE
  };
  return examples[dimension];
}

// Spaces do not count: "N m" and "Nm" are the same.
const lb_unit lb_units[] = {
    {"m", LB_LENGTH, 1, 1},
    {"cm", LB_LENGTH, 1, 1e2},
    {"mm", LB_LENGTH, 1, 1e3},
    {"km", LB_LENGTH, 1e3, 1},
    {"in", LB_LENGTH, 254, 1e4},
    {"kg", LB_MASS, 1, 1},
    {"g", LB_MASS, 1, 1e3},
    {"t", LB_MASS, 1e3, 1},
    {"lb", LB_MASS, 45359237, 1e8},
    {"s", LB_TIME, 1, 1},
    {"ms", LB_TIME, 1, 1e3},
    {"us", LB_TIME, 1, 1e6},
    {"min", LB_TIME, 60, 1},
    {"h", LB_TIME, 3600, 1},
    {"rad", LB_ANGLE, 1, 1},
    {"deg", LB_ANGLE, PI, 180},
    {"°", LB_ANGLE, PI, 180},
    {"turn", LB_ANGLE, 2 * PI, 1},
    {"m/s", LB_SPEED, 1, 1},
    {"cm/s", LB_SPEED, 1, 1e2},
    {"mm/s", LB_SPEED, 1, 1e3},
    {"km/h", LB_SPEED, 1, 3.6},
    {"rad/s", LB_TURN_RATE, 1, 1},
    {"deg/s", LB_TURN_RATE, PI, 180},
    {"°/s", LB_TURN_RATE, PI, 180},
    {"rpm", LB_TURN_RATE, PI, 30},
    {"rad/s^2", LB_TURN_ACCELERATION, 1, 1},
    {"deg/s^2", LB_TURN_ACCELERATION, PI, 180},
    {"m/s^2", LB_ACCELERATION, 1, 1},
    {"g", LB_ACCELERATION, 980665, 1e5},
    {"N", LB_FORCE, 1, 1},
    {"mN", LB_FORCE, 1, 1e3},
    {"kN", LB_FORCE, 1e3, 1},
    {"N m", LB_TORQUE, 1, 1},
    {"N mm", LB_TORQUE, 1, 1e3},
    {"kg/m^3", LB_DENSITY, 1, 1},
    {"g/cm^3", LB_DENSITY, 1e3, 1},
    {"Pa", LB_PRESSURE, 1, 1},
    {"kPa", LB_PRESSURE, 1e3, 1},
    {"MPa", LB_PRESSURE, 1e6, 1},
    {"GPa", LB_PRESSURE, 1e9, 1},
    {"N/mm^2", LB_PRESSURE, 1e6, 1},
    {"kg m^2", LB_INERTIA, 1, 1},
    {"g cm^2", LB_INERTIA, 1, 1e7},
    {"N/m", LB_STIFFNESS, 1, 1},
    {"N/mm", LB_STIFFNESS, 1e3, 1},
    {"kN/m", LB_STIFFNESS, 1e3, 1},
    {"N m/rad", LB_TURN_STIFFNESS, 1, 1},
    {"N m/deg", LB_TURN_STIFFNESS, 180, PI},
    {"N s/m", LB_DAMPING, 1, 1},
    {"N m s/rad", LB_TURN_DAMPING, 1, 1},
};
const int lb_unit_count = sizeof lb_units / sizeof *lb_units;

static bool same_without_spaces(const char* a, const char* b) {
  for (;;) {
    a += strspn(a, " ");
    b += strspn(b, " ");
    if (*a != *b) {
      return false;
    }
    if (!*a) {
      return true;
    }
    a++;
    b++;
  }
}

const lb_unit* lb_unit_find(const char* text, lb_dimension dimension) {
  const lb_unit* found = NULL;
  for (int i = 0; i < lb_unit_count && !(found && found->dimension == dimension); i++) {
    found = same_without_spaces(text, lb_units[i].name) ? &lb_units[i] : found;
  }
  return found;
}

static const char* skip_digits(const char* s, bool* any) {
  for (; isdigit((unsigned char)*s); s++) {
    *any = true;
  }
  return s;
}

// The end of the decimal number that begins at `s`, or NULL.
static const char* number_end(const char* s) {
  bool any = false;
  s += *s == '+' || *s == '-';
  s = skip_digits(s, &any);
  if (*s == '.') {
    s = skip_digits(s + 1, &any);
  }
  if (!any) {
    return NULL;
  }
  if (*s == 'e' || *s == 'E') {
    bool power = false;
    const char* end = s + 1;
    end += *end == '+' || *end == '-';
    end = skip_digits(end, &power);
    s = power ? end : s;
  }
  return s;
}

static bool is_one_of(const char* s, const char* const* words, int count) {
  s += *s == '.';
  for (int i = 0; i < count; i++) {
    if (strcasecmp(s, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

static const char* const NOT_FINITE[] = {"inf", "infinity", "infinite", "nan"};

static bool means_not_finite(const char* s) {
  return is_one_of(s + (*s == '+' || *s == '-'), NOT_FINITE, 4);
}

bool lb_number_is_infinite(const char* s) {
  s += strspn(s, " ");
  return is_one_of(s + (*s == '+'), NOT_FINITE, 3);
}

static double read_digits(const char* text) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const double value = plain ? strtod_l(text, NULL, plain) : strtod(text, NULL);
  if (plain) {
    freelocale(plain);
  }
  return value;
}

lb_number_outcome lb_number_read(const char* text, lb_dimension dimension, double* value,
                                 const char** unit) {
  text += strspn(text, " ");
  *unit = text + strlen(text);
  const char* end = number_end(text);
  if (!end) {
    return means_not_finite(text) ? LB_NUMBER_NOT_FINITE : LB_NUMBER_NONE;
  }
  // letters right behind the digits are a unit (30deg, 30°); anything else is not a number (1.2.3,
  // 3-4)
  const char* rest = end + strspn(end, " ");
  if (*rest && !isalpha((unsigned char)*rest) && strncmp(rest, "°", strlen("°")) != 0) {
    return LB_NUMBER_NONE;
  }
  double times = 1, per = 1;
  *unit = rest;
  if (*rest) {
    const lb_unit* known = lb_unit_find(rest, dimension);
    if (!known || known->dimension != dimension) {
      return LB_NUMBER_UNIT;
    }
    times = known->times;
    per = known->per;
  }
  const double read = read_digits(text) * times / per;
  if (!isfinite(read)) {
    return LB_NUMBER_TOO_LARGE;
  }
  *value = read;
  return LB_NUMBER_OK;
}
