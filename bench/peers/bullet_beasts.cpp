// Bullet behind the interface of beasts: rigid bodies in maximal coordinates, hinges and a motor as
// constraints of its sequential impulses, ten iterations, as it comes.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "beasts.h"

namespace {

enum { FLOOR = 1, FEET = 2 };

struct Engine {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<btCollisionShape*> shape_of; // of each part
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<std::unique_ptr<btHingeConstraint>> hinges;
  int npart;
  btScalar h;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

btVector3 vec(const double v[3]) {
  return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btTransform transform(const bench_pose& pose) {
  const double* q = pose.quaternion;
  return btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                     vec(pose.position));
}

template <class Shape> Shape* keep(Engine& e, Shape* shape) {
  e.shapes.emplace_back(shape);
  return shape;
}

void make_shapes(Engine& e, const bench_machine& m) {
  std::vector<btCompoundShape*> feet(m.npart, nullptr);
  for (int i = 0; i < m.nfoot; i++) {
    const bench_foot& f = m.foot[i];
    if (!feet[f.part]) {
      feet[f.part] = keep(e, new btCompoundShape);
    }
    feet[f.part]->addChildShape(btTransform(btQuaternion::getIdentity(), vec(f.at)),
                                keep(e, new btSphereShape(btScalar(f.radius))));
  }
  btCollisionShape* none = keep(e, new btEmptyShape);
  for (int i = 0; i < m.npart; i++) {
    e.shape_of.push_back(feet[i] ? static_cast<btCollisionShape*>(feet[i]) : none);
  }
}

btRigidBody* add(Engine& e, const btRigidBody::btRigidBodyConstructionInfo& info, int group,
                 int mask) {
  btRigidBody* body = new btRigidBody(info);
  e.bodies.emplace_back(body);
  body->setActivationState(DISABLE_DEACTIVATION);
  e.world.addRigidBody(body, group, mask);
  return body;
}

void add_beast(Engine& e, const bench_machine& m, int copy) {
  const btVector3 aside(0, btScalar(copy * m.apart), 0);
  const std::size_t first = e.bodies.size();
  for (int i = 0; i < m.npart; i++) {
    const bench_part& p = m.part[i];
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(p.mass), nullptr, e.shape_of[i],
                                                  vec(p.inertia));
    info.m_startWorldTransform = transform(p.start);
    info.m_startWorldTransform.getOrigin() += aside;
    info.m_friction = btScalar(m.friction); // frictions of two bodies are multiplied
    btRigidBody* body = add(e, info, FEET, FLOOR);
    body->setLinearVelocity(vec(p.velocity));
    body->setAngularVelocity(vec(p.spin));
  }
  for (int i = 0; i < m.npin; i++) {
    const bench_pin& p = m.pin[i];
    btHingeConstraint* hinge =
        new btHingeConstraint(*e.bodies[first + p.part[0]], *e.bodies[first + p.part[1]],
                              vec(p.at[0]), vec(p.at[1]), vec(p.axis[0]), vec(p.axis[1]));
    e.hinges.emplace_back(hinge);
    if (i == m.motor) {
      hinge->enableAngularMotor(true, btScalar(-m.speed), btScalar(1e6)); // of the first body
    }
    e.world.addConstraint(hinge, true);
  }
}

void add_floor(Engine& e) {
  btRigidBody::btRigidBodyConstructionInfo info(
      0, nullptr, keep(e, new btStaticPlaneShape(btVector3(0, 0, 1), 0)));
  info.m_friction = 1;
  add(e, info, FLOOR, FEET);
}

void* create(const bench_machine* m) {
  Engine* e = new Engine;
  e->npart = m->npart;
  e->h = btScalar(m->h);
  e->world.setGravity(btVector3(0, 0, btScalar(-m->gravity)));
  make_shapes(*e, *m);
  for (int k = 0; k < m->copies; k++) {
    add_beast(*e, *m, k);
  }
  add_floor(*e);
  return e;
}

void release(void* engine) {
  Engine& e = self(engine);
  for (auto& hinge : e.hinges) {
    e.world.removeConstraint(hinge.get());
  }
  for (auto& body : e.bodies) {
    e.world.removeRigidBody(body.get());
  }
  delete &e;
}

bool step(void* engine) {
  self(engine).world.stepSimulation(self(engine).h, 0);
  return true;
}

void get(void* engine, int copy, int part, bench_pose* pose) {
  Engine& e = self(engine);
  const btTransform& X = e.bodies[std::size_t(copy * e.npart + part)]->getWorldTransform();
  const btQuaternion q = X.getRotation();
  const btVector3 p = X.getOrigin();
  *pose = {{double(p.x()), double(p.y()), double(p.z())},
           {double(q.w()), double(q.x()), double(q.y()), double(q.z())}};
}

} // namespace

const bench_beast_engine bench_bullet_beasts = {
    "bullet", "Bullet, hinges of rigid bodies, sequential impulses, 10 iterations",
    create,   release,
    step,     get};
