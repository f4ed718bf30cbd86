# limber analyse: from markers and forces to muscles; and setups of OpenSim's tools.
cat >arm.yaml <<'Y'
name: Arm
bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {j: {type: revolute, child: arm, axis: -y}}
markers: {tip: {body: arm, at: [0.5, 0, 0]}, side: {body: arm, at: [0.2, 0, 0.1]}}
muscles:
  up: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], tension: 600}
  down: {through: [{at: [0, 0, -0.4]}, {body: arm, at: [0.1, 0, 0]}], tension: 600}
Y
python3 - <<'P'
import math
with open("markers.csv", "w") as m, open("forces.csv", "w") as f:
    m.write("time,tip.x,tip.y,tip.z,side.x,side.y,side.z\n")
    f.write("time,arm.fx,arm.fy,arm.fz,arm.px,arm.py,arm.pz\n")
    for i in range(201):
        t = 0.01 * i
        a = 0.3 * math.sin(2 * math.pi * 0.5 * t)
        at = lambda x, z: (x * math.cos(a) - z * math.sin(a), 0, x * math.sin(a) + z * math.cos(a))
        m.write(f"{t},{','.join(map(repr, at(0.5, 0) + at(0.2, 0.1)))}\n")
        f.write(f"{t},0,0,10,{','.join(map(repr, at(0.4, 0)))}\n")
P
run "$LIMBER" analyse arm.yaml markers.csv forces.csv --out all
claim "markers and forces are analysed" exits 0
claim "... and the result is told" prints "from 2 markers at 201 moments to 2 muscles"
for file in report.html inverse.csv lengths.sto arms.sto activations.sto muscle_forces.sto reserves.sto joint_loads.sto markers.csv; do
  claim "... $file is there" test -s all/$file
done
claim "... moments are those of the closed form, muscles exert them, and joints bear both" python3 - <<'P'
import csv, math
def sto(path):
    lines = open(path).read().splitlines()
    k = lines.index("endheader") + 1
    return [dict(zip(lines[k].split(), map(float, l.split()))) for l in lines[k + 1:]]
moment = list(csv.DictReader(open("all/inverse.csv")))
F, arm, loads, act = (sto(f"all/{n}.sto") for n in ("muscle_forces", "arms", "joint_loads", "activations"))
w = math.pi
for i in range(20, 181): # away from the ends, which the filter changes
    t = 0.01 * i
    a, acc = 0.3 * math.sin(w * t), -0.3 * w * w * math.sin(w * t)
    tau = (0.01 + 2 * 0.09) * acc + (2 * 9.81 * 0.3 - 10 * 0.4) * math.cos(a)
    assert abs(float(moment[i]["j.tau"]) - tau) < 2e-2, (t, moment[i], tau)
    pulled = F[i]["up"] * arm[i]["up.j"] + F[i]["down"] * arm[i]["down.j"]
    assert abs(pulled - float(moment[i]["j.tau"])) < 1e-3
    assert min(act[i]["up"], act[i]["down"]) < 1e-6 # never against each other
    # what the hinge bears: m a - weight - push - muscles, in size
    c, s = math.cos(a), math.sin(a)
    rate = 0.3 * w * math.cos(w * t)
    ax, az = 0.3 * (-s * acc - c * rate * rate), 0.3 * (c * acc - s * rate * rate)
    fx, fz = 2 * ax, 2 * az + 2 * 9.81 - 10
    for name, z in (("up", 0.4), ("down", -0.4)):
        px, pz = 0.1 * c, 0.1 * s
        d = math.hypot(px, z - pz)
        fx += F[i][name] * px / d
        fz -= F[i][name] * (z - pz) / d
    got = math.sqrt(sum(loads[i]["j_on_arm_in_arm_f" + k] ** 2 for k in "xyz"))
    assert abs(got - math.hypot(fx, fz)) < 0.2, (t, got, math.hypot(fx, fz))
