# Tables in each other's place: what they are is said, and what to give instead.
cat >arm.yaml <<'Y'
name: Arm
bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {j: {type: revolute, child: arm, axis: -y}}
markers: {tip: {body: arm, at: [0.5, 0, 0]}}
muscles:
  up: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], tension: 600}
Y
python3 - <<'P'
with open("tip.trc", "w") as m, open("arm.sto", "w") as q, open("plate.mot", "w") as f:
    m.write("PathFileType\t4\t(X/Y/Z)\ttip.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
            "100\t100\t20\t1\tm\nFrame#\tTime\ttip\n\t\tX1\tY1\tZ1\n")
    q.write("motion\nnRows=20\nnColumns=2\ninDegrees=no\nendheader\ntime\tj.q\n")
    f.write("forces\nnRows=20\nnColumns=4\nendheader\ntime\tplate_vx\tplate_vy\tplate_vz\n")
    for i in range(20):
        m.write(f"{i + 1}\t{0.01 * i}\t0.5\t0\t0\n")
        q.write(f"{0.01 * i}\t0\n")
        f.write(f"{0.01 * i}\t0\t10\t0\n")
P
run "$LIMBER" inverse arm.yaml arm.sto --out right --quiet
claim "a motion in its own place is read" exits 0
run "$LIMBER" ik arm.yaml tip.trc --out right-ik --quiet
claim "... and so are markers" exits 0

refused() { # WHAT TEXT COMMAND...
  local what=$1 text=$2
  shift 2
  run "$LIMBER" "$@" --out none
  claim "$what is a mistake" exits 2
  claim "... told in one line" test "$(wc -l <stderr)" = 1
  claim "... that says what to give" complains "$text"
}
refused "a table of markers as the model" "tip.trc:1:1: this is a table of markers" analyse tip.trc arm.yaml
claim "... in its place" complains "the model comes first"
refused "a motion as the model" "arm.sto:1:1: this is a table of numbers" muscle lengths arm.sto arm.yaml
refused "a motion as markers" "arm.sto:6:1: this is no table of markers" ik arm.yaml arm.sto
refused "markers as a motion" "run 'limber ik' first" inverse arm.yaml tip.trc
refused "forces without their bodies" "give the ExternalLoads, a .xml" inverse arm.yaml arm.sto --forces plate.mot
refused "... of an analysis, too," "give the ExternalLoads, a .xml" analyse arm.yaml tip.trc plate.mot
refused "markers as forces" "these are markers, no forces" inverse arm.yaml arm.sto --forces tip.trc
sed 's/^0.05\t0$/0.05\t1e300/' arm.sto >far.sto
refused "a coordinate that no joint reaches" "far.sto:12:1: column 'j.q' has 1e+300, which is too large" inverse arm.yaml far.sto
sed 's/time\tj.q/time\tj.q\tj.q/; s/nColumns=2/nColumns=3/; s/^0\(.*\)\t0$/0\1\t0\t0/' arm.sto >twice.sto
refused "a coordinate that is there twice" "twice.sto:6:10: column 'j.q' is there twice (take one away)" inverse arm.yaml twice.sto
cat >loads.xml <<'X'
<?xml version="1.0"?>
<OpenSimDocument Version="40000"><ExternalLoads><objects><ExternalForce name="f">
<applied_to_body>arm</applied_to_body><force_identifier>plate_v</force_identifier>
</ExternalForce></objects>
<datafile>gone.mot</datafile></ExternalLoads></OpenSimDocument>
X
refused "a table of loads that is not there" "loads.xml:5:10: cannot read table of forces 'gone.mot'" inverse arm.yaml arm.sto --forces loads.xml
: >empty.trc
refused "an empty file of markers" "empty.trc:1:1: the file is empty (it must be a table of numbers: time, NAME.x" ik arm.yaml empty.trc
refused "XML as a motion" "loads.xml:1:1: this is XML (it must be a table of numbers)" inverse arm.yaml loads.xml
cp arm.sto table.xml
refused "a table as external loads" "table.xml:1:1: this is a table of numbers (it must be XML" inverse arm.yaml arm.sto --forces table.xml
refused "a time after all samples" "arm.sto: the table goes from 0 to 0.19 s: no sample of it is within the begin and end" inverse arm.yaml arm.sto --begin 5 --end 6
refused "... of markers" "tip.trc: 0 samples lie between the times that were asked for" ik arm.yaml tip.trc --begin 0.2
refused "an end before the begin" "the end, 0.05 s, is before the begin, 0.1 s" inverse arm.yaml arm.sto --begin 0.1 --end 0.05

