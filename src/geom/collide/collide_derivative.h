// Derivative of a contact point: how place, normal and gap change as two colliders move. What
// touches is a feature of each core, and it stays so: a corner, an edge, a face, or a curved
// surface. docs/theory-contact.md derives it.
//
// Let a and b move with velocities Va and Vb of the material points where they touch, and turn with
// wa and wb. The normal n leads from b to a, g is the gap. The points of contact slide on their
// colliders by
//
//   (1)  ta = -Ha (dn - wa x n) + slides along the features of a,
//        tb =  Hb (dn - wb x n) + slides along the features of b
//
// where H are the Hessians of the support functions, with the radius of a ball on them; of a
// cylinder how its side's line and the lowest corner of its cap go round with the normal. Across n
//
//   (2)  Va + ta - Vb - tb = g dn
//
// and a normal of an edge or face stays one: e.(dn - w x n) = 0 for each direction e of it. There
// are as many such conditions as slides. Then
//
//   (3)  dg = n.(Va + ta - Vb - tb),   2 dx = Va + ta + Vb + tb
#pragma once
#include "geom/collide/collide.h"

enum { LB_POINT_MOTIONS = 12 }; // turning and velocity of a at the point, then of b

typedef struct lb_point_change {
  lb_vec3 position, normal;
  double distance;
} lb_point_change;

// Changes by each of the twelve, of point k of a manifold. false: the features are not of these
// kinds, as lines side by side and edges of a cylinder's caps, or it is not known which they are.
bool lb_collide_differentiate(const lb_placed* a, const lb_placed* b, const lb_manifold* m, int k,
                              lb_point_change by[LB_POINT_MOTIONS]);
