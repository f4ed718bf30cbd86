set -e
limber fork scenes/ladder.yaml --out out/ladder
limber simulate scenes/wishbone.yaml --out out/wishbone          # two effectors
limber simulate scenes/wishbone.yaml --out out/whole --whole     # all 18 joints
