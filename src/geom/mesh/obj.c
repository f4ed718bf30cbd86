// Wavefront OBJ: vertices and faces; all other statements are skipped. Faces are cut into triangles
// once all vertices are known, for some programs write faces first.
#include "geom/mesh/mesh_reader.h"
#include "geom/mesh/polygon.h"
#include "geom/mesh/triangle_mesh.h"

typedef struct reader {
  lb_mesh_reader in;

  int nvertex, vertex_room;
  lb_vec3* vertex;
  int ncorner, corner_room;
  int* corner; // of all polygons, one after the other
  int npolygon, polygon_room;
  int* polygon; // its number of corners

  int highest; // vertex index that a face names, and where
  lb_place highest_place;
} reader;

static void read_vertex(reader* r) {
  double number[8] = {0}; // x, y, z, and what some programs add: a weight, colours
  int count = 0;
  lb_word word;
  while (count < 8 && lb_scan_word(&r->in.scan, &word)) {
    if (!lb_word_number(word, &number[count])) {
      lb_mesh_reader_mistake(&r->in, word.at, "'%s' is not a finite number", word);
      return;
    }
    count++;
  }
  if (count < 3) {
    lb_mesh_reader_complain(&r->in, r->in.scan.at, "a vertex needs three numbers");
    return;
  }
  r->vertex = LB_GROW(&r->in.scratch, r->vertex, r->nvertex, &r->vertex_room);
  if (r->vertex) {
    r->vertex[r->nvertex++] = lb_vec3_make(number[0], number[1], number[2]);
  }
}

// The vertex index, from 0, of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; -1 after a mistake.
static int read_corner(reader* r, lb_word word) {
  int part[3] = {0}, nparts = 0;
  lb_word left = word;
  for (bool more = true; more; nparts++) {
    size_t n = 0;
    while (n < left.size && left.at[n] != '/') {
      n++;
    }
    more = n < left.size;
    const bool empty = n == 0 && nparts == 1 && more;    // v//vn
    const bool trailing = n == 0 && nparts > 0 && !more; // v/ and v/vt/, which some programs write
    if (nparts == 3 ||
        (!empty && !trailing && !lb_word_integer((lb_word){left.at, n}, &part[nparts]))) {
      lb_mesh_reader_mistake(&r->in, word.at,
                             "'%s' is not a corner of a face (expected v, v/vt, v//vn or v/vt/vn)",
                             word);
      return -1;
    }
    left.at += n + more;
    left.size -= n + more;
  }
  if (part[0] == 0 || part[0] < -r->nvertex) {
    lb_mesh_reader_mistake(&r->in, word.at,
                           part[0] ? "'%s' counts back past the first vertex"
                                   : "'%s': vertices count from 1, there is no vertex 0",
                           word);
    return -1;
  }
  if (part[0] > r->highest) {
    r->highest = part[0];
    r->highest_place = lb_scan_place(&r->in.scan, word.at);
  }
  return part[0] > 0 ? part[0] - 1 : r->nvertex + part[0];
}

static void add_int(reader* r, int** array, int* count, int* room, int value) {
  *array = LB_GROW(&r->in.scratch, *array, *count, room);
  if (*array) {
    (*array)[(*count)++] = value;
  }
}

static void read_face(reader* r) {
  const int first = r->ncorner;
  lb_word word;
  while (lb_scan_word(&r->in.scan, &word)) {
    const int v = read_corner(r, word);
    if (v < 0) {
      r->ncorner = first;
      return;
    }
    add_int(r, &r->corner, &r->ncorner, &r->corner_room, v);
  }
  if (r->ncorner - first < 3) {
    lb_mesh_reader_complain(&r->in, r->in.scan.at, "a face needs three corners or more");
    r->ncorner = first;
    return;
  }
  add_int(r, &r->polygon, &r->npolygon, &r->polygon_room, r->ncorner - first);
}

static void read_statements(reader* r) {
  static const struct {
    const char* name;
    void (*read)(reader*);
  } statement[] = {{"v", read_vertex}, {"f", read_face}};
  do {
    lb_word word;
    const bool found = lb_scan_word(&r->in.scan, &word);
    for (int i = 0; found && i < 2; i++) {
      if (lb_word_is(word, statement[i].name)) {
        statement[i].read(r);
      }
    }
  } while (r->in.mistakes < LB_MESH_MOST_MISTAKES && lb_arena_status(&r->in.scratch) == LB_OK &&
           lb_scan_line(&r->in.scan));
}

// Polygons of up to n corners become n - 2 triangles each.
static void cut(reader* r, lb_mesh* mesh) {
  int nface = 0;
  for (int i = 0; i < r->npolygon; i++) {
    nface += r->polygon[i] - 2;
  }
  int* face = LB_TAKE(&r->in.scratch, int, 3 * nface);
  *mesh = (lb_mesh){r->nvertex, nface, r->vertex, face};
  const int* corner = r->corner;
  for (int i = 0; face && i < r->npolygon; i++) {
    lb_polygon_cut(r->vertex, corner, r->polygon[i], face);
    corner += r->polygon[i];
    face += 3 * (r->polygon[i] - 2);
  }
}

lb_status lb_mesh_parse_obj(const char* text, size_t size, const char* name, lb_arena* arena,
                            lb_mesh* mesh, lb_error* err) {
  reader r = {0};
  lb_mesh raw;
  lb_mesh_reader_open(&r.in, text, size, name, arena->allocator, err);
  r.in.scan.comments = r.in.scan.joins = true;
  if (lb_mesh_reader_good(&r.in)) {
    read_statements(&r);
  }
  if (lb_mesh_reader_good(&r.in) && r.highest > r.nvertex) {
    lb_error_add(err, LB_INVALID, r.highest_place,
                 "the face names vertex %d, but there are only %d", r.highest, r.nvertex);
    r.in.mistakes++;
  }
  if (lb_mesh_reader_good(&r.in)) {
    cut(&r, &raw);
  }
  const lb_status status =
      lb_mesh_reader_good(&r.in) ? lb_mesh_finish(&raw, name, arena, mesh, err) : LB_INVALID;
  return lb_mesh_reader_close(&r.in, name, status);
}
