// Tables of OpenSim: motions (.mot and .sto), whose header ends in `endheader`, and markers (.trc),
// whose header has five lines. Both are found by their contents. Markers come out in metres, along
// the world's axes: the files are y up.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scene/table/number_table.h"

enum { LONGEST_HEADER = 10000 }; // lines

static lb_status lack(const lb_numbers* n) {
  return lb_error_add(n->err, LB_NO_MEMORY, (lb_place){n->file, 0, 0},
                      "there is not enough memory for the table");
}

static bool begins(const lb_scan* s, const char* text) {
  const size_t size = strlen(text);
  return (size_t)(s->end - s->at) >= size && strncmp(s->at, text, size) == 0;
}

lb_table_kind lb_table_kind_of(const char* text, size_t size) {
  lb_scan s = lb_scan_begin(text, size, "");
  if (begins(&s, "PathFileType")) {
    return LB_TABLE_MARKERS;
  }
  for (int i = 0; i < LONGEST_HEADER; i++) {
    if (begins(&s, "endheader")) {
      return LB_TABLE_MOTION;
    }
    if (!lb_scan_line(&s)) {
      break;
    }
  }
  return LB_TABLE_CELLS;
}

// --- columns ---

static bool add_column(lb_numbers* n, int* names, int* places, const char* name, lb_place place) {
  const char** grown = LB_GROW(n->arena, n->name, n->ncolumn, names);
  lb_place* grown_places = LB_GROW(n->arena, n->place, n->ncolumn, places);
  if (!grown || !grown_places || !name) {
    return false;
  }
  n->name = grown;
  n->place = grown_places;
  n->name[n->ncolumn] = name;
  n->place[n->ncolumn++] = place;
  return true;
}

static const char* line_end(const lb_scan* s) {
  const char* at = s->at;
  while (at < s->end && *at != '\n' && *at != '\r') {
    at++;
  }
  return at;
}

// Next cell of a line up to `end`: between tabs where the line has any, else between blanks. Runs
// of tabs are one where `runs`. False: the line is over.
static bool next_cell(lb_scan* s, const char* end, bool tabs, bool runs, lb_word* cell) {
  const char* at = s->at;
  while (at < end && ((runs && *at == '\t') || *at == ' ' || (!tabs && *at == '\t'))) {
    at++;
  }
  if (at >= end && (runs || !tabs || s->at >= end)) {
    return false;
  }
  const char* from = at;
  while (at < end && *at != '\t' && (tabs || *at != ' ')) {
    at++;
  }
  const char* to = at;
  while (to > from && to[-1] == ' ') {
    to--;
  }
  *cell = (lb_word){from, (size_t)(to - from)};
  s->at = at < end ? at + 1 : at;
  return true;
}

static bool has_tabs(const lb_scan* s, const char* end) {
  return memchr(s->at, '\t', (size_t)(end - s->at)) != NULL;
}

// --- motions ---

// A count of a header is a whole number, or not there at all: c->value is -1 then.
static lb_status read_count(lb_numbers* n, lb_word value, const char* form, lb_table_count* c) {
  int count = -1;
  if (value.size > 0 && (!lb_word_integer(value, &count) || count < 0)) {
    return lb_numbers_mistake(n, c->place,
                              "%s must be a whole number from 0 to %d, as in '%s', not '%s'",
                              c->word, INT_MAX, form, lb_word_show(value).text);
  }
  c->value = count;
  return LB_OK;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// "nRows=151", "inDegrees: yes", "datarows 151": the word behind a key, in any case; false: another
// line. Without '=' or ':' only what begins with one of some letters is a value: a line may say "nRows
// in radians".
static bool value_behind(const lb_scan* s, const char* key, const char* like, lb_word* value) {
  const size_t size = strlen(key);
  const char *end = line_end(s), *at = s->at;
  bool says = false;
  while (at < end && is_blank(*at)) {
    at++;
  }
  if ((size_t)(end - at) <= size || strncasecmp(at, key, size) != 0 ||
      !(is_blank(at[size]) || at[size] == '=' || at[size] == ':')) {
    return false;
  }
  for (at += size; at < end && (is_blank(*at) || *at == '=' || *at == ':'); at++) {
    says |= !is_blank(*at);
  }
  const char* from = at;
  while (at < end && !is_blank(*at)) {
    at++;
  }
  *value = (lb_word){from, (size_t)(at - from)};
  return says || value->size == 0 || strchr(like, *from);
}

static bool has_text(const lb_scan* s, const char* end, const char* text) {
  const size_t size = strlen(text);
  for (const char* at = s->at; at + size <= end; at++) {
    if (strncmp(at, text, size) == 0) {
      return true;
    }
  }
  return false;
}

// "inDegrees=yes".
static lb_status read_unit(lb_numbers* n, lb_word value, lb_place place) {
  static const struct {
    const char* word;
    bool degrees;
  } WORDS[] = {{"yes", true}, {"y", true},  {"true", true},   {"1", true},
               {"no", false}, {"n", false}, {"false", false}, {"0", false}};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    if (strlen(WORDS[i].word) == value.size &&
        strncasecmp(value.at, WORDS[i].word, value.size) == 0) {
      n->degrees = WORDS[i].degrees;
      n->says_unit = true;
      return LB_OK;
    }
  }
  return lb_numbers_mistake(n, place, "inDegrees must be yes or no, not '%s'",
                            lb_word_show(value).text);
}

