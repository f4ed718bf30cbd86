# Retargeted curves with every node moving: how many times nearer to the target they bring the scenes of docs/retarget.md.
# Takes ten minutes for each rod and an hour or more for the others; LIMBER_REPLAYED="rod two-rods" plays only those.
least() { # SCENE: how many times the peak and what is left in pauses must fall; 0: any
  case $1 in
  rod | two-rods) echo 10 50 ;;
  drummer) echo 7 0 ;;
  boxer) echo 6 0 ;;
  esac
}
falls() { # SUMMARY PEAK PAUSE
  python3 - "$@" <<'P'
import json, sys
wanted = {"peak": float(sys.argv[2]), "pause": float(sys.argv[3])}
tracked = json.load(open(sys.argv[1]))["tracked"]
fell = True
for key, least in wanted.items():
    before, after = (max(t[w][key] or 0 for t in tracked) for w in ("before", "after"))
    if least:
        print(f"  {key} {1e3 * before:.3g} mm to {1e3 * after:.3g} mm: {before / after:.1f} times, at least {least:g} wanted")
        fell = fell and before >= least * after
sys.exit(not fell)
P
}
for scene in ${LIMBER_REPLAYED:-rod two-rods drummer boxer}; do
  file=$LIMBER_SOURCE_DIR/scenes/$scene.yaml
  run "$LIMBER" retarget "$file" --out "$scene" --threads 2
  claim "$scene is retargeted" exits 0
  run "$LIMBER" replay "$file" --from "$scene" --full --step 1ms --threads 2
  claim "$scene is played with every node" exits 0
  cat stdout
  claim "$scene does as well as it must" falls "$scene/full/summary.json" $(least "$scene")
done
