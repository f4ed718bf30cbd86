// An elastic body is described from one of its faces, and the tree may start on either side. Which,
// changes every coordinate and every term of the inertia, but not the motion: with all of a mesh's
// displacements in the basis, what differs is the error of the steps.
//
// No damping here: Rayleigh's (alpha M + beta K) etad is of velocities relative to the held face,
// which is not the same from the other side.
#include "motions.h"
#include "projected.h"
#include "random_tree.h"
#include "test_arena.h"

static const double LENGTH = 0.3;

enum { HUB, ROD, BALL, ARM, BODIES };

// Two rigid bodies joined by a beam of rubber; a motor on the first swings an arm.
typedef struct assembly {
  lb_tetmesh mesh;
  lb_fem* fem;
  lb_basis basis;
  lb_projected whole;
  lb_reduced beam;
  lb_scene scene;
  lb_scene_body body[BODIES];
  lb_scene_joint joint[3];
  lb_scene_motor motor;
} assembly;

// Remove from x its part along the unit vectors of `from`; twice, so that rounding is removed too.
static void remove_parts(int n, double* x, int count, const double* from) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      double part = 0;
      for (int i = 0; i < n; i++) {
        part += x[i] * from[k * n + i];
      }
      for (int i = 0; i < n; i++) {
        x[i] -= part * from[k * n + i];
      }
    }
  }
}

// Make x a unit vector, unless nothing is left of it.
static bool normalise(int n, double* x) {
  double square = 0;
  for (int i = 0; i < n; i++) {
    square += x[i] * x[i];
  }
  for (int i = 0; i < n; i++) {
    x[i] /= sqrt(square);
  }
  return square > 1e-12;
}

// The six rows that hold a face's frame: sum w u = 0 and sum w D x u = 0.
static void face_conditions(const assembly* a, const lb_basis_face* face, double* row) {
  const int n = 3 * a->mesh.nnode;
  lb_vec3 middle = {0, 0, 0};
  double total = 0;
  for (int i = 0; i < face->count; i++) {
    middle = lb_vec3_add(middle, lb_vec3_scale(face->weight[i], a->mesh.node[face->node[i]]));
    total += face->weight[i];
  }
  middle = lb_vec3_scale(1 / total, middle);
  for (int i = 0; i < face->count; i++) {
    const double w = face->weight[i];
    const lb_vec3 D = lb_vec3_sub(a->mesh.node[face->node[i]], middle);
    const double turn[3][3] = {{0, -D.z, D.y}, {D.z, 0, -D.x}, {-D.y, D.x, 0}};
    for (int r = 0; r < 3; r++) {
      row[r * n + 3 * face->node[i] + r] = w;
      for (int c = 0; c < 3; c++) {
        row[(3 + r) * n + 3 * face->node[i] + c] = w * turn[r][c];
      }
    }
  }
  for (int r = 0; r < 6; r++) {
    remove_parts(n, row + r * n, r, row);
    assert_true(normalise(n, row + r * n));
  }
}

// All displacements that obey them.
static void complete_basis(assembly* a, const lb_basis_face* held) {
  const int n = 3 * a->mesh.nnode;
  double* all = LB_TAKE(&arena, double, (n + 1) * n); // the conditions, then the basis
  face_conditions(a, held, all);
  int count = 6;
  for (int i = 0; i < n && count < n; i++) {
    double* x = all + count * n;
    memset(x, 0, (size_t)n * sizeof *x);
    x[i] = 1;
    remove_parts(n, x, count, all);
    count += normalise(n, x);
  }
  assert_int_equal(count, n);
  a->basis = (lb_basis){.r = n - 6, .Phi = all + 6 * n};
}

