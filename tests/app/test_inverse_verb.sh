# limber inverse: from a motion to forces.
cat >arm.yaml <<'Y'
name: Arm
bodies:
  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}
  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}}
joints:
  shoulder: {type: revolute, child: upper, axis: y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: y}
motors:
  a: {joint: shoulder, drive: force, keys: [[0, 0], [0.5, 3]]}
  b: {joint: elbow, drive: force, keys: [[0, 1], [0.5, 0]]}
record: {every: 10 ms, rates: true, reactions: true}
duration: 0.5
Y
run "$LIMBER" simulate arm.yaml --out forward --quiet
claim "a run with rates and reactions" exits 0
claim "... has rates" grep -q "shoulder.qd,shoulder.qdd" forward/trajectory.csv
claim "... and reactions" grep -q "elbow.fx" forward/reactions.csv

run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out back
claim "its motion gives forces" exits 0
claim "... and says where they are" prints "back/inverse.csv"
for file in inverse.csv reactions.csv trajectory.csv summary.json scene.glb report.html; do
  claim "there is $file" test -s back/$file
done
same() { # columns of two tables agree to 1e-9 of their size
  python3 - "$@" <<'P'
import csv, sys
a, b = (list(csv.DictReader(open(f))) for f in sys.argv[1:3])
names = sys.argv[3:] or [n for n in b[0] if n in a[0]]
assert names and len(a) == len(b)
for n in names:
    size = max(abs(float(r[n])) for r in a)
    worst = max(abs(float(r[n]) - float(s[n])) for r, s in zip(a, b))
    assert worst <= 1e-9 * max(size, 1), (n, worst)
P
}
claim "forces are those put in" same forward/trajectory.csv back/inverse.csv a.force b.force
claim "reactions are those of the run" same forward/reactions.csv back/reactions.csv
claim "the report plots them" grep -q '"group":"effort"' back/report.html

# filtered, and with a force from outside
printf 'time,lower.fx,lower.fy,lower.fz\n0,0,0,1\n1,0,0,1\n' >forces.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces forces.csv --cutoff 8 --quiet
claim "filter and forces" exits 0
claim "... quietly" silent
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --cutoff 60
claim "a cut-off above what samples show" exits 2
claim "... is explained" complains "too high"

# what can be wrong with tables
printf 'time,shoulder.q,elbw.q\n0,0,0\n1,0,0\n' >misspelt.csv
run "$LIMBER" inverse arm.yaml misspelt.csv --out more
claim "a missing column" exits 2
claim "... is named, with its neighbour" complains "misspelt.csv:1:1: there is no column 'elbow.q' for joint 'elbow' (did you mean 'elbw.q'?)"
printf 'time,shoulder.q,elbow.q\n0,0,0\n1,0,x\n' >hole.csv
run "$LIMBER" inverse arm.yaml hole.csv --out more
claim "a hole in a column" complains "hole.csv:3:1: column 'elbow.q' must have a number in every line"
printf 'time,shoulder.q,elbow.q\n0,0,0\n0,0,0\n' >still.csv
run "$LIMBER" inverse arm.yaml still.csv --out more
claim "time that stands still" complains "still.csv:3:1: time must rise"
run "$LIMBER" inverse arm.yaml none.csv --out more
claim "no table" exits 2
claim "... is said" complains "none.csv"
printf 'time,lowr.fx,lowr.fy,lowr.fz\n0,0,0,1\n1,0,0,1\n' >nobody.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces nobody.csv
claim "forces on nobody" complains "did you mean 'lower.fx'?"
printf 'time,lower.fx\n0,0\n1,0\n' >part.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces part.csv
claim "part of a force" complains "needs the columns lower.fx, lower.fy and lower.fz"
