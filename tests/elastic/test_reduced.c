// A real rod in a basis: frequencies, statics and large bending against beam theory, momentum and
// energy in motion.
#include "beam_theory.h"
#include "elastic/reduced/cubature.h"
#include "elastic/reduced/varied_force.h"
#include "math/linear/dense.h"
#include "projected.h"
#include "random_tree.h"

// The steel rod of 70 cm and 4 mm.
static const double LENGTH = 0.7, RADIUS = 0.002, YOUNG = 2.0e11, DENSITY = 7850;

typedef struct rod {
  lb_arena arena;
  lb_tetmesh mesh;
  lb_fem* fem;
  lb_basis_face held, tip;
  lb_basis basis;
  lb_projected projected;
  lb_reduced reduced;
} rod;

// Its material; with `damped`, its second half is damped in another way than its first.
static void make_rod_of(rod* r, int along, lb_basis_options options, double young, bool damped) {
  lb_error err = lb_error_make(NULL);
  lb_arena_init(&r->arena, NULL);
  lb_tetmesh_def def = lb_tetmesh_def_default();
  def.a = (lb_vec3){0, 0, 0};
  def.b = (lb_vec3){0, 0, LENGTH};
  def.radius = RADIUS;
  def.along = along;
  def.across = 1;
  static const char* half[] = {"first", "second"};
  const lb_material steel[2] = {
      {LB_MATERIAL_NEO_HOOKEAN, young, 0.3, DENSITY, damped ? 0.5 : 0, damped ? 1e-3 : 0},
      {LB_MATERIAL_NEO_HOOKEAN, young, 0.3, DENSITY, 2, 3e-4}};
  lb_status status = lb_tetmesh_make(&def, (lb_place){0}, &r->arena, &r->mesh, &err);
  if (status == LB_OK && damped) {
    r->mesh.nregion = 2;
    r->mesh.region_name = half;
    for (int e = 0; e < r->mesh.nelem; e++) {
      r->mesh.region[e] = 2 * e >= r->mesh.nelem; // layers are in order
    }
  }
  if (status == LB_OK) {
    status = lb_fem_create(NULL, &r->mesh, steel, 1, "rod", (lb_place){0}, &r->fem, &err);
  }
  if (status == LB_OK) {
    lb_basis_face_of(&r->mesh, lb_tetmesh_find_surface(&r->mesh, "start"), &r->arena, &r->held);
    lb_basis_face_of(&r->mesh, lb_tetmesh_find_surface(&r->mesh, "end"), &r->arena, &r->tip);
    status = lb_basis_create(r->fem, &r->held, 1, &r->tip, &options, &r->arena, &r->basis, &err);
  }
  r->projected = (lb_projected){r->fem, &r->basis};
  if (status == LB_OK) {
    status = lb_projected_reduce(&r->projected, 1, &r->tip, &r->arena, &r->reduced);
  }
  if (status != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
}

static void make_rod(rod* r, int along, lb_basis_options options) {
  make_rod_of(r, along, options, YOUNG, false);
}

static void release_rod(rod* r) {
  lb_fem_release(r->fem);
  lb_arena_release(&r->arena);
}

static rod R;

static void basis_keeps_the_held_face(void** state) {
  (void)state;
  make_rod(&R, 30, lb_basis_default());
  print_message("%d nodes, %d vectors\n", R.fem->nnode, R.basis.r);
  for (int k = 0; k < R.basis.r; k++) {
    const double* phi = R.basis.Phi + (size_t)k * (size_t)R.fem->ndof;
    lb_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double total = 0, size = 0;
    for (int i = 0; i < R.fem->ndof; i++) {
      size = fmax(size, fabs(phi[i]));
    }
    for (int i = 0; i < R.held.count; i++) {
      const int n = R.held.node[i];
      const lb_vec3 u = {phi[3 * n], phi[3 * n + 1], phi[3 * n + 2]};
      const lb_vec3 wu = lb_vec3_scale(R.held.weight[i], u);
      total += R.held.weight[i];
      sum = lb_vec3_add(sum, wu);
      moment = lb_vec3_add(moment, lb_vec3_cross(R.fem->node[n], wu)); // the centroid is the origin
    }
    assert_near(lb_vec3_norm(sum) / (total * size), 0, 1e-9);
    assert_near(lb_vec3_norm(moment) / (total * size * RADIUS), 0, 1e-8);
  }
  release_rod(&R);
}

// Clamped rod: omega_1 = 1.8751^2 sqrt(E I / (rho A)) / L^2, twice for the two directions.
static void basis_has_the_rods_frequencies(void** state) {
  (void)state;
  make_rod(&R, 160, lb_basis_default());
  static const double root[2] = {1.875104068711961, 4.694091132974175};
  for (int i = 0; i < 4; i++) {
    const double x = root[i / 2];
    const double omega = x * x / (LENGTH * LENGTH) * sqrt(YOUNG * RADIUS * RADIUS / (4 * DENSITY));
    print_message("mode %d: %.4f Hz, beam %.4f Hz\n", i, R.basis.omega[i] / (2 * M_PI),
                  omega / (2 * M_PI));
    assert_below(fabs(R.basis.omega[i] / omega - 1), 0.01);
  }
  release_rod(&R);
}

// --- points and cubature ---

static void points_give_the_forces_of_the_mesh_of(bool damped) {
  make_rod_of(&R, 30, lb_basis_default(), YOUNG, damped);
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  const lb_reduced_force exact = R.reduced.internal;
  const lb_reduced_force sum = lb_points_force(&all);
  const int r = R.basis.r;
  double* scratch = malloc((size_t)(exact.scratch + sum.scratch) * sizeof *scratch);
  double eta[64], v[64], f[2][64], Kv[2][64], K[2][64 * 64];
  lb_random random = {7};
  for (int k = 0; k < r; k++) {
    eta[k] = lb_random_between(&random, -1, 1) * 1e-3;
    v[k] = lb_random_between(&random, -1, 1);
  }
  exact.force(exact.context, f[0], Kv[0], eta, v, scratch);
  sum.force(sum.context, f[1], Kv[1], eta, v, scratch);
  lb_reduced_tangent(&exact, K[0], eta, scratch);
  lb_reduced_tangent(&sum, K[1], eta, scratch);
  assert_int_equal(exact.viscous, damped);
  assert_int_equal(sum.viscous, damped);
  if (damped) {
    static double stiffness[64 * 64];
    memcpy(stiffness, K[1], sizeof stiffness);
    exact.blend(exact.context, K[0], (lb_blend){.D = 1}, eta, NULL, scratch);
    sum.blend(sum.context, K[1], (lb_blend){.D = 1}, eta, NULL, scratch);
    assert_above(fabs(K[1][0] - stiffness[0]), 0.01 * stiffness[0]); // it does make a difference
  }
  double fs = 0, ks = 0;
  for (int k = 0; k < r * r; k++) {
    ks = fmax(ks, fabs(K[0][k]));
    fs = fmax(fs, k < r ? fabs(f[0][k]) : 0);
  }
  for (int k = 0; k < r * r; k++) {
    assert_near(K[0][k] / ks, K[1][k] / ks, 1e-12);
    if (k < r) {
      double product = 0;
      for (int l = 0; l < r; l++) {
        product += K[1][k * r + l] * v[l];
      }
      assert_near(f[0][k] / fs, f[1][k] / fs, 1e-11);
      assert_near(Kv[0][k] / ks, Kv[1][k] / ks, 1e-12);
      assert_near(product / ks, Kv[1][k] / ks, 1e-11);
    }
  }
  assert_near(exact.energy(exact.context, eta, scratch), sum.energy(sum.context, eta, scratch),
              1e-12);
  // the damping matrix of the mass, row by row against the mesh
  assert_int_equal(R.reduced.C != NULL, damped);
  double* y = malloc((size_t)R.fem->ndof * sizeof *y);
  for (int k = 0; damped && k < r; k++) {
    lb_fem_damping_apply(R.fem, y, R.basis.Phi + (size_t)k * (size_t)R.fem->ndof);
    for (int l = 0; l < r; l++) {
      double product = 0;
      for (int i = 0; i < R.fem->ndof; i++) {
        product += R.basis.Phi[(size_t)l * (size_t)R.fem->ndof + (size_t)i] * y[i];
      }
      assert_near(R.reduced.C[k * r + l], product, 1e-12);
    }
  }
  free(y);
  // squeezed as the mesh is
  double* u = calloc((size_t)R.fem->ndof, sizeof *u);
  for (int i = 0; i < r * R.fem->ndof; i++) {
    u[i % R.fem->ndof] += R.basis.Phi[i] * eta[i / R.fem->ndof];
  }
  int elem = 0;
  lb_vec3 at;
  const double least = lb_fem_least_volume(R.fem, u, &elem);
  assert_near(sum.least_volume(sum.context, eta, &at), least, 1e-12);
  const lb_vec3 off = lb_vec3_sub(at, lb_fem_elem_middle(R.fem, elem));
  assert_below(fabs(off.z), LENGTH / 30);
  assert_below(hypot(off.x, off.y), 2 * RADIUS);
  free(u);
  free(scratch);
  release_rod(&R);
}

static void points_give_the_forces_of_the_mesh(void** state) {
  (void)state;
  points_give_the_forces_of_the_mesh_of(false);
}

// ... and the damping matrix of the mass is what the mesh says.
static void points_give_the_damping_of_regions(void** state) {
  (void)state;
  points_give_the_forces_of_the_mesh_of(true);
}

// d(K v)/deta of points and of the mesh against differences of K v.
static void second_derivatives_match_differences(void** state) {
  (void)state;
  enum { MOST_R = 64 };
  static double N[2][MOST_R * MOST_R], reference[MOST_R * MOST_R];
  make_rod(&R, 30, lb_basis_default());
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  const lb_reduced_force internal[2] = {R.reduced.internal, lb_points_force(&all)};
  const int r = R.basis.r;
  double* scratch = malloc((size_t)(internal[0].scratch + internal[1].scratch) * sizeof *scratch);
  double eta[MOST_R], v[MOST_R], f[MOST_R], Kv[4][MOST_R];
  lb_random random = {7};
  for (int k = 0; k < r; k++) {
    eta[k] = lb_random_between(&random, -1, 1) * 1e-3;
    v[k] = lb_random_between(&random, -1, 1);
  }
  for (int i = 0; i < 2; i++) {
    internal[i].blend(internal[i].context, N[i], (lb_blend){.N = 1}, eta, v, scratch);
  }
  // blends and their products are what they say
  static double K[MOST_R * MOST_R], mix[MOST_R * MOST_R];
  const lb_blend of = {.K = 0.1, .D = 0.2, .N = 0.3, .T = 0.4};
  lb_reduced_tangent(&internal[1], K, eta, scratch);
  internal[1].blend(internal[1].context, mix, of, eta, v, scratch);
  double size = 0, off[2] = {0, 0};
  for (int k = 0; k < r * r; k++) {
    size = fmax(size, fabs(mix[k]));
  }
  for (int k = 0; k < r * r; k++) {
    assert_near((0.3 * K[k] + 0.7 * N[1][k]) / size, mix[k] / size, 1e-13);
  }
  // a body half as stiff
  lb_reduced soft = R.reduced;
  soft.internal = internal[1];
  static double softer[MOST_R * MOST_R];
  assert_int_equal(lb_reduced_scale(&soft, 0.5, 1, &R.arena, &soft), LB_OK);
  soft.internal.blend(soft.internal.context, softer, of, eta, v, scratch);
  soft.internal.blend_product(soft.internal.context, f, of, eta, v, v, scratch);
  internal[1].blend_product(internal[1].context, Kv[0], of, eta, v, v, scratch);
  for (int k = 0; k < r * r; k++) {
    assert_near(softer[k] / size, 0.5 * mix[k] / size, 1e-11);
    assert_near(f[k % r] / size, 0.5 * Kv[0][k % r] / size, 1e-14);
  }
  // a region with half the damping
  lb_region_material less_damped = all.material[0];
  less_damped.viscous = 0.5;
  lb_points half = all;
  half.material = &less_damped;
  const lb_reduced_force less = lb_points_force(&half);
  less.blend(less.context, mix, of, eta, v, scratch);
  for (int k = 0; k < r * r; k++) {
    assert_near((0.2 * K[k] + 0.55 * N[1][k]) / size, mix[k] / size, 1e-13);
  }
  internal[1].blend(internal[1].context, mix, of, eta, v, scratch);
  for (int i = 0; i < 2; i++) {
    double y[MOST_R];
    internal[i].blend_product(internal[i].context, y, of, eta, v, v, scratch);
    for (int k = 0; k < r; k++) {
      double sum = 0;
      for (int l = 0; l < r; l++) {
        sum += mix[k * r + l] * v[l];
      }
      assert_near(y[k] / size, sum / size, 1e-11);
    }
  }
  size = 0;
  const double h = 1e-5;
  for (int l = 0; l < r; l++) {
    const double at[4] = {-2, -1, 1, 2}, here = eta[l];
    for (int p = 0; p < 4; p++) {
      eta[l] = here + h * at[p];
      internal[1].force(internal[1].context, f, Kv[p], eta, v, scratch);
    }
    eta[l] = here;
    for (int k = 0; k < r; k++) {
      reference[k * r + l] = (8 * (Kv[2][k] - Kv[1][k]) - (Kv[3][k] - Kv[0][k])) / (12 * h);
      size = fmax(size, fabs(reference[k * r + l]));
    }
  }
  for (int k = 0; k < r * r; k++) {
    for (int i = 0; i < 2; i++) {
      off[i] = fmax(off[i], fabs(N[i][k] - reference[k]) / size);
    }
  }
  print_message("off by %.2g and %.2g\n", off[0], off[1]);
  assert_near(off[0], 0, 1e-7);
  assert_near(off[1], 0, 1e-7);
  free(scratch);
  release_rod(&R);
}

// Halves of the rod are damped differently, so that its damping matrix is not its mass matrix.
static void a_heavier_body_leaves_the_one_it_came_from_as_it_was(void** state) {
  (void)state;
  make_rod_of(&R, 30, lb_basis_default(), YOUNG, true);
  const double C = R.reduced.C[0], M = R.reduced.M[0];
  lb_reduced heavy;
  assert_int_equal(lb_reduced_scale(&R.reduced, 1, 3, &R.arena, &heavy), LB_OK);
  assert_near(heavy.C[0], 3 * C, 1e-15 * fabs(C));
  assert_near(heavy.M[0], 3 * M, 1e-15 * fabs(M));
  assert_near(R.reduced.C[0], C, 0);
  assert_near(R.reduced.M[0], M, 0);
  release_rod(&R);
}

static void without_training_poses_all_points_stay(void** state) {
  (void)state;
  make_rod(&R, 30, lb_basis_default());
  const int r = R.basis.r;
  const lb_cubature_options options = lb_cubature_default();
  lb_points all, kept;
  lb_cubature_report report;
  double eta[64], f[2][64];
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  assert_int_equal(
      lb_cubature_train(&all, 1, R.basis.omega, NULL, 0, &options, &R.arena, &kept, &report),
      LB_OK);
  assert_near(report.error, 0, 0);
  const lb_reduced_force each[] = {lb_points_force(&all), lb_points_force(&kept)};
  for (int k = 0; k < r; k++) {
    eta[k] = 1e-3 / R.basis.omega[k];
  }
  for (int i = 0; i < 2; i++) {
    double* scratch = test_malloc((size_t)each[i].scratch * sizeof *scratch);
    each[i].force(each[i].context, f[i], NULL, eta, NULL, scratch);
    test_free(scratch);
  }
  for (int k = 0; k < r; k++) {
    assert_true(f[0][k] != 0);
    assert_near(f[1][k], f[0][k], 1e-9 * fabs(f[0][k]));
  }
  release_rod(&R);
}

static void a_few_points_give_nearly_the_forces_of_all(void** state) {
  (void)state;
  make_rod(&R, 30, lb_basis_default());
  const int r = R.basis.r;
  lb_points all, few;
  double* eta;
  int npose;
  lb_cubature_report report;
  lb_cubature_options options = lb_cubature_default();
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  assert_int_equal(lb_cubature_poses(&all, &R.reduced, LENGTH, &options, &R.arena, &eta, &npose),
                   LB_OK);
  assert_int_equal(
      lb_cubature_train(&all, 1, R.basis.omega, eta, npose, &options, &R.arena, &few, &report),
      LB_OK);
  print_message("%d of %d points, error %.2g on %d poses\n", report.points, 8 * all.nbatch,
                report.error, npose);
  // poses it has not seen
  lb_cubature_options other = options;
  other.poses = 37;
  other.range *= 0.9;
  assert_int_equal(lb_cubature_poses(&all, &R.reduced, LENGTH, &other, &R.arena, &eta, &npose),
                   LB_OK);
  const lb_reduced_force exact = lb_points_force(&all), fast = lb_points_force(&few);
  double* scratch = malloc((size_t)(exact.scratch + fast.scratch) * sizeof *scratch);
  double worst = 0;
  for (int i = r; i < npose; i++) {
    double f[2][64], d[64], s[64], K[64 * 64]; // energy of the error over energy
    exact.force(exact.context, f[0], NULL, eta + i * r, NULL, scratch);
    fast.force(fast.context, f[1], NULL, eta + i * r, NULL, scratch);
    lb_reduced_tangent(&exact, K, eta + i * r, scratch);
    assert_int_equal(lb_cholesky(r, K, r), LB_OK);
    for (int k = 0; k < r; k++) {
      s[k] = f[0][k];
      d[k] = f[1][k] -= f[0][k];
    }
    lb_cholesky_solve(r, K, r, 1, s, r);
    lb_cholesky_solve(r, K, r, 1, d, r);
    worst = fmax(worst, sqrt(lb_dot(r, d, f[1]) / lb_dot(r, s, f[0])));
  }
  print_message("worst error on other poses %.2g\n", worst);
  assert_below(worst, 0.01);
  free(scratch);
  release_rod(&R);
}

// --- large bending ---

// Equilibrium under a force of the tip along x, the load in ten steps; returns how far the tip is
// from Euler's elastica, over the length.
static double elastica_error(lb_basis_options options, double load, int* r) {
  make_rod(&R, 40, options);
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  const lb_reduced_force internal = lb_points_force(&all);
  const int n = *r = R.basis.r;
  const double bending = YOUNG * M_PI * pow(RADIUS, 4) / 4;
  double* scratch = LB_TAKE(&R.arena, double, internal.scratch);
  double *eta = LB_TAKE(&R.arena, double, n), *f = LB_TAKE(&R.arena, double, n);
  double* K = LB_TAKE(&R.arena, double, n* n);
  for (int i = 1; i <= 150; i++) {
    const double force = fmin(i, 10) / 10 * load * bending / (LENGTH * LENGTH);
    internal.force(internal.context, f, NULL, eta, NULL, scratch);
    lb_reduced_tangent(&internal, K, eta, scratch);
    for (int k = 0; k < n; k++) {
      f[k] = force * R.reduced.face[0].W[k][0] - f[k];
    }
    assert_int_equal(lb_cholesky(n, K, n), LB_OK);
    lb_cholesky_solve(n, K, n, 1, f, n);
    lb_add(n, eta, 1, f);
  }
  double x = 0, y = 0, dx = 0, dz = 0;
  for (int k = 0; k < n; k++) {
    dx += R.reduced.face[0].W[k][0] * eta[k] / LENGTH;
    dz += R.reduced.face[0].W[k][2] * eta[k] / LENGTH;
  }
  elastica_tip(load, &x, &y);
  release_rod(&R);
  return hypot(1 + dz - x, dx - y);
}

static void larger_bases_bend_more_nearly_as_the_elastica(void** state) {
  (void)state;
  double last = 1;
  for (int d = 3; d <= 7; d += 2) {
    int r;
    const double error = elastica_error((lb_basis_options){.modes = 4, .derivatives = d}, 4, &r);
    print_message("%d derivatives, %d coordinates: %.2f %% of the length off\n", d, r, 100 * error);
    assert_below(error, last);
    last = error;
  }
}

static void the_default_basis_bends_far_as_the_elastica_does(void** state) {
  (void)state;
  int r;
  const double error = elastica_error(lb_basis_default(), 4, &r);
  print_message("P L^2 / EI = 4: %.2f %% of the length off\n", 100 * error);
  assert_below(error, 0.01);
}

// --- on a motor, with a weight at the tip ---

typedef struct assembly {
  random_tree tree;
  lb_model* m;
  lb_data* d;
} assembly;

// Base fixed to the world (or floating), rod on it, 100 g at the end.
static void mount(assembly* a, rod* r, lb_joint_kind base) {
  random_tree* t = &a->tree;
  t->scene = lb_scene_default();
  t->scene.name = t->scene.about = t->scene.file = "";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  t->scene.nbody = t->scene.njoint = 3;
  static const char* const name[3] = {"base", "rod", "weight"};
  const lb_joint_kind kind[3] = {base, LB_JOINT_FIXED, LB_JOINT_FIXED};
  for (int i = 0; i < 3; i++) {
    t->body[i] = lb_scene_body_default();
    t->body[i].name = name[i];
    t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = i != 1;
    t->body[i].mass = (lb_mass){0.1, {0, 0, 0}, {1e-5, 1e-5, 1e-5, 0, 0, 0}};
    t->joint[i] = lb_scene_joint_default();
    t->joint[i].name = name[i];
    t->joint[i].kind = kind[i];
    t->joint[i].parent = i - 1;
    t->joint[i].child = i;
  }
  t->body[1].reduced = &r->reduced;
  t->joint[2].in_parent.p.z = LENGTH;
  if (base == LB_JOINT_FREE) {
    t->joint[0].q[3] = 1;
  }
}

static void compile(assembly* a) {
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&a->tree.scene, NULL, &a->m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
}

static assembly A;

// First frequency with the weight: 2.1877 Hz for this rod (beam theory with rotary inertia of the
// weight left out).
static void rod_with_a_weight_swings_at_its_frequency(void** state) {
  (void)state;
  make_rod(&R, 160, (lb_basis_options){.modes = 0, .derivatives = 2});
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  R.reduced.internal = lb_points_force(&all);
  mount(&A, &R, LB_JOINT_FIXED);
  A.tree.scene.gravity = (lb_vec3){0, 0, 0};
  compile(&A);
  // small push sideways, then the time of the swings
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_BDF2, .step = 2e-3};
  assert_int_equal(lb_stepper_create(A.m, &solver, NULL, &st, NULL), LB_OK);
  double scale = 0;
  for (int k = 0; k < R.reduced.r; k++) { // along the softest shape in x
    scale = fmax(scale, fabs(R.reduced.face[0].W[k][0]));
  }
  for (int k = 0; k < R.reduced.r; k++) {
    A.d->qd[k] = k < 2 ? 0.01 * R.reduced.face[0].W[k][0] / (scale * scale) : 0;
  }
  int crossings = 0;
  double before = 0, first = 0, last = 0;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(lb_stepper_step(st, A.d, 2e-3, NULL), LB_OK);
    lb_poses(A.m, A.d);
    const double x = A.d->pose[2].p.x;
    if (i > 0 && before < 0 && x >= 0) {
      last = A.d->time - 2e-3 * x / (x - before);
      first = crossings++ ? first : last;
    }
    before = x;
  }
  const double f = (crossings - 1) / (last - first);
  print_message("%.4f Hz over %d swings\n", f, crossings - 1);
  assert_below(fabs(f / 2.1877 - 1), 0.01);
  lb_stepper_release(st);
  lb_data_release(A.d);
  lb_model_release(A.m);
  release_rod(&R);
}

