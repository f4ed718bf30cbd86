// Blend: a weighted sum of derivatives of internal forces, taken in one go.
#pragma once

// A sum of K, K', and the derivatives of K'(u) v and K(u) v by u, each with a factor; u are
// coordinates of a basis or displacements of nodes.
typedef struct lb_blend {
  double K, D, N, T;
} lb_blend;
