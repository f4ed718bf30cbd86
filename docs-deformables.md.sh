set -e
limber simulate scenes/umbrella.yaml --duration 1   # ropes
limber simulate scenes/starfish.yaml --duration 1   # a deformable around bones
