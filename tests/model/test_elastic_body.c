// model: what a scene says of elastic bodies is what the model gets.
#include "counting.h"
#include "elastic/reduced/projected_mass.h"
#include "limber/dynamics.h"
#include "limber/simulate.h"
#include "model/use/link.h"
#include "scene/part/elastic_form.h"
#include "test.h"

static lb_model* model_of(const char* text) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* model = NULL;
  lb_status status = lb_scene_parse(text, strlen(text), "e.yaml", NULL, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, NULL, &model, &err);
    lb_scene_release(&scene);
  }
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return model;
}

static lb_transform pose_of(const lb_model* m, const char* body) {
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_poses(m, d);
  const lb_transform X = d->pose[lb_model_body(m, body)];
  lb_data_release(d);
  return X;
}

static void assert_at(const lb_model* m, const char* body, double x, double y, double z) {
  const lb_vec3 p = pose_of(m, body).p;
  assert_near(p.x, x, 1e-12);
  assert_near(p.y, y, 1e-12);
  assert_near(p.z, z, 1e-12);
}

static void a_form_has_the_faces_of_its_mesh(void** state) {
  (void)state;
  for (int form = 0; form < LB_ELASTIC_MESH; form++) {
    lb_scene_elastic e = lb_scene_elastic_default();
    e.form = (lb_elastic_form)form;
    e.to = lb_vec3_make(0, 0, 1);
    e.width = e.height = e.radius = 0.1;
    e.inner = 0.05;
    lb_arena arena;
    lb_arena_init(&arena, NULL);
    lb_tetmesh mesh;
    const lb_tetmesh_def def = lb_elastic_definition(&e, LB_SPACE_REDUCED);
    assert_int_equal(lb_tetmesh_make(&def, (lb_place){0}, &arena, &mesh, NULL), LB_OK);
    const char* name[16];
    assert_int_equal(lb_elastic_faces(&e, name, 16), mesh.nsurface);
    for (int i = 0; i < mesh.nsurface; i++) {
      assert_non_null(lb_tetmesh_find_surface(&mesh, name[i]));
      assert_true(lb_elastic_has_face(&e, mesh.surface[i].name));
    }
    assert_false(lb_elastic_has_face(&e, "nose"));
    lb_arena_release(&arena);
  }
}

static const char CLAMPED[] =
    "materials: {s: {density: 5000, young: 68.719476736 GPa, poisson: 0.25, model: corotated,\n"
    "                damping: {mass: 0.2, stiffness: 1 ms}}}\n"
    "bodies:\n"
    "  base: {shape: {sphere: {radius: 0.1}}}\n"
    "  rod: {elastic: {rod: {radius: 5 mm, from: [0, 0, 0.1], to: [0, 0, 0.5]}, material: s,\n"
    "                  elements: {along: 6, across: 1}, basis: {modes: 3, derivatives: 2}}}\n"
    "  ball: {shape: {sphere: {radius: 0.02}}}\n"
    "joints:\n"
    "  stand: {type: fixed, child: base, at: [1, 0, 0]}\n"
    "  clamp: {type: fixed, parent: base, child: rod, face: start, at: [0, 0, 0.3]}\n"
    "  tip: {type: fixed, parent: rod, child: ball, face: end}\n";

static lb_model* clamped; // made once: it takes a while
static int make_clamped(void** state) {
  (void)state;
  clamped = model_of(CLAMPED);
  return 0;
}
static int release_clamped(void** state) {
  (void)state;
  lb_model_release(clamped);
  return 0;
}

