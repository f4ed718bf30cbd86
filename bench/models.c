// The models of the benchmark, in one place for every engine. All links are solid boxes of water's
// density. Lengths, axes and positions are those of the project's reference comparison of engines
// (its scenes chain10 and humanoid27), and so are the sums of accelerations on which all engines
// there agreed: reproducing a sum shows that an engine was given the same mechanism.
#include "models.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double density = 1000;
static const double gravity = 9.81;

/// One row of a table of boxes.
typedef struct box_link {
  int parent;
  double axis[3];
  double joint[3];
  double com[3];
  double half[3]; // half edges of the box
} box_link;

static bench_link make_link(const box_link* b) {
  const double* s = b->half;
  bench_link l = {.parent = b->parent, .mass = density * 8 * s[0] * s[1] * s[2]};
  memcpy(l.axis, b->axis, sizeof l.axis);
  memcpy(l.joint, b->joint, sizeof l.joint);
  memcpy(l.com, b->com, sizeof l.com);
  for (int k = 0; k < 3; k++) {
    double a = s[(k + 1) % 3];
    double c = s[(k + 2) % 3];
    l.inertia[k] = l.mass / 3 * (a * a + c * c);
  }
  return l;
}

static bench_model* make_model(const char* name, int nlink, bool free_base, double qdd_sum) {
  bench_model* m = calloc(1, sizeof *m);
  bench_link* link = calloc((size_t)nlink, sizeof *link);
  if (!m || !link) {
    free(m);
    free(link);
    return NULL;
  }
  snprintf(m->name, sizeof m->name, "%s", name);
  m->nlink = nlink;
  m->link = link;
  m->free_base = free_base;
  m->nv = nlink + (free_base ? 5 : 0);
  m->gravity[2] = -gravity;
  m->qdd_sum = qdd_sum;
  return m;
}

void bench_model_release(bench_model* model) {
  if (model) {
    free(model->link);
    free(model->loop);
    free(model);
  }
}

// --- chains ---

static bench_model* make_chain(const char* name, int n, bool planar, double qdd_sum) {
  bench_model* m = make_model(name, n, false, qdd_sum);
  for (int i = 0; m && i < n; i++) {
    bool about_z = !planar && i % 2 == 1;
    box_link b = {.parent = i - 1,
                  .axis = {0, about_z ? 0 : 1, about_z ? 1 : 0},
                  .joint = {i > 0 ? 0.1 : 0, 0, 0},
                  .com = {0.05, 0, 0},
                  .half = {0.05, 0.01, 0.01}};
    m->link[i] = make_link(&b);
  }
  return m;
}

bench_model* bench_chain(int n) {
  static const struct {
    int n;
    double qdd_sum;
  } known[] = {{10, 6224.3}, {50, 42524.9}, {100, 84920.5}, {400, 340162}};
  double qdd_sum = 0;
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    qdd_sum = known[k].n == n ? known[k].qdd_sum : qdd_sum;
  }
  char name[32];
  snprintf(name, sizeof name, "chain%d", n);
  return make_chain(name, n, false, qdd_sum);
}

bench_model* bench_planar_chain(int n) {
  return make_chain("planar", n, true, 0);
}

// A link's angle from the horizontal is the sum of the hinges before it; turning about y takes x to
// -z.
double bench_planar_energy(const bench_model* model, const double* q, const double* qd) {
  double z = 0, vx = 0, vz = 0; // of the joint
  double angle = 0, rate = 0, energy = 0;
  for (int i = 0; i < model->nlink; i++) {
    const bench_link* l = &model->link[i];
    double reach = l->joint[0];
    z -= reach * sin(angle);
    vx -= reach * sin(angle) * rate;
    vz -= reach * cos(angle) * rate;
    angle += q[i];
    rate += qd[i];
    double c = l->com[0];
    double ux = vx - c * sin(angle) * rate;
    double uz = vz - c * cos(angle) * rate;
    energy += 0.5 * l->mass * (ux * ux + uz * uz) + 0.5 * l->inertia[1] * rate * rate;
    energy -= l->mass * model->gravity[2] * (z - c * sin(angle));
  }
  return energy;
}

