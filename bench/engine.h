// What the benchmark asks of an engine. Limber and each peer stand behind one table of functions,
// so that all are fed the same links and states and timed by the same loop.
//
// Velocities, forces and accelerations have one entry a degree of freedom: of a free base first
// three angular then three linear ones, then one for each hinge, in link order. The base keeps its
// start pose and is at rest in every state, so that the frame in which an engine writes its
// velocity does not matter.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One link; its frame sits at its joint, with the parent's axes when the hinge's angle is zero.
typedef struct bench_link {
  int parent;        ///< index of an earlier link, -1: the world
  double axis[3];    ///< unit; of the hinge
  bool ball;         ///< a ball in place of the hinge, for BENCH_STIFF of Bullet alone
  double joint[3];   ///< position of the joint in the parent [m]
  double com[3];     ///< [m]
  double mass;       ///< [kg]
  double inertia[3]; ///< diagonal, about com [kg m^2]
} bench_link;

/// Points of two links that stay together.
typedef struct bench_loop {
  int link[2];
  double point[2][3]; ///< in the links' frames [m]
} bench_loop;

typedef struct bench_model {
  char name[32];
  int nlink;
  bench_link* link;  ///< [nlink]
  bool free_base;    ///< link 0 has a free joint in place of the hinge
  int nloop;         ///< for BENCH_STIFF and BENCH_LOOPS; engines that lack them leave them open
  bench_loop* loop;  ///< [nloop]
  int nv;            ///< degrees of freedom
  double gravity[3]; ///< [m/s^2]
  double stiffness;  ///< of a spring to zero on every hinge [N m/rad] ...
  double damping;    ///< ... and of a damper [N m s/rad], for the same
  double qdd_sum;    ///< sum of |qdd| of the hinges in the test state; 0: not known
} bench_model;

typedef struct bench_state {
  double *q, *qd, *tau, *qdd; ///< [nv] each; the base's entries of q and qd are zero
} bench_state;

typedef enum bench_method {
  BENCH_EULER,    ///< semi-implicit
  BENCH_RK4,      ///< fixed step, order four
  BENCH_RK8,      ///< fixed step, order eight
  BENCH_ADAPTIVE, ///< step chosen from the tolerance
  BENCH_STIFF,    ///< what the engine has for stiff springs at a fixed step
  BENCH_LOOPS,    ///< what the engine has for loops at a fixed step, with springs
  BENCH_METHOD_COUNT
} bench_method;

enum { BENCH_SLOTS = 2 };

/// Functions that an engine lacks are NULL. States are handed over by `load`, so that turning them
/// into an engine's own vectors is not timed; setting the engine's state from those vectors is.
typedef struct bench_engine {
  const char* name;
  const char* about; ///< version, precision
  void* (*create)(const bench_model* model);
  void (*release)(void* engine);
  void (*load)(void* engine, int slot, const bench_state* state);

  // --- timed; results stay inside ---
  void (*forward)(void* engine, int slot); ///< qdd from q, qd, tau
  void (*inverse)(void* engine, int slot); ///< tau from q, qd, qdd
  void (*mass)(void* engine, int slot);    ///< M from q
  void (*step)(void* engine);              ///< one step of what `start` chose, without tau

  // --- not timed ---
  void (*get_qdd)(void* engine, double* qdd);             ///< [nv] of the last forward
  void (*get_tau)(void* engine, double* tau);             ///< [nv] of the last inverse
  void (*get_mass)(void* engine, double* M);              ///< [nv * nv] of the last mass
  void (*get_state)(void* engine, double* q, double* qd); ///< [nv] each, after steps
  /// Go to a slot's state and step by h from there; false: the engine has no such method.
  bool (*start)(void* engine, int slot, bench_method method, double h, double tolerance);

  // --- timed ---
  void (*derivatives)(void* engine, int slot); ///< of qdd by q, qd and tau
} bench_engine;

extern const bench_engine bench_limber;
extern const bench_engine bench_bullet;
extern const bench_engine bench_dart;
extern const bench_engine bench_simbody;
extern const bench_engine bench_ode;

/// Index of the degree of freedom of the hinge of link i.
static inline int bench_dof(const bench_model* model, int i) {
  return model->free_base ? 5 + i : i;
}

#ifdef __cplusplus
}
#endif
