// Walkers of scenes/ on their ground: how far a cycle takes them, how they heave and tilt, and
// whether their pins hold.
#pragma once
#include "limber/limber.h"
#include "test.h"

// A scene, and what is to be different in it.
typedef struct ground_walk {
  lb_scene scene;
  lb_world* world;
  int chassis;
  double along, heave, pitch, roll; // of the last cycle [m, degrees]
  double gap;                       // widest between the two sides of a pin, of all steps [m]
  double upright;                   // least cosine of the angle from the vertical
} ground_walk;

static inline void open_scene(ground_walk* w, const char* name, int nset, const char* const* set) {
  char path[300];
  lb_error err = lb_error_make(NULL);
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s.yaml", name);
  const lb_scene_origin from = {.name = path, .nset = nset, .set = set};
  *w = (ground_walk){.upright = 1};
  const bool read = lb_scene_open(&from, NULL, &w->scene, &err) == LB_OK;
  w->world = read ? lb_world_create(&w->scene, NULL, &err) : NULL;
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  lb_error_clear(&err);
  assert_non_null(w->world);
}

static inline void open_walk(ground_walk* w, const char* name, int nset, const char* const* set) {
  open_scene(w, name, nset, set);
  w->chassis = lb_world_find(w->world, LB_PART_BODY, "chassis");
}

static inline void close_walk(ground_walk* w) {
  lb_world_close(w->world);
  lb_scene_release(&w->scene);
}

// Distance of a pin's sides by the poses of its bodies alone, whatever the coordinates are.
static inline double pin_gap(ground_walk* w, const lb_scene_joint* j) {
  if (j->kind != LB_JOINT_REVOLUTE) {
    return 0;
  }
  const lb_vec3 a = lb_transform_point(lb_world_pose(w->world, j->parent), j->in_parent.p);
  const lb_vec3 b = lb_transform_point(lb_world_pose(w->world, j->child), j->in_child.p);
  return lb_vec3_norm(lb_vec3_sub(a, b));
}

static inline void look_at_walk(ground_walk* w) {
  const lb_vec3 up = lb_quat_rotate(lb_world_pose(w->world, w->chassis).q, lb_vec3_make(0, 0, 1));
  w->upright = fmin(w->upright, up.z);
  w->pitch = fmax(w->pitch, fabs(atan2(up.x, up.z)) * 180 / M_PI);
  w->roll = fmax(w->roll, fabs(atan2(up.y, up.z)) * 180 / M_PI);
}

static inline void look_at_pins(ground_walk* w) {
  for (int i = 0; i < w->scene.njoint; i++) {
    w->gap = fmax(w->gap, pin_gap(w, &w->scene.joint[i]));
  }
}

static inline void step_walk(ground_walk* w, int steps) {
  for (int i = 0; i < steps; i++) {
    if (lb_world_step(w->world, 0) != LB_OK) {
      lb_error err = lb_error_make(NULL);
      lb_world_check(w->world, &err);
      print_error("%s\n", err.count ? err.message[0].text : "no step");
      lb_error_clear(&err);
      fail();
    }
    look_at_pins(w);
  }
}

// So many cycles, of which the last one is measured: the first has the start in it.
static inline void walk_cycles(ground_walk* w, double period, int cycles) {
  enum { LOOKS = 100 };
  const double h = w->scene.solver.step;
  double low = INFINITY, high = -INFINITY;
  step_walk(w, (int)lround((cycles - 1) * period / h));
  const lb_vec3 from = lb_world_pose(w->world, w->chassis).p;
  for (int i = 0; i < LOOKS; i++) {
    step_walk(w, (int)lround(period / h / LOOKS));
    const double z = lb_world_pose(w->world, w->chassis).p.z;
    low = fmin(low, z);
    high = fmax(high, z);
    look_at_walk(w);
  }
  const lb_vec3 way = lb_vec3_sub(lb_world_pose(w->world, w->chassis).p, from);
  w->along = hypot(way.x, way.y);
  w->heave = high - low;
}
