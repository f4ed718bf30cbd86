// scene.glb: the animated world as binary glTF 2.0.
//
// The tree is flat: one root node turns z up into y up, every body hangs on it under its own name,
// and a body's shapes hang on the body. gltf.h says what else there is.
#include "output/gltf/gltf.h"

#include <errno.h>
#include <math.h>

#include "geom/shape/shape.h"
#include "limber/version.h"
#include "output/file/writers.h"

// Properties of a view that the specification wants: its use as vertices or indices, and the stride
// of interleaved ones.
static const char* const VIEW_TEXT[LB_GLTF_VIEWS] = {
    [LB_GLTF_POSITION] = ",\"byteStride\":12,\"target\":34962",
    [LB_GLTF_NORMAL] = ",\"byteStride\":12,\"target\":34962",
    [LB_GLTF_INDEX] = ",\"target\":34963",
    [LB_GLTF_TIME] = "",
    [LB_GLTF_MOTION] = "",
    [LB_GLTF_JOINT] = ",\"byteStride\":8,\"target\":34962",
    [LB_GLTF_WEIGHT] = ",\"byteStride\":16,\"target\":34962",
    [LB_GLTF_STRESS] = ",\"byteStride\":4,\"target\":34962",
    [LB_GLTF_BIND] = "",
};

// --- JSON ---

// `before`, the numbers as a list.
static void list(lb_out* out, const char* before, const double* x, int n) {
  lb_out_text(out, before);
  for (int i = 0; i < n; i++) {
    lb_print_json(out, "%-s%g", i ? "," : "[", x[i]);
  }
  lb_out_text(out, "]");
}

static void json_pose(lb_out* out, lb_transform X) {
  const double p[3] = {X.p.x, X.p.y, X.p.z};
  const double q[4] = {X.q.x, X.q.y, X.q.z, X.q.w};
  if (p[0] != 0 || p[1] != 0 || p[2] != 0) {
    list(out, ",\"translation\":", p, 3);
  }
  if (q[3] != 1) {
    list(out, ",\"rotation\":", q, 4);
  }
}

// --- nodes ---

// One more child, of which there are n so far.
static void child(lb_out* out, int* n, int node) {
  lb_print_json(out, "%-s%d", (*n)++ ? "," : ",\"children\":[", node);
}

// Children of the root besides shapes and surfaces.
static void root_children(lb_out* out, const lb_gltf* g, int* n) {
  for (int b = 0; g->ngroup == 0 && b < g->m->nbody; b++) {
    child(out, n, lb_gltf_body_node(b));
  }
  for (int i = 0; i < g->ngroup; i++) {
    child(out, n, lb_gltf_group_node(g, i));
  }
  for (int i = 0; i < lb_bent_lines(g->m); i++) {
    child(out, n, lb_gltf_spring_node(g, i));
  }
  for (int i = 0; i < g->m->particles.ndeformable; i++) {
    for (int k = 0; k < g->deformable[i].njoint; k++) {
      child(out, n, g->deformable[i].first + k);
    }
  }
}

// End of the node of `parent`, a body or the root (LB_WORLD): what hangs on it.
static void json_children(lb_out* out, const lb_gltf* g, int parent) {
  int n = 0;
  if (parent == LB_WORLD) {
    root_children(out, g, &n);
  }
  for (int i = g->first_shape[parent == LB_WORLD ? 0 : 1 + parent]; i >= 0; i = g->next_shape[i]) {
    child(out, &n, lb_gltf_shape_node(g, i));
  }
  for (int e = 0; e < g->m->elastic.count; e++) {
    if (g->m->elastic.body[e].body == parent) {
      child(out, &n, lb_gltf_bent_node(g, e));
    }
  }
  lb_out_text(out, n ? "]}" : "}");
}

// End of a node with a mesh, or -1.
static void json_mesh_of(lb_out* out, int mesh) {
  if (mesh >= 0) {
    lb_print_json(out, ",'mesh':%d", mesh);
  }
  lb_out_text(out, "}");
}

// Meshes of elastic bodies come after those of shapes.
static int bent_mesh(const lb_gltf* g, int e) {
  int mesh = g->npart;
  for (int i = 0; i < e; i++) {
    mesh += g->bent[i].surface.position >= 0;
  }
  return mesh;
}

