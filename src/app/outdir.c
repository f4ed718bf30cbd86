// Finds, makes and tries the folder that results go to.
#include "app/outdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"
#include "output/file/whole_file.h"

void outdir_default(const char* scene, char* out, size_t size) {
  const char* slash = strrchr(scene, '/');
  const char* name = strcmp(scene, "-") == 0 ? "stdin" : slash ? slash + 1 : scene;
  const char* dot = strrchr(name, '.');
  const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(out, size, "out/%.*s", length, name);
}

// A relative path there means nothing, says the standard.
const char* cache_default(char* out, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool given = cache && *cache == '/';
  const int length = given                  ? snprintf(out, size, "%s/limber", cache)
                     : home && *home == '/' ? snprintf(out, size, "%s/.cache/limber", home)
                                            : 0;
  return length > 0 && length < (int)size ? out : NULL;
}

// Create a file in the folder and remove it again.
static bool try_writing(const char* dir) {
  static const char name[] = "/.limber-XXXXXX";
  const size_t size = strlen(dir) + sizeof name;
  char* path = malloc(size);
  if (!path) {
    return false;
  }
  snprintf(path, size, "%s%s", dir, name);
  const int file = mkstemp(path);
  if (file >= 0) {
    close(file);
    unlink(path);
  }
  free(path);
  return file >= 0;
}

bool outdir_prepare(const char* dir) {
  lb_error err = lb_error_make(NULL);
  const bool there = lb_folder_create(dir, NULL, &err) == LB_OK;
  if (!there) {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  if (there && !try_writing(dir)) {
    tell_error("%s: cannot write results there: %s", dir, strerror(errno));
    return false;
  }
  return there;
}
