// Tables of measured markers. The columns are found by their names in the first line, so that any
// order and further columns do, and every mistake is told with its line and column.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geom/mesh/cells.h"
#include "geom/mesh/file_load.h"
#include "limber/fit.h"
#include "scene/yaml/names.h"

enum { MOST_MISTAKES = 10, LEAST_SAMPLES = 8, UNUSED = -1, TIME = -2 };

typedef struct reader {
  const lb_scene* scene;
  lb_arena* arena; // of the markers
  lb_arena scratch;
  lb_error* err;
  lb_markers* m;
  lb_cells cells;
  int ncolumn;
  int* target; // [ncolumn] 3 * marker + axis, or UNUSED, or TIME
  bool* seen;  // [nmarker * 3]
  int capacity;
  int mistakes;
} reader;

static lb_status mistake(reader* r, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static lb_status mistake(reader* r, lb_place place, const char* format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  r->mistakes++;
  return lb_error_add(r->err, LB_INVALID, place, "%s", text);
}

static lb_status lack(reader* r) {
  return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){r->m->file, 0, 0},
                      "there is not enough memory for the markers");
}

// --- the first line ---

// A marker of the scene's, or a body when it lists none.
static int find_marker(const reader* r, lb_word name) {
  for (int i = 0; i < r->m->nmarker; i++) {
    const char* text = r->m->marker[i].name;
    if (strlen(text) == name.size && memcmp(text, name.at, name.size) == 0) {
      return i;
    }
  }
  return -1;
}

static lb_status read_heading(reader* r, int column) {
  const lb_word cell = lb_cells_next(&r->cells);
  const lb_place place = lb_cells_place(&r->cells, cell.at);
  r->target[column] = UNUSED;
  if (column == 0) {
    r->target[0] = TIME;
    return lb_word_is(cell, "time")
               ? LB_OK
               : mistake(r, place,
                         "the first column must be 'time', not '%s' (in seconds; the first line "
                         "names the columns: time, NAME.x, NAME.y, NAME.z, ...)",
                         lb_word_show(cell).text);
  }
  const int axis =
      cell.size < 3 || cell.at[cell.size - 2] != '.' ? -1 : cell.at[cell.size - 1] - 'x';
  if (axis < 0 || axis > 2) {
    return LB_OK;
  }
  const int marker = find_marker(r, (lb_word){cell.at, cell.size - 2});
  if (marker < 0) {
    return LB_OK;
  }
  const int target = 3 * marker + axis;
  if (r->seen[target]) {
    return mistake(r, place, "column '%s' is there twice (take one away)", lb_word_show(cell).text);
  }
  r->seen[target] = true;
  r->target[column] = target;
  return LB_OK;
}

// The name in the first line that comes nearest to a marker that is not there.
static const char* nearest_heading(reader* r, const char* wanted) {
  lb_nearest nearest = lb_nearest_to(wanted);
  const lb_cells here = r->cells;
  lb_cells_again(&r->cells);
  do {
    const lb_word cell = lb_cells_next(&r->cells);
    if (cell.size > 2 && cell.at[cell.size - 2] == '.') {
      const char* name = lb_arena_text(&r->scratch, cell.at, cell.size - 2);
      if (name) {
        lb_nearest_offer(&nearest, name);
      }
    }
  } while (lb_cells_more(&r->cells));
  r->cells = here;
  return nearest.best;
}

// Which of the three columns of a marker are there?
static int count_seen(const reader* r, int marker) {
  const bool* s = &r->seen[3 * marker];
  return s[0] + s[1] + s[2];
}

