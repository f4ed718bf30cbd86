# What a run says of paths over surfaces: too few steps across the band of a lift-off, ends opposite
# to each other about the middle of a surface, sides along the muscle, ends of capsules that paths
# slip off, and paths that go around too far.
scene() { # step, surface, mass, type of the elbow, start of the elbow
  cat <<END
duration: 0.6 s
solver: {integrator: rk4, step: $1}
record: {every: 10 ms}
bodies:
  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}
  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}
joints:
  shoulder: {type: revolute, child: upper, axis: -y}
  elbow: {$4, parent: upper, child: lower, at: [0, 0, -0.5]}
initial: {shoulder: {position: 45 deg}, elbow: {$5}}
wraps: {knob: {body: upper, position: [0, 0, -0.5], $2}}
muscles:
  cord: {through: [{body: upper, at: [-6 cm, 0, -12 cm]}, {wrap: knob}, {body: lower, at: [-5.5 cm, 0, -30 cm]}]$3}
END
}
hinge="type: revolute, axis: -y"
thin="rotation: [90 deg, 0, 0], side: -x, cylinder: {radius: 1 cm}"
scene "1 ms" "$thin" ", mass: {amount: 1}" "$hinge" "position: 45 deg" >fast.yaml
run "$LIMBER" simulate fast.yaml
claim "a lift-off within few steps is said, with muscle and surface" complains "fast.yaml:13:3: muscle 'cord' has mass and passes the lift-off from wrap 'knob' at"
step=$(sed -n "s/.*choose 'step: \([^']*\)'.*/\1/p" stderr)
claim "... and a step that would do" [ -n "$step" ]
scene "$step" "$thin" ", mass: {amount: 1}" "$hinge" "position: 45 deg" >slow.yaml
run "$LIMBER" simulate slow.yaml
claim "... with which nothing is said" content
scene "1 ms" "$thin" "" "$hinge" "position: 45 deg" >light.yaml
run "$LIMBER" simulate light.yaml
claim "a muscle without mass may lift off as fast as it likes" content

ball="sphere: {radius: 5 cm}"
scene "1 ms" "$ball" "" "$hinge" "velocity: 8" >plane.yaml
run "$LIMBER" simulate plane.yaml
claim "in a plane the sense is kept, and nothing is said" content
scene "1 ms" "$ball" "" "type: spherical" "spin: [0, -14, 0]" >space.yaml
run "$LIMBER" simulate space.yaml
claim "ends that pass each other about the middle are said" complains "muscle 'cord' runs over wrap 'knob' with its ends opposite to each other about the middle at"
scene "1 ms" "$ball, side: -x" "" "type: spherical" "spin: [0, -14, 0]" |
  sed 's/at: \[-6 cm, 0, -12 cm\]/at: [-6 cm, 2 cm, -12 cm]/; s/at: \[-5.5 cm, 0, -30 cm\]/at: [-5.5 cm, 2 cm, -30 cm]/' >aside.yaml
run "$LIMBER" simulate aside.yaml
claim "beside the plane the side is kept, and nothing is said" content
run "$LIMBER" check aside.yaml
claim "... nor by a check" content
sed 's/at: \[-6 cm, 2 cm/at: [2 cm, 2 cm/; s/at: \[-5.5 cm, 2 cm/at: [2 cm, 2 cm/' aside.yaml >long.yaml
run "$LIMBER" check long.yaml
claim "a check tells of a path that starts by the longer way" complains "long.yaml:13:3: muscle 'cord' starts by the longer way around wrap 'knob', over its 'side'"
run "$LIMBER" check "$LIMBER_SOURCE_DIR/scenes/muscle-rat-knee.yaml"
claim "... but not of one over a cylinder, which keeps its sense" eval '! complains "longer way"'
sed 's/spin: \[0, -14, 0\]/spin: [-8, -14, 0]/' aside.yaml >off.yaml
run "$LIMBER" simulate off.yaml
claim "a path that slips off beside its side is said" complains "muscle 'cord' slips off wrap 'knob' beside its 'side' at"
# a tendon that is longer than the path
slack() { # of it
  cat <<END
duration: 20 ms
bodies: {arm: {mass: 1, center: [0, 0, -0.3], inertia: [0.1, 0.1, 0.1]}}
joints: {j: {type: revolute, child: arm, axis: y}}
muscles:
  calf: {through: [{at: [0.1, 0, 0]}, {body: arm, at: [0, 0, -0.24]}]${2-}, hill: {model: millard, force: 300, fiber: 0.1, slack: $1}}
END
}
slack 50 >slack.yaml
run "$LIMBER" check slack.yaml
claim "a tendon longer than its path is said" complains "slack.yaml:5:3: muscle 'calf' starts with a tendon that hangs loose, and cannot pull: it is 50 m long unloaded, and the whole path 0.26 m (give 'hill' another 'slack')"
run "$LIMBER" simulate slack.yaml
claim "... and by a run" complains "muscle 'calf' starts with a tendon that hangs loose"
slack 0.26 >slack.yaml
run "$LIMBER" check slack.yaml
claim "... and so is one that leaves fibres no length" complains "muscle 'calf' starts with a tendon that hangs loose"
slack 0.27 ", mass: {amount: 10 g, belly: [0.2, 0.6], tendon: elastic}" >slack.yaml
run "$LIMBER" check slack.yaml
claim "... and one with mass behind it" complains "it is 0.27 m long unloaded, and the whole path 0.26 m"
slack 0.2 >slack.yaml
run "$LIMBER" check slack.yaml
claim "... but no shorter one" content

