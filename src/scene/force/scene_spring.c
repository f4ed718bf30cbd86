// Springs between two points.
#include <math.h>

#include "scene/force/scene_force.h"

static const lb_field fields[] = {
    LB_FORCE_ENDS,
    LB_FORCE_CURVE_ROWS("false"),
    LB_ROW(AXIS, lb_scene_force, "along", along, "the way from end to end",
           "a direction fixed in the body of 'from', or the world: only what lies along it counts"),
};

static void init(void* part) {
  ((lb_scene_force*)part)->length = NAN;
}

static void check(lb_checker* c, const void* part) {
  const lb_scene_force* s = part;
  lb_check_force(c, s);
  if (s->force_curve.slack && lb_vec3_norm(s->along) > 0) {
    lb_say(c, " cannot both go slack and act along a direction (take one away)");
  }
}

const lb_table lb_spring_table = LB_FORCE_TABLE("spring", fields, .init = init, .check = check);
const lb_force_format lb_spring_format = {
    .table = &lb_spring_table, .ends = true, .joins = true, .number = {true, true, true}};
