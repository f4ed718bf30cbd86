"""What beside.c does: the numbers must be the same to the last bit."""
import sys

import numpy as np

import limber

w = limber.World.open(sys.argv[1])
first = next(iter(w.bodies.values()))
motor = next(iter(w.motors.values()), None)
for i in range(300):
    first.push((0.1 * i, 0, 1), (0, 0.01, 0))
    if motor and i > 100:
        motor.set(1e-4 * i)
    w.step(1e-3)
parts = [w.q, w.qd, np.hstack([w.rotations, w.positions]),
         np.hstack([w.angular_velocities, w.velocities]), w.motor_forces,
         np.hstack([w.reaction_forces, w.reaction_moments])]
for x in np.concatenate([p.reshape(-1) for p in parts]):
    print(x.hex())
