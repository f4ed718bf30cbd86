// Faces of tetrahedra, identified by their corners.
#pragma once

typedef struct lb_tet_face {
  int corner[3]; // rising
  int number;
} lb_tet_face;

// The face with corners v, in whatever order.
lb_tet_face lb_tet_face_make(const int* v, int number);
// Order by corners, for qsort() and bsearch().
int lb_tet_face_compare(const void* left, const void* right);