static void check_columns(reader* r) {
  const lb_place place = {r->m->file, r->cells.scan.line, 1};
  for (int i = 0; i < r->m->nmarker; i++) {
    const char* name = r->m->marker[i].name;
    const int seen = count_seen(r, i);
    if (seen == 0 && r->scene->nmarker > 0) {
      const char* near = nearest_heading(r, name);
      mistake(r, place, "there is no column '%s.x' for the scene's marker '%s'%s%s%s", name, name,
              near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    } else if (seen > 0 && seen < 3) {
      mistake(r, place, "marker '%s' needs three columns, %s.x, %s.y and %s.z; there %s %d", name,
              name, name, name, seen == 1 ? "is" : "are", seen);
    }
  }
}

// Bodies that have no columns are no markers.
static lb_status keep_seen(reader* r) {
  lb_markers* m = r->m;
  int* renamed = LB_TAKE(&r->scratch, int, m->nmarker);
  if (!renamed) {
    return lack(r);
  }
  int n = 0;
  for (int i = 0; i < m->nmarker; i++) {
    renamed[i] = n;
    if (count_seen(r, i) == 3) {
      m->marker[n++] = m->marker[i];
    }
  }
  for (int c = 0; c < r->ncolumn; c++) {
    const int t = r->target[c];
    r->target[c] = t < 0 ? t : 3 * renamed[t / 3] + t % 3;
  }
  m->nmarker = n;
  return LB_OK;
}

// Nothing fits: perhaps a name is misspelt.
static void no_columns(reader* r) {
  const lb_scene* s = r->scene;
  const lb_place place = {r->m->file, r->cells.scan.line, 1};
  for (int i = 0; i < s->nbody; i++) {
    const char* near = nearest_heading(r, s->body[i].name);
    if (near) {
      mistake(r, place, "the scene has no body '%s' (did you mean '%s'?)", near, s->body[i].name);
      return;
    }
  }
  mistake(r, place,
          "no column belongs to a body of the scene (call them NAME.x, NAME.y and NAME.z by the "
          "bodies' names, or list your markers in the scene)");
}

static lb_status read_headings(reader* r) {
  r->seen = LB_TAKE(&r->scratch, bool, 3 * r->m->nmarker);
  if (!r->seen) {
    return lack(r);
  }
  int capacity = 0;
  do {
    int* grown = LB_GROW(&r->scratch, r->target, r->ncolumn, &capacity);
    if (!grown) {
      return lack(r);
    }
    r->target = grown;
    read_heading(r, r->ncolumn);
    r->ncolumn++;
  } while (lb_cells_more(&r->cells));
  check_columns(r);
  const lb_status status = keep_seen(r);
  if (status == LB_OK && r->mistakes == 0 && r->m->nmarker == 0) {
    no_columns(r);
  }
  return status != LB_OK ? status : r->mistakes ? LB_INVALID : LB_OK;
}

// --- the samples ---

static lb_status read_time(reader* r, lb_word cell, double* time) {
  const lb_place place = lb_cells_place(&r->cells, cell.at);
  const int n = r->m->nsample;
  if (!lb_word_number(cell, time)) {
    return mistake(r, place, "the time must be a number, in seconds, not '%s'",
                   lb_word_show(cell).text);
  }
  if (n > 0 && !(*time > r->m->time[n - 1])) {
    return mistake(r, place, "time must rise from line to line; %g follows %g", *time,
                   r->m->time[n - 1]);
  }
  return LB_OK;
}

static lb_status read_place(reader* r, lb_word cell, double* x) {
  *x = (double)NAN;
  if (cell.size == 0 || lb_word_is(cell, "nan") || lb_word_number(cell, x)) {
    return LB_OK;
  }
  return mistake(r, lb_cells_place(&r->cells, cell.at),
                 "'%s' is not a number (leave the cell empty where the marker was not seen)",
                 lb_word_show(cell).text);
}

static lb_status grow(reader* r) {
  lb_markers* m = r->m;
  if (m->nsample < r->capacity) {
    return LB_OK;
  }
  const int width = 3 * m->nmarker, capacity = r->capacity ? 2 * r->capacity : 256;
  double* time = LB_TAKE(r->arena, double, capacity);
  double* x = LB_TAKE(r->arena, double, (size_t)capacity*(size_t)width);
  if (!time || !x) {
    return lack(r);
  }
  if (m->nsample) {
    memcpy(time, m->time, (size_t)m->nsample * sizeof *time);
    memcpy(x, m->x, (size_t)m->nsample * (size_t)width * sizeof *x);
  }
  m->time = time;
  m->x = x;
  r->capacity = capacity;
  return LB_OK;
}

static lb_status read_sample(reader* r) {
  lb_markers* m = r->m;
  lb_status status = grow(r);
  if (status != LB_OK) {
    return status;
  }
  double time = 0, *x = m->x + (size_t)m->nsample * (size_t)(3 * m->nmarker);
  int column = 0;
  bool more = true;
  for (; more && column < r->ncolumn; column++) {
    const lb_word cell = lb_cells_next(&r->cells);
    const int target = r->target[column];
    const lb_status one = target == TIME     ? read_time(r, cell, &time)
                          : target == UNUSED ? LB_OK
                                             : read_place(r, cell, &x[target]);
    status = status == LB_OK ? one : status;
    more = lb_cells_more(&r->cells);
  }
  if (more || column < r->ncolumn) {
    return mistake(r, lb_cells_place(&r->cells, NULL),
                   "the line has %s cells than the first one, which names %d columns",
                   more ? "more" : "fewer", r->ncolumn);
  }
  m->time[m->nsample] = time;
  m->nsample += status == LB_OK;
  return status;
}

static lb_status read_table(reader* r) {
  lb_status status = read_headings(r);
  while (status != LB_NO_MEMORY && r->mistakes < MOST_MISTAKES &&
         (status == LB_OK || r->m->nmarker) && lb_cells_line(&r->cells)) {
    const lb_status one = read_sample(r);
    status = status == LB_OK || one == LB_NO_MEMORY ? one : status;
  }
  if (status == LB_OK && r->m->nsample < LEAST_SAMPLES) {
    return mistake(r, (lb_place){r->m->file, 0, 0},
                   "there are %d samples; a motion needs at least %d", r->m->nsample,
                   LEAST_SAMPLES);
  }
  return status;
}

// --- the whole ---

// What the columns may be called.
static lb_status name_markers(reader* r) {
  const lb_scene* s = r->scene;
  lb_markers* m = r->m;
  m->nmarker = s->nmarker ? s->nmarker : s->nbody;
  m->marker = LB_TAKE(r->arena, lb_scene_marker, m->nmarker);
  if (!m->marker) {
    return lack(r);
  }
  for (int i = 0; i < m->nmarker; i++) {
    m->marker[i] =
        s->nmarker ? s->marker[i] : (lb_scene_marker){.name = s->body[i].name, .body = i};
    m->marker[i].place = (lb_place){0};
    m->marker[i].name = lb_arena_text(r->arena, m->marker[i].name, strlen(m->marker[i].name));
    if (!m->marker[i].name) {
      return lack(r);
    }
  }
  return LB_OK;
}

static lb_status read_text(reader* r, const char* text, size_t length, const char* name) {
  r->m->file = lb_arena_text(r->arena, name, strlen(name));
  lb_status status = r->m->file ? name_markers(r) : lack(r);
  if (status == LB_OK) {
    r->cells = lb_cells_begin(text, length, r->m->file);
    status = read_table(r);
  }
  return status;
}

lb_status lb_markers_parse(const char* text, size_t length, const char* name, const lb_scene* scene,
                           const lb_allocator* allocator, lb_markers** markers, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  reader r = {.scene = scene, .arena = &arena, .err = err};
  lb_arena_init(&r.scratch, allocator);
  r.m = LB_TAKE(&arena, lb_markers, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  const lb_status status = r.m && kept ? read_text(&r, text, length, name)
                                       : lb_error_add(err, LB_NO_MEMORY, (lb_place){name, 0, 0},
                                                      "there is not enough memory for the markers");
  lb_arena_release(&r.scratch);
  if (status == LB_OK) {
    *kept = arena;
    r.m->storage = kept;
    *markers = r.m;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

lb_status lb_markers_read(const char* path, const lb_scene* scene, const lb_allocator* allocator,
                          lb_markers** markers, lb_error* err) {
  lb_arena scratch;
  char* text = NULL;
  size_t size = 0;
  lb_arena_init(&scratch, allocator);
  lb_status status = lb_load(path, "table of markers", (lb_place){0}, &scratch, &text, &size, err);
  if (status == LB_OK) {
    status = lb_markers_parse(text, size, path, scene, allocator, markers, err);
  }
  lb_arena_release(&scratch);
  return status;
}

void lb_markers_release(lb_markers* markers) {
  if (markers && markers->storage) {
    lb_arena arena = *(lb_arena*)markers->storage;
    lb_arena_release(&arena);
  }
}
