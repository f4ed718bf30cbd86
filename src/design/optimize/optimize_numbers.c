// What numbers of the model do to a stage of a run: one dot product each with the stage's
// multiplier.
#include "design/optimize/optimize_back.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force_drag.h"
#include "dynamics/force/force_ground.h"
#include "dynamics/force/force_point.h"
#include "dynamics/force/force_tension.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"

// x turns the scene's own orientation by exp(x), which changes along velocities by Jr(x) dx.
void lb_turned_pull(double* to, const double* x, lb_v4 by) {
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_RIGHT, lb_vec3_make(x[0], x[1], x[2])));
  lb_v4_add_to(to, lb_m3_apply_transposed(J, by));
}

// The link that a velocity of a joint moves.
static int link_of(const lb_model* m, int v) {
  int j = 0;
  while (v < m->joint_v[j] || v >= m->joint_v[j] + m->joint_nv[j]) {
    j++;
  }
  return m->joint_link[j];
}

// How far a joint is stretched falls with its rest; `pull` is what that is worth. Of a rotation r
// it is log r'q, and turning r by e gives log(exp(-e) r'q) = log r'q - Jl^-1 e, where Jl^-1 is
// Jr^-1 transposed; of the place p0 of a free joint it is R'(p - p0), which comes after that.
static void pull_rest(const lb_way_back* w, const lb_block* b, const double* pull, double* to) {
  const lb_scene_joint* j = &w->o->given.joint[b->p->index];
  const bool free = j->kind == LB_JOINT_FREE;
  if (!lb_joint_has_quaternion(j)) {
    lb_add(b->count, to, 1, pull);
    return;
  }
  const int at = b->own_q + (free ? 3 : 0);
  const double* q = w->d->q + at;
  double turn[3];
  lb_quat_stretch(turn, q, w->m->rest + at);
  const lb_vec3 t = lb_vec3_make(turn[0], turn[1], turn[2]);
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_RIGHT_INVERSE, t));
  lb_turned_pull(to, w->x + b->first, lb_m3_apply(J, lb_v4_load(pull)));
  if (free) {
    const lb_m3 R = lb_m3_from(lb_quat_matrix((lb_quat){q[0], q[1], q[2], q[3]}));
    lb_v4_add_to(to + 3, lb_m3_apply(R, lb_v4_load(pull + 3)));
  }
}

// mu'dr by a joint's stiffness, damping or rest.
static void pull_joint(lb_way_back* w, const lb_block* b, const double* mu) {
  const lb_model* m = w->m;
  double* to = w->gradient + b->first;
  if (b->loop >= 0) {
    for (int k = 0; k < b->count; k++) {
      to[k] +=
          lb_loop_spring_by_number(w->D, w->at, b->loop, lb_number_of_spring[b->p->kind], k, mu);
    }
    return;
  }
  const int link = link_of(m, b->own_v), first = m->link_v[link];
  double pull[LB_JOINT_MOST_V];
  if (b->p->kind == LB_PARAMETER_REST) {
    lb_joint_springs_by_stretch(m, link, w->d->q, mu, pull);
    pull_rest(w, b, pull + b->own_v - first, to);
    return;
  }
  lb_joint_springs_by_stiffness(m, link, w->d->q, pull);
  const bool stiff = lb_number_of_spring[b->p->kind] == LB_SPRING_STIFFNESS;
  for (int i = 0; i < b->ncoordinate; i++) {
    const int v = b->coordinate[i];
    *to += mu[v] * (stiff ? pull[v - first] : -w->d->qd[v]);
  }
}

static void pull_line(lb_way_back* w, const lb_block* b, const double* mu) {
  const bool spring = b->p->owner == LB_OWNER_SPRING;
  w->gradient[b->first] += (spring ? lb_spring_by_number : lb_cable_by_number)(
      w->D, w->at, b->p->index, lb_number_of_spring[b->p->kind], mu);
}

static void pull_ground(lb_way_back* w, const lb_block* b, const double* mu) {
  w->gradient[b->first] += lb_ground_by_stiffness(w->D, w->at, b->p->index, mu);
}

