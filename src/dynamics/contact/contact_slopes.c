#include "dynamics/contact/contact_slopes.h"

#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_slopes_inside.h"
#include "geom/collide/collide_derivative.h"
#include "math/contact/contact_derivative.h"
#include "math/linear/dense.h"

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

// --- points ---

static double component(lb_motion x, int i) {
  return i < 3 ? x.w[i] : x.v[i - 3];
}

static void take_point(lb_contact_slopes* S, const lb_derivatives* D, const lb_touch* t,
                       const lb_point_change by[LB_POINT_MOTIONS], lb_point_slopes* p) {
  for (int side = 0; side < 2; side++) {
    lb_derive_point(D, S->column[side][0], NULL, lb_slopes_link(S, t, side), t->arm[side]);
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
    lb_touch_axes_slopes(t->axis[0], dn, &p->axis[1][k], &p->axis[2][k]);
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
  S->point = LB_TAKE(&S->taken, lb_point_slopes, S->C->ntouch);
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
  S->motor = LB_TAKE(&S->taken, lb_row_motor, rows);
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
  S->held = false;
  if (S->nrow == 0) {
    return true;
  }
  S->held = S->C->impacts.held;
  if (S->held || !take_memory(S)) {
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
  if (S->held) {
    return lb_error_add(err, LB_FAILED, S->m->contact.set.place,
                        "contacts: after t = %g s an impact would add energy and is held back, "
                        "which has no gradient (take less 'restitution' or 'friction', or 'law: "
                        "compliant' without restitution)",
                        time);
  }
  if (c[0] < 0 && lb_arena_status(&S->taken) == LB_OK) {
    return LB_OK;
  }
  return c[0] < 0
             ? lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient")
             : lb_error_add(err, LB_FAILED, S->m->contact.set.place,
                            "contacts: at t = %g s '%.64s' (a %s) touches '%.64s' (a %s) in a way "
                            "that has no gradient (choose spheres or boxes for what touches, "
                            "or let the two pass through each other by 'pairs')",
                            time, name_of(S, c[0]), kind_of(S, c[0]), name_of(S, c[1]),
                            kind_of(S, c[1]));
}

bool lb_contact_slopes_twice(const lb_contact_slopes* S) {
  return S->nrow > 0 && S->C->places.twice;
}

int lb_contact_slopes_rows(const lb_contact_slopes* S) {
  return S->nrow;
}

// --- forces ---

// Moment and force of a point's impulses.
static lb_motion wrench_of(const lb_contact_slopes* S, const lb_touch* t) {
  lb_motion F = lb_motion_zero();
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const int direction = S->C->direction[i];
    const lb_v4 f = t->axis[lb_slopes_axis(direction)] * (S->lambda[i] / S->h);
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
      const int link = lb_slopes_link(S, t, side);
      const double sign = side == 0 ? 1 : -1;
      lb_link_add_wrench(d->work, link, t->at, F.w * sign, F.v * sign);
    }
  }
}

// Change of a point's wrench by k beyond turning along with a link, at the point of the link there.
static lb_motion wrench_change(const lb_contact_slopes* S, const lb_touch* t,
                               const lb_point_slopes* p, lb_motion F, lb_motion move, int k) {
  const lb_v4 slides = p->at[k] - move.v;
  lb_motion c = {lb_v4_cross(slides, F.v) - lb_v4_cross(move.w, F.w), -lb_v4_cross(move.w, F.v)};
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const int direction = S->C->direction[i];
    const lb_v4 f = p->axis[lb_slopes_axis(direction)][k] * (S->lambda[i] / S->h);
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
      if (lb_slopes_link(S, t, side) == LB_WORLD) {
        continue;
      }
      lb_derive_point(D, S->at, NULL, lb_slopes_link(S, t, side), t->arm[side]);
      for (int k = 0; k < S->m->nv; k++) {
        S->change[k] =
            lb_motion_scale(side == 0 ? 1 : -1, wrench_change(S, t, &S->point[i], F, S->at[k], k));
      }
      lb_derive_force(D, D->tau_q, S->at, S->change);
    }
  }
}

