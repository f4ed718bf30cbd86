// The JSON Schema and the key tables of the reference page, made from the reader's own tables.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/part/part.h"

// --- words ---

static const char* value_words(const lb_field* f, char* text, size_t size) {
  static const char* const plain[LB_VALUE_KIND_COUNT] = {
      [LB_VALUE_TEXT] = "text",
      [LB_VALUE_FLAG] = "true or false",
      [LB_VALUE_COUNT] = "a whole number",
      [LB_VALUE_SCALE] = "one number or three",
      [LB_VALUE_AXIS] = "x, y, z, -x, -y, -z or [x, y, z]",
      [LB_VALUE_ROTATION] = "a rotation",
      [LB_VALUE_POSE] = "a position, or {position, rotation}",
      [LB_VALUE_COLOR] = "a colour",
      [LB_VALUE_INERTIA] = "three or six moments of inertia",
      [LB_VALUE_BODY] = "a body's name, or world",
      [LB_VALUE_ONE_BODY] = "a body's name",
      [LB_VALUE_JOINT] = "a joint's name",
      [LB_VALUE_MATERIAL] = "a material's name",
      [LB_VALUE_WRAP] = "a wrap's name",
      [LB_VALUE_FUNCTION] = "a number, or a function of the coordinate",
      [LB_VALUE_FILES] = "a path, or a list of paths",
      [LB_VALUE_FILE] = "a path",
      [LB_VALUE_INITIAL] = "a mapping from names to starts",
      [LB_VALUE_KEYS] = "a list of [time, value]",
      [LB_VALUE_POINTS] = "a list of values",
      [LB_VALUE_WAY] = "a list of [time, value]",
      [LB_VALUE_WAY_POINTS] = "a list of values",
      [LB_VALUE_CURVE] = "a list of [stretch, force]",
      [LB_VALUE_PROFILE] = "a list of [coordinate, value]",
      [LB_VALUE_REGIONS] = "a mapping from names of regions to materials",
      [LB_VALUE_POSES] = "a list of positions, or of {position, rotation}",
      [LB_VALUE_PARTS] = "a list of joints without bodies",
      [LB_VALUE_BODIES] = "a list of bodies' names",
      [LB_VALUE_BOUND] = "a number, in units of what it is about",
      [LB_VALUE_MEASURE] = "a number or a list of them, in units of what it is about",
      [LB_VALUE_DRAWING] = "a mapping from names to [x, y], or to {fixed: [x, y]}",
      [LB_VALUE_LENGTHS] = "a mapping from names to lengths",
      [LB_VALUE_SPOT] = "[x, y, z], or a point's name",
      [LB_VALUE_PATH] = "a list of [time, [x, y, z]]",
      [LB_VALUE_FORCES] = "a mapping from names to forces [x, y, z]",
      [LB_VALUE_AMOUNTS] = "a mapping from names to numbers",
      [LB_VALUE_NAMES] = "a list of names",
      [LB_VALUE_RANGES] = "a list of [least, most]",
  };
  const bool is_table = f->value == LB_VALUE_SECTION || f->value == LB_VALUE_LIST ||
                        f->value == LB_VALUE_ONE || f->value == LB_VALUE_TABLE;
  const char* more = is_table ? ((const lb_table*)f->more)->name : "";
  const char* a = *more && strchr("aeiou", *more) ? "an" : "a";
  switch (f->value) {
  case LB_VALUE_NUMBER:
    return lb_dimension_words(f->dimension);
  case LB_VALUE_PAIR:
    snprintf(text, size, "[first, second], each %s", lb_dimension_words(f->dimension));
    return text;
  case LB_VALUE_VECTOR:
    snprintf(text, size, "[x, y, z], each %s", lb_dimension_words(f->dimension));
    return text;
  case LB_VALUE_GRID:
    snprintf(text, size, "a list of rows, each a list, each %s", lb_dimension_words(f->dimension));
    return text;
  case LB_VALUE_CHOICE:
  case LB_VALUE_EITHER:
  case LB_VALUE_WORD: {
    const lb_choices* choices = f->more;
    size_t used = 0;
    for (int i = 0; i < choices->count; i++) {
      used += (size_t)snprintf(text + used, size - used, "%s%s",
                               i == 0                    ? ""
                               : i == choices->count - 1 ? " or "
                                                         : ", ",
                               choices->name[i]);
    }
    return text;
  }
  case LB_VALUE_SECTION:
    more = f->more == lb_joint_table ? "joint" : more;
    snprintf(text, size, "a mapping from names, each %s %s", a, more);
    return text;
  case LB_VALUE_LIST:
    snprintf(text, size, "a list, each %s %s", a, more);
    return text;
  case LB_VALUE_ONE:
  case LB_VALUE_TABLE:
    snprintf(text, size, "%s %s", a, more);
    return text;
  default:
    return plain[f->value];
  }
}

