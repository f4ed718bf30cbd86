// VTK's legacy text format: unstructured grids of tetrahedra and triangles. Cells have no names;
// the first array of whole numbers among the cells' data tells surfaces and regions apart.
#include <string.h>

#include "geom/tet/tetraw.h"

typedef struct vtk {
  lb_tetraw raw;
  int ncell, ntype;
  bool tagged; // the tags are read
  int* first;  // [ncell + 1] into `node`
  int* node;
  int* type; // [ncell]
  int* tag;  // [ncell] or NULL
} vtk;

// Cells we know, and in which place of theirs each of our nodes stands.
typedef struct cell_type {
  int type, nnode;
  int from[10];
} cell_type;

static const cell_type known[] = {{5, 3, {0, 1, 2}},
                                  {10, 4, {0, 1, 2, 3}},
                                  {22, 6, {0, 1, 2, 3, 4, 5}},
                                  {24, 10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}}};

static const cell_type* known_type(int type) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].type == type) {
      return &known[i];
    }
  }
  return NULL;
}

static void complain(vtk* v, const char* text) {
  lb_tetraw_mistake(&v->raw, v->raw.scan.line_start, text, (lb_word){"", 0});
}

static bool skip_words(vtk* v, int count) {
  lb_word word;
  for (int i = 0; i < count; i++) {
    if (!lb_tetraw_word(&v->raw, &word)) {
      return false;
    }
  }
  return true;
}

// An array that grows as the file delivers, so that a large number in a short file costs nothing.
static int* read_array(vtk* v, int count) {
  int *list = NULL, room = 0;
  for (int i = 0; i < count; i++) {
    int* moved = LB_GROW(&v->raw.scratch, list, i, &room);
    if (!moved) {
      v->raw.no_memory = true;
      return NULL;
    }
    list = moved;
    if (!lb_tetraw_integer(&v->raw, &list[i])) {
      return NULL;
    }
  }
  return list ? list : LB_TAKE(&v->raw.scratch, int, 1);
}

static bool read_points(vtk* v) {
  int count;
  lb_word type;
  if (!lb_tetraw_count(&v->raw, &count) || !lb_tetraw_word(&v->raw, &type)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    lb_vec3 p;
    if (!lb_tetraw_number(&v->raw, &p.x) || !lb_tetraw_number(&v->raw, &p.y) ||
        !lb_tetraw_number(&v->raw, &p.z) || !lb_tetraw_add_node(&v->raw, i, p)) {
      return false;
    }
  }
  return true;
}

// Since version 5: offsets, then all nodes; both with a heading.
static bool read_offsets(vtk* v, int count, int size) {
  if (count < 1 || !skip_words(v, 2)) {
    complain(v, "the cells are not complete%s");
    return false;
  }
  v->ncell = count - 1;
  v->first = read_array(v, count);
  if (!v->first || !skip_words(v, 2)) {
    return false;
  }
  v->node = read_array(v, size);
  for (int i = 0; v->node && i < count; i++) {
    if (v->first[i] < 0 || v->first[i] > size || (i && v->first[i] < v->first[i - 1])) {
      complain(v, "the offsets of the cells do not rise, or lead out of the list%s");
      return false;
    }
  }
  return v->node != NULL;
}

// Before: each cell's number of nodes, then the nodes.
static bool read_lists(vtk* v, int count, int size) {
  int* list = read_array(v, size);
  int *first = NULL, room = 0, at = 0;
  for (int i = 0; list && i <= count; i++) {
    int* moved = LB_GROW(&v->raw.scratch, first, i, &room);
    if (!moved) {
      v->raw.no_memory = true;
      return false;
    }
    first = moved;
    first[i] = at - i;
    if (i < count && (at >= size || list[at] < 0 || list[at] >= size - at)) {
      complain(v, "the lists of the cells' nodes do not fit their length%s");
      return false;
    }
    if (i < count) {
      const int n = list[at];
      memmove(&list[at - i], &list[at + 1], (size_t)n * sizeof *list); // drop the number
      at += n + 1;
    }
  }
  v->ncell = count;
  v->first = first;
  v->node = list;
  return list != NULL;
}

static bool read_cells(vtk* v) {
  int count, size;
  if (v->first) {
    complain(v, "the cells come twice%s");
    return false;
  }
  if (!lb_tetraw_count(&v->raw, &count) || !lb_tetraw_count(&v->raw, &size)) {
    return false;
  }
  lb_scan ahead = v->raw.scan;
  lb_word word;
  while (!lb_scan_word(&ahead, &word) && lb_scan_line(&ahead)) {
  }
  return lb_word_is(word, "offsets") ? read_offsets(v, count, size) : read_lists(v, count, size);
}

static bool read_types(vtk* v) {
  if (!lb_tetraw_count(&v->raw, &v->ntype)) {
    return false;
  }
  v->type = read_array(v, v->ntype);
  return v->type != NULL;
}

// --- data of cells ---

