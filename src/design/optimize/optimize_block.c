// Parameters as blocks of numbers: of which kind they are, and their values and bounds.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/joint/joint.h"
#include "model/use/motor_use.h"

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

// Type by what a parameter is, and whose; springs of joints have a stiffness or damping each of
// their own.
static const lb_parameter_type* type_of(const lb_scene_parameter* p) {
  static const lb_parameter_type* const TYPE[LB_PARAMETER_COUNT][LB_OWNER_COUNT] = {
      [LB_PARAMETER_POSITION] = {[LB_OWNER_JOINT] = &lb_parameter_joint_place,
                                 [LB_OWNER_BODY] = &lb_parameter_body_place},
      [LB_PARAMETER_ROTATION] = {[LB_OWNER_BODY] = &lb_parameter_body_turn},
      [LB_PARAMETER_VELOCITY] =
          {[LB_OWNER_JOINT] = &lb_parameter_joint_rate, [LB_OWNER_BODY] = &lb_parameter_body_rate},
      [LB_PARAMETER_SPIN] = {[LB_OWNER_BODY] = &lb_parameter_body_spin},
      [LB_PARAMETER_MOTOR] = {[LB_OWNER_MOTOR] = &lb_parameter_motor},
      [LB_PARAMETER_PHASE] = {[LB_OWNER_MOTOR] = &lb_parameter_phase},
      [LB_PARAMETER_EXCITATION] = {[LB_OWNER_MUSCLE] = &lb_parameter_excitation},
      [LB_PARAMETER_MASS] = {[LB_OWNER_BODY] = &lb_parameter_mass},
      [LB_PARAMETER_LENGTH] = {[LB_OWNER_BODY] = &lb_parameter_length},
      [LB_PARAMETER_YOUNG] = {[LB_OWNER_MATERIAL] = &lb_parameter_material},
      [LB_PARAMETER_REST] = {[LB_OWNER_JOINT] = &lb_parameter_joint_rest,
                             [LB_OWNER_FORCE] = &lb_parameter_force,
                             [LB_OWNER_ROPE] = &lb_parameter_rope_slack},
      [LB_PARAMETER_BAR] = {[LB_OWNER_TEXT] = &lb_parameter_text},
      [LB_PARAMETER_NUMBER] = {[LB_OWNER_TEXT] = &lb_parameter_text}};
  static const lb_parameter_type* const SPRING[LB_OWNER_COUNT] = {
      [LB_OWNER_JOINT] = &lb_parameter_spring,
      [LB_OWNER_FORCE] = &lb_parameter_force,
      [LB_OWNER_ROPE] = &lb_parameter_rope};
  const lb_parameter_type* type = TYPE[p->kind][p->owner];
  return type ? type : SPRING[p->owner];
}

lb_status lb_parameters_make(lb_optimizing* o, lb_error* err) {
  const lb_scene* s = o->public.scene;
  const lb_scene_optimize* what = &s->optimize;
  o->nblock = what->nparameter;
  o->block = LB_TAKE(&o->arena, lb_block, o->nblock);
  o->public.first = LB_TAKE(&o->arena, int, o->nblock + 1);
  o->growth = LB_TAKE(&o->arena, lb_growth, o->nblock + s->njoint); // one may be of parts
  lb_status status = lb_arena_check(&o->arena, "an optimisation", err);
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    lb_block* b = &o->block[i];
    const lb_scene_parameter* p = &what->parameter[i];
    *b =
        (lb_block){.p = p, .type = type_of(p), .first = o->public.first[i], .count = 1, .loop = -1};
    status = b->type->make ? b->type->make(o, b, err) : LB_OK;
    o->public.first[i + 1] = b->first + b->count;
  }
  o->public.nvalue = o->public.first ? o->public.first[o->nblock] : 0;
  return status;
}

// --- what others ask ---

