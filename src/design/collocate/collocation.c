// Collocations: made, solved, and shown as a motion.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/rnea.h"
#include "model/use/motor_use.h"
#include "solve/run/frames.h"

const char* lb_collocate_end_name(lb_collocate_end end) {
  static const char* const NAME[] = {[LB_COLLOCATE_CONVERGED] = "converged",
                                     [LB_COLLOCATE_NEARLY] = "converged as far as rounding allows",
                                     [LB_COLLOCATE_LIMIT] = "iteration limit",
                                     [LB_COLLOCATE_INTERRUPTED] = "interrupted",
                                     [LB_COLLOCATE_INFEASIBLE] =
                                         "no motion nearby obeys all equations and limits",
                                     [LB_COLLOCATE_FAILED] = "the search failed"};
  return NAME[end];
}

lb_collocate_inputs lb_collocate_default(void) {
  return (lb_collocate_inputs){
      .cutoff = NAN, .from = -(double)INFINITY, .to = (double)INFINITY, .threads = 1};
}

// --- what it is for ---

typedef struct refusal {
  bool is;
  lb_place place;
  const char *name, *why;
} refusal;

static int first_quaternion(const lb_model* m) {
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint.nq[j] != m->joint.nv[j]) {
      return j;
    }
  }
  return -1;
}

static int first_motor(const lb_model* m) {
  for (int i = 0; i < m->nmotor; i++) {
    if (!lb_motor_applies_force(m, i) || m->motor.v[i] < 0) {
      return i;
    }
  }
  return -1;
}

// A unilateral constraint that is no limit of one coordinate, or -1.
static int first_unilateral(const lb_model* m) {
  for (int i = 0; i < m->constraint.count; i++) {
    const lb_model_constraint* c = &m->constraint.item[i];
    if (!c->unilateral) {
      continue;
    }
    const lb_model_coupling* k = i >= m->constraint.npair ? &m->constraint.coupling[c->part] : NULL;
    if (!k || k->ratchet || k->count != 1 || k->path || m->constraint.term[k->first].curve) {
      return i;
    }
  }
  return -1;
}

static bool changes_with_time(const lb_model* m) {
  bool any = m->constraint.nprescribed > 0 || m->force.nexternal > 0;
  for (int i = 0; i < m->force.nload; i++) {
    any |= m->force.load_profile[i] != NULL;
  }
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    any |= m->constraint.coupling[i].path != NULL;
  }
  return any;
}

static lb_status refuse(const refusal* list, size_t count, lb_error* err) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].is) {
      return lb_error_add(err, LB_INVALID, list[i].place, "track, '%s': %s", list[i].name,
                          list[i].why);
    }
  }
  return LB_OK;
}

lb_status lb_collocation_check_model(const lb_model* m, lb_place place, lb_error* err) {
  const int ball = first_quaternion(m), motor = first_motor(m), floor = first_unilateral(m),
            rate = lb_constraints_velocity_level(m);
  const lb_model_constraint* item = m->constraint.item;
  const refusal list[] = {
      {m->elastic.count > 0 || m->particles.nparticle > 0, place, m->name,
       "elastic bodies, ropes and deformables have no place in it (make bodies rigid)"},
      {m->mechanism.count > 0, place, m->name, "reduced mechanisms have no place in it"},
      {m->contact.ncollider > 0, place, m->name,
       "contacts have no smooth derivatives (use 'grounds')"},
      {ball >= 0, ball >= 0 ? m->joint.place[ball] : place, ball >= 0 ? m->joint.name[ball] : "",
       "a joint whose coordinates are a quaternion (use 'exponential' or 'free-3d')"},
      {motor >= 0, motor >= 0 ? m->motor.place[motor] : place,
       motor >= 0 ? m->motor.name[motor] : "",
       "motors must apply forces to coordinates of the tree ('drive: force', on a joint that "
       "closes no loop)"},
      {floor >= 0, floor >= 0 ? item[floor].place : place, floor >= 0 ? item[floor].name : "",
       "a constraint that pushes alone has no place in it (use 'grounds', or limits of joints)"},
      {rate >= 0, rate >= 0 ? item[rate].place : place, rate >= 0 ? item[rate].name : "",
       "constraints on velocities alone have no place in it"},
  };
  lb_status status = refuse(list, sizeof list / sizeof *list, err);
  status = status == LB_OK ? lb_muscles_check_tendons(m, "'limber track'", err) : status;
  return status == LB_OK ? lb_constraints_check_dense(m, "'limber track'", err) : status;
}

