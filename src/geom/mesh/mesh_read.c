// Mesh files: from a path to the reader of its format.
#include "geom/mesh/file_load.h"
#include "geom/mesh/triangle_mesh.h"

typedef struct format {
  const char* extension;
  lb_status (*parse)(const char* text, size_t size, const char* name, lb_arena* arena,
                     lb_mesh* mesh, lb_error* err);
} format;

static const format* format_of(const char* path) {
  static const format known[] = {{".obj", lb_mesh_parse_obj}, {".stl", lb_mesh_parse_stl}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (lb_path_has(path, known[i].extension)) {
      return &known[i];
    }
  }
  return NULL;
}

lb_status lb_mesh_read(const char* path, lb_place from, lb_arena* arena, lb_mesh* mesh,
                       lb_error* err) {
  const format* known = format_of(path);
  if (!known) {
    return lb_error_add(err, LB_INVALID, from,
                        "the format of mesh file '%s' is not known (.obj and .stl are)", path);
  }
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  char* text;
  size_t size;
  lb_status status = lb_load(path, "mesh file", from, &scratch, &text, &size, err);
  if (status == LB_OK) {
    status = known->parse(text, size, path, arena, mesh, err);
  }
  lb_arena_release(&scratch);
  return status;
}
