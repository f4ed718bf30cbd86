// report.html: one page that needs nothing else. Title and words, a 3-D view, pictures, plots,
// tables; the script and style of the first and the plots are bundled from web/ into the library.
// The page forbids itself every request, so it works offline and tells nobody that it was opened.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/version.h"
#include "record/bent.h"
#include "record/packed.h"
#include "record/picture.h"
#include "record/report_fit.h"
#include "record/words.h"
#include "record/writers.h"

extern const char lb_embedded_report_js[], lb_embedded_report_js_end[];
extern const char lb_embedded_report_css[], lb_embedded_report_css_end[];

enum {
  PICTURES = 8,
  MOST_POINTS = 2000,       // of a curve
  MOST_VALUES = 120 * 1000, // of all the curves together
  MOST_CURVES = 600,
  MOST_MODEL = 4000 * 1000,    // bytes of the 3-D view's world; larger ones are left out
  MOST_FRAMES = 1500,          // of the 3-D view
  MOST_ANIMATION = 800 * 1000, // bytes
  LEAST_FRAMES = 40,
  FRAME_BYTES = 28,  // of a body: translation and rotation
  SPRING_BYTES = 40, // and scale
  BENT_BYTES = 64    // of an elastic body: about as many weights as are seen
};

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
    lb_words_seconds(out, simulated(r));
    lb_out_text(out, " of motion; what was done until then is shown.</p>\n");
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

static void energy_figure(lb_out* out, const lb_summary* s) {
  figure_begin(out);
  if (s->conservative) {
    lb_words_number(out, s->energy_drift);
    figure_end(out, "worst energy error, relative to the largest kinetic energy");
  } else {
    const double change = s->energy_end - s->energy_start;
    lb_out_text(out, change > 0 ? "+" : "");
    lb_words_number(out, change);
    lb_out_text(out, " J");
    figure_end(out, "energy put in or taken out by motors, dampers and loads");
  }
}

static void figures(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const double speed = simulated(r) / s->wall_seconds;
  lb_out_text(out, "<section class=\"figures\">\n");
  figure_begin(out);
  lb_words_seconds(out, simulated(r));
  figure_end(out, "of motion");
  figure_begin(out);
  lb_words_seconds(out, s->wall_seconds);
  figure_end(out, "to compute it");
  if (isfinite(speed) && speed > 0 && !s->fit) { // a fit plays the motion many times
    figure_begin(out);
    const double times = speed >= 1 ? speed : 1 / speed;
    lb_words_number(out, times < 100 ? times : round(times));
    lb_out_text(out, "×");
    figure_end(out, speed >= 1 ? "faster than real time" : "slower than real time");
  }
  energy_figure(out, s);
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
    lb_words_count(out, stride);
    lb_out_text(out, " of the ");
    lb_words_count(out, r->model->nshape);
    lb_out_text(out, " shapes.</p>\n");
  }
  return done;
}

// --- plots, filled in by the script ---

// Curves that there could be.
static long curves_of(const lb_model* m) {
  long count = m->nmotor;
  for (int j = 0; j < m->njoint; j++) {
    count += m->joint_kind[j] < LB_JOINT_COUNT ? m->joint_nq[j] : 0;
  }
  for (int e = 0; e < m->nelastic; e++) {
    count += 3 * m->elastic[e].nface;
  }
  return count;
}

static void plots(lb_out* out, const lb_recording* r) {
  const long curves = curves_of(r->model);
  lb_out_text(out, r->nframe > 1 ? "<h2>Over time</h2>\n" : "");
  if (curves > MOST_CURVES && r->nframe > 1) {
    lb_out_text(out, "<p class=\"note\">So that the page stays light, the plots have the first ");
    lb_words_count(out, MOST_CURVES);
    lb_out_text(out, " of ");
    lb_words_count(out, curves);
    lb_out_text(out, " curves; <code>trajectory.csv</code> has all.</p>\n");
  }
  lb_out_text(out, "<section class=\"plots\" id=\"plots\"></section>\n"
                   "<noscript><p class=\"note\">The 3-D view and the plots need JavaScript, "
                   "which is switched off here.</p></noscript>\n");
}

