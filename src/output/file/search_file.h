// Where a search for curves stands, as a file: written after every iteration, so that work which
// was stopped or killed goes on from there.
#pragma once
#include <stdint.h>

#include "limber/retarget.h"

// Values of the input and after each iteration so far, in memory that grows.
typedef struct lb_search_history {
  int count, capacity;
  lb_retarget_value* value; // [count]
  const lb_allocator* allocator;
} lb_search_history;

lb_status lb_search_note(lb_search_history* history, const lb_retarget_value* value);

// Key of a search: a number that changes with the input, the targets and the wishes.
uint64_t lb_search_key(const lb_model* model, const lb_retarget* retarget, const lb_curves* input,
                       const lb_targets* targets, double step);

// Write DIR/retarget.state, aside and renamed.
lb_status lb_search_save(const char* dir, uint64_t key, const lb_retarget_state* state,
                         const lb_search_history* history, lb_error* err);

// Read it into a state at the input's curves, with the method that is to go on, and an empty
// history; `found` tells whether there was one. LB_INVALID when it belongs to something else or is
// damaged, LB_IO when it cannot be read;
// all is then as it was.
lb_status lb_search_load(const char* dir, uint64_t key, lb_retarget_state* state,
                         lb_search_history* history, bool* found, lb_error* err);
