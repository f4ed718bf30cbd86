// The engines that were built in: Limber first, then the peers that were installed.
#pragma once
#include "engine.h"

enum { BENCH_ENGINES_MOST = 5 };

/// Fill `engines` and return how many there are.
int bench_engines(const bench_engine* engines[BENCH_ENGINES_MOST]);
