# limber replay: retargeted curves played again, in a basis and with every node.
cat >beam.yaml <<'Y'
# A rubber rod of few elements with a ball at its end, turned by a motor.
name: Beam
materials:
  rubber: {density: 1200, young: 20 MPa, poisson: 0.4, damping: {mass: 0.1, stiffness: 1e-3 s}}
bodies:
  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}
  beam:
    elastic:
      rod: {radius: 8 mm, from: [0, 0, 2 cm], to: [0, 0, 22 cm]}
      material: rubber
      elements: {along: 6, across: 1}
      fine: {along: 8, across: 1}
      basis: {modes: 4, derivatives: 1}
  tip: {shape: {sphere: {radius: 1 cm}}, mass: 10 g}
joints:
  turn: {type: revolute, child: hub, axis: y}
  clamp: {type: fixed, parent: hub, child: beam, face: start, at: [0, 0, 2 cm]}
  end: {type: fixed, parent: beam, face: end, child: tip}
motors: {drive: {joint: turn, keys: [[0.1, 20 deg], [0.25, 50 deg]]}}
solver: {step: 2 ms}
record: {every: 10 ms}
duration: 0.8
retarget:
  bodies: {tip: {position: 1}}
  iterations: 6
Y
run "$LIMBER" retarget beam.yaml --out out --quiet
claim "curves are found" exits 0

run "$LIMBER" replay beam.yaml --from out
claim "they are played" exits 0
claim "... and judged" prints "times less"
for file in profiles.csv profiles.yaml target.csv before.csv after.csv trajectory.csv summary.json scene.glb report.html; do
  claim "there is $file" test -s out/replay/$file
done
figures() { # of summary.json: peak before, peak after, in pauses before and after
  python3 -c 'import json, sys
s = json.load(open(sys.argv[1])); t = s["tracked"][0]
print(*(t[w][k] for k in ("peak", "pause") for w in ("before", "after")))' "$1"
}
claim "in the same steps it is the same motion" cmp out/after.csv out/replay/after.csv
claim "... against the same target" cmp out/target.csv out/replay/target.csv
claim "... so figures are the same" test "$(figures out/summary.json)" = "$(figures out/replay/summary.json)"
claim "the summary tells what it is of" grep -q '"job": "replay"' out/replay/summary.json

mkdir cut
size=$(stat -c %s out/profiles.yaml)
for part in 10 30 50 70 90 99; do
  head -c $((size * part / 100)) out/profiles.yaml >cut/profiles.yaml
  run "$LIMBER" replay beam.yaml --from cut
  claim "$part % of a file of curves is no file of curves" exits 2
  claim "... and it is named" complains "cut/profiles.yaml"
done

run "$LIMBER" replay beam.yaml --from out --full
claim "every node can move" exits 0
claim "... and that is said" prints "all nodes moving"
start() { # where the tip is before anything moves, over its place at the target's start
  python3 - <<'P'
import csv, math
row = [next(csv.DictReader(open(f"out/full/{n}.csv"))) for n in ("target", "after", "before")]
at = [[float(r["tip." + c]) for c in "xyz"] for r in row]
assert at[1] == at[2]
assert math.dist(at[0], at[1]) < 3e-3, at # the meshes differ, and so do poses at rest
P
}
claim "... from rest" start
rests() { # nothing moves until the motor does
  python3 - <<'P'
import csv
rows = list(csv.DictReader(open("out/full/before.csv")))[:10]
assert max(abs(float(r["tip.x"]) - float(rows[0]["tip.x"])) for r in rows) < 1e-6
P
}
claim "... where it stays until it is moved" rests
better() { figures "$1" | awk '{ exit !($2 < $1 / 2 && $4 < $3 / 2) }'; }
claim "... and curves found in a basis help there too" better out/full/summary.json

# Stopped, it keeps what there is. (Messages of the run before are not taken for those of this one.)
: >stderr
set -m
"$LIMBER" replay beam.yaml --from out --full --step 0.02ms --out stopped >stdout 2>stderr &
job=$!
until grep -q simulating stderr || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
claim "it tells that it plays" complains simulating
kill -INT $job
status=0
wait $job || status=$?
set +m
claim "Ctrl-C exits with 130" exits 130
claim "... and tells what the figures are of" complains "It did not come to its end"
claim "... and prints them" prints "after"
claim "... and keeps what was played" test -s stopped/trajectory.csv

# --- bad input ---
run "$LIMBER" replay beam.yaml --from nowhere
claim "a folder without curves is reported" exits 2
claim "... by its file" complains "nowhere/profiles.yaml: there is no such file"
mkdir -p other
sed 's/"drive"/"drove"/' out/profiles.yaml >other/profiles.yaml
run "$LIMBER" replay beam.yaml --from other
claim "motors of another scene are reported" complains "motor 'drove', which does not exist (did you mean 'drive'?)"
echo 'motors: {drive: {joint: turn, keys: [[0, 0], [1, 1]]}}' >other/profiles.yaml
run "$LIMBER" replay beam.yaml --from other
claim "other curves than splines are reported" complains "does not play a curve as 'limber retarget' writes them"
echo 'name: nothing' >other/profiles.yaml
run "$LIMBER" replay beam.yaml --from other
claim "a file without motors is reported" complains "'motors' is missing"
sed '/^retarget:/,$d' beam.yaml >nothing.yaml
run "$LIMBER" replay nothing.yaml --from out
claim "a scene without tracked bodies is reported so" exits 2
run "$LIMBER" replay - --from out
claim "a scene from standard input cannot be read twice" complains "name a file"
