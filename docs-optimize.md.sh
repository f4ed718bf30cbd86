set -e
limber optimize scenes/throw.yaml --out out/throw
limber simulate scenes/throw.yaml --parameters out/throw/parameters.csv --out out/thrown
limber optimize scenes/crane.yaml --out out/crane
limber optimize scenes/four-bar-designed.yaml --out out/leg
limber optimize scenes/walker-designed.yaml --out out/walker
