// Inside of contacts: contact_detect.c finds points, contact_rows.c builds the problem,
// contact_solve.c solves it.
#pragma once
#include <stdatomic.h>

#include "dynamics/contact/contact_set.h"
#include "geom/collide/broad.h"

enum {
  LB_TOUCH_ROWS = 6,         // of a point
  LB_FREE_WIDTH = 8,         // velocities of a free body, padded
  LB_TOUCH_MANIFOLDS = 1024, // of a pair
  LB_TOUCH_CHUNK = 64        // points that one thread takes at a time
};

// Distance at which points are looked for where nothing moves, over the collider's size.
#define LB_TOUCH_FLAT 1e-3

// Numbers of a free body's row, or its velocities, as they lie in the problem.
typedef struct lb_free_row {
  lb_v4 turn, move;
} lb_free_row;

// Scales of a free body's velocities, B of contact_group.c.
typedef struct lb_free_scale {
  lb_m3 K, inverse; // K'K is the inertia about the centre of mass
  lb_v4 c;          // centre of mass
  double m, over;   // root of the mass, and 1 over it
} lb_free_scale;

// false: the mass matrix is not positive.
bool lb_free_scale_make(const lb_link* l, lb_free_scale* s);
// B^-T J of a row.
static inline lb_free_row lb_free_scale_row(const lb_free_scale* s, lb_v4 turn, lb_v4 move) {
  const lb_v4 about = turn - lb_v4_cross(s->c, move);
  return (lb_free_row){lb_m3_apply_transposed(s->inverse, about), move * s->over};
}

// A collider at a pose.
typedef struct lb_collider_state {
  lb_placed at;
  lb_bounds bounds; // of where it may be in the step
  lb_v4 v, w;       // velocity of its origin, and its turning
  double speed;     // bound on that of its points
  double more;      // that it turned out to be faster by (contact_motion.c)
  double radius;    // of a ball about its origin
  int link;         // the link that moves it, or LB_WORLD
  int group;        // that it moves with, or -1
  bool convex;      // rigid, and convex: a pair of such has one manifold at most
  double size;      // as the model's, and these
  int family;
  lb_contact_surface material;
  lb_v4 origin;                     // of that link
  struct lb_surface_state* surface; // that bends (contact_surface.h); NULL: it is rigid
} lb_collider_state;

// Two colliders that may meet, with what is kept of them from step to step.
typedef struct lb_collider_pair {
  int a, b; // a < b
  lb_pair_cache cache;
  double time;        // at which they meet, where the points are of then; else 0 [s]
  int left_out, held; // they do not meet in the step; they are taken as they are found
} lb_collider_pair;

// A group of links that W couples: a free rigid body alone, or a mechanism, with the ropes and
// deformables on it. Of these, the particles that contacts act on have velocities in the problem;
// others follow in the end.
// Those of a free body are scaled such that W is one and Z is J (contact_group.c).
typedef struct lb_contact_group {
  int nv, width;        // velocities, and with padding
  int nlinked, most;    // those of its links, which come first; and with all its particles
  int* v;               // [most]
  int link;             // of a free rigid body, or -1
  int start;            // of the velocities of such a body, which are in one piece
  lb_free_scale* scale; // of such a body; bodies that are alike share one
  int number;           // in the problem, or -1: it has no row
  int first;            // of the entries of a mechanism, or -1
} lb_contact_group;

// Numbers of a row in a mechanism, of which Z has to be solved for.
typedef struct lb_contact_entry {
  int at;   // in J and Z
  int next; // of the same group, or -1
} lb_contact_entry;

// A servo, or a unilateral constraint that yields: its row in the problem, and its torque or force
// in the last step.
typedef struct lb_bounded_row {
  int servo, constraint; // its number; -1: it is the other one
  int row;               // -1: nothing feels it
  double gap;            // (3) of contact_constraints.c
  double asked;          // rate that it asks for
  bool damped;           // its damper acts in this step
  double force;
} lb_bounded_row;

// Arrays that grow with what is found.
typedef struct lb_contact_room {
  int pairs, touches, rows, entries, numbers;
} lb_contact_room;

