// DART's Skeleton behind the benchmark's interface.
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "engine.h"

namespace {

using namespace dart::dynamics;

Eigen::Vector3d vec(const double v[3]) {
  return Eigen::Vector3d(v[0], v[1], v[2]);
}

struct State {
  Eigen::VectorXd q, qd, tau, qdd;
};

struct Engine {
  bench_model model;
  SkeletonPtr skeleton;
  dart::simulation::WorldPtr world;
  State slot[BENCH_SLOTS];
  Eigen::MatrixXd M;
  std::vector<int> order; // place in the skeleton of each degree of freedom of ours
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

Joint* add_joint(Engine& e, BodyNode* parent, const bench_link& l, int i) {
  Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
  place.translation() = vec(l.joint);
  BodyNode::Properties body;
  body.mName = "link" + std::to_string(i);
  body.mInertia = Inertia(l.mass, vec(l.com), vec(l.inertia).asDiagonal());
  if (e.model.free_base && i == 0) {
    FreeJoint::Properties joint;
    joint.mT_ParentBodyToJoint = place;
    return e.skeleton->createJointAndBodyNodePair<FreeJoint>(parent, joint, body).first;
  }
  RevoluteJoint::Properties joint;
  joint.mName = "hinge" + std::to_string(i);
  joint.mAxis = vec(l.axis);
  joint.mT_ParentBodyToJoint = place;
  return e.skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).first;
}

void add_loops(Engine& e, const std::vector<BodyNode*>& bodies) {
  for (int i = 0; i < e.model.nloop; i++) {
    const bench_loop& l = e.model.loop[i];
    BodyNode* first = bodies[l.link[0]];
    const Eigen::Vector3d at = first->getWorldTransform() * vec(l.point[0]);
    e.world->getConstraintSolver()->addConstraint(
        std::make_shared<dart::constraint::BallJointConstraint>(first, bodies[l.link[1]], at));
  }
}

void* create(const bench_model* model) {
  Engine* e = new Engine;
  e->model = *model;
  e->skeleton = Skeleton::create("bench");
  std::vector<BodyNode*> bodies;
  for (int i = 0; i < model->nlink; i++) {
    const bench_link& l = model->link[i];
    Joint* joint = add_joint(*e, l.parent < 0 ? nullptr : bodies[l.parent], l, i);
    bodies.push_back(joint->getChildBodyNode());
    if (model->stiffness > 0) {
      joint->setSpringStiffness(0, model->stiffness);
      joint->setDampingCoefficient(0, model->damping);
    }
    for (std::size_t k = 0; k < joint->getNumDofs(); k++) {
      e->order.push_back(int(joint->getIndexInSkeleton(k)));
    }
  }
  e->skeleton->setGravity(vec(model->gravity));
  e->world = dart::simulation::World::create();
  e->world->setGravity(vec(model->gravity));
  e->world->addSkeleton(e->skeleton);
  add_loops(*e, bodies);
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

Eigen::VectorXd ordered(const Engine& e, const double* v) {
  Eigen::VectorXd r(e.model.nv);
  for (int i = 0; i < e.model.nv; i++) {
    r[e.order[i]] = v[i];
  }
  return r;
}

void unordered(const Engine& e, const Eigen::VectorXd& v, double* out) {
  for (int i = 0; i < e.model.nv; i++) {
    out[i] = v[e.order[i]];
  }
}

void load(void* engine, int slot, const bench_state* state) {
  Engine& e = self(engine);
  e.slot[slot] = {ordered(e, state->q), ordered(e, state->qd), ordered(e, state->tau),
                  ordered(e, state->qdd)};
}

void forward(void* engine, int slot) {
  Engine& e = self(engine);
  const State& s = e.slot[slot];
  e.skeleton->setPositions(s.q);
  e.skeleton->setVelocities(s.qd);
  e.skeleton->setForces(s.tau);
  e.skeleton->computeForwardDynamics();
}

void inverse(void* engine, int slot) {
  Engine& e = self(engine);
  const State& s = e.slot[slot];
  e.skeleton->setPositions(s.q);
  e.skeleton->setVelocities(s.qd);
  e.skeleton->setAccelerations(s.qdd);
  e.skeleton->computeInverseDynamics();
}

void mass(void* engine, int slot) {
  Engine& e = self(engine);
  e.skeleton->setPositions(e.slot[slot].q);
  e.M = e.skeleton->getMassMatrix();
}

void get_qdd(void* engine, double* qdd) {
  Engine& e = self(engine);
  unordered(e, e.skeleton->getAccelerations(), qdd);
}

void get_tau(void* engine, double* tau) {
  Engine& e = self(engine);
  unordered(e, e.skeleton->getForces(), tau);
}

void get_mass(void* engine, double* M) {
  Engine& e = self(engine);
  for (int i = 0; i < e.model.nv; i++) {
    for (int j = 0; j < e.model.nv; j++) {
      M[i * e.model.nv + j] = e.M(e.order[i], e.order[j]);
    }
  }
}

bool start(void* engine, int slot, bench_method method, double h, double) {
  Engine& e = self(engine);
  if (method != BENCH_EULER && method != BENCH_LOOPS) {
    return false;
  }
  e.skeleton->setForces(Eigen::VectorXd::Zero(e.model.nv));
  e.skeleton->setPositions(e.slot[slot].q);
  e.skeleton->setVelocities(e.slot[slot].qd);
  e.world->setTimeStep(h);
  return true;
}

void step(void* engine) {
  self(engine).world->step();
}

void get_state(void* engine, double* q, double* qd) {
  Engine& e = self(engine);
  unordered(e, e.skeleton->getPositions(), q);
  unordered(e, e.skeleton->getVelocities(), qd);
}

} // namespace

const bench_engine bench_dart = {
    "dart",    "DART " DART_VERSION ", double precision",
    create,    release,
    load,      forward,
    inverse,   mass,
    step,      get_qdd,
    get_tau,   get_mass,
    get_state, start,
};
