// The tables of a recording. trajectory.csv: time, the pose of every body, the coordinates of every
// joint, the force of every motor; one line a frame.
#include <stdio.h>
#include <string.h>

#include "model/use/motor_use.h"
#include "record/file/writers.h"

// Quoted when the name would break the table.
static void write_cell(lb_out* out, const char* name, const char* dot, const char* suffix) {
  const bool quoted = strpbrk(name, ",;\"\r\n\t") || *name == ' ' || *name == '#';
  lb_out_text(out, quoted ? "\"" : "");
  for (const char* c = name; *c; c++) {
    lb_out_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  }
  lb_out_texts(out, dot, suffix, quoted ? "\"" : "", NULL);
}

void lb_write_heading(lb_out* out, const char* name, const char* suffix) {
  lb_out_text(out, ",");
  write_cell(out, name, ".", suffix);
}

void lb_write_name(lb_out* out, const char* name) {
  write_cell(out, name, "", "");
}

// NAME.q of a joint with one coordinate, NAME.q0, NAME.q1, ... of others, and so on with NAME.qd;
// those of an elastic body are NAME.e0, ..., NAME.ed0, ..., since its name may be a free joint's.
static void joint_headings(lb_out* out, const lb_model* m, int j, const char* word, int count) {
  const bool elastic = m->joint_kind[j] == LB_LINK_ELASTIC;
  for (int i = 0; i < count; i++) {
    char suffix[24];
    if (elastic) {
      snprintf(suffix, sizeof suffix, "e%.3s%d", *word == 'q' ? word + 1 : word, i);
    } else {
      snprintf(suffix, sizeof suffix, count == 1 ? "%.3s" : "%.3s%d", word, i);
    }
    lb_write_heading(out, m->joint_name[j], suffix);
  }
}

void lb_write_csv_head(lb_out* out, const lb_recording* r) {
  static const char* const part[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  const lb_model* m = r->model;
  lb_out_text(out, "time");
  for (int b = 0; b < m->nbody; b++) {
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
      lb_write_heading(out, m->body_name[b], part[i]);
    }
  }
  for (int j = 0; j < m->njoint; j++) {
    joint_headings(out, m, j, "q", m->joint_nq[j]);
  }
  for (int j = 0; r->keeps & LB_KEEP_RATES && j < m->njoint; j++) {
    joint_headings(out, m, j, "qd", m->joint_nv[j]);
    joint_headings(out, m, j, "qdd", m->joint_nv[j]);
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

static void cells(lb_out* out, int count, const double* value) {
  for (int i = 0; i < count; i++) {
    cell(out, value[i]);
  }
}

void lb_write_csv_frame(lb_out* out, const lb_recording* r, int f) {
  const lb_model* m = r->model;
  lb_out_number(out, r->time[f], "");
  const lb_transform* pose = r->pose + (size_t)f * (size_t)m->nbody;
  for (int b = 0; b < m->nbody; b++) {
    const double part[] = {pose[b].p.x, pose[b].p.y, pose[b].p.z, pose[b].q.w,
                           pose[b].q.x, pose[b].q.y, pose[b].q.z};
    cells(out, sizeof part / sizeof *part, part);
  }
  const size_t v = (size_t)f * (size_t)m->nv;
  for (int j = 0; j < m->njoint; j++) {
    cells(out, m->joint_nq[j], r->q + (size_t)f * (size_t)m->nq + m->joint_q[j]);
  }
  for (int j = 0; r->keeps & LB_KEEP_RATES && j < m->njoint; j++) {
    cells(out, m->joint_nv[j], r->qd + v + m->joint_v[j]);
    cells(out, m->joint_nv[j], r->qdd + v + m->joint_v[j]);
  }
  cells(out, m->nmotor, r->motor + (size_t)f * (size_t)m->nmotor);
  lb_out_text(out, "\n");
}

void lb_write_csv(lb_out* out, const lb_recording* r) {
  lb_write_csv_head(out, r);
  for (int f = 0; f < r->nframe; f++) {
    lb_write_csv_frame(out, r, f);
  }
}

// inverse.csv: what each coordinate needs besides the scene's own forces, and what the motors
// exert.
void lb_write_torques(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  (void)s;
  lb_out_text(out, "time");
  for (int j = 0; j < m->njoint; j++) {
    joint_headings(out, m, j, "tau", m->joint_nv[j]);
  }
  for (int k = 0; k < m->nmotor; k++) {
    lb_write_heading(out, m->motor_name[k], "force");
  }
  for (int f = 0; f < r->nframe; f++) {
    lb_out_text(out, "\n");
    lb_out_number(out, r->time[f], "");
    for (int j = 0; j < m->njoint; j++) {
      cells(out, m->joint_nv[j], r->torque + (size_t)f * (size_t)m->nv + m->joint_v[j]);
    }
    cells(out, m->nmotor, r->motor + (size_t)f * (size_t)m->nmotor);
  }
  lb_out_text(out, "\n");
}

// Points of one constraint follow each other, and share its name.
lb_reaction_title lb_reaction_of(const lb_model* m, int i) {
  if (i < m->njoint) {
    return (lb_reaction_title){m->joint_name[i], -1};
  }
  const int loop = i - m->njoint;
  const char* name = m->loop[loop].name;
  int first = loop, after = loop + 1;
  while (first > 0 && m->loop[first - 1].name == name) {
    first--;
  }
  while (after < m->nloop && m->loop[after].name == name) {
    after++;
  }
  return (lb_reaction_title){name, after - first > 1 ? loop - first : -1};
}

// NAME.fx, or NAME.0.fx, NAME.1.fx, ... of several points.
static void reaction_headings(lb_out* out, lb_reaction_title title) {
  static const char* const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    char suffix[24];
    if (title.point < 0) {
      snprintf(suffix, sizeof suffix, "%s", part[i]);
    } else {
      snprintf(suffix, sizeof suffix, "%d.%s", title.point, part[i]);
    }
    lb_write_heading(out, title.name, suffix);
  }
}

// reactions.csv: what the joints that move and those that close loops pass to what they carry.
void lb_write_reactions(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_model* m = r->model;
  const size_t width = (size_t)m->njoint + (size_t)m->nloop;
  const int count = m->njoint + m->nloop - lb_motors_count_turns(m); // the joints have those
  (void)s;
  lb_out_text(out, "time");
  for (int j = 0; j < count; j++) {
    reaction_headings(out, lb_reaction_of(m, j));
  }
  const int ncoupling =
      m->ncoupling - lb_motors_count_constraints(m); // these are columns of the motion
  for (int k = 0; k < ncoupling; k++) {              // both bounds of a coupling have its name
    const lb_model_coupling* x = &m->coupling[k];
    lb_write_heading(out, x->name, !x->unilateral ? "force" : x->sign > 0 ? "least" : "most");
  }
  for (int f = 0; f < r->nframe; f++) {
    lb_out_text(out, "\n");
    lb_out_number(out, r->time[f], "");
    for (int j = 0; j < count; j++) {
      const lb_reaction* x = &r->reaction[(size_t)f * width + (size_t)j];
      const double value[] = {x->force.x,  x->force.y,  x->force.z,
                              x->moment.x, x->moment.y, x->moment.z};
      cells(out, sizeof value / sizeof *value, value);
    }
    cells(out, ncoupling, r->coupling + (size_t)f * (size_t)m->ncoupling);
  }
  lb_out_text(out, "\n");
}