# a side along the muscle
cat >along.yaml <<'END'
duration: 40 ms
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {ball: {type: spherical, child: arm}}
wraps: {knob: {ellipsoid: {radii: [10 cm, 20 cm, 15 cm]}, side: x}}
muscles:
  cord: {through: [{at: [-1, 0.01, 0]}, {wrap: knob}, {body: arm, at: [1, 0.02, 0.01]}], tension: 3}
END
for muscle in "nearly along=0.02, 0.01" "along=0.01, 0"; do
  sed "s/0.02, 0.01/${muscle#*=}/" along.yaml >same.yaml
  run "$LIMBER" check same.yaml
  claim "a check tells of a path that is ${muscle%=*} its side" complains "same.yaml:7:3: muscle 'cord' runs nearly along the 'side' of wrap 'knob' at 0 s"
  run "$LIMBER" simulate same.yaml
  claim "... and a run does, once" [ "$(grep -c "runs nearly along the 'side'" stderr)" = 1 ]
done
sed 's/side: x/side: y/' along.yaml >across.yaml
run "$LIMBER" check across.yaml
claim "a side across the path is not spoken of by a check" content
run "$LIMBER" simulate across.yaml
claim "... nor by a run" content
sed 's/-1, 0.01/-1, 0.3/; s/0.02, 0.01/0.3, 0.01/' along.yaml >beside.yaml
run "$LIMBER" simulate beside.yaml
claim "... nor one along a path that passes beside the surface" content

# the end of a capsule
scene "1 ms" "rotation: [90 deg, 0, 0], capsule: {radius: 5 cm, length: 6 cm}" "" "$hinge" "position: 45 deg" |
  sed 's/position: \[0, 0, -0.5\]/position: [0, 4 cm, -0.5]/; s/-6 cm, 0/-6 cm, -12 cm/; s/-5.5 cm, 0/-5.5 cm, 12 cm/' >end.yaml
run "$LIMBER" simulate end.yaml
claim "a path that slips off the end of a capsule is said" complains "end.yaml:13:3: muscle 'cord' slips off the end of wrap 'knob' at"
claim "... with what would hold it" complains "and jumps (give the wrap a 'side', make the capsule longer, or lead the muscle through a point)"
sed 's/length: 6 cm}/&, side: -x/; s/]}\]}/]}], mass: {amount: 1}}/' end.yaml >kept.yaml
run "$LIMBER" simulate kept.yaml
claim "... and a side holds it, with mass, too" content
cat >apex.yaml <<'END'
duration: 10 ms
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {hinge: {type: revolute, child: arm, axis: z}}
wraps: {knob: {capsule: {radius: 5 cm, length: 10 cm}, side: y}}
muscles:
  cord: {through: [{at: [-20 cm, -3 cm, 0]}, {wrap: knob}, {body: arm, at: [2.5 cm, -2 cm, 11 cm]}], tension: 3}
END
for verb in check simulate; do
  run "$LIMBER" $verb apex.yaml
  claim "limber $verb tells of a path that starts off its side" complains "apex.yaml:7:3: muscle 'cord' starts off the 'side' of wrap 'knob'"
  sed 's/2.5 cm, -2 cm/5.5 cm, -4 cm/' apex.yaml >beside.yaml
  run "$LIMBER" $verb beside.yaml
  claim "... but not of one whose end is further from the axis" content
done

scene "1 ms" "rotation: [90 deg, 0, 0], cylinder: {radius: 5 cm}" "" "$hinge" "position: 0" |
  sed 's/at: \[-6 cm, 0, -12 cm\]/at: [0, 0, -12 cm]/; s/at: \[-5.5 cm, 0, -30 cm\]/at: [0, 0, -30 cm]/' >even.yaml
