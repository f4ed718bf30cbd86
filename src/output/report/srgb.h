// Light as screens expect it.
#pragma once
#include <math.h>

// One linear channel as a byte.                                                    [IEC 61966-2-1]
static inline int lb_srgb(double x) {
  const double c = fmax(0, fmin(1, isnan(x) ? 0 : x));
  return (int)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}