// The same steps by hand; the modulus is one that bases are made with.
static void a_scene_makes_the_body_that_code_makes(void** state) {
  (void)state;
  const lb_model* m = clamped;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_tetmesh_def def = lb_tetmesh_def_default();
  def.a.z = 0.1;
  def.b.z = 0.5;
  def.radius = 5e-3;
  def.along = 6;
  def.across = 1;
  const lb_material material = {LB_MATERIAL_COROTATED, 0x1p36, 0.25, 5000, 0, 0};
  lb_tetmesh mesh;
  lb_fem* fem;
  lb_basis basis;
  lb_basis_face face[2];
  assert_int_equal(lb_tetmesh_make(&def, (lb_place){0}, &arena, &mesh, NULL), LB_OK);
  lb_basis_face_of(&mesh, lb_tetmesh_find_surface(&mesh, "start"), &arena, &face[0]);
  lb_basis_face_of(&mesh, lb_tetmesh_find_surface(&mesh, "end"), &arena, &face[1]);
  const lb_tie tie[2] = {{.clamped = true, .count = face[0].count, .node = face[0].node},
                         {.count = face[1].count, .node = face[1].node}};
  assert_int_equal(
      lb_fem_create_tied(NULL, &mesh, &material, 2, tie, 1, "", (lb_place){0}, &fem, NULL), LB_OK);
  assert_int_equal(lb_basis_create(fem, &face[0], 1, &face[1], &(lb_basis_options){3, 2, 0}, &arena,
                                   &basis, NULL),
                   LB_OK);
  assert_int_equal(m->elastic.count, 1);
  const lb_model_elastic* e = &m->elastic.body[0];
  assert_int_equal(e->r, basis.r);
  assert_int_equal(e->nnode, mesh.nnode);
  assert_int_equal(e->nelem, mesh.nelem);
  assert_string_equal(e->held, "start");
  assert_string_equal(e->face[0], "end");
  for (int k = 0; k < basis.r; k++) {
    assert_near(e->frequency[k] * 2 * M_PI / basis.omega[k], 1, 1e-9);
  }
  const lb_reduced* reduced = m->link.packed[m->body.link[1]].reduced;
  assert_near(reduced->alpha, 0.2, 0);
  assert_near(reduced->beta, 1e-3, 0);
  assert_near(m->body.mass[1].mass, lb_fem_rigid(fem).mass, 1e-12);
  lb_fem_release(fem);
  lb_arena_release(&arena);
}

static void joints_without_a_place_sit_in_the_middle_of_their_faces(void** state) {
  (void)state;
  const lb_model* m = clamped;
  // the middle of start is put at (1, 0, 0.3): the rod's own origin lies 0.1 below
  assert_at(m, "rod", 1, 0, 0.2);
  assert_at(m, "ball", 1, 0, 0.7);
}

// At rest the surface is the rod's, and a vector of the basis moves the end as its face says.
static void the_surface_moves_with_the_basis(void** state) {
  (void)state;
  const lb_model* m = clamped;
  const lb_model_elastic* e = &m->elastic.body[0];
  const lb_reduced* reduced = m->link.packed[m->body.link[1]].reduced;
  const int n = e->surface.nvertex;
  const lb_shape shape = {LB_SHAPE_MESH, {1, 1, 1}, &e->surface, NULL};
  assert_near(lb_shape_volume(&shape) / (M_PI * 25e-6 * 0.4), 1, 0.06);
  for (int k = 0; k < e->r; k++) {
    double sum = 0, most = 0;
    int on = 0;
    for (int i = 0; i < n; i++) {
      const double* u = e->Phi + 3 * (k * n + i);
      most = fmax(most, fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2]))));
      if (e->surface.vertex[i].z > 0.5 - 1e-9 &&
          hypot(e->surface.vertex[i].x, e->surface.vertex[i].y) < 1e-9) {
        sum = u[0] - reduced->face[0].W[k][0];
        on++;
      }
    }
    assert_int_equal(on, 1); // the axis is a vertex of the end
    assert_below(fabs(sum), 0.02 * most);
  }
}

