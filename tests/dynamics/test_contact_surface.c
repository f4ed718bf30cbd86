// Points of surfaces that bend: their velocities against differences of their places, and forces
// there against the power they have. Every piece of memory may be refused: each take from an arena
// is a request of its own here.
#define LB_ARENA_BLOCK 0
#include "base/arena.c" // stands in for the library's

#include <string.h>

#include "compile.h"
#include "counting.h"
#include "dynamics/contact/contact_surface.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"

// A box around which jelly hangs, an elastic block on an arm, a rope; balls inside of all of them.
static const char TEXT[] =
    "contacts: {pairs: [{between: [block, jelly], collide: false}]}\n"
    "materials: {gel: {density: 1000, young: 200 kPa, poisson: 0.3, model: corotated}}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.2, 0.05, 0.05], solid: false}}\n"
    "  bone: {shape: {box: [0.2, 0.05, 0.05], solid: false}, position: [0, 1, 0]}\n"
    "  block: {elastic: {box: {from: [0, 0, 0], to: [0.3, 0, 0], width: 0.2, height: 0.1}, "
    "material: gel, elements: {along: 2, across: 1, around: 1}, order: 1}}\n"
    "  b1: {shape: {box: [0.4, 0.3, 0.1]}, position: [0.3, 0, 0.09]}\n"
    "  b2: {shape: {box: [0.3, 0.07, 0.1]}, position: [0.02, 1, 0.14]}\n"
    "  b3: {shape: {sphere: {radius: 0.1}}, position: [0, 2, 0]}\n"
    "joints:\n"
    "  j: {type: revolute, child: arm, axis: y}\n"
    "  k: {type: fixed, parent: arm, child: block, face: start, at: [0.1, 0, 0]}\n"
    "deformables:\n"
    "  jelly: {form: {box: {from: [-0.15, 0, 0], to: [0.15, 0, 0], width: 0.2, height: 0.2}, "
    "material: gel, elements: {along: 2, across: 2, around: 2}}, position: [0, 1, 0], attach: "
    "[bone], within: 3 cm}\n"
    "ropes: {r: {through: [{free: true, at: [-0.3, 2, 0.05]}, {free: true, at: [0.3, 2, 0.05]}], "
    "mass: 0.1, stiffness: 10, radius: 2 cm, segments: 6}}\n";

static lb_model* model;
static lb_data* data;
static lb_contacts* contacts;

static void unit(void* context, double* b) {
  (void)context;
  (void)b;
}

static int open_world(void** state) {
  (void)state;
  model = compile(TEXT);
  assert_int_equal(lb_data_create(model, NULL, &data, NULL), LB_OK);
  contacts = data->work->contacts;
  return 0;
}

static int close_world(void** state) {
  (void)state;
  lb_data_release(data);
  lb_model_release(model);
  return 0;
}

static void set_state(double* q, double* qd) {
  lb_random random = {7};
  memcpy(q, model->start.q, (size_t)model->nq * sizeof *q);
  for (int i = 0; i < model->nv; i++) {
    qd[i] = lb_random_between(&random, -1, 1);
  }
  lb_advance(model, q, qd, 0.01);
}

// Rows of all points for velocities qd, and the points' own velocities along them.
static void prepare(const double* q, const double* qd) {
  memcpy(data->q, q, (size_t)model->nq * sizeof *q);
  memcpy(data->qd, qd, (size_t)model->nv * sizeof *qd);
  lb_kinematics(model, data, data->q, data->qd);
  assert_true(lb_contacts_detect(contacts, data, 1e-3));
  assert_true(lb_contacts_build(contacts, data, (lb_contact_system){NULL, unit, true}, 1e-3));
}

static lb_vec3 place_of(const lb_touch* t) {
  const lb_surface_state* s = contacts->collider[t->collider[1]].surface;
  lb_vec3 x = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    x = lb_vec3_add(x, lb_vec3_scale(t->share[k], s->x[t->point[k]]));
  }
  return x;
}

// x(q + qd dt) of a point.
static lb_vec3 moved(const lb_touch* t, const double* q, const double* qd, double dt) {
  memcpy(data->q, q, (size_t)model->nq * sizeof *q);
  lb_advance(model, data->q, qd, dt);
  lb_kinematics(model, data, data->q, data->qd);
  lb_move_origins(model, data->work, data->qd);
  lb_surface_place(contacts, data, t->collider[1]);
  return place_of(t);
}

