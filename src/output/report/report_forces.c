#include "output/report/report_forces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/file/writers.h"
#include "output/report/report_text.h"

enum {
  MOST_HEADLINES = 3,
  MOST_ROWS = 40 // of a table; files have the rest
};

static double size(const lb_recording* r, int channel) {
  return fabs(lb_recording_figures(r, channel).peak);
}

// The channel of a kind with the largest value, or -1.
static int largest(const lb_recording* r, lb_channel_kind kind) {
  int best = -1;
  for (int i = 0; i < r->nchannel; i++) {
    if (r->channel[i].kind == kind && (best < 0 || size(r, i) > size(r, best))) {
      best = i;
    }
  }
  return best;
}

// A value and its unit as people write them: pascals come by the million.
static const char* with_unit(double value, const char* unit, char out[LB_REPORT_WORD]) {
  const bool mega = strcmp(unit, "Pa") == 0 && fabs(value) >= 1e4;
  char number[LB_REPORT_WORD];
  snprintf(out, LB_REPORT_WORD, "%.48s %s", lb_report_human(mega ? 1e-6 * value : value, number),
           mega ? "MPa" : unit);
  return out;
}

// --- headlines ---

int lb_report_force_figures(lb_out* out, const lb_recording* r) {
  static const struct {
    lb_channel_kind kind;
    const char* words;
  } HEADLINE[] = {{LB_CHANNEL_MOTOR_TORQUE, "largest motor torque"},
                  {LB_CHANNEL_MOTOR_FORCE, "largest motor force"},
                  {LB_CHANNEL_POWER, "largest motor power"},
                  {LB_CHANNEL_STRESS, "largest stress (von Mises)"},
                  {LB_CHANNEL_CONTACT, "largest contact force along an axis"},
                  {LB_CHANNEL_TENSION, "largest tension"}};
  int shown = 0;
  for (size_t i = 0; i < sizeof HEADLINE / sizeof *HEADLINE && shown < MOST_HEADLINES; i++) {
    const int c = largest(r, HEADLINE[i].kind);
    char number[LB_REPORT_WORD], text[200];
    if (c >= 0 && size(r, c) > 0) { // what is idle is no headline
      snprintf(text, sizeof text, "%s, of %.100s", HEADLINE[i].words, r->channel[c].name);
      lb_report_figure(out, with_unit(size(r, c), lb_channel_unit(HEADLINE[i].kind), number), "",
                       text);
      shown++;
    }
  }
  return shown;
}

// --- tables ---

static void cell(lb_out* out, double value, const char* unit) {
  char number[LB_REPORT_WORD];
  lb_print(out, "<td>%s</td>", with_unit(value, unit, number));
}

// A speed, and beside it what catalogues of motors have.
static void speed_cell(lb_out* out, double value, lb_channel_kind kind) {
  char number[LB_REPORT_WORD], turns[LB_REPORT_WORD];
  if (kind == LB_CHANNEL_MOTOR_SPIN) {
    lb_print(out, "<td>%s °/s, %s rpm</td>", lb_report_human(value * 180 / M_PI, number),
             lb_report_human(value * 30 / M_PI, turns));
  } else {
    cell(out, value, lb_channel_unit(kind));
  }
}

static void motor_row(lb_out* out, const lb_recording* r, int motor) {
  const lb_motor_figures m = lb_recording_motor(r, motor);
  lb_print_html(out, "<tr><th scope=\"row\">%s</th>", m.force_channel->name);
  cell(out, fabs(m.force.peak), lb_channel_unit(m.force_channel->kind));
  cell(out, m.force.rms, lb_channel_unit(m.force_channel->kind));
  speed_cell(out, fabs(m.speed.peak), m.speed_channel->kind);
  cell(out, m.driving, "W");
  cell(out, m.braking, "W");
  cell(out, m.rms_power, "W");
  lb_out_text(out, "</tr>\n");
}

static void motors(lb_out* out, const lb_recording* r) {
  const int n = r->model->nmotor < MOST_ROWS ? r->model->nmotor : MOST_ROWS;
  if (n == 0) {
    return;
  }
  lb_out_text(out, "<h2>Motors</h2>\n<section class=\"card wide\">\n<table class=\"found\">\n"
                   "<tr><th></th><th>peak</th><th title=\"over the whole run, pauses included\">rms"
                   "</th><th>peak speed</th><th>peak driving power</th><th>peak braking power</th>"
                   "<th title=\"over the whole run, pauses included\">rms power</th></tr>\n");
  for (int i = 0; i < n; i++) {
    motor_row(out, r, i);
  }
  lb_out_text(out,
              "</table>\n</section>\n<p class=\"note\">Peaks are those of the recorded frames. "
              "Root mean squares are over the whole run, pauses included. "
              "A motor brakes while its power is negative.</p>\n");
}

