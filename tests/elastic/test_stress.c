// Stress of elastic bodies: fields whose stress is known, and a cantilever under its own weight.
#include "elastic/reduced/stress.h"

#include "compile.h"
#include "limber/simulate.h"
#include "recording/stress_peaks.h"

static lb_tetmesh bar(lb_arena* arena, int order, int across) {
  lb_tetmesh_def def = lb_tetmesh_def_default();
  lb_tetmesh mesh;
  def.kind = LB_TETMESH_BOX;
  def.order = order;
  def.b = lb_vec3_make(0.4, 0.1, 0.2);
  def.width = 0.05;
  def.height = 0.03;
  def.along = 4 * across;
  def.across = def.around = across;
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

// Stress of a body, with room for it.
typedef struct body {
  lb_stress s;
  double *u, *elem, *face;
} body;

static body make(lb_arena* arena, const lb_tetmesh* mesh, const lb_material* m, int r,
                 const double* Phi) {
  body b;
  assert_int_equal(lb_stress_create(&b.s, mesh, m, r, Phi, arena), LB_OK);
  b.u = LB_TAKE(arena, double, lb_stress_room(&b.s));
  b.elem = LB_TAKE(arena, double, b.s.nelem);
  b.face = LB_TAKE(arena, double, b.s.nface);
  return b;
}

static double evaluate(body* b, const double* eta) {
  lb_stress_displace(&b->s, LB_STRESS_ALL, b->u, eta);
  return lb_stress_evaluate(&b->s, LB_STRESS_ALL, b->u, b->elem, b->face);
}

// In small strain e a pull without sideways motion has 2 mu e; a shear g has sqrt(3) mu g.
static void uniform_fields_have_their_stress(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    for (int order = 1; order <= 2; order++) {
      lb_arena arena;
      lb_arena_init(&arena, NULL);
      const lb_tetmesh mesh = bar(&arena, order, 3);
      lb_material m = lb_material_default();
      m.model = (lb_material_model)model;
      const double mu = m.young / (2 * (1 + m.poisson)), e = 1e-7;
      body b = make(&arena, &mesh, &m, 9, linear_modes(&arena, &mesh));
      assert_int_equal(b.s.nelem, mesh.nelem);
      assert_above(b.s.nelem, b.s.outer_elems); // some are inside
      assert_near(evaluate(&b, (double[9]){e}) / (2 * mu * e), 1, 1e-6);
      for (int i = 0; i < b.s.nelem; i++) {
        assert_near(b.elem[i] / (2 * mu * e), 1, 1e-6);
      }
      evaluate(&b, (double[9]){[3] = e});
      for (int i = 0; i < b.s.nface; i++) {
        assert_near(b.face[i] / (sqrt(3) * mu * e), 1, 1e-6);
      }
      // a turn by 90 degrees about z
      const double most = evaluate(&b, (double[9]){[0] = -1, [1] = 1, [3] = -1, [4] = -1});
      if (model != LB_MATERIAL_LINEAR) {
        assert_near(most / mu, 0, 1e-12);
      }
      lb_arena_release(&arena);
    }
  }
}

// The displacements of all nodes, the basis, and a material that is stiffer say the same.
static void nodes_and_basis_have_the_same_stress(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_tetmesh mesh = bar(&arena, 2, 2);
  const lb_material m = lb_material_default();
  const double* Phi = linear_modes(&arena, &mesh);
  const double eta[9] = {1e-3, 2e-3, 0, -1e-3, 5e-4, 0, 3e-3, 0, 1e-4};
  double* u = LB_TAKE(&arena, double, 3 * mesh.nnode);
  body b = make(&arena, &mesh, &m, 9, Phi);
  const double most = evaluate(&b, eta);
  for (int i = 0; i < 3 * mesh.nnode; i++) {
    for (int k = 0; k < 9; k++) {
      u[i] += eta[k] * Phi[3 * k * mesh.nnode + i];
    }
  }
  lb_stress_sort(&b.s, b.u, u);
  assert_near(lb_stress_evaluate(&b.s, LB_STRESS_ALL, b.u, b.elem, b.face) / most, 1, 1e-12);
  b.s = *lb_stress_scaled(&b.s, 3, &arena);
  assert_near(evaluate(&b, eta) / most, 3, 1e-12);
  // the outer part alone writes nothing inside
  for (int i = 0; i < b.s.nelem; i++) {
    b.elem[i] = -1;
  }
  lb_stress_displace(&b.s, LB_STRESS_OUTER, b.u, eta);
  lb_stress_evaluate(&b.s, LB_STRESS_OUTER, b.u, b.elem, b.face);
  for (int i = 0; i < b.s.nelem; i++) {
    assert_int_equal(b.elem[i] < 0, i >= b.s.outer_elems);
  }
  lb_arena_release(&arena);
}

