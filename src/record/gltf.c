// scene.glb: the animated world as binary glTF 2.0.
//
// The tree is flat: one root node turns z up into y up, every body hangs on it under its own name,
// and a body's shapes hang on the body. Shapes of equal form share their accessors, and those of
// equal form and material share a mesh. Numbers go into six buffer views by kind; the JSON is
// written last, when all offsets are known.
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "geom/shape.h"
#include "limber/version.h"
#include "record/writers.h"

enum { FLOAT = 5126, UINT16 = 5123, UINT32 = 5125 };

typedef enum view { POSITION, NORMAL, INDEX, TIME, TRANSLATION, ROTATION, NVIEW } view;

// What the specification wants said of a view: its use as vertices or indices, and the stride of
// interleaved ones.
static const char* const VIEW_TEXT[NVIEW] = {
    [POSITION] = ",\"byteStride\":12,\"target\":34962",
    [NORMAL] = ",\"byteStride\":12,\"target\":34962",
    [INDEX] = ",\"target\":34963",
    [TIME] = "",
    [TRANSLATION] = "",
    [ROTATION] = "",
};

typedef struct accessor {
  view view;
  size_t offset;
  int component;
  int count;
  const char* type;
  int nbound; // components with bounds
  float min[3], max[3];
} accessor;

// A shape's form and where its numbers are; -1 when there is nothing to draw.
typedef struct form {
  lb_shape shape;
  int position, normal, index;
} form;

typedef struct part {
  int form, material;
} part;

typedef struct gltf {
  const lb_recording* r;
  const lb_model* m;
  lb_arena arena;
  bool failed; // no memory in the arena
  lb_out bytes[NVIEW];
  int naccessor, nform, npart, nmaterial;
  int accessor_capacity, form_capacity, part_capacity;
  accessor* accessor;
  form* form;
  part* part;          // a mesh of the file each
  int* shape_part;     // [nshape] or -1
  int* first_shape;    // [1 + nbody] of the world, then of each body, or -1
  int* next_shape;     // [nshape] the body's next, or -1
  int* material_index; // [model's nmaterial] in the file, or -1
  int nframe;          // frames shown
  int* frame;          // [nframe]
  int time;            // accessor, or -1: nothing moves
  int* translation;    // [nbody] accessor, or -1: it stands still
  int* rotation;       // [nbody]
} gltf;

// --- numbers ---

static int add_accessor(gltf* g, accessor a) {
  accessor* moved = LB_GROW(&g->arena, g->accessor, g->naccessor, &g->accessor_capacity);
  if (!moved) {
    g->failed = true;
    return -1;
  }
  g->accessor = moved;
  g->accessor[g->naccessor] = a;
  return g->naccessor++;
}