// Broad phase of the colliders' bounds.
typedef struct lb_contact_near {
  lb_broad* broad;
  bool* left;          // [ncollider] those that are to be moved in it
  bool placed;         // colliders are in it
  bool follows;        // ways of what is far apart are followed (contact_motion.c)
  bool again;          // this step was searched before
  atomic_int followed; // pairs that another way was found for
  bool crowded;        // more of them are near each other than may be
} lb_contact_near;

// Pairs of this step and of the one before.
typedef struct lb_contact_pairs {
  int count, nlast;
  lb_collider_pair *item, *last; // [room.pairs]
  int* npoint;                   // [room.pairs] of convex colliders, else -1
  int* first;                    // [room.pairs] of their points
  lb_manifold* found;            // [room.pairs] of convex colliders that have points, in the order
                                 // of pairs from the first one of each chunk on
} lb_contact_pairs;

// Rows beside those of points: unilateral constraints, servos.
typedef struct lb_contact_beside {
  int most;                // that there may be
  int nexact, *exact;      // [rows of constraints] rows of exact ones in the problem, or -1
  lb_bounded_row* bounded; // [lb_bounded_rows] servos, then constraints that yield
  bool inner;              // the stage that is solved for is within a step
  double* far;             // [most] b of rows before it was cut, or NAN
} lb_contact_beside;

// Numbers of mechanisms, of which Z is solved for.
typedef struct lb_contact_entries {
  int count;
  lb_contact_entry* item; // [room.entries]
  int* next;              // [ngroup] those that are solved for
} lb_contact_entries;

// Groups that a point acts on, the second -1 where it is the first.
typedef struct lb_touch_sides {
  int group[2];
} lb_touch_sides;

// Rows and numbers of some points: how many, and then which is the first.
typedef struct lb_contact_count {
  int rows, numbers;
} lb_contact_count;

// Where rows and numbers of points go.
typedef struct lb_contact_lay {
  int* group;              // [ncollider] that each moves with, or -1
  lb_touch_sides* sides;   // [room.touches]
  lb_contact_count* count; // [chunks of touches + 1]
  int* at;                 // [room.touches] numbers of free bodies in J
} lb_contact_lay;

// What places are mended for.
typedef struct lb_contact_places {
  bool* sunk;    // [room.touches] points that bounce, or overlap by too much
  bool* deep;    // [room.touches] islands with such points
  double* asked; // [room.rows] b of the rows before places are asked for
  bool twice;    // these were another problem: `lambda` are its impulses
  bool chosen;   // the rows ask for places
} lb_contact_places;

// Work of the impulses of an island (contact_energy.c).
typedef struct lb_impact_work {
  bool bounces, grows; // a point of it bounces; Newton's impulses add energy
  double sum, size;    // work of these, and the sum of its parts' sizes
  double a, b, c;      // of a share s of them: a s^2 + b s + c
  double share;
} lb_impact_work;

// Impacts that are held back for their energy.
typedef struct lb_contact_impacts {
  bool* point;          // [room.touches] points that bounce
  bool held;            // some are, in this step
  lb_impact_work* work; // [room.touches + beside.most] of islands
  double *lambda, *u;   // [room.rows], [padded velocities] impulses by Newton's law
  double* share;        // [ngroup]
} lb_contact_impacts;

// Where a link is beside its velocities (contact_lag.c).
typedef struct lb_link_lag {
  bool carries;  // things may stick to it, and it is no free body
  bool expected; // something does, and its end of the step is known
  lb_v4 centre;  // of mass, in its axes
  lb_v4 p;       // place of that when the step begins, and its axes
  lb_m3 R;
  lb_v4 place; // the same at the end, by the velocities of rows
  lb_m3 turned;
  lb_v4 move, turn; // D and T
  lb_motion before; // velocities when the step begins, of the centre
  lb_motion motion; // by the velocities of a step, of the origin
} lb_link_lag;

typedef struct lb_contact_lags {
  bool carriers;     // there are some
  double h;          // duration of the step whose end is expected, 0: none
  lb_link_lag* link; // [nlink], and link[-1] is the world
} lb_contact_lags;

// Active sets of another step (contact_sets.c).
typedef struct lb_contact_sets {
  struct lb_contacts* of; // whose sets these are; NULL: its own
  int* same;              // [room.touches] the same point there, or -1
  bool kept;              // all that bears there is here
} lb_contact_sets;

