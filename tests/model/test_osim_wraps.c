// Surfaces and paths of OpenSim's models: sizes, places, sides and points are those of the file, in
// today's form and in that of version 1; what is silent since something else was refused, and notes
// that stand for many.
#include <math.h>

#include "limber/scene.h"
#include "test.h"

#define BEGIN                                                                                      \
  "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"30000\">\n<Model name=\"m\">\n"             \
  "<BodySet><objects><Body name=\"ground\"/>"
#define BODY(name, joint)                                                                          \
  "<Body name=\"" name "\"><mass>2</mass><mass_center>0 -0.3 0</mass_center>"                      \
  "<inertia>0.03 0.02 0.04 0 0 0</inertia><Joint><" joint " name=\"" name                          \
  "_joint\"><parent_body>ground</parent_body><CoordinateSet><objects><Coordinate name=\"" name     \
  "_angle\"/></objects></CoordinateSet></" joint "></Joint>%s</Body>"
#define END "</OpenSimDocument>\n"

// A rod with wraps, and forces.
static const char MODEL[] = BEGIN BODY("rod", "PinJoint") "</objects></BodySet>%s</Model>" END;

static lb_status read_model(const char* wraps, const char* rest, lb_scene* s, lb_error* err) {
  char text[8000];
  const int size = snprintf(text, sizeof text, MODEL, wraps, rest);
  assert_true(size < (int)sizeof text);
  return lb_scene_parse(text, (size_t)size, "model.osim", NULL, s, err);
}

