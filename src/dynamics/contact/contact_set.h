// Contacts of a state: the points where colliders meet, and the impulses that a step exchanges
// there. A step finds them in the pose that it begins with, builds the problem of math/contact from
// them, and has it solved in the step's own linear system, so that joints, loops, motors and
// contacts are solved together:
//
//   v = v_free + W^-1 J' lambda,   W = M + h (C + h K) with the bilateral constraints     (1)
//
// where v_free is the step without contact. W^-1 is asked for column by column, and every group of
// links that W couples gets its share of one solve: as many solves as the busiest group has rows.
#pragma once
#include "base/arena.h"
#include "dynamics/tree/state.h"
#include "geom/collide/collide.h"
#include "limber/dynamics.h"
#include "math/contact/contact_problem.h"

typedef struct lb_contacts lb_contacts;

// A point where two colliders meet, or may within the step. Vectors are in the world.
typedef struct lb_touch {
  int collider[2]; // a and b
  uint64_t id;     // of the features that touch
  int face;        // collider whose face the normal is of, as lb_manifold's
  int point[3];    // of b, where that is a surface that bends: its points there
  double share[3]; // of these, sum 1
  lb_v4 at;        // midway between the surfaces
  lb_v4 arm[2];    // to there from the origins of the links of a and b
  lb_v4 axis[3];   // normal from b to a, then two tangents
  double gap;      // along the normal [m]
  double closing;  // speed at which that closes when the step begins [m/s]
  double bounce;   // speed after an impact within the step, 0: there is none [m/s]
  double late;     // of it: what it has less for the time of the impact, a (h/2 - T) [m/s]
  double place;    // change of the gap in that step, over h [m/s]
  bool pushed;     // it is an overlap that was pushed apart
  bool sticks;     // friction holds it
  bool carried;    // its pair stuck in the step before (contact_lag.c)
  bool exact;      // its impulses are those of an exact solution
  lb_contact_surface surface;
  lb_v4 lag;     // of a over b, that the step would leave beside its velocities [m]
  lb_v4 impulse; // on a [N s]
  lb_v4 twist;   // impulse of the moment on a, of rolling and spinning friction [N m s]
  lb_v4 slip;    // velocity of a's surface over b's at the end of the step, where it bears [m/s]
  int row;       // its first row in the problem
  int nrow;
} lb_touch;

// Whether a point of the last step counts as a contact: others might have met, and did not.
static inline bool lb_touch_bears(const lb_touch* t) {
  return t->gap <= 0 || lb_v4_dot(t->impulse, t->impulse) > 0;
}

// The linear system of a step: b [nv] becomes W^-1 b, with zero for driven coordinates.
typedef struct lb_contact_system {
  void* context;
  void (*solve)(void* context, double* b);
  bool at_end; // d's poses are those of the end of the step, and its velocities are under the
               // impulses so far
} lb_contact_system;

// Contacts of a data block, or NULL where there is no memory. The model has colliders.
lb_contacts* lb_contacts_create(const lb_model* m, const lb_allocator* allocator);
void lb_contacts_release(lb_contacts* C);
// Forget what is known of earlier steps.
void lb_contacts_forget(lb_contacts* C);
// Forget where links were expected to be: something was moved by hand.
void lb_contacts_forget_places(lb_contacts* C);
// Steps that are differentiated: each is found by itself, whatever came before, and solved to
// rounding.
void lb_contacts_isolate(lb_contacts* C, bool on);
// Steps with the active sets of the last step of `of`, whose model is a little different, until
// called again; NULL: their own. For differences of steps by numbers of the model.
void lb_contacts_keep_sets(lb_contacts* C, lb_contacts* of);

// All that is kept from step to step, as so many numbers. Points that do not fit are forgotten, by
// who saves, too.
size_t lb_contacts_state_size(const lb_model* m);
void lb_contacts_save(lb_contacts* C, double* state);
void lb_contacts_load(lb_contacts* C, const double* state);

