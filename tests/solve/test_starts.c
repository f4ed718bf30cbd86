// How scenes with loops start: joints that close them where the others put them and as fast, and
// alike in reduced and maximal coordinates.
#include "counting.h"
#include "limber/limber.h"
#include "model/use/initial_pose.h"
#include "random_tree.h"

enum { MOST_LINKS = 16 };

typedef struct start {
  lb_model* m;
  lb_data* d;
  lb_velocity velocity[MOST_LINKS];
} start;

static lb_status try_start(start* s, const lb_scene* scene, lb_error* err) {
  *s = (start){0};
  lb_status status = lb_model_create(scene, NULL, &s->m, err);
  status = status != LB_OK ? status : lb_data_create(s->m, NULL, &s->d, err);
  status = status != LB_OK ? status : lb_assemble(s->m, s->d, err);
  if (status == LB_OK) {
    lb_transform pose[MOST_LINKS];
    assert_at_most(s->m->nlink, MOST_LINKS);
    lb_poses(s->m, s->d);
    lb_link_poses(s->m, pose, s->d->q);
    lb_link_velocities(s->m, s->velocity, pose, s->d->q, s->d->qd);
    for (int i = 0; i < s->m->nlink; i++) { // of the world's origin, alike in all frames of a link
      s->velocity[i] = lb_velocity_at(s->velocity[i], pose[i].p, lb_vec3_make(0, 0, 0));
    }
  }
  return status;
}

static start open_start(const lb_scene* scene) {
  start s;
  lb_error err = lb_error_make(NULL);
  if (try_start(&s, scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  return s;
}

static void close_start(start* s) {
  lb_data_release(s->d);
  lb_model_release(s->m);
}

static double apart(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_norm(lb_vec3_sub(a, b));
}

// Bodies with the same number are in the same place and move alike.
static void assert_same(const start* a, const start* b, int nbody, double tolerance) {
  for (int i = 0; i < nbody; i++) {
    const lb_transform X = a->d->pose[i], Y = b->d->pose[i];
    const lb_velocity u = a->velocity[a->m->body.link[i]], v = b->velocity[b->m->body.link[i]];
    assert_near(apart(X.p, Y.p), 0, tolerance);
    assert_near(lb_vec3_norm(lb_quat_log(lb_quat_mul(lb_quat_conjugate(X.q), Y.q))), 0, tolerance);
    assert_near(apart(u.w, v.w), 0, tolerance);
    assert_near(apart(u.v, v.v), 0, tolerance);
  }
}

// --- every joint ---

static random_tree T;

// A body on a joint that moves, and on that another by a joint of the kind, at some place and rate.
static void make_pair(uint64_t seed, lb_joint_kind kind) {
  lb_random r = {seed};
  const lb_joint_kind first = seed % 2 ? LB_JOINT_REVOLUTE : LB_JOINT_UNIVERSAL;
  random_tree_make(&T, &r, 2, &kind, 1);
  lb_scene_joint *base = &T.joint[0], *j = &T.joint[1];
  base->kind = first;
  j->parent = 0;
  j->resistance.friction = kind <= LB_JOINT_FREE ? 1e-9 : 0; // so that it keeps its coordinates
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    base->q[k] = lb_random_between(&r, -1, 1);
    base->qd[k] = lb_random_between(&r, -2, 2);
    j->q[k] = lb_random_between(&r, 0.3, 1);
    j->qd[k] = lb_random_between(&r, -2, 2);
  }
  if (kind == LB_JOINT_HELICAL) {
    j->q[0] = 31;
  }
  if (kind == LB_JOINT_EULER) {
    j->order = (lb_turn_order)(1 + seed % (LB_TURN_COUNT - 1)); // each of them
  }
  if (kind == LB_JOINT_SPHERICAL) {
    const lb_quat u = random_quat(&r);
    memcpy(j->q, (double[]){u.w, u.x, u.y, u.z}, 4 * sizeof *j->q);
  }
}

// With the other body free, and the joint a loop whose start is not named.
static void open_pair(const start* tree, bool named) {
  lb_scene_joint* j = &T.joint[1];
  lb_scene_body* b = &T.body[1];
  const lb_velocity V = tree->velocity[tree->m->body.link[1]];
  b->pose = tree->d->pose[1];
  b->velocity = lb_velocity_at(V, lb_vec3_make(0, 0, 0), b->pose.p).v;
  b->spin = lb_quat_rotate(lb_quat_conjugate(b->pose.q), V.w);
  b->name = "free";
  j->loop = true;
  memset(j->qd, 0, sizeof j->qd);
  if (!named) {
    memset(j->q, 0, sizeof j->q);
    j->q[0] = j->kind == LB_JOINT_SPHERICAL;
  }
}

static void close_pair_by(lb_joint_kind kind, uint64_t seed, bool named, lb_coordinates how) {
  make_pair(seed, kind);
  start tree = open_start(&T.scene);
  open_pair(&tree, named);
  T.scene.solver.coordinates = how;
  start loop = open_start(&T.scene);
  assert_same(&tree, &loop, 2, 1e-12);
  // the joint's own numbers: others may mean the same place, unless they are named
  const int a = lb_model_joint(tree.m, "b1"), b = lb_model_joint(loop.m, "b1");
  assert_at_least(b, 0);
  assert_true(loop.m->joint.kind[b] == (int)kind);
  for (int k = 0; k < tree.m->joint.nq[a] && named && kind != LB_JOINT_SPHERICAL; k++) {
    assert_near(loop.d->q[loop.m->joint.q[b] + k], tree.d->q[tree.m->joint.q[a] + k], 1e-9);
    assert_near(loop.d->qd[loop.m->joint.v[b] + k], tree.d->qd[tree.m->joint.v[a] + k], 1e-8);
  }
  close_start(&loop);
  close_start(&tree);
}

static void every_joint_that_closes_a_loop_starts_where_the_tree_puts_it(void** state) {
  (void)state;
  for (int kind = LB_JOINT_REVOLUTE; kind < LB_JOINT_COUNT; kind++) {
    for (uint64_t seed = 1; seed <= 24 && kind != LB_JOINT_FREE; seed++) {
      close_pair_by((lb_joint_kind)kind, seed, seed % 2, LB_COORDINATES_REDUCED);
      close_pair_by((lb_joint_kind)kind, seed, seed % 2, LB_COORDINATES_MAXIMAL);
    }
  }
}

// --- scenes ---

static lb_scene parse(const char* text) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  return scene;
}

