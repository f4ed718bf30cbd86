# A model in the size of its subject, by a ScaleTool of OpenSim's: as one that was made so by hand.
cat >generic.yaml <<'Y'
bodies:
  upper: {mass: 2, center: [0.2, 0, 0.01], inertia: [0.01, 0.02, 0.025]}
  lower: {mass: 1, center: [0.1, 0.02, 0], inertia: [0.004, 0.006, 0.008, 0.001, 0, 0]}
joints:
  shoulder: {type: revolute, child: upper, axis: -y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0.4, 0, 0], axis: -y}
markers: {top: {body: upper, at: [0, 0, 0.02]}, joint: {body: upper, at: [0.4, 0, 0.02]}, tip: {body: lower, at: [0.3, 0, 0]}}
muscles:
  m: {through: [{body: upper, at: [0.1, 0, 0.05]}, {body: lower, at: [0.1, 0, 0.03]}], hill: {model: millard, force: 500 N, fiber: 10 cm, slack: 20 cm, elastic: false}}
initial: {elbow: {position: 0}}
Y
# upper arm 1.25 times as long, forearm 1.1 times as large, 4.5 kg together
python3 - <<'P'
import math
up, low = (1.25, 1, 1), (1.1, 1.1, 1.1)
vol = lambda s: s[0] * s[1] * s[2]
masses = [2 * vol(up), 1 * vol(low)]
k = 4.5 / sum(masses)
def inertia(I, s, by):
    h = sum(I[:3]) / 2
    P = [(h - I[i]) * s[i] ** 2 for i in range(3)]
    xy = I[3] * s[0] * s[1] if len(I) > 3 else 0
    return [by * (P[1] + P[2]), by * (P[2] + P[0]), by * (P[0] + P[1])] + [by * xy, 0, 0]
def length(at, tip): # with both arms straight
    return math.dist(at, tip)
was = length((0.1, 0, 0.05), (0.5, 0, 0.03))
now = length((0.125, 0, 0.05), (0.5 + 0.11, 0, 0.033))
open("subject.yaml", "w").write(f"""
bodies:
  upper: {{mass: {masses[0] * k!r}, center: [0.25, 0, 0.01], inertia: {inertia([0.01, 0.02, 0.025], up, vol(up) * k)}}}
  lower: {{mass: {masses[1] * k!r}, center: [0.11, 0.022, 0], inertia: {inertia([0.004, 0.006, 0.008, 0.001], low, vol(low) * k)}}}
joints:
  shoulder: {{type: revolute, child: upper, axis: -y}}
  elbow: {{type: revolute, parent: upper, child: lower, at: [0.5, 0, 0], axis: -y}}
markers: {{top: {{body: upper, at: [0, 0, 0.02]}}, joint: {{body: upper, at: [0.5, 0, 0.02]}}, tip: {{body: lower, at: [0.33, 0, 0]}}}}
muscles:
  m: {{through: [{{body: upper, at: [0.125, 0, 0.05]}}, {{body: lower, at: [0.11, 0, 0.033]}}], hill: {{model: millard, force: 500 N, fiber: {0.1 * now / was!r}, slack: {0.2 * now / was!r}, elastic: false}}}}
""")
def place(a, b, t):
    rot = lambda x, z, w: (x * math.cos(w) - z * math.sin(w), x * math.sin(w) + z * math.cos(w))
    e = rot(0.5, 0, a)
    j, tip, top = rot(0.5, 0.02, a), rot(0.33, 0, a + b), rot(0, 0.02, a)
    row = [t, top[0], 0, top[1], j[0], 0, j[1], e[0] + tip[0], 0, e[1] + tip[1]]
    return ",".join(map(repr, row)) + "\n"
head = "time,top.x,top.y,top.z,joint.x,joint.y,joint.z,tip.x,tip.y,tip.z\n"
with open("walk.csv", "w") as f:
    f.write(head)
    for i in range(101):
        t = 0.01 * i
        f.write(place(0.3 * math.sin(3 * t), 0.4 + 0.2 * math.cos(5 * t), t))
with open("still.csv", "w") as f: # the standing trial, arms straight
    f.write(head + "".join(place(0, 0, t) for t in [0.02 * i for i in range(11)]))
P
cat >scale.xml <<'X'
<OpenSimDocument Version="30000"><ScaleTool name="subject"><mass>4.5</mass><height>1.8</height>
<GenericModelMaker><model_file>generic.yaml</model_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>measurements manualScale</scaling_order>
<MeasurementSet><objects>
  <Measurement name="upper arm"><apply>true</apply>
    <MarkerPairSet><objects><MarkerPair><markers>top joint</markers></MarkerPair></objects></MarkerPairSet>
    <BodyScaleSet><objects><BodyScale name="upper"><axes>X</axes></BodyScale></objects></BodyScaleSet>
  </Measurement>