// Angles are in what the header says; without a word in degrees, where the file is called .mot.
static lb_status read_header_line(lb_numbers* n, const lb_scan* s) {
  const struct {
    const char *word, *form;
    lb_table_count* to;
  } count[] = {{"nRows", "nRows=151", &n->rows},
               {"datarows", "datarows 151", &n->rows},
               {"nColumns", "nColumns=24", &n->columns},
               {"datacolumns", "datacolumns 24", &n->columns}};
  lb_word value = {"", 0};
  for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
    if (value_behind(s, count[k].word, "+-0123456789", &value)) {
      *count[k].to = (lb_table_count){-1, count[k].word, lb_scan_place(s, s->at)};
      return read_count(n, value, count[k].form, count[k].to);
    }
  }
  if (value_behind(s, "inDegrees", "yYnNtTfF01", &value)) {
    return read_unit(n, value, lb_scan_place(s, s->at));
  }
  if (has_text(s, line_end(s), "Angles are in degrees")) {
    n->degrees = n->says_unit = true;
  }
  return LB_OK;
}

static bool ends_in(const char* name, const char* end) {
  const size_t size = strlen(name), last = strlen(end);
  return size >= last && strcmp(name + size - last, end) == 0;
}

lb_status lb_motion_begin(lb_numbers* n) {
  lb_scan* s = &n->cells.scan;
  int names = 0, places = 0;
  const char* dot = strrchr(n->file, '.');
  lb_status status = LB_OK;
  n->degrees = dot && strcasecmp(dot, ".mot") == 0;
  while (!begins(s, "endheader")) {
    const lb_status one = read_header_line(n, s);
    status = status == LB_OK ? one : status;
    lb_scan_line(s); // it is there
  }
  do {
    if (!lb_scan_line(s)) {
      return lb_numbers_mistake(n, lb_scan_place(s, s->at), "nothing follows the header");
    }
  } while (line_end(s) == s->at);
  const char* end = line_end(s);
  const bool tabs = has_tabs(s, end);
  lb_word cell, first = {"", 0};
  while (next_cell(s, end, tabs, true, &cell)) {
    first = n->ncolumn == 0 ? cell : first;
    if (!add_column(n, &names, &places, lb_arena_text(n->arena, cell.at, cell.size),
                    lb_scan_place(s, cell.at))) {
      return lack(n);
    }
  }
  return n->ncolumn > 0 && lb_word_is(first, "time")
             ? status
             : lb_numbers_mistake(n, lb_scan_place(s, s->line_start),
                                  "the first column must be 'time', not '%s'",
                                  lb_word_show(first).text);
}

lb_status lb_motion_line(lb_numbers* n, double* value, int* count) {
  lb_scan* s = &n->cells.scan;
  lb_word word;
  for (*count = 0; lb_scan_word(s, &word); ++*count) {
    double x = 0;
    const bool number = lb_word_number(word, &x), missing = lb_word_is(word, "nan");
    if (!number && !missing) {
      return lb_numbers_mistake(n, lb_scan_place(s, word.at), "'%s' is not a number",
                                lb_word_show(word).text);
    }
    if (*count < n->ncolumn) {
      value[*count] = number ? x : (double)NAN;
    }
  }
  return LB_OK;
}

// --- markers ---

// The word at index k of a line, or none.
static lb_word word_at(lb_scan s, int k) {
  lb_word word = {"", 0};
  for (int i = 0; i <= k; i++) {
    if (!lb_scan_word(&s, &word)) {
      return (lb_word){"", 0};
    }
  }
  return word;
}

