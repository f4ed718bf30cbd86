// Dynamic tree of boxes: insertion where the surface grows least, rotations that keep it low
// (Catto 2019), and a list of pairs of grown boxes that is mended only around leaves that left
// theirs.
#include "geom/collide/broad.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "geom/collide/collider_kind.h"

enum {
  NONE = -1,
  DEPTH = 256,
  EACH = 24,     // pairs of a leaf that moved, for which it has room of its own
  LEAVES = 16,   // that moved, of a task
  KEYS = 1024,   // of a task
  FEW = 2 * KEYS // that one thread does as fast
};

typedef struct node {
  lb_bounds box;
  int parent, child[2]; // child[0] NONE: a leaf
  int leaf;             // its id
  int height;
} node;

typedef struct leaf {
  lb_bounds box; // as given
  int node;      // NONE: free
  bool moved;
} leaf;

struct lb_broad {
  const lb_allocator* allocator;
  double fat;
  node* node;
  leaf* leaf;
  int root, free, capacity; // of leaves; there are twice as many nodes
  int lowest;               // no id below is free
  uint64_t *key, *spare;    // pairs of grown boxes, sorted
  lb_broad_pair* pair;      // those whose own boxes meet
  int* count;               // [pair_capacity / KEYS + 1] what is left of the keys of a task
  int nkey, npair, pair_capacity;
  int most; // pairs of grown boxes
  int *moved, nmoved;
  uint64_t* found; // [capacity][EACH] pairs of leaves that moved
  int* nfound;     // [capacity] their number, NONE: there is no room for them
  int* sorted;     // [capacity + 1] of the counting sort
  lb_broad_may may;
  const void* context; // of that
};

// --- memory ---

lb_status lb_broad_create(double fat, const lb_allocator* allocator, lb_broad** out) {
  LB_ASSERT(fat >= 0);
  lb_broad* t = lb_allocate(allocator, sizeof *t);
  if (!t) {
    return LB_NO_MEMORY;
  }
  *t = (lb_broad){.allocator = allocator, .fat = fat, .root = NONE, .free = NONE, .most = INT_MAX};
  *out = t;
  return LB_OK;
}

void lb_broad_limit(lb_broad* t, int most) {
  t->most = most;
}

void lb_broad_filter(lb_broad* t, lb_broad_may may, const void* context) {
  t->may = may;
  t->context = context;
}

void lb_broad_release(lb_broad* t) {
  if (t) {
    void* const array[] = {t->node,   t->leaf, t->moved, t->found, t->nfound,
                           t->sorted, t->key,  t->spare, t->pair,  t->count};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
      lb_release(t->allocator, array[i]);
    }
    lb_release(t->allocator, t);
  }
}

// A larger copy of an array; NULL: no memory, and the old one stays.
static void* enlarge(lb_broad* t, void* old, size_t size, int used, int room) {
  void* more = lb_allocate(t->allocator, size * (size_t)room);
  if (more && used > 0) {
    memcpy(more, old, size * (size_t)used);
  }
  if (more) {
    lb_release(t->allocator, old);
  }
  return more ? more : NULL;
}

#define ENLARGE(t, array, used, room)                                                              \
  do {                                                                                             \
    void* more = enlarge((t), (array), sizeof *(array), (used), (room));                           \
    if (!more) {                                                                                   \
      return LB_NO_MEMORY;                                                                         \
    }                                                                                              \
    (array) = more;                                                                                \
  } while (0)

static lb_status reserve_leaves(lb_broad* t, int n) {
  if (n <= t->capacity) {
    return LB_OK;
  }
  const int room = n > 2 * t->capacity ? n : 2 * t->capacity, old = t->capacity;
  ENLARGE(t, t->node, 2 * old, 2 * room);
  ENLARGE(t, t->leaf, old, room);
  ENLARGE(t, t->moved, t->nmoved, room);
  ENLARGE(t, t->found, 0, EACH * room);
  ENLARGE(t, t->nfound, 0, room);
  ENLARGE(t, t->sorted, 0, room + 1);
  for (int i = 2 * room - 1; i >= 2 * old; i--) {
    t->node[i].parent = t->free;
    t->free = i;
  }
  for (int i = old; i < room; i++) {
    t->leaf[i] = (leaf){.node = NONE};
  }
  t->capacity = room;
  return LB_OK;
}

