// summary.json: the figures of a run for programs to read. Written by hand rather than through a
// JSON library, because numbers must read back exactly and memory comes from the caller.
#include <math.h>
#include <stdlib.h>

#include "limber/gait.h"
#include "limber/ik.h"
#include "limber/mechanism.h"
#include "limber/version.h"
#include "model/use/compliance.h"
#include "model/use/coordinate_name.h"
#include "output/file/writers.h"

static const char* truth(bool value) {
  return value ? "true" : "false";
}

static void vectors(lb_out* out, const char* name, const lb_vec3 v[2], double drift) {
  lb_print_json(out,
                ",\n  '%-s_start': [%g, %g, %g],\n  '%-s_end': [%g, %g, %g],\n  '%-s_drift': %g",
                name, v[0].x, v[0].y, v[0].z, name, v[1].x, v[1].y, v[1].z, name, drift);
}

// --- what went wrong, or null ---

// Key of a finding; where there is none its value is null.
static bool found(lb_out* out, const char* name, bool any) {
  lb_print_json(out, any ? ",\n  '%-s': " : ",\n  '%-s': null", name);
  return any;
}

static void inversion(lb_out* out, const lb_model* m, const lb_inversion* i) {
  if (found(out, "inverted", i->frames)) {
    lb_print_json(out, "{'body': %s, 'time': %g, 'at': [%g, %g, %g], 'volume': %g, 'frames': %d}",
                  m->body.name[i->body], i->time, i->at.x, i->at.y, i->at.z, i->volume, i->frames);
  }
}

static void failure(lb_out* out, const lb_failure* f) {
  if (found(out, "failure", f->failed)) {
    lb_print_json(out, "{'time': %g, 'reason': %s}", f->time, f->reason);
  }
}

// Body that left the range of its basis, when and how far.
static void outside_range(lb_out* out, const lb_summary* s) {
  if (found(out, "outside_range", s->range_body && !isnan(s->range_left))) {
    lb_print_json(out, "{'body': %s, 'time': %g, 'factor': %g}", s->range_body, s->range_left,
                  s->range_used);
  }
}

// Joints whose coordinates ran off their splines.
static void left_splines(lb_out* out, const lb_recording* r) {
  const char* before = "[";
  lb_out_text(out, ",\n  \"left_splines\": ");
  for (int j = 0; j < r->model->njoint; j++) {
    const lb_spline_exit e = lb_recording_spline_exit(r, j);
    if (e.left) {
      lb_print_json(out,
                    "%-s{'joint': %s, 'coordinate': %d, 'time': %g, 'farthest': %g, 'end': %g}",
                    before, r->model->joint.name[j], e.coordinate, e.time, e.farthest, e.end);
      before = ", ";
    }
  }
  lb_out_text(out, *before == '[' ? "null" : "]");
}

// --- contacts ---

static void overlaps(lb_out* out, const lb_model* m, const lb_overlaps* o) {
  lb_print_json(out, ", 'overlaps': [");
  for (int i = 0; i < o->nshown; i++) {
    const lb_overlap* x = &o->deepest[i];
    lb_print_json(out, "%-s{'between': [%s, %s], 'depth': %g}", i ? ", " : "",
                  lb_model_toucher(m, x->body[0]), lb_model_toucher(m, x->body[1]), x->depth);
  }
  lb_out_text(out, "]");
}

static void contact_figures(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_contact_figures* c = &s->contact;
  lb_print_json(
      out,
      ",\n  'contacts': {'steps': %ld, 'unsolved': %ld, 'residual': %g, 'most_points': %d, "
      "'recorded': %ld, 'recorded_until': %g",
      c->steps, c->unsolved, c->residual, c->points, lb_recording_ncontact(r),
      lb_recording_contacts_end(r));
  if (c->impulse > 0) {
    lb_print_json(out, ", 'peak': {'impulse': %g, 'force': %g, 'time': %g, 'between': [%s, %s]}",
                  c->impulse, c->force, c->time, lb_model_toucher(r->model, c->body[0]),
                  lb_model_toucher(r->model, c->body[1]));
  } else {
    lb_print_json(out, ", 'peak': null");
  }
  overlaps(out, r->model, &s->overlaps);
  lb_out_text(out, "}");
}

