// Numbers, forms, meshes and materials of a glTF file. Shapes of equal form share their accessors,
// and those of equal form and material share a mesh.
#include <float.h>
#include <math.h>

#include "geom/shape/shape.h"
#include "output/gltf/gltf.h"

// --- numbers ---

int lb_gltf_add(lb_gltf* g, lb_gltf_accessor a) {
  lb_gltf_accessor* moved = LB_GROW(&g->arena, g->accessor, g->naccessor, &g->accessor_capacity);
  if (!moved) {
    return -1;
  }
  g->accessor = moved;
  g->accessor[g->naccessor] = a;
  return g->naccessor++;
}

lb_gltf_accessor lb_gltf_begin(const lb_gltf* g, lb_gltf_view v, int component, int count,
                               const char* type) {
  return (lb_gltf_accessor){.view = v,
                            .offset = g->bytes[v].size,
                            .component = component,
                            .count = count,
                            .type = type,
                            .min = {FLT_MAX, FLT_MAX, FLT_MAX},
                            .max = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

float lb_gltf_float(double x) {
  return (float)fmax(-FLT_MAX, fmin(FLT_MAX, isnan(x) ? 0 : x));
}

void lb_gltf_put(lb_gltf* g, lb_gltf_accessor* a, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    const float f = lb_gltf_float(x[i]);
    a->min[i] = f < a->min[i] ? f : a->min[i];
    a->max[i] = f > a->max[i] ? f : a->max[i];
    lb_out_f32(&g->bytes[a->view], f);
  }
  a->nbound = n;
}

void lb_gltf_put3(lb_gltf* g, lb_gltf_view view, lb_vec3 x) {
  lb_out_f32(&g->bytes[view], x.x);
  lb_out_f32(&g->bytes[view], x.y);
  lb_out_f32(&g->bytes[view], x.z);
}

int lb_gltf_positions(lb_gltf* g, const lb_vec3* vertex, int count) {
  lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_POSITION, LB_GLTF_FLOAT, count, "VEC3");
  for (int i = 0; i < count; i++) {
    const double x[3] = {vertex[i].x, vertex[i].y, vertex[i].z};
    lb_gltf_put(g, &a, x, 3);
  }
  return lb_gltf_add(g, a);
}

static int add_normals(lb_gltf* g, const lb_vec3* normal, int count) {
  const lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_NORMAL, LB_GLTF_FLOAT, count, "VEC3");
  for (int i = 0; i < count; i++) {
    lb_vec3 n = normal[i];
    const double length = lb_vec3_norm(n);
    n = length > 0 && isfinite(length) ? lb_vec3_scale(1 / length, n) : lb_vec3_make(0, 0, 1);
    lb_gltf_put3(g, LB_GLTF_NORMAL, n);
  }
  return lb_gltf_add(g, a);
}

static int add_indices(lb_gltf* g, const lb_mesh* s) {
  const bool narrow = s->nvertex < 65535; // the largest value is reserved
  const lb_gltf_accessor a = lb_gltf_begin(
      g, LB_GLTF_INDEX, narrow ? LB_GLTF_UINT16 : LB_GLTF_UINT32, 3 * s->nface, "SCALAR");
  for (int i = 0; i < 3 * s->nface; i++) {
    const uint32_t index = (uint32_t)s->face[i];
    const unsigned char low[2] = {(unsigned char)index, (unsigned char)(index >> 8)};
    if (narrow) {
      lb_out_bytes(&g->bytes[LB_GLTF_INDEX], low, sizeof low);
    } else {
      lb_out_u32(&g->bytes[LB_GLTF_INDEX], index);
    }
  }
  lb_out_pad(&g->bytes[LB_GLTF_INDEX], 0);
  return lb_gltf_add(g, a);
}

lb_gltf_surface lb_gltf_add_surface(lb_gltf* g, const lb_mesh* s, const lb_vec3* normal) {
  const int position = lb_gltf_positions(g, s->vertex, s->nvertex);
  return (lb_gltf_surface){position, add_normals(g, normal, s->nvertex), add_indices(g, s), -1};
}

void lb_gltf_add_channel(lb_gltf* g, int node, const char* path, int output) {
  lb_gltf_channel* moved = LB_GROW(&g->arena, g->channel, g->nchannel, &g->channel_capacity);
  if (moved) {
    g->channel = moved;
    g->channel[g->nchannel++] = (lb_gltf_channel){node, path, output};
  }
}

// --- forms, meshes, materials ---

