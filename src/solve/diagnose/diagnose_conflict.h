// Who works against whom where constraints cannot be closed. At the best pose found, of gaps c, the
// sum of their squares is the least: J'c = 0, as if every constraint pulled with its gap and all
// pulls were in balance. So what is open are the parties to the conflict, each with its share, and
// the motors are whose coordinates, which do not give way, are pulled at.
#pragma once
#include "base/arena.h"
#include "limber/dynamics.h"
#include "model/use/initial_pose.h"

// Rank of a party in messages.
typedef enum lb_party_rank {
  LB_PARTY_MOTOR,
  LB_PARTY_JOINT, // that maximal coordinates take apart
  LB_PARTY_LOOP,
  LB_PARTY_CONSTRAINT
} lb_party_rank;

typedef struct lb_conflict {
  const lb_model* m;
  int count;           // constraints by lb_constraint_gap's numbers, then motors
  double* share;       // [count] its worst gap, or a part of the worst of all for motors; 0:
                       // it is no party
  bool velocity_level; // the gap is that of a rate
  int main;            // the one to name first
  bool excess;         // they prescribe more than the joints leave free, in any pose
} lb_conflict;

// At d's state, with its numbers in the arena. LB_NO_MEMORY.
lb_status lb_conflict_find(const lb_model* m, lb_data* d, lb_arena* arena, lb_conflict* C);

// Before a run from d's state to a time: who prescribes what the joints do not let move in any
// pose, by its number in `share`, or -1. LB_NO_MEMORY.
lb_status lb_conflict_foresee(const lb_model* m, const lb_data* d, double until, int* which);

// Name of a party in the scene, and its place there.
typedef struct lb_constraint_title {
  const char* name;
  const char* kind; // as titles of constraints are
  lb_place place;
} lb_constraint_title;

lb_party_rank lb_conflict_rank(const lb_conflict* C, int party);
lb_constraint_title lb_conflict_title(const lb_conflict* C, int party);
// Motor or constraint, not a joint that holds bodies together.
bool lb_conflict_prescribes(const lb_conflict* C, int party);
