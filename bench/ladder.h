// The ladder in other engines: two rails of 16 links, a rung on each link of the first, its far end
// tied to the second by a ball. Everything hinges about z; gravity is along -y.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { LADDER_RUNGS = 16 };
#define LADDER_LINK 0.1       // length of a rail's link [m]
#define LADDER_APART 0.3      // between the rails [m]
#define LADDER_LINK_MASS 0.04 // boxes 2 cm wide and deep [kg]
#define LADDER_RUNG_MASS 0.12
#define LADDER_STIFFNESS 1000 // of every hinge [N m/rad]
#define LADDER_DAMPING 1      // [N m s/rad]
#define LADDER_GRAVITY 9.81

typedef struct ladder_result {
  double us;  // a step
  double tip; // height of the last link's centre over its start [m]; NAN: it flew apart
  double gap; // the widest [m]
} ladder_result;

/// Bullet's multibodies with point-to-point constraints, in steps of h for a time.
ladder_result ladder_bullet(double h, double time);

#ifdef __cplusplus
}
#endif