struct lb_contacts {
  const lb_model* m;
  lb_arena arena; // of what never changes its size
  lb_arena scratch;
  lb_contact_room room;
  lb_collider_state* collider; // [ncollider]
  lb_contact_near near;
  int ngroup, nvelocity, widest; // groups, all their padded velocities, the most of one
  lb_contact_group* group;       // [ngroup]
  int* group_of;                 // [nlink + ropes + deformables]
  int* column;                   // [nfree] place of a free particle in its group, or -1
  lb_contact_pairs pairs;
  int ntouch, nlast;      // points of this step and of the one before
  lb_touch *touch, *last; // [room.touches]
  // the problem
  lb_contact_problem problem;
  lb_contact_lay lay;
  lb_contact_row* row; // [room.rows]
  int* direction;      // [room.rows] of their forces
  int* block;          // [room.touches + beside.most + 1]
  lb_contact_places places;
  lb_contact_impacts impacts;
  lb_contact_sets sets;
  double *lambda, *before; // [room.rows] impulses, and those of the solve before
  unsigned char* marks;    // [room.touches + beside.most] of lb_contact_mark
  bool isolated;           // lb_contacts_isolate
  double *J, *Z;           // [room.numbers], aligned
  lb_contact_beside beside;
  lb_contact_entries entries;
  int* velocity;   // [ngroup + 1]
  int* used;       // [ngroup] groups in the problem
  double *u0, *u;  // [padded velocities], aligned
  double* full;    // [LB_TOUCH_ROWS][nv] rows of J
  double* right;   // [nv]
  lb_motion* bias; // [nlink], and bias[-1] is the world's
  bool biased;     // some are not zero
  bool belts;      // some colliders have one
  struct lb_contact_solver* solver;
  lb_contact_lags lags;
  lb_contact_report report;
  lb_contact_system system; // of the problem
  double duration;          // of the step whose forces act, or 0
  lb_manifold manifold[LB_TOUCH_MANIFOLDS];
};

// Room for more pairs or points, and for rows of points with their numbers; false: there is none.
bool lb_contacts_reserve_pairs(lb_contacts* C, int more);
bool lb_contacts_reserve_touches(lb_contacts* C, int more);
bool lb_contacts_reserve_rows(lb_contacts* C, int rows, int numbers);
bool lb_contacts_reserve_solver(lb_contacts* C, int threads);

// Rows, J and Z of the points that were found and of unilateral constraints, and u0 from d's
// velocities; false: there is no memory.
bool lb_contacts_build(lb_contacts* C, lb_data* d, lb_contact_system W, double h);
// Rows of exact unilateral constraints, behind those of points (contact_constraints.c).
void lb_contacts_add_constraints(lb_contacts* C, lb_data* d, double h);
// Rows of servos and of unilateral constraints that yield; what they ask for, after
// lb_contacts_look; their forces once it is solved.
void lb_contacts_add_bounded(lb_contacts* C, lb_data* d, double h);
void lb_contacts_ask_bounded(lb_contacts* C, double h);
void lb_contacts_keep_bounded(lb_contacts* C, lb_data* d);
// Cut what rows beside those of points ask for where it is far out of reach, as of a stop that is
// far away and of a servo that is far behind: the solver's tolerance is over the largest number.
// After solving, true where a row came into reach nevertheless: nothing is cut then.
void lb_contacts_cut_far(lb_contacts* C);
bool lb_contacts_cut_too_much(lb_contacts* C);
// Forces of servos and constraints that yield are zero.
void lb_contacts_drop_bounded(lb_contacts* C);

// Ways within the step (contact_motion.c). Manifolds `out` [n] of a pair, whose points may become
// others: none where it does not meet in the step. How many are left.
int lb_contacts_follow(lb_contacts* C, lb_collider_pair* p, double h, lb_manifold* out, int n);
// A point of a pair that meets at a time of a step of h: arms, gap and closing speed.
void lb_contacts_set_later(const lb_contacts* C, lb_touch* t, double time, double h);

// Lags of what sticks (contact_lag.c): room for them; those of links when a step begins; of the
// points of a pair; the end of a step by the velocities that places change by. After solving,
// whether a point sticks.
bool lb_contacts_take_lags(lb_contacts* C);
void lb_contacts_find_lags(lb_contacts* C, const lb_data* d, double h);
void lb_contacts_set_lags(const lb_contacts* C, int first, int after, double h);
void lb_contacts_expect(lb_contacts* C, const lb_data* d, const double* v, double h);
bool lb_touch_sticks(const lb_contacts* C, const lb_touch* t);

