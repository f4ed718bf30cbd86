// From nodes to values, by the kind of value that a field's row in a table names. One function for
// each kind, found in the table at the end.
#include <stdio.h>
#include <string.h>

#include "scene/yaml/reader.h"

// --- remarks ---

// What an author should know of what is written here, though nothing is wrong.
void lb_remark(lb_reader* r, lb_place place, const char* what) {
  const char* text = lb_compose(r, "%s%s%s", r->subject, *r->subject ? ": " : "", what);
  lb_message* grown = LB_GROW(r->keep, r->note, r->nnote, &r->note_capacity);
  char* copy = lb_arena_text(r->keep, text, strlen(text));
  if (!grown || !copy) {
    lb_lack(r);
    return;
  }
  r->note = grown;
  r->note[r->nnote++] = (lb_message){place, copy};
}

// Whole numbers of many radians without a unit look like degrees; a part is asked once.
static void ask_of_degrees(lb_reader* r, const lb_yaml* node, const char* key, double value) {
  const bool likely = value == floor(value) && fabs(value) >= 10 && fabs(value) <= 720;
  if (likely && r->asked != r->subject) {
    r->asked = r->subject;
    lb_remark(r, node->place,
              lb_compose(r,
                         "'%s' is %g radians, %.3g turns; are degrees meant? (write %g deg, or "
                         "%g rad if not)",
                         key, value, value / (2 * M_PI), value, value));
  }
}

// --- numbers ---

static bool wrong_unit(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension dimension,
                       const char* unit) {
  if (dimension == LB_PURE) {
    return lb_complain(r, node->place, "'%s' has no unit: write the number without '%s'", key,
                       unit);
  }
  const char* names[8];
  int count = 0;
  for (int i = 0; i < lb_unit_count && count < LB_COUNT_OF(names); i++) {
    if (lb_units[i].dimension == dimension) {
      names[count++] = lb_units[i].name;
    }
  }
  const lb_unit* other = lb_unit_find(unit, dimension);
  if (other) {
    return lb_complain(r, node->place, "'%s' must be %s, but '%s' is %s (use %s)", key,
                       lb_dimension_words(dimension), node->text,
                       lb_dimension_words(other->dimension), lb_join(r, " or ", names, count));
  }
  return lb_complain(r, node->place, "'%s' has the unknown unit '%s'%s", key, unit,
                     lb_hint(r, unit, names, count, "use ", " or "));
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
      [LB_MODULUS_RANGE] = {"must be from 1e-3 Pa to 1e18 Pa", x >= 1e-3 && x <= 1e18, true},
      [LB_ANY_OR_UNSET] = {"must be finite", true, true},
      [LB_POSITIVE_OR_UNSET] = {"must be greater than 0", positive, true},
      [LB_POSITIVE_OR_INFINITE] = {"must be greater than 0", positive, true},
      [LB_NOT_NEGATIVE_OR_UNSET] = {"must be 0 or more", not_negative, true},
      [LB_NOT_NEGATIVE_IF_SET] = {"must be 0 or more", not_negative || unset, false},
      [LB_UNIT_RANGE_IF_SET] = {"must be from 0 to 1", (not_negative || unset) && x <= 1, false},
  };
  const bool is_unset = unset && rule[range].may_be_unset && (x == 0 || !isfinite(x));
  return is_unset || (isfinite(x) && rule[range].holds) ? NULL : rule[range].words;
}

bool lb_read_number(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension dimension,
                    lb_range range, double* out) {
  double value = 0;
  const char* unit = "";
  if (range == LB_POSITIVE_OR_INFINITE && lb_is_scalar(node) && lb_number_is_infinite(node->text)) {
    *out = 0;
    return true;
  }
  const lb_number_outcome outcome =
      lb_is_scalar(node) ? lb_number_read(node->text, dimension, &value, &unit) : LB_NUMBER_NONE;
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
  if (dimension == LB_ANGLE && !*unit) {
    ask_of_degrees(r, node, key, value);
  }
  *out = value;
  return true;
}

