// Numbers into a model, for runs, and into a scene, for what comes after.
#include <math.h>
#include <string.h>

#include "design/optimize.h"
#include "math/bspline.h"
#include "math/profile.h"
#include "model/link.h"
#include "model/soft.h"

// --- profiles ---

// Between keys a profile is v_i + (v_i+1 - v_i) b(s).
static void ease(lb_profile_kind kind, double s, double h, double b[3]) {
  if (kind == LB_PROFILE_LINEAR) {
    b[0] = s, b[1] = 1 / h, b[2] = 0;
  } else { // smooth
    b[0] = s * s * s * (10 + s * (6 * s - 15));
    b[1] = 30 * s * s * (1 - s) * (1 - s) / h;
    b[2] = 60 * s * (1 - s) * (1 - 2 * s) / (h * h);
  }
}

static int key_weights(const lb_profile_definition* p, double t, int* first, double weight[][3]) {
  int i = 0;
  while (i < p->count - 2 && t >= p->time[i + 1]) {
    i++;
  }
  *first = i;
  const double h = p->time[i + 1] - p->time[i];
  ease(p->kind, (t - p->time[i]) / h, h, weight[1]);
  for (int k = 0; k < 3; k++) {
    weight[0][k] = (k == 0) - weight[1][k];
  }
  return 2;
}

static int spline_weights(const lb_profile_definition* p, double t, int* first,
                          double weight[][3]) {
  const int degree = p->degree < p->count ? p->degree : p->count - 1;
  const lb_bspline s = {
      .degree = degree, .count = p->count, .start = p->time[0], .end = p->time[1], .clamped = true};
  lb_bspline_row N[LB_BSPLINE_MOST_ORDER] = {{0}};
  *first = lb_bspline_span(&s, t);
  lb_bspline_basis(&s, N, *first, t, degree < 2 ? degree : 2);
  for (int i = 0; i <= degree; i++) {
    for (int k = 0; k < 3; k++) {
      weight[i][k] = N[k][i];
    }
  }
  return degree + 1;
}

int lb_profile_weights(const lb_profile_definition* p, double t, int* first, double weight[][3]) {
  if (p->count == 1) {
    *first = 0;
    weight[0][0] = 1, weight[0][1] = weight[0][2] = 0;
    return 1;
  }
  const bool spline = p->kind == LB_PROFILE_BSPLINE;
  const double inside = fmin(fmax(t, p->time[0]), p->time[spline ? 1 : p->count - 1]);
  const int n =
      spline ? spline_weights(p, inside, first, weight) : key_weights(p, inside, first, weight);
  for (int i = 0; i < n && inside != t; i++) { // held
    weight[i][1] = weight[i][2] = 0;
  }
  return n;
}

// --- models ---

typedef struct player {
  lb_optimizing* o;
  lb_model* m;
  lb_arena* arena;
} player;

static void put_position(player* w, const lb_block* b, const double* x) {
  memcpy(w->m->q0 + b->q, x, (size_t)b->count * sizeof *x);
}

static lb_quat free_rotation(const lb_model* m, int q) {
  const double* r = m->q0 + q + 3;
  return (lb_quat){r[0], r[1], r[2], r[3]};
}

static void put_velocity(player* w, const lb_block* b, const double* x) {
  if (b->p->owner == LB_OWNER_BODY) {
    const lb_vec3 v = lb_quat_rotate(lb_quat_conjugate(free_rotation(w->m, b->q)),
                                     lb_vec3_make(x[0], x[1], x[2]));
    lb_v4_store(w->m->qd0 + b->v + 3, lb_v4_from(v));
  } else {
    memcpy(w->m->qd0 + b->v, x, (size_t)b->count * sizeof *x);
  }
}

static void put_spin(player* w, const lb_block* b, const double* x) {
  memcpy(w->m->qd0 + b->v, x, 3 * sizeof *x);
}

static lb_status play(player* w, int motor, lb_profile_definition definition, const double* value) {
  definition.value = (double*)value;
  return lb_profile_create(w->arena, &definition, &w->m->motor_profile[motor]);
}

static lb_status put_length(player* w, const lb_block* b, double f) {
  static double zero = 0;
  lb_status status = LB_OK;
  w->o->growth[b->growth].length = f;
  for (int i = 0; i < b->nslide && status == LB_OK; i++) {
    const double value = (f - 1) * b->slide[i].reach;
    const lb_profile_definition held = {.kind = LB_PROFILE_LINEAR, .count = 1, .time = &zero};
    status = play(w, b->slide[i].motor, held, &value);
  }
  return status;
}

