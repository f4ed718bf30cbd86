#include "geom/path/wrap_network.h"

#include <string.h>

#include "base/npz.h"
#include "geom/mesh/file_load.h"

#define NAME(code, name) name,
const char* const lb_network_form_names[] = {LB_NETWORK_FORM_LIST(NAME)};

// --- layers with Taylor series ---

typedef struct numbers {
  lb_taylor a[2][LB_NETWORK_MOST_WIDTH];
} numbers;

LB_TAYLOR_INLINE lb_taylor curve(int N, lb_taylor z) {
  const double t = tanh(lb_taylor_value(&z)), d = 1 - t * t;
  return lb_taylor_apply(N, z, (double[]){t, d, -2 * t * d, d * (6 * t * t - 2)});
}

// out = W in + b for two numbers at a time, which hides the time that additions take.
LB_TAYLOR_INLINE void layer(int N, int in, int out, const double* W, const lb_taylor* a,
                            lb_taylor* z) {
  const double* b = W + (size_t)in * (size_t)out;
  for (int i = 0; i < out; i += 2) {
    const int j = i + 1 < out ? i + 1 : i;
    const double *wi = W + (size_t)i * (size_t)in, *wj = W + (size_t)j * (size_t)in;
    lb_taylor x = lb_taylor_constant(b[i]), y = lb_taylor_constant(b[j]);
    for (int k = 0; k < in; k++) {
      for (int n = 0; n <= N; n++) {
        x.c[n] = lb_v8_add(x.c[n], wi[k], a[k].c[n]);
        y.c[n] = lb_v8_add(y.c[n], wj[k], a[k].c[n]);
      }
    }
    z[i] = x;
    z[j] = y;
  }
}

// Network's output from its input, which is in a[0]; where it is found.
LB_TAYLOR_INLINE const lb_taylor* evaluate(int N, const lb_network* net, numbers* s) {
  const double* W = net->weight;
  for (int l = 0; l < net->nlayer; l++) {
    lb_taylor* z = s->a[(l + 1) % 2];
    layer(N, net->size[l], net->size[l + 1], W, s->a[l % 2], z);
    for (int i = 0; i < net->size[l + 1] && l + 1 < net->nlayer; i++) {
      z[i] = curve(N, z[i]);
    }
    W += lb_network_layer_count(net, l);
  }
  return s->a[net->nlayer % 2];
}

// --- forms ---

// Triangle of an end, the centre and the tangent point: the angle at the centre, and the tangent.
typedef struct reach {
  lb_taylor angle, tangent;
} reach;

LB_TAYLOR_INLINE reach reach_of(int N, lb_taylor rho, double r) {
  const lb_taylor a = lb_taylor_sqrt(N, lb_taylor_shift(lb_taylor_mul(N, rho, rho), -r * r));
  return (reach){lb_taylor_angle(N, a, lb_taylor_constant(r)), a};
}

// Inputs of form `scaled` between -1 and 1.
static const double HALF_ANGLE = M_PI / 4, HALF_TURN = M_PI;

LB_TAYLOR_INLINE lb_taylor centred(int N, lb_taylor x, double middle, double half) {
  return lb_taylor_scale(N, 1 / half, lb_taylor_shift(x, -middle));
}

LB_TAYLOR_INLINE lb_taylor3 along_line(int N, const lb_taylor3* p, const lb_taylor3* q,
                                       lb_taylor alpha) {
  return lb_taylor3_add(N, *p, lb_taylor3_scale(N, alpha, lb_taylor3_sub(N, *q, *p)));
}

// Unit vectors that halve the angle from p to q, and a quarter turn on.
typedef struct halving {
  lb_taylor x[2], y[2];
} halving;

LB_TAYLOR_INLINE halving halve(int N, const lb_wrap_basis* P, lb_taylor dphi) {
  lb_taylor s, c;
  lb_taylor_sincos(N, lb_taylor_scale(N, 0.5, dphi), &s, &c);
  halving h;
  h.x[0] = lb_taylor_add(N, lb_taylor_mul(N, c, P->out.x), lb_taylor_mul(N, s, P->on.x));
  h.x[1] = lb_taylor_add(N, lb_taylor_mul(N, c, P->out.y), lb_taylor_mul(N, s, P->on.y));
  h.y[0] = lb_taylor_sub(N, lb_taylor_mul(N, c, P->on.x), lb_taylor_mul(N, s, P->out.x));
  h.y[1] = lb_taylor_sub(N, lb_taylor_mul(N, c, P->on.y), lb_taylor_mul(N, s, P->out.y));
  return h;
}

