// Deformables in a glTF file: its surface as a skin, each vertex carried by up to four nodes of the
// mesh with the weights of the tetrahedron it is in. The nodes move and turn as the deformable
// around them does, which turns the normals with the surface, and lets vertices outside of all
// tetrahedra move along though weights must not be negative here.
#include <math.h>
#include <string.h>

#include "elastic/fem/fem.h"
#include "output/gltf/gltf.h"
#include "output/report/deformed.h"

// How much corner k of its tetrahedron carries a vertex.
static double weight(const lb_model_deformable* deformable, int vertex, int k) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += fmax(0, deformable->weight[vertex][i]);
  }
  return fmax(0, deformable->weight[vertex][k]) / sum;
}

// Which nodes carry vertices: their numbers among the joints of the skin.
static bool list_joints(lb_gltf* g, int which) {
  const lb_model_deformable* deformable = &g->m->particles.deformable[which];
  lb_gltf_deformable* s = &g->deformable[which];
  s->node = LB_TAKE(&g->arena, int, deformable->nparticle);
  s->joint = LB_TAKE(&g->arena, int, deformable->nparticle);
  if (!s->node || !s->joint) {
    return false;
  }
  memset(s->joint, -1, (size_t)deformable->nparticle * sizeof *s->joint);
  for (int i = 0; i < 4 * deformable->surface.nvertex; i++) {
    const int node = deformable->carrier[i / 4][i % 4];
    if (weight(deformable, i / 4, i % 4) > 0 && s->joint[node] < 0) {
      s->joint[node] = s->njoint;
      s->node[s->njoint++] = node;
    }
  }
  return true;
}

static void add_carriers(lb_gltf* g, int which) {
  const lb_model_deformable* deformable = &g->m->particles.deformable[which];
  lb_gltf_deformable* s = &g->deformable[which];
  const int n = deformable->surface.nvertex;
  const lb_gltf_accessor joints = lb_gltf_begin(g, LB_GLTF_JOINT, LB_GLTF_UINT16, n, "VEC4");
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      const int joint = weight(deformable, i, k) > 0 ? s->joint[deformable->carrier[i][k]] : 0;
      const unsigned char bytes[2] = {(unsigned char)joint, (unsigned char)(joint >> 8)};
      lb_out_bytes(&g->bytes[LB_GLTF_JOINT], bytes, sizeof bytes);
    }
  }
  s->joints = lb_gltf_add(g, joints);
  const lb_gltf_accessor weights = lb_gltf_begin(g, LB_GLTF_WEIGHT, LB_GLTF_FLOAT, n, "VEC4");
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      lb_out_f32(&g->bytes[LB_GLTF_WEIGHT], weight(deformable, i, k));
    }
  }
  s->weights = lb_gltf_add(g, weights);
}

// From the mesh's frame at rest to each node's own: a shift.
static void add_binding(lb_gltf* g, int which) {
  lb_gltf_deformable* s = &g->deformable[which];
  const lb_fem* fem = g->m->particles.deformable[which].fem;
  const lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_BIND, LB_GLTF_FLOAT, s->njoint, "MAT4");
  for (int j = 0; j < s->njoint; j++) {
    const lb_vec3 X = fem->node[s->node[j]];
    const double M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -X.x, -X.y, -X.z, 1};
    for (int k = 0; k < 16; k++) {
      lb_out_f32(&g->bytes[LB_GLTF_BIND], M[k]);
    }
  }
  s->binding = lb_gltf_add(g, a);
}

// Poses of all joints at one frame, into pose[joint * stride].
static void find_poses(const lb_gltf* g, int which, int frame, double* u, lb_m3* R,
                       lb_transform* pose, size_t stride) {
  const lb_model_deformable* deformable = &g->m->particles.deformable[which];
  const lb_gltf_deformable* s = &g->deformable[which];
  for (int i = 0; i < deformable->nparticle; i++) {
    const lb_vec3 d = lb_vec3_sub(lb_bent_particle(g->r, frame, deformable->first_particle + i),
                                  deformable->fem->node[i]);
    u[3 * i] = d.x;
    u[3 * i + 1] = d.y;
    u[3 * i + 2] = d.z;
  }
  lb_fem_rotations(deformable->fem, R, u);
  for (int j = 0; j < s->njoint; j++) {
    const int i = s->node[j];
    pose[(size_t)j * stride] = (lb_transform){
        lb_quat_from_matrix(lb_m3_mat3(R[i])),
        lb_vec3_add(deformable->fem->node[i], lb_vec3_make(u[3 * i], u[3 * i + 1], u[3 * i + 2]))};
  }
}

static void add_motion(lb_gltf* g, int which) {
  const lb_model_deformable* deformable = &g->m->particles.deformable[which];
  lb_gltf_deformable* s = &g->deformable[which];
  double* u = LB_TAKE(&g->arena, double, 3 * deformable->nparticle);
  lb_m3* R = LB_TAKE(&g->arena, lb_m3, deformable->nparticle);
  const size_t nframe = (size_t)g->nframe;
  lb_transform* pose = LB_TAKE(&g->arena, lb_transform, (size_t)s->njoint * nframe);
  s->start = LB_TAKE(&g->arena, lb_transform, s->njoint);
  if (lb_gltf_failed(g)) {
    return;
  }
  for (int i = 0; i < g->nframe; i++) {
    find_poses(g, which, g->frame[i], u, R, pose + i, nframe);
  }
  for (int j = 0; j < s->njoint && !lb_gltf_failed(g); j++) {
    s->start[j] = g->nframe > 0 ? pose[(size_t)j * nframe] : lb_transform_identity();
    if (g->nframe > 1) {
      lb_gltf_move(g, s->first + j, pose + (size_t)j * nframe);
    }
  }
}

void lb_gltf_collect_deformables(lb_gltf* g) {
  g->deformable = LB_TAKE(&g->arena, lb_gltf_deformable, g->m->particles.ndeformable);
  int first = lb_gltf_deformable_node(g, g->m->particles.ndeformable);
  for (int i = 0; i < g->m->particles.ndeformable && !lb_gltf_failed(g); i++) {
    const lb_mesh* surface = &g->m->particles.deformable[i].surface;
    lb_gltf_deformable* s = &g->deformable[i];
    lb_vec3* normal = LB_TAKE(&g->arena, lb_vec3, surface->nvertex);
    if (!normal || !list_joints(g, i)) {
      return;
    }
    lb_gltf_find_normals(surface, surface->vertex, normal);
    s->first = first;
    first += s->njoint;
    s->surface = lb_gltf_add_surface(g, surface, normal);
    add_carriers(g, i);
    add_binding(g, i);
    add_motion(g, i);
  }
}
