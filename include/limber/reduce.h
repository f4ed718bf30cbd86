// Reduced models of a scene's elastic bodies, from a simulation in which all their nodes move.
#pragma once
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A run with all nodes.
struct lb_full_run;

typedef struct lb_reduce_options {
  int modes;     ///< coordinates of each body, > 0: at the most
  double missed; ///< part of the displacements, by mass, that they may lack; 0: as many as `modes`
  bool attachments; ///< begin with the shapes under forces and moments on the carrying faces
  int frames;       ///< of the full run that are looked at, at the most
  double duration;  ///< [s]; NAN: as the scene says
  double step;      ///< [s]; NAN: as the scene says
  int threads;
  const char* from; ///< a folder with the full.npz of an earlier run, instead of a new one; or NULL
  lb_progress progress;
  /// Told of the full run as soon as there is one, before anything is made of it, so that it can be
  /// written (lb_full_run_write): also of one that was interrupted or failed, as far as it came.
  /// NULL: nobody.
  void (*ran)(void* context, const struct lb_full_run* run);
  void* context; ///< of `ran`
} lb_reduce_options;
lb_reduce_options lb_reduce_default(void);

/// A replay of the scene with reduced bodies, beside the full run.
typedef struct lb_reduce_replay {
  const char* name;      ///< source of the bases
  int coordinates;       ///< of all elastic bodies
  double face_error;     ///< worst distance between a face and where the full run has it, in the
                         ///< body's axes, over the amplitude of its vibration
  double face_rms;       ///< root mean square over time of that of the worst face
  double face_amplitude; ///< of that face: largest distance from its mean place [m]
  double body_error; ///< worst distance between a body's origin and its place in the full run [m]
  double steps_per_second; ///< of the replay
  bool failed;             ///< it did not come to its end; the errors are infinite then
} lb_reduce_replay;

/// One reduced body, which may stand for several alike.
typedef struct lb_reduce_body {
  int nbody;
  const char** name;  ///< [nbody]
  int r, points;      ///< coordinates, points of the cubature
  int nodes, samples; ///< of the mesh; snapshots it was trained on
  double missed;      ///< of the snapshots, by mass: sqrt(sum |u - Phi eta|^2 / sum |u|^2)
  double unseen;      ///< part missed of the second half of the run, in a basis of the first half
  double cubature;    ///< relative error of its internal forces on the training
  double face_error, face_rms; ///< of its own faces, as above
  struct lb_stored* stored;    ///< the file's content
} lb_reduce_body;

enum { LB_REPLAY_PCA, LB_REPLAY_LINEAR, LB_REPLAY_SCENE, LB_REPLAY_COUNT };

typedef struct lb_reduction {
  const char* scene;
  int nbody; ///< different ones
  lb_reduce_body* body;
  lb_reduce_replay replay[LB_REPLAY_COUNT];
  int frames, degrees; ///< of the full run: frames looked at, displacements in all
  double full_seconds; ///< time of the full run; 0 when it was read
  double full_steps_per_second;
  struct lb_full_run* full;
  void* storage;
} lb_reduction;

/// Run the scene with all nodes (or read such a run), make a reduced body of each elastic one, and
/// replay the scene with them, and with linear modes and their derivatives, for comparison. On
/// success
/// `*reduction` must be given to lb_reduction_release().
lb_status lb_reduce(const lb_scene* scene, const lb_reduce_options* options,
                    const lb_allocator* allocator, lb_reduction** reduction, lb_error* err);
void lb_reduction_release(lb_reduction* reduction);

/// Write BODY.npz for each reduced body and summary.json into a folder, made if it is missing.
lb_status lb_reduction_write(const lb_reduction* reduction, const char* dir, lb_error* err);

/// Write full.npz, the run that bodies are made from, into such a folder.
lb_status lb_full_run_write(const struct lb_full_run* run, const char* dir,
                            const lb_allocator* allocator, lb_error* err);

#ifdef __cplusplus
}
#endif
