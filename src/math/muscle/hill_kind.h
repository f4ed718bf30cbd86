// Tables of the kinds of Hill-type muscles.
#pragma once
#include "math/muscle/hill.h"

#define LB_HILL_EXTERN(code, name, about) extern const lb_hill_type lb_hill_##name;
LB_HILL_LIST(LB_HILL_EXTERN)
#undef LB_HILL_EXTERN