static bool same_form(const lb_shape* a, const lb_shape* b) {
  return a->type == b->type && a->mesh == b->mesh && a->grid == b->grid && a->size.x == b->size.x &&
         a->size.y == b->size.y && a->size.z == b->size.z;
}

static int find_form(lb_gltf* g, const lb_shape* shape) {
  for (int i = 0; i < g->nform; i++) {
    if (same_form(&g->form[i].shape, shape)) {
      return i;
    }
  }
  lb_gltf_form* moved = LB_GROW(&g->arena, g->form, g->nform, &g->form_capacity);
  if (!moved) {
    return -1;
  }
  g->form = moved;
  lb_gltf_form* f = &g->form[g->nform];
  *f = (lb_gltf_form){.shape = *shape, .surface = {.position = -1}};
  lb_mesh s;
  lb_vec3* normal;
  if (lb_shape_tessellate(shape, LB_TESSELLATE_AROUND, &g->arena, &s, &normal) == LB_OK &&
      s.nface > 0) {
    f->surface = lb_gltf_add_surface(g, &s, normal);
  }
  return g->nform++;
}

static int find_part(lb_gltf* g, lb_gltf_part p) {
  for (int i = 0; i < g->npart; i++) {
    if (g->part[i].form == p.form && g->part[i].material == p.material) {
      return i;
    }
  }
  lb_gltf_part* moved = LB_GROW(&g->arena, g->part, g->npart, &g->part_capacity);
  if (!moved) {
    return -1;
  }
  g->part = moved;
  g->part[g->npart] = p;
  return g->npart++;
}

static void use_material(lb_gltf* g, int material) {
  if (material >= 0 && g->material_index[material] < 0) {
    g->material_index[material] = g->nmaterial++;
  }
}

// Chains of each body's shapes, in their order.
static void chain_shapes(lb_gltf* g) {
  const lb_model* m = g->m;
  g->first_shape = LB_TAKE(&g->arena, int, 1 + m->nbody);
  g->next_shape = LB_TAKE(&g->arena, int, m->look.nshape);
  for (int b = 0; b <= m->nbody && !lb_gltf_failed(g); b++) {
    g->first_shape[b] = -1;
  }
  for (int i = m->look.nshape - 1; i >= 0 && !lb_gltf_failed(g); i--) {
    int* first = &g->first_shape[m->look.shape[i].body == LB_WORLD ? 0 : 1 + m->look.shape[i].body];
    g->next_shape[i] = *first;
    *first = i;
  }
}

void lb_gltf_collect_shapes(lb_gltf* g) {
  const lb_model* m = g->m;
  g->shape_part = LB_TAKE(&g->arena, int, m->look.nshape);
  g->material_index = LB_TAKE(&g->arena, int, m->look.nmaterial);
  for (int i = 0; i < m->look.nmaterial && !lb_gltf_failed(g); i++) {
    g->material_index[i] = -1;
  }
  for (int i = 0; i < m->look.nshape && !lb_gltf_failed(g); i++) {
    const int f = find_form(g, &m->look.shape[i].shape);
    const int material = m->look.shape[i].material;
    g->shape_part[i] = -1;
    if (f >= 0 && g->form[f].surface.position >= 0) {
      g->shape_part[i] = find_part(g, (lb_gltf_part){f, material});
      use_material(g, material);
    }
  }
  g->spring_part = g->spring_material = -1;
  const int nrope = m->particles.nrope;
  g->rope_part = LB_TAKE(&g->arena, int, nrope + m->look.ntube);
  const lb_shape unit = {.type = LB_SHAPE_CYLINDER, .size = {1, 1, 0}};
  bool dark = m->force.nline > 0;
  for (int i = 0; i < nrope + m->look.ntube && !lb_gltf_failed(g); i++) {
    const int material =
        i < nrope ? m->particles.rope[i].material : m->look.tube[i - nrope].material;
    g->rope_part[i] = find_part(
        g, (lb_gltf_part){find_form(g, &unit), material >= 0 ? material : LB_GLTF_OF_SPRINGS});
    use_material(g, material);
    dark = dark || material < 0;
  }
  if (dark && !lb_gltf_failed(g)) {
    g->spring_part = find_part(g, (lb_gltf_part){find_form(g, &unit), LB_GLTF_OF_SPRINGS});
    g->spring_material = g->nmaterial++;
  }
  for (int e = 0; e < m->elastic.count && !lb_gltf_failed(g); e++) {
    use_material(g, m->elastic.body[e].material);
  }
  for (int i = 0; i < m->particles.ndeformable && !lb_gltf_failed(g); i++) {
    use_material(g, m->particles.deformable[i].material);
  }
  chain_shapes(g);
}
