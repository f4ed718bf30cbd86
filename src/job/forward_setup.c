// Simulations as OpenSim's ForwardTool has them: a row of a table is the start, controls excite
// muscles and actuators, and measured forces act. Times of results count from the start on.
#include <math.h>
#include <string.h>

#include "design/inverse/inverse_dynamics.h"
#include "job/job_inside.h"
#include "limber/inverse.h"
#include "scene/opensim/osim_controls.h"
#include "scene/table/number_table.h"
#include "scene/yaml/names.h"

// --- measured forces ---

static lb_status take_force(lb_job* j, double start, const lb_scene_external* from,
                            lb_scene_external* to, lb_error* err) {
  const size_t n = (size_t)from->nsample;
  double *value = LB_COPY(&j->arena, from->value, 9 * n), *time = LB_TAKE(&j->arena, double, n);
  *to = *from;
  to->name = lb_arena_text(&j->arena, from->name, strlen(from->name));
  if (lb_arena_status(&j->arena) != LB_OK) {
    return lb_job_no_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    time[i] = from->time[i] - start;
  }
  to->value = value;
  to->time = time;
  return lb_inverse_filter(&j->arena, "forces", from->nsample, time, j->o.force_cutoff, value, 9,
                           err);
}

lb_status lb_job_take_forces(lb_job* j, double start, lb_outer_forces** forces, lb_error* err) {
  lb_scene* s = &j->scene;
  lb_status status = lb_outer_forces_read(j->o.forces, j->model, j->arena.allocator, forces, err);
  if (status != LB_OK) {
    return status;
  }
  const lb_outer_forces* F = *forces;
  lb_scene_external* all = LB_TAKE(&j->arena, lb_scene_external, s->nexternal + F->count);
  if (!all) {
    return lb_job_no_memory(err);
  }
  memcpy(all, s->external, (size_t)s->nexternal * sizeof *all);
  for (int i = 0; i < F->count && status == LB_OK; i++) {
    status = take_force(j, start, &F->item[i], &all[s->nexternal + i], err);
  }
  s->external = all;
  s->nexternal += F->count;
  lb_model_release(j->model);
  j->model = NULL;
  return status == LB_OK ? lb_job_make_model(j, err) : status;
}

// --- the start ---

// The last row that is not after the start.
static int find_row(const lb_job* j, int n, const double* time, int stride) {
  int row = 0;
  while (isfinite(j->o.begin) && row + 1 < n &&
         time[(size_t)(row + 1) * (size_t)stride] <= j->o.begin + 1e-9) {
    row++;
  }
  return row;
}

static void place_joint(const lb_model* m, int joint, const lb_joint_motion* x, int row,
                        lb_scene_joint* to) {
  const double *q = x->q + (size_t)row * (size_t)m->nq + (size_t)m->joint.q[joint],
               *qd = x->qd + (size_t)row * (size_t)m->nv + (size_t)m->joint.v[joint];
  memcpy(to->q, q, (size_t)m->joint.nq[joint] * sizeof *q);
  for (int k = 0; k < m->joint.nv[joint]; k++) {
    to->qd[k] = x->has_qd[joint] ? qd[k] : 0;
    to->named.q[k] = to->named.v[k] = 1;
  }
}

static lb_status place_joints(lb_job* j, lb_error* err) {
  lb_joint_motion* x = NULL;
  const lb_model* m = j->model;
  const lb_status status = lb_joint_states_read(j->o.states, m, j->arena.allocator, &x, err);
  for (int i = 0; status == LB_OK && i < m->njoint; i++) {
    for (int k = 0; k < j->scene.njoint; k++) {
      if (strcmp(m->joint.name[i], j->scene.joint[k].name) == 0) {
        place_joint(m, i, x, find_row(j, x->nsample, x->time, 1), &j->scene.joint[k]);
        j->scene.joint[k].named.place = (lb_place){j->o.states, 0, 0};
      }
    }
  }
  lb_job_pass_on(j, status == LB_OK ? x->nnote : 0, status == LB_OK ? x->note : NULL);
  lb_joint_motion_release(x);
  return status;
}

