set -e
limber simulate scenes/umbrella.yaml --duration 1 --out out/umbrella
