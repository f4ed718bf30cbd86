// Polygons to triangles.
#include "geom/mesh/polygon.h"

#include <stdbool.h>
#include <string.h>

static void put(int* face, int a, int b, int c) {
  face[0] = a, face[1] = b, face[2] = c;
}

static void fan(const int* corner, int count, int* face) {
  for (int i = 0; i + 2 < count; i++) {
    put(&face[3 * i], corner[0], corner[i + 1], corner[i + 2]);
  }
}

// Twice the area of a triangle, positive when it turns the way n points.
static double turn(lb_vec3 n, lb_vec3 a, lb_vec3 b, lb_vec3 c) {
  return lb_vec3_dot(n, lb_vec3_cross(lb_vec3_sub(b, a), lb_vec3_sub(c, a)));
}

// Newell's normal: the sum of the fan's, which does not mind corners in a line.
static lb_vec3 normal_of(const lb_vec3* vertex, const int* corner, int count) {
  lb_vec3 n = {0, 0, 0};
  const lb_vec3 a = vertex[corner[0]];
  for (int i = 1; i + 1 < count; i++) {
    n = lb_vec3_add(
        n, lb_vec3_cross(lb_vec3_sub(vertex[corner[i]], a), lb_vec3_sub(vertex[corner[i + 1]], a)));
  }
  return n;
}

static bool is_convex(const lb_vec3* vertex, const int* corner, int count, lb_vec3 n) {
  for (int i = 0; i < count; i++) {
    if (turn(n, vertex[corner[i]], vertex[corner[(i + 1) % count]],
             vertex[corner[(i + 2) % count]]) < 0) {
      return false;
    }
  }
  return true;
}

// Can the triangle at corner i be cut off: does it turn the right way, with no other corner in it?
static bool is_ear(const lb_vec3* vertex, const int* corner, int count, int i, lb_vec3 n) {
  const int before = corner[(i + count - 1) % count], after = corner[(i + 1) % count];
  const lb_vec3 a = vertex[before], b = vertex[corner[i]], c = vertex[after];
  if (!(turn(n, a, b, c) > 0)) {
    return false;
  }
  for (int k = 0; k < count; k++) {
    const lb_vec3 p = vertex[corner[k]];
    if (corner[k] != before && corner[k] != corner[i] && corner[k] != after &&
        turn(n, a, b, p) >= 0 && turn(n, b, c, p) >= 0 && turn(n, c, a, p) >= 0) {
      return false;
    }
  }
  return true;
}

static void cut_ears(const lb_vec3* vertex, const int* corner, int count, lb_vec3 n, int* face) {
  int left[LB_POLYGON_MOST];
  memcpy(left, corner, (size_t)count * sizeof *left);
  int tried = 0, i = 0;
  while (count > 3 && tried < count) {
    i %= count;
    if (!is_ear(vertex, left, count, i, n)) {
      i++;
      tried++;
      continue;
    }
    put(face, left[(i + count - 1) % count], left[i], left[(i + 1) % count]);
    face += 3;
    memmove(&left[i], &left[i + 1], (size_t)(count - i - 1) * sizeof *left);
    count--;
    tried = 0;
    i++; // skipping one keeps the pieces from all meeting in one corner
  }
  fan(left, count, face);
}

void lb_polygon_cut(const lb_vec3* vertex, const int* corner, int count, int* face) {
  const lb_vec3 n = normal_of(vertex, corner, count);
  if (count <= 3 || count > LB_POLYGON_MOST || is_convex(vertex, corner, count, n)) {
    fan(corner, count, face);
  } else {
    cut_ears(vertex, corner, count, n, face);
  }
}
