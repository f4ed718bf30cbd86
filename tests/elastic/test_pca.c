// elastic: bases from snapshots, and reduced bodies as files.
#include "counting.h"
#include "elastic/reduced/held_face.h"
#include "elastic/reduced/pca.h"
#include "elastic/reduced/stored_table.h"
#include "elastic_body.h"
#include "projected.h"

enum { RANK = 5, COUNT = 40 };

static body beam;
static lb_basis_face face[2]; // held, carrying

static int make_beam(void** state) {
  (void)state;
  beam = body_make(beam_def(0.4, 0.01, 0.02, 6, 1, 1, 2), lb_material_default());
  for (int i = 0; i < 2; i++) {
    assert_int_equal(lb_basis_face_of(&beam.mesh,
                                      lb_tetmesh_find_surface(&beam.mesh, i ? "end" : "start"),
                                      &beam.arena, &face[i]),
                     LB_OK);
  }
  return 0;
}
static int release_beam(void** state) {
  (void)state;
  body_release(&beam);
  return 0;
}

// Fields that leave the held face alone: x^2 and x^3 times something. Falling sizes over nine
// orders, so that a careless method loses the last ones.
static double field(int k, int component, lb_vec3 X) {
  static const double size[RANK] = {1, 1e-2, 1e-4, 1e-7, 1e-9};
  const double x = X.x / 0.4;
  const double shape[RANK][3] = {{0, x * x, 0},
                                 {0, 0, x * x},
                                 {x * x * (X.y / 0.01), 0, 0},
                                 {0, x * x * x, x * x * X.y / 0.01},
                                 {x * x * x, 0, 0}};
  return size[k] * shape[k][component];
}

static lb_snapshots some_snapshots(int count, uint64_t seed) {
  lb_random random = {seed};
  const int ndof = beam.fem->ndof;
  lb_snapshots s = {count, ndof, LB_TAKE(&beam.arena, const double*, count)};
  for (int i = 0; i < count; i++) {
    double* u = body_vector(&beam);
    for (int k = 0; k < RANK; k++) {
      const double a = lb_random_between(&random, -1, 1);
      for (int d = 0; d < ndof; d++) {
        u[d] += 1e-2 * a * field(k, d % 3, beam.mesh.node[d / 3]);
      }
    }
    s.u[i] = u;
  }
  return s;
}

static lb_basis basis_of(const lb_snapshots* s, int modes, bool attachments, double* missed) {
  lb_basis basis;
  lb_pca_report report;
  const lb_pca_options options = {modes, 0, attachments};
  assert_int_equal(lb_pca_create(beam.fem, &face[0], 1, &face[1], s, &options, &beam.arena, &basis,
                                 &report, &beam.err),
                   LB_OK);
  *missed = report.missed;
  return basis;
}

static void snapshots_of_rank_k_give_k_vectors_that_hold_them(void** state) {
  (void)state;
  double missed, again;
  double* eta;
  const lb_snapshots s = some_snapshots(COUNT, 1);
  const lb_basis basis = basis_of(&s, 20, false, &missed);
  assert_int_equal(basis.r, RANK);
  assert_below(missed, 1e-12);
  assert_int_equal(lb_pca_coordinates(beam.fem, &basis, &s, &beam.arena, &eta, &again), LB_OK);
  assert_below(again, 1e-12);
  for (int i = 0; i < COUNT; i++) {
    for (int d = 0; d < s.ndof; d++) {
      double u = 0;
      for (int k = 0; k < basis.r; k++) {
        u += basis.Phi[(size_t)k * (size_t)s.ndof + (size_t)d] * eta[i * basis.r + k];
      }
      assert_near(100 * u, 100 * s.u[i][d], 1e-12); // displacements are of a centimetre
    }
  }
}

static void fewer_vectors_keep_the_most_energy(void** state) {
  (void)state;
  const lb_snapshots s = some_snapshots(COUNT, 2);
  double before = 1;
  for (int r = 1; r <= RANK; r++) {
    double missed, again;
    double* eta;
    const lb_basis basis = basis_of(&s, r, false, &missed);
    assert_int_equal(basis.r, r);
    lb_pca_coordinates(beam.fem, &basis, &s, &beam.arena, &eta, &again);
    assert_near(missed, again, 1e-10);
    assert_below(missed, 0.1 * before);
    before = missed;
  }
}

