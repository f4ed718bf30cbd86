# limber optimize: its scenes reach their goals; its files, bad input, and what is kept when it stops.
scenes=$LIMBER_SOURCE_DIR/scenes

run "$LIMBER" optimize "$scenes/reach.yaml" --out reach
claim "the arm reaches" exits 0
claim "... and it says what was gained" prints "objective"
claim "... and where its numbers are" prints "44 numbers, in parameters.csv"
run "$LIMBER" optimize "$scenes/finger-designed.yaml" --out finger
claim "springs are found for a finger" exits 0
claim "... and told as they are in the table, with their unit" python3 - <<'P'
import csv, re
told = {m[1]: m for m in re.finditer(r"(bars|knuckle|tip) +(\S+) +(\S+) N m/rad", open("stdout").read())}
rows = list(csv.DictReader(open("finger/parameters.csv")))
assert len(rows) == len(told) == 3, told
for r in rows:
    m = told[r["parameter"]]
    assert float(m[2]) == 3 and abs(float(m[3]) / float(r["value"]) - 1) < 1e-3, (r, m[0])
P
for file in parameters.csv trajectory.csv summary.json scene.glb report.html; do
  claim "there is $file" test -s reach/$file
done
claim "a number a line" test "$(wc -l <reach/parameters.csv)" -eq 45
claim "the report shows how the search went" grep -qF "Objective after each iteration" reach/report.html
claim "... and the goals" grep -qF "elbow at rest" reach/report.html

achieved() { # FILE GOAL MOST: a goal's share of the objective
  python3 - "$@" <<'P'
import json, sys
s = json.load(open(sys.argv[1]))
goal = next(g for g in s["goals"] if g["name"] == sys.argv[2])
print(goal)
assert s["finished"] == (s["stopped"] in ("converged", "nothing left to gain")), s["stopped"]
assert s["job"] == "optimize" and goal["after"] <= float(sys.argv[3]), goal
assert s["objective"]["after"] <= s["objective"]["before"] and s["history"][-1] <= s["history"][0]
P
}
within() { # FILE LEAST MOST: all numbers
  awk -F, -v least="$2" -v most="$3" 'NR > 1 && ($4 < least || $4 > most) { exit 1 }' "$1"
}
# weight 1000: the hand is within 0.1 mm; weight 10: slower than 1 cm/s
claim "the hand is there to 0.1 mm" achieved reach/summary.json there 1e-5
claim "... and at rest" achieved reach/summary.json "at rest" 1e-3

run "$LIMBER" optimize "$scenes/throw.yaml" --out throw
claim "the ball is thrown" exits 0
claim "... and hits to a micrometre" achieved throw/summary.json hit 1e-12

run "$LIMBER" optimize "$scenes/curling.yaml" --out curling
claim "the stone is thrown" exits 0
claim "... and stops in the rings to a micrometre" achieved curling/summary.json rings 1e-12

run "$LIMBER" optimize "$scenes/swing-up.yaml" --out swing
claim "the pendulum swings up" exits 0
# weight 10: a thousandth of a radian
claim "... to the top within 2 mrad" achieved swing/summary.json top 4e-5
claim "... and rests there" achieved swing/summary.json "at rest" 1e-4
claim "... as well as can be" grep -qF '"stopped": "converged"' swing/summary.json
claim "... within the motor's limits" within swing/parameters.csv -1.6 1.6

run "$LIMBER" optimize "$scenes/crane.yaml" --out crane
claim "the load is carried" exits 0
# weight 100: 0.1 mm, and slower than 1 mm/s
claim "... to its place within 0.1 mm" achieved crane/summary.json hanging 1e-6
claim "... and hangs still" achieved crane/summary.json still 1e-4
run "$LIMBER" simulate "$scenes/crane.yaml" --parameters crane/parameters.csv --out carried
claim "a rope's load is played again" cmp crane/trajectory.csv carried/trajectory.csv

