# A folder of results belongs to one run at a time, and to one scene.
source=$LIMBER_SOURCE_DIR/scenes
mkdir A B
cp "$source/double-pendulum.yaml" A/robot.yaml
cp "$source/pendulum.yaml" B/robot.yaml

# --- two scenes ---

run "$LIMBER" simulate A/robot.yaml --duration 0.1
claim "the folder is that of the scene's name" test -s out/robot/summary.json
cp out/robot/trajectory.csv kept.csv
run "$LIMBER" simulate B/robot.yaml --duration 0.1
claim "another scene of that name is refused" exits 2
claim "... by the name of the first" complains "the results of another scene are there, $PWD/A/robot.yaml"
claim "... with what to do" eval 'complains "--out" && complains "--force"'
claim "... and the results stay" cmp -s kept.csv out/robot/trajectory.csv
run "$LIMBER" simulate ./A/../A/robot.yaml --duration 0.1
claim "the same scene may run again" exits 0
(cd A && "$LIMBER" simulate robot.yaml --duration 0.1 --out ../out/robot) >stdout 2>stderr
claim "... from wherever it is named" test $? -eq 0
run "$LIMBER" simulate B/robot.yaml --duration 0.1 --force
claim "--force overwrites" exits 0
run "$LIMBER" simulate A/robot.yaml --duration 0.1
claim "... and the folder is the second scene's" complains "B/robot.yaml"
mv B/robot.yaml B/other.yaml
run "$LIMBER" simulate A/robot.yaml --duration 0.1
claim "a scene that was renamed is in nobody's way" exits 0
echo '{"scene_path": [' >out/robot/summary.json
run "$LIMBER" simulate A/robot.yaml --duration 0.1
claim "nor is a file that tells nothing" exits 0

# --- two runs ---

"$LIMBER" simulate A/robot.yaml --out both --duration 1e4 --step 1e-5 >first.out 2>first.err &
first=$!
until [ -n "$(ls -A both 2>/dev/null)" ]; do sleep 0.1; done
sleep 0.2
run "$LIMBER" simulate A/robot.yaml --out both --duration 0.1
claim "a second run into a folder is refused" exits 2
claim "... and says why" complains "both: another run is writing its results there"
claim "... without a file of its own" test "$(find both -type f | wc -l)" -eq 1
kill -KILL $first
wait $first 2>/dev/null || true
claim "a killed run leaves half a file" test -n "$(find both -name '.*.part')"
run "$LIMBER" simulate A/robot.yaml --out both --duration 0.1
claim "... and is not waited for" exits 0
claim "... whose half file the next run takes away" test -z "$(find both -name '.*.part')"
touch both/.mine.part both/.my-own.txt
run "$LIMBER" simulate A/robot.yaml --out both --duration 0.1
claim "files of others stay" test -e both/.mine.part -a -e both/.my-own.txt

# --- results of searches ---

cat > tune.yaml <<'Y'
duration: 200 ms
bodies: {ball: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {slide: {type: prismatic, child: ball, axis: x}}
initial: {slide: {velocity: 1}}
optimize:
  parameters: {push: {velocity: slide}}
  goals: {there: {joint: slide, position: 0.5, time: 200 ms}}
Y
run "$LIMBER" optimize tune.yaml --out tuned --quiet
claim "a search leaves its results" exits 0
run "$LIMBER" simulate tune.yaml --out tuned
claim "... which another job does not overwrite" exits 2
claim "... and says what is there" complains "the results of 'limber optimize' are there"
run "$LIMBER" simulate tune.yaml --out tuned --force --quiet
claim "... unless it is told to" exits 0
