// The numbers inside report.html that its script draws: curves over time, paths, and where to look
// from. They are thinned so that the page stays light, and packed as base64.
#include "record/report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/use/motor_use.h"
#include "record/file/writers.h"
#include "record/report/deformed.h"

enum {
  MOST_POINTS = 2000,       // of a curve
  LEAST_POINTS = 40,        // however many curves there are
  MOST_VALUES = 120 * 1000, // of all the curves together
};

// How many coordinates of a joint are shown. Those of an elastic body mean nothing to people; how
// far its faces have moved does.
static int curves(const lb_model* m, int joint) {
  return m->joint_kind[joint] < LB_JOINT_COUNT ? m->joint_nq[joint] : 0;
}

// Of what a joint's coordinates need, by inverse dynamics.
static int efforts(const lb_recording* r, int joint) {
  const bool shown = r->keeps & LB_KEEP_TORQUES && r->model->joint_kind[joint] < LB_JOINT_COUNT;
  return shown ? r->model->joint_nv[joint] : 0;
}

// Of what passes through joints, those in loops included. What prescribes a joint's rotation is
// part of that.
static int reactions(const lb_recording* r) {
  const lb_model* m = r->model;
  return r->keeps & LB_KEEP_REACTIONS ? m->njoint + m->nloop - lb_motors_count_turns(m) : 0;
}

long lb_report_curves(const lb_recording* r) {
  const lb_model* m = r->model;
  long count = m->nmotor + reactions(r);
  for (int j = 0; j < m->njoint; j++) {
    count += curves(m, j) + efforts(r, j);
  }
  for (int e = 0; e < m->nelastic; e++) {
    count += 3 * m->elastic[e].nface;
  }
  return count;
}

// Numbers as base64 of little-endian floats, gathered in memory first.
typedef struct packed {
  lb_out bytes;
  lb_out* out;
  int ncurve;
} packed;

static void pack_begin(packed* p, lb_out* out, const char* before) {
  lb_out_text(out, before);
  p->out = out;
  p->ncurve = 0;
  p->bytes = lb_out_make(out->allocator, -1);
}

static void pack64(packed* p, double x) {
  uint64_t bits;
  const double finite = isfinite(x) ? x : 0;
  memcpy(&bits, &finite, sizeof bits);
  lb_out_u32(&p->bytes, (uint32_t)bits);
  lb_out_u32(&p->bytes, (uint32_t)(bits >> 32));
}

static void pack_end(packed* p) {
  lb_out_text(p->out, "\"");
  lb_out_base64(p->out, p->bytes.data, p->bytes.size);
  lb_out_text(p->out, "\"");
  if (p->bytes.status != LB_OK && p->out->status == LB_OK) {
    p->out->status = p->bytes.status;
  }
  lb_out_release(&p->bytes);
}

// The frames that the curves go through.
typedef struct samples {
  const lb_recording* r;
  int n;
} samples;

static int sample(const samples* s, int i) {
  return lb_frame_shown(s->r->nframe, s->n, i);
}

static void data_f64(lb_out* out, const char* before, const samples* s, const double* x) {
  packed p;
  pack_begin(&p, out, before);
  for (int i = 0; i < s->n; i++) {
    pack64(&p, x[sample(s, i)]);
  }
  pack_end(&p);
}

static void data_f32(packed* p, const samples* s, const double* x, int width, int column) {
  if (p->ncurve++ >= LB_REPORT_CURVES) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    lb_out_f32(&p->bytes, x[(size_t)sample(s, i) * (size_t)width + (size_t)column]);
  }
}

// One component of how far a face has moved.
static void data_bending(packed* p, const samples* s, int e, int component) {
  if (p->ncurve++ >= LB_REPORT_CURVES) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    const lb_vec3 d = lb_bent_face(s->r, sample(s, i), e, component / 3);
    const double part[3] = {d.x, d.y, d.z};
    lb_out_f32(&p->bytes, part[component % 3]);
  }
}

