#include "elastic/reduced/curved.h"

#include <string.h>

// --- memory ---

static lb_reduced lay_out_here(lb_carver* c, const lb_reduced* b) {
  const size_t r = (size_t)b->r;
  lb_reduced here = *b;
  here.H = lb_carve(c, r, sizeof *here.H);
  here.B0 = NULL;
  here.B1 = lb_carve(c, r * r, sizeof *here.B1);
  here.M = lb_carve(c, r * r, sizeof *here.M);
  return here;
}

lb_curved_state* lb_curved_lay_out(lb_carver* c, const lb_reduced* b) {
  if (!b->curved) {
    return NULL;
  }
  const size_t n = (size_t)b->curved->n, r = (size_t)b->r;
  lb_curved_state* s = lb_carve(c, 1, sizeof *s);
  lb_curved_state made = {.of = b->curved, .r = b->r, .here = lay_out_here(c, b)};
  made.flat.B = lb_carve(c, n, sizeof(lb_m3));
  made.flat.C = lb_carve(c, n, sizeof(lb_v4));
  double** const vectors[] = {&made.z, &made.zd, &made.bias, &made.zdd, &made.Q};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, n, sizeof(double));
  }
  double** const matrices[] = {&made.J, &made.MJ, &made.Jd, &made.Jdd};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    *matrices[i] = lb_carve(c, n * r, sizeof(double));
  }
  made.H = lb_carve(c, n * r * r, sizeof(double));
  made.eta = lb_carve(c, r, sizeof(double));
  made.turn = lb_carve(c, n * r, sizeof *made.turn);
  made.slope = lb_carve(c, n, sizeof *made.slope);
  made.scratch = lb_carve(c, n * r * (1 + r) + (size_t)b->curved->scratch, sizeof(double));
  if (s) {
    *s = made;
  }
  return s;
}

// --- the linear body at a state ---

// out [n][r] = A J, A symmetric
static void times_jacobian(const lb_curved_state* s, double* out, const double* A) {
  const int n = s->of->n, r = s->r;
  memset(out, 0, (size_t)(n * r) * sizeof *out);
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < n; l++) {
      for (int k = 0; k < r; k++) {
        out[i * r + k] += A[i * n + l] * s->J[l * r + k];
      }
    }
  }
}

// J'X J of the flat body's B1 and M.
static void bend_mass(lb_curved_state* s) {
  const int n = s->of->n, r = s->r;
  const lb_reduced* flat = s->of->flat;
  memset(s->here.B1, 0, (size_t)(r * r) * sizeof *s->here.B1);
  memset(s->here.M, 0, (size_t)(r * r) * sizeof *s->here.M);
  times_jacobian(s, s->MJ, flat->M);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < r; k++) {
      lb_m3 row = {0}; // sum_l B1_il J_lk
      for (int l = 0; l < n; l++) {
        lb_m3_add_scaled(&row, s->J[l * r + k], flat->B1[i * n + l]);
      }
      s->turn[i * r + k] = lb_m3_axial(row);
      for (int m = 0; m < r; m++) {
        lb_m3_add_scaled(&s->here.B1[m * r + k], s->J[i * r + m], row);
        s->here.M[m * r + k] += s->J[i * r + m] * s->MJ[i * r + k];
      }
    }
  }
}

void lb_curved_place(lb_curved_state* s, lb_reduced_state* state, const double* eta) {
  const lb_curved* of = s->of;
  const size_t bytes = (size_t)s->r * sizeof *eta;
  if (s->placed && memcmp(s->eta, eta, bytes) == 0) {
    return;
  }
  s->placed = true;
  memcpy(s->eta, eta, bytes);
  of->evaluate(of->context, s->z, s->J, s->H, eta, s->scratch);
  lb_reduced_weigh(of->flat, &s->flat, s->z);
  bend_mass(s);
  state->h = s->flat.h;
  state->I = s->flat.I;
  for (int k = 0; k < s->r; k++) {
    lb_m3 B = {0};
    lb_v4 C = lb_v4_zero(), H = lb_v4_zero();
    for (int i = 0; i < of->n; i++) {
      const double J = s->J[i * s->r + k];
      lb_m3_add_scaled(&B, J, s->flat.B[i]);
      C += s->flat.C[i] * J;
      H += of->flat->H[i] * J;
    }
    state->B[k] = B;
    state->C[k] = C;
    s->here.H[k] = H;
  }
}

// --- motion ---

// y [n] = J x
static void along(const lb_curved_state* s, double* y, const double* x) {
  for (int i = 0; i < s->of->n; i++) {
    y[i] = 0;
    for (int k = 0; k < s->r; k++) {
      y[i] += s->J[i * s->r + k] * x[k];
    }
  }
}

// out [n][r] = H x
static void bend_along(const lb_curved_state* s, double* out, const double* x) {
  for (int i = 0; i < s->of->n * s->r; i++) {
    out[i] = 0;
    for (int k = 0; k < s->r; k++) {
      out[i] += s->H[i * s->r + k] * x[k];
    }
  }
}

