#include "output/film/raster.h"

#include <math.h>
#include <string.h>

#include "model/use/link.h"
#include "output/gltf/gltf.h"
#include "output/report/deformed.h"
#include "output/report/srgb.h"

enum {
  FINE = 2,    // samples a pixel along each side
  AROUND = 40, // corners of a circle
  SPRING_AROUND = 8,
  SHADES = 4095 // of light, from which screens' bytes are made
};

static const double HALF_VIEW = 0.2793; // half the vertical angle of view, 16 degrees [rad]

// A surface with its normals, in the frame of what carries it.
typedef struct solid {
  int body;   // or LB_WORLD
  bool moves; // it casts a shadow; what does not can have one on it
  lb_transform pose;
  lb_mesh mesh;
  lb_vec3* normal;
  double color[3];
  int elastic, deformable; // that change their form each frame, or -1
} solid;

typedef struct sample {
  float depth;
  float color[3];
} sample;

struct lb_raster {
  const lb_recording* r;
  lb_view view;
  int width, height; // of samples
  sample* buffer;    // [height][width]
  sample* still;     // [height][width] all that stands still, as long as the camera does
  bool drawn;        // that is there
  bool* shaded;      // [height][width] in a shadow
  int nsolid;
  solid* solid;
  lb_mesh cylinder; // for springs, along z, of radius and length one
  lb_vec3* cylinder_normal;
  lb_vec3* vertex; // room for the vertices of one solid in the world
  lb_vec3* turned; // and their normals
  lb_vec3 eye, right, up, forward, light;
  double near;    // depth from which on things are seen [m] > 0
  double scale;   // pixels for a slope of one
  double spacing; // of the grid [m]
  unsigned char srgb[SHADES + 1];
};

// --- collecting ---

static void set_color(const lb_model* m, int material, double color[3]) {
  static const double GREY[3] = {0.35, 0.37, 0.4};
  const bool own = material >= 0 && material < m->look.nmaterial;
  memcpy(color, own ? m->look.material[material].color : GREY, 3 * sizeof *color);
}

static bool add_shape(lb_raster* R, const lb_model_shape* s, lb_arena* arena) {
  solid* to = &R->solid[R->nsolid++];
  *to = (solid){.body = s->body,
                .pose = s->pose,
                .moves = lb_body_moves(R->r->model, s->body),
                .elastic = -1,
                .deformable = -1};
  set_color(R->r->model, s->material, to->color);
  return lb_shape_tessellate(&s->shape, AROUND, arena, &to->mesh, &to->normal) == LB_OK;
}

static void add_bent(lb_raster* R, const lb_mesh* surface, int body, int material, int elastic,
                     int deformable, lb_arena* arena) {
  solid* to = &R->solid[R->nsolid++];
  *to = (solid){.body = body,
                .pose = lb_transform_identity(),
                .moves = true,
                .mesh = *surface,
                .normal = LB_TAKE(arena, lb_vec3, surface->nvertex),
                .elastic = elastic,
                .deformable = deformable};
  set_color(R->r->model, material, to->color);
}

static bool collect(lb_raster* R, lb_arena* arena) {
  const lb_model* m = R->r->model;
  const lb_shape unit = {.type = LB_SHAPE_CYLINDER, .size = {1, 1, 0}};
  bool ok =
      lb_shape_tessellate(&unit, SPRING_AROUND, arena, &R->cylinder, &R->cylinder_normal) == LB_OK;
  R->solid = LB_TAKE(arena, solid, m->look.nshape + m->elastic.count + m->particles.ndeformable);
  for (int i = 0; i < m->look.nshape && ok && R->solid; i++) {
    ok = add_shape(R, &m->look.shape[i], arena);
  }
  for (int e = 0; e < m->elastic.count && ok && R->solid; e++) {
    const lb_model_elastic* b = &m->elastic.body[e];
    add_bent(R, &b->surface, b->body, b->material, e, -1, arena);
  }
  for (int i = 0; i < m->particles.ndeformable && ok && R->solid; i++) {
    const lb_model_deformable* b = &m->particles.deformable[i];
    add_bent(R, &b->surface, LB_WORLD, b->material, -1, i, arena);
  }
  return ok && R->solid;
}