// --- loops ---

// A model in the plane of x and y, with gravity along -y and a little along x.
static bench_model* make_planar(const char* kind, int n, int nlink, int nloop, double sideways) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", kind, n);
  bench_model* m = make_model(name, nlink, false, 0);
  if (m) {
    m->loop = calloc((size_t)nloop + 1, sizeof *m->loop);
    m->nloop = m->loop ? nloop : 0;
    m->gravity[0] = sideways * gravity;
    m->gravity[1] = -gravity;
    m->gravity[2] = 0;
  }
  return m;
}

// A bar from its hinge to a point in the plane.
static bench_link make_bar(int parent, double x, double y, double to_x, double to_y) {
  const double thin = 0.01;
  const box_link b = {.parent = parent,
                      .axis = {0, 0, 1},
                      .joint = {x, y, 0},
                      .com = {to_x / 2, to_y / 2, 0},
                      .half = {fmax(fabs(to_x) / 2, thin), fmax(fabs(to_y) / 2, thin), thin}};
  return make_link(&b);
}

bench_model* bench_ladder(int n) {
  bench_model* m = make_planar("ladder", 3 * n, 3 * n, n, 0);
  for (int i = 0; m && i < m->nlink; i++) {
    const int row = i / n, k = i % n; // lower rail, upper rail, rungs
    const bool rung = row == 2;
    const int parent = rung ? k : k > 0 ? i - 1 : -1;
    m->link[i] = make_bar(parent, rung || k > 0 ? 0.1 : 0, row == 1 && k == 0 ? 0.3 : 0,
                          rung ? 0 : 0.1, rung ? 0.3 : 0);
    if (rung && m->loop) {
      m->loop[k] = (bench_loop){{i, n + k}, {{0, 0.3, 0}, {0.1, 0, 0}}};
    }
  }
  return m;
}

bench_model* bench_four_bars(int n) {
  bench_model* m = make_planar("four-bars", n, 3 * n, n, 0.3);
  for (int k = 0; m && k < n; k++) {
    bench_link* bar = m->link + (ptrdiff_t)3 * k; // crank, coupler, rocker
    bar[0] = make_bar(-1, k, 0, 0, 0.1);
    bar[1] = make_bar(3 * k, 0, 0.1, 0.25, 0.1);
    bar[2] = make_bar(-1, k + 0.25, 0, 0, 0.2);
    if (m->loop) {
      m->loop[k] = (bench_loop){{3 * k + 1, 3 * k + 2}, {{0.25, 0.1, 0}, {0, 0.2, 0}}};
    }
  }
  return m;
}

bench_model* bench_grid(int n) {
  const int hanging = n * n;
  bench_model* m = make_planar("grid", n, n * (2 * n - 1), n * (n - 1), 0.3);
  for (int i = 0; m && i < hanging; i++) { // column after column, downwards
    const bool top = i % n == 0;
    m->link[i] = make_bar(top ? -1 : i - 1, top ? 0.1 * (i / n) : 0, top ? 0 : -0.1, 0, -0.1);
  }
  for (int i = 0; m && i < m->nlink - hanging; i++) { // from its lower end to the next column's
    m->link[hanging + i] = make_bar(i, 0, -0.1, 0.1, 0);
    if (m->loop) {
      m->loop[i] = (bench_loop){{hanging + i, i + n}, {{0.1, 0, 0}, {0, -0.1, 0}}};
    }
  }
  return m;
}

// --- humanoid ---

#define R2 0.70710678118654757 // half the root of two

