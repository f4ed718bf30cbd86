// Materials, and shapes made of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/mesh/triangle_mesh.h"
#include "geom/shape/shape.h"
#include "scene/part/part.h"

// --- materials ---

static const char* const model_names[] = {"neo-hookean", "st-venant-kirchhoff", "corotated",
                                          "linear"};
static const lb_choices model_choices = LB_CHOICES(model_names);

#define MATERIAL(key, member, dimension, range, standard, about)                                   \
  LB_SIZED(NUMBER, lb_scene_material, key, member, dimension, range, standard, about)
static const lb_field rayleigh_fields[] = {
    MATERIAL("mass", damping_mass, LB_PURE, LB_NOT_NEGATIVE, "0",
             "share of the mass matrix, per second: damps slow swings"),
    MATERIAL("stiffness", damping_stiffness, LB_TIME, LB_NOT_NEGATIVE, "0 s",
             "share of the stiffness matrix: damps fast vibration"),
};
static const lb_table rayleigh_table =
    LB_TABLE("Rayleigh damping", lb_scene_material, rayleigh_fields);

static const lb_field material_fields[] = {
    MATERIAL("density", density, LB_DENSITY, LB_POSITIVE, "1000 kg/m^3", "mass per volume"),
    LB_SIZED(COLOR, lb_scene_material, "color", color, LB_PURE, LB_UNIT_RANGE, "\"#b8bcc4\"",
             "as on a screen: \"#rrggbb\", \"#rrggbbaa\" with opacity, or [r, g, b] from 0 to 1"),
    MATERIAL("roughness", roughness, LB_PURE, LB_UNIT_RANGE, "0.6", "0 a mirror, 1 chalk"),
    MATERIAL("metallic", metallic, LB_PURE, LB_UNIT_RANGE, "0", "1 for bare metal"),
    MATERIAL("young", young, LB_PRESSURE, LB_MODULUS_RANGE, "none",
             "Young's modulus: what elastic bodies need to bend"),
    MATERIAL("poisson", poisson, LB_PURE, LB_POISSON_RANGE, "0.3",
             "Poisson's ratio: how much it thins when stretched"),
    LB_FROM(WORD, lb_scene_material, "model", model, &model_choices, "neo-hookean",
            "how stress follows strain; all agree while strains are small"),
    LB_FROM(TABLE, lb_scene_material, "damping", name, &rayleigh_table, "none",
            "how vibration dies away in it"),
    MATERIAL("friction", surface.friction, LB_PURE, LB_NOT_NEGATIVE, "0.5",
             "coefficient of friction; of two materials their geometric mean counts"),
    MATERIAL("restitution", surface.restitution, LB_PURE, LB_UNIT_RANGE, "0",
             "speed after an impact over the speed before; of two materials the larger counts"),
    MATERIAL("rolling", surface.rolling, LB_LENGTH, LB_NOT_NEGATIVE, "0 m",
             "lever arm of the force against rolling; those of two materials add up"),
    MATERIAL("spinning", surface.spinning, LB_LENGTH, LB_NOT_NEGATIVE, "0 m",
             "lever arm of friction against spinning about the normal; they add up"),
};

// A look in linear light, from a screen's 0xb8bcc4.
#define PLAIN_COLOR                                                                                \
  { 0.47932018, 0.50288649, 0.55201140, 1 }

static void init_material(void* part) {
  *(lb_scene_material*)part = (lb_scene_material){.name = "plain", .color = PLAIN_COLOR};
}

static const lb_alias material_aliases[] = {{"law", "model"}, {NULL, NULL}};
const lb_table lb_material_table = LB_TABLE("material", lb_scene_material, material_fields,
                                            .alias = material_aliases, .init = init_material);

lb_scene_material lb_scene_material_default(void) {
  lb_scene_material material;
  lb_table_default(&lb_material_table, &material);
  return material;
}

// Densities, Young's moduli and Poisson's ratios are handbook values at room temperature (wood
// along the grain; what has only a colour bends like a plastic); colours are in linear light.
// Model, damping and surface: dry friction between like things of everyday life is about a half.
#define STANDARD                                                                                   \
  NULL, 0, 0, {                                                                                    \
    0.5, 0, 0, 0                                                                                   \
  }
#define GRIPPING                                                                                   \
  NULL, 0, 0, {                                                                                    \
    0.9, 0, 0, 0                                                                                   \
  }