static void json_spring_node(lb_out* out, const lb_gltf* g, int i) {
  const lb_bent_look look = lb_bent_look_of(g->m, i);
  lb_print_json(out, ",\n{'name':%s", look.name ? look.name : "spring");
  if (g->nframe > 0) {
    double length;
    const lb_transform X = lb_gltf_spring_pose(g, g->frame[0], i, &length);
    const double radius = lb_gltf_spring_radius(g, g->frame[0], i);
    const double scale[3] = {radius, radius, length};
    json_pose(out, lb_gltf_pose(lb_transform_identity(), X));
    list(out, ",\"scale\":", scale, 3);
  }
  json_mesh_of(out, g->nframe == 0   ? -1
                    : look.rope >= 0 ? g->rope_part[look.rope]
                    : look.tube >= 0 ? g->rope_part[g->m->particles.nrope + look.tube]
                                     : g->spring_part);
}

static void json_group_node(lb_out* out, const lb_gltf* g, int i) {
  const int each = g->m->nbody / g->ngroup;
  int n = 0;
  lb_print_json(out, ",\n{'name':%s", g->group[i]);
  for (int b = 0; b < each; b++) {
    child(out, &n, lb_gltf_body_node(i * each + b));
  }
  lb_out_text(out, each ? "]}" : "}");
}

// A mesh of deformables, after those of elastic bodies.
static void json_deformable_nodes(lb_out* out, const lb_gltf* g) {
  const int mesh = bent_mesh(g, g->m->elastic.count);
  for (int i = 0; i < g->m->particles.ndeformable; i++) {
    lb_print_json(out, ",\n{'name':%s,'mesh':%d,'skin':%d}", g->m->particles.deformable[i].name,
                  mesh + i, i);
  }
  for (int i = 0; i < g->m->particles.ndeformable; i++) {
    for (int j = 0; j < g->deformable[i].njoint; j++) {
      lb_out_text(out, ",\n{\"name\":\"node\"");
      json_pose(out, lb_gltf_pose(lb_transform_identity(), g->deformable[i].start[j]));
      lb_out_text(out, "}");
    }
  }
}

