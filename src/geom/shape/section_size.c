// Definitions of meshed bodies: their limits, and default numbers of elements.
#include <limits.h>
#include <math.h>

#include "geom/shape/section.h"

lb_tetmesh_def lb_tetmesh_def_default(void) {
  return (lb_tetmesh_def){.kind = LB_TETMESH_ROD, .order = 2, .error = 1e-2};
}

static lb_status refuse(lb_place place, lb_error* err, const char* text) {
  return lb_error_add(err, LB_INVALID, place, "%s", text);
}

static bool positive(double x) {
  return x > 0 && isfinite(x);
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
  if (!(d->ends >= 0)) {
    return refuse(place, err, "the length of the layers at the ends must not be negative");
  }
  if (d->along < 0 || d->across < 0 || d->around < 0) {
    return refuse(place, err, "numbers of elements must not be negative");
  }
  for (int i = 0; i < d->ncut; i++) {
    if (!(d->cut[i] > (i ? d->cut[i - 1] : 0) && d->cut[i] < lb_vec3_norm(axis))) {
      return refuse(place, err, "its parts must end one after the other, before it does itself");
    }
  }
  if (!(d->error >= 1e-8) || !isfinite(d->error)) {
    return refuse(place, err, "the wanted error must be 1e-8 or more");
  }
  const char* wrong = lb_section_kind_of(d)->refuse(d);
  return wrong ? refuse(place, err, wrong) : LB_OK;
}

static int at_least(int least, double x) {
  static const double MOST = 1e6; // far more than would fit; keeps the counts within an int
  const double up = ceil(fmin(x, MOST) - 1e-9);
  return up < least ? least : (int)up;
}

// The rules below were fitted to the lowest bending frequency of free bodies, 5 to 100 times as
// long as thick, on meshes of many densities (docs/elastic.md has the table). With n elements
// along, each h long, and d the thickness, parts of the error are
//
//   order 2   of length: 0.62 / n^2 while elements are long, less by (h / 3d)^2 when they are
//   short;
//             of a polygon with 6 m corners: 0.002 / m^4;
//             of curved elements: 0.006 (h / d)^2 m^-2.75
//   order 1   0.7 (h^2 + across^2) / d^2: these lock, and need cubes that are small all over
//
// Half of the wanted error goes to the length, half to the rest.

static void resolve_linear(lb_tetmesh_def* d, double length, double thin) {
  const double n = sqrt(1.4 / d->error);
  d->across = d->across ? d->across : at_least(2, n);
  d->along = d->along ? d->along : at_least(4, n * length / thin);
}

static double length_error(double n, double slender) {
  const double x = slender / (2 * n);
  return 0.62 / (n * n) * (x * x / (1 + x * x));
}

static void resolve_quadratic(lb_tetmesh_def* d, double length, double thin) {
  const double corners = sqrt(sqrt(0.004 / d->error)), slender = length / thin; // m above
  const lb_section_kind* kind = lb_section_kind_of(d);
  d->across = d->across ? d->across : at_least(1, kind->corners * corners);
  const double m = kind->rings ? d->across : fmax(1, d->around / 6.0);
  double n = 4;
  while (length_error(n, slender) > d->error / 2) {
    n++;
  }
  if (d->sides == LB_TETMESH_CURVED) {
    n = fmax(n, slender * sqrt(2 * 0.006 * pow(m, -2.75) / d->error));
  }
  d->along = d->along ? d->along : at_least(4, n);
}

void lb_section_resolve(lb_tetmesh_def* d) {
  const double length = lb_vec3_norm(lb_vec3_sub(d->b, d->a));
  const lb_section_kind* kind = lb_section_kind_of(d);
  double thin, wide;
  kind->measure(d, &thin, &wide);
  if (d->sides == LB_TETMESH_AUTO || !kind->round) {
    d->sides = !kind->round || length > 10 * thin ? LB_TETMESH_STRAIGHT : LB_TETMESH_CURVED;
  }
  if (!d->around && kind->least_around) {
    d->around = at_least(kind->least_around, 6 * sqrt(sqrt(0.004 / d->error)));
  }
  (d->order == 1 ? resolve_linear : resolve_quadratic)(d, length, thin);
  if (!d->around) { // about square seen from above, and not coarser than across
    d->around = at_least(d->across, wide * d->along / length);
  }
}

// --- layers ---

static const double GROWTH = 1.5; // of one layer's length over the last

// Lengths from one end on until they would pass `most`, or half of the way, `limit` of them at the
// most; returns how many.
static int count_growing(double first, double most, int limit) {
  int n = 0;
  double sum = 0;
  for (double h = first; h < most && sum + h < 0.5 && n < limit; h *= GROWTH) {
    sum += h;
    n++;
  }
  return n;
}

// Make a layer end at every cut, by moving the nearest end when it is near, else by one more layer.
// `t` has room for them; returns how many layers there are then.
static int cut_layers(const lb_tetmesh_def* d, double length, double* t, int n) {
  static const double NEAR = 0.3; // of the layer's length
  int kept = 0;                   // ends up to here hold still: the start, and cuts already made
  for (int c = 0; c < d->ncut; c++) {
    const double at = d->cut[c] / length;
    int i = kept;
    while (t[i + 1] < at) {
      i++;
    }
    const double near = NEAR * (t[i + 1] - t[i]);
    if (at - t[i] < near && i > kept) {
      kept = i;
    } else if (t[i + 1] - at < near && i + 1 < n) {
      kept = i + 1;
    } else {
      kept = i + 1;
      n++;
      for (int k = n; k > kept; k--) {
        t[k] = t[k - 1];
      }
    }
    t[kept] = at;
  }
  return n;
}

lb_status lb_section_layers(const lb_tetmesh_def* d, lb_arena* arena, int* nlayer, double** level) {
  const double length = lb_vec3_norm(lb_vec3_sub(d->b, d->a)), most = 1.0 / d->along;
  const double first = d->ends > 0 ? d->ends / length : most;
  const int growing = count_growing(first, most, d->growing ? d->growing : INT_MAX);
  const double covered = first * (pow(GROWTH, growing) - 1) / (GROWTH - 1);
  const int middle =
      !growing || d->growing ? d->along - 2 * growing : at_least(1, (1 - 2 * covered) / most);
  const int n = middle + 2 * growing;
  double* t = LB_TAKE(arena, double, n + d->ncut + 1);
  if (!t) {
    return LB_NO_MEMORY;
  }
  double h = first;
  for (int i = 0; i < growing; i++, h *= GROWTH) {
    t[i + 1] = t[i] + h;
  }
  for (int i = growing; i <= n - growing; i++) {
    t[i] = covered + (1 - 2 * covered) * (i - growing) / middle;
  }
  for (int i = 0; i < growing; i++) {
    t[n - i] = 1 - t[i];
  }
  *nlayer = cut_layers(d, length, t, n);
  *level = t;
  return LB_OK;
}
