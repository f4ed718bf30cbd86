// limber check: reads scenes, tells every mistake, and says what is in those that have none.
#include <math.h>
#include <string.h>

#include "app/scene_load.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/optimize.h"
#include "limber/simulate.h"
#include "model/use/motor_use.h"

typedef struct check_args {
  bool quiet;
} check_args;

static const option options[] = {
    {"--quiet", "-q", NULL, NULL, offsetof(check_args, quiet), "say nothing about good scenes"},
};

static double total_mass(const lb_model* m) {
  double sum = 0;
  for (int i = 0; i < m->nbody; i++) {
    sum += m->body_mass[i].mass;
  }
  return sum;
}

static const char* plural(int count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

static void print_bodies(const lb_model* m) {
  printf("  bodies    %d, together %.4g kg; %d %s\n", m->nbody, total_mass(m), m->nshape,
         plural(m->nshape, "shape", "shapes"));
}

// "rod: 1155 nodes, 540 elements, 20 coordinates; held, it swings at 5.7, 5.7, 35.9 Hz"
static void print_elastic(const lb_model* m) {
  enum { SHOWN = 4 };
  for (int i = 0; i < m->nelastic; i++) {
    const lb_model_elastic* e = &m->elastic[i];
    printf("  elastic   %s: %d nodes, %d elements, %d %s; held, it swings at",
           m->body_name[e->body], e->nnode, e->nelem, e->r,
           plural(e->r, "coordinate", "coordinates"));
    for (int k = 0; k < e->r && k < SHOWN; k++) {
      printf("%s %.4g", k ? "," : "", e->frequency[k]);
    }
    printf(" Hz\n");
  }
}

// "4: 3 revolute, 1 fixed", counting what the author wrote and the bodies left free.
static void print_joints(const lb_scene* scene, const lb_model* m) {
  int count[LB_JOINT_COUNT] = {0};
  int all = 0;
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint_kind[i] < LB_JOINT_COUNT) { // else they are an elastic body's own coordinates
      count[m->joint_kind[i]]++;
      all++;
    }
  }
  for (int i = 0; i < scene->njoint; i++) {
    const bool fixed = scene->joint[i].kind == LB_JOINT_FIXED && !scene->joint[i].loop;
    count[LB_JOINT_FIXED] += fixed;
    all += fixed;
  }
  printf("  joints    %d", all);
  const char* separator = ": ";
  for (int kind = 0; kind < LB_JOINT_COUNT; kind++) {
    if (count[kind]) {
      printf("%s%d %s", separator, count[kind], lb_joint_kind_name((lb_joint_kind)kind));
      separator = ", ";
    }
  }
  const int loops = m->nloop - m->nprescribed;
  if (loops) {
    printf("; %d more %s", loops, plural(loops, "closes a loop", "close loops"));
  }
  printf("\n");
}

// "2 couplings or limits, 1 point led or on a floor"
static void print_constraints(const lb_model* m) {
  const int points = m->nprescribed - lb_motors_count_turns(m);
  if (m->ncoupling || points) {
    printf("  also hold %d %s, %d %s\n", m->ncoupling,
           plural(m->ncoupling, "coupling or limit", "couplings or limits"), points,
           plural(points, "point led or on a floor", "points led or on floors"));
  }
}

static void print_freedom(const lb_model* m) {
  int driven = 0;
  for (int i = 0; i < m->nlink; i++) {
    driven += m->link_driven[i] ? 1 : 0;
  }
  printf("  freedom   %d %s of freedom", m->nv, plural(m->nv, "degree", "degrees"));
  if (driven) {
    printf(", %d of them led by motors", driven);
  }
  if (m->nloop || m->ncoupling) {
    printf(", less what %s", m->nprescribed || m->ncoupling ? "constraints take"
                             : m->nloop == 1                ? "the loop takes"
                                                            : "the loops take");
  }
  printf("\n");
}

static void print_forces(const lb_model* m) {
  const struct {
    int count;
    const char *one, *many;
  } part[] = {{m->nmotor - 2 * lb_motors_count_turns(m), "motor", "motors"},
              {m->nspring, "spring", "springs"},
              {m->ncable, "cable", "cables"},
              {m->nground, "ground", "grounds"},
              {m->nrope, "strand", "strands"},
              {m->ndeformable, "soft body", "soft bodies"},
              {m->nload, "load", "loads"}};
  const double g = lb_vec3_norm(m->gravity);
  if (g > 0) {
    printf("  forces    gravity %.4g m/s^2", g);
  } else {
    printf("  forces    no gravity");
  }
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (part[i].count) {
      printf(", %d %s", part[i].count, plural(part[i].count, part[i].one, part[i].many));
    }
  }
  printf("\n");
}

