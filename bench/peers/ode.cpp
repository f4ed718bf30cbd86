// ODE behind the part of the benchmark's interface that mechanisms with loops need: all bodies
// free, hinges and balls as constraints, solved by its iterative method (20 iterations).
#include <ode/ode.h>

#include <algorithm>
#include <vector>

#include "engine.h"

namespace {

struct Engine {
  bench_model model;
  dWorldID world;
  std::vector<dBodyID> bodies;
  std::vector<dJointID> hinges;
  double h = 0;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

// Where the frame of a link is in the pose with all angles zero.
void find_origin(const bench_model& m, int i, double p[3]) {
  p[0] = p[1] = p[2] = 0;
  for (; i >= 0; i = m.link[i].parent) {
    for (int k = 0; k < 3; k++) {
      p[k] += m.link[i].joint[k];
    }
  }
}

void add_link(Engine& e, int i) {
  const bench_link& l = e.model.link[i];
  double p[3];
  find_origin(e.model, i, p);
  dMass mass;
  dMassSetParameters(&mass, l.mass, 0, 0, 0, l.inertia[0], l.inertia[1], l.inertia[2], 0, 0, 0);
  dBodyID body = dBodyCreate(e.world);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, p[0] + l.com[0], p[1] + l.com[1], p[2] + l.com[2]);
  dJointID hinge = dJointCreateHinge(e.world, nullptr);
  dJointAttach(hinge, body, l.parent < 0 ? nullptr : e.bodies[l.parent]);
  dJointSetHingeAnchor(hinge, p[0], p[1], p[2]);
  dJointSetHingeAxis(hinge, l.axis[0], l.axis[1], l.axis[2]);
  e.bodies.push_back(body);
  e.hinges.push_back(hinge);
}

void add_loop(Engine& e, const bench_loop& l) {
  double p[3];
  find_origin(e.model, l.link[0], p);
  dJointID ball = dJointCreateBall(e.world, nullptr);
  dJointAttach(ball, e.bodies[l.link[0]], e.bodies[l.link[1]]);
  dJointSetBallAnchor(ball, p[0] + l.point[0][0], p[1] + l.point[0][1], p[2] + l.point[0][2]);
}

void make_world(Engine& e) {
  const bench_model& m = e.model;
  e.world = dWorldCreate();
  dWorldSetGravity(e.world, m.gravity[0], m.gravity[1], m.gravity[2]);
  for (int i = 0; i < m.nlink; i++) {
    add_link(e, i);
  }
  for (int i = 0; i < m.nloop; i++) {
    add_loop(e, m.loop[i]);
  }
}

void drop_world(Engine& e) {
  dWorldDestroy(e.world);
  e.bodies.clear();
  e.hinges.clear();
}

void* create(const bench_model* model) {
  if (model->free_base) {
    return nullptr;
  }
  dInitODE();
  Engine* e = new Engine;
  e->model = *model;
  make_world(*e);
  return e;
}

void release(void* engine) {
  Engine& e = self(engine);
  drop_world(e);
  dCloseODE();
  delete &e;
}

void load(void*, int, const bench_state*) {} // it begins with all angles zero, at rest

bool start(void* engine, int, bench_method method, double h, double) {
  Engine& e = self(engine);
  e.h = h;
  drop_world(e);
  make_world(e);
  return method == BENCH_LOOPS;
}

void step(void* engine) {
  Engine& e = self(engine);
  for (dJointID hinge : e.hinges) {
    dJointAddHingeTorque(hinge, -e.model.stiffness * dJointGetHingeAngle(hinge) -
                                    e.model.damping * dJointGetHingeAngleRate(hinge));
  }
  dWorldQuickStep(e.world, e.h);
}

void get_state(void* engine, double* q, double* qd) {
  Engine& e = self(engine);
  for (int i = 0; i < e.model.nlink; i++) {
    q[i] = dJointGetHingeAngle(e.hinges[i]);
    qd[i] = dJointGetHingeAngleRate(e.hinges[i]);
  }
}

} // namespace

const bench_engine bench_ode = {
    "ode",     sizeof(dReal) == 8 ? "ODE, double precision" : "ODE, single precision",
    create,    release,
    load,      nullptr,
    nullptr,   nullptr,
    step,      nullptr,
    nullptr,   nullptr,
    get_state, start,
};
