// summary.json: the figures of a run for programs to read. Written by hand rather than through a
// JSON library, because numbers must read back exactly and memory comes from the caller.
#include <math.h>

#include "limber/fit.h"
#include "limber/version.h"
#include "record/file/writers.h"

static void key(lb_out* out, const char* name) {
  lb_out_texts(out, ",\n  \"", name, "\": ", NULL);
}

static void text(lb_out* out, const char* name, const char* value) {
  key(out, name);
  lb_out_json(out, value);
}

static void number(lb_out* out, const char* name, double value) {
  key(out, name);
  lb_out_number(out, value, "null");
}

static void vector(lb_out* out, const char* name, lb_vec3 v) {
  key(out, name);
  lb_out_text(out, "[");
  lb_out_number(out, v.x, "null");
  lb_out_text(out, ", ");
  lb_out_number(out, v.y, "null");
  lb_out_text(out, ", ");
  lb_out_number(out, v.z, "null");
  lb_out_text(out, "]");
}

static void count(lb_out* out, const char* name, long value) {
  key(out, name);
  lb_out_long(out, value);
}

static void truth(lb_out* out, const char* name, bool value) {
  key(out, name);
  lb_out_text(out, value ? "true" : "false");
}

// What a step solves for: with all nodes moving, of the model that is simulated.
static long model_unknowns(const lb_model* m) {
  return m->full ? m->full->nv : m->nv;
}

static void inversion(lb_out* out, const lb_model* m, const lb_inversion* i) {
  key(out, "inverted");
  if (i->frames == 0) {
    lb_out_text(out, "null");
    return;
  }
  const double number[] = {i->at.x, i->at.y, i->at.z};
  lb_out_text(out, "{\"body\": ");
  lb_out_json(out, m->body_name[i->body]);
  lb_out_text(out, ", \"time\": ");
  lb_out_number(out, i->time, "null");
  lb_out_text(out, ", \"at\": [");
  for (int k = 0; k < 3; k++) {
    lb_out_text(out, k ? ", " : "");
    lb_out_number(out, number[k], "null");
  }
  lb_out_text(out, "], \"volume\": ");
  lb_out_number(out, i->volume, "null");
  lb_out_text(out, ", \"frames\": ");
  lb_out_long(out, i->frames);
  lb_out_text(out, "}");
}

// Why the run ended too early and when, or null.
static void failure(lb_out* out, const lb_failure* f) {
  key(out, "failure");
  if (!f->failed) {
    lb_out_text(out, "null");
    return;
  }
  lb_out_text(out, "{\"time\": ");
  lb_out_number(out, f->time, "null");
  lb_out_text(out, ", \"reason\": ");
  lb_out_json(out, f->reason);
  lb_out_text(out, "}");
}

static void fit_value(lb_out* out, const lb_model* m, const lb_fit_value* v) {
  lb_out_text(out, "{\"material\": ");
  if (v->material >= 0) {
    lb_out_json(out, m->material[v->material].name);
  } else {
    lb_out_text(out, "null");
  }
  const struct {
    const char* name;
    double value;
  } part[] = {{", \"start\": ", v->start},
              {", \"value\": ", v->value},
              {", \"low\": ", v->low},
              {", \"high\": ", v->high}};
  lb_out_texts(out, ", \"number\": \"", lb_fit_quantity_name(v->quantity), "\", \"unit\": \"",
               lb_fit_quantity_unit(v->quantity), "\"", NULL);
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    lb_out_text(out, part[i].name);
    lb_out_number(out, part[i].value, "null");
  }
  lb_out_texts(out, ", \"determined\": ", v->doubt == LB_FIT_SURE ? "true" : "false",
               ", \"verdict\": \"", lb_fit_doubt_text(v->doubt), "\"}", NULL);
}

static void fit_figures(lb_out* out, const lb_fit* f) {
  text(out, "markers_file", f->markers->file);
  count(out, "markers", f->markers->nmarker);
  count(out, "samples", f->nsample);
  number(out, "rms_start", f->rms_start);
  number(out, "rms", f->rms);
  number(out, "explained", f->explained);
  number(out, "correlation", f->correlation);
  count(out, "iterations", f->iterations);
  count(out, "runs", f->runs);
  truth(out, "converged", f->converged);
  key(out, "fitted");
  for (int i = 0; i < f->nvalue; i++) {
    lb_out_text(out, i ? ",\n    " : "[\n    ");
    fit_value(out, f->model, &f->value[i]);
  }
  lb_out_text(out, "\n  ]");
}

