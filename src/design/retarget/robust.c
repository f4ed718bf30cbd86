// Curves for a character that is not known exactly. The objective is then the mean over the model
// as it is and copies of it that are softer, stiffer, lighter and heavier, all of which are to
// follow the same target with the same curves. Values, gradients and products with J'J add up, so
// a copy is a retargeting of its own, hung onto the one before; without copies there is only one.
#include <string.h>

#include "design/retarget/retarget_search.h"

// How copies differ, as parts of what `robust` says.
static const struct { double stiffness, mass; } COPY[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
enum { COPIES = sizeof COPY / sizeof *COPY };

// --- copies ---

static lb_status add_copy(lb_retargeting* r, int i, const lb_retarget_options* options,
                          lb_retargeting** last) {
  const double off = r->what->robust;
  const lb_factors factors = {1 + off * COPY[i].stiffness, 1, 1 + off * COPY[i].mass};
  lb_retargeting* copy = LB_TAKE(&r->arena, lb_retargeting, 1);
  lb_targets* targets = LB_COPY(&r->arena, r->targets, 1);
  double* q0 = LB_TAKE(&r->arena, double, r->model->nq);
  lb_model* model = NULL;
  lb_data* d = NULL;
  lb_status status = lb_arena_check(&r->arena, "retargeting", r->err);
  status = status == LB_OK ? lb_vary(r->model, &factors, r->allocator, &model, r->err) : status;
  status = status == LB_OK ? lb_start_at_rest(model, r->allocator, &d, r->err) : status;
  if (status == LB_OK) { // targets stay; a run starts where the copy rests
    targets->q0 = memcpy(q0, d->q, (size_t)model->nq * sizeof *q0);
    status = lb_retargeting_open_one(copy, model, r->what, r->input, targets, options, r->allocator,
                                     r->err);
  }
  lb_data_release(d);
  if (status != LB_OK) {
    lb_model_release(model);
    return status;
  }
  copy->own = model;
  *last = (*last)->next = copy;
  return LB_OK;
}

lb_status lb_retargeting_open(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, const lb_allocator* allocator,
                              lb_error* err) {
  lb_retarget_options each = *options;
  const int n = what->robust > 0 ? COPIES : 0;
  each.memory /= (size_t)n + 1;
  lb_status status = lb_retargeting_open_one(r, model, what, input, targets, &each, allocator, err);
  if (status != LB_OK) {
    return status;
  }
  r->progress = &options->progress;
  lb_retargeting* last = r;
  for (int i = 0; i < n && status == LB_OK; i++) {
    status = add_copy(r, i, &each, &last);
    last->progress = &options->progress;
  }
  for (lb_retargeting* one = r; one; one = one->next) {
    one->share = 1. / (n + 1);
  }
  if (status != LB_OK) {
    lb_retargeting_close(r);
  }
  return status;
}

void lb_retargeting_close(lb_retargeting* r) {
  for (lb_retargeting *one = r->next, *next; one; one = next) {
    next = one->next;
    lb_model_release(one->own);
    lb_tape_close(&one->tape);
    lb_arena_release(&one->arena);
  }
  lb_tape_close(&r->tape);
  lb_arena_release(&r->arena);
}

// --- sums ---

lb_status lb_motion_run(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value) {
  lb_retarget_value sum = {0};
  lb_status status = lb_motion_run_one(r, curves, &sum);
  for (lb_retargeting* one = r->next; one && status == LB_OK; one = one->next) {
    lb_retarget_value own = {0};
    one->hold = r->hold;
    one->err = r->err;
    status = lb_motion_run_one(one, curves, &own);
    sum.deviation += own.deviation;
    sum.limits += own.limits;
  }
  if (status == LB_OK) {
    lb_regular_add(r, curves, &sum, NULL);
    sum.objective = sum.deviation + sum.closeness + sum.smoothness + sum.limits;
    *value = sum;
  }
  return status;
}

lb_status lb_motion_gradient(lb_retargeting* r, const lb_curves* curves, double* gradient,
                             lb_linear* keep) {
  r->ngradient++;
  const size_t n = (size_t)curves->nmotor * (size_t)curves->ncontrol;
  lb_retarget_value value = {0};
  lb_status status = LB_OK;
  memset(r->sum, 0, n * sizeof *r->sum);
  for (lb_retargeting* one = r; one && status == LB_OK; one = one->next) {
    status = lb_motion_gradient_one(one, curves, r->sum, keep);
    keep = keep ? keep->next : NULL;
  }
  if (status == LB_OK) {
    lb_regular_add(r, curves, &value, r->sum); // and none of the fixed ones
    memcpy(gradient, r->sum, n * sizeof *gradient);
  }
  return status;
}
