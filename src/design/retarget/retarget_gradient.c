// The gradient by the discrete adjoint, from the last step to the first. Exact for the objective as
// it is summed up.
#include "design/retarget/retarget_search.h"
#include "math/linear/dense.h"

typedef struct way_back {
  lb_tangents tangents; // first: it is the walk's context, too
  double* gradient;     // [nmotor][ncontrol]
} way_back;

// Through one step, and what its motors' share means for the control points.
static void go_back(void* context, lb_tangent* t) {
  way_back* w = context;
  lb_walk_back(&w->tangents.walk, t);
  const double time = lb_tape_record(&w->tangents.r->tape, t->record)->time;
  lb_tangents_spread(&w->tangents, time, t->motor, w->gradient);
}

lb_status lb_motion_gradient_one(lb_retargeting* r, const lb_curves* curves, double* gradient,
                                 lb_linear* keep) {
  const int n = curves->nmotor * curves->ncontrol;
  way_back w = {.gradient = NULL};
  lb_status status = lb_tangents_open(&w.tangents, r, curves, keep);
  if (status == LB_OK) {
    w.gradient = LB_TAKE(&w.tangents.walk.arena, double, n);
    status = w.gradient ? lb_walk_along(&w.tangents.walk, true, go_back)
                        : lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0},
                                       "out of memory for a gradient");
  }
  if (status == LB_OK) {
    lb_add(n, gradient, 1, w.gradient);
  }
  lb_tangents_close(&w.tangents);
  return status;
}
