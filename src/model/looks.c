// Shapes and materials, for those who draw the model. Meshes are copied: the scene may go away.
#include "model/build.h"

#include <string.h>

static const lb_mesh* copy_mesh(lb_arena* arena, const lb_mesh* mesh) {
  lb_mesh* copy = LB_TAKE(arena, lb_mesh, 1);
  lb_vec3* vertex = LB_TAKE(arena, lb_vec3, mesh->nvertex);
  int* face = LB_TAKE(arena, int, 3 * mesh->nface);
  if (!copy || !vertex || !face) {
    return NULL;
  }
  memcpy(vertex, mesh->vertex, (size_t)mesh->nvertex * sizeof *vertex);
  memcpy(face, mesh->face, 3 * (size_t)mesh->nface * sizeof *face);
  *copy = (lb_mesh){mesh->nvertex, mesh->nface, vertex, face};
  return copy;
}

// A mesh that several shapes share is copied once.
static const lb_mesh* model_mesh(lb_build* b, int i) {
  const lb_mesh* mesh = b->scene->shape[i].shape.mesh;
  for (int j = 0; j < i; j++) {
    if (b->scene->shape[j].shape.mesh == mesh) {
      return b->m->shape[j].shape.mesh;
    }
  }
  return copy_mesh(b->arena, mesh);
}

lb_status lb_build_looks(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  m->nshape = s->nshape;
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    m->shape[i] = (lb_model_shape){shape->body, shape->shape, shape->pose, shape->material};
    if (shape->shape.mesh) {
      m->shape[i].shape.mesh = model_mesh(b, i);
      if (!m->shape[i].shape.mesh) {
        return lb_build_no_memory(b);
      }
    }
  }
  m->nmaterial = s->nmaterial;
  for (int i = 0; i < s->nmaterial; i++) {
    m->material[i] = s->material[i];
    m->material[i].place = (lb_place){0};
    m->material[i].name = lb_build_text(b, s->material[i].name);
    if (!m->material[i].name) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}
