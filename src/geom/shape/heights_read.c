// Height fields from tables of numbers.
#include "geom/mesh/cells.h"
#include "geom/mesh/file_load.h"
#include "geom/shape/shape.h"

enum { MOST_MISTAKES = 20 }; // a file with more is something else

typedef struct reader {
  lb_cells cells;
  lb_arena scratch;
  lb_error* err;
  int mistakes;
  int nx, ny; // of the lines so far
  int count, capacity;
  double* value; // [ny][nx]
} reader;

static bool is_good(const reader* r) {
  return r->mistakes < MOST_MISTAKES && lb_arena_status(&r->scratch) == LB_OK;
}

static void take_cell(reader* r) {
  const lb_word cell = lb_cells_next(&r->cells);
  const lb_place place = lb_cells_place(&r->cells, cell.at);
  double* grown = LB_GROW(&r->scratch, r->value, r->count, &r->capacity);
  double height = 0;
  if (!grown) {
    return;
  }
  if (cell.size == 0) {
    r->mistakes++;
    lb_error_add(r->err, LB_INVALID, place, "a height is missing");
  } else if (!lb_word_number(cell, &height)) {
    r->mistakes++;
    lb_error_add(r->err, LB_INVALID, place,
                 "'%s' is not a height (numbers in metres, between commas)",
                 lb_word_show(cell).text);
  }
  r->value = grown;
  r->value[r->count++] = height;
}

static void take_line(reader* r) {
  const int before = r->count;
  const lb_place place = lb_cells_place(&r->cells, NULL);
  do {
    take_cell(r);
  } while (lb_cells_more(&r->cells) && is_good(r));
  const int n = r->count - before;
  if (r->ny > 0 && n != r->nx && is_good(r)) {
    r->mistakes++;
    lb_error_add(r->err, LB_INVALID, place, "%d heights, where the first line has %d", n, r->nx);
  }
  r->nx = r->ny > 0 ? r->nx : n;
  r->ny++;
}

// Lines are along x; the grid's numbers are along y.
static lb_status turn(const reader* r, double spacing, lb_arena* arena, lb_height_grid* grid) {
  double* height = LB_TAKE(arena, double, r->nx * r->ny);
  for (int k = 0; height && k < r->nx * r->ny; k++) {
    height[k % r->nx * r->ny + k / r->nx] = r->value[k];
  }
  if (height) {
    *grid = (lb_height_grid){r->nx, r->ny, spacing, spacing, height};
  }
  return height ? LB_OK : LB_NO_MEMORY;
}

lb_status lb_heights_parse(const char* text, size_t size, const char* name, double spacing,
                           lb_arena* arena, lb_height_grid* grid, lb_error* err) {
  reader r = {.cells = lb_cells_begin(text, size, name), .err = err};
  lb_arena_init(&r.scratch, arena->allocator);
  bool more = r.cells.scan.at < r.cells.scan.end;
  while (more && is_good(&r)) {
    take_line(&r);
    more = lb_cells_line(&r.cells);
  }
  lb_status status = lb_arena_status(&r.scratch);
  if (status == LB_OK && r.mistakes == 0 && (r.nx < 2 || r.ny < 2)) {
    r.mistakes++;
    lb_error_add(err, LB_INVALID, (lb_place){name, 1, 1},
                 "a height field needs two lines of two heights, or more");
  }
  status = status != LB_OK ? status : r.mistakes > 0 ? LB_INVALID : turn(&r, spacing, arena, grid);
  lb_arena_release(&r.scratch);
  return status == LB_NO_MEMORY
             ? lb_error_add(err, status, (lb_place){name, 1, 1}, "no memory for its heights")
             : status;
}

lb_status lb_heights_read(const char* path, lb_place from, double spacing, lb_arena* arena,
                          lb_height_grid* grid, lb_error* err) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  char* text;
  size_t size;
  lb_status status = lb_load(path, "file of heights", from, &scratch, &text, &size, err);
  if (status == LB_OK) {
    status = lb_heights_parse(text, size, path, spacing, arena, grid, err);
  }
  lb_arena_release(&scratch);
  return status;
}