// Whether two colliders may meet, of these contacts.
bool lb_contacts_may_meet(const void* contacts, int i, int j);

// Active sets of another step, where there is one to keep to (contact_sets.c): find its points once
// all are detected; the point that says whether one is closed, bounces or is pushed, itself or the
// same one there; impulses and velocities of velocities, or of places. false: it cannot be kept.
void lb_contacts_match(lb_contacts* C);
const lb_touch* lb_contacts_as(const lb_contacts* C, const lb_touch* t);
bool lb_contacts_solve_kept(lb_contacts* C, bool places);

// Axes of a point from its normal (contact_axes.c); their changes with it.
void lb_touch_set_axes(lb_touch* t, lb_v4 n);
void lb_touch_axes_slopes(lb_v4 n, lb_v4 dn, lb_v4* t1, lb_v4* t2);
// The end of the last step's points of the same pair, whose first is `from`.
int lb_contacts_last_of(const lb_contacts* C, const lb_touch* t, int* from);

// u0 from d's velocities, and what impulses make of them taken away.
void lb_contacts_gather(lb_contacts* C, const lb_data* d);
void lb_contacts_take_away(lb_contacts* C);

// Velocities of a group in the problem, u, out of those of all links [nv], v; and back into their
// place, or added there. The same of forces r that act on u, as rows and adjoints are.
void lb_group_gather(const lb_contact_group* g, const double* v, double* u);
void lb_group_spread(const lb_contact_group* g, const double* u, double* v);
void lb_group_add(const lb_contact_group* g, const double* u, double* v);
void lb_group_gather_forces(const lb_contact_group* g, const double* f, double* r);
void lb_group_add_forces(const lb_contact_group* g, double by, const double* r, double* f);

// Call work for all points that were found, on as many threads as pay.
typedef struct lb_touch_work {
  lb_contacts* C;
  const lb_data* d;
  double h;
  const int* islands; // of blocks, or NULL
  bool asks;          // rows ask for velocities as soon as they are there
  void (*work)(const struct lb_touch_work* by, lb_touch* t);
} lb_touch_work;
void lb_contacts_each(const lb_touch_work* by);
// What the rows of a point ask for, (1) to (4) of contact_solve.c.
void lb_contacts_ask(const lb_touch_work* by, lb_touch* t);
// Island of each block of the problem, or NULL: they are one.
const int* lb_contacts_islands(const lb_contacts* C);
// What a point's normal row asks for where it does not bounce, beside velocities.
double lb_contacts_asked_at_rest(const lb_contacts* C, const lb_touch* t, double h);
// Impulses and velocities of a step whose impacts add no energy, from those that Newton's law has;
// `solve` solves the problem again where only b is another.
void lb_contacts_keep_energy(lb_contacts* C, const lb_data* d, double h,
                             lb_contact_report (*solve)(lb_contacts*, const lb_data*));
// Change of a point's gap in a step in which it bounces, over h: less far where that is held back.
double lb_contacts_held_place(const lb_contacts* C, const lb_touch* t, double h);
// Call work for the groups of the problem, on as many threads as pay.
typedef struct lb_group_work {
  lb_contacts* C;
  double* v; // [nv]
  void (*work)(const struct lb_group_work* by, int group);
} lb_group_work;
void lb_contacts_each_group(const lb_group_work* by, int threads);

// Room for a row's numbers of a group, all zero: their place in J. Those of a mechanism are listed
// for Z to be solved for.
int lb_contacts_take_entry(lb_contacts* C, int row, int side, int group);
void lb_contacts_list_entry(lb_contacts* C, int group, int at);
// Derivatives of what a point's normal row asks for, by its gap, by the speed at which that closes
// when the step begins, and by the same without contact: of velocities, or of places.
typedef struct lb_asked_slopes {
  double gap, closing, free;
} lb_asked_slopes;
lb_asked_slopes lb_contacts_asked_slopes(const lb_contacts* C, const lb_touch* t, double h,
                                         double free, bool places);
// The problem of velocities, or that of places, with its impulses.
const double* lb_contacts_choose(lb_contacts* C, bool places);