P
cp stdout told.txt
claim "... the largest moment and joint load are told, and are cards of the report" python3 - <<'P'
import csv, math, re
told, page = open("told.txt").read(), open("all/report.html").read()
most = max(abs(float(r["j.tau"])) for r in csv.DictReader(open("all/inverse.csv")))
got = float(re.search(r"moments +up to (\S+) N m about 'j'", told)[1])
assert abs(got - most) < 1e-3 * most, (got, most)
lines = open("all/joint_loads.sto").read().splitlines()
k = lines.index("endheader") + 1
head = lines[k].split()
at = [head.index("j_on_arm_in_arm_f" + x) for x in "xyz"]
load = max(math.hypot(*(float(l.split()[i]) for i in at)) for l in lines[k + 1:])
newtons, weights = map(float, re.search(r"load +up to (\S+) N \((\S+) body weights\) at joint 'j'", told).groups())
assert abs(newtons - load) < 1e-3 * load and abs(weights - load / (2 * 9.81)) < 1e-2 * weights
for words in ("largest moment about j", "largest joint load, at j", "largest reserve, at j"):
    assert words in page, words
assert "largest motor" not in page
P
# times that a file rounds to milliseconds, at 60 samples a second
python3 - <<'P'
import math
def write(name, rate, time, promised=41, markers=1):
    with open(name, "w") as m:
        m.write("PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
                f"{rate}\t{rate}\t{promised}\t{markers}\tmm\nFrame#\tTime\ttip\n\t\tX1\tY1\tZ1\n")
        for i in range(41):
            a = 0.3 * math.sin(math.pi * i / 60)
            m.write(f"{i + 1}\t{time(i)}\t{500 * math.cos(a)}\t{500 * math.sin(a)}\t0\n")
write("exact.trc", 60, lambda i: repr(i / 60))
write("rounded.trc", 60, lambda i: "%.3f000" % (i / 60), 40, 2)
write("uneven.trc", 60, lambda i: "%.3f" % (i / 60 + 0.005 * (i % 2)))
P
for name in exact rounded; do
  run "$LIMBER" analyse arm.yaml $name.trc --out $name --quiet
  claim "markers with times that are $name are analysed" exits 0
  run "$LIMBER" ik arm.yaml $name.trc --out $name-ik --quiet
  run "$LIMBER" inverse arm.yaml $name-ik/trajectory.csv --cutoff 6 --out $name-id --quiet
  claim "... and step by step" exits 0
done
run "$LIMBER" analyse arm.yaml rounded.trc --out rounded --force --quiet
claim "... wrong counts are named, with their line" complains "rounded.trc:3:7: NumFrames is 40, and there are 41 lines of numbers"
claim "... each of them" complains "rounded.trc:3:10: NumMarkers is 2, and there are 1 markers"
claim "... with the same results" python3 - <<'P'
import csv
for folder in ("", "-id"):
    a, b = (list(csv.DictReader(open(f"{n}{folder}/inverse.csv"))) for n in ("exact", "rounded"))
    assert len(a) == len(b) == 41
    for x, y in zip(a, b):
        assert abs(float(x["j.tau"]) - float(y["j.tau"])) < 1e-9, (x, y)
        assert abs(float(x["time"]) - float(y["time"])) < 1e-12
P
run "$LIMBER" analyse arm.yaml uneven.trc --out none
claim "samples that are uneven are a mistake" exits 2
claim "... that says what to do" complains "resample the table"
claim "... the report has plots, and colours for the view" grep -q 'id="limber-muscles"' all/report.html
claim "... of angles and activations" grep -q '<h2>Activations</h2>' all/report.html
run "$LIMBER" analyse arm.yaml markers.csv --begin 0.5 --end 1 --out part
claim "a part of the motion can be analysed without forces" exits 0
claim "... which is said" complains "no forces were given"
claim "... and has its samples only" prints "at 51 moments"
python3 - <<'P'
import math
with open("jump.csv", "w") as m:
    m.write("time,tip.x,tip.y,tip.z\n")
    for i in range(20):
        a = 0.1 if i < 10 else 1.9
        m.write(f"{0.01 * i},{0.5 * math.cos(a)!r},0,{0.5 * math.sin(a)!r}\n")
P
for verb in ik analyse; do
  run "$LIMBER" $verb arm.yaml jump.csv --out jump
  claim "$verb: a jump of the markers is no mistake" exits 0
  claim "... and is told with its coordinate and time" complains "'j' jumps by more than a quarter turn at t = 0.1 s"
