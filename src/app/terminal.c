// Output for people.
#include "app/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/interrupt.h"
#include "base/clock.h"
#include "job/job_text.h"

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

static void tell(const char* word, const char* format, va_list args) {
  fflush(stdout); // keep the order of what was said
  fprintf(stderr, "%s%s:%s ", has_colour(stderr) ? red : "", word, style_off(stderr));
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
}

void tell_error(const char* format, ...) {
  va_list args;
  va_start(args, format);
  tell("error", format, args);
  va_end(args);
}

void tell_warning(const char* format, ...) {
  va_list args;
  va_start(args, format);
  tell("warning", format, args);
  va_end(args);
}

void tell_errors(const lb_error* err) {
  for (int i = 0; i < err->count; i++) {
    const size_t length = lb_error_format(err, i, NULL, 0);
    char* text = malloc(length + 1);
    if (text) {
      lb_error_format(err, i, text, length + 1);
    }
    tell_error("%s", text ? text : err->message[i].text);
    free(text);
  }
  if (err->lost) {
    tell_error("%d more %s not shown", err->lost, err->lost == 1 ? "mistake is" : "mistakes are");
  }
  if (!err->count && !err->lost) {
    tell_error("%s", lb_status_text(err->status));
  }
}

// --- progress ---

static const double bar_after = 0.5;   // s of work before a bar appears
static const double bar_every = 0.1;   // s between redraws
static const double line_every = 2;    // s between lines, if there is a tenth more to tell
static const double line_at_most = 30; // s between lines in any case

meter meter_start(bool quiet) {
  const double now = lb_clock();
  return (meter){.quiet = quiet, .terminal = is_terminal(stderr), .started = now, .shown = now};
}

static void draw_bar(double fraction, const char* what, const char* left) {
  enum { WIDTH = 30 };
  const int full = (int)(fraction * WIDTH);
  char bar[WIDTH + 1];
  memset(bar, '.', WIDTH);
  memset(bar, '#', (size_t)full);
  bar[WIDTH] = 0;
  fprintf(stderr, "\r[%s] %3.0f %%  %s, %s left\033[K", bar, floor(100 * fraction), what, left);
  fflush(stderr);
}

// Whether it is time to show something again.
static bool due(const meter* m, double now, double fraction) {
  const double waited = now - m->shown;
  if (m->terminal) {
    return waited >= (m->drawn ? bar_every : bar_after);
  }
  const bool news = fabs(fraction - m->fraction) >= 0.1; // another part of the work begins anew
  return waited >= line_at_most || (waited >= line_every && news);
}

// Work without a known end, by the same rules.
static void say(meter* m, const char* what) {
  const double now = lb_clock();
  if (what && !m->quiet && now - m->shown >= (m->terminal ? bar_every : line_every)) {
    fprintf(stderr, m->terminal ? "\r%s\033[K" : "%s\n", what);
    fflush(stderr);
    m->drawn = m->terminal;
    m->shown = now;
  }
}

static bool report(void* context, double fraction, const char* what) {
  meter* m = context;
  const double now = lb_clock();
  if (isnan(fraction)) {
    say(m, what);
    return !interrupted();
  }
  fraction = fmin(fmax(fraction, 0), 1);
  if (!m->quiet && fraction > 0 && due(m, now, fraction)) {
    const lb_words left = lb_text_duration((now - m->started) * (1 - fraction) / fraction);
    if (m->terminal) {
      draw_bar(fraction, what ? what : "working", left.text);
      m->drawn = true;
    } else {
      fprintf(stderr, "%3.0f %% %s, %s left\n", floor(100 * fraction), what ? what : "done",
              left.text);
    }
    m->shown = now;
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
