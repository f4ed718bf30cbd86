// VTK's legacy text format: unstructured grids of tetrahedra and triangles. Cells have no names;
// the first array of whole numbers among the cells' data distinguishes surfaces and regions.
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
  lb_mesh_reader_complain(&v->raw.in, v->raw.in.scan.line_start, text);
}

// An array that grows as the file delivers, so that a large number in a short file costs nothing.
static int* read_array(vtk* v, int count) {
  lb_mesh_reader* in = &v->raw.in;
  int room = 0, *list = LB_GROW(&in->scratch, (int*)NULL, 0, &room);
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    list = LB_GROW(&in->scratch, list, i, &room);
    const int value = lb_mesh_reader_integer(in);
    if (list) {
      list[i] = value;
    }
  }
  return list;
}

static void read_points(vtk* v) {
  const int count = lb_mesh_reader_count(&v->raw.in);
  lb_mesh_reader_word(&v->raw.in); // their type
  for (int i = 0; i < count && lb_mesh_reader_good(&v->raw.in); i++) {
    lb_tetraw_add_node(&v->raw, i, lb_mesh_reader_point(&v->raw.in));
  }
}

// Since version 5: offsets, then all nodes; both with a heading.
static void read_offsets(vtk* v, int count, int size) {
  lb_mesh_reader_skip(&v->raw.in, 2);
  v->ncell = count - 1;
  v->first = read_array(v, count);
  lb_mesh_reader_skip(&v->raw.in, 2);
  v->node = read_array(v, size);
  for (int i = 0; i < count && lb_mesh_reader_good(&v->raw.in); i++) {
    if (v->first[i] < 0 || v->first[i] > size || (i && v->first[i] < v->first[i - 1])) {
      complain(v, "the offsets of the cells do not rise, or lead out of the list");
    }
  }
}

// Before: each cell's number of nodes, then the nodes.
static void read_lists(vtk* v, int count, int size) {
  lb_mesh_reader* in = &v->raw.in;
  int* list = read_array(v, size);
  int *first = NULL, room = 0, at = 0;
  for (int i = 0; i <= count && lb_mesh_reader_good(in); i++) {
    first = LB_GROW(&in->scratch, first, i, &room);
    if (first) {
      first[i] = at - i;
    }
    if (i < count && (at >= size || list[at] < 0 || list[at] >= size - at)) {
      complain(v, "the lists of the cells' nodes do not fit their length");
    } else if (i < count) {
      const int n = list[at];
      memmove(&list[at - i], &list[at + 1], (size_t)n * sizeof *list); // drop the number
      at += n + 1;
    }
  }
  v->ncell = count;
  v->first = first;
  v->node = list;
}

static void read_cells(vtk* v) {
  lb_mesh_reader* in = &v->raw.in;
  if (v->first) {
    complain(v, "the cells come twice");
    return;
  }
  const int count = lb_mesh_reader_count(in), size = lb_mesh_reader_count(in);
  lb_scan ahead = in->scan;
  lb_word word;
  while (!lb_scan_word(&ahead, &word) && lb_scan_line(&ahead)) {
  }
  if (!lb_word_is(word, "offsets")) {
    read_lists(v, count, size);
  } else if (count < 1) {
    complain(v, "the cells are not complete");
  } else {
    read_offsets(v, count, size);
  }
}

