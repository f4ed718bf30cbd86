// Simbody behind the benchmark's interface.
#include <Simbody.h>

#include <memory>
#include <vector>

#include "engine.h"

namespace {

using namespace SimTK;

Vec3 vec(const double v[3]) {
  return Vec3(v[0], v[1], v[2]);
}

struct Slot {
  Vector q, u, tau, udot;
};

struct Engine {
  bench_model model;
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity;
  Force::DiscreteForces applied{forces, matter};
  State state;
  Slot slot[BENCH_SLOTS];
  Vector zero, residual;
  Matrix M;
  std::vector<int> order_q, order_u; // place of each degree of freedom of ours
  std::unique_ptr<Integrator> integrator;
  double h = 0;

  explicit Engine(const bench_model& m) : model(m), gravity(forces, matter, vec(m.gravity)) {}
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

MobilizedBody add_link(MobilizedBody& parent, const bench_link& l, bool is_free) {
  Vec3 com = vec(l.com);
  Inertia central(l.inertia[0], l.inertia[1], l.inertia[2]);
  Body::Rigid body(MassProperties(l.mass, com, central.shiftFromMassCenter(com, l.mass)));
  if (is_free) {
    return MobilizedBody::Free(parent, Transform(vec(l.joint)), body, Transform());
  }
  // A pin turns about the z axis of its frames.
  Rotation R(UnitVec3(vec(l.axis)), ZAxis);
  return MobilizedBody::Pin(parent, Transform(R, vec(l.joint)), body, Transform(R));
}

void add_spring(Engine& e, const MobilizedBody& body) {
  if (e.model.stiffness > 0) {
    Force::MobilityLinearSpring(e.forces, body, MobilizerQIndex(0), e.model.stiffness, 0);
    Force::MobilityLinearDamper(e.forces, body, MobilizerUIndex(0), e.model.damping);
  }
}

void* create(const bench_model* model) {
  Engine* e = new Engine(*model);
  std::vector<MobilizedBody> bodies;
  for (int i = 0; i < model->nlink; i++) {
    const bench_link& l = model->link[i];
    MobilizedBody& parent = l.parent < 0 ? e->matter.updGround() : bodies[l.parent];
    bodies.push_back(add_link(parent, l, model->free_base && i == 0));
    add_spring(*e, bodies.back());
  }
  for (int i = 0; i < model->nloop; i++) {
    const bench_loop& l = model->loop[i];
    Constraint::Ball(bodies[l.link[0]], vec(l.point[0]), bodies[l.link[1]], vec(l.point[1]));
  }
  e->state = e->system.realizeTopology();
  e->system.realizeModel(e->state);
  for (int i = 0; i < model->nlink; i++) {
    int nu = bodies[i].getNumU(e->state);
    for (int k = 0; k < nu; k++) {
      e->order_u.push_back(int(bodies[i].getFirstUIndex(e->state)) + k);
      e->order_q.push_back(nu == 1 ? int(bodies[i].getFirstQIndex(e->state)) : -1);
    }
  }
  e->zero = Vector(model->nv, 0.0);
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

Vector ordered(const Engine& e, const double* v) {
  Vector r(e.model.nv);
  for (int i = 0; i < e.model.nv; i++) {
    r[e.order_u[i]] = v[i];
  }
  return r;
}

void unordered(const Engine& e, const Vector& v, double* out) {
  for (int i = 0; i < e.model.nv; i++) {
    out[i] = v[e.order_u[i]];
  }
}

void load(void* engine, int slot, const bench_state* state) {
  Engine& e = self(engine);
  Vector q = e.system.getDefaultState().getQ();
  for (int i = 0; i < e.model.nv; i++) {
    if (e.order_q[i] >= 0) {
      q[e.order_q[i]] = state->q[i];
    }
  }
  e.slot[slot] = {q, ordered(e, state->qd), ordered(e, state->tau), ordered(e, state->qdd)};
}

void forward(void* engine, int slot) {
  Engine& e = self(engine);
  const Slot& s = e.slot[slot];
  e.state.updQ() = s.q;
  e.state.updU() = s.u;
  e.applied.setAllMobilityForces(e.state, s.tau);
  e.system.realize(e.state, Stage::Acceleration);
}

void inverse(void* engine, int slot) {
  Engine& e = self(engine);
  const Slot& s = e.slot[slot];
  e.state.updQ() = s.q;
  e.state.updU() = s.u;
  e.system.realize(e.state, Stage::Velocity);
  e.matter.calcResidualForceIgnoringConstraints(e.state, e.zero, e.gravity.getBodyForces(e.state),
                                                s.udot, e.residual);
}

void mass(void* engine, int slot) {
  Engine& e = self(engine);
  e.state.updQ() = e.slot[slot].q;
  e.system.realize(e.state, Stage::Position);
  e.matter.calcM(e.state, e.M);
}

void get_qdd(void* engine, double* qdd) {
  Engine& e = self(engine);
  unordered(e, e.state.getUDot(), qdd);
}

void get_tau(void* engine, double* tau) {
  Engine& e = self(engine);
  unordered(e, e.residual, tau);
}

void get_mass(void* engine, double* M) {
  Engine& e = self(engine);
  for (int i = 0; i < e.model.nv; i++) {
    for (int j = 0; j < e.model.nv; j++) {
      M[i * e.model.nv + j] = e.M(e.order_u[i], e.order_u[j]);
    }
  }
}

// Merson's method has order four and five evaluations a step.
Integrator* make_integrator(const MultibodySystem& system, bench_method method, double h,
                            double tolerance) {
  if (method == BENCH_EULER || method == BENCH_LOOPS) {
    return new SemiExplicitEulerIntegrator(system, h);
  }
  Integrator* merson = new RungeKuttaMersonIntegrator(system);
  if (method == BENCH_RK4) {
    merson->setFixedStepSize(h);
  } else {
    merson->setAccuracy(tolerance);
  }
  return merson;
}

bool start(void* engine, int slot, bench_method method, double h, double tolerance) {
  Engine& e = self(engine);
  if (method == BENCH_RK8 || method == BENCH_STIFF) {
    return false;
  }
  State state = e.system.getDefaultState();
  state.setTime(0);
  state.updQ() = e.slot[slot].q;
  state.updU() = e.slot[slot].u;
  e.integrator.reset(make_integrator(e.system, method, h, tolerance));
  e.integrator->initialize(state);
  e.h = h;
  return true;
}

void step(void* engine) {
  Engine& e = self(engine);
  e.integrator->stepTo(e.integrator->getTime() + e.h);
}

void get_state(void* engine, double* q, double* qd) {
  Engine& e = self(engine);
  const State& state = e.integrator->getState();
  unordered(e, state.getU(), qd);
  for (int i = 0; i < e.model.nv; i++) {
    q[i] = e.order_q[i] >= 0 ? state.getQ()[e.order_q[i]] : 0;
  }
}

} // namespace

const bench_engine bench_simbody = {
    "simbody", "Simbody, double precision",
    create,    release,
    load,      forward,
    inverse,   mass,
    step,      get_qdd,
    get_tau,   get_mass,
    get_state, start,
};
