// A programmer's mistake stops the program in debug builds and costs nothing in release builds.
#pragma once
#include <assert.h>

#define LB_ASSERT(condition) assert(condition)
