# `limber check` says what is in a good scene and everything that is wrong in a bad one.
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml
run "$LIMBER" check "$scene"
claim "a good scene passes" exits 0
claim "it prints the bodies" prints "bodies    2"
claim "it prints the joints" prints "joints    2: 2 revolute"
claim "it prints the freedom" prints "2 degrees of freedom"
claim "it prints how it will run" prints "run  "

claim "it says nothing of contacts where there are none" test "$(grep -c contacts stdout)" = 0

run "$LIMBER" check "$LIMBER_SOURCE_DIR/scenes/skittles.yaml"
claim "it prints what collides" prints "contacts  rigid, friction 0.5 to 0.632; 5 shapes of left, right, lintel, top and 1 more meet each other and 1 of scenery"
cat >feet.yaml <<'Y'
contacts: {law: compliant, stiffness: 1e5, damping: 300, friction: viscous, pairs: [{between: [all, all], collide: false}]}
materials: {m: {friction: 0.4}}
scenery: [{plane: z, solid: true, material: m}, {box: [1, 1, 1], material: m}]
bodies:
  foot: {shape: {sphere: {radius: 0.1}}, material: m, position: [0, 0, 1]}
  shade: {shape: {sphere: {radius: 0.1}, solid: false}, material: m, position: [1, 0, 1]}
Y
run "$LIMBER" check feet.yaml
claim "... with its law, and what meets scenery alone" prints "contacts  compliant (1e+05 N/m, 300 N s/m), friction 0.4, which creeps; 1 shape of foot meets 1 of scenery"
cat >nothing.yaml <<'Y'
contacts: {}
bodies: {ball: {shape: {sphere: {radius: 0.1}}}}
Y
run "$LIMBER" check nothing.yaml
claim "... and that nothing does" prints "contacts  rigid; nothing can meet anything"

run "$LIMBER" check -q "$scene"
claim "quiet is quiet" silent

