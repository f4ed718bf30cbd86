// A table of numbers with named columns, the first of which is the time.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

typedef struct lb_numbers {
  const char* file;
  int ncolumn, nrow;
  const char** name; // [ncolumn]
  lb_place* place;   // [ncolumn] of the heading
  int* line;         // [nrow]
  double* value;     // [nrow][ncolumn] NAN where a cell is empty or no number
} lb_numbers;

// Read a file that is a `what` ("motion"), into the arena. Times rise, lines are all as long, and
// there are at least two.
lb_status lb_numbers_read(const char* path, const char* what, lb_arena* arena, lb_numbers* numbers,
                          lb_error* err);

// The column of this name, or -1.
int lb_numbers_column(const lb_numbers* numbers, const char* name);

// Copy a column to out[row * stride]. A cell that is no number is told, with its line.
lb_status lb_numbers_take(const lb_numbers* numbers, int column, double* out, int stride,
                          lb_error* err);
