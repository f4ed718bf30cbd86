// Fowler, Noll and Vo's hash: it tells changes, it does not keep secrets.
#pragma once
#include <stddef.h>
#include <stdint.h>

static const uint64_t LB_HASH_START = 0xcbf29ce484222325u;

static inline uint64_t lb_hash(uint64_t hash, const void* bytes, size_t size) {
  const unsigned char* c = bytes;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ c[i]) * 0x100000001b3u;
  }
  return hash;
}
