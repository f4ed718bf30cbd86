#include "elastic/reduced/reduced.h"

#include <string.h>

#include "elastic/full/full_body.h"
#include "math/space/polar.h"

// --- integrals ---

static lb_v4 sum_nodes(const double* field, int nnode) {
  lb_v4 sum = lb_v4_zero();
  for (int i = 0; i < nnode; i++) {
    sum += lb_v4_at(field, i);
  }
  return sum;
}

// sum_i a_i b_i'
static lb_m3 outer_nodes(const double* a, const double* b, int nnode) {
  lb_m3 sum = {0};
  for (int i = 0; i < nnode; i++) {
    lb_m3_add_outer(&sum, 1, lb_v4_at(a, i), lb_v4_at(b, i));
  }
  return sum;
}

static void integrate(lb_reduced* b, const lb_reduced_input* in, double* y) {
  const size_t n3 = 3 * (size_t)in->nnode;
  in->apply_mass(in->context, y, in->X);
  b->h0 = sum_nodes(y, in->nnode);
  b->E0 = outer_nodes(y, in->X, in->nnode);
  for (int k = 0; k < b->r; k++) {
    in->apply_mass(in->context, y, in->Phi + (size_t)k * n3);
    b->H[k] = sum_nodes(y, in->nnode);
    b->B0[k] = outer_nodes(y, in->X, in->nnode);
    for (int l = 0; l < b->r; l++) {
      b->B1[k * b->r + l] = outer_nodes(y, in->Phi + (size_t)l * n3, in->nnode);
      b->M[k * b->r + l] = lb_m3_trace(b->B1[k * b->r + l]);
    }
  }
}

// C_kl = Phi_k . C Phi_l
static void integrate_damping(lb_reduced* b, const lb_reduced_input* in, double* y) {
  const size_t n3 = 3 * (size_t)in->nnode;
  for (int k = 0; k < b->r; k++) {
    in->apply_damping(in->context, y, in->Phi + (size_t)k * n3);
    for (int l = 0; l < b->r; l++) {
      double sum = 0;
      for (size_t i = 0; i < n3; i++) {
        sum += y[i] * in->Phi[(size_t)l * n3 + i];
      }
      b->C[k * b->r + l] = sum;
    }
  }
}

// Mass from a unit field along x.
static double total_mass(const lb_reduced_input* in, double* y, double* one) {
  memset(one, 0, 3 * (size_t)in->nnode * sizeof *one);
  for (int i = 0; i < in->nnode; i++) {
    one[3 * i] = 1;
  }
  in->apply_mass(in->context, y, one);
  return sum_nodes(y, in->nnode)[0];
}

lb_v4 lb_face_centroid(const lb_basis_face* face, const double* X, double* total) {
  lb_v4 sum = lb_v4_zero();
  *total = 0;
  for (int i = 0; i < face->count; i++) {
    *total += face->weight[i];
    sum += lb_v4_at(X, face->node[i]) * face->weight[i];
  }
  return sum / *total;
}

static void gather_face(lb_face* face, const lb_basis_face* from, const lb_reduced_input* in) {
  double total;
  face->x0 = lb_face_centroid(from, in->X, &total);
  for (int i = 0; i < from->count; i++) {
    const lb_v4 D = lb_v4_at(in->X, from->node[i]) - face->x0;
    const double w = from->weight[i] / total;
    lb_m3_add_outer(&face->A0, w, D, D);
    for (int k = 0; k < in->r; k++) {
      const lb_v4 phi = lb_v4_at(in->Phi + (size_t)k * 3 * (size_t)in->nnode, from->node[i]);
      face->W[k] += phi * w;
      lb_m3_add_outer(&face->A[k], w, phi, D);
    }
  }
}

lb_status lb_reduced_take(lb_reduced* b, int r, int nface, lb_arena* arena) {
  *b = (lb_reduced){.r = r,
                    .nface = nface,
                    .H = LB_TAKE(arena, lb_v4, r),
                    .B0 = LB_TAKE(arena, lb_m3, r),
                    .B1 = LB_TAKE(arena, lb_m3, r * r),
                    .M = LB_TAKE(arena, double, r* r),
                    .face = LB_TAKE(arena, lb_face, nface)};
  for (int f = 0; b->face && f < nface; f++) {
    b->face[f].W = LB_TAKE(arena, lb_v4, r);
    b->face[f].A = LB_TAKE(arena, lb_m3, r);
  }
  return lb_arena_status(arena);
}

