// Collocating and following: running out of memory at any request is said, and leaks nothing; a
// step takes none. A block for each piece of an arena, so that each is a request.
#define LB_ARENA_BLOCK 0
#include "base/arena.c" // stands in for the library's

#include "collocating.h"
#include "counting.h"
#include "limber/follow.h"

// An arm whose joints are geared, with a muscle.
#define LOOP                                                                                       \
  "limber: 1\nduration: 0.2 s\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}\n"   \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 1.5 kg}\n"  \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: fore, axis: -y, at: [0, 0, -30 cm]}\n"          \
  "constraints: {gear: {couple: [{joint: shoulder}, {joint: elbow, times: 0.5}], equals: 0}}\n"    \
  "muscles:\n"                                                                                     \
  "  biceps:\n"                                                                                    \
  "    through: [{body: upper, at: [3 cm, 0, 0]}, {body: fore, at: [2 cm, 0, -5 cm]}]\n"           \
  "    hill: {model: millard, force: 700 N, fiber: 13 cm, slack: 21 cm}\n"                         \
  "collocate:\n  intervals: 2\n  iterations: 3\n  reserves: 100\n"                                 \
  "  goals: {bend: {joint: elbow, position: 0.1 rad}}\n"                                           \
  "  must: {hand: {point: fore, at: [0, 0, -0.3], position: [0, 0, -0.6], time: 0.2 s}}\n"

typedef struct worlds {
  lb_scene scene;
  lb_model* m;
} worlds;

static void make(worlds* w) {
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(LOOP, strlen(LOOP), "test.yaml", NULL, &w->scene, &err);
  status = status == LB_OK ? lb_model_create(&w->scene, NULL, &w->m, &err) : status;
  if (status != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
}

static void forget(worlds* w) {
  lb_model_release(w->m);
  lb_scene_release(&w->scene);
}

// A motion that the gear allows, of `steps` of 2 ms; paths of muscles in more frames than this
// double their room.
enum { MOST = 50 };
static const lb_joint_motion* motion_of(int steps) {
  static double time[2], q[4], zero[4];
  static bool none[8];
  static lb_joint_motion motion;
  time[1] = 2e-3 * steps;
  q[2] = -0.1, q[3] = 0.2;
  motion = (lb_joint_motion){.file = "made",
                             .nsample = 2,
                             .time = time,
                             .q = q,
                             .qd = zero,
                             .qdd = zero,
                             .has_qd = none,
                             .has_qdd = none};
  return &motion;
}

static lb_status collocate(const worlds* w, const lb_allocator* allocator) {
  const lb_collocate_inputs in = lb_collocate_default();
  lb_collocation* c = NULL;
  lb_status status = lb_collocation_create(w->m, &w->scene, &in, allocator, &c, NULL);
  assert_true((status == LB_OK) == (c != NULL));
  status = status == LB_OK ? lb_collocation_solve(c, NULL) : status;
  lb_collocation_release(c);
  return status;
}

static lb_status follow_for(const worlds* w, int steps, const lb_allocator* allocator) {
  const lb_follow_options o = lb_follow_default();
  lb_collocation* c = NULL;
  lb_recording* r = NULL;
  lb_status status = lb_recording_create(w->m, MOST + 2, allocator, &r, NULL);
  status = status == LB_OK ? lb_follow_motion(w->m, motion_of(steps), &o, r, &c, NULL) : status;
  assert_true((status == LB_OK) == (c != NULL));
  lb_collocation_release(c);
  lb_recording_release(r);
  return status;
}

static lb_status follow(const worlds* w, const lb_allocator* allocator) {
  return follow_for(w, 3, allocator);
}

static void running_out_of_memory_anywhere_is_said(void** state) {
  (void)state;
  lb_status (*const way[])(const worlds*, const lb_allocator*) = {collocate, follow};
  worlds w;
  make(&w);
  for (int k = 0; k < 2; k++) {
    lb_counting counting = {0};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    assert_int_equal(way[k](&w, &allocator), LB_OK);
    assert_int_equal(counting.live, 0);
    const long requests = counting.requests;
    print_message("%ld requests\n", requests);
    for (long n = 1; n <= requests; n++) {
      counting = (lb_counting){.refuse = n};
      const lb_status status = way[k](&w, &allocator);
      if (status != LB_NO_MEMORY || counting.live != 0) {
        print_error("%s, request %ld: status %d, %ld left\n", k ? "follow" : "collocate", n, status,
                    counting.live);
        fail();
      }
    }
  }
  forget(&w);
}

static void following_takes_no_memory_in_a_step(void** state) {
  (void)state;
  worlds w;
  make(&w);
  long requests[2];
  for (int k = 0; k < 2; k++) {
    lb_counting counting = {0};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    assert_int_equal(follow_for(&w, k ? MOST : 3, &allocator), LB_OK);
    requests[k] = counting.requests;
  }
  print_message("%ld and %ld requests\n", requests[0], requests[1]);
  assert_int_equal(requests[0], requests[1]);
  forget(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(running_out_of_memory_anywhere_is_said),
      cmocka_unit_test(following_takes_no_memory_in_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
