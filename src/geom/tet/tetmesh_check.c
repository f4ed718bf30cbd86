// Validity, volume and quality of a tetrahedral mesh. Messages name the place in space, so that the
// author finds it.
#include <string.h>

#include "geom/mesh/disjoint_sets.h"
#include "geom/tet/tet.h"
#include "geom/tet/tetmesh.h"
#include "math/space/mat3.h"

static void gather(const lb_tetmesh* mesh, int e, lb_vec3* X) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  for (int k = 0; k < size; k++) {
    X[k] = mesh->node[mesh->elem[size * e + k]];
  }
}

double lb_tetmesh_volume(const lb_tetmesh* mesh) {
  lb_tet_point rule[LB_TET_EXACT_POINTS];
  lb_tet_exact_rule(rule);
  double volume = 0;
  for (int e = 0; e < mesh->nelem; e++) {
    lb_vec3 X[LB_TET_MOST_NODES];
    gather(mesh, e, X);
    for (int q = 0; q < LB_TET_EXACT_POINTS; q++) {
      volume += rule[q].w * lb_mat3_determinant(lb_tet_jacobian(mesh->order, X, rule[q].x));
    }
  }
  return volume;
}

// --- checks ---

// Arguments of all checks.
typedef struct check {
  const lb_tetmesh* mesh;
  const char* name;
  lb_place place;
  lb_arena* scratch;
  lb_error* err;
} check;

static lb_status check_nodes(const check* c) {
  for (int i = 0; i < c->mesh->nnode; i++) {
    const lb_vec3 v = c->mesh->node[i];
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
      return lb_error_add(c->err, LB_INVALID, c->place,
                          "mesh '%s': node %d has a coordinate that is not a finite number",
                          c->name, i + 1);
    }
  }
  return LB_OK;
}

static lb_status check_indices(const check* c) {
  const int size = lb_tetmesh_elem_nodes(c->mesh);
  for (int e = 0; e < c->mesh->nelem; e++) {
    for (int k = 0; k < size; k++) {
      const int v = c->mesh->elem[size * e + k];
      if (v < 0 || v >= c->mesh->nnode) {
        return lb_error_add(c->err, LB_INVALID, c->place,
                            "mesh '%s': element %d uses node %d, but there are only %d", c->name,
                            e + 1, v + 1, c->mesh->nnode);
      }
    }
    if (c->mesh->region[e] < 0 || c->mesh->region[e] >= c->mesh->nregion) {
      return lb_error_add(c->err, LB_INVALID, c->place,
                          "mesh '%s': element %d belongs to no region", c->name, e + 1);
    }
  }
  return LB_OK;
}

// The smallest determinant of an element's Jacobian over its corners, middles and quadrature
// points, relative to the cube of its longest edge.
static double least_jacobian(const lb_tetmesh* mesh, int e) {
  static const lb_vec3 at[10] = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                 {0.5, 0, 0},   {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5},
                                 {0, 0.5, 0.5}, {0.5, 0, 0.5}};
  lb_vec3 X[LB_TET_MOST_NODES];
  gather(mesh, e, X);
  double longest = 0;
  for (int k = 0; k < 6; k++) {
    const lb_vec3 d = lb_vec3_sub(X[lb_tetmesh_edge[k][1]], X[lb_tetmesh_edge[k][0]]);
    longest = fmax(longest, lb_vec3_norm(d));
  }
  lb_tet_point rule[LB_TET_STIFFNESS_MOST];
  const int nq = lb_tet_stiffness_rule(mesh->order, rule);
  double least = INFINITY;
  for (int k = 0; k < (mesh->order == 1 ? 1 : 10) + nq; k++) {
    const lb_vec3 x = k < nq ? rule[k].x : at[k - nq];
    least = fmin(least, lb_mat3_determinant(lb_tet_jacobian(mesh->order, X, x)));
  }
  return longest > 0 ? least / (longest * longest * longest) : 0;
}

static lb_status check_shapes(const check* c) {
  static const double FLAT = 1e-10; // below this rounding decides which way an element is turned
  int bad = 0, first = 0, inverted = 0;
  for (int e = 0; e < c->mesh->nelem; e++) {
    const double least = least_jacobian(c->mesh, e);
    if (!(least > FLAT)) {
      first = bad++ ? first : e;
      inverted += least < -FLAT;
    }
  }
  if (!bad) {
    return LB_OK;
  }
  const lb_vec3 v = c->mesh->node[c->mesh->elem[lb_tetmesh_elem_nodes(c->mesh) * first]];
  return lb_error_add(c->err, LB_INVALID, c->place,
                      "mesh '%s': element %d near (%.6g, %.6g, %.6g) is inverted or flat (%d such "
                      "elements in all, %d of them inverted)",
                      c->name, first + 1, v.x, v.y, v.z, bad, inverted);
}

// --- connection: sets of nodes that elements join ---

static void join(const lb_tetmesh* mesh, int* parent) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  lb_sets_begin(mesh->nnode, parent);
  for (int e = 0; e < mesh->nelem; e++) {
    for (int k = 1; k < size; k++) {
      lb_sets_join(parent, mesh->elem[size * e], mesh->elem[size * e + k]);
    }
  }
}

static lb_status report_unused(const check* c, const char* used) {
  int count = 0, first = 0;
  for (int i = 0; i < c->mesh->nnode; i++) {
    if (!used[i]) {
      first = count++ ? first : i;
    }
  }
  return count ? lb_error_add(c->err, LB_INVALID, c->place,
                              "mesh '%s': no element uses node %d (%d such nodes in all)", c->name,
                              first + 1, count)
               : LB_OK;
}

static lb_status report_parts(const check* c, int* parent) {
  const int first = lb_sets_root(parent, c->mesh->elem[0]);
  for (int i = 0; i < c->mesh->nnode; i++) {
    if (lb_sets_root(parent, i) != first) {
      const lb_vec3 v = c->mesh->node[i];
      return lb_error_add(c->err, LB_INVALID, c->place,
                          "mesh '%s' is in several parts: the one with node %d at (%.6g, %.6g, "
                          "%.6g) does not hang together with the first",
                          c->name, i + 1, v.x, v.y, v.z);
    }
  }
  return LB_OK;
}

static lb_status check_connection(const check* c) {
  const lb_tetmesh* mesh = c->mesh;
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  lb_status status = LB_NO_MEMORY;
  int* parent = LB_TAKE(c->scratch, int, mesh->nnode);
  char* used = LB_TAKE(c->scratch, char, mesh->nnode);
  if (parent && used) {
    for (int k = 0; k < mesh->nelem * lb_tetmesh_elem_nodes(mesh); k++) {
      used[mesh->elem[k]] = 1;
    }
    join(mesh, parent);
    status = report_unused(c, used);
    status = status == LB_OK ? report_parts(c, parent) : status;
  } else {
    lb_error_add(c->err, status, c->place, "no memory to check mesh '%s'", c->name);
  }
  lb_arena_reset(c->scratch, mark);
  return status;
}

lb_status lb_tetmesh_check(const lb_tetmesh* mesh, const char* name, lb_place place,
                           lb_arena* scratch, lb_error* err) {
  static lb_status (*const all[])(const check*) = {check_nodes, check_indices, check_shapes,
                                                   check_connection};
  const check c = {mesh, name, place, scratch, err};
  if (mesh->nelem == 0) {
    return lb_error_add(err, LB_INVALID, place, "mesh '%s' has no tetrahedra", name);
  }
  lb_status status = LB_OK;
  for (size_t i = 0; status == LB_OK && i < sizeof all / sizeof *all; i++) {
    status = all[i](&c);
  }
  return status;
}
