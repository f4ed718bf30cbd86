// Reading arrays. Nothing is trusted: every offset is checked against the file's size before it is
// used, and every member against its checksum. An array of a kind that Limber does not know is kept
// with the reason, and reported when somebody asks for it.
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npz_format.h"

// --- checksum ---

// CRC-32 as zip has it, eight bytes at a time: t[k][b] is what byte b does k bytes further on.
uint32_t lb_npz_checksum(const char* bytes, size_t size) {
  uint32_t t[8][256];
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t c = b;
    for (int k = 0; k < 8; k++) {
      c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    t[0][b] = c;
  }
  for (int k = 1; k < 8; k++) {
    for (int b = 0; b < 256; b++) {
      t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 255];
    }
  }
  uint32_t c = ~0u;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t lo, hi;
    memcpy(&lo, bytes, 4);
    memcpy(&hi, bytes + 4, 4);
    lo ^= c;
    c = t[7][lo & 255] ^ t[6][lo >> 8 & 255] ^ t[5][lo >> 16 & 255] ^ t[4][lo >> 24] ^
        t[3][hi & 255] ^ t[2][hi >> 8 & 255] ^ t[1][hi >> 16 & 255] ^ t[0][hi >> 24];
  }
  for (; size > 0; size--, bytes++) {
    c = (c >> 8) ^ t[0][(c ^ (unsigned char)*bytes) & 255];
  }
  return ~c;
}

// --- text: NumPy has four bytes a letter, filled up with zeros ---

static int encode(char out[4], uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
    c = 0xfffd;
  }
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned head[] = {0, 0xc0, 0xe0, 0xf0};
  for (int i = more; i > 0; i--, c >>= 6) {
    out[i] = (char)(0x80 | (c & 0x3f));
  }
  out[0] = (char)(head[more] | c);
  return more + 1;
}

// --- the archive ---

typedef struct reader {
  const char* bytes;
  size_t size;
  const char* file;
  lb_arena* arena;
  lb_error* err;
} reader;

#define WRONG(r, ...) lb_error_add((r)->err, LB_INVALID, (lb_place){.file = (r)->file}, __VA_ARGS__)

static lb_status no_memory(const reader* r) {
  return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){.file = r->file}, "no memory to read it");
}

static unsigned get16(const char* p) {
  const unsigned char* u = (const unsigned char*)p;
  return u[0] | (unsigned)u[1] << 8;
}
static uint32_t get32(const char* p) {
  uint32_t x;
  memcpy(&x, p, 4);
  return x;
}

// The record at the end may be followed by a comment of any length below 64 KiB.
static const char* find_end(const reader* r) {
  for (size_t back = LB_NPZ_END; back <= r->size && back <= LB_NPZ_END + 65535; back++) {
    const char* p = r->bytes + r->size - back;
    if (get32(p) == LB_END_MAGIC && get16(p + 20) == back - LB_NPZ_END) {
      return p;
    }
  }
  return NULL;
}

// A search for inputs that break the reader would never guess a checksum.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define SUM(bytes, size, wanted) (wanted)
#else
#define SUM(bytes, size, wanted) lb_npz_checksum(bytes, size)
#endif

// Bytes of a member; `entry` is its whole entry in the directory.
static lb_status find_member(const reader* r, const char* entry, const char* name,
                             const char** data, size_t* size) {
  const size_t at = get32(entry + 42), stored = get32(entry + 20);
  if (get16(entry + 10) != 0) {
    return WRONG(r, "array '%s' is compressed; save it with numpy.savez, not savez_compressed",
                 name);
  }
  if (at > r->size || r->size - at < LB_NPZ_LOCAL || get32(r->bytes + at) != LB_LOCAL_MAGIC) {
    return WRONG(r, "array '%s' is not where the file says; the file is damaged", name);
  }
  const size_t skip = LB_NPZ_LOCAL + (size_t)get16(r->bytes + at + 26) + get16(r->bytes + at + 28);
  if (r->size - at < skip || r->size - at - skip < stored) {
    return WRONG(r, "array '%s' is cut short; the file is damaged", name);
  }
  *data = r->bytes + at + skip;
  *size = stored;
  return SUM(*data, stored, get32(entry + 16)) == get32(entry + 16)
             ? LB_OK
             : WRONG(r, "array '%s' does not fit its checksum; the file is damaged", name);
}

// --- one array ---

typedef struct layout {
  char kind; // 'f', 'i', 'u', 'U' or another of NumPy's
  char order;
  int item;
  bool by_columns;
} layout;

// Text after 'KEY': in the description, or NULL.
static const char* after_key(const char* line, const char* key) {
  const char* at = strstr(line, key);
  return at ? at + strlen(key) + strspn(at + strlen(key), " ") : NULL;
}

