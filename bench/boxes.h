// What the benchmark of contact asks of an engine: boxes on a floor, each one free. All engines are
// fed the same boxes and are judged by their poses alone.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_box {
  double position[3];   ///< [m]
  double quaternion[4]; ///< unit; w x y z
} bench_box;

/// Boxes of one size at rest, and a floor whose surface is z = 0.
typedef struct bench_boxes {
  char name[32];
  int n;
  bench_box* box;  ///< [n]
  double size[3];  ///< full edge lengths [m]
  double mass;     ///< [kg]
  double friction; ///< of everything
  double gravity;  ///< [m/s^2]
  double h;        ///< step [s]
} bench_boxes;

typedef struct bench_contact_engine {
  const char* name;
  const char* about;
  void* (*create)(const bench_boxes* boxes);
  void (*release)(void* engine);
  void (*step)(void* engine); ///< timed
  void (*get)(void* engine, int i, bench_box* box);
} bench_contact_engine;

extern const bench_contact_engine bench_limber_boxes;
/// Of Limber: points that the last step worked on, those that bear, and threads of the next ones.
int bench_limber_points(const void* engine);
int bench_limber_bearing(const void* engine);
void bench_limber_threads(void* engine, int threads);
extern const bench_contact_engine bench_bullet_boxes;
extern const bench_contact_engine bench_ode_boxes;
extern const bench_contact_engine bench_dart_boxes;
extern const bench_contact_engine bench_simbody_boxes;

#ifdef __cplusplus
}
#endif