// The size of the force through a joint.
static void data_reaction(packed* p, const samples* s, int joint) {
  const size_t count = (size_t)s->r->model->njoint + (size_t)s->r->model->nloop;
  if (p->ncurve++ >= LB_REPORT_CURVES) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    const lb_reaction* x = &s->r->reaction[(size_t)sample(s, i) * count + (size_t)joint];
    lb_out_f32(&p->bytes, lb_vec3_norm(x->force));
  }
}

// Name of one curve, and the plot it belongs to.
static void series(lb_out* out, int* count, const char* name, const char* suffix,
                   const char* group) {
  if (*count >= LB_REPORT_CURVES) {
    return;
  }
  lb_out_text(out, (*count)++ ? ",\n{\"name\":\"" : "\n{\"name\":\"");
  lb_out_json_part(out, name);
  lb_out_texts(out, suffix, "\",\"group\":\"", group, "\"}", NULL);
}

// What the coordinates of each joint are.
typedef struct coordinate {
  const char* suffix;
  const char* group;
} coordinate;

static const coordinate COORDINATE[LB_JOINT_COUNT][LB_JOINT_MOST_Q] = {
    [LB_JOINT_REVOLUTE] = {{"", "angle"}},
    [LB_JOINT_PRISMATIC] = {{"", "distance"}},
    [LB_JOINT_UNIVERSAL] = {{" first", "angle"}, {" second", "angle"}},
    [LB_JOINT_SPHERICAL] = {{" w", "quaternion"},
                            {" x", "quaternion"},
                            {" y", "quaternion"},
                            {" z", "quaternion"}},
    [LB_JOINT_FREE] = {{" x", "distance"},
                       {" y", "distance"},
                       {" z", "distance"},
                       {" w", "quaternion"},
                       {" x", "quaternion"},
                       {" y", "quaternion"},
                       {" z", "quaternion"}},
};

static coordinate coordinate_of(const lb_model* m, int joint, int i) {
  static const char* const SUFFIX[] = {" 1", " 2", " 3", " 4", " 5", " 6"};
  static const char* const GROUP[] = {[LB_COORDINATE_ANGLE] = "angle",
                                      [LB_COORDINATE_LENGTH] = "distance",
                                      [LB_COORDINATE_NUMBER] = "parameter"};
  if (m->joint_kind[joint] <= LB_JOINT_FREE) {
    return COORDINATE[m->joint_kind[joint]][i];
  }
  return (coordinate){m->joint_nq[joint] > 1 ? SUFFIX[i] : "",
                      GROUP[m->counts[m->joint_v[joint] + i]]};
}

// Does a motor push, rather than turn?
static bool pushes(const lb_model* m, int motor) {
  const int v = m->motor_v[motor];
  return v < 0 ? m->loop[m->motor_loop[motor]].kind == LB_JOINT_PRISMATIC
               : m->counts[v] != LB_COORDINATE_ANGLE;
}

// Motors come first, so that a multitude of coordinates does not crowd them out.
static void data_series(lb_out* out, const lb_recording* r) {
  const lb_model* m = r->model;
  int count = 0;
  lb_out_text(out, ",\n\"series\":[");
  for (int k = 0; k < m->nmotor; k++) {
    series(out, &count, m->motor_name[k], "", pushes(m, k) ? "force" : "torque");
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < efforts(r, j); i++) {
      char suffix[16] = "";
      if (efforts(r, j) > 1) {
        snprintf(suffix, sizeof suffix, " %d", i);
      }
      series(out, &count, m->joint_name[j], suffix, "effort");
    }
  }
  for (int j = 0; j < reactions(r); j++) {
    const lb_reaction_title title = lb_reaction_of(m, j);
    char suffix[16] = "";
    if (title.point >= 0) {
      snprintf(suffix, sizeof suffix, " %d", title.point);
    }
    series(out, &count, title.name, suffix, "reaction");
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < curves(m, j); i++) {
      const coordinate c = coordinate_of(m, j, i);
      series(out, &count, m->joint_name[j], c.suffix, c.group);
    }
  }
  for (int e = 0; e < m->nelastic; e++) {
    for (int i = 0; i < 3 * m->elastic[e].nface; i++) {
      static const char* const axis[] = {" x", " y", " z"};
      char suffix[80];
      snprintf(suffix, sizeof suffix, " %.64s%s", m->elastic[e].face[i / 3], axis[i % 3]);
      series(out, &count, m->body_name[m->elastic[e].body], suffix, "bending");
    }
  }
  lb_out_text(out, "]");
}