// --- tables ---

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
  lb_row_count(out, "Bodies", m->nbody);
  lb_row_count(out, "Elastic bodies", m->nelastic);
  lb_row_count(out, "Moving joints", m->njoint - m->nelastic);
  lb_row_count(out, "Degrees of freedom", m->nv);
  lb_row_count(out, "Springs", m->nspring);
  lb_row_count(out, "Motors", m->nmotor);
  lb_row_count(out, "Loads", m->nload);
  lb_row_count(out, "Loops", m->nloop);
  lb_row(out, "Gravity");
  lb_words_number(out, lb_vec3_norm(m->gravity));
  lb_out_text(out, " m/s²");
  lb_row_end(out);
  lb_row(out, "Integrator");
  lb_out_html(out, integrator_text(m->solver.integrator));
  lb_row_end(out);
  lb_row(out, adaptive ? "Largest time step" : "Time step");
  lb_words_seconds(out, s->step);
  lb_row_end(out);
  if (adaptive) {
    lb_row(out, "Tolerance");
    lb_words_number(out, m->solver.tolerance);
    lb_row_end(out);
  }
  lb_row_count(out, "Threads", s->threads);
  if (m->file && *m->file) {
    lb_row(out, "Scene file");
    lb_out_html(out, m->file);
    lb_row_end(out);
  }
  lb_out_text(out, "</table></div>\n");
}

static void results(lb_out* out, const lb_recording* r, const lb_summary* s) {
  lb_out_text(out, "<div class=\"card\"><h3>What came out</h3>\n<table>\n");
  lb_row(out, "Motion");
  lb_words_seconds(out, simulated(r));
  lb_out_text(out, " in ");
  lb_words_plural(out, r->nframe, "frame", "frames");
  lb_row_end(out);
  lb_row(out, "Computing time");
  lb_words_seconds(out, s->wall_seconds);
  lb_row_end(out);
  lb_row_count(out, "Steps", s->steps);
  lb_row(out, "Steps a second");
  lb_words_number(out, (double)s->steps / s->wall_seconds);
  lb_row_end(out);
  lb_row(out, "Energy at the start");
  lb_words_number(out, s->energy_start);
  lb_out_text(out, " J");
  lb_row_end(out);
  lb_row(out, "Energy at the end");
  lb_words_number(out, s->energy_end);
  lb_out_text(out, " J");
  lb_row_end(out);
  lb_row(out, s->conservative ? "Worst energy error" : "Largest change of energy");
  lb_words_number(out, s->energy_drift);
  lb_out_text(out, " of the largest kinetic energy");
  lb_row_end(out);
  if (r->model->nloop > 0) {
    lb_row(out, "Worst gap in a loop");
    lb_words_number(out, s->constraint_violation);
    lb_out_text(out, " m or rad");
    lb_row_end(out);
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

// --- data ---

// The frames that the curves go through.
typedef struct samples {
  const lb_recording* r;
  int n;
} samples;

static int sample(const samples* s, int i) {
  return lb_frame_shown(s->r->nframe, s->n, i);
}

static void data_f64(lb_out* out, const char* before, const samples* s, const double* x) {
  lb_packed p;
  lb_pack_begin(&p, out, before);
  for (int i = 0; i < s->n; i++) {
    lb_pack64(&p, x[sample(s, i)]);
  }
  lb_pack_end(&p);
}

static void data_f32(lb_packed* p, const samples* s, const double* x, int width, int column) {
  if (p->ncurve++ >= MOST_CURVES) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    lb_out_f32(&p->bytes, x[(size_t)sample(s, i) * (size_t)width + (size_t)column]);
  }
}

// One component of how far a face has moved.
static void data_bending(lb_packed* p, const samples* s, int e, int component) {
  if (p->ncurve++ >= MOST_CURVES) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    const lb_vec3 d = lb_bent_face(s->r, sample(s, i), e, component / 3);
    const double part[3] = {d.x, d.y, d.z};
    lb_out_f32(&p->bytes, part[component % 3]);
  }
}

