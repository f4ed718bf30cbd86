#include "output/report/report_arrows.h"

#include "model/use/link.h"
#include "output/file/writers.h"
#include "output/report/deformed.h"

enum {
  MOST_ARROWS = 200,
  NUMBERS = 6,              // of an arrow in a frame: its place and its force
  MOST_VALUES = 120 * 1000, // of all arrows
  LEAST_FRAMES = 40,
  MOST_FRAMES = 1000
};

// An arrow: what it belongs to, and two numbers for the function that finds it.
typedef struct arrow {
  const char *name, *group;
  int of, at;
  void (*find)(const lb_recording* r, int frame, const struct arrow* a, lb_vec3 out[2]);
} arrow;

// Somebody who is shown all of them.
typedef struct viewer {
  void (*see)(void* context, const arrow* a);
  void* context;
} viewer;

static lb_transform pose_of(const lb_recording* r, int frame, int body) {
  return body == LB_WORLD || body >= r->model->nbody // ropes and deformables have none
             ? lb_transform_identity()
             : r->pose[(size_t)frame * (size_t)r->model->nbody + (size_t)body];
}

// --- contacts: grounds, floors, distances and prescribed points ---

// Where a body is pushed in a frame: the mean of its points of contact, by their forces. false: it
// touches nothing.
static bool find_pressure(const lb_recording* r, int frame, int body, lb_vec3* at) {
  const lb_body_contact* c = NULL;
  const int n = lb_recording_contacts(r, frame, &c);
  lb_vec3 sum = {0, 0, 0};
  double all = 0;
  for (int i = 0; i < n; i++) {
    const bool own = c[i].body[0] == body || c[i].body[1] == body;
    const double size = own ? lb_vec3_norm(c[i].force) : 0;
    sum = lb_vec3_add(sum, lb_vec3_scale(size, c[i].point));
    all += size;
  }
  *at = all > 0 ? lb_vec3_scale(1 / all, sum) : *at;
  return all > 0;
}

// Total of a body's contacts; while it touches nothing, the arrow stays where it comes to be, or
// was, in the frames beside.
static void find_total(const lb_recording* r, int frame, const arrow* a, lb_vec3 out[2]) {
  const int body = r->channel[a->of].body;
  const double* x = r->force + (size_t)frame * (size_t)r->nchannel + (size_t)a->of;
  out[0] = pose_of(r, frame, body).p;
  out[1] = lb_vec3_make(x[0], x[1], x[2]);
  if (!find_pressure(r, frame, body, &out[0]) && !find_pressure(r, frame + 1, body, &out[0])) {
    find_pressure(r, frame - 1, body, &out[0]);
  }
}

static void find_contact(const lb_recording* r, int frame, const arrow* a, lb_vec3 out[2]) {
  const double* x = r->force + (size_t)frame * (size_t)r->nchannel + (size_t)a->of;
  out[0] = pose_of(r, frame, r->channel[a->of].body).p;
  out[1] = lb_vec3_make(x[0], x[1], x[2]);
}

static void show_contacts(const lb_recording* r, viewer v) {
  for (int i = 0; i < r->nchannel; i++) {
    const lb_channel* c = &r->channel[i];
    if (c->body >= 0) {
      const bool total = c->name == lb_model_toucher(r->model, c->body);
      v.see(v.context, &(arrow){c->name, "contacts", i, 0, total ? find_total : find_contact});
    }
  }
}

// --- springs, cables and ropes: at both ends, along the line there ---

// Tension on the end of line `at`, or on its other end when that is given as -1 - line.
static void find_pull(const lb_recording* r, int frame, const arrow* a, lb_vec3 out[2]) {
  const int last = a->at < 0, line = last ? -1 - a->at : a->at;
  const double tension = r->force[(size_t)frame * (size_t)r->nchannel + (size_t)a->of];
  lb_vec3 end[2];
  lb_bent_line(r, frame, line, end);
  const lb_vec3 way = lb_vec3_sub(end[!last], end[last]);
  const double length = lb_vec3_norm(way);
  out[0] = end[last];
  out[1] = lb_vec3_scale(length > 0 ? tension / length : 0, way);
}

static void show_ends(const char* name, int channel, int first, int last, viewer v) {
  v.see(v.context, &(arrow){name, "springs", channel, first, find_pull});
  v.see(v.context, &(arrow){name, "springs", channel, -1 - last, find_pull});
}

// The line that begins at an anchor, or -1.
static int find_line(const lb_model* m, const lb_anchor* at) {
  for (int i = 0; i < m->force.nline; i++) {
    if (m->force.line[i].at == at) {
      return i;
    }
  }
  return -1;
}

// One that acts along a direction of its own has no line.
static void show_force(const lb_model* m, const lb_model_force* f, int channel, viewer v) {
  const int first = find_line(m, f->at);
  if (first >= 0 && !(lb_vec3_norm(f->set.along) > 0)) {
    show_ends(f->set.name, channel, first, first + f->set.npoint - 2, v);
  }
}

