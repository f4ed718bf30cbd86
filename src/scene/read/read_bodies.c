// Materials, bodies and their shapes.
#include <string.h>

#include "geom/mesh/triangle_mesh.h"
#include "scene/yaml/reader.h"

// --- materials ---

static bool add_material(lb_reader* r, const lb_scene_material* material) {
  lb_scene* s = &r->scene;
  void* grown = LB_GROW(r->keep, s->material, s->nmaterial, &r->material_capacity);
  if (!grown) {
    return lb_lack(r);
  }
  s->material = grown;
  s->material[s->nmaterial++] = *material;
  return true;
}

void lb_read_materials(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_MATERIALS];
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    lb_scene_material m = lb_scene_material_default();
    lb_begin_entry(r, &all->entry[i], "material");
    lb_material_spec spec = {.density = m.density,
                             .roughness = m.roughness,
                             .metallic = m.metallic,
                             .poisson = m.poisson};
    memcpy(spec.color, m.color, sizeof spec.color);
    lb_read_table(r, all->entry[i].value, &lb_material_table, &spec);
    m = (lb_scene_material){.name = lb_keep_name(r, &all->entry[i]),
                            .place = all->entry[i].name->place,
                            .density = spec.density,
                            .roughness = spec.roughness,
                            .metallic = spec.metallic,
                            .young = spec.young,
                            .poisson = spec.poisson,
                            .law = lb_material_model_choices.name[spec.law],
                            .damping_mass = spec.damping.mass,
                            .damping_stiffness = spec.damping.stiffness};
    memcpy(m.color, spec.color, sizeof m.color);
    add_material(r, &m);
  }
}

int lb_find_material(lb_reader* r, const char* name) {
  const int own = lb_names_find(&r->section[LB_SCENE_MATERIALS].names, name, -1);
  const int used = own >= 0 ? own : lb_names_find(&r->builtin_used, name, -1);
  if (used >= 0) {
    return used;
  }
  // a built-in material joins the scene when it is first mentioned
  const lb_scene_material* builtin = lb_builtin_material(name);
  if (!builtin || !add_material(r, builtin)) {
    return -1;
  }
  const int index = r->scene.nmaterial - 1;
  if (!lb_names_add(&r->builtin_used, &r->scratch, builtin->name, index)) {
    lb_lack(r);
  }
  return index;
}

// --- shapes ---

bool lb_note(lb_reader* r, lb_status status) {
  r->no_memory |= status == LB_NO_MEMORY;
  r->report.status = r->report.status == LB_OK ? status : r->report.status;
  return status == LB_OK;
}

static bool read_mesh(lb_reader* r, const lb_yaml_node* node, const lb_mesh** out) {
  const char* path = lb_resolve_path(r, node->text);
  if (!path) {
    return false;
  }
  const int known = lb_names_find(&r->mesh_names, path, -1);
  if (known >= 0) {
    *out = r->mesh[known];
    return true;
  }
  if (!lb_file_opens(r, path, node)) {
    return false;
  }
  lb_mesh* mesh = LB_TAKE(r->keep, lb_mesh, 1);
  void* grown = LB_GROW(&r->scratch, r->mesh, r->nmesh, &r->mesh_capacity);
  if (!mesh || !grown) {
    return lb_lack(r);
  }
  if (!lb_note(r, lb_mesh_read(path, node->place, r->keep, mesh, r->report.err))) {
    return false;
  }
  r->mesh = grown;
  r->mesh[r->nmesh] = *out = mesh;
  return lb_names_add(&r->mesh_names, &r->scratch, path, r->nmesh++) || lb_lack(r);
}

// A rod has a length along z, or two ends; the ends also say where it is.
static bool place_rod(lb_reader* r, const lb_round_spec* rod, double* length, lb_transform* pose) {
  const lb_yaml_node* const* given = rod->given.node;
  const bool ends = given[LB_ROUND_FROM] && given[LB_ROUND_TO];
  *pose = lb_transform_identity();
  *length = rod->length;
  if (given[LB_ROUND_LENGTH] ? given[LB_ROUND_FROM] || given[LB_ROUND_TO] : !ends) {
    return lb_complain(r, rod->given.whole->place, "a rod needs 'length', or 'from' and 'to'");
  }
  if (ends) {
    const lb_vec3 along = lb_vec3_sub(rod->to, rod->from);
    *length = lb_vec3_norm(along);
    if (!(*length > 0) || !isfinite(*length)) {
      return lb_complain(r, given[LB_ROUND_TO]->place, "'from' and 'to' must be two places");
    }
    pose->q = lb_quat_from_z(lb_vec3_scale(1 / *length, along));
    pose->p = lb_vec3_scale(0.5, lb_vec3_add(rod->from, rod->to));
  }
  return true;
}

// The form a shape's keys describe, and where it stands in the shape's frame.
static bool make_form(lb_reader* r, const lb_shape_spec* spec, lb_shape* form, lb_transform* pose) {
  const lb_yaml_node* const* given = spec->given.node;
  double length = 0;
  *pose = lb_transform_identity();
  if (given[LB_SHAPE_KEY_BOX]) {
    *form = (lb_shape){.type = LB_SHAPE_BOX, .size = spec->box};
  } else if (given[LB_SHAPE_KEY_SPHERE]) {
    *form = (lb_shape){.type = LB_SHAPE_SPHERE, .size = {spec->round.radius, 0, 0}};
  } else if (given[LB_SHAPE_KEY_ELLIPSOID]) {
    *form = (lb_shape){.type = LB_SHAPE_ELLIPSOID, .size = spec->round.radii};
  } else if (given[LB_SHAPE_KEY_MESH]) {
    *form = (lb_shape){.type = LB_SHAPE_MESH, .size = spec->scale};
    return read_mesh(r, spec->mesh, &form->mesh);
  } else {
    const bool capsule = given[LB_SHAPE_KEY_CAPSULE];
    const bool ok = place_rod(r, &spec->round, &length, pose);
    *form = (lb_shape){.type = capsule ? LB_SHAPE_CAPSULE : LB_SHAPE_CYLINDER,
                       .size = {spec->round.radius, length, 0}};
    return ok;
  }
  return true;
}

