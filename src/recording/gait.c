// Figures of walking, from the points of contact, the poses and the work of motors in frames. What
// slides is summed over frames, times the time between them.
#include "limber/gait.h"

#include <math.h>
#include <string.h>

#include "math/curve/time_profile.h"

enum { FEET_LEAST = 2, OF_MOTOR = 3 }; // channels of a motor: force, speed, power

static double height(const lb_recording* r, lb_vec3 p) {
  const double g = lb_vec3_norm(r->model->gravity);
  return g > 0 ? -lb_vec3_dot(p, r->model->gravity) / g : p.z;
}

static lb_vec3 up_of(const lb_recording* r) {
  const double g = lb_vec3_norm(r->model->gravity);
  return g > 0 ? lb_vec3_scale(-1 / g, r->model->gravity) : lb_vec3_make(0, 0, 1);
}

// Force of scenery on a body over a frame, how fast it slides at its end, and whether it touches
// then.
typedef struct tread {
  bool down;
  double force, slip;
} tread;

static tread look_down(const lb_recording* r, int frame, int body) {
  const lb_body_contact* c = NULL;
  const int n = lb_recording_contacts(r, frame, &c);
  tread t = {0};
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const bool own = (c[i].body[0] == body && c[i].body[1] == LB_WORLD) ||
                     (c[i].body[1] == body && c[i].body[0] == LB_WORLD);
    const double size = own ? lb_vec3_norm(c[i].force) : 0;
    const double now = c[i].time >= r->time[frame] ? size : 0;
    t.down = t.down || now > 0;
    t.slip += now * lb_vec3_norm(c[i].slip);
    t.force += size;
    sum += now;
  }
  t.slip = sum > 0 ? t.slip / sum : 0;
  return t;
}

// --- what walks ---

static double find_period(const lb_recording* r) {
  double period = 0;
  for (int i = 0; i < r->model->nmotor; i++) {
    const lb_profile* p = r->model->motor.profile[i];
    period = p ? fmax(period, p->period) : period;
  }
  return period;
}

static bool repeats(const lb_model* m, int motor) {
  return m->motor.profile[motor] && m->motor.profile[motor]->period > 0;
}

// The body on the free joint at the root of a body's tree, or -1.
static int find_root(const lb_model* m, int body) {
  int link = m->body.link[body];
  while (link != LB_WORLD && m->link.parent[link] != LB_WORLD) {
    link = m->link.parent[link];
  }
  const int joint = link == LB_WORLD ? -1 : m->link.joint[link];
  return joint >= 0 && m->joint.kind[joint] == LB_JOINT_FREE ? m->joint.body[joint] : -1;
}

// Where every foot is its own root, as in maximal coordinates, the heaviest body carries them.
static int find_trunk(const lb_model* m, int first, bool several) {
  int trunk = find_root(m, first);
  for (int b = 0; b < m->nbody && trunk == first && several; b++) {
    trunk = m->body.mass[b].mass > m->body.mass[trunk].mass && find_root(m, b) >= 0 ? b : trunk;
  }
  return trunk;
}

static void tread_frames(const lb_recording* r, lb_gait_foot* foot, bool* down) {
  for (int f = 0; f < r->nframe; f++) {
    down[f] = look_down(r, f, foot->body).down;
  }
  foot->down = down;
}

static bool comes_and_goes(const lb_recording* r, const lb_gait_foot* foot) {
  int falls = 0, leaves = 0;
  for (int f = 1; f < r->nframe; f++) {
    falls += foot->down[f] && !foot->down[f - 1];
    leaves += !foot->down[f] && foot->down[f - 1];
  }
  return falls > 0 && leaves > 0;
}

static void mark_touching(const lb_recording* r, bool* touches) {
  for (int f = 0; f < r->nframe; f++) {
    const lb_body_contact* c = NULL;
    const int n = lb_recording_contacts(r, f, &c);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 2; k++) {
        const bool is_body = c[i].body[k] != LB_WORLD && c[i].body[k] < r->model->nbody;
        if (is_body && c[i].body[!k] == LB_WORLD) {
          touches[c[i].body[k]] = true;
        }
      }
    }
  }
}

