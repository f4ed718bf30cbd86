// STL: binary and ASCII. Its first word does not decide which of the two it is, for many
// binary ones start with "solid" too; the length decides, which a binary file's count fixes.
#include <stdint.h>
#include <string.h>

#include "geom/mesh/mesh_reader.h"
#include "geom/mesh/triangle_mesh.h"

enum { HEADER = 80, COUNT = 4, TRIANGLE = 50 }; // bytes

// --- binary ---

static uint32_t little_endian(const char* at) {
  const unsigned char* b = (const unsigned char*)at;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double single(const char* at) {
  const uint32_t bits = little_endian(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Bytes that a binary file with this header has.
static uint64_t promised(const char* text) {
  return HEADER + COUNT + (uint64_t)TRIANGLE * little_endian(text + HEADER);
}

static bool is_binary(const char* text, size_t size) {
  if (size >= HEADER + COUNT && promised(text) == size) {
    return true;
  }
  // other than text: broken, but broken as a binary file
  const size_t look = size < 512 ? size : 512;
  lb_mesh_reader first = {.scan = lb_scan_begin(text, size, NULL)};
  lb_word word;
  return size == 0 || memchr(text, 0, look) || !lb_mesh_reader_seek(&first, &word) ||
         !lb_word_is(word, "solid");
}

// A mesh in which every face has its own three vertices.
static void make_loose(lb_arena* arena, int nface, lb_vec3* vertex, lb_mesh* mesh) {
  *mesh = (lb_mesh){3 * nface, nface, vertex, LB_TAKE(arena, int, 3 * (size_t)nface)};
  for (int i = 0; mesh->face && i < 3 * nface; i++) {
    mesh->face[i] = i;
  }
}

static void read_binary(lb_mesh_reader* in, const char* text, size_t size, lb_mesh* mesh) {
  const lb_place file = {in->scan.file, 0, 0};
  if (size < HEADER + COUNT) {
    in->mistakes++;
    lb_error_add(in->err, LB_INVALID, file,
                 "not an STL file: text starts with 'solid' and binary has %d bytes or more",
                 HEADER + COUNT);
    return;
  }
  const uint32_t count = little_endian(text + HEADER);
  if (promised(text) > size) {
    in->mistakes++;
    lb_error_add(in->err, LB_INVALID, file,
                 "not an STL file, or cut short: text starts with 'solid', and as a binary "
                 "file it would have %llu bytes for its %lu triangles, not %zu",
                 (unsigned long long)promised(text), (unsigned long)count, size);
    return;
  }
  lb_vec3* vertex = LB_TAKE(&in->scratch, lb_vec3, 3 * (size_t)count);
  make_loose(&in->scratch, (int)count, vertex, mesh);
  for (int i = 0; i < mesh->nvertex && lb_mesh_reader_good(in); i++) {
    // after each triangle's normal its vertices
    const char* at =
        text + HEADER + COUNT + (size_t)TRIANGLE * (size_t)(i / 3) + 12 + 12 * (size_t)(i % 3);
    const lb_vec3 v = {single(at), single(at + 4), single(at + 8)};
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
      in->mistakes++;
      lb_error_add(in->err, LB_INVALID, file,
                   "triangle %d has a coordinate that is not a finite number", i / 3 + 1);
    }
    vertex[i] = v;
  }
}

// --- ASCII ---

static void unexpected(lb_mesh_reader* in, lb_word word, const char* wanted) {
  const lb_place place = lb_scan_place(&in->scan, word.at);
  in->mistakes++;
  lb_error_add(in->err, LB_INVALID, place,
               word.size ? "expected %s, found '%s'" : "the file ends where %s should be", wanted,
               lb_word_show(word).text);
}

// The next word must be this one.
static void expect(lb_mesh_reader* in, const char* keyword, const char* wanted) {
  lb_word word;
  if (lb_mesh_reader_good(in)) {
    lb_mesh_reader_seek(in, &word);
    if (!lb_word_is(word, keyword)) {
      unexpected(in, word, wanted);
    }
  }
}

static double expect_number(lb_mesh_reader* in) {
  double value = 0;
  lb_word word;
  if (lb_mesh_reader_good(in)) {
    lb_mesh_reader_seek(in, &word);
    if (!lb_word_number(word, &value)) {
      unexpected(in, word, "a finite number");
    }
  }
  return value;
}

// A triangle, after `facet`. Normals are not used, so they may be anything.
static void read_facet(lb_mesh_reader* in, lb_vec3 vertex[3]) {
  lb_word word;
  expect(in, "normal", "'normal'");
  for (int i = 0; i < 3; i++) {
    lb_mesh_reader_seek(in, &word);
  }
  expect(in, "outer", "'outer loop'");
  expect(in, "loop", "'outer loop'");
  for (int i = 0; i < 3; i++) {
    expect(in, "vertex", "'vertex'");
    const double x = expect_number(in), y = expect_number(in);
    vertex[i] = lb_vec3_make(x, y, expect_number(in));
  }
  expect(in, "endloop", "'endloop'");
  expect(in, "endfacet", "'endfacet'");
}

// Solids one after the other; a name may follow on their first and last lines.
static void read_ascii(lb_mesh_reader* in, lb_mesh* mesh) {
  typedef struct triangle {
    lb_vec3 vertex[3];
  } triangle;
  triangle* list = NULL;
  int count = 0, room = 0;
  bool inside = true;
  expect(in, "solid", "'solid'");
  lb_scan_line(&in->scan);
  while (lb_mesh_reader_good(in)) {
    lb_word word;
    const bool more = lb_mesh_reader_seek(in, &word);
    if (inside && lb_word_is(word, "facet")) {
      list = LB_GROW(&in->scratch, list, count, &room);
      if (list) {
        read_facet(in, list[count++].vertex);
      }
    } else if (lb_word_is(word, inside ? "endsolid" : "solid")) {
      inside = !inside;
      lb_scan_line(&in->scan);
    } else if (!more && !inside) {
      break;
    } else {
      unexpected(in, word, inside ? "'facet' or 'endsolid'" : "'solid'");
    }
  }
  make_loose(&in->scratch, count, count ? list->vertex : NULL, mesh);
}

lb_status lb_mesh_parse_stl(const char* text, size_t size, const char* name, lb_arena* arena,
                            lb_mesh* mesh, lb_error* err) {
  lb_mesh_reader in;
  lb_mesh loose;
  lb_mesh_reader_open(&in, text, size, name, arena->allocator, err);
  if (lb_mesh_reader_good(&in) && is_binary(text, size)) {
    read_binary(&in, text, size, &loose);
  } else if (lb_mesh_reader_good(&in)) {
    read_ascii(&in, &loose);
  }
  const lb_status status =
      lb_mesh_reader_good(&in) ? lb_mesh_finish(&loose, name, arena, mesh, err) : LB_INVALID;
  return lb_mesh_reader_close(&in, name, status);
}