static void release_assembly(assembly* a, rod* r) {
  lb_data_release(a->d);
  lb_model_release(a->m);
  release_rod(r);
}

// Returns how far the weight came along x.
static double step_for(assembly* a, double h, double time) {
  lb_stepper* st;
  double most = 0;
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_BDF2, .step = h};
  assert_int_equal(lb_stepper_create(a->m, &solver, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < lround(time / h); i++) {
    assert_int_equal(lb_stepper_step(st, a->d, h, NULL), LB_OK);
    lb_poses(a->m, a->d);
    most = fmax(most, fabs(a->d->pose[2].p.x));
  }
  lb_stepper_release(st);
  return most;
}

// Base, bending rod and weight tumble freely: drift of the momentum falls with the square of the
// step.
static void momentum_of_a_floating_rod_drifts_with_order_two(void** state) {
  (void)state;
  make_rod(&R, 20, (lb_basis_options){.modes = 0, .derivatives = 4});
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  R.reduced.internal = lb_points_force(&all);
  mount(&A, &R, LB_JOINT_FREE);
  A.tree.scene.gravity = (lb_vec3){0, 0, 0};
  memcpy(A.tree.joint[0].qd, (double[]){3, 2, 1, 0.5, -0.3, 0.2}, 6 * sizeof(double));
  compile(&A);
  double drift[2];
  for (int i = 0; i < 2; i++) {
    lb_data_reset(A.d);
    const lb_momenta before = lb_momentum(A.m, A.d);
    step_for(&A, i ? 5e-4 : 1e-3, 0.5);
    const lb_momenta after = lb_momentum(A.m, A.d);
    drift[i] =
        lb_vec3_norm(lb_vec3_sub(after.linear, before.linear)) / lb_vec3_norm(before.linear) +
        lb_vec3_norm(lb_vec3_sub(after.angular, before.angular)) / lb_vec3_norm(before.angular);
  }
  print_message("relative drift %.3g at 1 ms, %.3g at 0.5 ms, order %.2f\n", drift[0], drift[1],
                log2(drift[0] / drift[1]));
  assert_below(drift[1], 1e-4);
  assert_above(log2(drift[0] / drift[1]), 1.7);
  release_assembly(&A, &R);
}