static void data_values(lb_out* out, const samples* s) {
  const lb_recording* r = s->r;
  const lb_model* m = r->model;
  packed p;
  pack_begin(&p, out, ",\n\"values\":");
  for (int k = 0; k < m->nmotor; k++) {
    data_f32(&p, s, r->motor, m->nmotor, k);
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < efforts(r, j); i++) {
      data_f32(&p, s, r->torque, m->nv, m->joint_v[j] + i);
    }
  }
  for (int j = 0; j < reactions(r); j++) {
    data_reaction(&p, s, j);
  }
  for (int j = 0; j < m->njoint; j++) {
    for (int i = 0; i < curves(m, j); i++) {
      data_f32(&p, s, r->q, m->nq, m->joint_q[j] + i);
    }
  }
  for (int e = 0; e < m->nelastic; e++) {
    for (int i = 0; i < 3 * m->elastic[e].nface; i++) {
      data_bending(&p, s, e, i);
    }
  }
  pack_end(&p);
}

static void data_number(lb_out* out, const char* before, double x) {
  lb_out_text(out, before);
  lb_out_number(out, x, "0");
}

static void data_view(lb_out* out, const samples* s, const lb_view* v) {
  const lb_model* m = s->r->model;
  data_number(out, ",\n\"view\":{\"centre\":[", v->centre.x);
  data_number(out, ",", v->centre.y);
  data_number(out, ",", v->centre.z);
  data_number(out, "],\"wide\":", v->wide);
  data_number(out, ",\"tall\":", v->tall);
  data_number(out, ",\"deep\":", v->deep);
  data_number(out, ",\"radius\":", v->radius);
  data_number(out, ",\"near\":", v->near);
  data_number(out, ",\"azimuth\":", v->azimuth);
  data_number(out, ",\"elevation\":", v->elevation);
  data_number(out, ",\"ground\":", v->ground);
  lb_out_texts(out, ",\"follow\":", v->follow ? "true" : "false", ",\"moving\":[", NULL);
  for (int b = 0, n = 0; b < m->nbody; b++) {
    if (m->body_link[b] != LB_WORLD) {
      lb_out_text(out, n++ ? "," : "");
      lb_out_long(out, b);
    }
  }
  lb_out_text(out, "],\"paths\":[");
  for (int k = 0; k < v->ntrace; k++) {
    packed p;
    pack_begin(&p, out, k ? "," : "");
    for (int i = 0; i < s->n; i++) {
      const lb_vec3 at = lb_view_trace(s->r, sample(s, i), v->trace[k]);
      lb_out_f32(&p.bytes, at.x);
      lb_out_f32(&p.bytes, at.y);
      lb_out_f32(&p.bytes, at.z);
    }
    pack_end(&p);
  }
  lb_out_text(out, "]}");
}

void lb_report_data(lb_out* out, const lb_recording* r, const lb_view* view) {
  const long all = lb_report_curves(r);
  const int wide = all < LB_REPORT_CURVES ? (int)all : LB_REPORT_CURVES;
  const int most = wide * MOST_POINTS > MOST_VALUES ? MOST_VALUES / wide : MOST_POINTS;
  const samples s = {r, lb_frames_shown(r->nframe, most > LEAST_POINTS ? most : LEAST_POINTS)};
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-data\">\n{");
  data_f64(out, "\"time\":", &s, r->time);
  data_f64(out, ",\n\"kinetic\":", &s, r->kinetic);
  data_f64(out, ",\n\"potential\":", &s, r->potential);
  data_view(out, &s, view);
  data_series(out, r);
  data_values(out, &s);
  lb_out_text(out, "}\n</script>\n");
}
