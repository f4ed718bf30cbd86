// From nodes to values, by the kind of value that a field's row in a table names. One function for
// each kind, found in the table at the end.
#include <stdio.h>
#include <string.h>

#include "scene/yaml/reader.h"

// --- numbers ---

static bool wrong_unit(lb_reader* r, const lb_yaml_node* node, const char* key,
                       lb_dimension dimension, const char* unit) {
  if (dimension == LB_PURE) {
    return lb_complain(r, node->place, "'%s' has no unit: write the number without '%s'", key,
                       unit);
  }
  const char* names[8];
  int count = 0;
  lb_nearest nearest = lb_nearest_to(unit);
  for (int i = 0; i < lb_unit_count; i++) {
    if (lb_units[i].dimension == dimension && count < 8) {
      names[count++] = lb_units[i].name;
      lb_nearest_offer(&nearest, lb_units[i].name);
    }
  }
  const lb_unit* other = lb_unit_find(unit);
  if (other) {
    return lb_complain(r, node->place, "'%s' must be %s, but '%s' is %s (use %s)", key,
                       lb_dimension_words(dimension), node->text,
                       lb_dimension_words(other->dimension), lb_join(r, " or ", names, count));
  }
  return lb_complain(r, node->place, "'%s' has the unknown unit '%s'%s", key, unit,
                     nearest.best ? lb_did_you_mean(r, &nearest)
                                  : lb_compose(r, " (use %s)", lb_join(r, " or ", names, count)));
}

const char* lb_range_fault(lb_range range, double x, bool unset) {
  const bool positive = x > 0, not_negative = x >= 0;
  const struct {
    const char* words;
    bool holds, may_be_unset;
  } rule[] = {
      [LB_ANY] = {"must be finite", true, false},
      [LB_POSITIVE] = {"must be greater than 0", positive, false},
      [LB_NOT_NEGATIVE] = {"must be 0 or more", not_negative, false},
      [LB_UNIT_RANGE] = {"must be from 0 to 1", not_negative && x <= 1, false},
      [LB_POISSON_RANGE] = {"must be more than -1 and less than 0.5", x > -1 && x < 0.5, false},
      [LB_ANY_OR_UNSET] = {"must be finite", true, true},
      [LB_POSITIVE_OR_UNSET] = {"must be greater than 0", positive, true},
      [LB_NOT_NEGATIVE_OR_UNSET] = {"must be 0 or more", not_negative, true},
  };
  const bool is_unset = unset && rule[range].may_be_unset && (x == 0 || !isfinite(x));
  return is_unset || (isfinite(x) && rule[range].holds) ? NULL : rule[range].words;
}

bool lb_read_number(lb_reader* r, const lb_yaml_node* node, const char* key, lb_dimension dimension,
                    lb_range range, double* out) {
  double value = 0;
  const char* unit = "";
  const lb_number_outcome outcome = node->kind == LB_YAML_SCALAR
                                        ? lb_number_read(node->text, dimension, &value, &unit)
                                        : LB_NUMBER_NONE;
  switch (outcome) {
  case LB_NUMBER_NONE:
    return lb_wrong_kind(r, node, key,
                         lb_compose(r, "%s, such as %s", lb_dimension_words(dimension),
                                    lb_dimension_example(dimension)));
  case LB_NUMBER_NOT_FINITE:
    return lb_complain(r, node->place, "'%s' must be finite, not '%s' (write %s, such as %s)", key,
                       node->text, lb_dimension_words(dimension), lb_dimension_example(dimension));
  case LB_NUMBER_TOO_LARGE:
    return lb_complain(r, node->place, "'%s' is too large: '%s' (numbers end at about 1.8e308)",
                       key, node->text);
  case LB_NUMBER_UNIT:
    return wrong_unit(r, node, key, dimension, unit);
  case LB_NUMBER_OK:
    break;
  }
  const char* fault = lb_range_fault(range, value, false);
  if (fault) {
    return lb_complain(r, node->place, "'%s' %s, not '%s'", key, fault, node->text);
  }
  *out = value;
  return true;
}

