// Tables with a line for each moment. A table is a list of parts, each of which writes some columns
// of a line: their headings in line -1, and else their cells.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/use/motor_use.h"
#include "output/file/writers.h"
#include "recording/stress_peaks.h"

// --- cells ---

// Quoted when the name would break the table.
static void write_cell(lb_out* out, const char* name, const char* dot, const char* suffix) {
  const bool quoted = strpbrk(name, ",;\"\r\n\t") || *name == ' ' || *name == '#';
  lb_out_text(out, quoted ? "\"" : "");
  for (const char* c = name; *c; c++) {
    lb_out_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  }
  lb_print(out, "%s%s%s", dot, suffix, quoted ? "\"" : "");
}

void lb_write_name(lb_out* out, const char* name) {
  write_cell(out, name, "", "");
}

// A number that is not finite leaves its cell empty, which spreadsheets and pandas read as missing.
void lb_write_column(lb_out* out, int line, const char* name, const char* suffix,
                     const double* value) {
  lb_out_text(out, ",");
  if (line < 0) {
    write_cell(out, name, ".", suffix);
  } else {
    lb_out_number(out, *value, "");
  }
}

void lb_write_line(lb_out* out, int line, double time, const void* of, lb_table_part* const* part) {
  if (line < 0) {
    lb_out_text(out, "time");
  } else {
    lb_out_number(out, time, "");
  }
  for (int i = 0; part[i]; i++) {
    part[i](out, of, line);
  }
  lb_out_text(out, "\n");
}

static void write_table(lb_out* out, const lb_recording* r, lb_table_part* const* part) {
  for (int f = -1; f < r->nframe; f++) {
    lb_write_line(out, f, f < 0 ? 0 : r->time[f], r, part);
  }
}

static void columns(lb_out* out, int line, const char* name, int count, const char* const* suffix,
                    const double* value) {
  for (int i = 0; i < count; i++) {
    lb_write_column(out, line, name, suffix[i], value + i);
  }
}

// Index of item k of a frame's `width`; of headings, whose values are not read, in the first.
static size_t at(int frame, int width, int k) {
  return (size_t)(frame < 0 ? 0 : frame) * (size_t)width + (size_t)k;
}

// --- parts of tables of recordings ---

