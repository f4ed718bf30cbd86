// Paths over several surfaces, one after the other, without a point in between: a double cylinder.
// Between two surfaces the path is straight. A junction m on that straight piece splits it into
// paths over one surface each; the shortest way of all has
//
//   (4)  dL/dm = dl_i/dq + dl_(i+1)/dp = 0
//
// Along the piece m may lie anywhere. Surfaces are sharp here: on inflated ones the gradients would
// not be of length one, and the junction would have to be held.
#pragma once
#include "geom/path/wrap_path.h"

typedef struct lb_chain_link {
  const lb_wrap* wrap;
  lb_mat3 R; // pose of the surface
  lb_vec3 o;
} lb_chain_link;

enum { LB_CHAIN_MOST = 6, LB_CHAIN_NUMBERS = 3 * (LB_CHAIN_MOST - 1) };

// Length from p to q over a surface, its gradient and second derivatives, in the world.
typedef struct lb_chain_span {
  double length, g[6], H[6][6];
} lb_chain_span;
lb_chain_span lb_chain_span_find(const lb_chain_link* link, lb_vec3 p, lb_vec3 q);

// Whether a path from a to b can go around it: not where one of them lies within a cylinder,
// capsule or sphere. Such surfaces are to be left out of rows.
bool lb_chain_goes_around(const lb_chain_link* link, lb_vec3 a, lb_vec3 b);

// Junctions m [n - 1] of the shortest path from a to b over n surfaces in this order. False: they
// were not found to rounding.
bool lb_wrap_chain(int n, const lb_chain_link* link, lb_vec3 a, lb_vec3 b, lb_vec3* m);

// Second derivatives of the length by the junctions, [3 (n - 1)] squared, factored by Cholesky;
// with a term along each straight piece, where they are zero. False: they are not positive.
bool lb_chain_factor(int n, const lb_chain_span* span, double* A);