static const char FREE[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  rod: {elastic: {rod: {radius: 5 mm, to: [0, 0, 0.4]}, material: steel,\n"
    "                  elements: {along: 4, across: 1}, basis: {modes: 1, derivatives: 0}},\n"
    "        position: [1, 2, 3]}\n"
    "  low: {shape: {sphere: {radius: 0.02}}}\n"
    "  high: {shape: {sphere: {radius: 0.02}}}\n"
    "joints:\n"
    "  top: {type: spherical, parent: rod, child: high, face: end, in_child: [0, 0, -0.02]}\n"
    "  bottom: {type: revolute, axis: x, parent: rod, child: low, face: start}\n";

static void a_body_that_nobody_carries_is_held_by_the_first_face_named(void** state) {
  (void)state;
  lb_model* m = model_of(FREE);
  assert_string_equal(m->elastic.body[0].held, "end");
  assert_int_equal(m->elastic.body[0].nface, 1);
  assert_at(m, "rod", 1, 2, 3);
  assert_at(m, "high", 1, 2, 3.42);
  assert_at(m, "low", 1, 2, 3);
  assert_int_equal(m->solver.integrator, LB_INTEGRATOR_BDF2);
  lb_model_release(m);
}

// Two uprights with a beam of the same kind across: both its ends are held, one by a loop.
static const char ARCH[] =
    "bodies:\n"
    "  foot: {shape: {box: [0.5, 0.1, 0.02]}}\n"
    "  left: &rod {elastic: {rod: {radius: 3 mm, to: [0, 0, 0.3]}, material: steel,\n"
    "              elements: {along: 6, across: 1}, basis: {modes: 1, derivatives: 0}}}\n"
    "  right: *rod\n"
    "  beam: {elastic: {rod: {radius: 3 mm, to: [0.4, 0, 0]}, material: steel,\n"
    "              elements: {along: 6, across: 1}, basis: {modes: 1, derivatives: 0}}}\n"
    "joints:\n"
    "  stand: {type: fixed, child: foot}\n"
    "  a: {type: fixed, parent: foot, child: left, face: start, at: [-0.2, 0, 0]}\n"
    "  b: {type: fixed, parent: foot, child: right, face: start, at: [0.2, 0, 0]}\n"
    "  c: {type: fixed, parent: left, child: beam, face: end, child_face: start}\n"
    "  d: {type: spherical, parent: right, child: beam, face: end, child_face: end, loop: true}\n"
    "duration: 0.05\n"
    "solver: {step: 1 ms}\n";

static void bodies_alike_share_their_reduction(void** state) {
  (void)state;
  lb_model* m = model_of(ARCH);
  const lb_reduced* reduced[3];
  for (int i = 0; i < 3; i++) {
    reduced[i] = m->link.packed[m->body.link[1 + i]].reduced;
  }
  assert_ptr_equal(reduced[0], reduced[1]);
  assert_true(reduced[0] != reduced[2]);
  lb_model_release(m);
}

static void a_loop_closes_on_a_face_and_stays_closed(void** state) {
  (void)state;
  lb_model* m = model_of(ARCH);
  lb_recording* recording;
  lb_summary summary;
  lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 10, NULL, &recording, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &options, recording, &summary, NULL), LB_OK);
  assert_below(summary.constraint_violation, 1e-8);
  // it sags a little under its own weight, and no more
  double most = 0;
  for (int i = 0; i < recording->nframe * m->nq; i++) {
    most = fmax(most, fabs(recording->q[i]));
  }
  assert_above(most, 1e-6);
  assert_below(most, 1e-2);
  lb_recording_release(recording);
  lb_model_release(m);
}

static void a_mesh_file_brings_its_faces(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* m = NULL;
  assert_int_equal(
      lb_scene_read(LIMBER_SOURCE_DIR "/tests/scene/good/block.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  lb_scene_release(&scene);
  assert_int_equal(m->elastic.body[0].nelem, 6);
  assert_string_equal(m->elastic.body[0].held, "bottom");
  assert_near(m->body.mass[0].mass, 1100 * 1e-6, 1e-12);
  assert_at(m, "block", -0.005, -0.005, 1); // the middle of the bottom is at the joint
  assert_at(m, "lid", 0, 0, 1.0105);
  assert_int_equal(m->elastic.body[0].surface.nface, 12);
  assert_int_equal(m->elastic.body[0].surface.nvertex, 24); // every corner once a side
  lb_model_release(m);
  lb_error_clear(&err);
}

// A surface that the scene's check did not see, because nobody asked it.
static void a_face_without_area_is_refused(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* m = NULL;
  assert_int_equal(
      lb_scene_read(LIMBER_SOURCE_DIR "/tests/scene/good/block.yaml", NULL, &scene, &err), LB_OK);
  const lb_tetmesh* mesh = scene.body[0].elastic->mesh;
  mesh->surface[1].nface = 0;
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_INVALID);
  assert_null(m);
  assert_int_equal(err.count, 1);
  assert_string_equal(err.message[0].text,
                      "joint 'cover' holds body 'block' by face 'top', which has no area");
  assert_int_equal(err.message[0].place.line, 8);
  lb_scene_release(&scene);
  lb_error_clear(&err);
}

static void regions_and_parts_have_their_own_materials(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* m = NULL;
  assert_int_equal(
      lb_scene_read(LIMBER_SOURCE_DIR "/tests/scene/good/layers.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  lb_scene_release(&scene);
  assert_near(m->body.mass[0].mass, (2000 + 1100) * 0.5e-6, 1e-12); // three elements of each
  // the rod is a prism over the hexagon that bends as its circle does
  const double area = m->body.mass[1].mass / (7850 * 0.04 + 8500 * 0.06);
  assert_near(area / (M_PI * 4e-6), 1, 0.01);
  const double com = (7850 * 0.04 * 0.02 + 8500 * 0.06 * 0.07) / (7850 * 0.04 + 8500 * 0.06);
  assert_near(m->body.mass[1].com.z, com, 1e-12);
  const lb_reduced* block = m->link.packed[m->body.link[0]].reduced;
  assert_near(block->alpha, 1, 0);
  assert_near(block->beta, 1e-3, 0);
  assert_non_null(block->C);
  assert_true(block->internal.viscous);
  lb_model_release(m);
  lb_error_clear(&err);
}

// Its first frequency is about a strip's; held across its width it is a little stiffer.
static void plates_and_beams_are_boxes(void** state) {
  (void)state;
  static const char* const forms[] = {"plate: {width: 2 cm, thickness: 1 mm,",
                                      "beam: {width: 2 cm, height: 1 mm,",
                                      "box: {width: 2 cm, height: 1 mm,"};
  double frequency[3];
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "bodies: {p: {elastic: {%s to: [0.1, 0, 0]}, material: steel, elements: {"
             "across: 1, around: 2}, basis: {modes: 1, derivatives: 0}}}}\n"
             "joints: {wall: {type: fixed, child: p, face: start}}\n",
             forms[i]);
    lb_model* m = model_of(text);
    frequency[i] = m->elastic.body[0].frequency[0];
    lb_model_release(m);
  }
  assert_near(frequency[0], frequency[1], 0);
  assert_near(frequency[0], frequency[2], 0);
  const double beam = 3.5160 / 0.01 * sqrt(210e9 * 1e-6 / 12 / 7850) / (2 * M_PI);
  print_message("%.4g Hz, a strip %.4g Hz\n", frequency[0], beam);
  assert_near(frequency[0] / beam, 1, 0.03);
}

// First frequency [Hz] of a rod 30 cm long and 8 mm thick with so many layers, glued to a wall.
static double glued_rod(int along) {
  char text[400];
  snprintf(text, sizeof text,
           "materials: {steel: {density: 7850, young: 200 GPa, poisson: 0.3}}\n"
           "bodies:\n"
           "  rod: {elastic: {rod: {radius: 4 mm, to: [30 cm, 0, 0]}, material: steel, elements: "
           "{along: %d, across: 1}, basis: {modes: 2, derivatives: 0}}}\n"
           "joints: {wall: {type: fixed, child: rod, face: start}}\n",
           along);
  lb_model* m = model_of(text);
  const double frequency = m->elastic.body[0].frequency[0];
  lb_model_release(m);
  return frequency;
}

// With layers all alike it is 1 % too stiff.
static void few_layers_at_rigid_ends_are_not_too_stiff(void** state) {
  (void)state;
  const double few = glued_rod(10), many = glued_rod(60);
  print_message("%.5g Hz with 10 layers, %.5g Hz with 60\n", few, many);
  assert_near(few / many, 1, 4e-3);
}

static void running_out_of_memory_leaks_nothing(void** state) {
  (void)state;
  lb_scene scene;
  assert_int_equal(lb_scene_parse(FREE, strlen(FREE), "e.yaml", NULL, &scene, NULL), LB_OK);
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  lb_model* m = NULL;
  assert_int_equal(lb_model_create(&scene, &allocator, &m, NULL), LB_OK);
  lb_model_release(m);
  assert_int_equal(counting.live, 0);
  const long requests = counting.requests;
  for (long n = 1; n <= requests; n++) {
    counting = (lb_counting){.refuse = n};
    m = NULL;
    assert_int_equal(lb_model_create(&scene, &allocator, &m, NULL), LB_NO_MEMORY);
    assert_null(m);
    assert_int_equal(counting.live, 0);
  }
  print_message("%ld requests refused one by one\n", requests);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_form_has_the_faces_of_its_mesh),
      cmocka_unit_test(a_scene_makes_the_body_that_code_makes),
      cmocka_unit_test(joints_without_a_place_sit_in_the_middle_of_their_faces),
      cmocka_unit_test(the_surface_moves_with_the_basis),
      cmocka_unit_test(a_body_that_nobody_carries_is_held_by_the_first_face_named),
      cmocka_unit_test(bodies_alike_share_their_reduction),
      cmocka_unit_test(a_loop_closes_on_a_face_and_stays_closed),
      cmocka_unit_test(a_mesh_file_brings_its_faces),
      cmocka_unit_test(a_face_without_area_is_refused),
      cmocka_unit_test(regions_and_parts_have_their_own_materials),
      cmocka_unit_test(plates_and_beams_are_boxes),
      cmocka_unit_test(few_layers_at_rigid_ends_are_not_too_stiff),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, make_clamped, release_clamped);
}
