// Implicit steps a second of the elastic characters, at 0.5 ms on one core, in reduced coordinates,
// and how many times that of maximal ones: stepped alike, and with the exact matrix at every
// iteration of Newton's method, as in the document. Real time is 2,000. The document
// reports 275, 260, 115, 120, 90, 108 and 108 on four cores for the first seven.
#define _GNU_SOURCE
#include <limber/limber.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 4000 };
static const double step_size = 5e-4;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lb_status load(const char* path, lb_coordinates coordinates, lb_newton_matrix newton,
                      lb_model** m, lb_error* err) {
  lb_scene scene;
  lb_status status = lb_scene_read(path, NULL, &scene, err);
  if (status == LB_OK) {
    scene.solver.coordinates = coordinates;
    scene.solver.newton = newton;
    status = lb_model_create(&scene, NULL, m, err);
    lb_scene_release(&scene);
  }
  return status;
}

static lb_status run(const lb_model* m, double* rate, lb_error* err) {
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  lb_status status = lb_data_create(m, NULL, &d, err);
  if (status == LB_OK) {
    status = lb_stepper_create(m, NULL, NULL, &st, err);
  }
  if (status == LB_OK) {
    status = lb_assemble(m, d, err);
  }
  const double start = now();
  for (int i = 0; i < STEPS && status == LB_OK; i++) {
    status = lb_stepper_step(st, d, step_size, err);
  }
  *rate = STEPS / (now() - start);
  lb_stepper_release(st);
  lb_data_release(d);
  return status;
}

// The rate of a scene with these coordinates and matrices.
static lb_status rate_of(const char* path, lb_coordinates coordinates, lb_newton_matrix newton,
                         double* rate, lb_error* err) {
  lb_model* m = NULL;
  lb_status status = load(path, coordinates, newton, &m, err);
  if (status == LB_OK) {
    status = run(m, rate, err);
  }
  lb_model_release(m);
  return status;
}

static lb_status measure(const char* folder, const char* name, lb_error* err) {
  char path[512];
  lb_model* m = NULL;
  double rate = 0, maximal = 0, document = 0;
  snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
  const double start = now();
  lb_status status = load(path, LB_COORDINATES_REDUCED, LB_NEWTON_KEPT, &m, err);
  const double made = now() - start;
  if (status == LB_OK) {
    status = run(m, &rate, err);
  }
  if (status == LB_OK) {
    status = rate_of(path, LB_COORDINATES_MAXIMAL, LB_NEWTON_KEPT, &maximal, err);
  }
  if (status == LB_OK) {
    status = rate_of(path, LB_COORDINATES_MAXIMAL, LB_NEWTON_EXACT, &document, err);
  }
  if (status == LB_OK) {
    printf("%-12s %12d %12.0f %12.2f %12.1f %12.1f %10.2f\n", name, m->nv, rate, step_size * rate,
           rate / maximal, rate / document, made);
  }
  lb_model_release(m);
  return status;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"rod",    "two-rods", "dancer", "bartender",
                                      "rapper", "drummer",  "boxer",  "free-flyer"};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  int failed = 0;
  printf("elastic characters, implicit steps of 0.5 ms\n");
  printf("%-12s %12s %12s %12s %12s %12s %10s\n", "scene", "coordinates", "steps/s", "real time",
         "of maximal", "of exact", "make s");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lb_error err = lb_error_make(NULL);
    if (measure(folder, names[i], &err) != LB_OK) {
      printf("%-12s FAILED: %s\n", names[i], err.count ? err.message[0].text : "");
      failed = 1;
    }
    lb_error_clear(&err);
  }
  return failed;
}
