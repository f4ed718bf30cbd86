# A reduced body in another program's hands: NumPy reads what Limber wrote and finds the same physics;
# Limber reads what NumPy wrote.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c "import numpy" 2>/dev/null; then
    python=$candidate
    break
  fi
done

cat >rod.yaml <<'YAML'
materials:
  spring: {density: 7850, young: 200 GPa, poisson: 0.3, damping: {mass: 0.1, stiffness: 5e-5 s}}
bodies:
  hub: {shape: {sphere: {radius: 2 cm}}}
  rod: {elastic: {rod: {radius: 3 mm, to: [0, 0, 40 cm]}, material: spring, elements: {along: 6, across: 1}}}
  weight: {mass: 50 g, shape: {sphere: {radius: 1 cm}}}
joints:
  motor: {type: revolute, child: hub, axis: y}
  clamp: {type: fixed, parent: hub, child: rod, face: start}
  end: {type: fixed, parent: rod, face: end, child: weight}
motors: {turn: {joint: motor, keys: [[0, 0], [0.1, 10 deg], [0.2, 0]]}}
duration: 0.3 s
record: {every: 5 ms}
solver: {step: 1 ms}
YAML
run "$LIMBER" reduce rod.yaml --out basis --keep --modes 9
claim "a scene reduces" exits 0
claim "... and says what came of it" prints "9 of "
claim "... beside modes of vibration" prints "modes of vibration and their derivatives"
claim "... with figures for programs" grep -q '"principal": {"basis"' basis/summary.json
run "$LIMBER" reduce rod.yaml --out again --from basis --modes 9 -q
claim "a run that was kept can be read" exits 0
claim "... and gives the same file to the byte" cmp basis/rod.npz again/rod.npz

run "$LIMBER" reduce rod.yaml --out again --from basis --duration 0.2
claim "a run that was kept has its own duration" exits 2
claim "... which is reported" complains "the full run there lasts 0.3 s, not 0.2 s"

# Ctrl-C in the middle of a full run; a background job listens to it only under job control
set -m
"$LIMBER" reduce rod.yaml --out stopped --keep --duration 10 --frames 2000 >stdout 2>stderr &
job=$!
set +m
until grep -q simulating stderr; do sleep 0.1; done
kill -INT $job
status=0
wait $job || status=$?
claim "an interrupted full run exits with 130" exits 130
claim "... and keeps what it has" complains "of the full run are kept in stopped"
claim "... in its file alone" test "$(ls -A stopped)" = full.npz
run "$LIMBER" reduce rod.yaml --out stopped --from stopped --modes 5 -q
claim "... from which bodies can be made" exits 0
claim "... and a summary" test -s stopped/summary.json

run "$LIMBER" simulate rod.yaml --basis basis --out run
claim "the scene runs with the file" exits 0
claim "... within its range" grep -q '"outside_range": null' run/summary.json
sed 's/material: spring,/material: spring, basis: {file: basis\/rod.npz},/' rod.yaml >named.yaml
run "$LIMBER" simulate named.yaml --out named -q
claim "a scene can name the file" exits 0
claim "... and moves the same to the byte" cmp run/trajectory.csv named/trajectory.csv
sed 's/10 deg/60 deg/' named.yaml >hard.yaml
run "$LIMBER" simulate hard.yaml --out hard -q
claim "a harder motion leaves the range" complains "warning: body 'rod' leaves the range that its basis was made for at t = "
claim "... and the summary says so" grep -q '"outside_range": {"body": "rod", "time": 0' hard/summary.json
sed 's/3 mm/2 mm/' rod.yaml >thin.yaml
run "$LIMBER" simulate thin.yaml --basis basis --out thin
claim "a file of another body is bad input" exits 2
claim "... and is reported with what differs" complains "thin.yaml:5:18: body 'rod' has radius 0.002, but in basis/rod.npz it is 0.003"
head -c 5000 basis/rod.npz >cut.npz
sed 's/basis\/rod.npz/cut.npz/' named.yaml >cut.yaml
run "$LIMBER" simulate cut.yaml --out cut
claim "half a file is bad input" exits 2
claim "... and is named" complains "cut.npz: it is not a .npz file"
run "$LIMBER" reduce "$LIMBER_SOURCE_DIR/scenes/pendulum.yaml" --out none
claim "a scene without elastic bodies has nothing to reduce" exits 2
run "$LIMBER" reduce rod.yaml --modes 0
claim "a basis of nothing is bad usage" exits 2

if [ -z "$python" ]; then
  echo "NumPy is not installed: its part is left out"
else
  run "$python" "$LIMBER_SOURCE_DIR/tests/solve/check_stored.py" basis/rod.npz run/trajectory.csv
  claim "NumPy finds the same physics in the file" exits 0
  "$python" - <<'PYTHON'
import numpy
z = dict(numpy.load("basis/rod.npz"))
numpy.savez("numpy.npz", **z)
numpy.savez_compressed("small.npz", **z)
numpy.savez("wrong.npz", **{**z, "M": z["M"][:-1]})
PYTHON
  for name in numpy small wrong; do
    sed "s/basis\/rod.npz/$name.npz/" named.yaml >"$name.yaml"
  done
  run "$LIMBER" simulate numpy.yaml --out numpy -q
  claim "what NumPy wrote is read" exits 0
  claim "... and moves the same to the byte" cmp run/trajectory.csv numpy/trajectory.csv
  run "$LIMBER" simulate small.yaml --out small -q
  claim "a compressed file is refused" complains "is compressed; save it with numpy.savez"
  run "$LIMBER" simulate wrong.yaml --out wrong -q
  claim "a wrong shape is reported" complains "array 'M' must be float64 of shape (9, 9), not float64 of shape (8, 9)"
fi
