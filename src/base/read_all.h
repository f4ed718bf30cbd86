// All that comes from a stream, be it a file or a pipe.
#pragma once
#include <stdio.h>

#include "base/arena.h"

/// What files may have, and what may come through a pipe, whose end nobody knows.
enum { LB_FILE_MOST_BYTES = 0x7fffffff, LB_PIPE_MOST_BYTES = 1 << 28 };

// The bytes, in `arena`. LB_INVALID: there are more than `most`; LB_IO: it is no file or pipe (or
// standard input, which may be anything), or reading failed. `why` then says so in words.
lb_status lb_read_all(FILE* file, size_t most, lb_arena* arena, char** text, size_t* size,
                      const char** why);

// A file or a pipe, of which nobody waits for a writer; NULL: it cannot be opened, as errno says.
FILE* lb_open_to_read(const char* path);