// Name of one curve, and the plot it belongs to.
static void series(lb_out* out, int* count, const char* name, const char* suffix,
                   const char* group) {
  if (*count >= MOST_CURVES) {
    return;
  }
  lb_out_text(out, (*count)++ ? ",\n{\"name\":\"" : "\n{\"name\":\"");
  lb_out_json_part(out, name);
  lb_out_texts(out, suffix, "\",\"group\":\"", group, "\"}", NULL);
}

// What the coordinates of each joint are.
typedef struct coordinate {
  const char* suffix;
  const char* group;
} coordinate;

static const coordinate COORDINATE[LB_JOINT_COUNT][LB_JOINT_MOST_Q] = {
    [LB_JOINT_REVOLUTE] = {{"", "angle"}},
    [LB_JOINT_PRISMATIC] = {{"", "distance"}},
    [LB_JOINT_UNIVERSAL] = {{" first", "angle"}, {" second", "angle"}},
    [LB_JOINT_SPHERICAL] = {{" w", "quaternion"},
                            {" x", "quaternion"},
                            {" y", "quaternion"},
                            {" z", "quaternion"}},
    [LB_JOINT_FREE] = {{" x", "distance"},
                       {" y", "distance"},
                       {" z", "distance"},
                       {" w", "quaternion"},
                       {" x", "quaternion"},
                       {" y", "quaternion"},
                       {" z", "quaternion"}},
};

// Does a motor push, rather than turn?
static bool pushes(const lb_model* m, int motor) {
  const int joint = m->motor_joint[motor];
  return (joint >= 0 ? m->joint_kind[joint] : (int)m->loop[m->motor_loop[motor]].kind) ==
         LB_JOINT_PRISMATIC;
}

// How many coordinates of a joint are shown. Those of an elastic body mean nothing to people; how
// far its faces have moved does.
static int curves(const lb_model* m, int joint) {
  return m->joint_kind[joint] < LB_JOINT_COUNT ? m->joint_nq[joint] : 0;
}

// Motors come first, so that a multitude of coordinates does not crowd them out.
static void data_series(lb_out* out, const lb_recording* r) {
  const lb_model* m = r->model;
  int count = 0;
  lb_out_text(out, ",\n\"series\":[");
  for (int k = 0; k < m->nmotor; k++) {
    series(out, &count, m->motor_name[k], "", pushes(m, k) ? "force" : "torque");
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < curves(m, j); i++) {
      const coordinate* c = &COORDINATE[m->joint_kind[j]][i];
      series(out, &count, m->joint_name[j], c->suffix, c->group);
    }
  }
  for (int e = 0; e < m->nelastic; e++) {
    for (int i = 0; i < 3 * m->elastic[e].nface; i++) {
      static const char* const axis[] = {" x", " y", " z"};
      char suffix[80];
      snprintf(suffix, sizeof suffix, " %.64s%s", m->elastic[e].face[i / 3], axis[i % 3]);
      series(out, &count, m->body_name[m->elastic[e].body], suffix, "bending");
    }
  }
  lb_out_text(out, "]");
}

static void data_values(lb_out* out, const samples* s) {
  const lb_recording* r = s->r;
  const lb_model* m = r->model;
  lb_packed p;
  lb_pack_begin(&p, out, ",\n\"values\":");
  for (int k = 0; k < m->nmotor; k++) {
    data_f32(&p, s, r->motor, m->nmotor, k);
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < curves(m, j); i++) {
      data_f32(&p, s, r->q, m->nq, m->joint_q[j] + i);
    }
  }
  for (int e = 0; e < m->nelastic; e++) {
    for (int i = 0; i < 3 * m->elastic[e].nface; i++) {
      data_bending(&p, s, e, i);
    }
  }
  lb_pack_end(&p);
}

