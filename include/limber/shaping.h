// Deviation of a motion from its target, and the usual remedies against vibration to compare with:
// filters and input shapers.
#pragma once
#include "limber/recording.h"
#include "limber/retarget.h"
#include "limber/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- how well ---

/// Deviation of a motion from its target.
typedef struct lb_deviation {
  double peak;   ///< largest distance [m]
  double rms;    ///< root mean square distance [m]
  double angle;  ///< largest angle [rad]
  double pause;  ///< largest distance while the input pauses: from 0.2 s after it stops to 0.3 s
                 ///< before it moves again [m]; NAN: it never pauses so long
  double delay;  ///< by which the motion comes later than the target [s]; NAN: nothing moves
  double torque; ///< largest of a motor that may be changed [N m] or [N]
} lb_deviation;

/// Deviation of each tracked body, [ntrack] in `track`, and the worst of all (delay: the largest)
/// in `all`. Both recordings have the same frames, as far as they go; `model` has the input's
/// curves.
void lb_deviation_find(const lb_model* model, const lb_retarget* what, const lb_recording* target,
                       const lb_recording* run, lb_deviation* track, lb_deviation* all);

/// The most that a motor exerts in a recording [N m] or [N].
double lb_recording_peak_torque(const lb_recording* recording, int motor);

// --- how a model shakes ---

typedef struct lb_vibration {
  double frequency;  ///< without damping [Hz]
  double damping;    ///< over critical
  double excitation; ///< mean motion for an acceleration of the motors of 1 rad/s^2 [m]
} lb_vibration;

/// Modes of small vibrations about data's pose at its time, motors held, loops closed: the lowest
/// `most` of them, slow ones first, in `mode`; `count` is how many there are. The pose should be
/// one in equilibrium (lb_equilibrium). Directions that nothing holds are left out.
lb_status lb_modes_of_model(const lb_model* model, lb_data* data, int most, lb_vibration* mode,
                            int* count, lb_error* err);

// --- what people do ---

#define LB_BASELINE_LIST(X)                                                                        \
  X(LB_BASELINE_LOWPASS, "low-pass", "zero-phase low-pass filter at half the first frequency")     \
  X(LB_BASELINE_ZV, "ZV", "zero-vibration shaper on the first mode")                               \
  X(LB_BASELINE_ZVD, "ZVD", "the same and its derivative")                                         \
  X(LB_BASELINE_ZV2, "ZV, two modes", "zero-vibration shapers on the first two modes")

typedef enum lb_baseline {
#define LB_BASELINE_CODE(code, name, words) code,
  LB_BASELINE_LIST(LB_BASELINE_CODE)
#undef LB_BASELINE_CODE
      LB_BASELINE_COUNT
} lb_baseline;

const char* lb_baseline_name(lb_baseline baseline);
const char* lb_baseline_words(lb_baseline baseline);

/// The input's curves as a baseline plays them. `mode` has the two modes that the motors excite
/// most (lb_modes_to_shape), or the only one twice.
lb_status lb_baseline_curves(const lb_model* model, const lb_retarget* what, lb_baseline baseline,
                             const lb_vibration mode[2], const lb_allocator* allocator,
                             lb_curves** curves, lb_error* err);

/// The two modes, at the model's start in equilibrium, that its motors excite most: what a shaper
/// is made for. LB_FAILED when nothing vibrates.
lb_status lb_modes_to_shape(const lb_model* model, const lb_allocator* allocator,
                            lb_vibration mode[2], lb_error* err);

/// Curves as a motor plays them that follows with a lag of first order [s].
lb_status lb_curves_lag(const lb_curves* curves, double lag, const lb_allocator* allocator,
                        lb_curves** lagged, lb_error* err);

// --- targets ---

/// Quasistatic poses of tracked bodies: targets for the search, and a recording of it at the frames
/// of a run.
lb_status lb_targets_quasistatic(const lb_model* model, const lb_retarget* what,
                                 const lb_simulate_options* options, lb_recording* recording,
                                 lb_targets** targets, lb_error* err);

/// Whether elastic bodies buckle under the weight at some moment of a quasistatic motion, by linear
/// buckling analysis. What the weight alone holds is not judged.
lb_status lb_target_buckles(const lb_recording* rest, bool* buckles, lb_error* err);

// --- playing ---

/// One motion and how well it does.
typedef struct lb_replay {
  const char* name;
  const char* words;
  lb_deviation* track; ///< [ntrack]
  lb_deviation all;
  double basis; ///< error of the elastic bodies' bases: largest distance of a tracked point from
                ///< where it is with every node [m]; 0: none, or not looked at; NAN: unknown
} lb_replay;

/// Everything that comes out of retargeting: what files and reports show.
typedef struct lb_retarget_result {
  const lb_model* model;
  const lb_retarget* what;
  const lb_curves *input, *curves; ///< before and after
  const lb_recording *target, *before, *after;
  lb_replay was, is; ///< before and after
  int nbaseline;
  lb_replay* baseline; ///< [nbaseline]
  int nperturbed;
  lb_replay* perturbed; ///< [nperturbed]
  int nverified;
  lb_replay* verified;  ///< [nverified] before and after with every node of elastic bodies; none:
                        ///< errors of bases in `was` and `is` are estimates
  lb_limiting limiting; ///< what keeps the curves from coming nearer ...
  bool explained;       ///< ... if it was looked at
  bool unchanged;       ///< nothing was gained, and the curves are the input's
  int niteration;       ///< made in all
  int nhistory;         ///< iterations known here, the last ones; the input counts as one
  const lb_retarget_value* history; ///< [nhistory]
  double rate;                      ///< of profiles.csv [Hz]
  bool done;                        ///< the search came to its end
} lb_retarget_result;

/// Play curves (NULL: the input's) from equilibrium, and compare with the target, which may be that
/// of another model of the same scene. `recording` may be NULL. What was done when it is
/// interrupted or fails is compared as well.
lb_status lb_replay_run(const lb_model* model, const lb_retarget* what, const lb_curves* curves,
                        const lb_recording* target, const lb_simulate_options* options,
                        lb_recording* recording, lb_summary* summary, lb_replay* replay,
                        lb_error* err);

/// Perturbations of a robot: a few per cent of stiffness, damping and mass, motors that lag.
enum { LB_PERTURBATION_COUNT = 8 };

/// A replay with a perturbed model, perturbation i; sets the replay's name.
lb_status lb_replay_perturbed(int i, const lb_model* model, const lb_retarget* what,
                              const lb_curves* curves, const lb_recording* target,
                              const lb_simulate_options* options, lb_replay* replay, lb_error* err);

#ifdef __cplusplus
}
#endif
