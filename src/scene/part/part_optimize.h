// Optimisation in two files: numbers that may change, and goals.
#pragma once
#include "scene/part/part.h"

typedef struct lb_owned {
  lb_owner owner;
  int index;
} lb_owned;

// Owners of numbers.
typedef struct lb_owner_sort {
  lb_owner owner[3];
  int count;  // of these
  bool free;  // of bodies: those that no joint carries
  int number; // of forces: stiffness, damping or length
  const char* words;
} lb_owner_sort;

// Number of owners of a sort.
int lb_count_owners(const lb_scene* scene, lb_owner owner);
bool lb_find_owner(lb_reader* r, const lb_owner_sort* sort, const lb_yaml* name, lb_owned* out);
// The number of the scene's text that a name stands for, and its dimension (part_numbers.c).
typedef bool lb_number_finder(lb_reader* r, const lb_yaml* name, lb_scene_parameter* to,
                              lb_dimension* dimension);
lb_number_finder lb_find_bar, lb_find_number;
// Name of a dimension's SI unit; "": it has none.
const char* lb_si_unit(lb_dimension dimension);
// Is its place a set of numbers, which no quaternion is?
bool lb_joint_has_numbers(const lb_scene_joint* joint);

// Goals on stiffness at effectors (goal_stiffness.c): what `name` stands for and its keys.
bool lb_read_stiffness_goal(lb_reader* r, const lb_yaml* node, const lb_yaml* name,
                            lb_scene_goal* to);
void lb_check_stiffness_goal(lb_checker* c, const lb_scene_goal* g);

extern const lb_table lb_parameter_table, lb_goal_table;
