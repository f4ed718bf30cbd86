// Inside of the KKT system: the front and the record of eliminations (kkt_front.c), how their order
// is found (kkt_order.c), and joints given by constraints (kkt_span.c).
#pragma once
#include "dynamics/system/kkt.h"
#include "limber/dynamics.h"

// A 6 x 6 block V_k'Q V_l: a[c] is Q's row c, the force on l for component c of V_k.
typedef struct lb_block6 {
  lb_motion a[6];
} lb_block6;

typedef enum lb_kkt_kind {
  LB_KKT_ENTER_LINK,
  LB_KKT_ENTER_ROW,
  LB_KKT_LINK,
  LB_KKT_ROW
} lb_kkt_kind;

// One operation of a factorisation: a link or constraint enters the front, or is eliminated from
// it.
typedef struct lb_kkt_op {
  lb_kkt_kind kind;
  int id;          // link, or number of a constraint
  int slot;        // in the front
  int first;       // of its neighbours at that time: links, its parent first, then constraints
  int nlink, nrow; // numbers of neighbours
  size_t panel;    // s of (4), a motion for each link, then a number for each constraint, times nv
  int ends[2];     // of a constraint that enters: slots of its links, or -1
} lb_kkt_op;

// A link as elimination sees it: on its own joint, or on one given by constraints (kkt_span.c).
typedef struct lb_kkt_link {
  int parent;   // or LB_WORLD
  int root;     // the first link of its tree
  int nv;       // unknowns of its joint; 0: it is driven
  int loop;     // joint given by constraints, or -1: it has its own
  int rows;     // of that joint
  int springs;  // of that joint
  lb_v4 r;      // from its parent's origin to its own
  lb_v4 at;     // from its root's
  lb_v4 centre; // of the joint given by constraints, in the world
  lb_m3 R;      // its axes
} lb_kkt_link;

// A rigid inertia about a link's origin.
typedef struct lb_kkt_inertia {
  lb_m3 I;
  lb_v4 h; // first moment
  double m;
} lb_kkt_inertia;

// A spring of a spanned link's joint.
typedef struct lb_kkt_spring {
  lb_motion force;  // of a unit, on the link, at the root's origin
  double stiffness; // 1 / compliance
  double wish;
} lb_kkt_spring;

// Links on joints given by constraints.
typedef struct lb_kkt_span {
  int count;             // of them; 0: the rest is not there
  int *link, *parent;    // [nloop] the link that a joint holds, or -1, and to what
  int *row, *place;      // [nlink][6] constraints of its joint, by number; among d's
  lb_motion* B;          // [nlink][6] wrenches of unit multipliers, at the root's origin
  lb_motion* G;          // [nlink][6] motions by a unit of their right-hand side, there
  lb_motion* S;          // [ncolumn] directions that these joints leave, at their links' origins
  lb_kkt_inertia* I;     // [nlink]
  lb_kkt_spring* spring; // [nlink][3]
  lb_motion *V, *F;      // [nlink] a motion that agrees with these constraints; forces
} lb_kkt_span;

// A constraint as (1) has it: what a unit multiplier exerts.
typedef struct lb_kkt_row {
  bool present;        // among the equations
  int span;            // the link whose joint it is part of, or -1
  bool unilateral;     // else it is one of those
  bool scheduled;      // the order has it
  bool redundant;      // found to be so with this order
  bool void_row;       // no coordinate moves it, wherever things are
  int coupling;        // coupling whose terms it has, or -1
  int place;           // among d's, or -1: it is a spring
  double compliance;   // compliance of a spring
  double wish;         // its part of c
  int link[2];         // LB_WORLD: none
  lb_motion force[2];  // about the link's origin; once factored, the root's
  double size;         // of these
  double sign;         // of its terms on coordinates
  bool velocity_level; // it is not damped
} lb_kkt_row;

// Terms of couplings on a link's coordinates, and constraints that act on it.
typedef struct lb_kkt_term {
  int row, term;
} lb_kkt_term;

// Constraints and terms on each link, by first and count.
typedef struct lb_kkt_acting {
  int* term_first;      // [nlink + 1] of `term`
  lb_kkt_term* term;    // on its coordinates
  int *act_first, *act; // [nlink + 1] constraints on it or on its coordinates, by number
} lb_kkt_acting;

// Unilateral constraints: their Schur complement.
typedef struct lb_kkt_unilateral {
  int most;
  int* row;     // [most] their rows
  double* S;    // [most][most]
  double* part; // [most][most] scratch
  double* b;    // [most]
  double* mu;   // [most]
  double* work; // [4 * most]
  int* pivot;   // [2 * most]
  bool* always; // [most] true
  double* y;    // [nv]
} lb_kkt_unilateral;

// Downdates of links' blocks that are still to be taken: several at a time cost little more than
// one, since a front of many links does not fit into the nearest memory.
enum { LB_KKT_DEFERRED = 16 };
typedef struct lb_kkt_deferred {
  bool allowed;     // else all are taken at once
  int count;        // of them, at most LB_KKT_DEFERRED
  int listed;       // slots with deferred downdates
  int *list, *at;   // [links] these slots, and their places in the list, or -1
  lb_motion *s, *y; // [links][LB_KKT_DEFERRED] s of (4) and -D^-1 s, by slot
} lb_kkt_deferred;

