# Scenes for models that are not part of Limber: what they say without them, and what they do with
# them. The ankle in the swing of a walk, [red] 6.2.8 and 6.2.9.
cp -r "$LIMBER_SOURCE_DIR/scenes/models" .
for scene in models/*.yaml; do
  model=$(sed -n 's/^include: //p' "$scene")
  run "$LIMBER" check "$scene"
  claim "$scene without its model names the file" complains "cannot read '$(dirname "$scene")/$model': there is no such file"
  claim "... and nothing else" [ "$(wc -l <stderr)" = 1 ]
  claim "... and the README says where to get it" grep -q "\`$model\`" models/README.md
done
own=$LIMBER_SOURCE_DIR/scenes/muscle-swing.yaml
run "$LIMBER" simulate "$own" --out own --quiet
claim "the swing of a leg of our own runs" exits 0
claim "... and its ankle needs another torque" python3 - <<'P'
import csv
rows = list(csv.DictReader(open("own/forces.csv")))
plain, heavy = ([float(r[f"ankle{n}.force"]) for r in rows] for n in (2, 1))
off = max(abs(a - b) for a, b in zip(plain, heavy))
print(f"up to {off:.3g} N m of {max(map(abs, plain)):.3g}")
assert off > 0.2 * max(map(abs, plain))
P
data=${LIMBER_SHARED:-}/data/osim/opensim-core/OpenSim
if [ ! -d "$data" ]; then
  echo "no models: nothing more to run"
  return 0
fi
walk=$data/Examples/Moco/example3DWalking
cp "$data/Tools/Test/arm26.osim" "$data/Moco/Test/walk_gait1018_subject01.osim" "$walk/subject_walk_scaled.osim" models
run "$LIMBER" optimize models/arm26.yaml --out arm26 --quiet
claim "arm26 bends its elbow by excitations" exits 0
claim "... to a degree" python3 - <<'P'
import csv, math
end = list(csv.DictReader(open("arm26/trajectory.csv")))[-1]
print(math.degrees(float(end["r_elbow.q"])))
assert abs(math.degrees(float(end["r_elbow.q"])) - 90) < 1
P
run "$LIMBER" simulate models/gait10dof18musc.yaml --out gait --quiet
claim "gait10dof18musc kicks" exits 0
for share in 0 0.4 0.8; do
  run "$LIMBER" inverse models/walking-swing.yaml "$walk/coordinates.sto" --set opensim.inertia.share=$share --out share$share --quiet
done
run "$LIMBER" inverse models/subject_walk_scaled.osim "$walk/coordinates.sto" --out plain --quiet
smooth=
for head in Lat Med; do
  for at in condyles shank; do
    smooth="$smooth --set wraps.Gas${head}_at_${at}_r.smooth=0"
  done
done
run "$LIMBER" inverse models/subject_walk_scaled.osim "$walk/coordinates.sto" $smooth --out sharp --quiet
claim "both heads of the gastrocnemius are as long over two smooth surfaces as over sharp ones" python3 - <<'P'
import csv
plain, sharp = (list(csv.DictReader(open(f + "/forces.csv"))) for f in ("plain", "sharp"))
for name in ("gasmed_r", "gaslat_r"):
    off = max(abs(float(a[name + ".length"]) - float(b[name + ".length"])) for a, b in zip(plain, sharp))
    print(f"{name}: {off:.2g} m")
    assert off < 1e-5 # a band is 2 mm wide
P
claim "the ankle's moment in the swing goes evenly from the plain inverse to another (row 9)" python3 - <<'P'
import csv
def ankle(folder):  # in the swing: the right foot is off the ground
    return [float(r["ankle_r.tau"]) for r in csv.DictReader(open(folder + "/inverse.csv")) if 1.024 < float(r["time"]) < 1.411]
plain = ankle("plain")
peak = max(map(abs, plain))
last = 0
for share in ("0", "0.4", "0.8"):
    moment = ankle("share" + share)
    off = max(abs(a - b) for a, b in zip(moment, plain))
    print(f"{share}: up to {off:.4g} N m, {100 * off / peak:.1f} % of the largest in the swing, {peak:.3g} N m")
    assert off <= 1e-10 if share == "0" else off > last
    last = off
P
