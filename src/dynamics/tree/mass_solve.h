// Mass matrix M of trees of rigid links, factored by the articulated-body algorithm and solved for
// many right-hand sides, in time linear in the numbers of the result. [Featherstone 2008, ch. 7]
//
// A joint of several coordinates is a row of joints with one each and nothing between them. With a
// coordinate's direction S, the articulated inertia A of all beyond it and D = S'A S + armature,
// M x = b is solved inward for the forces p through the joints, then outward for the accelerations
// z of the links:
//
//   (1)  y = b - S.p,                p_parent += p + (A S / D) y
//   (2)  x = y/D - (A S / D).z_parent,      z = z_parent + S x
//
// Vectors are in the world's axes. Links in a row share the point that their motions and moments
// are about, a few at a time: so hardly any are shifted, and numbers stay of the links' own size.
#pragma once
#include "base/carve.h"
#include "dynamics/tree/state.h"

// Columns of right-hand sides that are solved for together: as many as a register holds, since
// compilers split wider vectors badly.
#if defined __AVX512F__
enum { LB_PANEL = 8 };
#elif defined __AVX__
enum { LB_PANEL = 4 };
#else
enum { LB_PANEL = 2 };
#endif

// A coordinate in (1) and (2).
typedef struct lb_mass_axis {
  double S[6], U[6]; // S and A S / D, angular part first
  double inverse;    // 1/D
} lb_mass_axis;

// Links that follow each other, each alone on the one before, about one point.
typedef struct lb_mass_segment {
  int link, nlink; // the first, whose origin is the point, and how many
  int v, nv;       // their coordinates
  int parent;      // segment, or -1
  double r[3];     // from the parent's point to this one
} lb_mass_segment;

// Part of a panel that reaches a segment on the way in: nothing, right-hand sides, forces of
// descendants as well.
typedef enum lb_mass_reach { LB_MASS_NOTHING, LB_MASS_SIDE, LB_MASS_FORCES } lb_mass_reach;

typedef struct lb_mass_factors {
  const lb_model* m;
  lb_mass_axis* axis;       // [nv]
  lb_mass_segment* segment; // [nsegment]
  int nsegment;
  lb_mass_reach* reach;    // [nsegment]
  double* x;               // [nv][LB_MASS_SIDES][LB_PANEL]
  struct lb_mass_far* far; // [nsegment] p, then z
} lb_mass_factors;

// From a block of memory; made ready when the carver has one.
lb_mass_factors lb_mass_factors_lay_out(lb_carver* c, const lb_model* m);

// At the inertias that lb_aba_solve leaves. false: M is not positive definite.
bool lb_mass_factors_take(lb_mass_factors* F, const lb_work* w);

// -M^-1 b of two matrices, and M^-1 itself: by rows, [nv][nv] and LB_PANEL numbers beyond the end
// that are read and written, too.
enum { LB_MASS_SIDES = 3 };
void lb_mass_factors_solve(const lb_mass_factors* F, double* const out[LB_MASS_SIDES],
                           const double* const b[LB_MASS_SIDES - 1]);
