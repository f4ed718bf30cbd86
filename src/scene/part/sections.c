// Sections of named parts: all are read and checked alike, by their tables.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/part/part.h"

#define PARTS(word, table, array, keeps)                                                           \
  { word, &(table), offsetof(lb_scene, array), offsetof(lb_scene, n##array), 0, 0, keeps }
// wraps are known by their index
#define NAMED(code, key, word, table, array, about)                                                \
  [LB_SCENE_##code] = PARTS(word, table, array, LB_SCENE_##code == LB_SCENE_WRAPS),
#define FORCES(code, name, section, about)                                                         \
  [LB_SCENE_FORCES + (code)] = {#name,                                                             \
                                &lb_##name##_table,                                                \
                                offsetof(lb_scene, force),                                         \
                                offsetof(lb_scene, nforce),                                        \
                                offsetof(lb_scene_force, kind),                                    \
                                code,                                                              \
                                false},
static const lb_table any_joint = {.name = "joint", .size = sizeof(lb_scene_joint)};
const lb_scene_section lb_scene_sections[LB_SCENE_KEYS] = {
    [LB_SCENE_MATERIALS] = PARTS("material", lb_material_table, material, true),
    [LB_SCENE_LINKAGES] = PARTS("linkage", lb_linkage_table, linkage, false),
    [LB_SCENE_BODIES] = PARTS("body", lb_body_table, body, true),
    [LB_SCENE_JOINTS] = PARTS("joint", any_joint, joint, true),
    [LB_SCENE_PROFILES] = {.word = "profile"}, // read where they are mentioned
    [LB_SCENE_MARKERS] = PARTS("marker", lb_marker_table, marker, false),
    [LB_SCENE_FORK] = PARTS("fork", lb_fork_table, fork, false),
    LB_FORCE_LIST(FORCES) LB_NAMED_SECTIONS(NAMED)};

// Is the part of this section? Else it is of another in the same array.
static bool is_of(const lb_scene_section* section, const char* part) {
  return section->kind == 0 || *(const int*)(part + section->kind) == section->number;
}

// --- reading ---

static bool read_entry(lb_reader* r, const lb_entry* entry, const lb_scene_section* section,
                       void* part) {
  bool ok = lb_begin_entry(r, entry, section->word);
  *(const char**)part = lb_keep_name(r, entry);
  *(lb_place*)((char*)part + sizeof(const char*)) = entry->name->place;
  return lb_read_table(r, entry->value, section->table, part) && ok;
}

// Parts of a section follow those that others left in the same array.
static void read_entries(lb_reader* r, const lb_entry* entry, int n,
                         const lb_scene_section* section, bool* broken) {
  const size_t size = section->table->size;
  int* count = (int*)((char*)&r->scene + section->count);
  void** array = (void**)((char*)&r->scene + section->array);
  char* part = lb_arena_take_array(r->keep, (size_t)(*count + n), size, LB_ALIGN);
  char* standard = lb_arena_take(&r->scratch, size, LB_ALIGN);
  if (!part || !standard) {
    lb_lack(r);
    return;
  }
  if (*count) {
    memcpy(part, *array, (size_t)*count * size);
  }
  *array = part;
  lb_table_default(section->table, standard);
  if (section->kind) {
    *(int*)(standard + section->kind) = section->number;
  }
  for (int i = 0; i < n && !r->no_memory; i++) {
    void* out = memcpy(part + (size_t)*count * size, standard, size);
    const bool ok = read_entry(r, &entry[i], section, out);
    if (broken) {
      broken[i] = !ok;
    }
    *count += ok || section->keeps;
  }
}

void lb_read_section(lb_reader* r, int key) {
  const lb_entries* all = &r->section[key];
  // nothing is wrong with built-in materials, which come to stand behind the author's own
  bool* broken = LB_TAKE(&r->scratch, bool, all->count + lb_builtin_material_count);
  if (!broken) {
    lb_lack(r);
    return;
  }
  r->broken[key] = broken;
  read_entries(r, all->entry, all->count, &lb_scene_sections[key], broken);
}

void lb_read_named(lb_reader* r, const lb_yaml* map, const lb_scene_section* section) {
  lb_entry* entry = LB_TAKE(&r->scratch, lb_entry, map->count);
  if (!entry) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < map->count; i++) {
    entry[i] = (lb_entry){map->key[i], map->item[i], r->folder};
  }
  read_entries(r, entry, map->count, section, NULL);
}

// --- checking ---

static double square(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += x[i] * x[i];
  }
  return sum;
}

// Fault of a value, in words, or NULL.
static const char* number_fault(const lb_field* field, const double* x) {
  const bool turns = field->value == LB_VALUE_ROTATION || field->value == LB_VALUE_POSE;
  const bool axis = field->value == LB_VALUE_AXIS;
  const char* fault = NULL;
  for (int i = 0; i < lb_count_numbers(field->value) && !fault; i++) {
    fault = lb_range_fault(axis || turns ? LB_ANY : field->range, x[i], true);
  }
  if (fault || !(axis || turns)) {
    return fault;
  }
  const double length = square(x, axis ? 3 : 4); // a transform begins with its quaternion
  const bool none = axis && length == 0 && field->standard; // an axis may be left out
  return none || fabs(length - 1) < 1e-6 ? NULL : "must be of length one";
}

static const char* index_fault(const lb_scene* s, const lb_field* field, int i) {
  const int count[LB_VALUE_KIND_COUNT] = {[LB_VALUE_BODY] = s->nbody,
                                          [LB_VALUE_ONE_BODY] = s->nbody,
                                          [LB_VALUE_JOINT] = s->njoint,
                                          [LB_VALUE_MATERIAL] = s->nmaterial,
                                          [LB_VALUE_WRAP] = s->nwrap};
  const bool none =
      field->value == LB_VALUE_BODY || field->value == LB_VALUE_MATERIAL || field->standard;
  return i >= (none ? -1 : 0) && i < count[field->value] ? NULL : "does not exist";
}

static bool is_choice(const lb_choices* choices, const char* word) {
  bool any = !word; // the first is meant
  for (int i = 0; i < choices->count && !any; i++) {
    any = strcmp(choices->name[i], word) == 0;
  }
  return any;
}

static const char* find_fault(const lb_scene* s, const lb_field* field, const void* value,
                              double* shown) {
  const lb_choices* choices = field->more;
  switch (field->value) {
  case LB_VALUE_COUNT:
    *shown = *(const int*)value;
    return lb_range_fault(field->range, *shown, true);
  case LB_VALUE_CHOICE:
    *shown = *(const int*)value - choices->first;
    return *shown >= 0 && *shown < choices->count + choices->unwritten
               ? NULL
               : "is not one of its choices";
  case LB_VALUE_WORD:
    return is_choice(choices, *(const char* const*)value) ? NULL : "is not one of its choices";
  case LB_VALUE_BODY:
  case LB_VALUE_ONE_BODY:
  case LB_VALUE_JOINT:
  case LB_VALUE_MATERIAL:
  case LB_VALUE_WRAP:
    *shown = *(const int*)value;
    return index_fault(s, field, *(const int*)value);
  default:
    *shown = lb_count_numbers(field->value) == 1 ? *(const double*)value : (double)NAN;
    return lb_count_numbers(field->value) ? number_fault(field, value) : NULL;
  }
}

static bool check_list(lb_checker* c, const lb_field* field, const void* part) {
  const lb_table* table = field->more;
  const char* item = *(char* const*)((const char*)part + field->offset);
  const int count = *(const int*)((const char*)part + field->count);
  char whole[sizeof c->subject];
  bool ok = true;
  memcpy(whole, c->subject, sizeof whole);
  for (int i = 0; i < count; i++) {
    snprintf(c->subject, sizeof c->subject, "%s %d of %.120s", table->name, i + 1, whole);
    ok &= lb_check_fields(c, table, item + (size_t)i * table->size);
  }
  memcpy(c->subject, whole, sizeof whole);
  return ok;
}

bool lb_check_fields(lb_checker* c, const lb_table* table, const void* part) {
  const int chosen = table->nchoose ? *(const int*)((const char*)part + table->chosen) : 0;
  bool ok = !table->nchoose || (chosen >= 0 && chosen < table->nchoose);
  if (!ok) {
    lb_say(c, ": %s is not one of those in limber/scene.h", table->choose);
  }
  for (int i = table->nchoose; i < table->count; i++) {
    const lb_field* field = &table->field[i];
    double shown = 0;
    if (field->offset == LB_NOWHERE) {
      continue;
    }
    const void* value = (const char*)part + field->offset;
    if (field->value == LB_VALUE_TABLE) {
      ok &= lb_check_fields(c, field->more, value);
      continue;
    }
    if (field->value == LB_VALUE_LIST) {
      ok &= check_list(c, field, part);
      continue;
    }
    const char* fault = find_fault(c->s, field, value, &shown);
    if (fault) {
      lb_say(c, isfinite(shown) ? ": '%s' %s (it is %g)" : ": '%s' %s", field->key, fault, shown);
      ok = false;
    }
  }
  return ok;
}

void lb_check_section(lb_checker* c, const lb_scene_section* section, const bool* broken) {
  const char* part = *(char* const*)((const char*)c->s + section->array);
  const int count = *(const int*)((const char*)c->s + section->count);
  const lb_table* table = section->table;
  lb_names names = {0};
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  int entry = -1; // of the section: several may share an array
  for (int i = 0; i < count; i++, part += table->size) {
    const char* name = *(const char* const*)part;
    const lb_place place = *(const lb_place*)(part + sizeof name);
    if (!is_of(section, part)) {
      continue;
    }
    entry++;
    lb_look_at(c, place, "%s '%.100s'", section->word, name ? name : "");
    if (!name || !*name) {
      LB_SAY(c, place, "%s %d has no name", section->word, i);
    } else if (lb_names_find(&names, name, -1) >= 0) {
      LB_SAY(c, place, "two parts of the kind %s are called '%s' (rename one)", section->word,
             name);
    } else if (!lb_names_add(&names, c->scratch, name, i)) {
      c->no_memory = true;
    }
    const bool whole = !(broken && broken[entry]);
    if (whole && lb_check_fields(c, table, part) && table->check) {
      table->check(c, part);
    }
  }
  lb_arena_reset(c->scratch, mark);
}
