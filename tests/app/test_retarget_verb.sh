# limber retarget: its files, what it says of bad input, and that nothing is lost when it is stopped.
cat >cart.yaml <<'Y'
# A weight on a spring, carried by a slide.
name: Cart
gravity: [0, 0, 0]
bodies:
  cart: {mass: 1 kg, shape: {box: [20 cm, 10 cm, 10 cm]}}
  load: {mass: 0.5 kg, shape: {sphere: {radius: 5 cm}}}
joints:
  track: {type: prismatic, child: cart, axis: x}
  spring: {type: prismatic, parent: cart, child: load, at: [0, 0, 20 cm], axis: x, spring: {stiffness: 80}, damping: 0.3}
motors: {drive: {joint: track, keys: [[0.5, 0], [0.8, 50 cm]]}}
solver: {integrator: bdf2, step: 1 ms}
record: {every: 10 ms}
duration: 2.5
retarget:
  bodies: {load: {position: 1}}
Y

run "$LIMBER" retarget cart.yaml --out out --baseline --perturb --rate 500
claim "a small scene works" exits 0
claim "... and says how much it helped" prints "times less"
claim "... and compares" prints "ZVD"
for file in profiles.csv profiles.yaml target.csv before.csv after.csv trajectory.csv summary.json scene.glb report.html; do
  claim "there is $file" test -s out/$file
done
claim "profiles have the rate asked for" test "$(wc -l <out/profiles.csv)" -eq 1252
claim "the motor is called by its name" test "$(head -1 out/profiles.csv)" = "time,drive.q"
claim "tables have the form of trajectory.csv" cmp <(head -1 out/before.csv) <(head -1 out/trajectory.csv)
claim "after.csv is the motion" cmp out/after.csv out/trajectory.csv
claim "the world holds target, before and after" grep -qaF '"name":"target"' out/scene.glb
claim "... whose bodies have names of their own" grep -qaE '"name":"before/[a-z]' out/scene.glb
check_figures() { # before and after of the tracked body, and the tables
  python3 - "$1" <<'P'
import json, sys
s = json.load(open(sys.argv[1]))
t = s["tracked"][0]
assert s["job"] == "retarget" and t["body"] == "load", s
assert t["after"]["peak"] < t["before"]["peak"] / 2, t
assert len(s["baselines"]) == 4 and len(s["perturbed"]) == 8
assert s["finished"] and s["iterations"] >= 1 and len(s["history"]) == s["iterations"] + 1
assert s["history"][0]["peak"] > 0.99 * t["before"]["peak"], s["history"]
assert all(b["deviation"]["rms"] > t["after"]["rms"] for b in s["baselines"]), s["baselines"]
P
}
claim "the summary has the figures, and they are better than all baselines'" check_figures out/summary.json

# Curves that cannot do better are left alone, and the reason is told.
sed -e 's/spring: {stiffness: 80}, damping: 0.3/spring: {stiffness: 8000}, damping: 3/' \
  -e 's/^retarget:/retarget:\n  spacing: 250 ms/' cart.yaml >stiff.yaml
run "$LIMBER" retarget stiff.yaml --out stiff
claim "curves too coarse for their input end well" exits 0
claim "... with the input kept" complains "Nothing was gained: the curves are those of the input."
claim "... and the title says so" prints "mm, as it was"
claim "... and what is to be changed" prints "limited by spacing"
check_kept() {
  python3 - <<'P'
import json
s = json.load(open("stiff/summary.json"))
t = s["tracked"][0]
assert s["unchanged"] and s["limited_by"] == "spacing", s
assert t["after"]["peak"] <= t["before"]["peak"] and t["after"]["rms"] <= t["before"]["rms"], t
P
}
claim "... no worse than it was" check_kept
at_end() { awk -F, '$1 == 0.9 {exit !($2 > 0.4999 && $2 < 0.5001)}' "$1"; }
claim "... and profiles that play it" at_end stiff/profiles.csv

sed 's/^retarget:/retarget:\n  smoothness: 1e-9/' cart.yaml >former.yaml
run "$LIMBER" check former.yaml
claim "weights of former times get a word" complains "'smoothness' has no unit any more"

# A rod, in its basis and with every node.
cat >rod.yaml <<'Y'
name: Rod
bodies:
  hub: {shape: {sphere: {radius: 1 cm}}}
  rod: {elastic: {rod: {radius: 2 mm, to: [0, 0, 40 cm]}, material: steel, elements: {along: 8, across: 1}}}
  weight: {mass: 50 g, shape: {sphere: {radius: 1 cm}}}
joints:
  motor: {type: revolute, child: hub, axis: y}
  clamp: {type: fixed, parent: hub, child: rod, face: start}
  tip: {type: fixed, parent: rod, face: end, child: weight}
