// Walkers as kinematics: feet by the crank's angle, what a chassis stands on, how far it goes.
#pragma once
#include "scene/part/linkage.h"
#include "test.h"

enum { MOST_FEET = 12 };

// A scene with one linkage.
typedef struct walker {
  lb_scene scene;
  lb_scene_linkage* k;
  int foot; // point
} walker;

// Scene of a walker that is held in the air, its feet free to go.
static inline void read_held(lb_scene* s, const char* name) {
  static const char* const held[] = {"joints.stand.type=fixed"};
  char path[300];
  lb_error err = lb_error_make(NULL);
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/parts/%s.yaml", name);
  const lb_scene_origin from = {.name = path, .nset = 1, .set = held};
  if (lb_scene_open(&from, NULL, s, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
}

static inline void open_walker(walker* w, const char* name, const char* foot) {
  read_held(&w->scene, name);
  w->k = &w->scene.linkage[0];
  w->foot = 0;
  while (strcmp(w->k->point[w->foot].name, foot) != 0) {
    w->foot++;
  }
}

// Foot of a copy in the drawing's plane, with its crank at an angle [rad].
static inline void find_foot(const walker* w, const lb_linkage_copy* copy, double angle,
                             double out[2]) {
  lb_arena arena;
  double(*at)[2];
  double reached;
  lb_arena_init(&arena, NULL);
  assert_true(lb_linkage_turn_copy(&arena, w->k, copy, angle, &at, &reached));
  assert_within(reached, angle, 0);
  out[0] = at[w->foot][0];
  out[1] = at[w->foot][1];
  lb_arena_release(&arena);
}

// A foot's path over a turn, which mirrored copies have, too.
enum { SAMPLES = 720 };
typedef struct path {
  double at[SAMPLES + 1][2];
} path;

static inline void find_path(const walker* w, path* p) {
  lb_arena arena;
  lb_planar planar;
  double(*at)[2];
  lb_arena_init(&arena, NULL);
  assert_true(lb_linkage_planar(w->k, &arena, &planar, &at));
  double reached = lb_linkage_crank_angle(w->k, at);
  for (int i = 0; i <= SAMPLES; i++) {
    const double to = 2 * M_PI * i / SAMPLES;
    assert_int_equal(lb_planar_turn(&planar, at, reached, to, &arena, &reached), LB_OK);
    memcpy(p->at[i], at[w->foot], sizeof p->at[i]);
  }
  lb_arena_release(&arena);
}

// By straight lines between its samples.
static inline void path_at(const path* p, double angle, bool mirror, double out[2]) {
  const double own = mirror ? M_PI - angle : angle;
  const double u = own / (2 * M_PI), s = (u - floor(u)) * SAMPLES;
  const int i = s < SAMPLES ? (int)s : SAMPLES - 1;
  for (int c = 0; c < 2; c++) {
    out[c] = p->at[i][c] + (s - i) * (p->at[i + 1][c] - p->at[i][c]);
  }
  out[0] *= mirror ? -1 : 1;
}

static inline double path_extent(const path* p, int c, double* low) {
  double high = *low = p->at[0][c];
  for (int i = 0; i < SAMPLES; i++) {
    *low = fmin(*low, p->at[i][c]);
    high = fmax(high, p->at[i][c]);
  }
  return high - *low;
}

// What a chassis stands on: three feet with no other below their plane and its centre above them.
typedef struct stand {
  bool found;
  int foot[3];
  double share[3];    // of the weight
  double height;      // of the plane under the centre
  double pitch, roll; // slopes of the plane along x and y [rad]
} stand;

static inline bool is_below(const double (*foot)[3], const int f[3], int other, double a,
                            double b) {
  const double* o = foot[f[0]];
  return foot[other][2] < o[2] + a * (foot[other][0] - o[0]) + b * (foot[other][1] - o[1]) - 1e-12;
}

// Slopes of the plane through three feet; false where they are in line.
static inline bool plane_of(const double* p, const double* q, const double* r, double* a,
                            double* b) {
  const double ux = q[0] - p[0], uy = q[1] - p[1], uz = q[2] - p[2];
  const double vx = r[0] - p[0], vy = r[1] - p[1], vz = r[2] - p[2];
  const double det = ux * vy - uy * vx;
  *a = (uz * vy - uy * vz) / det;
  *b = (ux * vz - uz * vx) / det;
  return fabs(det) > 1e-9;
}

static inline bool is_inside(const double* p, const double* q, const double* r) {
  const double a = p[0] * q[1] - p[1] * q[0], b = q[0] * r[1] - q[1] * r[0],
               c = r[0] * p[1] - r[1] * p[0], none = -1e-12;
  return (a >= none && b >= none && c >= none) || (a <= -none && b <= -none && c <= -none);
}

// Shares of a weight over the origin that three feet carry.
static inline void share_weight(stand* s, const double (*foot)[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double *p = foot[s->foot[(i + 1) % 3]], *q = foot[s->foot[(i + 2) % 3]];
    sum += s->share[i] = p[0] * q[1] - p[1] * q[0];
  }
  for (int i = 0; i < 3; i++) {
    s->share[i] /= sum;
  }
}

static inline stand find_stand(const double (*foot)[3], int n) {
  stand s = {.found = false};
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      for (int k = j + 1; k < n && !s.found; k++) {
        const int f[3] = {i, j, k};
        double a, b;
        bool lowest =
            plane_of(foot[i], foot[j], foot[k], &a, &b) && is_inside(foot[i], foot[j], foot[k]);
        for (int o = 0; o < n && lowest; o++) {
          lowest = o == i || o == j || o == k || !is_below(foot, f, o, a, b);
        }
        if (lowest) {
          s = (stand){.found = true,
                      .foot = {i, j, k},
                      .height = foot[i][2] - a * foot[i][0] - b * foot[i][1],
                      .pitch = a,
                      .roll = b};
          share_weight(&s, foot);
        }
      }
    }
  }
  return s;
}
