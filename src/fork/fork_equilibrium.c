// The equilibrium of a mechanism that is reduced: its base held, forces on its effectors, and
// whether it can be linearised there.
#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "dynamics/tree/state.h"
#include "fork/fork_inside.h"
#include "limber/simulate.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"

static const double STILL = 1e-9; // part of the largest motion below which there is none

lb_status lb_fork_no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a reduced mechanism");
}

// --- the base ---

static int root_of(const lb_model* m, int link) {
  while (link != LB_WORLD && m->link.parent[link] != LB_WORLD) {
    link = m->link.parent[link];
  }
  return link;
}

// The link of the body that floats, and carries all effectors.
static lb_status find_floating(const lb_model* m, const lb_scene_fork* what, int* link,
                               lb_error* err) {
  *link = root_of(m, m->body.link[what->effector[0].body]);
  for (int e = 0; e < what->neffector; e++) {
    const int root = root_of(m, m->body.link[what->effector[e].body]);
    if (root == LB_WORLD || root != *link || m->link.kind[root] != LB_JOINT_FREE) {
      return lb_error_add(err, LB_INVALID, what->effector[e].place,
                          "fork '%s': effector '%s' does not hang on the one body that floats, as "
                          "'base: free' asks (take 'base' away, or let that body have no joint)",
                          what->name, what->effector[e].name);
    }
  }
  return LB_OK;
}

// Which link is held, and all that it hangs on; LB_WORLD: none.
static lb_status find_held(lb_fork_work* w, int* link, lb_error* err) {
  const lb_scene_fork* what = w->what;
  lb_status status = LB_OK;
  *link = what->free || what->base == LB_WORLD ? LB_WORLD : w->m->body.link[what->base];
  w->base_link = LB_WORLD;
  if (what->free) {
    status = find_floating(w->m, what, link, err);
    w->base_link = *link;
  }
  return status;
}

static void hold(lb_model* m, int link) {
  m->link.driven[link] = m->link.packed[link].driven = true;
  for (int k = 0; k < m->link.nv[link]; k++) {
    m->dof.driven[m->link.v[link] + k] = true;
  }
}

// A servo is a spring and a damper beside those of its joint, k (q - rest) for the sum of both; one
// without stiffness and damping is exact, and holds.
static lb_status replace_servo(lb_model* m, const lb_model_servo* servo, lb_error* err) {
  const int motor = servo->motor, v = m->motor.v[motor];
  const int q = m->joint.q[m->motor.joint[motor]];
  double target[3] = {0};
  lb_profile_evaluate(m->motor.profile[motor], 0, target);
  if (servo->stiffness == 0 && servo->damping == 0) {
    m->start.q[q] = target[0];
    hold(m, m->joint.link[m->motor.joint[motor]]);
    return LB_OK;
  }
  if (m->dof.force_curve[v].count > 0 || m->dof.force_curve[v].exponent > 1) {
    return lb_error_add(err, LB_INVALID, m->motor.place[motor],
                        "motor '%s' is a servo on a joint whose spring has an 'exponent' or a "
                        "'table': both together are not reduced (give the spring a stiffness)",
                        m->motor.name[motor]);
  }
  const double own = m->dof.stiffness[v], k = own + servo->stiffness;
  m->dof.rest[q] =
      k > 0 ? (own * m->dof.rest[q] + servo->stiffness * target[0]) / k : m->dof.rest[q];
  m->dof.nstiff += own == 0 && k > 0;
  m->dof.stiffness[v] = k;
  m->dof.damping[v] += servo->damping;
  return LB_OK;
}

// A model in which nothing between the world and the base moves, and servos are springs.
lb_status lb_fork_hold_base(lb_fork_work* w, lb_error* err) {
  int link = LB_WORLD;
  lb_status status = find_held(w, &link, err);
  lb_model* held = status == LB_OK ? lb_model_derive(w->m, &w->scratch) : NULL;
  if (!held || !lb_model_own_links(held, &w->scratch)) {
    return status == LB_OK ? lb_fork_no_memory(err) : status;
  }
  const lb_model_array own[] = {
      LB_MODEL_ARRAY(held->link.driven, held->nlink), LB_MODEL_ARRAY(held->dof.driven, held->nv),
      LB_MODEL_ARRAY(held->dof.stiffness, held->nv),  LB_MODEL_ARRAY(held->dof.damping, held->nv),
      LB_MODEL_ARRAY(held->dof.rest, held->nq),       LB_MODEL_ARRAY(held->start.q, held->nq)};
  if (!LB_MODEL_OWN(&w->scratch, own)) {
    return lb_fork_no_memory(err);
  }
  for (; link != LB_WORLD; link = held->link.parent[link]) {
    hold(held, link);
  }
  for (int i = 0; i < held->motor.nservo && status == LB_OK; i++) {
    status = replace_servo(held, &held->motor.servo[i], err);
  }
  held->motor.nservo = 0; // else they would count once more, as forces
  w->held = held;
  return status;
}

