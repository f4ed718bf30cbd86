// Forces on points of bodies: read by the tables of their kinds, and checked.
#include "scene/force/scene_force.h"

#include <string.h>

const lb_force_format* const LB_FORCE_FORMAT[LB_FORCE_KINDS] = {
#define FORMAT_OF(code, name, section, about) [code] = &lb_##name##_format,
    LB_FORCE_LIST(FORMAT_OF)};

const char* lb_force_kind_name(lb_force_kind kind) {
  return LB_FORCE_FORMAT[kind]->table->name;
}

bool lb_force_joins(lb_force_kind kind) {
  return LB_FORCE_FORMAT[kind]->joins;
}

lb_dimension lb_force_dimension(lb_force_kind kind, int number) {
  const size_t offset[] = {offsetof(lb_scene_force, stiffness), offsetof(lb_scene_force, damping),
                           offsetof(lb_scene_force, length)};
  const lb_table* table = LB_FORCE_FORMAT[kind]->table;
  int i = 0;
  while (i < table->count - 1 && table->field[i].offset != offset[number]) {
    i++;
  }
  return table->field[i].dimension;
}

// --- points ---

#define POINT_AT(standard)                                                                         \
  LB_SIZED(VECTOR, lb_scene_point, "at", at, LB_LENGTH, LB_ANY, standard, "where, in that body")

static const lb_field end_fields[] = {
    LB_ROW(BODY, lb_scene_point, "body", body, "world", "what it is fastened to, or world"),
    LB_ROW(TEXT, lb_scene_point, "face", face_name, "for elastic bodies only",
           "the face of an elastic body that the point moves with"),
    POINT_AT("[0, 0, 0], or the middle of the face"),
};
const lb_table lb_end_table = LB_TABLE("end", lb_scene_point, end_fields);

static const lb_field point_fields[] = {
    LB_ROW(BODY, lb_scene_point, "body", body, "world", "a rigid body, or world"),
    POINT_AT("[0, 0, 0]"),
};
const lb_table lb_point_table = LB_TABLE("point", lb_scene_point, point_fields, .item = "point");

bool lb_at_middle(const lb_reader* r, int body, const lb_yaml* written) {
  return body >= 0 && r->scene.body[body].elastic && !lb_yaml_find(written, "at");
}

static bool read_ends(lb_reader* r, const lb_yaml* node, lb_scene_force* to) {
  static const char* const key[] = {"from", "to"};
  to->point = LB_TAKE(r->keep, lb_scene_point, 2);
  if (!to->point) {
    return lb_lack(r);
  }
  to->npoint = 2;
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    const lb_yaml* end = lb_yaml_find(node, key[i]);
    lb_table_default(&lb_end_table, &to->point[i]);
    ok &= lb_read_part(r, end, key[i], &lb_end_table, &to->point[i]);
    to->point[i].at_middle = lb_at_middle(r, to->point[i].body, end);
  }
  return ok;
}

static bool has_key(const lb_table* table, const char* key) {
  bool has = false;
  for (int i = 0; i < table->count; i++) {
    has = has || strcmp(table->field[i].key, key) == 0;
  }
  return has;
}

bool lb_finish_force(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  static const lb_force_curve_keys keys = {"stiffness", "exponent", "table",
                                           LB_LENGTH,   LB_FORCE,   true};
  lb_scene_force* force = part;
  const lb_force_format* format = LB_FORCE_FORMAT[force->kind];
  ok = ok && (!has_key(format->table, "table") ||
              lb_read_force_curve(r, node, &keys, &force->force_curve));
  return ok && (!format->ends || read_ends(r, node, force));
}

// --- checks ---

static bool is_elastic(const lb_scene* s, int body) {
  return body != LB_WORLD && (s->body[body].elastic || s->body[body].reduced);
}

// Points of bodies that do not bend unless a face can be named: those of elastic ones would have to
// follow their surface.
void lb_check_force(lb_checker* c, const void* part) {
  const lb_scene_force* s = part;
  const lb_force_format* format = LB_FORCE_FORMAT[s->kind];
  const char* word = format->table->name;
  bool one_body = s->npoint > 1;
  for (int i = 0; i < s->npoint; i++) {
    const int body = s->point[i].body;
    const bool exists = body == LB_WORLD || (body >= 0 && body < c->s->nbody);
    one_body = one_body && body == s->point[0].body && !s->point[i].wrap;
    if (!exists) {
      lb_say(c, ": point %d is not one of a body that exists", i + 1);
    } else if (!format->ends && is_elastic(c->s, body)) {
      lb_say(c,
             " touches body '%s', which is elastic (use a rigid body that a fixed joint puts on "
             "one of its faces)",
             c->s->body[body].name);
    }
  }
  if (format->ends && s->npoint != 2) {
    lb_say(c, " has %d ends; it needs 2", s->npoint);
  } else if (format->joins && one_body) {
    lb_say(c, format->ends ? " has both ends on the same body (fasten one to another)"
                           : " runs through one body only (lead it over another)");
  }
  if (s->force_curve.exponent != 0 && !(s->force_curve.exponent >= 1)) {
    lb_say(c,
           ": its exponent must be at least 1, not %g: below it the %s would be infinitely stiff "
           "at first touch",
           s->force_curve.exponent, word);
  } else if (!lb_force_curve_holds(&s->force_curve)) {
    lb_say(c, ": its table must be finite and rising");
  }
}
