// Numbers into models, for runs.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/joint/joint.h"
#include "math/curve/bspline.h"
#include "math/curve/time_profile.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"

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
  lb_model* tree; // where the start is made
  lb_arena* arena;
} player;

lb_quat lb_turned(const double* quaternion, const double* x) {
  const lb_quat from = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
  return lb_quat_mul(from, lb_quat_exp(lb_vec3_make(x[0], x[1], x[2])));
}

static void put_turn(double* quaternion, const double* x) {
  const lb_quat r = lb_turned(quaternion, x);
  memcpy(quaternion, (double[]){r.w, r.x, r.y, r.z}, 4 * sizeof *quaternion);
}

static lb_quat free_rotation(const lb_model* m, int q) {
  const double* r = m->q0 + q + 3;
  return (lb_quat){r[0], r[1], r[2], r[3]};
}

// Numbers of a joint or free body into its coordinates, which are as the scene has them.
static void put_place(const player* w, const lb_block* b, double* q, const double* x) {
  const int kind = b->p->owner == LB_OWNER_JOINT ? (int)w->o->given.joint[b->p->index].kind : -1;
  if (kind == LB_JOINT_SPHERICAL) {
    put_turn(q, x);
  } else if (kind == LB_JOINT_FREE) {
    put_turn(q + 3, x);
    memcpy(q, x + 3, 3 * sizeof *q);
  } else {
    memcpy(q, x, (size_t)b->count * sizeof *x);
  }
}

// A free body keeps its velocity along the world's axes.
static void put_rotation(player* w, const lb_block* b, const double* x) {
  double* v = w->tree->qd0 + b->v + 3;
  const lb_vec3 along =
      lb_quat_rotate(free_rotation(w->tree, b->q), lb_vec3_make(v[0], v[1], v[2]));
  put_turn(w->tree->q0 + b->q + 3, x);
  lb_v4_store(v,
              lb_v4_from(lb_quat_rotate(lb_quat_conjugate(free_rotation(w->tree, b->q)), along)));
}

static void put_velocity(player* w, const lb_block* b, const double* x) {
  if (b->p->owner == LB_OWNER_BODY) {
    const lb_vec3 v = lb_quat_rotate(lb_quat_conjugate(free_rotation(w->tree, b->q)),
                                     lb_vec3_make(x[0], x[1], x[2]));
    lb_v4_store(w->tree->qd0 + b->v + 3, lb_v4_from(v));
  } else {
    memcpy(w->tree->qd0 + b->v, x, (size_t)b->count * sizeof *x);
  }
}

static void put_spin(player* w, const lb_block* b, const double* x) {
  memcpy(w->tree->qd0 + b->v, x, 3 * sizeof *x);
}

lb_profile_definition lb_curve_make(lb_arena* arena, const lb_block* b, const double* x) {
  lb_profile_definition p = b->profile;
  p.value = LB_TAKE(arena, double, p.count);
  for (int i = 0; p.value && i < p.count; i++) {
    p.value[i] = x[i < b->count ? i : 0];
  }
  return p;
}

static lb_status play(player* w, int motor, lb_profile_definition definition) {
  if (!definition.value) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_profile_create(w->arena, &definition, &w->m->motor_profile[motor]);
  w->tree->motor_profile[motor] = w->m->motor_profile[motor];
  return status;
}

static lb_status put_length(player* w, const lb_block* b, double f) {
  static double zero = 0;
  lb_status status = LB_OK;
  lb_stretch_put(w->o, w->m, b, f);
  if (w->tree != w->m) {
    lb_stretch_put(w->o, w->tree, b, f);
  }
  for (int i = 0; i < b->ngrowth; i++) {
    w->o->growth[b->growth + i].length = f;
  }
  for (int i = 0; i < b->nslide && status == LB_OK; i++) {
    double value = (f - 1) * b->slide[i].reach;
    const lb_profile_definition held = {
        .kind = LB_PROFILE_LINEAR, .count = 1, .time = &zero, .value = &value};
    status = play(w, b->slide[i].motor, held);
  }
  return status;
}

