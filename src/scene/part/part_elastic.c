// Elastic bodies: from what was written to a description, and what its forms have as faces.
#include "scene/part/elastic_form.h"

#include <string.h>

#include "scene/part/part.h"

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
  lb_scene_elastic elastic = {0};
  lb_table_default(&lb_elastic_table, &elastic);
  elastic.material = 0;
  return elastic;
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
      return joint->hold.face_name[1];
    }
    const int end = joint->parent == body ? 0 : 1;
    if (!first && (joint->parent == body || joint->child == body)) {
      first = joint->hold.face_name[end];
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

// --- keys ---

#define FORM(value, key, member, range, standard, about)                                           \
  LB_SIZED(value, lb_scene_elastic, key, member, LB_LENGTH, range, standard, about)
#define SIDE(key, member, about) FORM(NUMBER, key, member, LB_POSITIVE, NULL, about)
#define AXIS                                                                                       \
  FORM(VECTOR, "from", from, LB_ANY, "[0, 0, 0]", "the middle of its face start"),                 \
      FORM(VECTOR, "to", to, LB_ANY, NULL, "the middle of its face end")
#define UP(about)                                                                                  \
  LB_ROW(VECTOR, lb_scene_elastic, "up", up, "[0, 0, 1]; [1, 0, 0] if the axis is along z", about)

static const lb_field rod_fields[] = {SIDE("radius", radius, "from the axis to the surface"), AXIS};
static const lb_field box_fields[] = {
    SIDE("width", width, "across the axis, from face left to right"),
    SIDE("height", height, "across the axis, from face bottom to top"), AXIS,
    UP("where the height points")};
static const lb_field plate_fields[] = {
    SIDE("width", width, "across the axis, from face left to right"),
    SIDE("thickness", height, "from face bottom to top"), AXIS, UP("where its face top looks")};
static const lb_field tube_fields[] = {SIDE("radius", radius, "from the axis to the outside"),
                                       SIDE("inner", inner, "from the axis to the inside"), AXIS};
#define FORM_TABLE(name)                                                                           \
  static const lb_table name##_table = LB_TABLE("elastic " #name, lb_scene_elastic, name##_fields)
FORM_TABLE(rod);
FORM_TABLE(box);
FORM_TABLE(plate);
FORM_TABLE(tube);

typedef struct part_of {
  double until;
  int material;
} part_of;

static const lb_field part_fields[] = {
    LB_SIZED(NUMBER, part_of, "until", until, LB_LENGTH, LB_POSITIVE, "the end",
             "where it ends, along the axis from face start"),
    LB_ROW(MATERIAL, part_of, "material", material, "the elastic body's", "what it is made of")};
static const lb_table part_table = LB_TABLE("part", part_of, part_fields, .item = "part");

#define COUNT(key, member, range, standard, about)                                                 \
  LB_SIZED(COUNT, lb_scene_elastic, key, member, LB_PURE, range, standard, about)
#define ELEMENTS(name, along, across, around)                                                      \
  static const lb_field name##_fields[] = {                                                        \
      COUNT("along", along, LB_POSITIVE_OR_UNSET, "from the accuracy", "from start to end"),       \
      COUNT("across", across, LB_POSITIVE_OR_UNSET, "from the accuracy",                           \
            "a rod's radius, a tube's wall, a box's smaller side"),                                \
      COUNT("around", around, LB_POSITIVE_OR_UNSET, "from the accuracy",                           \
            "a tube's round, a box's wider side")};                                                \
  static const lb_table name##_table = LB_TABLE("element count", lb_scene_elastic, name##_fields)
ELEMENTS(elements, along, across, around);
ELEMENTS(fine, fine[0], fine[1], fine[2]);

static const lb_field basis_fields[] = {
    LB_LATER(FILE, "file", NULL, "none",
             "a reduced body (.npz) made by limber reduce, instead of the following"),
    COUNT("modes", modes, LB_NOT_NEGATIVE, "4",
          "modes of vibration, beyond six shapes for each face that carries something"),
    COUNT("derivatives", derivatives, LB_NOT_NEGATIVE, "5",
          "how many of the shapes under loads, from the softest on, may go far: a further shape a "
          "pair"),
};
static const lb_table basis_table = LB_TABLE("basis", lb_scene_elastic, basis_fields);

#define OF(word, table, standard, about)                                                           \
  LB_FROM(TABLE, lb_scene_elastic, word, place, &(table), standard, about)
