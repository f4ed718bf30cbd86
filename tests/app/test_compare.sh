# limber compare: two runs on one page, from the files that they left.
cat > pendulum.yaml <<'Y'
duration: 200 ms
bodies: {rod: {shape: {capsule: {radius: 0.03, from: [0, 0, 0], to: [0, 0, -0.5]}}}}
joints: {hinge: {type: revolute, child: rod, axis: y, damping: 0.1}}
initial: {hinge: {position: 60 deg}}
Y
run "$LIMBER" simulate pendulum.yaml --out one --quiet
run "$LIMBER" simulate pendulum.yaml --set joints.hinge.damping=0.3 --out two --quiet
run "$LIMBER" compare one two --out both
claim "two runs are compared" exits 0
claim "it says where the page is" prints "both/compare.html"
claim "it says how far apart bodies get" prints "0 mm at 0 s, turned 2.26 deg at 0.2 s"
claim "the page is there" test -s both/compare.html
claim "it has both tables" grep -q 'id="run-b-trajectory.csv"' both/compare.html
claim "it leaves nothing else behind" test "$(ls -A both | wc -l)" -eq 1
run "$LIMBER" compare one one --out same
claim "a run and itself are alike" prints "all bodies in common move alike"

# --- figures: two motors that hold a weight, 1 m and 2 m long, one of them with a body more ---

cat > arm.yaml <<'Y'
duration: 100 ms
scenery: [{box: [4, 4, 0.1], position: [0, 0, -3]}]
bodies:
  arm: {mass: 1 kg, center: [1, 0, 0], inertia: [1, 1, 1], shape: {box: [0.1, 0.1, 0.1]}}
joints: {hinge: {type: revolute, child: arm, axis: y}}
motors: {drive: {joint: hinge, keys: [[0, 0], [1, 0]]}}
Y
sed -e 's/center: \[1,/center: [2,/' -e 's/^joints/  more: {mass: 1 kg, inertia: [1, 1, 1], position: [5, 0, 0], shape: {box: [0.1, 0.1, 0.1]}}\n&/' \
  -e '$a initial: {more: {velocity: [0, 0, 0]}}' arm.yaml >long.yaml
run "$LIMBER" simulate arm.yaml --out arm --quiet
run "$LIMBER" simulate long.yaml --out long --quiet
run "$LIMBER" compare arm long --out arms
claim "peaks of motors are told" prints "peak 9.81 in A, 19.62 in B"
claim "bodies that one run alone has are named" prints "only in B more"
run "$LIMBER" compare one nowhere
claim "a folder without results is refused" exits 2
claim "by name" complains "nowhere/summary.json"
run "$LIMBER" compare one
claim "two folders are needed" exits 2

browser=$(command -v chromium || command -v google-chrome || true)
if [ -n "$browser" ]; then
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$PWD/profile" \
    --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr --use-angle=swiftshader --enable-unsafe-swiftshader \
    --force-prefers-reduced-motion --virtual-time-budget=1500 --dump-dom "file://$PWD/both/compare.html" >dom 2>log </dev/null || true
  claim "both motions come up in a browser" grep -q 'data-limber="ready"' dom
  claim "what differs is in a table" grep -q "hinge.q" dom
  claim "and plotted" grep -q 'class="u-over"' dom
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$PWD/profile" \
    --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr --use-angle=swiftshader --enable-unsafe-swiftshader \
    --force-prefers-reduced-motion --virtual-time-budget=1500 --dump-dom "file://$PWD/arms/compare.html" >dom 2>log </dev/null || true
  claim "what both have alike and unmoved, a floor and an arm, is not drawn twice" grep -q 'data-ghosts="1"' dom
  claim "bodies of one run alone are named" grep -q "Only B has more" dom
fi