static const box_link humanoid[] = {
    // pelvis, on the free joint
    {-1, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, {0.08, 0.12, 0.08}},
    // spine and trunk
    {0, {1, 0, 0}, {0, 0, 0.08}, {0, 0, 0.03}, {0.06, 0.06, 0.03}},
    {1, {0, 1, 0}, {0, 0, 0.06}, {0, 0, 0.03}, {0.06, 0.06, 0.03}},
    {2, {0, 0, 1}, {0, 0, 0.06}, {0, 0, 0.15}, {0.08, 0.15, 0.15}},
    // right leg: hip about three axes, knee, ankle about two
    {0, {1, 0, 0}, {0, -0.1, -0.06}, {0, 0, -0.02}, {0.04, 0.04, 0.02}},
    {4, {0, 0, 1}, {0, 0, -0.04}, {0, 0, -0.02}, {0.04, 0.04, 0.02}},
    {5, {0, 1, 0}, {0, 0, -0.04}, {0, 0, -0.18}, {0.06, 0.06, 0.18}},
    {6, {0, 1, 0}, {0, 0, -0.36}, {0, 0, -0.18}, {0.05, 0.05, 0.18}},
    {7, {0, 1, 0}, {0, 0, -0.36}, {0, 0, -0.02}, {0.03, 0.03, 0.02}},
    {8, {1, 0, 0}, {0, 0, -0.04}, {0.05, 0, -0.02}, {0.1, 0.05, 0.02}},
    // left leg
    {0, {1, 0, 0}, {0, 0.1, -0.06}, {0, 0, -0.02}, {0.04, 0.04, 0.02}},
    {10, {0, 0, 1}, {0, 0, -0.04}, {0, 0, -0.02}, {0.04, 0.04, 0.02}},
    {11, {0, 1, 0}, {0, 0, -0.04}, {0, 0, -0.18}, {0.06, 0.06, 0.18}},
    {12, {0, 1, 0}, {0, 0, -0.36}, {0, 0, -0.18}, {0.05, 0.05, 0.18}},
    {13, {0, 1, 0}, {0, 0, -0.36}, {0, 0, -0.02}, {0.03, 0.03, 0.02}},
    {14, {1, 0, 0}, {0, 0, -0.04}, {0.05, 0, -0.02}, {0.1, 0.05, 0.02}},
    // right arm: shoulder about two axes, elbow
    {3, {R2, 0, R2}, {0, -0.2, 0.25}, {0, -0.02, 0}, {0.03, 0.02, 0.03}},
    {16, {0, R2, R2}, {0, -0.04, 0}, {0, 0, -0.14}, {0.03, 0.03, 0.14}},
    {17, {0, 1, 0}, {0, 0, -0.28}, {0, 0, -0.14}, {0.03, 0.03, 0.14}},
    // left arm
    {3, {R2, 0, R2}, {0, 0.2, 0.25}, {0, 0.02, 0}, {0.03, 0.02, 0.03}},
    {19, {0, R2, R2}, {0, 0.04, 0}, {0, 0, -0.14}, {0.03, 0.03, 0.14}},
    {20, {0, 1, 0}, {0, 0, -0.28}, {0, 0, -0.14}, {0.03, 0.03, 0.14}},
};

bench_model* bench_humanoid(void) {
  int n = (int)(sizeof humanoid / sizeof humanoid[0]);
  bench_model* m = make_model("humanoid27", n, true, 199.386);
  for (int i = 0; m && i < n; i++) {
    m->link[i] = make_link(&humanoid[i]);
  }
  return m;
}

// --- states ---

bool bench_state_create(const bench_model* model, bench_state* state) {
  size_t nv = (size_t)model->nv;
  state->q = calloc(4 * nv, sizeof *state->q);
  if (!state->q) {
    return false;
  }
  state->qd = state->q + nv;
  state->tau = state->qd + nv;
  state->qdd = state->tau + nv;
  return true;
}

void bench_state_release(bench_state* state) {
  free(state->q);
  *state = (bench_state){NULL, NULL, NULL, NULL};
}

void bench_state_test(const bench_model* model, double scale, bench_state* state) {
  for (int i = model->free_base ? 1 : 0; i < model->nlink; i++) {
    int k = bench_dof(model, i);
    state->q[k] = scale * 0.5 * sin(1.3 * i);
    state->qd[k] = cos(0.7 * i);
    state->tau[k] = 0.2 * sin(2.1 * i);
  }
}
