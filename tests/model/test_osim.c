// Models of OpenSim: the same model in every format is the same scene, custom joints move as their
// functions say, what is wrong is said with its line, and what is not read is named.
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#include "limber/dynamics.h"
#include "limber/scene.h"
#include "random_tree.h"
#include "same_scene.h"
#include "test.h"

static lb_status read_text(const char* text, lb_scene* scene, lb_error* err) {
  return lb_scene_parse(text, strlen(text), "model.osim", NULL, scene, err);
}

static lb_scene parse(const char* text) {
  lb_scene scene = {0};
  lb_error err = lb_error_make(NULL);
  const lb_status status = read_text(text, &scene, &err);
  for (int i = 0; i < err.count; i++) {
    char message[700];
    lb_error_format(&err, i, message, sizeof message);
    print_error("%s\n", message);
  }
  lb_error_clear(&err);
  assert_int_equal(status, LB_OK);
  return scene;
}

#define BEGIN "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"30000\">\n<Model name=\"m\">\n"
#define END "</Model></OpenSimDocument>\n"
#define INERTIA                                                                                    \
  "<inertia_xx>0.03</inertia_xx><inertia_yy>0.02</inertia_yy><inertia_zz>0.04</inertia_zz>"
#define MASS "<mass>2</mass><mass_center>0 -0.3 0.1</mass_center>"
#define COORDINATE(name)                                                                           \
  "<Coordinate name=\"" name "\"><default_value>0.4</default_value><range>-1 "                     \
  "2</range></Coordinate>"

// --- formats ---

static const char OLD[] =
    BEGIN "<BodySet><objects><Body name=\"ground\"><Joint/></Body><Body name=\"rod\">" MASS INERTIA
          "<Joint><PinJoint name=\"pin\"><parent_body> ground </parent_body>"
          "<location_in_parent>0.1 0.2 0.3</location_in_parent>"
          "<orientation_in_parent>0.5 -0.4 0.3</orientation_in_parent>"
          "<location>0 0.5 0</location><orientation>0.1 0.2 0.3</orientation>"
          "<CoordinateSet><objects>" COORDINATE(
              "angle") "</objects></CoordinateSet>"
                       "</PinJoint></Joint></Body></objects></BodySet>"
                       "<MarkerSet><objects><Marker name=\"tip\"><body>rod</body><location>0 -0.5 "
                       "0</location>"
                       "</Marker></objects></MarkerSet>" END;

static const char CONNECTORS[] = BEGIN
    "<Ground name=\"ground\"/><BodySet><objects><Body name=\"rod\">" MASS
    "<inertia>0.03 0.02 0.04 0 0 0</inertia></Body></objects></BodySet>"
    "<JointSet><objects><PinJoint name=\"pin\"><connectors>"
    "<Connector_PhysicalFrame_ name=\"parent_body\"><connectee_name>../ground</connectee_name>"
    "</Connector_PhysicalFrame_><Connector_PhysicalFrame_ name=\"child_body\"><connectee_name>"
    "../rod</connectee_name></Connector_PhysicalFrame_></connectors>"
    "<location_in_parent>0.1 0.2 0.3</location_in_parent>"
    "<orientation_in_parent>0.5 -0.4 0.3</orientation_in_parent>"
    "<location_in_child>0 0.5 0</location_in_child>"
    "<orientation_in_child>0.1 0.2 0.3</orientation_in_child>"
    "<CoordinateSet><objects>" COORDINATE(
        "angle") "</objects></CoordinateSet></PinJoint></objects>"
                 "</JointSet><MarkerSet><objects><Marker name=\"tip\"><frame_name>rod</frame_name>"
                 "<location>0 -0.5 0</location></Marker></objects></MarkerSet>" END;

// Offset frames of the same name in two joints, and one on another.
static const char SOCKETS[] =
    BEGIN "<Ground name=\"ground\"/><BodySet name=\"bodyset\"><objects><Body name=\"rod\">" MASS
          "<inertia>0.03 0.02 0.04 0 0 0</inertia></Body></objects></BodySet>"
          "<JointSet name=\"jointset\"><objects><PinJoint name=\"pin\">"
          "<socket_parent_frame>second</socket_parent_frame>"
          "<socket_child_frame>/jointset/pin/rod_offset</socket_child_frame>"
          "<coordinates>" COORDINATE(
              "angle") "</coordinates><frames>"
                       "<PhysicalOffsetFrame name=\"first\"><socket_parent>/ground</socket_parent>"
                       "<translation>0.1 0.2 0.3</translation></PhysicalOffsetFrame>"
                       "<PhysicalOffsetFrame name=\"second\"><socket_parent>first</socket_parent>"
                       "<translation>0 0 0</translation><orientation>0.5 -0.4 "
                       "0.3</orientation></PhysicalOffsetFrame>"
                       "<PhysicalOffsetFrame "
                       "name=\"rod_offset\"><socket_parent>/bodyset/rod</socket_parent>"
                       "<translation>0 0.5 0</translation><orientation>0.1 0.2 0.3</orientation>"
                       "</PhysicalOffsetFrame></frames></PinJoint></objects></JointSet>"
                       "<MarkerSet><objects><Marker name=\"tip\"><socket_parent_frame>/bodyset/rod"
                       "</socket_parent_frame><location>0 -0.5 "
                       "0</location></Marker></objects></MarkerSet>" END;

// What it is as a scene reads back to the same.
static void assert_converts(const lb_scene* s) {
  lb_scene again = {0};
  lb_error err = lb_error_make(NULL);
  const lb_status status =
      lb_scene_parse(s->converted, strlen(s->converted), "converted.yaml", NULL, &again, &err);
  if (status != LB_OK) {
    print_error("%d: %s\n", err.message[0].place.line, err.message[0].text);
  }
  assert_int_equal(status, LB_OK);
  assert_same_scene(s, &again, 1e-15);
  assert_int_equal(s->nmuscle, again.nmuscle);
  assert_int_equal(s->nwrap, again.nwrap);
  assert_int_equal(s->nforce, again.nforce);
  assert_int_equal(s->nmotor, again.nmotor);
  for (int i = 0; i < s->nmuscle; i++) {
    const lb_scene_muscle *a = &s->muscle[i], *b = &again.muscle[i];
    assert_int_equal(a->npoint, b->npoint);
    assert_true(a->hill.force == b->hill.force && a->hill.slack == b->hill.slack);
    for (int k = 0; k < a->npoint; k++) {
      assert_int_equal(a->point[k].wrap, b->point[k].wrap);
      assert_true(lb_vec3_norm(lb_vec3_sub(a->point[k].at, b->point[k].at)) == 0);
    }
  }
  lb_error_clear(&err);
  lb_scene_release(&again);
}

static void the_same_model_in_every_format_is_the_same_scene(void** state) {
  (void)state;
  lb_scene a = parse(OLD), b = parse(CONNECTORS), c = parse(SOCKETS);
  assert_converts(&a);
  assert_converts(&c);
  assert_same_scene(&a, &b, 1e-15);
  assert_same_scene(&a, &c, 1e-15);
  assert_int_equal(a.nnote, 0);
  assert_int_equal(b.nnote, 0);
  assert_int_equal(c.nnote, 0);
  assert_near(a.joint[0].lower[0], -1, 0);
  assert_near(a.joint[0].upper[0], 2, 0);
  assert_string_equal(a.joint[0].coordinate_name[0], "angle");
  assert_near(a.gravity.z, -9.80665, 1e-12); // y up has become z up
  assert_near(a.gravity.y, 0, 1e-12);
  lb_scene_release(&a);
  lb_scene_release(&b);
  lb_scene_release(&c);
}

// --- custom joints ---

#define AXIS(name, coordinate, axis, function)                                                     \
  "<TransformAxis name=\"" name "\"><coordinates>" coordinate "</coordinates><axis>" axis          \
  "</axis><function>" function "</function></TransformAxis>"
#define LINE "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
#define CUSTOM(axes, ...)                                                                          \
  BEGIN "<BodySet><objects><Body name=\"ground\"/><Body name=\"rod\">" MASS INERTIA                \
        "<Joint><CustomJoint name=\"knee\"><parent_body>ground</parent_body>"                      \
        "<location_in_parent>0.1 0.2 0.3</location_in_parent>"                                     \
        "<orientation_in_parent>0.5 -0.4 0.3</orientation_in_parent><location>0 0.5 0</location>"  \
        "<orientation>0.1 0.2 0.3</orientation><CoordinateSet><objects>" __VA_ARGS__               \
        "</objects></CoordinateSet><SpatialTransform>" axes                                        \
        "</SpatialTransform></CustomJoint></Joint></Body></objects></BodySet>" END