static void rows_are_derivatives_of_places(void** state) {
  (void)state;
  double q[2000], qd[2000];
  static lb_touch touch[500];
  int seen[3] = {0, 0, 0}, between = 0;
  assert_true(model->nq < 2000);
  set_state(q, qd);
  prepare(q, qd);
  const int n = contacts->ntouch;
  assert_true(n <= 500);
  memcpy(touch, contacts->touch, (size_t)n * sizeof *touch);
  for (int i = 0; i < n; i++) {
    const lb_touch* t = &touch[i];
    if (!contacts->collider[t->collider[1]].surface) {
      continue;
    }
    // of the surface alone: what is on the second side
    const lb_contact_row* r = &contacts->row[t->row];
    const int g = contacts->used[r->group[1]];
    double rate = 0;
    for (int k = 0; k < contacts->group[g].nv; k++) {
      rate += contacts->J[r->entry[1] + k] * qd[contacts->group[g].v[k]];
    }
    const double dt = 1e-5;
    const lb_vec3 way = lb_vec3_sub(moved(t, q, qd, dt), moved(t, q, qd, -dt));
    const double by_places = -lb_vec3_dot(lb_v4_vec3(t->axis[0]), way) / (2 * dt);
    // on an elastic body it acts midway between the surfaces
    const lb_model_surface* s = contacts->collider[t->collider[1]].surface->of;
    const lb_v4 off = t->at - lb_v4_from(moved(t, q, qd, 0));
    const lb_v4 turns = data->work->state[contacts->collider[t->collider[1]].link].w;
    const double beside = s->elastic >= 0 ? lb_v4_dot(t->axis[0], lb_v4_cross(turns, off)) : 0;
    assert_near(rate, by_places - beside, 1e-8);
    seen[s->elastic >= 0 ? 0 : s->mesh.nface > 0 ? 1 : 2]++;
    between += t->share[1] != 0;
  }
  printf("%d points of an elastic body, %d of a deformable, %d of a rope; %d within triangles\n",
         seen[0], seen[1], seen[2], between);
  assert_true(seen[0] > 3 && seen[1] > 3 && seen[2] > 1 && between > 2);
}

static void forces_have_the_power_of_their_points(void** state) {
  (void)state;
  double q[2000], qd[2000];
  set_state(q, qd);
  prepare(q, qd);
  lb_work* w = data->work;
  const lb_v4 f = {3, -2, 5, 0};
  for (int i = 0; i < contacts->ntouch; i++) {
    const lb_touch* t = &contacts->touch[i];
    if (!contacts->collider[t->collider[1]].surface) {
      continue;
    }
    memset(w->tau, 0, (size_t)model->nv * sizeof *w->tau);
    for (int k = 0; k < model->nlink; k++) {
      w->state[k].xn = w->state[k].xf = lb_v4_zero();
    }
    lb_surface_push(model, data, t, f);
    double power = 0, rate = 0;
    for (int k = 0; k < model->nv; k++) {
      power += w->tau[k] * qd[k];
    }
    for (int k = 0; k < model->nlink; k++) {
      power += lb_v4_dot(w->state[k].xf, w->state[k].v) + lb_v4_dot(w->state[k].xn, w->state[k].w);
    }
    for (int row = t->row; row < t->row + 3; row++) {
      const lb_contact_row* r = &contacts->row[row];
      const lb_contact_group* g = &contacts->group[contacts->used[r->group[1]]];
      const double along = -lb_v4_dot(f, t->axis[row - t->row]);
      for (int k = 0; k < g->nv; k++) {
        rate += along * contacts->J[r->entry[1] + k] * qd[g->v[k]];
      }
    }
    assert_near(power, rate, 1e-12);
  }
}

// --- memory ---

static lb_status make_contacts(const lb_allocator* allocator) {
  lb_data* d = NULL;
  lb_status status = lb_data_create(model, allocator, &d, NULL);
  if (status == LB_OK) {
    lb_kinematics(model, d, d->q, d->qd);
    status =
        lb_contacts_detect(d->work->contacts, d, 1e-3) &&
                lb_contacts_build(d->work->contacts, d, (lb_contact_system){NULL, unit, true}, 1e-3)
            ? LB_OK
            : LB_NO_MEMORY;
  }
  lb_data_release(d);
  return status;
}

static lb_status make_model(const lb_allocator* allocator) {
  static const char text[] =
      "contacts: {}\nmaterials: {gel: {density: 1000, young: 200 kPa, poisson: 0.3}}\n"
      "bodies: {ball: {shape: {sphere: {radius: 0.1}}}}\n"
      "deformables: {jelly: {form: {box: {from: [-0.15, 0, 0], to: [0.15, 0, 0], width: 0.2, "
      "height: 0.2}, material: gel, elements: {along: 1, across: 1, around: 1}}}}\n"
      "ropes: {r: {through: [{body: ball}, {free: true, at: [0.3, 2, 0.05]}], mass: 0.1, "
      "stiffness: 10, segments: 3}}\n";
  static lb_scene scene;
  lb_model* m = NULL;
  if (!scene.name) {
    assert_int_equal(lb_scene_parse(text, strlen(text), "memory", NULL, &scene, NULL), LB_OK);
  }
  const lb_status status = lb_model_create(&scene, allocator, &m, NULL);
  lb_model_release(m);
  return status;
}

static void refuse_each(lb_status (*make)(const lb_allocator* allocator)) {
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  assert_int_equal(make(&allocator), LB_OK);
  assert_int_equal(count.live, 0);
  const long requests = count.requests;
  printf("%ld requests\n", requests);
  for (long n = 1; n <= requests; n++) {
    count = (lb_counting){.refuse = n};
    assert_int_equal(make(&allocator), LB_NO_MEMORY);
    assert_int_equal(count.live, 0);
  }
}

static void memory_may_be_refused(void** state) {
  (void)state;
  refuse_each(make_contacts);
  refuse_each(make_model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_derivatives_of_places),
      cmocka_unit_test(forces_have_the_power_of_their_points),
      cmocka_unit_test(memory_may_be_refused),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
