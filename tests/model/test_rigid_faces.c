// model: faces that joints hold are rigid, in a basis and with all nodes, unless a scene says
// otherwise. The same bodies with all nodes of the held face kept still are the measure.
#include <cjson/cJSON.h>

#include "compile.h"
#include "elastic/full/full_body.h"
#include "fem_solve.h"
#include "geom/tet/tetmesh.h"
#include "limber/limber.h"
#include "model/use/link.h"
#include "scene/part/elastic_form.h"

enum { MODES = 6 };

// A plate of 20 cm x 10 cm x 2 mm that is welded to a wall.
static const char PLATE[] =
    "gravity: [0, 0, %g]\n"
    "materials: {s: {density: 7850, young: 210 GPa, poisson: 0.3, damping: {mass: 40}}}\n"
    "bodies: {plate: {elastic: {plate: {width: 10 cm, thickness: 2 mm, to: [0.2, 0, 0]},\n"
    "  material: s, elements: {along: 8, across: 1, around: 4}, basis: {modes: 10}}}%s}\n"
    "joints:\n"
    "  weld: {type: fixed, child: plate, face: start%s}\n"
    "%s"
    "solver: {integrator: bdf2, step: 5 ms, elastic: %s%s}\n";

static lb_model* plate(double gravity, const char* hold, const char* space) {
  char text[2000];
  snprintf(text, sizeof text, PLATE, gravity, "", hold, "", space, "");
  return compile(text);
}

// The plate's finite elements, all nodes of its start kept still.
typedef struct clamped {
  lb_arena arena;
  lb_tetmesh mesh;
  lb_fem* fem;
  char* held;
} clamped;

static clamped bare_plate(void) {
  clamped c = {0};
  lb_arena_init(&c.arena, NULL);
  lb_tetmesh_def def = lb_tetmesh_def_default();
  def.kind = LB_TETMESH_BOX;
  def.b = lb_vec3_make(0.2, 0, 0);
  def.width = 0.1;
  def.height = 2e-3;
  def.along = 8;
  def.across = 1;
  def.around = 4;
  const lb_material m = {LB_MATERIAL_NEO_HOOKEAN, 210e9, 0.3, 7850, 0, 0};
  assert_int_equal(lb_tetmesh_make(&def, (lb_place){0}, &c.arena, &c.mesh, NULL), LB_OK);
  assert_int_equal(lb_fem_create(NULL, &c.mesh, &m, 1, "", (lb_place){0}, &c.fem, NULL), LB_OK);
  c.held = LB_TAKE(&c.arena, char, c.fem->ndof);
  for (int i = 0; i < c.mesh.nnode; i++) {
    if (fabs(c.mesh.node[i].x) < 1e-9) {
      lb_fem_hold(c.held, 1, &i);
    }
  }
  return c;
}

static void drop_clamped(clamped* c) {
  lb_fem_release(c->fem);
  lb_arena_release(&c->arena);
}

static void a_plate_in_a_scene_has_the_frequencies_of_its_clamped_elements(void** state) {
  (void)state;
  clamped c = bare_plate();
  double omega[MODES];
  double* x = LB_TAKE(&c.arena, double, MODES* c.fem->ndof);
  assert_int_equal(lb_fem_modes(c.fem, MODES, omega, x, NULL, c.held, NULL, NULL), LB_OK);
  lb_model* m = plate(0, "", "reduced");
  lb_model* mean = plate(0, ", hold: average", "reduced");
  for (int k = 0; k < MODES; k++) {
    const double truth = omega[k] / (2 * M_PI);
    print_message("%8.3f Hz: rigid %+.1e, average %+.1e\n", truth,
                  m->elastic.body[0].frequency[k] / truth - 1,
                  mean->elastic.body[0].frequency[k] / truth - 1);
    assert_near(m->elastic.body[0].frequency[k] / truth, 1, 1e-4);
  }
  assert_below(mean->elastic.body[0].frequency[1], 0.95 * omega[1] / (2 * M_PI));
  lb_model_release(mean);
  lb_model_release(m);
  drop_clamped(&c);
}

