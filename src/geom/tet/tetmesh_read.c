// Files of tetrahedral meshes: from a path to the reader of its format.
#include <stdio.h>
#include <string.h>

#include "geom/mesh/file_load.h"
#include "geom/tet/tetmesh.h"

typedef struct source {
  const char* path;
  lb_place from;
  lb_arena scratch;
} source;

typedef lb_status parser(const char* text, size_t size, const char* name, lb_arena* arena,
                         lb_tetmesh* mesh, lb_error* err);

static lb_status read_one(source* s, parser* parse, lb_arena* arena, lb_tetmesh* mesh,
                          lb_error* err) {
  char* text;
  size_t size;
  const lb_status status = lb_load(s->path, "mesh file", s->from, &s->scratch, &text, &size, err);
  return status == LB_OK ? parse(text, size, s->path, arena, mesh, err) : status;
}

// The file beside `path` with another extension.
static lb_status load_beside(source* s, const char* extension, bool may_be_missing,
                             lb_tetgen_text* out, lb_error* err) {
  const size_t stem = (size_t)(strrchr(s->path, '.') - s->path);
  char* path = LB_TAKE(&s->scratch, char, stem + 8);
  if (!path) {
    return lb_error_add(err, LB_NO_MEMORY, s->from, "no memory to read '%s'", s->path);
  }
  memcpy(path, s->path, stem);
  snprintf(path + stem, 8, "%s", extension);
  char* text = NULL;
  out->name = path;
  const lb_status status = lb_load(path, "mesh file", s->from, &s->scratch, &text, &out->size,
                                   may_be_missing ? NULL : err);
  out->text = status == LB_OK ? text : NULL;
  return status == LB_IO && may_be_missing ? LB_OK : status;
}

static lb_status read_tetgen(source* s, lb_arena* arena, lb_tetmesh* mesh, lb_error* err) {
  lb_tetgen_text node = {0}, ele = {0}, face = {0};
  lb_status status = load_beside(s, ".node", false, &node, err);
  status = status == LB_OK ? load_beside(s, ".ele", false, &ele, err) : status;
  status = status == LB_OK ? load_beside(s, ".face", true, &face, err) : status;
  return status == LB_OK ? lb_tetmesh_parse_tetgen(node, ele, face, arena, mesh, err) : status;
}

static lb_status read_path(source* s, lb_arena* arena, lb_tetmesh* mesh, lb_error* err) {
  static const struct {
    const char* extension;
    parser* parse; // NULL: TetGen
  } known[] = {{".msh", lb_tetmesh_parse_gmsh},
               {".vtk", lb_tetmesh_parse_vtk},
               {".ele", NULL},
               {".node", NULL}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (lb_path_has(s->path, known[i].extension)) {
      return known[i].parse ? read_one(s, known[i].parse, arena, mesh, err)
                            : read_tetgen(s, arena, mesh, err);
    }
  }
  return lb_error_add(err, LB_INVALID, s->from,
                      "the format of mesh file '%s' is not known (.msh of Gmsh, .vtk, and .ele of "
                      "TetGen are)",
                      s->path);
}

lb_status lb_tetmesh_read(const char* path, lb_place from, lb_arena* arena, lb_tetmesh* mesh,
                          lb_error* err) {
  source s = {path, from, {0}};
  lb_arena_init(&s.scratch, arena->allocator);
  const lb_status status = read_path(&s, arena, mesh, err);
  lb_arena_release(&s.scratch);
  return status;
}
