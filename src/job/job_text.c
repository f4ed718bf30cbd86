#include "job/job_text.h"

#include <math.h>
#include <stdio.h>

// --- numbers ---

// Parts of a second get a smaller unit, from a minute on two units are enough.
const char* lb_text_duration(double seconds, char* out, size_t size) {
  if (seconds == 0) {
    snprintf(out, size, "0 s");
  } else if (seconds < 1e-3) {
    snprintf(out, size, "%.3g us", 1e6 * seconds);
  } else if (seconds < 0.9995) {
    snprintf(out, size, "%.3g ms", 1e3 * seconds);
  } else if (seconds < 59.95) {
    snprintf(out, size, "%.3g s", seconds);
  } else if (seconds < 3599.5) {
    const long whole = lround(seconds);
    snprintf(out, size, "%ld min %ld s", whole / 60, whole % 60);
  } else {
    const double minutes = round(seconds / 60);
    snprintf(out, size, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
  }
  return out;
}

const char* lb_text_amount(double amount, char* out, size_t size) {
  if (amount >= 999500) {
    snprintf(out, size, "%.3g million", 1e-6 * amount);
  } else {
    snprintf(out, size, amount >= 100 ? "%.0f" : "%.3g", amount);
  }
  return out;
}

// --- warnings ---

int lb_text_moved_start(const lb_model* m, const lb_moved_start* moved, char* out, size_t size) {
  static const struct {
    double unit;
    const char* name;
  } of[] = {[LB_COORDINATE_ANGLE] = {180 / M_PI, " deg"},
            [LB_COORDINATE_LENGTH] = {1, " m"},
            [LB_COORDINATE_NUMBER] = {1, ""}};
  if (!moved->name) {
    return 0;
  }
  const lb_place at = moved->place;
  return snprintf(
      out, size,
      "%s:%d:%d: '%s' cannot start %s: for loops and constraints to hold, it is %s by "
      "%.3g%s%s (name fewer starts, or ones that fit; of those that do not, the first in "
      "the file stay)",
      at.file ? at.file : m->file, at.line, at.column, moved->name,
      moved->rate ? "as fast as this" : "here", moved->rate ? "changed" : "moved",
      moved->by * of[moved->counts].unit, of[moved->counts].name, moved->rate ? " a second" : "");
}

int lb_text_steep_friction(const lb_model* m, const lb_steep_friction* steep, double step,
                           char* out, size_t size) {
  if (!(steep->step > 0)) {
    return 0;
  }
  const lb_place at = m->joint_place[steep->joint];
  char taken[48], enough[48];
  return snprintf(
      out, size,
      "%s:%d:%d: friction in joint '%s' is too steep for %s with steps of %s: where the "
      "joint should come to rest it will chatter and creep (take bdf2, sdirk2 or "
      "adaptive, steps of at most %s, or a 'friction_speed' %.2g times as high)",
      at.file ? at.file : m->file, at.line, at.column, m->joint_name[steep->joint],
      lb_integrator_name(m->solver.integrator), lb_text_duration(step, taken, sizeof taken),
      lb_text_duration(0.99 * steep->step, enough, sizeof enough), 1.05 * step / steep->step);
}

int lb_text_spline_exit(const lb_recording* r, int joint, char* out, size_t size) {
  const lb_spline_exit e = lb_recording_spline_exit(r, joint);
  return e.left ? snprintf(out, size,
                           "joint '%s' runs off its spline at t = %.4g s, up to coordinate %.4g "
                           "where it is made for 0 to %g: what it does beyond the ends means "
                           "little (give it 'limits')",
                           r->model->joint_name[joint], e.time, e.farthest, e.end)
                : 0;
}

int lb_text_inversion(const lb_recording* r, const lb_inversion* i, char* out, size_t size) {
  return i->frames ? snprintf(out, size,
                              "elastic body '%s' is turned inside out at t = %.4g s, near (%.4g, "
                              "%.4g, %.4g) of its frame at rest, and in %d of %d frames: what it "
                              "does there is not to be trusted",
                              r->model->body_name[i->body], i->time, i->at.x, i->at.y, i->at.z,
                              i->frames, r->nframe)
                   : 0;
}

int lb_text_range(const lb_summary* s, char* out, size_t size) {
  return s->range_body && !isnan(s->range_left)
             ? snprintf(out, size,
                        "body '%s' leaves the range that its basis was made for at t = %.4g s, up "
                        "to %.3g times; what it does then may be wrong (see 'limber reduce')",
                        s->range_body, s->range_left, s->range_used)
             : 0;
}
