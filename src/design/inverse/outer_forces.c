#include "design/inverse/outer_forces.h"

#include <string.h>

#include "design/inverse/inverse_dynamics.h"

lb_status lb_outer_forces_filter(const lb_outer_forces* F, double cutoff, lb_arena* arena,
                                 double** wrench, lb_error* err) {
  const size_t size = (size_t)F->nsample * 6 * (size_t)F->nbody;
  *wrench = LB_TAKE(arena, double, size);
  if (!*wrench) {
    return lb_arena_check(arena, "measured forces", err);
  }
  memcpy(*wrench, F->wrench, size * sizeof **wrench);
  return lb_inverse_filter(arena, "forces", F->nsample, F->time, cutoff, *wrench, 6 * F->nbody,
                           err);
}

void lb_outer_forces_at(const lb_outer_forces* F, const double* wrench, double t, double* out) {
  const size_t width = 6 * (size_t)F->nbody;
  memset(out, 0, width * sizeof *out);
  if (t < F->time[0] || t > F->time[F->nsample - 1]) {
    return;
  }
  int i = 0;
  for (int high = F->nsample - 1; high - i > 1;) {
    const int middle = (i + high) / 2;
    if (F->time[middle] <= t) {
      i = middle;
    } else {
      high = middle;
    }
  }
  const double s = (t - F->time[i]) / (F->time[i + 1] - F->time[i]);
  const double *a = wrench + (size_t)i * width, *b = a + width;
  for (size_t k = 0; k < width; k++) {
    out[k] = (1 - s) * a[k] + s * b[k];
  }
}
