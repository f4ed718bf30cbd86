// scene.glb: the animated world as binary glTF 2.0.
//
// The tree is flat: one root node turns z up into y up, every body hangs on it under its own name,
// and a body's shapes hang on the body. gltf.h says what else there is.
#include "record/gltf/gltf.h"

#include <errno.h>
#include <math.h>

#include "geom/shape/shape.h"
#include "limber/version.h"
#include "record/file/writers.h"

// What the specification wants said of a view: its use as vertices or indices, and the stride of
// interleaved ones.
static const char* const VIEW_TEXT[LB_GLTF_VIEWS] = {
    [LB_GLTF_POSITION] = ",\"byteStride\":12,\"target\":34962",
    [LB_GLTF_NORMAL] = ",\"byteStride\":12,\"target\":34962",
    [LB_GLTF_INDEX] = ",\"target\":34963",
    [LB_GLTF_TIME] = "",
    [LB_GLTF_MOTION] = "",
    [LB_GLTF_JOINT] = ",\"byteStride\":8,\"target\":34962",
    [LB_GLTF_WEIGHT] = ",\"byteStride\":16,\"target\":34962",
    [LB_GLTF_BIND] = "",
};

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
static void json_children(lb_out* out, const lb_gltf* g, int parent) {
  const lb_model* m = g->m;
  int n = 0;
  for (int b = 0; parent == LB_WORLD && g->ngroup == 0 && b < m->nbody; b++) {
    field(out, n++ ? "," : ",\"children\":[", lb_gltf_body_node(b), "");
  }
  for (int i = 0; parent == LB_WORLD && i < g->ngroup; i++) {
    field(out, n++ ? "," : ",\"children\":[", lb_gltf_group_node(g, i), "");
  }
  for (int i = 0; parent == LB_WORLD && i < lb_bent_lines(m); i++) {
    field(out, n++ ? "," : ",\"children\":[", lb_gltf_spring_node(g, i), "");
  }
  for (int i = 0; parent == LB_WORLD && i < m->ndeformable; i++) {
    for (int k = 0; k < g->deformable[i].njoint; k++) {
      field(out, n++ ? "," : ",\"children\":[", g->deformable[i].first + k, "");
    }
  }
  for (int i = g->first_shape[parent == LB_WORLD ? 0 : 1 + parent]; i >= 0; i = g->next_shape[i]) {
    field(out, n++ ? "," : ",\"children\":[", lb_gltf_shape_node(g, i), "");
  }
  for (int e = 0; e < m->nelastic; e++) {
    if (m->elastic[e].body == parent) {
      field(out, n++ ? "," : ",\"children\":[", lb_gltf_bent_node(g, e), "");
    }
  }
  lb_out_text(out, n ? "]}" : "}");
}

static void json_shape_node(lb_out* out, const lb_gltf* g, int i) {
  const lb_model_shape* s = &g->m->shape[i];
  lb_out_text(out, ",\n{\"name\":");
  lb_out_json(out, lb_shape_kind_of(s->shape.type)->name);
  json_pose(out, lb_gltf_pose(lb_transform_identity(), s->pose));
  if (g->shape_part[i] >= 0) {
    field(out, ",\"mesh\":", g->shape_part[i], "");
  }
  lb_out_text(out, "}");
}

// Meshes of elastic bodies come after those of shapes.
static int bent_mesh(const lb_gltf* g, int e) {
  int mesh = g->npart;
  for (int i = 0; i < e; i++) {
    mesh += g->bent[i].position >= 0;
  }
  return mesh;
}

static void json_bent_node(lb_out* out, const lb_gltf* g, int e) {
  lb_out_text(out, ",\n{\"name\":\"surface\"");
  if (g->bent[e].position >= 0) {
    field(out, ",\"mesh\":", bent_mesh(g, e), "");
  }
  lb_out_text(out, "}");
}

