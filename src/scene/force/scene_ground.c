// Compliant grounds.
#include "scene/force/scene_force.h"

static const lb_field fields[] = {
    LB_FORCE_POINTS("points", "what may touch it: {body: ..., at: [...]}"),
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
                  "sliding slower than this it rubs less, in proportion"),
};

static void init(void* part) {
  ((lb_scene_force*)part)->force_curve.slack = true;
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

const lb_table lb_ground_table = LB_FORCE_TABLE("ground", fields, .init = init, .check = check);
const lb_force_format lb_ground_format = {
    .table = &lb_ground_table, .positive = true, .number = {true, false, false}};
