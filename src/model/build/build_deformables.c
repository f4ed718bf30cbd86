// A deformable: its mesh, elements and surface, before anything is placed.
#include <math.h>

#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"
#include "geom/tet/tetmesh.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "scene/part/elastic_form.h"

static lb_status make_mesh(lb_build* b, const lb_scene_deformable* s, lb_tetmesh* mesh) {
  if (s->form->form == LB_ELASTIC_MESH) {
    *mesh = *s->form->mesh;
    return LB_OK;
  }
  lb_scene_elastic form = *s->form;
  form.order = 1;
  const lb_tetmesh_def def = lb_elastic_definition(&form, LB_SPACE_REDUCED);
  return lb_tetmesh_make(&def, s->place, &b->deformable_arena, mesh, b->err);
}

static lb_status make_fem(lb_build* b, const lb_scene_deformable* s, const lb_tetmesh* mesh,
                          lb_model_deformable* deformable) {
  lb_material* material = LB_TAKE(&b->deformable_arena, lb_material, mesh->nregion);
  deformable->viscous = LB_TAKE(b->arena, lb_viscous, 1);
  deformable->region_material = LB_TAKE(b->arena, int, mesh->nregion);
  if (!material || !deformable->viscous || !deformable->region_material) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < mesh->nregion; i++) {
    deformable->region_material[i] = lb_elastic_material(s->form, i);
    const lb_scene_material* m = &b->scene->material[deformable->region_material[i]];
    material[i] = lb_build_material(m, m->young);
  }
  const lb_status status = lb_fem_create(b->arena->allocator, mesh, material, 1, s->name, s->place,
                                         &deformable->fem, b->err);
  if (status != LB_OK) {
    return status;
  }
  return lb_viscous_create(deformable->viscous, mesh, material, b->arena);
}

// --- what is drawn ---

// Barycentric coordinates of x in a tetrahedron.
static void find_weights(double w[4], const lb_tetmesh* mesh, int elem, lb_vec3 x) {
  const int* n = &mesh->elem[4 * elem];
  const lb_vec3 o = mesh->node[n[0]];
  const lb_vec3 a = lb_vec3_sub(mesh->node[n[1]], o), b = lb_vec3_sub(mesh->node[n[2]], o),
                c = lb_vec3_sub(mesh->node[n[3]], o), d = lb_vec3_sub(x, o);
  const double volume = lb_vec3_dot(a, lb_vec3_cross(b, c));
  w[1] = lb_vec3_dot(d, lb_vec3_cross(b, c)) / volume;
  w[2] = lb_vec3_dot(a, lb_vec3_cross(d, c)) / volume;
  w[3] = lb_vec3_dot(a, lb_vec3_cross(b, d)) / volume;
  w[0] = 1 - w[1] - w[2] - w[3];
}

// The element that x is in, or the one that it is least outside of, carries it on.
static void embed(const lb_tetmesh* mesh, lb_vec3 x, int carrier[4], double weight[4]) {
  double best = -INFINITY;
  for (int e = 0; e < mesh->nelem; e++) {
    double w[4];
    find_weights(w, mesh, e, x);
    const double inside = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
    for (int k = 0; inside > best && k < 4; k++) {
      carrier[k] = mesh->elem[4 * e + k];
      weight[k] = w[k];
    }
    best = fmax(best, inside);
  }
}

static lb_status make_surface(lb_build* b, const lb_scene_deformable* s, const lb_tetmesh* mesh,
                              lb_model_deformable* deformable) {
  if (s->surface) {
    deformable->surface = *s->surface;
    deformable->surface.vertex = LB_COPY(b->arena, s->surface->vertex, s->surface->nvertex);
    deformable->surface.face = LB_COPY(b->arena, s->surface->face, 3 * s->surface->nface);
  } else {
    lb_model_elastic drawn = {.r = 0};
    lb_scene_elastic form = *s->form;
    form.form = LB_ELASTIC_MESH; // all its nodes move, and all are shown
    if (lb_build_surface(b, &form, mesh, NULL, &drawn) != LB_OK) {
      return LB_NO_MEMORY;
    }
    deformable->surface = drawn.surface;
  }
  const int n = deformable->surface.nvertex;
  deformable->carrier =
      lb_arena_take_array(b->arena, (size_t)n, sizeof *deformable->carrier, LB_ALIGN);
  deformable->weight =
      lb_arena_take_array(b->arena, (size_t)n, sizeof *deformable->weight, LB_ALIGN);
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    embed(mesh, deformable->surface.vertex[i], deformable->carrier[i], deformable->weight[i]);
  }
  return LB_OK;
}

static lb_status make_deformable(lb_build* b, int i) {
  const lb_scene_deformable* s = &b->scene->deformable[i];
  lb_model_deformable* deformable = &b->m->particles.deformable[i];
  lb_status status = make_mesh(b, s, &b->deformable[i]);
  if (status == LB_OK && b->deformable[i].order != 1) {
    return lb_error_add(
        b->err, LB_INVALID, s->place,
        "deformable '%s' needs tetrahedra with four nodes, and its mesh has ten each "
        "(mesh it with elements of order 1)",
        s->name);
  }
  if (status == LB_OK) {
    status = make_fem(b, s, &b->deformable[i], deformable);
  }
  if (status == LB_OK) {
    status = make_surface(b, s, &b->deformable[i], deformable);
  }
  deformable->name = lb_build_text(b, s->name);
  deformable->nparticle = status == LB_OK ? b->deformable[i].nnode : 0;
  deformable->nelem = b->deformable[i].nelem;
  deformable->material = lb_elastic_material(s->form, 0);
  return status;
}

lb_status lb_build_meshes(lb_build* b) {
  const lb_scene* s = b->scene;
  b->deformable = LB_TAKE(&b->deformable_arena, lb_tetmesh, s->ndeformable);
  b->m->particles.deformable = LB_TAKE(b->arena, lb_model_deformable, s->ndeformable);
  if (!b->deformable || !b->m->particles.deformable) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < s->nrope; i++) {
    b->nparticle += s->rope[i].segments + 1;
  }
  for (int i = 0; i < s->ndeformable; i++) {
    b->m->particles.ndeformable++;
    const lb_status status = make_deformable(b, i);
    if (status != LB_OK) {
      return status;
    }
    b->nparticle += b->m->particles.deformable[i].nparticle;
  }
  return LB_OK;
}

// --- other moduli ---

lb_status lb_deformable_scale(lb_model_deformable* deformable, lb_arena* arena, int material,
                              lb_deformable_factor inside, lb_deformable_factor outside) {
  const lb_fem* from = deformable->fem;
  const int nelem = deformable->viscous->nelem;
  lb_viscous* viscous = LB_TAKE(arena, lb_viscous, 1);
  double* factor = LB_TAKE(arena, double, from->nregion);
  lb_viscous_element* elem = LB_TAKE(arena, lb_viscous_element, nelem);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < from->nregion; i++) {
    factor[i] = (deformable->region_material[i] == material ? inside : outside).stiffness;
  }
  for (int i = 0; i < nelem; i++) {
    elem[i] = deformable->viscous->elem[i];
    const lb_deformable_factor* s =
        deformable->region_material[elem[i].region] == material ? &inside : &outside;
    elem[i].mu *= s->damping;
    elem[i].la *= s->damping;
  }
  *viscous = (lb_viscous){nelem, elem};
  lb_fem* fem = lb_fem_scaled(from, from->nregion, factor, arena);
  if (fem) {
    deformable->fem = fem;
    deformable->viscous = viscous;
    deformable->shared = true;
  }
  return fem ? LB_OK : LB_NO_MEMORY;
}