int lb_read_numbers(lb_reader* r, const lb_yaml_node* node, const lb_field* field, int least,
                    int most, double* out) {
  if (node->kind != LB_YAML_LIST || node->count < least || node->count > most) {
    static const char* const words[] = {"no", "one", "two", "three", "four", "five", "six"};
    const char* count =
        least == most ? words[most] : lb_compose(r, "%s or %s", words[least], words[most]);
    if (node->kind == LB_YAML_LIST) {
      lb_complain(r, node->place, "'%s' must have %s numbers, not %d", field->key, count,
                  node->count);
    } else {
      lb_wrong_kind(r, node, field->key, lb_compose(r, "a list of %s numbers", count));
    }
    return -1;
  }
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    ok &= lb_read_number(r, node->item[i], field->key, field->dimension, field->range, &out[i]);
  }
  return ok ? node->count : -1;
}

static bool read_number(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  return lb_read_number(r, node, field->key, field->dimension, field->range, out);
}

static bool read_count(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double value = 0;
  if (!lb_read_number(r, node, field->key, LB_PURE, field->range, &value)) {
    return false;
  }
  if (value != floor(value) || fabs(value) > 1e6) {
    return lb_wrong_kind(r, node, field->key, "a whole number up to 1000000");
  }
  *(int*)out = (int)value;
  return true;
}

static bool read_pair(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double v[2] = {0};
  if (lb_read_numbers(r, node, field, 2, 2, v) < 0) {
    return false;
  }
  memcpy(out, v, sizeof v);
  return true;
}

static bool read_vector(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double v[3] = {0};
  if (lb_read_numbers(r, node, field, 3, 3, v) < 0) {
    return false;
  }
  *(lb_vec3*)out = lb_vec3_make(v[0], v[1], v[2]);
  return true;
}

static bool read_scale(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double s = 1;
  if (node->kind == LB_YAML_LIST) {
    return read_vector(r, node, field, out);
  }
  if (!read_number(r, node, field, &s)) {
    return false;
  }
  *(lb_vec3*)out = lb_vec3_make(s, s, s);
  return true;
}

static bool read_inertia(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double v[6] = {0};
  if (node->kind == LB_YAML_LIST && node->count != 3 && node->count != 6) {
    return lb_complain(r, node->place,
                       "'%s' must be [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz], not a "
                       "list of %d",
                       field->key, node->count);
  }
  if (lb_read_numbers(r, node, field, 3, 6, v) < 0) {
    return false;
  }
  *(lb_sym3*)out = (lb_sym3){v[0], v[1], v[2], v[3], v[4], v[5]};
  return true;
}

// --- texts, flags, choices, names ---

static bool read_text(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  if (node->kind != LB_YAML_SCALAR) {
    return lb_wrong_kind(r, node, field->key, "a text");
  }
  const char* copy = lb_arena_text(r->keep, node->text, strlen(node->text));
  *(const char**)out = copy;
  return copy || lb_lack(r);
}

static bool read_flag(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  const bool scalar = node->kind == LB_YAML_SCALAR && node->plain;
  const bool yes = scalar && strcmp(node->text, "true") == 0;
  if (!yes && !(scalar && strcmp(node->text, "false") == 0)) {
    return lb_wrong_kind(r, node, field->key, "true or false");
  }
  *(bool*)out = yes;
  return true;
}

// The number of a choice; -1: it is none, which is told.
static int find_choice(lb_reader* r, const lb_yaml_node* node, const lb_field* field) {
  const lb_choices* choices = field->more;
  if (node->kind != LB_YAML_SCALAR || lb_yaml_node_is_null(node)) {
    lb_wrong_kind(r, node, field->key, lb_join(r, " or ", choices->name, choices->count));
    return -1;
  }
  lb_nearest nearest = lb_nearest_to(node->text);
  for (int i = 0; i < choices->count; i++) {
    if (strcmp(choices->name[i], node->text) == 0) {
      return i;
    }
    lb_nearest_offer(&nearest, choices->name[i]);
  }
  lb_complain(r, node->place, "'%s' cannot be '%s'%s", field->key, node->text,
              nearest.best ? lb_did_you_mean(r, &nearest)
                           : lb_compose(r, " (choose %s)",
                                        lb_join(r, " or ", choices->name, choices->count)));
  return -1;
}

static void set_choice(const lb_field* field, int i, void* out) {
  const lb_choices* choices = field->more;
  if (field->value == LB_VALUE_EITHER) {
    *(bool*)out = i == 1;
  } else if (field->value == LB_VALUE_WORD) {
    *(const char**)out = choices->name[i];
  } else {
    *(int*)out = choices->first + i;
  }
}

