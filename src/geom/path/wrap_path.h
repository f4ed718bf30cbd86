// Paths over surfaces: the way from a point p to a point q that stays on one side of a surface, in
// the surface's frame, as pieces of lines and arcs. All that the library knows of a kind of surface
// is its entry, in a file of its own; to add one, add its line to LB_WRAP_LIST in
// limber/scene_muscle.h, its keys in scene/part/part_paths.c, and its file here.
//
// Smooth lift-off by inflation. Let D be the signed distance of the line pq from the centre or axis
// of a surface of radius r. The path wraps over the radius
//
//   (1)  r_e = r + w h((D - r)/w),   h'' = 315/256 (1 - x^2)^4 for |x| < 1,   h(-1) = h'(-1) = 0
//
// which is r below the band |D - r| < w, and above it D: the path is then straight. h is 0 at -1
// and x at 1, with five derivatives, so that steps of order four keep their order. The path never
// enters the surface and is exact outside the band. docs/theory-muscle.md derives this.
#pragma once
#include "geom/path/taylor.h"
#include "limber/scene_muscle.h"

typedef struct lb_wrap {
  lb_wrap_kind kind;
  lb_vec3 size;
  double band;  // w over the least radius; 0: sharp
  int sense;    // of cylinders and capsules: of turning about z from p to q, 1 or -1
  lb_vec3 side; // of all but cylinders and tori: where paths are held; zero: the shorter way
  const struct lb_wrap_network* network; // that gives points of the path, or NULL (wrap_network.h)
  // Of spheres and ellipsoids whose paths stay in a plane: its normal, about which they turn as
  // about a cylinder's axis, in the sense of the start; zero: they go by `side`.
  lb_vec3 axis;
} lb_wrap;

typedef enum lb_piece_kind {
  LB_PIECE_LINE,   // x = origin + along (sigma - start)
  LB_PIECE_ARC,    // ... + A cos(psi) + B sin(psi), psi = angle + rate (sigma - start)
  LB_PIECE_OVAL,   // the same with an angle whose arc length from `angle` is sigma - start
  LB_PIECE_NETWORK // the network of `wrap`, for the ends A and B and the part sigma/end of the way
} lb_piece_kind;

typedef struct lb_path_piece {
  lb_piece_kind kind;
  lb_taylor start;          // arc length that it is measured from
  lb_taylor end;            // at which the piece ends
  lb_taylor3 origin, along; // along is zero for ovals
  lb_taylor3 A, B;
  lb_taylor angle, rate;
  const lb_wrap* wrap; // of a network
} lb_path_piece;

enum { LB_WRAP_PIECES = 5 };

typedef struct lb_wrap_path {
  int count; // of pieces; 1: it does not touch
  lb_path_piece piece[LB_WRAP_PIECES];
} lb_wrap_path;

// A point of a path with velocity and acceleration, in the surface's frame.
typedef struct lb_path_end {
  lb_vec3 x, xd, xdd;
} lb_path_end;

typedef struct lb_wrap_type {
  // Pieces from p to q, as jets of order N.
  void (*find)(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
               const lb_taylor3* q);
  // Scales of its axes in which a line touches it at the foot of a perpendicular.
  lb_vec3 (*scales)(const lb_wrap* wrap);
} lb_wrap_type;

extern const lb_wrap_type lb_wrap_type_cylinder, lb_wrap_type_sphere, lb_wrap_type_capsule,
    lb_wrap_type_ellipsoid, lb_wrap_type_torus;

// The sense in which a path from p to q goes about z: on the given side, or by the shorter way.
int lb_wrap_sense(lb_vec3 side, lb_vec3 p, lb_vec3 q);

// Normal of the plane in which a path from p to q goes about the origin: on the given side, or by
// the shorter way. Zero: they are opposite.
lb_vec3 lb_wrap_axis(lb_vec3 side, lb_vec3 p, lb_vec3 q);
// Whether a path over a sphere or ellipsoid stays in a plane; and goes by the longer way there.
bool lb_wrap_has_plane(const lb_wrap* wrap);
bool lb_wrap_goes_far(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);
// Whether a path over a sphere or ellipsoid is held on a side: it has one, and no plane.
bool lb_wrap_is_held(const lb_wrap* wrap);
// How far the line from p to q passes from the centre on that side, across the line; infinite if
// the path is not held. In scaled axes for ellipsoids. Below 0 the path goes by the longer way.
double lb_wrap_side_distance(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);
// Sine of the angle between the line and that side, where the line passes through the surface: the
// plane of the path turns about the line up to 1/sine times as fast as the line turns. 1 where the
// path is not held, or the line passes beside the surface. In scaled axes for ellipsoids.
double lb_wrap_side_sine(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);

// Where a path is: around its surface, within the band of its lift-off, or off it.
typedef enum lb_wrap_state { LB_WRAP_AROUND, LB_WRAP_LIFTING, LB_WRAP_OFF } lb_wrap_state;
lb_wrap_state lb_wrap_state_of(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);
// Angle by which p and q are off being opposite about the axis, or about the centre: where they
// are, neither way is the shorter one.
double lb_wrap_off_opposite(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);
// Whether the path goes the other way than it was told to, since it would go around by three
// quarters of a turn.
bool lb_wrap_turns_over(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);

