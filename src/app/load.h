// What verbs that run scenes begin and end with.
#pragma once
#include "app/verb.h"
#include "limber/model.h"

// From a file to a scene, and from there to its model. They tell what is wrong; what they make is
// the caller's only when all went well.
exit_code load_scene(const char* path, lb_scene* scene);
exit_code load_model(const lb_scene* scene, lb_model** model);

// How a job that ended so leaves the program.
exit_code exit_code_of(lb_status outcome);
