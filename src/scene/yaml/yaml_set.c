// Values from outside in the place of those that a scene gives: "bodies.rod.mass=2 kg". They are
// put into the nodes before the parts are read, so that units, checks and messages are the usual
// ones.
#include <stdlib.h>
#include <string.h>

#include "scene/part/part.h"

// One of them.
typedef struct setting {
  lb_reader* r;
  lb_place place;    // "--set PATH=VALUE"
  const char* path;  // "bodies.rod.mass"
  const lb_yaml* to; // the value
} setting;

static bool refuse(const setting* s, const char* why) {
  return lb_complain(s->r, s->place, "%s", why);
}

// --- nodes ---

static void move_to(lb_yaml* node, lb_place place) {
  node->place = place;
  for (int i = 0; i < node->count; i++) {
    move_to(node->item[i], place);
    if (lb_is_map(node)) {
      move_to(node->key[i], place);
    }
  }
}

static lb_yaml* make_key(const setting* s, const char* text, size_t length) {
  lb_yaml* node = LB_TAKE(&s->r->scratch, lb_yaml, 1);
  const char* copy = lb_arena_text(&s->r->scratch, text, length);
  if (!node || !copy) {
    lb_lack(s->r);
    return NULL;
  }
  *node = (lb_yaml){.place = s->place, .text = copy, .depth = 1, .weight = 1};
  return node;
}

// A copy of a map or a list, which aliases and repetitions may share, with room for one item more.
static lb_yaml* copy_of(const setting* s, const lb_yaml* node) {
  lb_arena* a = &s->r->scratch;
  const int count = node ? node->count : 0;
  lb_yaml* copy = LB_TAKE(a, lb_yaml, 1);
  lb_yaml** item = LB_TAKE(a, lb_yaml*, 2 * (count + 1));
  if (!copy || !item) {
    lb_lack(s->r);
    return NULL;
  }
  *copy = node ? *node : (lb_yaml){.kind = LB_YAML_MAP, .place = s->place, .depth = 2};
  if (count) {
    memcpy(item, node->item, (size_t)count * sizeof *item);
  }
  if (count && lb_is_map(node)) {
    memcpy(item + count + 1, node->key, (size_t)count * sizeof *item);
  }
  copy->item = item;
  copy->key = item + count + 1;
  return copy;
}

// How much of a path a name takes, with the dot behind it; 0: it does not begin with it.
static size_t begins(const char* path, const char* name) {
  const size_t n = strlen(name);
  const bool same = strncmp(path, name, n) == 0 && (path[n] == '.' || !path[n]);
  return same ? n + (path[n] == '.') : 0;
}

// Where in a node the path goes on: names may have dots in them, so the longest counts. -1:
// nowhere.
static int find_step(const lb_yaml* node, const char* path, size_t* taken) {
  int found = -1;
  *taken = 0;
  for (int i = 0; i < node->count && lb_is_map(node); i++) {
    const size_t n = begins(path, node->key[i]->text);
    found = n > *taken ? i : found;
    *taken = n > *taken ? n : *taken;
  }
  if (lb_is_list(node)) {
    char* end = NULL;
    const long i = strtol(path, &end, 10);
    const bool number = end != path && (*end == '.' || !*end) && i >= 0 && i < node->count;
    found = number ? (int)i : -1;
    *taken = (size_t)(end - path) + (*end == '.');
  }
  return found;
}

// The node with the value where the path leads to; a copy, with what is missing on the way.
static const lb_yaml* put(const setting* s, const lb_yaml* node, const char* path) {
  if (!*path) {
    return s->to;
  }
  if (node && lb_is_null(node)) {
    node = NULL;
  }
  if (lb_is_scalar(node)) {
    lb_complain(s->r, s->place, "'%s' is nothing inside '%.60s', which is no mapping", path,
                node->text);
    return NULL;
  }
  size_t taken = 0;
  int at = node ? find_step(node, path, &taken) : -1;
  if (at < 0 && lb_is_list(node)) {
    lb_complain(s->r, s->place, "'%s' must go on with a number from 0 to %d, as of a list", path,
                node->count - 1);
    return NULL;
  }
  lb_yaml* copy = copy_of(s, node);
  if (copy && at < 0) {
    taken = strcspn(path, ".");
    at = copy->count++;
    copy->key[at] = make_key(s, path, taken);
    taken += path[taken] == '.';
    copy = copy->key[at] ? copy : NULL;
  }
  const lb_yaml* below =
      copy ? put(s, node && at < node->count ? node->item[at] : NULL, path + taken) : NULL;
  if (!below) {
    return NULL;
  }
  copy->item[at] = (lb_yaml*)below;
  return copy;
}

// --- parts and settings ---

// An entry of a section, found by its name, or by its number where entries have none.
static lb_entry* find_entry(const setting* s, int key, const char* path, size_t* taken) {
  const lb_entries* all = &s->r->section[key];
  lb_entry* found = NULL;
  *taken = 0;
  for (int i = 0; i < all->count; i++) {
    const char* name = all->entry[i].name ? all->entry[i].name->text : lb_compose(s->r, "%d", i);
    const size_t n = begins(path, name);
    found = n > *taken ? &all->entry[i] : found;
    *taken = n > *taken ? n : *taken;
  }
  return found;
}

// Starts need not be there: joints start somewhere in any case.
static bool add_start(const setting* s, const char* path) {
  const lb_yaml* section[LB_SCENE_KEYS] = {NULL};
  section[LB_SCENE_INITIAL] = put(s, NULL, path);
  return section[LB_SCENE_INITIAL] && lb_gather_sections(s->r, section);
}

