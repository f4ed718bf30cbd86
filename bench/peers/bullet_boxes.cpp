// Bullet behind the interface of boxes: rigid bodies, sequential impulses with ten iterations,
// split impulses for overlaps, as it comes.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "boxes.h"

namespace {

struct Engine {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::unique_ptr<btBoxShape> floor_shape, shape;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  btScalar h;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

void add(Engine& e, btCollisionShape* shape, btScalar mass, btScalar friction,
         const btTransform& at) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) {
    shape->calculateLocalInertia(mass, inertia);
  }
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_friction = friction;
  info.m_startWorldTransform = at;
  e.bodies.emplace_back(new btRigidBody(info));
  e.bodies.back()->setActivationState(DISABLE_DEACTIVATION); // nobody sleeps
  e.world.addRigidBody(e.bodies.back().get());
}

void* create(const bench_boxes* b) {
  Engine* e = new Engine;
  const btScalar friction = btScalar(b->friction);
  e->h = btScalar(b->h);
  e->world.setGravity(btVector3(0, 0, btScalar(-b->gravity)));
  // frictions of two bodies are multiplied
  const btScalar each = btSqrt(friction);
  e->floor_shape.reset(new btBoxShape(btVector3(40, 40, btScalar(0.5))));
  e->shape.reset(new btBoxShape(
      btVector3(btScalar(b->size[0] / 2), btScalar(b->size[1] / 2), btScalar(b->size[2] / 2))));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->box[i].position, *q = b->box[i].quaternion;
    add(*e, e->shape.get(), btScalar(b->mass), each,
        btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                    btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]))));
  }
  btTransform below;
  below.setIdentity();
  below.setOrigin(btVector3(0, 0, btScalar(-0.5)));
  add(*e, e->floor_shape.get(), 0, each, below);
  return e;
}

void release(void* engine) {
  Engine& e = self(engine);
  for (auto& body : e.bodies) {
    e.world.removeRigidBody(body.get());
  }
  delete &e;
}

void step(void* engine) {
  self(engine).world.stepSimulation(self(engine).h, 0);
}

void get(void* engine, int i, bench_box* box) {
  const btTransform& X = self(engine).bodies[i]->getWorldTransform();
  const btQuaternion q = X.getRotation();
  const btVector3 p = X.getOrigin();
  *box = {{double(p.x()), double(p.y()), double(p.z())},
          {double(q.w()), double(q.x()), double(q.y()), double(q.z())}};
}

} // namespace

const bench_contact_engine bench_bullet_boxes = {
    "bullet", "Bullet, sequential impulses, 10 iterations", create, release, step, get};
