// limber new: a small scene with comments, to begin with.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/suggest.h"
#include "app/template.h"
#include "app/terminal.h"
#include "app/verb.h"

#define EMBEDDED(name, symbol, about)                                                              \
  extern const char lb_embedded_template_##symbol[], lb_embedded_template_##symbol##_end[];
TEMPLATE_LIST(EMBEDDED)

static const struct {
  const char *name, *about, *text, *end;
} TEMPLATES[] = {
#define TEMPLATE(name, symbol, about)                                                              \
  {name, about, lb_embedded_template_##symbol, lb_embedded_template_##symbol##_end},
    TEMPLATE_LIST(TEMPLATE)};
enum { NTEMPLATE = sizeof TEMPLATES / sizeof *TEMPLATES };

static exit_code unknown(const char* name) {
  const char* best = NULL;
  int distance = 0;
  for (int i = 0; i < NTEMPLATE; i++) {
    suggest_nearer(name, TEMPLATES[i].name, &best, &distance);
  }
  if (best) {
    tell_error("there is no template '%s' (did you mean '%s'?)", name, best);
  } else {
    tell_error("there is no template '%s'; 'limber new --help' lists them", name);
  }
  return EXIT_INPUT;
}

// A file that is there is somebody's work.
static exit_code write_file(const verb_args* a, const char* path, const char* text, size_t size) {
  FILE* file = fopen(path, a->force ? "w" : "wx");
  if (!file && errno == EEXIST) {
    tell_error("%s: the file is there already (choose another name, or --force)", path);
    return EXIT_INPUT;
  }
  const bool written = file && fwrite(text, 1, size, file) == size;
  const bool closed = file && fclose(file) == 0;
  if (!written || !closed) {
    tell_error("%s: the file cannot be written: %s", path, strerror(errno));
    return EXIT_JOB;
  }
  if (!a->quiet) {
    say(stdout, "%s is there; change it, and try 'limber simulate %s'", path, path);
  }
  return EXIT_DONE;
}

exit_code new_scene(const verb_args* a, int nplain, char** words) {
  for (int i = 0; i < NTEMPLATE; i++) {
    const size_t size = (size_t)(TEMPLATES[i].end - TEMPLATES[i].text);
    char name[64];
    if (strcmp(words[0], TEMPLATES[i].name) != 0) {
      continue;
    }
    if (nplain > 1 && strcmp(words[1], "-") == 0) {
      fwrite(TEMPLATES[i].text, 1, size, stdout);
      return EXIT_DONE;
    }
    snprintf(name, sizeof name, "%s.yaml", TEMPLATES[i].name);
    return write_file(a, nplain > 1 ? words[1] : name, TEMPLATES[i].text, size);
  }
  return unknown(words[0]);
}
