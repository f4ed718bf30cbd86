// Whole files into memory, for the readers.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

/// Longer files are refused: it keeps every count within an int.
enum { LB_MESH_MOST_BYTES = 1 << 30 };

/// All of a file's bytes, in `arena`. A file that cannot be read is reported as a `what` ("mesh
/// file") at `from`, the place that names it.
lb_status lb_load(const char* path, const char* what, lb_place from, lb_arena* arena, char** text,
                  size_t* size, lb_error* err);

/// The same for a file of up to `most` bytes; where there are more, `remedy` says what to do.
lb_status lb_load_up_to(const char* path, const char* what, lb_place from, size_t most,
                        const char* remedy, lb_arena* arena, char** text, size_t* size,
                        lb_error* err);

/// Whether the file may be read. If not, that is reported as `lb_load` does.
lb_status lb_load_check(const char* path, const char* what, lb_place from, lb_error* err);

/// True where the path ends so (without regard to case). `extension` is in lower case, with its
/// dot.
bool lb_path_has(const char* path, const char* extension);
