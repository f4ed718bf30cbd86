// Cutting a polygon in space into triangles.
#pragma once
#include "limber/geometry.h"

enum { LB_POLYGON_MOST = 256 }; ///< corners up to which a concave polygon is cut well

/// Cut the polygon with these corners, indices into `vertex`, into count - 2 triangles: face[3 *
/// (count - 2)]. Convex polygons become fans. Concave ones of up to LB_POLYGON_MOST corners are cut
/// ear by ear; where no ear is left (they cross themselves) or they are longer, the rest becomes a
/// fan, whose overlaps cancel in areas and volumes.
void lb_polygon_cut(const lb_vec3* vertex, const int* corner, int count, int* face);
