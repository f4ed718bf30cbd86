// Nodes as a scene's author would have written them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/opensim/osim.h"

// Without memory everything is put into this one, and nothing comes of it.
static lb_yaml* node(lb_osim* o, lb_yaml_kind kind, lb_place place) {
  lb_yaml* made = LB_TAKE(&o->r->scratch, lb_yaml, 1);
  if (!made) {
    lb_lack(o->r);
    return NULL;
  }
  *made = (lb_yaml){.kind = kind, .place = place, .text = "", .depth = 1, .weight = 1};
  return made;
}

lb_yaml* lb_node_map(lb_osim* o, lb_place place) {
  return node(o, LB_YAML_MAP, place);
}

lb_yaml* lb_node_list(lb_osim* o, lb_place place) {
  return node(o, LB_YAML_LIST, place);
}

lb_yaml* lb_node_text(lb_osim* o, lb_place place, const char* text) {
  lb_yaml* made = node(o, LB_YAML_SCALAR, place);
  if (made) {
    made->text = text;
  }
  return made;
}

static lb_yaml* plain(lb_osim* o, lb_place place, const char* text) {
  lb_yaml* made = lb_node_text(o, place, text);
  if (made) {
    made->plain = true;
  }
  return made;
}

// As few digits as bring the number back.
lb_yaml* lb_node_number(lb_osim* o, lb_place place, double x) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x + 0.0);
    if (strtod(text, NULL) == x) {
      break;
    }
  }
  return plain(o, place, lb_compose(o->r, "%s", text));
}

// Many radians without a unit would look like degrees.
lb_yaml* lb_node_measure(lb_osim* o, lb_place place, double x, bool angle) {
  lb_yaml* number = lb_node_number(o, place, x);
  if (number && angle && fabs(x) >= 10) {
    number->text = lb_compose(o->r, "%s rad", number->text);
  }
  return number;
}

lb_yaml* lb_node_flag(lb_osim* o, lb_place place, bool flag) {
  return plain(o, place, flag ? "true" : "false");
}

lb_yaml* lb_node_numbers(lb_osim* o, lb_place place, const double* x, int n) {
  lb_yaml* list = lb_node_list(o, place);
  for (int i = 0; i < n; i++) {
    lb_node_add(o, list, lb_node_number(o, place, x[i]));
  }
  return list;
}

lb_yaml* lb_node_vector(lb_osim* o, lb_place place, lb_vec3 v) {
  return lb_node_numbers(o, place, (double[]){v.x, v.y, v.z}, 3);
}

lb_yaml* lb_node_rotation(lb_osim* o, lb_place place, lb_quat q) {
  const lb_vec3 w = lb_quat_log(q);
  const double angle = lb_vec3_norm(w);
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "axis", lb_node_vector(o, place, lb_vec3_scale(1 / angle, w)));
  lb_node_put(o, map, "angle", lb_node_number(o, place, angle));
  return map;
}

static bool is_turned(lb_quat q) {
  return q.x != 0 || q.y != 0 || q.z != 0;
}

lb_yaml* lb_node_pose(lb_osim* o, lb_place place, lb_transform X) {
  lb_yaml* at = lb_node_vector(o, place, X.p);
  if (!is_turned(X.q)) {
    return at;
  }
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "position", at);
  lb_node_put(o, map, "rotation", lb_node_rotation(o, place, X.q));
  return map;
}

// Room for one more: arrays double where their count is a power of two.
static bool grow(lb_osim* o, lb_yaml*** array, int count) {
  if (count & (count - 1)) {
    return true;
  }
  lb_yaml** grown = LB_TAKE(&o->r->scratch, lb_yaml*, count ? 2 * count : 1);
  if (!grown) {
    return lb_lack(o->r);
  }
  if (count) {
    memcpy(grown, *array, (size_t)count * sizeof *grown);
  }
  *array = grown;
  return true;
}

