// Names and what they stand for: a hash table in an arena, and the search for the name that an
// author most likely meant.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct lb_names {
  int count, capacity;
  const char** text; // [count] in the order they came
  int* value;        // [count]
  int slots;         // a power of two, or 0
  int* slot;         // [slots] one more than an index above; 0: empty
} lb_names;

// Value of `name`, or `otherwise`.
int lb_names_find(const lb_names* names, const char* name, int otherwise);

// Add a name that is not there yet; it is not copied. False when there is no memory.
bool lb_names_add(lb_names* names, lb_arena* arena, const char* name, int value);

// How many edits (insert, remove, replace, swap neighbours) lead from a to b, not counting case;
// `most` + 1 when more than `most` are needed.
int lb_edit_distance(const char* a, const char* b, int most);

// The nearest of several texts to what was written, kept while candidates are offered one by one.
typedef struct lb_nearest {
  const char* wanted;
  const char* best; // NULL: nothing is near
  int distance;
} lb_nearest;

lb_nearest lb_nearest_to(const char* wanted);
void lb_nearest_offer(lb_nearest* nearest, const char* candidate);
