# Tracking of OpenSim's walks: near its own solution, with the moments of inverse dynamics.
data=${LIMBER_SHARED:-}/data/osim/opensim-core/OpenSim
if [ ! -d "$data" ]; then
  echo "no reference data: nothing to compare with"
  claim "there is nothing to do" true
  return 0
fi
gait=$data/Moco/Test/walk_gait1018
cat >gait.yaml <<Y
include: ${gait}_subject01.osim
collocate: {intervals: 25, muscles: idle, reserves: 1e5, effort: {reserves: 1e-2}, follow: {position: 1e6, velocity: 1e4}}
Y
along="${gait}_state_reference.mot --forces ${gait}_subject01_grf.xml --cutoff 6 --begin 0.5 --end 1 --quiet"
run "$LIMBER" track gait.yaml $along --threads 2 --out gait
claim "half a second of a walk is tracked by torques" exits 0
run "$LIMBER" inverse gait.yaml $along --out inverse
claim "... and its moments are found by inverse dynamics" exits 0
cat >storage.py <<'P'
import json, math
def storage(path):
    lines = open(path).read().splitlines()
    first = [i for i, line in enumerate(lines) if line.strip() == "endheader"][0] + 1
    names = lines[first].split()
    rows = [[float(x) for x in line.split()] for line in lines[first + 1:] if line.strip()]
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}
def at(table, name, t):
    times, values = table["time"], table[name]
    for i in range(len(times) - 1):
        if times[i] - 1e-9 <= t <= times[i + 1] + 1e-9:
            s = (t - times[i]) / (times[i + 1] - times[i])
            return (1 - s) * values[i] + s * values[i + 1]
    raise ValueError(t)
def rms(x):
    return math.sqrt(sum(v * v for v in x) / len(x))
P
claim "... within 0.01 rad and m of OpenSim's own solution (R7), in few iterations" python3 - "$data/Moco/Test/std_testMocoTrackGait10dof18musc_solution.sto" <<'P'
import sys; sys.path.insert(0, ".")
from storage import *
ours, theirs = storage("gait/coordinates.sto"), storage(sys.argv[1])
names = [n for n in theirs if n.endswith("/value")]
worst = {n: rms([at(ours, n, t) - v for t, v in zip(theirs["time"], theirs[n])]) for n in names}
s = json.load(open("gait/summary.json"))
print(max(worst.values()), s["iterations"], s["off"])
assert len(names) == 10 and max(worst.values()) < 1e-2 and s["finished"] and s["iterations"] < 20
assert s["off"] < 1e-3
P
claim "... with the moments of inverse dynamics, to 5 % of their peaks" python3 - <<'P'
import sys; sys.path.insert(0, ".")
from storage import *
track, inverse = storage("gait/controls.sto"), storage("inverse/inverse.sto")
inside = [t for t in inverse["time"] if 0.55 < t < 0.95]
for side in "rl":
    for joint in ("hip_flexion", "knee_angle", "ankle_angle"):
        name = f"{joint}_{side}"
        moment = [at(inverse, name + "_moment", t) for t in inside]
        off = rms([at(track, "reserve_" + name, t) - m for t, m in zip(inside, moment)])
        print(name, off, max(map(abs, moment)))
        assert off < 0.05 * max(map(abs, moment))
P
run "$LIMBER" track gait.yaml $along --filter opensim --set collocate.follow.velocity=1e6 --threads 2 --out same
claim "... and again with OpenSim's filter, and speeds that weigh as much as coordinates" exits 0
claim "... speeds are its own, but for ankles, where those of OpenSim go to and fro from node to node" python3 - "$data/Moco/Test/std_testMocoTrackGait10dof18musc_solution.sto" <<'P'
import sys; sys.path.insert(0, ".")
from storage import *
ours, theirs = storage("same/coordinates.sto"), storage(sys.argv[1])
off = lambda n: [at(ours, n, t) - v for t, v in zip(theirs["time"], theirs[n])]
states = [n for n in theirs if n.startswith("/jointset")]
calm = rms([x for n in states if n.endswith("/speed") and "ankle" not in n for x in off(n)])
every = rms([x for n in states for x in off(n)])
print(calm, every)
assert len(states) == 20 and calm < 1e-2 and every < 0.025
P
claim "... and all moments peak when its own do, within 5 % of the time" python3 - "$data/Moco/Test/std_testMocoTrackGait10dof18musc_solution.sto" <<'P'
import sys; sys.path.insert(0, ".")
from storage import *
ours, theirs = storage("same/controls.sto"), storage(sys.argv[1])
times = [t for t in theirs["time"] if 0.51 <= t <= 0.99]
for side in "rl":
    for joint in ("hip_flexion", "knee_angle", "ankle_angle"):
        name = next(n for n in theirs if n.startswith("/forceset") and n.endswith(f"{joint}_{side}"))
        peak = [max(times, key=lambda t: abs(at(table, n, t))) for table, n in ((ours, f"reserve_{joint}_{side}"), (theirs, name))]
        print(joint, side, peak)
        assert abs(peak[0] - peak[1]) <= 0.025, peak
P
cat >muscles.yaml <<Y
include: ${gait}_subject01.osim
collocate: {intervals: 15, reserves: 100, effort: {reserves: 1, muscles: 100}}
Y
along="${gait}_state_reference.mot --forces ${gait}_subject01_grf.xml --cutoff 6 --begin 0.5 --quiet"
run "$LIMBER" track muscles.yaml $along --end 0.8 --stiff --threads 2 --out muscles
claim "a part of it is tracked by 18 muscles whose activations follow excitations" exits 0
run "$LIMBER" track muscles.yaml $along --end 1 --stepwise --out steps
claim "... and all of it step by step, with elastic tendons" exits 0
claim "... in few iterations, and every step settles" python3 - <<'P'
import json
s, t = (json.load(open(f"{d}/summary.json")) for d in ("muscles", "steps"))
print(s["iterations"], s["off"], s["residual"], t["off"], t.get("unsettled"))
assert s["finished"] and s["iterations"] < 50 and s["off"] < 3e-3 and s["residual"] < 1e-6
assert t["finished"] and t.get("unsettled", 0) == 0 and t["off"] < 1e-4
P
walk=$data/Examples/Moco/example3DWalking
cat >walk.yaml <<Y
include: $walk/subject_walk_scaled.osim
collocate: {intervals: 25, muscles: idle, reserves: 1e5, effort: {reserves: 1e-2}}
Y
run "$LIMBER" track walk.yaml "$walk/coordinates.sto" --forces "$walk/grf_walk.xml" --cutoff 6 --begin 0.48 --end 1.61 --threads 2 --out walk --quiet
claim "a whole walk on 33 coordinates is tracked, with couplers of the knees" exits 0
claim "... and ends soon" python3 - <<'P'
import json
s = json.load(open("walk/summary.json"))
print(s["iterations"], s["off"], s["residual"])
assert s["finished"] and s["iterations"] < 20 and s["off"] < 5e-3 and s["residual"] < 1e-6
P
run "$LIMBER" track walk.yaml "$walk/markers_walk.trc" --forces "$walk/grf_walk.xml" --begin 0.6 --end 0.8 --set collocate.intervals=10 --threads 2 --out markers --quiet
claim "a part of it is tracked by its markers" exits 0
claim "... near the poses of inverse kinematics" python3 - <<'P'
import json
s = json.load(open("markers/summary.json"))
print(s["iterations"], s["off"])
assert s["finished"] and s["off"] < 0.05
P
