// What the two files of the KKT system share: the front and the record of eliminations (kkt.c), and
// how their order is found (kkt_order.c).
#pragma once
#include "dynamics/constraint/kkt.h"
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

// One operation of a factorisation: a link or row enters the front, or is eliminated from it.
typedef struct lb_kkt_op {
  lb_kkt_kind kind;
  int id;          // link, or number of a row
  int slot;        // in the front
  int first;       // of its neighbours at that time: links, its parent first, then rows
  int nlink, nrow; // how many
  size_t panel;    // s of (4), a motion for each link, then a number for each row, times nv
  int ends[2];     // of a row that enters: slots of its links, or -1
} lb_kkt_op;

// A row as (1) has it: what a unit multiplier exerts.
typedef struct lb_kkt_row {
  bool present;        // among the equations
  bool unilateral;     // else it is one of those
  bool scheduled;      // the order has it
  bool redundant;      // found to be so with this order
  bool void_row;       // no coordinate moves it, wherever things are
  int coupling;        // whose terms on coordinates it has, or -1
  int place;           // among d's rows, or -1: it is a spring ...
  double compliance;   // ... of this compliance, ...
  double wish;         // ... and its part of c
  int link[2];         // LB_WORLD: none
  lb_motion force[2];  // about the link's origin
  double size;         // of these
  lb_motion moved[2];  // the same at the first origin of the link's tree
  double sign;         // of its terms on coordinates
  bool velocity_level; // it is not damped
} lb_kkt_row;

// Terms of couplings on a link's coordinates, and rows that act on it.
typedef struct lb_kkt_term {
  int row, term;
} lb_kkt_term;

// Unilateral rows: their Schur complement.
typedef struct lb_kkt_unilateral {
  int most;
  int* row;     // [most] which they are
  double* S;    // [most][most]
  double* part; // [most][most] scratch
  double* b;    // [most]
  double* mu;   // [most]
  double* work; // [4 * most]
  int* pivot;   // [2 * most]
  bool* always; // [most] true
  double* y;    // [nv]
} lb_kkt_unilateral;

typedef struct lb_kkt_front {
  int links, rows; // slots there are
  lb_block6* LL;   // [links][links]
  lb_motion* LR;   // [links][rows]
  double* RR;      // [rows][rows]
  double* gross;   // [rows] diagonal of RR without what other rows took away
} lb_kkt_front;

struct lb_kkt {
  const lb_model* m;
  lb_arena arena;
  int nrow;             // most, those of springs last
  int nconstraint;      // without them
  lb_kkt_row* row;      // [nrow]
  int* term_first;      // [nlink + 1] of `term`
  lb_kkt_term* term;    // by link
  int *act_first, *act; // [nlink + 1] rows that act on each link or its coordinates, by number
  int* root;            // [nlink] first link of its tree
  int* slot;            // [nlink] in the front, or -1
  lb_kkt_front F;
  lb_kkt_unilateral uni;
  int count;         // rows that d had
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
  lb_motion* S;    // [ncolumn] directions of the coordinates, at their tree's first origin
  double* inverse; // [nv][LB_JOINT_MOST_V] D^-1 of each joint
  double* pivot;   // [nrow] of eliminated rows; 0: it was left out
  lb_motion* P;    // [nlink + 1] right-hand sides of links, then their velocities
  double* z;       // [nrow] of rows
  lb_kkt_terms terms;
  struct lb_kkt_order* order; // scratch
};

// Take an operation; false: a pivot is too small for this order, or W is not definite.
bool lb_kkt_take(lb_kkt* K, lb_data* d, const lb_kkt_op* op);

// Read the rows of d's constraints; false: the order lacks some of them.
bool lb_kkt_read(lb_kkt* K, const lb_data* d);

// Find an order for the rows that are present where d is, and factor on the way; false: W is not
// positive definite, or there is no room.
bool lb_kkt_order_find(lb_kkt* K, lb_data* d);

static inline double lb_motion_part(const lb_motion* a, int c) {
  return c < 3 ? a->w[c] : a->v[c - 3];
}
