// Sparse matrices, their factors and their modes, against dense ones.
#include "base/parallel.h"
#include "counting.h"
#include "math/linear/dense.h"
#include "math/linear/direct.h"
#include "modes.h"
#include "test.h"

enum { N = 40 };

// A random symmetric matrix with about six entries a row; `shift` on the diagonal.
static lb_sparse random_matrix(lb_arena* arena, lb_random* r, double shift) {
  lb_sparse_pair pair[3 * N];
  for (int k = 0; k < 3 * N; k++) {
    pair[k] = (lb_sparse_pair){(int)lb_random_between(r, 0, N), (int)lb_random_between(r, 0, N)};
  }
  lb_sparse A;
  assert_int_equal(lb_sparse_create(arena, N, 3 * N, pair, &A), LB_OK);
  for (int i = 0; i < N; i++) {
    for (int k = A.row[i]; k < A.row[i + 1]; k++) {
      A.value[k] = lb_random_between(r, -1, 1) + (A.col[k] == i ? shift : 0);
    }
  }
  return A;
}

static void make_dense(const lb_sparse* A, double* D) {
  memset(D, 0, (size_t)A->n * (size_t)A->n * sizeof *D);
  for (int i = 0; i < A->n; i++) {
    for (int k = A->row[i]; k < A->row[i + 1]; k++) {
      D[i + A->n * A->col[k]] = D[A->col[k] + A->n * i] = A->value[k];
    }
  }
}

typedef struct fixture {
  lb_arena arena;
  lb_random random;
  double D[N * N], x[N], y[N];
} fixture;

static fixture set_up(void) {
  fixture f = {.random = {4711}};
  lb_arena_init(&f.arena, NULL);
  for (int i = 0; i < N; i++) {
    f.x[i] = lb_random_between(&f.random, -1, 1);
  }
  return f;
}

static void patterns_are_sorted_unique_and_end_in_the_diagonal(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_sparse A = random_matrix(&f.arena, &f.random, 0);
  for (int i = 0; i < N; i++) {
    for (int k = A.row[i]; k + 1 < A.row[i + 1]; k++) {
      assert_below(A.col[k], A.col[k + 1]);
    }
    assert_int_equal(A.col[A.row[i + 1] - 1], i);
    for (int j = 0; j < N; j++) {
      const int at = lb_sparse_find(&A, i, j);
      assert_true(at == lb_sparse_find(&A, j, i));
      assert_true(at < 0 || A.col[at] == (i < j ? i : j));
    }
  }
  lb_arena_release(&f.arena);
}

static void products_are_those_of_the_dense_matrix(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_sparse A = random_matrix(&f.arena, &f.random, 0);
  make_dense(&A, f.D);
  lb_sparse_apply(&A, 1, f.y, f.x);
  double wide_x[3 * N], wide_y[3 * N];
  for (int i = 0; i < 3 * N; i++) {
    wide_x[i] = (1 + i % 3) * f.x[i / 3];
  }
  lb_sparse_apply(&A, 3, wide_y, wide_x);
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) {
      sum += f.D[i + N * j] * f.x[j];
    }
    assert_near(f.y[i], sum, 1e-14);
    for (int c = 0; c < 3; c++) {
      assert_near(wide_y[3 * i + c], (1 + c) * sum, 1e-13);
    }
  }
  lb_arena_release(&f.arena);
}

static void expansion_makes_full_blocks(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_sparse A = random_matrix(&f.arena, &f.random, 0);
  lb_sparse B;
  assert_int_equal(lb_sparse_expand(&f.arena, &A, 3, &B), LB_OK);
  assert_int_equal(B.n, 3 * N);
  for (int i = 0; i < 3 * N; i++) {
    assert_int_equal(B.col[B.row[i + 1] - 1], i);
    for (int j = 0; j < 3 * N; j++) {
      assert_true((lb_sparse_find(&A, i / 3, j / 3) >= 0) == (lb_sparse_find(&B, i, j) >= 0));
    }
  }
  lb_arena_release(&f.arena);
}