static double* resistance(const lb_model* m, lb_parameter_kind kind) {
  return kind == LB_PARAMETER_STIFFNESS ? m->stiffness : m->damping;
}

static void put_line(double* stiffness, double* damping, double* length, lb_parameter_kind kind,
                     double x) {
  *(kind == LB_PARAMETER_STIFFNESS ? stiffness
    : kind == LB_PARAMETER_DAMPING ? damping
                                   : length) = x;
}

static void put_resistance(player* w, const lb_block* b, const double* x) {
  lb_model* m = w->m;
  if (b->p->owner == LB_OWNER_SPRING) {
    lb_scene_spring* s = &m->spring[b->p->index];
    put_line(&s->stiffness, &s->damping, &s->length, b->p->kind, *x);
  } else if (b->p->owner == LB_OWNER_CABLE) {
    lb_scene_cable* s = &m->cable[b->p->index];
    put_line(&s->stiffness, &s->damping, &s->length, b->p->kind, *x);
  } else if (b->p->kind == LB_PARAMETER_REST) {
    memcpy(m->rest + b->q, x, (size_t)b->count * sizeof *x);
  } else {
    for (int i = 0; i < b->ncoordinate; i++) {
      resistance(m, b->p->kind)[b->coordinate[i]] = *x;
    }
  }
}

static lb_status put(player* w, const lb_block* b, const double* x) {
  if (lb_fabric_owns(b)) {
    return lb_fabric_put(w->m, w->arena, b, *x, lb_fabric_given(&w->o->slid, b));
  }
  switch (b->p->kind) {
  case LB_PARAMETER_POSITION:
    put_position(w, b, x);
    break;
  case LB_PARAMETER_VELOCITY:
    put_velocity(w, b, x);
    break;
  case LB_PARAMETER_SPIN:
    put_spin(w, b, x);
    break;
  case LB_PARAMETER_MOTOR:
    return play(w, b->p->index, b->profile, x);
  case LB_PARAMETER_MASS:
    w->o->growth[b->growth].density = *x / w->o->growth[b->growth].base.m;
    break;
  case LB_PARAMETER_LENGTH:
    return put_length(w, b, *x);
  default:
    put_resistance(w, b, x);
    break;
  }
  return LB_OK;
}

// Own copies of what numbers are put into.
static bool copy_arrays(const lb_optimizing* o, lb_arena* arena, lb_model* m) {
  m->q0 = o->q0;
  m->qd0 = o->v0;
  const struct {
    void* array;
    int count;
    size_t size;
  } part[] = {{&m->q0, m->nq, sizeof *m->q0},
              {&m->qd0, m->nv, sizeof *m->qd0},
              {&m->stiffness, m->nv, sizeof *m->stiffness},
              {&m->damping, m->nv, sizeof *m->damping},
              {&m->rest, m->nq, sizeof *m->rest},
              {&m->spring, m->nline, sizeof *m->spring},
              {&m->cable, m->ncable, sizeof *m->cable},
              {&m->link, m->nlink, sizeof *m->link},
              {&m->segment, m->nsegment, sizeof *m->segment},
              {&m->soft, m->nsoft, sizeof *m->soft},
              {&m->motor_profile, m->nmotor, sizeof *m->motor_profile}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    void* to = lb_arena_take(arena, (size_t)part[i].count * part[i].size, LB_ALIGN);
    if (!to) {
      return false;
    }
    if (part[i].count > 0) {
      memcpy(to, *(void**)part[i].array, (size_t)part[i].count * part[i].size);
    }
    *(void**)part[i].array = to;
  }
  return true;
}

lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_model* m) {
  *m = *o->model;
  if (!copy_arrays(o, arena, m)) {
    return LB_NO_MEMORY;
  }
  player w = {o, m, arena};
  lb_status status = LB_OK;
  for (int i = 0; i < o->nblock && status == LB_OK; i++) {
    status = put(&w, &o->block[i], x + o->block[i].first);
  }
  for (int i = 0; i < o->ngrowth && status == LB_OK; i++) {
    const lb_growth* g = &o->growth[i];
    lb_growth was = *g;
    was.density = was.length = 1;
    const lb_bulk before = lb_growth_bulk(&was), now = lb_growth_bulk(g);
    if (g->link != LB_WORLD) {
      lb_link_add_bulk(&m->link[g->link], -1, &before);
      lb_link_add_bulk(&m->link[g->link], 1, &now);
    }
  }
  m->nstiff = 0;
  for (int k = 0; k < m->nv; k++) {
    m->nstiff += m->stiffness[k] > 0;
  }
  return status == LB_OK ? lb_model_renew_tree(m, arena) : status;
}