static void as_many_vectors_are_taken_as_an_accuracy_needs(void** state) {
  (void)state;
  const lb_snapshots s = some_snapshots(COUNT, 6);
  double before[RANK + 1] = {1};
  for (int r = 1; r <= RANK; r++) {
    basis_of(&s, r, false, &before[r]);
  }
  for (int r = 1; r < RANK; r++) {
    lb_basis basis;
    lb_pca_report report;
    const lb_pca_options options = {20, sqrt(before[r] * before[r - 1]), false};
    assert_int_equal(lb_pca_create(beam.fem, &face[0], 1, &face[1], &s, &options, &beam.arena,
                                   &basis, &report, NULL),
                     LB_OK);
    assert_int_equal(basis.r, r);
    assert_at_most(report.missed, options.missed);
  }
}

static void check_basis(const lb_basis* b) {
  const int n = beam.fem->ndof;
  double* y = body_vector(&beam);
  double* still = body_vector(&beam);
  for (int k = 0; k < b->r; k++) {
    const double* phi = b->Phi + (size_t)k * (size_t)n;
    lb_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0;
    for (int i = 0; i < face[0].count; i++) {
      const int node = face[0].node[i];
      const lb_vec3 u = {phi[3 * node], phi[3 * node + 1], phi[3 * node + 2]};
      force = lb_vec3_add(force, lb_vec3_scale(face[0].weight[i], u));
      moment = lb_vec3_add(
          moment, lb_vec3_scale(face[0].weight[i], lb_vec3_cross(beam.mesh.node[node], u)));
      size += face[0].weight[i];
    }
    double most = 0;
    for (int d = 0; d < n; d++) {
      most = fmax(most, fabs(phi[d]));
    }
    assert_near(lb_vec3_norm(force) / (size * most), 0, 1e-13);
    assert_near(lb_vec3_norm(moment) / (size * most * 0.02), 0, 1e-12);
    for (int l = 0; l < b->r; l++) {
      const double* other = b->Phi + (size_t)l * (size_t)n;
      lb_fem_mass_apply(beam.fem, y, phi);
      assert_near(body_dot(n, y, other), k == l, 1e-11);
      lb_fem_apply(beam.fem, y, still, phi);
      assert_near(body_dot(n, y, other) / (b->omega[k] * b->omega[l]), k == l, 1e-8);
    }
  }
}

static void vectors_are_orthonormal_and_keep_the_held_face(void** state) {
  (void)state;
  double missed;
  const lb_snapshots s = some_snapshots(COUNT, 3);
  for (int attachments = 0; attachments < 2; attachments++) {
    const lb_basis b = basis_of(&s, 9, attachments, &missed);
    check_basis(&b);
    assert_int_equal(b.r, attachments ? 9 : RANK);
  }
}

static void with_attachments_slow_loads_are_exact(void** state) {
  (void)state;
  double missed, outside;
  double* eta;
  const lb_snapshots s = some_snapshots(COUNT, 4);
  const lb_basis b = basis_of(&s, 9, true, &missed);
  lb_held h;
  assert_int_equal(lb_held_open(&h, beam.fem, &face[0]), LB_OK);
  double* u = body_vector(&beam);
  for (int i = 0; i < face[1].count; i++) {
    u[3 * face[1].node[i] + 1] = face[1].weight[i];
    u[3 * face[1].node[i] + 2] = 0.3 * face[1].weight[i];
  }
  assert_int_equal(lb_held_solve(&h, u), LB_OK);
  lb_held_close(&h);
  const double* row = u;
  const lb_snapshots one = {1, s.ndof, &row};
  lb_pca_coordinates(beam.fem, &b, &one, &beam.arena, &eta, &outside);
  assert_below(outside, 1e-9);
}

static void undeformed_snapshots_are_refused(void** state) {
  (void)state;
  const double* still = body_vector(&beam);
  const lb_snapshots s = {1, beam.fem->ndof, &still};
  lb_error err = lb_error_make(NULL);
  lb_basis basis;
  lb_pca_report report;
  const lb_pca_options options = lb_pca_default();
  assert_int_equal(lb_pca_create(beam.fem, &face[0], 1, &face[1], &s, &options, &beam.arena, &basis,
                                 &report, &err),
                   LB_INVALID);
  assert_int_equal(err.count, 1);
  lb_error_clear(&err);
}

// --- files ---

static lb_reduced made;
static lb_points points;

