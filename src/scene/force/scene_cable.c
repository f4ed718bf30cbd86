// Cables through several points.
#include <math.h>

#include "scene/force/scene_force.h"

static const lb_field fields[] = {
    LB_FORCE_POINTS("through", "the points it runs through, in order: {body: ..., at: [...]}"),
    LB_FORCE_CURVE_ROWS("true"),
};

static void init(void* part) {
  ((lb_scene_force*)part)->length = NAN;
}

static void check(lb_checker* c, const void* part) {
  const lb_scene_force* s = part;
  lb_check_force(c, s);
  if (s->npoint < 2 || s->npoint > LB_CABLE_MOST_POINTS) {
    lb_say(c, " runs through %d points; it needs 2 to %d", s->npoint, LB_CABLE_MOST_POINTS);
  }
}

const lb_table lb_cable_table = LB_FORCE_TABLE("cable", fields, .init = init, .check = check);
const lb_force_format lb_cable_format = {
    .table = &lb_cable_table, .joins = true, .number = {true, true, true}};