lb_status lb_reduced_create(lb_reduced* b, const lb_reduced_input* in, lb_arena* arena) {
  lb_reduced made;
  lb_reduced_take(&made, in->r, in->nface, arena);
  made.C = in->apply_damping ? LB_TAKE(arena, double, in->r * in->r) : NULL;
  const lb_arena_mark mark = lb_arena_here(arena);
  double* y = LB_TAKE(arena, double, 3 * in->nnode);
  double* one = LB_TAKE(arena, double, 3 * in->nnode);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  made.m = total_mass(in, y, one);
  integrate(&made, in, y);
  if (made.C) {
    integrate_damping(&made, in, y);
  }
  lb_arena_reset(arena, mark);
  for (int f = 0; f < in->nface; f++) {
    gather_face(&made.face[f], &in->face[f], in);
  }
  *b = made;
  return LB_OK;
}

// --- inertia ---

void lb_reduced_weigh(const lb_reduced* b, lb_reduced_state* s, const double* eta) {
  const int r = b->r;
  lb_m3 E = b->E0;
  s->h = b->h0;
  for (int k = 0; k < r; k++) {
    lb_m3 B = b->B0[k];
    const lb_m3* B1 = b->B1 + (size_t)k * (size_t)r;
    for (int l = 0; l < r; l++) {
      lb_m3_add_scaled(&B, eta[l], B1[l]);
    }
    s->B[k] = B;
    // x x Phi_k from Phi_k x'
    s->C[k] = lb_m3_axial(B);
    s->h += b->H[k] * eta[k];
    // int rho x x' = E0 + sum eta_k (B0_k' + B_k): the first from X Phi_k', the second from Phi_k
    // x'
    lb_m3_add_scaled(&E, eta[k], B);
    lb_m3_add_scaled(&E, eta[k], lb_m3_transpose(b->B0[k]));
  }
  s->I = lb_m3_complement(E);
}

void lb_reduced_inertia(const lb_reduced* b, const lb_reduced_state* s, lb_reduced_motion motion,
                        const double* etad, const double* etadd, lb_v4* n, lb_v4* f, double* Q) {
  const int r = b->r;
  const lb_v4 w = motion.w;
  lb_v4 hd = lb_v4_zero(), hdd = lb_v4_zero(), spin = lb_v4_zero();
  lb_m3 P = {0};
  for (int k = 0; k < r; k++) {
    hd += b->H[k] * etad[k];
    hdd += b->H[k] * etadd[k];
    spin += s->C[k] * etadd[k];
    lb_m3_add_scaled(&P, etad[k], s->B[k]);
  }
  *f = motion.a * b->m + lb_v4_cross(motion.al, s->h) +
       lb_v4_cross(w, lb_v4_cross(w, s->h) + 2 * hd) + hdd;
  *n = lb_v4_cross(s->h, motion.a) + lb_m3_apply(s->I, motion.al) +
       lb_v4_cross(w, lb_m3_apply(s->I, w)) + 2 * (w * lb_m3_trace(P) - lb_m3_apply(P, w)) + spin;
  const double ww = lb_v4_dot(w, w);
  for (int k = 0; k < r; k++) {
    const lb_m3* B1 = b->B1 + (size_t)k * (size_t)r;
    const double* M = b->M + (size_t)k * (size_t)r;
    lb_m3 Bd = {0};
    double inertia = 0;
    for (int l = 0; l < r; l++) {
      lb_m3_add_scaled(&Bd, etad[l], B1[l]);
      inertia += M[l] * etadd[l];
    }
    Q[k] = lb_v4_dot(b->H[k], motion.a) + lb_v4_dot(s->C[k], motion.al) +
           lb_v4_dot(w, lb_m3_apply(s->B[k], w)) - ww * lb_m3_trace(s->B[k]) +
           2 * lb_v4_dot(w, lb_m3_axial(Bd)) + inertia;
  }
}

