// Tables as text: lines of cells between commas, semicolons or tabs, quoted where they must be.
// Lines that are blank or begin with # say nothing.
#pragma once
#include "geom/mesh/scan.h"

typedef struct lb_cells {
  lb_scan scan;
  char separator;
} lb_cells;

/// At the first line that says something, whose separator is that of all of them.
lb_cells lb_cells_begin(const char* text, size_t size, const char* file);
/// Go to the next line that says something; false when there is none.
bool lb_cells_line(lb_cells* cells);
/// Back to the start of this line.
void lb_cells_again(lb_cells* cells);
/// The cell that begins here, without its quotes; stops at the separator or the line's end.
lb_word lb_cells_next(lb_cells* cells);
/// Step over a separator; false at the line's end.
bool lb_cells_more(lb_cells* cells);
/// Place of `at`, in the current line; NULL: of the next cell.
lb_place lb_cells_place(const lb_cells* cells, const char* at);