done
sed '1s/side/sides/g' markers.csv >misspelt.csv
for verb in ik analyse; do
  run "$LIMBER" $verb arm.yaml misspelt.csv --out misspelt
  claim "$verb: a marker that is not there is no mistake" exits 0
  claim "... a similar one is suggested" complains "misspelt.csv:1:24: marker 'side' of the model is not there (did you mean it by 'sides'?)"
done
printf 'Motion\nversion=1\nnRows=9\nnColumns=3\ninDegrees=no\nendheader\ntime\tshoulder_elevation\telbow_flexiom\n' >misspelt.sto
for i in 0 1 2 3 4 5 6 7 8; do printf '0.%d\t0\t0\n' $i; done >>misspelt.sto
run "$LIMBER" muscle lengths "$LIMBER_SOURCE_DIR/scenes/parts/arm.osim" misspelt.sto --out misspelt-motion
claim "a coordinate that a motion lacks is no mistake" exits 0
claim "... a similar column is named" complains "misspelt.sto:7:25: column 'elbow_flexiom' is not used (did you mean coordinate 'elbow_flexion'?)"
claim "... and what stays, with the line of the headings" complains "misspelt.sto:7:1: the motion has no column for 1 of the coordinates: 'elbow_flexion' stays"
arm=$LIMBER_SOURCE_DIR/scenes/parts/arm.osim
sed '7s/.*/time\tshoulder_elevation\telbow_flexion_moment/' misspelt.sto >besides.sto
run "$LIMBER" muscle lengths "$arm" besides.sto --out besides
claim "a column of something else is not called misspelt" eval '! complains "did you mean"'
sed '7s/.*/time\tshoulder_elevation\telbow_flexion\telbow_flexon\tknee_angle_r/; s/^0\..*/&\t0\t0/; s/nColumns=3/nColumns=5/' misspelt.sto >third.sto
run "$LIMBER" muscle lengths "$arm" third.sto --out third
claim "... nor one beside the coordinate's own" content
sed '7s/.*/time\tshoulder_elevation\telbow_flexion\t\/jointset\/elbow\/elbow_flexiom\/speed\tshoulder_elevation_u/; s/^0\..*/&\t0\t0/; s/nColumns=3/nColumns=5/' misspelt.sto >speeds.sto
run "$LIMBER" muscle lengths "$arm" speeds.sto --out speeds
claim "a speed that is misspelt is named" complains "speeds.sto:7:39: column '/jointset/elbow/elbow_flexiom/speed' is not used (did you mean the speed of 'elbow_flexion'?)"
cat >float.yaml <<'Y'
name: Rod
bodies: {rod: {mass: 2, inertia: [0.01, 0.01, 0.01]}}
markers: {a: {body: rod, at: [0.5, 0, 0]}, b: {body: rod, at: [0, 0.4, 0]}, c: {body: rod, at: [0, 0, 0.3]}}
Y
python3 - <<'P'
with open("still.csv", "w") as m, open("late.csv", "w") as f:
    m.write("time,a.x,a.y,a.z,b.x,b.y,b.z,c.x,c.y,c.z\n")
    f.write("time,rod.fx,rod.fy,rod.fz\n")
    for i in range(101):
        m.write(f"{0.01 * i},0.5,0,0,0,0.4,0,0,0,0.3\n")
        f.write(f"{0.01 * i},0,0,{2 * 9.81 if i >= 50 else 0}\n")
P
run "$LIMBER" analyse float.yaml still.csv late.csv --out float
claim "a force that was not measured is no mistake" exits 0
claim "... and is told, with times at which it was" complains "19.62 N are missing at"
claim "... to be asked for" complains "stands where nothing was measured (leave that time out, as with --begin 0.5 --end 1)"
run "$LIMBER" analyse float.yaml still.csv late.csv --begin 0.5 --end 1 --out float
claim "... and which miss nothing" sh -c '! grep -q missing stderr'
# a rod that is shaken, so that its rates at an end depend on what is known beyond it
python3 - <<'P'
import math
with open("shaken.csv", "w") as m, open("part.csv", "w") as f:
    m.write("time,a.x,a.y,a.z,b.x,b.y,b.z,c.x,c.y,c.z\n")
    f.write("time,rod.fx,rod.fy,rod.fz\n")
    for i in range(201):
        t = 0.01 * i
        z, a = 0.1 * math.sin(9 * t), -8.1 * math.sin(9 * t)
        m.write(f"{t},0.5,0,{z},0,0.4,{z},0,0,{0.3 + z}\n")
        f.write(f"{t},0,0,{2 * (9.81 + a) if 47 <= i < 153 else 0}\n")