static void json_spring_node(lb_out* out, const lb_gltf* g, int i) {
  const lb_model_rope* rope = lb_bent_rope(g->m, i);
  lb_out_text(out, ",\n{\"name\":");
  lb_out_json(out, rope ? rope->name : "spring");
  if (g->nframe > 0) {
    double length;
    const lb_transform X = lb_gltf_spring_pose(g, g->frame[0], i, &length);
    const double scale[3] = {lb_gltf_spring_radius(g, i), lb_gltf_spring_radius(g, i), length};
    json_pose(out, lb_gltf_pose(lb_transform_identity(), X));
    list(out, ",\"scale\":", scale, 3, "");
    field(out, ",\"mesh\":", rope ? g->rope_part[rope - g->m->rope] : g->spring_part, "");
  }
  lb_out_text(out, "}");
}

static void json_group_node(lb_out* out, const lb_gltf* g, int i) {
  const int each = g->m->nbody / g->ngroup;
  lb_out_text(out, ",\n{\"name\":");
  lb_out_json(out, g->group[i]);
  for (int b = 0; b < each; b++) {
    field(out, b ? "," : ",\"children\":[", lb_gltf_body_node(i * each + b), "");
  }
  lb_out_text(out, each ? "]}" : "}");
}

// A mesh of deformables, after those of elastic bodies.
static void json_deformable_nodes(lb_out* out, const lb_gltf* g) {
  const int mesh = bent_mesh(g, g->m->nelastic);
  for (int i = 0; i < g->m->ndeformable; i++) {
    lb_out_text(out, ",\n{\"name\":");
    lb_out_json(out, g->m->deformable[i].name);
    field(out, ",\"mesh\":", mesh + i, "");
    field(out, ",\"skin\":", i, "}");
  }
  for (int i = 0; i < g->m->ndeformable; i++) {
    for (int j = 0; j < g->deformable[i].njoint; j++) {
      lb_out_text(out, ",\n{\"name\":\"node\"");
      json_pose(out, lb_gltf_pose(lb_transform_identity(), g->deformable[i].start[j]));
      lb_out_text(out, "}");
    }
  }
}

static void json_skins(lb_out* out, const lb_gltf* g) {
  for (int i = 0; i < g->m->ndeformable; i++) {
    const lb_gltf_deformable* s = &g->deformable[i];
    field(out, i ? ",\n{\"inverseBindMatrices\":" : ",\n\"skins\":[{\"inverseBindMatrices\":",
          s->binding, "");
    for (int j = 0; j < s->njoint; j++) {
      field(out, j ? "," : ",\"joints\":[", s->first + j, "");
    }
    lb_out_text(out, "]}");
  }
  lb_out_text(out, g->m->ndeformable ? "]" : "");
}

static void json_nodes(lb_out* out, const lb_gltf* g) {
  const lb_model* m = g->m;
  // A quarter turn about x takes z up to y up.
  lb_out_text(out, "\"nodes\":[{\"name\":");
  lb_out_json(out, m->name);
  lb_out_text(out, ",\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476]");
  json_children(out, g, LB_WORLD);
  for (int b = 0; b < m->nbody; b++) {
    const lb_transform start = g->nframe
                                   ? g->r->pose[(size_t)g->frame[0] * (size_t)m->nbody + (size_t)b]
                                   : lb_transform_identity();
    lb_out_text(out, ",\n{\"name\":");
    lb_out_json(out, m->body_name[b]);
    json_pose(out, lb_gltf_pose(lb_transform_identity(), start));
    json_children(out, g, b);
  }
  for (int i = 0; i < m->nshape; i++) {
    json_shape_node(out, g, i);
  }
  for (int e = 0; e < m->nelastic; e++) {
    json_bent_node(out, g, e);
  }
  for (int i = 0; i < lb_bent_lines(m); i++) {
    json_spring_node(out, g, i);
  }
  for (int i = 0; i < g->ngroup; i++) {
    json_group_node(out, g, i);
  }
  json_deformable_nodes(out, g);
  lb_out_text(out, "]");
}