static start open_text(const char* text, lb_coordinates how) {
  lb_scene scene = parse(text);
  scene.solver.coordinates = how;
  const start s = open_start(&scene);
  lb_scene_release(&scene);
  return s;
}

static double coordinate(const start* s, const char* joint) {
  return s->d->q[s->m->joint.q[lb_model_joint(s->m, joint)]];
}

static double rate(const start* s, const char* joint) {
  return s->d->qd[s->m->joint.v[lb_model_joint(s->m, joint)]];
}

// A car on a slide, 45 cm along it and at 1 m/s, which a second joint holds too.
#define CAR(joint)                                                                                 \
  "bodies: {car: {shape: {box: [0.1, 0.1, 0.02]}, mass: 1}}\n"                                     \
  "joints:\n"                                                                                      \
  "  slide: {type: prismatic, child: car, axis: x}\n"                                              \
  "  rail: {child: car, loop: true, " joint "}\n"                                                  \
  "initial: {slide: {position: 0.45, velocity: 1}}\n"

static void a_second_joint_leaves_a_car_where_its_slide_has_it(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double q, qd; // of the rail
  } CARS[] = {
      {CAR("type: planar"), 0.45, 1},
      {CAR("type: translational"), 0.45, 1},
      {CAR("type: free-2d"), 0.45, 1},
      {CAR("type: prismatic, axis: -x, armature: 0.1"), -0.45, -1},
      {CAR("type: spline-curve, frames: [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.3, 0, 0], "
           "[0.4, 0, 0], [0.5, 0, 0], [0.6, 0, 0], [0.7, 0, 0]]"),
       3.5, 10},
      {CAR("type: composite, parts: [{type: revolute, axis: y, at: [0.2, 0, 0]}, {type: prismatic, "
           "axis: x}, {type: revolute, axis: y, at: [-0.2, 0, 0]}]"),
       0, 0},
  };
  for (size_t i = 0; i < sizeof CARS / sizeof *CARS; i++) {
    start s = open_text(CARS[i].text, LB_COORDINATES_REDUCED);
    assert_near(coordinate(&s, "slide"), 0.45, 1e-12);
    assert_near(rate(&s, "slide"), 1, 1e-12);
    assert_near(coordinate(&s, "rail"), CARS[i].q, 1e-12);
    assert_near(rate(&s, "rail"), CARS[i].qd, 1e-12);
    close_start(&s);
  }
}