static void samples(lb_out* out, const char* name, const double* x, int n) {
  lb_print_json(out, "%s: [", name);
  for (int i = 0; i < n; i++) {
    lb_print_json(out, "%-s%g", i ? ", " : "", x[i]);
  }
  lb_out_text(out, "]");
}

// Torques and power over the last cycle.
static void cycle_curves(lb_out* out, const lb_model* m, const lb_gait* g) {
  lb_print_json(out, ",\n    'cycle': {");
  samples(out, "time", g->phase, g->nsample);
  lb_out_text(out, ",\n      ");
  samples(out, "power", g->power, g->nsample);
  lb_print_json(out, ",\n      'motors': [");
  for (int i = 0; i < g->nmotor; i++) {
    lb_print_json(out, "%-s\n        {'motor': %s, ", i ? "," : "", m->motor.name[g->motor[i]]);
    samples(out, "torque", g->torque + (size_t)i * (size_t)g->nsample, g->nsample);
    lb_out_text(out, "}");
  }
  lb_out_text(out, "\n    ]}");
}

static void gait_figures(lb_out* out, const lb_model* m, const lb_gait* g) {
  lb_print_json(out,
                ",\n  'gait': {'trunk': %s, 'period': %g, 'cycles': %d, 'from': %g, 'to': %g,\n"
                "    'distance': %g, 'stride': %g, 'speed': %g, 'slip': %g, 'heave': %g, 'pitch': "
                "%g, 'roll': %g,\n    'torque_mean': %g, 'torque_peak': %g, 'power_mean': %g, "
                "'power_peak': %g, 'energy': %g, 'cost_of_transport': %g,\n    'feet': [",
                m->body.name[g->trunk], g->period, g->cycles, g->from, g->to, g->distance,
                g->stride, g->speed, g->slip, g->heave, g->pitch, g->roll, g->torque_mean,
                g->torque_peak, g->power_mean, g->power_peak, g->energy, g->transport);
  for (int i = 0; i < g->nfoot; i++) {
    const lb_gait_foot* f = &g->foot[i];
    lb_print_json(out, "%-s\n      {'body': %s, 'duty': %g, 'slip': %g, 'peak_force': %g}",
                  i ? "," : "", m->body.name[f->body], f->duty, f->slip, f->force);
  }
  lb_out_text(out, "\n    ]");
  cycle_curves(out, m, g);
  lb_out_text(out, "}");
}

// --- what kinds of jobs add ---

static void peak(lb_out* out, const char* name, const lb_model* m, const lb_torque_peak* p) {
  if (found(out, name, p->joint >= 0)) {
    lb_print_json(out, "{'joint': %s, 'value': %g, 'time': %g}", m->joint.name[p->joint], p->value,
                  p->time);
  }
}

static void fit_figures(lb_out* out, const lb_fit* f) {
  lb_print_json(out,
                ",\n  'markers_file': %s,\n  'markers': %d,\n  'samples': %d,\n  'rms_start': %g,\n"
                "  'rms': %g,\n  'explained': %g,\n  'correlation': %g,\n  'iterations': %d,\n"
                "  'runs': %ld,\n  'converged': %-s,\n  'fitted': ",
                f->markers->file, f->markers->nmarker, f->nsample, f->rms_start, f->rms,
                f->explained, f->correlation, f->iterations, f->runs, truth(f->converged));
  for (int i = 0; i < f->nvalue; i++) {
    const lb_fit_value* v = &f->value[i];
    lb_print_json(out,
                  "%-s{'material': %s, 'number': %s, 'unit': %s, 'start': %g, 'value': %g, "
                  "'low': %g, 'high': %g, 'determined': %-s, 'verdict': %s}",
                  i ? ",\n    " : "[\n    ",
                  v->material >= 0 ? f->model->look.material[v->material].name : NULL,
                  lb_fit_quantity_name(v->quantity), lb_fit_quantity_unit(v->quantity), v->start,
                  v->value, v->low, v->high, truth(v->doubt == LB_FIT_SURE),
                  lb_fit_doubt_text(v->doubt));
  }
  lb_out_text(out, "\n  ]");
}