static bool read_choice(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  const int i = find_choice(r, node, field);
  if (i >= 0) {
    set_choice(field, i, out);
  }
  return i >= 0;
}

// The name of something of the scene that is known already.
static bool read_name(lb_reader* r, const lb_yaml_node* node, const lb_field* field,
                      const char* what, int section, void* out) {
  if (node->kind != LB_YAML_SCALAR || lb_yaml_node_is_null(node)) {
    return lb_wrong_kind(r, node, field->key, lb_compose(r, "the name of a %s", what));
  }
  const lb_names* names = &r->section[section].names;
  const int found = lb_names_find(names, node->text, -1);
  *(int*)out = found;
  return found >= 0 || lb_unknown_name(r, node, what, names);
}

static bool read_body(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  if (node->kind == LB_YAML_SCALAR && strcmp(node->text, "world") == 0) {
    *(int*)out = LB_WORLD;
    return field->value == LB_VALUE_BODY ||
           lb_complain(r, node->place, "'%s' must be a body, not the world", field->key);
  }
  return read_name(r, node, field, "body", LB_SCENE_BODIES, out);
}

static bool read_joint(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  return read_name(r, node, field, "joint", LB_SCENE_JOINTS, out);
}

static bool read_material(lb_reader* r, const lb_yaml_node* node, const lb_field* field,
                          void* out) {
  if (node->kind != LB_YAML_SCALAR || lb_yaml_node_is_null(node)) {
    return lb_wrong_kind(r, node, field->key, "the name of a material");
  }
  const int found = lb_find_material(r, node->text);
  if (found >= 0) {
    *(int*)out = found;
    return true;
  }
  // offer the author's own materials and the built-in ones together
  lb_names all = {0};
  for (int i = 0; i < r->section[LB_SCENE_MATERIALS].count; i++) {
    lb_names_add(&all, &r->scratch, r->section[LB_SCENE_MATERIALS].entry[i].name->text, i);
  }
  for (int i = 0; i < lb_builtin_material_count; i++) {
    lb_names_add(&all, &r->scratch, lb_builtin_materials[i].name, i);
  }
  return lb_unknown_name(r, node, "material", &all);
}

// --- directions, rotations, colours ---

// x, y, z, -x, -y or -z
static bool axis_by_letter(const char* s, lb_vec3* axis) {
  static const char letters[] = "xyz";
  const double sign = *s == '-' ? -1 : 1;
  s += *s == '-' || *s == '+';
  const char* letter = *s && !s[1] ? strchr(letters, *s) : NULL;
  if (letter) {
    double v[3] = {0};
    v[letter - letters] = sign;
    *axis = lb_vec3_make(v[0], v[1], v[2]);
  }
  return letter;
}

static bool read_axis(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  lb_vec3* axis = out;
  if (node->kind == LB_YAML_SCALAR) {
    return axis_by_letter(node->text, axis) ||
           lb_wrong_kind(r, node, field->key, "x, y, z, -x, -y, -z or three numbers");
  }
  lb_vec3 v;
  if (!read_vector(r, node, field, &v)) {
    return false;
  }
  // scale first: the square of a large number may overflow
  const double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  if (most == 0) {
    return lb_complain(r, node->place, "'%s' must point somewhere: [0, 0, 0] has no direction",
                       field->key);
  }
  v = lb_vec3_make(v.x / most, v.y / most, v.z / most);
  *axis = lb_vec3_scale(1 / lb_vec3_norm(v), v);
  return true;
}

