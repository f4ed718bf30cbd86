// How far a motion is from its target.
#include <math.h>

#include "limber/shaping.h"
#include "math/curve/time_profile.h"

// A pause is looked at from SETTLED after the input stops to AHEAD before it moves again.
static const double SETTLED = 0.2, AHEAD = 0.3; // [s]
static const double STILL = 1e-6;               // [rad/s]: a speed that is none
static const double LONGEST_DELAY = 1;          // [s] that is looked for

static lb_vec3 tracked_point(const lb_retarget_track* t, const lb_recording* r, int frame) {
  const size_t at = (size_t)frame * (size_t)r->model->nbody + (size_t)t->body;
  return lb_transform_point(r->pose[at], t->point);
}

static double angle_between(lb_quat a, lb_quat b) {
  const lb_quat d = lb_quat_mul(lb_quat_conjugate(a), b);
  return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

// --- pauses ---

static bool input_moves(const lb_model* m, const lb_retarget* w, double t) {
  for (int i = 0; i < w->nmotor; i++) {
    double value[3];
    lb_profile_evaluate(m->motor.profile[w->motor[i]], t, value);
    if (fabs(value[1]) > STILL) {
      return true;
    }
  }
  return false;
}

// Is this frame in a pause that came after a move? `since` is when the input last moved, `next`
// when it moves again.
typedef struct pause_finder {
  const lb_model* m;
  const lb_retarget* w;
  const lb_recording* r;
  double since, next;
} pause_finder;

static bool in_pause(pause_finder* p, int frame) {
  const double t = p->r->time[frame];
  if (input_moves(p->m, p->w, t)) {
    p->since = t;
    return false;
  }
  if (!(p->next > t)) {
    int f = frame;
    while (f < p->r->nframe && !input_moves(p->m, p->w, p->r->time[f])) {
      f++;
    }
    p->next = f < p->r->nframe ? p->r->time[f] : INFINITY;
  }
  return t >= p->since + SETTLED && t <= p->next - AHEAD;
}

// --- delay ---

// Of the motion's speeds, so that where it stands still does not count: the sum over the frames of
// target . run moved forward by `shift` frames.
static double correlation(const lb_retarget_track* t, const lb_recording* a, const lb_recording* b,
                          int shift) {
  double sum = 0;
  for (int f = 1; f < a->nframe; f++) {
    const int g = f + shift;
    if (g >= 1 && g < b->nframe) {
      const lb_vec3 u = lb_vec3_sub(tracked_point(t, a, f), tracked_point(t, a, f - 1));
      const lb_vec3 v = lb_vec3_sub(tracked_point(t, b, g), tracked_point(t, b, g - 1));
      sum += lb_vec3_dot(u, v);
    }
  }
  return sum;
}

static double find_delay(const lb_retarget_track* t, const lb_recording* target,
                         const lb_recording* run) {
  if (target->nframe < 3 || !(correlation(t, target, target, 0) > 0)) {
    return NAN;
  }
  const double every = (target->time[target->nframe - 1] - target->time[0]) / (target->nframe - 1);
  const int most = (int)fmin(LONGEST_DELAY / every, 0.5 * target->nframe);
  int best = 0;
  double value = -INFINITY;
  for (int s = -most; s <= most; s++) {
    const double c = correlation(t, target, run, s);
    if (c > value) {
      value = c;
      best = s;
    }
  }
  // the top of the parabola through the three around it
  const double low = correlation(t, target, run, best - 1);
  const double high = correlation(t, target, run, best + 1);
  const double bend = low - 2 * value + high;
  return every * (best + (bend < 0 ? 0.5 * (low - high) / bend : 0));
}

// --- all of it ---

double lb_recording_peak_torque(const lb_recording* r, int motor) {
  double most = 0;
  for (int f = 0; f < r->nframe; f++) {
    most = fmax(most, fabs(r->motor[(size_t)f * (size_t)r->model->nmotor + (size_t)motor]));
  }
  return most;
}

static lb_deviation deviation_of(const lb_model* m, const lb_retarget* w,
                                 const lb_retarget_track* t, const lb_recording* target,
                                 const lb_recording* run) {
  lb_deviation d = {.pause = NAN, .delay = find_delay(t, target, run)};
  const int n = run->nframe < target->nframe ? run->nframe : target->nframe;
  pause_finder p = {m, w, target, INFINITY, -INFINITY};
  for (int f = 0; f < n; f++) {
    const size_t at = (size_t)f * (size_t)m->nbody + (size_t)t->body;
    const lb_vec3 off = lb_vec3_sub(tracked_point(t, run, f), tracked_point(t, target, f));
    const double distance = lb_vec3_norm(off);
    d.peak = fmax(d.peak, distance);
    d.rms += distance * distance / n;
    d.angle = fmax(d.angle, angle_between(target->pose[at].q, run->pose[at].q));
    if (in_pause(&p, f)) {
      d.pause = fmax(d.pause, distance); // fmax takes the number where the other is none
    }
  }
  d.rms = sqrt(d.rms);
  for (int i = 0; i < w->nmotor; i++) {
    d.torque = fmax(d.torque, lb_recording_peak_torque(run, w->motor[i]));
  }
  return d;
}

void lb_deviation_find(const lb_model* m, const lb_retarget* w, const lb_recording* target,
                       const lb_recording* run, lb_deviation* track, lb_deviation* all) {
  *all = (lb_deviation){.pause = NAN, .delay = NAN};
  for (int i = 0; i < w->ntrack; i++) {
    const lb_deviation d = deviation_of(m, w, &w->track[i], target, run);
    track[i] = d;
    all->peak = fmax(all->peak, d.peak);
    all->rms = fmax(all->rms, d.rms);
    all->angle = fmax(all->angle, d.angle);
    all->pause = fmax(all->pause, d.pause);
    all->delay = isnan(all->delay) || fabs(d.delay) > fabs(all->delay) ? d.delay : all->delay;
    all->torque = d.torque;
  }
}
