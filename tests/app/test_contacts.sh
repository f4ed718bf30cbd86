# Contact at the command line: contacts.csv, figures of the solver, overlaps, and bodies that land.
cat >block.yaml <<'Y'
contacts: {}
duration: 0.2
scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true}]
bodies: {block: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 5 cm]}}
Y
run "$LIMBER" simulate block.yaml --out out
claim "a block on a floor runs" exits 0
claim "... without a word of warning" content
claim "contacts.csv has its headings" grep -q '^time,first,second,id,x,y,z,nx,ny,nz,fx,fy,fz,slip.x,slip.y,slip.z,gap,impulse,last$' out/contacts.csv
weight() { # of the last frame, from the points
  python3 - out/contacts.csv <<'P'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
last = [r for r in rows if r["time"] == rows[-1]["time"]]
total = sum(float(r["fz"]) * (1 if r["first"] == "block" else -1) for r in last)
sys.exit(not abs(total - 9.81) < 1e-5 or {r["second"] for r in last} | {r["first"] for r in last} != {"block", "scenery"})
P
}
claim "... and the weight of the block" weight
claim "totals of bodies are in forces.csv" grep -q 'block.contact.fz' out/forces.csv
claim "summary.json has the solver's figures" python3 -c '
import json
c = json.load(open("out/summary.json"))["contacts"]
assert c["steps"] > 100 and c["unsolved"] == 0 and c["most_points"] == 4 and c["recorded_until"] is None, c'
claim "... and so has the report" grep -q 'Contacts not solved to the tolerance' out/report.html

sed 's/5 cm/3 cm/' block.yaml >deep.yaml
run "$LIMBER" check deep.yaml
claim "check names shapes that overlap" complains "overlap at the start and are pushed apart: 'block' and 'scenery' by 2 cm"
run "$LIMBER" simulate deep.yaml --out deep
claim "... and so does simulate" complains "'block' and 'scenery' by 2 cm"

sed 's/, solid: true//' block.yaml >falls.yaml
run "$LIMBER" check falls.yaml
claim "where scenery is not solid, a body falls" complains "nothing holds body 'block'"
claim "... and is told what may be missing" complains "give scenery 'solid: true' to land on"
sed 's/\(shape: {box: [^}]*\)}/\1, solid: false}/' block.yaml >ghost.yaml
run "$LIMBER" check ghost.yaml
claim "... and so where the body is not" complains "leave out 'solid: false' to let it land"
sed '/^contacts/d' block.yaml >through.yaml
run "$LIMBER" check through.yaml
claim "... and where nothing collides" complains "add 'contacts: {}' to let it land"
sed 's/contacts: {}/contacts: {most: 2}/' block.yaml >crowded.yaml
run "$LIMBER" simulate crowded.yaml --out crowded
claim "too many points at the start are told with what to do" complains "raise 'most' of contacts"

# --- what is forced through something solid ---

cat >jam.yaml <<'Y'
contacts: {}
duration: 1
scenery: [{box: [0.1, 1, 1], position: [0.3, 0, 0], solid: true}]
bodies: {block: {shape: {box: [0.1, 0.1, 0.1]}}}
joints: {slide: {type: prismatic, child: block, axis: x}}
motors: {push: {joint: slide, keys: [[0, 0], [1, 0.5]]}}
Y
run "$LIMBER" simulate jam.yaml --out jam
claim "what a motor drives through a wall is told" complains "'block' and 'scenery' went into each other, by "
sed 's/keys:/drive: servo, stiffness: 1e4, damping: 100, limit: 50 N, keys:/' jam.yaml >yields.yaml
run "$LIMBER" simulate yields.yaml --out yields
claim "... and a servo with a limit stops there without a word" content
cat >soft.yaml <<'Y'
contacts: {law: compliant, stiffness: 1000, damping: 30}
duration: 0.5
scenery: [{plane: z, solid: true}]
bodies: {ball: {shape: {sphere: {radius: 0.1}}, mass: 2, position: [0, 0, 0.1]}}
Y
run "$LIMBER" simulate soft.yaml --out soft
claim "what sinks into soft contacts is told to raise their stiffness, not of motors" complains "(raise 'stiffness' of contacts, which yield)"

# --- meshes without a hull ---

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >leaf.obj
cat >leaf.yaml <<'Y'
contacts: {}
scenery: [{plane: z, solid: true}]
bodies:
  leaf: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], shape: {mesh: leaf.obj, massless: true, solid: true}, position: [0, 0, 1]}
