// Timings of models with muscles, in a table of their own.
#pragma once
#include <stdbool.h>

// false: something could not be read, which is said.
bool bench_muscle_models(void);
