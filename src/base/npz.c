// Writing arrays: a member for each, then the list of them.
#include <stdio.h>
#include <string.h>

#include "base/npz_format.h"

enum { MOST_LINE = 512 }; // of a description

size_t lb_npz_count(const lb_npz_array* a) {
  size_t n = 1;
  for (int i = 0; i < a->ndim; i++) {
    n *= (size_t)a->shape[i];
  }
  return n;
}

// --- text: NumPy's are four bytes a letter, filled up with zeros ---

// One letter of UTF-8 from `s`; returns how many bytes it took. A byte that is not UTF-8 stands for
// U+FFFD.
static int decode(const char* s, uint32_t* letter) {
  const unsigned char* u = (const unsigned char*)s;
  const int more = u[0] < 0x80                   ? 0
                   : u[0] >= 0xc2 && u[0] < 0xe0 ? 1
                   : u[0] >= 0xe0 && u[0] < 0xf0 ? 2
                   : u[0] >= 0xf0 && u[0] < 0xf5 ? 3
                                                 : -1;
  static const uint32_t mask[] = {0x7f, 0x1f, 0x0f, 0x07};
  uint32_t c = more >= 0 ? u[0] & mask[more] : 0xfffd;
  for (int i = 1; i <= more; i++) {
    if ((u[i] & 0xc0) != 0x80) {
      *letter = 0xfffd;
      return 1;
    }
    c = c << 6 | (u[i] & 0x3f);
  }
  *letter = c;
  return more < 0 ? 1 : more + 1;
}

static size_t letters(const char* s) {
  size_t n = 0;
  for (uint32_t c; *s; n++) {
    s += decode(s, &c);
  }
  return n;
}

// Letters of the longest text, at least one.
static size_t widest(const lb_npz_array* a) {
  const char* const* text = a->data;
  size_t most = 1;
  for (size_t i = 0; i < lb_npz_count(a); i++) {
    const size_t n = letters(text[i]);
    most = n > most ? n : most;
  }
  return most;
}

// --- writing ---

static size_t item_size(const lb_npz_array* a) {
  return a->type == LB_NPZ_TEXT ? 4 * widest(a) : a->type == LB_NPZ_INT ? 4 : 8;
}

// The description of an array, filled up so that its bytes start at a multiple of 64.
static int describe(const lb_npz_array* a, char* out, size_t size) {
  int n = a->type == LB_NPZ_TEXT
              ? snprintf(out, size, "{'descr': '<U%zu'", widest(a))
              : snprintf(out, size, "{'descr': '%s'", a->type == LB_NPZ_INT ? "<i4" : "<f8");
  n += snprintf(out + n, size - (size_t)n, ", 'fortran_order': False, 'shape': (");
  for (int i = 0; i < a->ndim; i++) {
    n += snprintf(out + n, size - (size_t)n, "%d,", a->shape[i]);
  }
  n += snprintf(out + n, size - (size_t)n, "), }");
  while ((LB_NPZ_PREFIX + n + 1) % 64) {
    out[n++] = ' ';
  }
  out[n++] = '\n';
  return n;
}

typedef struct packer {
  char* out;
  size_t used;
} packer;

static void put(packer* p, const void* bytes, size_t size) {
  if (size) {
    memcpy(p->out + p->used, bytes, size);
  }
  p->used += size;
}
static void put16(packer* p, unsigned x) {
  put(p, (unsigned char[]){x & 255, x >> 8 & 255}, 2);
}
static void put32(packer* p, uint32_t x) {
  put(p, &x, 4);
}

static void put_text(packer* p, const lb_npz_array* a) {
  const char* const* text = a->data;
  const size_t width = widest(a);
  for (size_t i = 0; i < lb_npz_count(a); i++) {
    const char* s = text[i];
    for (size_t k = 0; k < width; k++) {
      uint32_t c = 0;
      s += *s ? decode(s, &c) : 0;
      put32(p, c);
    }
  }
}

// Fields that both headers of a member have, from the version on. All members are of the first of
// January 1980, so that the same arrays give the same bytes.
static void put_member(packer* p, uint32_t crc, size_t size, size_t name) {
  put16(p, 20);    // version of zip that is needed
  put16(p, 0x800); // names are UTF-8
  put16(p, 0);     // stored
  put16(p, 0);     // time
  put16(p, 0x21);  // date
  put32(p, crc);
  put32(p, (uint32_t)size);
  put32(p, (uint32_t)size);
  put16(p, (unsigned)name);
  put16(p, 0); // no extra fields
}

typedef struct member {
  size_t offset, size;
  uint32_t crc;
} member;

static void pack_member(packer* p, const lb_npz_array* a, member* m) {
  char line[MOST_LINE];
  const int length = describe(a, line, sizeof line);
  const size_t data = lb_npz_count(a) * item_size(a), name = strlen(a->name) + 4;
  m->offset = p->used;
  m->size = LB_NPZ_PREFIX + (size_t)length + data;
  packer body = {p->out, p->used + LB_NPZ_LOCAL + name};
  put(&body, LB_NPY_MAGIC, 6);
  put(&body, "\x01", 2); // version 1.0
  put16(&body, (unsigned)length);
  put(&body, line, (size_t)length);
  if (a->type == LB_NPZ_TEXT) {
    put_text(&body, a);
  } else {
    put(&body, a->data, data);
  }
  m->crc = lb_npz_checksum(p->out + m->offset + LB_NPZ_LOCAL + name, m->size);
  put32(p, LB_LOCAL_MAGIC);
  put_member(p, m->crc, m->size, name);
  put(p, a->name, name - 4);
  put(p, ".npy", 4);
  p->used = body.used;
}

static void pack_directory(packer* p, const lb_npz_array* array, const member* m, int count) {
  const size_t start = p->used;
  for (int i = 0; i < count; i++) {
    const size_t name = strlen(array[i].name) + 4;
    put32(p, LB_ENTRY_MAGIC);
    put16(p, 20); // version of zip that wrote it
    put_member(p, m[i].crc, m[i].size, name);
    put16(p, 0); // no comment
    put16(p, 0); // disk
    put16(p, 0); // attributes
    put32(p, 0);
    put32(p, (uint32_t)m[i].offset);
    put(p, array[i].name, name - 4);
    put(p, ".npy", 4);
  }
  const size_t size = p->used - start;
  put32(p, LB_END_MAGIC);
  put32(p, 0); // disks
  put16(p, (unsigned)count);
  put16(p, (unsigned)count);
  put32(p, (uint32_t)size);
  put32(p, (uint32_t)start);
  put16(p, 0); // no comment
}

lb_status lb_npz_pack(const lb_npz_array* array, int count, lb_arena* arena, char** bytes,
                      size_t* size) {
  size_t most = LB_NPZ_END;
  for (int i = 0; i < count; i++) {
    most += LB_NPZ_LOCAL + LB_NPZ_ENTRY + 2 * (strlen(array[i].name) + 4) + LB_NPZ_PREFIX +
            MOST_LINE + lb_npz_count(&array[i]) * item_size(&array[i]);
  }
  if (most > LB_NPZ_MOST_BYTES) {
    return LB_INVALID;
  }
  member* m = LB_TAKE(arena, member, count);
  packer p = {LB_TAKE(arena, char, most), 0};
  if (!m || !p.out) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    pack_member(&p, &array[i], &m[i]);
  }
  pack_directory(&p, array, m, count);
  *bytes = p.out;
  *size = p.used;
  return LB_OK;
}
