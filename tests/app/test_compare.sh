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
claim "the page is there" test -s both/compare.html
claim "it has both tables" grep -q 'id="run-b-trajectory.csv"' both/compare.html
claim "it leaves nothing else behind" test "$(ls -A both | wc -l)" -eq 1
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
fi
