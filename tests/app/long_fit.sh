# The example of docs/fit.md: planted numbers come back to one per cent from a marker with a millimetre of noise.
scene=$LIMBER_SOURCE_DIR/scenes/rod.yaml
run "$LIMBER" fit "$scene" "$LIMBER_SOURCE_DIR/scenes/measured/rod.csv" --out found --threads 2
claim "it succeeds" exits 0
claim "all is determined" prints "3 of 3 numbers determined"
value() { sed -n "s/.*\"number\": \"$1\".*\"value\": \([-+.0-9eE]*\),.*/\1/p" found/summary.json; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }'; }
claim "Young's modulus is 187 GPa" near "$(value young)" 187e9
claim "damping by mass is 0.22/s" near "$(value 'damping mass')" 0.22
claim "damping by stiffness is 110 us" near "$(value 'damping stiffness')" 1.1e-4