LB_TAYLOR_INLINE lb_taylor3 scaled_point(int N, const lb_network* net, double r,
                                         const lb_taylor3* p, const lb_taylor3* q,
                                         lb_taylor alpha) {
  lb_taylor3 x = along_line(N, p, q, alpha);
  const lb_wrap_basis P = lb_wrap_basis_of(N, p, 1), Q = lb_wrap_basis_of(N, q, 1);
  if (!(lb_taylor_value(&P.rho) > r) || !(lb_taylor_value(&Q.rho) > r)) {
    return x; // straight, as the exact path
  }
  numbers s;
  const reach a = reach_of(N, P.rho, r), b = reach_of(N, Q.rho, r);
  const lb_taylor dphi = lb_wrap_turned(N, p, q, 1);
  s.a[0][0] = centred(N, a.angle, HALF_ANGLE, HALF_ANGLE);
  s.a[0][1] = centred(N, b.angle, HALF_ANGLE, HALF_ANGLE);
  s.a[0][2] = centred(N, dphi, M_PI / 2, HALF_TURN);
  s.a[0][3] = centred(N, alpha, 0.5, 0.5);
  const lb_taylor* n = evaluate(N, net, &s);
  const halving h = halve(N, &P, dphi);
  const lb_taylor size =
      lb_taylor_shift(lb_taylor_scale(N, 0.5, lb_taylor_add(N, a.tangent, b.tangent)), r);
  const lb_taylor gain =
      lb_taylor_mul(N, size, lb_taylor_sub(N, alpha, lb_taylor_mul(N, alpha, alpha)));
  const lb_taylor n1 = lb_taylor_mul(N, gain, n[0]), n2 = lb_taylor_mul(N, gain, n[1]);
  x.x = lb_taylor_add(N, x.x,
                      lb_taylor_add(N, lb_taylor_mul(N, n1, h.x[0]), lb_taylor_mul(N, n2, h.y[0])));
  x.y = lb_taylor_add(N, x.y,
                      lb_taylor_add(N, lb_taylor_mul(N, n1, h.x[1]), lb_taylor_mul(N, n2, h.y[1])));
  return x;
}

LB_TAYLOR_INLINE lb_taylor3 points_point(int N, const lb_network* net, double r,
                                         const lb_taylor3* p, const lb_taylor3* q,
                                         lb_taylor alpha) {
  numbers s;
  const lb_taylor in[] = {p->x, p->y, p->z, q->x, q->y, q->z, alpha, lb_taylor_constant(r)};
  memcpy(s.a[0], in, sizeof in);
  const lb_taylor* x = evaluate(N, net, &s);
  return (lb_taylor3){x[0], x[1], x[2]};
}

static lb_taylor3 scaled(int N, const lb_network* net, double r, const lb_taylor3* p,
                         const lb_taylor3* q, const lb_taylor* alpha) {
  lb_taylor3 x;
#define SCALED(N) x = scaled_point(N, net, r, p, q, *alpha)
  LB_TAYLOR_ORDERS(SCALED)
  return x;
}

static lb_taylor3 points(int N, const lb_network* net, double r, const lb_taylor3* p,
                         const lb_taylor3* q, const lb_taylor* alpha) {
  lb_taylor3 x;
#define POINTS(N) x = points_point(N, net, r, p, q, *alpha)
  LB_TAYLOR_ORDERS(POINTS)
  return x;
}

static const struct form {
  int ninput, noutput;
  double radius[2], reach;
  lb_taylor3 (*point)(int N, const lb_network* net, double r, const lb_taylor3* p,
                      const lb_taylor3* q, const lb_taylor* alpha);
} FORM[LB_FORM_COUNT] = {
    [LB_FORM_SCALED] = {4, 2, {0, INFINITY}, INFINITY, scaled},
    [LB_FORM_POINTS] = {8, 3, {0.01, 0.2}, 1, points},
};

int lb_network_form_inputs(lb_network_form form) {
  return FORM[form].ninput;
}

int lb_network_form_outputs(lb_network_form form) {
  return FORM[form].noutput;
}

void lb_wrap_network_limit(lb_wrap_network* w) {
  memcpy(w->radius, FORM[w->form].radius, sizeof w->radius);
  w->reach = FORM[w->form].reach;
}

static lb_taylor3 mirrored(const lb_taylor3* a, int sense) {
  return (lb_taylor3){a->x, lb_taylor_scale(LB_TAYLOR_ORDER, sense, a->y), a->z};
}

lb_taylor3 lb_wrap_network_point(int N, const lb_wrap_network* w, double r, int sense,
                                 const lb_taylor3* p, const lb_taylor3* q, const lb_taylor* alpha) {
  const lb_taylor3 P = mirrored(p, sense), Q = mirrored(q, sense);
  const lb_taylor3 x = FORM[w->form].point(N, &w->net, r, &P, &Q, alpha);
  return mirrored(&x, sense);
}

