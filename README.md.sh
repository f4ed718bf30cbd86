set -e
make demo    # installs what is missing, builds, takes the shaking out of a motion (two minutes), says where the results are
make test    # installs what is missing, builds, runs all tests
python3 - <<'END'
import limber

world = limber.World.open("pendulum.yaml")
lower = world.bodies["lower"]
for _ in range(10):
    world.step(1e-3, count=100)
    x, y, z = lower.position
    print(f"{world.time:.1f} s: {lower.name} at ({x:.3f}, {y:.3f}, {z:.3f}) m")
END