void lb_curved_move(lb_curved_state* s, const double* etad) {
  along(s, s->zd, etad);
  for (int i = 0; i < s->of->n; i++) {
    s->bias[i] = 0;
    for (int m = 0; m < s->r * s->r; m++) {
      s->bias[i] += s->H[i * s->r * s->r + m] * etad[m / s->r] * etad[m % s->r];
    }
  }
}

void lb_curved_amplitudes(const lb_curved_state* s, double* z, double* zd, const double* eta,
                          const double* etad) {
  const int n = s->of->n, r = s->r;
  double *J = s->scratch, *H = J + n * r;
  s->of->evaluate(s->of->context, z, J, H, eta, H + n * r * r);
  for (int i = 0; i < n; i++) {
    zd[i] = 0;
    for (int k = 0; k < r; k++) {
      zd[i] += J[i * r + k] * etad[k];
    }
  }
}

void lb_curved_bend(lb_curved_state* s, const double* eta, const double* etad,
                    const double* etadd) {
  const lb_curved* of = s->of;
  bend_along(s, s->Jd, etad);
  bend_along(s, s->Jdd, etadd);
  of->evaluate_third(of->context, s->scratch, eta, etad, s->scratch + of->n * s->r);
  for (int i = 0; i < of->n * s->r; i++) {
    s->Jdd[i] += s->scratch[i];
  }
}

void lb_curved_add_inertia(const lb_curved_state* s, lb_v4* n, lb_v4* f, double* Q) {
  for (int i = 0; i < s->of->n; i++) {
    *f += s->of->flat->H[i] * s->bias[i];
    *n += s->flat.C[i] * s->bias[i];
    for (int k = 0; k < s->r; k++) {
      Q[k] += s->MJ[i * s->r + k] * s->bias[i];
    }
  }
}

// --- derivatives ---

void lb_curved_bend_force(const lb_curved_state* s, const double* force, double* K, int stride) {
  const int r = s->r;
  for (int i = 0; i < s->of->n; i++) {
    for (int m = 0; m < r; m++) {
      for (int k = 0; k < r; k++) {
        K[m * stride + k] += force[i] * s->H[(i * r + m) * r + k];
      }
    }
  }
}

// Forces by z, zd and zdd, and these by eta and etad:
//
//   (2)  d/deta_k = sum_z (d/dz J_k + d/dzd Jd_k + d/dzdd Jdd_k),   d/detad_k = sum_z (d/dzd J_k +
//        2 d/dzdd Jd_k)
static lb_reduced_slope gather(const lb_curved_state* s, int k) {
  lb_reduced_slope to = {lb_v4_zero(), lb_v4_zero(), lb_v4_zero(), lb_v4_zero(),
                         lb_v4_zero(), lb_v4_zero(), lb_v4_zero()};
  for (int i = 0; i < s->of->n; i++) {
    const lb_reduced_slope* z = &s->slope[i];
    const int at = i * s->r + k;
    const double J = s->J[at], Jd = s->Jd[at], Jdd = s->Jdd[at];
    to.un += z->un * J;
    to.uf += z->uf * J;
    to.b += z->b * J;
    to.gn += z->gn * J + z->dn * Jd + z->un * Jdd;
    to.gf += z->gf * J + z->df * Jd + z->uf * Jdd;
    to.dn += z->dn * J + 2 * Jd * z->un;
    to.df += z->df * J + 2 * Jd * z->uf;
  }
  return to;
}

// (2) of Q = J'Q_z, beyond what the linear body has. B1_li is B1_il', of which the axial vector is
// the opposite one.
static void derive_own(const lb_curved_state* s, lb_v4 w, double* Q_eta, double* Q_etad,
                       int stride) {
  const int r = s->r;
  for (int i = 0; i < s->of->n; i++) {
    for (int m = 0; m < r; m++) {
      const double by_rate = -2 * lb_v4_dot(w, s->turn[i * r + m]), M = s->MJ[i * r + m];
      for (int k = 0; k < r; k++) {
        Q_eta[m * stride + k] += by_rate * s->Jd[i * r + k] + M * s->Jdd[i * r + k];
        Q_etad[m * stride + k] += 2 * M * s->Jd[i * r + k];
      }
    }
  }
}

void lb_curved_derive(lb_curved_state* s, lb_reduced_motion motion, lb_v4 v, const double* eta,
                      const double* etad, const double* etadd, lb_reduced_slope* out, double* Q_eta,
                      double* Q_etad, int stride) {
  const lb_reduced* flat = s->of->flat;
  lb_v4 n, f;
  lb_curved_move(s, etad);
  lb_curved_bend(s, eta, etad, etadd);
  along(s, s->zdd, etadd);
  for (int i = 0; i < s->of->n; i++) {
    s->zdd[i] += s->bias[i];
  }
  lb_reduced_derive(flat, &s->flat, motion, v, s->zd, s->zdd, s->slope);
  for (int k = 0; k < s->r; k++) {
    out[k] = gather(s, k);
  }
  lb_reduced_derive_own(&s->here, motion, Q_eta, Q_etad, stride);
  derive_own(s, motion.w, Q_eta, Q_etad, stride);
  lb_reduced_inertia(flat, &s->flat, motion, s->zd, s->zdd, &n, &f, s->Q);
  lb_curved_bend_force(s, s->Q, Q_eta, stride);
}
