// A table of numbers with named columns, the first of which is the time.
#pragma once
#include "base/arena.h"
#include "geom/mesh/cells.h"
#include "limber/status.h"

typedef struct lb_numbers {
  const char* file;
  int ncolumn, nrow;
  const char** name; // [ncolumn]
  lb_place* place;   // [ncolumn] of the heading
  int* line;         // [nrow]
  double* value;     // [nrow][ncolumn] NAN where a cell is empty or no number
  bool* wanted;      // [ncolumn] cells are empty, 'nan' or numbers; NULL: they may be anything
  // of the reader
  lb_arena* arena;
  lb_error* err;
  lb_cells cells;
  int capacity, mistakes;
} lb_numbers;

// Headings of a text; `file` names it, and `hint` says what columns there should be. LB_INVALID:
// the first one is not the time.
lb_status lb_numbers_begin(lb_numbers* n, const char* file, const char* text, size_t size,
                           const char* hint, lb_arena* arena, lb_error* err);
// A mistake of the table's, at a place. No more than some are reported.
lb_status lb_numbers_mistake(lb_numbers* n, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The lines below. Times rise, and lines are all as long.
lb_status lb_numbers_lines(lb_numbers* n);

// Both of a file that is a `what` ("motion"), into the arena. There are at least two lines.
lb_status lb_numbers_read(const char* path, const char* what, lb_arena* arena, lb_numbers* numbers,
                          lb_error* err);

// The column of a name, or -1.
int lb_numbers_column(const lb_numbers* n, const char* name);
// A column's numbers into out[row * stride]; LB_INVALID where one is missing.
lb_status lb_numbers_take(const lb_numbers* n, int column, double* out, int stride, lb_error* err);
