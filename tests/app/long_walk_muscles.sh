# A walk by sixteen muscles, found by one command.
scenes=$LIMBER_SOURCE_DIR/scenes
run "$LIMBER" track "$scenes/collocate-walk-muscles.yaml" --out walk --threads 2 --quiet
claim "muscles walk" exits 0
claim "... at the speed asked for, with left and right exchanged, by activations that follow" python3 - <<'P'
import csv, json
s = json.load(open("walk/summary.json"))
print(s["iterations"], s["objective"], s["residual"])
assert s["finished"] and s["residual"] < 1e-2, s
rows = list(csv.DictReader(open("walk/trajectory.csv")))
a, b = rows[0], rows[-1]
speed = (float(b["root.q0"]) - float(a["root.q0"])) / float(b["time"])
assert abs(speed - 1.2) < 1e-4, speed
for joint in ("hip", "knee", "ankle"):
    for one, other in (("l", "r"), ("r", "l")):
        assert abs(float(b[f"{joint}_{one}.q"]) - float(a[f"{joint}_{other}.q"])) < 1e-5
rows = list(csv.DictReader(open("walk/solution.csv")))
for name in ("soleus", "tibialis", "iliopsoas", "hamstrings"):
    left = [float(r[f"{name}_l.activation"]) for r in rows]
    right = [float(r[f"{name}_r.activation"]) for r in rows]
    assert abs(left[-1] - right[0]) < 1e-5 and abs(right[-1] - left[0]) < 1e-5
    assert max(left + right) > 0.1, name
forces = list(csv.DictReader(open("walk/forces.csv")))
total = [sum(float(r[f"floor.foot_{s}.fz"]) for s in "lr") for r in forces]
n = len(total)
w = [1 if i in (0, n - 1) else 4 if i % 2 else 2 for i in range(n)]
mean = sum(k * x for k, x in zip(w, total)) / sum(w)
weight = (50 + 2 * (7.5 + 3.6 + 1.2)) * 9.81
print(speed, mean / weight)
assert abs(mean / weight - 1) < 1e-3
P
claim "... calves act on the leg that stands, hip flexors and shins on the one that swings" python3 - <<'P'
import csv
rows = list(csv.DictReader(open("walk/solution.csv")))
forces = list(csv.DictReader(open("walk/forces.csv")))
weight = (50 + 2 * (7.5 + 3.6 + 1.2)) * 9.81

def mean(muscle, stands):
    a = [float(r[f"{muscle}_{s}.activation"]) for r, f in zip(rows, forces) for s in "lr"
         if (float(f[f"floor.foot_{s}.fz"]) > 0.1 * weight) == stands]
    return sum(a) / len(a)

print({m: (mean(m, True), mean(m, False)) for m in ("soleus", "iliopsoas", "tibialis")})
assert mean("soleus", True) > 3 * mean("soleus", False)
assert mean("iliopsoas", False) > 3 * mean("iliopsoas", True)
assert mean("tibialis", False) > 3 * mean("soleus", False)
P
