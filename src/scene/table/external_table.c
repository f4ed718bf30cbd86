#include "scene/table/external_table.h"

#include <stdio.h>
#include <string.h>

#include "limber/math.h"
#include "scene/yaml/names.h"

// The three columns that begin so; those that go on with x, y and z, where there are more.
static int find_three(const lb_numbers* n, const char* start, int column[3]) {
  static const char* const ENDS[] = {"xyz", "XYZ", "123"};
  const size_t length = strlen(start);
  int count = 0;
  for (int i = 1; i < n->ncolumn; i++) {
    if (strncmp(n->name[i], start, length) == 0) {
      column[count < 3 ? count : 2] = i;
      count++;
    }
  }
  for (size_t e = 0; count > 3 && e < sizeof ENDS / sizeof *ENDS; e++) {
    int found = 0;
    for (int k = 0; k < 3; k++) {
      char name[160];
      snprintf(name, sizeof name, "%.150s%c", start, ENDS[e][k]);
      column[k] = lb_numbers_column(n, name);
      found += column[k] >= 0;
    }
    count = found == 3 ? 3 : count;
  }
  return count;
}

static lb_status wrong_count(const lb_scene_external* e, const lb_numbers* n, const char* start,
                             const char* what, int count, lb_error* err) {
  lb_nearest nearest = lb_nearest_to(start);
  for (int i = 1; i < n->ncolumn; i++) {
    lb_nearest_offer(&nearest, n->name[i]);
  }
  const char* near = count == 0 ? nearest.best : NULL;
  return lb_error_add(err, LB_INVALID, e->place,
                      "%s of '%.60s': %d columns of %s begin with '%.60s', and there must be three"
                      "%s%s%s",
                      what, e->name, count, n->file, start, near ? " (did you mean '" : "",
                      near ? near : "", near ? "'?)" : "");
}

// The ground of OpenSim is y up: its axes lie in the world as (x, -z, y).
static void turn_up(double x[3]) {
  const double y = x[1];
  x[1] = -x[2];
  x[2] = y;
}

// Force and moment about the origin of a frame that both are in are smooth, where a centre of
// pressure is not: the point becomes that origin.
static void move_to_origin(double x[9]) {
  const lb_vec3 f = {x[0], x[1], x[2]}, p = {x[6], x[7], x[8]};
  const lb_vec3 n = lb_vec3_cross(p, f);
  x[3] += n.x;
  x[4] += n.y;
  x[5] += n.z;
  x[6] = x[7] = x[8] = 0;
}

static lb_status lack(const lb_numbers* n, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){n->file, 0, 0}, "there is not enough memory");
}

lb_status lb_external_take(lb_scene_external* e, const lb_numbers* n, const int column[9],
                           lb_arena* arena, lb_error* err) {
  double* time = LB_TAKE(arena, double, n->nrow);
  double* value = LB_TAKE(arena, double, 9 * (size_t)n->nrow);
  if (!time || !value) {
    return lack(n, err);
  }
  lb_status status = lb_numbers_take(n, 0, time, 1, err);
  for (int k = 0; k < 9 && status == LB_OK; k++) {
    status = column[k] < 0 ? LB_OK : lb_numbers_take(n, column[k], value + k, 9, err);
  }
  const bool y_up = n->kind == LB_TABLE_MOTION;
  for (int i = 0; i < n->nrow; i++) {
    double* x = value + 9 * (size_t)i;
    if (y_up && e->force_in == LB_WORLD) {
      turn_up(x);
      turn_up(x + 3);
    }
    if (y_up && e->point_in == LB_WORLD) {
      turn_up(x + 6);
    }
    if (e->force_in == e->point_in) {
      move_to_origin(x);
    }
  }
  e->nsample = n->nrow;
  e->time = time;
  e->value = value;
  return status;
}

lb_status lb_external_fill(lb_scene_external* e, const lb_numbers* n, lb_arena* arena,
                           lb_error* err) {
  const struct {
    const char *start, *what;
    int first;
  } part[] = {{e->force, "the force", 0}, {e->torque, "the torque", 3}, {e->point, "the point", 6}};
  int column[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    const int count = part[i].start ? find_three(n, part[i].start, column + part[i].first) : 3;
    if (count != 3) {
      return wrong_count(e, n, part[i].start, part[i].what, count, err);
    }
  }
  if (!e->point) {
    e->point_in = e->body; // at its origin
  }
  return lb_external_take(e, n, column, arena, err);
}