static lb_status reserve_pairs(lb_broad* t, int n) {
  if (n > t->most) {
    return LB_FAILED;
  }
  if (n <= t->pair_capacity) {
    return LB_OK;
  }
  const int room = n > 2 * t->pair_capacity ? n : 2 * t->pair_capacity;
  ENLARGE(t, t->key, t->nkey, room);
  ENLARGE(t, t->spare, 0, room);
  ENLARGE(t, t->pair, t->npair, room);
  ENLARGE(t, t->count, 0, room / KEYS + 1);
  t->pair_capacity = room;
  return LB_OK;
}

lb_status lb_broad_reserve(lb_broad* t, int nleaf, int npair) {
  const lb_status status = reserve_leaves(t, nleaf);
  return status == LB_OK ? reserve_pairs(t, npair) : status;
}

// --- the tree ---

static bool is_leaf(const node* n) {
  return n->child[0] == NONE;
}

static int take_node(lb_broad* t) {
  const int i = t->free;
  t->free = t->node[i].parent;
  t->node[i] = (node){.parent = NONE, .child = {NONE, NONE}};
  return i;
}

static void give_node(lb_broad* t, int i) {
  t->node[i].parent = t->free;
  t->free = i;
}

static void refit(lb_broad* t, int i) {
  node* n = &t->node[i];
  const node *a = &t->node[n->child[0]], *b = &t->node[n->child[1]];
  n->box = lb_bounds_union(a->box, b->box);
  n->height = 1 + (a->height > b->height ? a->height : b->height);
}

// A node's child changes places with a child of its sibling where that makes the sibling smaller.
static bool rotate(lb_broad* t, int i) {
  node* n = &t->node[i];
  double gain = 0;
  int side = 0, grandchild = NONE;
  for (int s = 0; s < 2; s++) {
    const node *own = &t->node[n->child[s]], *other = &t->node[n->child[!s]];
    for (int k = 0; k < 2 && !is_leaf(other); k++) {
      const lb_bounds box = lb_bounds_union(own->box, t->node[other->child[!k]].box);
      const double g = lb_bounds_area(&other->box) - lb_bounds_area(&box);
      if (g > gain) {
        gain = g;
        side = s;
        grandchild = k;
      }
    }
  }
  if (grandchild != NONE) {
    const int up = t->node[n->child[!side]].child[grandchild], down = n->child[side];
    const int other = n->child[!side];
    n->child[side] = up;
    t->node[up].parent = i;
    t->node[other].child[grandchild] = down;
    t->node[down].parent = other;
    refit(t, other);
  }
  return grandchild != NONE;
}

// Up to where nothing changes.
static void mend_upwards(lb_broad* t, int i) {
  bool changed = true;
  while (i != NONE && changed) {
    const lb_bounds box = t->node[i].box;
    const int height = t->node[i].height;
    refit(t, i);
    if (rotate(t, i)) {
      refit(t, i);
    }
    changed = t->node[i].height != height || !lb_bounds_equal(&t->node[i].box, &box);
    i = t->node[i].parent;
  }
}

// Sibling for a new box: down the tree, to the child whose surface grows least, as long as that is
// cheaper than a new parent here. Where none grows, as of many boxes in one place, to the lower
// one.
static int find_sibling(const lb_broad* t, const lb_bounds* box) {
  int i = t->root;
  while (!is_leaf(&t->node[i])) {
    const node* n = &t->node[i];
    const lb_bounds all = lb_bounds_union(n->box, *box);
    const double here = lb_bounds_area(&all), passed = here - lb_bounds_area(&n->box);
    double cost[2], growth[2];
    for (int k = 0; k < 2; k++) {
      const node* c = &t->node[n->child[k]];
      const lb_bounds u = lb_bounds_union(c->box, *box);
      const double area = lb_bounds_area(&u), own = lb_bounds_area(&c->box);
      cost[k] = passed + area - (is_leaf(c) ? 0 : own);
      growth[k] = area - own;
    }
    if (growth[0] <= 0 && growth[1] <= 0) {
      i = n->child[t->node[n->child[1]].height < t->node[n->child[0]].height];
      continue;
    }
    if (here < cost[0] && here < cost[1]) {
      break;
    }
    i = n->child[cost[1] < cost[0]];
  }
  return i;
}

