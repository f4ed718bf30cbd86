// The part of a report that a fit has of its own.
#include "output/report/report_fit.h"

#include <math.h>

#include "output/file/writers.h"

enum {
  MOST_POINTS = 2000, // of a curve
  MOST_MARKERS = 20
};
// A float that is no number.
static const uint32_t NOT_SEEN = 0x7fc00000;

static void cell(lb_out* out, const lb_fit_value* v, double x) {
  char text[LB_FIT_TEXT];
  lb_print(out, "<td>%s</td>", isfinite(x) ? lb_fit_number_text(v->quantity, x, text) : "unknown");
}

static void write_value(lb_out* out, const lb_fit* f, const lb_fit_value* v) {
  const bool named = v->material >= 0;
  lb_print_html(out, "<tr><th scope=\"row\">%s%s%s</th>",
                named ? f->model->look.material[v->material].name : "", named ? ": " : "",
                lb_fit_quantity_name(v->quantity));
  cell(out, v, v->start);
  cell(out, v, v->value);
  cell(out, v, v->low);
  cell(out, v, v->high);
  lb_print_html(out, "<td>%s</td></tr>\n", lb_fit_doubt_text(v->doubt));
}

static void note(lb_out* out, const lb_fit* f) {
  lb_print(out,
           "<p class=\"note\">The fitted markers are %.3f mm (root mean square of a coordinate) "
           "from the measured ones; with the scene's own numbers it was %.3f mm. ",
           1e3 * f->rms, 1e3 * f->rms_start);
  if (lb_fit_errs_alike(f)) {
    lb_print(out,
             "The residual is no noise: about %ld neighbouring samples err alike. The scene misses "
             "something, or the camera smooths; the intervals are widened for it. ",
             lround(f->correlation));
  }
  lb_print(out, "%ld simulations were made.</p>\n", f->runs);
}

void lb_report_fit(lb_out* out, const lb_fit* f) {
  lb_out_text(out,
              "<h2>What was found</h2>\n<section class=\"card wide\">\n<table class=\"found\">\n"
              "<tr><th></th><th>in the scene</th><th>found</th><th>at least</th><th>at most</th>"
              "<th>with 95 % confidence</th></tr>\n");
  for (int i = 0; i < f->nvalue; i++) {
    write_value(out, f, &f->value[i]);
  }
  lb_out_text(out, "</table>\n</section>\n");
  note(out, f);
}

// --- plots ---

static void add_column(lb_out* floats, const lb_fit* f, const double* x, int shown, int k) {
  const size_t width = 3 * (size_t)f->markers->nmarker;
  for (int i = 0; i < shown; i++) {
    const double value = x[(size_t)lb_frame_shown(f->nsample, shown, i) * width + (size_t)k];
    if (isnan(value)) {
      lb_out_u32(floats, NOT_SEEN);
    } else {
      lb_out_f32(floats, value);
    }
  }
}

static double clock_of(const lb_fit* f) {
  for (int i = 0; i < f->nvalue; i++) {
    if (f->value[i].quantity == LB_FIT_CLOCK) {
      return f->value[i].value;
    }
  }
  return 0;
}

void lb_report_fit_data(lb_out* out, const lb_fit* f) {
  const lb_markers* m = f->markers;
  const int shown = lb_frames_shown(f->nsample, MOST_POINTS);
  const int nmarker = m->nmarker < MOST_MARKERS ? m->nmarker : MOST_MARKERS;
  lb_out floats = lb_out_make(out->allocator, -1);
  for (int i = 0; i < shown; i++) {
    lb_out_f32(&floats, m->time[lb_frame_shown(f->nsample, shown, i)] + clock_of(f));
  }
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-fit\">\n{\"time\":");
  lb_out_packed(out, &floats);
  lb_out_text(out, ",\"markers\":[");
  for (int i = 0; i < nmarker; i++) {
    lb_print_json(out, "%-s%s", i ? "," : "", m->marker[i].name);
  }
  floats = lb_out_make(out->allocator, -1);
  for (int k = 0; k < 3 * nmarker; k++) { // by marker and axis, measured then fitted
    add_column(&floats, f, m->x, shown, k);
    add_column(&floats, f, f->fitted, shown, k);
  }
  lb_out_text(out, "],\"values\":");
  lb_out_packed(out, &floats);
  lb_out_text(out, "}\n</script>\n");
}
