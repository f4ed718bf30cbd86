// Models of scenes whose mechanisms are simulated by their effectors.
//
// A mechanism is reduced by itself (fork_scene.h), and becomes an elastic body on its base
// (fork_body.h). From there on everything is as for any other body: contacts, loops, springs and
// loads act on its effectors, and all integrators step it. The mechanism's own model is kept, for
// the poses of its inner bodies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fork/fork_body.h"
#include "fork/fork_inside.h"
#include "fork/fork_scene.h"
#include "limber/derivative.h"
#include "math/linear/blas_thread.h"
#include "model/use/link.h"

typedef struct maker {
  const lb_scene* scene; // rest lengths of springs filled in
  lb_arena arena;
  const lb_allocator* allocator;
  lb_error* err;
  lb_transform* start; // [nbody] poses at the start
  int count;
  lb_fork_piece* piece;     // [count]
  lb_scene_fork* what;      // [count] with its base fixed to the world
  lb_fork*** fork;          // [count] models of each, as many as `nfork` has
  int* nfork;               // [count]
  lb_fork_members* members; // [count] where there are several
  lb_model** whole;         // [count]
  lb_transform* from;       // [count] from the world to the base
  lb_model_mechanism* made; // [count] but for what the new model counts differently
} maker;

// --- the start ---

static lb_status assemble(const lb_model* m, lb_transform* pose, const lb_allocator* allocator,
                          lb_error* err) {
  lb_data* d = NULL;
  lb_status status = lb_data_create(m, allocator, &d, err);
  status = status == LB_OK ? lb_assemble(m, d, err) : status;
  if (status == LB_OK) {
    lb_poses(m, d);
  }
  for (int i = 0; status == LB_OK && i < m->nbody; i++) {
    pose[i] = d->pose[i];
  }
  lb_data_release(d);
  return status;
}

static double length_of(const lb_model* m, const lb_scene_force* f) {
  for (int i = 0; i < m->force.count; i++) {
    if (strcmp(m->force.item[i].set.name, f->name) == 0) {
      return m->force.item[i].set.length;
    }
  }
  return f->length;
}

// Poses and rest lengths as the whole has them at its start.
static lb_status start(maker* k) {
  lb_model* m = NULL;
  lb_scene* filled = LB_TAKE(&k->arena, lb_scene, 1);
  if (!filled) {
    return lb_fork_no_memory(k->err);
  }
  lb_status status = lb_model_create(k->scene, k->allocator, &m, k->err);
  if (status != LB_OK) {
    return status;
  }
  *filled = *k->scene;
  filled->force = LB_COPY(&k->arena, k->scene->force, k->scene->nforce);
  k->start = LB_TAKE(&k->arena, lb_transform, m->nbody);
  status = filled->force && k->start ? assemble(m, k->start, k->allocator, k->err)
                                     : lb_fork_no_memory(k->err);
  for (int i = 0; status == LB_OK && i < filled->nforce; i++) {
    filled->force[i].length = length_of(m, &filled->force[i]);
  }
  lb_model_release(m);
  k->scene = filled;
  return status;
}

// --- one mechanism ---

static lb_status check(const lb_scene* s, const lb_scene_fork* what, lb_error* err) {
  if (what->nmodel > 1 && what->mass == LB_FORK_IMPULSE) {
    return lb_error_add(err, LB_INVALID, what->model[1].place,
                        "fork '%s' has several models, whose masses are those of static shapes "
                        "where they are simulated (take 'mass: impulse' away)",
                        what->name);
  }
  if (what->nphase > 0) {
    return lb_error_add(err, LB_INVALID, what->phase[0].place,
                        "fork '%s' has phases, through which 'limber simulate' goes: a model of "
                        "its own has none (take 'phases' away)",
                        what->name);
  }
  if (what->relinearise) {
    return lb_error_add(err, LB_INVALID, what->place,
                        "fork '%s' is linearised in every step, which takes longer than all of its "
                        "joints: 'limber fork' does it alone (say 'simulate: whole', or list "
                        "'models' in place of 'relinearise')",
                        what->name);
  }
  if (what->grow.error > 0) {
    return lb_error_add(err, LB_INVALID, what->place,
                        "fork '%s' is to grow, which it does in 'limber fork' alone: a model that "
                        "is simulated does not change (list the loads that were found under "
                        "'models' and take 'grow' away, or say 'simulate: whole')",
                        what->name);
  }
  if (s->solver.coordinates == LB_COORDINATES_MAXIMAL) {
    return lb_error_add(err, LB_INVALID, what->place,
                        "fork '%s' is simulated by its effectors, which maximal coordinates have "
                        "not (say 'simulate: whole', or 'coordinates: reduced')",
                        what->name);
  }
  return LB_OK;
}

