// Mechanisms: mobility, redundant rows, ranges of cranks and dead points, against counts and closed
// forms; linkages as the bodies and joints that they become.
#include "limber/mechanism.h"

#include "counting.h"
#include "limber/limber.h"
#include "test.h"

static lb_scene read(const char* text, int nset, const char* const* set, bool file) {
  lb_scene scene = {0};
  lb_error err = lb_error_make(NULL);
  const lb_scene_origin from = {.name = file ? text : "test.yaml",
                                .text = file ? NULL : text,
                                .length = file ? 0 : strlen(text),
                                .nset = nset,
                                .set = set};
  const lb_status status = lb_scene_open(&from, NULL, &scene, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  lb_error_clear(&err);
  assert_int_equal(status, LB_OK);
  return scene;
}

static lb_mechanism* examine(const lb_scene* scene) {
  lb_mechanism* M = NULL;
  assert_int_equal(lb_mechanism_create(scene, NULL, &M, NULL), LB_OK);
  return M;
}

#define SCENE(name) LIMBER_SOURCE_DIR "/scenes/" name ".yaml"

// --- mobility ---

static void walkers_have_as_many_freedoms_as_cranks(void** state) {
  (void)state;
  static const char* const held[] = {"joints.stand.type=fixed"};
  static const struct {
    const char *scene, *crank;
    int mobility, redundant, nset;
  } expected[] = {{SCENE("jansen"), "crank", 1, 108, 1},
                  {SCENE("klann"), NULL, 1, 48, 1}, // starts where rockers turn back
                  {SCENE("dog"), "crank-lh", 4, 24, 1},
                  {SCENE("dog"), NULL, 10, 24, 0}, // and six of the chassis, which come after
                  {SCENE("four-bar"), "motor-shaft", 1, 3, 0}};
  for (int i = 0; i < 5; i++) {
    lb_scene s = read(expected[i].scene, expected[i].nset, held, true);
    lb_mechanism* M = examine(&s);
    assert_int_equal(M->nfreedom, expected[i].mobility);
    assert_int_equal(M->rows - M->rank, expected[i].redundant);
    if (i == 3) {
      assert_string_equal(M->freedom[0].joint, "crank-lh");
      assert_string_equal(M->freedom[9].joint, "stand");
    }
    if (expected[i].crank) {
      assert_string_equal(M->freedom[0].joint, expected[i].crank);
      assert_int_equal(M->freedom[0].moves, (M->coordinates - M->nfreedom) / M->nfreedom);
    }
    lb_mechanism_release(M);
    lb_scene_release(&s);
  }
}

// A third crank beside two parallel ones is redundant in its plane as well; one that is longer than
// they are keeps all from moving.
static void a_third_parallel_crank_is_redundant_by_name(void** state) {
  (void)state;
  static const char text[] =
      "linkages:\n"
      "  press:\n"
      "    points: {A: {fixed: [0, 0]}, B: {fixed: [1, 0]}, C: {fixed: [2, 0]},\n"
      "             P: [0.3, 0.4], Q: [1.3, 0.4], R: [2.3, 0.4]}\n"
      "    bars:\n"
      "      crank: {A-P: drawn}\n"
      "      second: {B-Q: drawn}\n"
      "      third: {C-R: drawn}\n"
      "      beam: {P-Q: drawn, Q-R: drawn, P-R: drawn}\n";
  lb_scene s = read(text, 0, NULL, false);
  lb_mechanism* M = examine(&s);
  assert_int_equal(M->nfreedom, 1);
  int four = 0;
  for (int i = 0; i < M->nredundancy; i++) {
    four += M->redundancy[i].redundant == 4;
  }
  assert_int_equal(M->nredundancy, 2);
  assert_int_equal(four, 1);
  assert_string_equal(M->redundancy[1].name, "R-beam");
  lb_mechanism_release(M);
  lb_scene_release(&s);
}

static void a_triangle_of_bars_cannot_move(void** state) {
  (void)state;
  static const char text[] =
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  left: {type: revolute, child: a, axis: y}\n"
      "  right: {type: revolute, child: b, at: [1, 0, 0], axis: y}\n"
      "  top: {type: revolute, parent: a, child: b, at: [0.5, 0, 1], in_child: [-0.5, 0, 1],\n"
      "        axis: y, loop: true}\n";
  lb_scene s = read(text, 0, NULL, false);
  lb_mechanism* M = examine(&s);
  assert_int_equal(M->nfreedom, 0);
  assert_int_equal(M->rank, 2);
  lb_mechanism_release(M);
  lb_scene_release(&s);
}

// --- ranges ---

// Crank and frame of 30, coupler of 20 and rocker of 15: between 5 and 35 from the crank's pin to
// the rocker's pivot, which is 60 sin(angle/2).
static void a_crank_that_jams_has_two_dead_points(void** state) {
  (void)state;
  static const char text[] =
      "linkages:\n"
      "  rocker:\n"
      "    points: {O: {fixed: [0, 0]}, R: {fixed: [30 cm, 0]}, P: [29 cm, 8 cm],\n"
      "             Q: [25 cm, 20 cm]}\n"
      "    bars: {crank: {O-P: 30 cm}, coupler: {P-Q: 20 cm}, back: {Q-R: 15 cm}}\n";
  lb_scene s = read(text, 0, NULL, false);
  lb_mechanism* M = examine(&s);
  const lb_linkage_motion* k = &M->linkage[0];
  assert_false(k->turns);
  assert_near(k->from, 2 * asin(5.0 / 60), 1e-8);
  assert_near(k->to, 2 * asin(35.0 / 60), 1e-8);
  assert_int_equal(k->ndead, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(k->dead[i].nbar, 2);
    for (int b = 0; b < 2; b++) {
      assert_true(strcmp(k->dead[i].bar[b], "coupler") == 0 ||
                  strcmp(k->dead[i].bar[b], "back") == 0);
    }
  }
  assert_below(k->transmission, 1e-3);
  lb_mechanism_release(M);
  lb_scene_release(&s);
}

static void jansens_path_is_as_wide_and_high_as_it_should_be(void** state) {
  (void)state;
  lb_scene s = read(SCENE("jansen"), 0, NULL, true);
  lb_mechanism* M = examine(&s);
  const lb_linkage_motion* k = &M->linkage[0];
  const lb_coupler_curve* foot = &k->curve[k->ncurve - 1];
  assert_true(k->turns);
  assert_true(foot->foot);
  assert_near(foot->width, 0.679084, 2e-5);
  assert_near(foot->height, 0.224572, 2e-5);
  lb_mechanism_release(M);
  lb_scene_release(&s);
}

// --- linkages as bodies ---

// The crank's pin in every plane, with and without a mirror: the angle runs from the first axis to
// the second.
static void cranks_turn_from_the_first_axis_to_the_second(void** state) {
  (void)state;
  static const char* const plane[] = {"xy", "yz", "zx", "yx", "zy", "xz"};
  for (int i = 0; i < 12; i++) {
    char text[700];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "linkages:\n"
             "  arm: {plane: %s, at: [1, 2, 3],\n"
             "        points: {O: {fixed: [0.1, 0.2]}, P: [0.5, 0.2], Q: [0.9, 0.2]},\n"
             "        bars: {crank: {O-P: drawn}, tip: {P-Q: drawn}},\n"
             "        copies: {a: {at: [0, 0, 0.5], mirror: %s}}}\n"
             "motors: {turn: {joint: crank-a, keys: [[0 s, 40 deg]]}}\n",
             plane[i / 2], i % 2 ? "true" : "false");
    lb_world* w = lb_world_parse(text, "test.yaml", NULL);
    assert_non_null(w);
    const lb_transform tip = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "tip-a"));
    double at[3] = {1, 2, 3.5};
    const double x = (i % 2 ? -0.1 : 0.1) + 0.4 * cos(40 * M_PI / 180);
    at[plane[i / 2][0] - 'x'] += x;
    at[plane[i / 2][1] - 'x'] += 0.2 + 0.4 * sin(40 * M_PI / 180);
    assert_near(tip.p.x, at[0], 1e-13);
    assert_near(tip.p.y, at[1], 1e-13);
    assert_near(tip.p.z, at[2], 1e-13);
    lb_world_close(w);
  }
}

