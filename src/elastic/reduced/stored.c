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

// Name of an array in a file: `model`, or `law` in files of earlier versions.
static const char* name_in(const lb_npz* npz, const char* name) {
  return strcmp(name, "model") == 0 && lb_npz_find(npz, "law") ? "law" : name;
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
    const void* data = lb_npz_get(npz, name_in(npz, f->name), f->type, f->ndim, shape, err);
    *lb_stored_data(s, f) = (void*)data;
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
  lb_stored s = lb_stored_begin();
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

static void put_vectors(lb_v4* out, int count, const double* from) {
  for (int i = 0; i < count; i++) {
    out[i] = lb_v4_at(from, i);
  }
}

static void put_matrices(lb_m3* out, int count, const double* from) {
  for (int i = 0; i < count; i++) {
    out[i] = matrix(from + 9 * (size_t)i);
  }
}

lb_material lb_stored_material(const lb_stored* s, int region) {
  return (lb_material){.model = lb_material_named(s->material.model[region]),
                       .young = s->material.young[region],
                       .poisson = s->material.poisson[region],
                       .density = s->material.density[region]};
}

static lb_status build_points(const lb_stored* s, lb_arena* arena, lb_points** points) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_points* p = LB_TAKE(arena, lb_points, 1);
  int* slot = LB_TAKE(&scratch, int, s->npoint);
  lb_region_material* material = LB_TAKE(&scratch, lb_region_material, s->nregion);
  lb_status status = LB_NO_MEMORY;
  if (p && slot && material) {
    for (int i = 0; i < s->nregion; i++) {
      const lb_material m = lb_stored_material(s, i);
      material[i] = lb_region_material_of(&m, s->material.share[2 * i + 1]);
    }
    status =
        lb_points_empty(s->r, s->npoint, s->point.region, s->nregion, material, arena, p, slot);
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

// True where all regions have all of alpha, so that C is M.
static bool damps_alike(const lb_stored* s) {
  bool alike = true;
  for (int i = 0; i < s->nregion; i++) {
    alike &= s->material.share[2 * i] == 1;
  }
  return alike;
}

lb_status lb_stored_build(const lb_stored* s, lb_arena* arena, lb_reduced** reduced) {
  const int r = s->r;
  lb_reduced* b = LB_TAKE(arena, lb_reduced, 1);
  lb_points* points = NULL;
  if (!b || lb_reduced_take(b, r, s->ncarry, arena) != LB_OK ||
      build_points(s, arena, &points) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int f = 0; f < s->ncarry; f++) {
    lb_face* face = &b->face[f];
    face->x0 = lb_v4_load(s->face.x0 + 3 * f);
    face->A0 = matrix(s->face.A0 + 9 * f);
    put_vectors(face->W, r, s->face.W + 3 * (size_t)(f * r));
    put_matrices(face->A, r, s->face.A + 9 * (size_t)(f * r));
  }
  b->m = *s->inertia.mass;
  b->h0 = lb_v4_load(s->inertia.h0);
  b->E0 = matrix(s->inertia.E0);
  put_vectors(b->H, r, s->inertia.H);
  put_matrices(b->B0, r, s->inertia.B0);
  put_matrices(b->B1, r * r, s->inertia.B1);
  memcpy(b->M, s->inertia.M, (size_t)(r * r) * sizeof *b->M);
  b->C = damps_alike(s) ? NULL : LB_COPY(arena, s->inertia.C, r * r);
  b->alpha = s->material.damping[0];
  b->beta = s->material.damping[1];
  b->internal = lb_points_force(points);
  *reduced = b;
  return lb_arena_status(arena);
}

// --- mesh and faces ---

lb_status lb_stored_mesh(const lb_stored* s, lb_arena* arena, lb_tetmesh* mesh) {
  lb_tetmesh made = {.order = s->elem_nodes == 10 ? 2 : 1,
                     .nnode = s->nnode,
                     .nelem = s->nelem,
                     .nregion = s->nregion};
  made.node = LB_COPY(arena, (lb_vec3*)s->mesh.node, s->nnode);
  made.elem = LB_COPY(arena, s->mesh.element, s->nelem * s->elem_nodes);
  made.region = LB_COPY(arena, s->mesh.region, s->nelem);
  made.region_name = LB_TAKE(arena, const char*, s->nregion);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < s->nregion; i++) {
    made.region_name[i] = "";
  }
  *mesh = made;
  return LB_OK;
}

lb_basis_face lb_stored_face(const lb_stored* s, int face) {
  const int first = s->face.first[face];
  return (lb_basis_face){s->face.first[face + 1] - first, s->face.node + first,
                         s->face.weight + first, false};
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