P
run "$LIMBER" analyse float.yaml shaken.csv part.csv --out shaken
claim "a motion is measured in part" complains "are missing at"
times=$(grep -o -- '--begin [0-9.]* --end [0-9.]*' stderr)
run "$LIMBER" analyse float.yaml shaken.csv part.csv $times --out inside
claim "... and in the time that is suggested nothing is missing" sh -c '! grep -q missing stderr'
claim "... whose forces are those of the whole motion" python3 - <<'P'
import csv
a, b = ({r["time"]: r for r in csv.DictReader(open(d + "/inverse.csv"))} for d in ("shaken", "inside"))
assert 80 < len(b) < 110, len(b)
for t, r in b.items():
    for name in r:
        assert abs(float(r[name]) - float(a[t][name])) < 0.02, (t, name, r[name], a[t][name])
P
run "$LIMBER" analyse arm.yaml
claim "markers must be named" exits 2
claim "... by a table or a setup" complains "needs a table of markers"
run "$LIMBER" analyse arm.yaml markers.csv --begin 3 --out none
claim "no samples are a mistake" exits 2

# setups
cat >ik.xml <<'X'
<OpenSimDocument Version="30000">
  <InverseKinematicsTool name="arm">
    <model_file>arm.yaml</model_file>
    <results_directory>Results</results_directory>
    <constraint_weight>20</constraint_weight>
    <IKTaskSet><objects>
      <IKMarkerTask name="tip"><apply>true</apply><weight>5</weight></IKMarkerTask>
      <IKMarkerTask name="side"><apply>false</apply><weight>1</weight></IKMarkerTask>
      <IKCoordinateTask name="j"><apply>false</apply></IKCoordinateTask>
    </objects></IKTaskSet>
    <marker_file>markers.csv</marker_file>
    <time_range>0.5 1.5</time_range>
    <strange>7</strange>
  </InverseKinematicsTool>
</OpenSimDocument>
X
run "$LIMBER" ik ik.xml --out ik
claim "a setup of inverse kinematics is read" exits 0
claim "... with its times" prints "poses at 101 moments"
claim "... with its weights" python3 -c "
import re
rows = re.findall(r'<th scope=.row.>(tip|side)</th><td>(.*?)</td>', open('ik/report.html').read())
assert ('tip', '5') in rows and ('side', '0') in rows, rows"
claim "... and what is not read is named" complains "ik.xml:13:"
run "$LIMBER" inverse ik.xml --out none
claim "a setup for another verb is a mistake" exits 2
claim "... that names the verbs" complains "<InverseKinematicsTool> is not for 'limber inverse'"
sed 's/<weight>5/<weight>-5/; s/0.5 1.5/1.5 0.5/' ik.xml >bad.xml
run "$LIMBER" ik bad.xml --out none
claim "bad numbers are mistakes" exits 2
claim "... with their lines" complains "bad.xml:7:"
claim "... all of them" complains "bad.xml:12:"
sed '/marker_file/d' ik.xml >bad.xml
run "$LIMBER" ik bad.xml --out none
claim "a setup without markers is a mistake" complains "names no file in <marker_file>"
head -c 300 ik.xml >bad.xml
run "$LIMBER" ik bad.xml --out none
claim "half a setup is a mistake" exits 2
cat >tasks.xml <<'X'
<OpenSimDocument><IKTaskSet><objects><IKMarkerTask name="nose"><weight>1</weight></IKMarkerTask></objects></IKTaskSet></OpenSimDocument>
X
run "$LIMBER" analyse arm.yaml markers.csv --tasks tasks.xml --out none
claim "tasks about no marker of the model are a mistake" complains "no task is about a marker"

