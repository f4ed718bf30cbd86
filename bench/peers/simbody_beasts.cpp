// Simbody behind the interface of beasts: trees of pins, loops closed by its ball constraints, the
// crank by a prescribed motion, feet by Hunt and Crossley's contact. Its constraints are solved
// densely over a whole system, so that each beast has one of its own.
#include <Simbody.h>

#include <memory>
#include <vector>

#include "beasts.h"

namespace {

using namespace SimTK;

// Plane-strain stiffness, as of a hard rubber: a foot under 100 N sinks by half a millimetre.
const double STIFFNESS = 1e8, DISSIPATION = 1, ACCURACY = 1e-3;

Vec3 vec(const double v[3]) {
  return Vec3(v[0], v[1], v[2]);
}

Transform transform(const bench_pose& pose, double aside) {
  const double* q = pose.quaternion;
  return Transform(Rotation(Quaternion(Vec4(q[0], q[1], q[2], q[3]))),
                   vec(pose.position) + Vec3(0, aside, 0));
}

struct Beast {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  ContactTrackerSubsystem tracker{system};
  CompliantContactSubsystem contacts{system, tracker};
  Force::Gravity gravity;
  std::vector<MobilizedBody> bodies;
  std::unique_ptr<Integrator> integrator;

  explicit Beast(const bench_machine& m) : gravity(forces, matter, Vec3(0, 0, -m.gravity)) {}
};

struct Engine {
  std::vector<std::unique_ptr<Beast>> beasts;
  double h;
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

Body::Rigid body_of(const bench_machine& m, int part) {
  const bench_part& p = m.part[part];
  const double* I = p.inertia;
  Body::Rigid body(MassProperties(p.mass, Vec3(0), Inertia(I[0], I[1], I[2])));
  for (int i = 0; i < m.nfoot; i++) {
    const bench_foot& f = m.foot[i];
    if (f.part == part) {
      body.addContactSurface(
          Transform(vec(f.at)),
          ContactSurface(ContactGeometry::Sphere(f.radius),
                         ContactMaterial(STIFFNESS, DISSIPATION, m.friction, m.friction))
              .joinClique(ContactCliqueId(1))); // feet pass through each other
    }
  }
  return body;
}

void add_floor(Beast& b, const bench_machine& m) {
  b.matter.updGround().updBody().addContactSurface(
      Transform(Rotation(Pi / 2, YAxis)), // a half space lies at x > 0
      ContactSurface(ContactGeometry::HalfSpace(),
                     ContactMaterial(STIFFNESS, DISSIPATION, m.friction, m.friction)));
}

// A pin turns about the z axis of its frames, which coincide at the start.
void add_part(Beast& b, const bench_machine& m, int i) {
  const bench_pin& pin = m.pin[i];
  const Rotation own(UnitVec3(vec(pin.axis[1])), ZAxis);
  const Transform on_child(own, vec(pin.at[1]));
  const Transform on_parent =
      ~transform(m.part[pin.part[0]].start, 0) * transform(m.part[pin.part[1]].start, 0) * on_child;
  MobilizedBody::Pin body(b.bodies[pin.part[0]], on_parent, body_of(m, pin.part[1]), on_child);
  if (i == m.motor) {
    Motion::Steady(body, m.speed);
  }
  b.bodies[pin.part[1]] = body;
}

void make_system(Beast& b, const bench_machine& m) {
  add_floor(b, m);
  b.bodies.resize(m.npart);
  b.bodies[0] = MobilizedBody::Free(b.matter.updGround(), Transform(), body_of(m, 0), Transform());
  for (int i = 0; i < m.npin; i++) {
    const bench_pin& pin = m.pin[i];
    if (pin.loop) {
      Constraint::Ball(b.bodies[pin.part[0]], vec(pin.at[0]), b.bodies[pin.part[1]],
                       vec(pin.at[1]));
    } else {
      add_part(b, m, i);
    }
  }
}

State start_of(Beast& b, const bench_machine& m, double aside) {
  State state = b.system.realizeTopology();
  b.system.realizeModel(state);
  b.bodies[0].setQToFitTransform(state, transform(m.part[0].start, aside));
  b.system.realize(state, Stage::Position);
  b.bodies[0].setUToFitVelocity(state, SpatialVec(vec(m.part[0].spin), vec(m.part[0].velocity)));
  for (int i = 0; i < m.npin && !m.pin[i].loop; i++) {
    const bench_part &p = m.part[m.pin[i].part[0]], &c = m.part[m.pin[i].part[1]];
    const Vec3 axis = transform(c.start, 0).R() * vec(m.pin[i].axis[1]);
    b.bodies[m.pin[i].part[1]].setOneU(state, 0, dot(axis, vec(c.spin) - vec(p.spin)));
  }
  return state;
}

void* create(const bench_machine* m) {
  Engine* e = new Engine;
  e->h = m->h;
  for (int k = 0; k < m->copies; k++) {
    Beast* b = new Beast(*m);
    e->beasts.emplace_back(b);
    make_system(*b, *m);
    b->integrator.reset(new SemiExplicitEuler2Integrator(b->system));
    b->integrator->setAccuracy(ACCURACY);
    b->integrator->initialize(start_of(*b, *m, k * m->apart));
  }
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

bool step(void* engine) {
  Engine& e = self(engine);
  for (auto& b : e.beasts) {
    b->integrator->stepTo(b->integrator->getTime() + e.h);
  }
  return true;
}

void get(void* engine, int copy, int part, bench_pose* pose) {
  Beast& b = *self(engine).beasts[copy];
  const State& state = b.integrator->getState();
  b.system.realize(state, Stage::Position);
  const Transform X = b.bodies[part].getBodyTransform(state);
  const Quaternion q = X.R().convertRotationToQuaternion();
  *pose = {{X.p()[0], X.p()[1], X.p()[2]}, {q[0], q[1], q[2], q[3]}};
}

} // namespace

const bench_beast_engine bench_simbody_beasts = {
    "simbody", "Simbody, trees with ball constraints, Hunt-Crossley feet, error-controlled Euler",
    create,    release,
    step,      get};
