// Entries of the table of pairs: manifolds of two kinds of colliders.
#pragma once
#include "geom/collide/patch.h"

typedef struct lb_pair_query {
  const lb_placed *a, *b;
  double margin;
  lb_pair_cache* cache; ///< never NULL here
  lb_manifold* out;
  int room;
  lb_collide_outcome outcome;
} lb_pair_query;

/// How many manifolds there are; those that fit are written, in the world.
typedef int (*lb_pair)(lb_pair_query* q);

int lb_pair_none(lb_pair_query* q);   ///< refused
int lb_pair_sphere(lb_pair_query* q); ///< a sphere with anything
int lb_pair_plane(lb_pair_query* q);  ///< anything with a plane
int lb_pair_capsule_capsule(lb_pair_query* q);
int lb_pair_box_box(lb_pair_query* q);
int lb_pair_convex(lb_pair_query* q);        ///< two convex ones, by support functions
int lb_pair_pieces(lb_pair_query* q);        ///< a convex one with triangles
int lb_pair_pieces_pieces(lb_pair_query* q); ///< triangles with triangles

/// One manifold of the pair, or none where it has no points.
int lb_pair_put(lb_pair_query* q, const lb_manifold* m);
