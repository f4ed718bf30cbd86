#include "scene/table/number_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/read_all.h"
#include "geom/mesh/file_load.h"
#include "math/curve/even_times.h"
#include "scene/yaml/names.h"

enum { MOST_MISTAKES = 10 };

lb_status lb_numbers_mistake(lb_numbers* n, lb_place place, const char* format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  n->mistakes++;
  return lb_error_add(n->err, LB_INVALID, place, "%s", text);
}

static lb_status lack(const lb_numbers* n) {
  return lb_error_add(n->err, LB_NO_MEMORY, (lb_place){n->file, 0, 0},
                      "there is not enough memory for the table");
}

lb_status lb_numbers_note(lb_numbers* n, lb_place place, const char* format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  lb_message* note = LB_GROW(n->arena, n->note, n->nnote, &n->notes);
  char* kept = lb_arena_text(n->arena, text, strlen(text));
  if (!note || !kept) {
    return lack(n);
  }
  n->note = note;
  n->note[n->nnote++] = (lb_message){place, kept};
  return LB_OK;
}

// Is there anything that may be a table? If not, that is reported.
static bool is_table(lb_numbers* n, const char* text, size_t size, const char* hint) {
  const lb_scan s = lb_scan_begin(text, size, n->file);
  const char* at = s.at;
  while (at < s.end && memchr(" \t\r\n", *at, 4)) {
    at++;
  }
  const bool empty = at == s.end, xml = !empty && *at == '<';
  if (empty || xml) {
    lb_numbers_mistake(n, (lb_place){n->file, 1, 1}, "%s (it must be a table of numbers%s)",
                       empty ? "the file is empty" : "this is XML", hint);
  }
  return !empty && !xml;
}

lb_status lb_numbers_begin(lb_numbers* n, const char* file, const char* text, size_t size,
                           const char* hint, lb_arena* arena, lb_error* err) {
  static lb_status (*const BEGIN[])(lb_numbers*) = {
      [LB_TABLE_MOTION] = lb_motion_begin, [LB_TABLE_MARKERS] = lb_trc_begin};
  int names = 0, places = 0;
  lb_word first = {"", 0};
  const lb_table_count none = {.value = -1};
  *n = (lb_numbers){
      .file = file, .arena = arena, .err = err, .rows = none, .columns = none, .markers = none};
  if (!is_table(n, text, size, hint)) {
    return LB_INVALID;
  }
  n->kind = lb_table_kind_of(text, size);
  if (n->kind != LB_TABLE_CELLS) {
    n->cells.scan = lb_scan_begin(text, size, file);
    return BEGIN[n->kind](n);
  }
  n->cells = lb_cells_begin(text, size, file);
  do {
    const lb_word cell = lb_cells_next(&n->cells);
    const char** name = LB_GROW(arena, n->name, n->ncolumn, &names);
    lb_place* place = LB_GROW(arena, n->place, n->ncolumn, &places);
    if (!name || !place) {
      return lack(n);
    }
    first = n->ncolumn == 0 ? cell : first;
    n->name = name;
    n->place = place;
    n->name[n->ncolumn] = lb_arena_text(arena, cell.at, cell.size);
    n->place[n->ncolumn] = lb_cells_place(&n->cells, cell.at);
    if (!n->name[n->ncolumn++]) {
      return lack(n);
    }
  } while (lb_cells_more(&n->cells));
  return lb_word_is(first, "time")
             ? LB_OK
             : lb_numbers_mistake(n, n->place[0],
                                  "the first column must be 'time', not '%s' (in seconds; the "
                                  "first line names the columns%s)",
                                  lb_word_show(first).text, hint);
}

static bool grow(lb_numbers* n) {
  if (n->nrow < n->capacity) {
    return true;
  }
  const int capacity = n->capacity ? 2 * n->capacity : 256;
  double* value = LB_TAKE(n->arena, double, (size_t)capacity*(size_t)n->ncolumn);
  int* line = LB_TAKE(n->arena, int, capacity);
  if (!value || !line) {
    return false;
  }
  if (n->nrow) {
    memcpy(value, n->value, (size_t)n->nrow * (size_t)n->ncolumn * sizeof *value);
    memcpy(line, n->line, (size_t)n->nrow * sizeof *line);
  }
  n->value = value;
  n->line = line;
  n->capacity = capacity;
  return true;
}

static lb_status check_time(lb_numbers* n, lb_place place, lb_word cell, const double* value) {
  if (isnan(*value)) {
    return lb_numbers_mistake(n, place, "the time must be a number, in seconds, not '%s'",
                              lb_word_show(cell).text);
  }
  if (n->nrow > 0 && !(*value > value[-n->ncolumn])) {
    return lb_numbers_mistake(n, place, "time must rise from line to line; %g follows %g", *value,
                              value[-n->ncolumn]);
  }
  return LB_OK;
}

