// A glTF file in the making. Numbers go into buffer views by kind; the JSON is written last, when
// all offsets are known.
//
// Nodes: the root, which turns z up into y up; the bodies; their shapes; the surfaces of elastic
// bodies; springs and segments of ropes; groups of bodies; deformables, and the nodes that carry
// it.
#pragma once
#include <math.h>

#include "base/arena.h"
#include "limber/progress.h"
#include "output/file/out.h"
#include "output/report/deformed.h"
#include "output/report/view.h"

typedef enum lb_gltf_view {
  LB_GLTF_POSITION,
  LB_GLTF_NORMAL,
  LB_GLTF_INDEX,
  LB_GLTF_TIME,
  LB_GLTF_MOTION,
  LB_GLTF_JOINT,  // of skins: nodes that carry a vertex
  LB_GLTF_WEIGHT, // of skins: how much each carries
  LB_GLTF_STRESS, // of elastic bodies
  LB_GLTF_BIND,   // of skins: from where
  LB_GLTF_VIEWS
} lb_gltf_view;

typedef struct lb_gltf_accessor {
  lb_gltf_view view;
  size_t offset;
  int component;
  int count;
  const char* type;
  int nbound; // components with bounds
  float min[3], max[3];
} lb_gltf_accessor;

// Where the numbers of a surface are, as accessors; position -1: there is nothing to draw.
typedef struct lb_gltf_surface {
  int position, normal, index;
  int stress; // or -1: there is none
} lb_gltf_surface;

// A shape's form.
typedef struct lb_gltf_form {
  lb_shape shape;
  lb_gltf_surface surface;
} lb_gltf_form;

typedef struct lb_gltf_part {
  int form;
  int material; // the model's, -1, or LB_GLTF_OF_SPRINGS
} lb_gltf_part;
enum { LB_GLTF_OF_SPRINGS = -2 };

// Surface of an elastic body: how far a few vectors of its basis move it (gltf_bent.c).
typedef struct lb_gltf_bent {
  lb_gltf_surface surface;
  int ntarget;                  // 0, or the first, of weight 1, and those of vectors
  int* vector;                  // [ntarget] of the basis
  double *low, *scale;          // [ntarget] coordinate of weight 0, and how much more of weight 1
  int *to_position, *to_normal; // [ntarget] accessors
} lb_gltf_bent;

// A deformable: a surface that nodes carry.
typedef struct lb_gltf_deformable {
  lb_gltf_surface surface;
  int joints, weights, binding; // accessors
  int njoint;
  int* node;           // [njoint] of the deformable
  int* joint;          // [nnode] the other way, or -1
  int first;           // node of the file of the first joint
  lb_transform* start; // [njoint]
} lb_gltf_deformable;

// Channel: an accessor that moves one of the paths of a node.
typedef struct lb_gltf_channel {
  int node;
  const char* path;
  int output;
} lb_gltf_channel;

typedef struct lb_gltf {
  const lb_recording* r;
  const lb_model* m;
  double size; // of what is in sight [m]
  lb_arena arena;
  lb_out bytes[LB_GLTF_VIEWS];
  int naccessor, nform, npart, nmaterial, nchannel;
  int accessor_capacity, form_capacity, part_capacity, channel_capacity;
  lb_gltf_accessor* accessor;
  lb_gltf_form* form;
  lb_gltf_part* part;             // a mesh of the file each
  int* shape_part;                // [nshape] or -1
  int* first_shape;               // [1 + nbody] of the world, then of each body, or -1
  int* next_shape;                // [nshape] the body's next, or -1
  int* material_index;            // [model's nmaterial] in the file, or -1
  int spring_part;                // or -1
  int spring_material;            // in the file, or -1
  lb_gltf_bent* bent;             // [nelastic]
  lb_gltf_deformable* deformable; // [ndeformable]
  int* rope_part;                 // [nrope + ntube]
  lb_gltf_channel* channel;       // [nchannel]
  int nframe;                     // frames shown
  int* frame;                     // [nframe]
  int time;                       // accessor, or -1: nothing moves
  int ngroup;               // nodes that hold equal numbers of bodies each; 0: the root has them
  const char* const* group; // [ngroup] their names
  const lb_progress* watch; // or NULL
  bool stopped;             // as it asks for
} lb_gltf;

