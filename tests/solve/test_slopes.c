// Floors that are not level: slopes, walls, ceilings.
#include "recorded.h"

#define HEAD(solver) "duration: 0.6 s\nrecord: {every: 20 ms}\nsolver: {" solver "}\n"

// Without friction a block goes down a slope with g sin a.
static void a_block_slides_down_a_slope(void** state) {
  (void)state;
  // the first step of bdf2 is of first order: it goes on as if it had begun h^2/2 later
  static const struct {
    const char* solver;
    double tolerance;
  } with[] = {{HEAD("integrator: rk4, step: 2 ms"), 1e-12},
              {HEAD("integrator: rk4, coordinates: maximal"), 1e-12},
              {HEAD("integrator: sdirk2, step: 2 ms"), 1e-8},
              {HEAD("integrator: bdf2, step: 2 ms"), 2e-5}};
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "%sbodies: {block: {shape: {box: [0.2, 0.2, 0.1]}, position: [0.03, 0, 0.04],\n"
             "                   rotation: {axis: y, angle: 0.6435011087932844}}}\n"
             "constraints: {slope: {floor: {body: block, normal: [0.6, 0, 0.8], points: [\n"
             "  {at: [0.1, 0.1, -0.05]}, {at: [-0.1, 0.1, -0.05]}, {at: [0.1, -0.1, -0.05]},\n"
             "  {at: [-0.1, -0.1, -0.05]}]}}}\n",
             with[i].solver);
    lb_recording* r = run(text);
    const lb_vec3 end_at = r->pose[r->nframe - 1].p;
    const double way = 0.5 * 9.81 * 0.6 * 0.36; // down along [0.8, 0, -0.6]
    print_message("off by %.1e\n", fabs(end_at.x - 0.03 - 0.8 * way));
    assert_near(end_at.x, 0.03 + 0.8 * way, with[i].tolerance);
    assert_near(end_at.z, 0.04 - 0.6 * way, with[i].tolerance);
    end(r);
  }
}

// A stick lands with one end, then with the other, and slides against a wall: with gravity, start,
// floor and wall turned, everything turns along.
static void what_is_turned_does_the_same(void** state) {
  (void)state;
  const lb_quat turn = lb_quat_exp((lb_vec3){0.5, -0.9, 0.4});
  static const char* const solver[] = {HEAD("integrator: rk4, step: 1 ms"),
                                       HEAD("integrator: bdf2, step: 1 ms")};
  for (size_t i = 0; i < 2; i++) {
    lb_recording* r[2];
    for (int k = 0; k < 2; k++) {
      const lb_quat Q = k == 0 ? (lb_quat){1, 0, 0, 0} : turn;
      const lb_vec3 g = lb_quat_rotate(Q, (lb_vec3){0, 0, -9.81});
      const lb_vec3 p = lb_quat_rotate(Q, (lb_vec3){0, 0, 0.3});
      const lb_vec3 v = lb_quat_rotate(Q, (lb_vec3){1, 0.2, -1});
      const lb_vec3 up = lb_quat_rotate(Q, (lb_vec3){0, 0, 1});
      const lb_vec3 out = lb_quat_rotate(Q, (lb_vec3){-0.8, 0, 0.6});
      const lb_quat at = lb_quat_mul(Q, lb_quat_exp((lb_vec3){0, 0.3, 0}));
      const lb_vec3 a = lb_quat_log(at);
      const double angle = lb_vec3_norm(a);
      char text[2000];
      snprintf(text, sizeof text,
               "%sgravity: [%.17g, %.17g, %.17g]\n"
               "bodies: {stick: {mass: 1, inertia: [0.02, 0.08, 0.08],\n"
               "  position: [%.17g, %.17g, %.17g],\n"
               "  rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}}}\n"
               "initial: {stick: {velocity: [%.17g, %.17g, %.17g]}}\n"
               "constraints:\n"
               "  ground: {floor: {body: stick, normal: [%.17g, %.17g, %.17g],\n"
               "           points: [{at: [0.5, 0, 0]}, {at: [-0.5, 0, 0]}]}}\n"
               "  wall: {floor: {body: stick, normal: [%.17g, %.17g, %.17g], height: -0.6,\n"
               "         points: [{at: [0.5, 0, 0]}]}}\n",
               solver[i], g.x, g.y, g.z, p.x, p.y, p.z, a.x / angle, a.y / angle, a.z / angle,
               angle, v.x, v.y, v.z, up.x, up.y, up.z, out.x, out.y, out.z);
      r[k] = run(text);
    }
    double worst = 0, lowest = 1, nearest = 1;
    for (int f = 0; f < r[0]->nframe; f++) {
      const lb_transform x = r[0]->pose[f], y = r[1]->pose[f];
      const lb_vec3 tip = lb_transform_point(x, (lb_vec3){0.5, 0, 0});
      worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(lb_quat_rotate(turn, x.p), y.p)));
      lowest = fmin(lowest, tip.z);
      nearest = fmin(nearest, lb_vec3_dot((lb_vec3){-0.8, 0, 0.6}, tip) + 0.6);
    }
    print_message("%.1e apart; lowest %.1e, nearest to the wall %.1e\n", worst, lowest, nearest);
    assert_near(worst, 0, i == 0 ? 1e-12 : 1e-8);
    assert_above(lowest, -1e-6);
    assert_below(lowest, 1e-3);
    assert_above(nearest, -1e-6);
    assert_below(nearest, 1e-3);
    end(r[0]);
    end(r[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_slides_down_a_slope),
      cmocka_unit_test(what_is_turned_does_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
