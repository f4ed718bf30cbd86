// A frame drawn from far away (parallel projection), back to front: what is seen of each shape, and
// in which order. Round shapes are strokes and ellipses, flat ones are polygons shaded by their
// slope; so a hundred links take kilobytes, not megabytes.
#include "output/report/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "output/report/deformed.h"
#include "output/report/picture_items.h"

static const double PI = 3.14159265358979323846;
static const double MARGIN = 0.07; // of the picture's size
static const double LEAST = 1.6;   // radius of what is drawn round, so that it is seen

enum {
  MOST_SIDES = 24,     // of a cylinder
  MOST_PIECES = 6,     // of a long one, when there are
  FEW_SHAPES = 40,     // fewer shapes than this
  MOST_SORTED = 1500,  // items put in order by where they are; more go by their middles alone
  MOST_PAINTED = 5000, // pieces of a picture, about; where there would be more, shapes are left out
  MOST_FACES = 1000,   // of a mesh drawn as it is; finer ones are thinned,
  LEAST_FACES = 60,    // in the company of many others more so
  ALL_FACES = 8000
};

// --- how much to draw ---

static int most_faces(const lb_model* m) {
  int n = 0;
  for (int i = 0; i < m->look.nshape; i++) {
    n += m->look.shape[i].shape.mesh != NULL;
  }
  const int share = n ? ALL_FACES / n : MOST_FACES;
  return share < LEAST_FACES ? LEAST_FACES : share > MOST_FACES ? MOST_FACES : share;
}

int lb_picture_stride(const lb_model* m) {
  const int faces = most_faces(m);
  long sum = 0;
  for (int i = 0; i < m->look.nshape; i++) {
    const lb_mesh* mesh = m->look.shape[i].shape.mesh;
    sum += mesh ? (mesh->nface < faces ? mesh->nface : faces) / 2
                : lb_shape_kind_of(m->look.shape[i].shape.type)->faces;
  }
  return (int)((sum + MOST_PAINTED - 1) / MOST_PAINTED) + (sum == 0);
}

// --- projection ---

static camera make_camera(const lb_recording* r, const lb_view* view, int frame) {
  camera c = {.axes = lb_view_axes(view)};
  // The light stands above the viewer's left shoulder.
  const lb_vec3 l =
      lb_vec3_add(lb_vec3_add(lb_vec3_scale(-0.45, c.axes.right), lb_vec3_scale(0.75, c.axes.up)),
                  lb_vec3_scale(0.6, c.axes.eye));
  c.light = lb_vec3_scale(1 / lb_vec3_norm(l), l);
  const double tall = view->whole ? view->tall : view->near;
  const double wide = view->whole ? view->wide : view->near;
  const double fit = fmax(tall / LB_PICTURE_HEIGHT, wide / LB_PICTURE_WIDTH);
  c.scale = (0.5 - MARGIN) / fit;
  const point p = project(&c, view->whole ? view->centre : lb_view_middle(r, frame));
  c.u0 = LB_PICTURE_WIDTH / 2.0 - p.u;
  c.v0 = LB_PICTURE_HEIGHT / 2.0 - p.v;
  return c;
}

// --- items ---

static item* add_item(picture* p, item_kind kind, double depth, const double color[4]) {
  item* moved = LB_GROW(&p->arena, p->item, p->nitem, &p->capacity);
  if (!moved) {
    p->failed = true;
    return NULL;
  }
  p->item = moved;
  item* it = &p->item[p->nitem];
  *it = (item){.depth = depth, .order = p->nitem, .kind = kind};
  for (int i = 0; i < 4; i++) {
    it->color[i] = color[i];
  }
  p->nitem++;
  return it;
}

// One more corner, or end, or centre; what has a radius covers that much more.
static void add_corner(const picture* p, item* it, lb_vec3 place) {
  const point c = project(&p->cam, place);
  const double r = it->radius;
  if (it->n == 0) {
    it->low = it->high = c;
  }
  it->low = (point){fmin(it->low.u, c.u - r), fmin(it->low.v, c.v - r)};
  it->high = (point){fmax(it->high.u, c.u + r), fmax(it->high.v, c.v + r)};
  it->place[it->n] = place;
  it->corner[it->n++] = c;
}