// The value of a title in the line below, or none; `place` is where it stands.
static lb_word value_of(const lb_numbers* n, lb_scan titles, const char* title, lb_place* place) {
  const lb_scan* s = &n->cells.scan; // at the line of values
  int k = 0;
  for (lb_word word; lb_scan_word(&titles, &word); k++) {
    if (lb_word_is(word, title)) {
      const lb_word value = word_at(*s, k);
      *place = lb_scan_place(s, value.size > 0 ? value.at : s->at);
      return value;
    }
  }
  *place = lb_scan_place(s, s->at);
  return (lb_word){"", 0};
}

// A count by its title, in small letters.
static lb_status read_titled(lb_numbers* n, lb_scan titles, const char* title, const char* form,
                             lb_table_count* c) {
  const lb_word value = value_of(n, titles, title, &c->place);
  return read_count(n, value, form, c);
}

static const struct {
  const char* name;
  double scale;
} UNITS[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"meters", 1}};

static lb_status read_titles(lb_numbers* n, lb_scan titles) {
  const lb_word rate = value_of(n, titles, "datarate", &n->rate_place);
  if (!lb_word_number(rate, &n->rate) || !(n->rate > 0)) {
    n->rate = 0;
  }
  n->rows.word = "NumFrames";
  n->markers.word = "NumMarkers";
  const lb_status rows = read_titled(n, titles, "numframes", "151", &n->rows);
  const lb_status markers = read_titled(n, titles, "nummarkers", "39", &n->markers);
  const lb_word unit = value_of(n, titles, "units", &n->unit_place);
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
    if (lb_word_is(unit, UNITS[i].name)) {
      n->scale = UNITS[i].scale;
      return rows == LB_OK ? markers : rows;
    }
  }
  return lb_numbers_mistake(n, n->unit_place, "'Units' must be mm, cm or m, not '%s'",
                            lb_word_show(unit).text);
}

// Names as scenes allow them: other characters become underscores.
static char* marker_name(lb_numbers* n, lb_word cell, char axis) {
  char* name = LB_TAKE(n->arena, char, cell.size + 3);
  for (size_t i = 0; name && i < cell.size; i++) {
    const unsigned char c = (unsigned char)cell.at[i];
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c >= 0x80 || (i > 0 && strchr(".-_", c));
    name[i] = good ? (char)c : '_';
  }
  if (name) {
    name[cell.size] = '.';
    name[cell.size + 1] = axis;
  }
  return name;
}

static lb_status cut(lb_numbers* n) {
  return lb_numbers_mistake(n, lb_cells_place(&n->cells, NULL), "the header is cut short");
}

lb_status lb_trc_begin(lb_numbers* n) {
  lb_scan* s = &n->cells.scan;
  int names = 0, places = 0;
  if (!lb_scan_line(s)) {
    return cut(n);
  }
  const lb_scan titles = *s;
  if (!lb_scan_line(s)) {
    return cut(n);
  }
  const lb_status status = read_titles(n, titles);
  if (n->scale == 0 || !lb_scan_line(s)) {
    return status != LB_OK ? status : cut(n);
  }
  const char* end = line_end(s);
  const bool tabs = has_tabs(s, end);
  lb_word cell;
  for (int i = 0; next_cell(s, end, tabs, true, &cell); i++) {
    const lb_place place = lb_scan_place(s, cell.at);
    bool ok = i != 1 || add_column(n, &names, &places, "time", place);
    for (int k = 0; k < 3 && i >= 2 && cell.size > 0; k++) {
      ok = ok && add_column(n, &names, &places, marker_name(n, cell, "xyz"[k]), place);
    }
    if (!ok) {
      return lack(n);
    }
  }
  if (n->ncolumn < 4) {
    return lb_numbers_mistake(n, lb_scan_place(s, s->line_start),
                              "this line must name Frame#, Time and markers");
  }
  return lb_scan_line(s) ? status : cut(n); // X1 Y1 Z1 ...
}

