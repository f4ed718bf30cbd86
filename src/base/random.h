// Numbers that look random and are functions of a seed and an index alone, by Steele, Lea and
// Flood's SplitMix64: the same everywhere, whoever asks for them first.
#pragma once
#include <stdint.h>

static inline uint64_t lb_random_bits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// In [0, 1).
static inline double lb_random_fraction(uint64_t seed, uint64_t index) {
  return (double)(lb_random_bits(seed, index) >> 11) * 0x1p-53;
}
