# limber sweep: every combination is run as 'simulate --set' would, and the table does not depend on
# how many run at a time.
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml
over=(--over joints.elbow.damping=0:0.1:3 --over bodies.upper.mass=1kg,2kg)
run "$LIMBER" sweep "$scene" "${over[@]}" --duration 0.5 --jobs 1 --out one
claim "a sweep runs" exits 0
claim "... and shows a table" prints "energy at end"
run "$LIMBER" sweep "$scene" "${over[@]}" --duration 0.5 --jobs 4 --out four --keep
claim "... on several processors, too" cmp one/sweep.csv four/sweep.csv
claim "a line a run, and the headings" test "$(wc -l <one/sweep.csv)" -eq 7
claim "headings have units" grep -q '^joints.elbow.damping,bodies.upper.mass \[kg\],outcome,' one/sweep.csv
run "$LIMBER" simulate "$scene" --set joints.elbow.damping=0.05 --set bodies.upper.mass=2kg --duration 0.5 --out alone
claim "run 4 alone runs" exits 0
claim "... and is that of the sweep" cmp alone/trajectory.csv four/4/trajectory.csv
claim "... whose last line is in the table" grep -qF ",$(tail -n 1 alone/trajectory.csv)" one/sweep.csv
claim "the summary counts" grep -q '"runs": 6' one/summary.json

run "$LIMBER" sweep "$scene" --over duration=0.1,0.2
claim "its folder is inside that of the scene" test -s out/double-pendulum/sweep/sweep.csv
run "$LIMBER" sweep "$scene" --over bodies.upper.mass=0.1:10:3:log --duration 0.1 --out log
claim "equal ratios" grep -q '^1,done' log/sweep.csv
run "$LIMBER" sweep "$scene" --over bodies.upper.mass=1,-1,2 --duration 0.1 --out some
claim "a run that fails is one line of the table" exits 0
claim "... and of the figures" prints "3 runs in"
claim "... with its reason" prints "'mass' must be greater than 0"
claim "... and no numbers" grep -qx -- '-1,failed' some/sweep.csv

cat >fast.yaml <<'Y'
solver: {integrator: euler, step: 0.1}
bodies: {ball: {shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}}
springs: {stiff: {from: {at: [0, 0, 2]}, to: {body: ball}, stiffness: 1e9, length: 0.5}}
Y
run "$LIMBER" sweep fast.yaml --over springs.stiff.stiffness=1e9,1,2 --duration 5 --out fast
claim "the first may fail" exits 0
claim "... and the headings are there" grep -q 'energy_drift,time,ball.x' fast/sweep.csv

run "$LIMBER" sweep "$scene" --over bodies.uper.mass=1:2:3 --out x
claim "what does not exist is bad input" exits 2
claim "... with a suggestion" complains "did you mean 'upper'?"
for range in bodies.upper.mass=1:2 bodies.upper.mass=1:2:0 bodies.upper.mass=a:b:3 duration=1:2:1000000 bodies.upper.mass=-1:1:3:log bodies.upper.mass=1,x bodies.upper.mass=1kg:2000g:3 bodies.upper.mass=1kg,500g; do
  run "$LIMBER" sweep "$scene" --over $range --out x
  claim "--over $range is refused" eval 'exits 2 && complains "error: --over $range: "'
done
run "$LIMBER" sweep "$scene" --over bodies.upper.mass=1,2 --over bodies.upper.mass=3,4 --out x
claim "one number has one range" complains "the number has a range already"
run "$LIMBER" sweep "$scene" --out x
claim "a sweep without a range is refused" complains "needs one to 8 ranges"

set -m
"$LIMBER" sweep "$scene" --over joints.elbow.damping=0:0.1:100000 --duration 0.5 --step 1e-4 --out stopped >stdout 2>stderr &
job=$!
until [ -d stopped ]; do sleep 0.05; done
sleep 1
kill -INT $job
status=0
wait $job || status=$?
set +m
claim "a sweep can be stopped" exits 130
claim "... and keeps what was done" grep -q ',done,' stopped/sweep.csv
