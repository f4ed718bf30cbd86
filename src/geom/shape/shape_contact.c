// Where a shape touches a plane: points, with the radius that rounds them.
#include "geom/shape/shape.h"

enum { AROUND = 16, CORNERS = 8 };

// Corners of the core's box, each once where that is flat.
static int find_corners(const lb_shape* s, lb_ball* ball) {
  const lb_shape_kind* kind = lb_shape_kind_of(s->type);
  const lb_bounds b = kind->core(s);
  const bool flat[3] = {b.low.x == b.high.x, b.low.y == b.high.y, b.low.z == b.high.z};
  int n = 0;
  for (int i = 0; i < CORNERS; i++) {
    if ((i & 1 && flat[0]) || (i & 2 && flat[1]) || (i & 4 && flat[2])) {
      continue;
    }
    ball[n++] = (lb_ball){
        {i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z},
        kind->rounded ? s->size.x : 0};
  }
  return n;
}

static lb_vec3 farthest(const lb_mesh* mesh, lb_vec3 along) {
  lb_vec3 best = mesh->vertex[0];
  for (int i = 1; i < mesh->nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    best = lb_vec3_dot(lb_vec3_sub(v, best), along) > 0 ? v : best;
  }
  return best;
}

static bool is_among(int n, const lb_ball* ball, lb_vec3 p) {
  bool found = false;
  for (int i = 0; i < n; i++) {
    found = found || lb_vec3_norm(lb_vec3_sub(ball[i].centre, p)) == 0;
  }
  return found;
}

int lb_shape_contacts(const lb_shape* s, lb_arena* scratch, lb_ball ball[LB_CONTACTS_MOST]) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  lb_mesh mesh;
  lb_vec3* normal;
  int n = 0;
  if (lb_shape_kind_of(s->type)->rounded || s->type == LB_SHAPE_BOX) {
    return find_corners(s, ball);
  }
  if (lb_shape_tessellate(s, AROUND, scratch, &mesh, &normal) != LB_OK) {
    return -1;
  }
  for (int k = 0; k < 27 && mesh.nvertex > 0; k++) { // all but the middle one of a 3 x 3 x 3 cube
    const lb_vec3 p = farthest(&mesh, lb_vec3_make(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
    if (k != 13 && !is_among(n, ball, p)) {
      ball[n++] = (lb_ball){.centre = p};
    }
  }
  lb_arena_reset(scratch, mark);
  return n;
}
