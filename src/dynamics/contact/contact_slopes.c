#include "dynamics/contact/contact_slopes.h"

#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/force/command.h"
#include "dynamics/tree/kinematics.h"
#include "geom/collide/collide_derivative.h"
#include "math/contact/contact_derivative.h"
#include "math/linear/dense.h"
#include "model/use/motor_use.h"

// Changes of a point by each coordinate, [nv].
typedef struct point_slopes {
  lb_v4* at;
  lb_v4* axis[3];
  double* gap;
} point_slopes;

// Motor that a row follows, with the derivatives of b by its value and rate; -1: none.
typedef struct row_motor {
  int motor;
  double value, rate;
} row_motor;

struct lb_contact_slopes {
  const lb_model* m;
  lb_arena arena;   // of S
  lb_arena taken;   // of a step
  lb_arena scratch; // of a solve
  lb_contacts* C;
  double h;
  int nrow, refused[2];
  bool places;
  point_slopes* point;       // [ntouch]
  const double* lambda;      // [nrow] impulses of the problem
  double *Wq, *Wb, *Wc, *Wf; // [nrow][nv] derivatives of w by q, `bias`, `start` and `free`
  double* W[2];              // [4][nrow][nv] these, of velocities and of places
  row_motor* motor;          // [nrow]
  double *dw, *dl, *dmu;     // [nrow]
  double* du;                // [padded velocities]
  lb_motion* column[2][4];   // [nv] of both links: S, psi, chi, sig at their origins
  lb_motion *at, *change;    // [nv]
};

// --- life ---

lb_contact_slopes* lb_contact_slopes_create(const lb_model* m, const lb_allocator* allocator) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_contact_slopes* S = LB_TAKE(&arena, lb_contact_slopes, 1);
  lb_motion* block = lb_arena_take_array(&arena, (size_t)m->nv * 10, sizeof *block, LB_ALIGN);
  if (!S || !block) {
    lb_arena_release(&arena);
    return NULL;
  }
  S->m = m;
  for (int k = 0; k < 8; k++) {
    S->column[k / 4][k % 4] = block + (size_t)k * (size_t)m->nv;
  }
  S->at = block + 8 * (size_t)m->nv;
  S->change = block + 9 * (size_t)m->nv;
  S->arena = arena;
  lb_arena_init(&S->taken, allocator);
  lb_arena_init(&S->scratch, allocator);
  return S;
}

void lb_contact_slopes_release(lb_contact_slopes* S) {
  if (S) {
    lb_arena arena = S->arena;
    lb_arena_release(&S->taken);
    lb_arena_release(&S->scratch);
    lb_arena_release(&arena);
  }
}

static int link_of(const lb_contact_slopes* S, const lb_touch* t, int side) {
  return S->C->collider[t->collider[side]].link;
}

// --- points ---

static double component(lb_motion x, int i) {
  return i < 3 ? x.w[i] : x.v[i - 3];
}

// Tangents as set_axes of contact_detect.c makes them, differentiated.
static void axis_slopes(lb_v4 n, lb_v4 dn, lb_v4* t1, lb_v4* t2) {
  const double s = n[2] >= 0 ? 1 : -1, a = -1 / (s + n[2]), da = a * a * dn[2];
  const double db = dn[0] * n[1] * a + n[0] * dn[1] * a + n[0] * n[1] * da;
  *t1 = (lb_v4){s * (2 * n[0] * dn[0] * a + n[0] * n[0] * da), s * db, -s * dn[0], 0};
  *t2 = (lb_v4){db, 2 * n[1] * dn[1] * a + n[1] * n[1] * da, -dn[1], 0};
}