</objects></MeasurementSet>
<ScaleSet><objects><Scale><scales>1.1 1.1 1.1</scales><segment>lower</segment><apply>true</apply></Scale></objects></ScaleSet>
<marker_file>still.csv</marker_file><time_range>0 0.2</time_range>
<preserve_mass_distribution>false</preserve_mass_distribution></ModelScaler></ScaleTool></OpenSimDocument>
X
run "$LIMBER" analyse generic.yaml walk.csv --scale scale.xml --cutoff 20 --out scaled
claim "a model is scaled and analysed" exits 0
claim "... by the measured ratio" prints "upper arm: 1.2500"
run "$LIMBER" analyse subject.yaml walk.csv --cutoff 20 --out subject --quiet
claim "the subject's own model is analysed" exits 0
claim "... and both have the same moments, lengths and muscle forces" python3 - <<'P'
import csv, json
a, b = (json.load(open(d + "/summary.json")) for d in ("scaled", "subject"))
assert a["rms"] < 1e-9 and b["rms"] < 1e-9, (a["rms"], b["rms"])
x, y = (list(csv.DictReader(open(d + "/inverse.csv"))) for d in ("scaled", "subject"))
assert len(x) == 101
for p, q in zip(x, y):
    for name in p:
        assert abs(float(p[name]) - float(q[name])) < 1e-9, (name, p[name], q[name])
for name in ("lengths", "activations", "muscle_forces"):
    p, q = (open(f"{d}/{name}.sto").read().splitlines()[-1].split() for d in ("scaled", "subject"))
    assert all(abs(float(s) - float(t)) < 1e-7 * (1 + abs(float(t))) for s, t in zip(p, q)), (name, p, q)
P
sed 's/top joint/top elbow/' scale.xml >bad.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale bad.xml --out none
claim "a marker that is not there is a mistake" exits 2
claim "... with its line" complains "bad.xml:5:"
sed 's/"upper"/"uper"/' scale.xml >bad.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale bad.xml --out none
claim "a body that is not there is a mistake" complains "the model has no body 'uper'"
sed 's/1.1 1.1 1.1/1.1 0 1.1/' scale.xml >bad.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale bad.xml --out none
claim "sizes of nothing are a mistake" complains "must be greater than 0"
sed 's|<time_range>0 0.2|<time_range>5 6|' scale.xml >bad.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale bad.xml --out none
claim "times that the trial does not have are a mistake" complains "bad.xml:5:"
claim "... that says which it has" complains "are never seen together in the <time_range> of the trial, whose samples go from 0 to"
sed 's|<time_range>0 0.2|<time_range>0.2 0|' scale.xml >bad.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale bad.xml --out none
claim "times in the wrong order are a mistake" complains "bad.xml:11:48: <time_range> must have two numbers that rise"
sed 's|<time_range>0 0.2|<time_range>-Inf Inf|' scale.xml >open.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale open.xml --cutoff 20 --out open
claim "a trial may count as a whole" prints "upper arm: 1.2500"
awk -F, -v OFS=, 'NR > 1 && $1 < 0.09 { $5 = 3 } 1' still.csv >late.csv # still from 0.1 s on
sed 's|still.csv</marker_file><time_range>0 0.2|late.csv</marker_file><time_range>0.1 Inf|' scale.xml >open.xml
run "$LIMBER" analyse generic.yaml walk.csv --scale open.xml --cutoff 20 --out open
claim "... or from a time on" prints "upper arm: 1.2500"

# MarkerPlacer: a marker that sits elsewhere on the subject goes there, by the standing trial
python3 - <<'P'
import math
text = open("generic.yaml").read()
open("placed.yaml", "w").write(text.replace("tip: {body: lower, at: [0.3, 0, 0]}", "tip: {body: lower, at: [0.3, 0, 0]}, mid: {body: lower, at: [0.15, 0, 0.02]}"))
open("held.yaml", "w").write(open("placed.yaml").read().replace("tip: {body: lower, at: [0.3, 0, 0]}", "tip: {body: lower, at: [0.3, 0, 0], fixed: true}"))
rot = lambda p, w: (p[0] * math.cos(w) - p[1] * math.sin(w), p[0] * math.sin(w) + p[1] * math.cos(w))
def row(a, b, t): # the subject's tip is 1 cm farther out and 2 cm higher
    e = rot((0.5, 0), a)
    low = [(e[0] + p[0], e[1] + p[1]) for p in (rot((0.34, 0.02), a + b), rot((0.165, 0.022), a + b))]
    places = [rot((0, 0.02), a), rot((0.5, 0.02), a)] + low
    return f"{t!r}," + ",".join(f"{x!r},0,{z!r}" for x, z in places) + "\n"
