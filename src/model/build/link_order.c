// Carrying joints, and a topological order of bodies: each comes after its parent. Trees come one
// after the other, so that they can be handed to different threads.
#include "model/build/build.h"

// Children of each body as linked lists; index 0 of `first` is the world's.
typedef struct family {
  int* first; // [nbody + 1]
  int* next;  // [nbody]
} family;

static int parent_of(const lb_build* b, int body) {
  const int joint = b->carrier[body];
  return joint < 0 ? LB_WORLD : b->scene->joint[joint].parent;
}

// Filled backwards, so that the lists run in the author's order.
static void gather_children(const lb_build* b, family* f) {
  for (int i = 0; i <= b->scene->nbody; i++) {
    f->first[i] = -1;
  }
  for (int i = b->scene->nbody - 1; i >= 0; i--) {
    const int p = parent_of(b, i) + 1;
    f->next[i] = f->first[p];
    f->first[p] = i;
  }
}

// Depth first without recursion: go down to the first child, else along to the next sibling, else
// up.
static void walk(lb_build* b, const family* f) {
  int at = f->first[0];
  while (at >= 0) {
    b->order[b->nordered++] = at;
    int next = f->first[at + 1];
    while (next < 0 && at >= 0) {
      next = f->next[at];
      at = parent_of(b, at);
    }
    at = next;
  }
}

lb_status lb_build_order(lb_build* b) {
  const lb_scene* s = b->scene;
  b->carrier = LB_TAKE(b->arena, int, s->nbody);
  b->joint_link = LB_TAKE(b->arena, int, s->nbody);
  b->order = LB_TAKE(b->arena, int, s->nbody);
  family f = {LB_TAKE(b->arena, int, s->nbody + 1), LB_TAKE(b->arena, int, s->nbody)};
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < s->nbody; i++) {
    b->carrier[i] = b->joint_link[i] = -1;
  }
  for (int j = 0; j < s->njoint; j++) {
    if (!s->joint[j].loop) {
      b->carrier[s->joint[j].child] = j;
    }
  }
  gather_children(b, &f);
  walk(b, &f);
  return LB_OK;
}