// --- scenes ---

static void stretch_point(const lb_block* b, lb_vec3 root, double f, int body, lb_vec3* x) {
  if (body == b->p->index) {
    const double reach = lb_vec3_dot(b->p->along, lb_vec3_sub(*x, root));
    *x = lb_vec3_add(*x, lb_vec3_scale((f - 1) * reach, b->p->along));
  }
}

// What is seen of a body: shapes with an edge or axis along the direction get longer by it.
static void stretch_shape(const lb_block* b, double f, lb_scene_shape* shape) {
  const lb_vec3 e = lb_quat_rotate(lb_quat_conjugate(shape->pose.q), b->p->along);
  const bool round =
      shape->shape.type == LB_SHAPE_CAPSULE || shape->shape.type == LB_SHAPE_CYLINDER;
  lb_vec3* size = &shape->shape.size;
  double* const along[] = {round ? NULL : &size->x, round ? NULL : &size->y,
                           round ? &size->y : &size->z};
  const double part[] = {e.x, e.y, e.z};
  for (int k = 0; k < 3 && shape->shape.type != LB_SHAPE_SPHERE; k++) {
    if (fabs(part[k]) > 1 - 1e-9 && along[k]) {
      *along[k] *= f;
    }
  }
}

static void stretch_scene(lb_scene* s, const lb_block* b, lb_vec3 root, double f) {
  for (int i = 0; i < s->njoint; i++) {
    stretch_point(b, root, f, s->joint[i].parent, &s->joint[i].in_parent.p);
    if (s->joint[i].loop) {
      stretch_point(b, root, f, s->joint[i].child, &s->joint[i].in_child.p);
    }
  }
  for (int i = 0; i < s->nspring; i++) {
    stretch_point(b, root, f, s->spring[i].body[0], &s->spring[i].point[0]);
    stretch_point(b, root, f, s->spring[i].body[1], &s->spring[i].point[1]);
  }
  for (int i = 0; i < s->ncable; i++) {
    for (int k = 0; k < s->cable[i].npoint; k++) {
      stretch_point(b, root, f, s->cable[i].point[k].body, &s->cable[i].point[k].at);
    }
  }
  for (int i = 0; i < s->nground; i++) {
    for (int k = 0; k < s->ground[i].npoint; k++) {
      stretch_point(b, root, f, s->ground[i].point[k].body, &s->ground[i].point[k].at);
    }
  }
  for (int i = 0; i < s->nload; i++) {
    stretch_point(b, root, f, s->load[i].body, &s->load[i].point);
  }
  for (int i = 0; i < s->nshape; i++) {
    stretch_point(b, root, f, s->shape[i].body, &s->shape[i].pose.p);
    if (s->shape[i].body == b->p->index) {
      stretch_shape(b, f, &s->shape[i]);
    }
  }
  for (int i = 0; i < s->optimize.ngoal; i++) {
    lb_scene_goal* g = &s->optimize.goal[i];
    stretch_point(b, root, f, g->kind == LB_GOAL_POINT ? g->index : LB_WORLD, &g->at);
  }
}

static void write_start(lb_scene* s, const lb_block* b, const double* x) {
  const bool velocity = b->p->kind == LB_PARAMETER_VELOCITY;
  if (b->p->owner == LB_OWNER_JOINT) {
    lb_scene_joint* j = &s->joint[b->p->index];
    memcpy(velocity ? j->qd : j->q, x, (size_t)b->count * sizeof *x);
    return;
  }
  lb_scene_body* body = &s->body[b->p->index];
  *(b->p->kind == LB_PARAMETER_SPIN ? &body->spin
    : velocity                      ? &body->velocity
                                    : &body->pose.p) = lb_vec3_make(x[0], x[1], x[2]);
}

static bool write_curve(lb_arena* arena, lb_scene* s, const lb_block* b, const double* x) {
  lb_profile_definition* p = &s->motor[b->p->index].profile;
  *p = b->profile;
  p->value = LB_TAKE(arena, double, b->count);
  if (p->value) {
    memcpy(p->value, x, (size_t)b->count * sizeof *x);
  }
  return p->value != NULL;
}