static void take_point(lb_contact_slopes* S, const lb_derivatives* D, const lb_touch* t,
                       const lb_point_change by[LB_POINT_MOTIONS], point_slopes* p) {
  for (int side = 0; side < 2; side++) {
    lb_derive_point(D, S->column[side][0], NULL, link_of(S, t, side), t->arm[side]);
  }
  for (int k = 0; k < S->m->nv; k++) {
    lb_v4 at = lb_v4_zero(), dn = lb_v4_zero();
    double gap = 0;
    for (int i = 0; i < LB_POINT_MOTIONS; i++) {
      const double x = component(S->column[i / 6][0][k], i % 6);
      at += lb_v4_from(by[i].position) * x;
      dn += lb_v4_from(by[i].normal) * x;
      gap += by[i].distance * x;
    }
    p->at[k] = at;
    p->gap[k] = gap;
    p->axis[0][k] = dn;
    axis_slopes(t->axis[0], dn, &p->axis[1][k], &p->axis[2][k]);
  }
}

static bool differentiate_point(const lb_contact_slopes* S, const lb_touch* t,
                                lb_point_change by[LB_POINT_MOTIONS]) {
  const lb_manifold m = {.normal = lb_v4_vec3(t->axis[0]),
                         .face = t->face,
                         .npoint = 1,
                         .point = {{lb_v4_vec3(t->at), t->gap, t->id}}};
  const lb_collider_state* c = S->C->collider;
  return lb_collide_differentiate(&c[t->collider[0]].at, &c[t->collider[1]].at, &m, 0, by);
}

static bool take_memory(lb_contact_slopes* S) {
  const size_t nv = (size_t)S->m->nv, rows = (size_t)S->nrow;
  lb_arena_reset(&S->taken, (lb_arena_mark){0});
  S->point = LB_TAKE(&S->taken, point_slopes, S->C->ntouch);
  for (int i = 0; i < S->C->ntouch && S->point; i++) {
    lb_v4* block = lb_arena_take_array(&S->taken, 4 * nv, sizeof *block, LB_ALIGN);
    for (size_t k = 0; k < 3 && block; k++) {
      S->point[i].axis[k] = block + (k + 1) * nv;
    }
    S->point[i].at = block;
    S->point[i].gap = LB_TAKE(&S->taken, double, nv);
  }
  S->W[0] = LB_TAKE(&S->taken, double, 4 * rows * nv);
  S->W[1] = S->C->places.twice ? LB_TAKE(&S->taken, double, 4 * rows * nv) : S->W[0];
  S->motor = LB_TAKE(&S->taken, row_motor, rows);
  S->dw = LB_TAKE(&S->taken, double, 3 * rows);
  S->dl = S->dw + rows;
  S->dmu = S->dl + rows;
  S->du = lb_arena_take_array(&S->taken, (size_t)S->C->nvelocity, sizeof(double), LB_ALIGN);
  return lb_arena_status(&S->taken) == LB_OK;
}

bool lb_contact_slopes_take(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                            double h) {
  S->C = d->work->contacts;
  S->h = h;
  S->nrow = S->C ? S->C->problem.nrow : 0;
  S->refused[0] = -1;
  if (S->nrow == 0) {
    return true;
  }
  if (!take_memory(S)) {
    return false;
  }
  memset(S->du, 0, (size_t)S->C->nvelocity * sizeof *S->du);
  lb_derive(D, d, q, S->du, S->du, false); // of any motion
  for (int i = 0; i < S->C->ntouch; i++) {
    const lb_touch* t = &S->C->touch[i];
    lb_point_change by[LB_POINT_MOTIONS];
    if (!differentiate_point(S, t, by)) {
      memcpy(S->refused, t->collider, sizeof S->refused);
      return false;
    }
    take_point(S, D, t, by, &S->point[i]);
  }
  return true;
}

static const char* name_of(const lb_contact_slopes* S, int collider) {
  const int body = S->m->contact.collider[collider].body;
  return body == LB_WORLD ? "scenery" : S->m->body.name[body];
}

static const char* kind_of(const lb_contact_slopes* S, int collider) {
  static const char* const NAMES[] = {
#define NAME_OF(code, name) #name,
      LB_COLLIDER_LIST(NAME_OF)
#undef NAME_OF
  };
  return NAMES[S->m->contact.collider[collider].geometry->type];
}

