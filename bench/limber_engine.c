// Limber behind the benchmark's interface: the links become a scene filled in by hand, as a program
// that uses the library would do it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber_engine.h"

typedef struct native_state {
  double *q, *qd, *tau, *qdd; // in the model's order
} native_state;

typedef struct engine {
  const bench_model* bench;
  lb_model* model;
  lb_data* data;
  lb_derivatives* derivatives;
  lb_stepper* stepper;
  double h;
  int* order_q; // [nv] place of each of our coordinates in q; -1 for the base's
  int* order_v; // [nv]
  native_state slot[BENCH_SLOTS];
  double *qdd, *tau, *M;
} engine;

// --- scene ---

static lb_vec3 vec(const double v[3]) {
  return lb_vec3_make(v[0], v[1], v[2]);
}

typedef char name_text[16];

static void fill_link(lb_scene* scene, name_text* names, const bench_model* bench, int i) {
  const bench_link* l = &bench->link[i];
  snprintf(names[i], sizeof names[i], "link%d", i);

  lb_scene_body body = lb_scene_body_default();
  body.name = names[i];
  body.has_mass = body.has_com = body.has_inertia = true;
  body.mass.mass = l->mass;
  body.mass.com = vec(l->com);
  body.mass.inertia = (lb_sym3){.xx = l->inertia[0], .yy = l->inertia[1], .zz = l->inertia[2]};

  lb_scene_joint joint = lb_scene_joint_default();
  joint.name = names[i];
  joint.kind = bench->free_base && i == 0 ? LB_JOINT_FREE : LB_JOINT_REVOLUTE;
  joint.parent = l->parent < 0 ? LB_WORLD : l->parent;
  joint.child = i;
  joint.in_parent.p = vec(l->joint);
  if (joint.kind == LB_JOINT_REVOLUTE) {
    joint.axis = vec(l->axis);
    joint.resistance.stiffness = bench->stiffness;
    joint.resistance.damping = bench->damping;
  } else {
    joint.q[3] = 1; // no rotation: position, then quaternion
  }
  scene->body[i] = body;
  scene->joint[i] = joint;
}

static void fill_loop(lb_scene* scene, name_text* names, const bench_model* bench, int i) {
  const bench_loop* l = &bench->loop[i];
  const int at = bench->nlink + i;
  snprintf(names[at], sizeof names[at], "loop%d", i);
  lb_scene_joint joint = lb_scene_joint_default();
  joint.name = names[at];
  joint.kind = LB_JOINT_SPHERICAL;
  joint.loop = true;
  joint.parent = l->link[0];
  joint.child = l->link[1];
  joint.in_parent.p = vec(l->point[0]);
  joint.in_child.p = vec(l->point[1]);
  joint.q[0] = 1;
  scene->joint[at] = joint;
}

lb_model* bench_limber_model(const bench_model* bench, lb_coordinates coordinates) {
  size_t n = (size_t)bench->nlink + (size_t)bench->nloop;
  lb_scene scene = lb_scene_default();
  lb_model* model = NULL;
  name_text* names = calloc(n, sizeof *names);
  scene.name = bench->name;
  scene.gravity = vec(bench->gravity);
  scene.solver.coordinates = coordinates;
  scene.nbody = bench->nlink;
  scene.njoint = bench->nlink + bench->nloop;
  scene.body = calloc(n, sizeof *scene.body);
  scene.joint = calloc(n, sizeof *scene.joint);
  if (names && scene.body && scene.joint) {
    for (int i = 0; i < bench->nlink; i++) {
      fill_link(&scene, names, bench, i);
    }
    for (int i = 0; i < bench->nloop; i++) {
      fill_loop(&scene, names, bench, i);
    }
    lb_error err = lb_error_make(NULL);
    if (lb_scene_check(&scene, &err) == LB_OK) {
      lb_model_create(&scene, NULL, &model, &err);
    }
    for (int k = 0; k < err.count; k++) {
      fprintf(stderr, "limber: %s\n", err.message[k].text);
    }
    lb_error_clear(&err);
  }
  free(names);
  free(scene.body);
  free(scene.joint);
  return model;
}

// --- life ---

static void release(void* self) {
  engine* e = self;
  if (!e) {
    return;
  }
  lb_stepper_release(e->stepper);
  lb_derivatives_release(e->derivatives);
  lb_data_release(e->data);
  lb_model_release(e->model);
  for (int s = 0; s < BENCH_SLOTS; s++) {
    lb_release(NULL, e->slot[s].q);
  }
  free(e->order_q);
  free(e->order_v);
  lb_release(NULL, e->M);
  lb_release(NULL, e->qdd);
  free(e);
}

// Our coordinates follow the links; the model may have ordered them otherwise.
static void find_order(engine* e) {
  const bench_model* bench = e->bench;
  const lb_model* m = e->model;
  for (int i = 0; i < bench->nlink; i++) {
    int link = m->body.link[i];
    bool is_free = bench->free_base && i == 0;
    int first = is_free ? 0 : bench_dof(bench, i);
    for (int k = 0; k < (is_free ? 6 : 1); k++) {
      e->order_q[first + k] = is_free ? -1 : m->link.q[link];
      e->order_v[first + k] = m->link.v[link] + k;
    }
  }
}

static double* zeros(size_t n) {
  double* block = lb_allocate(NULL, n * sizeof *block);
  if (block) {
    memset(block, 0, n * sizeof *block);
  }
  return block;
}

