// Broad phase: the tree's pairs, boxes and rays against looking at everything.
#include "counting.h"
#include "geom/collide/broad.h"
#include "test.h"

enum { COUNT = 10000 };

static lb_bounds random_box(lb_random* r, double world, double size) {
  const lb_vec3 low = {lb_random_between(r, 0, world), lb_random_between(r, 0, world),
                       lb_random_between(r, 0, world)};
  const lb_vec3 e = {lb_random_between(r, 0, size), lb_random_between(r, 0, size),
                     lb_random_between(r, 0, size)};
  return (lb_bounds){low, lb_vec3_add(low, e)};
}

static int by_low_x(const void* a, const void* b) {
  const lb_bounds *const *x = a, *const *y = b;
  return ((*x)->low.x > (*y)->low.x) - ((*x)->low.x < (*y)->low.x);
}

// Pairs by sweeping along x.
static int count_pairs(const lb_bounds* box, int n, uint64_t* hash) {
  const lb_bounds** order = malloc(sizeof *order * (size_t)n);
  int found = 0;
  *hash = 0;
  for (int i = 0; i < n; i++) {
    order[i] = &box[i];
  }
  qsort(order, (size_t)n, sizeof *order, by_low_x);
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n && order[j]->low.x <= order[i]->high.x; j++) {
      if (lb_bounds_meet(order[i], order[j])) {
        const uint64_t p = (uint64_t)(order[i] - box), q = (uint64_t)(order[j] - box);
        *hash += (p < q ? p * COUNT + q : q * COUNT + p) * 2654435761u;
        found++;
      }
    }
  }
  free(order);
  return found;
}

static void pairs_are_those_of_brute_force_and_sorted(void** state) {
  (void)state;
  static lb_bounds box[COUNT];
  lb_random random = {3};
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  lb_broad* t;
  assert_int_equal(lb_broad_create(0.05, &allocator, &t), LB_OK);
  for (int i = 0; i < COUNT; i++) {
    int id;
    box[i] = random_box(&random, 30, 2);
    assert_int_equal(lb_broad_insert(t, box[i], &id), LB_OK);
    assert_int_equal(id, i);
  }
  assert_int_equal(lb_broad_reserve(t, COUNT, 200000), LB_OK);
  const long before = counting.requests;
  for (int round = 0; round < 12; round++) {
    const lb_broad_pair* pair;
    int n;
    uint64_t want, got = 0;
    assert_int_equal(lb_broad_update(t, 1 + round % 3, &pair, &n), LB_OK);
    assert_int_equal(n, count_pairs(box, COUNT, &want));
    for (int i = 0; i < n; i++) {
      got += ((uint64_t)pair[i].a * COUNT + (uint64_t)pair[i].b) * 2654435761u;
      assert_true(pair[i].a < pair[i].b);
      assert_true(i == 0 || pair[i - 1].a < pair[i].a ||
                  (pair[i - 1].a == pair[i].a && pair[i - 1].b < pair[i].b));
    }
    assert_true(got == want);
    for (int i = 0; i < COUNT; i++) {
      // most move a little, some far
      const double by = lb_random_unit(&random) < 0.05 ? 5 : 0.02;
      const lb_vec3 d = {lb_random_between(&random, -by, by), lb_random_between(&random, -by, by),
                         lb_random_between(&random, -by, by)};
      box[i] = (lb_bounds){lb_vec3_add(box[i].low, d), lb_vec3_add(box[i].high, d)};
      lb_broad_move(t, i, box[i], lb_vec3_scale(by < 1 ? 3 : -1, d)); // some turn back
    }
  }
  assert_int_equal(counting.requests, before); // nothing grew
  lb_broad_release(t);
  assert_int_equal(counting.live, 0);
}

typedef struct found {
  int n, sum;
} found;

static bool count_hit(void* context, int id) {
  found* f = context;
  f->n++;
  f->sum += id;
  return true;
}

static double count_shot(void* context, int id, double most) {
  count_hit(context, id);
  return most;
}

static void boxes_and_rays_find_what_they_meet_after_removals(void** state) {
  (void)state;
  enum { FEW = 600 };
  static lb_bounds box[FEW];
  bool gone[FEW] = {false};
  lb_random random = {4};
  lb_broad* t;
  assert_int_equal(lb_broad_create(0.1, NULL, &t), LB_OK);
  for (int i = 0; i < FEW; i++) {
    int id;
    box[i] = random_box(&random, 10, 1);
    assert_int_equal(lb_broad_insert(t, box[i], &id), LB_OK);
  }
  for (int i = 0; i < FEW; i += 3) {
    lb_broad_remove(t, i);
    gone[i] = true;
  }
  for (int k = 0; k < 500; k++) {
    const lb_bounds ask = random_box(&random, 10, 3);
    const lb_ray ray = {ask.low, lb_vec3_sub(random_box(&random, 10, 0).low, ask.low), 1};
    found want = {0}, got = {0}, shot = {0}, seen = {0};
    for (int i = 0; i < FEW; i++) {
      if (!gone[i] && lb_bounds_meet(&box[i], &ask)) {
        count_hit(&want, i);
      }
      if (!gone[i] && lb_bounds_ray(&box[i], ray.origin, ray.direction, ray.most)) {
        count_hit(&seen, i);
      }
    }
    lb_broad_query(t, &ask, count_hit, &got);
    lb_broad_ray(t, &ray, count_shot, &shot);
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.sum, want.sum);
    assert_int_equal(shot.n, seen.n);
    assert_int_equal(shot.sum, seen.sum);
  }
  int id; // the lowest free id is used again
  assert_int_equal(lb_broad_insert(t, box[0], &id), LB_OK);
  assert_int_equal(id, 0);
  lb_broad_release(t);
}