// The middle of an elastic beam's end is 30 cm out, and the car 10 cm from there: the beam stays
// straight.
static void a_joint_from_a_face_starts_where_the_face_is(void** state) {
  (void)state;
  for (int how = 0; how < 2; how++) {
    start s = open_text("materials: {rubber: {density: 1000, young: 1e6, poisson: 0.4}}\n"
                        "bodies:\n"
                        "  car: {shape: {box: [0.1, 0.1, 0.02]}, mass: 1}\n"
                        "  beam: {elastic: {box: {to: [0.3, 0, 0], width: 0.04, height: 0.04}, "
                        "material: rubber, elements: {along: 4, across: 1, around: 1}, basis: "
                        "{modes: 2, derivatives: 0}}}\n"
                        "joints:\n"
                        "  clamp: {type: fixed, child: beam, face: start}\n"
                        "  slide: {type: prismatic, axis: x, child: car}\n"
                        "  rail: {type: planar, parent: beam, face: end, child: car, loop: true}\n"
                        "initial: {slide: {position: 0.4, velocity: 1}}\n",
                        how ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED);
    const int beam = lb_model_joint(s.m, "beam");
    assert_near(s.d->pose[0].p.x, 0.4, 1e-12);
    assert_near(coordinate(&s, "rail"), 0.1, 1e-12);
    assert_near(rate(&s, "rail"), 1, 1e-12);
    for (int k = 0; k < s.m->joint.nv[beam]; k++) {
      assert_near(s.d->q[s.m->joint.q[beam] + k], 0, 1e-12);
      assert_near(s.d->qd[s.m->joint.v[beam] + k], 0, 1e-12);
    }
    close_start(&s);
  }
}

static void a_nut_stays_five_turns_up_its_thread(void** state) {
  (void)state;
  start s = open_text("bodies:\n"
                      "  nut: {shape: {box: [0.1, 0.1, 0.02]}, mass: 1}\n"
                      "  rod: {shape: {cylinder: {radius: 1 cm, length: 0.5}}, mass: 1}\n"
                      "joints:\n"
                      "  slide: {type: prismatic, child: nut, axis: z}\n"
                      "  turn: {type: revolute, child: rod, axis: z}\n"
                      "  thread: {type: helical, axis: z, pitch: 2 cm, parent: rod, child: nut, "
                      "loop: true}\n"
                      "initial: {slide: {position: 10 cm, velocity: 1 cm/s}, "
                      "turn: {velocity: -3.141592653589793}}\n",
                      LB_COORDINATES_REDUCED);
  assert_near(coordinate(&s, "slide"), 0.1, 1e-12);
  assert_near(coordinate(&s, "turn"), 0, 1e-12);
  assert_near(coordinate(&s, "thread"), 10 * M_PI, 1e-12);
  assert_near(rate(&s, "slide"), 0.01, 1e-12);
  assert_near(rate(&s, "turn"), -M_PI, 1e-12);
  assert_near(rate(&s, "thread"), M_PI, 1e-12);
  close_start(&s);
}

// The middle angle is 0.6 where the tree puts it, far from 0, where it would be singular.
static void angles_about_one_axis_twice_close_loops(void** state) {
  (void)state;
  for (int how = 0; how < 2; how++) {
    start s = open_text("bodies:\n"
                        "  a: {shape: {box: [0.4, 0.06, 0.08], position: [0.2, 0, 0]}, mass: 1}\n"
                        "  b: {shape: {box: [0.4, 0.05, 0.1], position: [0.2, 0, 0]}, mass: 0.6}\n"
                        "joints:\n"
                        "  base: {type: spherical, child: a}\n"
                        "  mid: {type: spherical, parent: a, child: b, at: [0.4, 0, 0]}\n"
                        "  x: {type: euler, order: xyx, child: b, in_child: [0.4, 0, 0], at: "
                        "{position: [0.8, 0, 0], rotation: [0, -0.6, 0]}, loop: true}\n",
                        how ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED);
    const double* q = s.d->q + s.m->joint.q[lb_model_joint(s.m, "x")];
    assert_near(q[0], 0, 1e-9);
    assert_near(q[1], 0.6, 1e-9);
    assert_near(q[2], 0, 1e-9);
    close_start(&s);
  }
}

