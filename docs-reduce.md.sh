set -e
limber reduce scenes/nodding-head.yaml --duration 1 --out out/basis
limber simulate scenes/nodding-head.yaml --basis out/basis