// Repetitions make linkages; bars have the mass that is asked for; names are as documented.
static void repeated_linkages_have_names_of_their_own(void** state) {
  (void)state;
  static const char text[] =
      "repeat:\n"
      "  - count: 3\n"
      "    linkages:\n"
      "      leg-(n):\n"
      "        at: [0, (n), 0]\n"
      "        crank: crank-(n)\n"
      "        group: legs\n"
      "        points: {O: {fixed: [0, 0]}, R: {fixed: [0.3, 0]}, P: [0, 0.1], Q: [0.3, 0.2]}\n"
      "        bars: {crank-(n): {O-P: 10 cm, mass: (2n) kg}, rod-(n): {P-Q: 30 cm},\n"
      "               rocker-(n): {Q-R: 22 cm}}\n";
  lb_scene s = read(text, 0, NULL, false);
  assert_int_equal(s.nlinkage, 3);
  assert_int_equal(s.nbody, 9);
  assert_int_equal(s.njoint, 12);
  assert_string_equal(s.body[3].name, "crank-2");
  assert_near(s.body[3].mass.mass, 4, 0);
  assert_string_equal(s.body[3].group, "legs");
  assert_string_equal(s.joint[s.linkage[1].copy[0].joint[0]].name, "crank-2");
  assert_near(s.joint[s.linkage[1].copy[0].joint[0]].in_parent.p.y, 2, 0);
  int loops = 0;
  for (int i = 0; i < s.njoint; i++) {
    loops += s.joint[i].loop;
  }
  assert_int_equal(loops, 3);
  lb_scene_release(&s);
}

