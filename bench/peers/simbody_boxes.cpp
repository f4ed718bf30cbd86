// Simbody behind the interface of boxes. It has no pairs of bricks: boxes are meshes on an elastic
// foundation with Hunt and Crossley's dissipation, and an integrator that chooses its steps makes
// one of the bench's.
#include <Simbody.h>

#include <memory>
#include <vector>

#include "boxes.h"

namespace {

using namespace SimTK;

// A foundation of 2.5e7 Pa/m: ten boxes on one face of 0.2 m sink by 0.1 mm.
const double STIFFNESS = 2.5e7, DISSIPATION = 10, ACCURACY = 1e-3;
const int RESOLUTION = 2; // three by three squares on a face

struct Engine {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  ContactTrackerSubsystem tracker{system};
  CompliantContactSubsystem contacts{system, tracker};
  Force::Gravity gravity;
  std::vector<MobilizedBody::Free> bodies;
  std::unique_ptr<Integrator> integrator;
  double h;

  explicit Engine(const bench_boxes& b) : gravity(forces, matter, Vec3(0, 0, -b.gravity)), h(b.h) {}
};

Engine& self(void* engine) {
  return *static_cast<Engine*>(engine);
}

// Two equal surfaces in series are half as stiff as one.
ContactMaterial material_of(const bench_boxes& b) {
  return ContactMaterial(2 * STIFFNESS, DISSIPATION, b.friction, b.friction);
}

void add_floor(Engine& e, const bench_boxes& b) {
  const Rotation up(Pi / 2, YAxis); // a half space lies at x > 0
  e.matter.updGround().updBody().addContactSurface(
      Transform(up), ContactSurface(ContactGeometry::HalfSpace(), material_of(b)));
}

void add_boxes(Engine& e, const bench_boxes& b) {
  const Vec3 half(b.size[0] / 2, b.size[1] / 2, b.size[2] / 2);
  Body::Rigid body(MassProperties(b.mass, Vec3(0), b.mass * UnitInertia::brick(half)));
  body.addContactSurface(
      Transform(), ContactSurface(ContactGeometry::TriangleMesh(
                                      PolygonalMesh::createBrickMesh(half, RESOLUTION)),
                                  material_of(b), 1)); // thickness that the stiffness is over [m]
  for (int i = 0; i < b.n; i++) {
    e.bodies.emplace_back(e.matter.updGround(), Transform(), body, Transform());
  }
}

State start_of(Engine& e, const bench_boxes& b) {
  State state = e.system.realizeTopology();
  e.system.realizeModel(state);
  for (int i = 0; i < b.n; i++) {
    const double *p = b.box[i].position, *q = b.box[i].quaternion;
    const Rotation R(Quaternion(Vec4(q[0], q[1], q[2], q[3])));
    e.bodies[i].setQToFitTransform(state, Transform(R, Vec3(p[0], p[1], p[2])));
  }
  return state;
}

void* create(const bench_boxes* b) {
  Engine* e = new Engine(*b);
  add_floor(*e, *b);
  add_boxes(*e, *b);
  e->integrator.reset(new SemiExplicitEuler2Integrator(e->system));
  e->integrator->setAccuracy(ACCURACY);
  e->integrator->initialize(start_of(*e, *b));
  return e;
}

void release(void* engine) {
  delete &self(engine);
}

void step(void* engine) {
  Engine& e = self(engine);
  e.integrator->stepTo(e.integrator->getTime() + e.h);
}

void get(void* engine, int i, bench_box* box) {
  Engine& e = self(engine);
  const State& state = e.integrator->getState();
  e.system.realize(state, Stage::Position);
  const Transform X = e.bodies[i].getBodyTransform(state);
  const Quaternion q = X.R().convertRotationToQuaternion();
  *box = {{X.p()[0], X.p()[1], X.p()[2]}, {q[0], q[1], q[2], q[3]}};
}

} // namespace

const bench_contact_engine bench_simbody_boxes = {
    "simbody", "Simbody, elastic foundation, error-controlled Euler", create, release, step, get};