head = "time," + ",".join(f"{n}.{x}" for n in ("top", "joint", "tip", "mid") for x in "xyz") + "\n"
with open("walk2.csv", "w") as f:
    f.write(head + "".join(row(0.3 * math.sin(0.03 * i), 0.4 + 0.2 * math.cos(0.05 * i), 0.01 * i) for i in range(101)))
with open("still2.csv", "w") as f: # sways a little about 0.2 and 0.3, but its middle part is still
    f.write(head + "".join(row(0.2 + (0.1 if i < 3 else 0), 0.3, 0.02 * i) for i in range(11)))
scale = open("scale.xml").read().replace("still.csv", "still2.csv")
task = lambda n, w: f'<IKMarkerTask name="{n}"><apply>true</apply><weight>{w}</weight></IKMarkerTask>'
placer = f"""<MarkerPlacer><apply>true</apply><IKTaskSet><objects>{task("top", 1)}{task("joint", 1)}{task("mid", 1)}{task("tip", 0)}</objects></IKTaskSet>
<marker_file>still2.csv</marker_file><time_range>0.1 0.2</time_range><max_marker_movement>-1</max_marker_movement><output_model_file>x.osim</output_model_file></MarkerPlacer>"""
open("place.xml", "w").write(scale.replace("</ModelScaler>", "</ModelScaler>" + placer))
P
run "$LIMBER" ik placed.yaml walk2.csv --scale place.xml --out placed
claim "markers are placed" exits 0
claim "... which is told" prints "4 markers, by 11.2 mm (rms) and at most 22.4 mm: 'tip'"
claim "... with no complaint" test ! -s stderr
claim "... so that the walk fits, to 1e-9 m" python3 - <<'P'
import csv, json, math
assert json.load(open("placed/summary.json"))["rms"] < 1e-9
for i, r in enumerate(csv.DictReader(open("placed/trajectory.csv"))):
    assert abs(float(r["shoulder.q"]) - 0.3 * math.sin(0.03 * i)) < 1e-8 and abs(float(r["elbow.q"]) - 0.4 - 0.2 * math.cos(0.05 * i)) < 1e-8, (i, r["elbow.q"])
P
run "$LIMBER" ik held.yaml walk2.csv --scale place.xml --out held
claim "a fixed marker stays where it is" prints "3 markers, by"
claim "... and is off" python3 -c 'import json; assert json.load(open("held/summary.json"))["rms"] > 2e-3'
sed 's|<apply>true</apply><IKTaskSet>|<apply>false</apply><IKTaskSet>|' place.xml >off.xml
run "$LIMBER" ik placed.yaml walk2.csv --scale off.xml --out off --quiet
claim "a placer that is off does nothing" python3 -c 'import json; assert json.load(open("off/summary.json"))["rms"] > 2e-3'
sed 's|<marker_file>still2.csv</marker_file><time_range>0.1|<time_range>0.1|' place.xml >bad.xml
run "$LIMBER" ik placed.yaml walk2.csv --scale bad.xml --out none
claim "a placer must name a trial" complains "<MarkerPlacer> must name a trial in <marker_file>"
sed 's|<time_range>0.1 0.2|<time_range>5 6|' place.xml >bad.xml
run "$LIMBER" ik placed.yaml walk2.csv --scale bad.xml --out none
claim "a trial must be seen between its times" complains "no marker of the model is seen between the times"

# without a ScaleTool: distances between markers of one body, in a standing trial, give its size
cat >plain.yaml <<'Y'
bodies:
  upper: {mass: 2, center: [0.2, 0, 0.01], inertia: [0.01, 0.02, 0.025]}
  lower: {mass: 1, center: [0.1, 0.02, 0], inertia: [0.004, 0.006, 0.008, 0.001, 0, 0]}
  hand: {mass: 0.5, inertia: [0.001, 0.001, 0.001]}
joints:
  shoulder: {type: revolute, child: upper, axis: -y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0.4, 0, 0], axis: -y}
  wrist: {type: revolute, parent: lower, child: hand, at: [0.3, 0, 0], axis: -y}
