# Inverse kinematics and dynamics of OpenSim's own models, against its results.
data=${LIMBER_SHARED:-}/data/osim/opensim-core
if [ ! -d "$data" ]; then
  echo "no reference data: nothing to compare with"
  claim "there is nothing to do" true
  return 0
fi
arm=$data/Applications/ID/tests/resources
run "$LIMBER" inverse "$arm/arm26.osim" "$arm/arm26_InverseKinematics.mot" --cutoff 6 --filter opensim --out arm --quiet
claim "a motion of OpenSim's arm gives forces" exits 0
cat >compare.py <<'P'
import csv, math, sys
def storage(path):
    lines = open(path).read().splitlines()
    first = [i for i, line in enumerate(lines) if line.strip() == "endheader"][0] + 1
    return [dict(zip(lines[first].split(), map(float, line.split()))) for line in lines[first + 1:] if line.strip()]
P
claim "... those of its own tool, to 1e-3 N m (R1)" python3 - "$arm/std_arm26_InverseDynamics.sto" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
ours = list(csv.DictReader(open("arm/inverse.csv")))
theirs = storage(sys.argv[1])
assert len(ours) == len(theirs) == 121
for name, column in (("r_shoulder_elev_moment", "r_shoulder.tau"), ("r_elbow_flex_moment", "r_elbow.tau")):
    rms = math.sqrt(sum((float(a[column]) - b[name]) ** 2 for a, b in zip(ours, theirs)) / 121)
    print(name, rms)
    assert rms < 1e-3
P
walk=$data/OpenSim/Examples/Moco/example3DWalking
run "$LIMBER" ik "$walk/subject_walk_scaled.osim" "$walk/markers_walk.trc" --out walk --quiet
claim "markers of a walk give poses" exits 0
claim "... that come near, and are found in few iterations" python3 - <<'P'
import json
s = json.load(open("walk/summary.json"))
print(s["rms"], s["iterations"] / s["samples"])
assert s["samples"] == 238 and s["unfinished"] == 0 and s["blind"] == 0
assert s["rms"] < 0.015 and s["iterations"] < 10 * s["samples"]
P
claim "... within the 31 ranges that are clamped" python3 - "$walk/subject_walk_scaled.osim" <<'P'
import json, sys; sys.path.insert(0, ".")
from compare import *
import xml.etree.ElementTree as xml
rows, at, checked = storage("walk/coordinates.sto"), {}, 0
for c in xml.parse(sys.argv[1]).iter("Coordinate"):
    if c.findtext("clamped") == "true" and c.findtext("locked") != "true":
        low, high = map(float, c.findtext("range").split())
        name = next(k for k in rows[0] if k.endswith(f"/{c.get('name')}/value") or k == c.get("name"))
        assert all(low - 1e-12 <= r[name] <= high + 1e-12 for r in rows), name
        n = sum(r[name] <= low + 1e-6 or r[name] >= high - 1e-6 for r in rows)
        at.update({c.get("name"): n} if n else {})
        checked += 1
print(checked, at)
assert checked > 20 and at == json.load(open("walk/summary.json"))["at_limit"], at
P
claim "... some degrees from those of its own tools, which changed them afterwards" python3 - "$walk/coordinates.sto" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
ours, theirs = storage("walk/coordinates.sto"), storage(sys.argv[1])
checked = 0
for name in theirs[0]:
    joint = name.split("/")[-2] if name.endswith("/value") else ""
    if joint.startswith(("hip_", "knee_angle_", "ankle_")) and not joint.endswith("_beta"):
        off = [abs(a[name] - min(theirs, key=lambda b: abs(b["time"] - a["time"]))[name])
               for a in ours if theirs[0]["time"] <= a["time"] <= theirs[-1]["time"]]
        rms = math.sqrt(sum(x * x for x in off) / len(off))
        print(joint, rms)
        assert rms < 0.1
        checked += 1
assert checked == 10
P
run "$LIMBER" inverse "$walk/subject_walk_scaled.osim" "$walk/coordinates.sto" --out lengths --quiet
claim "a motion without some coordinates, and with others in units of their own, gives lengths" exits 0
claim "... of 80 muscles, as OpenSim fitted them (R8)" python3 - "$walk" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
import xml.etree.ElementTree as xml
# terms of a polynomial: powers of the last coordinate rise first
def value(c, order, x):
    terms = iter(c)
    def of(rest, left):
        if not rest:
            return next(terms)
        return sum(rest[0] ** e * of(rest[1:], left - e) for e in range(left + 1))
    return of(x, order)
motion, ours = storage(sys.argv[1] + "/coordinates.sto"), list(csv.DictReader(open("lengths/forces.csv")))
offsets = ("ehl", "fhl", "edl", "fdl") # the stored ones differ by a constant
found = []
for path in xml.parse(sys.argv[1] + "/subject_walk_scaled_FunctionBasedPathSet.xml").iter("FunctionBasedPath"):
    name, p = path.get("name").split("/")[-1], path.find("length_function/MultivariatePolynomialFunction")
    c, order = list(map(float, p.find("coefficients").text.split())), int(p.find("order").text)
    at = [n + "/value" for n in path.find("coordinate_paths").text.split()]
    off = [float(ours[i][name + ".length"]) - value(c, order, [motion[i].get(n, 0) for n in at])
           for i in range(0, len(motion), 45)]
    mean = sum(off) / len(off) if name[:-2] in offsets else 0
    rms = 1e3 * math.sqrt(sum((x - mean) ** 2 for x in off) / len(off))
    found.append((rms, name))
    # gaslat runs over two surfaces, of which OpenSim does not find the shortest way
    assert rms < (4 if name.startswith("gaslat") else 0.1 if name.startswith("gasmed") else 0.5), (name, rms)
found.sort()
assert len(found) == 80
print("median", found[40], "gasmed", [r for r, n in found if n.startswith("gasmed")], "worst", found[-4:])
P
