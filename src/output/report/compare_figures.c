#define _GNU_SOURCE // strtod_l
#include "output/report/compare_figures.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- tables: a line of headings, then numbers, the first of them the time ---

typedef struct table {
  int nrow, ncolumn;
  char (*name)[LB_COMPARED_NAME]; // [ncolumn], cut to fit
  double* value;                  // [nrow][ncolumn]; NAN: the cell is empty
} table;

static int count(const char* text, size_t size, char what) {
  int n = 0;
  for (size_t i = 0; i < size; i++) {
    n += text[i] == what;
  }
  return n;
}

// The next heading, without its quotes; two of them inside are one.
static const char* read_heading(const char* at, const char* end, char name[LB_COMPARED_NAME]) {
  const bool quoted = at < end && *at == '"';
  size_t used = 0;
  for (at += quoted; at < end; at++) {
    const bool quote = quoted && *at == '"';
    const bool twice = quote && at + 1 < end && at[1] == '"';
    if ((quote && !twice) || (!quoted && *at == ',')) {
      break;
    }
    at += twice;
    if (used + 1 < LB_COMPARED_NAME) {
      name[used++] = *at;
    }
  }
  name[used] = 0;
  at += quoted && at < end;
  return at < end ? at + 1 : end;
}

static void read_row(const char* at, const char* end, int ncolumn, double* value, locale_t plain) {
  for (int c = 0; c < ncolumn; c++) {
    char* stop = NULL;
    value[c] = at < end ? strtod_l(at, &stop, plain) : NAN;
    value[c] = at < end && stop == at ? NAN : value[c];
    const char* comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
    at = comma ? comma + 1 : end;
  }
}

static bool read_table(const char* text, size_t size, locale_t plain, lb_arena* arena, table* t) {
  const char *end = text + size, *line = memchr(text, '\n', size);
  *t = (table){0};
  if (!line) {
    return true;
  }
  t->nrow = count(line, (size_t)(end - line), '\n') - 1;
  const int most = 1 + count(text, (size_t)(line - text), ',');
  t->name = (char(*)[LB_COMPARED_NAME])LB_TAKE(arena, char, (size_t)most * sizeof *t->name);
  for (const char* at = text; t->name && at < line; t->ncolumn++) {
    at = read_heading(at, line, t->name[t->ncolumn]);
  }
  t->value = LB_TAKE(arena, double, (size_t)t->nrow*(size_t)t->ncolumn + 1);
  for (int i = 0; i < t->nrow && t->name && t->value; i++) {
    const char* next = memchr(line + 1, '\n', (size_t)(end - line - 1));
    read_row(line + 1, next, t->ncolumn, t->value + (size_t)i * (size_t)t->ncolumn, plain);
    line = next;
  }
  return t->name && t->value;
}

static int find_column(const table* t, const char* name) {
  for (int c = 0; c < t->ncolumn; c++) {
    if (strcmp(t->name[c], name) == 0) {
      return c;
    }
  }
  return -1;
}

static double cell(const table* t, int row, int column) {
  return t->value[(size_t)row * (size_t)t->ncolumn + (size_t)column];
}

// --- bodies: columns NAME.x, NAME.y, NAME.z and NAME.qw follow each other ---

// Name before an ending; false: it does not end so.
static bool strip(const char* column, const char* ending, char name[LB_COMPARED_NAME]) {
  const size_t all = strlen(column), tail = strlen(ending);
  if (all <= tail || strcmp(column + all - tail, ending) != 0) {
    return false;
  }
  memcpy(name, column, all - tail);
  name[all - tail] = 0;
  return true;
}

static bool is_body(const table* t, int column, char name[LB_COMPARED_NAME]) {
  char turn[LB_COMPARED_NAME];
  return column + 3 < t->ncolumn && strip(t->name[column], ".x", name) &&
         strip(t->name[column + 3], ".qw", turn) && strcmp(name, turn) == 0;
}

// Angle between orientations: 4 atan(|p - q|/|p + q|) of unit quaternions, of which -q is q.
static double angle_between(const double p[4], const double q[4]) {
  double minus = 0, plus = 0;
  for (int i = 0; i < 4; i++) {
    minus += (p[i] - q[i]) * (p[i] - q[i]);
    plus += (p[i] + q[i]) * (p[i] + q[i]);
  }
  return 4 * atan2(sqrt(fmin(minus, plus)), sqrt(fmax(minus, plus)));
}

// Places and orientations of a body between two rows, [7]: straight lines between them.
static void between(const table* t, int row, int next, double part, int column, double out[7]) {
  double same = 0, size = 0;
  for (int x = 3; x < 7; x++) {
    same += cell(t, row, column + x) * cell(t, next, column + x);
  }
  for (int x = 0; x < 7; x++) {
    const double p = cell(t, row, column + x), q = cell(t, next, column + x);
    out[x] = p + part * ((x >= 3 && same < 0 ? -q : q) - p);
    size += x >= 3 ? out[x] * out[x] : 0;
  }
  for (int x = 3; x < 7; x++) {
    out[x] /= sqrt(size);
  }
}