static void link_leaf(lb_broad* t, int i) {
  if (t->root == NONE) {
    t->root = i;
    t->node[i].parent = NONE;
    return;
  }
  const int sibling = find_sibling(t, &t->node[i].box), parent = take_node(t);
  const int above = t->node[sibling].parent;
  t->node[parent].parent = above;
  t->node[parent].child[0] = sibling;
  t->node[parent].child[1] = i;
  t->node[sibling].parent = t->node[i].parent = parent;
  if (above == NONE) {
    t->root = parent;
  } else {
    t->node[above].child[t->node[above].child[1] == sibling] = parent;
  }
  mend_upwards(t, parent);
}

static void unlink_leaf(lb_broad* t, int i) {
  const int parent = t->node[i].parent;
  if (parent == NONE) {
    t->root = NONE;
    return;
  }
  const int above = t->node[parent].parent;
  const int sibling = t->node[parent].child[t->node[parent].child[0] == i];
  t->node[sibling].parent = above;
  if (above == NONE) {
    t->root = sibling;
  } else {
    t->node[above].child[t->node[above].child[1] == parent] = sibling;
  }
  give_node(t, parent);
  mend_upwards(t, above);
}

static void mark_moved(lb_broad* t, int id) {
  if (!t->leaf[id].moved) {
    t->leaf[id].moved = true;
    t->moved[t->nmoved++] = id;
  }
}

lb_status lb_broad_insert(lb_broad* t, lb_bounds box, int* id) {
  int i = t->lowest;
  while (i < t->capacity && t->leaf[i].node != NONE) {
    i++;
  }
  if (reserve_leaves(t, i + 1) != LB_OK) {
    return LB_NO_MEMORY;
  }
  const int n = take_node(t);
  t->node[n].box = lb_bounds_grow(box, t->fat);
  t->node[n].leaf = i;
  t->leaf[i] = (leaf){.box = box, .node = n, .moved = t->leaf[i].moved};
  t->lowest = i + 1;
  link_leaf(t, n);
  mark_moved(t, i);
  *id = i;
  return LB_OK;
}

void lb_broad_remove(lb_broad* t, int id) {
  LB_ASSERT(t->leaf[id].node != NONE);
  unlink_leaf(t, t->leaf[id].node);
  give_node(t, t->leaf[id].node);
  t->leaf[id].node = NONE;
  t->lowest = id < t->lowest ? id : t->lowest;
  mark_moved(t, id);
}

// A box and the way it will go, but no farther than it is wide: what is fast would have too many
// pairs.
static lb_bounds along(lb_bounds box, lb_vec3 way) {
  const lb_vec3 wide = lb_vec3_sub(box.high, box.low);
  const lb_vec3 by = {lb_clamp(way.x, -wide.x, wide.x), lb_clamp(way.y, -wide.y, wide.y),
                      lb_clamp(way.z, -wide.z, wide.z)};
  const lb_bounds there = {lb_vec3_add(box.low, by), lb_vec3_add(box.high, by)};
  return lb_bounds_union(box, there);
}

bool lb_broad_place(lb_broad* t, int id, lb_bounds box) {
  leaf* l = &t->leaf[id];
  LB_ASSERT(l->node != NONE);
  l->box = box;
  return lb_bounds_hold(&t->node[l->node].box, &box);
}

void lb_broad_move(lb_broad* t, int id, lb_bounds box, lb_vec3 way) {
  const leaf* l = &t->leaf[id];
  if (lb_broad_place(t, id, box)) {
    return;
  }
  unlink_leaf(t, l->node);
  t->node[l->node].box = lb_bounds_grow(along(box, way), t->fat);
  link_leaf(t, l->node);
  mark_moved(t, id);
}

// --- queries ---

typedef struct walk {
  int stack[DEPTH], n;
} walk;

static walk walk_from(const lb_broad* t) {
  walk w = {.n = t->root != NONE};
  w.stack[0] = t->root;
  return w;
}

static void push_children(walk* w, const node* n) {
  if (w->n + 2 <= DEPTH) { // rotations keep the tree far lower than this
    w->stack[w->n++] = n->child[1];
    w->stack[w->n++] = n->child[0];
  }
}

