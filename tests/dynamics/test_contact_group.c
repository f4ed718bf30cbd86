// Scaled velocities of a free body, whose mass matrix they make one.
#include "dynamics/contact/contact_inside.h"
#include "test.h"

typedef struct fixture {
  lb_link link;
  lb_free_scale scale;
  lb_contact_group group;
  int v[6];
  double x[3][12]; // random numbers, six of each used
} fixture;

// A body whose centre of mass is not at its origin, and whose axes are not its principal ones.
static void set_up(fixture* f) {
  lb_random r = {7};
  *f = (fixture){.link = {.m = 2.5, .h = 2.5 * lb_v4_make(0.3, -0.7, 0.2)}};
  const lb_v4 c = f->link.h / f->link.m;
  lb_m3 I = {lb_v4_make(0.5, 0.1, -0.05), lb_v4_make(0.1, 0.4, 0.07), lb_v4_make(-0.05, 0.07, 0.3)};
  lb_m3_add_scaled(&I, f->link.m * lb_v4_dot(c, c), lb_m3_identity());
  lb_m3_add_outer(&I, -f->link.m, c, c);
  f->link.I0 = I;
  assert_true(lb_free_scale_make(&f->link, &f->scale));
  for (int k = 0; k < 6; k++) {
    f->v[k] = 3 + k;
  }
  f->group = (lb_contact_group){.nv = 6, .v = f->v, .start = f->v[0], .scale = &f->scale};
  for (int i = 0; i < 36; i++) {
    f->x[i / 12][i % 12] = lb_random_between(&r, -1, 1);
  }
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static void energy_is_half_the_square_of_scaled_velocities(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  const double* v = f.x[0];
  const lb_v4 w = lb_v4_load(v + 3), o = lb_v4_load(v + 6);
  const double energy = lb_v4_dot(w, lb_m3_apply(f.link.I0, w)) +
                        2 * lb_v4_dot(o, lb_v4_cross(w, f.link.h)) + f.link.m * lb_v4_dot(o, o);
  double u[8] = {0};
  lb_group_gather(&f.group, v, u);
  assert_near(dot(8, u, u), energy, 1e-14);
}

static void velocities_come_back(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  double u[8], v[12] = {0}, same[12];
  lb_group_gather(&f.group, f.x[0], u);
  lb_group_add(&f.group, u, v);
  for (int k = 3; k < 9; k++) {
    assert_near(v[k], f.x[0][k], 1e-14);
  }
  lb_group_spread(&f.group, u, v);
  memcpy(same, f.x[0], sizeof same);
  lb_group_spread(&f.group, u, same); // what has not changed stays as it is, to the last bit
  assert_memory_equal(same, f.x[0], sizeof same);
  for (int k = 3; k < 9; k++) {
    assert_near(v[k], f.x[0][k], 1e-14);
  }
}

// Power of forces is the same in both.
static void forces_are_adjoint_to_velocities(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  double u[8], r[8], back[12] = {0};
  lb_group_gather(&f.group, f.x[0], u);
  lb_group_gather_forces(&f.group, f.x[1], r);
  assert_near(dot(8, u, r), dot(6, f.x[0] + 3, f.x[1] + 3), 1e-14);
  lb_group_add_forces(&f.group, 1, r, back);
  for (int k = 3; k < 9; k++) {
    assert_near(back[k], f.x[1][k], 1e-14);
  }
}

static void what_has_no_inertia_is_refused(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.link.I0.z[2] = 0;
  assert_false(lb_free_scale_make(&f.link, &f.scale));
  f.link.m = 0;
  assert_false(lb_free_scale_make(&f.link, &f.scale));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_half_the_square_of_scaled_velocities),
      cmocka_unit_test(velocities_come_back),
      cmocka_unit_test(forces_are_adjoint_to_velocities),
      cmocka_unit_test(what_has_no_inertia_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
