// From the description of an elastic body to a reduced one: mesh, elements, basis, integrals.
// Bodies described alike and held alike share one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "elastic/full/full_body.h"
#include "elastic/reduced/cubature.h"
#include "elastic/reduced/projected_mass.h"
#include "elastic/reduced/stored_cache.h"
#include "elastic/reduced/stress.h"
#include "elastic/reduced/varied_force.h"
#include "model/build/body_masses.h"
#include "model/build/elastic_maker.h"
#include "scene/part/elastic_form.h"

// --- the steps ---

// A rigid face keeps a layer as long as the body is thin from contracting. Layers of elements as
// long as that keep it from doing so to a longer one, which would be too stiff. Where layers are
// counted, the outermost two are so short, unless the others would get much longer by it.
static void set_end_layers(const lb_maker* k, lb_tetmesh_def* def) {
  enum { MANY = 10 };
  bool rigid = false;
  for (int i = 0; i < k->nface; i++) {
    rigid = rigid || k->rigid[i];
  }
  if (rigid && (def->along == 0 || def->along >= MANY)) {
    const bool box = def->kind == LB_TETMESH_BOX;
    def->ends = box ? fmin(def->width, def->height) : 2 * (def->radius - def->inner);
    def->growing = def->along == 0 ? 0 : 1;
  }
}

static lb_status make_mesh(lb_maker* k) {
  lb_status status = LB_OK;
  if (k->from->form == LB_ELASTIC_MESH) {
    k->mesh = *k->from->mesh;
  } else {
    lb_tetmesh_def def = lb_elastic_definition(k->from, k->b->scene->solver.elastic);
    set_end_layers(k, &def);
    status = lb_tetmesh_make(&def, k->from->place, &k->scratch, &k->mesh, k->b->err);
  }
  for (int i = 0; i < k->nface && status == LB_OK; i++) {
    const lb_tetmesh_surface* surface = lb_tetmesh_find_surface(&k->mesh, k->name[i]);
    status = lb_basis_face_of(&k->mesh, surface, &k->scratch, &k->face[i]);
    k->face[i].rigid = k->rigid[i];
  }
  return status;
}

// The held face is clamped, others stay plane; how many there are.
static int tie_faces(const lb_maker* k, lb_tie tie[LB_ELASTIC_MOST_FACES]) {
  int count = 0;
  for (int i = 0; i < k->nface; i++) {
    if (k->rigid[i]) {
      tie[count++] =
          (lb_tie){.clamped = i == 0, .count = k->face[i].count, .node = k->face[i].node};
    }
  }
  return count;
}

// Stiffness of a body over that of the one its basis and points are made with, whose modulus is the
// power of four next to the real one. Shapes do not depend on it, but which of several equally good
// points are chosen hangs on the last bits. Powers of four scale forces and frequencies exactly, so
// bodies that differ in nothing but the modulus get the same shapes and points to the last bit:
// what a change of modulus changes is what the modulus does, and nothing else. Of several materials
// the first decides.
static double over_reference(double young) {
  return young / ldexp(1, 2 * (int)lround(log2(young) / 2));
}

static bool is_full(const lb_scene* s) {
  return s->solver.elastic == LB_SPACE_FULL;
}

lb_material lb_build_material(const lb_scene_material* m, double young) {
  return (lb_material){m->model ? lb_material_named(m->model) : LB_MATERIAL_NEO_HOOKEAN,
                       young,
                       m->poisson,
                       m->density,
                       m->damping_mass,
                       m->damping_stiffness};
}

static lb_status find_materials(lb_maker* k) {
  const lb_build* b = k->b;
  k->material = LB_TAKE(&k->scratch, lb_material, k->mesh.nregion);
  if (!k->material) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < k->mesh.nregion; i++) {
    const lb_scene_material* m = &b->scene->material[lb_elastic_material(k->from, i)];
    const double young = is_full(b->scene) ? m->young : lb_elastic_young(b->scene, k->from, i);
    k->material[i] = lb_build_material(m, young / k->stiffness);
  }
  return LB_OK;
}

static lb_status make_fem(lb_maker* k) {
  lb_build* b = k->b;
  lb_tie tie[LB_ELASTIC_MOST_FACES];
  return lb_fem_create_tied(b->arena->allocator, &k->mesh, k->material, tie_faces(k, tie), tie, 1,
                            b->scene->body[k->body].name, k->from->place, &k->fem, b->err);
}

static lb_basis_options basis_options(const lb_maker* k) {
  return (lb_basis_options){.modes = k->from->modes, .derivatives = k->from->derivatives};
}