// Samples in which coordinates were at a limit, of those that were.
static void limit_figures(lb_out* out, const lb_ik* ik) {
  char name[LB_COORDINATE_NAME];
  int count = 0;
  lb_out_text(out, ",\n  \"at_limit\": {");
  for (int v = 0; v < ik->model->nv; v++) {
    if (ik->at_limit[v] > 0) {
      lb_print_json(out, "%-s%s: %d", count++ ? ", " : "", lb_coordinate_name(ik->model, v, name),
                    ik->at_limit[v]);
    }
  }
  lb_out_text(out, "}");
}

static void ik_figures(lb_out* out, const lb_ik* ik) {
  lb_print_json(out,
                ",\n  'markers_file': %s,\n  'markers': %d,\n  'samples': %d,\n  'rms': %g,\n"
                "  'worst': {'marker': %s, 'distance': %g, 'time': %g},\n  'iterations': %ld,\n"
                "  'unfinished': %d,\n  'blind': %d,\n  'gap': %g",
                ik->markers->file, ik->markers->nmarker, ik->nsample, ik->total,
                ik->markers->marker[ik->worst_marker].name, ik->worst,
                ik->markers->time[ik->worst_sample], ik->iterations, ik->unfinished, ik->blind,
                ik->gap);
  limit_figures(out, ik);
}

// --- mechanisms ---

static void linkage_figures(lb_out* out, const lb_linkage_motion* k) {
  lb_print_json(out,
                "\n    {'name': %s, 'crank': %s, 'turns': %-s, 'from': %g, 'to': %g, "
                "'transmission': %g, 'transmission_at': %g, 'dead_points': [",
                k->name, k->crank, truth(k->turns), k->from, k->to, k->transmission,
                k->transmission_at);
  for (int i = 0; i < k->ndead; i++) {
    lb_print_json(out, "%-s{'angle': %g, 'bars': [", i ? ", " : "", k->dead[i].angle);
    for (int b = 0; b < k->dead[i].nbar; b++) {
      lb_print_json(out, "%-s%s", b ? ", " : "", k->dead[i].bar[b]);
    }
    lb_out_text(out, "]}");
  }
  lb_out_text(out, "], \"points\": [");
  for (int i = 0; i < k->ncurve; i++) {
    const lb_coupler_curve* c = &k->curve[i];
    lb_print_json(out, "%-s{'name': %s, 'foot': %-s, 'width': %g, 'height': %g}", i ? ", " : "",
                  c->point, truth(c->foot), c->width, c->height);
  }
  lb_out_text(out, "]}");
}

static void mechanism_figures(lb_out* out, const lb_mechanism* M) {
  lb_print_json(out,
                ",\n  'mobility': %d,\n  'constraint_rows': %d,\n  'redundant_rows': %d,\n"
                "  'freedoms': [",
                M->nfreedom, M->rows, M->rows - M->rank);
  for (int i = 0; i < M->nfreedom; i++) {
    lb_print_json(out, "%-s{'joint': %s, 'coordinate': %d, 'moves': %d}", i ? ", " : "",
                  M->freedom[i].joint, M->freedom[i].coordinate, M->freedom[i].moves);
  }
  lb_out_text(out, "],\n  \"redundant\": [");
  for (int i = 0; i < M->nredundancy; i++) {
    lb_print_json(out, "%-s{'name': %s, 'rows': %d, 'redundant': %d}", i ? ", " : "",
                  M->redundancy[i].name, M->redundancy[i].rows, M->redundancy[i].redundant);
  }
  lb_out_text(out, "],\n  \"linkages\": [");
  for (int i = 0; i < M->nlinkage; i++) {
    lb_out_text(out, i ? "," : "");
    linkage_figures(out, &M->linkage[i]);
  }
  lb_out_text(out, "\n  ]");
}

