// What the benchmark of beasts asks of an engine: rigid parts on pins, one of which a motor turns,
// with loops, and feet on a floor whose surface is z = 0. All engines are fed the same list, which
// was read from a scene of Limber's, and are judged by their poses alone.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_pose {
  double position[3];   ///< [m]
  double quaternion[4]; ///< unit; w x y z
} bench_pose;

/// A rigid body. Its frame sits at its centre of mass, along its principal axes.
typedef struct bench_part {
  double mass;        ///< [kg]
  double inertia[3];  ///< [kg m^2]
  bench_pose start;   ///< in the world
  double velocity[3]; ///< of its centre of mass at the start, in the world's axes [m/s]
  double spin[3];     ///< likewise [rad/s]
  bench_pose in_body; ///< frame in the scene's body
} bench_part;

/// A hinge. Those of the tree come first, and carry their second part once its first is there.
typedef struct bench_pin {
  int part[2];
  double at[2][3];   ///< its point in the parts' frames [m]
  double axis[2][3]; ///< unit; its axis in them
  bool loop;         ///< it closes a loop
} bench_pin;

typedef struct bench_foot {
  int part;
  double at[3];  ///< of a sphere's middle, in the part's frame [m]
  double radius; ///< [m]
} bench_foot;

/// So many machines side by side, each of them free.
typedef struct bench_machine {
  const char* scene;
  int copies;
  double apart; ///< along y [m]
  int npart;
  bench_part* part; ///< [npart], the first one the chassis
  int npin;
  bench_pin* pin; ///< [npin], those of the tree first
  int nfoot;
  bench_foot* foot; ///< [nfoot]
  int motor;        ///< pin that a motor turns
  double speed;     ///< of its second part about its axis, over the first [rad/s]
  double friction;  ///< of feet on the floor
  double gravity;   ///< [m/s^2]
  double h;         ///< step [s]
} bench_machine;

typedef struct bench_beast_engine {
  const char* name;
  const char* about;
  void* (*create)(const bench_machine* machine);
  void (*release)(void* engine);
  bool (*step)(void* engine); ///< timed; false: no step was found
  void (*get)(void* engine, int copy, int part, bench_pose* pose);
} bench_beast_engine;

extern const bench_beast_engine bench_limber_beasts;
extern const bench_beast_engine bench_bullet_beasts;
extern const bench_beast_engine bench_ode_beasts;
extern const bench_beast_engine bench_ode_beasts_direct;
extern const bench_beast_engine bench_dart_beasts;
extern const bench_beast_engine bench_simbody_beasts;

#ifdef __cplusplus
}
#endif
