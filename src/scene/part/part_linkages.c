// Linkages as their authors write them: points of a rough drawing, bars with their lengths, copies.
#include <math.h>
#include <string.h>

#include "scene/part/linkage.h"

static const char* const plane_names[] = {"xy", "yz", "zx", "yx", "zy", "xz"};
static const lb_choices plane_choices = LB_CHOICES(plane_names);

// --- tables ---

static const lb_field side_field = {.key = "A-B",
                                    .value = LB_VALUE_BOUND,
                                    .offset = LB_NOWHERE,
                                    .about = "how far its points A and B are apart, or `drawn`: as "
                                             "in the drawing; a plate has several of these"};

#define BAR(key, member, dimension, standard, about)                                               \
  LB_SIZED(NUMBER, lb_linkage_bar, key, member, dimension, LB_POSITIVE_OR_UNSET, standard, about)
static const lb_field bar_fields[] = {
    LB_ROW(TEXT, lb_linkage_bar, "material", material, "the linkage's", "what it is made of"),
    BAR("radius", radius, LB_LENGTH, "the linkage's", "of its rods"),
    BAR("disc", disc, LB_LENGTH, "none",
        "radius of a disc about its first point, in place of rods"),
    BAR("mass", mass, LB_MASS, "from the shapes", "what it weighs"),
    LB_SIZED(NUMBER, lb_linkage_bar, "offset", offset, LB_LENGTH, LB_ANY, "0",
             "how far its shapes are out of the plane, for bars that pass each other"),
    LB_LATER(LIST, "shapes", &lb_shape_table, "none",
             "further shapes, in its frame: at its first point, x to its second"),
};
static const lb_table bar_table = LB_TABLE("bar", lb_linkage_bar, bar_fields, .other = &side_field);

static const lb_field copy_fields[] = {
    LB_SIZED(VECTOR, lb_linkage_copy, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "moved by so much, in the axes of the body that it is on"),
    LB_ROW(FLAG, lb_linkage_copy, "mirror", mirror, "false",
           "true: the drawing's first axis is turned round; the crank turns as it did"),
    LB_SIZED(NUMBER, lb_linkage_copy, "phase", phase, LB_PURE, LB_ANY, "0",
             "part of a cycle, or of a turn of the shaft, by which it is ahead"),
};
static const lb_table copy_table = LB_TABLE("copy", lb_linkage_copy, copy_fields);