int lb_optimizing_loop(const lb_model* m, const char* name) {
  for (int i = 0; i < m->constraint.nloop; i++) {
    if (strcmp(m->constraint.loop[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

bool lb_block_is_prescribed(const lb_optimizing* o, const lb_block* b, int number) {
  const lb_model* m = o->tree;
  bool any = false;
  for (int i = 0; i < m->nmotor; i++) {
    any |= !lb_motor_applies_force(m, i) && m->motor.v[i] == b->v + number;
  }
  return any && b->p->owner == LB_OWNER_JOINT && b->type->starts;
}

// --- values ---

// Do two parameters change the same numbers?
static bool are_same(const lb_scene_parameter* a, const lb_scene_parameter* b) {
  if (a->path && b->path) {
    return strcmp(a->path, b->path) == 0;
  }
  const bool part = a->part == b->part || a->part == 0 || b->part == 0;
  return part && a->kind == b->kind && a->owner == b->owner && a->index == b->index;
}

static lb_status check_block(const lb_optimizing* o, const lb_block* b, lb_error* err) {
  for (const lb_block* before = o->block; before < b; before++) {
    if (are_same(before->p, b->p)) {
      return lb_error_add(err, LB_INVALID, b->p->place,
                          "parameter '%s' changes what '%s' changes (keep one)", b->p->name,
                          before->p->name);
    }
  }
  return LB_OK;
}

// Expected change of numbers without a range: the size of the largest, rounding aside.
static double size_of(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most > 1e-12 ? most : 1;
}

static void bound(lb_optimizing* o, const lb_block* b, double floor) {
  lb_optimization* p = &o->public;
  for (int i = b->first; i < b->first + b->count; i++) {
    const bool prescribed = lb_block_is_prescribed(o, b, i - b->first);
    p->least[i] = prescribed ? p->given[i] : fmax(b->p->least, floor);
    p->most[i] = prescribed ? p->given[i] : b->p->most;
    p->start[i] = fmin(fmax(p->given[i], p->least[i]), p->most[i]);
    const double range = p->most[i] - p->least[i];
    p->scale[i] = isfinite(range) && range > 0 ? range / 2 : size_of(b->count, p->given + b->first);
  }
}

static double floor_of(const lb_optimizing* o, const lb_block* b, double x) {
  static const double PART = 1e-3;
  const lb_floor floor = b->type->floor_of ? b->type->floor_of(o, b) : b->type->floor;
  const double value[] = {
      [LB_FLOOR_NONE] = -(double)INFINITY, [LB_FLOOR_ZERO] = 0, [LB_FLOOR_PART] = PART * x};
  return value[floor];
}

static lb_status find_block(lb_optimizing* o, lb_block* b, lb_error* err) {
  lb_status status = check_block(o, b, err);
  status = status == LB_OK && b->type->find ? b->type->find(o, b, err) : status;
  if (status != LB_OK) {
    return status;
  }
  double* x = o->public.given + b->first;
  if (b->type->read) {
    b->type->read(o, b, x);
  } else {
    const double* from = b->type->in_scene(o, &o->given, b);
    if (!from) {
      return no_memory(err);
    }
    memcpy(x, from, (size_t)b->count * sizeof *x);
  }
  const double floor = floor_of(o, b, *x);
  if (b->p->most < floor) {
    return lb_error_add(err, LB_INVALID, b->p->place,
                        "parameter '%s': 'at_most' must not be below %g%s", b->p->name, floor,
                        floor > 0 ? ", a thousandth of what the scene has" : "");
  }
  bound(o, b, floor);
  return LB_OK;
}

lb_status lb_parameters_find(lb_optimizing* o, lb_error* err) {
  lb_optimization* p = &o->public;
  double** const part[] = {&p->given, &p->start, &p->least, &p->most, &p->scale};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = LB_TAKE(&o->arena, double, p->nvalue);
  }
  lb_status status = lb_arena_check(&o->arena, "an optimisation", err);
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    status = find_block(o, &o->block[i], err);
  }
  return status;
}
