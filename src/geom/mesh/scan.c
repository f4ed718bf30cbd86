// Scanning of text formats.
#include "geom/mesh/scan.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

lb_scan lb_scan_begin(const char* text, size_t size, const char* file) {
  const size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  return (lb_scan){text + mark, text + size, text, 1, file, false, false};
}

// Length of the line end at `at`: 0 when there is none.
static int line_end(const char* at, const char* end) {
  if (at == end || (*at != '\n' && *at != '\r')) {
    return 0;
  }
  return *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
}

// Length of a backslash with the line end after it, or 0.
static int joint(const lb_scan* scan) {
  const bool backslash = scan->joins && scan->at < scan->end && *scan->at == '\\';
  const int n = backslash ? line_end(scan->at + 1, scan->end) : 0;
  return n ? n + 1 : 0;
}

static void new_line(lb_scan* scan, int length) {
  scan->at += length;
  scan->line_start = scan->at;
  scan->line++;
}

static bool is_comment(const lb_scan* scan) {
  return scan->comments && *scan->at == '#';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool lb_scan_word(lb_scan* scan, lb_word* word) {
  for (;;) {
    while (scan->at < scan->end && is_blank(*scan->at)) {
      scan->at++;
    }
    const int joined = joint(scan);
    if (!joined) {
      break;
    }
    new_line(scan, joined);
  }
  const char* start = scan->at;
  while (scan->at < scan->end && !is_blank(*scan->at) && !is_comment(scan) && *scan->at != '\n' &&
         *scan->at != '\r' && !joint(scan)) {
    scan->at++;
  }
  *word = (lb_word){start, (size_t)(scan->at - start)};
  return word->size > 0;
}

bool lb_scan_line(lb_scan* scan) {
  bool comment = false;
  while (scan->at < scan->end) {
    const int ended = line_end(scan->at, scan->end);
    const int joined = comment ? 0 : joint(scan);
    if (ended) {
      new_line(scan, ended);
      return true;
    }
    if (joined) {
      new_line(scan, joined);
      continue;
    }
    comment |= is_comment(scan);
    scan->at++;
  }
  return false;
}

lb_place lb_scan_place(const lb_scan* scan, const char* at) {
  return (lb_place){scan->file, scan->line, (int)(at - scan->line_start) + 1};
}

// --- numbers ---

// m 10^e. Exact when m and the power are: one rounding. Beyond that extended precision keeps the
// error near half a unit.
static double scale_by_ten(uint64_t m, int e) {
  static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (m == 0) {
    return 0;
  }
  if (m <= (uint64_t)1 << 53 && e >= -22 && e <= 22) {
    return e < 0 ? (double)m / exact[-e] : (double)m * exact[e];
  }
  if (e > 400 || e < -400) {
    return e > 0 ? (double)INFINITY : 0;
  }
  long double power = 1, base = 10;
  for (int n = e < 0 ? -e : e; n; n /= 2, base *= base) {
    power *= n % 2 ? base : 1;
  }
  return (double)(e < 0 ? (long double)m / power : (long double)m * power);
}

// Digits into m as long as they fit; returns how many digits there were.
typedef struct mantissa {
  uint64_t m;
  int e; // power of ten that digits after the point, or beyond the 19th, stand for
} mantissa;

static int digits(lb_word* w, mantissa* n, bool after_point) {
  static const uint64_t FULL = (UINT64_MAX - 9) / 10;
  int count = 0;
  for (; w->size && *w->at >= '0' && *w->at <= '9'; w->at++, w->size--) {
    count = count < INT_MAX ? count + 1 : count;
    if (n->m <= FULL) {
      n->m = 10 * n->m + (uint64_t)(*w->at - '0');
      n->e -= after_point;
    } else {
      n->e += !after_point && n->e < INT_MAX / 2;
    }
  }
  return count;
}

static bool take(lb_word* w, const char* any) {
  if (!w->size || !*w->at || !strchr(any, *w->at)) {
    return false;
  }
  w->at++;
  w->size--;
  return true;
}

// A sign; true when it was a minus.
static bool take_sign(lb_word* w) {
  const bool minus = take(w, "-");
  if (!minus) {
    take(w, "+");
  }
  return minus;
}

bool lb_word_number(lb_word word, double* value) {
  mantissa n = {0}, power = {0};
  const bool minus = take_sign(&word);
  int count = digits(&word, &n, false);
  if (take(&word, ".")) {
    count += digits(&word, &n, true);
  }
  if (count == 0) {
    return false;
  }
  int e = n.e;
  if (take(&word, "eE")) {
    const bool down = take_sign(&word);
    if (digits(&word, &power, false) == 0) {
      return false;
    }
    const int by = power.m > 100000 || power.e ? 100000 : (int)power.m;
    e = n.e < -1000000 || n.e > 1000000 ? n.e : n.e + (down ? -by : by);
  }
  const double size = scale_by_ten(n.m, e);
  if (word.size || !isfinite(size)) {
    return false;
  }
  *value = minus ? -size : size;
  return true;
}

bool lb_word_integer(lb_word word, int* value) {
  mantissa n = {0};
  const bool minus = take_sign(&word);
  if (digits(&word, &n, false) == 0 || word.size || n.e || n.m > INT_MAX) {
    return false;
  }
  *value = minus ? -(int)n.m : (int)n.m;
  return true;
}

bool lb_word_is(lb_word word, const char* text) {
  for (size_t i = 0; i < word.size; i++) {
    const char c = word.at[i];
    if (!text[i] || (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != text[i]) {
      return false;
    }
  }
  return !text[word.size];
}

lb_word_text lb_word_show(lb_word word) {
  lb_word_text shown = {{0}};
  const size_t room = sizeof shown.text - 1;
  const size_t n = word.size < room ? word.size : room;
  for (size_t i = 0; i < n; i++) {
    shown.text[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
  }
  if (word.size > room) {
    memcpy(shown.text + room - 3, "...", 3);
  }
  return shown;
}
