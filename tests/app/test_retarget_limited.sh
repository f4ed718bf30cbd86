# What limits a retargeting: a bracket of tetrahedra on one motor, which cannot bring its tray where it should be, in a good basis and in a poor one.
scene=$LIMBER_SOURCE_DIR/tests/design/bracket.yaml
limited() { # FOLDER WORD
  python3 - "$@" <<'P'
import json, sys
s = json.load(open(sys.argv[1] + "/summary.json"))
after = s["tracked"][0]["after"]
print(f"  {1e3 * after['peak']:.3g} mm, basis {1e3 * s['basis_error']:.3g} mm: limited by {s['limited_by']}")
sys.exit(s["limited_by"] != sys.argv[2])
P
}
as_far() { # FOLDER OTHER: whether both end as far from the target, within a twentieth
  python3 - "$@" <<'P'
import json, sys
peak, other = (json.load(open(f + "/summary.json"))["tracked"][0]["after"]["peak"] for f in sys.argv[1:])
sys.exit(abs(other - peak) > 0.05 * peak)
P
}
run "$LIMBER" retarget "$scene" --out plain --threads 2
claim "a bracket on one motor is retargeted" exits 0
claim "... and limited by reach" limited plain reach
run "$LIMBER" retarget "$scene" --out free --threads 2 --no-estimate --set retarget.smoothness=1e-5 --set retarget.bodies.tray.position=1e4
claim "another weight and freer curves" exits 0
claim "... come no nearer" as_far plain free
run "$LIMBER" retarget "$scene" --out poor --threads 2 --set bodies.bracket.elastic.basis.modes=2 --set bodies.bracket.elastic.basis.derivatives=0
claim "a poor basis" exits 0
claim "... is what limits" limited poor basis