// --- equilibrium ---

static lb_status apply_wrench(lb_fork_work* w) {
  const int n = w->what->neffector;
  lb_external_force* load = LB_TAKE(&w->scratch, lb_external_force, n);
  for (int e = 0; load && e < n; e++) {
    const double* x = w->wrench + 6 * (size_t)e;
    load[e] = (lb_external_force){.at = w->fork->at[e],
                                  .force = lb_vec3_make(x[3], x[4], x[5]),
                                  .torque = lb_vec3_make(x[0], x[1], x[2])};
  }
  w->d->external = load;
  w->d->nexternal = n;
  return load ? LB_OK : LB_NO_MEMORY;
}

static lb_status apply_loads(lb_fork_work* w, int pose) {
  if (w->wrench) {
    return apply_wrench(w);
  }
  const lb_scene_fork_model* of = w->what->nmodel ? &w->what->model[pose] : NULL;
  lb_external_force* load = LB_TAKE(&w->scratch, lb_external_force, of ? of->nload : 0);
  for (int i = 0; load && of && i < of->nload; i++) {
    load[i] =
        (lb_external_force){.at = w->fork->at[of->load[i].effector], .force = of->load[i].force};
  }
  w->d->external = load;
  w->d->nexternal = of ? of->nload : 0;
  return load ? LB_OK : LB_NO_MEMORY;
}

lb_status lb_fork_work_prepare(lb_fork_work* w, lb_error* err) {
  lb_status status = lb_muscles_check_tendons(w->held, "a reduced mechanism", err);
  status = status == LB_OK ? lb_data_create(w->held, w->allocator, &w->d, err) : status;
  if (status != LB_OK) {
    return status;
  }
  return apply_loads(w, w->pose) == LB_OK
             ? lb_equilibrium_solver_create(w->held, w->allocator, &w->R, err)
             : lb_fork_no_memory(err);
}

lb_status lb_fork_find_equilibrium(lb_fork_work* w, lb_error* err) {
  lb_status status = lb_fork_work_prepare(w, err);
  status = status == LB_OK ? lb_assemble(w->held, w->d, err) : status;
  if (status == LB_OK) {
    status = lb_equilibrium_solver_solve(w->R, w->d, err);
    w->fork->fell = w->R->nudges > 0;
  }
  return status;
}

// --- what the linearisation must be ---

// Rows of J_e dq of an effector over those of all links: does it move?
static bool moves(const lb_fork_work* w, int effector, const double* dq) {
  const int nv = w->m->nv;
  double most = 0;
  for (int r = 0; r < 6; r++) {
    const double* row = w->J_e + (size_t)(6 * effector + r) * (size_t)nv;
    const double scale = r < 3 ? 1 : 1 / w->fork->radius;
    most = fmax(most, fabs(scale * lb_dot(nv, row, dq)));
  }
  return most > STILL * sqrt(lb_dot(nv, dq, dq));
}

static lb_status complain_unheld(const lb_fork_work* w, const lb_fork_stability* found,
                                 int effector, lb_error* err) {
  const lb_scene_effector* e = &w->what->effector[effector];
  return lb_error_add(err, LB_FAILED, e->place,
                      "fork '%s': effector '%s' has no stiffness in a direction in which joint "
                      "'%s' moves (give that joint a 'stiffness', or hold it)",
                      w->what->name, e->name, w->m->joint.name[found->joint]);
}

static lb_status judge(lb_fork_work* w, lb_fork_stability* found, lb_error* err) {
  const size_t nv = (size_t)w->m->nv;
  if (found->unstable) {
    return lb_error_add(err, LB_FAILED, w->what->place,
                        "fork '%s': its equilibrium is unstable: joint '%s' buckles under what "
                        "acts on it (lessen the load, or stiffen the joint)",
                        w->what->name, w->m->joint.name[found->joint]);
  }
  for (int i = 0; i < found->nneutral; i++) {
    for (int e = 0; e < w->what->neffector; e++) {
      if (moves(w, e, found->neutral + (size_t)i * nv)) {
        return complain_unheld(w, found, e, err);
      }
    }
  }
  return LB_OK;
}

static lb_status judge_pose(lb_fork_work* w, lb_error* err) {
  int here = 0, beside = 0;
  const lb_status status = lb_fork_ranks(&w->A, w->d, &here, &beside);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY ? lb_fork_no_memory(err) : status;
  }
  return beside == here
             ? LB_OK
             : lb_error_add(err, LB_FAILED, w->what->place,
                            "fork '%s': its loops are in a singular pose, where they hold %d "
                            "direction%s, and %d beside it: nothing is linear there (start or "
                            "load it off that pose)",
                            w->what->name, here, here == 1 ? "" : "s", beside);
}

