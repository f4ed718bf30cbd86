// Dependent coordinates and velocities of a start, which follow from constraints. Both are chosen
// once, at the start as the scene has it, by elimination: rows and columns in pairs, the largest
// first.
//
// What parameters name does not follow. What they name for its velocity alone stays where it is
// where others can follow, and what they name for its place alone keeps its velocity: so the place
// of one joint may be given and the velocity of another, in a linkage with one freedom. What
// `initial` names follows where nothing else can, as when a simulation starts.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"

static const double REDUNDANT = 1e-9; // pivots below this part of the largest say nothing new
static const double FEELS = 1e-6;     // and below this, bodies rather bend

// Rank of a coordinate or velocity, by numbers and the scene; the lowest follow first: of those
// that the scene names, from this level on, the last ones in the file.
enum { UNNAMED, NAMED_FOR_THE_OTHER, NAMED_BY_THE_SCENE, NAMED = INT_MAX };

typedef struct choice {
  lb_optimizing* o;
  const lb_model* m; // the tree
  int rows, nv;
  const lb_constraint_rows* of;
  double* J;    // [rows][nv] remainder of J
  bool* done;   // [rows] constraints that are used, or do not count now
  int* level;   // [nv]
  int levels;   // levels below NAMED
  bool* bends;  // [nv] those of elastic bodies, which follow where no others can: a scene has
                // them start straight
  double first; // the largest pivot so far
  bool rates;   // it is about velocities
  lb_following* to;
} choice;

// --- elimination ---

// The largest number left in columns of a level, of bodies that bend or without them. With all
// their nodes they start straight.
static double largest(const choice* c, int of, bool bending, int* row, int* column) {
  const bool straight = lb_model_interface(c->o->model) != NULL;
  double most = 0;
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < c->nv && !c->done[i]; k++) {
      const double x = fabs(c->J[i * c->nv + k]);
      if (c->level[k] == of && (!c->bends[k] || (bending && !straight)) && x > most) {
        most = x;
        *row = i;
        *column = k;
      }
    }
  }
  return most;
}

static void eliminate(choice* c, int row, int column) {
  const double* from = c->J + (size_t)row * (size_t)c->nv;
  for (int i = 0; i < c->rows; i++) {
    double* to = c->J + (size_t)i * (size_t)c->nv;
    if (i != row) {
      lb_add(c->nv, to, -to[column] / from[column], from);
    }
  }
}

// Have constraints that count obeyed by columns of a level, as far as they can.
static void take(choice* c, int of, bool bending) {
  for (;;) {
    int row = 0, column = 0;
    const double x = largest(c, of, bending, &row, &column);
    c->first = fmax(c->first, x);
    if (!(x > (bending ? REDUNDANT : FEELS) * c->first)) {
      return;
    }
    c->to->row[c->to->count] = row;
    c->to->column[c->to->count++] = column;
    eliminate(c, row, column);
    c->done[row] = true;
  }
}

// --- what is named ---

static void name(const choice* c, int first, int count, int as) {
  for (int k = first; k < first + count; k++) {
    c->level[k] = c->level[k] > as ? c->level[k] : as;
  }
}

// A free body whose place or orientation is given has both; of its velocities each counts alone.
static void name_block(const choice* c, const lb_block* b) {
  const bool body = b->p->owner == LB_OWNER_BODY;
  const bool said = b->type->rate == c->rates;
  if (!b->type->starts) {
    return;
  }
  if (body) {
    const int turn = b->type == &lb_parameter_body_rate ? 3 : 0;
    name(c, b->v, LB_JOINT_MOST_V, said && !c->rates ? NAMED : NAMED_FOR_THE_OTHER);
    name(c, b->v + turn, 3, said ? NAMED : NAMED_FOR_THE_OTHER);
  } else {
    for (int k = 0; k < b->count; k++) { // what motors say follows them
      const int as = said ? NAMED : NAMED_FOR_THE_OTHER;
      name(c, b->v + k, 1, lb_block_is_prescribed(c->o, b, k) ? UNNAMED : as);
    }
  }
}

static void name_by_scene(choice* c) {
  const lb_model* m = c->m;
  const int* named = c->rates ? m->start.v_named : m->start.q_named;
  int last = 0;
  for (int k = 0; k < c->nv; k++) {
    last = named[k] > last ? named[k] : last;
  }
  for (int k = 0; k < c->nv; k++) {
    name(c, k, named[k] > 0, NAMED_BY_THE_SCENE + last - named[k]);
  }
  c->levels = NAMED_BY_THE_SCENE + last;
}

// --- complaints ---

