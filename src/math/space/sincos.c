// Eight angles at a time: reduce to [-pi/4, pi/4], evaluate both polynomials, and let the quadrant
// choose. A joint recursion calls this once for all its hinges, which is several times cheaper than
// a libm call for each.
#include "math/space/sincos.h"

#include <math.h>
#include <stdint.h>

enum { WIDTH = 8 };
typedef double v8 __attribute__((vector_size(64)));
typedef int64_t i8 __attribute__((vector_size(64)));

// Beyond this the reduction below loses digits; libm takes over. (2^20 quadrants)
static const double LARGEST = 1.6e6;

// pi/2 in three pieces; the first two have 33 bits, so that their products with a quadrant number
// are exact.
static const double HALF_PI_1 = 0x1.921fb544p+0;
static const double HALF_PI_2 = 0x1.0b4611a6p-34;
static const double HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double ROUND = 0x1.8p52; // adding it leaves the nearest integer in the low bits

static v8 pick(i8 mask, v8 a, v8 b) {
  return (v8)(((i8)a & mask) | ((i8)b & ~mask));
}

// Minimax polynomials on [-pi/4, pi/4], coefficients as in fdlibm (Sun Microsystems 1993).
static v8 sine_part(v8 y, v8 z) {
  const v8 p = -1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 +
                              z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  return y + y * z * p;
}

static v8 cosine_part(v8 z) {
  const v8 p = 4.16666666666666019037e-02 +
               z * (-1.38888888888741095749e-03 +
                    z * (2.48015872894767294178e-05 +
                         z * (-2.75573143513906633035e-07 +
                              z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  return 1 - (0.5 * z - z * z * p);
}

static void eight(const double* x, double* s, double* c) {
  v8 v;
  for (int i = 0; i < WIDTH; i++) {
    v[i] = x[i];
  }
  const v8 shifted = v * TWO_OVER_PI + ROUND;
  const v8 k = shifted - ROUND;
  const i8 quadrant = (i8)shifted;
  const v8 y = ((v - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
  const v8 z = y * y;
  const v8 sine = sine_part(y, z);
  const v8 cosine = cosine_part(z);

  // odd quadrants swap the two; bit 1 of the quadrant (and of the next one) gives the signs
  const i8 odd = -(quadrant & 1);
  const i8 sine_sign = (quadrant & 2) << 62;
  const i8 cosine_sign = ((quadrant + 1) & 2) << 62;
  const v8 sv = (v8)((i8)pick(odd, cosine, sine) ^ sine_sign);
  const v8 cv = (v8)((i8)pick(odd, sine, cosine) ^ cosine_sign);
  for (int i = 0; i < WIDTH; i++) {
    s[i] = sv[i];
    c[i] = cv[i];
  }
}

void lb_sincos(int n, const double* x, double* s, double* c) {
  int i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    eight(x + i, s + i, c + i);
  }
  if (i < n) {
    double tail[3][WIDTH] = {{0}};
    for (int k = 0; k < n - i; k++) {
      tail[0][k] = x[i + k];
    }
    eight(tail[0], tail[1], tail[2]);
    for (int k = 0; k < n - i; k++) {
      s[i + k] = tail[1][k];
      c[i + k] = tail[2][k];
    }
  }
  for (i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= LARGEST)) {
      s[i] = sin(x[i]);
      c[i] = cos(x[i]);
    }
  }
}
