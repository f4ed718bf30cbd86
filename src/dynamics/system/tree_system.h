// The mass matrix of a tree of rigid links with more on its diagonal, factored in time linear in
// the links: what implicit steps solve with where stiffness and damping sit on the coordinates of
// the joints alone. Such a diagonal does the same as rotor inertia, so the factor is that of the
// articulated-body algorithm.
#pragma once
#include "base/arena.h"
#include "limber/dynamics.h"

typedef struct lb_tree_factor lb_tree_factor;

// NULL when there is no memory. All links must be rigid.
lb_tree_factor* lb_tree_factor_create(const lb_model* m, lb_arena* arena);

// Factor of M + diag(more) at d's poses, which are in place; coordinates under position motors are
// held. false: it is not positive definite.
bool lb_tree_factor_make(lb_tree_factor* F, lb_data* d, const double* more);

// The same for links [first, last) of whole trees, beside others at the same time.
bool lb_tree_factor_make_links(lb_tree_factor* F, const lb_data* d, int first, int last,
                               const double* more);

// b = (M + diag(more))^-1 b for the coordinates that are not held, zero for the others.
void lb_tree_factor_solve(const lb_tree_factor* F, double* b);
void lb_tree_factor_solve_links(const lb_tree_factor* F, int first, int last, double* b);
