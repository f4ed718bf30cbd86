// Files of reduced bodies: arrays to bytes and back, checks, and the body they make.
#include "elastic/reduced/stored.h"

#include <math.h>
#include <string.h>

#include "elastic/reduced/stored_table.h"
#include "geom/mesh/file_load.h"
#include "math/linear/dense.h"

// --- bytes ---

lb_status lb_stored_pack(const lb_stored* stored, lb_arena* arena, char** bytes, size_t* size) {
  lb_stored s = *stored; // the table's helpers write, too
  lb_npz_array* array = LB_TAKE(arena, lb_npz_array, lb_stored_nfield);
  if (!array) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < lb_stored_nfield; i++) {
    const lb_stored_field* f = &lb_stored_fields[i];
    array[i] = (lb_npz_array){
        .name = f->name, .type = f->type, .ndim = f->ndim, .data = *lb_stored_data(&s, f)};
    for (int k = 0; k < f->ndim; k++) {
      array[i].shape[k] = *lb_stored_size(&s, f, k);
    }
  }
  return lb_npz_pack(array, lb_stored_nfield, arena, bytes, size);
}

// Lengths that are not yet known are -1 and learnt from the first array that has them.
static bool take_arrays(const lb_npz* npz, lb_stored* s, lb_error* err) {
  bool ok = true;
  for (int i = 0; i < lb_stored_nfield; i++) {
    const lb_stored_field* f = &lb_stored_fields[i];
    int shape[LB_NPZ_MOST_DIM];
    for (int k = 0; k < f->ndim; k++) {
      shape[k] = *lb_stored_size(s, f, k);
    }
    const void* data = lb_npz_get(npz, f->name, f->type, f->ndim, shape, err);
    *lb_stored_data(s, f) = data;
    ok &= data != NULL;
    for (int k = 0; data && k < f->ndim; k++) {
      *lb_stored_size(s, f, k) = shape[k];
    }
    if (strcmp(f->name, "face_name") == 0 && data) {
      s->nfirst = s->nface + 1;
      s->ncarry = s->nface - 1;
    }
  }
  return ok;
}

static lb_status check_format(const lb_npz* npz, lb_error* err) {
  const int* format = lb_npz_get(npz, "format", LB_NPZ_INT, 0, NULL, err);
  if (format && *format != LB_STORED_FORMAT) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){.file = npz->name},
        "it is of format %d; this program reads format %d (make it anew with limber "
        "reduce)",
        *format, LB_STORED_FORMAT);
  }
  return format ? LB_OK : LB_INVALID;
}

lb_status lb_stored_unpack(const char* bytes, size_t size, const char* name, lb_arena* arena,
                           lb_stored* stored, lb_error* err) {
  lb_npz npz;
  lb_status status = lb_npz_parse(bytes, size, name, arena, &npz, err);
  if (status == LB_OK) {
    status = check_format(&npz, err);
  }
  if (status != LB_OK) {
    return status;
  }
  lb_stored s = {.three = 3, .two = 2, .six = 6, .dimensions = LB_STORED_DIMENSIONS};
  s.r = s.nnode = s.nelem = s.elem_nodes = s.nregion = s.nface = s.ncarry = s.nfirst = -1;
  s.nface_node = s.npoint = s.nbody = s.nuntil = s.nfigure = s.ncheck = -1;
  if (!take_arrays(&npz, &s, err)) {
    return LB_INVALID;
  }
  status = lb_stored_check(&s, name, err);
  if (status == LB_OK) {
    *stored = s;
  }
  return status;
}

lb_status lb_stored_read(const char* path, lb_place from, lb_arena* arena, lb_stored* stored,
                         lb_error* err) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  char* bytes;
  size_t size;
  lb_status status = lb_load(path, "reduced body", from, &scratch, &bytes, &size, err);
  if (status == LB_OK) {
    status = lb_stored_unpack(bytes, size, path, arena, stored, err);
  }
  lb_arena_release(&scratch);
  return status;
}

// --- the body ---

static lb_m3 matrix(const double* rows) {
  return (lb_m3){lb_v4_make(rows[0], rows[3], rows[6]), lb_v4_make(rows[1], rows[4], rows[7]),
                 lb_v4_make(rows[2], rows[5], rows[8])};
}

static bool take_vectors(lb_arena* arena, lb_v4** out, int count, const double* from) {
  *out = LB_TAKE(arena, lb_v4, count);
  for (int i = 0; *out && i < count; i++) {
    (*out)[i] = lb_v4_load(from + 3 * (size_t)i);
  }
  return *out != NULL;
}

static bool take_matrices(lb_arena* arena, lb_m3** out, int count, const double* from) {
  *out = LB_TAKE(arena, lb_m3, count);
  for (int i = 0; *out && i < count; i++) {
    (*out)[i] = matrix(from + 9 * (size_t)i);
  }
  return *out != NULL;
}

static bool build_faces(const lb_stored* s, lb_arena* arena, lb_reduced* b) {
  b->nface = s->ncarry;
  b->face = LB_TAKE(arena, lb_face, s->ncarry);
  bool ok = b->face != NULL;
  for (int f = 0; ok && f < s->ncarry; f++) {
    b->face[f].x0 = lb_v4_load(s->face.x0 + 3 * f);
    b->face[f].A0 = matrix(s->face.A0 + 9 * f);
    ok = take_vectors(arena, &b->face[f].W, s->r, s->face.W + 3 * (size_t)(f * s->r)) &&
         take_matrices(arena, &b->face[f].A, s->r, s->face.A + 9 * (size_t)(f * s->r));
  }
  return ok;
}

