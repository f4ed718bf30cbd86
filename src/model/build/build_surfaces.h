// Surfaces that bend among the colliders.
#pragma once
#include "model/build/build.h"

// Adds those of elastic bodies, ropes and deformables behind the shapes; looks, particles and
// meetings are there. `family` [nbody + 1 + nrope + ndeformable], the world's after the bodies'.
lb_status lb_build_surfaces(lb_build* b, const int* family);
