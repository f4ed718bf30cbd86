// Round shapes are profiles turned about z; a box has four corners a face; a mesh gives every face
// its own corners, so that edges stay sharp.
#include "record/surface.h"

#include "base/assert.h"

static const double PI = 3.14159265358979323846;

// A point of a profile: distance from the axis, height, and the normal there.
typedef struct profile_point {
  double r, z, nr, nz;
} profile_point;

static bool take(lb_surface* s, lb_arena* arena, int nvertex, int nface) {
  *s = (lb_surface){.nvertex = nvertex, .nface = nface};
  s->vertex = LB_TAKE(arena, lb_vec3, nvertex);
  s->normal = LB_TAKE(arena, lb_vec3, nvertex);
  s->face = LB_TAKE(arena, int, 3 * nface);
  return s->vertex && s->normal && s->face;
}

// Turn a profile, given from top to bottom, about z. Triangles at the poles, which have no area,
// are left out.
static bool revolve(lb_surface* s, lb_arena* arena, const profile_point* p, int n, int segments) {
  if (!take(s, arena, n * (segments + 1), 2 * (n - 1) * segments)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= segments; k++) {
      const double a = 2 * PI * (k % segments) / segments;
      const int v = i * (segments + 1) + k;
      s->vertex[v] = lb_vec3_make(p[i].r * cos(a), p[i].r * sin(a), p[i].z);
      s->normal[v] = lb_vec3_make(p[i].nr * cos(a), p[i].nr * sin(a), p[i].nz);
    }
  }
  int* f = s->face;
  for (int i = 0; i + 1 < n; i++) {
    for (int k = 0; k < segments; k++) {
      const int a = i * (segments + 1) + k, b = a + segments + 1;
      if (p[i + 1].r > 0) {
        *f++ = a, *f++ = b, *f++ = b + 1;
      }
      if (p[i].r > 0) {
        *f++ = a, *f++ = b + 1, *f++ = a + 1;
      }
    }
  }
  s->nface = (int)((f - s->face) / 3);
  return true;
}

enum { MOST_SEGMENTS = 128 };

// Two half circles of radius r, `length` apart; a sphere when that is 0.
static bool round_ends(lb_surface* s, lb_arena* arena, double r, double length, int segments) {
  profile_point p[MOST_SEGMENTS + 2];
  const int half = segments / 4;
  int n = 0;
  for (int end = 0; end < 2; end++) {
    for (int i = length > 0 || end == 0 ? 0 : 1; i <= half; i++) {
      const double a = PI / 2 * (end + (double)i / half); // from the upper pole
      const double z = (end ? -1 : 1) * length / 2;
      const bool pole = end ? i == half : i == 0;
      p[n++] = (profile_point){pole ? 0 : r * sin(a), z + r * cos(a), pole ? 0 : sin(a), cos(a)};
    }
  }
  return revolve(s, arena, p, n, segments);
}

static bool sphere(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  return round_ends(s, arena, shape->size.x, 0, segments);
}

static bool capsule(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  return round_ends(s, arena, shape->size.x, shape->size.y, segments);
}

static bool cylinder(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  const double r = shape->size.x, h = shape->size.y / 2;
  const profile_point p[] = {{0, h, 0, 1},  {r, h, 0, 1},   {r, h, 1, 0},
                             {r, -h, 1, 0}, {r, -h, 0, -1}, {0, -h, 0, -1}};
  if (!revolve(s, arena, p, 6, segments)) {
    return false;
  }
  return true;
}

static bool ellipsoid(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  if (!round_ends(s, arena, 1, 0, segments)) {
    return false;
  }
  const lb_vec3 e = shape->size;
  for (int i = 0; i < s->nvertex; i++) {
    const lb_vec3 v = s->vertex[i];
    const lb_vec3 n = {v.x / e.x, v.y / e.y, v.z / e.z};
    s->vertex[i] = lb_vec3_make(v.x * e.x, v.y * e.y, v.z * e.z);
    s->normal[i] = lb_vec3_scale(1 / lb_vec3_norm(n), n);
  }
  return true;
}

static bool box(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  (void)segments;
  if (!take(s, arena, 24, 12)) {
    return false;
  }
  const double half[3] = {shape->size.x / 2, shape->size.y / 2, shape->size.z / 2};
  static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int f = 0; f < 6; f++) {
    const int axis = f / 2, sign = f % 2 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
      double v[3], n[3] = {0, 0, 0};
      n[axis] = sign;
      v[axis] = sign * half[axis];
      v[(axis + 1) % 3] = corner[i][0] * half[(axis + 1) % 3];
      v[(axis + 2) % 3] = sign * corner[i][1] * half[(axis + 2) % 3];
      s->vertex[4 * f + i] = lb_vec3_make(v[0], v[1], v[2]);
      s->normal[4 * f + i] = lb_vec3_make(n[0], n[1], n[2]);
    }
    const int index[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; i++) {
      s->face[6 * f + i] = 4 * f + index[i];
    }
  }
  return true;
}

static bool mesh(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* s) {
  (void)segments;
  const lb_mesh* m = shape->mesh;
  if (!take(s, arena, m ? 3 * m->nface : 0, m ? m->nface : 0)) {
    return false;
  }
  const lb_vec3 e = shape->size;
  const bool mirrored = e.x * e.y * e.z < 0;
  for (int f = 0; f < s->nface; f++) {
    lb_vec3* v = s->vertex + 3 * f;
    for (int i = 0; i < 3; i++) {
      const lb_vec3 p = m->vertex[m->face[3 * f + i]];
      v[mirrored ? 2 - i : i] = lb_vec3_make(p.x * e.x, p.y * e.y, p.z * e.z);
    }
    const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0]));
    const double length = lb_vec3_norm(n);
    for (int i = 0; i < 3; i++) {
      s->normal[3 * f + i] = length > 0 ? lb_vec3_scale(1 / length, n) : lb_vec3_make(0, 0, 1);
      s->face[3 * f + i] = 3 * f + i;
    }
  }
  return true;
}

bool lb_shape_tessellate(const lb_shape* shape, int segments, lb_arena* arena,
                         lb_surface* surface) {
  static bool (*const of[LB_SHAPE_COUNT])(const lb_shape*, int, lb_arena*, lb_surface*) = {
      sphere, box, capsule, cylinder, ellipsoid, mesh};
  LB_ASSERT(segments >= 4 && segments % 4 == 0 && segments <= MOST_SEGMENTS);
  return of[shape->type](shape, segments, arena, surface);
}
