// The same meshes in CalculiX 2.20: a beam, and a tube of curved elements. Its numbers are read
// from $LIMBER_SHARED/reference/calculix (default: shared/ beside the source); the test is skipped
// where they are not.
#include <cjson/cJSON.h>

#include "elastic_body.h"

static const double TWO_PI = 6.283185307179586;

// A file's text, or NULL.
static char* load(const char* name) {
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/calculix/%s",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared", name);
  FILE* file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  enum { ROOM = 1 << 22 };
  char* text = calloc(1, ROOM);
  const size_t n = fread(text, 1, ROOM - 1, file);
  fclose(file);
  text[n] = 0;
  return text;
}

typedef struct reference {
  cJSON* json;
  body b;
  char* held;
} reference;

static bool open_reference(reference* r, const char* name) {
  char* text = load(name);
  if (!text) {
    return false;
  }
  r->json = cJSON_Parse(text);
  free(text);
  assert_non_null(r->json);
  r->b = (body){.err = lb_error_make(NULL)};
  lb_arena_init(&r->b.arena, NULL);
  char* mesh = load(cJSON_GetObjectItem(r->json, "mesh")->valuestring);
  assert_non_null(mesh);
  assert_int_equal(
      lb_tetmesh_parse_gmsh(mesh, strlen(mesh), "mesh", &r->b.arena, &r->b.mesh, &r->b.err), LB_OK);
  free(mesh);
  const lb_material m = {LB_MATERIAL_NEO_HOOKEAN,
                         cJSON_GetObjectItem(r->json, "young")->valuedouble,
                         cJSON_GetObjectItem(r->json, "poisson")->valuedouble,
                         cJSON_GetObjectItem(r->json, "density")->valuedouble,
                         0,
                         0};
  assert_int_equal(lb_fem_create(NULL, &r->b.mesh, &m, 1, "b", (lb_place){0}, &r->b.fem, &r->b.err),
                   LB_OK);
  r->held = LB_TAKE(&r->b.arena, char, r->b.fem->ndof);
  for (int i = 0; i < r->b.mesh.nnode; i++) {
    if (fabs(r->b.mesh.node[i].x) < 1e-9) {
      lb_fem_hold(r->held, 1, &i);
    }
  }
  return true;
}

static void close_reference(reference* r) {
  cJSON_Delete(r->json);
  body_release(&r->b);
}

static void check_frequencies(const char* name, double tolerance) {
  reference r = {0};
  if (!open_reference(&r, name)) {
    skip();
  }
  double omega[8];
  double* x = LB_TAKE(&r.b.arena, double, 8 * r.b.fem->ndof);
  assert_int_equal(lb_fem_modes(r.b.fem, 8, omega, x, NULL, r.held, NULL, &r.b.err), LB_OK);
  const cJSON* list = cJSON_GetObjectItem(r.json, "frequencies_hz");
  double worst = 0;
  for (int k = 0; k < 8; k++) {
    worst = fmax(worst, fabs(omega[k] / TWO_PI / cJSON_GetArrayItem(list, k)->valuedouble - 1));
    assert_near(omega[k] / TWO_PI / cJSON_GetArrayItem(list, k)->valuedouble, 1, tolerance);
  }
  print_message("%s: frequencies differ by %.1e\n", name, worst);
  close_reference(&r);
}

static void check_deflection(const char* name, double tolerance) {
  reference r = {0};
  if (!open_reference(&r, name)) {
    skip();
  }
  double *f = body_vector(&r.b), *u = body_vector(&r.b);
  const cJSON* nodes = cJSON_GetObjectItem(r.json, "load_nodes");
  const int count = cJSON_GetArraySize(nodes);
  for (int i = 0; i < count; i++) {
    f[3 * (cJSON_GetArrayItem(nodes, i)->valueint - 1) + 2] = -1.0 / count;
  }
  assert_int_equal(lb_fem_solve_linear(r.b.fem, u, f, r.held, &r.b.err), LB_OK);
  double mean = 0;
  for (int i = 0; i < count; i++) {
    mean += u[3 * (cJSON_GetArrayItem(nodes, i)->valueint - 1) + 2] / count;
  }
  const double scale = fabs(cJSON_GetObjectItem(r.json, "mean_tip_uz")->valuedouble);
  assert_near(-mean / scale, 1, tolerance);
  double worst = fabs(mean / scale + 1);
  const cJSON* tip;
  cJSON_ArrayForEach(tip, cJSON_GetObjectItem(r.json, "tip_u")) {
    for (int c = 0; c < 3; c++) {
      const double theirs = cJSON_GetArrayItem(tip, c)->valuedouble;
      const double difference = (u[3 * (atoi(tip->string) - 1) + c] - theirs) / scale;
      worst = fmax(worst, fabs(difference));
      assert_near(difference, 0, tolerance);
    }
  }
  print_message("%s: displacements differ by %.1e\n", name, worst);
  close_reference(&r);
}

static void beam_has_calculix_frequencies(void** state) {
  (void)state;
  check_frequencies("beam.json", 1e-5);
}
static void curved_tube_has_calculix_frequencies(void** state) {
  (void)state;
  check_frequencies("tube.json", 1e-4);
}
static void beam_bends_as_in_calculix(void** state) {
  (void)state;
  check_deflection("beam.json", 1e-6);
}
static void curved_tube_bends_as_in_calculix(void** state) {
  (void)state;
  check_deflection("tube.json", 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beam_has_calculix_frequencies),
      cmocka_unit_test(curved_tube_has_calculix_frequencies),
      cmocka_unit_test(beam_bends_as_in_calculix),
      cmocka_unit_test(curved_tube_bends_as_in_calculix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