// Two coordinates, of which the second one in the file comes first in the scene; six axes.
static const char KNEE[] = CUSTOM(
    AXIS("rotation1", "bend", "0 0.6 0.8", LINE) AXIS(
        "rotation2", "bend", "1 0 0",
        "<PolynomialFunction><coefficients>0.3 -0.2 0.1</coefficients></PolynomialFunction>")
        AXIS("rotation3", "", "0 1 0", "<Constant><value>0.25</value></Constant>") AXIS(
            "translation1", "bend", "1 0 0",
            "<MultiplierFunction><function><LinearFunction><coefficients>0.2 0.05</coefficients>"
            "</LinearFunction></function><scale>1.5</scale></MultiplierFunction>")
            AXIS("translation2", "slide", "0 2 0", LINE)
                AXIS("translation3", "", "0 0 1", "<Constant><value>-0.07</value></Constant>"),
    COORDINATE("bend") COORDINATE("slide"));

static lb_quat turn(lb_vec3 axis, double angle) {
  return lb_quat_exp(lb_vec3_scale(angle, axis));
}

static lb_quat xyz(double x, double y, double z) {
  return lb_quat_mul(turn(lb_vec3_make(1, 0, 0), x),
                     lb_quat_mul(turn(lb_vec3_make(0, 1, 0), y), turn(lb_vec3_make(0, 0, 1), z)));
}

// Pose of the rod by the definition of a spatial transform.
static lb_transform knee_pose(double bend, double slide) {
  const lb_transform G = {turn(lb_vec3_make(1, 0, 0), M_PI / 2), {0, 0, 0}};
  const lb_transform P = {xyz(0.5, -0.4, 0.3), {0.1, 0.2, 0.3}},
                     C = {xyz(0.1, 0.2, 0.3), {0, 0.5, 0}};
  const lb_quat R =
      lb_quat_mul(turn(lb_vec3_make(0, 0.6, 0.8), bend),
                  lb_quat_mul(turn(lb_vec3_make(1, 0, 0), (0.3 * bend - 0.2) * bend + 0.1),
                              turn(lb_vec3_make(0, 1, 0), 0.25)));
  const lb_transform Q = {R, {1.5 * (0.2 * bend + 0.05), 2 * slide, -0.07}};
  return lb_transform_mul(G, lb_transform_mul(P, lb_transform_mul(Q, lb_transform_inverse(C))));
}

static int coordinate(const lb_model* m, const char* name) {
  for (int v = 0; v < m->nv; v++) {
    if (m->dof.name[v] && strcmp(m->dof.name[v], name) == 0) {
      return v;
    }
  }
  return -1;
}

static void custom_joints_move_as_their_functions_say(void** state) {
  (void)state;
  lb_scene s = parse(KNEE);
  lb_model* m;
  lb_data* d;
  assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const int bend = coordinate(m, "bend"), slide = coordinate(m, "slide");
  assert_int_equal(m->nq, 2);
  assert_near(d->q[bend], 0.4, 0);
  lb_random r = {5};
  for (int i = 0; i < 20; i++) {
    d->q[bend] = lb_random_between(&r, -1, 2);
    d->q[slide] = lb_random_between(&r, -1, 2);
    lb_poses(m, d);
    const lb_transform X = d->pose[0];
    assert_poses_near(X, knee_pose(d->q[bend], d->q[slide]), 1e-14);
  }
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&s);
}

