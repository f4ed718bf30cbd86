// The parts of a report that fits and inverse kinematics have of their own.
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

// --- inverse kinematics ---

typedef struct marker_error {
  double rms, most;
  int seen;
} marker_error;

static marker_error error_of(const lb_ik* ik, int marker) {
  const size_t n = (size_t)ik->markers->nmarker;
  marker_error e = {0};
  for (size_t i = 0; i < (size_t)ik->nsample; i++) {
    const double *y = ik->markers->x + 3 * (i * n + (size_t)marker),
                 *x = ik->placed + 3 * (i * n + (size_t)marker);
    const double off = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    if (isfinite(off)) {
      e.seen++;
      e.rms += off * off;
      e.most = fmax(e.most, off);
    }
  }
  e.rms = e.seen ? sqrt(e.rms / e.seen) : 0;
  return e;
}

void lb_report_ik(lb_out* out, const lb_ik* ik) {
  lb_out_text(out, "<h2>Markers</h2>\n<section class=\"card wide\">\n<table class=\"numbers\">\n"
                   "<thead><tr><th scope=\"col\">Marker</th><th scope=\"col\">Weight</th><th "
                   "scope=\"col\">Seen</th><th scope=\"col\">Off (rms)</th>"
                   "<th scope=\"col\">At most</th></tr></thead>\n<tbody>\n");
  for (int i = 0; i < ik->markers->nmarker; i++) {
    const marker_error e = error_of(ik, i);
    lb_print_html(out, "<tr><th scope=\"row\">%s</th>", ik->markers->marker[i].name);
    lb_print(out, "<td>%g</td><td>%.3g %%</td><td>%.2f mm</td><td>%.2f mm</td></tr>\n",
             ik->markers->marker[i].weight, 100.0 * e.seen / ik->nsample, 1e3 * e.rms,
             1e3 * e.most);
  }
  lb_out_text(out, "</tbody>\n</table>\n</section>\n");
}

// --- plots ---

static void add_column(lb_out* floats, const lb_marker_places* p, const double* x, int shown,
                       int k) {
  const size_t width = 3 * (size_t)p->markers->nmarker;
  for (int i = 0; i < shown; i++) {
    const double value = x[(size_t)lb_frame_shown(p->nsample, shown, i) * width + (size_t)k];
    if (isnan(value)) {
      lb_out_u32(floats, NOT_SEEN);
    } else {
      lb_out_f32(floats, value);
    }
  }
}

static double clock_of(const lb_fit* f) {
  for (int i = 0; f && i < f->nvalue; i++) {
    if (f->value[i].quantity == LB_FIT_CLOCK) {
      return f->value[i].value;
    }
  }
  return 0;
}

void lb_report_marker_data(lb_out* out, const lb_summary* s) {
  const lb_marker_places p = lb_marker_places_of(s);
  const lb_markers* m = p.markers;
  const int shown = lb_frames_shown(p.nsample, MOST_POINTS);
  const int nmarker = m->nmarker < MOST_MARKERS ? m->nmarker : MOST_MARKERS;
  lb_out floats = lb_out_make(out->allocator, -1);
  for (int i = 0; i < shown; i++) {
    lb_out_f32(&floats, m->time[lb_frame_shown(p.nsample, shown, i)] + clock_of(s->fit));
  }
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-fit\">\n{\"time\":");
  lb_out_packed(out, &floats);
  lb_out_text(out, ",\"markers\":[");
  for (int i = 0; i < nmarker; i++) {
    lb_print_json(out, "%-s%s", i ? "," : "", m->marker[i].name);
  }
  floats = lb_out_make(out->allocator, -1);
  for (int k = 0; k < 3 * nmarker; k++) { // by marker and axis, measured then fitted
    add_column(&floats, &p, m->x, shown, k);
    add_column(&floats, &p, p.placed, shown, k);
  }
  lb_out_text(out, "],\"values\":");
  lb_out_packed(out, &floats);
  lb_out_text(out, "}\n</script>\n");
}
