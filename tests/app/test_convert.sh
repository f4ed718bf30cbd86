# Models and tables of OpenSim on the command line: check, convert, simulate, inverse.
cat >arm.osim <<'X'
<?xml version="1.0"?>
<OpenSimDocument Version="30000"><Model name="arm"><gravity>0 -9.8 0</gravity>
<BodySet><objects><Body name="ground"/>
<Body name="upper"><mass>2</mass><mass_center>0 -0.15 0</mass_center><inertia_xx>0.02</inertia_xx><inertia_yy>0.002</inertia_yy><inertia_zz>0.02</inertia_zz>
<Joint><PinJoint name="shoulder"><parent_body>ground</parent_body><location_in_parent>0.1 1 0</location_in_parent><orientation_in_parent>0.1 0.2 0.3</orientation_in_parent>
<CoordinateSet><objects><Coordinate name="lift"><default_value>0.5</default_value><range>-2 2</range></Coordinate></objects></CoordinateSet></PinJoint></Joint></Body>
<Body name="lower"><mass>1</mass><mass_center>0 -0.1 0</mass_center><inertia_xx>0.01</inertia_xx><inertia_yy>0.001</inertia_yy><inertia_zz>0.01</inertia_zz>
<Joint><CustomJoint name="elbow"><parent_body>upper</parent_body><location_in_parent>0 -0.3 0</location_in_parent>
<CoordinateSet><objects><Coordinate name="bend"><default_value>-0.7</default_value></Coordinate></objects></CoordinateSet>
<SpatialTransform><TransformAxis name="rotation1"><coordinates>bend</coordinates><axis>0 0 1</axis><function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="translation1"><coordinates>bend</coordinates><axis>1 0 0</axis><function><SimmSpline><x>-2 -1 0 1</x><y>0.01 0.004 0 0.003</y></SimmSpline></function></TransformAxis>
</SpatialTransform></CustomJoint></Joint></Body>
</objects></BodySet>
<MarkerSet><objects><Marker name="tip"><body>lower</body><location>0 -0.25 0</location></Marker></objects></MarkerSet>
</Model></OpenSimDocument>
X
run "$LIMBER" check arm.osim
claim "a model is a scene" exits 0
claim "... with its joints" prints "joints    2: 1 revolute, 1 composite"

run "$LIMBER" convert arm.osim --out scene
claim "a model is converted" exits 0
claim "... to a scene" test -s scene/arm.yaml
claim "... and a picture" test -s scene/scene.glb
claim "the scene says where the shoulder is" grep -q "names: \[lift\]" scene/arm.yaml

"$LIMBER" simulate arm.osim --duration 0.5 --out model -q
"$LIMBER" simulate scene/arm.yaml --duration 0.5 --out converted -q
claim "the scene moves as the model, byte for byte" cmp -s model/trajectory.csv converted/trajectory.csv
claim "coordinates are written as OpenSim has them" grep -qP "^time\t/jointset/shoulder/lift/value\t/jointset/elbow/bend/value\t/jointset/shoulder/lift/speed" model/coordinates.sto
run "$LIMBER" inverse arm.osim model/coordinates.sto --out id
claim "... and read again" exits 0
claim "... with moments by their names" grep -qP "^time\tlift_moment\tbend_moment" id/inverse.sto

printf 'Coordinates\r\nnRows=3\r\nnColumns=3\r\ninDegrees=yes\r\nendheader\r\ntime\tbend\tlift\r\n0\t-30\t10\r\n0.1\t-29\t11\r\n0.2\t-27\t12\r\n' >degrees.mot
printf 'time,shoulder.q,elbow.q\n0,0.17453292519943295,-0.5235987755982988\n0.1,0.19198621771937624,-0.5061454830783556\n0.2,0.20943951023931956,-0.47123889803846897\n' >radians.csv
"$LIMBER" inverse arm.osim degrees.mot --out a -q
"$LIMBER" inverse arm.osim radians.csv --out b -q
claim "degrees, tabs and line ends of Windows are as good as radians and commas" cmp -s a/inverse.csv b/inverse.csv