// Entries of the sparse matrices are counted by an int. A node has at most `width` numbers and as
// many equations, and each goal three more of these.
static lb_status check_size(const lb_model* m, const lb_scene_collocate* set, lb_error* err) {
  const double width = 4.0 * m->nv + 5.0 * m->muscle.count + m->nmotor + lb_constraints_most(m);
  const double entries = width * (width + 16 + 3.0 * (set->ngoal + set->nmust));
  const int nodes = lb_mesh_schemes[set->scheme].nodes - 1;
  const double most = floor((INT_MAX / entries - 1) / nodes);
  return set->intervals <= most
             ? LB_OK
             : lb_error_add(err, LB_INVALID, set->place,
                            "track, '%s': %d intervals are too many for so many coordinates and "
                            "muscles (at most %.0f)",
                            m->name, set->intervals, most);
}

static lb_status check(const lb_model* m, const lb_scene_collocate* set,
                       const lb_collocate_inputs* in, bool torques, lb_error* err) {
  const bool free_time = isfinite(set->time[0]) && set->time[0] < set->time[1];
  const refusal list[] = {
      {free_time && (in->motion || in->markers), set->place, m->name,
       "a motion or markers that are given have their own time (leave 'time' away)"},
      {free_time && changes_with_time(m), set->place, m->name,
       "with a free 'time' nothing else may change over time (loads, prescribed points, "
       "measured forces)"},
      {m->nmotor + (set->idle && !torques ? 0 : m->muscle.count) == 0 && !(set->reserve > 0),
       set->place, m->name, "nothing may act: there are no motors, muscles or 'reserves'"},
  };
  lb_status status = lb_collocation_check_model(m, set->place, err);
  status = status == LB_OK ? refuse(list, sizeof list / sizeof *list, err) : status;
  return status == LB_OK ? check_size(m, set, err) : status;
}

// --- making ---

static const double SOFT = 0.01; // force over the largest one about which a muscle begins to pull

static lb_status make_data(lb_collocating* C, lb_error* err) {
  const lb_model* m = C->m;
  C->d = LB_TAKE(&C->arena, lb_data*, C->nnode);
  C->command = LB_TAKE(&C->arena, lb_command, C->nnode * m->nmotor);
  C->excitation = LB_TAKE(&C->arena, double, C->nnode * m->muscle.count);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  for (int i = 0; i < C->nnode; i++) {
    const lb_status status = lb_data_create(m, C->arena.allocator, &C->d[i], err);
    if (status != LB_OK) {
      return status;
    }
    C->d[i]->command = C->command + i * m->nmotor;
    for (int k = 0; k < m->nmotor; k++) {
      C->command[i * m->nmotor + k].set = true;
    }
    if (C->d[i]->work->muscles) {
      C->d[i]->work->muscles->given = C->excitation + i * m->muscle.count;
      C->d[i]->work->muscles->soft = SOFT;
      C->d[i]->work->muscles->idle = C->d[i]->work->muscles->unmeasured = C->set->idle;
    }
  }
  return LB_OK;
}

// Redundant constraints are the same at all nodes.
static void choose_redundant(lb_collocating* C) {
  if (!C->d[0]->work->constraints) {
    return;
  }
  lb_constraints_find_redundant(C->m, C->d[0]);
  for (int i = 1; i < C->nnode; i++) {
    lb_constraints_set_redundant(C->d[i], lb_constraints_redundant(C->d[0]));
  }
}

// The time that is covered: that of what is given, as far as it is asked for.
static lb_status find_time(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err) {
  const bool motion = in->motion != NULL;
  const int n = motion ? in->motion->nsample : in->markers ? in->markers->nsample : 0;
  const double* time = motion ? in->motion->time : n > 0 ? in->markers->time : NULL;
  const double least = C->set->time[0];
  C->out->duration = isfinite(least) ? (least + C->set->time[1]) / 2 : C->scene->duration;
  if (n == 0) {
    return LB_OK;
  }
  C->start = fmax(in->from, time[0]);
  C->out->duration = fmin(in->to, time[n - 1]) - C->start;
  return C->out->duration > 0
             ? LB_OK
             : lb_error_add(err, LB_INVALID, (lb_place){0},
                            "the part of the motion from %g s to %g s is empty: it goes from %g s "
                            "to %g s",
                            in->from, in->to, time[0], time[n - 1]);
}

