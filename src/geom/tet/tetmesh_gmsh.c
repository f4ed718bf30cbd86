// Gmsh's text formats, versions 2.2 and 4.1. Sections are told by their names; those that say
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

static bool read_integers(lb_tetraw* raw, int count, int* value) {
  for (int i = 0; i < count; i++) {
    if (!lb_tetraw_integer(raw, &value[i])) {
      return false;
    }
  }
  return true;
}

static bool skip_words(lb_tetraw* raw, int count) {
  lb_word word;
  for (int i = 0; i < count; i++) {
    if (!lb_tetraw_word(raw, &word)) {
      return false;
    }
  }
  return true;
}

static bool read_point(lb_tetraw* raw, lb_vec3* p) {
  return lb_tetraw_number(raw, &p->x) && lb_tetraw_number(raw, &p->y) &&
         lb_tetraw_number(raw, &p->z);
}

// --- sections ---

static bool read_format(gmsh* g) {
  double version;
  int binary, size;
  const char* at = g->raw.scan.at;
  if (!lb_tetraw_number(&g->raw, &version) || !lb_tetraw_integer(&g->raw, &binary) ||
      !lb_tetraw_integer(&g->raw, &size)) {
    return false;
  }
  g->version = version >= 2 && version < 3 ? 2 : version > 4.05 && version < 4.2 ? 4 : 0;
  if (binary || !g->version) {
    lb_tetraw_mistake(&g->raw, g->raw.scan.at > at ? g->raw.scan.line_start : at,
                      "this Gmsh format is not read; save as version 2 or 4.1, text%s",
                      (lb_word){"", 0});
    return false;
  }
  return true;
}

// A name in quotation marks: the rest of the line between the first and the last.
static bool quoted(lb_tetraw* raw, lb_word* name) {
  const char* end = raw->scan.at;
  while (end < raw->scan.end && *end != '\n' && *end != '\r') {
    end++;
  }
  const char* first = memchr(raw->scan.at, '"', (size_t)(end - raw->scan.at));
  const char* last = first;
  for (const char* p = first; p && p < end; p++) {
    last = *p == '"' ? p : last;
  }
  if (!first || last == first) {
    lb_tetraw_mistake(raw, raw->scan.at, "a name in quotation marks is missing%s",
                      (lb_word){"", 0});
    return false;
  }
  *name = (lb_word){first + 1, (size_t)(last - first - 1)};
  lb_scan_line(&raw->scan);
  return true;
}

static bool read_names(gmsh* g) {
  int count;
  if (!lb_tetraw_count(&g->raw, &count)) {
    return false;
  }
  for (int i = 0; i < count && lb_tetraw_goes_on(&g->raw); i++) {
    int value[2];
    lb_word name;
    if (!read_integers(&g->raw, 2, value) || !quoted(&g->raw, &name) ||
        !lb_tetraw_add_name(&g->raw, value[0], value[1], name)) {
      return false;
    }
  }
  return true;
}

// Version 4: points have 3 coordinates, the rest a box of 6, and a list of what bounds them.
static bool read_entity(gmsh* g, int dimension) {
  lb_tetraw* raw = &g->raw;
  int tag, nphysical, nbounding, physical = 0;
  if (!lb_tetraw_integer(raw, &tag) || !skip_words(raw, dimension ? 6 : 3) ||
      !lb_tetraw_count(raw, &nphysical)) {
    return false;
  }
  for (int i = 0; i < nphysical; i++) {
    int p;
    if (!lb_tetraw_integer(raw, &p)) {
      return false;
    }
    physical = i == 0 ? p : physical;
  }
  if (dimension && (!lb_tetraw_count(raw, &nbounding) || !skip_words(raw, nbounding))) {
    return false;
  }
  entity* moved = LB_GROW(&raw->scratch, g->entity, g->nentity, &g->entity_room);
  if (!moved) {
    raw->no_memory = true;
    return false;
  }
  g->entity = moved;
  // a negative tag means a turned surface
  g->entity[g->nentity++] = (entity){dimension, tag, physical < 0 ? -physical : physical};
  return true;
}

static bool read_entities(gmsh* g) {
  int count[4];
  for (int d = 0; d < 4; d++) {
    if (!lb_tetraw_count(&g->raw, &count[d])) {
      return false;
    }
  }
  for (int d = 0; d < 4; d++) {
    for (int i = 0; i < count[d]; i++) {
      if (!read_entity(g, d)) {
        return false;
      }
    }
  }
  return true;
}

static bool read_nodes_2(gmsh* g) {
  int count;
  if (!lb_tetraw_count(&g->raw, &count)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    int id;
    lb_vec3 p;
    if (!lb_tetraw_integer(&g->raw, &id) || !read_point(&g->raw, &p) ||
        !lb_tetraw_add_node(&g->raw, id, p)) {
      return false;
    }
  }
  return true;
}

