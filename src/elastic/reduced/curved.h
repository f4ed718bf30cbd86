// An elastic body whose shapes change with its coordinates. Displacements are linear in amplitudes
// z = phi(eta), of which there are more than coordinates: a flat body of n amplitudes, bent.
//
//   (1)  zd = J etad,   zdd = J etadd + c,   c = phi''etad etad,   J = phi'
//
// Its inertia is that of the flat body at z, zd and zdd, and Q = J'Q_z. At a state it is the linear
// body of the shapes Phi J, but for the inertia of c.
#pragma once
#include "base/carve.h"
#include "elastic/reduced/reduced_derivative.h"

// How a body is bent. `scratch` is what the functions need of it.
typedef struct lb_curved {
  int n;
  // z [n], J [n][r] and H = phi'' [n][r][r]
  void (*evaluate)(const void* context, double* z, double* J, double* H, const double* eta,
                   double* scratch);
  // phi''' etad etad [n][r]
  void (*evaluate_third)(const void* context, double* third, const double* eta, const double* etad,
                         double* scratch);
  int scratch;
  const void* context;
  const lb_reduced* flat; // of n amplitudes: its inertia, and twists of its faces
} lb_curved;

// State of such a body. What is not said to be else is of the last lb_curved_place.
typedef struct lb_curved_state {
  const lb_curved* of;
  int r;
  lb_reduced here;       // linear body of r coordinates with the shapes Phi J
  lb_reduced_state flat; // of z
  bool placed;
  double* eta; // [r] where, if it is placed: the next to ask there finds all in place
  double *z, *J, *H;
  double* MJ;              // [n][r] M_z J
  lb_v4* turn;             // [n][r] axial vectors of B1 J
  double *zd, *bias;       // [n] (1), of the last lb_curved_move
  double *zdd, *Q;         // [n] scratch
  double *Jd, *Jdd;        // [n][r] derivatives of zd and zdd by eta, of the last lb_curved_bend
  lb_reduced_slope* slope; // [n] scratch
  double* scratch;
} lb_curved_state;

// NULL of a body that is not curved, and while measuring.
lb_curved_state* lb_curved_lay_out(lb_carver* c, const lb_reduced* body);

void lb_curved_place(lb_curved_state* s, lb_reduced_state* state, const double* eta);
void lb_curved_move(lb_curved_state* s, const double* etad);
void lb_curved_bend(lb_curved_state* s, const double* eta, const double* etad, const double* etadd);

// Amplitudes and their rates at any state, [n] each. What is placed stays.
void lb_curved_amplitudes(const lb_curved_state* s, double* z, double* zd, const double* eta,
                          const double* etad);

// Inertia of c, added to lb_reduced_inertia() of `here`.
void lb_curved_add_inertia(const lb_curved_state* s, lb_v4* n, lb_v4* f, double* Q);

// As lb_reduced_derive() and lb_reduced_derive_own(), of r coordinates.
void lb_curved_derive(lb_curved_state* s, lb_reduced_motion motion, lb_v4 v, const double* eta,
                      const double* etad, const double* etadd, lb_reduced_slope* out, double* Q_eta,
                      double* Q_etad, int stride);

// K [r][stride] += sum of force_z phi''_z
void lb_curved_bend_force(const lb_curved_state* s, const double* force, double* K, int stride);
