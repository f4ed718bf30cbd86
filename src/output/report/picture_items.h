// Items of a picture before it is written: flat and round things in the plane of the page,
// each with its place in the world, so that they can be put in order. Shared by the file that
// collects them and the one that writes them.
#pragma once
#include "base/arena.h"
#include "output/report/picture.h"

enum { MOST_CORNERS = 24 }; // of a polygon

// Directions, scale and offset that make pixels of metres.
typedef struct camera {
  lb_axes axes;
  lb_vec3 light; // towards it
  double scale, u0, v0;
} camera;

typedef struct point {
  double u, v; // in the picture, v down
} point;

typedef enum item_kind { POLYGON, STROKE, ELLIPSE } item_kind;

// Something to paint.
typedef struct item {
  double depth; // towards the eye
  int order;    // breaks ties, so that the picture is always the same
  item_kind kind;
  double color[4]; // linear
  double radius;   // of a stroke [px]; of an ellipse its long half axis
  double across;   // of an ellipse: the short half axis
  double angle;    // of an ellipse [rad]
  lb_vec3 normal;  // of a polygon
  int n;
  point corner[MOST_CORNERS];
  lb_vec3 place[MOST_CORNERS]; // the corners in the world
  point low, high;             // the part of the picture it covers
  bool painted;
} item;

typedef struct picture {
  const lb_recording* r;
  const lb_view* view;
  camera cam;
  int stride; // one shape in so many is drawn
  int faces;  // most of a mesh that is drawn as it is
  lb_arena arena;
  bool failed;
  int nitem, capacity;
  item* item;
} picture;

static inline point project(const camera* c, lb_vec3 p) {
  return (point){c->u0 + c->scale * lb_vec3_dot(c->axes.right, p),
                 c->v0 - c->scale * lb_vec3_dot(c->axes.up, p)};
}

// The large scenery that all stands on is always there.
static inline bool is_drawn(const picture* p, int i) {
  const lb_model_shape* s = &p->r->model->look.shape[i];
  return i % p->stride == 0 ||
         (s->body == LB_WORLD && lb_shape_ball(&s->shape).radius > p->view->radius);
}

static inline lb_transform world_pose(const lb_recording* r, int frame, const lb_model_shape* s) {
  return s->body == LB_WORLD
             ? s->pose
             : lb_transform_mul(r->pose[(size_t)frame * (size_t)r->model->nbody + (size_t)s->body],
                                s->pose);
}

// Scenery far larger than the motion is painted first; its depth was moved far away.
static inline bool is_backdrop(const picture* p, const item* it) {
  return it->depth < -5e5 * p->view->radius;
}

// The picture as an <svg> element: items in the order of `sequence`, shadows and paths behind them.
void lb_picture_svg(lb_out* out, const picture* p, const int* sequence, int frame);
