// What must hold besides joints: couplings of coordinates, prescribed points, floors.
#include <math.h>
#include <string.h>

#include "scene/check/scene_check.h"
#include "scene/yaml/reader.h"

// --- couplings ---

// What the sum measures: what all of its coordinates do, and a plain number where they differ,
// since its factors have the units then. False where that is not known, of terms that are told
// elsewhere.
static bool sum_measure(const lb_reader* r, const lb_scene_constraint* k, lb_coordinate* counts) {
  for (int i = 0; i < k->nterm; i++) {
    const lb_scene_term* t = &k->term[i];
    const lb_scene_joint* j = t->joint >= 0 ? &r->scene.joint[t->joint] : NULL;
    if (!j || !lb_joint_is_known(r, t->joint) || !lb_coordinate_is_plain(j, t->coordinate)) {
      return false;
    }
    const lb_coordinate own = lb_joint_counts(j, t->coordinate);
    *counts = i == 0 || own == *counts ? own : LB_COORDINATE_NUMBER;
  }
  return k->nterm > 0;
}

static bool read_terms(lb_reader* r, const lb_yaml_node* couple, lb_scene_constraint* to) {
  bool ok = true;
  to->term = LB_TAKE(r->keep, lb_scene_term, couple->count);
  if (!to->term) {
    return lb_lack(r);
  }
  if (couple->count == 0) {
    return lb_complain(r, couple->place, "'couple' must name a joint or more");
  }
  for (int i = 0; i < couple->count; i++) {
    lb_term_spec spec = {.joint = -1, .factor = 1};
    ok &= lb_read_table(r, couple->item[i], &lb_term_table, &spec);
    to->term[i] = (lb_scene_term){spec.joint, spec.coordinate, spec.factor};
  }
  to->nterm = couple->count;
  return ok;
}

// equals or a path, or at_least and at_most: not several of them
static bool check_bounds(lb_reader* r, const lb_constraint_spec* spec, lb_place place) {
  const lb_yaml_node *equals = spec->equals, *path = spec->path.given.whole;
  const lb_yaml_node *least = spec->least, *most = spec->most;
  if (!equals && !path && !least && !most) {
    return lb_complain(r, place,
                       "'equals', 'path', 'at_least' or 'at_most' is missing (what the sum is to "
                       "be)");
  }
  if ((equals || path) && ((equals && path) || least || most)) {
    return lb_complain(r,
                       (equals && path ? path
                        : least        ? least
                                       : most)
                           ->place,
                       "'%s' leaves nothing for '%s' to say (keep one)", equals ? "equals" : "path",
                       equals && path ? "path"
                       : least        ? "at_least"
                                      : "at_most");
  }
  return true;
}

static bool read_bound(lb_reader* r, const lb_yaml_node* node, const char* key,
                       lb_dimension dimension, double* out) {
  return !node || lb_read_number(r, node, key, dimension, LB_ANY, out);
}

static bool read_bounds(lb_reader* r, const lb_constraint_spec* spec, lb_dimension dimension,
                        lb_scene_constraint* to) {
  const bool exact = spec->equals || spec->path.given.whole;
  to->least = exact ? 0 : -(double)INFINITY;
  to->most = exact ? 0 : (double)INFINITY;
  if (spec->equals) {
    const bool ok = read_bound(r, spec->equals, "equals", dimension, &to->least);
    to->most = to->least;
    return ok;
  }
  if (!read_bound(r, spec->least, "at_least", dimension, &to->least) ||
      !read_bound(r, spec->most, "at_most", dimension, &to->most)) {
    return false;
  }
  if (!exact && !(to->least < to->most)) {
    return lb_complain(r, spec->most->place, "'at_most' must be more than 'at_least', which is %g",
                       to->least);
  }
  return true;
}

// A path is of places or, by the same measure in a second, of rates.
static bool read_prescribed(lb_reader* r, const lb_profile_spec* spec, const lb_given* given,
                            lb_coordinate counts, lb_profile_definition* out,
                            bool* velocity_level) {
  const lb_joint_measure* measure = &lb_coordinate_measures[counts];
  *velocity_level = spec->rates;
  return lb_read_profile(r, spec, given, *velocity_level ? measure->rate : measure->place, out);
}

static bool read_path(lb_reader* r, const lb_path_spec* path, lb_coordinate counts,
                      lb_scene_constraint* to) {
  if (!path->given.whole) {
    return true;
  }
  if (!read_prescribed(r, &path->profile, &path->given, counts, &to->path[0],
                       &to->velocity_level[0])) {
    return false;
  }
  return to->path[0].count > 0 ||
         lb_complain(r, path->given.whole->place, "'keys', 'rates' or 'spline' is missing");
}

static bool read_couple(lb_reader* r, const lb_constraint_spec* spec, lb_scene_constraint* to) {
  lb_coordinate counts = LB_COORDINATE_NUMBER;
  bool ok = read_terms(r, spec->couple, to);
  ok &= check_bounds(r, spec, to->place);
  if (!ok || !sum_measure(r, to, &counts)) {
    return ok;
  }
  ok &= read_bounds(r, spec, lb_coordinate_measures[counts].place, to);
  return read_path(r, &spec->path, counts, to) && ok;
}

// --- points ---