// Frame, time, x, y, z of each marker; empty cells are markers that were not seen.
lb_status lb_trc_line(lb_numbers* n, double* value, int* count) {
  lb_scan* s = &n->cells.scan;
  const char* end = line_end(s);
  const bool tabs = has_tabs(s, end);
  lb_word cell;
  for (int c = 0; c < n->ncolumn; c++) {
    value[c] = NAN;
  }
  int i = 0;
  for (; next_cell(s, end, tabs, false, &cell); i++) {
    double x = NAN;
    if (cell.size > 0 && !lb_word_number(cell, &x) && !lb_word_is(cell, "nan")) {
      return lb_numbers_mistake(n, lb_scan_place(s, cell.at), "'%s' is not a number",
                                lb_word_show(cell).text);
    }
    const int column = i - 1;
    if (column == 0) {
      value[0] = x;
    } else if (column > 0 && column < n->ncolumn) {
      // x, y, z of the file are x, z, -y of the world
      static const int TO[] = {0, 2, 1};
      const int k = (column - 1) % 3;
      value[column - k + TO[k]] = (k == 2 ? -1 : 1) * n->scale * x;
    } else if (column >= n->ncolumn && cell.size > 0) {
      return lb_numbers_mistake(n, lb_scan_place(s, cell.at),
                                "there are more numbers than the %d markers of the header have",
                                (n->ncolumn - 1) / 3);
    }
  }
  // what is not there was not seen; between blanks it may be any of them
  *count = tabs || i <= 2 ? n->ncolumn : i - 1;
  return LB_OK;
}

// Greatest extent along an axis of the markers in a line; 0 where fewer than two are seen.
static double extent(const lb_numbers* n, int row) {
  const double* value = n->value + (size_t)row * (size_t)n->ncolumn;
  double most = 0;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int c = 1 + k; c < n->ncolumn; c += 3) {
      low = fmin(low, value[c]); // not of NAN
      high = fmax(high, value[c]);
    }
    most = fmax(most, high - low);
  }
  return most;
}

// Unit other than the table's with which a size is that of a subject, or NULL.
static const char* find_unit(const lb_numbers* n, double size) {
  static const double LEAST = 0.2, MOST = 5;
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
    const double other = size / n->scale * UNITS[i].scale;
    if (other >= LEAST && other <= MOST) {
      return UNITS[i].name;
    }
  }
  return NULL;
}

lb_status lb_trc_check_unit(lb_numbers* n) {
  static const double LEAST = 0.05, MOST = 8; // m
  double small = INFINITY, large = 0;         // of all lines that have any
  for (int i = 0; i < n->nrow; i++) {
    const double size = extent(n, i);
    small = size > 0 ? fmin(small, size) : small;
    large = fmax(large, size);
  }
  const bool tiny = large > 0 && large < LEAST;
  const bool huge = large > 0 && small > MOST;
  const char* unit = tiny || huge ? find_unit(n, tiny ? large : small) : NULL;
  if (!tiny && !huge) {
    return LB_OK;
  }
  return lb_numbers_note(
      n, n->unit_place, "with this unit the markers span %s %.3g m (are they in %s?)",
      tiny ? "no more than" : "more than", tiny ? large : small, unit ? unit : "another one");
}

// Tools write zeros where a marker was not seen, which pull the pose to the origin.
lb_status lb_trc_check_zeros(lb_numbers* n) {
  int count = 0, row = 0, column = 0;
  for (int i = 0; i < n->nrow; i++) {
    const double* value = n->value + (size_t)i * (size_t)n->ncolumn;
    for (int c = 1; c + 2 < n->ncolumn; c += 3) {
      if (value[c] == 0 && value[c + 1] == 0 && value[c + 2] == 0 && count++ == 0) {
        row = i;
        column = c;
      }
    }
  }
  return count == 0
             ? LB_OK
             : lb_numbers_note(n, (lb_place){n->file, n->line[row], 1},
                               "marker '%.*s' is at 0, 0, 0 here, and %d such places are in the "
                               "table (leave cells empty where a marker was not seen)",
                               (int)strlen(n->name[column]) - 2, n->name[column], count);
}

// --- coordinates by name ---

// A coordinate NAME is called so, or /jointset/.../NAME/value; its speed NAME_u or .../NAME/speed.
int lb_motion_column(const lb_numbers* n, const char* name, bool rate) {
  char path[160], plain[160];
  if (!name) {
    return -1;
  }
  snprintf(path, sizeof path, "/%.100s/%s", name, rate ? "speed" : "value");
  snprintf(plain, sizeof plain, "%.100s%s", name, rate ? "_u" : "");
  const int column = lb_numbers_column(n, plain);
  for (int i = 0; i < n->ncolumn && column < 0; i++) {
    if (ends_in(n->name[i], path)) {
      return i;
    }
  }
  return column;
}
