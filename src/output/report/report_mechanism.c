#include "output/report/report_mechanism.h"

#include <math.h>

#include "output/report/report_text.h"

enum { WIDE = 640, HIGH = 420, MARGIN = 24 };

// Where a drawing is on the page: one scale along both axes.
typedef struct sheet {
  double left, top, scale;
} sheet;

static void reach(double low[2], double high[2], const double at[2]) {
  for (int c = 0; c < 2; c++) {
    low[c] = fmin(low[c], at[c]);
    high[c] = fmax(high[c], at[c]);
  }
}

static sheet fit(const lb_linkage_motion* k) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < k->nside; i++) {
    reach(low, high, k->side[i]);
    reach(low, high, k->side[i] + 2);
  }
  for (int i = 0; i < k->ncurve; i++) {
    for (int s = 0; s < LB_COUPLER_SAMPLES; s++) {
      reach(low, high, k->curve[i].at[s]);
    }
  }
  const double wide = high[0] - low[0], tall = high[1] - low[1];
  const double scale = fmin((WIDE - 2 * MARGIN) / wide, (HIGH - 2 * MARGIN) / tall);
  return (sheet){WIDE / 2.0 - scale * (low[0] + high[0]) / 2,
                 HIGH / 2.0 + scale * (low[1] + high[1]) / 2, scale};
}

static double across(const sheet* s, double x) {
  return s->left + s->scale * x;
}

static double down(const sheet* s, double y) {
  return s->top - s->scale * y;
}

static void draw_curve(lb_out* out, const sheet* s, const lb_coupler_curve* c) {
  const double* label = c->at[0];
  lb_print(out, "<polyline class=\"%s\" points=\"", c->foot ? "after" : "before");
  for (int i = 0; i < LB_COUPLER_SAMPLES; i++) {
    lb_print(out, "%.1f,%.1f ", across(s, c->at[i][0]), down(s, c->at[i][1]));
  }
  lb_print_html(out, "\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n", across(s, label[0]) + 6,
                down(s, label[1]) - 6, c->point);
}

static void draw(lb_out* out, const lb_linkage_motion* k) {
  const sheet s = fit(k);
  lb_print_html(
      out,
      "<section class=\"card history\"><h3>%s: as drawn, and the paths of its points</h3>\n"
      "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n",
      k->name, WIDE, HIGH);
  for (int i = 0; i < k->ncurve; i++) {
    draw_curve(out, &s, &k->curve[i]);
  }
  for (int i = 0; i < k->nside; i++) {
    const double* e = k->side[i];
    lb_print(out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" "
             "stroke-width=\"3\" stroke-linecap=\"round\"/>\n",
             across(&s, e[0]), down(&s, e[1]), across(&s, e[2]), down(&s, e[3]));
  }
  lb_out_text(out, "</svg>\n</section>\n");
}

static void dead_points(lb_out* out, const lb_linkage_motion* k) {
  for (int i = 0; i < k->ndead; i++) {
    const lb_dead_point* dead = &k->dead[i];
    lb_print_html(out, "<tr><th scope=\"row\">Dead point</th><td>%.4g°", dead->angle * 180 / M_PI);
    for (int b = 0; b < dead->nbar; b++) {
      lb_print_html(out, "%-s%s", b ? ", " : ": ", dead->bar[b]);
    }
    lb_print_html(out, "%-s</td></tr>\n", dead->nbar ? " in line" : "");
  }
}

static void table(lb_out* out, const lb_linkage_motion* k) {
  lb_print_html(out, "<div class=\"card\"><h3>%s</h3><table>\n", k->name);
  if (k->turns) {
    lb_print_html(out, "<tr><th scope=\"row\">%s</th><td>turns all the way</td></tr>\n", k->crank);
  } else {
    lb_print_html(out, "<tr><th scope=\"row\">%s</th><td>turns from %.4g° to %.4g°</td></tr>\n",
                  k->crank, k->from * 180 / M_PI, k->to * 180 / M_PI);
  }
  dead_points(out, k);
  for (int i = 0; i < k->ncurve; i++) {
    const lb_coupler_curve* c = &k->curve[i];
    lb_print_html(out, "<tr><th scope=\"row\">%s %s</th><td>%.4g m wide, %.4g m high</td></tr>\n",
                  c->foot ? "Foot" : "Point", c->point, c->width, c->height);
  }
  lb_out_text(out, "</table></div>\n");
}

static void mobility(lb_out* out, const lb_mechanism* M) {
  lb_print_html(out,
                "<div class=\"card\"><h3>Mobility</h3><table>\n<tr><th scope=\"row\">Coordinates "
                "that can be chosen</th><td>%d of %d</td></tr>\n<tr><th scope=\"row\">Rows of "
                "constraints</th><td>%d, %d of them redundant</td></tr>\n",
                M->nfreedom, M->coordinates, M->rows, M->rows - M->rank);
  for (int i = 0; i < M->nfreedom && i < 12; i++) {
    lb_print_html(out, "<tr><th scope=\"row\">%s</th><td>moves %d others</td></tr>\n",
                  M->freedom[i].joint, M->freedom[i].moves);
  }
  lb_out_text(out, "</table></div>\n");
}

void lb_report_mechanism(lb_out* out, const lb_mechanism* M) {
  lb_out_text(out, "<h2>Linkages</h2>\n");
  for (int i = 0; i < M->nlinkage; i++) {
    draw(out, &M->linkage[i]);
  }
  lb_out_text(out, "<section class=\"tables\">\n");
  mobility(out, M);
  for (int i = 0; i < M->nlinkage; i++) {
    table(out, &M->linkage[i]);
  }
  lb_out_text(out, "</section>\n");
}
