#include "output/report/report_analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/use/coordinate_name.h"
#include "output/file/writers.h"
#include "output/report/analysis_peaks.h"
#include "output/report/deformed.h"
#include "output/report/report_forces.h"
#include "output/report/report_text.h"

enum { MOST_MOMENTS = 3 };
enum { SAMPLES = 100, WIDE = 340, HIGH = 150, LEFT = 46, RIGHT = 8, TOP = 8, FOOT = 20, ROW = 15 };

// Curves of one plot: a right and a left side, or one.
typedef struct curves {
  int count, shown;
  double value[2][SAMPLES];
} curves;

static int frame_of(const lb_analysis* a, int shown, int i) {
  return lb_frame_shown(a->nframe, shown, i);
}

// --- headlines ---

int lb_report_analysis_figures(lb_out* out, const lb_recording* r, const lb_analysis* a) {
  const lb_model* m = a->model;
  lb_analysis_peak peak[MOST_MOMENTS];
  char name[LB_COORDINATE_NAME], number[LB_REPORT_WORD], text[LB_COORDINATE_NAME + 64];
  const int n = lb_moment_peaks(a, MOST_MOMENTS, peak);
  for (int i = 0; i < n; i++) {
    snprintf(text, sizeof text, "largest moment about %s", lb_coordinate_name(m, peak[i].at, name));
    lb_report_figure(out, lb_report_human(fabs(peak[i].value), number), " N m", text);
  }
  const lb_analysis_peak load = lb_load_peak(r, a), reserve = lb_reserve_peak(a, true);
  const double weight = lb_body_weight(m);
  if (load.at >= 0) {
    snprintf(text, sizeof text, "largest joint load, at %.64s", m->joint.name[load.at]);
    lb_report_figure(out, lb_report_human(weight > 0 ? load.value / weight : load.value, number),
                     weight > 0 ? " body weights" : " N", text);
  }
  if (reserve.at >= 0) {
    const bool angle = m->dof.counts[reserve.at] == LB_COORDINATE_ANGLE;
    snprintf(text, sizeof text, "largest reserve, at %s", lb_coordinate_name(m, reserve.at, name));
    lb_report_figure(out, lb_report_human(fabs(reserve.value), number), angle ? " N m" : " N",
                     text);
  }
  return n;
}

// --- a plot ---

static void find_range(const curves* c, double* low, double* high) {
  *low = *high = 0;
  for (int k = 0; k < c->count; k++) {
    for (int i = 0; i < c->shown; i++) {
      *low = fmin(*low, c->value[k][i]);
      *high = fmax(*high, c->value[k][i]);
    }
  }
  if (!(*high - *low > 1e-9)) {
    *high = *low + 1;
  }
}

static double across(int i, int shown) {
  return LEFT + (double)(WIDE - LEFT - RIGHT) * i / (shown > 1 ? shown - 1 : 1);
}

static double up(double y, double low, double high) {
  return TOP + (HIGH - TOP - FOOT) * (high - y) / (high - low);
}

static double when(const lb_analysis* a, double time) {
  const double all = a->time[a->nframe - 1] - a->time[0];
  return LEFT + (WIDE - LEFT - RIGHT) * (all > 0 ? (time - a->time[0]) / all : 0);
}

// The cycle of a gait as a lighter ground.
static void draw_cycle(lb_out* out, const lb_analysis* a, int high) {
  if (a->cycle[1] > a->cycle[0]) {
    const double x = when(a, a->cycle[0]);
    lb_print(out,
             "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"currentColor\" "
             "fill-opacity=\"0.06\"/>\n",
             x, TOP, when(a, a->cycle[1]) - x, high);
  }
}

static void draw_axes(lb_out* out, const lb_analysis* a, double low, double high) {
  char text[LB_REPORT_WORD];
  const double last = a->time[a->nframe - 1];
  draw_cycle(out, a, HIGH - TOP - FOOT);
  const double mark[] = {low, 0, high};
  for (int i = 0; i < 3; i++) {
    const double y = up(mark[i], low, high);
    const bool near = i != 1 && fabs(y - up(0, low, high)) < 10;
    lb_print(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"axis\"/>\n", LEFT, y,
             WIDE - RIGHT, y);
    if (!near) {
      lb_print(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 5, y + 4,
               lb_report_human(mark[i], text));
    }
  }
  lb_print(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT, HIGH - 4,
           lb_report_seconds_to(a->time[0], last, text));
  lb_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", WIDE - RIGHT, HIGH - 4,
           lb_report_seconds(last, text));
}

static void draw_plot(lb_out* out, const lb_analysis* a, const char* name, const char* unit,
                      const curves* c) {
  static const char* const SIDE[] = {"right", "left"};
  double low, high;
  find_range(c, &low, &high);
  lb_print_html(out, "<figure class=\"small\"><figcaption>%s", name);
  lb_print(out, ", %s</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\">\n", unit, WIDE, HIGH);
  draw_axes(out, a, low, high);
  for (int k = 0; k < c->count; k++) {
    lb_print(out, "<polyline class=\"%s\" points=\"", SIDE[k]);
    for (int i = 0; i < c->shown; i++) {
      lb_print(out, "%.1f,%.1f ", across(i, c->shown), up(c->value[k][i], low, high));
    }
    lb_out_text(out, "\"/>\n");
  }
  lb_out_text(out, "</svg></figure>\n");
}

