// Numbers of the scene's own text that an optimisation may change: lengths of linkages' bars by
// name, and any other by its path. The scene is read again with other values in their place
// (lb_scene_origin), so that all that is made of them follows.
#include <string.h>

#include "scene/part/linkage.h"
#include "scene/part/part_optimize.h"

const char* lb_si_unit(lb_dimension dimension) {
  for (int i = 0; i < lb_unit_count; i++) {
    const lb_unit* u = &lb_units[i];
    if (u->dimension == dimension && u->times == u->per) {
      return u->name;
    }
  }
  return "";
}

static bool keep_path(lb_reader* r, const char* path, lb_dimension dimension,
                      lb_scene_parameter* to) {
  to->unit = lb_si_unit(dimension);
  to->path = lb_arena_text(r->keep, path, strlen(path));
  return to->path || lb_lack(r);
}

// --- bars ---

typedef struct search {
  lb_reader* r;
  const lb_yaml* name;
  lb_names all; // for the nearest name
  int found;
  const lb_scene_linkage* k; // the last found, and its side
  const lb_linkage_side* side;
} search;

static int count_sides(const lb_scene_linkage* k, int bar) {
  int count = 0;
  for (int i = 0; i < k->nside; i++) {
    count += k->side[i].bar == bar;
  }
  return count;
}

// Name of a side by its points, from end to end or the other way round.
static const char* name_from(lb_reader* r, const lb_scene_linkage* k, const lb_linkage_side* s,
                             int end) {
  return lb_compose(r, "%s-%s", k->point[s->point[end]].name, k->point[s->point[1 - end]].name);
}

// As its author wrote it.
static const char* side_name(lb_reader* r, const lb_scene_linkage* k, const lb_linkage_side* s) {
  return name_from(r, k, s, 0);
}

static void offer(search* s, const char* name, const lb_scene_linkage* k,
                  const lb_linkage_side* side) {
  if (strcmp(name, s->name->text) == 0) {
    s->found++;
    s->k = k;
    s->side = side;
  }
  if (lb_names_find(&s->all, name, -1) < 0 && !lb_names_add(&s->all, &s->r->scratch, name, 0)) {
    lb_lack(s->r);
  }
}

// A side by its points, and by its bar where that has no other.
static void offer_all(search* s) {
  for (int i = 0; i < s->r->scene.nlinkage; i++) {
    const lb_scene_linkage* k = &s->r->scene.linkage[i];
    for (int n = 0; n < k->nside; n++) {
      const lb_linkage_side* side = &k->side[n];
      offer(s, name_from(s->r, k, side, 0), k, side);
      offer(s, name_from(s->r, k, side, 1), k, side);
      if (count_sides(k, side->bar) == 1) {
        offer(s, k->bar[side->bar].name, k, side);
      }
    }
  }
}

// A plate of that name, whose sides have lengths each.
static bool is_plate(search* s) {
  for (int i = 0; i < s->r->scene.nlinkage; i++) {
    const lb_scene_linkage* k = &s->r->scene.linkage[i];
    for (int n = 0; n < k->nside; n++) {
      if (strcmp(k->bar[k->side[n].bar].name, s->name->text) == 0) {
        lb_complain(s->r, s->name->place,
                    "bar '%s' has %d lengths (name one by its points, as bar: %s)", s->name->text,
                    count_sides(k, k->side[n].bar), side_name(s->r, k, &k->side[n]));
        return true;
      }
    }
  }
  return false;
}

static const char* path_of(lb_reader* r, const lb_scene_linkage* k, const lb_linkage_side* side) {
  return lb_compose(r, "linkages.%s.bars.%s.%s", k->name, k->bar[side->bar].name,
                    side_name(r, k, side));
}

bool lb_find_bar(lb_reader* r, const lb_yaml* name, lb_scene_parameter* to,
                 lb_dimension* dimension) {
  search s = {.r = r, .name = name};
  if (r->scene.nlinkage < r->section[LB_SCENE_LINKAGES].count) {
    return false; // some are broken, which was reported
  }
  offer_all(&s);
  if (s.found > 1) {
    return lb_complain(r, name->place,
                       "'%s' is a bar of more than one linkage (say which, such as number: %s)",
                       name->text, path_of(r, s.k, s.side));
  }
  if (s.found == 0) {
    return is_plate(&s) ? false : lb_unknown_name(r, name, "bar", &s.all);
  }
  *dimension = LB_LENGTH;
  to->value = s.side->length;
  return keep_path(r, path_of(r, s.k, s.side), *dimension, to);
}

// --- any number ---

// Parts of a scene whose numbers runs are made of; others say how it is run or what for.
static bool can_change(const char* path) {
  static const int NEVER[] = {
      LB_SCENE_LIMBER, LB_SCENE_NAME,     LB_SCENE_ABOUT,    LB_SCENE_INCLUDE,   LB_SCENE_DURATION,
      LB_SCENE_SOLVER, LB_SCENE_RECORD,   LB_SCENE_SCENERY,  LB_SCENE_REPEAT,    LB_SCENE_MARKERS,
      LB_SCENE_FIT,    LB_SCENE_RETARGET, LB_SCENE_OPTIMIZE, LB_SCENE_COLLOCATE, LB_SCENE_INITIAL};
  for (int i = 0; i < LB_COUNT_OF(NEVER); i++) {
    const char* key = lb_scene_table.field[NEVER[i]].key;
    const size_t n = strlen(key);
    if (strncmp(path, key, n) == 0 && (path[n] == '.' || !path[n])) {
      return false;
    }
  }
  return true;
}

// Dimension of a number by its unit: none where it has none.
static bool read_any(lb_reader* r, const lb_yaml* node, const char* path, double* value,
                     lb_dimension* dimension) {
  const char* unit = "";
  *dimension = LB_PURE;
  const bool number =
      lb_is_scalar(node) && lb_number_read(node->text, LB_PURE, value, &unit) != LB_NUMBER_NONE;
  const lb_unit* known = number && *unit ? lb_unit_find(unit, LB_PURE) : NULL;
  *dimension = known ? known->dimension : LB_PURE;
  return number ? lb_read_number(r, node, path, *dimension, LB_ANY, value)
                : lb_complain(r, node->place, "%s is no number, but %s", path, lb_shown(r, node));
}

bool lb_find_number(lb_reader* r, const lb_yaml* name, lb_scene_parameter* to,
                    lb_dimension* dimension) {
  const char* path = name->text;
  if (!can_change(path)) {
    return lb_complain(r, name->place,
                       "'%s' says how the scene is run, drawn or begins, and is no number of its "
                       "mechanics (for starts give 'position' or 'velocity')",
                       path);
  }
  const lb_yaml* node = lb_find_value(r, path);
  if (!node) {
    return lb_complain(r, name->place,
                       "there is nothing at '%s' (give a path to a number that the scene has, as "
                       "joints.hip.at.0, and write it there if it is left out)",
                       path);
  }
  return read_any(r, node, path, &to->value, dimension) && keep_path(r, path, *dimension, to);
}