static lb_status make_basis(lb_maker* k) {
  const lb_basis_options options = basis_options(k);
  if (k->b->scene->making.outline) {
    return LB_OK; // no shapes
  }
  const lb_status status = lb_basis_create(k->fem, &k->face[0], k->nface - 1, &k->face[1], &options,
                                           &k->scratch, &k->basis, NULL);
  if (status == LB_OK || status == LB_NO_MEMORY) {
    return status;
  }
  return lb_error_add(
      k->b->err, status, k->from->place,
      "body '%s': the shapes it can take could not be found, for its stiffness "
      "matrix is not definite (are some of its elements very flat, or its materials "
      "very different?)",
      k->b->scene->body[k->body].name);
}

// Points that stand for all of the body's, trained on poses that loads on its faces bring about. A
// body that carries nothing has no such poses, and keeps all its points.
static lb_status choose_points(lb_maker* k, const lb_reduced* reduced, lb_points* points) {
  lb_arena* arena = k->b->arena;
  if (reduced->nface == 0) {
    return lb_points_create(k->fem, &k->basis, arena, points);
  }
  const lb_cubature_options options = lb_cubature_default();
  lb_points all;
  lb_cubature_report report;
  double* eta = NULL;
  int npose = 0;
  lb_status status = lb_points_create(k->fem, &k->basis, &k->scratch, &all);
  if (status == LB_OK) {
    status = lb_cubature_poses(&all, reduced, k->fem->size, &options, &k->scratch, &eta, &npose);
  }
  return status == LB_OK ? lb_cubature_train(&all, k->mesh.nregion, k->basis.omega, eta, npose,
                                             &options, arena, points, &report)
                         : status;
}

// The body with all its nodes; the model keeps its mesh.
static lb_status keep_nodes(lb_maker* k) {
  lb_build* b = k->b;
  lb_full* full = LB_TAKE(b->arena, lb_full, 1);
  if (!full) {
    return LB_NO_MEMORY;
  }
  const lb_status status =
      lb_full_create(full, k->fem, &k->face[0], k->nface - 1, &k->face[1], &k->basis, b->arena);
  if (status == LB_OK) {
    b->full[k->body] = full;
    b->m->elastic.fem[b->m->elastic.nfem++] = k->fem;
    k->fem = NULL;
  }
  return status;
}

// From the moduli that it was made with to those of its materials.
static lb_status change_moduli(lb_maker* k, lb_reduced* reduced) {
  const int n = k->from->nregion ? k->from->nregion : 1;
  if (!k->from->basis_young || is_full(k->b->scene)) {
    return LB_OK;
  }
  double* factor = LB_TAKE(&k->scratch, double, n);
  for (int i = 0; factor && i < n; i++) {
    factor[i] =
        k->b->scene->material[lb_elastic_material(k->from, i)].young / k->from->basis_young[i];
  }
  return factor ? lb_reduced_scale_regions(reduced, n, factor, k->b->arena, reduced) : LB_NO_MEMORY;
}

// Bodies that points were chosen for are worth keeping.
static bool is_kept(const lb_maker* k) {
  const lb_making* making = &k->b->scene->making;
  return making->cache && !making->outline && !is_full(k->b->scene) && k->nface > 1;
}

static lb_stored_input kept_input(const lb_maker* k) {
  return (lb_stored_input){.mesh = &k->mesh,
                           .material = k->material,
                           .basis = &k->basis,
                           .nface = k->nface,
                           .face_name = k->name,
                           .face = k->face,
                           .nbody = 1,
                           .body = &k->b->scene->body[k->body].name,
                           .form = lb_elastic_form_name(k->from->form)};
}

static void keep(const lb_maker* k, const lb_reduced* reduced, const lb_points* points) {
  const lb_basis_options options = basis_options(k);
  lb_stored_input in = kept_input(k);
  in.reduced = reduced;
  in.points = points;
  if (is_kept(k)) {
    lb_cache_keep(k->b->scene->making.cache, &in, &options, k->b->arena->allocator);
  }
}

static lb_status reduce(lb_maker* k) {
  lb_build* b = k->b;
  lb_points* points = LB_TAKE(b->arena, lb_points, 1);
  lb_reduced* reduced = LB_TAKE(b->arena, lb_reduced, 1);
  if (!points || !reduced) {
    return LB_NO_MEMORY;
  }
  const lb_projected whole = {k->fem, &k->basis};
  lb_status status = lb_projected_weigh(&whole, k->nface - 1, &k->face[1], b->arena, reduced);
  const bool full = is_full(b->scene); // then this is only looked at
  if (status == LB_OK && !full && k->basis.r > 0) {
    status = choose_points(k, reduced, points);
  }
  if (status == LB_OK) {
    reduced->internal = lb_points_force(points);
    keep(k, reduced, points);
    lb_points_scale(points, k->stiffness);
    b->reduced[k->body] = reduced;
    status = change_moduli(k, reduced);
  }
  return status == LB_OK && full ? keep_nodes(k) : status;
}

