#include "output/report/report_retarget.h"

#include <math.h>

#include "math/curve/time_profile.h"
#include "model/use/motor_use.h"
#include "output/file/writers.h"
#include "output/report/overlay.h"
#include "output/report/picture.h"
#include "output/report/report_history.h"

enum {
  PICTURES = 8,
  MOST_POINTS = 2000, // of a curve
  MOST_TRACKS = 12,
  MOST_MOTORS = 24
};

// --- tables ---

// Cells of a table: three digits and a unit, in millimetres and the like; a dash for what is not
// known.
static const double ROUNDING = 1e-9; // below a nanometre [m]

static void cell(lb_out* out, double x, double scale, const char* unit) {
  if (isfinite(x)) {
    lb_print(out, "<td>%.3g%s</td>", scale * x + 0.0, unit);
  } else {
    lb_out_text(out, "<td>–</td>");
  }
}

static void open_table(lb_out* out, const char* headings) {
  lb_print(out, "<section class=\"card wide\">\n<table class=\"found\">\n<tr>%s</tr>\n", headings);
}

static void open_row(lb_out* out, const char* name) {
  lb_print_html(out, "<tr><th scope=\"row\">%s</th>", name);
}

static void close_table(lb_out* out) {
  lb_out_text(out, "</table>\n</section>\n");
}

static void peak_cell(lb_out* out, const lb_replay* r) {
  lb_print(out, "<td>%.3g mm", 1e3 * r->all.peak);
  if (r->basis > 0) {
    lb_print(out, " ± %.2g mm", 1e3 * r->basis);
  }
  lb_out_text(out, "</td>");
}

static void replay_row(lb_out* out, const lb_replay* r, const char* words, const char* class) {
  lb_print(out, "<tr%s><th scope=\"row\">%s<span>%s</span></th>", class, r->name, words);
  peak_cell(out, r);
  cell(out, r->all.rms, 1e3, " mm");
  cell(out, r->all.pause, 1e3, " mm");
  cell(out, r->all.angle, 180 / M_PI, "°");
  cell(out, round(1e3 * r->all.delay), 1, " ms");
  cell(out, r->all.torque, 1, " N m");
  lb_out_text(out, "</tr>\n");
}

#define REPLAYED                                                                                   \
  "<th>peak</th><th>root mean square</th><th>in pauses</th><th>turned by</th><th>late by</th>"     \
  "<th>peak torque</th>"

static void comparison(lb_out* out, const lb_retarget_result* t) {
  lb_out_text(out, "<h2>How far from the target</h2>\n");
  open_table(out, "<th></th>" REPLAYED);
  replay_row(out, &t->was, "the curves as they were written", "");
  for (int i = 0; i < t->nbaseline; i++) {
    replay_row(out, &t->baseline[i], t->baseline[i].words, "");
  }
  replay_row(out, &t->is, t->unchanged ? "nothing was gained: as before" : "the retargeted curves",
             " class=\"best\"");
  for (int i = 0; i < t->nverified; i++) {
    replay_row(out, &t->verified[i], "the same with every node", "");
  }
  close_table(out);
  lb_out_text(out, "<p class=\"note\">The worst of the tracked bodies. The "
                   "target is where they would be if everything went infinitely slowly. Pauses "
                   "count from 0.2 s after the input stops to 0.3 s before it moves again.</p>\n");
}

// How well the bases of elastic bodies are known to do; a replay has no search to speak of.
static void basis(lb_out* out, const lb_retarget_result* t) {
  if (t->nverified > 0) {
    lb_print(out,
             "<p class=\"note\">With every node of the elastic bodies the motion is up to %.3g mm "
             "from the one in their bases.</p>\n",
             1e3 * t->is.basis);
  } else if (t->is.basis > 0) {
    lb_out_text(out, "<p class=\"note\">± is an estimate of how far the motion with every node of "
                     "the elastic bodies may be from the one in their bases. Runs in richer bases "
                     "gave it; <code>--verify</code> plays every node.</p>\n");
  } else if (t->nhistory > 0 && isnan(t->is.basis)) {
    lb_out_text(out,
                "<p class=\"note\">Elastic bodies move in their bases here, whose error is not "
                "known; <code>--verify</code> plays the result with every node.</p>\n");
  }
}

