// The free flyer: motors run, nothing holds it and nothing pushes it, so linear and angular
// momentum stay what they were. A coupling term left out would show as a drift that does not fall
// with the step.
#pragma once
#include "limber/limber.h"
#include "test.h"

// Drifts are worst changes over the frames, over the largest sum of the sizes of what the links
// have.
static inline void check_momentum(double duration, double step, int halvings) {
  lb_scene scene;
  lb_model* m;
  lb_error err = lb_error_make(NULL);
  double before[2] = {0};
  assert_int_equal(lb_scene_read(LIMBER_SOURCE_DIR "/scenes/free-flyer.yaml", NULL, &scene, &err),
                   LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  lb_scene_release(&scene);
  for (int i = 0; i <= halvings; i++) {
    lb_simulate_options options = lb_simulate_default();
    lb_recording* r;
    lb_summary s;
    options.duration = duration;
    options.step = ldexp(step, -i);
    assert_int_equal(lb_recording_create(m, 10, NULL, &r, NULL), LB_OK);
    assert_int_equal(lb_simulate(m, &options, r, &s, &err), LB_OK);
    lb_recording_release(r);
    const double drift[2] = {s.linear_drift, s.angular_drift};
    for (int k = 0; k < 2; k++) {
      const double order = log2(before[k] / drift[k]);
      print_message("%s momentum over %g s at %g ms: drift %.3g", k ? "angular" : "linear",
                    duration, 1e3 * options.step, drift[k]);
      print_message(i > 0 ? ", order %.2f\n" : "\n", order);
      assert_below(drift[k], 1e-4);
      if (i > 0) {
        assert_above(order, 1.9);
        assert_below(order, 2.1);
      }
      before[k] = drift[k];
    }
  }
  lb_model_release(m);
}
