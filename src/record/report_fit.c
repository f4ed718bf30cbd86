// The part of a report that a fit has of its own.
#include "record/report_fit.h"

#include <math.h>

#include "record/packed.h"
#include "record/words.h"
#include "record/writers.h"

enum {
  MOST_POINTS = 2000, // of a curve
  MOST_MARKERS = 20
};
// A float that is no number.
static const uint32_t NOT_SEEN = 0x7fc00000;
// Residuals that err alike over more samples than this are no noise.
static const double ALIKE = 3;

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
  lb_words_number(out, 1e3 * f->rms);
  lb_out_text(out,
              " mm (root mean square of a coordinate) from the measured ones; with the scene's "
              "own numbers it was ");
  lb_words_number(out, 1e3 * f->rms_start);
  lb_out_text(out, " mm. ");
  if (f->correlation > ALIKE) {
    lb_out_text(out, "What is left is no noise: about ");
    lb_words_number(out, round(f->correlation));
    lb_out_text(out, " neighbouring samples err alike. The scene misses something, or the camera "
                     "smooths; the intervals are widened for it. ");
  }
  lb_words_count(out, f->runs);
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

static void write_column(lb_packed* p, const lb_fit* f, const double* x, int shown, int k) {
  const size_t width = 3 * (size_t)f->markers->nmarker;
  for (int i = 0; i < shown; i++) {
    const size_t at = (size_t)lb_frame_shown(f->nsample, shown, i);
    const double value = x[at * width + (size_t)k];
    if (isnan(value)) {
      lb_out_u32(&p->bytes, NOT_SEEN);
    } else {
      lb_out_f32(&p->bytes, value);
    }
  }
}

void lb_report_fit_data(lb_out* out, const lb_fit* f) {
  const lb_markers* m = f->markers;
  const int shown = lb_frames_shown(f->nsample, MOST_POINTS);
  const int nmarker = m->nmarker < MOST_MARKERS ? m->nmarker : MOST_MARKERS;
  double clock = 0;
  for (int i = 0; i < f->nvalue; i++) {
    clock = f->value[i].quantity == LB_FIT_CLOCK ? f->value[i].value : clock;
  }
  lb_packed p;
  lb_pack_begin(&p, out, ",\n\"fit\":{\"time\":");
  for (int i = 0; i < shown; i++) {
    lb_pack64(&p, m->time[lb_frame_shown(f->nsample, shown, i)] + clock);
  }
  lb_pack_end(&p);
  lb_out_text(out, ",\"markers\":[");
  for (int i = 0; i < nmarker; i++) {
    lb_out_text(out, i ? "," : "");
    lb_out_json(out, m->marker[i].name);
  }
  lb_pack_begin(&p, out, "],\"values\":"); // by marker and axis, measured then fitted
  for (int k = 0; k < 3 * nmarker; k++) {
    write_column(&p, f, m->x, shown, k);
    write_column(&p, f, f->fitted, shown, k);
  }
  lb_pack_end(&p);
  lb_out_text(out, "}");
}