const lb_scene_material lb_builtin_materials[] = {
    {"plain", {0}, 1000, PLAIN_COLOR, 0.6, 0, 3e9, 0.35, STANDARD},
    {"steel", {0}, 7850, {0.42, 0.44, 0.47, 1}, 0.35, 1, 210e9, 0.3, STANDARD},
    {"aluminium", {0}, 2700, {0.77, 0.78, 0.79, 1}, 0.35, 1, 70e9, 0.33, STANDARD},
    {"brass", {0}, 8500, {0.66, 0.42, 0.12, 1}, 0.3, 1, 100e9, 0.34, STANDARD},
    {"copper", {0}, 8960, {0.83, 0.38, 0.22, 1}, 0.3, 1, 120e9, 0.34, STANDARD},
    {"lead", {0}, 11340, {0.25, 0.26, 0.29, 1}, 0.55, 1, 16e9, 0.44, STANDARD},
    {"wood", {0}, 700, {0.38, 0.21, 0.095, 1}, 0.7, 0, 11e9, 0.35, STANDARD},
    {"cork", {0}, 200, {0.48, 0.29, 0.15, 1}, 0.9, 0, 25e6, 0.1, STANDARD},
    {"rubber", {0}, 1100, {0.022, 0.022, 0.024, 1}, 0.85, 0, 5e6, 0.48, GRIPPING},
    {"pla", {0}, 1240, {0.85, 0.30, 0.05, 1}, 0.5, 0, 3.5e9, 0.36, STANDARD},
    {"glass", {0}, 2500, {0.60, 0.78, 0.76, 0.45}, 0.05, 0, 70e9, 0.22, STANDARD},
    {"ice", {0}, 917, {0.66, 0.82, 0.92, 0.7}, 0.15, 0, 9.3e9, 0.33, STANDARD},
    {"ivory", {0}, 1850, {0.85, 0.78, 0.62, 1}, 0.4, 0, 12e9, 0.3, STANDARD},
    {"stone", {0}, 2600, {0.28, 0.27, 0.25, 1}, 0.9, 0, 50e9, 0.25, STANDARD},
    {"red", {0}, 1000, {0.66, 0.045, 0.035, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"orange", {0}, 1000, {0.90, 0.26, 0.025, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"yellow", {0}, 1000, {0.90, 0.60, 0.045, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"green", {0}, 1000, {0.055, 0.36, 0.105, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"blue", {0}, 1000, {0.028, 0.14, 0.56, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"white", {0}, 1000, {0.85, 0.85, 0.83, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"black", {0}, 1000, {0.018, 0.018, 0.02, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
};
const int lb_builtin_material_count = sizeof lb_builtin_materials / sizeof *lb_builtin_materials;

const lb_scene_material* lb_builtin_material(const char* name) {
  for (int i = 0; i < lb_builtin_material_count; i++) {
    if (strcmp(lb_builtin_materials[i].name, name) == 0) {
      return &lb_builtin_materials[i];
    }
  }
  return NULL;
}

// A built-in material joins the scene when it is first mentioned.
int lb_find_material(lb_reader* r, const char* name) {
  const int own = lb_names_find(&r->section[LB_SCENE_MATERIALS].names, name, -1);
  const int used = own >= 0 ? own : lb_names_find(&r->builtin_used, name, -1);
  const lb_scene_material* builtin = used < 0 ? lb_builtin_material(name) : NULL;
  lb_scene* s = &r->scene;
  if (!builtin) {
    return used;
  }
  if (r->material_capacity < s->nmaterial) {
    r->material_capacity = s->nmaterial; // the author's own
  }
  void* grown = LB_GROW(r->keep, s->material, s->nmaterial, &r->material_capacity);
  if (!grown || !lb_names_add(&r->builtin_used, &r->scratch, builtin->name, s->nmaterial)) {
    lb_lack(r);
    return -1;
  }
  s->material = grown;
  s->material[s->nmaterial] = *builtin;
  return s->nmaterial++;
}

// --- shapes ---

bool lb_note(lb_reader* r, lb_status status) {
  r->no_memory |= status == LB_NO_MEMORY;
  r->report.status = r->report.status == LB_OK ? status : r->report.status;
  return status == LB_OK;
}

static bool read_mesh(lb_reader* r, const lb_yaml* node, const lb_mesh** out) {
  const char* path = lb_find_file(r, node);
  const int known = path ? lb_names_find(&r->mesh_names, path, -1) : -1;
  if (known >= 0) {
    *out = r->mesh[known];
  }
  if (!path || known >= 0) {
    return path;
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

#define SHAPE(value, key, member, range, standard, about)                                          \
  LB_SIZED(value, lb_scene_shape, key, shape.member, LB_LENGTH, range, standard, about)
#define ROD_END(key, about)                                                                        \
  { key, LB_VALUE_VECTOR, LB_NOWHERE, LB_LENGTH, LB_ANY, NULL, 0, "", about }
static const lb_field sphere_fields[] = {
    SHAPE(NUMBER, "radius", size.x, LB_POSITIVE, NULL, "from the centre to the surface")};
static const lb_field rod_fields[] = {
    SHAPE(NUMBER, "radius", size.x, LB_POSITIVE, NULL, "from the axis to the surface"),
    SHAPE(NUMBER, "length", size.y, LB_NOT_NEGATIVE, "",
          "along z, the middle at the origin; a capsule's round caps come on top"),
    ROD_END("from", "one end of the axis, instead of length"),
    ROD_END("to", "the other end"),
};
static const lb_field ellipsoid_fields[] = {SHAPE(
    VECTOR, "radii", size, LB_POSITIVE, NULL, "from the centre to the surface along x, y and z")};
static const lb_table sphere_table = LB_TABLE("sphere", lb_scene_shape, sphere_fields);
static const lb_table rod_table = LB_TABLE("capsule or cylinder", lb_scene_shape, rod_fields);
static const lb_table ellipsoid_table = LB_TABLE("ellipsoid", lb_scene_shape, ellipsoid_fields);

#define FORM(word, table, about) LB_FROM(TABLE, lb_scene_shape, word, place, &(table), NULL, about)
static const lb_field shape_fields[] = {
    [LB_SHAPE_BOX] = SHAPE(VECTOR, "box", size, LB_POSITIVE, NULL, "edge lengths along x, y and z"),
    [LB_SHAPE_SPHERE] = FORM("sphere", sphere_table, "a ball"),
    [LB_SHAPE_CAPSULE] = FORM("capsule", rod_table, "a rod with round ends"),
    [LB_SHAPE_CYLINDER] = FORM("cylinder", rod_table, "a rod with flat ends"),
    [LB_SHAPE_ELLIPSOID] = FORM("ellipsoid", ellipsoid_table, "a stretched ball"),
    [LB_SHAPE_MESH] =
        LB_LATER(FILE, "mesh", NULL, NULL, "a closed surface from an .obj or .stl file"),
    [LB_SHAPE_HEIGHTS] =
        LB_LATER(FILE, "heights", NULL, NULL,
                 "ground from a .csv file of heights in metres: numbers of a line are along x, "
                 "lines follow along y; all below is filled"),
    [LB_SHAPE_PLANE] = {"plane", LB_VALUE_AXIS, LB_NOWHERE, LB_PURE, LB_ANY, NULL, 0, NULL,
                        "ground without an end, of scenery only: the axis out of it; all below is "
                        "filled"},
    {"spacing", LB_VALUE_NUMBER, LB_NOWHERE, LB_LENGTH, LB_POSITIVE, NULL, 0, "",
     "of heights, along x and y"},
    LB_LATER(SCALE, "scale", NULL, "1",
             "of a mesh, one number or three: 0.001 for a file in millimetres, negative ones to "
             "mirror"),
    LB_SIZED(VECTOR, lb_scene_shape, "position", pose.p, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where its centre is, in the body"),
    LB_ROW(ROTATION, lb_scene_shape, "rotation", pose.q, "none", "how it is turned, in the body"),
    LB_ROW(MATERIAL, lb_scene_shape, "material", material, "the body's", "a material's name"),
    LB_ROW(FLAG, lb_scene_shape, "massless", massless, "false", "true for looks only"),
    LB_LATER(FLAG, "solid", NULL, "true of bodies, false of scenery",
             "it collides with others, where the scene has 'contacts'"),
    LB_LATER(FLAG, "convex", NULL, "true of bodies, false of scenery",
             "a mesh collides by its convex hull, which is faster and surer; false: by its own "
             "surface"),
    LB_SIZED(VECTOR, lb_scene_shape, "belt", belt, LB_SPEED, LB_ANY, "[0, 0, 0]",
             "velocity of its surface, as of a conveyor, in the body"),
};

lb_scene_shape lb_scene_shape_default(void) {
  return (lb_scene_shape){.body = LB_WORLD,
                          .shape = {.type = LB_SHAPE_SPHERE, .size = {1, 1, 1}},
                          .pose = lb_transform_identity()};
}

// A rod has a length along z, or two ends; the ends also say where it is.
static bool place_rod(lb_reader* r, const lb_yaml* node, lb_scene_shape* shape) {
  const lb_yaml* rod = lb_yaml_find(node, shape_fields[shape->shape.type].key);
  const lb_yaml *from = lb_yaml_find(rod, "from"), *to = lb_yaml_find(rod, "to");
  const bool ends = from && to;
  if (lb_yaml_find(rod, "length") ? from || to : !ends) {
    return lb_complain(r, rod->place, "a rod needs 'length', or 'from' and 'to'");
  }
  if (!ends) {
    return true;
  }
  lb_vec3 a, b;
  if (!lb_read_value(r, from, &rod_fields[2], &a) || !lb_read_value(r, to, &rod_fields[3], &b)) {
    return false;
  }
  const lb_vec3 along = lb_vec3_sub(b, a);
  const double length = lb_vec3_norm(along);
  if (!(length > 0) || !isfinite(length)) {
    return lb_complain(r, to->place, "'from' and 'to' must be two places");
  }
  const lb_transform own = {lb_quat_from_z(lb_vec3_scale(1 / length, along)),
                            lb_vec3_scale(0.5, lb_vec3_add(a, b))};
  shape->shape.size.y = length;
  shape->pose = lb_transform_mul(shape->pose, own);
  return true;
}

// Of meshes, only what is weighed must be closed.
static bool finish_mesh(lb_reader* r, const lb_yaml* node, lb_scene_shape* shape) {
  const lb_yaml *file = lb_yaml_find(node, "mesh"), *scale = lb_yaml_find(node, "scale");
  const lb_field field = {.key = "scale", .value = LB_VALUE_SCALE};
  shape->shape.size = lb_vec3_make(1, 1, 1);
  return (!scale || lb_read_value(r, scale, &field, &shape->shape.size)) &&
         read_mesh(r, file, &shape->shape.mesh) &&
         (shape->massless || lb_note(r, lb_mesh_check(shape->shape.mesh, file->text, file->place,
                                                      &r->scratch, r->report.err)));
}

// A file's heights are about the shape's place.
static bool finish_heights(lb_reader* r, const lb_yaml* node, lb_scene_shape* shape) {
  const lb_yaml *file = lb_yaml_find(node, "heights"), *spacing = lb_yaml_find(node, "spacing");
  const lb_field field = {
      .key = "spacing", .value = LB_VALUE_NUMBER, .dimension = LB_LENGTH, .range = LB_POSITIVE};
  double apart = 0;
  if (!spacing) {
    return lb_complain(r, file->place, "heights need 'spacing': how far they are apart");
  }
  lb_height_grid* grid = LB_TAKE(r->keep, lb_height_grid, 1);
  const char* path =
      grid && lb_read_value(r, spacing, &field, &apart) ? lb_find_file(r, file) : NULL;
  if (!grid) {
    return lb_lack(r);
  }
  if (!path ||
      !lb_note(r, lb_heights_read(path, file->place, apart, r->keep, grid, r->report.err))) {
    return false;
  }
  const lb_vec3 middle = {apart * (grid->nx - 1) / 2, apart * (grid->ny - 1) / 2, 0};
  shape->shape.grid = grid;
  shape->pose.p = lb_transform_point(shape->pose, lb_vec3_scale(-1, middle));
  return true;
}

static bool finish_plane(lb_reader* r, const lb_yaml* node, lb_scene_shape* shape) {
  lb_vec3 up;
  const bool ok = lb_read_value(r, lb_yaml_find(node, "plane"), &shape_fields[LB_SHAPE_PLANE], &up);
  shape->pose.q = ok ? lb_quat_mul(shape->pose.q, lb_quat_from_z(up)) : shape->pose.q;
  return ok;
}

// Flag of a shape whose standard depends on what it belongs to.
static bool read_flag(lb_reader* r, const lb_yaml* node, const char* key, bool standard,
                      bool* out) {
  const lb_yaml* flag = lb_yaml_find(node, key);
  const lb_field field = {.key = key, .value = LB_VALUE_FLAG};
  *out = standard;
  return !flag || lb_read_value(r, flag, &field, out);
}

static bool finish_shape(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_shape* shape = part;
  const lb_shape_type type = shape->shape.type;
  static bool (*const finish[LB_SHAPE_COUNT])(lb_reader*, const lb_yaml*, lb_scene_shape*) = {
      [LB_SHAPE_CAPSULE] = place_rod,
      [LB_SHAPE_CYLINDER] = place_rod,
      [LB_SHAPE_MESH] = finish_mesh,
      [LB_SHAPE_HEIGHTS] = finish_heights,
      [LB_SHAPE_PLANE] = finish_plane};
  if (!ok) {
    return false;
  }
  const bool moves = shape->body != LB_WORLD;
  if (!read_flag(r, node, "solid", moves && !shape->massless, &shape->solid) ||
      !read_flag(r, node, "convex", moves, &shape->convex)) {
    return false;
  }
  if (lb_yaml_find(node, "belt") && !shape->solid) {
    return lb_complain(r, lb_yaml_find(node, "belt")->place,
                       "'belt' is for shapes that collide (add 'solid: true')");
  }
  shape->massless |= !moves;
  if (finish[type] && !finish[type](r, node, shape)) {
    return false;
  }
  shape->material = shape->material >= 0 ? shape->material : lb_find_material(r, "plain");
  return shape->material >= 0;
}

static const lb_key_rule shape_rules[] = {
    {"scale", 1u << LB_SHAPE_MESH, "'scale' is for meshes (give this shape its own size)"},
    {"convex", 1u << LB_SHAPE_MESH, "'convex' is for meshes (other shapes are convex)"},
    {"spacing", 1u << LB_SHAPE_HEIGHTS, "'spacing' is for heights"},
};

const lb_table lb_shape_table =
    LB_TABLE("shape", lb_scene_shape, shape_fields, .nchoose = LB_SHAPE_COUNT,
             .choose = "the form of a shape", .chosen = offsetof(lb_scene_shape, shape.type),
             LB_RULES(shape_rules), .finish = finish_shape);

bool lb_read_shape(lb_reader* r, const lb_yaml* node, int body, int material) {
  lb_scene_shape shape = {
      .place = node->place, .body = body, .pose = lb_transform_identity(), .material = material};
  if (!lb_read_table(r, node, &lb_shape_table, &shape)) {
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

// The rules of a form are geom's; what it says is reported under the name of whose shape it is.
static bool form_holds(lb_checker* c, const lb_scene_shape* shape) {
  lb_error said = lb_error_make(c->report->err ? c->report->err->allocator : NULL);
  const bool holds = lb_shape_check(&shape->shape, shape->place, &said) == LB_OK;
  for (int i = 0; i < said.count; i++) {
    lb_say(c, ": %s", said.message[i].text);
  }
  c->no_memory = c->no_memory || (!holds && said.count == 0);
  lb_error_clear(&said);
  return holds;
}

static void check_shape(lb_checker* c, const lb_scene_shape* shape) {
  if (!lb_check_fields(c, &lb_shape_table, shape) || !form_holds(c, shape)) {
    return;
  }
  if (shape->material < 0) {
    lb_say(c, ": there is no material %d", shape->material);
    return;
  }
  if (shape->body != LB_WORLD && shape->shape.type == LB_SHAPE_PLANE) {
    lb_say(c, ": a plane has no end and cannot be carried (make it scenery)");
    return;
  }
  if (!shape->massless && lb_shape_kind_of(shape->shape.type)->endless) {
    lb_say(c, ": heights have no mass (give the shape 'massless: true' and 'solid: true')");
    return;
  }
  const double density = c->s->material[shape->material].density;
  const lb_mass mass = lb_mass_transform(shape->pose, lb_shape_mass(&shape->shape, density));
  if (!shape->massless && (!isfinite(mass.mass) || !(mass.mass > 0))) {
    lb_say(c, ": its mass comes out as %g kg (check its size, which is in metres)", mass.mass);
  }
}

void lb_check_shapes(lb_checker* c) {
  for (int i = 0; i < c->s->nshape; i++) {
    const lb_scene_shape* shape = &c->s->shape[i];
    if (shape->body != LB_WORLD && (shape->body < 0 || shape->body >= c->s->nbody)) {
      LB_SAY(c, shape->place, "shape %d belongs to body %d, which does not exist", i, shape->body);
      continue;
    }
    if (shape->body == LB_WORLD) {
      lb_look_at(c, shape->place, "shape of the scenery");
    } else {
      lb_look_at(c, shape->place, "shape of body '%.70s'", c->s->body[shape->body].name);
    }
    check_shape(c, shape);
  }
}
