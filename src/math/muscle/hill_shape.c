// Numbers of scenes that shape the curves of muscles, and which of them a kind has.
#include <stddef.h>

#include "math/muscle/hill.h"

#define NONE ((size_t)-1)
#define T(member) offsetof(lb_thelen_shape, member)
#define M(member) offsetof(lb_millard_shape, member)
#define NUMBER(key, thelen, millard)                                                               \
  {                                                                                                \
#key, offsetof(lb_scene_hill_shape, key), {                                                    \
      thelen, millard                                                                              \
    }                                                                                              \
  }

enum { THELEN, MILLARD };
static const struct {
  const char* key;
  size_t at;
  size_t in[2]; // where it goes; NONE: it is not of that kind
} NUMBERS[] = {
    NUMBER(active_width, T(width), NONE),
    NUMBER(active_from, NONE, M(active[0])),
    NUMBER(active_knee, NONE, M(active[1])),
    NUMBER(active_to, NONE, M(active[3])),
    NUMBER(active_slope, NONE, M(ascent)),
    NUMBER(active_least, NONE, M(floor)),
    NUMBER(hyperbola, T(hyperbola), NONE),
    NUMBER(shortening_end, NONE, M(velocity[0])),
    NUMBER(shortening_slope, NONE, M(velocity[1])),
    NUMBER(isometric_slope, NONE, M(velocity[2])),
    NUMBER(lengthening_slope, NONE, M(velocity[3])),
    NUMBER(lengthening_end, NONE, M(velocity[4])),
    NUMBER(lengthening, T(eccentric), M(eccentric)),
    NUMBER(shortening_curve, NONE, M(curviness[0])),
    NUMBER(lengthening_curve, NONE, M(curviness[1])),
    NUMBER(passive_exponent, T(passive), NONE),
    NUMBER(passive_strain, T(passive_strain), M(passive[1])),
    NUMBER(passive_from, NONE, M(passive[0])),
    NUMBER(passive_low, NONE, M(passive[2])),
    NUMBER(passive_stiffness, NONE, M(passive[3])),
    NUMBER(passive_curve, NONE, M(passive_curve)),
    NUMBER(tendon_strain, T(tendon_strain), M(tendon[0])),
    NUMBER(tendon_stiffness, NONE, M(tendon[1])),
    NUMBER(tendon_toe, NONE, M(tendon[2])),
    NUMBER(tendon_curve, NONE, M(tendon_curve)),
};
enum { COUNT = sizeof NUMBERS / sizeof *NUMBERS };

static double number_at(const lb_scene_hill_shape* from, int i) {
  return *(const double*)((const char*)from + NUMBERS[i].at);
}

static void take(void* shape, int kind, const lb_scene_hill_shape* from) {
  for (int i = 0; i < COUNT; i++) {
    if (NUMBERS[i].in[kind] != NONE && number_at(from, i) != 0) {
      *(double*)((char*)shape + NUMBERS[i].in[kind]) = number_at(from, i);
    }
  }
}

lb_thelen_shape lb_thelen_shape_of(const lb_scene_hill_shape* from) {
  lb_thelen_shape s = lb_thelen_shape_default();
  take(&s, THELEN, from);
  return s;
}

// Stiffnesses at a force of one go by the strains there.
lb_millard_shape lb_millard_shape_of(const lb_scene_hill_shape* from, bool invertible) {
  lb_millard_shape s = lb_millard_shape_default(invertible);
  take(&s, MILLARD, from);
  s.passive[3] = from->passive_stiffness != 0 ? s.passive[3] : 2 / (s.passive[1] - s.passive[0]);
  s.tendon[1] = from->tendon_stiffness != 0 ? s.tendon[1] : 1.375 / s.tendon[0];
  return s;
}

const char* lb_hill_shape_stranger(lb_hill_model kind, const lb_scene_hill_shape* from) {
  const int of = kind == LB_HILL_MILLARD ? MILLARD : THELEN;
  for (int i = 0; i < COUNT; i++) {
    if (NUMBERS[i].in[of] == NONE && number_at(from, i) != 0) {
      return NUMBERS[i].key;
    }
  }
  return NULL;
}