// Feet, each with room for its frames behind the last; false: there is no memory.
static bool find_feet(const lb_recording* r, lb_gait* G) {
  const size_t nbody = (size_t)r->model->nbody, nframe = (size_t)r->nframe;
  bool* touches = lb_allocate(G->allocator, nbody + 1);
  int count = 0;
  if (!touches) {
    return false;
  }
  memset(touches, 0, nbody + 1);
  mark_touching(r, touches);
  for (size_t b = 0; b < nbody; b++) {
    count += touches[b];
  }
  const size_t head = ((size_t)count + 1) * sizeof *G->foot;
  G->foot = lb_allocate(G->allocator, head + (size_t)count * nframe);
  bool* down = G->foot ? (bool*)((char*)G->foot + head) : NULL;
  for (size_t b = 0; b < nbody && G->foot; b++) {
    if (touches[b] && find_root(r->model, (int)b) >= 0) {
      lb_gait_foot* foot = &G->foot[G->nfoot];
      *foot = (lb_gait_foot){.body = (int)b};
      tread_frames(r, foot, down + (size_t)G->nfoot * nframe);
      G->nfoot += comes_and_goes(r, foot);
    }
  }
  lb_release(G->allocator, touches);
  return G->foot;
}

// --- figures ---

// Frames that figures are of: the last whole cycles.
static void find_window(const lb_recording* r, lb_gait* G, int window[2]) {
  static const double NEARLY = 1e-6;
  const double end = r->time[r->nframe - 1], all = (end - r->time[0]) / G->period + NEARLY;
  G->cycles = all >= 2 ? (int)all - 1 : (int)all;
  const double begin = end - G->cycles * G->period;
  window[1] = r->nframe - 1;
  window[0] = 0;
  while (window[0] < window[1] && r->time[window[0]] < begin - NEARLY * G->period) {
    window[0]++;
  }
  G->from = r->time[window[0]];
  G->to = end;
}

static lb_transform pose_of(const lb_recording* r, int frame, int body) {
  return r->pose[(size_t)frame * (size_t)r->model->nbody + (size_t)body];
}

static lb_vec3 place_of(const lb_recording* r, int frame, int body) {
  return lb_transform_point(pose_of(r, frame, body), r->model->body.mass[body].com);
}

static lb_vec3 level_way(const lb_recording* r, int trunk, int from, int to) {
  const lb_vec3 way = lb_vec3_sub(place_of(r, to, trunk), place_of(r, from, trunk)), up = up_of(r);
  return lb_vec3_sub(way, lb_vec3_scale(lb_vec3_dot(way, up), up));
}

static void look_at_feet(const lb_recording* r, lb_gait* G, const int window[2]) {
  for (int i = 0; i < G->nfoot; i++) {
    lb_gait_foot* foot = &G->foot[i];
    double down = 0;
    for (int f = window[0] + 1; f <= window[1]; f++) {
      const tread t = look_down(r, f, foot->body);
      const double dt = r->time[f] - r->time[f - 1];
      down += t.down ? dt : 0;
      foot->slip += t.slip * dt / G->cycles;
      foot->force = fmax(foot->force, t.force);
    }
    foot->duty = down / (G->to - G->from);
    G->slip += foot->slip;
  }
}

// Angles of what was upright in the first frame, about an axis across and one along the way.
static void look_at_trunk(const lb_recording* r, lb_gait* G, const int window[2]) {
  const lb_vec3 up = up_of(r), way = level_way(r, G->trunk, window[0], window[1]);
  const double length = lb_vec3_norm(way);
  const lb_vec3 x = length > 0 ? lb_vec3_scale(1 / length, way) : lb_vec3_make(1, 0, 0);
  const lb_vec3 y = lb_vec3_cross(up, x);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const lb_vec3 upright =
      lb_quat_rotate(lb_quat_conjugate(pose_of(r, 0, G->trunk).q), up); // in the body
  for (int f = window[0]; f <= window[1]; f++) {
    const lb_vec3 u = lb_quat_rotate(pose_of(r, f, G->trunk).q, upright);
    const double value[3] = {height(r, place_of(r, f, G->trunk)),
                             atan2(lb_vec3_dot(u, x), lb_vec3_dot(u, up)),
                             atan2(lb_vec3_dot(u, y), lb_vec3_dot(u, up))};
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], value[k]);
      high[k] = fmax(high[k], value[k]);
    }
  }
  G->heave = high[0] - low[0];
  G->pitch = high[1] - low[1];
  G->roll = high[2] - low[2];
  G->stride = length / G->cycles;
  G->speed = length / (G->to - G->from);
  G->distance = lb_vec3_norm(level_way(r, G->trunk, 0, r->nframe - 1));
}

static double channel_at(const lb_recording* r, int frame, int motor, int which) {
  return r->force[(size_t)frame * (size_t)r->nchannel + (size_t)(OF_MOTOR * motor + which)];
}