// Sizes of what passes through joints, where that was recorded.
static void reactions(lb_out* out, const lb_recording* r) {
  const int n = r->keeps & LB_KEEP_REACTIONS ? lb_reactions_shown(r->model) : 0;
  if (n == 0) {
    return;
  }
  lb_out_text(out, "<h2>Joints</h2>\n<details class=\"card wide\">\n<summary>Peaks of what passes "
                   "through the joints</summary>\n<table class=\"found\">\n<tr><th></th>"
                   "<th>peak force</th><th>at</th><th>peak moment</th></tr>\n");
  for (int i = 0; i < n && i < MOST_ROWS; i++) {
    const lb_reaction_peak of = lb_recording_reaction(r, i);
    char time[LB_REPORT_WORD];
    lb_print_html(out, "<tr><th scope=\"row\">%s</th>", lb_reaction_of(r->model, i).name);
    cell(out, of.force, "N");
    lb_print(out, "<td>%s</td>", lb_report_seconds(of.time, time));
    cell(out, of.moment, "N m");
    lb_out_text(out, "</tr>\n");
  }
  lb_out_text(out, "</table>\n</details>\n");
}

// Peaks of elastic bodies, with the element that has them.
static void stress(lb_out* out, const lb_recording* r) {
  if (!lb_recording_has_stress(r)) {
    return;
  }
  lb_out_text(out, "<h2>Stress</h2>\n<details class=\"card wide\">\n<summary>Peaks of von Mises "
                   "stress</summary>\n<table class=\"found\">\n<tr><th></th><th>peak</th>"
                   "<th>at</th><th>element</th><th>place in the body's frame</th></tr>\n");
  for (int i = 0; i < r->model->elastic.count && i < MOST_ROWS; i++) {
    const lb_stress_peak p = lb_recording_stress(r, i);
    char time[LB_REPORT_WORD], x[3][LB_REPORT_WORD];
    if (p.element < 0) {
      continue;
    }
    lb_print_html(out, "<tr><th scope=\"row\">%s</th>",
                  r->model->body.name[r->model->elastic.body[i].body]);
    cell(out, p.value, "Pa");
    lb_print(out, "<td>%s</td><td>%d</td><td>(%s, %s, %s) m</td></tr>\n",
             lb_report_seconds(p.time, time), p.element, lb_report_human(p.at.x, x[0]),
             lb_report_human(p.at.y, x[1]), lb_report_human(p.at.z, x[2]));
  }
  lb_out_text(out, "</table>\n</details>\n");
}

static void forces(lb_out* out, const lb_recording* r) {
  const int first = lb_recording_first_force(r);
  const int end = r->nchannel - first < MOST_ROWS ? r->nchannel : first + MOST_ROWS;
  if (first == end) {
    return;
  }
  lb_out_text(
      out, "<h2>Forces</h2>\n<details class=\"card wide\">\n<summary>Peaks of all "
           "forces</summary>\n<table "
           "class=\"found\">\n<tr><th></th><th></th><th>peak</th><th>at</th><th>rms</th></tr>\n");
  for (int i = first; i < end; i++) {
    const lb_channel_figures of = lb_recording_figures(r, i);
    const char* unit = lb_channel_unit(r->channel[i].kind);
    char time[LB_REPORT_WORD];
    lb_print_html(out, "<tr><th scope=\"row\">%s</th><td>%s</td>", r->channel[i].name,
                  r->channel[i].what);
    cell(out, of.peak, unit);
    lb_print(out, "<td>%s</td>", lb_report_seconds(of.time, time));
    cell(out, of.rms, unit);
    lb_out_text(out, "</tr>\n");
  }
  lb_out_text(out, "</table>\n</details>\n");
  if (end < r->nchannel) {
    lb_print(out,
             "<p class=\"note\">The table has the first %d of %d; <code>forces.csv</code> and "
             "<code>summary.json</code> have all.</p>\n",
             end - first, r->nchannel - first);
  }
}

void lb_report_forces(lb_out* out, const lb_recording* r) {
  motors(out, r);
  reactions(out, r);
  stress(out, r);
  forces(out, r);
}