// The same boxes by another way: the same pairs.
static void pairs_do_not_depend_on_history(void** state) {
  (void)state;
  enum { FEW = 300 };
  lb_random random = {5};
  lb_broad *a, *b;
  lb_bounds box[FEW];
  assert_int_equal(lb_broad_create(0.2, NULL, &a), LB_OK);
  assert_int_equal(lb_broad_create(0.2, NULL, &b), LB_OK);
  for (int i = 0; i < FEW; i++) {
    int id;
    box[i] = random_box(&random, 5, 1);
    lb_broad_insert(a, random_box(&random, 5, 1), &id);
    lb_broad_insert(b, box[i], &id);
  }
  const lb_broad_pair *p, *q;
  int n, m;
  for (int round = 0; round < 5; round++) {
    assert_int_equal(lb_broad_update(a, 1, &p, &n), LB_OK);
    for (int i = 0; i < FEW; i++) {
      lb_broad_move(a, (i * 7) % FEW, round < 4 ? random_box(&random, 5, 1) : box[(i * 7) % FEW],
                    (lb_vec3){lb_random_between(&random, -1, 1), 0, 0.1});
    }
  }
  assert_int_equal(lb_broad_update(a, 1, &p, &n), LB_OK);
  assert_int_equal(lb_broad_update(b, 2, &q, &m), LB_OK);
  assert_int_equal(n, m);
  assert_memory_equal(p, q, sizeof *p * (size_t)n);
  lb_broad_release(a);
  lb_broad_release(b);
}

static bool is_odd(const void* context, int a, int b) {
  assert_true(a < b);
  return (a + b) % 2 == *(const int*)context;
}

// One box for all of them, so that a leaf has more pairs than it has room for by itself; some are
// placed before they are moved.
static void a_filter_leaves_out_its_pairs_and_no_others(void** state) {
  (void)state;
  enum { FEW = 200 };
  static const int odd = 1;
  lb_random random = {7};
  lb_broad *all, *some;
  assert_int_equal(lb_broad_create(0.1, NULL, &all), LB_OK);
  assert_int_equal(lb_broad_create(0.1, NULL, &some), LB_OK);
  lb_broad_filter(some, is_odd, &odd);
  for (int i = 0; i < FEW; i++) {
    int id;
    const lb_bounds box = i == 50 ? (lb_bounds){{0, 0, 0}, {9, 9, 9}} : random_box(&random, 8, 1);
    lb_broad_insert(all, box, &id);
    lb_broad_insert(some, box, &id);
  }
  for (int round = 0; round < 3; round++) {
    const lb_broad_pair *p, *q;
    int n, m, k = 0;
    assert_int_equal(lb_broad_update(all, 1, &p, &n), LB_OK);
    assert_int_equal(lb_broad_update(some, 2, &q, &m), LB_OK);
    for (int i = 0; i < n; i++) {
      if (is_odd(&odd, p[i].a, p[i].b)) {
        assert_true(k < m && q[k].a == p[i].a && q[k].b == p[i].b);
        k++;
      }
    }
    assert_int_equal(k, m);
    assert_true(m > 0 && m < n);
    for (int i = 0; i < FEW; i++) {
      const lb_bounds box = random_box(&random, 8, i == 50 ? 9 : 1);
      lb_broad_move(all, i, box, (lb_vec3){0, 0, 0});
      if (!lb_broad_place(some, i, box)) {
        lb_broad_move(some, i, box, (lb_vec3){0, 0, 0});
      }
    }
  }
  lb_broad_release(all);
  lb_broad_release(some);
}

// Each request refused in turn: a status, and all goes on when there is memory again.
static void a_refused_request_leaves_the_tree_whole(void** state) {
  (void)state;
  bool done = false;
  for (long refuse = 1; !done; refuse++) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_random random = {6};
    lb_broad* t = NULL;
    done = true;
    if (lb_broad_create(0.1, &allocator, &t) != LB_OK) {
      done = false;
      continue;
    }
    const lb_broad_pair* pair;
    int n = 0;
    for (int i = 0; i < 40; i++) {
      int id;
      const lb_bounds box = random_box(&random, 1, 1);
      while (lb_broad_insert(t, box, &id) != LB_OK) {
        done = false;
      }
      assert_int_equal(id, i);
    }
    while (lb_broad_update(t, 1, &pair, &n) != LB_OK) {
      done = false;
    }
    assert_true(n > 40);
    lb_broad_release(t);
    assert_int_equal(counting.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_those_of_brute_force_and_sorted),
      cmocka_unit_test(boxes_and_rays_find_what_they_meet_after_removals),
      cmocka_unit_test(pairs_do_not_depend_on_history),
      cmocka_unit_test(a_filter_leaves_out_its_pairs_and_no_others),
      cmocka_unit_test(a_refused_request_leaves_the_tree_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