static void look_at_motor(const lb_recording* r, lb_gait* G, const int window[2], int motor) {
  double mean = 0, peak = 0;
  for (int f = window[0] + 1; f <= window[1]; f++) {
    const double size = fabs(channel_at(r, f, motor, 0));
    mean += size * (r->time[f] - r->time[f - 1]) / (G->to - G->from);
    peak = fmax(peak, size);
  }
  if (peak > G->torque_peak) {
    G->torque_peak = peak;
    G->torque_mean = mean;
  }
}

static void look_at_motors(const lb_recording* r, lb_gait* G, const int window[2]) {
  const lb_model* m = r->model;
  const double *from = r->work[window[0]], *to = r->work[window[1]];
  double mass = 0;
  for (int b = 0; b < m->nbody; b++) {
    mass += m->body.mass[b].mass;
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (repeats(m, i)) {
      look_at_motor(r, G, window, i);
    }
  }
  for (int f = window[0] + 1; f <= window[1]; f++) {
    double power = 0;
    for (int i = 0; i < m->nmotor; i++) {
      power += repeats(m, i) ? channel_at(r, f, i, 2) : 0;
    }
    G->power_peak = fmax(G->power_peak, power);
  }
  G->power_mean = (to[1] - from[1]) / (G->to - G->from);
  G->energy = (to[0] - from[0]) / G->cycles;
  const double lifted = mass * lb_vec3_norm(m->gravity) * G->stride;
  G->transport = lifted > 0 ? G->energy / lifted : NAN;
}

// --- curves of the last cycle ---

static bool take_curves(const lb_recording* r, lb_gait* G) {
  const lb_model* m = r->model;
  const double begin = G->to - G->period * (1 + 1e-6);
  int first = r->nframe - 1;
  while (first > 0 && r->time[first - 1] >= begin) {
    first--;
  }
  for (int i = 0; i < m->nmotor; i++) {
    G->nmotor += repeats(m, i);
  }
  const size_t n = (size_t)(G->nsample = r->nframe - first), motors = (size_t)G->nmotor;
  G->curve = lb_allocate(G->allocator, (2 + motors) * n * sizeof(double) + motors * sizeof(int));
  if (!G->curve) {
    return false;
  }
  G->phase = G->curve;
  G->power = G->phase + n;
  G->torque = G->power + n;
  G->motor = (int*)(G->torque + motors * n);
  for (int i = 0, k = 0; i < m->nmotor; i++) {
    if (repeats(m, i)) {
      G->motor[k++] = i;
    }
  }
  for (int s = 0; s < G->nsample; s++) {
    G->phase[s] = r->time[first + s] - r->time[first];
    G->power[s] = 0;
    for (int k = 0; k < G->nmotor; k++) {
      G->torque[(size_t)k * n + (size_t)s] = channel_at(r, first + s, G->motor[k], 0);
      G->power[s] += channel_at(r, first + s, G->motor[k], 2);
    }
  }
  return true;
}

// --- all of it ---

static bool walks(const lb_recording* r, lb_gait* G) {
  int window[2];
  if (G->nfoot < FEET_LEAST) {
    return false;
  }
  G->trunk = find_trunk(r->model, G->foot[0].body, G->nfoot > 1);
  find_window(r, G, window);
  if (G->trunk < 0 || G->cycles < 1) {
    return false;
  }
  look_at_feet(r, G, window);
  look_at_trunk(r, G, window);
  look_at_motors(r, G, window);
  return true;
}

lb_status lb_gait_create(const lb_recording* r, lb_gait** gait, lb_error* err) {
  const double period = r->nframe > 1 ? find_period(r) : 0;
  *gait = NULL;
  if (!(period > 0) || lb_recording_ncontact(r) == 0) {
    return LB_OK;
  }
  lb_gait* G = lb_allocate(r->allocator, sizeof *G);
  if (G) {
    *G = (lb_gait){.allocator = r->allocator, .period = period};
  }
  const bool found = G && find_feet(r, G), walk = found && walks(r, G);
  if (!found || (walk && !take_curves(r, G))) {
    lb_gait_release(G);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the gait");
  }
  if (walk) {
    *gait = G;
  } else {
    lb_gait_release(G);
  }
  return LB_OK;
}

void lb_gait_release(lb_gait* G) {
  if (G) {
    lb_release(G->allocator, G->curve);
    lb_release(G->allocator, G->foot);
    lb_release(G->allocator, G);
  }
}
