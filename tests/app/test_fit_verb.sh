# `limber fit` finds what a motion was made with, says when it cannot, and keeps what it has.
rod() { # rod YOUNG TURN: a coarse rod on a motor
  cat <<Y2
materials:
  spring steel: {density: 7850, young: $1, damping: {mass: 0.5}}
bodies:
  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}
  rod: {elastic: {rod: {radius: 2 mm, to: [0, 0, 70 cm]}, material: spring steel, elements: {along: 6, across: 1}, basis: {modes: 1, derivatives: 1}}}
  weight: {shape: {sphere: {radius: 1 cm}}, mass: 100 g}
joints:
  motor: {type: revolute, child: hub, axis: y}
  clamp: {type: fixed, parent: hub, child: rod, face: start}
  tip: {type: fixed, parent: rod, face: end, child: weight}
motors:
  turn: {joint: motor, keys: [[0, 0], [0.2, $2 deg]]}
duration: 0.6
record: {every: 5 ms}
fit: {materials: {spring steel: {within: 1.2}}}
Y2
}
rod "200 GPa" 20 >truth.yaml
rod "185 GPa" 20 >guess.yaml
run "$LIMBER" simulate truth.yaml -q --out truth
claim "the truth runs" exits 0

# What simulate writes can be read as markers.
run "$LIMBER" fit guess.yaml truth/trajectory.csv --out found
claim "it succeeds" exits 0
claim "it has nothing to complain about" test -z "$(grep -v '^ *[0-9]* % ' stderr)" # but how far it is
claim "it says what it found" prints "spring steel young"
claim "it is right" prints "200 GPa"
for file in fitted.yaml markers.csv summary.json trajectory.csv forces.csv stress.csv scene.glb report.html; do
  claim "it writes $file" test -s "found/$file"
  claim "it says where $file is" prints "found/$file"
done
claim "it leaves nothing else behind" test "$(ls -A found | wc -l)" -eq 8
claim "the summary names the job" grep -q '"job": "fit"' found/summary.json
claim "the summary has the numbers" grep -q '"number": "young", "unit": "Pa", "start": 185000000000' found/summary.json
claim "fitted.yaml has the numbers" grep -qE '^    young: (200|199.99[0-9]*) GPa' found/fitted.yaml
claim "the report shows them" grep -q 'What was found' found/report.html
claim "the fitted markers have the measured ones' times" \
  test "$(cut -d, -f1 truth/trajectory.csv | md5sum)" = "$(cut -d, -f1 found/markers.csv | md5sum)"
{ cat found/fitted.yaml; sed -n '/^bodies:/,$p' guess.yaml; } >next.yaml
sed -i '/^  "spring steel":/a\    density: 7850' next.yaml
run "$LIMBER" check next.yaml
claim "what it found is good in a scene" exits 0

run "$LIMBER" fit guess.yaml truth/trajectory.csv -q --out again --threads 2
claim "quiet is quiet" silent
claim "threads change nothing" cmp found/fitted.yaml again/fitted.yaml

# Markers that do not move tell nothing.
{ head -1 truth/trajectory.csv; for i in 0 1 2 3 4 5 6 7 8 9; do sed -n "2s/^0,/0.0$i,/p" truth/trajectory.csv; done; } >still.csv
run "$LIMBER" fit guess.yaml still.csv --out still
claim "without motion it fails" exits 1
claim "... and says why" complains "error: the markers do not tell: not determined: "
claim "... and that nothing is determined" prints "0 of 2 numbers determined"
claim "... and keeps what there is" test -s still/summary.json

# Bad input is reported before any work is done.
run "$LIMBER" fit guess.yaml nowhere.csv --out x
claim "a missing table is bad input" exits 2
claim "... and is named" complains "error: cannot read table of markers 'nowhere.csv'"
printf 'time,weight.x,weight.y,weight.z\n0,1,2,b\n' >bad.csv
run "$LIMBER" fit guess.yaml bad.csv --out x
claim "a mistake in the table is bad input" exits 2
claim "... with its place" complains "error: bad.csv:2:7: 'b' is not a number"
sed '1s/weight/wieght/g; 1s/hub/hup/g; 1s/rod/rot/g' truth/trajectory.csv >others.csv
run "$LIMBER" fit guess.yaml others.csv --out x
claim "a table of other bodies is bad input" exits 2
claim "... with the nearest" complains "error: others.csv:1:1: the scene has no body 'hup' (did you mean 'hub'?)"
sed 's/^  rod: .*/  rod: {shape: {sphere: {radius: 1 cm}}}/; s/, face: [a-z]*//; /^fit/d' guess.yaml >rigid.yaml
run "$LIMBER" fit rigid.yaml truth/trajectory.csv --out rigid
claim "nothing elastic, nothing to find" exits 2
claim "... it says" complains "the scene has no elastic body of one material: there is nothing to find"
claim "no folder is made for bad tables" test ! -e x

# Ctrl-C keeps the best so far.
set -m
"$LIMBER" fit guess.yaml truth/trajectory.csv --step 1e-5 --out stopped >stdout 2>stderr &
job=$!
until [ -d stopped ]; do sleep 0.1; done # it listens before it makes the folder
sleep 0.5
kill -INT $job
status=0
wait $job || status=$?
set +m
claim "an interrupt exits with 130" exits 130
claim "... says what is kept" complains "Interrupted. The best numbers so far are kept in stopped."
claim "... and keeps it" grep -q '"interrupted": true' stopped/summary.json