motors: {turn: {joint: motor, keys: [[50 ms, 0], [200 ms, 10 deg]]}}
solver: {step: 2 ms}
duration: 400 ms
record: {every: 10 ms}
retarget: {bodies: {weight: {position: 1}}, iterations: 3}
Y
run "$LIMBER" retarget rod.yaml --out rod
claim "figures carry the error of bases" prints "mm (basis: ± "
claim "... and say where it is from" prints "± is an estimate by richer bases"
claim "... in the report, too" grep -q "mm ± .*mm</td>" rod/report.html
cp rod/summary.json estimated.json
run "$LIMBER" retarget rod.yaml --out rod --resume --no-estimate
claim "it can be left out" prints "basis: its error is not known"
run "$LIMBER" retarget rod.yaml --out rod --resume --verify
claim "a result is verified" exits 0
claim "... with every node" prints "after, verified"
claim "... and the basis's error beside it" prints "from the motion with every node"
check_verified() {
  python3 - <<'P'
import json
s = json.load(open("rod/summary.json"))
before, after = (v["deviation"]["peak"] for v in s["verified"])
assert after < before / 5, s["verified"]
assert 0 < s["basis_error"] < 0.1 * before, s["basis_error"]
e = json.load(open("estimated.json"))
assert (e["basis_error_by"], s["basis_error_by"]) == ("richer bases", "every node")
for key in "basis_error", "basis_error_before":
    assert s[key] <= e[key] < 20 * s[key], (key, e[key], s[key])
P
}
claim "... as good as it looked, and as was estimated" check_verified
run "$LIMBER" retarget cart.yaml --out rigid
rigid_is_exact() { python3 -c 'import json; assert json.load(open("rigid/summary.json"))["basis_error"] == 0'; }
claim "without elastic bodies there is no such error" rigid_is_exact

# Short of memory it steps again what it cannot keep, to the same curves.
run "$LIMBER" retarget cart.yaml --out little --rate 500 --memory 60kB
claim "60 kB are enough" exits 0
claim "... for the same curves to the last digit" cmp out/profiles.yaml little/profiles.yaml
run "$LIMBER" retarget cart.yaml --out less --memory 2kB
claim "2 kB are not" exits 2
claim "... and it says how much would be" complains "kB of memory, more than the 2 kB they may take"
run "$LIMBER" retarget cart.yaml --memory much
claim "a size is a number of bytes" complains "such as 500kB, 64MB or 2GB"

# The splines go back into a scene and play the same motion.
grep -v '^motors:' cart.yaml >again.yaml
cat out/profiles.yaml >>again.yaml
run "$LIMBER" simulate again.yaml --out again
claim "profiles.yaml fits into a scene" exits 0
same_end() {
  python3 - <<'P'
import csv
a = list(csv.DictReader(open("again/trajectory.csv"))); b = list(csv.DictReader(open("out/after.csv")))
assert len(a) == len(b)
assert max(abs(float(x["load.x"]) - float(y["load.x"])) for x, y in zip(a, b)) < 1e-6
P
}
claim "... and plays the same motion" same_end

# Stopped at any moment, it goes on to the same end.
slow=(--step 0.1ms --quiet)
run "$LIMBER" retarget cart.yaml --out whole "${slow[@]}"
claim "a search in small steps ends" exits 0
set -m
resume=
for signal in KILL INT TERM KILL; do
  "$LIMBER" retarget cart.yaml --out stopped "${slow[@]}" $resume >stdout 2>stderr &
  job=$!
  before=$(stat -c %Y.%i stopped/retarget.state 2>/dev/null || true)
  for _ in $(seq 200); do
    [ "$(stat -c %Y.%i stopped/retarget.state 2>/dev/null || true)" != "$before" ] && break
    kill -0 $job 2>/dev/null || break
    sleep 0.05
  done
  kill -$signal $job 2>/dev/null || true
  status=0
  wait $job || status=$?
  resume=--resume
  if [ $signal = INT ] && [ $status -ne 0 ]; then
    claim "Ctrl-C exits with 130" exits 130
    claim "... and says where the best so far is" complains "--resume goes on"
    claim "... and keeps it" test -s stopped/profiles.csv
  fi
done
set +m
run "$LIMBER" retarget cart.yaml --out stopped --resume "${slow[@]}"
claim "a search that was killed goes on" exits 0
claim "... to the same curves, to the last digit" cmp stopped/profiles.yaml whole/profiles.yaml
claim "... and to the same motion" cmp stopped/after.csv whole/after.csv
same_history() {
  python3 - <<'P'
import json
a, b = (json.load(open(d + "/summary.json"))["history"] for d in ("whole", "stopped"))
assert a == b, (a, b)
P
}
claim "... and with the same history, from the input on" same_history