// --- coordinates ---

static bool is_moved(const lb_analysis* a, int v) {
  const size_t n = (size_t)a->model->muscle.count, nv = (size_t)a->model->nv;
  for (size_t i = 0; i < (size_t)a->nframe * n && !a->coupled[v]; i++) {
    if (fabs(a->arm[i * nv + (size_t)v]) > 1e-4) {
      return true;
    }
  }
  return false;
}

// Coordinate of the other leg, or -1.
static int other_coordinate(const lb_model* m, const char* name) {
  char text[LB_COORDINATE_NAME];
  for (int v = 0; v < m->nv; v++) {
    if (lb_is_other_side(name, lb_coordinate_name(m, v, text))) {
      return v;
    }
  }
  return -1;
}

// Index among coordinates of a velocity that is the rate of one.
static int place_of(const lb_model* m, int v) {
  const int j = lb_joint_of(m, v);
  return j >= 0 && m->joint.nq[j] == m->joint.nv[j] ? m->joint.q[j] + v - m->joint.v[j] : -1;
}

static void take_coordinate(const lb_recording* r, const lb_analysis* a, int v, bool moment,
                            curves* c) {
  const lb_model* m = a->model;
  const double scale = m->dof.counts[v] == LB_COORDINATE_ANGLE && !moment ? 180 / M_PI : 1;
  c->shown = lb_frames_shown(a->nframe, SAMPLES);
  for (int i = 0; i < c->shown; i++) {
    const size_t f = (size_t)frame_of(a, c->shown, i);
    c->value[c->count][i] = scale * (moment ? a->moment[f * (size_t)m->nv + (size_t)v]
                                            : r->q[f * (size_t)m->nq + (size_t)place_of(m, v)]);
  }
  c->count++;
}

// Name without its side.
static const char* stem(const char* name, char out[LB_COORDINATE_NAME]) {
  snprintf(out, LB_COORDINATE_NAME, "%s", name);
  for (char* s = out; *s; s++) {
    *s = *s == '_' ? ' ' : *s;
  }
  if (lb_side_of(name)) {
    out[strlen(out) - 2] = 0;
  }
  return out;
}

static void coordinate_plots(lb_out* out, const lb_recording* r, const lb_analysis* a) {
  const lb_model* m = a->model;
  lb_out_text(out, "<h2>Angles and moments</h2>\n<section class=\"card wide smalls\">\n");
  for (int v = 0; v < m->nv; v++) {
    char name[LB_COORDINATE_NAME], title[LB_COORDINATE_NAME];
    lb_coordinate_name(m, v, name);
    const int other = other_coordinate(m, name);
    if (!is_moved(a, v) || place_of(m, v) < 0 || (other >= 0 && lb_side_of(name) == 'l')) {
      continue;
    }
    const bool angle = m->dof.counts[v] == LB_COORDINATE_ANGLE;
    for (int moment = 0; moment < 2; moment++) {
      curves c = {0};
      take_coordinate(r, a, v, moment, &c);
      if (other >= 0 && place_of(m, other) >= 0) {
        take_coordinate(r, a, other, moment, &c);
      }
      draw_plot(out, a, stem(name, title),
                moment ? (angle ? "moment, N m" : "force, N") : (angle ? "°" : "m"), &c);
    }
  }
  lb_out_text(out, "</section>\n");
}

// --- joint loads ---

static double load_of(const lb_recording* r, int frame, int joint) {
  const size_t width = (size_t)(r->model->njoint + r->model->constraint.npair);
  return lb_vec3_norm(r->reaction[(size_t)frame * width + (size_t)joint].force);
}

static bool joint_is_moved(const lb_analysis* a, int joint) {
  bool any = false;
  for (int k = 0; k < a->model->joint.nv[joint] && !any; k++) {
    any = is_moved(a, a->model->joint.v[joint] + k);
  }
  return any;
}

static int other_joint(const lb_model* m, int joint) {
  for (int j = 0; j < m->njoint; j++) {
    if (lb_is_other_side(m->joint.name[joint], m->joint.name[j])) {
      return j;
    }
  }
  return -1;
}

static void take_load(const lb_recording* r, const lb_analysis* a, int joint, double scale,
                      curves* c) {
  c->shown = lb_frames_shown(a->nframe, SAMPLES);
  for (int i = 0; i < c->shown; i++) {
    c->value[c->count][i] = scale * load_of(r, frame_of(a, c->shown, i), joint);
  }
  c->count++;
}