markers: {a: {body: upper, at: [0.05, 0, 0.03]}, b: {body: upper, at: [0.35, 0, 0.02]}, c: {body: upper, at: [0.2, 0.04, 0]}, d: {body: lower, at: [0.02, 0, 0.03]}, e: {body: lower, at: [0.28, 0, -0.01]}, f: {body: hand, at: [0.05, 0, 0]}}
Y
python3 - <<'P'
import math
rot = lambda p, w: (p[0] * math.cos(w) - p[2] * math.sin(w), p[1], p[0] * math.sin(w) + p[2] * math.cos(w))
add = lambda p, q: tuple(x + y for x, y in zip(p, q))
by = lambda p, s: tuple(s * x for x in p)
up, low = 1.2, 0.9 # of the subject; the hand is as the forearm
head = "time," + ",".join(f"{n}.{x}" for n in "abcdef" for x in "xyz") + "\n"
def row(t, q):
    e = rot((0.4 * up, 0, 0), q[0]); w = add(e, rot((0.3 * low, 0, 0), q[0] + q[1]))
    places = [rot(by(p, up), q[0]) for p in ((0.05, 0, 0.03), (0.35, 0, 0.02), (0.2, 0.04, 0))]
    places += [add(e, rot(by(p, low), q[0] + q[1])) for p in ((0.02, 0, 0.03), (0.28, 0, -0.01))]
    places += [add(w, rot(by((0.05, 0, 0), low), sum(q)))]
    return f"{t!r}," + ",".join(repr(x) for p in places for x in p) + "\n"
open("stand.csv", "w").write(head + "".join(row(0.01 * i, (-1.2, 0.1, 0.05)) for i in range(11)))
open("move.csv", "w").write(head + "".join(row(0.01 * i, (0.3 * math.sin(0.03 * i), 0.4, 0.1)) for i in range(101)))
P
run "$LIMBER" ik plain.yaml move.csv --standing stand.csv --out stood
claim "a standing trial gives bodies their size" exits 0
claim "... by their own markers" prints "upper: 1.2000, by 3 pairs"
claim "... each by itself" prints "lower: 0.9000, by 1 pair"
claim "... and what was not measured is told" prints "hand was not measured: as lower"
claim "... so that the motion fits, to 1e-9 m" python3 - <<'P'
import csv, json, math
assert json.load(open("stood/summary.json"))["rms"] < 1e-9
for i, r in enumerate(csv.DictReader(open("stood/trajectory.csv"))):
    assert abs(float(r["shoulder.q"]) - 0.3 * math.sin(0.03 * i)) < 1e-8 and abs(float(r["wrist.q"]) - 0.1) < 1e-8
P
run "$LIMBER" ik plain.yaml move.csv --standing stand.csv --scale scale.xml --out none
claim "two sizes are a mistake" complains "--scale and --standing both say how large bodies are"
cut -d, -f1-4,17-19 stand.csv >few.csv
run "$LIMBER" ik plain.yaml move.csv --standing few.csv --out none
claim "a trial with one marker a body says nothing" complains "few.csv: no body of the model has two markers in this trial"

# all bodies alike: every length of a model grows alike, joints that slide by functions included
data=${LIMBER_SHARED:-}/data/osim/opensim-core
if [ ! -d "$data" ]; then return 0; fi
for model in "$data/OpenSim/Examples/Moco/example3DWalking/subject_walk_scaled.osim $data/OpenSim/Examples/Moco/example3DWalking/coordinates.sto 80" \
  "$data/OpenSim/Moco/Test/walk_gait1018_subject01.osim $data/OpenSim/Moco/Test/walk_gait1018_state_reference.mot 18"; do
  read -r osim motion count <<<"$model"
  python3 - "$osim" <<'P'
import re, sys
names = re.findall(r'<Body name="([^"]+)"', open(sys.argv[1], encoding="utf8").read())
scales = "".join(f"<Scale><scales>1.1 1.1 1.1</scales><segment>{n}</segment></Scale>" for n in names if n != "ground")
open("all.xml", "w").write(f"<OpenSimDocument><ScaleTool><ModelScaler><ScaleSet><objects>{scales}</objects></ScaleSet></ModelScaler></ScaleTool></OpenSimDocument>")
P
  run "$LIMBER" muscle lengths "$osim" "$motion" --begin 0.9 --end 0.95 --out plain --quiet --force
  claim "lengths of $count muscles" exits 0
  run "$LIMBER" muscle lengths "$osim" "$motion" --begin 0.9 --end 0.95 --scale all.xml --out large --quiet --force
  claim "... and of them in a larger body" exits 0
  claim "... are as much longer as that is" python3 - $count <<'P'
import sys
a, b = (open(d + "/lengths.sto").read().splitlines()[7:] for d in ("plain", "large"))
assert len(a) == len(b) > 3
worst = max(abs(float(y) / float(x) / 1.1 - 1) for r, s in zip(a[1:], b[1:]) for x, y in zip(r.split()[1:], s.split()[1:]))
print(len(a[1].split()) - 1, worst)
assert len(a[1].split()) - 1 == int(sys.argv[1]) and worst < 1e-9
P
done
