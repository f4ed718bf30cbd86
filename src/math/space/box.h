// A box along the axes, which grows around what it is to hold.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "limber/math.h"

typedef struct lb_box {
  lb_vec3 low, high;
} lb_box;

static inline lb_box lb_box_empty(void) {
  return (lb_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline bool lb_box_is_empty(const lb_box* b) {
  return !(b->low.x <= b->high.x);
}
// Around a ball, too; one that is nowhere does not count.
static inline void lb_box_include(lb_box* b, lb_vec3 p, double radius) {
  if (isfinite(p.x + p.y + p.z)) {
    b->low = lb_vec3_make(fmin(b->low.x, p.x - radius), fmin(b->low.y, p.y - radius),
                          fmin(b->low.z, p.z - radius));
    b->high = lb_vec3_make(fmax(b->high.x, p.x + radius), fmax(b->high.y, p.y + radius),
                           fmax(b->high.z, p.z + radius));
  }
}
static inline lb_vec3 lb_box_centre(const lb_box* b) {
  return lb_vec3_scale(0.5, lb_vec3_add(b->low, b->high));
}
// Half its diagonal.
static inline double lb_box_radius(const lb_box* b) {
  return lb_vec3_norm(lb_vec3_sub(b->high, b->low)) / 2;
}
