// The ladder in Bullet: a multibody for each rail, the first with the rungs, and point-to-point
// constraints between them.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <vector>

#include "ladder.h"

namespace {

const btVector3 AXIS(0, 0, 1);

btVector3 box_inertia(double mass, double x, double y, double z) {
  return btVector3(y * y + z * z, x * x + z * z, x * x + y * y) * (mass / 12);
}

// Rail links first, each on the one before, then rungs.
std::unique_ptr<btMultiBody> rail(double height, bool rungs) {
  const int n = LADDER_RUNGS;
  std::unique_ptr<btMultiBody> body(
      new btMultiBody(rungs ? 2 * n : n, 0, btVector3(0, 0, 0), true, false));
  const btVector3 half(LADDER_LINK / 2, 0, 0), up(0, LADDER_APART / 2, 0);
  const btQuaternion none = btQuaternion::getIdentity();
  for (int i = 0; i < n; i++) {
    body->setupRevolute(i, LADDER_LINK_MASS, box_inertia(LADDER_LINK_MASS, LADDER_LINK, 0.02, 0.02),
                        i - 1, none, AXIS, i ? half : btVector3(0, 0, 0), half, true);
  }
  for (int i = 0; rungs && i < n; i++) {
    body->setupRevolute(n + i, LADDER_RUNG_MASS,
                        box_inertia(LADDER_RUNG_MASS, 0.02, LADDER_APART, 0.02), i, none, AXIS,
                        half, up, true);
  }
  body->setBasePos(btVector3(0, height, 0));
  body->setLinearDamping(0);
  body->setAngularDamping(0);
  body->setMaxCoordinateVelocity(1e12);
  body->setMaxAppliedImpulse(1e12);
  body->finalizeMultiDof();
  return body;
}

void add_springs(btMultiBody& body) {
  for (int i = 0; i < body.getNumLinks(); i++) {
    body.addJointTorque(i, -LADDER_STIFFNESS * body.getJointPos(i) -
                               LADDER_DAMPING * body.getJointVel(i));
  }
}

// Bullet gathers what is tied together by the links' shapes, so they get one that touches nothing.
void add_shapes(btMultiBody& body, btMultiBodyDynamicsWorld& world, btCollisionShape& shape,
                std::vector<std::unique_ptr<btMultiBodyLinkCollider>>& made) {
  for (int i = 0; i < body.getNumLinks(); i++) {
    made.emplace_back(new btMultiBodyLinkCollider(&body, i));
    made.back()->setCollisionShape(&shape);
    made.back()->setActivationState(DISABLE_DEACTIVATION);
    body.getLink(i).m_collider = made.back().get();
    world.addCollisionObject(made.back().get(), 0, 0);
  }
}

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

} // namespace

extern "C" ladder_result ladder_bullet(double h, double time) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, -LADDER_GRAVITY, 0));
  std::unique_ptr<btMultiBody> a = rail(0, true), b = rail(LADDER_APART, false);
  world.addMultiBody(a.get());
  world.addMultiBody(b.get());
  btSphereShape shape(0.01);
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> shapes;
  add_shapes(*a, world, shape, shapes);
  add_shapes(*b, world, shape, shapes);
  std::vector<std::unique_ptr<btMultiBodyPoint2Point>> ties;
  const btVector3 top(0, LADDER_APART / 2, 0), end(LADDER_LINK / 2, 0, 0);
  for (int i = 0; i < LADDER_RUNGS; i++) {
    ties.emplace_back(new btMultiBodyPoint2Point(a.get(), LADDER_RUNGS + i, b.get(), i, top, end));
    ties.back()->setMaxAppliedImpulse(1e12);
    world.addMultiBodyConstraint(ties.back().get());
  }
  const int steps = int(std::lround(time / h));
  const double before = now();
  for (int i = 0; i < steps; i++) {
    add_springs(*a);
    add_springs(*b);
    world.stepSimulation(h, 0);
  }
  ladder_result r = {1e6 * (now() - before) / steps, 0, 0};
  r.tip = a->localPosToWorld(LADDER_RUNGS - 1, btVector3(0, 0, 0)).y();
  for (int i = 0; i < LADDER_RUNGS; i++) {
    const btVector3 apart = a->localPosToWorld(LADDER_RUNGS + i, top) - b->localPosToWorld(i, end);
    r.gap = std::fmax(r.gap, double(apart.length()));
  }
  if (!(std::fabs(r.tip) < 0.1)) {
    r.tip = NAN;
  }
  for (auto& tie : ties) {
    world.removeMultiBodyConstraint(tie.get());
  }
  for (auto& made : shapes) {
    world.removeCollisionObject(made.get());
  }
  world.removeMultiBody(a.get());
  world.removeMultiBody(b.get());
  return r;
}
