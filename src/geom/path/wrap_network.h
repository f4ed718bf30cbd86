// Networks in place of a wrapped path, for comparison with [red] 5.3.3: a point of the path as a
// smooth function of both ends and of the part alpha of the length that lies before it.
//
//   points  [red] (5.38): (p, q, alpha, r) -> x, all in the surface's frame and in metres; good
//           where it was trained, for radii of 0.01 to 0.2 and points within +-1
//   scaled  in the plane across the cylinder, in units of r, with the tangents a = r tan(beta) and
//           b = r tan(gamma), which are there for all ends outside the surface:
//
//   (1)  (beta, gamma, dphi, alpha) -> n,
//        x = p + alpha (q - p) + alpha (1 - alpha) s (n_1 e_1 + n_2 e_2),   s = r + (a + b)/2
//
//           where e_1 halves the angle dphi from p to q, and e_2 is a quarter turn on. z is linear
//           in alpha, as on the exact path. Exact at both ends; any size.
//
// Derivatives are those of the very function that gives the point, so that energy is kept: the
// layers are evaluated with Taylor series (taylor.h). Networks turn as a cylinder of sense 1 does;
// the other sense is a mirror image, y -> -y.
#pragma once
#include "geom/path/wrap_path.h"
#include "math/network/train.h"

#define LB_NETWORK_FORM_LIST(X)                                                                    \
  X(LB_FORM_SCALED, "scaled")                                                                      \
  X(LB_FORM_POINTS, "points")

typedef enum lb_network_form {
#define LB_FORM_CODE(code, name) code,
  LB_NETWORK_FORM_LIST(LB_FORM_CODE)
#undef LB_FORM_CODE
      LB_FORM_COUNT
} lb_network_form;
extern const char* const lb_network_form_names[LB_FORM_COUNT];

typedef struct lb_wrap_network {
  lb_network_form form;
  lb_network net;
  double radius[2]; // range of radii that it was trained for; 0, INFINITY: any
  double reach;     // of the ends, along each axis; INFINITY: any
} lb_wrap_network;

int lb_network_form_inputs(lb_network_form form);
int lb_network_form_outputs(lb_network_form form);
// Range that a form is trained for.
void lb_wrap_network_limit(lb_wrap_network* w);

// Point at alpha, in the surface's frame, as a series of order N.
lb_taylor3 lb_wrap_network_point(int N, const lb_wrap_network* w, double r, int sense,
                                 const lb_taylor3* p, const lb_taylor3* q, const lb_taylor* alpha);
// What is out of its range, in words, or NULL.
const char* lb_wrap_network_strays(const lb_wrap_network* w, double r, lb_vec3 p, lb_vec3 q);

// Samples of the sharp path over a cylinder. Form `points`: those are dropped whose wrapped part is
// a positive fraction of the length below `threshold` [red]. Form `scaled`: a half of them is
// within 0.3 rad of lift-off, on both sides, with derivatives by all inputs.
void lb_wrap_network_samples(lb_network_form form, double threshold, uint64_t seed,
                             lb_train_data* data);

// A network's file: the arrays `form`, `size` and `weight` of an .npz.
lb_status lb_wrap_network_pack(const lb_wrap_network* w, lb_arena* arena, char** bytes,
                               size_t* size);
lb_status lb_wrap_network_parse(const char* bytes, size_t size, const char* name, lb_arena* arena,
                                lb_wrap_network* w, lb_error* err);
