// Bodies of several materials: bars in two parts against closed forms.
#include "elastic_body.h"

static const double LENGTH = 1, FIRST = 0.4, SIDE = 0.1;

// Poisson's ratio is zero, so that a pulled bar stays a line.
static lb_material part(double young, double density) {
  return (lb_material){LB_MATERIAL_LINEAR, young, 0, density, 0, 0};
}

// A bar along x, cut at FIRST when `parts` is 2.
static body bar(int parts, const lb_material* material, int along) {
  body b = {.err = lb_error_make(NULL)};
  lb_arena_init(&b.arena, NULL);
  lb_tetmesh_def d = beam_def(LENGTH, SIDE, SIDE, along, 1, 1, 2);
  d.ncut = parts - 1;
  d.cut = &FIRST;
  lb_status status = lb_tetmesh_make(&d, (lb_place){0}, &b.arena, &b.mesh, &b.err);
  if (status == LB_OK) {
    status = lb_fem_create(NULL, &b.mesh, material, 1, "bar", (lb_place){0}, &b.fem, &b.err);
  }
  body_show(&b);
  assert_int_equal(status, LB_OK);
  assert_int_equal(b.mesh.nregion, parts);
  return b;
}

static void cuts_are_where_regions_meet(void** state) {
  (void)state;
  const double cut[] = {0.02, 0.5, 0.52, 0.97};
  lb_tetmesh_def d = beam_def(LENGTH, SIDE, SIDE, 7, 1, 1, 2);
  d.ncut = 4;
  d.cut = cut;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_tetmesh mesh;
  assert_int_equal(lb_tetmesh_make(&d, (lb_place){0}, &arena, &mesh, NULL), LB_OK);
  assert_int_equal(lb_tetmesh_check(&mesh, "bar", (lb_place){0}, &arena, NULL), LB_OK);
  assert_int_equal(mesh.nregion, 5);
  assert_string_equal(mesh.region_name[4], "part 5");
  double low[5], high[5];
  for (int i = 0; i < 5; i++) {
    low[i] = INFINITY;
    high[i] = -INFINITY;
  }
  for (int e = 0; e < mesh.nelem; e++) {
    for (int k = 0; k < 4; k++) {
      const double x = mesh.node[mesh.elem[10 * e + k]].x;
      low[mesh.region[e]] = fmin(low[mesh.region[e]], x);
      high[mesh.region[e]] = fmax(high[mesh.region[e]], x);
    }
  }
  for (int i = 0; i < 5; i++) {
    assert_near(low[i], i ? cut[i - 1] : 0, 1e-15);
    assert_near(high[i], i < 4 ? cut[i] : LENGTH, 1e-15);
  }
  d.cut = (double[]){0.5, 0.4, 0.6, 0.7};
  assert_int_equal(lb_tetmesh_make(&d, (lb_place){0}, &arena, &mesh, NULL), LB_INVALID);
  lb_arena_release(&arena);
}

// F L1 / (E1 A) + F L2 / (E2 A)
static void a_bar_of_two_materials_stretches_as_two_springs_in_a_row(void** state) {
  (void)state;
  const lb_material m[2] = {part(3e9, 1000), part(1e9, 4000)};
  body b = bar(2, m, 7);
  double *u = body_vector(&b), *f = body_vector(&b);
  char* held = body_held(&b, "start");
  const double F = 50, A = SIDE * SIDE;
  body_load(&b, f, "end", lb_vec3_make(F, 0, 0));
  assert_int_equal(lb_fem_solve_linear(b.fem, u, f, held, &b.err), LB_OK);
  const double stretch = F * FIRST / (3e9 * A) + F * (LENGTH - FIRST) / (1e9 * A);
  assert_near(body_mean(&b, u, "end").x / stretch, 1, 1e-10);
  body_release(&b);
}

// With u = sin(k1 x) up to the seam and cos(k2 (L - x)) beyond, both continuous and in balance:
//   tan(k1 L1) tan(k2 L2) = sqrt(E1 rho1) / sqrt(E2 rho2),   k = w sqrt(rho / E)
static double bar_frequency(const lb_material* m) {
  const double s1 = FIRST * sqrt(m[0].density / m[0].young);
  const double s2 = (LENGTH - FIRST) * sqrt(m[1].density / m[1].young);
  const double goal = sqrt(m[0].young * m[0].density / (m[1].young * m[1].density));
  double low = 0, high = M_PI / 2 / fmax(s1, s2);
  for (int i = 0; i < 200; i++) {
    const double w = (low + high) / 2;
    *(tan(w * s1) * tan(w * s2) < goal ? &low : &high) = w;
  }
  return low;
}

static void a_bar_of_two_materials_rings_at_its_frequency(void** state) {
  (void)state;
  const lb_material m[2] = {part(3e9, 1000), part(1e9, 4000)};
  double error[2];
  for (int i = 0; i < 2; i++) {
    body b = bar(2, m, i ? 20 : 10);
    char* held = body_held(&b, "start");
    for (int k = 0; k < b.fem->ndof; k++) { // along the bar only
      held[k] |= k % 3 > 0;
    }
    double omega[1] = {0};
    double* x = body_vector(&b);
    assert_int_equal(lb_fem_modes(b.fem, 1, omega, x, NULL, held, NULL, &b.err), LB_OK);
    error[i] = omega[0] / bar_frequency(m) - 1;
    body_release(&b);
  }
  print_message("off by %.3g, then %.3g\n", error[0], error[1]);
  assert_below(fabs(error[1]), 1e-6);
  assert_above(error[0] / error[1], 10); // order 4
}

static void a_bar_of_two_equal_materials_is_a_uniform_one(void** state) {
  (void)state;
  const lb_material m[2] = {part(3e9, 1000), part(3e9, 1000)};
  body b[2] = {bar(1, m, 5), bar(2, m, 5)}; // a layer ends at the cut anyway
  const int n = b[0].fem->ndof;
  assert_int_equal(b[1].fem->ndof, n);
  lb_random r = {3};
  double *u = body_vector(&b[0]), *f[2], *y[2];
  for (int i = 0; i < n; i++) {
    u[i] = lb_random_between(&r, -0.01, 0.01);
  }
  for (int i = 0; i < 2; i++) {
    f[i] = body_vector(&b[i]);
    y[i] = body_vector(&b[i]);
    lb_fem_force(b[i].fem, f[i], u);
    lb_fem_mass_apply(b[i].fem, y[i], u);
  }
  const double force = sqrt(body_dot(n, f[0], f[0])), mass = sqrt(body_dot(n, y[0], y[0]));
  for (int i = 0; i < n; i++) {
    assert_near(f[0][i] / force, f[1][i] / force, 1e-13);
    assert_near(y[0][i] / mass, y[1][i] / mass, 1e-13);
  }
  body_release(&b[0]);
  body_release(&b[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuts_are_where_regions_meet),
      cmocka_unit_test(a_bar_of_two_materials_stretches_as_two_springs_in_a_row),
      cmocka_unit_test(a_bar_of_two_materials_rings_at_its_frequency),
      cmocka_unit_test(a_bar_of_two_equal_materials_is_a_uniform_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
