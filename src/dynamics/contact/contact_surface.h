// Surfaces of elastic bodies, ropes and deformables in contact with rigid shapes. A point of an
// elastic body is at x = p + R (X + Phi eta), so that along a direction e it moves with
//
//   e.v = e.(v_link + w x (x - p)) + sum_k e.(R Phi_k) etad_k                               (1)
//
// and one of a deformable with e.v = sum_k w_k e.v_k of the particles that carry it, which move by
// themselves or with links.
#pragma once
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "geom/collide/surface_contact.h"

// Points of a surface as they are.
typedef struct lb_surface_state {
  const lb_model_surface* of;
  lb_vec3 *x, *v;          // [points] places and velocities in the world
  double *moved, *speed;   // [3 * vertices drawn] of an elastic body: Phi eta and Phi etad
  lb_vec3* tried;          // [ntried] places of these
  double* radius;          // [ntried]
  lb_point_contact* found; // [ntried]
  lb_collider* mesh;       // its triangles in the world, or NULL
  bool current;            // they are where the points are
} lb_surface_state;

// Memory of collider i; false: there is none. The place of a part among what groups are of.
bool lb_surface_take(lb_contacts* C, int i);
static inline int lb_surface_member(const lb_model* m, const lb_model_surface* s) {
  return m->nlink + s->part;
}

// Points, bounds and speed of collider i; velocities of the links' origins are there.
void lb_surface_place(lb_contacts* C, const lb_data* d, int i);
// Whether it meets shapes that move with the link of collider `shape`.
bool lb_surface_may_meet(const lb_contacts* C, int i, int shape);
// Points of a pair of a shape and a surface; false: there is no room.
bool lb_surface_meet(lb_contacts* C, lb_collider_pair* p, lb_contact_surface surface, double margin,
                     int* from);

// Particles that this step's points act on, into the velocities of their groups.
void lb_surface_enter(lb_contacts* C);
// (1) with a sign, added to rows [count] of J [count][nv], which all act at one point.
void lb_surface_add_rows(const lb_contacts* C, const lb_work* w, const lb_touch* t,
                         lb_constraint_row* row, int count, double* J, double sign);
// A force on a surface at a point.
void lb_surface_push(const lb_model* m, lb_data* d, const lb_touch* t, lb_v4 force);
