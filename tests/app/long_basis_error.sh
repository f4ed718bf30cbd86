# The estimate of what bases of elastic bodies leave out, against every node: a sheet, a rubber rod, a steel neck, and a rod whose mesh is
# too coarse. The first second or so of scenes, with long steps, in which both are the same.
scenes=$LIMBER_SOURCE_DIR/scenes

# The true error is at most the stated one, which is no more than ten times as large. NAME [OPTION...]
compare() {
  local name=$1
  shift
  run "$LIMBER" retarget "$scenes/$name.yaml" --out "$name" --quiet "$@"
  claim "$name is retargeted" exits 0
  cp "$name/summary.json" "$name.json"
  run "$LIMBER" retarget "$scenes/$name.yaml" --out "$name" --quiet --resume --verify "$@"
  claim "... and verified" exits 0
  claim "... and the error of its bases is within the estimate" within "$name"
}

within() {
  python3 - "$1" <<'P'
import json, sys
stated, true = (json.load(open(f)) for f in (sys.argv[1] + ".json", sys.argv[1] + "/summary.json"))
for key in "basis_error", "basis_error_before":
    print(key, "stated", stated[key], "true", true[key])
    assert true[key] <= stated[key] <= 10 * true[key]
P
}

compare elephant-ear --set duration=0.7s --set solver.step=2ms
compare rubber-tail --set duration=0.8s --set solver.step=4ms --set record.every=20ms
compare nodding-head --set duration=1s --set solver.step=2ms
compare rod --set duration=1s --set solver.step=2ms --set bodies.rod.elastic.elements.along=12 --set bodies.rod.elastic.fine.along=24
limited_by_basis() { grep -q '"limited_by": "basis"' rod.json; }
claim "a mesh that is too coarse is what limits the rod" limited_by_basis