lb_status lb_contact_slopes_complain(const lb_contact_slopes* S, double time, lb_error* err) {
  const int* c = S->refused;
  if (c[0] < 0 && lb_arena_status(&S->taken) == LB_OK) {
    return LB_OK;
  }
  return c[0] < 0
             ? lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient")
             : lb_error_add(err, LB_FAILED, S->m->contact.set.place,
                            "contacts: at t = %g s '%.64s' (a %s) touches '%.64s' (a %s) in a way "
                            "that has no gradient (choose spheres, boxes or capsules for what "
                            "touches, or let the two pass through each other by 'pairs')",
                            time, name_of(S, c[0]), kind_of(S, c[0]), name_of(S, c[1]),
                            kind_of(S, c[1]));
}

bool lb_contact_slopes_twice(const lb_contact_slopes* S) {
  return S->nrow > 0 && S->C->places.twice;
}

int lb_contact_slopes_rows(const lb_contact_slopes* S) {
  return S->nrow;
}

// --- fields ---

// A field of motions at a link's origin, and its change by coordinate k or, by_rate, by velocity k.
typedef struct field {
  bool accelerates; // what velocities bring of accelerations, else velocities
  bool by_rate;
} field;

static lb_motion value_of(const lb_data* d, field f, int link) {
  if (link == LB_WORLD) {
    return lb_motion_zero();
  }
  const lb_state* s = &d->work->state[link];
  return f.accelerates ? (lb_motion){s->al, s->a} : (lb_motion){s->w, s->v};
}

static lb_motion change_of(const lb_contact_slopes* S, const lb_data* d, field f, int side,
                           int link, int k) {
  const lb_motion move = S->column[side][0][k], psi = S->column[side][1][k];
  if (link == LB_WORLD) {
    return lb_motion_zero();
  }
  const lb_state* s = &d->work->state[link];
  if (f.by_rate) {
    const lb_motion sig = S->column[side][3][k];
    return f.accelerates ? (lb_motion){sig.w + lb_v4_cross(move.w, s->w),
                                       sig.v + lb_v4_cross(move.w, s->v) * 2}
                         : move;
  }
  const lb_motion x = value_of(d, f, link), chi = S->column[side][2][k];
  const lb_motion turned = {lb_v4_cross(move.w, x.w), lb_v4_cross(move.w, x.v)};
  return lb_motion_add(turned, f.accelerates ? (lb_motion){chi.w + lb_v4_cross(psi.w, s->w),
                                                           chi.v + lb_v4_cross(psi.w, s->v) * 2}
                                             : psi);
}

static void find_columns(lb_contact_slopes* S, const lb_derivatives* D, const lb_touch* t) {
  const lb_derivation* W = D->work;
  for (int side = 0; side < 2; side++) {
    const lb_motion* const from[] = {W->S, W->psi, W->chi, W->sig};
    for (int k = 0; k < 4; k++) {
      lb_derive_columns(D, S->column[side][k], from[k], link_of(S, t, side), lb_v4_zero());
    }
  }
}

// Turning at a link that is its own frame's brings no acceleration (free_axes.h).
static bool counts(const lb_contact_slopes* S, field f, int link) {
  return link != LB_WORLD && !(f.accelerates && lb_link_turns_free(S->m, link));
}

// X of a row, and its change by k, both at the point: (1).
typedef struct relative {
  lb_motion x, change;
} relative;

static relative find_relative(const lb_contact_slopes* S, const lb_data* d, const lb_touch* t,
                              const point_slopes* p, field f, int k) {
  relative r = {lb_motion_zero(), lb_motion_zero()};
  for (int side = 0; side < 2; side++) {
    const int link = link_of(S, t, side);
    const double sign = side == 0 ? 1 : -1;
    if (!counts(S, f, link)) {
      continue;
    }
    const lb_motion x = value_of(d, f, link), c = change_of(S, d, f, side, link, k);
    const lb_v4 arm = t->arm[side];
    lb_v4 v = c.v + lb_v4_cross(c.w, arm);
    if (!f.by_rate) {
      v += lb_v4_cross(x.w, p->at[k] - S->column[side][0][k].v);
    }
    r.x = lb_motion_add(r.x, (lb_motion){x.w * sign, (x.v + lb_v4_cross(x.w, arm)) * sign});
    r.change = lb_motion_add(r.change, (lb_motion){c.w * sign, v * sign});
  }
  return r;
}

