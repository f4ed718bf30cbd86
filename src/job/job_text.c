#include "job/job_text.h"

#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "model/use/compliance.h"
#include "model/use/motor_use.h"

// --- numbers ---

#define WORDS(words, ...) snprintf((words).text, sizeof(words).text, __VA_ARGS__)

// Parts of a second get a smaller unit, from a minute on two units are enough.
lb_words lb_text_duration(double seconds) {
  lb_words out;
  const double minutes = round(seconds / 60);
  if (seconds == 0) {
    WORDS(out, "0 s");
  } else if (seconds < 1e-3) {
    WORDS(out, "%.3g us", 1e6 * seconds);
  } else if (seconds < 0.9995) {
    WORDS(out, "%.3g ms", 1e3 * seconds);
  } else if (seconds < 59.95) {
    WORDS(out, "%.3g s", seconds);
  } else if (seconds < 3599.5) {
    WORDS(out, "%ld min %ld s", lround(seconds) / 60, lround(seconds) % 60);
  } else {
    WORDS(out, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
  }
  return out;
}

lb_words lb_text_amount(double amount) {
  lb_words out;
  if (amount >= 999500) {
    WORDS(out, "%.3g million", 1e-6 * amount);
  } else {
    WORDS(out, amount >= 100 ? "%.0f" : "%.3g", amount);
  }
  return out;
}

lb_words lb_text_count(int count, const char* what) {
  lb_words out;
  WORDS(out, "%d %.30s%s", count, what, count == 1 ? "" : "s");
  return out;
}

// --- tables ---

// Motors that turn have torques; of those that slide, and of both, a column can say no more.
static const char* effort_unit(const lb_model* m) {
  int turning = 0;
  for (int i = 0; m && i < m->nmotor; i++) {
    turning += !lb_motor_is_linear(m, i);
  }
  return !m || m->nmotor == 0 || turning == m->nmotor ? "N m" : turning == 0 ? "N" : "";
}

// Millimetres, of which less than a nanometre is rounding.
static double millimetres(double x) {
  return fabs(x) < 1e-9 ? 0 : 1e3 * x;
}

void lb_job_add_deviations(lb_job* j, const lb_replay* r) {
  char basis[32] = "", pause[32] = "", delay[32] = "";
  if (!r) {
    lb_job_row(j, "%-16s %11s %11s %11s %12s %8s %12s", "", "peak", "basis", "rms", "in pauses",
               "delay", "motors");
    return;
  }
  if (r->basis > 0) { // a byte more than it is wide
    snprintf(basis, sizeof basis, "± %.2g mm", millimetres(r->basis));
  }
  if (isfinite(r->all.pause)) {
    snprintf(pause, sizeof pause, "%.3g mm", millimetres(r->all.pause));
  }
  if (isfinite(r->all.delay)) {
    snprintf(delay, sizeof delay, "%.0f ms", round(1e3 * r->all.delay) + 0.0);
  }
  lb_job_row(j, "%-16s %8.3g mm %*s %8.3g mm %12s %8s %8.3g %s", r->name, millimetres(r->all.peak),
             11 + (r->basis > 0), basis, millimetres(r->all.rms), pause, delay, r->all.torque,
             effort_unit(j->model));
}

static lb_words with_unit(double value, const char* unit) {
  lb_words out;
  WORDS(out, "%.4g %s", value + 0.0, unit); // without the sign of -0
  return out;
}

static lb_words speed_text(double speed, lb_channel_kind kind) {
  return kind == LB_CHANNEL_MOTOR_SPIN ? with_unit(speed * 180 / M_PI, "deg/s")
                                       : with_unit(speed, lb_channel_unit(kind));
}

static void add_motor(lb_job* j, const lb_motor_figures* m) {
  const char* unit = lb_channel_unit(m->force_channel->kind);
  lb_job_row(j, "%-20.20s %13s %13s %13s %12s %12s", m->force_channel->name,
             with_unit(fabs(m->force.peak), unit).text, with_unit(m->force.rms, unit).text,
             speed_text(fabs(m->speed.peak), m->speed_channel->kind).text,
             with_unit(m->driving, "W").text, with_unit(m->braking, "W").text);
}

// Motors that exert anything; whether there are any.
static bool add_motors(lb_job* j) {
  enum { MOST = 12 };
  const lb_recording* r = j->recording;
  int shown = 0, idle = 0;
  for (int i = 0; i < r->model->nmotor; i++) {
    const lb_motor_figures m = lb_recording_motor(r, i);
    if (m.force.peak == 0) {
      idle++;
      continue;
    }
    if (shown == 0) {
      lb_job_row(j, "%-20s %13s %13s %13s %12s %12s", "motor", "peak", "rms", "peak speed",
                 "driving", "braking");
    }
    if (shown++ < MOST) {
      add_motor(j, &m);
    }
  }
  if (shown > MOST) {
    lb_job_row(j, "and %d more in summary.json", shown - MOST);
  }
  if (idle > 0) {
    lb_job_row(j, "%s%s", lb_text_count(idle, shown ? "other motor" : "motor").text,
               idle == 1 ? " exerts nothing" : " exert nothing");
  }
  return shown > 0;
}

static const double MEGA = 1e-6;

// The largest stress in each elastic body, and its element.
static void add_stress(lb_job* j) {
  const lb_recording* r = j->recording;
  for (int i = 0; i < r->model->elastic.count; i++) {
    const lb_stress_peak p = lb_recording_stress(r, i);
    if (p.element >= 0) {
      lb_job_figure(j, "stress",
                    "%s: up to %.3g MPa (von Mises), at %.3g s in element %d, (%.3g, %.3g, %.3g) m",
                    r->model->body.name[r->model->elastic.body[i].body], MEGA * p.value, p.time,
                    p.element, p.at.x, p.at.y, p.at.z);
    }
  }
}

void lb_job_add_forces(lb_job* j) {
  const lb_recording* r = j->recording;
  add_stress(j);
  const bool motors = add_motors(j);
  if ((motors || lb_recording_has_stress(r)) && r->nframe > 1) {
    lb_job_row(j, "of frames every %s; rms is over the whole run",
               lb_text_duration(r->time[1] - r->time[0]).text);
  }
}

// --- warnings ---

void lb_job_warn_of_state(lb_job* j, bool* told, const lb_error* err) {
  for (int i = 0; i < err->count && !*told; i++) {
    char text[1000];
    lb_error_format(err, i, text, sizeof text);
    lb_job_warn(j, "%s", text);
  }
  if (!*told) {
    lb_job_warn(j, "the search goes on, but could not be resumed if it were stopped");
  }
  *told = true;
}

static void warn_of_moved_start(lb_job* j, const lb_moved_start* moved) {
  static const struct {
    double unit;
    const char* name;
  } of[] = {[LB_COORDINATE_ANGLE] = {180 / M_PI, " deg"},
            [LB_COORDINATE_LENGTH] = {1, " m"},
            [LB_COORDINATE_NUMBER] = {1, ""}};
  lb_job_warn_at(
      j, moved->place,
      "\'%s\' cannot start %s: for loops and constraints to hold, it is %s by "
      "%.3g%s%s (name fewer starts, or ones that fit; of those that do not, the first in "
      "the file stay)",
      moved->name, moved->rate ? "as fast as this" : "here", moved->rate ? "changed" : "moved",
      moved->by * of[moved->counts].unit, of[moved->counts].name, moved->rate ? " a second" : "");
}

static void warn_of_steep_friction(lb_job* j, const lb_steep_friction* steep, double step) {
  const lb_model* m = j->model;
  lb_job_warn_at(j, m->joint.place[steep->joint],
                 "friction in joint '%s' is too steep for %s with steps of %s: where the "
                 "joint should come to rest it will chatter and creep (take bdf2, sdirk2 or "
                 "adaptive, steps of at most %s, or a 'friction_speed' %.2g times as high)",
                 m->joint.name[steep->joint], lb_integrator_name(m->solver.integrator),
                 lb_text_duration(step).text, lb_text_duration(0.99 * steep->step).text,
                 1.05 * step / steep->step);
}

void lb_job_warn_of_start(lb_job* j, const lb_moved_start* moved, const lb_steep_friction* steep,
                          double step) {
  if (moved->name) {
    warn_of_moved_start(j, moved);
  }
  if (steep->step > 0) {
    warn_of_steep_friction(j, steep, step);
  }
}

static void warn_of_spline_exit(lb_job* j, int joint) {
  const lb_spline_exit e = lb_recording_spline_exit(j->recording, joint);
  if (e.left) {
    lb_job_warn(j,
                "joint '%s' runs off its spline at t = %.4g s, up to coordinate %.4g where it is "
                "made for 0 to %g: what it does beyond the ends means little (give it 'limits')",
                j->model->joint.name[joint], e.time, e.farthest, e.end);
  }
}

void lb_job_warn_of_motion(lb_job* j) {
  const lb_summary* s = &j->summary;
  const lb_inversion* i = &s->inversion;
  for (int k = 0; k < j->model->njoint; k++) {
    warn_of_spline_exit(j, k);
  }
  if (i->frames) {
    lb_job_warn(j,
                "elastic body '%s' is turned inside out at t = %.4g s, near (%.4g, %.4g, %.4g) of "
                "its undeformed frame, and in %d of %d frames: what it does there is not to be "
                "trusted",
                j->model->body.name[i->body], i->time, i->at.x, i->at.y, i->at.z, i->frames,
                j->recording->nframe);
  }
  if (s->range_body && !isnan(s->range_left)) {
    lb_job_warn(j,
                "body '%s' leaves the range that its basis was made for at t = %.4g s, up to %.3g "
                "times; what it does then may be wrong (see 'limber reduce')",
                s->range_body, s->range_left, s->range_used);
  }
}

// --- compliance ---

static lb_compliance compliance_of(const lb_model* m, int i) {
  return m->constraint.item[i / LB_COMPLIANCES].compliance[i % LB_COMPLIANCES];
}

static bool is_alike(const lb_model* m, int i, int k) {
  const lb_compliance a = compliance_of(m, i), b = compliance_of(m, k);
  return i % LB_COMPLIANCES == k % LB_COMPLIANCES && a.stiffness == b.stiffness &&
         a.damping == b.damping;
}

// A line for each stiffness and damping there is, with how many constraints have it.
void lb_job_add_compliance(lb_job* j) {
  static const char* const part[LB_COMPLIANCES] = {"", " about axes"};
  const lb_model* m = j->model;
  const int count = m->constraint.count * LB_COMPLIANCES;
  const double h = m->solver.step;
  for (int i = 0; i < count; i++) {
    const lb_compliance by = compliance_of(m, i);
    bool told = !(by.stiffness > 0);
    int alike = 0;
    for (int k = 0; k < count && !told; k++) {
      alike += is_alike(m, i, k);
      told = k < i && is_alike(m, i, k);
    }
    if (!told) {
      lb_job_figure(j, "yields", "%d %s%s: kp %.4g, kd %.4g; ERP %.3g, CFM %.3g at %s", alike,
                    alike == 1 ? "constraint" : "constraints", part[i % LB_COMPLIANCES],
                    by.stiffness, by.damping, lb_compliance_erp(by, h), lb_compliance_cfm(by, h),
                    lb_text_duration(h).text);
    }
  }
}