// The body as it was made before.
static lb_status build_kept(lb_maker* k) {
  lb_build* b = k->b;
  lb_reduced* reduced = NULL;
  lb_status status = lb_stored_build(&k->found, b->arena, &reduced);
  if (status == LB_OK) {
    k->basis = (lb_basis){k->found.r, k->found.Phi, k->found.omega};
    b->reduced[k->body] = reduced;
    status = lb_reduced_scale_regions(reduced, 1, &k->stiffness, b->arena, reduced);
  }
  return status == LB_OK ? change_moduli(k, reduced) : status;
}

static bool find_kept(lb_maker* k) {
  const lb_basis_options options = basis_options(k);
  const lb_stored_input in = kept_input(k);
  return is_kept(k) &&
         lb_cache_find(k->b->scene->making.cache, &in, &options, &k->scratch, &k->found);
}

// The body of a file: its mesh and basis are there, and all that was made of them.
static lb_status take_stored(lb_maker* k) {
  const lb_stored* s = k->stored;
  k->basis = (lb_basis){s->r, (double*)s->Phi, (double*)s->omega};
  for (int i = 0; i < k->nface; i++) {
    k->face[i] = lb_stored_face(s, i);
  }
  return lb_stored_mesh(s, &k->scratch, &k->mesh);
}

static lb_status build_stored(lb_maker* k) {
  lb_build* b = k->b;
  lb_reduced* reduced = NULL;
  lb_status status = lb_stored_build(k->stored, b->arena, &reduced);
  if (status == LB_OK) {
    reduced->alpha = reduced->beta = 0; // the scene's; regions have shares of the largest
    for (int i = 0; i < k->stored->nregion; i++) {
      const lb_scene_material* m = &b->scene->material[lb_elastic_material(k->from, i)];
      reduced->alpha = fmax(reduced->alpha, m->damping_mass);
      reduced->beta = fmax(reduced->beta, m->damping_stiffness);
    }
    b->reduced[k->body] = reduced;
    status = change_moduli(k, reduced);
  }
  return status;
}

static bool find_carried(lb_maker* k, lb_model_elastic* e) {
  const lb_build* b = k->b;
  e->carried = LB_TAKE(b->arena, int, k->nface);
  for (int f = 0; e->carried && f < k->nface - 1; f++) {
    e->carried[f] = -1;
    for (int j = b->scene->njoint - 1; j >= 0; j--) {
      if (b->joint[j].parent == k->body && b->joint[j].hold.face[0] == f) {
        e->carried[f] = b->joint[j].child;
      }
    }
  }
  return e->carried != NULL;
}

static bool copy_range(lb_maker* k, lb_model_elastic* e) {
  e->limit = LB_COPY(k->b->arena, k->stored->range.eta_limit, k->stored->r);
  e->load_limit = LB_COPY(k->b->arena, k->stored->range.load_limit, 6 * k->stored->nface);
  e->load_every = *k->stored->range.load_every;
  return e->limit && e->load_limit;
}

static const double TURN = 6.28318530717958647692;