// --- the page's tables ---

// All joints have the keys of a fixed one, which are shown with that alone.
static bool is_common(const lb_table* table, const lb_field* f) {
  const lb_table* fixed = &lb_joint_table[LB_JOINT_FIXED];
  const bool joint = table > fixed && table < fixed + LB_JOINT_COUNT;
  for (int i = 0; joint && i < fixed->count; i++) {
    if (strcmp(fixed->field[i].key, f->key) == 0) {
      return true;
    }
  }
  return false;
}

static void write_key_table(FILE* out, const lb_table* table) {
  fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
  for (int i = 0; i < table->count; i++) {
    const lb_field* f = &table->field[i];
    if (is_common(table, f)) {
      continue;
    }
    char text[300];
    const bool chosen = i < table->nchoose;
    fprintf(out, "| `%s` | %s | %s | %s |\n", f->key, value_words(f, text, sizeof text),
            chosen        ? "one of these"
            : f->standard ? f->standard
                          : "required",
            f->about);
  }
  if (table->other) {
    char text[300];
    fprintf(out, "| `%s` | %s | %s | %s |\n", table->other->key,
            value_words(table->other, text, sizeof text),
            table->other->standard ? table->other->standard : "one or more", table->other->about);
  }
}

// --- the schema ---

static void write_string(FILE* out, const char* text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') {
      fputc('\\', out);
    }
    fputc(*text, out);
  }
  fputc('"', out);
}

