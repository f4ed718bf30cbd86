// summary.json: the figures of a run for programs to read. Written by hand rather than through a
// JSON library, because numbers must read back exactly and memory comes from the caller.
#include <math.h>

#include "limber/version.h"
#include "record/writers.h"

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

static void count(lb_out* out, const char* name, long value) {
  key(out, name);
  lb_out_long(out, value);
}

static void truth(lb_out* out, const char* name, bool value) {
  key(out, name);
  lb_out_text(out, value ? "true" : "false");
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

void lb_write_summary(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const double simulated = r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
  lb_out_text(out, "{\n  \"limber\": ");
  lb_out_json(out, lb_version());
  text(out, "scene", m->file && *m->file ? m->file : m->name);
  text(out, "title", m->name);
  text(out, "job", s->job);
  number(out, "wall_seconds", s->wall_seconds);
  count(out, "steps", s->steps);
  number(out, "steps_per_second", (double)s->steps / s->wall_seconds);
  number(out, "duration", simulated);
  number(out, "real_time_factor", simulated / s->wall_seconds);
  number(out, "energy_start", s->energy_start);
  number(out, "energy_end", s->energy_end);
  number(out, "energy_drift", s->energy_drift);
  truth(out, "conservative", s->conservative);
  number(out, "constraint_violation", s->constraint_violation);
  inversion(out, m, &s->inversion);
  truth(out, "interrupted", s->interrupted);
  text(out, "integrator", lb_integrator_name(m->solver.integrator));
  number(out, "step", s->step);
  count(out, "threads", s->threads);
  count(out, "frames", r->nframe);
  count(out, "bodies", m->nbody);
  count(out, "joints", m->njoint);
  count(out, "coordinates", m->nq);
  count(out, "degrees_of_freedom", m->nv);
  lb_out_text(out, "\n}\n");
}
