// Dense algebra: every factorisation multiplied back, every solution put into its equation.
#include "math/linear/dense.h"

#include "test.h"

enum { MOST = 64 };

static lb_arena arena;

static int begin(void** state) {
  (void)state;
  lb_arena_init(&arena, NULL);
  return 0;
}

static int end(void** state) {
  (void)state;
  assert_null(arena.top); // every call gave its scratch back
  lb_arena_release(&arena);
  return 0;
}

static void fill(lb_random* r, double* A, int n) {
  for (int i = 0; i < n; i++) {
    A[i] = lb_random_between(r, -1, 1);
  }
}

// C = A B, with leading dimensions; `ta` transposes A.
static void multiply(int m, int n, int k, double* C, int ldc, const double* A, int lda, bool ta,
                     const double* B, int ldb) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < k; l++) {
        sum += (ta ? A[l + i * lda] : A[i + l * lda]) * B[l + j * ldb];
      }
      C[i + j * ldc] = sum;
    }
  }
}

// G' G + I
static void definite(lb_random* r, double* A, int n, int lda) {
  static double G[MOST * MOST];
  fill(r, G, n * n);
  multiply(n, n, n, A, lda, G, n, true, G, n);
  for (int i = 0; i < n; i++) {
    A[i + i * lda] += 1;
  }
}

static void assert_solves(int n, int nrhs, const double* A, int lda, const double* X,
                          const double* B, int ldb, double tolerance) {
  static double AX[MOST * MOST];
  multiply(n, nrhs, n, AX, n, A, lda, false, X, ldb);
  for (int j = 0; j < nrhs; j++) {
    for (int i = 0; i < n; i++) {
      assert_near(AX[i + j * n], B[i + j * ldb], tolerance);
    }
  }
}

static double A[(MOST + 3) * MOST], F[(MOST + 3) * MOST], B[(MOST + 3) * 3], X[(MOST + 3) * 3];

static void cholesky_solves_definite_systems_and_reads_the_lower_triangle_only(void** state) {
  (void)state;
  lb_random r = {1};
  for (int n = 0; n <= MOST; n++) {
    const int ld = n + n % 4;
    definite(&r, A, n, ld);
    fill(&r, B, ld * 3);
    memcpy(F, A, sizeof A);
    memcpy(X, B, sizeof B);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < j; i++) {
        F[i + j * ld] = (double)NAN;
      }
    }
    assert_int_equal(lb_cholesky(n, F, ld), LB_OK);
    lb_cholesky_solve(n, F, ld, 3, X, ld);
    assert_solves(n, 3, A, ld, X, B, ld, 1e-11);
  }
}

static void cholesky_solves_by_rows_as_by_columns(void** state) {
  (void)state;
  lb_random r = {3};
  for (int n = 0; n <= MOST; n++) {
    double rows[MOST * 3];
    definite(&r, F, n, n);
    fill(&r, X, n * 3);
    for (int k = 0; k < n * 3; k++) {
      rows[k] = X[k / 3 + k % 3 * n];
    }
    assert_int_equal(lb_cholesky(n, F, n), LB_OK);
    lb_cholesky_solve(n, F, n, 3, X, n);
    lb_cholesky_solve_rows(n, F, 3, rows);
    for (int k = 0; k < n * 3; k++) {
      assert_near(rows[k], X[k / 3 + k % 3 * n], 1e-11);
    }
  }
}

static void cholesky_refuses_what_is_not_positive_definite(void** state) {
  (void)state;
  double indefinite[] = {1, 2, 2, 1}, zero[] = {0}, bad[] = {(double)NAN};
  assert_int_equal(lb_cholesky(2, indefinite, 2), LB_FAILED);
  assert_int_equal(lb_cholesky(1, zero, 1), LB_FAILED);
  assert_int_equal(lb_cholesky(1, bad, 1), LB_FAILED);
}