static void put_mass(player* w, const lb_block* b, double mass) {
  for (int i = b->growth; i < b->growth + b->ngrowth; i++) {
    w->o->growth[i].density = mass / (w->o->growth[i].parts * w->o->growth[i].base.m);
  }
}

void lb_put_resistance(lb_parameter_kind kind, double x, double* stiffness, double* damping,
                       double* rest) {
  double* const to[] = {
      [LB_SPRING_STIFFNESS] = stiffness, [LB_SPRING_DAMPING] = damping, [LB_SPRING_REST] = rest};
  *to[lb_number_of_spring[kind]] = x;
}

static void put_joint(const player* w, const lb_block* b, const double* x) {
  lb_model* m = w->m;
  if (b->loop >= 0) {
    lb_scene_joint* j = &m->loop[b->loop];
    for (int i = 0; i < b->count; i++) {
      lb_put_resistance(b->p->kind, x[i], &j->stiffness, &j->damping, &j->rest[i]);
    }
  } else if (b->p->kind == LB_PARAMETER_REST) {
    put_place(w, b, m->rest + b->own_q, x);
  }
  for (int i = 0; i < b->ncoordinate; i++) {
    const bool stiff = lb_number_of_spring[b->p->kind] == LB_SPRING_STIFFNESS;
    (stiff ? m->stiffness : m->damping)[b->coordinate[i]] = *x;
  }
}

static void put_resistance(player* w, const lb_block* b, const double* x) {
  lb_model* m = w->m;
  if (b->p->owner == LB_OWNER_SPRING) {
    lb_scene_spring* s = &m->spring[b->p->index];
    lb_put_resistance(b->p->kind, *x, &s->stiffness, &s->damping, &s->length);
  } else if (b->p->owner == LB_OWNER_CABLE) {
    lb_scene_cable* s = &m->cable[b->p->index];
    lb_put_resistance(b->p->kind, *x, &s->stiffness, &s->damping, &s->length);
  } else if (b->p->owner == LB_OWNER_GROUND) {
    m->ground[b->p->index].stiffness = *x;
  } else {
    put_joint(w, b, x);
  }
}