// The description is a Python dictionary on one line; NumPy writes its keys in this form.
static bool read_line(const char* line, layout* l, lb_npz_array* a) {
  const char* descr = after_key(line, "'descr':");
  const char* order = after_key(line, "'fortran_order':");
  const char* shape = after_key(line, "'shape':");
  if (!descr || !order || !shape || *descr++ != '\'' || *shape++ != '(' || !descr[0] || !descr[1]) {
    return false;
  }
  l->order = descr[0];
  l->kind = descr[1];
  const long item = strtol(descr + 2, NULL, 10);
  l->item = item > 0 && item < INT_MAX / 8 ? (int)item : 0;
  l->by_columns = strncmp(order, "True", 4) == 0;
  for (a->ndim = 0;; a->ndim++) {
    shape += strspn(shape, " ,");
    if (*shape == ')') {
      return true;
    }
    char* end;
    const long n = strtol(shape, &end, 10);
    if (end == shape || n < 0 || n > INT_MAX || a->ndim == LB_NPZ_MOST_DIM) {
      return false;
    }
    a->shape[a->ndim] = (int)n;
    shape = end;
  }
}

// The number of elements, checked: what the bytes cannot hold is refused before it is multiplied.
static bool fits(const lb_npz_array* a, size_t item, size_t room) {
  for (int i = 0; i < a->ndim; i++) {
    if (a->shape[i] == 0) {
      return room == 0;
    }
  }
  size_t n = item;
  for (int i = 0; i < a->ndim; i++) {
    if (n > room / (size_t)a->shape[i]) {
      return false;
    }
    n *= (size_t)a->shape[i];
  }
  return n == room;
}

static const double* copy_numbers(const reader* r, const char* data, size_t count, int item) {
  double* out = LB_TAKE(r->arena, double, count);
  for (size_t i = 0; out && i < count; i++) {
    float narrow = 0;
    memcpy(item == 8 ? (void*)&out[i] : (void*)&narrow, data + (size_t)item * i, (size_t)item);
    out[i] = item == 8 ? out[i] : (double)narrow;
  }
  return out;
}

static const int* copy_ints(const reader* r, const char* data, size_t count, int item, bool* fit) {
  int* out = LB_TAKE(r->arena, int, count);
  for (size_t i = 0; out && i < count; i++) {
    int64_t wide = 0;
    int32_t narrow = 0;
    memcpy(item == 8 ? (void*)&wide : (void*)&narrow, data + (size_t)item * i, (size_t)item);
    wide = item == 8 ? wide : narrow;
    *fit &= wide >= INT_MIN && wide <= INT_MAX;
    out[i] = (int)wide;
  }
  return out;
}

static const char** copy_texts(const reader* r, const char* data, size_t count, int width) {
  const char** out = LB_TAKE(r->arena, const char*, count);
  for (size_t i = 0; out && i < count; i++) {
    const char* from = data + 4 * (size_t)width * i;
    char* to = LB_TAKE(r->arena, char, 4 * (size_t)width + 1);
    if (!to) {
      return NULL;
    }
    out[i] = to;
    for (int k = 0; k < width && get32(from + 4 * k); k++) {
      to += encode(to, get32(from + 4 * k));
    }
  }
  return out;
}

static lb_status read_data(const reader* r, const layout* l, const char* data, size_t size,
                           lb_npz_array* a) {
  const size_t item = l->kind == 'U' ? 4 * (size_t)l->item : (size_t)l->item;
  const bool single = lb_npz_count(a) <= 1;
  a->type = LB_NPZ_OTHER;
  if (l->by_columns && a->ndim > 1 && !single) {
    a->fault = "is stored by columns; save numpy.ascontiguousarray() of it";
  } else if (l->order == '>') {
    a->fault = "is big-endian; save it as '<f8' or '<i4'";
  } else if (l->kind == 'f' && (item == 4 || item == 8)) {
    a->type = LB_NPZ_NUMBER;
    a->data = copy_numbers(r, data, size / item, (int)item);
  } else if (l->kind == 'i' && (item == 4 || item == 8)) {
    bool fit = true;
    a->type = LB_NPZ_INT;
    a->data = copy_ints(r, data, size / item, (int)item, &fit);
    if (a->data && !fit) {
      a->type = LB_NPZ_OTHER;
      a->fault = "holds integers beyond 32 bits";
    }
  } else if (l->kind == 'U') {
    a->type = LB_NPZ_TEXT;
    a->data = copy_texts(r, data, size / item, l->item);
  } else {
    a->fault = "is of a type that Limber does not use";
  }
  return a->type != LB_NPZ_OTHER && !a->data ? no_memory(r) : LB_OK;
}

static lb_status read_array(const reader* r, const char* bytes, size_t size, lb_npz_array* a) {
  if (size < LB_NPZ_PREFIX || memcmp(bytes, LB_NPY_MAGIC, 6) != 0) {
    return WRONG(r, "member '%s' is not a NumPy array", a->name);
  }
  const bool first = bytes[6] == 1; // later versions have four bytes of length
  const size_t head = first ? LB_NPZ_PREFIX : 12;
  const size_t length = first ? get16(bytes + 8) : size >= 12 ? get32(bytes + 8) : SIZE_MAX;
  if (size < head || length > size - head || length > 65535) {
    return WRONG(r, "array '%s' has no description; the file is damaged", a->name);
  }
  const char* line = lb_arena_text(r->arena, bytes + head, length);
  if (!line) {
    return no_memory(r);
  }
  layout l;
  if (!read_line(line, &l, a)) {
    return WRONG(r, "the description of array '%s' cannot be read (arrays have at most %d axes)",
                 a->name, LB_NPZ_MOST_DIM);
  }
  const size_t item = l.kind == 'U' ? 4 * (size_t)l.item : (size_t)l.item;
  if (item == 0) {
    a->type = LB_NPZ_OTHER;
    a->fault = "is of a type that Limber does not use";
    return LB_OK;
  }
  if (!fits(a, item, size - head - length)) {
    return WRONG(r, "array '%s' has more or fewer bytes than its shape says", a->name);
  }
  return read_data(r, &l, bytes + head + length, size - head - length, a);
}

