#include "design/inverse/number_table.h"

#include <math.h>
#include <string.h>

#include "geom/mesh/cells.h"
#include "geom/mesh/file_load.h"

enum { MOST_MISTAKES = 10 };

typedef struct reader {
  lb_numbers* n;
  lb_arena* arena;
  lb_cells cells;
  int capacity;
  lb_error* err;
} reader;

static lb_status lack(const reader* r) {
  return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){r->n->file, 0, 0},
                      "there is not enough memory for the table");
}

static lb_status read_headings(reader* r) {
  lb_numbers* n = r->n;
  int names = 0, places = 0;
  do {
    const lb_word cell = lb_cells_next(&r->cells);
    const char** name = LB_GROW(r->arena, n->name, n->ncolumn, &names);
    lb_place* place = LB_GROW(r->arena, n->place, n->ncolumn, &places);
    if (!name || !place) {
      return lack(r);
    }
    n->name = name;
    n->place = place;
    n->name[n->ncolumn] = lb_arena_text(r->arena, cell.at, cell.size);
    n->place[n->ncolumn] = lb_cells_place(&r->cells, cell.at);
    if (!n->name[n->ncolumn++]) {
      return lack(r);
    }
  } while (lb_cells_more(&r->cells));
  if (strcmp(n->name[0], "time") != 0) {
    return lb_error_add(r->err, LB_INVALID, n->place[0],
                        "the first column must be 'time', in seconds, not '%.40s' (the first line "
                        "names the columns)",
                        n->name[0]);
  }
  return LB_OK;
}

static bool grow(reader* r) {
  lb_numbers* n = r->n;
  if (n->nrow < r->capacity) {
    return true;
  }
  const int capacity = r->capacity ? 2 * r->capacity : 256;
  double* value = LB_TAKE(r->arena, double, (size_t)capacity*(size_t)n->ncolumn);
  int* line = LB_TAKE(r->arena, int, capacity);
  if (!value || !line) {
    return false;
  }
  if (n->nrow) {
    memcpy(value, n->value, (size_t)n->nrow * (size_t)n->ncolumn * sizeof *value);
    memcpy(line, n->line, (size_t)n->nrow * sizeof *line);
  }
  n->value = value;
  n->line = line;
  r->capacity = capacity;
  return true;
}

static lb_status read_row(reader* r) {
  lb_numbers* n = r->n;
  double* value = n->value + (size_t)n->nrow * (size_t)n->ncolumn;
  const lb_place place = {n->file, r->cells.scan.line, 1};
  int column = 0;
  bool more = true;
  for (; more && column < n->ncolumn; column++) {
    if (!lb_word_number(lb_cells_next(&r->cells), &value[column])) {
      value[column] = (double)NAN;
    }
    more = lb_cells_more(&r->cells);
  }
  if (more || column < n->ncolumn) {
    return lb_error_add(r->err, LB_INVALID, lb_cells_place(&r->cells, NULL),
                        "the line has %s cells than the first one, which names %d columns",
                        more ? "more" : "fewer", n->ncolumn);
  }
  if (isnan(value[0])) {
    return lb_error_add(r->err, LB_INVALID, place, "the time must be a number, in seconds");
  }
  if (n->nrow > 0 && !(value[0] > value[-n->ncolumn])) {
    return lb_error_add(r->err, LB_INVALID, place,
                        "time must rise from line to line; %g follows %g", value[0],
                        value[-n->ncolumn]);
  }
  n->line[n->nrow++] = place.line;
  return LB_OK;
}

static lb_status read_table(reader* r) {
  lb_status status = read_headings(r);
  int mistakes = 0;
  while (status != LB_NO_MEMORY && r->n->ncolumn && mistakes < MOST_MISTAKES &&
         lb_cells_line(&r->cells)) {
    const lb_status one = grow(r) ? read_row(r) : lack(r);
    mistakes += one != LB_OK;
    status = status == LB_OK || one == LB_NO_MEMORY ? one : status;
  }
  if (status == LB_OK && r->n->nrow < 2) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){r->n->file, 0, 0},
                        "there must be two lines of numbers or more");
  }
  return status;
}

lb_status lb_numbers_read(const char* path, const char* what, lb_arena* arena, lb_numbers* numbers,
                          lb_error* err) {
  char* text = NULL;
  size_t size = 0;
  lb_numbers made = {.file = lb_arena_text(arena, path, strlen(path))};
  reader r = {.n = &made, .arena = arena, .err = err};
  if (!made.file) {
    return lack(&r);
  }
  lb_status status = lb_load(path, what, (lb_place){0}, arena, &text, &size, err);
  if (status == LB_OK) {
    r.cells = lb_cells_begin(text, size, made.file);
    status = read_table(&r);
  }
  if (status == LB_OK) {
    *numbers = made;
  }
  return status;
}

int lb_numbers_column(const lb_numbers* n, const char* name) {
  for (int i = 0; i < n->ncolumn; i++) {
    if (strcmp(n->name[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

lb_status lb_numbers_take(const lb_numbers* n, int column, double* out, int stride, lb_error* err) {
  for (int i = 0; i < n->nrow; i++) {
    out[(long)i * stride] = n->value[(size_t)i * (size_t)n->ncolumn + (size_t)column];
    if (isnan(out[(long)i * stride])) {
      return lb_error_add(err, LB_INVALID, (lb_place){n->file, n->line[i], 1},
                          "column '%.80s' must have a number in every line", n->name[column]);
    }
  }
  return LB_OK;
}
