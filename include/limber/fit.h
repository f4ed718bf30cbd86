// Finding Young's modulus and damping of a model's materials from a measured motion, and how sure
// that is. The motion is what the scene does: motors play, the rest shakes; the numbers are those
// with which the simulated markers come nearest to the measured ones.
#pragma once
#include "limber/model.h"
#include "limber/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Measured markers: positions of points of bodies, in the world [m], at rising times [s].
typedef struct lb_markers {
  const char* file;
  int nmarker, nsample;
  lb_scene_marker* marker; ///< [nmarker] the points, as in a scene
  double* time;            ///< [nsample]
  double* x;               ///< [nsample][nmarker][3]; NAN: not seen
  int nnote;
  const lb_message* note; ///< [nnote] what is odd in the table but does no harm
  void* storage;          ///< memory of the pieces; NULL when made by hand
} lb_markers;

/// Read a table of comma-separated values: `time`, then NAME.x, NAME.y and NAME.z of each marker;
/// the first line says so. Empty cells and `nan` are samples that are missing. The names are those
/// of the scene's markers, or of its bodies when it has no markers; other columns are left aside,
/// so that a trajectory.csv can be read. `all`: each of the scene's markers must be there; else
/// those that are not are left out.
lb_status lb_markers_read(const char* path, const lb_scene* scene, bool all,
                          const lb_allocator* allocator, lb_markers** markers, lb_error* err);

/// lb_markers_read from memory; `name` stands for the file in messages.
lb_status lb_markers_parse(const char* text, size_t length, const char* name, const lb_scene* scene,
                           bool all, const lb_allocator* allocator, lb_markers** markers,
                           lb_error* err);
void lb_markers_release(lb_markers* markers);

/// code, name, unit
#define LB_FIT_LIST(X)                                                                             \
  X(LB_FIT_YOUNG, "young", "Pa")                                                                   \
  X(LB_FIT_DAMPING_MASS, "damping mass", "1/s")                                                    \
  X(LB_FIT_DAMPING_STIFFNESS, "damping stiffness", "s")                                            \
  X(LB_FIT_CLOCK, "clock", "s")                                                                    \
  X(LB_FIT_SHIFT_X, "shift x", "m")                                                                \
  X(LB_FIT_SHIFT_Y, "shift y", "m")                                                                \
  X(LB_FIT_SHIFT_Z, "shift z", "m")

typedef enum lb_fit_quantity {
#define LB_FIT_CODE(code, name, unit) code,
  LB_FIT_LIST(LB_FIT_CODE)
#undef LB_FIT_CODE
      LB_FIT_QUANTITY_COUNT
} lb_fit_quantity;

/// code, what it means
#define LB_FIT_DOUBT_LIST(X)                                                                       \
  X(LB_FIT_SURE, "determined")                                                                     \
  X(LB_FIT_UNEXPLAINED, "not determined: the markers do not move, or not as the scene does")       \
  X(LB_FIT_NO_EFFECT, "not determined: it makes no difference to the markers that can be seen")    \
  X(LB_FIT_EDGE, "not determined: the best value found is at the edge of the range searched")      \
  X(LB_FIT_TIED, "not determined: only a combination with other unknowns is")                      \
  X(LB_FIT_WIDE, "not determined: values twice or half as large fit about as well")                \
  X(LB_FIT_UNFINISHED, "not determined: the search was stopped before its end")

typedef enum lb_fit_doubt {
#define LB_FIT_DOUBT_CODE(code, text) code,
  LB_FIT_DOUBT_LIST(LB_FIT_DOUBT_CODE)
#undef LB_FIT_DOUBT_CODE
      LB_FIT_DOUBT_COUNT
} lb_fit_doubt;

/// One number that was looked for.
typedef struct lb_fit_value {
  lb_fit_quantity quantity;
  int material;       ///< index into the model's materials, or -1
  double start;       ///< value in the scene
  double value;       ///< best fit
  double low, high;   ///< holds the true one with 95 % probability; NAN: unknown
  lb_fit_doubt doubt; ///< LB_FIT_SURE when the number may be used
} lb_fit_value;

/// Result of a fit. A moment `time` of the markers is `time + clock` in the scene; a marker seen at
/// x is at `x - shift`.
typedef struct lb_fit {
  int nvalue;
  lb_fit_value* value; ///< [nvalue] materials first
  lb_model* model;     ///< with the fitted materials; shares with the model it was made from
  const lb_markers* markers;
  int nsample;           ///< samples that were compared, from the first on
  double* fitted;        ///< [nsample][nmarker][3] predicted markers
  double rms_start, rms; ///< distance between a marker's simulated and measured coordinate [m]
  double explained;      ///< share of the markers' motion, squared, that the fitted model shows
  double correlation;    ///< correlated neighbouring samples: 1 when all err on their own
  int iterations;        ///< of the search for the nearest minimum
  long runs;             ///< simulations
  long steps;            ///< time steps of all simulations
  bool converged;
  void* storage;
} lb_fit;

typedef struct lb_fit_options {
  double duration; ///< [s] compared part of the markers' time; NAN: all
  double step;     ///< [s]; NAN: as the scene says
  int threads;     ///< >= 1
  lb_progress progress;
} lb_fit_options;

lb_fit_options lb_fit_default(void);

/// Find what `what` (a scene's `fit`) asks for. LB_INTERRUPTED still gives a `*fit`: the best so
/// far, without intervals. `model` and `markers` must outlive it.
lb_status lb_fit_run(const lb_model* model, const lb_scene_fit* what, const lb_markers* markers,
                     const lb_fit_options* options, const lb_allocator* allocator, lb_fit** fit,
                     lb_error* err);
void lb_fit_release(lb_fit* fit);

/// Number of its unknowns that the measurements determine.
int lb_fit_determined(const lb_fit* fit);
/// True where residuals are not noise: neighbouring samples err alike, and by more than rounding.
bool lb_fit_errs_alike(const lb_fit* fit);

/// A number as a scene may have it, to six digits and with a unit of its size: "199.987 GPa". `out`
/// holds LB_FIT_TEXT characters; returns it.
enum { LB_FIT_TEXT = 40 };
char* lb_fit_number_text(lb_fit_quantity quantity, double x, char* out);

const char* lb_fit_quantity_name(lb_fit_quantity quantity);
const char* lb_fit_quantity_unit(lb_fit_quantity quantity);
const char* lb_fit_doubt_text(lb_fit_doubt doubt);

#ifdef __cplusplus
}
#endif
