// Reading scenes for the verbs that run them.
#include "app/load.h"

#include <math.h>

#include "app/outdir.h"
#include "app/terminal.h"

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
  static const struct {
    double unit;
    const char* name;
  } of[] = {[LB_COORDINATE_ANGLE] = {180 / M_PI, " deg"},
            [LB_COORDINATE_LENGTH] = {1, " m"},
            [LB_COORDINATE_NUMBER] = {1, ""}};
  if (!moved->name) {
    return;
  }
  const lb_place at = moved->place;
  tell_warning("%s:%d:%d: '%s' cannot start %s: for loops and constraints to hold, it is %s by "
               "%.3g%s%s (name fewer starts, or ones that fit; of those that do not, the first in "
               "the file stay)",
               at.file ? at.file : m->file, at.line, at.column, moved->name,
               moved->rate ? "as fast as this" : "here", moved->rate ? "changed" : "moved",
               moved->by * of[moved->counts].unit, of[moved->counts].name,
               moved->rate ? " a second" : "");
}

void tell_steep_friction(const lb_model* m, const lb_steep_friction* steep, double step) {
  if (!(steep->step > 0)) {
    return;
  }
  const lb_place at = m->joint_place[steep->joint];
  char taken[48], enough[48];
  tell_warning("%s:%d:%d: friction in joint '%s' is too steep for %s with steps of %s: where the "
               "joint should come to rest it will chatter and creep (take bdf2, sdirk2 or "
               "adaptive, steps of at most %s, or a 'friction_speed' %.2g times as high)",
               at.file ? at.file : m->file, at.line, at.column, m->joint_name[steep->joint],
               lb_integrator_name(m->solver.integrator), duration_text(step, taken, sizeof taken),
               duration_text(0.99 * steep->step, enough, sizeof enough), 1.05 * step / steep->step);
}
