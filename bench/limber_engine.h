// A model of the benchmark as Limber's, for what the interface to all engines does not ask.
#pragma once
#include "engine.h"
#include "limber/limber.h"

/// NULL: no memory, or Limber refuses it and says why on the standard error stream.
lb_model* bench_limber_model(const bench_model* bench, lb_coordinates coordinates);