// The beam along x, held by face `held` of its two ends.
static void make_beam(assembly* a, int held) {
  static const char* const name[2] = {"start", "end"};
  lb_error err = lb_error_make(NULL);
  lb_tetmesh_def def = lb_tetmesh_def_default();
  def.kind = LB_TETMESH_BOX;
  def.b = lb_vec3_make(LENGTH, 0, 0);
  def.width = 0.02;
  def.height = 0.015;
  def.along = 3;
  def.across = def.around = 1;
  def.order = 1;
  lb_material rubber = lb_material_default();
  rubber.young = 2e5;
  rubber.poisson = 0.4;
  rubber.density = 1100;
  assert_int_equal(lb_tetmesh_make(&def, (lb_place){0}, &arena, &a->mesh, &err), LB_OK);
  assert_int_equal(lb_fem_create(NULL, &a->mesh, &rubber, 1, "", (lb_place){0}, &a->fem, &err),
                   LB_OK);
  lb_basis_face face[2];
  for (int i = 0; i < 2; i++) {
    const lb_tetmesh_surface* s = lb_tetmesh_find_surface(&a->mesh, name[i]);
    assert_int_equal(lb_basis_face_of(&a->mesh, s, &arena, &face[i]), LB_OK);
  }
  complete_basis(a, &face[held]);
  a->whole = (lb_projected){a->fem, &a->basis};
  assert_int_equal(lb_projected_reduce(&a->whole, 1, &face[1 - held], &arena, &a->beam), LB_OK);
}

static void add_joint(assembly* a, lb_joint_kind kind, int parent, int child, double x) {
  lb_scene_joint* j = &a->joint[a->scene.njoint++];
  *j = lb_scene_joint_default();
  j->name = a->body[child].name;
  j->kind = kind;
  j->parent = parent;
  j->child = child;
  j->in_parent.p.x = x;
  j->axis = (lb_vec3){0, 0.8, 0.6};
}

static void make_assembly(assembly* a, bool swapped) {
  static const char* const name[BODIES] = {"hub", "rod", "ball", "arm"};
  static const double mass[BODIES] = {0.2, 0, 0.1, 0.05};
  static double time[] = {0, 0.15, 0.3}, angle[] = {0, 1.5, 0.5};
  make_beam(a, swapped);
  a->scene = lb_scene_default();
  a->scene.name = a->scene.about = a->scene.file = "";
  a->scene.gravity = (lb_vec3){0, 0, 0};
  a->scene.body = a->body;
  a->scene.joint = a->joint;
  a->scene.motor = &a->motor;
  a->scene.nbody = BODIES;
  a->scene.nmotor = 1;
  a->scene.solver.integrator = LB_INTEGRATOR_BDF2;
  for (int i = 0; i < BODIES; i++) {
    const double m = mass[i];
    a->body[i] = lb_scene_body_default();
    a->body[i].name = name[i];
    a->body[i].has_mass = a->body[i].has_com = a->body[i].has_inertia = i != ROD;
    a->body[i].mass =
        (lb_mass){m, {0, 0, i == ARM ? 0.1 : 0}, {4e-4 * m, 5e-4 * m, 6e-4 * m, 0, 0, 0}};
  }
  a->body[ROD].reduced = &a->beam;
  a->body[BALL].pose.p.x = LENGTH;
  if (swapped) {
    add_joint(a, LB_JOINT_FIXED, BALL, ROD, -LENGTH);
    add_joint(a, LB_JOINT_FIXED, ROD, HUB, 0);
  } else {
    add_joint(a, LB_JOINT_FIXED, HUB, ROD, 0);
    add_joint(a, LB_JOINT_FIXED, ROD, BALL, LENGTH);
  }
  a->joint[1].hold.face[0] = 0;
  add_joint(a, LB_JOINT_REVOLUTE, HUB, ARM, -0.02);
  a->motor = (lb_scene_motor){
      .name = "swing",
      .joint = 2,
      .drive = LB_DRIVE_POSITION,
      .profile = {
          .kind = LB_PROFILE_SMOOTH, .degree = 3, .count = 3, .time = time, .value = angle}};
}

// The rod's frame is that of the face it hangs on: only the rigid bodies can be compared.
static void run(motion* to, const lb_model* m, double h) {
  motion_run(to, m, h, 0.4, 0.04);
  for (int s = 0; s < to->nsample; s++) {
    to->p[s][ROD] = (lb_vec3){0, 0, 0};
  }
}

