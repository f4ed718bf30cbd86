// A body with all its nodes, as the rest of a character feels it during one time step.
//
// A step's linear system couples a body's nodes to everything else through few directions only:
// forces on its carrying faces, and accelerations of its frame. With W = M / dt + alpha C
// + dt K(u) + beta K'(u) of the body alone, G the held face's six conditions, and the map
//
//   S b = W^-1 (b - G' m),   m such that G S b = 0                                             (1)
//
// the change of the nodes' velocities under a residual r, forces y on the faces and an acceleration
// t of the frame is S (-r + J'y - M_r t): one solution of its own for r, and a combination of the
// columns S J' and S M_r, which hold for as long as W does. So a Newton step of the whole character
// is one solve with each body's factored W, and then a small system in a basis Psi of those columns
// and the solution for r: exactly that of a character whose bodies are reduced to Psi. Psi is
// W-orthonormal, so that the body's own block of that system is the identity.
//
// Slender bodies bend far and strain little, and are far stiffer along than across: as they bend, W
// soon points the wrong way. But it does little else than turn with the body: with T the rotations
// of the nodes since W was factored,
//
//   W(u) ~ T W T'                                                                              (2)
//
// up to what curvature changes within an element. So vectors are turned back before a solve and
// forth after it, and one factorisation lasts for many steps.
#pragma once
#include "elastic/full/full_body.h"
#include "math/linear/direct.h"

typedef struct lb_condensed lb_condensed;

// `moves`: the frame's acceleration is not prescribed, so that it has columns too.
lb_status lb_condensed_create(const lb_allocator* allocator, const lb_full* full, bool moves,
                              lb_condensed** condensed);
void lb_condensed_release(lb_condensed* c);

// Number of columns: six a face, six of the frame where it moves, one for the residual.
int lb_condensed_size(const lb_full* full, bool moves);

// Factor W at u and find the columns. LB_FAILED: W has no factors.
lb_status lb_condensed_renew(lb_condensed* c, const double* u, double dt);
// True where W, held, is positive definite; otherwise some of the columns may be missing.
bool lb_condensed_definite(const lb_condensed* c);

// Turn with the body to u; then the last column becomes the displacement under the residual r
// [ndof], from which the reactions of the held face are taken out: they are large, and what is left
// is not.
lb_status lb_condensed_respond(lb_condensed* c, const double* u, double* r);

// The body in the basis T Psi about its shape at the last solution, mass matrix dt W: what the
// tree's recursions need. Its arrays stay where they are. Its internal forces are those that the
// last solution leaves: none at its shape, and stiffness W / dt.
const lb_reduced* lb_condensed_body(const lb_condensed* c);
// Give it the masses of its columns instead, Psi'M Psi, until it is renewed: for those who solve
// for a pose, where W / dt is the stiffness alone.
void lb_condensed_weigh(lb_condensed* c);

// out = Psi'T'r; and v += T Psi c.
void lb_condensed_project(lb_condensed* c, double* out, const double* r);
void lb_condensed_expand(lb_condensed* c, double* v, const double* coefficient);
