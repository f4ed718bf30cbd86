// From what a file says to a mesh: numbers to indices, tags to names, faces to the elements they
// belong to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geom/tet/tet.h"
#include "geom/tet/tet_face.h"
#include "geom/tet/tetraw.h"
#include "math/space/mat3.h"

static lb_place place_of(const lb_tetraw* raw, const lb_tetraw_cell* cell) {
  return (lb_place){raw->file[cell->file], cell->line, 1};
}

static void wrong(lb_tetraw* raw, const lb_tetraw_cell* cell, const char* text, int number) {
  lb_error_add(raw->in.err, LB_INVALID, place_of(raw, cell), text, number);
  raw->in.mistakes++;
}

static bool is_face(const lb_tetraw_cell* cell) {
  return cell->nnode == 3 || cell->nnode == 6;
}

// --- nodes ---

static int compare_ids(const void* a, const void* b) {
  const lb_tetraw_node *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

// Files number nodes as they like.
static int index_of(const lb_tetraw* raw, int id) {
  const lb_tetraw_node key = {.id = id};
  const lb_tetraw_node* found =
      raw->nnode ? bsearch(&key, raw->node, (size_t)raw->nnode, sizeof key, compare_ids) : NULL;
  return found ? found->index : -1;
}

static void number_nodes(lb_tetraw* raw) {
  if (raw->nnode) {
    qsort(raw->node, (size_t)raw->nnode, sizeof *raw->node, compare_ids);
  }
  for (int i = 1; i < raw->nnode; i++) {
    if (raw->node[i].id == raw->node[i - 1].id) {
      lb_error_add(raw->in.err, LB_INVALID, (lb_place){raw->file[0], 0, 0},
                   "two nodes have the number %d", raw->node[i].id);
      raw->in.mistakes++;
      return;
    }
  }
  for (int c = 0; c < raw->ncell && raw->in.mistakes < LB_MESH_MOST_MISTAKES; c++) {
    lb_tetraw_cell* cell = &raw->cell[c];
    for (int k = 0; k < cell->nnode; k++) {
      const int index = index_of(raw, cell->node[k]);
      if (index < 0) {
        wrong(raw, cell, "there is no node %d", cell->node[k]);
        break;
      }
      cell->node[k] = index;
    }
  }
}

// Nodes that no element uses are left out: centres of circles, and corners of the geometry.
static lb_status take_nodes(lb_tetraw* raw, lb_tetmesh* mesh) {
  int* kept = LB_TAKE(&raw->in.scratch, int, raw->nnode);
  if (!kept) {
    return LB_NO_MEMORY;
  }
  for (int c = 0; c < raw->ncell; c++) {
    for (int k = 0; !is_face(&raw->cell[c]) && k < raw->cell[c].nnode; k++) {
      kept[raw->cell[c].node[k]] = 1;
    }
  }
  for (int i = 0; i < raw->nnode; i++) {
    kept[i] = kept[i] ? mesh->nnode++ : -1;
  }
  mesh->node = LB_TAKE(raw->arena, lb_vec3, mesh->nnode);
  if (!mesh->node) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < raw->nnode; i++) {
    if (kept[raw->node[i].index] >= 0) {
      mesh->node[kept[raw->node[i].index]] = raw->node[i].at;
    }
  }
  for (int c = 0; c < raw->ncell; c++) {
    for (int k = 0; k < raw->cell[c].nnode; k++) {
      raw->cell[c].node[k] = kept[raw->cell[c].node[k]];
    }
  }
  return LB_OK;
}

// --- names ---

static const char* name_of(const lb_tetraw* raw, lb_arena* arena, int dimension, int tag) {
  for (int i = 0; i < raw->nname; i++) {
    if (raw->name[i].dimension == dimension && raw->name[i].tag == tag) {
      return lb_arena_text(arena, raw->name[i].name, strlen(raw->name[i].name));
    }
  }
  char number[16];
  const int n = snprintf(number, sizeof number, "%d", tag);
  return lb_arena_text(arena, number, (size_t)n);
}

// Faces or elements sorted by their tag, then as they come: those of one tag are neighbours.
typedef struct tagged {
  int tag, cell;
} tagged;

static int compare_tags(const void* left, const void* right) {
  const tagged *a = left, *b = right;
  if (a->tag != b->tag) {
    return a->tag < b->tag ? -1 : 1;
  }
  return (a->cell > b->cell) - (a->cell < b->cell);
}

