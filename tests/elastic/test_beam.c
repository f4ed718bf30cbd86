// Cantilevers and free beams against beam theory: deflections, frequencies, orders of convergence,
// locking, and large deflections.
#include "beam_theory.h"
#include "counting.h"
#include "frequencies.h"

static double tip_deflection(lb_tetmesh_def d) {
  body b = body_make(d, lb_material_default());
  double *f = body_vector(&b), *u = body_vector(&b);
  body_load(&b, f, "end", lb_vec3_make(0, 0, 1));
  assert_int_equal(lb_fem_solve_linear(b.fem, u, f, body_held(&b, "start"), &b.err), LB_OK);
  const double tip = body_mean(&b, u, "end").z;
  body_release(&b);
  return tip;
}

static void static_deflection_is_timoshenkos_within_a_percent(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  for (int slender = 20; slender <= 80; slender *= 2) {
    const double h = 0.01, w = 0.01, L = slender * h;
    lb_tetmesh_def d = beam_def(L, w, h, 8 + slender / 2, 1, 1, 2);
    d.ends = h / 4;
    const beam_theory t = beam_of_box(L, w, h, m.young, m.poisson, m.density);
    assert_near(tip_deflection(d) / beam_tip(&t), 1, 0.01);
  }
}

static void linear_tetrahedra_lock_and_quadratic_ones_do_not(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  const double h = 0.01, L = 0.3;
  const beam_theory t = beam_of_box(L, h, h, m.young, m.poisson, m.density);
  lb_tetmesh_def d = beam_def(L, h, h, 30, 2, 2, 1);
  assert_below(tip_deflection(d), 0.5 * beam_tip(&t)); // 2.2 cells to the height: less than half
  d.order = 2;
  assert_near(tip_deflection(d) / beam_tip(&t), 1, 0.01);
}

// Bending in two planes: modes come in pairs for square and round sections.
static void check_cantilever(lb_tetmesh_def d, beam_theory t, double tip) {
  double hz[6], omega[3];
  t.tip = tip;
  beam_frequencies(&t, 3, omega);
  frequencies(d, lb_material_default(), true, tip, 6, hz);
  for (int k = 0; k < 6; k++) {
    assert_near(hz[k] / (omega[k / 2] / TWO_PI), 1, 0.01);
  }
}

static void beam_frequencies_are_timoshenkos_within_a_percent(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  const double h = 0.01, L = 0.4;
  lb_tetmesh_def d = beam_def(L, h, h, 24, 1, 1, 2);
  d.ends = h / 4;
  const beam_theory t = beam_of_box(L, h, h, m.young, m.poisson, m.density);
  check_cantilever(d, t, 0);
  check_cantilever(d, t, 0.5 * t.rho * t.A * t.L);
}

// The rod of the single-motor scene: 70 cm, 4 mm, 100 g.
static void rod_frequencies_are_timoshenkos_within_a_percent(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  lb_tetmesh_def d = lb_tetmesh_def_default();
  d.b = lb_vec3_make(0, 0.7, 0);
  d.radius = 0.002;
  d.along = 40;
  d.across = 2;
  const beam_theory t = beam_of_rod(0.7, 0.002, m.young, m.poisson, m.density);
  check_cantilever(d, t, 0);
  check_cantilever(d, t, 0.1);
}

static void frequencies_converge_with_order_three_or_more(void** state) {
  (void)state;
  const order_case all[] = {
      {0.06, 6, false, 0.3, 0}, {0.08, 8, true, 0, 0}, {0.08, 8, true, 0, 0.03}};
  for (int i = 0; i < 3; i++) {
    assert_above(frequency_order(all[i], 1, 0), 3);
  }
}

static void a_free_body_has_six_rigid_modes(void** state) {
  (void)state;
  body b = body_make(beam_def(0.2, 0.01, 0.02, 8, 1, 1, 2), lb_material_default());
  double omega[8];
  double* x = LB_TAKE(&b.arena, double, 8 * b.fem->ndof);
  double *f = body_vector(&b), *g = body_vector(&b);
  assert_int_equal(lb_fem_modes(b.fem, 8, omega, x, NULL, NULL, NULL, &b.err), LB_OK);
  for (int k = 0; k < 6; k++) {
    assert_below(omega[k], 1e-3 * omega[6]);
  }
  for (int k = 0; k < 8; k++) {
    for (int l = 0; l <= k; l++) {
      lb_fem_mass_apply(b.fem, f, &x[l * b.fem->ndof]);
      assert_near(body_dot(b.fem->ndof, &x[k * b.fem->ndof], f), k == l, 1e-9);
    }
    lb_fem_apply(b.fem, f, g, &x[k * b.fem->ndof]); // g = 0: at rest
    assert_near(body_dot(b.fem->ndof, &x[k * b.fem->ndof], f) / (omega[6] * omega[6]),
                omega[k] * omega[k] / (omega[6] * omega[6]), 1e-6);
  }
  body_release(&b);
}

