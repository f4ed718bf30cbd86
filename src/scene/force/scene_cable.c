// Cables through several points.
#include <math.h>

#include "scene/force/scene_force.h"

static const lb_field point_fields[] = {
    LB_ROW(BODY, lb_scene_point, "body", body, "world", "a rigid body, or world"),
    LB_SIZED(VECTOR, lb_scene_point, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where, in that body"),
    LB_LATER(WRAP, "wrap", NULL, "none",
             "a surface that it may wrap over here, in place of a point"),
    LB_LATER(TABLE, "follows", &lb_follows_table, "it is fixed",
             "a point that a joint moves in the body, in place of 'at'"),
    LB_LATER(TABLE, "while", &lb_while_table, "always",
             "the point counts only while a coordinate is in a range"),
};

// Points as muscles have them.
static bool finish_point(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_point* to = part;
  const lb_yaml* wrap = lb_yaml_find(node, "wrap");
  lb_scene_path_point path = lb_scene_path_point_default();
  if (!lb_finish_path_point(r, node, ok, &path)) {
    return false;
  }
  if (wrap) {
    to->wrap = 1 + lb_names_find(&r->section[LB_SCENE_WRAPS].names, wrap->text, -1);
  }
  if (path.follows >= 0 || path.condition >= 0) {
    path.body = to->body;
    path.at = to->at;
    to->path = LB_COPY(r->keep, &path, 1);
    return to->path || lb_lack(r);
  }
  return true;
}

static const lb_table point_table =
    LB_TABLE("cable point", lb_scene_point, point_fields, .item = "point", .finish = finish_point);

static const lb_field fields[] = {
    LB_LIST(lb_scene_force, "through", point, npoint, &point_table, NULL,
            "the points it runs through, in order: {body: ..., at: [...]}, or {wrap: ...}"),
    LB_FORCE_CURVE_ROWS("true"),
    LB_FORCE_SIZE("dissipation", dissipation, LB_PURE, LB_NOT_NEGATIVE, "0",
                  "part of the force added for each m/s it is being stretched"),
};

static void init(void* part) {
  ((lb_scene_force*)part)->length = NAN;
}

static void check(lb_checker* c, const void* part) {
  const lb_scene_force* s = part;
  lb_check_force(c, s);
  if (s->npoint < 2 || s->npoint > LB_CABLE_MOST_POINTS) {
    lb_say(c, " runs through %d points; it needs 2 to %d", s->npoint, LB_CABLE_MOST_POINTS);
    return;
  }
  const lb_scene_point* end[] = {&s->point[0], &s->point[s->npoint - 1]};
  for (int e = 0; e < 2; e++) {
    if (end[e]->wrap || (end[e]->path && end[e]->path->condition >= 0)) {
      lb_say(c,
             " must begin and end at points that always count, not at a wrap or one with 'while'");
      break;
    }
  }
  for (int i = 0; i < s->npoint; i++) {
    if (s->point[i].wrap < 0 || s->point[i].wrap > c->s->nwrap) {
      lb_say(c, ": point %d is on a wrap that does not exist", i + 1);
    }
    if (s->point[i].path) {
      lb_check_path_point(c, s->point[i].path, i);
    }
  }
}

const lb_table lb_cable_table = LB_FORCE_TABLE("cable", fields, .init = init, .check = check);
const lb_force_format lb_cable_format = {
    .table = &lb_cable_table, .joins = true, .number = {true, true, true}};