// A name of a file's, whose signs a scene may not have had: the scene's begins so.
static bool begins(const char* scene, const char* name, size_t length) {
  bool same = strlen(scene) >= length;
  for (size_t i = 0; i < length && same; i++) {
    same = scene[i] == name[i] || scene[i] == '_';
  }
  return same;
}

static bool is_name(const char* scene, const char* name, size_t length) {
  return strlen(scene) == length && begins(scene, name, length);
}

// Name of the muscle in a heading MUSCLE.what or .../MUSCLE/what, and its length; NULL: another
// one.
static const char* muscle_in(const char* heading, const char* what, size_t* length) {
  const size_t size = strlen(heading), rest = strlen(what);
  if (size <= rest + 1 || strcmp(heading + size - rest, what) != 0) {
    return NULL;
  }
  const char* end = heading + size - rest - 1;
  const char* from = end;
  while (*end == '/' && from > heading && from[-1] != '/') {
    from--;
  }
  from = *end == '.' ? heading : from;
  *length = (size_t)(end - from);
  return *end == '/' || *end == '.' ? from : NULL;
}

// Column of a muscle, or -1.
static int find_state(const lb_numbers* n, const char* muscle, const char* what) {
  for (int i = 1; i < n->ncolumn; i++) {
    size_t length = 0;
    const char* name = muscle_in(n->name[i], what, &length);
    if (name && is_name(muscle, name, length)) {
      return i;
    }
  }
  return -1;
}

// A column of no muscle that is near to one without a column.
static void warn_of_state(lb_job* j, const lb_numbers* n, int column, const char* what) {
  size_t length = 0;
  const char* name = muscle_in(n->name[column], what, &length);
  name = name ? lb_arena_text(&j->arena, name, length) : NULL;
  lb_nearest nearest = lb_nearest_to(name ? name : "");
  for (int i = 0; i < j->scene.nmuscle && name; i++) {
    const char* muscle = j->scene.muscle[i].name;
    const int own = find_state(n, muscle, what);
    if (own == column) {
      return;
    }
    if (own < 0) {
      lb_nearest_offer(&nearest, muscle);
    }
  }
  if (nearest.best) {
    lb_job_warn_at(j, n->place[column], "column '%.100s' is not used (did you mean muscle '%s'?)",
                   n->name[column], nearest.best);
  }
}

static void start_muscles(lb_job* j, const lb_numbers* n) {
  static const double LEAST = 0.01; // activation of a muscle
  const int row = find_row(j, n->nrow, n->value, n->ncolumn);
  const double* value = n->value + (size_t)row * (size_t)n->ncolumn;
  for (int i = 0; i < j->scene.nmuscle; i++) {
    lb_scene_muscle* m = &j->scene.muscle[i];
    const int a = find_state(n, m->name, "activation"), l = find_state(n, m->name, "fiber_length");
    if (a >= 0 && isfinite(value[a])) {
      m->start.activation = fmin(fmax(value[a], LEAST), 1);
    }
    if (l >= 0 && value[l] > 0 && !j->equilibrium && m->hill.elastic && m->hill.slack > 0) {
      m->start.fiber = value[l];
    }
  }
}

static lb_status take_states(lb_job* j, lb_error* err) {
  lb_numbers n;
  lb_status status = place_joints(j, err);
  status = status == LB_OK ? lb_numbers_read_rows(j->o.states, "table of states", (lb_place){0}, 1,
                                                  &j->arena, &n, err)
                           : status;
  if (status == LB_OK) {
    start_muscles(j, &n);
    for (int i = 1; i < n.ncolumn; i++) {
      warn_of_state(j, &n, i, "activation");
      warn_of_state(j, &n, i, "fiber_length");
    }
  }
  return status;
}

// --- controls ---

// Excitations are from 0 to 1.
static void excite(lb_scene_muscle* m, const lb_osim_control* c) {
  m->excitation = (lb_scene_excitation){.profile = c->profile, .joint = -1};
  for (int i = 0; i < c->profile.count; i++) {
    c->profile.value[i] = fmin(fmax(c->profile.value[i], 0), 1);
  }
}

static void drive(lb_scene_motor* m, const lb_osim_control* c) {
  m->profile = c->profile;
  for (int i = 0; i < c->profile.count; i++) {
    c->profile.value[i] *= m->optimal > 0 ? m->optimal : 1;
  }
}

