// Closed triangle meshes: what they enclose.
#pragma once
#include "limber/geometry.h"

/// Integrals over the enclosed solid.
typedef struct lb_mesh_integral {
  double volume;
  lb_vec3 com;    ///< of the solid with uniform density
  lb_sym3 second; ///< of x x' about com
} lb_mesh_integral;

/// Exact for polyhedra. Faces that point inwards give a negative volume (and second moment).
lb_mesh_integral lb_mesh_integrate(const lb_mesh* mesh);