static lb_status complain(const choice* c, int column, lb_error* err) {
  for (int i = 0; i < c->o->nblock; i++) {
    const lb_block* b = &c->o->block[i];
    const int n = b->p->owner == LB_OWNER_BODY ? LB_JOINT_MOST_V : b->count;
    if (b->type->starts && b->type->rate == c->rates && column >= b->v && column < b->v + n) {
      return lb_error_add(err, LB_INVALID, b->p->place,
                          "parameter '%s': loops and constraints already say how it starts, given "
                          "the other parameters (take one away)",
                          b->p->name);
    }
  }
  return LB_FAILED;
}

// Constraints that only named coordinates could satisfy are refused.
static lb_status check(const choice* c, lb_error* err) {
  int row = 0, column = 0;
  return largest(c, NAMED, true, &row, &column) > REDUNDANT * fmax(c->first, 1)
             ? complain(c, column, err)
             : LB_OK;
}

// --- in their order ---

// Constraints with a gap, or those that give a rate alone, and are not used yet.
static void count_rows(const choice* c, bool velocity_level) {
  for (int i = 0; i < c->rows; i++) {
    c->done[i] = (c->of->velocity_level && c->of->velocity_level[i]) != velocity_level;
  }
  for (int i = 0; i < c->to->count; i++) {
    c->done[c->to->row[i]] = true;
  }
}

// Constraints, satisfied by coordinates that nobody names, then by those named for the other and by
// the scene, and where no joint can by bodies that bend.
static lb_status obey(choice* c, bool velocity_level, lb_error* err) {
  count_rows(c, velocity_level);
  for (int bending = 0; bending < 2; bending++) {
    for (int of = UNNAMED; of < c->levels; of++) {
      take(c, of, bending);
    }
  }
  return check(c, err);
}

// Constraints with a gap come first, then rates.
static lb_status choose(choice* c, bool rates, lb_following* to, lb_error* err) {
  memcpy(c->J, c->of->J, (size_t)c->rows * (size_t)c->nv * sizeof *c->J);
  memset(c->level, 0, (size_t)c->nv * sizeof *c->level);
  c->first = 0;
  c->rates = rates;
  c->to = to;
  for (int i = 0; i < c->o->nblock; i++) {
    name_block(c, &c->o->block[i]);
  }
  name_by_scene(c);
  const lb_status status = obey(c, false, err);
  return status == LB_OK && rates ? obey(c, true, err) : status;
}

static void find_bending(const lb_model* m, bool* bends) {
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; m->link.kind[i] == LB_LINK_ELASTIC && k < m->link.nv[i]; k++) {
      bends[m->link.v[i] + k] = true;
    }
  }
}

static bool make_room(lb_optimizing* o, int rows, lb_following* to) {
  *to = (lb_following){0, LB_TAKE(&o->arena, int, rows), LB_TAKE(&o->arena, int, rows)};
  return to->row && to->column;
}

// --- the whole ---

// True where a number changes how a scene with loops starts.
static bool any_moves_start(const lb_optimizing* o) {
  bool any = false;
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    any |= b->type->starts || b->type == &lb_parameter_length || b->type == &lb_parameter_text ||
           (b->type->pull_curve && b->p->owner == LB_OWNER_MOTOR &&
            o->given.motor[b->p->index].drive != LB_DRIVE_FORCE);
  }
  return any && o->tree->constraint.count > 0;
}

lb_status lb_start_choose(lb_optimizing* o, lb_error* err) {
  if (!any_moves_start(o)) {
    return LB_OK;
  }
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  lb_kinematics(o->tree, o->rest, o->rest->q, o->rest->qd);
  lb_move_origins(o->tree, o->rest->work, o->rest->qd);
  const lb_constraint_rows of =
      lb_constraints_linearise(o->tree, o->rest, LB_SET_BILATERAL | LB_SET_COMPLIANT);
  const int nv = o->tree->nv;
  choice c = {.o = o,
              .m = o->tree,
              .of = &of,
              .rows = of.count,
              .nv = nv,
              .J = LB_TAKE(&arena, double, of.count* nv),
              .done = LB_TAKE(&arena, bool, of.count),
              .level = LB_TAKE(&arena, int, nv),
              .bends = LB_TAKE(&arena, bool, nv)};
  lb_status status = LB_NO_MEMORY;
  if (make_room(o, of.count, &o->places) && make_room(o, of.count, &o->rates) &&
      lb_arena_status(&arena) == LB_OK) {
    find_bending(o->tree, c.bends);
    status = choose(&c, false, &o->places, err);
    status = status == LB_OK ? choose(&c, true, &o->rates, err) : status;
  } else {
    lb_error_add(err, status, (lb_place){0}, "out of memory for an optimisation");
  }
  lb_arena_release(&arena);
  return status;
}
