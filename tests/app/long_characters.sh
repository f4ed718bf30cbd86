# Seven characters that nobody tuned for: with nothing but defaults, each comes ten times nearer to its target.
falls() { # SUMMARY: peak of the tracked bodies before and after
  python3 - "$1" <<'P'
import json, sys
s = json.load(open(sys.argv[1]))
before, after = (max(t[w]["peak"] for t in s["tracked"]) for w in ("before", "after"))
print(f"  {1e3 * before:.3g} mm to {1e3 * after:.3g} mm: {before / after:.1f} times, limited by {s['limited_by'] or 'little'}")
sys.exit(before < 10 * after)
P
}
for scene in giraffe-neck elephant-ear jaw turntable-finger rubber-tail flamingo waiter; do
  run "$LIMBER" retarget "$LIMBER_SOURCE_DIR/scenes/$scene.yaml" --out "$scene" --threads 2
  claim "$scene is retargeted" exits 0
  claim "... ten times nearer" falls "$scene/summary.json"
done