// Pure bending, u = (x z, -nu y z, -(x^2 + nu z^2 - nu y^2)/2), has the stress E z along x and no
// other; quadratic elements have it exactly.
static void pure_bending_has_its_stress(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_tetmesh mesh = bar(&arena, 2, 3);
  const lb_material m = lb_material_default();
  const double nu = m.poisson, curvature = 1e-7;
  double* Phi = LB_TAKE(&arena, double, 3 * mesh.nnode);
  for (int i = 0; i < mesh.nnode; i++) {
    const lb_vec3 x = mesh.node[i];
    Phi[3 * i] = x.x * x.z;
    Phi[3 * i + 1] = -nu * x.y * x.z;
    Phi[3 * i + 2] = -(x.x * x.x + nu * x.z * x.z - nu * x.y * x.y) / 2;
  }
  body b = make(&arena, &mesh, &m, 1, Phi);
  evaluate(&b, &curvature);
  for (int i = 0; i < b.s.nface; i++) {
    assert_near(b.face[i] / (m.young * curvature), fabs(b.s.face_at[i].z), 1e-6);
  }
  for (int i = b.s.outer_elems; i < b.s.nelem; i++) { // inside, linear across the section
    assert_near(b.elem[i] / (m.young * curvature), fabs(b.s.at[i].z), 1e-6);
  }
  lb_arena_release(&arena);
}

// A bump of displacements that the boundary knows nothing of is found inside.
static void stress_inside_counts(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_tetmesh mesh = bar(&arena, 2, 6);
  const lb_material m = lb_material_default();
  const lb_vec3 centre = lb_vec3_make(0.2, 0.05, 0.1);
  double* Phi = LB_TAKE(&arena, double, 3 * mesh.nnode);
  for (int i = 0; i < mesh.nnode; i++) {
    const double away = lb_vec3_norm(lb_vec3_sub(mesh.node[i], centre)) / 0.015;
    Phi[3 * i] = away < 1 ? pow(1 - away * away, 2) : 0;
  }
  body b = make(&arena, &mesh, &m, 1, Phi);
  const double eta = 1e-7, most = evaluate(&b, &eta);
  int at = 0;
  for (int i = 0; i < b.s.nelem; i++) {
    at = b.elem[i] > b.elem[at] ? i : at;
  }
  assert_true(at >= b.s.outer_elems);
  assert_near(b.elem[at], most, 0);
  assert_int_equal(b.s.place[b.s.elem[at]], at);
  lb_arena_release(&arena);
}

