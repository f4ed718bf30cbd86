// Cables: lines through several points, with a force curve over their stretch.
#include "dynamics/force/force_line.h"

static const lb_line_curve curve = {lb_stretch_pull, lb_stretch_energy};

const lb_force_type lb_cable_force = {.apply = lb_line_apply,
                                      .energy = lb_line_energy,
                                      .differentiate = lb_line_differentiate,
                                      .switching = lb_line_switching,
                                      .by_number = lb_line_by_number,
                                      .measure = lb_line_measure,
                                      .curve = &curve};
