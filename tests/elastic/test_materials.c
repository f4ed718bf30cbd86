// The material models of elasticity against each other, against differences and against linear
// elasticity.
#include "elastic/fem/material.h"
#include "limber/math.h"
#include "test.h"

// Random gradients near the identity, no two lanes alike.
static void random_gradient(lb_random* r, lb_lanes F[9], double identity, double size) {
  for (int k = 0; k < 9; k++) {
    for (int l = 0; l < LB_LANES; l++) {
      F[k][l] = (k % 4 == 0 ? identity : 0) + lb_random_between(r, -size, size);
    }
  }
}

static lb_material some_material(int model) {
  return (lb_material){(lb_material_model)model, 3.0, 0.35, 1.0, 0, 0};
}

static void blend(lb_lanes out[9], const lb_lanes F[9], double s, const lb_lanes d[9]) {
  for (int k = 0; k < 9; k++) {
    out[k] = F[k] + s * d[k];
  }
}

static void stress_is_the_gradient_of_energy(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    lb_random r = {17 + (uint64_t)model};
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes F[9], d[9], P[9], A[9], up, down;
    random_gradient(&r, F, 1, 0.3);
    random_gradient(&r, d, 0, 1);
    f->stress(&c, P, F);
    blend(A, F, h, d);
    f->energy(&c, &up, A);
    blend(A, F, -h, d);
    f->energy(&c, &down, A);
    const lb_lanes slope = (up - down) / (2 * h), along = lb_lanes_dot9(P, d);
    for (int l = 0; l < LB_LANES; l++) {
      assert_near(along[l], slope[l], 1e-8);
    }
  }
}

static void differential_is_the_derivative_of_stress(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    lb_random r = {170 + (uint64_t)model};
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes F[9], d[9], dP[9], A[9], up[9], down[9];
    random_gradient(&r, F, 1, 0.3);
    random_gradient(&r, d, 0, 1);
    f->differential(&c, dP, F, d);
    blend(A, F, h, d);
    f->stress(&c, up, A);
    blend(A, F, -h, d);
    f->stress(&c, down, A);
    for (int k = 0; k < 9; k++) {
      for (int l = 0; l < LB_LANES; l++) {
        assert_near(dP[k][l], (up[k][l] - down[k][l]) / (2 * h), 1e-7);
      }
    }
  }
}

static void tangent_columns_are_differentials_and_it_is_symmetric(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    lb_random r = {1700 + (uint64_t)model};
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes F[9], A[81], B[81];
    random_gradient(&r, F, 1, 0.3);
    lb_material_tangent(f, &c, A, F);
    for (int j = 0; j < 9; j++) {
      lb_lanes unit[9] = {0};
      unit[j] = lb_lanes_set(1);
      f->differential(&c, &B[9 * j], F, unit);
    }
    for (int j = 0; j < 9; j++) {
      for (int i = j; i < 9; i++) {
        for (int l = 0; l < LB_LANES; l++) {
          assert_near(A[i + 9 * j][l], B[i + 9 * j][l], 1e-12);
          assert_near(B[i + 9 * j][l], B[j + 9 * i][l], 1e-12);
        }
      }
    }
  }
}

static void second_is_the_derivative_of_the_differential_and_symmetric(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    lb_random r = {17000 + (uint64_t)model};
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes F[9], a[9], b[9], d2[9], d2_swapped[9], A[9], up[9], down[9];
    random_gradient(&r, F, 1, 0.3);
    random_gradient(&r, a, 0, 1);
    random_gradient(&r, b, 0, 1);
    f->second(&c, d2, F, a, b);
    f->second(&c, d2_swapped, F, b, a);
    blend(A, F, h, b);
    f->differential(&c, up, A, a);
    blend(A, F, -h, b);
    f->differential(&c, down, A, a);
    for (int k = 0; k < 9; k++) {
      for (int l = 0; l < LB_LANES; l++) {
        assert_near(d2[k][l], (up[k][l] - down[k][l]) / (2 * h), 1e-6);
        assert_near(d2[k][l], d2_swapped[k][l], 1e-11);
      }
    }
  }
}

static void tangent_along_a_direction_holds_the_second_derivatives(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    lb_random r = {18000 + (uint64_t)model};
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes F[9], a[9], A[81];
    random_gradient(&r, F, 1, 0.3);
    random_gradient(&r, a, 0, 1);
    lb_material_tangent_along(f, &c, A, F, a);
    for (int j = 0; j < 9; j++) {
      lb_lanes unit[9] = {0}, d2[9];
      unit[j] = lb_lanes_set(1);
      f->second(&c, d2, F, a, unit);
      for (int i = j; i < 9; i++) {
        for (int l = 0; l < LB_LANES; l++) {
          assert_near(A[i + 9 * j][l], d2[i][l], 1e-11);
        }
      }
    }
  }
}

