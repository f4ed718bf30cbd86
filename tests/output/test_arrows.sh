# Arrows in the report: forces of grounds, springs, cables, ropes and joints begin where these act, and say what the tables say.
cat >scene.yaml <<'S'
name: Arrows
bodies:
  weight: {shape: {sphere: {radius: 5 cm}}, mass: 2 kg}
  arm: {shape: {box: [20 cm, 2 cm, 2 cm], position: [10 cm, 0, 0]}, mass: 1 kg}
  bar: {shape: {box: [20 cm, 2 cm, 2 cm], position: [10 cm, 0, 0]}, mass: 1 kg}
joints:
  slide: {type: prismatic, child: weight, axis: z}
  hinge: {type: revolute, child: arm, at: [1, 0, 1], axis: y, damping: 0.5}
  elbow: {type: revolute, parent: arm, child: bar, at: [20 cm, 0, 0], axis: y, damping: 0.5}
springs:
  coil: {from: {at: [0, 0, 0.5]}, to: {body: weight, at: [0, 0, 5 cm]}, stiffness: 200, length: 0.3}
cables:
  cord: {through: [{at: [1.5, 0, 1.5]}, {body: arm, at: [15 cm, 0, 0]}, {body: bar, at: [20 cm, 0, 0]}], stiffness: 300, damping: 5}
grounds:
  table: {points: [{body: weight, at: [0, 0, -5 cm]}], at: [0, 0, -4.8 cm], stiffness: 1e4, dissipation: 1}
duration: 1 s
record: {every: 20 ms, reactions: true}
S
run "$LIMBER" simulate scene.yaml --out out
claim "it runs" exits 0
cat >look.py <<'P'
import base64, csv, json, math, re, struct

page = open("out/report.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="limber-data">(.*?)</script>', page, re.S).group(1))["arrows"]
floats = lambda text: struct.unpack(f"<{len(base64.b64decode(text)) // 4}f", base64.b64decode(text))
times, values = floats(data["time"]), floats(data["values"])
tables = {name: [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(f"out/{name}.csv"))] for name in ("forces", "reactions", "trajectory")}
n = len(times)
assert n == len(tables["forces"]) and len(values) == 6 * n * len(data["list"])
found = {}
for i, arrow in enumerate(data["list"]):
    numbers = [values[6 * (i * n + f) : 6 * (i * n + f) + 6] for f in range(n)]
    found.setdefault((arrow["group"], arrow["name"]), []).append(numbers)
print(sorted(found))

def near(a, b):
    assert all(abs(x - y) < 1e-5 * (1 + abs(y)) for x, y in zip(a, b)), (a, b)

def turn(q, v):
    w, x, y, z = q
    c = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    t = [2 * k for k in c((x, y, z), v)]
    return [v[k] + w * t[k] + c((x, y, z), t)[k] for k in range(3)]

def at(f, body, p):
    row = tables["trajectory"][f]
    q = [row[f"{body}.q{c}"] for c in "wxyz"]
    return [row[f"{body}.{c}"] + d for c, d in zip("xyz", turn(q, p))], q

assert set(found) == {("contacts", "table"), ("springs", "coil"), ("springs", "cord"), ("joints", "slide"), ("joints", "hinge"), ("joints", "elbow")}
for f in range(n):
    force = tables["forces"][f]
    near(times[f : f + 1], [force["time"]])
    # a spring pulls its ends towards each other
    (first,), (second,) = ([e[f]] for e in found["springs", "coil"])
    near(first[:3], (0, 0, 0.5))
    near(second[:3], at(f, "weight", (0, 0, 0.05))[0])
    near(first[3:], (0, 0, -force["coil.force"]))
    near(second[3:], (0, 0, force["coil.force"]))
    # a cable along its first and its last piece
    a, b = (e[f] for e in found["springs", "cord"])
    knee, end = at(f, "arm", (0.15, 0, 0))[0], at(f, "bar", (0.2, 0, 0))[0]
    for arrow, begin, other in ((a, (1.5, 0, 1.5), knee), (b, end, knee)):
        near(arrow[:3], begin)
        length = math.dist(begin, other)
        near(arrow[3:], [force["cord.force"] * (q - p) / length for p, q in zip(begin, other)])
    near(found["contacts", "table"][0][f][3:], [force[f"table.f{c}"] for c in "xyz"])
    # joints: the table's forces are along the body's axes
    for joint, body, place in (("slide", "weight", (0, 0, 0)), ("hinge", "arm", (0, 0, 0)), ("elbow", "bar", (0, 0, 0))):
        arrow, (begin, q) = found["joints", joint][0][f], at(f, body, place)
        near(arrow[3:], turn(q, [tables["reactions"][f][f"{joint}.f{c}"] for c in "xyz"]))
        if joint != "slide":  # where it is along a slide does not matter
            near(arrow[:3], begin)
assert max(abs(x[5]) for x in found["contacts", "table"][0]) > 1, "it never touches"
P
run python3 look.py
claim "arrows begin where forces act, and are as large" exits 0