// Directions of rows as contact_rows.c has them.
static int axis_of(int direction) {
  return direction < 3 ? direction : direction < 5 ? direction - 2 : 0;
}

static double row_change(const lb_touch* t, const point_slopes* p, int direction, relative r,
                         bool by_rate, int k) {
  const int axis = axis_of(direction);
  const bool turns = direction >= 3;
  const double along = lb_v4_dot(t->axis[axis], turns ? r.change.w : r.change.v);
  return by_rate ? along : along + lb_v4_dot(p->axis[axis][k], turns ? r.x.w : r.x.v);
}

// Add scale times the derivative of what the rows of a point see of a field, after lb_derive at its
// velocities; `normal`: of the first row alone.
static void add_field(lb_contact_slopes* S, const lb_data* d, int i, field f, double scale,
                      bool normal, double* W) {
  const lb_touch* t = &S->C->touch[i];
  const int rows = normal ? 1 : t->nrow;
  for (int k = 0; k < S->m->nv; k++) {
    const relative r = find_relative(S, d, t, &S->point[i], f, k);
    for (int a = 0; a < rows; a++) {
      const int row = t->row + a;
      W[(size_t)row * (size_t)S->m->nv + (size_t)k] +=
          scale * row_change(t, &S->point[i], S->C->direction[row], r, f.by_rate, k);
    }
  }
}

// Inverse dynamics at these velocities, without accelerations and gravity.
static void go_to(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                  const double* v) {
  const lb_v4 gravity = d->work->state[-1].a;
  d->work->state[-1].a = lb_v4_zero();
  memset(d->qdd, 0, (size_t)S->m->nv * sizeof *d->qdd);
  lb_derive(D, d, q, v, d->qdd, false);
  lb_move_origins(S->m, d->work, v);
  d->work->state[-1].a = gravity;
}

// --- rows ---

// Belts turn with their links.
static void add_belts(lb_contact_slopes* S, const lb_data* d, int i) {
  const lb_touch* t = &S->C->touch[i];
  for (int side = 0; side < 2; side++) {
    const lb_model_collider* c = &S->m->contact.collider[t->collider[side]];
    const lb_v4 belt = lb_m3_apply(d->work->state[c->link].R, lb_v4_from(c->belt));
    const double sign = side == 0 ? 1 : -1;
    for (int a = 1; a < t->nrow; a++) {
      const int row = t->row + a, direction = S->C->direction[row], axis = axis_of(direction);
      for (int k = 0; k < S->m->nv && direction < 3; k++) {
        const lb_v4 turned = lb_v4_cross(S->column[side][0][k].w, belt);
        S->Wq[(size_t)row * (size_t)S->m->nv + (size_t)k] +=
            sign * (lb_v4_dot(S->point[i].axis[axis][k], belt) + lb_v4_dot(t->axis[axis], turned));
      }
    }
  }
}

static void take_end(lb_contact_slopes* S, const lb_data* d, const lb_derivatives* D) {
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, 1, false, S->Wq);
    add_belts(S, d, i);
  }
}

static void take_bias(lb_contact_slopes* S, const lb_data* d, const lb_derivatives* D) {
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){true, false}, S->h, false, S->Wq);
    add_field(S, d, i, (field){true, true}, S->h, false, S->Wb);
  }
}

static double* row_of(const lb_contact_slopes* S, double* W, int row) {
  return W + (size_t)row * (size_t)S->m->nv;
}

// J of a row along all velocities, added.
static void add_row(const lb_contact_slopes* S, int row, double scale, double* out) {
  const lb_contact_row* r = &S->C->row[row];
  for (int side = 0; side < 2; side++) {
    const lb_contact_group* g =
        r->group[side] >= 0 ? &S->C->group[S->C->used[r->group[side]]] : NULL;
    for (int k = 0; g && k < g->nv; k++) {
      out[g->v[k]] += scale * S->C->J[r->entry[side] + k];
    }
  }
}

