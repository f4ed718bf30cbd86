// ODE behind the interface of boxes: its iterative method with 20 iterations.
#include <ode/ode.h>

#include <vector>

#include "boxes.h"

namespace {

struct Engine {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  std::vector<dBodyID> bodies;
  double h, friction;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

void* create(const bench_boxes* b) {
  dInitODE();
  Engine* e = new Engine;
  e->world = dWorldCreate();
  e->space = dHashSpaceCreate(nullptr);
  e->contacts = dJointGroupCreate(0);
  e->h = b->h;
  e->friction = b->friction;
  dWorldSetGravity(e->world, 0, 0, -b->gravity);
  dWorldSetContactSurfaceLayer(e->world, 1e-5);
  dCreatePlane(e->space, 0, 0, 1, 0);
  dMass mass;
  dMassSetBoxTotal(&mass, b->mass, b->size[0], b->size[1], b->size[2]);
  for (int i = 0; i < b->n; i++) {
    const bench_box& box = b->box[i];
    dBodyID body = dBodyCreate(e->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, box.position[0], box.position[1], box.position[2]);
    dBodySetQuaternion(body, box.quaternion);
    dGeomID geom = dCreateBox(e->space, b->size[0], b->size[1], b->size[2]);
    dGeomSetBody(geom, body);
    e->bodies.push_back(body);
  }
  return e;
}

void release(void* engine) {
  Engine& e = self(engine);
  dJointGroupDestroy(e.contacts);
  dSpaceDestroy(e.space);
  dWorldDestroy(e.world);
  dCloseODE();
  delete &e;
}

void meet(void* data, dGeomID a, dGeomID b) {
  enum { MOST = 8 };
  Engine& e = self(data);
  dContact contact[MOST];
  const int n = dCollide(a, b, MOST, &contact[0].geom, sizeof(dContact));
  for (int i = 0; i < n; i++) {
    contact[i].surface.mode = dContactApprox1;
    contact[i].surface.mu = e.friction;
    dJointID joint = dJointCreateContact(e.world, e.contacts, &contact[i]);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
  }
}

void step(void* engine) {
  Engine& e = self(engine);
  dSpaceCollide(e.space, &e, meet);
  dWorldQuickStep(e.world, e.h);
  dJointGroupEmpty(e.contacts);
}

void get(void* engine, int i, bench_box* box) {
  const dReal* p = dBodyGetPosition(self(engine).bodies[i]);
  const dReal* q = dBodyGetQuaternion(self(engine).bodies[i]);
  for (int k = 0; k < 4; k++) {
    box->quaternion[k] = q[k];
  }
  for (int k = 0; k < 3; k++) {
    box->position[k] = p[k];
  }
}

} // namespace

const bench_contact_engine bench_ode_boxes = {
    "ode", "ODE, QuickStep, 20 iterations", create, release, step, get};
