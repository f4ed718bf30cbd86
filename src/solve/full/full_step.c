#include "solve/full/full_step.h"

#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "solve/step/step_matrix.h"

// --- making and releasing ---

static lb_status make_part(lb_full_step* T, lb_full_part* p, int link, lb_arena* arena) {
  const size_t ny = (size_t)T->ny;
  *p = (lb_full_part){.link = link,
                      .q = T->m->link.packed[link].q,
                      .v = T->m->link.packed[link].v,
                      .y = T->link[link].v,
                      .K = LB_TAKE(arena, double, LB_FULL_FRAME* ny),
                      .C = LB_TAKE(arena, double, LB_FULL_FRAME* ny),
                      .M = LB_TAKE(arena, double, LB_FULL_FRAME* ny),
                      .W = LB_TAKE(arena, double, LB_FULL_FRAME* ny),
                      .P = LB_TAKE(arena, double, LB_FULL_WRENCH* ny)};
  const lb_status status =
      lb_full_derivative_create(&p->T, T->m->link.packed[link].reduced->full, arena);
  for (int f = 0; f <= p->T.b->nface && status == LB_OK; f++) { // faces follow the body's link
    T->link[link + f].reduced = &p->T.body;
  }
  return status == LB_OK ? lb_arena_status(arena) : status;
}

lb_status lb_full_step_create(lb_full_step* T, const lb_model* m, lb_arena* arena) {
  const int ny = lb_model_interface(m)->nv;
  *T = (lb_full_step){.m = m,
                      .model = lb_model_derive(lb_model_interface(m), arena),
                      .body = LB_TAKE(arena, lb_full_part, m->elastic.count),
                      .ny = ny,
                      .nt = m->ndense,
                      .y = LB_TAKE(arena, double, ny)};
  for (int i = 0; i < 3; i++) {
    T->seen[i] = LB_TAKE(arena, double, ny);
    T->sum[i] = LB_TAKE(arena, double, ny);
  }
  lb_status status = lb_arena_status(arena);
  if (status == LB_OK && lb_model_own_links(T->model, arena)) {
    T->link = T->model->link.packed;
  } else {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->nlink && status == LB_OK; i++) {
    if (m->link.packed[i].kind == LB_LINK_FULL) {
      status = make_part(T, &T->body[T->nbody++], i, arena);
    }
  }
  return status == LB_OK ? lb_data_create(T->model, arena->allocator, &T->data, NULL) : status;
}

void lb_full_step_release(lb_full_step* T) {
  lb_data_release(T->data);
}

// --- where it is ---

void lb_full_step_see(const lb_full_step* T, double* y, const double* x) {
  memcpy(y, x, (size_t)T->nt * sizeof *y);
  for (int i = 0; i < T->nbody; i++) {
    const lb_full_part* p = &T->body[i];
    lb_full_trace(p->T.b, y + p->y, x + p->v);
    memset(y + p->y + p->T.nz, 0, LB_FULL_CARRIERS * sizeof *y);
  }
}

void lb_full_step_gather(const lb_full_step* T, double* x, double s, const double* y) {
  lb_add(T->nt, x, s, y);
  for (int i = 0; i < T->nbody; i++) {
    lb_full_trace_back(T->body[i].T.b, x + T->body[i].v, s, y + T->body[i].y);
  }
}

// Coordinates, of which balls have one more than velocities. Carriers rest at zero and have rate
// and acceleration one, each of its own.
static void see_all(lb_full_step* T, const lb_data* d) {
  lb_data* e = T->data;
  e->time = d->time;
  e->command = d->command;
  e->external = d->external;
  e->nexternal = d->nexternal;
  lb_constraints_set_redundant(e, lb_constraints_redundant(d));
  lb_full_step_see(T, e->qd, d->qd);
  lb_full_step_see(T, e->qdd, d->qdd);
  const int joints = T->nbody > 0 ? T->body[0].q : T->m->nq; // nodes come last
  memcpy(e->q, d->q, (size_t)joints * sizeof *e->q);
  for (int i = 0; i < T->nbody; i++) {
    const lb_full_part* p = &T->body[i];
    double* q = e->q + T->link[p->link].q;
    lb_full_trace(p->T.b, q, d->q + p->q);
    memset(q + p->T.nz, 0, LB_FULL_CARRIERS * sizeof *q);
    e->qd[p->y + p->T.nz] = e->qdd[p->y + p->T.nz + 1] = 1;
  }
}