static void note_most(double* most, double* when, double value, double time) {
  if (value > *most) {
    *most = value;
    *when = time;
  }
}

// Differences at the times of a; b may end before.
static lb_compared_body body_apart(const table* a, int ca, const table* b, int cb) {
  lb_compared_body out = {0};
  for (int i = 0, k = 0; i < a->nrow && b->nrow > 0; i++) {
    const double t = cell(a, i, 0);
    while (k + 2 < b->nrow && cell(b, k + 1, 0) < t) {
      k++;
    }
    const int next = k + 1 < b->nrow ? k + 1 : k;
    const double from = cell(b, k, 0), length = cell(b, next, 0) - from;
    const double part = length > 0 ? (t - from) / length : 0;
    double sum = 0, x[7], y[7];
    between(a, i, i, 0, ca, x);
    between(b, k, next, part, cb, y);
    for (int c = 0; c < 3; c++) {
      sum += (x[c] - y[c]) * (x[c] - y[c]);
    }
    if (part > 1 + 1e-9) {
      break;
    }
    note_most(&out.distance, &out.time, sqrt(sum), t);
    note_most(&out.angle, &out.turned, angle_between(x + 3, y + 3), t);
  }
  return out;
}

// Put a new one among those that are shown, the largest first; the last may fall out.
static void put_in_order(void* list, size_t width, int shown,
                         bool (*less)(const void*, const void*), const void* item) {
  char* at = list;
  int i = shown < LB_COMPARED_MOST ? shown : LB_COMPARED_MOST;
  while (i > 0 && less(at + (size_t)(i - 1) * width, item)) {
    i--;
  }
  if (i < LB_COMPARED_MOST) {
    memmove(at + (size_t)(i + 1) * width, at + (size_t)i * width,
            (size_t)(LB_COMPARED_MOST - 1 - i) * width);
    memcpy(at + (size_t)i * width, item, width);
  }
}

static bool nearer(const void* x, const void* y) {
  const lb_compared_body *a = x, *b = y;
  return a->distance < b->distance || (a->distance == b->distance && a->angle < b->angle);
}

static void compare_bodies(const table t[2], lb_compared* out) {
  for (int of = 0; of < 2; of++) {
    for (int c = 1; c < t[of].ncolumn; c++) {
      char name[LB_COMPARED_NAME];
      if (!is_body(&t[of], c, name)) {
        continue;
      }
      const int other = find_column(&t[!of], t[of].name[c]);
      if (other < 0 && out->nalone[of]++ < LB_COMPARED_MOST) {
        memcpy(out->alone[of][out->nalone[of] - 1], name, sizeof name);
      } else if (other >= 0 && of == 0) {
        lb_compared_body one = body_apart(&t[0], c, &t[1], other);
        memcpy(one.name, name, sizeof name);
        put_in_order(out->body, sizeof one, out->nbody++, nearer, &one);
      }
    }
  }
}

// --- motors: columns NAME.force, NAME.speed and NAME.power follow each other ---

static double peak_of(const table* t, int column) {
  double most = 0;
  for (int i = 0; i < t->nrow; i++) {
    most = fmax(most, fabs(cell(t, i, column)));
  }
  return most;
}

static bool closer(const void* x, const void* y) {
  const lb_compared_motor *a = x, *b = y;
  return fabs(a->peak[1] - a->peak[0]) < fabs(b->peak[1] - b->peak[0]);
}

static void compare_motors(const table t[2], lb_compared* out) {
  for (int c = 1; c + 2 < t[0].ncolumn; c++) {
    lb_compared_motor one = {0};
    char power[LB_COMPARED_NAME];
    const int other = find_column(&t[1], t[0].name[c]);
    if (other >= 0 && strip(t[0].name[c], ".force", one.name) &&
        strip(t[0].name[c + 2], ".power", power) && strcmp(one.name, power) == 0) {
      one.peak[0] = peak_of(&t[0], c);
      one.peak[1] = peak_of(&t[1], other);
      put_in_order(out->motor, sizeof one, out->nmotor++, closer, &one);
    }
  }
}

bool lb_compare_figures(const lb_run_tables run[2], lb_arena* arena, lb_compared* out) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // numbers have points
  table path[2] = {0}, force[2] = {0};
  bool ok = plain;
  *out = (lb_compared){0};
  for (int i = 0; i < 2 && ok; i++) {
    ok = read_table(run[i].trajectory, run[i].trajectory_size, plain, arena, &path[i]) &&
         (!run[i].forces || read_table(run[i].forces, run[i].forces_size, plain, arena, &force[i]));
  }
  if (plain) {
    freelocale(plain);
  }
  if (ok) {
    compare_bodies(path, out);
    compare_motors(force, out);
  }
  return ok;
}