static bool take_room(lb_raster* R, lb_arena* arena) {
  int most = R->cylinder.nvertex;
  for (int i = 0; i < R->nsolid; i++) {
    most = R->solid[i].mesh.nvertex > most ? R->solid[i].mesh.nvertex : most;
  }
  const size_t samples = (size_t)R->width * (size_t)R->height;
  R->vertex = LB_TAKE(arena, lb_vec3, most);
  R->turned = LB_TAKE(arena, lb_vec3, most);
  R->buffer = LB_TAKE(arena, sample, samples);
  R->still = LB_TAKE(arena, sample, samples);
  R->shaded = LB_TAKE(arena, bool, samples);
  return lb_arena_status(arena) == LB_OK;
}

static void fill_shades(lb_raster* R) {
  for (int i = 0; i <= SHADES; i++) {
    R->srgb[i] = (unsigned char)lb_srgb((double)i / SHADES);
  }
}

// 1, 2 or 5 times a power of ten, at most half the radius.
static double grid_spacing(double radius) {
  const double power = pow(10, floor(log10(radius / 2))), x = radius / 2 / power;
  return power * (x >= 5 ? 5 : x >= 2 ? 2 : 1);
}

lb_status lb_raster_create(const lb_recording* recording, int width, int height, lb_arena* arena,
                           lb_raster** raster) {
  lb_raster* R = LB_TAKE(arena, lb_raster, 1);
  if (!R) {
    return LB_NO_MEMORY;
  }
  *R = (lb_raster){.r = recording, .width = FINE * width, .height = FINE * height};
  if (!lb_view_make(&R->view, recording) || !collect(R, arena) || !take_room(R, arena)) {
    return LB_NO_MEMORY;
  }
  R->spacing = grid_spacing(R->view.radius);
  fill_shades(R);
  *raster = R;
  return LB_OK;
}

// --- the camera ---

static void place_camera(lb_raster* R, int frame) {
  static const double NEAR = 0.02; // of the way to the middle
  const lb_view* v = &R->view;
  const lb_axes a = lb_view_axes(v);
  const double aspect = (double)R->width / R->height, slope = tan(HALF_VIEW);
  const double tall = v->follow ? v->near : v->tall, wide = v->follow ? v->near : v->wide;
  const double deep = v->follow ? v->near : v->deep;
  const double away = deep + 1.05 * fmax(tall, wide / aspect) / slope;
  const lb_vec3 target = v->follow ? lb_view_middle(R->r, frame) : v->centre;
  R->eye = lb_vec3_add(target, lb_vec3_scale(away, a.eye));
  R->right = a.right;
  R->up = a.up;
  R->forward = lb_vec3_scale(-1, a.eye);
  R->near = NEAR * away;
  R->scale = R->height / 2.0 / slope;
  const lb_vec3 l = lb_vec3_add(
      lb_vec3_add(lb_vec3_scale(-0.45, a.right), lb_vec3_scale(0.3, a.eye)), lb_vec3_make(0, 0, 1));
  R->light = lb_vec3_scale(1 / lb_vec3_norm(l), l);
}

// Pixel and depth of a point.
typedef struct spot {
  double u, v, depth;
} spot;

static spot look_at(const lb_raster* R, lb_vec3 p) {
  const lb_vec3 d = lb_vec3_sub(p, R->eye);
  const double depth = lb_vec3_dot(d, R->forward);
  return (spot){R->width / 2.0 + R->scale * lb_vec3_dot(d, R->right) / depth,
                R->height / 2.0 - R->scale * lb_vec3_dot(d, R->up) / depth, depth};
}

// --- the empty world ---

static double channel(double top, double bottom, double t) {
  return top + (bottom - top) * t;
}

// How much of a grid line there is at x, of lines `apart`, as wide as a pixel is there.
static double line_at(double x, double apart, double pixel) {
  const double d = fabs(x / apart - round(x / apart)) * apart;
  return fmax(0, 1 - d / fmax(pixel, 1e-12)) * fmin(1, apart / (6 * pixel));
}

