// The files that a recording becomes. trajectory.csv is written while the frames come, the others
// at the end.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "limber/analysis.h"
#include "limber/collocate.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "recording/drawn_paths.h"

struct lb_results {
  const lb_allocator* allocator;
  char* dir;
  lb_file file;    // trajectory.csv
  lb_status began; // of that one
  int lines;       // frames that are in it
  double shown;    // when what is buffered last went to it [s]
  const lb_progress* watch;
};

// --- trajectory.csv ---

static void begin_trajectory(lb_results* R, lb_error* err) {
  R->lines = 0;
  R->began = lb_file_begin(&R->file, R->dir, "trajectory.csv", R->allocator, err);
}

// Frames of slow runs reach the file soon; of others the buffer decides.
static lb_status put(void* context, const lb_recording* r, int frame, lb_error* err) {
  static const double EVERY = 0.5; // [s]
  lb_results* R = context;
  (void)err; // a file that cannot be written is told at the end, and spoils no run
  if (R->began != LB_OK) {
    return LB_OK;
  }
  if (frame == 0) {
    lb_write_csv_line(&R->file.out, r, -1);
  }
  lb_write_csv_line(&R->file.out, r, frame);
  R->lines = frame + 1;
  if (lb_clock() - R->shown > EVERY) {
    lb_out_flush(&R->file.out);
    R->shown = lb_clock();
  }
  return LB_OK;
}

lb_sink lb_results_sink(lb_results* R) {
  return (lb_sink){put, R};
}

// Frames may have been taken back, where a run blew up, or never been shown.
static lb_status end_trajectory(lb_results* R, const lb_recording* r, lb_error* err) {
  if (R->lines > r->nframe) {
    lb_file_drop(&R->file);
    begin_trajectory(R, err);
  }
  if (R->began != LB_OK) {
    return R->began;
  }
  for (int f = R->lines; f < r->nframe; f++) {
    put(R, r, f, err);
  }
  if (r->nframe == 0) {
    lb_write_csv_line(&R->file.out, r, -1);
  }
  return lb_file_end(&R->file, err);
}

// --- the others ---

static void write_gltf(lb_out* out, const lb_recording* r, const lb_summary* s) {
  if (s->retarget) {
    lb_write_gltf_retargeting(out, s, INT_MAX);
  } else if (s->fork) {
    lb_write_gltf_forks(out, r, s, INT_MAX);
  } else {
    lb_write_gltf(out, r, INT_MAX);
  }
}

typedef enum need {
  ANY,
  FIT,
  MARKERS,
  RETARGET,
  OPTIMIZE,
  COLLOCATION,
  SOLUTION,
  FORK,
  FORCES,
  CONTACTS,
  STRESS,
  TORQUES,
  REACTIONS,
  NAMED,
  STATES,
  NAMED_TORQUES,
  MUSCLES,
  SHARED,
  INERTIA
} need;

// Files in the order in which they are told of, and written: where the last is new, the others are
// done.
static const struct {
  lb_result_file file;
  void (*write)(lb_out*, const lb_recording*, const lb_summary*); // NULL: while the frames come
  need of;
} FILES[] = {
    {{"fitted.yaml", "the numbers, to put into the scene"}, lb_write_fitted, FIT},
    {{"profiles.csv", "what to send to the motors"}, lb_write_profiles, RETARGET},
    {{"profiles.yaml", "the same as splines, to put into the scene"}, lb_write_splines, RETARGET},
    {{"parameters.csv", "the numbers; 'limber simulate SCENE --parameters' plays them"},
     lb_write_parameters,
     OPTIMIZE},
    {{"compliance.csv", "how far each effector goes for each wrench"}, lb_write_compliance, FORK},
    {{"inverse.csv", "what each joint and motor exerts"}, lb_write_torques, TORQUES},
    {{"inverse.sto", "the same by the names of coordinates, for OpenSim's tools"},
     lb_write_moments,
     NAMED_TORQUES},
    {{"coordinates.sto", "coordinates by their names, for OpenSim's tools"},
     lb_write_coordinates,
     NAMED},
    {{"coordinates.mot", "the same in degrees"}, lb_write_motion, NAMED},
    {{"states.sto", "coordinates, speeds, activations and fibres, for --states and OpenSim"},
     lb_write_states,
     STATES},
    {{"lengths.sto", "lengths of the muscles' paths"}, lb_write_lengths, MUSCLES},
    {{"arms.sto", "their moment arms"}, lb_write_arms, MUSCLES},
    {{"activations.sto", "activations by static optimisation"}, lb_write_activations, SHARED},
    {{"muscle_forces.sto", "the tensions that go with them"}, lb_write_tensions, SHARED},
    {{"reserves.sto", "what muscles leave of the joint moments"}, lb_write_reserves, SHARED},
    {{"joint_loads.sto", "what passes through the joints, muscles pulling"},
     lb_write_joint_loads,
     SHARED},
    {{"inertia.csv", "part of each muscle in the inertia of each coordinate"},
     lb_write_inertia,
     INERTIA},
    {{"forces.csv", "what motors, springs, contacts and limits do"}, lb_write_forces, FORCES},
    {{"contacts.csv", "where bodies touch, and the forces there"}, lb_write_contacts, CONTACTS},
    {{"stress.csv", "the largest stress in each element of elastic bodies"},
     lb_write_stress,
     STRESS},
    {{"reactions.csv", "what passes through the joints"}, lb_write_reactions, REACTIONS},
    {{"report.html", "open it in a browser"}, lb_write_report, ANY},
    {{"scene.glb", "the animation, for Blender and glTF viewers"}, write_gltf, ANY},
    {{"trajectory.csv", "poses and coordinates over time"}, NULL, ANY},
    {{"controls.sto", "forces of motors and reserves and excitations, for OpenSim's tools"},
     lb_write_controls,
     COLLOCATION},
    {{"solution.csv", "all numbers of the search, for --resume"}, lb_write_solution, SOLUTION},
    {{"markers.csv", "where the model's markers are at the samples' times"},
     lb_write_markers,
     MARKERS},
    {{"target.csv", "the motion infinitely slowly"}, lb_write_target, RETARGET},
    {{"before.csv", "with the curves as they were"}, lb_write_before, RETARGET},
    {{"after.csv", "with the new curves"}, lb_write_after, RETARGET},
    {{"summary.json", "these figures, for programs"}, lb_write_summary, ANY}};