lb_status lb_fork_find_linear(lb_fork_work* w, lb_error* err) {
  lb_fork_stability found = {0};
  lb_status status = lb_fork_linearise(&w->A, w->R, &w->scratch, &found);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY ? lb_fork_no_memory(err)
                                  : lb_error_add(err, status, w->what->place,
                                                 "fork '%s' cannot be linearised", w->what->name);
  }
  status = judge_pose(w, err);
  status = status == LB_OK ? judge(w, &found, err) : status;
  if (status == LB_OK && found.nneutral > 0) {
    status = lb_fork_leave_neutral(&w->A, &found);
    status = status == LB_NO_MEMORY ? lb_fork_no_memory(err) : status;
    status = status == LB_OK && (found.unstable || found.nneutral)
                 ? lb_error_add(err, LB_FAILED, w->what->place,
                                "fork '%s': joint '%s' has hardly any stiffness", w->what->name,
                                w->m->joint.name[found.joint])
                 : status;
  }
  return status;
}

// --- effectors ---

static lb_vec3 from_v4(lb_v4 v) {
  return lb_vec3_make(v[0], v[1], v[2]);
}

// S of every coordinate at the frame's origin, in the world, is turned into the frame's axes.
void lb_fork_jacobian(const lb_fork_work* w, int link, lb_transform X, double* J) {
  const size_t nv = (size_t)w->m->nv;
  const lb_state* s = &w->d->work->state[link];
  const lb_m3 R = s->R;
  const lb_quat back = lb_quat_conjugate(X.q);
  lb_derive_point(w->R->D, w->S, NULL, link, lb_m3_apply(R, lb_v4_from(X.p)));
  for (size_t k = 0; k < nv; k++) {
    const lb_vec3 turn = lb_quat_rotate(back, from_v4(lb_m3_apply_transposed(R, w->S[k].w)));
    const lb_vec3 move = lb_quat_rotate(back, from_v4(lb_m3_apply_transposed(R, w->S[k].v)));
    const double column[6] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
    for (size_t r = 0; r < 6; r++) {
      J[r * nv + k] = column[r];
    }
  }
}

static lb_transform link_pose(const lb_data* d, int link) {
  const lb_state* s = &d->work->state[link];
  const lb_mat3 R = {from_v4(s->R.x), from_v4(s->R.y), from_v4(s->R.z)};
  return (lb_transform){lb_quat_from_matrix(R), from_v4(s->p)};
}

// Poses of links and effectors, and the mechanism's size.
static void measure(lb_fork_work* w) {
  lb_fork* f = w->fork;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < f->nlink + f->neffector; i++) {
    const lb_anchor* at = i < f->nlink ? NULL : &f->at[i - f->nlink];
    const lb_transform X = at ? lb_transform_mul(f->link[at->link], at->X) : link_pose(w->d, i);
    const double p[3] = {X.p.x, X.p.y, X.p.z};
    *(at ? &f->pose[i - f->nlink] : &f->link[i]) = X;
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], p[c]);
      high[c] = fmax(high[c], p[c]);
    }
  }
  const lb_vec3 size = lb_vec3_make(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  f->radius = lb_vec3_norm(size) > 0 ? lb_vec3_norm(size) / 2 : 1;
  memcpy(f->q, w->d->q, (size_t)w->m->nq * sizeof *f->q);
  for (int i = 0; i < w->d->nexternal; i++) { // along the effectors' own axes
    const int e = w->wrench ? i : w->what->model[w->pose].load[i].effector;
    const lb_external_force* x = &w->d->external[i];
    const lb_quat back = lb_quat_conjugate(f->pose[e].q);
    const lb_vec3 n = lb_quat_rotate(back, x->torque), own = lb_quat_rotate(back, x->force);
    const double six[6] = {n.x, n.y, n.z, own.x, own.y, own.z};
    lb_add(6, f->wrench + 6 * (size_t)e, 1, six);
  }
}

lb_status lb_fork_measure(lb_fork_work* w, lb_error* err) {
  const size_t nv = (size_t)w->m->nv, n = 6 * (size_t)w->what->neffector;
  w->S = LB_TAKE(&w->scratch, lb_motion, nv);
  w->J_e = LB_TAKE(&w->scratch, double, n* nv);
  if (!w->S || !w->J_e) {
    return lb_fork_no_memory(err);
  }
  lb_equilibrium_solver_look(w->R, w->d);
  measure(w);
  for (int e = 0; e < w->what->neffector; e++) {
    const lb_anchor* at = &w->fork->at[e];
    lb_fork_jacobian(w, at->link, at->X, w->J_e + 6 * nv * (size_t)e);
  }
  return LB_OK;
}