// Values from outside change lengths before anything is made.
static void lengths_can_be_set_from_outside(void** state) {
  (void)state;
  static const char* const set[] = {"linkages.leg.bars.crank.O-Y=14 cm"};
  lb_scene s = read(SCENE("jansen"), 1, set, true);
  assert_near(s.linkage[0].side[0].length, 0.14, 0);
  lb_scene_release(&s);
}

static void without_memory_nothing_is_left(void** state) {
  (void)state;
  lb_scene s = read(SCENE("four-bar"), 0, NULL, true);
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_mechanism* M = NULL;
  assert_int_equal(lb_mechanism_create(&s, &allocator, &M, NULL), LB_OK);
  lb_mechanism_release(M);
  assert_int_equal(count.live, 0);
  const long all = count.requests;
  for (long n = 1; n <= all; n++) {
    count = (lb_counting){.refuse = n};
    M = NULL;
    assert_int_equal(lb_mechanism_create(&s, &allocator, &M, NULL), LB_NO_MEMORY);
    assert_null(M);
    assert_int_equal(count.live, 0);
  }
  lb_scene_release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walkers_have_as_many_freedoms_as_cranks),
      cmocka_unit_test(a_third_parallel_crank_is_redundant_by_name),
      cmocka_unit_test(a_triangle_of_bars_cannot_move),
      cmocka_unit_test(a_crank_that_jams_has_two_dead_points),
      cmocka_unit_test(jansens_path_is_as_wide_and_high_as_it_should_be),
      cmocka_unit_test(cranks_turn_from_the_first_axis_to_the_second),
      cmocka_unit_test(repeated_linkages_have_names_of_their_own),
      cmocka_unit_test(lengths_can_be_set_from_outside),
      cmocka_unit_test(without_memory_nothing_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
