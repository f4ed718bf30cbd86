// ODE behind the interface of beasts: bodies and hinges, by its iterative method with 20 iterations
// and by its direct one.
#include <ode/ode.h>

#include <vector>

#include "beasts.h"

namespace {

struct Engine {
  dWorldID world;
  dSpaceID feet;
  dGeomID floor;
  dJointGroupID contacts;
  std::vector<dBodyID> bodies;
  int npart;
  double h, friction;
  bool direct;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

dBodyID add_part(Engine& e, const bench_part& p, double aside) {
  const double *at = p.start.position, *I = p.inertia;
  dBodyID body = dBodyCreate(e.world);
  dMass mass;
  dMassSetParameters(&mass, p.mass, 0, 0, 0, I[0], I[1], I[2], 0, 0, 0);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, at[0], at[1] + aside, at[2]);
  dBodySetQuaternion(body, p.start.quaternion);
  dBodySetLinearVel(body, p.velocity[0], p.velocity[1], p.velocity[2]);
  dBodySetAngularVel(body, p.spin[0], p.spin[1], p.spin[2]);
  e.bodies.push_back(body);
  return body;
}

void add_pin(Engine& e, const bench_pin& p, const dBodyID* bodies, double speed) {
  dJointID hinge = dJointCreateHinge(e.world, nullptr);
  dBodyID parent = bodies[p.part[0]], child = bodies[p.part[1]];
  dVector3 point, axis;
  dBodyGetRelPointPos(child, p.at[1][0], p.at[1][1], p.at[1][2], point);
  dBodyVectorToWorld(child, p.axis[1][0], p.axis[1][1], p.axis[1][2], axis);
  dJointAttach(hinge, child, parent);
  dJointSetHingeAnchor(hinge, point[0], point[1], point[2]);
  dJointSetHingeAxis(hinge, axis[0], axis[1], axis[2]);
  if (speed != 0) {
    dJointSetHingeParam(hinge, dParamVel, speed);
    dJointSetHingeParam(hinge, dParamFMax, 1e6);
  }
}

void add_beast(Engine& e, const bench_machine& m, int copy) {
  const std::size_t first = e.bodies.size();
  for (int i = 0; i < m.npart; i++) {
    add_part(e, m.part[i], copy * m.apart);
  }
  for (int i = 0; i < m.npin; i++) {
    add_pin(e, m.pin[i], &e.bodies[first], i == m.motor ? m.speed : 0);
  }
  for (int i = 0; i < m.nfoot; i++) {
    const bench_foot& f = m.foot[i];
    dGeomID foot = dCreateSphere(e.feet, f.radius);
    dGeomSetBody(foot, e.bodies[first + std::size_t(f.part)]);
    dGeomSetOffsetPosition(foot, f.at[0], f.at[1], f.at[2]);
  }
}

Engine* make(const bench_machine& m, bool direct) {
  dInitODE();
  Engine* e = new Engine;
  e->world = dWorldCreate();
  e->feet = dSimpleSpaceCreate(nullptr);
  e->floor = dCreatePlane(nullptr, 0, 0, 1, 0);
  e->contacts = dJointGroupCreate(0);
  e->npart = m.npart;
  e->h = m.h;
  e->friction = m.friction;
  e->direct = direct;
  dWorldSetGravity(e->world, 0, 0, -m.gravity);
  for (int k = 0; k < m.copies; k++) {
    add_beast(*e, m, k);
  }
  return e;
}

void* create(const bench_machine* m) {
  return make(*m, false);
}

void* create_direct(const bench_machine* m) {
  return make(*m, true);
}

void release(void* engine) {
  Engine& e = self(engine);
  dJointGroupDestroy(e.contacts);
  dGeomDestroy(e.floor);
  dSpaceDestroy(e.feet);
  dWorldDestroy(e.world);
  dCloseODE();
  delete &e;
}

void meet(void* data, dGeomID a, dGeomID b) {
  Engine& e = self(data);
  dContact contact;
  if (dCollide(a, b, 1, &contact.geom, sizeof contact) > 0) {
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = e.friction;
    dJointID joint = dJointCreateContact(e.world, e.contacts, &contact);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
  }
}

bool step(void* engine) {
  Engine& e = self(engine);
  dSpaceCollide2(e.floor, dGeomID(e.feet), &e, meet);
  if (e.direct) {
    dWorldStep(e.world, e.h);
  } else {
    dWorldQuickStep(e.world, e.h);
  }
  dJointGroupEmpty(e.contacts);
  return true;
}

void get(void* engine, int copy, int part, bench_pose* pose) {
  Engine& e = self(engine);
  dBodyID body = e.bodies[std::size_t(copy * e.npart + part)];
  const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
  *pose = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

} // namespace

const bench_beast_engine bench_ode_beasts = {
    "ode", "ODE, hinges of rigid bodies, QuickStep, 20 iterations", create, release, step, get};
const bench_beast_engine bench_ode_beasts_direct = {
    "ode direct", "ODE, the same by dWorldStep", create_direct, release, step, get};