// A cantilever that hangs still, with so many shapes to show it.
static lb_recording* hang(const char* solver, int modes, lb_model** m) {
  char text[1000];
  lb_recording* r;
  const lb_simulate_options options = lb_simulate_default();
  snprintf(text, sizeof text,
           "gravity: [0, 0, -10]\n"
           "bodies:\n"
           "  beam: {elastic: {beam: {width: 2 cm, height: 1 cm, to: [0.5, 0, 0]},\n"
           "    material: steel, elements: {along: 20, across: 2, around: 2},\n"
           "    fine: {along: 20, across: 2, around: 2}, basis: {modes: %d, derivatives: 0}}}\n"
           "joints: {clamp: {type: fixed, child: beam, child_face: start}}\n"
           "solver: {step: 10 ms, %s}\nduration: 20 ms\nrecord: {every: 10 ms}\n",
           modes, solver);
  *m = compile(text);
  assert_int_equal(lb_recording_create(*m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(*m, &options, r, NULL), LB_OK);
  return r;
}

// Error of the stress on top of the cantilever against sigma(x) = M(x) c/I = 3 rho g (L - x)^2 / h
// for a height h, away from the clamp.
static double worst_error(const lb_recording* r) {
  const lb_model_elastic* e = &r->model->elastic.body[0];
  const double rho = r->model->body.mass[0].mass / (0.5 * 0.02 * 0.01);
  const double root = 3 * rho * 10 * 0.25 / 0.01;
  const lb_stress_peak peak = lb_recording_stress(r, 0);
  double worst = 0;
  int seen = 0;
  for (int i = 0; i < e->stress->nface; i++) {
    const lb_vec3 at = e->stress->face_at[i];
    if (at.z > 0.00499 && at.x > 0.05 && at.x < 0.3) {
      const double known = 3 * rho * 10 * pow(0.5 - at.x, 2) / 0.01;
      worst = fmax(worst, fabs(r->stress[0].face[i] / known - 1));
      seen++;
    }
  }
  print_message("largest %.4g MPa, M c/I at the clamp %.4g MPa; %d faces within %.2g %%\n",
                1e-6 * peak.value, 1e-6 * root, seen, 100 * worst);
  assert_above(seen, 20);
  assert_near(peak.value / root, 1, 0.1);
  assert_below(peak.at.x, 0.05); // at the clamp
  assert_near(fabs(peak.at.z), 0.005, 0.003);
  return worst;
}

// What is left is the share of the load that twelve shapes miss.
static void a_cantilever_has_the_stress_of_its_bending_moment(void** state) {
  (void)state;
  lb_model* m;
  lb_recording* r = hang("elastic: reduced", 12, &m);
  assert_below(worst_error(r), 0.06);
  lb_recording_release(r);
  lb_model_release(m);
}

// Stress comes from the nodes themselves: a basis of one shape, which is all that is shown, could
// not have it.
static void a_cantilever_with_all_nodes_has_their_stress(void** state) {
  (void)state;
  lb_model *m, *coarse;
  lb_recording* r = hang("elastic: full, integrator: sdirk2", 1, &m);
  lb_recording* one = hang("elastic: reduced", 1, &coarse);
  const double peak = lb_recording_stress(r, 0).value;
  assert_below(worst_error(r), 0.03);
  assert_true(fabs(lb_recording_stress(one, 0).value / peak - 1) > 0.1);
  assert_near(lb_recording_figures(r, r->nchannel - 1).peak, peak, 0);
  lb_recording_release(one);
  lb_recording_release(r);
  lb_model_release(coarse);
  lb_model_release(m);
}

// A model with twice the modulus has half the displacements under a weight, and the same stress but
// for what linear shapes stretch it when it bends.
static void a_stiffer_material_has_the_same_stress_under_a_weight(void** state) {
  (void)state;
  lb_model *m, *stiff;
  lb_recording *r = hang("elastic: reduced", 6, &m), *again;
  const lb_simulate_options options = lb_simulate_default();
  const int material = m->elastic.body[0].material;
  const lb_material_change change = {material, 2 * m->look.material[material].young, NAN, NAN};
  const lb_variation variation = {.nmaterial = 1, .material = &change};
  assert_int_equal(lb_model_vary(m, &variation, NULL, &stiff, NULL), LB_OK);
  assert_int_equal(lb_recording_create(stiff, 0, NULL, &again, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(stiff, &options, again, NULL), LB_OK);
  assert_near(lb_recording_stress(again, 0).value / lb_recording_stress(r, 0).value, 1, 1e-2);
  lb_recording_release(again);
  lb_recording_release(r);
  lb_model_release(stiff);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_fields_have_their_stress),
      cmocka_unit_test(nodes_and_basis_have_the_same_stress),
      cmocka_unit_test(pure_bending_has_its_stress),
      cmocka_unit_test(stress_inside_counts),
      cmocka_unit_test(a_cantilever_has_the_stress_of_its_bending_moment),
      cmocka_unit_test(a_cantilever_with_all_nodes_has_their_stress),
      cmocka_unit_test(a_stiffer_material_has_the_same_stress_under_a_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
