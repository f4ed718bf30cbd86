// The part of a report that a fit has of its own.
#include "record/report/report_fit.h"

#include <math.h>

#include "record/file/writers.h"

enum {
  MOST_POINTS = 2000, // of a curve
  MOST_MARKERS = 20
};
// A float that is no number.
static const uint32_t NOT_SEEN = 0x7fc00000;

static void cell(lb_out* out, const lb_fit_value* v, double x) {
  char text[LB_FIT_TEXT];
  lb_out_texts(out, "<td>", isfinite(x) ? lb_fit_number_text(v->quantity, x, text) : "unknown",
               "</td>", NULL);
}

static void write_value(lb_out* out, const lb_fit* f, const lb_fit_value* v) {
  lb_out_text(out, "<tr><th scope=\"row\">");
  if (v->material >= 0) {
    lb_out_html(out, f->model->material[v->material].name);
    lb_out_text(out, ": ");
  }
  lb_out_texts(out, lb_fit_quantity_name(v->quantity), "</th>", NULL);
  cell(out, v, v->start);
  cell(out, v, v->value);
  cell(out, v, v->low);
  cell(out, v, v->high);
  lb_out_texts(out, "<td>", lb_fit_doubt_text(v->doubt), "</td></tr>\n", NULL);
}

static void note(lb_out* out, const lb_fit* f) {
  lb_out_text(out, "<p class=\"note\">The fitted markers are ");
  lb_out_fixed(out, 1e3 * f->rms, 3);
  lb_out_text(out,
              " mm (root mean square of a coordinate) from the measured ones; with the scene's "
              "own numbers it was ");
  lb_out_fixed(out, 1e3 * f->rms_start, 3);
  lb_out_text(out, " mm. ");
  if (lb_fit_errs_alike(f)) {
    lb_out_text(out, "What is left is no noise: about ");
    lb_out_long(out, lround(f->correlation));
    lb_out_text(out, " neighbouring samples err alike. The scene misses something, or the camera "
                     "smooths; the intervals are widened for it. ");
  }
  lb_out_long(out, f->runs);
  lb_out_text(out, " simulations were made.</p>\n");
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

// Floats gathered so far, as base64 in quotes.
static void write_packed(lb_out* out, lb_out* floats) {
  lb_out_text(out, "\"");
  lb_out_base64(out, floats->data, floats->size);
  lb_out_text(out, "\"");
  if (floats->status != LB_OK && out->status == LB_OK) {
    out->status = floats->status;
  }
  lb_out_release(floats);
}

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
  write_packed(out, &floats);
  lb_out_text(out, ",\"markers\":[");
  for (int i = 0; i < nmarker; i++) {
    lb_out_text(out, i ? "," : "");
    lb_out_json(out, m->marker[i].name);
  }
  floats = lb_out_make(out->allocator, -1);
  for (int k = 0; k < 3 * nmarker; k++) { // by marker and axis, measured then fitted
    add_column(&floats, f, m->x, shown, k);
    add_column(&floats, f, f->fitted, shown, k);
  }
  lb_out_text(out, "],\"values\":");
  write_packed(out, &floats);
  lb_out_text(out, "}\n</script>\n");
}
