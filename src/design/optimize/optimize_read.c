// Numbers of a search from its file, parameters.csv: lines NAME,NUMBER,start,VALUE,...
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "geom/mesh/cells.h"
#include "geom/mesh/file_load.h"

static const char* const HEADER[] = {"parameter", "number",   "start",
                                     "value",     "at_least", "at_most"};
enum { COLUMNS = sizeof HEADER / sizeof *HEADER };

typedef struct reading {
  const lb_optimization* o;
  const char* path;
  lb_cells cells;
  double* x; // [nvalue] NAN until it is read
  lb_error* err;
} reading;

// Place of a line, for errors.
static lb_place line_of(const reading* r) {
  return (lb_place){r->path, r->cells.scan.line, 1};
}

// The first cells of the line; those that are missing are empty.
static void read_cells(reading* r, lb_word cell[COLUMNS]) {
  bool more = true;
  for (int i = 0; i < COLUMNS; i++) {
    cell[i] = more ? lb_cells_next(&r->cells) : (lb_word){"", 0};
    more = more && lb_cells_more(&r->cells);
  }
}

// Quotes in names are written twice.
static bool is_name(lb_word cell, const char* name) {
  size_t i = 0;
  for (; i < cell.size && *name && cell.at[i] == *name; i++, name++) {
    i += *name == '"';
  }
  return i == cell.size && !*name;
}

// To the last bit, which lb_word_number does not promise: a motion is to be the same again.
static bool read_exactly(lb_word cell, double* x) {
  char text[64], *end = text;
  const size_t n = cell.size < sizeof text ? cell.size : 0;
  memcpy(text, cell.at, n);
  text[n] = 0;
  *x = strtod(text, &end);
  return n > 0 && end == text + n && isfinite(*x);
}

// Put a number where it belongs.
static lb_status put(reading* r, int i, int k, double x) {
  const lb_optimization* o = r->o;
  const char* name = o->scene->optimize.parameter[i].name;
  const int at = o->first[i] + k;
  if (!isnan(r->x[at])) {
    return lb_error_add(r->err, LB_INVALID, line_of(r),
                        "number %d of parameter '%s' is there twice (keep one line)", k, name);
  }
  if (x < o->least[at] || x > o->most[at]) {
    return lb_error_add(r->err, LB_INVALID, line_of(r),
                        "number %d of parameter '%s' is %g, and must be from %g to %g", k, name, x,
                        o->least[at], o->most[at]);
  }
  r->x[at] = x;
  return LB_OK;
}

static lb_status bad_line(const reading* r, const char* which, const char* why) {
  return lb_error_add(r->err, LB_INVALID, line_of(r), "%s must be %s,%s,%s,%s,%s,%s%s", which,
                      HEADER[0], HEADER[1], HEADER[2], HEADER[3], HEADER[4], HEADER[5], why);
}

static lb_status read_line(reading* r) {
  const lb_scene_optimize* what = &r->o->scene->optimize;
  lb_word cell[COLUMNS];
  double x = NAN;
  int i = 0, k = 0;
  read_cells(r, cell);
  while (i < what->nparameter && !is_name(cell[0], what->parameter[i].name)) {
    i++;
  }
  if (i == what->nparameter) {
    return lb_error_add(r->err, LB_INVALID, line_of(r),
                        "the scene has no parameter '%s' (is the file of another scene?)",
                        lb_word_show(cell[0]).text);
  }
  if (!lb_word_integer(cell[1], &k) || !read_exactly(cell[3], &x)) {
    return bad_line(r, "a line", "");
  }
  const int count = r->o->first[i + 1] - r->o->first[i];
  if (k < 0 || k >= count) {
    return lb_error_add(r->err, LB_INVALID, line_of(r),
                        "parameter '%s' has %d numbers, from 0 on, and no number %d",
                        what->parameter[i].name, count, k);
  }
  return put(r, i, k, x);
}

static lb_status read_header(reading* r) {
  lb_word cell[COLUMNS];
  bool good = true;
  read_cells(r, cell);
  for (int i = 0; i < COLUMNS; i++) {
    good = good && lb_word_is(cell[i], HEADER[i]);
  }
  return good ? LB_OK : bad_line(r, "the first line", " (is it a file of 'limber optimize'?)");
}

static lb_status read_lines(reading* r) {
  lb_status status = read_header(r);
  while (status == LB_OK && lb_cells_line(&r->cells)) {
    status = read_line(r);
  }
  const lb_scene_optimize* what = &r->o->scene->optimize;
  for (int i = 0; i < what->nparameter && status == LB_OK; i++) {
    for (int k = r->o->first[i]; k < r->o->first[i + 1] && status == LB_OK; k++) {
      if (isnan(r->x[k])) {
        status = lb_error_add(r->err, LB_INVALID, (lb_place){r->path, 0, 0},
                              "number %d of parameter '%s' is missing (is the file of another "
                              "scene?)",
                              k - r->o->first[i], what->parameter[i].name);
      }
    }
  }
  return status;
}

lb_status lb_optimization_read(const lb_optimization* o, const char* path, double* x,
                               lb_error* err) {
  lb_arena arena;
  char* text = NULL;
  size_t size = 0;
  lb_arena_init(&arena, o->work->allocator);
  reading r = {.o = o, .path = path, .err = err};
  lb_status status = lb_load(path, "file of numbers", (lb_place){0}, &arena, &text, &size, err);
  r.x = LB_TAKE(&arena, double, o->nvalue);
  if (status == LB_OK && !r.x) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for %s", path);
  }
  if (status == LB_OK) {
    for (int i = 0; i < o->nvalue; i++) {
      r.x[i] = NAN;
    }
    r.cells = lb_cells_begin(text, size, path);
    status = read_lines(&r);
  }
  if (status == LB_OK) {
    memcpy(x, r.x, (size_t)o->nvalue * sizeof *x);
  }
  lb_arena_release(&arena);
  return status;
}
