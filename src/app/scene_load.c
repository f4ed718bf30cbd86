// Reading scenes for the verbs that run them.
#include "app/scene_load.h"

#include "app/outdir.h"
#include "app/terminal.h"
#include "job/job_text.h"

enum { WARNING = 1200 };

// What a scene does wrong is bad input, unreadable files too.
static exit_code tell(lb_status status, lb_error* err) {
  if (status != LB_OK) {
    tell_errors(err);
  }
  lb_error_clear(err);
  return status == LB_OK ? EXIT_DONE : status == LB_NO_MEMORY ? EXIT_JOB : EXIT_INPUT;
}

static exit_code load_scene(const char* path, lb_scene* scene) {
  lb_error err = lb_error_make(NULL);
  return tell(lb_scene_read(path, NULL, scene, &err), &err);
}

exit_code load_model(const lb_scene* scene, lb_model** model) {
  lb_error err = lb_error_make(NULL);
  return tell(lb_model_create(scene, NULL, model, &err), &err);
}

exit_code run_scene(const verb* v, int narg, char** words, void* args, const char** out,
                    scene_job* job) {
  char folder[4096];
  int nplain = 0;
  exit_code code = EXIT_DONE;
  if (!verb_parse(v, narg, words, args, &nplain, &code)) {
    return code;
  }
  const char* named = *out;
  if (!named) {
    outdir_default(words[0], folder, sizeof folder);
    *out = folder;
  }
  lb_scene scene;
  code = load_scene(words[0], &scene);
  if (code == EXIT_DONE) {
    code = job(&scene, args, words);
    lb_scene_release(&scene);
  }
  *out = named; // the default ends with this function
  return code;
}

exit_code exit_code_of(lb_status outcome) {
  static const exit_code code_of[] = {
      [LB_OK] = EXIT_DONE, [LB_INVALID] = EXIT_INPUT, [LB_NO_MEMORY] = EXIT_JOB,
      [LB_IO] = EXIT_JOB,  [LB_FAILED] = EXIT_JOB,    [LB_INTERRUPTED] = EXIT_INTERRUPTED};
  return code_of[outcome];
}

void tell_moved_start(const lb_model* m, const lb_moved_start* moved) {
  char text[WARNING];
  if (lb_text_moved_start(m, moved, text, sizeof text) > 0) {
    tell_warning("%s", text);
  }
}

void tell_steep_friction(const lb_model* m, const lb_steep_friction* steep, double step) {
  char text[WARNING];
  if (lb_text_steep_friction(m, steep, step, text, sizeof text) > 0) {
    tell_warning("%s", text);
  }
}