static void a_loop_joint_at_a_singular_place_is_refused_at_its_line(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  start s;
  lb_scene scene = parse("bodies:\n"
                         "  a: {shape: {box: [0.4, 0.06, 0.08]}, mass: 1}\n"
                         "joints:\n"
                         "  base: {type: spherical, child: a}\n"
                         "  x: {type: euler, order: zxz, child: a, loop: true}\n");
  assert_int_equal(try_start(&s, &scene, &err), LB_INVALID);
  assert_non_null(
      strstr(err.message[0].text, "joint 'x' starts where its coordinates are singular"));
  assert_int_equal(err.message[0].place.line, 5);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

// A parallelogram at an angle of 0.5 that turns at 2 rad/s.
#define PARALLELOGRAM(start, more, rest)                                                           \
  "bodies:\n"                                                                                      \
  "  a: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: 0.3}\n"         \
  "  b: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}, mass: 0.3}\n"         \
  "  c: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: 0.2}\n"         \
  "joints:\n"                                                                                      \
  "  ja: {type: revolute, axis: y, child: a}\n"                                                    \
  "  jb: {type: revolute, axis: y, parent: a, child: b, at: [0.3, 0, 0]}\n"                        \
  "  jc: {type: revolute, axis: y, child: c, at: [0.5, 0, 0]}\n"                                   \
  "  lo: {type: revolute, axis: y, parent: b, child: c, at: [0.5, 0, 0], in_child: [0.3, 0, 0], "  \
  "loop: true" more "}\n" start rest
#define FITS                                                                                       \
  "initial: {ja: {position: 0.5, velocity: 2}, jb: {position: -0.5, velocity: -2}, "               \
  "jc: {position: 0.5, velocity: 2}}\n"
#define GAPES "initial: {ja: {position: 0.5, velocity: 2}, jb: {position: -0.3}}\n"

static void a_loop_hinge_with_coordinates_keeps_the_start_velocity(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double turns; // whole ones of the hinge
  } LINKAGES[] = {
      {PARALLELOGRAM(FITS, ", armature: 1e-9", ""), 0},
      {PARALLELOGRAM(FITS, ", friction: 1e-9", ""), 0},
      {PARALLELOGRAM(FITS, ", limits: {lower: -2, upper: 2, stiffness: 5}", ""), 0},
      {PARALLELOGRAM(FITS, ", limits: {lower: 6, upper: 8, stiffness: 5}", ""), 1},
      {PARALLELOGRAM(FITS, "", "constraints: {k: {couple: [{joint: lo}], at_least: -1}}\n"), 0},
      {PARALLELOGRAM(FITS, "",
                     "constraints: {k: {couple: [{joint: lo, times: -1}], at_least: 5, "
                     "at_most: 7}}\n"),
       -1},
      {PARALLELOGRAM(FITS, "",
                     "constraints: {k: {couple: [{joint: lo}, {joint: jb}], equals: 0}}\n"),
       0},
  };
  for (size_t i = 0; i < 2 * sizeof LINKAGES / sizeof *LINKAGES; i++) {
    start s =
        open_text(LINKAGES[i / 2].text, i % 2 ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED);
    start plain = open_text(PARALLELOGRAM(FITS, "", ""), LB_COORDINATES_REDUCED);
    assert_same(&plain, &s, 3, 1e-12);
    assert_near(rate(&plain, "ja"), 2, 1e-12);
    assert_near(coordinate(&s, "lo"), 0.5 + 2 * M_PI * LINKAGES[i / 2].turns, 1e-12);
    assert_near(rate(&s, "lo"), 2, 1e-12);
    close_start(&plain);
    close_start(&s);
  }
}

// --- hard limits ---