static const lb_field elastic_fields[] = {
    [LB_ELASTIC_ROD] = OF("rod", rod_table, NULL, "a solid cylinder; faces start, end and side"),
    [LB_ELASTIC_BOX] = OF("box", box_table, NULL,
                          "a bar with a rectangular section; faces start, end, left, right, "
                          "bottom, top and side"),
    [LB_ELASTIC_BEAM] = OF("beam", box_table, NULL, "another name for a box"),
    [LB_ELASTIC_PLATE] =
        OF("plate", plate_table, NULL, "a flat box, given by its thickness; the faces of a box"),
    [LB_ELASTIC_TUBE] =
        OF("tube", tube_table, NULL, "a hollow cylinder; faces start, end, outer, inner and side"),
    [LB_ELASTIC_MESH] =
        LB_LATER(FILE, "mesh", NULL, NULL,
                 "tetrahedra from a Gmsh, VTK or TetGen file; faces are its named surfaces"),
    {"scale", LB_VALUE_SCALE, LB_NOWHERE, LB_PURE, LB_POSITIVE, NULL, 0, "1",
     "of a mesh, one number or three: 0.001 for a file in millimetres"},
    LB_ROW(MATERIAL, lb_scene_elastic, "material", material, "the body's",
           "a material that has a Young's modulus"),
    LB_LATER(REGIONS, "materials", NULL, "none",
             "of a mesh with several regions, by their names; 'material' is that of the others"),
    LB_LATER(LIST, "parts", &part_table, "none",
             "of other materials, one after the other from face start to end; not for meshes"),
    LB_SIZED(NUMBER, lb_scene_elastic, "accuracy", accuracy, LB_PURE, LB_POSITIVE, "1e-3",
             "wanted relative error of its lowest frequency; sets the number of elements"),
    OF("elements", elements_table, "from the accuracy", "how many of them"),
    OF("fine", fine_table, "as elements", "how many of them when every node moves (full)"),
    COUNT("order", order, LB_POSITIVE, "2", "of the elements: 2 bends well, 1 is much too stiff"),
    OF("basis", basis_table, "4 modes, 5 derivatives", "the shapes it can take"),
    LB_ROW(FLAG, lb_scene_elastic, "solid", solid, "true",
           "its surface collides with rigid shapes, where the scene has 'contacts'"),
};
enum { MESH = 1 << LB_ELASTIC_MESH };
static const lb_key_rule elastic_rules[] = {
    {"scale", MESH, "'scale' is for meshes (give this form its own size)"},
    {"materials", MESH, "'materials' is for meshes with regions (give this form 'parts')"},
    {"parts", ~(unsigned)MESH,
     "'parts' are for forms that Limber meshes (name the mesh's regions in 'materials')"},
};

const lb_table lb_elastic_table =
    LB_TABLE("elastic body", lb_scene_elastic, elastic_fields, .nchoose = LB_ELASTIC_FORM_COUNT,
             .choose = "the form of an elastic body", .chosen = offsetof(lb_scene_elastic, form));

// --- reading ---

static bool read_mesh(lb_reader* r, const lb_yaml* node, lb_scene_elastic* e) {
  const lb_field field = {.key = "scale", .value = LB_VALUE_SCALE};
  const lb_yaml *file = lb_yaml_find(node, "mesh"), *scale = lb_yaml_find(node, "scale");
  const char* path = lb_find_file(r, file);
  lb_tetmesh* mesh = LB_TAKE(r->keep, lb_tetmesh, 1);
  if (!path || !mesh) {
    return !mesh && lb_lack(r);
  }
  if (!lb_note(r, lb_tetmesh_read(path, file->place, r->keep, mesh, r->report.err))) {
    return false;
  }
  lb_vec3 s = lb_vec3_make(1, 1, 1);
  if (scale && !lb_read_value(r, scale, &field, &s)) {
    return false;
  }
  for (int i = 0; i < mesh->nnode; i++) {
    const lb_vec3 x = mesh->node[i];
    mesh->node[i] = lb_vec3_make(s.x * x.x, s.y * x.y, s.z * x.z);
  }
  e->mesh = mesh;
  return lb_note(r, lb_tetmesh_check(mesh, file->text, file->place, &r->scratch, r->report.err));
}

