// Sparse L U by blocks against dense matrices: random patterns, blocks of many sizes, parts without
// a diagonal of their own that have to wait.
#include "math/linear/block_lu.h"

#include "base/arena.h"
#include "math/linear/dense.h"
#include "test.h"

enum { MOST = 12, WIDEST = 7, UNKNOWNS = MOST * WIDEST };

typedef struct world {
  lb_arena arena;
  lb_block_lu A;
  double dense[UNKNOWNS * UNKNOWNS]; // by columns
  int n;
} world;

static void put(world* w, int i, int j, double diagonal, lb_random* random) {
  const lb_block_lu* A = &w->A;
  double* block = lb_block_lu_at(A, i, j);
  for (int c = 0; c < A->size[j]; c++) {
    for (int r = 0; r < A->size[i]; r++) {
      const double x = lb_random_between(random, -1, 1) + (i == j && r == c ? diagonal : 0);
      block[r + c * A->size[i]] = x;
      w->dense[A->first[i] + r + (A->first[j] + c) * w->n] = x;
    }
  }
}

static void solve_both_ways(const world* w, double* x, double* y, lb_random* random) {
  double dense[UNKNOWNS * UNKNOWNS];
  int pivot[UNKNOWNS];
  memcpy(dense, w->dense, sizeof dense);
  for (int i = 0; i < w->n; i++) {
    x[i] = y[i] = lb_random_between(random, -1, 1);
  }
  assert_int_equal(lb_lu(w->n, dense, w->n, pivot), LB_OK);
  lb_lu_solve(w->n, dense, w->n, pivot, 1, y, w->n);
  lb_block_lu_solve(&w->A, x);
}

static void random_patterns_solve_as_dense_matrices_do(void** state) {
  (void)state;
  lb_random random = {7};
  for (int trial = 0; trial < 50; trial++) {
    world w = {0};
    lb_arena_init(&w.arena, NULL);
    lb_sparse_pair pair[MOST * MOST];
    int size[MOST], npair = 0;
    const int n = 1 + trial % MOST;
    for (int i = 0; i < n; i++) {
      size[i] = 1 + (int)(WIDEST * lb_random_unit(&random));
      for (int j = 0; j < i; j++) {
        if (lb_random_unit(&random) > 0.75) {
          pair[npair++] = (lb_sparse_pair){i, j};
        }
      }
    }
    assert_int_equal(lb_block_lu_create(&w.arena, n, size, false, npair, pair, &w.A), LB_OK);
    w.n = w.A.first[n];
    lb_block_lu_zero(&w.A);
    for (int i = 0; i < n; i++) {
      put(&w, i, i, 20, &random);
    }
    for (int k = 0; k < npair; k++) {
      put(&w, pair[k].i, pair[k].j, 0, &random);
      put(&w, pair[k].j, pair[k].i, 0, &random);
    }
    assert_true(lb_block_lu_factor(&w.A));
    double x[UNKNOWNS], y[UNKNOWNS];
    solve_both_ways(&w, x, y, &random);
    for (int i = 0; i < w.n; i++) {
      assert_near(x[i], y[i], 1e-12);
    }
    lb_arena_release(&w.arena);
  }
}

// A chain 0 - 1 - ... with rows at its end that have zeros on their diagonal.
static void what_has_no_diagonal_comes_last(void** state) {
  (void)state;
  lb_random random = {3};
  const int size[] = {4, 5, 6, 2};
  const lb_sparse_pair pair[] = {{0, 1}, {1, 2}, {3, 0}, {3, 2}};
  world w = {0};
  lb_arena_init(&w.arena, NULL);
  assert_int_equal(lb_block_lu_create(&w.arena, 4, size, true, 4, pair, &w.A), LB_OK);
  assert_int_equal(w.A.order[3], 3);
  w.n = w.A.first[4];
  lb_block_lu_zero(&w.A);
  for (int i = 0; i < 3; i++) {
    put(&w, i, i, 20, &random);
  }
  for (int k = 0; k < 4; k++) {
    put(&w, pair[k].i, pair[k].j, 0, &random);
    put(&w, pair[k].j, pair[k].i, 0, &random);
  }
  assert_true(lb_block_lu_factor(&w.A));
  double x[UNKNOWNS], y[UNKNOWNS];
  solve_both_ways(&w, x, y, &random);
  for (int i = 0; i < w.n; i++) {
    assert_near(x[i], y[i], 1e-10);
  }
  lb_arena_release(&w.arena);
}