static void limiting(lb_out* out, const lb_retarget_result* t) {
  basis(out, t);
  if (!t->explained) {
    return;
  }
  lb_print(out, "<h2>What is left is limited by %s</h2>\n", lb_limiting_name(t->limiting.factor));
  if (t->limiting.factor == LB_LIMITING_WEIGHT) { // not of those that were made easier
    lb_print(out, "<p class=\"note\">%s: %s.</p>\n", lb_limiting_name(t->limiting.factor),
             lb_limiting_words(t->limiting.factor));
  }
  open_table(out, "<th></th><th>part of the root mean square that would be left</th>");
  for (int f = 0; f < LB_LIMITING_COUNT; f++) {
    if (isfinite(t->limiting.left[f])) {
      lb_print(out, "<tr><th scope=\"row\">%s<span>%s</span></th>",
               lb_limiting_name((lb_limiting_factor)f), lb_limiting_words((lb_limiting_factor)f));
      cell(out, t->limiting.left[f], 100, " %");
      lb_out_text(out, "</tr>\n");
    }
  }
  close_table(out);
  lb_out_text(out,
              "<p class=\"note\">The search goes on for some iterations with this made easier. "
              "Where nothing helps, it is the reach of the motors.</p>\n");
}

static void bodies(lb_out* out, const lb_retarget_result* t) {
  if (t->what->ntrack < 2) {
    return;
  }
  open_table(out, "<th>tracked body</th><th>peak before</th><th>after</th><th>root mean square "
                  "before</th><th>after</th><th>in pauses before</th><th>after</th>");
  for (int i = 0; i < t->what->ntrack; i++) {
    const lb_deviation *a = &t->was.track[i], *b = &t->is.track[i];
    const double value[] = {a->peak, b->peak, a->rms, b->rms, a->pause, b->pause};
    open_row(out, t->model->body.name[t->what->track[i].body]);
    for (int k = 0; k < 6; k++) {
      cell(out, value[k], 1e3, " mm");
    }
    lb_out_text(out, "</tr>\n");
  }
  close_table(out);
}

static bool is_limited(const lb_retarget* what) {
  bool any = false;
  for (int i = 0; i < what->nmotor; i++) {
    any = any || isfinite(what->limit[i].torque);
  }
  return any;
}

static void torques(lb_out* out, const lb_retarget_result* t) {
  if (!is_limited(t->what)) {
    return;
  }
  open_table(out, "<th>motor</th><th>peak torque before</th><th>after</th><th>limit</th>");
  for (int i = 0; i < t->what->nmotor; i++) {
    const int motor = t->what->motor[i];
    const char* unit = lb_motor_is_linear(t->model, motor) ? " N" : " N m";
    open_row(out, t->model->motor.name[motor]);
    cell(out, lb_recording_peak_torque(t->before, motor), 1, unit);
    cell(out, lb_recording_peak_torque(t->after, motor), 1, unit);
    cell(out, t->what->limit[i].torque, 1, unit);
    lb_out_text(out, "</tr>\n");
  }
  close_table(out);
}

static void spread(lb_out* out, const lb_retarget_result* t) {
  if (t->nperturbed == 0) {
    return;
  }
  lb_out_text(out, "<h2>If the robot differs</h2>\n");
  open_table(out, "<th>off by</th>" REPLAYED);
  for (int i = 0; i < t->nperturbed; i++) {
    replay_row(out, &t->perturbed[i], t->perturbed[i].words, "");
  }
  close_table(out);
  lb_out_text(out, "<p class=\"note\">The retargeted curves, played by a character that is not "
                   "quite the one they were made for. The target stays.</p>\n");
}

void lb_report_retarget(lb_out* out, const lb_retarget_result* t) {
  comparison(out, t);
  limiting(out, t);
  bodies(out, t);
  torques(out, t);
  spread(out, t);
  if (t->nhistory > 0) { // a replay has none
    lb_report_history(out, t->nhistory, &t->history[0].objective,
                      sizeof *t->history / sizeof(double), t->niteration);
  }
}

// --- pictures ---

// Distance of the worst tracked body in a frame.
static double off(const lb_retarget_result* t, const lb_recording* r, int frame) {
  double most = 0;
  for (int i = 0; i < t->what->ntrack; i++) {
    const lb_retarget_track* k = &t->what->track[i];
    const size_t at = (size_t)frame * (size_t)t->model->nbody + (size_t)k->body;
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(lb_transform_point(r->pose[at], k->point),
                                               lb_transform_point(t->target->pose[at], k->point))));
  }
  return most;
}

// The frame in the i-th part of the motion in which it was worst.
static int worst_frame(const lb_retarget_result* t, int i) {
  const int n = t->before->nframe;
  const int first = (int)((long)i * n / PICTURES), last = (int)((long)(i + 1) * n / PICTURES);
  int worst = first;
  for (int f = first; f < last; f++) {
    worst = off(t, t->before, f) > off(t, t->before, worst) ? f : worst;
  }
  return worst;
}

