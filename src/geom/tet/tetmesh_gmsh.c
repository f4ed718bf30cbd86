// Gmsh's text formats, versions 2.2 and 4.1. Sections go by their names; those that say
// nothing about tetrahedra are skipped.
#include <string.h>

#include "geom/tet/tetraw.h"

// An entity of the geometry and the physical group it is in (the first, if in several).
typedef struct entity {
  int dimension, tag, physical;
} entity;

typedef struct gmsh {
  lb_tetraw raw;
  int version; // 2 or 4
  int nentity, entity_room;
  entity* entity;
} gmsh;

// Elements we know: their number in Gmsh and how many nodes they have.
static int nodes_of(int type) {
  static const struct { int type, nodes; } known[] = {{2, 3}, {4, 4}, {9, 6}, {11, 10}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].type == type) {
      return known[i].nodes;
    }
  }
  return 0;
}

// --- sections ---

static void read_format(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  const char* at = in->scan.at;
  const double version = lb_mesh_reader_number(in);
  const int binary = lb_mesh_reader_integer(in);
  lb_mesh_reader_integer(in); // bytes of a number
  g->version = version >= 2 && version < 3 ? 2 : version > 4.05 && version < 4.2 ? 4 : 0;
  if (lb_mesh_reader_good(in) && (binary || !g->version)) {
    lb_mesh_reader_complain(in, in->scan.at > at ? in->scan.line_start : at,
                            "this Gmsh format is not read; save as version 2 or 4.1, text");
  }
}

// A name in quotation marks: the rest of the line between the first and the last.
static lb_word quoted(lb_mesh_reader* in) {
  const char* end = in->scan.at;
  while (end < in->scan.end && *end != '\n' && *end != '\r') {
    end++;
  }
  const char* first = memchr(in->scan.at, '"', (size_t)(end - in->scan.at));
  const char* last = first;
  for (const char* p = first; p && p < end; p++) {
    last = *p == '"' ? p : last;
  }
  if (!first || last == first) {
    lb_mesh_reader_complain(in, in->scan.at, "a name in quotation marks is missing");
    return (lb_word){in->scan.at, 0};
  }
  lb_scan_line(&in->scan);
  return (lb_word){first + 1, (size_t)(last - first - 1)};
}

static void read_names(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  const int count = lb_mesh_reader_count(in);
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    int value[2];
    lb_mesh_reader_integers(in, 2, value);
    if (lb_mesh_reader_good(in)) {
      lb_tetraw_add_name(&g->raw, value[0], value[1], quoted(in));
    }
  }
}

// Version 4: points have 3 coordinates, the rest a box of 6, and a list of what bounds them.
static void read_entity(gmsh* g, int dimension) {
  lb_mesh_reader* in = &g->raw.in;
  const int tag = lb_mesh_reader_integer(in);
  lb_mesh_reader_skip(in, dimension ? 6 : 3);
  const int nphysical = lb_mesh_reader_count(in);
  const int physical = nphysical ? lb_mesh_reader_integer(in) : 0;
  for (int i = 1; i < nphysical && lb_mesh_reader_good(in); i++) {
    lb_mesh_reader_integer(in);
  }
  if (dimension) {
    lb_mesh_reader_skip(in, lb_mesh_reader_count(in));
  }
  g->entity = LB_GROW(&in->scratch, g->entity, g->nentity, &g->entity_room);
  if (lb_mesh_reader_good(in)) { // a negative tag means a turned surface
    g->entity[g->nentity++] = (entity){dimension, tag, physical < 0 ? -physical : physical};
  }
}

static void read_entities(gmsh* g) {
  int count[4];
  for (int d = 0; d < 4; d++) {
    count[d] = lb_mesh_reader_count(&g->raw.in);
  }
  for (int d = 0; d < 4; d++) {
    for (int i = 0; i < count[d] && lb_mesh_reader_good(&g->raw.in); i++) {
      read_entity(g, d);
    }
  }
}

static void read_nodes_2(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  const int count = lb_mesh_reader_count(in);
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    const int id = lb_mesh_reader_integer(in);
    lb_tetraw_add_node(&g->raw, id, lb_mesh_reader_point(in));
  }
}