// A number, or a text of a number and a unit, or anything that a repetition calculates.
static void write_number(FILE* out, lb_dimension dimension, lb_range range) {
  static const char* const limits[] = {
      [LB_ANY] = "",
      [LB_POSITIVE] = ", \"exclusiveMinimum\": 0",
      [LB_NOT_NEGATIVE] = ", \"minimum\": 0",
      [LB_UNIT_RANGE] = ", \"minimum\": 0, \"maximum\": 1",
      [LB_POISSON_RANGE] = ", \"exclusiveMinimum\": -1, \"exclusiveMaximum\": 0.5",
      [LB_MODULUS_RANGE] = ", \"minimum\": 0.001, \"maximum\": 1e18",
      [LB_ANY_OR_UNSET] = "",
      [LB_POSITIVE_OR_UNSET] = ", \"exclusiveMinimum\": 0",
      [LB_POSITIVE_OR_INFINITE] = ", \"exclusiveMinimum\": 0",
      [LB_NOT_NEGATIVE_OR_UNSET] = ", \"minimum\": 0",
      [LB_NOT_NEGATIVE_IF_SET] = ", \"minimum\": 0",
      [LB_UNIT_RANGE_IF_SET] = ", \"minimum\": 0, \"maximum\": 1",
  };
  const bool positive = strstr(limits[range], "inimum\": 0") != NULL;
  fprintf(out, "{\"anyOf\": [{\"type\": \"number\"%s}, {\"type\": \"string\", \"pattern\": ",
          limits[range]);
  char pattern[800];
  size_t used = (size_t)snprintf(pattern, sizeof pattern,
                                 "^ *(%s([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)? *(",
                                 positive ? "[+]?" : "[-+]?");
  const char* between = "";
  for (int i = 0; i < lb_unit_count; i++) {
    if (lb_units[i].dimension == dimension) {
      used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s", between);
      for (const char* s = lb_units[i].name; *s; s++) { // spaces do not count
        const char* special = *s == '^' ? "\\" : "";
        used += *s == ' '
                    ? (size_t)snprintf(pattern + used, sizeof pattern - used, " *")
                    : (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%c", special, *s);
      }
      between = "|";
    }
  }
  snprintf(pattern + used, sizeof pattern - used, ")?%s|.*[(].*n.*[)].*) *$",
           range == LB_POSITIVE_OR_INFINITE ? "|[+]?[.]?inf(inity|inite)?" : "");
  write_string(out, pattern);
  fputs("}]}", out);
}

static void write_numbers(FILE* out, const lb_field* f, int least, int most) {
  fputs("{\"type\": \"array\", \"items\": ", out);
  write_number(out, f->dimension, f->range);
  fprintf(out, ", \"minItems\": %d, \"maxItems\": %d}", least, most);
}

// Name of a table in the schema's definitions: "capsule or cylinder" is capsule-or-cylinder.
static void write_reference(FILE* out, const char* prefix, const char* name) {
  fprintf(out, "{\"$ref\": \"#/$defs/%s", prefix);
  for (; *name; name++) {
    fputc(*name == ' ' ? '-' : *name, out);
  }
  fputs("\"}", out);
}

static void write_either(FILE* out, const lb_table* one, const lb_table* other) {
  fputs("{\"anyOf\": [", out);
  write_reference(out, "", one->name);
  fputs(", ", out);
  write_reference(out, "", other->name);
  fputs("]}", out);
}

static void write_choices(FILE* out, const lb_choices* choices) {
  fputs("{\"enum\": [", out);
  for (int i = 0; i < choices->count; i++) {
    fputs(i ? ", " : "", out);
    write_string(out, choices->name[i]);
  }
  fputs("]}", out);
}

static void write_kinds(FILE* out, const char* prefix, const lb_table* tables,
                        const lb_table* more) {
  fputs("{\"anyOf\": [", out);
  for (int i = 0; i < LB_JOINT_COUNT; i++) {
    if (tables[i].count) {
      fputs(i && tables[i - 1].count ? ", " : "", out);
      write_reference(out, prefix, tables[i].name);
    }
  }
  if (more) {
    fputs(", ", out);
    write_reference(out, prefix, more->name);
  }
  fputs("]}", out);
}

// A place in a plane.
#define SPOT_SCHEMA                                                                                \
  "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"string\"]}, \"minItems\": 2, "       \
  "\"maxItems\": 2}"

static const char* const rotation_schema =
    "{\"anyOf\": [{\"$ref\": \"#/$defs/angles\"}, {\"$ref\": \"#/$defs/rotation\"}]}";

static void write_value(FILE* out, const lb_table* table, const lb_field* f) {
  static const char* const plain[LB_VALUE_KIND_COUNT] = {
      [LB_VALUE_TEXT] = "{\"type\": [\"string\", \"number\", \"boolean\"]}",
      [LB_VALUE_FLAG] = "{\"type\": \"boolean\"}",
      [LB_VALUE_BODY] = "{\"type\": [\"string\", \"number\"]}",
      [LB_VALUE_ONE_BODY] = "{\"type\": [\"string\", \"number\"]}",
      [LB_VALUE_JOINT] = "{\"type\": [\"string\", \"number\"]}",
      [LB_VALUE_MATERIAL] = "{\"type\": [\"string\", \"number\"]}",
      [LB_VALUE_WRAP] = "{\"type\": [\"string\", \"number\"]}",
      [LB_VALUE_FILE] = "{\"type\": \"string\"}",
      [LB_VALUE_FILES] = ("{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                          "{\"type\": \"string\"}}]}"),
      [LB_VALUE_KEYS] = ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
                         "\"items\": {\"type\": [\"number\", \"string\"]}, \"minItems\": 2, "
                         "\"maxItems\": 2}}"),
      [LB_VALUE_PROFILE] =
          ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
           "\"items\": {\"type\": [\"number\", \"string\"]}, \"minItems\": 2, "
           "\"maxItems\": 2}}"),
      [LB_VALUE_BOUND] = "{\"type\": [\"number\", \"string\"]}",
      [LB_VALUE_MEASURE] = ("{\"anyOf\": [{\"type\": [\"number\", \"string\"]}, {\"type\": "
                            "\"array\", \"items\": {\"type\": [\"number\", \"string\"]}}]}"),
      [LB_VALUE_POINTS] = "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"string\"]}}",
      [LB_VALUE_WAY] = ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
                        "\"prefixItems\": [{\"type\": [\"number\", \"string\"]}, {\"anyOf\": "
                        "[{\"type\": [\"number\", \"string\"]}, {\"$ref\": \"#/$defs/angles\"}, "
                        "{\"$ref\": \"#/$defs/rotation\"}]}], \"minItems\": 2, \"maxItems\": 2}}"),
      [LB_VALUE_WAY_POINTS] =
          ("{\"type\": \"array\", \"items\": {\"anyOf\": [{\"type\": [\"number\", "
           "\"string\"]}, {\"$ref\": \"#/$defs/angles\"}, {\"$ref\": \"#/$defs/rotation\"}]}}"),
      [LB_VALUE_CURVE] = ("{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"array\", "
                          "\"items\": {\"type\": [\"number\", \"string\"]}, \"minItems\": 2, "
                          "\"maxItems\": 2}}"),
      [LB_VALUE_REGIONS] = ("{\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                            "{\"type\": [\"string\", \"number\"]}}"),
      [LB_VALUE_POSE] = ("{\"anyOf\": [{\"$ref\": \"#/$defs/place\"}, {\"$ref\": "
                         "\"#/$defs/pose\"}]}"),
      [LB_VALUE_POSES] = ("{\"type\": \"array\", \"minItems\": 4, \"items\": {\"anyOf\": "
                          "[{\"$ref\": \"#/$defs/place\"}, {\"$ref\": \"#/$defs/pose\"}]}}"),
      [LB_VALUE_GRID] = ("{\"type\": \"array\", \"minItems\": 4, \"items\": {\"type\": "
                         "\"array\", \"minItems\": 4, \"items\": {\"type\": [\"number\", "
                         "\"string\"]}}}"),
      [LB_VALUE_BODIES] = ("{\"type\": [\"array\", \"null\"], \"items\": {\"type\": "
                           "[\"string\", \"number\"]}}"),
      [LB_VALUE_DRAWING] =
          ("{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": "
           "[" SPOT_SCHEMA ", {\"type\": \"object\", \"required\": [\"fixed\"], "
           "\"additionalProperties\": false, \"properties\": {\"fixed\": " SPOT_SCHEMA "}}]}}"),
      [LB_VALUE_SPOT] = "{\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/place\"}]}",
      [LB_VALUE_PATH] = ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
                         "\"prefixItems\": [{\"type\": [\"number\", \"string\"]}, {\"$ref\": "
                         "\"#/$defs/place\"}], \"minItems\": 2, \"maxItems\": 2}}"),
      [LB_VALUE_LENGTHS] = ("{\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                            "{\"type\": [\"number\", \"string\"]}}"),
      [LB_VALUE_FORCES] = ("{\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                           "{\"type\": \"array\", \"items\": {\"type\": [\"number\", "
                           "\"string\"]}, \"minItems\": 3, \"maxItems\": 3}}"),
      [LB_VALUE_AMOUNTS] = ("{\"type\": \"object\", \"additionalProperties\": {\"type\": "
                            "\"number\", \"exclusiveMinimum\": 0}}"),
      [LB_VALUE_RANGES] =
          ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
           "\"items\": {\"type\": [\"number\", \"string\"]}, \"minItems\": 2, "
           "\"maxItems\": 2}}"),
      [LB_VALUE_NAMES] = "{\"type\": [\"array\", \"null\"], \"items\": {\"type\": \"string\"}}",
      [LB_VALUE_PARTS] = ("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": "
                          "\"object\", \"required\": [\"type\"]}}"),
  };
  const bool joints = f->more == lb_joint_table;
  switch (f->value) {
  case LB_VALUE_NUMBER:
    write_number(out, f->dimension, f->range);
    break;
  case LB_VALUE_COUNT:
    fprintf(out, "{\"type\": \"integer\"%s}",
            f->range == LB_POSITIVE || f->range == LB_POSITIVE_OR_UNSET ? ", \"minimum\": 1" : "");
    break;
  case LB_VALUE_PAIR:
    write_numbers(out, f, 2, 2);
    break;
  case LB_VALUE_VECTOR:
    write_numbers(out, f, 3, 3);
    break;
  case LB_VALUE_INERTIA:
    fputs("{\"anyOf\": [", out);
    write_numbers(out, f, 3, 3);
    fputs(", ", out);
    write_numbers(out, f, 6, 6);
    fputs("]}", out);
    break;
  case LB_VALUE_SCALE:
    fputs("{\"anyOf\": [", out);
    write_number(out, f->dimension, f->range);
    fputs(", ", out);
    write_numbers(out, f, 3, 3);
    fputs("]}", out);
    break;
  case LB_VALUE_AXIS:
    fputs("{\"anyOf\": [{\"type\": \"string\", \"pattern\": \"^[-+]?[xyz]$\"}, ", out);
    write_numbers(out, f, 3, 3);
    fputs("]}", out);
    break;
  case LB_VALUE_COLOR:
    fputs("{\"anyOf\": [{\"type\": \"string\", \"pattern\": "
          "\"^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$\"}, ",
          out);
    write_numbers(out, f, 3, 4);
    fputs("]}", out);
    break;
  case LB_VALUE_ROTATION:
    fputs(rotation_schema, out);
    break;
  case LB_VALUE_EITHER:
  case LB_VALUE_WORD:
  case LB_VALUE_CHOICE: // a joint's table is for one type only
    if (f->more == &lb_joint_choices) {
      fputs("{\"const\": \"", out);
      fprintf(out, "%.*s\"}", (int)strcspn(table->name, " "), table->name);
    } else {
      write_choices(out, f->more);
    }
    break;
  case LB_VALUE_FUNCTION:
    fputs("{\"anyOf\": [{\"type\": [\"number\", \"string\"]}, ", out);
    write_reference(out, "", ((const lb_table*)f->more)->name);
    fputs("]}", out);
    break;
  case LB_VALUE_TABLE:
  case LB_VALUE_ONE:
    write_reference(out, "", ((const lb_table*)f->more)->name);
    break;
  case LB_VALUE_SECTION:
    fputs("{\"type\": [\"object\", \"null\"], \"additionalProperties\": ", out);
    if (joints) {
      fputs("{\"$ref\": \"#/$defs/joint\"}", out);
    } else if (f->more == &lb_hinge_limit_table) { // which one the motor's joint says
      write_either(out, &lb_hinge_limit_table, &lb_slide_limit_table);
    } else if (f->more == &lb_motor_control_table) { // or what the muscle has
      fputs("{\"anyOf\": [", out);
      write_either(out, &lb_motor_control_table, &lb_slide_control_table);
      fputs(", ", out);
      write_reference(out, "", lb_muscle_control_table.name);
      fputs("]}", out);
    } else {
      write_reference(out, "", ((const lb_table*)f->more)->name);
    }
    fputs("}", out);
    break;
  case LB_VALUE_INITIAL:
    fputs("{\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"$ref\": "
          "\"#/$defs/start\"}}",
          out);
    break;
  case LB_VALUE_LIST:
    fputs("{\"type\": [\"array\", \"null\"], \"items\": ", out);
    write_reference(out, "", ((const lb_table*)f->more)->name);
    fputs("}", out);
    break;
  default:
    fputs(plain[f->value], out);
  }
}