static lb_scene parse(const char* wraps, const char* rest) {
  lb_scene s = {0};
  lb_error err = lb_error_make(NULL);
  const lb_status status = read_model(wraps, rest, &s, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  lb_error_clear(&err);
  assert_int_equal(status, LB_OK);
  return s;
}

static void assert_vector(lb_vec3 a, double x, double y, double z) {
  assert_near(a.x, x, 1e-15);
  assert_near(a.y, y, 1e-15);
  assert_near(a.z, z, 1e-15);
}

#define SET(all) "<WrapObjectSet><objects>" all "</objects></WrapObjectSet>"
#define PLACED                                                                                     \
  "<xyz_body_rotation>0.3 0 0</xyz_body_rotation><translation>0.01 -0.02 0.03</translation>"

static void surfaces_have_the_sizes_and_places_of_their_file(void** state) {
  (void)state;
  static const struct {
    const char* xml;
    lb_wrap_kind kind;
    double size[3];
  } cases[] = {
      {"<WrapCylinder name=\"w\"><radius>0.02</radius><length>0.3</length>" PLACED
       "</WrapCylinder>",
       LB_WRAP_CYLINDER,
       {0.02, 0.3, 0}},
      {"<WrapSphere name=\"w\"><radius>0.02</radius>" PLACED "</WrapSphere>",
       LB_WRAP_SPHERE,
       {0.02, 0, 0}},
      {"<WrapEllipsoid name=\"w\"><dimensions>0.02 0.04 0.03</dimensions>" PLACED
       "</WrapEllipsoid>",
       LB_WRAP_ELLIPSOID,
       {0.02, 0.04, 0.03}},
      {"<WrapTorus "
       "name=\"w\"><inner_radius>0.02</inner_radius><outer_radius>0.07</outer_radius>" PLACED
       "</WrapTorus>",
       LB_WRAP_TORUS,
       {0.07, 0.02, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char set[500];
    snprintf(set, sizeof set, SET("%s"), cases[i].xml);
    lb_scene s = parse(set, "");
    assert_int_equal(s.nwrap, 1);
    const lb_scene_wrap* w = &s.wrap[0];
    assert_string_equal(w->name, "w");
    assert_int_equal(w->kind, cases[i].kind);
    assert_string_equal(s.body[w->body].name, "rod");
    assert_vector(w->size, cases[i].size[0], cases[i].size[1], cases[i].size[2]);
    assert_vector(w->pose.p, 0.01, -0.02, 0.03);
    assert_near(w->pose.q.w, cos(0.15), 1e-15);
    assert_near(w->pose.q.x, sin(0.15), 1e-15);
    assert_vector(w->side, 0, 0, 0);
    lb_scene_release(&s);
  }
}

static void a_quadrant_is_a_side(void** state) {
  (void)state;
  static const struct {
    const char* word;
    double side[3];
    int notes;
  } cases[] = {{"x", {1, 0, 0}, 0},   {"-x", {-1, 0, 0}, 0}, {"+y", {0, 1, 0}, 0},
               {"-y", {0, -1, 0}, 0}, {"z", {0, 0, 1}, 0},   {"-z", {0, 0, -1}, 0},
               {"all", {0, 0, 0}, 0}, {"", {0, 0, 0}, 0},    {"up", {0, 0, 0}, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char set[500];
    snprintf(set, sizeof set,
             SET("<WrapSphere name=\"w\"><quadrant>%s</quadrant><radius>0.02</radius>"
                 "</WrapSphere>"),
             cases[i].word);
    lb_scene s = parse(set, "");
    assert_vector(s.wrap[0].side, cases[i].side[0], cases[i].side[1], cases[i].side[2]);
    assert_int_equal(s.nnote, cases[i].notes);
    if (s.nnote > 0) {
      assert_string_equal(s.note[0].text, "the quadrant 'up' of 'w' is none: it is taken as 'all'");
    }
    lb_scene_release(&s);
  }
}

// --- paths ---

#define BALL(name, kind, y) "<" kind " name=\"" name "\"><translation>0.1 " y " 0</translation>"
#define TWO_WRAPS                                                                                  \
  SET(BALL("ball", "WrapSphere", "-0.4") "<radius>0.02</radius></WrapSphere>" BALL(                \
      "egg", "WrapEllipsoid", "-0.1") "<dimensions>0.02 0.03 0.02</dimensions></WrapEllipsoid>")

#define SIZES                                                                                      \
  "<max_isometric_force>300</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>" \
  "<tendon_slack_length>0.2</tendon_slack_length>"
#define AT(tag, name, body, at)                                                                    \
  "<" tag " name=\"" name "\"><location>" at "</location><body>" body "</body></" tag ">"
#define POINTS(tag)                                                                                \
  AT(tag, "a", "ground", "0.1 0.2 0")                                                              \
  AT(tag, "b", "rod", "0.1 -0.2 0") AT(tag, "c", "rod", "0.1 -0.3 0")                              \
      AT(tag, "d", "ground", "0.1 -0.6 0")
#define FORCES(all) "<ForceSet><objects>\n" all "</objects></ForceSet>"
#define MUSCLE(class, name, path)                                                                  \
  "<" class " name=\"" name "\">" SIZES "<GeometryPath>" path "</GeometryPath></" class ">\n"
#define OVER(name, more) "<PathWrap><wrap_object>" name "</wrap_object>" more "</PathWrap>"
#define TODAY(wraps)                                                                               \
  "<PathPointSet><objects>" POINTS(                                                                \
      "PathPoint") "</objects></PathPointSet><PathWrapSet><objects>" wraps                         \
                   "</objects></PathWrapSet>"

// Four points, with the egg behind the first and the ball behind the third.
static void assert_path(const lb_scene* s, const lb_scene_muscle* m) {
  static const double Y[] = {0.2, 0, -0.2, -0.3, 0, -0.6};
  assert_int_equal(m->npoint, 6);
  for (int i = 0; i < 6; i++) {
    const lb_scene_path_point* p = &m->point[i];
    if (i == 1 || i == 4) {
      assert_string_equal(s->wrap[p->wrap].name, i == 1 ? "egg" : "ball");
      continue;
    }
    assert_int_equal(p->wrap, -1);
    const bool ground = i == 0 || i == 5; // whose y is up: the world's z
    assert_int_equal(p->body < 0, ground);
    assert_vector(p->at, 0.1, ground ? 0 : Y[i], ground ? Y[i] : 0);
  }
  assert_near(m->hill.force, 300, 0);
  assert_near(m->hill.fiber, 0.1, 0);
  assert_near(m->hill.slack, 0.2, 0);
}

static void paths_run_over_surfaces_in_their_order(void** state) {
  (void)state;
  lb_scene s = parse(TWO_WRAPS, FORCES(MUSCLE("Thelen2003Muscle", "t",
                                              TODAY(OVER("ball", "<range>2 4</range>")
                                                        OVER("egg", "<range>-1 -1</range>")))));
  assert_int_equal(s.nmuscle, 1);
  assert_path(&s, &s.muscle[0]);
  assert_int_equal(s.nnote, 0);
  lb_scene_release(&s);
  // a range that leaves out the segment beside the surface takes it to another one
  s = parse(TWO_WRAPS,
            FORCES(MUSCLE("Thelen2003Muscle", "t", TODAY(OVER("ball", "<range>2 3</range>")))));
  assert_int_equal(s.muscle[0].npoint, 5);
  assert_string_equal(s.wrap[s.muscle[0].point[2].wrap].name, "ball");
  lb_scene_release(&s);
}

// MusclePointSet and MuscleWrapSet beside the sizes, as in version 1; the angle of pennation has
// its earlier name.
static void paths_of_version_1_are_the_same(void** state) {
  (void)state;
  lb_scene s = parse(
      TWO_WRAPS,
      FORCES("<Thelen2003Muscle name=\"t\">" SIZES
             "<pennation_angle>0.3</pennation_angle><MusclePointSet name=\"\"><objects>" POINTS(
                 "MusclePoint") "</objects></MusclePointSet><MuscleWrapSet><objects><MuscleWrap>"
                                "<wrap_object>egg</wrap_object><method>hybrid</method><range>-1 -1"
                                "</range></MuscleWrap><MuscleWrap><wrap_object>ball</wrap_object>"
                                "<range>2 4</range></MuscleWrap></objects></MuscleWrapSet>"
                                "</Thelen2003Muscle>"));
  assert_int_equal(s.nmuscle, 1);
  assert_path(&s, &s.muscle[0]);
  assert_near(s.muscle[0].hill.pennation, 0.3, 0);
  assert_int_equal(s.nnote, 0);
  lb_scene_release(&s);
}

// Over an ellipsoid a method is another plane; over other surfaces all are the same.
static void methods_that_are_not_read_are_noted(void** state) {
  (void)state;
  static const struct {
    const char *path, *note;
  } cases[] = {
      {TODAY(OVER("egg", "<method>hybrid</method>")), NULL},
      {TODAY(OVER("ball", "<method>axial</method>")), NULL},
      {TODAY(OVER("egg", "<method>axial</method>")),
       "the method 'axial' over 'egg' is not read: the path lies in the plane of the surface's "
       "normal next to the middle of its line"},
      {TODAY(OVER("egg", "<method>midpoint</method>")), "the method 'midpoint' over 'egg' is not"},
      {TODAY(OVER("ball", "<method>banana</method>")),
       "the method 'banana' over 'ball' is none (hybrid, midpoint or axial): it is taken as "
       "'hybrid'"},
      {TODAY(OVER("egg", "<method>axial</method>") OVER("egg", "<method>axial</method>")),
       "of its line (2 of them, this is the first)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char forces[3000];
    snprintf(forces, sizeof forces, FORCES(MUSCLE("Thelen2003Muscle", "t", "%s")), cases[i].path);
    lb_scene s = parse(TWO_WRAPS, forces);
    assert_int_equal(s.nnote, cases[i].note ? 1 : 0);
    if (cases[i].note) {
      assert_non_null(strstr(s.note[0].text, cases[i].note));
      assert_int_equal(s.note[0].place.line, 5);
    }
    lb_scene_release(&s);
  }
}

// --- what stands for many, and what is silent ---

static void muscles_of_a_class_are_noted_once(void** state) {
  (void)state;
  lb_scene s = parse("", FORCES(MUSCLE("Foo2020Muscle", "a", TODAY("")) MUSCLE(
                             "Foo2020Muscle", "b", TODAY("")) MUSCLE("BarMuscle", "c", TODAY(""))));
  assert_int_equal(s.nmuscle, 3);
  assert_int_equal(s.nnote, 2);
  assert_string_equal(s.note[0].text, "muscle 'a' of class Foo2020Muscle is read as one of "
                                      "Millard's (2 of them, this is the first)");
  assert_int_equal(s.note[0].place.line, 5);
  assert_string_equal(s.note[1].text, "muscle 'c' of class BarMuscle is read as one of Millard's");
  lb_scene_release(&s);
}

#define BY(coordinate)                                                                             \
  "<CoordinateActuator name=\"t\"><coordinate>" coordinate "</coordinate><optimal_force>5"         \
  "</optimal_force></CoordinateActuator>"

// A joint that cannot be read is the only mistake; another coordinate is one of its own.
static void those_who_name_what_was_refused_are_not_asked(void** state) {
  (void)state;
  static const struct {
    const char* name;
    int mistakes;
  } cases[] = {{BY("foil_angle"), 1}, {BY("foil_angel"), 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4000];
    lb_scene s = {0};
    lb_error err = lb_error_make(NULL);
    const int size =
        snprintf(text, sizeof text,
                 BEGIN BODY("rod", "PinJoint")
                     BODY("foil", "FoilJoint") "</objects></BodySet>" FORCES("%s") "</Model>" END,
                 "", "", cases[i].name);
    assert_int_equal(lb_scene_parse(text, (size_t)size, "model.osim", NULL, &s, &err), LB_INVALID);
    assert_int_equal(err.count, cases[i].mistakes);
    assert_non_null(strstr(err.message[0].text, "a joint of class 'FoilJoint' cannot be read"));
    lb_error_clear(&err);
  }
  lb_scene s = {0};
  lb_error err = lb_error_make(NULL);
  assert_int_equal(
      read_model("<components><PhysicalOffsetFrame name=\"off\"><socket_parent>gone"
                 "</socket_parent>" SET("<WrapSphere name=\"ball\"><radius>0.02</radius>"
                                        "</WrapSphere>") "</PhysicalOffsetFrame></components>",
                 FORCES(MUSCLE("Thelen2003Muscle", "t", TODAY(OVER("ball", "")))), &s, &err),
      LB_INVALID);
  assert_int_equal(err.count, 1);
  assert_non_null(strstr(err.message[0].text, "there is no body or frame 'gone'"));
  lb_error_clear(&err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surfaces_have_the_sizes_and_places_of_their_file),
      cmocka_unit_test(a_quadrant_is_a_side),
      cmocka_unit_test(paths_run_over_surfaces_in_their_order),
      cmocka_unit_test(paths_of_version_1_are_the_same),
      cmocka_unit_test(methods_that_are_not_read_are_noted),
      cmocka_unit_test(muscles_of_a_class_are_noted_once),
      cmocka_unit_test(those_who_name_what_was_refused_are_not_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
