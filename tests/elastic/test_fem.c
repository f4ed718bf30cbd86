// An elastic body's energy, forces, tangents and mass: identities between them, invariances, and
// the fields that elements must reproduce exactly.
#include "counting.h"
#include "elastic_body.h"

static lb_material soft(int model) {
  return (lb_material){(lb_material_model)model, 5.0, 0.3, 2.0, 0, 0};
}

static lb_tetmesh_def small_def(int order) {
  lb_tetmesh_def d = beam_def(1, 0.4, 0.5, 3, 2, 2, order);
  d.b = lb_vec3_make(0.8, 0.5, -0.3); // askew
  return d;
}

static lb_tetmesh_def curved_def(void) {
  lb_tetmesh_def d = lb_tetmesh_def_default();
  d.b = lb_vec3_make(0.2, 0.1, 1);
  d.radius = 0.3;
  d.sides = LB_TETMESH_CURVED;
  d.along = 3;
  d.across = 1;
  return d;
}

static void random_vector(lb_random* r, int n, double* u, double size) {
  for (int i = 0; i < n; i++) {
    u[i] = lb_random_between(r, -size, size);
  }
}

static double difference(int n, const double* a, const double* b) {
  double sum = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    scale += b[i] * b[i];
  }
  return sqrt(sum / scale);
}

static void force_is_the_gradient_of_energy(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    body b = body_make(model % 2 ? small_def(1) : curved_def(), soft(model));
    const int n = b.fem->ndof;
    lb_random r = {5};
    double *u = body_vector(&b), *v = body_vector(&b), *f = body_vector(&b), *t = body_vector(&b);
    random_vector(&r, n, u, 0.02);
    random_vector(&r, n, v, 1);
    lb_fem_force(b.fem, f, u);
    const double h = 1e-6;
    double energy[2];
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) {
        t[i] = u[i] + (k ? -h : h) * v[i];
      }
      energy[k] = lb_fem_energy(b.fem, t);
    }
    const double slope = (energy[0] - energy[1]) / (2 * h), along = body_dot(n, f, v);
    assert_near(slope / along, 1, 1e-7);
    body_release(&b);
  }
}

static void tangent_apply_and_differences_of_force_agree(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    body b = body_make(model % 2 ? curved_def() : small_def(2), soft(model));
    const int n = b.fem->ndof;
    lb_random r = {6};
    double *u = body_vector(&b), *v = body_vector(&b), *y = body_vector(&b), *z = body_vector(&b);
    double *t = body_vector(&b), *up = body_vector(&b), *down = body_vector(&b);
    lb_sparse K;
    assert_int_equal(lb_fem_matrix(b.fem, &b.arena, &K), LB_OK);
    random_vector(&r, n, u, 0.02);
    random_vector(&r, n, v, 1);
    lb_fem_apply(b.fem, y, u, v);
    lb_fem_tangent(b.fem, &K, u);
    lb_sparse_apply(&K, 1, z, v);
    assert_below(difference(n, y, z), 1e-13);
    const double h = 1e-6;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) {
        t[i] = u[i] + (k ? -h : h) * v[i];
      }
      lb_fem_force(b.fem, k ? down : up, t);
    }
    for (int i = 0; i < n; i++) {
      t[i] = (up[i] - down[i]) / (2 * h);
    }
    assert_below(difference(n, t, y), 1e-7);
    body_release(&b);
  }
}

static void second_derivative_agrees_with_differences_and_is_symmetric(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT - 1; model++) {
    body b = body_make(curved_def(), soft(model));
    const int n = b.fem->ndof;
    lb_random r = {7};
    double *u = body_vector(&b), *v = body_vector(&b), *w = body_vector(&b);
    double *y = body_vector(&b), *z = body_vector(&b), *t = body_vector(&b);
    double *up = body_vector(&b), *down = body_vector(&b);
    random_vector(&r, n, u, 0.02);
    random_vector(&r, n, v, 1);
    random_vector(&r, n, w, 1);
    lb_fem_second(b.fem, y, u, v, w);
    lb_fem_second(b.fem, z, u, w, v);
    assert_below(difference(n, y, z), 1e-12);
    const double h = 1e-5;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) {
        t[i] = u[i] + (k ? -h : h) * v[i];
      }
      lb_fem_apply(b.fem, k ? down : up, t, w);
    }
    for (int i = 0; i < n; i++) {
      t[i] = (up[i] - down[i]) / (2 * h);
    }
    assert_below(difference(n, t, y), 1e-6);
    body_release(&b);
  }
}

