#include "output/report/report_gait.h"

#include <math.h>
#include <stdio.h>

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
  for (int i = 0; i <= all && all < MOST_FEET; i++) {
    const double time = r->time[0] + i * G->period, x = across(r, time);
    char text[LB_REPORT_WORD];
    lb_print(out,
             "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\" stroke=\"currentColor\" "
             "stroke-opacity=\"0.3\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
             x, x, high, x, high + ROW, lb_report_seconds(time, text));
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
  lb_out_text(out, "<section class=\"tables\">\n");
  motion(out, G);
  work(out, G);
  lb_out_text(out, "</section>\n");
  feet(out, r, G);
  lb_print(out,
           "<p class=\"note\">Figures are of the last %d %s. Energy is what motors put in; what "
           "they brake is lost.</p>\n",
           G->cycles, G->cycles == 1 ? "cycle" : "cycles");
}
