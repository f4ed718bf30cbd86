// Motion in a glTF file: bodies and springs.
#include <math.h>
#include <string.h>

#include "output/file/writers.h"
#include "output/gltf/gltf.h"
#include "output/report/deformed.h"

// --- frames ---

// Frames whose times still rise after rounding to float, which animations need.
static void choose_frames(lb_gltf* g, int most) {
  const lb_recording* r = g->r;
  const int shown = lb_frames_shown(r->nframe, most);
  g->frame = LB_TAKE(&g->arena, int, shown);
  float last = -1;
  for (int i = 0; i < shown && !lb_gltf_failed(g); i++) {
    const int f = lb_frame_shown(r->nframe, shown, i);
    const float t = lb_gltf_float(r->time[f] - r->time[0]);
    if (t > last && isfinite(r->time[f])) {
      g->frame[g->nframe++] = f;
      last = t;
    }
  }
}

void lb_gltf_add_times(lb_gltf* g) {
  if (g->time >= 0) {
    return;
  }
  lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_TIME, LB_GLTF_FLOAT, g->nframe, "SCALAR");
  for (int i = 0; i < g->nframe; i++) {
    const double t = g->r->time[g->frame[i]] - g->r->time[0];
    lb_gltf_put(g, &a, &t, 1);
  }
  g->time = lb_gltf_add(g, a);
}

// --- poses ---

static bool is_finite(lb_transform X) {
  return isfinite(X.p.x + X.p.y + X.p.z) && isfinite(X.q.w + X.q.x + X.q.y + X.q.z);
}

lb_transform lb_gltf_pose(lb_transform before, lb_transform X) {
  if (!is_finite(X)) {
    return before;
  }
  const lb_quat a = before.q;
  lb_quat q = lb_quat_normalise(X.q);
  if (a.w * q.w + a.x * q.x + a.y * q.y + a.z * q.z < 0) {
    q = (lb_quat){-q.w, -q.x, -q.y, -q.z};
  }
  return (lb_transform){.q = q, .p = X.p};
}

void lb_gltf_move(lb_gltf* g, int node, const lb_transform* pose) {
  lb_gltf_add_times(g);
  lb_out* out = &g->bytes[LB_GLTF_MOTION];
  lb_transform X = lb_transform_identity();
  const lb_gltf_accessor t = lb_gltf_begin(g, LB_GLTF_MOTION, LB_GLTF_FLOAT, g->nframe, "VEC3");
  for (int i = 0; i < g->nframe; i++) {
    X = lb_gltf_pose(X, pose[i]);
    lb_gltf_put3(g, LB_GLTF_MOTION, X.p);
  }
  const lb_gltf_accessor q = lb_gltf_begin(g, LB_GLTF_MOTION, LB_GLTF_FLOAT, g->nframe, "VEC4");
  X = lb_transform_identity();
  for (int i = 0; i < g->nframe; i++) {
    X = lb_gltf_pose(X, pose[i]);
    const double turn[4] = {X.q.x, X.q.y, X.q.z, X.q.w};
    for (int k = 0; k < 4; k++) {
      lb_out_f32(out, turn[k]);
    }
  }
  lb_gltf_add_channel(g, node, "translation", lb_gltf_add(g, t));
  lb_gltf_add_channel(g, node, "rotation", lb_gltf_add(g, q));
}

// True when the frames are not all the same.
static bool moves(const lb_gltf* g, const lb_transform* pose) {
  for (int i = 1; i < g->nframe; i++) {
    if (memcmp(&pose[i], &pose[0], sizeof *pose) != 0) {
      return true;
    }
  }
  return false;
}

void lb_gltf_collect_motion(lb_gltf* g, int most) {
  g->time = -1;
  choose_frames(g, most);
  lb_transform* pose = LB_TAKE(&g->arena, lb_transform, g->nframe);
  for (int b = 0; b < g->m->nbody && !lb_gltf_failed(g); b++) {
    for (int i = 0; i < g->nframe; i++) {
      pose[i] = g->r->pose[(size_t)g->frame[i] * (size_t)g->m->nbody + (size_t)b];
    }
    if (moves(g, pose)) {
      lb_gltf_move(g, lb_gltf_body_node(b), pose);
    }
    lb_gltf_look(g);
  }
}

// --- springs ---

double lb_gltf_spring_radius(const lb_gltf* g, int frame, int spring) {
  return lb_bent_radius(g->r, frame, spring, LB_SPRING_THICKNESS * g->size);
}

lb_transform lb_gltf_spring_pose(const lb_gltf* g, int frame, int spring, double* length) {
  lb_vec3 end[2];
  lb_bent_line(g->r, frame, spring, end);
  const lb_vec3 d = lb_vec3_sub(end[1], end[0]);
  *length = lb_vec3_norm(d);
  const bool some = isfinite(*length) && *length > 1e-9 * g->size;
  *length = some ? *length : 1e-9 * g->size;
  return (lb_transform){some ? lb_quat_from_z(lb_vec3_scale(1 / *length, d)) : lb_quat_identity(),
                        lb_vec3_scale(0.5, lb_vec3_add(end[0], end[1]))};
}

// Springs are unit cylinders that are moved, turned and stretched.
static void move_spring(lb_gltf* g, int spring, lb_transform* pose) {
  double length;
  for (int i = 0; i < g->nframe; i++) {
    pose[i] = lb_gltf_spring_pose(g, g->frame[i], spring, &length);
  }
  if (!moves(g, pose)) {
    return;
  }
  const int node = lb_gltf_spring_node(g, spring);
  lb_gltf_move(g, node, pose);
  const lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_MOTION, LB_GLTF_FLOAT, g->nframe, "VEC3");
  for (int i = 0; i < g->nframe; i++) {
    lb_gltf_spring_pose(g, g->frame[i], spring, &length);
    const double radius = lb_gltf_spring_radius(g, g->frame[i], spring);
    lb_gltf_put3(g, LB_GLTF_MOTION, lb_vec3_make(radius, radius, length));
  }
  lb_gltf_add_channel(g, node, "scale", lb_gltf_add(g, a));
}

void lb_gltf_collect_springs(lb_gltf* g) {
  lb_transform* pose = LB_TAKE(&g->arena, lb_transform, g->nframe);
  for (int i = 0; i < lb_bent_lines(g->m) && !lb_gltf_failed(g); i++) {
    move_spring(g, i, pose);
    lb_gltf_look(g);
  }
}
