# The verbs about muscles, and measured forces from OpenSim's files.
run "$LIMBER" muscle
claim "a family of verbs alone is a mistake" exits 2
claim "... that says what to do" grep -q "limber muscle --help" stderr
run "$LIMBER" muscle --help
claim "its help lists the verbs" exits 0
claim "... by their second words" grep -q "^  static " stdout
run "$LIMBER" muscle statik
claim "a wrong second word gets a suggestion" grep -q "did you mean 'muscle static'" stderr
run "$LIMBER" help muscle static
claim "a verb of two words has its help" grep -q "^Usage: limber muscle static SCENE" stdout

cat >arm.yaml <<'Y'
bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {j: {type: revolute, child: arm, axis: -y}}
muscles:
  a: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], tension: 300, mass: {amount: 100 g}}
  b: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.2, 0, 0]}], tension: 100, mass: {amount: 1 g}}
Y
printf 'time,j.q\n0,0\n0.1,0\n0.2,0\n' >still.csv
run "$LIMBER" muscle lengths arm.yaml still.csv --out lengths --quiet
claim "lengths are found" exits 0
claim "... as they are" python3 - <<'P'
import math
rows = [l.split() for l in open("lengths/lengths.sto")]
assert abs(float(rows[-1][1]) - math.hypot(0.4, 0.1)) < 1e-12
rows = [l.split() for l in open("lengths/arms.sto")]
assert rows[-4][1:] == ["a.j", "b.j"]
assert abs(float(rows[-1][1]) - 0.4 * 0.1 / math.hypot(0.4, 0.1)) < 1e-12
P
run "$LIMBER" muscle static arm.yaml still.csv --out static --quiet
claim "static optimisation runs" exits 0
claim "... to the closed form, and joint loads are those of statics" python3 - <<'P'
import math
def last(name):
    lines = open("static/" + name).read().splitlines()
    return dict(zip(lines[-4].split(), map(float, lines[-1].split())))
F, loads, arms = last("muscle_forces.sto"), last("joint_loads.sto"), last("arms.sto")
# gravity acts on the muscles' masses, too, half of each at the insertion of a straight one
weight = 9.81 * (2 * 0.3 + 0.1 * 0.5 * 0.1 + 0.001 * 0.5 * 0.2)
assert abs(F["a"] * arms["a.j"] + F["b"] * arms["b.j"] - weight) < 1e-4 * weight
B = [300 * arms["a.j"], 100 * arms["b.j"]]
assert abs(F["a"] / 300 / B[0] - F["b"] / 100 / B[1]) < 1e-6  # effort is shared by arm and tension
# along x the muscles pull the arm to the hinge
pull = sum(F[m] * x / math.hypot(0.4, x) for m, x in (("a", 0.1), ("b", 0.2)))
assert abs(loads["j_on_arm_in_arm_fx"] - pull) < 1e-3 * pull
P
run "$LIMBER" muscle report arm.yaml still.csv --out report
claim "parts of inertia are found" exits 0
claim "... and the one muscle that matters" grep -q "needed    0 of 2\|needed    1 of 2" stdout
claim "... as the closed form m r^2 / 3 says" python3 - <<'P'
import csv
rows = {r["muscle"]: float(r["j"]) for r in csv.DictReader(open("report/inertia.csv"))}
I = 0.01 + 2 * 0.09
m = {"a": 0.1 * 0.01 / 3, "b": 0.001 * 0.04 / 3}
for k in m:
    assert abs(rows[k] - m[k] / (I + sum(m.values()))) < 1e-12, (k, rows[k])
P
claim "... without forces of joints, since those of the ground may lack" test ! -e report/inverse.csv -a ! -e report/reactions.csv
claim "... and so it is with lengths alone" test ! -e lengths/inverse.csv -a ! -e lengths/reactions.csv
claim "... but not with static optimisation" test -e static/inverse.csv -a -e static/reactions.csv

