set -e
limber simulate scenes/double-pendulum.yaml --verbose
