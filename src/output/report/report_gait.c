#include "output/report/report_gait.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "output/report/report_text.h"

enum { WIDE = 900, LEFT = 120, RIGHT = 12, ROW = 18, BAR = 12, FOOT = 26, MOST_FEET = 40 };

// --- foot-falls: a bar for every time that a foot is down ---

static double across(const lb_recording* r, double time) {
  const double all = r->time[r->nframe - 1] - r->time[0];
  return LEFT + (WIDE - LEFT - RIGHT) * (time - r->time[0]) / all;
}

static void bar(lb_out* out, const lb_recording* r, int row, int from, int to) {
  const double x = across(r, r->time[from]), wide = across(r, r->time[to]) - x;
  lb_print(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"currentColor\"/>\n",
           x, row * ROW + (ROW - BAR) / 2, fmax(wide, 1), BAR);
}

static void bars(lb_out* out, const lb_recording* r, const lb_gait_foot* foot, int row) {
  int from = -1;
  for (int f = 0; f < r->nframe; f++) {
    if (foot->down[f] && from < 0) {
      from = f > 0 ? f - 1 : f; // what it bears is of the time before
    }
    if (from >= 0 && (!foot->down[f] || f == r->nframe - 1)) {
      bar(out, r, row, from, foot->down[f] ? f : f - 1);
      from = -1;
    }
  }
}

static void cycles(lb_out* out, const lb_recording* r, const lb_gait* G, int high) {
  const int all = (int)((r->time[r->nframe - 1] - r->time[0]) / G->period + 1e-6);
  const double last = r->time[0] + all * G->period;
  for (int i = 0; i <= all && all < MOST_FEET; i++) {
    const double time = r->time[0] + i * G->period, x = across(r, time);
    char text[LB_REPORT_WORD];
    lb_print(out,
             "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\" stroke=\"currentColor\" "
             "stroke-opacity=\"0.3\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
             x, x, high, x, high + ROW, lb_report_seconds_to(time, last, text));
  }
}

static void falls(lb_out* out, const lb_recording* r, const lb_gait* G) {
  const int n = G->nfoot < MOST_FEET ? G->nfoot : MOST_FEET, high = n * ROW;
  lb_print(out,
           "<section class=\"card history\"><h3>Feet on the ground</h3>\n"
           "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n",
           WIDE, high + FOOT);
  cycles(out, r, G, high);
  for (int i = 0; i < n; i++) {
    lb_print_html(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
                  i * ROW + ROW - (ROW - BAR) / 2 - 2, r->model->body.name[G->foot[i].body]);
    bars(out, r, &G->foot[i], i);
  }
  lb_out_text(out, "</svg>\n</section>\n");
}

// --- torque and power over a cycle ---

enum { HIGH = 170, TOP = 10, MOST_MOTORS = 6, MARKS = 5 };

// Range of a plot over the cycle.
typedef struct plot {
  double low, high;
} plot;

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Zero and all values but rare peaks, which landings have and beside which nothing else would be
// seen.
static plot plot_of(const double* value, int n, lb_arena* scratch) {
  static const double RARE = 0.02;
  double* sorted = LB_COPY(scratch, value, n);
  if (!sorted) {
    return (plot){0, 0};
  }
  qsort(sorted, (size_t)n, sizeof *sorted, compare);
  const int cut = (int)(RARE * n);
  const plot p = {fmin(0, sorted[cut]), fmax(0, sorted[n - 1 - cut])};
  const double span = p.high > p.low ? p.high - p.low : 1;
  return (plot){p.low - 0.08 * span, p.high + 0.08 * span};
}

static double up(const plot* p, double value) {
  const double part = (value - p->low) / (p->high - p->low);
  return HIGH - FOOT - fmax(0, fmin(1, part)) * (HIGH - FOOT - TOP);
}

// A step of 1, 2 or 5 times a power of ten, of which some fit in the range.
static double step_of(const plot* p) {
  const double span = (p->high - p->low) / MARKS, ten = pow(10, floor(log10(span)));
  return ten * (span > 5 * ten ? 10 : span > 2 * ten ? 5 : span > ten ? 2 : 1);
}

static void marks(lb_out* out, const plot* p, double period) {
  const double step = step_of(p);
  for (double x = ceil(p->low / step) * step; x <= p->high; x += step) {
    lb_print(out,
             "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"rule\"/><text x=\"%d\" "
             "y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
             LEFT, WIDE - RIGHT, up(p, x), up(p, x), LEFT - 8, up(p, x) + 4,
             fabs(x) < 1e-9 * step ? 0 : x);
  }
  for (int i = 0; i <= 4; i++) {
    lb_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.3g s</text>\n",
             LEFT + i * (WIDE - LEFT - RIGHT) / 4.0, HIGH - 6, i < 4 ? "middle" : "end",
             i * period / 4);
  }
}

static void curve(lb_out* out, const lb_gait* G, const plot* p, const double* value, int hue) {
  lb_print(out, "<polyline style=\"stroke:hsl(%d 62%% 48%%)\" points=\"", hue);
  for (int s = 0; s < G->nsample; s++) {
    lb_print(out, "%.1f,%.1f ", LEFT + (WIDE - LEFT - RIGHT) * fmin(1, G->phase[s] / G->period),
             up(p, value[s]));
  }
  lb_out_text(out, "\"/>\n");
}

static int hue_of(int k, int n) {
  return (210 + 360 * k / (n > 0 ? n : 1)) % 360;
}

static void open_plot(lb_out* out, const char* title) {
  lb_print(out,
           "<section class=\"card history\"><h3>%s</h3>\n<svg viewBox=\"0 0 %d %d\" "
           "role=\"img\">\n",
           title, WIDE, HIGH);
}

