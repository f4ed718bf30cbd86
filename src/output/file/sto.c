// Tables that OpenSim's tools open: coordinates that have names, states of muscles, and generalised
// forces.
#include <math.h>
#include <string.h>

#include "limber/analysis.h"
#include "math/muscle/hill.h"
#include "output/file/writers.h"

static bool is_shown(const lb_model* m, int joint, int k) {
  return m->dof.name && m->joint.nq[joint] == m->joint.nv[joint] &&
         m->dof.name[m->joint.v[joint] + k] != NULL;
}

int lb_count_named(const lb_model* m) {
  int count = 0;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      count += is_shown(m, j, k);
    }
  }
  return count;
}

static void begin(lb_out* out, const char* title, int columns, int rows, bool degrees) {
  lb_print(out, "%s\nversion=3\nDataType=double\nnRows=%d\nnColumns=%d\ninDegrees=%-s\nendheader\n",
           title, rows, columns, degrees ? "yes" : "no");
}

static void cell(lb_out* out, double x) {
  lb_out_text(out, "\t");
  if (isfinite(x)) {
    lb_out_number(out, x, "");
  } else {
    lb_out_text(out, "nan");
  }
}

static void write_time(lb_out* out, const double* time, int row) {
  if (row < 0) {
    lb_out_text(out, "time");
  } else {
    lb_out_number(out, time[row], "");
  }
}

// Values of coordinates, or their speeds, by their paths; row -1: their headings.
static void write_paths(lb_out* out, const lb_recording* r, int row, bool speeds) {
  const lb_model* m = r->model;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      const int v = m->joint.v[j] + k;
      if (is_shown(m, j, k) && row < 0) {
        lb_print(out, "\t/jointset/%s/%s/%s", m->joint.name[j], m->dof.name[v],
                 speeds ? "speed" : "value");
      } else if (is_shown(m, j, k)) {
        cell(out, speeds ? r->qd[(size_t)row * (size_t)m->nv + (size_t)v]
                         : r->q[(size_t)row * (size_t)m->nq + (size_t)(m->joint.q[j] + k)]);
      }
    }
  }
}

// State that a channel of forces is of a muscle's, by OpenSim's name; NULL: none.
static const char* state_of(const lb_model* m, const lb_channel* c) {
  static const char* const WORDS[][2] = {{"activation", "activation"}, {"fiber", "fiber_length"}};
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    for (int k = 0; k < 2 && mu->name == c->name; k++) {
      if (strcmp(c->what, WORDS[k][0]) == 0) {
        return k == 1 && mu->hill && mu->hill->rigid ? NULL : WORDS[k][1];
      }
    }
  }
  return NULL;
}

static int count_states(const lb_recording* r) {
  int count = 0;
  for (int c = 0; c < r->nchannel; c++) {
    count += state_of(r->model, &r->channel[c]) != NULL;
  }
  return count;
}

static void write_states(lb_out* out, const lb_recording* r, int row) {
  for (int c = 0; c < r->nchannel; c++) {
    const char* state = state_of(r->model, &r->channel[c]);
    if (state && row < 0) {
      lb_print(out, "\t/forceset/%s/%s", r->channel[c].name, state);
    } else if (state) {
      cell(out, r->force[(size_t)row * (size_t)r->nchannel + (size_t)c]);
    }
  }
}

void lb_write_coordinates(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  begin(out, "Coordinates", 1 + 2 * lb_count_named(r->model), r->nframe, false);
  for (int f = -1; f < r->nframe; f++) {
    write_time(out, r->time, f);
    write_paths(out, r, f, false);
    write_paths(out, r, f, true);
    lb_out_text(out, "\n");
  }
}

void lb_write_states(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  begin(out, "ModelStates", 1 + 2 * lb_count_named(r->model) + count_states(r), r->nframe, false);
  for (int f = -1; f < r->nframe; f++) {
    write_time(out, r->time, f);
    write_paths(out, r, f, false);
    write_paths(out, r, f, true);
    write_states(out, r, f);
    lb_out_text(out, "\n");
  }
}

void lb_write_motion(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  (void)s;
  begin(out, "Coordinates", 1 + lb_count_named(m), r->nframe, true);
  for (int f = -1; f < r->nframe; f++) {
    write_time(out, r->time, f);
    for (int j = 0; j < m->njoint; j++) {
      for (int k = 0; k < m->joint.nv[j]; k++) {
        const int v = m->joint.v[j] + k;
        const double unit = m->dof.counts[v] == LB_COORDINATE_ANGLE ? 180 / M_PI : 1;
        if (is_shown(m, j, k) && f < 0) {
          lb_print(out, "\t%s", m->dof.name[v]);
        } else if (is_shown(m, j, k)) {
          cell(out, unit * r->q[(size_t)f * (size_t)m->nq + (size_t)(m->joint.q[j] + k)]);
        }
      }
    }
    lb_out_text(out, "\n");
  }
}

void lb_write_moments(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const double* torque = s->analysis ? s->analysis->moment : r->torque;
  begin(out, "Inverse Dynamics Generalized Forces", 1 + lb_count_named(m), r->nframe, false);
  for (int f = -1; f < r->nframe; f++) {
    write_time(out, r->time, f);
    for (int j = 0; j < m->njoint; j++) {
      for (int k = 0; k < m->joint.nv[j]; k++) {
        const int v = m->joint.v[j] + k;
        if (is_shown(m, j, k) && f < 0) {
          lb_print(out, "\t%s_%s", m->dof.name[v],
                   m->dof.counts[v] == LB_COORDINATE_ANGLE ? "moment" : "force");
        } else if (is_shown(m, j, k)) {
          cell(out, torque[(size_t)f * (size_t)m->nv + (size_t)v]);
        }
      }
    }
    lb_out_text(out, "\n");
  }
}

void lb_write_sto(lb_out* out, const lb_sto* t) {
  begin(out, t->title, 1 + t->columns, t->rows, false);
  for (int row = -1; row < t->rows; row++) {
    write_time(out, t->time, row);
    for (int c = 0; c < t->columns; c++) {
      if (row < 0) {
        lb_out_text(out, "\t");
        t->heading(out, t->of, c);
      } else {
        cell(out, t->value(t->of, row, c));
      }
    }
    lb_out_text(out, "\n");
  }
}