static void check_refused(const char* text, const char* words) {
  lb_error err = lb_error_make(NULL);
  start s;
  lb_scene scene = parse(text);
  assert_int_equal(try_start(&s, &scene, &err), LB_INVALID);
  assert_int_equal(err.count, 1);
  assert_non_null(strstr(err.message[0].text, words));
  assert_int_equal(err.message[0].place.line, 12);
  close_start(&s);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

#define LIMIT(bounds) "constraints:\n  k: {couple: [{joint: lo}], " bounds "}\n"

static void hard_limits_are_judged_where_the_loop_joint_is(void** state) {
  (void)state;
  start s = open_text(PARALLELOGRAM(FITS, "", LIMIT("at_least: 0.4, at_most: 0.6")),
                      LB_COORDINATES_REDUCED);
  assert_near(coordinate(&s, "ja"), 0.5, 1e-12);
  close_start(&s);
  check_refused(PARALLELOGRAM(FITS, "", LIMIT("at_least: 0.6, at_most: 1")),
                "joint 'lo', which closes a loop, starts at 0.5, where the other joints put it; "
                "that is below 'at_least'");
  check_refused(PARALLELOGRAM(FITS, "", LIMIT("at_most: 0.1")), "above 'at_most'");
}

// --- reduced and maximal ---

static void open_scenes_start_alike_in_reduced_and_maximal_coordinates(void** state) {
  (void)state;
  static const char* const SCENES[] = {
      PARALLELOGRAM(GAPES, "", ""),
      PARALLELOGRAM(GAPES, ", armature: 1e-3", ""),
      PARALLELOGRAM(GAPES, "",
                    "constraints: {k: {couple: [{joint: lo}, {joint: ja, times: -1}], equals: "
                    "0}}\n"),
      PARALLELOGRAM("initial: {ja: {position: 0.5, velocity: 2}}\n", "",
                    "constraints: {k: {follow: {body: b, at: [0.5, 0, 0], along: z, z: {keys: "
                    "[[0, -0.2], [1, -0.1]]}}}}\n"),
      "bodies:\n"
      "  a: {shape: {box: [0.3, 0.06, 0.05], position: [0.15, 0, 0]}, mass: 1}\n"
      "  b: {shape: {box: [0.3, 0.06, 0.05], position: [0.15, 0, 0]}, mass: 0.6}\n"
      "joints:\n"
      "  j: {type: universal, axis: y, second_axis: z, child: a, at: [0, 0, 1]}\n"
      "  k: {type: spherical, parent: a, child: b, at: [0.3, 0, 0]}\n"
      "initial: {j: {position: [0.3, 0.2], velocity: [1, -1]}}\n"
      "constraints: {f: {follow: {body: b, at: [0.3, 0, 0], along: yz, z: {keys: [[0, 0.7], "
      "[1, 0.6]]}}}}\n",
  };
  for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
    start a = open_text(SCENES[i], LB_COORDINATES_REDUCED);
    start b = open_text(SCENES[i], LB_COORDINATES_MAXIMAL);
    assert_same(&a, &b, i < 4 ? 3 : 2, 1e-12);
    close_start(&a);
    close_start(&b);
  }
}

