// Size of a world at a moment: what slabs of the ground, the camera and warnings measure by.
#pragma once
#include "limber/model.h"

typedef struct lb_extent {
  lb_vec3 centre;
  double size; // radius about the centre; 0: there is nothing
} lb_extent;

// Extent of what moves, or of all bodies where nothing does, at poses of bodies [nbody] and
// coordinates q, which free particles are among. Elastic bodies count as they are undeformed.
lb_extent lb_model_extent(const lb_model* m, const lb_transform* pose, const double* q);
