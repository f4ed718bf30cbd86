// What a definition of a meshed body may say, and how many elements it gets when it does not say.
#include <math.h>

#include "geom/section.h"

lb_tetmesh_def lb_tetmesh_def_default(void) {
  return (lb_tetmesh_def){.kind = LB_TETMESH_ROD, .order = 2, .error = 1e-3};
}

static lb_status refuse(lb_place place, lb_error* err, const char* text) {
  return lb_error_add(err, LB_INVALID, place, "%s", text);
}

static bool positive(double x) {
  return x > 0 && isfinite(x);
}

static lb_status check_size(const lb_tetmesh_def* d, lb_place place, lb_error* err) {
  if (d->kind == LB_TETMESH_BOX && !(positive(d->width) && positive(d->height))) {
    return refuse(place, err, "width and height must be positive");
  }
  if (d->kind != LB_TETMESH_BOX && !positive(d->radius)) {
    return refuse(place, err, "the radius must be positive");
  }
  if (d->kind == LB_TETMESH_TUBE && !(positive(d->inner) && d->inner < d->radius)) {
    return refuse(place, err, "the inner radius must be positive and less than the outer one");
  }
  return LB_OK;
}

lb_status lb_section_check(const lb_tetmesh_def* d, lb_place place, lb_error* err) {
  const lb_vec3 axis = lb_vec3_sub(d->b, d->a);
  if ((unsigned)d->kind >= LB_TETMESH_KIND_COUNT || (d->order != 1 && d->order != 2)) {
    return refuse(place, err, "elements are of order 1 or 2, bodies are boxes, rods or tubes");
  }
  if (!positive(lb_vec3_norm(axis)) || !isfinite(lb_vec3_norm(d->a)) ||
      !isfinite(lb_vec3_norm(d->up))) {
    return refuse(place, err, "the two ends of the axis must be different points");
  }
  if (d->along < 0 || d->across < 0 || d->around < 0) {
    return refuse(place, err, "numbers of elements must not be negative");
  }
  if (d->kind == LB_TETMESH_TUBE && d->around > 0 && d->around < 4) {
    return refuse(place, err, "a tube needs at least 4 elements around");
  }
  if (!(d->error > 0) || !isfinite(d->error)) {
    return refuse(place, err, "the wanted error must be positive");
  }
  return check_size(d, place, err);
}

static int at_least(int least, double x) {
  static const double MOST = 1e6; // far more than would fit; keeps the counts within an int
  const double up = ceil(fmin(x, MOST) - 1e-9);
  return up < least ? least : (int)up;
}

void lb_section_resolve(lb_tetmesh_def* d) {
  const double length = lb_vec3_norm(lb_vec3_sub(d->b, d->a));
  const bool box = d->kind == LB_TETMESH_BOX;
  const double thin = box ? fmin(d->width, d->height) : 2 * d->radius;
  const double wide = box ? fmax(d->width, d->height) : 2 * d->radius;
  const double fine = pow(1e-2 / d->error, d->order == 2 ? 0.25 : 0.5);
  if (!d->along) {
    d->along = at_least(4, 8 * fine);
  }
  if (!d->across) {
    d->across = at_least(1, d->order == 2 ? fine / 2 : 2 * fine);
  }
  if (!d->around && d->kind == LB_TETMESH_TUBE) {
    d->around = at_least(8, 8 * fine);
  } else if (!d->around) {
    const double step = fmin(length / d->along, 4 * thin / d->across);
    d->around = at_least(d->across, wide / fmax(step, thin / d->across));
  }
}
