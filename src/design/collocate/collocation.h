// Direct collocation: coordinates, velocities, muscle states, accelerations and controls at all
// nodes of a mesh are the unknowns of one nonlinear program. Dynamics are equations of inverse
// dynamics at the nodes,
//
//   (1)  r(q, v, a, x, u, lambda) = M(q) a + c(q, v) - f(q, v, x) - B u - J(q)'lambda = 0
//
// so that nothing is solved inside and first derivatives are those of inverse dynamics. States of
// muscles have
//
//   (2)  xd - h(x, u) = 0,   g(x, xd, q) = 0
//
// for activations and fibres, the latter by the equilibrium of fibre and tendon.
//
// Nodes are joined by a scheme of Lobatto's family. With the states y = (q, v, x), their slopes
// yd = (v, a, xd) and intervals of length h, each of its rows r says
//
//   (3)  sum_p A_rp y_p + h sum_p B_rp yd_p = 0        p: nodes of the interval
//
// Constraints of loops and couplings hold at mesh points with their rates, and their second rates
// vanish at all nodes, whose multipliers lambda are unknowns. Then (3) has more equations than
// unknowns; small corrections along the constraints' normals, J_0'gamma to q and J_0'mu to v at the
// end of each interval, take up what the scheme misses. J_0 is that of the guess, so that they are
// linear.
//
// Second derivatives are differences of exact first ones, along coordinates and velocities; muscles
// do not see each other, so that one difference does for all of them.
#pragma once
#include "base/arena.h"
#include "design/inverse/inverse_dynamics.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "limber/collocate.h"
#include "limber/derivative.h"
#include "math/program/nonlinear_program.h"

enum { LB_SCHEME_MOST = 3 }; // nodes of an interval, both ends included

typedef struct lb_mesh_scheme {
  int nodes, rows; // of an interval
  double at[LB_SCHEME_MOST];
  double A[LB_SCHEME_MOST - 1][LB_SCHEME_MOST], B[LB_SCHEME_MOST - 1][LB_SCHEME_MOST];
  double weight[LB_SCHEME_MOST]; // of its quadrature
} lb_mesh_scheme;

extern const lb_mesh_scheme lb_mesh_schemes[LB_SCHEME_COUNT];

// First-order state of a muscle.
typedef struct lb_muscle_state {
  int muscle;
  bool fiber; // else its activation
} lb_muscle_state;

// Numbers of a node, and rows of its equations: where each kind begins.
typedef struct lb_node_layout {
  int nv, nx, nu, nl;
  int q, v, x, a, xd, u, l, count;
  int force, state, second, rows; // at every node
  int gap, rate, all;             // at mesh points, too
} lb_node_layout;

// A goal at a node: part of the objective, equations, or bounds of the node's numbers.
typedef enum lb_goal_use { LB_GOAL_IS_COST, LB_GOAL_IS_EQUATION, LB_GOAL_IS_BOUND } lb_goal_use;
typedef struct lb_node_goal {
  const lb_scene_goal* goal;
  int node;
  lb_goal_use use;
  double weight; // of squares
  bool integral; // times the duration
  lb_anchor at;  // of a point
  int first;     // of others: first number of the node
  double value[LB_GOAL_MOST];
  int row; // first of its equations
} lb_node_goal;

// z_end[end] = sign z_begin[begin]
typedef struct lb_periodic {
  int end, begin, sign;
} lb_periodic;

// A component of a point's mean velocity, with its distance d from what it should be as a number of
// its own, which is 0 where the goal must hold:
//
//   x(last) - x(first) - (speed + d) span T = 0
typedef struct lb_mean {
  lb_node_goal place;
  int first, last, axis;
  double speed, span, weight;
  bool must;
  int row, d;
} lb_mean;

// Where entries go: places are filled while the pattern is made, values afterwards.
typedef struct lb_entries {
  int count;
  int *row, *column;
  double* value;
} lb_entries;

static inline void lb_entries_put(lb_entries* e, int row, int column, double value) {
  if (e->row) {
    e->row[e->count] = row;
    e->column[e->count] = column;
  }
  if (e->value) {
    e->value[e->count] = value;
  }
  e->count++;
}

// Scratch of a thread.
typedef struct lb_collocation_worker {
  lb_derivatives* D;
  double* J;           // [all][count]
  double *z, *to, *by; // [count] numbers of a node, and gradients
  double* column;      // [count] of a Hessian
  double *arm, *rows;  // [nv], [3 * nl * nv]
  double* must;        // [LB_GOAL_MOST][count]
  lb_motion* S;        // [nv]
  lb_motion* change;   // [nv]
} lb_collocation_worker;