static tagged* sort_cells(lb_tetraw* raw, bool faces, int* count) {
  tagged* list = LB_TAKE(&raw->in.scratch, tagged, raw->ncell);
  *count = 0;
  for (int c = 0; list && c < raw->ncell; c++) {
    if (is_face(&raw->cell[c]) == faces) {
      list[(*count)++] = (tagged){raw->cell[c].tag, c};
    }
  }
  if (*count) {
    qsort(list, (size_t)*count, sizeof *list, compare_tags);
  }
  return list;
}

static bool starts_group(const tagged* list, int i) {
  return i == 0 || list[i].tag != list[i - 1].tag;
}

// --- elements ---

// Elements stay in the file's order; regions come in that of their tags.
static lb_status take_elements(lb_tetraw* raw, lb_tetmesh* mesh) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  int count, *number = LB_TAKE(&raw->in.scratch, int, raw->ncell); // of a cell among the elements
  const tagged* list = sort_cells(raw, false, &count);
  mesh->elem = LB_TAKE(raw->arena, int, (size_t)mesh->nelem*(size_t)size);
  mesh->region = LB_TAKE(raw->arena, int, mesh->nelem);
  for (int i = 0; list && i < count; i++) {
    mesh->nregion += starts_group(list, i);
  }
  mesh->region_name = LB_TAKE(raw->arena, const char*, mesh->nregion);
  if (!number || !list || !mesh->elem || !mesh->region || !mesh->region_name) {
    return LB_NO_MEMORY;
  }
  for (int c = 0, e = 0; c < raw->ncell; c++) {
    if (!is_face(&raw->cell[c])) {
      memcpy(&mesh->elem[size * e], raw->cell[c].node, (size_t)size * sizeof(int));
      number[c] = e++;
    }
  }
  int region = -1;
  for (int i = 0; i < count; i++) {
    if (starts_group(list, i)) {
      mesh->region_name[++region] = name_of(raw, raw->arena, 3, list[i].tag);
      if (!mesh->region_name[region]) {
        return LB_NO_MEMORY;
      }
    }
    mesh->region[number[list[i].cell]] = region;
  }
  return LB_OK;
}

static double handedness(const lb_tetmesh* mesh, int e) {
  const int* v = &mesh->elem[lb_tetmesh_elem_nodes(mesh) * e];
  const lb_vec3 X[4] = {mesh->node[v[0]], mesh->node[v[1]], mesh->node[v[2]], mesh->node[v[3]]};
  return lb_mat3_determinant(lb_tet_jacobian(1, X, lb_vec3_make(0, 0, 0)));
}

// Some programs number all elements the left-handed way. Only then are they turned: a file in which
// just some are left-handed has inverted elements, which is for lb_tetmesh_check() to say.
static void turn_elements(lb_tetmesh* mesh) {
  static const int swap[3][2] = {{1, 2}, {4, 6}, {8, 9}};
  for (int e = 0; e < mesh->nelem; e++) {
    if (!(handedness(mesh, e) < 0)) {
      return;
    }
  }
  const int size = lb_tetmesh_elem_nodes(mesh);
  for (int e = 0; e < mesh->nelem; e++) {
    for (int k = 0; k < (size == 4 ? 1 : 3); k++) {
      int* v = &mesh->elem[size * e];
      const int t = v[swap[k][0]];
      v[swap[k][0]] = v[swap[k][1]];
      v[swap[k][1]] = t;
    }
  }
}

// --- surfaces ---

// Faces of the surface.
typedef struct faces {
  lb_tetmesh_surface boundary;
  lb_tet_face* key; // [boundary.nface] sorted
  tagged* list;
  int count;
} faces;

// The file's faces of one tag that lie on the boundary, as the elements have them: outward, with
// their middles. Faces inside the body, between two regions, belong to no surface, and a surface of
// such faces alone stays empty. `face` NULL just counts.
static int boundary_faces(const lb_tetraw* raw, const faces* f, int first, int size, int* face) {
  int n = 0;
  for (int i = first; i < f->count && f->list[i].tag == f->list[first].tag; i++) {
    const lb_tet_face wanted = lb_tet_face_make(raw->cell[f->list[i].cell].node, 0);
    const lb_tet_face* found =
        bsearch(&wanted, f->key, (size_t)f->boundary.nface, sizeof *f->key, lb_tet_face_compare);
    if (found && face) {
      memcpy(&face[size * n], &f->boundary.face[size * found->number], (size_t)size * sizeof(int));
    }
    n += found != NULL;
  }
  return n;
}

