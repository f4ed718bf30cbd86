# limber fork: compliance of mechanisms, its files, and bad input.
scenes=$LIMBER_SOURCE_DIR/scenes

run "$LIMBER" fork "$scenes/ladder.yaml" --out ladder
claim "the ladder is reduced" exits 0
claim "... and it says how stiff it is" prints "6667 N/m"
for file in compliance.csv ladder.npz report.html summary.json scene.glb trajectory.csv; do
  claim "there is $file" test -s ladder/$file
done
claim "six motions of one effector" test "$(wc -l <ladder/compliance.csv)" -eq 7
claim "the report has the stiffness" grep -qF "Stiffness of the effectors" ladder/report.html
claim "... as ellipses" grep -qF 'class="ellipse"' ladder/report.html
claim "... and how far it is off over forces" grep -qF "How far it is off, at rest under a force" ladder/report.html
claim "... and both motions, for the script" grep -qF 'id="limber-fork"' ladder/report.html
claim "the animation has the reduced mechanism" grep -qaF '"name":"reduced"' ladder/scene.glb
claim "... and the whole" grep -qaF '"name":"whole"' ladder/scene.glb
claim "... and it tells how far the reduced motion is off" prints "reduced, they are off by up to"

figures() {
  python3 - "$@" <<'P'
import csv, json, sys
s = json.load(open(sys.argv[1] + "/summary.json"))
assert s["job"] == "fork" and len(s["forks"]) == int(sys.argv[2]), s["forks"]
rows = list(csv.DictReader(open(sys.argv[1] + "/compliance.csv")))
pairs = {(r["model"], r["effector"], r["motion"], r["loaded"]): r for r in rows}
names = {"turn.x": "moment.x", "turn.y": "moment.y", "turn.z": "moment.z",
         "move.x": "force.x", "move.y": "force.y", "move.z": "force.z"}
for (m, a, u, b), r in pairs.items():  # Betti's theorem
    for v, column in names.items():
        x, y = float(r[column]), float(pairs[m, b, v, a][names[u]])
        assert abs(x - y) <= 1e-12 * max(1e-6, abs(x)), (a, u, b, v, x, y)
P
}
claim "the figures are there, and forces answer each other" figures ladder 1

run "$LIMBER" fork "$scenes/wishbone.yaml" --out wishbone
claim "two effectors" test "$(wc -l <wishbone/compliance.csv)" -eq 25
claim "... answer each other" figures wishbone 1

run "$LIMBER" fork "$scenes/two-links.yaml" --out two
claim "two models" figures two 2
claim "... are two files" test -s two/arm-2.npz
claim "... with a map of one alone" grep -qF "One model alone" two/report.html
claim "... and one of both" grep -qF "All models blended" two/report.html
claim "... whose figures are told" grep -q "off_blended" two/summary.json
run "$LIMBER" fork "$scenes/two-links.yaml" --out again
claim "the same scene gives the same models" cmp two/arm-2.npz again/arm-2.npz

run "$LIMBER" fork "$scenes/pendulum.yaml" --out none
claim "a scene without forks is refused" exits 2
claim "... and told what to add" complains "add 'fork: {NAME: {effectors: [BODY]}}'"

sed 's/axis: y, spring: {stiffness: 10}/axis: y/' "$scenes/two-links.yaml" >loose.yaml
run "$LIMBER" fork loose.yaml --out loose
claim "joints without springs are refused" exits 1
claim "... by name" complains "in which joint 'elbow' moves"

cat >column.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1]}}
joints: {foot: {type: revolute, child: a, axis: y, spring: {stiffness: 10}}}
markers: {top: {body: a, at: [0, 0, 1]}}
fork: {column: {effectors: [top], models: [{loads: {top: [0, 0, -9 N]}}, {loads: {top: [0, 0, -11 N]}}]}}
Y
run "$LIMBER" fork column.yaml --out column
claim "a column is reduced before and after it buckles" exits 0
claim "... with a warning" complains "column.yaml:5:74: fork 'column', model 2: the pose is past buckling"

# --- what cannot be reduced: told alike by both verbs, with its place ---

cat >loose-arm.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  shoulder: {type: revolute, child: a, axis: y, spring: {stiffness: 100}}
  elbow: {type: revolute, parent: a, child: b, at: [0, 0, 1], axis: y}