# Tables have bounds, which are told before anything is written.
cp arm.sto huge.sto
truncate -s 257M huge.sto # of which nothing is on the disk
refused "a motion of 257 MB" "cannot read motion 'huge.sto': it is too large (tables have up to 256 MB: keep a range of times, or fewer of the lines)" inverse arm.yaml huge.sto
cp tip.trc huge.trc
truncate -s 257M huge.trc
refused "... and markers" "cannot read table of markers 'huge.trc': it is too large (tables have up to 256 MB" ik arm.yaml huge.trc
rm huge.sto huge.trc
python3 - <<'P'
with open("long.trc", "w") as m, open("long.sto", "w") as q:
    m.write("PathFileType\t4\t(X/Y/Z)\tlong.trc\nDataRate\tUnits\n"
            "1000\tm\nFrame#\tTime\ttip\n\t\tX1\tY1\tZ1\n")
    q.write("motion\ninDegrees=no\nendheader\ntime\tj.q\n")
    for i in range(50001):
        m.write(f"{i + 1}\t{0.001 * i:g}\t0.5\t0\t0\n")
        q.write(f"{0.001 * i:g}\t0\n")
P
refused "a motion of 50001 samples" "long.sto: 50001 samples of the table are asked for, and a run has up to 50000 (give an end, as with --end 49.999, or keep one line of 2)" muscle lengths arm.yaml long.sto
refused "... and as many of markers" "long.trc: 50001 samples of the table are asked for, and a run has up to 50000" ik arm.yaml long.trc
run "$LIMBER" muscle lengths arm.yaml long.sto --begin 49.9 --out end --quiet
claim "a range of its times is read" exits 0

run "$LIMBER" muscle lengths arm.yaml arm.sto --out one
claim "one muscle is not called muscles" prints "of 1 muscle at 20 moments"
run "$LIMBER" muscle report arm.yaml arm.sto --out none
claim "a muscle without mass has no inertia" exits 2
claim "... and the message has a way to give it some" complains "--set muscles.up.mass.amount=0.3kg"
run "$LIMBER" muscle report arm.yaml arm.sto --set muscles.up.mass.amount=0.3kg --out heavy
claim "... which works" exits 0
printf 'time,a.x,a.y,a.z\n0,1,2,3\n' >markers.csv
run "$LIMBER" ik markers.csv markers.csv --out none
claim "a table of cells in place of a model is a mistake" exits 2
claim "... that says what to give" complains "markers.csv:1:1: this is a table of numbers, not a scene or model (the model comes first"

# Files that setups name and that are not there: the setup, the element's line, and the path.
mkdir -p setups
tool() { # ELEMENT PROPERTIES: a line each from the third on
  printf '<OpenSimDocument Version="40000">\n<%s name="t">\n%s\n</%s></OpenSimDocument>\n' "$1" "$2" "$1" >setups/setup.xml
}
missing() { # ELEMENT PROPERTY FILE WHAT VERB OTHERS: the property in line 4 of a setup
  tool "$1" "<model_file>../arm.yaml</model_file>
<$2>$3</$2>
${6-}"
  refused "$1: a missing <$2>" "setups/setup.xml:4:$((${#2} + 2)): cannot read $4 'setups/$3': No such file" $5 setups/setup.xml
}
for element in "InverseKinematicsTool marker_file ik" "InverseDynamicsTool coordinates_file inverse" "AnalyzeTool coordinates_file inverse" "ForwardTool states_file simulate"; do
  set -- $element
  tool $1 "<model_file>gone.osim</model_file>"
  refused "$1: a missing <model_file>" "setups/setup.xml:3:12: cannot read model 'setups/gone.osim': No such file" $3 setups/setup.xml
