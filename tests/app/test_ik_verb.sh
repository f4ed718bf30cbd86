# limber ik: from markers to joints, and on to forces.
cat >arm.yaml <<'Y'
name: Arm
bodies:
  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}
  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}}
joints:
  shoulder: {type: revolute, child: upper, axis: y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: y}
initial: {shoulder: {position: 0.8}}
record: {every: 5 ms, rates: true}
duration: 0.5
Y
run "$LIMBER" simulate arm.yaml --out forward --quiet
claim "a run" exits 0
# bodies' origins alone leave the forearm's turn open, so the scene has markers of its own
python3 - <<'P'
import csv, math
rows = list(csv.DictReader(open("forward/trajectory.csv")))
with open("markers.csv", "w") as out:
    out.write("time,elbow.x,elbow.y,elbow.z,hand.x,hand.y,hand.z,spare.x,spare.y,spare.z\n")
    for r in rows:
        a, b = float(r["shoulder.q"]), float(r["shoulder.q"]) + float(r["elbow.q"])
        x, z = -0.4 * math.sin(a), -0.4 * math.cos(a)
        u, w = x - 0.3 * math.sin(b), z - 0.3 * math.cos(b)
        out.write(f"{r['time']},{x!r},0,{z!r},{u!r},0,{w!r},1,2,3\n")
P
{ cat arm.yaml; printf 'markers:\n  elbow: {body: lower}\n  hand: {body: lower, at: [0, 0, -0.3]}\n  unseen: {body: upper}\n'; } >marked.yaml
run "$LIMBER" ik marked.yaml markers.csv --out pose
claim "its markers give poses" exits 0
claim "... and says how near" prints "markers"
for file in trajectory.csv markers.csv report.html scene.glb summary.json; do
  claim "there is $file" test -s pose/$file
done
claim "coordinates are those of the run" python3 - <<'P'
import csv
a, b = (list(csv.DictReader(open(f + "/trajectory.csv"))) for f in ("forward", "pose"))
assert len(a) == len(b)
for r, s in zip(a, b):
    for n in ("shoulder.q", "elbow.q"):
        assert abs(float(r[n]) - float(s[n])) < 1e-9, (n, r[n], s[n])
P
run "$LIMBER" inverse arm.yaml pose/trajectory.csv --out back --quiet
claim "they go on to inverse dynamics" exits 0
claim "... where a free swing needs nothing" python3 - <<'P'
import csv
for r in csv.DictReader(open("back/inverse.csv")):
    assert abs(float(r["shoulder.tau"])) < 1e-2 and abs(float(r["elbow.tau"])) < 1e-2, r
P
printf 'time,elow.x,elow.y,elow.z\n0,1,2,3\n1,1,2,3\n' >wrong.csv
run "$LIMBER" ik marked.yaml wrong.csv --out none
claim "a table without any of the markers is refused" exits 2
claim "... with what it might have meant" complains "elow"

# a clamped range of OpenSim's holds; a locked coordinate stays, whatever its range
cat >make.py <<'P'
import math
pin = lambda name, parent, child, at, coordinate: f"""<PinJoint name="{name}"><socket_parent_frame>in_{name}</socket_parent_frame><socket_child_frame>/bodyset/{child}</socket_child_frame>
<coordinates>{coordinate}</coordinates>
<frames><PhysicalOffsetFrame name="in_{name}"><socket_parent>{parent}</socket_parent><translation>{at}</translation></PhysicalOffsetFrame></frames></PinJoint>"""
body = lambda name: f'<Body name="{name}"><mass>1</mass><mass_center>0 -0.1 0</mass_center><inertia>0.01 0.01 0.01 0 0 0</inertia></Body>'
marker = lambda name, of, at: f'<Marker name="{name}"><socket_parent_frame>/bodyset/{of}</socket_parent_frame><location>{at}</location></Marker>'
def write(file, clamped):
    open(file, "w").write(f"""<OpenSimDocument Version="40000"><Model name="arm"><BodySet><objects>{body("upper")}{body("lower")}{body("hand")}</objects></BodySet>
<JointSet><objects>
{pin("shoulder", "/ground", "upper", "0 0 0", '<Coordinate name="raise"/>')}
{pin("elbow", "/bodyset/upper", "lower", "0 -0.4 0", f'<Coordinate name="bend"><range>0 0.5</range><clamped>{clamped}</clamped></Coordinate>')}
{pin("wrist", "/bodyset/lower", "hand", "0 -0.3 0", '<Coordinate name="turn"><default_value>0.2</default_value><range>0.5 1</range><clamped>true</clamped><locked>true</locked></Coordinate>')}
</objects></JointSet>
<MarkerSet><objects>{marker("e", "upper", "0 -0.4 0")}{marker("w", "lower", "0 -0.3 0")}{marker("h", "hand", "0 -0.1 0")}</objects></MarkerSet></Model></OpenSimDocument>""")
write("free.osim", "false")
write("clamped.osim", "true")
foot = lambda a, l: (l * math.sin(a), -l * math.cos(a)) # of a bone that hangs and is turned
def places(a, b, c):
    e, w, h = foot(a, 0.4), foot(a + b, 0.3), foot(a + b + c, 0.1)
    return e, (e[0] + w[0], e[1] + w[1]), (e[0] + w[0] + h[0], e[1] + w[1] + h[1])