fork: {arm: {effectors: [b]}}
Y
cat >singular.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  one: {type: revolute, axis: y, child: a, spring: {stiffness: 100}}
  two: {type: revolute, axis: y, parent: a, child: b, at: [0, 0, 1], in_child: [0, 0, 1], spring: {stiffness: 100}}
  three: {type: revolute, axis: y, child: c, at: [0, 0, 1], in_child: [0, 0, 1], spring: {stiffness: 100}}
  four: {type: revolute, axis: y, loop: true, parent: b, child: c}
fork: {bars: {effectors: [b]}}
Y
cat >stuck.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  foot: {type: fixed, child: a}
  hip: {type: revolute, parent: a, child: b, axis: y, spring: {stiffness: 100}}
fork: {leg: {effectors: [b, a]}}
Y
cat >held.yaml <<'Y'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  hip: {type: revolute, child: a, axis: y}
  knee: {type: revolute, parent: a, child: b, axis: y, at: [0, 0, 1], spring: {stiffness: 100}}
motors: {drive: {joint: hip, keys: [[0 s, 0], [1 s, 1]]}}
fork: {leg: {effectors: [b, a]}}
Y
for verb in fork simulate; do
  run "$LIMBER" $verb loose-arm.yaml --out $verb-loose
  claim "$verb: no stiffness somewhere" complains "loose-arm.yaml:6:26: fork 'arm': effector 'b' has no stiffness in a direction in which joint 'elbow' moves (give that joint a 'stiffness', or hold it)"
  run "$LIMBER" $verb singular.yaml --out $verb-singular
  claim "$verb: a singular pose" complains "singular.yaml:8:8: fork 'bars': its loops are in a singular pose, where they hold 1 direction, and 2 beside it"
  run "$LIMBER" $verb stuck.yaml --out $verb-stuck
  claim "$verb: an effector that cannot move" complains "stuck.yaml:6:29: fork 'leg': effector 'a' cannot move: it is fixed to the world"
  run "$LIMBER" $verb held.yaml --out $verb-held
  claim "$verb: an effector that a motor holds" complains "held.yaml:7:29: fork 'leg': effector 'a' cannot move: motor 'drive' holds it"
done
sed 's/, models: .*/}}/' column.yaml >heavy.yaml
echo 'loads: {weight: {body: a, at: [0, 0, 1], force: [0, 0, -11 N]}}' >>heavy.yaml
run "$LIMBER" fork heavy.yaml --out heavy
claim "past buckling at rest: reduced where it comes to" exits 0
claim "... with a warning" complains "heavy.yaml:5:8: fork 'column', model 1: the pose is past buckling"
run "$LIMBER" simulate heavy.yaml --out heavy-run
claim "... and not simulated" complains "heavy.yaml:5:8: fork 'column': the pose it starts in is unstable, past buckling"

# --- simulated by effectors ---

run "$LIMBER" simulate "$scenes/wishbone.yaml" --out reduced
claim "mechanisms are simulated by their effectors" exits 0
run "$LIMBER" simulate "$scenes/wishbone.yaml" --whole --out whole
claim "... or whole" exits 0
joints() { head -1 "$1/trajectory.csv" | tr , '\n' | grep -c "$2"; }
claim "the whole has joints" test "$(joints whole '^stem-6\.q$')" -eq 1
claim "the reduced one has its own coordinates" test "$(joints reduced '^wishbone\.e')" -eq 5
claim "both have all bodies" test "$(joints whole '\.qw$')" -le "$(joints reduced '\.qw$')"

run "$LIMBER" simulate loose.yaml --set fork.arm.simulate=reduced --set 'fork.arm.models=[]' --out loose
claim "what has no stiffness is refused by simulate, too" complains "in which joint 'elbow' moves"
claim "... with its place" complains "loose.yaml:27:"

run "$LIMBER" fork "$scenes/grasp.yaml" --out hand
claim "a hand beside other bodies is reduced by itself" exits 0
claim "... to three fingertips" prints "tip-3"
claim "... and told that motors stay in that motion" complains "motors of the scene move"

run "$LIMBER" simulate "$scenes/grasp.yaml" --out grasp
run "$LIMBER" simulate "$scenes/grasp.yaml" --whole --out grasps
torques() {
  python3 - <<'P'
import csv
a, b = (list(csv.DictReader(open(d + "/forces.csv")))[-1] for d in ("grasp", "grasps"))
for name in "base-1", "knuckle-2", "end-3":
    x, y = float(a[name + ".force"]), float(b[name + ".force"])
    assert abs(x - y) < 0.05 * abs(y), (name, x, y)
P
}
claim "servos inside pull as those of the whole hand do" torques
