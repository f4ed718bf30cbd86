# Constraints that cannot hold, at the start and later.
cat >reach.yaml <<'Y'
bodies:
  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}
  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}
joints:
  shoulder: {type: revolute, child: upper, axis: y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: y}
initial: {shoulder: {position: 40 deg}, elbow: {position: 60 deg}}
constraints:
  hand: {follow: {body: lower, at: [0, 0, -0.4], along: xz, z: {keys: [[0, -0.2], [1, -1]]}}}
duration: 1
Y
run "$LIMBER" simulate reach.yaml --out reach
claim "a point prescribed out of reach stops the run" exits 1
claim "... with its place, name and time" complains "reach.yaml:9:3: constraint 'hand' cannot hold any longer at t = "
claim "... and what was done is kept" complains "are kept in reach"
claim "... as files" test -s reach/trajectory.csv

sed 's/z: {keys.*/z: {keys: [[0, -2]]}}}/' reach.yaml >far.yaml
run "$LIMBER" simulate far.yaml --out far
claim "a point that is out of reach at the start" exits 2
claim "... is refused" complains "constraint 'hand' cannot hold at the start"

cat >twice.yaml <<'Y'
bodies:
  arm: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}
joints:
  shoulder: {type: revolute, child: arm, axis: y}
motors: {m: {joint: shoulder, keys: [[0, 0], [1, 1]]}}
constraints:
  hand: {follow: {body: arm, at: [0, 0, -0.4], along: x, x: {keys: [[0, 0.1]]}}}
Y
run "$LIMBER" simulate twice.yaml --out twice
claim "a motor and a prescribed point that disagree" exits 2
claim "... are reported" complains "twice.yaml:7:3: constraint 'hand' cannot hold at the start"

# a run that blows up
cat >stiff.yaml <<'Y'
bodies: {arm: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}}
joints: {shoulder: {type: revolute, child: arm, axis: y, spring: {stiffness: 1e7}}}
initial: {shoulder: {position: 1}}
solver: {step: 10 ms}
Y
run "$LIMBER" simulate stiff.yaml --out stiff
claim "a run that blows up fails" exits 1
claim "... with joint, body and time" complains "the motion of joint 'shoulder', which carries body 'arm', left all bounds after t = "
claim "... and keeps what it had" test -s stiff/trajectory.csv
claim "... which is numbers" test "$(grep -cE ',(,|$)|nan|inf|e\+?[0-9]{2}' stiff/trajectory.csv)" -eq 0
claim "... and the summary has the reason" grep -q '"failure": {"time": .*left all bounds' stiff/summary.json
claim "... and the report" grep -q 'This run failed after' stiff/report.html

# angles that pass a place where two of their axes fall together
cat >angles.yaml <<'Y'
bodies: {a: {shape: {box: [0.1, 0.2, 0.5], position: [0, 0, -0.25]}}}
joints: {neck: {type: euler, child: a}}
gravity: [0, 0, 0]
initial: {neck: {velocity: [1e-6, 1, 0]}}
duration: 3
Y
run "$LIMBER" simulate angles.yaml --out angles
claim "angles that no step can follow end a run" exits 1
claim "... with place, joint, body and time" complains "angles.yaml:2:10: the angles of joint 'neck', which carries body 'a', came too near to a singular place after t = 1.5"
claim "... and what to do" complains "use a spherical or an exponential joint"
claim "... and what is kept" complains "The first 1.56 s are kept in angles."

# Whatever the integrator: what cannot hold is named with its place and the time, and every frame
# that is kept is one in which it still held.
holds() { awk -F'[:,]' '/"constraint_violation"/ {found = $2 < 0.01} END {exit !found}' "$1/summary.json"; }
cat >crank.yaml <<'Y2'
bodies:
  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}, mass: 0.3}
  rod: {shape: {box: [0.3, 0.02, 0.02], position: [0.15, 0, 0]}, mass: 0.3}
  block: {shape: {box: [0.05, 0.05, 0.05]}, mass: 0.5}
joints:
  shaft: {type: revolute, axis: y, child: crank}
  pin: {type: revolute, axis: y, parent: crank, child: rod, at: [0.2, 0, 0]}
  slide: {type: prismatic, axis: x, child: block, at: [0.4, 0, 0]}
  ring: {type: revolute, axis: y, parent: rod, child: block, at: [0.3, 0, 0], loop: true}