// `{"type": "x", ...}` with a description put in front.
static void write_field(FILE* out, const lb_table* table, const lb_field* f) {
  char* value = NULL;
  size_t size = 0;
  FILE* part = open_memstream(&value, &size);
  write_value(part, table, f);
  fclose(part);
  char about[600];
  const bool standard = f->standard && *f->standard;
  snprintf(about, sizeof about, "%s%s%s", f->about, standard ? "; default: " : "",
           standard ? f->standard : "");
  fputs("        ", out);
  write_string(out, f->key);
  fputs(": {\"description\": ", out);
  write_string(out, about);
  fprintf(out, ", %s", value + 1);
  free(value);
}

// Former names of keys, for which the same is allowed.
static void write_aliases(FILE* out, const lb_table* table) {
  for (const lb_alias* a = table->alias; a && a->was; a++) {
    for (int i = 0; i < table->count; i++) {
      if (strcmp(table->field[i].key, a->is) == 0) {
        lb_field former = table->field[i];
        char about[100];
        snprintf(about, sizeof about, "the old name of %s", a->is);
        former.key = a->was;
        former.about = about;
        former.standard = NULL;
        fputs(",\n", out);
        write_field(out, table, &former);
      }
    }
  }
}

static void write_table_body(FILE* out, const lb_table* table) {
  fputs("{\n      \"type\": [\"object\", \"null\"],\n      \"additionalProperties\": ", out);
  if (table->other) {
    write_value(out, table, table->other);
  } else {
    fputs("false", out);
  }
  fputs(",\n      \"properties\": {\n", out);
  for (int i = 0; i < table->count; i++) {
    write_field(out, table, &table->field[i]);
    fputs(i + 1 < table->count ? ",\n" : "", out);
  }
  write_aliases(out, table);
  fputs("\n      }", out);
  const char* before = ",\n      \"required\": [";
  for (int i = 0; i < table->count; i++) {
    if (lb_field_is_required(table, i)) {
      fputs(before, out);
      write_string(out, table->field[i].key);
      before = ", ";
    }
  }
  fputs(*before == ',' && before[1] == ' ' ? "]" : "", out);
  for (int i = 0; i < table->nchoose; i++) {
    fputs(i ? ", " : ",\n      \"oneOf\": [", out);
    fputs("{\"required\": [", out);
    write_string(out, table->field[i].key);
    fputs("]}", out);
  }
  fputs(table->nchoose ? "]" : "", out);
  fputs("\n    }", out);
}

