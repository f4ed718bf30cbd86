// Welding: vertices at the same place become one, by a hash of their coordinates.
#include <stdint.h>
#include <string.h>

#include "geom/mesh/triangle_mesh.h"

// The table has at least twice as many slots as vertices; -1 marks a free one.
typedef struct table {
  int* slot;
  uint32_t mask;
} table;

static bool make_table(table* t, lb_arena* arena, int nvertex) {
  uint32_t size = 16;
  while (size < 2 * (uint32_t)nvertex) {
    size *= 2;
  }
  t->mask = size - 1;
  t->slot = LB_TAKE(arena, int, size);
  if (t->slot) {
    memset(t->slot, 0xff, size * sizeof *t->slot);
  }
  return t->slot;
}

static uint32_t hash(lb_vec3 v) {
  uint64_t bits[3], h = 0;
  memcpy(bits, &v, sizeof bits);
  for (int i = 0; i < 3; i++) {
    h = (h ^ bits[i]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  return (uint32_t)h;
}

static bool same(lb_vec3 a, lb_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The number of the vertex at this place among those seen so far, which a new one joins.
static int number_of(const table* t, lb_vec3* seen, int* nseen, lb_vec3 v) {
  v = lb_vec3_make(v.x + 0.0, v.y + 0.0, v.z + 0.0); // -0 becomes 0
  for (uint32_t i = hash(v) & t->mask;; i = (i + 1) & t->mask) {
    if (t->slot[i] < 0) {
      t->slot[i] = *nseen;
      seen[*nseen] = v;
      return (*nseen)++;
    }
    if (same(seen[t->slot[i]], v)) {
      return t->slot[i];
    }
  }
}

// Vertices go into the table when a face that stays uses them, so those of faces that vanish do not
// linger: whether one vanishes is found from the places, before any gets a number.
static lb_mesh weld(const lb_mesh* mesh, const table* t, lb_vec3* vertex, int* face) {
  int nvertex = 0, nface = 0;
  for (int f = 0; f < mesh->nface; f++) {
    const int* v = &mesh->face[3 * f];
    const lb_vec3 a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]];
    if (same(a, b) || same(b, c) || same(c, a)) {
      continue;
    }
    face[3 * nface] = number_of(t, vertex, &nvertex, a);
    face[3 * nface + 1] = number_of(t, vertex, &nvertex, b);
    face[3 * nface + 2] = number_of(t, vertex, &nvertex, c);
    nface++;
  }
  return (lb_mesh){nvertex, nface, vertex, face};
}

lb_status lb_mesh_weld(const lb_mesh* mesh, lb_arena* arena, lb_mesh* welded) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  table t;
  lb_vec3* vertex = LB_TAKE(&scratch, lb_vec3, mesh->nvertex);
  int* face = LB_TAKE(&scratch, int, 3 * mesh->nface);
  lb_status status = LB_NO_MEMORY;
  if (vertex && face && make_table(&t, &scratch, mesh->nvertex)) {
    lb_mesh made = weld(mesh, &t, vertex, face);
    const lb_arena_mark mark = lb_arena_here(arena);
    made.vertex = LB_TAKE(arena, lb_vec3, made.nvertex);
    made.face = LB_TAKE(arena, int, 3 * made.nface);
    if (made.vertex && made.face) {
      memcpy(made.vertex, vertex, (size_t)made.nvertex * sizeof *vertex);
      memcpy(made.face, face, 3 * (size_t)made.nface * sizeof *face);
      *welded = made;
      status = LB_OK;
    } else {
      lb_arena_reset(arena, mark);
    }
  }
  lb_arena_release(&scratch);
  return status;
}

lb_status lb_mesh_finish(const lb_mesh* raw, const char* name, lb_arena* arena, lb_mesh* mesh,
                         lb_error* err) {
  const lb_place file = {name, 0, 0};
  const lb_arena_mark mark = lb_arena_here(arena);
  lb_mesh welded;
  if (lb_mesh_weld(raw, arena, &welded) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, file, "no memory to read this mesh");
  }
  if (welded.nface == 0) {
    lb_arena_reset(arena, mark);
    return lb_error_add(err, LB_INVALID, file,
                        raw->nface ? "all faces in this file have corners that coincide"
                                   : "there are no faces in this file");
  }
  *mesh = welded;
  return LB_OK;
}