static double dot_row(const lb_contact_slopes* S, int row, const double* x) {
  const lb_contact_row* r = &S->C->row[row];
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const lb_contact_group* g =
        r->group[side] >= 0 ? &S->C->group[S->C->used[r->group[side]]] : NULL;
    for (int k = 0; g && k < g->nv; k++) {
      sum += S->C->J[r->entry[side] + k] * x[g->v[k]];
    }
  }
  return sum;
}

// What velocities bring of acceleration along a point's normal, after lb_derive.
static double bias_along(const lb_contact_slopes* S, const lb_data* d, const lb_touch* t) {
  lb_v4 a = lb_v4_zero();
  for (int side = 0; side < 2; side++) {
    const int link = link_of(S, t, side);
    const field f = {true, false};
    const lb_motion x = counts(S, f, link) ? value_of(d, f, link) : lb_motion_zero();
    a += (x.v + lb_v4_cross(x.w, t->arm[side])) * (side == 0 ? 1 : -1);
  }
  return lb_v4_dot(t->axis[0], a);
}

bool lb_contact_slopes_bounces(const lb_contact_slopes* S) {
  bool any = false;
  for (int i = 0; S->nrow > 0 && i < S->C->ntouch; i++) {
    any |= S->C->touch[i].bounce > 0;
  }
  return any;
}

// What the normal row of a point asks for by `closing` and `free`, (6) of contact_solve.c: both are
// minus what the row sees of velocities, the latter less what velocities bring.
static void take_bounces(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                         const lb_contact_moves* moves, const lb_asked_slopes* asked) {
  go_to(S, d, D, q, moves->bias);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){true, false}, -asked[i].free * S->h, true, S->Wq);
    add_field(S, d, i, (field){true, true}, -asked[i].free * S->h, true, S->Wb);
  }
  go_to(S, d, D, q, moves->start);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, -asked[i].closing, true, S->Wq);
    add_row(S, S->C->touch[i].row, -asked[i].closing, row_of(S, S->Wc, S->C->touch[i].row));
  }
  go_to(S, d, D, q, moves->free);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, -asked[i].free, true, S->Wq);
    add_row(S, S->C->touch[i].row, -asked[i].free, row_of(S, S->Wf, S->C->touch[i].row));
  }
}

static void take_servos(lb_contact_slopes* S) {
  const lb_model* m = S->m;
  for (int i = 0; i < lb_servos_as_rows(m); i++) {
    const lb_servo_row* s = &S->C->beside.servo[i];
    const lb_model_servo* by = s->servo;
    const bool exact = by->stiffness == 0 && by->damping == 0;
    const double a = exact ? 0 : 1 / (S->h * by->stiffness + by->damping);
    const double value = exact ? 1 / S->h : a * by->stiffness;
    row_of(S, S->Wq, s->row)[m->motor.v[by->motor]] += value;
    S->motor[s->row] = (row_motor){by->motor, -value, -a * by->damping};
  }
}

static void take_rows(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                      const lb_contact_moves* moves) {
  go_to(S, d, D, q, moves->end);
  take_end(S, d, D);
  go_to(S, d, D, q, moves->bias);
  take_bias(S, d, D);
  lb_asked_slopes* asked = LB_TAKE(&S->scratch, lb_asked_slopes, S->C->ntouch);
  for (int i = 0; i < S->C->ntouch && asked; i++) {
    const lb_touch* t = &S->C->touch[i];
    const double free = -dot_row(S, t->row, moves->free) - S->h * bias_along(S, d, t);
    asked[i] = lb_contacts_asked_slopes(S->C, t, S->h, free, S->places);
    lb_add(S->m->nv, row_of(S, S->Wq, t->row), asked[i].gap, S->point[i].gap);
  }
  if (asked && lb_contact_slopes_bounces(S)) {
    take_bounces(S, d, D, q, moves, asked);
  }
}