static lb_status read_cell(lb_numbers* n, int column, double* value) {
  const lb_word cell = lb_cells_next(&n->cells);
  const bool number = lb_word_number(cell, value);
  *value = number ? *value : (double)NAN;
  if (column == 0) {
    return check_time(n, lb_cells_place(&n->cells, cell.at), cell, value);
  }
  const bool bad = n->wanted && n->wanted[column] && !number && cell.size > 0;
  return !bad || lb_word_is(cell, "nan")
             ? LB_OK
             : lb_numbers_mistake(n, lb_cells_place(&n->cells, cell.at),
                                  "'%s' is not a number (leave the cell empty where the marker "
                                  "was not seen)",
                                  lb_word_show(cell).text);
}

static lb_status read_line(lb_numbers* n) {
  double* value = n->value + (size_t)n->nrow * (size_t)n->ncolumn;
  const int line = n->cells.scan.line;
  lb_status status = LB_OK;
  int column = 0;
  bool more = true;
  for (; more && column < n->ncolumn; column++) {
    const lb_status one = read_cell(n, column, &value[column]);
    status = status == LB_OK ? one : status;
    more = lb_cells_more(&n->cells);
  }
  if (more || column < n->ncolumn) {
    return lb_numbers_mistake(n, lb_cells_place(&n->cells, NULL),
                              "the line has %s cells than the first one, which names %d columns",
                              more ? "more" : "fewer", n->ncolumn);
  }
  n->line[n->nrow] = line;
  n->nrow += status == LB_OK;
  return status;
}

// A line of a table of OpenSim's.
static lb_status read_named_line(lb_numbers* n) {
  static lb_status (*const LINE[])(lb_numbers*, double*, int*) = {
      [LB_TABLE_MOTION] = lb_motion_line, [LB_TABLE_MARKERS] = lb_trc_line};
  double* value = n->value + (size_t)n->nrow * (size_t)n->ncolumn;
  const int line = n->cells.scan.line;
  const lb_place place = {n->file, line, 1};
  int count = 0;
  lb_status status = LINE[n->kind](n, value, &count);
  if (status == LB_OK && count != n->ncolumn) {
    status = lb_numbers_mistake(n, place, "the line has %d numbers, and there are %d columns",
                                count, n->ncolumn);
  }
  status = status == LB_OK ? check_time(n, place, (lb_word){"nothing", 7}, value) : status;
  n->line[n->nrow] = line;
  n->nrow += status == LB_OK;
  return status;
}

// A count of the header against that of the table.
static lb_status check_count(lb_numbers* n, const lb_table_count* c, int there, const char* of) {
  return c->value < 0 || c->value == there
             ? LB_OK
             : lb_numbers_note(n, c->place, "%s is %d, and there are %d %s: all of them are read",
                               c->word, c->value, there, of);
}

// Fewer lines than promised: the file may be cut.
static lb_status check_rows(lb_numbers* n) {
  return n->rows.value <= n->nrow
             ? check_count(n, &n->rows, n->nrow, "lines of numbers")
             : lb_numbers_mistake(n, (lb_place){n->file, n->cells.scan.line, 1},
                                  "the header promises %d lines of numbers, and there are %d (the "
                                  "file may be cut; else correct %s in line %d)",
                                  n->rows.value, n->nrow, n->rows.word, n->rows.place.line);
}

static lb_status check_header(lb_numbers* n) {
  lb_status status = check_rows(n);
  status = status == LB_OK ? check_count(n, &n->columns, n->ncolumn, "columns") : status;
  const int markers = (n->ncolumn - 1) / 3;
  return status == LB_OK ? check_count(n, &n->markers, markers, "markers") : status;
}

// A rate of the header against that of the times.
static lb_status check_rate(lb_numbers* n) {
  static const double OFF = 0.05; // part of it
  const double last = n->value[(size_t)(n->nrow - 1) * (size_t)n->ncolumn];
  const double rate = (n->nrow - 1) / (last - n->value[0]);
  return fabs(rate - n->rate) <= OFF * n->rate
             ? LB_OK
             : lb_numbers_note(n, n->rate_place,
                               "DataRate is %g, and the times have %.4g samples a second: the "
                               "times count",
                               n->rate, rate);
}

// Times that the file rounded become even.
static lb_status even_out(lb_numbers* n) {
  double start = 0, step = 0;
  if (n->nrow > 1 && lb_even_times(n->nrow, n->value, n->ncolumn, n->rate, &start, &step)) {
    for (int i = 0; i < n->nrow; i++) {
      n->value[(size_t)i * (size_t)n->ncolumn] = start + i * step;
    }
  }
  return n->nrow > 1 && n->rate > 0 ? check_rate(n) : LB_OK;
}

lb_status lb_numbers_lines(lb_numbers* n) {
  lb_status status = LB_OK;
  while (status != LB_NO_MEMORY && n->mistakes < MOST_MISTAKES && lb_cells_line(&n->cells)) {
    const bool cells = n->kind == LB_TABLE_CELLS;
    const lb_status one = grow(n) ? (cells ? read_line : read_named_line)(n) : lack(n);
    status = status == LB_OK || one == LB_NO_MEMORY ? one : status;
  }
  if (status != LB_OK || n->mistakes > 0) {
    return status;
  }
  status = check_header(n);
  status = status == LB_OK && n->kind == LB_TABLE_MARKERS ? lb_trc_check_unit(n) : status;
  status = status == LB_OK && n->kind == LB_TABLE_MARKERS ? lb_trc_check_zeros(n) : status;
  return status == LB_OK ? even_out(n) : status;
}