static bool is_constant(const lb_profile_definition* p) {
  bool same = p->advance == 0;
  for (int i = 1; i < p->count; i++) {
    same &= p->value[i] == p->value[0];
  }
  return same;
}

static lb_status refuse_motor(const maker* k, int i, const lb_scene_motor* motor, const char* why) {
  return lb_error_add(k->err, LB_INVALID, motor->place,
                      "fork '%s': motor '%s' is inside of the mechanism, and %s", k->what[i].name,
                      motor->name, why);
}

// Servos and forces act along y; what prescribes a motion must hold.
static lb_status check_motor(const maker* k, int i, const lb_scene_motor* motor) {
  if (motor->drive == LB_DRIVE_FORCE || is_constant(&motor->profile)) {
    return motor->rotation && motor->profile.count > 1
               ? refuse_motor(k, i, motor, "prescribes a motion (make the mechanism end there)")
               : LB_OK;
  }
  if (motor->drive == LB_DRIVE_POSITION || (motor->stiffness == 0 && motor->damping == 0)) {
    return refuse_motor(k, i, motor,
                        "prescribes a motion (make it a servo with a 'stiffness' and a 'damping')");
  }
  return motor->limit > 0
             ? refuse_motor(k, i, motor, "has a 'limit', which no servo has there (take it away)")
             : LB_OK;
}

static const lb_model_servo* servo_of(const lb_model* m, int motor) {
  for (int i = 0; i < m->motor.nservo; i++) {
    if (m->motor.servo[i].motor == motor) {
      return &m->motor.servo[i];
    }
  }
  return NULL;
}

// Motors of the scene alone that exert something.
static lb_status take_motors(maker* k, int i, const lb_scene* alone) {
  const lb_fork* f = k->fork[i][0];
  const lb_model* m = k->whole[i];
  lb_model_mechanism* to = &k->made[i];
  lb_arena* arena = m->storage;
  to->motor = LB_TAKE(arena, lb_model_inner_motor, alone->nmotor);
  for (int n = 0; n < alone->nmotor && to->motor; n++) {
    const lb_scene_motor* motor = &alone->motor[n];
    const lb_status status = check_motor(k, i, motor);
    if (status != LB_OK) {
      return status;
    }
    const lb_model_servo* servo = servo_of(m, n);
    const bool holds =
        servo ? servo->stiffness == 0 && servo->damping == 0 : motor->drive != LB_DRIVE_FORCE;
    if (holds || m->motor.v[n] < 0) {
      continue;
    }
    lb_model_inner_motor* own = &to->motor[to->nmotor++];
    *own = (lb_model_inner_motor){.name = m->motor.name[n],
                                  .profile = m->motor.profile[n],
                                  .servo = servo,
                                  .slides = m->dof.counts[m->motor.v[n]] == LB_COORDINATE_LENGTH,
                                  .q = f->q[m->joint.q[m->motor.joint[n]] + motor->coordinate],
                                  .stiffness = servo ? servo->stiffness : 1,
                                  .damping = servo ? servo->damping : 0,
                                  .along = LB_TAKE(arena, double, to->count)};
    for (int y = 0; y < to->count && own->along; y++) {
      own->along[y] = to->dq[(size_t)y * (size_t)f->nv + (size_t)m->motor.v[n]];
    }
  }
  return lb_arena_status(arena) == LB_OK ? LB_OK : lb_fork_no_memory(k->err);
}

// The scene may go away.
static lb_place keep_place(lb_arena* arena, lb_place place) {
  place.file = place.file ? lb_arena_text(arena, place.file, strlen(place.file)) : NULL;
  return place;
}