static lb_status put(player* w, const lb_block* b, const double* x) {
  if (b->said >= 0) { // the others follow
    return LB_OK;
  }
  if (lb_fabric_owns(b)) {
    return lb_fabric_put(w->m, w->arena, b, *x, lb_fabric_given(&w->o->given, b));
  }
  switch (b->p->kind) {
  case LB_PARAMETER_POSITION:
    put_place(w, b, w->tree->q0 + b->q, x);
    break;
  case LB_PARAMETER_ROTATION:
    put_rotation(w, b, x);
    break;
  case LB_PARAMETER_VELOCITY:
    put_velocity(w, b, x);
    break;
  case LB_PARAMETER_SPIN:
    put_spin(w, b, x);
    break;
  case LB_PARAMETER_MOTOR:
    return play(w, b->p->index, lb_curve_make(w->arena, b, x));
  case LB_PARAMETER_MASS:
    put_mass(w, b, *x);
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
typedef struct own_array {
  void* array; // the address of the pointer to it
  int count;
  size_t size;
} own_array;

static bool copy_arrays(lb_arena* arena, const own_array* part, size_t n) {
  for (size_t i = 0; i < n; i++) {
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

static bool copy_start(const lb_optimizing* o, lb_arena* arena, lb_model* tree) {
  tree->q0 = o->q0;
  tree->qd0 = o->v0;
  const own_array part[] = {{&tree->q0, tree->nq, sizeof *tree->q0},
                            {&tree->qd0, tree->nv, sizeof *tree->qd0},
                            {&tree->particle, tree->nparticle, sizeof *tree->particle},
                            {&tree->link, tree->nlink, sizeof *tree->link},
                            {&tree->motor_profile, tree->nmotor, sizeof *tree->motor_profile}};
  return copy_arrays(arena, part, sizeof part / sizeof *part);
}

static bool copy_model(lb_arena* arena, lb_model* m) {
  const own_array part[] = {{&m->stiffness, m->nv, sizeof *m->stiffness},
                            {&m->damping, m->nv, sizeof *m->damping},
                            {&m->rest, m->nq, sizeof *m->rest},
                            {&m->spring, m->nline, sizeof *m->spring},
                            {&m->cable, m->ncable, sizeof *m->cable},
                            {&m->ground, m->nground, sizeof *m->ground},
                            {&m->loop, m->nloop, sizeof *m->loop},
                            {&m->drag, m->ndrag, sizeof *m->drag},
                            {&m->link, m->nlink, sizeof *m->link},
                            {&m->particle, m->nparticle, sizeof *m->particle},
                            {&m->segment, m->nsegment, sizeof *m->segment},
                            {&m->deformable, m->ndeformable, sizeof *m->deformable},
                            {&m->motor_profile, m->nmotor, sizeof *m->motor_profile}};
  return copy_arrays(arena, part, sizeof part / sizeof *part);
}

static void grow(const lb_growth* g, lb_model* m) {
  lb_growth was = *g;
  was.density = was.length = 1;
  const lb_bulk before = lb_growth_bulk(&was), now = lb_growth_bulk(g);
  if (g->link != LB_WORLD) {
    lb_link_add_bulk(&m->link[g->link], -1, &before);
    lb_link_add_bulk(&m->link[g->link], 1, &now);
  }
  if (g->drag >= 0) {
    m->drag[g->drag].at.X.p = lb_growth_centre(g);
  }
}

// Rotations come first: velocities along the world's axes are seen from them.
static lb_status put_all(player* w, const double* x) {
  lb_status status = LB_OK;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < w->o->nblock && status == LB_OK; i++) {
      const lb_block* b = &w->o->block[i];
      if ((b->p->kind == LB_PARAMETER_ROTATION) == (pass == 0)) {
        status = put(w, b, x + b->first);
      }
    }
  }
  return status;
}

// Motors say how one coordinate of several starts, as where a scene is compiled; where gaps close
// over time nothing else would put it there.
static void put_prescribed(lb_model* tree) {
  for (int i = 0; i < tree->nmotor; i++) {
    const int j = tree->motor_joint[i], v = tree->motor_v[i];
    if (tree->motor_coupling[i] >= 0 && j >= 0) {
      double value[3];
      lb_profile_evaluate(tree->motor_profile[i], 0, value);
      tree->q0[tree->joint_q[j] + v - tree->joint_v[j]] = value[0];
      tree->qd0[v] = value[1];
    }
  }
}

lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_played* to) {
  const bool apart = o->tree != o->model;
  lb_model* m = &to->model;
  lb_model* tree = apart ? &to->other : m;
  *m = *o->model;
  *tree = *o->tree;
  to->x = x;
  to->tree = tree;
  player w = {o, m, tree, arena};
  if (!copy_model(arena, m) || !copy_start(o, arena, tree) || put_all(&w, x) != LB_OK) {
    return LB_NO_MEMORY;
  }
  put_prescribed(tree);
  for (int i = 0; i < o->ngrowth; i++) {
    grow(&o->growth[i], m);
  }
  m->nstiff = 0;
  for (int k = 0; k < m->nv; k++) {
    m->nstiff += lb_spring_acts(m, k);
  }
  if (m->interface) { // others leave steps less exact than their derivatives are
    m->solver.newton = LB_NEWTON_EXACT;
  }
  const lb_status status = lb_model_renew_tree(m, arena);
  return status == LB_OK ? lb_model_renew_full(m, arena) : status;
}
