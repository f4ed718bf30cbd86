// Stress of elastic bodies: fields whose stress is known, and a cantilever under its own weight.
#include "elastic/reduced/stress.h"

#include "compile.h"
#include "limber/simulate.h"

static lb_tetmesh bar(lb_arena* arena, int order) {
  lb_tetmesh_def def = lb_tetmesh_def_default();
  lb_tetmesh mesh;
  def.kind = LB_TETMESH_BOX;
  def.order = order;
  def.b = lb_vec3_make(0.4, 0.1, 0.2);
  def.width = 0.05;
  def.height = 0.03;
  def.along = 4;
  def.across = def.around = 1;
  assert_int_equal(lb_tetmesh_make(&def, (lb_place){0}, arena, &mesh, NULL), LB_OK);
  return mesh;
}

// Modes u = A x with the nine entries of A as coordinates, by columns.
static double* linear_modes(lb_arena* arena, const lb_tetmesh* mesh) {
  double* Phi = LB_TAKE(arena, double, 9 * 3 * mesh->nnode);
  for (int k = 0; k < 9; k++) {
    for (int i = 0; i < mesh->nnode; i++) {
      const double x[3] = {mesh->node[i].x, mesh->node[i].y, mesh->node[i].z};
      Phi[3 * (k * mesh->nnode + i) + k % 3] = x[k / 3];
    }
  }
  return Phi;
}

// In small strain e a pull without sideways motion has 2 mu e; a shear g has sqrt(3) mu g.
static void uniform_fields_have_their_stress(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    for (int order = 1; order <= 2; order++) {
      lb_arena arena;
      lb_arena_init(&arena, NULL);
      const lb_tetmesh mesh = bar(&arena, order);
      lb_material m = lb_material_default();
      m.model = (lb_material_model)model;
      const double mu = m.young / (2 * (1 + m.poisson)), e = 1e-7;
      lb_stress s;
      assert_int_equal(lb_stress_create(&s, &mesh, &m, 9, linear_modes(&arena, &mesh), &arena),
                       LB_OK);
      assert_above(s.count, 30);
      double* mises = LB_TAKE(&arena, double, s.count);
      lb_stress_evaluate(&s, (double[9]){e}, mises);
      for (int i = 0; i < s.count; i++) {
        assert_near(mises[i] / (2 * mu * e), 1, 1e-6);
      }
      lb_stress_evaluate(&s, (double[9]){[3] = e}, mises);
      for (int i = 0; i < s.count; i++) {
        assert_near(mises[i] / (sqrt(3) * mu * e), 1, 1e-6);
      }
      // a turn by 90 degrees about z
      const double most =
          lb_stress_evaluate(&s, (double[9]){[0] = -1, [1] = 1, [3] = -1, [4] = -1}, NULL);
      if (model != LB_MATERIAL_LINEAR) {
        assert_near(most / mu, 0, 1e-12);
      }
      lb_arena_release(&arena);
    }
  }
}

// Pure bending, u = (x z, -nu y z, -(x^2 + nu z^2 - nu y^2)/2), has the stress E z along x and no
// other; quadratic elements have it exactly.
static void pure_bending_has_its_stress(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_tetmesh mesh = bar(&arena, 2);
  const lb_material m = lb_material_default();
  const double nu = m.poisson, curvature = 1e-7;
  double* Phi = LB_TAKE(&arena, double, 3 * mesh.nnode);
  for (int i = 0; i < mesh.nnode; i++) {
    const lb_vec3 x = mesh.node[i];
    Phi[3 * i] = x.x * x.z;
    Phi[3 * i + 1] = -nu * x.y * x.z;
    Phi[3 * i + 2] = -(x.x * x.x + nu * x.z * x.z - nu * x.y * x.y) / 2;
  }
  lb_stress s;
  assert_int_equal(lb_stress_create(&s, &mesh, &m, 1, Phi, &arena), LB_OK);
  double* mises = LB_TAKE(&arena, double, s.count);
  lb_stress_evaluate(&s, &curvature, mises);
  for (int i = 0; i < s.count; i++) {
    assert_near(mises[i] / (m.young * curvature), fabs(s.at[i].z), 1e-6);
  }
  lb_arena_release(&arena);
}

// sigma(x) = M(x) c/I = 3 rho g (L - x)^2 / h on the top of a beam of height h; away from the clamp
// what is left is the share of the load that twelve shapes miss.
static void a_cantilever_has_the_stress_of_its_bending_moment(void** state) {
  (void)state;
  lb_model* m = compile(
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  beam: {elastic: {beam: {width: 2 cm, height: 1 cm, to: [0.5, 0, 0]}, material: steel,\n"
      "    elements: {along: 20, across: 2, around: 2}, basis: {modes: 12, derivatives: 0}}}\n"
      "joints: {clamp: {type: fixed, child: beam, child_face: start}}\n");
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_equilibrium(m, d, NULL), LB_OK);
  const lb_model_elastic* e = &m->elastic.body[0];
  const double rho = m->body.mass[0].mass / (0.5 * 0.02 * 0.01);
  double* mises = calloc((size_t)e->stress->count, sizeof *mises);
  const double most = lb_stress_evaluate(e->stress, d->q + e->q, mises);
  double worst = 0;
  int seen = 0;
  for (int i = 0; i < e->stress->count; i++) {
    const lb_vec3 at = e->stress->at[i];
    if (at.z > 0.00499 && at.x > 0.05 && at.x < 0.3) {
      const double known = 3 * rho * 10 * pow(0.5 - at.x, 2) / 0.01;
      worst = fmax(worst, fabs(mises[i] / known - 1));
      seen++;
    }
  }
  const double root = 3 * rho * 10 * 0.25 / 0.01;
  print_message("largest %.4g MPa, M c/I at the clamp %.4g MPa; %d faces within %.2g %%\n",
                1e-6 * most, 1e-6 * root, seen, 100 * worst);
  assert_above(seen, 20);
  assert_below(worst, 0.06);
  assert_near(most / root, 1, 0.1);
  free(mises);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_fields_have_their_stress),
      cmocka_unit_test(pure_bending_has_its_stress),
      cmocka_unit_test(a_cantilever_has_the_stress_of_its_bending_moment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
