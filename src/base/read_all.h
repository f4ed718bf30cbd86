// All that comes from a stream, be it a file or a pipe.
#pragma once
#include <stdio.h>

#include "base/arena.h"

// The bytes, in `arena`; of streams with more than `most` the first ones, more than `most` of them.
// LB_IO: reading failed, as errno says.
lb_status lb_read_all(FILE* file, size_t most, lb_arena* arena, char** text, size_t* size);
