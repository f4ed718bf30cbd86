// Figures of a reduced mechanism that people look at.
#include <math.h>
#include <string.h>

#include "limber/fork.h"
#include "math/linear/dense.h"

void lb_fork_compliance(const lb_fork* f, int a, int b, double C[36]) {
  const lb_mat3 R[2] = {lb_quat_matrix(f->pose[a].q), lb_quat_matrix(f->pose[b].q)};
  const size_t n = 6 * (size_t)f->neffector;
  const double* from = f->C + 6 * (size_t)a * n + 6 * (size_t)b;
  for (size_t block = 0; block < 4; block++) { // R_a C R_b'
    const size_t row = block / 2 * 3, column = block % 2 * 3;
    lb_vec3 half[3]; // columns of R_a C
    for (size_t k = 0; k < 3; k++) {
      const double* x = from + row * n + column + k;
      half[k] = lb_mat3_apply(R[0], lb_vec3_make(x[0], x[n], x[2 * n]));
    }
    const lb_mat3 Bt = lb_mat3_transpose(R[1]);
    const lb_vec3 of[3] = {Bt.x, Bt.y, Bt.z};
    for (size_t k = 0; k < 3; k++) {
      const lb_vec3 c = lb_mat3_apply((lb_mat3){half[0], half[1], half[2]}, of[k]);
      C[row * 6 + column + k] = c.x;
      C[(row + 1) * 6 + column + k] = c.y;
      C[(row + 2) * 6 + column + k] = c.z;
    }
  }
}

// Eigenvectors of a block of the compliance, by Jacobi's rotations: two cyclic sweeps to rounding
// each digit twice, and no more than a few are needed for three by three.
static void diagonalise(double A[9], double V[9]) {
  enum { SWEEPS = 8 };
  static const int PAIR[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  memset(V, 0, 9 * sizeof *V);
  V[0] = V[4] = V[8] = 1;
  for (int s = 0; s < 3 * SWEEPS; s++) {
    const int p = PAIR[s % 3][0], q = PAIR[s % 3][1];
    const double angle = 0.5 * atan2(2 * A[3 * p + q], A[3 * q + q] - A[3 * p + p]);
    const double c = cos(angle), t = sin(angle);
    for (int k = 0; k < 3; k++) { // columns, of A and of V
      const double x = A[3 * k + p], y = A[3 * k + q], u = V[3 * k + p], v = V[3 * k + q];
      A[3 * k + p] = c * x - t * y;
      A[3 * k + q] = t * x + c * y;
      V[3 * k + p] = c * u - t * v;
      V[3 * k + q] = t * u + c * v;
    }
    for (int k = 0; k < 3; k++) { // rows of A
      const double x = A[3 * p + k], y = A[3 * q + k];
      A[3 * p + k] = c * x - t * y;
      A[3 * q + k] = t * x + c * y;
    }
  }
}

lb_fork_axes lb_fork_principal(const lb_fork* f, int effector, bool turns) {
  static const double NONE = 1e-12; // part of the largest below which there is none
  double C[36], A[9], V[9];
  lb_fork_compliance(f, effector, effector, C);
  for (int i = 0; i < 9; i++) {
    A[i] = C[(turns ? 0 : 21) + i / 3 * 6 + i % 3];
  }
  diagonalise(A, V);
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 3; i++) { // the largest first
    const int k = i % 2, a = order[k], b = order[k + 1];
    order[k] = A[4 * a] >= A[4 * b] ? a : b;
    order[k + 1] = A[4 * a] >= A[4 * b] ? b : a;
  }
  lb_fork_axes axes;
  for (int i = 0; i < 3; i++) {
    const int k = order[i];
    const double x = A[4 * k];
    axes.compliance[i] = x > NONE * A[4 * order[0]] ? x : 0;
    axes.axis[i] = lb_vec3_make(V[k], V[3 + k], V[6 + k]);
  }
  return axes;
}

lb_status lb_fork_frequencies(const lb_fork* f, double* frequency, lb_error* err) {
  const lb_arena* kept = f->storage;
  const size_t n = (size_t)f->count;
  lb_arena arena;
  lb_arena_init(&arena, kept->allocator);
  double *K = LB_COPY(&arena, f->K, n * n), *M = LB_COPY(&arena, f->M, n * n);
  lb_status status = K && M ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    status = lb_eigen_generalised(&arena, f->count, K, f->count, M, f->count, frequency);
  }
  for (size_t i = 0; i < n && status == LB_OK; i++) {
    frequency[i] = sqrt(fmax(0, frequency[i])) / (2 * M_PI);
  }
  lb_arena_release(&arena);
  return status == LB_OK
             ? LB_OK
             : lb_error_add(err, status, f->what->place,
                            "fork '%s': no frequencies of it were found", f->what->name);
}