// Frequencies of shapes that were made with other moduli: sqrt(Phi'K Phi), for unit mass.
static lb_status find_frequencies(lb_maker* k, double* frequency) {
  const lb_reduced* b = k->b->reduced[k->body];
  const size_t r = (size_t)b->r;
  double* eta = LB_TAKE(&k->scratch, double, r);
  double* K = LB_TAKE(&k->scratch, double, r* r);
  double* room = LB_TAKE(&k->scratch, double, lb_reduced_scratch(b));
  if (lb_arena_status(&k->scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_reduced_tangent(&b->internal, K, eta, room);
  for (size_t i = 0; i < r; i++) {
    frequency[i] = sqrt(K[i * r + i]) / TURN;
  }
  return LB_OK;
}

// Stress is that of the scene's moduli, whatever the shapes were made with.
static lb_status find_stress(lb_maker* k, lb_model_elastic* e) {
  lb_build* b = k->b;
  lb_material* material = LB_TAKE(&k->scratch, lb_material, k->mesh.nregion);
  e->stress = LB_TAKE(b->arena, lb_stress, 1);
  for (int i = 0; i < k->mesh.nregion && material; i++) {
    const lb_scene_material* m = &b->scene->material[lb_elastic_material(k->from, i)];
    material[i] = lb_build_material(m, m->young);
  }
  return material && e->stress
             ? lb_stress_create(e->stress, &k->mesh, material, k->basis.r, k->basis.Phi, b->arena)
             : LB_NO_MEMORY;
}

static lb_status describe(lb_maker* k) {
  lb_build* b = k->b;
  lb_model_elastic* e = &b->elastic[k->body];
  *e = (lb_model_elastic){.body = k->body,
                          .r = k->basis.r,
                          .material = k->from->material,
                          .nregion = k->from->nregion,
                          .region_material =
                              LB_COPY(b->arena, k->from->region_material, k->from->nregion),
                          .nnode = k->mesh.nnode,
                          .nelem = k->mesh.nelem,
                          .frequency = LB_TAKE(b->arena, double, k->basis.r),
                          .held = lb_build_text(b, k->name[0]),
                          .nface = k->nface - 1,
                          .face = LB_TAKE(b->arena, const char*, k->nface)};
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < k->basis.r; i++) {
    e->frequency[i] = sqrt(k->stiffness) * k->basis.omega[i] / TURN;
  }
  if (k->from->basis_young && !is_full(b->scene) && find_frequencies(k, e->frequency) != LB_OK) {
    return LB_NO_MEMORY;
  }
  if (!find_carried(k, e) || (k->stored && !copy_range(k, e))) {
    return LB_NO_MEMORY;
  }
  for (int i = 1; i < k->nface; i++) {
    e->face[i - 1] = lb_build_text(b, k->name[i]);
  }
  const lb_status status = lb_build_surface(b, k->from, &k->mesh, k->basis.Phi, e);
  return status == LB_OK ? find_stress(k, e) : status;
}

// --- bodies alike ---

static bool same_vector(lb_vec3 a, lb_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_regions(const lb_scene_elastic* a, const lb_scene_elastic* b) {
  bool same =
      a->nregion == b->nregion && !a->until == !b->until && !a->basis_young == !b->basis_young;
  for (int i = 0; same && a->basis_young && i < (a->nregion ? a->nregion : 1); i++) {
    same = a->basis_young[i] == b->basis_young[i];
  }
  for (int i = 0; same && i < a->nregion; i++) {
    same = a->region_material[i] == b->region_material[i] &&
           (!a->until || i == a->nregion - 1 || a->until[i] == b->until[i]);
  }
  return same;
}

static bool same_form(const lb_scene_elastic* a, const lb_scene_elastic* b) {
  return a->form == b->form && same_vector(a->from, b->from) && same_vector(a->to, b->to) &&
         same_vector(a->up, b->up) && a->width == b->width && a->height == b->height &&
         a->radius == b->radius && a->inner == b->inner && a->mesh == b->mesh &&
         a->order == b->order && a->accuracy == b->accuracy && a->along == b->along &&
         a->across == b->across && a->around == b->around &&
         memcmp(a->fine, b->fine, sizeof a->fine) == 0 && a->material == b->material &&
         same_regions(a, b) && a->modes == b->modes && a->derivatives == b->derivatives &&
         a->stored == b->stored;
}

int lb_elastic_twin(const lb_scene* scene, int body) {
  lb_build b = {.scene = scene, .joint = scene->joint, .force = scene->force, .load = scene->load};
  lb_maker k = {.b = &b, .body = body};
  lb_maker_list_faces(&k);
  for (int i = 0; i < body; i++) {
    const lb_scene_elastic* other = scene->body[i].elastic;
    if (!other || !same_form(other, scene->body[body].elastic)) {
      continue;
    }
    lb_maker o = {.b = &b, .body = i};
    lb_maker_list_faces(&o);
    bool same = o.nface == k.nface;
    for (int f = 0; same && f < k.nface; f++) {
      same = strcmp(o.name[f], k.name[f]) == 0 && o.rigid[f] == k.rigid[f];
    }
    if (same) {
      return i;
    }
  }
  return -1;
}

static lb_status show_progress(const lb_maker* k, double part) {
  const lb_scene* s = k->b->scene;
  char text[160];
  snprintf(text, sizeof text, "making elastic body '%.100s'", s->body[k->body].name);
  return lb_progress_report(&s->making.progress, (k->body + part) / s->nbody, text)
             ? LB_OK
             : lb_error_add(k->b->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
}

static lb_status make_alone(lb_maker* k) {
  const int twin = lb_elastic_twin(k->b->scene, k->body);
  if (twin >= 0) {
    k->b->reduced[k->body] = k->b->reduced[twin];
    k->b->full[k->body] = k->b->full[twin];
    k->b->elastic[k->body] = k->b->elastic[twin];
    k->b->elastic[k->body].body = k->body;
    return find_carried(k, &k->b->elastic[k->body]) ? LB_OK : LB_NO_MEMORY;
  }
  static lb_status (*const made[])(lb_maker*) = {make_fem, make_basis, reduce, describe, NULL};
  static lb_status (*const stored[])(lb_maker*) = {build_stored, describe, NULL};
  static lb_status (*const kept[])(lb_maker*) = {build_kept, describe, NULL};
  lb_status status = k->stored ? LB_OK : find_materials(k);
  lb_status (*const* step)(lb_maker*) = k->stored                         ? stored
                                        : status == LB_OK && find_kept(k) ? kept
                                                                          : made;
  for (int i = 0; step[i] && status == LB_OK; i++) {
    status = show_progress(k, i / 4.);
    status = status == LB_OK ? step[i](k) : status;
  }
  lb_fem_release(k->fem);
  return status;
}

static lb_status get_mesh(lb_maker* k) {
  return k->stored ? take_stored(k) : make_mesh(k);
}

static lb_status make(lb_maker* k) {
  static lb_status (*const step[])(lb_maker*) = {get_mesh, lb_maker_check_areas,
                                                 lb_maker_place_grips, make_alone};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](k);
  }
  return status;
}

lb_status lb_build_elastic(lb_build* b) {
  const lb_scene* s = b->scene;
  b->joint = LB_COPY(b->arena, s->joint, s->njoint);
  b->load = LB_COPY(b->arena, s->load, s->nload);
  b->reduced = LB_TAKE(b->arena, const lb_reduced*, s->nbody);
  b->elastic = LB_TAKE(b->arena, lb_model_elastic, s->nbody);
  b->full = LB_TAKE(b->arena, lb_full*, s->nbody);
  b->m->elastic.fem = LB_TAKE(b->arena, lb_fem*, s->nbody);
  lb_build_keep_forces(b);
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < s->nbody; i++) {
    b->reduced[i] = s->body[i].reduced;
    b->elastic[i] =
        (lb_model_elastic){.body = i, .r = b->reduced[i] ? b->reduced[i]->r : 0, .material = -1};
    if (!s->body[i].elastic) {
      continue;
    }
    lb_maker k = {.b = b,
                  .body = i,
                  .from = s->body[i].elastic,
                  .stored = is_full(s) ? NULL : s->body[i].elastic->stored,
                  .stiffness = 1};
    if (!is_full(s) && !k.stored) {
      k.stiffness = over_reference(lb_elastic_young(s, k.from, 0));
    }
    lb_arena_init(&k.scratch, b->arena->allocator);
    lb_maker_list_faces(&k);
    lb_maker_number_faces(&k);
    const lb_status status = make(&k);
    lb_arena_release(&k.scratch);
    if (status != LB_OK) {
      return status;
    }
  }
  return LB_OK;
}

