// Collecting what a mesh file says.
#include "geom/tet/tetraw.h"

void lb_tetraw_open(lb_tetraw* raw, const char* text, size_t size, const char* name,
                    lb_arena* arena, lb_error* err) {
  *raw = (lb_tetraw){.arena = arena, .nfile = 1, .file = {name}};
  lb_mesh_reader_open(&raw->in, text, size, name, arena->allocator, err);
}

void lb_tetraw_next(lb_tetraw* raw, const char* text, size_t size, const char* name) {
  lb_mesh_reader_next(&raw->in, text, size, name);
  raw->file[raw->nfile++] = name;
}

void lb_tetraw_add_node(lb_tetraw* raw, int id, lb_vec3 at) {
  raw->node = LB_GROW(&raw->in.scratch, raw->node, raw->nnode, &raw->node_room);
  if (lb_mesh_reader_good(&raw->in)) {
    raw->node[raw->nnode] = (lb_tetraw_node){id, raw->nnode, at};
    raw->nnode++;
  }
}

void lb_tetraw_add_cell(lb_tetraw* raw, lb_tetraw_cell cell) {
  raw->cell = LB_GROW(&raw->in.scratch, raw->cell, raw->ncell, &raw->cell_room);
  if (lb_mesh_reader_good(&raw->in)) {
    cell.file = raw->nfile - 1;
    raw->cell[raw->ncell++] = cell;
  }
}

void lb_tetraw_add_name(lb_tetraw* raw, int dimension, int tag, lb_word name) {
  const char* copy = lb_arena_text(&raw->in.scratch, name.at, name.size);
  raw->name = LB_GROW(&raw->in.scratch, raw->name, raw->nname, &raw->name_room);
  if (lb_mesh_reader_good(&raw->in)) {
    raw->name[raw->nname++] = (lb_tetraw_name){dimension, tag, copy};
  }
}
