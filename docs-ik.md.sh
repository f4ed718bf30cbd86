set -e
limber ik character.yaml markers.csv --out out/pose
limber inverse character.yaml out/pose/trajectory.csv --cutoff 6 --out out/forces
