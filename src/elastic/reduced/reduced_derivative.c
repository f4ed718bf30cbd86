#include "elastic/reduced/reduced_derivative.h"

// [al] + [w][w]
static lb_m3 turning(lb_reduced_motion motion) {
  lb_m3 Z = lb_m3_cross_mul(motion.al, lb_m3_identity());
  lb_m3_add(&Z, lb_m3_cross_mul(motion.w, lb_m3_cross_mul(motion.w, lb_m3_identity())));
  return Z;
}

// sum_l x_l B1_kl
static lb_m3 along(const lb_reduced* b, int k, const double* x) {
  const lb_m3* B1 = b->B1 + (size_t)k * (size_t)b->r;
  lb_m3 sum = {0};
  for (int l = 0; l < b->r; l++) {
    lb_m3_add_scaled(&sum, x[l], B1[l]);
  }
  return sum;
}

void lb_reduced_derive(const lb_reduced* b, const lb_reduced_state* s, lb_reduced_motion motion,
                       lb_v4 v, const double* etad, const double* etadd, lb_reduced_slope* out) {
  const lb_v4 w = motion.w;
  const lb_m3 Z = turning(motion);
  const lb_m3 Zt = lb_m3_transpose(Z);
  for (int k = 0; k < b->r; k++) {
    const lb_v4 H = b->H[k];
    const lb_m3 B = s->B[k];
    const lb_m3 Bd = along(b, k, etad);
    const lb_m3 Bdd = along(b, k, etadd);
    out[k] = (lb_reduced_slope){.un = s->C[k],
                                .uf = H,
                                .b = 2 * (lb_v4_cross(v, H) + lb_m3_apply_transposed(B, w) -
                                          w * lb_m3_trace(B) + lb_m3_axial(Bd)),
                                .gn = lb_v4_cross(H, motion.a) + lb_m3_axial(lb_m3_mul(Z, B)) -
                                      lb_m3_axial(lb_m3_mul(B, Zt)) +
                                      2 * lb_m3_axial(lb_m3_mul_cross(Bd, w)) - lb_m3_axial(Bdd),
                                .gf = lb_m3_apply(Z, H),
                                .dn = 2 * lb_m3_axial(lb_m3_cross_mul(w, B)),
                                .df = 2 * lb_v4_cross(w, H)};
  }
}

void lb_reduced_derive_own(const lb_reduced* b, lb_reduced_motion motion, double* Q_eta,
                           double* Q_etad, int stride) {
  const lb_m3 Z = turning(motion);
  for (int m = 0; m < b->r; m++) {
    for (int k = 0; k < b->r; k++) {
      const lb_m3 B = b->B1[(size_t)m * (size_t)b->r + (size_t)k];
      const size_t at = (size_t)m * (size_t)stride + (size_t)k;
      Q_eta[at] += lb_v4_sum(B.x * Z.x + B.y * Z.y + B.z * Z.z);
      Q_etad[at] += 2 * lb_v4_dot(motion.w, lb_m3_axial(B));
    }
  }
}

// --- internal forces ---

// A += s B, [r][r] by rows, A with a stride
static void add_block(double* A, int stride, double s, const double* B, int r) {
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < r; j++) {
      A[(size_t)i * (size_t)stride + (size_t)j] += s * B[i * r + j];
    }
  }
}

void lb_reduced_blend_forces(const lb_reduced* b, double* to, int stride, double x, double y,
                             const double* eta, const double* etad, double* A, double* scratch) {
  const lb_blend of = {.K = x, .D = y * b->beta, .N = etad ? x * b->beta : 0};
  b->internal.blend(b->internal.context, A, of, eta, etad, scratch);
  add_block(to, stride, 1, A, b->r);
  add_block(to, stride, y * b->alpha, b->C ? b->C : b->M, b->r);
}

void lb_reduced_derive_forces(const lb_reduced* b, double* by_eta, double* by_etad, int stride,
                              const double* eta, const double* etad, double* A, double* scratch) {
  lb_reduced_blend_forces(b, by_eta, stride, 1, 0, eta, etad, A, scratch);
  lb_reduced_blend_forces(b, by_etad, stride, 0, 1, eta, etad, A, scratch);
}

