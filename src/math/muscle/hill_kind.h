// Tables of the kinds of Hill-type muscles.
#pragma once
#include "math/muscle/hill.h"

extern const lb_hill_type lb_hill_thelen, lb_hill_millard, lb_hill_early;