double lb_reduced_kinetic(const lb_reduced* b, const lb_reduced_state* s, lb_v4 v, lb_v4 w,
                          const double* etad) {
  lb_v4 hd = lb_v4_zero(), turn = lb_v4_zero();
  double own = 0;
  for (int k = 0; k < b->r; k++) {
    hd += b->H[k] * etad[k];
    turn += s->C[k] * etad[k];
    for (int l = 0; l < b->r; l++) {
      own += 0.5 * etad[k] * b->M[k * b->r + l] * etad[l];
    }
  }
  return own + 0.5 * b->m * lb_v4_dot(v, v) + lb_v4_dot(v, lb_v4_cross(w, s->h) + hd) +
         0.5 * lb_v4_dot(w, lb_m3_apply(s->I, w)) + lb_v4_dot(w, turn);
}

// --- internal forces ---

int lb_reduced_scratch(const lb_reduced* b) {
  return 2 * b->r + b->internal.scratch;
}

void lb_reduced_add_forces(const lb_reduced* b, double* tau, const double* eta, const double* etad,
                           double* scratch) {
  if (b->full) {
    lb_full nodes = *b->full;
    nodes.alpha = b->alpha;
    nodes.beta = b->beta;
    lb_full_add_forces(&nodes, tau, eta, etad, scratch);
    return;
  }
  const int r = b->r;
  const double* C = b->C ? b->C : b->M;
  double* f = scratch;
  double* Kv = scratch + r;
  b->internal.force(b->internal.context, f, b->beta > 0 ? Kv : NULL, eta, etad, scratch + 2 * r);
  for (int k = 0; k < r; k++) {
    double Cv = 0;
    for (int l = 0; l < r; l++) {
      Cv += C[k * r + l] * etad[l];
    }
    tau[k] -= f[k] + b->alpha * Cv + (b->beta > 0 ? b->beta * Kv[k] : 0);
  }
}

// --- faces ---

void lb_face_turn(lb_face_state* s, lb_m3 A) {
  s->R = lb_m3_from(lb_polar_decompose(lb_m3_mat3(A)).R);
  s->S = lb_m3_mul(lb_m3_transpose(s->R), A);
  s->Yinv = lb_m3_inverse_symmetric(lb_m3_complement(s->S));
}

void lb_face_bias(lb_face_state* s, lb_m3 Ad) {
  // Rd'Ad = -[w] R'Ad, Sd = -[w] S + R'Ad, Yd w = tr(Sd) w - Sd w
  const lb_m3 RtAd = lb_m3_mul(lb_m3_transpose(s->R), Ad);
  const lb_m3 wS = lb_m3_cross_mul(s->w, s->S);
  const lb_m3 Sd = {RtAd.x - wS.x, RtAd.y - wS.y, RtAd.z - wS.z};
  const lb_v4 turn = -lb_m3_axial(lb_m3_cross_mul(s->w, RtAd));
  s->c_w = lb_m3_apply(s->Yinv, turn - (s->w * lb_m3_trace(Sd) - lb_m3_apply(Sd, s->w)));
}

void lb_face_place(const lb_reduced* b, const lb_face* face, lb_face_state* s, const double* eta) {
  lb_m3 A = face->A0;
  s->x = face->x0;
  for (int k = 0; k < b->r; k++) {
    s->x += face->W[k] * eta[k];
    lb_m3_add_scaled(&A, eta[k], face->A[k]);
  }
  lb_face_turn(s, A);
  const lb_m3 Rt = lb_m3_transpose(s->R);
  for (int k = 0; k < b->r; k++) {
    s->G[k] = lb_m3_apply(s->Yinv, lb_m3_axial(lb_m3_mul(Rt, face->A[k])));
  }
}

void lb_face_move(const lb_reduced* b, const lb_face* face, lb_face_state* s, const double* etad) {
  lb_m3 Ad = {0};
  s->xd = s->w = lb_v4_zero();
  for (int k = 0; k < b->r; k++) {
    s->xd += face->W[k] * etad[k];
    s->w += s->G[k] * etad[k];
    lb_m3_add_scaled(&Ad, etad[k], face->A[k]);
  }
  lb_face_bias(s, Ad);
}