Y
run "$LIMBER" check leaf.yaml
claim "a flat mesh that has no hull is named with its place" complains "leaf.yaml:4:65: a mesh of body 'leaf' cannot collide: "
claim "... and with what to do" complains "(write 'convex: false')"
sed 's/solid: true}, pos/solid: true, convex: false}, pos/' leaf.yaml >page.yaml
run "$LIMBER" check page.yaml
claim "... which helps" exits 0

# --- impacts between frames ---

cat >ball.yaml <<'Y'
contacts: {}
duration: 1.4
materials: {m: {restitution: 0.7}}
scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true, material: m}]
bodies: {ball: {shape: {sphere: {radius: 0.1}}, material: m, mass: 2, position: [0, 0, 1]}}
Y
run "$LIMBER" simulate ball.yaml --out ball
claim "a ball that bounces between frames leaves its impulses" python3 -c '
import csv, json
rows = list(csv.DictReader(open("ball/contacts.csv")))
hits = [float(r["impulse"]) for r in rows]
v = (2 * 9.81 * 0.9) ** 0.5
assert len(hits) >= 2 and abs(hits[0] / (2 * v * 1.7) - 1) < 0.01 and abs(hits[1] / hits[0] - 0.7) < 0.01, hits
assert abs(float(rows[0]["last"]) - (2 * 0.9 / 9.81) ** 0.5) < 2e-3, rows[0]
s = json.load(open("ball/summary.json"))
peak = s["contacts"]["peak"]
assert abs(peak["impulse"] - hits[0]) < 1e-9 and abs(peak["force"] * s["step"] - hits[0]) < 1e-9, peak
assert set(peak["between"]) == {"ball", "scenery"} and s["contacts"]["recorded"] == len(hits), peak
fz = [f for f in s["forces"] if f["what"] == "contact.fz"][0]
assert abs(fz["peak"] * 0.02 - hits[0]) < 1e-6, fz'
sed 's/duration: 1.4/duration: 0.1/' ball.yaml >short.yaml
run "$LIMBER" simulate short.yaml --out short
claim "contacts.csv is there where nothing touched" test "$(wc -l <short/contacts.csv)" -eq 1

# --- what walks ---

# forces.csv has the torques of the same frames
run "$LIMBER" simulate "$LIMBER_SOURCE_DIR/scenes/dog.yaml" --duration 7 --out dog
claim "a walker runs" exits 0
claim "summary.json has torques and power over a cycle, as forces.csv has them" python3 -c '
import csv, json
c = json.load(open("dog/summary.json"))["gait"]["cycle"]
rows = list(csv.DictReader(open("dog/forces.csv")))[-len(c["time"]):]
assert len(c["motors"]) == 4 and c["time"][0] == 0 and abs(c["time"][-1] - 3) < 0.03, c["time"]
for m in c["motors"]:
    key = [k for k in rows[0] if k.startswith(m["motor"] + ".")][0]
    assert all(abs(float(r[key]) - x) <= 1e-4 * (1 + abs(x)) for r, x in zip(rows, m["torque"])), key'

# --- what motors take ---

cat >blow.yaml <<'Y'
contacts: {}
duration: 3
record: {every: 1 ms}
materials: {m: {restitution: 0.5}}
scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true, material: m}]
bodies: {arm: {shape: {box: [0.6, 0.05, 0.05]}}, ball: {shape: {sphere: {radius: 0.1}}, material: m, position: [0.25, 0, 2]}}
joints: {turn: {type: revolute, child: arm, axis: y, at: [0, 0, 0.5]}}
motors: {hold: {joint: turn, keys: [[0, 0]]}}
Y
run "$LIMBER" simulate blow.yaml --out blow
claim "a motor that takes a blow is named with its peak" complains "motor 'hold' peaks at "
claim "... with what gives way" complains "'drive: servo' with a 'limit' gives way"

# Arms of two materials add up: 12 cm here.
rolls() {
  cat <<Y
contacts: {}
materials: {m: {rolling: $1}}
bodies: {ball: {shape: {sphere: {radius: 0.1}}, material: m, position: [0, 0, 0.1]}}
scenery: [{box: [4, 4, 0.2], position: [0, 0, -0.1], solid: true, material: m}]
Y
}
rolls "60 mm" >stuck.yaml
run "$LIMBER" check stuck.yaml
claim "a ball that hardly rolls is named with its lever arm" complains "'ball' has a lever arm of 12 cm"
rolls "40 mm" >rolls.yaml
run "$LIMBER" check rolls.yaml
claim "... and one that rolls is not" content
