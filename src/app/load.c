// Reading scenes for the verbs that run them.
#include "app/load.h"

#include "app/terminal.h"

// What a scene does wrong is bad input, unreadable files too.
static exit_code tell(lb_status status, lb_error* err) {
  if (status != LB_OK) {
    tell_errors(err);
  }
  lb_error_clear(err);
  return status == LB_OK ? EXIT_DONE : status == LB_NO_MEMORY ? EXIT_JOB : EXIT_INPUT;
}

exit_code load_scene(const char* path, lb_scene* scene) {
  lb_error err = lb_error_make(NULL);
  return tell(lb_scene_read(path, NULL, scene, &err), &err);
}

exit_code load_model(const lb_scene* scene, lb_model** model) {
  lb_error err = lb_error_make(NULL);
  return tell(lb_model_create(scene, NULL, model, &err), &err);
}

exit_code exit_code_of(lb_status outcome) {
  static const exit_code code_of[] = {
      [LB_OK] = EXIT_DONE, [LB_INVALID] = EXIT_INPUT, [LB_NO_MEMORY] = EXIT_JOB,
      [LB_IO] = EXIT_JOB,  [LB_FAILED] = EXIT_JOB,    [LB_INTERRUPTED] = EXIT_INTERRUPTED};
  return code_of[outcome];
}