# XML opens nothing: no entities, no parts that are included. A pipe would keep who reads it waiting.
mkfifo never
refuses_entities() { # ELEMENT FILE VERB...
  local element=$1 file=$2 entity
  shift 2
  for entity in "<!ENTITY e SYSTEM 'file://$PWD/never'>" "<!ENTITY % p SYSTEM 'file://$PWD/never'> %p;" "<!ENTITY a 'aaaa'><!ENTITY e '&a;&a;&a;&a;&a;&a;&a;&a;'>"; do
    echo "<?xml version='1.0'?><!DOCTYPE $element [$entity]><$element>&e;</$element>" >"$file"
    run timeout 20 "$LIMBER" "$@"
    claim "limber $1: entities in <$element> are refused" complains "$file:1:"
    claim "... with their document type" complains "a document type (<!DOCTYPE ...>) has no place"
  done
}
refuses_entities Model entity.osim check entity.osim
refuses_entities InverseKinematicsTool entity.xml ik entity.xml
refuses_entities IKTaskSet entity.xml ik arm.yaml markers.csv --tasks entity.xml
refuses_entities ExternalLoads entity.xml inverse arm.yaml ik/trajectory.csv --forces entity.xml
refuses_entities ScaleTool entity.xml ik arm.yaml markers.csv --scale entity.xml
refuses_entities ForwardTool entity.xml simulate entity.xml
sed "s|<model_file>.*</model_file>|<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='$PWD/never'/>|" ik.xml >include.xml
run timeout 20 "$LIMBER" ik include.xml --out none
claim "what XInclude names is not opened" complains "must name a model in <model_file>"
rm never

data=${LIMBER_SHARED:-}/data/osim/opensim-core
if [ ! -d "$data" ]; then return 0; fi
resources=$data/Applications/Analyze/tests/resources
run "$LIMBER" inverse "$data/Applications/ID/tests/resources/arm26_Setup_InverseDynamics.xml" --out id --quiet
claim "OpenSim's own setup of inverse dynamics is read" exits 0
run "$LIMBER" muscle static "$resources/arm26_Setup_StaticOptimization.xml" --out so --quiet
claim "... and that of static optimisation" exits 0
cat >compare.py <<'P'
import math
def storage(path):
    lines = open(path).read().splitlines()
    first = [i for i, line in enumerate(lines) if line.strip() == "endheader"][0] + 1
    return [dict(zip(lines[first].split(), map(float, line.split()))) for line in lines[first + 1:] if line.strip()]
def nearest(rows, time):
    return min(rows, key=lambda r: abs(r["time"] - time))
def corr(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((p - mx) * (q - my) for p, q in zip(x, y)) / math.sqrt(sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y))
P
claim "... with the results of its own tools (R1, R5)" python3 - "$data" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
ours, theirs = storage("id/inverse.sto"), storage(sys.argv[1] + "/Applications/ID/tests/resources/std_arm26_InverseDynamics.sto")
for name in ("r_shoulder_elev_moment", "r_elbow_flex_moment"):
    rms = math.sqrt(sum((nearest(ours, r["time"])[name] - r[name]) ** 2 for r in theirs) / len(theirs))
    print(name, rms)
    assert rms < 1e-3
for ending, file, bound in (("activation", "activations", 0.005), ("force", "muscle_forces", 1.5)):
    ours = storage(f"so/{file}.sto")
    theirs = [r for r in storage(f"{sys.argv[1]}/Applications/Analyze/tests/resources/std_Thelen2003Muscle_arm26_StaticOptimization_{ending}.sto") if 0.25 <= r["time"] <= 0.75]
    for name in ours[0]:
        if name != "time":
            rms = math.sqrt(sum((nearest(ours, r["time"])[name] - r[name]) ** 2 for r in theirs) / len(theirs))
            print(ending, name, rms)
            assert rms < bound