# Lengths of bars, from the path of a foot that known ones made.
run "$LIMBER" optimize "$scenes/four-bar-designed.yaml" --out leg
claim "a leg is designed" exits 0
lengths() { # FILE: those that made the path, to 1e-4 of them
  awk -F, 'BEGIN { split("0.06 0.18 0.28 0.19 0.16 0.2 0.05", known, " ") }
    NR > 1 { off = $4 / known[NR - 1] - 1; if (off * off > 1e-8) { print; exit 1 } }' "$1"
}
claim "... with the lengths that made the path" lengths leg/parameters.csv
run "$LIMBER" simulate "$scenes/four-bar-designed.yaml" --parameters leg/parameters.csv --out walked
claim "a designed leg is played again" cmp leg/trajectory.csv walked/trajectory.csv
# a crank alone for a path metres wide: the best one is longer than any that closes
sed 's/at_least: 2 cm, at_most: 15 cm/at_most: 9 m/
  /^    \(coupler\|thigh\|shin\|rocker\|pivot [xz]\): /d
  s/\[250 ms, \[[^]]*\]/[250 ms, [-1, 0, 0.28]/; s/\[750 ms, \[[^]]*\]/[750 ms, [1, 0, 0.2]/' \
  "$scenes/four-bar-designed.yaml" >far.yaml
run "$LIMBER" optimize far.yaml --out far
claim "lengths that cannot be assembled do not end a search" exits 0
claim "... and are told of" prints "not run"
claim "... with a reason" prints "cannot"
run "$LIMBER" check "$scenes/four-bar-designed.yaml" --set linkages.leg.bars.crank.O-P=1
claim "a crank that is too long is an error" exits 2

# Where a body starts that a deformable and a rope are fastened to.
cat >moved.yaml <<'Y'
duration: 0.1 s
solver: {step: 5 ms}
materials: {fat: {density: 400, young: 20 kPa, poisson: 0.4}}
bodies:
  arm: {shape: {box: [0.3, 0.05, 0.05], position: [0.15, 0, 0]}}
joints: {shoulder: {type: revolute, child: arm, axis: y}}
ropes:
  rope: {through: [{at: [0.3, 0, 0.4]}, {body: arm, at: [0.3, 0, 0]}], segments: 4, mass: 0.1 kg,
         stiffness: 50 N}
deformables:
  flesh:
    form: {box: {from: [0, 0, 0], to: [0.4, 0, 0], width: 0.1, height: 0.1}, material: fat,
           elements: {along: 4, across: 1, around: 1}}
    attach: [arm]
    within: 4 cm
optimize:
  parameters: {start: {position: shoulder, at_least: -20 deg, at_most: 20 deg}}
  goals: {there: {point: arm, at: [0.3, 0, 0], position: [0.3, 0, 0.05]}}
  iterations: 5
Y
run "$LIMBER" optimize moved.yaml --out moved
claim "an arm with a deformable starts elsewhere" exits 0
run "$LIMBER" simulate moved.yaml --parameters moved/parameters.csv --out moved-again
claim "... and is played again" cmp moved/trajectory.csv moved-again/trajectory.csv

# A part of a chain, moduli of a body of two materials, and the same body from a file.
cat >chain.yaml <<'Y'
duration: 0.1 s
solver: {step: 5 ms}
materials:
  hard: {density: 1000, young: 20 MPa, damping: {stiffness: 1 ms}}
  soft: {density: 1000, young: 5 MPa, damping: {stiffness: 1 ms}}
bodies:
  base: {shape: {box: [0.1, 0.1, 0.1]}}
  bar: {elastic: {box: {to: [0.3, 0, 0], width: 2 cm, height: 2 cm}, elements: {along: 4, across: 1},
        parts: [{until: 15 cm, material: hard}, {material: soft}]}}
  tip: {shape: {box: [0.05, 0.05, 0.05]}}
joints:
  mount: {type: composite, child: base, parts: [{type: revolute, axis: y, spring: {stiffness: 20}},
          {type: prismatic, axis: x, damping: 3}]}
  hold: {type: fixed, parent: base, child: bar, child_face: start}
  end: {type: fixed, parent: bar, face: end, child: tip}
optimize:
  parameters:
    spring: {stiffness: mount, part: 1, at_most: 200 N m/rad}
    start: {velocity: mount, part: 2, at_least: -2 m/s, at_most: 2 m/s}
    hard: {young: hard}
    soft: {young: soft, at_most: 40 MPa}
  goals: {there: {point: tip, position: [0.4, 0, 0]}}
  iterations: 4
Y
run "$LIMBER" optimize chain.yaml --out chain
claim "a chain with a bar of two materials" exits 0
run "$LIMBER" simulate chain.yaml --parameters chain/parameters.csv --out chain-again
claim "... is played again" cmp chain/trajectory.csv chain-again/trajectory.csv
run "$LIMBER" reduce chain.yaml --out bars --modes 6 -q
sed 's/elements: {along: 4, across: 1},/basis: {file: bars\/bar.npz},/' chain.yaml >stored.yaml
run "$LIMBER" optimize stored.yaml --out stored
claim "a bar from a file gets stiffer" exits 0
claim "... all numbers do something" awk -F, 'NR > 1 && $3 == $4 { exit 1 }' stored/parameters.csv
run "$LIMBER" simulate stored.yaml --parameters stored/parameters.csv --out stored-again
claim "... and is played again" cmp stored/trajectory.csv stored-again/trajectory.csv

# Gradients that there are none of.
sed 's/integrator: [a-z0-9-]*/integrator: linear-euler/' "$scenes/crane.yaml" >linear.yaml
run "$LIMBER" optimize linear.yaml --out linear
claim "linearly implicit steps of ropes are refused" exits 2
claim "... with what to take instead" complains "have no gradients (choose 'integrator: bdf1')"

# What was found can be played again, to the last digit.
run "$LIMBER" simulate "$scenes/swing-up.yaml" --parameters swing/parameters.csv --out again
claim "numbers are played again" exits 0
claim "... as they were found" cmp swing/trajectory.csv again/trajectory.csv

# The limit of iterations is no end.
sed 's/iterations: 3000/iterations: 2/' "$scenes/swing-up.yaml" >brief.yaml
run "$LIMBER" optimize brief.yaml --out brief
claim "a search may be brief" exits 0
claim "... and says so" prints "iteration limit: --resume goes on"
claim "... to programs" grep -qF '"stopped": "iteration limit"' brief/summary.json
claim "... and has not finished" grep -qF '"finished": false' brief/summary.json

# Going on does not lose what was gained: the objective falls, whatever its shares do.
goes_on() { # BEFORE AFTER: the search begins with the objective that was found, and lowers it
  python3 - "$@" <<'P'
import json, sys
before, after = (json.load(open(f))["objective"] for f in sys.argv[1:])
assert abs(after["before"] / before["after"] - 1) < 1e-9, (before, after)
assert after["after"] <= before["after"], (before, after)
P
}
cp swing/summary.json found.json
run "$LIMBER" optimize "$scenes/swing-up.yaml" --out swing --resume
claim "a search goes on" exits 0
claim "... from where it was" goes_on found.json swing/summary.json
run "$LIMBER" optimize "$scenes/throw.yaml" --out nowhere --resume
claim "without one it begins anew" exits 0
claim "... and says so" complains "there is no search to go on with"

# A start outside the bounds.
sed 's/at_least: -20 m.s/at_least: 3 m\/s/' "$scenes/throw.yaml" >high.yaml
run "$LIMBER" optimize high.yaml --out high
claim "a start outside the bounds is brought inside" exits 0
claim "... and reported" complains "parameter 'throw': the scene's 2 is outside the bounds, and the search begins at 3"
claim "... and the report has the scene's" grep -qF '<th scope="row">throw 0</th><td>2</td>' high/report.html

# Files that are not of the scene.
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters swing/parameters.csv --out x
claim "numbers of another scene are refused" exits 2
claim "... with the line" complains "swing/parameters.csv:2:1: "
claim "... and why" complains "the scene has no parameter 'torque'"
head -2 throw/parameters.csv >short.csv
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters short.csv --out x
claim "missing numbers are reported" complains "number 1 of parameter 'throw' is missing"
sed '2s/,0,/,7,/' throw/parameters.csv >wrong.csv
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters wrong.csv --out x
claim "numbers that are not there are reported" complains "and no number 7"
awk -F, -v OFS=, 'NR == 3 {$4 = 30} {print}' throw/parameters.csv >far.csv
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters far.csv --out x
claim "numbers beyond their bounds are reported" complains "far.csv:3:1: number 1 of parameter 'throw' is 30, and must be from -20 to 20"
cat throw/parameters.csv throw/parameters.csv | sed 5d >twice.csv
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters twice.csv --out x
claim "numbers that are there twice are reported" complains "twice.csv:5:1: number 0 of parameter 'throw' is there twice"
sed 1d throw/parameters.csv >headless.csv
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters headless.csv --out x
claim "a missing header is reported" complains "headless.csv:1:1: the first line must be parameter,number,start,value"
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters throw --out x
claim "a folder is bad input" exits 2
claim "... and cannot be read" complains "cannot read file of numbers 'throw'"
run "$LIMBER" simulate "$scenes/throw.yaml" --parameters none.csv --out x
claim "a missing file is bad input" exits 2

# Scenes that ask for nothing, or for what has no derivative.
run "$LIMBER" optimize "$scenes/pendulum.yaml" --out x
claim "a scene without goals is bad input" exits 2
claim "... and is reported what to write" complains "give it 'optimize' with 'parameters' and 'goals'"
cat >loop.yaml <<'Y'
solver: {integrator: bdf2}
duration: 0.1
bodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}, b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints:
  one: {type: revolute, child: a, axis: y}
  two: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: y}
