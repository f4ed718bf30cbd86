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