static void load_plots(lb_out* out, const lb_recording* r, const lb_analysis* a) {
  const lb_model* m = a->model;
  const double weight = lb_body_weight(m);
  if (!a->tension || !(r->keeps & LB_KEEP_REACTIONS)) {
    return;
  }
  lb_out_text(out, "<h2>Joint loads</h2>\n<section class=\"card wide smalls\">\n");
  for (int j = 0; j < m->njoint; j++) {
    const int other = other_joint(m, j);
    if (!joint_is_moved(a, j) || (other >= 0 && lb_side_of(m->joint.name[j]) == 'l')) {
      continue;
    }
    char title[LB_COORDINATE_NAME];
    curves c = {0};
    take_load(r, a, j, weight > 0 ? 1 / weight : 1, &c);
    if (other >= 0) {
      take_load(r, a, other, weight > 0 ? 1 / weight : 1, &c);
    }
    draw_plot(out, a, stem(m->joint.name[j], title),
              weight > 0 ? "size of the force, body weights" : "size of the force, N", &c);
  }
  lb_out_text(out, "</section>\n");
}

// --- activations ---

static void activation_row(lb_out* out, const lb_analysis* a, int muscle, int row) {
  const size_t n = (size_t)a->model->muscle.count;
  const int shown = lb_frames_shown(a->nframe, SAMPLES), foot = (row + 1) * ROW - 2;
  double most = 0;
  lb_print_html(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", 2 * LEFT - 6,
                foot - 2, a->model->muscle.item[muscle].name);
  lb_print(out, "<path d=\"M%d,%d", 2 * LEFT, foot);
  for (int i = 0; i < shown; i++) {
    const double act = a->activation[(size_t)frame_of(a, shown, i) * n + (size_t)muscle];
    most = fmax(most, act);
    lb_print(out, "L%.1f,%.1f",
             2 * LEFT + (double)(WIDE + LEFT - RIGHT - 2 * LEFT) * i / (shown > 1 ? shown - 1 : 1),
             foot - (ROW - 3) * act);
  }
  lb_print(out, "L%d,%dZ\"/><text x=\"%d\" y=\"%d\">%.2f</text>\n", WIDE + LEFT - RIGHT, foot,
           WIDE + LEFT - RIGHT + 5, foot - 2, most);
}

// Muscles of a side, or all that have none.
static void activation_column(lb_out* out, const lb_analysis* a, char side) {
  int rows = 0;
  for (int i = 0; i < a->model->muscle.count; i++) {
    rows += lb_side_of(a->model->muscle.item[i].name) == side;
  }
  if (rows == 0) {
    return;
  }
  lb_print(out, "<svg class=\"activations\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
           WIDE + LEFT + 34, rows * ROW + 2);
  int row = 0;
  for (int i = 0; i < a->model->muscle.count; i++) {
    if (lb_side_of(a->model->muscle.item[i].name) == side) {
      activation_row(out, a, i, row++);
    }
  }
  lb_out_text(out, "</svg>\n");
}

static void activations(lb_out* out, const lb_analysis* a) {
  static const char SIDES[] = {'r', 'l', 0};
  if (!a->tension) {
    return;
  }
  lb_out_text(out, "<h2>Activations</h2>\n<section class=\"card wide sides\">\n");
  for (int i = 0; i < 3; i++) {
    activation_column(out, a, SIDES[i]);
  }
  lb_out_text(out, "</section>\n<p class=\"note\">From 0 to 1 over the time of the motion; the "
                   "number is the largest. The sum of their powers is the least that exerts the "
                   "moments.</p>\n");
}

void lb_report_analysis(lb_out* out, const lb_recording* r, const lb_analysis* a) {
  if (a->nframe < 2 || a->model->muscle.count == 0) {
    return;
  }
  coordinate_plots(out, r, a);
  load_plots(out, r, a);
  lb_print(out,
           "<p class=\"note\"><span class=\"key right\"></span> right or middle, <span class=\"key "
           "left\"></span> left.%s</p>\n",
           a->cycle[1] > a->cycle[0] ? " The grey ground is one cycle of the gait." : "");
  activations(out, a);
}

// Activation of muscle k at a frame: as an analysis found it, or as a run recorded it.
static double activation(const lb_recording* r, const lb_analysis* a, int frame, int k) {
  const size_t n = (size_t)r->model->muscle.count;
  return a ? a->activation[(size_t)frame * n + (size_t)k] : lb_muscle_activation(r, frame, k);
}

void lb_report_muscle_data(lb_out* out, const lb_recording* r, const lb_analysis* a) {
  const int n = r->model->muscle.count, nframe = a ? a->nframe : r->nframe;
  const int shown = lb_frames_shown(nframe, 4 * SAMPLES);
  lb_out time = lb_out_make(out->allocator, -1), values = lb_out_make(out->allocator, -1);
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-muscles\">\n{\"names\":[");
  for (int i = 0; i < n; i++) {
    lb_print_json(out, i ? ",%s" : "%s", r->model->muscle.item[i].name);
  }
  for (int i = 0; i < shown; i++) {
    const int f = lb_frame_shown(nframe, shown, i);
    lb_out_f32(&time, a ? a->time[f] : r->time[f]);
    for (int k = 0; k < n; k++) {
      lb_out_f32(&values, activation(r, a, f, k));
    }
  }
  lb_out_text(out, "],\"time\":");
  lb_out_packed(out, &time);
  lb_out_text(out, ",\"values\":");
  lb_out_packed(out, &values);
  lb_out_text(out, "}\n</script>\n");
}