// The power of what the equations of motion get beyond, for one more of a growth's number.
static double growth_power(lb_way_back* w, const lb_growth* g, bool length, bool impact,
                           const double* mu) {
  if (g->link == LB_WORLD) {
    return 0;
  }
  lb_motion by = lb_motion_zero();
  lb_derive_point(w->D, w->move, NULL, g->link, lb_v4_zero());
  for (int k = 0; k < w->D->model->nv; k++) {
    by = lb_motion_add(by, lb_motion_scale(mu[k], w->move[k]));
  }
  const lb_state* s = &w->at->work->state[g->link];
  const lb_bulk grown = length ? lb_growth_by_length(g) : lb_growth_by_density(g);
  double power = lb_bulk_power(&grown, s, by);
  if (length && g->drag >= 0 &&
      !impact) { // minus drag.(velocity by mu) at a centre that moves by e
    const lb_model_drag* drag = &w->m->drag[g->drag];
    const lb_force_point p = lb_force_point_find(w->at->work, &drag->at);
    const lb_v4 e = lb_m3_apply(s->R, lb_v4_from(lb_growth_centre_by_length(g)));
    const lb_v4 moved = by.v + lb_v4_cross(by.w, p.arm);
    const lb_motion v = {lb_v4_zero(), lb_v4_cross(s->w, e)};
    const lb_v4 force = lb_drag_force(drag, p.velocity);
    const lb_v4 change = lb_drag_change(drag, p.velocity, v).v;
    power -= lb_v4_dot(change, moved) + lb_v4_dot(force, lb_v4_cross(by.w, e));
  }
  return power;
}

static void pull_mass(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  const bool length = b->p->kind == LB_PARAMETER_LENGTH;
  for (int i = b->growth; i < b->growth + b->ngrowth; i++) {
    const lb_growth* g = &w->o->growth[i];
    const double power = growth_power(w, g, length, impact, mu);
    w->gradient[b->first] -= length ? power : power / (g->parts * g->base.m);
  }
}

// How velocities mu move the particles of ropes and deformables.
static const double* move_nodes(lb_way_back* w, const double* mu) {
  return w->X ? lb_explicit_move_particles(w->X, mu) : lb_step_move_particles(w->S, mu);
}

// A deformable on a body that gets longer.
static void pull_stretch(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  if (w->m->ndeformable > 0) {
    const lb_stretch_room room = {w->particles, w->move};
    w->gradient[b->first] +=
        lb_stretch_power(w->o, w->m, w->D, w->d, b, impact, &room, mu, move_nodes(w, mu));
  }
}

// Of all numbers of a model these alone change an impact, and where motors are.
static bool moves_mass(const lb_block* b) {
  return b->p->kind == LB_PARAMETER_MASS || b->p->kind == LB_PARAMETER_LENGTH;
}

void lb_numbers_pull(lb_way_back* w, bool impact) {
  const double* mu = w->at != w->d ? lb_step_see(w->S, w->mu) : w->mu;
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (impact && !moves_mass(b)) {
      continue;
    }
    if (lb_fabric_owns(b)) {
      double* to = &w->gradient[b->first];
      *to += lb_modulus_power(w->o, w->d, w->stiff[i], w->measured, w->mu);
      if (w->m->nparticle > 0) {
        *to += lb_fabric_power(w->o, w->m, w->d, b, w->part[i], move_nodes(w, mu));
      }
      continue;
    }
    switch (b->p->kind) {
    case LB_PARAMETER_STIFFNESS:
    case LB_PARAMETER_DAMPING:
    case LB_PARAMETER_TURN_STIFFNESS:
    case LB_PARAMETER_TURN_DAMPING:
    case LB_PARAMETER_REST:
      (b->p->owner == LB_OWNER_JOINT    ? pull_joint
       : b->p->owner == LB_OWNER_GROUND ? pull_ground
                                        : pull_line)(w, b, mu);
      break;
    case LB_PARAMETER_LENGTH:
      pull_mass(w, b, impact, mu);
      pull_stretch(w, b, impact, mu);
      break;
    case LB_PARAMETER_MASS:
      pull_mass(w, b, impact, mu);
      break;
    default:
      break;
    }
  }
}
