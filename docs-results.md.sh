set -e
limber simulate scenes/robot-arm.yaml --out results
limber view results
blender --python-expr "import bpy, numpy; numpy.bool = bool; bpy.ops.wm.read_homefile(use_empty=True); bpy.ops.import_scene.gltf(filepath='results/scene.glb')"
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("results/trajectory.csv")))
print(rows[-1]["time"], rows[-1]["turn.q"])  # the last frame
END
python3 - <<'END'
import csv
rows = csv.DictReader(open("results/forces.csv"))
print(max(abs(float(row["turn-motor.force"])) for row in rows))  # what the motor must be able to do [N m]
END
limber simulate scenes/skittles.yaml --out skittles
python3 - <<'END'
import csv
rows = csv.DictReader(open("skittles/contacts.csv"))
print(max(float(row["fx"]) for row in rows if row["first"] == "lintel"))  # what pushes the lintel along [N]
END
limber simulate scenes/diving-board.yaml --out board
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("board/stress.csv")))
print(max(rows, key=lambda row: float(row["mises"])))  # the element that breaks first
END
python3 -c "import json; print(json.load(open('results/summary.json'))['motors'])"
limber simulate scenes/robot-arm.yaml --set solver.step=2ms --out results-2ms
limber compare results results-2ms
limber simulate scenes/double-pendulum.yaml --picture 1.5