P
walk=$data/OpenSim/Examples/Moco/example3DWalking
run "$LIMBER" muscle static "$walk/subject_walk_scaled.osim" "$walk/coordinates.sto" --forces "$walk/grf_walk.xml" --filter opensim --out walk --quiet
claim "muscles of a walk exert its moments" exits 0
claim "... near OpenSim's own (R9), and leave nothing to reserves" python3 - "$walk/id_walk.sto" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
a, b = storage("walk/inverse.sto"), storage(sys.argv[1])
assert len(a) == len(b) == 1350
for side in "rl":
    for joint in ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle"):
        name, patella = f"{joint}_{side}_moment", f"knee_angle_{side}_beta_force"
        # OpenSim has the patella's part by itself; it turns as the knee does
        x, y = [r[name] for r in a], [r[name] + (r[patella] if joint == "knee_angle" else 0) for r in b]
        # how far one would have to be moved to fit best, over the cycle
        lags = range(-100, 101, 4)
        c = corr(x, y)
        off = abs(max(lags, key=lambda k: corr(x[100 + k:1250 + k], y[100:1250]))) / 1150
        rms = math.sqrt(sum((p - q) ** 2 for p, q in zip(x, y)) / 1350)
        print(name, "correlation", c, "late by", off, "of the cycle, rms", rms)
        assert c > 0.95 and off < 0.05
reserves = storage("walk/reserves.sto")
for name in reserves[0]:
    if name.startswith(("hip", "knee", "ankle")):
        assert max(abs(r[name]) for r in reserves) < 1e-2, name
P
run "$LIMBER" analyse "$walk/subject_walk_scaled.osim" "$walk/markers_walk.trc" "$walk/grf_walk.xml" --tasks "$walk/ik_tasks_walk.xml" --out whole --quiet
claim "a walk is analysed from its markers on" exits 0
times=$(grep -o -- '--begin [0-9.]* --end [0-9.]*' stderr)
run "$LIMBER" analyse "$walk/subject_walk_scaled.osim" "$walk/markers_walk.trc" "$walk/grf_walk.xml" --tasks "$walk/ik_tasks_walk.xml" $times --out inside --quiet
claim "... and in the time that is suggested ($times) nothing is missing" sh -c '! grep -q missing stderr'
claim "... no angle changes by more than 0.5 rad in a sample" python3 - <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
rows = storage("whole/coordinates.sto")
for a, b in zip(rows, rows[1:]):
    for name in a:
        assert not name.endswith("/value") or abs(b[name] - a[name]) < 0.5, (name, a["time"])
assert max(abs(r["arm_flex_r_moment"]) for r in storage("whole/inverse.sto")) < 30
P
claim "... with soleus strongest late in stance, and moments like those of its own tools" python3 - "$walk/id_walk.sto" <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
F, ours, theirs = storage("whole/muscle_forces.sto"), storage("whole/inverse.sto"), storage(sys.argv[1])
inside = [r for r in ours if 0.5 <= r["time"] <= 1.75]
for name in ("hip_flexion_r_moment", "hip_flexion_l_moment", "ankle_angle_r_moment", "ankle_angle_l_moment"):
    c = corr([r[name] for r in inside], [nearest(theirs, r["time"])[name] for r in inside])
    print(name, c)
    assert c > 0.9
P
run "$LIMBER" analyse "$walk/subject_walk_scaled.osim" "$walk/markers_walk.trc" "$walk/grf_walk.xml" --tasks "$walk/ik_tasks_walk.xml" --begin 0.6 --end 1.6 --elastic --out elastic --quiet
claim "tendons of the walk may stretch" exits 0
claim "... and muscles still exert all moments" python3 - <<'P'
import sys; sys.path.insert(0, ".")
from compare import *
reserves = storage("elastic/reserves.sto")
most = max((max(abs(r[n]) for r in reserves), n) for n in reserves[0] if n.startswith(("hip", "knee", "ankle")))
print(most)
assert most[0] < 1e-2
P
# 60 samples a second, with times in whole milliseconds
tracking="$data/Bindings/Java/Matlab/examples/Moco/exampleMarkerTracking10DOF"
gait="$data/OpenSim/Moco/Test"
run "$LIMBER" analyse "$gait/walk_gait1018_subject01.osim" "$tracking/marker_trajectories.trc" "$gait/walk_gait1018_subject01_grf.xml" --out tracked
claim "a recording with rounded times is analysed as a whole" prints "from 31 markers at 151 moments to 18 muscles"
