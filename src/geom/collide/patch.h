// Contact patches: the feature of one collider cut to the face of the other, and few points chosen
// of many.
#pragma once
#include "geom/collide/gjk.h"

/// Corners that stand out over a face by this part of the smaller size are still above it: so those
/// of equal boxes on each other stay what they are while rounding moves them.
#define LB_PATCH_BRIM 5e-4

enum { LB_PATCH_MOST = 2 * LB_FEATURE_MOST, LB_PATCH_FEW = 4 };

/// Id of a feature made of others.
static inline uint64_t lb_feature_mix(uint64_t a, uint64_t b) {
  uint64_t h = (a + 1) * 0x9e3779b97f4a7c15ull ^ (b + 1) * 0xc2b2ae3d27d4eb4full;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9ull;
  return h ^ h >> 32;
}

/// Candidates for the points of a manifold.
typedef struct lb_patch {
  int n;
  lb_contact_point point[LB_PATCH_MOST];
} lb_patch;

/// Least distance among them; infinite: there are none.
double lb_patch_deepest(const lb_patch* patch);

/// At most `most` (4 or 8) points that span the patch, the deepest among them. Choices that are
/// equally good fall to the first, so that they stay while the candidates keep their order.
void lb_patch_reduce(const lb_patch* patch, lb_vec3 normal, int most, lb_manifold* out);

/// Points of a convex pair in the frame of a, from the cores' distance. With `face` (unit, outward
/// from b) the normal is given: that of a mesh's triangle b.
void lb_patch_convex(const lb_couple* c, const lb_core_gap* gap, const lb_vec3* face, double margin,
                     lb_pair_cache* cache, lb_manifold* out);

/// From the frame of a placed collider to the world.
void lb_manifold_to_world(const lb_placed* a, lb_manifold* m);
