# --set: values of a scene from the command line, in whatever file they stand.
cat >arm.yaml <<'Y'
bodies:
  upper: {shape: {box: [0.1, 0.1, 0.4]}, mass: 1}
  lower.left: {shape: {box: [0.1, 0.1, 0.4]}}
joints:
  shoulder: {type: revolute, child: upper, axis: y, in_child: [0, 0, 0.2]}
  elbow: {type: revolute, parent: upper, child: lower.left, axis: y, at: [0, 0, -0.2], in_child: [0, 0, 0.2]}
Y
cat >scene.yaml <<'Y'
include: arm.yaml
duration: 0.2
motors: {turn: {joint: elbow, keys: [[0, 0], [0.1, 30 deg]]}}
repeat: [{count: 3, bodies: {"ball(n)": {shape: {sphere: {radius: 0.1}}, position: [(n), 0, 0]}}}]
Y
# the same, written into the scene
cat >written.yaml <<'Y'
gravity: [0, 0, -1.62]
duration: 0.3
solver: {step: 2 ms}
initial: {shoulder: {position: 20 deg}}
bodies:
  upper: {shape: {box: [0.1, 0.1, 0.4]}, mass: 2 kg}
  lower.left: {shape: {box: [0.1, 0.1, 0.4]}, mass: 500 g}
joints:
  shoulder: {type: revolute, child: upper, axis: y, in_child: [0, 0, 0.2], damping: 0.1, spring: {stiffness: 3}}
  elbow: {type: revolute, parent: upper, child: lower.left, axis: y, at: [0, 0, -0.2], in_child: [0, 0, 0.2]}
motors: {turn: {joint: elbow, keys: [[0, 0], [0.1, 45 deg]]}}
repeat: [{count: 3, bodies: {"ball(n)": {shape: {sphere: {radius: 0.1}}, position: [(n), 0, 0]}}}]
Y
sed -i 's/^repeat.*/&/' written.yaml
run "$LIMBER" simulate scene.yaml --out set -q --set "gravity=[0, 0, -1.62]" --set duration=0.3 \
  --set "solver.step=2 ms" --set "initial.shoulder.position=20 deg" --set bodies.upper.mass=2kg \
  --set "bodies.lower.left.mass=500 g" --set joints.shoulder.damping=0.1 \
  --set joints.shoulder.spring.stiffness=3 --set "motors.turn.keys.1.1=45°"
claim "values are set" exits 0
claim "... and the summary names them" grep -qF '"set": ["gravity=[0, 0, -1.62]", "duration=0.3",' set/summary.json
run "$LIMBER" simulate written.yaml --out written -q
claim "what is written runs" exits 0
claim "both are the same motion" cmp set/trajectory.csv written/trajectory.csv
run "$LIMBER" simulate scene.yaml --out ball -q --set bodies.ball2.mass=7
claim "parts that a repetition made can be set" exits 0

# says TEXT SET...: bad input with this message
says() {
  local text=$1
  shift
  run "$LIMBER" check scene.yaml --set "$@"
  claim "--set $1 is refused" exits 2
  claim "... because: $text" complains "$text"
}
says "error: --set bodies.uper.mass=2: it names body 'uper', which does not exist (did you mean 'upper'?)" bodies.uper.mass=2
says "a scene has no 'duratio' (did you mean 'duration'?)" duratio=3
says "joint 'elbow': unknown key 'dampin' (did you mean 'damping'?)" joints.elbow.dampin=0.1
says "--set bodies.upper.mass=2m: body 'upper': 'mass' must be a mass, but '2m' is a length" bodies.upper.mass=2m
says "'mass' must be greater than 0" bodies.upper.mass=-1
says "the path ends at a part" bodies.upper=3
says "the path ends at a section" bodies=3
says "the path ends at a section" initial=3
says "there are 0 pieces of scenery" scenery.1.box=3
says "the material is built in" materials.brass.density=5
says "'x' is nothing inside '1', which is no mapping" bodies.upper.mass.x=3
says "must go on with a number from 0 to 1" motors.turn.keys.2.1=3
says "the scene has no list there" gravity.2=-1.6
says "cannot be set" include=other.yaml
says "close the list" "gravity=[0"
says "it must be a path and a value" bodies.upper.mass