void lb_contact_slopes_choose(lb_contact_slopes* S, bool places) {
  const size_t size = (size_t)S->nrow * (size_t)S->m->nv;
  if (S->nrow > 0) {
    S->places = places && S->C->places.twice;
    S->lambda = lb_contacts_choose(S->C, S->places);
    S->Wq = S->W[S->places];
    S->Wb = S->Wq + size;
    S->Wc = S->Wb + size;
    S->Wf = S->Wc + size;
  }
}

void lb_contact_slopes_find_rows(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, bool places,
                                 const lb_contact_moves* moves) {
  lb_contact_slopes_choose(S, places);
  for (int i = 0; i < S->nrow; i++) {
    S->motor[i].motor = -1;
  }
  if (S->nrow == 0) {
    return;
  }
  take_rows(S, d, D, d->q, moves);
  take_servos(S);
  lb_arena_reset(&S->scratch, (lb_arena_mark){0});
}

void lb_contact_slopes_add_constraints(lb_contact_slopes* S, const double* gap_q,
                                       const double* rate_q) {
  const size_t nv = (size_t)S->m->nv;
  for (int i = 0; S->nrow > 0 && i < S->C->beside.nbound; i++) {
    if (S->C->beside.bound[i] >= 0) {
      double* W = row_of(S, S->Wq, S->C->beside.bound[i]);
      lb_add((int)nv, W, 1, rate_q + (size_t)i * nv);
      lb_add((int)nv, W, 1 / S->h, gap_q + (size_t)i * nv);
    }
  }
}

// --- forces ---

// Moment and force of a point's impulses.
static lb_motion wrench_of(const lb_contact_slopes* S, const lb_touch* t) {
  lb_motion F = lb_motion_zero();
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const int direction = S->C->direction[i];
    const lb_v4 f = t->axis[axis_of(direction)] * (S->lambda[i] / S->h);
    F = lb_motion_add(F,
                      direction < 3 ? (lb_motion){lb_v4_zero(), f} : (lb_motion){f, lb_v4_zero()});
  }
  return F;
}

void lb_contact_slopes_push(lb_contact_slopes* S, lb_data* d) {
  for (int i = 0; S->nrow > 0 && i < S->C->ntouch; i++) {
    const lb_touch* t = &S->C->touch[i];
    const lb_motion F = wrench_of(S, t);
    for (int side = 0; side < 2; side++) {
      const int link = link_of(S, t, side);
      const double sign = side == 0 ? 1 : -1;
      lb_link_add_wrench(d->work, link, t->at, F.w * sign, F.v * sign);
    }
  }
}

// Change of a point's wrench by k beyond turning along with a link, at the point of the link there.
static lb_motion wrench_change(const lb_contact_slopes* S, const lb_touch* t, const point_slopes* p,
                               lb_motion F, lb_motion move, int k) {
  const lb_v4 slides = p->at[k] - move.v;
  lb_motion c = {lb_v4_cross(slides, F.v) - lb_v4_cross(move.w, F.w), -lb_v4_cross(move.w, F.v)};
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const int direction = S->C->direction[i];
    const lb_v4 f = p->axis[axis_of(direction)][k] * (S->lambda[i] / S->h);
    c = lb_motion_add(c,
                      direction < 3 ? (lb_motion){lb_v4_zero(), f} : (lb_motion){f, lb_v4_zero()});
  }
  return c;
}

void lb_contact_slopes_add_stiffness(lb_contact_slopes* S, lb_derivatives* D) {
  for (int i = 0; S->nrow > 0 && i < S->C->ntouch; i++) {
    const lb_touch* t = &S->C->touch[i];
    const lb_motion F = wrench_of(S, t);
    for (int side = 0; side < 2; side++) {
      if (link_of(S, t, side) == LB_WORLD) {
        continue;
      }
      lb_derive_point(D, S->at, NULL, link_of(S, t, side), t->arm[side]);
      for (int k = 0; k < S->m->nv; k++) {
        S->change[k] =
            lb_motion_scale(side == 0 ? 1 : -1, wrench_change(S, t, &S->point[i], F, S->at[k], k));
      }
      lb_derive_force(D, D->tau_q, S->at, S->change);
    }
  }
}

