# A walk that is predicted, looked at, refined, and played by a simulation.
scene=$LIMBER_SOURCE_DIR/scenes/collocate-walk.yaml
run "$LIMBER" track "$scene" --out walk --threads 2 --quiet
claim "a walk is found" exits 0
claim "... at the speed asked for, with left and right exchanged, on its feet" python3 - <<'P'
import csv, json
s = json.load(open("walk/summary.json"))
assert s["finished"] and s["residual"] < 1e-2, s
rows = list(csv.DictReader(open("walk/trajectory.csv")))
a, b = rows[0], rows[-1]
time = float(b["time"])
speed = (float(b["root.q0"]) - float(a["root.q0"])) / time
assert abs(speed - 1.2) < 1e-4, speed
for joint in ("hip", "knee", "ankle"):
    for one, other in (("l", "r"), ("r", "l")):
        gap = float(b[f"{joint}_{one}.q"]) - float(a[f"{joint}_{other}.q"])
        assert abs(gap) < 1e-5, (joint, gap)
forces = list(csv.DictReader(open("walk/forces.csv")))
left, right = ([float(r[f"floor.foot_{s}.fz"]) for r in forces] for s in "lr")
weight = (50 + 2 * (7.5 + 3.6 + 1.2)) * 9.81
# Simpson's rule over half a cycle: the floor carries the weight
n = len(left)
w = [1 if i in (0, n - 1) else 4 if i % 2 else 2 for i in range(n)]
mean = sum(k * (x + y) for k, x, y in zip(w, left, right)) / sum(w)
print(speed, time, mean / weight, max(left), max(right))
assert abs(mean / weight - 1) < 1e-3
assert max(left) > 0.5 * weight and max(right) > 0.5 * weight  # each foot has its turn
assert min(left + right) > -0.01 * weight
P
run "$LIMBER" track "$scene" --out walk --resume --set collocate.intervals=100 --threads 2 --quiet
claim "it is refined on a finer mesh" exits 0
run "$LIMBER" simulate "$scene" --states walk/trajectory.csv --controls walk/controls.sto \
  --set record.every=1ms --out play --quiet
claim "its torques are played" exits 0
claim "... and make the same motion for half a step; a walk without feedback falls later" python3 - <<'P'
import bisect, csv
found, played = (list(csv.DictReader(open(f"{d}/trajectory.csv"))) for d in ("walk", "play"))
names = [f"root.q{k}" for k in range(3)] + [f"{j}_{s}.q" for j in ("hip", "knee", "ankle") for s in "lr"]
at = [float(r["time"]) for r in played]
worst = 0
for r in found:
    t = float(r["time"])
    if t > 0.2:
        break
    i = min(max(bisect.bisect(at, t), 1), len(at) - 1)
    w = (t - at[i - 1]) / (at[i] - at[i - 1])
    for n in names:
        worst = max(worst, abs((1 - w) * float(played[i - 1][n]) + w * float(played[i][n]) - float(r[n])))
print("off by", worst, "rad or m")
assert worst < 5e-3
P
