// limber examples: the scenes that were installed with the program, a line each.
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"
#include "app/verb.h"
#include "geom/mesh/file_load.h"
#include "scene/yaml/yaml_node.h"

// Where scenes are, seen from the program: installed, or in the tree it was built in.
static bool find_scenes(char* out, size_t size) {
  static const char* const PLACES[] = {"../share/limber/scenes", "../../scenes", "scenes"};
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = 0;
  char* slash = strrchr(self, '/');
  *(slash ? slash : self) = 0;
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    char path[PATH_MAX + 64], found[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", self, PLACES[i]);
    if (realpath(path, found)) {
      snprintf(out, size, "%s", found);
      return true;
    }
  }
  tell_error("the scenes are not where the program was installed (see share/limber/scenes)");
  return false;
}

static int is_scene(const struct dirent* e) {
  return lb_path_has(e->d_name, ".yaml");
}

// A sentence, or what there is of it on a line.
static void print_one(const char* dir, const char* file) {
  char path[PATH_MAX + 300], about[80] = "";
  char* text = NULL;
  size_t size = 0;
  bool lack = false;
  lb_arena arena;
  lb_report report = lb_report_make(NULL);
  lb_arena_init(&arena, NULL);
  snprintf(path, sizeof path, "%s/%s", dir, file);
  const lb_status status = lb_load(path, "scene", (lb_place){0}, &arena, &text, &size, NULL);
  const lb_yaml* root =
      status == LB_OK ? lb_yaml_parse(text, size, path, &arena, &report, &lack) : NULL;
  const lb_yaml* node = lb_is_map(root) ? lb_yaml_find(root, "about") : NULL;
  if (lb_is_scalar(node)) {
    const char* end = strstr(node->text, ". ");
    const size_t sentence = end ? (size_t)(end - node->text) + 1 : strlen(node->text);
    const bool cut = sentence >= sizeof about;
    snprintf(about, sizeof about, "%.*s", (int)sentence, node->text);
    if (cut) {
      memcpy(about + sizeof about - 4, "...", 4);
    }
  }
  if (!say_json(stdout, "example", path, about)) {
    say(stdout, "  %-24s %s", file, about);
  }
  lb_arena_release(&arena);
}

exit_code list_examples(const verb_args* a, int nplain, char** words) {
  char dir[PATH_MAX];
  struct dirent** entry = NULL;
  (void)a;
  (void)nplain;
  (void)words;
  if (!find_scenes(dir, sizeof dir)) {
    return EXIT_JOB;
  }
  const int count = scandir(dir, &entry, is_scene, alphasort);
  if (!say_json(stdout, "folder", NULL, dir)) {
    say(stdout, "Scenes in %s, to run and to copy from:", dir);
  }
  for (int i = 0; i < count; i++) {
    print_one(dir, entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
  return EXIT_DONE;
}
