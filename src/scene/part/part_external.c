// Measured forces on bodies.
#include <math.h>

#include "scene/part/part.h"
#include "scene/table/external_table.h"

static const lb_field external_fields[] = {
    LB_ROW(ONE_BODY, lb_scene_external, "body", body, NULL, "the body it acts on"),
    LB_LATER(FILE, "file", NULL, NULL,
             "table over time: .mot, .sto, or comma-separated with the column time"),
    LB_ROW(TEXT, lb_scene_external, "force", force, "none",
           "how the names of three columns begin: the force"),
    LB_ROW(TEXT, lb_scene_external, "point", point, "the body's origin",
           "how the names of three columns begin: where it acts"),
    LB_ROW(TEXT, lb_scene_external, "torque", torque, "none",
           "how the names of three columns begin: a twist besides"),
    LB_ROW(BODY, lb_scene_external, "force_in", force_in, "world",
           "whose axes force and twist are along"),
    LB_ROW(BODY, lb_scene_external, "point_in", point_in, "world", "whose frame the point is in"),
};

static bool finish(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_external* e = part;
  const lb_yaml* file = lb_yaml_find(node, "file");
  lb_numbers n;
  if (!ok || !file) {
    return false; // which is reported
  }
  if (!e->force && !e->torque) {
    return lb_complain(r, node->place, ": 'force' or 'torque' must name columns of the table");
  }
  const char* path = lb_find_file(r, file);
  if (!path) {
    return false;
  }
  e->file = path;
  lb_status status = lb_numbers_read(path, "table of forces", r->keep, &n, r->report.err);
  status = status == LB_OK ? lb_external_fill(e, &n, r->keep, r->report.err) : status;
  return lb_note(r, status);
}

static bool rises(const lb_scene_external* e) {
  bool good = e->nsample >= 2 && e->time && e->value && isfinite(e->time[0]);
  for (int i = 1; i < e->nsample && good; i++) {
    good = isfinite(e->time[i]) && e->time[i] > e->time[i - 1];
  }
  for (size_t i = 0; good && i < 9 * (size_t)e->nsample; i++) {
    good = isfinite(e->value[i]);
  }
  return good;
}

static void check(lb_checker* c, const void* part) {
  if (!rises(part)) {
    lb_say(c, ": its samples must be two or more, finite, at rising times");
  }
}

const lb_table lb_external_table =
    LB_TABLE("external", lb_scene_external, external_fields, .finish = finish, .check = check);
