# `limber simulate` writes what it promises, the same bytes every time.
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml
files="summary.json trajectory.csv scene.glb report.html"
run "$LIMBER" simulate "$scene" --out new/deep/folder --duration 1
claim "it succeeds" exits 0
claim "it has nothing to complain about" content
for file in $files; do
  claim "it writes $file" test -s "new/deep/folder/$file"
  claim "it says where $file is" prints "new/deep/folder/$file"
done
claim "it leaves nothing else behind" test "$(ls -A new/deep/folder | wc -l)" -eq 4
claim "the last row is the end" grep -q '^1,' <(tail -1 new/deep/folder/trajectory.csv)

run "$LIMBER" simulate "$scene" --duration 0.1 -q
claim "without --out it still runs" exits 0
claim "quiet is quiet" silent
claim "... and writes to out/ and the scene's name" test -s out/double-pendulum/summary.json

# Times may have units, as in scenes.
run "$LIMBER" simulate "$scene" --duration 200ms --step "2 ms" -q --out units
claim "times may have units" exits 0
claim "... of duration" grep -q '^0.2,' <(tail -1 units/trajectory.csv)
claim "... and step" grep -q '"step": *0.002' units/summary.json

# Identical bytes: twice, and for 1, 2 and 4 threads, for scenes of one tree and of many.
{
  echo "bodies:"
  for i in 1 2 3 4 5 6 7; do
    echo "  b$i: {shape: {box: [0.1, 0.2, 0.3]}, position: [$i, 0, 0]}"
  done
  echo "initial:"
  for i in 1 2 3 4 5 6 7; do
    echo "  b$i: {spin: [0.$i, 10, 0.01]}"
  done
} >many-trees.yaml
for file in many-trees.yaml "$LIMBER_SOURCE_DIR"/scenes/*.yaml; do
  grep -q '^include: dancer' "$file" && continue # the same world again
  name=$(basename "$file" .yaml)
  again="once 1 2 4"
  if grep -qE 'elastic:|parts/figure' "$file"; then
    # making such a model takes seconds, and minutes under the sanitizers
    [ -n "${LIMBER_SANITIZED:-}" ] && [ "$name" != rod ] && continue
    [ "$name" = rod ] && again="1 2 4" || again="2"
  fi
  "$LIMBER" simulate "$file" -q --out "$name-first" --duration 0.1
  for threads in $again; do
    "$LIMBER" simulate "$file" -q --out "$name-$threads" --duration 0.1 --threads "${threads/once/1}"
    claim "$name again ($threads) gives the same bytes" \
      cmp "$name-first/trajectory.csv" "$name-$threads/trajectory.csv"
  done
done

# An elastic body that is turned inside out is reported, with where and when.
cat >squashed.yaml <<'Y'
materials: {jelly: {density: 1000, young: 20 kPa, poisson: 0.4, damping: {mass: 50}}}
bodies: {rod: {elastic: {rod: {radius: 1 cm, to: [0, 0, 0.05]}, material: jelly, elements: {along: 4, across: 1}, basis: {modes: 2}}}}
joints: {floor: {type: fixed, child: rod, face: start}}
loads: {press: {body: rod, face: end, force: [0, 0, -20], keys: [[0, 0], [0.05, 1]]}}
duration: 0.1
record: {every: 5 ms}
solver: {step: 0.5 ms}
Y
run "$LIMBER" simulate squashed.yaml -q --out squashed
claim "a body turned inside out is survived" exits 0
claim "... and reported with body and time" complains "warning: elastic body 'rod' is turned inside out at t = "
claim "... and kept" grep -q '"inverted": {"body": "rod", "time": 0' squashed/summary.json

# A spline without limits that is run off.
cat >off.yaml <<'Y'
bodies: {b: {shape: {box: [0.1, 0.1, 0.1]}}}
joints: {rail: {type: spline-curve, child: b, frames: [[0, 0, 0], [0.1, 0, 0], [0.2, 0, -0.1], [0.3, 0, -0.3]]}}
initial: {rail: {position: 0.5, velocity: 1}}
duration: 1
Y
run "$LIMBER" simulate off.yaml -q --out off
claim "a spline that is run off is survived" exits 0
claim "... and reported with joint and time" complains "warning: joint 'rail' runs off its spline at t = 0."
claim "... once" test "$(grep -c "runs off" stderr)" -eq 1
claim "... and what to do" complains "give it 'limits'"
claim "... and kept" grep -q '"left_splines": \[{"joint": "rail", "coordinate": 0, "time": 0' off/summary.json

# Bad input is reported before any work is done.
run "$LIMBER" simulate missing.yaml --out x
claim "a missing scene is bad input" exits 2
claim "... and is named" complains "error: missing.yaml"
claim "... and no folder is made" test ! -e x
run "$LIMBER" simulate . --out x
claim "a folder as a scene is bad input" exits 2
echo "a file" >file
for out in file file/x /proc/limber /dev/null/x; do
  run "$LIMBER" simulate "$scene" --out "$out" --duration 1e6
  claim "results cannot go to $out" exits 2
  claim "... and it says so" complains "error: ${out%/x}: "
done
claim "the file in the way is untouched" grep -qx "a file" file

# a longer run than the scene's own looks at what is prescribed until then
cat >spin.yaml <<'Y'
bodies: {wheel: {shape: {box: [1, 1, 0.1]}}, box: {shape: {box: [1, 1, 1]}}}
joints: {shaft: {type: revolute, child: wheel, axis: z}, glide: {type: planar, child: box}}
motors: {drive: {joint: shaft, keys: [[0, 0], [0.1, 1]], ease: linear}}
constraints: {pull: {couple: [{joint: glide}], path: {keys: [[0, 0], [0.2, 1]], ease: linear}}}
duration: 0.1
Y
run "$LIMBER" simulate spin.yaml --out spin -q
claim "a motor that moves until the end" exits 0
run "$LIMBER" simulate spin.yaml --out spin -q --duration 0.15
claim "... and no longer" exits 2
claim "... is reported with its place" complains "spin.yaml:3:10: motor 'drive' jumps at t = 0.1 s, which no force can follow"
claim "... and until when it goes" complains "(the scene itself ends at 0.1 s)"
sed -i 's/keys: \[\[0, 0\], \[0.1, 1\]\]/keys: [[0, 0], [0.3, 1]]/' spin.yaml
run "$LIMBER" simulate spin.yaml --out spin -q --duration 0.15
claim "one that goes on is run" exits 0
run "$LIMBER" simulate spin.yaml --out spin -q --duration 0.25
claim "... until a path ends" complains "spin.yaml:4:15: the path of constraint 'pull' jumps at t = 0.2 s"

# A smaller step is recommended where it helps.
cat >huge.yaml <<'Y'
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {type: revolute, child: a, axis: y, spring: {stiffness: 1e300, rest: 1e10}}}
Y
run "$LIMBER" simulate huge.yaml --out huge
claim "numbers beyond all units fail" exits 1
claim "... and nobody is told to take smaller steps" eval '! complains "take a smaller step"'
claim "... but to look at the units" complains "check the units of masses, stiffnesses and lengths"

# --- power of motors: what they drive with and what they brake with ---

cat >flywheel.yaml <<'Y'
duration: 1 s
gravity: [0, 0, 0]
bodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}
joints: {axle: {type: revolute, child: wheel, axis: z}}
motors: {drive: {joint: axle, keys: [[0, 0], [1, 1]]}}
Y
run "$LIMBER" simulate flywheel.yaml --out flywheel
claim "peaks are said to be of frames" prints "of frames every 20 ms; rms is over the whole run"
claim "a wheel takes as much power to stop as to start" python3 -c '
import json
m = json.load(open("flywheel/summary.json"))["motors"][0]
drive, brake = m["peak_driving_power"], m["peak_braking_power"]
assert drive > 1 and abs(drive - brake) < 1e-6 and "peak_power" not in m, m'
claim "... and so in the report" grep -q "<th>peak driving power</th><th>peak braking power</th>" flywheel/report.html

# Fibres on elastic tendons are far faster than bodies: steps are implicit, unless the author says so.
cat >tendon.yaml <<'S'
bodies: {arm: {mass: 1, center: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {j: {type: revolute, child: arm, axis: y}}
muscles: {m: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], hill: {model: millard, force: 3 kN, fiber: 10 cm, slack: 30 cm}}}
duration: 0.2
S
run "$LIMBER" simulate tendon.yaml --out tendon
claim "muscles with elastic tendons are stepped by bdf2" prints "(bdf2, 1 ms)"
claim "... without a warning" content
run "$LIMBER" simulate tendon.yaml --set muscles.m.hill.elastic=false --out stiff
claim "... those with stiff ones are not" prints "(rk4, 1 ms)"

# Energy that nothing feeds in is an integrator's.
cat >spring.yaml <<'S'
bodies: {ball: {shape: {sphere: {radius: 5 cm}}}}
joints: {j: {type: prismatic, child: ball, axis: x, spring: {stiffness: 4e7}}}
initial: {j: {position: 1 mm}}
gravity: [0, 0, 0]
duration: 0.02
record: {every: 1 ms}
S
run "$LIMBER" simulate spring.yaml --set solver.integrator=euler --set solver.step=0.35ms --out grows
claim "energy that comes from nowhere is a warning" complains "and nothing feeds so much in"
run "$LIMBER" simulate spring.yaml --set solver.integrator=bdf2 --out holds
claim "... which an implicit step does not get" content

# Motors that exert nothing have no line of their own, and no number is -0.
cat >idle.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}, b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {i: {type: revolute, child: a, axis: z}, j: {type: revolute, child: b, axis: z}}
motors: {idle: {joint: i, drive: force, keys: [[0 s, 0 N m]]}, busy: {joint: j, drive: force, keys: [[0 s, 1 N m]]}}
initial: {i: {velocity: -1}}
Y
run "$LIMBER" simulate idle.yaml --duration 0.1 --out idle
claim "a motor that drives has its line" prints "  busy  "
claim "... one that exerts nothing is counted" prints "1 other motor exerts nothing"
claim "... and has none" eval '! prints "  idle  "'
claim "... and no number is -0" eval '! prints " -0 "'
run "$LIMBER" simulate idle.yaml --duration 0.1 --out idle --set "motors.busy.keys=[[0 s, 0 N m]]"
claim "where none drives, there is a count alone" prints "  2 motors exert nothing"
claim "... and no table" eval '! prints "peak speed"'
