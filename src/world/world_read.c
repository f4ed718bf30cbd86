// Readings of a world: places, velocities, forces and Jacobians, computed when asked for.
#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/mechanism_pose.h"
#include "solve/run/frames.h"
#include "solve/step/stepper.h"
#include "world/world_inside.h"

// --- stages, each of which holds until the state or an input changes ---

// Poses, velocities of links and directions of coordinates.
static void move(lb_world* w) {
  if (!w->moved) {
    lb_poses(w->m, w->d);
    lb_update(w->m, w->d, LB_ORIGINS);
    lb_frame_show(w->shown, w->d, w->q, w->qd, NULL);
    w->moved = true;
  }
}

// Forces of motors and constraints.
static void observe(lb_world* w) {
  if (!w->observed) {
    lb_stepper_observe(w->stepper, w->d);
    w->moved = w->reacted = false; // the work space has been written over
    w->observed = true;
  }
}

static void react(lb_world* w) {
  if (!w->reacted) {
    w->observed = false;
    observe(w);
    lb_reactions(w->m, w->d, w->reaction);
    w->moved = false;
    w->reacted = true;
  }
}

// --- places ---

static bool has_shown(const lb_world* w, int joint) {
  return joint >= 0 && joint < w->shown->njoint;
}

const double* lb_world_q(lb_world* w, int joint) {
  move(w);
  return has_shown(w, joint) ? w->q + w->shown->joint.q[joint] : NULL;
}

const double* lb_world_qd(lb_world* w, int joint) {
  move(w);
  return has_shown(w, joint) ? w->qd + w->shown->joint.v[joint] : NULL;
}

lb_transform lb_world_pose(lb_world* w, int body) {
  if (!lb_world_name(w, LB_PART_BODY, body)) {
    return lb_transform_identity();
  }
  move(w);
  return w->d->pose[body];
}

lb_body_velocity lb_world_velocity(lb_world* w, int body) {
  const int link = lb_world_name(w, LB_PART_BODY, body) ? w->m->body.link[body] : LB_WORLD;
  if (link == LB_WORLD) {
    return (lb_body_velocity){{0, 0, 0}, {0, 0, 0}};
  }
  move(w);
  if (lb_mechanism_of(w->m, body) >= 0) {
    const lb_velocity V = lb_mechanism_velocity(w->m, w->d, body);
    return (lb_body_velocity){V.w, V.v};
  }
  const lb_state* s = &w->d->work->state[link];
  const lb_v4 arm = lb_m3_apply(s->R, lb_v4_from(w->m->body.in_link[body].p));
  return (lb_body_velocity){lb_v4_vec3(s->w), lb_v4_vec3(s->v + lb_v4_cross(s->w, arm))};
}

lb_vec3 lb_world_point(lb_world* w, int point) {
  if (!lb_world_name(w, LB_PART_POINT, point)) {
    return (lb_vec3){0, 0, 0};
  }
  move(w);
  const lb_track_point* p = &w->point[point];
  return lb_transform_point(w->d->pose[p->body], lb_track_in_body(w->shown, w->q, p));
}

// --- forces ---

double lb_world_motor_force(lb_world* w, int motor) {
  if (!lb_world_name(w, LB_PART_MOTOR, motor)) {
    return 0;
  }
  observe(w);
  return w->d->motor_force[motor];
}

lb_reaction lb_world_reaction(lb_world* w, int joint) {
  if (joint < 0 || joint >= w->m->njoint + w->m->constraint.nloop) {
    return (lb_reaction){{0, 0, 0}, {0, 0, 0}};
  }
  react(w);
  return w->reaction[joint];
}

lb_reaction lb_world_constraint_force(lb_world* w, int constraint) {
  const lb_model* m = w->m;
  const int npair = m->constraint.npair - m->constraint.nloop;
  if (constraint >= 0 && constraint < npair) {
    react(w);
    return w->reaction[m->njoint + m->constraint.nloop + constraint];
  }
  lb_reaction out = {{0, 0, 0}, {0, 0, 0}};
  if (constraint >= npair && constraint < npair + m->constraint.ncoupling) {
    observe(w);
    out.force.x = w->d->coupling_force[constraint - npair];
  }
  return out;
}

// --- all at once ---

lb_world_arrays lb_world_read(lb_world* w, int what) {
  const int *count = w->count, nbody = count[LB_PART_BODY], npoint = count[LB_PART_POINT];
  if (what & LB_READ_FORCES) { // first: it writes over the poses
    react(w);
  }
  if (what & LB_READ_MOTION) {
    for (int i = 0; i < nbody; i++) {
      w->velocity[i] = lb_world_velocity(w, i);
    }
    for (int i = 0; i < npoint; i++) {
      w->at[i] = lb_world_point(w, i);
    }
    move(w);
  }
  return (lb_world_arrays){w->shown->nq,         w->shown->nv, nbody, count[LB_PART_JOINT],
                           count[LB_PART_MOTOR], npoint,       w->q,  w->qd,
                           w->d->pose,           w->velocity,  w->at, w->d->motor_force,
                           w->reaction,          w->d->tau};
}

// --- Jacobians ---

static void put_column(double* J, int nv, int k, lb_v4 angular, lb_v4 linear) {
  for (int c = 0; c < 3; c++) {
    J[c * nv + k] = angular[c];
    J[(3 + c) * nv + k] = linear[c];
  }
}

// The columns of a link's own coordinates: they turn what is beyond it about its origin.
static void put_link(const lb_world* w, int i, lb_v4 point, double* J) {
  const lb_link* l = &w->m->link.packed[i];
  const lb_work* work = w->d->work;
  const lb_v4* S = work->S + 2 * (size_t)l->column;
  const lb_v4 arm = point - work->state[i].p;
  for (int k = 0; k < l->nv; k++) {
    put_column(J, w->m->nv, l->v + k, S[2 * k], S[2 * k + 1] + lb_v4_cross(S[2 * k], arm));
  }
}

lb_status lb_world_jacobian(lb_world* w, int body, lb_vec3 point, double* J) {
  const lb_model* m = w->m;
  memset(J, 0, 6 * (size_t)m->nv * sizeof *J);
  if (!lb_world_has(w, LB_PART_BODY, body)) {
    return w->err.status;
  }
  if (w->shown != m) {
    return lb_error_add(&w->err, LB_INVALID, (lb_place){.file = m->file},
                        "there are no Jacobians of worlds with every node of elastic bodies");
  }
  if (lb_world_follows(w, body)) {
    return w->err.status;
  }
  move(w);
  lb_fill_columns(m, w->d->work);
  const lb_v4 at = lb_v4_from(lb_transform_point(w->d->pose[body], point));
  for (int i = m->body.link[body]; i != LB_WORLD; i = m->link.packed[i].parent) {
    if (m->link.packed[i].kind !=
        LB_LINK_ELASTIC) { // whose coordinates move its faces, not its frame
      put_link(w, i, at, J);
    }
  }
  return LB_OK;
}
