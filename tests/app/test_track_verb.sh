# `limber track`: finds motions, goes on with a search, follows motions, and says what is wrong.
scenes=$LIMBER_SOURCE_DIR/scenes
echo "max_iter 1" >ipopt.opt # which is not ours
run "$LIMBER" track "$scenes/collocate-swing-up.yaml" --out swing
claim "a motion is found" exits 0
claim "... and said to be" prints "converged"
for file in report.html controls.sto solution.csv trajectory.csv summary.json; do
  claim "... with $file" test -s swing/$file
done
claim "... which goes up, within the motor's limits" python3 - <<'P'
import csv, json, math
rows = list(csv.DictReader(open("swing/trajectory.csv")))
assert abs(float(rows[0]["pin.q"])) < 1e-9 and abs(float(rows[-1]["pin.q"]) - math.pi) < 1e-6
s = json.load(open("swing/summary.json"))
assert s["finished"] and s["residual"] < 1e-5, s
assert abs(s["controls"][0]["peak"]) < 3.0001 and s["controls"][0]["kind"] == "motor"
P
run "$LIMBER" track "$scenes/collocate-swing-up.yaml" --out swing --resume
claim "a search goes on where it ended" exits 0
claim "... and is done at once" python3 - <<'P'
import json
assert json.load(open("swing/summary.json"))["iterations"] <= 6
P
run "$LIMBER" track "$scenes/collocate-swing-up.yaml" --out swing --resume --set collocate.intervals=30
claim "... on another mesh, too" exits 0

cat >arm.yaml <<'Y'
duration: 0.5 s
solver: {integrator: sdirk2, step: 1 ms}
record: {every: 2 ms, rates: true}
bodies:
  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}
  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 1.5 kg}
joints:
  shoulder: {type: fixed, child: upper}
  elbow: {type: revolute, parent: upper, child: fore, axis: -y, at: [0, 0, -30 cm], damping: 0.1}
muscles:
  biceps:
    through: [{body: upper, at: [3 cm, 0, 0]}, {body: fore, at: [2 cm, 0, -5 cm]}]
    hill: {model: millard, force: 700 N, fiber: 13 cm, slack: 21 cm}
    excitation: {keys: [[0 s, 0.05], [0.3 s, 0.12]], ease: smooth}
initial: {elbow: {position: 30 deg}}
collocate: {intervals: 25, reserves: 100, effort: {reserves: 100, muscles: 1}, follow: {position: 1e6}}
Y
run "$LIMBER" simulate arm.yaml --out made --quiet
run "$LIMBER" track arm.yaml made/trajectory.csv --out steps --stepwise
claim "a motion is followed step by step" exits 0
run "$LIMBER" track arm.yaml made/trajectory.csv --out whole --threads 2
claim "... and as a whole" exits 0
claim "... by muscles, with little of the reserve" python3 - <<'P'
import json
for run, off in (("steps", 1e-3), ("whole", 1e-2)):
    s = json.load(open(run + "/summary.json"))
    use = {c["kind"]: c["rms"] for c in s["controls"]}
    print(run, s["off"], use)
    assert s.get("unsettled") == (0 if run == "steps" else None), s
    assert s["off"] < off and use["muscle"] > 0.03 and use["reserve"] < 0.1
P
run "$LIMBER" track arm.yaml --stepwise --out none
claim "there must be a motion to follow step by step" exits 2
claim "... which is said" complains "--stepwise follows a motion"
sed '/collocate/d' arm.yaml >plain.yaml
run "$LIMBER" track plain.yaml --out none
claim "there must be something to do" exits 2
claim "... which is said" complains "nothing to follow or to find"
sed 's/intervals: 25/intervals: 25, scheme: simpson/' arm.yaml >bad.yaml
run "$LIMBER" track bad.yaml --out none
claim "a scheme that there is not is named with its place" complains "bad.yaml:16:"
claim "... and the others" complains "hermite-simpson"

# measured forces from a table, whose names outlive the model that they were read with
sed 's/^  fore: /  a forearm with a name that is long enough for memory of its own: /; s/child: fore,/child: a forearm with a name that is long enough for memory of its own,/; s/body: fore,/body: a forearm with a name that is long enough for memory of its own,/' arm.yaml >long.yaml
fore="a forearm with a name that is long enough for memory of its own"
printf "time,$fore.fx,$fore.fy,$fore.fz\n0,0,0,1\n1,0,0,1\n" >forces.csv
run "$LIMBER" track long.yaml made/trajectory.csv --forces forces.csv --stepwise --out pushed
claim "a motion is followed under measured forces" exits 0
run "$LIMBER" track long.yaml --forces forces.csv --set 'collocate.time=[0.3, 0.6]' --out none
claim "in a free time there are no measured forces" exits 2
claim "... which is said" complains "measured forces"

# excitations that were found, played by a simulation
reach=$scenes/collocate-reach.yaml
run "$LIMBER" track "$reach" --out reach --quiet
claim "muscles reach a point" exits 0
run "$LIMBER" simulate "$reach" --states reach/trajectory.csv --controls reach/controls.sto --out played --quiet
claim "... and what they do is played" exits 0
claim "... to the same end; excitations do not switch from node to node" python3 - <<'P'
import csv
a, b = (list(csv.DictReader(open(f"{d}/trajectory.csv")))[-1] for d in ("reach", "played"))
off = max(abs(float(a[j]) - float(b[j])) for j in ("shoulder.q", "elbow.q"))
lines = open("reach/controls.sto").read().split("endheader\n")[1].splitlines()
rows = [[float(x) for x in line.split()] for line in lines[1:]]
turns = []
for k in range(1, 5):
    u = [r[k] for r in rows]
    steps = [y - x for x, y in zip(u, u[1:]) if abs(y - x) > 1e-4]
    turns.append(sum(x * y < 0 for x, y in zip(steps, steps[1:])))
print(off, turns)
assert off < 0.03 and max(turns) <= 6
P
# a motion that torques made is where muscles begin
run "$LIMBER" track "$reach" --set collocate.muscles=idle --set collocate.reserves=50 --set collocate.effort.reserves=1e-3 --out torques --quiet
claim "reserves reach the point, too" exits 0
run "$LIMBER" track "$reach" --out torques --resume --quiet
claim "... and muscles go on from there" exits 0
claim "... to the same effort as from nothing" python3 - <<'P'
import json
a, b = (json.load(open(f"{d}/summary.json")) for d in ("reach", "torques"))
print(a["objective"], b["objective"], a["iterations"], b["iterations"])
assert b["finished"] and abs(a["objective"] / b["objective"] - 1) < 1e-6
P
claim "the view has activations to colour muscles by" grep -q 'id="limber-muscles"' reach/report.html
