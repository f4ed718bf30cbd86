// STL: binary and ASCII. Which of the two a file is cannot be told from its first word, for many
// binary ones start with "solid" too; the length decides, which a binary file's count fixes.
#include <stdint.h>
#include <string.h>

#include "geom/mesh/scan.h"
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

// The next word, on this line or a later one; the text's end gives an empty one.
static lb_word next_word(lb_scan* scan) {
  lb_word word;
  while (!lb_scan_word(scan, &word)) {
    if (!lb_scan_line(scan)) {
      return (lb_word){scan->at, 0};
    }
  }
  return word;
}

static bool is_binary(const char* text, size_t size) {
  if (size >= HEADER + COUNT && promised(text) == size) {
    return true;
  }
  // other than text: broken, but broken as a binary file
  const size_t look = size < 512 ? size : 512;
  lb_scan scan = lb_scan_begin(text, size, NULL);
  return size == 0 || memchr(text, 0, look) || !lb_word_is(next_word(&scan), "solid");
}

// A mesh in which every face has its own three vertices.
static bool make_loose(lb_arena* arena, int nface, lb_mesh* mesh) {
  *mesh = (lb_mesh){3 * nface, nface, LB_TAKE(arena, lb_vec3, 3 * (size_t)nface),
                    LB_TAKE(arena, int, 3 * (size_t)nface)};
  for (int i = 0; mesh->face && i < 3 * nface; i++) {
    mesh->face[i] = i;
  }
  return mesh->vertex && mesh->face;
}

static lb_status no_memory(lb_error* err, lb_place file) {
  return lb_error_add(err, LB_NO_MEMORY, file, "no memory to read this mesh");
}

static lb_status read_binary(const char* text, size_t size, lb_place file, lb_arena* scratch,
                             lb_mesh* mesh, lb_error* err) {
  if (size < HEADER + COUNT) {
    return lb_error_add(err, LB_INVALID, file,
                        "not an STL file: text starts with 'solid' and binary has %d bytes or more",
                        HEADER + COUNT);
  }
  const uint32_t count = little_endian(text + HEADER);
  if (promised(text) > size) {
    return lb_error_add(err, LB_INVALID, file,
                        "not an STL file, or cut short: text starts with 'solid', and as a binary "
                        "file it would have %llu bytes for its %lu triangles, not %zu",
                        (unsigned long long)promised(text), (unsigned long)count, size);
  }
  if (!make_loose(scratch, (int)count, mesh)) {
    return no_memory(err, file);
  }
  for (int i = 0; i < mesh->nvertex; i++) {
    // after each triangle's normal its vertices
    const char* at =
        text + HEADER + COUNT + (size_t)TRIANGLE * (size_t)(i / 3) + 12 + 12 * (size_t)(i % 3);
    const lb_vec3 v = {single(at), single(at + 4), single(at + 8)};
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
      return lb_error_add(err, LB_INVALID, file,
                          "triangle %d has a coordinate that is not a finite number", i / 3 + 1);
    }
    mesh->vertex[i] = v;
  }
  return LB_OK;
}

// --- ASCII ---

typedef struct reader {
  lb_scan scan;
  lb_arena* scratch;
  lb_error* err;
  int nvertex, room;
  lb_vec3* vertex;
} reader;

static lb_status unexpected(reader* r, lb_word word, const char* wanted) {
  const lb_place place = lb_scan_place(&r->scan, word.at);
  if (!word.size) {
    return lb_error_add(r->err, LB_INVALID, place, "the file ends where %s should be", wanted);
  }
  return lb_error_add(r->err, LB_INVALID, place, "expected %s, found '%s'", wanted,
                      lb_word_show(word).text);
}

static lb_status expect(reader* r, const char* keyword, const char* wanted) {
  const lb_word word = next_word(&r->scan);
  return lb_word_is(word, keyword) ? LB_OK : unexpected(r, word, wanted);
}

static lb_status read_vertex(reader* r) {
  double number[3];
  lb_status status = expect(r, "vertex", "'vertex'");
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    const lb_word word = next_word(&r->scan);
    status = lb_word_number(word, &number[i]) ? LB_OK : unexpected(r, word, "a finite number");
  }
  if (status != LB_OK) {
    return status;
  }
  lb_vec3* moved = LB_GROW(r->scratch, r->vertex, r->nvertex, &r->room);
  if (!moved) {
    return no_memory(r->err, (lb_place){r->scan.file, 0, 0});
  }
  r->vertex = moved;
  r->vertex[r->nvertex++] = lb_vec3_make(number[0], number[1], number[2]);
  return LB_OK;
}

// What follows `facet`. Normals are not used, so they may be anything.
static lb_status read_facet(reader* r) {
  lb_status status = expect(r, "normal", "'normal'");
  for (int i = 0; i < 3; i++) {
    next_word(&r->scan);
  }
  if (status == LB_OK) {
    status = expect(r, "outer", "'outer loop'");
  }
  if (status == LB_OK) {
    status = expect(r, "loop", "'outer loop'");
  }
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    status = read_vertex(r);
  }
  if (status == LB_OK) {
    status = expect(r, "endloop", "'endloop'");
  }
  return status == LB_OK ? expect(r, "endfacet", "'endfacet'") : status;
}

// Solids one after the other; a name may follow on their first and last lines.
static lb_status read_solids(reader* r) {
  lb_status status = expect(r, "solid", "'solid'");
  bool inside = true;
  lb_scan_line(&r->scan);
  while (status == LB_OK) {
    const lb_word word = next_word(&r->scan);
    if (inside && lb_word_is(word, "facet")) {
      status = read_facet(r);
    } else if (lb_word_is(word, inside ? "endsolid" : "solid")) {
      inside = !inside;
      lb_scan_line(&r->scan);
    } else if (!word.size && !inside) {
      return LB_OK;
    } else {
      return unexpected(r, word, inside ? "'facet' or 'endsolid'" : "'solid'");
    }
  }
  return status;
}

static lb_status read_ascii(const char* text, size_t size, lb_place file, lb_arena* scratch,
                            lb_mesh* mesh, lb_error* err) {
  reader r = {.scan = lb_scan_begin(text, size, file.file), .scratch = scratch, .err = err};
  const lb_status status = read_solids(&r);
  if (status != LB_OK) {
    return status;
  }
  *mesh = (lb_mesh){r.nvertex, r.nvertex / 3, r.vertex, LB_TAKE(scratch, int, r.nvertex)};
  if (!mesh->face) {
    return no_memory(err, file);
  }
  for (int i = 0; i < r.nvertex; i++) {
    mesh->face[i] = i;
  }
  return LB_OK;
}

lb_status lb_mesh_parse_stl(const char* text, size_t size, const char* name, lb_arena* arena,
                            lb_mesh* mesh, lb_error* err) {
  const lb_place file = {name, 0, 0};
  if (size > LB_MESH_MOST_BYTES) {
    return lb_error_add(err, LB_INVALID, file, "the file is too long");
  }
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_mesh loose;
  lb_status status = is_binary(text, size) ? read_binary(text, size, file, &scratch, &loose, err)
                                           : read_ascii(text, size, file, &scratch, &loose, err);
  if (status == LB_OK) {
    status = lb_mesh_finish(&loose, name, arena, mesh, err);
  }
  lb_arena_release(&scratch);
  return status;
}
