// Contact between bodies, as scenes describe it: which shapes collide, and by what law.
#pragma once
#include <stdint.h>

#include "limber/geometry.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Normal force of a contact.
typedef enum lb_contact_law {
  LB_CONTACT_RIGID,    ///< gaps do not close beyond zero
  LB_CONTACT_COMPLIANT ///< a spring and a damper, implicit: f = -(kp gap + kd rate) >= 0
} lb_contact_law;

/// Friction below the limit mu f.
typedef enum lb_contact_friction {
  LB_FRICTION_STICKS, ///< nothing slides below it
  LB_FRICTION_VISCOUS ///< it creeps at f / friction_damping, as [auto] prints it
} lb_contact_friction;

typedef enum lb_contact_cone {
  LB_CONE_ROUND,  ///< |f_t| <= mu f_n
  LB_CONE_PYRAMID ///< |f_t1|, |f_t2| <= mu f_n
} lb_contact_cone;

typedef enum lb_contact_method {
  LB_CONTACT_FAST,        ///< sparse and warm started, to a tolerance
  LB_CONTACT_REFERENCE,   ///< to rounding, dense
  LB_CONTACT_AS_PRINTED,  ///< the quadratic program of [auto] eq. 6, for comparison
  LB_CONTACT_GAUSS_SEIDEL ///< projected Gauss-Seidel of [fork] section 6, for comparison
} lb_contact_method;

/// Surface of a material, or of a pair of bodies. Of two materials friction is the geometric mean,
/// restitution the larger one, rolling and spinning the sum.
typedef struct lb_contact_surface {
  double friction;    ///< coefficient >= 0
  double restitution; ///< speed after an impact over the speed before, 0 to 1
  double rolling;     ///< lever arm of the force against rolling [m] >= 0
  double spinning;    ///< lever arm against spinning about the normal [m] >= 0
} lb_contact_surface;

/// Exception for two bodies or groups of bodies.
typedef struct lb_scene_contact_pair {
  lb_place place;
  const char* between[2]; ///< a body, a group, a rope, a deformable, "all" of them, or "world"
  bool collide;
  lb_contact_surface surface; ///< negative ones: those of the materials
} lb_scene_contact_pair;

/// Contact of a scene.
typedef struct lb_scene_contacts {
  lb_place place;
  bool on; ///< shapes collide
  lb_contact_law law;
  double stiffness; ///< kp of the compliant law [N/m] > 0
  double damping;   ///< kd of the compliant law [N s/m] >= 0
  lb_contact_friction friction;
  double friction_damping; ///< of viscous friction [N s/m] > 0
  lb_contact_cone cone;
  lb_contact_method solver;
  double tolerance; ///< of the fast solver: what is left, over velocities into contacts, > 0
  double margin;    ///< shapes so near have points before they can touch in a step [m] >= 0
  int most;         ///< contact points there may be; 0: by the number of shapes
  int npair;
  lb_scene_contact_pair* pair;
} lb_scene_contacts;

/// A point where two bodies touch, with the force there: that of the last step. Vectors are in the
/// world.
typedef struct lb_body_contact {
  int body[2];    ///< that touch, or LB_WORLD: scenery; nbody + i: rope i, then deformables
  uint64_t id;    ///< of the features that touch: it stays from step to step
  lb_vec3 point;  ///< midway between the surfaces
  lb_vec3 normal; ///< unit, from the second body to the first
  lb_vec3 force;  ///< on the first body, friction included [N]
  lb_vec3 slip;   ///< velocity of the first body's surface over the second's [m/s]
  double gap;     ///< between the surfaces before the step, negative where they overlap [m]
  double time;    ///< end of the step [s]
} lb_body_contact;

#ifdef __cplusplus
}
#endif
