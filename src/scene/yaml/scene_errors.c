// Messages are cut to a readable length and freed of control characters, for they quote what a
// stranger wrote.
#include "scene/yaml/scene_errors.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 600 };

lb_report lb_report_make(lb_error* err) {
  return (lb_report){.err = err, .first = err ? err->count : 0, .status = LB_OK};
}

static bool same_file(const char* a, const char* b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(lb_place a, lb_place b) {
  return a.line == b.line && a.column == b.column && same_file(a.file, b.file);
}

static const char* skip_digits(const char* text) {
  while (isdigit((unsigned char)*text)) {
    text++;
  }
  return text;
}

static bool same_but_for_digits(const char* a, const char* b) {
  for (;;) {
    const bool digits = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
    if (digits) {
      a = skip_digits(a);
      b = skip_digits(b);
    }
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

static bool told(const lb_report* report, lb_place place, const char* text) {
  for (int i = report->first; i < report->err->count; i++) {
    const lb_message* m = &report->err->message[i];
    if (same_place(m->place, place) && same_but_for_digits(m->text, text)) {
      return true;
    }
  }
  return false;
}

bool lb_report_wants(const lb_report* report, lb_place place) {
  if (!report->err || report->err->count >= LB_ERROR_MOST) {
    return false;
  }
  for (int i = report->first; i < report->err->count; i++) {
    if (same_place(report->err->message[i].place, place)) {
      return false;
    }
  }
  return true;
}

// Bytes of a UTF-8 character that its first byte announces.
static size_t announced(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

// Blanks for control characters and for what is left of a character that was cut in two; dots at
// the end of a text that was cut.
static void tidy(char* text, bool cut) {
  if (cut) {
    memcpy(text + LONGEST - 4, "...", 4);
  }
  for (char* s = text; *s;) {
    const size_t length = announced((unsigned char)*s);
    size_t there = 1;
    while (there < length && ((unsigned char)s[there] & 0xC0) == 0x80) {
      there++;
    }
    if (there < length || iscntrl((unsigned char)*s)) {
      memset(s, ' ', there);
    }
    s += there;
  }
}

void lb_report_add(lb_report* report, lb_status status, lb_place place, const char* format, ...) {
  if (report->status == LB_OK) {
    report->status = status;
  }
  if (!report->err) {
    return;
  }
  char text[LONGEST];
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  tidy(text, length >= LONGEST);
  if (!told(report, place, text)) {
    lb_error_add(report->err, status, place, "%s", text);
  }
}

void lb_report_sort(lb_report* report) {
  if (!report->err) {
    return;
  }
  // insertion keeps equals in order; a message moves up past later lines of its own file
  lb_message* m = report->err->message;
  for (int i = report->first + 1; i < report->err->count; i++) {
    int to = i;
    for (int j = i - 1; j >= report->first; j--) {
      if (!same_file(m[j].place.file, m[i].place.file)) {
        continue;
      }
      if (m[j].place.line < m[i].place.line ||
          (m[j].place.line == m[i].place.line && m[j].place.column <= m[i].place.column)) {
        break;
      }
      to = j;
    }
    const lb_message moved = m[i];
    memmove(m + to + 1, m + to, (size_t)(i - to) * sizeof *m);
    m[to] = moved;
  }
}
