// Elastic bodies: from what was written to a description, and what its forms have as faces.
#include "scene/read/elastic_form.h"

#include <string.h>

#include "scene/yaml/reader.h"

// --- forms and faces ---

enum { MOST_FACES = 7 };

typedef struct form {
  const char* name;
  lb_tetmesh_kind kind;
  int nface;
  const char* face[MOST_FACES];
} form;

#define BOX_FACES "start", "end", "left", "right", "bottom", "top", "side"
static const form forms[] = {
    [LB_ELASTIC_ROD] = {"rod", LB_TETMESH_ROD, 3, {"start", "end", "side"}},
    [LB_ELASTIC_BOX] = {"box", LB_TETMESH_BOX, 7, {BOX_FACES}},
    [LB_ELASTIC_BEAM] = {"beam", LB_TETMESH_BOX, 7, {BOX_FACES}},
    [LB_ELASTIC_PLATE] = {"plate", LB_TETMESH_BOX, 7, {BOX_FACES}},
    [LB_ELASTIC_TUBE] = {"tube", LB_TETMESH_TUBE, 5, {"start", "end", "outer", "inner", "side"}},
    [LB_ELASTIC_MESH] = {.name = "mesh"},
};

lb_scene_elastic lb_scene_elastic_default(void) {
  return (lb_scene_elastic){
      .form = LB_ELASTIC_ROD, .order = 2, .accuracy = 1e-3, .modes = 4, .derivatives = 5};
}

lb_tetmesh_def lb_elastic_definition(const lb_scene_elastic* e, lb_space space) {
  const bool fine = space == LB_SPACE_FULL && (e->fine[0] || e->fine[1] || e->fine[2]);
  return (lb_tetmesh_def){.kind = forms[e->form].kind,
                          .a = e->from,
                          .b = e->to,
                          .up = e->up,
                          .width = e->width,
                          .height = e->height,
                          .radius = e->radius,
                          .inner = e->inner,
                          .order = e->order,
                          .along = fine ? e->fine[0] : e->along,
                          .across = fine ? e->fine[1] : e->across,
                          .around = fine ? e->fine[2] : e->around,
                          .error = e->accuracy,
                          .ncut = e->until ? e->nregion - 1 : 0,
                          .cut = e->until};
}

const char* lb_elastic_form_name(lb_elastic_form which) {
  return forms[which].name;
}

void lb_elastic_numbers(const lb_scene_elastic* e, double out[LB_STORED_DIMENSIONS]) {
  const double number[LB_STORED_DIMENSIONS] = {e->from.x, e->from.y, e->from.z, e->to.x, e->to.y,
                                               e->to.z,   e->up.x,   e->up.y,   e->up.z, e->width,
                                               e->height, e->radius, e->inner};
  memcpy(out, number, sizeof number);
}

int lb_elastic_material(const lb_scene_elastic* e, int region) {
  return e->nregion ? e->region_material[region] : e->material;
}

double lb_elastic_young(const lb_scene* scene, const lb_scene_elastic* e, int region) {
  return e->basis_young ? e->basis_young[e->nregion ? region : 0]
                        : scene->material[lb_elastic_material(e, region)].young;
}

const char* lb_elastic_held(const lb_scene* scene, int body) {
  const char* first = NULL;
  for (int j = 0; j < scene->njoint; j++) {
    const lb_scene_joint* joint = &scene->joint[j];
    if (joint->child == body && !joint->loop) {
      return joint->face_name[1];
    }
    const int end = joint->parent == body ? 0 : 1;
    if (!first && (joint->parent == body || joint->child == body)) {
      first = joint->face_name[end];
    }
  }
  return first;
}

