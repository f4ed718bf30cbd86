#include "solve/step/step_matrix.h"

#include <string.h>

#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/link.h"

void lb_step_clear_driven(const lb_model* m, double* x) {
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; m->link.driven[i] && k < m->link.nv[i]; k++) {
      x[m->link.v[i] + k] = 0;
    }
  }
}

void lb_step_hold_driven(const lb_model* m, int n, double* A) {
  for (int i = 0; i < m->nlink; i++) {
    const int end = m->link.driven[i] ? m->link.v[i] + m->link.nv[i] : 0;
    for (int k = m->link.v[i]; k < end; k++) {
      for (int j = 0; j < n; j++) {
        A[k + j * n] = A[j + k * n] = j == k;
      }
    }
  }
}

// True where coordinates of a link are numbers, so that q follows from v by dt each.
static bool is_plain(const lb_model* m, int link) {
  return !lb_link_is_face(m->link.kind[link]) && !LB_JOINT[m->link.kind[link]]->reach_by_rate;
}

// Run of such links from l on with consecutive coordinates: number of links, and of coordinates.
static int count_plain(const lb_model* m, int l, int* nv) {
  int next = l;
  *nv = 0;
  while (next < m->nlink && is_plain(m, next) && m->link.v[next] == m->link.v[l] + *nv) {
    *nv += m->link.nv[next++];
  }
  return next - l;
}

// Rows of K times dq/dv, added; nv numbers each.
static void add_times_Q(double* restrict out, const lb_model* m, const lb_data* d, double dt,
                        int rows, const double* restrict K) {
  for (int l = 0, links; l<m->nlink; l += links> 0 ? links : 1) {
    const int v = m->link.v[l];
    double Q[LB_STEP_BLOCK];
    int n;
    links = count_plain(m, l, &n);
    if (lb_link_is_face(m->link.kind[l])) {
      continue;
    }
    if (links == 0) {
      n = m->link.nv[l];
      LB_JOINT[m->link.kind[l]]->reach_by_rate(Q, d->qd + v, dt);
    }
    for (int i = 0; i < rows; i++) {
      const size_t at = (size_t)i * (size_t)m->nv + (size_t)v;
      for (int a = 0; a < n && links > 0; a++) { // nearly always
        out[at + (size_t)a] += dt * K[at + (size_t)a];
      }
      for (int a = 0; a < n && links == 0; a++) {
        lb_add(n, out + at, K[at + (size_t)a], Q + a * n);
      }
    }
  }
}

void lb_step_matrix(double* W, const lb_derivatives* D, const lb_data* d, double dt) {
  const lb_model* m = D->model;
  const size_t all = (size_t)m->nv * (size_t)m->nv;
  for (size_t i = 0; i < all; i++) {
    W[i] = D->M[i] / dt + D->tau_qd[i];
  }
  add_times_Q(W, m, d, dt, m->nv, D->tau_q);
  lb_step_hold_driven(m, m->nv, W);
}

void lb_step_add_internal(double* W, size_t stride, const lb_model* m, const double* q,
                          const double* v, double dt, double* block, double* scratch) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (l->kind == LB_LINK_ELASTIC) {
      lb_reduced_blend_forces(l->reduced, W + (size_t)l->v * (stride + 1), (int)stride, dt, 1,
                              q + l->q, v + l->v, block, scratch);
    }
  }
}

void lb_step_row(double* E, const lb_model* m, const lb_data* d, double dt, const double* s_q,
                 const double* s_v) {
  memcpy(E, s_v, (size_t)m->nv * sizeof *E);
  add_times_Q(E, m, d, dt, 1, s_q);
  lb_step_clear_driven(m, E);
}