int lb_read_numbers(lb_reader* r, const lb_yaml* node, const lb_field* field, int least, int most,
                    double* out) {
  static const char* const words[] = {"no", "one", "two", "three", "four", "five", "six"};
  double read[LB_COUNT_OF(words)];
  if (!lb_is_list(node) || node->count < least || node->count > most) {
    const char* count =
        least == most ? words[most] : lb_compose(r, "%s or %s", words[least], words[most]);
    if (lb_is_list(node)) {
      lb_complain(r, node->place, "'%s' must have %s numbers, not %d", field->key, count,
                  node->count);
    } else {
      lb_wrong_kind(r, node, field->key, lb_compose(r, "a list of %s numbers", count));
    }
    return -1;
  }
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    ok &= lb_read_number(r, node->item[i], field->key, field->dimension, field->range, &read[i]);
  }
  if (ok) {
    memcpy(out, read, (size_t)node->count * sizeof *out);
  }
  return ok ? node->count : -1;
}

static bool read_number(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  return lb_read_number(r, node, field->key, field->dimension, field->range, out);
}

static bool read_count(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
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

int lb_count_numbers(lb_value value) {
  static const int count[LB_VALUE_KIND_COUNT] = {
      [LB_VALUE_NUMBER] = 1, [LB_VALUE_PAIR] = 2,  [LB_VALUE_VECTOR] = 3,
      [LB_VALUE_SCALE] = 3,  [LB_VALUE_AXIS] = 3,  [LB_VALUE_ROTATION] = 4,
      [LB_VALUE_POSE] = 7,   [LB_VALUE_COLOR] = 4, [LB_VALUE_INERTIA] = 6};
  return count[value];
}

// Pairs and vectors.
static bool read_several(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  const int count = field->value == LB_VALUE_PAIR ? 2 : 3;
  return lb_read_numbers(r, node, field, count, count, out) == count;
}

static bool read_scale(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  double s = 1;
  if (lb_is_list(node)) {
    return read_several(r, node, field, out);
  }
  if (!read_number(r, node, field, &s)) {
    return false;
  }
  *(lb_vec3*)out = lb_vec3_make(s, s, s);
  return true;
}

static bool read_inertia(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  lb_sym3 read = {0};
  if (lb_is_list(node) && node->count != 3 && node->count != 6) {
    return lb_complain(r, node->place,
                       "'%s' must be [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz], not a "
                       "list of %d",
                       field->key, node->count);
  }
  const bool ok = lb_read_numbers(r, node, field, 3, 6, &read.xx) > 0;
  if (ok) {
    *(lb_sym3*)out = read;
  }
  return ok;
}

// --- texts, flags, choices, names ---

static bool read_text(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  if (!lb_is_scalar(node)) {
    return lb_wrong_kind(r, node, field->key, "a text");
  }
  const char* copy = lb_arena_text(r->keep, node->text, strlen(node->text));
  *(const char**)out = copy;
  return copy || lb_lack(r);
}

static bool read_flag(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  const bool scalar = lb_is_scalar(node) && node->plain;
  const bool yes = scalar && strcmp(node->text, "true") == 0;
  if (!yes && !(scalar && strcmp(node->text, "false") == 0)) {
    return lb_wrong_kind(r, node, field->key, "true or false");
  }
  *(bool*)out = yes;
  return true;
}

// A scalar that says something.
static bool is_word(const lb_yaml* node) {
  return lb_is_scalar(node) && !lb_is_null(node);
}

static bool read_choice(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  const lb_choices* choices = field->more;
  int i = 0;
  if (!is_word(node)) {
    return lb_wrong_kind(r, node, field->key, lb_join(r, " or ", choices->name, choices->count));
  }
  while (i < choices->count && strcmp(choices->name[i], node->text) != 0) {
    i++;
  }
  if (i == choices->count) {
    return lb_complain(r, node->place, "'%s' cannot be '%s'%s", field->key, node->text,
                       lb_hint(r, node->text, choices->name, choices->count, "choose ", " or "));
  }
  if (field->value == LB_VALUE_EITHER) {
    *(bool*)out = i == 1;
  } else if (field->value == LB_VALUE_WORD) {
    *(const char**)out = choices->name[i];
  } else {
    *(int*)out = choices->first + i;
  }
  return true;
}

// The name of something of the scene that is known already.
static bool read_name(lb_reader* r, const lb_yaml* node, const lb_field* field, const char* what,
                      int section, void* out) {
  if (!is_word(node)) {
    return lb_wrong_kind(r, node, field->key, lb_compose(r, "the name of a %s", what));
  }
  const lb_names* names = &r->section[section].names;
  const int found = lb_names_find(names, node->text, -1);
  *(int*)out = found;
  return found >= 0 || lb_unknown_name(r, node, what, names);
}

static bool read_body(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  if (lb_is_scalar(node) && strcmp(node->text, "world") == 0) {
    *(int*)out = LB_WORLD;
    return field->value == LB_VALUE_BODY ||
           lb_complain(r, node->place, "'%s' must be a body, not the world", field->key);
  }
  return read_name(r, node, field, "body", LB_SCENE_BODIES, out);
}

static bool read_joint(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  return read_name(r, node, field, "joint", LB_SCENE_JOINTS, out);
}

static bool read_wrap(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  return read_name(r, node, field, "wrap", LB_SCENE_WRAPS, out);
}

static bool read_material(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  if (!is_word(node)) {
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

// The length of numbers that are divided by their largest first, as the square of a large one may
// overflow; 0: all are zero.
static double scale_down(double* v, int count) {
  double most = 0, square = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs(v[i]));
  }
  for (int i = 0; i < count && most > 0; i++) {
    v[i] /= most;
    square += v[i] * v[i];
  }
  return sqrt(square);
}

static bool read_axis(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  lb_vec3 v;
  if (lb_is_scalar(node)) {
    return axis_by_letter(node->text, out) ||
           lb_wrong_kind(r, node, field->key, "x, y, z, -x, -y, -z or three numbers");
  }
  if (!read_several(r, node, field, &v)) {
    return false;
  }
  const double length = scale_down(&v.x, 3);
  if (length == 0) {
    return lb_complain(r, node->place, "'%s' must point somewhere: [0, 0, 0] has no direction",
                       field->key);
  }
  *(lb_vec3*)out = lb_vec3_scale(1 / length, v);
  return true;
}

static lb_quat turn_about(lb_vec3 axis, double angle) {
  const double s = sin(angle / 2);
  return (lb_quat){cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

static bool read_quaternion(lb_reader* r, const lb_yaml* node, lb_quat* out) {
  const lb_field field = {.key = "quaternion", .dimension = LB_PURE};
  lb_quat q;
  if (lb_read_numbers(r, node, &field, 4, 4, &q.w) < 0) {
    return false;
  }
  const double length = scale_down(&q.w, 4);
  if (length == 0) {
    return lb_complain(r, node->place, "'quaternion' must not be all zero");
  }
  *out = (lb_quat){q.w / length, q.x / length, q.y / length, q.z / length};
  return true;
}

// {axis, angle} or {quaternion}
static bool read_turn(lb_reader* r, const lb_yaml* node, lb_quat* out) {
  lb_turn turn = {0};
  if (!lb_read_table(r, node, &lb_turn_table, &turn)) {
    return false;
  }
  const lb_yaml *axis = lb_yaml_find(node, "axis"), *angle = lb_yaml_find(node, "angle"),
                *quaternion = lb_yaml_find(node, "quaternion");
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
static bool read_rotation(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  if (lb_is_map(node)) {
    return read_turn(r, node, out);
  }
  if (!lb_is_list(node)) {
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

static bool read_pose(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  lb_transform* pose = out;
  if (!lb_is_map(node)) {
    return read_several(r, node, field, &pose->p);
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

static bool read_color(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  double c[4] = {0, 0, 0, 1};
  if (lb_is_null(node)) {
    return lb_complain(r, node->place,
                       "'%s' has no value: # begins a comment, so put the colour in quotes, "
                       "\"#d4a017\"",
                       field->key);
  }
  if (lb_is_scalar(node)) {
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

// --- what is read on later: only its outer form is judged ---

static bool judge_any(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  (void)r, (void)node, (void)field, (void)out;
  return true;
}

static bool judge_map(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  (void)out;
  return lb_is_map(node) || lb_is_null(node) ||
         lb_wrong_kind(r, node, field->key, "a mapping from names");
}

static bool judge_list(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  (void)out;
  return lb_is_list(node) || lb_is_null(node) || lb_wrong_kind(r, node, field->key, "a list");
}

static bool judge_path(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  (void)out;
  return (lb_is_scalar(node) && *node->text) ||
         lb_wrong_kind(r, node, field->key, "the path of a file");
}

static bool judge_paths(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  bool ok = true;
  if (lb_is_map(node)) {
    return lb_wrong_kind(r, node, field->key, "the path of a file or a list of paths");
  }
  for (int i = 0; i < node->count; i++) {
    ok &= judge_path(r, node->item[i], field, out);
  }
  return lb_is_list(node) ? ok : judge_path(r, node, field, out);
}

static bool read_subtable(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  return lb_read_part(r, node, field->key, field->more, out);
}

bool lb_read_list(lb_reader* r, const lb_yaml* list, const lb_table* table, void** array,
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

static bool (*const readers[])(lb_reader*, const lb_yaml*, const lb_field*, void*) = {
    [LB_VALUE_TEXT] = read_text,         [LB_VALUE_FLAG] = read_flag,
    [LB_VALUE_COUNT] = read_count,       [LB_VALUE_NUMBER] = read_number,
    [LB_VALUE_PAIR] = read_several,      [LB_VALUE_VECTOR] = read_several,
    [LB_VALUE_SCALE] = read_scale,       [LB_VALUE_AXIS] = read_axis,
    [LB_VALUE_ROTATION] = read_rotation, [LB_VALUE_POSE] = read_pose,
    [LB_VALUE_COLOR] = read_color,       [LB_VALUE_INERTIA] = read_inertia,
    [LB_VALUE_CHOICE] = read_choice,     [LB_VALUE_EITHER] = read_choice,
    [LB_VALUE_WORD] = read_choice,       [LB_VALUE_BODY] = read_body,
    [LB_VALUE_ONE_BODY] = read_body,     [LB_VALUE_JOINT] = read_joint,
    [LB_VALUE_MATERIAL] = read_material, [LB_VALUE_TABLE] = read_subtable,
    [LB_VALUE_FILES] = judge_paths,      [LB_VALUE_FILE] = judge_path,
    [LB_VALUE_SECTION] = judge_map,      [LB_VALUE_INITIAL] = judge_map,
    [LB_VALUE_LIST] = judge_list,        [LB_VALUE_ONE] = judge_any,
    [LB_VALUE_KEYS] = judge_list,        [LB_VALUE_POINTS] = judge_list,
    [LB_VALUE_WAY] = judge_list,         [LB_VALUE_WAY_POINTS] = judge_list,
    [LB_VALUE_REGIONS] = judge_map,      [LB_VALUE_CURVE] = judge_list,
    [LB_VALUE_PROFILE] = judge_list,     [LB_VALUE_POSES] = judge_list,
    [LB_VALUE_GRID] = judge_list,        [LB_VALUE_PARTS] = judge_list,
    [LB_VALUE_BODIES] = judge_list,      [LB_VALUE_BOUND] = judge_any,
    [LB_VALUE_MEASURE] = judge_any,      [LB_VALUE_DRAWING] = judge_map,
    [LB_VALUE_LENGTHS] = judge_map,      [LB_VALUE_SPOT] = judge_any,
    [LB_VALUE_PATH] = judge_list,        [LB_VALUE_FORCES] = judge_map,
    [LB_VALUE_WRAP] = read_wrap,         [LB_VALUE_FUNCTION] = judge_any,
    [LB_VALUE_AMOUNTS] = judge_map,      [LB_VALUE_NAMES] = judge_list,
    [LB_VALUE_RANGES] = judge_list,
};

bool lb_read_value(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out) {
  return readers[field->value](r, node, field, out);
}