static lb_status sort_boundary(lb_tetraw* raw, const lb_tetmesh* mesh, faces* f) {
  const int size = lb_tetmesh_face_nodes(mesh);
  if (lb_tetmesh_boundary(mesh, &raw->in.scratch, &f->boundary) != LB_OK) {
    return LB_NO_MEMORY;
  }
  f->key = LB_TAKE(&raw->in.scratch, lb_tet_face, f->boundary.nface);
  f->list = sort_cells(raw, true, &f->count);
  if (!f->key || !f->list) {
    return LB_NO_MEMORY;
  }
  const int* v = f->boundary.face;
  for (int i = 0; i < f->boundary.nface; i++, v += size) {
    f->key[i] = lb_tet_face_make(v, i);
  }
  qsort(f->key, (size_t)f->boundary.nface, sizeof *f->key, lb_tet_face_compare);
  return LB_OK;
}

static lb_status take_surfaces(lb_tetraw* raw, lb_tetmesh* mesh) {
  const int size = lb_tetmesh_face_nodes(mesh);
  faces f = {0};
  if (sort_boundary(raw, mesh, &f) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int ngroup = 0;
  for (int i = 0; i < f.count; i++) {
    ngroup += starts_group(f.list, i);
  }
  mesh->surface = LB_TAKE(raw->arena, lb_tetmesh_surface, ngroup);
  for (int i = 0; mesh->surface && i < f.count; i++) {
    if (starts_group(f.list, i)) {
      const int nface = boundary_faces(raw, &f, i, size, NULL);
      int* face = LB_TAKE(raw->arena, int, (size_t)nface*(size_t)size);
      const char* name = name_of(raw, raw->arena, 2, f.list[i].tag);
      if (!face || !name) {
        return LB_NO_MEMORY;
      }
      boundary_faces(raw, &f, i, size, face);
      mesh->surface[mesh->nsurface++] = (lb_tetmesh_surface){name, nface, face};
    }
  }
  return mesh->surface ? LB_OK : LB_NO_MEMORY;
}

// --- all together ---

// All tetrahedra are of one order; how many there are.
static void count_elements(lb_tetraw* raw, lb_tetmesh* mesh) {
  for (int c = 0; c < raw->ncell; c++) {
    if (is_face(&raw->cell[c])) {
      continue;
    }
    const int order = raw->cell[c].nnode == 4 ? 1 : 2;
    if (mesh->nelem++ == 0) {
      mesh->order = order;
    } else if (mesh->order != order) {
      wrong(raw, &raw->cell[c], "an element of order %d among others of another", order);
      return;
    }
  }
  if (mesh->nelem == 0) {
    lb_error_add(raw->in.err, LB_INVALID, (lb_place){raw->file[0], 0, 0},
                 "there are no tetrahedra in this file");
    raw->in.mistakes++;
  }
}

static lb_status build(lb_tetraw* raw, lb_tetmesh* mesh) {
  lb_status status = take_nodes(raw, mesh);
  status = status == LB_OK ? take_elements(raw, mesh) : status;
  if (status == LB_OK) {
    if (raw->middles) {
      raw->middles(mesh);
    }
    turn_elements(mesh);
    status = take_surfaces(raw, mesh);
  }
  return status;
}

lb_status lb_tetraw_close(lb_tetraw* raw, lb_tetmesh* mesh) {
  lb_tetmesh made = {0};
  lb_mesh_reader* in = &raw->in;
  const lb_arena_mark mark = lb_arena_here(raw->arena);
  lb_status status = LB_OK;
  if (lb_mesh_reader_good(in)) {
    number_nodes(raw);
    count_elements(raw, &made);
    status = lb_mesh_reader_good(in) ? build(raw, &made) : status;
  }
  in->scratch.failed |= status == LB_NO_MEMORY; // of either arena
  status = lb_mesh_reader_close(in, raw->file[0], status);
  if (status == LB_OK) {
    *mesh = made;
  } else {
    lb_arena_reset(raw->arena, mark);
  }
  return status;
}
