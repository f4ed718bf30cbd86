set -e
limber check scenes/pendulum.yaml
limber simulate scenes/pendulum.yaml
