// report.html: one page that needs nothing else. Title and words, a 3-D view, pictures, plots,
// tables; the script and style of the first and the plots are bundled from web/ into the library.
// The page forbids itself every request, so it works offline and tells nobody that it was opened.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "limber/version.h"
#include "model/use/motor_use.h"
#include "record/file/writers.h"
#include "record/report/deformed.h"
#include "record/report/overlay.h"
#include "record/report/picture.h"
#include "record/report/report_data.h"
#include "record/report/report_fit.h"
#include "record/report/report_retarget.h"

extern const char lb_embedded_report_js[], lb_embedded_report_js_end[];
extern const char lb_embedded_report_css[], lb_embedded_report_css_end[];

enum {
  PICTURES = 8,
  MOST_MODEL = 4000 * 1000,    // bytes of the 3-D view's world; larger ones are left out
  MOST_FRAMES = 1500,          // of the 3-D view
  MOST_ANIMATION = 800 * 1000, // bytes
  LEAST_FRAMES = 40,
  FRAME_BYTES = 28,  // of a body: translation and rotation
  SPRING_BYTES = 40, // and scale
  BENT_BYTES = 64    // of an elastic body: about as many weights as are seen
};

// --- words and numbers for people ---

// A whole number with thin spaces between thousands.
static void grouped(lb_out* out, long n) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%ld", n);
  for (int i = 0; i < length; i++) {
    lb_out_bytes(out, digits + i, 1);
    const int left = length - 1 - i;
    lb_out_text(out, left > 0 && left % 3 == 0 && digits[i] != '-' ? "\u202f" : "");
  }
}

// Four digits, with a power of ten where plain digits would be long.
static void human(lb_out* out, double x) {
  if (!isfinite(x)) {
    lb_out_text(out, "unknown");
    return;
  }
  const double size = fabs(x);
  const int power = size > 0 ? (int)floor(log10(size)) : 0;
  if (power >= 7 || power < -3) {
    lb_out_fixed(out, x / pow(10, power), 1);
    lb_out_text(out, " × 10<sup>");
    lb_out_text(out, power < 0 ? "−" : "");
    lb_out_long(out, labs(power));
    lb_out_text(out, "</sup>");
    return;
  }
  if (power >= 3) {
    grouped(out, lround(x));
  } else {
    lb_out_fixed(out, x, 3 - power);
  }
}

static void seconds(lb_out* out, double t) {
  const double size = fabs(t);
  const bool small = isfinite(t) && size > 0 && size < 1;
  human(out, !small ? t : size < 1e-3 ? 1e6 * t : 1e3 * t);
  lb_out_text(out, !small ? " s" : size < 1e-3 ? " µs" : " ms");
}

static void plural(lb_out* out, long n, const char* one, const char* many) {
  grouped(out, n);
  lb_out_texts(out, " ", n == 1 ? one : many, NULL);
}

static double simulated(const lb_recording* r) {
  return r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
}

// --- head ---