static bool make_arrays(engine* e) {
  size_t nv = (size_t)e->model->nv;
  size_t nq = (size_t)e->model->nq;
  e->order_q = calloc(nv, sizeof *e->order_q);
  e->order_v = calloc(nv, sizeof *e->order_v);
  e->M = zeros(nv * nv);
  e->qdd = zeros(2 * nv);
  bool made = e->order_q && e->order_v && e->M && e->qdd;
  for (int s = 0; s < BENCH_SLOTS; s++) {
    double* q = zeros(nq + 3 * nv);
    made = made && q;
    if (q) {
      e->slot[s] = (native_state){q, q + nq, q + nq + nv, q + nq + 2 * nv};
    }
  }
  if (made) {
    e->tau = e->qdd + nv;
    find_order(e);
  }
  return made;
}

static void* create(const bench_model* bench) {
  engine* e = calloc(1, sizeof *e);
  if (!e) {
    return NULL;
  }
  e->bench = bench;
  e->model = bench_limber_model(bench, LB_COORDINATES_REDUCED);
  if (!e->model || lb_data_create(e->model, NULL, &e->data, NULL) != LB_OK ||
      lb_derivatives_create(e->model, NULL, &e->derivatives, NULL) != LB_OK || !make_arrays(e)) {
    release(e);
    return NULL;
  }
  return e;
}

// --- states in and out ---

static void load(void* self, int slot, const bench_state* state) {
  engine* e = self;
  native_state* s = &e->slot[slot];
  memcpy(s->q, e->model->start.q, (size_t)e->model->nq * sizeof *s->q);
  for (int i = 0; i < e->bench->nv; i++) {
    if (e->order_q[i] >= 0) {
      s->q[e->order_q[i]] = state->q[i];
    }
    s->qd[e->order_v[i]] = state->qd[i];
    s->tau[e->order_v[i]] = state->tau[i];
    s->qdd[e->order_v[i]] = state->qdd[i];
  }
}

static void get_ordered(const engine* e, double* out, const double* v) {
  for (int i = 0; i < e->bench->nv; i++) {
    out[i] = v[e->order_v[i]];
  }
}

static void get_qdd(void* self, double* qdd) {
  engine* e = self;
  get_ordered(e, qdd, e->qdd);
}

static void get_tau(void* self, double* tau) {
  engine* e = self;
  get_ordered(e, tau, e->tau);
}

static void get_mass(void* self, double* M) {
  engine* e = self;
  int n = e->bench->nv;
  for (int i = 0; i < n; i++) {
    get_ordered(e, M + (ptrdiff_t)i * n, e->M + (ptrdiff_t)e->order_v[i] * n);
  }
}

static void get_state(void* self, double* q, double* qd) {
  engine* e = self;
  get_ordered(e, qd, e->data->qd);
  for (int i = 0; i < e->bench->nv; i++) {
    q[i] = e->order_q[i] >= 0 ? e->data->q[e->order_q[i]] : 0;
  }
}

// --- timed ---

static void forward(void* self, int slot) {
  engine* e = self;
  const native_state* s = &e->slot[slot];
  lb_aba(e->model, e->data, e->qdd, s->q, s->qd, s->tau);
}

static void inverse(void* self, int slot) {
  engine* e = self;
  const native_state* s = &e->slot[slot];
  lb_rnea(e->model, e->data, e->tau, s->q, s->qd, s->qdd);
}

static void mass(void* self, int slot) {
  engine* e = self;
  lb_crba(e->model, e->data, e->M, e->slot[slot].q);
}

static void derivatives(void* self, int slot) {
  engine* e = self;
  const native_state* s = &e->slot[slot];
  lb_aba_derivatives(e->derivatives, e->data, s->q, s->qd, s->tau);
}

static bool start(void* self, int slot, bench_method method, double h, double tolerance) {
  static const lb_integrator integrators[BENCH_METHOD_COUNT] = {
      [BENCH_EULER] = LB_INTEGRATOR_EULER,  [BENCH_RK4] = LB_INTEGRATOR_RK4,
      [BENCH_RK8] = LB_INTEGRATOR_RK8,      [BENCH_ADAPTIVE] = LB_INTEGRATOR_ADAPTIVE,
      [BENCH_STIFF] = LB_INTEGRATOR_SDIRK2, [BENCH_LOOPS] = LB_INTEGRATOR_BDF2,
  };
  engine* e = self;
  lb_scene_solver solver = e->model->solver;
  solver.integrator = integrators[method];
  if (method == BENCH_STIFF && e->bench->nloop > 0) {
    solver.integrator = LB_INTEGRATOR_BDF2; // for the equilibrium
  }
  solver.step = h;
  solver.tolerance = method == BENCH_ADAPTIVE ? tolerance : 0;
  lb_stepper_release(e->stepper);
  e->stepper = NULL;
  if (lb_stepper_create(e->model, &solver, NULL, &e->stepper, NULL) != LB_OK) {
    return false;
  }
  lb_data_reset(e->data);
  memcpy(e->data->q, e->slot[slot].q, (size_t)e->model->nq * sizeof *e->data->q);
  memcpy(e->data->qd, e->slot[slot].qd, (size_t)e->model->nv * sizeof *e->data->qd);
  e->h = h;
  return true;
}

static void step(void* self) {
  engine* e = self;
  lb_stepper_step(e->stepper, e->data, e->h, NULL);
}

const bench_engine bench_limber = {
    .name = "limber",
    .about = "Limber " LB_VERSION ", double precision",
    .create = create,
    .release = release,
    .load = load,
    .forward = forward,
    .inverse = inverse,
    .mass = mass,
    .step = step,
    .get_qdd = get_qdd,
    .get_tau = get_tau,
    .get_mass = get_mass,
    .get_state = get_state,
    .start = start,
    .derivatives = derivatives,
};
