// The motion of a reduced mechanism, beside that of the whole.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "dynamics/tree/kinematics.h"
#include "fork/fork_inside.h"
#include "limber/simulate.h"
#include "math/linear/blas_thread.h"
#include "solve/run/frames.h"

// One model, several, or a tree that is linearised in every step; the others are NULL. What is to
// grow counts as several.
typedef struct run {
  const lb_fork* fork; // the first
  lb_fork** all;       // models, and how many
  int* count;
  lb_fork_judge* judge; // NULL where the base floats
  bool full;            // no more models
  lb_fork_stepper* one;
  lb_fork_blend* several;
  lb_fork_tree* tree;
  lb_transform* link; // [nlink] where each is shown by its own exponential; else NULL
  lb_stepper* whole;
  lb_data *reduced, *d;   // of frames; of the whole
  double* wrench;         // [neffector][6]
  lb_transform* whole_at; // [neffector] effectors of the whole
  const lb_fork_watch* watch;
  lb_arena arena;
} run;

static const lb_transform* poses(const run* u) {
  return u->tree ? u->tree->pose : u->one ? u->one->pose : u->several->pose;
}

// --- loads ---

static int effector_on(const lb_fork* f, int link) {
  for (int e = 0; e < f->neffector; e++) {
    if (f->at[e].link == link) {
      return e;
    }
  }
  return -1;
}

static double scale_at(const lb_model* m, int load, double time) {
  double value[3] = {1, 0, 0};
  if (m->force.load_profile[load]) {
    lb_profile_evaluate(m->force.load_profile[load], time, value);
  }
  return value[0];
}

// Wrenches on effectors by which the scene's loads differ from those at the start.
static void find_wrenches(run* u, double time) {
  const lb_fork* f = u->fork;
  const lb_model* m = f->model;
  memset(u->wrench, 0, 6 * (size_t)f->neffector * sizeof *u->wrench);
  for (int i = 0; i < m->force.nload; i++) {
    const int e = effector_on(f, m->force.load_at[i].link);
    const double scale = scale_at(m, i, time) - scale_at(m, i, 0);
    if (e < 0 || scale == 0) {
      continue;
    }
    const lb_scene_load* load = &m->force.load[i];
    const lb_transform link = lb_transform_mul(poses(u)[e], lb_transform_inverse(f->at[e].X));
    const lb_quat turn =
        load->follows ? lb_quat_mul(link.q, m->force.load_at[i].X.q) : lb_quat_identity();
    const lb_vec3 force = lb_quat_rotate(turn, lb_vec3_scale(scale, load->force));
    const lb_vec3 torque = lb_quat_rotate(turn, lb_vec3_scale(scale, load->torque));
    const lb_vec3 at = lb_transform_point(link, m->force.load_at[i].X.p);
    const lb_vec3 n = lb_vec3_add(torque, lb_vec3_cross(lb_vec3_sub(at, poses(u)[e].p), force));
    const double six[6] = {n.x, n.y, n.z, force.x, force.y, force.z};
    for (int k = 0; k < 6; k++) {
      u->wrench[6 * e + k] += six[k];
    }
  }
}

static int count_left_out(const lb_fork* f) {
  int count = 0;
  for (int i = 0; i < f->model->force.nload; i++) {
    count += effector_on(f, f->model->force.load_at[i].link) < 0;
  }
  return count;
}

// --- frames ---

// Poses of the last frame by the links' own exponentials.
static void show_links(const run* u, lb_recording* r) {
  const lb_model* m = u->fork->model;
  lb_transform* pose = r->pose + (size_t)(r->nframe - 1) * (size_t)m->nbody;
  lb_fork_links(u->one, u->link);
  for (int b = 0; b < m->nbody; b++) {
    if (m->body.link[b] != LB_WORLD) {
      pose[b] = lb_transform_mul(u->link[m->body.link[b]], m->body.in_link[b]);
    }
  }
}

static lb_status put_frame(run* u, double time, lb_recording* r, lb_error* err) {
  const lb_model* m = u->fork->model;
  if (u->tree) {
    memcpy(u->reduced->q, u->tree->q, (size_t)m->nq * sizeof *u->reduced->q);
  } else if (u->one) {
    lb_fork_coordinates(u->one, u->reduced->q);
  } else {
    lb_fork_blend_look(u->several);
    lb_fork_blend_coordinates(u->several, u->reduced->q);
  }
  if (m->constraint.count > 0) {
    lb_project(m, u->reduced);
  }
  u->reduced->time = time;
  lb_kinematics(m, u->reduced, u->reduced->q, u->reduced->qd);
  const lb_status status = lb_frame_put(r, u->reduced, err);
  if (status == LB_OK && u->link) {
    show_links(u, r);
  }
  return status;
}

