// Output for people, and for programs that read it.
#define _GNU_SOURCE // vasprintf
#include "app/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/interrupt.h"
#include "base/clock.h"
#include "job/job_text.h"
#include "output/file/out.h"

static const char* const red = "\033[1;31m";

static bool is_terminal(FILE* file) {
  const char* term = getenv("TERM");
  return isatty(fileno(file)) && !(term && strcmp(term, "dumb") == 0);
}

// See no-color.org: any value but the empty one turns colour off.
static bool has_colour(FILE* file) {
  const char* no = getenv("NO_COLOR");
  return is_terminal(file) && !(no && *no);
}

const char* style_bold(FILE* file) {
  return has_colour(file) ? "\033[1m" : "";
}

const char* style_off(FILE* file) {
  return has_colour(file) ? "\033[0m" : "";
}

// --- lines ---

static bool json; // lines are objects of JSON

void terminal_use_json(void) {
  json = true;
}

// Text from files and command lines without what would steer the terminal: control characters.
static void put_safely(FILE* file, const char* text) {
  for (const unsigned char* c = (const unsigned char*)text; *c; c++) {
    const bool second_set = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; // in UTF-8
    const bool steers = (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f;
    fputc(second_set || steers ? '?' : *c, file);
    c += second_set;
  }
}

static void put_json(FILE* file, const char* kind, const char* name, lb_place place,
                     const char* text) {
  lb_out out = lb_out_make(NULL, -1);
  lb_print_json(&out, "{'kind': %s", kind);
  if (name) {
    lb_print_json(&out, ", 'name': %s", name);
  }
  if (place.file) {
    lb_print_json(&out, ", 'file': %s, 'line': %d, 'column': %d", place.file, place.line,
                  place.column);
  }
  lb_print_json(&out, ", 'text': %s}\n", text);
  fwrite(out.data, 1, out.size, file);
  lb_out_release(&out);
}

// A text made of parts; to be freed.
static char* compose(const char* format, va_list args) {
  char* text = NULL;
  return vasprintf(&text, format, args) >= 0 ? text : NULL;
}

static void tell(const char* word, lb_place place, const char* text) {
  fflush(stdout); // keep the order of what was said
  if (json) {
    put_json(stderr, word, NULL, place, text ? text : "out of memory");
    return;
  }
  fprintf(stderr, "%s%s:%s ", has_colour(stderr) ? red : "", word, style_off(stderr));
  if (place.file) {
    put_safely(stderr, place.file);
    if (place.line > 0) {
      fprintf(stderr, ":%d:%d", place.line, place.column);
    }
    fputs(": ", stderr);
  }
  put_safely(stderr, text ? text : "out of memory");
  fputc('\n', stderr);
}

#define TELL(word, place, format)                                                                  \
  va_list args;                                                                                    \
  va_start(args, format);                                                                          \
  char* text = compose(format, args);                                                              \
  va_end(args);                                                                                    \
  tell(word, place, text);                                                                         \
  free(text)

void tell_error(const char* format, ...) {
  TELL("error", (lb_place){0}, format);
}

void tell_warning(lb_place place, const char* text) {
  tell("warning", place, text);
}

void tell_note(const char* format, ...) {
  TELL("note", (lb_place){0}, format);
}

void tell_errors(const lb_error* err) {
  for (int i = 0; i < err->count; i++) {
    tell("error", err->message[i].place, err->message[i].text);
  }
  if (err->lost) {
    tell_error("%d more %s not shown", err->lost, err->lost == 1 ? "mistake is" : "mistakes are");
  }
  if (!err->count && !err->lost) {
    tell_error("%s", lb_status_text(err->status));
  }
}

void say(FILE* file, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = compose(format, args);
  va_end(args);
  put_safely(file, text ? text : "");
  fputc('\n', file);
  free(text);
}

void say_title(const char* name, const char* text) {
  fputs(style_bold(stdout), stdout);
  put_safely(stdout, name);
  fputs(style_off(stdout), stdout);
  say(stdout, ": %s", text);
}

bool say_json(FILE* file, const char* kind, const char* name, const char* text) {
  if (json) {
    put_json(file, kind, name, (lb_place){0}, text);
  }
  return json;
}

// --- progress ---

static const double bar_after = 0.5;   // s of work before a bar appears
static const double bar_every = 0.1;   // s between redraws
static const double line_first = 2;    // s of work before a line, and then twice as long each time
static const double line_at_most = 60; // s between lines

meter meter_start(bool quiet) {
  const double now = lb_clock();
  return (meter){
      .quiet = quiet || json, .terminal = is_terminal(stderr), .shown = now, .wait = line_first};
}

static void draw_bar(double fraction, const char* what, const char* left) {
  enum { WIDTH = 30 };
  const int full = (int)(fraction * WIDTH);
  char bar[WIDTH + 1];
  memset(bar, '.', WIDTH);
  memset(bar, '#', (size_t)full);
  bar[WIDTH] = 0;
  fprintf(stderr, "\r[%s] %3.0f %%  %s%s\033[K", bar, floor(100 * fraction), what, left);
  fflush(stderr);
}

static lb_words left_text(double seconds) {
  lb_words out = {""};
  if (isfinite(seconds)) {
    snprintf(out.text, sizeof out.text, ", %.40s left", lb_text_duration(seconds).text);
  }
  return out;
}

// Whether it is time to show something again.
static bool due(const meter* m, double now, double fraction) {
  const double waited = now - m->shown;
  if (m->terminal) {
    return waited >= (m->drawn ? bar_every : bar_after);
  }
  const bool news = fabs(fraction - m->fraction) >= 0.1; // another part of the work begins anew
  return waited >= line_at_most || (waited >= m->wait && news);
}

// A line is there; the next one comes after twice the time.
static void shown(meter* m, double now) {
  m->shown = now;
  m->wait = fmin(2 * m->wait, line_at_most);
}

// Work without a known end, by the same rules.
static void show(meter* m, const char* what) {
  const double now = lb_clock();
  if (what && !m->quiet && now - m->shown >= (m->terminal ? bar_every : m->wait)) {
    fputs(m->terminal ? "\r" : "", stderr);
    put_safely(stderr, what);
    fputs(m->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    m->drawn = m->terminal;
    shown(m, now);
  }
}

static bool report(void* context, double fraction, const char* what) {
  meter* m = context;
  const double now = lb_clock();
  if (isnan(fraction)) {
    show(m, what);
    return !interrupted();
  }
  fraction = fmin(fmax(fraction, 0), 1);
  lb_pace_follow(&m->pace, now, fraction);
  if (!m->quiet && fraction > 0 && due(m, now, fraction)) {
    const lb_words left = left_text(lb_pace_left(&m->pace));
    if (m->terminal) {
      draw_bar(fraction, what ? what : "working", left.text);
      m->drawn = true;
    } else {
      fprintf(stderr, "%3.0f %% %s%s\n", floor(100 * fraction), what ? what : "done", left.text);
    }
    shown(m, now);
    m->fraction = fraction;
  }
  return !interrupted();
}

lb_progress meter_progress(meter* m) {
  return (lb_progress){.report = report, .context = m};
}

void meter_end(meter* m) {
  if (m->drawn) {
    fputs("\r\033[K", stderr);
    m->drawn = false;
  }
}