static double sag(lb_model* m) {
  lb_data* d;
  const lb_model* moves = lb_model_simulated(m);
  assert_int_equal(lb_data_create(moves, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_equilibrium(moves, d, NULL), LB_OK);
  lb_poses(moves, d);
  const double z = d->pose[lb_model_body(m, "tip")].p.z;
  lb_data_release(d);
  lb_model_release(m);
  return z;
}

// A light body is fixed to the end: with a rigid face its middle sinks by what the mean of that
// edge does, which clamped elements give under their own weight; with all nodes and in a basis.
static void a_plate_sags_as_its_clamped_elements_do(void** state) {
  (void)state;
  static const char* const space[] = {"full", "reduced"};
  static const double tolerance[] = {2e-4, 2e-3}; // with a face that stays plane; and in a basis
  clamped c = bare_plate();
  double* f = LB_TAKE(&c.arena, double, c.fem->ndof);
  double* u = LB_TAKE(&c.arena, double, c.fem->ndof);
  lb_basis_face end;
  for (int i = 0; i < c.fem->nnode; i++) {
    f[3 * i + 2] = -1e-3 * c.fem->node_mass[i];
  }
  assert_int_equal(lb_fem_solve_linear(c.fem, u, f, c.held, NULL), LB_OK);
  lb_basis_face_of(&c.mesh, lb_tetmesh_find_surface(&c.mesh, "end"), &c.arena, &end);
  double mean = 0, total = 0;
  for (int i = 0; i < end.count; i++) {
    mean += end.weight[i] * u[3 * end.node[i] + 2];
    total += end.weight[i];
  }
  for (int i = 0; i < 4; i++) {
    char text[2000];
    snprintf(text, sizeof text, PLATE, -1e-3,
             ", tip: {mass: 1e-9, shape: {sphere: {radius: 1 mm}}}", "",
             "  glue: {type: fixed, parent: plate, face: end, child: tip, hold: average}\n",
             space[i % 2], i < 2 ? "" : ", coordinates: maximal");
    const double z = sag(compile(text));
    print_message("%s: %+.1e\n", space[i % 2], z * total / mean - 1);
    assert_near(z * total / mean, 1, tolerance[i % 2]);
  }
  drop_clamped(&c);
}

// The face that carries a twisting weight off its middle stays plane with all nodes, far bent.
static void a_face_that_carries_stays_plane(void** state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, PLATE, -9.81,
           ", tip: {mass: 2, shape: {sphere: {radius: 1 cm}, position: [0, 4 cm, 0]}}", "",
           "  glue: {type: fixed, parent: plate, face: end, child: tip}\n", "full", "");
  lb_model* m = compile(text);
  lb_data* d;
  assert_int_equal(lb_data_create(lb_model_simulated(m), NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_equilibrium(lb_model_simulated(m), d, NULL), LB_OK);
  const lb_link* l =
      &lb_model_simulated(m)
           ->link.packed[lb_model_simulated(m)->body.link[lb_model_body(m, "plate")]];
  const lb_full* body = l->reduced->full;
  const double *u = d->q + l->q, bent = lb_fem_energy(body->fem, u);
  double ties = 0, still = 0;
  for (int i = 0; i < body->fem->ntie; i++) {
    ties += lb_tie_energy(&body->fem->tie[i], u);
  }
  for (int i = 0; i < body->held.count; i++) {
    still = fmax(still, lb_vec3_norm(lb_v4_vec3(lb_v4_load(u + 3 * (size_t)body->held.node[i]))));
  }
  print_message("ties have %.1e of %.2g J; held nodes move by %.1e m\n", ties / bent, bent, still);
  assert_near(ties / bent, 0, 1e-4);
  assert_near(still, 0, 1e-7);
  lb_data_release(d);
  lb_model_release(m);
}

// --- CalculiX ---

static char* load(const char* name) {
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/calculix/%s", shared ? shared : "", name);
  FILE* file = shared ? fopen(path, "rb") : NULL;
  enum { ROOM = 1 << 22 };
  char* text = file ? calloc(1, ROOM) : NULL;
  if (file) {
    assert_above(fread(text, 1, ROOM - 1, file), 0);
    fclose(file);
  }
  return text;
}

// Faces of tetrahedra at x = 0, in the order of Gmsh.
static int list_start(const lb_tetmesh* mesh, FILE* file, int first) {
  static const int face[4][6] = {
      {0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {0, 3, 2, 7, 8, 6}, {1, 2, 3, 5, 8, 9}};
  int count = 0;
  for (int k = 0; k < 4 * mesh->nelem; k++) {
    const int* v = mesh->elem + 10 * (k / 4);
    const int* f = face[k % 4];
    bool there = true;
    for (int a = 0; a < 6; a++) {
      there = there && fabs(mesh->node[v[f[a]]].x) < 1e-9;
    }
    if (there && file) {
      fprintf(file, "%d 9 2 1 1", first + count);
      for (int a = 0; a < 6; a++) {
        fprintf(file, " %d", v[f[a]] + 1);
      }
      fprintf(file, "\n");
    }
    count += there;
  }
  return count;
}

// A mesh as CalculiX had it, with a face "start".
static void write_mesh(const char* text, const char* path) {
  lb_arena arena;
  lb_tetmesh mesh;
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_tetmesh_parse_gmsh(text, strlen(text), "m", &arena, &mesh, NULL), LB_OK);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"start\"\n"
          "3 2 \"all\"\n$EndPhysicalNames\n$Nodes\n%d\n",
          mesh.nnode);
  for (int i = 0; i < mesh.nnode; i++) {
    fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, mesh.node[i].x, mesh.node[i].y, mesh.node[i].z);
  }
  const int faces = list_start(&mesh, NULL, 0);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", faces + mesh.nelem);
  list_start(&mesh, file, 1);
  for (int e = 0; e < mesh.nelem; e++) {
    fprintf(file, "%d 11 2 2 2", faces + e + 1);
    for (int a = 0; a < 10; a++) {
      fprintf(file, " %d", mesh.elem[10 * e + a] + 1);
    }
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
  lb_arena_release(&arena);
}

