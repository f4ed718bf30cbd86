// Finds and tries the folder that results go to.
#include "app/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"
#include "geom/mesh/file_load.h"
#include "scene/yaml/yaml_node.h"

void outdir_default(const char* scene, const char* inside, char* out, size_t size) {
  const char* slash = strrchr(scene, '/');
  const char* name = strcmp(scene, "-") == 0 ? "stdin" : slash ? slash + 1 : scene;
  const char* dot = strrchr(name, '.');
  const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(out, size, "out/%.*s%s%s", length, name, inside ? "/" : "", inside ? inside : "");
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

// --- other runs ---

// Is it half a file of a run that is dead, ".NAME.PID-NUMBER.part"?
static bool is_left(const char* name) {
  const char* end = strstr(name, ".part");
  const char* dash = strrchr(name, '-');
  if (*name != '.' || !end || end[strlen(".part")] || !dash) {
    return false;
  }
  const char* dot = dash;
  while (dot > name && *dot != '.') {
    dot--;
  }
  const long pid = strtol(dot + 1, NULL, 10);
  return pid > 0 && (pid == (long)getpid() || (kill((pid_t)pid, 0) != 0 && errno == ESRCH));
}

static void remove_left(const char* dir) {
  DIR* folder = opendir(dir);
  for (struct dirent* e; folder && (e = readdir(folder));) {
    if (is_left(e->d_name)) {
      unlinkat(dirfd(folder), e->d_name, 0);
    }
  }
  if (folder) {
    closedir(folder);
  }
}

// --- other scenes ---

// What the summary of a folder says under a key, or NULL.
static const char* summary_of(const char* dir, const char* key, lb_arena* arena) {
  char path[4200];
  char* text = NULL;
  size_t size = 0;
  bool lack = false;
  lb_report report = lb_report_make(NULL);
  snprintf(path, sizeof path, "%s/summary.json", dir);
  const lb_status status = lb_load(path, "summary", (lb_place){0}, arena, &text, &size, NULL);
  const lb_yaml* all =
      status == LB_OK ? lb_yaml_parse(text, size, path, arena, &report, &lack) : NULL;
  const lb_yaml* found = lb_is_map(all) ? lb_yaml_find(all, key) : NULL;
  return lb_is_scalar(found) && !lb_is_null(found) ? found->text : NULL;
}

// Searches take long, so that their results are not overwritten by something else.
static bool is_search(const char* job) {
  static const char* const SEARCHES[] = {"retarget", "optimize", "fit", "reduce", "track"};
  bool any = false;
  for (size_t i = 0; i < sizeof SEARCHES / sizeof *SEARCHES; i++) {
    any = any || strcmp(job, SEARCHES[i]) == 0;
  }
  return any;
}

// A scene that is no longer there was renamed, or does not mind.
static bool is_free(const char* dir, const char* scene, const char* job) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const char* known = summary_of(dir, "scene_path", &arena);
  const char* before = summary_of(dir, "job", &arena);
  char* own = realpath(scene, NULL);
  const bool other = known && access(known, F_OK) == 0 && (!own || strcmp(known, own) != 0);
  if (other) {
    tell_error("%s: the results of another scene are there, %s (choose another folder with "
               "--out, or overwrite them with --force)",
               dir, known);
  }
  const bool search = !other && before && is_search(before) && strcmp(before, job) != 0;
  if (search) {
    tell_error("%s: the results of 'limber %s' are there (choose another folder with --out, or "
               "overwrite them with --force)",
               dir, before);
  }
  free(own);
  lb_arena_release(&arena);
  return !other && !search;
}

bool outdir_prepare(const char* dir, const char* scene, const char* job, bool force) {
  if (!try_writing(dir)) {
    tell_error("%s: cannot write results there: %s", dir, strerror(errno));
    return false;
  }
  remove_left(dir);
  return force || is_free(dir, scene, job);
}