// --- forces ---

static void motor_figures(lb_out* out, const lb_recording* r) {
  lb_out_text(out, ",\n  \"motors\": [");
  for (int i = 0; i < r->model->nmotor; i++) {
    const lb_motor_figures m = lb_recording_motor(r, i);
    lb_print_json(out,
                  "%-s\n    {'motor': %s, 'force_unit': %s, 'peak_force': %g, 'rms_force': %g, "
                  "'speed_unit': %s, 'peak_speed': %g, 'rms_speed': %g, 'peak_driving_power': "
                  "%g, 'peak_braking_power': %g, 'rms_power': %g}",
                  i ? "," : "", m.force_channel->name, lb_channel_unit(m.force_channel->kind),
                  fabs(m.force.peak), m.force.rms, lb_channel_unit(m.speed_channel->kind),
                  fabs(m.speed.peak), m.speed.rms, m.driving, m.braking, m.rms_power);
  }
  lb_out_text(out, r->model->nmotor ? "\n  ]" : "]");
}

static void reaction_figures(lb_out* out, const lb_recording* r) {
  const int n = r->keeps & LB_KEEP_REACTIONS ? lb_reactions_shown(r->model) : 0;
  for (int i = 0; i < n; i++) {
    const lb_reaction_peak of = lb_recording_reaction(r, i);
    lb_print_json(out, "%-s\n    {'name': %s, 'peak_force': %g, 'time': %g, 'peak_moment': %g}",
                  i ? "," : ",\n  \"reactions\": [", lb_reaction_of(r->model, i).name, of.force,
                  of.time, of.moment);
  }
  lb_out_text(out, n > 0 ? "\n  ]" : "");
}

static void force_figures(lb_out* out, const lb_recording* r) {
  const int first = lb_recording_first_force(r);
  lb_out_text(out, ",\n  \"forces\": [");
  for (int i = first; i < r->nchannel; i++) {
    const lb_channel_figures of = lb_recording_figures(r, i);
    lb_print_json(
        out, "%-s\n    {'name': %s, 'what': %s, 'unit': %s, 'peak': %g, 'time': %g, 'rms': %g}",
        i > first ? "," : "", r->channel[i].name, r->channel[i].what,
        lb_channel_unit(r->channel[i].kind), of.peak, of.time, of.rms);
  }
  lb_out_text(out, r->nchannel > first ? "\n  ]" : "]");
}

// Peak of every elastic body whose mesh is known.
static void stress_figures(lb_out* out, const lb_recording* r) {
  const char* before = ",\n  \"stress\": [";
  for (int i = 0; i < r->model->elastic.count; i++) {
    const lb_stress_peak p = lb_recording_stress(r, i);
    if (p.element >= 0) {
      lb_print_json(
          out, "%-s\n    {'body': %s, 'peak': %g, 'time': %g, 'element': %d, 'at': [%g, %g, %g]}",
          before, r->model->body.name[r->model->elastic.body[i].body], p.value, p.time, p.element,
          p.at.x, p.at.y, p.at.z);
      before = ",";
    }
  }
  lb_out_text(out, lb_recording_has_stress(r) ? "\n  ]" : "");
}

// --- all of it ---

void lb_print_scene_path(lb_out* out, const char* file) {
  char* path = file && *file ? realpath(file, NULL) : NULL;
  lb_print_json(out, ",\n  'scene_path': %s", path);
  free(path);
}