static void restriction_keeps_the_chosen_rows_and_columns(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_sparse A = random_matrix(&f.arena, &f.random, 0);
  make_dense(&A, f.D);
  int index[N], back[N], n = 0;
  for (int i = 0; i < N; i++) {
    index[i] = i % 3 == 1 ? -1 : n;
    back[n] = i;
    n += index[i] >= 0;
  }
  lb_sparse B;
  int* from;
  assert_int_equal(lb_sparse_restrict(&f.arena, &A, index, &B, &from), LB_OK);
  lb_sparse_gather(&B, &A, from);
  assert_int_equal(B.n, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const int at = lb_sparse_find(&B, i, j);
      assert_near(at < 0 ? 0 : B.value[at], f.D[back[i] + N * back[j]], 0);
    }
  }
  lb_arena_release(&f.arena);
}

static void factors_solve_definite_and_indefinite_systems_again_and_again(void** state) {
  (void)state;
  for (int definite = 0; definite < 2; definite++) {
    fixture f = set_up();
    lb_sparse A = random_matrix(&f.arena, &f.random, definite ? 9 : 0.1);
    lb_direct* direct;
    assert_int_equal(lb_direct_create(NULL, &A, definite, &direct), LB_OK);
    for (int round = 0; round < 3; round++) {
      double B[2 * N], D[N * N], w[N];
      lb_sparse_apply(&A, 1, B, f.x);
      for (int i = 0; i < N; i++) {
        B[N + i] = -2 * B[i];
      }
      assert_int_equal(lb_direct_factor(direct, &A), LB_OK);
      assert_int_equal(lb_direct_solve(direct, 2, B), LB_OK);
      for (int i = 0; i < N; i++) {
        assert_near(B[i], f.x[i], 1e-9);
        assert_near(B[N + i], -2 * f.x[i], 1e-9);
      }
      // Sylvester's law: as many negative pivots as eigenvalues
      int negative = 0;
      make_dense(&A, D);
      assert_int_equal(lb_eigen_symmetric(&f.arena, N, D, N, w), LB_OK);
      for (int i = 0; i < N; i++) {
        negative += w[i] < 0;
      }
      assert_int_equal(lb_direct_negative(direct), negative);
      A.value[0] += 1; // new values, old pattern
    }
    lb_direct_release(direct);
    lb_arena_release(&f.arena);
  }
}

static void a_singular_matrix_fails_and_the_next_one_is_solved(void** state) {
  (void)state;
  fixture f = set_up();
  lb_sparse A = random_matrix(&f.arena, &f.random, 9);
  double* value = LB_TAKE(&f.arena, double, A.row[N]);
  memcpy(value, A.value, (size_t)A.row[N] * sizeof *value);
  lb_direct* direct;
  assert_int_equal(lb_direct_create(NULL, &A, false, &direct), LB_OK);
  assert_int_equal(lb_direct_solve(direct, 1, f.y), LB_FAILED); // not factored
  lb_sparse_zero(&A);
  assert_int_equal(lb_direct_factor(direct, &A), LB_FAILED);
  memcpy(A.value, value, (size_t)A.row[N] * sizeof *value);
  assert_int_equal(lb_direct_factor(direct, &A), LB_OK);
  lb_sparse_apply(&A, 1, f.y, f.x);
  assert_int_equal(lb_direct_solve(direct, 1, f.y), LB_OK);
  for (int i = 0; i < N; i++) {
    assert_near(f.y[i], f.x[i], 1e-12);
  }
  lb_direct_release(direct);
  lb_arena_release(&f.arena);
}

// One matrix for each of many calls, all at the same time.
typedef struct crowd {
  lb_sparse A;
  const double* x;
  double off[64]; // largest error of each; infinite: it failed
} crowd;

