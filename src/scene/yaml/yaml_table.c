// From mappings to structs, by tables: keys that are known, required or chosen between, and what
// holds when nothing is written.
#include <string.h>

#include "scene/yaml/reader.h"

// --- what holds when nothing is written ---

// Standards that are values are read as what authors write; words for people are none, and leave
// the member as it is.
static void set_standard(const lb_field* field, void* out) {
  const lb_yaml text = {.text = field->standard ? field->standard : "", .plain = true};
  switch (field->value) {
  case LB_VALUE_NUMBER:
  case LB_VALUE_COUNT:
  case LB_VALUE_FLAG:
  case LB_VALUE_AXIS:
  case LB_VALUE_CHOICE:
  case LB_VALUE_EITHER:
  case LB_VALUE_WORD:
    lb_read_value(NULL, &text, field, out);
    break;
  case LB_VALUE_ROTATION:
    *(lb_quat*)out = lb_quat_identity();
    break;
  case LB_VALUE_POSE:
    *(lb_transform*)out = lb_transform_identity();
    break;
  case LB_VALUE_BODY:
  case LB_VALUE_ONE_BODY:
  case LB_VALUE_JOINT:
  case LB_VALUE_MATERIAL:
  case LB_VALUE_WRAP:
    *(int*)out = -1;
    break;
  case LB_VALUE_TABLE:
    lb_table_default(field->more, out);
    break;
  default:
    break;
  }
}

void* lb_read_array(lb_reader* r, const lb_yaml* list, const lb_field* field, size_t size) {
  char* value = lb_arena_take_array(r->keep, (size_t)list->count, size, LB_ALIGN);
  bool ok = value || lb_lack(r);
  for (int i = 0; value && i < list->count; i++) {
    set_standard(field, value + (size_t)i * size);
    ok &= lb_read_value(r, list->item[i], field, value + (size_t)i * size);
  }
  return ok ? value : NULL;
}

void lb_table_default(const lb_table* table, void* part) {
  if (table->init) {
    table->init(part);
  }
  for (int i = 0; i < table->count; i++) {
    if (table->field[i].offset != LB_NOWHERE) {
      set_standard(&table->field[i], (char*)part + table->field[i].offset);
    }
  }
}

// --- tables ---

static int find_field(const lb_table* table, const char* key) {
  for (int i = 0; i < table->count; i++) {
    if (strcmp(table->field[i].key, key) == 0) {
      return i;
    }
  }
  return -1;
}

// Which key of a table has this one, a number or a choice, inside: the stiffness of a joint is that
// of its spring.
static const lb_field* find_inside(const lb_table* table, const char* key) {
  for (int i = 0; i < table->count; i++) {
    const lb_field* field = &table->field[i];
    const lb_table* inner = field->value == LB_VALUE_TABLE ? field->more : NULL;
    const int at = inner ? find_field(inner, key) : -1;
    if (at >= 0 &&
        (inner->field[at].value == LB_VALUE_NUMBER || inner->field[at].value == LB_VALUE_CHOICE)) {
      return field;
    }
  }
  return NULL;
}

static bool unknown_key(lb_reader* r, const lb_yaml* key, const lb_table* table) {
  const char* known[LB_FIELD_MOST];
  const lb_field* inside = find_inside(table, key->text);
  if (inside) {
    return lb_complain(r, key->place,
                       "unknown key '%s' (it belongs into '%s': write %s: {%s: ...})", key->text,
                       inside->key, inside->key, key->text);
  }
  for (int i = 0; i < table->count; i++) {
    known[i] = table->field[i].key;
  }
  const char* article = strchr("aeiou", table->name[0]) ? "an" : "a";
  return lb_complain(r, key->place, "unknown key '%s'%s", key->text,
                     lb_hint(r, key->text, known, table->count,
                             lb_compose(r, "%s %s has ", article, table->name), " and "));
}

bool lb_field_is_required(const lb_table* table, int i) {
  return i >= table->nchoose && !table->field[i].standard;
}

// Of what must be chosen, the number of the one given; -1: none, or there is nothing to choose.
static int find_chosen(lb_reader* r, const lb_yaml* node, const lb_table* table, bool* ok) {
  int chosen = -1;
  const char* names[LB_FIELD_MOST];
  for (int i = 0; i < table->nchoose; i++) {
    names[i] = table->field[i].key;
    const lb_yaml* given = lb_yaml_find(node, names[i]);
    if (given && chosen >= 0) {
      *ok = lb_complain(r, given->place, "'%s' and '%s' cannot both be given (choose one)",
                        names[chosen], names[i]);
    }
    chosen = given ? i : chosen;
  }
  if (table->nchoose && chosen < 0) {
    *ok = lb_complain(r, node->place, "%s is missing (choose %s)", table->choose,
                      lb_join(r, " or ", names, table->nchoose));
  }
  return chosen;
}

