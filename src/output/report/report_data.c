// The numbers inside report.html that its script draws: curves over time, paths, and where to look
// from. They are thinned so that the page stays light, and packed as base64.
#include "output/report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/use/link.h"
#include "model/use/motor_use.h"
#include "output/file/writers.h"
#include "output/report/deformed.h"
#include "output/report/report_arrows.h"

enum {
  MOST_POINTS = 2000,       // of a curve
  LEAST_POINTS = 40,        // however many curves there are
  MOST_VALUES = 120 * 1000, // of all the curves together
};

// The frames that the curves go through.
typedef struct samples {
  const lb_recording* r;
  int n;
} samples;

static int sample(const samples* s, int i) {
  return lb_frame_shown(s->r->nframe, s->n, i);
}

// Coordinates of each joint: name and plot.
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
  if (m->joint.kind[joint] <= LB_JOINT_FREE) {
    return COORDINATE[m->joint.kind[joint]][i];
  }
  return (coordinate){m->joint.nq[joint] > 1 ? SUFFIX[i] : "",
                      GROUP[m->dof.counts[m->joint.v[joint] + i]]};
}

// --- curves ---

// A curve: its name, the plot it belongs to, and its value in a frame: element `of` of an array
// with `k` a frame, or a function of two numbers.
typedef struct curve {
  const char *name, *suffix, *group;
  int of, k;
  const double* array;
  double (*value)(const lb_recording* r, int frame, int of, int k);
} curve;

// Somebody who is shown all of them.
typedef struct viewer {
  void (*see)(void* context, const curve* c);
  void* context;
} viewer;

// Size of the force through a joint.
static double reaction_value(const lb_recording* r, int frame, int of, int k) {
  const size_t count = (size_t)r->model->njoint + (size_t)r->model->constraint.npair;
  (void)k;
  return lb_vec3_norm(r->reaction[(size_t)frame * count + (size_t)of].force);
}

// One component of how far a face has moved.
static double bending_value(const lb_recording* r, int frame, int of, int k) {
  const lb_vec3 d = lb_bent_face(r, frame, of, k / 3);
  return k % 3 == 0 ? d.x : k % 3 == 1 ? d.y : d.z;
}

// Curves of a joint: what its coordinates need, by inverse dynamics, or the coordinates. Those of
// an elastic body mean nothing to people; how far its faces have moved does.
static void show_joint(const lb_recording* r, int j, bool effort, viewer v) {
  const lb_model* m = r->model;
  const bool shown = m->joint.kind[j] < LB_JOINT_COUNT && (!effort || r->keeps & LB_KEEP_TORQUES);
  const int n = !shown ? 0 : effort ? m->joint.nv[j] : m->joint.nq[j];
  for (int i = 0; i < n; i++) {
    const coordinate c = effort ? (coordinate){"", "effort"} : coordinate_of(m, j, i);
    char number[16];
    snprintf(number, sizeof number, " %d", i);
    v.see(v.context, &(curve){m->joint.name[j], effort && n > 1 ? number : c.suffix, c.group,
                              i + (effort ? m->joint.v[j] : m->joint.q[j]), effort ? m->nv : m->nq,
                              effort ? r->torque : r->q, NULL});
  }
}

// Reactions of joints, those in loops included. What prescribes a joint's rotation is part
// of that.
static void show_reactions(const lb_recording* r, viewer v) {
  const lb_model* m = r->model;
  const int n =
      r->keeps & LB_KEEP_REACTIONS ? m->njoint + m->constraint.npair - lb_motors_count_turns(m) : 0;
  for (int j = 0; j < n; j++) {
    const lb_reaction_title title = lb_reaction_of(m, j);
    char point[16];
    snprintf(point, sizeof point, " %d", title.point);
    v.see(v.context, &(curve){title.name, title.point < 0 ? "" : point, "reaction", j, 0, NULL,
                              reaction_value});
  }
}

static void show_bending(const lb_recording* r, int e, viewer v) {
  static const char* const axis[] = {" x", " y", " z"};
  const lb_model_elastic* b = &r->model->elastic.body[e];
  for (int i = 0; i < 3 * b->nface; i++) {
    char suffix[80];
    snprintf(suffix, sizeof suffix, " %.64s%s", b->face[i / 3], axis[i % 3]);
    v.see(v.context,
          &(curve){r->model->body.name[b->body], suffix, "bending", e, i, NULL, bending_value});
  }
}

// Channels of motors, or all others. A motor's force has its name alone.
static void show_channels(const lb_recording* r, bool motors, viewer v) {
  static const char* const GROUP[] = {
#define GROUP_OF(code, group, unit) group,
      LB_CHANNEL_LIST(GROUP_OF)
#undef GROUP_OF
  };
  const int own = lb_recording_first_force(r);
  for (int i = motors ? 0 : own; i < (motors ? own : r->nchannel); i++) {
    const lb_channel* c = &r->channel[i];
    char suffix[80];
    snprintf(suffix, sizeof suffix, " %s", c->what);
    v.see(v.context,
          &(curve){c->name, motors ? "" : suffix, GROUP[c->kind], i, r->nchannel, r->force, NULL});
  }
}

