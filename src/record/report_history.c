#include "record/report_history.h"

#include <math.h>
#include <stdio.h>

enum { WIDE = 640, HIGH = 170, LEFT = 58, BOTTOM = 26, TOP = 10, RIGHT = 10 };

static double up(double value, double low, double high) {
  const double part = high > low ? (log10(value) - low) / (high - low) : 0.5;
  return HIGH - BOTTOM - part * (HIGH - BOTTOM - TOP);
}

static void decade(lb_out* out, int power, double low, double high) {
  char text[160];
  const double v = up(pow(10, power), low, high);
  snprintf(text, sizeof text,
           "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"rule\"/><text x=\"%d\" "
           "y=\"%.1f\" text-anchor=\"end\">",
           LEFT, WIDE - RIGHT, v, v, LEFT - 8, v + 4);
  lb_out_text(out, text);
  snprintf(text, sizeof text, "10<tspan dy=\"-4\" font-size=\"9\">%d</tspan></text>\n", power);
  lb_out_text(out, text);
}

void lb_report_history(lb_out* out, int n, const double* objective, size_t stride, int last) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double value = objective[(size_t)i * stride];
    if (value > 0) {
      low = fmin(low, log10(value));
      high = fmax(high, log10(value));
    }
  }
  if (n < 2 || !(high >= low)) {
    return;
  }
  low = floor(low);
  high = fmax(ceil(high), low + 1);
  lb_out_text(out, "<h2>The search</h2>\n<section class=\"card history\"><h3>Objective after each "
                   "iteration</h3>\n<svg viewBox=\"0 0 640 170\" role=\"img\">\n");
  const int every = (int)ceil((high - low) / 6);
  for (int p = (int)low; p <= (int)high; p += every) {
    decade(out, p, low, high);
  }
  lb_out_text(out, "<polyline points=\"");
  for (int i = 0; i < n; i++) {
    const double value = objective[(size_t)i * stride];
    if (value > 0) {
      lb_out_fixed(out, LEFT + (double)i / (n - 1) * (WIDE - LEFT - RIGHT), 1);
      lb_out_text(out, ",");
      lb_out_fixed(out, up(value, low, high), 1);
      lb_out_text(out, " ");
    }
  }
  lb_out_text(out, "\"/>\n<text x=\"58\" y=\"165\">");
  lb_out_long(out, last - n + 1);
  lb_out_text(out, "</text><text x=\"630\" y=\"165\" text-anchor=\"end\">");
  lb_out_long(out, last);
  lb_out_text(out, "</text>\n</svg>\n</section>\n");
}