// A mesh of one piece; `material` is an index in the file, or -1, and `soft` what carries it, or
// NULL.
static void json_mesh(lb_out* out, int* count, int position, int normal, int index, int material,
                      const lb_gltf_deformable* deformable) {
  lb_out_text(out, (*count)++ ? ",\n" : ",\n\"meshes\":[");
  field(out, "{\"primitives\":[{\"attributes\":{\"POSITION\":", position, "");
  field(out, ",\"NORMAL\":", normal, "");
  if (deformable) {
    field(out, ",\"JOINTS_0\":", deformable->joints, "");
    field(out, ",\"WEIGHTS_0\":", deformable->weights, "");
  }
  lb_out_text(out, "}");
  field(out, ",\"indices\":", index, "");
  if (material >= 0) {
    field(out, ",\"material\":", material, "");
  }
}

static int material_in_file(const lb_gltf* g, int material) {
  return material == LB_GLTF_OF_SPRINGS ? g->spring_material
         : material >= 0                ? g->material_index[material]
                                        : -1;
}

static void json_targets(lb_out* out, const lb_gltf* g, int e) {
  const lb_gltf_bent* b = &g->bent[e];
  for (int k = 0; k < b->ntarget; k++) {
    field(out, k ? ",{\"POSITION\":" : ",\"targets\":[{\"POSITION\":", b->to_position[k], "");
    field(out, ",\"NORMAL\":", b->to_normal[k], "}");
  }
  lb_out_text(out, b->ntarget ? "]}],\"weights\":[" : "}]");
  for (int k = 0; k < b->ntarget; k++) {
    lb_out_text(out, k ? "," : "");
    lb_out_number(out, lb_gltf_weight(g, g->frame[0], e, k), "0");
  }
  lb_out_text(out, b->ntarget ? "]}" : "}");
}