static void rigid_motion_stores_no_energy_and_needs_no_force(void** state) {
  (void)state;
  for (int model = 0; model < LB_MATERIAL_LINEAR; model++) {
    body b = body_make(curved_def(), soft(model));
    double *u = body_vector(&b), *f = body_vector(&b);
    const lb_mat3 R = lb_quat_matrix(lb_quat_exp(lb_vec3_make(0.4, -1.2, 0.7)));
    for (int i = 0; i < b.mesh.nnode; i++) {
      const lb_vec3 X = b.mesh.node[i];
      const lb_vec3 x = lb_vec3_add(lb_mat3_apply(R, X), lb_vec3_make(3, -2, 1));
      const lb_vec3 d = lb_vec3_sub(x, X);
      u[3 * i] = d.x;
      u[3 * i + 1] = d.y;
      u[3 * i + 2] = d.z;
    }
    assert_near(lb_fem_energy(b.fem, u), 0, 1e-14);
    lb_fem_force(b.fem, f, u);
    for (int i = 0; i < b.fem->ndof; i++) {
      assert_near(f[i], 0, 1e-13);
    }
    body_release(&b);
  }
}

static void internal_forces_have_no_resultant_and_no_moment(void** state) {
  (void)state;
  body b = body_make(curved_def(), soft(LB_MATERIAL_NEO_HOOKEAN));
  lb_random r = {8};
  double *u = body_vector(&b), *f = body_vector(&b);
  random_vector(&r, b.fem->ndof, u, 0.03);
  lb_fem_force(b.fem, f, u);
  lb_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
  for (int i = 0; i < b.mesh.nnode; i++) {
    const lb_vec3 fi = {f[3 * i], f[3 * i + 1], f[3 * i + 2]};
    const lb_vec3 x =
        lb_vec3_add(b.mesh.node[i], lb_vec3_make(u[3 * i], u[3 * i + 1], u[3 * i + 2]));
    sum = lb_vec3_add(sum, fi);
    moment = lb_vec3_add(moment, lb_vec3_cross(x, fi));
  }
  assert_near(lb_vec3_norm(sum), 0, 1e-13);
  assert_near(lb_vec3_norm(moment), 0, 1e-13);
  body_release(&b);
}

// The patch test: a homogeneous deformation, held on the boundary, is found inside.
static void a_homogeneous_deformation_is_reproduced(void** state) {
  (void)state;
  static const double G[3][3] = {{0.02, 0.05, -0.01}, {-0.03, 0.04, 0.02}, {0.01, -0.02, -0.03}};
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    for (int order = 1; order <= 2; order++) {
      body b = body_make(small_def(order), soft(model));
      double *u = body_vector(&b), *goal = body_vector(&b), *f = body_vector(&b);
      char* held = LB_TAKE(&b.arena, char, b.fem->ndof);
      lb_tetmesh_surface all;
      int n, *node;
      assert_int_equal(lb_tetmesh_boundary(&b.mesh, &b.arena, &all), LB_OK);
      assert_int_equal(lb_tetmesh_surface_nodes(&b.mesh, &all, &b.arena, &n, &node), LB_OK);
      lb_fem_hold(held, n, node);
      for (int i = 0; i < b.mesh.nnode; i++) {
        const double X[3] = {b.mesh.node[i].x, b.mesh.node[i].y, b.mesh.node[i].z};
        for (int c = 0; c < 3; c++) {
          goal[3 * i + c] = G[c][0] * X[0] + G[c][1] * X[1] + G[c][2] * X[2];
        }
      }
      assert_int_equal(lb_fem_solve_static(b.fem, u, f, held, goal, NULL, NULL, &b.err), LB_OK);
      for (int i = 0; i < b.fem->ndof; i++) {
        assert_near(u[i], goal[i], 1e-10);
      }
      body_release(&b);
    }
  }
}

