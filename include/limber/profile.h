// Functions of time or of a coordinate: values at keys, control points of a B-spline, or a
// polynomial.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// code, name in scene files
#define LB_PROFILE_LIST(X)                                                                         \
  X(LB_PROFILE_SMOOTH, "smooth") /* through the keys, coming to rest at each: quintic, C2 */       \
  X(LB_PROFILE_CUBIC, "cubic")   /* one C2 cubic spline through the keys, at rest at both ends */  \
  X(LB_PROFILE_LINEAR, "linear") /* straight lines between the keys */                             \
  X(LB_PROFILE_NATURAL, "natural") /* one C2 cubic spline whose ends are cubics of four keys */    \
  X(LB_PROFILE_POLYNOMIAL, "polynomial") /* values are coefficients, highest power first */        \
  X(LB_PROFILE_BSPLINE, "bspline") /* clamped uniform B-spline, the values are control points */

typedef enum lb_profile_kind {
#define LB_PROFILE_CODE(code, name) code,
  LB_PROFILE_LIST(LB_PROFILE_CODE)
#undef LB_PROFILE_CODE
      LB_PROFILE_COUNT
} lb_profile_kind;

enum { LB_PROFILE_MOST_POWERS = 6 }; ///< coefficients of a polynomial

/// Continuation of a profile before its first key and after its last.
typedef enum lb_profile_beyond {
  LB_BEYOND_HOLD, ///< values of the ends
  LB_BEYOND_LINE, ///< straight, with the slopes of the ends
  LB_BEYOND_COUNT
} lb_profile_beyond;

/// Definition of a profile, as an author writes it.
typedef struct lb_profile_definition {
  lb_profile_kind kind;
  int degree;    ///< of the B-spline, 1 to 5
  int count;     ///< values; 0: there is no profile
  double* time;  ///< [count] strictly rising; of a B-spline two entries, start and end; of a
                 ///< polynomial none
  double* value; ///< [count]
  double
      period; ///< > 0: repeats after this time; 0: holds the first value before and the last after
  double advance; ///< added to the value with every period: a turn, for a crank that goes on
  double phase;   ///< part of a period by which it is ahead
  bool cyclic;    ///< of a B-spline that repeats: its points come round, and it is not clamped
  lb_profile_beyond beyond; ///< its ends, where it does not repeat; polynomials have none
} lb_profile_definition;

/// Ready to evaluate; see src/math/curve/time_profile.h.
typedef struct lb_profile lb_profile;

/// Value, first and second derivative at time t.
void lb_profile_evaluate(const lb_profile* profile, double t, double value[3]);

#ifdef __cplusplus
}
#endif
