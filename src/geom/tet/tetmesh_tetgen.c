// TetGen's files: NAME.node, NAME.ele and, for surfaces, NAME.face. Comments start with '#'.
#include <string.h>

#include "geom/tet/tet.h"
#include "geom/tet/tetraw.h"

static bool skip_words(lb_tetraw* raw, int count) {
  lb_word word;
  for (int i = 0; i < count; i++) {
    if (!lb_tetraw_word(raw, &word)) {
      return false;
    }
  }
  return true;
}

static bool read_head(lb_tetraw* raw, int count, int* value) {
  raw->scan.comments = true;
  for (int i = 0; i < count; i++) {
    if (!lb_tetraw_count(raw, &value[i])) {
      return false;
    }
  }
  return true;
}

// number x y z attributes marker
static bool read_nodes(lb_tetraw* raw) {
  int head[4];
  if (!read_head(raw, 4, head)) {
    return false;
  }
  for (int i = 0; i < head[0]; i++) {
    int id;
    lb_vec3 p;
    if (!lb_tetraw_integer(raw, &id) || !lb_tetraw_number(raw, &p.x) ||
        !lb_tetraw_number(raw, &p.y) || !lb_tetraw_number(raw, &p.z) ||
        !skip_words(raw, head[2] + head[3]) || !lb_tetraw_add_node(raw, id, p)) {
      return false;
    }
  }
  return true;
}

// Regions are written as the first attribute, a number that should be whole.
static bool read_region(lb_tetraw* raw, int nattribute, int* tag) {
  *tag = 1;
  double value;
  if (nattribute == 0) {
    return true;
  }
  if (!lb_tetraw_number(raw, &value)) {
    return false;
  }
  *tag = fabs(value) < 1e9 ? (int)value : 0;
  return skip_words(raw, nattribute - 1);
}

static bool read_elements(lb_tetraw* raw) {
  int head[3];
  if (!read_head(raw, 3, head)) {
    return false;
  }
  if (head[1] != 4 && head[1] != 10) {
    lb_tetraw_mistake(raw, raw->scan.line_start, "elements must have 4 or 10 nodes%s",
                      (lb_word){"", 0});
    return false;
  }
  for (int i = 0; i < head[0]; i++) {
    int id;
    lb_tetraw_cell cell = {.nnode = head[1]};
    if (!lb_tetraw_integer(raw, &id)) {
      return false;
    }
    cell.line = raw->scan.line;
    for (int k = 0; k < head[1]; k++) {
      if (!lb_tetraw_integer(raw, &cell.node[k])) {
        return false;
      }
    }
    if (!read_region(raw, head[2], &cell.tag) || !lb_tetraw_add_cell(raw, cell)) {
      return false;
    }
  }
  return true;
}

// number corners marker; files of order 2 have the middles after the corners, which we take from
// the elements. How many nodes there are is told by the line's length.
static bool read_faces(lb_tetraw* raw) {
  int head[2];
  if (!read_head(raw, 2, head)) {
    return false;
  }
  for (int i = 0; i < head[0]; i++) {
    int id, value[12], n = 0;
    lb_word word;
    if (!lb_tetraw_integer(raw, &id)) {
      return false;
    }
    while (n < 12 && lb_scan_word(&raw->scan, &word)) {
      if (!lb_word_integer(word, &value[n++])) {
        lb_tetraw_mistake(raw, word.at, "'%s' is not a whole number", word);
        return false;
      }
    }
    const int marker = head[1] && n > 3 ? value[n >= 7 ? 6 : 3] : 0;
    if (n < 3) {
      lb_tetraw_mistake(raw, raw->scan.at, "a face needs three corners%s", (lb_word){"", 0});
      return false;
    }
    const lb_tetraw_cell cell = {
        .node = {value[0], value[1], value[2]}, .nnode = 3, .tag = marker, .line = raw->scan.line};
    if (marker != 0 && !lb_tetraw_add_cell(raw, cell)) {
      return false;
    }
  }
  return true;
}

// --- middles ---

// The order of the middle nodes has changed between versions of TetGen, so it is found out: each is
// nearest to the middle of its edge.
static int edge_of(const lb_vec3* X, lb_vec3 p) {
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < 6; k++) {
    const lb_vec3 m =
        lb_vec3_scale(0.5, lb_vec3_add(X[lb_tetmesh_edge[k][0]], X[lb_tetmesh_edge[k][1]]));
    const double d = lb_vec3_norm(lb_vec3_sub(p, m));
    best = d < least ? k : best;
    least = fmin(d, least);
  }
  return best;
}

static void sort_middles(lb_tetmesh* mesh) {
  for (int e = 0; mesh->order == 2 && e < mesh->nelem; e++) {
    int* v = &mesh->elem[10 * e];
    lb_vec3 X[4];
    int sorted[6], used = 0;
    for (int k = 0; k < 4; k++) {
      X[k] = mesh->node[v[k]];
    }
    for (int k = 0; k < 6; k++) {
      const int edge = edge_of(X, mesh->node[v[4 + k]]);
      sorted[edge] = v[4 + k];
      used |= 1 << edge;
    }
    if (used == 63) {
      memcpy(&v[4], sorted, sizeof sorted);
    }
  }
}

lb_status lb_tetmesh_parse_tetgen(lb_tetgen_text node, lb_tetgen_text ele, lb_tetgen_text face,
                                  lb_arena* arena, lb_tetmesh* mesh, lb_error* err) {
  lb_tetraw raw;
  lb_tetraw_open(&raw, node.text, node.size, node.name, arena, err);
  bool good = lb_tetraw_goes_on(&raw) && read_nodes(&raw);
  if (good) {
    lb_tetraw_next(&raw, ele.text, ele.size, ele.name);
    good = lb_tetraw_goes_on(&raw) && read_elements(&raw);
  }
  if (good && face.text) {
    lb_tetraw_next(&raw, face.text, face.size, face.name);
    good = lb_tetraw_goes_on(&raw) && read_faces(&raw);
  }
  if (!good && !raw.mistakes && !raw.no_memory) {
    lb_tetraw_mistake(&raw, raw.scan.at, "the file ends in the middle%s", (lb_word){"", 0});
  }
  raw.middles = sort_middles;
  return lb_tetraw_close(&raw, mesh);
}
