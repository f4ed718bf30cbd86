// What muscles do along a motion: lengths and moment arms, static optimisation, and how much their
// inertia matters. It is filled by lb_inverse(), sample by sample.
#pragma once
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Static optimisation: activations of muscles that exert the joint forces of a motion, moment by
/// moment, with the least effort. Reserves take what muscles cannot do, at a price.
typedef struct lb_muscle_static_options {
  int power;    ///< of activations in the effort: 2 or 3
  double least; ///< activation, 0 to 1
  double price; ///< of the square of a reserve [1/(N m)^2 or 1/N^2] > 0
  bool passive; ///< passive forces of fibres count; with elastic tendons they always do
  bool elastic; ///< tendons stretch, and fibres move from moment to moment as they must
  int rounds;   ///< in which activations of elastic tendons may settle
} lb_muscle_static_options;

lb_muscle_static_options lb_muscle_static_default(void);

/// Muscles along a motion, frame by frame. Arrays that were not asked for are NULL.
typedef struct lb_analysis {
  const lb_model* model;
  int capacity;   ///< frames that there is room for
  int nframe;     ///< those that are filled
  double* time;   ///< [nframe] [s]
  double* length; ///< [nframe][nmuscle] of paths [m]
  double* rate;   ///< [nframe][nmuscle] [m/s]
  double* arm;    ///< [nframe][nmuscle][nv] -dL/dq [m or 1]
  double* moment; ///< [nframe][nv] joint forces; those of coordinates that constraints couple to
                  ///< others are counted there
  bool* coupled;  ///< [nv] which these are, in the last frame
  lb_muscle_static_options how;
  double* activation; ///< [nframe][nmuscle] of static optimisation
  double* tension;    ///< [nframe][nmuscle] [N]
  double* reserve;    ///< [nframe][nv] what muscles leave of `moment`
  double cycle[2];    ///< of a gait: from one time that a foot comes down to the next; 0, 0: none
  double residual;    ///< of the joint forces, over what their parts add up to: the worst
  int unsettled;      ///< frames whose activations did not settle
  double* inertia;    ///< [nframe][nmuscle + 1][nv] diagonal of the mass matrix by each muscle, and
                      ///< that of everything
  struct lb_analysis_work* work;
  void* storage;
} lb_analysis;

/// Parts of an analysis besides lengths, arms and moments.
typedef enum lb_analysis_parts {
  LB_ANALYSE_STATIC = 1,
  LB_ANALYSE_INERTIA = 2,
} lb_analysis_parts;

/// Room for so many frames.
lb_status lb_analysis_create(const lb_model* model, int frames, int parts,
                             const lb_muscle_static_options* how, const lb_allocator* allocator,
                             lb_analysis** analysis, lb_error* err);
void lb_analysis_release(lb_analysis* analysis);

/// Muscles without which no diagonal entry of the mass matrix changes by more than `part` of it, in
/// any frame: the others are the smallest set found by leaving out the least ones first. Sets
/// `needed` [nmuscle] and returns how many those are.
int lb_analysis_needed(const lb_analysis* analysis, double part, bool* needed);

#ifdef __cplusplus
}
#endif
