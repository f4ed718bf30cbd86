// Figures of forces and motors over a motion.
#include <math.h>

#include "limber/recording.h"

const char* lb_channel_unit(lb_channel_kind kind) {
  static const char* const unit[] = {
#define UNIT_OF(code, group, unit) unit,
      LB_CHANNEL_LIST(UNIT_OF)
#undef UNIT_OF
  };
  return unit[kind];
}

// The mean square is that of straight lines from frame to frame: (a^2 + a b + b^2)/3 each.
lb_channel_figures lb_recording_figures(const lb_recording* r, int channel) {
  lb_channel_figures of = {0};
  double sum = 0, before = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double x = r->force[(size_t)f * (size_t)r->nchannel + (size_t)channel];
    if (fabs(x) > fabs(of.peak) || f == 0) {
      of.peak = x;
      of.time = r->time[f];
    }
    sum += f > 0 ? (before * before + before * x + x * x) / 3 * (r->time[f] - r->time[f - 1]) : 0;
    before = x;
  }
  const double duration = r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
  of.rms = duration > 0 ? sqrt(sum / duration) : fabs(of.peak);
  return of;
}

lb_reaction_peak lb_recording_reaction(const lb_recording* r, int which) {
  const size_t count = (size_t)r->model->njoint + (size_t)r->model->constraint.npair;
  lb_reaction_peak of = {0};
  for (int f = 0; f < r->nframe; f++) {
    const lb_reaction* x = &r->reaction[(size_t)f * count + (size_t)which];
    const double force = lb_vec3_norm(x->force);
    of.time = force > of.force ? r->time[f] : of.time;
    of.force = fmax(of.force, force);
    of.moment = fmax(of.moment, lb_vec3_norm(x->moment));
  }
  return of;
}

enum { OF_MOTOR = 3 }; // force, speed and power follow each other, of one motor after the other

// Largest value of a channel times a sign, or 0 where none is positive.
static double largest(const lb_recording* r, int channel, double sign) {
  double most = 0;
  for (int f = 0; f < r->nframe; f++) {
    most = fmax(most, sign * r->force[(size_t)f * (size_t)r->nchannel + (size_t)channel]);
  }
  return most;
}

lb_motor_figures lb_recording_motor(const lb_recording* r, int motor) {
  const int c = OF_MOTOR * motor;
  return (lb_motor_figures){.force_channel = &r->channel[c],
                            .speed_channel = &r->channel[c + 1],
                            .force = lb_recording_figures(r, c),
                            .speed = lb_recording_figures(r, c + 1),
                            .driving = largest(r, c + 2, 1),
                            .braking = largest(r, c + 2, -1),
                            .rms_power = lb_recording_figures(r, c + 2).rms};
}

int lb_recording_first_force(const lb_recording* r) {
  return OF_MOTOR * r->model->nmotor;
}
