// Hill-type muscles: a fibre at an angle, in series with a tendon. Pure functions of one muscle; SI
// units outside, and inside lengths over the fibre's optimal one l_o, forces over the largest
// isometric one F_o, speeds over v_max l_o. Nothing here allocates.
//
//   (1)  f = a f_l(l) f_v(v / s(a)) + f_pe(l) + beta v      force along the fibre
//   (2)  l sin(phi) = w,  x = l cos(phi)                    fixed width; x lies along the tendon
//   (3)  f cos(phi) = f_se((L - x) / slack)                 equilibrium, for a path of length L
//
// Kinds differ in their curves, and in s, by which Thelen's muscles are slower at low activation.
// A rigid tendon has x = L - slack in place of (3).
#pragma once
#include <stdbool.h>

#include "limber/scene_muscle.h"
#include "math/muscle/corner_curve.h"

// Numbers that shape the curves of Thelen's muscles.
typedef struct lb_thelen_shape {
  double width;          // gamma of the active force-length curve
  double passive;        // exponent k of the passive force
  double passive_strain; // strain of the fibre at which that is F_o
  double tendon_strain;  // strain of the tendon at F_o
  double hyperbola;      // A_f of the force-velocity curve
  double eccentric;      // force over the isometric one, at most, when lengthening
} lb_thelen_shape;

// Numbers that shape the curves of Millard's muscles, each as its source has them.
typedef struct lb_millard_shape {
  double active[4];     // lengths: no force, knee of the ascending limb, plateau's middle, no force
  double ascent;        // slope of the shallow ascending limb
  double floor;         // least active force
  double velocity[5];   // slopes: fastest shortening, near it, isometric, near the end, fastest
  double eccentric;     // force over the isometric one at v_max
  double curviness[2];  // of shortening and lengthening
  double passive[4];    // strain at no force, strain at F_o, stiffness low, stiffness at F_o
  double passive_curve; // curviness
  double tendon[3];     // strain at F_o, stiffness there, force where the toe ends
  double tendon_curve;  // curviness
} lb_millard_shape;

// Curves of a kind, made once and shared by muscles of one shape.
typedef struct lb_hill_curves {
  lb_hill_model kind;
  lb_thelen_shape thelen;
  lb_corner_curve active, velocity, passive, tendon; // of Millard's
} lb_hill_curves;

// Constants of one muscle. Start from lb_hill_default() and change what differs.
typedef struct lb_hill {
  lb_hill_model kind;
  bool rigid;        // tendon
  double force;      // F_o                                    [N]    > 0
  double fiber;      // l_o                                    [m]    > 0
  double slack;      // length of the slack tendon             [m]   >= 0
  double width;      // sine of the pennation angle at l_o            in [0, 1)
  double speed;      // v_max                                  [1/s]  > 0
  double damping;    // beta                                         >= 0
  double rise, fall; // time constants of activation           [s]    > 0
  double least;      // least activation                              in [0, 1)
  const lb_hill_curves* curves;
} lb_hill;

// Kinds as tables of functions; one file each.
typedef struct lb_hill_type {
  const char* name;
  double speed, damping, rise, fall;
  // f_l, f_v, f_pe and f_se; the inverse of f_v.
  lb_curve_value (*active)(const lb_hill_curves* c, double l);
  lb_curve_value (*velocity)(const lb_hill_curves* c, double v);
  lb_curve_value (*passive)(const lb_hill_curves* c, double l);
  lb_curve_value (*tendon)(const lb_hill_curves* c, double l);
  double (*velocity_inverse)(const lb_hill_curves* c, double f);
  // s(a) and its slope.
  lb_curve_value (*slowing)(double a);
} lb_hill_type;

extern const lb_hill_type* const LB_HILL_TYPE[LB_HILL_COUNT]; // NULL of LB_HILL_NONE

// Constants of the kind's source, for a muscle with these sizes. Curves are to be set.
lb_hill lb_hill_default(lb_hill_model kind, double force, double fiber, double slack);

lb_thelen_shape lb_thelen_shape_default(void);
// Undamped muscles with elastic tendons need curves that can be inverted: active force above 0, and
// slopes of the force-velocity curve, too.
lb_millard_shape lb_millard_shape_default(bool invertible);
// Numbers of a scene, and where it has none those of the source.
lb_thelen_shape lb_thelen_shape_of(const lb_scene_hill_shape* from);
lb_millard_shape lb_millard_shape_of(const lb_scene_hill_shape* from, bool invertible);
// Key of a number that muscles of this kind do not have, or NULL.
const char* lb_hill_shape_stranger(lb_hill_model kind, const lb_scene_hill_shape* from);
void lb_thelen_curves(lb_hill_curves* c, const lb_thelen_shape* shape);
// false: the numbers make no curve, and `what` (may be NULL) is the one that does not close.
bool lb_millard_curves(lb_hill_curves* c, const lb_millard_shape* shape, const char** what);