// --- all of them ---

static lb_status read_entry(const reader* r, const char** at, const char* stop, lb_npz_array* a) {
  const char* p = *at;
  if ((size_t)(stop - p) < LB_NPZ_ENTRY || get32(p) != LB_ENTRY_MAGIC) {
    return WRONG(r, "its list of arrays is damaged");
  }
  const size_t length = get16(p + 28);
  const size_t all = LB_NPZ_ENTRY + length + get16(p + 30) + get16(p + 32);
  if ((size_t)(stop - p) < all) {
    return WRONG(r, "its list of arrays is damaged");
  }
  *at = p + all;
  const bool npy = length > 4 && memcmp(p + LB_NPZ_ENTRY + length - 4, ".npy", 4) == 0;
  a->name = lb_arena_text(r->arena, p + LB_NPZ_ENTRY, npy ? length - 4 : length);
  if (!a->name) {
    return no_memory(r);
  }
  const char* data = NULL;
  size_t size = 0;
  const lb_status status = find_member(r, p, a->name, &data, &size);
  return status == LB_OK ? read_array(r, data, size, a) : status;
}

lb_status lb_npz_parse(const char* bytes, size_t size, const char* name, lb_arena* arena,
                       lb_npz* npz, lb_error* err) {
  const reader r = {bytes, size, name, arena, err};
  const lb_arena_mark mark = lb_arena_here(arena);
  const char* end = size >= LB_NPZ_END ? find_end(&r) : NULL;
  if (!end || size > LB_NPZ_MOST_BYTES) {
    return WRONG(&r, "it is not a .npz file (a zip archive of NumPy arrays), or it is cut short");
  }
  const size_t start = get32(end + 16);
  if (start > (size_t)(end - bytes)) {
    return WRONG(&r, "its list of arrays is damaged");
  }
  lb_npz made = {lb_arena_text(arena, name, strlen(name)), (int)get16(end + 10), NULL};
  made.array = LB_TAKE(arena, lb_npz_array, made.count);
  lb_status status = made.array && made.name ? LB_OK : no_memory(&r);
  const char* at = bytes + start;
  for (int i = 0; i < made.count && status == LB_OK; i++) {
    status = read_entry(&r, &at, end, &made.array[i]);
  }
  if (status == LB_OK) {
    *npz = made;
  } else {
    lb_arena_reset(arena, mark);
  }
  return status;
}

// --- asking for one ---

const lb_npz_array* lb_npz_find(const lb_npz* npz, const char* name) {
  for (int i = 0; i < npz->count; i++) {
    if (strcmp(npz->array[i].name, name) == 0) {
      return &npz->array[i];
    }
  }
  return NULL;
}

// "(11, 300)"; a length below zero is any.
static const char* shape_text(int ndim, const int* shape, char* text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "(");
  for (int i = 0; i < ndim; i++) {
    used += shape[i] < 0
                ? (size_t)snprintf(text + used, size - used, "%sany", i ? ", " : "")
                : (size_t)snprintf(text + used, size - used, "%s%d", i ? ", " : "", shape[i]);
  }
  snprintf(text + used, size - used, ndim == 1 ? ",)" : ")");
  return text;
}

const void* lb_npz_get(const lb_npz* npz, const char* name, lb_npz_type type, int ndim, int* shape,
                       lb_error* err) {
  static const char* const kind[] = {"float64", "integers", "text", "something else"};
  const lb_place place = {.file = npz->name};
  const lb_npz_array* a = lb_npz_find(npz, name);
  char wanted[80], found[80];
  if (!a || a->type == LB_NPZ_OTHER) {
    lb_error_add(err, LB_INVALID, place, "array '%s' (%s of shape %s) %s", name, kind[type],
                 shape_text(ndim, shape, wanted, sizeof wanted), a ? a->fault : "is missing");
    return NULL;
  }
  bool fit = a->type == type && a->ndim == ndim;
  for (int i = 0; fit && i < ndim; i++) {
    fit = shape[i] < 0 || shape[i] == a->shape[i];
  }
  if (!fit) {
    lb_error_add(err, LB_INVALID, place, "array '%s' must be %s of shape %s, not %s of shape %s",
                 name, kind[type], shape_text(ndim, shape, wanted, sizeof wanted), kind[a->type],
                 shape_text(a->ndim, a->shape, found, sizeof found));
    return NULL;
  }
  for (int i = 0; i < ndim; i++) {
    shape[i] = a->shape[i];
  }
  return a->data;
}