// A block: all the numbers, then all the points (with parameters on the entity, if it has them).
static bool read_node_block(gmsh* g) {
  lb_tetraw* raw = &g->raw;
  int head[3], count;
  if (!read_integers(raw, 3, head) || !lb_tetraw_count(raw, &count)) {
    return false;
  }
  const int first = raw->nnode;
  for (int i = 0; i < count; i++) {
    int id;
    if (!lb_tetraw_integer(raw, &id) || !lb_tetraw_add_node(raw, id, lb_vec3_make(0, 0, 0))) {
      return false;
    }
  }
  const int parameters = head[2] && head[0] > 0 && head[0] <= 3 ? head[0] : 0;
  for (int i = 0; i < count; i++) {
    if (!read_point(raw, &raw->node[first + i]) || !skip_words(raw, parameters)) {
      return false;
    }
  }
  return true;
}

static bool read_nodes_4(gmsh* g) {
  int head[4];
  if (!read_integers(&g->raw, 4, head)) {
    return false;
  }
  for (int i = 0; i < head[0]; i++) {
    if (!read_node_block(g)) {
      return false;
    }
  }
  return true;
}

static bool read_cell(gmsh* g, int nnode, int tag, int line) {
  lb_tetraw_cell cell = {.nnode = nnode, .tag = tag, .line = line};
  return read_integers(&g->raw, nnode, cell.node) && lb_tetraw_add_cell(&g->raw, cell);
}

static bool read_elements_2(gmsh* g) {
  int count;
  if (!lb_tetraw_count(&g->raw, &count)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    int head[3], tag = 0, next;
    if (!read_integers(&g->raw, 3, head)) { // number, type, how many tags
      return false;
    }
    const int line = g->raw.scan.line;
    for (int k = 0; k < head[2]; k++) { // the physical group, then the entity
      if (!lb_tetraw_integer(&g->raw, &next)) {
        return false;
      }
      tag = k == 0 || (k == 1 && tag == 0) ? next : tag;
    }
    const int nnode = nodes_of(head[1]);
    if (nnode && !read_cell(g, nnode, tag, line)) {
      return false;
    }
    if (!nnode) {
      lb_scan_line(&g->raw.scan);
    }
  }
  return true;
}

static int physical_of(const gmsh* g, int dimension, int tag) {
  for (int i = 0; i < g->nentity; i++) {
    if (g->entity[i].dimension == dimension && g->entity[i].tag == tag && g->entity[i].physical) {
      return g->entity[i].physical;
    }
  }
  return tag;
}

static bool read_element_block(gmsh* g) {
  lb_tetraw* raw = &g->raw;
  int head[3], count;
  if (!read_integers(raw, 3, head) || !lb_tetraw_count(raw, &count)) {
    return false;
  }
  const int nnode = nodes_of(head[2]), tag = physical_of(g, head[0], head[1]);
  for (int i = 0; i < count; i++) {
    int id;
    if (!lb_tetraw_integer(raw, &id)) {
      return false;
    }
    if (nnode && !read_cell(g, nnode, tag, raw->scan.line)) {
      return false;
    }
    if (!nnode) {
      lb_scan_line(&raw->scan);
    }
  }
  return true;
}

static bool read_elements_4(gmsh* g) {
  int head[4];
  if (!read_integers(&g->raw, 4, head)) {
    return false;
  }
  for (int i = 0; i < head[0]; i++) {
    if (!read_element_block(g)) {
      return false;
    }
  }
  return true;
}

static bool read_section(gmsh* g, lb_word word) {
  static const struct {
    const char* name;
    int version; // 0: any
    bool (*read)(gmsh*);
  } section[] = {{"$meshformat", 0, read_format},  {"$physicalnames", 0, read_names},
                 {"$entities", 4, read_entities},  {"$nodes", 2, read_nodes_2},
                 {"$nodes", 4, read_nodes_4},      {"$elements", 2, read_elements_2},
                 {"$elements", 4, read_elements_4}};
  for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
    const bool fits = section[i].version == 0 || section[i].version == g->version;
    if (fits && lb_word_is(word, section[i].name)) {
      return section[i].read(g);
    }
  }
  return true;
}

lb_status lb_tetmesh_parse_gmsh(const char* text, size_t size, const char* name, lb_arena* arena,
                                lb_tetmesh* mesh, lb_error* err) {
  gmsh g = {0};
  lb_tetraw_open(&g.raw, text, size, name, arena, err);
  lb_word word;
  bool good = lb_tetraw_goes_on(&g.raw);
  do {
    if (lb_scan_word(&g.raw.scan, &word) && *word.at == '$') {
      if (!g.version && !lb_word_is(word, "$meshformat")) {
        lb_tetraw_mistake(&g.raw, word.at, "'%s' comes before $MeshFormat", word);
        break;
      }
      good = read_section(&g, word);
    }
  } while (good && lb_scan_line(&g.raw.scan));
  return lb_tetraw_close(&g.raw, mesh);
}