static void read_types(vtk* v) {
  v->ntype = lb_mesh_reader_count(&v->raw.in);
  v->type = read_array(v, v->ntype);
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
static void read_data(vtk* v, lb_word type, int components, int count) {
  if (!v->tag && v->tagged && components == 1 && count == v->ncell && is_whole(type)) {
    v->tag = read_array(v, count);
    return;
  }
  for (int c = 0; c < components && lb_mesh_reader_good(&v->raw.in); c++) {
    lb_mesh_reader_skip(&v->raw.in, count);
  }
}

static void read_scalars(vtk* v) {
  lb_mesh_reader* in = &v->raw.in;
  lb_word name, type, word;
  int components = 1;
  if (!lb_scan_word(&in->scan, &name) || !lb_scan_word(&in->scan, &type)) {
    complain(v, "a name and a type are missing after SCALARS");
    return;
  }
  if (lb_scan_word(&in->scan, &word) &&
      (!lb_word_integer(word, &components) || components < 1 || components > 4)) {
    complain(v, "a number of components is wrong");
    return;
  }
  lb_mesh_reader_skip(in, 2); // LOOKUP_TABLE and its name
  read_data(v, type, components, v->tagged ? v->ncell : 0);
}

static void read_field(vtk* v) {
  lb_mesh_reader* in = &v->raw.in;
  lb_mesh_reader_word(in); // its name
  const int narray = lb_mesh_reader_count(in);
  for (int i = 0; i < narray && lb_mesh_reader_good(in); i++) {
    lb_mesh_reader_word(in); // name
    const int components = lb_mesh_reader_count(in), count = lb_mesh_reader_count(in);
    read_data(v, lb_mesh_reader_word(in), components, count);
  }
}

static void begin_cell_data(vtk* v) {
  v->tagged = true;
}

static void begin_point_data(vtk* v) {
  v->tagged = false;
}

// --- all together ---

static void read_keyword(vtk* v, lb_word word) {
  static const struct {
    const char* name;
    void (*read)(vtk*);
  } keyword[] = {{"points", read_points},
                 {"cells", read_cells},
                 {"cell_types", read_types},
                 {"cell_data", begin_cell_data},
                 {"point_data", begin_point_data},
                 {"scalars", read_scalars},
                 {"field", read_field}};
  for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++) {
    if (lb_word_is(word, keyword[i].name)) {
      keyword[i].read(v);
      return;
    }
  }
}

// The first three lines: what it is, a title, and how it is written.
static void read_head(vtk* v) {
  lb_scan* scan = &v->raw.in.scan;
  lb_word word[2] = {{"", 0}, {"", 0}};
  lb_scan_word(scan, &word[0]);
  lb_scan_word(scan, &word[1]);
  if (!lb_word_is(word[0], "#") || !lb_word_is(word[1], "vtk")) {
    complain(v, "this is not a VTK legacy file: '# vtk DataFile Version' is missing");
    return;
  }
  lb_scan_line(scan);
  lb_scan_line(scan);
  if (!lb_scan_word(scan, &word[0]) || !lb_word_is(word[0], "ascii")) {
    complain(v, "only VTK files written as text (ASCII) are read");
  }
}

static void take_cells(vtk* v) {
  if (v->ntype != v->ncell) {
    complain(v, "there are not as many cell types as cells");
    return;
  }
  for (int i = 0; i < v->ncell && lb_mesh_reader_good(&v->raw.in); i++) {
    const cell_type* t = known_type(v->type[i]);
    if (!t) {
      continue;
    }
    if (v->first[i + 1] - v->first[i] != t->nnode) {
      complain(v, "a cell has not as many nodes as its type");
      return;
    }
    lb_tetraw_cell cell = {.nnode = t->nnode, .tag = v->tag ? v->tag[i] : 1};
    for (int k = 0; k < t->nnode; k++) {
      cell.node[k] = v->node[v->first[i] + t->from[k]];
    }
    lb_tetraw_add_cell(&v->raw, cell);
  }
}

lb_status lb_tetmesh_parse_vtk(const char* text, size_t size, const char* name, lb_arena* arena,
                               lb_tetmesh* mesh, lb_error* err) {
  vtk v = {0};
  lb_tetraw_open(&v.raw, text, size, name, arena, err);
  lb_mesh_reader* in = &v.raw.in;
  if (lb_mesh_reader_good(in)) {
    read_head(&v);
  }
  while (lb_mesh_reader_good(in) && lb_scan_line(&in->scan)) {
    lb_word word;
    if (lb_scan_word(&in->scan, &word)) {
      read_keyword(&v, word);
    }
  }
  if (lb_mesh_reader_good(in) && v.first && v.type) {
    take_cells(&v);
  } else if (lb_mesh_reader_good(in)) {
    complain(&v, "the file has no cells, or ends in the middle");
  }
  return lb_tetraw_close(&v.raw, mesh);
}
