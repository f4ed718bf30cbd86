set -e
limber simulate scenes/double-pendulum.yaml --out out/default
limber simulate scenes/double-pendulum.yaml --set solver.integrator=rk8 --out out/rk8