// A rod a million times as stiff joins base and weight to one rigid body.
static void a_very_stiff_rod_moves_as_a_rigid_body(void** state) {
  (void)state;
  make_rod_of(&R, 20, (lb_basis_options){.modes = 0, .derivatives = 2}, 1e6 * YOUNG, false);
  mount(&A, &R, LB_JOINT_FREE);
  memcpy(A.tree.joint[0].qd, (double[]){3, 2, 1, 0.5, -0.3, 0.2}, 6 * sizeof(double));
  compile(&A);
  step_for(&A, 1e-3, 0.5);
  lb_poses(A.m, A.d);
  const lb_vec3 elastic = A.d->pose[2].p;
  // the same with the rod's mass properties on a rigid body
  const lb_mass mass = lb_fem_rigid(R.fem);
  lb_data_release(A.d);
  lb_model_release(A.m);
  A.tree.body[1].reduced = NULL;
  A.tree.body[1].has_mass = A.tree.body[1].has_com = A.tree.body[1].has_inertia = true;
  A.tree.body[1].mass = mass;
  compile(&A);
  step_for(&A, 1e-3, 0.5);
  lb_poses(A.m, A.d);
  const double off = lb_vec3_norm(lb_vec3_sub(elastic, A.d->pose[2].p));
  print_message("the weight is %.3g m from where the rigid body has it\n", off);
  assert_below(off, 1e-3 * LENGTH);
  release_assembly(&A, &R);
}

