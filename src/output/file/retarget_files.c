// The files of retargeting beyond those of any run.
#include <limits.h>
#include <math.h>

#include "limber/shaping.h"
#include "math/curve/rotation_profile.h"
#include "output/file/writers.h"
#include "output/report/overlay.h"

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

// Value of a motor; of one that prescribes a rotation its part of the rotation vector.
static double asked(const lb_model* m, int motor, double time) {
  double value[3];
  if (m->motor.prescribed[motor] < 0) {
    lb_profile_evaluate(m->motor.profile[motor], time, value);
    return value[0];
  }
  const int* of = m->constraint.prescribed[m->motor.prescribed[motor]].motor;
  const lb_vec3 v = lb_quat_log(lb_turning_evaluate(m->motor.turning[of[0]], time).q);
  return motor == of[0] ? v.x : motor == of[1] ? v.y : v.z;
}

// Motors at a moment.
typedef struct profiles {
  const lb_retarget_result* t;
  double time;
} profiles;

static int curve_of(const lb_retarget* what, int motor) {
  for (int j = 0; j < what->nmotor; j++) {
    if (what->motor[j] == motor) {
      return j;
    }
  }
  return -1;
}

// Values of all motors, of those that were not changed too.
static void motors(lb_out* out, const void* of, int line) {
  const profiles* p = of;
  const lb_model* m = p->t->model;
  for (int i = 0; i < m->nmotor; i++) {
    const int c = curve_of(p->t->what, i);
    double value[3] = {0};
    if (c >= 0) {
      lb_curves_evaluate(p->t->curves, c, p->time, value);
    } else {
      value[0] = asked(m, i, p->time);
    }
    lb_write_column(out, line, m->motor.name[i],
                    m->motor.drive[i] == LB_DRIVE_FORCE ? "force" : "q", value);
  }
}

void lb_write_profiles(lb_out* out, const lb_recording* r, const lb_summary* s) {
  static lb_table_part* const parts[] = {motors, NULL};
  profiles p = {.t = s->retarget};
  const int n = (int)lround(p.t->model->duration * p.t->rate);
  (void)r;
  for (int k = -1; k <= n; k++) {
    p.time = k < 0 ? 0 : k / p.t->rate;
    lb_write_line(out, k, p.time, &p, parts);
  }
}

// Lines for a scene: put them in place of its motors. Brackets tell when a file is cut off.
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
    const char* joint = m->motor.joint[motor] >= 0 ? m->joint.name[m->motor.joint[motor]]
                                                   : m->constraint.loop[m->motor.loop[motor]].name;
    lb_print_json(out,
                  "  %s:\n    joint: %s\n    spline:\n      degree: 3\n      from: %g\n"
                  "      to: %g\n      points: [",
                  m->motor.name[motor], joint, c->start, end);
    for (int k = 0; k < c->ncontrol; k++) {
      lb_print(out, "%s\n        %g", k ? "," : "", c->control[i * c->ncontrol + k]);
    }
    lb_out_text(out, "]\n");
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

static void deviation(lb_out* out, const char* name, const lb_deviation* d) {
  lb_print_json(out,
                ", '%-s': {'peak': %g, 'rms': %g, 'angle': %g, 'pause': %g, 'delay': %g, "
                "'torque': %g}",
                name, d->peak, d->rms, d->angle, d->pause, d->delay, d->torque);
}

static void replays(lb_out* out, const char* name, const lb_replay* replay, int count) {
  lb_print_json(out, ",\n  '%-s': [", name);
  for (int i = 0; i < count; i++) {
    lb_print_json(out, "%-s\n    {'name': %s", i ? "," : "", replay[i].name);
    deviation(out, "deviation", &replay[i].all);
    lb_out_text(out, "}");
  }
  lb_out_text(out, count ? "\n  ]" : "]");
}

void lb_summarise_retargeting(lb_out* out, const lb_retarget_result* t) {
  lb_out_text(out, ",\n  \"tracked\": [");
  for (int i = 0; i < t->what->ntrack; i++) {
    lb_print_json(out, "%-s\n    {'body': %s", i ? "," : "",
                  t->model->body.name[t->what->track[i].body]);
    deviation(out, "before", &t->was.track[i]);
    deviation(out, "after", &t->is.track[i]);
    lb_out_text(out, "}");
  }
  lb_out_text(out, "\n  ],\n  \"torques\": [");
  for (int i = 0; i < t->what->nmotor; i++) {
    const int motor = t->what->motor[i];
    lb_print_json(out, "%-s\n    {'motor': %s, 'before': %g, 'after': %g, 'limit': %g}",
                  i ? "," : "", t->model->motor.name[motor],
                  lb_recording_peak_torque(t->before, motor),
                  lb_recording_peak_torque(t->after, motor), t->what->limit[i].torque);
  }
  lb_print_json(out, "\n  ],\n  'iterations': %d,\n  'finished': %-s,\n  'history': [",
                t->niteration, t->done ? "true" : "false");
  for (int i = 0; i < t->nhistory; i++) {
    const lb_retarget_value* v = &t->history[i];
    lb_print_json(out, "%-s\n    {'objective': %g, 'deviation': %g, 'peak': %g}", i ? "," : "",
                  v->objective, v->deviation, v->peak);
  }
  lb_out_text(out, t->nhistory ? "\n  ]" : "]");
  lb_print_json(out, ",\n  'unchanged': %-s,\n  'limited_by': %s", t->unchanged ? "true" : "false",
                t->explained ? lb_limiting_name(t->limiting.factor) : "");
  lb_print_json(out, ",\n  'basis_error': %g,\n  'basis_error_before': %g,\n  'basis_error_by': %s",
                t->is.basis, t->was.basis,
                t->nverified > 0  ? "every node"
                : t->is.basis > 0 ? "richer bases"
                                  : "");
  replays(out, "verified", t->verified, t->nverified);
  replays(out, "baselines", t->baseline, t->nbaseline);
  replays(out, "perturbed", t->perturbed, t->nperturbed);
}
