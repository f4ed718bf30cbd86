// What a gradient by about 500 numbers costs, run included, for torques at every hinge of a scene:
// over its own run, and over a plain simulation, whose steps need not be solved to the last digits.
// Then the same for chains of more and more hinges. One core. Wanted: less than four.
#define _GNU_SOURCE
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 500, TRIALS = 5, MOST_MOTORS = 250, MOST_LINKS = 400 };
static const double piece = 1; // [s] of each motion

static double now(void) { // of the processor: others may be at work, too
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
  lb_scene scene;
  lb_scene_motor motor[MOST_MOTORS];
  lb_scene_parameter parameter[MOST_MOTORS];
  lb_scene_goal goal;
  double key[2];
  double *x, *gradient;
} job;

// A torque that changes over time at every hinge, so that the last body gets somewhere.
static void ask(job* j, lb_integrator integrator, double step) {
  lb_scene* s = &j->scene;
  int n = 0;
  s->duration = fmin(piece, s->duration);
  s->solver.integrator = integrator;
  s->solver.step = step;
  for (int i = 0; i < s->njoint && n < MOST_MOTORS; i++) {
    if (s->joint[i].kind == LB_JOINT_REVOLUTE && !s->joint[i].loop) {
      j->motor[n] = (lb_scene_motor){
          .name = s->joint[i].name,
          .joint = i,
          .drive = LB_DRIVE_FORCE,
          .profile = {
              .kind = LB_PROFILE_LINEAR, .count = 1, .time = &j->key[0], .value = &j->key[1]}};
      j->parameter[n] = (lb_scene_parameter){.name = s->joint[i].name,
                                             .kind = LB_PARAMETER_MOTOR,
                                             .owner = LB_OWNER_MOTOR,
                                             .index = n,
                                             .least = -INFINITY,
                                             .most = INFINITY};
      n++;
    }
  }
  for (int i = 0; i < n; i++) {
    j->parameter[i].knots = NUMBERS / n + (i < NUMBERS % n);
  }
  j->goal = (lb_scene_goal){.name = "there",
                            .kind = LB_GOAL_POINT,
                            .index = s->nbody - 1,
                            .count = 3,
                            .counts = {true, true, true},
                            .from = s->duration,
                            .to = s->duration,
                            .weight = 1};
  s->motor = j->motor;
  s->nmotor = n;
  s->optimize.parameter = j->parameter;
  s->optimize.nparameter = n;
  s->optimize.goal = &j->goal;
  s->optimize.ngoal = 1;
}

static lb_status measure(const job* j, lb_optimization* o, double* gradient, double* best,
                         lb_error* err) {
  lb_status status = LB_OK;
  double value;
  *best = INFINITY;
  for (int i = 0; i < TRIALS && status == LB_OK; i++) {
    const double start = now();
    status = lb_optimization_evaluate(o, j->x, &value, gradient, err);
    *best = fmin(*best, now() - start);
  }
  return status;
}

// Steps alone, as a simulation takes them. The numbers are in the scene.
static lb_status simulate(const job* j, int steps, double* best, lb_error* err) {
  lb_model* m = NULL;
  lb_status status = lb_model_create(&j->scene, NULL, &m, err);
  *best = INFINITY;
  for (int i = 0; i < TRIALS && status == LB_OK; i++) {
    lb_data* d = NULL;
    lb_stepper* st = NULL;
    const double start = now();
    status = lb_data_create(m, NULL, &d, err);
    status = status == LB_OK ? lb_stepper_create(m, NULL, NULL, &st, err) : status;
    status = status == LB_OK ? lb_assemble(m, d, err) : status;
    for (int k = 0; k < steps && status == LB_OK; k++) {
      status = lb_stepper_step(st, d, j->scene.duration / steps, err);
    }
    *best = fmin(*best, now() - start);
    lb_stepper_release(st);
    lb_data_release(d);
  }
  lb_model_release(m);
  return status;
}

static int say_failed(const char* name, lb_error* err) {
  printf("%-16s FAILED: %s\n", name, err->count ? err->message[0].text : "");
  lb_error_clear(err);
  return 1;
}