static void show_rope(const lb_model* m, const lb_model_rope* rope, int channel, viewer v) {
  int last = m->force.nline + rope->first_segment - 1;
  for (int k = 0; k < rope->nway; k++) {
    last += rope->share[k];
  }
  show_ends(rope->name, channel, m->force.nline + rope->first_segment, last, v);
}

static void show_springs(const lb_recording* r, viewer v) {
  const lb_model* m = r->model;
  for (int c = 0; c < r->nchannel; c++) {
    for (int i = 0; i < m->force.count && r->channel[c].kind == LB_CHANNEL_TENSION; i++) {
      if (m->force.item[i].set.name == r->channel[c].name) {
        show_force(m, &m->force.item[i], c, v);
      }
    }
    for (int i = 0; i < m->particles.nrope && r->channel[c].kind == LB_CHANNEL_TENSION; i++) {
      if (m->particles.rope[i].name == r->channel[c].name) {
        show_rope(m, &m->particles.rope[i], c, v);
      }
    }
  }
}

// --- joints: what they pass to the body that they carry ---

static const lb_reaction* reaction(const lb_recording* r, int frame, int of) {
  const size_t count = (size_t)r->model->njoint + (size_t)r->model->constraint.npair;
  return &r->reaction[(size_t)frame * count + (size_t)of];
}

static void find_joint(const lb_recording* r, int frame, const arrow* a, lb_vec3 out[2]) {
  const int body = r->model->joint.body[a->of];
  const lb_transform X = pose_of(r, frame, body);
  const lb_transform link = lb_transform_inverse(r->model->body.in_link[body]);
  out[0] = lb_transform_point(X, link.p);
  out[1] = lb_quat_rotate(X.q, reaction(r, frame, a->of)->force);
}

// The frame of a loop that is on no face, which bends.
static void find_loop(const lb_recording* r, int frame, const arrow* a, lb_vec3 out[2]) {
  const lb_model_constraint* c = &r->model->constraint.item[a->of];
  const int side = c->face[1] >= 0 && c->face[0] < 0 ? 0 : 1;
  out[0] = lb_transform_point(pose_of(r, frame, c->body[side]), c->frame[side].p);
  out[1] = lb_quat_rotate(pose_of(r, frame, c->body[1]).q,
                          reaction(r, frame, r->model->njoint + a->of)->force);
}

static void show_joints(const lb_recording* r, viewer v) {
  const lb_model* m = r->model;
  if (!(r->keeps & LB_KEEP_REACTIONS)) {
    return;
  }
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint.kind[j] < LB_JOINT_COUNT) {
      v.see(v.context, &(arrow){m->joint.name[j], "joints", j, 0, find_joint});
    }
  }
  for (int i = 0; i < m->constraint.nloop; i++) {
    v.see(v.context, &(arrow){m->constraint.item[i].name, "joints", i, 0, find_loop});
  }
}

// --- all of them ---

static void show_arrows(const lb_recording* r, viewer v) {
  show_contacts(r, v);
  show_springs(r, v);
  show_joints(r, v);
}

typedef struct listing {
  const lb_recording* r;
  lb_out* out;
  int count, frames;
} listing;

static void write_name(void* context, const arrow* a) {
  listing* l = context;
  if (l->count < MOST_ARROWS) {
    lb_print_json(l->out, "%-s{'name':%s,'group':%s}", l->count ? "," : "", a->name, a->group);
    l->count++;
  }
}

static void write_values(void* context, const arrow* a) {
  listing* l = context;
  for (int i = 0; i < l->frames && l->count < MOST_ARROWS; i++) {
    lb_vec3 x[2];
    a->find(l->r, lb_frame_shown(l->r->nframe, l->frames, i), a, x);
    for (int k = 0; k < 2; k++) {
      lb_out_f32(l->out, x[k].x);
      lb_out_f32(l->out, x[k].y);
      lb_out_f32(l->out, x[k].z);
    }
  }
  l->count++;
}

void lb_report_arrows(lb_out* out, const lb_recording* r) {
  lb_out time = lb_out_make(out->allocator, -1), numbers = lb_out_make(out->allocator, -1);
  listing names = {r, out, 0, 0}, values = {r, &numbers, 0, 0};
  lb_out_text(out, ",\n\"arrows\":{\"list\":[");
  show_arrows(r, (viewer){write_name, &names});
  if (names.count > 0) {
    int most = MOST_VALUES / (NUMBERS * names.count);
    most = most < LEAST_FRAMES ? LEAST_FRAMES : most > MOST_FRAMES ? MOST_FRAMES : most;
    values.frames = lb_frames_shown(r->nframe, most);
    show_arrows(r, (viewer){write_values, &values});
  }
  for (int i = 0; i < values.frames; i++) {
    lb_out_f32(&time, r->time[lb_frame_shown(r->nframe, values.frames, i)]);
  }
  lb_out_text(out, "],\"time\":");
  lb_out_packed(out, &time);
  lb_out_text(out, ",\"values\":");
  lb_out_packed(out, &numbers);
  lb_out_text(out, "}");
}