// Poses of bodies in equilibrium, which bodies follow, and the maps to them.
static lb_status take_maps(maker* k, int i, lb_data* d) {
  const lb_fork* f = k->fork[i][0];
  const bool several = k->nfork[i] > 1;
  const lb_fork_members* members = &k->members[i];
  const int count = several ? lb_fork_family_amplitudes(members->family) : f->count;
  lb_arena* arena = k->whole[i]->storage;
  const int nbody = k->scene->nbody;
  lb_fork_piece* piece = &k->piece[i];
  lb_transform* in_base = LB_TAKE(&k->arena, lb_transform, nbody);
  bool* follows = LB_TAKE(arena, bool, nbody);
  k->made[i] =
      (lb_model_mechanism){.name = lb_arena_text(arena, f->what->name, strlen(f->what->name)),
                           .place = keep_place(arena, f->what->place),
                           .base = piece->parts.base,
                           .from = k->from[i],
                           .count = count,
                           .whole = k->whole[i],
                           .q = LB_COPY(arena, f->q, f->model->nq),
                           .dq = several ? members->dq : LB_COPY(arena, f->dq, count * f->nv),
                           .follows = follows};
  if (f->what->links == LB_FORK_LINKS_EXPONENTIAL && !several) {
    k->made[i].link = LB_COPY(arena, f->link, f->nlink);
    k->made[i].twist = LB_COPY(arena, f->follow, 6 * f->nlink * f->count);
  }
  if (!in_base || lb_arena_status(arena) != LB_OK) {
    return lb_fork_no_memory(k->err);
  }
  lb_poses(k->whole[i], d);
  for (int b = 0; b < nbody; b++) {
    const int e = piece->parts.effector[b];
    in_base[b] = lb_transform_mul(k->from[i], d->pose[b]);
    if (several && e >= 0) { // where it would be at the origin of their chart
      const lb_transform rest = lb_transform_mul(k->from[i], members->centre[e]);
      const lb_transform own = lb_transform_mul(lb_transform_inverse(f->pose[e]), d->pose[b]);
      in_base[b] = lb_transform_mul(rest, own);
    }
    follows[b] = lb_fork_side_of(&piece->parts, b) == LB_FORK_INNER;
  }
  piece->in_base = in_base;
  return LB_OK;
}

static lb_status create_body(maker* k, int i, lb_data* d, const bool* has, lb_reduced** body) {
  lb_arena* arena = k->whole[i]->storage;
  if (k->nfork[i] > 1) {
    return lb_fork_members_create(k->fork[i], k->nfork[i], d, has, k->from[i], arena, &k->arena,
                                  &k->members[i], body, k->err);
  }
  return lb_fork_body_create(k->fork[i][0], d, has, k->from[i], arena, body) == LB_OK
             ? LB_OK
             : lb_fork_no_memory(k->err);
}

static void go_to(lb_data* d, const lb_fork* f) {
  memcpy(d->q, f->q, (size_t)f->model->nq * sizeof *d->q);
  memset(d->qd, 0, (size_t)f->nv * sizeof *d->qd);
}

static lb_status make_body(maker* k, int i, lb_reduced** body) {
  const lb_model* m = k->whole[i];
  lb_data* d = NULL;
  bool* has = LB_TAKE(&k->arena, bool, m->nbody); // parts of split bodies count with these
  lb_status status = has ? lb_data_create(m, k->allocator, &d, k->err) : lb_fork_no_memory(k->err);
  if (status == LB_OK) {
    for (int b = 0; b < m->nbody; b++) {
      has[b] = b >= k->scene->nbody || lb_fork_has(&k->piece[i].parts, b);
    }
    go_to(d, k->fork[i][0]);
    status = create_body(k, i, d, has, body);
  }
  if (status == LB_OK) {
    go_to(d, k->fork[i][0]);
    status = take_maps(k, i, d);
  }
  lb_data_release(d);
  return status;
}

// What acts on the body alone: the scene of its mechanism, reduced.
static lb_status balance(maker* k, int i, const lb_scene* alone, lb_reduced* body) {
  lb_fork_piece piece = {.reduced = body, .in_base = k->piece[i].in_base};
  lb_scene_fork held = *k->piece[i].parts.what;
  lb_scene reduced;
  lb_model* m = NULL;
  held.free = false;
  held.base = k->piece[i].parts.base;
  lb_status status = lb_fork_find_parts(alone, &held, &k->arena, &piece.parts, k->err);
  status = status == LB_OK ? lb_fork_scene_reduced(alone, 1, &piece, &k->arena, &reduced) : status;
  status = status == LB_OK ? lb_model_create(&reduced, k->allocator, &m, k->err) : status;
  const lb_fork_members* members = k->nfork[i] > 1 ? &k->members[i] : NULL;
  status = status == LB_OK
               ? lb_fork_body_balance(body, k->fork[i], members, m, k->allocator, k->err)
               : status;
  lb_model_release(m);
  return status;
}