static const lb_field linkage_fields[] = {
    LB_ROW(BODY, lb_scene_linkage, "on", on, "world", "what fixed points are fixed to"),
    LB_FROM(CHOICE, lb_scene_linkage, "plane", plane, &plane_choices, "xz",
            "axes of that body that the drawing's first and second number are along"),
    LB_SIZED(VECTOR, lb_scene_linkage, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where the drawing's origin is, on that body"),
    LB_LATER(DRAWING, "points", NULL, NULL,
             "about where the points are, by name; fixed ones are exact"),
    LB_LATER(SECTION, "bars", &bar_table, NULL, "what joins the points, by name"),
    LB_ROW(TEXT, lb_scene_linkage, "crank", crank_name, "the bar called crank",
           "the bar that turns about a fixed point and moves the others"),
    LB_ROW(TEXT, lb_scene_linkage, "profile", profile, "none",
           "a name among `profiles`: makes a motor that turns the crank"),
    LB_LATER(LENGTHS, "feet", NULL, "none", "radii of rubber spheres at points, by name"),
    LB_SIZED(NUMBER, lb_scene_linkage, "radius", radius, LB_LENGTH, LB_POSITIVE, "1 cm",
             "of the rods that bars are drawn with, and weighed"),
    LB_ROW(TEXT, lb_scene_linkage, "material", material, "plain", "what bars are made of"),
    LB_ROW(TEXT, lb_scene_linkage, "group", group, "none",
           "a name that contacts may call its bars by, all of them"),
    LB_LATER(SECTION, "copies", &copy_table, "one",
             "the linkage several times; names of bodies and joints end in theirs"),
    LB_ROW(FLAG, lb_scene_linkage, "shaft", shaft, "false",
           "true: the cranks of all copies are one body, its throws turned by their phases"),
};

// --- points ---

static int find_point(const lb_scene_linkage* k, const char* name, size_t length) {
  for (int i = 0; i < k->npoint; i++) {
    if (strlen(k->point[i].name) == length && strncmp(k->point[i].name, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

// Names of points, for messages.
static const char* point_names(lb_reader* r, const lb_scene_linkage* k, const char* wanted) {
  const char** name = LB_TAKE(&r->scratch, const char*, k->npoint);
  for (int i = 0; name && i < k->npoint; i++) {
    name[i] = k->point[i].name;
  }
  return name ? lb_hint(r, wanted, name, k->npoint, "there are ", " and ") : (lb_lack(r), "");
}

// [x, y] or {fixed: [x, y]}
static bool read_point(lb_reader* r, const lb_yaml* name, const lb_yaml* node,
                       lb_linkage_point* p) {
  const lb_yaml* fixed = lb_is_map(node) ? lb_yaml_find(node, "fixed") : NULL;
  const lb_field field = {.key = name->text, .dimension = LB_LENGTH};
  *p = (lb_linkage_point){.place = name->place, .fixed = fixed};
  p->name = lb_arena_text(r->keep, name->text, strlen(name->text));
  if (!p->name) {
    return lb_lack(r);
  }
  if (!*name->text || strchr(name->text, '-')) {
    return lb_complain(r, name->place, "a point cannot be called '%s' (bars are A-B of two names)",
                       name->text);
  }
  if (lb_is_map(node) && (!fixed || node->count > 1)) {
    return lb_complain(r, node->place, "point '%s' must be [x, y] or {fixed: [x, y]}", name->text);
  }
  return lb_read_numbers(r, fixed ? fixed : node, &field, 2, 2, p->at) == 2;
}

static bool read_points(lb_reader* r, const lb_yaml* map, lb_scene_linkage* k) {
  bool ok = true;
  k->point = LB_TAKE(r->keep, lb_linkage_point, map->count);
  k->foot = LB_TAKE(r->keep, double, map->count);
  if (!k->point || !k->foot) {
    return lb_lack(r);
  }
  for (int i = 0; i < map->count && lb_is_map(map); i++) {
    ok &= read_point(r, map->key[i], map->item[i], &k->point[k->npoint++]);
  }
  return ok;
}

static bool read_feet(lb_reader* r, const lb_yaml* map, lb_scene_linkage* k) {
  bool ok = true;
  for (int i = 0; map && lb_is_map(map) && i < map->count; i++) {
    const char* name = map->key[i]->text;
    const int point = find_point(k, name, strlen(name));
    ok &= point >= 0
              ? lb_read_number(r, map->item[i], name, LB_LENGTH, LB_POSITIVE, &k->foot[point])
              : lb_complain(r, map->key[i]->place, "there is no point '%s'%s", name,
                            point_names(r, k, name));
  }
  return ok;
}

// --- bars ---

static bool is_key(const char* key) {
  for (int i = 0; i < bar_table.count; i++) {
    if (strcmp(bar_table.field[i].key, key) == 0) {
      return true;
    }
  }
  return false;
}

// "A-B"
static bool read_ends(lb_reader* r, const lb_yaml* key, const lb_scene_linkage* k, int point[2]) {
  const char* dash = strchr(key->text, '-');
  if (!dash) {
    const char* known[LB_FIELD_MOST];
    for (int i = 0; i < bar_table.count; i++) {
      known[i] = bar_table.field[i].key;
    }
    return lb_complain(
        r, key->place, "unknown key '%s'%s", key->text,
        lb_hint(r, key->text, known, bar_table.count, "a bar has lengths such as A-B, ", " and "));
  }
  const char* end[2] = {key->text, dash + 1};
  const size_t length[2] = {(size_t)(dash - key->text), strlen(dash + 1)};
  for (int i = 0; i < 2; i++) {
    point[i] = find_point(k, end[i], length[i]);
    if (point[i] < 0) {
      const char* name = lb_compose(r, "%.*s", (int)length[i], end[i]);
      return lb_complain(r, key->place, "there is no point '%s'%s", name, point_names(r, k, name));
    }
  }
  return point[0] != point[1] ||
         lb_complain(r, key->place, "'%s' joins a point to itself", key->text);
}

static bool read_length(lb_reader* r, const lb_yaml* key, const lb_yaml* node,
                        const lb_scene_linkage* k, lb_linkage_side* side) {
  const lb_linkage_point *a = &k->point[side->point[0]], *b = &k->point[side->point[1]];
  if (!lb_is_scalar(node) || strcmp(node->text, "drawn") != 0) {
    return lb_read_number(r, node, key->text, LB_LENGTH, LB_POSITIVE, &side->length);
  }
  side->length = hypot(b->at[0] - a->at[0], b->at[1] - a->at[1]);
  return side->length > 0 ||
         lb_complain(r, node->place, "points '%s' and '%s' are drawn at one place", a->name,
                     b->name);
}

static void add_point(lb_linkage_bar* bar, int point) {
  for (int i = 0; i < bar->npoint; i++) {
    if (bar->point[i] == point) {
      return;
    }
  }
  bar->point[bar->npoint++] = point;
}

// Bar that joins two points already, or -1.
static int find_side(const lb_scene_linkage* k, const int point[2]) {
  for (int i = 0; i < k->nside; i++) {
    const int* p = k->side[i].point;
    if ((p[0] == point[0] && p[1] == point[1]) || (p[0] == point[1] && p[1] == point[0])) {
      return k->side[i].bar;
    }
  }
  return -1;
}

static bool read_sides(lb_reader* r, const lb_yaml* node, lb_scene_linkage* k, int b) {
  lb_linkage_bar* bar = &k->bar[b];
  bool ok = true;
  for (int i = 0; i < node->count && lb_is_map(node); i++) {
    const lb_yaml* key = node->key[i];
    lb_linkage_side side = {.bar = b};
    if (is_key(key->text)) {
      continue;
    }
    if (!read_ends(r, key, k, side.point) || !read_length(r, key, node->item[i], k, &side)) {
      ok = false;
      continue;
    }
    const int before = find_side(k, side.point);
    if (before >= 0) {
      ok = lb_complain(r, key->place, "points '%s' and '%s' are joined by bar '%s' already",
                       k->point[side.point[0]].name, k->point[side.point[1]].name,
                       k->bar[before].name);
      continue;
    }
    k->side[k->nside++] = side;
    add_point(bar, side.point[0]);
    add_point(bar, side.point[1]);
  }
  return ok;
}

static int count_sides(const lb_scene_linkage* k, int bar) {
  int count = 0;
  for (int i = 0; i < k->nside; i++) {
    count += k->side[i].bar == bar;
  }
  return count;
}

static bool check_bar(lb_reader* r, const lb_scene_linkage* k, int b) {
  const lb_linkage_bar* bar = &k->bar[b];
  const int sides = count_sides(k, b), needed = 2 * bar->npoint - 3;
  int fixed = 0;
  for (int i = 0; i < bar->npoint; i++) {
    fixed += k->point[bar->point[i]].fixed;
  }
  if (sides == 0) {
    return lb_complain(r, bar->place,
                       "bar '%s' joins nothing (give it a length such as A-B: 10 cm)", bar->name);
  }
  if (sides < needed) {
    return lb_complain(r, bar->place,
                       "bar '%s' is not rigid: %d points need %d lengths between them, and it has "
                       "%d",
                       bar->name, bar->npoint, needed, sides);
  }
  return fixed < 2 ||
         lb_complain(r, bar->place, "bar '%s' joins two fixed points, and cannot move", bar->name);
}

static bool read_bar(lb_reader* r, const lb_yaml* name, const lb_yaml* node, lb_scene_linkage* k) {
  const int b = k->nbar++;
  lb_linkage_bar* bar = &k->bar[b];
  lb_table_default(&bar_table, bar);
  bar->name = lb_arena_text(r->keep, name->text, strlen(name->text));
  bar->place = name->place;
  bar->point = LB_TAKE(r->keep, int, 2 * node->count + 1);
  if (!bar->name || !bar->point) {
    return lb_lack(r);
  }
  bool ok = lb_read_part(r, node, lb_compose(r, "bar '%.64s'", name->text), &bar_table, bar);
  ok = ok && read_sides(r, node, k, b);
  return ok && check_bar(r, k, b);
}

static bool read_bars(lb_reader* r, const lb_yaml* map, lb_scene_linkage* k) {
  int sides = 0;
  bool ok = true;
  for (int i = 0; i < map->count; i++) {
    sides += map->item[i]->count;
  }
  k->bar = LB_TAKE(r->keep, lb_linkage_bar, map->count);
  k->side = LB_TAKE(r->keep, lb_linkage_side, sides + 1);
  if (!k->bar || !k->side) {
    return lb_lack(r);
  }
  for (int i = 0; i < map->count && lb_is_map(map); i++) {
    ok &= read_bar(r, map->key[i], map->item[i], k);
  }
  return ok;
}

// --- the crank ---

// The fixed point that the crank turns about comes first of its points.
static bool find_crank(lb_reader* r, lb_scene_linkage* k) {
  const char* name = k->crank_name ? k->crank_name : "crank";
  for (int b = 0; b < k->nbar; b++) {
    lb_linkage_bar* bar = &k->bar[b];
    if (strcmp(bar->name, name) != 0) {
      continue;
    }
    for (int i = 0; i < bar->npoint; i++) {
      if (k->point[bar->point[i]].fixed) {
        const int pivot = bar->point[i];
        bar->point[i] = bar->point[0];
        bar->point[0] = pivot;
        k->crank = b;
        return true;
      }
    }
    return lb_complain(r, bar->place, "the crank '%s' has no fixed point to turn about", name);
  }
  return lb_complain(r, k->place,
                     "it has no crank: there is no bar '%s' (call one so, or name one in 'crank')",
                     name);
}

static bool check_points(lb_reader* r, const lb_scene_linkage* k) {
  bool ok = true;
  for (int p = 0; p < k->npoint; p++) {
    bool reached = false;
    for (int i = 0; i < k->nside; i++) {
      reached |= k->side[i].point[0] == p || k->side[i].point[1] == p;
    }
    ok &=
        reached || lb_complain(r, k->point[p].place, "no bar reaches point '%s'", k->point[p].name);
  }
  return ok;
}

// --- copies ---

static bool read_copies(lb_reader* r, const lb_yaml* map, lb_scene_linkage* k) {
  const bool several = map && lb_is_map(map) && map->count > 0;
  bool ok = true;
  k->ncopy = several ? map->count : 1;
  k->copy = LB_TAKE(r->keep, lb_linkage_copy, k->ncopy);
  if (!k->copy) {
    return lb_lack(r);
  }
  for (int i = 0; i < k->ncopy; i++) {
    lb_linkage_copy* copy = &k->copy[i];
    lb_table_default(&copy_table, copy);
    copy->name =
        several ? lb_arena_text(r->keep, map->key[i]->text, strlen(map->key[i]->text)) : "";
    copy->place = several ? map->key[i]->place : k->place;
    copy->body = LB_TAKE(r->keep, int, k->nbar);
    copy->joint = LB_TAKE(r->keep, int, k->nbar * k->npoint);
    if (!copy->name || !copy->body || !copy->joint) {
      return lb_lack(r);
    }
    ok &= !several || lb_read_part(r, map->item[i], lb_compose(r, "copy '%.64s'", copy->name),
                                   &copy_table, copy);
  }
  return ok;
}

// A shaft is one line: copies on it lie beside each other, mirrored about it.
static bool check_shaft(lb_reader* r, const lb_scene_linkage* k) {
  const lb_quat back = lb_quat_conjugate(lb_linkage_axes(k));
  const double* pivot = k->point[k->bar[k->crank].point[0]].at;
  bool ok = true;
  for (int i = 0; i < k->ncopy && k->shaft; i++) {
    const lb_vec3 at = lb_quat_rotate(back, k->copy[i].at);
    if (hypot(at.x, at.y) > 1e-9) {
      ok = lb_complain(r, k->copy[i].place,
                       "the copy is moved off the shaft (move it along the shaft alone)");
    } else if (k->copy[i].mirror && fabs(pivot[0]) > 1e-9) {
      ok = lb_complain(
          r, k->copy[i].place,
          "the copy is mirrored off the shaft (draw the crank's fixed point at [0, y])");
    }
  }
  return ok;
}

// Sizes that no mechanism has, and that would take for ever.
static bool check_sizes(lb_reader* r, const lb_yaml* points, const lb_yaml* bars,
                        const lb_yaml* copies) {
  enum { MOST_PARTS = 200, MOST_COPIES = 1000 };
  const struct {
    const lb_yaml* map;
    const char* word;
    int most;
  } size[] = {
      {points, "points", MOST_PARTS}, {bars, "bars", MOST_PARTS}, {copies, "copies", MOST_COPIES}};
  for (int i = 0; i < LB_COUNT_OF(size); i++) {
    if (size[i].map && size[i].map->count > size[i].most) {
      return lb_complain(r, size[i].map->place, "it has %d %s, and %d are allowed",
                         size[i].map->count, size[i].word, size[i].most);
    }
  }
  return true;
}

static bool finish_linkage(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_linkage* k = part;
  const lb_yaml *points = lb_yaml_find(node, "points"), *bars = lb_yaml_find(node, "bars");
  if (!ok || !lb_is_map(points) || !lb_is_map(bars)) {
    return false;
  }
  return check_sizes(r, points, bars, lb_yaml_find(node, "copies")) && read_points(r, points, k) &&
         read_bars(r, bars, k) && check_points(r, k) &&
         read_feet(r, lb_yaml_find(node, "feet"), k) && find_crank(r, k) &&
         read_copies(r, lb_yaml_find(node, "copies"), k) && check_shaft(r, k) &&
         lb_linkage_close(r, k) && lb_linkage_pin_bars(r, k);
}

const lb_table lb_linkage_table =
    LB_TABLE("linkage", lb_scene_linkage, linkage_fields, .finish = finish_linkage);

void lb_read_linkages(lb_reader* r) {
  lb_read_section(r, LB_SCENE_LINKAGES);
  for (int i = 0; i < r->scene.nlinkage && !r->no_memory; i++) {
    r->subject = lb_compose(r, "linkage '%.64s'", r->scene.linkage[i].name);
    lb_linkage_make(r, &r->scene.linkage[i]);
  }
}