// In what a search is easier than the one that is asked for (collocation_approach.c): torques act
// in place of muscles, grounds are soft.
typedef enum lb_collocation_ease {
  LB_EASE_NONE = 0,
  LB_EASE_TORQUES = 1,
  LB_EASE_GROUNDS = 2
} lb_collocation_ease;

typedef struct lb_collocating {
  lb_collocation* out;
  const lb_model* m;
  const lb_scene* scene;
  const lb_scene_collocate* set;
  const lb_mesh_scheme* scheme;
  lb_arena arena;
  lb_node_layout at;
  int nnode, intervals;
  int n, rows;  // of the program
  int slack, T; // first of the corrections, and the duration or -1
  int defect, straight, extra;
  int nstraight; // drives of activations, which are straight between mesh points
  double start;  // time of the first node [s]
  double *lower, *upper, *scale, *g_lower, *g_upper;
  double* relative;               // [nnode] time, 0 to 1
  double* quadrature;             // [nnode] likewise
  bool* mesh;                     // [nnode]
  lb_muscle_state* state;         // [nx]
  int *activation, *fiber;        // [nmuscle] numbers of a node, or -1
  int* driver;                    // [nmuscle] its control, or -1
  bool* unmoved;                  // [nv][nmuscle] of paths that a coordinate does not move
  lb_triplets pattern, curvature; // of all
  int *entry_row, *entry_column;  // of a node's Jacobian: first those of every node
  int nentry, nentry_mesh;
  int *bend_row, *bend_column; // of a node's Hessian
  int nbend;
  int* node_entry;               // [nnode + 1] first in pattern
  int* node_row;                 // [nnode] first of its rows
  double* J0;                    // [intervals][nl][nv]
  double *q_ref, *v_ref, *a_ref; // [nnode][nv] motion to follow; NULL: none
  double* q_weight;              // [nv] of coordinates, 0 of those that the motion lacks
  const lb_markers* markers;     // or NULL
  double* marker_ref;            // [nnode][nmarker][3]
  lb_anchor* marker_at;          // [nmarker]
  double* effort;                // [nu] weights
  int nheld;                     // goals at nodes
  lb_node_goal* held;
  int* held_first; // [nnode + 1] goals sorted by node
  int nperiodic;   // numbers of the last node that follow from those of the first
  lb_periodic* periodic;
  int *image, *sign; // [count] number of a node in the mirror, and its sign; sign 0: it travels
  int nmean;
  lb_mean* mean;
  lb_data** d;                   // [nnode]
  lb_command* command;           // [nnode][nmotor]
  double* excitation;            // [nnode][nmuscle]
  lb_collocation_worker* worker; // [threads]
  int threads;
  double* Z;         // [n] in SI units
  double* values;    // of a Jacobian
  double* Lambda;    // [rows]
  double* cost;      // [nnode]
  char news[160];    // of the last iteration
  const char* stage; // of the search, with a space before it
  bool free_start, stopped;
  bool warm, near; // it begins at a solution, or at the motion of one
  lb_collocation_ease ease;
  lb_progress progress;
} lb_collocating;

static inline double* lb_node_of(const lb_collocating* C, double* z, int node) {
  return z + (size_t)node * (size_t)C->at.count;
}
static inline double lb_duration_of(const lb_collocating* C, const double* z) {
  return C->T >= 0 ? z[C->T] : C->out->duration;
}

// State that a control drives, the activation of a muscle, or -1.
static inline int lb_driven(const lb_collocating* C, int control) {
  const lb_control* c = &C->out->control[control];
  const int x = c->kind == LB_CONTROL_MUSCLE ? C->activation[c->index] : -1;
  return x >= C->at.x && x < C->at.a ? x - C->at.x : -1;
}

// --- a node (collocation_node.c) ---

// Excitation of a muscle whose control is number i: that which its activation's rate needs.
double lb_excitation_of(const lb_collocating* C, const double* z, int i);

// Node's numbers into its data, with all forces; then rows r [all], as many as there are at it.
void lb_node_residual(lb_collocating* C, int node, const double* z, double time, double* r);
// Dense Jacobian, in the worker's J.
void lb_node_jacobian(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                      double time);

// --- goals (collocation_goal.c) ---