// Model `number` of mechanism i.
static lb_status linearise(maker* k, int i, int number) {
  const lb_scene_fork* what = &k->what[i];
  lb_fork** to = &k->fork[i][number];
  const lb_status status = lb_fork_create(k->whole[i], what, number, k->allocator, to, k->err);
  k->nfork[i] += status == LB_OK;
  if (status == LB_OK && (*to)->fell) {
    return lb_error_add(k->err, LB_FAILED, number > 0 ? what->model[number].place : what->place,
                        "fork '%s': the pose %s is unstable, past buckling, so that the "
                        "mechanism leaves it (lessen the load, stiffen a joint, start it where it "
                        "comes to, or say 'simulate: whole')",
                        what->name, number > 0 ? "under this load" : "it starts in");
  }
  return status;
}

static lb_status reduce(maker* k, int i, const lb_scene_fork* what) {
  lb_fork_piece* piece = &k->piece[i];
  lb_scene alone;
  lb_reduced* body = NULL;
  lb_status status = lb_fork_find_parts(k->scene, what, &k->arena, &piece->parts, k->err);
  status = status == LB_OK ? lb_fork_scene_alone(&piece->parts, k->start, &k->arena, &alone, k->err)
                           : status;
  if (status != LB_OK) {
    return status;
  }
  k->what[i] = *what;
  k->what[i].base = LB_WORLD; // where it is fixed now
  k->what[i].free = false;
  const int base = piece->parts.base;
  k->from[i] = base == LB_WORLD ? lb_transform_identity() : lb_transform_inverse(k->start[base]);
  status = lb_model_create(&alone, k->allocator, &k->whole[i], k->err);
  const int models = what->nmodel > 1 ? what->nmodel : 1;
  k->fork[i] = LB_TAKE(&k->arena, lb_fork*, models);
  status = status == LB_OK && !k->fork[i] ? lb_fork_no_memory(k->err) : status;
  for (int n = 0; n < models && status == LB_OK; n++) {
    status = linearise(k, i, n);
  }
  status = status == LB_OK ? make_body(k, i, &body) : status;
  status = status == LB_OK ? take_motors(k, i, &alone) : status;
  status = status == LB_OK ? balance(k, i, &alone, body) : status;
  piece->reduced = body;
  return status;
}

// --- all of them ---

static lb_status check_apart(const maker* k) {
  for (int i = 0; i < k->count; i++) {
    for (int j = 0; j < k->count; j++) {
      const lb_fork_parts *a = &k->piece[i].parts, *b = &k->piece[j].parts;
      for (int body = 0; body < k->scene->nbody && i != j; body++) {
        const bool shared = lb_fork_has(a, body) && lb_fork_has(b, body);
        const bool inside = lb_fork_side_of(a, body) == LB_FORK_INNER && b->base == body;
        if (shared || inside) {
          return lb_error_add(k->err, LB_INVALID, b->what->place,
                              "forks '%s' and '%s' both have body '%s' (let one mechanism end "
                              "there, as an effector, or make them one)",
                              a->what->name, b->what->name, k->scene->body[body].name);
        }
      }
    }
  }
  return LB_OK;
}

static lb_status take_mechanisms(maker* k, lb_model* m) {
  lb_arena* arena = m->storage;
  m->mechanism.item = LB_COPY(arena, k->made, k->count);
  if (!m->mechanism.item) {
    return lb_fork_no_memory(k->err);
  }
  m->mechanism.count = k->count;
  m->mechanism.owned = true;
  for (int i = 0; i < k->count; i++) {
    lb_model_mechanism* to = &m->mechanism.item[i];
    bool* follows = LB_TAKE(arena, bool, m->nbody);
    if (!follows) {
      m->mechanism.owned = false;
      return lb_fork_no_memory(k->err);
    }
    memcpy(follows, to->follows, (size_t)k->scene->nbody * sizeof *follows);
    to->follows = follows;
    to->body = k->scene->nbody + i;
    m->mechanism.nmotor += to->nmotor;
  }
  return LB_OK;
}

// --- contacts ---