static lb_material material_of(const lb_stored* s, int region) {
  return (lb_material){.law = lb_material_named(s->material.law[region]),
                       .young = s->material.young[region],
                       .poisson = s->material.poisson[region],
                       .density = s->material.density[region]};
}

static lb_status build_points(const lb_stored* s, lb_arena* arena, lb_points** points) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_points* p = LB_TAKE(arena, lb_points, 1);
  int* slot = LB_TAKE(&scratch, int, s->npoint);
  lb_material_constants* constants = LB_TAKE(&scratch, lb_material_constants, s->nregion);
  const lb_material_functions** law = LB_TAKE(&scratch, const lb_material_functions*, s->nregion);
  double* viscous = LB_TAKE(&scratch, double, s->nregion);
  lb_status status = LB_NO_MEMORY;
  if (p && slot && constants && law && viscous) {
    bool alike = true;
    for (int i = 0; i < s->nregion; i++) {
      viscous[i] = s->material.share[2 * i + 1];
      alike &= viscous[i] == 1;
      const lb_material m = material_of(s, i);
      constants[i] = lb_material_constants_of(&m);
      law[i] = lb_material_functions_of(m.law);
    }
    status = lb_points_empty(s->r, s->npoint, s->point.region, s->nregion, constants, law,
                             alike ? NULL : viscous, arena, p, slot);
  }
  for (int i = 0; status == LB_OK && i < s->npoint; i++) {
    const size_t batch = (size_t)slot[i] / LB_LANES;
    const int lane = slot[i] % LB_LANES;
    p->weight[batch][lane] = s->point.weight[i];
    p->element[slot[i]] = s->point.element[i];
    for (size_t k = 0; k < 3; k++) {
      p->x[3 * batch + k][lane] = s->point.x[3 * (size_t)i + k];
    }
    for (int k = 0; k < 9 * s->r; k++) { // by rows here, by columns there
      const int row = k % 9 % 3, column = k % 9 / 3;
      p->G[batch * (size_t)s->r * 9 + (size_t)k][lane] =
          s->point.G[(size_t)i * (size_t)s->r * 9 + (size_t)(k / 9 * 9 + 3 * row + column)];
    }
  }
  lb_arena_release(&scratch);
  *points = p;
  return status;
}

// Whether all regions have all of alpha, so that C is M.
static bool damps_alike(const lb_stored* s) {
  bool alike = true;
  for (int i = 0; i < s->nregion; i++) {
    alike &= s->material.share[2 * i] == 1;
  }
  return alike;
}

lb_status lb_stored_build(const lb_stored* s, lb_arena* arena, lb_reduced** reduced) {
  lb_reduced* b = LB_TAKE(arena, lb_reduced, 1);
  double* M = LB_TAKE(arena, double, s->r * s->r);
  double* C = LB_TAKE(arena, double, s->r * s->r);
  lb_points* points = NULL;
  if (!b || !M || !C || !build_faces(s, arena, b) ||
      !take_vectors(arena, &b->H, s->r, s->inertia.H) ||
      !take_matrices(arena, &b->B0, s->r, s->inertia.B0) ||
      !take_matrices(arena, &b->B1, s->r * s->r, s->inertia.B1)) {
    return LB_NO_MEMORY;
  }
  const lb_status status = build_points(s, arena, &points);
  if (status == LB_OK) {
    b->r = s->r;
    b->m = *s->inertia.mass;
    b->h0 = lb_v4_load(s->inertia.h0);
    b->E0 = matrix(s->inertia.E0);
    memcpy(M, s->inertia.M, (size_t)(s->r * s->r) * sizeof *M);
    memcpy(C, s->inertia.C, (size_t)(s->r * s->r) * sizeof *C);
    b->M = M;
    b->C = damps_alike(s) ? NULL : C;
    b->alpha = s->material.damping[0];
    b->beta = s->material.damping[1];
    b->internal = lb_points_force(points);
    *reduced = b;
  }
  return status;
}

// --- mesh and faces ---

lb_status lb_stored_mesh(const lb_stored* s, lb_arena* arena, lb_tetmesh* mesh) {
  lb_tetmesh made = {.order = s->elem_nodes == 10 ? 2 : 1,
                     .nnode = s->nnode,
                     .nelem = s->nelem,
                     .nregion = s->nregion};
  made.node = LB_TAKE(arena, lb_vec3, s->nnode);
  made.elem = LB_TAKE(arena, int, s->nelem * s->elem_nodes);
  made.region = LB_TAKE(arena, int, s->nelem);
  made.region_name = LB_TAKE(arena, const char*, s->nregion);
  if (!made.node || !made.elem || !made.region || !made.region_name) {
    return LB_NO_MEMORY;
  }
  memcpy(made.node, s->mesh.node, (size_t)s->nnode * sizeof *made.node);
  memcpy(made.elem, s->mesh.element, (size_t)(s->nelem * s->elem_nodes) * sizeof *made.elem);
  memcpy(made.region, s->mesh.region, (size_t)s->nelem * sizeof *made.region);
  for (int i = 0; i < s->nregion; i++) {
    made.region_name[i] = "";
  }
  *mesh = made;
  return LB_OK;
}

lb_basis_face lb_stored_face(const lb_stored* s, int face) {
  const int first = s->face.first[face];
  return (lb_basis_face){s->face.first[face + 1] - first, (int*)s->face.node + first,
                         (double*)s->face.weight + first, false};
}

int lb_stored_find_face(const lb_stored* s, const char* name) {
  for (int i = 0; i < s->nface; i++) {
    if (strcmp(s->face.name[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

double lb_stored_reach(int r, const double* limit, const double* eta) {
  double most = 0;
  for (int k = 0; k < r; k++) {
    most = fmax(most, fabs(eta[k]) / limit[k]);
  }
  return most;
}
