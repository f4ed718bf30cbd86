// Files of muscles along a motion, which OpenSim's tools open.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/analysis.h"
#include "model/use/coordinate_name.h"
#include "output/file/writers.h"
#include "output/report/analysis_peaks.h"

// --- a column for each muscle ---

// Array [rows][width].
typedef struct columns {
  const lb_model* m;
  const double* value;
  int width;
} columns;

static void muscle_name(lb_out* out, const void* of, int column) {
  const columns* c = of;
  lb_out_text(out, c->m->muscle.item[column].name);
}

static double value_in(const void* of, int row, int column) {
  const columns* c = of;
  return c->value[(size_t)row * (size_t)c->width + (size_t)column];
}

static void write_muscles(lb_out* out, const char* title, const lb_analysis* a,
                          const double* value) {
  const columns c = {a->model, value, a->model->muscle.count};
  lb_write_sto(out, &(lb_sto){.title = title,
                              .columns = c.width,
                              .rows = a->nframe,
                              .time = a->time,
                              .heading = muscle_name,
                              .value = value_in,
                              .of = &c});
}

void lb_write_lengths(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  write_muscles(out, "Length", s->analysis, s->analysis->length);
}

void lb_write_activations(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  write_muscles(out, "Static Optimization", s->analysis, s->analysis->activation);
}

void lb_write_tensions(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  write_muscles(out, "Static Optimization", s->analysis, s->analysis->tension);
}

// --- a column for each coordinate ---

static void reserve_name(lb_out* out, const void* of, int column) {
  const columns* c = of;
  char name[LB_COORDINATE_NAME];
  lb_print(out, "%s_reserve", lb_coordinate_name(c->m, column, name));
}

void lb_write_reserves(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const columns c = {s->analysis->model, s->analysis->reserve, s->analysis->model->nv};
  (void)r;
  lb_write_sto(out, &(lb_sto){.title = "Reserves",
                              .columns = c.width,
                              .rows = s->analysis->nframe,
                              .time = s->analysis->time,
                              .heading = reserve_name,
                              .value = value_in,
                              .of = &c});
}

// --- moment arms ---

static double arm_of(const lb_analysis* a, int frame, int muscle, int v) {
  const size_t n = (size_t)a->model->muscle.count, nv = (size_t)a->model->nv;
  return a->arm[((size_t)frame * n + (size_t)muscle) * nv + (size_t)v];
}

// A coordinate that a muscle turns at some time.
static bool turns(const lb_analysis* a, int muscle, int v) {
  bool any = false;
  for (int f = 0; f < a->nframe && !any; f++) {
    any = fabs(arm_of(a, f, muscle, v)) > 1e-9;
  }
  return any;
}

typedef struct arms {
  const lb_analysis* a;
  int *muscle, *v;
} arms;

static void arm_name(lb_out* out, const void* of, int column) {
  const arms* x = of;
  char name[LB_COORDINATE_NAME];
  lb_print(out, "%s.%s", x->a->model->muscle.item[x->muscle[column]].name,
           lb_coordinate_name(x->a->model, x->v[column], name));
}

static double arm_value(const void* of, int row, int column) {
  const arms* x = of;
  return arm_of(x->a, row, x->muscle[column], x->v[column]);
}

void lb_write_arms(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_analysis* a = s->analysis;
  const size_t most = (size_t)a->model->muscle.count * (size_t)a->model->nv;
  arms x = {a, lb_allocate(r->allocator, most * sizeof(int)),
            lb_allocate(r->allocator, most * sizeof(int))};
  int count = 0;
  for (int i = 0; x.muscle && x.v && i < a->model->muscle.count; i++) {
    for (int k = 0; k < a->model->nv; k++) {
      if (turns(a, i, k)) {
        x.muscle[count] = i;
        x.v[count++] = k;
      }
    }
  }
  if (x.muscle && x.v) {
    lb_write_sto(out, &(lb_sto){.title = "MomentArms",
                                .columns = count,
                                .rows = a->nframe,
                                .time = a->time,
                                .heading = arm_name,
                                .value = arm_value,
                                .of = &x});
  } else {
    out->status = LB_NO_MEMORY;
  }
  lb_release(r->allocator, x.muscle);
  lb_release(r->allocator, x.v);
}

// --- joint loads ---

static void load_name(lb_out* out, const void* of, int column) {
  static const char* const PART[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  const lb_recording* r = of;
  const lb_model* m = r->model;
  const int j = column / 6;
  const char* body = m->joint.body[j] >= 0 ? m->body.name[m->joint.body[j]] : "child";
  lb_print(out, "%s_on_%s_in_%s_%s", m->joint.name[j], body, body, PART[column % 6]);
}

static double load_value(const void* of, int row, int column) {
  const lb_recording* r = of;
  const lb_model* m = r->model;
  const lb_reaction* x =
      &r->reaction[(size_t)row * (size_t)(m->njoint + m->constraint.npair) + (size_t)(column / 6)];
  const double value[] = {x->force.x,  x->force.y,  x->force.z,
                          x->moment.x, x->moment.y, x->moment.z};
  return value[column % 6];
}

void lb_write_joint_loads(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  lb_write_sto(out, &(lb_sto){.title = "JointReaction",
                              .columns = 6 * r->model->njoint,
                              .rows = r->nframe,
                              .time = r->time,
                              .heading = load_name,
                              .value = load_value,
                              .of = r});
}

// --- inertia ---

void lb_write_inertia(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_analysis* a = s->analysis;
  const lb_model* m = a->model;
  char name[LB_COORDINATE_NAME];
  (void)r;
  lb_out_text(out, "muscle");
  for (int v = 0; v < m->nv; v++) {
    lb_out_text(out, ",");
    lb_write_name(out, lb_coordinate_name(m, v, name));
  }
  for (int i = 0; i < m->muscle.count; i++) {
    lb_out_text(out, "\n");
    lb_write_name(out, m->muscle.item[i].name);
    for (int v = 0; v < m->nv; v++) {
      lb_out_text(out, ",");
      lb_out_number(out, lb_inertia_part(a, i, v), "");
    }
  }
  lb_out_text(out, "\n");
}

// --- summary ---

static double largest(const double* x, size_t count) {
  double most = 0;
  for (size_t i = 0; x && i < count; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

void lb_summarise_analysis(lb_out* out, const lb_analysis* a) {
  const size_t n = (size_t)a->nframe * (size_t)a->model->muscle.count;
  lb_print_json(out, ",\n  'muscles': %d,\n  'samples': %d", a->model->muscle.count, a->nframe);
  if (a->tension) {
    lb_print_json(out, ",\n  'largest_activation': %g,\n  'largest_tension': %g,\n  'residual': %g",
                  largest(a->activation, n), largest(a->tension, n), a->residual);
    lb_print_json(out, ",\n  'unsettled': %d", a->unsettled);
  }
}