static int mover(const lb_model* m, int body) {
  return body == LB_WORLD ? LB_WORLD : lb_link_mover(m, m->body.link[body]);
}

// Links that joints inside of a mechanism hold together do not collide.
static lb_status join_links(const maker* k, lb_model* m) {
  lb_model_contacts* c = &m->contact;
  const int most = c->njoined + k->count * k->scene->njoint;
  int(*joined)[2] = lb_arena_take_array(m->storage, (size_t)most, sizeof *joined, _Alignof(int));
  if (!joined) {
    return lb_fork_no_memory(k->err);
  }
  if (c->njoined > 0) {
    memcpy(joined, c->joined, (size_t)c->njoined * sizeof *joined);
  }
  c->joined = joined;
  for (int i = 0; i < k->count; i++) {
    for (int j = 0; j < k->scene->njoint; j++) {
      const lb_scene_joint* joint = &k->scene->joint[j];
      const int a = mover(m, joint->parent), b = mover(m, joint->child);
      if (k->piece[i].parts.inside[j] && a != LB_WORLD && b != LB_WORLD && a != b) {
        joined[c->njoined][0] = a < b ? a : b;
        joined[c->njoined++][1] = a < b ? b : a;
      }
    }
  }
  qsort(joined, (size_t)c->njoined, sizeof *joined, lb_links_compare);
  return LB_OK;
}

static lb_status compile(maker* k, lb_model** model) {
  lb_scene to;
  lb_model* m = NULL;
  lb_status status = check_apart(k);
  if (status == LB_OK &&
      lb_fork_scene_reduced(k->scene, k->count, k->piece, &k->arena, &to) != LB_OK) {
    status = lb_fork_no_memory(k->err);
  }
  status = status == LB_OK ? lb_model_create(&to, k->allocator, &m, k->err) : status;
  status = status == LB_OK ? join_links(k, m) : status;
  status = status == LB_OK ? take_mechanisms(k, m) : status;
  if (status != LB_OK) {
    lb_model_release(m);
    return status;
  }
  *model = m;
  return LB_OK;
}

static bool take_arrays(maker* k) {
  k->piece = LB_TAKE(&k->arena, lb_fork_piece, k->count);
  k->what = LB_TAKE(&k->arena, lb_scene_fork, k->count);
  k->fork = LB_TAKE(&k->arena, lb_fork**, k->count);
  k->nfork = LB_TAKE(&k->arena, int, k->count);
  k->members = LB_TAKE(&k->arena, lb_fork_members, k->count);
  k->whole = LB_TAKE(&k->arena, lb_model*, k->count);
  k->from = LB_TAKE(&k->arena, lb_transform, k->count);
  k->made = LB_TAKE(&k->arena, lb_model_mechanism, k->count);
  return lb_arena_status(&k->arena) == LB_OK;
}

// --- independent mechanisms of one fork ---

// Loads of the models of a fork on effectors of a set, in the order of these.
static bool share_loads(lb_arena* arena, const lb_scene_fork* what, const int* set, int first,
                        lb_scene_fork* to) {
  to->model = LB_COPY(arena, what->model, what->nmodel);
  for (int m = 0; to->model && m < what->nmodel; m++) {
    const lb_scene_fork_model* from = &what->model[m];
    lb_scene_fork_model* model = &to->model[m];
    model->load = LB_TAKE(arena, lb_scene_effector_load, from->nload);
    model->nload = 0;
    for (int i = 0; model->load && i < from->nload; i++) {
      int number = 0;
      for (int e = 0; e < from->load[i].effector; e++) {
        number += set[e] == first;
      }
      if (set[from->load[i].effector] == first) {
        model->load[model->nload] = from->load[i];
        model->load[model->nload++].effector = number;
      }
    }
  }
  return lb_arena_status(arena) == LB_OK;
}

// The part of a fork that has the effectors of a set.
static bool share(lb_arena* arena, const lb_scene_fork* what, const int* set, int first,
                  lb_scene_fork* to) {
  char name[160];
  *to = *what;
  to->effector = LB_TAKE(arena, lb_scene_effector, what->neffector);
  to->neffector = 0;
  for (int e = 0; to->effector && e < what->neffector; e++) {
    if (set[e] == first) {
      to->effector[to->neffector++] = what->effector[e];
    }
  }
  if (to->neffector < what->neffector) {
    const int size =
        snprintf(name, sizeof name, "%.70s-%.70s", what->name, what->effector[first].name);
    to->name = lb_arena_text(arena, name, (size_t)size);
  }
  return to->name && share_loads(arena, what, set, first, to);
}

