// Ropes and deformables.
#include "geom/mesh/triangle_mesh.h"
#include "scene/yaml/reader.h"

enum { SEGMENTS = 10 }; // between two points, unless the author says

lb_scene_rope lb_scene_rope_default(void) {
  return (lb_scene_rope){.name = "", .segments = SEGMENTS, .slack = 1, .material = -1};
}

static bool read_rope_points(lb_reader* r, const lb_yaml_node* list, lb_scene_rope* rope) {
  rope->point = LB_TAKE(r->keep, lb_scene_rope_point, list->count);
  if (!rope->point) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < list->count; i++) {
    lb_rope_point_spec point = {.body = LB_WORLD};
    ok &= lb_read_part(r, list->item[i], "point", &lb_rope_point_table, &point);
    if (ok && point.free && lb_yaml_node_find(list->item[i], "body")) {
      ok = lb_complain(r, list->item[i]->place,
                       "a point that is free is fastened to no body (take 'body' or 'free' away)");
    }
    rope->point[i] = (lb_scene_rope_point){point.free, point.body, point.at};
  }
  rope->npoint = list->count;
  return ok;
}

static bool read_rope(lb_reader* r, const lb_entry* entry, lb_scene_rope* rope) {
  lb_rope_spec spec = {.slack = 1, .material = -1};
  bool ok = lb_begin_entry(r, entry, "strand");
  ok &= lb_read_table(r, entry->value, &lb_rope_table, &spec);
  if (!ok) {
    return false;
  }
  *rope = (lb_scene_rope){.name = lb_keep_name(r, entry),
                          .place = entry->name->place,
                          .segments = spec.segments,
                          .mass = spec.mass,
                          .stiffness = spec.stiffness,
                          .damping = spec.damping,
                          .drag = spec.drag,
                          .slack = spec.slack,
                          .pushes = spec.pushes,
                          .radius = spec.radius,
                          .material = spec.material};
  ok = read_rope_points(r, spec.through, rope);
  if (rope->segments == 0) {
    rope->segments = SEGMENTS * (rope->npoint - 1);
  }
  return ok;
}

void lb_read_ropes(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_ROPES];
  r->scene.rope = LB_TAKE(r->keep, lb_scene_rope, all->count);
  if (!r->scene.rope) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nrope += read_rope(r, &all->entry[i], &r->scene.rope[r->scene.nrope]);
  }
}

// --- deformables ---

// A deformable is soft and every node of it moves: where the author says nothing, few do.
static const double ROUGH = 0.3;

static bool read_bodies(lb_reader* r, const lb_yaml_node* list, lb_scene_deformable* deformable) {
  static const lb_field one = {.key = "attach", .value = LB_VALUE_ONE_BODY};
  int* body = LB_TAKE(r->keep, int, list ? list->count : 0);
  if (!body) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; list && i < list->count; i++) {
    ok &= lb_read_value(r, list->item[i], &one, &body[i]);
  }
  deformable->nbody = list ? list->count : 0;
  deformable->body = body;
  return ok;
}

static bool read_surface(lb_reader* r, const lb_yaml_node* file, lb_scene_deformable* deformable) {
  const char* path = lb_resolve_path(r, file->text);
  if (!path || !lb_file_opens(r, path, file)) {
    return false;
  }
  lb_mesh* mesh = LB_TAKE(r->keep, lb_mesh, 1);
  if (!mesh) {
    return lb_lack(r);
  }
  deformable->surface = mesh;
  return lb_note(r, lb_mesh_read(path, file->place, r->keep, mesh, r->report.err));
}

// Keys of an elastic body's form that deformables have no use for.
static bool check_keys(lb_reader* r, const lb_elastic_spec* form) {
  static const struct {
    const char *key, *text;
  } useless[] = {{"order", "flesh has elements of order 1 (take 'order' away)"},
                 {"basis", "every node of flesh moves, and there is no basis (take it away)"},
                 {"fine", "every node of flesh moves always (give 'elements')"}};
  bool ok = true;
  for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
    const lb_yaml_node* node = lb_yaml_node_find(form->given.whole, useless[i].key);
    if (node) {
      ok = lb_complain(r, node->place, "%s", useless[i].text);
    }
  }
  return ok;
}

static bool read_deformable(lb_reader* r, const lb_entry* entry, lb_scene_deformable* deformable) {
  lb_deformable_spec spec = {
      .form = {.material = -1, .scale = {1, 1, 1}, .order = 1, .accuracy = ROUGH},
      .rotation = lb_quat_identity()};
  bool ok = lb_begin_entry(r, entry, "soft");
  ok &= lb_read_table(r, entry->value, &lb_deformable_table, &spec);
  if (!ok || !check_keys(r, &spec.form)) {
    return false;
  }
  const lb_body_spec body = {.elastic = spec.form, .material = -1};
  *deformable = (lb_scene_deformable){.name = lb_keep_name(r, entry),
                                      .place = entry->name->place,
                                      .form = lb_read_elastic(r, &body),
                                      .pose = {spec.rotation, spec.position},
                                      .within = spec.within};
  ok = deformable->form != NULL;
  ok &= read_bodies(r, spec.attach, deformable);
  return (!spec.surface || read_surface(r, spec.surface, deformable)) && ok;
}

void lb_read_deformables(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_DEFORMABLES];
  r->scene.deformable = LB_TAKE(r->keep, lb_scene_deformable, all->count);
  if (!r->scene.deformable) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.ndeformable +=
        read_deformable(r, &all->entry[i], &r->scene.deformable[r->scene.ndeformable]);
  }
}