static bool is_whole(lb_word type) {
  static const char* const names[] = {
      "int",           "long",           "short",         "char",      "unsigned_int",
      "unsigned_char", "unsigned_short", "unsigned_long", "vtkidtype", "vtktypeint64"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lb_word_is(type, names[i])) {
      return true;
    }
  }
  return false;
}

// An array of numbers: the tags if it may be, else skipped.
static bool read_data(vtk* v, lb_word type, int components, int count) {
  if (!v->tag && v->tagged && components == 1 && count == v->ncell && is_whole(type)) {
    v->tag = read_array(v, count);
    return v->tag != NULL;
  }
  for (int c = 0; c < components; c++) {
    if (!skip_words(v, count)) {
      return false;
    }
  }
  return true;
}

static bool read_scalars(vtk* v) {
  lb_word name, type, word;
  int components = 1;
  if (!lb_scan_word(&v->raw.scan, &name) || !lb_scan_word(&v->raw.scan, &type)) {
    complain(v, "a name and a type are missing after SCALARS%s");
    return false;
  }
  if (lb_scan_word(&v->raw.scan, &word) &&
      (!lb_word_integer(word, &components) || components < 1 || components > 4)) {
    complain(v, "a number of components is wrong%s");
    return false;
  }
  if (!skip_words(v, 2)) { // LOOKUP_TABLE and its name
    return false;
  }
  return read_data(v, type, components, v->tagged ? v->ncell : 0);
}

static bool read_field(vtk* v) {
  lb_word name, type;
  int narray;
  if (!lb_tetraw_word(&v->raw, &name) || !lb_tetraw_count(&v->raw, &narray)) {
    return false;
  }
  for (int i = 0; i < narray; i++) {
    int components, count;
    if (!lb_tetraw_word(&v->raw, &name) || !lb_tetraw_count(&v->raw, &components) ||
        !lb_tetraw_count(&v->raw, &count) || !lb_tetraw_word(&v->raw, &type) ||
        !read_data(v, type, components, count)) {
      return false;
    }
  }
  return true;
}

static bool begin_cell_data(vtk* v) {
  v->tagged = true;
  return true;
}

static bool begin_point_data(vtk* v) {
  v->tagged = false;
  return true;
}

// --- all together ---

static bool read_keyword(vtk* v, lb_word word) {
  static const struct {
    const char* name;
    bool (*read)(vtk*);
  } keyword[] = {{"points", read_points},
                 {"cells", read_cells},
                 {"cell_types", read_types},
                 {"cell_data", begin_cell_data},
                 {"point_data", begin_point_data},
                 {"scalars", read_scalars},
                 {"field", read_field}};
  for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++) {
    if (lb_word_is(word, keyword[i].name)) {
      return keyword[i].read(v);
    }
  }
  return true;
}

// The first three lines: what it is, a title, and how it is written.
static bool read_head(vtk* v) {
  lb_word word[2] = {{"", 0}, {"", 0}};
  lb_scan_word(&v->raw.scan, &word[0]);
  lb_scan_word(&v->raw.scan, &word[1]);
  if (!lb_word_is(word[0], "#") || !lb_word_is(word[1], "vtk")) {
    complain(v, "this is not a VTK legacy file: '# vtk DataFile Version' is missing%s");
    return false;
  }
  lb_scan_line(&v->raw.scan);
  lb_scan_line(&v->raw.scan);
  if (!lb_scan_word(&v->raw.scan, &word[0]) || !lb_word_is(word[0], "ascii")) {
    complain(v, "only VTK files written as text (ASCII) are read%s");
    return false;
  }
  return true;
}

static void take_cells(vtk* v) {
  if (v->ntype != v->ncell) {
    complain(v, "there are not as many cell types as cells%s");
    return;
  }
  for (int i = 0; i < v->ncell; i++) {
    const cell_type* t = known_type(v->type[i]);
    if (!t) {
      continue;
    }
    if (v->first[i + 1] - v->first[i] != t->nnode) {
      complain(v, "a cell has not as many nodes as its type%s");
      return;
    }
    lb_tetraw_cell cell = {.nnode = t->nnode, .tag = v->tag ? v->tag[i] : 1};
    for (int k = 0; k < t->nnode; k++) {
      cell.node[k] = v->node[v->first[i] + t->from[k]];
    }
    if (!lb_tetraw_add_cell(&v->raw, cell)) {
      return;
    }
  }
}

lb_status lb_tetmesh_parse_vtk(const char* text, size_t size, const char* name, lb_arena* arena,
                               lb_tetmesh* mesh, lb_error* err) {
  vtk v = {0};
  lb_tetraw_open(&v.raw, text, size, name, arena, err);
  bool good = lb_tetraw_goes_on(&v.raw) && read_head(&v);
  while (good && lb_scan_line(&v.raw.scan)) {
    lb_word word;
    good = !lb_scan_word(&v.raw.scan, &word) || read_keyword(&v, word);
  }
  if (good && v.first && v.type) {
    take_cells(&v);
  } else if (!v.raw.mistakes && !v.raw.no_memory) {
    complain(&v, "the file has no cells, or ends in the middle%s");
  }
  return lb_tetraw_close(&v.raw, mesh);
}
