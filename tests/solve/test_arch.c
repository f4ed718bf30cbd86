// Semicircular arches of dry stones: a line of thrust has to fit into their thickness, and friction
// has to keep the stones from sliding on each other. Limits by linear programs: a thickness of
// 0.10627 of the radius for 15 stones, 0.0962 for 7, 0.1070 for 25, where nothing slides.
#include "limber/limber.h"
#include "test.h"

static const double FALLS = 5e-3; // a stone that went so far does not come back [m]
static const double STANDS = 4;   // time for which an arch has to stand [s]

typedef struct arch {
  int stones;
  double thick; // over the radius
  double friction;
} arch;

// A wedge above the origin, between two joints of an arch of radius 1.
static void shape_wedge(const arch* a, lb_vec3 vertex[8]) {
  const double half = M_PI / a->stones / 2, depth = 0.2;
  for (int i = 0; i < 8; i++) {
    const double r = 1 + (i & 2 ? 0.5 : -0.5) * a->thick;
    const double angle = (i & 1) != (i >> 1 & 1) ? half : -half;
    vertex[i] = lb_vec3_make(r * sin(angle), i & 4 ? depth : -depth, r * cos(angle));
  }
}

static lb_world* build_arch(const arch* a) {
  char text[1000];
  const double step = 180. / a->stones;
  lb_error err = lb_error_make(NULL);
  lb_scene s;
  snprintf(text, sizeof text,
           "contacts: {pairs: [{between: [all, all], friction: %g}, {between: [all, world], "
           "friction: %g}]}\n"
           "repeat: [{count: %d, bodies: {stone-(n): {shape: {mesh: \"" LIMBER_SOURCE_DIR
           "/scenes/meshes/voussoir.obj\"}, rotation: {axis: y, angle: (%.15gn-%.15g) deg}}}}]\n"
           "scenery: [{box: [6, 4, 1], position: [0, 0, -0.5], solid: true}]\n",
           a->friction, a->friction, a->stones, step, 90 + step / 2);
  if (lb_scene_parse(text, strlen(text), "arch", NULL, &s, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  // a wedge of its own in place of the file's
  int face[] = {0, 1, 2, 0, 2, 3, 7, 6, 5, 7, 5, 4, 0, 4, 5, 0, 5, 1,
                1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
  lb_vec3 vertex[8];
  const lb_mesh wedge = {.nvertex = 8, .nface = 12, .vertex = vertex, .face = face};
  shape_wedge(a, vertex);
  for (int i = 0; i < s.nshape; i++) {
    s.shape[i].shape.mesh = s.shape[i].shape.mesh ? &wedge : NULL;
  }
  lb_world* w = lb_world_create(&s, NULL, &err);
  if (!w) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_scene_release(&s);
  lb_error_clear(&err);
  return w;
}

// How far some stone has gone after a time [m]. Bodies have their frames in the arch's centre, so
// the middle of each stone is followed.
static double moved(arch a, double time) {
  lb_world* w = build_arch(&a);
  const lb_vec3 middle = {0, 0, 1};
  double most = 0;
  for (int i = 0; lb_world_time(w) < time && most < FALLS; i++) {
    assert_int_equal(lb_world_step(w, 0), LB_OK);
    for (int b = 0; b < a.stones; b++) {
      const double angle = (b + 0.5) * M_PI / a.stones - M_PI / 2;
      const lb_vec3 from = {sin(angle), 0, cos(angle)};
      const lb_vec3 to = lb_transform_point(lb_world_pose(w, b), middle);
      most = fmax(most, lb_vec3_norm(lb_vec3_sub(to, from)));
    }
  }
  print_message("%d stones, t/R %g, friction %g: %.3g m at %.3g s\n", a.stones, a.thick, a.friction,
                most, lb_world_time(w));
  lb_world_close(w);
  return most;
}

static void an_arch_stands_by_its_thickness(void** state) {
  (void)state;
  assert_below(moved((arch){15, 0.115, 0.8}, STANDS), 1e-4);
  assert_at_least(moved((arch){15, 0.098, 0.8}, 3), FALLS);
}

static void a_thick_arch_stands_by_its_friction(void** state) {
  (void)state;
  lb_test_needs_speed();
  assert_below(moved((arch){15, 0.15, 0.35}, STANDS), 1e-4);
  assert_at_least(moved((arch){15, 0.15, 0.30}, 3), FALLS);
}

// Fewer joints leave fewer places for hinges, so that a coarse arch may be thinner.
static void limits_of_thickness_go_with_the_number_of_stones(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const arch LIMIT[] = {{7, 0.0962, 0.8}, {15, 0.10627, 0.8}, {25, 0.1070, 0.8}};
  for (int i = 0; i < 3; i++) {
    arch a = LIMIT[i];
    a.thick = 1.01 * LIMIT[i].thick;
    assert_below(moved(a, STANDS), 1e-4);
    a.thick = 0.98 * LIMIT[i].thick;
    assert_at_least(moved(a, 1), FALLS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arch_stands_by_its_thickness),
      cmocka_unit_test(a_thick_arch_stands_by_its_friction),
      cmocka_unit_test(limits_of_thickness_go_with_the_number_of_stones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