// Did the arena run out of memory, or is the file not wanted any more?
static inline bool lb_gltf_failed(const lb_gltf* g) {
  return lb_arena_status(&g->arena) != LB_OK || g->stopped;
}
// Look whether it still is.
static inline void lb_gltf_look(lb_gltf* g) {
  g->stopped = g->stopped || !lb_progress_report(g->watch, NAN, NULL);
}

// The first node of each kind.
static inline int lb_gltf_body_node(int body) {
  return 1 + body;
}
static inline int lb_gltf_shape_node(const lb_gltf* g, int shape) {
  return 1 + g->m->nbody + shape;
}
static inline int lb_gltf_bent_node(const lb_gltf* g, int e) {
  return 1 + g->m->nbody + g->m->look.nshape + e;
}
static inline int lb_gltf_spring_node(const lb_gltf* g, int spring) {
  return 1 + g->m->nbody + g->m->look.nshape + g->m->elastic.count + spring;
}

static inline int lb_gltf_group_node(const lb_gltf* g, int group) {
  return lb_gltf_spring_node(g, lb_bent_lines(g->m)) + group;
}
// Deformables, and after all of it the nodes that carry it.
static inline int lb_gltf_deformable_node(const lb_gltf* g, int deformable) {
  return lb_gltf_group_node(g, g->ngroup) + deformable;
}

enum { LB_GLTF_FLOAT = 5126, LB_GLTF_UINT16 = 5123, LB_GLTF_UINT32 = 5125 };

// --- numbers ---

// An accessor for `count` elements that are written next.
lb_gltf_accessor lb_gltf_begin(const lb_gltf* g, lb_gltf_view view, int component, int count,
                               const char* type);
// Write a number or vector and widen the accessor's bounds.
void lb_gltf_put(lb_gltf* g, lb_gltf_accessor* a, const double* x, int n);
// Its index, or -1 when there is no memory.
int lb_gltf_add(lb_gltf* g, lb_gltf_accessor a);
// The times of all motion, when the first is added.
void lb_gltf_add_times(lb_gltf* g);
void lb_gltf_add_channel(lb_gltf* g, int node, const char* path, int output);
int lb_gltf_positions(lb_gltf* g, const lb_vec3* vertex, int count);
// A surface with one normal for each vertex.
lb_gltf_surface lb_gltf_add_surface(lb_gltf* g, const lb_mesh* s, const lb_vec3* normal);
// Three numbers more in a view.
void lb_gltf_put3(lb_gltf* g, lb_gltf_view view, lb_vec3 x);
float lb_gltf_float(double x);

// --- what is collected ---

void lb_gltf_collect_shapes(lb_gltf* g);
void lb_gltf_collect_motion(lb_gltf* g, int most);
void lb_gltf_collect_bent(lb_gltf* g);
// Accessor of the stress at the vertices of an elastic body, or -1.
int lb_gltf_add_stress(lb_gltf* g, int e);
void lb_gltf_collect_springs(lb_gltf* g);
void lb_gltf_collect_deformables(lb_gltf* g);
// Unit normals of the vertices, each the sum of those of the faces around.
void lb_gltf_find_normals(const lb_mesh* s, const lb_vec3* vertex, lb_vec3* normal);

// A pose fit to be written: finite, the quaternion unit and on the same side as the one before, so
// that viewers turn the short way. Where the recording has nothing to say the one before stays.
lb_transform lb_gltf_pose(lb_transform before, lb_transform X);
// Poses over time become the motion of a node.
void lb_gltf_move(lb_gltf* g, int node, const lb_transform* pose);
// Pose of the unit cylinder that stands for a spring, and its length.
lb_transform lb_gltf_spring_pose(const lb_gltf* g, int frame, int spring, double* length);
// Half the thickness of a spring or segment.
double lb_gltf_spring_radius(const lb_gltf* g, int frame, int spring);
// Weight of a target in a frame.
double lb_gltf_weight(const lb_gltf* g, int frame, int e, int target);