static void at_the_reference_every_model_is_linear_elasticity(void** state) {
  (void)state;
  const lb_material linear = some_material(LB_MATERIAL_LINEAR);
  const lb_material_constants c0 = lb_material_constants_of(&linear);
  lb_lanes I[9] = {0}, A0[81];
  I[0] = I[4] = I[8] = lb_lanes_set(1);
  lb_material_tangent(&lb_linear, &c0, A0, I);
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    lb_lanes A[81], P[9], psi;
    lb_material_tangent(f, &c, A, I);
    f->stress(&c, P, I);
    f->energy(&c, &psi, I);
    assert_near(psi[0], 0, 1e-14);
    for (int j = 0; j < 9; j++) {
      assert_near(P[j][0], 0, 1e-14);
      for (int i = j; i < 9; i++) {
        assert_near(A[i + 9 * j][0], A0[i + 9 * j][0], 1e-13);
      }
    }
  }
}

static void rotations_change_neither_energy_nor_stress_but_turn_it(void** state) {
  (void)state;
  lb_random r = {99};
  for (int model = 0; model < LB_MATERIAL_LINEAR; model++) {
    const lb_material m = some_material(model);
    const lb_material_functions* f = lb_material_functions_of(m.model);
    const lb_material_constants c = lb_material_constants_of(&m);
    const lb_vec3 v = {1.1, -0.4, 2.0};
    const lb_mat3 Q = lb_quat_matrix(lb_quat_exp(v));
    const double q[9] = {Q.x.x, Q.x.y, Q.x.z, Q.y.x, Q.y.y, Q.y.z, Q.z.x, Q.z.y, Q.z.z};
    lb_lanes R[9], F[9], RF[9], P[9], turned[9], RP[9], e, e_turned;
    for (int k = 0; k < 9; k++) {
      R[k] = lb_lanes_set(q[k]);
    }
    random_gradient(&r, F, 1, 0.3);
    lb_lanes_mul(RF, R, F);
    f->energy(&c, &e, F);
    f->energy(&c, &e_turned, RF);
    f->stress(&c, P, F);
    f->stress(&c, turned, RF);
    lb_lanes_mul(RP, R, P);
    for (int l = 0; l < LB_LANES; l++) {
      assert_near(e[l], e_turned[l], 1e-12);
      for (int k = 0; k < 9; k++) {
        assert_near(turned[k][l], RP[k][l], 1e-12);
      }
    }
  }
}

static void neo_hookean_is_finite_and_pushes_back_when_inverted(void** state) {
  (void)state;
  const lb_material m = some_material(LB_MATERIAL_NEO_HOOKEAN);
  const lb_material_constants c = lb_material_constants_of(&m);
  lb_lanes F[9] = {0}, P[9], e, e_rest, flat[9] = {0};
  F[0] = lb_lanes_set(-0.5);
  F[4] = F[8] = lb_lanes_set(1);
  flat[4] = flat[8] = lb_lanes_set(1);
  lb_neo_hookean.stress(&c, P, F);
  lb_neo_hookean.energy(&c, &e, F);
  lb_neo_hookean.energy(&c, &e_rest, flat);
  assert_below(P[0][0], 0); // energy falls towards F = I
  assert_above(e[0], e_rest[0]);
}

static void names_give_their_models_and_nonsense_none(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    assert_int_equal(lb_material_named(lb_material_name((lb_material_model)model)), model);
  }
  assert_int_equal(lb_material_named("rubber"), LB_MATERIAL_MODEL_COUNT);
}

static void constants_out_of_range_are_refused_by_name(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_material m = lb_material_default();
  assert_int_equal(lb_material_check(&m, "arm", (lb_place){0}, &err), LB_OK);
  m.poisson = 0.5;
  m.young = -1;
  assert_int_equal(lb_material_check(&m, "arm", (lb_place){0}, &err), LB_INVALID);
  assert_int_equal(err.count, 2);
  assert_non_null(strstr(err.message[0].text, "arm"));
  lb_error_clear(&err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_is_the_gradient_of_energy),
      cmocka_unit_test(differential_is_the_derivative_of_stress),
      cmocka_unit_test(tangent_columns_are_differentials_and_it_is_symmetric),
      cmocka_unit_test(second_is_the_derivative_of_the_differential_and_symmetric),
      cmocka_unit_test(tangent_along_a_direction_holds_the_second_derivatives),
      cmocka_unit_test(at_the_reference_every_model_is_linear_elasticity),
      cmocka_unit_test(rotations_change_neither_energy_nor_stress_but_turn_it),
      cmocka_unit_test(neo_hookean_is_finite_and_pushes_back_when_inverted),
      cmocka_unit_test(names_give_their_models_and_nonsense_none),
      cmocka_unit_test(constants_out_of_range_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