static void meshes_chosen_by_error_keep_it(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  for (int kind = 0; kind <= LB_TETMESH_ROD; kind++) {
    for (int slender = 8; slender < 200; slender *= 4) {
      const double thick = 0.01, L = slender * thick, error = 0.01;
      lb_tetmesh_def d = beam_def(L, thick, thick, 0, 0, 0, 2);
      d.kind = (lb_tetmesh_kind)kind;
      d.radius = thick / 2;
      d.error = error;
      double coarse[1], fine[1];
      frequencies(d, m, false, 0, 1, coarse);
      d.error = error / 10;
      frequencies(d, m, false, 0, 1, fine);
      assert_below(coarse[0] / fine[0] - 1, error);
      assert_above(coarse[0] / fine[0] - 1, -error / 10);
    }
  }
}

static void large_deflection_is_the_elasticas_within_a_percent(void** state) {
  (void)state;
  const double L = 1, h = 0.02, load = 5;
  for (int model = 0; model <= LB_MATERIAL_COROTATED; model++) {
    lb_material m = lb_material_default();
    m.model = (lb_material_model)model;
    m.poisson = 0;
    body b = body_make(beam_def(L, h, h, 25, 1, 1, 2), m);
    double *f = body_vector(&b), *u = body_vector(&b), x, y;
    const double EI = m.young * h * h * h * h / 12;
    body_load(&b, f, "end", lb_vec3_make(0, 0, load * EI / (L * L)));
    lb_static_report report;
    const lb_status status =
        lb_fem_solve_static(b.fem, u, f, body_held(&b, "start"), NULL, NULL, &report, &b.err);
    body_show(&b);
    assert_int_equal(status, LB_OK);
    elastica_tip(load, &x, &y);
    const lb_vec3 tip = body_mean(&b, u, "end");
    assert_near(tip.z, y, 0.01 * y);
    assert_near(1 + tip.x, x, 0.01);
    body_release(&b);
  }
}

static void an_unheld_body_is_reported(void** state) {
  (void)state;
  body b = body_make(beam_def(0.1, 0.01, 0.01, 4, 1, 1, 2), lb_material_default());
  double *f = body_vector(&b), *u = body_vector(&b);
  f[2] = 1;
  u[0] = 7;
  assert_int_equal(lb_fem_solve_linear(b.fem, u, f, NULL, &b.err), LB_FAILED);
  assert_true(u[0] == 7);
  assert_int_equal(b.err.count, 1);
  body_release(&b);
}

static void refused_memory_fails_without_a_leak(void** state) {
  (void)state;
  body b = body_make(beam_def(0.1, 0.01, 0.01, 2, 1, 1, 2), lb_material_default());
  const lb_allocator* usual = b.fem->arena.allocator;
  double *f = body_vector(&b), *u = body_vector(&b), omega[2];
  double* x = LB_TAKE(&b.arena, double, 2 * b.fem->ndof);
  const char* held = body_held(&b, "start");
  body_load(&b, f, "end", lb_vec3_make(0, 0, 1));
  for (int what = 0; what < 3; what++) {
    lb_status status = LB_NO_MEMORY;
    for (long refuse = 1; status != LB_OK; refuse++) {
      lb_counting count = {.refuse = refuse};
      const lb_allocator counting = lb_counting_allocator(&count);
      b.fem->arena.allocator = &counting; // what the solvers take their memory from
      status = what == 0   ? lb_fem_solve_linear(b.fem, u, f, held, NULL)
               : what == 1 ? lb_fem_solve_static(b.fem, u, f, held, NULL, NULL, NULL, NULL)
                           : lb_fem_modes(b.fem, 2, omega, x, NULL, held, NULL, NULL);
      b.fem->arena.allocator = usual;
      assert_true(status == LB_OK || status == LB_NO_MEMORY);
      assert_int_equal(count.live, 0);
    }
  }
  body_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(static_deflection_is_timoshenkos_within_a_percent),
      cmocka_unit_test(linear_tetrahedra_lock_and_quadratic_ones_do_not),
      cmocka_unit_test(beam_frequencies_are_timoshenkos_within_a_percent),
      cmocka_unit_test(rod_frequencies_are_timoshenkos_within_a_percent),
      cmocka_unit_test(frequencies_converge_with_order_three_or_more),
      cmocka_unit_test(a_free_body_has_six_rigid_modes),
      cmocka_unit_test(meshes_chosen_by_error_keep_it),
      cmocka_unit_test(large_deflection_is_the_elasticas_within_a_percent),
      cmocka_unit_test(an_unheld_body_is_reported),
      cmocka_unit_test(refused_memory_fails_without_a_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