static void motors_named(lb_out* out, const lb_recording* r, const lb_gait* G, int n) {
  lb_out_text(out, "<p class=\"about\">");
  for (int k = 0; k < n; k++) {
    lb_print(out, "<span class=\"key\" style=\"border-color:hsl(%d 62%% 48%%)\"></span> ",
             hue_of(k, n));
    lb_print_html(out, "%s &ensp; ", r->model->motor.name[G->motor[k]]);
  }
  if (n < G->nmotor) {
    lb_print(out, "and %d more, which are in forces.csv", G->nmotor - n);
  }
  lb_out_text(out, "</p>\n");
}

// How many of the motors push along a line.
static int slides(const lb_recording* r, const lb_gait* G) {
  const lb_model* m = r->model;
  int n = 0;
  for (int k = 0; k < G->nmotor; k++) {
    const int joint = m->motor.joint[G->motor[k]];
    n += joint >= 0 && m->joint.kind[joint] == LB_JOINT_PRISMATIC;
  }
  return n;
}

static void over_a_cycle(lb_out* out, const lb_recording* r, const lb_gait* G) {
  const int n = G->nmotor < MOST_MOTORS ? G->nmotor : MOST_MOTORS;
  lb_arena scratch;
  lb_arena_init(&scratch, G->allocator);
  const plot torque = plot_of(G->torque, n * G->nsample, &scratch);
  const plot power = plot_of(G->power, G->nsample, &scratch);
  lb_arena_release(&scratch);
  if (G->nsample < 2 || !(torque.high > torque.low) || !(power.high > power.low)) {
    return;
  }
  open_plot(out, slides(r, G) == 0           ? "Torque of motors over a cycle [N m]"
                 : slides(r, G) == G->nmotor ? "Force of motors over a cycle [N]"
                                             : "Torque [N m] and force [N] of motors over a cycle");
  marks(out, &torque, G->period);
  for (int k = 0; k < n; k++) {
    curve(out, G, &torque, G->torque + (size_t)k * (size_t)G->nsample, hue_of(k, n));
  }
  lb_out_text(out, "</svg>\n");
  motors_named(out, r, G, n);
  lb_out_text(out, "</section>\n");
  open_plot(out, "Power of all motors over a cycle [W]");
  marks(out, &power, G->period);
  curve(out, G, &power, G->power, 20);
  lb_out_text(out, "</svg>\n</section>\n");
}

// --- figures ---

static void row(lb_out* out, const char* name, double value, const char* unit) {
  char text[LB_REPORT_WORD];
  lb_print(out, "<tr><th scope=\"row\">%s</th><td>%s%s</td></tr>\n", name,
           lb_report_human(value, text), unit);
}

static void motion(lb_out* out, const lb_gait* G) {
  lb_out_text(out, "<div class=\"card\"><h3>The walk</h3><table>\n");
  row(out, "Distance, all in all", G->distance, " m");
  row(out, "Stride, a cycle", 1e2 * G->stride, " cm");
  row(out, "Speed", G->speed, " m/s");
  row(out, "Sliding of all feet, a cycle", 1e2 * G->slip, " cm");
  row(out, "Heave", 1e3 * G->heave, " mm");
  row(out, "Pitch", G->pitch * 180 / M_PI, "°");
  row(out, "Roll", G->roll * 180 / M_PI, "°");
  lb_out_text(out, "</table></div>\n");
}

static void work(lb_out* out, const lb_gait* G) {
  lb_out_text(out, "<div class=\"card\"><h3>What it takes</h3><table>\n");
  row(out, "Cycle", G->period, " s");
  row(out, "Mean torque", G->torque_mean, " N m");
  row(out, "Peak torque", G->torque_peak, " N m");
  row(out, "Mean power", G->power_mean, " W");
  row(out, "Peak power", G->power_peak, " W");
  row(out, "Energy a cycle", G->energy, " J");
  if (isfinite(G->transport)) {
    row(out, "Cost of transport", G->transport, "");
  }
  lb_out_text(out, "</table></div>\n");
}

static void feet(lb_out* out, const lb_recording* r, const lb_gait* G) {
  char a[LB_REPORT_WORD], b[LB_REPORT_WORD], c[LB_REPORT_WORD];
  lb_out_text(out, "<details class=\"card wide\">\n<summary>Each foot</summary>\n<table "
                   "class=\"found\">\n<tr><th></th><th>down</th><th>slides a cycle</th>"
                   "<th>peak force</th></tr>\n");
  for (int i = 0; i < G->nfoot && i < MOST_FEET; i++) {
    const lb_gait_foot* f = &G->foot[i];
    lb_print_html(
        out, "<tr><th scope=\"row\">%s</th><td>%-s %%</td><td>%-s cm</td><td>%-s N</td></tr>\n",
        r->model->body.name[f->body], lb_report_human(1e2 * f->duty, a),
        lb_report_human(1e2 * f->slip, b), lb_report_human(f->force, c));
  }
  lb_out_text(out, "</table>\n</details>\n");
}

void lb_report_gait(lb_out* out, const lb_recording* r, const lb_gait* G) {
  lb_out_text(out, "<h2>Walking</h2>\n");
  falls(out, r, G);
  over_a_cycle(out, r, G);
  lb_out_text(out, "<section class=\"tables\">\n");
  motion(out, G);
  work(out, G);
  lb_out_text(out, "</section>\n");
  feet(out, r, G);
  lb_print(out,
           "<p class=\"note\">Figures are of the last %d %s, curves of the last one, without rare "
           "peaks. Energy is what motors put in; what they brake is lost.</p>\n",
           G->cycles, G->cycles == 1 ? "cycle" : "cycles");
}
