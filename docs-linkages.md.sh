set -e
limber simulate scenes/jansen.yaml --duration 2
limber check --linkage scenes/jansen.yaml
limber optimize scenes/four-bar-designed.yaml --out out/leg
limber simulate scenes/four-bar-designed.yaml --parameters out/leg/parameters.csv --out out/walk