bool lb_keys_hold(lb_reader* r, const lb_yaml* node, const lb_key_rule* rule, int count,
                  int chosen) {
  bool ok = true;
  for (int i = 0; i < count; i++) {
    const lb_yaml* given = lb_yaml_find(node, rule[i].key);
    if (given && !(rule[i].of >> chosen & 1)) {
      ok = lb_complain(r, given->place, "%s", rule[i].text);
    }
  }
  return ok;
}

static bool check_required(lb_reader* r, const lb_yaml* node, const lb_table* table) {
  bool ok = true;
  for (int i = 0; i < table->count; i++) {
    const lb_field* field = &table->field[i];
    if (lb_field_is_required(table, i) && !lb_yaml_find(node, field->key)) {
      ok = lb_complain(r, node->place, "'%s' is missing (%s)", field->key, field->about);
    }
  }
  return ok;
}

// "5 cm" where {radius: 5 cm} is meant: the key that a lone value belongs to, when there is just
// one that must be there.
static const char* as_mapping(lb_reader* r, const lb_yaml* node, const lb_table* table) {
  const lb_field* only = NULL;
  int required = 0;
  for (int i = 0; i < table->count; i++) {
    only = lb_field_is_required(table, i) ? &table->field[i] : only;
    required += lb_field_is_required(table, i);
  }
  const bool clear = required == 1 && lb_is_scalar(node) && only->value == LB_VALUE_NUMBER;
  return clear ? lb_compose(r, " (write {%s: %.40s})", only->key, node->text) : "";
}

// One key of a table; what is not stored is only judged.
static bool read_key(lb_reader* r, const lb_yaml* node, const lb_field* field, void* part) {
  double nowhere[16];
  const bool list = field->value == LB_VALUE_LIST && field->count;
  if (field->offset != LB_NOWHERE && !list) {
    return lb_read_value(r, node, field, (char*)part + field->offset);
  }
  if (field->value == LB_VALUE_TABLE) {
    const lb_table* table = field->more;
    void* judged = lb_arena_take(&r->scratch, table->size, LB_ALIGN);
    return judged ? lb_read_value(r, node, field, judged) : lb_lack(r);
  }
  const bool ok = lb_read_value(r, node, field, nowhere);
  return list && ok ? lb_read_list(r, node, field->more, (void**)((char*)part + field->offset),
                                   (int*)((char*)part + field->count))
                    : ok;
}

void lb_rename_keys(lb_reader* r, const lb_yaml* node, const lb_table* table) {
  for (const lb_alias* a = table->alias; a && a->was && lb_is_map(node); a++) {
    for (int i = 0; i < node->count; i++) {
      if (strcmp(node->key[i]->text, a->was) == 0) {
        if (lb_yaml_find(node, a->is)) {
          lb_complain(r, node->key[i]->place, "'%s' is the old name of '%s' (keep one)", a->was,
                      a->is);
        }
        lb_remark(
            r, node->key[i]->place,
            lb_compose(r, "'%s' is now called '%s' (the old name still works)", a->was, a->is));
        node->key[i]->text = a->is;
      }
    }
  }
}

bool lb_read_table(lb_reader* r, const lb_yaml* node, const lb_table* table, void* out) {
  if (!lb_is_map(node) && !lb_is_null(node)) {
    return lb_complain(r, node->place, "a mapping of keys is needed here, not %s%s",
                       lb_shown(r, node), as_mapping(r, node, table));
  }
  bool ok = true;
  lb_rename_keys(r, node, table);
  for (int i = 0; i < node->count; i++) {
    const int found = find_field(table, node->key[i]->text);
    if (found < 0 && table->other) {
      continue;
    }
    if (found < 0) {
      ok = unknown_key(r, node->key[i], table);
      continue;
    }
    ok &= read_key(r, node->item[i], &table->field[found], out);
  }
  ok &= check_required(r, node, table);
  const int chosen = find_chosen(r, node, table, &ok);
  if (chosen >= 0) {
    *(int*)((char*)out + table->chosen) = chosen;
    ok = ok && lb_keys_hold(r, node, table->rule, table->nrule, chosen);
  }
  return table->finish ? table->finish(r, node, ok, out) && ok : ok;
}

bool lb_read_part(lb_reader* r, const lb_yaml* node, const char* where, const lb_table* table,
                  void* out) {
  const char* whole = r->subject;
  r->subject = *whole ? lb_compose(r, "%s of %s", where, whole) : where;
  const bool ok = lb_read_table(r, node, table, out);
  r->subject = whole;
  return ok;
}