enum { NFILE = sizeof FILES / sizeof *FILES };

static bool is_simulated(const lb_summary* s) {
  return s->job && strcmp(s->job, "simulate") == 0;
}

// Whether what acts is known: along a motion that is looked at for its lengths alone it is not.
static bool has_forces(const lb_recording* r, const lb_summary* s) {
  return !s->analysis || r->keeps & LB_KEEP_TORQUES;
}

static bool is_there(need of, const lb_recording* r, const lb_summary* s) {
  const bool there[] = {[ANY] = true,
                        [FIT] = s->fit,
                        [MARKERS] = s->fit || s->ik,
                        [RETARGET] = s->retarget,
                        [OPTIMIZE] = s->optimize,
                        [COLLOCATION] = s->collocation,
                        [SOLUTION] = s->collocation && s->collocation->work,
                        [FORK] = s->fork,
                        [FORCES] = r->nchannel > 0 && has_forces(r, s),
                        [CONTACTS] = r->model->contact.set.on,
                        [STRESS] = lb_recording_has_stress(r),
                        [TORQUES] = r->keeps & LB_KEEP_TORQUES,
                        [REACTIONS] = r->keeps & LB_KEEP_REACTIONS,
                        [NAMED] = lb_count_named(r->model) > 0,
                        [STATES] = lb_count_named(r->model) > 0 && is_simulated(s),
                        [NAMED_TORQUES] =
                            r->keeps & LB_KEEP_TORQUES && lb_count_named(r->model) > 0,
                        [MUSCLES] = s->analysis && r->model->muscle.count > 0,
                        [SHARED] = s->analysis && s->analysis->tension,
                        [INERTIA] = s->analysis && s->analysis->inertia};
  return there[of];
}

const lb_result_file* lb_results_file(const lb_recording* r, const lb_summary* s, int i) {
  for (int k = 0; k < NFILE; k++) {
    if (is_there(FILES[k].of, r, s) && i-- == 0) {
      return &FILES[k].file;
    }
  }
  return NULL;
}

const char* lb_results_left(const char* dir, const lb_recording* r, const lb_summary* s, int i) {
  char path[PATH_MAX];
  for (int k = 0; k < NFILE; k++) {
    const int n = snprintf(path, sizeof path, "%s/%s", dir, FILES[k].file.name);
    if (!is_there(FILES[k].of, r, s) && n < (int)sizeof path && access(path, F_OK) == 0 &&
        i-- == 0) {
      return FILES[k].file.name;
    }
  }
  return NULL;
}

static lb_status write_file(const lb_results* R, int i, const lb_recording* r, const lb_summary* s,
                            lb_error* err) {
  lb_file file;
  const lb_status status = lb_file_begin(&file, R->dir, FILES[i].file.name, R->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  file.out.watch = R->watch;
  FILES[i].write(&file.out, r, s);
  return lb_file_end(&file, err);
}

// --- all of them ---

lb_status lb_results_open(const char* dir, const lb_allocator* allocator, lb_results** results,
                          lb_error* err) {
  const size_t length = strlen(dir) + 1;
  const lb_status status = lb_folder_create(dir, allocator, err);
  if (status != LB_OK) {
    return status;
  }
  lb_results* R = lb_allocate(allocator, sizeof *R + length);
  if (!R) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){.file = dir}, "out of memory");
  }
  *R = (lb_results){.allocator = allocator, .dir = (char*)(R + 1), .shown = lb_clock()};
  memcpy(R->dir, dir, length);
  begin_trajectory(R, err); // what fails for one file may work for the next
  *results = R;
  return LB_OK;
}

lb_status lb_results_close(lb_results* R, const lb_recording* r, const lb_summary* s,
                           lb_error* err) {
  lb_status first = end_trajectory(R, r, err);
  lb_drawn_paths_fill(r);
  for (int i = 0; i < NFILE; i++) {
    const bool write = FILES[i].write && is_there(FILES[i].of, r, s);
    const lb_status status = write ? write_file(R, i, r, s, err) : LB_OK;
    first = first == LB_OK ? status : first;
  }
  lb_release(R->allocator, R);
  return first;
}

void lb_results_watch(lb_results* R, const lb_progress* progress) {
  R->watch = progress;
}

void lb_results_drop(lb_results* R) {
  if (R && R->began == LB_OK) {
    lb_file_drop(&R->file);
  }
  if (R) {
    lb_release(R->allocator, R);
  }
}

lb_status lb_recording_write(const lb_recording* recording, const lb_summary* summary,
                             const char* dir, lb_error* err) {
  lb_results* R = NULL;
  const lb_status status = lb_results_open(dir, recording->allocator, &R, err);
  return status == LB_OK ? lb_results_close(R, recording, summary, err) : status;
}
