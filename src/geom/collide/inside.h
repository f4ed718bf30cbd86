// Bodies that lie wholly within a solid of triangles, where no triangle is near enough to touch.
#pragma once
#include "geom/collide/collide.h"

/// Whether the middle of a convex collider a lies inside of b, a closed mesh or a height field: the
/// way out through the nearest point of the surface.
bool lb_inside(const lb_placed* a, const lb_placed* b, lb_separation* out);
