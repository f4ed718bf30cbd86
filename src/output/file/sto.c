// Tables that OpenSim's tools open: coordinates that have names, and generalised forces on them.
#include <math.h>
#include <string.h>

#include "limber/analysis.h"
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

static void begin(lb_out* out, const char* title, int columns, int rows) {
  lb_print(out, "%s\nversion=3\nDataType=double\nnRows=%d\nnColumns=%d\ninDegrees=no\nendheader\n",
           title, rows, columns);
}

static void cell(lb_out* out, double x) {
  lb_out_text(out, "\t");
  if (isfinite(x)) {
    lb_out_number(out, x, "");
  } else {
    lb_out_text(out, "nan");
  }
}

void lb_write_coordinates(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  (void)s;
  begin(out, "Coordinates", 1 + 2 * lb_count_named(m), r->nframe);
  for (int f = -1; f < r->nframe; f++) {
    lb_out_text(out, f < 0 ? "time" : "");
    if (f >= 0) {
      lb_out_number(out, r->time[f], "");
    }
    for (int rate = 0; rate < 2; rate++) {
      for (int j = 0; j < m->njoint; j++) {
        for (int k = 0; k < m->joint.nv[j]; k++) {
          if (!is_shown(m, j, k)) {
            continue;
          }
          if (f < 0) {
            lb_print(out, "\t/jointset/%s/%s/%s", m->joint.name[j], m->dof.name[m->joint.v[j] + k],
                     rate ? "speed" : "value");
          } else {
            cell(out, rate ? r->qd[(size_t)f * (size_t)m->nv + (size_t)(m->joint.v[j] + k)]
                           : r->q[(size_t)f * (size_t)m->nq + (size_t)(m->joint.q[j] + k)]);
          }
        }
      }
    }
    lb_out_text(out, "\n");
  }
}

void lb_write_moments(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const double* torque = s->analysis ? s->analysis->moment : r->torque;
  begin(out, "Inverse Dynamics Generalized Forces", 1 + lb_count_named(m), r->nframe);
  for (int f = -1; f < r->nframe; f++) {
    lb_out_text(out, f < 0 ? "time" : "");
    if (f >= 0) {
      lb_out_number(out, r->time[f], "");
    }
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
  begin(out, t->title, 1 + t->columns, t->rows);
  for (int row = -1; row < t->rows; row++) {
    if (row < 0) {
      lb_out_text(out, "time");
    } else {
      lb_out_number(out, t->time[row], "");
    }
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
