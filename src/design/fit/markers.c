// Tables of measured markers. The columns are found by their names in the first line, so that any
// order and further columns do, and every mistake is reported with its line and column.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/mesh/file_load.h"
#include "limber/fit.h"
#include "scene/table/number_table.h"
#include "scene/yaml/names.h"

enum { LEAST_SAMPLES = 8, UNUSED = -1 };

typedef struct reader {
  const lb_scene* scene;
  bool all;        // each of the scene's markers must be there
  lb_arena* arena; // of the markers
  lb_arena scratch;
  lb_error* err;
  lb_markers* m;
  lb_numbers n;
  int* column; // [nmarker * 3] of the table, or UNUSED
} reader;

static lb_status lack(const reader* r) {
  return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){r->m->file, 0, 0},
                      "there is not enough memory for the markers");
}

// --- the first line ---

// The name that a heading NAME.x, NAME.y or NAME.z has before its dot, and the axis; NULL: it is
// another one.
static const char* split(reader* r, int column, int* axis) {
  const char* name = r->n.name[column];
  const size_t size = strlen(name);
  *axis = size < 3 || name[size - 2] != '.' ? -1 : name[size - 1] - 'x';
  return *axis < 0 || *axis > 2 ? NULL : lb_arena_text(&r->scratch, name, size - 2);
}

static void find_columns(reader* r) {
  for (int c = 1; c < r->n.ncolumn; c++) {
    int axis = 0;
    const char* name = split(r, c, &axis);
    for (int i = 0; name && i < r->m->nmarker; i++) {
      int* to = &r->column[3 * i + axis];
      if (strcmp(r->m->marker[i].name, name) != 0) {
        continue;
      }
      if (*to != UNUSED) {
        lb_numbers_mistake(&r->n, r->n.place[c], "column '%s' is there twice (take one away)",
                           r->n.name[c]);
      }
      *to = c;
      r->n.wanted[c] = true;
      break;
    }
  }
}

// A name behind that of a subject, as in walker:KNEE, whose colon has become an underscore.
static bool has_prefix(const char* name, const char* wanted) {
  const size_t size = strlen(name), part = strlen(wanted);
  return size > part && strchr("_.", name[size - part - 1]) &&
         strcmp(name + size - part, wanted) == 0;
}

// The name in the first line that comes nearest to one that is not there, and is no marker's: a
// slip of some letters before the first one behind a prefix. `place` is where it stands; it may be
// NULL.
static const char* nearest_heading(reader* r, const char* wanted, lb_place* place) {
  lb_nearest nearest = lb_nearest_to(wanted);
  const char* behind = NULL; // a prefix
  int at = 0;
  for (int c = 1; c < r->n.ncolumn; c++) {
    int axis = 0;
    const char* name = split(r, c, &axis);
    if (!name || r->n.wanted[c]) {
      continue;
    }
    lb_nearest_offer(&nearest, name);
    if (!nearest.best && !behind && has_prefix(name, wanted)) {
      behind = name;
      at = c;
    }
    at = nearest.best == name ? c : at;
  }
  if (place && at) {
    *place = r->n.place[at];
  }
  return nearest.best ? nearest.best : behind;
}

// Number of a marker's three columns that are there.
static int count_seen(const reader* r, int marker) {
  const int* c = &r->column[3 * marker];
  return (c[0] != UNUSED) + (c[1] != UNUSED) + (c[2] != UNUSED);
}

static lb_place first_line(const reader* r) {
  return (lb_place){r->m->file, r->n.place[0].line, 1};
}

