// Bodies.
#include <math.h>

#include "scene/part/part.h"

#define BODY(value, key, member, dimension, range, standard, about)                                \
  LB_SIZED(value, lb_scene_body, key, member, dimension, range, standard, about)
static const lb_field body_fields[] = {
    LB_LATER(ONE, "shape", &lb_shape_table, "none", "what it looks like and weighs"),
    LB_LATER(LIST, "shapes", &lb_shape_table, "none", "several shapes instead of one"),
    LB_LATER(ONE, "elastic", &lb_elastic_table, "none", "a body that bends, instead of shapes"),
    LB_LATER(MATERIAL, "material", NULL, "plain", "of the shapes that name none"),
    BODY(NUMBER, "mass", mass.mass, LB_MASS, LB_POSITIVE_OR_UNSET, "from the shapes",
         "given alone it scales what the shapes say"),
    BODY(VECTOR, "center", mass.com, LB_LENGTH, LB_ANY, "from the shapes", "the centre of mass"),
    BODY(INERTIA, "inertia", mass.inertia, LB_INERTIA, LB_ANY, "from the shapes",
         "[ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz] about the centre of mass, in the "
         "body's axes"),
    BODY(VECTOR, "position", pose.p, LB_LENGTH, LB_ANY, "[0, 0, 0]",
         "where a body that no joint carries starts, in the world"),
    LB_ROW(ROTATION, lb_scene_body, "rotation", pose.q, "none", "how it is turned then"),
    BODY(NUMBER, "drag", drag, LB_DAMPING, LB_NOT_NEGATIVE, "0",
         "resists its motion through the world, at the centre of mass"),
    BODY(NUMBER, "turn_drag", turn_drag, LB_TURN_DAMPING, LB_NOT_NEGATIVE, "0",
         "resists its turning in the world"),
    BODY(NUMBER, "air_drag", air_drag, LB_PURE, LB_NOT_NEGATIVE, "0",
         "resists its motion with the square of its speed [kg/m]: half the density of the air "
         "times area times drag coefficient"),
    LB_ROW(TEXT, lb_scene_body, "group", group, "none",
           "a name that contacts may call it by, with others of the group"),
};

static bool read_shapes(lb_reader* r, const lb_yaml* node, int body, int material) {
  const lb_yaml *one = lb_yaml_find(node, "shape"), *several = lb_yaml_find(node, "shapes");
  bool ok = true;
  if (one && several) {
    ok = lb_complain(r, several->place, "'shape' and 'shapes' cannot both be given (choose one)");
  }
  ok &= !one || lb_read_shape(r, one, body, material);
  for (int i = 0; several && lb_is_list(several) && i < several->count; i++) {
    ok &= lb_read_shape(r, several->item[i], body, material);
  }
  return ok;
}

// Keys of a rigid body that an elastic one has no use for.
#define DRAG "drag is for rigid bodies (give the elastic body's material damping)"
static const lb_key_rule elastic_rules[] = {
    {"shape", 0, "'shape' and 'elastic' cannot both be given (choose one)"},
    {"shapes", 0, "'shapes' and 'elastic' cannot both be given (choose one)"},
    {"mass", 0, "an elastic body weighs what its material says (give that a density)"},
    {"center", 0, "an elastic body's centre of mass follows from its form"},
    {"inertia", 0, "an elastic body's inertia follows from its form"},
    {"drag", 0, DRAG},
    {"turn_drag", 0, DRAG},
    {"air_drag", 0, DRAG},
};

static bool finish_body(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_body* body = part;
  const lb_yaml *elastic = lb_yaml_find(node, "elastic"), *named = lb_yaml_find(node, "material");
  const int material = named && lb_is_scalar(named) ? lb_find_material(r, named->text) : -1;
  body->has_mass = lb_yaml_find(node, "mass");
  body->has_com = lb_yaml_find(node, "center");
  body->has_inertia = lb_yaml_find(node, "inertia");
  if (!elastic) {
    return read_shapes(r, node, (int)(body - r->scene.body), material) && ok;
  }
  lb_scene_elastic form = lb_scene_elastic_default();
  form.material = material;
  ok &= lb_read_part(r, elastic, "elastic", &lb_elastic_table, &form);
  ok = ok && lb_keys_hold(r, node, elastic_rules, LB_COUNT_OF(elastic_rules), 0);
  body->elastic = ok ? lb_finish_elastic(r, elastic, &form) : NULL;
  return body->elastic;
}

lb_scene_body lb_scene_body_default(void) {
  lb_scene_body body = {.name = ""};
  lb_table_default(&lb_body_table, &body);
  return body;
}

// --- checking ---

// True where a symmetric matrix has no eigenvalue below -slack, by its Cholesky pivots.
static bool is_positive(lb_sym3 A, double slack) {
  const double a = A.xx + slack;
  const double b = A.yy + slack - A.xy * A.xy / a;
  const double yz = A.yz - A.xy * A.xz / a;
  const double d = A.zz + slack - A.xz * A.xz / a - yz * yz / b;
  return a > 0 && b > 0 && d > 0;
}

// The second moment of mass, int x x' dm = tr(I)/2 - I, cannot be negative along any direction:
// that is the triangle inequality of the principal moments, without computing them.
static lb_sym3 second_moment(lb_sym3 I) {
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  return (lb_sym3){half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz};
}

static void check_inertia(lb_checker* c, const lb_scene_body* body) {
  const lb_sym3 I = body->mass.inertia;
  if (!is_positive(I, 0)) {
    lb_say(c, ": the inertia must be positive about every axis (a thin rod still has a little "
              "about its own)");
  } else if (!is_positive(second_moment(I), 1e-9 * (I.xx + I.yy + I.zz))) {
    lb_say(c, ": no solid has this inertia: each principal moment must be at most the sum of the "
              "other two");
  }
}

static void check_body(lb_checker* c, const void* part) {
  const lb_scene_body* body = part;
  const double drag = body->drag + body->turn_drag + body->air_drag;
  if (body->has_mass && !(body->mass.mass > 0)) {
    lb_say(c, ": the mass must be greater than 0, not %g kg", body->mass.mass);
  }
  if (body->has_inertia) {
    check_inertia(c, body);
  }
  if (!isfinite(lb_vec3_norm(body->velocity) + lb_vec3_norm(body->spin))) {
    lb_say(c, ": its start must be finite");
  }
  if (drag > 0 && (body->elastic || body->reduced)) {
    lb_say(c, " is elastic: drag is for rigid bodies (give its material damping)");
  }
}

const lb_table lb_body_table =
    LB_TABLE("body", lb_scene_body, body_fields, .finish = finish_body, .check = check_body);