// Bodies of the whole are where they are in d; effectors against those.
static void compare(run* u, lb_fork_motion* motion) {
  const lb_fork* f = u->fork;
  lb_poses(f->model, u->d);
  for (int e = 0; e < f->neffector; e++) {
    const lb_scene_effector* of = &f->what->effector[e];
    const lb_transform body = u->d->pose[of->body];
    const lb_vec3 at = lb_transform_point(body, of->at);
    u->whole_at[e] = (lb_transform){body.q, at};
    motion->moved = fmax(motion->moved, lb_vec3_norm(lb_vec3_sub(at, f->pose[e].p)));
    motion->off = fmax(motion->off, lb_vec3_norm(lb_vec3_sub(at, poses(u)[e].p)));
  }
}

static lb_status tell(run* u, double time, lb_error* err) {
  const lb_fork_watch* watch = u->watch;
  if (watch && watch->seen && !watch->seen(watch->context, time, poses(u), u->whole_at)) {
    return lb_fork_no_memory(err);
  }
  return watch && watch->whole ? lb_frame_put(watch->whole, u->d, err) : LB_OK;
}

// A frame of both.
static lb_status show(run* u, double time, lb_recording* r, lb_fork_motion* motion, lb_error* err) {
  compare(u, motion);
  const lb_status status = put_frame(u, time, r, err);
  return status == LB_OK ? tell(u, time, err) : status;
}

// --- growing ---

static lb_status blend(run* u, double step, const lb_allocator* allocator, lb_error* err) {
  lb_fork_blend* next = NULL;
  const lb_status status = lb_fork_blend_create(u->all, *u->count, step, allocator, &next, err);
  if (status == LB_OK) {
    if (u->several) { // goes on where it was
      lb_fork_blend_twist(u->several, u->wrench);
      lb_fork_blend_set(next, u->several->pose, u->wrench);
    }
    lb_fork_blend_release(u->several);
    u->several = next;
  }
  return status;
}

// One more model about the equilibrium under the wrenches that hold the effectors now. Where there
// is none, no more are tried.
static lb_status grow(run* u, const lb_allocator* allocator, lb_fork_motion* motion,
                      lb_error* err) {
  const lb_fork* f = u->fork;
  lb_fork* more = NULL;
  lb_error ignored = lb_error_make(allocator);
  lb_fork_blend_wrench(u->several, u->wrench);
  for (int e = 0; e < f->neffector; e++) {
    double* w = u->wrench + 6 * (size_t)e;
    const lb_quat turn = poses(u)[e].q;
    const lb_vec3 n = lb_quat_rotate(turn, lb_vec3_make(-w[0], -w[1], -w[2]));
    const lb_vec3 F = lb_quat_rotate(turn, lb_vec3_make(-w[3], -w[4], -w[5]));
    const double six[6] = {n.x, n.y, n.z, F.x, F.y, F.z};
    memcpy(w, six, sizeof six);
  }
  const lb_status status =
      lb_fork_create_under(f->model, f->what, *u->count, u->wrench, allocator, &more, &ignored);
  lb_error_clear(&ignored);
  u->full = status != LB_OK;
  if (status != LB_OK) {
    return status == LB_NO_MEMORY ? lb_fork_no_memory(err) : LB_OK;
  }
  u->all[(*u->count)++] = more;
  motion->grown++;
  return blend(u, u->several->step, allocator, err);
}

static lb_status judge(run* u, const lb_allocator* allocator, lb_fork_motion* motion,
                       lb_error* err) {
  const lb_scene_fork* what = u->fork->what;
  if (!u->judge) {
    return LB_OK;
  }
  const double estimate =
      u->one ? lb_fork_judge_stepper(u->judge, u->one) : lb_fork_judge_blend(u->judge, u->several);
  motion->estimate = fmax(motion->estimate, estimate);
  const bool more = what->grow.error > 0 && estimate > what->grow.error && !u->full &&
                    *u->count < what->grow.most;
  return more ? grow(u, allocator, motion, err) : LB_OK;
}

// --- the run ---

