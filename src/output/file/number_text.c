// Shortest decimal text of a double in exact integer arithmetic.
//
// A double x = m 2^e is what every number strictly between its two half-way neighbours reads back
// as. Scaled by 10^k to 18 digits that interval holds at least one integer; of the integers in it
// we take one with the most trailing zeros, and among those the one nearest to x. Powers of ten up
// to 10^38 fit 128 bits, so no approximation is involved for the magnitudes that trajectories have
// (1e-20 to 1e16); the C library formats the others, several times slower.
#include "output/file/number_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { DIGITS = 17 }; // enough for any double

// Exact: 5^19 has fewer than 53 bits.
static const double POWER_OF_TEN[20] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                        1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

static u128 power_of_ten(int k) {
  const u128 low = (uint64_t)POWER_OF_TEN[k < 20 ? k : 19];
  return k < 20 ? low : low * (uint64_t)POWER_OF_TEN[k - 19];
}

// floor(a p / 2^shift), and whether the division left a rest. 0 < shift < 192, and the result must
// fit 64 bits.
static uint64_t scale(uint64_t a, u128 p, int shift, int* rest) {
  const u128 low = (u128)a * (uint64_t)p;
  const u128 high = (u128)a * (uint64_t)(p >> 64) + (low >> 64); // the product is high:low64
  const uint64_t low64 = (uint64_t)low;
  if (shift < 64) {
    *rest = (low64 & ((1ull << shift) - 1)) != 0;
    return (uint64_t)(high << (64 - shift)) | low64 >> shift;
  }
  const int s = shift - 64;
  *rest = low64 != 0 || (high & (((u128)1 << s) - 1)) != 0;
  return (uint64_t)(high >> s);
}

// Digits and power of ten of x > 0: x reads back from `*digits` 10^`*power`. False when x is
// outside the range that 128 bits cover.
static int shortest(double x, uint64_t* digits, int* power) {
  if (!(x >= 1e-20 && x < 1e16)) {
    return 0;
  }
  int e2;
  const uint64_t m = (uint64_t)(frexp(x, &e2) * 0x1p53);
  const int shift = 55 - e2; // x = 4m 2^-shift; quarters hold the narrow side at powers of two
  const uint64_t down = m == 1ull << 52 ? 1 : 2;
  const int k = DIGITS - (int)floor(log10(x)); // one digit to spare should log10 round up
  const u128 p = power_of_ten(k);
  // Integers strictly between the half-way points.
  int rest;
  uint64_t low = scale(4 * m - down, p, shift, &rest) + 1;
  uint64_t high = scale(4 * m + 2, p, shift, &rest);
  high -= !rest;
  uint64_t middle = scale(4 * m, p, shift, &rest);
  // Drop digits while a shorter number is still inside.
  uint64_t unit = 1;
  int dropped = 0;
  while (high / (10 * unit) * (10 * unit) >= low) {
    unit *= 10;
    dropped++;
  }
  uint64_t near = (middle + unit / 2) / unit;
  near = near * unit > high ? high / unit : near;
  near = near * unit < low ? near + 1 : near;
  *digits = near;
  *power = dropped - k;
  return 1;
}

// The C library's text with the fewest digits that reads back. Its decimal point follows the
// locale; ours does not.
static int by_library(char* text, double value) {
  for (int digits = 15; digits <= DIGITS; digits++) {
    snprintf(text, LB_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  for (char* c = text; *c; c++) {
    const int plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
    *c = plain ? *c : '.';
  }
  return (int)strlen(text);
}

// digits 10^power as people write it: plain near one, with an exponent far from it.
static int layout(char* text, uint64_t digits, int power) {
  char d[24];
  int n = 0;
  for (uint64_t rest = digits; rest; rest /= 10) {
    d[n++] = (char)('0' + rest % 10); // least significant first
  }
  char* out = text;
  const int point = n + power; // digits before the decimal point
  if (point > 17 || point < -4) {
    *out++ = d[n - 1];
    if (n > 1) {
      *out++ = '.';
    }
    for (int i = n - 2; i >= 0; i--) {
      *out++ = d[i];
    }
    return (int)(out - text) + snprintf(out, 8, "e%d", point - 1);
  }
  for (int i = 0; i < point; i++) {
    *out++ = i < n ? d[n - 1 - i] : '0';
  }
  if (point <= 0) {
    *out++ = '0';
  }
  if (n > point) {
    *out++ = '.';
    for (int i = point; i < n; i++) {
      *out++ = i < 0 ? '0' : d[n - 1 - i];
    }
  }
  *out = 0;
  return (int)(out - text);
}

int lb_number_format(char text[LB_NUMBER_SIZE], double value) {
  uint64_t digits;
  int power;
  if (value == 0) {
    memcpy(text, "0", 2);
    return 1;
  }
  if (!shortest(fabs(value), &digits, &power)) {
    return by_library(text, value);
  }
  const int sign = value < 0;
  text[0] = '-';
  return sign + layout(text + sign, digits, power);
}