static void data_number(lb_out* out, const char* before, double x) {
  lb_out_text(out, before);
  lb_out_number(out, x, "0");
}

static void data_view(lb_out* out, const samples* s, const lb_view* v) {
  const lb_model* m = s->r->model;
  data_number(out, ",\n\"view\":{\"centre\":[", v->centre.x);
  data_number(out, ",", v->centre.y);
  data_number(out, ",", v->centre.z);
  data_number(out, "],\"wide\":", v->wide);
  data_number(out, ",\"tall\":", v->tall);
  data_number(out, ",\"deep\":", v->deep);
  data_number(out, ",\"radius\":", v->radius);
  data_number(out, ",\"near\":", v->near);
  data_number(out, ",\"azimuth\":", v->azimuth);
  data_number(out, ",\"elevation\":", v->elevation);
  data_number(out, ",\"ground\":", v->ground);
  lb_out_texts(out, ",\"follow\":", v->follow ? "true" : "false", ",\"moving\":[", NULL);
  for (int b = 0, n = 0; b < m->nbody; b++) {
    if (m->body_link[b] != LB_WORLD) {
      lb_out_text(out, n++ ? "," : "");
      lb_out_long(out, b);
    }
  }
  lb_out_text(out, "],\"paths\":[");
  for (int k = 0; k < v->ntrace; k++) {
    lb_packed p;
    lb_pack_begin(&p, out, k ? "," : "");
    for (int i = 0; i < s->n; i++) {
      const lb_vec3 at = lb_view_trace(s->r, sample(s, i), v->trace[k]);
      lb_out_f32(&p.bytes, at.x);
      lb_out_f32(&p.bytes, at.y);
      lb_out_f32(&p.bytes, at.z);
    }
    lb_pack_end(&p);
  }
  lb_out_text(out, "]}");
}

static void data(lb_out* out, const lb_recording* r, const lb_summary* sum, const lb_view* view) {
  const long all = curves_of(r->model);
  const int wide = all < MOST_CURVES ? (int)all : MOST_CURVES;
  const int most = wide * MOST_POINTS > MOST_VALUES ? MOST_VALUES / wide : MOST_POINTS;
  const samples s = {r, lb_frames_shown(r->nframe, most > LEAST_FRAMES ? most : LEAST_FRAMES)};
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-data\">\n{");
  data_f64(out, "\"time\":", &s, r->time);
  data_f64(out, ",\n\"kinetic\":", &s, r->kinetic);
  data_f64(out, ",\n\"potential\":", &s, r->potential);
  data_view(out, &s, view);
  data_series(out, r);
  data_values(out, &s);
  if (sum->fit) {
    lb_report_fit_data(out, sum->fit);
  }
  lb_out_text(out, "}\n</script>\n");
}

// The animated world with as many frames as keep the page light.
static lb_out make_model(const lb_recording* r, const lb_allocator* allocator) {
  const lb_model* m = r->model;
  const int wide =
      FRAME_BYTES * (m->nbody + 1) + SPRING_BYTES * m->nspring + BENT_BYTES * m->nelastic;
  const int fit = MOST_ANIMATION / wide;
  const int most = fit < LEAST_FRAMES ? LEAST_FRAMES : fit > MOST_FRAMES ? MOST_FRAMES : fit;
  lb_out glb = lb_out_make(allocator, -1);
  lb_write_gltf(&glb, r, most);
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
  const bool done = strip(out, r, view);
  plots(out, r);
  lb_out_text(out, "<h2>The run</h2>\n<section class=\"tables\">\n");
  settings(out, r, s);
  results(out, r, s);
  lb_out_text(out, "</section>\n");
  closing(out);
  data(out, r, s, view);
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
    lb_out glb = make_model(r, out->allocator);
    done = glb.status != LB_NO_MEMORY && page(out, r, s, &view, &glb);
    lb_out_release(&glb);
  }
  if (!done && out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
}
