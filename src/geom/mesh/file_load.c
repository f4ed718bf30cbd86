// Whole files into memory.
#include "geom/mesh/file_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "geom/mesh/scan.h"

// All of a file's bytes. It is read in pieces, so that pipes work; each piece doubles what there
// is.
static lb_status read_all(FILE* file, lb_arena* arena, char** text, size_t* size) {
  size_t room = 1 << 16;
  *size = 0;
  *text = LB_TAKE(arena, char, room);
  while (*text) {
    *size += fread(*text + *size, 1, room - *size, file);
    if (*size < room || *size > LB_MESH_MOST_BYTES) {
      return ferror(file) ? LB_IO : LB_OK;
    }
    char* moved = LB_TAKE(arena, char, 2 * room);
    if (moved) {
      memcpy(moved, *text, *size);
    }
    *text = moved;
    room *= 2;
  }
  return LB_NO_MEMORY;
}

lb_status lb_load(const char* path, const char* what, lb_place from, lb_arena* arena, char** text,
                  size_t* size, lb_error* err) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    return lb_error_add(err, LB_IO, from, "cannot read %s '%s': %s", what, path, strerror(errno));
  }
  errno = 0;
  const lb_status status = read_all(file, arena, text, size);
  if (status == LB_IO) {
    lb_error_add(err, status, from, "cannot read %s '%s': %s", what, path, strerror(errno));
  } else if (status != LB_OK) {
    lb_error_add(err, status, from, "no memory to read %s '%s'", what, path);
  }
  fclose(file);
  return status;
}

bool lb_path_has(const char* path, const char* extension) {
  const size_t length = strlen(path), n = strlen(extension);
  return length > n && lb_word_is((lb_word){path + length - n, n}, extension);
}
