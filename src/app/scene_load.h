// What verbs that run scenes begin and end with.
#pragma once
#include "app/verb.h"
#include "limber/recording.h"

// What a verb does with a scene, once that is read: `args` are its options, `plain` its other
// words.
typedef exit_code scene_job(lb_scene* scene, void* args, char** plain);

// How every one of them begins and ends: read the command line into `args`, where `out` is the
// folder for results and gets its default, and the scene it names first; do the job; release the
// scene. What is wrong on the way is told.
exit_code run_scene(const verb* v, int narg, char** words, void* args, const char** out,
                    scene_job* job);

// From a scene to its model. It tells what is wrong; the model is the caller's only when all went
// well.
exit_code load_model(const lb_scene* scene, lb_model** model);

// Warn of friction that steps of this length are too long for.
void tell_moved_start(const lb_model* m, const lb_moved_start* moved);
void tell_steep_friction(const lb_model* m, const lb_steep_friction* steep, double step);

// How a job that ended so leaves the program.
exit_code exit_code_of(lb_status outcome);
