# limber muscle train: a network by the command line, the same bytes for any threads, kept when it
# is interrupted, used in a scene; out of its range is said.
tiny="--layers 2 --width 8 --samples 500 --epochs 6"

run "$LIMBER" muscle train $tiny --out one
claim "a network is trained" exits 0
claim "its size is told" prints "2 layers of 8, 130 weights, 6 epochs of 500 samples"
claim "its error is told" prints "of the size of the path, rms"
claim "its file is named" prints "one/network.npz"
run "$LIMBER" muscle train $tiny --out two --threads 2 --quiet
claim "threads make no difference" cmp -s one/network.npz two/network.npz
claim "quiet is quiet" [ ! -s stdout ]
run "$LIMBER" muscle train $tiny --seed 2 --out three --quiet
claim "another seed makes one" [ "$(cmp -s one/network.npz three/network.npz; echo $?)" = 1 ]

run "$LIMBER" muscle train --form points --layers 2 --width 8 --samples 300 --epochs 2 --out points
claim "the document's form is trained" exits 0
claim "its range is told" prints "a radius of 0.01 to 0.2 m, points within 1 m along each axis"

# Ctrl-C keeps the best, and --resume goes on
"$LIMBER" muscle train --layers 2 --width 8 --samples 2000 --epochs 100000 --out long --quiet &
pid=$!
sleep 2
kill -INT $pid
status=0
wait $pid || status=$?
claim "an interrupted training says so" exits 130
claim "the best so far is there" [ -s long/network.npz ]
claim "what it needs to go on is there" [ -s long/network.state ]
run "$LIMBER" muscle train --layers 3 --width 8 --samples 2000 --epochs 100000 --out long --resume
claim "another training does not go on from it" exits 2
claim "and says why" complains "other options"

# mistakes
run "$LIMBER" muscle train --form spheres
claim "forms are known" complains "scaled or points"
run "$LIMBER" muscle train $tiny --device abacus --out bad
claim "devices are known" complains "device 'abacus' is not known"

# in a scene
scene() {
  cat <<END
duration: 0.1 s
solver: {integrator: rk4, step: 2 ms}
bodies: {arm: {mass: 1, center: [0, 0, -0.2], inertia: [0.1, 0.1, 0.1]}}
joints: {hinge: {type: revolute, child: arm, axis: y}}
wraps: {round: {cylinder: {radius: $2}, rotation: [90 deg, 0, 0], side: -x, network: $1/network.npz}}
muscles:
  cord: {through: [{at: [-30 cm, 0, $3]}, {wrap: round}, {body: arm, at: [-26 cm, 0, -40 cm]}], mass: {amount: 0.5$4}}
END
}
scene one "5 m" "40 cm" ", points: 10" >any.yaml
run "$LIMBER" simulate any.yaml
claim "the scaled form has no range" content
scene points "15 cm" "40 cm" ", points: 10" >inside.yaml
run "$LIMBER" simulate inside.yaml
claim "inside its range nothing is said" content
scene points "25 cm" "40 cm" ", points: 10" >radius.yaml
run "$LIMBER" simulate radius.yaml
claim "a scene out of range is run" exits 0
claim "a radius out of range is said" complains "radius.yaml:7:3: muscle 'cord' runs over a wrap whose network was trained for a radius of 0.01 to 0.2 m"
scene points "15 cm" "120 cm" ", points: 10" >far.yaml
run "$LIMBER" simulate far.yaml
claim "a point out of range is said" complains "points within 1 m"
scene points "15 cm" "40 cm" "" >whole.yaml
run "$LIMBER" simulate whole.yaml
claim "a continuum is refused" complains "has mass and runs over a wrap with a 'network'"
