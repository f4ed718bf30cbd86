// What the files of cubature share: random numbers, the same in every run.
#pragma once
#include <stdint.h>

// In [0, 1), from a seed that is not zero.
static inline double lb_cubature_random(uint64_t* s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return (double)(*s >> 11) * 0x1p-53;
}