// How much nearer the ball comes to the hub: the rod bends a lot.
static double bending(const motion* m) {
  double most = 0;
  for (int s = 0; s < m->nsample; s++) {
    most = fmax(most, LENGTH - lb_vec3_norm(lb_vec3_sub(m->p[s][BALL], m->p[s][HUB])));
  }
  return most;
}

static void the_face_a_body_hangs_on_does_not_change_the_motion(void** state) {
  (void)state;
  static assembly a[2];
  static motion from[2], finer;
  lb_model* m[2];
  for (int i = 0; i < 2; i++) {
    make_assembly(&a[i], i == 1);
    m[i] = motion_model(&a[i].scene);
  }
  double before = 0;
  for (int i = 0; i < 3; i++) {
    const double h = ldexp(1e-3, -i);
    run(&from[0], m[0], h);
    run(&from[1], m[1], h);
    run(&finer, m[0], h / 4);
    const double apart = motion_apart(&from[0], &from[1]);
    const double error = motion_apart(&from[0], &finer);
    const double order = motion_order(before, apart);
    print_message("%g ms: %.3g m apart, order %.2f; the step's error is %.3g m, bent by %.3g m\n",
                  1e3 * h, apart, order, error, bending(&from[0]));
    assert_below(apart, error);
    assert_above(bending(&from[0]), 0.02 * LENGTH);
    if (i > 0) {
      assert_above(order, 1.8);
    }
    before = apart;
  }
  for (int i = 0; i < 2; i++) {
    lb_model_release(m[i]);
    lb_fem_release(a[i].fem);
  }
}

// --- the same with a steel rod in the small basis that scenes get ---

#define HUB_AND_BALL(place, joints)                                                                \
  "gravity: [0, 0, 0]\n"                                                                           \
  "materials: {steel: {density: 7850, young: 200 GPa, poisson: 0.3}}\n"                            \
  "bodies:\n"                                                                                      \
  "  hub: {shape: {sphere: {radius: 5 cm}}, mass: 600 g}\n"                                        \
  "  rod: {elastic: {rod: {radius: 2 mm, to: [45 cm, 0, 0]}, material: steel, accuracy: 1e-2}}\n"  \
  "  ball: {shape: {sphere: {radius: 2 cm}}, mass: 100 g" place "}\n"                              \
  "  arm: {shape: {capsule: {radius: 1 cm, length: 20 cm}}, mass: 200 g}\n"                        \
  "joints:\n"                                                                                      \
  "  motor: {type: revolute, parent: hub, child: arm, axis: y, in_child: [0, 0, -10 cm]}\n" joints \
  "motors: {swing: {joint: motor, keys: [[0, 0], [0.2, 90 deg], [0.5, -60 deg]]}}\n"

static lb_model* model_of(const char* text) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "swapped.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_model* m = motion_model(&scene);
  lb_scene_release(&scene);
  return m;
}

static void small_bases_of_either_face_give_the_same_motion(void** state) {
  (void)state;
  static motion from[2], finer;
  lb_model* m[2] = {
      model_of(HUB_AND_BALL("", "  root: {type: fixed, parent: hub, child: rod, face: start}\n"
                                "  tip: {type: fixed, parent: rod, face: end, child: ball}\n")),
      model_of(HUB_AND_BALL(", position: [45 cm, 0, 0]",
                            "  root: {type: fixed, parent: ball, child: rod, face: end}\n"
                            "  tip: {type: fixed, parent: rod, face: start, child: hub}\n"))};
  run(&from[0], m[0], 5e-4);
  run(&from[1], m[1], 5e-4);
  run(&finer, m[0], 1.25e-4);
  const double apart = motion_apart(&from[0], &from[1]);
  const double error = motion_apart(&from[0], &finer);
  print_message("in a small basis: %.3g m apart; the step's error is %.3g m\n", apart, error);
  assert_below(apart, error);
  lb_model_release(m[0]);
  lb_model_release(m[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_face_a_body_hangs_on_does_not_change_the_motion, begin,
                                      end),
      cmocka_unit_test(small_bases_of_either_face_give_the_same_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