static void write_definition(FILE* out, const char* prefix, const lb_table* table) {
  fprintf(out, "    \"%s", prefix);
  for (const char* s = table->name; *s; s++) {
    fputc(*s == ' ' ? '-' : *s, out);
  }
  fputs("\": ", out);
  write_table_body(out, table);
}

// Every table that the format leads to, each once, under the name that docs/scene.md and the schema
// know it by.
typedef struct known_table {
  const char* prefix;
  const lb_table* table;
} known_table;

enum { MOST_TABLES = 200 };
static known_table all_tables[MOST_TABLES];
static int all_count;

static void collect(const char* prefix, const lb_table* table) {
  for (int i = 0; i < all_count; i++) {
    if (strcmp(all_tables[i].prefix, prefix) == 0 &&
        strcmp(all_tables[i].table->name, table->name) == 0) {
      return;
    }
  }
  all_tables[all_count++] = (known_table){prefix, table};
  for (int i = 0; i < table->count; i++) {
    const lb_field* f = &table->field[i];
    const bool leads = f->value == LB_VALUE_TABLE || f->value == LB_VALUE_ONE ||
                       f->value == LB_VALUE_FUNCTION || f->value == LB_VALUE_LIST ||
                       f->value == LB_VALUE_SECTION;
    if (leads && f->more != lb_joint_table) {
      collect("", f->more);
    }
    for (int k = 0; f->more == lb_joint_table && k < LB_JOINT_COUNT; k++) {
      collect("", &lb_joint_table[k]);
    }
    for (int k = 0; f->value == LB_VALUE_INITIAL && k < LB_JOINT_COUNT; k++) {
      if (lb_start_table[k].count) {
        collect("start of ", &lb_start_table[k]);
      }
    }
    if (f->value == LB_VALUE_INITIAL) {
      collect("start of ", &lb_muscle_start_table);
    }
  }
}