// A coordinate that only splines know moves as they say; the two that share a point are there.
static void a_coordinate_that_no_axis_is_has_its_place(void** state) {
  (void)state;
#define SPLINE "<SimmSpline><x>-1 0 1 2</x><y>0.1 0.2 0.15 -0.3</y></SimmSpline>"
  lb_scene s = parse(CUSTOM(AXIS("translation1", "beta", "1 0 0", SPLINE)
                                AXIS("rotation3", "beta", "0 0 1", SPLINE),
                            COORDINATE("beta")));
  lb_scene t = parse(CUSTOM(AXIS("translation1", "beta", "1 0 0", SPLINE), COORDINATE("beta")));
  lb_scene* both[] = {&s, &t};
  for (int i = 0; i < 2; i++) {
    lb_model* m;
    lb_data* d;
    assert_int_equal(lb_model_create(both[i], NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    assert_int_equal(m->nv, 1);
    assert_int_equal(m->dof.counts[0], LB_COORDINATE_ANGLE);
    lb_vec3 at[2];
    for (int k = 0; k < 2; k++) {
      d->q[0] = k;
      lb_poses(m, d);
      at[k] = lb_transform_point(d->pose[0], lb_vec3_make(0, 0.5, 0));
    }
    // keys 0 and 1 are 5 cm apart along the parent's x
    assert_near(lb_vec3_norm(lb_vec3_sub(at[0], at[1])), 0.05, 1e-13);
    lb_data_release(d);
    lb_model_release(m);
    lb_scene_release(both[i]);
  }
}

// --- other joints, constraints, forces ---

#define JOINT(kind, coordinates)                                                                   \
  BEGIN "<BodySet><objects><Body name=\"ground\"/><Body name=\"rod\">" MASS INERTIA                \
        "<Joint><" kind " name=\"j\"><parent_body>ground</parent_body><radii_x_y_z>0.1 0.2 0.3"    \
        "</radii_x_y_z><CoordinateSet><objects>" coordinates "</objects></CoordinateSet></" kind   \
        "></Joint></Body></objects></BodySet>" END

static void each_kind_of_joint_has_its_coordinates_by_name(void** state) {
  (void)state;
  const struct {
    const char* text;
    lb_joint_kind kind;
    const char* name[6];
  } cases[] = {
      {JOINT("WeldJoint", ""), LB_JOINT_FIXED, {NULL}},
      {JOINT("PinJoint", COORDINATE("a")), LB_JOINT_REVOLUTE, {"a"}},
      {JOINT("SliderJoint", COORDINATE("a")), LB_JOINT_PRISMATIC, {"a"}},
      {JOINT("UniversalJoint", COORDINATE("a") COORDINATE("b")), LB_JOINT_UNIVERSAL, {"a", "b"}},
      {JOINT("BallJoint", COORDINATE("a") COORDINATE("b") COORDINATE("c")),
       LB_JOINT_EULER,
       {"a", "b", "c"}},
      {JOINT("EllipsoidJoint", COORDINATE("a") COORDINATE("b") COORDINATE("c")),
       LB_JOINT_ELLIPSOID,
       {"a", "b", "c"}},
      {JOINT("PlanarJoint", COORDINATE("a") COORDINATE("x") COORDINATE("y")),
       LB_JOINT_FREE_2D,
       {"x", "y", "a"}},
      {JOINT("FreeJoint", COORDINATE("a") COORDINATE("b") COORDINATE("c") COORDINATE("x")
                              COORDINATE("y") COORDINATE("z")),
       LB_JOINT_FREE_3D,
       {"x", "y", "z", "a", "b", "c"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lb_scene s = parse(cases[i].text);
    assert_int_equal(s.joint[0].kind, cases[i].kind);
    for (int k = 0; k < 6 && cases[i].name[k]; k++) {
      assert_string_equal(s.joint[0].coordinate_name[k], cases[i].name[k]);
      assert_near(s.joint[0].q[k], 0.4, 0);
    }
    lb_scene_release(&s);
  }
}

#define TWO(more)                                                                                  \
  BEGIN "<BodySet><objects><Body name=\"ground\"/><Body name=\"rod\">" MASS INERTIA                \
        "<Joint><PinJoint "                                                                        \
        "name=\"p\"><parent_body>ground</parent_body><CoordinateSet><objects>" COORDINATE(         \
            "a") "</objects></CoordinateSet></PinJoint></Joint></Body><Body name=\"bar\">" MASS    \
            INERTIA                                                                                \
                 "<Joint><PinJoint name=\"s\"><parent_body>rod</parent_body><location_in_parent>"  \
                 "0 -0.6 0</location_in_parent><CoordinateSet><objects>" COORDINATE(               \
                     "b") "</objects></CoordinateSet></PinJoint></Joint></Body></objects></"       \
                          "BodySet>" more END

static void couplers_and_rods_are_constraints(void** state) {
  (void)state;
  lb_scene s = parse(
      TWO("<ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">"
          "<coupled_coordinates_function><SimmSpline><x>-1 0 1</x><y>0.5 0 0.5</y></SimmSpline>"
          "</coupled_coordinates_function><independent_coordinate_names>a"
          "</independent_coordinate_names><dependent_coordinate_name>b</dependent_coordinate_name>"
          "<scale_factor>2</scale_factor></CoordinateCouplerConstraint>"
          "<ConstantDistanceConstraint name=\"d\"><isDisabled>true</isDisabled></"
          "ConstantDistanceConstraint><PointConstraint name=\"e\"><body_1>ground</body_1>"
          "<body_2>bar</body_2><location_body_1>0 1 0</location_body_1></PointConstraint>"
          "<WeldConstraint name=\"f\"><body_1>bar</body_1><body_2>ground</body_2></WeldConstraint>"
          "<PointOnLineConstraint name=\"g\"><line_body>ground</line_body><line_direction_vec>0 2 0"
          "</line_direction_vec><point_on_line>0.1 0 0</point_on_line><follower_body>bar"
          "</follower_body><point_on_follower>0 -0.2 0</point_on_follower></PointOnLineConstraint>"
          "</objects></ConstraintSet>"));
  assert_int_equal(s.nconstraint, 2);
  const lb_scene_constraint* c = &s.constraint[0];
  assert_int_equal(c->nterm, 2);
  assert_near(c->term[1].factor, -2, 0);
  assert_int_equal(c->term[1].curve.kind, LB_PROFILE_NATURAL);
  assert_int_equal(s.njoint, 4);
  assert_int_equal(s.joint[2].kind, LB_JOINT_SPHERICAL);
  assert_true(s.joint[2].loop && s.joint[3].loop);
  assert_near(s.joint[2].in_parent.p.z, 1, 1e-15); // y of the ground
  assert_int_equal(s.joint[3].parent, LB_WORLD);
  const lb_scene_constraint* on = &s.constraint[1];
  assert_int_equal(on->kind, LB_CONSTRAINT_LINE);
  assert_int_equal(on->body, s.joint[1].child);
  assert_near(on->point[0].y, -0.2, 0);
  assert_near(on->normal.z, 1, 1e-15); // y of the ground
  assert_int_equal(s.nnote, 0);
  lb_scene_release(&s);
}

static void locked_coordinates_stay(void** state) {
  (void)state;
  lb_scene s = parse(JOINT("PinJoint", "<Coordinate name=\"a\"><default_value>0.4</default_value>"
                                       "<locked>true</locked></Coordinate>"));
  assert_int_equal(s.nconstraint, 1);
  assert_near(s.constraint[0].least, 0.4, 0);
  assert_near(s.constraint[0].most, 0.4, 0);
  lb_scene_release(&s);
}

static void half_open_ranges_keep_their_bound(void** state) {
  (void)state;
  static const struct {
    const char *scene, *what;
    double lower, upper;
    bool clamped;
  } cases[] = {
#define RANGE(text)                                                                                \
  JOINT("PinJoint",                                                                                \
        "<Coordinate name=\"a\"><range>" text "</range><clamped>true</clamped></Coordinate>")
      {RANGE("-1 Inf"), "-1 Inf", -1, 1e6, true},
      {RANGE("-inf 0.5"), "-inf 0.5", -1e6, 0.5, true},
      {RANGE("-Infinity +Inf"), "-Infinity +Inf", -1e6, 1e6, false},
  };
  for (int i = 0; i < 3; i++) {
    lb_scene s = parse(cases[i].scene);
    print_message("%s\n", cases[i].what);
    assert_near(s.joint[0].lower[0], cases[i].lower, 0);
    assert_near(s.joint[0].upper[0], cases[i].upper, 0);
    assert_int_equal(s.joint[0].clamped[0], cases[i].clamped);
    for (int k = 0; k < s.nnote; k++) {
      assert_null(strstr(s.note[k].text, "clamped"));
    }
    lb_scene_release(&s);
  }
}

// An offset frame on what it is in, as "..", and one on that one, with a marker and a surface.
static void frames_stand_on_what_they_are_in(void** state) {
  (void)state;
#define FRAME(name, on, inside)                                                                    \
  "<PhysicalOffsetFrame name=\"" name "\"><socket_parent>" on                                      \
  "</socket_parent><translation>0 0.1 "                                                            \
  "0</translation><orientation>0 0 0.3</orientation>" inside "</PhysicalOffsetFrame>"
  lb_scene s = parse(
      BEGIN
      "<Ground name=\"ground\"/><BodySet name=\"bodyset\"><objects><Body name=\"rod\">" MASS
      "<inertia>0.03 0.02 0.04 0 0 0</inertia><components>" FRAME("f", "..", "") FRAME(
          "g", "../f",
          "<WrapObjectSet><objects><WrapSphere name=\"ball\"><radius>0.05</radius>"
          "<translation>0.1 0 0</translation></WrapSphere></objects></WrapObjectSet>")
          FRAME("h", "../../rod",
                "") "</components></Body></objects></BodySet>"
                    "<JointSet><objects><PinJoint name=\"pin\"><socket_parent_frame>/ground"
                    "</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame>"
                    "</PinJoint></objects></JointSet><MarkerSet><objects><Marker name=\"k\">"
                    "<socket_parent_frame>/bodyset/rod/g</socket_parent_frame><location>0.1 0 "
                    "0</location>"
                    "</Marker></objects></MarkerSet>" END);
  assert_int_equal(s.nmarker, 1);
  assert_int_equal(s.nwrap, 1);
  const double x = -0.1 * sin(0.3) + 0.1 * cos(0.6), y = 0.1 + 0.1 * cos(0.3) + 0.1 * sin(0.6);
  const lb_vec3 to = lb_vec3_make(x, y, 0);
  assert_near(lb_vec3_norm(lb_vec3_sub(s.marker[0].at, to)), 0, 1e-15);
  assert_near(lb_vec3_norm(lb_vec3_sub(s.wrap[0].pose.p, to)), 0, 1e-15);
  lb_scene_release(&s);
}

// A ball on a plane, in elements whose names have colons.
static void contact_of_a_ball_is_a_ground(void** state) {
  (void)state;
  lb_scene s = parse(TWO(
      "<ForceSet><objects><HuntCrossleyForce name=\"h\"><HuntCrossleyForce::ContactParametersSet>"
      "<objects><HuntCrossleyForce::ContactParameters><geometry>ball floor</geometry>"
      "<stiffness>1e4</stiffness><dissipation>0.5</dissipation></HuntCrossleyForce::"
      "ContactParameters></objects></HuntCrossleyForce::ContactParametersSet></HuntCrossleyForce>"
      "</objects></ForceSet><ContactGeometrySet><objects><ContactHalfSpace name=\"floor\">"
      "<body_name>ground</body_name><orientation>0 0 -1.5707963267948966</orientation>"
      "</ContactHalfSpace><ContactSphere name=\"ball\"><body_name>bar</body_name><radius>0.25"
      "</radius></ContactSphere></objects></ContactGeometrySet>"));
  assert_int_equal(s.nforce, 1);
  const lb_scene_force* f = &s.force[0];
  assert_int_equal(f->kind, LB_FORCE_GROUND);
  assert_near(f->stiffness, 4.0 / 3 * pow(0.5, 1.5) * 1e4 * 0.5, 1e-9);
  assert_near(f->force_curve.exponent, 1.5, 0);
  assert_near(f->dissipation, 0.75, 0);
  assert_near(f->along.z, 1, 1e-15); // out of the ground, upwards
  assert_near(f->point[0].radius, 0.25, 0);
  lb_scene_release(&s);
}

// Balls and planes of several materials: k = k1 k2 / (k1 + k2), k_i = K_i^(2/3).
static void materials_of_a_contact_are_joined(void** state) {
  (void)state;
#define MATERIAL(geometry, stiffness, dissipation, friction)                                       \
  "<HuntCrossleyForce::ContactParameters><geometry>" geometry "</geometry><stiffness>" stiffness   \
  "</stiffness><dissipation>" dissipation "</dissipation><dynamic_friction>" friction              \
  "</dynamic_friction></HuntCrossleyForce::ContactParameters>"
  lb_scene s = parse(TWO("<components><HuntCrossleyForce name=\"h\"><contact_parameters>" MATERIAL(
      "floor", "8e6", "0.5", "0.9") MATERIAL("ball", "1e6", "2",
                                             "0.3") "</contact_parameters></HuntCrossleyForce>"
                                                    "</components><ContactGeometrySet><objects>"
                                                    "<ContactHalfSpace name=\"floor\">"
                                                    "<body_name>ground</body_name>"
                                                    "</ContactHalfSpace><ContactSphere "
                                                    "name=\"ball\"><body_name>bar</body_name>"
                                                    "<radius>0.25</radius></ContactSphere>"
                                                    "</objects></ContactGeometrySet>"));
  assert_int_equal(s.nforce, 1);
  const double k = 4e4 * 1e4 / (4e4 + 1e4);
  assert_near(s.force[0].stiffness, 4.0 / 3 * pow(k, 1.5) * 0.5, 1e-6);
  assert_near(s.force[0].dissipation, 1.5 * (0.5 * 0.2 + 2 * 0.8), 1e-12);
  assert_near(s.force[0].friction, 2 * 0.9 * 0.3 / 1.2, 1e-15);
  assert_int_equal(s.nnote, 0);
  lb_scene_release(&s);
}

static void a_contact_has_any_number_of_balls(void** state) {
  (void)state;
  enum { BALLS = 100 };
  char names[BALLS * 10] = "floor", balls[BALLS * 120] = "";
  for (int i = 0; i < BALLS; i++) {
    snprintf(names + strlen(names), 10, " b%d", i);
    snprintf(balls + strlen(balls), 120,
             "<ContactSphere name=\"b%d\"><body_name>bar</body_name><radius>0.25</radius>"
             "</ContactSphere>",
             i);
  }
  static const char MODEL[] =
      TWO("<ForceSet><objects><HuntCrossleyForce name=\"h\"><contact_parameters>"
          "<HuntCrossleyForce::ContactParameters><geometry>%s</geometry><stiffness>1e4</stiffness>"
          "</HuntCrossleyForce::ContactParameters></contact_parameters></HuntCrossleyForce>"
          "</objects></ForceSet><ContactGeometrySet><objects><ContactHalfSpace name=\"floor\">"
          "<body_name>ground</body_name></ContactHalfSpace>%s</objects></ContactGeometrySet>");
  const size_t size = sizeof MODEL + sizeof names + sizeof balls;
  char* text = malloc(size);
  assert_non_null(text);
  snprintf(text, size, MODEL, names, balls);
  lb_scene s = parse(text);
  assert_int_equal(s.nforce, BALLS);
  lb_scene_release(&s);
  free(text);
}

static void smooth_contact_of_a_ball_is_a_smooth_ground(void** state) {
  (void)state;
  lb_scene s = parse(TWO(
      "<ForceSet><objects><SmoothSphereHalfSpaceForce "
      "name=\"h\"><socket_sphere>/contactgeometryset/"
      "ball</socket_sphere><socket_half_space>/contactgeometryset/floor</socket_half_space>"
      "<stiffness>1e4</stiffness><dissipation>2</dissipation><hertz_smoothing>250</hertz_smoothing>"
      "</SmoothSphereHalfSpaceForce>"
      "</objects></ForceSet><ContactGeometrySet><objects><ContactHalfSpace name=\"floor\">"
      "<body_name>ground</body_name><orientation>0 0 -1.5707963267948966</orientation>"
      "</ContactHalfSpace><ContactSphere name=\"ball\"><body_name>bar</body_name><radius>0.25"
      "</radius></ContactSphere></objects></ContactGeometrySet>"));
  assert_int_equal(s.nforce, 1);
  assert_near(s.force[0].smooth, 4e-3, 1e-15);
  assert_near(s.force[0].smooth_speed, 0.02, 1e-15);
  assert_near(s.force[0].dissipation, 3, 1e-15);
  lb_scene_release(&s);
}

#define POINT(name, body, at)                                                                      \
  "<PathPoint name=\"" name "\"><body>" body "</body><location>" at "</location></PathPoint>"
#define PATH(wraps)                                                                                \
  "<GeometryPath><PathPointSet><objects>" POINT("a", "ground", "0.2 0.1 0")                        \
      POINT("b", "bar", "0.1 -0.2 0") "</objects></PathPointSet>" wraps "</GeometryPath>"
#define OVER                                                                                       \
  "<PathWrapSet><objects><PathWrap><wrap_object>ball</wrap_object><range>-1 -1</range>"            \
  "</PathWrap></objects></PathWrapSet>"

// Points that come and go, and points that move, are those of cables, too.
static void springs_may_have_conditional_points(void** state) {
  (void)state;
  lb_scene s = parse(
      TWO("<ForceSet><objects><PathSpring name=\"p\"><GeometryPath><PathPointSet><objects>" POINT(
          "a", "ground",
          "0.2 0.1 0") "<ConditionalPathPoint name=\"c\"><body>ground</body><location>0.1 0.1 0"
                       "</location><range>-0.5 0.5</range><coordinate>a</coordinate>"
                       "</ConditionalPathPoint>" POINT("b", "bar",
                                                       "0.1 -0.2 0") "</objects></PathPointSet>"
                                                                     "</GeometryPath><stiffness>10"
                                                                     "</stiffness></PathSpring>"
                                                                     "</objects></ForceSet>"));
  assert_int_equal(s.nforce, 1);
  assert_int_equal(s.force[0].npoint, 3);
  assert_null(s.force[0].point[0].path);
  assert_non_null(s.force[0].point[1].path);
  assert_int_equal(s.force[0].point[1].path->condition, 0);
  assert_near(s.force[0].point[1].path->at_most, 0.5, 2e-5);
  lb_scene_release(&s);
}

// Springs along paths are cables, over surfaces too.
static void springs_along_paths_are_cables(void** state) {
  (void)state;
  lb_scene s = parse(TWO(
      "<Ground name=\"ground\"><WrapObjectSet><objects><WrapSphere name=\"ball\"><radius>0.05"
      "</radius></WrapSphere></objects></WrapObjectSet></Ground>"
      "<ForceSet><objects><PathSpring name=\"p\">" PATH(
          OVER) "<stiffness>10</stiffness><resting_length>0.3</resting_length><dissipation>2"
                "</dissipation></PathSpring><Ligament name=\"l\">" PATH(
                    "") "<resting_length>0.2</resting_length><pcsa_force>50</pcsa_force>"
                        "<force_length_curve><PiecewiseLinearFunction><x>0.5 1 1.1 1.3</x><y>0 0 "
                        "0.1 1</y></PiecewiseLinearFunction></force_length_curve></Ligament>"
                        "<Blankevoort1991Ligament name=\"b\">" PATH(
                            "") "<linear_stiffness>1000</linear_stiffness><transition_strain>0.06"
                                "</transition_strain><slack_length>0.2</slack_length>"
                                "</Blankevoort1991Ligament></objects></ForceSet>"));
  assert_int_equal(s.nforce, 3);
  const lb_scene_force *p = &s.force[0], *l = &s.force[1], *b = &s.force[2];
  assert_int_equal(p->npoint, 3);
  assert_int_equal(p->point[1].wrap, 1);
  assert_near(p->stiffness, 10, 0);
  assert_near(p->length, 0.3, 0);
  assert_near(p->dissipation, 2, 0);
  assert_true(p->force_curve.slack && l->force_curve.slack);
  // F = 50 f(L/0.2)
  assert_int_equal(l->force_curve.count, 3);
  assert_near(l->force_curve.stretch[1], 0.02, 1e-15);
  assert_near(l->force_curve.force[1], 5, 1e-12);
  assert_near(l->force_curve.force[2], 50, 1e-12);
  // its straight part: k (e - e_t/2)
  const int n = b->force_curve.count;
  assert_near(b->force_curve.stretch[n - 2], 0.2 * 0.06, 1e-15);
  assert_near(b->force_curve.force[n - 2], 1000 * 0.03, 1e-12);
  assert_near(b->force_curve.force[n - 1], 1000 * 0.09, 1e-12);
  lb_scene_release(&s);
}

// The body is at (0.04, -0.07, 0.25), and only the last segment comes near.
static void surfaces_are_where_an_ellipsoid_joint_starts(void** state) {
  (void)state;
  lb_scene s = parse(
      BEGIN
      "<BodySet><objects><Body name=\"ground\"/><Body name=\"rod\">" MASS INERTIA
      "<Joint><EllipsoidJoint name=\"j\"><parent_body>ground</parent_body><radii_x_y_z>0.1 "
      "0.2 0.3</radii_x_y_z><CoordinateSet><objects>" COORDINATE("a") COORDINATE("b") COORDINATE(
          "c") "</objects></CoordinateSet></EllipsoidJoint></Joint>"
               "<WrapObjectSet><objects><WrapSphere "
               "name=\"ball\"><radius>0.02</radius></WrapSphere>"
               "</objects></WrapObjectSet></Body></objects></BodySet><ForceSet><objects>"
               "<PathSpring name=\"p\"><GeometryPath><PathPointSet><objects>" POINT("a", "ground",
                                                                                    "-0.3 0 0")
                   POINT("b", "ground", "0.3 0 0") POINT("c", "ground", "0.3 -0.1 0.25") POINT(
                       "d", "ground", "-0.3 -0.1 0.25") "</objects></PathPointSet>" OVER
                                                        "</GeometryPath><stiffness>10</stiffness></"
                                                        "PathSpring></objects></ForceSet>" END);
  assert_int_equal(s.force[0].npoint, 5);
  assert_int_equal(s.force[0].point[3].wrap, 1);
  lb_scene_release(&s);
}

// Inside an element of the property's name, or as an element of its class with that name.
static void functions_are_read_in_both_forms(void** state) {
  (void)state;
  static const char* const FUNCTIONS[][3] = {
      {"coupled_coordinates_function", "LinearFunction", "<coefficients>0.5 0.1</coefficients>"},
      {"force_length_curve", "PiecewiseLinearFunction", "<x>1 1.1 1.3</x><y>0 0.1 1</y>"},
      {"x_location", "SimmSpline", "<x>-1 0 1</x><y>0.1 0.2 0.4</y>"},
      {"y_location", "Constant", "<value>-0.2</value>"},
      {"z_location", "Constant", "<value>0</value>"}};
  static const char MODEL[] = TWO(
      "<ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">%s"
      "<independent_coordinate_names>a</independent_coordinate_names><dependent_coordinate_name>b"
      "</dependent_coordinate_name></CoordinateCouplerConstraint></objects></ConstraintSet>"
      "<ForceSet><objects><Ligament name=\"l\">" PATH(
          "") "<resting_length>0.2</resting_length><pcsa_force>50</pcsa_force>%s</Ligament>"
              "<PathSpring name=\"p\"><GeometryPath><PathPointSet><objects>" POINT(
                  "a", "ground", "0.2 0.1 0") "<MovingPathPoint><body>bar</body><x_coordinate>a"
                                              "</x_coordinate>%s%s%s</MovingPathPoint></objects>"
                                              "</PathPointSet></GeometryPath><stiffness>10"
                                              "</stiffness></PathSpring></objects></ForceSet>");
  lb_scene s[2];
  for (int k = 0; k < 2; k++) {
    char form[5][200], text[sizeof MODEL + sizeof form];
    for (int i = 0; i < 5; i++) {
      const char* const* f = FUNCTIONS[i];
      snprintf(form[i], sizeof form[i],
               k == 0 ? "<%1$s><%2$s>%3$s</%2$s></%1$s>" : "<%2$s name=\"%1$s\">%3$s</%2$s>", f[0],
               f[1], f[2]);
    }
    snprintf(text, sizeof text, MODEL, form[0], form[1], form[2], form[3], form[4]);
    s[k] = parse(text);
    assert_int_equal(s[k].nnote, 0);
  }
  assert_string_equal(s[0].converted, s[1].converted);
  assert_near(s[1].constraint[0].least, 0.1, 0);
  assert_near(s[1].force[0].force_curve.force[2], 50, 1e-12);
  lb_scene_release(&s[0]);
  lb_scene_release(&s[1]);
}

#define SIZES                                                                                      \
  "<max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.1"                        \
  "</optimal_fiber_length><tendon_slack_length>0.1</tendon_slack_length>"

static void muscles_have_the_shapes_and_starts_of_their_file(void** state) {
  (void)state;
  lb_scene s = parse(TWO(
      "<ForceSet><objects><Thelen2003Muscle name=\"t\">" PATH("") SIZES
      "<default_activation>0.05</default_activation><KshapeActive>0.5</KshapeActive><Flen>1.8"
      "</Flen><Af>0.3</Af><FmaxTendonStrain>0.033</FmaxTendonStrain></Thelen2003Muscle>"
      "<Millard2012EquilibriumMuscle name=\"m\">" PATH("") SIZES
      "<KshapeActive>0.5</KshapeActive><ActiveForceLengthCurve name=\"x\">"
      "<max_norm_active_fiber_length>1.5957</max_norm_active_fiber_length><minimum_value>0.1"
      "</minimum_value></ActiveForceLengthCurve><TendonForceLengthCurve><curviness>0.4"
      "</curviness></TendonForceLengthCurve></Millard2012EquilibriumMuscle></objects></ForceSet>"));
  assert_int_equal(s.nmuscle, 2);
  const lb_scene_hill_shape *t = &s.muscle[0].hill.shape, *m = &s.muscle[1].hill.shape;
  assert_near(s.muscle[0].start.activation, 0.05, 0);
  assert_near(t->active_width, 0.5, 0);
  assert_near(t->lengthening, 1.8, 0);
  assert_near(t->hyperbola, 0.3, 0);
  assert_near(t->tendon_strain, 0.033, 0);
  assert_near(m->active_to, 1.5957, 0);
  assert_near(m->tendon_curve, 0.4, 0);
  assert_near(m->active_least, 0, 0); // damped
  assert_near(m->active_width, 0, 0); // Thelen's, in a Millard
  assert_converts(&s);
  lb_scene_release(&s);
}

// What a file leaves out is as OpenSim's classes have it by themselves.
static void muscles_have_the_sizes_of_their_class(void** state) {
  (void)state;
  lb_scene s = parse(TWO(
      "<ForceSet><objects><Thelen2003Muscle name=\"t\">" PATH(
          "") "</Thelen2003Muscle>"
              "<RigidTendonMuscle name=\"r\">" PATH("") SIZES
      "<min_control>0.01</min_control><max_control>1</max_control></RigidTendonMuscle>"
      "<DeGrooteFregly2016Muscle name=\"d\">" PATH("") SIZES
      "<fiber_damping>0.01</fiber_damping><activation_time_constant>0.02"
      "</activation_time_constant><tendon_strain_at_one_norm_force>0.1"
      "</tendon_strain_at_one_norm_force></DeGrooteFregly2016Muscle>"
      "<Millard2012EquilibriumMuscle name=\"m\">" PATH("") SIZES
      "<min_control>-Inf</min_control><max_control>0.5</"
      "max_control><ignore_activation_dynamics>true</ignore_activation_dynamics>"
      "</Millard2012EquilibriumMuscle><PathActuator name=\"p\">" PATH("") "</PathActuator>"
                                                                          "</objects></ForceSet>"));
  assert_int_equal(s.nmuscle, 5);
  const lb_scene_hill *t = &s.muscle[0].hill, *d = &s.muscle[2].hill;
  assert_near(t->force, 1000, 0);
  assert_near(t->fiber, 0.1, 0);
  assert_near(t->slack, 0.2, 0);
  assert_false(s.muscle[1].hill.elastic);
  assert_near(d->damping, 0.01, 0);
  assert_near(d->activation, 0.02, 0);
  assert_near(d->deactivation, 0.06, 0);
  assert_near(d->shape.tendon_strain, 0.1, 0);
  assert_near(s.muscle[4].tension, 1, 0);
  static const char* const NOTES[] = {
      "muscle 'r' of class RigidTendonMuscle is read as one of Millard's",
      "muscle 'd' of class DeGrooteFregly2016Muscle is read as one of Millard's",
      "muscle 'm' has controls from 0 to 0.5 in the model, and from 0 to 1 here",
      "muscle 'm' has no activation dynamics in the model"};
  assert_int_equal(s.nnote, 4);
  for (int i = 0; i < 4; i++) {
    assert_non_null(strstr(s.note[i].text, NOTES[i]));
  }
  lb_scene_release(&s);
}

static int count_shapes(const lb_scene* s, lb_shape_type type) {
  int n = 0;
  for (int i = 0; i < s->nshape; i++) {
    n += s->shape[i].shape.type == type;
    assert_true(s->shape[i].massless);
  }
  return n;
}

// The body is 2 |(0, -0.3, 0.1) - (0, 0.5, 0)| long from its joint to the middle of its head.
static void a_body_with_a_skull_has_a_head_and_muscles_have_their_volume(void** state) {
  (void)state;
#define TRUNK(mesh)                                                                                \
  BEGIN "<Ground name=\"ground\"/><BodySet><objects><Body name=\"rod\">" MASS INERTIA              \
        "<attached_geometry><Mesh><mesh_file>" mesh "</mesh_file></Mesh></attached_geometry>"      \
        "</Body></objects></BodySet><JointSet><objects><PinJoint name=\"pin\">"                    \
        "<parent_body>ground</parent_body><child_body>rod</child_body><location_in_child>0 0.5 0"  \
        "</location_in_child></PinJoint></objects></JointSet>" END
  lb_scene s = parse(TRUNK("hat_skull.vtp"));
  assert_int_equal(count_shapes(&s, LB_SHAPE_ELLIPSOID), 2); // ribs, head
  const lb_vec3 head = s.shape[s.nshape - 1].pose.p, end = lb_vec3_make(0, -1.1, 0.2);
  assert_near(lb_vec3_norm(lb_vec3_sub(head, end)), 0, 1e-12);
  lb_scene_release(&s);
  s = parse(TRUNK("femur.vtp"));
  assert_int_equal(count_shapes(&s, LB_SHAPE_ELLIPSOID), 0);
  assert_int_equal(count_shapes(&s, LB_SHAPE_CAPSULE), 1);
  assert_int_equal(count_shapes(&s, LB_SHAPE_SPHERE), 1);
  lb_scene_release(&s);
  s = parse(TWO("<ForceSet><objects><Thelen2003Muscle name=\"t\">" PATH("") SIZES
                "</Thelen2003Muscle></objects></ForceSet>"));
  // 100 N over 0.6 MPa, of which half the length is fibre; 0.7 of that radius is drawn
  assert_near(s.muscle[0].radius, 0.7 * sqrt(100 / 0.6e6 / 2 / 3.14159265358979), 1e-12);
  assert_converts(&s);
  lb_scene_release(&s);
}

// --- what is not read, and what is wrong ---

static void what_is_not_read_is_named_once_with_its_count(void** state) {
  (void)state;
  lb_scene s = parse(TWO("<ForceSet><objects>\n<Wind name=\"a\"><speed>1</speed></Wind>\n"
                         "<Wind name=\"b\"/></objects></ForceSet>\n<Sails><n>3</n></Sails>"
                         "<ControllerSet><objects/><groups/></ControllerSet>"));
  assert_int_equal(s.nnote, 2);
  assert_string_equal(s.note[0].text, "<Wind> is not read (2 of them, this is the first)");
  assert_int_equal(s.note[0].place.line, 5);
  assert_string_equal(s.note[1].text, "<Sails> of Model is not read");
  lb_scene_release(&s);
}

// As OpenSim 4.5 writes them: inside the property, or as an element of their class with its name.
static void paths_without_points_are_named_once_with_their_count(void** state) {
  (void)state;
#define FUNCTIONS(name)                                                                            \
  "\n<FunctionBasedPath name=\"" name "\"><coordinate_paths>/jointset/j/a</coordinate_paths>"      \
  "<length_function><PolynomialFunction><coefficients>0.1 0.3</coefficients></PolynomialFunction>" \
  "</length_function></FunctionBasedPath>"
#define LED(name, path) "<Thelen2003Muscle name=\"" name "\">" path SIZES "</Thelen2003Muscle>"
  lb_scene s = parse(TWO("<ForceSet><objects>" LED("a", "<path>" FUNCTIONS("f") "</path>") LED(
      "b", FUNCTIONS("path")) LED("c", PATH("")) "</objects></ForceSet>"));
  assert_int_equal(s.nmuscle, 1);
  assert_string_equal(s.muscle[0].name, "c");
  assert_int_equal(s.nnote, 1);
  assert_string_equal(s.note[0].text,
                      "'a' is left out (2 of them, this is the first): its <FunctionBasedPath> has "
                      "functions of coordinates in place of points, which are not read (give it a "
                      "<GeometryPath>)");
  assert_int_equal(s.note[0].place.line, 5);
  lb_scene_release(&s);
}

// Others call them by their names, of which only the first is theirs.
static void names_that_are_taken_are_noted(void** state) {
  (void)state;
#define MARKER(name) "<Marker name=\"" name "\"><body>bar</body></Marker>"
#define MUSCLE(name) "<Thelen2003Muscle name=\"" name "\">" PATH("") SIZES "</Thelen2003Muscle>"
#define MOTOR(name, on)                                                                            \
  "<CoordinateActuator name=\"" name "\"><coordinate>" on "</coordinate></CoordinateActuator>"
  static const char MODEL[] = TWO("<MarkerSet><objects>\n" MARKER("k") "\n" MARKER(
      "k") "</objects></MarkerSet>"
           "<ForceSet><objects>\n" MUSCLE("a b") "\n" MUSCLE("a_b") "\n" MOTOR("t", "a") "\n" MOTOR(
               "t", "b") "</objects></ForceSet>");
  lb_scene s = parse(MODEL);
  const struct {
    const char* text;
    int line;
  } notes[] = {{"marker 'k' has the name of the one in line 5: it is called 'k_2' here", 6},
               {"muscle 'a_b' has the name of the one in line 7: it is called 'a_b_2' here", 8},
               {"actuator 't' has the name of the one in line 9: it is called 't_2' here", 10},
               {"'a b' is called 'a_b' here: names have letters, digits, and .-_", 7}};
  assert_int_equal(s.nnote, 4);
  for (int i = 0; i < 4; i++) {
    assert_non_null(strstr(s.note[i].text, notes[i].text));
    assert_int_equal(s.note[i].place.line, notes[i].line);
  }
  lb_scene_release(&s);
}

#define BODIES(all) BEGIN "<BodySet><objects><Body name=\"ground\"/>" all "</objects></BodySet>" END
#define ROD(mass, inertia)                                                                         \
  "<Body name=\"rod\"><mass>" mass "</mass>" inertia                                               \
  "<Joint><WeldJoint name=\"w\"><parent_body>ground</parent_body></WeldJoint></Joint></Body>"

// Inertia without mass stays; a force that is off in the model, and factors that cannot be.
static void what_a_model_has_otherwise_is_noted(void** state) {
  (void)state;
  lb_scene s = parse(BODIES(
      ROD("0", "<inertia>0.3 0.2 0.4 0 0 0</inertia>") "\n<Body name=\"ball\">" MASS INERTIA
                                                       "<Joint><PinJoint "
                                                       "name=\"p\"><parent_body>rod</"
                                                       "parent_body><CoordinateSet><objects>"
                                                       "<Coordinate "
                                                       "name=\"a\"><range>-Inf "
                                                       "Inf</range><locked>True</locked></"
                                                       "Coordinate></objects></CoordinateSet>"
                                                       "</PinJoint></Joint></Body>"));
  assert_near(s.body[0].mass.mass, 1e-6, 0);
  assert_near(s.body[0].mass.inertia.zz, 0.4, 0);
  assert_int_equal(s.nconstraint, 1);
  assert_int_equal(s.nnote, 1);
  assert_string_equal(s.note[0].text, "body 'rod' has no mass: it gets 1e-06 kg");
  lb_scene_release(&s);
  s = parse(TWO("<ForceSet><objects>\n<PathSpring name=\"p\"><appliesForce>FALSE</appliesForce>"
                "<stiffness>1</stiffness></PathSpring>\n<CoordinateActuator name=\"t\">"
                "<coordinate>a</coordinate><optimal_force>-5</optimal_force></CoordinateActuator>"
                "</objects></ForceSet>"));
  assert_int_equal(s.nnote, 2);
  assert_non_null(strstr(s.note[0].text, "'p' is left out: it is off in the model"));
  assert_non_null(strstr(s.note[1].text, "the optimal force -5 of 't' is taken as 1"));
  lb_scene_release(&s);
  s = parse(TWO(
      "<Ground name=\"ground\"><WrapObjectSet><objects><WrapSphere name=\"ball\"><radius>0.05"
      "</radius></WrapSphere></objects></WrapObjectSet></Ground><ForceSet><objects>"
      "<PathSpring name=\"p\">" PATH(
          "<PathWrapSet><objects><PathWrap><wrap_object>ball"
          "</wrap_object>\n<range>2 1</range></PathWrap></objects></PathWrapSet>") "</PathSpring></"
                                                                                   "objects></"
                                                                                   "ForceSet>"));
  assert_int_equal(s.force[0].npoint, 3);
  assert_int_equal(s.nnote, 1);
  assert_non_null(strstr(s.note[0].text, "<range> '2 1' does not name two of the 2 points"));
  lb_scene_release(&s);
}

// Every kind of object, once each: parts that one element is made of are numbered without a note.
static void objects_of_one_name_are_noted(void** state) {
  (void)state;
#define PAIR(x) "<ForceSet><objects>\n" x "\n" x "</objects></ForceSet>"
#define PINNED(body, joint)                                                                        \
  "\n<Body name=\"" body "\">" MASS INERTIA "<Joint><PinJoint name=\"" joint                       \
  "\"><parent_body>ground</parent_body></PinJoint></Joint></Body>"
#define TOUCHES                                                                                    \
  "<HuntCrossleyForce name=\"h\"><contact_parameters><HuntCrossleyForce::ContactParameters>"       \
  "<geometry>floor one two</geometry><stiffness>1e4</stiffness>"                                   \
  "</HuntCrossleyForce::ContactParameters></contact_parameters></HuntCrossleyForce>"
#define BALL(name)                                                                                 \
  "<ContactSphere name=\"" name "\"><body_name>bar</body_name><radius>0.25</radius></"             \
  "ContactSphere>"
#define SURFACE "<WrapSphere name=\"w\"><radius>0.05</radius></WrapSphere>"
  const struct {
    const char *text, *note;
  } cases[] = {
      {BODIES(PINNED("rod", "j") PINNED("bar", "j")), "joint 'j' has the name of the one in"},
      {TWO("<Ground name=\"ground\"><WrapObjectSet><objects>\n" SURFACE "\n" SURFACE
           "</objects></WrapObjectSet></Ground>"),
       "wrap 'w' has"},
      {TWO(PAIR(TOUCHES) "<ContactGeometrySet><objects><ContactHalfSpace name=\"floor\"><body_name>"
                         "ground</body_name></ContactHalfSpace>" BALL("one")
                             BALL("two") "</objects></ContactGeometrySet>"),
       "contact 'h' has"},
      {TWO(PAIR("<PathSpring name=\"p\">" PATH(
           "") "<stiffness>10</stiffness><resting_length>0.3</resting_length></PathSpring>")),
       "spring 'p' has"},
      {TWO(PAIR("<BushingForce name=\"b\"><body_1>rod</body_1><body_2>bar</body_2>"
                "<translational_stiffness>1 2 3</translational_stiffness></BushingForce>")),
       "bushing 'b_x' has"},
      {TWO(PAIR("<PointActuator name=\"l\"><body>bar</body></PointActuator>")), "actuator 'l' has"},
      {TWO(PAIR(
           "<TorqueActuator name=\"t\"><bodyA>rod</bodyA><bodyB>bar</bodyB></TorqueActuator>")),
       "actuator 't' has"},
      {TWO("<ConstraintSet><objects>\n<PointConstraint "
           "name=\"c\"><body_1>ground</body_1><body_2>bar"
           "</body_2></PointConstraint>\n<PointConstraint name=\"c\"><body_1>ground</body_1>"
           "<body_2>rod</body_2></PointConstraint></objects></ConstraintSet>"),
       "constraint 'c' has"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lb_scene s = parse(cases[i].text);
    int count = 0;
    for (int k = 0; k < s.nnote; k++) {
      count += strstr(s.note[k].text, "has the name of the one in line ") != NULL;
    }
    assert_int_equal(count, 1);
    const lb_message* n = &s.note[0];
    const char* line = strstr(n->text, "in line ");
    assert_int_equal(strncmp(n->text, cases[i].note, strlen(cases[i].note)), 0);
    assert_int_equal(atoi(line + 8), n->place.line - 1);
    lb_scene_release(&s);
  }
}

static void changed_names_are_noted_with_their_count(void** state) {
  (void)state;
  lb_scene s = parse(TWO("<ForceSet><objects>\n" MUSCLE("A") "\n" MUSCLE("B::RA") MUSCLE("C D")
                             MUSCLE("world") "</objects></ForceSet>"));
  assert_int_equal(s.nnote, 1);
  assert_string_equal(s.note[0].text, "'B::RA' is called 'B__RA' here, and 2 other names are "
                                      "changed, too: names have letters, digits, and .-_");
  assert_int_equal(s.note[0].place.line, 6);
  lb_scene_release(&s);
}

static void mistakes_are_said_with_their_lines(void** state) {
  (void)state;
  const struct {
    const char *text, *message; // a part of it
  } cases[] = {
      {"", "model.osim:1:1: the file is empty"},
      {"x\nnRows=1\nendheader\ntime\ta\n0\t1\n",
       "model.osim:1:1: this is a table of numbers (it must be XML as OpenSim writes it)"},
      {"name: m\n", "model.osim:1:1: this is not XML, which begins with '<'"},
      {"<Model><BodySet></Model>",
       "model.osim:1:25: <BodySet> of line 1 must be closed before this"},
      {BEGIN "<BodySet>\n<objects>", "model.osim:5:10: "},
      {"<Other/>", "model.osim:1:7: <Other> is no model of OpenSim"},
      {"<OpenSimDocument/>", "there is no <Model>"},
      {"<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<Model>&b;</Model>",
       "a document type (<!DOCTYPE ...>) has no place"},
      {"<!DOCTYPE m SYSTEM \"http://example.org/x.dtd\"><Model/>", "has no place in a model"},
      {"<Model>&unknown;</Model>", "Entity 'unknown' not defined"},
      {"<Model>\x01</Model>", "model.osim:1:8: "},
      {JOINT("PinJoint", COORDINATE("a") COORDINATE("b")), "a PinJoint has 1 coordinates, not 2"},
      {JOINT("FoilJoint", COORDINATE("a")), "a joint of class 'FoilJoint' cannot be read"},
      {JOINT("PinJoint", "<Coordinate name=\"a\"><range>1 2 3</range></Coordinate>"),
       "<range> must have two numbers that rise, or -Inf and Inf, not '1 2 3'"},
      {JOINT("PinJoint", "<Coordinate name=\"a\"><range>Inf Inf</range></Coordinate>"),
       "<range> must have two numbers that rise, or -Inf and Inf, not 'Inf Inf'"},
      {JOINT("PinJoint", "<Coordinate name=\"a\"><range>0 Info</range></Coordinate>"),
       "<range> must have numbers, not 'Info'"},
      {JOINT("PinJoint", "<Coordinate name=\"a\"><default_value>x</default_value></Coordinate>"),
       "<default_value> must have numbers, not 'x'"},
      {JOINT("PinJoint", "<Coordinate name=\"a\"><locked>maybe</locked></Coordinate>"),
       "<locked> must be true or false, not 'maybe'"},
      {CUSTOM(AXIS("rotation1", "c", "0 0 1", LINE), COORDINATE("bend")),
       "joint 'knee' has no coordinate 'c'"},
      {CUSTOM(AXIS("rotation1", "bend", "0 0 0", LINE), COORDINATE("bend")),
       "the axis of 'rotation1' must not be zero"},
      {CUSTOM(AXIS("rotation1", "bend", "0 0 1", "<Sine/>"), COORDINATE("bend")),
       "the function 'Sine' cannot be read"},
      {CUSTOM(
           "<TransformAxis name=\"rotation1\"><coordinates>bend</coordinates><axis>0 0 1</axis>\n"
           "<StepFunction name=\"function\"><end_value>0.5</end_value></StepFunction>"
           "</TransformAxis>",
           COORDINATE("bend")),
       "model.osim:5:30: the function 'StepFunction' cannot be read"},
      {CUSTOM(AXIS("rotation1", "bend", "0 0 1",
                   "<MultiplierFunction><Sine name=\"function\"/><scale>2</scale>"
                   "</MultiplierFunction>"),
              COORDINATE("bend")),
       "the function 'Sine' cannot be read"},
      {CUSTOM(AXIS("rotation1", "bend", "0 0 1", "<SimmSpline><x>0 1 2</x><y>0 1</y></SimmSpline>"),
              COORDINATE("bend")),
       "as many numbers in <x> as in <y>, not 3 and 2"},
      {CUSTOM(
           AXIS("rotation1", "bend", "0 0 1", "<SimmSpline><x>0 1 1</x><y>0 1 2</y></SimmSpline>"),
           COORDINATE("bend")),
       "must increase, but 1 comes after 1"},
      {TWO("<MarkerSet><objects>\n<Marker name=\"t\"><body>bra</body></Marker></objects>"
           "</MarkerSet>"),
       "model.osim:5:23: there is no body or frame 'bra' (did you mean 'bar'?)"},
      {TWO("<MarkerSet><objects><Marker name=\"t\"/></objects></MarkerSet>"),
       "Marker 't' does not say what it is on"},
      {TWO("<ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">"
           "<dependent_coordinate_name>z</dependent_coordinate_name></"
           "CoordinateCouplerConstraint></objects></ConstraintSet>"),
       "there is no coordinate 'z'"},
      {BEGIN "<BodySet><objects><Body name=\"rod\">" MASS INERTIA
             "</Body></objects></BodySet><JointSet><objects><PinJoint name=\"pin\">"
             "<socket_parent_frame>a</socket_parent_frame><socket_child_frame>rod"
             "</socket_child_frame><frames><PhysicalOffsetFrame name=\"a\"><socket_parent>b"
             "</socket_parent></PhysicalOffsetFrame><PhysicalOffsetFrame name=\"b\"><socket_parent>"
             "a</socket_parent></PhysicalOffsetFrame></frames></PinJoint></objects></JointSet>" END,
       "stands on itself, directly or through others"},
      {TWO("<ForceSet><objects><Ligament name=\"l\">" PATH(
           "") "<resting_length>0.2"
               "</resting_length></Ligament></objects></ForceSet>"),
       "<force_length_curve> is missing"},
      {TWO("<ForceSet><objects><PathSpring name=\"p\"><GeometryPath><PathPointSet><objects>" POINT(
           "a", "ground", "0.2 0.1 0") "<MovingPathPoint><body>bar</body><x_coordinate>a"
                                       "</x_coordinate><x_location/></MovingPathPoint></objects>"
                                       "</PathPointSet></GeometryPath><stiffness>10</stiffness>"
                                       "</PathSpring></objects></ForceSet>"),
       "<x_location> is empty"},
      {TWO("<ForceSet><objects><Ligament name=\"l\">" PATH(
           "") "<force_length_curve><Constant>"
               "<value>1</value></Constant></force_length_curve></Ligament></objects></ForceSet>"),
       "<resting_length> must be greater than 0"},
      {TWO("<ForceSet><objects><Blankevoort1991Ligament name=\"b\">" PATH(
           "") "</Blankevoort1991Ligament></objects></ForceSet>"),
       "<slack_length> and <transition_strain> must be greater than 0"},
      {TWO("<ForceSet><objects><PathSpring name=\"p\">" PATH(OVER) "</PathSpring></objects>"
                                                                   "</ForceSet>"),
       "there is no wrap object 'ball' that can be read"},
      {TWO("<ForceSet><objects>\n<PathSpring "
           "name=\"p\"><GeometryPath><PathPointSet/></GeometryPath>"
           "</PathSpring></objects></ForceSet>"),
       "model.osim:5:21: the path of 'p' needs two points"},
      {JOINT("UniversalJoint", COORDINATE("a") "\n" COORDINATE("a")),
       "model.osim:5:21: coordinate 'a' is defined twice; the first is in line 4 (rename one)"},
      {BODIES(ROD("2", INERTIA) "\n" ROD("2", INERTIA)),
       "model.osim:5:17: body 'rod' is defined twice; the first is in line 4 (rename one)"},
      {BODIES(ROD("-2", INERTIA)), "<mass> of body 'rod' must be 0 or greater, not -2"},
      {BODIES(ROD("nan", INERTIA)), "<mass> must have numbers, not 'nan'"},
      {BODIES(ROD("2", "\n<inertia>1 -1 1 0 0 0</inertia>")),
       "model.osim:5:9: the moments of inertia of body 'rod' must be 0 or greater, not -1"},
      {BODIES(ROD("2", "<inertia>1 inf 1 0 0 0</inertia>")),
       "<inertia> must have numbers, not 'inf'"},
      {BODIES(ROD("0", "<inertia_xx>-1e-3</inertia_xx>")),
       "the moments of inertia of body 'rod' must be 0 or greater, not -0.001"},
      {JOINT("PinJoint", "<Coordinate name=\"a\">\n<range>2 -1</range></Coordinate>"),
       "model.osim:5:7: <range> must have two numbers that rise, or -Inf and Inf, not '2 -1'"},
      {CUSTOM(AXIS("rotation1", "c", "0 0 1", "<Constant><value>1</value></Constant>"),
              COORDINATE("bend")),
       "joint 'knee' has no coordinate 'c'"},
      {CUSTOM(AXIS("rotation1", "", "0 0 1", LINE), COORDINATE("bend")),
       "'rotation1' is a function of no coordinate"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lb_scene s = {0};
    lb_error err = lb_error_make(NULL);
    assert_int_equal(read_text(cases[i].text, &s, &err), LB_INVALID);
    char all[4000] = "";
    for (int k = 0; k < err.count; k++) {
      const size_t used = strlen(all);
      lb_error_format(&err, k, all + used, sizeof all - used - 1);
      strcat(all, "\n");
    }
    if (!strstr(all, cases[i].message)) {
      print_error("case %d\n--- wanted\n%s\n--- got\n%s", (int)i, cases[i].message, all);
    }
    assert_non_null(strstr(all, cases[i].message));
    lb_error_clear(&err);
  }
}

static void deep_nesting_is_refused(void** state) {
  (void)state;
  char text[4000] = "";
  for (int i = 0; i < 300; i++) {
    strcat(text, "<Model>");
  }
  lb_scene s = {0};
  lb_error err = lb_error_make(NULL);
  assert_int_equal(read_text(text, &s, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "nested too deeply"));
  lb_error_clear(&err);
}

static void a_hundred_megabytes_are_refused(void** state) {
  (void)state;
  const size_t size = 100 << 20;
  char* text = malloc(size + 1);
  assert_non_null(text);
  memset(text, ' ', size);
  text[size] = 0;
  memcpy(text, "<Model>", 7);
  lb_scene s = {0};
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, size, "model.osim", NULL, &s, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "64 MB"));
  lb_error_clear(&err);
  free(text);
}

// --- models of others ---

static const char* shared(char* path, size_t size, const char* rest) {
  const char* root = getenv("LIMBER_SHARED");
  struct stat status;
  snprintf(path, size, "%s/data/osim/%s", root ? root : "", rest);
  return root && stat(path, &status) == 0 ? path : NULL;
}

static bool ends_in(const char* name, const char* end) {
  const size_t n = strlen(name), e = strlen(end);
  return n > e && strcmp(name + n - e, end) == 0;
}

static void read_folder(const char* folder, int* good) {
  DIR* open = opendir(folder);
  for (struct dirent* e; open && (e = readdir(open));) {
    char path[1000];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (*e->d_name == '.' || stat(path, &status) != 0) {
      continue;
    }
    if (S_ISDIR(status.st_mode)) {
      read_folder(path, good);
    } else if (ends_in(path, ".osim")) {
      lb_scene s = {0};
      lb_error err = lb_error_make(NULL);
      const lb_status done = lb_scene_read(path, NULL, &s, &err);
      if (done != LB_OK) {
        print_error("%s: %s\n", path, err.count ? err.message[0].text : "");
      }
      assert_int_equal(done, LB_OK);
      assert_true(s.nbody > 0 && s.njoint > 0);
      assert_converts(&s);
      lb_error_clear(&err);
      lb_scene_release(&s);
      ++*good;
    }
  }
  if (open) {
    closedir(open);
  }
}

static void all_models_are_read(void** state) {
  (void)state;
  char path[1000];
  int good = 0;
  if (!shared(path, sizeof path, ".")) {
    skip();
  }
  read_folder(path, &good);
  assert_int_equal(good, 28);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_model_in_every_format_is_the_same_scene),
      cmocka_unit_test(custom_joints_move_as_their_functions_say),
      cmocka_unit_test(a_coordinate_that_no_axis_is_has_its_place),
      cmocka_unit_test(each_kind_of_joint_has_its_coordinates_by_name),
      cmocka_unit_test(couplers_and_rods_are_constraints),
      cmocka_unit_test(locked_coordinates_stay),
      cmocka_unit_test(half_open_ranges_keep_their_bound),
      cmocka_unit_test(frames_stand_on_what_they_are_in),
      cmocka_unit_test(contact_of_a_ball_is_a_ground),
      cmocka_unit_test(materials_of_a_contact_are_joined),
      cmocka_unit_test(a_contact_has_any_number_of_balls),
      cmocka_unit_test(smooth_contact_of_a_ball_is_a_smooth_ground),
      cmocka_unit_test(springs_may_have_conditional_points),
      cmocka_unit_test(springs_along_paths_are_cables),
      cmocka_unit_test(surfaces_are_where_an_ellipsoid_joint_starts),
      cmocka_unit_test(functions_are_read_in_both_forms),
      cmocka_unit_test(muscles_have_the_shapes_and_starts_of_their_file),
      cmocka_unit_test(muscles_have_the_sizes_of_their_class),
      cmocka_unit_test(a_body_with_a_skull_has_a_head_and_muscles_have_their_volume),
      cmocka_unit_test(what_is_not_read_is_named_once_with_its_count),
      cmocka_unit_test(paths_without_points_are_named_once_with_their_count),
      cmocka_unit_test(what_a_model_has_otherwise_is_noted),
      cmocka_unit_test(names_that_are_taken_are_noted),
      cmocka_unit_test(objects_of_one_name_are_noted),
      cmocka_unit_test(changed_names_are_noted_with_their_count),
      cmocka_unit_test(mistakes_are_said_with_their_lines),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(a_hundred_megabytes_are_refused),
      cmocka_unit_test(all_models_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
