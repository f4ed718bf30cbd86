set -e
limber fork scenes/wishbone.yaml --out out/wishbone
