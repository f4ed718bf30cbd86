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