static void poses(lb_out* out, const void* of, int f) {
  static const char* const part[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  const lb_recording* r = of;
  for (int b = 0; b < r->model->nbody; b++) {
    const lb_transform* X = &r->pose[at(f, r->model->nbody, b)];
    const double value[] = {X->p.x, X->p.y, X->p.z, X->q.w, X->q.x, X->q.y, X->q.z};
    columns(out, f, r->model->body.name[b], 7, part, value);
  }
}

// NAME.q of a joint with one coordinate, NAME.q0, NAME.q1, ... of others, and so on with NAME.qd;
// those of an elastic body are NAME.e0, ..., NAME.ed0, ..., since its name may be a free joint's.
static void joint_columns(lb_out* out, int f, const lb_model* m, int j, const char* word, int count,
                          const double* value) {
  const bool elastic = m->joint.kind[j] == LB_LINK_ELASTIC;
  for (int i = 0; i < count; i++) {
    char suffix[24];
    if (f < 0 && elastic) {
      snprintf(suffix, sizeof suffix, "e%.3s%d", *word == 'q' ? word + 1 : word, i);
    } else if (f < 0) {
      snprintf(suffix, sizeof suffix, count == 1 ? "%.3s" : "%.3s%d", word, i);
    }
    lb_write_column(out, f, m->joint.name[j], suffix, value + i);
  }
}

static void coordinates(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  const lb_model* m = r->model;
  for (int j = 0; j < m->njoint; j++) {
    joint_columns(out, f, m, j, "q", m->joint.nq[j], r->q + at(f, m->nq, m->joint.q[j]));
  }
}

static void velocities(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  const lb_model* m = r->model;
  for (int j = 0; r->keeps & LB_KEEP_RATES && j < m->njoint; j++) {
    const size_t v = at(f, m->nv, m->joint.v[j]);
    joint_columns(out, f, m, j, "qd", m->joint.nv[j], r->qd + v);
    joint_columns(out, f, m, j, "qdd", m->joint.nv[j], r->qdd + v);
  }
}

static void torques(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  const lb_model* m = r->model;
  for (int j = 0; j < m->njoint; j++) {
    joint_columns(out, f, m, j, "tau", m->joint.nv[j], r->torque + at(f, m->nv, m->joint.v[j]));
  }
}

static void motors(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  for (int k = 0; k < r->model->nmotor; k++) {
    lb_write_column(out, f, r->model->motor.name[k], "force",
                    &r->motor[at(f, r->model->nmotor, k)]);
  }
}

// Points of one constraint follow each other, and share its name.
lb_reaction_title lb_reaction_of(const lb_model* m, int i) {
  if (i < m->njoint) {
    return (lb_reaction_title){m->joint.name[i], -1};
  }
  const int pair = i - m->njoint;
  if (pair < m->constraint.nloop) {
    return (lb_reaction_title){m->constraint.loop[pair].name, -1};
  }
  const char* name = m->constraint.item[pair].name;
  int first = pair, after = pair + 1;
  while (first > 0 && m->constraint.item[first - 1].name == name) {
    first--;
  }
  while (after < m->constraint.npair && m->constraint.item[after].name == name) {
    after++;
  }
  return (lb_reaction_title){name, after - first > 1 ? pair - first : -1};
}

int lb_reactions_shown(const lb_model* m) {
  return m->njoint + m->constraint.npair - lb_motors_count_turns(m);
}

// NAME.fx, or NAME.0.fx, NAME.1.fx, ... of several points.
static void reactions(lb_out* out, const void* of, int f) {
  static const char* const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  const lb_recording* r = of;
  const lb_model* m = r->model;
  const int width = m->njoint + m->constraint.npair;
  for (int j = 0; j < lb_reactions_shown(m); j++) { // the joints have those of turns
    const lb_reaction_title title = f < 0 ? lb_reaction_of(m, j) : (lb_reaction_title){NULL, -1};
    const lb_reaction* x = &r->reaction[at(f, width, j)];
    const double value[] = {x->force.x,  x->force.y,  x->force.z,
                            x->moment.x, x->moment.y, x->moment.z};
    for (int i = 0; i < 6; i++) {
      char suffix[24];
      if (title.point >= 0) {
        snprintf(suffix, sizeof suffix, "%d.%s", title.point, part[i]);
      }
      lb_write_column(out, f, title.name, title.point < 0 ? part[i] : suffix, &value[i]);
    }
  }
}

// Both bounds of a coupling have its name. Those of motors are columns of the motion.
static void couplings(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  const lb_model* m = r->model;
  for (int k = 0; k < m->constraint.ncoupling - lb_motors_count_constraints(m); k++) {
    const lb_model_coupling* x = &m->constraint.coupling[k];
    lb_write_column(out, f, x->name,
                    !x->unilateral ? "force"
                    : x->sign > 0  ? "least"
                                   : "most",
                    &r->coupling[at(f, m->constraint.ncoupling, k)]);
  }
}

static void channels(lb_out* out, const void* of, int f) {
  const lb_recording* r = of;
  for (int c = 0; c < r->nchannel; c++) {
    lb_write_column(out, f, r->channel[c].name, r->channel[c].what,
                    &r->force[at(f, r->nchannel, c)]);
  }
}

// --- tables of recordings ---

static lb_table_part* const TRAJECTORY[] = {poses, coordinates, velocities, motors, NULL};
static lb_table_part* const FORCES[] = {channels, NULL};
static lb_table_part* const TORQUES[] = {torques, motors, NULL};
static lb_table_part* const REACTIONS[] = {reactions, couplings, NULL};

void lb_write_csv_line(lb_out* out, const lb_recording* r, int f) {
  lb_write_line(out, f, f < 0 ? 0 : r->time[f], r, TRAJECTORY);
}

void lb_write_csv(lb_out* out, const lb_recording* r) {
  write_table(out, r, TRAJECTORY);
}

void lb_write_torques(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  write_table(out, r, TORQUES);
}

void lb_write_reactions(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  write_table(out, r, REACTIONS);
}

void lb_write_forces(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  write_table(out, r, FORCES);
}

static void numbers(lb_out* out, int count, const double* value) {
  for (int i = 0; i < count; i++) {
    lb_out_text(out, ",");
    lb_out_number(out, value[i], "");
  }
}

static void write_contact(lb_out* out, const lb_recording* r, int frame, const lb_body_contact* c) {
  const double time = r->time[frame], length = frame > 0 ? time - r->time[frame - 1] : 0;
  const double value[] = {c->point.x,  c->point.y,
                          c->point.z,  c->normal.x,
                          c->normal.y, c->normal.z,
                          c->force.x,  c->force.y,
                          c->force.z,  c->slip.x,
                          c->slip.y,   c->slip.z,
                          c->gap,      length * lb_vec3_norm(c->force),
                          c->time};
  char id[24];
  lb_out_number(out, time, "");
  for (int k = 0; k < 2; k++) {
    lb_out_text(out, ",");
    lb_write_name(out, lb_model_toucher(r->model, c->body[k]));
  }
  snprintf(id, sizeof id, ",%" PRIu64, c->id);
  lb_out_text(out, id);
  numbers(out, (int)(sizeof value / sizeof *value), value);
  lb_out_text(out, "\n");
}

void lb_write_contacts(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  lb_out_text(
      out, "time,first,second,id,x,y,z,nx,ny,nz,fx,fy,fz,slip.x,slip.y,slip.z,gap,impulse,last\n");
  for (int f = 0; f < r->nframe; f++) {
    const lb_body_contact* point = NULL;
    const int n = lb_recording_contacts(r, f, &point);
    for (int i = 0; i < n; i++) {
      write_contact(out, r, f, &point[i]);
    }
  }
}

// A line for each element of each elastic body, as in its mesh: its middle, undeformed, in the
// body's frame, its largest stress, and when that was.
void lb_write_stress(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)s;
  lb_out_text(out, "body,element,x,y,z,mises,time\n");
  for (int e = 0; e < r->model->elastic.count; e++) {
    const lb_stress_peaks* p = &r->stress[e];
    for (int i = 0; p->of && i < p->of->nelem; i++) {
      const int k = p->of->place[i];
      const lb_vec3 at = p->of->at[k];
      const double value[] = {i, at.x, at.y, at.z, p->largest[k], p->time[k]};
      lb_write_name(out, r->model->body.name[r->model->elastic.body[e].body]);
      numbers(out, (int)(sizeof value / sizeof *value), value);
      lb_out_text(out, "\n");
    }
  }
}
