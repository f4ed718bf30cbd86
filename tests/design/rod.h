// A motor with a rod and a weight, as scenes/rod.yaml has it, and what a camera would see of it.
#pragma once
#include "limber/fit.h"
#include "limber/simulate.h"
#include "test.h"

// Young's modulus, both dampings, then what follows.
static const char* const ROD =
    "materials:\n"
    "  spring-steel: {density: 7850, young: %.17g, damping: {mass: %.17g, stiffness: %.17g}}\n"
    "bodies:\n"
    "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"
    "  rod:\n"
    "    elastic: {rod: {radius: 2 mm, from: [0, 0, 2 cm], to: [0, 0, 72 cm]}, material: "
    "spring-steel, elements: {along: 6, across: 1}, basis: {modes: 1, derivatives: 2}}\n"
    "  weight: {shape: {cylinder: {radius: 12 mm, length: 26 mm}, material: brass}, mass: 100 g}\n"
    "joints:\n"
    "  motor: {type: revolute, child: hub, axis: y}\n"
    "  clamp: {type: fixed, parent: hub, child: rod, face: start, at: [0, 0, 2 cm], hold: "
    "average}\n"
    "  tip: {type: fixed, parent: rod, face: end, child: weight, hold: average}\n"
    "motors:\n"
    "  turn: {joint: motor, keys: [[0.1, 0], [0.4, %s]]}\n"
    "%s";

typedef struct rod {
  lb_scene scene;
  lb_model* model;
} rod;

static inline rod make_rod(double young, double mass, double stiffness, const char* turn,
                           const char* more) {
  char text[4000];
  rod r = {.model = NULL};
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, ROD, young, mass, stiffness, turn, more);
  if (!strstr(more, "solver:")) {
    strcat(text, "solver: {step: 1 ms}\n");
  }
  lb_status status = lb_scene_parse(text, strlen(text), "rod.yaml", NULL, &r.scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&r.scene, NULL, &r.model, &err);
  }
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return r;
}

static inline void drop_rod(rod* r) {
  lb_model_release(r->model);
  lb_scene_release(&r->scene);
}

// The same model with other numbers, without making it again.
static inline lb_model* other_rod(const rod* r, double young, double mass, double stiffness) {
  const lb_material_change change = {0, young, mass, stiffness};
  const lb_variation v = {.nmaterial = 1, .material = &change};
  lb_model* model = NULL;
  assert_string_equal(r->model->look.material[0].name, "spring-steel");
  assert_int_equal(lb_model_vary(r->model, &v, NULL, &model, NULL), LB_OK);
  return model;
}

enum { SEEN_MOST = 1000 };

// What is seen of one marker.
typedef struct seen {
  lb_markers markers;
  lb_scene_marker marker;
  double time[SEEN_MOST], x[3 * SEEN_MOST];
} seen;

// Positions of the weight every `every` seconds, as a recording of the model has them; the clock of
// the camera starts `late` after the scene.
static inline void look_at(seen* s, const lb_model* model, double duration, double every,
                           double late) {
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  const int body = lb_model_body(model, "weight");
  s->marker = (lb_scene_marker){.name = "weight", .body = body};
  s->markers =
      (lb_markers){.file = "seen", .nmarker = 1, .marker = &s->marker, .time = s->time, .x = s->x};
  assert_int_equal(lb_data_create(model, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(model, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_assemble(model, d, NULL), LB_OK);
  const double h = model->solver.step;
  const long stride = lround(every / h), first = lround(late / h);
  for (long i = 0; (double)i * h < duration; i++) {
    if (i >= first && (i - first) % stride == 0) {
      lb_poses(model, d);
      const int n = s->markers.nsample++;
      assert_below(n, SEEN_MOST);
      s->time[n] = (double)(i - first) * h;
      s->x[3 * n] = d->pose[body].p.x;
      s->x[3 * n + 1] = d->pose[body].p.y;
      s->x[3 * n + 2] = d->pose[body].p.z;
    }
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    d->time = (double)(i + 1) * h;
  }
  lb_stepper_release(st);
  lb_data_release(d);
}

// Gaussian noise, by Box and Muller.
static inline void blur(seen* s, double by, lb_random* random) {
  for (int i = 0; i < 3 * s->markers.nsample; i++) {
    const double u = 1 - lb_random_unit(random), v = lb_random_unit(random);
    s->x[i] += by * sqrt(-2 * log(u)) * cos(2 * M_PI * v);
  }
}
