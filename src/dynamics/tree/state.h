// State of a moving link. Everything is in the world's axes, with moments about the link's own
// origin: passing quantities along the tree then needs shifts by r but no rotations, and numbers
// stay of the link's own size however far it is from the world's origin.
//
// Accelerations are the ordinary ones of the origin and of the frame, not spatial ones. The
// equations of motion of a rigid body with mass m, first moment h and inertia I about its origin
// are then free of linear velocity:
//
//   (1)  n = I al + h x a + w x (I w)
//   (2)  f = m a + al x h + w x (w x h)
//
// and a link inherits from its parent, whose origin is r behind its own,
//
//   (3)  w  = w_p + w_joint          al = al_p + c_al + (joint acceleration)
//   (4)  v  = v_p + w_p x r + v_joint   a = a_p + al_p x r + c_a + (joint acceleration)
//
// Gravity is an acceleration of the world by -g.
#pragma once
#include "math/space/spatial_motion.h"
#include "model/use/link.h"

// Symmetric 6 x 6 matrix acting on (al, a), and a force: n = A al + G' a + n0, f = G al + C a + f0.
typedef struct lb_articulated {
  lb_m3 A, G, C;
  lb_v4 n, f;
} lb_articulated;

typedef struct lb_state {
  lb_m3 R;         // link to world
  lb_v4 p;         // origin
  lb_v4 r;         // from the parent's origin to this one
  lb_v4 w, v;      // angular velocity; velocity of the origin (only by lb_move_origins)
  lb_v4 c_al, c_a; // acceleration that velocities alone bring
  lb_v4 al, a;
  lb_v4 h; // first moment
  lb_articulated
      IA;       // inertia of the link and, in ABA, of what hangs on it; A alone in RNEA and CRBA
  lb_v4 xn, xf; // external moment and force
  // what ABA keeps of a joint from the way in to the way out
  lb_v4 Un, Uf;
  lb_m3 Dinv;
  double u, d;
  lb_v4 axis;                 // of universal joints: the one fixed in the parent
  struct lb_elastic* elastic; // of elastic bodies and their faces
  struct lb_general* general; // of links that move by a chart
} lb_state;

// Scratch of one lb_data.
// What of the work space is that of the last kinematics. Functions that need some of it assert it.
typedef enum lb_stage {
  LB_POSED = 1,       // poses, rotations and bias accelerations of the links: lb_kinematics
  LB_ORIGINS = 2,     // velocities of their origins: lb_move_origins
  LB_LINK_FORCES = 4, // forces on links: lb_forces_apply_to_links
  LB_FORCED = 8       // all forces: lb_forces_apply
} lb_stage;

typedef struct lb_work {
  lb_state* state; // [nlink], and state[-1] is the world
  int stages;      // of lb_stage
  double* angle;   // [nhinge]
  double* sine;    // [nhinge]
  double* cosine;  // [nhinge]
  double* tau;     // [nv] generalised forces of the system
  double* bias;    // [nv] generalised forces by inverse dynamics
  lb_v4* S;        // [2 * ncolumn] directions of the coordinates at their links' origins, for CRBA
  double* spread;  // [6][nv] directions at the tree's root, by component
  struct lb_constraints* constraints; // NULL: there are none
  struct lb_contacts* contacts;       // NULL: nothing collides
  struct lb_elastic* elastic;         // [nelastic + nface]
  double* M;                          // [nv][nv] of models with elastic bodies, else NULL
  double* scratch;                    // for internal forces of elastic bodies
  struct lb_particles* particles;     // of ropes and deformables; NULL: there are none
  struct lb_muscles* muscles;         // NULL: there are none
  struct lb_data** mechanism;         // [mechanism.count] of their whole models; NULL: none
  const struct lb_data* data;         // that it is part of
  const lb_allocator* allocator;
} lb_work;