void lb_contact_slopes_multipliers(const lb_contact_slopes* S, double* lambda) {
  for (int i = 0; S->nrow > 0 && i < S->C->beside.nexact; i++) {
    lambda[i] = S->C->beside.exact[i] >= 0 ? S->lambda[S->C->beside.exact[i]] / S->h : 0;
  }
}

void lb_contact_slopes_add_forces(const lb_contact_slopes* S, double* tau) {
  for (int i = 0; i < S->nrow; i++) {
    lb_slopes_add_row(S, i, S->lambda[i] / S->h, tau);
  }
}

// --- products ---

void lb_slopes_add_row(const lb_contact_slopes* S, int row, double scale, double* out) {
  const lb_contact_row* r = &S->C->row[row];
  for (int side = 0; side < 2; side++) {
    const lb_contact_group* g =
        r->group[side] >= 0 ? &S->C->group[S->C->used[r->group[side]]] : NULL;
    if (g) {
      lb_group_add_forces(g, scale, S->C->J + r->entry[side], out);
    }
  }
}

double lb_slopes_dot_row(const lb_contact_slopes* S, int row, const double* x) {
  const lb_contact_row* r = &S->C->row[row];
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const lb_contact_group* g =
        r->group[side] >= 0 ? &S->C->group[S->C->used[r->group[side]]] : NULL;
    if (g && g->link >= 0) {
      double u[LB_FREE_WIDTH];
      lb_group_gather(g, x, u);
      sum += lb_dot(LB_FREE_WIDTH, S->C->J + r->entry[side], u);
    }
    for (int k = 0; g && g->link < 0 && k < g->nv; k++) {
      sum += S->C->J[r->entry[side] + k] * x[g->v[k]];
    }
  }
  return sum;
}

static void spread(const lb_contact_slopes* S, double* v) {
  const lb_contacts* C = S->C;
  for (int i = 0; i < C->problem.ngroup; i++) {
    lb_group_add(&C->group[C->used[i]], S->du + C->velocity[i], v);
  }
}

static void gather(lb_contact_slopes* S, const double* v) {
  const lb_contacts* C = S->C;
  memset(S->du, 0, (size_t)C->nvelocity * sizeof *S->du);
  for (int i = 0; i < C->problem.ngroup; i++) {
    lb_group_gather_forces(&C->group[C->used[i]], v, S->du + C->velocity[i]);
  }
}

bool lb_contact_slopes_forward(lb_contact_slopes* S, const lb_contact_causes* in, double* du) {
  const int nv = S->m->nv;
  if (S->nrow == 0) {
    return true;
  }
  for (int i = 0; i < S->nrow; i++) {
    const lb_row_motor* by = &S->motor[i];
    S->dw[i] = lb_slopes_dot_row(S, i, du) + lb_dot(nv, lb_slopes_row(S, S->Wq, i), in->q) +
               lb_dot(nv, lb_slopes_row(S, S->Wb, i), in->bias) +
               lb_dot(nv, lb_slopes_row(S, S->Wc, i), in->start) +
               lb_dot(nv, lb_slopes_row(S, S->Wf, i), in->free);
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
    const lb_row_motor* m = &S->motor[i];
    lb_slopes_add_row(S, i, S->dw[i], by);
    lb_add(nv, out->q, S->dw[i], lb_slopes_row(S, S->Wq, i));
    lb_add(nv, out->bias, S->dw[i], lb_slopes_row(S, S->Wb, i));
    lb_add(nv, out->start, S->dw[i], lb_slopes_row(S, S->Wc, i));
    lb_add(nv, out->free, S->dw[i], lb_slopes_row(S, S->Wf, i));
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