// A flat polygon that faces the eye, shaded by its normal; others are not seen.
static void add_polygon(picture* p, const lb_vec3* corner, int n, const double color[4]) {
  lb_vec3 normal = {0, 0, 0}, middle = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    normal = lb_vec3_add(normal, lb_vec3_cross(corner[i], corner[(i + 1) % n]));
    middle = lb_vec3_add(middle, lb_vec3_scale(1.0 / n, corner[i]));
  }
  const double length = lb_vec3_norm(normal);
  if (!(length > 0) || lb_vec3_dot(normal, p->cam.axes.eye) <= 0) {
    return;
  }
  const double slope = fmax(0, lb_vec3_dot(normal, p->cam.light) / length);
  const double shade = 0.36 + 0.72 * slope;
  const double shaded[4] = {shade * color[0], shade * color[1], shade * color[2], color[3]};
  item* it = add_item(p, POLYGON, lb_vec3_dot(middle, p->cam.axes.eye), shaded);
  if (it) {
    it->normal = lb_vec3_scale(1 / length, normal);
  }
  for (int i = 0; it && i < n; i++) {
    add_corner(p, it, corner[i]);
  }
}

// A thick line with round ends, which is what a capsule looks like from far away.
static void add_stroke(picture* p, lb_vec3 a, lb_vec3 b, double radius, const double color[4]) {
  const lb_vec3 middle = lb_vec3_scale(0.5, lb_vec3_add(a, b));
  item* it = add_item(p, STROKE, lb_vec3_dot(middle, p->cam.axes.eye), color);
  if (it) {
    it->radius = fmax(LEAST, p->cam.scale * radius);
    add_corner(p, it, a);
    add_corner(p, it, b);
  }
}

// --- shapes, each in the world pose X ---

// A rounded shape whose core is a segment, or a point.
static void draw_rounded(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  const lb_bounds core = lb_shape_kind_of(s->type)->core(s);
  add_stroke(p, lb_transform_point(X, core.high), lb_transform_point(X, core.low), s->size.x,
             color);
}