// Find the points at d's poses that may meet in a step of h; poses and velocities of origins are in
// place. Impulses are those of the step before, where it had the same points. false: there are too
// many, or no memory, which lb_contacts_complain says.
bool lb_contacts_detect(lb_contacts* C, lb_data* d, double h);
bool lb_contacts_overflow(const lb_contacts* C); // too many
// Whether ways of pairs that are far apart are followed. Then lb_contacts_struck has to be asked.
void lb_contacts_follow_ways(lb_contacts* C, bool on);
// Once it is solved, whether bodies that are struck go farther than was searched by the velocities
// `move` [nv] that places change by, or whether a way became another one: then the step is to be
// searched and solved again, from the velocities without contact. `last`: it will not be.
bool lb_contacts_struck(lb_contacts* C, lb_data* d, const double* move, double h, bool last);
bool lb_contacts_detect_again(lb_contacts* C, lb_data* d, double h);
lb_status lb_contacts_complain(const lb_contacts* C, double time, lb_error* err);

// (1) for the points that were found and for unilateral constraints: d's velocities are those
// without contact, and become those with it. `move` [nv] becomes the velocities by which places
// change in the step: the same, but for impacts, which happen within it, and overlaps, which are
// pushed apart without speed. false: there is no memory.
bool lb_contacts_solve(lb_contacts* C, lb_data* d, double h, lb_contact_system W, double* move);

// For Newton's method, in whose residual the forces of contacts act (force_contact.c): rows of the
// points that were found, at d's poses; then corrections of d's velocities by a change of impulses,
// whose size sqrt(dv'W dv) is returned. In the end, velocities by which places change.
bool lb_contacts_prepare(lb_contacts* C, lb_data* d, double h, lb_contact_system W);
double lb_contacts_correct(lb_contacts* C, lb_data* d);
void lb_contacts_place(lb_contacts* C, lb_data* d, double h, double* move);
// Whether anything bounces in a model; whether points that were found may, in a step of h: where
// nothing but gravity acts on them meanwhile, they do.
bool lb_contacts_bounce(const lb_model* m);
bool lb_contacts_may_bounce(const lb_contacts* C, double h);
// Forces of the points act with their impulses over h.
void lb_contacts_hold(lb_contacts* C, double h);

// Servos and unilateral constraints that yield, which steps solve for beside the points. When a
// step begins at d: dampers act where something is pressed in already.
void lb_contacts_begin_bounded(lb_contacts* C, lb_data* d);
// Where they are at d's poses and velocities, of the end of a stage of dt as it is known so far;
// `inner`: within a step. Forces are put on the links anew from the next lb_forces_apply on.
void lb_contacts_look(lb_contacts* C, lb_data* d, double dt, bool inner);
// Force of the i-th of them in the last step while that acts: servos, then constraints in the order
// of lb_constraint_rows_fill_compliant.
double lb_contacts_bounded_force(const lb_contacts* C, int i);
// True where a constraint that yields bears now and did not when the step began.
bool lb_contacts_press_anew(const lb_contacts* C);
// Their forces are forgotten, as after a solve that went astray.
void lb_contacts_restart_bounded(lb_contacts* C, lb_data* d);

// Multipliers of unilateral constraints after lb_contacts_solve, one a constraint of LB_SET_STEP,
// zero for others.
void lb_contacts_multipliers(const lb_contacts* C, double* lambda);

// Forces of the last step act no longer: a step begins.
void lb_contacts_begin(lb_contacts* C);
// Duration of the last step while its forces act, else 0 [s].
double lb_contacts_duration(const lb_contacts* C);
// Points of the last step, and the report of its solver.
int lb_contacts_points(const lb_contacts* C, const lb_touch** touch);
lb_contact_report lb_contacts_report(const lb_contacts* C);
// The link that has a velocity.
int lb_contacts_link_of(const lb_model* m, int v);