constraints:
  floor: {floor: {body: b, height: -5}}
optimize:
  parameters: {v: {mass: a}}
  goals: {g: {joint: one, position: 0}}
Y
run "$LIMBER" optimize loop.yaml --out x
claim "what is unilateral may be there" exits 0

# A number that no goal changes with.
cat >idle.yaml <<'Y'
solver: {integrator: bdf2}
duration: 0.2
bodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}, b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints:
  one: {type: revolute, child: a, axis: y}
  two: {type: revolute, child: b, axis: y}
optimize:
  parameters: {speed: {velocity: one}, other: {velocity: two}}
  goals: {g: {joint: one, position: 30 deg}}
Y
run "$LIMBER" optimize idle.yaml --out idle
claim "a parameter without effect spoils nothing" exits 0
claim "... and is named" complains "idle.yaml:8:58: parameter 'other' stays as it is, for no goal changes with it"
claim "... alone" eval '! complains "'"'speed'"'"'

# A search that is stopped keeps its best numbers.
cat >long.yaml <<Y
include: $scenes/swing-up.yaml
solver: {integrator: bdf2, step: 0.2 ms}
Y
"$LIMBER" optimize long.yaml --out stopped -q >stdout 2>stderr &
pid=$!
for _ in $(seq 100); do
  if [ -s stopped/parameters.csv ]; then break; fi
  sleep 0.1
done
kill -INT $pid
status=0
wait $pid || status=$?
claim "Ctrl-C stops it" exits 130
claim "... and it says where the best is" complains "The best so far is in stopped"
claim "... which is there" test -s stopped/summary.json
