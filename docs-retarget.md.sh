set -e
limber retarget scenes/nodding-head.yaml --baseline --out out/quiet
limber view out/quiet
limber retarget scenes/nodding-head.yaml --perturb --out out/perturbed
limber replay scenes/nodding-head.yaml --from out/quiet
limber replay scenes/nodding-head.yaml --from out/quiet --full