static bool take_results(lb_collocating* C) {
  lb_collocation* o = C->out;
  const size_t n = (size_t)C->nnode;
  o->nnode = C->nnode;
  o->nstate = 2 * C->at.nv + C->at.nx;
  o->variables = C->n;
  o->equations = C->rows;
  o->time = LB_TAKE(&C->arena, double, n);
  o->q = LB_TAKE(&C->arena, double, 3 * n * (size_t)C->at.nv);
  o->qd = o->q + n * (size_t)C->at.nv;
  o->qdd = o->qd + n * (size_t)C->at.nv;
  o->x = LB_TAKE(&C->arena, double, n*(size_t)C->m->nx);
  o->u = LB_TAKE(&C->arena, double, n*(size_t)C->at.nu);
  o->history = LB_TAKE(&C->arena, double, C->set->iterations + 1);
  return lb_arena_status(&C->arena) == LB_OK;
}

static lb_status build(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err) {
  lb_status status = make_data(C, err);
  if (status != LB_OK) {
    return status;
  }
  choose_redundant(C);
  status = find_time(C, in, err);
  status = status == LB_OK ? lb_collocation_lay_out(C, err) : status;
  status = status == LB_OK ? lb_collocation_guess(C, in, err) : status;
  if (status != LB_OK) {
    return status;
  }
  lb_collocation_bound(C);
  return take_results(C) ? LB_OK : lb_arena_check(&C->arena, "collocation", err);
}

