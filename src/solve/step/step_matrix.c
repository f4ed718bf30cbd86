#include "solve/step/step_matrix.h"

#include <string.h>

#include "elastic/reduced/reduced_derivative.h"
#include "model/use/link.h"

void lb_step_clear_driven(const lb_model* m, double* x) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      x[m->link_v[i]] = 0;
    }
  }
}

// All of them have all coordinates, in whatever order.
static int first_v(const lb_model* m, lb_step_links of) {
  return of.from > 0 ? m->link_v[of.from] : 0;
}

static int count_v(const lb_model* m, lb_step_links of) {
  return (of.to < m->nlink ? m->link_v[of.to] : m->nv) - first_v(m, of);
}

// Are coordinates of a link numbers, so that q follows from v by dt each?
static bool is_plain(const lb_model* m, int link) {
  return !lb_link_is_face(m->link_kind[link]) && !LB_JOINT[m->link_kind[link]]->reach_by_rate;
}

// How many links from l on are such with coordinates that follow each other, and how many those.
static int count_plain(const lb_model* m, int l, int end, int* nv) {
  int next = l;
  *nv = 0;
  while (next < end && is_plain(m, next) && m->link_v[next] == m->link_v[l] + *nv) {
    *nv += m->link_nv[next++];
  }
  return next - l;
}

// Rows of K, `stride` apart, times dq/dv of some links, added to entries [i * row + j * column].
static void add_times_Q(double* restrict out, size_t row, size_t column, const lb_model* m,
                        const lb_data* d, double dt, lb_step_links of, int rows,
                        const double* restrict K, size_t stride) {
  const int first = first_v(m, of);
  for (int l = of.from, links; l<of.to; l += links> 0 ? links : 1) {
    const lb_joint* joint = LB_JOINT[m->link_kind[l]];
    const int v = m->link_v[l];
    double Q[LB_STEP_BLOCK];
    int n;
    links = count_plain(m, l, of.to, &n);
    if (lb_link_is_face(m->link_kind[l])) {
      continue;
    }
    if (links == 0) {
      n = m->link_nv[l];
      joint->reach_by_rate(Q, d->qd + v, dt);
    }
    for (int i = 0; i < rows; i++) {
      const double* from = K + (size_t)i * stride + v;
      double* to = out + (size_t)i * row + (size_t)(v - first) * column;
      for (int a = 0; a < n && links > 0 && column == 1; a++) { // nearly always
        to[a] += dt * from[a];
      }
      for (int a = 0; a < n && links > 0 && column != 1; a++) {
        to[(size_t)a * column] += dt * from[a];
      }
      for (int a = 0; a < n && links == 0; a++) {
        for (int b = 0; b < n; b++) {
          to[(size_t)b * column] += from[a] * Q[a * n + b];
        }
      }
    }
  }
}

// Driven coordinates do not move: rows and columns of the identity.
static void hold_driven(double* W, size_t row, size_t column, const lb_model* m, lb_step_links rows,
                        lb_step_links columns) {
  const int ni = count_v(m, rows), nj = count_v(m, columns);
  for (int l = rows.from; l < rows.to; l++) {
    const size_t at = (size_t)(m->link_v[l] - first_v(m, rows));
    for (int j = 0; m->link_driven[l] && j < nj; j++) {
      W[at * row + (size_t)j * column] = first_v(m, columns) + j == m->link_v[l];
    }
  }
  for (int l = columns.from; l < columns.to; l++) {
    const size_t at = (size_t)(m->link_v[l] - first_v(m, columns));
    for (int i = 0; m->link_driven[l] && i < ni; i++) {
      W[(size_t)i * row + at * column] = first_v(m, rows) + i == m->link_v[l];
    }
  }
}

void lb_step_matrix_of(double* W, size_t row, size_t column, const lb_derivatives* D,
                       const lb_data* d, double dt, lb_step_links rows, lb_step_links columns) {
  const lb_model* m = D->model;
  const size_t nv = (size_t)m->nv;
  const size_t ni = (size_t)count_v(m, rows), nj = (size_t)count_v(m, columns);
  const size_t from = (size_t)first_v(m, rows) * nv;
  for (size_t i = 0; i < ni; i++) {
    const size_t at = from + i * nv + (size_t)first_v(m, columns);
    for (size_t j = 0; j < nj; j++) {
      W[i * row + j * column] = D->M[at + j] / dt + D->tau_qd[at + j];
    }
  }
  add_times_Q(W, row, column, m, d, dt, columns, (int)ni, D->tau_q + from, nv);
  hold_driven(W, row, column, m, rows, columns);
}

void lb_step_matrix(double* W, const lb_derivatives* D, const lb_data* d, double dt) {
  const lb_step_links all = {0, D->model->nlink};
  if (D->model->nv > 0) {
    lb_step_matrix_of(W, (size_t)D->model->nv, 1, D, d, dt, all, all);
  }
}

void lb_step_add_internal(double* W, size_t stride, const lb_model* m, lb_step_links of,
                          const double* q, const double* v, double dt, double* block,
                          double* scratch) {
  for (int i = of.from; i < of.to; i++) {
    const lb_link* l = &m->link[i];
    if (l->kind == LB_LINK_ELASTIC) {
      lb_reduced_blend_forces(l->reduced, W + (size_t)(l->v - first_v(m, of)) * (stride + 1),
                              (int)stride, dt, 1, q + l->q, v + l->v, block, scratch);
    }
  }
}

void lb_step_row(double* E, const lb_model* m, const lb_data* d, double dt, const double* s_q,
                 const double* s_v) {
  memcpy(E, s_v, (size_t)m->nv * sizeof *E);
  add_times_Q(E, 0, 1, m, d, dt, (lb_step_links){0, m->nlink}, 1, s_q, 0);
  lb_step_clear_driven(m, E);
}