// Pull a bar whose sides are free: Young's modulus and Poisson's ratio come back.
static void small_strain_returns_young_and_poisson(void** state) {
  (void)state;
  const double strain = 1e-5, length = 1, side = 0.4;
  for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
    const lb_material m = soft(model);
    body b = body_make(beam_def(length, side, side, 3, 2, 2, 2), m);
    double *u = body_vector(&b), *goal = body_vector(&b), *f = body_vector(&b);
    char* held = LB_TAKE(&b.arena, char, b.fem->ndof);
    for (int i = 0; i < b.mesh.nnode; i++) {
      const lb_vec3 X = b.mesh.node[i];
      const int end = fabs(X.x) < 1e-12 ? 1 : fabs(X.x - length) < 1e-12 ? 2 : 0;
      held[3 * i] = end != 0; // slides on the ends
      goal[3 * i] = end == 2 ? strain * length : 0;
      held[3 * i + 1] = fabs(X.y) < 1e-12; // and on two planes of symmetry
      held[3 * i + 2] = fabs(X.z) < 1e-12;
    }
    assert_int_equal(lb_fem_solve_static(b.fem, u, f, held, goal, NULL, NULL, &b.err), LB_OK);
    lb_fem_force(b.fem, f, u);
    double pull = 0, narrow = 0;
    for (int i = 0; i < b.mesh.nnode; i++) {
      pull += fabs(b.mesh.node[i].x - length) < 1e-12 ? f[3 * i] : 0;
      narrow = fmin(narrow, u[3 * i + 1]);
    }
    assert_near(pull / (side * side) / strain / m.young, 1, 1e-4);
    assert_near(-narrow / (side / 2) / strain / m.poisson, 1, 1e-4);
    body_release(&b);
  }
}

static void mass_matrix_gives_mass_centre_and_inertia(void** state) {
  (void)state;
  const double L = 1.5, w = 0.3, h = 0.2, rho = 2.0;
  for (int order = 1; order <= 2; order++) {
    body b = body_make(beam_def(L, w, h, 4, 2, 2, order), soft(0));
    const lb_mass m = lb_fem_rigid(b.fem);
    const double mass = rho * L * w * h;
    assert_near(m.mass, mass, 1e-13);
    assert_near(m.com.x, L / 2, 1e-13);
    assert_near(m.com.y, 0, 1e-13);
    assert_near(m.inertia.xx, mass * (w * w + h * h) / 12, 1e-13);
    assert_near(m.inertia.yy, mass * (L * L + h * h) / 12, 1e-13);
    assert_near(m.inertia.xy, 0, 1e-13);
    double *f = body_vector(&b), *g = body_vector(&b), *one = body_vector(&b);
    for (int i = 0; i < b.mesh.nnode; i++) {
      f[3 * i] = b.fem->node_mass[i];
      f[3 * i + 1] = -2 * b.fem->node_mass[i];
      f[3 * i + 2] = 3 * b.fem->node_mass[i];
      one[3 * i] = 1;
      one[3 * i + 1] = -2;
      one[3 * i + 2] = 3;
    }
    lb_fem_mass_apply(b.fem, g, one);
    for (int i = 0; i < b.fem->ndof; i++) {
      assert_near(f[i], g[i], 1e-15);
    }
    lb_sparse A;
    assert_int_equal(lb_fem_matrix(b.fem, &b.arena, &A), LB_OK);
    lb_fem_add_mass(b.fem, &A, 1);
    lb_sparse_apply(&A, 1, f, one);
    assert_below(difference(b.fem->ndof, f, g), 1e-14);
    body_release(&b);
  }
}

// f = (alpha C + beta K') v
static void damping(body* b, double* f, double alpha, double beta, const double* u,
                    const double* v) {
  double* Cv = body_vector(b);
  lb_fem_product(b->fem, f, (lb_blend){.D = beta}, u, v, NULL);
  lb_fem_damping_apply(b->fem, Cv, v);
  for (int i = 0; i < b->fem->ndof; i++) {
    f[i] += alpha * Cv[i];
  }
}