static void lu_solves_general_systems(void** state) {
  (void)state;
  lb_random r = {3};
  for (int n = 0; n <= MOST; n++) {
    const int ld = n + n % 4;
    int pivot[MOST];
    fill(&r, A, ld * n);
    if (n) {
      A[0] = 0; // needs pivoting
      A[0] = n == 1 ? 2 : 0;
    }
    fill(&r, B, ld * 3);
    memcpy(F, A, sizeof A);
    memcpy(X, B, sizeof B);
    assert_int_equal(lb_lu(n, F, ld, pivot), LB_OK);
    lb_lu_solve(n, F, ld, pivot, 3, X, ld);
    assert_solves(n, 3, A, ld, X, B, ld, 1e-10);
    // and with the transpose
    double At[MOST * (MOST + 4)];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        At[i + j * ld] = A[j + i * ld];
      }
    }
    memcpy(X, B, sizeof B);
    lb_lu_solve_transposed(n, F, ld, pivot, 3, X, ld);
    assert_solves(n, 3, At, ld, X, B, ld, 1e-10);
  }
}

static void lu_refuses_a_singular_matrix(void** state) {
  (void)state;
  double singular[] = {1, 2, 2, 4};
  int pivot[2];
  assert_int_equal(lb_lu(2, singular, 2, pivot), LB_FAILED);
}

static void eigenvectors_are_orthonormal_and_diagonalise(void** state) {
  (void)state;
  lb_random r = {5};
  const int n = 30;
  static double VtAV[MOST * MOST], AV[MOST * MOST];
  double w[MOST];
  definite(&r, A, n, n);
  memcpy(F, A, sizeof A);
  assert_int_equal(lb_eigen_symmetric(&arena, n, F, n, w), LB_OK);
  multiply(n, n, n, AV, n, A, n, false, F, n);
  multiply(n, n, n, VtAV, n, F, n, true, AV, n);
  multiply(n, n, n, AV, n, F, n, true, F, n);
  for (int j = 0; j < n; j++) {
    if (j > 0) {
      assert_at_least(w[j], w[j - 1]);
    }
    for (int i = 0; i < n; i++) {
      assert_near(VtAV[i + j * n], i == j ? w[i] : 0, 1e-12);
      assert_near(AV[i + j * n], i == j ? 1 : 0, 1e-13);
    }
  }
}

// A uniform fixed-fixed chain of masses and springs vibrates at 2 sqrt(k/m) sin(i pi / (2 (n +
// 1))).
// A = D S D with D from 1 to 1e-8 and S near 1, and the same with rows and columns in reverse: the
// order of rounding is another, the eigenvalues are the same to the last digits.
static void graded_matrices_keep_the_digits_of_small_eigenvalues(void** state) {
  (void)state;
  enum { N = 5 };
  double G[N * N], H[N * N], V[N * N], W[N * N], w[N], v[N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) { // of order 1e-16 to 1
      G[i + j * N] = pow(10, -2 * (i + j)) * (i == j ? 1 : 0.1 / (i + j));
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) { // the same with its rows and columns in reverse
      H[i + j * N] = G[N - 1 - i + (N - 1 - j) * N];
    }
  }
  lb_eigen_graded(N, G, V, w);
  lb_eigen_graded(N, H, W, v);
  for (int k = 0; k < N; k++) {
    assert_near(w[k] / v[k], 1, 1e-13);
    assert_near(fabs(V[k * N] / W[N - 1 + k * N]), 1, 1e-12);
  }
}