void lb_contact_slopes_multipliers(const lb_contact_slopes* S, double* lambda) {
  for (int i = 0; S->nrow > 0 && i < S->C->beside.nbound; i++) {
    lambda[i] = S->C->beside.bound[i] >= 0 ? S->lambda[S->C->beside.bound[i]] / S->h : 0;
  }
}

void lb_contact_slopes_add_forces(const lb_contact_slopes* S, double* tau) {
  for (int i = 0; i < S->nrow; i++) {
    add_row(S, i, S->lambda[i] / S->h, tau);
  }
}

// --- products ---

static void spread(const lb_contact_slopes* S, double* v) {
  const lb_contacts* C = S->C;
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    for (int k = 0; k < g->nv; k++) {
      v[g->v[k]] += S->du[C->velocity[i] + k];
    }
  }
}

static void gather(lb_contact_slopes* S, const double* v) {
  const lb_contacts* C = S->C;
  memset(S->du, 0, (size_t)C->nvelocity * sizeof *S->du);
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    for (int k = 0; k < g->nv; k++) {
      S->du[C->velocity[i] + k] = v[g->v[k]];
    }
  }
}

bool lb_contact_slopes_forward(lb_contact_slopes* S, const lb_contact_causes* in, double* du) {
  const int nv = S->m->nv;
  if (S->nrow == 0) {
    return true;
  }
  for (int i = 0; i < S->nrow; i++) {
    const row_motor* by = &S->motor[i];
    S->dw[i] = dot_row(S, i, du) + lb_dot(nv, row_of(S, S->Wq, i), in->q) +
               lb_dot(nv, row_of(S, S->Wb, i), in->bias) +
               lb_dot(nv, row_of(S, S->Wc, i), in->start) +
               lb_dot(nv, row_of(S, S->Wf, i), in->free);
    if (by->motor >= 0) {
      S->dw[i] += by->value * in->motor[3 * by->motor] + by->rate * in->motor[3 * by->motor + 1];
    }
  }
  const lb_contact_change change = {.w0 = S->dw};
  const bool ok =
      lb_contact_tangent(&S->C->problem, &S->scratch, S->lambda, &change, S->dl, S->du) == LB_OK;
  if (ok) {
    spread(S, du);
  }
  return ok;
}

bool lb_contact_slopes_back(lb_contact_slopes* S, const lb_contact_causes* out, double* by) {
  const int nv = S->m->nv;
  if (S->nrow == 0) {
    return true;
  }
  lb_contact_change change = {.w0 = S->dw, .mu = S->dmu};
  gather(S, by);
  if (lb_contact_adjoint(&S->C->problem, &S->scratch, S->lambda, NULL, S->du, &change) != LB_OK) {
    return false;
  }
  for (int i = 0; i < S->nrow; i++) {
    const row_motor* m = &S->motor[i];
    add_row(S, i, S->dw[i], by);
    lb_add(nv, out->q, S->dw[i], row_of(S, S->Wq, i));
    lb_add(nv, out->bias, S->dw[i], row_of(S, S->Wb, i));
    lb_add(nv, out->start, S->dw[i], row_of(S, S->Wc, i));
    lb_add(nv, out->free, S->dw[i], row_of(S, S->Wf, i));
    if (m->motor >= 0) {
      out->motor[3 * m->motor] += m->value * S->dw[i];
      out->motor[3 * m->motor + 1] += m->rate * S->dw[i];
    }
  }
  return true;
}

// Both axes of a pyramid are rows of their own.
void lb_contact_slopes_by_friction(const lb_contact_slopes* S, double* by) {
  for (int i = 0; S->nrow > 0 && i < S->C->ntouch; i++) {
    const lb_touch* t = &S->C->touch[i];
    by[i] = 0;
    for (int k = t->row; k < t->row + t->nrow; k++) {
      const int direction = S->C->direction[k];
      const bool set =
          S->C->row[k].kind == LB_CONTACT_SET_1 || S->C->row[k].kind == LB_CONTACT_SET_2;
      by[i] += set && (direction == 1 || direction == 2) ? S->dmu[k] : 0;
    }
  }
}
