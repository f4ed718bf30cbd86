// Planar linkages by their points: every bar says how far two of them are apart. The crank is held
// at an angle, the other points are found by Newton's method, from a drawing or from the angle
// before. Triangles of sides are rigid: they stay on the side on which they are given. Nothing here
// knows of bodies or scenes; scratch memory is given back.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "limber/status.h"

/// Two points and their distance.
typedef struct lb_planar_side {
  int a, b;
  double length; ///< [m] > 0
} lb_planar_side;

typedef struct lb_planar {
  int npoint, nside;
  const bool* fixed;          ///< [npoint] points that do not move
  const lb_planar_side* side; ///< [nside]
  int pivot, pin;             ///< the crank: `pin` goes round `pivot`, which is fixed
  double radius;              ///< of that circle [m]
} lb_planar;

/// Result of closing a linkage.
typedef struct lb_planar_fit {
  bool closed;
  int worst;  ///< side that fits worst
  double gap; ///< how much longer it is than it should be [m]
} lb_planar_fit;

/// Points at which all sides have their lengths, near `at` and with the crank at this angle. Where
/// there are none, the least squares of what is missing.
lb_status lb_planar_close(const lb_planar* linkage, double (*at)[2], double angle,
                          lb_arena* scratch, lb_planar_fit* fit);

/// Turn the crank from one angle to another along one branch, in small steps. `*reached` is short
/// of `to` where the linkage jams, by less than 1e-9 rad, and `at` is where it does.
lb_status lb_planar_turn(const lb_planar* linkage, double (*at)[2], double from, double to,
                         lb_arena* scratch, double* reached);

/// Smallest singular value of the sides' directions over the points that the crank leaves free, of
/// triangles of sides over two of their points: 0 at a dead point. `strain` [nside] (or NULL) gets
/// the forces of the sides that hold each other there, of length one.
lb_status lb_planar_transmission(const lb_planar* linkage, double (*at)[2], lb_arena* scratch,
                                 double* least, double* strain);