static void run_figures(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const double simulated = r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
  lb_print_json(out,
                "{\n  'limber': %s,\n  'scene': %s,\n  'title': %s,\n  'job': %s,\n"
                "  'wall_seconds': %g,\n  'unknowns': %d,\n  'steps': %ld,\n"
                "  'newton_iterations': %ld,\n  'newton_matrices': %ld,\n"
                "  'steps_per_second': %g,\n  'duration': %g,\n  'real_time_factor': %g,\n"
                "  'energy_start': %g,\n  'energy_end': %g,\n  'energy_drift': %g,\n"
                "  'conservative': %-s",
                lb_version(), m->file && *m->file ? m->file : m->name, m->name, s->job,
                s->wall_seconds, lb_model_simulated(m)->nv, s->steps, s->iterations, s->matrices,
                (double)s->steps / s->wall_seconds, simulated, simulated / s->wall_seconds,
                s->energy_start, s->energy_end, s->energy_drift, truth(s->conservative));
  lb_print_scene_path(out, m->file);
  lb_out_text(out, ",\n  \"set\": [");
  for (int i = 0; i < s->nset; i++) {
    lb_print_json(out, "%-s%s", i ? ", " : "", s->set[i]);
  }
  lb_out_text(out, "]");
  vectors(out, "linear_momentum", s->linear_momentum, s->linear_drift);
  vectors(out, "angular_momentum", s->angular_momentum, s->angular_drift);
  lb_print_json(out, ",\n  'constraint_violation': %g", s->constraint_violation);
}

// Stiffness and damping of constraints that yield, with ERP and CFM for the run's step.
static void compliance(lb_out* out, const lb_model* m, const lb_summary* s) {
  static const char* const part[LB_COMPLIANCES] = {"shift", "turn"};
  const char* before = "";
  lb_print_json(out, ",\n  'compliant_gap': %g,\n  'compliance': [", s->compliant_gap);
  for (int i = 0; i < m->constraint.count * LB_COMPLIANCES; i++) {
    const lb_model_constraint* c = &m->constraint.item[i / LB_COMPLIANCES];
    const lb_compliance by = c->compliance[i % LB_COMPLIANCES];
    if (by.stiffness > 0) {
      lb_print_json(out,
                    "%-s{'constraint': %s, 'part': %s, 'stiffness': %g, 'damping': %g, 'erp': %g, "
                    "'cfm': %g}",
                    before, c->name, part[i % LB_COMPLIANCES], by.stiffness, by.damping,
                    lb_compliance_erp(by, s->step), lb_compliance_cfm(by, s->step));
      before = ", ";
    }
  }
  lb_out_text(out, "]");
}

void lb_write_summary(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  run_figures(out, r, s);
  if (m->constraint.ncompliant > 0) {
    compliance(out, m, s);
  }
  inversion(out, m, &s->inversion);
  lb_print_json(out, ",\n  'interrupted': %-s", truth(s->interrupted));
  failure(out, &s->failure);
  outside_range(out, s);
  left_splines(out, r);
  lb_print_json(out,
                ",\n  'integrator': %s,\n  'step': %g,\n  'threads': %d,\n  'frames': %d,\n"
                "  'bodies': %d,\n  'joints': %d,\n  'coordinates': %d,\n"
                "  'degrees_of_freedom': %d",
                lb_integrator_name(m->solver.integrator), s->step, s->threads, r->nframe, m->nbody,
                m->njoint, m->nq, m->nv);
  if (m->contact.ncollider > 0) {
    contact_figures(out, r, s);
  }
  motor_figures(out, r);
  force_figures(out, r);
  stress_figures(out, r);
  reaction_figures(out, r);
  if (r->keeps & LB_KEEP_TORQUES) {
    peak(out, "largest_torque", m, &s->torque);
    peak(out, "residual_torque", m, &s->residual);
  }
  if (s->fit) {
    fit_figures(out, s->fit);
  }
  if (s->ik) {
    ik_figures(out, s->ik);
  }
  if (s->analysis) {
    lb_summarise_analysis(out, s->analysis);
  }
  if (s->retarget) {
    lb_summarise_retargeting(out, s->retarget);
  }
  if (s->mechanism) {
    mechanism_figures(out, s->mechanism);
  }
  if (s->gait) {
    gait_figures(out, m, s->gait);
  }
  if (s->optimize) {
    lb_summarise_optimisation(out, s->optimize);
  }
  if (s->collocation) {
    lb_summarise_collocation(out, s->collocation);
  }
  if (s->fork) {
    lb_summarise_forks(out, s->fork);
  }
  lb_out_text(out, "\n}\n");
}