static bool read_along(lb_reader* r, const lb_follow_spec* spec, lb_scene_constraint* to) {
  const char* axes = spec->along ? spec->along : "xyz";
  if (strcmp(axes, "none") == 0 && (spec->rotation || spec->turn.given.whole)) {
    return true;
  }
  bool ok = *axes;
  for (const char* s = axes; *s; s++) {
    const int k = *s - 'x';
    ok = ok && k >= 0 && k < 3 && !to->along[k];
    if (k >= 0 && k < 3) {
      to->along[k] = true;
    }
  }
  return ok || lb_complain(r, lb_yaml_node_find(spec->given.whole, "along")->place,
                           "'along' must be some of x, y and z, such as xz, or none with "
                           "'rotation' or 'turn', not '%.20s'",
                           axes);
}

// An angle from how the body is turned at the start.
static bool read_turn(lb_reader* r, const lb_prescribed_turn_spec* spec, lb_scene_constraint* to) {
  to->turn = true;
  to->about = spec->about;
  if (!read_prescribed(r, &spec->profile, &spec->given, LB_COORDINATE_ANGLE, &to->angle,
                       &to->angle_velocity_level)) {
    return false;
  }
  return to->angle.count > 0 ||
         lb_complain(r, spec->given.whole->place, "'keys', 'rates' or 'spline' is missing");
}

static bool read_follow(lb_reader* r, const lb_follow_spec* spec, lb_scene_constraint* to) {
  static const char* const word[] = {"x", "y", "z"};
  bool ok = read_along(r, spec, to);
  to->body = spec->body;
  to->turn = spec->rotation;
  if (spec->turn.given.whole) {
    ok &= read_turn(r, &spec->turn, to);
  }
  to->point = LB_TAKE(r->keep, lb_vec3, 1);
  if (!to->point) {
    return lb_lack(r);
  }
  to->point[0] = spec->at;
  to->npoint = 1;
  for (int k = 0; k < 3; k++) {
    const lb_path_spec* path = &spec->path[k];
    ok &= read_prescribed(r, &path->profile, &path->given, LB_COORDINATE_LENGTH, &to->path[k],
                          &to->velocity_level[k]);
    if (path->given.whole && !to->along[k]) {
      ok = lb_complain(r, path->given.whole->place,
                       "'%s' is not one of the axes in 'along' (add it, or take this away)",
                       word[k]);
    }
  }
  return ok;
}

static bool read_floor(lb_reader* r, const lb_floor_spec* spec, lb_scene_constraint* to) {
  const int count = spec->points ? spec->points->count : 1;
  bool ok = true;
  to->body = spec->body;
  to->normal = spec->normal;
  to->height = spec->height;
  to->point = LB_TAKE(r->keep, lb_vec3, count);
  if (!to->point) {
    return lb_lack(r);
  }
  for (int i = 0; i < count; i++) {
    lb_spot_spec point = {0};
    ok &= !spec->points || lb_read_table(r, spec->points->item[i], &lb_spot_table, &point);
    to->point[i] = point.at;
  }
  to->npoint = count;
  return ok;
}

// --- the whole ---

static bool read_constraint(lb_reader* r, const lb_entry* entry, lb_scene_constraint* to) {
  lb_constraint_spec spec = {.follow = {.body = LB_WORLD},
                             .floor = {.body = LB_WORLD, .normal = {0, 0, 1}}};
  for (int k = 0; k < 3; k++) {
    spec.follow.path[k].profile.spline.degree = spec.path.profile.spline.degree = 3;
  }
  spec.follow.turn.profile.spline.degree = 3;
  bool ok = lb_begin_entry(r, entry, "constraint");
  *to = (lb_scene_constraint){
      .name = lb_keep_name(r, entry), .place = entry->name->place, .body = LB_WORLD};
  if (!lb_read_table(r, entry->value, &lb_constraint_table, &spec)) {
    return false;
  }
  const lb_yaml_node* const* given = spec.given.node;
  to->kind = given[LB_CONSTRAINT_COUPLE]   ? LB_CONSTRAINT_COUPLE
             : given[LB_CONSTRAINT_FOLLOW] ? LB_CONSTRAINT_FOLLOW
                                           : LB_CONSTRAINT_FLOOR;
  for (int k = LB_CONSTRAINT_KEY_EQUALS; k <= LB_CONSTRAINT_KEY_MOST; k++) {
    if (given[k] && to->kind != LB_CONSTRAINT_COUPLE) {
      ok = lb_complain(r, given[k]->place, "bounds are for 'couple' (take this away)");
    }
  }
  if (to->kind == LB_CONSTRAINT_COUPLE) {
    ok &= read_couple(r, &spec, to);
  } else if (to->kind == LB_CONSTRAINT_FOLLOW) {
    ok &= read_follow(r, &spec.follow, to);
  } else {
    ok &= read_floor(r, &spec.floor, to);
  }
  return ok;
}

void lb_read_constraints(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_CONSTRAINTS];
  r->scene.constraint = LB_TAKE(r->keep, lb_scene_constraint, all->count);
  if (!r->scene.constraint) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nconstraint +=
        read_constraint(r, &all->entry[i], &r->scene.constraint[r->scene.nconstraint]);
  }
}