const char* lb_wrap_network_strays(const lb_wrap_network* w, double r, lb_vec3 p, lb_vec3 q) {
  const double most = fmax(fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)),
                           fmax(fmax(fabs(q.x), fabs(q.y)), fabs(q.z)));
  return r < w->radius[0] || r > w->radius[1] ? "a radius of 0.01 to 0.2 m"
         : most > w->reach ? "points within 1 m of the surface's origin along each axis"
                           : NULL;
}

// --- files ---

lb_status lb_wrap_network_pack(const lb_wrap_network* w, lb_arena* arena, char** bytes,
                               size_t* size) {
  const lb_npz_array part[] = {
      {"form", LB_NPZ_TEXT, 0, {0}, &lb_network_form_names[w->form], NULL},
      {"size", LB_NPZ_INT, 1, {w->net.nlayer + 1}, w->net.size, NULL},
      {"weight", LB_NPZ_NUMBER, 1, {(int)lb_network_count(&w->net)}, w->net.weight, NULL}};
  return lb_npz_pack(part, sizeof part / sizeof *part, arena, bytes, size);
}

static bool sizes_hold(const lb_wrap_network* w, const int* size, int n) {
  bool ok = n >= 2 && n <= LB_NETWORK_MOST_LAYERS + 1 && size[0] == FORM[w->form].ninput &&
            size[n - 1] == FORM[w->form].noutput;
  for (int l = 0; l < n && ok; l++) {
    ok = size[l] > 0 && size[l] <= LB_NETWORK_MOST_WIDTH;
  }
  return ok;
}

static bool all_finite(const double* x, int n) {
  bool ok = true;
  for (int i = 0; i < n; i++) {
    ok = ok && isfinite(x[i]);
  }
  return ok;
}

lb_status lb_wrap_network_parse(const char* bytes, size_t size, const char* name, lb_arena* arena,
                                lb_wrap_network* w, lb_error* err) {
  lb_npz npz;
  lb_status status = lb_npz_parse(bytes, size, name, arena, &npz, err);
  if (status != LB_OK) {
    return status;
  }
  int nsize[] = {-1}, nweight[] = {-1};
  const char* const* form = lb_npz_get(&npz, "form", LB_NPZ_TEXT, 0, NULL, err);
  const int* sizes = form ? lb_npz_get(&npz, "size", LB_NPZ_INT, 1, nsize, err) : NULL;
  const double* weight = sizes ? lb_npz_get(&npz, "weight", LB_NPZ_NUMBER, 1, nweight, err) : NULL;
  if (!weight) {
    return LB_INVALID;
  }
  lb_wrap_network read = {.form = LB_FORM_COUNT};
  for (int k = 0; k < LB_FORM_COUNT; k++) {
    read.form = strcmp(*form, lb_network_form_names[k]) == 0 ? (lb_network_form)k : read.form;
  }
  const lb_place place = {.file = name};
  if (read.form == LB_FORM_COUNT) {
    return lb_error_add(err, LB_INVALID, place,
                        "is of form '%s', which is neither 'scaled' nor 'points'", *form);
  }
  if (!sizes_hold(&read, sizes, nsize[0])) {
    return lb_error_add(err, LB_INVALID, place,
                        "'size' must begin with %d, end with %d, and have widths of 1 to %d in at "
                        "most %d layers",
                        FORM[read.form].ninput, FORM[read.form].noutput, LB_NETWORK_MOST_WIDTH,
                        LB_NETWORK_MOST_LAYERS);
  }
  read.net.nlayer = nsize[0] - 1;
  memcpy(read.net.size, sizes, (size_t)nsize[0] * sizeof *sizes);
  if ((size_t)nweight[0] != lb_network_count(&read.net) || !all_finite(weight, nweight[0])) {
    return lb_error_add(err, LB_INVALID, place, "'weight' must have %zu numbers, all finite",
                        lb_network_count(&read.net));
  }
  read.net.weight = LB_COPY(arena, weight, nweight[0]);
  lb_wrap_network_limit(&read);
  *w = read;
  return read.net.weight ? LB_OK : LB_NO_MEMORY;
}

lb_status lb_wrap_network_read(const char* path, lb_place from, lb_arena* arena, lb_wrap_network* w,
                               lb_error* err) {
  char* text = NULL;
  size_t size = 0;
  const lb_status status = lb_load(path, "network", from, arena, &text, &size, err);
  return status == LB_OK ? lb_wrap_network_parse(text, size, path, arena, w, err) : status;
}