int lb_elastic_faces(const lb_scene_elastic* e, const char** name, int most) {
  const bool mesh = e->form == LB_ELASTIC_MESH;
  const int all = mesh ? e->mesh->nsurface : forms[e->form].nface;
  int count = 0;
  for (int i = 0; i < all; i++) {
    if (mesh && e->mesh->surface[i].nface == 0) {
      continue; // nothing can be held by it
    }
    if (count < most) {
      name[count] = mesh ? e->mesh->surface[i].name : forms[e->form].face[i];
    }
    count++;
  }
  return count;
}

bool lb_elastic_has_face(const lb_scene_elastic* e, const char* name) {
  if (e->form == LB_ELASTIC_MESH) {
    return lb_tetmesh_find_surface(e->mesh, name) != NULL;
  }
  for (int i = 0; i < forms[e->form].nface; i++) {
    if (strcmp(forms[e->form].face[i], name) == 0) {
      return true;
    }
  }
  return false;
}

// --- reading ---

static bool read_mesh(lb_reader* r, const lb_elastic_spec* spec, lb_scene_elastic* e) {
  const char* path = lb_resolve_path(r, spec->mesh->text);
  if (!path || !lb_file_opens(r, path, spec->mesh)) {
    return false;
  }
  lb_tetmesh* mesh = LB_TAKE(r->keep, lb_tetmesh, 1);
  if (!mesh) {
    return lb_lack(r);
  }
  if (!lb_note(r, lb_tetmesh_read(path, spec->mesh->place, r->keep, mesh, r->report.err))) {
    return false;
  }
  const lb_vec3 s = spec->scale;
  for (int i = 0; i < mesh->nnode; i++) {
    const lb_vec3 x = mesh->node[i];
    mesh->node[i] = lb_vec3_make(s.x * x.x, s.y * x.y, s.z * x.z);
  }
  e->mesh = mesh;
  return lb_note(
      r, lb_tetmesh_check(mesh, spec->mesh->text, spec->mesh->place, &r->scratch, r->report.err));
}

// The reduced body of a file, which several bodies may share.
static bool read_stored(lb_reader* r, const lb_basis_spec* spec, lb_scene_elastic* e) {
  const lb_yaml_node* other = spec->given.node[LB_BASIS_KEY_MODES];
  other = other ? other : spec->given.node[LB_BASIS_KEY_DERIVATIVES];
  if (other) {
    return lb_complain(r, other->place,
                       "a basis from a file has its shapes already ('file' stands alone)");
  }
  e->stored_file = lb_resolve_path(r, spec->file->text);
  if (!e->stored_file || !lb_file_opens(r, e->stored_file, spec->file)) {
    return false;
  }
  for (int i = 0; i < r->scene.nbody; i++) {
    const lb_scene_elastic* known = r->scene.body[i].elastic;
    if (known && known->stored && strcmp(known->stored_file, e->stored_file) == 0) {
      e->stored = known->stored;
      return true;
    }
  }
  lb_stored* stored = LB_TAKE(r->keep, lb_stored, 1);
  if (!stored) {
    return lb_lack(r);
  }
  e->stored = stored;
  return lb_note(r,
                 lb_stored_read(e->stored_file, spec->file->place, r->keep, stored, r->report.err));
}

// --- materials ---

static bool unknown_region(lb_reader* r, const lb_yaml_node* key, const lb_tetmesh* mesh) {
  enum { SHOWN = 12 };
  lb_nearest nearest = lb_nearest_to(key->text);
  for (int i = 0; i < mesh->nregion; i++) {
    lb_nearest_offer(&nearest, mesh->region_name[i]);
  }
  const int shown = mesh->nregion < SHOWN ? mesh->nregion : SHOWN;
  return lb_complain(r, key->place, "the mesh has no region '%s'%s", key->text,
                     nearest.best ? lb_did_you_mean(r, &nearest)
                                  : lb_compose(r, " (it has %s%s)",
                                               lb_join(r, " and ", mesh->region_name, shown),
                                               shown < mesh->nregion ? " ..." : ""));
}