// How a path over a capsule goes: by up to half a turn in its sense, by more, or that would be more
// and it has slipped off an end to the other way. Others are near.
typedef enum lb_wrap_turn { LB_TURN_NEAR, LB_TURN_FAR, LB_TURN_SLIPPED } lb_wrap_turn;
lb_wrap_turn lb_wrap_turn_of(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);

// Pieces of the path from p to q over a surface, or straight (`wrap` NULL).
void lb_wrap_find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_path_end* p,
                  const lb_path_end* q);
// The same for ends that are series themselves; networks are not asked.
void lb_wrap_over(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                  const lb_taylor3* q);
lb_vec3 lb_wrap_scales(const lb_wrap* wrap);
// Point at an arc length, in the piece that it is in.
lb_taylor3 lb_wrap_point(int N, const lb_path_piece* piece, const lb_taylor* sigma);

static inline const lb_taylor* lb_wrap_length(const lb_wrap_path* path) {
  return &path->piece[path->count - 1].end;
}

// --- for kinds ---

// Way around a circle in a plane: from p, rho_p away from its centre, over an angle dphi to q.
typedef struct lb_planar {
  lb_taylor radius;       // r_e
  lb_taylor a, b;         // lengths of the tangents
  lb_taylor alpha, gamma; // angles from p to its tangent point, and from that of q to q
  lb_taylor theta;        // of the arc
  lb_taylor length;
} lb_planar;

// h of (1) for any x, with its derivatives.
void lb_wrap_swelling(double x, double h[5]);
// r_e by (1) for a line at distance D; false: the path is straight.
bool lb_wrap_inflate(int N, double r, const lb_taylor* w, const lb_taylor* D, lb_taylor* radius);
// Band that leaves room between the surface and the points: w, or less where one is nearer than 3
// w, smoothly, and at most half of each gap; 0 where a point is inside.
lb_taylor lb_wrap_band(int N, double w, double r, const lb_taylor* rho_p, const lb_taylor* rho_q);
// Tangents and arc over a circle of a given radius. False: there is no arc.
bool lb_planar_find(int N, lb_planar* out, const lb_taylor* radius, const lb_taylor* rho_p,
                    const lb_taylor* rho_q, const lb_taylor* dphi);
void lb_wrap_straight(int N, lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q);
// Path over a given radius r_e of an endless cylinder about z, over an angle dphi in the sense, or
// of a ball. False: there is no arc.
bool lb_wrap_over_cylinder(int N, const lb_taylor* radius, int sense, const lb_taylor* dphi,
                           lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q);
bool lb_wrap_over_ball(int N, const lb_taylor* radius, lb_wrap_path* out, const lb_taylor3* p,
                       const lb_taylor3* q);
// From this distance of the line on, in radii, a path that is held goes by the surface alone.
static const double LB_WRAP_HOLD = 0.5;
// Path over an ellipsoid, or a sphere that is taken as one. False: it is straight.
bool lb_wrap_over_ellipsoid(int N, const lb_wrap* wrap, lb_vec3 radii, lb_wrap_path* out,
                            const lb_taylor3* p, const lb_taylor3* q);
// Unit vectors of a point across z: radial, and a quarter turn on in the sense.
typedef struct lb_wrap_basis {
  lb_taylor rho;
  lb_taylor3 out, on;
} lb_wrap_basis;
lb_wrap_basis lb_wrap_basis_of(int N, const lb_taylor3* p, int sense);
// Angle about z from p to q in the sense, between -pi/2 and 3 pi/2.
lb_taylor lb_wrap_turned(int N, const lb_taylor3* p, const lb_taylor3* q, int sense);
// Distance of the line from the z axis, signed by the sense. False: its foot is not between p and
// q.
bool lb_wrap_line_distance(int N, const lb_taylor3* p, const lb_taylor3* q, int sense,
                           lb_taylor* D);
// Cylinder about z, of a radius, band and sense; endless. False: it is straight.
bool lb_wrap_round(int N, double r, double band, int sense, lb_wrap_path* out, const lb_taylor3* p,
                   const lb_taylor3* q);

// Heights of the seams of a capsule for a path by an angle dphi about z, the lower one first.
void lb_capsule_seams(int N, const lb_wrap* wrap, lb_taylor seam[2], const lb_taylor* dphi,
                      const lb_taylor3* p, const lb_taylor3* q);
lb_wrap_turn lb_capsule_turn(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q);

// Arc length of an oval from its angle to another.
lb_taylor lb_oval_length(int N, const lb_path_piece* piece, const lb_taylor* psi);

// A function of N, inlined for each of its values.
#define LB_TAYLOR_ORDERS(call)                                                                     \
  switch (N) {                                                                                     \
  case 0:                                                                                          \
    call(0);                                                                                       \
    break;                                                                                         \
  case 1:                                                                                          \
    call(1);                                                                                       \
    break;                                                                                         \
  default:                                                                                         \
    call(2);                                                                                       \
  }