static void a_scene_has_the_frequencies_of_calculix(void** state) {
  (void)state;
  static const char* const name[] = {"beam.json", "tube.json"};
  static const double tolerance[] = {2e-5, 1e-4};
  for (int i = 0; i < 2; i++) {
    char* json = load(name[i]);
    if (!json) {
      skip();
    }
    cJSON* given = cJSON_Parse(json);
    char* mesh = load(cJSON_GetObjectItem(given, "mesh")->valuestring);
    char path[] = "/tmp/limber_meshXXXXXX.msh", text[2000];
    assert_at_least(mkstemps(path, 4), 0);
    write_mesh(mesh, path);
    snprintf(text, sizeof text,
             "materials: {s: {density: 7850, young: 210 GPa, poisson: 0.3}}\n"
             "bodies: {b: {elastic: {mesh: %s, material: s, basis: {modes: 12, derivatives: 0}}}}\n"
             "joints: {weld: {type: fixed, child: b, face: start}}\n",
             path);
    lb_model* m = compile(text);
    const cJSON* list = cJSON_GetObjectItem(given, "frequencies_hz");
    double worst = 0;
    for (int k = 0; k < 8; k++) {
      const double theirs = cJSON_GetArrayItem(list, k)->valuedouble;
      worst = fmax(worst, fabs(m->elastic.body[0].frequency[k] / theirs - 1));
    }
    print_message("%s: frequencies differ by %.1e\n", name[i], worst);
    assert_near(worst, 0, tolerance[i]);
    remove(path);
    lb_model_release(m);
    cJSON_Delete(given);
    free(mesh);
    free(json);
  }
}

// A square plate held on one side, k = 3.4917, 8.5246, 21.429, 27.331, 31.111 of Leissa (1969) for
// a thin one with nu = 0.3: omega = k / a^2 sqrt(D / (rho h)).
static void a_square_plate_has_the_frequencies_of_leissa(void** state) {
  (void)state;
  static const double leissa[] = {3.4917, 8.5246, 21.429, 27.331, 31.111};
  lb_model* m = compile("materials: {s: {density: 7850, young: 210 GPa, poisson: 0.3}}\n"
                        "bodies: {p: {elastic: {plate: {width: 0.2, thickness: 3 mm, to: [0.2, 0, "
                        "0]}, material: s, elements: {along: 24, across: 1, around: 24}, basis: "
                        "{modes: 8, derivatives: 0}}}}\n"
                        "joints: {weld: {type: fixed, child: p, face: start}}\n");
  const double D = 210e9 * 27e-9 / (12 * (1 - 0.09)), unit = sqrt(D / (7850 * 3e-3)) / 0.04;
  for (int k = 0; k < 5; k++) {
    const double theory = leissa[k] * unit / (2 * M_PI);
    print_message("%.4g Hz, thin plate %.4g Hz: %+.2f %%\n", m->elastic.body[0].frequency[k],
                  theory, 100 * (m->elastic.body[0].frequency[k] / theory - 1));
    assert_near(m->elastic.body[0].frequency[k] / theory, 1, 0.01);
  }
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_in_a_scene_has_the_frequencies_of_its_clamped_elements),
      cmocka_unit_test(a_plate_sags_as_its_clamped_elements_do),
      cmocka_unit_test(a_face_that_carries_stays_plane),
      cmocka_unit_test(a_scene_has_the_frequencies_of_calculix),
      cmocka_unit_test(a_square_plate_has_the_frequencies_of_leissa),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
