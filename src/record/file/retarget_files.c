// The files of retargeting beyond those of any run.
#include <limits.h>
#include <math.h>

#include "limber/shaping.h"
#include "math/curve/rotation_profile.h"
#include "record/file/writers.h"
#include "record/report/overlay.h"

// --- tables ---

void lb_write_target(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  lb_write_csv(out, s->retarget->target);
}

void lb_write_before(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  lb_write_csv(out, s->retarget->before);
}

void lb_write_after(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  lb_write_csv(out, s->retarget->after);
}

// What a motor asks for; of one that prescribes a rotation its part of the rotation vector.
static double asked(const lb_model* m, int motor, double time) {
  double value[3];
  if (m->motor_prescribed[motor] < 0) {
    lb_profile_evaluate(m->motor_profile[motor], time, value);
    return value[0];
  }
  const int* of = m->prescribed[m->motor_prescribed[motor]].motor;
  const lb_vec3 v = lb_quat_log(lb_turning_evaluate(m->motor_turning[of[0]], time).q);
  return motor == of[0] ? v.x : motor == of[1] ? v.y : v.z;
}

// What to send to the motors: values of all of them, of those that were not changed too.
void lb_write_profiles(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_retarget_result* t = s->retarget;
  const lb_model* m = t->model;
  (void)r;
  lb_out_text(out, "time");
  for (int i = 0; i < m->nmotor; i++) {
    lb_write_heading(out, m->motor_name[i], m->motor_drive[i] == LB_DRIVE_FORCE ? "force" : "q");
  }
  lb_out_text(out, "\n");
  const long n = lround(m->duration * t->rate);
  for (long k = 0; k <= n; k++) {
    const double time = (double)k / t->rate;
    lb_out_number(out, time, "");
    for (int i = 0, c = 0; i < m->nmotor; i++) {
      double value[3] = {asked(m, i, time)};
      for (int j = 0; j < t->what->nmotor; j++) {
        c = t->what->motor[j] == i ? j + 1 : c;
      }
      if (c > 0) {
        lb_curves_evaluate(t->curves, c - 1, time, value);
        c = 0;
      }
      lb_out_text(out, ",");
      lb_out_number(out, value[0], "");
    }
    lb_out_text(out, "\n");
  }
}

// Lines for a scene: put them in place of its motors.
void lb_write_splines(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_retarget_result* t = s->retarget;
  const lb_model* m = t->model;
  const lb_curves* c = t->curves;
  const double end = c->start + c->spacing * (c->ncontrol - 3);
  (void)r;
  lb_out_text(out,
              "# Retargeted motors of a scene: control points of cubic B-splines. They take the "
              "place of the\n# motors of the same names.\nmotors:\n");
  for (int i = 0; i < t->what->nmotor; i++) {
    const int motor = t->what->motor[i];
    const char* joint = m->motor_joint[motor] >= 0 ? m->joint_name[m->motor_joint[motor]]
                                                   : m->loop[m->motor_loop[motor]].name;
    lb_out_text(out, "  ");
    lb_out_json(out, m->motor_name[motor]);
    lb_out_text(out, ":\n    joint: ");
    lb_out_json(out, joint);
    lb_out_text(out, "\n    spline:\n      degree: 3\n      from: ");
    lb_out_number(out, c->start, "0");
    lb_out_text(out, "\n      to: ");
    lb_out_number(out, end, "0");
    lb_out_text(out, "\n      points:\n");
    for (int k = 0; k < c->ncontrol; k++) {
      lb_out_text(out, "        - ");
      lb_out_number(out, c->control[i * c->ncontrol + k], "0");
      lb_out_text(out, "\n");
    }
  }
}

// --- the world ---

void lb_write_gltf_retargeting(lb_out* out, const lb_summary* s, int most) {
  static const char* const names[] = {"after", "target", "before"};
  const lb_retarget_result* t = s->retarget;
  const lb_layer layer[] = {{t->after, names[0], NULL},
                            {t->target, names[1], LB_GHOST_TARGET},
                            {t->before, names[2], LB_GHOST_BEFORE}};
  lb_arena arena;
  lb_recording all;
  lb_arena_init(&arena, out->allocator);
  if (lb_overlay_make(&all, 3, layer, &arena)) {
    lb_write_gltf_groups(out, &all, most, 3, names);
  } else if (out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
  lb_arena_release(&arena);
}

// --- summary.json ---

static void number(lb_out* out, const char* name, double value) {
  lb_out_texts(out, "\"", name, "\": ", NULL);
  lb_out_number(out, value, "null");
}

static void deviation(lb_out* out, const lb_deviation* d) {
  const struct {
    const char* name;
    double value;
  } part[] = {{"peak", d->peak},   {"rms", d->rms},     {"angle", d->angle},
              {"pause", d->pause}, {"delay", d->delay}, {"torque", d->torque}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    lb_out_text(out, i ? ", " : "{");
    number(out, part[i].name, part[i].value);
  }
  lb_out_text(out, "}");
}

static void replays(lb_out* out, const char* name, const lb_replay* replay, int count) {
  lb_out_texts(out, ",\n  \"", name, "\": [", NULL);
  for (int i = 0; i < count; i++) {
    lb_out_text(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    lb_out_json(out, replay[i].name);
    lb_out_text(out, ", \"deviation\": ");
    deviation(out, &replay[i].all);
    lb_out_text(out, "}");
  }
  lb_out_text(out, count ? "\n  ]" : "]");
}

void lb_summarise_retargeting(lb_out* out, const lb_retarget_result* t) {
  lb_out_text(out, ",\n  \"tracked\": [");
  for (int i = 0; i < t->what->ntrack; i++) {
    lb_out_text(out, i ? ",\n    {\"body\": " : "\n    {\"body\": ");
    lb_out_json(out, t->model->body_name[t->what->track[i].body]);
    lb_out_text(out, ", \"before\": ");
    deviation(out, &t->was.track[i]);
    lb_out_text(out, ", \"after\": ");
    deviation(out, &t->is.track[i]);
    lb_out_text(out, "}");
  }
  lb_out_text(out, "\n  ],\n  \"torques\": [");
  for (int i = 0; i < t->what->nmotor; i++) {
    const int motor = t->what->motor[i];
    lb_out_text(out, i ? ",\n    {\"motor\": " : "\n    {\"motor\": ");
    lb_out_json(out, t->model->motor_name[motor]);
    lb_out_text(out, ", ");
    number(out, "before", lb_recording_peak_torque(t->before, motor));
    lb_out_text(out, ", ");
    number(out, "after", lb_recording_peak_torque(t->after, motor));
    lb_out_text(out, ", ");
    number(out, "limit", t->what->limit[i].torque);
    lb_out_text(out, "}");
  }
  lb_out_text(out, "\n  ],\n  \"iterations\": ");
  lb_out_long(out, t->niteration);
  lb_out_texts(out, ",\n  \"finished\": ", t->done ? "true" : "false", ",\n  \"history\": [", NULL);
  for (int i = 0; i < t->nhistory; i++) {
    const lb_retarget_value* v = &t->history[i];
    lb_out_text(out, i ? ",\n    {" : "\n    {");
    number(out, "objective", v->objective);
    lb_out_text(out, ", ");
    number(out, "deviation", v->deviation);
    lb_out_text(out, ", ");
    number(out, "peak", v->peak);
    lb_out_text(out, "}");
  }
  lb_out_text(out, t->nhistory ? "\n  ]" : "]");
  replays(out, "baselines", t->baseline, t->nbaseline);
  replays(out, "perturbed", t->perturbed, t->nperturbed);
}