static bool row(lb_out* out, const lb_retarget_result* t, const lb_view* view,
                const lb_recording* r) {
  const lb_layer layer[] = {{r, "motion", NULL}, {t->target, "target", LB_GHOST_TARGET}};
  lb_arena arena;
  lb_recording both;
  lb_arena_init(&arena, out->allocator);
  bool done = lb_overlay_make(&both, 2, layer, &arena);
  lb_out_text(out, "<section class=\"strip\">\n");
  for (int i = 0; i < PICTURES && done && both.nframe >= PICTURES; i++) {
    const int frame = worst_frame(t, i);
    done = lb_report_shot(out, &both, view, frame);
    const double away = off(t, r, frame);
    lb_print(out, "%.2f s: %.3g mm off</figcaption></figure>\n", both.time[frame],
             away < ROUNDING ? 0 : 1e3 * away);
  }
  lb_out_text(out, "</section>\n");
  lb_arena_release(&arena);
  return done;
}

bool lb_report_retarget_strip(lb_out* out, const lb_retarget_result* t, const lb_view* view) {
  lb_out_text(out, "<h2>Before, over the target in green</h2>\n");
  if (!row(out, t, view, t->before)) {
    return false;
  }
  lb_out_text(out, "<h2>After, at the same moments</h2>\n");
  return row(out, t, view, t->after);
}

// --- plots ---

static void names(lb_out* out, const char* before, int count, const char* const* name,
                  const int* index, size_t stride) {
  lb_out_text(out, before);
  for (int i = 0; i < count; i++) {
    lb_print_json(out, "%-s%s", i ? "," : "",
                  name[*(const int*)((const char*)index + (size_t)i * stride)]);
  }
  lb_out_text(out, "]");
}

static void add_tracks(lb_out* floats, const lb_retarget_result* t, int ntrack, int shown) {
  const lb_recording* const r[] = {t->target, t->before, t->after};
  for (int i = 0; i < ntrack; i++) {
    const lb_retarget_track* k = &t->what->track[i];
    for (int axis = 0; axis < 3; axis++) {
      for (int c = 0; c < 3; c++) {
        for (int f = 0; f < shown; f++) {
          const int frame = lb_frame_shown(t->after->nframe, shown, f);
          const size_t at = (size_t)frame * (size_t)t->model->nbody + (size_t)k->body;
          const lb_vec3 p = lb_transform_point(r[c]->pose[at], k->point);
          lb_out_f32(floats, axis == 0 ? p.x : axis == 1 ? p.y : p.z);
        }
      }
    }
  }
}

static void add_motors(lb_out* floats, const lb_retarget_result* t, int nmotor, int shown) {
  for (int i = 0; i < nmotor; i++) {
    for (int c = 0; c < 2; c++) {
      for (int f = 0; f < shown; f++) {
        const double time = t->after->time[lb_frame_shown(t->after->nframe, shown, f)];
        double value[3];
        if (c == 0) {
          lb_profile_evaluate(t->model->motor.profile[t->what->motor[i]], time, value);
        } else {
          lb_curves_evaluate(t->curves, i, time, value);
        }
        lb_out_f32(floats, value[0]);
      }
    }
  }
}

void lb_report_retarget_data(lb_out* out, const lb_retarget_result* t) {
  const int shown = lb_frames_shown(t->after->nframe, MOST_POINTS);
  const int ntrack = t->what->ntrack < MOST_TRACKS ? t->what->ntrack : MOST_TRACKS;
  const int nmotor = t->what->nmotor < MOST_MOTORS ? t->what->nmotor : MOST_MOTORS;
  lb_out floats = lb_out_make(out->allocator, -1);
  for (int i = 0; i < shown; i++) {
    lb_out_f32(&floats, t->after->time[lb_frame_shown(t->after->nframe, shown, i)]);
  }
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-retarget\">\n{\"time\":");
  lb_out_packed(out, &floats);
  names(out, ",\"tracks\":[", ntrack, t->model->body.name, &t->what->track->body,
        sizeof *t->what->track);
  names(out, ",\"motors\":[", nmotor, t->model->motor.name, t->what->motor, sizeof(int));
  lb_out_text(out, ",\"values\":");
  floats = lb_out_make(out->allocator, -1);
  add_tracks(&floats, t, ntrack, shown);
  add_motors(&floats, t, nmotor, shown);
  lb_out_packed(out, &floats);
  lb_out_text(out, "}\n</script>\n");
}