static void collect_all(void) {
  all_count = 0;
  collect("", &lb_scene_table);
  collect("", &lb_pose_table);
  collect("", &lb_turn_table);
  collect("", &lb_slide_limit_table);
  collect("", &lb_slide_control_table);
  collect("", &lb_muscle_control_table);
  collect("", &lb_function_part_table);
}

static void write_schema(FILE* out) {
  const lb_field angles = {.dimension = LB_ANGLE}, place = {.dimension = LB_LENGTH};
  fputs("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"Limber scene\",\n  \"$ref\": \"#/$defs/scene\",\n  \"$defs\": {\n",
        out);
  fputs("    \"angles\": ", out);
  write_numbers(out, &angles, 3, 3);
  fputs(",\n    \"place\": ", out);
  write_numbers(out, &place, 3, 3);
  fputs(",\n    \"joint\": ", out);
  write_kinds(out, "", lb_joint_table, NULL);
  fputs(",\n    \"start\": ", out);
  write_kinds(out, "start-of-", lb_start_table, &lb_muscle_start_table);
  collect_all();
  for (int i = 0; i < all_count; i++) {
    fputs(",\n", out);
    write_definition(out, *all_tables[i].prefix ? "start-of-" : "", all_tables[i].table);
  }
  fputs("\n  }\n}\n", out);
}