static void generalised_eigenvalues_of_a_chain_have_their_closed_form(void** state) {
  (void)state;
  const int n = 20;
  const double k = 7, m = 0.3;
  double w[20];
  memset(A, 0, sizeof A);
  memset(F, 0, sizeof F);
  for (int i = 0; i < n; i++) {
    A[i + i * n] = 2 * k;
    F[i + i * n] = m;
    if (i + 1 < n) {
      A[i + 1 + i * n] = -k;
    }
  }
  assert_int_equal(lb_eigen_generalised(&arena, n, A, n, F, n, w), LB_OK);
  for (int i = 0; i < n; i++) {
    const double s = sin((i + 1) * 3.14159265358979323846 / (2 * (n + 1)));
    assert_near(w[i], 4 * k / m * s * s, 1e-13);
    double norm = 0;
    for (int j = 0; j < n; j++) {
      norm += m * A[j + i * n] * A[j + i * n];
    }
    assert_near(norm, 1, 1e-13);
  }
}

static void least_squares_residual_is_orthogonal_to_the_columns(void** state) {
  (void)state;
  lb_random r = {7};
  const int m = 20, n = 6;
  double b[20], x[20], res[20], At[6];
  int rank = -1;
  fill(&r, A, m * n);
  fill(&r, b, m);
  memcpy(F, A, sizeof A);
  memcpy(x, b, sizeof b);
  assert_int_equal(lb_least_squares(&arena, m, n, F, m, 1, x, m, 1e-12, &rank), LB_OK);
  assert_int_equal(rank, n);
  multiply(m, 1, n, res, m, A, m, false, x, m);
  for (int i = 0; i < m; i++) {
    res[i] -= b[i];
  }
  multiply(n, 1, m, At, n, A, m, true, res, m);
  for (int i = 0; i < n; i++) {
    assert_near(At[i], 0, 1e-13);
  }
}

static void least_squares_finds_the_rank_and_the_shortest_solution(void** state) {
  (void)state;
  // x + y = 2 twice: the shortest solution is (1, 1)
  double a[] = {1, 1, 1, 1}, b[] = {2, 2};
  int rank = -1;
  assert_int_equal(lb_least_squares(&arena, 2, 2, a, 2, 1, b, 2, 1e-12, &rank), LB_OK);
  assert_int_equal(rank, 1);
  assert_near(b[0], 1, 1e-14);
  assert_near(b[1], 1, 1e-14);
}

static void* no_memory(void* context, size_t size) {
  (void)context;
  (void)size;
  return NULL;
}
static void no_release(void* context, void* block) {
  (void)context;
  (void)block;
}

static void lapack_says_when_there_is_no_memory(void** state) {
  (void)state;
  const lb_allocator none = {no_memory, no_release, NULL};
  lb_arena empty;
  lb_arena_init(&empty, &none);
  double a[] = {2, 1, 1, 2}, b[] = {2, 0, 0, 2}, s[2];
  int rank;
  assert_int_equal(lb_eigen_symmetric(&empty, 2, a, 2, s), LB_NO_MEMORY);
  assert_int_equal(lb_eigen_generalised(&empty, 2, a, 2, b, 2, s), LB_NO_MEMORY);
  assert_int_equal(lb_least_squares(&empty, 2, 2, a, 2, 1, b, 2, 0, &rank), LB_NO_MEMORY);
  assert_near(a[0], 2, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_solves_definite_systems_and_reads_the_lower_triangle_only),
      cmocka_unit_test(cholesky_solves_by_rows_as_by_columns),
      cmocka_unit_test(cholesky_refuses_what_is_not_positive_definite),
      cmocka_unit_test(lu_solves_general_systems),
      cmocka_unit_test(lu_refuses_a_singular_matrix),
      cmocka_unit_test(eigenvectors_are_orthonormal_and_diagonalise),
      cmocka_unit_test(graded_matrices_keep_the_digits_of_small_eigenvalues),
      cmocka_unit_test(generalised_eigenvalues_of_a_chain_have_their_closed_form),
      cmocka_unit_test(least_squares_residual_is_orthogonal_to_the_columns),
      cmocka_unit_test(least_squares_finds_the_rank_and_the_shortest_solution),
      cmocka_unit_test(lapack_says_when_there_is_no_memory),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
