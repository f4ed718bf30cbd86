// Forward sensitivities: against differences of the motion, and against the adjoint, which chains
// the same derivatives of the same steps from the other end.
#include "retargeting.h"

// Coordinates at the end of a run with curves that are s times a direction off.
static void run_to_end(const problem* p, const double* along, double s, double* q) {
  lb_error err = lb_error_make(NULL);
  const int nstep = lb_retarget_steps(p->model, &p->options);
  lb_curves* c = curves_at(p, along, s);
  lb_model* played;
  lb_data* d;
  lb_stepper* st;
  must(lb_model_play(p->model, p->what, c, p->targets->q0, NULL, &played, &err), &err);
  must(lb_data_create(played, NULL, &d, &err), &err);
  must(lb_stepper_create(played, &(lb_scene_solver){.integrator = LB_INTEGRATOR_BDF2}, NULL, &st,
                         &err),
       &err);
  must(lb_assemble(played, d, &err), &err);
  for (int i = 1; i <= nstep; i++) {
    must(lb_stepper_step(st, d, played->duration / nstep, &err), &err);
    d->time = i * played->duration / nstep;
  }
  memcpy(q, d->q, (size_t)played->nq * sizeof *q);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(played);
  lb_curves_release(c);
}

static void sensitivities_match_differences_of_the_motion(void** state) {
  (void)state;
  static const double H = 1e-4, AT[4] = {-2, -1, 1, 2}, W[4] = {1, -8, 8, -1};
  enum { MOST = 64 };
  problem p;
  open_problem(&p, "two-rods", 0.4);
  p.options.step = 2e-3;
  shake_curves(&p, 0.02, 3);
  const int nv = p.model->nv, nstep = lb_retarget_steps(p.model, &p.options);
  assert_at_most(nv, MOST);
  assert_true(p.model->nq == nv);
  assert_at_most(control_count(&p), MOST);
  double x[MOST], q[MOST], difference[MOST] = {0}, slope, most = 0, off = 0;
  double* motion = test_malloc(((size_t)nstep + 1) * (size_t)nv * sizeof *motion);
  lb_error err = lb_error_make(NULL);
  lb_random random = {11};
  random_direction(&p, &random, x);
  must(lb_retarget_sensitivity(p.model, p.what, p.input, p.targets, p.curves, &p.options, 1, x,
                               &slope, motion, &err),
       &err);
  for (int k = 0; k < 4; k++) {
    run_to_end(&p, x, H * AT[k], q);
    for (int i = 0; i < nv; i++) {
      difference[i] += W[k] * q[i] / (12 * H);
    }
  }
  for (int i = 0; i < nv; i++) {
    most = fmax(most, fabs(difference[i]));
    off = fmax(off, fabs(difference[i] - motion[nstep * nv + i]));
  }
  print_message("coordinates change by up to %.3g, off by %.2g of that\n", most, off / most);
  assert_at_most(off, 1e-6 * most);
  test_free(motion);
  close_problem(&p);
}

static void going_on_and_going_back_agree(void** state) {
  (void)state;
  compare_both_ways("rod");
  compare_both_ways("two-rods");
  compare_both_ways("rapper"); // a loop
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sensitivities_match_differences_of_the_motion),
      cmocka_unit_test(going_on_and_going_back_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
