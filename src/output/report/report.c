// report.html: one page that needs nothing else. Title and words, a 3-D view, pictures, plots,
// tables; the script and style of the first and the plots are bundled from web/ into the library.
// The page forbids itself every request, so it works offline and tells nobody that it was opened.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/version.h"
#include "model/use/motor_use.h"
#include "output/file/writers.h"
#include "output/report/deformed.h"
#include "output/report/overlay.h"
#include "output/report/picture.h"
#include "output/report/report_analysis.h"
#include "output/report/report_data.h"
#include "output/report/report_fit.h"
#include "output/report/report_forces.h"
#include "output/report/report_fork.h"
#include "output/report/report_gait.h"
#include "output/report/report_mechanism.h"
#include "output/report/report_page.h"
#include "output/report/report_retarget.h"
#include "output/report/report_text.h"

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

static double simulated(const lb_recording* r) {
  return r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
}

// --- head ---

void lb_report_head(lb_out* out, const char* title) {
  lb_print_html(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>%s – Limber</title>\n<style>\n",
                title);
  lb_out_bytes(out, lb_embedded_report_css,
               (size_t)(lb_embedded_report_css_end - lb_embedded_report_css));
  lb_out_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void opening(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  char time[LB_REPORT_WORD];
  lb_print_html(out, "<header>\n<h1>%s</h1>\n", m->name);
  if (m->about && *m->about) {
    lb_print_html(out, "<p class=\"about\">%s</p>\n", m->about);
  }
  if (s->interrupted && (s->retarget || s->optimize || s->fit)) {
    lb_out_text(out, "<p class=\"note\">This search was stopped; its best so far is shown.</p>\n");
  } else if (s->interrupted) {
    lb_print_html(out,
                  "<p class=\"note\">This run was stopped after %-s of motion; what was done until "
                  "then is shown.</p>\n",
                  lb_report_seconds(simulated(r), time));
  }
  if (s->failure.failed) {
    lb_print_html(out,
                  "<p class=\"note failure\" role=\"alert\"><strong>This run failed after %-s of "
                  "motion.</strong> %s.<br>What was done before is shown.</p>\n",
                  lb_report_seconds(s->failure.time, time), s->failure.reason);
  }
  lb_out_text(out, "</header>\n");
}

void lb_report_stage(lb_out* out) {
  lb_out_text(out, "<section class=\"card stage\" id=\"stage\" hidden>\n"
                   "<div class=\"canvas\"></div>\n<div class=\"grid-note\"></div>\n"
                   "<div class=\"legend\" hidden></div>\n"
                   "<div class=\"picked\" hidden></div>\n"
                   "<div class=\"tools\"><select class=\"bodies\" aria-label=\"Bodies\" hidden>"
                   "</select><button type=\"button\" class=\"forces\" hidden>Forces</button>"
                   "<button type=\"button\" class=\"stress\" hidden>Stress</button>"
                   "<button type=\"button\" class=\"follow\">Follow</button>"
                   "<button type=\"button\" class=\"reset\">Reset view</button></div>\n"
                   "<div class=\"player\" id=\"player\"></div>\n</section>\n"
                   "<p class=\"note\" id=\"no-view\" hidden>This browser cannot show the 3-D view; "
                   "the pictures below show the motion.</p>\n");
}

// Room for the 3-D view, or what there is instead.
static void stage(lb_out* out, bool shown) {
  if (shown) {
    lb_report_stage(out);
  } else {
    lb_out_text(out, "<p class=\"note\">This world is too large for a 3-D view in a page; open "
                     "<code>scene.glb</code> for it.</p>\n");
  }
}

// --- figures ---

void lb_report_figure(lb_out* out, const char* number, const char* unit, const char* text) {
  lb_print_html(out, "<div class=\"card figure\"><strong>%-s%-s</strong><span>%s</span></div>\n",
                number, unit, text);
}

static void energy_figure(lb_out* out, const lb_model* m, const lb_summary* s) {
  char number[LB_REPORT_WORD], change[LB_REPORT_WORD + 1];
  if (s->conservative) {
    lb_report_figure(out, lb_report_human(s->energy_drift, number), "",
                     "worst energy error, relative to the largest kinetic energy");
    return;
  }
  const double gain = s->energy_end - s->energy_start;
  const bool constrained = m->constraint.count - m->constraint.nloop >
                           lb_motors_count_constraints(m) + lb_motors_count_turns(m);
  snprintf(change, sizeof change, "%s%s", gain > 0 ? "+" : "", lb_report_human(gain, number));
  lb_report_figure(out, change, " J",
                   constrained
                       ? "energy put in or taken out by motors, constraints, dampers and loads"
                       : "energy put in or taken out by motors, dampers and loads");
}

static void times_figure(lb_out* out, double before, double after, const char* text) {
  char number[LB_REPORT_WORD];
  if (after > 0) {
    lb_report_figure(out, lb_report_fixed(before / after, before / after < 10 ? 1 : 0, number), "×",
                     text);
  }
}

// What the run was for comes first, then what somebody sizes motors and rods by.
static void figures(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const double speed = simulated(r) / s->wall_seconds;
  const bool once = !s->fit && !s->retarget && !s->optimize; // others play it many times
  char number[LB_REPORT_WORD];
  lb_out_text(out, "<section class=\"figures\">\n");
  if (s->retarget) {
    const lb_deviation *a = &s->retarget->was.all, *b = &s->retarget->is.all;
    times_figure(out, a->peak, b->peak, "less peak deviation from the target");
    times_figure(out, a->pause, b->pause, "less vibration left in pauses");
  }
  const bool moved = s->analysis && s->analysis->nframe > 0;
  const bool forces = (moved && lb_report_analysis_figures(out, r, s->analysis) > 0) ||
                      lb_report_force_figures(out, r) > 0;
  if (!s->retarget) {
    lb_report_figure(out, lb_report_seconds(simulated(r), number), "", "of motion");
  }
  if (!forces) {
    lb_report_figure(out, lb_report_seconds(s->wall_seconds, number), "", "to compute it");
  }
  if (isfinite(speed) && speed > 0 && once) {
    const double times = speed >= 1 ? speed : 1 / speed;
    lb_report_figure(out, lb_report_human(times < 100 ? times : round(times), number), "×",
                     speed >= 1 ? "faster than real time" : "slower than real time");
  }
  if (!forces && !s->retarget) {
    energy_figure(out, r->model, s);
  }
  lb_out_text(out, "</section>\n");
}

// --- pictures ---

bool lb_report_shot(lb_out* out, const lb_recording* r, const lb_view* view, int frame) {
  lb_out_text(out, "<figure class=\"card shot\" data-time=\"");
  lb_out_number(out, r->time[frame], "0");
  lb_out_text(out, "\">");
  const bool done = lb_picture_write(out, r, view, frame);
  lb_out_text(out, "<figcaption>");
  return done;
}

static bool strip(lb_out* out, const lb_recording* r, const lb_view* view) {
  const int shown = lb_frames_shown(r->nframe, PICTURES);
  const int stride = lb_picture_stride(r->model);
  char a[LB_REPORT_WORD], b[LB_REPORT_WORD];
  bool done = true;
  if (shown == 0) {
    return true;
  }
  lb_out_text(out, "<h2>The motion in pictures</h2>\n<section class=\"strip\">\n");
  for (int i = 0; i < shown && done; i++) {
    const int frame = lb_frame_shown(r->nframe, shown, i);
    done = lb_report_shot(out, r, view, frame);
    lb_out_fixed(out, r->time[frame], simulated(r) < 1 ? 3 : 2);
    lb_out_text(out, " s</figcaption></figure>\n");
  }
  lb_out_text(out, "</section>\n");
  if (stride > 1) {
    lb_print(out,
             "<p class=\"note\">So that the page stays light, the pictures show one in %s of the "
             "%s shapes.</p>\n",
             lb_report_grouped(stride, a), lb_report_grouped(r->model->look.nshape, b));
  }
  return done;
}

// --- plots, filled in by the script ---

static void plots(lb_out* out, const lb_recording* r) {
  const long curves = lb_report_curves(r);
  char a[LB_REPORT_WORD], b[LB_REPORT_WORD];
  lb_out_text(out, r->nframe > 1 ? "<h2>Over time</h2>\n" : "");
  if (curves > LB_REPORT_CURVES && r->nframe > 1) {
    lb_print(out,
             "<p class=\"note\">So that the page stays light, the plots have the first %s of %s "
             "curves; <code>trajectory.csv</code> has all.</p>\n",
             lb_report_grouped(LB_REPORT_CURVES, a), lb_report_grouped(curves, b));
  }
  lb_out_text(out, "<section class=\"plots\" id=\"plots\"></section>\n"
                   "<noscript><p class=\"note\">The 3-D view and the plots need JavaScript, "
                   "which is switched off here.</p></noscript>\n");
}

// --- tables ---

static void row(lb_out* out, const char* name, const char* value, const char* unit) {
  lb_print(out, "<tr><th scope=\"row\">%s</th><td>%s%s</td></tr>\n", name, value, unit);
}

// Row of a count, where there is any; its name begins with a capital.
typedef struct counted {
  const char* name;
  long n;
} counted;

static void rows(lb_out* out, const counted* c, size_t count) {
  char text[LB_REPORT_WORD], name[LB_REPORT_WORD];
  for (size_t i = 0; i < count; i++) {
    if (c[i].n > 0) {
      snprintf(name, sizeof name, "%c%.40s", toupper(c[i].name[0]), c[i].name + 1);
      row(out, name, lb_report_grouped(c[i].n, text), "");
    }
  }
}

static const char* integrator_text(lb_integrator integrator) {
  static const char* const text[] = {
#define LB_INTEGRATOR_TEXT(code, stepper, name, method, words) words,
      LB_INTEGRATOR_LIST(LB_INTEGRATOR_TEXT)
#undef LB_INTEGRATOR_TEXT
  };
  return text[integrator];
}

static void settings(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const bool adaptive = lb_integrator_method(m->solver.integrator) == LB_METHOD_ADAPTIVE;
  const int turns = lb_motors_count_turns(m);
  const counted parts[] = {
      {"Bodies", m->nbody},
      {"Elastic bodies", m->elastic.count},
      {"Moving joints", m->njoint - m->elastic.count},
      {m->constraint.count ? "Degrees of freedom, constraints aside" : "Degrees of freedom", m->nv},
#define FORCES_OF(code, name, section, about) {section, m->force.of_kind[code]},
      LB_FORCE_LIST(FORCES_OF){"Ropes", m->particles.nrope},
      {"Deformables", m->particles.ndeformable},
      {"Motors", m->nmotor - 2 * turns},
      {"Loads", m->force.nload},
      {"Loops", m->constraint.nloop},
      {"Constraints",
       m->constraint.count - m->constraint.nloop - lb_motors_count_constraints(m) - turns}};
  char text[LB_REPORT_WORD];
  lb_out_text(out, "<div class=\"card\"><h3>What was simulated, and how</h3>\n<table>\n");
  rows(out, parts, sizeof parts / sizeof *parts);
  row(out, "Gravity", lb_report_human(lb_vec3_norm(m->gravity), text), " m/s²");
  row(out, "Integrator", integrator_text(m->solver.integrator), "");
  row(out, adaptive ? "Largest time step" : "Time step", lb_report_seconds(s->step, text), "");
  if (adaptive) {
    row(out, "Tolerance", lb_report_human(lb_adaptive_tolerance(&m->solver), text), "");
  }
  rows(out, &(counted){"Threads", s->threads}, 1);
  if (m->file && *m->file) {
    lb_print_html(out, "<tr><th scope=\"row\">Scene file</th><td>%s</td></tr>\n", m->file);
  }
  lb_out_text(out, "</table></div>\n");
}

static void contact_rows(lb_out* out, const lb_summary* s) {
  char text[LB_REPORT_WORD], all[LB_REPORT_WORD];
  rows(out, &(counted){"Most points of contact at once", s->contact.points}, 1);
  lb_print(out,
           "<tr><th scope=\"row\">Contacts not solved to the tolerance</th><td>in %s of %s "
           "steps</td></tr>\n",
           lb_report_grouped(s->contact.unsolved, text), lb_report_grouped(s->contact.steps, all));
  row(out, "Worst residual of a contact", lb_report_human(s->contact.residual, text), " m/s");
}

static void results(lb_out* out, const lb_recording* r, const lb_summary* s) {
  char text[LB_REPORT_WORD], count[LB_REPORT_WORD];
  lb_out_text(out, "<div class=\"card\"><h3>What came out</h3>\n<table>\n");
  lb_print(out, "<tr><th scope=\"row\">Motion</th><td>%s in %s %s</td></tr>\n",
           lb_report_seconds(simulated(r), text), lb_report_grouped(r->nframe, count),
           r->nframe == 1 ? "frame" : "frames");
  row(out, "Computing time", lb_report_seconds(s->wall_seconds, text), "");
  rows(out, &(counted){"Steps", s->steps}, 1);
  row(out, "Steps a second", lb_report_human((double)s->steps / s->wall_seconds, text), "");
  if (s->iterations > 0) {
    row(out, "Newton iterations a step",
        lb_report_human((double)s->iterations / (double)s->steps, text), "");
    row(out, "Steps for a factored matrix",
        lb_report_human((double)s->steps / (double)(s->matrices ? s->matrices : 1), text), "");
  }
  if (s->contact.steps > 0) {
    contact_rows(out, s);
  }
  row(out, "Energy at the start", lb_report_human(s->energy_start, text), " J");
  row(out, "Energy at the end", lb_report_human(s->energy_end, text), " J");
  row(out, s->conservative ? "Worst energy error" : "Largest change of energy",
      lb_report_human(s->energy_drift, text), " of the largest kinetic energy");
  if (r->model->constraint.count > 0) {
    row(out, "Worst gap in a loop or constraint", lb_report_human(s->constraint_violation, text),
        " m or rad");
  }
  if (r->model->constraint.ncompliant > 0) {
    row(out, "Worst gap of a constraint that yields", lb_report_human(s->compliant_gap, text),
        " m or rad");
  }
  lb_out_text(out, "</table></div>\n");
}

// The scene's own file as it was read; what it includes is not in it.
static void scene_text(lb_out* out, const lb_model* m, const char* text) {
  static const size_t MOST = 200 * 1000;
  const size_t size = text ? strlen(text) : 0;
  if (size > 0 && size < MOST) {
    lb_print_html(out,
                  "<details class=\"card wide scene\">\n<summary>The scene, %s</summary>\n"
                  "<pre>%s</pre>\n</details>\n",
                  m->file, text);
  }
}

static void closing(lb_out* out, const lb_recording* r, const lb_summary* s) {
  lb_out_text(out, "<h2>Data</h2>\n<section class=\"card wide\">\n<table>\n");
  const lb_result_file* file;
  for (int i = 0; (file = lb_results_file(r, s, i)); i++) {
    lb_print_html(out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th><td>%s</td></tr>\n",
                  file->name, file->name, file->words);
  }
  lb_print(out, "</table>\n</section>\n<footer>Made by Limber %s.</footer>\n</main>\n",
           lb_version());
}

// Nodes that carry the surface of deformables, about.
static int count_carriers(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    const lb_model_deformable* s = &m->particles.deformable[i];
    count += s->nparticle < s->surface.nvertex ? s->nparticle : s->surface.nvertex;
  }
  return count;
}