initial: {shaft: {position: 0.7}, pin: {position: -1.2}}
motors: {push: {joint: slide, keys: [[0, 0], [0.5, 0.2]]}}
duration: 0.4
Y2
# the rod is at its end at 0.25 s, halfway through a motion that is symmetric in time
for integrator in euler rk4 rk8 linear-euler bdf1 bdf2 sdirk2 adaptive; do
  for coordinates in reduced maximal; do
    { cat crank.yaml; echo "solver: {integrator: $integrator, coordinates: $coordinates}"; } >loop.yaml
    run timeout 100 "$LIMBER" simulate loop.yaml --out loop
    claim "$integrator, $coordinates: a loop driven out of reach stops the run" exits 1
    claim "... and is named, with the motor" complains "loop.yaml:9:3: loop joint 'ring' cannot hold any longer at t = 0.2"
    claim "... " complains "perhaps motor 'push' moves it out of reach"
    claim "... and what is kept holds" holds loop
    [ "$coordinates" = maximal ] && continue
    { cat reach.yaml; echo "solver: {integrator: $integrator}"; } >point.yaml
    run timeout 100 "$LIMBER" simulate point.yaml --out point
    claim "$integrator: a point prescribed out of reach stops the run" exits 1
    claim "... and is named" complains "point.yaml:9:3: constraint 'hand' cannot hold any longer at t = 0."
    claim "... with the reason" complains "perhaps its motion is prescribed out of reach"
    claim "... and what is kept holds" holds point
  done
done

# Rates lead out of reach, too, and are met to the step's own error by linear-euler.
cat >pace.yaml <<'Y2'
bodies:
  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.4, 0, 0]}}}
  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.4, 0, 0]}}}
joints:
  shoulder: {type: universal, child: upper, axis: y, second_axis: z}
  elbow: {type: universal, parent: upper, child: lower, at: [0.4, 0, 0], axis: y, second_axis: z}
initial: {shoulder: {position: [0.3, 0.2]}, elbow: {position: [0.5, 0.4]}}
constraints:
  hand: {follow: {body: lower, at: [0.4, 0, 0], along: x, x: {rates: [[0, 0], [0.6, 0.5]]}}}
duration: 1
Y2
for integrator in rk4 rk8 linear-euler bdf1 bdf2 sdirk2 adaptive; do
  { cat pace.yaml; echo "solver: {integrator: $integrator}"; } >pace-by.yaml
  run timeout 100 "$LIMBER" simulate pace-by.yaml --out pace
  claim "$integrator: a rate that cannot be kept up stops the run" exits 1
  claim "... and is named" complains "pace-by.yaml:9:3: "
  claim "... as a rate" complains "rate"
done
sed 's/x: {rates.*/x: {rates: [[0, 0], [0.6, 0.1]]}}}/; s/^duration.*/duration: 0.6/' pace.yaml >turn.yaml
{ sed 's/along: x, x: {rates.*/along: none, turn: {about: [1, 1, 0], rates: [[0, 0], [0.6, 0.5]]}}}/' turn.yaml
  echo "solver: {integrator: linear-euler}"; } >rate.yaml
run "$LIMBER" simulate rate.yaml --out rate
claim "linear-euler keeps up a rate that can be" exits 0

# Who prescribes too much.
cat >bars.yaml <<'Y2'
bodies:
  a: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}}
  b: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}}
  c: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0]}}}
joints:
  ja: {type: revolute, child: a, axis: y}
  jb: {type: revolute, parent: a, child: b, axis: y, at: [0.3, 0, 0]}
  jc: {type: revolute, child: c, axis: y, at: [0.45, 0, 0]}
  lo: {type: revolute, axis: y, parent: b, child: c, at: [0.5, 0, 0], in_child: [0.4, 0, 0], loop: true}
Y2
{ cat bars.yaml; echo 'motors: {m: {joint: ja, keys: [[0, -1], [0.5, 0]]}, n: {joint: jc, keys: [[0, -1.2], [0.5, 0]]}}'; } >two.yaml
run "$LIMBER" simulate two.yaml --out two
claim "two motors on one freedom are refused" exits 2
claim "... and named" complains "two.yaml:9:3: loop joint 'lo' cannot be closed"
claim "... as too many" complains "motor 'm' and motor 'n' prescribe more than the joints leave free"
{ cat bars.yaml; echo 'motors: {m: {joint: ja, keys: [[0, -1], [0.5, 0]]}}'; } | sed 's/at: \[0.45/at: [3/' >long.yaml
run "$LIMBER" simulate long.yaml --out long
claim "one motor on a linkage that is too short" complains "loop joint 'lo' cannot be closed"
claim "... is not" test "$(grep -c 'more than' stderr)" -eq 0

