set -e
limber optimize scenes/throw.yaml --out out/throw
