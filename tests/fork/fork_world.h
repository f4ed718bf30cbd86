// Mechanisms to reduce, from texts of scenes, and how results are read.
#pragma once
#include "limber/limber.h"
#include "test.h"

typedef struct fork_world {
  lb_scene scene;
  lb_model* m;
  lb_fork* f; // of the scene's first fork and model
} fork_world;

static inline fork_world fork_parse(const char* text) {
  fork_world w = {0};
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "fork.yaml", NULL, &w.scene, &err) != LB_OK ||
      lb_model_create(&w.scene, NULL, &w.m, &err) != LB_OK) {
    print_error("%s\n%s\n", err.count ? err.message[0].text : "?", text);
    fail();
  }
  lb_error_clear(&err);
  return w;
}

// A scene of the folder scenes.
static inline fork_world fork_read(const char* name) {
  fork_world w = {0};
  lb_error err = lb_error_make(NULL);
  char path[400];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", LIMBER_SOURCE_DIR, name);
  if (lb_scene_read(path, NULL, &w.scene, &err) != LB_OK ||
      lb_model_create(&w.scene, NULL, &w.m, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return w;
}

// The first fork of a scene, about the equilibrium `pose`.
static inline lb_fork* fork_reduce(const fork_world* w, int pose) {
  lb_fork* f = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_fork_create(w->m, &w->scene.fork[0], pose, NULL, &f, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return f;
}

static inline fork_world fork_make(const char* text) {
  fork_world w = fork_parse(text);
  w.f = fork_reduce(&w, 0);
  return w;
}

static inline void fork_drop(fork_world* w) {
  lb_fork_release(w->f);
  lb_model_release(w->m);
  lb_scene_release(&w->scene);
}

// Entry of the compliance of effectors a and b along the world's axes: rows 0 to 2 turns, 3 to 5
// displacements at the effector's own point.
static inline double fork_compliance(const lb_fork* f, int a, int row, int b, int column) {
  const lb_mat3 Ra = lb_quat_matrix(f->pose[a].q), Rb = lb_quat_matrix(f->pose[b].q);
  const lb_vec3 of_a[3] = {Ra.x, Ra.y, Ra.z}, of_b[3] = {Rb.x, Rb.y, Rb.z};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double x[3] = {of_a[i].x, of_a[i].y, of_a[i].z},
                   y[3] = {of_b[j].x, of_b[j].y, of_b[j].z};
      sum += x[row % 3] * y[column % 3] *
             f->C[(6 * a + row / 3 * 3 + i) * 6 * f->neffector + 6 * b + column / 3 * 3 + j];
    }
  }
  return sum;
}

// Text of a scene, written piece by piece.
typedef struct fork_text {
  char at[200000];
  int n;
} fork_text;

__attribute__((format(printf, 2, 3))) static inline void fork_say(fork_text* t, const char* format,
                                                                  ...) {
  va_list args;
  va_start(args, format);
  t->n += vsnprintf(t->at + t->n, sizeof t->at - (size_t)t->n, format, args);
  va_end(args);
}
