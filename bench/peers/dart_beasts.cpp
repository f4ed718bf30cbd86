// DART behind the interface of beasts: each a skeleton of revolute joints, its crank driven by
// velocity, its loops closed by ball joint constraints, which is all that version 6 has for them.
// In a plane a third of their rows are redundant. By Dantzig's method, DART's usual one, the beast
// flies apart in its first steps, so that projected Gauss-Seidel takes its place.
#include <dart/collision/ode/OdeCollisionDetector.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <string>
#include <vector>

#include "beasts.h"

namespace {

using namespace dart::dynamics;

struct Engine {
  const bench_machine* machine;
  dart::simulation::WorldPtr world;
  std::vector<BodyNode*> bodies;
  std::vector<Joint*> cranks;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

Eigen::Vector3d vec(const double v[3]) {
  return Eigen::Vector3d(v[0], v[1], v[2]);
}

Eigen::Isometry3d transform(const bench_pose& pose, double aside) {
  const double* q = pose.quaternion;
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = vec(pose.position) + Eigen::Vector3d(0, aside, 0);
  X.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  return X;
}

BodyNode::Properties properties(const bench_part& p, int i) {
  BodyNode::Properties body;
  body.mName = "part" + std::to_string(i);
  body.mInertia = Inertia(p.mass, Eigen::Vector3d::Zero(), vec(p.inertia).asDiagonal());
  return body;
}

void add_chassis(const SkeletonPtr& beast, const bench_part& p, double aside) {
  auto pair = beast->createJointAndBodyNodePair<FreeJoint>(nullptr, FreeJoint::Properties(),
                                                           properties(p, 0));
  pair.first->setTransform(transform(p.start, aside));
  pair.first->setLinearVelocity(vec(p.velocity));
  pair.first->setAngularVelocity(vec(p.spin));
}

// The joint's frame has the parts' poses at the start: its angle is zero there.
Joint* add_part(const SkeletonPtr& beast, const bench_machine& m, const bench_pin& pin) {
  const bench_part &a = m.part[pin.part[0]], &b = m.part[pin.part[1]];
  const Eigen::Isometry3d X = transform(a.start, 0).inverse() * transform(b.start, 0);
  RevoluteJoint::Properties joint;
  joint.mName = "pin" + std::to_string(pin.part[1]);
  joint.mAxis = vec(pin.axis[1]);
  joint.mT_ChildBodyToJoint.translation() = vec(pin.at[1]);
  joint.mT_ParentBodyToJoint = X * joint.mT_ChildBodyToJoint;
  BodyNode* parent = beast->getBodyNode("part" + std::to_string(pin.part[0]));
  Joint* made =
      beast->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, properties(b, pin.part[1]))
          .first;
  const Eigen::Vector3d axis = transform(b.start, 0).linear() * vec(pin.axis[1]);
  made->setVelocity(0, axis.dot(vec(b.spin) - vec(a.spin)));
  return made;
}

void add_feet(const std::vector<BodyNode*>& part, const bench_machine& m) {
  for (int i = 0; i < m.nfoot; i++) {
    const bench_foot& f = m.foot[i];
    ShapeNode* node =
        part[std::size_t(f.part)]->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
            std::make_shared<SphereShape>(f.radius));
    node->setRelativeTranslation(vec(f.at));
    node->getDynamicsAspect()->setFrictionCoeff(m.friction);
  }
}

void add_beast(Engine& e, const bench_machine& m, int copy) {
  SkeletonPtr beast = Skeleton::create("beast" + std::to_string(copy));
  std::vector<BodyNode*> part;
  add_chassis(beast, m.part[0], copy * m.apart);
  for (int i = 0; i < m.npin && !m.pin[i].loop; i++) {
    Joint* joint = add_part(beast, m, m.pin[i]);
    if (i == m.motor) {
      joint->setActuatorType(Joint::VELOCITY);
      e.cranks.push_back(joint);
    }
  }
  for (int i = 0; i < m.npart; i++) {
    part.push_back(beast->getBodyNode("part" + std::to_string(i)));
  }
  add_feet(part, m);
  e.world->addSkeleton(beast); // no collisions within: that is its default
  for (int i = 0; i < m.npin; i++) {
    const bench_pin& pin = m.pin[i];
    if (pin.loop) {
      BodyNode* first = part[std::size_t(pin.part[0])];
      e.world->getConstraintSolver()->addConstraint(
          std::make_shared<dart::constraint::BallJointConstraint>(
              first, part[std::size_t(pin.part[1])], first->getWorldTransform() * vec(pin.at[0])));
    }
  }
  e.bodies.insert(e.bodies.end(), part.begin(), part.end());
}

void add_floor(Engine& e, const bench_machine& m) {
  SkeletonPtr floor = Skeleton::create("floor");
  WeldJoint::Properties joint;
  joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, 0, -0.5);
  BodyNode* body = floor->createJointAndBodyNodePair<WeldJoint>(nullptr, joint).second;
  ShapeNode* node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
      std::make_shared<BoxShape>(Eigen::Vector3d(100, 100, 1)));
  node->getDynamicsAspect()->setFrictionCoeff(m.friction); // the smaller of two counts
  e.world->addSkeleton(floor);
}

void* create(const bench_machine* m) {
  Engine* e = new Engine;
  e->machine = m;
  e->world = dart::simulation::World::create();
  e->world->setGravity(Eigen::Vector3d(0, 0, -m->gravity));
  e->world->setTimeStep(m->h);
  e->world->setConstraintSolver(std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(
      std::make_shared<dart::constraint::PgsBoxedLcpSolver>()));
  e->world->getConstraintSolver()->setCollisionDetector(
      dart::collision::OdeCollisionDetector::create());
  add_floor(*e, *m);
  for (int k = 0; k < m->copies; k++) {
    add_beast(*e, *m, k);
  }
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

bool step(void* engine) {
  Engine& e = self(engine);
  for (Joint* crank : e.cranks) {
    crank->setCommand(0, e.machine->speed); // for one step
  }
  e.world->step();
  return true;
}

void get(void* engine, int copy, int part, bench_pose* pose) {
  Engine& e = self(engine);
  const Eigen::Isometry3d& X =
      e.bodies[std::size_t(copy * e.machine->npart + part)]->getWorldTransform();
  const Eigen::Quaterniond q(X.linear());
  const Eigen::Vector3d p = X.translation();
  *pose = {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}};
}

} // namespace

const bench_beast_engine bench_dart_beasts = {
    "dart", "DART, skeletons with loops of ball joint constraints, projected Gauss-Seidel",
    create, release,
    step,   get};
