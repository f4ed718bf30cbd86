// The engines that were built in; the build defines BENCH_WITH_... for each peer it found.
#include "engines.h"

int bench_engines(const bench_engine* engines[BENCH_ENGINES_MOST]) {
  int n = 0;
  engines[n++] = &bench_limber;
#ifdef BENCH_WITH_BULLET
  engines[n++] = &bench_bullet;
#endif
#ifdef BENCH_WITH_DART
  engines[n++] = &bench_dart;
#endif
#ifdef BENCH_WITH_SIMBODY
  engines[n++] = &bench_simbody;
#endif
#ifdef BENCH_WITH_ODE
  engines[n++] = &bench_ode;
#endif
  return n;
}