static void peak(lb_out* out, const char* name, const lb_model* m, const lb_torque_peak* p) {
  key(out, name);
  if (p->joint < 0) {
    lb_out_text(out, "null");
    return;
  }
  lb_out_text(out, "{\"joint\": ");
  lb_out_json(out, m->joint_name[p->joint]);
  lb_out_text(out, ", \"value\": ");
  lb_out_number(out, p->value, "null");
  lb_out_text(out, ", \"time\": ");
  lb_out_number(out, p->time, "null");
  lb_out_text(out, "}");
}

// Which body left the range of its basis, when and how far, or null.
static void outside_range(lb_out* out, const lb_summary* s) {
  key(out, "outside_range");
  if (!s->range_body || isnan(s->range_left)) {
    lb_out_text(out, "null");
    return;
  }
  lb_out_text(out, "{\"body\": ");
  lb_out_json(out, s->range_body);
  lb_out_text(out, ", \"time\": ");
  lb_out_number(out, s->range_left, "null");
  lb_out_text(out, ", \"factor\": ");
  lb_out_number(out, s->range_used, "null");
  lb_out_text(out, "}");
}

// Joints whose coordinates ran off their splines, or null.
static void left_splines(lb_out* out, const lb_recording* r) {
  const char* before = "[";
  key(out, "left_splines");
  for (int j = 0; j < r->model->njoint; j++) {
    const lb_spline_exit e = lb_recording_spline_exit(r, j);
    if (e.left) {
      lb_out_texts(out, before, "{\"joint\": ", NULL);
      lb_out_json(out, r->model->joint_name[j]);
      lb_out_text(out, ", \"coordinate\": ");
      lb_out_long(out, e.coordinate);
      lb_out_text(out, ", \"time\": ");
      lb_out_number(out, e.time, "null");
      lb_out_text(out, ", \"farthest\": ");
      lb_out_number(out, e.farthest, "null");
      lb_out_text(out, ", \"end\": ");
      lb_out_number(out, e.end, "null");
      lb_out_text(out, "}");
      before = ", ";
    }
  }
  lb_out_text(out, *before == '[' ? "null" : "]");
}

void lb_write_summary(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const double simulated = r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
  lb_out_text(out, "{\n  \"limber\": ");
  lb_out_json(out, lb_version());
  text(out, "scene", m->file && *m->file ? m->file : m->name);
  text(out, "title", m->name);
  text(out, "job", s->job);
  number(out, "wall_seconds", s->wall_seconds);
  count(out, "unknowns", model_unknowns(r->model));
  count(out, "steps", s->steps);
  number(out, "steps_per_second", (double)s->steps / s->wall_seconds);
  number(out, "duration", simulated);
  number(out, "real_time_factor", simulated / s->wall_seconds);
  number(out, "energy_start", s->energy_start);
  number(out, "energy_end", s->energy_end);
  number(out, "energy_drift", s->energy_drift);
  truth(out, "conservative", s->conservative);
  vector(out, "linear_momentum_start", s->linear_momentum[0]);
  vector(out, "linear_momentum_end", s->linear_momentum[1]);
  number(out, "linear_momentum_drift", s->linear_drift);
  vector(out, "angular_momentum_start", s->angular_momentum[0]);
  vector(out, "angular_momentum_end", s->angular_momentum[1]);
  number(out, "angular_momentum_drift", s->angular_drift);
  number(out, "constraint_violation", s->constraint_violation);
  inversion(out, m, &s->inversion);
  truth(out, "interrupted", s->interrupted);
  failure(out, &s->failure);
  outside_range(out, s);
  left_splines(out, r);
  text(out, "integrator", lb_integrator_name(m->solver.integrator));
  number(out, "step", s->step);
  count(out, "threads", s->threads);
  count(out, "frames", r->nframe);
  count(out, "bodies", m->nbody);
  count(out, "joints", m->njoint);
  count(out, "coordinates", m->nq);
  count(out, "degrees_of_freedom", m->nv);
  if (r->keeps & LB_KEEP_TORQUES) {
    peak(out, "largest_torque", m, &s->torque);
    peak(out, "residual_torque", m, &s->residual);
  }
  if (s->fit) {
    fit_figures(out, s->fit);
  }
  if (s->retarget) {
    lb_summarise_retargeting(out, s->retarget);
  }
  if (s->optimize) {
    lb_summarise_optimisation(out, s->optimize);
  }
  lb_out_text(out, "\n}\n");
}