static lb_stored store_beam(void) {
  static const char* const name[] = {"start", "end"};
  static const char* const bodies[] = {"left", "right"};
  double missed;
  double* eta;
  const lb_snapshots s = some_snapshots(COUNT, 5);
  lb_basis* basis = LB_TAKE(&beam.arena, lb_basis, 1);
  *basis = basis_of(&s, 8, true, &missed);
  const lb_projected whole = {beam.fem, basis};
  lb_points all;
  lb_cubature_report report;
  const lb_cubature_options options = lb_cubature_default();
  assert_int_equal(lb_projected_reduce(&whole, 1, &face[1], &beam.arena, &made), LB_OK);
  assert_int_equal(lb_points_create(beam.fem, basis, &beam.arena, &all), LB_OK);
  lb_pca_coordinates(beam.fem, basis, &s, &beam.arena, &eta, &missed);
  assert_int_equal(
      lb_cubature_train(&all, 1, basis->omega, eta, COUNT, &options, &beam.arena, &points, &report),
      LB_OK);
  made.internal = lb_points_force(&points);
  made.alpha = 0.25;
  made.beta = 1e-4;
  lb_material steel = lb_material_default();
  steel.alpha = made.alpha;
  steel.beta = made.beta;
  const lb_stored_input in = {.mesh = &beam.mesh,
                              .material = &steel,
                              .basis = basis,
                              .reduced = &made,
                              .points = &points,
                              .nface = 2,
                              .face_name = name,
                              .face = face,
                              .nbody = 2,
                              .body = bodies,
                              .form = "box",
                              .nsample = COUNT,
                              .eta = eta};
  lb_stored stored;
  assert_int_equal(lb_stored_make(&in, &beam.arena, &stored), LB_OK);
  return stored;
}

static lb_status read_back(const lb_stored* s, lb_stored* out, lb_error* err) {
  char* bytes;
  size_t size;
  assert_int_equal(lb_stored_pack(s, &beam.arena, &bytes, &size), LB_OK);
  return lb_stored_unpack(bytes, size, "beam.npz", &beam.arena, out, err);
}

static void a_body_from_a_file_is_the_same_to_the_last_bit(void** state) {
  (void)state;
  const lb_stored before = store_beam();
  lb_stored after;
  lb_reduced* b;
  body_show(&beam);
  assert_int_equal(read_back(&before, &after, &beam.err), LB_OK);
  assert_int_equal(lb_stored_build(&after, &beam.arena, &b), LB_OK);
  assert_int_equal(b->r, made.r);
  const size_t r = (size_t)b->r;
  assert_memory_equal(b->M, made.M, r * r * sizeof(double));
  assert_memory_equal(b->B1, made.B1, r * r * sizeof(lb_m3));
  assert_memory_equal(b->B0, made.B0, r * sizeof(lb_m3));
  assert_memory_equal(b->H, made.H, r * sizeof(lb_v4));
  assert_memory_equal(b->face[0].A, made.face[0].A, r * sizeof(lb_m3));
  assert_memory_equal(b->face[0].W, made.face[0].W, r * sizeof(lb_v4));
  double *f = LB_TAKE(&beam.arena, double, r), *g = LB_TAKE(&beam.arena, double, r);
  double* scratch = LB_TAKE(&beam.arena, double, b->internal.scratch);
  for (int i = 0; i < before.ncheck; i++) {
    const double* eta = before.check.eta + r * (size_t)i;
    b->internal.force(b->internal.context, f, NULL, eta, NULL, scratch);
    made.internal.force(made.internal.context, g, NULL, eta, NULL, scratch);
    assert_memory_equal(f, g, r * sizeof *f);
  }
  assert_true(b->alpha == 0.25 && b->beta == 1e-4);
  assert_string_equal(after.body[1], "right");
  assert_int_equal(lb_stored_find_face(&after, "end"), 1);
}

static void expect_complaint(const lb_stored* s, const char* text) {
  lb_error err = lb_error_make(NULL);
  lb_stored out;
  assert_int_equal(read_back(s, &out, &err), LB_INVALID);
  char message[400] = "";
  bool found = false;
  for (int i = 0; i < err.count; i++) {
    lb_error_format(&err, i, message, sizeof message);
    found |= strstr(message, text) != NULL;
  }
  if (!found) {
    print_error("'%s' was expected, the last message is '%s'\n", text, message);
  }
  assert_true(found);
  lb_error_clear(&err);
}