run "$LIMBER" inverse arm.osim <(sed 's/nRows=3/nRows=4/' degrees.mot) --out c
claim "a count that does not fit is an error" exits 2
claim "... and said" complains "the header promises 4 lines of numbers, and there are 3"
run "$LIMBER" convert scene/arm.yaml --out d
claim "a scene is not converted" complains "this is a scene already"

cat >outer.yaml <<'Y'
include: arm.osim
duration: 0.1 s
motors: {push: {joint: elbow, drive: force, keys: [[0 s, 1]]}}
Y
run "$LIMBER" check outer.yaml
claim "a scene includes a model" exits 0
claim "... and adds to it" prints "1 motor"

head -c 100000000 /dev/zero >huge.osim
run "$LIMBER" check huge.osim
claim "a hundred megabytes are refused" complains "error: huge.osim: it is larger than 64 MB"
rm huge.osim
head -c 900 arm.osim >cut.osim
run "$LIMBER" check cut.osim
claim "a model that is cut is an error with its line" grep -qE '^error: cut\.osim:[0-9]+:[0-9]+: ' stderr

# Models of others, where they are.
others=${LIMBER_SHARED:-}/data/osim/opensim-core
if [ -d "$others" ]; then
  last() { awk 'END { for (i = 2; i <= NF; i++) printf "%s ", $i }' "$1"; }
  near() { # FIRST SECOND TOLERANCE: lists of numbers
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { n = split(a, x); m = split(b, y); bad = n != m || n == 0
      for (i in x) { d = x[i] - y[i]; bad = bad || d > t || -d > t } exit bad }'
  }
  "$LIMBER" simulate "$others/Applications/Analyze/tests/resources/DoublePendulum3D.osim" -q --duration 3 --out dp \
    --set initial.pin1.position=1 --set initial.pin2.position=1
  claim "a double pendulum ends where OpenSim's does" near "$(last dp/coordinates.sto)" \
    "$(last "$others/Applications/Analyze/tests/resources/DoublePendulum3D_states.sto")" 1e-6
  "$LIMBER" simulate "$others/OpenSim/Simulation/Test/BouncingBall_HuntCrossley.osim" -q --duration 2 --out ball \
    --set "initial.ball.position=[0, 0.5, 0, 0, 0, 0]" 2>/dev/null
  walking=$others/OpenSim/Examples/Moco/example3DWalking/subject_walk_scaled
  printf "include: $walking.osim\nopensim: {sets: [${walking}_ContactGeometrySet.xml, ${walking}_ContactForceSet.xml]}\n" >walking.yaml
  run "$LIMBER" check walking.yaml
  claim "the contacts of example3DWalking are in files of their own" prints "80 muscles, 12 grounds"
  claim "a ball rests on its ground by its weight" near "$(tail -1 ball/forces.csv | tr , ' ' | cut -d' ' -f4)" 9.8065 1e-3
fi

# All coordinates are locked: nothing moves, and BLAS has nothing to say about it.
cat >locked.osim <<'X'
<OpenSimDocument Version="30000"><Model name="m"><BodySet><objects><Body name="ground"/>
<Body name="rod"><mass>2</mass><mass_center>0 -0.3 0</mass_center><inertia>0.03 0.02 0.04 0 0 0</inertia>
<Joint><PinJoint name="p"><parent_body>ground</parent_body><CoordinateSet><objects>
<Coordinate name="a"><default_value>0.4</default_value><locked>true</locked></Coordinate></objects></CoordinateSet>
</PinJoint></Joint></Body></objects></BodySet></Model></OpenSimDocument>
X
run "$LIMBER" simulate locked.osim --duration 0.1 --out locked --quiet
claim "a model that is locked everywhere is simulated" exits 0
claim "... quietly" silent
claim "... and stays" grep -q "0.1.*,0.4" <(tail -1 locked/trajectory.csv)