static void factor_and_solve(void* context, int i) {
  crowd* c = context;
  lb_direct* direct = NULL;
  double b[N];
  lb_sparse_apply(&c->A, 1, b, c->x);
  c->off[i] = (double)INFINITY;
  if (lb_direct_create(NULL, &c->A, true, &direct) == LB_OK &&
      lb_direct_factor(direct, &c->A) == LB_OK && lb_direct_solve(direct, 1, b) == LB_OK) {
    c->off[i] = 0;
    for (int k = 0; k < N; k++) {
      c->off[i] = fmax(c->off[i], fabs(b[k] - c->x[k]));
    }
  }
  lb_direct_release(direct);
}

static void threads_factor_at_the_same_time(void** state) {
  (void)state;
  fixture f = set_up();
  crowd c = {.A = random_matrix(&f.arena, &f.random, 9), .x = f.x};
  lb_parallel_for(4, 64, factor_and_solve, &c);
  for (int i = 0; i < 64; i++) {
    assert_near(c.off[i], 0, 1e-12);
  }
  lb_arena_release(&f.arena);
}

// K = A A' + 0.1 I would not be sparse; a diagonally dominant one is definite too.
static void modes_are_those_of_the_dense_problem(void** state) {
  (void)state;
  fixture f = set_up();
  lb_sparse K = random_matrix(&f.arena, &f.random, 9), M = K;
  M.value = LB_TAKE(&f.arena, double, K.row[N]);
  for (int i = 0; i < N; i++) {
    for (int k = K.row[i]; k < K.row[i + 1]; k++) {
      M.value[k] = K.col[k] == i ? 2 + 0.02 * i : 0.1 * K.value[k];
    }
  }
  double B[N * N], all[N], w[5], x[5 * N], Mx[N];
  make_dense(&K, f.D);
  make_dense(&M, B);
  assert_int_equal(lb_eigen_generalised(&f.arena, N, f.D, N, B, N, all), LB_OK);
  assert_int_equal(lb_modes(NULL, &K, &M, 0, 5, w, x), LB_OK);
  for (int k = 0; k < 5; k++) {
    assert_near(w[k], all[k], 1e-10);
    lb_sparse_apply(&M, 1, Mx, &x[k * N]);
    double largest = 0;
    for (int l = 0; l < 5; l++) {
      double dot = 0;
      for (int i = 0; i < N; i++) {
        dot += x[l * N + i] * Mx[i];
        largest = fabs(x[k * N + i]) > fabs(largest) ? x[k * N + i] : largest;
      }
      assert_near(dot, k == l, 1e-9);
    }
    assert_above(largest, 0);
  }
  lb_arena_release(&f.arena);
}

static void refused_memory_is_reported_and_nothing_leaks(void** state) {
  (void)state;
  fixture f = set_up();
  lb_sparse K = random_matrix(&f.arena, &f.random, 9), M = K;
  M.value = LB_TAKE(&f.arena, double, K.row[N]);
  for (int i = 0; i < N; i++) {
    M.value[K.row[i + 1] - 1] = 1;
  }
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting count = {.refuse = refuse};
    const lb_allocator counting = lb_counting_allocator(&count);
    double w[2], x[2 * N];
    status = lb_modes(&counting, &K, &M, 0, 2, w, x);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    assert_int_equal(count.live, 0);
  }
  lb_arena_release(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_are_sorted_unique_and_end_in_the_diagonal),
      cmocka_unit_test(products_are_those_of_the_dense_matrix),
      cmocka_unit_test(expansion_makes_full_blocks),
      cmocka_unit_test(restriction_keeps_the_chosen_rows_and_columns),
      cmocka_unit_test(factors_solve_definite_and_indefinite_systems_again_and_again),
      cmocka_unit_test(a_singular_matrix_fails_and_the_next_one_is_solved),
      cmocka_unit_test(threads_factor_at_the_same_time),
      cmocka_unit_test(modes_are_those_of_the_dense_problem),
      cmocka_unit_test(refused_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
