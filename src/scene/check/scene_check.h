// Checking a scene: the parts share one checker.
#pragma once
#include "base/arena.h"
#include "scene/format/table.h"
#include "scene/yaml/scene_errors.h"

typedef struct lb_checker {
  const lb_scene* s;
  lb_report* report;
  const bool *body_broken, *joint_broken; // NULL: none
  lb_arena* scratch;
  bool no_memory;
  int* carrier;      // [nbody] joint of the tree that carries it, or -1
  char subject[160]; // what is being looked at: "joint 'elbow'"
  lb_place place;    // of it
  int* motor_of; // [LB_JOINT_MOST_V njoint] motor of a coordinate, counted from one, as they come
} lb_checker;

// Adds an error about the subject, at its place.
void lb_say(lb_checker* c, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Turn to the next subject.
void lb_look_at(lb_checker* c, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
#define LB_SAY(c, place, ...) lb_report_add((c)->report, LB_INVALID, place, __VA_ARGS__)

// Of the solver's `closing`, reported by the reader, who knows where it stands, and for callers.
#define LB_CLOSING_MESSAGE                                                                         \
  "'closing' is the pace of linear-euler; '%s' closes gaps at once (leave it out, or use "         \
  "integrator: linear-euler)"

bool lb_all_finite(const double* x, int count);
// Are the numbers of a spring's force curve good?
bool lb_force_curve_holds(const lb_force_curve* force_curve);

// What the rows of a table ask of the part that is looked at: numbers in range, directions of
// length one, indices of what exists. True when all holds.
bool lb_check_fields(lb_checker* c, const lb_table* table, const void* part);
// Validity of a joint by itself.
void lb_check_joint(lb_checker* c, const lb_scene_joint* joint);
// A constraint is unilateral.
bool lb_constraint_is_unilateral(const lb_scene_constraint* constraint);
// Do steps solve for servos and for unilateral constraints that yield? Else these are forces.
bool lb_scene_solves_bounds(const lb_scene* s);
// Validity of a constraint, which `part` is.
void lb_check_constraint(lb_checker* c, const void* part);
// Motions that are prescribed twice.
void lb_check_prescribed(lb_checker* c);
// The form and the materials of the elastic body or deformable that is looked at.
void lb_check_form(lb_checker* c, const lb_scene_elastic* form);
// Validity of retargeting.
void lb_check_retarget(lb_checker* c);
// Validity of an optimisation.
void lb_check_optimize(lb_checker* c);
void lb_check_collocate(lb_checker* c);
// Elastic bodies, the faces that joints name, and what may not act on them.
void lb_check_elastic(lb_checker* c);
// Validity of the file that stands for body i.
void lb_check_stored(lb_checker* c, int i);

// Validity of a fit.
void lb_check_contacts(lb_checker* c);
void lb_check_fit(lb_checker* c);

// Does a motor say where a coordinate of the joint is? -1: any of them.
bool lb_joint_is_driven(const lb_scene* scene, int joint, int coordinate);
// Has the joint such a coordinate, and is it a number whose rate is a velocity?
bool lb_coordinate_is_plain(const lb_scene_joint* joint, int coordinate);
// Is it a profile that can be made, its values aside?
bool lb_profile_times_hold(const lb_profile_definition* profile);
bool lb_profile_holds(const lb_profile_definition* profile);
// Do the coordinates of the joint measure several things, such as distances and angles?
bool lb_joint_mixes(const lb_scene_joint* joint);