done
missing InverseKinematicsTool marker_file gone.trc "table of markers" ik
missing InverseDynamicsTool coordinates_file gone.mot motion inverse
missing InverseDynamicsTool external_loads_file gone.xml "external loads" inverse "<coordinates_file>../arm.sto</coordinates_file>"
missing AnalyzeTool coordinates_file gone.mot motion "muscle static" "<AnalysisSet><objects><StaticOptimization/></objects></AnalysisSet>"
missing AnalyzeTool external_loads_file gone.xml "external loads" "muscle static" "<coordinates_file>../arm.sto</coordinates_file>"
missing ForwardTool states_file gone.sto "table of states" simulate
missing ForwardTool external_loads_file gone.xml "external loads" simulate
tool ForwardTool "<model_file>../arm.yaml</model_file><ControllerSet><objects><ControlSetController>
<controls_file>gone.xml</controls_file></ControlSetController></objects></ControllerSet>"
refused "ForwardTool: a missing <controls_file>" "setups/setup.xml:4:15: cannot read controls 'setups/gone.xml': No such file" simulate setups/setup.xml
tool ScaleTool "<ModelScaler><marker_file>
gone.trc</marker_file></ModelScaler>"
refused "ScaleTool: a missing <marker_file>" "setups/setup.xml:3:26: cannot read table of markers 'setups/gone.trc': No such file" ik arm.yaml tip.trc --scale setups/setup.xml
tool ScaleTool "<ModelScaler/><MarkerPlacer>
<marker_file>gone.trc</marker_file></MarkerPlacer>"
refused "... of a MarkerPlacer" "setups/setup.xml:4:13: cannot read table of markers 'setups/gone.trc': No such file" ik arm.yaml tip.trc --scale setups/setup.xml
tool InverseDynamicsTool "<model_file>../arm.yaml</model_file><coordinates_file>gone.mot</coordinates_file>"
run "$LIMBER" inverse setups/setup.xml arm.sto --out instead
claim "a missing file that the command line replaces is not missed" exits 0
tool CMCTool "<model_file>../arm.yaml</model_file>"
refused "a tool that is not read" "setups/setup.xml:1:33: there must be an element InverseKinematicsTool, InverseDynamicsTool, AnalyzeTool or ForwardTool in <OpenSimDocument>" simulate setups/setup.xml

# Forces of another time act on nothing, which is said.
printf 'time,arm.fx,arm.fy,arm.fz\n0,0,0,1\n0.1,0,0,1\n' >short.csv
run "$LIMBER" inverse arm.yaml arm.sto --forces short.csv --out short --quiet
claim "forces for a part of a motion are read" exits 0
claim "... and the rest is named" complains "no force acts at 9 of 20 moments: the table of 'arm' goes from 0 to 0.1 s, and the motion from 0 to 0.19 s"
run "$LIMBER" inverse arm.yaml arm.sto --forces short.csv --end 0.1 --out short --quiet
claim "... unless it was not asked for" silent