static void print_run(const lb_model* m) {
  char duration[48], step[48], every[48];
  printf("  run       %s, %s, ", duration_text(m->duration, duration, sizeof duration),
         lb_integrator_name(m->solver.integrator));
  if (m->solver.integrator == LB_INTEGRATOR_ADAPTIVE) {
    printf("steps as a tolerance of %g asks for", lb_adaptive_tolerance(&m->solver));
  } else {
    printf("steps of %s", duration_text(m->solver.step, step, sizeof step));
  }
  printf(", a frame every %s\n", duration_text(m->record.every, every, sizeof every));
}

static void print_optimisation(const lb_scene* scene, const lb_optimization* o) {
  const int parameters = scene->optimize.nparameter, goals = scene->optimize.ngoal;
  if (o) {
    printf("  optimize  %d %s of %d %s, for %d %s\n", o->nvalue,
           plural(o->nvalue, "number", "numbers"), parameters,
           plural(parameters, "parameter", "parameters"), goals, plural(goals, "goal", "goals"));
  }
}

static void describe(const char* path, const lb_scene* scene, const lb_model* m,
                     const lb_optimization* o) {
  printf("%s%s%s is a good scene: %s\n", style_bold(stdout), path, style_off(stdout), scene->name);
  print_bodies(m);
  print_elastic(m);
  print_joints(scene, m);
  print_constraints(m);
  print_freedom(m);
  print_forces(m);
  print_run(m);
  print_optimisation(scene, o);
}

// What a start shows.
typedef struct findings {
  lb_moved_start moved;
  lb_steep_friction steep;
} findings;

// Put the parts together as a run would: loops must close.
static lb_status try_start(const lb_model* model, findings* found, lb_error* err) {
  lb_data* data = NULL;
  lb_status status = lb_data_create(model, NULL, &data, err);
  if (status == LB_OK) {
    status = lb_assemble(model, data, err);
    if (status == LB_OK) {
      status = lb_find_steep_friction(model, data, model->solver.step, NULL, &found->steep, err);
    }
    if (status == LB_OK) {
      status = lb_find_moved_start(model, NULL, &found->moved, err);
    }
    lb_data_release(data);
  }
  return status;
}

static exit_code check_scene(const char* path, bool quiet) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* model = NULL;
  findings found = {0};
  lb_optimization* optimization = NULL; // of scenes that say what to optimise
  lb_status status = lb_scene_read(path, NULL, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, NULL, &model, &err);
    if (status == LB_OK) {
      status = try_start(model, &found, &err);
    }
    if (status == LB_OK && scene.optimize.nparameter > 0) {
      status = lb_optimization_create(&scene, NULL, &optimization, &err);
    }
    if (status == LB_OK && !quiet) {
      describe(path, &scene, model, optimization);
    }
    if (status == LB_OK) {
      tell_moved_start(model, &found.moved);
      tell_steep_friction(model, &found.steep, model->solver.step);
    }
    lb_optimization_release(optimization);
    lb_model_release(model);
    lb_scene_release(&scene);
  }
  if (status != LB_OK) {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  return status == LB_OK ? EXIT_DONE : status == LB_NO_MEMORY ? EXIT_JOB : EXIT_INPUT;
}

static exit_code run(const verb* v, int narg, char** args) {
  check_args a = {.quiet = false};
  int nscene = 0;
  exit_code code = EXIT_DONE;
  if (!verb_parse(v, narg, args, &a, &nscene, &code)) {
    return code;
  }
  code = EXIT_DONE;
  for (int i = 0; i < nscene; i++) {
    const exit_code one = check_scene(args[i], a.quiet);
    code = one != EXIT_DONE && code != EXIT_JOB ? one : code;
  }
  return code;
}

const verb verb_check = {
    .name = "check",
    .usage = "SCENE...",
    .summary = "read scenes, point out every mistake, say what is in them",
    .about =
        "Reads each scene file and everything it includes, and puts its parts together as a run\n"
        "would, without running it. A scene called - is read from standard input.\n"
        "Mistakes are printed to standard error as 'error: FILE:LINE:COLUMN: what is wrong',\n"
        "all of them at once. A scene without mistakes is described in a few lines.",
    .example = "  limber check scenes/*.yaml",
    .exits = "  0  all scenes are good\n"
             "  1  a check could not be finished, for want of memory\n"
             "  2  a scene has mistakes or cannot be read, or the command line is wrong",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1 << 20,
    .run = run,
};