static void damping_is_alpha_mass_and_beta_stiffness(void** state) {
  (void)state;
  body b = body_make(curved_def(), soft(0));
  const int n = b.fem->ndof;
  lb_random r = {9};
  double *u = body_vector(&b), *v = body_vector(&b), *f = body_vector(&b), *g = body_vector(&b),
         *k = body_vector(&b);
  random_vector(&r, n, u, 0.02);
  random_vector(&r, n, v, 1);
  damping(&b, f, 0.3, 0.07, u, v);
  lb_fem_mass_apply(b.fem, g, v);
  lb_fem_apply(b.fem, k, u, v);
  for (int i = 0; i < n; i++) {
    g[i] = 0.3 * g[i] + 0.07 * k[i];
  }
  assert_below(difference(n, f, g), 1e-13);
  body_release(&b);
}

static void regions_keep_their_materials(void** state) {
  (void)state;
  body b = {.err = lb_error_make(NULL)};
  lb_arena_init(&b.arena, NULL);
  const lb_tetmesh_def d = beam_def(2, 0.5, 0.5, 4, 1, 1, 2);
  assert_int_equal(lb_tetmesh_make(&d, (lb_place){0}, &b.arena, &b.mesh, &b.err), LB_OK);
  const char* name[] = {"heavy", "light"};
  b.mesh.region_name = name;
  b.mesh.nregion = 2;
  for (int e = 0; e < b.mesh.nelem; e++) {
    b.mesh.region[e] = e >= b.mesh.nelem / 2; // layers are in order
  }
  lb_material m[2] = {soft(0), soft(1)};
  m[0].density = 3;
  m[1].density = 1;
  assert_int_equal(lb_fem_create(NULL, &b.mesh, m, 1, "b", (lb_place){0}, &b.fem, &b.err), LB_OK);
  const lb_mass mass = lb_fem_rigid(b.fem);
  assert_near(mass.mass, 0.25 * (3 + 1), 1e-13);
  assert_near(mass.com.x, (3 * 0.5 + 1 * 1.5) / 4, 1e-13);
  body_release(&b);
}

// Each region's damping is what it would be with the other region's taken away.
static void regions_keep_their_damping(void** state) {
  (void)state;
  body b = {.err = lb_error_make(NULL)};
  lb_arena_init(&b.arena, NULL);
  const lb_tetmesh_def d = beam_def(2, 0.5, 0.5, 4, 1, 1, 2);
  assert_int_equal(lb_tetmesh_make(&d, (lb_place){0}, &b.arena, &b.mesh, &b.err), LB_OK);
  const char* name[] = {"a", "b"};
  b.mesh.region_name = name;
  b.mesh.nregion = 2;
  for (int e = 0; e < b.mesh.nelem; e++) {
    b.mesh.region[e] = e >= b.mesh.nelem / 2;
  }
  const int n = 3 * b.mesh.nnode;
  lb_random r = {19};
  double *u = body_vector(&b), *v = body_vector(&b), *sum = body_vector(&b), *f = body_vector(&b);
  random_vector(&r, n, u, 0.02);
  random_vector(&r, n, v, 1);
  // both; the first alone; the second alone
  for (int k = 0; k < 3; k++) {
    lb_material m[2] = {soft(0), soft(1)};
    m[0].alpha = k == 2 ? 0 : 0.3;
    m[0].beta = k == 2 ? 0 : 0.05;
    m[1].alpha = k == 1 ? 0 : 0.7;
    m[1].beta = k == 1 ? 0 : 0.02;
    assert_int_equal(lb_fem_create(NULL, &b.mesh, m, 1, "b", (lb_place){0}, &b.fem, &b.err), LB_OK);
    assert_near(b.fem->alpha, k == 1 ? 0.3 : 0.7, 0);
    damping(&b, f, b.fem->alpha, b.fem->beta, u, v);
    for (int i = 0; i < n; i++) {
      sum[i] = k == 0 ? f[i] : sum[i] - f[i];
    }
    // all in one sweep
    double *both = body_vector(&b), *elastic = body_vector(&b), *viscous = body_vector(&b);
    lb_fem_damped_force(b.fem, both, b.fem->beta, u, v);
    lb_fem_force(b.fem, elastic, u);
    lb_fem_product(b.fem, viscous, (lb_blend){.D = 1}, u, v, NULL);
    for (int i = 0; i < n; i++) {
      elastic[i] += b.fem->beta * viscous[i];
    }
    assert_below(difference(n, both, elastic), 1e-13);
    // the matrices say the same
    lb_sparse D;
    double* y = body_vector(&b);
    assert_int_equal(lb_fem_matrix(b.fem, &b.arena, &D), LB_OK);
    lb_fem_blend(b.fem, &D, (lb_blend){.D = b.fem->beta}, u, NULL);
    lb_fem_add_damping(b.fem, &D, b.fem->alpha);
    lb_sparse_apply(&D, 1, y, v);
    assert_below(difference(n, y, f), 1e-12);
    // and how they change along velocities
    const lb_blend of = {.K = 2, .D = 3, .N = 5, .T = 7};
    double *w = body_vector(&b), *parts = body_vector(&b);
    random_vector(&r, n, w, 1);
    lb_fem_blend(b.fem, &D, of, u, v);
    lb_sparse_apply(&D, 1, y, w);
    const lb_blend part[] = {{.K = 2}, {.D = 3}, {.N = 5}, {.T = 7}};
    for (int p = 0; p < 4; p++) {
      lb_fem_product(b.fem, f, part[p], u, w, v);
      for (int i = 0; i < n; i++) {
        parts[i] += f[i];
      }
    }
    lb_fem_product(b.fem, f, of, u, w, v);
    assert_below(difference(n, f, parts), 1e-12);
    assert_below(difference(n, y, parts), 1e-12);
    damping(&b, f, b.fem->alpha, b.fem->beta, u, v);
    lb_fem_release(b.fem);
  }
  const double size = sqrt(body_dot(n, f, f));
  assert_below(sqrt(body_dot(n, sum, sum)), 1e-13 * size);
  b.fem = NULL;
  body_release(&b);
}

