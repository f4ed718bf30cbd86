// Making a model: the steps share one builder. A step returns LB_OK, the status of the message it
// added, or LB_NO_MEMORY without one. The builder's arena remembers what it refused, and is asked
// after each step.
#pragma once
#include "base/arena.h"
#include "limber/model.h"
#include "model/use/model_path.h"

struct lb_full;
struct lb_reduced;

typedef struct lb_build {
  const lb_scene* scene;
  lb_model* m;
  lb_arena* arena;
  lb_error* err;
  int* carrier;    // [scene nbody] the joint that carries each body, or -1: it moves freely
  int* joint_link; // [scene nbody] the link of the joint that carries each body, or -1: it is fixed
  int* tendon;     // [scene nmuscle] link of the first elastic tendon with mass behind it, or -1
  int* order;      // [nordered] bodies, each after the one it hangs on, a tree at a time
  int nordered;
  lb_scene_joint* joint;             // [scene njoint] the scene's, faces found
  lb_scene_force* force;             // [scene nforce] likewise, with points of their own
  lb_scene_load* load;               // [scene nload] likewise
  const struct lb_reduced** reduced; // [scene nbody] of elastic bodies, else NULL
  lb_model_elastic* elastic;         // [scene nbody] of elastic bodies
  struct lb_full** full;             // [scene nbody] with all their nodes, where asked for
  struct lb_tetmesh* deformable;     // [scene ndeformable] their meshes
  lb_arena deformable_arena;         // memory of these meshes
  int nparticle;                     // of ropes and deformables
} lb_build;

// Elastic bodies from their descriptions: fills joint, force, load, reduced
// and elastic.
lb_status lb_build_elastic(lb_build* b);
lb_status lb_build_order(lb_build* b);  // fills carrier and order
lb_status lb_build_masses(lb_build* b); // fills body_mass
lb_status lb_build_links(lb_build* b);  // fills bodies, links, joints and coordinates
lb_status lb_build_motors(lb_build* b); // fills motors and loops
lb_status lb_build_forces(lb_build* b); // fills forces, drag and loads
lb_status lb_build_muscles(lb_build* b);
// Tendons of a muscle whose stretches are coordinates: the one before the belly, and that after it.
static inline int lb_build_count_tendons(const lb_scene_muscle* m) {
  const bool elastic = m->mass.amount > 0 && m->mass.tendon == LB_TENDON_ELASTIC;
  return elastic ? (m->mass.belly[0] > 0) + (m->mass.belly[1] < 1) : 0;
}
// The path of a muscle, and its mass, which is taken from its body; the link of its first elastic
// tendon, or -1.
lb_status lb_build_path(lb_build* b, const char* word, const lb_scene_muscle* from, int straight,
                        int tendon, const lb_model_path** out);
// The path of a cable over surfaces.
lb_status lb_build_cable_path(lb_build* b, const lb_scene_force* from, const lb_model_path** out);
// Whether joints keep bodies in a plane with normal n, whatever their coordinates: those that some
// of them have in common do not matter.
bool lb_build_keeps_plane(const lb_build* b, const lb_transform* pose, lb_vec3 n, int count,
                          const int* body);
// Length of a path for poses of the links.
double lb_build_path_length(const lb_model_path* path, const lb_transform* pose, const double* q);
// A path is drawn.
void lb_build_tube(lb_model* m, const lb_model_path* path, double radius, int material);
// The scene's forces with points of their own, for faces to be found.
void lb_build_keep_forces(lb_build* b);
// A profile, or NULL where nothing is defined.
lb_profile* lb_build_profile(lb_build* b, const lb_profile_definition* definition);
lb_status lb_build_constraints(lb_build* b);
lb_status lb_build_elimination(lb_build* b); // of these, what is of a fixed ratio
lb_status lb_build_looks(lb_build* b);       // fills shapes and materials
lb_status lb_build_contacts(lb_build* b);    // fills contacts
lb_status lb_build_planes(lb_build* b);      // adds shapes of grounds and floors to them
lb_status lb_build_meshes(lb_build* b); // fills deformable, nparticle and the model's deformables
lb_status lb_build_particles(lb_build* b); // fills ropes, particles and segments

// Variants with all nodes of elastic bodies, for a model that is done and shows them.
lb_status lb_build_full(lb_build* b, const lb_allocator* allocator);

// The surface of an elastic body, and the basis `Phi` [r][3 * nnode] of its mesh on it.
lb_status lb_build_surface(lb_build* b, const lb_scene_elastic* description,
                           const struct lb_tetmesh* mesh, const double* Phi,
                           lb_model_elastic* elastic);

// A scene that was checked and taken apart already.
lb_status lb_model_compile(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                           lb_error* err);

// A material as elements know it, with a modulus.
struct lb_material lb_build_material(const lb_scene_material* from, double young);

// Copies in the model's arena of a text, a place and a force curve; the scene may go away.
const char* lb_build_text(lb_build* b, const char* text);
lb_place lb_build_place(lb_build* b, lb_place place);
lb_force_curve lb_build_force_curve(lb_build* b, lb_force_curve force_curve);