static accessor begin(const gltf* g, view v, int component, int count, const char* type) {
  return (accessor){.view = v,
                    .offset = g->bytes[v].size,
                    .component = component,
                    .count = count,
                    .type = type,
                    .min = {FLT_MAX, FLT_MAX, FLT_MAX},
                    .max = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static float to_float(double x) {
  return (float)fmax(-FLT_MAX, fmin(FLT_MAX, isnan(x) ? 0 : x));
}

static void put_bounded(gltf* g, accessor* a, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    const float f = to_float(x[i]);
    a->min[i] = f < a->min[i] ? f : a->min[i];
    a->max[i] = f > a->max[i] ? f : a->max[i];
    lb_out_f32(&g->bytes[a->view], f);
  }
  a->nbound = n;
}

static int add_positions(gltf* g, const lb_mesh* s) {
  accessor a = begin(g, POSITION, FLOAT, s->nvertex, "VEC3");
  for (int i = 0; i < s->nvertex; i++) {
    const double x[3] = {s->vertex[i].x, s->vertex[i].y, s->vertex[i].z};
    put_bounded(g, &a, x, 3);
  }
  return add_accessor(g, a);
}

static int add_normals(gltf* g, const lb_vec3* normal, int count) {
  const accessor a = begin(g, NORMAL, FLOAT, count, "VEC3");
  for (int i = 0; i < count; i++) {
    lb_vec3 n = normal[i];
    const double length = lb_vec3_norm(n);
    n = length > 0 && isfinite(length) ? lb_vec3_scale(1 / length, n) : lb_vec3_make(0, 0, 1);
    lb_out_f32(&g->bytes[NORMAL], n.x);
    lb_out_f32(&g->bytes[NORMAL], n.y);
    lb_out_f32(&g->bytes[NORMAL], n.z);
  }
  return add_accessor(g, a);
}

static int add_indices(gltf* g, const lb_mesh* s) {
  const bool narrow = s->nvertex < 65535; // the largest value is reserved
  const accessor a = begin(g, INDEX, narrow ? UINT16 : UINT32, 3 * s->nface, "SCALAR");
  for (int i = 0; i < 3 * s->nface; i++) {
    const uint32_t index = (uint32_t)s->face[i];
    const unsigned char low[2] = {(unsigned char)index, (unsigned char)(index >> 8)};
    if (narrow) {
      lb_out_bytes(&g->bytes[INDEX], low, sizeof low);
    } else {
      lb_out_u32(&g->bytes[INDEX], index);
    }
  }
  lb_out_pad(&g->bytes[INDEX], 0);
  return add_accessor(g, a);
}

// --- forms, meshes, materials ---

static bool same_form(const lb_shape* a, const lb_shape* b) {
  return a->type == b->type && a->mesh == b->mesh && a->size.x == b->size.x &&
         a->size.y == b->size.y && a->size.z == b->size.z;
}

static int find_form(gltf* g, const lb_shape* shape) {
  for (int i = 0; i < g->nform; i++) {
    if (same_form(&g->form[i].shape, shape)) {
      return i;
    }
  }
  form* moved = LB_GROW(&g->arena, g->form, g->nform, &g->form_capacity);
  if (!moved) {
    g->failed = true;
    return -1;
  }
  g->form = moved;
  form* f = &g->form[g->nform];
  *f = (form){.shape = *shape, .position = -1};
  // The triangles are needed only until they are in the buffers.
  lb_arena scratch;
  lb_arena_init(&scratch, g->r->allocator);
  lb_mesh s;
  lb_vec3* normal;
  g->failed = lb_shape_tessellate(shape, LB_TESSELLATE_AROUND, &scratch, &s, &normal) != LB_OK;
  if (!g->failed && s.nface > 0) {
    f->position = add_positions(g, &s);
    f->normal = add_normals(g, normal, s.nvertex);
    f->index = add_indices(g, &s);
  }
  lb_arena_release(&scratch);
  return g->nform++;
}

static int find_part(gltf* g, part p) {
  for (int i = 0; i < g->npart; i++) {
    if (g->part[i].form == p.form && g->part[i].material == p.material) {
      return i;
    }
  }
  part* moved = LB_GROW(&g->arena, g->part, g->npart, &g->part_capacity);
  if (!moved) {
    g->failed = true;
    return -1;
  }
  g->part = moved;
  g->part[g->npart] = p;
  return g->npart++;
}

// Chains of each body's shapes, in their order.
static void chain_shapes(gltf* g) {
  const lb_model* m = g->m;
  g->first_shape = LB_TAKE(&g->arena, int, 1 + m->nbody);
  g->next_shape = LB_TAKE(&g->arena, int, m->nshape);
  g->failed = g->failed || !g->first_shape || !g->next_shape;
  for (int b = 0; b <= m->nbody && !g->failed; b++) {
    g->first_shape[b] = -1;
  }
  for (int i = m->nshape - 1; i >= 0 && !g->failed; i--) {
    int* first = &g->first_shape[m->shape[i].body == LB_WORLD ? 0 : 1 + m->shape[i].body];
    g->next_shape[i] = *first;
    *first = i;
  }
}

static void collect_shapes(gltf* g) {
  const lb_model* m = g->m;
  g->shape_part = LB_TAKE(&g->arena, int, m->nshape);
  g->material_index = LB_TAKE(&g->arena, int, m->nmaterial);
  g->failed = !g->shape_part || !g->material_index;
  for (int i = 0; i < m->nmaterial && !g->failed; i++) {
    g->material_index[i] = -1;
  }
  for (int i = 0; i < m->nshape && !g->failed; i++) {
    const int f = find_form(g, &m->shape[i].shape);
    const int material = m->shape[i].material;
    g->shape_part[i] = -1;
    if (f >= 0 && g->form[f].position >= 0) {
      g->shape_part[i] = find_part(g, (part){f, material});
      if (material >= 0 && g->material_index[material] < 0) {
        g->material_index[material] = g->nmaterial++;
      }
    }
  }
}

// --- motion ---

// Frames whose times still rise after rounding to float, which animations need.
static void choose_frames(gltf* g, int most) {
  const lb_recording* r = g->r;
  const int shown = lb_frames_shown(r->nframe, most);
  g->frame = LB_TAKE(&g->arena, int, shown);
  g->failed = g->failed || !g->frame;
  float last = -1;
  for (int i = 0; i < shown && !g->failed; i++) {
    const int f = lb_frame_shown(r->nframe, shown, i);
    const float t = to_float(r->time[f] - r->time[0]);
    if (t > last && isfinite(r->time[f])) {
      g->frame[g->nframe++] = f;
      last = t;
    }
  }
}

static lb_transform pose_at(const gltf* g, int frame, int body) {
  return g->r->pose[(size_t)frame * (size_t)g->m->nbody + (size_t)body];
}

static bool is_finite(lb_transform X) {
  return isfinite(X.p.x + X.p.y + X.p.z) && isfinite(X.q.w + X.q.x + X.q.y + X.q.z);
}

// A pose fit to be written: finite, the quaternion unit and on the same side as the one before, so
// that viewers turn the short way. Where the recording has nothing to say the one before stays.
static lb_transform next_pose(lb_transform before, lb_transform X) {
  if (!is_finite(X)) {
    return before;
  }
  const lb_quat a = before.q;
  lb_quat q = lb_quat_normalise(X.q);
  if (a.w * q.w + a.x * q.x + a.y * q.y + a.z * q.z < 0) {
    q = (lb_quat){-q.w, -q.x, -q.y, -q.z};
  }
  return (lb_transform){.q = q, .p = X.p};
}

static bool moves(const gltf* g, int body) {
  const lb_transform first = pose_at(g, g->frame[0], body);
  for (int i = 1; i < g->nframe; i++) {
    const lb_transform X = pose_at(g, g->frame[i], body);
    if (memcmp(&X, &first, sizeof X) != 0) {
      return true;
    }
  }
  return false;
}

static void add_motion(gltf* g, int body) {
  const accessor t = begin(g, TRANSLATION, FLOAT, g->nframe, "VEC3");
  const accessor q = begin(g, ROTATION, FLOAT, g->nframe, "VEC4");
  lb_transform X = lb_transform_identity();
  for (int i = 0; i < g->nframe; i++) {
    X = next_pose(X, pose_at(g, g->frame[i], body));
    const double x[3] = {X.p.x, X.p.y, X.p.z};
    const double turn[4] = {X.q.x, X.q.y, X.q.z, X.q.w};
    for (int k = 0; k < 3; k++) {
      lb_out_f32(&g->bytes[TRANSLATION], x[k]);
    }
    for (int k = 0; k < 4; k++) {
      lb_out_f32(&g->bytes[ROTATION], turn[k]);
    }
  }
  g->translation[body] = add_accessor(g, t);
  g->rotation[body] = add_accessor(g, q);
}

static void add_times(gltf* g) {
  accessor a = begin(g, TIME, FLOAT, g->nframe, "SCALAR");
  for (int i = 0; i < g->nframe; i++) {
    const double t = g->r->time[g->frame[i]] - g->r->time[0];
    put_bounded(g, &a, &t, 1);
  }
  g->time = add_accessor(g, a);
}

static void collect_motion(gltf* g, int most) {
  const int nbody = g->m->nbody;
  g->time = -1;
  g->translation = LB_TAKE(&g->arena, int, nbody);
  g->rotation = LB_TAKE(&g->arena, int, nbody);
  g->failed = g->failed || !g->translation || !g->rotation;
  choose_frames(g, most);
  for (int b = 0; b < nbody && !g->failed; b++) {
    g->translation[b] = g->rotation[b] = -1;
    if (g->nframe > 1 && moves(g, b)) {
      if (g->time < 0) {
        add_times(g);
      }
      add_motion(g, b);
    }
  }
}

// --- JSON ---

static void field(lb_out* out, const char* before, long value, const char* after) {
  lb_out_text(out, before);
  lb_out_long(out, value);
  lb_out_text(out, after);
}

// `before`, the numbers as a list, `after`.
static void list(lb_out* out, const char* before, const double* x, int n, const char* after) {
  lb_out_text(out, before);
  for (int i = 0; i < n; i++) {
    lb_out_text(out, i ? "," : "[");
    lb_out_number(out, x[i], "0");
  }
  lb_out_texts(out, "]", after, NULL);
}

static void json_pose(lb_out* out, lb_transform X) {
  const double p[3] = {X.p.x, X.p.y, X.p.z};
  const double q[4] = {X.q.x, X.q.y, X.q.z, X.q.w};
  if (p[0] != 0 || p[1] != 0 || p[2] != 0) {
    list(out, ",\"translation\":", p, 3, "");
  }
  if (q[3] != 1) {
    list(out, ",\"rotation\":", q, 4, "");
  }
}

// The indices of the nodes under `parent`: bodies under the root (LB_WORLD), and shapes.
static void json_children(lb_out* out, const gltf* g, int parent) {
  const lb_model* m = g->m;
  int n = 0;
  for (int b = 0; parent == LB_WORLD && b < m->nbody; b++) {
    field(out, n++ ? "," : ",\"children\":[", 1 + b, "");
  }
  for (int i = g->first_shape[parent == LB_WORLD ? 0 : 1 + parent]; i >= 0; i = g->next_shape[i]) {
    field(out, n++ ? "," : ",\"children\":[", 1 + m->nbody + i, "");
  }
  lb_out_text(out, n ? "]}" : "}");
}

static void json_shape_node(lb_out* out, const gltf* g, int i) {
  const lb_model_shape* s = &g->m->shape[i];
  lb_out_text(out, ",\n{\"name\":");
  lb_out_json(out, lb_shape_kind_of(s->shape.type)->name);
  json_pose(out, next_pose(lb_transform_identity(), s->pose));
  if (g->shape_part[i] >= 0) {
    field(out, ",\"mesh\":", g->shape_part[i], "");
  }
  lb_out_text(out, "}");
}

static void json_nodes(lb_out* out, const gltf* g) {
  const lb_model* m = g->m;
  // A quarter turn about x takes z up to y up.
  lb_out_text(out, "\"nodes\":[{\"name\":");
  lb_out_json(out, m->name);
  lb_out_text(out, ",\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476]");
  json_children(out, g, LB_WORLD);
  for (int b = 0; b < m->nbody; b++) {
    const lb_transform start = g->nframe ? pose_at(g, g->frame[0], b) : lb_transform_identity();
    lb_out_text(out, ",\n{\"name\":");
    lb_out_json(out, m->body_name[b]);
    json_pose(out, next_pose(lb_transform_identity(), start));
    json_children(out, g, b);
  }
  for (int i = 0; i < m->nshape; i++) {
    json_shape_node(out, g, i);
  }
  lb_out_text(out, "]");
}

static void json_meshes(lb_out* out, const gltf* g) {
  for (int i = 0; i < g->npart; i++) {
    const form* f = &g->form[g->part[i].form];
    lb_out_text(out, i ? ",\n" : ",\n\"meshes\":[");
    field(out, "{\"primitives\":[{\"attributes\":{\"POSITION\":", f->position, "");
    field(out, ",\"NORMAL\":", f->normal, "}");
    field(out, ",\"indices\":", f->index, "");
    if (g->part[i].material >= 0) {
      field(out, ",\"material\":", g->material_index[g->part[i].material], "");
    }
    lb_out_text(out, "}]}");
  }
  lb_out_text(out, g->npart ? "]" : "");
}

static double unit(double x) {
  return fmax(0, fmin(1, isnan(x) ? 0 : x));
}

static void json_material(lb_out* out, const lb_scene_material* m) {
  const double color[4] = {unit(m->color[0]), unit(m->color[1]), unit(m->color[2]),
                           unit(m->color[3])};
  lb_out_text(out, "{\"name\":");
  lb_out_json(out, m->name);
  list(out, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":", color, 4, ",\"metallicFactor\":");
  lb_out_number(out, unit(m->metallic), "0");
  lb_out_text(out, ",\"roughnessFactor\":");
  lb_out_number(out, unit(m->roughness), "1");
  lb_out_texts(out, "}", color[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "", "}", NULL);
}

// Materials in the order in which the shapes first used them.
static void json_materials(lb_out* out, const gltf* g) {
  for (int i = 0; i < g->nmaterial; i++) {
    lb_out_text(out, i ? ",\n" : ",\n\"materials\":[");
    for (int k = 0; k < g->m->nmaterial; k++) {
      if (g->material_index[k] == i) {
        json_material(out, &g->m->material[k]);
      }
    }
  }
  lb_out_text(out, g->nmaterial ? "]" : "");
}

static void json_accessors(lb_out* out, const gltf* g, const int* view_index) {
  for (int i = 0; i < g->naccessor; i++) {
    const accessor* a = &g->accessor[i];
    field(out,
          i ? ",\n{\"bufferView\":" : ",\n\"accessors\":[{\"bufferView\":", view_index[a->view],
          "");
    field(out, ",\"byteOffset\":", (long)a->offset, "");
    field(out, ",\"componentType\":", a->component, "");
    field(out, ",\"count\":", a->count, ",\"type\":");
    lb_out_json(out, a->type);
    if (a->nbound) {
      const double min[3] = {a->min[0], a->min[1], a->min[2]};
      const double max[3] = {a->max[0], a->max[1], a->max[2]};
      list(out, ",\"min\":", min, a->nbound, "");
      list(out, ",\"max\":", max, a->nbound, "");
    }
    lb_out_text(out, "}");
  }
  lb_out_text(out, g->naccessor ? "]" : "");
}

static void json_animation(lb_out* out, const gltf* g) {
  if (g->time < 0) {
    return;
  }
  lb_out_text(out, ",\n\"animations\":[{\"name\":\"motion\",\"channels\":[");
  int n = 0;
  for (int b = 0; b < g->m->nbody; b++) {
    for (int k = 0; k < 2 && g->translation[b] >= 0; k++) {
      field(out, n ? ",\n{\"sampler\":" : "\n{\"sampler\":", n, "");
      field(out, ",\"target\":{\"node\":", 1 + b, ",\"path\":");
      lb_out_text(out, k ? "\"rotation\"}}" : "\"translation\"}}");
      n++;
    }
  }
  n = 0;
  for (int b = 0; b < g->m->nbody; b++) {
    for (int k = 0; k < 2 && g->translation[b] >= 0; k++) {
      field(out, n++ ? ",\n{\"input\":" : "],\"samplers\":[\n{\"input\":", g->time, "");
      field(out, ",\"output\":", k ? g->rotation[b] : g->translation[b], "}");
    }
  }
  lb_out_text(out, "]}]");
}

// Views that hold something, one after the other in the only buffer. Returns its size.
static size_t json_views(lb_out* out, const gltf* g) {
  size_t offset = 0;
  int n = 0;
  for (int v = 0; v < NVIEW; v++) {
    if (g->bytes[v].size) {
      lb_out_text(out, n++ ? ",\n" : ",\n\"bufferViews\":[");
      field(out, "{\"buffer\":0,\"byteOffset\":", (long)offset, "");
      field(out, ",\"byteLength\":", (long)g->bytes[v].size, VIEW_TEXT[v]);
      lb_out_text(out, "}");
      offset += g->bytes[v].size;
    }
  }
  if (n) {
    field(out, "],\n\"buffers\":[{\"byteLength\":", (long)offset, "}]");
  }
  return offset;
}

static size_t json(lb_out* out, const gltf* g) {
  int view_index[NVIEW];
  for (int v = 0, n = 0; v < NVIEW; v++) {
    view_index[v] = g->bytes[v].size ? n++ : -1;
  }
  lb_out_texts(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Limber ", lb_version(),
               "\"},\n\"scene\":0,\"scenes\":[{\"nodes\":[0],\"name\":", NULL);
  lb_out_json(out, g->m->name);
  lb_out_text(out, "}],\n");
  json_nodes(out, g);
  json_meshes(out, g);
  json_materials(out, g);
  json_accessors(out, g, view_index);
  json_animation(out, g);
  const size_t size = json_views(out, g);
  lb_out_text(out, "}");
  lb_out_pad(out, ' ');
  return size;
}

// Header, JSON chunk, binary chunk.
static void glb(lb_out* out, const gltf* g, const lb_out* text, size_t binary) {
  const size_t total = 12 + 8 + text->size + (binary ? 8 + binary : 0);
  if (total > UINT32_MAX) { // the format's own limit
    out->status = LB_IO;
    out->cause = EFBIG;
    return;
  }
  lb_out_text(out, "glTF");
  lb_out_u32(out, 2);
  lb_out_u32(out, (uint32_t)total);
  lb_out_u32(out, (uint32_t)text->size);
  lb_out_text(out, "JSON");
  lb_out_bytes(out, text->data, text->size);
  if (binary) {
    lb_out_u32(out, (uint32_t)binary);
    lb_out_bytes(out, "BIN", 4);
  }
  for (int v = 0; v < NVIEW; v++) {
    lb_out_bytes(out, g->bytes[v].data, g->bytes[v].size);
  }
}

void lb_write_gltf(lb_out* out, const lb_recording* recording, int most) {
  gltf g = {.r = recording, .m = recording->model};
  const lb_allocator* allocator = recording->allocator;
  lb_arena_init(&g.arena, allocator);
  for (int v = 0; v < NVIEW; v++) {
    g.bytes[v] = lb_out_make(allocator, -1);
  }
  collect_shapes(&g);
  chain_shapes(&g);
  collect_motion(&g, most);
  lb_out text = lb_out_make(allocator, -1);
  bool failed = g.failed;
  if (!failed) {
    const size_t binary = json(&text, &g);
    failed = text.status != LB_OK;
    for (int v = 0; v < NVIEW; v++) {
      failed = failed || g.bytes[v].status != LB_OK;
    }
    if (!failed) {
      glb(out, &g, &text, binary);
    }
  }
  if (failed && out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
  for (int v = 0; v < NVIEW; v++) {
    lb_out_release(&g.bytes[v]);
  }
  lb_out_release(&text);
  lb_arena_release(&g.arena);
}
