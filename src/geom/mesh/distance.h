// How far points are from shapes.
#pragma once
#include "limber/geometry.h"

// From x, in the shape's frame, to the shape's surface [m]; negative inside. Exact but for
// ellipsoids, where it is right on the surface and to first order near it.
double lb_shape_distance(const lb_shape* shape, lb_vec3 x);