// Loads by actuators of points and bodies, and those that are their opposites.
static bool push(lb_scene* s, const lb_osim_control* c) {
  const size_t length = strlen(c->name);
  bool any = false;
  for (int i = 0; i < s->nload; i++) {
    const char* name = s->load[i].name;
    if (begins(name, c->name, length) &&
        (!name[length] || strcmp(name + length, LB_OSIM_REACTION) == 0)) {
      s->load[i].profile = c->profile;
      any = true;
    }
  }
  return any;
}

static bool control(lb_scene* s, const lb_osim_control* c) {
  const size_t length = strlen(c->name);
  for (int i = 0; i < s->nmuscle; i++) {
    if (is_name(s->muscle[i].name, c->name, length)) {
      excite(&s->muscle[i], c);
      return true;
    }
  }
  for (int i = 0; i < s->nmotor; i++) {
    if (s->motor[i].drive == LB_DRIVE_FORCE && is_name(s->motor[i].name, c->name, length)) {
      drive(&s->motor[i], c);
      return true;
    }
  }
  return push(s, c);
}

static void warn_of_control(lb_job* j, const lb_osim_control* c) {
  const lb_scene* s = &j->scene;
  lb_nearest nearest = lb_nearest_to(c->name);
  for (int i = 0; i < s->nmuscle; i++) {
    lb_nearest_offer(&nearest, s->muscle[i].name);
  }
  for (int i = 0; i < s->nmotor; i++) {
    lb_nearest_offer(&nearest, s->motor[i].name);
  }
  for (int i = 0; i < s->nload; i++) {
    lb_nearest_offer(&nearest, s->load[i].name);
  }
  const char* near = nearest.best;
  lb_job_warn_at(j, c->place, "control '%.60s' is of no muscle or actuator of the model%s%.60s%s",
                 c->name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static lb_status take_controls(lb_job* j, double start, lb_error* err) {
  lb_osim_controls controls;
  int used = 0;
  const lb_status status = lb_osim_controls_read(j->o.controls, start, &j->arena, &controls, err);
  if (status != LB_OK) {
    return status;
  }
  lb_job_pass_on(j, controls.nnote, controls.note);
  for (int i = 0; i < controls.count; i++) {
    const bool known = control(&j->scene, &controls.item[i]);
    used += known;
    if (!known) {
      warn_of_control(j, &controls.item[i]);
    }
  }
  return used ? LB_OK
              : lb_error_add(err, LB_INVALID, (lb_place){j->o.controls, 0, 0},
                             "no control is of a muscle or actuator of '%s'", j->scene.name);
}

// --- the whole ---

// The setup's tolerance, where neither the scene nor the command line says how to step. Fibres that
// start far from equilibrium move too fast for fixed steps.
static void choose_integrator(lb_job* j) {
  lb_scene_solver* solver = &j->scene.solver;
  const bool silent = solver->place.line <= 1 && solver->place.column <= 1; // of no key
  if (j->tolerance > 0 && silent && isnan(j->o.step)) {
    solver->integrator = LB_INTEGRATOR_ADAPTIVE;
    solver->tolerance = j->tolerance;
  }
}

lb_status lb_job_forward(lb_job* j, lb_outer_forces** forces, lb_error* err) {
  const double start = isfinite(j->o.begin) ? j->o.begin : 0;
  if (!j->o.states && !j->o.controls && !j->o.forces && j->tolerance == 0) {
    return LB_OK;
  }
  choose_integrator(j);
  lb_status status = lb_job_make_model(j, err);
  status = status == LB_OK && j->o.states ? take_states(j, err) : status;
  status = status == LB_OK && j->o.controls ? take_controls(j, start, err) : status;
  if (status == LB_OK && j->o.forces) {
    status = lb_job_take_forces(j, start, forces, err);
    lb_job_pass_on(j, status == LB_OK ? (*forces)->nnote : 0,
                   status == LB_OK ? (*forces)->note : NULL);
  }
  if (status == LB_OK && start != 0) {
    lb_job_note(j, "times of the results count from %g s on", start);
  }
  lb_model_release(j->model); // which is made with all of it
  j->model = NULL;
  return status;
}