static bool read_shape_keys(lb_reader* r, const lb_yaml_node* node, int material,
                            lb_scene_shape* shape) {
  lb_shape_spec spec = {.scale = {1, 1, 1}, .rotation = lb_quat_identity(), .material = material};
  if (!lb_read_table(r, node, &lb_shape_table, &spec)) {
    return false;
  }
  const lb_yaml_node* scale = spec.given.node[LB_SHAPE_KEY_SCALE];
  if (scale && !spec.given.node[LB_SHAPE_KEY_MESH]) {
    return lb_complain(r, scale->place, "'scale' is for meshes (give this shape its own size)");
  }
  lb_transform form_pose;
  if (!make_form(r, &spec, &shape->shape, &form_pose)) {
    return false;
  }
  const lb_transform pose = {spec.rotation, spec.position};
  shape->pose = lb_transform_mul(pose, form_pose);
  shape->massless |= spec.massless;
  // only what is weighed must be closed
  const lb_mesh* mesh = shape->shape.mesh;
  if (mesh && !shape->massless &&
      !lb_note(
          r, lb_mesh_check(mesh, spec.mesh->text, spec.mesh->place, &r->scratch, r->report.err))) {
    return false;
  }
  shape->material = spec.material >= 0 ? spec.material : lb_find_material(r, "plain");
  return shape->material >= 0;
}

bool lb_read_shape(lb_reader* r, const lb_yaml_node* node, int body, int material) {
  lb_scene_shape shape = lb_scene_shape_default();
  shape.place = node->place;
  shape.body = body;
  shape.massless = body == LB_WORLD;
  if (!read_shape_keys(r, node, material, &shape)) {
    return false;
  }
  lb_scene* s = &r->scene;
  void* grown = LB_GROW(r->keep, s->shape, s->nshape, &r->shape_capacity);
  if (!grown) {
    return lb_lack(r);
  }
  s->shape = grown;
  s->shape[s->nshape++] = shape;
  return true;
}

void lb_read_scenery(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_SCENERY];
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    lb_begin_entry(r, &all->entry[i], "");
    r->subject = "scenery";
    lb_read_shape(r, all->entry[i].value, LB_WORLD, -1);
  }
}

// --- bodies ---

static bool read_shapes(lb_reader* r, const lb_body_spec* spec, int body) {
  bool ok = true;
  if (spec->shape && spec->shapes) {
    ok = lb_complain(r, spec->shapes->place,
                     "'shape' and 'shapes' cannot both be given (choose one)");
  }
  if (spec->shape) {
    ok &= lb_read_shape(r, spec->shape, body, spec->material);
  }
  for (int i = 0; spec->shapes && i < spec->shapes->count; i++) {
    ok &= lb_read_shape(r, spec->shapes->item[i], body, spec->material);
  }
  return ok;
}

static void read_body(lb_reader* r, const lb_entry* entry, int i) {
  lb_scene_body* body = &r->scene.body[i];
  lb_body_spec* spec = &r->body_spec[i];
  bool ok = lb_begin_entry(r, entry, "body");
  const lb_scene_elastic standard = lb_scene_elastic_default();
  *spec = (lb_body_spec){
      .material = -1,
      .rotation = lb_quat_identity(),
      .elastic = {.material = -1,
                  .scale = {1, 1, 1},
                  .accuracy = standard.accuracy,
                  .order = standard.order,
                  .basis = {.modes = standard.modes, .derivatives = standard.derivatives}}};
  ok &= lb_read_table(r, entry->value, &lb_body_table, spec);
  *body = lb_scene_body_default();
  if (spec->given.node[LB_BODY_ELASTIC]) {
    body->elastic = ok ? lb_read_elastic(r, spec) : NULL;
    ok &= body->elastic != NULL;
  } else {
    ok &= read_shapes(r, spec, i);
  }
  body->name = lb_keep_name(r, entry);
  body->place = entry->name->place;
  body->has_mass = spec->given.node[LB_BODY_MASS];
  body->has_com = spec->given.node[LB_BODY_CENTER];
  body->has_inertia = spec->given.node[LB_BODY_INERTIA];
  body->mass = (lb_mass){spec->mass, spec->center, spec->inertia};
  body->pose = (lb_transform){spec->rotation, spec->position};
  body->drag = spec->drag;
  body->turn_drag = spec->turn_drag;
  body->air_drag = spec->air_drag;
  r->body_broken[i] = !ok;
}

void lb_read_bodies(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_BODIES];
  r->scene.body = LB_TAKE(r->keep, lb_scene_body, all->count);
  r->body_spec = LB_TAKE(&r->scratch, lb_body_spec, all->count);
  r->body_broken = LB_TAKE(&r->scratch, bool, all->count);
  if (!r->scene.body || !r->body_spec || !r->body_broken) {
    lb_lack(r);
    return;
  }
  r->scene.nbody = all->count;
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    read_body(r, &all->entry[i], i);
  }
}