// The animated world with as many frames as keep the page light.
static lb_out make_model(const lb_recording* r, const lb_summary* s,
                         const lb_allocator* allocator) {
  const lb_model* m = r->model;
  const int worlds = s->retarget ? LB_LAYERS_MOST : s->fork ? 2 : 1;
  const int wide = worlds * (FRAME_BYTES * (m->nbody + 1) + SPRING_BYTES * lb_bent_lines(m) +
                             BENT_BYTES * m->elastic.count + FRAME_BYTES * count_carriers(m));
  const int fit = MOST_ANIMATION / wide;
  const int most = fit < LEAST_FRAMES ? LEAST_FRAMES : fit > MOST_FRAMES ? MOST_FRAMES : fit;
  lb_out glb = lb_out_make(allocator, -1);
  if (s->retarget) {
    lb_write_gltf_retargeting(&glb, s, most);
  } else if (s->fork) {
    lb_write_gltf_forks(&glb, r, s, most);
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

void lb_report_script(lb_out* out) {
  lb_out_text(out, "<script>\n");
  lb_out_bytes(out, lb_embedded_report_js,
               (size_t)(lb_embedded_report_js_end - lb_embedded_report_js));
  lb_out_text(out, "</script>\n</body>\n</html>\n");
}

// The page from its title to its data; false when there is no memory.
static bool page(lb_out* out, const lb_recording* r, const lb_summary* s, const lb_view* view,
                 const lb_out* glb) {
  const bool light = glb->status == LB_OK && glb->size <= MOST_MODEL;
  lb_report_head(out, r->model->name);
  opening(out, r, s);
  stage(out, light);
  figures(out, r, s);
  if (s->fit) {
    lb_report_fit(out, s->fit);
  }
  if (s->analysis) {
    lb_report_analysis(out, r, s->analysis);
  }
  if (s->ik) {
    lb_report_ik(out, s->ik);
  }
  if (s->retarget) {
    lb_report_retarget(out, s->retarget);
  }
  if (s->optimize) {
    lb_report_optimisation(out, s->optimize);
  }
  if (s->collocation) {
    lb_report_collocation(out, s->collocation);
  }
  if (s->fork) {
    lb_report_forks(out, s->fork);
  }
  const bool done =
      s->retarget ? lb_report_retarget_strip(out, s->retarget, view) : strip(out, r, view);
  if (s->gait) {
    lb_report_gait(out, r, s->gait);
  }
  if (s->mechanism) {
    lb_report_mechanism(out, s->mechanism);
  }
  lb_report_forces(out, r);
  plots(out, r);
  lb_out_text(out, "<h2>The run</h2>\n<section class=\"tables\">\n");
  settings(out, r, s);
  results(out, r, s);
  lb_out_text(out, "</section>\n");
  scene_text(out, r->model, s->scene_text);
  closing(out, r, s);
  lb_report_data(out, r, view);
  if (s->fit || s->ik) {
    lb_report_marker_data(out, s);
  }
  if (s->analysis && s->analysis->activation) {
    lb_report_muscle_data(out, r, s->analysis);
  } else if (s->collocation && r->model->muscle.count > 0) {
    lb_report_muscle_data(out, r, NULL);
  }
  if (s->retarget) {
    lb_report_retarget_data(out, s->retarget);
  }
  if (s->fork) {
    lb_report_fork_data(out, s->fork);
  }
  if (light) {
    model(out, glb);
  }
  lb_report_script(out);
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