// A block: all the numbers, then all the points (with parameters on the entity, if it has them).
static void read_node_block(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  int head[3];
  lb_mesh_reader_integers(in, 3, head);
  const int count = lb_mesh_reader_count(in), first = g->raw.nnode;
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    lb_tetraw_add_node(&g->raw, lb_mesh_reader_integer(in), lb_vec3_make(0, 0, 0));
  }
  const int parameters = head[2] && head[0] > 0 && head[0] <= 3 ? head[0] : 0;
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    g->raw.node[first + i].at = lb_mesh_reader_point(in);
    lb_mesh_reader_skip(in, parameters);
  }
}

// Version 4: as many blocks as the first of four numbers says.
static void read_blocks(gmsh* g, void (*read)(gmsh*)) {
  int head[4];
  lb_mesh_reader_integers(&g->raw.in, 4, head);
  for (int i = 0; i < head[0] && lb_mesh_reader_good(&g->raw.in); i++) {
    read(g);
  }
}

static void read_nodes_4(gmsh* g) {
  read_blocks(g, read_node_block);
}

// The nodes of an element; one of a kind that we do not know is passed over.
static void read_cell(gmsh* g, int nnode, int tag, int line) {
  lb_tetraw_cell cell = {.nnode = nnode, .tag = tag, .line = line};
  if (nnode) {
    lb_mesh_reader_integers(&g->raw.in, nnode, cell.node);
    lb_tetraw_add_cell(&g->raw, cell);
  } else {
    lb_scan_line(&g->raw.in.scan);
  }
}

static void read_elements_2(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  const int count = lb_mesh_reader_count(in);
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    int head[3], tag = 0;
    lb_mesh_reader_integers(in, 3, head); // number, type, how many tags
    const int line = in->scan.line;
    for (int k = 0; k < head[2] && lb_mesh_reader_good(in);
         k++) { // the physical group, then the entity
      const int next = lb_mesh_reader_integer(in);
      tag = k == 0 || (k == 1 && tag == 0) ? next : tag;
    }
    read_cell(g, nodes_of(head[1]), tag, line);
  }
}

static int physical_of(const gmsh* g, int dimension, int tag) {
  for (int i = 0; i < g->nentity; i++) {
    if (g->entity[i].dimension == dimension && g->entity[i].tag == tag && g->entity[i].physical) {
      return g->entity[i].physical;
    }
  }
  return tag;
}

static void read_element_block(gmsh* g) {
  lb_mesh_reader* in = &g->raw.in;
  int head[3];
  lb_mesh_reader_integers(in, 3, head);
  const int count = lb_mesh_reader_count(in);
  const int nnode = nodes_of(head[2]), tag = physical_of(g, head[0], head[1]);
  for (int i = 0; i < count && lb_mesh_reader_good(in); i++) {
    lb_mesh_reader_integer(in); // its number
    read_cell(g, nnode, tag, in->scan.line);
  }
}

static void read_elements_4(gmsh* g) {
  read_blocks(g, read_element_block);
}

static void read_section(gmsh* g, lb_word word) {
  static const struct {
    const char* name;
    int version; // 0: any
    void (*read)(gmsh*);
  } section[] = {{"$meshformat", 0, read_format},  {"$physicalnames", 0, read_names},
                 {"$entities", 4, read_entities},  {"$nodes", 2, read_nodes_2},
                 {"$nodes", 4, read_nodes_4},      {"$elements", 2, read_elements_2},
                 {"$elements", 4, read_elements_4}};
  for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
    const bool fits = section[i].version == 0 || section[i].version == g->version;
    if (fits && lb_word_is(word, section[i].name)) {
      section[i].read(g);
      return;
    }
  }
}

lb_status lb_tetmesh_parse_gmsh(const char* text, size_t size, const char* name, lb_arena* arena,
                                lb_tetmesh* mesh, lb_error* err) {
  gmsh g = {0};
  lb_tetraw_open(&g.raw, text, size, name, arena, err);
  lb_mesh_reader* in = &g.raw.in;
  lb_word word;
  while (lb_mesh_reader_good(in)) {
    if (lb_scan_word(&in->scan, &word) && *word.at == '$') {
      if (!g.version && !lb_word_is(word, "$meshformat")) {
        lb_mesh_reader_mistake(in, word.at, "'%s' comes before $MeshFormat", word);
        break;
      }
      read_section(&g, word);
    }
    if (!lb_scan_line(&in->scan)) {
      break;
    }
  }
  return lb_tetraw_close(&g.raw, mesh);
}