typedef struct lb_kkt_front {
  int links, rows; // slots there are
  lb_block6* LL;   // [links][links], k <= l: the others are their transposes
  lb_motion* LR;   // [rows][links]
  double* RR;      // [rows][rows]
  double* gross;   // [rows] diagonal of RR without what other constraints took away
  lb_motion* y;    // [links] scratch
  lb_kkt_deferred later;
} lb_kkt_front;

struct lb_kkt {
  const lb_model* m;
  lb_arena arena;
  int nrow;             // most, those of springs last
  int nconstraint;      // without them
  int* number;          // [nrow] of d's, by place
  int nlisted, *listed; // [nrow] present ones by number, but for those of spanned links
  lb_kkt_row* row;      // [nrow]
  lb_kkt_acting on;     // links
  double* slope;        // [nterm] of couplings' terms
  lb_kkt_link* link;    // [nlink]
  int* sequence;        // [nlink] parents before their children
  lb_kkt_span span;
  int* slot; // [nlink] in the front, or -1
  lb_kkt_front F;
  lb_kkt_unilateral uni;
  int count;         // constraints that d had
  double compliance; // C of those that are damped
  // the order
  int nop, most_op;
  lb_kkt_op* op; // [most_op]
  int nnear, most_near;
  int *near_slot, *near_id; // [most_near]
  size_t npanel, most_panel;
  double* panel; // [most_panel], aligned
  bool weak;     // a pivot is small
  bool overflow; // there was no room for an order
  bool ordered;  // there is one, and it is good for other poses
  // numbers
  lb_motion* S;     // [ncolumn] directions of the coordinates, at their tree's first origin
  double* inverse;  // [nv][LB_JOINT_MOST_V] D^-1 of each joint
  double* pivot;    // [nrow] of eliminated constraints; 0: it was left out
  lb_motion* P;     // [nlink + 1] right-hand sides of links, then their velocities
  double* z;        // [nrow] of constraints
  bool homogeneous; // nothing is asked of constraints and springs
  lb_kkt_terms terms;
  struct lb_kkt_order* order; // scratch
};

// A factor that is kept until its matrix changes.
typedef enum lb_kkt_kept { LB_KKT_STALE, LB_KKT_MADE, LB_KKT_FAILED } lb_kkt_kept;

typedef struct lb_kkt_order {
  int* children;         // [nlink] not yet eliminated
  int* growth;           // [nlink] rows_growth, unless stale
  bool* stale;           // [nlink] growth is to be found again
  bool* gone;            // [nlink]
  int* link_in;          // [F.links] link in each slot, or -1
  int* row_in;           // [F.rows]
  int* row_slot;         // [nrow] or -1
  int* pending;          // [nrow] its terms on links that are still there
  double* size;          // [nrow] square of its forces at first
  bool *LL, *LR, *RR;    // blocks of the front that exist
  bool* was_active;      // [F.rows] its pivot changed
  double* factor;        // [F.links][36] Cholesky factors of links' blocks
  lb_kkt_kept* factored; // [F.links] of these
} lb_kkt_order;

// Take an operation; false: a pivot is too small for this order, or W is not definite.
bool lb_kkt_take(lb_kkt* K, lb_data* d, const lb_kkt_op* op);

// Read d's constraints; false: the order lacks some of them.
bool lb_kkt_read(lb_kkt* K, lb_data* d);

// Begin with an empty front: what acts on what, and constraints that no coordinate feels.
void lb_kkt_order_begin(lb_kkt* K, const lb_data* d);

// Find an order for the constraints that are present where d is, and factor on the way; false: W is
// not positive definite, or there is no room.
bool lb_kkt_order_find(lb_kkt* K, lb_data* d);

// --- the spanning tree (kkt_span.c) ---

// Find it, once, or have each link on its own joint; false: there is no memory.
bool lb_kkt_span_create(lb_kkt* K, const lb_data* d, bool spans);
// The link whose joint a constraint is part of, or -1.
int lb_kkt_span_list(lb_kkt* K, const lb_constraint_row* row);
// Joints given by constraints at d, once these are read; false: they leave other
// unknowns.
bool lb_kkt_span_read(lb_kkt* K, const lb_data* d);
// Springs of a spanned link's joint, as part of D [nv][MOST].
void lb_kkt_span_stiffen(const lb_kkt* K, int link, double* D);
// Right-hand sides b and z to those of the tree, before solving; and its solution to that of (1).
void lb_kkt_span_begin(lb_kkt* K, double* b);
void lb_kkt_span_end(lb_kkt* K, double* b);
// Forces of its constraints, by d's order, on P.
void lb_kkt_span_push(lb_kkt* K, const double* mu, double scale);
// out += what a force P at the root's origin is on a spanned link's coordinates.
void lb_kkt_span_gather(const lb_kkt* K, int link, double* out);

// --- blocks ---

static inline void lb_add_scaled(lb_motion* to, double s, lb_motion a) {
  to->w += a.w * s;
  to->v += a.v * s;
}

// Q'S: the force on l for a motion S of k.
static inline lb_motion lb_block_apply(const lb_block6* Q, lb_motion S) {
  lb_motion out = lb_motion_zero();
  for (int c = 0; c < 3; c++) {
    lb_add_scaled(&out, S.w[c], Q->a[c]);
    lb_add_scaled(&out, S.v[c], Q->a[3 + c]);
  }
  return out;
}

static inline double lb_motion_part(const lb_motion* a, int c) {
  return c < 3 ? a->w[c] : a->v[c - 3];
}
