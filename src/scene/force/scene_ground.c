// Compliant grounds.
#include "scene/force/scene_force.h"
#include "scene/part/part.h"

static const lb_field touch_fields[] = {
    LB_ROW(ONE_BODY, lb_scene_point, "body", body, NULL, "a rigid body"),
    LB_SIZED(VECTOR, lb_scene_point, "at", at, LB_LENGTH, LB_ANY,
             "all of its shapes: balls, ends of capsules, corners, rims", "where, in that body"),
    LB_SIZED(NUMBER, lb_scene_point, "radius", radius, LB_LENGTH, LB_NOT_NEGATIVE, "0",
             "of a ball about `at`, which is what touches"),
};
static const lb_table touch_table =
    LB_TABLE("contact point", lb_scene_point, touch_fields, .item = "point");

static const lb_field fields[] = {
    LB_LIST(lb_scene_force, "points", point, npoint, &touch_table, NULL,
            "what may touch it: {body: ...}, or {body: ..., at: [...]}"),
    LB_SIZED(VECTOR, lb_scene_force, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "a point of the plane, in the world"),
    LB_ROW(AXIS, lb_scene_force, "normal", along, "z", "which way is out of the ground"),
    LB_FORCE_SIZE("stiffness", stiffness, LB_STIFFNESS, LB_POSITIVE, NULL,
                  "normal force on a point for each metre it is below"),
    LB_FORCE_SIZE("exponent", force_curve.exponent, LB_PURE, LB_POSITIVE_OR_UNSET, "1",
                  "at least 1: the normal force grows with this power of the depth in metres"),
    LB_FORCE_SIZE("dissipation", dissipation, LB_PURE, LB_NOT_NEGATIVE, "0",
                  "part of that force that is added for each m/s of sinking in"),
    LB_FORCE_SIZE("friction", friction, LB_PURE, LB_NOT_NEGATIVE, "0",
                  "friction coefficient: the most it rubs, over the normal force"),
    LB_FORCE_SIZE("slip", slip, LB_SPEED, LB_POSITIVE, "1 mm/s",
                  "sliding speed at which it rubs 71 % of its most; far below in proportion"),
    LB_FORCE_SIZE("smooth", smooth, LB_LENGTH, LB_NOT_NEGATIVE, "0",
                  "depth over which contact comes and goes, for 'limber track'; 0: at once"),
    LB_FORCE_SIZE("smooth_speed", smooth_speed, LB_SPEED, LB_POSITIVE, "2 cm/s",
                  "of a smooth one: speed over which it lets go of what leaves it quickly"),
};

static void init(void* part) {
  ((lb_scene_force*)part)->force_curve.slack = true;
}

// Points in the making.
typedef struct points {
  int count, capacity;
  lb_scene_point* point;
} points;

static bool push(lb_reader* r, points* to, lb_scene_point point) {
  lb_scene_point* grown = LB_GROW(r->keep, to->point, to->count, &to->capacity);
  if (grown) {
    to->point = grown;
    to->point[to->count++] = point;
  }
  return grown;
}

// A body alone is all of its shapes.
static bool push_shapes(lb_reader* r, points* to, lb_scene_point point) {
  lb_contact_list list = {0};
  bool ok = lb_contact_points(r, point.body, &list);
  for (int i = 0; i < list.count && ok; i++) {
    point.at = list.ball[i].centre;
    point.radius = list.ball[i].radius;
    ok = push(r, to, point);
  }
  return ok;
}

static bool finish(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_force* to = part;
  const lb_yaml* list = lb_yaml_find(node, "points");
  points all = {0};
  bool taken = true;
  ok = lb_finish_force(r, node, ok, part);
  for (int i = 0; ok && taken && i < to->npoint; i++) {
    const bool whole = !lb_yaml_find(list->item[i], "at");
    taken = (whole ? push_shapes : push)(r, &all, to->point[i]);
  }
  if (ok) {
    to->point = all.point;
    to->npoint = all.count;
  }
  return taken ? ok : lb_lack(r);
}

static void check(lb_checker* c, const void* part) {
  const lb_scene_force* s = part;
  lb_check_force(c, s);
  if (s->npoint < 1) {
    lb_say(c, " has no points (name those of bodies that may touch it)");
  }
  if (lb_vec3_norm(s->along) == 0) {
    lb_say(c, ": 'normal' must be of length one");
  }
  for (int k = 0; k < s->npoint; k++) {
    if (s->point[k].body == LB_WORLD) {
      lb_say(c, ": point %d is one of the world, which it cannot move (name a body)", k + 1);
    }
  }
}

const lb_table lb_ground_table =
    LB_TABLE("ground", lb_scene_force, fields, .init = init, .finish = finish, .check = check);
const lb_force_format lb_ground_format = {
    .table = &lb_ground_table, .positive = true, .number = {true, false, false}};
