// Files that stand beside OpenSim's models: setups of its tools, and what these name. They are read
// as models are, element by element; what nobody asked for is named by its line.
#pragma once
#include "scene/opensim/osim.h"
#include "scene/opensim/osim_tool.h"

// A file that is open, with the elements that a document may have at its top.
typedef struct lb_setup {
  lb_reader r;
  lb_osim o; // whose `model` is the element that was found
  const char *file, *folder;
  lb_xml* root;
} lb_setup;

// Read a file into the arena, and find the first of these elements, up to NULL, in it. On success
// it must be closed.
lb_status lb_setup_open(lb_setup* s, const char* path, const char* const* element, lb_arena* arena,
                        lb_error* err);
// Whether all was well. Elements that were not asked for become notes, `*notes`, in the arena.
lb_status lb_setup_close(lb_setup* s, int* nnote, const lb_message** notes);

// The file that a property names. Its place is the property's, or the object's without one.
lb_osim_file lb_setup_file(lb_setup* s, lb_xml* object, const char* tag);

// Weights of markers in an IKTaskSet, which may be NULL.
void lb_setup_tasks(lb_setup* s, lb_xml* set, int* count, const lb_osim_task** task);

// A force on a body over time: what it acts on, along whose axes, and the beginnings of its
// columns' names.
typedef struct lb_load_columns {
  const char* name;
  lb_place place;
  const char *body, *force_in, *point_in; // names; NULL: the world
  const char *force, *point, *torque;     // NULL: none
} lb_load_columns;

// ExternalLoads.
typedef struct lb_osim_loads {
  int count;
  lb_load_columns* item;
  lb_osim_file data; // table
  int nnote;
  const lb_message* note;
} lb_osim_loads;

lb_status lb_osim_loads_read(const char* path, lb_arena* arena, lb_osim_loads* loads,
                             lb_error* err);