void lb_broad_query(const lb_broad* t, const lb_bounds* box, lb_broad_visit visit, void* context) {
  walk w = walk_from(t);
  while (w.n > 0) {
    const node* n = &t->node[w.stack[--w.n]];
    if (!lb_bounds_meet(&n->box, box)) {
      continue;
    }
    if (!is_leaf(n)) {
      push_children(&w, n);
    } else if (lb_bounds_meet(&t->leaf[n->leaf].box, box) && !visit(context, n->leaf)) {
      return;
    }
  }
}

void lb_broad_ray(const lb_broad* t, const lb_ray* ray, lb_broad_shot shot, void* context) {
  double most = ray->most;
  walk w = walk_from(t);
  while (w.n > 0) {
    const node* n = &t->node[w.stack[--w.n]];
    if (!lb_bounds_ray(&n->box, ray->origin, ray->direction, most)) {
      continue;
    }
    if (!is_leaf(n)) {
      push_children(&w, n);
    } else if (lb_bounds_ray(&t->leaf[n->leaf].box, ray->origin, ray->direction, most)) {
      const double left = shot(context, n->leaf, most);
      most = left < most ? left : most;
    }
  }
}

// --- pairs ---

static uint64_t key_of(int a, int b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static bool may_meet(const lb_broad* t, int a, int b) {
  return !t->may || t->may(t->context, a < b ? a : b, a < b ? b : a);
}

// Grown boxes that meet that of a leaf, up to `room` of them; NONE: they are more. Of two that
// moved the lower one reports.
static int collect(const lb_broad* t, int id, uint64_t* out, int room) {
  const lb_bounds box = t->node[t->leaf[id].node].box;
  walk w = walk_from(t);
  int n = 0;
  while (w.n > 0) {
    const node* at = &t->node[w.stack[--w.n]];
    if (!lb_bounds_meet(&at->box, &box)) {
      continue;
    }
    if (!is_leaf(at)) {
      push_children(&w, at);
    } else if (at->leaf != id && !(t->leaf[at->leaf].moved && at->leaf < id) &&
               may_meet(t, id, at->leaf)) {
      if (n == room) {
        return NONE;
      }
      out[n++] = key_of(id, at->leaf);
    }
  }
  return n;
}

// --- tasks ---

static int tasks_of(int n, int each) {
  return (n + each - 1) / each;
}

// Pairs of some leaves that moved.
static void collect_some(lb_broad* t, int task) {
  const int end = (task + 1) * LEAVES < t->nmoved ? (task + 1) * LEAVES : t->nmoved;
  for (int i = task * LEAVES; i < end; i++) {
    const int id = t->moved[i];
    t->nfound[i] = t->leaf[id].node != NONE ? collect(t, id, t->found + (size_t)i * EACH, EACH) : 0;
  }
}

// Old pairs of leaves that stayed, to the front of their task's keys.
static void keep_some(lb_broad* t, int task) {
  const int end = (task + 1) * KEYS < t->nkey ? (task + 1) * KEYS : t->nkey;
  int kept = task * KEYS;
  for (int i = kept; i < end; i++) {
    const int a = (int)(t->key[i] >> 32), b = (int)(t->key[i] & 0xffffffffu);
    if (!t->leaf[a].moved && !t->leaf[b].moved) {
      t->key[kept++] = t->key[i];
    }
  }
  t->count[task] = kept - task * KEYS;
}

static void mend_some(void* context, int task) {
  lb_broad* t = context;
  const int tasks = tasks_of(t->nmoved, LEAVES);
  if (task < tasks) {
    collect_some(t, task);
  } else {
    keep_some(t, task - tasks);
  }
}

// Pairs whose own boxes meet, to the front of their task's.
static void test_some(void* context, int task) {
  lb_broad* t = context;
  const int end = (task + 1) * KEYS < t->nkey ? (task + 1) * KEYS : t->nkey;
  int n = task * KEYS;
  for (int i = n; i < end; i++) {
    const int a = (int)(t->key[i] >> 32), b = (int)(t->key[i] & 0xffffffffu);
    if (lb_bounds_meet(&t->leaf[a].box, &t->leaf[b].box)) {
      t->pair[n++] = (lb_broad_pair){a, b};
    }
  }
  t->count[task] = n - task * KEYS;
}

// Elements of all tasks, one after the other; their number.
static int close_up(const lb_broad* t, void* array, size_t size) {
  char* to = array;
  int n = 0;
  for (int k = 0; k < tasks_of(t->nkey, KEYS); k++) {
    memmove(to + (size_t)n * size, to + (size_t)k * KEYS * size, (size_t)t->count[k] * size);
    n += t->count[k];
  }
  return n;
}

// --- the list ---

// Pairs of a leaf that had no room for them, behind the others.
static lb_status add_many(lb_broad* t, int id) {
  for (;;) {
    const int room = t->pair_capacity < t->most ? t->pair_capacity : t->most;
    const int n = collect(t, id, t->key + t->nkey, room - t->nkey);
    if (n != NONE) {
      t->nkey += n;
      return LB_OK;
    }
    const lb_status status = reserve_pairs(t, room + 1);
    if (status != LB_OK) {
      return status;
    }
  }
}

static lb_status add_few(lb_broad* t, const uint64_t* found, int n) {
  const lb_status status = reserve_pairs(t, t->nkey + n);
  if (status == LB_OK) {
    memcpy(t->key + t->nkey, found, (size_t)n * sizeof *found);
    t->nkey += n;
  }
  return status;
}

// Pairs of all leaves that moved.
static lb_status add_pairs(lb_broad* t) {
  lb_status status = LB_OK;
  for (int i = 0; i < t->nmoved && status == LB_OK; i++) {
    if (t->nfound[i] == NONE) {
      status = add_many(t, t->moved[i]);
    } else if (t->nfound[i] > 0) {
      status = add_few(t, t->found + (size_t)i * EACH, t->nfound[i]);
    }
  }
  return status;
}

// A stable counting sort by one of the two ids.
static void sort_by(const lb_broad* t, const uint64_t* from, uint64_t* to, int n, int shift) {
  int* count = t->sorted;
  memset(count, 0, (size_t)(t->capacity + 1) * sizeof *count);
  for (int i = 0; i < n; i++) {
    count[(from[i] >> shift & 0xffffffffu) + 1]++;
  }
  for (int i = 0; i < t->capacity; i++) {
    count[i + 1] += count[i];
  }
  for (int i = 0; i < n; i++) {
    to[count[from[i] >> shift & 0xffffffffu]++] = from[i];
  }
}

// Keys of which the first ones are sorted already.
static void merge_keys(lb_broad* t, int sorted) {
  const int n = t->nkey;
  uint64_t *key = t->key, *spare = t->spare;
  if (n == sorted) {
    return;
  }
  sort_by(t, key + sorted, spare, n - sorted, 0);
  sort_by(t, spare, key + sorted, n - sorted, 32);
  for (int i = 0, j = sorted, k = 0; k < n; k++) {
    const bool first = i < sorted && (j >= n || key[i] <= key[j]);
    spare[k] = first ? key[i++] : key[j++];
  }
  t->key = spare;
  t->spare = key;
}

// The list of grown boxes that meet: old pairs of leaves that stayed, new ones of those that moved.
static lb_status mend_pairs(lb_broad* t, int threads) {
  lb_parallel_for(threads, tasks_of(t->nmoved, LEAVES) + tasks_of(t->nkey, KEYS), mend_some, t);
  const int kept = t->nkey = close_up(t, t->key, sizeof *t->key);
  const lb_status status = add_pairs(t);
  if (status != LB_OK) {
    return status; // all that moved is looked at again next time
  }
  for (int i = 0; i < t->nmoved; i++) {
    t->leaf[t->moved[i]].moved = false;
  }
  t->nmoved = 0;
  merge_keys(t, kept);
  return LB_OK;
}

lb_status lb_broad_update(lb_broad* t, int threads, const lb_broad_pair** pair, int* npair) {
  threads = t->nkey < FEW ? 1 : threads;
  const lb_status status = t->nmoved > 0 ? mend_pairs(t, threads) : LB_OK;
  if (status != LB_OK) {
    return status;
  }
  lb_parallel_for(threads, tasks_of(t->nkey, KEYS), test_some, t);
  t->npair = close_up(t, t->pair, sizeof *t->pair);
  *pair = t->pair;
  *npair = t->npair;
  return LB_OK;
}
