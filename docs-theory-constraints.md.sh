set -e
limber simulate scenes/scissor.yaml --out out/scissor