// Sky and grid at a sample, and the depth of the ground there.
static sample backdrop(const lb_raster* R, int u, int v) {
  const double t = (double)v / R->height;
  sample s = {INFINITY,
              {(float)channel(0.93, 0.72, t), (float)channel(0.94, 0.74, t),
               (float)channel(0.95, 0.75, t)}};
  const double x = (u + 0.5 - R->width / 2.0) / R->scale,
               y = (R->height / 2.0 - v - 0.5) / R->scale;
  const lb_vec3 ray =
      lb_vec3_add(R->forward, lb_vec3_add(lb_vec3_scale(x, R->right), lb_vec3_scale(y, R->up)));
  const double way = (R->view.ground - R->eye.z) / ray.z;
  if (!(way > 0)) {
    return s;
  }
  const lb_vec3 p = lb_vec3_add(R->eye, lb_vec3_scale(way, ray));
  const double pixel = way / R->scale * FINE, apart = R->spacing;
  const double off = lb_vec3_norm(lb_vec3_sub(p, R->view.centre)) / (7 * R->view.radius);
  const double fade = fmax(0, 1 - off);
  const double fine = fmax(line_at(p.x, apart, pixel), line_at(p.y, apart, pixel));
  const double main = fmax(line_at(p.x, 5 * apart, pixel), line_at(p.y, 5 * apart, pixel));
  const float dark = (float)(1 - fade * fmax(0.22 * fine, 0.45 * main));
  s.depth = (float)way;
  for (int k = 0; k < 3; k++) {
    s.color[k] *= dark;
  }
  return s;
}

// --- triangles ---

// Something done to every sample of a triangle that is in front, with its weights.
typedef void painter(lb_raster* R, size_t at, float depth, const double weight[3], const void* of);

typedef struct paint_of {
  double side; // 1, or -1: it is seen from behind
  const lb_vec3* normal[3];
  const double* color;
} paint_of;

// Lambert's law, with light from the sky, too, and a little shine.
static void paint(lb_raster* R, size_t at, float depth, const double weight[3], const void* of) {
  const paint_of* p = of;
  lb_vec3 n = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    n = lb_vec3_add(n, lb_vec3_scale(weight[k], *p->normal[k]));
  }
  const double size = lb_vec3_norm(n);
  n = size > 0 ? lb_vec3_scale(p->side / size, n) : n;
  const double sun = fmax(0, lb_vec3_dot(n, R->light)), sky = 0.5 + 0.5 * n.z;
  const lb_vec3 half = lb_vec3_sub(R->light, R->forward);
  const double shine = 0.12 * pow(fmax(0, lb_vec3_dot(n, half) / lb_vec3_norm(half)), 30);
  R->buffer[at].depth = depth;
  for (int k = 0; k < 3; k++) {
    R->buffer[at].color[k] = (float)(p->color[k] * (0.3 + 0.25 * sky + 0.75 * sun) + shine);
  }
}

static void shade(lb_raster* R, size_t at, float depth, const double weight[3], const void* of) {
  (void)depth, (void)weight, (void)of;
  R->shaded[at] = true;
}

// Corner of a triangle: its place and its normal.
typedef struct corner {
  lb_vec3 at, normal;
} corner;

static double depth_of(const lb_raster* R, lb_vec3 p) {
  return lb_vec3_dot(lb_vec3_sub(p, R->eye), R->forward);
}

static lb_vec3 between(lb_vec3 a, lb_vec3 b, double t) {
  return lb_vec3_add(a, lb_vec3_scale(t, lb_vec3_sub(b, a)));
}

// Corners of the part of a triangle beyond the near plane: none, three or four.
static int clip(const lb_raster* R, const corner c[3], corner out[4]) {
  int n = 0;
  for (int k = 0; k < 3; k++) {
    const corner *a = &c[k], *b = &c[(k + 1) % 3];
    const double in = depth_of(R, a->at) - R->near, next = depth_of(R, b->at) - R->near;
    if (in >= 0) {
      out[n++] = *a;
    }
    if ((in >= 0) != (next >= 0)) {
      const double t = in / (in - next);
      out[n++] = (corner){between(a->at, b->at, t), between(a->normal, b->normal, t)};
    }
  }
  return n;
}

