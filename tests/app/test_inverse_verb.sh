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

# what lies on a floor needs nothing, if it is near enough to touch
cat >box.yaml <<'Y'
bodies: {box: {shape: {box: [0.2, 0.2, 0.2]}, mass: 2, position: [0, 0, 0.1]}}
constraints: {ground: {floor: {body: box, points: [{at: [0, 0, -0.1]}]}}}
Y
{
  echo time,box.q0,box.q1,box.q2,box.q3,box.q4,box.q5,box.q6
  for t in 0 1 2 3 4 5 6 7; do echo "$t,0,0,0.102,1,0,0,0"; done
} >above.csv
run "$LIMBER" inverse box.yaml above.csv --out floor --quiet
claim "a box two millimetres above a floor" exits 0
claim "... hangs in the air" grep -q "^3,.*,19.62$" floor/inverse.csv
run "$LIMBER" inverse box.yaml above.csv --out floor --touch 5mm --quiet
claim "... and lies on it by a wider --touch" exits 0
claim "... which carries it" grep -q "^3,.*,19.62,0,0,0" floor/reactions.csv
run "$LIMBER" inverse box.yaml above.csv --out floor --touch far
claim "no length" exits 2
claim "... is reported what is one" complains "a positive length"

# every point of a floor has columns of its own, which sum up to the weight
cat >table.yaml <<'Y'
bodies: {box: {shape: {box: [0.2, 0.2, 0.2]}, mass: 2, position: [0, 0, 0.1]}}
constraints:
  ground: {floor: {body: box, points: [{at: [0.1, 0.1, -0.1]}, {at: [-0.1, 0.1, -0.1]}, {at: [0, -0.1, -0.1]}]}}
record: {every: 10 ms, reactions: true}
duration: 0.1
Y
run "$LIMBER" simulate table.yaml --out table --quiet
claim "a box on three points" exits 0
twice=$(head -1 table/reactions.csv | tr , '\n' | sort | uniq -d)
claim "... has no column twice" test -z "$twice"
sum=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /^ground[.][0-2][.]fz$/) at[i] = 1}
  NR > 1 {sum = 0; for (i in at) sum += $i; last = sum} END {printf "%.9f", last}' table/reactions.csv)
claim "... whose forces are its weight" test "$sum" = 19.620000000
claim "... and names for them in the report" grep -q '"name":"ground 2","group":"reaction"' table/report.html

# what can be wrong with tables
printf 'time,shoulder.q,elbw.q\n0,0,0\n1,0,0\n' >misspelt.csv
run "$LIMBER" inverse arm.yaml misspelt.csv --out more
claim "a missing column" exits 2
claim "... is named, with its neighbour" complains "misspelt.csv:1:1: there is no column 'elbow.q' for joint 'elbow' (did you mean 'elbw.q'?)"
printf 'time,shoulder.q,elbow.q\n0,0,0\n1,0,x\n' >hole.csv
run "$LIMBER" inverse arm.yaml hole.csv --out more
claim "a hole in a column" complains "hole.csv:3:1: column 'elbow.q' must have a number in every line"

cat >ball.yaml <<'Y'
bodies: {a: {shape: {box: [0.1, 0.2, 0.3]}}}
joints: {ball: {type: spherical, child: a}}
Y
printf '%s\n' time,ball.q0,ball.q1,ball.q2,ball.q3 0,1,0,0,0 0.1,0,0,0,0 0.2,1,0,0,0 >nowhere.csv
run "$LIMBER" inverse ball.yaml nowhere.csv --out nowhere
claim "a quaternion of zeros" exits 2
claim "... is reported" complains "nowhere.csv:3:1: the quaternion of joint 'ball' (columns q0 to q3) is zero"
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
claim "part of a force" complains "part.csv:1:1: there is no column 'lower.fy' for the force on body 'lower', which needs fx, fy and fz"
forces=lower.fx,lower.fy,lower.fz
printf 'time,%s,lower.ppx,lower.py,lower.pz\n0,0,0,1,1,0,0\n1,0,0,1,1,0,0\n' $forces >point.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces point.csv
claim "part of a point" exits 2
claim "... is reported" complains "point.csv:1:1: there is no column 'lower.px' for the point on body 'lower', which needs px, py and pz (did you mean 'lower.ppx'?)"
printf 'time,%s,lower.mz\n0,0,0,1,1\n1,0,0,1,1\n' $forces >moment.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces moment.csv --quiet
claim "a moment about one axis" exits 0
printf 'time,%s,uper.fx,uper.fy,uper.fz\n0,0,0,1,1,0,0\n1,0,0,1,1,0,0\n' $forces >other.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces other.csv
claim "a force on a misspelt body beside others" complains "other.csv:1:33: column 'uper.fx' belongs to no body of the scene (did you mean 'upper.fx'?)"
printf 'time,%s,lower.vx,plate.x\n0,0,0,1,1,0\n1,0,0,1,1,0\n' $forces >further.csv
run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more --forces further.csv --quiet
claim "further columns" exits 0
for option in --cutoff --force-cutoff; do
  run "$LIMBER" inverse arm.yaml forward/trajectory.csv --out more $option -3
  claim "$option below nothing" complains "it must be a positive frequency in hertz, such as 6 or 20Hz"
done

# Finite numbers may be too large to work with.
printf 'time,shoulder.q,elbow.q\n0,0,0\n0.1,1e300,0\n0.2,-1e300,0\n' >huge.csv
run "$LIMBER" inverse "$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml" huge.csv --out huge
claim "a motion of huge values is bad input" exits 2
claim "... and it says where" complains "huge.csv:3:1: column 'shoulder.q' has 1e+300, which is too large"
cat >far.yaml <<'Y'
duration: 20 ms
solver: {integrator: rk4, step: 1 ms}
bodies: {far: {mass: 1 kg, inertia: [1, 1, 1]}, wheel: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {axle: {type: revolute, child: wheel, axis: z}}
initial: {far: {position: [7.0e6 m, 0, 0]}, axle: {position: 1.2e6 rad}}
Y
run "$LIMBER" simulate far.yaml --out far --quiet
run "$LIMBER" inverse far.yaml far/trajectory.csv --out far_forces
claim "a motion that was simulated far away is read" exits 0
printf 'time,shoulder.q,elbow.q\n0,0,0\n1e-160,1e5,0\n2e-160,-1e5,0\n' >jump.csv
run "$LIMBER" inverse "$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml" jump.csv --out jump
claim "a motion of huge jumps is bad input" exits 2
claim "... and it says where" complains "at joint 'shoulder', t = 0 s"
claim "... without figures" test ! -s huge/summary.json