static void head(lb_out* out, const lb_recording* r) {
  lb_out_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
  lb_out_html(out, r->model->name);
  lb_out_text(out, " – Limber</title>\n<style>\n");
  lb_out_bytes(out, lb_embedded_report_css,
               (size_t)(lb_embedded_report_css_end - lb_embedded_report_css));
  lb_out_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void opening(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  lb_out_text(out, "<header>\n<h1>");
  lb_out_html(out, m->name);
  lb_out_text(out, "</h1>\n");
  if (m->about && *m->about) {
    lb_out_text(out, "<p class=\"about\">");
    lb_out_html(out, m->about);
    lb_out_text(out, "</p>\n");
  }
  if (s->interrupted) {
    lb_out_text(out, "<p class=\"note\">This run was stopped after ");
    seconds(out, simulated(r));
    lb_out_text(out, " of motion; what was done until then is shown.</p>\n");
  }
  if (s->failure.failed) {
    lb_out_text(out, "<p class=\"note failure\" role=\"alert\"><strong>This run failed after ");
    seconds(out, s->failure.time);
    lb_out_text(out, " of motion.</strong> ");
    lb_out_html(out, s->failure.reason);
    lb_out_text(out, ".<br>What was done before is shown.</p>\n");
  }
  lb_out_text(out, "</header>\n");
}

// Room for the 3-D view, or what there is instead.
static void stage(lb_out* out, bool shown) {
  if (!shown) {
    lb_out_text(out, "<p class=\"note\">This world is too large for a 3-D view in a page; open "
                     "<code>scene.glb</code> for it.</p>\n");
    return;
  }
  lb_out_text(out, "<section class=\"card stage\" id=\"stage\" hidden>\n"
                   "<div class=\"canvas\"></div>\n<div class=\"grid-note\"></div>\n"
                   "<div class=\"tools\"><button type=\"button\" class=\"follow\">Follow</button>"
                   "<button type=\"button\" class=\"reset\">Reset view</button></div>\n"
                   "<div class=\"player\" id=\"player\"></div>\n</section>\n"
                   "<p class=\"note\" id=\"no-view\" hidden>This browser cannot show the 3-D view; "
                   "the pictures below show the motion.</p>\n");
}

// --- figures ---

static void figure_begin(lb_out* out) {
  lb_out_text(out, "<div class=\"card figure\"><strong>");
}

static void figure_end(lb_out* out, const char* text) {
  lb_out_texts(out, "</strong><span>", text, "</span></div>\n", NULL);
}

static void energy_figure(lb_out* out, const lb_model* m, const lb_summary* s) {
  figure_begin(out);
  if (s->conservative) {
    human(out, s->energy_drift);
    figure_end(out, "worst energy error, relative to the largest kinetic energy");
  } else {
    const double change = s->energy_end - s->energy_start;
    lb_out_text(out, change > 0 ? "+" : "");
    human(out, change);
    lb_out_text(out, " J");
    figure_end(out, m->nprescribed + m->ncoupling >
                            lb_motors_count_constraints(m) + lb_motors_count_turns(m)
                        ? "energy put in or taken out by motors, constraints, dampers and loads"
                        : "energy put in or taken out by motors, dampers and loads");
  }
}

static void retarget_figures(lb_out* out, const lb_retarget_result* t) {
  const lb_deviation *a = &t->was.all, *b = &t->is.all;
  const struct {
    double before, after;
    const char* text;
  } figure[] = {{a->peak, b->peak, "less peak deviation from the target"},
                {a->pause, b->pause, "less vibration left in pauses"}};
  for (int i = 0; i < 2; i++) {
    if (figure[i].after > 0) {
      figure_begin(out);
      const double times = figure[i].before / figure[i].after;
      lb_out_fixed(out, times, times < 10 ? 1 : 0);
      lb_out_text(out, "×");
      figure_end(out, figure[i].text);
    }
  }
}

static void figures(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const double speed = simulated(r) / s->wall_seconds;
  lb_out_text(out, "<section class=\"figures\">\n");
  figure_begin(out);
  seconds(out, simulated(r));
  figure_end(out, "of motion");
  figure_begin(out);
  seconds(out, s->wall_seconds);
  figure_end(out, "to compute it");
  if (isfinite(speed) && speed > 0 && !s->fit && !s->retarget &&
      !s->optimize) { // those play the motion many times
    figure_begin(out);
    const double times = speed >= 1 ? speed : 1 / speed;
    human(out, times < 100 ? times : round(times));
    lb_out_text(out, "×");
    figure_end(out, speed >= 1 ? "faster than real time" : "slower than real time");
  }
  if (s->retarget) {
    retarget_figures(out, s->retarget);
  } else {
    energy_figure(out, r->model, s);
  }
  lb_out_text(out, "</section>\n");
}

// --- pictures ---

static bool strip(lb_out* out, const lb_recording* r, const lb_view* view) {
  const int shown = lb_frames_shown(r->nframe, PICTURES);
  const int stride = lb_picture_stride(r->model);
  bool done = true;
  if (shown == 0) {
    return true;
  }
  lb_out_text(out, "<h2>The motion in pictures</h2>\n<section class=\"strip\">\n");
  for (int i = 0; i < shown && done; i++) {
    const int frame = lb_frame_shown(r->nframe, shown, i);
    lb_out_text(out, "<figure class=\"card shot\" data-time=\"");
    lb_out_number(out, r->time[frame], "0");
    lb_out_text(out, "\">");
    done = lb_picture_write(out, r, view, frame);
    lb_out_text(out, "<figcaption>");
    lb_out_fixed(out, r->time[frame], simulated(r) < 1 ? 3 : 2);
    lb_out_text(out, " s</figcaption></figure>\n");
  }
  lb_out_text(out, "</section>\n");
  if (stride > 1) {
    lb_out_text(out, "<p class=\"note\">So that the page stays light, the pictures show one in ");
    grouped(out, stride);
    lb_out_text(out, " of the ");
    grouped(out, r->model->nshape);
    lb_out_text(out, " shapes.</p>\n");
  }
  return done;
}

// --- plots, filled in by the script ---

static void plots(lb_out* out, const lb_recording* r) {
  const long curves = lb_report_curves(r);
  lb_out_text(out, r->nframe > 1 ? "<h2>Over time</h2>\n" : "");
  if (curves > LB_REPORT_CURVES && r->nframe > 1) {
    lb_out_text(out, "<p class=\"note\">So that the page stays light, the plots have the first ");
    grouped(out, LB_REPORT_CURVES);
    lb_out_text(out, " of ");
    grouped(out, curves);
    lb_out_text(out, " curves; <code>trajectory.csv</code> has all.</p>\n");
  }
  lb_out_text(out, "<section class=\"plots\" id=\"plots\"></section>\n"
                   "<noscript><p class=\"note\">The 3-D view and the plots need JavaScript, "
                   "which is switched off here.</p></noscript>\n");
}

// --- tables ---

static void row(lb_out* out, const char* name) {
  lb_out_texts(out, "<tr><th scope=\"row\">", name, "</th><td>", NULL);
}

static void row_end(lb_out* out) {
  lb_out_text(out, "</td></tr>\n");
}

static void row_count(lb_out* out, const char* name, long n) {
  if (n > 0) {
    row(out, name);
    grouped(out, n);
    row_end(out);
  }
}

static const char* integrator_text(lb_integrator integrator) {
  static const char* const text[] = {
#define LB_INTEGRATOR_TEXT(code, name, words) words,
      LB_INTEGRATOR_LIST(LB_INTEGRATOR_TEXT)
#undef LB_INTEGRATOR_TEXT
  };
  return text[integrator];
}

static void settings(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const bool adaptive = m->solver.integrator == LB_INTEGRATOR_ADAPTIVE;
  lb_out_text(out, "<div class=\"card\"><h3>What was simulated, and how</h3>\n<table>\n");
  row_count(out, "Bodies", m->nbody);
  row_count(out, "Elastic bodies", m->nelastic);
  row_count(out, "Moving joints", m->njoint - m->nelastic);
  row_count(out, "Degrees of freedom", m->nv);
  row_count(out, "Springs", m->nspring);
  row_count(out, "Cables", m->ncable);
  row_count(out, "Grounds", m->nground);
  row_count(out, "Strands", m->nrope);
  row_count(out, "Soft bodies", m->ndeformable);
  row_count(out, "Motors", m->nmotor - 2 * lb_motors_count_turns(m));
  row_count(out, "Loads", m->nload);
  row_count(out, "Loops", m->nloop - m->nprescribed);
  row_count(out, "Constraints",
            m->nprescribed + m->ncoupling - lb_motors_count_constraints(m) -
                lb_motors_count_turns(m));
  row(out, "Gravity");
  human(out, lb_vec3_norm(m->gravity));
  lb_out_text(out, " m/s²");
  row_end(out);
  row(out, "Integrator");
  lb_out_html(out, integrator_text(m->solver.integrator));
  row_end(out);
  row(out, adaptive ? "Largest time step" : "Time step");
  seconds(out, s->step);
  row_end(out);
  if (adaptive) {
    row(out, "Tolerance");
    human(out, lb_adaptive_tolerance(&m->solver));
    row_end(out);
  }
  row_count(out, "Threads", s->threads);
  if (m->file && *m->file) {
    row(out, "Scene file");
    lb_out_html(out, m->file);
    row_end(out);
  }
  lb_out_text(out, "</table></div>\n");
}

static void results(lb_out* out, const lb_recording* r, const lb_summary* s) {
  lb_out_text(out, "<div class=\"card\"><h3>What came out</h3>\n<table>\n");
  row(out, "Motion");
  seconds(out, simulated(r));
  lb_out_text(out, " in ");
  plural(out, r->nframe, "frame", "frames");
  row_end(out);
  row(out, "Computing time");
  seconds(out, s->wall_seconds);
  row_end(out);
  row_count(out, "Steps", s->steps);
  row(out, "Steps a second");
  human(out, (double)s->steps / s->wall_seconds);
  row_end(out);
  row(out, "Energy at the start");
  human(out, s->energy_start);
  lb_out_text(out, " J");
  row_end(out);
  row(out, "Energy at the end");
  human(out, s->energy_end);
  lb_out_text(out, " J");
  row_end(out);
  row(out, s->conservative ? "Worst energy error" : "Largest change of energy");
  human(out, s->energy_drift);
  lb_out_text(out, " of the largest kinetic energy");
  row_end(out);
  if (r->model->nloop > 0 || r->model->ncoupling > 0) {
    row(out, "Worst gap in a loop or constraint");
    human(out, s->constraint_violation);
    lb_out_text(out, " m or rad");
    row_end(out);
  }
  lb_out_text(out, "</table></div>\n");
}

static void closing(lb_out* out) {
  lb_out_texts(out, "<footer>Made by Limber ", lb_version(),
               ". Beside this page: <code>trajectory.csv</code> for spreadsheets and scripts, "
               "<code>scene.glb</code> for Blender and other viewers, <code>summary.json</code> "
               "for programs.</footer>\n</main>\n",
               NULL);
}

// Nodes that carry the surface of deformables, about.
static int count_carriers(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->ndeformable; i++) {
    const lb_model_deformable* s = &m->deformable[i];
    count += s->nparticle < s->surface.nvertex ? s->nparticle : s->surface.nvertex;
  }
  return count;
}