lb_status lb_numbers_load(const char* path, const char* what, lb_place from, lb_arena* arena,
                          char** text, size_t* size, lb_error* err) {
  return lb_load_up_to(path, what, from, LB_PIPE_MOST_BYTES,
                       " (tables have up to 256 MB: keep a range of times, or fewer of the lines)",
                       arena, text, size, err);
}

lb_status lb_numbers_read_rows(const char* path, const char* what, lb_place from, int least,
                               lb_arena* arena, lb_numbers* numbers, lb_error* err) {
  char* text = NULL;
  size_t size = 0;
  const char* file = lb_arena_text(arena, path, strlen(path));
  if (!file) {
    return lack(&(lb_numbers){.file = path, .err = err});
  }
  lb_status status = lb_numbers_load(path, what, from, arena, &text, &size, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_numbers_begin(numbers, file, text, size, "", arena, err);
  if (status == LB_NO_MEMORY || numbers->ncolumn == 0) {
    return status;
  }
  const lb_status lines = lb_numbers_lines(numbers);
  status = status == LB_OK || lines == LB_NO_MEMORY ? lines : status;
  return status == LB_OK && numbers->nrow < least
             ? lb_error_add(err, LB_INVALID, (lb_place){file, 0, 0},
                            "there must be %s of numbers or more",
                            least == 1 ? "a line" : "two lines")
             : status;
}

lb_status lb_numbers_read(const char* path, const char* what, lb_arena* arena, lb_numbers* numbers,
                          lb_error* err) {
  return lb_numbers_read_rows(path, what, (lb_place){0}, 2, arena, numbers, err);
}

bool lb_numbers_pass_on(const lb_numbers* n, lb_arena* arena, int* nnote, const lb_message** note) {
  const int count = *nnote + n->nnote;
  lb_message* all = LB_TAKE(arena, lb_message, count);
  for (int i = 0; i < count && all; i++) {
    const lb_message* from = i < *nnote ? &(*note)[i] : &n->note[i - *nnote];
    const char* file = from->place.file;
    all[i] = *from;
    all[i].place.file = file ? lb_arena_text(arena, file, strlen(file)) : NULL;
    all[i].text = lb_arena_text(arena, from->text, strlen(from->text));
  }
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  *nnote = count;
  *note = all;
  return true;
}

lb_status lb_table_lack(const char* path, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){path, 0, 0}, "there is not enough memory");
}

lb_status lb_table_keep(lb_arena* arena, lb_status status, const char* path, void** storage,
                        lb_error* err) {
  void* kept = status == LB_OK ? lb_arena_keep(arena) : NULL;
  if (!kept) {
    lb_arena_release(arena);
    return status == LB_OK ? lb_table_lack(path, err) : status;
  }
  *storage = kept;
  return LB_OK;
}

int lb_numbers_column(const lb_numbers* n, const char* name) {
  for (int i = 0; i < n->ncolumn; i++) {
    if (strcmp(n->name[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

// A second column of the name.
static int find_twin(const lb_numbers* n, int column) {
  for (int i = 1; i < n->ncolumn; i++) {
    if (i != column && strcmp(n->name[i], n->name[column]) == 0) {
      return i > column ? i : column;
    }
  }
  return -1;
}

lb_status lb_numbers_take(const lb_numbers* n, int column, double* out, int stride, lb_error* err) {
  const int twin = column > 0 ? find_twin(n, column) : -1;
  if (twin >= 0) {
    return lb_error_add(err, LB_INVALID, n->place[twin],
                        "column '%.80s' is there twice (take one away)", n->name[twin]);
  }
  for (int i = 0; i < n->nrow; i++) {
    out[(long)i * stride] = n->value[(size_t)i * (size_t)n->ncolumn + (size_t)column];
    if (isnan(out[(long)i * stride])) {
      return lb_error_add(err, LB_INVALID, (lb_place){n->file, n->line[i], 1},
                          "column '%.80s' must have a number in every line", n->name[column]);
    }
  }
  return LB_OK;
}

lb_status lb_numbers_lack(const lb_numbers* n, const char* name, const char* owner,
                          bool (*counts)(const char* heading), lb_error* err) {
  lb_nearest nearest = lb_nearest_to(name);
  for (int i = 1; i < n->ncolumn; i++) {
    if (!counts || counts(n->name[i])) {
      lb_nearest_offer(&nearest, n->name[i]);
    }
  }
  const char* near = nearest.best;
  return lb_error_add(err, LB_INVALID, n->place[0], "there is no column '%s' for %s%s%s%s", name,
                      owner, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}