// Steps to the next frame, of both.
static lb_status advance(run* u, const lb_plan* p, long from, long to, lb_fork_motion* motion,
                         lb_error* err) {
  lb_status status = LB_OK;
  const double start = lb_clock();
  for (long i = from; i < to; i++) {
    find_wrenches(u, (double)(i + 1) * p->step);
    if (u->tree) {
      lb_fork_tree_step(u->tree, u->wrench);
    } else if (u->one) {
      lb_fork_step(u->one, u->wrench);
    } else {
      lb_fork_blend_step(u->several, u->wrench);
    }
  }
  const double middle = lb_clock();
  for (long i = from; i < to && status == LB_OK; i++) {
    status = lb_stepper_step(u->whole, u->d, p->step, err);
  }
  motion->seconds += middle - start;
  motion->whole += lb_clock() - middle;
  motion->steps += to - from;
  return status;
}

static lb_status create(run* u, double step, const lb_allocator* allocator, lb_error* err) {
  lb_fork* const* fork = u->all;
  const lb_model* m = fork[0]->model;
  const lb_scene_fork* what = fork[0]->what;
  const bool several = *u->count > 1 || what->grow.error > 0;
  lb_status status = what->relinearise
                         ? lb_fork_tree_create(fork[0], step, allocator, &u->tree, err)
                     : several ? blend(u, step, allocator, err)
                               : lb_fork_stepper_create(fork[0], step, allocator, &u->one, err);
  const bool links = what->links == LB_FORK_LINKS_EXPONENTIAL && u->one;
  u->link = links ? LB_TAKE(&u->arena, lb_transform, fork[0]->nlink) : NULL;
  status = status == LB_OK && fork[0]->base == 0 && !u->tree
               ? lb_fork_judge_create(fork[0], allocator, &u->judge, err)
               : status;
  status = status == LB_OK ? lb_data_create(m, allocator, &u->reduced, err) : status;
  status = status == LB_OK ? lb_data_create(m, allocator, &u->d, err) : status;
  status = status == LB_OK ? lb_stepper_create(m, NULL, allocator, &u->whole, err) : status;
  u->wrench = LB_TAKE(&u->arena, double, 6 * (size_t)fork[0]->neffector);
  u->whole_at = LB_TAKE(&u->arena, lb_transform, fork[0]->neffector);
  if (status == LB_OK) {
    memcpy(u->d->q, fork[0]->q, (size_t)m->nq * sizeof *u->d->q);
    memset(u->d->qd, 0, (size_t)m->nv * sizeof *u->d->qd);
    memset(u->reduced->qd, 0, (size_t)m->nv * sizeof *u->reduced->qd);
    lb_kinematics(m, u->d, u->d->q, u->d->qd);
    status = u->wrench && u->whole_at && (u->link || !links) ? LB_OK : lb_fork_no_memory(err);
  }
  return status;
}

static void release(run* u) {
  lb_fork_stepper_release(u->one);
  lb_fork_blend_release(u->several);
  lb_fork_tree_release(u->tree);
  lb_fork_judge_release(u->judge);
  lb_stepper_release(u->whole);
  lb_data_release(u->reduced);
  lb_data_release(u->d);
  lb_arena_release(&u->arena);
}

lb_status lb_fork_simulate(lb_fork** fork, int* count, const lb_simulate_options* options,
                           lb_recording* r, const lb_fork_watch* watch, lb_fork_motion* motion,
                           lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_status status = lb_plan_check(fork[0]->model, options, err);
  if (status != LB_OK) {
    return status;
  }
  const lb_plan p = lb_plan_make(fork[0]->model, options);
  run u = {.fork = fork[0], .all = fork, .count = count, .watch = watch};
  lb_arena_init(&u.arena, r->allocator);
  *motion = (lb_fork_motion){.left_out = count_left_out(fork[0]),
                             .estimate = fork[0]->base || fork[0]->what->relinearise ? NAN : 0};
  status = create(&u, p.step, r->allocator, err);
  status = status == LB_OK ? show(&u, 0, r, motion, err) : status;
  for (long i = 0; i < p.steps && status == LB_OK;) {
    const long next = i + p.stride < p.steps ? i + p.stride : p.steps;
    status = advance(&u, &p, i, next, motion, err);
    i = next;
    status = status == LB_OK ? show(&u, (double)i * p.step, r, motion, err) : status;
    status = status == LB_OK ? judge(&u, r->allocator, motion, err) : status;
    const double done = (double)i / (double)p.steps;
    if (status == LB_OK && !lb_progress_report(&options->progress, done, "both motions")) {
      status = lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  release(&u);
  return status;
}