lb_status lb_collocation_create_for(const lb_model* model, const lb_scene* scene,
                                    const lb_collocate_inputs* inputs, lb_collocation_ease ease,
                                    const lb_allocator* allocator, lb_collocation** collocation,
                                    lb_error* err) {
  const lb_scene_collocate* set = &scene->collocate;
  lb_status status = check(model, set, inputs, ease & LB_EASE_TORQUES, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_collocation* out = LB_TAKE(&arena, lb_collocation, 1);
  lb_collocating* C = lb_arena_take(&arena, sizeof *C, LB_ALIGN);
  if (!out || !C) {
    status = lb_arena_check(&arena, "collocation", err); // which a release forgets
    lb_arena_release(&arena);
    return status;
  }
  C->arena = arena;
  C->out = out;
  C->m = out->model = model;
  C->scene = scene;
  C->set = set;
  C->scheme = &lb_mesh_schemes[set->scheme];
  C->intervals = set->intervals;
  C->nnode = set->intervals * (C->scheme->nodes - 1) + 1;
  C->threads = inputs->threads > 1 ? inputs->threads : 1;
  C->progress = inputs->progress;
  C->ease = ease;
  C->stage = "";
  C->free_start = set->free_start || inputs->motion || inputs->markers;
  out->work = C;
  status = build(C, inputs, err);
  if (status != LB_OK) {
    lb_collocation_release(out);
    return status;
  }
  *collocation = out;
  return LB_OK;
}

lb_status lb_collocation_create(const lb_model* model, const lb_scene* scene,
                                const lb_collocate_inputs* inputs, const lb_allocator* allocator,
                                lb_collocation** collocation, lb_error* err) {
  return lb_collocation_create_for(model, scene, inputs, LB_EASE_NONE, allocator, collocation, err);
}

void lb_collocation_release(lb_collocation* o) {
  if (!o || !o->work) {
    lb_arena_release_kept(o ? o->storage : NULL);
    return;
  }
  lb_collocating* C = o->work;
  for (int i = 0; C->d && i < C->nnode; i++) {
    lb_data_release(C->d[i]);
  }
  for (int i = 0; C->worker && i < C->threads; i++) {
    lb_derivatives_release(C->worker[i].D);
  }
  lb_arena arena = C->arena;
  lb_arena_release(&arena);
}

// --- solving ---

static bool tell(void* of, const lb_program_news* n) {
  lb_collocating* C = of;
  lb_collocation* o = C->out;
  if (o->nhistory < C->set->iterations + 1) {
    o->history[o->nhistory++] = n->objective;
  }
  o->iterations = n->iteration;
  snprintf(C->news, sizeof C->news,
           "iteration %d%s: objective %.6g, equations off by %.1e, slope %.1e%s", o->iterations,
           C->stage, n->objective, n->infeasibility, n->optimality,
           n->restoring ? ", restoring" : "");
  C->stopped = !lb_progress_report(&C->progress, NAN, C->news);
  return !C->stopped;
}

void lb_collocation_fill_program(lb_collocating* C, lb_program* p) {
  *p = (lb_program){.n = C->n,
                    .m = C->rows,
                    .lower = C->lower,
                    .upper = C->upper,
                    .g_lower = C->g_lower,
                    .g_upper = C->g_upper,
                    .jacobian_at = &C->pattern,
                    .hessian_at = &C->curvature,
                    .objective = lb_collocation_objective,
                    .gradient = lb_collocation_gradient,
                    .constraints = lb_collocation_constraints,
                    .jacobian = lb_collocation_jacobian,
                    .hessian = lb_collocation_hessian,
                    .news = tell,
                    .context = C};
}

static void keep_node(lb_collocating* C, int node) {
  const lb_node_layout* L = &C->at;
  const lb_model* m = C->m;
  lb_collocation* o = C->out;
  const double* z = lb_node_of(C, C->Z, node);
  const size_t nv = (size_t)L->nv, i = (size_t)node;
  o->time[i] = C->start + C->relative[i] * o->duration;
  memcpy(o->q + i * nv, z + L->q, nv * sizeof *z);
  memcpy(o->qd + i * nv, z + L->v, nv * sizeof *z);
  memcpy(o->qdd + i * nv, z + L->a, nv * sizeof *z);
  for (int k = 0; k < L->nu; k++) {
    o->u[i * (size_t)L->nu + (size_t)k] = lb_excitation_of(C, z, k);
  }
  for (int k = 0; k < m->muscle.count && !C->set->idle; k++) {
    const int x = m->muscle.item[k].x;
    if (x >= 0) {
      const lb_hill_force* f = &C->d[node]->work->muscles->now[k].hill;
      o->x[i * (size_t)m->nx + (size_t)x] = z[C->activation[k]];
      o->x[i * (size_t)m->nx + (size_t)x + 1] = C->fiber[k] >= 0 ? z[C->fiber[k]] : f->fiber;
    }
  }
}

// Figures of the solution.
static void judge(lb_collocating* C, const double* x, double* g) {
  lb_collocation* o = C->out;
  const lb_node_layout* L = &C->at;
  lb_collocation_objective(C, x, &o->objective);
  lb_collocation_constraints(C, x, g);
  o->duration = lb_duration_of(C, C->Z);
  o->effort = o->tracking = o->residual = o->gap = o->rms = 0;
  for (int i = 0; i < C->rows; i++) {
    o->residual = fmax(o->residual, fabs(g[i]));
  }
  double squares = 0;
  for (int i = 0; i < C->nnode; i++) {
    const double *z = lb_node_of(C, C->Z, i), *ref = C->q_ref ? C->q_ref + i * L->nv : NULL;
    keep_node(C, i);
    o->effort +=
        (C->set->effort.mean ? 1 : o->duration) * C->quadrature[i] * lb_node_effort(C, z, NULL);
    for (int k = 0; k < L->nv && ref; k++) {
      squares += (z[L->q + k] - ref[k]) * (z[L->q + k] - ref[k]);
    }
    for (int k = 0; k < L->nl && C->mesh[i]; k++) {
      o->gap = fmax(o->gap, fabs(g[C->node_row[i] + L->gap + k]));
    }
  }
  o->rms = sqrt(squares / (C->nnode * L->nv));
  o->tracking = o->objective - o->effort - (C->T >= 0 ? C->set->time_weight * o->duration : 0);
}

static const lb_collocate_end ENDS[] = {[LB_PROGRAM_SOLVED] = LB_COLLOCATE_CONVERGED,
                                        [LB_PROGRAM_ACCEPTABLE] = LB_COLLOCATE_NEARLY,
                                        [LB_PROGRAM_LIMIT] = LB_COLLOCATE_LIMIT,
                                        [LB_PROGRAM_STOPPED] = LB_COLLOCATE_INTERRUPTED,
                                        [LB_PROGRAM_INFEASIBLE] = LB_COLLOCATE_INFEASIBLE,
                                        [LB_PROGRAM_FAILED] = LB_COLLOCATE_FAILED};

static lb_status search(lb_collocating* C, double* x, lb_program_end* end, lb_error* err) {
  const lb_program_options o = {.tolerance = C->set->tolerance,
                                .iterations = C->set->iterations,
                                .barrier = C->warm    ? 1e-6
                                           : C->q_ref ? 1e-4
                                           : C->near  ? 1e-3
                                                      : 0};
  lb_program program;
  lb_collocation_fill_program(C, &program);
  const lb_status status = lb_program_solve(&program, &o, x, C->Lambda, end);
  *end = C->stopped ? LB_PROGRAM_STOPPED : *end; // within an iteration, too
  return status == LB_OK
             ? status
             : lb_error_add(err, status, (lb_place){0}, "out of memory for a collocation");
}

double lb_collocation_pace(lb_collocation* o) {
  lb_collocating* C = o->work;
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  const double seconds = lb_collocation_effort_of_iteration(C);
  lb_arena_reset(&C->arena, mark);
  return seconds;
}

static lb_status interrupted(const lb_collocating* C, lb_error* err) {
  return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted after %d iterations%s",
                      C->out->iterations, C->stage);
}