# Sets in files of their own, as example3DWalking has its contacts.
geometry='<ContactGeometrySet><objects><ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame><orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>
<ContactSphere name="ball"><socket_frame>/bodyset/ball</socket_frame><location>0 0 0</location><radius>0.1</radius></ContactSphere></objects></ContactGeometrySet>'
spring='<SpringGeneralizedForce name="spring"><coordinate>y</coordinate><stiffness>8</stiffness><rest_length>0.5</rest_length><viscosity>0</viscosity></SpringGeneralizedForce>'
contact='<SmoothSphereHalfSpaceForce name="contact"><socket_sphere>/contactgeometryset/ball</socket_sphere><socket_half_space>/contactgeometryset/floor</socket_half_space><stiffness>1e6</stiffness><dissipation>2</dissipation></SmoothSphereHalfSpaceForce>'
begin='<?xml version="1.0"?><OpenSimDocument Version="40500">'
ball() { # SETS
  echo "$begin<Model name=\"ball\"><BodySet><objects><Body name=\"ball\"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><SliderJoint name=\"rail\"><socket_parent_frame>up</socket_parent_frame><socket_child_frame>/bodyset/ball</socket_child_frame>
<coordinates><Coordinate name=\"y\"><default_value>0.3</default_value></Coordinate></coordinates><frames><PhysicalOffsetFrame name=\"up\"><socket_parent>/ground</socket_parent>
<orientation>0 0 1.5707963267948966</orientation></PhysicalOffsetFrame></frames></SliderJoint></objects></JointSet>$1</Model></OpenSimDocument>"
}
mkdir sets
ball "<ForceSet><objects>$spring$contact</objects></ForceSet>$geometry" >whole.osim
ball "<ForceSet><objects>$spring</objects></ForceSet>" >part.osim
echo "$begin<ForceSet name=\"more\"><objects>$contact</objects></ForceSet></OpenSimDocument>" >sets/forces.xml
echo "$begin$geometry</OpenSimDocument>" >sets/geometry.xml
printf 'limber: 1\ninclude: part.osim\nopensim: {sets: [sets/forces.xml, sets/geometry.xml]}\n' >part.yaml
printf 'limber: 1\ninclude: whole.osim\n' >whole.yaml
for i in whole part; do "$LIMBER" simulate $i.yaml -q --duration 0.5 --out sets-$i; done
claim "sets of a model may be in files of their own" cmp sets-whole/trajectory.csv sets-part/trajectory.csv
claim "... and are in the run" cmp sets-whole/forces.csv sets-part/forces.csv
printf 'limber: 1\ninclude: sets/outer.yaml\nopensim: {sets: [sets/forces.xml, sets/geometry.xml]}\n' >nested.yaml
printf 'limber: 1\ninclude: ../part.osim\n' >sets/outer.yaml
"$LIMBER" simulate nested.yaml -q --duration 0.5 --out sets-nested
claim "... of a model that a scene includes through another" cmp sets-whole/trajectory.csv sets-nested/trajectory.csv
run "$LIMBER" check sets/forces.xml
claim "a set alone is named, and where it belongs" complains "<ForceSet> is a set, which belongs to a model (in a scene, 'include' the model and name this file under 'opensim: {sets: [...]}')"
printf 'limber: 1\ninclude: sets/forces.xml\n' >lone.yaml
run "$LIMBER" check lone.yaml
claim "... and so it is where a scene includes it" complains "<ForceSet> is a set, which belongs to a model"
printf 'limber: 1\nopensim: {sets: sets/forces.xml}\n' >lone.yaml
run "$LIMBER" check lone.yaml
claim "sets without a model are refused" complains "lone.yaml:2:17: 'sets' are of a model of OpenSim's"
echo "$begin<BodySet><objects/></BodySet></OpenSimDocument>" >sets/forces.xml
run "$LIMBER" check part.yaml
claim "... and those that a model cannot get so" complains "<BodySet> is none of the sets ForceSet, ContactGeometrySet, MarkerSet or ConstraintSet"