static void json_meshes(lb_out* out, const lb_gltf* g) {
  int n = 0;
  for (int i = 0; i < g->npart; i++) {
    const lb_gltf_form* f = &g->form[g->part[i].form];
    json_mesh(out, &n, f->position, f->normal, f->index, material_in_file(g, g->part[i].material),
              NULL);
    lb_out_text(out, "}]}");
  }
  for (int e = 0; e < g->m->nelastic; e++) {
    const lb_gltf_bent* b = &g->bent[e];
    if (b->position >= 0) {
      json_mesh(out, &n, b->position, b->normal, b->index,
                material_in_file(g, g->m->elastic[e].material), NULL);
      json_targets(out, g, e);
    }
  }
  for (int i = 0; i < g->m->ndeformable; i++) {
    const lb_gltf_deformable* f = &g->deformable[i];
    json_mesh(out, &n, f->position, f->normal, f->index,
              material_in_file(g, g->m->deformable[i].material), f);
    lb_out_text(out, "}]}");
  }
  lb_out_text(out, n ? "]" : "");
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

static const lb_scene_material SPRING = {
    .name = "spring", .color = {0.06, 0.06, 0.07, 1}, .roughness = 0.8};

// Materials in the order in which the shapes first used them.
static void json_materials(lb_out* out, const lb_gltf* g) {
  for (int i = 0; i < g->nmaterial; i++) {
    lb_out_text(out, i ? ",\n" : ",\n\"materials\":[");
    if (i == g->spring_material) {
      json_material(out, &SPRING);
    }
    for (int k = 0; k < g->m->nmaterial; k++) {
      if (g->material_index[k] == i) {
        json_material(out, &g->m->material[k]);
      }
    }
  }
  lb_out_text(out, g->nmaterial ? "]" : "");
}

static void json_accessors(lb_out* out, const lb_gltf* g, const int* view_index) {
  for (int i = 0; i < g->naccessor; i++) {
    const lb_gltf_accessor* a = &g->accessor[i];
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

static void json_animation(lb_out* out, const lb_gltf* g) {
  if (g->time < 0) {
    return;
  }
  lb_out_text(out, ",\n\"animations\":[{\"name\":\"motion\",\"channels\":[");
  for (int i = 0; i < g->nchannel; i++) {
    const lb_gltf_channel* c = &g->channel[i];
    field(out, i ? ",\n{\"sampler\":" : "\n{\"sampler\":", i, "");
    field(out, ",\"target\":{\"node\":", c->node, ",\"path\":\"");
    lb_out_texts(out, c->path, "\"}}", NULL);
  }
  for (int i = 0; i < g->nchannel; i++) {
    field(out, i ? ",\n{\"input\":" : "],\"samplers\":[\n{\"input\":", g->time, "");
    field(out, ",\"output\":", g->channel[i].output, "}");
  }
  lb_out_text(out, "]}]");
}

// Views that hold something, one after the other in the only buffer. Returns its size.
static size_t json_views(lb_out* out, const lb_gltf* g) {
  size_t offset = 0;
  int n = 0;
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
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

static size_t json(lb_out* out, const lb_gltf* g) {
  int view_index[LB_GLTF_VIEWS];
  for (int v = 0, n = 0; v < LB_GLTF_VIEWS; v++) {
    view_index[v] = g->bytes[v].size ? n++ : -1;
  }
  lb_out_texts(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Limber ", lb_version(),
               "\"},\n\"scene\":0,\"scenes\":[{\"nodes\":[0", NULL);
  for (int i = 0; i < g->m->ndeformable; i++) { // skins move with their joints, and with no parent
    field(out, ",", lb_gltf_deformable_node(g, i), "");
  }
  lb_out_text(out, "],\"name\":");
  lb_out_json(out, g->m->name);
  lb_out_text(out, "}],\n");
  json_nodes(out, g);
  json_meshes(out, g);
  json_skins(out, g);
  json_materials(out, g);
  json_accessors(out, g, view_index);
  json_animation(out, g);
  const size_t size = json_views(out, g);
  lb_out_text(out, "}");
  lb_out_pad(out, ' ');
  return size;
}

// Header, JSON chunk, binary chunk.
static void glb(lb_out* out, const lb_gltf* g, const lb_out* text, size_t binary) {
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
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    lb_out_bytes(out, g->bytes[v].data, g->bytes[v].size);
  }
}

static void collect(lb_gltf* g, int most) {
  lb_gltf_collect_shapes(g);
  if (!g->failed) {
    lb_gltf_collect_motion(g, most);
  }
  if (!g->failed) {
    lb_gltf_collect_bent(g);
  }
  if (!g->failed) {
    lb_gltf_collect_springs(g);
  }
  if (!g->failed) {
    lb_gltf_collect_deformables(g);
  }
}

void lb_write_gltf(lb_out* out, const lb_recording* recording, int most) {
  lb_write_gltf_groups(out, recording, most, 0, NULL);
}

void lb_write_gltf_groups(lb_out* out, const lb_recording* recording, int most, int ngroup,
                          const char* const* group) {
  lb_gltf g = {.r = recording, .m = recording->model, .ngroup = ngroup, .group = group};
  const lb_allocator* allocator = recording->allocator;
  lb_arena_init(&g.arena, allocator);
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    g.bytes[v] = lb_out_make(allocator, -1);
  }
  lb_view view;
  g.failed = !lb_view_make(&view, recording);
  if (!g.failed) {
    g.size = view.radius;
    collect(&g, most);
  }
  lb_out text = lb_out_make(allocator, -1);
  bool failed = g.failed;
  if (!failed) {
    const size_t binary = json(&text, &g);
    failed = text.status != LB_OK;
    for (int v = 0; v < LB_GLTF_VIEWS; v++) {
      failed = failed || g.bytes[v].status != LB_OK;
    }
    if (!failed) {
      glb(out, &g, &text, binary);
    }
  }
  if (failed && out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    lb_out_release(&g.bytes[v]);
  }
  lb_out_release(&text);
  lb_arena_release(&g.arena);
}
