// Mesh files: from a path to the reader of its format.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "geom/mesh.h"
#include "geom/scan.h"

typedef struct format {
  const char* extension;
  lb_status (*parse)(const char* text, size_t size, const char* name, lb_arena* arena,
                     lb_mesh* mesh, lb_error* err);
} format;

static const format* format_of(const char* path) {
  static const format known[] = {{".obj", lb_mesh_parse_obj}, {".stl", lb_mesh_parse_stl}};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const size_t n = strlen(known[i].extension);
    if (length > n && lb_word_is((lb_word){path + length - n, n}, known[i].extension)) {
      return &known[i];
    }
  }
  return NULL;
}

// All of a file's bytes. It is read in pieces, so that pipes work; each piece doubles what there
// is.
static lb_status read_all(FILE* file, lb_arena* scratch, char** text, size_t* size) {
  size_t room = 1 << 16;
  *size = 0;
  *text = LB_TAKE(scratch, char, room);
  while (*text) {
    *size += fread(*text + *size, 1, room - *size, file);
    if (*size < room || *size > LB_MESH_MOST_BYTES) {
      return ferror(file) ? LB_IO : LB_OK;
    }
    char* moved = LB_TAKE(scratch, char, 2 * room);
    if (moved) {
      memcpy(moved, *text, *size);
    }
    *text = moved;
    room *= 2;
  }
  return LB_NO_MEMORY;
}

lb_status lb_mesh_read(const char* path, lb_place from, lb_arena* arena, lb_mesh* mesh,
                       lb_error* err) {
  const format* known = format_of(path);
  if (!known) {
    return lb_error_add(err, LB_INVALID, from,
                        "the format of mesh file '%s' is not known (.obj and .stl are)", path);
  }
  FILE* file = fopen(path, "rb");
  if (!file) {
    return lb_error_add(err, LB_IO, from, "cannot read mesh file '%s': %s", path, strerror(errno));
  }
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  char* text;
  size_t size;
  errno = 0;
  lb_status status = read_all(file, &scratch, &text, &size);
  if (status == LB_OK) {
    status = known->parse(text, size, path, arena, mesh, err);
  } else if (status == LB_IO) {
    lb_error_add(err, status, from, "cannot read mesh file '%s': %s", path, strerror(errno));
  } else {
    lb_error_add(err, status, from, "no memory to read mesh file '%s'", path);
  }
  fclose(file);
  lb_arena_release(&scratch);
  return status;
}