static double area(spot a, spot b, spot c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

// Depth is interpolated by its inverse, which is linear in the picture; `nearer` lets what lies on
// a surface win.
static void fill(lb_raster* R, const spot p[3], double nearer, painter* put, const void* of) {
  const double all = area(p[0], p[1], p[2]);
  if (!(fabs(all) > 0)) {
    return;
  }
  const int left = (int)fmax(0, floor(fmin(p[0].u, fmin(p[1].u, p[2].u))));
  const int right = (int)fmin(R->width - 1, ceil(fmax(p[0].u, fmax(p[1].u, p[2].u))));
  const int top = (int)fmax(0, floor(fmin(p[0].v, fmin(p[1].v, p[2].v))));
  const int bottom = (int)fmin(R->height - 1, ceil(fmax(p[0].v, fmax(p[1].v, p[2].v))));
  for (int v = top; v <= bottom; v++) {
    for (int u = left; u <= right; u++) {
      const spot s = {u + 0.5, v + 0.5, 0};
      const double w[3] = {area(p[1], p[2], s) / all, area(p[2], p[0], s) / all,
                           area(p[0], p[1], s) / all};
      if (w[0] < 0 || w[1] < 0 || w[2] < 0) {
        continue;
      }
      const double inverse = w[0] / p[0].depth + w[1] / p[1].depth + w[2] / p[2].depth;
      const size_t at = (size_t)v * (size_t)R->width + (size_t)u;
      if (1 / inverse <= nearer * R->buffer[at].depth) {
        put(R, at, (float)(1 / inverse), w, of);
      }
    }
  }
}

// --- what is drawn ---

// What is seen of a triangle; `color` NULL: its shadow.
static void draw_triangle(lb_raster* R, const corner c[3], const double* color) {
  static const double ON = 1.002; // shadows lie on surfaces
  corner seen[4];
  const int n = clip(R, c, seen);
  for (int k = 2; k < n; k++) {
    const corner* q[3] = {&seen[0], &seen[k - 1], &seen[k]};
    const spot p[3] = {look_at(R, q[0]->at), look_at(R, q[1]->at), look_at(R, q[2]->at)};
    const paint_of of = {
        area(p[0], p[1], p[2]) > 0 ? -1 : 1, {&q[0]->normal, &q[1]->normal, &q[2]->normal}, color};
    fill(R, p, color ? 1 : ON, color ? paint : shade, &of);
  }
}

static void draw_mesh(lb_raster* R, const lb_mesh* mesh, const double* color) {
  for (int f = 0; f < mesh->nface; f++) {
    corner c[3];
    for (int k = 0; k < 3; k++) {
      const int i = mesh->face[3 * f + k];
      c[k] = (corner){R->vertex[i], R->turned[i]};
    }
    draw_triangle(R, c, color);
  }
}

// Along the light down to where all that moves was lowest, which may be a little inside a ground.
static void cast_shadow(lb_raster* R, const lb_mesh* mesh) {
  static const double ABOVE = 0.01;
  const double floor = R->view.floor + ABOVE * R->view.radius;
  for (int f = 0; f < mesh->nface; f++) {
    corner c[3] = {0};
    for (int k = 0; k < 3; k++) {
      const lb_vec3 x = R->vertex[mesh->face[3 * f + k]];
      const double down = (x.z - floor) / R->light.z;
      c[k].at = lb_vec3_sub(x, lb_vec3_scale(fmax(0, down), R->light));
    }
    draw_triangle(R, c, NULL);
  }
}

static lb_vec3 form_vertex(const lb_raster* R, const solid* s, int frame, int i) {
  return s->elastic >= 0      ? lb_bent_vertex(R->r, frame, s->elastic, i)
         : s->deformable >= 0 ? lb_bent_deformable(R->r, frame, s->deformable, i)
                              : s->mesh.vertex[i];
}

// Vertices and normals of a solid in the world, into the room for them.
static void place_solid(lb_raster* R, const solid* s, int frame) {
  const size_t first = (size_t)frame * (size_t)R->r->model->nbody;
  const lb_transform X = s->body == LB_WORLD
                             ? s->pose
                             : lb_transform_mul(R->r->pose[first + (size_t)s->body], s->pose);
  for (int i = 0; i < s->mesh.nvertex; i++) {
    R->vertex[i] = lb_transform_point(X, form_vertex(R, s, frame, i));
    R->turned[i] = lb_quat_rotate(X.q, s->normal[i]);
  }
  if (s->elastic >= 0 || s->deformable >= 0) {
    lb_gltf_find_normals(&s->mesh, R->vertex, R->turned);
  }
}

static void place_line(lb_raster* R, int line, int frame) {
  const double radius = lb_bent_radius(R->r, frame, line, LB_SPRING_THICKNESS * R->view.radius);
  lb_vec3 end[2];
  lb_bent_line(R->r, frame, line, end);
  const lb_vec3 way = lb_vec3_sub(end[1], end[0]);
  const double length = fmax(lb_vec3_norm(way), 1e-9);
  const lb_vec3 z = lb_vec3_scale(1 / length, way);
  const lb_vec3 aside = fabs(z.x) < 0.7 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
  lb_vec3 x = lb_vec3_cross(aside, z);
  x = lb_vec3_scale(1 / lb_vec3_norm(x), x);
  const lb_vec3 y = lb_vec3_cross(z, x);
  for (int i = 0; i < R->cylinder.nvertex; i++) {
    const lb_vec3 c = R->cylinder.vertex[i], n = R->cylinder_normal[i];
    const lb_vec3 round = lb_vec3_add(lb_vec3_scale(c.x, x), lb_vec3_scale(c.y, y));
    R->vertex[i] = lb_vec3_add(lb_vec3_add(end[0], lb_vec3_scale(radius, round)),
                               lb_vec3_scale((c.z + 0.5), way));
    R->turned[i] = lb_vec3_add(lb_vec3_add(lb_vec3_scale(n.x, x), lb_vec3_scale(n.y, y)),
                               lb_vec3_scale(n.z, z));
  }
}

// What stands still first, then the shadows on it, then what moves.
static void draw_solids(lb_raster* R, int frame, bool moving) {
  for (int i = 0; i < R->nsolid; i++) {
    if (R->solid[i].moves == moving) {
      place_solid(R, &R->solid[i], frame);
      draw_mesh(R, &R->solid[i].mesh, R->solid[i].color);
    }
  }
}

static void draw_shadows(lb_raster* R, int frame) {
  static const float DARK = 0.72F;
  for (int i = 0; i < R->nsolid; i++) {
    if (R->solid[i].moves) {
      place_solid(R, &R->solid[i], frame);
      cast_shadow(R, &R->solid[i].mesh);
    }
  }
  for (size_t i = 0; i < (size_t)R->width * (size_t)R->height; i++) {
    for (int k = 0; k < 3 && R->shaded[i]; k++) {
      R->buffer[i].color[k] *= DARK;
    }
    R->shaded[i] = false;
  }
}

static void draw_lines(lb_raster* R, int frame) {
  static const double DARK[3] = {0.06, 0.06, 0.07};
  for (int i = 0; i < lb_bent_lines(R->r->model); i++) {
    const int material = lb_bent_look_of(R->r->model, i).material;
    double own[4] = {DARK[0], DARK[1], DARK[2], 1}, color[4];
    if (material >= 0) {
      set_color(R->r->model, material, own);
    }
    lb_bent_color(R->r, frame, i, own, color);
    place_line(R, i, frame);
    draw_mesh(R, &R->cylinder, color);
  }
}

// --- pixels ---

static unsigned char to_srgb(const lb_raster* R, double x) {
  return R->srgb[(int)(SHADES * fmax(0, fmin(1, isnan(x) ? 0 : x)))];
}

static void resolve(const lb_raster* R, lb_image* image) {
  for (int i = 0; i < image->width * image->height; i++) {
    double sum[3] = {0};
    for (int s = 0; s < FINE * FINE; s++) {
      const int u = FINE * (i % image->width) + s % FINE, v = FINE * (i / image->width) + s / FINE;
      for (int k = 0; k < 3; k++) {
        sum[k] += R->buffer[(size_t)v * (size_t)R->width + (size_t)u].color[k];
      }
    }
    for (int k = 0; k < 3; k++) {
      image->rgb[3 * i + k] = to_srgb(R, sum[k] / (FINE * FINE));
    }
  }
}

// What stands still; of a camera that does, too, once for all frames.
static void draw_still(lb_raster* R, int frame) {
  const size_t size = (size_t)R->width * (size_t)R->height * sizeof *R->buffer;
  if (R->drawn) {
    memcpy(R->buffer, R->still, size);
    return;
  }
  for (int v = 0; v < R->height; v++) {
    for (int u = 0; u < R->width; u++) {
      R->buffer[(size_t)v * (size_t)R->width + (size_t)u] = backdrop(R, u, v);
    }
  }
  draw_solids(R, frame, false);
  memcpy(R->still, R->buffer, size);
  R->drawn = !R->view.follow;
}

void lb_raster_draw(lb_raster* R, int frame, lb_image* image) {
  place_camera(R, frame);
  draw_still(R, frame);
  draw_shadows(R, frame);
  draw_solids(R, frame, true);
  draw_lines(R, frame);
  resolve(R, image);
}