# A coordinate that another one leads has no inertia of its own: both turn together.
cat >led.yaml <<'Y'
bodies:
  arm: {mass: 2, center: [0, 0, 0], inertia: [0.05, 0.05, 0.05]}
  led: {mass: 2, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints: {j: {type: revolute, child: arm, axis: -y}, k: {type: revolute, child: led, axis: -y}}
constraints: {leads: {couple: [{joint: k}, {joint: j, times: -3}], equals: 0}}
muscles:
  a: {through: [{at: [0, 0, 0.4]}, {body: led, at: [0.1, 0, 0]}], tension: 300, mass: {amount: 300 g}}
Y
printf 'time,j.q,k.q\n0,0,0\n0.1,0,0\n0.2,0,0\n' >led.csv
run "$LIMBER" muscle report led.yaml led.csv --out led
claim "inertia is that about coordinates that lead" grep -q "a  *.*% of the inertia at j" stdout
claim "... with what they lead" python3 - <<'P'
import csv
r = next(csv.DictReader(open("led/inertia.csv")))
a = 0.3 * 0.01 / 3
assert abs(float(r["j"]) - 9 * a / (0.05 + 9 * (0.01 + a))) < 1e-12 and float(r["k"]) == 0, r
P
sed 's/mass: {amount: [^}]*}//' arm.yaml >light.yaml
run "$LIMBER" muscle report light.yaml still.csv --out none
claim "muscles without mass have no inertia to report" exits 2
claim "... and the message says what to give" grep -q "no muscle of" stderr

# forces of OpenSim's
cat >loads.xml <<'X'
<OpenSimDocument Version="30000"><ExternalLoads name="plates"><objects>
  <ExternalForce name="hand">
    <applied_to_body>arm</applied_to_body>
    <force_expressed_in_body>ground</force_expressed_in_body>
    <point_expressed_in_body>arm</point_expressed_in_body>
    <force_identifier>hand_v</force_identifier>
    <point_identifier>hand_p</point_identifier>
    <torque_identifier>hand_t</torque_identifier>
  </ExternalForce>
</objects><datafile>loads.mot</datafile></ExternalLoads></OpenSimDocument>
X
{ printf 'loads\nnRows=2\nnColumns=10\nendheader\ntime\thand_vx\thand_vy\thand_vz\thand_px\thand_py\thand_pz\thand_tx\thand_ty\thand_tz\n'
  printf '0\t0\t10\t0\t0.5\t0\t0\t0\t0\t2\n1\t0\t10\t0\t0.5\t0\t0\t0\t0\t2\n'; } >loads.mot
run "$LIMBER" inverse light.yaml still.csv --forces loads.xml --out pushed --quiet
claim "external loads of OpenSim's are read" exits 0
claim "... y up, at points of bodies, with torques" python3 - <<'P'
import csv
r = list(csv.DictReader(open("pushed/inverse.csv")))
# the ground's y is up: 10 N at 0.5 m lift; its z is the world's -y, the hinge's axis
assert abs(float(r[1]["j.tau"]) - (2 * 9.81 * 0.3 - 10 * 0.5 - 2)) < 1e-9, r[1]
P
sed 's/>arm</>arn</' loads.xml >wrong.xml
run "$LIMBER" inverse light.yaml still.csv --forces wrong.xml --out none
claim "a body that is not there is a mistake" exits 2
claim "... with its line and a suggestion" grep -q "wrong.xml:2:.*no body 'arn'.*did you mean 'arm'" stderr
sed 's/hand_v</hnad_v</' loads.xml >wrong.xml
run "$LIMBER" inverse light.yaml still.csv --forces wrong.xml --out none
claim "columns that are not there are a mistake" exits 2
claim "... with the line" grep -q "wrong.xml:2:.*begin with 'hnad_v'" stderr
echo '<OpenSimDocument><Model/></OpenSimDocument>' >wrong.xml
run "$LIMBER" inverse light.yaml still.csv --forces wrong.xml --out none
claim "another file is a mistake" grep -q "there must be an element ExternalLoads" stderr
cat light.yaml - >own.yaml <<'Y'
external: {hand: {body: arm, file: loads.mot, force: hand_v, point: hand_p, torque: hand_t, point_in: arm}}
Y
run "$LIMBER" inverse own.yaml still.csv --out own --quiet
claim "a scene may have them itself" exits 0
claim "... and they do the same" cmp own/inverse.csv pushed/inverse.csv
run "$LIMBER" muscle static arm.yaml still.csv --out shared --quiet
run "$LIMBER" muscle lengths arm.yaml still.csv --out shared --quiet
claim "lengths go into the folder of another verb" exits 0
claim "... and what that left is named" complains "these files in shared are of an earlier job, not of this one: inverse.csv, activations.sto, muscle_forces.sto, reserves.sto, joint_loads.sto, forces.csv, reactions.csv"
run "$LIMBER" muscle static arm.yaml still.csv --out shared --quiet
claim "... until they are new again" test ! -s stderr

data=${LIMBER_SHARED:-}/data/osim/opensim-core
if [ -d "$data" ]; then
  forward=$data/Applications/Forward/tests/resources
  cat >hung.yaml <<Y
include: $forward/pendulum_no_gravity.osim
external: {gravity: {body: pendulum, file: $forward/pendulum_external_load.sto, force: force, point: point, torque: torque, point_in: pendulum}}
Y
  run "$LIMBER" simulate hung.yaml --duration 1 --out hung --quiet
  claim "OpenSim's pendulum swings under a measured weight" exits 0
  run "$LIMBER" simulate "$forward/pendulum.osim" --duration 1 --out free --quiet
  claim "... as under gravity" python3 - <<'P'
rows = [[l.split() for l in open(d + "/coordinates.sto")][-1] for d in ("hung", "free")]
print(rows)
assert abs(float(rows[0][1]) - float(rows[1][1])) < 1e-6 and abs(float(rows[0][0]) - float(rows[1][0])) < 1e-12
P
fi

model=${LIMBER_SHARED:-}/data/osim/opensim-core/OpenSim/Simulation/Test/CoupledCoordinatesMPPsMomentArmTest.osim
if [ -f "$model" ]; then
  # a foot's angle leads two knees by half of it each, between which the muscle has moving points
  python3 - <<'P'
with open("foot.sto", "w") as f:
    f.write("x\ninDegrees=no\nendheader\ntime\tfoot_angle\n")
    for i in range(60):
        f.write(f"{0.01 * i:.2f}\t{-0.1 - 0.05 * (i // 3) + 1e-4 * (i % 3 - 1):.17g}\n")
P
  run "$LIMBER" muscle lengths "$model" foot.sto --out foot --quiet
  claim "lengths behind couplers are found" exits 0
  claim "... and their arms, through the couplers" python3 - <<'P'
def table(name):
    lines = open("foot/" + name).read().splitlines()
    k = lines.index("endheader") + 1
    return lines[k].split(), [list(map(float, l.split())) for l in lines[k + 1:]]
heads, arms = table("arms.sto")
assert heads == ["time", "vas_int_r.knee_angle_1"], heads
_, L = table("lengths.sto")
worst = 0
for i in range(1, 59, 3):
    slope = (L[i + 1][1] - L[i - 1][1]) / 2e-4  # dL / d foot_angle
    worst = max(worst, abs(0.5 * arms[i][1] + slope))
    assert 0.03 < 0.5 * arms[i][1] < 0.05, arms[i]
assert 0 < worst < 1e-6, worst
print("off by", worst)
P
fi

# Stretches of tendons with mass behind them are in no table of joints.
cat >hung-belly.yaml <<'Y'
bodies: {arm: {mass: 1, center: [0, 0, -0.1], inertia: [0.01, 0.01, 0.01]}}
joints: {hinge: {type: revolute, child: arm, axis: y}}
muscles:
  calf:
    through: [{at: [3 cm, 0, 30 cm]}, {body: arm, at: [2 cm, 0, -5 cm]}]
    mass: {amount: 0.1, belly: [0.2, 0.6], tendon: elastic}
    hill: {model: millard, force: 300 N, fiber: 13 cm, slack: 21 cm}
fork: {all: {effectors: [arm]}}
collocate: {intervals: 10}
Y
printf 'time,hinge.q\n0,0\n0.1,0.1\n0.2,0.2\n' >turn.csv
run "$LIMBER" inverse hung-belly.yaml turn.csv --out none
claim "inverse dynamics refuse elastic tendons with mass" exits 2
claim "... with the muscle and its line" grep -q "hung-belly.yaml:4:3: muscle 'calf' has mass between elastic tendons, whose stretches a motion of joints cannot know (choose 'tendon: stiff')" stderr
run "$LIMBER" track hung-belly.yaml --out none
claim "so does collocation" grep -q "whose stretches 'limber track' cannot know" stderr
run "$LIMBER" fork hung-belly.yaml --out none
claim "... and a reduced mechanism" grep -q "whose stretches a reduced mechanism cannot know" stderr

# Muscles without mass are weighed by the volume of their fibres.
cat >volume.yaml <<'S'
name: Volume
bodies: {arm: {mass: 20, center: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {j: {type: revolute, child: arm, axis: y}}
muscles:
  big: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], hill: {model: thelen, force: 5 kN, fiber: 20 cm, slack: 10 cm}}
  small: {through: [{at: [0, 0, -0.4]}, {body: arm, at: [0.1, 0, 0]}], hill: {model: millard, force: 1 kN, fiber: 10 cm, slack: 10 cm}}
S
printf 'time,j.q\n0,0\n0.1,0.1\n0.2,0.2\n' >volume.csv
run "$LIMBER" muscle report volume.yaml volume.csv --out volume
claim "muscles without mass are weighed by their volume" exits 0
claim "... which is told: (5000 x 0.2 + 1000 x 0.1) / 0.25e6 x 1060 kg" prints "2 muscles weigh 4.664 kg"
run "$LIMBER" check volume.yaml --set opensim.volumes.specific_tension=0.5MPa --set opensim.volumes.density=1000
claim "... with other numbers, by a key; together bodies weigh what they did" prints "together 20 kg (2.2 kg of it muscles)"
run "$LIMBER" check volume.yaml --set bodies.arm.mass=2 --set opensim.volumes.density=1060
claim "... and are no more than 80 % of a body" prints "together 2 kg (1.6 kg of it muscles)"
claim "... each in proportion to its volume, at its body's cost" python3 - "$LIMBER" <<'P'
import csv, subprocess, sys
# (J'MJ)/M of a straight muscle with belly and stiff tendons is linear in its mass
part = {}
for mass in ("", "1.0"):
    out = f"part{mass}"
    args = [sys.argv[1], "muscle", "report", "volume.yaml", "volume.csv", "--out", out, "--quiet"]
    if mass:
        for name, kg in (("big", 4.24), ("small", 0.424)):
            args += ["--set", f"muscles.{name}.mass.amount={kg}", "--set", f"muscles.{name}.mass.from=arm"]
            fiber, slack = (0.2, 0.1) if name == "big" else (0.1, 0.1)
            part_ = fiber / (fiber + slack)
            args += ["--set", f"muscles.{name}.mass.belly=[{(1 - part_) / 2}, {(1 + part_) / 2}]"]
    subprocess.run(args, check=True)
    part[mass] = open(f"{out}/inertia.csv").read().splitlines()
assert len(part[""]) == len(part["1.0"]) > 1
for a, b in zip(part[""][1:], part["1.0"][1:]):
    for x, y in zip(a.split(","), b.split(",")):
        try:
            assert abs(float(x) - float(y)) < 1e-9, (a, b)
        except ValueError:
            assert x == y
P

# Points that come in at once, as OpenSim's do, come in smoothly where there is mass.
{
  echo '<OpenSimDocument Version="30000"><Model name="conditions"><BodySet><objects><Body name="ground"/>'
  echo '<Body name="rod"><mass>5</mass><mass_center>0 -0.3 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia>'
  echo '<Joint><PinJoint name="p"><parent_body>ground</parent_body><CoordinateSet><objects><Coordinate name="a"/></objects></CoordinateSet></PinJoint></Joint>'
  echo '<WrapObjectSet><objects><WrapCylinder name="knob"><radius>0.01</radius><length>1</length></WrapCylinder></objects></WrapObjectSet></Body></objects></BodySet><ForceSet><objects>'
  for name in flexor beside; do
    echo "<Millard2012EquilibriumMuscle name=\"$name\"><max_isometric_force>1000</max_isometric_force><optimal_fiber_length>0.25</optimal_fiber_length><tendon_slack_length>0.2</tendon_slack_length>"
    echo '<GeometryPath><PathPointSet><objects><PathPoint name="o"><body>ground</body><location>0.1 0.2 0</location></PathPoint>'
    echo '<ConditionalPathPoint name="c"><body>rod</body><location>0.06 -0.02 0</location><coordinate>a</coordinate><range>-0.5 0</range></ConditionalPathPoint>'
    echo '<PathPoint name="i"><body>rod</body><location>0.02 -0.3 0</location></PathPoint></objects></PathPointSet>'
    test $name = flexor || echo '<PathWrapSet><objects><PathWrap><wrap_object>knob</wrap_object></PathWrap></objects></PathWrapSet>'
    echo '</GeometryPath></Millard2012EquilibriumMuscle>'
  done
  echo '</objects></ForceSet></Model></OpenSimDocument>'
} >conditions.osim
printf 'x\nnRows=3\nnColumns=2\ninDegrees=no\nendheader\ntime\ta\n0\t-0.2\n0.1\t0\n0.2\t0.2\n' >conditions.sto
run "$LIMBER" muscle report conditions.osim conditions.sto --out conditions
claim "muscles with conditional points are weighed" exits 0
claim "... by their volume" prints "1 muscle weighs 1.06 kg"
claim "... whose conditional points come in smoothly" prints "conditional ones of 1 muscle come in over 2 deg"
claim "... but for those next to a wrap" complains "1 muscle without mass, as 'beside': a conditional point is next to a wrap"
echo 'include: conditions.osim
opensim: {volumes: {over: 1 deg}}' >conditions.yaml
run "$LIMBER" check conditions.yaml
claim "a scene weighs them, too" prints "together 5 kg (1.06 kg of it muscles)"
claim "... over another part" complains "conditions.yaml:2:20: opensim: conditional points of muscle 'flexor' come in over 1 deg ('over' of 'volumes')"
claim "... and tells the others" complains "muscle 'beside' stays without mass"
sed 's/PinJoint/SliderJoint/g' conditions.osim >slides.osim
sed 's/conditions/slides/' conditions.yaml >slides.yaml
run "$LIMBER" check slides.yaml
claim "... and over what part of a coordinate that slides" complains "or 1 mm of what slides"
model=${LIMBER_SHARED:-}/data/osim/opensim-models/Models/Gait10dof18musc/gait10dof18musc.osim
motion=${LIMBER_SHARED:-}/data/osim/opensim-core/OpenSim/Moco/Test/walk_gait1018_state_reference.mot
if [ -f "$model" ]; then
  run "$LIMBER" muscle report "$model" "$motion" --out gait
  claim "a model of OpenSim's with conditional points is weighed" exits 0
  claim "... whole" prints "18 muscles weigh 18.85 kg"
  claim "... and its points come in smoothly" prints "conditional ones of 8 muscles come in over 2 deg"
fi

# OpenSim's obstacles: cylinders that paths go about right- or left-handed, one or two in a row.
muscle() { # NAME OBSTACLE
  cat <<X
<Thelen2003Muscle name="$1"><max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.3</optimal_fiber_length><tendon_slack_length>0.4</tendon_slack_length>
<GeometryPath><PathPointSet><objects><PathPoint name="$1-a"><socket_parent_frame>/ground</socket_parent_frame><location>-0.2 0 0</location></PathPoint>
<PathPoint name="$1-b"><socket_parent_frame>/bodyset/bar</socket_parent_frame><location>0.5 0 0</location></PathPoint></objects></PathPointSet>
<PathWrapSet><objects><PathWrap><wrap_object>$2</wrap_object><method>hybrid</method><range>-1 -1</range></PathWrap></objects></PathWrapSet></GeometryPath></Thelen2003Muscle>
X
}
pair() { # NAME SENSE SENSE
  echo "<WrapDoubleCylinderObst name=\"$1\"><translation>0 0 0</translation><radiusUcyl>0.05</radiusUcyl><radiusVcyl>0.05</radiusVcyl><wrapUcylDirection>$2handed</wrapUcylDirection><wrapVcylDirection>$3handed</wrapVcylDirection><wrapVcylHomeBodyName>bar</wrapVcylHomeBodyName><translationVcyl>0.3 0 0</translationVcyl><length>1</length></WrapDoubleCylinderObst>"
}
{
  echo '<OpenSimDocument Version="40000"><Model name="obstacles"><Ground name="ground"><WrapObjectSet><objects>'
  pair same right right; pair cross right left
  echo '<WrapCylinderObst name="one"><translation>0 0 0</translation><radius>0.05</radius><wrapDirection>lefthanded</wrapDirection><length>1</length></WrapCylinderObst>'
  echo '</objects></WrapObjectSet></Ground><BodySet><objects><Body name="bar"><mass>2</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><SliderJoint name="rail"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/bar</socket_child_frame><coordinates><Coordinate name="x"/></coordinates></SliderJoint></objects></JointSet><ForceSet><objects>'
  muscle below same; muscle across cross; muscle above one
  echo '</objects></ForceSet></Model></OpenSimDocument>'
} >obstacles.osim
printf 'x\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\tx\n0\t0\n0.1\t0.02\n' >obstacles.sto
run "$LIMBER" muscle lengths obstacles.osim obstacles.sto --out obstacles
claim "obstacles of cylinders are read without a note" content
claim "... paths go about them in the senses given, with lengths of the closed forms" python3 - <<'P'
from math import asin, sqrt
lines = open("obstacles/lengths.sto").read().splitlines()
k = lines.index("endheader") + 1
r = 0.05
for line in lines[k + 1:]:
    row = dict(zip(lines[k].split(), map(float, line.split())))
    move = 0.2 * row["time"]
    end = sqrt(0.2**2 - r * r)
    d = 0.3 + move
    same = 2 * (end + r * asin(r / 0.2)) + d
    cross = 2 * (end + r * (asin(r / 0.2) + asin(2 * r / d))) + sqrt(d * d - 4 * r * r)
    far = 0.5 + move
    one = end + r * asin(r / 0.2) + r * asin(r / far) + sqrt(far * far - r * r)
    for name, length in (("below", same), ("across", cross), ("above", one)):
        assert abs(row[name] - length) < 1e-9, (name, row[name], length)
P
run "$LIMBER" convert obstacles.osim --out turned
claim "... on the right of its way where it is right-handed: below, as the way goes along x" python3 - <<'P'
import re
text = open("turned/obstacles.yaml").read()
side = lambda name: [float(x) for x in re.search(name + r":\n(?:.*\n)*?    side: \[(.*)\]", text).group(1).split(",")]
assert side("same")[1] < -0.99 and side("one")[1] > 0.99, text
P