# A search that is stopped in its first iteration, or before it, too. A busy machine may see the state
# late.
set -m
for _ in 1 2 3 4 5; do
  rm -rf begun
  "$LIMBER" retarget cart.yaml --out begun --step 0.05ms --quiet >stdout 2>stderr &
  job=$!
  until [ -s begun/retarget.state ] || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
  kill -INT $job 2>/dev/null || true
  status=0
  wait $job || status=$?
  complains "Interrupted after 0 iterations" && break
done
claim "the first iteration can be stopped" complains "Interrupted after 0 iterations"
run "$LIMBER" retarget cart.yaml --out begun --step 0.05ms --quiet --resume
claim "... and is gone on with" eval '! complains "no search to go on with"'
"$LIMBER" retarget cart.yaml --out early --step 0.001ms --quiet >stdout 2>stderr &
job=$!
until [ -d early ]; do sleep 0.01; done
kill -INT $job
status=0
wait $job || status=$?
set +m
claim "before a search there is nothing to keep" exits 130
claim "... and it says so" complains "Interrupted before the search began"

# Other methods go on as well, and each only with what it began itself.
sed 's/^retarget:/retarget:\n  iterations: 12/' cart.yaml >twelve.yaml
for method in lbfgs bfgs; do
  run "$LIMBER" retarget twelve.yaml --out $method-whole --method $method --quiet
  claim "$method works" exits 0
  sed 's/iterations: 12/iterations: 5/' twelve.yaml >five.yaml
  run "$LIMBER" retarget five.yaml --out $method --method $method --quiet
  run "$LIMBER" retarget twelve.yaml --out $method --method $method --quiet --resume
  claim "$method goes on" exits 0
  claim "... to the same curves, to the last digit" cmp $method/profiles.yaml $method-whole/profiles.yaml
  run "$LIMBER" retarget twelve.yaml --out $method --resume
  claim "another method does not go on with it" exits 2
  claim "... and says why" complains "begun with another method"
done
run "$LIMBER" retarget cart.yaml --method newton
claim "methods have names" complains "it must be gauss-newton, lbfgs or bfgs"

: >begun/retarget.state
run "$LIMBER" retarget cart.yaml --out begun --resume --quiet
claim "an empty state is told" complains "begun/retarget.state: cannot go on from it: it is not whole"

# What cannot be written is said, and nothing that was there is lost.
if [ -z "${LIMBER_SANITIZED:-}" ]; then # the thread sanitizer cannot live with such a limit
  cp whole/profiles.csv kept.csv
  run bash -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - "$LIMBER" retarget cart.yaml --out whole --quiet
  claim "a full disk is a failure" exits 1
  claim "... that names the file" complains "cannot be written"
  claim "... and leaves old results as they were" cmp whole/profiles.csv kept.csv
  claim "... and no half file" test -z "$(find whole -name '*.part')"
  claim "... and says that nothing is lost" complains "with --resume writes the rest"
  (
    trap "" XFSZ
    ulimit -f 0 # of which messages must know nothing: they go through a pipe
    exec "$LIMBER" retarget cart.yaml --out whole --quiet 2>&1
  ) | cat >stderr
  status=${PIPESTATUS[0]}
  claim "a disk without any room is a failure" exits 1
  claim "... that is reported while the search goes on" complains "could not be resumed if it were stopped"
  claim "... and again at its end" complains "has to be done again"
  claim "... and leaves old results as they were" cmp whole/profiles.csv kept.csv
fi
run "$LIMBER" retarget cart.yaml --out /proc/nowhere
claim "a folder that cannot be made is reported at once" exits 2
touch file
run "$LIMBER" retarget cart.yaml --out file
claim "a file where the folder should be is reported at once" exits 2
claim "... as that" complains "but it is a file"
mkdir tmp # where what cannot be written elsewhere goes
TMPDIR=tmp "$LIMBER" retarget cart.yaml --out gone "${slow[@]}" >stdout 2>stderr &
job=$!
for _ in $(seq 200); do
  [ -e gone/retarget.state ] && break
  sleep 0.05