// Motors come first, so that a multitude of coordinates does not crowd them out.
static void show_curves(const lb_recording* r, viewer v) {
  const lb_model* m = r->model;
  show_channels(r, true, v);
  for (int j = 0; j < m->njoint; j++) {
    show_joint(r, j, true, v);
  }
  show_reactions(r, v);
  for (int j = 0; j < m->njoint; j++) {
    show_joint(r, j, false, v);
  }
  for (int e = 0; e < m->elastic.count; e++) {
    show_bending(r, e, v);
  }
  show_channels(r, false, v);
}

static void count_one(void* context, const curve* c) {
  (void)c;
  ++*(long*)context;
}

long lb_report_curves(const lb_recording* r) {
  long count = 0;
  show_curves(r, (viewer){count_one, &count});
  return count;
}

// Names or values of the curves that fit, in the making.
typedef struct listing {
  const samples* s;
  lb_out *out, values;
  int count;
} listing;

static void write_name(void* context, const curve* c) {
  listing* l = context;
  char title[200];
  if (l->count < LB_REPORT_CURVES) {
    snprintf(title, sizeof title, "%.100s%s", c->name, c->suffix);
    lb_print_json(l->out, "%-s\n{'name':%s,'group':%s}", l->count++ ? "," : "", title, c->group);
  }
}

static void write_values(void* context, const curve* c) {
  listing* l = context;
  for (int i = 0; l->count < LB_REPORT_CURVES && i < l->s->n; i++) {
    const int f = sample(l->s, i);
    lb_out_f32(&l->values, c->array ? c->array[(size_t)f * (size_t)c->k + (size_t)c->of]
                                    : c->value(l->s->r, f, c->of, c->k));
  }
  l->count++;
}

static void data_curves(lb_out* out, const samples* s) {
  listing names = {s, out, {0}, 0}, values = {s, NULL, lb_out_make(out->allocator, -1), 0};
  lb_out_text(out, ",\n\"series\":[");
  show_curves(s->r, (viewer){write_name, &names});
  lb_out_text(out, "],\n\"values\":");
  show_curves(s->r, (viewer){write_values, &values});
  lb_out_packed(out, &values.values);
}

// Times and energies in double precision.
static void data_f64(lb_out* out, const char* before, const samples* s, const double* x) {
  lb_out numbers = lb_out_make(out->allocator, -1);
  lb_out_text(out, before);
  for (int i = 0; i < s->n; i++) {
    const double value = x[sample(s, i)], finite = isfinite(value) ? value : 0;
    uint64_t bits;
    memcpy(&bits, &finite, sizeof bits);
    lb_out_u32(&numbers, (uint32_t)bits);
    lb_out_u32(&numbers, (uint32_t)(bits >> 32));
  }
  lb_out_packed(out, &numbers);
}

static void data_view(lb_out* out, const samples* s, const lb_view* v) {
  const lb_model* m = s->r->model;
  lb_print_json(
      out,
      ",\n'view':{'centre':[%g,%g,%g],'wide':%g,'tall':%g,'deep':%g,'radius':%g,'near':%g,"
      "'azimuth':%g,'elevation':%g,'ground':%g,'follow':%-s,'moving':[",
      v->centre.x, v->centre.y, v->centre.z, v->wide, v->tall, v->deep, v->radius, v->near,
      v->azimuth, v->elevation, v->ground, v->follow ? "true" : "false");
  for (int b = 0, n = 0; b < m->nbody; b++) {
    if (lb_body_moves(m, b)) {
      lb_print_json(out, "%-s%d", n++ ? "," : "", b);
    }
  }
  lb_out_text(out, "],\"paths\":[");
  for (int k = 0; k < v->ntrace; k++) {
    lb_out path = lb_out_make(out->allocator, -1);
    lb_out_text(out, k ? "," : "");
    for (int i = 0; i < s->n; i++) {
      const lb_vec3 at = lb_view_trace(s->r, sample(s, i), v->trace[k]);
      lb_out_f32(&path, at.x);
      lb_out_f32(&path, at.y);
      lb_out_f32(&path, at.z);
    }
    lb_out_packed(out, &path);
  }
  lb_out_text(out, "]}");
}

static void data_bodies(lb_out* out, const lb_model* m) {
  lb_out_text(out, ",\n\"bodies\":[");
  for (int b = 0; b < m->nbody; b++) {
    lb_print_json(out, "%-s%s", b ? "," : "", m->body.name[b]);
  }
  lb_out_text(out, "]");
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
  data_bodies(out, r->model);
  data_curves(out, &s);
  lb_report_arrows(out, r);
  lb_out_text(out, "}\n</script>\n");
}