// Two rows more that say the same as the first two: the others' unknowns are as without them.
static void what_repeats_itself_is_left_out(void** state) {
  (void)state;
  lb_random random = {11};
  const int size[] = {4, 5, 4};
  const lb_sparse_pair pair[] = {{0, 1}, {2, 0}, {2, 1}};
  world w = {0};
  lb_arena_init(&w.arena, NULL);
  assert_int_equal(lb_block_lu_create(&w.arena, 3, size, true, 3, pair, &w.A), LB_OK);
  w.n = w.A.first[3];
  double x[UNKNOWNS], b[UNKNOWNS] = {0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3 && (i < 2 || j < 2); j++) {
      put(&w, i, j, i == j ? 20 : 0, &random);
    }
  }
  for (int t = 0; t < 2; t++) { // rows and columns 2, 3 of the last part: 0, 1 with another sign
    double* down = lb_block_lu_at(&w.A, 2, t);
    double* across = lb_block_lu_at(&w.A, t, 2);
    for (int k = 0; k < 2 * size[t]; k++) {
      down[k / 2 * 4 + 2 + k % 2] = -down[k / 2 * 4 + k % 2];
      across[2 * size[t] + k] = -across[k];
    }
  }
  double known[UNKNOWNS];
  for (int i = 0; i < 11; i++) {
    known[i] = lb_random_between(&random, -1, 1);
  }
  for (int i = 0; i < 3; i++) { // b = A known, the multipliers beyond 11 zero
    for (int j = 0; j < 3 && (i < 2 || j < 2); j++) {
      for (int c = 0; c < (j < 2 ? size[j] : 2); c++) {
        for (int r = 0; r < size[i]; r++) {
          b[w.A.first[i] + r] +=
              lb_block_lu_at(&w.A, i, j)[r + c * size[i]] * known[w.A.first[j] + c];
        }
      }
    }
  }
  memcpy(x, b, sizeof x);
  assert_true(lb_block_lu_factor(&w.A));
  assert_int_equal(w.A.rank, 2);
  lb_block_lu_solve(&w.A, x);
  for (int i = 0; i < 9; i++) {
    assert_near(x[i], known[i], 1e-12);
  }
  assert_near(x[9] - x[11], known[9], 1e-12);
  assert_near(x[10] - x[12], known[10], 1e-12);
  lb_arena_release(&w.arena);
}

// A chain fills nothing: as many blocks as the matrix has.
static void a_chain_has_no_fill(void** state) {
  (void)state;
  enum { LINKS = 40 };
  int size[LINKS];
  lb_sparse_pair pair[LINKS];
  for (int i = 0; i < LINKS; i++) {
    size[i] = 3;
    pair[i] = (lb_sparse_pair){i, i > 0 ? i - 1 : 0};
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_block_lu A;
  assert_int_equal(lb_block_lu_create(&arena, LINKS, size, false, LINKS, pair, &A), LB_OK);
  assert_int_equal(A.count, 1 + 9 * (LINKS + 2 * (LINKS - 1)));
  lb_arena_release(&arena);
}

static void singular_matrices_are_told(void** state) {
  (void)state;
  const int size[] = {2, 2};
  const lb_sparse_pair pair[] = {{0, 1}};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_block_lu A;
  assert_int_equal(lb_block_lu_create(&arena, 2, size, false, 1, pair, &A), LB_OK);
  lb_block_lu_zero(&A);
  assert_false(lb_block_lu_factor(&A));
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_patterns_solve_as_dense_matrices_do),
      cmocka_unit_test(what_has_no_diagonal_comes_last),
      cmocka_unit_test(what_repeats_itself_is_left_out),
      cmocka_unit_test(a_chain_has_no_fill),
      cmocka_unit_test(singular_matrices_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