static lb_quat turn_about(lb_vec3 axis, double angle) {
  const double s = sin(angle / 2);
  return (lb_quat){cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

static bool read_quaternion(lb_reader* r, const lb_yaml_node* node, lb_quat* out) {
  const lb_field field = {.key = "quaternion", .dimension = LB_PURE};
  double v[4];
  if (lb_read_numbers(r, node, &field, 4, 4, v) < 0) {
    return false;
  }
  const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fmax(fabs(v[2]), fabs(v[3])));
  if (most == 0) {
    return lb_complain(r, node->place, "'quaternion' must not be all zero");
  }
  const double w = v[0] / most, x = v[1] / most, y = v[2] / most, z = v[3] / most;
  const double length = sqrt(w * w + x * x + y * y + z * z);
  *out = (lb_quat){w / length, x / length, y / length, z / length};
  return true;
}

// {axis, angle} or {quaternion}
static bool read_turn(lb_reader* r, const lb_yaml_node* node, lb_quat* out) {
  lb_turn turn = {0};
  if (!lb_read_table(r, node, &lb_turn_table, &turn)) {
    return false;
  }
  const lb_yaml_node *axis = lb_yaml_node_find(node, "axis"),
                     *angle = lb_yaml_node_find(node, "angle"),
                     *quaternion = lb_yaml_node_find(node, "quaternion");
  if (quaternion && !axis && !angle) {
    return read_quaternion(r, quaternion, out);
  }
  if (axis && angle && !quaternion) {
    *out = turn_about(turn.axis, turn.angle);
    return true;
  }
  return lb_complain(r, node->place, "a rotation needs 'axis' and 'angle', or 'quaternion'");
}

// [x, y, z]: turns about the fixed axes, x first
static bool read_rotation(lb_reader* r, const lb_yaml_node* node, const lb_field* field,
                          void* out) {
  if (node->kind == LB_YAML_MAP) {
    return read_turn(r, node, out);
  }
  if (node->kind != LB_YAML_LIST) {
    return lb_wrong_kind(r, node, field->key,
                         "angles about x, y and z, such as [90 deg, 0, 0], or {axis: z, angle: 30 "
                         "deg}");
  }
  double a[3];
  lb_field angles = *field;
  angles.dimension = LB_ANGLE;
  if (lb_read_numbers(r, node, &angles, 3, 3, a) < 0) {
    return false;
  }
  const lb_quat x = turn_about(lb_vec3_make(1, 0, 0), a[0]);
  const lb_quat y = turn_about(lb_vec3_make(0, 1, 0), a[1]);
  const lb_quat z = turn_about(lb_vec3_make(0, 0, 1), a[2]);
  *(lb_quat*)out = lb_quat_mul(z, lb_quat_mul(y, x));
  return true;
}

static bool read_pose(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  lb_transform* pose = out;
  if (node->kind != LB_YAML_MAP) {
    return read_vector(r, node, field, &pose->p);
  }
  return lb_read_part(r, node, field->key, &lb_pose_table, pose);
}

// A screen's value to light.                                                    [IEC 61966-2-1]
static double linear(double s) {
  return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static bool read_hex(const char* text, double* color) {
  const size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");
  if (*text != '#' || text[1 + digits] || (digits != 6 && digits != 8)) {
    return false;
  }
  unsigned part[4] = {0, 0, 0, 255};
  const int n = sscanf(text + 1, "%2x%2x%2x%2x", &part[0], &part[1], &part[2], &part[3]);
  for (int i = 0; i < 4; i++) {
    color[i] = part[i] / 255.0;
  }
  return n >= 3;
}

static bool read_color(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  double c[4] = {0, 0, 0, 1};
  if (lb_yaml_node_is_null(node)) {
    return lb_complain(r, node->place,
                       "'%s' has no value: # begins a comment, so put the colour in quotes, "
                       "\"#d4a017\"",
                       field->key);
  }
  if (node->kind == LB_YAML_SCALAR) {
    if (!read_hex(node->text, c)) {
      return lb_wrong_kind(r, node, field->key, "a colour such as \"#d4a017\" or [0.8, 0.6, 0.1]");
    }
  } else if (lb_read_numbers(r, node, field, 3, 4, c) < 0) {
    return false;
  }
  double* color = out;
  for (int i = 0; i < 3; i++) {
    color[i] = linear(c[i]);
  }
  color[3] = c[3];
  return true;
}

// --- what is read on later ---

static bool keep_node(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  (void)r;
  (void)field;
  *(const lb_yaml_node**)out = node;
  return true;
}

static bool keep_map(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  if (node->kind != LB_YAML_MAP && !lb_yaml_node_is_null(node)) {
    return lb_wrong_kind(r, node, field->key, "a mapping from names");
  }
  return keep_node(r, node, field, out);
}

static bool keep_list(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  if (node->kind != LB_YAML_LIST && !lb_yaml_node_is_null(node)) {
    return lb_wrong_kind(r, node, field->key, "a list");
  }
  return keep_node(r, node, field, out);
}

static bool keep_path(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  if (node->kind != LB_YAML_SCALAR || !*node->text) {
    return lb_wrong_kind(r, node, field->key, "the path of a file");
  }
  return keep_node(r, node, field, out);
}

static bool keep_paths(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  bool ok = node->kind != LB_YAML_MAP ||
            lb_wrong_kind(r, node, field->key, "the path of a file or a list of paths");
  for (int i = 0; i < node->count && node->kind == LB_YAML_LIST; i++) {
    ok &= keep_path(r, node->item[i], field, out);
  }
  if (node->kind == LB_YAML_SCALAR) {
    ok = keep_path(r, node, field, out);
  }
  return ok && keep_node(r, node, field, out);
}

static bool read_subtable(lb_reader* r, const lb_yaml_node* node, const lb_field* field,
                          void* out) {
  return lb_read_part(r, node, field->key, field->more, out);
}

bool lb_read_list(lb_reader* r, const lb_yaml_node* list, const lb_table* table, void** array,
                  int* count) {
  char* part = lb_arena_take_array(r->keep, (size_t)list->count, table->size, LB_ALIGN);
  void* standard = lb_arena_take(&r->scratch, table->size, LB_ALIGN);
  if (!part || !standard) {
    return lb_lack(r);
  }
  bool ok = true;
  lb_table_default(table, standard);
  for (int i = 0; i < list->count; i++) {
    void* out = memcpy(part + (size_t)i * table->size, standard, table->size);
    ok &= table->item ? lb_read_part(r, list->item[i], table->item, table, out)
                      : lb_read_table(r, list->item[i], table, out);
  }
  *array = part;
  *count = list->count;
  return ok;
}

static bool (*const readers[])(lb_reader*, const lb_yaml_node*, const lb_field*, void*) = {
    [LB_VALUE_TEXT] = read_text,         [LB_VALUE_FLAG] = read_flag,
    [LB_VALUE_COUNT] = read_count,       [LB_VALUE_NUMBER] = read_number,
    [LB_VALUE_PAIR] = read_pair,         [LB_VALUE_VECTOR] = read_vector,
    [LB_VALUE_SCALE] = read_scale,       [LB_VALUE_AXIS] = read_axis,
    [LB_VALUE_ROTATION] = read_rotation, [LB_VALUE_POSE] = read_pose,
    [LB_VALUE_COLOR] = read_color,       [LB_VALUE_INERTIA] = read_inertia,
    [LB_VALUE_CHOICE] = read_choice,     [LB_VALUE_EITHER] = read_choice,
    [LB_VALUE_WORD] = read_choice,       [LB_VALUE_BODY] = read_body,
    [LB_VALUE_ONE_BODY] = read_body,     [LB_VALUE_JOINT] = read_joint,
    [LB_VALUE_MATERIAL] = read_material, [LB_VALUE_TABLE] = read_subtable,
    [LB_VALUE_FILES] = keep_paths,       [LB_VALUE_FILE] = keep_path,
    [LB_VALUE_SECTION] = keep_map,       [LB_VALUE_INITIAL] = keep_map,
    [LB_VALUE_LIST] = keep_list,         [LB_VALUE_ONE] = keep_node,
    [LB_VALUE_KEYS] = keep_list,         [LB_VALUE_POINTS] = keep_list,
    [LB_VALUE_WAY] = keep_list,          [LB_VALUE_WAY_POINTS] = keep_list,
    [LB_VALUE_REGIONS] = keep_map,       [LB_VALUE_CURVE] = keep_list,
    [LB_VALUE_POSES] = keep_list,        [LB_VALUE_GRID] = keep_list,
    [LB_VALUE_PARTS] = keep_list,        [LB_VALUE_BODIES] = keep_list,
    [LB_VALUE_BOUND] = keep_node,        [LB_VALUE_MEASURE] = keep_node,
};

bool lb_read_value(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* out) {
  return readers[field->value](r, node, field, out);
}

// --- what holds when nothing is written ---

static void set_standard(const lb_field* field, void* out) {
  const char* text = field->standard ? field->standard : "";
  const lb_choices* choices = field->more;
  const char* unit;
  double number = 0;
  switch (field->value) {
  case LB_VALUE_NUMBER:
    lb_number_read(text, field->dimension, out, &unit);
    break;
  case LB_VALUE_COUNT:
    if (lb_number_read(text, LB_PURE, &number, &unit) == LB_NUMBER_OK) {
      *(int*)out = (int)number;
    }
    break;
  case LB_VALUE_FLAG:
    *(bool*)out = strcmp(text, "true") == 0;
    break;
  case LB_VALUE_AXIS:
    axis_by_letter(text, out);
    break;
  case LB_VALUE_ROTATION:
    *(lb_quat*)out = lb_quat_identity();
    break;
  case LB_VALUE_POSE:
    *(lb_transform*)out = lb_transform_identity();
    break;
  case LB_VALUE_CHOICE:
  case LB_VALUE_WORD:
    for (int i = 0; i < choices->count; i++) {
      if (strcmp(choices->name[i], text) == 0) {
        set_choice(field, i, out);
      }
    }
    break;
  case LB_VALUE_BODY:
  case LB_VALUE_ONE_BODY:
  case LB_VALUE_JOINT:
  case LB_VALUE_MATERIAL:
    *(int*)out = -1;
    break;
  case LB_VALUE_TABLE:
    lb_table_default(field->more, out);
    break;
  default:
    break;
  }
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

static bool unknown_key(lb_reader* r, const lb_yaml_node* key, const lb_table* table) {
  lb_nearest nearest = lb_nearest_to(key->text);
  const char* known[LB_FIELD_MOST];
  for (int i = 0; i < table->count; i++) {
    known[i] = table->field[i].key;
    lb_nearest_offer(&nearest, known[i]);
  }
  return lb_complain(
      r, key->place, "unknown key '%s'%s", key->text,
      nearest.best ? lb_did_you_mean(r, &nearest)
                   : lb_compose(r, " (%s %s has %s)", strchr("aeiou", table->name[0]) ? "an" : "a",
                                table->name, lb_join(r, " and ", known, table->count)));
}

bool lb_field_is_required(const lb_table* table, int i) {
  return i >= table->nchoose && !table->field[i].standard;
}

// Of what must be chosen, the number of the one given; -1: none, or there is nothing to choose.
static int find_chosen(lb_reader* r, const lb_yaml_node* node, const lb_table* table, bool* ok) {
  int chosen = -1;
  const char* names[LB_FIELD_MOST];
  for (int i = 0; i < table->nchoose; i++) {
    names[i] = table->field[i].key;
    const lb_yaml_node* given = lb_yaml_node_find(node, names[i]);
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

static bool check_required(lb_reader* r, const lb_yaml_node* node, const lb_table* table) {
  bool ok = true;
  for (int i = 0; i < table->count; i++) {
    const lb_field* field = &table->field[i];
    if (lb_field_is_required(table, i) && !lb_yaml_node_find(node, field->key)) {
      ok = lb_complain(r, node->place, "'%s' is missing (%s)", field->key, field->about);
    }
  }
  return ok;
}

// "5 cm" where {radius: 5 cm} is meant: the key that a lone value belongs to, when there is just
// one that must be there.
static const char* as_mapping(lb_reader* r, const lb_yaml_node* node, const lb_table* table) {
  const lb_field* only = NULL;
  int required = 0;
  for (int i = 0; i < table->count; i++) {
    only = lb_field_is_required(table, i) ? &table->field[i] : only;
    required += lb_field_is_required(table, i);
  }
  const bool clear =
      required == 1 && node->kind == LB_YAML_SCALAR && only->value == LB_VALUE_NUMBER;
  return clear ? lb_compose(r, " (write {%s: %.40s})", only->key, node->text) : "";
}

// One key of a table; what is not stored is only judged.
static bool read_key(lb_reader* r, const lb_yaml_node* node, const lb_field* field, void* part) {
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

bool lb_read_table(lb_reader* r, const lb_yaml_node* node, const lb_table* table, void* out) {
  if (node->kind != LB_YAML_MAP && !lb_yaml_node_is_null(node)) {
    return lb_complain(r, node->place, "a mapping of keys is needed here, not %s%s",
                       lb_shown(r, node), as_mapping(r, node, table));
  }
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    const int found = find_field(table, node->key[i]->text);
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
  }
  return table->finish ? table->finish(r, node, ok, out) && ok : ok;
}

bool lb_read_part(lb_reader* r, const lb_yaml_node* node, const char* where, const lb_table* table,
                  void* out) {
  const char* whole = r->subject;
  r->subject = *whole ? lb_compose(r, "%s of %s", where, whole) : where;
  const bool ok = lb_read_table(r, node, table, out);
  r->subject = whole;
  return ok;
}
