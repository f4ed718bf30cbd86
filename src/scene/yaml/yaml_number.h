// Numbers with units. A bare number is in SI units and radians; a suffix says otherwise. Each
// number in a scene knows what it measures, so 30 deg is no mass.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// code, what it is in words, a good example
#define LB_DIMENSION_LIST(X)                                                                       \
  X(LB_PURE, "a number without a unit", "0.5")                                                     \
  X(LB_LENGTH, "a length", "0.5 m")                                                                \
  X(LB_MASS, "a mass", "0.2 kg")                                                                   \
  X(LB_TIME, "a time", "2 s")                                                                      \
  X(LB_ANGLE, "an angle", "30 deg")                                                                \
  X(LB_SPEED, "a speed", "1.5 m/s")                                                                \
  X(LB_TURN_RATE, "a turning speed", "90 deg/s")                                                   \
  X(LB_ACCELERATION, "an acceleration", "9.81 m/s^2")                                              \
  X(LB_TURN_ACCELERATION, "an angular acceleration", "100 rad/s^2")                                \
  X(LB_FORCE, "a force", "10 N")                                                                   \
  X(LB_TORQUE, "a torque", "2 N m")                                                                \
  X(LB_DENSITY, "a density", "1000 kg/m^3")                                                        \
  X(LB_PRESSURE, "a modulus", "200 GPa")                                                           \
  X(LB_INERTIA, "a moment of inertia", "0.01 kg m^2")                                              \
  X(LB_STIFFNESS, "a stiffness", "100 N/m")                                                        \
  X(LB_TURN_STIFFNESS, "a stiffness against turning", "10 N m/rad")                                \
  X(LB_DAMPING, "a damping", "1 N s/m")                                                            \
  X(LB_TURN_DAMPING, "a damping of turning", "0.1 N m s/rad")

typedef enum lb_dimension {
#define LB_DIMENSION_CODE(code, words, example) code,
  LB_DIMENSION_LIST(LB_DIMENSION_CODE)
#undef LB_DIMENSION_CODE
      LB_DIMENSION_COUNT
} lb_dimension;

const char* lb_dimension_words(lb_dimension dimension);
const char* lb_dimension_example(lb_dimension dimension);

typedef struct lb_unit {
  const char* name;
  lb_dimension dimension;
  double times, per; // to SI: multiply, then divide, so that 40 mm is 0.04 to the last bit
} lb_unit;

extern const lb_unit lb_units[];
extern const int lb_unit_count;

typedef enum lb_number_outcome {
  LB_NUMBER_OK,
  LB_NUMBER_NONE,       // not a number at all
  LB_NUMBER_NOT_FINITE, // .inf, nan
  LB_NUMBER_TOO_LARGE,  // 1e999
  LB_NUMBER_UNIT        // a number, but its unit is unknown or measures something else
} lb_number_outcome;

// Read "1.5", "-2e3", "30 deg", "0.1 N m/rad". `*unit` is where the unit begins in `text` (its end
// when there is none). On any outcome but LB_NUMBER_OK `*value` is unchanged.
lb_number_outcome lb_number_read(const char* text, lb_dimension dimension, double* value,
                                 const char** unit);

// True of "infinite" and "infinity", "inf" and ".inf".
bool lb_number_is_infinite(const char* text);

// The unit written at `text`, spaces aside, or NULL: of this dimension if there is one (g is a mass
// and an acceleration), else of another.
const lb_unit* lb_unit_find(const char* text, lb_dimension dimension);
