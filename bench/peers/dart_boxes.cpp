// DART behind the interface of boxes: its World as it comes, with Dantzig's method for contacts and
// ODE's collision detector, which knows boxes.
#include <dart/collision/ode/OdeCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <string>
#include <vector>

#include "boxes.h"

namespace {

using namespace dart::dynamics;

struct Engine {
  dart::simulation::WorldPtr world;
  std::vector<BodyNode*> bodies;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

void give_shape(BodyNode* body, const Eigen::Vector3d& size, double friction) {
  ShapeNode* node =
      body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(std::make_shared<BoxShape>(size));
  node->getDynamicsAspect()->setFrictionCoeff(friction); // the smaller of two counts
}

void add_floor(Engine& e, double friction) {
  SkeletonPtr floor = Skeleton::create("floor");
  WeldJoint::Properties joint;
  joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, 0, -0.5);
  BodyNode* body = floor->createJointAndBodyNodePair<WeldJoint>(nullptr, joint).second;
  give_shape(body, Eigen::Vector3d(80, 80, 1), friction);
  e.world->addSkeleton(floor);
}

void add_box(Engine& e, const bench_boxes& b, int i) {
  const Eigen::Vector3d size(b.size[0], b.size[1], b.size[2]);
  const double *p = b.box[i].position, *q = b.box[i].quaternion;
  SkeletonPtr box = Skeleton::create("box" + std::to_string(i));
  auto pair = box->createJointAndBodyNodePair<FreeJoint>();
  give_shape(pair.second, size, b.friction);
  pair.second->setInertia(
      Inertia(b.mass, Eigen::Vector3d::Zero(), BoxShape::computeInertia(size, b.mass)));
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Eigen::Vector3d(p[0], p[1], p[2]);
  pose.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  pair.first->setTransform(pose);
  e.bodies.push_back(pair.second);
  e.world->addSkeleton(box);
}

void* create(const bench_boxes* b) {
  Engine* e = new Engine;
  e->world = dart::simulation::World::create();
  e->world->setGravity(Eigen::Vector3d(0, 0, -b->gravity));
  e->world->setTimeStep(b->h);
  auto* solver = e->world->getConstraintSolver();
  solver->setCollisionDetector(dart::collision::OdeCollisionDetector::create());
  solver->getCollisionOption().maxNumContacts = std::size_t(100 + 50 * b->n); // else 1000
  add_floor(*e, b->friction);
  for (int i = 0; i < b->n; i++) {
    add_box(*e, *b, i);
  }
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

void step(void* engine) {
  self(engine).world->step();
}

void get(void* engine, int i, bench_box* box) {
  const Eigen::Isometry3d& X = self(engine).bodies[std::size_t(i)]->getWorldTransform();
  const Eigen::Quaterniond q(X.linear());
  const Eigen::Vector3d p = X.translation();
  *box = {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}};
}

} // namespace

const bench_contact_engine bench_dart_boxes = {
    "dart", "DART, Dantzig's method, ODE's collisions", create, release, step, get};