// --- one body alone ---

lb_status lb_elastic_open(const lb_scene* scene, int body, const lb_allocator* allocator,
                          lb_elastic_body* out, lb_error* err) {
  lb_arena arena; // the fem takes its allocator from here
  lb_arena_init(&arena, allocator);
  lb_build b = {.scene = scene,
                .arena = &arena,
                .err = err,
                .joint = scene->joint,
                .force = scene->force,
                .load = scene->load};
  lb_maker k = {.b = &b, .body = body, .from = scene->body[body].elastic, .stiffness = 1};
  lb_arena_init(&k.scratch, allocator);
  lb_maker_list_faces(&k);
  lb_status status = make_mesh(&k);
  status = status == LB_OK ? find_materials(&k) : status;
  status = status == LB_OK ? make_fem(&k) : status;
  if (status != LB_OK) {
    lb_arena_release(&k.scratch);
    return status == LB_NO_MEMORY ? lb_error_add(err, status, (lb_place){0},
                                                 "out of memory for a body of '%s'", scene->name)
                                  : status;
  }
  *out = (lb_elastic_body){
      .arena = k.scratch, .mesh = k.mesh, .material = k.material, .fem = k.fem, .nface = k.nface};
  memcpy(out->face, k.face, sizeof k.face);
  memcpy(out->name, k.name, sizeof k.name);
  return LB_OK;
}

void lb_elastic_close(lb_elastic_body* body) {
  lb_fem_release(body->fem);
  lb_arena_release(&body->arena);
}
