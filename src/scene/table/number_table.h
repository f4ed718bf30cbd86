// A table of numbers with named columns, the first of which is the time.
#pragma once
#include "base/arena.h"
#include "geom/mesh/cells.h"
#include "limber/status.h"

// Forms of tables: lines of cells, or what OpenSim writes (opensim_table.c).
typedef enum lb_table_kind {
  LB_TABLE_CELLS,
  LB_TABLE_MOTION, // .mot, .sto
  LB_TABLE_MARKERS // .trc
} lb_table_kind;

// A count in a header: `value` -1 where there is none.
typedef struct lb_table_count {
  int value;
  const char* word;
  lb_place place;
} lb_table_count;

typedef struct lb_numbers {
  const char* file;
  lb_table_kind kind;
  bool degrees;   // angles of a motion are in degrees
  bool says_unit; // its header says so, or that they are not
  double scale;   // of a length in a table of markers, which are turned to z up as they are read
  lb_place unit_place;
  // What a header says of the table. Other counts than the table has are noted, since other tools
  // write them.
  lb_table_count rows, columns, markers;
  double rate; // samples a second by a header, or 0
  lb_place rate_place;
  int ncolumn, nrow;
  const char** name; // [ncolumn]
  lb_place* place;   // [ncolumn] of the heading
  int* line;         // [nrow]
  double* value;     // [nrow][ncolumn] NAN where a cell is empty or no number
  bool* wanted;      // [ncolumn] cells are empty, 'nan' or numbers; NULL: they may be anything
  int nnote;
  lb_message* note; // [nnote] what is odd but does no harm
  // of the reader
  lb_arena* arena;
  lb_error* err;
  lb_cells cells;
  int capacity, mistakes, notes;
} lb_numbers;

// Headings of a text; `file` names it, and `hint` says what columns there should be. LB_INVALID:
// the first one is not the time.
lb_status lb_numbers_begin(lb_numbers* n, const char* file, const char* text, size_t size,
                           const char* hint, lb_arena* arena, lb_error* err);
// A mistake of the table's, at a place. No more than some are reported.
lb_status lb_numbers_mistake(lb_numbers* n, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Something odd that does no harm, at a place.
lb_status lb_numbers_note(lb_numbers* n, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The lines below. Times rise, and lines are all as long. Times that are rounded from even ones
// become even (math/curve/even_times.h).
lb_status lb_numbers_lines(lb_numbers* n);

// Text of a file that is a `what` ("motion"), of 256 MB at most; `from` is what asks for it, or
// zero.
lb_status lb_numbers_load(const char* path, const char* what, lb_place from, lb_arena* arena,
                          char** text, size_t* size, lb_error* err);

// Both of a file that is a `what` ("motion"), into the arena; `from` is what asks for it, or zero.
// There are `least` lines or more.
lb_status lb_numbers_read_rows(const char* path, const char* what, lb_place from, int least,
                               lb_arena* arena, lb_numbers* numbers, lb_error* err);
// The same with two lines or more.
lb_status lb_numbers_read(const char* path, const char* what, lb_arena* arena, lb_numbers* numbers,
                          lb_error* err);

// Notes of a table behind those that are there already, all in an arena; false: no memory.
bool lb_numbers_pass_on(const lb_numbers* n, lb_arena* arena, int* nnote, const lb_message** note);

// The end of reading something from a table into an arena: it is kept, by `*storage`
// (lb_arena_release_kept), or released where `status` is bad.
lb_status lb_table_keep(lb_arena* arena, lb_status status, const char* path, void** storage,
                        lb_error* err);
lb_status lb_table_lack(const char* path, lb_error* err);

// Column of a coordinate, or of its speed, in a table of motion; -1: there is none.
int lb_motion_column(const lb_numbers* n, const char* coordinate, bool rate);

// --- for forms of tables ---

lb_table_kind lb_table_kind_of(const char* text, size_t size);
// Header and headings.
lb_status lb_motion_begin(lb_numbers* n);
lb_status lb_trc_begin(lb_numbers* n);
// Values of a line, and how many there are.
lb_status lb_motion_line(lb_numbers* n, double* value, int* count);
lb_status lb_trc_line(lb_numbers* n, double* value, int* count);
// A note where the markers are of a size that no subject has, as in another unit.
lb_status lb_trc_check_unit(lb_numbers* n);
// Notes places that are 0, 0, 0.
lb_status lb_trc_check_zeros(lb_numbers* n);

// The column of a name, or -1.
int lb_numbers_column(const lb_numbers* n, const char* name);
// A column that should be there for `owner`, with the nearest that is: of those that `counts`,
// unless that is NULL. Always LB_INVALID.
lb_status lb_numbers_lack(const lb_numbers* n, const char* name, const char* owner,
                          bool (*counts)(const char* heading), lb_error* err);
// A column's numbers into out[row * stride]; LB_INVALID where one is missing, or another column has
// its name.
lb_status lb_numbers_take(const lb_numbers* n, int column, double* out, int stride, lb_error* err);
