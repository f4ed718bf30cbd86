// Reader of a mesh file's text: words and numbers, each of which may be wrong or missing. What goes
// wrong is remembered: numbers are 0 from then on, so that a format asks once, at the end.
#pragma once
#include "base/arena.h"
#include "geom/mesh/scan.h"
#include "limber/math.h"

typedef struct lb_mesh_reader {
  lb_scan scan;
  lb_arena scratch;
  lb_error* err;
  int mistakes;
} lb_mesh_reader;

enum { LB_MESH_MOST_MISTAKES = 20 }; ///< a file with more is something else

/// Begin with a text; a file that is too long is a mistake.
void lb_mesh_reader_open(lb_mesh_reader* r, const char* text, size_t size, const char* name,
                         const lb_allocator* allocator, lb_error* err);
/// Go on with another text.
void lb_mesh_reader_next(lb_mesh_reader* r, const char* text, size_t size, const char* name);
/// Let go of the scratch memory. LB_NO_MEMORY, with its message at `name`, where there was not
/// enough; LB_INVALID after mistakes; else `status`.
lb_status lb_mesh_reader_close(lb_mesh_reader* r, const char* name, lb_status status);

/// No mistake so far, and memory enough.
bool lb_mesh_reader_good(const lb_mesh_reader* r);
/// Report a mistake at `at`; `text` holds one %s, for the word.
void lb_mesh_reader_mistake(lb_mesh_reader* r, const char* at, const char* text, lb_word word);
/// A mistake that no word is to blame for.
void lb_mesh_reader_complain(lb_mesh_reader* r, const char* at, const char* text);

/// The next word, in this line or a later one; false at the text's end.
bool lb_mesh_reader_seek(lb_mesh_reader* r, lb_word* word);
/// Next word; the text's end is an error, and gives an empty word.
lb_word lb_mesh_reader_word(lb_mesh_reader* r);
/// The next words as numbers: a whole one, one that counts something, any.
int lb_mesh_reader_integer(lb_mesh_reader* r);
int lb_mesh_reader_count(lb_mesh_reader* r);
double lb_mesh_reader_number(lb_mesh_reader* r);
lb_vec3 lb_mesh_reader_point(lb_mesh_reader* r);
void lb_mesh_reader_integers(lb_mesh_reader* r, int count, int* value);
void lb_mesh_reader_skip(lb_mesh_reader* r, int count);
