// Models with muscles: the time of accelerations, of steps, and of a run with its gradient. One
// core; the least of several rounds.
#include "muscle_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limber/limber.h"
#include "limber/optimize.h"

enum { ROUNDS = 40, CALLS = 100 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Two hinges and six muscles with stiff tendons over two cylinders and a ball, as arm26 is in MJCF.
static const char ARM[] =
    "solver: {integrator: euler, step: 1 ms}\nduration: 1\n"
    "bodies:\n"
    "  upper: {mass: 1.9, center: [0, 0, -0.18], inertia: [0.015, 0.015, 0.001]}\n"
    "  fore: {mass: 1.5, center: [0, 0, -0.18], inertia: [0.02, 0.02, 0.001]}\n"
    "joints:\n  shoulder: {type: revolute, child: upper, at: [0, 0, 1], axis: -y}\n"
    "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.29], axis: -y}\n"
    "initial: {shoulder: {position: 0.2}, elbow: {position: 0.6}}\n"
    "wraps:\n"
    "  head: {body: upper, sphere: {radius: 25 mm}}\n"
    "  back: {body: upper, cylinder: {radius: 16 mm}, position: [0, 0, -0.29], rotation: [90 deg, "
    "0, 0], side: -x}\n"
    "  front: {body: upper, cylinder: {radius: 15 mm}, position: [3 mm, 0, -0.28], rotation: [90 "
    "deg, 0, 0], side: x}\n"
    "muscles:\n"
    "  long: {through: [{at: [-4 cm, 0, 0.97]}, {wrap: head}, {body: upper, at: [-25 mm, 0, -27 "
    "cm]}, {wrap: back}, {body: fore, at: [-2 cm, 0, 1 cm]}], hill: {model: millard, force: 800, "
    "fiber: 0.13, slack: 0.14, elastic: false}}\n"
    "  lateral: {through: [{body: upper, at: [-2 cm, 0, -12 cm]}, {wrap: back}, {body: fore, at: "
    "[-2 cm, 0, 1 cm]}], hill: {model: millard, force: 620, fiber: 0.11, slack: 0.1, elastic: "
    "false}}\n"
    "  medial: {through: [{body: upper, at: [-2 cm, 0, -14 cm]}, {wrap: back}, {body: fore, at: "
    "[-2 cm, 0, 1 cm]}], hill: {model: millard, force: 620, fiber: 0.11, slack: 0.09, elastic: "
    "false}}\n"
    "  biceps: {through: [{at: [3 cm, 0, 1.02]}, {wrap: head}, {body: upper, at: [3 cm, 0, -18 "
    "cm]}, {wrap: front}, {body: fore, at: [1 cm, 0, -5 cm]}], hill: {model: millard, force: 620, "
    "fiber: 0.12, slack: 0.27, elastic: false}}\n"
    "  short: {through: [{at: [2 cm, 0, 0.98]}, {body: upper, at: [3 cm, 0, -18 cm]}, {wrap: "
    "front}, {body: fore, at: [1 cm, 0, -5 cm]}], hill: {model: millard, force: 430, fiber: 0.13, "
    "slack: 0.2, elastic: false}}\n"
    "  brachialis: {through: [{body: upper, at: [1 cm, 0, -17 cm]}, {wrap: front}, {body: fore, "
    "at: [5 mm, 0, -3 cm]}], hill: {model: millard, force: 980, fiber: 0.09, slack: 0.05, "
    "elastic: false}}\n";

static const char SEARCH[] =
    "optimize:\n  parameters:\n    drive: {excitation: biceps, knots: 20, at_least: 0.01, at_most: "
    "1}\n  goals:\n    hand: {point: fore, at: [0, 0, -0.3], position: [0.25, 0, 0.9]}\n";
// implicit steps, and a curve to start from
static const char DRIVEN[] = "solver: {integrator: bdf2, step: 1 ms}\nduration: 1\n";

// Two bones and a muscle. Places: the surfaces it runs over, and its mass.
static const char BONES[] =
    "duration: 1 s\nsolver: {integrator: bdf2, step: 2 ms}\nbodies:\n"
    "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: upper, at: [0, 0, 1], axis: -y, damping: 0.02}\n"
    "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"
    "wraps:\n"
    "  cylinder: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "
    "cylinder: {radius: 5 cm}}\n"
    "  capsule: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "
    "capsule: {radius: 5 cm, length: 10 cm}}\n"
    "  sphere: {body: upper, position: [0, 0, -0.5], side: -x, sphere: {radius: 5 cm}}\n"
    "  ellipsoid: {body: upper, position: [0, 0, -0.5], side: -x, ellipsoid: {radii: [5 cm, 4 cm, "
    "6 cm]}}\n"
    "  calf: {body: lower, position: [-2 cm, 0, -0.15], rotation: [90 deg, 0, 5 deg], side: -x, "
    "cylinder: {radius: 4.5 cm}}\n"
    "muscles:\n  triceps:\n"
    "    through: [{body: upper, at: [-7 cm, 0, -0.12]}, %s, {body: lower, at: [-7 cm, 0, -0.3]}]\n"
    "    %s\n    tension: 5\n    excitation: {keys: [[0, 0.1], [1, 0.3]], ease: linear}\n"
    "initial: {elbow: {position: 8 deg, velocity: -3}}\n"
    "optimize:\n  parameters:\n"
    "    drive: {excitation: triceps, knots: 20, at_least: 0.01, at_most: 1}\n"
    "  goals:\n    there: {point: lower, at: [0, 0, -0.5], position: [0.3, 0.1, 0.2]}\n";

// Models of OpenSim's. Places: the folder of reference data.
static const char ARM26[] =
    "include: %s/data/osim/opensim-core/OpenSim/Tools/Test/arm26.osim\n"
    "duration: 0.6 s\nsolver: {integrator: bdf2, step: 2 ms}\n"
    "opensim: {excitations: {BIClong: {keys: [[0, 0.1]]}}}\n"
    "optimize:\n  parameters:\n"
    "    drive: {excitation: BIClong, knots: 20, at_least: 0.01, at_most: 1}\n"
    "  goals:\n    bent: {joint: r_elbow, position: 90 deg}\n";
static const char WALKING[] =
    "include: %s/data/osim/opensim-core/OpenSim/Examples/Moco/example3DWalking/"
    "subject_walk_scaled.osim\n"
    "duration: 0.1 s\nsolver: {integrator: bdf2, step: 2 ms}\n"
    "opensim: {excitations: {soleus_r: {keys: [[0, 0.1]]}}}\n"
    "optimize:\n  parameters:\n"
    "    drive: {excitation: soleus_r, knots: 20, at_least: 0.01, at_most: 1}\n"
    "  goals:\n    bent: {joint: ankle_r, position: 0 deg}\n";

static bool complain(lb_error* err) {
  char text[700];
  for (int i = 0; i < err->count; i++) {
    lb_error_format(err, i, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  lb_error_clear(err);
  return false;
}

// --- accelerations and steps ---

static double time_forward(const lb_model* m, lb_data* d) {
  double least = INFINITY;
  for (int r = 0; r < ROUNDS; r++) {
    const double start = now();
    for (int i = 0; i < CALLS; i++) {
      d->q[0] += 1e-9;
      lb_forward(m, d);
    }
    least = fmin(least, now() - start);
  }
  return least / CALLS;
}

static double time_steps(lb_stepper* st, lb_data* d) {
  double least = INFINITY;
  for (int r = 0; r < ROUNDS; r++) {
    lb_data_reset(d);
    const double start = now();
    for (int i = 0; i < CALLS; i++) {
      lb_stepper_step(st, d, 1e-4, NULL);
    }
    least = fmin(least, now() - start);
  }
  return least / CALLS;
}

static bool time_scene(const char* name, lb_scene* scene, const char* beside) {
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  const bool ok = lb_model_create(scene, NULL, &m, &err) == LB_OK &&
                  lb_data_create(m, NULL, &d, &err) == LB_OK &&
                  lb_stepper_create(m, NULL, NULL, &st, &err) == LB_OK;
  if (ok) {
    const double forward = time_forward(m, d), step = time_steps(st, d);
    printf("%-30s %8d %18.1f %12.1f   %s\n", name, m->muscle.count, 1e6 * forward, 1e6 * step,
           beside);
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return ok || complain(&err);
}

static bool time_text(const char* name, const char* text, const char* beside) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  if (lb_scene_parse(text, strlen(text), name, NULL, &scene, &err) != LB_OK) {
    return complain(&err);
  }
  const bool ok = time_scene(name, &scene, beside);
  lb_scene_release(&scene);
  return ok;
}

static bool time_file(const char* name, const char* path, const char* beside) {
  const char* shared = getenv("LIMBER_SHARED");
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  char whole[1024];
  snprintf(whole, sizeof whole, "%s/data/osim/opensim-core/%s", shared ? shared : "", path);
  if (!shared || lb_scene_read(whole, NULL, &scene, &err) != LB_OK) {
    lb_error_clear(&err);
    printf("%-30s %8s (needs LIMBER_SHARED)\n", name, "-");
    return true;
  }
  scene.solver.integrator = LB_INTEGRATOR_EULER;
  const bool ok = time_scene(name, &scene, beside);
  lb_scene_release(&scene);
  return ok;
}

// --- gradients ---

// A run, and a run with its gradient.
static bool time_gradient(const char* name, const char* text) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_optimization* o = NULL;
  if (lb_scene_parse(text, strlen(text), name, NULL, &scene, &err) != LB_OK) {
    return complain(&err);
  }
  const bool ok = lb_optimization_create(&scene, NULL, &o, &err) == LB_OK;
  double run = INFINITY, both = INFINITY, value, g[64];
  for (int i = 0; i < 5 && ok; i++) {
    const double start = now();
    lb_optimization_evaluate(o, o->start, &value, NULL, &err);
    const double middle = now();
    lb_optimization_evaluate(o, o->start, &value, g, &err);
    run = fmin(run, middle - start);
    both = fmin(both, now() - middle);
  }
  if (ok) {
    printf("%-44s %10.2f %14.2f %8.2f\n", name, 1e3 * run, 1e3 * both, both / run);
  }
  lb_optimization_release(o);
  lb_scene_release(&scene);
  return ok || complain(&err);
}

static bool time_arm_gradient(void) {
  char text[8192];
  const char* arm = strstr(ARM, "bodies:");
  snprintf(text, sizeof text, "%s%s%s", DRIVEN, arm, SEARCH);
  // the biceps has a curve to change
  char* biceps = strstr(text, "  biceps: {");
  static const char KEYS[] = "  biceps: {excitation: {keys: [[0, 0.1], [1, 0.3]]}, ";
  memmove(biceps + sizeof KEYS - 1, biceps + 11, strlen(biceps + 11) + 1);
  memcpy(biceps, KEYS, sizeof KEYS - 1);
  return time_gradient("arm with six muscles, 1000 steps", text);
}

static bool time_bones_gradients(void) {
  static const char* const surface[] = {"{wrap: cylinder}", "{wrap: capsule}", "{wrap: sphere}",
                                        "{wrap: ellipsoid}", "{wrap: cylinder}, {wrap: calf}"};
  static const char* const mass[] = {"", "mass: {amount: 1}"};
  bool ok = true;
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 2; k++) {
      char text[sizeof BONES + 200], name[100];
      snprintf(text, sizeof text, BONES, surface[i], mass[k]);
      snprintf(name, sizeof name, "%s%s", surface[i], k ? ", heavy" : "");
      ok = time_gradient(name, text) && ok;
    }
  }
  return ok;
}

