// Sparse matrices of 3 x 3 blocks: their factors against dense ones.
#include "math/linear/blocks.h"
#include "math/linear/blocks_general.h"
#include "math/linear/dense.h"
#include "test.h"

enum { N = 40, PAIRS = 90 };

// A random pattern, a positive definite matrix on it, dense and sparse.
static void fill(lb_arena* arena, lb_random* random, lb_blocks* A, double* dense) {
  lb_sparse_pair pair[PAIRS];
  for (int k = 0; k < PAIRS; k++) {
    pair[k].i = (int)(N * lb_random_unit(random));
    pair[k].j = k % 3 ? (pair[k].i + 1 + k % 5) % N : (int)(N * lb_random_unit(random));
  }
  assert_int_equal(lb_blocks_create(arena, N, PAIRS, pair, A), LB_OK);
  memset(dense, 0, 9 * N * N * sizeof *dense);
  lb_blocks_zero(A);
  for (int k = 0; k < PAIRS + N; k++) {
    const int i = k < PAIRS ? pair[k].i : k - PAIRS, j = k < PAIRS ? pair[k].j : k - PAIRS;
    double B[3][3];
    lb_m3 block = {{0}, {0}, {0}};
    for (int c = 0; c < 9; c++) {
      B[c / 3][c % 3] = lb_random_between(random, -1, 1);
    }
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        const double x = i == j ? (B[r][c] + B[c][r]) / 2 + (r == c ? 40 : 0) : B[r][c];
        lb_v4* column = c == 0 ? &block.x : c == 1 ? &block.y : &block.z;
        (*column)[r] = x;
        dense[(3 * i + r) + 3 * N * (3 * j + c)] += x;
        dense[(3 * j + c) + 3 * N * (3 * i + r)] += i == j ? 0 : x;
      }
    }
    lb_blocks_add(A, lb_blocks_find(A, i, j), block);
  }
}

static void solving_with_the_sparse_factor_is_solving_with_the_dense_one(void** state) {
  (void)state;
  static double dense[9 * N * N];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    lb_random random = {seed};
    lb_arena arena;
    lb_arena_init(&arena, NULL);
    lb_blocks A;
    fill(&arena, &random, &A, dense);
    double b[3 * N], x[3 * N * 2];
    for (int i = 0; i < 3 * N; i++) {
      b[i] = lb_random_between(&random, -1, 1);
      x[2 * (3 * A.place[i / 3] + i % 3)] = b[i];
      x[2 * (3 * A.place[i / 3] + i % 3) + 1] = -2 * b[i];
    }
    assert_true(lb_blocks_factor(&A));
    lb_blocks_forward(&A, 2, x);
    lb_blocks_backward(&A, 2, x);
    assert_int_equal(lb_cholesky(3 * N, dense, 3 * N), LB_OK);
    lb_cholesky_solve(3 * N, dense, 3 * N, 1, b, 3 * N);
    for (int i = 0; i < 3 * N; i++) {
      assert_near(x[2 * (3 * A.place[i / 3] + i % 3)], b[i], 1e-13);
      assert_near(x[2 * (3 * A.place[i / 3] + i % 3) + 1], -2 * b[i], 1e-13);
    }
    lb_arena_release(&arena);
  }
}

// The same pattern with two blocks for each pair.
static void solving_without_symmetry_is_solving_with_the_dense_matrix(void** state) {
  (void)state;
  static double dense[9 * N * N];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    lb_random random = {seed};
    lb_arena arena;
    lb_arena_init(&arena, NULL);
    lb_blocks P;
    fill(&arena, &random, &P, dense);
    lb_blocks_general A;
    assert_int_equal(lb_blocks_general_create(&arena, &P, &A), LB_OK);
    lb_blocks_general_zero(&A);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j <= i; j++) { // pairs that the pattern has, made anew
        lb_m3 block[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
        bool any = false;
        for (int k = 0; k < 9; k++) {
          double* at[] = {&dense[(3 * i + k % 3) + 3 * N * (3 * j + k / 3)],
                          &dense[(3 * j + k % 3) + 3 * N * (3 * i + k / 3)]};
          for (int s = 0; s < (i == j ? 1 : 2); s++) {
            any |= *at[s] != 0;
            *at[s] += *at[s] != 0 ? lb_random_between(&random, -1, 1) : 0;
            (k < 3 ? &block[s].x : k < 6 ? &block[s].y : &block[s].z)[0][k % 3] = *at[s];
          }
        }
        if (any) {
          lb_blocks_general_add(&A, lb_blocks_find(&P, i, j), block[0], block[1]);
        }
      }
    }
    int order[3 * N];
    assert_true(lb_blocks_general_factor(&A));
    assert_int_equal(lb_lu(3 * N, dense, 3 * N, order), LB_OK);
    for (int transposed = 0; transposed < 2; transposed++) {
      double b[3 * N], x[3 * N * 2];
      for (int i = 0; i < 3 * N; i++) {
        b[i] = lb_random_between(&random, -1, 1);
        x[2 * (3 * P.place[i / 3] + i % 3)] = b[i];
        x[2 * (3 * P.place[i / 3] + i % 3) + 1] = -2 * b[i];
      }
      lb_blocks_general_forward(&A, transposed, 2, x);
      lb_blocks_general_backward(&A, transposed, 2, x);
      (transposed ? lb_lu_solve_transposed : lb_lu_solve)(3 * N, dense, 3 * N, order, 1, b, 3 * N);
      for (int i = 0; i < 3 * N; i++) {
        assert_near(x[2 * (3 * P.place[i / 3] + i % 3)], b[i], 1e-13);
        assert_near(x[2 * (3 * P.place[i / 3] + i % 3) + 1], -2 * b[i], 1e-13);
      }
    }
    lb_arena_release(&arena);
  }
}

static void a_chain_is_factored_without_fill(void** state) {
  (void)state;
  enum { LONG = 500 };
  static lb_sparse_pair pair[LONG - 1];
  for (int i = 0; i + 1 < LONG; i++) {
    pair[i] = (lb_sparse_pair){i, i + 1};
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_blocks A;
  assert_int_equal(lb_blocks_create(&arena, LONG, LONG - 1, pair, &A), LB_OK);
  assert_int_equal(A.column[LONG], 2 * LONG - 1);
  lb_arena_release(&arena);
}

static void what_is_not_definite_is_reported(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_blocks A;
  const lb_sparse_pair pair = {0, 1};
  assert_int_equal(lb_blocks_create(&arena, 2, 1, &pair, &A), LB_OK);
  lb_blocks_zero(&A);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j <= i; j++) { // singular
      lb_blocks_add(&A, lb_blocks_find(&A, i, j), lb_m3_identity());
    }
  }
  assert_false(lb_blocks_factor(&A));
  lb_blocks_general G;
  assert_int_equal(lb_blocks_general_create(&arena, &A, &G), LB_OK);
  lb_blocks_general_zero(&G);
  assert_false(lb_blocks_general_factor(&G));
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solving_with_the_sparse_factor_is_solving_with_the_dense_one),
      cmocka_unit_test(solving_without_symmetry_is_solving_with_the_dense_matrix),
      cmocka_unit_test(a_chain_is_factored_without_fill),
      cmocka_unit_test(what_is_not_definite_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
