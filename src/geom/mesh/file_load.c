// Whole files into memory.
#include "geom/mesh/file_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "geom/mesh/scan.h"

static lb_status complain(const char* path, const char* what, lb_place from, lb_error* err) {
  return lb_error_add(err, LB_IO, from, "cannot read %s '%s': %s", what, path, strerror(errno));
}

lb_status lb_load_check(const char* path, const char* what, lb_place from, lb_error* err) {
  return access(path, R_OK) == 0 ? LB_OK : complain(path, what, from, err);
}

lb_status lb_load(const char* path, const char* what, lb_place from, lb_arena* arena, char** text,
                  size_t* size, lb_error* err) {
  return lb_load_up_to(path, what, from, LB_FILE_MOST_BYTES, "", arena, text, size, err);
}

lb_status lb_load_up_to(const char* path, const char* what, lb_place from, size_t most,
                        const char* remedy, lb_arena* arena, char** text, size_t* size,
                        lb_error* err) {
  FILE* file = lb_open_to_read(path);
  if (!file) {
    return complain(path, what, from, err);
  }
  const char* why = NULL;
  const lb_status status = lb_read_all(file, most, arena, text, size, &why);
  fclose(file);
  if (status == LB_NO_MEMORY) {
    lb_error_add(err, status, from, "no memory to read %s '%s'", what, path);
  } else if (status != LB_OK) {
    lb_error_add(err, status, from, "cannot read %s '%s': %s%s", what, path, why,
                 status == LB_INVALID ? remedy : "");
  }
  return status;
}

bool lb_path_has(const char* path, const char* extension) {
  const size_t length = strlen(path), n = strlen(extension);
  return length > n && lb_word_is((lb_word){path + length - n, n}, extension);
}
