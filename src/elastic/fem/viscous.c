#include "elastic/fem/viscous.h"

// Gradients of the four shape functions: rows of the inverse of the edges' matrix.
static double find_gradients(const lb_tetmesh* mesh, const int* node, lb_v4 g[4]) {
  const lb_v4 o = lb_v4_from(mesh->node[node[0]]);
  lb_v4 e[3];
  for (int k = 0; k < 3; k++) {
    e[k] = lb_v4_from(mesh->node[node[k + 1]]) - o;
  }
  const double six = lb_v4_dot(e[0], lb_v4_cross(e[1], e[2]));
  g[0] = lb_v4_zero();
  for (int k = 0; k < 3; k++) {
    g[k + 1] = lb_v4_cross(e[(k + 1) % 3], e[(k + 2) % 3]) / six;
    g[0] -= g[k + 1];
  }
  return six / 6;
}

lb_status lb_viscous_create(lb_viscous* v, const lb_tetmesh* mesh, const lb_material* material,
                            lb_arena* arena) {
  int count = 0;
  for (int i = 0; i < mesh->nelem; i++) {
    count += material[mesh->region[i]].beta > 0;
  }
  *v = (lb_viscous){
      .elem = lb_arena_take_array(arena, (size_t)count, sizeof *v->elem, _Alignof(lb_v4))};
  if (!v->elem) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < mesh->nelem; i++) {
    const lb_material* m = &material[mesh->region[i]];
    if (m->beta > 0) {
      lb_viscous_element* e = &v->elem[v->nelem++];
      e->region = mesh->region[i];
      for (int a = 0; a < 4; a++) {
        e->node[a] = mesh->elem[4 * i + a];
      }
      const double w = m->beta * find_gradients(mesh, e->node, e->g);
      e->mu = w * m->young / (2 * (1 + m->poisson));
      e->la = w * m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    }
  }
  return LB_OK;
}

lb_m3 lb_viscous_gradient(const lb_viscous_element* e, const double* x) {
  lb_m3 F = {lb_v4_zero(), lb_v4_zero(), lb_v4_zero()};
  for (int a = 0; a < 4; a++) {
    lb_m3_add_outer(&F, 1, lb_v4_load(x + 3 * e->node[a]), e->g[a]);
  }
  return F;
}

// mu (A'B + B'A) + la tr(A'B) 1
static lb_m3 stress(const lb_viscous_element* e, lb_m3 A, lb_m3 B) {
  const lb_m3 G = lb_m3_mul(lb_m3_transpose(A), B);
  const lb_m3 T = lb_m3_transpose(G);
  const double trace = e->la * (G.x[0] + G.y[1] + G.z[2]);
  lb_m3 S = {(G.x + T.x) * e->mu, (G.y + T.y) * e->mu, (G.z + T.z) * e->mu};
  S.x[0] += trace;
  S.y[1] += trace;
  S.z[2] += trace;
  return S;
}

static void pull_nodes(const lb_viscous_element* e, double* f, lb_m3 P, double s) {
  for (int a = 0; a < 4; a++) {
    lb_v4_add_to(f + 3 * e->node[a], lb_m3_apply(P, e->g[a]) * s);
  }
}

void lb_viscous_add_force(const lb_viscous* v, double* f, const double* x, const double* xd) {
  for (int i = 0; i < v->nelem; i++) {
    const lb_viscous_element* e = &v->elem[i];
    const lb_m3 F = lb_viscous_gradient(e, x);
    pull_nodes(e, f, lb_m3_mul(F, stress(e, F, lb_viscous_gradient(e, xd))), -1);
  }
}

void lb_viscous_add_change(const lb_viscous* v, double* y, const double* x, const double* xd,
                           const double* z, bool transposed) {
  for (int i = 0; i < v->nelem; i++) {
    const lb_viscous_element* e = &v->elem[i];
    const lb_m3 F = lb_viscous_gradient(e, x), Fd = lb_viscous_gradient(e, xd),
                Z = lb_viscous_gradient(e, z);
    lb_m3 P = lb_m3_mul(Z, stress(e, F, Fd));
    lb_m3_add(&P, transposed ? lb_m3_mul(Fd, stress(e, F, Z)) : lb_m3_mul(F, stress(e, Z, Fd)));
    pull_nodes(e, y, P, 1);
  }
}

lb_m3 lb_viscous_block(const lb_viscous_element* e, lb_m3 F, int a, int b) {
  const lb_v4 pa = lb_m3_apply(F, e->g[a]), pb = lb_m3_apply(F, e->g[b]);
  lb_m3 B = lb_m3_mul(F, lb_m3_transpose(F));
  const double s = e->mu * lb_v4_dot(e->g[a], e->g[b]);
  B = (lb_m3){B.x * s, B.y * s, B.z * s};
  lb_m3_add_outer(&B, e->mu, pb, pa);
  lb_m3_add_outer(&B, e->la, pa, pb);
  return B;
}

lb_m3 lb_viscous_block_by_place(const lb_viscous_element* e, lb_m3 F, lb_m3 Fd, int a, int b) {
  const lb_v4 pa = lb_m3_apply(F, e->g[a]), pb = lb_m3_apply(F, e->g[b]);
  const lb_v4 da = lb_m3_apply(Fd, e->g[a]), db = lb_m3_apply(Fd, e->g[b]);
  const double s = e->mu * lb_v4_dot(e->g[a], e->g[b]);
  const double own = lb_v4_dot(e->g[a], lb_m3_apply(stress(e, F, Fd), e->g[b]));
  lb_m3 B = lb_m3_identity();
  B = (lb_m3){B.x * own, B.y * own, B.z * own};
  lb_m3_add_scaled(&B, s, lb_m3_mul(F, lb_m3_transpose(Fd)));
  lb_m3_add_outer(&B, e->mu, pb, da);
  lb_m3_add_outer(&B, e->la, pa, db);
  return B;
}
