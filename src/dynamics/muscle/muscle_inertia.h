// Mass that slides along paths. Material point k of a belly, at a fixed k, moves as x(k, q): its
// velocity is J qd, and its inertia adds
//
//   (1)  M = int m J'J dk,    tau = int m J'(J qdd + Jdot qd - g) dk + jets
//
// to the mass matrix and to inverse dynamics. Straight pieces, where J and the acceleration are
// linear in k, have two Gauss nodes and are exact; arcs have six. The bounds s_i of the pieces
// slide. Where the path turns at a node i, between directions e_in and e_out, mass that passes it
// is turned, too: the node exerts
//
//   (2)  m sd_i^2 L_b (e_out - e_in),    L_b = dsigma/dk
//
// docs/theory-muscle.md derives both.
#pragma once
#include "base/carve.h"
#include "dynamics/muscle/path.h"

struct lb_mass_span;
struct lb_station;

// Scratch of all muscles with mass.
typedef struct lb_inertia_work {
  lb_wrap_path* path;         // [most spans][1 + 7] along the motion; by each number of the ends
  lb_motion* column;          // [most items][nv]
  lb_v4* end;                 // [most spans][2][nv]
  double* length;             // [most spans][nv]
  lb_v4* x;                   // [2 nv]
  lb_v4* place;               // [nv]
  double *whole, *before;     // [nv]
  double* still;              // [nv] zero
  struct lb_station* station; // [most]
} lb_inertia_work;

lb_inertia_work* lb_inertia_lay_out(lb_carver* c, const lb_model* m);

// Inertial forces of muscles in inverse dynamics: on links, as their IA's n and f, whose
// accelerations and velocities are in place, and on coordinates.
void lb_muscles_inverse(const lb_model* m, lb_work* w, double* tau, const double* q,
                        const double* qd, const double* qdd);
// M += (1), poses and columns of the links in place.
void lb_muscle_weigh(const lb_model* m, lb_work* w, int i, double* M, const double* q); // by one
void lb_muscles_weigh(const lb_model* m, lb_work* w, double* M, const double* q);
// Derivatives of (1) and (2), and M, after lb_derive_matrices.
void lb_muscles_derive_inertia(lb_derivatives* D, lb_data* d, const double* q, const double* qd,
                               const double* qdd);

// Energies and momenta of all mass, velocities of origins in place.
typedef struct lb_muscle_motion {
  double kinetic;
  lb_v4 moment; // int x dm
  lb_v4 linear, angular;
} lb_muscle_motion;
lb_muscle_motion lb_muscles_motion(const lb_model* m, lb_work* w, const double* q,
                                   const double* qd);

// --- inside ---

// Span with its pieces as series.
typedef struct lb_mass_span {
  lb_path_frame frame; // the world's, of one that is straight
  lb_path_end end[2];
  const lb_wrap_path* path;
  double l, ld, ldd; // length and rates
  double c, cd, cdd; // those of all spans before
} lb_mass_span;

typedef struct lb_mass_path {
  lb_path p;
  lb_mass_span span[LB_PATH_SPANS];
  double L, Ld, Ldd;
  double begin[3], size[3]; // of the belly: material point k is at begin + k size; and rates
} lb_mass_path;

// Mass at a point of the belly.
typedef struct lb_station {
  int span, piece;
  double mass, k;
  double from, to, at; // of its piece in k, and where it is between them; at < 0: fixed
  lb_taylor3 x;
  double c[3][7][3]; // series of its derivatives, by sigma, p and q
  double H[7][7];    // second derivatives, along the force
  lb_v4 force;       // inertial
} lb_station;

// Path and spans to order N, and derivatives of dependent nodes to order M; accelerations of the
// links are in place where N > 0.
void lb_mass_path_find(lb_mass_path* P, int N, int M, const lb_model_path* of, lb_work* w,
                       const double* q, const double* qd, const double* qdd);
// Stations along the belly, in order: how many.
int lb_mass_path_stations(const lb_mass_path* P, lb_station* out);
// Pieces of all spans whose ends rest, or move along one number each: second derivatives.
void lb_mass_path_directions(const lb_mass_path* P, lb_work* w);
// Place of a station with its series, its inertial force, and second derivatives along that.
void lb_station_differentiate(const lb_mass_path* P, lb_work* w, lb_station* st);
// Arc length of material point k in a span, as a series of order N.
lb_taylor lb_mass_path_sigma(int N, const lb_mass_path* P, int span, double k);
// k of an arc length, between 0 and 1; whether it is inside.
bool lb_mass_path_material(const lb_mass_path* P, double sigma, double* k);
// Bound of piece j of a span in k, its beginning or its end; whether it slides. What sticks out of
// the path, where tendons are slack, goes on straight with its first and last pieces.
bool lb_mass_path_bound(const lb_mass_path* P, int span, int j, bool end, double* k);
// Directions of the path into and out of node i.
void lb_mass_path_corner(const lb_mass_path* P, int i, lb_v4* in, lb_v4* out);