void lb_reduced_stiffness_product(const lb_reduced* b, double* out, const double* eta,
                                  const double* etad, const double* v, double* scratch) {
  const lb_reduced_force* internal = &b->internal;
  const lb_blend of = {.K = 1, .N = b->beta};
  double* y = scratch;
  internal->blend_product(internal->context, y, of, eta, etad, v, scratch + 2 * b->r);
  for (int k = 0; k < b->r; k++) {
    out[k] += y[k];
  }
}

// --- faces ---

// L(A) x = tr(A) x - A x
static lb_v4 apply_L(lb_m3 A, lb_v4 x) {
  return x * lb_m3_trace(A) - lb_m3_apply(A, x);
}

static lb_m3 difference(lb_m3 A, lb_m3 B) {
  return (lb_m3){A.x - B.x, A.y - B.y, A.z - B.z};
}

// R' sum_k x_k A_k
static lb_m3 moved(const lb_reduced* b, const lb_face* face, lb_m3 Rt, const double* x) {
  lb_m3 sum = {0};
  for (int k = 0; k < b->r; k++) {
    lb_m3_add_scaled(&sum, x[k], face->A[k]);
  }
  return lb_m3_mul(Rt, sum);
}

static lb_m3 stretch_rate(const lb_face_state* s, lb_m3 RtA, lb_v4 g) {
  return difference(RtA, lb_m3_cross_mul(g, s->S));
}

void lb_face_derive(const lb_reduced* b, const lb_face* face, const lb_face_state* s,
                    const double* etad, const double* etadd, lb_v4* dw, lb_v4* dwd) {
  const lb_m3 Rt = lb_m3_transpose(s->R);
  const lb_m3 Ad = moved(b, face, Rt, etad);
  const lb_m3 Add = moved(b, face, Rt, etadd);
  const lb_m3 Sd = stretch_rate(s, Ad, s->w);
  const lb_v4 w = s->w;
  lb_v4 wd = s->c_w;
  for (int k = 0; k < b->r; k++) {
    wd += s->G[k] * etadd[k];
  }
  for (int k = 0; k < b->r; k++) {
    const lb_v4 G = s->G[k];
    const lb_m3 Sk = stretch_rate(s, lb_m3_mul(Rt, face->A[k]), G);
    dw[k] = -lb_m3_apply(s->Yinv, apply_L(Ad, G) + apply_L(Sk, w));
    lb_m3 back = lb_m3_cross_mul(G, Ad); // both brackets of (7)
    lb_m3_add(&back, back);
    lb_m3_add(&back, lb_m3_cross_mul(dw[k], s->S));
    lb_m3_add(&back, lb_m3_cross_mul(w, Sk));
    dwd[k] = lb_m3_apply(s->Yinv, apply_L(back, w) - apply_L(Sk, wd) - apply_L(Add, G) -
                                      apply_L(Ad, dw[k]) - apply_L(Sd, dw[k]));
  }
}

void lb_face_derive_moment(const lb_reduced* b, const lb_face* face, const lb_face_state* s,
                           lb_v4 n, double* K, int stride) {
  const lb_m3 Rt = lb_m3_transpose(s->R);
  const lb_v4 y = lb_m3_apply(s->Yinv, n);
  for (int k = 0; k < b->r; k++) {
    // y.L(A_k) and y.L(S_k), as rows
    const lb_m3 A = lb_m3_mul(Rt, face->A[k]);
    const lb_m3 S = stretch_rate(s, A, s->G[k]);
    const lb_v4 yA = apply_L(lb_m3_transpose(A), y);
    const lb_v4 yS = apply_L(lb_m3_transpose(S), y);
    for (int l = 0; l < b->r; l++) {
      K[(size_t)k * (size_t)stride + (size_t)l] -= lb_v4_dot(yA, s->G[l]); // G_k along l
      K[(size_t)l * (size_t)stride + (size_t)k] -= lb_v4_dot(yS, s->G[l]); // G_l along k
    }
  }
}
