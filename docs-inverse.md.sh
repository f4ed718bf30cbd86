set -e
limber simulate scenes/robot-arm.yaml --out out/arm
limber inverse scenes/robot-arm.yaml out/arm/trajectory.csv --out out/forces