static int find_region(const lb_tetmesh* mesh, const char* name) {
  for (int i = 0; i < mesh->nregion; i++) {
    if (strcmp(mesh->region_name[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

// `rest` is the material of regions that are not named, or -1: all must be.
static bool read_regions(lb_reader* r, const lb_yaml_node* node, int rest, lb_scene_elastic* e) {
  const lb_field material = {.key = "materials", .value = LB_VALUE_MATERIAL};
  int* list = LB_TAKE(r->keep, int, e->mesh->nregion);
  if (!list) {
    return lb_lack(r);
  }
  for (int i = 0; i < e->mesh->nregion; i++) {
    list[i] = rest;
  }
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    const int region = find_region(e->mesh, node->key[i]->text);
    ok &= region < 0 ? unknown_region(r, node->key[i], e->mesh)
                     : lb_read_value(r, node->item[i], &material, &list[region]);
  }
  for (int i = 0; ok && i < e->mesh->nregion; i++) {
    if (list[i] < 0) {
      ok = lb_complain(r, node->place,
                       "region '%s' of the mesh has no material (add it here, or give 'material' "
                       "for all that are not named)",
                       e->mesh->region_name[i]);
    }
  }
  e->nregion = e->mesh->nregion;
  e->region_material = list;
  return ok;
}

static bool read_parts(lb_reader* r, const lb_yaml_node* node, int rest, lb_scene_elastic* e) {
  int* list = LB_TAKE(r->keep, int, node->count);
  double* until = LB_TAKE(r->keep, double, node->count);
  if (!list || !until) {
    return lb_lack(r);
  }
  const double length = lb_vec3_norm(lb_vec3_sub(e->to, e->from));
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    const bool last = i == node->count - 1;
    lb_part_spec part = {.material = rest};
    ok &= lb_read_part(r, node->item[i], "part", &lb_part_table, &part);
    if (part.given.wrong) {
      continue;
    }
    if (part.material < 0) {
      ok =
          lb_complain(r, node->item[i]->place, "'material' is missing (what this part is made of)");
    }
    if (!last && !part.given.node[0]) {
      ok = lb_complain(r, node->item[i]->place,
                       "'until' is missing (only the last part reaches to the end by itself)");
    } else if (part.given.node[0] &&
               (!(part.until > (i ? until[i - 1] : 0)) || part.until > length * (1 + 1e-9) ||
                (!last && part.until > length * (1 - 1e-9)))) {
      ok = lb_complain(r, part.given.node[0]->place,
                       "parts must end one after the other, from %g m on and before the body's "
                       "length of %g m",
                       i ? until[i - 1] : 0, length);
    } else if (last && part.given.node[0] && part.until < length * (1 - 1e-9)) {
      ok = lb_complain(
          r, part.given.node[0]->place,
          "the last part ends before the body's length of %g m (leave its 'until' away)", length);
    }
    until[i] = part.until;
    list[i] = part.material;
  }
  e->nregion = node->count;
  e->region_material = list;
  e->until = until;
  return ok;
}

static bool read_materials(lb_reader* r, const lb_body_spec* spec, lb_scene_elastic* e) {
  const lb_elastic_spec* s = &spec->elastic;
  const int rest = s->material >= 0 ? s->material : spec->material;
  const bool mesh = e->form == LB_ELASTIC_MESH;
  if (s->parts && mesh) {
    return lb_complain(r, s->parts->place,
                       "'parts' are for forms that Limber meshes (name the mesh's regions in "
                       "'materials')");
  }
  if (s->materials && !mesh) {
    return lb_complain(r, s->materials->place,
                       "'materials' is for meshes with regions (give this form 'parts')");
  }
  bool ok = true;
  if (s->materials) {
    ok = read_regions(r, s->materials, rest, e);
  } else if (s->parts && s->parts->count > 0) {
    ok = read_parts(r, s->parts, rest, e);
  }
  e->material = rest >= 0    ? rest
                : e->nregion ? e->region_material[0]
                             : lb_find_material(r, "plain");
  return ok && e->material >= 0;
}

// --- the whole ---

// Keys of a rigid body that an elastic one has no use for.
static bool check_keys(lb_reader* r, const lb_body_spec* spec) {
  static const struct {
    int key;
    const char* text;
  } useless[] = {
      {LB_BODY_SHAPE, "'shape' and 'elastic' cannot both be given (choose one)"},
      {LB_BODY_SHAPES, "'shapes' and 'elastic' cannot both be given (choose one)"},
      {LB_BODY_MASS, "an elastic body weighs what its material says (give that a density)"},
      {LB_BODY_CENTER, "an elastic body's centre of mass follows from its form"},
      {LB_BODY_INERTIA, "an elastic body's inertia follows from its form"},
      {LB_BODY_DRAG, "drag is for rigid bodies (give the elastic body's material damping)"},
      {LB_BODY_TURN_DRAG, "drag is for rigid bodies (give the elastic body's material damping)"},
      {LB_BODY_AIR_DRAG, "drag is for rigid bodies (give the elastic body's material damping)"},
  };
  bool ok = true;
  for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
    const lb_yaml_node* node = spec->given.node[useless[i].key];
    if (node) {
      ok = lb_complain(r, node->place, "%s", useless[i].text);
    }
  }
  const lb_yaml_node* scale = spec->elastic.given.node[LB_ELASTIC_KEY_SCALE];
  if (scale && !spec->elastic.mesh) {
    ok = lb_complain(r, scale->place, "'scale' is for meshes (give this form its own size)");
  }
  return ok;
}

const lb_scene_elastic* lb_read_elastic(lb_reader* r, const lb_body_spec* spec) {
  const lb_elastic_spec* s = &spec->elastic;
  lb_scene_elastic* e = LB_TAKE(r->keep, lb_scene_elastic, 1);
  if (!e) {
    lb_lack(r);
    return NULL;
  }
  *e = (lb_scene_elastic){
      .place = s->given.whole->place,
      .from = s->beam.from,
      .to = s->beam.to,
      .up = s->beam.up,
      .width = s->beam.width,
      .height = s->beam.height,
      .radius = s->beam.radius,
      .inner = s->beam.inner,
      .order = s->order,
      .accuracy = s->accuracy,
      .along = s->elements.along,
      .across = s->elements.across,
      .around = s->elements.around,
      .fine = {s->fine.along, s->fine.across, s->fine.around},
      .modes = s->basis.modes,
      .derivatives = s->basis.derivatives,
  };
  while (e->form < LB_ELASTIC_MESH && !s->given.node[e->form]) {
    e->form++;
  }
  bool ok = check_keys(r, spec);
  ok &= e->form != LB_ELASTIC_MESH || read_mesh(r, s, e);
  ok = ok && read_materials(r, spec, e);
  ok = ok && (!s->basis.file || read_stored(r, &s->basis, e));
  return ok ? e : NULL;
}

// One key is enough where one of the bodies is rigid.
void lb_read_faces(const lb_scene* scene, const lb_joint_spec* spec, lb_scene_joint* joint) {
  const bool parent = joint->parent >= 0 && scene->body[joint->parent].elastic;
  const bool child = joint->child >= 0 && scene->body[joint->child].elastic;
  const char* const name[2] = {parent ? spec->face : NULL,
                               parent || spec->child_face ? spec->child_face : spec->face};
  const bool elastic[2] = {parent, child};
  const lb_yaml_node* written = spec->given.whole;
  joint->averages = spec->hold == 1;
  const lb_yaml_node* at[2] = {lb_yaml_node_find(written, "at"),
                               lb_yaml_node_find(written, "in_child")};
  for (int i = 0; i < 2; i++) {
    joint->face_name[i] = name[i];
    const bool placed =
        at[i] && (at[i]->kind != LB_YAML_MAP || lb_yaml_node_find(at[i], "position"));
    joint->at_middle[i] = elastic[i] && !placed;
  }
}