void lb_node_add(lb_osim* o, lb_yaml* list, lb_yaml* value) {
  if (list && value && grow(o, &list->item, list->count)) {
    list->item[list->count++] = value;
  }
}

void lb_node_put(lb_osim* o, lb_yaml* map, const char* key, lb_yaml* value) {
  lb_yaml* name = value ? lb_node_text(o, value->place, key) : NULL;
  if (map && name && grow(o, &map->key, map->count) && grow(o, &map->item, map->count)) {
    map->key[map->count] = name;
    map->item[map->count++] = value;
  }
}

lb_yaml* lb_node_section(lb_osim* o, const char* key, lb_place place) {
  const lb_yaml* known = o->scene ? lb_yaml_find(o->scene, key) : NULL;
  if (known) {
    return (lb_yaml*)known;
  }
  lb_yaml* made = lb_node_map(o, place);
  lb_node_put(o, o->scene, key, made);
  return made;
}

// Count an object that gets another name; false: it was counted, for a part before.
static bool count_renamed(lb_osim_renamed* r, lb_place place, const char* name, const char* made) {
  if (r->count > 0 && r->last.line == place.line && r->last.column == place.column) {
    return false;
  }
  if (r->count++ == 0) {
    *r = (lb_osim_renamed){1, place, place, name, made};
  }
  r->last = place;
  return true;
}

const char* lb_node_part(lb_osim* o, const char* section, const char* name, lb_yaml* part) {
  const lb_place place = part ? part->place : o->model->place;
  lb_yaml* to = lb_node_section(o, section, place);
  const char *free = lb_osim_name(o, name), *spelt = free;
  for (int i = 2; to && lb_yaml_find(to, free) && !o->r->no_memory; i++) {
    free = lb_compose(o->r, "%.50s_%d", spelt, i);
  }
  if (*name && strcmp(name, spelt) != 0) {
    count_renamed(&o->spelt, place, name, free);
  }
  lb_node_put(o, to, free, part);
  return free;
}

// Parts that one element is made of share its place, and get numbers.
const char* lb_node_named_part(lb_osim* o, const char* section, const char* what, const char* name,
                               lb_yaml* part) {
  const lb_yaml* known = o->scene ? lb_yaml_find(o->scene, section) : NULL;
  const lb_yaml* first = known ? lb_yaml_find(known, lb_osim_name(o, name)) : NULL;
  const char* made = lb_node_part(o, section, name, part);
  const bool own = first && part && first->place.line == part->place.line &&
                   first->place.column == part->place.column;
  if (first && part && !own && count_renamed(&o->twin, part->place, name, made)) {
    lb_remark(o->r, part->place,
              lb_compose(o->r,
                         "%s '%.64s' has the name of the one in line %d: it is called '%s' here "
                         "(rename one)",
                         what, name, first->place.line, made));
  }
  return made;
}

const char* lb_node_object(lb_osim* o, const char* section, const char* what, const lb_xml* xml,
                           const char* otherwise, lb_yaml* part) {
  return *xml->name ? lb_node_named_part(o, section, what, xml->name, part)
                    : lb_node_part(o, section, otherwise, part);
}

void lb_osim_report_names(lb_osim* o) {
  const lb_osim_renamed* r = &o->spelt;
  const char* others = r->count > 2
                           ? lb_compose(o->r, ", and %d other names are changed, too", r->count - 1)
                       : r->count > 1 ? ", and another name is changed, too"
                                      : "";
  if (r->count > 0) {
    lb_remark(o->r, r->first,
              lb_compose(o->r, "'%.64s' is called '%s' here%s: names have letters, digits, and .-_",
                         r->name, r->made, others));
  }
}

bool lb_osim_defined_twice(lb_osim* o, const char* what, const lb_xml* second, int first) {
  return lb_complain(o->r, second->place,
                     "%s '%.64s' is defined twice; the first is in line %d (rename one)", what,
                     second->name, first);
}
