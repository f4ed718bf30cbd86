# One scene on several processors: rounding differs, since the library of linear algebra has other kernels for each, and the
# motion does not. The bending shapes of the round rod come in pairs.
kernels="Haswell SkylakeX Sandybridge Prescott"
for kernel in $kernels; do
  OPENBLAS_CORETYPE=$kernel run "$LIMBER" simulate "$LIMBER_SOURCE_DIR/scenes/rod.yaml" --duration 3 --out "$kernel"
  claim "it runs with the kernels for $kernel" exits 0
done
near() { # FOLDER FOLDER: the farthest that the weight is apart, in metres
  python3 - "$@" <<'P'
import csv, math, sys
runs = [list(csv.DictReader(open(f"{folder}/trajectory.csv"))) for folder in sys.argv[1:]]
place = lambda row: [float(row["weight." + axis]) for axis in "xyz"]
apart = max(math.dist(place(a), place(b)) for a, b in zip(*runs))
print(f"  the weight is {apart:.3g} m apart in {sys.argv[1]} and {sys.argv[2]}")
sys.exit(not apart < 1e-6)
P
}
for kernel in $kernels; do
  claim "the weight goes where it goes with those for Haswell" near Haswell "$kernel"
done