lb_data* lb_full_step_pose(lb_full_step* T, lb_data* d) {
  const lb_model* m = T->m;
  lb_kinematics(m, d, d->q, d->qd);
  lb_rnea_moved(m, d, d->work->bias, d->qdd);
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    const lb_state* s = &d->work->state[p->link];
    const lb_m3 Rt = lb_m3_transpose(s->R);
    const lb_reduced_motion motion = {lb_m3_apply(Rt, s->w), lb_m3_apply(Rt, s->al),
                                      lb_m3_apply(Rt, s->a)};
    lb_full_derivative_pose(&p->T, d->q + p->q, d->qd + p->v, d->qdd + p->v);
    lb_full_derivative_move(&p->T, motion, lb_m3_apply(Rt, s->v), s->elastic->Q);
  }
  see_all(T, d);
  return T->data;
}

// One of the motions that each coordinate gives a body's frame, in the body's axes, as rows.
static void put_motions(const lb_full_step* T, const lb_full_part* p, double* rows,
                        const lb_motion* moves, bool turn_only) {
  const lb_m3 R = T->data->work->state[p->link].R;
  for (int k = 0; k < T->ny; k++) {
    double part[6];
    lb_v4_store(part, lb_m3_apply_transposed(R, moves[k].w));
    lb_v4_store(part + 3, lb_m3_apply_transposed(R, moves[k].v));
    for (int i = 0; i < (turn_only ? 3 : 6); i++) {
      rows[i * T->ny + k] = part[i];
    }
  }
}

void lb_full_step_take(lb_full_step* T, const lb_derivatives* D) {
  const lb_derivation* W = D->work;
  const size_t beyond = LB_FULL_WRENCH * (size_t)T->ny;
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    const struct {
      double* rows;
      const lb_motion* of;
      bool turn;
    } part[] = {{p->K, W->chi, false},
                {p->K + beyond, W->psi, true},
                {p->C, W->sig, false},
                {p->C + beyond, W->S, true},
                {p->M, W->S, false}};
    for (size_t j = 0; j < sizeof part / sizeof *part; j++) {
      lb_derive_columns(D, W->lever[0], part[j].of, p->link, lb_v4_zero());
      put_motions(T, p, part[j].rows, W->lever[0], part[j].turn);
    }
  }
}

// --- solving ---

// y [ny] += s R'x and x [rows] = R y, for rows R [rows][ny].
static void add_rows(const lb_full_step* T, int rows, double* y, double s, const double* R,
                     const double* x) {
  for (int i = 0; i < rows; i++) {
    lb_add(T->ny, y, s * x[i], R + (size_t)i * (size_t)T->ny);
  }
}
static void take_rows(const lb_full_step* T, int rows, double* x, const double* R,
                      const double* y) {
  for (int i = 0; i < rows; i++) {
    x[i] = lb_dot(T->ny, R + (size_t)i * (size_t)T->ny, y);
  }
}

// Gw and P, without driven coordinates.
static void find_rows(lb_full_step* T, lb_full_part* p, double dt) {
  const size_t ny = (size_t)T->ny;
  memcpy(p->P, p->M, LB_FULL_WRENCH * ny * sizeof *p->P);
  for (size_t i = 0; i < LB_FULL_FRAME; i++) {
    double* row = p->W + i * ny;
    lb_add(T->ny, memset(T->seen[0], 0, ny * sizeof *row), 1 / dt, p->M + i * ny);
    lb_step_row(row, T->model, T->data, dt, p->K + i * ny, p->C + i * ny);
    lb_step_clear_driven(T->model, T->seen[0]);
    lb_add(T->ny, row, 1, T->seen[0]);
    if (i < LB_FULL_WRENCH) {
      lb_step_clear_driven(T->model, p->P + i * ny);
    }
  }
}

// Carriers are no unknowns: rows and columns of the identity.
static void hold_carriers(const lb_full_step* T, const lb_full_part* p, double* W) {
  const size_t ny = (size_t)T->ny;
  for (int c = 0; c < LB_FULL_CARRIERS; c++) {
    const size_t k = (size_t)p->y + (size_t)p->T.nz + (size_t)c;
    for (size_t j = 0; j < ny; j++) {
      W[k * ny + j] = W[j * ny + k] = j == k;
    }
  }
}

// (2)
static void add_part(lb_full_step* T, const lb_full_part* p, double* W) {
  const int nz = p->T.nz;
  const size_t ny = (size_t)T->ny;
  for (int k = 0; k < nz; k++) {
    double* row = W + (size_t)(p->y + k) * ny;
    lb_add(nz, row + p->y, 1, p->T.stiffness + (size_t)k * (size_t)nz);
    add_rows(T, LB_FULL_FRAME, row, 1, p->W, p->T.by_frame + (size_t)k * LB_FULL_FRAME);
  }
  for (int i = 0; i < LB_FULL_WRENCH; i++) { // what coordinates do to (n, f)
    double* by = T->sum[0];
    memset(by, 0, ny * sizeof *by);
    lb_add(nz, by + p->y, 1, p->T.by_trace + (size_t)i * (size_t)nz);
    add_rows(T, LB_FULL_FRAME, by, -1, p->W, p->T.through + (size_t)i * LB_FULL_FRAME);
    for (size_t k = 0; k < ny; k++) {
      lb_add(T->ny, W + k * ny, p->P[(size_t)i * ny + k], by);
    }
  }
}

