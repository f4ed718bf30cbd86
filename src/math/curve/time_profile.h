// Functions of time, compiled. Every kind becomes pieces of one form, polynomials of degree five at
// most, so evaluating one is a search and a Horner scheme whatever its author wrote.
#pragma once
#include "base/arena.h"
#include "limber/profile.h"
#include "limber/status.h"

enum { LB_PROFILE_COEFFICIENTS = 6 };

struct lb_profile {
  int npiece;
  double* time; ///< [npiece + 1] ends of the pieces
  /// [npiece] coefficients in s = (t - time[i]) / (time[i + 1] - time[i])
  double (*piece)[LB_PROFILE_COEFFICIENTS];
  double period;  ///< 0: it does not repeat
  double advance; ///< added with every period
  double ahead;   ///< time by which it is ahead
  lb_profile_beyond beyond;
  bool endless; ///< its one piece goes on before its start and after its end
};

/// Value and first two derivatives of a piece at s, which grows at this rate.
static inline void lb_profile_piece(const double* c, double s, double rate, double value[3]) {
  value[0] = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
  value[1] = (c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))) * rate;
  value[2] = (2 * c[2] + s * (6 * c[3] + s * (12 * c[4] + s * 20 * c[5]))) * rate * rate;
}

/// True where the last key of a profile that repeats is the first one again, a period later.
bool lb_profile_comes_round(const lb_profile_definition* definition);

/// Compile a valid definition into the arena. Fails with LB_NO_MEMORY only.
///
/// A periodic profile whose keys do not fill the period gets a closing piece from its last key back
/// to its first, with what it advances; keys past the period are never reached.
lb_status lb_profile_create(lb_arena* arena, const lb_profile_definition* definition,
                            lb_profile** profile);

/// Third derivative at time t; at the end of a piece that of the next.
double lb_profile_third(const lb_profile* profile, double t);

/// The first time after t at which the profile is where its own times say `time`, or INFINITY.
double lb_profile_after(const lb_profile* profile, double time, double t);
/// The first time after t at which a piece ends, or INFINITY.
double lb_profile_next(const lb_profile* profile, double t);

/// The first time in (0, until) at which the value jumps, or with `slopes` its slope, or NAN. A
/// start at speed, at time 0, is no jump.
double lb_profile_jump(const lb_profile* profile, double until, bool slopes);