static void threads_do_not_change_a_bit(void** state) {
  (void)state;
  lb_tetmesh_def d = lb_tetmesh_def_default();
  d.b = lb_vec3_make(1, 0, 0);
  d.radius = 0.1;
  d.along = 60;
  d.across = 2;
  body b = body_make(d, soft(0));
  const int n = b.fem->ndof;
  lb_random r = {10};
  double* u = body_vector(&b);
  double* f[2] = {body_vector(&b), body_vector(&b)};
  lb_sparse K[2];
  double energy[2];
  random_vector(&r, n, u, 0.002);
  for (int k = 0; k < 2; k++) {
    b.fem->threads = k ? 2 : 1;
    assert_int_equal(lb_fem_matrix(b.fem, &b.arena, &K[k]), LB_OK);
    lb_fem_force(b.fem, f[k], u);
    lb_fem_tangent(b.fem, &K[k], u);
    energy[k] = lb_fem_energy(b.fem, u);
  }
  assert_at_least(b.fem->ncolour, 2);
  assert_below(b.fem->ncolour, b.fem->nchunk);
  assert_memory_equal(f[0], f[1], (size_t)n * sizeof(double));
  assert_memory_equal(K[0].value, K[1].value, (size_t)K[0].row[n] * sizeof(double));
  assert_memory_equal(&energy[0], &energy[1], sizeof energy[0]);
  body_release(&b);
}

static void an_inverted_element_is_found(void** state) {
  (void)state;
  body b = body_make(small_def(1), soft(0));
  double* u = body_vector(&b);
  int elem = -1;
  assert_near(lb_fem_least_volume(b.fem, u, &elem), 1, 1e-12);
  // push one corner of element 5 through to the other side
  const int* v = &b.mesh.elem[4 * 5];
  const lb_vec3 X = b.mesh.node[v[0]];
  const lb_vec3 m = lb_vec3_scale(
      1.0 / 3, lb_vec3_add(b.mesh.node[v[1]], lb_vec3_add(b.mesh.node[v[2]], b.mesh.node[v[3]])));
  const lb_vec3 d = lb_vec3_scale(2, lb_vec3_sub(m, X));
  u[3 * v[0]] = d.x;
  u[3 * v[0] + 1] = d.y;
  u[3 * v[0] + 2] = d.z;
  assert_at_most(lb_fem_least_volume(b.fem, u, &elem), -1 + 1e-12);
  const int* worst = &b.mesh.elem[4 * elem];
  assert_true(worst[0] == v[0] || worst[1] == v[0] || worst[2] == v[0] || worst[3] == v[0]);
  body_release(&b);
}

