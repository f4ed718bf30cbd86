// trajectory.csv: time, the pose of every body, the coordinates of every joint, the
// force of every motor; one line a frame.
#include <stdio.h>
#include <string.h>

#include "record/writers.h"

// Quoted when the name would break the table.
void lb_write_heading(lb_out* out, const char* name, const char* suffix) {
  const size_t length = strlen(name);
  const bool quoted = strpbrk(name, ",;\"\r\n\t") || (length && (*name == ' '));
  lb_out_text(out, quoted ? ",\"" : ",");
  for (const char* c = name; *c; c++) {
    lb_out_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  }
  lb_out_texts(out, ".", suffix, quoted ? "\"" : "", NULL);
}

static void headings(lb_out* out, const lb_model* m) {
  static const char* const part[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  lb_out_text(out, "time");
  for (int b = 0; b < m->nbody; b++) {
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
      lb_write_heading(out, m->body_name[b], part[i]);
    }
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < m->joint_nq[j]; i++) {
      char suffix[16];
      const bool elastic =
          m->joint_kind[j] == LB_LINK_ELASTIC; // its name may be a free joint's, too
      snprintf(suffix, sizeof suffix, elastic ? "e%d" : "q%d", i);
      lb_write_heading(out, m->joint_name[j], m->joint_nq[j] == 1 && !elastic ? "q" : suffix);
    }
  }
  for (int k = 0; k < m->nmotor; k++) {
    lb_write_heading(out, m->motor_name[k], "force");
  }
  lb_out_text(out, "\n");
}

// A number that is not finite leaves its cell empty, which spreadsheets and pandas read as missing.
static void cell(lb_out* out, double value) {
  lb_out_text(out, ",");
  lb_out_number(out, value, "");
}

void lb_write_csv(lb_out* out, const lb_recording* r) {
  const lb_model* m = r->model;
  headings(out, m);
  for (int f = 0; f < r->nframe; f++) {
    lb_out_number(out, r->time[f], "");
    const lb_transform* pose = r->pose + (size_t)f * (size_t)m->nbody;
    for (int b = 0; b < m->nbody; b++) {
      const double part[] = {pose[b].p.x, pose[b].p.y, pose[b].p.z, pose[b].q.w,
                             pose[b].q.x, pose[b].q.y, pose[b].q.z};
      for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        cell(out, part[i]);
      }
    }
    const double* q = r->q + (size_t)f * (size_t)m->nq;
    for (int j = 0; j < m->njoint; j++) {
      for (int i = 0; i < m->joint_nq[j]; i++) {
        cell(out, q[m->joint_q[j] + i]);
      }
    }
    for (int k = 0; k < m->nmotor; k++) {
      cell(out, r->motor[(size_t)f * (size_t)m->nmotor + (size_t)k]);
    }
    lb_out_text(out, "\n");
  }
}