// Masses weigh how gaps close, in a copy with other ones too.
static void a_varied_scene_starts_alike_in_both(void** state) {
  (void)state;
  lb_scene scene = parse(PARALLELOGRAM(GAPES, "", ""));
  memset(&scene.joint[0].named, 0, sizeof scene.joint->named); // so that all have to move
  memset(&scene.joint[1].named, 0, sizeof scene.joint->named);
  start a = open_start(&scene);
  scene.solver.coordinates = LB_COORDINATES_MAXIMAL;
  start b = open_start(&scene);
  lb_scene_release(&scene);
  const lb_mass_change heavier = {.body = 2, .factor = 5};
  const lb_variation by = {.nmass = 1, .mass = &heavier};
  double angle[2];
  for (int i = 0; i < 2; i++) {
    lb_model* m = NULL;
    lb_data* d = NULL;
    assert_int_equal(lb_model_vary(i ? b.m : a.m, &by, NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
    lb_poses(m, d);
    angle[i] = 2 * atan2(d->pose[0].q.y, d->pose[0].q.w);
    lb_data_release(d);
    lb_model_release(m);
  }
  assert_near(angle[0], angle[1], 1e-12);
  assert_above(fabs(angle[0] - coordinate(&a, "ja")), 1e-3);
  close_start(&a);
  close_start(&b);
}

// The messages are about the author's joints: the tree's are no loops.
static void a_loop_out_of_reach_is_reported_alike_in_both(void** state) {
  (void)state;
  for (int how = 0; how < 2; how++) {
    lb_error err = lb_error_make(NULL);
    start s;
    lb_scene scene = parse("bodies:\n"
                           "  a: {shape: {box: [0.3, 0.06, 0.05]}, mass: 1}\n"
                           "joints:\n"
                           "  j: {type: revolute, axis: y, child: a}\n"
                           "  lo: {type: spherical, child: a, at: [2, 0, 0], loop: true}\n");
    scene.solver.coordinates = how ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED;
    assert_int_equal(try_start(&s, &scene, &err), LB_INVALID);
    assert_non_null(strstr(err.message[0].text, "loop joint 'lo' cannot be closed"));
    close_start(&s);
    lb_error_clear(&err);
    lb_scene_release(&scene);
  }
}

// All that a start takes: models, a copy with other masses, states.
static lb_status start_in(const lb_scene* scene, const lb_allocator* allocator) {
  lb_model *m = NULL, *varied = NULL;
  lb_data* d = NULL;
  const lb_mass_change heavier = {.body = 2, .factor = 5};
  const lb_variation by = {.nmass = 1, .mass = &heavier};
  lb_status status = lb_model_create(scene, allocator, &m, NULL);
  status = status != LB_OK ? status : lb_model_vary(m, &by, allocator, &varied, NULL);
  status = status != LB_OK ? status : lb_data_create(varied, allocator, &d, NULL);
  status = status != LB_OK ? status : lb_assemble(varied, d, NULL);
  lb_data_release(d);
  lb_model_release(varied);
  lb_model_release(m);
  return status;
}

static void memory_that_runs_out_leaves_nothing(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_scene scene = parse(PARALLELOGRAM(GAPES, ", armature: 1e-3", ""));
  scene.solver.coordinates = LB_COORDINATES_MAXIMAL;
  lb_status status = LB_NO_MEMORY;
  long refuse = 1;
  for (; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = start_in(&scene, &allocator);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    assert_int_equal(count.live, 0);
  }
  assert_above(refuse, 10);
  lb_scene_release(&scene);
}

// The end of a straight arm is to be nearer, or above a floor: along the arm nothing moves it at
// first. With links of half a metre, the angle between them is 2 acos(z).
static void a_straight_arm_bends_to_what_is_nearer(void** state) {
  (void)state;
  static const char* const wish[] = {
      "follow: {body: b, at: [0, 0, -0.5], along: z, z: {keys: [[0, -0.7]]}}",
      "floor: {body: b, points: [{at: [0, 0, -0.5]}], height: -0.7}"};
  for (int i = 0; i < 2; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  a: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.01]}\n"
             "  b: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.01]}\n"
             "joints:\n"
             "  j: {type: revolute, child: a, axis: y}\n"
             "  k: {type: revolute, parent: a, child: b, axis: y, at: [0, 0, -0.5]}\n"
             "constraints: {f: {%s}}\n",
             wish[i]);
    start s = open_text(text, LB_COORDINATES_REDUCED);
    const double* q = s.d->q;
    const double depth = 0.5 * (cos(q[0]) + cos(q[0] + q[1]));
    print_message("depth %.3f\n", depth);
    assert_below(depth, 0.7 + 1e-12);
    assert_above(depth, (i == 0 ? 0.7 - 1e-12 : 0.6)); // it may be above
    close_start(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint_that_closes_a_loop_starts_where_the_tree_puts_it),
      cmocka_unit_test(a_second_joint_leaves_a_car_where_its_slide_has_it),
      cmocka_unit_test(a_joint_from_a_face_starts_where_the_face_is),
      cmocka_unit_test(a_nut_stays_five_turns_up_its_thread),
      cmocka_unit_test(angles_about_one_axis_twice_close_loops),
      cmocka_unit_test(a_loop_joint_at_a_singular_place_is_refused_at_its_line),
      cmocka_unit_test(a_loop_hinge_with_coordinates_keeps_the_start_velocity),
      cmocka_unit_test(hard_limits_are_judged_where_the_loop_joint_is),
      cmocka_unit_test(open_scenes_start_alike_in_reduced_and_maximal_coordinates),
      cmocka_unit_test(a_varied_scene_starts_alike_in_both),
      cmocka_unit_test(a_loop_out_of_reach_is_reported_alike_in_both),
      cmocka_unit_test(a_straight_arm_bends_to_what_is_nearer),
      cmocka_unit_test(memory_that_runs_out_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
