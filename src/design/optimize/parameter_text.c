// Numbers of the scene's text: lengths of bars, and any other by its path. They are no numbers of a
// model: the scene is read again with them (optimize_remake.c), and derivatives are differences
// of such models in one state (optimize_tangent.c).
#include "design/optimize/optimization.h"

static void read(const lb_optimizing* o, const lb_block* b, double* x) {
  (void)o;
  *x = b->p->value;
}

static bool write(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  s->optimize.parameter[b - o->block].value = *x; // the rest is written (lb_remake_into)
  return true;
}

static lb_status put(lb_player* w, const lb_block* b, const double* x) {
  (void)w, (void)b, (void)x; // the models have it
  return LB_OK;
}

static lb_floor floor_of(const lb_optimizing* o, const lb_block* b) {
  (void)o;
  return b->p->kind == LB_PARAMETER_BAR ? LB_FLOOR_PART : LB_FLOOR_NONE;
}

const lb_parameter_type lb_parameter_text = {
    .read = read, .write = write, .floor_of = floor_of, .put = put};