static void json_nodes(lb_out* out, const lb_gltf* g) {
  const lb_model* m = g->m;
  // A quarter turn about x takes z up to y up.
  lb_print_json(out, "'nodes':[{'name':%s,'rotation':[-0.7071067811865476,0,0,0.7071067811865476]",
                m->name);
  json_children(out, g, LB_WORLD);
  for (int b = 0; b < m->nbody; b++) {
    const lb_transform start = g->nframe
                                   ? g->r->pose[(size_t)g->frame[0] * (size_t)m->nbody + (size_t)b]
                                   : lb_transform_identity();
    lb_print_json(out, ",\n{'name':%s", m->body.name[b]);
    json_pose(out, lb_gltf_pose(lb_transform_identity(), start));
    json_children(out, g, b);
  }
  for (int i = 0; i < m->look.nshape; i++) {
    lb_print_json(out, ",\n{'name':%s", lb_shape_kind_of(m->look.shape[i].shape.type)->name);
    json_pose(out, lb_gltf_pose(lb_transform_identity(), m->look.shape[i].pose));
    json_mesh_of(out, g->shape_part[i]);
  }
  for (int e = 0; e < m->elastic.count; e++) {
    lb_out_text(out, ",\n{\"name\":\"surface\"");
    json_mesh_of(out, g->bent[e].surface.position >= 0 ? bent_mesh(g, e) : -1);
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

// --- meshes and materials ---

static void json_skins(lb_out* out, const lb_gltf* g) {
  for (int i = 0; i < g->m->particles.ndeformable; i++) {
    const lb_gltf_deformable* s = &g->deformable[i];
    lb_print_json(out, ",\n%-s{'inverseBindMatrices':%d", i ? "" : "\"skins\":[", s->binding);
    for (int j = 0; j < s->njoint; j++) {
      lb_print_json(out, "%-s%d", j ? "," : ",\"joints\":[", s->first + j);
    }
    lb_out_text(out, "]}");
  }
  lb_out_text(out, g->m->particles.ndeformable ? "]" : "");
}

// A mesh of one piece; `material` is one of the model's, LB_GLTF_OF_SPRINGS or -1, and `skin` what
// carries it, or NULL.
static void json_mesh(lb_out* out, const lb_gltf* g, int* count, const lb_gltf_surface* s,
                      int material, const lb_gltf_deformable* skin) {
  const int in_file = material == LB_GLTF_OF_SPRINGS ? g->spring_material
                      : material >= 0                ? g->material_index[material]
                                                     : -1;
  lb_print_json(out, ",\n%-s{'primitives':[{'attributes':{'POSITION':%d,'NORMAL':%d",
                (*count)++ ? "" : "\"meshes\":[", s->position, s->normal);
  if (skin) {
    lb_print_json(out, ",'JOINTS_0':%d,'WEIGHTS_0':%d", skin->joints, skin->weights);
  }
  if (s->stress >= 0) {
    lb_print_json(out, ",'_STRESS':%d", s->stress);
  }
  lb_print_json(out, "},'indices':%d", s->index);
  if (in_file >= 0) {
    lb_print_json(out, ",'material':%d", in_file);
  }
}

static void json_targets(lb_out* out, const lb_gltf* g, int e) {
  const lb_gltf_bent* b = &g->bent[e];
  for (int k = 0; k < b->ntarget; k++) {
    lb_print_json(out, "%-s{'POSITION':%d,'NORMAL':%d}", k ? "," : ",\"targets\":[",
                  b->to_position[k], b->to_normal[k]);
  }
  lb_out_text(out, b->ntarget ? "]}],\"weights\":[" : "}]");
  for (int k = 0; k < b->ntarget; k++) {
    lb_print_json(out, "%-s%g", k ? "," : "", lb_gltf_weight(g, g->frame[0], e, k));
  }
  lb_out_text(out, b->ntarget ? "]}" : "}");
}

static void json_meshes(lb_out* out, const lb_gltf* g) {
  int n = 0;
  for (int i = 0; i < g->npart; i++) {
    json_mesh(out, g, &n, &g->form[g->part[i].form].surface, g->part[i].material, NULL);
    lb_out_text(out, "}]}");
  }
  for (int e = 0; e < g->m->elastic.count; e++) {
    if (g->bent[e].surface.position >= 0) {
      json_mesh(out, g, &n, &g->bent[e].surface, g->m->elastic.body[e].material, NULL);
      json_targets(out, g, e);
    }
  }
  for (int i = 0; i < g->m->particles.ndeformable; i++) {
    const lb_gltf_deformable* f = &g->deformable[i];
    json_mesh(out, g, &n, &f->surface, g->m->particles.deformable[i].material, f);
    lb_out_text(out, "}]}");
  }
  lb_out_text(out, n ? "]" : "");
}

static double unit(double x) {
  return fmax(0, fmin(1, isnan(x) ? 0 : x));
}

// Materials in the order in which the shapes first used them.
static void json_materials(lb_out* out, const lb_gltf* g) {
  static const lb_scene_material SPRING = {
      .name = "spring", .color = {0.06, 0.06, 0.07, 1}, .roughness = 0.8};
  for (int i = 0; i < g->nmaterial; i++) {
    const lb_scene_material* m = &SPRING;
    for (int k = 0; k < g->m->look.nmaterial; k++) {
      m = g->material_index[k] == i ? &g->m->look.material[k] : m;
    }
    lb_print_json(out,
                  ",\n%-s{'name':%s,'pbrMetallicRoughness':{'baseColorFactor':[%g,%g,%g,%g],"
                  "'metallicFactor':%g,'roughnessFactor':%g}%-s}",
                  i ? "" : "\"materials\":[", m->name, unit(m->color[0]), unit(m->color[1]),
                  unit(m->color[2]), unit(m->color[3]), unit(m->metallic), unit(m->roughness),
                  unit(m->color[3]) < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
  }
  lb_out_text(out, g->nmaterial ? "]" : "");
}

// --- numbers ---

static void json_accessors(lb_out* out, const lb_gltf* g, const int* view_index) {
  for (int i = 0; i < g->naccessor; i++) {
    const lb_gltf_accessor* a = &g->accessor[i];
    lb_print_json(out,
                  ",\n%-s{'bufferView':%d,'byteOffset':%ld,'componentType':%d,'count':%d,'type':%s",
                  i ? "" : "\"accessors\":[", view_index[a->view], (long)a->offset, a->component,
                  a->count, a->type);
    if (a->nbound) {
      const double min[3] = {a->min[0], a->min[1], a->min[2]};
      const double max[3] = {a->max[0], a->max[1], a->max[2]};
      list(out, ",\"min\":", min, a->nbound);
      list(out, ",\"max\":", max, a->nbound);
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
    lb_print_json(out, "%-s\n{'sampler':%d,'target':{'node':%d,'path':%s}}", i ? "," : "", i,
                  c->node, c->path);
  }
  for (int i = 0; i < g->nchannel; i++) {
    lb_print_json(out, "%-s\n{'input':%d,'output':%d}", i ? "," : "],\"samplers\":[", g->time,
                  g->channel[i].output);
  }
  lb_out_text(out, "]}]");
}

// Views that hold something, one after the other in the only buffer. Returns its size.
static size_t json_views(lb_out* out, const lb_gltf* g) {
  size_t offset = 0;
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    if (g->bytes[v].size) {
      lb_print_json(out, ",\n%-s{'buffer':0,'byteOffset':%ld,'byteLength':%ld%-s}",
                    offset ? "" : "\"bufferViews\":[", (long)offset, (long)g->bytes[v].size,
                    VIEW_TEXT[v]);
      offset += g->bytes[v].size;
    }
  }
  if (offset) {
    lb_print_json(out, "],\n'buffers':[{'byteLength':%ld}]", (long)offset);
  }
  return offset;
}

static size_t json(lb_out* out, const lb_gltf* g) {
  int view_index[LB_GLTF_VIEWS];
  for (int v = 0, n = 0; v < LB_GLTF_VIEWS; v++) {
    view_index[v] = g->bytes[v].size ? n++ : -1;
  }
  lb_print_json(out,
                "{'asset':{'version':'2.0','generator':'Limber %-s'},\n'scene':0,"
                "'scenes':[{'nodes':[0",
                lb_version());
  for (int i = 0; i < g->m->particles.ndeformable;
       i++) { // skins move with their joints, and with no parent
    lb_print_json(out, ",%d", lb_gltf_deformable_node(g, i));
  }
  lb_print_json(out, "],'name':%s}],\n", g->m->name);
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

// Everything but the view, whose size is known; each part knows when there is no memory left.
static void collect(lb_gltf* g, int most) {
  lb_gltf_collect_shapes(g);
  lb_gltf_collect_motion(g, most);
  lb_gltf_collect_bent(g);
  lb_gltf_collect_springs(g);
  lb_gltf_collect_deformables(g);
}

void lb_write_gltf(lb_out* out, const lb_recording* recording, int most) {
  lb_write_gltf_groups(out, recording, most, 0, NULL);
}

void lb_write_gltf_groups(lb_out* out, const lb_recording* recording, int most, int ngroup,
                          const char* const* group) {
  lb_gltf g = {
      .r = recording, .m = recording->model, .ngroup = ngroup, .group = group, .watch = out->watch};
  const lb_allocator* allocator = recording->allocator;
  lb_arena_init(&g.arena, allocator);
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    g.bytes[v] = lb_out_make(allocator, -1);
  }
  lb_out text = lb_out_make(allocator, -1);
  lb_view view;
  bool failed = !lb_view_make(&view, recording);
  if (!failed) {
    g.size = view.radius;
    collect(&g, most);
    failed = lb_gltf_failed(&g);
  }
  const size_t binary = failed ? 0 : json(&text, &g);
  failed = failed || text.status != LB_OK;
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    failed = failed || g.bytes[v].status != LB_OK;
  }
  if (!failed) {
    glb(out, &g, &text, binary);
  } else if (out->status == LB_OK) {
    out->status = g.stopped ? LB_INTERRUPTED : LB_NO_MEMORY;
  }
  for (int v = 0; v < LB_GLTF_VIEWS; v++) {
    lb_out_release(&g.bytes[v]);
  }
  lb_out_release(&text);
  lb_arena_release(&g.arena);
}
