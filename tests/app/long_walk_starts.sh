# A predicted walk does not hang on where its search begins.
scene=$LIMBER_SOURCE_DIR/scenes/collocate-walk.yaml
for start in "20 -10" "22 -20" "25.001 -15" "30 -10" "35 -20"; do
  read -r front behind <<<"$start"
  run "$LIMBER" track "$scene" --set "initial.hip_r.position=$front deg" \
    --set "initial.hip_l.position=$behind deg" --out "walk$front" --quiet
  claim "a walk is found from hips at $front and $behind degrees" exits 0
done
claim "... and all are about the same" python3 - <<'P'
import glob, json
found = [json.load(open(f)) for f in glob.glob("walk*/summary.json")]
cost = [s["objective"] for s in found]
print([s["iterations"] for s in found], cost)
assert len(cost) == 5 and all(s["finished"] for s in found)
assert max(cost) < 1.02 * min(cost)
P