// The reduced body of a file, which several bodies may share.
static bool read_stored(lb_reader* r, const lb_yaml* basis, lb_scene_elastic* e) {
  const lb_yaml *file = lb_yaml_find(basis, "file"), *modes = lb_yaml_find(basis, "modes"),
                *other = modes ? modes : lb_yaml_find(basis, "derivatives");
  if (!file) {
    return true;
  }
  if (other) {
    return lb_complain(r, other->place,
                       "a basis from a file has its shapes already ('file' stands alone)");
  }
  e->stored_file = lb_find_file(r, file);
  if (!e->stored_file) {
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
  return lb_note(r, lb_stored_read(e->stored_file, file->place, r->keep, stored, r->report.err));
}

// --- materials ---

static bool unknown_region(lb_reader* r, const lb_yaml* key, const lb_tetmesh* mesh) {
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
static bool read_regions(lb_reader* r, const lb_yaml* node, int rest, lb_scene_elastic* e) {
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

// End of the i-th part: after the one before, and the last at the body's end.
static bool check_part(lb_reader* r, const lb_yaml* node, int i, const part_of* part,
                       double length) {
  const lb_yaml* until = lb_yaml_find(node->item[i], "until");
  const bool last = i == node->count - 1;
  const double before = i ? part[i - 1].until : 0;
  bool ok = true;
  if (part[i].material < 0) {
    ok = lb_complain(r, node->item[i]->place, "'material' is missing (what this part is made of)");
  }
  if (!last && !until) {
    return lb_complain(r, node->item[i]->place,
                       "'until' is missing (only the last part reaches to the end by itself)");
  }
  if (until &&
      (!(part[i].until > before) || part[i].until > length * (1 + (last ? 1e-9 : -1e-9)))) {
    return lb_complain(r, until->place,
                       "parts must end one after the other, from %g m on and before the body's "
                       "length of %g m",
                       before, length);
  }
  if (until && last && part[i].until < length * (1 - 1e-9)) {
    return lb_complain(
        r, until->place,
        "the last part ends before the body's length of %g m (leave its 'until' away)", length);
  }
  return ok;
}

static bool read_parts(lb_reader* r, const lb_yaml* node, int rest, lb_scene_elastic* e) {
  void* read = NULL;
  int* list = LB_TAKE(r->keep, int, node->count);
  double* until = LB_TAKE(r->keep, double, node->count);
  const double length = lb_vec3_norm(lb_vec3_sub(e->to, e->from));
  bool ok = lb_read_list(r, node, &part_table, &read, &e->nregion);
  if (!list || !until || !read) {
    return lb_lack(r);
  }
  part_of* part = read;
  for (int i = 0; ok && i < node->count; i++) {
    part[i].material = part[i].material >= 0 ? part[i].material : rest;
    until[i] = part[i].until;
    list[i] = part[i].material;
  }
  for (int i = 0; ok && i < node->count; i++) {
    ok &= check_part(r, node, i, part, length);
  }
  e->region_material = list;
  e->until = until;
  return ok;
}

static bool read_materials(lb_reader* r, const lb_yaml* node, lb_scene_elastic* e) {
  const lb_yaml *parts = lb_yaml_find(node, "parts"), *materials = lb_yaml_find(node, "materials");
  const int rest = e->material;
  bool ok = true;
  if (materials) {
    ok = read_regions(r, materials, rest, e);
  } else if (parts && parts->count > 0) {
    ok = read_parts(r, parts, rest, e);
  }
  e->material = rest >= 0    ? rest
                : e->nregion ? e->region_material[0]
                             : lb_find_material(r, "plain");
  return ok && e->material >= 0;
}

// --- the whole ---

const lb_scene_elastic* lb_finish_elastic(lb_reader* r, const lb_yaml* node,
                                          const lb_scene_elastic* read) {
  const lb_yaml* basis = lb_yaml_find(node, "basis");
  lb_scene_elastic* e = LB_TAKE(r->keep, lb_scene_elastic, 1);
  if (!e) {
    lb_lack(r);
    return NULL;
  }
  *e = *read;
  e->place = node->place;
  bool ok = lb_keys_hold(r, node, elastic_rules, LB_COUNT_OF(elastic_rules), (int)e->form);
  ok &= e->form != LB_ELASTIC_MESH || read_mesh(r, node, e);
  ok = ok && read_materials(r, node, e) && (!basis || read_stored(r, basis, e));
  return ok ? e : NULL;
}
