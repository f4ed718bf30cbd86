// Springs, cables and grounds.
#include <math.h>

#include "scene/yaml/reader.h"

bool lb_at_middle(const lb_reader* r, int body, const lb_yaml_node* written) {
  return body >= 0 && r->scene.body[body].elastic && !lb_yaml_node_find(written, "at");
}

// --- springs ---

static const lb_force_curve_keys line_keys = {"stiffness", "exponent", "table",
                                              LB_LENGTH,   LB_FORCE,   true};

static bool read_spring(lb_reader* r, const lb_entry* entry, lb_scene_spring* spring) {
  lb_spring_spec spec = {
      .force_curve = {.length = NAN}, .from = {.body = LB_WORLD}, .to = {.body = LB_WORLD}};
  bool ok = lb_begin_entry(r, entry, "spring");
  ok &= lb_read_table(r, entry->value, &lb_spring_table, &spec);
  if (!ok) {
    return false;
  }
  *spring = (lb_scene_spring){
      .name = lb_keep_name(r, entry),
      .place = entry->name->place,
      .body = {spec.from.body, spec.to.body},
      .point = {spec.from.at, spec.to.at},
      .face_name = {spec.from.face, spec.to.face},
      .at_middle = {lb_at_middle(r, spec.from.body, spec.from.given.whole),
                    lb_at_middle(r, spec.to.body, spec.to.given.whole)},
      .stiffness = spec.force_curve.stiffness,
      .damping = spec.force_curve.damping,
      .length = spec.force_curve.length,
      .force_curve = {.exponent = spec.force_curve.exponent, .slack = spec.force_curve.slack},
      .along = spec.along,
  };
  return lb_read_force_curve(r, spec.given.whole, &line_keys, &spring->force_curve);
}

void lb_read_springs(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_SPRINGS];
  r->scene.spring = LB_TAKE(r->keep, lb_scene_spring, all->count);
  if (!r->scene.spring) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nspring += read_spring(r, &all->entry[i], &r->scene.spring[r->scene.nspring]);
  }
}

// --- points ---

// A list of points; false when something is wrong with one.
static bool read_points(lb_reader* r, const lb_yaml_node* list, int* count, lb_scene_point** out) {
  *out = LB_TAKE(r->keep, lb_scene_point, list->count);
  if (!*out) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < list->count; i++) {
    lb_point_spec point = {.body = LB_WORLD};
    ok &= lb_read_part(r, list->item[i], "point", &lb_point_table, &point);
    (*out)[i] = (lb_scene_point){point.body, point.at};
  }
  *count = list->count;
  return ok;
}

static bool read_cable(lb_reader* r, const lb_entry* entry, lb_scene_cable* cable) {
  lb_cable_spec spec = {.force_curve = {.length = NAN, .slack = true}};
  bool ok = lb_begin_entry(r, entry, "cable");
  ok &= lb_read_table(r, entry->value, &lb_cable_table, &spec);
  if (!ok) {
    return false;
  }
  *cable = (lb_scene_cable){
      .name = lb_keep_name(r, entry),
      .place = entry->name->place,
      .stiffness = spec.force_curve.stiffness,
      .damping = spec.force_curve.damping,
      .length = spec.force_curve.length,
      .force_curve = {.exponent = spec.force_curve.exponent, .slack = spec.force_curve.slack}};
  ok = lb_read_force_curve(r, spec.given.whole, &line_keys, &cable->force_curve);
  return read_points(r, spec.through, &cable->npoint, &cable->point) && ok;
}

void lb_read_cables(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_CABLES];
  r->scene.cable = LB_TAKE(r->keep, lb_scene_cable, all->count);
  if (!r->scene.cable) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.ncable += read_cable(r, &all->entry[i], &r->scene.cable[r->scene.ncable]);
  }
}

// --- grounds ---

static bool read_ground(lb_reader* r, const lb_entry* entry, lb_scene_ground* ground) {
  lb_ground_spec spec = {.normal = {0, 0, 1}, .slip = 1e-3};
  bool ok = lb_begin_entry(r, entry, "ground");
  ok &= lb_read_table(r, entry->value, &lb_ground_table, &spec);
  if (!ok) {
    return false;
  }
  *ground = (lb_scene_ground){.name = lb_keep_name(r, entry),
                              .place = entry->name->place,
                              .at = spec.at,
                              .normal = spec.normal,
                              .stiffness = spec.stiffness,
                              .exponent = spec.exponent,
                              .dissipation = spec.dissipation,
                              .friction = spec.friction,
                              .slip = spec.slip};
  return read_points(r, spec.points, &ground->npoint, &ground->point);
}

void lb_read_grounds(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_GROUNDS];
  r->scene.ground = LB_TAKE(r->keep, lb_scene_ground, all->count);
  if (!r->scene.ground) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nground += read_ground(r, &all->entry[i], &r->scene.ground[r->scene.nground]);
  }
}
