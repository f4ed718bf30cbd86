# Jobs from Python leave the same bytes as the program's verbs do.
export PYTHONPATH=$LIMBER_BUILD_DIR/python PYTHONDONTWRITEBYTECODE=1
python=$(sed -n 's/^LIMBER_PYTHON:FILEPATH=//p' "$LIMBER_BUILD_DIR/CMakeCache.txt")
if ! [ -e "$PYTHONPATH/limber/_limber.abi3.so" ] || ! "$python" -c "import numpy"; then
  echo "the Python package is not built, or there is no numpy"
  exit 77
fi
cat >rod.yaml <<'Y'
name: Rod
materials:
  spring steel: {density: 7850, young: 185 GPa, damping: {mass: 0.5}}
bodies:
  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}
  rod: {elastic: {rod: {radius: 2 mm, to: [0, 0, 70 cm]}, material: spring steel, elements: {along: 6, across: 1}, basis: {modes: 1, derivatives: 1}}}
  weight: {shape: {sphere: {radius: 1 cm}}, mass: 100 g}
joints:
  motor: {type: revolute, child: hub, axis: y}
  clamp: {type: fixed, parent: hub, child: rod, face: start}
  tip: {type: fixed, parent: rod, face: end, child: weight}
motors:
  turn: {joint: motor, keys: [[0, 0], [0.2, 20 deg]]}
duration: 0.4
record: {every: 5 ms, rates: true}
fit: {materials: {spring steel: {within: 1.2}}}
retarget: {bodies: {weight: {position: 1}}, iterations: 2}
Y
run "$LIMBER" simulate rod.yaml --set "materials.spring steel.young=200 GPa" --out truth -q
claim "the truth runs" exits 0
run "$LIMBER" retarget rod.yaml --out curves -q
claim "curves are found" exits 0

run "$LIMBER" fit rod.yaml truth/trajectory.csv --out c/fit -q
claim "the program fits" exits 0
run "$LIMBER" inverse rod.yaml truth/trajectory.csv --cutoff 60Hz --out c/inverse -q
claim "the program inverts" exits 0
run "$LIMBER" reduce rod.yaml --out c/reduce --modes 4 --duration 0.05 -q
claim "the program reduces" exits 0
run "$LIMBER" replay rod.yaml --from curves --out c/replay -q
claim "the program replays" exits 0
run "$LIMBER" sweep rod.yaml --over "bodies.weight.mass=50g:100g:3" --duration 0.1 --out c/sweep -q
claim "the program sweeps" exits 0
run "$LIMBER" compare truth c/fit --out c/compare -q
claim "the program compares" exits 0

cat >look.py <<'P'
import limber
import numpy as np

found = limber.fit("rod.yaml", "truth/trajectory.csv", out="py/fit")
young = found.values["spring steel young"]
assert young["determined"] and abs(young["value"] / 200e9 - 1) < 1e-3 and young["start"] == 185e9, young
assert young["low"] <= young["value"] <= young["high"] and found.rms < found.rms_start, young
forces = limber.inverse("rod.yaml", "truth/trajectory.csv", cutoff=60, out="py/inverse")
assert forces.torques.shape == forces.qd.shape and np.abs(forces.torques).max() > 0
assert forces.reaction_forces.shape[::2] == (len(forces.time), 3) and np.abs(forces.reaction_forces).max() > 0
basis = limber.reduce("rod.yaml", modes=4, duration=0.05, out="py/reduce")
assert basis.report and basis.summary["job"] == "reduce", basis.summary
assert limber.simulate("rod.yaml", basis=basis.out, duration=0.02).time[-1] == 0.02
calm = limber.replay("rod.yaml", "curves", out="py/replay")
assert calm.now["peak"] < calm.was["peak"] and calm.target.time.size == calm.after.time.size
grid = limber.sweep("rod.yaml", {"bodies.weight.mass": "50g:100g:3"}, duration=0.1, out="py/sweep")
assert list(grid.table["outcome"]) == ["done"] * 3, grid.table
aside = limber.sweep("rod.yaml", {"bodies.weight.mass": [0.05, 0.075, 0.1]}, duration=0.1)
assert np.array_equal(grid.table["weight.x"], aside.table["weight.x"])
assert limber.compare("truth", "py/fit", out="py/compare") == "py/compare/compare.html"
for wrong in (lambda: limber.compare("truth", "nowhere", out="py/none"), lambda: limber.replay("rod.yaml", "nowhere"),
              lambda: limber.fit("rod.yaml", "nowhere.csv")):
    try:
        wrong()
        raise AssertionError("it must fail")
    except limber.Error as error:
        assert error.messages, error
P
run "$python" look.py
claim "Python does the same" exits 0

# Times of the computation differ, and folders are named on pages.
calm() { sed -E 's/"(wall_seconds|steps_per_second|real_time_factor|[a-z_]*seconds)": [-+0-9.e]+/"\1": 0/g' "$1"; }
for job in fit inverse reduce replay sweep compare; do
  claim "$job leaves the same files" diff <(ls -A "c/$job") <(ls -A "py/$job")
  for file in c/"$job"/*; do
    name=$(basename "$file")
    case $name in
    *.html) continue ;;
    summary.json) claim "$job has the same figures" diff <(calm "$file" | grep -v steps_per_second) <(calm "py/$job/$name" | grep -v steps_per_second) ;;
    *) claim "$job has the same $name" cmp "$file" "py/$job/$name" ;;
    esac
  done
done