// --- activation ---

// Rate of the activation a under the excitation u, and its derivatives.
typedef struct lb_activation_rate {
  double rate, by_a, by_u;
} lb_activation_rate;
lb_activation_rate lb_activation_rate_at(const lb_hill* h, double a, double u);

// Rate under a drive u, for searches by second derivatives: at its ends, the least excitation and
// `most`, a drive is the excitation, so that the same rates are within reach; between them the rate
// has no kink, and rises with the drive.
lb_activation_rate lb_activation_drive(const lb_hill* h, double a, double u, double most);

// Excitation at which an activation has this rate.
double lb_activation_excitation(const lb_hill* h, double a, double rate);

// Activation at the end of an implicit step of dt from a, with derivatives: solved exactly.
lb_activation_rate lb_activation_step(const lb_hill* h, double a, double u, double dt);

// Excitation with which such a step from a ends at `to`, where it is within reach.
double lb_activation_needed(const lb_hill* h, double a, double to, double dt);

// --- force ---

// Force along the fibre (1) at activation a, length l and speed v, and its derivatives.
typedef struct lb_hill_fiber {
  double f, by_a, by_l, by_v;
  double active, passive; // parts; the rest is damping
} lb_hill_fiber;
lb_hill_fiber lb_hill_fiber_at(const lb_hill* h, double a, double l, double v);

// Force of a muscle on its path, and what it depends on.
typedef struct lb_hill_force {
  double force;      // [N]
  double by_length;  // dF/dL [N/m]
  double by_rate;    // dF/dLdot [N s/m]
  double by_a, by_l; // by activation, and by the fibre's length before [N], [N/m]
  double fiber;      // l [m]
  double fiber_by_length, fiber_by_a, fiber_by_l;
  double speed;    // dl/dt [m/s]
  double residual; // of (3), over F_o
  int iterations;
} lb_hill_force;

// Force with activation a and fibre length l [m] on a path of length L that grows at Ldot. With a
// rigid tendon l does not count, and the fibre's comes out.
lb_hill_force lb_hill_force_at(const lb_hill* h, double a, double l, double L, double Ldot);

// The same without a kink where a muscle with a rigid tendon ceases to pull: over -soft to soft of
// F_o, for searches by second derivatives.
lb_hill_force lb_hill_force_soft(const lb_hill* h, double a, double l, double L, double Ldot,
                                 double soft);

// Force of a tendon of its own slack length, stretched by u [m], and its slope.
lb_curve_value lb_hill_tendon_at(const lb_hill* h, double slack, double u);
// Stretch of the tendon on a path of length L with a fibre of length l [m], and its slope by l; by
// L it is 1.
lb_curve_value lb_hill_stretch(const lb_hill* h, double L, double l);

// Active force at an activation of 1 and passive force along a stiff tendon [N], damping aside.
typedef struct lb_hill_parts {
  double active, passive;
} lb_hill_parts;
lb_hill_parts lb_hill_parts_at(const lb_hill* h, double L, double Ldot);

// Force at the end of an implicit step: the fibre's length is found from (3), with a speed of
// `pace` (l - from), for 1/pace of the step. A pace of 0 is that of an equilibrium at rest.
// There is always a solution: a root, or the shortest fibre, where (3) has none, with its residual.
// The search begins at `guess`.
lb_hill_force lb_hill_force_ahead(const lb_hill* h, double a, double from, double pace, double L,
                                  double Ldot, double guess);

// Speed dl/dt [m/s] of a fibre from (3), with derivatives by a, l and L: for explicit integrators.
typedef struct lb_fiber_speed {
  double speed, by_a, by_l, by_length;
} lb_fiber_speed;
lb_fiber_speed lb_hill_fiber_speed(const lb_hill* h, double a, double l, double L);

// Residual of (3) over F_o at a fibre of length l that grows at `speed`, with derivatives: for
// methods in which speeds are unknowns. Nothing is solved, and all forces are bounded.
typedef struct lb_fiber_balance {
  double residual, by_a, by_l, by_speed, by_length;
} lb_fiber_balance;
lb_fiber_balance lb_hill_balance(const lb_hill* h, double a, double l, double speed, double L);

// Shortest fibre [m]: pennation is then acos 0.1, and it has a hundredth of l_o at least.
double lb_hill_shortest(const lb_hill* h);

// Elastic tendons add the fibre's length to the state.
static inline bool lb_hill_has_fiber(const lb_hill* h) {
  return !h->rigid && h->slack > 0;
}
