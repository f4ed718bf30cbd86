// Reduced bodies that were made before: files in a folder, named by a hash of all that they were
// made from. Two programs may use a folder at once, since files are written aside and renamed. What
// cannot be read, or holds another body, is as good as not there.
#pragma once
#include "elastic/reduced/stored.h"

/// The body that was made of mesh, materials and faces of `in` with these options, in `arena`;
/// false: there is none.
bool lb_cache_find(const char* folder, const lb_stored_input* in, const lb_basis_options* basis,
                   lb_arena* arena, lb_stored* stored);

/// Keep a body that was made; where that fails, it is made again next time.
void lb_cache_keep(const char* folder, const lb_stored_input* in, const lb_basis_options* basis,
                   const lb_allocator* allocator);