# Names are those of the scene, in maximal coordinates and where a joint splits a body.
sed 's/at: \[0.45/at: [3/' bars.yaml >apart.yaml
echo "solver: {coordinates: maximal}" >>apart.yaml
run "$LIMBER" simulate apart.yaml --out apart
claim "in maximal coordinates the loop is the author's" complains "apart.yaml:9:3: loop joint 'lo' cannot be closed"
sed 's/at: \[0.45/at: [3/; s/loop: true}/loop: true, armature: 0.1}/' bars.yaml >split.yaml
run "$LIMBER" simulate split.yaml --out split
claim "a joint that splits a body goes by its own name" complains "split.yaml:9:3: loop joint 'lo' cannot be closed"

# Who flew off is who did so first, not who comes first.
cat >tiny.yaml <<'Y2'
bodies:
  big: {shape: {box: [0.3, 0.05, 0.05]}, mass: 1e6}
  tiny: {shape: {sphere: {radius: 1 mm}}, mass: 1e-9}
joints:
  first: {type: revolute, axis: y, child: big}
  second: {type: revolute, axis: y, parent: big, child: tiny, at: [0.15, 0, 0], in_child: [0.1, 0, 0], spring: {stiffness: 10}}
initial: {second: {position: 1}}
duration: 0.2
Y2
run "$LIMBER" simulate tiny.yaml --out tiny
claim "a light body that flies off is the one named" complains "the motion of joint 'second', which carries body 'tiny', left all bounds"
cat >rope.yaml <<'Y2'
bodies: {a: {shape: {box: [0.3, 0.05, 0.05], position: [0.15, 0, 0]}, mass: 1}}
joints: {j: {type: revolute, axis: y, child: a}}
ropes: {r: {through: [{body: a, at: [0.3, 0, 0]}, {at: [0.6, 0, 0]}], mass: 1e-6, stiffness: 1e6}}
solver: {integrator: rk4}
duration: 0.3
Y2
run "$LIMBER" simulate rope.yaml --out rope
claim "a rope that flies off is the one named" complains "the motion of rope 'r' left all bounds"
cat >kicked.yaml <<'Y2'
bodies: {a: {shape: {box: [0.3, 0.05, 0.05]}, mass: 1e-6}, b: {shape: {box: [0.3, 0.05, 0.05]}, position: [1, 0, 0]}}
springs: {s: {from: {body: b}, to: {body: a, at: [0.1, 0, 0]}, stiffness: 1e9, length: 0.1}}
duration: 0.1
Y2
run "$LIMBER" simulate kicked.yaml --out kicked
claim "a body that no joint carries is a body" complains "the motion of body 'a' left all bounds"

# what the joints do not let move at all is reported before the run, in both kinds of coordinates
cat >stuck.yaml <<'Y2'
bodies:
  a: {shape: {box: [0.1, 0.1, 0.5], position: [0, 0, -0.25]}}
  b: {shape: {box: [0.1, 0.1, 0.5], position: [0, 0, -0.25]}}
joints:
  j: {type: fixed, child: a}
  k: {type: revolute, parent: a, child: b, axis: y, at: [0, 0, -0.5]}
duration: 0.1
Y2
for coordinates in reduced maximal; do
  { cat stuck.yaml; echo "solver: {coordinates: $coordinates}"; } >base.yaml
  { cat base.yaml; echo 'constraints: {f: {follow: {body: a, along: x, x: {keys: [[0, 0], [1, 0.1]]}}}}'; } >fixed.yaml
  run "$LIMBER" simulate fixed.yaml --out fixed
  claim "a fixed body with a prescribed motion is refused ($coordinates)" exits 2
  claim "... before the run" complains "fixed.yaml:9:15: constraint 'f' prescribes more than the joints leave free: they do not let that move at all"
  { cat base.yaml; echo 'constraints: {f: {follow: {body: b, at: [0, 0, -0.5], along: y, y: {rates: [[0, 0.1]]}}}}'; } >across.yaml
  run "$LIMBER" simulate across.yaml --out across
  claim "a hinge prescribed along its axis is refused ($coordinates)" complains "prescribes more than the joints leave free"
  { cat base.yaml; echo 'constraints: {f: {follow: {body: b, at: [0, 0, -0.5], along: xy, x: {keys: [[0, 0], [0.1, 0.01]]}}}, g: {follow: {body: a}}}'; } >along.yaml
  run "$LIMBER" simulate along.yaml --out along --quiet
  claim "prescribed where it can go and held where it cannot, it runs ($coordinates)" exits 0
done
