#include "output/report/report_history.h"

#include <math.h>
#include <stdbool.h>

enum { WIDE = 640, HIGH = 170, LEFT = 58, BOTTOM = 26, TOP = 10, RIGHT = 10 };

// Range of a plot: values from low to high.
typedef struct frame {
  double low, high;
} frame;

static double up(const frame* f, double value) {
  const double part = f->high > f->low ? (value - f->low) / (f->high - f->low) : 0.5;
  return HIGH - BOTTOM - part * (HIGH - BOTTOM - TOP);
}

static void open_card(lb_out* out, const char* title, const char* unit) {
  lb_print_html(out,
                "<section class=\"card history\"><h3>%s%s%s%s</h3>\n<svg viewBox=\"0 0 640 170\" "
                "role=\"img\">\n",
                title, unit ? " [" : "", unit ? unit : "", unit ? "]" : "");
}

// A line across with what it means on its left, which the caller goes on to write.
static void level(lb_out* out, const frame* f, double value, const char* style) {
  const double v = up(f, value);
  lb_print(out,
           "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"%s\"/><text x=\"%d\" "
           "y=\"%.1f\" text-anchor=\"end\">",
           LEFT, WIDE - RIGHT, v, v, style, LEFT - 8, v + 4);
}

// Value i of n in a polyline.
static void corner(lb_out* out, const frame* f, int i, int n, double value) {
  lb_print(out, "%.1f,%.1f ", LEFT + (double)i / (n - 1) * (WIDE - LEFT - RIGHT), up(f, value));
}

static void close_card(lb_out* out, double first, double last, const char* unit) {
  lb_print(out,
           "<text x=\"58\" y=\"165\">%.4g%s</text><text x=\"630\" y=\"165\" "
           "text-anchor=\"end\">%.4g%s</text>\n</svg>\n</section>\n",
           first, unit, last, unit);
}

// --- the objective ---

static frame decades(int n, const double* objective, size_t stride) {
  frame f = {INFINITY, -INFINITY};
  for (int i = 0; i < n; i++) {
    const double value = objective[(size_t)i * stride];
    if (value > 0) {
      f.low = fmin(f.low, log10(value));
      f.high = fmax(f.high, log10(value));
    }
  }
  return (frame){floor(f.low), fmax(ceil(f.high), floor(f.low) + 1)};
}

void lb_report_history(lb_out* out, int n, const double* objective, size_t stride, int last) {
  const frame f = decades(n, objective, stride);
  if (n < 2 || !(f.high >= f.low)) {
    return;
  }
  lb_out_text(out, "<h2>The search</h2>\n");
  open_card(out, "Objective after each iteration", NULL);
  const int every = (int)ceil((f.high - f.low) / 6);
  for (int p = (int)f.low; p <= (int)f.high; p += every) {
    level(out, &f, p, "rule");
    lb_print(out, "10<tspan dy=\"-4\" font-size=\"9\">%d</tspan></text>\n", p);
  }
  lb_out_text(out, "<polyline class=\"after\" points=\"");
  for (int i = 0; i < n; i++) {
    const double value = objective[(size_t)i * stride];
    if (value > 0) {
      corner(out, &f, i, n, log10(value));
    }
  }
  lb_out_text(out, "\"/>\n");
  close_card(out, last - n + 1, last, "");
}

// --- curves ---

// Least and largest value.
static frame extent_of(const lb_report_curve* c) {
  frame f = {INFINITY, -INFINITY};
  for (int i = 0; i < c->n; i++) {
    f.low = fmin(f.low, fmin(c->start[i], c->found[i]));
    f.high = fmax(f.high, fmax(c->start[i], c->found[i]));
  }
  return f;
}

// All values, and a bound where it is no farther from them than they are from each other.
static frame frame_of(const lb_report_curve* c) {
  frame f = extent_of(c);
  const double span = f.high > f.low ? f.high - f.low : 1;
  f.low = f.low - c->least < span ? c->least : f.low;
  f.high = c->most - f.high < span ? c->most : f.high;
  return (frame){f.low - 0.06 * span, f.high + 0.06 * span};
}

// Bounds, zero, and the extent of values: what has no room beside those before it has no mark.
static void mark(lb_out* out, const frame* f, const lb_report_curve* c) {
  enum { MARKS = 5, ROOM = 12 };
  const frame extent = extent_of(c);
  const double value[MARKS] = {c->least, c->most, 0, extent.high, extent.low};
  static const char* const style[MARKS] = {"bound", "bound", "rule", "rule", "rule"};
  for (int i = 0; i < MARKS; i++) {
    bool room = value[i] >= f->low && value[i] <= f->high;
    for (int k = 0; k < i && room; k++) {
      room = !(fabs(up(f, value[i]) - up(f, value[k])) < ROOM);
    }
    if (room) {
      level(out, f, value[i], style[i]);
      lb_print(out, "%.3g</text>\n", value[i]);
    }
  }
}

void lb_report_draw(lb_out* out, const lb_report_curve* c) {
  const frame f = frame_of(c);
  const double* const line[] = {c->start, c->found};
  const char* const style[] = {"before", "after"};
  open_card(out, c->name, c->unit);
  mark(out, &f, c);
  for (int k = 0; k < 2; k++) {
    lb_print(out, "<polyline class=\"%s\" points=\"", style[k]);
    for (int i = 0; i < c->n; i++) {
      corner(out, &f, i, c->n, line[k][i]);
    }
    lb_out_text(out, "\"/>\n");
  }
  close_card(out, 0, c->duration, " s");
}
