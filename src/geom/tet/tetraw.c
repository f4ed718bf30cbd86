// Collecting what a mesh file says.
#include "geom/tet/tetraw.h"

#include <string.h>

#include "geom/mesh/file_load.h"

enum { MOST_MISTAKES = 20 }; // a file with more is something else

void lb_tetraw_open(lb_tetraw* raw, const char* text, size_t size, const char* name,
                    lb_arena* arena, lb_error* err) {
  *raw = (lb_tetraw){.arena = arena, .err = err};
  lb_arena_init(&raw->scratch, arena->allocator);
  lb_tetraw_next(raw, text, size, name);
}

void lb_tetraw_next(lb_tetraw* raw, const char* text, size_t size, const char* name) {
  raw->scan = lb_scan_begin(text, size, name);
  raw->file[raw->nfile++] = name;
  if (size > LB_MESH_MOST_BYTES) {
    lb_error_add(raw->err, LB_INVALID, (lb_place){name, 0, 0}, "the file is too long");
    raw->mistakes = MOST_MISTAKES;
  }
}

bool lb_tetraw_goes_on(const lb_tetraw* raw) {
  return raw->mistakes < MOST_MISTAKES && !raw->no_memory;
}

void lb_tetraw_mistake(lb_tetraw* raw, const char* at, const char* text, lb_word word) {
  lb_error_add(raw->err, LB_INVALID, lb_scan_place(&raw->scan, at), text, lb_word_show(word).text);
  raw->mistakes++;
}

bool lb_tetraw_word(lb_tetraw* raw, lb_word* word) {
  while (!lb_scan_word(&raw->scan, word)) {
    if (!lb_scan_line(&raw->scan)) {
      return false;
    }
  }
  return true;
}

// The next word, or a mistake at the text's end.
static bool expect(lb_tetraw* raw, lb_word* word) {
  if (!lb_tetraw_word(raw, word)) {
    lb_tetraw_mistake(raw, raw->scan.at, "the file ends in the middle%s", (lb_word){"", 0});
    return false;
  }
  return true;
}

bool lb_tetraw_integer(lb_tetraw* raw, int* value) {
  lb_word word;
  if (!expect(raw, &word)) {
    return false;
  }
  if (!lb_word_integer(word, value)) {
    lb_tetraw_mistake(raw, word.at, "'%s' is not a whole number", word);
    return false;
  }
  return true;
}

bool lb_tetraw_count(lb_tetraw* raw, int* value) {
  lb_word word;
  if (!expect(raw, &word)) {
    return false;
  }
  if (!lb_word_integer(word, value) || *value < 0) {
    lb_tetraw_mistake(raw, word.at, "'%s' is not a number of things", word);
    return false;
  }
  return true;
}

bool lb_tetraw_number(lb_tetraw* raw, double* value) {
  lb_word word;
  if (!expect(raw, &word)) {
    return false;
  }
  if (!lb_word_number(word, value)) {
    lb_tetraw_mistake(raw, word.at, "'%s' is not a finite number", word);
    return false;
  }
  return true;
}

bool lb_tetraw_add_node(lb_tetraw* raw, int id, lb_vec3 at) {
  lb_vec3* node = LB_GROW(&raw->scratch, raw->node, raw->nnode, &raw->node_room);
  lb_tetraw_node* ids = LB_GROW(&raw->scratch, raw->id, raw->nnode, &raw->id_room);
  raw->node = node ? node : raw->node;
  raw->id = ids ? ids : raw->id;
  if (!node || !ids) {
    raw->no_memory = true;
    return false;
  }
  raw->node[raw->nnode] = at;
  raw->id[raw->nnode] = (lb_tetraw_node){id, raw->nnode};
  raw->nnode++;
  return true;
}

bool lb_tetraw_add_cell(lb_tetraw* raw, lb_tetraw_cell cell) {
  lb_tetraw_cell* moved = LB_GROW(&raw->scratch, raw->cell, raw->ncell, &raw->cell_room);
  if (!moved) {
    raw->no_memory = true;
    return false;
  }
  cell.file = raw->nfile - 1;
  raw->cell = moved;
  raw->cell[raw->ncell++] = cell;
  return true;
}

bool lb_tetraw_add_name(lb_tetraw* raw, int dimension, int tag, lb_word name) {
  char* copy = lb_arena_text(&raw->scratch, name.at, name.size);
  lb_tetraw_name* moved = LB_GROW(&raw->scratch, raw->name, raw->nname, &raw->name_room);
  if (!copy || !moved) {
    raw->no_memory = true;
    return false;
  }
  raw->name = moved;
  raw->name[raw->nname++] = (lb_tetraw_name){dimension, tag, copy};
  return true;
}
