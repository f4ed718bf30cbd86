// Numbers of a search from its file, parameters.csv: lines NAME,NUMBER,start,VALUE,...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "design/optimize.h"

enum { LONGEST = 512 };

static const char HEADER[] = "parameter,number,start,value,at_least,at_most";

typedef struct reading {
  const lb_optimization* o;
  const char* path;
  int line;
  double* x; // [nvalue] NAN until it is read
  lb_error* err;
} reading;

// The next cell, ended by a NUL; NULL: there is none.
static char* cell(char** at) {
  char* begin = *at;
  if (!begin) {
    return NULL;
  }
  char* comma = strchr(begin, ',');
  *at = comma ? comma + 1 : NULL;
  if (comma) {
    *comma = 0;
  }
  return begin;
}

static bool read_number(const char* text, double* out) {
  char* end = NULL;
  *out = text ? strtod(text, &end) : NAN;
  return text && end != text && *end == 0 && isfinite(*out);
}

// Put a number where it belongs.
static lb_status put(reading* r, int i, int k, double x) {
  const lb_optimization* o = r->o;
  const char* name = o->scene->optimize.parameter[i].name;
  const int at = o->first[i] + k;
  const lb_place place = {r->path, r->line, 1};
  if (!isnan(r->x[at])) {
    return lb_error_add(r->err, LB_INVALID, place,
                        "number %d of parameter '%s' is there twice (keep one line)", k, name);
  }
  if (x < o->least[at] || x > o->most[at]) {
    return lb_error_add(r->err, LB_INVALID, place,
                        "number %d of parameter '%s' is %g, and must be from %g to %g", k, name, x,
                        o->least[at], o->most[at]);
  }
  r->x[at] = x;
  return LB_OK;
}

static lb_status read_line(reading* r, char* text) {
  const lb_scene_optimize* what = &r->o->scene->optimize;
  char* at = text;
  const char* name = cell(&at);
  const char* number = cell(&at);
  cell(&at);
  const char* value = cell(&at);
  double k = NAN, x = NAN;
  int i = 0;
  while (i < what->nparameter && strcmp(what->parameter[i].name, name) != 0) {
    i++;
  }
  if (i == what->nparameter) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){r->path, r->line, 1},
                        "the scene has no parameter '%.64s' (is the file of another scene?)", name);
  }
  if (!read_number(number, &k) || !read_number(value, &x) || k != floor(k)) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){r->path, r->line, 1}, "a line must be %s",
                        HEADER);
  }
  const int count = r->o->first[i + 1] - r->o->first[i];
  if (k < 0 || k >= count) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){r->path, r->line, 1},
                        "parameter '%s' has %d numbers, from 0 on, and no number %g", name, count,
                        k);
  }
  return put(r, i, (int)k, x);
}

static lb_status read_header(reading* r, FILE* file) {
  char text[LONGEST] = "";
  const bool any = fgets(text, sizeof text, file) != NULL;
  if (!any && ferror(file)) { // a folder opens, but cannot be read
    return lb_error_add(r->err, LB_IO, (lb_place){0}, "%s: cannot be read", r->path);
  }
  r->line = 1;
  text[strcspn(text, "\r\n")] = 0;
  return strcmp(text, HEADER) == 0
             ? LB_OK
             : lb_error_add(r->err, LB_INVALID, (lb_place){r->path, 1, 1},
                            "the first line must be %s (is it a file of 'limber optimize'?)",
                            HEADER);
}

static lb_status read_lines(reading* r, FILE* file) {
  char text[LONGEST];
  lb_status status = read_header(r, file);
  while (status == LB_OK && fgets(text, sizeof text, file)) {
    r->line++;
    text[strcspn(text, "\r\n")] = 0;
    if (*text) {
      status = read_line(r, text);
    }
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
  FILE* file = fopen(path, "r");
  if (!file) {
    return lb_error_add(err, LB_IO, (lb_place){0}, "%s: cannot be read", path);
  }
  const lb_allocator* allocator = o->work->allocator;
  reading r = {.o = o, .path = path, .err = err};
  r.x = lb_allocate(allocator, (size_t)o->nvalue * sizeof *r.x);
  if (!r.x) {
    fclose(file);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for %s", path);
  }
  for (int i = 0; i < o->nvalue; i++) {
    r.x[i] = NAN;
  }
  const lb_status status = read_lines(&r, file);
  if (status == LB_OK) {
    memcpy(x, r.x, (size_t)o->nvalue * sizeof *x);
  }
  lb_release(allocator, r.x);
  fclose(file);
  return status;
}