// A field that turns and stretches: its rotation at every node, however squashed, and a rotation
// even where nothing is left of the shape.
static void rotations_of_nodes_are_rotations(void** state) {
  (void)state;
  body b = body_make(small_def(2), soft(0));
  double* u = body_vector(&b);
  lb_m3* R = LB_TAKE(&b.arena, lb_m3, b.mesh.nnode);
  lb_random r = {21};
  const lb_mat3 turn = lb_quat_matrix(lb_quat_exp(lb_vec3_make(0.4, -1.1, 0.7)));
  for (int k = 0; k < 3; k++) {
    const double squash = k == 0 ? 1.02 : 0.05;
    for (int i = 0; i < b.mesh.nnode; i++) {
      const lb_vec3 X = b.mesh.node[i];
      const lb_vec3 x = lb_mat3_apply(turn, lb_vec3_make(squash * X.x, 1.3 * X.y, X.z));
      u[3 * i] = x.x - X.x + (k == 2 ? lb_random_between(&r, -1, 1) : 0);
      u[3 * i + 1] = x.y - X.y;
      u[3 * i + 2] = x.z - X.z;
    }
    lb_fem_rotations(b.fem, R, u);
    for (int i = 0; i < b.mesh.nnode; i++) {
      const lb_mat3 Q = lb_m3_mat3(R[i]);
      const lb_mat3 S = lb_mat3_mul(lb_mat3_transpose(Q), Q);
      assert_near(S.x.x + S.y.y + S.z.z, 3, 1e-6);
      assert_near(lb_vec3_dot(Q.x, lb_vec3_cross(Q.y, Q.z)), 1, 1e-6);
      if (k < 2) {
        assert_near(lb_vec3_norm(lb_vec3_sub(Q.x, turn.x)), 0, 1e-6);
        assert_near(lb_vec3_norm(lb_vec3_sub(Q.y, turn.y)), 0, 1e-6);
      }
    }
  }
  body_release(&b);
}

static void evaluation_allocates_nothing_and_failures_leak_nothing(void** state) {
  (void)state;
  body b = body_make(curved_def(), soft(0));
  const lb_material m = soft(0);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting count = {.refuse = refuse};
    const lb_allocator counting = lb_counting_allocator(&count);
    lb_fem* fem = NULL;
    status = lb_fem_create(&counting, &b.mesh, &m, 1, "b", (lb_place){0}, &fem, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && !fem));
    if (status == LB_OK) {
      const long requests = count.requests;
      double *u = body_vector(&b), *f = body_vector(&b);
      lb_fem_energy(fem, u);
      lb_fem_force(fem, f, u);
      lb_fem_apply(fem, f, u, u);
      lb_fem_second(fem, f, u, u, u);
      assert_int_equal(count.requests, requests);
    }
    lb_fem_release(fem);
    assert_int_equal(count.live, 0);
  }
  body_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_is_the_gradient_of_energy),
      cmocka_unit_test(tangent_apply_and_differences_of_force_agree),
      cmocka_unit_test(second_derivative_agrees_with_differences_and_is_symmetric),
      cmocka_unit_test(rigid_motion_stores_no_energy_and_needs_no_force),
      cmocka_unit_test(internal_forces_have_no_resultant_and_no_moment),
      cmocka_unit_test(a_homogeneous_deformation_is_reproduced),
      cmocka_unit_test(small_strain_returns_young_and_poisson),
      cmocka_unit_test(mass_matrix_gives_mass_centre_and_inertia),
      cmocka_unit_test(damping_is_alpha_mass_and_beta_stiffness),
      cmocka_unit_test(regions_keep_their_materials),
      cmocka_unit_test(regions_keep_their_damping),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(an_inverted_element_is_found),
      cmocka_unit_test(rotations_of_nodes_are_rotations),
      cmocka_unit_test(evaluation_allocates_nothing_and_failures_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