static void what_a_file_says_wrong_is_reported(void** state) {
  (void)state;
  const lb_stored good = store_beam();
  lb_stored bad = good;
  int two = 2;
  bad.format = &two;
  expect_complaint(&bad, "beam.npz: it is of format 2; this program reads format 1");
  bad = good;
  bad.npoint--;
  bad.point.weight =
      good.material.density; // some number or other: the lengths agree, the states do not
  bad.npoint = 1;
  expect_complaint(&bad, "state 0 of 'check_eta'");
  bad = good;
  int* region = LB_TAKE(&beam.arena, int, good.npoint);
  region[good.npoint - 1] = 3;
  bad.point.region = region;
  expect_complaint(&bad, "array 'point_region' holds 3, which is not from 0 to 0");
  bad = good;
  double* M = LB_TAKE(&beam.arena, double, good.r* good.r);
  bad.inertia.M = M;
  expect_complaint(&bad, "array 'M' is not positive definite");
  bad = good;
  M[1] = NAN;
  bad.inertia.M = M;
  expect_complaint(&bad, "array 'M' holds a number that is not finite");
  bad = good;
  const char* jelly = "jelly";
  bad.material.model = &jelly;
  expect_complaint(&bad, "array 'model' names 'jelly'");
  bad = good;
  bad.face.first = (int[]){0, 5, 5};
  expect_complaint(&bad, "array 'face_first' does not rise");
}

static void the_former_name_of_the_material_model_is_read(void** state) {
  (void)state;
  const lb_stored good = store_beam();
  lb_stored out;
  lb_npz npz;
  char* bytes;
  size_t size;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_stored_pack(&good, &beam.arena, &bytes, &size), LB_OK);
  assert_int_equal(lb_npz_parse(bytes, size, "x.npz", &beam.arena, &npz, &err), LB_OK);
  int renamed = 0;
  for (int i = 0; i < npz.count; i++) {
    if (strcmp(npz.array[i].name, "model") == 0) {
      npz.array[i].name = "law";
      renamed++;
    }
  }
  assert_int_equal(renamed, 1);
  assert_int_equal(lb_npz_pack(npz.array, npz.count, &beam.arena, &bytes, &size), LB_OK);
  assert_int_equal(lb_stored_unpack(bytes, size, "x.npz", &beam.arena, &out, &err), LB_OK);
  assert_string_equal(out.material.model[0], good.material.model[0]);
  lb_error_clear(&err);
}

static void a_file_whose_arrays_disagree_is_reported_which(void** state) {
  (void)state;
  const lb_stored good = store_beam();
  const lb_npz_array some[] = {{"format", LB_NPZ_INT, 0, {0}, good.format, NULL},
                               {"omega", LB_NPZ_NUMBER, 1, {good.r}, good.omega, NULL},
                               {"M", LB_NPZ_NUMBER, 2, {1, good.r}, good.inertia.M, NULL}};
  char* bytes;
  size_t size;
  lb_stored out;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_npz_pack(some, 3, &beam.arena, &bytes, &size), LB_OK);
  assert_int_equal(lb_stored_unpack(bytes, size, "x.npz", &beam.arena, &out, &err), LB_INVALID);
  bool found = false;
  for (int i = 0; i < err.count; i++) {
    found |= strcmp(err.message[i].text,
                    "array 'M' must be float64 of shape (8, 8), not float64 of shape (1, 8)") == 0;
  }
  assert_true(found);
  assert_int_equal(err.count, lb_stored_nfield - 2);
  lb_error_clear(&err);
}

static void the_range_is_that_of_the_training(void** state) {
  (void)state;
  const lb_stored s = store_beam();
  double* eta = LB_TAKE(&beam.arena, double, s.r);
  for (int k = 0; k < s.r; k++) {
    assert_at_least(s.range.eta_limit[k], s.range.eta_most[k]);
    assert_above(s.range.eta_limit[k], 0);
    eta[k] = k == 2 ? -3 * s.range.eta_limit[k] : 0.5 * s.range.eta_limit[k];
  }
  assert_near(lb_stored_reach(s.r, s.range.eta_limit, eta), 3, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snapshots_of_rank_k_give_k_vectors_that_hold_them),
      cmocka_unit_test(fewer_vectors_keep_the_most_energy),
      cmocka_unit_test(as_many_vectors_are_taken_as_an_accuracy_needs),
      cmocka_unit_test(vectors_are_orthonormal_and_keep_the_held_face),
      cmocka_unit_test(with_attachments_slow_loads_are_exact),
      cmocka_unit_test(undeformed_snapshots_are_refused),
      cmocka_unit_test(a_body_from_a_file_is_the_same_to_the_last_bit),
      cmocka_unit_test(what_a_file_says_wrong_is_reported),
      cmocka_unit_test(the_former_name_of_the_material_model_is_read),
      cmocka_unit_test(a_file_whose_arrays_disagree_is_reported_which),
      cmocka_unit_test(the_range_is_that_of_the_training),
  };
  return cmocka_run_group_tests(tests, make_beam, release_beam);
}