# Angles in the other unit are asked about. What a header does not say, the ending does.
cat >pin.osim <<'X'
<OpenSimDocument Version="30000"><Model name="m"><BodySet><objects><Body name="ground"/>
<Body name="rod"><mass>2</mass><mass_center>0 -0.3 0</mass_center><inertia>0.03 0.02 0.04 0 0 0</inertia>
<Joint><PinJoint name="p"><parent_body>ground</parent_body><CoordinateSet><objects>
<Coordinate name="a"/></objects></CoordinateSet></PinJoint></Joint></Body></objects></BodySet></Model></OpenSimDocument>
X
motion() { # FILE HEADER AMPLITUDE
  python3 - "$@" <<'P'
import math, sys
with open(sys.argv[1], "w") as f:
    f.write("swing\n" + sys.argv[2] + "nRows=50\nnColumns=2\nendheader\ntime\ta\n")
    for i in range(50):
        f.write(f"{0.01 * i:g}\t{float(sys.argv[3]) * math.sin(0.06 * i):.17g}\n")
P
}
motion degrees.mot "" 60
motion capitals.MOT "" 60
motion long.mot "$(printf 'word\n%.0s' $(seq 3000))
" 60
motion radians.sto "" 1.0471975511965976
motion wrong.sto "" 60
motion wrong.mot "" 1.0471975512
motion said.mot "inDegrees=yes
" 1.0471975512
for of in degrees.mot capitals.MOT long.mot radians.sto wrong.sto wrong.mot said.mot; do
  run "$LIMBER" inverse pin.osim $of --out of-$of --quiet
  claim "$of is read" exits 0
  case $of in
  wrong.sto) claim "... and asked about" complains "wrong.sto:5:6: column 'a' goes to 60 rad (are the angles in degrees? Say 'inDegrees=yes'" ;;
  wrong.mot) claim "... and asked about" complains "no angle goes beyond the 1.047 degrees of column 'a' (are they in radians?" ;;
  *) claim "... without a word" silent ;;
  esac
done
same() {
  python3 - "$@" <<'P'
import csv, sys
a, b = ([float(r["p.tau"]) for r in csv.DictReader(open(f"of-{f}/inverse.csv"))] for f in sys.argv[1:])
assert len(a) == len(b) == 50 and max(abs(x - y) for x, y in zip(a, b)) < 1e-6
P
}
claim "an ending in capitals is the same" same degrees.mot capitals.MOT
claim "... and so is a long header" same degrees.mot long.mot
claim "... and so are radians" same degrees.mot radians.sto

# What a setup leaves out is left out here, or is named.
cat >id.xml <<'X'
<OpenSimDocument><InverseDynamicsTool><model_file>pin.osim</model_file>
<forces_to_exclude> Muscles bushing</forces_to_exclude>
<coordinates_file>degrees.mot</coordinates_file></InverseDynamicsTool></OpenSimDocument>
X
run "$LIMBER" inverse id.xml --out of-id --quiet
claim "a setup that leaves out a force is read" exits 0
claim "... which is named" complains "id.xml:2:19: 'bushing' of <forces_to_exclude> is not left out"
claim "... once" test "$(grep -c exclude stderr)" = 1

# Markers of another subject's, or under its name.
python3 - <<'P'
names = ["a", "b", "c", "d", "e"]
with open("five.yaml", "w") as f:
    f.write("bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"
            "joints: {j: {type: revolute, child: arm, axis: -y}}\nmarkers:\n")
    for i, n in enumerate(names):
        f.write(f"  knee-{n}: {{body: arm, at: [0.5, 0, {0.1 * i}]}}\n")
for file, prefix in (("others.csv", "x"), ("subject.csv", "walker_")):
    with open(file, "w") as f:
        f.write("time," + ",".join(f"{prefix if n != 'b' else ''}knee-{n}.{k}" for n in names for k in "xyz") + "\n")
        for i in range(10):
            f.write(f"{0.01 * i}," + ",".join(f"0.5,0,{0.1 * k}" for k in range(5)) + "\n")
P
run "$LIMBER" ik five.yaml subject.csv --out five --quiet
claim "markers under a subject's name are asked about" complains "marker 'knee-a' of the model is not there (did you mean it by 'walker_knee-a'?)"
claim "... each by its own" complains "marker 'knee-e' of the model is not there (did you mean it by 'walker_knee-e'?)"
claim "... and how few are left is said" complains "subject.csv:1:1: only 1 of the 5 markers of the model are in the table"