static void draw_box(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  // Each face: the signs of its corners, counter-clockwise from outside.
  static const signed char face[6][4][3] = {{{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}},
                                            {{-1, -1, -1}, {-1, -1, 1}, {-1, 1, 1}, {-1, 1, -1}},
                                            {{-1, 1, -1}, {-1, 1, 1}, {1, 1, 1}, {1, 1, -1}},
                                            {{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}},
                                            {{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}},
                                            {{-1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {1, -1, -1}}};
  for (int f = 0; f < 6; f++) {
    lb_vec3 corner[4];
    for (int i = 0; i < 4; i++) {
      const signed char* c = face[f][i];
      corner[i] = lb_transform_point(
          X, lb_vec3_make(c[0] * s->size.x / 2, c[1] * s->size.y / 2, c[2] * s->size.z / 2));
    }
    add_polygon(p, corner, 4, color);
  }
}

// A ring of the cylinder at height z, counter-clockwise seen from above.
static void put_ring(lb_vec3* ring, int sides, double r, double z, lb_transform X) {
  for (int i = 0; i < sides; i++) {
    const double a = 2 * PI * i / sides;
    ring[i] = lb_transform_point(X, lb_vec3_make(r * cos(a), r * sin(a), z));
  }
}

// Long ones are cut into pieces, so that a shaft through a disc comes out in front of it and
// behind.
static void draw_cylinder(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  const double r = s->size.x, l = s->size.y;
  const int sides = (int)fmax(8, fmin(MOST_SIDES, p->cam.scale * r));
  const bool few = p->r->model->look.nshape < FEW_SHAPES;
  const int pieces = few ? (int)fmax(1, fmin(MOST_PIECES, l / (4 * r))) : 1;
  lb_vec3 low[MOST_SIDES], high[MOST_SIDES];
  put_ring(low, sides, r, -l / 2, X);
  lb_vec3 bottom[MOST_SIDES];
  for (int i = 0; i < sides; i++) {
    bottom[i] = low[sides - 1 - i];
  }
  add_polygon(p, bottom, sides, color);
  for (int k = 1; k <= pieces; k++) {
    put_ring(high, sides, r, -l / 2 + l * k / pieces, X);
    for (int i = 0; i < sides; i++) {
      const int j = (i + 1) % sides;
      const lb_vec3 side[4] = {low[i], low[j], high[j], high[i]};
      add_polygon(p, side, 4, color);
    }
    memcpy(low, high, sizeof low);
  }
  add_polygon(p, high, sides, color);
}

// An ellipsoid projects to an ellipse: with A = R diag(a^2) R', its shape matrix in the picture is
// [right up]' A [right up].
static void draw_ellipsoid(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  const lb_mat3 R = lb_quat_matrix(X.q);
  const lb_vec3 axis[3] = {lb_vec3_scale(s->size.x, R.x), lb_vec3_scale(s->size.y, R.y),
                           lb_vec3_scale(s->size.z, R.z)};
  double uu = 0, uv = 0, vv = 0;
  for (int i = 0; i < 3; i++) {
    const double u = lb_vec3_dot(axis[i], p->cam.axes.right),
                 v = -lb_vec3_dot(axis[i], p->cam.axes.up);
    uu += u * u;
    uv += u * v;
    vv += v * v;
  }
  const double mean = (uu + vv) / 2, apart = hypot((uu - vv) / 2, uv);
  item* it = add_item(p, ELLIPSE, lb_vec3_dot(X.p, p->cam.axes.eye), color);
  if (it) {
    it->radius = p->cam.scale * sqrt(mean + apart);
    it->across = p->cam.scale * sqrt(fmax(0, mean - apart));
    it->angle = atan2(2 * uv, uu - vv) / 2;
    add_corner(p, it, X.p);
  }
}

// A mesh's vertex moved to the mean of its cell, when the mesh is fine enough to be thinned. Cells
// are as wide as the faces would be if there were as many as asked for, area = faces side^2/2, so
// that a thin rod keeps its section.
typedef struct thinned {
  int* cell;     // [nvertex] which cell a vertex is in
  lb_vec3* mean; // [cells]
} thinned;

static double area_of(const lb_mesh* mesh) {
  double sum = 0;
  for (int f = 0; f < mesh->nface; f++) {
    const int* face = mesh->face + 3 * f;
    const lb_vec3 a = mesh->vertex[face[0]];
    sum += lb_vec3_norm(lb_vec3_cross(lb_vec3_sub(mesh->vertex[face[1]], a),
                                      lb_vec3_sub(mesh->vertex[face[2]], a)));
  }
  return sum / 2;
}

// Cells of a box with this side, at least, of which there are not too many.
typedef struct cells {
  lb_bounds box;
  double side;
  int n[3];
} cells;

static cells make_cells(const lb_mesh* mesh, double side) {
  static const double MOST = 1e6;
  const lb_shape unit = {.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = mesh};
  cells c = {.box = lb_shape_kind_of(LB_SHAPE_MESH)->core(&unit), .side = side};
  const lb_vec3 wide = lb_vec3_sub(c.box.high, c.box.low);
  const double size[3] = {wide.x, wide.y, wide.z};
  do {
    for (int k = 0; k < 3; k++) {
      c.n[k] = 1 + (c.side > 0 ? (int)fmin(MOST, size[k] / c.side) : 0);
    }
    c.side *= 1.5;
  } while ((double)c.n[0] * c.n[1] * c.n[2] > MOST);
  c.side /= 1.5;
  return c;
}

static int cell_of(const cells* c, lb_vec3 p) {
  const lb_vec3 d = lb_vec3_sub(p, c->box.low);
  const double at[3] = {d.x, d.y, d.z};
  int cell = 0;
  for (int k = 0; k < 3; k++) {
    const int i = c->side > 0 ? (int)fmax(0, fmin(c->n[k] - 1, at[k] / c->side)) : 0;
    cell = cell * c->n[k] + i;
  }
  return cell;
}

static bool thin(picture* p, const lb_mesh* mesh, thinned* t) {
  const cells c = make_cells(mesh, sqrt(2 * area_of(mesh) / p->faces));
  const int ncell = c.n[0] * c.n[1] * c.n[2];
  int* count = LB_TAKE(&p->arena, int, ncell);
  t->cell = LB_TAKE(&p->arena, int, mesh->nvertex);
  t->mean = LB_TAKE(&p->arena, lb_vec3, ncell);
  if (lb_arena_status(&p->arena) != LB_OK) {
    return false;
  }
  for (int i = 0; i < mesh->nvertex; i++) {
    const int cell = cell_of(&c, mesh->vertex[i]);
    t->cell[i] = cell;
    t->mean[cell] = lb_vec3_add(t->mean[cell], mesh->vertex[i]);
    count[cell]++;
  }
  for (int i = 0; i < ncell; i++) {
    t->mean[i] = lb_vec3_scale(count[i] ? 1.0 / count[i] : 0, t->mean[i]);
  }
  return true;
}

static void draw_mesh(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  const lb_mesh* mesh = s->mesh;
  if (!mesh) {
    return;
  }
  thinned t = {0};
  const bool fine = mesh->nface > p->faces;
  if (fine && !thin(p, mesh, &t)) {
    p->failed = true;
    return;
  }
  const bool mirrored = s->size.x * s->size.y * s->size.z < 0;
  for (int f = 0; f < mesh->nface; f++) {
    const int* face = mesh->face + 3 * f;
    if (fine && (t.cell[face[0]] == t.cell[face[1]] || t.cell[face[1]] == t.cell[face[2]] ||
                 t.cell[face[2]] == t.cell[face[0]])) {
      continue;
    }
    lb_vec3 corner[3];
    for (int i = 0; i < 3; i++) {
      const lb_vec3 v = fine ? t.mean[t.cell[face[i]]] : mesh->vertex[face[i]];
      corner[mirrored ? 2 - i : i] =
          lb_transform_point(X, lb_vec3_make(v.x * s->size.x, v.y * s->size.y, v.z * s->size.z));
    }
    add_polygon(p, corner, 3, color);
  }
}

// Any other shape, by the triangles of its drawing.
static void draw_triangles(picture* p, const lb_shape* s, lb_transform X, const double color[4]) {
  lb_mesh mesh;
  lb_vec3* normal;
  if (lb_shape_tessellate(s, MOST_SIDES, &p->arena, &mesh, &normal) != LB_OK) {
    p->failed = true;
    return;
  }
  draw_mesh(p, &(lb_shape){.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = &mesh}, X, color);
}

typedef void draw_function(picture*, const lb_shape*, lb_transform, const double[4]);

// Shapes that need fewer items than their triangles.
static draw_function* const DRAW[LB_SHAPE_COUNT] = {
    [LB_SHAPE_SPHERE] = draw_rounded,      [LB_SHAPE_BOX] = draw_box,
    [LB_SHAPE_CAPSULE] = draw_rounded,     [LB_SHAPE_CYLINDER] = draw_cylinder,
    [LB_SHAPE_ELLIPSOID] = draw_ellipsoid, [LB_SHAPE_MESH] = draw_mesh,
};

// --- what changes its form ---

static const double GREY[4] = {0.35, 0.37, 0.4, 1};
static const double DARK[4] = {0.06, 0.06, 0.07, 1};

static const double* color_of(const lb_model* m, int material) {
  return material >= 0 && material < m->look.nmaterial ? m->look.material[material].color : GREY;
}

// A surface whose vertices are where `vertex` has those of item `which`.
static void draw_bent(picture* p, int frame, int which, const lb_mesh* surface,
                      lb_vec3 (*vertex)(const lb_recording*, int, int, int), lb_transform X,
                      int material) {
  lb_mesh bent = *surface;
  bent.vertex = LB_TAKE(&p->arena, lb_vec3, surface->nvertex);
  p->failed = !bent.vertex;
  for (int i = 0; i < bent.nvertex && !p->failed; i++) {
    bent.vertex[i] = vertex(p->r, frame, which, i);
  }
  const lb_shape shape = {.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = &bent};
  if (!p->failed) {
    draw_mesh(p, &shape, X, color_of(p->r->model, material));
  }
}

static void draw_line(picture* p, int frame, int line) {
  const lb_model* m = p->r->model;
  const lb_bent_look look = lb_bent_look_of(m, line);
  lb_vec3 end[2];
  lb_bent_line(p->r, frame, line, end);
  double color[4];
  lb_bent_color(p->r, frame, line, look.material >= 0 ? color_of(m, look.material) : DARK, color);
  add_stroke(p, end[0], end[1],
             lb_bent_radius(p->r, frame, line, LB_SPRING_THICKNESS * p->view->radius), color);
}

static void collect(picture* p, int frame) {
  const lb_model* m = p->r->model;
  for (int i = 0; i < m->look.nshape && !p->failed; i++) {
    if (!is_drawn(p, i)) {
      continue;
    }
    const lb_model_shape* s = &m->look.shape[i];
    const lb_transform X = world_pose(p->r, frame, s);
    const double sum = X.p.x + X.p.y + X.p.z + X.q.w + X.q.x + X.q.y + X.q.z;
    const int before = p->nitem;
    if (isfinite(sum)) {
      draw_function* draw = DRAW[s->shape.type] ? DRAW[s->shape.type] : draw_triangles;
      draw(p, &s->shape, X, color_of(m, s->material));
    }
    // Scenery far larger than the motion is what the rest stands on.
    const bool backdrop =
        s->body == LB_WORLD && lb_shape_ball(&s->shape).radius > 1.2 * p->view->radius;
    for (int k = before; backdrop && k < p->nitem; k++) {
      p->item[k].depth -= 1e6 * p->view->radius;
    }
  }
  for (int e = 0; e < m->elastic.count && !p->failed; e++) {
    const lb_model_elastic* b = &m->elastic.body[e];
    const lb_transform X = p->r->pose[(size_t)frame * (size_t)m->nbody + (size_t)b->body];
    draw_bent(p, frame, e, &b->surface, lb_bent_vertex, X, b->material);
  }
  for (int i = 0; i < m->particles.ndeformable && !p->failed; i++) {
    const lb_model_deformable* b = &m->particles.deformable[i];
    draw_bent(p, frame, i, &b->surface, lb_bent_deformable, lb_transform_identity(), b->material);
  }
  for (int i = 0; i < lb_bent_lines(m) && !p->failed; i++) {
    draw_line(p, frame, i);
  }
}

// --- order ---

static int back_to_front(const void* a, const void* b) {
  const item *x = a, *y = b;
  if (x->depth != y->depth) {
    return x->depth < y->depth ? -1 : 1;
  }
  return x->order - y->order;
}

static bool overlap(const item* a, const item* b) {
  return a->low.u < b->high.u && b->low.u < a->high.u && a->low.v < b->high.v &&
         b->low.v < a->high.v;
}

// Is all of `a` on one side of the polygon's plane: `side` +1 the eye's, -1 the other?
static bool beside(const item* a, const item* polygon, int side, double tolerance) {
  for (int i = 0; i < a->n; i++) {
    const lb_vec3 d = lb_vec3_sub(a->place[i], polygon->place[0]);
    if (side * lb_vec3_dot(polygon->normal, d) < -tolerance) {
      return false;
    }
  }
  return true;
}

// True when `b` cannot hide any of `a`, by the plane of either.
static bool may_follow(const item* a, const item* b, double tolerance) {
  return (a->kind == POLYGON && beside(b, a, -1, tolerance)) ||
         (b->kind == POLYGON && beside(a, b, 1, tolerance));
}

// Paint what `i` hides, then `i`. Things that hide each other in a ring are taken as they come.
static void paint(picture* p, int i, int* sequence, int* n) {
  item* it = &p->item[i];
  it->painted = true;
  const double tolerance = 1e-6 * p->view->radius;
  for (int j = 0; j < p->nitem; j++) {
    const item* other = &p->item[j];
    const bool together = is_backdrop(p, it) == is_backdrop(p, other);
    if (!other->painted && together && overlap(it, other) && may_follow(it, other, tolerance) &&
        !may_follow(other, it, tolerance)) {
      paint(p, j, sequence, n);
    }
  }
  sequence[(*n)++] = i;
}

// From the back to the front: by the middles, then by what really hides what.
static int* put_in_order(picture* p) {
  int* sequence = LB_TAKE(&p->arena, int, p->nitem);
  if (!sequence) {
    p->failed = true;
    return NULL;
  }
  if (p->nitem > 0) {
    qsort(p->item, (size_t)p->nitem, sizeof *p->item, back_to_front);
  }
  int n = 0;
  for (int i = 0; i < p->nitem; i++) {
    if (p->nitem > MOST_SORTED) {
      sequence[n++] = i;
    } else if (!p->item[i].painted) {
      paint(p, i, sequence, &n);
    }
  }
  return sequence;
}

bool lb_picture_write(lb_out* out, const lb_recording* recording, const lb_view* view, int frame) {
  picture p = {.r = recording,
               .view = view,
               .cam = make_camera(recording, view, frame),
               .stride = lb_picture_stride(recording->model),
               .faces = most_faces(recording->model)};
  lb_arena_init(&p.arena, recording->allocator);
  collect(&p, frame);
  const int* sequence = p.failed ? NULL : put_in_order(&p);
  if (sequence) {
    lb_picture_svg(out, &p, sequence, frame);
  }
  lb_arena_release(&p.arena);
  return !p.failed;
}
