// Stress as an attribute of the vertices of elastic bodies: the largest of the whole motion, in Pa.
// Viewers that do not know it leave it alone; the report colours by it.
#include "output/gltf/gltf.h"
#include "recording/stress_peaks.h"

// The mean of the faces around each node of the mesh.
static void average(const lb_stress* s, const double* face, double* sum, int* count) {
  for (int i = 0; i < 3 * s->nface; i++) {
    sum[s->corner[i]] += face[i / 3];
    count[s->corner[i]]++;
  }
}

// Vertices between corners get what their neighbours have.
static void fill_between(const lb_mesh* surface, double* value, const bool* known, double* sum,
                         int* count) {
  for (int f = 0; f < 3 * surface->nface; f++) {
    const int v = surface->face[f];
    for (int k = 0; k < 3; k++) {
      const int other = surface->face[f / 3 * 3 + k];
      sum[v] += known[other] ? value[other] : 0;
      count[v] += known[other];
    }
  }
  for (int v = 0; v < surface->nvertex; v++) {
    value[v] = known[v] ? value[v] : count[v] ? sum[v] / count[v] : 0;
  }
}

int lb_gltf_add_stress(lb_gltf* g, int e) {
  const lb_model_elastic* b = &g->m->elastic.body[e];
  const lb_stress_peaks* peaks = &g->r->stress[e];
  const int n = b->surface.nvertex;
  if (!peaks->of) {
    return -1;
  }
  double* sum = LB_TAKE(&g->arena, double, b->nnode + n);
  int* count = LB_TAKE(&g->arena, int, b->nnode + n);
  double* value = LB_TAKE(&g->arena, double, n);
  bool* known = LB_TAKE(&g->arena, bool, n);
  if (lb_gltf_failed(g)) {
    return -1;
  }
  average(peaks->of, peaks->face, sum, count);
  for (int i = 0; i < n; i++) {
    known[i] = count[b->node[i]] > 0;
    value[i] = known[i] ? sum[b->node[i]] / count[b->node[i]] : 0;
  }
  fill_between(&b->surface, value, known, sum + b->nnode, count + b->nnode);
  lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_STRESS, LB_GLTF_FLOAT, n, "SCALAR");
  for (int i = 0; i < n; i++) {
    lb_gltf_put(g, &a, &value[i], 1);
  }
  return lb_gltf_add(g, a);
}