run "$LIMBER" simulate even.yaml
claim "a start with both ways alike is said" complains "muscle 'cord' starts with its ends opposite to each other about the middle of wrap 'knob'"
run "$LIMBER" check even.yaml
claim "... by a check, too" complains "muscle 'cord' starts with its ends opposite to each other about the middle of wrap 'knob'"
scene "1 ms" "rotation: [90 deg, 0, 0], side: -x, cylinder: {radius: 5 cm}" "" "$hinge" "velocity: 14" >around.yaml
run "$LIMBER" simulate around.yaml
claim "three quarters of a turn are said" complains "muscle 'cord' has gone around wrap 'knob' by three quarters of a turn at"

# a motion that is given
cat >turned.yaml <<'END'
bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {j: {type: revolute, child: arm, axis: z}}
wraps: {knob: {cylinder: {radius: 5 cm}, side: y}}
muscles:
  cord: {through: [{at: [-20 cm, 1 cm, 0]}, {wrap: knob}, {body: arm, at: [20 cm, 1 cm, 0]}], tension: 3}
END
printf 'time,j.q\n0,0\n0.1,-0.5\n0.2,-1\n0.3,-1.5\n' >short.csv
{ cat short.csv && printf '0.4,-2\n0.5,-2.5\n'; } >far.csv
for verb in "muscle lengths" "muscle static" inverse; do
  run "$LIMBER" $verb turned.yaml far.csv --out turned
  claim "limber $verb tells of a path that jumps" complains "turned.yaml:5:3: muscle 'cord' has gone around wrap 'knob' by three quarters of a turn at"
  run "$LIMBER" $verb turned.yaml short.csv --out turned
  claim "... but not of one that does not" eval '! complains "three quarters of a turn"'
done

# surfaces in a row
cat >row.yaml <<'END'
duration: 40 ms
bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {hinge: {type: revolute, child: arm, axis: z}}
wraps:
  near: {cylinder: {radius: 5 cm}, position: [-12 cm, 0, 0], side: y}
  far: {cylinder: {radius: 5 cm}, position: [0, 0, 0], side: y}
muscles:
  cord: {through: [{at: [-20 cm, 0, 0]}, {wrap: near}, {wrap: far}, {body: arm, at: [20 cm, 1 cm, 0]}], tension: 3}
END
run "$LIMBER" simulate row.yaml
claim "surfaces apart make a row" content
sed 's/-12 cm, 0, 0/0, 0, 0/' row.yaml >crossed.yaml
run "$LIMBER" check crossed.yaml
claim "a row without a way over it is said by a check" complains "crossed.yaml:8:3: muscle 'cord' finds no way over wrap 'near' and the next at 0 s"
run "$LIMBER" simulate crossed.yaml
claim "... and by a run, once" [ "$(grep -c "finds no way" stderr)" = 1 ]

# tendons that are longer than the path
cat >belly.yaml <<'END'
duration: 0.2 s
gravity: [0, 0, 0]
bodies: {end: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {slide: {type: prismatic, child: end, at: [1, 0, 0], axis: x}}
initial: {slide: {velocity: -1}}
muscles:
  cord: {through: [{at: [0, 0, 0]}, {at: [0.2, 0, 0]}, {body: end}], mass: {amount: 1, belly: [0.3, 0.6]}}
END
run "$LIMBER" simulate belly.yaml
claim "a belly that stays long is not spoken of" content
sed 's/belly: \[0.3, 0.6\]/belly: [0.4, 0.5]/' belly.yaml >inverted.yaml
run "$LIMBER" simulate inverted.yaml
claim "tendons that are longer than the path are said" complains "inverted.yaml:7:3: muscle 'cord' is no longer than its tendons at"

# mass for muscles whose points come in at once
cat >given.yaml <<'END'
duration: 0.3 s
solver: {integrator: rk4, step: 1 ms}
bodies:
  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}
  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}
joints:
  shoulder: {type: revolute, child: upper, axis: -y}
  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}
initial: {shoulder: {position: 45 deg}, elbow: {position: 20 deg}}
muscles:
  cord: {through: [{body: upper, at: [6 cm, 0, -12 cm]}, {body: upper, at: [6 cm, 0, -45 cm], while: {joint: elbow, at_least: 5 deg}}, {body: lower, at: [6 cm, 0, -20 cm]}]}
opensim: {inertia: {share: 0.5, of: upper, over: 10 deg, muscles: {cord: 1}}}
END
run "$LIMBER" simulate given.yaml
claim "points of a muscle that is given mass come in smoothly" exits 0
claim "... which is said" complains "opensim: muscle 'cord' has mass, so that its conditional points come in over 10 deg"