scenes=("$LIMBER_SOURCE_DIR"/scenes/*.yaml)
if [ -n "${LIMBER_SANITIZED:-}" ]; then # elastic models take minutes to make there; one will do
  mapfile -t scenes < <(grep -LE 'elastic:|parts/figure|include: dancer' "${scenes[@]}")
  scenes+=("$LIMBER_SOURCE_DIR/scenes/rod.yaml")
fi
run "$LIMBER" check "${scenes[@]}"
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

# A joint that is nowhere near the face it names: most likely a mistake in a unit.
cat >far.yaml <<'Y'
bodies:
  rod: {elastic: {rod: {radius: 2 mm, to: [0, 0, 0.5]}, material: steel, elements: {along: 4}}}
  ball: {shape: {sphere: {radius: 0.1}}}
joints:
  clamp: {type: fixed, child: rod, face: start, in_child: [0, 0, -0.1]}
  tip: {type: fixed, parent: rod, child: ball, face: end, at: [0, 0, 500]}
loads:
  pull: {body: rod, face: end, at: [0, 7, 0], force: [1, 0, 0]}
Y
run "$LIMBER" check far.yaml
claim "a joint far from its face is bad input" exits 2
claim "... and reported with its place" complains "error: far.yaml:6:3: joint 'tip' does not touch body 'rod': it is 500 m"
claim "... and so is a load" complains "error: far.yaml:8:3: load 'pull' does not touch body 'rod'"
claim "... but one a little off is not" test "$(grep -c clamp stderr)" -eq 0

# What only shows once the parts are put together is a mistake of the scene, too.
cat >loop.yaml <<'Y'
bodies:
  a: {shape: {box: [1, 0.1, 0.1], position: [0.5, 0, 0]}}
  b: {shape: {box: [1, 0.1, 0.1], position: [0.5, 0, 0]}}
joints:
  one: {type: revolute, child: a, axis: y}
  two: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: y}
  end: {type: revolute, child: b, in_child: [1, 0, 0], at: [5, 0, 0], axis: y, loop: true}
Y
for verb in check simulate; do
  run "$LIMBER" $verb loop.yaml
  claim "$verb: a loop that cannot close is bad input" exits 2
  claim "$verb: ... and is named with its place" \
    complains "error: loop.yaml:7:3: loop joint 'end' cannot be closed"
done
run "$LIMBER" check loop.yaml "$scene"
claim "... and other scenes are still described" prints "double-pendulum.yaml"

# Scenes come through pipes, too; one that nobody writes to is not waited for.
status=0
"$LIMBER" check - <"$scene" >stdout 2>stderr || status=$?
claim "- is standard input" exits 0
claim "... and is described" prints "Double pendulum"
run "$LIMBER" check <(sleep 0.1; cat "$scene")
claim "a pipe is a scene" exits 0
mkfifo fifo
run timeout 20 "$LIMBER" check fifo
claim "a pipe that nobody writes to is bad input" exits 2
claim "... and it says so" complains "error: fifo: nothing came through the pipe"
echo "include: fifo" >fifo.yaml
run timeout 20 "$LIMBER" check fifo.yaml
claim "a pipe cannot be included" complains "error: fifo.yaml:1:10: cannot read 'fifo': it is not a file"
echo "bodies: {a: {shape: {mesh: fifo.obj}}}" >mesh.yaml
mkfifo fifo.obj
run timeout 20 "$LIMBER" check mesh.yaml
claim "... nor be a mesh" complains "cannot read 'fifo.obj': it is not a file"

# Suggestions are files that could have been meant.
touch .y.yaml far-away.yaml
for typed in y.yaml -; do
  run "$LIMBER" check -- $typed
  claim "nothing is like $typed" eval '! complains "did you mean"'
done
run "$LIMBER" check far-awai.yaml
claim "one letter is wrong" complains "there is no such file (did you mean 'far-away.yaml'?)"
run "$LIMBER" check far-away
claim "the ending was forgotten" complains "there is no such file (did you mean 'far-away.yaml'?)"

# Friction that explicit steps cannot follow is no mistake, but reported, with the step that would do.
cat >rubs.yaml <<'Y'
bodies: {a: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [0, 0, -6 cm]}}, mass: 20 g}}
joints:
  j: {type: revolute, axis: y, child: a, friction: 0.01}
duration: 0.1
Y
for verb in "check" "simulate --quiet --out rubs"; do
  run "$LIMBER" $verb rubs.yaml
  claim "steep friction" exits 0
  claim "... is warned of" complains "warning: rubs.yaml:3:3: friction in joint 'j' is too steep for rk4 with steps of 1 ms"
done
run "$LIMBER" simulate rubs.yaml --quiet --out rubs --step 50us
claim "... and with short steps is none" silent

# --- starts that do not fit ---

# a crank of 1 m whose pin carries a block: that cannot be a metre to the side and the crank
# upright
cat > bars.yaml <<'Y'
bodies: {crank: {mass: 1 kg, inertia: [1, 1, 1]}, block: {mass: 1 kg, inertia: [1, 1, 1]}}
joints:
  shaft: {type: revolute, child: crank, axis: y}
  cross: {type: composite, child: block, parts: [{type: prismatic, axis: x}, {type: prismatic, axis: z}]}
  pin: {type: revolute, parent: crank, child: block, at: [1 m, 0, 0], axis: y, loop: true}
duration: 10 ms
initial:
  shaft: {position: -90 deg}
  cross: {position: [1 m, 1 m]}
Y
for verb in "check" "simulate --quiet --out bars"; do
  run "$LIMBER" $verb bars.yaml
  claim "starts that do not fit" exits 0
  claim "... are warned of" complains "warning: bars.yaml:9:3: 'cross' cannot start here: for loops and constraints to hold, it is moved by 1 m"
done

# --- keys by former names ---

cat > former.yaml <<'Y'
bodies: {ball: {mass: 1 kg, inertia: [1, 1, 1]}}
strands: {}
Y
run "$LIMBER" check former.yaml
claim "a key's former name" exits 0
claim "... still reads, and the new one is reported" complains "warning: former.yaml:2:1: 'strands' is now called 'ropes' (the old name still works)"

# --- bodies that nothing holds ---

cat > forgotten.yaml <<'Z'
bodies:
  upper: {mass: 1 kg, inertia: [1, 1, 1]}
  lower: {mass: 1 kg, inertia: [1, 1, 1]}
joints: {shoulder: {type: revolute, child: upper, axis: y}}
duration: 10 ms
Z
for verb in "check" "simulate --quiet --out forgotten"; do
  run "$LIMBER" $verb forgotten.yaml
  claim "a forgotten joint" exits 0
  claim "... is warned of by name and place" complains "warning: forgotten.yaml:3:3: nothing holds body 'lower'"
done
for more in "initial: {lower: {velocity: [0, 0, 3]}}" "gravity: [0, 0, 0]" "springs: {s: {from: {body: upper}, to: {body: lower}, stiffness: 1}}"; do
  (cat forgotten.yaml; echo "$more") >held.yaml
  run "$LIMBER" check held.yaml
  claim "what is thrown, weightless or held is not: $more" content
done

# Values that are no mistakes, but may be: they are asked about.
cat >odd.yaml <<'Y'
gravity: [0, 0, 0]
bodies:
  ball: {shape: {sphere: {radius: 20}}}
  arm: {mass: 1, inertia: [1, 1, 1]}
  hand: {mass: 1, inertia: [1, 1, 1]}
joints:
  shoulder: {type: revolute, child: arm, axis: y, limits: {lower: -90, upper: 90, stiffness: 9}}
  wrist: {type: revolute, parent: arm, child: hand, axis: y}
motors:
  turn: {joint: wrist, keys: [[0, 0], [10, 30], [20, 45]]}
Y
run "$LIMBER" check odd.yaml
claim "odd values are no mistakes" exits 0
claim "a body of 33500 t is asked about" complains "warning: odd.yaml:3:3: body 'ball' weighs 3.35e+07 kg; is that meant?"
claim "... and limits of many turns" complains "odd.yaml:7:67: limits of joint 'shoulder': 'lower' is -90 radians, -14.3 turns; are degrees meant?"
claim "... and curves" complains "motor 'turn': 'value' is 30 radians, 4.77 turns; are degrees meant? (write 30 deg, or 30 rad if not)"
claim "... each once" test "$(grep -c degrees stderr)" -eq 2
sed -i 's/, 30\], \[20, 45\]/, 30 rad], [20, 7.5]/; s/20}/20 cm}/; s/90/90 deg/g' odd.yaml
run "$LIMBER" check odd.yaml
claim "with units nothing is asked" content

# One mistake inside a repetition is told once, also when the model is what finds it.
printf 'repeat:\n  - count: 100\n    bodies: {"b(n)": {}}\n' >many.yaml
run "$LIMBER" check many.yaml
claim "a mistake in a repetition is told once" test "$(grep -c 'has inertia against it' stderr)" -eq 1

cat > table.yaml <<'Z'
duration: 4 s
bodies:
  post: {shape: {box: [10 cm, 10 cm, 10 cm]}}
  cup: {shape: {sphere: {radius: 5 cm}}, position: [0, 0, 10 cm]}
joints: {stand: {type: fixed, child: post}}
springs: {string: {from: {body: post}, to: {body: cup}, stiffness: 0.1, slack: true}}
Z
run "$LIMBER" simulate --quiet --out table table.yaml
claim "what falls out of the scene" exits 0
claim "... is named" complains "'cup' fell out of the scene: it ends"

run "$LIMBER" check --linkage --set joints.stand.type=fixed "$LIMBER_SOURCE_DIR/scenes/dog.yaml"
claim "check --linkage says which ways a scene can move" prints "mobility  4 (20 coordinates, 16 independent of 40 rows"
claim "... what loops say twice" prints "redundant 24 rows: 3 of 5 of loop joint"
claim "... how far cranks turn" prints "leg: crank turns all the way"
claim "... and where feet go" prints "foot      G: path 0.32097 m wide"
run "$LIMBER" check --linkage "$LIMBER_SOURCE_DIR/scenes/jansen.yaml"
claim "... of a walker its crank first" prints "rows of constraints): crank, which moves 72 others; 6 of stand"
run "$LIMBER" check --linkage "$LIMBER_SOURCE_DIR/scenes/four-bar-designed.yaml"
claim "... and which point each joint is" prints "pin       O: "
run "$LIMBER" simulate --quiet --duration 0.02 --set joints.stand.type=fixed --out dog "$LIMBER_SOURCE_DIR/scenes/dog.yaml"
claim "linkages are in the summary" grep -q '"mobility": 4' dog/summary.json
claim "... and drawn in the report" grep -q 'the paths of its points' dog/report.html

# What paths go over and what is measured counts, too.
cat >places.yaml <<'Y'
bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {j: {type: revolute, child: arm, axis: -y}}
wraps: {w: {cylinder: {radius: 5 cm}}, v: {sphere: {radius: 5 cm}}}
markers: {m: {body: arm}}
Y
run "$LIMBER" check places.yaml
claim "wraps and markers are counted" prints "places    2 surfaces that paths wrap over, 1 marker"