static void check_columns(reader* r) {
  for (int i = 0; i < r->m->nmarker; i++) {
    const char* name = r->m->marker[i].name;
    const int seen = count_seen(r, i);
    if (seen == 0 && r->all && r->scene->nmarker > 0 && r->n.kind == LB_TABLE_CELLS) {
      const char* near = nearest_heading(r, name, NULL);
      lb_numbers_mistake(&r->n, first_line(r),
                         "there is no column '%s.x' for the scene's marker '%s'%s%s%s", name, name,
                         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    } else if (seen > 0 && seen < 3) {
      lb_numbers_mistake(&r->n, first_line(r),
                         "marker '%s' needs three columns, %s.x, %s.y and %s.z; there %s %d", name,
                         name, name, name, seen == 1 ? "is" : "are", seen);
    }
  }
}

// Markers of the scene without columns that may be there under a similar name.
static lb_status note_misspelt(reader* r) {
  lb_status status = LB_OK;
  for (int i = 0; i < r->m->nmarker && status == LB_OK && r->scene->nmarker > 0; i++) {
    lb_place place;
    const char* name = r->m->marker[i].name;
    const char* near = count_seen(r, i) == 0 ? nearest_heading(r, name, &place) : NULL;
    if (near) {
      status = lb_numbers_note(
          &r->n, place, "marker '%.80s' of the model is not there (did you mean it by '%.80s'?)",
          name, near);
    }
  }
  return status;
}

// What has no columns is no marker.
static void keep_seen(reader* r) {
  lb_markers* m = r->m;
  int n = 0;
  for (int i = 0; i < m->nmarker; i++) {
    if (count_seen(r, i) == 3) {
      memmove(&r->column[3 * n], &r->column[3 * i], 3 * sizeof *r->column);
      m->marker[n++] = m->marker[i];
    }
  }
  m->nmarker = n;
}

// A table of other markers than the model's has few of them by chance.
static lb_status note_few(reader* r, int wanted) {
  const int found = r->m->nmarker;
  return found == 0 || 2 * found >= wanted || r->scene->nmarker == 0
             ? LB_OK
             : lb_numbers_note(&r->n, first_line(r),
                               "only %d of the %d markers of the model are in the table", found,
                               wanted);
}

// Nothing fits: perhaps a name is misspelt.
static void no_columns(reader* r) {
  const lb_scene* s = r->scene;
  if (r->n.kind == LB_TABLE_MOTION) {
    lb_numbers_mistake(&r->n, first_line(r),
                       "this is no table of markers (give a .trc, or columns NAME.x, NAME.y and "
                       "NAME.z)");
    return;
  }
  for (int i = 0; i < s->nmarker; i++) {
    const char* near = nearest_heading(r, s->marker[i].name, NULL);
    if (near) {
      lb_numbers_mistake(&r->n, first_line(r), "the scene has no marker '%s' (did you mean '%s'?)",
                         near, s->marker[i].name);
      return;
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    const char* near = nearest_heading(r, s->body[i].name, NULL);
    if (near) {
      lb_numbers_mistake(&r->n, first_line(r), "the scene has no body '%s' (did you mean '%s'?)",
                         near, s->body[i].name);
      return;
    }
  }
  lb_numbers_mistake(
      &r->n, first_line(r),
      "no column belongs to a body of the scene (call them NAME.x, NAME.y and NAME.z by the "
      "bodies' names, or list your markers in the scene)");
}

// --- the whole ---

// Names of the columns.
static lb_status name_markers(reader* r) {
  const lb_scene* s = r->scene;
  lb_markers* m = r->m;
  m->nmarker = s->nmarker ? s->nmarker : s->nbody;
  m->marker = LB_TAKE(r->arena, lb_scene_marker, m->nmarker);
  r->column = LB_TAKE(&r->scratch, int, 3 * m->nmarker);
  if (!m->marker || !r->column) {
    return lack(r);
  }
  for (int i = 0; i < m->nmarker; i++) {
    m->marker[i] = s->nmarker ? s->marker[i]
                              : (lb_scene_marker){.name = s->body[i].name, .body = i, .weight = 1};
    m->marker[i].place = (lb_place){0};
    m->marker[i].name = lb_arena_text(r->arena, m->marker[i].name, strlen(m->marker[i].name));
    for (int k = 0; k < 3; k++) {
      r->column[3 * i + k] = UNUSED;
    }
  }
  return lb_arena_status(r->arena) == LB_OK ? LB_OK : lack(r);
}

static lb_status take_samples(reader* r) {
  lb_markers* m = r->m;
  const size_t width = 3 * (size_t)m->nmarker;
  m->nsample = r->n.nrow;
  m->time = LB_TAKE(r->arena, double, m->nsample);
  m->x = LB_TAKE(r->arena, double, (size_t)m->nsample* width);
  if (!m->time || !m->x) {
    return lack(r);
  }
  for (int i = 0; i < m->nsample; i++) {
    const double* row = r->n.value + (size_t)i * (size_t)r->n.ncolumn;
    m->time[i] = row[0];
    for (size_t k = 0; k < width; k++) {
      m->x[(size_t)i * width + k] = row[r->column[k]];
    }
  }
  return m->nsample >= LEAST_SAMPLES
             ? LB_OK
             : lb_error_add(r->err, LB_INVALID, (lb_place){m->file, 0, 0},
                            "there are %d samples; a motion needs at least %d", m->nsample,
                            LEAST_SAMPLES);
}

static lb_status read_table(reader* r, const char* text, size_t length) {
  lb_status status = lb_numbers_begin(&r->n, r->m->file, text, length,
                                      ": time, NAME.x, NAME.y, NAME.z, ...", &r->scratch, r->err);
  if (status != LB_OK && r->n.ncolumn == 0) {
    return status;
  }
  r->n.wanted = LB_TAKE(&r->scratch, bool, r->n.ncolumn);
  if (status == LB_NO_MEMORY || !r->n.wanted) {
    return status == LB_NO_MEMORY ? status : lack(r);
  }
  find_columns(r);
  check_columns(r);
  if (note_misspelt(r) != LB_OK) {
    return LB_NO_MEMORY;
  }
  const int wanted = r->m->nmarker;
  keep_seen(r);
  if (note_few(r, wanted) != LB_OK) {
    return LB_NO_MEMORY;
  }
  if (lb_arena_status(&r->scratch) != LB_OK) {
    return lack(r);
  }
  if (r->n.mistakes == 0 && r->m->nmarker == 0) {
    no_columns(r);
  }
  status = r->m->nmarker > 0 ? lb_numbers_lines(&r->n) : LB_OK;
  if (status == LB_OK && !lb_numbers_pass_on(&r->n, r->arena, &r->m->nnote, &r->m->note)) {
    return lack(r);
  }
  return status == LB_NO_MEMORY ? status : r->n.mistakes > 0 ? LB_INVALID : take_samples(r);
}

static lb_status read_text(reader* r, const char* text, size_t length, const char* name) {
  r->m->file = lb_arena_text(r->arena, name, strlen(name));
  const lb_status status = r->m->file ? name_markers(r) : lack(r);
  return status == LB_OK ? read_table(r, text, length) : status;
}

lb_status lb_markers_parse(const char* text, size_t length, const char* name, const lb_scene* scene,
                           bool all, const lb_allocator* allocator, lb_markers** markers,
                           lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  reader r = {.scene = scene, .all = all, .arena = &arena, .err = err};
  lb_arena_init(&r.scratch, allocator);
  lb_markers fallback = {.file = name};
  lb_markers* m = LB_TAKE(&arena, lb_markers, 1);
  r.m = m ? m : &fallback;
  lb_status status = m ? read_text(&r, text, length, name) : lack(&r);
  lb_arena_release(&r.scratch);
  if (status == LB_OK && !(m->storage = lb_arena_keep(&arena))) {
    status = lack(&r);
  }
  if (status == LB_OK) {
    *markers = m;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

lb_status lb_markers_read(const char* path, const lb_scene* scene, bool all,
                          const lb_allocator* allocator, lb_markers** markers, lb_error* err) {
  lb_arena scratch;
  char* text = NULL;
  size_t size = 0;
  lb_arena_init(&scratch, allocator);
  lb_status status =
      lb_numbers_load(path, "table of markers", (lb_place){0}, &scratch, &text, &size, err);
  if (status == LB_OK) {
    status = lb_markers_parse(text, size, path, scene, all, allocator, markers, err);
  }
  lb_arena_release(&scratch);
  return status;
}

void lb_markers_release(lb_markers* markers) {
  if (markers) {
    lb_arena_release_kept(markers->storage);
  }
}