bool lb_full_step_factor(lb_full_step* T, double dt, double* W) {
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    if (!lb_full_derivative_factor(&p->T, dt)) {
      return false;
    }
    find_rows(T, p, dt);
    hold_carriers(T, p, W);
    add_part(T, p, W);
  }
  return true;
}

void lb_full_step_before(lb_full_step* T, bool transposed, const double* b) {
  memset(T->y, 0, (size_t)T->ny * sizeof *T->y);
  memcpy(T->y, b, (size_t)T->nt * sizeof *T->y);
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    double g[LB_FULL_FRAME], *z = T->seen[0];
    lb_full_derivative_before(&p->T, transposed, b + p->v, z, g);
    lb_add(p->T.nz, T->y + p->y, 1, z);
    if (transposed) {
      add_rows(T, LB_FULL_FRAME, T->y, -1, p->W, g);
    } else {
      add_rows(T, LB_FULL_WRENCH, T->y, -1, p->P, g);
    }
  }
}

void lb_full_step_after(lb_full_step* T, bool transposed, double* b) {
  memcpy(b, T->y, (size_t)T->nt * sizeof *T->y);
  for (int i = 0; i < T->nbody; i++) {
    const lb_full_part* p = &T->body[i];
    double g[LB_FULL_FRAME];
    take_rows(T, transposed ? LB_FULL_WRENCH : LB_FULL_FRAME, g, transposed ? p->P : p->W, T->y);
    lb_full_derivative_after(&p->T, transposed, b + p->v, T->y + p->y, g);
  }
}

// --- products ---

void lb_full_step_add(lb_full_step* T, lb_full_matrices of, double* y, double s, const double* q,
                      const double* v, const double* a) {
  const double* const change[] = {q, v, a};
  const double* const matrix[] = {of.K, of.C, of.M};
  double* sum = T->sum[0];
  memset(sum, 0, (size_t)T->ny * sizeof *sum);
  for (int i = 0; i < 3; i++) {
    lb_full_step_see(T, T->seen[i], change[i]);
    for (int k = 0; k < T->ny; k++) {
      sum[k] += lb_dot(T->ny, matrix[i] + (size_t)k * (size_t)T->ny, T->seen[i]);
    }
  }
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    const double* const rows[] = {p->K, p->C, p->M};
    double wrench[LB_FULL_WRENCH], g[LB_FULL_FRAME] = {0}, part[LB_FULL_FRAME];
    lb_full_derivative_add(&p->T, y + p->v, s, q + p->v, v + p->v, a + p->v, wrench);
    add_rows(T, LB_FULL_WRENCH, sum, 1, p->M, wrench);
    for (int j = 0; j < 3; j++) {
      take_rows(T, LB_FULL_FRAME, part, rows[j], T->seen[j]);
      lb_add(LB_FULL_FRAME, g, 1, part);
    }
    lb_full_derivative_shake(&p->T, y + p->v, s, g);
  }
  lb_full_step_gather(T, y, s, sum);
}

void lb_full_step_add_back(lb_full_step* T, lb_full_matrices of, double* q, double* v, double* a,
                           double s, const double* mu) {
  double* const to[] = {q, v, a};
  const double* const matrix[] = {of.K, of.C, of.M};
  double* seen = T->seen[0];
  lb_full_step_see(T, seen, mu);
  for (int i = 0; i < 3; i++) {
    memset(T->sum[i], 0, (size_t)T->ny * sizeof *seen);
    add_rows(T, T->ny, T->sum[i], 1, matrix[i], seen);
  }
  for (int i = 0; i < T->nbody; i++) {
    lb_full_part* p = &T->body[i];
    const double* const rows[] = {p->K, p->C, p->M};
    double wrench[LB_FULL_WRENCH], g[LB_FULL_FRAME];
    take_rows(T, LB_FULL_WRENCH, wrench, p->M, seen);
    lb_full_derivative_add_back(&p->T, q + p->v, v + p->v, a + p->v, s, mu + p->v, wrench);
    lb_full_derivative_shake_back(&p->T, g, mu + p->v);
    for (int j = 0; j < 3; j++) {
      add_rows(T, LB_FULL_FRAME, T->sum[j], 1, rows[j], g);
    }
  }
  for (int i = 0; i < 3; i++) {
    lb_full_step_gather(T, to[i], s, T->sum[i]);
  }
}