// Forks that are simulated by effectors, one for each set of effectors that depend on each other:
// what can be factored by itself is smaller.
static lb_status list_forks(maker* k, lb_scene_fork* list) {
  const lb_scene* s = k->scene;
  for (int i = 0; i < s->nfork; i++) {
    const lb_scene_fork* what = &s->fork[i];
    lb_fork_parts parts;
    if (what->simulated == LB_FORK_WHOLE) {
      continue;
    }
    lb_status status = check(s, what, k->err);
    status = status == LB_OK ? lb_fork_find_parts(s, what, &k->arena, &parts, k->err) : status;
    const int* set = status == LB_OK ? lb_fork_sets(&parts, &k->arena) : NULL;
    for (int e = 0; set && e < what->neffector && status == LB_OK; e++) {
      if (set[e] == e && !share(&k->arena, what, set, e, &list[k->count++])) {
        status = LB_NO_MEMORY;
      }
    }
    if (status != LB_OK || !set) {
      return status == LB_OK || status == LB_NO_MEMORY ? lb_fork_no_memory(k->err) : status;
    }
  }
  return LB_OK;
}

static lb_status make(maker* k, int most, lb_model** model) {
  lb_scene_fork* list = LB_TAKE(&k->arena, lb_scene_fork, most);
  lb_status status = list ? start(k) : lb_fork_no_memory(k->err);
  status = status == LB_OK ? list_forks(k, list) : status;
  status = status == LB_OK && !take_arrays(k) ? lb_fork_no_memory(k->err) : status;
  for (int i = 0; i < k->count && status == LB_OK; i++) {
    status = reduce(k, i, &list[i]);
  }
  status = status == LB_OK ? compile(k, model) : status;
  for (int i = 0; k->fork && k->nfork && i < k->count; i++) {
    for (int n = 0; n < k->nfork[i]; n++) {
      lb_fork_release(k->fork[i][n]);
    }
  }
  for (int i = 0; status != LB_OK && k->whole && i < k->count; i++) {
    lb_model_release(k->whole[i]);
  }
  return status;
}

lb_status lb_fork_model_create(const lb_scene* scene, const lb_allocator* allocator,
                               lb_model** model, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  maker k = {.scene = scene, .allocator = allocator, .err = err};
  int most = 0;
  for (int i = 0; i < scene->nfork; i++) {
    const lb_scene_fork* what = &scene->fork[i];
    most += what->simulated == LB_FORK_BY_EFFECTORS ? what->neffector : 0;
  }
  if (most == 0) {
    return lb_model_create(scene, allocator, model, err);
  }
  lb_arena_init(&k.arena, allocator);
  const lb_status status = make(&k, most, model);
  lb_arena_release(&k.arena);
  return status;
}

// --- a mechanism by itself ---

static lb_status make_alone(maker* k, const lb_fork_parts* parts, lb_model** model) {
  lb_scene alone;
  lb_fork_parts p = *parts;
  lb_status status = start(k);
  p.scene = k->scene;
  if (status == LB_OK) {
    status = lb_fork_scene_alone(&p, k->start, &k->arena, &alone, k->err);
    status = status == LB_NO_MEMORY ? lb_fork_no_memory(k->err) : status;
  }
  return status == LB_OK ? lb_model_create(&alone, k->allocator, model, k->err) : status;
}

lb_status lb_fork_alone_create(const lb_scene* scene, int fork, const lb_allocator* allocator,
                               lb_model** model, lb_scene_fork* what, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  maker k = {.scene = scene, .allocator = allocator, .err = err};
  lb_fork_parts parts;
  lb_arena_init(&k.arena, allocator);
  *what = scene->fork[fork];
  // what is not found here is refused by the reduction
  const bool found = lb_fork_find_parts(scene, what, &k.arena, &parts, NULL) == LB_OK;
  lb_status status;
  if (found && lb_fork_has_others(&parts)) {
    what->base = LB_WORLD;
    what->free = false;
    status = make_alone(&k, &parts, model);
  } else {
    status = lb_model_create(scene, allocator, model, err);
  }
  lb_arena_release(&k.arena);
  return status;
}
