// TetGen's files: NAME.node, NAME.ele and, for surfaces, NAME.face. Comments start with '#'.
#include <string.h>

#include "geom/tet/tet.h"
#include "geom/tet/tetraw.h"

static void read_head(lb_mesh_reader* in, int count, int* value) {
  in->scan.comments = true;
  for (int i = 0; i < count; i++) {
    value[i] = lb_mesh_reader_count(in);
  }
}

// number x y z attributes marker
static void read_nodes(lb_tetraw* raw) {
  lb_mesh_reader* in = &raw->in;
  int head[4];
  read_head(in, 4, head);
  for (int i = 0; i < head[0] && lb_mesh_reader_good(in); i++) {
    const int id = lb_mesh_reader_integer(in);
    const lb_vec3 p = lb_mesh_reader_point(in);
    lb_mesh_reader_skip(in, head[2] + head[3]);
    lb_tetraw_add_node(raw, id, p);
  }
}

// Regions are written as the first attribute, a number that should be whole.
static int read_region(lb_mesh_reader* in, int nattribute) {
  if (nattribute == 0) {
    return 1;
  }
  const double value = lb_mesh_reader_number(in);
  lb_mesh_reader_skip(in, nattribute - 1);
  return fabs(value) < 1e9 ? (int)value : 0;
}

static void read_elements(lb_tetraw* raw) {
  lb_mesh_reader* in = &raw->in;
  int head[3];
  read_head(in, 3, head);
  if (lb_mesh_reader_good(in) && head[1] != 4 && head[1] != 10) {
    lb_mesh_reader_complain(in, in->scan.line_start, "elements must have 4 or 10 nodes");
  }
  for (int i = 0; i < head[0] && lb_mesh_reader_good(in); i++) {
    lb_tetraw_cell cell = {.nnode = head[1]};
    lb_mesh_reader_integer(in); // its number
    cell.line = in->scan.line;
    lb_mesh_reader_integers(in, cell.nnode, cell.node);
    cell.tag = read_region(in, head[2]);
    lb_tetraw_add_cell(raw, cell);
  }
}

// number corners marker; files of order 2 have the middles after the corners, which we take from
// the elements. The number of nodes follows from the line's length.
static void read_faces(lb_tetraw* raw) {
  lb_mesh_reader* in = &raw->in;
  int head[2];
  read_head(in, 2, head);
  for (int i = 0; i < head[0] && lb_mesh_reader_good(in); i++) {
    int value[12], n = 0;
    lb_word word;
    lb_mesh_reader_integer(in); // its number
    while (lb_mesh_reader_good(in) && n < 12 && lb_scan_word(&in->scan, &word)) {
      if (!lb_word_integer(word, &value[n++])) {
        lb_mesh_reader_mistake(in, word.at, "'%s' is not a whole number", word);
      }
    }
    if (lb_mesh_reader_good(in) && n < 3) {
      lb_mesh_reader_complain(in, in->scan.at, "a face needs three corners");
    }
    const int marker = lb_mesh_reader_good(in) && head[1] && n > 3 ? value[n >= 7 ? 6 : 3] : 0;
    if (marker != 0) {
      lb_tetraw_add_cell(raw, (lb_tetraw_cell){.node = {value[0], value[1], value[2]},
                                               .nnode = 3,
                                               .tag = marker,
                                               .line = in->scan.line});
    }
  }
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
  if (lb_mesh_reader_good(&raw.in)) {
    read_nodes(&raw);
  }
  if (lb_mesh_reader_good(&raw.in)) {
    lb_tetraw_next(&raw, ele.text, ele.size, ele.name);
    read_elements(&raw);
  }
  if (lb_mesh_reader_good(&raw.in) && face.text) {
    lb_tetraw_next(&raw, face.text, face.size, face.name);
    read_faces(&raw);
  }
  raw.middles = sort_middles;
  return lb_tetraw_close(&raw, mesh);
}