// With torques of up to `torque` in steps of `step`.
static int bench(const char* name, lb_scene scene, lb_integrator integrator, double torque,
                 double step) {
  static job j;
  double run = 0, both = 0, plain = 0;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status;
  j = (job){.scene = scene};
  ask(&j, integrator, step);
  status = lb_optimization_create(&j.scene, NULL, &o, &err);
  if (status == LB_OK) {
    j.x = calloc((size_t)o->nvalue, sizeof *j.x);
    j.gradient = calloc((size_t)o->nvalue, sizeof *j.gradient);
    for (int i = 0; i < o->nvalue && j.x; i++) {
      j.x[i] = torque * sin(0.1 * i);
    }
    status = j.x && j.gradient ? measure(&j, o, NULL, &run, &err) : LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    status = measure(&j, o, j.gradient, &both, &err);
  }
  if (status == LB_OK) {
    status = lb_optimization_apply(o, j.x, &j.scene, &err);
  }
  if (status == LB_OK) {
    status = simulate(&j, o->steps, &plain, &err);
  }
  if (status == LB_OK) {
    printf("%-16s %-12s %8d %8d %10.2f %10.2f %10.2f %10.2f %10.2f\n", name,
           lb_integrator_name(integrator), o->nvalue, o->steps, 1e3 * plain, 1e3 * run, 1e3 * both,
           both / run, both / plain);
  }
  free(j.x);
  free(j.gradient);
  lb_optimization_release(o);
  return status == LB_OK ? 0 : say_failed(name, &err);
}

static int bench_file(const char* folder, const char* name, lb_integrator integrator) {
  char path[512];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
  if (lb_scene_read(path, NULL, &scene, &err) != LB_OK) {
    return say_failed(name, &err);
  }
  const int failed = bench(name, scene, integrator, 0.5, 5e-3);
  lb_scene_release(&scene);
  return failed;
}

// Links of 10 cm whose hinges turn about y and z by turns.
static int bench_chain(int links, lb_integrator integrator) {
  static lb_scene_body body[MOST_LINKS];
  static lb_scene_joint joint[MOST_LINKS];
  static char label[MOST_LINKS][8];
  char name[32];
  lb_scene s = lb_scene_default();
  s.body = body;
  s.joint = joint;
  s.nbody = s.njoint = links;
  s.duration = 0.4;
  for (int i = 0; i < links; i++) {
    snprintf(label[i], sizeof label[i], "l%d", i);
    body[i] = lb_scene_body_default();
    body[i].name = label[i];
    body[i].has_mass = body[i].has_com = body[i].has_inertia = true;
    body[i].mass = (lb_mass){0.09, {0.05, 0, 0}, {1.4e-5, 8.2e-5, 8.2e-5, 0, 0, 0}};
    joint[i] = lb_scene_joint_default();
    joint[i].name = label[i];
    joint[i].kind = LB_JOINT_REVOLUTE;
    joint[i].child = i;
    joint[i].parent = i - 1;
    joint[i].resistance.damping = 0.01;
    joint[i].axis = i % 2 ? (lb_vec3){0, 0, 1} : (lb_vec3){0, 1, 0};
    joint[i].in_parent.p.x = i > 0 ? 0.1 : 0;
  }
  snprintf(name, sizeof name, "%d hinges", links);
  return bench(name, s, integrator, 1e-3, 2e-3);
}

int main(int argc, char** argv) {
  static const char* const scenes[] = {"double-pendulum", "reach",    "robot-arm",
                                       "chain-10",        "humanoid", "four-bar"};
  // what takes no iterations is not up to stiff chains
  static const lb_integrator integrators[] = {LB_INTEGRATOR_BDF1, LB_INTEGRATOR_BDF2,
                                              LB_INTEGRATOR_SDIRK2, LB_INTEGRATOR_RK4};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  int failed = 0;
  printf("gradients of optimisation, the first %g s of each motion\n", piece);
  printf("%-16s %-12s %8s %8s %10s %10s %10s %10s %10s\n", "scene", "steps by", "numbers", "steps",
         "plain/ms", "run/ms", "both/ms", "over run", "over plain");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
      const bool stiff = strncmp(scenes[i], "chain", 5) == 0 && k > 2;
      failed += stiff ? 0 : bench_file(folder, scenes[i], integrators[k]);
    }
  }
  static const int chains[] = {10, 50, 100, MOST_LINKS};
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    for (size_t k = 0; k < 3; k++) {
      failed += bench_chain(chains[i], integrators[k]);
    }
  }
  return failed > 0;
}