// The 2.2 Hz mode loses no more than half a per cent of its amplitude in 4 s at 0.5 ms.
static void implicit_steps_hardly_damp_the_first_mode(void** state) {
  (void)state;
  make_rod(&R, 20, (lb_basis_options){.modes = 0, .derivatives = 2});
  lb_points all;
  assert_int_equal(lb_points_create(R.fem, &R.basis, &R.arena, &all), LB_OK);
  R.reduced.internal = lb_points_force(&all);
  mount(&A, &R, LB_JOINT_FIXED);
  A.tree.scene.gravity = (lb_vec3){0, 0, 0};
  compile(&A);
  for (int k = 0; k < R.basis.r; k++) { // as a force at the tip bends it: nearly that mode alone
    const double ratio = R.basis.omega[0] / R.basis.omega[k];
    A.d->qd[k] = 0.002 * ratio * ratio * R.reduced.face[0].W[k][0];
  }
  // the highest peaks of a second each; what higher modes there are adds a little to the first
  const double before = step_for(&A, 5e-4, 1);
  step_for(&A, 5e-4, 2);
  const double after = step_for(&A, 5e-4, 1);
  const double loss = 1 - after / before;
  print_message("amplitude %.4g m, lost in 4 s: %.2g of it\n", before, loss);
  assert_below(fabs(loss), 5e-3);
  release_assembly(&A, &R);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(basis_keeps_the_held_face),
      cmocka_unit_test(basis_has_the_rods_frequencies),
      cmocka_unit_test(points_give_the_forces_of_the_mesh),
      cmocka_unit_test(second_derivatives_match_differences),
      cmocka_unit_test(larger_bases_bend_more_nearly_as_the_elastica),
      cmocka_unit_test(the_default_basis_bends_far_as_the_elastica_does),
      cmocka_unit_test(points_give_the_damping_of_regions),
      cmocka_unit_test(a_heavier_body_leaves_the_one_it_came_from_as_it_was),
      cmocka_unit_test(without_training_poses_all_points_stay),
      cmocka_unit_test(a_few_points_give_nearly_the_forces_of_all),
      cmocka_unit_test(rod_with_a_weight_swings_at_its_frequency),
      cmocka_unit_test(momentum_of_a_floating_rod_drifts_with_order_two),
      cmocka_unit_test(a_very_stiff_rod_moves_as_a_rigid_body),
      cmocka_unit_test(implicit_steps_hardly_damp_the_first_mode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
