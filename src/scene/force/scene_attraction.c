// Attractions between two points.
#include "scene/force/scene_force.h"

static const lb_field fields[] = {
    LB_FORCE_ENDS,
    LB_FORCE_SIZE(
        "strength", stiffness, LB_PURE, LB_POSITIVE, NULL,
        "force at a distance of one metre, in N m^2: it falls with the square of the distance"),
    LB_FORCE_SIZE("softening", length, LB_LENGTH, LB_NOT_NEGATIVE, "0",
                  "distance below which it fades to nothing, so that points may meet"),
};
const lb_table lb_attraction_table = LB_FORCE_TABLE("attraction", fields, .check = lb_check_force);
const lb_force_format lb_attraction_format = {.table = &lb_attraction_table,
                                              .ends = true,
                                              .joins = true,
                                              .positive = true,
                                              .number = {true, false, false}};
