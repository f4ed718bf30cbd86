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
claim "a point led out of reach stops the run" exits 1
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
claim "a motor and a led point that disagree" exits 2
claim "... are told" complains "twice.yaml:7:3: constraint 'hand' cannot hold at the start"

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