static void write_resistance(lb_scene* s, const lb_block* b, const double* x) {
  const int i = b->p->index;
  if (lb_fabric_owns(b)) {
    lb_fabric_write(s, b, *x);
  } else if (b->p->owner == LB_OWNER_SPRING) {
    put_line(&s->spring[i].stiffness, &s->spring[i].damping, &s->spring[i].length, b->p->kind, *x);
  } else if (b->p->owner == LB_OWNER_CABLE) {
    put_line(&s->cable[i].stiffness, &s->cable[i].damping, &s->cable[i].length, b->p->kind, *x);
  } else if (b->p->kind == LB_PARAMETER_REST) {
    memcpy(s->joint[i].rest, x, (size_t)b->count * sizeof *x);
  } else {
    *(b->p->kind == LB_PARAMETER_STIFFNESS ? &s->joint[i].stiffness : &s->joint[i].damping) = *x;
  }
}

// Masses as the growths have them; lengths that lines took from the start stay.
static void write_rest(const lb_optimizing* o, lb_scene* s) {
  for (int i = 0; i < o->ngrowth; i++) {
    lb_scene_body* body = &s->body[o->growth[i].body];
    if (o->growth[i].base.m > 0) { // a massless body stays one
      body->mass = lb_growth_mass(&o->growth[i]);
      body->has_mass = body->has_com = body->has_inertia = true;
    }
  }
  for (int i = 0; i < s->nspring; i++) {
    s->spring[i].length =
        isnan(s->spring[i].length) ? o->model->spring[i].length : s->spring[i].length;
  }
  for (int i = 0; i < s->ncable; i++) {
    s->cable[i].length = isnan(s->cable[i].length) ? o->model->cable[i].length : s->cable[i].length;
  }
}

// Of a scene with loops, all coordinates as they follow: what closes them again has nothing to do,
// which would weigh the ways to close them by masses that have changed.
static lb_status write_closed(lb_optimizing* o, const double* x, lb_scene* s, lb_error* err) {
  lb_arena arena;
  lb_model m;
  lb_data* d = NULL;
  lb_arena_init(&arena, o->allocator);
  lb_status status = lb_optimizing_play(o, x, &arena, &m);
  if (status == LB_OK) {
    status = lb_data_create(&m, o->allocator, &d, err);
  }
  if (status == LB_OK) {
    lb_drive(&m, d);
    status = lb_start_close(o, &m, d, err);
  }
  if (status == LB_OK) {
    lb_start_write(&m, d, s);
  }
  lb_data_release(d);
  lb_arena_release(&arena);
  return status;
}

// In maximal coordinates joints have none of their own: they start as the tree was closed.
static void write_tree(const lb_optimizing* o, lb_scene* s) {
  for (int i = 0; i < s->njoint; i++) {
    memcpy(s->joint[i].q, o->slid.joint[i].q, sizeof s->joint[i].q);
    memcpy(s->joint[i].qd, o->slid.joint[i].qd, sizeof s->joint[i].qd);
  }
}

lb_status lb_optimization_apply(lb_optimization* optimization, const double* x, lb_scene* scene,
                                lb_error* err) {
  lb_optimizing* o = optimization->work;
  bool ok = true;
  if (o->slid.solver.coordinates == LB_COORDINATES_MAXIMAL) {
    write_tree(o, scene);
  }
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    const double* at = x + b->first;
    switch (b->p->kind) {
    case LB_PARAMETER_POSITION:
    case LB_PARAMETER_VELOCITY:
    case LB_PARAMETER_SPIN:
      write_start(scene, b, at);
      break;
    case LB_PARAMETER_MOTOR:
      ok = write_curve(&o->arena, scene, b, at) && ok;
      break;
    case LB_PARAMETER_MASS:
      o->growth[b->growth].density = *at / o->growth[b->growth].base.m;
      break;
    case LB_PARAMETER_LENGTH:
      o->growth[b->growth].length = *at;
      stretch_scene(scene, b, o->growth[b->growth].x0, *at);
      break;
    default:
      write_resistance(scene, b, at);
      break;
    }
  }
  write_rest(o, scene);
  if (ok && o->model->nloop + o->model->nrelation > 0) {
    return write_closed(o, x, scene, err);
  }
  return ok ? LB_OK
            : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a motor's curve");
}
