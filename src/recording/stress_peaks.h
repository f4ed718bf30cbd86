// The largest stress of every element of an elastic body over the frames so far.
//
// All elements count at every frame, but for large bodies in a basis: there the elements on the
// boundary do, and those inside at frames whose stress on the boundary is beyond any before.
#pragma once
#include "elastic/reduced/stress.h"
#include "limber/recording.h"

typedef struct lb_stress_peaks {
  const lb_stress* of;     // NULL: the body's mesh is not known
  double *largest, *time;  // [nelem] stress [Pa] and when
  double* face;            // [nface] the same of faces
  double *now, *face_now;  // those of the last frame
  double* u;               // displacements there
  lb_stress_part measured; // part that the last frame has
  double searched;         // stress on the boundary at frames where all elements were looked at
} lb_stress_peaks;

// Peaks of all elastic bodies of a model; NULL: no memory.
lb_stress_peaks* lb_stress_peaks_create(const lb_model* model, const lb_allocator* allocator);

// Stress of a body at its coordinates in the basis shown, or at its displacements in the order of
// the mesh, where these are not NULL; the largest.
double lb_stress_peaks_measure(lb_stress_peaks* p, const double* eta, const double* mesh_u);
