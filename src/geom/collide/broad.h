// Broad phase: which boxes are near each other. A dynamic tree of boxes, each grown by a little, so
// that small motions leave it as it is.
//
// Pairs come sorted by the ids of their leaves. They are those whose boxes meet as they were given
// last, so they depend neither on the tree's shape nor on its history. Memory grows in
// lb_broad_insert, lb_broad_reserve and, where pairs become more than ever before, lb_broad_update.
// A step that knows where its boxes are gives them to lb_broad_place, many threads at a time, and
// moves those in the tree that left their grown boxes.
#pragma once
#include "geom/collide/bounds.h"
#include "limber/collision.h"
#include "limber/memory.h"

typedef struct lb_broad lb_broad;

/// Leaf ids, a < b.
typedef struct lb_broad_pair {
  int a, b;
} lb_broad_pair;

/// `fat` [m] >= 0 is what boxes are grown by.
lb_status lb_broad_create(double fat, const lb_allocator* allocator, lb_broad** out);
void lb_broad_release(lb_broad* t);
/// Room for this many leaves and pairs.
lb_status lb_broad_reserve(lb_broad* t, int nleaf, int npair);

/// A new leaf, with the lowest id that is free. The box must be finite.
lb_status lb_broad_insert(lb_broad* t, lb_bounds box, int* id);
void lb_broad_remove(lb_broad* t, int id);
/// The box of a leaf from now on; false: it has left the grown one, and must be moved. Other leaves
/// may be placed at the same time.
bool lb_broad_place(lb_broad* t, int id, lb_bounds box);
/// The same, and the tree follows. `way` is where it will go from there: the tree has it grown by
/// that, too, so that it need not be moved in the tree every time. Pairs do not depend on it.
void lb_broad_move(lb_broad* t, int id, lb_bounds box, lb_vec3 way);

/// The most pairs of grown boxes that lb_broad_update may list; without it there is no limit.
void lb_broad_limit(lb_broad* t, int most);

/// Pairs that are listed, a < b; the result for a pair never changes. Without it all are.
typedef bool (*lb_broad_may)(const void* context, int a, int b);
void lb_broad_filter(lb_broad* t, lb_broad_may may, const void* context);

/// Pairs after all moves, on up to `threads` threads. They stay until the next update. LB_FAILED:
/// they are more than the limit.
lb_status lb_broad_update(lb_broad* t, int threads, const lb_broad_pair** pair, int* npair);

/// Calls for each leaf whose box meets `box`; false stops. The order is that of the tree.
typedef bool (*lb_broad_visit)(void* context, int id);
void lb_broad_query(const lb_broad* t, const lb_bounds* box, lb_broad_visit visit, void* context);

/// Calls for leaves whose boxes a ray meets, with what is left of it: the result is the new `most`,
/// the old one for a miss.
typedef double (*lb_broad_shot)(void* context, int id, double most);
void lb_broad_ray(const lb_broad* t, const lb_ray* ray, lb_broad_shot shot, void* context);
