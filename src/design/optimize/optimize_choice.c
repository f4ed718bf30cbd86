// Which coordinates of a start follow from conditions, and which velocities. Both are chosen once,
// at the start as the scene has it, by elimination: rows and columns in pairs, the largest first.
//
// What parameters name does not follow. What they name for its velocity alone stays where it is
// where others can follow, and what they name for its place alone keeps its velocity: so the place
// of one joint may be given and the velocity of another, in a linkage with one freedom. Likewise a
// joint that closes a loop and is named for one of both adds a condition on the other, which is
// dropped where nothing is free to obey it. What `initial` names follows where nothing else can, as
// when a simulation starts.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "math/linear/dense.h"

static const double REDUNDANT = 1e-9; // pivots below this part of the largest say nothing new
static const double FEELS = 1e-6;     // and below this, bodies rather bend

// What numbers and the scene say of a coordinate or velocity, the lowest follow first: of those
// that the scene names, from this level on, the last ones in the file.
enum { UNNAMED, NAMED_FOR_THE_OTHER, NAMED_BY_THE_SCENE, NAMED = INT_MAX };

typedef struct choice {
  lb_optimizing* o;
  const lb_conditions* of;
  int nv;
  double* J;    // [rows][nv] what is left of it
  bool* done;   // [rows] rows that are used, or do not count now
  int* level;   // [nv]
  int levels;   // those below NAMED
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
  const bool straight = c->o->model->interface != NULL;
  double most = 0;
  for (int i = 0; i < c->of->count; i++) {
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
  for (int i = 0; i < c->of->count; i++) {
    double* to = c->J + (size_t)i * (size_t)c->nv;
    if (i != row) {
      lb_add(c->nv, to, -to[column] / from[column], from);
    }
  }
}

// Have rows that count obeyed by columns of a level, as far as they can.
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

static bool is_rate(const lb_block* b) {
  return b->p->kind == LB_PARAMETER_VELOCITY || b->p->kind == LB_PARAMETER_SPIN;
}

// A free body whose place or orientation is given has both; of its velocities each counts alone.
static void name_block(const choice* c, const lb_block* b) {
  const bool body = b->p->owner == LB_OWNER_BODY;
  const bool said = is_rate(b) == c->rates;
  if (b->p->kind > LB_PARAMETER_SPIN || b->said >= 0) {
    return;
  }
  if (body) {
    const int turn = b->p->kind == LB_PARAMETER_VELOCITY ? 3 : 0;
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
  const lb_model* m = c->of->tree;
  const int* named = c->rates ? m->v_named : m->q_named;
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

static lb_status complain_of(const lb_block* b, lb_error* err) {
  return lb_error_add(err, LB_INVALID, b->p->place,
                      "parameter '%s': loops and constraints already say how it starts, given the "
                      "other parameters (take one away)",
                      b->p->name);
}

static lb_status complain(const choice* c, int column, lb_error* err) {
  for (int i = 0; i < c->o->nblock; i++) {
    const lb_block* b = &c->o->block[i];
    const int n = b->p->owner == LB_OWNER_BODY ? LB_JOINT_MOST_V : b->count;
    if (b->p->kind <= LB_PARAMETER_SPIN && b->said < 0 && is_rate(b) == c->rates &&
        column >= b->v && column < b->v + n) {
      return complain_of(b, err);
    }
  }
  return LB_FAILED;
}

// Of the rows that count, none is left that only what is named could obey.
static lb_status check(const choice* c, lb_error* err) {
  int row = 0, column = 0;
  return largest(c, NAMED, true, &row, &column) > REDUNDANT * fmax(c->first, 1)
             ? complain(c, column, err)
             : LB_OK;
}

// --- in their order ---

// What a row is: of a loop, or of a constraint that gives a rate and has no gap, or of a joint that
// closes a loop, which numbers give or the scene does.
typedef enum sort { OF_LOOP, OF_RATE, GIVEN, AS_THE_SCENE_HAS_IT } sort;

static const lb_block* block_of(const choice* c, int row) {
  int k = 0;
  const int said = lb_conditions_said(c->of, row, &k);
  return said < 0 ? NULL : c->rates ? c->o->said[said].speed : c->o->said[said].place;
}

static sort sort_of(const choice* c, int row) {
  return row < c->of->loops ? (c->of->velocity_level[row] ? OF_RATE : OF_LOOP)
         : block_of(c, row) ? GIVEN
                            : AS_THE_SCENE_HAS_IT;
}

static void count_rows(const choice* c, sort from, sort to) {
  for (int i = 0; i < c->of->count; i++) {
    const sort is = sort_of(c, i);
    c->done[i] = !(is >= from && is <= to);
  }
  for (int i = 0; i < c->to->count; i++) {
    c->done[c->to->row[i]] = true;
  }
}

// A joint that closes a loop starts as numbers say, or their conditions say nothing new.
static lb_status check_given(const choice* c, lb_error* err) {
  for (int i = c->of->loops; i < c->of->count; i++) {
    if (sort_of(c, i) == GIVEN && !c->done[i]) {
      return complain_of(block_of(c, i), err);
    }
  }
  return LB_OK;
}

// What has to hold, by coordinates that nobody names, then by those named for the other and by the
// scene, and where no joint can by bodies that bend.
static lb_status obey(choice* c, sort from, sort to, lb_error* err) {
  count_rows(c, from, to);
  for (int bending = 0; bending < 2; bending++) {
    for (int of = UNNAMED; of < c->levels; of++) {
      take(c, of, bending);
    }
  }
  return check(c, err);
}

// Rows with a gap and what numbers give come first, then rates; what is as the scene has it comes
// last, where something is free.
static lb_status choose(choice* c, lb_error* err) {
  memcpy(c->J, c->of->J, (size_t)c->of->count * (size_t)c->nv * sizeof *c->J);
  memset(c->level, 0, (size_t)c->nv * sizeof *c->level);
  c->first = 0;
  for (int i = 0; i < c->o->nblock; i++) {
    name_block(c, &c->o->block[i]);
  }
  name_by_scene(c);
  lb_status status = obey(c, OF_LOOP, OF_LOOP, err);
  if (status == LB_OK) {
    status = obey(c, GIVEN, GIVEN, err);
  }
  if (status == LB_OK) {
    status = check_given(c, err);
  }
  if (status == LB_OK && c->rates) {
    status = obey(c, OF_RATE, OF_RATE, err);
  }
  count_rows(c, AS_THE_SCENE_HAS_IT, AS_THE_SCENE_HAS_IT);
  take(c, UNNAMED, false);
  return status;
}

// What was not taken does not have to hold.
static void drop(const choice* c) {
  for (int i = c->of->loops; i < c->of->count; i++) {
    int k = 0;
    lb_said* s = &c->o->said[lb_conditions_said(c->of, i, &k)];
    s->dropped[k] = sort_of(c, i) == AS_THE_SCENE_HAS_IT && !c->done[i];
  }
}

static void find_bending(const lb_model* m, bool* bends) {
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; m->link_kind[i] == LB_LINK_ELASTIC && k < m->link_nv[i]; k++) {
      bends[m->link_v[i] + k] = true;
    }
  }
}

static bool make_room(lb_optimizing* o, int rows, lb_following* to) {
  *to = (lb_following){0, LB_TAKE(&o->arena, int, rows), LB_TAKE(&o->arena, int, rows)};
  return to->row && to->column;
}

static lb_status choose_both(lb_optimizing* o, lb_conditions* of, lb_error* err) {
  lb_conditions_look(of, NULL);
  const int nv = of->tree->nv;
  choice c = {.o = o,
              .of = of,
              .nv = nv,
              .J = LB_TAKE(&of->arena, double, of->count* nv),
              .done = LB_TAKE(&of->arena, bool, of->count),
              .level = LB_TAKE(&of->arena, int, nv),
              .bends = LB_TAKE(&of->arena, bool, nv),
              .to = &o->places};
  if (!c.J || !c.done || !c.level || !c.bends || !make_room(o, of->count, &o->places) ||
      !make_room(o, of->count, &o->rates)) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  find_bending(of->tree, c.bends);
  const lb_status status = choose(&c, err);
  if (status != LB_OK) {
    return status;
  }
  drop(&c);
  c.rates = true;
  c.to = &o->rates;
  return choose(&c, err);
}

// --- the whole ---

// Does it change how a scene with loops starts?
static bool moves_start(const lb_optimizing* o, const lb_scene_parameter* p) {
  return p->kind <= LB_PARAMETER_SPIN || p->kind == LB_PARAMETER_LENGTH ||
         (p->kind == LB_PARAMETER_MOTOR && o->given.motor[p->index].drive == LB_DRIVE_POSITION);
}

static bool any_moves_start(const lb_optimizing* o) {
  for (int i = 0; i < o->nblock; i++) {
    if (moves_start(o, o->block[i].p)) {
      return o->tree->nloop > 0 || o->tree->ncoupling > 0;
    }
  }
  return false;
}

lb_status lb_start_choose(lb_optimizing* o, lb_error* err) {
  if (!any_moves_start(o)) {
    return LB_OK;
  }
  lb_conditions of;
  lb_status status = lb_conditions_begin(&of, o, o->tree, o->rest, false, err);
  if (status == LB_OK) {
    status = choose_both(o, &of, err);
  }
  lb_conditions_end(&of);
  return status;
}