// One search after another: x is left where it ended.
static lb_status search_from_here(lb_collocating* C, double* x, lb_program_end* end,
                                  lb_error* err) {
  for (int k = 0; k < C->n; k++) {
    x[k] = C->Z[k] / C->scale[k];
  }
  const lb_status status = search(C, x, end, err);
  lb_collocation_take(C, x);
  return status != LB_OK ? status : *end == LB_PROGRAM_STOPPED ? interrupted(C, err) : LB_OK;
}

static lb_status search_all(lb_collocating* C, double* x, double* g, lb_error* err) {
  lb_program_end end = LB_PROGRAM_STOPPED;
  lb_status status = lb_collocation_approach(C, err);
  status = status == LB_OK ? search_from_here(C, x, &end, err) : status;
  if (status != LB_OK && status != LB_INTERRUPTED) {
    return status;
  }
  for (int k = 0; k < C->n; k++) {
    x[k] = C->Z[k] / C->scale[k];
  }
  judge(C, x, g);
  C->out->end = ENDS[end];
  C->warm = end == LB_PROGRAM_SOLVED || end == LB_PROGRAM_ACCEPTABLE;
  return status;
}

lb_status lb_collocation_solve(lb_collocation* o, lb_error* err) {
  lb_collocating* C = o->work;
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  double* x = LB_TAKE(&C->arena, double, C->n);
  double* g = LB_TAKE(&C->arena, double, C->rows);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  o->nhistory = o->iterations = o->before = 0;
  C->stopped = false;
  snprintf(C->news, sizeof C->news, "iteration 0%s", C->stage);
  const lb_status status = search_all(C, x, g, err);
  lb_arena_reset(&C->arena, mark);
  return status;
}

// --- frames ---

lb_status lb_collocation_record(const lb_collocation* o, lb_recording* r, lb_error* err) {
  lb_collocating* C = o->work;
  const lb_model* m = C->m;
  lb_status status = lb_recording_keep(r, LB_KEEP_RATES | LB_KEEP_TORQUES, err);
  double* rows = LB_TAKE(&C->arena, double, C->at.all);
  if (status != LB_OK || !rows) {
    return status != LB_OK ? status : lb_arena_check(&C->arena, "collocation", err);
  }
  for (int i = 0; i < C->nnode && status == LB_OK; i++) {
    lb_data* d = C->d[i];
    if (d->work->muscles) {
      d->work->muscles->unmeasured = false;
    }
    lb_node_residual(C, i, lb_node_of(C, C->Z, i), o->time[i], rows);
    status = lb_frame_put(r, d, err);
    if (status == LB_OK) {
      memcpy(r->torque + (size_t)(r->nframe - 1) * (size_t)m->nv, d->tau,
             (size_t)m->nv * sizeof *d->tau);
    }
  }
  return status;
}
