# Ctrl-C or a polite kill stops a long run cleanly and keeps what was done; a failure does, too.
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml

# interrupt SIGNAL DIR: start a run that would take hours, stop it
interrupt() {
  "$LIMBER" simulate "$scene" --out "$2" --duration 1e4 --step 1e-5 >stdout 2>stderr &
  local job=$!
  until [ -d "$2" ]; do sleep 0.1; done # it listens before it makes the folder
  sleep 0.5
  kill -"$1" $job
  status=0
  wait $job || status=$?
}
for signal in INT TERM HUP; do
  # A background job of a shell script ignores SIGINT; job control gives it back.
  set -m
  interrupt $signal out-$signal
  set +m
  claim "SIG$signal exits with 130" exits 130
  claim "SIG$signal says that and where results are kept" complains "Interrupted. The first"
  for file in summary.json trajectory.csv scene.glb report.html; do
    claim "SIG$signal keeps $file" test -s "out-$signal/$file"
  done
  claim "SIG$signal leaves no half file" test "$(ls -A out-$signal | wc -l)" -eq 4
  claim "SIG$signal: the summary says so" grep -q '"interrupted": *true' out-$signal/summary.json
  claim "SIG$signal: there are rows" test "$(wc -l <out-$signal/trajectory.csv)" -gt 2
done

# A spring far too stiff for the step: the motion blows up.
cat >wild.yaml <<'Y'
duration: 100
solver: {integrator: euler, step: 0.1}
bodies:
  ball: {shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}
springs:
  stiff: {from: {at: [0, 0, 2]}, to: {body: ball}, stiffness: 1e9, length: 0.5}
Y
run "$LIMBER" simulate wild.yaml --out wild
claim "a run that blows up fails" exits 1
claim "... and says so" complains "error: "
claim "... and keeps the frames before" complains "kept in wild"
claim "... in all files" test "$(ls -A wild | wc -l)" -eq 5

# A file that may not grow further is told, and the program ends as after any other failure.
run bash -c 'ulimit -f 1; exec "$0" simulate "$1" --out small 2> >(cat >small.err)' "$LIMBER" "$scene"
sleep 0.2
claim "a limit of the size of files is no crash" exits 1
claim "... and it is told" grep -q "small/trajectory.csv: .*File too large" small.err

# What nohup started goes on when its terminal is closed.
(trap '' HUP; exec "$LIMBER" simulate "$scene" --out nohup --duration 1e4 --step 1e-5) >stdout 2>stderr &
job=$!
until [ -d nohup ]; do sleep 0.1; done
sleep 0.3
kill -HUP $job
sleep 0.5
claim "a run under nohup ignores SIGHUP" kill -0 $job
kill -KILL $job
wait $job 2>/dev/null || true
