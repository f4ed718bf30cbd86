// Reduction of a mechanism to its end effectors (FORK-1S), exact to first order about an
// equilibrium. From the linearised mechanism with its loops, K dq - J'lambda = sum of J_e'w_e and
// J dq = 0, come the compliance of the effectors and the way in which all links follow them.
//
// Twists and wrenches of effectors and links are along their own axes at their own origins,
// angular part first, six numbers each. Matrices are stored by rows.
#pragma once
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A reduced mechanism. Its effectors move by xi = shape' y, in admissible coordinates y alone.
/// Where the base floats, the first six of these are the base's own twist.
typedef struct lb_fork {
  const lb_model* model; ///< of the whole mechanism
  const lb_scene_fork* what;
  int number;               ///< which of its models this is, from 0
  int neffector, nv, nlink; ///< nv: coordinates of the whole mechanism
  int base;                 ///< coordinates of a floating base, 6 or 0
  int count;                ///< admissible coordinates, those of the base first
  int base_link;            ///< link of a floating base, or LB_WORLD
  double radius;            ///< size of the mechanism: half the diagonal of its bounding box [m]
  lb_anchor* at;            ///< [neffector] place of the effectors in their links
  bool fell;                ///< the scene's pose is unstable: the equilibrium is another one

  // --- equilibrium ---
  double* q;          ///< [nq]
  lb_transform* pose; ///< [neffector] effectors in the world
  lb_transform* link; ///< [nlink] links in the world
  double* wrench;     ///< [neffector][6] forces on effectors there

  // --- effectors: all [6 neffector] numbers, relative to the base ---
  double* C;     ///< [6 neffector][6 neffector] compliance
  double* shape; ///< [count][6 neffector] twists of the effectors

  // --- admissible coordinates ---
  double *K, *D, *M; ///< [count][count] stiffness, damping and mass
  double* dq;        ///< [count][nv] coordinates of the whole mechanism, along its velocities

  // --- links ---
  double* T; ///< [nlink][6][6 neffector] twist map: from wrenches of effectors to twists of links
  double* W; ///< [nlink][6][6 neffector] wrench map: to what passes through the links' joints; NULL
             ///< of models with elastic bodies

  void* storage;
} lb_fork;

/// Reduce a mechanism about equilibrium `pose` of those that `what` lists. `model` and `what` must
/// outlive the result. LB_FAILED: there is no equilibrium, it is unstable, or something that moves
/// an effector has no stiffness; LB_INVALID: effectors cannot move, or what the reduction cannot
/// do.
lb_status lb_fork_create(const lb_model* model, const lb_scene_fork* what, int pose,
                         const lb_allocator* allocator, lb_fork** fork, lb_error* err);
/// NULL is ignored.
void lb_fork_release(lb_fork* fork);

/// Compliance of effector a to wrenches on effector b along the world's axes, each at its own
/// point: [6][6], turns and moments first.
void lb_fork_compliance(const lb_fork* fork, int a, int b, double C[36]);

/// Principal compliances of an effector, the largest first: of its point under forces [m/N], or of
/// its turns under moments [rad/(N m)], and their axes in the world. Of a direction in which it
/// cannot move it is zero.
typedef struct lb_fork_axes {
  double compliance[3];
  lb_vec3 axis[3];
} lb_fork_axes;
lb_fork_axes lb_fork_principal(const lb_fork* fork, int effector, bool turns);

/// Frequencies of the reduced model without damping [Hz], rising: [fork->count], zero of a base
/// that floats. LB_FAILED: its mass is not positive.
lb_status lb_fork_frequencies(const lb_fork* fork, double* frequency, lb_error* err);

/// Models of a scene, all that `limber fork` makes.
typedef struct lb_fork_result {
  int count;
  lb_fork* const* fork; ///< [count]
} lb_fork_result;

/// Name of a model's file: NAME.npz, NAME-2.npz and so on.
typedef struct lb_fork_file {
  char name[100];
} lb_fork_file;
lb_fork_file lb_fork_file_of(const lb_fork* fork);

/// Write a model to a folder, under that name.
lb_status lb_fork_write(const lb_fork* fork, const char* dir, const lb_allocator* allocator,
                        lb_error* err);

#ifdef __cplusplus
}
#endif
