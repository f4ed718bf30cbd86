// Finds, makes and tries the folder that results go to.
#include "app/outdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/terminal.h"

void outdir_default(const char* scene, char* out, size_t size) {
  const char* slash = strrchr(scene, '/');
  const char* name = slash ? slash + 1 : scene;
  const char* dot = strrchr(name, '.');
  const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(out, size, "out/%.*s", length, name);
}

// mkdir -p; `path` is changed on the way and back as it was.
static bool make_folders(char* path) {
  for (char* p = path + 1; *p; p++) {
    if (*p == '/') {
      *p = 0;
      const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
      *p = '/';
      if (!made) {
        return false;
      }
    }
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
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
  char* path = strdup(dir);
  const bool good = path && make_folders(path) && try_writing(path);
  if (!good) {
    tell_error("%s: cannot write results there: %s", dir, strerror(errno));
  }
  free(path);
  return good;
}
