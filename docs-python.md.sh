set -e
python3 - <<'END'
import limber
import numpy as np

scene = """
bodies:
  cart: {shape: {box: [20 cm, 10 cm, 10 cm]}, mass: 1}
  pole: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 50 cm]}}, mass: 100 g}
joints:
  rail: {type: prismatic, child: cart, axis: x}
  pivot: {type: revolute, parent: cart, child: pole, axis: y}
motors:
  push: {joint: rail, drive: force, keys: [[0, 0]]} # the controller says how much
markers:
  tip: {body: pole, at: [0, 0, 50 cm]}
initial:
  pivot: {position: 5 deg}
"""
world = limber.World.from_text(scene, "pole.yaml")
print(world)
print(list(world.joints), list(world.motors), world.q)
END
python3 - <<'END'
light = limber.World.from_text(scene, set={"bodies.pole.mass": "50 g", "initial.pivot.position": 0.1})
print(light.q)
END
python3 - <<'END'
rail, pivot = world.joints["rail"], world.joints["pivot"]
push, pole = world.motors["push"], world.bodies["pole"]

def control():
    return 2 * rail.q[0] + 4 * rail.qd[0] + 40 * pivot.q[0] + 8 * pivot.qd[0]

for i in range(5000):
    push.set(control())
    world.step(1e-3)
print(f"{world.time:.1f} s: pole at {np.degrees(pivot.q[0]):.2f} deg")
END
python3 - <<'END'
q, tip = world.q, world.points["tip"].position
before = q.copy()
pole.push((2, 0, 0), at=(0, 0, 0.5))  # [N] in the world, during the coming step
world.step(1e-3, count=100)
print(q is world.q, np.array_equal(q, before), np.shares_memory(q, pivot.q))
print(f"tip at x = {tip[0]:.3f} m")
END
python3 - <<'END'
pivot.tau[:] = 0.05
world.step(1e-3)
pivot.tau[:] = 0
END
python3 - <<'END'
state = world.save()
world.step(1e-3, count=200)
end = q.copy()
world.restore(state)
world.step(1e-3, count=200)
print(np.array_equal(q, end))

J = pole.jacobian(at=(0, 0, 0.5))  # J @ qd: angular velocity, then the velocity of the point
print(J.shape, np.allclose(J[:3] @ world.qd, pole.angular_velocity))
END
python3 - <<'END'
block = limber.World.from_text("""
contacts: {}
scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true}]
bodies: {block: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 5 cm]}}
""")
block.step(count=100)
touching = block.contacts
print(len(touching), touching.bodies[0], touching.forces.sum(axis=0).round(3) + 0)
print(block.ray([0, 0, 1], [0, 0, -1]).body, round(block.distance("block", None), 6) + 0)
END
python3 - <<'END'
swing = limber.simulate(text=scene, duration=2.0)
print(swing.time.shape, swing.q.shape, swing.positions.shape)
print(f"the cart moves by {np.ptp(swing.position('cart')[:, 0]):.3f} m")
print("forces:", list(swing.forces))
print("energy is kept:", np.ptp(swing.kinetic + swing.potential) < 1e-9)
END
python3 - <<'END'
half = limber.simulate(text=scene, duration=2.0, progress=lambda done, what: done < 0.5)
print(half.summary["interrupted"], f"{half.time[-1]:.1f} s")
END
python3 - <<'END'
cart = """
gravity: [0, 0, 0]
duration: 1
solver: {integrator: bdf2, step: 2 ms}
bodies: {cart: {mass: 1 kg, inertia: [1, 1, 1]}, load: {mass: 0.5 kg, inertia: [1, 1, 1]}}
joints:
  track: {type: prismatic, child: cart, axis: x}
  spring: {type: prismatic, parent: cart, child: load, axis: x, spring: {stiffness: 80}}
motors: {drive: {joint: track, keys: [[0.1, 0], [0.4, 50 cm]]}}
retarget: {bodies: {load: {position: 1}}}
"""
calm = limber.retarget(text=cart)
print("a twentieth of the deviation, or less:", 20 * calm.now["peak"] < calm.was["peak"])
curve = calm.curve("drive", np.linspace(0, 1, 1001))  # value, velocity and acceleration at 1 kHz
print(curve.shape, calm.after.positions.shape)
END
python3 - <<'END'
throw = limber.optimize("scenes/throw.yaml")
print(list(throw.parameters), throw.parameters["throw"].round(2))
END
python3 - <<'END'
arm = """
gravity: [0, 0, 0]
solver: {integrator: bdf2, step: 2 ms}
bodies:
  upper: {mass: 100 g, shape: {box: [30 cm, 2 cm, 2 cm], position: [15 cm, 0, 0]}}
  lower: {mass: 100 g, shape: {box: [30 cm, 2 cm, 2 cm], position: [15 cm, 0, 0]}}
joints:
  shoulder: {type: revolute, child: upper, axis: y, at: {rotation: {axis: y, angle: -60 deg}},
             spring: {stiffness: 10}, damping: 0.2}
  elbow: {type: revolute, parent: upper, child: lower, axis: y, spring: {stiffness: 10}, damping: 0.2,
          at: {position: [0.3, 0, 0], rotation: {axis: y, angle: 120 deg}}}
markers: {hand: {body: lower, at: [0.3, 0, 0]}}
fork: {arm: {effectors: [hand], models: [{loads: {hand: [0, 0, 0]}}]}}
"""
mouse = np.array([0.8, 0, 0.2])

def pull(world, seconds):
    hand, lower = world.points["hand"], world.bodies["lower"]
    for i in range(int(seconds / 2e-3)):
        force = 60 * (mouse - hand.position)
        lower.push(force, at=[0.3, 0, 0])
        world.step(2e-3)
    print("hand at", hand.position.round(3) + 0.0, "under", force.round(2) + 0.0, "N")
    return force

pull(limber.World.from_text(arm), 3)                                               # reduced, at rest
force = pull(limber.World.from_text(arm, set={"fork.arm.simulate": "whole"}), 3)  # the truth
there = {"fork.arm.models.0.loads.hand": "[" + ", ".join(f"{f:.12g}" for f in force) + "]"}
pull(limber.World.from_text(arm, set=there), 3)                                    # reduced there
END
python3 - <<'END'
import tempfile

with tempfile.TemporaryDirectory() as folder:
    limber.simulate("scenes/robot-arm.yaml", duration=0.5, out=folder)
    need = limber.inverse("scenes/robot-arm.yaml", folder + "/trajectory.csv")
print(need.torques.shape, f"{np.abs(need.torques).max():.1f} N m at most")

swings = limber.sweep("scenes/pendulum.yaml", {"initial.pivot.position": "10deg:90deg:3"}, duration=0.5)
print(swings.table["outcome"], swings.table["energy_end"].round(1))
END
python3 - <<'END'
try:
    limber.World.from_text("bodies:\n  arm: {mas: 1}\n", "arm.yaml")
except limber.Error as error:
    print(error)
try:
    world.joints["pivt"]
except limber.Error as error:
    print(error.messages[0].text)
END