// Squared torques, activations and reserves with their weights: value, and slopes by z [count]
// unless NULL, which are added.
double lb_node_effort(const lb_collocating* C, const double* z, double* slope);
// Integrand of all nodes, and goals at moments: value, and slopes by z [count] unless NULL.
double lb_node_cost(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                    double duration, double* slope);
// Part of that which the duration multiplies.
double lb_node_integrand(lb_collocating* C, lb_collocation_worker* w, int node, const double* z);
// Goals that must hold: values less what they should be, and rows [count] of their Jacobian.
void lb_node_must(lb_collocating* C, lb_collocation_worker* w, int node, const lb_node_goal* g,
                  const double* z, double* value, double* rows);
lb_status lb_collocation_take_goals(lb_collocating* C, lb_error* err);

// --- cycles (collocation_cycle.c) ---

// Numbers of the last node that follow from the first one's.
lb_status lb_collocation_list_periodic(lb_collocating* C, lb_error* err);
// The first node's number k at the end of a cycle, where it does not travel.
static inline double lb_image_of(const lb_collocating* C, const double* z, int k) {
  return C->sign[k] * z[C->image[k]];
}

// --- mean velocities (collocation_mean.c) ---

lb_status lb_collocation_take_means(lb_collocating* C, lb_error* err);
void lb_means_residual(lb_collocating* C, double* g);
// Part of the objective, and of its gradient unless df is NULL.
double lb_means_cost(const lb_collocating* C, double* df);
void lb_means_put(lb_collocating* C, lb_entries* e, bool values);
// Its part of the Hessian; places alone where lambda is NULL.
void lb_means_bend(const lb_collocating* C, lb_entries* e, double factor, const double* lambda);
// by [count] += lambda' (slope of the equations by a node's numbers)
void lb_means_slope(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                    const double* lambda, double* by);

// --- rates of controls (collocation_rates.c), as those of means ---

int lb_rates_count(const lb_collocating* C); // of entries
double lb_rates_cost(const lb_collocating* C, double* df);
void lb_rates_bend(const lb_collocating* C, lb_entries* e, double factor);

// --- making it ---

// What neither collocation nor following step by step is for: `place` is told where nothing else is
// to blame.
lb_status lb_collocation_check_model(const lb_model* m, lb_place place, lb_error* err);

lb_status lb_collocation_lay_out(lb_collocating* C, lb_error* err);
bool lb_collocation_patterns(lb_collocating* C);
void lb_collocation_bound(lb_collocating* C);
// Muscles, motors and reserves for the coordinates at hand, by static optimisation where the motion
// is known.
lb_status lb_collocation_guess_actors(lb_collocating* C, bool known, lb_error* err);
lb_status lb_collocation_guess(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err);
// Controls of muscles at all nodes of a motion that is given (collocation_share.c).
lb_status lb_collocation_share(lb_collocating* C, lb_error* err);
void lb_collocation_add_control(lb_collocating* C, lb_control c, double effort);
// Torques in place of muscles, as controls.
lb_status lb_collocation_take_torques(lb_collocating* C, lb_error* err);
// Where nothing is known of the motion and the search is hard from there, an easier search first,
// whose motion is where C's own begins.
lb_status lb_collocation_approach(lb_collocating* C, lb_error* err);
lb_status lb_collocation_create_for(const lb_model* model, const lb_scene* scene,
                                    const lb_collocate_inputs* inputs, lb_collocation_ease ease,
                                    const lb_allocator* allocator, lb_collocation** collocation,
                                    lb_error* err);
void lb_collocation_fill_program(lb_collocating* C, lb_program* program);

// Seconds that second derivatives take at the guess, judged by those of one node.
double lb_collocation_effort_of_iteration(lb_collocating* C);

// Numbers of the program to those of nodes.
void lb_collocation_take(lb_collocating* C, const double* x);
// Largest of the equations' residuals at the numbers of nodes, those of small forces as parts of
// them; g [rows] is scratch.
double lb_collocation_off(lb_collocating* C, double* g);
// Functions of the program.
bool lb_collocation_objective(void* of, const double* x, double* f);
bool lb_collocation_gradient(void* of, const double* x, double* df);
bool lb_collocation_constraints(void* of, const double* x, double* g);
bool lb_collocation_jacobian(void* of, const double* x, double* values);
bool lb_collocation_hessian(void* of, const double* x, double factor, const double* lambda,
                            double* values);
