# `limber check` says what is in a good scene and everything that is wrong in a bad one.
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml
run "$LIMBER" check "$scene"
claim "a good scene passes" exits 0
claim "it tells the bodies" prints "bodies    2"
claim "it tells the joints" prints "joints    2: 2 revolute"
claim "it tells the freedom" prints "2 degrees of freedom"
claim "it tells how it will run" prints "run  "

run "$LIMBER" check -q "$scene"
claim "quiet is quiet" silent

run "$LIMBER" check "$LIMBER_SOURCE_DIR"/scenes/*.yaml
claim "all scenes of the project are good" exits 0

cat >bad.yaml <<'Y'
bodies:
  arm:
    mass: -1
joints:
  elbow:
    type: revolut
    child: foream
Y
run "$LIMBER" check bad.yaml
claim "a bad scene is bad input" exits 2
claim "mistakes name file, line and column" grep -qE '^error: bad\.yaml:[0-9]+:[0-9]+: ' stderr
claim "all mistakes come at once" test "$(grep -c '^error: bad\.yaml:' stderr)" -ge 2
claim "nothing goes to standard output" test ! -s stdout

run "$LIMBER" check bad.yaml "$scene" missing.yaml
claim "one bad scene among good ones fails" exits 2
claim "the good one is still described" prints "double-pendulum.yaml"
claim "the missing one is named" complains "missing.yaml"
run "$LIMBER" check .
claim "a folder is not a scene" exits 2
claim "... and it says so" complains "error: ."
run "$LIMBER" check /dev/null
claim "an empty file is not a scene" exits 2