static bool unknown_part(const setting* s, int key, const char* path) {
  const lb_entries* all = &s->r->section[key];
  const lb_yaml* name = make_key(s, path, strcspn(path, "."));
  if (!name) {
    return false;
  }
  if (key == LB_SCENE_SCENERY) {
    return lb_complain(s->r, s->place, "there are %d pieces of scenery, numbered from 0",
                       all->count);
  }
  if (key == LB_SCENE_MATERIALS && lb_builtin_material(name->text)) {
    return refuse(s, "the material is built in (give the scene one of its own, and set that)");
  }
  s->r->subject = "it";
  return lb_unknown_name(s->r, name, lb_scene_sections[key].word, &all->names);
}

static bool set_part(const setting* s, int key, const char* path) {
  size_t taken = 0;
  if (!*path) {
    return refuse(s, "the path ends at a section, not at a number (add a name and a key)");
  }
  lb_entry* entry = find_entry(s, key, path, &taken);
  if (!entry && key == LB_SCENE_INITIAL) {
    return add_start(s, path);
  }
  if (!entry) {
    return unknown_part(s, key, path);
  }
  if (!path[taken]) {
    return refuse(s, "the path ends at a part, not at one of its numbers (add a key of the part)");
  }
  const lb_yaml* changed = put(s, entry->value, path + taken);
  entry->value = changed ? changed : entry->value;
  return changed != NULL;
}

static bool set_setting(const setting* s, int key, const char* path) {
  lb_reader* r = s->r;
  if (!r->given[key] && *path >= '0' && *path <= '9') {
    return refuse(s, "the scene has no list there (give all of it, such as [0, 0, -1.62])");
  }
  const lb_yaml* changed = put(s, r->given[key], path);
  lb_yaml* root = changed ? copy_of(s, NULL) : NULL;
  if (!root) {
    return false;
  }
  root->count = 1;
  root->key[0] = make_key(s, lb_scene_table.field[key].key, strlen(lb_scene_table.field[key].key));
  root->item[0] = (lb_yaml*)changed;
  r->given[key] = changed;
  return root->key[0] && lb_read_table(r, root, &lb_scene_table, r);
}

static bool set_one(const setting* s) {
  const char* known[LB_SCENE_KEYS];
  for (int key = 0; key < LB_SCENE_KEYS; key++) {
    known[key] = lb_scene_table.field[key].key;
    const size_t taken = begins(s->path, known[key]);
    const bool part = key >= LB_SCENE_MATERIALS && key <= LB_SCENE_FORK;
    if (taken && (key == LB_SCENE_INCLUDE || key == LB_SCENE_REPEAT || key == LB_SCENE_LIMBER)) {
      return refuse(s, "this key says how the scene is read, and cannot be set");
    }
    if (taken) {
      return (part ? set_part : set_setting)(s, key, s->path + taken);
    }
  }
  const char* first = lb_compose(s->r, "%.*s", (int)strcspn(s->path, "."), s->path);
  return lb_complain(s->r, s->place, "a scene has no '%s'%s", first,
                     lb_hint(s->r, first, known, LB_SCENE_KEYS, "it has ", " and "));
}

// --- finding ---

// Node that the path leads to from here on, or NULL.
static const lb_yaml* go_along(const lb_yaml* node, const char* path) {
  size_t taken = 1;
  while (node && *path && taken > 0) {
    const int at = lb_is_scalar(node) ? -1 : find_step(node, path, &taken);
    node = at >= 0 ? node->item[at] : NULL;
    path += taken;
  }
  return node;
}

const lb_yaml* lb_find_value(lb_reader* r, const char* path) {
  const setting s = {.r = r, .path = path};
  for (int key = 0; key < LB_SCENE_KEYS; key++) {
    const size_t taken = begins(path, lb_scene_table.field[key].key);
    const bool part = key >= LB_SCENE_MATERIALS && key <= LB_SCENE_MARKERS;
    if (taken && !part) {
      return go_along(r->given[key], path + taken);
    }
    if (taken) {
      size_t named = 0;
      const lb_entry* entry = find_entry(&s, key, path + taken, &named);
      return entry ? go_along(entry->value, path + taken + named) : NULL;
    }
  }
  return NULL;
}

bool lb_set_value(lb_reader* r, const char* text) {
  const char* equals = strchr(text, '=');
  setting s = {.r = r, .place = {lb_compose(r, "--set %s", text), 0, 0}};
  s.place.file = lb_arena_text(r->keep, s.place.file, strlen(s.place.file));
  if (!s.place.file) {
    return lb_lack(r);
  }
  if (!equals || equals == text) {
    return refuse(&s, "it must be PATH=VALUE, such as bodies.rod.mass=2");
  }
  s.path = lb_compose(r, "%.*s", (int)(equals - text), text);
  const char* yaml = lb_compose(r, "value: %s", equals + 1);
  lb_yaml* root =
      lb_yaml_parse(yaml, strlen(yaml), s.place.file, &r->scratch, &r->report, &r->no_memory);
  if (!root || !lb_is_map(root) || root->count != 1) {
    return root ? refuse(&s, "the value is not one of YAML") : false;
  }
  s.to = root->item[0];
  move_to(root, s.place);
  const bool ok = set_one(&s);
  r->subject = "";
  return ok;
}