done
mv gone moved && touch gone
status=0
wait $job || status=$?
claim "a folder that goes away is a failure" exits 1
claim "... after which nothing is lost" complains "nothing is lost: put tmp/"
mkdir found && mv tmp/*/retarget.state found/
run "$LIMBER" retarget cart.yaml --out found --resume "${slow[@]}"
claim "... but the results are there without a new search" exits 0
claim "... and are the same" cmp found/profiles.yaml stopped/profiles.yaml

# Limits of forces and torques: the input may need more, what is found must not.
sed '$a\  motors: {drive: {force: 12 N}}' cart.yaml >weak.yaml
run "$LIMBER" retarget weak.yaml --out weak
claim "a limit on the force is kept" exits 0
claim "... and the input's force is reported beside it" prints "may be 12 N; the input needs 35.5"
kept() {
  python3 - <<'P'
import json
t = json.load(open("weak/summary.json"))["torques"][0]
assert t["motor"] == "drive" and t["limit"] == 12 and t["before"] > 30 and 11.5 < t["after"] <= 12.12, t
P
}
claim "... as the summary says" kept
claim "... and the report" grep -qF '<td>12 N</td>' weak/report.html
sed '$a\  motors: {drive: {force: 0.2 N}}' cart.yaml >weaker.yaml
run "$LIMBER" retarget weaker.yaml --out weaker --quiet
claim "a limit that cannot be kept is no failure" exits 0
claim "... but reported" complains "limits of torques could not be kept"

# --- bad input ---
run "$LIMBER" retarget cart.yaml --out empty --resume
claim "with nothing to go on with, a search begins" exits 0
claim "... and says so" complains "there is no search to go on with"
sed 's/50 cm\]/60 cm]/' cart.yaml >other.yaml
run "$LIMBER" retarget other.yaml --out whole --resume
claim "another motion is not gone on with" complains "the scene has changed since"
head -c 100 whole/retarget.state >cut && cp cut whole/retarget.state
run "$LIMBER" retarget cart.yaml --out whole --resume
claim "a damaged state is reported" complains "cannot go on from it"
sed '/^retarget:/,$d' cart.yaml >nothing.yaml
run "$LIMBER" retarget nothing.yaml --out none
claim "a scene without tracked bodies is reported so" exits 2
claim "... and how to name them" complains "retarget"
sed 's/position: 1/position: 0/' cart.yaml >zero.yaml
run "$LIMBER" retarget zero.yaml --out none
claim "weights that are all zero are reported" exits 2
sed 's/^  spring: .*/  spring: {type: prismatic, parent: cart, child: load, axis: z}/; s/^gravity.*//' cart.yaml >fall.yaml
run "$LIMBER" retarget fall.yaml --out none
claim "what falls has no target" exits 1
claim "... and that is said" complains "no equilibrium"
sed 's/^motors:.*/motors: {drive: {joint: track, drive: force, keys: [[0.5, 0], [0.8, 1]]}}/' cart.yaml >pushed.yaml
run "$LIMBER" retarget pushed.yaml --out none
claim "a scene without a motor to change is reported so" exits 2
claim "... at its place" complains "pushed.yaml:15:3: there is no motor whose curve could be changed"
sed '$a\  motors: {drive: {speed: 1 m/s}}' cart.yaml >fast.yaml
run "$LIMBER" retarget fast.yaml --out none
claim "limits that the input exceeds are reported" exits 2
claim "... with their place" complains "fast.yaml:16:12: the input of motor 'drive' exceeds its limit of speed, 1 m/s"
claim "... and what helps" complains "slow the motion down there, or raise the limit"
sed '$a\  motors: {drive: {angle: [-10 cm, 30 cm]}}' cart.yaml >far.yaml
run "$LIMBER" retarget far.yaml --out none
claim "so are angles beyond their limit" complains "exceeds its limit of angle, 0.3 m"
run "$LIMBER" retarget cart.yaml --out none --step 50ms
claim "steps longer than the curves' spans are reported" exits 2
claim "... with what helps" complains "take a smaller step"
cat >torn.yaml <<'Y'
# Two hinged bars hold the load: together they are 60 cm long, and the cart goes 1 m away.
name: Torn
bodies:
  cart: {mass: 1 kg, shape: {box: [20 cm, 10 cm, 10 cm]}}
  near: {mass: 0.5 kg, shape: {sphere: {radius: 5 cm}}}
  far: {mass: 0.5 kg, shape: {sphere: {radius: 5 cm}}}
joints:
  track: {type: prismatic, child: cart, axis: x}
  first: {type: revolute, parent: cart, child: near, axis: y, in_child: [0, 0, 30 cm], spring: {stiffness: 1}}
  second: {type: revolute, parent: near, child: far, axis: y, in_child: [0, 0, 30 cm], spring: {stiffness: 1}}
  ring: {type: spherical, parent: world, child: far, at: [20 cm, 0, -50 cm], loop: true}
motors: {drive: {joint: track, keys: [[0.5, 0], [0.8, 2 m]]}}
duration: 1.5
retarget:
  bodies: {near: {position: 1}}
Y
run "$LIMBER" retarget torn.yaml --out none
claim "a pose that cannot be reached is reported" exits 1
claim "... with the loop that would have to open" complains "'ring'"
run "$LIMBER" retarget cart.yaml --rate -5
claim "a rate is positive" complains "a positive number of samples a second"
