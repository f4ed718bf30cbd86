// Paths over several surfaces, one after the other, without a point in between: a double cylinder.
// Between two surfaces the path is straight. A junction m on that straight piece splits it into
// paths over one surface each (node_group.h). Of sharp surfaces the shortest way of all has
//
//   (4)  dL/dm = dl_i/dq + dl_(i+1)/dp = 0
//
// for any m along the piece, which is where the search begins if it must.
#pragma once
#include "geom/path/node_group.h"

typedef struct lb_chain_link {
  const lb_wrap* wrap;
  lb_mat3 R; // pose of the surface
  lb_vec3 o;
} lb_chain_link;

// Length from p to q over a surface, its gradient and second derivatives, in the world.
typedef struct lb_chain_span {
  double length, g[6], H[6][6];
} lb_chain_span;
lb_chain_span lb_chain_span_find(const lb_chain_link* link, lb_vec3 p, lb_vec3 q);

// Whether a path from a to b can go around it: not where one of them lies within a cylinder,
// capsule or sphere. Such surfaces are to be left out of rows.
bool lb_chain_goes_around(const lb_chain_link* link, lb_vec3 a, lb_vec3 b);

// Junctions of the path from a to b over n surfaces in this order, as a group and its solution.
// False: they were not found to rounding.
bool lb_chain_solve(int n, const lb_chain_link* link, lb_vec3 a, lb_vec3 b, lb_node_group* g,
                    lb_group_solution* s);
// Their places alone: m [n - 1].
bool lb_wrap_chain(int n, const lb_chain_link* link, lb_vec3 a, lb_vec3 b, lb_vec3* m);