if __name__ == "__main__":
    with open("bend.csv", "w") as out:
        out.write("time," + ",".join(f"{n}.{x}" for n in "ewh" for x in "xyz") + "\n")
        for i in range(101):
            t = 0.01 * i
            p = places(0.3 + t, 0.5 + 0.7 * math.sin(6 * t + 0.1), 0.2)
            out.write(f"{t!r}," + ",".join(f"{x!r},0,{y!r}" for x, y in p) + "\n")
P
python3 make.py
run "$LIMBER" ik free.osim bend.csv --out free --quiet
claim "a range that is not clamped holds nothing" exits 0
run "$LIMBER" ik clamped.osim bend.csv --out clamped
claim "one that is clamped does" exits 0
claim "... and it is said for how long" prints "'bend' was at its limit for 0."
claim "... in the nearest pose there is, by the closed form" python3 - <<'P'
import json, math
from make import places
def storage(path):
    lines = open(path).read().splitlines()
    first = lines.index("endheader") + 1
    return [dict(zip(lines[first].split(), map(float, line.split()))) for line in lines[first + 1:]]
free, held = storage("free/coordinates.sto"), storage("clamped/coordinates.sto")
at = 0
for a, b in zip(free, held):
    (raise_a, bend_a, turn_a), (raise_b, bend_b, turn_b) = ([next(v for k, v in r.items() if k == n or k.endswith(f"/{n}/value")) for n in ("raise", "bend", "turn")] for r in (a, b))
    t = a["time"]
    asked = 0.5 + 0.7 * math.sin(6 * t + 0.1)
    assert abs(bend_a - asked) < 1e-7 and abs(turn_a - 0.2) < 1e-9 and abs(turn_b - 0.2) < 1e-9, (t, bend_a, turn_b)
    assert 0 <= bend_b <= 0.5, (t, bend_b)
    bend = min(max(asked, 0), 0.5)
    # at a limit, what is left turns as one body: the angle of the sum of products
    p, y = places(0, bend, 0.2), places(0.3 + t, asked, 0.2)
    turn = math.atan2(sum(u[0] * v[1] - u[1] * v[0] for u, v in zip(p, y)), sum(u[0] * v[0] + u[1] * v[1] for u, v in zip(p, y)))
    if bend != asked:
        at += 1
        assert bend_b == bend and abs(raise_b - turn) < 1e-7, (t, bend_b, raise_b, turn)
    else:
        assert abs(bend_b - asked) < 1e-7 and abs(raise_b - 0.3 - t) < 1e-7
s = json.load(open("clamped/summary.json"))
assert s["at_limit"] == {"bend": at} and at > 50, (s["at_limit"], at)
assert json.load(open("free/summary.json"))["at_limit"] == {}
P
run "$LIMBER" convert clamped.osim --out scene --quiet
run "$LIMBER" ik scene/clamped.yaml bend.csv --out again --quiet
claim "the converted scene keeps the range" cmp clamped/coordinates.sto again/coordinates.sto
printf 'bodies: {a: {shape: {sphere: {radius: 1 cm}}}}\njoints: {j: {type: revolute, child: a, axis: z, clamped: [true]}}\n' >bad.yaml
run "$LIMBER" check bad.yaml
claim "clamped without a range is a mistake" complains "must have true or false for each of 'ranges'"

# A marker in the world stays where it is.
{ cat marked.yaml; printf '  spare: {body: world, at: [1, 2, 3]}\n'; } >world.yaml
run "$LIMBER" ik world.yaml markers.csv --out still
claim "a marker in the world is one of the markers" prints "by 3 markers"
claim "... and moves nothing" cmp pose/trajectory.csv still/trajectory.csv
claim "... nor itself" python3 - <<'P'
import csv
for r in csv.DictReader(open("still/markers.csv")):
    assert [float(r["spare." + a]) for a in "xyz"] == [1, 2, 3], r
P
