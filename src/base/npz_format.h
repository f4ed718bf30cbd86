// Layout of zip and .npy, for reader and writer. A zip ends with a list of its members, the central
// directory; each entry says where a member starts and how long it is. A member is a .npy: a line
// of Python that describes the array, then its bytes.
#pragma once
#include <stdint.h>

#include "base/npz.h"

_Static_assert(sizeof(double) == 8 && sizeof(int) == 4, "arrays are copied as they are");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are little-endian");

enum {
  LB_NPZ_LOCAL = 30,  // bytes of a member's own header before its name
  LB_NPZ_ENTRY = 46,  // bytes of an entry in the central directory
  LB_NPZ_END = 22,    // bytes of the record at the end
  LB_NPZ_PREFIX = 10, // of a .npy of version 1: magic, version, length of the description
  LB_NPZ_MOST_BYTES = 0x7fffffff
};

#define LB_LOCAL_MAGIC 0x04034b50u
#define LB_ENTRY_MAGIC 0x02014b50u
#define LB_END_MAGIC 0x06054b50u
#define LB_NPY_MAGIC "\x93NUMPY"

// CRC-32 as zip has it.
uint32_t lb_npz_checksum(const char* bytes, size_t size);
