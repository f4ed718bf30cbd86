// Bullet's btMultiBody behind the benchmark's interface. Joint-space inverse dynamics and mass
// matrix are not in the packaged headers.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine.h"

namespace {

btVector3 vec(const double v[3]) {
  return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

struct State {
  std::vector<btScalar> q, qd, tau;
};

struct Engine {
  bench_model model;
  int base; // links of the model that are Bullet's base: 0 or 1
  std::unique_ptr<btMultiBody> body;
  btVector3 start;               // of the base
  std::vector<btVector3> weight; // of the model's links
  State slot[BENCH_SLOTS];
  btAlignedObjectArray<btScalar> scratch_r;
  btAlignedObjectArray<btVector3> scratch_v;
  btAlignedObjectArray<btMatrix3x3> scratch_m;

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  btScalar h = 0;
  bool springs = false;
  btEmptyShape nothing;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders; // what islands are made of
  std::vector<std::unique_ptr<btMultiBodyPoint2Point>> loops;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

// Bullet's link frames sit at the centre of mass.
void add_link(Engine& e, int i) {
  const bench_link& l = e.model.link[i];
  btVector3 parent_com(0, 0, 0);
  if (l.parent >= 0) {
    parent_com = vec(e.model.link[l.parent].com);
  }
  if (l.ball) {
    e.body->setupSpherical(i - e.base, btScalar(l.mass), vec(l.inertia), l.parent - e.base,
                           btQuaternion::getIdentity(), vec(l.joint) - parent_com, vec(l.com),
                           true);
    return;
  }
  e.body->setupRevolute(i - e.base, btScalar(l.mass), vec(l.inertia), l.parent - e.base,
                        btQuaternion::getIdentity(), vec(l.axis), vec(l.joint) - parent_com,
                        vec(l.com), true);
}

// Constraints are solved island by island, and islands are made of colliders: links without any
// would be left out.
void add_loops(Engine& e) {
  for (int i = 0; i < e.model.nlink && e.model.nloop > 0; i++) {
    e.colliders.emplace_back(new btMultiBodyLinkCollider(e.body.get(), i - e.base));
    e.colliders.back()->setCollisionShape(&e.nothing);
    e.body->getLink(i - e.base).m_collider = e.colliders.back().get();
    e.world.addCollisionObject(e.colliders.back().get(), 1, 0);
  }
  for (int i = 0; i < e.model.nloop; i++) {
    const bench_loop& l = e.model.loop[i];
    btVector3 pivot[2];
    for (int k = 0; k < 2; k++) {
      pivot[k] = vec(l.point[k]) - vec(e.model.link[l.link[k]].com);
    }
    e.loops.emplace_back(new btMultiBodyPoint2Point(e.body.get(), l.link[0] - e.base, e.body.get(),
                                                    l.link[1] - e.base, pivot[0], pivot[1]));
    e.loops.back()->setMaxAppliedImpulse(btScalar(1e12));
    e.world.addMultiBodyConstraint(e.loops.back().get());
  }
}

void* create(const bench_model* model) {
  Engine* e = new Engine;
  e->model = *model;
  e->base = model->free_base ? 1 : 0;
  const bench_link& first = model->link[0];
  const bool is_free = model->free_base;
  e->body.reset(new btMultiBody(model->nlink - e->base, is_free ? btScalar(first.mass) : 0,
                                is_free ? vec(first.inertia) : btVector3(0, 0, 0), !is_free,
                                false));
  for (int i = e->base; i < model->nlink; i++) {
    add_link(*e, i);
  }
  for (int i = 0; i < model->nlink; i++) {
    e->weight.push_back(vec(model->gravity) * btScalar(model->link[i].mass));
  }
  // The defaults damp the motion and clamp velocities.
  e->body->setLinearDamping(0);
  e->body->setAngularDamping(0);
  e->body->setMaxCoordinateVelocity(btScalar(1e12));
  e->body->setMaxAppliedImpulse(btScalar(1e12));
  e->body->finalizeMultiDof();
  e->start = is_free ? vec(first.joint) + vec(first.com) : btVector3(0, 0, 0);
  e->world.setGravity(vec(model->gravity));
  e->world.addMultiBody(e->body.get());
  add_loops(*e);
  return e;
}

void release(void* engine) {
  Engine& e = self(engine);
  for (auto& loop : e.loops) {
    e.world.removeMultiBodyConstraint(loop.get());
  }
  for (auto& collider : e.colliders) {
    e.world.removeCollisionObject(collider.get());
  }
  e.world.removeMultiBody(e.body.get());
  delete &e;
}

void load(void* engine, int slot, const bench_state* state) {
  Engine& e = self(engine);
  State& s = e.slot[slot];
  int first = e.base * 6;
  s.q.assign(state->q + first, state->q + e.model.nv);
  s.qd.assign(state->qd + first, state->qd + e.model.nv);
  s.tau.assign(state->tau + first, state->tau + e.model.nv);
}

void set_state(Engine& e, const State& s) {
  btMultiBody& body = *e.body;
  body.setBasePos(e.start);
  body.setWorldToBaseRot(btQuaternion::getIdentity());
  body.setBaseVel(btVector3(0, 0, 0));
  body.setBaseOmega(btVector3(0, 0, 0));
  for (int i = 0; i < body.getNumLinks(); i++) {
    if (e.model.link[i + e.base].ball) {
      const btScalar start[4] = {0, 0, 0, 1}, rest[3] = {0, 0, 0};
      body.setJointPosMultiDof(i, start);
      body.setJointVelMultiDof(i, rest);
      continue;
    }
    body.setJointPos(i, s.q[i]);
    body.setJointVel(i, s.qd[i]);
  }
}

void forward(void* engine, int slot) {
  Engine& e = self(engine);
  const State& s = e.slot[slot];
  btMultiBody& body = *e.body;
  set_state(e, s);
  body.clearForcesAndTorques();
  if (e.base) {
    body.addBaseForce(e.weight[0]);
  }
  for (int i = 0; i < body.getNumLinks(); i++) {
    body.addLinkForce(i, e.weight[i + e.base]);
    body.addJointTorque(i, s.tau[i]);
  }
  body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, e.scratch_r, e.scratch_v,
                                                            e.scratch_m, false, false, false);
}

// The accelerations come behind the degrees of freedom in the scratch array, base first.
void get_qdd(void* engine, double* qdd) {
  Engine& e = self(engine);
  const btScalar* out = &e.scratch_r[e.body->getNumDofs()] + (e.base ? 0 : 6);
  std::copy(out, out + e.model.nv, qdd);
}

bool start(void* engine, int slot, bench_method method, double h, double) {
  Engine& e = self(engine);
  e.springs = method == BENCH_STIFF || method == BENCH_LOOPS;
  if (method != BENCH_EULER && method != BENCH_RK4 && !e.springs) {
    return false;
  }
  e.body->useRK4Integration(method == BENCH_RK4);
  e.body->clearForcesAndTorques();
  set_state(e, e.slot[slot]);
  e.h = btScalar(h);
  return true;
}

// Springs and dampers are torques for the coming step: the body has no others.
void step(void* engine) {
  Engine& e = self(engine);
  for (int i = 0; e.springs && i < e.body->getNumLinks(); i++) {
    if (e.model.link[i + e.base].ball) { // the vector of the rotation, for small ones
      const btScalar *q = e.body->getJointPosMultiDof(i), *v = e.body->getJointVelMultiDof(i);
      btScalar torque[3];
      for (int k = 0; k < 3; k++) {
        torque[k] = btScalar(-2 * e.model.stiffness * q[k] - e.model.damping * v[k]);
      }
      e.body->addJointTorqueMultiDof(i, torque);
      continue;
    }
    e.body->addJointTorque(i, btScalar(-e.model.stiffness * e.body->getJointPos(i) -
                                       e.model.damping * e.body->getJointVel(i)));
  }
  e.world.stepSimulation(e.h, 0);
}

void get_state(void* engine, double* q, double* qd) {
  Engine& e = self(engine);
  std::fill(q, q + e.model.nv, 0);
  std::fill(qd, qd + e.model.nv, 0);
  for (int i = 0; i < e.body->getNumLinks(); i++) {
    q[i + 6 * e.base] = e.body->getJointPos(i);
    qd[i + 6 * e.base] = e.body->getJointVel(i);
  }
}

} // namespace

const bench_engine bench_bullet = {
    "bullet",  sizeof(btScalar) == 8 ? "Bullet, double precision" : "Bullet, single precision",
    create,    release,
    load,      forward,
    nullptr,   nullptr,
    step,      get_qdd,
    nullptr,   nullptr,
    get_state, start,
};
