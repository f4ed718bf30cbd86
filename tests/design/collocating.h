// Collocations from a scene's text.
#pragma once
#include "design/collocate/collocation.h"
#include "limber/limber.h"
#include "test.h"

typedef struct collocated {
  lb_scene* scene; // which the collocation points to
  lb_model* m;
  lb_collocation* c;
} collocated;

static inline lb_status try_collocation(collocated* x, const char* text,
                                        const lb_collocate_inputs* in, lb_error* err) {
  x->scene = calloc(1, sizeof *x->scene);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, x->scene, err);
  x->m = NULL;
  x->c = NULL;
  if (status == LB_OK) {
    status = lb_model_create(x->scene, NULL, &x->m, err);
  }
  if (status == LB_OK) {
    status = lb_collocation_create(x->m, x->scene, in, NULL, &x->c, err);
  }
  return status;
}

static inline collocated make_collocation(const char* text, const lb_collocate_inputs* in) {
  const lb_collocate_inputs none = lb_collocate_default();
  collocated x;
  lb_error err = lb_error_make(NULL);
  if (try_collocation(&x, text, in ? in : &none, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return x;
}

static inline void forget_collocation(collocated* x) {
  lb_collocation_release(x->c);
  lb_model_release(x->m);
  lb_scene_release(x->scene);
  free(x->scene);
}

static inline collocated solve_collocation(const char* text, const lb_collocate_inputs* in) {
  collocated x = make_collocation(text, in);
  assert_int_equal(lb_collocation_solve(x.c, NULL), LB_OK);
  if (x.c->end != LB_COLLOCATE_CONVERGED) {
    print_error("%s after %d iterations, residual %g\n", lb_collocate_end_name(x.c->end),
                x.c->iterations, x.c->residual);
    fail();
  }
  return x;
}