static bool time_shared_gradient(const char* name, const char* format) {
  const char* shared = getenv("LIMBER_SHARED");
  char text[4096];
  if (!shared) {
    printf("%-44s (needs LIMBER_SHARED)\n", name);
    return true;
  }
  snprintf(text, sizeof text, format, shared);
  return time_gradient(name, text);
}

static bool time_gradients(void) {
  printf("\n%-44s %10s %14s %8s\n", "gradient by 20 numbers of an excitation", "run [ms]",
         "with it [ms]", "in runs");
  bool ok = time_arm_gradient();
  ok = time_bones_gradients() && ok;
  ok = time_shared_gradient("arm26, Thelen, two surfaces in a row", ARM26) && ok;
  return time_shared_gradient("walking, 80 of Millard's", WALKING) && ok;
}

bool bench_muscle_models(void) {
  printf("\n%-30s %8s %18s %12s   %s\n", "model", "muscles", "accelerations [us]", "step [us]",
         "published");
  bool ok = time_text("arm, stiff tendons", ARM, "MuJoCo, arm26: 7.2 us a step");
  ok = time_file("arm26, Thelen", "OpenSim/Tools/Test/std_arm26_latest.osim", "") && ok;
  ok = time_file("walking, 80 of Millard's",
                 "OpenSim/Examples/Moco/example3DWalking/subject_walk_scaled.osim",
                 "asked for: 100 us") &&
       ok;
  return time_gradients() && ok;
}
