set -e
limber simulate scenes/rod.yaml --full --duration 0.02 --out out/all