// The animated world with as many frames as keep the page light.
static lb_out make_model(const lb_recording* r, const lb_summary* s,
                         const lb_allocator* allocator) {
  const lb_model* m = r->model;
  const int worlds = s->retarget ? LB_LAYERS_MOST : 1;
  const int wide = worlds * (FRAME_BYTES * (m->nbody + 1) + SPRING_BYTES * lb_bent_lines(m) +
                             BENT_BYTES * m->nelastic + FRAME_BYTES * count_carriers(m));
  const int fit = MOST_ANIMATION / wide;
  const int most = fit < LEAST_FRAMES ? LEAST_FRAMES : fit > MOST_FRAMES ? MOST_FRAMES : fit;
  lb_out glb = lb_out_make(allocator, -1);
  if (s->retarget) {
    lb_write_gltf_retargeting(&glb, s, most);
  } else {
    lb_write_gltf(&glb, r, most);
  }
  return glb;
}

static void model(lb_out* out, const lb_out* glb) {
  lb_out_text(out, "<script type=\"text/plain\" id=\"limber-glb\">\n");
  lb_out_base64(out, glb->data, glb->size);
  lb_out_text(out, "\n</script>\n");
}

// The page from its title to its data; false when there is no memory.
static bool page(lb_out* out, const lb_recording* r, const lb_summary* s, const lb_view* view,
                 const lb_out* glb) {
  const bool light = glb->status == LB_OK && glb->size <= MOST_MODEL;
  head(out, r);
  opening(out, r, s);
  stage(out, light);
  figures(out, r, s);
  if (s->fit) {
    lb_report_fit(out, s->fit);
  }
  if (s->retarget) {
    lb_report_retarget(out, s->retarget);
  }
  if (s->optimize) {
    lb_report_optimisation(out, s->optimize);
  }
  const bool done =
      s->retarget ? lb_report_retarget_strip(out, s->retarget, view) : strip(out, r, view);
  plots(out, r);
  lb_out_text(out, "<h2>The run</h2>\n<section class=\"tables\">\n");
  settings(out, r, s);
  results(out, r, s);
  lb_out_text(out, "</section>\n");
  closing(out);
  lb_report_data(out, r, view);
  if (s->fit) {
    lb_report_fit_data(out, s->fit);
  }
  if (s->retarget) {
    lb_report_retarget_data(out, s->retarget);
  }
  if (light) {
    model(out, glb);
  }
  lb_out_text(out, "<script>\n");
  lb_out_bytes(out, lb_embedded_report_js,
               (size_t)(lb_embedded_report_js_end - lb_embedded_report_js));
  lb_out_text(out, "</script>\n</body>\n</html>\n");
  return done;
}

void lb_write_report(lb_out* out, const lb_recording* r, const lb_summary* s) {
  lb_view view;
  bool done = lb_view_make(&view, r);
  if (done) {
    lb_out glb = make_model(r, s, out->allocator);
    done = glb.status != LB_NO_MEMORY && page(out, r, s, &view, &glb);
    lb_out_release(&glb);
  }
  if (!done && out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
}
